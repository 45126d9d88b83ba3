/*
 * rates.h
 *		The speed of the GPU, as the GPU process measures it, and the latency
 *		of that process.
 */
#ifndef GPUDB_DEVICE_RATES_H
#define GPUDB_DEVICE_RATES_H

#include "core/provider_api.h"

/*
 * Let the GPU process measure the GPU; return false, with all rates NaN, if it
 * does not answer within 5 seconds, as when it is busy all the time.
 */
extern bool rates_ask(ProviderRates *rates);

/* Return the nanoseconds from a request to the GPU process, which is awake, to its answer; NaN if there is none. */
extern double rates_hop(void);

#endif							/* GPUDB_DEVICE_RATES_H */

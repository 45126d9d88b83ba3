/*
 * rates.h
 *		How fast the GPU is, as the GPU process measures it, and how far away that process is.
 */
#ifndef GPUDB_DEVICE_RATES_H
#define GPUDB_DEVICE_RATES_H

#include "core/provider_api.h"

/* Ask the GPU process; false, with all rates NaN, if it does not answer within some seconds, as when it is busy all the time. */
extern bool rates_ask(ProviderRates *rates);

/* Nanoseconds from asking the GPU process, which is awake, to having its answer; NaN if there is none. */
extern double rates_hop(void);

#endif							/* GPUDB_DEVICE_RATES_H */

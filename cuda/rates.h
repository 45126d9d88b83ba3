/*
 * rates.h
 *		How fast the device is, measured by itself.
 */
#ifndef GPUDB_CUDA_RATES_H
#define GPUDB_CUDA_RATES_H

#include "cuda_call.h"

/* What the provider's function `measure` does; memory is taken from the pool, and for a moment of the host's. */
extern bool rates_measure(ProviderRates *rates);

#endif							/* GPUDB_CUDA_RATES_H */

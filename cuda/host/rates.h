/*
 * rates.h
 *		Speed of the device, measured by itself.
 */
#ifndef GPUDB_CUDA_HOST_RATES_H
#define GPUDB_CUDA_HOST_RATES_H

#include "host/cuda_call.h"

/* Measure the device for Provider.measure; takes memory from the pool, and temporarily from the host. */
extern bool rates_measure(ProviderRates *rates);

#endif							/* GPUDB_CUDA_HOST_RATES_H */

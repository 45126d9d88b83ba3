/*
 * cuda_call.h
 *		Calls of CUDA, and how tests make them fail.
 *
 * Every call of CUDA's runtime in the GPU process goes through CUDA_CALL.  In
 * builds with GPUDB_FAULTS each such place has a number, by the order in which
 * the process first passes them, and a test can make one fail with a given
 * code instead of being made, once.
 */
#ifndef GPUDB_CUDA_CALL_H
#define GPUDB_CUDA_CALL_H

#include <cuda_runtime.h>

#include "core/provider_api.h"

/* What a test wants, and how many places the process has passed; NULL before start(). */
extern volatile ProviderFault *cuda_fault;
extern volatile uint32_t *cuda_sites;

#ifdef GPUDB_FAULTS
/* The code to fail with at this place, now; cudaSuccess = make the call. */
static inline cudaError_t
cuda_injected(uint32_t *site)
{
	if (*site == 0)
		*site = ++*cuda_sites;
	if (cuda_fault->site != *site)
		return cudaSuccess;
	cuda_fault->site = cuda_fault->then;
	cuda_fault->then = 0;
	return (cudaError_t) cuda_fault->code;
}

#define CUDA_CALL(call) \
	([&]() -> cudaError_t { \
		static uint32_t site; \
		const cudaError_t injected = cuda_injected(&site); \
		return injected != cudaSuccess ? injected : (call); \
	}())
#else
#define CUDA_CALL(call) (call)
#endif

#endif							/* GPUDB_CUDA_CALL_H */

/*
 * cuda_call.h
 *		Calls of the CUDA runtime, with fault injection for tests.
 *
 * Every call of CUDA's runtime in the GPU process goes through CUDA_CALL.  In
 * builds with GPUDB_FAULTS each use of the macro has a number, by the order in
 * which the process first passes them, and a test can make one fail once: the
 * call is not made, and a given code is returned.
 */
#ifndef GPUDB_CUDA_CALL_H
#define GPUDB_CUDA_CALL_H

#include <cuda_runtime.h>

#include "core/provider_api.h"

/* Fault that a test has requested, and number of places that the process has passed; NULL before start(). */
extern volatile ProviderFault *cuda_fault;
extern volatile uint32_t *cuda_sites;

#ifdef GPUDB_FAULTS
/* Return the error code to fail with at this place; cudaSuccess = make the call. */
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

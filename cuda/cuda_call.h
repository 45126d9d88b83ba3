/*
 * cuda_call.h
 *		Calls of CUDA, and how tests make them fail.
 *
 * Every call of CUDA's runtime in the GPU process goes through CUDA_CALL, so
 * a test can make the n-th one fail with a given code instead of being made.
 */
#ifndef GPUDB_CUDA_CALL_H
#define GPUDB_CUDA_CALL_H

#include <cuda_runtime.h>

#include "core/provider_api.h"

/* The test's wish; points to a fault that never comes until start() has been called. */
extern volatile ProviderFault *cuda_fault;
extern volatile uint32_t *cuda_calls;

#ifdef GPUDB_FAULTS
static inline cudaError_t
cuda_injected(void)
{
	return cuda_fault != NULL && ++*cuda_calls == cuda_fault->call ? (cudaError_t) cuda_fault->code : cudaSuccess;
}

/* The call, or a failure in its place. */
#define CUDA_CALL(call) (cuda_injected() != cudaSuccess ? (cudaError_t) cuda_fault->code : (call))
#else
#define CUDA_CALL(call) (call)
#endif

#endif							/* GPUDB_CUDA_CALL_H */

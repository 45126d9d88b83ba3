/*
 * context.h
 *		The GPU that the process uses, and the description of all devices.
 */
#ifndef GPUDB_CUDA_HOST_CONTEXT_H
#define GPUDB_CUDA_HOST_CONTEXT_H

#include "host/cuda_call.h"

typedef struct CudaContext
{
	int			device;
	uint32_t	multiprocessors;
	uint32_t	shared_limit;	/* most bytes of shared memory per block */
	bool		registers_read_only;	/* read-only host memory can be registered as such */
} CudaContext;

extern CudaContext cuda_context;

/*
 * List the devices, choose one, and make it current.  Returns false with
 * state->why if none can be used, and sets state->final if another attempt is
 * of no use.
 */
extern bool context_open(const char *uuid, ProviderState *state);

/* Let the device access host memory in place, at the same address; return false with *why if it cannot. */
extern bool context_attach(const ProviderMemory *memory, const char **why);

#endif							/* GPUDB_CUDA_HOST_CONTEXT_H */

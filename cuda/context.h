/*
 * context.h
 *		The GPU that the process uses, and what it tells of the others.
 */
#ifndef GPUDB_CUDA_CONTEXT_H
#define GPUDB_CUDA_CONTEXT_H

#include "cuda_call.h"

typedef struct CudaContext
{
	int			device;
	uint32_t	multiprocessors;
	uint32_t	shared_limit;	/* bytes of shared memory that a block may have */
	bool		registers_read_only;	/* read-only host memory can be registered as such */
} CudaContext;

extern CudaContext cuda_context;

/*
 * List the devices, choose one, make it current.  False with state->why, and
 * state->final where trying again will not help.
 */
extern bool context_open(const char *uuid, ProviderState *state);

/* Let the device read host memory in place, at the same address; false with *why if it cannot. */
extern bool context_attach(const ProviderMemory *memory, const char **why);

#endif							/* GPUDB_CUDA_CONTEXT_H */

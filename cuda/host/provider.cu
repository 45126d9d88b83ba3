/*
 * provider.cu
 *		gpudb_cuda.so: batches on an NVIDIA GPU.
 *
 * All device resources are allocated at the start: context, streams, arenas,
 * pinned buffers.  No device memory is allocated while queries run.
 */
#include <stdio.h>
#include <string.h>

#include "host/batch.h"
#include "host/context.h"
#include "host/group_table.h"
#include "host/materialized.h"
#include "host/rates.h"
#include "host/resident.h"
#include "host/seek.h"
#include "kernels/combine_launch.h"
#include "kernels/vm_launch.h"

/* Number of batches in flight, of all jobs. */
#define BATCHES 8

#define ARENA_MOST ((uint64_t) 128 * 1024 * 1024)

static CudaBatch *batches[BATCHES];
static ProviderState *provider_state;

static cudaError_t
half_of_free(uint64_t *bytes)
{
	size_t		available = 0;
	size_t		total = 0;
	cudaError_t error = CUDA_CALL(cudaMemGetInfo(&available, &total));

	*bytes = available / 2;
	return error;
}

static bool
start(const ProviderConfig *config, ProviderState *state)
{
	uint64_t	memory = config->memory;
	uint64_t	arena = 0;
	cudaError_t error = cudaSuccess;

	cuda_fault = config->fault;
	cuda_sites = config->sites;
	*cuda_sites = 0;
	provider_state = state;
	if (!context_open(config->device, state))
		return false;
	if (memory == 0)
		error = half_of_free(&memory);
	if (error == cudaSuccess)
		error = CUDA_CALL((cudaError_t) vm_prepare(cuda_context.shared_limit));
	if (error == cudaSuccess)
		error = CUDA_CALL((cudaError_t) combine_prepare());
	if (error == cudaSuccess)
		error = materialized_start();
	/* at most half of the memory is for batches, the other half for group tables and columns */
	arena = memory / 2 / BATCHES < ARENA_MOST ? memory / 2 / BATCHES : ARENA_MOST;
	for (int i = 0; i < BATCHES && error == cudaSuccess; i++)
		batches[i] = batch_create(arena, &error);
	if (error == cudaSuccess)
		error = group_table_start(memory - BATCHES * arena);
	resident_start(memory - BATCHES * arena);
	if (error != cudaSuccess)
	{
		snprintf(state->why, sizeof(state->why), "%s", cudaGetErrorString(error));
		return false;
	}
	for (uint32_t d = 0; d < state->ndevices; d++)
		if (state->device[d].in_use)
			state->device[d].memory_used = memory;
	state->batch_bytes = batch_tablet_bytes(arena);
	/* other batches need memory for their columns at the same time */
	state->batch_cached_bytes = (memory - BATCHES * arena) / 4;
	state->join_bytes = (memory - BATCHES * arena) / 2;
	return true;
}

static bool
attach(const ProviderMemory *memory)
{
	const char *why;
	bool		attached = context_attach(memory, &why);

	/* the caller tries another way for read-only memory */
	if (!attached && !memory->read_only)
		snprintf(provider_state->why, sizeof(provider_state->why), "%s", why);
	return attached;
}

static ProviderBatch *
acquire(void)
{
	for (int i = 0; i < BATCHES; i++)
		if (batch_stage(batches[i]) == BATCH_FREE)
		{
			batch_set_stage(batches[i], BATCH_FILLING);
			return batch_public(batches[i]);
		}
	return NULL;
}

static void
submit(ProviderBatch *batch)
{
	batch_start(batch_of_public(batch));
}

static ProviderBatch *
collect(void)
{
	for (int i = 0; i < BATCHES; i++)
		if (batch_advance(batches[i]) == BATCH_FINISHED)
		{
			ProviderBatch *batch = batch_public(batches[i]);

			if (batch->status == STATUS_DEVICE_DOWN)
				snprintf(provider_state->why, sizeof(provider_state->why), "%s", batch_error(batches[i]));
			batch_set_stage(batches[i], BATCH_FILLING);
			provider_state->cached_bytes = resident_bytes();
			return batch;
		}
	return NULL;
}

static void
release(ProviderBatch *batch)
{
	batch_set_stage(batch_of_public(batch), BATCH_FREE);
}

static const Provider provider = {
	PROVIDER_ABI, "cuda", start, attach, batch_accepts, acquire, submit, collect, release,
	group_table_open, group_table_count, group_table_read, group_table_close, group_table_read_top, materialized_open, materialized_index, materialized_sort, materialized_column, materialized_read, materialized_close,
	seek_open, seek_close, rates_measure
};

extern "C" __attribute__((visibility("default"))) const Provider *
gpudb_provider(void)
{
	return &provider;
}

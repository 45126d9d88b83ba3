/*
 * batch.h
 *		A batch and its phases on the GPU.
 *
 * Each batch has a stream, an arena in device memory and buffers in pinned
 * host memory, all allocated at the start.  A batch of pages has two phases:
 * deform the pages, then run the program; in between, the host examines the
 * results of deforming.  With a device-resident group table there are two more
 * phases: find the groups of the rows that blocks have written, then update
 * the groups' states.  Cached tablets need no deforming; with a group table
 * they run in as many parts as needed to have room for the rows of groups, one
 * of which each row may produce.
 */
#ifndef GPUDB_CUDA_HOST_BATCH_H
#define GPUDB_CUDA_HOST_BATCH_H

#include "host/cuda_call.h"

typedef enum BatchStage
{
	BATCH_FREE,
	BATCH_FILLING,
	BATCH_PLACING,				/* waits until other batches release device memory for columns or tables */
	BATCH_DEFORMING,
	BATCH_RUNNING,
	BATCH_ENTERING,				/* waits for access to the job's group table, until other batches have left it */
	BATCH_FINDING,				/* finding groups in the table */
	BATCH_UPDATING,				/* updating groups in the table */
	BATCH_FINISHED
} BatchStage;

typedef struct CudaBatch CudaBatch;

/* Create a batch with an arena of `arena_bytes` bytes; return NULL with *error on failure. */
extern CudaBatch *batch_create(uint64_t arena_bytes, cudaError_t *error);

/* Return how many of an arena's bytes are left for the tablet. */
extern uint64_t batch_tablet_bytes(uint64_t arena_bytes);

/* Return true if the job's program can run. */
extern bool batch_accepts(const ProviderJob *job);

/* Start the first phase of a batch. */
extern void batch_start(CudaBatch *batch);

/* Start the next phase of a batch if the current one has ended; return the batch's stage. */
extern BatchStage batch_advance(CudaBatch *batch);

extern BatchStage batch_stage(const CudaBatch *batch);
extern void batch_set_stage(CudaBatch *batch, BatchStage stage);

/* Return CUDA's message after the batch has ended with DEVICE_DOWN. */
extern const char *batch_error(const CudaBatch *batch);

/* Convert between a batch and its part that the service knows. */
extern ProviderBatch *batch_public(CudaBatch *batch);
extern CudaBatch *batch_of_public(ProviderBatch *batch);

#endif							/* GPUDB_CUDA_HOST_BATCH_H */

/*
 * batch.h
 *		A batch on its way over the GPU.
 *
 * Each batch has a stream, an arena in device memory and buffers in pinned
 * host memory, all made at the start.  Its way has two legs, between which
 * the host looks at what deforming has found: deform, then run.  With a table
 * that its job keeps there are two more: find the groups, then update them.
 * Cached tablets need no deforming; with a table they run in as many parts as
 * have room for the groups that each row may leave.
 */
#ifndef GPUDB_CUDA_BATCH_H
#define GPUDB_CUDA_BATCH_H

#include "cuda_call.h"

typedef enum BatchStage
{
	BATCH_FREE,
	BATCH_FILLING,
	BATCH_PLACING,				/* cached tablets: others are to let go of memory first */
	BATCH_DEFORMING,
	BATCH_RUNNING,
	BATCH_ENTERING,				/* the job's table, which others are to leave first */
	BATCH_FINDING,				/* its groups there */
	BATCH_UPDATING,				/* them */
	BATCH_FINISHED
} BatchStage;

typedef struct CudaBatch CudaBatch;

/* Make a batch with an arena of so many bytes; NULL with *error. */
extern CudaBatch *batch_create(uint64_t arena_bytes, cudaError_t *error);

/* Of an arena, the bytes that are left for the tablet. */
extern uint64_t batch_tablet_bytes(uint64_t arena_bytes);

/* Whether a job's programs can run. */
extern bool batch_accepts(const ProviderJob *job);

/* Start on the first leg. */
extern void batch_start(CudaBatch *batch);

/* Go on to the next leg if one has ended; the stage after that. */
extern BatchStage batch_advance(CudaBatch *batch);

extern BatchStage batch_stage(const CudaBatch *batch);
extern void batch_set_stage(CudaBatch *batch, BatchStage stage);

/* What CUDA said when the batch ended as DEVICE_DOWN. */
extern const char *batch_error(const CudaBatch *batch);

/* The part of it that the service knows, and back. */
extern ProviderBatch *batch_public(CudaBatch *batch);
extern CudaBatch *batch_of_public(ProviderBatch *batch);

#endif							/* GPUDB_CUDA_BATCH_H */

/*
 * segment.h
 *		Chunks of the dynamic shared memory of parallel workers.
 */
#ifndef GPUDB_EXEC_RUN_SEGMENT_H
#define GPUDB_EXEC_RUN_SEGMENT_H

#include "postgres.h"

#include "access/parallel.h"

/* Reserve room for a chunk of `bytes` bytes in a parallel context's segment, before the segment is created. */
static inline void
segment_estimate(ParallelContext *context, Size bytes)
{
	shm_toc_estimate_chunk(&context->estimator, bytes);
	shm_toc_estimate_keys(&context->estimator, 1);
}

/* Allocate a chunk of `bytes` bytes in a parallel context's segment; workers find it by the key. */
static inline void *
segment_insert(ParallelContext *context, uint64 key, Size bytes)
{
	void	   *chunk = shm_toc_allocate(context->toc, bytes);

	shm_toc_insert(context->toc, key, chunk);
	return chunk;
}

#endif							/* GPUDB_EXEC_RUN_SEGMENT_H */

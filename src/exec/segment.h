/*
 * segment.h
 *		Chunks of the shared memory of parallel workers.
 */
#ifndef GPUDB_EXEC_SEGMENT_H
#define GPUDB_EXEC_SEGMENT_H

#include "postgres.h"

#include "access/parallel.h"

/* Reserve room in a context's segment for one chunk of so many bytes, before the segment is made. */
static inline void
segment_estimate(ParallelContext *context, Size bytes)
{
	shm_toc_estimate_chunk(&context->estimator, bytes);
	shm_toc_estimate_keys(&context->estimator, 1);
}

/* Take such a chunk, which workers find by the key. */
static inline void *
segment_insert(ParallelContext *context, uint64 key, Size bytes)
{
	void	   *chunk = shm_toc_allocate(context->toc, bytes);

	shm_toc_insert(context->toc, key, chunk);
	return chunk;
}

#endif							/* GPUDB_EXEC_SEGMENT_H */

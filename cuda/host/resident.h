/*
 * resident.h
 *		Columns of cached tablets that are cached in device memory.
 *
 * Columns are stored in segments in the order in which they were copied:
 * columns that queries use together are copied together.  A large column has a
 * segment of its own.  Segments are evicted as a whole, the least recently
 * used one first among those that no batch uses; the columns are still in host
 * memory.
 */
#ifndef GPUDB_CUDA_HOST_RESIDENT_H
#define GPUDB_CUDA_HOST_RESIDENT_H

#include "host/cuda_call.h"
#include "kernels/columns_launch.h"

#define RESIDENT_SEGMENTS 512

/* A set of segments; those that a batch uses are pinned until it releases them. */
typedef struct ResidentUse
{
	uint64_t	segment[RESIDENT_SEGMENTS / 64];
} ResidentUse;

/* Location of a column in device memory. */
typedef struct ResidentColumn
{
	const uint8_t *values;		/* NULL if values take no bytes */
	const uint8_t *nulls;		/* NULL if there are none */
	const uint8_t *texts;		/* NULL if there are none */
} ResidentColumn;

/* Device memory to clear and columns to copy, on one stream, in this order. */
typedef struct ResidentCopies
{
	ColumnCopy *copy;
	uint32_t	ncopies;
	struct
	{
		uint8_t    *start;
		uint64_t	bytes;
	}			clear[RESIDENT_SEGMENTS];
	uint32_t	nclear;
} ResidentCopies;

/* Most copies for a column: values, NULLs, and texts, perhaps twice. */
#define COPIES_OF_COLUMN 4

/* Initialize for a pool of `pool_bytes` bytes; once. */
extern void resident_start(uint64_t pool_bytes);

/* Begin the search for a batch's columns, with an empty list of copies. */
extern void resident_begin(ResidentCopies *copies);

/*
 * Find a column of `nrows` rows, or allocate memory for it and add it to the
 * list of copies; return false if there is no room.  Its segment is pinned for
 * the batch in *use, and added to *also unless that is NULL.
 */
extern bool resident_find(const ProviderColumn *column, uint32_t nrows, ResidentUse *use, ResidentUse *also, ResidentCopies *copies,
						  ResidentColumn *at);

/*
 * Find or allocate `bytes` bytes that the caller fills itself, under a number
 * that no column has; return NULL if there is no room.  The segment is pinned
 * in *use, and added to *also unless that is NULL.
 */
extern uint8_t *resident_reserve(uint64_t number, uint64_t bytes, ResidentUse *use, ResidentUse *also, ResidentCopies *copies);

/* Return the logical time, or return true if no segment of a set was replaced since a time. */
extern uint64_t resident_now(void);
extern bool resident_stayed(const ResidentUse *noted, uint64_t since);

/* Pin the segments of a set for a batch. */
extern void resident_use(const ResidentUse *noted, ResidentUse *use);

/*
 * Forget the columns that were allocated since resident_begin(), as they will
 * not be copied, and release all columns of the batch.
 */
extern void resident_undo(ResidentUse *use);

/* Release the columns of a batch that has ended. */
extern void resident_let_go(ResidentUse *use);

/*
 * Return true if batches use columns, so that there may be room when they have
 * ended; or return how often batches have released columns.
 */
extern bool resident_in_use(void);
extern uint64_t resident_endings(void);

/* Give the least recently used segment that no batch uses back to the pool; return false if there is none. */
extern bool resident_evict(void);

/* Return the bytes of all resident columns. */
extern uint64_t resident_bytes(void);

#endif							/* GPUDB_CUDA_HOST_RESIDENT_H */

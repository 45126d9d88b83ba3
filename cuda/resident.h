/*
 * resident.h
 *		Columns of cached tablets that stay in device memory.
 *
 * They stand in segments, in the order in which they came: columns that
 * queries use together come together; what is large has one of its own.  A segment is forgotten as a whole, the
 * one first that no batch has used for longest; its columns are still in host
 * memory.
 */
#ifndef GPUDB_CUDA_RESIDENT_H
#define GPUDB_CUDA_RESIDENT_H

#include "columns_launch.h"
#include "cuda_call.h"

#define RESIDENT_SEGMENTS 512

/* Some segments: those that a batch uses stay until it lets go of them. */
typedef struct ResidentUse
{
	uint64_t	segment[RESIDENT_SEGMENTS / 64];
} ResidentUse;

/* Where a column is in device memory. */
typedef struct ResidentColumn
{
	const uint8_t *values;		/* NULL if they take nothing */
	const uint8_t *nulls;		/* NULL if there are none */
	const uint8_t *texts;		/* likewise */
} ResidentColumn;

/* What is to be copied and cleared, on one stream and in this order: clear, then copy. */
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

/* Copies that a column takes at most: values, NULLs, and texts, perhaps twice. */
#define COPIES_OF_COLUMN 4

/* Once: of a pool of so many bytes. */
extern void resident_start(uint64_t pool_bytes);

/* A batch begins to find its columns; nothing is to be copied yet. */
extern void resident_begin(ResidentCopies *copies);

/*
 * Find a column of so many rows, or give it a place and add to what is to be
 * copied; false when there is no room.  The batch uses its segment, which is
 * noted in `also`, too, unless that is NULL.
 */
extern bool resident_find(const ProviderColumn *column, uint32_t nrows, ResidentUse *use, ResidentUse *also, ResidentCopies *copies,
						  ResidentColumn *at);

/* The same of so many bytes that the caller fills by itself, under a number that no column has; NULL when there is no room. */
extern uint8_t *resident_reserve(uint64_t number, uint64_t bytes, ResidentUse *use, ResidentUse *also, ResidentCopies *copies);

/* The time, and whether segments that were noted then are all still what they were. */
extern uint64_t resident_now(void);
extern bool resident_stayed(const ResidentUse *noted, uint64_t since);

/* A batch uses segments that were noted. */
extern void resident_use(const ResidentUse *noted, ResidentUse *use);

/* Forget the columns that were given places since resident_begin(), which nobody will copy, and let go of the others. */
extern void resident_undo(ResidentUse *use);

/* A batch has ended. */
extern void resident_let_go(ResidentUse *use);

/* Whether batches use columns: when they have ended, there may be room.  How often that has happened. */
extern bool resident_in_use(void);
extern uint64_t resident_endings(void);

/* Give the segment back to the pool that no batch has used for longest; false if there is none. */
extern bool resident_evict(void);

/* Bytes of all columns that are there. */
extern uint64_t resident_bytes(void);

#endif							/* GPUDB_CUDA_RESIDENT_H */

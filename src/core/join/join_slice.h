/*
 * join_slice.h
 *		Partitions of a join's table, for a device that has no room for the whole table (multi-pass hash join).
 *
 * Partitions follow the order of the table's index: each consists of adjacent entries, so integer
 * keys are about as dense in a partition as in the whole table.
 */
#ifndef GPUDB_CORE_JOIN_JOIN_SLICE_H
#define GPUDB_CORE_JOIN_JOIN_SLICE_H

#include "core/join/join_table.h"

/* Position up to which a table's rows have been taken; zeroed initially. */
typedef struct JoinCursor
{
	uint64_t	place;			/* entry of the index */
	uint32_t	taken;			/* number of rows of that entry taken already */
} JoinCursor;

/*
 * Take the numbers of the next rows of a table that is not sorted, at most `most`; returns their
 * number, 0 at the end.  The rows of one word may be divided, unless `whole`: then 0 also means
 * that the next word has more than `most` rows.
 */
CORE_API uint32_t join_take(const JoinTable *table, JoinCursor *cursor, bool whole, uint32_t most, uint32_t *numbers);

/* Return the maximum number of rows of a word. */
CORE_API uint32_t join_most_rows(const JoinTable *table);

/* Return the bytes of a tablet of the given rows. */
CORE_API uint64_t join_slice_bytes(const Tablet *rows, const uint32_t *numbers, uint32_t n);

/* Build a tablet of the given rows, in a block of join_slice_bytes(); the columns keep the bounds of all rows. */
CORE_API void join_slice(const Tablet *rows, const uint32_t *numbers, uint32_t n, Tablet *slice);

#endif							/* GPUDB_CORE_JOIN_JOIN_SLICE_H */

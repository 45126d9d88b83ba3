/*
 * join_slice.h
 *		Some rows of one side of a join, for a device that has no room for all.
 *
 * Slices follow the order of the table's index: what leads to one are places
 * side by side, so that keys that are integers stand about as densely in it as
 * they do in the whole.
 */
#ifndef GPUDB_CORE_JOIN_SLICE_H
#define GPUDB_CORE_JOIN_SLICE_H

#include "core/join_table.h"

/* How far a table's rows have been taken; zeroed at first. */
typedef struct JoinCursor
{
	uint64_t	place;			/* of the index, */
	uint32_t	taken;			/* and how many rows of it */
} JoinCursor;

/*
 * The numbers of the next rows of a table that is not sorted, so many at most;
 * 0 at the end.  Those of one word may be cut apart, unless they are to be
 * taken as a whole: then 0 also says that the next word's are too many.
 */
CORE_API uint32_t join_take(const JoinTable *table, JoinCursor *cursor, bool whole, uint32_t most, uint32_t *numbers);

/* How many rows a word has at most. */
CORE_API uint32_t join_most_rows(const JoinTable *table);

/* Bytes of a tablet of so many of these rows. */
CORE_API uint64_t join_slice_bytes(const Tablet *rows, const uint32_t *numbers, uint32_t n);

/* Make it, in a block of so many bytes; bounds of columns are those of all rows. */
CORE_API void join_slice(const Tablet *rows, const uint32_t *numbers, uint32_t n, Tablet *slice);

#endif							/* GPUDB_CORE_JOIN_SLICE_H */

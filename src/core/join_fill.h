/*
 * join_fill.h
 *		Rows on their way into a table, by the words of their keys.
 */
#ifndef GPUDB_CORE_JOIN_FILL_H
#define GPUDB_CORE_JOIN_FILL_H

#include "core/join_table.h"

/* Rows of which a part picks its own at once. */
#define BLOCK_ROWS		1024

/* The words that a block of rows has. */
typedef struct WordBounds
{
	uint64_t	least;
	uint64_t	largest;
} WordBounds;

CORE_FN uint32_t
blocks_of(uint32_t nrows)
{
	return nrows / BLOCK_ROWS + (nrows % BLOCK_ROWS != 0);
}

/* The words of some rows. */
typedef struct RowWords
{
	const JoinTable *head;
	const Tablet *rows;
	const JoinKey *keys;
	uint64_t   *words;
	uint8_t    *nulls;
	uint32_t	parts;
	WordBounds *bounds;			/* of each block, to be found; may be NULL */
} RowWords;

/* Compute those of a part. */
extern void join_words_of_part(void *words, uint32_t part);

#endif							/* GPUDB_CORE_JOIN_FILL_H */

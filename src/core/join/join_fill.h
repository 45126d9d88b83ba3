/*
 * join_fill.h
 *		Words of the rows of a join's table while it is built.
 */
#ifndef GPUDB_CORE_JOIN_JOIN_FILL_H
#define GPUDB_CORE_JOIN_JOIN_FILL_H

#include "core/join/join_table.h"

/* Rows of a block, from which a part selects its own rows at once. */
#define BLOCK_ROWS		1024

/* Bounds of the words of a block of rows. */
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

/* Arguments of join_words_of_part(): words of all rows, computed in parts. */
typedef struct RowWords
{
	const JoinTable *head;
	const Tablet *rows;
	const JoinKey *keys;
	uint64_t   *words;
	uint8_t    *nulls;
	uint32_t	parts;
	WordBounds *bounds;			/* bounds of each block, to be computed; may be NULL */
} RowWords;

/* Compute the words, NULL flags and bounds of one part of the rows. */
extern void join_words_of_part(void *words, uint32_t part);

#endif							/* GPUDB_CORE_JOIN_JOIN_FILL_H */

/*
 * join_build.h
 *		Building the table of one side of a join: join_table.h.
 */
#ifndef GPUDB_CORE_JOIN_BUILD_H
#define GPUDB_CORE_JOIN_BUILD_H

#include "core/join_table.h"

/*
 * Decide how the rows of a tablet are found by these columns: a table's head,
 * but for its offsets.
 */
CORE_API void join_plan(JoinTable *head, const Tablet *rows, const JoinKey *keys, uint16_t nkeys);

/* The same of rows that are not at hand, by their columns' least and largest values. */
CORE_API void join_plan_of_bounds(JoinTable *head, const Tablet *rows, const JoinKey *keys, uint16_t nkeys);

/* The same of a table that is sorted by a column; false if some value of it takes more than 64 bits. */
CORE_API bool join_plan_sorted(JoinTable *head, const Tablet *rows, const JoinKey *key);

/* Bytes at most of the table with this head and so many rows, and of what building it takes besides. */
CORE_API uint64_t join_table_bytes(const JoinTable *head, uint32_t nrows);

/*
 * The words of rows, and for each a flag: 1 = some column of its key is NULL,
 * and nobody finds it.
 */
CORE_API void join_words(const JoinTable *head, const Tablet *rows, const JoinKey *keys, uint64_t *words, uint8_t *nulls);

/* Make the table of so many rows with these words, in a block of join_table_bytes() that begins with its head. */
CORE_API void join_build(JoinTable *table, const uint64_t *words, const uint8_t *nulls, uint32_t nrows);

/* The same of a table that is sorted, and put its rows into the order of their words.  Afterwards the words are others. */
CORE_API void join_sort(JoinTable *table, Tablet *rows, uint64_t *words, const uint8_t *nulls);

/* Parts at most that work is cut into: each goes over all rows. */
#define JOIN_MOST_PARTS	16

/* Who helps to make a table: run() runs all parts of a work, some at once. */
typedef struct JoinHelpers
{
	uint32_t	parts;
	void		(*run) (const struct JoinHelpers *helpers, void (*work) (void *arg, uint32_t part), void *arg);
	int			threads;		/* for run() */
} JoinHelpers;

/* Words and a table that is not sorted at once, of all rows, by several threads: there is room for so many words, and for a flag for each row. */
CORE_API uint64_t join_fill_words(uint32_t nrows);
CORE_API void join_fill(JoinTable *table, const Tablet *rows, const JoinKey *keys, uint64_t *words, uint8_t *nulls,
						const JoinHelpers *helpers);

/*
 * Whether the heads of a table and of its rows, which stand `rows_at` bytes
 * behind it in a block of so many bytes, lead nowhere out of the block.  What
 * they lead to may be anything.
 */
CORE_API bool join_verify(const JoinTable *table, const Tablet *rows, uint64_t bytes, uint64_t rows_at);

#endif							/* GPUDB_CORE_JOIN_BUILD_H */

/*
 * join_build.h
 *		Building the table of one side of a join; see join_table.h.
 */
#ifndef GPUDB_CORE_JOIN_JOIN_BUILD_H
#define GPUDB_CORE_JOIN_JOIN_BUILD_H

#include "core/join/join_table.h"

/*
 * Plan a table that finds the rows of a tablet by the given columns: set a table's descriptor
 * except its offsets.
 */
CORE_API void join_plan(JoinTable *head, const Tablet *rows, const JoinKey *keys, uint16_t nkeys);

/* Plan a table as join_plan() does, for rows that are not at hand: only the bounds of their columns are read. */
CORE_API void join_plan_of_bounds(JoinTable *head, const Tablet *rows, const JoinKey *keys, uint16_t nkeys);

/* Plan a table sorted by a column; false if some value of it takes more than 64 bits. */
CORE_API bool join_plan_sorted(JoinTable *head, const Tablet *rows, const JoinKey *key);

/* Return the maximum size in bytes of a planned table of `nrows` rows, including what building it needs temporarily. */
CORE_API uint64_t join_table_bytes(const JoinTable *head, uint32_t nrows);

/*
 * Compute the words of rows, and a flag for each: 1 = some column of its key is NULL, so it cannot
 * be found.
 */
CORE_API void join_words(const JoinTable *head, const Tablet *rows, const JoinKey *keys, uint64_t *words, uint8_t *nulls);

/*
 * Build the table of `nrows` rows with the given words, in a block of join_table_bytes() that
 * begins with its descriptor.
 */
CORE_API void join_build(JoinTable *table, const uint64_t *words, const uint8_t *nulls, uint32_t nrows);

/* Build a sorted table and reorder its rows by their words; words[] is overwritten. */
CORE_API void join_sort(JoinTable *table, Tablet *rows, uint64_t *words, const uint8_t *nulls);

/* Maximum number of parts that work is divided into; each part reads all rows. */
#define JOIN_MOST_PARTS	16

/* Threads that help to build a table: run() runs all parts of a work, some concurrently. */
typedef struct JoinHelpers
{
	uint32_t	parts;
	void		(*run) (const struct JoinHelpers *helpers, void (*work) (void *arg, uint32_t part), void *arg);
	int			threads;		/* number of threads for run() */
} JoinHelpers;

/*
 * Compute words and build a table that is not sorted, by several threads.  words[] has room for
 * join_fill_words() words, and nulls[] for a flag for each row.
 */
CORE_API uint64_t join_fill_words(uint32_t nrows);
CORE_API void join_fill(JoinTable *table, const Tablet *rows, const JoinKey *keys, uint64_t *words, uint8_t *nulls,
						const JoinHelpers *helpers);

/*
 * Verify the descriptors of a table and of its rows, which lie `rows_at` bytes behind it in a block
 * of `bytes` bytes: returns true if they lead nowhere outside the block.  The contents of the block
 * are not verified.
 */
CORE_API bool join_verify(const JoinTable *table, const Tablet *rows, uint64_t bytes, uint64_t rows_at);

#endif							/* GPUDB_CORE_JOIN_JOIN_BUILD_H */

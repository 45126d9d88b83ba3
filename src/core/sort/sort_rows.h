/*
 * sort_rows.h
 *		Sorting the rows of a tablet by some of its columns.
 *
 * The keys of a row are converted to words of 64 bits, as few as their significant bits fit, whose
 * order is that of the rows: an integer becomes its distance from the smallest or the largest one,
 * a NULL comes before or behind all, a text is represented by its first bytes.  Words are radix
 * sorted together with the numbers of their rows.  Only rows that the first bytes of texts do not
 * distinguish are compared.
 */
#ifndef GPUDB_CORE_SORT_SORT_ROWS_H
#define GPUDB_CORE_SORT_SORT_ROWS_H

#include "core/sort/sort_parts.h"

/* Number of parts that work is divided into, for several threads. */
#define SORT_PARTS		16

/* Threads that help to sort: run() runs all parts of a work, some concurrently. */
typedef struct SortHelpers
{
	void		(*run) (const struct SortHelpers *helpers, void (*work) (void *arg, uint32_t part), void *arg);
	int			threads;		/* number of threads for run() */
	bool		(*interrupted) (void);	/* returns true if sorting is to be abandoned */
} SortHelpers;

/* Order of a key's texts under a collation other than the order of bytes. */
typedef struct SortRanks
{
	/* Rank of each row except NULLs; equal texts have equal ranks.  NULL: texts are ordered by their bytes. */
	const uint32_t *rank;
	uint32_t	most;
} SortRanks;

/* A sort: rows, keys, and the wanted range of the result, from number `first` on and before number `end`. */
typedef struct SortRequest
{
	const Tablet *rows;
	const SortKey *keys;
	const SortRanks *ranks;		/* ranks of each key; NULL = no key has any */
	uint32_t	nkeys;
	uint32_t	first;
	uint32_t	end;
	const SortHelpers *helpers;
} SortRequest;

/* Return the bytes of memory that sorting `nrows` rows takes besides their order. */
CORE_API uint64_t sort_room_bytes(uint32_t nrows);

/*
 * List the numbers of rows in order, at least those that are wanted: the ones before them may be in
 * any order, and the ones behind may be left out.  Returns how many are listed.  After an
 * interruption the order is arbitrary.
 */
CORE_API uint32_t sort_rows(const SortRequest *request, uint32_t *order, void *room);

/* Return the significant bytes of a row's text, which must not be NULL. */
CORE_API const uint8_t *sort_text(const Tablet *rows, const SortKey *key, uint32_t row, uint32_t *length);

/* Compare two rows by some columns: less than 0, 0 or more; texts by their bytes. */
CORE_API int sort_compare(const Tablet *rows, const SortKey *keys, uint32_t nkeys, uint32_t a, uint32_t b);

#endif							/* GPUDB_CORE_SORT_SORT_ROWS_H */

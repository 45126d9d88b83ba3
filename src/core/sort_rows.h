/*
 * sort_rows.h
 *		Rows of a tablet in the order of some of its columns.
 *
 * What keys hold becomes words of 64 bits, as few as their significant bits
 * fit, whose order is that of the rows: an integer's distance from the least
 * or the largest one there is, a NULL before or behind all, of a text its first
 * bytes.  Words are sorted by their digits, with the numbers of their rows.
 * Only rows that the first bytes of texts do not tell apart are compared.
 */
#ifndef GPUDB_CORE_SORT_ROWS_H
#define GPUDB_CORE_SORT_ROWS_H

#include "core/sort_parts.h"

/* Parts that work is cut into, for several threads. */
#define SORT_PARTS		16

/* Who runs all parts of a work, some at once. */
typedef struct SortHelpers
{
	void		(*run) (const struct SortHelpers *helpers, void (*work) (void *arg, uint32_t part), void *arg);
	int			threads;		/* for run() */
	bool		(*interrupted) (void);	/* whether to leave it */
} SortHelpers;

/* The order of a key's texts under a collation, which is not that of their bytes. */
typedef struct SortRanks
{
	const uint32_t *rank;		/* of each row, but for NULLs; equal texts have equal ones.  NULL: texts are ordered by their bytes */
	uint32_t	most;
} SortRanks;

/* Rows, by what they are sorted, and which of them in order are wanted: from number `first` on, before number `end`. */
typedef struct SortRequest
{
	const Tablet *rows;
	const SortKey *keys;
	const SortRanks *ranks;		/* of each key; NULL = none has any */
	uint32_t	nkeys;
	uint32_t	first;
	uint32_t	end;
	const SortHelpers *helpers;
} SortRequest;

/* Bytes of memory that sorting so many rows takes besides their order. */
CORE_API uint64_t sort_room_bytes(uint32_t nrows);

/*
 * List the numbers of rows in order, those that are wanted at least: the ones
 * before them may be in any order, and those behind be left out.  Returns how
 * many are listed.  What was interrupted is listed in any order.
 */
CORE_API uint32_t sort_rows(const SortRequest *request, uint32_t *order, void *room);

/* The bytes of a row's text that count, if it is not NULL. */
CORE_API const uint8_t *sort_text(const Tablet *rows, const SortKey *key, uint32_t row, uint32_t *length);

/* How two rows differ by some columns: less than 0, 0 or more; texts by their bytes. */
CORE_API int sort_compare(const Tablet *rows, const SortKey *keys, uint32_t nkeys, uint32_t a, uint32_t b);

#endif							/* GPUDB_CORE_SORT_ROWS_H */

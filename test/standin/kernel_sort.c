/*
 * kernel_sort.c
 *		Stand-in for the kernels that sort rows, executed by the CPU.
 */
#define _GNU_SOURCE
#include <stdlib.h>

#include "kernels/sort_launch.h"

#define SUCCESS 0

/* The words of all rows' keys, by which rows are compared. */
typedef struct Words
{
	const uint64_t *words;
	uint32_t	nwords;
} Words;

static bool
is_null(const SortColumn *column, uint32_t row)
{
	return column->nulls != NULL && (column->nulls[row / 32] >> row % 32 & 1);
}

static int64_t
value_of(const SortColumn *column, uint32_t row)
{
	if (column->type == COLTYPE_BOOL)
		return column->values[row];
	if (column->type == COLTYPE_F64)
		return op_float_key(((const double *) column->values)[row] + 0.0);
	return ((const int64_t *) column->values)[row];
}

static uint64_t
word_of(const SortLaunch *launch, uint32_t word, uint32_t row)
{
	uint64_t	made = 0;

	for (uint32_t p = 0; p < launch->parts.nparts; p++)
	{
		const SortPart *part = &launch->parts.part[p];
		const SortColumn *column = &launch->from[launch->key_column[part->key]];

		if (part->word == word)
			made |= sort_code(part, is_null(column, row), value_of(column, row)) << part->shift;
	}
	return made;
}

static int
compare(const void *a, const void *b, void *arg)
{
	const Words *by = arg;
	const uint32_t row_a = *(const uint32_t *) a;
	const uint32_t row_b = *(const uint32_t *) b;

	for (uint32_t w = 0; w < by->nwords; w++)
	{
		const uint64_t word_a = by->words[(size_t) row_a * by->nwords + w];
		const uint64_t word_b = by->words[(size_t) row_b * by->nwords + w];

		if (word_a != word_b)
			return word_a < word_b ? -1 : 1;
	}
	return row_a < row_b ? -1 : row_a > row_b;
}

/* Copy a column's rows in the order of `order`. */
static void
move(const SortColumn *from, const SortColumn *to, const uint32_t *order, uint32_t n)
{
	const size_t bytes = from->type == COLTYPE_BOOL ? 1 : sizeof(uint64_t);
	uint8_t    *values = malloc(n * bytes + 1);
	uint32_t   *nulls = calloc(n / 32 + 1, sizeof(uint32_t));

	for (uint32_t row = 0; row < n; row++)
	{
		memcpy(values + row * bytes, from->values + order[row] * bytes, bytes);
		nulls[row / 32] |= (uint32_t) is_null(from, order[row]) << row % 32;
	}
	memcpy(to->values, values, n * bytes);
	if (to->nulls != NULL)
		memcpy(to->nulls, nulls, (n + 31) / 32 * sizeof(uint32_t));
	free(values);
	free(nulls);
}

static bool
differ(const SortColumn *column, uint32_t a, uint32_t b)
{
	const bool	null = is_null(column, a);

	return null != is_null(column, b) || (!null && value_of(column, a) != value_of(column, b));
}

/* Return the first key in which a row differs from the one before it, or the number of keys if it differs in none. */
static uint32_t
first_difference(const SortLaunch *launch, uint32_t row)
{
	uint32_t	k = 0;

	while (row > 0 && k < launch->nkeys && !differ(&launch->to[launch->key_column[k]], row - 1, row))
		k++;
	return k;
}

static void
number_rows(const SortLaunch *launch)
{
	uint64_t	number[MATERIALIZED_NUMBERS] = {0};

	for (uint32_t row = 0; row < launch->nrows; row++)
	{
		const uint32_t k = first_difference(launch, row);
		const bool	begins = row == 0 || k < launch->npartition;
		const bool	peers = row == 0 || k < launch->nkeys;

		number[MATERIALIZED_ROW_NUMBER] = begins ? 1 : number[MATERIALIZED_ROW_NUMBER] + 1;
		number[MATERIALIZED_RANK] = peers ? number[MATERIALIZED_ROW_NUMBER] : number[MATERIALIZED_RANK];
		number[MATERIALIZED_DENSE_RANK] = begins ? 1 : number[MATERIALIZED_DENSE_RANK] + peers;
		for (int n = 0; n < MATERIALIZED_NUMBERS; n++)
			if (launch->numbers[n] != NULL)
				launch->numbers[n][row] = number[n];
	}
}

uint64_t
sort_scratch_bytes(const SortLaunch *launch)
{
	return 64;
}

int
sort_launch(const SortLaunch *launch, void *stream)
{
	const uint32_t n = launch->nrows;
	const uint32_t nwords = launch->parts.nwords;
	uint64_t   *words = malloc(((size_t) n * nwords + 1) * sizeof(uint64_t));
	uint32_t   *order = malloc(((size_t) n + 1) * sizeof(uint32_t));
	Words		by = {words, nwords};

	for (uint32_t row = 0; row < n; row++)
	{
		order[row] = row;
		for (uint32_t w = 0; w < nwords; w++)
			words[(size_t) row * nwords + w] = word_of(launch, w, row);
	}
	qsort_r(order, n, sizeof(uint32_t), compare, &by);
	for (uint32_t c = 0; c < launch->ncolumns && nwords > 0; c++)
		move(&launch->from[c], &launch->to[c], order, n);
	number_rows(launch);
	free(words);
	free(order);
	return SUCCESS;
}

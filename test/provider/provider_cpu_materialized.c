/*
 * provider_cpu_materialized.c
 *		The CPU provider: materialized rows, join tables made of them, and sorting them.
 */
#include "postgres.h"

#include <stdlib.h>

#include "core/join/join_build.h"
#include "core/sort/sort_rows.h"

#include "provider_cpu.h"

struct ProviderMaterialized
{
	MaterializedRows rows;
	uint32		count;
	uint16		ncolumns;
	uint8		type[PROGRAM_MAX_MATERIALIZED];
	uint64	   *numbers[MATERIALIZED_NUMBERS]; /* row number, rank and dense rank of sorted rows; NULL = not requested */
	JoinTable  *table;
	Tablet	   *tablet;			/* descriptor of the rows; its columns are those of `rows` */
};

void
cpu_close_materialized(ProviderMaterialized *materialized)
{
	for (int c = 0; c < materialized->ncolumns; c++)
	{
		free(materialized->rows.values[c]);
		free(materialized->rows.nulls[c]);
	}
	for (int n = 0; n < MATERIALIZED_NUMBERS; n++)
		free(materialized->numbers[n]);
	free(materialized->table);
	free(materialized->tablet);
	free(materialized);
}

ProviderMaterialized *
cpu_open_materialized(const ProviderJob *job, uint32_t most_rows)
{
	const Program *program = job->view.program;
	ProviderMaterialized *materialized = calloc(1, sizeof(ProviderMaterialized));
	bool		enough = materialized != NULL && cpu_has_room((uint64) most_rows * program->nmaterialized * sizeof(uint64));

	for (int c = 0; c < program->nmaterialized && enough; c++)
	{
		materialized->type[c] = program->materialized[c];
		materialized->rows.values[c] = malloc((Size) Max(most_rows, 1) * sizeof(uint64));
		materialized->rows.nulls[c] = calloc(most_rows / 64 + 1, sizeof(uint64));
		materialized->ncolumns++;
		enough = materialized->rows.values[c] != NULL && materialized->rows.nulls[c] != NULL;
	}
	if (!enough)
	{
		if (materialized != NULL)
			cpu_close_materialized(materialized);
		return NULL;
	}
	materialized->rows.count = &materialized->count;
	materialized->rows.capacity = most_rows;
	return materialized;
}

/* Return the offset of memory from a tablet's descriptor. */
static uint64
distance(const Tablet *tablet, const void *to)
{
	return (uint64) (uintptr_t) to - (uint64) (uintptr_t) tablet;
}

static Tablet *
tablet_of(const ProviderMaterialized *materialized, const MaterializedPlan *plan)
{
	Tablet	   *tablet = calloc(1, sizeof(Tablet) + materialized->ncolumns * sizeof(TabletColumn));

	if (tablet == NULL)
		return NULL;
	tablet->nrows = plan->nrows;
	tablet->ncols = materialized->ncolumns;
	for (int c = 0; c < materialized->ncolumns; c++)
	{
		tablet->column[c].type = materialized->type[c];
		tablet->column[c].null_count = plan->null_count[c];
		tablet->column[c].values = distance(tablet, materialized->rows.values[c]);
		tablet->column[c].nulls = distance(tablet, materialized->rows.nulls[c]);
	}
	return tablet;
}

DeviceStatus
cpu_index_materialized(ProviderMaterialized *materialized, MaterializedPlan *plan)
{
	const uint32 n = plan->nrows;
	const uint64 rows_bytes = (uint64) n * materialized->ncolumns * sizeof(uint64);
	const uint64 bytes = join_table_bytes(&plan->head, n);
	uint64	   *words = malloc(sizeof(uint64) * Max(n, 1));
	uint8	   *nulls = malloc(Max(n, 1));

	materialized->tablet = tablet_of(materialized, plan);
	if (!cpu_has_room(bytes + rows_bytes) || posix_memalign((void **) &materialized->table, 64, bytes) != 0)
		materialized->table = NULL;
	if (words == NULL || nulls == NULL || materialized->tablet == NULL || materialized->table == NULL || n != materialized->count || n > materialized->rows.capacity)
	{
		free(words);
		free(nulls);
		free(materialized->tablet);
		free(materialized->table);
		materialized->tablet = NULL;
		materialized->table = NULL;
		return STATUS_MEMORY_LIMIT;
	}
	*materialized->table = plan->head;
	join_words(&plan->head, materialized->tablet, plan->key, words, nulls);
	join_build(materialized->table, words, nulls, n);
	plan->head = *materialized->table;
	free(words);
	free(nulls);
	return STATUS_DONE;
}

/* Sorting */

static void
run_alone(const SortHelpers *helpers, void (*work) (void *arg, uint32_t part), void *arg)
{
	for (uint32 part = 0; part < SORT_PARTS; part++)
		work(arg, part);
}

static bool
never(void)
{
	return false;
}

/* Permute a column's rows into `order`; `room` is scratch memory for all its values and NULL flags. */
static void
reorder(ProviderMaterialized *materialized, int c, const uint32 *order, uint32 n, uint8 *room)
{
	const uint32 bytes = coltype_bytes(materialized->type[c]);
	uint32	   *nulls = (uint32 *) (room + (Size) n * sizeof(uint64));

	memset(nulls, 0, (n / 32 + 1) * sizeof(uint32));
	for (uint32 row = 0; row < n; row++)
	{
		memcpy(room + (Size) row * bytes, materialized->rows.values[c] + (Size) order[row] * bytes, bytes);
		nulls[row / 32] |= (materialized->rows.nulls[c][order[row] / 32] >> order[row] % 32 & 1) << row % 32;
	}
	memcpy(materialized->rows.values[c], room, (Size) n * bytes);
	memcpy(materialized->rows.nulls[c], nulls, (n / 32 + 1) * sizeof(uint32));
}

/*
 * Find the number of a column's NULLs, and the bounds of integers.  Sorting
 * relies on them, and what requesters say is not verified.
 */
static void
find_bounds(const ProviderMaterialized *materialized, int c, uint32 n, TabletColumn *column)
{
	const int64 *values = (const int64 *) materialized->rows.values[c];
	int64		least = PG_INT64_MAX;
	int64		largest = PG_INT64_MIN;

	column->null_count = 0;
	for (uint32 row = 0; row < n; row++)
		if (materialized->rows.nulls[c][row / 32] >> row % 32 & 1)
			column->null_count++;
		else if (materialized->type[c] == COLTYPE_I64)
		{
			least = Min(least, values[row]);
			largest = Max(largest, values[row]);
		}
	/* without values any bounds will do */
	wide_store(column->min, least <= largest ? least : 0);
	wide_store(column->max, least <= largest ? largest : 0);
}

/* Return a tablet descriptor of the rows, with what sorting needs; NULL without memory. */
static Tablet *
tablet_to_sort(const ProviderMaterialized *materialized, const MaterializedSort *sort)
{
	const MaterializedPlan plan = {.nrows = sort->nrows};
	Tablet	   *tablet = tablet_of(materialized, &plan);

	for (int c = 0; c < materialized->ncolumns && tablet != NULL; c++)
		find_bounds(materialized, c, sort->nrows, &tablet->column[c]);
	return tablet;
}

/* Allocate the requested numbers of rows; false without memory. */
static bool
take_numbers(ProviderMaterialized *materialized, const MaterializedSort *sort)
{
	bool		enough = true;

	for (int n = 0; n < MATERIALIZED_NUMBERS; n++)
		if (sort->numbers >> n & 1)
		{
			materialized->numbers[n] = malloc((Size) Max(sort->nrows, 1) * sizeof(uint64));
			enough &= materialized->numbers[n] != NULL;
		}
	return enough;
}

/* Compute the requested numbers of the sorted rows. */
static void
number_rows(ProviderMaterialized *materialized, const MaterializedSort *sort)
{
	uint64		number[MATERIALIZED_NUMBERS] = {0};

	for (uint32 row = 0; row < sort->nrows && sort->numbers != 0; row++)
	{
		const bool	begins = row == 0 || sort_compare(materialized->tablet, sort->key, sort->npartition, row - 1, row) != 0;
		const bool	peers = begins || sort_compare(materialized->tablet, sort->key, sort->nkeys, row - 1, row) != 0;

		number[MATERIALIZED_ROW_NUMBER] = begins ? 1 : number[MATERIALIZED_ROW_NUMBER] + 1;
		number[MATERIALIZED_RANK] = peers ? number[MATERIALIZED_ROW_NUMBER] : number[MATERIALIZED_RANK];
		number[MATERIALIZED_DENSE_RANK] = begins ? 1 : number[MATERIALIZED_DENSE_RANK] + peers;
		for (int n = 0; n < MATERIALIZED_NUMBERS; n++)
			if (materialized->numbers[n] != NULL)
				materialized->numbers[n][row] = number[n];
	}
}

DeviceStatus
cpu_sort_materialized(ProviderMaterialized *materialized, const MaterializedSort *sort)
{
	const uint32 n = sort->nrows;
	const uint64 bytes = sort_room_bytes(n) + (uint64) n * (sizeof(uint32) + sizeof(uint64)) + sizeof(uint64);
	const SortHelpers helpers = {.run = run_alone, .interrupted = never};
	uint32	   *order = malloc((Size) Max(n, 1) * sizeof(uint32));
	uint8	   *room = cpu_has_room(bytes) ? malloc(bytes) : NULL;
	bool		enough = n == materialized->count && n <= materialized->rows.capacity && sort->npartition <= sort->nkeys && take_numbers(materialized, sort);

	materialized->tablet = enough ? tablet_to_sort(materialized, sort) : NULL;
	enough = enough && order != NULL && room != NULL && materialized->tablet != NULL;
	if (enough)
	{
		const SortRequest request = {.rows = materialized->tablet, .keys = sort->key, .nkeys = sort->nkeys, .end = UINT32_MAX, .helpers = &helpers};

		(void) sort_rows(&request, order, room);
		for (int c = 0; c < materialized->ncolumns; c++)
			reorder(materialized, c, order, n, room);
		number_rows(materialized, sort);
	}
	free(order);
	free(room);
	return enough ? STATUS_DONE : STATUS_MEMORY_LIMIT;
}

bool
cpu_materialized_column(const ProviderMaterialized *materialized, uint32_t column, uint32_t first, uint32_t nrows, ProviderColumn *to)
{
	const bool	number = column >= MATERIALIZED_COLUMN_OF(0);

	*to = (ProviderColumn) {0};
	if ((!number && column >= materialized->ncolumns) || column >= MATERIALIZED_COLUMN_OF(MATERIALIZED_NUMBERS) ||
		(number && materialized->numbers[column - MATERIALIZED_COLUMN_OF(0)] == NULL) || materialized->tablet == NULL || first % 64 != 0 ||
		(uint64) first + nrows > materialized->tablet->nrows)
		return false;
	if (number)
	{
		to->stored.type = COLTYPE_I64;
		wide_store(to->stored.min, 1);
		wide_store(to->stored.max, materialized->tablet->nrows);
		to->values = (const uint8 *) (materialized->numbers[column - MATERIALIZED_COLUMN_OF(0)] + first);
		return true;
	}
	to->stored = materialized->tablet->column[column];
	to->stored.null_count = Min(to->stored.null_count, nrows);
	to->values = materialized->rows.values[column] + (Size) first * coltype_bytes(materialized->type[column]);
	to->nulls = to->stored.null_count > 0 ? (const uint8 *) materialized->rows.nulls[column] + first / 8 : NULL;
	return true;
}

DeviceStatus
cpu_read_materialized(ProviderMaterialized *materialized, uint32_t first, uint32_t nrows, uint8_t *into)
{
	MaterializedLayout layout;

	if ((uint64) first + nrows > materialized->rows.capacity)
		return STATUS_BAD_PROGRAM;
	materialized_layout(materialized->type, materialized->ncolumns, nrows, &layout);
	memcpy(into, materialized->rows.count, sizeof(uint32));
	for (int c = 0; c < materialized->ncolumns; c++)
	{
		const uint64 bytes = coltype_bytes(materialized->type[c]);

		memcpy(into + layout.values[c], materialized->rows.values[c] + first * bytes, nrows * bytes);
		memcpy(into + layout.nulls[c], materialized->rows.nulls[c] + first / 32, (nrows + 31) / 32 * sizeof(uint32));
	}
	return STATUS_DONE;
}

const MaterializedRows *
cpu_materialized_rows(const ProviderMaterialized *materialized)
{
	return materialized != NULL ? &materialized->rows : NULL;
}

JoinRows
cpu_materialized_table(const ProviderMaterialized *materialized)
{
	return (JoinRows) {materialized->table, materialized->tablet};
}

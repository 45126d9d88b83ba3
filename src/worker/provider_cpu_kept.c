/*
 * provider_cpu_kept.c
 *		The CPU provider: materialized rows, join tables made of them, and sorting them.
 */
#include "postgres.h"

#include <stdlib.h>

#include "core/join_build.h"
#include "core/sort_rows.h"

#include "worker/provider_cpu.h"

struct ProviderKept
{
	KeptRows	rows;
	uint32		count;
	uint16		ncolumns;
	uint8		type[PROGRAM_MAX_KEPT];
	uint64	   *numbers[KEPT_NUMBERS];	/* row number, rank and dense rank of sorted rows; NULL = not requested */
	JoinTable  *table;
	Tablet	   *tablet;			/* descriptor of the rows; its columns are those of `rows` */
};

void
cpu_close_kept(ProviderKept *kept)
{
	for (int c = 0; c < kept->ncolumns; c++)
	{
		free(kept->rows.values[c]);
		free(kept->rows.nulls[c]);
	}
	for (int n = 0; n < KEPT_NUMBERS; n++)
		free(kept->numbers[n]);
	free(kept->table);
	free(kept->tablet);
	free(kept);
}

ProviderKept *
cpu_open_kept(const ProviderJob *job, uint32_t most_rows)
{
	const Program *program = job->view.program;
	ProviderKept *kept = calloc(1, sizeof(ProviderKept));
	bool		enough = kept != NULL && cpu_has_room((uint64) most_rows * program->nkept * sizeof(uint64));

	for (int c = 0; c < program->nkept && enough; c++)
	{
		kept->type[c] = program->kept[c];
		kept->rows.values[c] = malloc((Size) Max(most_rows, 1) * sizeof(uint64));
		kept->rows.nulls[c] = calloc(most_rows / 64 + 1, sizeof(uint64));
		kept->ncolumns++;
		enough = kept->rows.values[c] != NULL && kept->rows.nulls[c] != NULL;
	}
	if (!enough)
	{
		if (kept != NULL)
			cpu_close_kept(kept);
		return NULL;
	}
	kept->rows.count = &kept->count;
	kept->rows.capacity = most_rows;
	return kept;
}

/* Return the offset of memory from a tablet's descriptor. */
static uint64
distance(const Tablet *tablet, const void *to)
{
	return (uint64) (uintptr_t) to - (uint64) (uintptr_t) tablet;
}

static Tablet *
tablet_of(const ProviderKept *kept, const KeptPlan *plan)
{
	Tablet	   *tablet = calloc(1, sizeof(Tablet) + kept->ncolumns * sizeof(TabletColumn));

	if (tablet == NULL)
		return NULL;
	tablet->nrows = plan->nrows;
	tablet->ncols = kept->ncolumns;
	for (int c = 0; c < kept->ncolumns; c++)
	{
		tablet->column[c].type = kept->type[c];
		tablet->column[c].null_count = plan->null_count[c];
		tablet->column[c].values = distance(tablet, kept->rows.values[c]);
		tablet->column[c].nulls = distance(tablet, kept->rows.nulls[c]);
	}
	return tablet;
}

DeviceStatus
cpu_index_kept(ProviderKept *kept, KeptPlan *plan)
{
	const uint32 n = plan->nrows;
	const uint64 rows_bytes = (uint64) n * kept->ncolumns * sizeof(uint64);
	const uint64 bytes = join_table_bytes(&plan->head, n);
	uint64	   *words = malloc(sizeof(uint64) * Max(n, 1));
	uint8	   *nulls = malloc(Max(n, 1));

	kept->tablet = tablet_of(kept, plan);
	if (!cpu_has_room(bytes + rows_bytes) || posix_memalign((void **) &kept->table, 64, bytes) != 0)
		kept->table = NULL;
	if (words == NULL || nulls == NULL || kept->tablet == NULL || kept->table == NULL || n != kept->count || n > kept->rows.capacity)
	{
		free(words);
		free(nulls);
		return STATUS_MEMORY_LIMIT;
	}
	*kept->table = plan->head;
	join_words(&plan->head, kept->tablet, plan->key, words, nulls);
	join_build(kept->table, words, nulls, n);
	plan->head = *kept->table;
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
reorder(ProviderKept *kept, int c, const uint32 *order, uint32 n, uint8 *room)
{
	const uint32 bytes = coltype_bytes(kept->type[c]);
	uint32	   *nulls = (uint32 *) (room + (Size) n * sizeof(uint64));

	memset(nulls, 0, (n / 32 + 1) * sizeof(uint32));
	for (uint32 row = 0; row < n; row++)
	{
		memcpy(room + (Size) row * bytes, kept->rows.values[c] + (Size) order[row] * bytes, bytes);
		nulls[row / 32] |= (kept->rows.nulls[c][order[row] / 32] >> order[row] % 32 & 1) << row % 32;
	}
	memcpy(kept->rows.values[c], room, (Size) n * bytes);
	memcpy(kept->rows.nulls[c], nulls, (n / 32 + 1) * sizeof(uint32));
}

/*
 * Find the number of a column's NULLs, and the bounds of integers.  Sorting
 * relies on them, and what requesters say is not verified.
 */
static void
find_bounds(const ProviderKept *kept, int c, uint32 n, TabletColumn *column)
{
	const int64 *values = (const int64 *) kept->rows.values[c];
	int64		least = PG_INT64_MAX;
	int64		largest = PG_INT64_MIN;

	column->null_count = 0;
	for (uint32 row = 0; row < n; row++)
		if (kept->rows.nulls[c][row / 32] >> row % 32 & 1)
			column->null_count++;
		else if (kept->type[c] == COLTYPE_I64)
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
tablet_to_sort(const ProviderKept *kept, const KeptSort *sort)
{
	const KeptPlan plan = {.nrows = sort->nrows};
	Tablet	   *tablet = tablet_of(kept, &plan);

	for (int c = 0; c < kept->ncolumns && tablet != NULL; c++)
		find_bounds(kept, c, sort->nrows, &tablet->column[c]);
	return tablet;
}

/* Allocate the requested numbers of rows; false without memory. */
static bool
take_numbers(ProviderKept *kept, const KeptSort *sort)
{
	bool		enough = true;

	for (int n = 0; n < KEPT_NUMBERS; n++)
		if (sort->numbers >> n & 1)
		{
			kept->numbers[n] = malloc((Size) Max(sort->nrows, 1) * sizeof(uint64));
			enough &= kept->numbers[n] != NULL;
		}
	return enough;
}

/* Compute the requested numbers of the sorted rows. */
static void
number_rows(ProviderKept *kept, const KeptSort *sort)
{
	uint64		number[KEPT_NUMBERS] = {0};

	for (uint32 row = 0; row < sort->nrows && sort->numbers != 0; row++)
	{
		const bool	begins = row == 0 || sort_compare(kept->tablet, sort->key, sort->npartition, row - 1, row) != 0;
		const bool	peers = begins || sort_compare(kept->tablet, sort->key, sort->nkeys, row - 1, row) != 0;

		number[KEPT_ROW_NUMBER] = begins ? 1 : number[KEPT_ROW_NUMBER] + 1;
		number[KEPT_RANK] = peers ? number[KEPT_ROW_NUMBER] : number[KEPT_RANK];
		number[KEPT_DENSE_RANK] = begins ? 1 : number[KEPT_DENSE_RANK] + peers;
		for (int n = 0; n < KEPT_NUMBERS; n++)
			if (kept->numbers[n] != NULL)
				kept->numbers[n][row] = number[n];
	}
}

DeviceStatus
cpu_sort_kept(ProviderKept *kept, const KeptSort *sort)
{
	const uint32 n = sort->nrows;
	const uint64 bytes = sort_room_bytes(n) + (uint64) n * (sizeof(uint32) + sizeof(uint64)) + sizeof(uint64);
	const SortHelpers helpers = {.run = run_alone, .interrupted = never};
	uint32	   *order = malloc((Size) Max(n, 1) * sizeof(uint32));
	uint8	   *room = cpu_has_room(bytes) ? malloc(bytes) : NULL;
	bool		enough = n == kept->count && n <= kept->rows.capacity && sort->npartition <= sort->nkeys && take_numbers(kept, sort);

	kept->tablet = enough ? tablet_to_sort(kept, sort) : NULL;
	enough = enough && order != NULL && room != NULL && kept->tablet != NULL;
	if (enough)
	{
		const SortRequest request = {.rows = kept->tablet, .keys = sort->key, .nkeys = sort->nkeys, .end = UINT32_MAX, .helpers = &helpers};

		(void) sort_rows(&request, order, room);
		for (int c = 0; c < kept->ncolumns; c++)
			reorder(kept, c, order, n, room);
		number_rows(kept, sort);
	}
	free(order);
	free(room);
	return enough ? STATUS_DONE : STATUS_MEMORY_LIMIT;
}

bool
cpu_kept_column(const ProviderKept *kept, uint32_t column, uint32_t first, uint32_t nrows, ProviderColumn *to)
{
	const bool	number = column >= KEPT_COLUMN_OF(0);

	*to = (ProviderColumn) {0};
	if ((!number && column >= kept->ncolumns) || column >= KEPT_COLUMN_OF(KEPT_NUMBERS) ||
		(number && kept->numbers[column - KEPT_COLUMN_OF(0)] == NULL) || kept->tablet == NULL || first % 64 != 0 ||
		(uint64) first + nrows > kept->tablet->nrows)
		return false;
	if (number)
	{
		to->stored.type = COLTYPE_I64;
		wide_store(to->stored.min, 1);
		wide_store(to->stored.max, kept->tablet->nrows);
		to->values = (const uint8 *) (kept->numbers[column - KEPT_COLUMN_OF(0)] + first);
		return true;
	}
	to->stored = kept->tablet->column[column];
	to->stored.null_count = Min(to->stored.null_count, nrows);
	to->values = kept->rows.values[column] + (Size) first * coltype_bytes(kept->type[column]);
	to->nulls = to->stored.null_count > 0 ? (const uint8 *) kept->rows.nulls[column] + first / 8 : NULL;
	return true;
}

DeviceStatus
cpu_read_kept(ProviderKept *kept, uint32_t first, uint32_t nrows, uint8_t *into)
{
	KeptLayout	layout;

	if ((uint64) first + nrows > kept->rows.capacity)
		return STATUS_BAD_PROGRAM;
	kept_layout(kept->type, kept->ncolumns, nrows, &layout);
	memcpy(into, kept->rows.count, sizeof(uint32));
	for (int c = 0; c < kept->ncolumns; c++)
	{
		const uint64 bytes = coltype_bytes(kept->type[c]);

		memcpy(into + layout.values[c], kept->rows.values[c] + first * bytes, nrows * bytes);
		memcpy(into + layout.nulls[c], kept->rows.nulls[c] + first / 32, (nrows + 31) / 32 * sizeof(uint32));
	}
	return STATUS_DONE;
}

const KeptRows *
cpu_kept_rows(const ProviderKept *kept)
{
	return kept != NULL ? &kept->rows : NULL;
}

JoinRows
cpu_kept_table(const ProviderKept *kept)
{
	return (JoinRows) {kept->table, kept->tablet};
}

/*
 * materialized_sort.cu
 *		Sorting of materialized rows in device memory.
 *
 * Columns that are restored from the sort words stay in place; the others are
 * moved to another block.  All launches are on one stream, and their end is
 * polled for, as for join tables.
 */
#include <string.h>

#include "host/materialized_private.h"
#include "host/pool.h"
#include "kernels/sort_launch.h"

/* Compute the bounds of a column's values. */
static void
bounds_of(const ProviderMaterialized *materialized, const MaterializedSort *sort, uint32_t c, Wide *least, Wide *most)
{
	*least = materialized->type[c] == COLTYPE_F64 ? INT64_MIN : materialized->type[c] == COLTYPE_BOOL ? 0 : sort->least[c];
	*most = materialized->type[c] == COLTYPE_F64 ? INT64_MAX : materialized->type[c] == COLTYPE_BOOL ? 1 : sort->largest[c];
}

/* Describe the sort for the launch; return false if it is not valid. */
static bool
describe(const ProviderMaterialized *materialized, const MaterializedSort *sort, SortLaunch *launch)
{
	if (sort->nrows > materialized->rows.capacity || sort->nkeys > SORT_MOST_KEYS || sort->npartition > sort->nkeys)
		return false;
	launch->nrows = sort->nrows;
	launch->nkeys = sort->nkeys;
	launch->npartition = sort->npartition;
	launch->ncolumns = materialized->ncolumns;
	for (uint32_t c = 0; c < materialized->ncolumns; c++)
		launch->from[c] = launch->to[c] = {materialized->rows.values[c], sort->null_count[c] > 0 ? materialized->rows.nulls[c] : NULL, materialized->type[c]};
	for (uint32_t k = 0; k < sort->nkeys; k++)
	{
		const uint16_t c = sort->key[k].column;
		Wide		least;
		Wide		most;

		if (c >= materialized->ncolumns)
			return false;
		launch->key_column[k] = c;
		bounds_of(materialized, sort, c, &least, &most);
		sort_add_key(&launch->parts, k, &sort->key[k], sort->null_count[c] > 0, least, most);
	}
	sort_place_parts(&launch->parts);
	return true;
}

/* Place the columns that move, and the numbers, in a block; return its size. */
static uint64_t
lay_out(const MaterializedSort *sort, uint8_t *block, SortLaunch *launch)
{
	const uint64_t bitmap = tablet_align(tablet_bitmap_bytes(sort->nrows));
	uint64_t	at = 0;

	for (uint32_t c = 0; c < launch->ncolumns && launch->parts.nwords > 0; c++)
		if (sort_part_of_column(launch, c) < 0)
		{
			launch->to[c].values = block + at;
			at += tablet_align((uint64_t) sort->nrows * coltype_bytes((ColType) launch->from[c].type));
			if (launch->from[c].nulls == NULL)
				continue;
			launch->to[c].nulls = (uint32_t *) (block + at);
			at += bitmap;
		}
	for (int n = 0; n < MATERIALIZED_NUMBERS; n++)
		if (sort->numbers >> n & 1)
		{
			launch->numbers[n] = (uint64_t *) (block + at);
			at += tablet_align((uint64_t) sort->nrows * sizeof(uint64_t));
		}
	return at + 64;
}

static DeviceStatus
start(ProviderMaterialized *materialized, const MaterializedSort *sort)
{
	SortLaunch	launch = {};
	uint64_t	bytes;

	if (!describe(materialized, sort, &launch))
		return STATUS_BAD_PROGRAM;
	materialized->sorted = materialized_take(lay_out(sort, NULL, &launch));
	if (materialized->sorted == NULL)
		return STATUS_MEMORY_LIMIT;
	(void) lay_out(sort, materialized->sorted, &launch);
	bytes = sort_scratch_bytes(&launch);
	launch.scratch = materialized->scratch = bytes > 0 ? materialized_take(bytes) : NULL;
	if (materialized->scratch == NULL)
		return STATUS_MEMORY_LIMIT;
	materialized->sort = *sort;
	materialized->sorting = true;
	if (sort_launch(&launch, materialized_stream) != cudaSuccess || CUDA_CALL(cudaEventRecord(materialized->made, materialized_stream)) != cudaSuccess)
		return STATUS_DEVICE_DOWN;
	for (uint32_t c = 0; c < materialized->ncolumns; c++)
	{
		materialized->rows.values[c] = launch.to[c].values;
		if (launch.to[c].nulls != NULL)
			materialized->rows.nulls[c] = launch.to[c].nulls;
	}
	memcpy(materialized->numbers, launch.numbers, sizeof(materialized->numbers));
	return STATUS_TIME_SLICE;
}

DeviceStatus
materialized_sort(ProviderMaterialized *materialized, const MaterializedSort *sort)
{
	cudaError_t error;

	/* rows can be sorted only once */
	if (!materialized->sorting)
		return materialized->indexing || materialized->sorted != NULL ? STATUS_BAD_PROGRAM : start(materialized, sort);
	error = CUDA_CALL(cudaEventQuery(materialized->made));
	if (error == cudaErrorNotReady)
		return STATUS_TIME_SLICE;
	pool_give(materialized->scratch);
	materialized->scratch = NULL;
	return error == cudaSuccess ? STATUS_DONE : STATUS_DEVICE_DOWN;
}

bool
materialized_column(const ProviderMaterialized *materialized, uint32_t column, uint32_t first, uint32_t nrows, ProviderColumn *to)
{
	const bool	number = column >= MATERIALIZED_COLUMN_OF(0);
	const MaterializedSort *sort = &materialized->sort;

	memset(to, 0, sizeof(*to));
	if ((!number && column >= materialized->ncolumns) || column >= MATERIALIZED_COLUMN_OF(MATERIALIZED_NUMBERS) ||
		(number && materialized->numbers[column - MATERIALIZED_COLUMN_OF(0)] == NULL) || first % 64 != 0 || (uint64_t) first + nrows > sort->nrows)
		return false;
	to->stored.type = number ? COLTYPE_I64 : materialized->type[column];
	to->stored.null_count = number ? 0 : sort->null_count[column] < nrows ? sort->null_count[column] : nrows;
	wide_store(to->stored.min, number ? 1 : sort->least[column]);
	wide_store(to->stored.max, number ? (Wide) sort->nrows : sort->largest[column]);
	to->values = number ? (const uint8_t *) (materialized->numbers[column - MATERIALIZED_COLUMN_OF(0)] + first)
		: materialized->rows.values[column] + (uint64_t) first * coltype_bytes((ColType) materialized->type[column]);
	to->nulls = to->stored.null_count > 0 ? (const uint8_t *) materialized->rows.nulls[column] + first / 8 : NULL;
	return true;
}

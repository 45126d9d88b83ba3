/*
 * kept_sort.cu
 *		Sorting of materialized rows in device memory.
 *
 * Columns that are restored from the sort words stay in place; the others are
 * moved to another block.  All launches are on one stream, and their end is
 * polled for, as for join tables.
 */
#include <string.h>

#include "kept_private.h"
#include "pool.h"
#include "sort_launch.h"

/* Compute the bounds of a column's values. */
static void
bounds_of(const ProviderKept *kept, const KeptSort *sort, uint32_t c, Wide *least, Wide *most)
{
	*least = kept->type[c] == COLTYPE_F64 ? INT64_MIN : kept->type[c] == COLTYPE_BOOL ? 0 : sort->least[c];
	*most = kept->type[c] == COLTYPE_F64 ? INT64_MAX : kept->type[c] == COLTYPE_BOOL ? 1 : sort->largest[c];
}

/* Describe the sort for the launch; return false if it is not valid. */
static bool
describe(const ProviderKept *kept, const KeptSort *sort, SortLaunch *launch)
{
	if (sort->nrows > kept->rows.capacity || sort->nkeys > SORT_MOST_KEYS || sort->npartition > sort->nkeys)
		return false;
	launch->nrows = sort->nrows;
	launch->nkeys = sort->nkeys;
	launch->npartition = sort->npartition;
	launch->ncolumns = kept->ncolumns;
	for (uint32_t c = 0; c < kept->ncolumns; c++)
		launch->from[c] = launch->to[c] = {kept->rows.values[c], sort->null_count[c] > 0 ? kept->rows.nulls[c] : NULL, kept->type[c]};
	for (uint32_t k = 0; k < sort->nkeys; k++)
	{
		const uint16_t c = sort->key[k].column;
		Wide		least;
		Wide		most;

		if (c >= kept->ncolumns)
			return false;
		launch->key_column[k] = c;
		bounds_of(kept, sort, c, &least, &most);
		sort_add_key(&launch->parts, k, &sort->key[k], sort->null_count[c] > 0, least, most);
	}
	sort_place_parts(&launch->parts);
	return true;
}

/* Place the columns that move, and the numbers, in a block; return its size. */
static uint64_t
lay_out(const KeptSort *sort, uint8_t *block, SortLaunch *launch)
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
	for (int n = 0; n < KEPT_NUMBERS; n++)
		if (sort->numbers >> n & 1)
		{
			launch->numbers[n] = (uint64_t *) (block + at);
			at += tablet_align((uint64_t) sort->nrows * sizeof(uint64_t));
		}
	return at + 64;
}

static DeviceStatus
start(ProviderKept *kept, const KeptSort *sort)
{
	SortLaunch	launch = {};
	uint64_t	bytes;

	if (!describe(kept, sort, &launch))
		return STATUS_BAD_PROGRAM;
	kept->sorted = kept_take(lay_out(sort, NULL, &launch));
	if (kept->sorted == NULL)
		return STATUS_MEMORY_LIMIT;
	(void) lay_out(sort, kept->sorted, &launch);
	bytes = sort_scratch_bytes(&launch);
	launch.scratch = kept->scratch = bytes > 0 ? kept_take(bytes) : NULL;
	if (kept->scratch == NULL)
		return STATUS_MEMORY_LIMIT;
	kept->sort = *sort;
	kept->sorting = true;
	if (sort_launch(&launch, kept_stream) != cudaSuccess || CUDA_CALL(cudaEventRecord(kept->made, kept_stream)) != cudaSuccess)
		return STATUS_DEVICE_DOWN;
	for (uint32_t c = 0; c < kept->ncolumns; c++)
	{
		kept->rows.values[c] = launch.to[c].values;
		if (launch.to[c].nulls != NULL)
			kept->rows.nulls[c] = launch.to[c].nulls;
	}
	memcpy(kept->numbers, launch.numbers, sizeof(kept->numbers));
	return STATUS_TIME_SLICE;
}

DeviceStatus
kept_sort(ProviderKept *kept, const KeptSort *sort)
{
	cudaError_t error;

	/* rows can be sorted only once */
	if (!kept->sorting)
		return kept->indexing || kept->sorted != NULL ? STATUS_BAD_PROGRAM : start(kept, sort);
	error = CUDA_CALL(cudaEventQuery(kept->made));
	if (error == cudaErrorNotReady)
		return STATUS_TIME_SLICE;
	pool_give(kept->scratch);
	kept->scratch = NULL;
	return error == cudaSuccess ? STATUS_DONE : STATUS_DEVICE_DOWN;
}

bool
kept_column(const ProviderKept *kept, uint32_t column, uint32_t first, uint32_t nrows, ProviderColumn *to)
{
	const bool	number = column >= KEPT_COLUMN_OF(0);
	const KeptSort *sort = &kept->sort;

	memset(to, 0, sizeof(*to));
	if ((!number && column >= kept->ncolumns) || column >= KEPT_COLUMN_OF(KEPT_NUMBERS) ||
		(number && kept->numbers[column - KEPT_COLUMN_OF(0)] == NULL) || first % 64 != 0 || (uint64_t) first + nrows > sort->nrows)
		return false;
	to->stored.type = number ? COLTYPE_I64 : kept->type[column];
	to->stored.null_count = number ? 0 : sort->null_count[column] < nrows ? sort->null_count[column] : nrows;
	wide_store(to->stored.min, number ? 1 : sort->least[column]);
	wide_store(to->stored.max, number ? (Wide) sort->nrows : sort->largest[column]);
	to->values = number ? (const uint8_t *) (kept->numbers[column - KEPT_COLUMN_OF(0)] + first)
		: kept->rows.values[column] + (uint64_t) first * coltype_bytes((ColType) kept->type[column]);
	to->nulls = to->stored.null_count > 0 ? (const uint8_t *) kept->rows.nulls[column] + first / 8 : NULL;
	return true;
}

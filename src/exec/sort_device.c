/*
 * sort_device.c
 *		Rows that a GPU puts in order, to be fetched, or to be those that another run goes over.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "device/device.h"
#include "exec/kept_rows.h"
#include "exec/scan_collect.h"
#include "exec/sort_device.h"
#include "guc.h"

/* With fewer rows starting a job and fetching them takes longer than sorting them here: by measurement, some milliseconds. */
#define LEAST_ROWS	1000000

bool
sort_device_may(const PlanState *ps)
{
	return (is_collectable_scan(ps) || is_collectable_join(ps)) && device_gpu_missing() == NULL &&
		(gpudb_device == DEVICE_GPU || (gpudb_device == DEVICE_AUTO && ps->plan->plan_rows >= LEAST_ROWS));
}

const char *
sort_device_text(bool on_gpu)
{
	if (on_gpu)
		return "gpu";
	return gpudb_device == DEVICE_GPU && device_gpu_missing() == NULL ? "cpu (a GPU cannot run this program)" : "cpu";
}

/* Put integers down in fewer bits. */
#define PUT(type) \
	do { \
		for (uint32 row = 0; row < n; row++) \
			((type *) room)[row] = (type) ((const int64 *) values)[row]; \
	} while (0)

/* Put rows of a column into a store. */
static void
put_column(RowStore *store, int c, const uint8 *values, const uint8 *bitmap, uint32 n)
{
	uint8	   *room = palloc_extended((Size) n * sizeof(uint64) + n, MCXT_ALLOC_HUGE);
	uint8	   *nulls = room + (Size) n * sizeof(uint64);
	const uint8 *from = room;

	for (uint32 row = 0; row < n; row++)
		nulls[row] = bitmap[row / 8] >> row % 8 & 1;
	switch (row_store_type(store, c))
	{
		case COLTYPE_U8:
			PUT(uint8);
			break;
		case COLTYPE_I16:
			PUT(int16);
			break;
		case COLTYPE_I32:
		case COLTYPE_U32:
			PUT(uint32);
			break;
		case COLTYPE_F32:
			for (uint32 row = 0; row < n; row++)
				((float *) room)[row] = (float) ((const double *) values)[row];
			break;
		default:
			from = values;
			break;
	}
	row_store_copy(store, c, from, nulls, n);
	pfree(room);
}

/* Fetch the rows that are wanted. */
static bool
fetch(const GpuNode *node, const DeviceSort *sort)
{
	const uint32 end = Min(sort->end, sort->nrows);
	KeptPart	part;

	for (uint32 first = sort->first; first < end; first += part.nrows)
	{
		const bool	fetched = node->device->fetch(node->feed.job, first, end - first, &part);

		CHECK_FOR_INTERRUPTS();
		/* a batch that had to begin again has kept its rows twice */
		if (!fetched || part.total != sort->nrows || !row_store_reserve(sort->store, part.nrows))
			return false;
		for (int c = 0; c < sort->ncolumns; c++)
			put_column(sort->store, c, part.values[c], part.nulls[c], part.nrows);
		row_store_count(sort->store, part.nrows);
	}
	return true;
}

/* Give rows back with the context that they were to last as long as. */
typedef struct Held
{
	const Device *device;
	KeptTable  *rows;
	MemoryContextCallback callback;
} Held;

static void
drop_rows(void *arg)
{
	Held	   *held = arg;

	held->device->drop(held->rows);
}

/* Have them stay. */
static bool
hold(const GpuNode *node, DeviceSort *sort)
{
	Held	   *held = MemoryContextAllocZero(sort->context, sizeof(Held));

	held->device = node->device;
	held->rows = node->device->hold(node->feed.job, &sort->shared);
	if (held->rows == NULL)
		return false;
	held->callback = (MemoryContextCallback) {.func = drop_rows, .arg = held};
	MemoryContextRegisterResetCallback(sort->context, &held->callback);
	return true;
}

/* All rows are kept: sort them. */
static bool
take(GpuNode *node, const GroupTable *groups, void *arg)
{
	DeviceSort *sort = arg;
	KeptSort	wanted = {.nkeys = sort->nkeys, .npartition = sort->npartition, .numbers = sort->numbers};
	const Tablet *rows = kept_rows_describe(&node->compiled, groups, wanted.null_count);

	sort->nrows = wanted.nrows = rows->nrows;
	/* nothing to do, and nothing that a run could go over */
	if (rows->nrows == 0)
		return sort->store != NULL;
	memcpy(wanted.key, sort->key, sizeof(SortKey) * sort->nkeys);
	for (int c = 0; c < sort->ncolumns; c++)
	{
		wanted.least[c] = (int64) wide_load(rows->column[c].min);
		wanted.largest[c] = (int64) wide_load(rows->column[c].max);
	}
	return node->device->sort(node->feed.job, &wanted) && (sort->store != NULL ? fetch(node, sort) : hold(node, sort));
}

bool
sort_device_run(PlanState *ps, DeviceSort *sort)
{
	JoinUse	   *keep;

	if (sort->ncolumns > JOIN_MAX_COLUMNS || sort->nkeys > SORT_MOST_KEYS)
		return false;
	keep = palloc0(sizeof(JoinUse));
	keep->ncolumns = sort->ncolumns;
	memcpy(keep->column, sort->column, sizeof(ColumnUse) * sort->ncolumns);
	return kept_rows_run(ps, keep, take, sort);
}

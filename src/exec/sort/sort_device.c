/*
 * sort_device.c
 *		Sorting on a GPU: rows that are fetched in order, or stay on the device as the source of another run.
 *
 * The plan runs on the GPU and its rows are materialized there (materialized_rows.c).
 * When all rows are there they are sorted, and then either fetched into a store
 * part by part, or held on the device until a memory context ends.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "core/sort/sort_rows.h"
#include "core/tablet/deform.h"
#include "device/device.h"
#include "device/threads.h"
#include "exec/run/collect.h"
#include "exec/run/materialized_rows.h"
#include "exec/sort/sort_device.h"
#include "guc.h"

/*
 * Number of rows below which starting a job and fetching rows takes longer than sorting on the
 * host: some ms, as measured.
 */
#define LEAST_ROWS	1000000

bool
sort_device_may(const PlanState *ps)
{
	return plan_is_collectable(ps) && device_gpu_missing() == NULL &&
		(gpudb_device == DEVICE_GPU || (gpudb_device == DEVICE_AUTO && ps->plan->plan_rows >= LEAST_ROWS));
}

bool
sort_device_is_secret(const PlanState *ps)
{
	return plan_is_collectable(ps) && ((const GpuNode *) ps)->secret;
}

const char *
sort_device_text(bool on_gpu)
{
	if (on_gpu)
		return "gpu";
	return gpudb_device == DEVICE_GPU && device_gpu_missing() == NULL ? "cpu (a GPU cannot run this program)" : "cpu";
}

/* A part of the rows fetched, to be appended to the store's rows. */
typedef struct Putting
{
	const DeviceSort *sort;
	const MaterializedPart *part;
	Tablet	   *tablet;			/* tablet of the store */
	uint32		behind;
} Putting;

/* Store values in fewer bits. */
#define PUT(to, from) \
	do { \
		for (uint32 row = first; row < end; row++) \
			((to *) values)[row] = (to) ((const from *) fetched)[row]; \
	} while (0)

/* Store rows `first` to end - 1 of the part in a column; integers and floats are fetched as 8-byte values. */
static void
put_column(const Putting *putting, int c, uint32 first, uint32 end)
{
	const TabletColumn *column = &putting->tablet->column[c];
	const uint32 bytes = coltype_bytes((ColType) column->type);
	const uint8 *fetched = putting->part->values[c];
	uint8	   *values = tablet_at(putting->tablet, column->values) + (Size) putting->behind * bytes;

	switch ((ColType) column->type)
	{
		case COLTYPE_U8:
			PUT(uint8, int64);
			break;
		case COLTYPE_I16:
			PUT(int16, int64);
			break;
		case COLTYPE_I32:
		case COLTYPE_U32:
			PUT(uint32, int64);
			break;
		case COLTYPE_F32:
			PUT(float, double);
			break;
		default:
			memcpy(values + (Size) first * bytes, fetched + (Size) first * bytes, (Size) (end - first) * bytes);
			break;
	}
}

static void
put_part(void *arg, uint32 part)
{
	const Putting *putting = arg;
	const uint32 nrows = putting->part->nrows;

	for (int c = 0; c < putting->sort->ncolumns; c++)
		put_column(putting, c, threads_part_start(nrows, SORT_PARTS, part), threads_part_start(nrows, SORT_PARTS, part + 1));
}

static void
put_nulls(const Putting *putting)
{
	for (int c = 0; c < putting->sort->ncolumns; c++)
		for (uint32 row = 0; row < putting->part->nrows; row++)
		{
			const uint8 bits = putting->part->nulls[c][row / 8];

			if (bits == 0)
				row |= 7;
			else if (bits >> row % 8 & 1)
				deform_set_null(putting->tablet, &putting->tablet->column[c], putting->behind + row);
		}
}

/* Fetch the rows wanted and append them to the store. */
static bool
fetch(const GpuNode *node, const DeviceSort *sort)
{
	const uint32 end = Min(sort->end, sort->nrows);
	MaterializedPart part;

	for (uint32 first = sort->first; first < end; first += part.nrows)
	{
		const bool	fetched = node->device->fetch(node->feed.job, first, end - first, &part);
		Putting		putting = {.sort = sort, .part = &part, .behind = (uint32) row_store_added(sort->store)};

		CHECK_FOR_INTERRUPTS();
		/* a batch that had to be restarted has materialized its rows twice */
		if (!fetched || part.total != sort->nrows || !row_store_reserve(sort->store, part.nrows))
			return false;
		putting.tablet = row_store_tablet(sort->store);
		threads_run_parts(part.nrows, SORT_PARTS, put_part, &putting);
		put_nulls(&putting);
		row_store_count(sort->store, part.nrows);
	}
	return true;
}

/* Rows held on a device, dropped by a memory-context callback. */
typedef struct Held
{
	const Device *device;
	MaterializedTable *rows;
	MemoryContextCallback callback;
} Held;

static void
drop_rows(void *arg)
{
	Held	   *held = arg;

	held->device->drop(held->rows);
}

/* Hold the sorted rows on the device until sort->context is reset. */
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

/* Sort the rows, all of which are materialized, and fetch or hold them. */
static bool
take(GpuNode *node, const GroupTable *groups, void *arg)
{
	DeviceSort *sort = arg;
	MaterializedSort wanted = {.nkeys = sort->nkeys, .npartition = sort->npartition, .numbers = sort->numbers};
	const Tablet *rows = materialized_rows_describe(&node->compiled, groups, wanted.null_count);

	sort->nrows = wanted.nrows = rows->nrows;
	/* no rows: nothing to fetch, and nothing that a run could read */
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
	return node_methods(ps)->materialize(ps, keep, take, sort);
}

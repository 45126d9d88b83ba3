/*
 * sort_device.h
 *		Sorting on a GPU: rows that are fetched in order, or stay on the device as the source of another run.
 */
#ifndef GPUDB_EXEC_SORT_SORT_DEVICE_H
#define GPUDB_EXEC_SORT_SORT_DEVICE_H

#include "postgres.h"

#include "nodes/execnodes.h"

#include "compile/compile.h"
#include "core/device_api.h"
#include "tablet/read/row_store.h"

typedef struct DeviceSort
{
	/* columns of the plan's rows that are materialized, and the keys by which they are sorted */
	int			ncolumns;
	const ColumnUse *column;
	uint32		nkeys;
	const SortKey *key;
	uint32		npartition;		/* number of leading keys that are PARTITION BY columns */
	uint32		numbers;		/* row numbers to be computed for rows that stay: a bit for each MaterializedNumber */

	/* rows that are fetched: first is a multiple of 64; the store has the columns above */
	RowStore   *store;			/* NULL = the rows stay on the device */
	uint32		first;
	uint32		end;

	/* results */
	uint32		nrows;			/* number of rows of the plan */
	SharedTable shared;			/* place of rows that stay */
	MemoryContext context;		/* rows that stay are dropped with this context */
} DeviceSort;

/*
 * Return true if a GPU should try to sort the rows of a plan that has not begun:
 * the device can materialize them, and they are numerous enough.
 */
extern bool sort_device_may(const PlanState *ps);

/* Return the device, and the reason if it is not the one asked for, for EXPLAIN. */
extern const char *sort_device_text(bool on_gpu);

/*
 * Return true if EXPLAIN may show only the device that was planned, since rows
 * may be hidden from the user and the device that sorted depends on their values.
 */
extern bool sort_device_is_secret(const PlanState *ps);

/* Run the plan and sort its rows on the GPU; return false if that failed, and fetched rows are to be ignored. */
extern bool sort_device_run(PlanState *ps, DeviceSort *sort);

#endif							/* GPUDB_EXEC_SORT_SORT_DEVICE_H */

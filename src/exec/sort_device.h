/*
 * sort_device.h
 *		Rows that a GPU puts in order, to be fetched, or to be those that another run goes over.
 */
#ifndef GPUDB_EXEC_SORT_DEVICE_H
#define GPUDB_EXEC_SORT_DEVICE_H

#include "postgres.h"

#include "nodes/execnodes.h"

#include "compile/compile.h"
#include "core/device_api.h"
#include "tablet/row_store.h"

typedef struct DeviceSort
{
	/* what is kept of the plan's rows, and by which of it they are sorted */
	int			ncolumns;
	const ColumnUse *column;
	uint32		nkeys;
	const SortKey *key;
	uint32		npartition;		/* of these, those that tell partitions apart, */
	uint32		numbers;		/* where rows that stay are to have numbers: KeptNumbers, a bit each */

	/* the rows that are fetched, from this one on, a multiple of 64; the columns of the store are those */
	RowStore   *store;			/* NULL = they stay */
	uint32		first;
	uint32		end;

	/* what has come of it */
	uint32		nrows;			/* all that there are */
	SharedTable shared;			/* where they stay, */
	MemoryContext context;		/* and how long */
} DeviceSort;

/* Whether a GPU is to try, before a plan has begun: it is one whose rows it can keep, and they are not too few. */
extern bool sort_device_may(const PlanState *ps);

/* For EXPLAIN: the device, and why it is not the one asked for. */
extern const char *sort_device_text(bool on_gpu);

/* Whether it may only tell which device it was to be, since rows may be hidden from the user: what has become of that goes by their values. */
extern bool sort_device_is_secret(const PlanState *ps);

/* Run the plan there and sort; false if that could not be, and nothing has been fetched that counts. */
extern bool sort_device_run(PlanState *ps, DeviceSort *sort);

#endif							/* GPUDB_EXEC_SORT_DEVICE_H */

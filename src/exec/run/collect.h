/*
 * collect.h
 *		Collecting the rows of any plan as columns.
 */
#ifndef GPUDB_EXEC_RUN_COLLECT_H
#define GPUDB_EXEC_RUN_COLLECT_H

#include "postgres.h"

#include "exec/run/node.h"
#include "tablet/read/row_store.h"

/* Return true if a plan's target list consists of plain columns. */
extern bool plan_gives_columns(const Plan *plan);

/* Return true if a plan is a GpuScan or GpuJoin whose rows can be collected as columns, or materialized on the GPU. */
extern bool plan_is_collectable(const PlanState *ps);

/*
 * plan_collect() collects the rows of any plan in a store with the given
 * columns, as columns where that is possible, else row by row;
 * plan_collect_rows() always collects row by row.  Both return DONE, or the
 * reason why the store or the device could not have the rows.
 */
extern DeviceStatus plan_collect(PlanState *ps, RowStore *store, const ColumnUse *columns, int ncolumns);
extern DeviceStatus plan_collect_rows(PlanState *ps, RowStore *store);

#endif							/* GPUDB_EXEC_RUN_COLLECT_H */

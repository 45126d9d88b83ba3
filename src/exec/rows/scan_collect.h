/*
 * scan_collect.h
 *		Collecting the rows of a GpuScan or GpuJoin as columns, without forming tuples.
 */
#ifndef GPUDB_EXEC_ROWS_SCAN_COLLECT_H
#define GPUDB_EXEC_ROWS_SCAN_COLLECT_H

#include "postgres.h"

#include "compile/compile.h"
#include "exec/rows/joined_rows.h"
#include "nodes/execnodes.h"
#include "tablet/read/row_store.h"

/* Return true if a plan's target list consists of plain columns. */
extern bool plan_gives_columns(const Plan *plan);

/* Return true if a plan is a GpuScan whose rows can be collected as columns. */
extern bool is_collectable_scan(const PlanState *ps);

/*
 * Collect all rows of a GpuScan that has not begun in a store with the given
 * columns of the node's result.  Return DONE, or the reason why the device could
 * not determine the rows; an error that a filter raises has not been raised
 * then.
 */
extern DeviceStatus scan_collect(PlanState *ps, RowStore *store, const ColumnUse *columns, int ncolumns);

/*
 * Return true if a plan is a GpuJoin whose rows can be collected as columns; join_collect() does
 * so like scan_collect().
 */
extern bool is_collectable_join(const PlanState *ps);
extern DeviceStatus join_collect(PlanState *ps, RowStore *store, const ColumnUse *columns, int ncolumns);

/*
 * plan_collect() collects the rows of any plan, as columns where that is
 * possible, else row by row; plan_collect_rows() always collects row by row.
 */
extern DeviceStatus plan_collect(PlanState *ps, RowStore *store, const ColumnUse *columns, int ncolumns);
extern DeviceStatus plan_collect_rows(PlanState *ps, RowStore *store);

/*
 * Append joined rows to a store with the given columns.  Attribute a of the
 * store's rows is output number wanted[a - 1] of the joined rows.
 */
extern DeviceStatus collect_joined(const JoinedRows *joined, RowStore *store, const ColumnUse *columns, int ncolumns, const int *wanted);

#endif							/* GPUDB_EXEC_ROWS_SCAN_COLLECT_H */

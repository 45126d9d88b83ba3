/*
 * scan_collect.h
 *		The rows of a GpuScan, or of joins, as columns, without becoming tuples.
 */
#ifndef GPUDB_EXEC_SCAN_COLLECT_H
#define GPUDB_EXEC_SCAN_COLLECT_H

#include "postgres.h"

#include "compile/compile.h"
#include "exec/joined_rows.h"
#include "nodes/execnodes.h"
#include "tablet/row_store.h"

/* Whether what a plan returns are columns alone. */
extern bool plan_gives_columns(const Plan *plan);

/* Whether a plan is a GpuScan whose rows can be had so. */
extern bool is_collectable_scan(const PlanState *ps);

/*
 * Put all rows of a GpuScan that has not begun into a store, whose columns are
 * these of the rows that the node returns.  DONE, or why the device could not
 * tell them: then nobody has seen an error that a filter raises.
 */
extern DeviceStatus scan_collect(PlanState *ps, RowStore *store, const ColumnUse *columns, int ncolumns);

/* The same for a GpuJoin. */
extern bool is_collectable_join(const PlanState *ps);
extern DeviceStatus join_collect(PlanState *ps, RowStore *store, const ColumnUse *columns, int ncolumns);

/* The same for any plan, as columns where that is possible, else row by row; or row by row in any case. */
extern DeviceStatus plan_collect(PlanState *ps, RowStore *store, const ColumnUse *columns, int ncolumns);
extern DeviceStatus plan_collect_rows(PlanState *ps, RowStore *store);

/* Put rows that joins have made into a store, whose columns are these; attribute a of its rows is number wanted[a - 1] of what is wanted of them. */
extern DeviceStatus collect_joined(const JoinedRows *joined, RowStore *store, const ColumnUse *columns, int ncolumns, const int *wanted);

#endif							/* GPUDB_EXEC_SCAN_COLLECT_H */

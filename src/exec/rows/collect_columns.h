/*
 * collect_columns.h
 *		Moving the outputs of a device, and of joins, into the columns of a store.
 */
#ifndef GPUDB_EXEC_ROWS_COLLECT_COLUMNS_H
#define GPUDB_EXEC_ROWS_COLLECT_COLUMNS_H

#include "postgres.h"

#include "compile/compile.h"
#include "exec/rows/joined_rows.h"
#include "tablet/read/row_store.h"

/* Append the outputs of nrows rows of a scan to a store with the given columns of the scan's target list. */
extern DeviceStatus collect_outputs(const OutputRows *outputs, uint32 nrows, const List *targetlist, RowStore *store, const ColumnUse *columns,
									int ncolumns);

/*
 * Append joined rows to a store with the given columns.  Attribute a of the
 * store's rows is output number wanted[a - 1] of the joined rows.
 */
extern DeviceStatus collect_joined(const JoinedRows *joined, RowStore *store, const ColumnUse *columns, int ncolumns, const int *wanted);

#endif							/* GPUDB_EXEC_ROWS_COLLECT_COLUMNS_H */

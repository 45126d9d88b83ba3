/*
 * ordered_rows.h
 *		The rows that a GpuSort has put in order as columns that a program reads.
 */
#ifndef GPUDB_EXEC_ORDERED_ROWS_H
#define GPUDB_EXEC_ORDERED_ROWS_H

#include "postgres.h"

#include "compile/compile.h"
#include "exec/exec_sort_private.h"

/*
 * Make them, in memory of `context`, of as many bytes at most: columns of
 * rows like `desc`, whose attributes are these of the GpuSort's scan tuple,
 * from 1 on.  *rows: in pieces, for several threads.  DONE, or why they
 * cannot be.
 */
extern DeviceStatus ordered_rows_make(GpuSortState *sort, const CompileResult *compiled, TupleDesc desc, const AttrNumber *from,
									  MemoryContext context, uint64 limit, CachedRows **rows, uint32 *nrows);

#endif							/* GPUDB_EXEC_ORDERED_ROWS_H */

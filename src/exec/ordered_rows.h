/*
 * ordered_rows.h
 *		The rows that a GpuSort has put in order as columns that a program reads.
 */
#ifndef GPUDB_EXEC_ORDERED_ROWS_H
#define GPUDB_EXEC_ORDERED_ROWS_H

#include "postgres.h"

#include "compile/compile.h"
#include "exec/exec_sort_private.h"

/* What is wanted of them: the columns of a program, over rows like these. */
typedef struct OrderedWish
{
	const CompileResult *compiled;
	TupleDesc	desc;
	const AttrNumber *from;		/* of each attribute, which one of the GpuSort's scan tuple it is, from 1 on */
	MemoryContext context;
	uint64		limit;			/* bytes of its memory */
} OrderedWish;

/* Make them, and cut them into pieces, for several threads.  DONE, or why they cannot be. */
extern DeviceStatus ordered_rows_make(GpuSortState *sort, const OrderedWish *wish, CachedRows **pieces, uint32 *npieces);

#endif							/* GPUDB_EXEC_ORDERED_ROWS_H */

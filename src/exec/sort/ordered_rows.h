/*
 * ordered_rows.h
 *		The ordered rows of a GpuSort as columns that a program reads.
 */
#ifndef GPUDB_EXEC_SORT_ORDERED_ROWS_H
#define GPUDB_EXEC_SORT_ORDERED_ROWS_H

#include "postgres.h"

#include "compile/compile.h"
#include "exec/sort/exec_sort_private.h"

/* Request for ordered rows: the columns of a compiled program over rows with descriptor `desc`. */
typedef struct OrderedWish
{
	const CompileResult *compiled;
	TupleDesc	desc;
	const AttrNumber *from;		/* for each attribute of `desc`, its number in the GpuSort's scan tuple, from 1 on */
	MemoryContext context;
	uint64		limit;			/* maximum size of the columns, in bytes */
} OrderedWish;

/*
 * Make the columns that `wish` describes and cut them into pieces, which several
 * threads can process.  Return DONE, or the reason why they cannot be made.
 */
extern DeviceStatus ordered_rows_make(GpuSortState *sort, const OrderedWish *wish, CachedRows **pieces, uint32 *npieces);

#endif							/* GPUDB_EXEC_SORT_ORDERED_ROWS_H */

/*
 * stored_rows.h
 *		The rows of any plan stored as columns, and reading them back as Datums.
 */
#ifndef GPUDB_EXEC_SORT_STORED_ROWS_H
#define GPUDB_EXEC_SORT_STORED_ROWS_H

#include "postgres.h"

#include "access/tupdesc.h"

#include "compile/compile.h"
#include "tablet/read/row_store.h"

typedef struct StoredRows
{
	TupleDesc	desc;
	int			ncolumns;
	ColumnUse  *column;
	OutputResult *attribute;	/* columns of each attribute of the rows */
	Tablet	   *rows;			/* NULL until all rows are stored */
} StoredRows;

/* Return true if values of a type can be stored in a form that is known in advance. */
extern bool is_storable(Oid type, int32 typmod);

/* Describe how rows are stored whose types are all storable; palloc'd in the current context. */
extern StoredRows *stored_rows_describe(TupleDesc desc);

/*
 * Return true if values are numerics without a declared scale: each has its own, and the column's
 * scale is known at the end.
 */
extern bool has_any_scale(Oid type, int32 typmod);

/* Finish a store that has all rows, and set stored->rows and the scales of numerics. */
extern void stored_rows_finish(StoredRows *stored, RowStore *store);

/* Return the column by which an attribute is ordered; it is NULL where the attribute is. */
extern int	stored_rows_key(const StoredRows *stored, int attribute);

/* Create a store in memory of `context` for at most `limit` bytes; `expected` is the estimated number of rows. */
extern RowStore *stored_rows_create(const StoredRows *stored, MemoryContext context, uint64 limit, double expected);

/* Distance, in rows, of the row that is prefetched. */
#define STORED_ROWS_AHEAD 16

/*
 * Prefetch a column's value in the row STORED_ROWS_AHEAD entries later in rows[],
 * since rows in an order are scattered in memory.  Always inlined: gcc takes the
 * call of a function that only prefetches for one without effect.
 */
static pg_attribute_always_inline void
stored_rows_ask_ahead(const StoredRows *stored, int column, const uint32 *rows, uint32 n)
{
	const TabletColumn *of = &stored->rows->column[column];

	if (n > STORED_ROWS_AHEAD)
		__builtin_prefetch((const char *) tablet_at(stored->rows, of->values) + (Size) coltype_bytes((ColType) of->type) * rows[STORED_ROWS_AHEAD]);
}

/* Read an attribute of the `n` rows numbered rows[]; values of variable length are palloc'd in the current context. */
extern void stored_rows_read(const StoredRows *stored, int attribute, const uint32 *rows, uint32 n, Datum *values, bool *isnull);

#endif							/* GPUDB_EXEC_SORT_STORED_ROWS_H */

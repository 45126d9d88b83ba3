/*
 * stored_rows.h
 *		The rows of any plan as columns of a store, and values of them again.
 */
#ifndef GPUDB_EXEC_STORED_ROWS_H
#define GPUDB_EXEC_STORED_ROWS_H

#include "postgres.h"

#include "access/tupdesc.h"

#include "compile/compile.h"
#include "tablet/row_store.h"

typedef struct StoredRows
{
	TupleDesc	desc;
	int			ncolumns;
	ColumnUse  *column;
	OutputResult *attribute;	/* of each attribute of the rows: its columns */
	Tablet	   *rows;			/* once they are there */
} StoredRows;

/* Whether values of a type can be stored whose form is known before they come. */
extern bool is_storable(Oid type, int32 typmod);

/* How rows of this kind are stored; every type is storable.  Allocated in the current context. */
extern StoredRows *stored_rows_describe(TupleDesc desc);

/* Whether values are numerics without a declared scale: each has its own, and how many digits a column has is known once all are there. */
extern bool has_any_scale(Oid type, int32 typmod);

/* All rows are in the store. */
extern void stored_rows_finish(StoredRows *stored, RowStore *store);

/* The column that an attribute is ordered by, and NULL in where it is. */
extern int	stored_rows_key(const StoredRows *stored, int attribute);

/* A store for them, in memory of `context`, of as many bytes at most; so many rows are expected. */
extern RowStore *stored_rows_create(const StoredRows *stored, MemoryContext context, uint64 limit, double expected);

/* How much later rows come that are asked for ahead of time. */
#define STORED_ROWS_AHEAD 16

/*
 * Of rows in an order, which lie anywhere, have memory asked for a column's
 * value of one that comes later.  Inlined at once: gcc takes the call of a
 * function that only asks for memory for one without effect.
 */
static pg_attribute_always_inline void
stored_rows_ask_ahead(const StoredRows *stored, int column, const uint32 *rows, uint32 n)
{
	const TabletColumn *of = &stored->rows->column[column];

	if (n > STORED_ROWS_AHEAD)
		__builtin_prefetch((const char *) tablet_at(stored->rows, of->values) + (Size) coltype_bytes((ColType) of->type) * rows[STORED_ROWS_AHEAD]);
}

/* An attribute of so many rows, by their numbers; values of variable length are palloc'd in the current context. */
extern void stored_rows_read(const StoredRows *stored, int attribute, const uint32 *rows, uint32 n, Datum *values, bool *isnull);

#endif							/* GPUDB_EXEC_STORED_ROWS_H */

/*
 * ordered_rows.c
 *		The rows that a GpuSort has put in order as columns that a program reads.
 *
 * What the program reads in the form that it was sorted in is gathered; the
 * rest, window functions among it, goes by PostgreSQL's values.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "core/output.h"
#include "exec/node.h"
#include "exec/ordered_rows.h"

/* Rows of a piece: a multiple of 64, so that bitmaps can be cut. */
#define PIECE_ROWS	(64 * 4096)

/* What is made of what. */
typedef struct Making
{
	GpuSortState *sort;
	const CompileResult *compiled;
	const AttrNumber *from;		/* of each attribute */
	RowStore   *store;
	MemoryContext scratch;
	Datum	  **calls;			/* window functions of a batch's rows */
	bool	  **call_isnull;
} Making;

/* Whether a column is a window function. */
static bool
is_call(const Making *making, AttrNumber from)
{
	return from > making->sort->stored->desc->natts;
}

/* The column of what was sorted with the very values that the program wants; NULL if there is none. */
static const TabletColumn *
same_column(const Making *making, int c)
{
	const ColumnUse *use = &making->compiled->column[c];
	const StoredRows *stored = making->sort->stored;
	const OutputResult *attribute;
	const TabletColumn *column;

	if (is_call(making, making->from[use->attno - 1]) || use->second || use->packed || use->coded)
		return NULL;
	attribute = &stored->attribute[making->from[use->attno - 1] - 1];
	if (attribute->value < 0 || attribute->scale != use->scale)
		return NULL;
	column = &stored->rows->column[attribute->value];
	return column->type == row_store_type(making->store, c) && column->type != COLTYPE_TEXT ? column : NULL;
}

static void
gather(const Making *making, int c, const TabletColumn *column, const uint32 *rows, uint32 n)
{
	const Tablet *tablet = making->sort->stored->rows;
	const uint32 bytes = coltype_bytes(column->type);
	uint64		values[SORT_BATCH_ROWS * 2];
	uint8		nulls[SORT_BATCH_ROWS];

	output_gather_values(tablet_at(tablet, column->values), bytes, rows, n, (uint8 *) values);
	output_gather_nulls(tablet, column, rows, n, nulls);
	row_store_copy(making->store, c, (const uint8 *) values, nulls, n);
}

/* An attribute, with all columns that it has, from values. */
static DeviceStatus
put_values(const Making *making, AttrNumber attno, const uint32 *rows, uint32 n)
{
	const AttrNumber from = making->from[attno - 1];
	Datum		read[SORT_BATCH_ROWS];
	bool		read_isnull[SORT_BATCH_ROWS];
	const Datum *values = read;
	const bool *isnull = read_isnull;
	DeviceStatus status = STATUS_DONE;

	if (is_call(making, from))
	{
		values = making->calls[from - making->sort->stored->desc->natts - 1];
		isnull = making->call_isnull[from - making->sort->stored->desc->natts - 1];
	}
	else
		stored_rows_read(making->sort->stored, from - 1, rows, n, read, read_isnull);
	for (uint32 row = 0; row < n && status == STATUS_DONE; row++)
		status = row_store_put(making->store, attno, row, values[row], isnull[row]);
	return status;
}

/* The next rows in order, so many. */
static DeviceStatus
make_batch(Making *making, const uint32 *rows, uint32 n)
{
	const CompileResult *compiled = making->compiled;
	DeviceStatus status = row_store_reserve(making->store, n) ? STATUS_DONE : STATUS_MEMORY_LIMIT;
	Bitmapset  *put = NULL;

	if (making->sort->windows.ncalls > 0)
		windows_compute(&making->sort->windows, n, making->calls, making->call_isnull);
	for (int c = 0; c < compiled->ncolumns && status == STATUS_DONE; c++)
	{
		const TabletColumn *column = same_column(making, c);

		if (column != NULL)
			gather(making, c, column, rows, n);
		else if (!bms_is_member(compiled->column[c].attno, put))
		{
			put = bms_add_member(put, compiled->column[c].attno);
			status = put_values(making, compiled->column[c].attno, rows, n);
		}
	}
	if (status == STATUS_DONE)
		row_store_count(making->store, n);
	return status;
}

static DeviceStatus
make_all(Making *making)
{
	GpuSortState *sort = making->sort;
	DeviceStatus status = STATUS_DONE;
	MemoryContext old;

	sort_restart_rows(sort);
	for (uint32 first = sort->next, n; first < sort->nrows && status == STATUS_DONE; first += n)
	{
		n = Min(SORT_BATCH_ROWS, sort->nrows - first);
		CHECK_FOR_INTERRUPTS();
		MemoryContextReset(making->scratch);
		old = MemoryContextSwitchTo(making->scratch);
		status = make_batch(making, sort->order + first, n);
		MemoryContextSwitchTo(old);
	}
	/* somebody else may want its rows yet */
	sort_restart_rows(sort);
	return status;
}

/* Cut a tablet into pieces. */
static CachedRows *
cut(const Tablet *tablet, uint32 *npieces)
{
	const uint32 n = (tablet->nrows + PIECE_ROWS - 1) / PIECE_ROWS;
	CachedRows *pieces = palloc0(sizeof(CachedRows) * Max(n, 1));

	for (uint32 p = 0; p < n; p++)
	{
		const uint32 first = p * PIECE_ROWS;
		Tablet	   *piece = palloc(sizeof(Tablet) + sizeof(TabletColumn) * tablet->ncols);
		/* offsets count from the head */
		const uint64 moved = (uint64) (uintptr_t) tablet - (uint64) (uintptr_t) piece;

		memcpy(piece, tablet, sizeof(Tablet) + sizeof(TabletColumn) * tablet->ncols);
		piece->nrows = Min(PIECE_ROWS, tablet->nrows - first);
		piece->var += moved;
		for (uint32 c = 0; c < piece->ncols; c++)
		{
			piece->column[c].values += moved + (uint64) first * coltype_bytes(piece->column[c].type);
			piece->column[c].nulls += moved + first / 8;
		}
		pieces[p] = (CachedRows) {.tablet = piece, .nrows = piece->nrows};
	}
	*npieces = n;
	return pieces;
}

DeviceStatus
ordered_rows_make(GpuSortState *sort, const CompileResult *compiled, TupleDesc desc, const AttrNumber *from, MemoryContext context,
				  uint64 limit, CachedRows **rows, uint32 *nrows)
{
	MemoryContext old = MemoryContextSwitchTo(context);
	ColumnWanted *wanted = palloc(sizeof(ColumnWanted) * Max(compiled->ncolumns, 1));
	const int	ncalls = sort->windows.ncalls;
	Making		making = {.sort = sort, .compiled = compiled, .from = from};
	DeviceStatus status;

	for (int c = 0; c < compiled->ncolumns; c++)
		wanted[c] = column_wanted(&compiled->column[c]);
	making.store = row_store_create(context, desc, wanted, compiled->ncolumns, limit, sort->nrows);
	making.scratch = AllocSetContextCreate(context, "gpudb ordered rows", ALLOCSET_DEFAULT_SIZES);
	making.calls = palloc(sizeof(Datum *) * Max(ncalls, 1));
	making.call_isnull = palloc(sizeof(bool *) * Max(ncalls, 1));
	for (int c = 0; c < ncalls; c++)
	{
		making.calls[c] = palloc(sizeof(Datum) * SORT_BATCH_ROWS);
		making.call_isnull[c] = palloc(sizeof(bool) * SORT_BATCH_ROWS);
	}
	status = make_all(&making);
	MemoryContextDelete(making.scratch);
	if (status == STATUS_DONE)
		*rows = cut(row_store_finish(making.store), nrows);
	MemoryContextSwitchTo(old);
	return status;
}

/*
 * ordered_rows.c
 *		The rows that a GpuSort has put in order as columns that a program reads.
 *
 * What the program reads in the form that it was sorted in is gathered, and
 * rows are numbered, by several threads; the rest, other window functions
 * among it, goes by PostgreSQL's values.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "core/output.h"
#include "core/sort_rows.h"
#include "device/device.h"
#include "device/threads.h"
#include "exec/node.h"
#include "exec/ordered_rows.h"

/* Rows of a piece: a multiple of 64, so that bitmaps can be cut. */
#define PIECE_ROWS	(64 * 4096)

/* How a column is made. */
typedef enum ColumnWay
{
	WAY_VALUES,
	WAY_GATHER,					/* from the same one of what was sorted */
	WAY_NUMBER					/* of its row, from 1 on */
} ColumnWay;

/* What is made of what. */
typedef struct Making
{
	GpuSortState *sort;
	const CompileResult *compiled;
	const AttrNumber *from;		/* of each attribute */
	RowStore   *store;
	Tablet	   *tablet;			/* its */
	const uint32 *rows;			/* in order, */
	uint32		nrows;			/* so many */
	ColumnWay  *way;
	const TabletColumn **same;	/* what is gathered */
	uint32	  (*nulls)[PROGRAM_MAX_COLUMNS];	/* of each part that was gathered, the NULLs of each column */
	MemoryContext scratch;
	Datum	  **calls;			/* window functions of a batch's rows */
	bool	  **call_isnull;
} Making;

/* The number of the window function that an attribute is, less than 0 if it is a column. */
static int
call_of(const Making *making, AttrNumber attno)
{
	return making->from[attno - 1] - making->sort->stored->desc->natts - 1;
}

/* The column of what was sorted with the very values that the program wants; NULL if there is none. */
static const TabletColumn *
same_column(const Making *making, int c)
{
	const ColumnUse *use = &making->compiled->column[c];
	const StoredRows *stored = making->sort->stored;
	const OutputResult *attribute;
	const TabletColumn *column;

	if (call_of(making, use->attno) >= 0 || use->second || use->packed || use->coded)
		return NULL;
	attribute = &stored->attribute[making->from[use->attno - 1] - 1];
	if (attribute->value < 0 || attribute->scale != use->scale)
		return NULL;
	column = &stored->rows->column[attribute->value];
	return column->type == row_store_type(making->store, c) && column->type != COLTYPE_TEXT ? column : NULL;
}

/* Decide how each column is made; whether some have to be made of values. */
static bool
choose_ways(Making *making)
{
	const GpuSortState *sort = making->sort;
	const bool	one_partition = sort_private_list(sort, SORT_PRIVATE_PARTITION) == NIL;
	bool		values = false;

	for (int c = 0; c < making->compiled->ncolumns; c++)
	{
		const int	call = call_of(making, making->compiled->column[c].attno);

		making->same[c] = same_column(making, c);
		making->way[c] = making->same[c] != NULL ? WAY_GATHER
			: call >= 0 && one_partition && sort->windows.call[call].kind == WINDOW_ROW_NUMBER ? WAY_NUMBER : WAY_VALUES;
		values |= making->way[c] == WAY_VALUES;
	}
	return values;
}

/* Parts begin at multiples of 64, so that none has words of a bitmap with another. */
static uint32
start_of_part(const Making *making, uint32 part)
{
	return part == SORT_PARTS ? making->nrows : (uint32) ((uint64) making->nrows * part / SORT_PARTS / 64 * 64);
}

static void
make_part(void *arg, uint32 part)
{
	Making	   *making = arg;
	const uint32 first = start_of_part(making, part);
	const uint32 end = start_of_part(making, part + 1);

	for (int c = 0; c < making->compiled->ncolumns; c++)
	{
		TabletColumn *to = &making->tablet->column[c];
		uint8	   *values = tablet_at(making->tablet, to->values);
		const TabletColumn *from = making->same[c];

		making->nulls[part][c] = 0;
		if (making->way[c] == WAY_NUMBER)
			for (uint32 row = first; row < end; row++)
				((int64 *) values)[row] = (int64) row + 1;
		if (making->way[c] != WAY_GATHER)
			continue;
		output_gather_values(tablet_at(making->sort->stored->rows, from->values), coltype_bytes(from->type), making->rows + first, end - first,
							 values + (Size) first * coltype_bytes(from->type));
		for (uint32 row = first; row < end && from->null_count > 0; row++)
			if (tablet_is_null(making->sort->stored->rows, from, making->rows[row]))
			{
				tablet_at(making->tablet, to->nulls)[row / 8] |= (uint8) (1 << row % 8);
				making->nulls[part][c]++;
			}
	}
}

/* Make what can be made by several threads. */
static void
make_columns(Making *making)
{
	making->tablet = row_store_tablet(making->store);
	for (int c = 0; c < making->compiled->ncolumns; c++)
		if (making->way[c] == WAY_GATHER)
			memset(tablet_at(making->tablet, making->tablet->column[c].nulls), 0, tablet_bitmap_bytes(making->nrows));
	threads_run_parts(making->nrows, SORT_PARTS, make_part, making);
	for (int c = 0; c < making->compiled->ncolumns; c++)
		for (uint32 part = 0; part < SORT_PARTS; part++)
			making->tablet->column[c].null_count += making->nulls[part][c];
}

/* An attribute of rows from number `first` on, with all columns that it has, from values. */
static DeviceStatus
put_values(const Making *making, AttrNumber attno, uint32 first, uint32 n)
{
	const int	call = call_of(making, attno);
	Datum		read[SORT_BATCH_ROWS];
	bool		read_isnull[SORT_BATCH_ROWS];
	const Datum *values = call >= 0 ? making->calls[call] : read;
	const bool *isnull = call >= 0 ? making->call_isnull[call] : read_isnull;
	DeviceStatus status = STATUS_DONE;

	if (call < 0)
		stored_rows_read(making->sort->stored, making->from[attno - 1] - 1, making->rows + first, n, read, read_isnull);
	for (uint32 row = 0; row < n && status == STATUS_DONE; row++)
		status = row_store_put(making->store, attno, first + row, values[row], isnull[row]);
	return status;
}

/* What is made of values, of so many rows. */
static DeviceStatus
make_batch(Making *making, uint32 first, uint32 n)
{
	const CompileResult *compiled = making->compiled;
	DeviceStatus status = STATUS_DONE;
	Bitmapset  *put = NULL;

	/* an error is PostgreSQL's to find */
	if (making->sort->windows.ncalls > 0 && windows_compute(&making->sort->windows, n, making->calls, making->call_isnull) < n)
		return STATUS_FLOAT_TOTAL;
	for (int c = 0; c < compiled->ncolumns && status == STATUS_DONE; c++)
		if (making->way[c] == WAY_VALUES && !bms_is_member(compiled->column[c].attno, put))
		{
			put = bms_add_member(put, compiled->column[c].attno);
			status = put_values(making, compiled->column[c].attno, first, n);
		}
	return status;
}

static DeviceStatus
make_values(Making *making)
{
	DeviceStatus status = STATUS_DONE;
	MemoryContext old;

	for (uint32 first = 0, n; first < making->nrows && status == STATUS_DONE; first += n)
	{
		n = Min(SORT_BATCH_ROWS, making->nrows - first);
		CHECK_FOR_INTERRUPTS();
		MemoryContextReset(making->scratch);
		old = MemoryContextSwitchTo(making->scratch);
		status = make_batch(making, first, n);
		MemoryContextSwitchTo(old);
	}
	return status;
}

static DeviceStatus
make_all(Making *making)
{
	GpuSortState *sort = making->sort;
	DeviceStatus status;

	sort_restart_rows(sort);
	making->rows = sort->order + sort->next;
	making->nrows = sort->nrows - sort->next;
	if (!row_store_reserve(making->store, making->nrows))
		return STATUS_MEMORY_LIMIT;
	status = choose_ways(making) ? make_values(making) : STATUS_DONE;
	/* the store's memory stays where it is from here on */
	if (status == STATUS_DONE)
		make_columns(making);
	row_store_count(making->store, making->nrows);
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
ordered_rows_make(GpuSortState *sort, const OrderedWish *wish, CachedRows **pieces, uint32 *npieces)
{
	const CompileResult *compiled = wish->compiled;
	MemoryContext old = MemoryContextSwitchTo(wish->context);
	const ColumnWanted *wanted = columns_wanted(compiled->column, compiled->ncolumns);
	const int	ncalls = sort->windows.ncalls;
	Making		making = {.sort = sort, .compiled = compiled, .from = wish->from};
	DeviceStatus status;

	making.store = row_store_create(wish->context, wish->desc, wanted, compiled->ncolumns, wish->limit, sort->nrows);
	making.scratch = AllocSetContextCreate(wish->context, "gpudb ordered rows", ALLOCSET_DEFAULT_SIZES);
	making.way = palloc(sizeof(ColumnWay) * Max(compiled->ncolumns, 1));
	making.same = palloc(sizeof(TabletColumn *) * Max(compiled->ncolumns, 1));
	making.nulls = palloc0(sizeof(*making.nulls) * SORT_PARTS);
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
		*pieces = cut(row_store_finish(making.store), npieces);
	MemoryContextSwitchTo(old);
	return status;
}

/*
 * ordered_rows.c
 *		The ordered rows of a GpuSort as columns that a program reads.
 *
 * Columns that the program reads in the form in which they were sorted are
 * gathered, and row numbers are generated, by several threads.  All other
 * columns, including other window functions, are made from Datums, one batch of
 * rows after the other.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "core/sort/sort_rows.h"
#include "core/tablet/output.h"
#include "device/device.h"
#include "device/threads.h"
#include "exec/run/node.h"
#include "exec/sort/ordered_rows.h"

/* Rows of a piece: a multiple of 64, so that bitmaps can be cut. */
#define PIECE_ROWS	(64 * 4096)

/* Method of making a column. */
typedef enum ColumnWay
{
	WAY_VALUES,
	WAY_GATHER,					/* gathered from the sorted column with the same values */
	WAY_NUMBER					/* number of the row in the order, from 1 on */
} ColumnWay;

/* State of making columns from ordered rows. */
typedef struct Making
{
	GpuSortState *sort;
	const CompileResult *compiled;
	const AttrNumber *from;		/* attribute numbers in the GpuSort's scan tuple */
	RowStore   *store;
	Tablet	   *tablet;			/* tablet of `store` */
	const uint32 *rows;			/* stored rows in the GpuSort's order */
	uint32		nrows;			/* length of `rows` */
	ColumnWay  *way;
	const TabletColumn **same;	/* columns that are gathered, NULL where none is */
	uint32	  (*nulls)[PROGRAM_MAX_COLUMNS];	/* numbers of NULLs, by part of the rows and column */
	MemoryContext scratch;
	Datum	  **calls;			/* window functions of a batch's rows */
	bool	  **call_isnull;
} Making;

/* Return the number of the window function that an attribute is, less than 0 if it is a column. */
static int
call_of(const Making *making, AttrNumber attno)
{
	return making->from[attno - 1] - making->sort->stored->desc->natts - 1;
}

/* Return the sorted column whose values have the form that the program's column `c` needs; NULL if there is none. */
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

/* Choose a method for each column; return true if some columns have to be made from Datums. */
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

/* Return the first row of a part, a multiple of 64, so that no two parts share a word of a bitmap. */
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

/* Gather or generate the columns that several threads can make. */
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

/* Store the values of an attribute in rows `first` to first + n - 1, in all columns of that attribute. */
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

/* Make the columns made from Datums in rows `first` to first + n - 1; FLOAT_TOTAL if a float overflows. */
static DeviceStatus
make_batch(Making *making, uint32 first, uint32 n)
{
	const CompileResult *compiled = making->compiled;
	DeviceStatus status = STATUS_DONE;
	Bitmapset  *put = NULL;

	/* PostgreSQL raises the error */
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
	/* the sort's rows may still be read by others */
	sort_restart_rows(sort);
	return status;
}

/* Cut a tablet into pieces, which share its columns, and set *npieces to their number. */
static CachedRows *
cut(const Tablet *tablet, uint32 *npieces)
{
	const uint32 n = (tablet->nrows + PIECE_ROWS - 1) / PIECE_ROWS;
	CachedRows *pieces = palloc0(sizeof(CachedRows) * Max(n, 1));

	for (uint32 p = 0; p < n; p++)
	{
		const uint32 first = p * PIECE_ROWS;
		Tablet	   *piece = palloc(sizeof(Tablet) + sizeof(TabletColumn) * tablet->ncols);
		/* offsets count from the descriptor */
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

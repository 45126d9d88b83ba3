/*
 * tablet_build.c
 *		A tablet's columns put together from windows.
 */
#include "postgres.h"

#include "port/pg_bitutils.h"
#include "utils/memutils.h"

#include "core/decimal.h"

#include "tablet/tablet_build.h"

TabletBuild *
tablet_build_create(int ncolumns)
{
	TabletBuild *build = palloc0(offsetof(TabletBuild, column) + sizeof(BuiltColumn) * ncolumns);

	build->context = AllocSetContextCreate(CurrentMemoryContext, "gpudb tablet", ALLOCSET_SMALL_SIZES);
	build->ncolumns = ncolumns;
	return build;
}

void
tablet_build_begin(TabletBuild *build, uint32 tablet, uint32 nblocks)
{
	build->tablet = tablet;
	build->nrows = build->expected = build->open_windows = 0;
	build->failed = false;
	memset(&build->watch, 0, sizeof(build->watch));
	build->watch.notes.first = tablet * TABLET_BLOCKS;
	build->watch.notes.nblocks = nblocks;
	for (int c = 0; c < build->ncolumns; c++)
		build->column[c].begun = false;
}

uint32
tablet_build_add(TabletBuild *build, uint32 nrows, uint32 windows_left)
{
	uint32		first = build->nrows;

	build->nrows += nrows;
	build->open_windows++;
	/* those that follow are like this one, or a little larger */
	build->expected = Max(build->expected, build->nrows + windows_left * (nrows + nrows / 16));
	return first;
}

/* Room for so many bytes, with those that are there kept; NULL without memory. */
static uint8 *
reserve(TabletBuild *build, uint8 *old, Size *room, Size bytes)
{
	uint8	   *grown;

	if (bytes <= *room)
		return old;
	grown = MemoryContextAllocExtended(build->context, bytes, MCXT_ALLOC_HUGE | MCXT_ALLOC_NO_OOM);
	if (grown == NULL)
	{
		build->failed = true;
		return old;
	}
	if (old != NULL)
	{
		memcpy(grown, old, *room);
		pfree(old);
	}
	*room = bytes;
	return grown;
}

/* Have a bitmap for all rows that may come, with what is not known to be NULL zeroed. */
static void
reserve_nulls(TabletBuild *build, BuiltColumn *column)
{
	const Size	known = column->stored.null_count > 0 ? column->null_room : 0;

	column->nulls = reserve(build, column->nulls, &column->null_room, tablet_bitmap_bytes(build->expected));
	if (column->null_room > known)
		memset(column->nulls + known, 0, column->null_room - known);
}

/* Bits of NULLs, from anywhere in one bitmap to anywhere in another one, which has none there. */
static void
copy_bits(uint8 *to, uint32 at, const uint8 *from, uint32 first, uint32 n)
{
	for (uint32 i = 0; i < n; i++)
		if (from[(first + i) / 8] >> ((first + i) % 8) & 1)
			to[(at + i) / 8] |= 1 << ((at + i) % 8);
}

/* Let a column hold another part of it, too. */
static void
widen(TabletColumn *into, const TabletColumn *from)
{
	wide_store(into->min, Min(wide_load(into->min), wide_load(from->min)));
	wide_store(into->max, Max(wide_load(into->max), wide_load(from->max)));
	into->max_scale = Max(into->max_scale, from->max_scale);
	into->null_count += from->null_count;
}

static void
copy_column(TabletBuild *build, BuiltColumn *into, uint32 first_row, const Tablet *columns, const TabletColumn *from)
{
	const Size	bytes = coltype_bytes(from->type);

	into->values = reserve(build, into->values, &into->room, bytes * build->expected);
	if (!into->begun)
	{
		into->stored = *from;
		into->stored.null_count = 0;
	}
	/* rows that come later may have outgrown the bitmap of those that have NULLs */
	if (from->null_count > 0 || into->stored.null_count > 0)
		reserve_nulls(build, into);
	if (build->failed)
		return;
	memcpy(into->values + bytes * first_row, tablet_at(columns, from->values), bytes * columns->nrows);
	if (from->null_count > 0)
		copy_bits(into->nulls, first_row, tablet_at(columns, from->nulls), 0, columns->nrows);
	if (into->begun)
		widen(&into->stored, from);
	else
		into->stored.null_count = from->null_count;
	into->begun = true;
}

void
tablet_build_copy(TabletBuild *build, uint32 first_row, const Tablet *columns)
{
	for (int c = 0; c < build->ncolumns && !build->failed; c++)
	{
		/* decimals may become wide on the way */
		build->failed = build->column[c].begun && build->column[c].stored.type != columns->column[c].type;
		if (!build->failed)
			copy_column(build, &build->column[c], first_row, columns, &columns->column[c]);
	}
}

/* Merging */

/* Rows that stand side by side in one of two tablets, and will in the merged one. */
typedef struct RowRun
{
	bool		older;			/* of the older tablet */
	uint32		from;
	uint32		to;
	uint32		n;
} RowRun;

/* The runs of which the merged tablet is made; its notes become the build's. */
static int
plan_runs(TabletBuild *build, const BlockNotes *older, const BlockSet *others, RowRun *runs)
{
	BlockNotes *notes = &build->watch.notes;
	uint32		older_row = 0;
	uint32		read_row = 0;
	uint32		row = 0;
	int			n = 0;

	for (uint32 block = 0; block < notes->nblocks; block++)
	{
		const bool	from_older = block_set_has(others, block);
		const uint32 from = from_older ? older_row : read_row;

		if (from_older)
		{
			notes->ntuples[block] = older->ntuples[block];
			notes->lsn[block] = older->lsn[block];
			if (block_set_has(&older->settled, block))
				block_set_add(&notes->settled, block);
		}
		else
			read_row += notes->ntuples[block];
		if (n == 0 || runs[n - 1].older != from_older || runs[n - 1].from + runs[n - 1].n != from)
			runs[n++] = (RowRun) {.older = from_older, .from = from, .to = row};
		runs[n - 1].n += notes->ntuples[block];
		row += notes->ntuples[block];
		if (block < older->nblocks)
			older_row += older->ntuples[block];
	}
	if (FullTransactionIdPrecedes(notes->newest, older->newest))
		notes->newest = older->newest;
	Assert(read_row == build->nrows);
	build->nrows = row;
	return n;
}

static bool
merge_column(TabletBuild *build, BuiltColumn *column, const Tablet *older, const TabletColumn *from, const RowRun *runs, int nruns)
{
	const Size	bytes = coltype_bytes(from->type);
	const Size	null_bytes = tablet_bitmap_bytes(build->nrows);
	const bool	read_nulls = column->begun && column->stored.null_count > 0;
	uint8	   *values;
	uint8	   *nulls;

	if (column->begun && column->stored.type != from->type)
		return false;
	values = MemoryContextAllocExtended(build->context, Max(bytes * build->nrows, 1), MCXT_ALLOC_HUGE | MCXT_ALLOC_NO_OOM);
	if (values == NULL)
		return false;
	nulls = MemoryContextAllocExtended(build->context, null_bytes, MCXT_ALLOC_HUGE | MCXT_ALLOC_NO_OOM | MCXT_ALLOC_ZERO);
	if (nulls == NULL)
	{
		pfree(values);
		return false;
	}
	for (int r = 0; r < nruns; r++)
	{
		const uint8 *source = runs[r].older ? tablet_at(older, from->values) : column->values;

		if (runs[r].n > 0)
			memcpy(values + bytes * runs[r].to, source + bytes * runs[r].from, bytes * runs[r].n);
		if (runs[r].older ? from->null_count > 0 : read_nulls)
			copy_bits(nulls, runs[r].to, runs[r].older ? tablet_at(older, from->nulls) : column->nulls, runs[r].from, runs[r].n);
	}
	if (column->begun)
		widen(&column->stored, from);
	else
		column->stored = *from;
	column->stored.null_count = (uint32) pg_popcount((const char *) nulls, (int) null_bytes);
	if (column->values != NULL)
		pfree(column->values);
	if (column->nulls != NULL)
		pfree(column->nulls);
	column->values = values;
	column->room = Max(bytes * build->nrows, 1);
	column->nulls = nulls;
	column->null_room = null_bytes;
	return true;
}

bool
tablet_build_merge(TabletBuild *build, const Tablet *older, const BlockNotes *older_notes, const BlockSet *others)
{
	RowRun	   *runs = palloc(sizeof(RowRun) * build->watch.notes.nblocks);
	int			nruns = plan_runs(build, older_notes, others, runs);
	bool		merged = true;

	for (int c = 0; c < build->ncolumns && merged; c++)
		merged = merge_column(build, &build->column[c], older, &older->column[c], runs, nruns);
	pfree(runs);
	return merged;
}

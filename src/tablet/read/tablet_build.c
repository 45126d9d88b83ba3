/*
 * tablet_build.c
 *		Assembly of a tablet's columns from page batches.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "tablet/read/tablet_build.h"

TabletBuild *
tablet_build_create(int ncolumns, const TabletBuild *like)
{
	TabletBuild *build = palloc0(offsetof(TabletBuild, column) + sizeof(ColumnBuild) * ncolumns);
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "gpudb tablet", ALLOCSET_SMALL_SIZES);

	build->ncolumns = ncolumns;
	build->like_rows = like != NULL ? like->like_rows : 0;
	build->like_blocks = like != NULL ? like->like_blocks : 0;
	for (int c = 0; c < ncolumns; c++)
	{
		build->column[c].context = context;
		if (like != NULL)
			build->column[c].encoding = like->column[c].encoding;
	}
	return build;
}

/* Return a number of rows with some slack: tablets that are alike differ a little. */
static uint32
with_slack(uint64 rows)
{
	return (uint32) (rows + rows / 32);
}

void
tablet_build_begin(TabletBuild *build, uint32 tablet, uint32 nblocks, uint32 nread)
{
	build->tablet = tablet;
	build->nrows = build->open_page_batches = 0;
	build->expected = build->like_blocks > 0 ? with_slack((uint64) build->like_rows * nread / build->like_blocks) : 0;
	build->like_blocks = nread;
	build->failed = false;
	memset(&build->watch, 0, sizeof(build->watch));
	build->watch.notes.first = tablet * TABLET_BLOCKS;
	build->watch.notes.nblocks = nblocks;
	build->watch.notes.pages = &build->watch.page_notes;
	for (int c = 0; c < build->ncolumns; c++)
		column_build_begin(&build->column[c]);
}

uint32
tablet_build_add(TabletBuild *build, uint32 nrows, uint32 following, ColumnPlace *places)
{
	uint32		first = build->nrows;

	build->nrows += nrows;
	build->like_rows = build->nrows;
	build->open_page_batches++;
	if (build->nrows + following > build->expected)
		build->expected = with_slack(build->nrows + following);
	for (int c = 0; c < build->ncolumns; c++)
		places[c] = build->failed ? (ColumnPlace) {0} : column_build_place(&build->column[c], first, build->expected);
	return first;
}

void
tablet_build_copy(TabletBuild *build, uint32 first_row, Tablet *columns, const ColumnPlace *places)
{
	for (int c = 0; c < build->ncolumns && !build->failed; c++)
		build->failed = !column_build_add(&build->column[c], first_row, build->expected, columns, c, &places[c]);
}

/* Merging */

/* Plan the runs of rows of which the merged tablet is made, and return their number; its notes become the build's. */
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
			notes->pages->ntuples[block] = older->pages->ntuples[block];
			notes->pages->lsn[block] = older->pages->lsn[block];
			if (block_set_has(&older->quiescent, block))
				block_set_add(&notes->quiescent, block);
		}
		else
			read_row += notes->pages->ntuples[block];
		if (n == 0 || runs[n - 1].older != from_older || runs[n - 1].from + runs[n - 1].n != from)
			runs[n++] = (RowRun) {.older = from_older, .from = from, .to = row};
		runs[n - 1].n += notes->pages->ntuples[block];
		row += notes->pages->ntuples[block];
		if (block < older->nblocks)
			older_row += older->pages->ntuples[block];
	}
	if (FullTransactionIdPrecedes(notes->newest, older->newest))
		notes->newest = older->newest;
	Assert(read_row == build->nrows);
	build->nrows = row;
	return n;
}

bool
tablet_build_merge(TabletBuild *build, const Tablet *older, const BlockNotes *older_notes, const BlockSet *others)
{
	RowRun	   *runs = palloc(sizeof(RowRun) * build->watch.notes.nblocks);
	int			nruns = plan_runs(build, older_notes, others, runs);
	bool		merged = true;

	for (int c = 0; c < build->ncolumns && merged; c++)
		merged = column_build_merge(&build->column[c], older, c, runs, nruns, build->nrows);
	pfree(runs);
	return merged;
}

bool
tablet_build_end(TabletBuild *build)
{
	bool		ended = true;

	for (int c = 0; c < build->ncolumns && ended; c++)
		ended = column_build_end(&build->column[c], build->nrows);
	return ended;
}

void
tablet_build_drop(TabletBuild *build)
{
	for (int c = 0; c < build->ncolumns; c++)
		column_build_drop(&build->column[c]);
}

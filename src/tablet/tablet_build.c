/*
 * tablet_build.c
 *		A tablet's columns put together from windows.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "tablet/tablet_build.h"

TabletBuild *
tablet_build_create(int ncolumns)
{
	TabletBuild *build = palloc0(offsetof(TabletBuild, column) + sizeof(ColumnBuild) * ncolumns);
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "gpudb tablet", ALLOCSET_SMALL_SIZES);

	build->ncolumns = ncolumns;
	for (int c = 0; c < ncolumns; c++)
		build->column[c].context = context;
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
		column_build_begin(&build->column[c]);
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

void
tablet_build_copy(TabletBuild *build, uint32 first_row, Tablet *columns)
{
	for (int c = 0; c < build->ncolumns && !build->failed; c++)
		build->failed = !column_build_add(&build->column[c], first_row, build->expected, columns, c);
}

/* Merging */

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

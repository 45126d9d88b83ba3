/*
 * tablet_walk.c
 *		A relation's blocks in heap order, for scans that return rows: slices of cached tablets, and what else must be read.
 *
 * A tablet comes in pieces if it was found and lacks few blocks; else all of
 * it is read, and left behind for others.
 */
#include "postgres.h"

#include "core/program.h"
#include "core/tablet_format.h"
#include "tablet/tablet_scan_private.h"
#include "tablet/tablet_walk.h"

/* The first block of the tablet at hand. */
static BlockNumber
first_block(const TabletWalk *walk)
{
	return (walk->next - 1) * TABLET_BLOCKS;
}

void
tablet_walk_begin(TabletWalk *walk, TabletScan *scan, uint32 first, const CachedRows *cached, uint32 ncached)
{
	*walk = (TabletWalk) {.scan = scan, .cached = cached, .ncached = ncached, .next = first};
	/* those that came before */
	for (uint32 t = 0; t < first; t++)
		if (walk->next_cached < ncached && cached[walk->next_cached].tablet == scan->tablets[t].cached)
			walk->next_cached++;
}

/* Take the next tablet in hand; false if there are no more. */
static bool
next_tablet(TabletWalk *walk)
{
	ScanTablet *t;

	if (walk->next >= walk->scan->ntablets)
		return false;
	t = &walk->scan->tablets[walk->next++];
	walk->rows = NULL;
	if (walk->next_cached < walk->ncached && walk->cached[walk->next_cached].tablet == t->cached)
		walk->rows = &walk->cached[walk->next_cached++];
	if (t->cached == NULL || t->nlacking >= LACKING_MOST)
	{
		t->cached = NULL;
		t->skip = NULL;
	}
	walk->nblocks = t->cached != NULL ? blocks_of_tablet(walk->scan, walk->next - 1) : 0;
	walk->block = walk->row = 0;
	return true;
}

/* Columns that begin with a tablet's row `first`, a multiple of 64. */
static void
slice_columns(TabletSlice *slice, const Tablet *tablet, uint32 first, uint32 nrows)
{
	/* where columns are is told by their distance from the tablet */
	const uint64 moved = (uint64) ((uintptr_t) tablet - (uintptr_t) slice->tablet);

	memcpy(slice->tablet, tablet, sizeof(Tablet) + sizeof(TabletColumn) * tablet->ncols);
	slice->tablet->nrows = nrows;
	for (uint32 c = 0; c < tablet->ncols; c++)
	{
		TabletColumn *column = &slice->tablet->column[c];

		column->values += moved + (uint64) first * coltype_bytes(column->type);
		column->nulls += moved + first / 8;
	}
}

/* The cached rows of the next blocks at hand; false if there are none, or none are wanted. */
static bool
next_slice(TabletWalk *walk, TabletSlice *slice)
{
	const ScanTablet *t = &walk->scan->tablets[walk->next - 1];
	const uint32 end = Min(walk->block + TABLET_WINDOW_PAGES, t->notes->nblocks);
	const uint32 begin = walk->row;
	const uint32 first = begin - begin % 64;

	slice->first = first_block(walk) + walk->block;
	while (walk->block < end && block_set_has(&t->usable, walk->block))
		walk->row += t->notes->ntuples[walk->block++];
	if (walk->rows == NULL || walk->row == begin)
		return false;
	slice->end = first_block(walk) + walk->block;
	if (slice->tablet == NULL)
		slice->tablet = palloc(sizeof(Tablet) + sizeof(TabletColumn) * PROGRAM_MAX_COLUMNS);
	slice_columns(slice, walk->rows->tablet, first, walk->row - first);
	slice->rows = (CachedRows) {.tablet = slice->tablet, .nrows = walk->row - begin};
	if (begin > first)
	{
		memset(slice->selected, 0, tablet_bitmap_bytes(walk->row - first));
		bitmap_set(slice->selected, begin - first, walk->row - begin);
		slice->rows.selected = slice->selected;
	}
	return true;
}

/* Have the source read the next blocks at hand, which the tablet lacks. */
static void
read_lacking(TabletWalk *walk, PageSource *source)
{
	const ScanTablet *t = &walk->scan->tablets[walk->next - 1];

	source->next = first_block(walk) + walk->block;
	while (walk->block < walk->nblocks && !block_set_has(&t->usable, walk->block))
	{
		if (walk->block < t->notes->nblocks)
			walk->row += t->notes->ntuples[walk->block];
		walk->block++;
	}
	source->end = first_block(walk) + walk->block;
	source->skip = NULL;
	source->watch = NULL;
}

WalkStep
tablet_walk_next(TabletWalk *walk, PageSource *source, TabletSlice *slice)
{
	for (;;)
	{
		while (walk->block < walk->nblocks)
		{
			if (!block_set_has(&walk->scan->tablets[walk->next - 1].usable, walk->block))
			{
				read_lacking(walk, source);
				return WALK_PAGES;
			}
			if (next_slice(walk, slice))
				return WALK_SLICE;
		}
		if (!next_tablet(walk))
			return WALK_END;
		tablet_scan_restrict(walk->scan, walk->next - 1, 1);
		if (walk->nblocks == 0 && tablet_scan_next_range(walk->scan, source))
			return WALK_PAGES;
	}
}

uint32
tablet_walk_leave(const TabletWalk *walk, PageSource *source)
{
	source->watch = NULL;
	/* blocks that the source still has to read end where the rest begins */
	if (walk->block < walk->nblocks)
	{
		if (source->next >= source->end)
			source->next = first_block(walk) + walk->block;
		source->end = first_block(walk) + walk->nblocks;
		source->skip = NULL;
	}
	return walk->next;
}

/*
 * tablet_walk.c
 *		Walk over a relation's blocks in heap order, for scans that return rows: slices of cached tablets, and blocks to
 *		read.
 *
 * A tablet is returned in slices if it was found and lacks few blocks; else all
 * of it is read, and cached for others.  Each shelf is decided about when the
 * walk arrives there, so that a scan that wants few rows need not wait for all.
 */
#include "postgres.h"

#include "core/tablet/tablet_format.h"
#include "core/vm/program.h"
#include "tablet/scan/tablet_scan_private.h"
#include "tablet/scan/tablet_walk.h"

/* Return the first block of the current tablet. */
static BlockNumber
first_block(const TabletWalk *walk)
{
	return (walk->next - 1) * TABLET_BLOCKS;
}

static ScanTablet *
tablet_at_hand(const TabletWalk *walk)
{
	return &walk->scan->tablets[walk->next - 1];
}

void
tablet_walk_begin(TabletWalk *walk, TabletScan *scan, uint32 first)
{
	*walk = (TabletWalk) {.scan = scan, .next = first};
	scan->ndecided = first / SHELF_TABLETS;
}

/* Return the rows that are wanted of a tablet; NULL if there are none. */
static const CachedRows *
rows_of(TabletWalk *walk, uint32 tablet)
{
	if (walk->next_cached < walk->ncached && walk->cached[walk->next_cached].tablet == walk->scan->tablets[tablet].cached)
		return &walk->cached[walk->next_cached++];
	return NULL;
}

void
tablet_walk_offer(TabletWalk *walk, const CachedRows *cached, uint32 ncached)
{
	walk->cached = cached;
	walk->ncached = ncached;
	walk->next_cached = 0;
	/* skip the tablets before the one at which the walk began */
	for (uint32 t = walk->next - walk->next % SHELF_TABLETS; t < walk->next; t++)
		(void) rows_of(walk, t);
}

/*
 * Make the next tablet the current one; return true if the source reads all of
 * it.  Where no row is wanted of a tablet that was found, that would be in
 * vain.
 */
static bool
next_tablet(TabletWalk *walk, PageSource *source)
{
	const uint32 tablet = walk->next++;
	const ScanTablet *t = tablet_at_hand(walk);

	walk->block = walk->row = walk->nblocks = 0;
	walk->rows = rows_of(walk, tablet);
	if (t->cached != NULL && walk->rows == NULL)
		tablet_scan_finish(walk->scan);
	else if (tablet_scan_read_whole(walk->scan, tablet, source))
		return true;
	if (walk->rows != NULL || t->nlacking > 0)
		walk->nblocks = blocks_of_tablet(walk->scan, tablet);
	return false;
}

/* Make columns of the slice that begin with a tablet's row `first`, a multiple of 64. */
static void
slice_columns(TabletSlice *slice, const Tablet *tablet, uint32 first, uint32 nrows)
{
	/* columns are addressed by their distance from the tablet */
	const uint64 moved = (uint64) ((uintptr_t) tablet - (uintptr_t) slice->tablet);

	memcpy(slice->tablet, tablet, sizeof(Tablet) + sizeof(TabletColumn) * tablet->ncols);
	slice->tablet->nrows = nrows;
	slice->tablet->var += moved;
	for (uint32 c = 0; c < tablet->ncols; c++)
	{
		TabletColumn *column = &slice->tablet->column[c];

		column->values += moved + (uint64) first * coltype_bytes(column->type);
		column->nulls += moved + first / 8;
	}
}

/* Make a slice of the cached rows of the next blocks; return false if there are none, or none are wanted. */
static bool
next_slice(TabletWalk *walk, TabletSlice *slice)
{
	const ScanTablet *t = tablet_at_hand(walk);
	const uint32 end = Min(walk->block + PAGE_BATCH_PAGES, t->notes->nblocks);
	const uint32 begin = walk->row;
	const uint32 first = begin - begin % 64;

	slice->first = first_block(walk) + walk->block;
	slice->ntuples = t->notes->pages->ntuples + walk->block;
	slice->lead = begin - first;
	while (walk->block < end && block_set_has(&t->seen->usable, walk->block))
		walk->row += t->notes->pages->ntuples[walk->block++];
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

/* Make the source read the next blocks, which the current tablet lacks. */
static void
read_lacking(TabletWalk *walk, PageSource *source)
{
	const ScanTablet *t = tablet_at_hand(walk);

	source->next = first_block(walk) + walk->block;
	while (walk->block < walk->nblocks && !block_set_has(&t->seen->usable, walk->block))
	{
		if (walk->block < t->notes->nblocks)
			walk->row += t->notes->pages->ntuples[walk->block];
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
			if (!block_set_has(&tablet_at_hand(walk)->seen->usable, walk->block))
			{
				read_lacking(walk, source);
				return WALK_PAGES;
			}
			if (next_slice(walk, slice))
				return WALK_SLICE;
		}
		if (walk->next >= walk->scan->ntablets)
			return WALK_END;
		if (walk->next / SHELF_TABLETS >= walk->scan->ndecided)
			return WALK_SHELF;
		if (next_tablet(walk, source))
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

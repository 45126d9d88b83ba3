/*
 * tablet_keep.c
 *		Tablets of a relation during one run: reading those that are not cached, and caching them.
 */
#include "postgres.h"

#include "tablet/cache/pool.h"
#include "tablet/cache/shelf.h"
#include "tablet/cache/validity.h"
#include "tablet/cache/without_rule.h"
#include "tablet/read/tablet_build.h"
#include "tablet/scan/tablet_scan.h"
#include "tablet/scan/tablet_scan_private.h"

/* Reading */

/* Return memory to build a tablet in. */
static TabletBuild *
new_build(TabletScan *scan)
{
	TabletBuild *build;
	MemoryContext old;

	if (scan->spare != NIL)
	{
		build = llast(scan->spare);
		scan->spare = list_delete_last(scan->spare);
		return build;
	}
	old = MemoryContextSwitchTo(scan->context);
	build = tablet_build_create(scan->columns.n, scan->waiting != NIL ? llast(scan->waiting) : NULL);
	MemoryContextSwitchTo(old);
	return build;
}

/* Put a build on one of the scan's lists. */
static void
enlist(TabletScan *scan, List **list, TabletBuild *build)
{
	MemoryContext old = MemoryContextSwitchTo(scan->context);

	*list = lappend(*list, build);
	MemoryContextSwitchTo(old);
}

/* Describe the room in the pool for a part of a tablet that queries want `uses` times. */
static ShelfRoom
room_for(const TabletScan *scan, uint32 tablet, double uses)
{
	return (ShelfRoom) {
		.since = scan->since, .shelf = shelf_of(scan, tablet)->shelf, .keys = &scan->columns, .uses = uses, .blocks = blocks_of_tablet(scan, tablet)
	};
}

/* Begin to build a tablet, if it can be cached and no other process builds it. */
static void
begin_build(TabletScan *scan, uint32 tablet)
{
	const ScanShelf *s = shelf_of(scan, tablet);
	const ScanTablet *t = &scan->tablets[tablet];
	TabletBuild *build;

	if (scan->keeps_nothing || s->shelf == NULL || (t->cached != NULL && t->nlacking < LACKING_MOST) || !shelf_worth_building(s->shelf, tablet % SHELF_TABLETS))
		return;
	build = new_build(scan);
	if (shelf_claim(s->shelf, tablet % SHELF_TABLETS))
	{
		scan->build = build;
		for (int c = 0; c < scan->columns.n; c++)
			build->column[c].room_for = room_for(scan, tablet, shelf_uses(s->shelf, &scan->columns.key[c]));
		tablet_build_begin(build, tablet, blocks_of_tablet(scan, tablet), t->cached != NULL ? t->nlacking : blocks_of_tablet(scan, tablet));
	}
	else
		enlist(scan, &scan->spare, build);
}

/* Make a source read a tablet's blocks, except those whose cached rows are used. */
static void
set_range(TabletScan *scan, uint32 tablet, PageSource *source)
{
	source->range = source->next = tablet * TABLET_BLOCKS;
	source->end = scan->range_end = source->next + blocks_of_tablet(scan, tablet);
	source->skip = scan->tablets[tablet].skip;
	source->watch = scan->build != NULL ? &scan->build->watch : NULL;
}

bool
tablet_scan_next_range(TabletScan *scan, PageSource *source)
{
	const ScanTablet *t = scan->tablets;
	uint32		tablet = scan->next_range;

	tablet_scan_finish(scan);
	if (!FOLLOWS(RULE_DECIDED_ONCE))
		tablet_scan_decide(scan, false);
	while (tablet < scan->end_range && (t[tablet].cached != NULL ? t[tablet].skip == NULL : scan->share != NULL))
		tablet++;
	scan->next_range = tablet + 1;
	if (tablet >= scan->end_range && !tablet_scan_draw(scan, &tablet))
		return false;
	if (scan->joined)
		tablet_scan_look(scan, tablet);
	begin_build(scan, tablet);
	set_range(scan, tablet, source);
	return true;
}

bool
tablet_scan_read_whole(TabletScan *scan, uint32 tablet, PageSource *source)
{
	ScanTablet *t = &scan->tablets[tablet];

	tablet_scan_finish(scan);
	if (t->cached != NULL && t->nlacking < LACKING_MOST)
		return false;
	begin_build(scan, tablet);
	if (t->cached != NULL)
	{
		if (scan->build == NULL)
			return false;
		/* built of all blocks, with none taken from the cached tablet */
		t->cached = NULL;
		t->skip = NULL;
		scan->report.cached--;
		scan->report.reread -= t->nlacking;
	}
	set_range(scan, tablet, source);
	return true;
}

/* Return true if a tablet lacks so many blocks that it is not worth caching. */
static bool
too_much_lost(const TabletBuild *build)
{
	return build->watch.nother > WORN(build->watch.notes.nblocks);
}

ColumnPlace *
tablet_scan_add_page_batch(TabletScan *scan, PageBatch *page_batch)
{
	const PageList *list = &page_batch->list;
	const uint32 blocks_left = scan->range_end - page_batch->block[list->npages - 1] - 1;

	page_batch->build = scan->build;
	if (scan->build == NULL)
		return NULL;
	scan->build->failed |= too_much_lost(scan->build);
	page_batch->places = MemoryContextAlloc(scan->context, sizeof(ColumnPlace) * scan->columns.n);
	/* page batches that follow are like this one */
	page_batch->first_row = tablet_build_add(scan->build, list->nrows, list->nrows * blocks_left / list->npages, page_batch->places);
	return scan->build->failed ? NULL : page_batch->places;
}

void
tablet_scan_collect(TabletScan *scan, PageBatch *page_batch, Tablet *columns)
{
	TabletBuild *build = page_batch->build;

	if (build == NULL)
		return;
	build->open_page_batches--;
	build->failed |= columns == NULL;
	if (!build->failed)
		tablet_build_copy(build, page_batch->first_row, columns, page_batch->places);
	pfree(page_batch->places);
	page_batch->build = NULL;
}

/* Caching tablets */

/* Store a built tablet's columns in the pool; return InvalidDsaPointer if there was no room for all. */
static dsa_pointer
store_columns(const TabletScan *scan, TabletBuild *build)
{
	dsa_pointer columns = InvalidDsaPointer;

	for (int c = 0; c < build->ncolumns; c++)
	{
		dsa_pointer column = shelf_make_column(&scan->columns.key[c], &build->column[c], build->nrows);

		if (!DsaPointerIsValid(column))
		{
			shelf_drop_columns(columns);
			return InvalidDsaPointer;
		}
		((CachedColumn *) pool_address(column))->next = columns;
		columns = column;
	}
	return columns;
}

/*
 * Set a stamp to what is known of a built tablet's blocks: those that are
 * all-visible are proven if the visibility map still stands as it did before
 * they were read.  Blocks taken from an older tablet were chosen by the same
 * map.
 */
static void
make_stamp(const TabletScan *scan, const TabletBuild *build, TabletStamp *stamp)
{
	const BlockWatch *watch = &build->watch;
	const ScanTablet *t = &scan->tablets[build->tablet];
	const XLogRecPtr map_lsn = shelf_of(scan, build->tablet)->map_lsn;
	MapPage    *map = palloc(sizeof(MapPage));
	BlockSet	visible;

	map_page_read(scan->relation, build->tablet / SHELF_TABLETS, map);
	map_page_visible(map, build->tablet % SHELF_TABLETS, watch->notes.nblocks, &visible);
	*stamp = (TabletStamp) {.map_lsn = map_lsn, .horizon = horizon_at(scan, build->tablet)};
	for (uint32 block = 0; block < watch->notes.nblocks; block++)
	{
		/* pages that differ from the visibility map are not believed */
		const bool	all_visible = block_set_has(&watch->all_visible, block) && block_set_has(&visible, block);

		if (t->skip != NULL && block_set_has(t->skip, block))
		{
			if (block_set_has(&t->seen->stamp.proven, block))
				block_set_add(&stamp->proven, block);
		}
		else if (!all_visible && !block_set_has(&watch->notes.quiescent, block))
			block_set_add(&stamp->lost, block);
		else if (all_visible && map->lsn == map_lsn)
			block_set_add(&stamp->proven, block);
		if (!block_set_has(&stamp->lost, block))
			block_set_add(&stamp->good, block);
	}
	pfree(map);
}

/*
 * Return true if a built tablet has more blocks than the one that was found.
 * Quiescent blocks of the found tablet count, since other snapshots can use
 * them if this one cannot.
 */
static bool
is_better(const ScanTablet *found, const TabletBuild *build, const TabletStamp *stamp)
{
	const uint32 nblocks = build->watch.notes.nblocks;
	uint32		lost = 0;
	uint32		was_lost = 0;

	for (uint32 block = 0; block < nblocks; block++)
	{
		lost += block_set_has(&stamp->lost, block);
		was_lost += block >= found->notes->nblocks || block_set_has(&found->seen->stamp.lost, block) ||
			!(block_set_has(&found->seen->usable, block) || block_set_has(&found->notes->quiescent, block));
	}
	return lost < was_lost;
}

/* Publish a tablet whose page batches are all collected; return false if that could not be. */
static bool
keep(TabletScan *scan, TabletBuild *build)
{
	const ScanTablet *t = &scan->tablets[build->tablet];
	/* the tablet itself takes little */
	const ShelfRoom room = room_for(scan, build->tablet, INFINITY);
	TabletStamp stamp;
	dsa_pointer columns;

	if (build->failed || too_much_lost(build))
		return false;
	if ((t->cached != NULL && !tablet_build_merge(build, t->cached, t->notes, t->skip)) || build->nrows == 0)
		return false;
	if (!tablet_build_end(build))
		return false;
	make_stamp(scan, build, &stamp);
	if (t->notes != NULL && !is_better(t, build, &stamp))
		return false;
	columns = store_columns(scan, build);
	if (!DsaPointerIsValid(columns) && build->ncolumns > 0)
		return false;
	if (!shelf_publish(shelf_of(scan, build->tablet)->shelf, build->tablet % SHELF_TABLETS, &stamp, &build->watch.notes, columns, &room))
		return false;
	scan->report.added++;
	return true;
}

static void
unclaim(const TabletScan *scan, const TabletBuild *build, bool built)
{
	shelf_unclaim(shelf_of(scan, build->tablet)->shelf, build->tablet % SHELF_TABLETS, built);
}

void
tablet_scan_finish_earlier(TabletScan *scan)
{
	ListCell   *lc;

	foreach(lc, scan->waiting)
	{
		TabletBuild *build = lfirst(lc);

		if (build->open_page_batches > 0)
			continue;
		unclaim(scan, build, keep(scan, build));
		tablet_build_drop(build);
		scan->waiting = foreach_delete_current(scan->waiting, lc);
		enlist(scan, &scan->spare, build);
	}
}

void
tablet_scan_finish(TabletScan *scan)
{
	if (scan->build != NULL)
		enlist(scan, &scan->waiting, scan->build);
	scan->build = NULL;
	tablet_scan_finish_earlier(scan);
}

/* Give up a tablet whose build was begun. */
static void
abandon(const TabletScan *scan, TabletBuild *build)
{
	unclaim(scan, build, true);
	tablet_build_drop(build);
}

void
tablet_scan_close(TabletScan *scan)
{
	ListCell   *lc;

	if (scan->build != NULL)
		abandon(scan, scan->build);
	foreach(lc, scan->waiting)
		abandon(scan, lfirst(lc));
	for (uint32 s = 0; s < scan->nshelves; s++)
	{
		if (scan->shelves[s].memo != NULL)
			shelf_memo_let_go(scan->shelves[s].memo);
		if (scan->shelves[s].shelf != NULL)
			shelf_unpin(scan->shelves[s].shelf);
	}
	scan->nshelves = 0;
	scan->build = NULL;
	scan->waiting = NIL;
}

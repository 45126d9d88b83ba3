/*
 * portions.c
 *		The input of a scan that returns rows, one portion at a time: page batches, and slices of cached tablets.
 *
 * The program may have to change after rows have been returned.  Then the blocks
 * left of the current tablet are read from the heap, and tablets with the
 * columns of the new program are looked for among those behind it.
 */
#include "postgres.h"

#include "exec/rows/portions.h"
#include "guc.h"

static BlockNumber
blocks_of(const Feed *feed)
{
	return feed->source.scan->rs_nblocks;
}

/*
 * Assign all remaining blocks to cached tablets, and collect new tablets for the cache; return
 * false if none can be cached.
 */
static bool
use_tablets(Portions *portions)
{
	Feed	   *feed = portions->feed;
	MemoryContext old = MemoryContextSwitchTo(feed->context);

	feed->tablets = tablet_scan_create(feed->source.relation, feed->source.scan->rs_base.rs_snapshot, blocks_of(feed), feed->wanted,
									   feed->spec.program->ncolumns);
	if (feed->tablets != NULL)
	{
		feed->cached = palloc(sizeof(CachedRows) * SHELF_TABLETS);
		tablet_walk_begin(&portions->walk, feed->tablets, tablets_of(portions->rest));
		portions->rest = blocks_of(feed);
	}
	MemoryContextSwitchTo(old);
	return feed->tablets != NULL;
}

/* Choose the cached tablets of the next shelf to use, leaving out those of which no row can pass. */
static void
open_shelf(Portions *portions)
{
	Feed	   *feed = portions->feed;
	uint32		n;
	const CachedRows *found = tablet_scan_decide_next(feed->tablets, &n);

	run_dicts_catch_up(feed->dicts);
	feed_choose_cached(feed, found, n);
	/* all of them are of one shelf, and the walk reads them */
	if (feed->ncached > 0)
		cached_rows_complete(feed->cached);
	tablet_walk_offer(&portions->walk, feed->cached, feed->ncached);
}

void
portions_resume(Portions *portions, bool cached)
{
	if (cached && gpudb_cache && feed_may_be_cached(portions->feed) && portions->rest < blocks_of(portions->feed))
		(void) use_tablets(portions);
}

void
portions_begin(Portions *portions, Feed *feed, bool cached)
{
	*portions = (Portions) {.feed = feed};
	/* no blocks have been assigned to the source yet */
	feed->source.next = feed->source.end = 0;
	feed->source.watch = NULL;
	portions_resume(portions, cached);
}

void
portions_rewind(Portions *portions)
{
	FeedReport *report = &portions->feed->report;

	feed_close_tablets(portions->feed);
	/* work done in vain is not reported */
	report->page_batches = report->rows_in = report->rows_skipped = report->column_bytes = 0;
	report->tablets_found = report->tablets_skipped = report->tablets_added = report->blocks_reread = report->rows_fetched = 0;
}

void
portions_leave(Portions *portions)
{
	Feed	   *feed = portions->feed;
	ListCell   *lc;

	if (feed->tablets == NULL)
		return;
	portions->rest = Min(tablet_walk_leave(&portions->walk, &feed->source) * TABLET_BLOCKS, blocks_of(feed));
	/* the tablets that page batches were collected for are gone */
	foreach(lc, feed->page_batches)
		((PageBatch *) lfirst(lc))->build = NULL;
	feed_close_tablets(feed);
}

/* Assign all remaining blocks to the source; return false if there are none. */
static bool
read_rest(Portions *portions)
{
	PageSource *source = &portions->feed->source;

	if (portions->rest >= blocks_of(portions->feed))
		return false;
	source->next = portions->rest;
	source->end = portions->rest = blocks_of(portions->feed);
	source->skip = NULL;
	source->watch = NULL;
	return true;
}

Portion
portions_next(Portions *portions, PageBatch *page_batch, TabletSlice *slice)
{
	Feed	   *feed = portions->feed;

	while (!feed_fill_page_batch(feed, page_batch))
	{
		WalkStep	step;
		MemoryContext old;

		if (feed->tablets == NULL)
		{
			if (!read_rest(portions))
				return PORTION_END;
			continue;
		}
		old = MemoryContextSwitchTo(feed->context);
		while ((step = tablet_walk_next(&portions->walk, &feed->source, slice)) == WALK_SHELF)
			open_shelf(portions);
		MemoryContextSwitchTo(old);
		if (step == WALK_END)
			return PORTION_END;
		if (step == WALK_SLICE)
		{
			feed->report.page_batches++;
			feed_count_cached(feed, &slice->rows);
			return PORTION_SLICE;
		}
	}
	if (feed->tablets != NULL)
		(void) tablet_scan_add_page_batch(feed->tablets, page_batch);
	return PORTION_PAGES;
}

ColumnPlace *
portions_places(const Portions *portions, const PageBatch *page_batch)
{
	return portions->feed->tablets != NULL && page_batch->build != NULL ? page_batch->places : NULL;
}

void
portions_collect(Portions *portions, PageBatch *page_batch, Tablet *columns)
{
	if (portions->feed->tablets != NULL)
		tablet_scan_collect(portions->feed->tablets, page_batch, columns);
}

/*
 * Read the blocks of a slice into a page batch, except those in `skip` (numbered
 * within the slice; NULL = none), without changing the source's position.
 */
static void
read_blocks(Portions *portions, const TabletSlice *slice, const BlockSet *skip, PageBatch *page_batch)
{
	PageSource *source = &portions->feed->source;
	const PageSource before = *source;

	source->next = source->range = slice->first;
	source->end = slice->end;
	source->skip = skip;
	source->watch = NULL;
	(void) page_source_next(source, page_batch);
	source->next = before.next;
	source->end = before.end;
	source->range = before.range;
	source->skip = before.skip;
	source->watch = before.watch;
}

void
portions_reread(Portions *portions, const TabletSlice *slice, PageBatch *page_batch)
{
	read_blocks(portions, slice, NULL, page_batch);
}

/* Find the blocks of a slice that have none of the given rows. */
static void
find_blocks_without(const TabletSlice *slice, const uint32 *rows, uint32 nrows, BlockSet *without)
{
	uint32		end = slice->lead;
	uint32		n = 0;

	memset(without, 0, sizeof(*without));
	for (uint32 block = 0; block < slice->end - slice->first; block++)
	{
		const uint32 before = n;

		end += slice->ntuples[block];
		while (n < nrows && rows[n] < end)
			n++;
		if (n == before)
			block_set_add(without, block);
	}
}

bool
portions_fetch(Portions *portions, const TabletSlice *slice, const uint32 *rows, uint32 nrows, PageBatch *page_batch, uint32 *places)
{
	const PageList *list = &page_batch->list;
	BlockSet	without;
	uint32		first = slice->lead;
	uint32		n = 0;
	int			p = 0;

	find_blocks_without(slice, rows, nrows, &without);
	read_blocks(portions, slice, &without, page_batch);
	for (uint32 block = 0; block < slice->end - slice->first; first += slice->ntuples[block++])
	{
		if (block_set_has(&without, block))
			continue;
		if (p == list->npages || page_batch->block[p] != slice->first + block || list->ntuples[p] != slice->ntuples[block])
		{
			page_batch_release(page_batch);
			return false;
		}
		for (; n < nrows && rows[n] - first < slice->ntuples[block]; n++)
			places[n] = ROW_PLACE(p, list->offsets[p][rows[n] - first]);
		p++;
	}
	portions->feed->report.rows_fetched += nrows;
	return true;
}

void
portions_end(Portions *portions)
{
	if (portions->feed->tablets != NULL)
		tablet_scan_finish(portions->feed->tablets);
	feed_close_tablets(portions->feed);
}

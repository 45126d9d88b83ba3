/*
 * remote_describe.c
 *		Description of page batches for the GPU process: pages, or cached
 *		tablets.
 */
#include "postgres.h"

#include "storage/bufmgr.h"

#include "device/remote.h"

/*
 * Describe the pages of a page batch: in place where the device can read them,
 * else as copies; return false if there is no room for copies.
 */
static bool
describe_pages(const PageList *pages, ChannelPages *page_batch)
{
	const uint8 *pool = (const uint8 *) BufferBlocks;
	Channel    *channel = channel_get();

	page_batch->npages = pages->npages;
	page_batch->ntablets = 0;
	page_batch->nrows = pages->nrows;
	page_batch->output = OUTPUT_NONE;
	for (uint32 p = 0; p < pages->npages; p++)
	{
		uint64		offset = (uint64) (pages->page[p] - pool);
		uint32		n = pages->ntuples[p];

		if (pages->page[p] >= pool && offset < (uint64) NBuffers * BLCKSZ && channel_want_page(offset))
			page_batch->page[p] = offset;
		else
		{
			if (page_batch->copy == CHANNEL_NO_COPY && !channel_take_copy(page_batch))
				return false;
			memcpy(channel->copies[page_batch->copy][p], pages->page[p], BLCKSZ);
			page_batch->page[p] = CHANNEL_COPIED | p;
		}
		page_batch->ntuples[p] = (uint16) n;
		/* offset numbers ascend: the last one tells whether some tuples are left out */
		page_batch->every[p] = pages->offsets[p][n - 1] == n;
		if (!page_batch->every[p])
			memcpy(page_batch->offsets[p], pages->offsets[p], n * sizeof(uint16));
	}
	return true;
}

/* Cached tablets */

/* Return how many tablets, beginning with the first one, belong to its shelf; or to no shelf, if it does not either. */
static uint32
of_one_shelf(const CachedRows *rows, uint32 n)
{
	uint32		same = 1;

	while (same < n && rows[same].shelf == rows[0].shelf)
		same++;
	return same;
}

/* Return the number of list words of a tablet of no shelf, with its bitmap. */
static uint64
words_of_tablet(uint32 ncolumns, const CachedRows *rows)
{
	return channel_tablet_words(ncolumns) +
		(rows->selected != NULL ? tablet_bitmap_bytes(rows->tablet->nrows) / sizeof(uint64) : 0);
}

/* Return the number of list words of a shelf that is described. */
static uint64
words_of_shelf(uint32 ncolumns, const CachedShelf *shelf)
{
	return channel_shelf_words(ncolumns) + (uint64) shelf->ntablets * channel_tablet_words(ncolumns);
}

/*
 * Return true if a tablet is to be named by its shelf; a shelf too large for
 * any page batch could never be described.
 */
static bool
has_shelf(uint32 ncolumns, const CachedRows *rows)
{
	return rows->shelf != NULL && words_of_shelf(ncolumns, rows->shelf) <= CHANNEL_LIST_WORDS;
}

/* Return true if this session has named the shelf to the GPU process that serves now, which has known it since. */
static bool
was_told(const RemoteJob *job, const CachedShelf *shelf)
{
	return shelf->told != 0 && shelf->told == job->slot->incarnation;
}

uint32
remote_tablets_that_fit(const RemoteJob *job, const CachedRows *rows, uint32 n)
{
	const uint32 ncolumns = job->spec.program->ncolumns;
	uint64		words = 0;
	uint32		taken = 0;

	n = Min(n, CHANNEL_LIST_TABLETS);
	while (taken < n)
	{
		const CachedRows *next = &rows[taken];
		const uint32 same = of_one_shelf(next, n - taken);

		if (has_shelf(ncolumns, next))
		{
			words += was_told(job, next->shelf) ? channel_shelf_words(ncolumns) : words_of_shelf(ncolumns, next->shelf);
			if (words > CHANNEL_LIST_WORDS)
				break;
			taken += same;
			continue;
		}
		words += channel_shelf_words(0);
		for (const uint32 end = taken + same; taken < end; taken++)
		{
			words += words_of_tablet(ncolumns, &rows[taken]);
			if (words > CHANNEL_LIST_WORDS)
				return taken;
		}
	}
	return taken;
}

bool
remote_fits(const RemoteJob *job, const DeviceWork *work)
{
	return work->pages != NULL || job->spec.source.number != 0 || remote_tablets_that_fit(job, work->cached, work->ncached) == work->ncached;
}

/* Write a tablet's description, followed by its bitmap if it has one; return the position behind both. */
static uint32
describe_tablet(uint32 ncolumns, const CachedRows *rows, uint64 *list, uint32 at)
{
	ChannelTablet *to = (ChannelTablet *) &list[at];
	const uint32 end = at + channel_tablet_words(ncolumns);

	*to = (ChannelTablet) {.nrows = rows->tablet->nrows, .selected = rows->selected != NULL ? end : 0};
	for (uint32 c = 0; c < ncolumns; c++)
	{
		to->column[c] = (ChannelColumn) {rows->column[c].number, rows->column[c].text_bytes, rows->tablet->column[c]};
		to->column[c].stored.values = rows->column[c].values;
		to->column[c].stored.nulls = rows->column[c].nulls;
		if (rows->tablet->column[c].type == COLTYPE_TEXT)
			to->column[c].stored.base = (int64) rows->column[c].texts;
	}
	if (rows->selected != NULL)
		memcpy(&list[end], rows->selected, tablet_bitmap_bytes(to->nrows));
	return at + (uint32) words_of_tablet(ncolumns, rows);
}

/*
 * Write the header for n tablets of a shelf.  The shelf is only named at
 * first, since mostly the GPU process knows it from this or another session,
 * and described after the GPU process has asked for it.  Returns the position
 * behind it.
 */
static uint32
describe_shelf(const RemoteJob *job, const CachedRows *rows, uint32 n, bool described, uint64 *list, uint32 at)
{
	const uint32 ncolumns = job->spec.program->ncolumns;
	CachedShelf *shelf = rows->shelf;
	ChannelShelf *to = (ChannelShelf *) &list[at];

	*to = (ChannelShelf) {.number = shelf->number, .ntablets = shelf->ntablets, .described = described};
	for (uint32 t = 0; t < n; t++)
		to->wanted |= (uint32) 1 << rows[t].place;
	for (uint32 c = 0; c < ncolumns; c++)
		to->first[c] = shelf->rows[0].column[c].number;
	at += channel_shelf_words(ncolumns);
	if (described)
		cached_rows_complete(rows);
	for (uint32 t = 0; t < shelf->ntablets && described; t++)
		at = describe_tablet(ncolumns, &shelf->rows[t], list, at);
	shelf->told = job->slot->incarnation;
	return at;
}

/* Write a header and the descriptions of n tablets of no shelf; return the position behind them. */
static uint32
describe_others(const RemoteJob *job, const CachedRows *rows, uint32 n, uint64 *list, uint32 at)
{
	*(ChannelShelf *) &list[at] = (ChannelShelf) {.ntablets = n};
	at += channel_shelf_words(0);
	for (uint32 t = 0; t < n; t++)
		at = describe_tablet(job->spec.program->ncolumns, &rows[t], list, at);
	return at;
}

/* Describe cached tablets that fit in the page batch. */
static void
describe_tablets(const RemoteJob *job, const RemoteItem *item, ChannelPages *page_batch)
{
	const DeviceWork *work = &item->work;
	const uint32 ncolumns = job->spec.program->ncolumns;
	uint32		at = 0;
	uint32		same;

	page_batch->npages = 0;
	page_batch->ntablets = work->ncached;
	page_batch->nshelves = 0;
	page_batch->output = OUTPUT_NONE;
	for (uint32 t = 0; t < work->ncached; t += same, page_batch->nshelves++)
	{
		const CachedRows *rows = &work->cached[t];

		same = of_one_shelf(rows, work->ncached - t);
		at = has_shelf(ncolumns, rows) ? describe_shelf(job, rows, same, item->retold, page_batch->list, at)
			: describe_others(job, rows, same, page_batch->list, at);
	}
	Assert(at <= CHANNEL_LIST_WORDS);
}

void
remote_forget_shelves(const RemoteItem *item)
{
	for (uint32 t = 0; t < item->work.ncached; t++)
		if (item->work.cached[t].shelf != NULL)
			item->work.cached[t].shelf->told = 0;
}

bool
remote_describe(const RemoteJob *job, const RemoteItem *item, ChannelPages *page_batch)
{
	if (item->work.pages != NULL)
		return describe_pages(item->work.pages, page_batch);
	if (job->spec.source.number != 0)
	{
		page_batch->npages = page_batch->ntablets = 0;
		page_batch->output = OUTPUT_NONE;
		return true;
	}
	describe_tablets(job, item, page_batch);
	return true;
}

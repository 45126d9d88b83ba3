/*
 * pages.c
 *		Heap pages for a device.
 *
 * PostgreSQL's own functions decide which tuples are visible, page by page, as
 * in a sequential scan; where conflicts of serializable transactions are to be
 * noted they are its scan's.  The list of line pointers is stored, the content
 * lock is given up, and the device reads the listed tuples later: they stand
 * still as long as the page is pinned.
 *
 * In recovery PostgreSQL's scans examine each tuple, since the flag of a page
 * may get there without the record that sets it.  The visibility map's bit does
 * not: before replay sets it, all snapshots to which some tuple is not visible
 * have ended, and before a change of the page is replayed it is cleared.  So a
 * page whose content is locked while its bit is set is all-visible, on which
 * index-only scans rely, too.
 *
 * A page that was in shared_buffers stays pinned if the budget allows.  A page
 * that had to be read went through the ring that sequential scans use, which a
 * pin would defeat, so it is copied and unpinned at once; so is every page when
 * there is no lease.
 */
#include "postgres.h"

#include "access/heapam.h"
#include "access/tableam.h"
#include "access/visibilitymap.h"
#include "executor/instrument.h"
#include "miscadmin.h"
#include "storage/predicate.h"
#include "utils/memutils.h"

#include "core/tablet/heap_page.h"

#include "pg_compat.h"
#include "tablet/cache/recent.h"
#include "tablet/cache/without_rule.h"
#include "tablet/read/pages.h"
#include "tablet/read/pins.h"

/* Check that the page structs of core/ are PostgreSQL's. */
StaticAssertDecl(HEAP_PAGE_SIZE == BLCKSZ, "gpudb is built for pages of 8 kB");
StaticAssertDecl(HEAP_MAX_TUPLES == MaxHeapTuplesPerPage, "tuples of a page");
StaticAssertDecl(HEAP_PAGE_LINP == offsetof(PageHeaderData, pd_linp), "page header");
StaticAssertDecl(sizeof(ItemIdData) == 4, "line pointer");
StaticAssertDecl(HEAP_TUPLE_INFOMASK2 == offsetof(HeapTupleHeaderData, t_infomask2), "tuple header");
StaticAssertDecl(HEAP_TUPLE_INFOMASK == offsetof(HeapTupleHeaderData, t_infomask), "tuple header");
StaticAssertDecl(HEAP_TUPLE_HOFF == offsetof(HeapTupleHeaderData, t_hoff), "tuple header");
StaticAssertDecl(HEAP_TUPLE_BITS == offsetof(HeapTupleHeaderData, t_bits), "tuple header");
/* the macros of the tuple header have core's names: compare their values */
StaticAssertDecl(HEAP_NATTS_MASK == 0x07FF && HEAP_HASNULL == 0x0001, "tuple header flags");

/* Number of blocks to read ahead when pages come from outside shared_buffers. */
#define PREFETCH_DISTANCE 32

/*
 * Number of blocks that a process draws at a time: 2 MB, so that reading stays
 * sequential and the last ones end together.
 */
#define SHARE_BLOCKS 256

/*
 * Number of tuples of a page from which on their headers are on so many cache
 * lines that the page had better be read whole.
 */
#define TUPLES_MANY		32

/* Number of blocks ahead whose memory is prefetched. */
#define LOOKAHEAD 8

void
page_source_open(PageSource *source, Relation relation, Snapshot snapshot)
{
	memset(source, 0, sizeof(*source));
	source->relation = relation;
	/* not synchronised with other scans, so that rows come in heap order */
	source->scan = (HeapScanDesc) table_beginscan_strat(relation, snapshot, 0, NULL, true, false);
	source->end = source->scan->rs_nblocks;
	/* conflicts are to be noted tuple by tuple */
	source->recent = !RelationUsesLocalBuffers(relation) && !CheckForSerializableConflictOutNeeded(relation, snapshot);
	source->by_map = snapshot->takenDuringRecovery;
	source->search = true;
}

void
page_source_share(PageSource *source, Share *share)
{
	share_begin(share, source->end);
	page_source_join(source, share);
}

void
page_source_join(PageSource *source, Share *share)
{
	source->share = share;
	source->next = source->end = 0;
}

void
page_source_close(PageSource *source)
{
	if (source->scan != NULL)
		table_endscan((TableScanDesc) source->scan);
	source->scan = NULL;
	if (BufferIsValid(source->map))
		ReleaseBuffer(source->map);
	source->map = InvalidBuffer;
}

PageBatch *
page_batch_create(void)
{
	PageBatch *page_batch = palloc(sizeof(PageBatch));

	memset(page_batch, 0, offsetof(PageBatch, offsets));
	return page_batch;
}

/* Visible tuples of a page. */
typedef struct TupleList
{
	const OffsetNumber *offsets;
	int			n;
	XLogRecPtr	lsn;			/* LSN of the page, if the source is watched */
} TupleList;

/* Return where the offsets of the batch's next page are stored. */
static OffsetNumber *
next_offsets(PageBatch *page_batch)
{
	return &page_batch->offsets[page_batch->list.npages * MaxHeapTuplesPerPage];
}

/* Return the list 1, 2, ... of a page where every line pointer has a tuple. */
static const OffsetNumber *
every_offset(void)
{
	static OffsetNumber every[MaxHeapTuplesPerPage];

	if (every[0] == InvalidOffsetNumber)
		for (int i = 0; i < MaxHeapTuplesPerPage; i++)
			every[i] = FirstOffsetNumber + i;
	return every;
}

/*
 * Return true if the page's first n line pointers all have tuples; two at a
 * time, since this is most of what feeding costs.
 */
static bool
all_normal(Page page, int n)
{
	const ItemIdData normal = {.lp_flags = LP_NORMAL};
	const ItemIdData flags = {.lp_flags = 3};
	const ItemIdData *item = PageGetItemId(page, FirstOffsetNumber);
	uint64		differ = 0;
	uint32		want;
	uint32		mask;
	uint64		pair;

	memcpy(&want, &normal, sizeof(want));
	memcpy(&mask, &flags, sizeof(mask));
	for (; n >= 2; n -= 2, item += 2)
	{
		memcpy(&pair, item, sizeof(pair));
		differ |= pair ^ ((uint64) want << 32 | want);
	}
	return (differ & ((uint64) mask << 32 | mask)) == 0 && (n == 0 || ItemIdIsNormal(item));
}

/* Return true if all tuples of a page whose content is locked are visible to every snapshot. */
static bool
is_all_visible(PageSource *source, Buffer buffer)
{
	return PageIsAllVisible(BufferGetPage(buffer)) &&
		(!source->by_map || VM_ALL_VISIBLE(source->relation, BufferGetBlockNumber(buffer), &source->map));
}

/* List the tuples of a page whose content is locked, if all of them are visible; return false if that is not known. */
static bool
list_all_visible(PageSource *source, Buffer buffer, OffsetNumber *room, TupleList *tuples)
{
	Page		page = BufferGetPage(buffer);
	OffsetNumber last = Min(PageGetMaxOffsetNumber(page), MaxHeapTuplesPerPage);

	compat_test_old_snapshot(source->scan->rs_base.rs_snapshot, source->relation, page);
	if (!is_all_visible(source, buffer))
		return false;
	*tuples = (TupleList) {every_offset(), last};
	if (!all_normal(page, last))
	{
		*tuples = (TupleList) {room, 0};
		for (OffsetNumber offset = FirstOffsetNumber; offset <= last; offset++)
		{
			room[tuples->n] = offset;
			tuples->n += ItemIdIsNormal(PageGetItemId(page, offset));
		}
	}
	tuples->lsn = source->watch != NULL ? BufferGetLSNAtomic(buffer) : InvalidXLogRecPtr;
	return true;
}

/* List, one by one, the tuples that the snapshot sees of a page whose content is locked. */
static void
list_seen(const PageSource *source, Buffer buffer, OffsetNumber *room, TupleList *tuples)
{
	Page		page = BufferGetPage(buffer);
	const BlockNumber block = BufferGetBlockNumber(buffer);
	HeapTupleData tuple = {.t_tableOid = RelationGetRelid(source->relation)};

	if (PageGetMaxOffsetNumber(page) >= TUPLES_MANY)
		heap_page_read((const uint8 *) page);
	*tuples = (TupleList) {room, 0};
	for (OffsetNumber offset = FirstOffsetNumber; offset <= PageGetMaxOffsetNumber(page); offset++)
	{
		ItemId		item = PageGetItemId(page, offset);

		if (!ItemIdIsNormal(item))
			continue;
		tuple.t_data = (HeapTupleHeader) PageGetItem(page, item);
		tuple.t_len = ItemIdGetLength(item);
		ItemPointerSet(&tuple.t_self, block, offset);
		room[tuples->n] = offset;
		tuples->n += HeapTupleSatisfiesVisibility(&tuple, source->scan->rs_base.rs_snapshot, buffer);
	}
}

/*
 * Prepare a block without asking PostgreSQL where it is, if it is where it was
 * or behind the block before, and all of it is visible.  Return its buffer,
 * pinned, or InvalidBuffer.
 */
static Buffer
prepare_recent(PageSource *source, PageBatch *page_batch, BlockNumber block, TupleList *tuples)
{
	Buffer		buffer;
	bool		all_visible;

	if (!source->recent)
		return InvalidBuffer;
	recent_prefetch(source->relation, block, block + LOOKAHEAD);
	buffer = recent_pin(source->relation, block, source->search);
	if (!BufferIsValid(buffer))
		return InvalidBuffer;
	LockBuffer(buffer, BUFFER_LOCK_SHARE);
	all_visible = list_all_visible(source, buffer, next_offsets(page_batch), tuples);
	LockBuffer(buffer, BUFFER_LOCK_UNLOCK);
	source->search = all_visible;
	if (all_visible)
		return buffer;
	ReleaseBuffer(buffer);
	return InvalidBuffer;
}

/* Note for the cache what was read of a block all of which is visible. */
static void
note_all_visible(BlockWatch *watch, uint32 place, const TupleList *tuples)
{
	watch->notes.pages->ntuples[place] = (uint16) tuples->n;
	watch->notes.pages->lsn[place] = tuples->lsn;
	block_set_add(&watch->all_visible, place);
}

/* Note for the cache what was read of a block whose content is locked. */
static void
note_prepared(const PageSource *source, uint32 place, Buffer buffer, bool all_visible, TupleList *tuples)
{
	BlockWatch *watch = source->watch;

	/* a transaction that has changed the page since PostgreSQL listed its tuples has not ended for this snapshot */
	tuples->lsn = BufferGetLSNAtomic(buffer);
	if (all_visible || !FOLLOWS(RULE_PAGE_FLAG))
	{
		note_all_visible(watch, place, tuples);
		return;
	}
	watch->notes.pages->ntuples[place] = (uint16) tuples->n;
	watch->notes.pages->lsn[place] = tuples->lsn;
	if (validity_quiescent(BufferGetPage(buffer), source->scan->rs_base.rs_snapshot, &watch->notes.newest))
		block_set_add(&watch->notes.quiescent, place);
	else
		watch->nother++;
}

/*
 * Return true if the page says that all its tuples are visible, and they are
 * those that PostgreSQL's scan has listed.
 */
static bool
lists_all_visible(PageSource *source, Buffer buffer, const TupleList *tuples)
{
	OffsetNumber scratch[MaxHeapTuplesPerPage];
	TupleList	all;

	return list_all_visible(source, buffer, scratch, &all) && all.n == tuples->n;
}

/*
 * List the tuples of a block that the snapshot sees, and note for the cache
 * what was read.  Return the block's buffer, pinned.  Unlike heapgetpage() this
 * does not prune the page, except for serializable transactions, where
 * heapgetpage() is called: pruning changes the LSN by which the cache
 * recognises the page, and after an update of a tenth of all rows takes as long
 * as reading them.
 */
static Buffer
prepare_block(PageSource *source, PageBatch *page_batch, BlockNumber block, TupleList *tuples)
{
	HeapScanDesc scan = source->scan;
	OffsetNumber *room = next_offsets(page_batch);
	Buffer		buffer;
	bool		all_visible;

	if (source->recent)
		buffer = ReadBufferExtended(source->relation, MAIN_FORKNUM, block, RBM_NORMAL, scan->rs_strategy);
	else
	{
		compat_prepare_page(scan, block);
		buffer = scan->rs_cbuf;
		IncrBufferRefCount(buffer);
		*tuples = (TupleList) {room, scan->rs_ntuples, InvalidXLogRecPtr};
		memcpy(room, scan->rs_vistuples, scan->rs_ntuples * sizeof(OffsetNumber));
	}
	LockBuffer(buffer, BUFFER_LOCK_SHARE);
	if (source->recent)
	{
		all_visible = list_all_visible(source, buffer, room, tuples);
		if (!all_visible)
			list_seen(source, buffer, room, tuples);
	}
	else
		all_visible = source->watch != NULL && lists_all_visible(source, buffer, tuples);
	if (source->watch != NULL)
		note_prepared(source, block - source->range, buffer, all_visible, tuples);
	LockBuffer(buffer, BUFFER_LOCK_UNLOCK);
	if (source->recent)
	{
		recent_note(source->relation, block, buffer);
		source->search = all_visible;
	}
	return buffer;
}

/* Copy a page into a batch. */
static void
copy_page(PageBatch *page_batch, int p, Page page)
{
	char	   *copy;

	if (page_batch->copies == NULL)
		page_batch->copies = MemoryContextAlloc(GetMemoryChunkContext(page_batch), PAGE_BATCH_PAGES * BLCKSZ);
	copy = page_batch->copies + (Size) p * BLCKSZ;
	/* tuples that will be read stand still; the rest may change while we copy */
	memcpy(copy, page, BLCKSZ);
	page_batch->buffer[p] = InvalidBuffer;
	page_batch->list.page[p] = (const uint8 *) copy;
}

/*
 * Add a page whose tuples are listed: in place, retaining the caller's pin, or
 * as a copy; return true if the pin is retained.
 */
static bool
add_page(PageSource *source, PageBatch *page_batch, BlockNumber block, Buffer buffer, TupleList tuples, bool was_resident)
{
	PageList   *list = &page_batch->list;
	int			p = list->npages;
	bool		in_place = was_resident && page_batch->npins < page_batch->lease;

	list->offsets[p] = tuples.offsets;
	if (in_place)
	{
		page_batch->buffer[p] = buffer;
		page_batch->npins++;
		list->page[p] = (const uint8 *) BufferGetPage(buffer);
		source->pinned++;
	}
	else
	{
		copy_page(page_batch, p, BufferGetPage(buffer));
		source->copied++;
	}
	page_batch->block[p] = block;
	list->ntuples[p] = tuples.n;
	list->nrows += tuples.n;
	list->npages++;
	return in_place;
}

/* Prepare one block and add its page, if it has tuples. */
static void
take_block(PageSource *source, PageBatch *page_batch, BlockNumber block)
{
	TupleList	tuples;
	Buffer		buffer = prepare_recent(source, page_batch, block, &tuples);
	bool		was_resident = true;

	if (BufferIsValid(buffer))
	{
		if (source->watch != NULL)
			note_all_visible(source->watch, block - source->range, &tuples);
	}
	else
	{
		int64		reads = pgBufferUsage.shared_blks_read;

		buffer = prepare_block(source, page_batch, block, &tuples);
		was_resident = pgBufferUsage.shared_blks_read == reads && !RelationUsesLocalBuffers(source->relation);
		source->misses |= !was_resident;
	}
	if (tuples.n == 0 || !add_page(source, page_batch, block, buffer, tuples, was_resident))
		ReleaseBuffer(buffer);
}

/* Return true if there are more blocks; draw from the share when the source's own are used up. */
static bool
more_blocks(PageSource *source)
{
	uint64		first;
	uint64		n;

	if (source->next < source->end)
		return true;
	n = source->share != NULL ? share_draw(source->share, SHARE_BLOCKS, &first) : 0;
	if (n == 0)
		return false;
	source->next = (BlockNumber) first;
	source->end = (BlockNumber) (first + n);
	return true;
}

bool
page_source_next(PageSource *source, PageBatch *page_batch)
{
	HeapScanDesc scan = source->scan;
	bool		prefetch = source->misses;

	page_batch->list.npages = 0;
	page_batch->list.nrows = 0;
	source->misses = false;
	/* long pins in recovery would have the session cancelled */
	if (more_blocks(source) && !scan->rs_base.rs_snapshot->takenDuringRecovery &&
		pins_lease(PAGE_BATCH_PAGES))
		page_batch->lease = PAGE_BATCH_PAGES;
	while (page_batch->list.npages < PAGE_BATCH_PAGES && more_blocks(source))
	{
		BlockNumber block = source->next++;

		CHECK_FOR_INTERRUPTS();
		if (source->skip != NULL && block_set_has(source->skip, block - source->range))
			continue;
		if (prefetch && block + PREFETCH_DISTANCE < scan->rs_nblocks)
			PrefetchBuffer(source->relation, MAIN_FORKNUM, block + PREFETCH_DISTANCE);
		take_block(source, page_batch, block);
	}
	if (page_batch->list.npages > 0)
		return true;
	page_batch_release(page_batch);
	return false;
}

/* Return the pins that a batch has leased. */
static void
return_lease(PageBatch *page_batch)
{
	if (page_batch->lease > 0)
		pins_return(page_batch->lease);
	page_batch->lease = 0;
	page_batch->npins = 0;
}

/* Unpin all pages of a batch that are pinned. */
static void
unpin_pages(PageBatch *page_batch)
{
	for (int p = 0; p < page_batch->list.npages; p++)
		if (BufferIsValid(page_batch->buffer[p]) && (!page_batch->rests || p == page_batch->held))
			ReleaseBuffer(page_batch->buffer[p]);
	page_batch->held = -1;
}

void
page_batch_rest(PageBatch *page_batch)
{
	unpin_pages(page_batch);
	page_batch->rests = true;
	return_lease(page_batch);
}

void
page_batch_copy(PageBatch *page_batch)
{
	for (int p = 0; p < page_batch->list.npages && !page_batch->rests; p++)
	{
		const Buffer buffer = page_batch->buffer[p];

		if (!BufferIsValid(buffer))
			continue;
		copy_page(page_batch, p, BufferGetPage(buffer));
		ReleaseBuffer(buffer);
	}
	return_lease(page_batch);
}

/* Pin a page of a batch that rests, and unpin the one that was pinned before. */
static void
hold_page(PageBatch *page_batch, Relation relation, int p)
{
	const BlockNumber block = page_batch->block[p];
	Buffer		buffer = page_batch->buffer[p];

	if (page_batch->held >= 0)
		ReleaseBuffer(page_batch->buffer[page_batch->held]);
	page_batch->held = -1;
	if (!ReadRecentBuffer(compat_relation_file_of(relation), MAIN_FORKNUM, block, buffer))
		buffer = ReadBuffer(relation, block);
	page_batch->buffer[p] = buffer;
	page_batch->held = p;
	page_batch->list.page[p] = (const uint8 *) BufferGetPage(buffer);
}

void
page_batch_release(PageBatch *page_batch)
{
	unpin_pages(page_batch);
	page_batch_forget(page_batch);
}

void
page_batch_forget(PageBatch *page_batch)
{
	return_lease(page_batch);
	page_batch->rests = false;
	page_batch->held = -1;
	page_batch->list.npages = 0;
	page_batch->list.nrows = 0;
}

void
page_batch_prefetch(const PageBatch *page_batch, uint32 place)
{
	const int	p = ROW_PAGE(place);
	Page		page = (Page) page_batch->list.page[p];

	if (page_batch->rests && p != page_batch->held && BufferIsValid(page_batch->buffer[p]))
		return;
	__builtin_prefetch(PageGetItem(page, PageGetItemId(page, ROW_OFFNUM(place))));
}

bool
page_batch_tuple(PageBatch *page_batch, Relation relation, uint32 place, HeapTuple tuple)
{
	const int	p = ROW_PAGE(place);
	Page		page;
	ItemId		item;

	if (page_batch->rests && p != page_batch->held && BufferIsValid(page_batch->buffer[p]))
		hold_page(page_batch, relation, p);
	page = (Page) page_batch->list.page[p];
	item = PageGetItemId(page, ROW_OFFNUM(place));
	if (!ItemIdIsNormal(item))
		return false;
	tuple->t_data = (HeapTupleHeader) PageGetItem(page, item);
	tuple->t_len = ItemIdGetLength(item);
	tuple->t_tableOid = RelationGetRelid(relation);
	ItemPointerSet(&tuple->t_self, page_batch->block[p], ROW_OFFNUM(place));
	return true;
}

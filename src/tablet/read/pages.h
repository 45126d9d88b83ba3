/*
 * pages.h
 *		Heap pages for a device: batches of blocks with their visible tuples.
 */
#ifndef GPUDB_TABLET_READ_PAGES_H
#define GPUDB_TABLET_READ_PAGES_H

#include "postgres.h"

#include "access/heapam.h"
#include "access/htup_details.h"
#include "access/relscan.h"
#include "storage/bufmgr.h"
#include "utils/rel.h"
#include "utils/snapshot.h"

#include "core/tablet/column_pack.h"

#include "tablet/cache/validity.h"
#include "tablet/read/share.h"

/*
 * Batch of pages of a relation, in block order, with the tuples that the
 * snapshot sees.  Pages without visible tuples are left out.
 */
typedef struct PageBatch
{
	PageList	list;			/* pages and tuples for the device */
	BlockNumber block[PAGE_BATCH_PAGES];
	Buffer		buffer[PAGE_BATCH_PAGES];	/* pinned, or invalid for a copied page; if `rests`, where it was */
	char	   *copies;			/* space for PAGE_BATCH_PAGES pages, allocated on first need */
	int			lease;			/* pins taken from the budget */
	int			npins;
	bool		rests;			/* no page is pinned, except `held` */
	int			held;			/* the page pinned while the batch rests; -1 = none */
	struct TabletBuild *build;	/* tablet to which the batch's columns are added besides the query; NULL = none */
	uint32		first_row;		/* the batch's first row in `build` */
	ColumnPlace *places;		/* place of each of the batch's columns in `build` */
	OffsetNumber offsets[PAGE_BATCH_PAGES * MaxHeapTuplesPerPage];
} PageBatch;

/* Observations about the blocks of a range, made when they were read. */
typedef struct BlockWatch
{
	BlockNotes	notes;
	PageNotes	page_notes;		/* memory for notes.pages */
	BlockSet	all_visible;
	uint32		nother;			/* blocks that are neither all-visible nor quiescent */
} BlockWatch;

typedef struct PageSource
{
	Relation	relation;
	HeapScanDesc scan;
	BlockNumber next;
	BlockNumber end;
	BlockNumber range;			/* block that is number 0 in `skip` and `watch` */
	const BlockSet *skip;		/* blocks to leave out; NULL = none */
	BlockWatch *watch;			/* records each block that is read; NULL = no record */
	Share	   *share;			/* source of more blocks; NULL = none */
	bool		recent;			/* blocks may be taken from the buffers where they were last seen */
	bool		by_map;			/* a page is all-visible only where the visibility map says so, too: in recovery */
	Buffer		map;			/* the pinned page of the visibility map, or InvalidBuffer */
	bool		search;			/* look for blocks that nobody has seen: the last block was all-visible */
	bool		misses;			/* the last batch had pages from outside shared_buffers */
	uint64		pinned;			/* number of pages used in place, for reports */
	uint64		copied;
} PageSource;

/*
 * Open a source that reads a relation as a sequential scan does under this
 * snapshot.  The number of blocks is taken now.  The snapshot must stay
 * registered.
 */
extern void page_source_open(PageSource *source, Relation relation, Snapshot snapshot);

/* Share a source's blocks before any is read: this process, too, draws from the share from now on. */
extern void page_source_share(PageSource *source, Share *share);

/* Draw blocks from a share that another process has made, and no other blocks. */
extern void page_source_join(PageSource *source, Share *share);

/* Fill a batch with the next pages; return false when there are no more. */
extern bool page_source_next(PageSource *source, PageBatch *page_batch);

extern void page_source_close(PageSource *source);

/* Create an empty batch in the current memory context. */
extern PageBatch *page_batch_create(void);

/* Unpin a batch's pages, after which it may be filled again. */
extern void page_batch_release(PageBatch *page_batch);

/*
 * Unpin a batch's pages, of which only the tuples may be read from now on.  To
 * read a tuple, one page at a time is pinned again, until the next call of this
 * function.  The snapshot sees the tuples, so they stay where they are in the
 * page.
 */
extern void page_batch_rest(PageBatch *page_batch);

/* Replace a batch's pinned pages by copies, so that no page is pinned. */
extern void page_batch_copy(PageBatch *page_batch);

/* Give back the lease of pins without unpinning: for a transaction that aborts, whose resource owner drops the pins. */
extern void page_batch_forget(PageBatch *page_batch);

/* Prefetch the tuple at a place in the batch that will be read soon. */
extern void page_batch_prefetch(const PageBatch *page_batch, uint32 place);

/* Get the heap tuple at a place in the batch; return false if it was removed without a transaction. */
extern bool page_batch_tuple(PageBatch *page_batch, Relation relation, uint32 place, HeapTuple tuple);

#endif							/* GPUDB_TABLET_READ_PAGES_H */

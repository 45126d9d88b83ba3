/*
 * pages.h
 *		Heap pages for a device: windows of blocks with their visible tuples.
 */
#ifndef GPUDB_TABLET_PAGES_H
#define GPUDB_TABLET_PAGES_H

#include "postgres.h"

#include "access/heapam.h"
#include "access/htup_details.h"
#include "access/relscan.h"
#include "storage/bufmgr.h"
#include "utils/rel.h"
#include "utils/snapshot.h"

#include "core/column_pack.h"

#include "tablet/share.h"
#include "tablet/validity.h"

/*
 * Some pages of a relation, in block order, and which of their tuples the
 * snapshot sees.  Pages without any are left out.
 */
typedef struct PageWindow
{
	PageList	list;			/* what the device reads */
	BlockNumber block[TABLET_WINDOW_PAGES];
	Buffer		buffer[TABLET_WINDOW_PAGES];	/* pinned, or invalid for a copied page; while it rests, where that was */
	char	   *copies;			/* TABLET_WINDOW_PAGES pages, made on first need */
	int			lease;			/* pins taken from the budget */
	int			npins;
	bool		rests;			/* but for one page, if any, */
	int			held;			/* this one; -1 = none */
	struct TabletBuild *build;	/* where its columns go besides the query; NULL = nowhere */
	uint32		first_row;		/* there */
	ColumnPlace *places;		/* of each of its columns there */
	OffsetNumber offsets[TABLET_WINDOW_PAGES * MaxHeapTuplesPerPage];
} PageWindow;

/* What reading a range of blocks has shown of them. */
typedef struct BlockWatch
{
	BlockNotes	notes;
	PageNotes	page_notes;		/* where these lead to */
	BlockSet	all_visible;
	uint32		nother;			/* neither that nor settled */
} BlockWatch;

typedef struct PageSource
{
	Relation	relation;
	HeapScanDesc scan;
	BlockNumber next;
	BlockNumber end;
	BlockNumber range;			/* block 0 of the next two */
	const BlockSet *skip;		/* blocks to leave out; NULL = none */
	BlockWatch *watch;			/* told of each block that is read; NULL = nobody */
	Share	   *share;			/* where more blocks come from; NULL = nowhere */
	bool		recent;			/* blocks may be taken where they were last seen */
	bool		misses;			/* the last window read pages from outside shared_buffers */
	uint64		pinned;			/* pages, for reports */
	uint64		copied;
} PageSource;

/*
 * Read a relation as a sequential scan does under this snapshot.  The number
 * of blocks is taken now.  The snapshot must stay registered.
 */
extern void page_source_open(PageSource *source, Relation relation, Snapshot snapshot);

/* Share a source's blocks, before any is read: its process must draw like the others from now on. */
extern void page_source_share(PageSource *source, Share *share);

/* Draw blocks from a share that another process has made, and none else. */
extern void page_source_join(PageSource *source, Share *share);

/* Fill a window with the next pages; false when there are no more. */
extern bool page_source_next(PageSource *source, PageWindow *window);

extern void page_source_close(PageSource *source);

/* An empty window in the current memory context. */
extern PageWindow *page_window_create(void);

/* Unpin a window's pages, after which it may be filled again. */
extern void page_window_release(PageWindow *window);

/*
 * Unpin a window's pages.  Nothing but their tuples is looked at from now on,
 * for which one page at a time is pinned again, until this is called again.
 * The snapshot sees these tuples, so they stay where they are in the page.
 */
extern void page_window_rest(PageWindow *window);

/* Have all of a window's pages as copies, so that none is pinned. */
extern void page_window_copy(PageWindow *window);

/*
 * Give back the lease without unpinning: for a transaction that aborts, whose
 * resource owner drops the pins.
 */
extern void page_window_forget(PageWindow *window);

/* Have the processor fetch the tuple of a place that will be looked at soon. */
extern void page_window_prefetch(const PageWindow *window, uint32 place);

/* The heap tuple of a place in the window; false if it was taken away without a transaction. */
extern bool page_window_tuple(PageWindow *window, Relation relation, uint32 place, HeapTuple tuple);

#endif							/* GPUDB_TABLET_PAGES_H */

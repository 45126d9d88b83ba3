/*
 * tablet_scan.h
 *		Tablets of a relation during one run: those that can be used, those to read, those to cache.
 *
 * Which tablets can be used, and which of their rows, is decided once, when the
 * scan begins, and stays so: tablets stay pinned until the scan is closed.  All
 * other blocks are read as page batches.  Where a tablet is missing, or lacks
 * LACKING_MOST blocks or more, and nearly all blocks read are all-visible or
 * quiescent, its columns are collected beside the query's own work, and other
 * scans find them afterwards.
 */
#ifndef GPUDB_TABLET_SCAN_TABLET_SCAN_H
#define GPUDB_TABLET_SCAN_TABLET_SCAN_H

#include "postgres.h"

#include "utils/rel.h"
#include "utils/snapshot.h"

#include "core/device_api.h"
#include "tablet/read/build.h"
#include "tablet/read/pages.h"

typedef struct TabletScan TabletScan;

/* Counters of what a scan has done so far. */
typedef struct TabletReport
{
	uint64		cached;			/* tablets found */
	uint64		added;			/* tablets built and cached */
	uint64		reread;			/* blocks read of tablets that were found */
} TabletReport;

/* List, in shared memory, of tablets that several processes read and cache, each drawing the next one. */
typedef struct TabletList
{
	BlockNumber nblocks;		/* blocks of the relation */
	uint32		tablet[FLEXIBLE_ARRAY_MEMBER];	/* numbers of the tablets */
} TabletList;

/*
 * Return true if scans of the relation can use cached tablets and cache
 * others.  A parallel worker does not know, and gets false, but its leader
 * does.
 */
extern bool tablet_scan_possible(Relation relation);

/*
 * Create a scan of nblocks blocks, in the current memory context; return NULL
 * if the relation or the columns cannot be cached.  The snapshot was taken
 * before the number of blocks.
 */
extern TabletScan *tablet_scan_create(Relation relation, Snapshot snapshot, BlockNumber nblocks, const ColumnWanted *wanted, int nwanted);

/*
 * Estimate the part of a relation of nblocks blocks that a scan would find
 * cached, from samples, for the planner; it takes some ten microseconds.
 */
extern double tablet_cached_part(Relation relation, BlockNumber nblocks, const ColumnWanted *wanted, int nwanted);

/* Sample tablets anew from now on, as another planning begins or a run ends: within each, tablets are sampled once. */
extern void tablet_guess_anew(void);

/*
 * Return true if the columns of a relation could be cached, as far as the
 * planner can guess; there must be an active snapshot.
 */
extern bool tablet_can_be_cached(Relation relation, const ColumnWanted *wanted, int nwanted);

/*
 * Return true if a column does not hold texts as such, or these are no large
 * part of the pool, as far as statistics tell.
 */
extern bool tablet_texts_have_room(Relation relation, const ColumnWanted *wanted);

/* Note that a query that PostgreSQL has answered wants these columns. */
extern void tablet_note_wanted(Relation relation, const ColumnWanted *wanted, int nwanted);

/*
 * Guess the integers between which the values of a column are, from its cached
 * tablets; return false if nothing is known.
 */
extern bool tablet_guess_bounds(Relation relation, BlockNumber nblocks, const ColumnWanted *wanted, int64 *least, int64 *largest);

/* Return a hash of columns and their attributes' definitions: columns of attributes of other types have another one. */
extern uint64 tablet_columns_hash(Relation relation, const ColumnWanted *wanted, int nwanted);

/* Return how many tablets, and how many shelves, a relation of nblocks blocks has. */
extern uint32 tablets_of(BlockNumber nblocks);
extern uint32 shelves_of(BlockNumber nblocks);

/*
 * Create a scan of tablets of one shelf of a relation of nblocks blocks, to
 * read and cache those that are missing; return NULL if the relation has no
 * such tablet, or some columns cannot be cached.  The caller knows that a scan
 * is possible, and calls tablet_scan_decide_next() to decide about the tablets
 * once the scan is noted where errors have it closed.
 */
extern TabletScan *tablet_scan_of_tablets(Relation relation, Snapshot snapshot, BlockNumber nblocks, const ColumnWanted *wanted, int nwanted,
										  TabletRange tablets);

/* Cache nothing of what the scan reads. */
extern void tablet_scan_keep_nothing(TabletScan *scan);

/* Restrict the scan to reading these tablets. */
extern void tablet_scan_restrict(TabletScan *scan, TabletRange tablets);

/*
 * Pin the relation's shelves and decide about all tablets; the scan must be
 * closed from now on, whatever happens.  For a query the tablets count as used,
 * and the scan uses the session's memos of whole shelves (shelf_memo.h).
 */
extern void tablet_scan_decide(TabletScan *scan, bool for_query);

/*
 * Pin and decide about the next shelf only, without the session's memos.
 * Return the shelf's cached tablets that can be used, and set *n to their
 * number.  The scan must be closed from now on, whatever happens.
 */
extern const CachedRows *tablet_scan_decide_next(TabletScan *scan, uint32 *n);

/* Return the cached tablets that can be used, and set *n to their number. */
extern const CachedRows *tablet_scan_found(const TabletScan *scan, uint32 *n);

/* Return the number of blocks of tablets that have to be read whole. */
extern BlockNumber tablet_scan_missing(const TabletScan *scan);

/* Return the size, in bytes, of a list of a scan's tablets. */
extern Size tablet_list_size(const TabletScan *scan);

/* Share the tablets that have to be read whole, before any is: this scan, too, draws from the share from now on. */
extern void tablet_scan_share(TabletScan *scan, TabletList *list, Share *share);

/*
 * Create a scan that draws from a share that another process has made, of the
 * same columns under the same snapshot.  The other process knows that they may
 * be cached; if they cannot be, an error is raised.  The scan must be closed,
 * whatever happens.
 */
extern TabletScan *tablet_scan_join(Relation relation, Snapshot snapshot, const ColumnWanted *wanted, int nwanted, const TabletList *list, Share *share);

/*
 * Make the source read the next tablet's blocks, or those that the cached
 * tablet lacks; return false when there are no more.
 */
extern bool tablet_scan_next_range(TabletScan *scan, PageSource *source);

/*
 * Make the source read all blocks of a tablet whose shelf was decided about;
 * return false if the tablet's cached columns are used, since it lacks few
 * blocks or cannot be built now, because another process builds it, for
 * example.
 */
extern bool tablet_scan_read_whole(TabletScan *scan, uint32 tablet, PageSource *source);

/*
 * Add a page batch that was filled from the current range to the range's
 * tablet; return the places for its columns, or NULL if they are not wanted.
 */
extern ColumnPlace *tablet_scan_add_page_batch(TabletScan *scan, PageBatch *page_batch);

/*
 * Collect the columns of a page batch, put into their places or not, whose NULL
 * rows may be overwritten; NULL if there are none, for whatever reason.
 */
extern void tablet_scan_collect(TabletScan *scan, PageBatch *page_batch, Tablet *columns);

/* End the current range, and publish the tablets that are complete. */
extern void tablet_scan_finish(TabletScan *scan);

/* Publish the complete tablets of earlier ranges when reading the last range has failed. */
extern void tablet_scan_finish_earlier(TabletScan *scan);

extern const TabletReport *tablet_scan_report(const TabletScan *scan);

/* Close a scan: abandon its builds and unpin everything; may be called by a transaction that aborts. */
extern void tablet_scan_close(TabletScan *scan);

#endif							/* GPUDB_TABLET_SCAN_TABLET_SCAN_H */

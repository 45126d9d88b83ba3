/*
 * tablet_scan.h
 *		The tablets of a relation during one run: those that can be used, those to read, those to leave behind.
 *
 * What can be used is decided once, when the scan begins, and stays
 * pinned until it is closed: tablets, and which of their rows.  All other
 * blocks are read as windows of pages; if those are all of a tablet's and
 * nearly all of them are all-visible, its columns are collected beside the
 * query's own work, and others find them afterwards.
 */
#ifndef GPUDB_TABLET_TABLET_SCAN_H
#define GPUDB_TABLET_TABLET_SCAN_H

#include "postgres.h"

#include "utils/rel.h"
#include "utils/snapshot.h"

#include "core/device_api.h"
#include "tablet/build.h"
#include "tablet/pages.h"

typedef struct TabletScan TabletScan;

/* What it has done so far. */
typedef struct TabletReport
{
	uint64		cached;			/* tablets found */
	uint64		kept;			/* tablets left behind */
	uint64		reread;			/* blocks read of tablets that were found */
} TabletReport;

/* Tablets that several processes read and leave behind, each drawing the next one; in memory that they share. */
typedef struct TabletList
{
	BlockNumber nblocks;		/* of the relation */
	uint32		tablet[FLEXIBLE_ARRAY_MEMBER];	/* their numbers */
} TabletList;

/* Whether scans of the relation can use tablets and leave some behind.  A parallel worker does not know, but its leader does. */
extern bool tablet_scan_possible(Relation relation);

/*
 * A scan of so many blocks, in the current memory context; NULL if nothing of
 * this relation, or of these columns, can be kept.  The snapshot was taken
 * before the number of blocks.
 */
extern TabletScan *tablet_scan_create(Relation relation, Snapshot snapshot, BlockNumber nblocks, const ColumnWanted *wanted, int nwanted);

/*
 * The part of a relation of so many blocks that a scan would find cached, as
 * the planner may guess it from samples, which takes some ten microseconds.
 */
extern double tablet_cached_part(Relation relation, BlockNumber nblocks, const ColumnWanted *wanted, int nwanted);

/* Sample tablets anew from now on, as another planning begins or a run ends: within each they are sampled once. */
extern void tablet_guess_anew(void);

/* Whether these columns of a relation could be cached, as far as the planner may guess it; there must be an active snapshot. */
extern bool tablet_can_be_cached(Relation relation, const ColumnWanted *wanted, int nwanted);

/* Whether a column does not hold texts as such, or these are no large part of the pool, as far as statistics tell. */
extern bool tablet_texts_have_room(Relation relation, const ColumnWanted *wanted);

/* Note that a query wants these columns, which PostgreSQL has answered. */
extern void tablet_note_wanted(Relation relation, const ColumnWanted *wanted, int nwanted);

/* Between which integers the values of a column seem to be, by those of its tablets that are cached; false if nothing is known. */
extern bool tablet_guess_bounds(Relation relation, BlockNumber nblocks, const ColumnWanted *wanted, int64 *least, int64 *largest);

/* What tells an attribute from another one of the same number in the same file. */
extern uint64 tablet_fingerprint(TupleDesc desc, AttrNumber attno);

/* A hash of what these columns are: of attributes of other types it is another one. */
extern uint64 tablet_columns_hash(Relation relation, const ColumnWanted *wanted, int nwanted);

/* Tablets of a relation of so many blocks, and shelves of these. */
extern uint32 tablets_of(BlockNumber nblocks);
extern uint32 shelves_of(BlockNumber nblocks);

/*
 * A scan of tablets of one shelf of a relation of so many blocks, to read and
 * leave behind those that are missing; NULL if there is no such tablet, or some
 * columns cannot be kept.  The caller knows that a scan is possible, and has
 * tablet_scan_decide_next() decide about them once the scan is noted where
 * errors have it closed.
 */
extern TabletScan *tablet_scan_of_tablets(Relation relation, Snapshot snapshot, BlockNumber nblocks, const ColumnWanted *wanted, int nwanted,
										  TabletRange tablets);

/* Leave nothing of what is read behind. */
extern void tablet_scan_keep_nothing(TabletScan *scan);

/* Read only these tablets. */
extern void tablet_scan_restrict(TabletScan *scan, TabletRange tablets);

/*
 * Pin the relation's shelves and decide about all tablets; the scan must be
 * closed from now on, whatever happens.  For a query the tablets count as used,
 * and the scan goes by what the session knows of whole shelves (shelf_memo.h).
 */
extern void tablet_scan_decide(TabletScan *scan, bool for_query);

/*
 * Pin and decide about the next shelf only, without what the session remembers
 * of it: the cached tablets of it that can be used, and their number.  The scan
 * must be closed from now on, whatever happens.
 */
extern const CachedRows *tablet_scan_decide_next(TabletScan *scan, uint32 *n);

/* The cached tablets that can be used, and their number. */
extern const CachedRows *tablet_scan_found(const TabletScan *scan, uint32 *n);

/* The blocks of tablets that have to be read whole. */
extern BlockNumber tablet_scan_missing(const TabletScan *scan);

/* Bytes of a list of a scan's tablets. */
extern Size tablet_list_size(const TabletScan *scan);

/* Share the tablets that have to be read whole, before any is: this scan draws like the others from now on. */
extern void tablet_scan_share(TabletScan *scan, TabletList *list, Share *share);

/*
 * A scan that draws from a share that another process has made, of the same
 * columns under the same snapshot.  That it may keep them the other one knows.
 * It must be closed, whatever happens.
 */
extern TabletScan *tablet_scan_join(Relation relation, Snapshot snapshot, const ColumnWanted *wanted, int nwanted, const TabletList *list, Share *share);

/* Have the source read the next tablet's blocks, or those that it lacks; false when there are no more. */
extern bool tablet_scan_next_range(TabletScan *scan, PageSource *source);

/*
 * Have the source read all blocks of a tablet whose shelf was decided about;
 * false if it was found, and lacks so few blocks, or is built by others, that
 * its columns are used.
 */
extern bool tablet_scan_read_whole(TabletScan *scan, uint32 tablet, PageSource *source);

/* Note a window that was filled from that range: where its columns are wanted; NULL if they are not. */
extern ColumnPlace *tablet_scan_add_window(TabletScan *scan, PageWindow *window);

/* The columns of such a window, put into their places or not, whose NULL rows may be changed; NULL if there are none, for whatever reason. */
extern void tablet_scan_collect(TabletScan *scan, PageWindow *window, Tablet *columns);

/* Tablets that the last range may have ended: those that are complete are left for others. */
extern void tablet_scan_finish(TabletScan *scan);

/* Publish the complete tablets of earlier ranges when reading the last range has failed. */
extern void tablet_scan_finish_earlier(TabletScan *scan);

extern const TabletReport *tablet_scan_report(const TabletScan *scan);

/* Unpin everything; also for a transaction that aborts. */
extern void tablet_scan_close(TabletScan *scan);

#endif							/* GPUDB_TABLET_TABLET_SCAN_H */

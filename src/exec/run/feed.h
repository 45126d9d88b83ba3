/*
 * feed.h
 *		Feeds pages into a job and takes results out of it: one process's part of a run.
 *
 * The backend feeds its node's job; feeders, PostgreSQL's parallel workers,
 * feed jobs of their own with other pages of the same relation.  This module
 * does what is common to them and knows nothing of plan nodes.
 */
#ifndef GPUDB_EXEC_RUN_FEED_H
#define GPUDB_EXEC_RUN_FEED_H

#include "postgres.h"

#include "nodes/pg_list.h"

#include "core/device_api.h"
#include "exec/run/run_dicts.h"
#include "tablet/read/build.h"
#include "tablet/read/pages.h"
#include "tablet/scan/tablet_scan.h"

/* Figures of a feed; plain values, which are copied to another process. */
typedef struct FeedReport
{
	uint64		page_batches;		/* page batches and cached tablets fed to the device */
	uint64		tablets_found;	/* cached tablets, fed or skipped */
	uint64		tablets_skipped;	/* cached tablets skipped, since none of their rows could pass */
	uint64		tablets_added;	/* tablets added to the cache */
	uint64		blocks_reread;	/* blocks of cached tablets read again, since they have changed */
	uint64		rows_in;
	uint64		rows_skipped;	/* rows of the tablets skipped */
	uint64		rows_fetched;	/* rows found in cached columns and fetched from pages */
	uint64		column_bytes;	/* bytes of the program's columns in cached tablets fed; 0 unless they are counted */
	uint64		pages_pinned;
	uint64		pages_copied;
	double		feed_ms;		/* time spent on pinning pages, by all processes together */
	JobTimes	times;
	uint64		left_page_batches;	/* page batches that the GPU left to the CPU device */
	DeviceStatus left_for;		/* last reason why the GPU left some; DONE if none */
	int			feeders;		/* parallel workers that took part */
	bool		resident;		/* the device has a device-resident group table */
} FeedReport;

/* Outcome of a whole feed. */
typedef struct FeedOutcome
{
	DeviceStatus status;		/* first failure, or DONE */
	int32		failed_column;	/* column that stopped the feed; -1 = none, or not known */
	int32		max_scale[PROGRAM_MAX_COLUMNS]; /* after SCALE_EXCEEDED: largest scale seen in each column */
} FeedOutcome;

typedef struct Feed
{
	MemoryContext context;		/* memory of the page batches */
	const Device *device;
	JobSpec		spec;
	const ColumnWanted *wanted;	/* columns of spec.program, as columns of the relation */
	RunDicts   *dicts;			/* dictionaries of the columns that are read as codes; NULL if none is */
	DeviceJob  *job;			/* open job; NULL if there is none */
	PageSource	source;
	TabletScan *tablets;		/* scan of cached tablets; NULL if none are cached, or can be */
	CachedRows *cached;			/* cached tablets of which rows may pass */
	uint32		ncached;
	uint32		next_cached;
	List	   *page_batches;		/* all page batches that were made */
	int			finished;		/* number of items that came back from the device */
	/* Takes the rows of a finished item; NULL = items give none */
	DeviceStatus (*take_rows) (void *arg, const DeviceWork *work);
	void	   *take_arg;
	bool		sample_suffices; /* feed only a sample of the cached tablets if there are many */
	bool		sampled;		/* only a sample of the cached tablets was fed */
	/* Builds columns for the cache, without a query: values get dictionary codes even if no condition tests them */
	bool		builds;
	/* Reads everything even after a failure: where reading ends would disclose which page has the value */
	bool		reads_all;
	bool		counts_bytes;	/* for EXPLAIN: fill in report.column_bytes, which takes a look at each tablet */
	FeedReport	report;
} Feed;

/* Open the pages of a relation as a sequential scan under this snapshot sees them. */
extern void feed_begin(Feed *feed, MemoryContext context, Relation relation, Snapshot snapshot);

/* Open the same pages for another pass, when all have been fed. */
extern void feed_again(Feed *feed);

/* Open a job for feed->spec on a device, for the first time or again.  Return false if memory is short. */
extern bool feed_open_job(Feed *feed, const Device *device);

/* Set *report to the feed's report, with the figures of the open job and of the pages added. */
extern void feed_report_so_far(const Feed *feed, FeedReport *report);

/* Add the open job's figures to the report and close it; no-op if there is none. */
extern void feed_close_job(Feed *feed);

/* Close the job, unpin all pages and close the relation's scan.  The report remains. */
extern void feed_end(Feed *feed);

/* Clean up after an error: close the job and return leases.  The pins are left to the resource owner. */
extern void feed_abandon(Feed *feed);

/* Allocate a page batch in the feed's context. */
extern PageBatch *feed_new_page_batch(Feed *feed);

/* Read the next pages into a page batch and count the time.  Return false at the end. */
extern bool feed_fill_page_batch(Feed *feed, PageBatch *page_batch);

/*
 * Return true if a collected item is finished; if not, values stored out of
 * line were fetched for it and it was submitted again.  Sets the item's
 * status, which tests may replace.
 */
extern bool feed_item_finished(Feed *feed, DeviceWork *work);

/*
 * Count a cached tablet, or a slice of one, that is fed: its rows and, if
 * feed->counts_bytes, the bytes of its columns without their NULL bitmaps.
 */
extern void feed_count_cached(Feed *feed, const CachedRows *cached);

/* Close the scan of cached tablets and add its figures to the report; no-op if there is none. */
extern void feed_close_tablets(Feed *feed);

/* Choose those of `n` cached tablets of which rows may pass, into feed->cached. */
extern void feed_choose_cached(Feed *feed, const CachedRows *found, uint32 n);

/* Return true if the program's columns may come from the cache: a GPU makes no groups of texts from there. */
extern bool feed_may_be_cached(const Feed *feed);

/*
 * Choose whether columns that the device builds from pages are cached: not
 * those of a GPU if some are texts, whose bytes stay there.
 */
extern void feed_choose_keeping(Feed *feed);

/*
 * Find the cached tablets to use and those to add to the cache, where the
 * relation allows it; called before feed_all().
 */
extern void feed_find_cached(Feed *feed);

/* Feed all pages and collect all items, updating *outcome.  No item is in flight and no page pinned afterwards. */
extern void feed_all(Feed *feed, FeedOutcome *outcome);

/* Merge all groups, after feed_all().  Return DONE and the job's group table, or why there is none. */
extern DeviceStatus feed_finish(Feed *feed, const GroupTable **groups);

/* Set *outcome to DONE, with no failed column. */
extern void feed_outcome_init(FeedOutcome *outcome);

/* Add another process's outcome or report. */
extern void feed_outcome_add(FeedOutcome *into, const FeedOutcome *from);
extern void feed_report_add(FeedReport *into, const FeedReport *from);

/* Return the reason code why page batches were left to the CPU device. */
extern const char *feed_left_reason(const FeedReport *report);

/* Return true if the query is to end; may be called by any thread. */
extern bool feed_interrupted(void);

#endif							/* GPUDB_EXEC_RUN_FEED_H */

/*
 * feed.h
 *		Pages into a job, results out of it: what one process does of a run.
 *
 * The backend feeds its node's job; feeders, PostgreSQL's parallel workers,
 * feed jobs of their own with other pages of the same relation.  Here is what
 * both do, without a plan node in sight.
 */
#ifndef GPUDB_EXEC_FEED_H
#define GPUDB_EXEC_FEED_H

#include "postgres.h"

#include "nodes/pg_list.h"

#include "core/device_api.h"
#include "exec/run_codes.h"
#include "tablet/build.h"
#include "tablet/pages.h"
#include "tablet/tablet_scan.h"

/* What was done; plain values, which cross to another process. */
typedef struct FeedReport
{
	uint64		windows;		/* fed to the device, with whole tablets that were cached */
	uint64		tablets_found;	/* the latter, fed or skipped */
	uint64		tablets_skipped;	/* of those found, since no row of theirs could pass */
	uint64		tablets_kept;	/* left in the cache for others */
	uint64		blocks_reread;	/* of cached tablets, since they have changed */
	uint64		rows_in;
	uint64		rows_skipped;	/* of tablets that were not read, since none of them can pass */
	uint64		rows_fetched;	/* from pages, that had been found in cached columns */
	uint64		column_bytes;	/* of the cached tablets fed, what the program's columns take; if they are counted */
	uint64		pages_pinned;
	uint64		pages_copied;
	double		feed_ms;		/* pinning pages, by all processes together */
	JobTimes	times;
	uint64		left_windows;	/* the GPU left to the CPU device, */
	DeviceStatus left_for;		/* the last reason why; DONE if none */
	int			feeders;		/* workers that took part */
	bool		kept;			/* the device keeps groups */
} FeedReport;

/* What became of a whole feed. */
typedef struct FeedOutcome
{
	DeviceStatus status;		/* the first failure, or DONE */
	int32		failed_column;	/* that stopped it; -1 = none, or it is not known which */
	int32		max_scale[PROGRAM_MAX_COLUMNS]; /* after SCALE_EXCEEDED: by these */
} FeedOutcome;

typedef struct Feed
{
	MemoryContext context;		/* of the windows */
	const Device *device;
	JobSpec		spec;
	const ColumnWanted *wanted;	/* the columns of spec's program, of the relation */
	RunCodes   *codes;			/* of those that have codes; NULL if none has */
	DeviceJob  *job;			/* NULL when there is none */
	PageSource	source;
	TabletScan *tablets;		/* NULL if none are cached, or can be */
	CachedRows *cached;			/* of these, those of which rows may pass */
	uint32		ncached;
	uint32		next_cached;
	List	   *windows;		/* every PageWindow made */
	int			finished;		/* items that came back from the device */
	DeviceStatus (*take_rows) (void *arg, const DeviceWork *work);	/* where they give rows: what becomes of an item's */
	void	   *take_arg;
	bool		sample_does;	/* if there are many cached tablets, for some of them to be fed and nothing else; */
	bool		sampled;		/* it was so */
	bool		builds;			/* columns for the cache, without a query: values get codes though no condition tests them */
	bool		reads_all;		/* a failure does not end it: how far it comes would tell where the value is; */
	bool		counts_bytes;	/* for EXPLAIN: it takes a look at each tablet */
	FeedReport	report;
} Feed;

/* Begin with the pages of a relation, as a sequential scan sees them under this snapshot. */
extern void feed_begin(Feed *feed, MemoryContext context, Relation relation, Snapshot snapshot);

/* Begin with the same pages once more, when all have been fed. */
extern void feed_again(Feed *feed);

/* Open a job for feed->spec on a device, for the first time or again; false when there is no memory. */
extern bool feed_open_job(Feed *feed, const Device *device);

/* The feed's report with what the open job and the pages add to it. */
extern void feed_report_so_far(const Feed *feed, FeedReport *report);

/* Note what the job did and close it; nothing if there is none. */
extern void feed_close_job(Feed *feed);

/* Close the job, unpin all pages and close the relation's scan; the report stays. */
extern void feed_end(Feed *feed);

/* After an error: close the job and give back leases; the pins belong to the resource owner. */
extern void feed_abandon(Feed *feed);

/* A window, made in the feed's context. */
extern PageWindow *feed_new_window(Feed *feed);

/* Read the next pages into a window, noting the time; false at the end. */
extern bool feed_fill_window(Feed *feed, PageWindow *window);

/*
 * Whether a collected item is finished: if not, text was fetched for it and
 * it was submitted again.  Sets its status, which tests may replace.
 */
extern bool feed_item_finished(Feed *feed, DeviceWork *work);

/* Note a cached tablet, or a slice of one, that is fed: its rows, and if that is wanted what its columns take but for their NULLs. */
extern void feed_count_cached(Feed *feed, const CachedRows *cached);

/* Let go of tablets, noting what became of them; nothing if there are none. */
extern void feed_close_tablets(Feed *feed);

/* Choose, of cached tablets, those of which rows may pass. */
extern void feed_choose_cached(Feed *feed, const CachedRows *found, uint32 n);

/* Whether the columns of the program may come from the cache: a GPU makes no groups of texts from there. */
extern bool feed_may_be_cached(const Feed *feed);

/* Have the feed's tablets keep what the device makes of pages, but for texts that a GPU makes, whose bytes stay there. */
extern void feed_choose_keeping(Feed *feed);

/* For aggregates, before the rest: use tablets that are cached, and leave others behind, where the relation allows it. */
extern void feed_find_cached(Feed *feed);

/* For aggregates: feed all pages and collect everything.  Every item is back and every page unpinned afterwards. */
extern void feed_all(Feed *feed, FeedOutcome *outcome);

/* After that: what has become of all groups, or why there is none. */
extern DeviceStatus feed_finish(Feed *feed, const GroupTable **groups);

extern void feed_outcome_init(FeedOutcome *outcome);

/* Add another process's outcome. */
extern void feed_outcome_add(FeedOutcome *into, const FeedOutcome *from);
extern void feed_report_add(FeedReport *into, const FeedReport *from);

/* The code of the reason why windows were left to the CPU device. */
extern const char *feed_left_reason(const FeedReport *report);

/* Whether the query is to end; any thread may ask. */
extern bool feed_interrupted(void);

#endif							/* GPUDB_EXEC_FEED_H */

/*
 * feed.c
 *		Feeds pages into a job and takes results out of it.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "portability/instr_time.h"
#include "storage/ipc.h"

#include "device/device.h"
#include "exec/run/feed.h"
#include "exec/run/pruning.h"
#include "guc.h"
#include "tablet/read/build.h"

bool
feed_interrupted(void)
{
	return QueryCancelPending || ProcDiePending;
}

void
feed_begin(Feed *feed, MemoryContext context, Relation relation, Snapshot snapshot)
{
	MemoryContext old = MemoryContextSwitchTo(context);

	feed->context = context;
	feed->finished = 0;
	page_source_open(&feed->source, relation, snapshot);
	MemoryContextSwitchTo(old);
}

/* Stop threads that read pinned pages, at exit: a FATAL error ends the process without passing a PG_CATCH. */
static void
quiesce_at_exit(int code, Datum arg)
{
	device_quiesce();
}

bool
feed_open_job(Feed *feed, const Device *device)
{
	static bool exit_registered = false;

	if (!exit_registered)
		before_shmem_exit(quiesce_at_exit, (Datum) 0);
	exit_registered = true;
	feed->device = device;
	feed->job = device->open(&feed->spec);
	return feed->job != NULL;
}

/* Add the figures of the open job, if any, to a report. */
static void
add_job(const Feed *feed, FeedReport *report)
{
	JobReport	job;

	if (feed->job == NULL)
		return;
	feed->device->report(feed->job, &job);
	report->times.deform_ns += job.times.deform_ns;
	report->times.run_ns += job.times.run_ns;
	report->resident |= job.resident;
	report->left_page_batches += job.left_page_batches;
	if (job.left_for != STATUS_DONE && job.left_for != STATUS_CANCELLED)
		report->left_for = job.left_for;
}

/* Add the figures of reading pages to a report. */
static void
add_pages(const Feed *feed, FeedReport *report)
{
	report->pages_pinned += feed->source.pinned;
	report->pages_copied += feed->source.copied;
}

void
feed_report_so_far(const Feed *feed, FeedReport *report)
{
	*report = feed->report;
	add_job(feed, report);
	add_pages(feed, report);
}

void
feed_again(Feed *feed)
{
	const PageSource *source = &feed->source;
	const Relation relation = source->relation;
	const Snapshot snapshot = source->scan->rs_base.rs_snapshot;
	MemoryContext old = MemoryContextSwitchTo(feed->context);

	add_pages(feed, &feed->report);
	page_source_close(&feed->source);
	page_source_open(&feed->source, relation, snapshot);
	MemoryContextSwitchTo(old);
}

void
feed_close_tablets(Feed *feed)
{
	const TabletReport *tablets;

	if (feed->tablets == NULL)
		return;
	tablets = tablet_scan_report(feed->tablets);
	feed->report.tablets_found += tablets->cached;
	feed->report.tablets_added += tablets->added;
	feed->report.blocks_reread += tablets->reread;
	tablet_scan_close(feed->tablets);
	feed->tablets = NULL;
	feed->ncached = feed->next_cached = 0;
}

void
feed_close_job(Feed *feed)
{
	add_job(feed, &feed->report);
	if (feed->job != NULL)
		feed->device->close(feed->job);
	feed->job = NULL;
}

void
feed_end(Feed *feed)
{
	ListCell   *lc;

	feed_report_so_far(feed, &feed->report);
	if (feed->job != NULL)
		feed->device->close(feed->job);
	feed->job = NULL;
	foreach(lc, feed->page_batches)
		page_batch_release(lfirst(lc));
	feed->page_batches = NIL;
	feed_close_tablets(feed);
	page_source_close(&feed->source);
	memset(&feed->source, 0, sizeof(feed->source));
}

void
feed_abandon(Feed *feed)
{
	ListCell   *lc;

	if (feed->job != NULL)
		feed->device->close(feed->job);
	feed->job = NULL;
	foreach(lc, feed->page_batches)
		page_batch_forget(lfirst(lc));
	feed->page_batches = NIL;
	feed_close_tablets(feed);
}

PageBatch *
feed_new_page_batch(Feed *feed)
{
	MemoryContext old = MemoryContextSwitchTo(feed->context);
	PageBatch *page_batch = page_batch_create();

	feed->page_batches = lappend(feed->page_batches, page_batch);
	MemoryContextSwitchTo(old);
	return page_batch;
}

bool
feed_fill_page_batch(Feed *feed, PageBatch *page_batch)
{
	instr_time	start;
	instr_time	end;
	bool		filled;

	INSTR_TIME_SET_CURRENT(start);
	filled = page_source_next(&feed->source, page_batch);
	INSTR_TIME_SET_CURRENT(end);
	INSTR_TIME_SUBTRACT(end, start);
	feed->report.feed_ms += INSTR_TIME_GET_MILLISEC(end);
	if (filled)
	{
		feed->report.page_batches++;
		feed->report.rows_in += page_batch->list.nrows;
	}
	return filled;
}

bool
feed_item_finished(Feed *feed, DeviceWork *work)
{
	if (work->status == STATUS_NEEDS_PATCH)
	{
		/* A feeder, which uses no dictionary codes, may not know the columns. */
		work->status = tablet_patch(feed->device, work, feed->dicts != NULL || feed->builds ? feed->wanted : NULL);
		run_dicts_catch_up(feed->dicts);
		if (work->status == STATUS_DONE)
		{
			work->stage = STAGE_RUN;
			feed->device->submit(feed->job, work);
			return false;
		}
	}
	/* The item ended for an interrupt that is to be raised now. */
	if (work->status == STATUS_CANCELLED)
		CHECK_FOR_INTERRUPTS();
	if (feed->finished++ == gpudb_debug_fail)
		work->status = STATUS_INJECTED;
	return true;
}

/* Feeding a whole relation */

void
feed_outcome_init(FeedOutcome *outcome)
{
	memset(outcome, 0, sizeof(*outcome));
	outcome->status = STATUS_DONE;
	outcome->failed_column = -1;
}

static void
add_status(FeedOutcome *outcome, DeviceStatus status)
{
	/* CANCELLED only says that others were told to end: the actual reason replaces it. */
	if (outcome->status == STATUS_DONE || outcome->status == STATUS_CANCELLED)
		outcome->status = status;
}

void
feed_outcome_add(FeedOutcome *into, const FeedOutcome *from)
{
	add_status(into, from->status);
	if (from->failed_column >= 0)
		into->failed_column = from->failed_column;
	for (int c = 0; c < PROGRAM_MAX_COLUMNS; c++)
		into->max_scale[c] = Max(into->max_scale[c], from->max_scale[c]);
}

void
feed_report_add(FeedReport *into, const FeedReport *from)
{
	into->page_batches += from->page_batches;
	into->tablets_found += from->tablets_found;
	into->tablets_added += from->tablets_added;
	into->tablets_skipped += from->tablets_skipped;
	into->blocks_reread += from->blocks_reread;
	into->rows_in += from->rows_in;
	into->rows_skipped += from->rows_skipped;
	into->rows_fetched += from->rows_fetched;
	into->column_bytes += from->column_bytes;
	into->pages_pinned += from->pages_pinned;
	into->pages_copied += from->pages_copied;
	into->feed_ms += from->feed_ms;
	into->times.deform_ns += from->times.deform_ns;
	into->times.run_ns += from->times.run_ns;
	into->left_page_batches += from->left_page_batches;
	if (from->left_for != STATUS_DONE)
		into->left_for = from->left_for;
	into->feeders += from->feeders;
}

const char *
feed_left_reason(const FeedReport *report)
{
	return status_reason(report->left_for)[0] != '\0' ? status_reason(report->left_for) : "gpu_limit";
}

/* Take back a finished item and unpin its pages. */
static void
take_item(Feed *feed, DeviceWork *work, FeedOutcome *outcome)
{
	if (!feed_item_finished(feed, work))
		return;
	if (work->status == STATUS_DONE && outcome->status == STATUS_DONE && feed->take_rows != NULL)
		work->status = feed->take_rows(feed->take_arg, work);
	add_status(outcome, work->status);
	if (work->pages != NULL)
	{
		if (work->status == STATUS_SCALE_EXCEEDED)
			for (uint32 c = 0; c < work->tablet->ncols; c++)
				outcome->max_scale[c] = Max(outcome->max_scale[c], work->tablet->column[c].max_scale);
		if (work->status == STATUS_SPECIAL_NUMERIC || work->status == STATUS_DECIMAL_TOO_WIDE ||
			(feed->builds && work->status == STATUS_CODES_EXCEEDED))
			outcome->failed_column = work->tablet->failed_column;
		if (feed->tablets != NULL)
			tablet_scan_collect(feed->tablets, work->owner, work->status == STATUS_DONE ? work->tablet : NULL);
		page_batch_release(work->owner);
	}
	feed->device->release(feed->job, work);
}

void
feed_count_cached(Feed *feed, const CachedRows *cached)
{
	feed->report.rows_in += cached->nrows;
	if (!feed->counts_bytes)
		return;
	cached_rows_complete(cached);
	for (uint32 c = 0; c < cached->tablet->ncols; c++)
		feed->report.column_bytes += (uint64) cached->tablet->nrows * coltype_bytes((ColType) cached->tablet->column[c].type);
}

/* Make the next cached tablets an item's work.  Return false if there are no more. */
static bool
take_cached(Feed *feed, DeviceWork *work)
{
	const uint32 left = feed->ncached - feed->next_cached;

	if (left == 0)
		return false;
	work->pages = NULL;
	work->places = NULL;
	work->stage = STAGE_RUN;
	work->cached = &feed->cached[feed->next_cached];
	work->ncached = feed->device->take_cached(feed->job, work->cached, left);
	feed->next_cached += work->ncached;
	work->more = feed->next_cached < feed->ncached;
	feed->report.page_batches += work->ncached;
	for (uint32 t = 0; t < work->ncached; t++)
		feed_count_cached(feed, &work->cached[t]);
	return true;
}

/* Fill an item's page batch, from the next tablet that has to be read if need be.  Return false at the end. */
static bool
fill_from_tablets(Feed *feed, DeviceWork *work)
{
	PageBatch *page_batch = work->owner;

	while (!feed_fill_page_batch(feed, page_batch))
		if (feed->tablets == NULL || !tablet_scan_next_range(feed->tablets, &feed->source))
			return false;
	work->pages = &page_batch->list;
	work->more = false;
	work->places = feed->tablets != NULL ? tablet_scan_add_page_batch(feed->tablets, page_batch) : NULL;
	return true;
}

/* Find work for an item and submit it.  Return false if there is no more; the item is released then. */
static bool
submit_next(Feed *feed, DeviceWork *work)
{
	if (!take_cached(feed, work))
	{
		if (work->owner == NULL)
			work->owner = feed_new_page_batch(feed);
		if (!fill_from_tablets(feed, work))
		{
			feed->device->release(feed->job, work);
			return false;
		}
	}
	feed->device->submit(feed->job, work);
	return true;
}

/* Sampling rate by number of cached tablets: some million rows tell as much as is needed, however many there are. */
static const struct
{
	uint32		tablets;
	uint32		one_in;
}			sample_sizes[] = {{512, 64}, {128, 16}, {0, 8}};

/* Reduce the list of cached tablets to a sample, and read nothing else, if there are many. */
static void
sample_cached(Feed *feed)
{
	uint32		one_in;
	uint32		n = 0;
	int			size = 0;

	while (feed->ncached < sample_sizes[size].tablets)
		size++;
	one_in = sample_sizes[size].one_in;
	if (feed->ncached < (uint32) gpudb_debug_sample)
		return;
	for (uint32 t = Min(one_in, feed->ncached) / 2; t < feed->ncached; t += one_in)
		feed->cached[n++] = feed->cached[t];
	feed->ncached = n;
	feed->sampled = true;
	tablet_scan_restrict(feed->tablets, (TabletRange) {0, 0});
}

static uint64
rows_of(const CachedRows *cached, uint32 n)
{
	uint64		rows = 0;

	for (uint32 t = 0; t < n; t++)
		rows += cached[t].nrows;
	return rows;
}

void
feed_choose_cached(Feed *feed, const CachedRows *found, uint32 n)
{
	feed->ncached = pruning_choose(feed->spec.program, found, n, feed->cached);
	feed->report.tablets_skipped += n - feed->ncached;
	if (feed->ncached < n)
		feed->report.rows_skipped += rows_of(found, n) - rows_of(feed->cached, feed->ncached);
}

/* List the cached tablets of which rows may pass, or a sample of them. */
static void
list_cached(Feed *feed)
{
	uint32		n;
	const CachedRows *found = tablet_scan_found(feed->tablets, &n);

	feed->cached = palloc(sizeof(CachedRows) * Max(n, 1));
	feed_choose_cached(feed, found, n);
	if (feed->sample_suffices)
		sample_cached(feed);
}

bool
feed_may_be_cached(const Feed *feed)
{
	return feed->device != &remote_device || !program_keys_own_texts(feed->spec.program);
}

void
feed_choose_keeping(Feed *feed)
{
	if (feed->device == &remote_device && columns_have_texts(feed->source.relation, feed->wanted, feed->spec.program->ncolumns))
		tablet_scan_keep_nothing(feed->tablets);
}

void
feed_find_cached(Feed *feed)
{
	PageSource *source = &feed->source;
	MemoryContext old;

	feed->sampled = false;
	if (!gpudb_cache || !feed_may_be_cached(feed))
		return;
	old = MemoryContextSwitchTo(feed->context);
	feed->tablets = tablet_scan_create(source->relation, source->scan->rs_base.rs_snapshot, source->end, feed->wanted,
									   feed->spec.program->ncolumns);
	if (feed->tablets != NULL)
	{
		feed_choose_keeping(feed);
		tablet_scan_decide(feed->tablets, true);
		/* Cached tablets may hold dictionary codes that others have added since. */
		run_dicts_catch_up(feed->dicts);
		list_cached(feed);
		source->next = source->end = 0;
	}
	MemoryContextSwitchTo(old);
}

void
feed_all(Feed *feed, FeedOutcome *outcome)
{
	const Device *device = feed->device;
	DeviceWork *work;

	while (outcome->status == STATUS_DONE || feed->reads_all)
	{
		bool		free;

		CHECK_FOR_INTERRUPTS();
		work = device->acquire(feed->job);
		free = work != NULL;
		if (free && !submit_next(feed, work))
			break;
		work = device->collect(feed->job, !free);
		if (work != NULL)
			take_item(feed, work, outcome);
		else if (!free)
			break;
	}
	while ((work = device->collect(feed->job, true)) != NULL)
	{
		CHECK_FOR_INTERRUPTS();
		take_item(feed, work, outcome);
	}
	if (feed->tablets != NULL && outcome->status == STATUS_DONE)
		tablet_scan_finish(feed->tablets);
	else if (feed->tablets != NULL && feed->builds)
		tablet_scan_finish_earlier(feed->tablets);
	/* Groups do not point into tablets: release what was pinned before rows are returned. */
	feed_close_tablets(feed);
}

DeviceStatus
feed_finish(Feed *feed, const GroupTable **groups)
{
	DeviceStatus status;

	do
	{
		CHECK_FOR_INTERRUPTS();
		status = feed->device->finish(feed->job, groups);
	} while (status == STATUS_TIME_SLICE);
	return status;
}

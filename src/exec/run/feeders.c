/*
 * feeders.c
 *		Parallel workers of PostgreSQL that help an aggregate to feed its device.
 *
 * The pages that one process can pin limit how fast a GPU gets pages, so
 * several processes pin them.  Each feeder runs the node's program in a job of
 * its own over the blocks that it draws, and sends its groups at the end, as a
 * partial aggregate would.  The node has not returned a row by then, and
 * nothing but this code runs in parallel mode, so the query around it need not
 * be parallel safe.
 *
 *		segment:  Shared | job image | snapshot | tablets, columns | buffer and WAL usage of each feeder | queue of each
 *		queue:    FeederAnswer, the text keys in pieces, the groups in slices
 */
#include "postgres.h"

#include "access/table.h"
#include "access/xact.h"
#include "executor/instrument.h"
#include "miscadmin.h"
#include "optimizer/cost.h"
#include "storage/shm_mq.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

#include "core/job_image.h"
#include "device/device.h"
#include "device/machine.h"
#include "exec/run/feeders.h"
#include "exec/run/segment.h"

#define QUEUE_BYTES		((Size) 65536)
#define PIECE_BYTES		((Size) 1024 * 1024)

enum SegmentKey
{
	KEY_SHARED = 1,
	KEY_IMAGE,
	KEY_SNAPSHOT,
	KEY_TABLETS,
	KEY_WANTED,
	KEY_BUFFER_USAGE,
	KEY_WAL_USAGE,
	KEY_QUEUES
};

typedef struct Shared
{
	Share		share;			/* share of the relation's blocks, or of the listed tablets */
	Oid			relation;
	uint32		image_size;
	uint64		memory_limit;
	uint64		family;			/* Device.family() of the backend's job */
	int32		yield_after;
	bool		reads_all;
} Shared;

struct Feeders
{
	ParallelContext *context;
	Shared	   *shared;
	BufferUsage *buffer_usage;
	WalUsage   *wal_usage;
	shm_mq_handle **queue;
};

/* First message of a feeder. */
typedef struct FeederAnswer
{
	FeedOutcome outcome;
	FeedReport	report;
	uint32		ngroups;
	uint64		heap_used;
} FeederAnswer;

extern PGDLLEXPORT void gpudb_feeder_main(dsm_segment *segment, shm_toc *toc);

/* Return the number of groups that are sent at a time. */
static uint32
slice_groups(uint32 row_words)
{
	return Max(1, PIECE_BYTES / ((row_words + 1) * sizeof(uint64)));
}

/* Code of the backend */

static int
workers_wanted(const Feed *feed)
{
	const JobSpec *spec = &feed->spec;
	Relation	relation = feed->source.relation;
	const BlockNumber blocks = feed->tablets != NULL ? tablet_scan_missing(feed->tablets) : feed->source.end;
	int			n = RelationGetParallelWorkers(relation, -1);

	/* Tables of joins belong to this process. */
	if (feed->dicts != NULL || spec->program->ntables > 0 || feed->device->family(feed->job) == 0 || IsParallelWorker() || !IsUnderPostmaster ||
		RelationUsesLocalBuffers(relation) || job_image_size(spec->program, spec->deform) > JOB_IMAGE_MOST)
		return 0;
	if (feed->tablets != NULL && blocks == 0)
		return 0;
	if (n < 0)
		n = blocks / PAGES_PER_FEEDER;
	n = Min(n, max_parallel_workers_per_gather);
	return machine_has_segment(n) ? n : 0;
}

static Size
wanted_bytes(const Feed *feed)
{
	return Max(1, feed->spec.program->ncolumns) * sizeof(ColumnWanted);
}

/* Store in the segment what the feeders are to do. */
static void
fill_segment(Feeders *feeders, Feed *feed, Snapshot snapshot)
{
	ParallelContext *context = feeders->context;
	const JobSpec *spec = &feed->spec;
	Size		image_size = job_image_size(spec->program, spec->deform);
	char	   *queues;

	feeders->shared = segment_insert(context, KEY_SHARED, sizeof(Shared));
	feeders->shared->relation = RelationGetRelid(feed->source.relation);
	feeders->shared->image_size = image_size;
	feeders->shared->memory_limit = spec->memory_limit;
	feeders->shared->yield_after = spec->yield_after;
	feeders->shared->reads_all = feed->reads_all;
	feeders->shared->family = feed->device->family(feed->job);
	if (feed->tablets != NULL)
	{
		tablet_scan_share(feed->tablets, segment_insert(context, KEY_TABLETS, tablet_list_size(feed->tablets)), &feeders->shared->share);
		memcpy(segment_insert(context, KEY_WANTED, wanted_bytes(feed)), feed->wanted, spec->program->ncolumns * sizeof(ColumnWanted));
	}
	else
		page_source_share(&feed->source, &feeders->shared->share);
	job_image_write(segment_insert(context, KEY_IMAGE, image_size), spec->program, spec->deform);
	SerializeSnapshot(snapshot, segment_insert(context, KEY_SNAPSHOT, EstimateSnapshotSpace(snapshot)));
	feeders->buffer_usage = segment_insert(context, KEY_BUFFER_USAGE, context->nworkers * sizeof(BufferUsage));
	feeders->wal_usage = segment_insert(context, KEY_WAL_USAGE, context->nworkers * sizeof(WalUsage));
	queues = segment_insert(context, KEY_QUEUES, context->nworkers * QUEUE_BYTES);
	feeders->queue = palloc(context->nworkers * sizeof(shm_mq_handle *));
	for (int w = 0; w < context->nworkers; w++)
	{
		shm_mq	   *queue = shm_mq_create(queues + w * QUEUE_BYTES, QUEUE_BYTES);

		shm_mq_set_receiver(queue, MyProc);
		feeders->queue[w] = shm_mq_attach(queue, context->seg, NULL);
	}
}

Feeders *
feeders_start(Feed *feed)
{
	int			wanted = workers_wanted(feed);
	Snapshot	snapshot = feed->source.scan->rs_base.rs_snapshot;
	MemoryContext old;
	Feeders    *feeders;
	ParallelContext *context;

	if (wanted <= 0)
		return NULL;
	old = MemoryContextSwitchTo(feed->context);
	feeders = palloc0(sizeof(Feeders));
	EnterParallelMode();
	context = feeders->context = CreateParallelContext("gpudb", "gpudb_feeder_main", wanted);
	segment_estimate(context, sizeof(Shared));
	segment_estimate(context, job_image_size(feed->spec.program, feed->spec.deform));
	segment_estimate(context, EstimateSnapshotSpace(snapshot));
	if (feed->tablets != NULL)
	{
		segment_estimate(context, tablet_list_size(feed->tablets));
		segment_estimate(context, wanted_bytes(feed));
	}
	segment_estimate(context, mul_size(wanted, sizeof(BufferUsage)));
	segment_estimate(context, mul_size(wanted, sizeof(WalUsage)));
	segment_estimate(context, mul_size(wanted, QUEUE_BYTES));
	InitializeParallelDSM(context);
	/* Without dynamic shared memory there are no workers. */
	if (context->nworkers > 0)
	{
		fill_segment(feeders, feed, snapshot);
		LaunchParallelWorkers(context);
		for (int w = 0; w < context->nworkers_launched; w++)
			shm_mq_set_handle(feeders->queue[w], context->worker[w].bgwhandle);
	}
	MemoryContextSwitchTo(old);
	return feeders;
}

/* Receive the next message of a feeder.  Return false if the feeder is gone. */
static bool
receive(shm_mq_handle *queue, void **data, Size expected)
{
	Size		bytes;

	return shm_mq_receive(queue, &bytes, data, false) == SHM_MQ_SUCCESS && bytes == expected;
}

/*
 * Receive a feeder's text keys and groups, and merge them.  Return DONE,
 * GROUPS_LOST if the feeder is gone, or a failure to merge.
 */
static DeviceStatus
absorb_groups(shm_mq_handle *queue, Feed *feed, const FeederAnswer *answer)
{
	uint32		row_words = feed->spec.program->row_words;
	uint8	   *heap = MemoryContextAllocHuge(feed->context, Max(answer->heap_used, 1));
	DeviceStatus status = STATUS_DONE;
	void	   *data;

	for (uint64 at = 0; at < answer->heap_used; at += PIECE_BYTES)
	{
		Size		bytes = Min(PIECE_BYTES, answer->heap_used - at);

		if (!receive(queue, &data, bytes))
			return STATUS_GROUPS_LOST;
		memcpy(heap + at, data, bytes);
	}
	for (uint32 g = 0; g < answer->ngroups && status == STATUS_DONE; g += slice_groups(row_words))
	{
		uint32		n = Min(slice_groups(row_words), answer->ngroups - g);
		GroupTable	slice = {.ngroups = n, .capacity = n, .row_words = row_words, .heap = heap, .heap_used = answer->heap_used};

		CHECK_FOR_INTERRUPTS();
		if (!receive(queue, &data, n * (row_words + 1) * sizeof(uint64)))
			return STATUS_GROUPS_LOST;
		slice.hashes = data;
		slice.rows = slice.hashes + n;
		status = feed->device->absorb(feed->job, &slice, false);
	}
	pfree(heap);
	return status;
}

/* Add the answer of one feeder to the feed and to *outcome. */
static void
take_answer(shm_mq_handle *queue, Feed *feed, FeedOutcome *outcome)
{
	FeederAnswer answer;
	void	   *data;

	if (!receive(queue, &data, sizeof(answer)))
	{
		/* The blocks that it drew are lost; if it has raised an error, that is what the user sees. */
		if (outcome->status == STATUS_DONE)
			outcome->status = STATUS_GROUPS_LOST;
		return;
	}
	memcpy(&answer, data, sizeof(answer));
	feed_outcome_add(outcome, &answer.outcome);
	feed_report_add(&feed->report, &answer.report);
	if (answer.report.resident)
		feed->device->adopt(feed->job);
	if (outcome->status == STATUS_DONE)
		outcome->status = absorb_groups(queue, feed, &answer);
}

void
feeders_finish(Feeders *feeders, Feed *feed, FeedOutcome *outcome)
{
	ParallelContext *context = feeders->context;

	if (outcome->status != STATUS_DONE)
		share_stop(&feeders->shared->share);
	for (int w = 0; w < context->nworkers_launched; w++)
	{
		take_answer(feeders->queue[w], feed, outcome);
		/* A feeder whose groups are of no use must not wait for us to read them. */
		shm_mq_detach(feeders->queue[w]);
	}
	WaitForParallelWorkersToFinish(context);
	for (int w = 0; w < context->nworkers_launched; w++)
		InstrAccumParallelQuery(&feeders->buffer_usage[w], &feeders->wal_usage[w]);
	DestroyParallelContext(context);
	ExitParallelMode();
}

/* Code of a feeder */

/* Send the groups of the job; nothing can be done if the backend is gone. */
static void
send_groups(shm_mq_handle *queue, const GroupTable *groups)
{
	uint32		n;

	for (uint64 at = 0; at < groups->heap_used; at += PIECE_BYTES)
		if (shm_mq_send(queue, Min(PIECE_BYTES, groups->heap_used - at), groups->heap + at, false, true) != SHM_MQ_SUCCESS)
			return;
	for (uint32 g = 0; g < groups->ngroups; g += n)
	{
		shm_mq_iovec slice[2];

		n = Min(slice_groups(groups->row_words), groups->ngroups - g);
		slice[0].data = (const char *) (groups->hashes + g);
		slice[0].len = n * sizeof(uint64);
		slice[1].data = (const char *) group_row(groups, g);
		slice[1].len = n * groups->row_words * sizeof(uint64);
		if (shm_mq_sendv(queue, slice, 2, false, true) != SHM_MQ_SUCCESS)
			return;
	}
}

/* Draw blocks, or tablets, until none are left.  Return the groups, or NULL if there are none to send. */
static const GroupTable *
run_share(Feed *feed, FeedOutcome *outcome)
{
	const GroupTable *groups = NULL;

	feed_outcome_init(outcome);
	/* No slot is free: the others do without this process. */
	if (!feed_open_job(feed, &remote_device))
		return NULL;
	feed->report.feeders = 1;
	feed_all(feed, outcome);
	if (outcome->status == STATUS_DONE)
		do
		{
			CHECK_FOR_INTERRUPTS();
			outcome->status = feed->device->finish(feed->job, &groups);
		} while (outcome->status == STATUS_TIME_SLICE);
	return outcome->status == STATUS_DONE ? groups : NULL;
}

static void
run_and_answer(Feed *feed, Share *share, shm_mq_handle *queue)
{
	FeederAnswer answer = {.ngroups = 0};
	const GroupTable *groups = run_share(feed, &answer.outcome);

	if (answer.outcome.status != STATUS_DONE)
		share_stop(share);
	if (groups != NULL)
	{
		answer.ngroups = groups->ngroups;
		answer.heap_used = groups->heap_used;
	}
	feed_report_so_far(feed, &answer.report);
	if (shm_mq_send(queue, sizeof(answer), &answer, false, true) == SHM_MQ_SUCCESS && groups != NULL)
		send_groups(queue, groups);
	feed_end(feed);
}

/* Open the pages, or tablets, that the backend shares. */
static void
join(Feed *feed, Relation relation, Snapshot snapshot, Shared *shared, shm_toc *toc)
{
	const TabletList *tablets = shm_toc_lookup(toc, KEY_TABLETS, true);

	feed->device = &remote_device;
	feed_begin(feed, CurrentMemoryContext, relation, snapshot);
	if (tablets == NULL)
		page_source_join(&feed->source, &shared->share);
	else
	{
		feed->wanted = shm_toc_lookup(toc, KEY_WANTED, false);
		feed->tablets = tablet_scan_join(relation, snapshot, feed->wanted, feed->spec.program->ncolumns, tablets, &shared->share);
		feed_choose_keeping(feed);
		feed->source.next = feed->source.end = 0;
	}
}

/* Clean up when a feeder's memory context is reset: a FATAL error ends the process without passing a PG_CATCH. */
static void
cleanup_callback(void *arg)
{
	feed_abandon(arg);
}

/* Allocate a feed in the current memory context, which is cleaned up with the context. */
static Feed *
create_feed(void)
{
	Feed	   *feed = palloc0(sizeof(Feed));
	MemoryContextCallback *cleanup = palloc0(sizeof(MemoryContextCallback));

	cleanup->func = cleanup_callback;
	cleanup->arg = feed;
	MemoryContextRegisterResetCallback(CurrentMemoryContext, cleanup);
	return feed;
}

void
gpudb_feeder_main(dsm_segment *segment, shm_toc *toc)
{
	Shared	   *shared = shm_toc_lookup(toc, KEY_SHARED, false);
	BufferUsage *buffer_usage = shm_toc_lookup(toc, KEY_BUFFER_USAGE, false);
	WalUsage   *wal_usage = shm_toc_lookup(toc, KEY_WAL_USAGE, false);
	shm_mq	   *queue = (shm_mq *) ((char *) shm_toc_lookup(toc, KEY_QUEUES, false) + ParallelWorkerNumber * QUEUE_BYTES);
	Snapshot	snapshot = RegisterSnapshot(RestoreSnapshot(shm_toc_lookup(toc, KEY_SNAPSHOT, false)));
	Relation	relation = table_open(shared->relation, AccessShareLock);
	MemoryContext old = MemoryContextSwitchTo(AllocSetContextCreate(CurrentMemoryContext, "gpudb feeder", ALLOCSET_DEFAULT_SIZES));
	JobImage   *image = palloc(shared->image_size);
	Feed	   *feed = create_feed();
	JobView		view;

	memcpy(image, shm_toc_lookup(toc, KEY_IMAGE, false), shared->image_size);
	if (job_image_open(image, shared->image_size, &view) != STATUS_DONE)
		elog(ERROR, "gpudb: a damaged job");
	feed->spec = (JobSpec) {
		.program = view.program, .deform = &view.deform, .memory_limit = shared->memory_limit,
		.yield_after = shared->yield_after, .family = shared->family, .interrupted = feed_interrupted
	};
	feed->reads_all = shared->reads_all;
	shm_mq_set_sender(queue, MyProc);
	InstrStartParallelQuery();
	PG_TRY();
	{
		join(feed, relation, snapshot, shared, toc);
		run_and_answer(feed, &shared->share, shm_mq_attach(queue, segment, NULL));
	}
	PG_CATCH();
	{
		feed_abandon(feed);
		PG_RE_THROW();
	}
	PG_END_TRY();
	InstrEndParallelQuery(&buffer_usage[ParallelWorkerNumber], &wal_usage[ParallelWorkerNumber]);
	MemoryContextDelete(MemoryContextSwitchTo(old));
	table_close(relation, AccessShareLock);
	UnregisterSnapshot(snapshot);
}

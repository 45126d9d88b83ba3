/*
 * build_columns.c
 *		Builds columns of some tablets in the cache without a query.
 *
 * A job of the CPU device counts the rows of the tablets.  All wanted columns
 * are deformed on the way, and the device's threads add them to the cache as
 * they do for a query.
 */
#include "postgres.h"

#include "access/parallel.h"
#include "catalog/pg_aggregate.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/pg_list.h"
#include "storage/bufmgr.h"
#include "utils/fmgroids.h"
#include "utils/memutils.h"

#include "compile/compile.h"
#include "device/device.h"
#include "device/threads.h"
#include "exec/build/build_columns.h"
#include "exec/run/feed.h"
#include "guc.h"
#include "tablet/cache/pool.h"
#include "tablet/cache/progress.h"
#include "tablet/cache/shelf.h"
#include "tablet/scan/tablet_read.h"

/* Resources that are released with their memory context, even after an error. */
typedef struct Building
{
	Feed		feed;
	int			leased;			/* threads leased */
	uint32		ntablets;
	void		(*give_way) (void);	/* BuildOrder.give_way */
	MemoryContextCallback closing;
} Building;

static void
let_go(void *arg)
{
	Building   *building = arg;

	feed_abandon(&building->feed);
	threads_return(building->leased);
}

/* Compile count(*) as a program over ncolumns columns, of which it loads none. */
static const Program *
counting_program(int ncolumns)
{
	Aggref	   *count = makeNode(Aggref);
	CompileInput input = {.varno = 1};
	CompileRequest request = {.aggregate = true, .aggs = list_make1(count)};
	CompileResult *compiled = palloc0(sizeof(CompileResult));
	Program    *program;

	count->aggfnoid = F_COUNT_;
	count->aggtype = INT8OID;
	count->aggstar = true;
	count->aggkind = AGGKIND_NORMAL;
	count->aggsplit = AGGSPLIT_SIMPLE;
	compile_program(&input, &request, compiled);
	if (compiled->reason != NULL)
		elog(ERROR, "gpudb: count(*) cannot be compiled: %s", compiled->reason);
	program = memcpy(palloc(compiled->program->size), compiled->program, compiled->program->size);
	program->ncolumns = (uint16) ncolumns;
	return program;
}

/*
 * Report progress to gpudb.progress after each page batch that the device has
 * read, and give way.  The leader reports for its parallel workers.
 */
static DeviceStatus
after_page_batch(void *arg, const DeviceWork *work)
{
	const Building *building = arg;
	const PageBatch *page_batch = work->owner;

	if (!IsParallelWorker())
		progress_set(building->feed.source.relation, building->ntablets, page_batch->block[0] / TABLET_BLOCKS);
	if (building->give_way != NULL)
		building->give_way();
	return STATUS_DONE;
}

/* Store in *result which column stopped the job, and why. */
static void
note_failure(const FeedOutcome *outcome, int ncolumns, Built *result)
{
	result->status = outcome->status;
	result->column = outcome->failed_column;
	for (int c = 0; c < ncolumns && outcome->status == STATUS_SCALE_EXCEEDED; c++)
		if (outcome->max_scale[c] > result->scale)
		{
			result->column = c;
			result->scale = outcome->max_scale[c];
		}
}

/* Open the job for some tablets.  Return false if the columns cannot be cached. */
static bool
begin(Building *building, const BuildOrder *order, const ColumnWanted *wanted, int nwanted, TabletRange tablets)
{
	Feed	   *feed = &building->feed;
	uint32		nfound;
	bool		all;

	feed->wanted = columns_with_dicts(order->relation, wanted, nwanted, &all);
	if (!all)
		return false;
	feed_begin(feed, CurrentMemoryContext, order->relation, order->snapshot);
	feed->tablets = tablet_scan_of_tablets(order->relation, order->snapshot, feed->source.end, feed->wanted, nwanted, tablets);
	if (feed->tablets == NULL)
		return false;
	(void) tablet_scan_decide_next(feed->tablets, &nfound);
	feed->source.next = feed->source.end = 0;
	feed->builds = true;
	feed->take_rows = after_page_batch;
	feed->take_arg = building;
	if (order->threads < 0)
		building->leased = threads_lease();
	feed->spec = (JobSpec) {
		.program = counting_program(nwanted), .deform = deform_spec_create(order->relation, feed->wanted, nwanted),
		.memory_limit = guc_group_bytes(), .threads = order->threads < 0 ? building->leased : order->threads,
		.interrupted = feed_interrupted
	};
	return feed_open_job(feed, &cpu_device);
}

/*
 * Build up to PROGRAM_MAX_COLUMNS columns, of different attributes, of some
 * tablets in one pass.  Return false if they cannot be cached.
 */
static bool
build(const BuildOrder *order, const ColumnWanted *wanted, int nwanted, TabletRange tablets, Built *result)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "gpudb building", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	Building   *building = palloc0(sizeof(Building));
	FeedOutcome *outcome = palloc(sizeof(FeedOutcome));
	volatile bool begun;

	building->closing = (MemoryContextCallback) {.func = let_go, .arg = building};
	MemoryContextRegisterResetCallback(context, &building->closing);
	building->ntablets = tablets_of(RelationGetNumberOfBlocks(order->relation));
	building->give_way = order->give_way;
	begun = begin(building, order, wanted, nwanted, tablets);
	feed_outcome_init(outcome);
	PG_TRY();
	{
		if (begun)
			feed_all(&building->feed, outcome);
	}
	PG_CATCH();
	{
		/* Threads read pinned pages: stop them before the pins are released. */
		feed_abandon(&building->feed);
		PG_RE_THROW();
	}
	PG_END_TRY();
	if (building->feed.source.scan != NULL)
		feed_end(&building->feed);
	note_failure(outcome, nwanted, result);
	result->added = Max(result->added, building->feed.report.tablets_added);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
	return begun;
}

/*
 * Choose the columns of the next pass among those whose left[] is true, and
 * clear their left[]: at most PROGRAM_MAX_COLUMNS, and one form of each
 * attribute, since pages are deformed into one form at a time.  Returns their
 * number, and their indexes in place[].
 */
static int
choose_columns(const ColumnWanted *wanted, int nwanted, bool *left, int *place)
{
	int			n = 0;

	for (int w = 0; w < nwanted && n < PROGRAM_MAX_COLUMNS; w++)
	{
		bool		apart = left[w];

		for (int p = 0; p < n && apart; p++)
			apart = !columns_differ_in_form(&wanted[place[p]], &wanted[w]);
		if (apart)
			place[n++] = w;
		left[w] &= !apart;
	}
	return n;
}

bool
build_tablet_columns(const BuildOrder *order, TabletRange tablets, Built *result)
{
	ColumnWanted *columns = palloc(sizeof(ColumnWanted) * PROGRAM_MAX_COLUMNS);
	bool	   *left = palloc(sizeof(bool) * Max(order->nwanted, 1));
	int			place[PROGRAM_MAX_COLUMNS];
	bool		begun = false;
	int			ncolumns;

	*result = (Built) {.status = STATUS_DONE, .column = -1};
	shelf_build_at_once(order->relation, tablets.first, tablets.n);
	memset(left, true, order->nwanted);
	while (result->status == STATUS_DONE && (ncolumns = choose_columns(order->wanted, order->nwanted, left, place)) > 0)
	{
		for (int c = 0; c < ncolumns; c++)
			columns[c] = order->wanted[place[c]];
		begun |= build(order, columns, ncolumns, tablets, result);
		if (result->column >= 0)
			result->column = place[result->column];
	}
	pfree(columns);
	pfree(left);
	return begun;
}

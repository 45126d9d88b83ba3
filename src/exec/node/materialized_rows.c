/*
 * materialized_rows.c
 *		Runs whose rows are materialized on the GPU: their number, their use on the device, and fetching them.
 *
 * The plan's filters and joins run as those of an aggregate without keys.  The
 * aggregate also counts the rows and finds the bounds of their columns, while
 * the device materializes the rows.  Only these few numbers are transferred to
 * the host.
 *
 * The number of rows is not known in advance.  Rows for which there is no room
 * are counted only, and another run reserves room for all of them.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "miscadmin.h"

#include "device/device.h"
#include "exec/join/joins.h"
#include "exec/node/materialized_rows.h"
#include "exec/node/params.h"
#include "exec/rows/scan_collect.h"
#include "guc.h"

/*
 * Room that is reserved at first, in rows: beyond the planner's estimate, or for
 * the whole relation if it takes no large part of the memory.
 */
#define ROOM_FACTOR		1.25
#define ROOM_LEAST		65536
#define ROOM_SHARE		4

/* Number of runs, each with more room than the one before. */
#define MAX_ROUNDS		3

uint32
materialized_rows_most(int ncolumns)
{
	return (uint32) Min(guc_join_bytes() / (8 * Max(ncolumns, 1)), JOIN_NO_ROW - 1);
}

uint32
materialized_rows_room(const GpuNode *node, uint32 most)
{
	const double estimated = node->css.ss.ps.plan->plan_rows * ROOM_FACTOR;
	const double all = node->relation->rd_rel->reltuples;

	return (uint32) Min(Max(all <= most / ROOM_SHARE ? Max(all, estimated) : estimated, ROOM_LEAST), most);
}

uint64
materialized_rows_state(const CompileResult *compiled, const GroupTable *groups, int state)
{
	return groups->rows[compiled->program->state_word[state]];
}

Tablet *
materialized_rows_describe(const CompileResult *compiled, const GroupTable *groups, uint32 *null_count)
{
	Tablet	   *rows = palloc0(sizeof(Tablet) + sizeof(TabletColumn) * Max(compiled->nmaterialized, 1));

	rows->nrows = (uint32) materialized_rows_state(compiled, groups, compiled->materialized_count);
	rows->ncols = compiled->nmaterialized;
	rows->failed_column = -1;
	for (int k = 0; k < compiled->nmaterialized; k++)
	{
		const MaterializedColumn *materialized = &compiled->materialized[k];
		TabletColumn *column = &rows->column[k];

		column->type = compiled->program->materialized[k];
		column->null_count = null_count[k] = rows->nrows - (uint32) materialized_rows_state(compiled, groups, materialized->count);
		/* without values the bounds may be anything */
		if (materialized->least < 0 || column->null_count == rows->nrows)
			continue;
		wide_store(column->min, (int64) materialized_rows_state(compiled, groups, materialized->least));
		wide_store(column->max, (int64) materialized_rows_state(compiled, groups, materialized->largest));
	}
	return rows;
}

/* Runs that materialize what a plan returns */

/* Return what the plan returns, in the order of its target list, as expressions of the node's request. */
static List *
outputs_of(const PlanState *ps)
{
	const GpuNode *node = (const GpuNode *) ps;
	const bool	joins = is_collectable_join(ps);
	List	   *outputs = NIL;
	ListCell   *lc;

	foreach(lc, ps->plan->targetlist)
	{
		Expr	   *expr = lfirst_node(TargetEntry, lc)->expr;

		outputs = lappend(outputs, joins ? list_nth(node->request.outputs, castNode(Var, expr)->varattno - 1) : expr);
	}
	return outputs;
}

/*
 * Run the program once and set *count to the number of rows.  Return true if all
 * rows fit in the room reserved and `take` has succeeded.
 */
static bool
run_once(GpuNode *node, MaterializedTaker take, void *arg, uint64 *count)
{
	const GroupTable *groups;
	FeedOutcome outcome;

	*count = 0;
	node_start_run(node);
	if (!node_try_job(node) || node->device->keep == NULL)
		return false;
	feed_find_cached(&node->feed);
	feed_outcome_init(&outcome);
	feed_all(&node->feed, &outcome);
	if (outcome.status != STATUS_DONE || feed_finish(&node->feed, &groups) != STATUS_DONE)
		return false;
	*count = materialized_rows_state(&node->compiled, groups, node->compiled.materialized_count);
	return *count <= node->keep_most && take(node, groups, arg);
}

static bool
run_rounds(GpuNode *node, int ncolumns, MaterializedTaker take, void *arg, uint64 *count)
{
	const uint32 most = materialized_rows_most(ncolumns);
	instr_time	start;
	bool		done;

	node->keep_most = materialized_rows_room(node, most);
	for (int round = 0; round < MAX_ROUNDS; round++)
	{
		INSTR_TIME_SET_CURRENT(start);
		done = run_once(node, take, arg, count);
		node_add_time(node, start);
		node_end_run(node);
		if (done || *count <= node->keep_most || *count > most)
			return done;
		node->keep_most = (uint32) *count;
	}
	return false;
}

/* Run the rounds of a node whose request materializes rows, draining the job before an error passes on. */
static bool
run_or_abandon(GpuNode *node, int ncolumns, MaterializedTaker take, void *arg, uint64 *count)
{
	volatile bool done = false;

	PG_TRY();
	{
		done = params_probe(node) && run_rounds(node, ncolumns, take, arg, count);
	}
	PG_CATCH();
	{
		feed_abandon(&node->feed);
		PG_RE_THROW();
	}
	PG_END_TRY();
	return done;
}

bool
materialized_rows_run(PlanState *ps, const JoinUse *keep, MaterializedTaker take, void *arg)
{
	GpuNode    *node = (GpuNode *) ps;
	const CompileRequest request = node->request;
	const bool	prefer_gpu = node->prefer_gpu;
	MemoryContext old;
	uint64		count = 0;
	bool		done;

	if (!device_may_use_gpu() || node->nchildren > 0 || joins_end_in_full(node))
		return false;
	old = MemoryContextSwitchTo(ps->state->es_query_cxt);
	if (ps->instrument)
		InstrStartNode(ps->instrument);
	node->request.outputs = outputs_of(ps);
	node->request.give_rows = node->request.keep_rows = false;
	node->request.aggregate = true;
	node->request.keep = keep;
	node->prefer_gpu = true;
	done = run_or_abandon(node, keep->ncolumns, take, arg, &count);
	node->request = request;
	node->prefer_gpu = prefer_gpu;
	if (ps->instrument)
		InstrStopNode(ps->instrument, done ? count : 0);
	MemoryContextSwitchTo(old);
	return done;
}

/* Runs whose rows are fetched */

/* Fetch `count` materialized rows and pass them to `take`, one part after the other. */
static DeviceStatus
fetch_all(GpuNode *node, uint32 count, OutputRows *outputs, DeviceStatus (*take) (void *arg, uint32 nrows), void *arg)
{
	DeviceStatus status = STATUS_DONE;
	MaterializedPart part;

	for (uint32 first = 0; first < count && status == STATUS_DONE; first += part.nrows)
	{
		const bool	fetched = node->device->fetch(node->feed.job, first, count - first, &part);

		CHECK_FOR_INTERRUPTS();
		/* a batch that had to be restarted has materialized its rows twice */
		if (!fetched || part.total != count)
			return STATUS_GROUPS_LOST;
		output_keep_part(outputs, node->run_context, &node->compiled, &part);
		status = take(arg, part.nrows);
	}
	return status;
}

DeviceStatus
materialized_rows_fetch(GpuNode *node, OutputRows *outputs, DeviceStatus (*take) (void *arg, uint32 nrows), void *arg)
{
	const GroupTable *groups;
	DeviceStatus status = feed_finish(&node->feed, &groups);
	uint64		count;

	if (status != STATUS_DONE)
		return status;
	count = materialized_rows_state(&node->compiled, groups, node->compiled.materialized_count);
	if (count <= node->keep_most)
		return fetch_all(node, (uint32) count, outputs, take, arg);
	if (count > materialized_rows_most(list_length(node->request.outputs)))
		return STATUS_MEMORY_LIMIT;
	node->keep_most = (uint32) count;
	return STATUS_NO_ROOM;
}

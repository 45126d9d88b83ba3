/*
 * materialize.c
 *		Runs that materialize on the GPU what a GpuScan or GpuJoin returns.
 *
 * The number of rows is not known in advance.  Rows for which there is no room
 * are counted only, and another run reserves room for all of them.
 */
#include "postgres.h"

#include "executor/executor.h"

#include "device/device.h"
#include "exec/join/joins.h"
#include "exec/node/lifecycle.h"
#include "exec/node/materialize.h"
#include "exec/node/params.h"
#include "exec/run/materialized_rows.h"

/* Number of runs, each with more room than the one before. */
#define MAX_ROUNDS		3

/* Return what the plan returns, in the order of its target list, as expressions of the node's request. */
static List *
outputs_of(const PlanState *ps)
{
	const GpuNode *node = (const GpuNode *) ps;
	const bool	by_number = node_methods(ps)->computes_outputs;
	List	   *outputs = NIL;
	ListCell   *lc;

	foreach(lc, ps->plan->targetlist)
	{
		Expr	   *expr = lfirst_node(TargetEntry, lc)->expr;

		outputs = lappend(outputs, by_number ? list_nth(node->request.outputs, castNode(Var, expr)->varattno - 1) : expr);
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
materialize_rows(PlanState *ps, const JoinUse *keep, MaterializedTaker take, void *arg)
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

/*
 * exec_join.c
 *		GpuJoin: filter and join relations in one pass, and return the rows.
 *
 * custom_scan_tlist holds the output columns, then (resjunk) the base Vars of
 * filters and joins.  If the rows become the table of a further join they are
 * collected as columns.  Otherwise they are spooled, and the first one is
 * returned when all are there, so the fallback child can answer from the start
 * if anything stops the node.
 *
 * A full join is the last one.  Rows of its table that have found no match
 * follow after the pass, and filters of the full join's rows are the node's
 * own qual.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "miscadmin.h"
#include "utils/memutils.h"
#include "utils/tuplestore.h"

#include "exec/join/joins.h"
#include "exec/node/explain.h"
#include "exec/node/lifecycle.h"
#include "exec/node/materialize.h"
#include "exec/node/params.h"
#include "exec/rows/collect_columns.h"
#include "exec/rows/unmatched.h"
#include "exec/run/children.h"
#include "exec/run/materialized_rows.h"
#include "exec/run/node.h"

typedef struct GpuJoinState
{
	GpuNode		node;
	int			nwanted;		/* number of output columns, which stand first in custom_scan_tlist */
	bool		full;			/* the last join is a full join */
	OutputRows	outputs;		/* outputs of the current item */
	Unmatched	unmatched;		/* rows of the full join's table without a match */
	bool		computed;
	Tuplestorestate *spool;
	TupleTableSlot *spool_slot;

	/* Row store that takes the rows instead of the spool */
	RowStore   *store;
	bool		refused;		/* `store` has refused the rows */
	const ColumnUse *columns;
	int			ncolumns;
	int		   *wanted;			/* output column, from 0 on, of each entry of the node's target list */
} GpuJoinState;

static Node *create_state(CustomScan *plan);

const CustomScanMethods gpu_join_methods = {
	.CustomName = "GpuJoin",
	.CreateCustomScanState = create_state,
};

/*
 * GpuScan whose rows a GPU materializes: a pipeline without joins.  Parallel
 * workers do not read the plan, so its name need not be unique.
 */
const CustomScanMethods gpu_materialized_scan_methods = {
	.CustomName = "GpuScan",
	.CreateCustomScanState = create_state,
};

static void
begin(CustomScanState *css, EState *estate, int eflags)
{
	GpuJoinState *state = (GpuJoinState *) css;
	GpuNode    *node = &state->node;
	CustomScan *plan = (CustomScan *) css->ss.ps.plan;

	node_begin(node, estate, eflags);
	state->nwanted = intVal(list_nth(plan->custom_private, NODE_PRIVATE_KEYS));
	node->request.quals = joins_other_exprs(plan);
	state->full = joins_end_in_full(node);
	node->request.give_rows = true;
	/* a GPU may have no codes for texts of a scan that it was to materialize */
	node->request.no_tuples = true;
	node->may_keep = true;
	for (int i = 0; i < state->nwanted; i++)
		node->request.outputs = lappend(node->request.outputs, list_nth_node(TargetEntry, plan->custom_scan_tlist, i)->expr);
	state->spool_slot = MakeSingleTupleTableSlot(css->ss.ss_ScanTupleSlot->tts_tupleDescriptor, &TTSOpsMinimalTuple);
	params_find(node);
}

/* Put the rows of an item into the spool. */
static void
spool_rows(GpuJoinState *state, const JoinedRows *joined)
{
	TupleTableSlot *slot = state->node.css.ss.ss_ScanTupleSlot;
	MemoryContext scratch = AllocSetContextCreate(CurrentMemoryContext, "gpudb row", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(scratch);

	for (uint32 row = 0; row < joined->nrows; row++)
	{
		CHECK_FOR_INTERRUPTS();
		memset(slot->tts_isnull, true, slot->tts_tupleDescriptor->natts * sizeof(bool));
		for (int a = 0; a < state->nwanted; a++)
			slot->tts_values[a] = joined_value(joined, a, row, &slot->tts_isnull[a]);
		tuplestore_putvalues(state->spool, slot->tts_tupleDescriptor, slot->tts_values, slot->tts_isnull);
		MemoryContextReset(scratch);
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(scratch);
}

/* Put rows into the spool or, if there is one, into the row store. */
static DeviceStatus
put_rows(GpuJoinState *state, const JoinedRows *joined)
{
	DeviceStatus status = STATUS_DONE;

	if (state->store == NULL)
		spool_rows(state, joined);
	else
		status = collect_joined(joined, state->store, state->columns, state->ncolumns, state->wanted);
	state->refused = status != STATUS_DONE;
	return status;
}

/* Take the rows that an item's joins have made. */
static DeviceStatus
take_rows(void *arg, const DeviceWork *work)
{
	GpuJoinState *state = arg;
	GpuNode    *node = &state->node;
	MemoryContext old;
	DeviceStatus status;

	if (work->nrows == 0)
		return STATUS_DONE;
	old = MemoryContextSwitchTo(node->run_context);
	output_keep(&state->outputs, node->run_context, &node->compiled, work, node->feed.spec.deform);
	if (state->full)
		unmatched_note(&state->unmatched, work);
	status = put_rows(state, &(JoinedRows) {&state->outputs, work->nrows, work->matches, work->room, node->tables});
	MemoryContextSwitchTo(old);
	return status;
}

/* Take rows that a GPU has materialized. */
static DeviceStatus
take_materialized(void *arg, uint32 nrows)
{
	GpuJoinState *state = arg;
	const OutputRows *outputs = &state->outputs;
	MemoryContext old = MemoryContextSwitchTo(state->node.run_context);
	DeviceStatus status = put_rows(state, &(JoinedRows) {outputs, nrows, outputs->matches, nrows, state->node.tables});

	MemoryContextSwitchTo(old);
	return status;
}

/* Take the rows of a full join's table without a match; all other columns of the joined rows are NULL. */
static DeviceStatus
take_unmatched(GpuJoinState *state)
{
	GpuNode    *node = &state->node;
	MemoryContext old = MemoryContextSwitchTo(node->run_context);
	DeviceStatus status = STATUS_DONE;
	uint32		n;

	while (status == STATUS_DONE && (n = unmatched_next(&state->unmatched)) > 0)
	{
		const JoinedRows joined = {&state->outputs, n, state->unmatched.matches, UNMATCHED_ROWS, node->tables};

		output_be_null(&state->outputs, node->run_context, &node->compiled, n, node->feed.spec.deform);
		status = put_rows(state, &joined);
	}
	MemoryContextSwitchTo(old);
	return status;
}

/* Discard all rows before a run begins anew. */
static void
forget_rows(GpuJoinState *state)
{
	EState	   *estate = state->node.css.ss.ps.state;
	MemoryContext old;

	memset(&state->outputs, 0, sizeof(state->outputs));
	state->refused = false;
	if (state->store != NULL)
	{
		row_store_clear(state->store);
		return;
	}
	if (state->spool != NULL)
		tuplestore_end(state->spool);
	old = MemoryContextSwitchTo(estate->es_query_cxt);
	state->spool = tuplestore_begin_heap((state->node.eflags & EXEC_FLAG_REWIND) != 0, false, work_mem);
	MemoryContextSwitchTo(old);
}

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

/*
 * After all pages have been processed: fetch the materialized rows, one part
 * after the other, and pass each part to `take`.  Return DONE; NO_ROOM if
 * another run must reserve room for node->keep_most rows; the status of `take`;
 * or the reason why the rows cannot be fetched.
 */
static DeviceStatus
fetch_materialized(GpuNode *node, OutputRows *outputs, DeviceStatus (*take) (void *arg, uint32 nrows), void *arg)
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

/* Feed all pages and take the rows, as items finish or, if they are materialized on the device, all at the end. */
static void
run_job(GpuJoinState *state, FeedOutcome *outcome)
{
	GpuNode    *node = &state->node;
	instr_time	start;

	INSTR_TIME_SET_CURRENT(start);
	if (state->full)
		unmatched_begin(&state->unmatched, node->run_context, node->tables, node->njoins);
	node->feed.take_rows = node->request.keep_rows ? NULL : take_rows;
	node->feed.take_arg = state;
	feed_find_cached(&node->feed);
	feed_outcome_init(outcome);
	feed_all(&node->feed, outcome);
	children_feed(node, outcome);
	if (outcome->status == STATUS_DONE && node->request.keep_rows)
		outcome->status = fetch_materialized(node, &state->outputs, take_materialized, state);
	if (outcome->status == STATUS_DONE && state->full)
		outcome->status = take_unmatched(state);
	node_add_time(node, start);
}

/*
 * Run the whole job.  Return DONE, or why it failed; a failure is added to the
 * fallback cache unless the row store has refused the rows.
 */
static DeviceStatus
compute(GpuJoinState *state)
{
	GpuNode    *node = &state->node;
	FeedOutcome outcome;

	if (!params_probe(node))
		return STATUS_SUBPLAN_WAITS;
	if (node->keep_most == 0)
		node->keep_most = materialized_rows_room(node, materialized_rows_most(state->nwanted));
	for (int round = 0; round < NODE_MOST_ROUNDS; round++)
	{
		forget_rows(state);
		node_start_run(node);
		if (!node_open_job(node))
		{
			node_remember_tables(node);
			node_end_run(node);
			return STATUS_MEMORY_LIMIT;
		}
		run_job(state, &outcome);
		if (outcome.status == STATUS_DONE || !node_mend(node, &outcome))
			break;
		node_end_run(node);
	}
	if (outcome.status != STATUS_DONE && !state->refused)
		node_remember(node, &outcome);
	node_end_run(node);
	return outcome.status;
}

/* Store the next spooled row that passes the node's qual in the scan slot.  Return false at the end. */
static bool
next_spooled(GpuJoinState *state, TupleTableSlot *slot)
{
	PlanState  *ps = &state->node.css.ss.ps;

	while (tuplestore_gettupleslot(state->spool, true, false, state->spool_slot))
	{
		node_copy_row(state->spool_slot, slot);
		ps->ps_ExprContext->ecxt_scantuple = slot;
		if (ps->qual == NULL || ExecQual(ps->qual, ps->ps_ExprContext))
			return true;
		InstrCountFiltered1(ps, 1);
		CHECK_FOR_INTERRUPTS();
		ResetExprContext(ps->ps_ExprContext);
	}
	return false;
}

/* Note that PostgreSQL answers, unless that was noted when a job was to be opened. */
static void
note_failure(GpuNode *node, DeviceStatus status)
{
	if (status != STATUS_DONE && node->report.fallback_reason == NULL)
		node_note_status(node, status);
}

static TupleTableSlot *
next_row(GpuNode *node)
{
	GpuJoinState *state = (GpuJoinState *) node;
	PlanState  *ps = &node->css.ss.ps;
	TupleTableSlot *slot = node->css.ss.ss_ScanTupleSlot;

	if (!state->computed && !node->fell_back)
	{
		const DeviceStatus status = compute(state);

		state->computed = status == STATUS_DONE;
		note_failure(node, status);
	}
	CHECK_FOR_INTERRUPTS();
	ResetExprContext(ps->ps_ExprContext);
	if (state->computed)
	{
		if (!next_spooled(state, slot))
			return NULL;
	}
	else
	{
		TupleTableSlot *row = node_fallback_next(node);

		if (row == NULL)
			return NULL;
		node_copy_row(row, slot);
	}
	ps->ps_ExprContext->ecxt_scantuple = slot;
	return ps->ps_ProjInfo ? ExecProject(ps->ps_ProjInfo) : slot;
}

/* Return, for each entry of the plan's target list, which is a Var, the number of its output column; palloc'd. */
static int *
wanted_by_entry(const Plan *plan)
{
	int		   *wanted = palloc(sizeof(int) * Max(list_length(plan->targetlist), 1));
	ListCell   *lc;

	foreach(lc, plan->targetlist)
		wanted[foreach_current_index(lc)] = castNode(Var, lfirst_node(TargetEntry, lc)->expr)->varattno - 1;
	return wanted;
}

static DeviceStatus
collect(PlanState *ps, RowStore *store, const ColumnUse *columns, int ncolumns)
{
	GpuJoinState *state = (GpuJoinState *) ps;
	MemoryContext old = MemoryContextSwitchTo(ps->state->es_query_cxt);
	DeviceStatus status;

	if (ps->instrument)
		InstrStartNode(ps->instrument);
	state->store = store;
	state->columns = columns;
	state->ncolumns = ncolumns;
	state->wanted = wanted_by_entry(ps->plan);
	PG_TRY();
	{
		status = compute(state);
		if (!state->refused)
			note_failure(&state->node, status);
	}
	PG_CATCH();
	{
		feed_abandon(&state->node.feed);
		PG_RE_THROW();
	}
	PG_END_TRY();
	state->store = NULL;
	if (ps->instrument)
		InstrStopNode(ps->instrument, status == STATUS_DONE ? row_store_added(store) : 0);
	MemoryContextSwitchTo(old);
	return status;
}

static void
drop_spool(GpuJoinState *state)
{
	if (state->spool != NULL)
		tuplestore_end(state->spool);
	state->spool = NULL;
	state->computed = false;
}

static void
end(CustomScanState *css)
{
	GpuJoinState *state = (GpuJoinState *) css;

	ExecClearTuple(css->ss.ss_ScanTupleSlot);
	ExecDropSingleTupleTableSlot(state->spool_slot);
	drop_spool(state);
	node_end(&state->node);
}

static void
rescan(CustomScanState *css)
{
	GpuJoinState *state = (GpuJoinState *) css;

	ExecClearTuple(css->ss.ss_ScanTupleSlot);
	/* Without new parameters the rows are the same. */
	if (state->computed && css->ss.ps.chgParam == NULL && (state->node.eflags & EXEC_FLAG_REWIND))
	{
		tuplestore_rescan(state->spool);
		return;
	}
	drop_spool(state);
	node_rescan(&state->node);
}

static const NodeMethods methods = {
	.exec = {
		.CustomName = "GpuJoin",
		.BeginCustomScan = begin,
		.ExecCustomScan = node_exec,
		.EndCustomScan = end,
		.ReScanCustomScan = rescan,
		.ExplainCustomScan = node_explain,
	},
	.next_row = next_row,
	.collect = collect,
	.materialize = materialize_rows,
	.computes_outputs = true,
};

static Node *
create_state(CustomScan *plan)
{
	return (Node *) node_create(sizeof(GpuJoinState), &methods);
}

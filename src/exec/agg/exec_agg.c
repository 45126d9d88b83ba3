/*
 * exec_agg.c
 *		GpuAgg: filter, join, group and aggregate a relation in one pass.
 *
 * custom_scan_tlist holds the keys, then the aggregates, then (resjunk) the
 * base Vars under them.  The whole job is done before the first row is
 * returned, so the fallback child can answer from the start if anything stops
 * the job.  Aggregates without keys that are too many for one program are
 * computed by several programs, each of which runs over the same rows.  HAVING
 * and the target list over the aggregates are the node's own qual and
 * projection, computed by PostgreSQL.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "utils/memutils.h"

#include "exec/agg/late_materialization.h"
#include "exec/agg/quantiles.h"
#include "exec/agg/results.h"
#include "exec/agg/top.h"
#include "exec/join/joins.h"
#include "exec/join/multipass_join.h"
#include "exec/node/explain.h"
#include "exec/node/lifecycle.h"
#include "exec/node/params.h"
#include "exec/run/children.h"
#include "exec/run/feeders.h"
#include "exec/run/node.h"

typedef struct GpuAggState
{
	GpuNode		node;
	bool		computed;
	const GroupTable *groups;
	Top			top;			/* the groups that are wanted */
	uint32		next;			/* index, among the groups that are wanted, of the one to return next */
	bool		late_materialization_first; /* the node's qual refers to late-materialized columns */
	/* Results of all aggregates, if several programs compute them */
	MemoryContext parts_context;
	Datum	   *values;
	bool	   *isnull;
} GpuAggState;

static Node *create_state(CustomScan *plan);

const CustomScanMethods gpu_agg_methods = {
	.CustomName = "GpuAgg",
	.CreateCustomScanState = create_state,
};

/* Split the aggregates across programs, given the number of aggregates of each; NIL = one program computes all. */
static void
split_aggregates(GpuAggState *state, const List *counts)
{
	GpuNode    *node = &state->node;
	EState	   *estate = node->css.ss.ps.state;
	const int	naggs = list_length(node->request.aggs);
	List	   *left = list_copy(node->request.aggs);
	ListCell   *lc;

	foreach(lc, counts)
	{
		node->parts = lappend(node->parts, list_truncate(list_copy(left), lfirst_int(lc)));
		left = list_copy_tail(left, lfirst_int(lc));
	}
	if (counts == NIL)
		return;
	state->parts_context = AllocSetContextCreate(estate->es_query_cxt, "gpudb parts", ALLOCSET_SMALL_SIZES);
	state->values = MemoryContextAllocZero(estate->es_query_cxt, naggs * sizeof(Datum));
	state->isnull = MemoryContextAllocZero(estate->es_query_cxt, naggs * sizeof(bool));
}

static void
begin(CustomScanState *css, EState *estate, int eflags)
{
	GpuAggState *state = (GpuAggState *) css;
	GpuNode    *node = &state->node;
	CustomScan *plan = (CustomScan *) css->ss.ps.plan;
	int			nkeys = intVal(list_nth(plan->custom_private, NODE_PRIVATE_KEYS));
	int			naggs = intVal(list_nth(plan->custom_private, NODE_PRIVATE_AGGS));

	node_begin(node, estate, eflags);
	node->request.aggregate = true;
	node->request.quals = joins_other_exprs(plan);
	for (int i = 0; i < nkeys + naggs; i++)
	{
		Expr	   *expr = list_nth_node(TargetEntry, plan->custom_scan_tlist, i)->expr;

		if (i < nkeys)
			node->request.keys = lappend(node->request.keys, expr);
		else
			node->request.aggs = lappend(node->request.aggs, expr);
	}
	state->top = top_of_plan(list_nth(plan->custom_private, NODE_PRIVATE_TOP));
	node->late_materialization = late_materialization_begin(node, list_nth(plan->custom_private, NODE_PRIVATE_LATE_MATERIALIZATION), nkeys + naggs);
	state->late_materialization_first = node->late_materialization != NULL && late_materialization_is_seen(node->late_materialization, plan->scan.plan.qual);
	params_find(node);
	split_aggregates(state, list_nth(plan->custom_private, NODE_PRIVATE_PARTS));
}

/* Find the groups that can be among the first n, and count those left out. */
static void
find_top(GpuAggState *state)
{
	GpuNode    *node = &state->node;
	MemoryContext old = MemoryContextSwitchTo(node->run_context);
	JobReport	job;

	node->device->report(node->feed.job, &job);
	top_find(&state->top, state->groups);
	node->report.groups_left_out += state->groups->ngroups - state->top.ngroups + job.left_out;
	MemoryContextSwitchTo(old);
}

/* Feed all pages, or a sample of tablets, with parallel workers where that pays.  Return true if workers took part. */
static bool
feed_pass(Feed *feed, FeedOutcome *outcome)
{
	Feeders    *feeders;

	feed_find_cached(feed);
	feeders = feed->sampled ? NULL : feeders_start(feed);
	feed_all(feed, outcome);
	if (feeders != NULL)
		feeders_finish(feeders, feed, outcome);
	return feeders != NULL;
}

/*
 * Feed everything, pass by pass, and merge the groups.  Return false if that
 * failed, or if another run has to narrow the histograms of quantiles.
 */
static bool
feed(GpuAggState *state, FeedOutcome *outcome)
{
	GpuNode    *node = &state->node;
	bool		helped = false;
	bool		wanted = false;
	instr_time	start;

	INSTR_TIME_SET_CURRENT(start);
	feed_outcome_init(outcome);
	node->feed.sample_suffices = quantiles_would_sample(node);
	do
		helped |= feed_pass(&node->feed, outcome);
	while (multipass_join_next(node, &outcome->status));
	multipass_join_end(node);
	children_feed(node, outcome);
	top_describe(&state->top, &node->compiled);
	/* Workers and jobs of child relations may have states of the same groups. */
	if (outcome->status == STATUS_DONE && !helped && node->nchildren <= 1 && state->top.wanted > 0 && results_are_exact(&node->compiled) &&
		node->device->want_top != NULL)
		node->device->want_top(node->feed.job, &state->top.order);
	if (outcome->status == STATUS_DONE)
		outcome->status = feed_finish(&node->feed, &state->groups);
	node_add_time(node, start);
	if (outcome->status == STATUS_DONE)
		outcome->status = quantiles_narrow(node, state->groups, &wanted);
	if (outcome->status != STATUS_DONE || wanted)
		return false;
	outcome->status = results_check(&node->compiled, state->groups, node->run_context);
	if (outcome->status == STATUS_DONE)
		find_top(state);
	return outcome->status == STATUS_DONE;
}

/* Run the whole job of a program.  Return false if PostgreSQL must answer. */
static bool
run_program(GpuAggState *state)
{
	GpuNode    *node = &state->node;
	FeedOutcome outcome;

	if (!params_probe(node))
		return false;
	quantiles_forget(node);
	for (int round = 0; round < NODE_MOST_ROUNDS; round++)
	{
		node_start_run(node);
		if (!node_open_job(node))
		{
			node_remember_tables(node);
			node_end_run(node);
			return false;
		}
		if (feed(state, &outcome))
			return true;
		if (outcome.status == STATUS_DONE)
			round = -1;
		else if (!node_mend(node, &outcome))
			break;
		node_end_run(node);
	}
	node_remember(node, &outcome);
	node_note_status(node, outcome.status);
	node_end_run(node);
	return false;
}

/* Store the results of one of several programs, whose aggregates begin with number `first`. */
static void
store_part(GpuAggState *state, int first)
{
	MemoryContext old = MemoryContextSwitchTo(state->parts_context);

	Assert(state->groups->ngroups == 1);
	results_of_group(&state->node.compiled, state->groups, 0, &state->values[first], &state->isnull[first]);
	MemoryContextSwitchTo(old);
}

/* Run several programs, one after the other.  Return false if PostgreSQL must answer. */
static bool
run_parts(GpuAggState *state)
{
	GpuNode    *node = &state->node;
	List	   *all = node->request.aggs;
	int			first = 0;
	bool		done = true;
	ListCell   *lc;

	MemoryContextReset(state->parts_context);
	foreach(lc, node->parts)
	{
		node->request.aggs = lfirst(lc);
		done = run_program(state);
		if (!done)
			break;
		store_part(state, first);
		first += list_length(lfirst(lc));
		node_end_run(node);
	}
	node->request.aggs = all;
	return done;
}

static bool
compute(GpuAggState *state)
{
	return state->node.parts != NIL ? run_parts(state) : run_program(state);
}

/* Store the results of all programs in a slot.  Return false if they have been returned before. */
static bool
values_of_parts(GpuAggState *state, TupleTableSlot *slot)
{
	const int	naggs = list_length(state->node.request.aggs);

	if (state->next++ > 0)
		return false;
	memcpy(slot->tts_values, state->values, naggs * sizeof(Datum));
	memcpy(slot->tts_isnull, state->isnull, naggs * sizeof(bool));
	return true;
}

/* Store the results of the next group in a slot.  Return false at the end. */
static bool
values_of_group(GpuAggState *state, TupleTableSlot *slot)
{
	const Top  *top = &state->top;
	uint32		group = state->next;

	if (group >= top->ngroups)
		return false;
	state->next++;
	if (top->group != NULL)
		group = top->group[group];
	results_of_group(&state->node.compiled, state->groups, group, slot->tts_values, slot->tts_isnull);
	return true;
}

/* Store the next group in the scan slot.  Return false at the end. */
static bool
next_group(GpuAggState *state, TupleTableSlot *slot)
{
	ExecClearTuple(slot);
	memset(slot->tts_isnull, true, slot->tts_tupleDescriptor->natts * sizeof(bool));
	if (!(state->node.parts != NIL ? values_of_parts(state, slot) : values_of_group(state, slot)))
		return false;
	ExecStoreVirtualTuple(slot);
	return true;
}

/* Store the fallback child's next row in the scan slot.  Return false at the end. */
static bool
next_fallback(GpuNode *node, TupleTableSlot *slot)
{
	TupleTableSlot *row = node_fallback_next(node);

	if (row == NULL)
		return false;
	node_copy_row(row, slot);
	return true;
}

static TupleTableSlot *
next_row(GpuNode *node)
{
	GpuAggState *state = (GpuAggState *) node;
	PlanState  *ps = &node->css.ss.ps;
	ExprContext *econtext = ps->ps_ExprContext;
	TupleTableSlot *slot = node->css.ss.ss_ScanTupleSlot;

	if (!state->computed && !node->fell_back)
	{
		state->next = 0;
		state->computed = compute(state);
	}
	for (;;)
	{
		MemoryContext old;
		bool		found;

		CHECK_FOR_INTERRUPTS();
		ResetExprContext(econtext);
		old = MemoryContextSwitchTo(econtext->ecxt_per_tuple_memory);
		found = state->computed && next_group(state, slot);
		MemoryContextSwitchTo(old);
		if (!state->computed)
			found = next_fallback(node, slot);
		if (!found)
			return NULL;
		econtext->ecxt_scantuple = slot;
		if (state->computed && state->late_materialization_first)
			late_materialization_read(node->late_materialization, slot);
		if (ps->qual != NULL && !ExecQual(ps->qual, econtext))
		{
			InstrCountFiltered1(ps, 1);
			continue;
		}
		if (state->computed && node->late_materialization != NULL && !state->late_materialization_first)
			late_materialization_read(node->late_materialization, slot);
		return ps->ps_ProjInfo ? ExecProject(ps->ps_ProjInfo) : slot;
	}
}

static void
end(CustomScanState *css)
{
	/* The slot may point into rows that late_materialization_end() releases. */
	ExecClearTuple(css->ss.ss_ScanTupleSlot);
	late_materialization_end(((GpuNode *) css)->late_materialization);
	node_end((GpuNode *) css);
}

static void
rescan(CustomScanState *css)
{
	GpuAggState *state = (GpuAggState *) css;

	/* without new parameters the groups are the same */
	if (state->computed && css->ss.ps.chgParam == NULL)
	{
		state->next = 0;
		return;
	}
	state->computed = false;
	node_rescan(&state->node);
}

/* Show how many groups are wanted, and their sort columns as PostgreSQL shows a sort key. */
static void
explain_top(GpuNode *node, List *ancestors, ExplainState *es)
{
	const Top  *top = &((const GpuAggState *) node)->top;
	StringInfoData columns;

	if (top->wanted == 0)
		return;
	initStringInfo(&columns);
	for (int i = 0; i < top->ncolumns; i++)
	{
		const TopColumn *by = &top->by[i];
		Expr	   *expr = list_nth_node(TargetEntry, node->scan_tlist, by->column)->expr;

		appendStringInfo(&columns, "%s%s%s%s", i > 0 ? ", " : "", node_expr_text((Node *) expr, &node->css, ancestors, es),
						 by->descending ? " DESC" : "", by->nulls_first == by->descending ? "" : by->nulls_first ? " NULLS FIRST" : " NULLS LAST");
	}
	ExplainPropertyText("GPU Top", psprintf("%d by %s", top->wanted, columns.data), es);
	if (es->analyze && !node->secret)
		ExplainPropertyInteger("Groups Left Out", NULL, node->report.groups_left_out, es);
}

static void
explain(GpuNode *node, List *ancestors, ExplainState *es)
{
	node_explain_list("Read by Key", late_materialization_columns(node->late_materialization, node->scan_tlist), &node->css, ancestors, es);
	explain_top(node, ancestors, es);
}

static const NodeMethods methods = {
	.exec = {
		.CustomName = "GpuAgg",
		.BeginCustomScan = begin,
		.ExecCustomScan = node_exec,
		.EndCustomScan = end,
		.ReScanCustomScan = rescan,
		.ExplainCustomScan = node_explain,
	},
	.next_row = next_row,
	.refine = quantiles_begin,
	.explain = explain,
};

static Node *
create_state(CustomScan *plan)
{
	return (Node *) node_create(sizeof(GpuAggState), &methods);
}

/*
 * exec_sort_agg.c
 *		GpuSortAgg: aggregates over the rows of a GpuSort, which do not become tuples.
 *
 * A program groups and aggregates the rows as it does those of a relation,
 * with the window functions that the GpuSort has computed as columns.  Nothing
 * is returned before all groups are known.  If anything stops the node,
 * PostgreSQL's own Agg over the same GpuSort, which then returns its rows,
 * answers.
 */
#include "postgres.h"

#include "commands/explain.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "portability/instr_time.h"
#include "utils/memutils.h"

#include "device/device.h"
#include "device/threads.h"
#include "exec/agg/results.h"
#include "exec/node/explain.h"
#include "exec/run/feed.h"
#include "exec/run/node.h"
#include "exec/run/require.h"
#include "exec/run/stat.h"
#include "exec/sort/exec_sort_agg.h"
#include "exec/sort/ordered_rows.h"
#include "exec/sort/sort_device.h"
#include "guc.h"

typedef struct GpuSortAggState
{
	CustomScanState css;
	PlanState  *fallback;		/* PostgreSQL's Agg over the GpuSort */
	GpuSortState *sort;			/* the GpuSort below; NULL = another plan has come between */
	/* For each attribute of the subquery, its attribute number in the GpuSort's scan tuple */
	AttrNumber *from;
	TupleDesc	desc;			/* tuple descriptor of the subquery's rows */
	CompileRequest request;
	bool		computed;
	bool		fell_back;

	/* State of the current run */
	MemoryContext context;
	CompileResult compiled;
	Feed		feed;
	int			threads;		/* threads leased */
	MemoryContextCallback cleanup;
	const GroupTable *groups;
	uint32		next;			/* group to return */

	/* For EXPLAIN */
	bool		on_gpu;			/* a GPU has sorted and aggregated the rows */
	uint64		rows_in;
	double		device_ms;
	DeviceStatus why;			/* why PostgreSQL computed the groups; DONE = it did not */
} GpuSortAggState;

static Node *create_state(CustomScan *plan);

const CustomScanMethods gpu_sort_agg_methods = {
	.CustomName = "GpuSortAgg",
	.CreateCustomScanState = create_state,
};

/* The subquery */

/* Return the attribute of the GpuSort's scan tuple that attribute `attno` of a plan passes on; 0 if it is computed. */
static AttrNumber
attribute_of_sort(const Plan *plan, AttrNumber attno)
{
	const Var  *var = (const Var *) list_nth_node(TargetEntry, plan->targetlist, attno - 1)->expr;

	if (!IsA(var, Var))
		return 0;
	if (IsA(plan, SubqueryScan))
		return plan->qual == NIL ? attribute_of_sort(((const SubqueryScan *) plan)->subplan, var->varattno) : 0;
	if (IsA(plan, Result))
		return ((const Result *) plan)->resconstantqual == NULL ? attribute_of_sort(outerPlan(plan), var->varattno) : 0;
	return var->varno == INDEX_VAR ? var->varattno : 0;
}

/*
 * Return the GpuSort below the input of an Agg, or NULL, and the subquery's
 * own plan, whose target list has its attributes.
 */
static GpuSortState *
find_sort(PlanState *ps, PlanState **subquery)
{
	/* Keys may be computed above the subquery. */
	if (IsA(ps, ResultState) && outerPlanState(ps) != NULL && IsA(outerPlanState(ps), SubqueryScanState))
		ps = outerPlanState(ps);
	if (IsA(ps, SubqueryScanState))
		ps = ((SubqueryScanState *) ps)->subplan;
	*subquery = ps;
	if (IsA(ps, ResultState))
		ps = outerPlanState(ps);
	return ps != NULL ? sort_state_of(ps) : NULL;
}

/* Find the attribute of the GpuSort's scan tuple for each attribute of the subquery. */
static void
describe_subquery(GpuSortAggState *state)
{
	PlanState  *subquery;
	int			natts;

	state->sort = find_sort(outerPlanState(state->fallback), &subquery);
	if (state->sort == NULL)
		return;
	state->desc = ExecGetResultType(subquery);
	natts = state->desc->natts;
	state->from = palloc0(sizeof(AttrNumber) * Max(natts, 1));
	for (int a = 0; a < natts; a++)
		state->from[a] = attribute_of_sort(subquery->plan, a + 1);
}

/* Return true if all columns of the program come from the GpuSort unchanged. */
static bool
has_columns(const GpuSortAggState *state)
{
	for (int c = 0; c < state->compiled.ncolumns; c++)
		if (state->compiled.column[c].attno > state->desc->natts || state->from[state->compiled.column[c].attno - 1] == 0)
			return false;
	return true;
}

static void
begin(CustomScanState *css, EState *estate, int eflags)
{
	GpuSortAggState *state = (GpuSortAggState *) css;
	CustomScan *plan = (CustomScan *) css->ss.ps.plan;
	const int	nkeys = intVal(list_nth(plan->custom_private, SORT_AGG_PRIVATE_KEYS));
	const int	naggs = intVal(list_nth(plan->custom_private, SORT_AGG_PRIVATE_AGGS));

	state->fallback = ExecInitNode(linitial(plan->custom_plans), estate, eflags & ~(EXEC_FLAG_REWIND | EXEC_FLAG_BACKWARD | EXEC_FLAG_MARK));
	describe_subquery(state);
	/* EXPLAIN shows the GpuSort, or the fallback if that was needed. */
	css->custom_ps = list_make1(state->sort != NULL ? &state->sort->css.ss.ps : state->fallback);
	state->request.aggregate = true;
	state->request.quals = plan->custom_exprs;
	for (int i = 0; i < nkeys + naggs; i++)
	{
		Expr	   *expr = list_nth_node(TargetEntry, plan->custom_scan_tlist, i)->expr;

		if (i < nkeys)
			state->request.keys = lappend(state->request.keys, expr);
		else
			state->request.aggs = lappend(state->request.aggs, expr);
	}
	state->context = AllocSetContextCreate(estate->es_query_cxt, "gpudb aggregates of sorted rows", ALLOCSET_DEFAULT_SIZES);
}

/* Running the program */

static void
end_run(void *arg)
{
	GpuSortAggState *state = arg;

	feed_abandon(&state->feed);
	threads_return(state->threads);
	state->threads = 0;
}

static void
note_fallback(GpuSortAggState *state, DeviceStatus status)
{
	state->fell_back = true;
	state->why = status;
	state->css.custom_ps = list_make1(state->fallback);
	stat_count_fallback(status_reason(status));
	require_no_fallback(status_reason(status), status_text(status));
}

static void
compile(GpuSortAggState *state)
{
	const CustomScan *plan = (const CustomScan *) state->css.ss.ps.plan;
	const CompileInput input = {.varno = bms_singleton_member(plan->custom_relids), .scan_tlist = plan->custom_scan_tlist};

	memset(&state->compiled, 0, sizeof(state->compiled));
	compile_program(&input, &state->request, &state->compiled);
}

/* Return the job for the program, for any device. */
static JobSpec
job_spec(const GpuSortAggState *state)
{
	const CompileResult *compiled = &state->compiled;

	return (JobSpec) {
		.program = compiled->program,
		.deform = deform_spec_of_rows(state->desc, columns_wanted(compiled->column, compiled->ncolumns), compiled->ncolumns),
		.memory_limit = guc_group_bytes(), .threads = state->threads, .yield_after = gpudb_debug_yield,
		.interrupted = feed_interrupted
	};
}

/* Run the program on the CPU device over rows that are in memory.  Return DONE, or why it failed. */
static DeviceStatus
run_here(GpuSortAggState *state)
{
	Feed	   *feed = &state->feed;
	const OrderedWish wish = {
		.compiled = &state->compiled, .desc = state->desc, .from = state->from, .context = state->context,
		.limit = guc_join_bytes()
	};
	FeedOutcome outcome;
	DeviceStatus status = ordered_rows_make(state->sort, &wish, &feed->cached, &feed->ncached);

	if (status != STATUS_DONE)
		return status;
	state->threads = threads_lease();
	feed->spec = job_spec(state);
	if (!feed_open_job(feed, &cpu_device))
		return STATUS_MEMORY_LIMIT;
	feed_outcome_init(&outcome);
	feed_all(feed, &outcome);
	return outcome.status == STATUS_DONE ? feed_finish(feed, &state->groups) : outcome.status;
}

/* Return the MaterializedNumber that a window function computes; -1 if it computes something else. */
static int
number_of_call(const GpuSortState *sort, int call)
{
	switch (window_call_of(list_nth(sort_private_list(sort, SORT_PRIVATE_CALLS), call)).kind)
	{
		case WINDOW_ROW_NUMBER:
			return MATERIALIZED_ROW_NUMBER;
		case WINDOW_RANK:
			return MATERIALIZED_RANK;
		case WINDOW_DENSE_RANK:
			return MATERIALIZED_DENSE_RANK;
		default:
			return -1;
	}
}

/*
 * Return how many leading keys of the Sort tell partitions apart; -1 if
 * partitions and peers are not told apart by the Sort's keys alone.
 */
static int
partition_keys(const GpuSortState *sort)
{
	const List *partition = sort_private_list(sort, SORT_PRIVATE_PARTITION);
	const List *order = sort_private_list(sort, SORT_PRIVATE_ORDER);
	const Sort *keys = (const Sort *) sort->sort->ss.ps.plan;
	Bitmapset  *seen = NULL;
	ListCell   *lc;
	int			n = 0;

	while (n < keys->numCols && list_member_int(partition, keys->sortColIdx[n]))
		seen = bms_add_member(seen, keys->sortColIdx[n++]);
	for (int k = n; k < keys->numCols; k++)
	{
		if (list_member_int(partition, keys->sortColIdx[k]) || !list_member_int(order, keys->sortColIdx[k]))
			return -1;
		seen = bms_add_member(seen, keys->sortColIdx[k]);
	}
	/* Columns that are no sort keys would have to be compared, too. */
	foreach(lc, list_concat_copy(partition, order))
		if (!bms_is_member(lfirst_int(lc), seen))
			return -1;
	return n;
}

/* Return the column of the input plan that column `c` of the program is, MATERIALIZED_COLUMN_OF() a row's number, or -1. */
static int
column_of_child(const GpuSortAggState *state, int c)
{
	const ColumnUse *use = &state->compiled.column[c];
	const int	from = state->from[use->attno - 1];
	const int	nread = ExecGetResultType(sort_child(state->sort))->natts;

	if (use->second || use->packed || use->coded)
		return -1;
	if (from <= nread)
		return from - 1;
	if (number_of_call(state->sort, from - nread - 1) < 0 || partition_keys(state->sort) < 0)
		return -1;
	return MATERIALIZED_COLUMN_OF(number_of_call(state->sort, from - nread - 1));
}

/* Return true if a GPU can do all that the GpuSort does: sort rows and number them. */
static bool
suits_gpu(const GpuSortAggState *state)
{
	for (int c = 0; c < state->compiled.ncolumns; c++)
		if (column_of_child(state, c) < 0)
			return false;
	return !sort_is_grouped(state->sort) && sort_device_may(sort_child(state->sort)) &&
		sort_private_int(state->sort, SORT_PRIVATE_OFFSET) < 0 && sort_private_int(state->sort, SORT_PRIVATE_DISTINCT) == 0;
}

/* Return the index of a column among the materialized ones, adding it if new. */
static int
need_materialized(DeviceSort *sort, ColumnUse *materialized, const ColumnUse *use)
{
	for (int k = 0; k < sort->ncolumns; k++)
		if (materialized[k].attno == use->attno)
			return k;
	materialized[sort->ncolumns] = *use;
	return sort->ncolumns++;
}

/* Describe what a GPU is to materialize and to sort by, and the source of each column of the program. */
static void
describe_source(const GpuSortAggState *state, DeviceSort *sort, MaterializedSource *source)
{
	const TupleDesc desc = ExecGetResultType(sort_child(state->sort));
	const StoredRows *stored = stored_rows_describe(desc);
	ColumnUse  *materialized = palloc(sizeof(ColumnUse) * Max(2 * desc->natts, 1));
	SortKey    *keys = sort_keys_of(state->sort, stored, &sort->nkeys);

	for (uint32 k = 0; k < sort->nkeys; k++)
		keys[k].column = (uint16) need_materialized(sort, materialized, &stored->column[keys[k].column]);
	for (int c = 0; c < state->compiled.ncolumns; c++)
	{
		const int	column = column_of_child(state, c);

		if (column >= MATERIALIZED_COLUMN_OF(0))
			sort->numbers |= 1u << (column - MATERIALIZED_COLUMN_OF(0));
		source->column[c] = (uint8) (column >= MATERIALIZED_COLUMN_OF(0) ? column : need_materialized(sort, materialized, &stored->column[stored_rows_key(stored, column)]));
	}
	sort->npartition = sort->numbers != 0 ? (uint32) partition_keys(state->sort) : 0;
	sort->column = materialized;
	sort->key = keys;
}

/* Sort the rows and run the program on a GPU, where the rows stay.  Return true if that succeeded. */
static bool
run_on_gpu(GpuSortAggState *state)
{
	Feed	   *feed = &state->feed;
	DeviceSort	sort = {.context = state->context};
	MaterializedSource source = {0};
	CachedRows *all = palloc0(sizeof(CachedRows));
	FeedOutcome outcome;
	const char *why;

	if (state->sort->computed || state->sort->fell_back || !suits_gpu(state) || device_choose(state->compiled.program, true, &why) == &cpu_device)
		return false;
	describe_source(state, &sort, &source);
	sort_restart_child(state->sort);
	if (!sort_device_run(sort_child(state->sort), &sort))
		return false;
	source.number = sort.shared.number;
	source.nrows = sort.nrows;
	/* A single item stands for all rows. */
	all->tablet = palloc0(sizeof(Tablet));
	all->nrows = all->tablet->nrows = sort.nrows;
	feed->cached = all;
	feed->ncached = 1;
	feed->spec = job_spec(state);
	feed->spec.source = source;
	feed->spec.no_other = true;
	if (!feed_open_job(feed, &remote_device))
		return false;
	feed_outcome_init(&outcome);
	feed_all(feed, &outcome);
	state->on_gpu = outcome.status == STATUS_DONE && feed_finish(feed, &state->groups) == STATUS_DONE;
	if (state->on_gpu)
	{
		/* EXPLAIN shows the figures of its rows at the GpuSort. */
		state->sort->on_gpu = true;
		state->sort->rows_in += sort.nrows;
		return true;
	}
	feed_close_job(feed);
	*feed = (Feed) {.context = state->context};
	return false;
}

/* Compute all groups, in the run's context.  Return DONE, or why PostgreSQL is to do it. */
static DeviceStatus
compute(GpuSortAggState *state)
{
	DeviceStatus status;

	state->feed = (Feed) {.context = state->context};
	state->cleanup = (MemoryContextCallback) {.func = end_run, .arg = state};
	if (state->sort == NULL)
		return STATUS_BAD_PROGRAM;
	compile(state);
	if (state->compiled.program == NULL || !has_columns(state))
		return STATUS_BAD_PROGRAM;
	/*
	 * Register end_run() after the callback that frees rows on the device
	 * (sort_device.c), so that it is called first.
	 */
	status = run_on_gpu(state) ? STATUS_DONE : sort_have_rows(state->sort) ? run_here(state)
		: state->sort->runs != NULL ? STATUS_MEMORY_LIMIT : state->sort->why;
	MemoryContextRegisterResetCallback(state->context, &state->cleanup);
	state->rows_in += state->feed.report.rows_in;
	return status == STATUS_DONE ? results_check(&state->compiled, state->groups, state->context) : status;
}

static void
start(GpuSortAggState *state)
{
	MemoryContext old = MemoryContextSwitchTo(state->context);
	DeviceStatus status;
	instr_time	begun;
	instr_time	now;

	INSTR_TIME_SET_CURRENT(begun);
	PG_TRY();
	{
		status = compute(state);
	}
	PG_CATCH();
	{
		end_run(state);
		PG_RE_THROW();
	}
	PG_END_TRY();
	MemoryContextSwitchTo(old);
	INSTR_TIME_SET_CURRENT(now);
	INSTR_TIME_SUBTRACT(now, begun);
	state->device_ms += INSTR_TIME_GET_MILLISEC(now);
	state->next = 0;
	if (status == STATUS_DONE)
	{
		state->computed = true;
		stat_count_executed();
		return;
	}
	MemoryContextReset(state->context);
	note_fallback(state, status);
}

/* Returning groups */

/* Store the next group in the scan slot.  Return false at the end. */
static bool
next_group(GpuSortAggState *state, TupleTableSlot *slot)
{
	MemoryContext old = MemoryContextSwitchTo(state->css.ss.ps.ps_ExprContext->ecxt_per_tuple_memory);
	const bool	found = state->next < state->groups->ngroups;

	ExecClearTuple(slot);
	memset(slot->tts_isnull, true, slot->tts_tupleDescriptor->natts * sizeof(bool));
	if (found)
	{
		results_of_group(&state->compiled, state->groups, state->next++, slot->tts_values, slot->tts_isnull);
		ExecStoreVirtualTuple(slot);
	}
	MemoryContextSwitchTo(old);
	return found;
}

/* Store the fallback's next row in the scan slot.  Return false at the end. */
static bool
next_of_postgres(GpuSortAggState *state, TupleTableSlot *slot)
{
	TupleTableSlot *row = ExecProcNode(state->fallback);

	if (TupIsNull(row))
		return false;
	node_copy_row(row, slot);
	return true;
}

static TupleTableSlot *
exec(CustomScanState *css)
{
	GpuSortAggState *state = (GpuSortAggState *) css;
	PlanState  *ps = &css->ss.ps;
	ExprContext *econtext = ps->ps_ExprContext;
	TupleTableSlot *slot = css->ss.ss_ScanTupleSlot;

	if (!state->computed && !state->fell_back)
		start(state);
	for (;;)
	{
		CHECK_FOR_INTERRUPTS();
		ResetExprContext(econtext);
		if (!(state->computed ? next_group(state, slot) : next_of_postgres(state, slot)))
			return NULL;
		econtext->ecxt_scantuple = slot;
		/* HAVING */
		if (ExecQual(ps->qual, econtext))
			break;
		InstrCountFiltered1(css, 1);
	}
	return ps->ps_ProjInfo ? ExecProject(ps->ps_ProjInfo) : slot;
}

static void
end(CustomScanState *css)
{
	GpuSortAggState *state = (GpuSortAggState *) css;

	ExecClearTuple(css->ss.ss_ScanTupleSlot);
	MemoryContextDelete(state->context);
	ExecEndNode(state->fallback);
}

static void
rescan(CustomScanState *css)
{
	GpuSortAggState *state = (GpuSortAggState *) css;

	ExecClearTuple(css->ss.ss_ScanTupleSlot);
	/* Without new parameters the groups are the same. */
	if (state->computed && css->ss.ps.chgParam == NULL)
	{
		state->next = 0;
		return;
	}
	/* ExecReScan() does not reach custom_ps, nor the nodes below them before these are asked for rows. */
	if (css->ss.ps.chgParam != NULL)
	{
		UpdateChangedParamSet(state->fallback, css->ss.ps.chgParam);
		if (state->sort != NULL)
			UpdateChangedParamSet(&state->sort->css.ss.ps, css->ss.ps.chgParam);
	}
	ExecReScan(state->fallback);
	MemoryContextReset(state->context);
	state->computed = false;
}

/* Showing the node in EXPLAIN */

/* Show the device that was used or, before the run, the one that will be used if possible. */
static void
explain_device(GpuSortAggState *state, ExplainState *es)
{
	const bool	planned = state->sort != NULL && (!es->analyze || sort_device_is_secret(sort_child(state->sort)));
	bool		on_gpu = state->on_gpu && !planned;
	const char *why;

	if (planned && sort_device_may(sort_child(state->sort)))
	{
		compile(state);
		on_gpu = state->compiled.program != NULL && has_columns(state) && suits_gpu(state) &&
			device_choose(state->compiled.program, true, &why) == &remote_device;
	}
	ExplainPropertyText("Device", sort_device_text(on_gpu), es);
}

static void
explain(CustomScanState *css, List *ancestors, ExplainState *es)
{
	GpuSortAggState *state = (GpuSortAggState *) css;

	explain_device(state, es);
	if (state->request.quals != NIL)
		node_explain_expr("GPU Filter", (Node *) make_ands_explicit(list_copy(state->request.quals)), css, ancestors, es);
	node_explain_list("GPU Group Key", state->request.keys, css, ancestors, es);
	node_explain_list("GPU Aggregates", state->request.aggs, css, ancestors, es);
	if (!es->analyze)
		return;
	if (state->why != STATUS_DONE)
		ExplainPropertyText("Fallback", psprintf("%s (%s)", status_reason(state->why), status_text(state->why)), es);
	ExplainPropertyInteger("Rows In", NULL, state->rows_in, es);
	if (es->timing)
		ExplainPropertyFloat("Device Time", "ms", state->device_ms, 3, es);
}

static const CustomExecMethods exec_methods = {
	.CustomName = "GpuSortAgg",
	.BeginCustomScan = begin,
	.ExecCustomScan = exec,
	.EndCustomScan = end,
	.ReScanCustomScan = rescan,
	.ExplainCustomScan = explain,
};

static Node *
create_state(CustomScan *plan)
{
	GpuSortAggState *state = palloc0(sizeof(GpuSortAggState));

	NodeSetTag(state, T_CustomScanState);
	state->css.methods = &exec_methods;
	return (Node *) state;
}

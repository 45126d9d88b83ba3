/*
 * exec_sort.c
 *		GpuSort: the rows of any plan in the order of some of their columns.
 *
 * The child plan is PostgreSQL's Sort, which says what to sort by, over the
 * input plan, whose rows are sorted.  These rows are collected as columns, and
 * their row numbers are sorted by several threads.  Values, and the results of
 * window functions, are computed when rows are returned.  If the rows cannot
 * be stored as columns, or exceed the memory, the Sort sorts them, and a
 * WindowAgg over it computes the window functions, from the first row on:
 * nothing has been returned before all rows are there.
 *
 * Rows that are only sorted may exceed memory: sorted runs of them are written
 * to temporary files and merged.
 *
 * For ordered-set aggregates the child plan is an Agg: the node returns one
 * row for each group of rows, and the Agg is PostgreSQL's way to compute them.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "portability/instr_time.h"
#include "utils/float.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "device/mapping.h"
#include "exec/run/collect.h"
#include "exec/run/require.h"
#include "exec/run/stat.h"
#include "exec/sort/exec_sort_private.h"
#include "exec/sort/sort_device.h"
#include "guc.h"

static Node *create_state(CustomScan *plan);

const CustomScanMethods gpu_sort_methods = {
	.CustomName = "GpuSort",
	.CreateCustomScanState = create_state,
};

PlanState *
sort_child(const GpuSortState *state)
{
	return outerPlanState(state->sort != NULL ? &state->sort->ss.ps : state->fallback);
}

List *
sort_private_list(const GpuSortState *state, int which)
{
	return list_nth(((const CustomScan *) state->css.ss.ps.plan)->custom_private, which);
}

int
sort_private_int(const GpuSortState *state, int which)
{
	return intVal(list_nth(((const CustomScan *) state->css.ss.ps.plan)->custom_private, which));
}

bool
sort_is_grouped(const GpuSortState *state)
{
	return sort_private_list(state, SORT_PRIVATE_SETS) != NIL;
}

bool
sort_is_limited(const GpuSortState *state)
{
	return sort_private_int(state, SORT_PRIVATE_OFFSET) >= 0;
}

uint32
sort_first_wanted(const GpuSortState *state)
{
	return sort_is_limited(state) ? (uint32) sort_private_int(state, SORT_PRIVATE_OFFSET) : 0;
}

static void
begin(CustomScanState *css, EState *estate, int eflags)
{
	GpuSortState *state = (GpuSortState *) css;
	CustomScan *plan = (CustomScan *) css->ss.ps.plan;

	state->scrolls = (eflags & EXEC_FLAG_BACKWARD) != 0;
	state->fallback = ExecInitNode(linitial(plan->custom_plans), estate, eflags & ~(EXEC_FLAG_REWIND | EXEC_FLAG_BACKWARD | EXEC_FLAG_MARK));
	state->sort = (SortState *) (IsA(state->fallback, SortState) ? state->fallback : outerPlanState(state->fallback));
	/* A single group needs no Sort, and the input plan may be one itself. */
	if (sort_is_grouped(state) && ((Agg *) state->fallback->plan)->numCols == 0)
		state->sort = NULL;
	Assert(state->sort == NULL || IsA(state->sort, SortState));
	/* EXPLAIN shows the input plan, or the fallback if that was needed. */
	css->custom_ps = list_make1(sort_child(state));
	state->context = AllocSetContextCreate(estate->es_query_cxt, "gpudb sort", ALLOCSET_DEFAULT_SIZES);
	state->batch_context = AllocSetContextCreate(estate->es_query_cxt, "gpudb sorted rows", ALLOCSET_DEFAULT_SIZES);
}

static void
note_fallback(GpuSortState *state, DeviceStatus status)
{
	state->fell_back = true;
	state->why = status;
	state->css.custom_ps = list_make1(state->fallback);
	stat_count_fallback(status_reason(status));
	require_no_fallback(status_reason(status), status_text(status));
}

void
sort_restart_child(GpuSortState *state)
{
	MemoryContext old = MemoryContextSwitchTo(state->css.ss.ps.state->es_query_cxt);

	/* Rescan after a change of parameters, as ExecProcNode() does. */
	if (state->css.ss.ps.chgParam != NULL)
		ExecReScan(&state->css.ss.ps);
	if (state->begun)
		ExecReScan(sort_child(state));
	state->begun = true;
	MemoryContextSwitchTo(old);
}

static double
ms_since(instr_time start)
{
	instr_time	now;

	INSTR_TIME_SET_CURRENT(now);
	INSTR_TIME_SUBTRACT(now, start);
	return INSTR_TIME_GET_MILLISEC(now);
}

/* Collecting and sorting rows */

/* Return true if rows may be returned by merging runs: if nothing is computed of them but their order. */
static bool
may_be_runs(const GpuSortState *state)
{
	return !sort_is_grouped(state) && sort_private_list(state, SORT_PRIVATE_CALLS) == NIL && sort_private_int(state, SORT_PRIVATE_DISTINCT) == 0;
}

static void
close_runs(GpuSortState *state)
{
	if (state->runs != NULL)
		sorted_runs_close(state->runs);
	state->runs = NULL;
}

/* Write the rows of a full store to a run. */
static void
write_run(void *arg)
{
	GpuSortState *state = arg;
	instr_time	start;

	INSTR_TIME_SET_CURRENT(start);
	sort_order_run(state);
	state->sort_ms += ms_since(start);
}

/* Collect all rows, in the current context, state->context.  Return DONE, or why they cannot be collected. */
static DeviceStatus
collect_rows(GpuSortState *state)
{
	const uint64 limit = guc_join_bytes();
	PlanState  *child = sort_child(state);
	DeviceStatus status;

	state->stored = stored_rows_describe(ExecGetResultType(child));
	state->store = stored_rows_create(state->stored, state->context, limit, child->plan->plan_rows);
	if (may_be_runs(state))
		row_store_on_full(state->store, write_run, state);
	/* Memory does not suffice even for the first rows. */
	if (!row_store_reserve(state->store, 0))
		return STATUS_MEMORY_LIMIT;
	sort_restart_child(state);
	status = plan_collect(child, state->store, state->stored->column, state->stored->ncolumns);
	if (status == STATUS_DONE || status == STATUS_MEMORY_LIMIT || !plan_is_collectable(child))
		return status;
	/* A node below may return as rows what it cannot return as columns. */
	close_runs(state);
	row_store_clear(state->store);
	sort_restart_child(state);
	return plan_collect_rows(child, state->store);
}

/* Return true if a GPU can materialize values of an attribute. */
static bool
may_be_materialized(const FormData_pg_attribute *attribute)
{
	if (attribute->attlen > 0)
		return attribute->attlen <= (int) sizeof(Datum);
	return getBaseType(attribute->atttypid) == NUMERICOID && !has_any_scale(attribute->atttypid, attribute->atttypmod);
}

bool
sort_gpu_may(const GpuSortState *state)
{
	PlanState  *child = sort_child(state);

	/* A GPU sorts groups in one order only. */
	if (list_length(sort_private_list(state, SORT_PRIVATE_SETS)) > 1 || !sort_device_may(child))
		return false;
	for (int a = 0; a < ExecGetResultType(child)->natts; a++)
		if (!may_be_materialized(TupleDescAttr(ExecGetResultType(child), a)))
			return false;
	return true;
}

/* Collect all rows on a GPU, which sorts them, and fetch those that are wanted.  Return true if done. */
static bool
sort_on_gpu(GpuSortState *state)
{
	const int	wanted = sort_private_int(state, SORT_PRIVATE_WANTED);
	PlanState  *child = sort_child(state);
	DeviceSort	sort = {.first = sort_first_wanted(state) / 64 * 64, .end = wanted > 0 ? (uint32) wanted : UINT32_MAX};
	SortKey    *keys;

	if (!sort_gpu_may(state))
		return false;
	state->stored = stored_rows_describe(ExecGetResultType(child));
	sort.ncolumns = state->stored->ncolumns;
	sort.column = state->stored->column;
	sort.key = keys = sort_keys_of(state, state->stored, &sort.nkeys);
	if (sort_is_grouped(state))
	{
		sort_describe_groups(state);
		sort.nkeys = sort_keys_of_set(&state->groups.set[0], keys, sort.nkeys);
	}
	sort.store = state->store = stored_rows_create(state->stored, state->context, guc_join_bytes(),
											 wanted > 0 ? wanted : child->plan->plan_rows);
	sort_restart_child(state);
	if (!row_store_reserve(state->store, 0) || !sort_device_run(child, &sort))
	{
		MemoryContextReset(state->context);
		return false;
	}
	stored_rows_finish(state->stored, state->store);
	state->rows_in += sort.nrows;
	state->nrows = Min(sort.end, sort.nrows);
	state->order = mapping_palloc(state->context, sizeof(uint32) * Max((Size) state->nrows, 1));
	for (uint32 i = sort.first; i < state->nrows; i++)
		state->order[i] = i - sort.first;
	return true;
}

/* Sort the rows that are in the store.  Return DONE, or why PostgreSQL is to do it. */
static DeviceStatus
sort_collected(GpuSortState *state)
{
	DeviceStatus status = STATUS_DONE;
	instr_time	start;

	stored_rows_finish(state->stored, state->store);
	state->bytes = Max(state->bytes, row_store_bytes(state->store) + sort_room_bytes(state->stored->rows->nrows));
	INSTR_TIME_SET_CURRENT(start);
	if (sort_is_grouped(state))
	{
		sort_describe_groups(state);
		status = sort_order_groups(state, false);
	}
	else
		sort_order_rows(state);
	state->sort_ms += ms_since(start);
	return status;
}

/* Set up groups or window functions over rows that have come in order.  Return DONE, or why PostgreSQL is to do it. */
static DeviceStatus
describe_sorted(GpuSortState *state)
{
	DeviceStatus status = STATUS_DONE;
	instr_time	start;

	INSTR_TIME_SET_CURRENT(start);
	if (sort_is_grouped(state))
		status = sort_order_groups(state, true);
	else
		sort_describe_order(state);
	state->sort_ms += ms_since(start);
	return status;
}

/*
 * Collect all rows and sort them, in the current context, state->context.
 * Return DONE, or why PostgreSQL is to do it.
 */
static DeviceStatus
compute(GpuSortState *state)
{
	DeviceStatus status;
	instr_time	start;
	double		sorted_ms = state->sort_ms;

	close_runs(state);
	MemoryContextReset(state->context);
	INSTR_TIME_SET_CURRENT(start);
	state->on_gpu = sort_on_gpu(state);
	if (state->on_gpu)
	{
		state->bytes = Max(state->bytes, row_store_bytes(state->store));
		state->collect_ms += ms_since(start);
		return describe_sorted(state);
	}
	status = collect_rows(state);
	if (status != STATUS_DONE)
		return status;
	state->rows_in += row_store_added(state->store);
	state->collect_ms += ms_since(start) - (state->sort_ms - sorted_ms);
	if (state->runs == NULL)
		return sort_collected(state);
	write_run(state);
	state->bytes = Max(state->bytes, row_store_bytes(state->store));
	return STATUS_DONE;
}

/* Returning rows */

void
sort_restart_rows(GpuSortState *state)
{
	if (state->runs != NULL)
	{
		sorted_runs_begin(state->runs);
		state->next = 0;
		return;
	}
	state->next = Min(sort_first_wanted(state), state->nrows);
	state->first = state->next;
	state->nbatch = 0;
	windows_restart(&state->windows);
}

/* Allocate the arrays for the values of a batch, and rewind to the first row. */
static void
prepare_batch(GpuSortState *state)
{
	const int	natts = state->css.ss.ss_ScanTupleSlot->tts_tupleDescriptor->natts;
	MemoryContext old = MemoryContextSwitchTo(state->context);

	state->values = palloc(sizeof(Datum *) * Max(natts, 1));
	state->isnull = palloc(sizeof(bool *) * Max(natts, 1));
	for (int a = 0; a < natts; a++)
	{
		state->values[a] = palloc0(sizeof(Datum) * SORT_BATCH_ROWS);
		state->isnull[a] = palloc(sizeof(bool) * SORT_BATCH_ROWS);
		memset(state->isnull[a], true, sizeof(bool) * SORT_BATCH_ROWS);
	}
	MemoryContextSwitchTo(old);
	sort_restart_rows(state);
}

void
sort_read_batch(GpuSortState *state)
{
	MemoryContext old = MemoryContextSwitchTo(state->batch_context);
	const int	natts = state->stored->desc->natts;
	/* For groups, only the keys are read, which come first. */
	const int	nread = sort_is_grouped(state) ? list_length(sort_private_list(state, SORT_PRIVATE_PARTITION)) : natts;

	MemoryContextReset(state->batch_context);
	CHECK_FOR_INTERRUPTS();
	state->first = state->next;
	state->nbatch = Min(SORT_BATCH_ROWS, state->nrows - state->next);
	for (int a = 0; a < nread; a++)
		stored_rows_read(state->stored, a, state->order + state->first, state->nbatch, state->values[a], state->isnull[a]);
	if (sort_is_grouped(state))
		sorted_groups_compute(&state->groups, state->first, state->nbatch, state->values + natts, state->isnull + natts);
	else if (state->windows.ncalls > 0)
		state->nbatch = windows_compute(&state->windows, state->nbatch, state->values + natts, state->isnull + natts);
	if (state->nbatch == 0)
		float_overflow_error();
	MemoryContextSwitchTo(old);
}

/* Store the next row of the merged runs in a slot.  Return false at the end of the rows that are wanted. */
static bool
next_merged(GpuSortState *state, TupleTableSlot *slot)
{
	const int	wanted = sort_private_int(state, SORT_PRIVATE_WANTED);

	while (state->next < sort_first_wanted(state) && sorted_runs_next(state->runs, slot))
		state->next++;
	if (wanted > 0 && state->next >= (uint32) wanted)
		return false;
	state->next += wanted > 0;
	return sorted_runs_next(state->runs, slot);
}

/* Store the next row in the scan slot.  Return false at the end. */
static bool
next_sorted(GpuSortState *state, TupleTableSlot *slot)
{
	const int	natts = slot->tts_tupleDescriptor->natts;
	uint32		at;

	ExecClearTuple(slot);
	if (state->runs != NULL)
		return next_merged(state, slot);
	if (state->next == state->nrows)
		return false;
	if (state->next - state->first >= state->nbatch)
		sort_read_batch(state);
	at = state->next++ - state->first;
	for (int a = 0; a < natts; a++)
	{
		slot->tts_values[a] = state->values[a][at];
		slot->tts_isnull[a] = state->isnull[a][at];
	}
	ExecStoreVirtualTuple(slot);
	return true;
}

/* Return the next row of the fallback, which has the Sort's columns, or else all window functions or aggregates too. */
static TupleTableSlot *
next_of_postgres(GpuSortState *state)
{
	ScanState  *ss = &state->css.ss;
	const bool	whole = (IsA(state->fallback, WindowAggState) || IsA(state->fallback, AggState)) && ss->ps.ps_ProjInfo != NULL;
	TupleTableSlot *row = ExecProcNode(state->fallback);

	if (TupIsNull(row))
		return NULL;
	if (whole)
		return ExecCopySlot(ss->ps.ps_ResultTupleSlot, row);
	ss->ps.ps_ExprContext->ecxt_scantuple = ExecCopySlot(ss->ss_ScanTupleSlot, row);
	return ss->ps.ps_ProjInfo ? ExecProject(ss->ps.ps_ProjInfo) : ss->ss_ScanTupleSlot;
}

/* Sort all rows, in this node or in PostgreSQL's plan. */
static void
start(GpuSortState *state)
{
	MemoryContext old = MemoryContextSwitchTo(state->context);
	DeviceStatus status = compute(state);

	MemoryContextSwitchTo(old);
	if (status == STATUS_DONE)
	{
		state->computed = true;
		prepare_batch(state);
		stat_count_executed();
		return;
	}
	state->on_gpu = false;
	close_runs(state);
	MemoryContextReset(state->context);
	sort_restart_child(state);
	note_fallback(state, status);
}

bool
sort_have_rows(GpuSortState *state)
{
	struct Instrumentation *instrument = state->css.ss.ps.instrument;
	MemoryContext old = MemoryContextSwitchTo(state->css.ss.ps.state->es_query_cxt);
	bool		begins;

	/* Rescan after a change of parameters, as ExecProcNode() does. */
	if (state->css.ss.ps.chgParam != NULL)
		ExecReScan(&state->css.ss.ps);
	begins = !state->computed && !state->fell_back;
	if (begins && instrument != NULL)
		InstrStartNode(instrument);
	if (begins)
		start(state);
	if (begins && instrument != NULL)
		InstrStopNode(instrument, state->computed ? state->nrows : 0);
	MemoryContextSwitchTo(old);
	return state->computed && state->runs == NULL;
}

TupleTableSlot *
sort_next_row(GpuSortState *state)
{
	CustomScanState *css = &state->css;
	TupleTableSlot *slot = css->ss.ss_ScanTupleSlot;
	ExprContext *econtext = css->ss.ps.ps_ExprContext;

	if (!state->computed && !state->fell_back)
		start(state);
	ResetExprContext(econtext);
	if (!state->computed)
		return next_of_postgres(state);
	for (;;)
	{
		if (!next_sorted(state, slot))
			return NULL;
		econtext->ecxt_scantuple = slot;
		/* The qual is HAVING, or a WindowAgg's run condition: after the latter fails no row of the partition passes. */
		if (ExecQual(css->ss.ps.qual, econtext))
			break;
		InstrCountFiltered1(css, 1);
		if (!sort_is_grouped(state) && sort_private_list(state, SORT_PRIVATE_PARTITION) == NIL)
			state->next = state->nrows;
	}
	return css->ss.ps.ps_ProjInfo ? ExecProject(css->ss.ps.ps_ProjInfo) : slot;
}

static TupleTableSlot *
exec(CustomScanState *css)
{
	GpuSortState *state = (GpuSortState *) css;

	return state->scrolls ? sort_scroll(state) : sort_next_row(state);
}

static void
end(CustomScanState *css)
{
	GpuSortState *state = (GpuSortState *) css;

	ExecClearTuple(css->ss.ss_ScanTupleSlot);
	sort_end_scroll(state);
	close_runs(state);
	ExecEndNode(state->fallback);
	MemoryContextDelete(state->batch_context);
	MemoryContextDelete(state->context);
}

static void
rescan(CustomScanState *css)
{
	GpuSortState *state = (GpuSortState *) css;

	ExecClearTuple(css->ss.ss_ScanTupleSlot);
	sort_end_scroll(state);
	/* Without new parameters the rows are the same. */
	if (state->computed && css->ss.ps.chgParam == NULL)
	{
		sort_restart_rows(state);
		return;
	}
	/* ExecReScan() does not reach custom_ps */
	if (css->ss.ps.chgParam != NULL)
		UpdateChangedParamSet(state->fallback, css->ss.ps.chgParam);
	if (state->fell_back)
		ExecReScan(state->fallback);
	else if (css->ss.ps.chgParam != NULL)
		UpdateChangedParamSet(sort_child(state), css->ss.ps.chgParam);
	state->computed = false;
}

static const CustomExecMethods exec_methods = {
	.CustomName = "GpuSort",
	.BeginCustomScan = begin,
	.ExecCustomScan = exec,
	.EndCustomScan = end,
	.ReScanCustomScan = rescan,
	.ExplainCustomScan = explain_sort,
};

GpuSortState *
sort_state_of(PlanState *ps)
{
	return IsA(ps, CustomScanState) && ((const CustomScanState *) ps)->methods == &exec_methods ? (GpuSortState *) ps : NULL;
}

static Node *
create_state(CustomScan *plan)
{
	GpuSortState *state = palloc0(sizeof(GpuSortState));

	NodeSetTag(state, T_CustomScanState);
	state->css.methods = &exec_methods;
	return (Node *) state;
}

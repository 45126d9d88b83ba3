/*
 * exec_sort.c
 *		GpuSort: the rows of any plan in the order of some of their columns.
 *
 * The plan below is a Sort of PostgreSQL's, which says what to sort by, over
 * the plan whose rows these are.  They are collected as columns, and the
 * numbers of rows are sorted by several threads; values are looked up when rows
 * go out, and with them what window functions are of them.  What cannot be kept
 * so, or in so much memory, that Sort sorts, and a WindowAgg over it computes,
 * from the first row on: nothing has gone out before all rows are there.
 *
 * Over an Agg of ordered-set aggregates the same: then one row goes out for
 * each group of rows, and the Agg is what PostgreSQL would do.
 */
#include "postgres.h"

#include "access/stratnum.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "portability/instr_time.h"
#include "utils/float.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/pg_locale.h"

#include "core/sort_rows.h"
#include "device/device.h"
#include "device/mapping.h"
#include "device/threads.h"
#include "exec/exec_sort_private.h"
#include "exec/feed.h"
#include "exec/require.h"
#include "exec/scan_collect.h"
#include "exec/sort_device.h"
#include "exec/stat.h"
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

/* Whether the node is a Limit, too. */
static bool
is_limited(const GpuSortState *state)
{
	return sort_private_int(state, SORT_PRIVATE_OFFSET) >= 0;
}

uint32
sort_first_wanted(const GpuSortState *state)
{
	return is_limited(state) ? (uint32) sort_private_int(state, SORT_PRIVATE_OFFSET) : 0;
}

static void
begin(CustomScanState *css, EState *estate, int eflags)
{
	GpuSortState *state = (GpuSortState *) css;
	CustomScan *plan = (CustomScan *) css->ss.ps.plan;

	state->fallback = ExecInitNode(linitial(plan->custom_plans), estate, eflags & ~(EXEC_FLAG_REWIND | EXEC_FLAG_BACKWARD | EXEC_FLAG_MARK));
	state->sort = (SortState *) (IsA(state->fallback, SortState) ? state->fallback : outerPlanState(state->fallback));
	/* of one group no Sort is needed, and what is read may be one itself */
	if (sort_is_grouped(state) && ((Agg *) state->fallback->plan)->numCols == 0)
		state->sort = NULL;
	Assert(state->sort == NULL || IsA(state->sort, SortState));
	/* EXPLAIN shows what is read, or the fallback where that was needed */
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

/* Sorting */

bool
sort_is_supported(Oid declared, Oid collation)
{
	Oid			type = getBaseType(declared);

	if (!is_storable(type, type == NUMERICOID || type == BPCHAROID ? VARHDRSZ : -1) || get_typtype(type) == TYPTYPE_ENUM)
		return false;
	return !OidIsValid(collation) || lc_collate_is_c(collation);
}

SortKey *
sort_keys_of(const GpuSortState *state, const StoredRows *stored, uint32 *nkeys)
{
	const Sort *sort = state->sort != NULL ? (const Sort *) state->sort->ss.ps.plan : NULL;
	SortKey    *keys = palloc(sizeof(SortKey) * ((sort != NULL ? sort->numCols : 0) + 1));

	*nkeys = sort != NULL ? (uint32) sort->numCols : 0;
	for (uint32 k = 0; k < *nkeys; k++)
	{
		Oid			opfamily;
		Oid			opcintype;
		int16		strategy;

		if (!get_ordering_op_properties(sort->sortOperators[k], &opfamily, &opcintype, &strategy))
			elog(ERROR, "gpudb: operator %u is no ordering operator", sort->sortOperators[k]);
		keys[k] = (SortKey) {
			.column = (uint16) stored_rows_key(stored, sort->sortColIdx[k] - 1), .descending = strategy == BTGreaterStrategyNumber,
			.nulls_first = sort->nullsFirst[k],
			.padded = stored->attribute[sort->sortColIdx[k] - 1].type == BPCHAROID
		};
	}
	return keys;
}

/* Columns that only tell rows apart. */
static SortKey *
keys_of_columns(const StoredRows *stored, const List *columns)
{
	SortKey    *keys = palloc(sizeof(SortKey) * Max(list_length(columns), 1));
	ListCell   *lc;

	foreach(lc, columns)
		keys[foreach_current_index(lc)] = (SortKey) {
			.column = (uint16) stored_rows_key(stored, lfirst_int(lc) - 1), .padded = stored->attribute[lfirst_int(lc) - 1].type == BPCHAROID
		};
	return keys;
}

static void
describe_windows(GpuSortState *state)
{
	const List *partition = sort_private_list(state, SORT_PRIVATE_PARTITION);
	const List *order = sort_private_list(state, SORT_PRIVATE_ORDER);
	const List *calls = sort_private_list(state, SORT_PRIVATE_CALLS);
	ListCell   *lc;

	state->windows = (Windows) {
		.stored = state->stored, .order = state->order, .nrows = state->nrows,
		.keys = {list_length(partition), keys_of_columns(state->stored, partition), list_length(order), keys_of_columns(state->stored, order)},
		.ncalls = list_length(calls), .call = palloc(sizeof(WindowCall) * Max(list_length(calls), 1)),
		.total = palloc0(sizeof(FrameTotal) * Max(list_length(calls), 1))
	};
	foreach(lc, calls)
		state->windows.call[foreach_current_index(lc)] = window_call_of(lfirst(lc));
}

/* The aggregates of groups, which stand behind the rows' columns. */
static void
describe_groups(GpuSortState *state)
{
	const CustomScan *plan = (const CustomScan *) state->css.ss.ps.plan;
	const List *sets = sort_private_list(state, SORT_PRIVATE_SETS);
	const List *calls = sort_private_list(state, SORT_PRIVATE_CALLS);
	const int	ncolumns = list_length(plan->custom_scan_tlist) - list_length(calls);
	SortedGroups *groups = &state->groups;
	bool		descending;
	ListCell   *lc;

	*groups = (SortedGroups) {
		.stored = state->stored, .nsets = list_length(sets), .set = palloc0(sizeof(SortedSet) * list_length(sets)),
		.ncalls = list_length(calls), .call = palloc0(sizeof(GroupCall) * list_length(calls))
	};
	/* downward by columns less than 0 */
	foreach(lc, sets)
	{
		const int	attno = abs(lfirst_int(lc));

		groups->set[foreach_current_index(lc)].by = (SortKey) {
			.column = (uint16) stored_rows_key(state->stored, attno - 1), .descending = lfirst_int(lc) < 0,
			.padded = state->stored->attribute[attno - 1].type == BPCHAROID
		};
	}
	foreach(lc, calls)
	{
		const int	c = foreach_current_index(lc);

		if (!sorted_group_call(castNode(Aggref, list_nth_node(TargetEntry, plan->custom_scan_tlist, ncolumns + c)->expr), &groups->call[c], &descending))
			elog(ERROR, "gpudb: an aggregate is none of sorted groups");
		groups->call[c].attribute = lsecond_int(lfirst(lc));
		groups->call[c].set = lthird_int(lfirst(lc));
	}
}

static void
run_together(const SortHelpers *helpers, void (*work) (void *arg, uint32 part), void *arg)
{
	device_cpu_together(helpers->threads, SORT_PARTS, work, arg);
}

/* Sort the rows by keys into memory of their context; how many are listed. */
static uint32
sort_into(GpuSortState *state, SortRequest *request, uint32 **order)
{
	const uint32 nrows = state->stored->rows->nrows;
	void	   *room = mapping_palloc(state->context, sort_room_bytes(nrows));
	SortHelpers helpers = {.run = run_together, .threads = threads_lease(), .interrupted = feed_interrupted};
	uint32		listed;

	*order = mapping_palloc(state->context, sizeof(uint32) * Max((Size) nrows, 1));
	request->rows = state->stored->rows;
	request->helpers = &helpers;
	listed = sort_rows(request, *order, room);
	threads_return(helpers.threads);
	pfree(room);
	CHECK_FOR_INTERRUPTS();
	return listed;
}

/* Of rows that the first keys do not tell apart keep the first one. */
static void
keep_distinct(GpuSortState *state, const SortKey *keys)
{
	const int	nkeys = sort_private_int(state, SORT_PRIVATE_DISTINCT);
	uint32		kept = 0;

	if (nkeys == 0)
		return;
	for (uint32 i = 0; i < state->nrows; i++)
		if (i == 0 || sort_compare(state->stored->rows, keys, (uint32) nkeys, state->order[kept - 1], state->order[i]) != 0)
			state->order[kept++] = state->order[i];
	state->nrows = kept;
}

/* Rows are in order: leave those out that do not differ, and get ready for window functions. */
static void
describe_order(GpuSortState *state)
{
	uint32		nkeys;

	keep_distinct(state, sort_keys_of(state, state->stored, &nkeys));
	describe_windows(state);
}

static void
sort_stored(GpuSortState *state)
{
	const int	wanted = sort_private_int(state, SORT_PRIVATE_WANTED);
	SortRequest request = {.first = sort_first_wanted(state), .end = wanted > 0 ? wanted : UINT32_MAX};

	request.keys = sort_keys_of(state, state->stored, &request.nkeys);
	state->nrows = sort_into(state, &request, &state->order);
	if (is_limited(state))
		state->nrows = Min(state->nrows, request.end);
	describe_order(state);
}

/* The same for each of the columns that aggregates order by, then find groups. */
static DeviceStatus
sort_groups(GpuSortState *state)
{
	const List *partition = sort_private_list(state, SORT_PRIVATE_PARTITION);
	SortedGroups *groups = &state->groups;
	SortRequest request = {.end = UINT32_MAX};
	SortKey    *keys = sort_keys_of(state, state->stored, &request.nkeys);

	describe_groups(state);
	if (sorted_groups_are_ambiguous(groups))
		return STATUS_AMBIGUOUS_VALUE;
	request.keys = keys;
	request.nkeys++;
	for (int s = 0; s < groups->nsets; s++)
	{
		keys[request.nkeys - 1] = groups->set[s].by;
		(void) sort_into(state, &request, &groups->set[s].order);
	}
	sorted_groups_find(groups, keys_of_columns(state->stored, partition), list_length(partition), state->context);
	state->nrows = groups->ngroups;
	state->order = palloc(sizeof(uint32) * Max(groups->ngroups, 1));
	for (uint32 g = 0; g < groups->ngroups; g++)
		state->order[g] = groups->set[0].order[groups->start[g]];
	return STATUS_DONE;
}

static double
ms_since(instr_time start)
{
	instr_time	now;

	INSTR_TIME_SET_CURRENT(now);
	INSTR_TIME_SUBTRACT(now, start);
	return INSTR_TIME_GET_MILLISEC(now);
}

void
sort_restart_child(GpuSortState *state)
{
	MemoryContext old = MemoryContextSwitchTo(state->css.ss.ps.state->es_query_cxt);

	/* as ExecProcNode() would */
	if (state->css.ss.ps.chgParam != NULL)
		ExecReScan(&state->css.ss.ps);
	if (state->begun)
		ExecReScan(sort_child(state));
	state->begun = true;
	MemoryContextSwitchTo(old);
}

/* Collect all rows, in the rows' context; DONE, or why they cannot be. */
static DeviceStatus
collect_rows(GpuSortState *state, RowStore **store)
{
	const uint64 limit = (uint64) gpudb_join_memory * 1024 * 1024;
	PlanState  *child = sort_child(state);
	DeviceStatus status;

	state->stored = stored_rows_describe(ExecGetResultType(child));
	*store = stored_rows_create(state->stored, state->context, limit, child->plan->plan_rows);
	/* not even for the first ones */
	if (!row_store_reserve(*store, 0))
		return STATUS_MEMORY_LIMIT;
	sort_restart_child(state);
	status = plan_collect(child, *store, state->stored->column, state->stored->ncolumns);
	if (status == STATUS_DONE || status == STATUS_MEMORY_LIMIT || !(is_collectable_scan(child) || is_collectable_join(child)))
		return status;
	/* what a node below cannot tell as columns it can as rows */
	row_store_clear(*store);
	sort_restart_child(state);
	return plan_collect_rows(child, *store);
}

/* The same by a GPU, which puts them in order; whether it has. */
static bool
sort_on_gpu(GpuSortState *state, RowStore **store)
{
	const int	wanted = sort_private_int(state, SORT_PRIVATE_WANTED);
	PlanState  *child = sort_child(state);
	DeviceSort	sort = {.first = sort_first_wanted(state) / 64 * 64, .end = wanted > 0 ? (uint32) wanted : UINT32_MAX};

	if (sort_is_grouped(state) || !sort_device_may(child))
		return false;
	state->stored = stored_rows_describe(ExecGetResultType(child));
	sort.ncolumns = state->stored->ncolumns;
	sort.column = state->stored->column;
	sort.key = sort_keys_of(state, state->stored, &sort.nkeys);
	sort.store = *store = stored_rows_create(state->stored, state->context, (uint64) gpudb_join_memory * 1024 * 1024,
											 wanted > 0 ? wanted : child->plan->plan_rows);
	sort_restart_child(state);
	if (!row_store_reserve(*store, 0) || !sort_device_run(child, &sort))
	{
		MemoryContextReset(state->context);
		return false;
	}
	state->stored->rows = row_store_finish(*store);
	state->rows_in += sort.nrows;
	state->nrows = Min(sort.end, sort.nrows);
	state->order = mapping_palloc(state->context, sizeof(uint32) * Max((Size) state->nrows, 1));
	for (uint32 i = sort.first; i < state->nrows; i++)
		state->order[i] = i - sort.first;
	state->on_gpu = true;
	return true;
}

/* Collect all rows and sort them, in the rows' context; DONE, or why PostgreSQL is to do it. */
static DeviceStatus
compute(GpuSortState *state)
{
	RowStore   *store;
	DeviceStatus status;
	instr_time	start;

	MemoryContextReset(state->context);
	INSTR_TIME_SET_CURRENT(start);
	if (sort_on_gpu(state, &store))
	{
		state->bytes = Max(state->bytes, row_store_bytes(store));
		state->collect_ms += ms_since(start);
		describe_order(state);
		return STATUS_DONE;
	}
	status = collect_rows(state, &store);
	if (status != STATUS_DONE)
		return status;
	state->stored->rows = row_store_finish(store);
	state->rows_in += state->stored->rows->nrows;
	state->bytes = Max(state->bytes, row_store_bytes(store) + sort_room_bytes(state->stored->rows->nrows));
	state->collect_ms += ms_since(start);
	INSTR_TIME_SET_CURRENT(start);
	if (sort_is_grouped(state))
		status = sort_groups(state);
	else
		sort_stored(state);
	state->sort_ms += ms_since(start);
	return status;
}

/* Rows */

void
sort_restart_rows(GpuSortState *state)
{
	state->next = Min(sort_first_wanted(state), state->nrows);
	state->first = state->next;
	state->nbatch = 0;
	windows_restart(&state->windows);
}

/* Room for the values of a batch. */
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
	/* of groups the keys, which come first, are all that is looked at */
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

/* The next row in the scan slot; false at the end. */
static bool
next_sorted(GpuSortState *state, TupleTableSlot *slot)
{
	const int	natts = slot->tts_tupleDescriptor->natts;
	uint32		at;

	ExecClearTuple(slot);
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

/* The next row of the fallback, which comes as the Sort has it, or with all window functions or aggregates. */
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

/* Have all rows in order, here or in PostgreSQL's Sort. */
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

	/* as ExecProcNode() would */
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
	return state->computed;
}

static TupleTableSlot *
exec(CustomScanState *css)
{
	GpuSortState *state = (GpuSortState *) css;
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
		/* HAVING, or what ends a window's partitions, of which there may be one */
		if (ExecQual(css->ss.ps.qual, econtext))
			break;
		InstrCountFiltered1(css, 1);
		if (!sort_is_grouped(state) && sort_private_list(state, SORT_PRIVATE_PARTITION) == NIL)
			state->next = state->nrows;
	}
	return css->ss.ps.ps_ProjInfo ? ExecProject(css->ss.ps.ps_ProjInfo) : slot;
}

static void
end(CustomScanState *css)
{
	GpuSortState *state = (GpuSortState *) css;

	ExecClearTuple(css->ss.ss_ScanTupleSlot);
	ExecEndNode(state->fallback);
	MemoryContextDelete(state->batch_context);
	MemoryContextDelete(state->context);
}

static void
rescan(CustomScanState *css)
{
	GpuSortState *state = (GpuSortState *) css;

	ExecClearTuple(css->ss.ss_ScanTupleSlot);
	/* without new parameters the rows are the same */
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

/*
 * sort_order.c
 *		Sorting the rows that a GpuSort has collected: by its keys, run by run, or by group and columns of aggregates.
 */
#include "postgres.h"

#include "access/stratnum.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "device/device.h"
#include "device/mapping.h"
#include "device/threads.h"
#include "exec/run/feed.h"
#include "exec/sort/collated.h"
#include "exec/sort/exec_sort_private.h"

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

/* Return sort keys of columns by which rows are only compared for equality. */
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
		.total = palloc0(sizeof(WindowFrameTotal) * Max(list_length(calls), 1))
	};
	foreach(lc, calls)
		state->windows.call[foreach_current_index(lc)] = window_call_of(lfirst(lc));
}

void
sort_describe_groups(GpuSortState *state)
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
	/* a column less than 0 is in descending order */
	foreach(lc, sets)
	{
		const int	attno = abs(lfirst_int(lc));

		groups->set[foreach_current_index(lc)].by = (SortKey) {
			.column = (uint16) stored_rows_key(state->stored, attno - 1), .descending = lfirst_int(lc) < 0,
			.padded = state->stored->attribute[attno - 1].type == BPCHAROID
		};
	}
	/* aggregates follow the rows' columns */
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

/* Return the ranks by which texts are ordered in the collations of the Sort's keys; there is room for one key more. */
static SortRanks *
ranks_of_keys(const GpuSortState *state, const SortRequest *request)
{
	const Sort *sort = state->sort != NULL ? (const Sort *) state->sort->ss.ps.plan : NULL;
	SortRanks  *ranks = palloc0(sizeof(SortRanks) * (request->nkeys + 1));

	for (uint32 k = 0; k < request->nkeys; k++)
		if (is_collated(sort->collations[k]))
			ranks[k] = collated_ranks(state->stored->rows, &request->keys[k], sort->collations[k]);
	return ranks;
}

/*
 * Sort the stored rows by the request's keys into *order, which is allocated in state->context;
 * return the number of rows in it.
 */
static uint32
sort_into(GpuSortState *state, SortRequest *request, uint32 **order)
{
	const uint32 nrows = state->stored->rows->nrows;
	void	   *room = mapping_palloc(state->context, sort_room_bytes(nrows));
	SortHelpers helpers = {.run = run_together, .interrupted = feed_interrupted};
	uint32		listed;

	*order = mapping_palloc(state->context, sizeof(uint32) * Max((Size) nrows, 1));
	/* no error may be raised until the threads have been returned */
	helpers.threads = threads_lease();
	request->rows = state->stored->rows;
	request->helpers = &helpers;
	listed = sort_rows(request, *order, room);
	threads_return(helpers.threads);
	pfree(room);
	CHECK_FOR_INTERRUPTS();
	return listed;
}

/* Remove all but the first of the rows that are equal in the leading SORT_PRIVATE_DISTINCT keys. */
static void
keep_distinct(GpuSortState *state, const SortKey *keys)
{
	const int	nkeys = sort_private_int(state, SORT_PRIVATE_DISTINCT);
	uint32	   *start;

	if (nkeys == 0)
		return;
	start = mapping_palloc(state->context, sizeof(uint32) * Max((Size) state->nrows, 1));
	state->nrows = sorted_groups_starts(state->stored, state->order, state->nrows, keys, nkeys, start);
	for (uint32 i = 0; i < state->nrows; i++)
		state->order[i] = state->order[start[i]];
	pfree(start);
}

void
sort_describe_order(GpuSortState *state)
{
	uint32		nkeys;

	keep_distinct(state, sort_keys_of(state, state->stored, &nkeys));
	describe_windows(state);
}

/* Return a request for the stored rows from number `first` in the order on, as far as they are wanted. */
static SortRequest
request_of(const GpuSortState *state, uint32 first)
{
	const int	wanted = sort_private_int(state, SORT_PRIVATE_WANTED);
	SortRequest request = {.first = first, .end = wanted > 0 ? wanted : UINT32_MAX};

	request.keys = sort_keys_of(state, state->stored, &request.nkeys);
	request.ranks = ranks_of_keys(state, &request);
	return request;
}

void
sort_order_rows(GpuSortState *state)
{
	SortRequest request = request_of(state, sort_first_wanted(state));

	state->nrows = sort_into(state, &request, &state->order);
	if (sort_is_limited(state))
		state->nrows = Min(state->nrows, request.end);
	sort_describe_order(state);
}

uint32
sort_keys_of_set(const SortedSet *set, SortKey *keys, uint32 nkeys)
{
	for (uint32 k = 0; k < nkeys; k++)
		if (keys[k].column == set->by.column)
			return nkeys;
	keys[nkeys] = set->by;
	return nkeys + 1;
}

/* Sort the rows by group, and within groups by the column of each set. */
static void
sort_sets(GpuSortState *state)
{
	SortedGroups *groups = &state->groups;
	SortRequest request = {.end = UINT32_MAX};
	uint32		nkeys;
	SortKey    *keys = sort_keys_of(state, state->stored, &nkeys);
	SortRanks  *ranks;

	request.keys = keys;
	request.nkeys = nkeys;
	request.ranks = ranks = ranks_of_keys(state, &request);
	for (int s = 0; s < groups->nsets; s++)
	{
		const Oid	collation = TupleDescAttr(state->stored->desc, state->stored->column[groups->set[s].by.column].attno - 1)->attcollation;

		request.nkeys = sort_keys_of_set(&groups->set[s], keys, nkeys);
		if (request.nkeys > nkeys)
			ranks[nkeys] = is_collated(collation) ? collated_ranks(state->stored->rows, &keys[nkeys], collation) : (SortRanks) {0};
		(void) sort_into(state, &request, &groups->set[s].order);
	}
}

DeviceStatus
sort_order_groups(GpuSortState *state, bool in_order)
{
	const List *partition = sort_private_list(state, SORT_PRIVATE_PARTITION);
	SortedGroups *groups = &state->groups;

	if (sorted_groups_are_ambiguous(groups))
		return STATUS_AMBIGUOUS_VALUE;
	if (sorted_groups_may_overflow(groups))
		return STATUS_FLOAT_TOTAL;
	if (in_order)
		groups->set[0].order = state->order;
	else
		sort_sets(state);
	sorted_groups_find(groups, keys_of_columns(state->stored, partition), list_length(partition), state->context);
	if (sorted_groups_differ_in_digits(groups))
		return STATUS_AMBIGUOUS_VALUE;
	state->nrows = groups->ngroups;
	state->order = palloc(sizeof(uint32) * Max(groups->ngroups, 1));
	for (uint32 g = 0; g < groups->ngroups; g++)
		state->order[g] = groups->set[0].order[groups->start[g]];
	return STATUS_DONE;
}

void
sort_order_run(GpuSortState *state)
{
	MemoryContext context = AllocSetContextCreate(state->context, "gpudb run", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(state->context);
	SortRequest request;
	uint32	   *order;
	uint32		n;

	if (state->runs == NULL)
		state->runs = sorted_runs_create(state->stored->desc, (const Sort *) state->sort->ss.ps.plan);
	MemoryContextSwitchTo(context);
	stored_rows_finish(state->stored, state->store);
	request = request_of(state, 0);
	n = sort_into(state, &request, &order);
	sorted_runs_add(state->runs, state->stored, order, Min(n, request.end));
	pfree(order);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
}

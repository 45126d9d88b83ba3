/*
 * join_device.c
 *		Tables of joins that a GPU makes of rows that never leave it.
 *
 * The plan's filters and joins run as those of an aggregate without keys do,
 * which also counts the rows and finds the bounds of their columns; besides it
 * keeps the rows.  Nothing but these few numbers comes back.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#include "core/join_build.h"
#include "device/device.h"
#include "exec/join_device.h"
#include "exec/joins.h"
#include "exec/kept_rows.h"
#include "exec/params.h"
#include "exec/scan_collect.h"
#include "guc.h"
#include "tablet/own_codes.h"

/* Runs with more room than the one before. */
#define MAX_ROUNDS		3

/* What the plan returns, as its program knows it. */
static List *
outputs_of(const PlanState *ps)
{
	const GpuNode *node = (const GpuNode *) ps;
	List	   *outputs = NIL;
	ListCell   *lc;

	if (is_collectable_join(ps))
		return node->request.outputs;
	foreach(lc, ps->plan->targetlist)
		outputs = lappend(outputs, lfirst_node(TargetEntry, lc)->expr);
	return outputs;
}

/* Whether rows are found by a key whose values stand in the columns that are kept as they are compared. */
static bool
keys_are_plain(const JoinUse *use)
{
	for (int k = 0; k < use->nkeys; k++)
		if (use->key[k].form != JOIN_KEY_INTEGER)
			return false;
	return use->nkeys > 0 && !use->sorted;
}

/* The head of the rows that were kept. */
static Tablet *
describe_rows(const CompileResult *compiled, const GroupTable *groups, const JoinUse *use, KeptPlan *plan)
{
	Tablet	   *rows = palloc0(sizeof(Tablet) + sizeof(TabletColumn) * Max(use->ncolumns, 1));

	rows->nrows = plan->nrows = (uint32) kept_rows_state(compiled, groups, compiled->kept_count);
	rows->ncols = use->ncolumns;
	rows->failed_column = -1;
	for (int k = 0; k < use->ncolumns; k++)
	{
		const KeptColumn *kept = &compiled->kept[k];
		TabletColumn *column = &rows->column[k];

		column->type = compiled->program->kept[k];
		column->null_count = plan->null_count[k] = rows->nrows - (uint32) kept_rows_state(compiled, groups, kept->count);
		/* of no values the bounds may be anything */
		if (kept->least < 0 || column->null_count == rows->nrows)
			continue;
		wide_store(column->min, (int64) kept_rows_state(compiled, groups, kept->least));
		wide_store(column->max, (int64) kept_rows_state(compiled, groups, kept->largest));
	}
	return rows;
}

/* Give a table back with the context that it was to last as long as. */
typedef struct Dropped
{
	const Device *device;
	KeptTable  *table;
	MemoryContextCallback callback;
} Dropped;

static void
drop_table(void *arg)
{
	Dropped    *dropped = arg;

	dropped->device->drop(dropped->table);
}

/* The dictionaries as they are now have the codes of all rows. */
static void
copy_books(const CompileResult *compiled, const DeviceTable *wish)
{
	memset(wish->books, 0, sizeof(JoinBooks));
	for (int k = 0; k < compiled->nkept; k++)
		if (compiled->kept[k].codes.attno != 0)
			wish->books->column[k] = own_codes_copy(wish->context, compiled->kept[k].codes.book);
}

/* All rows are kept: make the table. */
static bool
make_table(GpuNode *node, const GroupTable *groups, const DeviceTable *wish)
{
	MemoryContext old = MemoryContextSwitchTo(wish->context);
	Dropped    *dropped = palloc0(sizeof(Dropped));
	JoinTable  *table = palloc(sizeof(JoinTable));
	KeptPlan	plan = {0};
	Tablet	   *rows = describe_rows(&node->compiled, groups, wish->use, &plan);

	memcpy(plan.key, wish->use->key, sizeof(JoinKey) * wish->use->nkeys);
	join_plan_of_bounds(&plan.head, rows, plan.key, wish->use->nkeys);
	plan.head.some = wish->use->some && plan.head.exact;
	dropped->device = node->device;
	dropped->table = node->device->keep(node->feed.job, &plan, wish->shared);
	MemoryContextSwitchTo(old);
	if (dropped->table == NULL)
		return false;
	dropped->callback = (MemoryContextCallback) {.func = drop_table, .arg = dropped};
	MemoryContextRegisterResetCallback(wish->context, &dropped->callback);
	*table = plan.head;
	*wish->made = (JoinRows) {table, rows};
	copy_books(&node->compiled, wish);
	return true;
}

/* Run the program and make the table, or tell how many rows there are if they are too many; false if it cannot be. */
static bool
run_once(GpuNode *node, const DeviceTable *wish, uint64 *count)
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
	*count = kept_rows_state(&node->compiled, groups, node->compiled.kept_count);
	return *count <= node->keep_most && make_table(node, groups, wish);
}

static bool
build(GpuNode *node, const DeviceTable *wish)
{
	const uint32 most = kept_rows_most(wish->use->ncolumns);
	instr_time	start;
	uint64		count;
	bool		done;

	node->keep_most = kept_rows_room(node, most);
	for (int round = 0; round < MAX_ROUNDS; round++)
	{
		INSTR_TIME_SET_CURRENT(start);
		done = run_once(node, wish, &count);
		node_add_time(node, start);
		node_end_run(node);
		if (done || count <= node->keep_most || count > most)
			return done;
		node->keep_most = (uint32) count;
	}
	return false;
}

bool
join_device_build(PlanState *ps, const DeviceTable *wish)
{
	GpuNode    *node = (GpuNode *) ps;
	const CompileRequest request = node->request;
	const bool	rather_gpu = node->rather_gpu;
	MemoryContext old;
	bool		done = false;

	if (gpudb_device == DEVICE_CPU || device_gpu_missing() != NULL || !keys_are_plain(wish->use) || node->nmembers > 0 ||
		joins_end_in_full(node))
		return false;
	old = MemoryContextSwitchTo(ps->state->es_query_cxt);
	if (ps->instrument)
		InstrStartNode(ps->instrument);
	node->request.outputs = outputs_of(ps);
	node->request.give_rows = node->request.keep_rows = false;
	node->request.aggregate = true;
	node->request.keep = wish->use;
	node->rather_gpu = true;
	PG_TRY();
	{
		done = params_probe(node) && build(node, wish);
	}
	PG_CATCH();
	{
		feed_abandon(&node->feed);
		PG_RE_THROW();
	}
	PG_END_TRY();
	node->request = request;
	node->rather_gpu = rather_gpu;
	if (ps->instrument)
		InstrStopNode(ps->instrument, done ? wish->made->rows->nrows : 0);
	MemoryContextSwitchTo(old);
	return done;
}

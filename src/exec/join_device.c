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
#include "exec/params.h"
#include "exec/scan_collect.h"
#include "guc.h"
#include "tablet/own_codes.h"

/* Rows for which there is room at first: beyond the planner's estimate, or all of a relation that takes no large part of the memory. */
#define ROOM_FACTOR		1.25
#define ROOM_LEAST		65536
#define ROOM_SHARE		4

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

/* As many rows as gpudb.join_memory has room for. */
static uint32
most_rows(const JoinUse *use)
{
	return (uint32) Min((uint64) gpudb_join_memory * 1024 * 1024 / (8 * Max(use->ncolumns, 1)), JOIN_NO_ROW - 1);
}

static uint64
state_of(const CompileResult *compiled, const GroupTable *groups, int state)
{
	return groups->rows[compiled->program->state_word[state]];
}

/* The head of the rows that were kept. */
static Tablet *
describe_rows(const CompileResult *compiled, const GroupTable *groups, const JoinUse *use, KeptPlan *plan)
{
	Tablet	   *rows = palloc0(sizeof(Tablet) + sizeof(TabletColumn) * Max(use->ncolumns, 1));

	rows->nrows = plan->nrows = (uint32) state_of(compiled, groups, compiled->kept_count);
	rows->ncols = use->ncolumns;
	rows->failed_column = -1;
	for (int k = 0; k < use->ncolumns; k++)
	{
		const KeptColumn *kept = &compiled->kept[k];
		TabletColumn *column = &rows->column[k];

		column->type = compiled->program->kept[k];
		column->null_count = plan->null_count[k] = rows->nrows - (uint32) state_of(compiled, groups, kept->count);
		/* of no values the bounds may be anything */
		if (kept->least < 0 || column->null_count == rows->nrows)
			continue;
		wide_store(column->min, (int64) state_of(compiled, groups, kept->least));
		wide_store(column->max, (int64) state_of(compiled, groups, kept->largest));
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
	while (outcome.status == STATUS_DONE || outcome.status == STATUS_TIME_SLICE)
	{
		CHECK_FOR_INTERRUPTS();
		outcome.status = node->device->finish(node->feed.job, &groups);
		if (outcome.status == STATUS_DONE)
			break;
	}
	if (outcome.status != STATUS_DONE)
		return false;
	*count = state_of(&node->compiled, groups, node->compiled.kept_count);
	return *count <= node->keep_most && make_table(node, groups, wish);
}

static uint32
room_at_first(const GpuNode *node, uint32 most)
{
	const double estimated = node->css.ss.ps.plan->plan_rows * ROOM_FACTOR;
	const double all = node->relation->rd_rel->reltuples;

	return (uint32) Min(Max(all <= most / ROOM_SHARE ? Max(all, estimated) : estimated, ROOM_LEAST), most);
}

static bool
build(GpuNode *node, const DeviceTable *wish)
{
	const uint32 most = most_rows(wish->use);
	instr_time	start;
	uint64		count;
	bool		done;

	node->keep_most = room_at_first(node, most);
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
	ListCell   *lc;
	MemoryContext old;
	bool		done = false;

	if (gpudb_device == DEVICE_CPU || device_gpu_missing() != NULL || !keys_are_plain(wish->use))
		return false;
	old = MemoryContextSwitchTo(ps->state->es_query_cxt);
	if (ps->instrument)
		InstrStartNode(ps->instrument);
	node->request.outputs = outputs_of(ps);
	foreach(lc, node->request.joins)
		((JoinRequest *) lfirst(lc))->few = false;
	node->request.give_rows = false;
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

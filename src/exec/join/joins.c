/*
 * joins.c
 *		The tables of a node's joins.
 *
 * joins_build() runs each build plan whose table does not suit the compiled
 * program.  The rows of a GpuScan or GpuJoin may be indexed on the GPU without
 * leaving it (join_device.c).  Otherwise the rows are collected as columns in
 * the table's memory context and indexed on the host by the backend and leased
 * threads; joins_share() then copies the table for the GPU process if needed.
 */
#include "postgres.h"

#include "commands/explain.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "parser/parsetree.h"
#include "utils/memutils.h"
#include "utils/ruleutils.h"

#include "pg_compat.h"
#include "compile/compile_not_in.h"
#include "core/join/join_build.h"
#include "device/device.h"
#include "device/mapping.h"
#include "device/threads.h"
#include "exec/join/join_device.h"
#include "exec/join/joins.h"
#include "exec/join/joins_share.h"
#include "exec/run/collect.h"
#include "guc.h"
#include "tablet/cache/dict.h"
#include "tablet/read/row_store.h"

/* Number of times that a table is built with larger scales. */
#define MAX_ROUNDS 9

/* Number of rows below which threads would wait for each other rather than help. */
#define TOGETHER_ROWS 50000

struct NodeJoin
{
	JoinRequest request;
	Expr	   *not_in;			/* NOT IN filter that the join implements; NULL = it is an ordinary join */
	PlanState  *child;			/* build plan, or plan of the NOT IN filter's subplan, which the query owns */
	bool		secret;			/* EXPLAIN must not show how often rows were requested */
	bool		begun;			/* rows have been requested from `child` */
	int16	   *scales;			/* assumed scales of the table's columns, by number */
	MemoryContext context;		/* holds the table */
	bool		is_built;
	JoinUse		built;			/* keys and columns that the table was built with */
	double		build_ms;
	uint64		bytes;
};

static int
number_of_joins(const CustomScan *plan)
{
	return list_length(plan->custom_private) > NODE_PRIVATE_JOINS ? list_length(list_nth(plan->custom_private, NODE_PRIVATE_JOINS)) : 0;
}

List *
joins_other_exprs(const CustomScan *plan)
{
	return list_truncate(list_copy(plan->custom_exprs), list_length(plan->custom_exprs) - number_of_joins(plan));
}

/* Return the numbers of the columns that are texts with apparently few distinct values. */
static Bitmapset *
columns_with_dicts(const List *columns, const List *scan_tlist, EState *estate)
{
	Bitmapset  *dict_columns = NULL;
	ListCell   *lc;

	foreach(lc, columns)
	{
		const Var  *var = lfirst(lc);
		const RangeTblEntry *from;

		while (IsA(var, Var) && var->varno == INDEX_VAR)
			var = (const Var *) list_nth_node(TargetEntry, scan_tlist, var->varattno - 1)->expr;
		if (!IsA(var, Var) || !dict_suit_type(var->vartype))
			continue;
		from = exec_rt_fetch(var->varno, estate);
		if (from->rtekind != RTE_RELATION || dict_few(ExecGetRangeTableRelation(estate, var->varno), var->varattno))
			dict_columns = bms_add_member(dict_columns, foreach_current_index(lc) + 1);
	}
	return dict_columns;
}

void
joins_refuse_dicts(GpuNode *node, int j)
{
	node->joins[j].request.dict_columns = NULL;
}

/* Initialize a join and its build plan *build, and advance *build to the next join's build plan. */
static void
begin_join(GpuNode *node, NodeJoin *join, const List *kind, const List *exprs, ListCell **build)
{
	CustomScan *plan = (CustomScan *) node->css.ss.ps.plan;
	EState	   *estate = node->css.ss.ps.state;

	join->request = (JoinRequest) {
		.type = linitial_int(kind), .unique = lsecond_int(kind) != 0, .few = lthird_int(kind) != 0, .columns = linitial(exprs),
		.conditions = lsecond(exprs), .filters = lthird(exprs),
		.dict_columns = columns_with_dicts(linitial(exprs), plan->custom_scan_tlist, estate)
	};
	join->child = ExecInitNode(lfirst(*build), estate, node->eflags & ~(EXEC_FLAG_REWIND | EXEC_FLAG_BACKWARD | EXEC_FLAG_MARK));
	node->css.custom_ps = lappend(node->css.custom_ps, join->child);
	*build = lnext(plan->custom_plans, *build);
}

/*
 * Initialize a join that implements a NOT IN filter.  The subplan belongs to the
 * node just as if PostgreSQL evaluated the filter here.
 */
static void
begin_not_in(GpuNode *node, NodeJoin *join, Expr *filter)
{
	PlanState  *ps = &node->css.ss.ps;

	not_in_request(not_in_subplan((const Node *) filter), &join->request);
	join->not_in = filter;
	ExecInitExpr(filter, ps);
	join->child = llast_node(SubPlanState, ps->subPlan)->planstate;
}

void
joins_begin(GpuNode *node, EState *estate)
{
	CustomScan *plan = (CustomScan *) node->css.ss.ps.plan;
	const int	first = list_length(plan->custom_exprs) - number_of_joins(plan);
	ListCell   *build;

	node->njoins = number_of_joins(plan);
	if (node->njoins == 0)
		return;
	node->join_context = AllocSetContextCreate(estate->es_query_cxt, "gpudb joins", ALLOCSET_DEFAULT_SIZES);
	node->joins = palloc0(sizeof(NodeJoin) * node->njoins);
	node->tables = palloc0(sizeof(JoinRows) * node->njoins);
	node->dicts = palloc0(sizeof(JoinDicts) * node->njoins);
	node->shared = palloc0(sizeof(SharedTable) * node->njoins);
	/* the first custom plan is the fallback */
	build = list_second_cell(plan->custom_plans);
	for (int j = 0; j < node->njoins; j++)
	{
		NodeJoin   *join = &node->joins[j];
		void	   *exprs = list_nth(plan->custom_exprs, first + j);
		const List *kind = list_nth(list_nth(plan->custom_private, NODE_PRIVATE_JOINS), j);

		if (llast_int(kind) > 0)
			begin_not_in(node, join, exprs);
		else
			begin_join(node, join, kind, exprs, &build);
		join->secret = node->secret;
		join->scales = palloc0(sizeof(int16) * Max(list_length(join->request.columns), 1));
		join->request.scales = join->scales;
		node->request.joins = lappend(node->request.joins, &join->request);
		join->context = AllocSetContextCreate(node->join_context, "gpudb join table", ALLOCSET_DEFAULT_SIZES);
	}
}

static bool
same_use(const JoinUse *a, const JoinUse *b)
{
	bool		same = a->some == b->some && a->sorted == b->sorted && a->nkeys == b->nkeys && a->ncolumns == b->ncolumns;

	for (int k = 0; k < a->nkeys && same; k++)
		same = a->key[k].column == b->key[k].column && a->key[k].form == b->key[k].form;
	for (int c = 0; c < a->ncolumns && same; c++)
		same = a->column[c].attno == b->column[c].attno && a->column[c].second == b->column[c].second &&
			a->column[c].packed == b->column[c].packed && a->column[c].coded == b->column[c].coded &&
			a->column[c].scale == b->column[c].scale;
	return same;
}

bool
joins_are_built(const GpuNode *node)
{
	for (int j = 0; j < node->njoins; j++)
		if (!node->joins[j].is_built || !same_use(&node->joins[j].built, &node->compiled.join[j]))
			return false;
	return true;
}

bool
joins_have_filter(const GpuNode *node)
{
	for (int j = 0; j < node->njoins; j++)
		if (node->joins[j].not_in != NULL)
			return true;
	return false;
}

bool
joins_end_in_full(const GpuNode *node)
{
	return node->njoins > 0 && node->joins[node->njoins - 1].request.type == JOIN_FULL;
}

/* Reset the instrumentation of a plan tree, so that EXPLAIN shows it as not executed. */
static bool
forget_instruments(PlanState *ps, void *context)
{
	Instrumentation *instrument = ps->instrument;

	if (instrument != NULL)
		*instrument = (Instrumentation) {
			.need_timer = instrument->need_timer, .need_bufusage = instrument->need_bufusage, .need_walusage = instrument->need_walusage,
			.async_mode = instrument->async_mode
		};
	return planstate_tree_walker(ps, forget_instruments, context);
}

/* Restart the build plan, so that it returns its rows from the first one on. */
static void
restart_child(NodeJoin *join)
{
	MemoryContext old = MemoryContextSwitchTo(join->child->state->es_query_cxt);

	/* other users of a NOT IN's subplan may have fetched its rows */
	if (join->begun || join->not_in != NULL)
		ExecReScan(join->child);
	if (join->begun && join->secret)
		forget_instruments(join->child, NULL);
	join->begun = true;
	MemoryContextSwitchTo(old);
}

/* Collect the rows of the build plan in a new store, which is allocated in the table's context. */
static DeviceStatus
collect_rows(NodeJoin *join, const JoinUse *use, RowStore **store)
{
	*store = row_store_create(join->context, ExecGetResultType(join->child), columns_wanted(use->column, use->ncolumns), use->ncolumns,
							  guc_join_bytes(), join->child->plan->plan_rows);
	restart_child(join);
	return plan_collect(join->child, *store, use->column, use->ncolumns);
}

/* Raise the assumed scales of columns to those that values have needed; return false if no larger scale helps. */
static bool
raise_scales(NodeJoin *join, JoinUse *use, const RowStore *store)
{
	bool		raised = false;

	for (int c = 0; c < use->ncolumns; c++)
	{
		const int	needed = row_store_scale(store, c);

		if (use->column[c].second || needed <= use->column[c].scale)
			continue;
		if (needed > DECIMAL_MAX_DIGITS)
			return false;
		join->scales[use->column[c].attno - 1] = use->column[c].scale = needed;
		raised = true;
	}
	return raised;
}

static void
run_together(const JoinHelpers *helpers, void (*work) (void *arg, uint32 part), void *arg)
{
	device_cpu_together(helpers->threads, helpers->parts, work, arg);
}

/* Fill a table that is not sorted, together with the threads that can be leased. */
static void
fill_table(JoinTable *table, const Tablet *rows, const JoinUse *use, uint64 *words, uint8 *nulls)
{
	JoinHelpers helpers = {.run = run_together};

	if (rows->nrows >= TOGETHER_ROWS)
		helpers.threads = threads_lease();
	helpers.parts = Min(helpers.threads + 1, JOIN_MOST_PARTS);
	join_fill(table, rows, use->key, words, nulls, &helpers);
	threads_return(helpers.threads);
}

DeviceStatus
join_index(const JoinUse *use, Tablet *rows, MemoryContext context, uint64 limit, JoinTable **made)
{
	JoinTable	head;
	JoinTable  *table;
	uint64	   *words;
	uint8	   *nulls;
	uint64		bytes;

	if (!use->sorted)
		join_plan(&head, rows, use->key, use->nkeys);
	else if (!join_plan_sorted(&head, rows, use->key))
		join_plan(&head, rows, NULL, 0);
	head.some = use->some;
	bytes = join_table_bytes(&head, rows->nrows);
	if (bytes + rows->size > limit)
		return STATUS_MEMORY_LIMIT;
	table = (JoinTable *) TYPEALIGN(64, (uintptr_t) mapping_palloc(context, bytes + 64));
	words = mapping_palloc(context, sizeof(uint64) * Max(join_fill_words(rows->nrows), 1));
	nulls = MemoryContextAllocHuge(context, Max(rows->nrows, 1));
	*table = head;
	if (head.sorted)
	{
		join_words(&head, rows, use->key, words, nulls);
		CHECK_FOR_INTERRUPTS();
		join_sort(table, rows, words, nulls);
	}
	else
		fill_table(table, rows, use, words, nulls);
	CHECK_FOR_INTERRUPTS();
	pfree(words);
	pfree(nulls);
	*made = table;
	return STATUS_DONE;
}

static void
forget_table(GpuNode *node, int j)
{
	MemoryContextReset(node->joins[j].context);
	node->joins[j].is_built = false;
	node->shared[j] = (SharedTable) {0};
}

/*
 * Number of rows below which a relation is read, and its rows copied to a GPU, before the GPU
 * process would have answered.
 */
#define SMALL_ROWS	4096

static bool
is_small(const PlanState *child)
{
	const GpuNode *node = (const GpuNode *) child;

	return gpudb_device == DEVICE_AUTO && node->relation->rd_rel->reltuples >= 0 && node->relation->rd_rel->reltuples < SMALL_ROWS;
}

/*
 * Build the table of join j on the device from materialized rows; return false if the rows must be
 * collected on the host.
 */
static bool
build_on_device(GpuNode *node, int j, const JoinUse *use)
{
	NodeJoin   *join = &node->joins[j];
	const DeviceTable table = {use, join->context, &node->tables[j], &node->dicts[j], &node->shared[j]};

	if (node->tables_on_host || !node->request.aggregate || (gpudb_device != DEVICE_GPU && !node->prefer_gpu) ||
		!plan_is_collectable(join->child) || is_small(join->child))
		return false;
	MemoryContextReset(join->context);
	restart_child(join);
	if (!join_device_build(join->child, &table))
		return false;
	join->built = *use;
	join->bytes = node->tables[j].table->size;
	return true;
}

/* Store the dictionaries of the store's columns, which last as long as the table, in *books. */
static void
store_dicts(NodeJoin *join, const RowStore *store, JoinDicts *dicts)
{
	memset(dicts, 0, sizeof(JoinDicts));
	for (int c = 0; c < join->built.ncolumns; c++)
		if (join->built.column[c].coded)
			dicts->column[c] = row_store_dict(store, c);
}

static DeviceStatus
build_table(NodeJoin *join, const JoinUse *wanted, JoinRows *made, JoinDicts *dicts)
{
	const uint64 limit = guc_join_bytes();
	JoinUse		use = *wanted;
	RowStore   *store;
	JoinTable  *table = NULL;
	Tablet	   *rows;
	DeviceStatus status = STATUS_SCALE_EXCEEDED;
	MemoryContext old = MemoryContextSwitchTo(join->context);

	for (int round = 0; status == STATUS_SCALE_EXCEEDED && round < MAX_ROUNDS; round++)
	{
		if (round > 0 && !raise_scales(join, &use, store))
			break;
		MemoryContextReset(join->context);
		status = collect_rows(join, &use, &store);
	}
	if (status == STATUS_DONE)
	{
		rows = row_store_finish(store);
		status = join_index(&use, rows, join->context, limit, &table);
	}
	MemoryContextSwitchTo(old);
	if (status != STATUS_DONE)
		return status;
	*made = (JoinRows) {table, rows};
	join->built = use;
	join->bytes = table->size + rows->size;
	store_dicts(join, store, dicts);
	return STATUS_DONE;
}

/* Record in the node why a table cannot be built: the fallback reason of the node below, or else the status. */
static void
note_why_not(GpuNode *node, const NodeJoin *join, DeviceStatus status)
{
	const bool	told = plan_is_collectable(join->child) && node_methods(join->child)->computes_outputs;
	const NodeReport *below = told ? &((const GpuNode *) join->child)->report : NULL;

	node->not_built_below = below != NULL && below->fallback_reason != NULL;
	node->compiled.reason = node->not_built_below ? below->fallback_reason : status_reason(status);
	node->build_failure_reason = node->not_built_below ? below->fallback_text : status_text(status);
}

DeviceStatus
joins_build(GpuNode *node)
{
	for (int j = 0; j < node->njoins; j++)
	{
		NodeJoin   *join = &node->joins[j];
		const JoinUse *wanted = &node->compiled.join[j];
		instr_time	start;
		instr_time	end;
		DeviceStatus status;

		if (join->is_built && same_use(&join->built, wanted))
			continue;
		join->is_built = false;
		node->shared[j] = (SharedTable) {0};
		INSTR_TIME_SET_CURRENT(start);
		status = build_on_device(node, j, wanted) ? STATUS_DONE : build_table(join, wanted, &node->tables[j], &node->dicts[j]);
		INSTR_TIME_SET_CURRENT(end);
		INSTR_TIME_SUBTRACT(end, start);
		join->build_ms += INSTR_TIME_GET_MILLISEC(end);
		if (status == STATUS_CODES_EXCEEDED)
			joins_refuse_dicts(node, j);
		else if (status != STATUS_DONE)
			note_why_not(node, join, status);
		if (status != STATUS_DONE)
			return status;
		join->is_built = true;
	}
	return STATUS_DONE;
}

/* Return true if the table of join j is device-resident: it has a number but takes no bytes of the pool. */
bool
join_is_device_resident(const GpuNode *node, int j)
{
	return node->joins[j].is_built && node->shared[j].number != 0 && node->shared[j].bytes == 0;
}

bool
joins_are_device_resident(const GpuNode *node)
{
	bool		device_resident = false;

	for (int j = 0; j < node->njoins; j++)
		device_resident |= join_is_device_resident(node, j);
	return device_resident;
}

void
joins_fetch_to_host(GpuNode *node)
{
	node->tables_on_host = true;
	for (int j = 0; j < node->njoins; j++)
		if (join_is_device_resident(node, j))
			forget_table(node, j);
}

bool
joins_share(GpuNode *node)
{
	for (int j = 0; j < node->njoins; j++)
		if (node->shared[j].number == 0 && !join_share(node, &node->tables[j], node->joins[j].context, &node->shared[j]))
			return false;
	return true;
}

void
joins_end(GpuNode *node)
{
	for (int j = 0; j < node->njoins; j++)
		if (node->joins[j].not_in == NULL)
			ExecEndNode(node->joins[j].child);
	if (node->join_context != NULL)
		MemoryContextDelete(node->join_context);
	node->join_context = NULL;
}

void
joins_rescan(GpuNode *node)
{
	for (int j = 0; j < node->njoins; j++)
	{
		NodeJoin   *join = &node->joins[j];

		/* ExecReScan() does not reach custom_ps */
		if (node->css.ss.ps.chgParam != NULL)
			UpdateChangedParamSet(join->child, node->css.ss.ps.chgParam);
		if (join->child->chgParam == NULL)
			continue;
		forget_table(node, j);
	}
}

/* EXPLAIN */

static const char *
name_of_type(JoinType type)
{
	switch (type)
	{
		case JOIN_LEFT:
			return "Left";
		case JOIN_FULL:
			return "Full";
		case JOIN_SEMI:
			return "Semi";
		case JOIN_ANTI:
			return "Anti";
		default:
			return "Inner";
	}
}

static const char *
name_of_table(const JoinTable *table)
{
	if (table->nparts == 0)
		return "list";
	if (table->sorted)
		return "sorted list";
	return table->direct ? "array" : "hash";
}

void
joins_explain(GpuNode *node, List *ancestors, ExplainState *es)
{
	List	   *context = node->njoins > 0 ? set_deparse_context_plan(es->deparse_cxt, node->css.ss.ps.plan, ancestors) : NIL;

	for (int j = 0; j < node->njoins; j++)
	{
		const NodeJoin *join = &node->joins[j];
		const JoinRequest *request = &join->request;
		const int	npasses = node->multipass.join == j ? node->multipass.count : 0;
		StringInfoData text;

		initStringInfo(&text);
		appendStringInfoString(&text, name_of_type(request->type));
		if (join->not_in != NULL)
			appendStringInfo(&text, " by %s", deparse_expression((Node *) join->not_in, context, true, false));
		else if (request->conditions != NIL)
			appendStringInfo(&text, " on %s", deparse_expression((Node *) make_ands_explicit(list_copy(request->conditions)),
																 context, true, false));
		if (request->filters != NIL)
			appendStringInfo(&text, ", filter %s", deparse_expression((Node *) make_ands_explicit(list_copy(request->filters)),
																	  context, true, false));
		ExplainPropertyText(psprintf("GPU Join %d", j + 1), text.data, es);
		if (!es->analyze || !join->is_built || node->secret)
			continue;
		resetStringInfo(&text);
		appendStringInfo(&text, "%s%s of %u rows%s", node->tables[j].table->unique ? "unique " : "",
						 name_of_table(node->tables[j].table), node->tables[j].rows->nrows, join_is_device_resident(node, j) ? ", on the GPU alone" : "");
		if (npasses > 1)
			appendStringInfo(&text, ", %d passes", npasses);
		if (es->timing)
			appendStringInfo(&text, ", " UINT64_FORMAT " kB, built in %.3f ms", join->bytes / 1024,
							 join->build_ms + (npasses > 1 ? node->multipass.build_ms : 0));
		ExplainPropertyText(psprintf("GPU Join %d Table", j + 1), text.data, es);
	}
}

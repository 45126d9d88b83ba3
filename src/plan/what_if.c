/*
 * what_if.c
 *		Determines what a query loses because columns are not cached.
 *
 * Losses are stored in the session under a key that tells plans apart when
 * they run: the plan's cost, and the text that it was made from.  So a plan
 * that is reused, as that of a prepared statement, is charged each time it
 * runs, and a query that is planned again within a minute is not planned
 * twice.
 */
#include "postgres.h"

#include "access/parallel.h"
#include "access/table.h"
#include "access/transam.h"
#include "access/xact.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/planner.h"
#include "parser/parsetree.h"
#include "storage/lmgr.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"
#include "utils/timestamp.h"

#include "core/hash.h"
#include "device/calibration.h"
#include "exec/build/auto_prewarm.h"
#include "exec/run/node.h"
#include "exec/run/plan_walk.h"
#include "guc.h"
#include "plan/decision.h"
#include "plan/what_if.h"
#include "tablet/cache/pool.h"
#include "tablet/scan/tablet_scan.h"

/*
 * Pages of a table from which on it matters whether it is cached; columns of
 * smaller ones are built along with a large one's.
 */
#define LEAST_PAGES		256

/*
 * Milliseconds from which on a plan is weighed, by its cost; and milliseconds,
 * and part of the plan's, that another plan must save for it to count.
 */
#define LEAST_MS		5
#define LEAST_SAVED_MS	1
#define LEAST_SAVED		0.05

/* Milliseconds for which a query's loss is believed. */
#define BELIEVED_MS		60000

/* Number of stored losses at which all are dropped. */
#define MOST_LOSSES		256

/* A table whose columns a plan would read from the cache. */
typedef struct WantedTable
{
	Oid			relation;
	double		price;			/* milliseconds of building the columns */
	ColumnWanted column[ADMISSION_COLUMNS];
	int			ncolumns;
	bool		read;			/* a node of the chosen plan reads the table */
} WantedTable;

/* The loss of each run of a plan. */
typedef struct Loss
{
	uint64		plan;			/* result of key_of() */
	char		status;
	TimestampTz found;
	double		lost;			/* milliseconds; 0 = nothing */
	List	   *tables;			/* of WantedTable, in loss_context */
} Loss;

#define SH_PREFIX loss
#define SH_ELEMENT_TYPE Loss
#define SH_KEY_TYPE uint64
#define SH_KEY plan
#define SH_HASH_KEY(table, key) ((uint32) hash_mix(key))
#define SH_EQUAL(table, a, b) ((a) == (b))
#define SH_SCOPE static inline
#define SH_DECLARE
#define SH_DEFINE
#include "lib/simplehash.h"

static WhatIf *current = NULL;

static MemoryContext loss_context = NULL;
static loss_hash *losses = NULL;

static ExecutorEnd_hook_type next_executor_end = NULL;

void
what_if_begin(WhatIf *state, bool as_if)
{
	*state = (WhatIf) {.around = current, .as_if = as_if, .context = CurrentMemoryContext};
	current = state;
}

void
what_if_end(const WhatIf *state)
{
	current = state->around;
}

bool
what_if_is_planned(void)
{
	return current != NULL && current->as_if;
}

static WantedTable *
table_of(Oid relation)
{
	MemoryContext old;
	WantedTable *table;
	ListCell   *lc;

	foreach(lc, current->tables)
	{
		table = lfirst(lc);
		if (table->relation == relation)
			return table;
	}
	old = MemoryContextSwitchTo(current->context);
	table = palloc0(sizeof(WantedTable));
	table->relation = relation;
	current->tables = lappend(current->tables, table);
	MemoryContextSwitchTo(old);
	return table;
}

bool
what_if_note(Relation relation, const MissingColumns *missing)
{
	WantedTable *table;

	if (current == NULL)
		return false;
	current->missed |= missing->pages >= LEAST_PAGES;
	if (!current->as_if)
		return false;
	table = table_of(RelationGetRelid(relation));
	table->price = Max(table->price, missing->price);
	table->ncolumns = columns_add(table->column, table->ncolumns, missing->column, Min(missing->ncolumns, ADMISSION_COLUMNS - table->ncolumns));
	return true;
}

/* Return true if a table may be large enough, by pg_class. */
static bool
is_large(Oid relation)
{
	HeapTuple	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relation));
	bool		large = false;

	if (HeapTupleIsValid(tuple))
	{
		const FormData_pg_class *form = (const FormData_pg_class *) GETSTRUCT(tuple);

		large = form->relpages >= LEAST_PAGES || form->reltuples < 0 || form->relhassubclass;
		ReleaseSysCache(tuple);
	}
	return large;
}

static bool
is_users(Oid function, void *context)
{
	return function >= FirstNormalObjectId;
}

/*
 * Find out whether a query reads a large table: *arg, a bool.  True ends the search: the query calls a function of a
 * user, which the planner may run, and which may do more than compute.
 */
static bool
search_walker(Node *node, void *arg)
{
	bool	   *large = arg;

	if (node == NULL)
		return false;
	if (IsA(node, RangeTblEntry))
	{
		const RangeTblEntry *entry = (const RangeTblEntry *) node;

		*large |= entry->rtekind == RTE_RELATION && entry->relid >= FirstNormalObjectId && is_large(entry->relid);
		return false;
	}
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, search_walker, arg, QTW_EXAMINE_RTES_BEFORE);
	return check_functions_in_node(node, is_users, NULL) || expression_tree_walker(node, search_walker, arg);
}

/* Return true if columns may be built for queries of this session at all. */
static bool
may_charge(void)
{
	return gpudb_auto_prewarm && gpudb_enabled && gpudb_cache && !gpudb_force && IsUnderPostmaster && pool_exists() &&
		!IsParallelWorker() && !decision_is_logged();
}

Query *
what_if_copy(const Query *query)
{
	bool		large = false;

	if (!may_charge() || query->commandType == CMD_UTILITY || (current != NULL && current->as_if) ||
		search_walker((Node *) query, &large) || !large)
		return NULL;
	return copyObject((Query *) query);
}

/* Convert a cost to milliseconds. */
static double
ms_of(Cost cost)
{
	return cost * calibration_figure(FIGURE_pg_unit) / 1e6;
}

/*
 * Return a hash of a statement's text without its digits and quoted constants:
 * queries that differ only in these are alike.
 */
static uint64
hash_of_text(const char *text, int location, int length)
{
	uint64		hash = 0;
	bool		quoted = false;

	if (text == NULL)
		return 0;
	text += Max(location, 0);
	for (int i = 0; text[i] != '\0' && (length <= 0 || i < length); i++)
	{
		quoted ^= text[i] == '\'';
		if (!quoted && (text[i] < '0' || text[i] > '9'))
			hash = hash * UINT64CONST(0x100000001b3) + (uint8) text[i];
	}
	return hash;
}

/* Return the key that tells a plan apart from others. */
static uint64
key_of(const PlannedStmt *stmt, const char *text)
{
	uint64		cost;

	memcpy(&cost, &stmt->planTree->total_cost, sizeof(cost));
	return hash_combine(hash_mix(cost), hash_of_text(text, stmt->stmt_location, stmt->stmt_len));
}

/* The tables of a plan that would be read as cached columns. */
typedef struct TableSearch
{
	const PlannedStmt *stmt;
	const List *tables;			/* of WantedTable */
} TableSearch;

static void
note_read(const TableSearch *search, Oid relation)
{
	ListCell   *lc;

	foreach(lc, search->tables)
	{
		WantedTable *table = lfirst(lc);

		table->read |= table->relation == relation;
	}
}

static bool
visit(const Plan *plan, void *arg)
{
	const TableSearch *search = arg;
	const CustomScan *scan = (const CustomScan *) plan;
	Index		relid;
	ListCell   *lc;

	if (!is_gpudb_node(plan))
		return true;
	relid = scan->methods == &gpu_scan_methods ? scan->scan.scanrelid : node_driver(scan);
	if (relid > 0)
		note_read(search, rt_fetch(relid, search->stmt->rtable)->relid);
	if (list_length(scan->custom_private) > NODE_PRIVATE_CHILDREN)
		foreach(lc, list_nth(scan->custom_private, NODE_PRIVATE_CHILDREN))
			note_read(search, lfirst_oid(lc));
	return true;
}

/*
 * Plan a query as if its columns were cached; *tables becomes the list of
 * WantedTable, with `read` set for those it reads.
 */
static PlannedStmt *
plan_as_if(const PlannedQuery *query, List **tables)
{
	WhatIf		state;
	PlannedStmt *stmt;

	what_if_begin(&state, true);
	PG_TRY();
	{
		stmt = standard_planner(query->copy, query->text, query->options, query->params);
	}
	PG_FINALLY();
	{
		what_if_end(&state);
	}
	PG_END_TRY();
	*tables = state.tables;
	plan_walk(stmt, NULL, visit, &(TableSearch) {stmt, state.tables});
	return stmt;
}

PlannedStmt *
what_if_plan(const PlannedQuery *query)
{
	List	   *tables;

	return plan_as_if(query, &tables);
}

/* Return copies, in loss_context, of the tables that are read. */
static List *
keep_tables(const List *tables)
{
	MemoryContext old = MemoryContextSwitchTo(loss_context);
	List	   *remaining = NIL;
	ListCell   *lc;

	foreach(lc, tables)
		if (((const WantedTable *) lfirst(lc))->read)
			remaining = lappend(remaining, memcpy(palloc(sizeof(WantedTable)), lfirst(lc), sizeof(WantedTable)));
	MemoryContextSwitchTo(old);
	return remaining;
}

static void
open_losses(void)
{
	if (losses != NULL && losses->members >= MOST_LOSSES)
	{
		losses = NULL;
		MemoryContextReset(loss_context);
	}
	if (loss_context == NULL)
		loss_context = AllocSetContextCreate(TopMemoryContext, "gpudb losses", ALLOCSET_DEFAULT_SIZES);
	if (losses == NULL)
		losses = loss_create(loss_context, MOST_LOSSES, NULL);
}

static bool
is_believed(const Loss *loss)
{
	return loss != NULL && !TimestampDifferenceExceeds(loss->found, GetCurrentTimestamp(), BELIEVED_MS);
}

void
what_if_weigh(const PlannedQuery *query, const PlannedStmt *stmt)
{
	const Cost	cost = stmt->planTree->total_cost;
	MemoryContext scratch;
	MemoryContext old;
	PlannedStmt *other;
	List	   *tables;
	Loss	   *loss;
	double		saved;
	bool		found;

	if (ms_of(cost) < LEAST_MS || (losses != NULL && is_believed(loss_lookup(losses, key_of(stmt, query->text)))))
		return;
	scratch = AllocSetContextCreate(CurrentMemoryContext, "gpudb what if", ALLOCSET_DEFAULT_SIZES);
	old = MemoryContextSwitchTo(scratch);
	other = plan_as_if(query, &tables);
	saved = ms_of(cost - other->planTree->total_cost);
	if (saved < LEAST_SAVED_MS || saved < LEAST_SAVED * ms_of(cost))
		saved = 0;
	elog(DEBUG1, "gpudb: the plan takes %.1f ms by its cost, with all columns cached %.1f ms", ms_of(cost), ms_of(other->planTree->total_cost));
	open_losses();
	loss = loss_insert(losses, key_of(stmt, query->text), &found);
	if (found)
		list_free_deep(loss->tables);
	loss->tables = NIL;
	loss->found = GetCurrentTimestamp();
	loss->lost = saved;
	if (saved > 0)
		loss->tables = keep_tables(tables);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(scratch);
}

/* Charge a table's account, unless its columns are cached by now, or the table is locked or dropped. */
static void
charge_table(const WantedTable *table, AdmissionCharge charge)
{
	Relation	relation;

	if (!ConditionalLockRelationOid(table->relation, AccessShareLock))
		return;
	relation = try_table_open(table->relation, NoLock);
	if (relation != NULL)
	{
		if (tablet_can_be_cached(relation, table->column, table->ncolumns) &&
			tablet_cached_part(relation, RelationGetNumberOfBlocks(relation), table->column, table->ncolumns) < WHAT_IF_WHOLE)
			auto_prewarm_charge(relation, table->column, table->ncolumns, charge);
		table_close(relation, NoLock);
	}
	UnlockRelationOid(table->relation, AccessShareLock);
}

/*
 * Divide the loss of a run among the tables by what building their columns
 * costs: then all are paid for at the same time.
 */
static void
charge_loss(const Loss *loss)
{
	double		price = 0;
	ListCell   *lc;

	/* the run may have cached columns that were missing when it was planned */
	tablet_guess_anew();
	foreach(lc, loss->tables)
		price += ((const WantedTable *) lfirst(lc))->price;
	foreach(lc, loss->tables)
	{
		const WantedTable *table = lfirst(lc);

		if (price > 0)
			charge_table(table, (AdmissionCharge) {loss->lost * table->price / price, table->price});
	}
}

/* Charge a run when it ends: by then it may have cached the columns itself. */
static void
executor_end(QueryDesc *query)
{
	const EState *estate = query->estate;
	const Loss *loss = NULL;

	if (losses != NULL && estate->es_finished && !(estate->es_top_eflags & EXEC_FLAG_EXPLAIN_ONLY) && query->snapshot != NULL &&
		query->plannedstmt->planTree != NULL && ms_of(query->plannedstmt->planTree->total_cost) >= LEAST_MS && may_charge())
		loss = loss_lookup(losses, key_of(query->plannedstmt, query->sourceText));
	if (loss != NULL && loss->tables != NIL)
	{
		PushActiveSnapshot(query->snapshot);
		charge_loss(loss);
		PopActiveSnapshot();
	}
	if (next_executor_end)
		next_executor_end(query);
	else
		standard_ExecutorEnd(query);
}

void
what_if_init(void)
{
	next_executor_end = ExecutorEnd_hook;
	ExecutorEnd_hook = executor_end;
}

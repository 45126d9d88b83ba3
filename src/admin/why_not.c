/*
 * why_not.c
 *		gpudb.why_not(query): which parts of a query are not on a gpudb node, and why.
 *
 * The query is planned, not run, with the settings of the session.  The
 * decisions of the planner are compared with the resulting plan, and with the
 * plan that would result if all columns were cached.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "fmgr.h"
#include "funcapi.h"
#include "nodes/extensible.h"
#include "parser/parsetree.h"
#include "tcop/tcopprot.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "exec/run/node.h"
#include "exec/run/plan_walk.h"
#include "exec/run/stat.h"
#include "exec/sort/exec_sort.h"
#include "exec/sort/exec_sort_agg.h"
#include "guc.h"
#include "pg_compat.h"
#include "plan/decision.h"
#include "plan/rewrite.h"
#include "plan/what_if.h"

/* Estimated rows below which nothing that a device does pays for starting it. */
#define SMALL_TABLE_ROWS 20000

static const char *const part_name[] = {"scan", "join", "aggregate"};

/* A search for the node that took a decision's part. */
typedef struct NodeSearch
{
	const PlannedStmt *stmt;
	const Decision *decision;
	const char *found;			/* name of the node */
} NodeSearch;

static bool
is_gpu_scan(const CustomScan *scan)
{
	return scan->methods == &gpu_scan_methods;
}

/* Return true if a node reads the relation of a decision, or the partition or inheritance tree that contains it. */
static bool
has_relation(const NodeSearch *search, const Plan *plan)
{
	const CustomScan *scan = is_gpudb_node(plan) && !is_gpu_scan((const CustomScan *) plan) ? (const CustomScan *) plan : NULL;
	const Index relid = scan != NULL ? node_driver(scan) : plan_scanned(plan);
	const RangeTblEntry *rte = relid > 0 ? rt_fetch(relid, search->stmt->rtable) : NULL;
	const Oid	relation = search->decision->relation;

	if (rte == NULL || !OidIsValid(relation) || strcmp(rte->eref->aliasname, search->decision->alias) != 0)
		return false;
	return rte->relid == relation || (scan != NULL && list_member_oid(list_nth(scan->custom_private, NODE_PRIVATE_CHILDREN), relation));
}

/* Return true if a node sorts rows to find groups or distinct rows. */
static bool
is_sort_of_groups(const CustomScan *scan)
{
	return scan->methods == &gpu_sort_methods &&
		(list_nth(scan->custom_private, SORT_PRIVATE_SETS) != NIL || intVal(list_nth(scan->custom_private, SORT_PRIVATE_DISTINCT)) > 0);
}

static bool
visit_below_sort(const Plan *plan, void *arg)
{
	NodeSearch *search = arg;

	if (has_relation(search, plan))
		search->found = gpu_sort_methods.CustomName;
	return search->found == NULL;
}

static bool
visit(const Plan *plan, void *arg)
{
	NodeSearch *search = arg;
	const CustomScan *scan = (const CustomScan *) plan;
	const bool	aggregate = search->decision->part == DECISION_AGGREGATE;

	if (is_gpudb_node(plan) && has_relation(search, plan) && (scan->methods == &gpu_agg_methods || !aggregate))
		search->found = scan->methods->CustomName;
	else if (is_gpudb_over_any(plan) && aggregate)
	{
		/* a decision without a relation can only be matched with a node by its kind */
		if (scan->methods == &gpu_sort_agg_methods && !OidIsValid(search->decision->relation))
			search->found = scan->methods->CustomName;
		else if (is_sort_of_groups(scan))
			plan_walk_below(linitial(scan->custom_plans), visit_below_sort, search);
	}
	return search->found == NULL;
}

static const char *
node_of_decision(const PlannedStmt *stmt, const Decision *decision)
{
	NodeSearch	search = {stmt, decision, NULL};

	plan_walk(stmt, NULL, visit, &search);
	return search.found;
}

/* Report positions in errors as those in the query given, not in the one that calls gpudb.why_not(). */
static void
transpose_position(void *arg)
{
	int			position = geterrposition();

	if (position > 0)
	{
		errposition(0);
		internalerrposition(position);
		internalerrquery(arg);
	}
}

/* The plan of a query, and the plan that it would have if all columns were cached; NULL if that cannot differ. */
typedef struct QueryPlans
{
	PlannedStmt *now;
	PlannedStmt *cached;
} QueryPlans;

/*
 * Plan the one query of a text as its user might, and return the planner's
 * decisions in *decisions.  Raises an error if the text is not one query that
 * can be planned.
 */
static QueryPlans
plan_query(const char *text, List **decisions)
{
	ErrorContextCallback context = {error_context_stack, transpose_position, unconstify(char *, text)};
	List	   *statements;
	List	   *queries;
	Query	   *query;
	QueryPlans	plans = {NULL, NULL};
	PlannedQuery again = {.text = text, .options = CURSOR_OPT_PARALLEL_OK};

	error_context_stack = &context;
	statements = pg_parse_query(text);
	if (list_length(statements) != 1)
		ereport(ERROR,
				(errcode(ERRCODE_SYNTAX_ERROR),
				 errmsg("gpudb.why_not() takes one query")));
	queries = pg_analyze_and_rewrite_fixedparams(linitial_node(RawStmt, statements), text, NULL, 0, NULL);
	if (list_length(queries) != 1 || linitial_node(Query, queries)->commandType == CMD_UTILITY)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("gpudb.why_not() takes a query that can be planned"),
				 errhint("Pass a SELECT, INSERT, UPDATE, DELETE or MERGE statement.")));
	query = linitial_node(Query, queries);
	again.copy = copyObject(query);
	decision_log_begin();
	PG_TRY();
	{
		plans.now = pg_plan_query(query, text, CURSOR_OPT_PARALLEL_OK, NULL);
	}
	PG_FINALLY();
	{
		*decisions = decision_log_end();
	}
	PG_END_TRY();
	compat_check_permissions(plans.now);
	rewrite_aggregates(again.copy);
	again.copy = what_if_copy(again.copy);
	if (again.copy != NULL)
		plans.cached = what_if_plan(&again);
	error_context_stack = context.previous;
	return plans;
}

static const char *
reason_of_decision(const Decision *decision, bool when_cached)
{
	if (decision->reason != NULL)
		return decision->reason;
	if (when_cached)
		return "not_cached";
	return decision->alias != NULL && decision->rows < SMALL_TABLE_ROWS ? "too_small" : "cost";
}

/*
 * Add a result row for a decision, with the node that took the part, if any;
 * `when_cached` is true if a node would take it if columns were cached.
 */
static void
put_decision(ReturnSetInfo *result, const Decision *decision, const char *node, bool when_cached)
{
	const char *reason = node == NULL ? reason_of_decision(decision, when_cached) : NULL;
	const char *meaning = reason ? reason_meaning(reason) : NULL;
	Datum		values[5] = {0};
	bool		nulls[5] = {decision->alias == NULL, false, node == NULL, reason == NULL, meaning == NULL};

	if (!nulls[0])
		values[0] = CStringGetTextDatum(decision->alias);
	values[1] = CStringGetTextDatum(part_name[decision->part]);
	if (node)
		values[2] = CStringGetTextDatum(node);
	if (reason)
		values[3] = CStringGetTextDatum(reason);
	if (meaning)
		values[4] = CStringGetTextDatum(meaning);
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

/* Joins */

/* A search for the names of all relations below a node. */
typedef struct NameSearch
{
	List	   *rtable;
	List	   *names;
} NameSearch;

static void
add_name(NameSearch *search, Index relid)
{
	search->names = lappend(search->names, rt_fetch(relid, search->rtable)->eref->aliasname);
}

static bool
joins_on_device(const Plan *plan)
{
	const CustomScan *scan = (const CustomScan *) plan;

	return is_gpudb_node(plan) && !is_gpu_scan(scan) && list_nth(scan->custom_private, NODE_PRIVATE_JOINS) != NIL;
}

static bool
visit_for_names(const Plan *plan, void *arg)
{
	NameSearch *search = arg;
	int			relid = -1;

	if (plan_scanned(plan) > 0)
		add_name(search, plan_scanned(plan));
	else if (is_gpudb_node(plan))
		while ((relid = bms_next_member(((const CustomScan *) plan)->custom_relids, relid)) > 0)
			add_name(search, relid);
	return plan_scanned(plan) == 0 && !is_gpudb_node(plan);
}

/* State of the search for a node that joins at least the relations of certain names. */
typedef struct NamesOnDevice
{
	List	   *rtable;
	const List *names;
	bool		found;
} NamesOnDevice;

static bool
has_name(const List *names, const char *name)
{
	ListCell   *lc;

	foreach(lc, names)
		if (strcmp(lfirst(lc), name) == 0)
			return true;
	return false;
}

static bool
has_names(const List *all, const List *names)
{
	ListCell   *lc;

	foreach(lc, names)
		if (!has_name(all, lfirst(lc)))
			return false;
	return true;
}

static bool
visit_for_device(const Plan *plan, void *arg)
{
	NamesOnDevice *search = arg;

	if (joins_on_device(plan))
	{
		NameSearch	below = {search->rtable, NIL};

		plan_walk_below(plan, visit_for_names, &below);
		search->found |= has_names(below.names, search->names);
	}
	return !search->found;
}

/* Return true if a plan, if there is one, joins relations of the names given on a device. */
static bool
joins_names(const PlannedStmt *stmt, const List *names)
{
	NamesOnDevice search = {stmt != NULL ? stmt->rtable : NIL, names, false};

	if (stmt != NULL)
		plan_walk(stmt, NULL, visit_for_device, &search);
	return search.found;
}

/* A search for nodes that join, which are added to a result. */
typedef struct JoinSearch
{
	ReturnSetInfo *result;
	QueryPlans	plans;
	List	   *decisions;
} JoinSearch;

/*
 * Return the last decision about a join of relations with the names given; a
 * join that was never considered is on no gpudb node.
 */
static Decision
decision_of_join(List *decisions, char *names)
{
	Decision	last = {.part = DECISION_JOIN, .alias = names, .reason = "relation_kind"};
	ListCell   *lc;

	foreach(lc, decisions)
		if (((Decision *) lfirst(lc))->part == DECISION_JOIN && strcmp(((Decision *) lfirst(lc))->alias, names) == 0)
			last = *(Decision *) lfirst(lc);
	return last;
}

static bool
visit_for_joins(const Plan *plan, void *arg)
{
	const JoinSearch *search = arg;

	if (joins_on_device(plan) || IsA(plan, HashJoin) || IsA(plan, MergeJoin) || IsA(plan, NestLoop))
	{
		NameSearch	below = {search->plans.now->rtable, NIL};
		Decision	decision;

		plan_walk_below(plan, visit_for_names, &below);
		decision = decision_of_join(search->decisions, decision_names(below.names));
		put_decision(search->result, &decision, joins_on_device(plan) ? ((const CustomScan *) plan)->methods->CustomName : NULL,
					 joins_names(search->plans.cached, below.names));
	}
	return true;
}

/* Return true if an earlier decision is about the same part: PostgreSQL plans min() and max() twice, to try indexes. */
static bool
decided_before(List *decisions, const Decision *decision)
{
	ListCell   *lc;

	foreach(lc, decisions)
	{
		const Decision *earlier = lfirst(lc);

		if (earlier == decision)
			return false;
		if (earlier->part == decision->part && earlier->relation == decision->relation &&
			OidIsValid(decision->relation) && strcmp(earlier->alias, decision->alias) == 0)
			return true;
	}
	return false;
}

extern PGDLLEXPORT Datum gpudb_why_not(PG_FUNCTION_ARGS);

PG_FUNCTION_INFO_V1(gpudb_why_not);

/* gpudb.why_not(query text): relation, part, node, reason, meaning; a row for each scan, each aggregate, and each node that joins */
Datum
gpudb_why_not(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	char	   *query = text_to_cstring(PG_GETARG_TEXT_PP(0));
	JoinSearch	search = {result};
	ListCell   *lc;

	InitMaterializedSRF(fcinfo, 0);
	search.plans = plan_query(query, &search.decisions);
	foreach(lc, search.decisions)
	{
		const Decision *decision = lfirst(lc);

		if (decision->part != DECISION_JOIN && !decided_before(search.decisions, decision))
			put_decision(result, decision, node_of_decision(search.plans.now, decision),
						 search.plans.cached != NULL && node_of_decision(search.plans.cached, decision) != NULL);
	}
	plan_walk(search.plans.now, NULL, visit_for_joins, &search);
	return (Datum) 0;
}

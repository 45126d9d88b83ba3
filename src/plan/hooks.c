/*
 * hooks.c
 *		The planner hooks, by which PostgreSQL calls gpudb.
 *
 * In a database in which the extension was not created PostgreSQL plans alone.
 */
#include "postgres.h"

#include "access/transam.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/geqo.h"
#include "optimizer/paths.h"
#include "optimizer/planner.h"
#include "utils/fmgroids.h"

#include "compile/extension.h"
#include "exec/run/jit_cost.h"
#include "exec/run/require.h"
#include "guc.h"
#include "plan/decision.h"
#include "plan/lower_bound.h"
#include "plan/path.h"
#include "plan/pipeline.h"
#include "plan/rewrite.h"
#include "plan/scroll.h"
#include "plan/search.h"
#include "plan/what_if.h"
#include "tablet/scan/tablet_scan.h"

static planner_hook_type prev_planner = NULL;
static set_rel_pathlist_hook_type prev_rel_pathlist = NULL;
static set_join_pathlist_hook_type prev_join_pathlist = NULL;
static join_search_hook_type prev_join_search = NULL;
static create_upper_paths_hook_type prev_upper_paths = NULL;

/*
 * Return true if gpudb considers plans of a relation: it costs PostgreSQL
 * enough, or the decisions about the query are wanted.
 */
static bool
is_examined(PlannerInfo *root, const RelOptInfo *rel)
{
	return (gpudb_enabled && search_is_worth(root, rel)) || decision_is_logged();
}

/* Cursor options of the statement that is being planned. */
static int	cursor_options;

/* The statement that is being planned calls pg_column_size() or a similar function. */
static bool asks_for_storage;

bool
plan_asks_for_storage(void)
{
	return asks_for_storage;
}

/* Return true if gpudb plans may be offered for the statement that is being planned. */
static bool
may_offer(void)
{
	return extension_is_installed() && !asks_for_storage;
}

static bool
storage_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, storage_walker, context, 0);
	if (IsA(node, FuncExpr))
		switch (((const FuncExpr *) node)->funcid)
		{
			case F_PG_COLUMN_SIZE:
			case F_PG_COLUMN_COMPRESSION:
#ifdef F_PG_COLUMN_TOAST_CHUNK_ID
			case F_PG_COLUMN_TOAST_CHUNK_ID:
#endif
				return true;
		}
	return expression_tree_walker(node, storage_walker, context);
}

bool
plan_is_for_cursor(const PlannerInfo *root)
{
	return root->parent_root == NULL && (cursor_options & CURSOR_OPT_FAST_PLAN) != 0;
}

static PlannedStmt *
plan_query(Query *query, const char *text, int options, ParamListInfo params)
{
	const bool	is_installed = extension_is_installed();
	const bool	scrolls = is_installed && scrolls_by_plan(query, options);
	const int	options_around = cursor_options;
	const bool	asks_around = asks_for_storage;
	PlannedQuery again = {.text = text, .options = options, .params = params};
	WhatIf		what_if;
	PlannedStmt *volatile stmt;

	if (is_installed)
	{
		rewrite_aggregates(query);
		again.copy = what_if_copy(query);
	}
	tablet_guess_anew();
	/* planning nests */
	what_if_begin(&what_if, false);
	cursor_options = options;
	asks_for_storage = is_installed && storage_walker((Node *) query, NULL);
	PG_TRY();
	{
		stmt = prev_planner ? prev_planner(query, text, options, params) : standard_planner(query, text, options, params);
		if (scrolls)
			scroll_keep_rows(stmt);
		if (again.copy != NULL && what_if.missed)
			what_if_weigh(&again, stmt);
	}
	PG_FINALLY();
	{
		cursor_options = options_around;
		asks_for_storage = asks_around;
		what_if_end(&what_if);
	}
	PG_END_TRY();
	if (is_installed && gpudb_enabled)
		jit_set_flags(stmt);
	return stmt;
}

static void
rel_pathlist(PlannerInfo *root, RelOptInfo *rel, Index rti, RangeTblEntry *rte)
{
	Candidate  *candidate;

	if (prev_rel_pathlist)
		prev_rel_pathlist(root, rel, rti, rte);
	if (rte->rtekind != RTE_RELATION || !extension_is_installed())
		return;
	if (!is_examined(root, rel))
	{
		if (rte->relid >= FirstNormalObjectId)
			decision_note(root, rel, DECISION_SCAN, gpudb_enabled ? NULL : "disabled");
		return;
	}
	if (lower_bound_scan_reaches(root, rel))
	{
		decision_note(root, rel, DECISION_SCAN, NULL);
		return;
	}
	candidate = candidate_of(root, rel);
	/* under gpudb.force a path that is offered later would replace that of path_not_in_offer() */
	if (candidate != NULL && candidate->reason == NULL && !(path_not_in_offer(root, candidate) && gpudb_force))
		path_scan_add(root, candidate->scanned != NULL ? candidate->scanned : candidate);
}

static void
join_pathlist(PlannerInfo *root, RelOptInfo *joined, RelOptInfo *outer, RelOptInfo *inner, JoinType type,
			  JoinPathExtraData *extra)
{
	const JoinPair pair = {joined, outer, inner, type, extra};

	if (prev_join_pathlist)
		prev_join_pathlist(root, joined, outer, inner, type, extra);
	if (!may_offer())
		return;
	path_join_consider(root, joined, &pair);
	if (!path_join_waits(root, joined))
		path_merge_add(root, joined, &pair);
}

/* Run PostgreSQL's join search, after which all its paths over all relations are known, and then add gpudb's paths. */
static RelOptInfo *
join_search(PlannerInfo *root, int nlevels, List *relations)
{
	RelOptInfo *joined;

	if (prev_join_search)
		joined = prev_join_search(root, nlevels, relations);
	else if (enable_geqo && nlevels >= geqo_threshold)
		joined = geqo(root, nlevels, relations);
	else
		joined = standard_join_search(root, nlevels, relations);
	if (may_offer())
		path_join_finish(root, joined);
	return joined;
}

static void
upper_paths(PlannerInfo *root, UpperRelationKind stage, RelOptInfo *input_rel, RelOptInfo *output_rel, void *extra)
{
	if (prev_upper_paths)
		prev_upper_paths(root, stage, input_rel, output_rel, extra);
	if (!may_offer() || !is_examined(root, output_rel))
		return;
	switch (stage)
	{
		case UPPERREL_GROUP_AGG:
			path_groups_add(root, input_rel, output_rel, extra);
			break;
		case UPPERREL_DISTINCT:
			if (!path_bound_reaches(root, input_rel, output_rel, path_least_cost(output_rel)))
			{
				pipeline_catch_up(root);
				path_distinct_add(root, input_rel, output_rel);
			}
			path_unique_add(root, input_rel, output_rel);
			break;
		case UPPERREL_WINDOW:
			path_window_add(root, input_rel, output_rel);
			break;
		case UPPERREL_ORDERED:
			path_sort_add(root, input_rel, output_rel);
			break;
		case UPPERREL_FINAL:
			path_limit_add(root, output_rel);
			break;
		default:
			break;
	}
}

void
plan_init(void)
{
	prev_planner = planner_hook;
	planner_hook = plan_query;
	prev_rel_pathlist = set_rel_pathlist_hook;
	set_rel_pathlist_hook = rel_pathlist;
	prev_join_pathlist = set_join_pathlist_hook;
	set_join_pathlist_hook = join_pathlist;
	prev_join_search = join_search_hook;
	join_search_hook = join_search;
	prev_upper_paths = create_upper_paths_hook;
	create_upper_paths_hook = upper_paths;
	require_init(decision_last_reason);
	what_if_init();
}

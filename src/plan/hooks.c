/*
 * hooks.c
 *		Where PostgreSQL's planner asks us.
 */
#include "postgres.h"

#include "access/transam.h"
#include "optimizer/paths.h"
#include "optimizer/planner.h"
#include "utils/syscache.h"

#include "exec/require.h"
#include "guc.h"
#include "plan/decision.h"
#include "plan/path.h"
#include "plan/rewrite.h"

static planner_hook_type prev_planner = NULL;
static set_rel_pathlist_hook_type prev_rel_pathlist = NULL;
static set_join_pathlist_hook_type prev_join_pathlist = NULL;
static create_upper_paths_hook_type prev_upper_paths = NULL;

/* Preloaded but not created in this database: PostgreSQL plans alone. */
static bool
created_here(void)
{
	return SearchSysCacheExists1(NAMESPACENAME, CStringGetDatum("gpudb"));
}

static PlannedStmt *
plan_query(Query *query, const char *text, int options, ParamListInfo params)
{
	if (created_here())
		rewrite_aggregates(query);
	return prev_planner ? prev_planner(query, text, options, params) : standard_planner(query, text, options, params);
}

static void
rel_pathlist(PlannerInfo *root, RelOptInfo *rel, Index rti, RangeTblEntry *rte)
{
	Candidate  *candidate;

	if (prev_rel_pathlist)
		prev_rel_pathlist(root, rel, rti, rte);
	if (rte->rtekind != RTE_RELATION || IS_DUMMY_REL(rel) ||
		(rel->reloptkind != RELOPT_BASEREL && rel->reloptkind != RELOPT_OTHER_MEMBER_REL) ||
		rte->relid < FirstNormalObjectId || !created_here())
		return;
	candidate = candidate_create(root, rel, rte);
	/* under gpudb.force one that replaces all paths must be the last */
	if (candidate->reason == NULL && !(path_not_in_add(root, candidate) && gpudb_force))
		path_scan_add(root, candidate);
}

static void
join_pathlist(PlannerInfo *root, RelOptInfo *joined, RelOptInfo *outer, RelOptInfo *inner, JoinType type,
			  JoinPathExtraData *extra)
{
	if (prev_join_pathlist)
		prev_join_pathlist(root, joined, outer, inner, type, extra);
	if (!created_here())
		return;
	path_join_consider(root, joined, outer, inner, type, extra);
	path_merge_add(root, joined, outer, inner, type, extra);
}

static void
upper_paths(PlannerInfo *root, UpperRelationKind stage, RelOptInfo *input_rel, RelOptInfo *output_rel, void *extra)
{
	if (prev_upper_paths)
		prev_upper_paths(root, stage, input_rel, output_rel, extra);
	if (stage == UPPERREL_GROUP_AGG && created_here())
	{
		path_agg_add(root, input_rel, output_rel, extra);
		path_sets_add(root, input_rel, output_rel, extra);
		path_sort_agg_add(root, input_rel, output_rel, extra);
	}
	if (stage == UPPERREL_DISTINCT && created_here())
	{
		path_distinct_add(root, input_rel, output_rel);
		path_unique_add(root, input_rel, output_rel);
	}
	if (stage == UPPERREL_WINDOW && created_here())
		path_window_add(root, input_rel, output_rel);
	if (stage == UPPERREL_ORDERED && created_here())
		path_sort_add(root, input_rel, output_rel);
	if (stage == UPPERREL_FINAL && created_here())
		path_limit_add(root, output_rel);
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
	prev_upper_paths = create_upper_paths_hook;
	create_upper_paths_hook = upper_paths;
	require_init(decision_last_reason);
}

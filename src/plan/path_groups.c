/*
 * path_groups.c
 *		Adds paths for a query's groups, and for the rows below PostgreSQL's grouping.
 *
 * Where a query groups the rows of a join, paths for the join are considered
 * once PostgreSQL's plan for the groups is known.  Mostly the cost of this
 * plan shows that no gpudb plan can be cheaper: parallel workers aggregate
 * their shares of the rows, which makes the groups cheaper than the joined
 * rows are.
 */
#include "postgres.h"

#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "optimizer/planner.h"
#include "optimizer/prep.h"

#include "plan/cost.h"
#include "plan/decision.h"
#include "plan/lower_bound.h"
#include "plan/path.h"
#include "plan/pipeline.h"
#include "plan/search.h"

static const Path *
cheapest_of_all(const RelOptInfo *rel)
{
	const Path *cheapest = NULL;
	ListCell   *lc;

	foreach(lc, rel->pathlist)
		if (cheapest == NULL || ((const Path *) lfirst(lc))->total_cost < cheapest->total_cost)
			cheapest = lfirst(lc);
	return cheapest;
}

/* Offer PostgreSQL's grouping of a path's rows, by hashing and by sorting, as far as either is possible. */
static void
offer_grouping(PlannerInfo *root, RelOptInfo *output_rel, Path *path, const GroupPathExtraData *extra)
{
	const Query *query = root->parse;
	List	   *having = (List *) extra->havingQual;
	const double ngroups = path_groups_expected(output_rel);
	AggClauseCosts costs = {0};

	get_agg_clause_costs(root, AGGSPLIT_SIMPLE, &costs);
	if (query->groupClause != NIL && (extra->flags & GROUPING_CAN_USE_HASH))
		path_offer(root, output_rel, (Path *) create_agg_path(root, output_rel, path, output_rel->reltarget, AGG_HASHED, AGGSPLIT_SIMPLE,
															  query->groupClause, having, &costs, ngroups));
	if ((extra->flags & GROUPING_CAN_USE_SORT) == 0)
		return;
	/* keys that are constants need no order; aggregates may, in some versions of PostgreSQL */
	if (!pathkeys_contained_in(root->group_pathkeys, path->pathkeys))
		path = (Path *) create_sort_path(root, output_rel, path, root->group_pathkeys, -1);
	path_offer(root, output_rel, (Path *) create_agg_path(root, output_rel, path, output_rel->reltarget,
														  query->groupClause != NIL ? AGG_SORTED : AGG_PLAIN, AGGSPLIT_SIMPLE,
														  query->groupClause, having, &costs, ngroups));
}

/*
 * Return the cheapest path with gpudb nodes for the join of all relations,
 * with the target that PostgreSQL groups by; NULL if PostgreSQL's own path is
 * cheaper.
 */
static Path *
find_input(PlannerInfo *root, RelOptInfo *input_rel)
{
	RelOptInfo *saved = search_saved_join(root);
	Path	   *path = saved != NULL && bms_equal(saved->relids, input_rel->relids) ? path_join_find(root, saved) : NULL;

	if (path == NULL || path->total_cost >= input_rel->cheapest_total_path->total_cost)
		return NULL;
	return (Path *) create_projection_path(root, input_rel, path, input_rel->reltarget);
}

/* Offer paths that read a pipeline's rows. */
static void
add_over_pipelines(PlannerInfo *root, RelOptInfo *input_rel, RelOptInfo *output_rel, const GroupPathExtraData *extra)
{
	bool		can_group;
	Path	   *input;

	search_set_cost_to_beat(root, path_least_cost(output_rel));
	(void) pipeline_catch_up(root);
	can_group = path_agg_add(root, input_rel, output_rel, extra);
	/* grouping rows in the pass that joins them is better than returning them to PostgreSQL */
	if (can_group && path_is_gpu_agg(cheapest_of_all(output_rel)))
		return;
	input = find_input(root, input_rel);
	if (input == NULL)
		return;
	/* add_path() would free dominated paths, which paths for the groups refer to */
	input_rel->pathlist = lappend(input_rel->pathlist, input);
	set_cheapest(input_rel);
	offer_grouping(root, output_rel, input, extra);
	/* a GpuAgg costs no more than PostgreSQL's grouping of a GpuJoin's rows: see cost_over_ours() */
	if (can_group)
		(void) path_agg_add(root, input_rel, output_rel, extra);
}

/*
 * Return a lower bound of the cost of grouping the input's rows.  A program
 * computes the keys of all rows of a table, but of joined rows only.
 */
static Cost
cost_of_groups(const PlannerInfo *root, const RelOptInfo *input_rel, const Path *groups)
{
	const Query *query = root->parse;
	const double lanes = IS_SIMPLE_REL(input_rel) ? input_rel->tuples : input_rel->rows;

	if (query->groupClause == NIL)
		return 0;
	return cost_least_of_groups(lanes, input_rel->rows, groups->rows, list_length(query->groupClause) + query->hasAggs);
}

void
path_groups_add(PlannerInfo *root, RelOptInfo *input_rel, RelOptInfo *output_rel, const GroupPathExtraData *extra)
{
	const RelOptInfo *saved = search_saved_join(root);
	Cost		cost = path_least_cost(output_rel);

	/* the groups of a partition have columns of their own */
	if (output_rel->reloptkind != RELOPT_UPPER_REL || extra->patype == PARTITIONWISE_AGGREGATE_PARTIAL)
		return;
	if (output_rel->pathlist != NIL)
		cost -= cost_of_groups(root, input_rel, linitial(output_rel->pathlist));
	/* PostgreSQL's costs leave out what some aggregates sort */
	if (root->numOrderedAggs == 0 && (saved != NULL ? path_join_bound_reaches(root, saved, cost) : path_bound_reaches(root, input_rel, output_rel, cost)))
	{
		decision_note(root, IS_SIMPLE_REL(input_rel) ? input_rel : NULL, DECISION_AGGREGATE, "cost");
		/* a GpuSort of the input is no cheaper either */
		if (path_least_cost(input_rel) >= path_least_cost(output_rel))
			return;
	}
	else
		add_over_pipelines(root, input_rel, output_rel, extra);
	path_sets_add(root, input_rel, output_rel, extra);
	path_sort_agg_add(root, input_rel, output_rel, extra);
}

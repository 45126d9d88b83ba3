/*
 * path_groups.c
 *		What may make a query's groups, or the rows below PostgreSQL's grouping.
 *
 * PostgreSQL's plan for the groups is known then, and mostly tells that none of
 * ours can be cheaper: its workers make groups of their parts of the rows, which
 * no plan for the rows alone shows.  So this is where the join of all relations
 * is looked at, if groups are made of it.
 */
#include "postgres.h"

#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/planner.h"
#include "optimizer/prep.h"

#include "plan/cost.h"
#include "plan/decision.h"
#include "plan/floor.h"
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

/*
 * Offer PostgreSQL's grouping of a path's rows: hashed and sorted, as far as
 * either can be.
 */
static void
offer_grouping(PlannerInfo *root, RelOptInfo *output_rel, Path *path, const GroupPathExtraData *extra)
{
	const Query *query = root->parse;
	List	   *having = (List *) extra->havingQual;
	const double ngroups = ((const Path *) linitial(output_rel->pathlist))->rows;
	AggClauseCosts costs = {0};

	get_agg_clause_costs(root, AGGSPLIT_SIMPLE, &costs);
	if (query->groupClause == NIL)
	{
		path_offer(root, output_rel, (Path *) create_agg_path(root, output_rel, path, output_rel->reltarget, AGG_PLAIN, AGGSPLIT_SIMPLE,
															  NIL, having, &costs, ngroups));
		return;
	}
	if (extra->flags & GROUPING_CAN_USE_HASH)
		path_offer(root, output_rel, (Path *) create_agg_path(root, output_rel, path, output_rel->reltarget, AGG_HASHED, AGGSPLIT_SIMPLE,
															  query->groupClause, having, &costs, ngroups));
	if (extra->flags & GROUPING_CAN_USE_SORT)
		path_offer(root, output_rel, (Path *) create_agg_path(root, output_rel,
															  (Path *) create_sort_path(root, output_rel, path, root->group_pathkeys, -1),
															  output_rel->reltarget, AGG_SORTED, AGGSPLIT_SIMPLE,
															  query->groupClause, having, &costs, ngroups));
}

/* The join of all relations with gpudb nodes, computing what groups are made of; NULL if PostgreSQL's is cheaper. */
static Path *
find_input(PlannerInfo *root, RelOptInfo *input_rel)
{
	RelOptInfo *kept = search_kept_join(root);
	Path	   *path = kept != NULL && bms_equal(kept->relids, input_rel->relids) ? path_join_find(root, kept) : NULL;

	if (path == NULL || path->total_cost >= input_rel->cheapest_total_path->total_cost)
		return NULL;
	return (Path *) create_projection_path(root, input_rel, path, input_rel->reltarget);
}

/* Offer what reads a pipeline's rows. */
static void
add_over_pipelines(PlannerInfo *root, RelOptInfo *input_rel, RelOptInfo *output_rel, const GroupPathExtraData *extra)
{
	bool		can_group;
	Path	   *input;

	search_set_bound(root, path_least_cost(output_rel));
	(void) pipeline_catch_up(root);
	can_group = path_agg_add(root, input_rel, output_rel, extra);
	/* the groups in one pass are better than the rows and then groups of them */
	if (can_group && path_is_gpu_agg(cheapest_of_all(output_rel)))
		return;
	input = find_input(root, input_rel);
	if (input == NULL)
		return;
	/* not by add_path(), which frees paths that are in plans for the groups */
	input_rel->pathlist = lappend(input_rel->pathlist, input);
	set_cheapest(input_rel);
	offer_grouping(root, output_rel, input, extra);
	/* it is offered for less then */
	if (can_group)
		(void) path_agg_add(root, input_rel, output_rel, extra);
}

/* What it costs at least to find groups of the input's rows, besides making these: a filter keeps no row of a table from having its keys computed. */
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
	const RelOptInfo *kept = search_kept_join(root);
	Cost		bound = path_least_cost(output_rel);

	/* not of a partition's groups, which has columns of its own */
	if (output_rel->reloptkind != RELOPT_UPPER_REL || extra->patype == PARTITIONWISE_AGGREGATE_PARTIAL)
		return;
	if (output_rel->pathlist != NIL)
		bound -= cost_of_groups(root, input_rel, linitial(output_rel->pathlist));
	/* PostgreSQL's costs leave out what some aggregates sort */
	if (root->numOrderedAggs == 0 && (kept != NULL ? path_join_is_beyond(root, kept, bound) : floor_is_beyond(root, input_rel, bound)))
	{
		decision_note(root, IS_SIMPLE_REL(input_rel) ? input_rel : NULL, DECISION_AGGREGATE, "cost");
		/* nor can what PostgreSQL reads be sorted for less */
		if (path_least_cost(input_rel) >= path_least_cost(output_rel))
			return;
	}
	else
		add_over_pipelines(root, input_rel, output_rel, extra);
	path_sets_add(root, input_rel, output_rel, extra);
	path_sort_agg_add(root, input_rel, output_rel, extra);
}

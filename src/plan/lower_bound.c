/*
 * lower_bound.c
 *		Lower bounds of the cost of plans with gpudb nodes, computed without compiling programs.
 *
 * A pipeline reads one table, the driver, and builds join tables of the rows
 * of the others.  Some of these may come from a join of PostgreSQL's, which
 * need not read all of its tables.  So the least cost of the join tables is
 * that of covering the relations by single relations and PostgreSQL's joins.
 * It is bounded by the dual of that problem: each relation gets a weight, no
 * more than its own rows cost, such that the relations of any join weigh no
 * more together than the join costs.  The sum of weights is a lower bound
 * (weak duality; Vazirani 2001, chapter 13).  Weights are assigned greedily,
 * to the most expensive relations first.
 */
#include "postgres.h"

#include <math.h>

#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "parser/parsetree.h"

#include "device/device.h"
#include "guc.h"
#include "plan/cost.h"
#include "plan/decision.h"
#include "plan/lower_bound.h"
#include "plan/path.h"
#include "plan/pipeline.h"
#include "plan/search.h"

/* Largest product of relations and joins for which weights are assigned: beyond it that takes longer than it saves. */
#define MOST_STEPS	4000

/* Factor by which filters make a pipeline more expensive in most queries, at most. */
#define MOST_BY_FILTERS	2

static const DeviceCost no_cost = {0, 0};
static const DeviceCost impossible = {INFINITY, INFINITY};

/* Return the candidate for the driver that a relation may be; NULL if no pipeline can read it. */
static Candidate *
find_driver(PlannerInfo *root, RelOptInfo *rel, BoundDetail detail)
{
	Candidate  *candidate = detail == BOUND_BY_SIZE ? candidate_minimal(root, rel) : candidate_of(root, rel);

	return candidate != NULL && candidate->reason == NULL && candidate->qual_reason == NULL && candidate->gates == NIL ? candidate : NULL;
}

/* Return true if a relation is the parent of a partition or inheritance tree, whose size says nothing. */
static bool
is_tree(const PlannerInfo *root, const RelOptInfo *rel)
{
	const RangeTblEntry *rte = planner_rt_fetch(rel->relid, root);

	return rte->rtekind == RTE_RELATION && rte->inh;
}

/* Bound the cost of reading a base relation, and of building a join table of its rows. */
static void
bound_table(PlannerInfo *root, RelOptInfo *rel, BoundDetail detail, TableBound *bound)
{
	Candidate  *driver;

	*bound = (TableBound) {no_cost, no_cost, no_cost};
	if (detail == BOUND_BY_SIZE && is_tree(root, rel))
		return;
	driver = find_driver(root, rel, detail);
	if (driver == NULL)
		bound->pass = impossible;
	else
	{
		const Candidate *minimal = detail == BOUND_BY_FILTERS ? candidate_minimal(root, rel) : NULL;

		bound->pass = cost_pipeline(driver);
		if (minimal != NULL)
			bound->pass.cpu += cost_other_columns(minimal, candidate_all_filters(driver));
		/* the first join probes for every row, even for those that no filter passes */
		if (root->join_rel_list != NIL)
			cost_add(&bound->pass, cost_probe(driver->rel->tuples, 0, 0));
	}
	if (rel->cheapest_total_path != NULL)
		bound->table = pipeline_least_table(root, rel, driver, rel->rows);
}

/* Return a device's part of a cost. */
static Cost *
of_device(DeviceCost *cost, bool gpu)
{
	return gpu ? &cost->gpu : &cost->cpu;
}

/* Return the relation whose join table costs a device most. */
static int
most_expensive(TableBound *bounds, const Bitmapset *relids, bool gpu)
{
	int			best = -1;
	int			relid = -1;

	while ((relid = bms_next_member(relids, relid)) >= 0)
		if (best < 0 || *of_device(&bounds[relid].table, gpu) > *of_device(&bounds[best].table, gpu))
			best = relid;
	return best;
}

/*
 * Return what the relations of each of PostgreSQL's joins may weigh together:
 * the cost of the join, divided by BUSHY_GAIN.  The bound is compared with the
 * join of all relations, and joins with the driver are no join tables of its
 * pipeline, so those have no limit.
 */
static Cost *
capacities_of_joins(const PlannerInfo *root, int driver)
{
	Cost	   *capacity = palloc(sizeof(Cost) * Max(list_length(root->join_rel_list), 1));
	ListCell   *lc;

	foreach(lc, root->join_rel_list)
	{
		const RelOptInfo *joined = lfirst_node(RelOptInfo, lc);
		const bool	limits = !bms_is_member(driver, joined->relids) && !bms_is_subset(root->all_baserels, joined->relids);

		capacity[foreach_current_index(lc)] = limits ? path_least_cost(joined) / BUSHY_GAIN : INFINITY;
	}
	return capacity;
}

/* Assign weights for one device to all relations but the driver. */
static void
assign_weights_for(const PlannerInfo *root, TableBound *bounds, int driver, bool gpu)
{
	Cost	   *capacity = capacities_of_joins(root, driver);
	Bitmapset  *left = bms_del_member(bms_copy(root->all_baserels), driver);

	while (!bms_is_empty(left))
	{
		const int	relid = most_expensive(bounds, left, gpu);
		Cost	   *weight = of_device(&bounds[relid].weight, gpu);
		ListCell   *lc;

		*weight = *of_device(&bounds[relid].table, gpu);
		foreach(lc, root->join_rel_list)
			if (bms_is_member(relid, lfirst_node(RelOptInfo, lc)->relids))
				*weight = Min(*weight, capacity[foreach_current_index(lc)]);
		foreach(lc, root->join_rel_list)
			if (bms_is_member(relid, lfirst_node(RelOptInfo, lc)->relids) && isfinite(*weight))
				capacity[foreach_current_index(lc)] -= *weight;
		left = bms_del_member(left, relid);
	}
}

/* A driver's number that no relation has: the weights then hold for every driver. */
#define ANY_DRIVER	0

static void
assign_weights(const PlannerInfo *root, TableBound *bounds, int driver)
{
	assign_weights_for(root, bounds, driver, false);
	if (device_may_use_gpu())
		assign_weights_for(root, bounds, driver, true);
}

/* Return the bounds of a query level's base relations, computed once; their weights may not be assigned yet. */
static LevelBound *
find_bounds(PlannerInfo *root, BoundDetail detail)
{
	LevelBound *bounds = search_lower_bounds(root, detail);
	const LevelBound *by_size = detail == BOUND_BY_FILTERS ? find_bounds(root, BOUND_BY_SIZE) : NULL;
	MemoryContext old;
	int			relid = -1;

	if (bounds->table != NULL)
		return bounds;
	old = MemoryContextSwitchTo(root->planner_cxt);
	bounds->table = palloc0(sizeof(TableBound) * root->simple_rel_array_size);
	while ((relid = bms_next_member(root->all_baserels, relid)) > 0)
	{
		RelOptInfo *rel = root->simple_rel_array[relid];

		if (by_size != NULL && rel->baserestrictinfo == NIL && !is_tree(root, rel))
			bounds->table[relid] = by_size->table[relid];
		else
			bound_table(root, rel, detail, &bounds->table[relid]);
	}
	MemoryContextSwitchTo(old);
	return bounds;
}

/* Return the bounds of a query level's base relations with weights; NULL if there are too many relations. */
static const TableBound *
find_weights(PlannerInfo *root, BoundDetail detail)
{
	LevelBound *bounds = find_bounds(root, detail);

	if (bms_num_members(root->all_baserels) * list_length(root->join_rel_list) > MOST_STEPS)
		return NULL;
	if (!bounds->weighed)
		assign_weights(root, bounds->table, ANY_DRIVER);
	bounds->weighed = true;
	return bounds->table;
}

/*
 * Return the bound of a pipeline with a certain driver: by weights, or by the
 * join table of each single relation, which is no less.
 */
static Cost
bound_of_driver(const TableBound *bounds, const Bitmapset *relids, int driver, bool by_weights)
{
	DeviceCost	cost = bounds[driver].pass;
	int			relid = -1;

	while ((relid = bms_next_member(relids, relid)) >= 0)
		if (relid != driver)
			cost_add(&cost, by_weights ? bounds[relid].weight : bounds[relid].table);
	return cost_least(cost);
}

Cost
lower_bound_pipeline(PlannerInfo *root, Relids relids, BoundDetail detail)
{
	const TableBound *bounds = find_weights(root, detail);
	const Bitmapset *bases = bms_intersect(relids, root->all_baserels);
	Cost		least = INFINITY;
	int			driver = -1;

	if (bounds == NULL || bms_is_empty(bases))
		return 0;
	while ((driver = bms_next_member(bases, driver)) >= 0)
		least = Min(least, bound_of_driver(bounds, bases, driver, true));
	return least;
}

/* Return the bound of pipelines over all relations whose join tables are of single relations. */
static Cost
bound_without_joins(PlannerInfo *root, BoundDetail detail)
{
	const LevelBound *bounds = find_bounds(root, detail);
	Cost		least = INFINITY;
	int			driver = -1;

	while ((driver = bms_next_member(root->all_baserels, driver)) >= 0)
		least = Min(least, bound_of_driver(bounds->table, root->all_baserels, driver, false));
	return least;
}

/*
 * Return true if every pipeline over all relations with a certain driver costs
 * at least `cost`, by weights that hold for this driver alone.
 */
static bool
driver_reaches(PlannerInfo *root, BoundDetail detail, int driver, Cost cost)
{
	const Size	size = sizeof(TableBound) * root->simple_rel_array_size;
	TableBound *bounds = memcpy(palloc(size), find_bounds(root, detail)->table, size);

	assign_weights(root, bounds, driver);
	return bound_of_driver(bounds, root->all_baserels, driver, true) >= cost;
}

/* Return true if every pipeline over all relations costs at least `cost`. */
static bool
all_drivers_reach(PlannerInfo *root, BoundDetail detail, Cost cost)
{
	const TableBound *bounds = find_weights(root, detail);
	int			driver = -1;

	if (bounds == NULL)
		return false;
	while ((driver = bms_next_member(root->all_baserels, driver)) >= 0)
		if (bound_of_driver(bounds, root->all_baserels, driver, true) < cost && !driver_reaches(root, detail, driver, cost))
			return false;
	return true;
}

/*
 * Return the least cost of a join table of PostgreSQL's joins of some
 * relations with others, but not of all; INFINITY if there are none.
 */
static Cost
least_of_joins_over(const PlannerInfo *root, const Bitmapset *relids)
{
	Cost		least = INFINITY;
	ListCell   *lc;

	foreach(lc, root->join_rel_list)
	{
		const RelOptInfo *joined = lfirst_node(RelOptInfo, lc);

		if (bms_is_subset(relids, joined->relids) && !bms_is_subset(root->all_baserels, joined->relids))
			least = Min(least, path_least_cost(joined) / BUSHY_GAIN);
	}
	return least;
}

/*
 * Return a lower bound that follows from join conditions with subqueries.  No
 * device evaluates them, so PostgreSQL must join all relations that such a
 * condition refers to.
 */
static Cost
bound_by_subplans(PlannerInfo *root)
{
	const Bitmapset *known = NULL;
	Cost		least = 0;
	ListCell   *lc;
	ListCell   *clause;

	foreach(lc, search_deferred(root))
		foreach(clause, ((const JoinPair *) lfirst(lc))->extra->restrictlist)
		{
			const RestrictInfo *rinfo = lfirst_node(RestrictInfo, clause);

			if (bms_equal(rinfo->clause_relids, known) || !contain_subplans((Node *) rinfo->clause))
				continue;
			known = rinfo->clause_relids;
			least = Max(least, least_of_joins_over(root, known));
		}
	return least;
}

static bool
is_every_plan_wanted(void)
{
	return gpudb_force || decision_is_logged();
}

bool
lower_bound_reaches(PlannerInfo *root, const RelOptInfo *rel, Cost cost)
{
	if (is_every_plan_wanted() || !bms_is_subset(root->all_baserels, rel->relids))
		return false;
	if (root->parse->hasSubLinks && bound_by_subplans(root) >= cost)
		return true;
	for (BoundDetail detail = 0; detail < BOUND_DETAILS; detail++)
	{
		const Cost	without_joins = bound_without_joins(root, detail);

		/* weights make the bound smaller, and filters hardly ever larger by more than this factor */
		if (without_joins * (detail == BOUND_BY_SIZE ? MOST_BY_FILTERS : 1) < cost)
			return false;
		if (without_joins >= cost && all_drivers_reach(root, detail, cost))
			return true;
	}
	return false;
}

bool
lower_bound_scan_reaches(PlannerInfo *root, RelOptInfo *rel)
{
	Candidate  *candidate;
	ListCell   *lc;

	if (is_every_plan_wanted())
		return false;
	/* NOT IN (SELECT ...) may be a join of a pipeline over this relation alone */
	foreach(lc, root->parse->hasSubLinks ? rel->baserestrictinfo : NIL)
		if (contain_subplans((Node *) lfirst_node(RestrictInfo, lc)->clause))
			return false;
	candidate = candidate_minimal(root, rel);
	return candidate != NULL && cost_least(cost_rows(candidate)) >= path_least_scan_cost(rel);
}

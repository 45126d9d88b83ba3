/*
 * floor.c
 *		The least that plans with gpudb nodes can cost, found without compiling what they compute.
 *
 * A pipeline reads one table, and makes join tables of the rows of the others.
 * Those of some may come from a join of PostgreSQL's, which need not read all
 * of them.  So each relation gets a weight, no more than its own rows cost, such
 * that those of the relations of any join weigh no more together than what
 * PostgreSQL's join of them costs.  However the relations are divided among
 * joins and single ones, making their rows costs no less than the sum of the
 * weights: by weak duality, this being the dual of covering them at the least
 * cost (Vazirani 2001, chapter 13).  Weights are given to the dearest relations
 * first.
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
#include "plan/floor.h"
#include "plan/path.h"
#include "plan/pipeline.h"
#include "plan/search.h"

/* Relations times joins for which weights are looked for: with more it would take longer than it saves. */
#define MOST_STEPS	4000

/* How many times as dear a pipeline becomes by filters, mostly. */
#define MOST_BY_FILTERS	2

static const DeviceCost nothing = {0, 0};
static const DeviceCost impossible = {INFINITY, INFINITY};

/* What is known of a base relation as the one that a pipeline reads; NULL if none can. */
static Candidate *
candidate_to_read(PlannerInfo *root, RelOptInfo *rel, FloorDetail detail)
{
	Candidate  *candidate = detail == FLOOR_BARE ? candidate_bare(root, rel) : candidate_of(root, rel);

	return candidate != NULL && candidate->reason == NULL && candidate->qual_reason == NULL && candidate->gates == NIL ? candidate : NULL;
}

/* Whether relations are read of which a bare table tells nothing: the parent of a tree. */
static bool
is_tree(const PlannerInfo *root, const RelOptInfo *rel)
{
	const RangeTblEntry *rte = planner_rt_fetch(rel->relid, root);

	return rte->rtekind == RTE_RELATION && rte->inh;
}

/* Find what reading a base relation costs at least, and making a join's table of its rows. */
static void
find_floor_of_table(PlannerInfo *root, RelOptInfo *rel, FloorDetail detail, TableFloor *floor)
{
	Candidate  *candidate;
	const Candidate *bare;

	*floor = (TableFloor) {nothing, nothing, nothing};
	if (detail == FLOOR_BARE && is_tree(root, rel))
		return;
	candidate = candidate_to_read(root, rel, detail);
	bare = candidate_bare(root, rel);
	if (candidate == NULL)
		floor->pass = impossible;
	else
	{
		floor->pass = cost_pipeline(candidate);
		if (bare != NULL && detail == FLOOR_FILTERED)
			floor->pass.cpu += cost_other_columns(bare, candidate_all_filters(candidate));
		/* the first join goes over all rows, those that no filter lets pass, too */
		if (root->join_rel_list != NIL)
			cost_add(&floor->pass, cost_probe(candidate->rel->tuples, 0, 0));
	}
	if (rel->cheapest_total_path != NULL)
		floor->table = pipeline_least_table(root, rel, candidate, rel->rows);
}

/* A device's part of a cost. */
static Cost *
of_device(DeviceCost *cost, bool gpu)
{
	return gpu ? &cost->gpu : &cost->cpu;
}

/* The relation whose rows are the dearest of some, for a device. */
static int
dearest(TableFloor *floors, const Bitmapset *relids, bool gpu)
{
	int			best = -1;
	int			relid = -1;

	while ((relid = bms_next_member(relids, relid)) >= 0)
		if (best < 0 || *of_device(&floors[relid].table, gpu) > *of_device(&floors[best].table, gpu))
			best = relid;
	return best;
}

/*
 * What each join of PostgreSQL's leaves for the weights of its relations: a
 * table of its rows must gain something.  The join of all is what the floor is
 * compared with, and what one relation's pipeline makes tables of has no part
 * of it.
 */
static Cost *
rooms_of_joins(const PlannerInfo *root, int reader)
{
	Cost	   *room = palloc(sizeof(Cost) * Max(list_length(root->join_rel_list), 1));
	ListCell   *lc;

	foreach(lc, root->join_rel_list)
	{
		const RelOptInfo *joined = lfirst_node(RelOptInfo, lc);
		const bool	counts = !bms_is_member(reader, joined->relids) && !bms_is_subset(root->all_baserels, joined->relids);

		room[foreach_current_index(lc)] = counts ? path_least_cost(joined) / BUSHY_GAIN : INFINITY;
	}
	return room;
}

/* Weigh relations but for the one that is read, for one device: no more than what joins of PostgreSQL's leave of what they cost. */
static void
weigh_for(const PlannerInfo *root, TableFloor *floors, int reader, bool gpu)
{
	Cost	   *room = rooms_of_joins(root, reader);
	Bitmapset  *left = bms_del_member(bms_copy(root->all_baserels), reader);

	while (!bms_is_empty(left))
	{
		const int	relid = dearest(floors, left, gpu);
		Cost	   *weight = of_device(&floors[relid].weight, gpu);
		ListCell   *lc;

		*weight = *of_device(&floors[relid].table, gpu);
		foreach(lc, root->join_rel_list)
			if (bms_is_member(relid, lfirst_node(RelOptInfo, lc)->relids))
				*weight = Min(*weight, room[foreach_current_index(lc)]);
		foreach(lc, root->join_rel_list)
			if (bms_is_member(relid, lfirst_node(RelOptInfo, lc)->relids))
				room[foreach_current_index(lc)] -= isfinite(*weight) ? *weight : 0;
		left = bms_del_member(left, relid);
	}
}

#define NO_READER	0

static void
weigh(const PlannerInfo *root, TableFloor *floors, int reader)
{
	weigh_for(root, floors, reader, false);
	if (device_may_use_gpu())
		weigh_for(root, floors, reader, true);
}

/* The floors of a query level's base relations, without weights. */
static LevelFloor *
find_floors(PlannerInfo *root, FloorDetail detail)
{
	LevelFloor *floors = search_floors(root, detail);
	const LevelFloor *bare = detail == FLOOR_FILTERED ? find_floors(root, FLOOR_BARE) : NULL;
	MemoryContext old;
	int			relid = -1;

	if (floors->table != NULL)
		return floors;
	old = MemoryContextSwitchTo(root->planner_cxt);
	floors->table = palloc0(sizeof(TableFloor) * root->simple_rel_array_size);
	while ((relid = bms_next_member(root->all_baserels, relid)) > 0)
	{
		RelOptInfo *rel = root->simple_rel_array[relid];

		/* a table without filters is as bare as it was */
		if (bare != NULL && rel->baserestrictinfo == NIL && !is_tree(root, rel))
			floors->table[relid] = bare->table[relid];
		else
			find_floor_of_table(root, rel, detail, &floors->table[relid]);
	}
	MemoryContextSwitchTo(old);
	return floors;
}

/* The same with weights; NULL if relations are too many. */
static const TableFloor *
find_weights(PlannerInfo *root, FloorDetail detail)
{
	LevelFloor *floors = find_floors(root, detail);

	if (bms_num_members(root->all_baserels) * list_length(root->join_rel_list) > MOST_STEPS)
		return NULL;
	if (!floors->weighed)
		weigh(root, floors->table, NO_READER);
	floors->weighed = true;
	return floors->table;
}

/* The cost of a pipeline that reads one of some relations: the least, or what it is if no table is made of a join. */
static Cost
cost_of_reader(const TableFloor *floors, const Bitmapset *relids, int reader, bool least)
{
	DeviceCost	cost = floors[reader].pass;
	int			relid = -1;

	while ((relid = bms_next_member(relids, relid)) >= 0)
		if (relid != reader)
			cost_add(&cost, least ? floors[relid].weight : floors[relid].table);
	return cost_least(cost);
}

Cost
floor_of_pipeline(PlannerInfo *root, Relids relids, FloorDetail detail)
{
	const TableFloor *floors = find_weights(root, detail);
	const Bitmapset *bases = bms_intersect(relids, root->all_baserels);
	Cost		least = INFINITY;
	int			relid = -1;

	if (floors == NULL || bms_is_empty(bases))
		return 0;
	while ((relid = bms_next_member(bases, relid)) >= 0)
		least = Min(least, cost_of_reader(floors, bases, relid, true));
	return least;
}

/* The cost of the cheapest pipeline over all relations of which no table is made of a join: none costs less if all do. */
static Cost
cost_of_tables(PlannerInfo *root, FloorDetail detail)
{
	const LevelFloor *floors = find_floors(root, detail);
	Cost		least = INFINITY;
	int			reader = -1;

	while ((reader = bms_next_member(root->all_baserels, reader)) >= 0)
		least = Min(least, cost_of_reader(floors->table, root->all_baserels, reader, false));
	return least;
}

/* Whether a pipeline over all relations that reads a certain one costs so much at least, by weights of its own. */
static bool
is_reader_beyond(PlannerInfo *root, FloorDetail detail, int reader, Cost bound)
{
	const Size	size = sizeof(TableFloor) * root->simple_rel_array_size;
	TableFloor *floors = memcpy(palloc(size), find_floors(root, detail)->table, size);

	weigh(root, floors, reader);
	return cost_of_reader(floors, root->all_baserels, reader, true) >= bound;
}

/* Whether all pipelines over all relations cost so much at least. */
static bool
is_all_beyond(PlannerInfo *root, FloorDetail detail, Cost bound)
{
	const TableFloor *floors = find_weights(root, detail);
	int			reader = -1;

	if (floors == NULL)
		return false;
	while ((reader = bms_next_member(root->all_baserels, reader)) >= 0)
		if (cost_of_reader(floors, root->all_baserels, reader, true) < bound && !is_reader_beyond(root, detail, reader, bound))
			return false;
	return true;
}

/* The least that PostgreSQL's joins of some relations, and of others but not all, cost as a table; INFINITY if there is none. */
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
 * The least cost of a pipeline where conditions of joins have subqueries, which
 * no device runs: it must have PostgreSQL join all relations that these are about.
 */
static Cost
least_with_subplans(PlannerInfo *root)
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
are_all_looked_for(void)
{
	return gpudb_force || decision_is_logged();
}

bool
floor_is_beyond(PlannerInfo *root, const RelOptInfo *rel, Cost bound)
{
	if (are_all_looked_for() || !bms_is_subset(root->all_baserels, rel->relids))
		return false;
	if (root->parse->hasSubLinks && least_with_subplans(root) >= bound)
		return true;
	for (FloorDetail detail = 0; detail < FLOOR_DETAILS; detail++)
	{
		const Cost	tables = cost_of_tables(root, detail);

		/* weights only make it less, and filters hardly so much more */
		if (tables * (detail == FLOOR_BARE ? MOST_BY_FILTERS : 1) < bound)
			return false;
		if (tables >= bound && is_all_beyond(root, detail, bound))
			return true;
	}
	return false;
}

bool
floor_scan_is_beyond(PlannerInfo *root, RelOptInfo *rel)
{
	Candidate  *candidate;
	ListCell   *lc;

	if (are_all_looked_for())
		return false;
	/* NOT IN (SELECT ...) may be a join of a pipeline over this relation alone */
	foreach(lc, root->parse->hasSubLinks ? rel->baserestrictinfo : NIL)
		if (contain_subplans((Node *) lfirst_node(RestrictInfo, lc)->clause))
			return false;
	candidate = candidate_bare(root, rel);
	return candidate != NULL && cost_least(cost_rows(candidate)) >= path_least_scan_cost(rel);
}

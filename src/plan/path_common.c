/*
 * path_common.c
 *		Copies, chooses and offers paths.
 */
#include "postgres.h"

#include <math.h>

#include "miscadmin.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "utils/spccache.h"

#include "device/calibration.h"
#include "guc.h"
#include "plan/cost.h"
#include "plan/lower_bound.h"
#include "plan/path.h"
#include "plan/search.h"

static Size
path_size(const Path *path)
{
	switch (nodeTag(path))
	{
		case T_Path:
			return sizeof(Path);
		case T_IndexPath:
			return sizeof(IndexPath);
		case T_BitmapHeapPath:
			return sizeof(BitmapHeapPath);
		case T_TidPath:
			return sizeof(TidPath);
		case T_TidRangePath:
			return sizeof(TidRangePath);
		case T_AggPath:
			return sizeof(AggPath);
		case T_GroupPath:
			return sizeof(GroupPath);
		case T_NestPath:
			return sizeof(NestPath);
		case T_MergePath:
			return sizeof(MergePath);
		case T_HashPath:
			return sizeof(HashPath);
		default:
			return 0;
	}
}

Path *
path_copy(const Path *path)
{
	Size		size = path_size(path);
	Path	   *copy;

	if (size == 0)
		return NULL;
	copy = palloc(size);
	memcpy(copy, path, size);
	return copy;
}

Path *
path_cheapest(List *paths, bool (*accept) (const Path *path))
{
	Path	   *cheapest = NULL;
	ListCell   *lc;

	foreach(lc, paths)
	{
		Path	   *path = lfirst(lc);

		if (path->param_info != NULL || path_size(path) == 0 || (accept && !accept(path)))
			continue;
		if (cheapest == NULL || path->total_cost < cheapest->total_cost)
			cheapest = path;
	}
	return cheapest;
}

/*
 * Return a copy of a path with the path at a given offset in it changed; the
 * path itself if that does not change.  A copy that comes in the order of its
 * input loses its pathkeys if that order is lost.
 */
static Path *
change_at(Path *path, Size size, Size offset, PathChange change, void *arg)
{
	Path	   *below = *(Path **) ((char *) path + offset);
	Path	   *changed = change(below, arg);
	Path	   *copy;

	if (changed == below)
		return path;
	copy = palloc(size);
	memcpy(copy, path, size);
	*(Path **) ((char *) copy + offset) = changed;
	if (below->pathkeys != NIL && changed->pathkeys == NIL && !IsA(path, SortPath) && !IsA(path, MergePath))
		copy->pathkeys = NIL;
	copy->total_cost += changed->total_cost - below->total_cost;
	copy->startup_cost = Min(copy->startup_cost, copy->total_cost);
	return copy;
}

#define CHANGE(path, type, field) change_at(path, sizeof(type), offsetof(type, field), change, arg)

Path *
path_change_below(Path *path, PathsBelow which, PathChange change, void *arg)
{
	const bool	all = which == PATH_ALL_BELOW;

	switch (nodeTag(path))
	{
		case T_NestPath:
			path = CHANGE(path, NestPath, jpath.outerjoinpath);
			return all ? CHANGE(path, NestPath, jpath.innerjoinpath) : path;
		case T_MergePath:
			if (all || ((MergePath *) path)->outersortkeys != NIL)
				path = CHANGE(path, MergePath, jpath.outerjoinpath);
			return all || ((MergePath *) path)->innersortkeys != NIL ? CHANGE(path, MergePath, jpath.innerjoinpath) : path;
		case T_HashPath:
			path = CHANGE(path, HashPath, jpath.outerjoinpath);
			return CHANGE(path, HashPath, jpath.innerjoinpath);
		case T_MaterialPath:
			return CHANGE(path, MaterialPath, subpath);
		case T_MemoizePath:
			return all ? CHANGE(path, MemoizePath, subpath) : path;
		case T_UniquePath:
			return all ? CHANGE(path, UniquePath, subpath) : path;
		case T_SortPath:
			return CHANGE(path, SortPath, subpath);
		case T_ProjectionPath:
			return CHANGE(path, ProjectionPath, subpath);
		default:
			return path;
	}
}

void
path_group_keys(PlannerInfo *root, List *clauses, List **keys, List **of_keys)
{
	ListCell   *lc;

	*keys = *of_keys = NIL;
	foreach(lc, clauses)
	{
		Node	   *key = get_sortgroupclause_expr(lfirst(lc), root->processed_tlist);

		if (list_member(*keys, key))
			continue;
		*keys = lappend(*keys, key);
		*of_keys = lappend(*of_keys, lfirst(lc));
	}
}

Cost
path_least_cost(const RelOptInfo *rel)
{
	Cost		least = INFINITY;
	ListCell   *lc;

	foreach(lc, rel->pathlist)
	{
		const Path *path = lfirst(lc);

		if (path->param_info == NULL)
			least = Min(least, path->total_cost);
	}
	return least;
}

Cost
path_page_surcharge(PlannerInfo *root, const RelOptInfo *rel, Cost resident)
{
	const Cost	least = path_least_cost(rel);
	ListCell   *lc;

	foreach(lc, resident > 0 ? rel->pathlist : NIL)
	{
		const Path *path = lfirst(lc);

		if (path->param_info == NULL && path->total_cost == least)
			return Max(resident - cost_of_pages(root, path), 0);
	}
	return 0;
}

bool
path_bound_reaches(PlannerInfo *root, RelOptInfo *input_rel, const RelOptInfo *output_rel, Cost cost)
{
	const Candidate *minimal;
	Cost		surcharge;

	if (!lower_bound_reaches(root, input_rel, cost))
		return false;
	minimal = IS_SIMPLE_REL(input_rel) ? candidate_minimal(root, input_rel) : NULL;
	surcharge = minimal != NULL ? path_page_surcharge(root, output_rel, cost_resident_pages(minimal)) : 0;
	return surcharge == 0 || lower_bound_reaches(root, input_rel, cost + surcharge);
}

Cost
path_least_scan_cost(const RelOptInfo *rel)
{
	Cost		least = path_least_cost(rel);
	ListCell   *lc;

	/* cost of the Gather, as in cost_gather() */
	foreach(lc, rel->consider_parallel ? rel->partial_pathlist : NIL)
		least = Min(least, ((const Path *) lfirst(lc))->total_cost + parallel_setup_cost + parallel_tuple_cost * rel->rows);
	return least;
}

/*
 * Return true if a query level is run repeatedly, with values of outer levels.
 * PostgreSQL has noted these values among the plan_params of the levels they
 * come from.
 */
static bool
is_correlated(const PlannerInfo *root)
{
	for (const PlannerInfo *outer = root->parent_root; outer != NULL; outer = outer->parent_root)
		if (outer->plan_params != NIL)
			return true;
	return false;
}

/*
 * Factor by which a path must be cheaper than PostgreSQL's where it is run
 * repeatedly, and its cost then, as a part of the cost of PostgreSQL's
 * cheapest path.
 */
#define RERUN_GAIN		2
#define RERUN_COST		0.98

/* Nanoseconds of accessing a row on a page in shared_buffers that no processor cache holds. */
#define PAGE_AGAIN_NS	1000

/*
 * Return the cost of a PostgreSQL path that is run repeatedly.  PostgreSQL
 * counts a page read from disk for each row that an index leads to, but mostly
 * these pages are in shared_buffers.
 */
static Cost
cost_of_rerun(PlannerInfo *root, const Path *path)
{
	const Path *below;
	double		random;
	double		again;
	double		pages;

	check_stack_depth();
	switch (nodeTag(path))
	{
		case T_AggPath:
			below = ((const AggPath *) path)->subpath;
			break;
		case T_ProjectionPath:
			below = ((const ProjectionPath *) path)->subpath;
			break;
		case T_SortPath:
			below = ((const SortPath *) path)->subpath;
			break;
		case T_LimitPath:
			below = ((const LimitPath *) path)->subpath;
			break;
		case T_IndexPath:
		case T_BitmapHeapPath:
			get_tablespace_page_costs(path->parent->reltablespace, &random, NULL);
			pages = Min(path->rows, path->parent->pages) * cost_resident_part(root, path->parent);
			again = PAGE_AGAIN_NS / calibration_figure(FIGURE_pg_unit);
			/* adjacent pages were counted as less than `random` */
			return Max(path->total_cost - pages * random, Min(PATH_INDEX_DESCENT, path->total_cost)) + Min(pages * again, path->total_cost);
		default:
			return path->total_cost;
	}
	return path->total_cost - below->total_cost + cost_of_rerun(root, below);
}

/*
 * Make a path for a correlated level cost about what PostgreSQL's cheapest
 * costs; return false if it is not much cheaper than that.  PostgreSQL
 * compares the cost of one run with that of a hashed form of the subquery,
 * without knowing how often it will be run: with its own costs that comparison
 * comes out as it does without gpudb.
 */
static bool
price_rerun(PlannerInfo *root, const RelOptInfo *rel, Path *path)
{
	const Cost	cheapest = path_least_cost(rel);
	Cost		rerun = cheapest;
	ListCell   *lc;

	if (isinf(cheapest))
		return true;
	foreach(lc, rel->pathlist)
		if (((const Path *) lfirst(lc))->param_info == NULL)
			rerun = Min(rerun, cost_of_rerun(root, lfirst(lc)));
	if (path->total_cost * RERUN_GAIN > rerun)
		return false;
	path->total_cost = cheapest * RERUN_COST;
	return true;
}

void
path_offer(PlannerInfo *root, RelOptInfo *rel, Path *path)
{
	if (gpudb_force)
	{
		rel->pathlist = NIL;
		rel->partial_pathlist = NIL;
	}
	else if (is_correlated(root) && !price_rerun(root, rel, path))
		return;
	if (search_is_worth(root, rel))
		add_path(rel, path);
}

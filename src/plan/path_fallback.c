/*
 * path_fallback.c
 *		Chooses PostgreSQL's own join as the fallback of a GpuJoin.
 *
 * The fallback runs when something was not as the planner expected, which may
 * be the number of rows, too.  A nested loop that goes through all inner rows
 * for each outer one is chosen where one outer row is expected; with a million
 * outer rows it would not end in acceptable time.  A hash join in its place
 * takes hardly longer in the first case.
 *
 * The inputs of PostgreSQL's join may be the rows of further GpuJoins, each
 * with a fallback of its own.  A fallback has these fallbacks in their places:
 * otherwise a plan would double with each join, since its inputs stand in the
 * fallback and among the build plans of join tables.
 */
#include "postgres.h"

#include "optimizer/cost.h"
#include "optimizer/pathnode.h"

#include "plan/path.h"

static bool
is_not_ours(const Path *path)
{
	return !path_is_gpu_join(path);
}

/* Return PostgreSQL's cheapest join, which may be known only as the fallback of a GpuJoin. */
static Path *
cheapest_of_postgres(List *paths)
{
	Path	   *cheapest = path_cheapest(paths, is_not_ours);
	ListCell   *lc;

	foreach(lc, paths)
	{
		Path	   *path = lfirst(lc);

		if (is_not_ours(path))
			continue;
		path = linitial(((CustomPath *) path)->custom_paths);
		if (cheapest == NULL || path->total_cost < cheapest->total_cost)
			cheapest = path;
	}
	return cheapest;
}

/* Return true if a condition is an equality of an expression over one side with an expression over the other. */
static bool
is_between(const RestrictInfo *clause, const RelOptInfo *left, const RelOptInfo *right)
{
	return (bms_is_subset(clause->left_relids, left->relids) && bms_is_subset(clause->right_relids, right->relids)) ||
		(bms_is_subset(clause->left_relids, right->relids) && bms_is_subset(clause->right_relids, left->relids));
}

/* Return the conditions by which a hash join would look up rows. */
static List *
hash_clauses(const JoinPath *join)
{
	List	   *clauses = NIL;
	ListCell   *lc;

	foreach(lc, join->joinrestrictinfo)
	{
		RestrictInfo *clause = lfirst(lc);

		if (!clause->can_join || !OidIsValid(clause->hashjoinoperator) ||
			(IS_OUTER_JOIN(join->jointype) && RINFO_IS_PUSHED_DOWN(clause, join->path.parent->relids)))
			continue;
		if (is_between(clause, join->outerjoinpath->parent, join->innerjoinpath->parent))
			clauses = lappend(clauses, clause);
	}
	return clauses;
}

/* Return a hash join of the inputs of a join; NULL if it has no hashable conditions. */
static Path *
as_hash_join(PlannerInfo *root, const JoinPath *join)
{
	Path	   *inner = join->innerjoinpath;
	List	   *clauses = hash_clauses(join);
	JoinPathExtraData extra = {.restrictlist = join->joinrestrictinfo, .inner_unique = join->inner_unique};
	JoinCostWorkspace workspace;

	if (clauses == NIL)
		return NULL;
	if (IsA(inner, MaterialPath))
		inner = ((MaterialPath *) inner)->subpath;
	initial_cost_hashjoin(root, &workspace, join->jointype, clauses, join->outerjoinpath, inner, &extra, false);
	return (Path *) create_hashjoin_path(root, join->path.parent, join->jointype, &workspace, &extra, join->outerjoinpath, inner,
										 false, join->joinrestrictinfo, NULL, clauses);
}

/* Return a path with its GpuJoins replaced by their fallbacks, as far as it joins relations or stands between joins. */
static Path *
without_joins(Path *path, void *arg)
{
	return path_is_gpu_join(path) ? linitial(((CustomPath *) path)->custom_paths) : path_change_below(path, PATH_ALL_BELOW, without_joins, arg);
}

Path *
path_fallback_of_join(PlannerInfo *root, List *paths)
{
	Path	   *cheapest = cheapest_of_postgres(paths);
	Path	   *hashed = NULL;

	/* an inner side with parameters is looked up, not scanned */
	if (enable_hashjoin && cheapest != NULL && IsA(cheapest, NestPath) && ((JoinPath *) cheapest)->innerjoinpath->param_info == NULL)
		hashed = as_hash_join(root, (const JoinPath *) cheapest);
	if (hashed == NULL)
		hashed = cheapest;
	return hashed != NULL ? without_joins(hashed, NULL) : NULL;
}

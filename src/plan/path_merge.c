/*
 * path_merge.c
 *		Adds PostgreSQL's merge joins of inputs that GpuSorts have sorted.
 *
 * PostgreSQL considers merge joins with its own Sorts, and discards those that
 * lose against a hash join.  With GpuSorts they may win.  Unlike PostgreSQL,
 * which tries an order for each of the conditions, path_merge_add() offers one
 * of them.  A GpuSort cannot mark and restore a row; PostgreSQL puts a
 * Material above it where that is needed.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "optimizer/restrictinfo.h"
#include "parser/parsetree.h"

#include "guc.h"
#include "plan/cost.h"
#include "plan/path.h"
#include "plan/path_sort_private.h"
#include "plan/pipeline.h"
#include "plan/search.h"

/*
 * Number of rows below which no merge join is considered: sorting few rows is
 * cheap, and their queries must be planned fast.
 */
#define LEAST_ROWS	10000

/* Sort orders of a merge join's inputs and of its result. */
typedef struct MergeOrder
{
	List	   *clauses;
	List	   *outer;
	List	   *inner;
	List	   *joined;
} MergeOrder;

/* Return true if a merge join is possible by PostgreSQL's rules. */
static bool
can_merge(const RelOptInfo *joined, JoinType type, const JoinPathExtraData *extra)
{
	ListCell   *lc;

	if (extra->mergeclause_list == NIL || type == JOIN_UNIQUE_OUTER || type == JOIN_UNIQUE_INNER)
		return false;
	if (type != JOIN_FULL && type != JOIN_RIGHT)
		return true;
	/* rows without a match are known only if all conditions are in the order */
	foreach(lc, extra->restrictlist)
		if (!RINFO_IS_PUSHED_DOWN(lfirst_node(RestrictInfo, lc), joined->relids) && !list_member_ptr(extra->mergeclause_list, lfirst(lc)))
			return false;
	return true;
}

/* Set in the clauses which side is the outer one, as PostgreSQL does for the current pair only. */
static void
set_sides(const JoinPathExtraData *extra, const RelOptInfo *outer)
{
	ListCell   *lc;

	foreach(lc, extra->mergeclause_list)
	{
		RestrictInfo *clause = lfirst_node(RestrictInfo, lc);

		clause->outer_is_left = bms_is_subset(clause->left_relids, outer->relids);
	}
}

/* Return the order that is useful to most of the query. */
static MergeOrder
choose_order(PlannerInfo *root, RelOptInfo *joined, JoinType type, const JoinPathExtraData *extra)
{
	MergeOrder	order;

	order.outer = select_outer_pathkeys_for_merge(root, extra->mergeclause_list, joined);
	order.clauses = find_mergeclauses_for_outer_pathkeys(root, order.outer, extra->mergeclause_list);
	order.inner = make_inner_pathkeys_for_merge(root, order.clauses, order.outer);
	order.joined = build_join_pathkeys(root, joined, type, order.outer);
	return order;
}

/* The plan nodes above a merge join that may profit from its order. */
typedef enum OrderUse
{
	USED_BY_NOTHING,
	USED_BY_JOINS,				/* merge joins with other relations */
	USED_BY_QUERY				/* sorting or grouping of the query's rows */
} OrderUse;

/* Return the use of the order in which a merge join returns its rows. */
static OrderUse
use_of_order(const PlannerInfo *root, const RelOptInfo *joined, const JoinPathExtraData *extra)
{
	OrderUse	use = USED_BY_NOTHING;
	ListCell   *lc;
	ListCell   *key;

	foreach(lc, extra->mergeclause_list)
	{
		const RestrictInfo *clause = lfirst_node(RestrictInfo, lc);

		/* both sides are of one equivalence class, unless the join is an outer one */
		if (clause->left_ec == NULL || clause->left_ec != clause->right_ec || !bms_is_subset(clause->left_ec->ec_relids, joined->relids))
			use = USED_BY_JOINS;
		foreach(key, root->query_pathkeys)
			if (lfirst_node(PathKey, key)->pk_eclass == clause->left_ec || lfirst_node(PathKey, key)->pk_eclass == clause->right_ec)
				return USED_BY_QUERY;
	}
	return use;
}

/*
 * Sort a path by a GpuSort if that costs less than PostgreSQL's Sort; return
 * true if it does.  *pathkeys becomes the order that PostgreSQL has to sort
 * by: NIL, if the path is in that order already or now.
 */
static bool
sorted_by_us(PlannerInfo *root, Path **path, List **pathkeys)
{
	SortPath   *sort = NULL;
	Path	   *ours = NULL;

	if (pathkeys_contained_in(*pathkeys, (*path)->pathkeys))
		*pathkeys = NIL;
	else
	{
		sort = create_sort_path(root, (*path)->parent, *path, *pathkeys, -1);
		ours = path_sort_create(root, sort, 0);
	}
	if (ours == NULL || ours->total_cost >= sort->path.total_cost)
		return false;
	*path = ours;
	*pathkeys = NIL;
	return true;
}

/*
 * Return a lower bound of the cost of a path's rows in a certain order, sorted
 * by PostgreSQL or by a GpuSort if need be.
 */
static Cost
least_in_order(const Path *path, const List *pathkeys)
{
	if (pathkeys_contained_in((List *) pathkeys, path->pathkeys))
		return path->total_cost;
	return path->total_cost - path_scan_saved(path) + Min(cost_comparisons(path->rows), cost_sorted_out(path->rows, list_length(path->pathtarget->exprs)));
}

/*
 * Return the cost of joining the relations in the cheapest way and sorting the
 * result, by PostgreSQL or, below another merge join, by a GpuSort.  A merge
 * join that costs more is not worth its order.
 */
static Cost
cost_sorted_later(PlannerInfo *root, const RelOptInfo *joined, OrderUse use)
{
	const int	ncolumns = list_length(joined->reltarget->exprs);
	const Cost	least = path_least_cost(joined);
	Path		sorted;

	cost_sort(&sorted, root, NIL, least, joined->rows, joined->reltarget->width, 0, work_mem, -1);
	if (use == USED_BY_QUERY)
		return sorted.total_cost;
	return Min(sorted.total_cost, least + cost_sorting(joined->rows, ncolumns, false) + cost_sorted_out(joined->rows, ncolumns));
}

/* Return true if a merge join is of no use, given lower bounds of its costs without the cost of its rows. */
static bool
is_in_vain(PlannerInfo *root, RelOptInfo *joined, Cost startup, Cost total, const MergeOrder *order, OrderUse use)
{
	total += joined->rows * cpu_tuple_cost;
	return !add_path_precheck(joined, startup, total, order->joined, NULL) || (order->joined != NIL && total >= cost_sorted_later(root, joined, use));
}

/*
 * Factor by which a pipeline must look cheaper than PostgreSQL's joins for no
 * merge join to be considered: its rows must be returned, too.
 */
#define CLEARLY_CHEAPER	2

/*
 * Return true if a device can join the relations without sorting either side,
 * even at a higher cost than PostgreSQL's.
 */
static bool
is_joined_by_us(const Candidate *candidate)
{
	const char *reason = candidate == NULL ? "expression" : candidate->reason != NULL ? candidate->reason : candidate->rows_reason;

	return reason == NULL || strcmp(reason, "cost") == 0;
}

/*
 * Return true if a pipeline is so much cheaper than PostgreSQL's joins that a
 * merge join of GpuSorts is not worth considering.
 */
static bool
is_clearly_ours(Candidate *candidate, const RelOptInfo *joined)
{
	return candidate != NULL && is_joined_by_us(candidate) && candidate->reason == NULL && path_join_may_be_cheaper(candidate, joined, CLEARLY_CHEAPER);
}

/* Return true if all relations of a join are tables. */
static bool
are_tables(const PlannerInfo *root, const RelOptInfo *joined)
{
	int			relid = -1;

	while ((relid = bms_next_member(joined->relids, relid)) > 0)
		/* outer joins have range table indexes, too */
		if (root->simple_rel_array[relid] != NULL && !candidate_is_of_table(root->simple_rel_array[relid], planner_rt_fetch(relid, root)))
			return false;
	return true;
}

/*
 * Return true if a device can certainly join a pair, without examining it: its
 * relations are tables, joined by integers.
 */
static bool
is_plainly_ours(const PlannerInfo *root, const JoinPair *pair)
{
	return pipeline_takes_plainly(pair) && are_tables(root, pair->joined);
}

void
path_merge_add(PlannerInfo *root, RelOptInfo *joined, const JoinPair *pair)
{
	JoinPathExtraData *extra = (JoinPathExtraData *) pair->extra;
	Path	   *outer = pair->outer->cheapest_total_path;
	Path	   *inner = pair->inner->cheapest_total_path;
	Candidate  *candidate = search_find(root, joined->relids);
	MergeOrder	order;
	OrderUse	use;
	bool		ours;
	bool		sorts;
	JoinCostWorkspace workspace;

	/* inputs that need values of the other side cannot be sorted first */
	if (!gpudb_enabled || pair->outer->rows + pair->inner->rows < LEAST_ROWS || !can_merge(joined, pair->type, extra) ||
		outer->param_info != NULL || inner->param_info != NULL || !search_is_worth(root, joined) || is_clearly_ours(candidate, joined))
		return;
	/* a merge join whose order nothing above it uses is considered only where no device joins the relations */
	ours = candidate != NULL ? is_joined_by_us(candidate) : is_plainly_ours(root, pair);
	use = use_of_order(root, joined, extra);
	if (ours && use == USED_BY_NOTHING)
		return;
	if (outer->total_cost + inner->total_cost - path_scan_saved(outer) - path_scan_saved(inner) + joined->rows * cpu_tuple_cost >= cost_sorted_later(root, joined, use))
		return;
	set_sides(extra, pair->outer);
	order = choose_order(root, joined, pair->type, extra);
	if (is_in_vain(root, joined, 0, least_in_order(outer, order.outer) + least_in_order(inner, order.inner), &order, use))
		return;
	if (ours && order.joined == NIL)
		return;
	sorts = sorted_by_us(root, &outer, &order.outer);
	sorts |= sorted_by_us(root, &inner, &order.inner);
	if (!sorts || !path_may_sort(root))
		return;
	initial_cost_mergejoin(root, &workspace, pair->type, order.clauses, outer, inner, order.outer, order.inner, extra);
	if (is_in_vain(root, joined, workspace.startup_cost, workspace.total_cost, &order, use))
		return;
	if (order.joined == NIL && candidate == NULL && !pipeline_has_subplans(root, pair))
	{
		(void) pipeline_catch_up(root);
		if (is_joined_by_us(search_find(root, joined->relids)))
			return;
	}
	add_path(joined, (Path *) create_mergejoin_path(root, joined, pair->type, &workspace, extra, outer, inner, extra->restrictlist,
													order.joined, NULL, order.clauses, order.outer, order.inner));
}

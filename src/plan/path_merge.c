/*
 * path_merge.c
 *		PostgreSQL's merge joins of what GpuSorts have put in order.
 *
 * PostgreSQL weighs merge joins with its own Sorts, and forgets those that lose
 * against a hash join.  With GpuSorts they may win.  Other than PostgreSQL, which
 * tries an order for each of the conditions, this offers one of them.  A
 * GpuSort cannot go back to a row that was marked; PostgreSQL puts a Material
 * above where that is wanted.
 */
#include "postgres.h"

#include "optimizer/cost.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "optimizer/restrictinfo.h"

#include "guc.h"
#include "plan/path.h"
#include "plan/path_sort_private.h"
#include "plan/pipeline.h"
#include "plan/search.h"

/* How a few rows are put in order does not matter, and queries of few rows are to be planned fast. */
#define LEAST_ROWS	10000

/* The orders of what is joined, and of what comes out. */
typedef struct MergeOrder
{
	List	   *clauses;
	List	   *outer;
	List	   *inner;
	List	   *joined;
} MergeOrder;

/* Whether a merge join can be: PostgreSQL's rules. */
static bool
can_merge(const RelOptInfo *joined, JoinType type, const JoinPathExtraData *extra)
{
	ListCell   *lc;

	if (extra->mergeclause_list == NIL || type == JOIN_UNIQUE_OUTER || type == JOIN_UNIQUE_INNER)
		return false;
	if (type != JOIN_FULL && type != JOIN_RIGHT)
		return true;
	/* rows that meet none are known only if all conditions are in the order */
	foreach(lc, extra->restrictlist)
		if (!RINFO_IS_PUSHED_DOWN(lfirst_node(RestrictInfo, lc), joined->relids) && !list_member_ptr(extra->mergeclause_list, lfirst(lc)))
			return false;
	return true;
}

/* Note in the clauses which side is the outer one, as PostgreSQL does for the pair at hand only. */
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

/* The order that serves most of the query. */
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

/*
 * A relation's cheapest rows, in an order by a GpuSort if that costs less than
 * PostgreSQL's Sort.  *pathkeys become what PostgreSQL has to sort: nothing, if
 * they are in that order already or now.  Whether there is a GpuSort.
 */
static bool
sorted_by_us(PlannerInfo *root, const RelOptInfo *rel, Path **path, List **pathkeys)
{
	SortPath   *sort = NULL;
	Path	   *ours = NULL;

	*path = rel->cheapest_total_path;
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

/* How much cheaper than PostgreSQL's joins a pipeline must look for no merge join to be looked for: its rows must go out, too. */
#define CLEARLY_CHEAPER	2

/* Whether a device can join the relations, be it for more than PostgreSQL does, and sorts neither side for it. */
static bool
is_joined_by_us(const Candidate *candidate)
{
	const char *reason = candidate == NULL ? "expression" : candidate->reason != NULL ? candidate->reason : candidate->rows_reason;

	return reason == NULL || strcmp(reason, "cost") == 0;
}

void
path_merge_add(PlannerInfo *root, RelOptInfo *joined, const RelOptInfo *outer, const RelOptInfo *inner, JoinType type, JoinPathExtraData *extra)
{
	Candidate  *candidate;
	MergeOrder	order;
	Path	   *outer_path;
	Path	   *inner_path;
	bool		ours;
	JoinCostWorkspace workspace;

	/* what needs values of the other side cannot be sorted before */
	if (!gpudb_enabled || outer->rows + inner->rows < LEAST_ROWS || !can_merge(joined, type, extra) ||
		outer->cheapest_total_path->param_info != NULL || inner->cheapest_total_path->param_info != NULL || !search_is_worth(root, joined))
		return;
	candidate = search_find(root, joined->relids);
	if (is_joined_by_us(candidate) && candidate->reason == NULL && path_join_may_be_cheaper(candidate, joined, CLEARLY_CHEAPER))
		return;
	set_sides(extra, outer);
	order = choose_order(root, joined, type, extra);
	/* for an order that nothing above it uses, a merge join is looked for only where no device joins the relations */
	if (order.joined == NIL && is_joined_by_us(candidate))
		return;
	ours = sorted_by_us(root, outer, &outer_path, &order.outer);
	ours |= sorted_by_us(root, inner, &inner_path, &order.inner);
	/* path_may_sort() walks the whole query, and few pairs come this far */
	if (!ours || !path_may_sort(root))
		return;
	initial_cost_mergejoin(root, &workspace, type, order.clauses, outer_path, inner_path, order.outer, order.inner, extra);
	add_path(joined, (Path *) create_mergejoin_path(root, joined, type, &workspace, extra, outer_path, inner_path, extra->restrictlist,
													order.joined, NULL, order.clauses, order.outer, order.inner));
}

/*
 * path_window.c
 *		GpuSort in place of PostgreSQL's Sorts below window functions, which it may compute, too.
 */
#include "postgres.h"

#include "nodes/makefuncs.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/tlist.h"

#include "exec/sort/windows.h"
#include "guc.h"
#include "plan/cost.h"
#include "plan/path.h"
#include "plan/path_sort_private.h"

/*
 * Return a Sort of all rows, which a GpuSort may replace, in place of a Gather Merge of rows that workers sort; other
 * paths as they are.
 */
static const Path *
sorted_at_once(PlannerInfo *root, RelOptInfo *input_rel, const Path *path)
{
	if (!IsA(path, GatherMergePath) || !IsA(((const GatherMergePath *) path)->subpath, SortPath))
		return path;
	return (Path *) create_sort_path(root, input_rel, input_rel->cheapest_total_path, path->pathkeys, -1);
}

/* Return a copy of a path with GpuSorts for its Sorts, the lowest reading the cheaper input; NULL if that fails. */
static Path *
replace_sorts(PlannerInfo *root, RelOptInfo *input_rel, const Path *path)
{
	const SortPath *sort = (const SortPath *) path;
	const WindowAggPath *window = (const WindowAggPath *) path;
	const ProjectionPath *projection = (const ProjectionPath *) path;
	Path	   *below;
	Path	   *best = NULL;
	ListCell   *lc;

	switch (nodeTag(path))
	{
		case T_WindowAggPath:
			below = replace_sorts(root, input_rel, window->subpath);
			if (below == NULL)
				return NULL;
			best = palloc(sizeof(WindowAggPath));
			memcpy(best, path, sizeof(WindowAggPath));
			((WindowAggPath *) best)->subpath = below;
			best->startup_cost += below->startup_cost - window->subpath->startup_cost;
			best->total_cost += below->total_cost - window->subpath->total_cost;
			return best;
		case T_ProjectionPath:
			below = replace_sorts(root, input_rel, projection->subpath);
			return below != NULL ? (Path *) create_projection_path(root, path->parent, below, path->pathtarget) : NULL;
		case T_GatherMergePath:
			sort = (const SortPath *) sorted_at_once(root, input_rel, path);
			return &sort->path != path ? replace_sorts(root, input_rel, &sort->path) : NULL;
		case T_SortPath:
			/* the cheapest path may be a Gather Merge's: the Sort that sorts its rows at once reads that path again */
			below = sort->subpath != input_rel->cheapest_total_path ? replace_sorts(root, input_rel, sort->subpath) : NULL;
			if (below != NULL)
				return path_sort_create(root, create_sort_path(root, path->parent, below, path->pathkeys, -1), 0);
			foreach(lc, sort->subpath == input_rel->cheapest_total_path ? path_below_sort(root, input_rel) : list_make1(sort->subpath))
			{
				Path	   *sorted = path_sort_create(root, create_sort_path(root, path->parent, lfirst(lc), path->pathkeys, -1), 0);

				if (best == NULL || (sorted != NULL && sorted->total_cost < best->total_cost))
					best = sorted;
			}
			return best;
		default:
			return NULL;
	}
}

/* Return true if all expressions are columns of the sort's target. */
static bool
are_sorted(const List *exprs, const PathTarget *sorted)
{
	ListCell   *lc;

	foreach(lc, exprs)
		if (lfirst(lc) != NULL && !list_member(sorted->exprs, lfirst(lc)))
			return false;
	return true;
}

static List *
exprs_of_clauses(const PlannerInfo *root, List *clauses)
{
	return get_sortgrouplist_exprs(clauses, root->processed_tlist);
}

/* Return custom_private for a path of window functions; NIL if a GpuSort cannot compute one of them. */
static List *
describe_window(const PlannerInfo *root, const WindowAggPath *window)
{
	const PathTarget *sorted = window->subpath->pathtarget;
	List	   *functions = pull_var_clause((Node *) window->path.pathtarget->exprs, PVC_INCLUDE_AGGREGATES | PVC_INCLUDE_WINDOWFUNCS | PVC_INCLUDE_PLACEHOLDERS);
	List	   *partition = exprs_of_clauses(root, window->winclause->partitionClause);
	List	   *order = exprs_of_clauses(root, window->winclause->orderClause);
	List	   *of_window = NIL;
	List	   *calls = NIL;
	List	   *arguments = NIL;
	List	   *private;
	ListCell   *lc;

	foreach(lc, functions)
	{
		WindowFunc *function = lfirst(lc);
		WindowCall	call;
		Expr	   *argument;

		if (!IsA(function, WindowFunc) || list_member(of_window, function))
			continue;
		if (function->winref != window->winclause->winref || !window_function(function, window->winclause, &call, &argument))
			return NIL;
		of_window = lappend(of_window, function);
		calls = lappend(calls, window_call_list(&call));
		arguments = lappend(arguments, argument);
	}
	if (!are_sorted(partition, sorted) || !are_sorted(order, sorted) || !are_sorted(arguments, sorted))
		return NIL;
	private = path_sort_private(0, partition, order);
	lfirst(list_nth_cell(private, PATH_FUNCTIONS)) = of_window;
	lfirst(list_nth_cell(private, PATH_CALLS)) = calls;
	lfirst(list_nth_cell(private, PATH_ARGUMENTS)) = arguments;
	return private;
}

/* Return a GpuSort that also computes window functions, in place of a WindowAgg over a Sort; NULL if it cannot. */
static Path *
create_window(PlannerInfo *root, RelOptInfo *input_rel, const WindowAggPath *window)
{
	const SortPath *sort = (const SortPath *) sorted_at_once(root, input_rel, window->subpath);
	const double rows = window->path.rows;
	List	   *private;
	WindowAggPath *fallback;
	CustomPath *path;

	if (!IsA(sort, SortPath) || window->qual != NIL || path_sort_needs_runs(sort))
		return NULL;
	private = describe_window(root, window);
	path = private != NIL ? (CustomPath *) replace_sorts(root, input_rel, &sort->path) : NULL;
	if (path == NULL)
		return NULL;
	fallback = makeNode(WindowAggPath);
	memcpy(fallback, window, sizeof(WindowAggPath));
	fallback->subpath = linitial(path->custom_paths);
	path->flags = 0;
	path->path.parent = window->path.parent;
	path->path.pathtarget = window->path.pathtarget;
	path->path.total_cost += cost_sorted_out(rows, list_length(list_nth(private, PATH_FUNCTIONS))) + window->path.pathtarget->cost.per_tuple * rows;
	path->custom_paths = list_make1(fallback);
	/* PostgreSQL's WindowAgg ends a partition early by runCondition; a GpuSort drops the rows that do not meet it */
	lfirst(list_nth_cell(private, PATH_HAVING)) = window->winclause->runCondition;
	path->custom_private = private;
	return &path->path;
}

void
path_window_add(PlannerInfo *root, RelOptInfo *input_rel, RelOptInfo *output_rel)
{
	const Path *cheapest = NULL;
	Path	   *path = NULL;
	ListCell   *lc;

	if (!path_may_sort(root))
		return;
	foreach(lc, output_rel->pathlist)
	{
		const Path *other = lfirst(lc);

		if (other->param_info == NULL && (cheapest == NULL || other->total_cost < cheapest->total_cost))
			cheapest = other;
	}
	if (cheapest == NULL)
		return;
	if (IsA(cheapest, WindowAggPath))
		path = create_window(root, input_rel, (const WindowAggPath *) cheapest);
	if (path == NULL)
		path = replace_sorts(root, input_rel, cheapest);
	if (path != NULL)
		path_offer(root, output_rel, path);
}

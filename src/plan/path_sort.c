/*
 * path_sort.c
 *		GpuSort in place of PostgreSQL's Sorts: below ORDER BY, for DISTINCT, and in place of a Limit.
 *
 * Its path has a SortPath, which says what is sorted and by what, and is the fallback.  Where PostgreSQL would sort a
 * relation that it reads by itself, the relation may as well be read by a GpuScan that PostgreSQL has found too
 * expensive: one whose rows are collected as columns costs less than it does alone.
 */
#include "postgres.h"

#include <limits.h>

#include "catalog/pg_am.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "optimizer/planmain.h"
#include "optimizer/tlist.h"
#include "utils/lsyscache.h"
#include "utils/selfuncs.h"
#include "utils/typcache.h"

#include "core/sort/sort_rows.h"
#include "device/device.h"
#include "exec/run/node.h"
#include "exec/sort/collated.h"
#include "exec/sort/exec_sort.h"
#include "exec/sort/stored_rows.h"
#include "exec/sort/windows.h"
#include "guc.h"
#include "plan/cost.h"
#include "plan/path.h"
#include "plan/path_sort_private.h"
#include "plan/search.h"
#include "tablet/cache/dict.h"

/* Return the numbers of expressions in a target list. */
static List *
numbers_of(const List *exprs, List *tlist)
{
	List	   *numbers = NIL;
	ListCell   *lc;

	foreach(lc, exprs)
	{
		const TargetEntry *entry = tlist_member(lfirst(lc), tlist);

		if (entry == NULL)
			elog(ERROR, "gpudb: a column of a window is not sorted");
		numbers = lappend_int(numbers, entry->resno);
	}
	return numbers;
}

/* Return the calls of window functions, by the numbers of their arguments' columns; append the functions to *tlist. */
static List *
plan_calls(const List *private, List **tlist)
{
	List	   *sorted = list_copy(*tlist);
	List	   *calls = NIL;
	ListCell   *lc;

	foreach(lc, list_nth(private, PATH_FUNCTIONS))
	{
		const int	c = foreach_current_index(lc);
		List	   *call = list_copy(list_nth(list_nth(private, PATH_CALLS), c));
		Expr	   *argument = list_nth(list_nth(private, PATH_ARGUMENTS), c);

		if (argument != NULL)
			lfirst_int(list_nth_cell(call, 1)) = linitial_int(numbers_of(list_make1(argument), sorted)) - 1;
		calls = lappend(calls, call);
		*tlist = lappend(*tlist, makeTargetEntry(copyObject(lfirst(lc)), list_length(*tlist) + 1, NULL, false));
	}
	return calls;
}

/* Reduce the input of an Agg to the expressions given: an input that is a table may return all columns. */
static void
read_only(Plan *agg, List *exprs)
{
	List	   *tlist = NIL;
	ListCell   *lc;

	foreach(lc, exprs)
		tlist = lappend(tlist, makeTargetEntry(lfirst(lc), list_length(tlist) + 1, NULL, false));
	if (tlist != NIL)
		outerPlan(agg) = change_plan_targetlist(outerPlan(agg), tlist, false);
}

/*
 * Replace the arguments of aggregates in the description of the scan slot, in which rows of groups have no values for
 * them.  An expression above the aggregates that is equal to an argument, such as k + 1 above avg(k + 1) where k is a
 * key, would be read from the slot otherwise.
 */
static void
hide_arguments(const List *keys, List *tlist)
{
	ListCell   *lc;

	foreach(lc, tlist)
	{
		TargetEntry *entry = lfirst_node(TargetEntry, lc);
		Node	   *expr = (Node *) entry->expr;

		/* the input of a later sort may contain columns that nothing reads */
		if (!IsA(expr, Var) && !IsA(expr, PlaceHolderVar) && !IsA(expr, Aggref) && !list_member(keys, expr))
			entry->expr = (Expr *) makeNullConst(exprType(expr), exprTypmod(expr), exprCollation(expr));
	}
}

static Plan *
plan_sort(PlannerInfo *root, RelOptInfo *rel, CustomPath *path, List *tlist, List *clauses, List *custom_plans)
{
	const List *functions = list_nth(path->custom_private, PATH_FUNCTIONS);
	Plan	   *fallback = linitial(custom_plans);
	CustomScan *scan = makeNode(CustomScan);
	List	   *sets = NIL;
	List	   *columns;
	ListCell   *lc;
	ListCell   *descending;

	read_only(fallback, list_nth(path->custom_private, PATH_READ));
	columns = (IsA(fallback, Sort) ? fallback : outerPlan(fallback))->targetlist;
	scan->scan.plan.targetlist = tlist;
	scan->scan.plan.qual = list_nth(path->custom_private, PATH_HAVING);
	scan->custom_plans = custom_plans;
	scan->custom_scan_tlist = copyObject(columns);
	scan->custom_private = list_make4(list_nth(path->custom_private, PATH_WANTED), list_nth(path->custom_private, PATH_OFFSET),
									  numbers_of(list_nth(path->custom_private, PATH_PARTITION), columns),
									  numbers_of(list_nth(path->custom_private, PATH_ORDER), columns));
	scan->custom_private = lappend(scan->custom_private, plan_calls(path->custom_private, &scan->custom_scan_tlist));
	if (functions != NIL && IsA(linitial(functions), Aggref))
		hide_arguments(list_nth(path->custom_private, PATH_PARTITION), scan->custom_scan_tlist);
	forboth(lc, list_nth(path->custom_private, PATH_SETS), descending, list_nth(path->custom_private, PATH_DESCENDING))
		sets = lappend_int(sets, linitial_int(numbers_of(list_make1(lfirst(lc)), columns)) * (lfirst_int(descending) ? -1 : 1));
	scan->custom_private = lappend(scan->custom_private, sets);
	scan->custom_private = lappend(scan->custom_private, list_nth(path->custom_private, PATH_DISTINCT));
	scan->flags = path->flags;
	scan->methods = &gpu_sort_methods;
	return &scan->scan.plan;
}

const CustomPathMethods sort_path_methods = {
	.CustomName = "GpuSort",
	.PlanCustomPath = plan_sort,
};

/* Conditions of a sort */

bool
path_are_storable(const List *exprs)
{
	ListCell   *lc;

	foreach(lc, exprs)
		if (!is_storable(exprType(lfirst(lc)), exprTypmod(lfirst(lc))))
			return false;
	return true;
}

bool
path_is_plain_key(const PathKey *key)
{
	const EquivalenceMember *child = linitial_node(EquivalenceMember, key->pk_eclass->ec_members);
	Oid			type = getBaseType(child->em_datatype);

	return lookup_type_cache(type, TYPECACHE_BTREE_OPFAMILY)->btree_opf == key->pk_opfamily &&
		sort_is_supported(type, key->pk_eclass->ec_collation);
}

static bool
can_sort(const SortPath *sort)
{
	ListCell   *lc;

	foreach(lc, sort->path.pathkeys)
		if (!path_is_plain_key(lfirst(lc)))
			return false;
	return list_length(sort->path.pathkeys) <= SORT_MOST_KEYS && sort->path.param_info == NULL && path_are_storable(sort->path.pathtarget->exprs);
}

/* Paths */

List *
path_sort_private(int wanted, List *partition, List *order)
{
	return list_concat(list_concat(list_make5(makeInteger(wanted), makeInteger(-1), partition, order, NIL), list_make5(NIL, NIL, NIL, NIL, NIL)),
					   list_make2(NIL, makeInteger(0)));
}

/* Return the average bytes of an expression's values, by the statistics of a column or by its type. */
static double
width_of(PlannerInfo *root, const Expr *expr)
{
	const Var  *var = (const Var *) expr;
	const RelOptInfo *rel = NULL;
	int32		width = 0;

	if (IsA(expr, Var) && var->varlevelsup == 0 && var->varno < root->simple_rel_array_size)
		rel = root->simple_rel_array[var->varno];
	if (rel != NULL && var->varattno > 0 && var->varattno <= rel->max_attr)
		width = rel->attr_widths[var->varattno - rel->min_attr];
	return width > 0 ? width : get_typavgwidth(exprType((const Node *) expr), exprTypmod((const Node *) expr));
}

Cost
path_cost_of_text(PlannerInfo *root, const Expr *expr, double rows)
{
	return dict_suit_type(exprType((const Node *) expr)) ? cost_sorting_texts(rows, width_of(root, expr)) : 0;
}

/* Return the extra cost of sorting by texts over cost_sorting(), including that of finding their collation order. */
static Cost
cost_of_texts(PlannerInfo *root, const SortPath *sort)
{
	const double rows = sort->subpath->rows;
	Cost		cost = 0;
	ListCell   *lc;

	foreach(lc, sort->path.pathkeys)
	{
		const EquivalenceClass *class = lfirst_node(PathKey, lc)->pk_eclass;
		Expr	   *expr = linitial_node(EquivalenceMember, class->ec_members)->em_expr;

		if (is_collated(class->ec_collation))
			cost += cost_collating(rows, estimate_num_groups(root, list_make1(expr), rows, NULL, NULL));
		else
			cost += path_cost_of_text(root, expr, rows);
	}
	return cost;
}

bool
path_sort_needs_runs(const SortPath *sort)
{
	return cost_sort_bytes(sort->subpath->rows, list_length(sort->path.pathtarget->exprs)) > guc_join_bytes();
}

/* Return true if rows found by a GPU stay there and only the wanted ones are returned: gpudb.join_memory holds them. */
static bool
stays_on_gpu(const SortPath *sort, int wanted)
{
	const List *exprs = sort->path.pathtarget->exprs;
	ListCell   *lc;

	if (wanted == 0 || !device_may_use_gpu() || !path_has_columns(sort->subpath))
		return false;
	foreach(lc, exprs)
	{
		const int	length = get_typlen(exprType(lfirst(lc)));

		if (length <= 0 || length > (int) sizeof(Datum))
			return false;
	}
	return sort->subpath->rows * sizeof(uint64) * list_length(exprs) <= guc_join_bytes();
}

/* Return the Sort in PostgreSQL's path; NULL if there is none, as below an Agg that needs none. */
static const SortPath *
sort_in(const Path *path)
{
	switch (nodeTag(path))
	{
		case T_WindowAggPath:
			return sort_in(((const WindowAggPath *) path)->subpath);
		case T_LimitPath:
			return sort_in(((const LimitPath *) path)->subpath);
		case T_UpperUniquePath:
			return sort_in(((const UpperUniquePath *) path)->subpath);
		case T_SortPath:
			return (const SortPath *) path;
		default:
			return NULL;
	}
}

const SortPath *
path_sort_of(const CustomPath *path)
{
	return sort_in(linitial(path->custom_paths));
}

bool
path_has_columns(const Path *path)
{
	return path_scan_has_columns(path) || path_is_gpu_join(path);
}

bool
path_sort_is_too_large(const CustomPath *path)
{
	const SortPath *sort = path_sort_of(path);

	return sort != NULL && path_sort_needs_runs(sort);
}

Path *
path_sort_create(PlannerInfo *root, const SortPath *sort, int wanted)
{
	const Path *below = sort->subpath;
	const int	ncolumns = list_length(sort->path.pathtarget->exprs);
	CustomPath *path;

	if (!can_sort(sort))
		return NULL;
	path = makeNode(CustomPath);
	path->path.pathtype = T_CustomScan;
	path->path.parent = sort->path.parent;
	path->path.pathtarget = sort->path.pathtarget;
	path->path.pathkeys = sort->path.pathkeys;
	path->path.rows = sort->path.rows;
	path->path.startup_cost = below->total_cost - path_scan_saved(below) + cost_sorting(below->rows, ncolumns, path_has_columns(below)) +
		cost_of_texts(root, sort);
	if (path_sort_needs_runs(sort) && !stays_on_gpu(sort, wanted))
		path->path.startup_cost += cost_sorted_runs(below->rows, sort->path.pathtarget->width);
	path->path.total_cost = path->path.startup_cost + cost_sorted_out(wanted > 0 ? Min(wanted, below->rows) : below->rows, ncolumns);
	/* PostgreSQL's Sort can scan backward, too */
	path->flags = CUSTOMPATH_SUPPORT_BACKWARD_SCAN;
	path->custom_paths = list_make1((SortPath *) sort);
	path->custom_private = path_sort_private(wanted, NIL, NIL);
	path->methods = &sort_path_methods;
	return &path->path;
}

/* Return the most rows asked for, 0 = all: only what path_rows_wanted() knows drops rows between a sort and a Limit. */
static int
rows_wanted(const PlannerInfo *root)
{
	const int64 wanted = path_rows_wanted(root->parse);

	return wanted > 0 && wanted <= INT_MAX ? (int) wanted : 0;
}

List *
path_below_sort(PlannerInfo *root, RelOptInfo *rel)
{
	Path	   *cheapest = rel->cheapest_total_path;
	Candidate  *candidate = candidate_of(root, rel);
	CustomPath *scan;

	if (cheapest == NULL)
		return NIL;
	if (candidate == NULL || candidate->reason != NULL || candidate->joins != NIL || !IS_SIMPLE_REL(rel) || path_is_gpu_scan(cheapest) ||
		!path_are_columns(cheapest->pathtarget->exprs))
		return list_make1(cheapest);
	scan = path_scan_create(candidate);
	if (scan == NULL)
		return list_make1(cheapest);
	scan->path.pathtarget = cheapest->pathtarget;
	return list_make2(cheapest, scan);
}

static bool
may_sort(const PlannerInfo *root)
{
	/* rows that are locked or changed may be fetched again one by one, together with a subquery's rows for them */
	for (const PlannerInfo *level = root; level != NULL; level = level->parent_root)
		if (level->parse->rowMarks != NIL || (level->parse->commandType != CMD_SELECT && level->parse->commandType != CMD_INSERT))
			return false;
	/* rows of set operations have no names; a fallback would compute volatile expressions twice */
	return root->parse->setOperations == NULL && !contain_volatile_functions((Node *) root->parse);
}

bool
path_may_sort(PlannerInfo *root)
{
	MaySort    *known = search_may_sort(root);

	/* finding out takes a walk through the whole query */
	if (*known == MAY_SORT_UNKNOWN)
		*known = may_sort(root) ? MAY_SORT : MAY_NOT_SORT;
	return gpudb_enabled && *known == MAY_SORT;
}

/* ORDER BY */

bool
path_comes_in_order(const PlannerInfo *root, const RelOptInfo *rel)
{
	ListCell   *lc;

	foreach(lc, root->sort_pathkeys != NIL ? rel->pathlist : NIL)
	{
		const Path *path = lfirst(lc);

		if (path->param_info == NULL && pathkeys_contained_in(root->sort_pathkeys, path->pathkeys))
			return true;
	}
	return false;
}

/* Return true if so few rows are sorted that PostgreSQL has finished before a device has started. */
static bool
are_few(const RelOptInfo *input_rel)
{
	return !gpudb_force && input_rel->cheapest_total_path != NULL && cost_comparisons(input_rel->cheapest_total_path->rows) <= cost_sorting(0, 0, false);
}

void
path_sort_add(PlannerInfo *root, RelOptInfo *input_rel, RelOptInfo *output_rel)
{
	PathTarget *target = root->upper_targets[UPPERREL_ORDERED];
	ListCell   *lc;

	if (root->sort_pathkeys == NIL || are_few(input_rel) || !path_may_sort(root) || (plan_is_for_cursor(root) && path_comes_in_order(root, input_rel)))
		return;
	foreach(lc, path_below_sort(root, input_rel))
	{
		Path	   *below = lfirst(lc);
		Path	   *path;

		if (pathkeys_contained_in(root->sort_pathkeys, below->pathkeys))
			continue;
		path = path_sort_create(root, create_sort_path(root, output_rel, below, root->sort_pathkeys, root->limit_tuples), rows_wanted(root));
		if (path == NULL)
			continue;
		if (path->pathtarget != target)
			path = apply_projection_to_path(root, output_rel, path, target);
		path_offer(root, output_rel, path);
	}
}

/* DISTINCT */

/* Return true if equal values of the distinct columns print alike: then it does not matter which row is returned. */
static bool
print_alike(const PlannerInfo *root)
{
	return path_keys_print_alike(get_sortgrouplist_exprs(root->parse->distinctClause, root->processed_tlist));
}

void
path_unique_add(PlannerInfo *root, RelOptInfo *input_rel, RelOptInfo *output_rel)
{
	List	   *pathkeys = list_length(root->distinct_pathkeys) < list_length(root->sort_pathkeys) ? root->sort_pathkeys : root->distinct_pathkeys;
	double		rows;
	ListCell   *lc;

	/* if all distinct columns are constants one row remains, and nothing is sorted */
	if (root->distinct_pathkeys == NIL || output_rel->pathlist == NIL || !path_may_sort(root) || !print_alike(root))
		return;
	rows = path_groups_expected(output_rel);
	/* DISTINCT alone is a grouping, which may be a GpuAgg */
	if (!root->parse->hasDistinctOn && path_is_hashed(output_rel))
		return;
	foreach(lc, path_below_sort(root, input_rel))
	{
		Path	   *below = lfirst(lc);
		CustomPath *path;

		if (pathkeys_contained_in(pathkeys, below->pathkeys))
			continue;
		/* rows that come one by one are not sorted for DISTINCT: PostgreSQL hashes them as fast */
		if (!root->parse->hasDistinctOn && !path_has_columns(below))
			continue;
		path = (CustomPath *) path_sort_create(root, (SortPath *) create_sort_path(root, output_rel, below, pathkeys, -1), 0);
		if (path == NULL || path_sort_is_too_large(path))
			continue;
		path->flags = 0;
		path->custom_paths = list_make1(create_upper_unique_path(root, output_rel, linitial(path->custom_paths), list_length(root->distinct_pathkeys), rows));
		lfirst(list_nth_cell(path->custom_private, PATH_DISTINCT)) = makeInteger(list_length(root->distinct_pathkeys));
		path->path.rows = rows;
		path->path.total_cost = path->path.startup_cost + cost_sorted_out(rows, list_length(path->path.pathtarget->exprs));
		path_offer(root, output_rel, &path->path);
	}
}

/* LIMIT */

/*
 * Return a copy of a sort's path that skips OFFSET rows and stops by itself, in place of a Limit above it; NULL if the
 * path is no GpuSort with a limit.  A projection between the two is applied to the returned rows.
 */
static Path *
limit_sort(PlannerInfo *root, const LimitPath *limit, const Path *path, int64 offset)
{
	const ProjectionPath *projection = (const ProjectionPath *) path;
	CustomPath *sort;
	Path	   *below;

	if (IsA(path, ProjectionPath))
	{
		below = limit_sort(root, limit, projection->subpath, offset);
		return below != NULL ? (Path *) create_projection_path(root, limit->path.parent, below, path->pathtarget) : NULL;
	}
	if (!IsA(path, CustomPath) || ((const CustomPath *) path)->methods != &sort_path_methods ||
		intVal(list_nth(((const CustomPath *) path)->custom_private, PATH_WANTED)) == 0)
		return NULL;
	sort = makeNode(CustomPath);
	memcpy(sort, path, sizeof(CustomPath));
	below = palloc(sizeof(LimitPath));
	memcpy(below, limit, sizeof(LimitPath));
	((LimitPath *) below)->subpath = linitial(sort->custom_paths);
	below->pathtarget = ((LimitPath *) below)->subpath->pathtarget;
	sort->custom_paths = list_make1(below);
	sort->custom_private = list_copy(sort->custom_private);
	lfirst(list_nth_cell(sort->custom_private, PATH_OFFSET)) = makeInteger((int) offset);
	sort->path.rows = limit->path.rows;
	sort->path.total_cost = sort->path.startup_cost + cost_sorted_out(limit->path.rows, list_length(path->pathtarget->exprs));
	return &sort->path;
}

void
path_limit_add(PlannerInfo *root, RelOptInfo *output_rel)
{
	const Query *query = root->parse;
	const int64 wanted = path_rows_wanted(query);
	List	   *limited = NIL;
	ListCell   *lc;

	if (wanted <= 0 || wanted > INT_MAX)
		return;
	foreach(lc, output_rel->pathlist)
	{
		const LimitPath *limit = lfirst(lc);
		Path	   *path;

		if (!IsA(limit, LimitPath))
			continue;
		path = limit_sort(root, limit, limit->subpath, wanted - DatumGetInt64(castNode(Const, query->limitCount)->constvalue));
		if (path != NULL)
			limited = lappend(limited, path);
	}
	foreach(lc, limited)
		path_offer(root, output_rel, lfirst(lc));
}

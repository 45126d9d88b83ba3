/*
 * path_sets.c
 *		A GpuSort for aggregates that need an order (percentiles and modes of groups and of any type that can be
 *		sorted, and aggregates over distinct values beside others), and for more groups than a GpuAgg has memory for.
 *
 * It reads the group keys and the arguments of the aggregates, sorts them, and
 * returns a row for each group.  Its path has PostgreSQL's own aggregation of
 * the same rows, which is the fallback.  FILTER becomes part of the expression
 * that is ordered by: such aggregates skip NULLs.
 */
#include "postgres.h"

#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/cost.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "optimizer/prep.h"
#include "optimizer/tlist.h"

#include "exec/sort/collated.h"
#include "exec/sort/exec_sort.h"
#include "exec/sort/sorted_groups.h"
#include "exec/sort/stored_rows.h"
#include "guc.h"
#include "plan/cost.h"
#include "plan/path.h"
#include "plan/path_sort_private.h"

/* An aggregation that a GpuSort may compute. */
typedef struct SetGrouping
{
	List	   *keys;
	List	   *clauses;		/* SortGroupClauses of the keys, one each */
	List	   *pathkeys;		/* order of the keys */
	PathTarget *target;			/* target over the keys and aggregates */
	double		ngroups;
	List	   *aggs;
	List	   *calls;			/* for each aggregate an integer list: kind, unused, set */
	List	   *arguments;		/* for each aggregate: its argument; NULL = rows */
	List	   *sets;			/* expressions to order by */
	List	   *descending;		/* integer list, for each of `sets`: 1 = descending */
	List	   *having;
	List	   *unseen;			/* columns of keys in the target that nothing reads, as inputs of a later sort */
	bool		plain;			/* the target has nothing but keys and such aggregates */
	bool		unordered;		/* no aggregate needs an order */
} SetGrouping;

/* Return an expression that is NULL where a filter does not hold. */
static Expr *
filtered(Expr *expr, Expr *filter)
{
	CaseExpr   *choice = makeNode(CaseExpr);
	CaseWhen   *when = makeNode(CaseWhen);

	if (filter == NULL)
		return expr;
	when->expr = filter;
	when->result = expr;
	when->location = -1;
	choice->casetype = exprType((Node *) expr);
	choice->casecollid = exprCollation((Node *) expr);
	choice->args = list_make1(when);
	choice->defresult = (Expr *) makeNullConst(choice->casetype, exprTypmod((Node *) expr), choice->casecollid);
	choice->location = -1;
	return (Expr *) choice;
}

/* Return the number of the set that is ordered by an expression, which is added if new. */
static int
need_set(SetGrouping *grouping, Expr *expr, bool descending)
{
	ListCell   *set;
	ListCell   *down;

	forboth(set, grouping->sets, down, grouping->descending)
		if (equal(lfirst(set), expr) && (bool) lfirst_int(down) == descending)
			return foreach_current_index(set);
	grouping->sets = lappend(grouping->sets, expr);
	grouping->descending = lappend_int(grouping->descending, descending);
	return list_length(grouping->sets) - 1;
}

static void
add_aggregate(SetGrouping *grouping, const Aggref *agg)
{
	GroupCall	call;
	bool		descending;
	Expr	   *argument = agg->args != NIL ? linitial_node(TargetEntry, agg->args)->expr : NULL;

	if (list_member(grouping->aggs, agg))
		return;
	if (!sorted_group_call(agg, &call, &descending))
	{
		grouping->plain = false;
		return;
	}
	/* rows are counted in place of an argument that is never NULL */
	if (call.kind == GROUP_TOTAL && call.total == TOTAL_COUNT && !call.distinct && argument != NULL && IsA(argument, Const) &&
		!((Const *) argument)->constisnull)
		argument = NULL;
	if (argument != NULL || agg->aggfilter != NULL)
		argument = filtered(argument != NULL ? argument : (Expr *) makeBoolConst(true, false), agg->aggfilter);
	/* the type's order must be known, and a constant is no column to be ordered */
	if (sorted_group_has_order(&call))
		grouping->plain &= sort_is_supported(exprType((Node *) argument), exprCollation((Node *) argument)) && !IsA(argument, Const);
	grouping->plain &= argument == NULL || !IsA(argument, Const);
	grouping->aggs = lappend(grouping->aggs, (Aggref *) agg);
	grouping->calls = lappend(grouping->calls, list_make3_int(call.kind, -1, sorted_group_has_order(&call) ? need_set(grouping, argument, descending) : -1));
	grouping->arguments = lappend(grouping->arguments, argument);
}

/* Collect the aggregates of an expression; anything else under it must be a key. */
static bool
collect_walker(Node *node, SetGrouping *grouping)
{
	if (node == NULL || list_member(grouping->keys, node))
		return false;
	if (IsA(node, Aggref))
	{
		add_aggregate(grouping, castNode(Aggref, node));
		return !grouping->plain;
	}
	if (IsA(node, Var) || IsA(node, PlaceHolderVar) || IsA(node, GroupingFunc))
	{
		grouping->plain = false;
		return true;
	}
	return expression_tree_walker(node, collect_walker, grouping);
}

/* Add a set ordered by a key where no aggregate needs an order: within a group all rows have the same key. */
static void
need_any_set(SetGrouping *grouping)
{
	ListCell   *lc;

	grouping->unordered = grouping->sets == NIL;
	foreach(lc, grouping->keys)
		if (grouping->sets == NIL && !IsA(lfirst(lc), Const) && sort_is_supported(exprType(lfirst(lc)), exprCollation(lfirst(lc))))
			(void) need_set(grouping, lfirst(lc), false);
}

/*
 * Split a grouping, above which `exprs` are computed, into keys and
 * aggregates; return false if a GpuSort cannot compute it.
 */
static bool
read_grouping(PlannerInfo *root, const GroupingSetWanted *wanted, const List *exprs, List *pathkeys, SetGrouping *grouping)
{
	*grouping = (SetGrouping) {.plain = true, .having = wanted->having, .target = wanted->target, .ngroups = wanted->ngroups, .pathkeys = pathkeys};
	path_group_keys(root, wanted->clauses, &grouping->keys, &grouping->clauses);
	(void) collect_walker((Node *) exprs, grouping);
	(void) collect_walker((Node *) grouping->having, grouping);
	need_any_set(grouping);
	/* if all keys are constants, nothing tells groups apart */
	return grouping->plain && grouping->sets != NIL && (grouping->keys == NIL) == (pathkeys == NIL) &&
		path_keys_print_alike(grouping->keys);
}

/*
 * Collect the columns in an expression that stand in no key and no aggregate;
 * a PlaceHolderVar is collected as a whole.
 */
static bool
unseen_walker(Node *node, SetGrouping *grouping)
{
	if (node == NULL || IsA(node, Aggref) || list_member(grouping->keys, node))
		return false;
	if (IsA(node, Var) || IsA(node, PlaceHolderVar))
	{
		grouping->unseen = list_append_unique(grouping->unseen, node);
		return false;
	}
	return expression_tree_walker(node, unseen_walker, grouping);
}

/*
 * Return the target of the input: keys, the arguments of aggregates, and the
 * columns that PostgreSQL's aggregates with FILTER need besides.
 */
static PathTarget *
input_target(PlannerInfo *root, const SetGrouping *grouping)
{
	PathTarget *target = create_empty_pathtarget();
	ListCell   *lc;
	ListCell   *clause;

	forboth(lc, grouping->keys, clause, grouping->clauses)
		add_column_to_pathtarget(target, lfirst(lc), lfirst_node(SortGroupClause, clause)->tleSortGroupRef);
	foreach(lc, grouping->arguments)
		if (lfirst(lc) != NULL)
			add_new_column_to_pathtarget(target, lfirst(lc));
	foreach(lc, grouping->aggs)
		if (lfirst_node(Aggref, lc)->aggfilter != NULL)
			add_new_columns_to_pathtarget(target, pull_var_clause(lfirst(lc), PVC_RECURSE_AGGREGATES | PVC_INCLUDE_PLACEHOLDERS));
	add_new_columns_to_pathtarget(target, grouping->unseen);
	return set_pathtarget_cost_width(root, target);
}

/* Return PostgreSQL's aggregation of the input. */
static Path *
create_fallback(PlannerInfo *root, RelOptInfo *output_rel, Path *below, const SetGrouping *grouping)
{
	AggClauseCosts costs = {0};

	get_agg_clause_costs(root, AGGSPLIT_SIMPLE, &costs);
	if (grouping->keys != NIL)
		below = (Path *) create_sort_path(root, output_rel, below, grouping->pathkeys, -1);
	return (Path *) create_agg_path(root, output_rel, below, grouping->target, grouping->keys != NIL ? AGG_SORTED : AGG_PLAIN, AGGSPLIT_SIMPLE,
									grouping->clauses, grouping->having, &costs, grouping->ngroups);
}

/* Return the extra cost of sorting rows by those keys that are texts over cost_sorting(). */
static Cost
cost_of_text_keys(PlannerInfo *root, const List *keys, double rows)
{
	Cost		cost = 0;
	ListCell   *lc;

	foreach(lc, keys)
		cost += path_cost_of_text(root, lfirst(lc), rows);
	return cost;
}

/*
 * Return a GpuSort of the rows of `read`; NULL if they exceed the memory of a
 * sort, or PostgreSQL groups them as fast.
 */
static Path *
create_path(PlannerInfo *root, RelOptInfo *output_rel, RelOptInfo *input_rel, Path *read, PathTarget *target, const SetGrouping *grouping)
{
	const int	ncolumns = list_length(target->exprs);
	const bool	as_columns = path_are_columns(target->exprs) && path_has_columns(read);
	const Cost	saved = as_columns ? path_scan_saved(read) : 0;
	Path	   *below = (Path *) create_projection_path(root, input_rel, read, target);
	CustomPath *path;

	/* PostgreSQL groups rows that come one by one as fast, if the groups are fewer than it estimates */
	if (grouping->unordered && !as_columns)
		return NULL;
	if (cost_sort_bytes(read->rows, ncolumns + list_length(grouping->sets)) > guc_join_bytes())
		return NULL;
	path = makeNode(CustomPath);
	path->path.pathtype = T_CustomScan;
	path->path.parent = output_rel;
	path->path.pathtarget = grouping->target;
	path->path.rows = grouping->ngroups;
	path->path.pathkeys = grouping->pathkeys;
	path->path.startup_cost = below->total_cost - saved +
		list_length(grouping->sets) * (cost_sorting(read->rows, ncolumns, saved > 0) + cost_of_text_keys(root, grouping->keys, read->rows));
	path->path.total_cost = path->path.startup_cost + cost_sorted_out(grouping->ngroups, list_length(grouping->keys) + list_length(grouping->aggs));
	/* a cursor can scroll backward where PostgreSQL could sort groups that it has hashed */
	path->flags = CUSTOMPATH_SUPPORT_PROJECTION | (grouping->unordered && grouping->keys != NIL ? CUSTOMPATH_SUPPORT_BACKWARD_SCAN : 0);
	path->custom_paths = list_make1(create_fallback(root, output_rel, below, grouping));
	path->custom_private = path_sort_private(0, grouping->keys, NIL);
	lfirst(list_nth_cell(path->custom_private, PATH_FUNCTIONS)) = grouping->aggs;
	lfirst(list_nth_cell(path->custom_private, PATH_CALLS)) = grouping->calls;
	lfirst(list_nth_cell(path->custom_private, PATH_ARGUMENTS)) = grouping->arguments;
	lfirst(list_nth_cell(path->custom_private, PATH_SETS)) = grouping->sets;
	lfirst(list_nth_cell(path->custom_private, PATH_DESCENDING)) = grouping->descending;
	lfirst(list_nth_cell(path->custom_private, PATH_HAVING)) = grouping->having;
	if (grouping->keys == NIL)
		lfirst(list_nth_cell(path->custom_private, PATH_READ)) = target->exprs;
	path->methods = &sort_path_methods;
	return &path->path;
}

/* Return true if one of the paths is a grouping by a gpudb node, or PostgreSQL's of rows that one has made distinct. */
static bool
any_is_ours(const List *paths)
{
	ListCell   *lc;

	foreach(lc, paths)
	{
		const Path *path = lfirst(lc);

		if (IsA(path, AggPath))
			path = ((const AggPath *) path)->subpath;
		if (IsA(path, SortPath))
			path = ((const SortPath *) path)->subpath;
		if (IsA(path, CustomPath) && !path_is_gpu_scan(path) && !path_is_gpu_join(path))
			return true;
	}
	return false;
}

bool
path_is_hashed(const RelOptInfo *output_rel)
{
	return gpudb_force && enable_hashagg && any_is_ours(output_rel->pathlist);
}

/* Return the GpuSorts of a grouping, above which `exprs` are computed. */
static List *
create_paths(PlannerInfo *root, RelOptInfo *input_rel, RelOptInfo *output_rel, const GroupingSetWanted *wanted, const List *exprs, List *pathkeys)
{
	SetGrouping *grouping = palloc(sizeof(SetGrouping));
	PathTarget *target;
	List	   *paths = NIL;
	ListCell   *lc;

	/* an aggregate's order is one further key */
	if (list_length(pathkeys) >= SORT_MOST_KEYS || !read_grouping(root, wanted, exprs, pathkeys, grouping))
		return NIL;
	(void) unseen_walker((Node *) grouping->target->exprs, grouping);
	foreach(lc, pathkeys)
		if (!path_is_plain_key(lfirst(lc)))
			return NIL;
	target = input_target(root, grouping);
	if (!path_are_storable(target->exprs))
		return NIL;
	foreach(lc, path_below_sort(root, input_rel))
	{
		Path	   *path = create_path(root, output_rel, input_rel, lfirst(lc), target, grouping);

		if (path != NULL)
			paths = lappend(paths, path);
	}
	return paths;
}

void
path_sets_add(PlannerInfo *root, RelOptInfo *input_rel, RelOptInfo *output_rel, const GroupPathExtraData *extra)
{
	const Query *query = root->parse;
	GroupingSetWanted wanted = {.clauses = query->groupClause, .having = (List *) extra->havingQual, .target = output_rel->reltarget};
	ListCell   *lc;

	if (output_rel->pathlist == NIL || (!query->hasAggs && query->groupClause == NIL) || query->groupingSets != NIL || !path_may_sort(root) ||
		path_is_hashed(output_rel))
		return;
	wanted.ngroups = path_groups_expected(output_rel);
	foreach(lc, create_paths(root, input_rel, output_rel, &wanted, root->processed_tlist, root->group_pathkeys))
		path_offer(root, output_rel, lfirst(lc));
}

Path *
path_sets_of_set(PlannerInfo *root, RelOptInfo *input_rel, RelOptInfo *output_rel, const GroupingSetWanted *set)
{
	List	   *pathkeys;
	Path	   *cheapest = NULL;
	ListCell   *lc;

	if (!path_may_sort(root) || !grouping_is_sortable(set->clauses))
		return NULL;
	pathkeys = make_pathkeys_for_sortclauses(root, set->clauses, root->processed_tlist);
	foreach(lc, create_paths(root, input_rel, output_rel, set, set->target->exprs, pathkeys))
		if (cheapest == NULL || ((const Path *) lfirst(lc))->total_cost < cheapest->total_cost)
			cheapest = lfirst(lc);
	return cheapest;
}

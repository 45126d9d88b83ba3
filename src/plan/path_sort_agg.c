/*
 * path_sort_agg.c
 *		GpuSortAgg: aggregates over the rows of a GpuSort of a subquery with window functions, ORDER BY or DISTINCT
 *		ON.
 *
 * Rows that have been sorted as columns need not become tuples to be
 * aggregated.  The path has PostgreSQL's own aggregation over the same
 * GpuSort, which is the fallback.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/prep.h"
#include "optimizer/restrictinfo.h"
#include "optimizer/tlist.h"
#include "utils/fmgroids.h"

#include "compile/compile.h"
#include "exec/run/node.h"
#include "exec/sort/exec_sort_agg.h"
#include "exec/sort/stored_rows.h"
#include "guc.h"
#include "plan/cost.h"
#include "plan/path.h"
#include "plan/path_sort_private.h"

/* Elements of custom_private of the path. */
enum
{
	PATH_KEYS,
	PATH_AGGS,
	PATH_QUALS,
	PATH_GROUPS_HAVING
};

/* An aggregation that a GpuSortAgg may compute. */
typedef struct SortedGrouping
{
	List	   *keys;
	List	   *clauses;		/* SortGroupClauses of the keys, one each */
	List	   *aggs;
	List	   *quals;			/* filters on the subquery's rows */
	List	   *having;
	bool		plain;			/* the target has nothing but keys and aggregates */
	double		ngroups;
	Cost		cost;			/* cost of running it over sorted rows */
} SortedGrouping;

static bool
collect_walker(Node *node, SortedGrouping *grouping)
{
	if (node == NULL || list_member(grouping->keys, node))
		return false;
	if (IsA(node, Aggref))
	{
		grouping->aggs = list_append_unique(grouping->aggs, node);
		return false;
	}
	if (IsA(node, Var) || IsA(node, PlaceHolderVar) || IsA(node, GroupingFunc))
	{
		grouping->plain = false;
		return true;
	}
	return expression_tree_walker(node, collect_walker, grouping);
}

/* Return true if some part of an expression is not known before execution. */
static bool
is_open_walker(Node *node, void *arg)
{
	return node != NULL && (IsA(node, Param) || IsA(node, SubPlan) || IsA(node, AlternativeSubPlan) || expression_tree_walker(node, is_open_walker, arg));
}

static const Path *
below_projections(const Path *path)
{
	while (IsA(path, ProjectionPath))
		path = ((const ProjectionPath *) path)->subpath;
	return path;
}

/* Return the subquery's GpuSort whose rows a path returns; NULL if there is none, or it groups, or it merges runs. */
static const CustomPath *
sort_below(const Path *path)
{
	path = below_projections(path);
	if (!IsA(path, SubqueryScanPath) || path->param_info != NULL)
		return NULL;
	path = below_projections(((const SubqueryScanPath *) path)->subpath);
	if (!IsA(path, CustomPath) || ((const CustomPath *) path)->methods != &sort_path_methods)
		return NULL;
	if (list_nth(((const CustomPath *) path)->custom_private, PATH_SETS) != NIL || path_sort_is_too_large((const CustomPath *) path))
		return NULL;
	return (const CustomPath *) path;
}

/* A subquery, by its range table index and its target list. */
typedef struct Subquery
{
	Index		relid;
	List	   *tlist;
	bool		covers_all;	/* the subquery returns all window functions looked up so far */
} Subquery;

/* Replace window functions in a condition by the subquery's columns that select them. */
static Node *
selected_mutator(Node *node, Subquery *subquery)
{
	const TargetEntry *entry;

	if (node == NULL || !IsA(node, WindowFunc))
		return expression_tree_mutator(node, selected_mutator, subquery);
	entry = tlist_member((Expr *) node, subquery->tlist);
	subquery->covers_all &= entry != NULL && !entry->resjunk;
	return entry == NULL ? node : (Node *) makeVarFromTargetEntry(subquery->relid, (TargetEntry *) entry);
}

/*
 * Return in *conditions the conditions that the rows of a GpuSort must meet,
 * over the subquery's columns; return false if the subquery does not select
 * all window functions in them.
 */
static bool
conditions_of_sort(const RelOptInfo *rel, const CustomPath *sort, List **conditions)
{
	Subquery	subquery = {.relid = rel->relid, .tlist = rel->subroot->processed_tlist, .covers_all = true};

	*conditions = (List *) selected_mutator((Node *) list_nth(sort->custom_private, PATH_HAVING), &subquery);
	return subquery.covers_all;
}

/* Return true if the number of digits after the point of an expression's values is not known. */
static bool
has_unknown_scale(const Expr *expr)
{
	return has_any_scale(exprType((const Node *) expr), exprTypmod((const Node *) expr)) &&
		!(IsA(expr, WindowFunc) && ((const WindowFunc *) expr)->winfnoid == F_SUM_INT8);
}

/*
 * Return true if the columns read of a subquery come out of its GpuSort
 * unchanged: sorted columns and window functions, but no expressions over
 * them.
 */
static bool
reads_sorted(const RelOptInfo *rel, const CustomPath *sort, const SortedGrouping *grouping)
{
	const List *all = list_concat_copy(list_concat_copy(grouping->keys, grouping->aggs), grouping->quals);
	const List *functions = list_nth(sort->custom_private, PATH_FUNCTIONS);
	const SortPath *sorted = path_sort_of(sort);
	Bitmapset  *attrs = NULL;
	int			attr = -1;

	pull_varattnos((Node *) all, rel->relid, &attrs);
	while ((attr = bms_next_member(attrs, attr)) >= 0)
	{
		const int	attno = attr + FirstLowInvalidHeapAttributeNumber;
		const TargetEntry *entry = attno > 0 ? list_nth(rel->subroot->processed_tlist, attno - 1) : NULL;

		if (sorted == NULL || entry == NULL || IsA(entry->expr, Const) || has_unknown_scale(entry->expr) ||
			(!list_member(sorted->subpath->pathtarget->exprs, entry->expr) && !list_member(functions, entry->expr)))
			return false;
	}
	return true;
}

static Plan *
plan_sort_agg(PlannerInfo *root, RelOptInfo *rel, CustomPath *path, List *tlist, List *clauses, List *custom_plans)
{
	List	   *keys = list_nth(path->custom_private, PATH_KEYS);
	List	   *aggs = list_nth(path->custom_private, PATH_AGGS);
	List	   *quals = list_nth(path->custom_private, PATH_QUALS);
	List	   *columns = NIL;
	CustomScan *scan = makeNode(CustomScan);
	ListCell   *lc;

	foreach(lc, list_concat_copy(keys, aggs))
		columns = lappend(columns, makeTargetEntry(copyObject(lfirst(lc)), list_length(columns) + 1, NULL, false));
	/* setrefs.c would not find columns that stand only in filters, or under aggregates */
	foreach(lc, pull_var_clause((Node *) list_concat_copy(list_concat_copy(keys, aggs), quals), PVC_RECURSE_AGGREGATES | PVC_RECURSE_PLACEHOLDERS))
		if (!tlist_member(lfirst(lc), columns))
			columns = lappend(columns, makeTargetEntry(copyObject(lfirst(lc)), list_length(columns) + 1, NULL, true));
	scan->scan.plan.targetlist = tlist;
	scan->scan.plan.qual = list_nth(path->custom_private, PATH_GROUPS_HAVING);
	scan->custom_scan_tlist = columns;
	scan->custom_exprs = quals;
	scan->custom_private = list_make2(makeInteger(list_length(keys)), makeInteger(list_length(aggs)));
	scan->custom_plans = custom_plans;
	scan->flags = path->flags;
	scan->methods = &gpu_sort_agg_methods;
	return &scan->scan.plan;
}

static const CustomPathMethods sort_agg_path_methods = {
	.CustomName = "GpuSortAgg",
	.PlanCustomPath = plan_sort_agg,
};

/* Return true if a program can compute a grouping of `rows` rows and its groups fit in memory; sets grouping->cost. */
static bool
can_run(const RelOptInfo *input_rel, SortedGrouping *grouping, double rows)
{
	const CompileRequest request = {.aggregate = true, .quals = grouping->quals, .keys = grouping->keys, .aggs = grouping->aggs};
	const CompileInput input = {.varno = input_rel->relid};
	List	   *all = list_concat_copy(list_concat_copy(grouping->keys, grouping->aggs), grouping->quals);
	CompileResult result;

	if (is_open_walker((Node *) all, NULL) || contain_mutable_functions((Node *) all) || !compile_check(&input, &request, &result) ||
		result.nquantiles > 0)
		return false;
	grouping->cost = cost_sorted_groups(&result, rows, grouping->ngroups);
	return gpudb_force || cost_groups_of_threads(grouping->ngroups, rows) * cost_group_bytes(result.program) <= guc_group_bytes();
}

/* Return PostgreSQL's aggregation of a path's rows, with keys and aggregates alone, and without HAVING. */
static Path *
create_fallback(PlannerInfo *root, RelOptInfo *output_rel, Path *below, const SortedGrouping *grouping)
{
	PathTarget *target = create_empty_pathtarget();
	AggClauseCosts costs = {0};
	ListCell   *lc;
	ListCell   *clause;

	forboth(lc, grouping->keys, clause, grouping->clauses)
		add_column_to_pathtarget(target, lfirst(lc), lfirst_node(SortGroupClause, clause)->tleSortGroupRef);
	foreach(lc, grouping->aggs)
		add_column_to_pathtarget(target, lfirst(lc), 0);
	get_agg_clause_costs(root, AGGSPLIT_SIMPLE, &costs);
	return (Path *) create_agg_path(root, output_rel, below, set_pathtarget_cost_width(root, target), grouping->clauses != NIL ? AGG_HASHED : AGG_PLAIN,
									AGGSPLIT_SIMPLE, grouping->clauses, NIL, &costs, grouping->ngroups);
}

/* Return a GpuSortAgg over the rows of a path. */
static Path *
create_path(PlannerInfo *root, const RelOptInfo *input_rel, RelOptInfo *output_rel, Path *below, const SortedGrouping *grouping)
{
	CustomPath *path = makeNode(CustomPath);
	RelOptInfo *parent = palloc(sizeof(RelOptInfo));

	/* EXPLAIN and setrefs.c need relids, which upper relations do not have */
	*parent = *output_rel;
	parent->relids = input_rel->relids;
	path->path.pathtype = T_CustomScan;
	path->path.parent = parent;
	path->path.pathtarget = output_rel->reltarget;
	path->path.rows = grouping->ngroups;
	path->path.startup_cost = sort_below(below)->path.startup_cost + grouping->cost;
	path->path.total_cost = path->path.startup_cost + cost_groups_out(grouping->ngroups);
	path->flags = CUSTOMPATH_SUPPORT_PROJECTION;
	path->custom_paths = list_make1(create_fallback(root, output_rel, below, grouping));
	path->custom_private = list_make4(grouping->keys, grouping->aggs, grouping->quals, grouping->having);
	path->methods = &sort_agg_path_methods;
	return &path->path;
}

void
path_sort_agg_add(PlannerInfo *root, RelOptInfo *input_rel, RelOptInfo *output_rel, const GroupPathExtraData *extra)
{
	SortedGrouping grouping = {.plain = true, .having = (List *) extra->havingQual};
	List	   *conditions = NIL;
	List	   *paths = NIL;
	ListCell   *lc;

	if (input_rel->reloptkind != RELOPT_BASEREL || input_rel->rtekind != RTE_SUBQUERY || output_rel->reloptkind != RELOPT_UPPER_REL ||
		extra->patype == PARTITIONWISE_AGGREGATE_PARTIAL || output_rel->pathlist == NIL || root->parse->groupingSets != NIL || !path_may_sort(root))
		return;
	foreach(lc, input_rel->pathlist)
		if (sort_below(lfirst(lc)) != NULL && conditions_of_sort(input_rel, sort_below(lfirst(lc)), &conditions))
			paths = lappend(paths, lfirst(lc));
	if (paths == NIL)
		return;
	/* the conditions are those of the query, and equal for all paths */
	grouping.quals = list_concat(conditions, extract_actual_clauses(input_rel->baserestrictinfo, false));
	grouping.ngroups = path_groups_expected(output_rel);
	path_group_keys(root, root->parse->groupClause, &grouping.keys, &grouping.clauses);
	(void) collect_walker((Node *) root->processed_tlist, &grouping);
	(void) collect_walker((Node *) grouping.having, &grouping);
	if (!grouping.plain || !grouping_is_hashable(grouping.clauses) || !can_run(input_rel, &grouping, sort_below(linitial(paths))->path.rows))
		return;
	foreach(lc, paths)
		if (reads_sorted(input_rel, sort_below(lfirst(lc)), &grouping))
			path_offer(root, output_rel, create_path(root, input_rel, output_rel, lfirst(lc), &grouping));
}

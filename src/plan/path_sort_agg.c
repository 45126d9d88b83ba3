/*
 * path_sort_agg.c
 *		GpuSortAgg: aggregates over the rows of a GpuSort: of a subquery with window functions, ORDER BY or DISTINCT ON.
 *
 * Rows that have been sorted as columns need not become tuples to be
 * aggregated.  The path has PostgreSQL's own aggregation over the same GpuSort,
 * which is the fallback.
 */
#include "postgres.h"

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

#include "compile/compile.h"
#include "device/threads.h"
#include "exec/exec_sort_agg.h"
#include "guc.h"
#include "plan/cost.h"
#include "plan/path.h"
#include "plan/path_sort_private.h"

/* What custom_private of the path has. */
enum
{
	PATH_KEYS,
	PATH_AGGS,
	PATH_QUALS,
	PATH_GROUPS_HAVING
};

/* What is looked for in an expression: aggregates, and keys. */
typedef struct Search
{
	List	   *keys;
	List	   *aggs;
	bool		plain;			/* there is nothing else */
} Search;

static bool
collect_walker(Node *node, Search *search)
{
	if (node == NULL || list_member(search->keys, node))
		return false;
	if (IsA(node, Aggref))
	{
		search->aggs = list_append_unique(search->aggs, node);
		return false;
	}
	if (IsA(node, Var) || IsA(node, PlaceHolderVar) || IsA(node, GroupingFunc))
	{
		search->plain = false;
		return true;
	}
	return expression_tree_walker(node, collect_walker, search);
}

/* Whether something in an expression is not known before execution. */
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

/* The subquery's GpuSort of which a path returns the rows; NULL if it is none, or one that groups. */
static const CustomPath *
sort_below(const Path *path)
{
	path = below_projections(path);
	if (!IsA(path, SubqueryScanPath) || path->param_info != NULL)
		return NULL;
	path = below_projections(((const SubqueryScanPath *) path)->subpath);
	if (!IsA(path, CustomPath) || ((const CustomPath *) path)->methods != &sort_path_methods)
		return NULL;
	return list_nth(((const CustomPath *) path)->custom_private, PATH_SETS) == NIL ? (const CustomPath *) path : NULL;
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
	/* columns that stand only in filters, or under aggregates, would not be found */
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

/* Whether a program can compute what is wanted of so many rows, and its groups have room; *cost: what it costs. */
static bool
can_run(const RelOptInfo *input_rel, const Search *search, List *quals, double sorted, double ngroups, Cost *cost)
{
	const CompileRequest request = {.aggregate = true, .quals = quals, .keys = search->keys, .aggs = search->aggs};
	const CompileInput input = {.varno = input_rel->relid};
	List	   *all = list_concat_copy(list_concat_copy(search->keys, search->aggs), quals);
	CompileResult result;

	if (is_open_walker((Node *) all, NULL) || contain_mutable_functions((Node *) all) || !compile_check(&input, &request, &result) ||
		result.nselects > 0)
		return false;
	*cost = cost_sorted_groups(&result, sorted, ngroups);
	return gpudb_force || cost_group_bytes(result.program) * ngroups * (threads_wanted() + 1) <= get_hash_memory_limit();
}

/* A GpuSortAgg over what a path returns. */
static Path *
create_path(PlannerInfo *root, const RelOptInfo *input_rel, RelOptInfo *output_rel, Path *below, const Search *search, List *having, List *clauses,
			double ngroups, Cost cost)
{
	const CustomPath *sort = sort_below(below);
	CustomPath *path = makeNode(CustomPath);
	RelOptInfo *parent = palloc(sizeof(RelOptInfo));
	PathTarget *target = create_empty_pathtarget();
	AggClauseCosts costs = {0};
	ListCell   *lc;

	/* as EXPLAIN and setrefs need to see it: upper relations have no relids */
	*parent = *output_rel;
	parent->relids = input_rel->relids;
	foreach(lc, list_concat_copy(search->keys, search->aggs))
	{
		const int	k = foreach_current_index(lc);

		add_column_to_pathtarget(target, lfirst(lc), k < list_length(clauses) ? list_nth_node(SortGroupClause, clauses, k)->tleSortGroupRef : 0);
	}
	get_agg_clause_costs(root, AGGSPLIT_SIMPLE, &costs);
	path->path.pathtype = T_CustomScan;
	path->path.parent = parent;
	path->path.pathtarget = output_rel->reltarget;
	path->path.rows = ngroups;
	path->path.startup_cost = sort->path.startup_cost + cost;
	path->path.total_cost = path->path.startup_cost + cost_groups_out(ngroups);
	path->flags = CUSTOMPATH_SUPPORT_PROJECTION;
	path->custom_paths = list_make1(create_agg_path(root, output_rel, below, set_pathtarget_cost_width(root, target), clauses != NIL ? AGG_HASHED : AGG_PLAIN,
													AGGSPLIT_SIMPLE, clauses, NIL, &costs, ngroups));
	path->custom_private = list_make4(search->keys, search->aggs, extract_actual_clauses(input_rel->baserestrictinfo, false), having);
	path->methods = &sort_agg_path_methods;
	return &path->path;
}

void
path_sort_agg_add(PlannerInfo *root, RelOptInfo *input_rel, RelOptInfo *output_rel, const GroupPathExtraData *extra)
{
	const Query *query = root->parse;
	List	   *having = (List *) extra->havingQual;
	List	   *quals = extract_actual_clauses(input_rel->baserestrictinfo, false);
	List	   *clauses;
	List	   *paths = NIL;
	Search		search = {.plain = true};
	double		ngroups;
	Cost		cost;
	ListCell   *lc;

	if (input_rel->reloptkind != RELOPT_BASEREL || input_rel->rtekind != RTE_SUBQUERY || output_rel->reloptkind != RELOPT_UPPER_REL ||
		extra->patype == PARTITIONWISE_AGGREGATE_PARTIAL || output_rel->pathlist == NIL || query->groupingSets != NIL || !path_may_sort(root))
		return;
	foreach(lc, input_rel->pathlist)
		if (sort_below(lfirst(lc)) != NULL)
			paths = lappend(paths, lfirst(lc));
	if (paths == NIL)
		return;
	path_group_keys(root, query->groupClause, &search.keys, &clauses);
	(void) collect_walker((Node *) root->processed_tlist, &search);
	(void) collect_walker((Node *) having, &search);
	ngroups = ((Path *) linitial(output_rel->pathlist))->rows;
	if (!search.plain || !grouping_is_hashable(clauses) || !can_run(input_rel, &search, quals, sort_below(linitial(paths))->path.rows, ngroups, &cost))
		return;
	foreach(lc, paths)
		path_offer(output_rel, create_path(root, input_rel, output_rel, lfirst(lc), &search, having, clauses, ngroups, cost));
}

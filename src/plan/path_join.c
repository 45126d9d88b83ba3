/*
 * path_join.c
 *		GpuJoin: returns the rows of a pipeline over a join of relations.
 */
#include "postgres.h"

#include <limits.h>

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/restrictinfo.h"
#include "optimizer/tlist.h"

#include "compile/compile_not_in.h"
#include "device/device.h"
#include "exec/run/node.h"
#include "guc.h"
#include "plan/cost.h"
#include "plan/decision.h"
#include "plan/estimate.h"
#include "plan/known_fallback.h"
#include "plan/lower_bound.h"
#include "plan/path.h"
#include "plan/pipeline.h"
#include "plan/search.h"

List *
path_join_exprs(List *joins)
{
	List	   *exprs = NIL;
	ListCell   *lc;

	foreach(lc, joins)
	{
		const CandidateJoin *join = lfirst(lc);
		const JoinRequest *request = &join->request;

		if (join->not_in != NULL)
			exprs = lappend(exprs, join->not_in);
		else
			exprs = lappend(exprs, list_make3(request->columns, request->conditions, request->filters));
	}
	return exprs;
}

List *
path_join_builds(List *joins)
{
	List	   *builds = NIL;
	ListCell   *lc;

	foreach(lc, joins)
		if (((CandidateJoin *) lfirst(lc))->build != NULL)
			builds = lappend(builds, ((CandidateJoin *) lfirst(lc))->build);
	return builds;
}

List *
path_join_kinds(List *joins, const List *pass)
{
	List	   *kinds = NIL;
	ListCell   *lc;

	foreach(lc, joins)
	{
		const CandidateJoin *join = lfirst(lc);
		const JoinRequest *request = &join->request;
		const int	subplan = join->not_in != NULL ? not_in_subplan(join->not_in)->plan_id : 0;

		/* a GPU looks up faster than it runs loops */
		kinds = lappend(kinds, list_make4_int(request->type, request->unique, request->few && !cost_on_gpu(pass), subplan));
	}
	return kinds;
}

bool
path_are_columns(const List *exprs)
{
	ListCell   *lc;

	foreach(lc, exprs)
		if (!IsA(lfirst(lc), Var) || lfirst_node(Var, lc)->varattno <= 0)
			return false;
	return true;
}

bool
path_join_has_columns(const RelOptInfo *rel)
{
	return path_are_columns(rel->reltarget->exprs);
}

/* GpuJoin */

/* Return the filters that PostgreSQL tests in the node. */
static List *
quals_above(const Candidate *candidate)
{
	return candidate->joins != NIL ? ((CandidateJoin *) llast(candidate->joins))->above : NIL;
}

/* Return the outputs of a join: the target of PostgreSQL's join, then the columns that only filters above it need. */
static List *
wanted_of_join(const Candidate *candidate, const RelOptInfo *joined)
{
	List	   *vars = pull_var_clause((Node *) quals_above(candidate), PVC_INCLUDE_PLACEHOLDERS);

	return list_union(joined->reltarget->exprs, vars);
}

Plan *
path_join_plan(PlannerInfo *root, RelOptInfo *rel, CustomPath *path, List *tlist, List *clauses, List *custom_plans)
{
	const Candidate *candidate = linitial(path->custom_private);
	const List *wanted = lfourth(path->custom_private);
	CustomScan *scan = makeNode(CustomScan);
	List	   *exprs = list_concat(list_copy(candidate->quals), path_join_exprs(candidate->joins));
	List	   *columns = NIL;
	ListCell   *lc;

	foreach(lc, list_concat_copy(wanted, pull_var_clause((Node *) exprs, PVC_RECURSE_PLACEHOLDERS)))
		if (!tlist_member(lfirst(lc), columns))
			columns = lappend(columns, makeTargetEntry(copyObject(lfirst(lc)), list_length(columns) + 1, NULL,
													   list_length(columns) >= list_length(wanted)));
	scan->scan.scanrelid = 0;
	scan->scan.plan.targetlist = tlist;
	scan->scan.plan.qual = quals_above(candidate);
	scan->custom_scan_tlist = columns;
	scan->custom_exprs = exprs;
	scan->custom_private = list_make5(makeInteger(candidate_secret(candidate, candidate->quals)), lsecond(path->custom_private), NIL,
									  makeInteger(list_length(wanted)), makeInteger(0));
	scan->custom_private = lappend(scan->custom_private, makeInteger((int) known_fallback_hash(root, candidate, candidate->as_rows)));
	scan->custom_private = lappend(scan->custom_private, makeInteger(bms_member_index(candidate->relids, candidate->rel->relid)));
	scan->custom_private = lappend(scan->custom_private, path_join_kinds(candidate->joins, lsecond(path->custom_private)));
	scan->custom_private = lappend(scan->custom_private, candidate_children(candidate));
	scan->custom_plans = custom_plans;
	scan->flags = path->flags;
	scan->methods = &gpu_join_methods;
	return &scan->scan.plan;
}

static const CustomPathMethods join_path_methods = {
	.CustomName = "GpuJoin",
	.PlanCustomPath = path_join_plan,
};

bool
path_is_gpu_join(const Path *path)
{
	return (IsA(path, CustomPath) && ((const CustomPath *) path)->methods == &join_path_methods) || path_is_materialized_scan(path);
}

bool
path_join_tests_rows(const Path *path)
{
	return quals_above(linitial(((const CustomPath *) path)->custom_private)) != NIL;
}

/*
 * Return the cost of index lookups that PostgreSQL makes for rows that it does
 * not expect: of few rows it looks up the relations that are yet to be joined.
 */
static Cost
cost_of_surprise(const PlannerInfo *root, const RelOptInfo *joined, double rows)
{
	const int	left = bms_num_members(root->all_baserels) - bms_num_members(joined->relids);

	return Max(rows - joined->rows, 0) * Max(left, 1) * PATH_INDEX_DESCENT;
}

/*
 * Return the cost of the pass over a candidate whose rows are returned as a
 * request wants them.  Rows joined on a GPU are materialized there, and
 * fetched.
 */
static PassCost
cost_rows_pass(Candidate *candidate, const CompileRequest *request)
{
	const CompileResult *filters = candidate_all_filters(candidate);
	const PassCost pass = cost_joined_pass(candidate, candidate->as_rows, filters, candidate->rows, NO_KEYS);
	CompileRequest keeping = *request;
	PassCost	materialized_pass;

	keeping.give_rows = false;
	keeping.keep_rows = keeping.aggregate = true;
	if (!device_may_use_gpu() || candidate_ends_in_full_join(candidate) ||
		candidate_check_once(candidate, &keeping, &candidate->as_materialized)->reason != NULL)
		return pass;
	materialized_pass = cost_materialized_pass(candidate, candidate->as_materialized, filters, candidate->rows);
	return cost_is_gpu_better((DeviceCost) {.cpu = pass.cost, .gpu = materialized_pass.cost}) ? materialized_pass : pass;
}

/* Return the result of cost_rows_pass(), computed once for each candidate. */
static const PassCost *
pass_of_rows(Candidate *candidate, const CompileRequest *request)
{
	if (candidate->rows_pass == NULL)
	{
		candidate->rows_pass = palloc(sizeof(PassCost));
		*candidate->rows_pass = cost_rows_pass(candidate, request);
	}
	return candidate->rows_pass;
}

const CompileResult *
path_join_compile_rows(Candidate *candidate, const RelOptInfo *joined, CompileRequest *request)
{
	*request = (CompileRequest) {
		.quals = candidate->quals, .joins = candidate_joins(candidate), .give_rows = true, .outputs = wanted_of_join(candidate, joined)
	};
	if (!path_are_columns(request->outputs) ||
		list_length(joined->reltarget->exprs) != list_length(list_union(NIL, joined->reltarget->exprs)))
		return NULL;
	return candidate_check_once(candidate, request, &candidate->as_rows);
}

CustomPath *
path_join_create(PlannerInfo *root, Candidate *candidate, RelOptInfo *joined, List *paths)
{
	List	   *above = quals_above(candidate);
	CompileRequest request;
	const CompileResult *result = path_join_compile_rows(candidate, joined, &request);
	const PassCost *pass;
	Path	   *child;
	CustomPath *path;
	QualCost	above_cost;
	Cost		out;

	candidate->rows_reason = "expression";
	if (result == NULL)
		return NULL;
	candidate->rows_reason = result->reason != NULL ? result->reason : candidate_all_filters(candidate)->reason;
	if (candidate->rows_reason == NULL && is_known_fallback(root, candidate, result))
		candidate->rows_reason = "runtime_error";
	if (candidate->rows_reason != NULL)
		return NULL;
	child = path_fallback_of_join(root, paths);
	candidate->rows_reason = child == NULL ? "expression" : NULL;
	if (child == NULL)
		return NULL;
	pass = pass_of_rows(candidate, &request);
	path = makeNode(CustomPath);
	path->path.pathtype = T_CustomScan;
	path->path.parent = joined;
	path->path.pathtarget = joined->reltarget;
	path->path.rows = joined->rows;
	out = cost_rows_out(result, candidate->rows) + cost_spooled(candidate->rows, joined->reltarget->width) + cost_of_surprise(root, joined, candidate->rows);
	path->path.startup_cost = pass->cost + out;
	cost_qual_eval(&above_cost, above, root);
	path->path.total_cost = path->path.startup_cost + joined->reltarget->cost.startup + joined->reltarget->cost.per_tuple * joined->rows +
		above_cost.startup + above_cost.per_tuple * candidate->rows;
	path->flags = CUSTOMPATH_SUPPORT_PROJECTION;
	path->custom_paths = lcons(path_copy(child), path_join_builds(candidate->joins));
	path->custom_private = list_make4(candidate, cost_private(pass), makeInteger((int) Min(out, INT_MAX)), request.outputs);
	path->methods = &join_path_methods;
	return path;
}

/*
 * Make a forced join cost what PostgreSQL's would: PostgreSQL's join search
 * goes on with the order that it would have chosen, so that the fallback is no
 * worse than that.
 */
static void
cost_as_fallback(Path *path, const Path *fallback)
{
	path->startup_cost = fallback->startup_cost;
	path->total_cost = fallback->total_cost;
}

bool
path_join_may_be_cheaper(Candidate *candidate, const RelOptInfo *joined, double times)
{
	return gpudb_force || path_least_cost(joined) > cost_least(cost_pipeline(candidate)) * times;
}

/* Return a lower bound of the cost of returning rows of a GpuJoin. */
static Cost
cost_of_rows(const RelOptInfo *joined, double rows)
{
	return cost_sorted_out(rows, list_length(joined->reltarget->exprs)) + cost_spooled(rows, joined->reltarget->width);
}

/*
 * Return a GpuJoin of the best pipeline over some relations; NULL if it costs
 * more than PostgreSQL's paths, or there is none.
 */
static CustomPath *
find_join(PlannerInfo *root, RelOptInfo *joined)
{
	Candidate  *candidate = search_find(root, joined->relids);

	if (candidate == NULL || candidate->reason != NULL || !search_is_worth(root, joined))
		return NULL;
	/* compiling the program, which tells the exact cost and other reasons, is expensive */
	if (!gpudb_force && !decision_is_logged() &&
		path_least_cost(joined) <= cost_least(cost_pipeline(candidate)) + cost_of_rows(joined, candidate->rows))
		return NULL;
	candidate->offered = true;
	return path_join_create(root, candidate, joined, joined->pathlist);
}

/* Offer the rows of the best pipeline so far; under gpudb.force they replace the paths that were added since. */
bool
path_join_offer(PlannerInfo *root, RelOptInfo *joined)
{
	const Candidate *candidate = search_find(root, joined->relids);
	CustomPath *path;

	if (candidate == NULL || (candidate->offered && !gpudb_force))
		return false;
	path = find_join(root, joined);
	if (path == NULL)
		return false;
	if (gpudb_force)
		cost_as_fallback(&path->path, linitial(path->custom_paths));
	path_offer(root, joined, &path->path);
	return true;
}

/*
 * Return true if a path joins two relations and does nothing else: a node
 * above a join may sort its rows, or make them distinct.
 */
static bool
is_join(const Path *path)
{
	return (IsA(path, NestPath) || IsA(path, MergePath) || IsA(path, HashPath)) && IS_JOIN_REL(path->parent) && path->param_info == NULL &&
		path->pathtarget == path->parent->reltarget;
}

/* Return a PostgreSQL join with GpuJoins in place of those joins in it that they are cheaper than. */
static Path *
with_joins(Path *path, void *arg)
{
	PlannerInfo *root = arg;
	Path	   *join = is_join(path) ? (Path *) find_join(root, path->parent) : NULL;

	if (join != NULL && join->total_cost < path->total_cost)
		return join;
	return path_change_below(path, PATH_ONCE_BELOW, with_joins, root);
}

/*
 * Return PostgreSQL's cheapest join of all relations with GpuJoins in it, for
 * queries some of whose joins no device can compute, or PostgreSQL computes at
 * less cost; NULL if no GpuJoin is cheaper.  GpuJoins of fewer relations are
 * offered nowhere else: each would be compiled, and be one more path for
 * PostgreSQL to join with others, for nothing if a device can join all.
 */
static Path *
find_mixed(PlannerInfo *root, RelOptInfo *joined)
{
	Path	   *cheapest = path_cheapest(joined->pathlist, NULL);
	Path	   *mixed = cheapest != NULL ? path_change_below(cheapest, PATH_ONCE_BELOW, with_joins, root) : NULL;

	return mixed != cheapest ? mixed : NULL;
}

/* An upper bound of what a path saves by GpuJoins in the places of its joins. */
typedef struct Savings
{
	PlannerInfo *root;
	BoundDetail detail;
	Cost		saved;
} Savings;

/* Add the savings of a path, and of the joins below it; returns the path as it is. */
static Path *
add_savings(Path *path, void *arg)
{
	Savings    *all = arg;
	Savings		below = {all->root, all->detail, 0};

	(void) path_change_below(path, PATH_ONCE_BELOW, add_savings, &below);
	if (is_join(path))
		below.saved = Max(below.saved, path->total_cost - cost_of_rows(path->parent, path->rows) - lower_bound_pipeline(all->root, path->parent->relids, all->detail));
	all->saved += below.saved;
	return path;
}

/* Return true if PostgreSQL's cheapest join of all relations costs at least `cost`, whichever GpuJoins are in it. */
static bool
mixed_bound_reaches(PlannerInfo *root, const RelOptInfo *joined, Cost cost)
{
	Path	   *cheapest = path_cheapest(joined->pathlist, NULL);

	for (BoundDetail detail = 0; cheapest != NULL && detail < BOUND_DETAILS; detail++)
	{
		Savings		all = {root, detail, 0};

		(void) path_change_below(cheapest, PATH_ONCE_BELOW, add_savings, &all);
		if (all.saved == 0 || cheapest->total_cost - all.saved >= cost)
			return true;
	}
	return cheapest == NULL;
}

bool
path_join_bound_reaches(PlannerInfo *root, const RelOptInfo *joined, Cost cost)
{
	return lower_bound_reaches(root, joined, cost) && mixed_bound_reaches(root, joined, cost);
}

Path *
path_join_find(PlannerInfo *root, RelOptInfo *joined)
{
	CustomPath *join = find_join(root, joined);

	return join != NULL ? &join->path : find_mixed(root, joined);
}

/*
 * Return true if PostgreSQL is about to consider the same inner join with its
 * sides swapped: make_join_rel() begins with its left side as the outer one.
 */
static bool
comes_again(const JoinPair *pair)
{
	return pair->type == JOIN_INNER && bms_equal(pair->extra->sjinfo->min_lefthand, pair->outer->relids);
}

static void
note_join(PlannerInfo *root, const RelOptInfo *joined, const Candidate *best)
{
	decision_note_join(root, joined->relids, best->rel != NULL ? best->rel->tuples : 0, best->reason != NULL ? best->reason : best->rows_reason);
}

bool
path_join_waits(const PlannerInfo *root, const RelOptInfo *joined)
{
	/* under gpudb.force a path is offered with each pair, and replaces PostgreSQL's */
	return gpudb_enabled && !gpudb_force && joined->reloptkind == RELOPT_JOINREL && root->join_search_private == NULL &&
		bms_is_subset(root->all_baserels, joined->relids);
}

/*
 * Return true if the query groups the rows of the join of all relations, whose
 * paths then wait for PostgreSQL's plan for the groups.
 */
static bool
waits_for_groups(const PlannerInfo *root)
{
	const Query *query = root->parse;

	return (query->hasAggs || query->groupClause != NIL) && query->groupingSets == NIL && !query->hasTargetSRFs && !decision_is_logged();
}

/* Add merge joins of those pairs that result in a certain join. */
static void
add_merges(PlannerInfo *root, RelOptInfo *joined, const List *pairs)
{
	ListCell   *lc;

	foreach(lc, pairs)
	{
		const JoinPair *pair = lfirst(lc);

		if (pair->joined == joined)
			path_merge_add(root, joined, pair);
	}
}

void
path_join_finish(PlannerInfo *root, RelOptInfo *joined)
{
	if (!path_join_waits(root, joined) || IS_DUMMY_REL(joined) || !(search_is_worth(root, joined) || decision_is_logged()))
		return;
	if (waits_for_groups(root))
	{
		add_merges(root, joined, search_deferred(root));
		search_save_join(root, joined);
	}
	else if (path_join_bound_reaches(root, joined, path_least_cost(joined) - cost_of_rows(joined, joined->rows)))
		add_merges(root, joined, search_deferred(root));
	else
	{
		const Candidate *best;
		Path	   *path;

		add_merges(root, joined, pipeline_catch_up(root));
		path = path_join_find(root, joined);
		if (path != NULL)
			path_offer(root, joined, path);
		best = search_find(root, joined->relids);
		if (best != NULL)
			note_join(root, joined, best);
	}
	set_cheapest(joined);
}

void
path_join_consider(PlannerInfo *root, RelOptInfo *joined, const JoinPair *pair)
{
	const Candidate *best;

	/* paths made by GEQO are freed when it ends */
	if (!gpudb_enabled || joined->reloptkind != RELOPT_JOINREL || root->join_search_private != NULL)
		return;
	/* these join types are for unique rows, and PostgreSQL has added paths for them, too */
	if (pair->type == JOIN_UNIQUE_OUTER || pair->type == JOIN_UNIQUE_INNER)
	{
		if (gpudb_force)
			path_join_offer(root, joined);
		return;
	}
	if (path_join_waits(root, joined) || !(gpudb_force || decision_is_logged()))
	{
		search_defer(root, pair);
		return;
	}
	pipeline_catch_up(root);
	best = pipeline_examine(root, pair);
	if (gpudb_force && !comes_again(pair))
		path_join_offer(root, joined);
	note_join(root, joined, best);
}

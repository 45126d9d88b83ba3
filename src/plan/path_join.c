/*
 * path_join.c
 *		The device pipeline over relations that are joined, and GpuJoin, which returns its rows.
 *
 * A pipeline reads one relation and looks for the rows of others in tables, in
 * the order of PostgreSQL's join search: each time that considers joining two
 * relations, a pipeline over the outer one may be extended by a table of the
 * inner one, whose rows come from a GpuScan or from PostgreSQL's own cheapest
 * path.  The best pipeline over a set of relations is kept in the table of
 * candidates.
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
#include "exec/node.h"
#include "guc.h"
#include "plan/cost.h"
#include "plan/decision.h"
#include "plan/estimate.h"
#include "plan/path.h"
#include "plan/recall.h"
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

		/* a GPU looks up faster than it goes through loops */
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

/* Whether rows of a relation can stand in a table, or be NULL for a join: all that is wanted of them are columns. */
static bool
has_columns_only(const RelOptInfo *rel)
{
	return path_are_columns(rel->reltarget->exprs);
}

/* GpuJoin */

/* The filters that PostgreSQL tests in the node. */
static List *
quals_above(const Candidate *candidate)
{
	return candidate->joins != NIL ? ((CandidateJoin *) llast(candidate->joins))->above : NIL;
}

/* What is wanted of the rows: at first what PostgreSQL's join hands on. */
static List *
wanted_of_join(const Candidate *candidate, const RelOptInfo *joined)
{
	List	   *vars = pull_var_clause((Node *) quals_above(candidate), PVC_INCLUDE_PLACEHOLDERS);

	return list_union(joined->reltarget->exprs, vars);
}

static Plan *
plan_join(PlannerInfo *root, RelOptInfo *rel, CustomPath *path, List *tlist, List *clauses, List *custom_plans)
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
	scan->custom_private = list_make5(makeInteger(candidate->secret), lsecond(path->custom_private), NIL,
									  makeInteger(list_length(wanted)), makeInteger(0));
	scan->custom_private = lappend(scan->custom_private, makeInteger((int) recall_hash(root, candidate, candidate->as_rows)));
	scan->custom_private = lappend(scan->custom_private, makeInteger(bms_member_index(candidate->relids, candidate->rel->relid)));
	scan->custom_private = lappend(scan->custom_private, path_join_kinds(candidate->joins, lsecond(path->custom_private)));
	scan->custom_private = lappend(scan->custom_private, candidate_members(candidate));
	scan->custom_plans = custom_plans;
	scan->flags = path->flags;
	scan->methods = &gpu_join_methods;
	return &scan->scan.plan;
}

static const CustomPathMethods join_path_methods = {
	.CustomName = "GpuJoin",
	.PlanCustomPath = plan_join,
};

bool
path_is_gpu_join(const Path *path)
{
	return IsA(path, CustomPath) && ((const CustomPath *) path)->methods == &join_path_methods;
}

/* Whether PostgreSQL tests rows of a GpuJoin, so that they go out one by one. */
static bool
has_quals_above(const Path *path)
{
	return quals_above(linitial(((const CustomPath *) path)->custom_private)) != NIL;
}

/* Of few rows PostgreSQL looks up what else is to be joined; what that costs for those which it does not expect. */
static Cost
cost_of_surprise(const PlannerInfo *root, const RelOptInfo *joined, double rows)
{
	const int	left = bms_num_members(root->all_baserels) - bms_num_members(joined->relids);

	return Max(rows - joined->rows, 0) * Max(left, 1) * PATH_INDEX_DESCENT;
}

/* The pass over a candidate whose rows go out, as a request wants them: those that a GPU has joined are kept there, and fetched. */
static PassCost
cost_rows_pass(Candidate *candidate, const CompileRequest *request)
{
	const CompileResult *filters = candidate_all_filters(candidate);
	const PassCost pass = cost_joined_pass(candidate, candidate->as_rows, filters, candidate->rows, NO_KEYS);
	CompileRequest keeping = *request;
	PassCost	kept_pass;

	keeping.give_rows = false;
	keeping.keep_rows = keeping.aggregate = true;
	if (gpudb_device == DEVICE_CPU || device_gpu_missing() != NULL || candidate_ends_in_full_join(candidate) ||
		candidate_check_once(candidate, &keeping, &candidate->as_kept)->reason != NULL)
		return pass;
	kept_pass = cost_kept_pass(candidate, candidate->as_kept, filters, candidate->rows);
	return cost_is_gpu_better((DeviceCost) {.cpu = pass.cost, .gpu = kept_pass.cost}) ? kept_pass : pass;
}

/* The same, once for each candidate. */
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

/* The program that returns what is wanted of the rows, compiled once for each candidate; NULL if these are not columns. */
static const CompileResult *
compile_rows(Candidate *candidate, const RelOptInfo *joined, CompileRequest *request)
{
	*request = (CompileRequest) {
		.quals = candidate->quals, .joins = candidate_joins(candidate), .give_rows = true, .outputs = wanted_of_join(candidate, joined)
	};
	if (!path_are_columns(request->outputs) ||
		list_length(joined->reltarget->exprs) != list_length(list_union(NIL, joined->reltarget->exprs)))
		return NULL;
	return candidate_check_once(candidate, request, &candidate->as_rows);
}

/* A GpuJoin over a candidate, with PostgreSQL's cheapest join beside it; NULL if there can be none. */
static CustomPath *
create_join(PlannerInfo *root, Candidate *candidate, RelOptInfo *joined, List *paths)
{
	List	   *above = quals_above(candidate);
	CompileRequest request;
	const CompileResult *result = compile_rows(candidate, joined, &request);
	const PassCost *pass;
	Path	   *child;
	CustomPath *path;
	QualCost	above_cost;
	Cost		out;

	candidate->rows_reason = "expression";
	if (result == NULL)
		return NULL;
	candidate->rows_reason = result->reason != NULL ? result->reason : candidate_all_filters(candidate)->reason;
	if (candidate->rows_reason == NULL && recall_fallback(root, candidate, result))
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
	out = cost_rows_out(result, candidate->rows) + cost_of_surprise(root, joined, candidate->rows);
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

/* Pipelines */

/*
 * What it costs to make a table of a path's rows, for either device.  What a
 * device has found need not go out as rows, and a GPU keeps what it has found
 * itself.
 */
static DeviceCost
cost_table(const Path *path, double rows)
{
	const CustomPath *custom = (const CustomPath *) path;
	const int	ncolumns = list_length(path->pathtarget->exprs);
	const bool	as_columns = (path_is_gpu_scan(path) || (path_is_gpu_join(path) && !has_quals_above(path))) &&
		path->pathtarget == path->parent->reltarget;
	const Cost	rest = path->total_cost - (as_columns ? intVal(lthird(custom->custom_private)) : 0);
	DeviceCost	cost = cost_build(rows, ncolumns, as_columns);

	cost_add(&cost, (DeviceCost) {rest, rest});
	if (as_columns)
		cost.gpu = Min(cost.gpu, cost_pipeline(linitial(custom->custom_private)).gpu + cost_kept_table(rows, ncolumns));
	return cost;
}

/* The same path, which also computes some expressions; NULL if it is of a kind that we do not copy. */
static Path *
with_expressions(PlannerInfo *root, Path *path, List *exprs)
{
	Path	   *copy;

	if (path == NULL || exprs == NIL)
		return path;
	if (path_is_gpu_scan(path) || path_is_gpu_join(path))
	{
		copy = palloc(sizeof(CustomPath));
		memcpy(copy, path, sizeof(CustomPath));
	}
	else
		copy = path_copy(path);
	if (copy == NULL)
		return NULL;
	copy->pathtarget = copy_pathtarget(path->pathtarget);
	add_new_columns_to_pathtarget(copy->pathtarget, exprs);
	set_pathtarget_cost_width(root, copy->pathtarget);
	copy->total_cost += (copy->pathtarget->cost.per_tuple - path->pathtarget->cost.per_tuple) * path->rows;
	return copy;
}

/* Tables */

/*
 * Whether rows of a table can have an expression as a column: computing it
 * raises no error, and is NULL where a left join has no row.
 */
static bool
may_be_column(Expr *expr)
{
	ListCell   *lc;

	foreach(lc, pull_var_clause((Node *) expr, PVC_INCLUDE_PLACEHOLDERS))
		if (!IsA(lfirst(lc), Var) || lfirst_node(Var, lc)->varattno <= 0)
			return false;
	return !IsA(expr, Var) && compile_cannot_fail((Node *) expr) && !contain_volatile_functions((Node *) expr) &&
		!contain_nonstrict_functions((Node *) expr);
}

/* The expressions over the inner relation that are compared with something of the outer one. */
static List *
key_expressions(const JoinPair *pair)
{
	List	   *exprs = NIL;
	ListCell   *lc;

	foreach(lc, pair->extra->restrictlist)
	{
		Expr	   *expr = pair_inner_key(pair, lfirst_node(RestrictInfo, lc));

		if (expr != NULL && may_be_column(expr))
			exprs = list_append_unique(exprs, expr);
	}
	return exprs;
}

/*
 * What a table of a candidate's rows costs at least.  Its exact cost takes the
 * candidate's program, and compiling that is dear.
 */
static DeviceCost
least_cost_of_table(Candidate *candidate, double rows, int ncolumns)
{
	DeviceCost	least = cost_build(rows, ncolumns, true);

	cost_add(&least, cost_pipeline(candidate));
	return least;
}

/* Whether a table could be made cheaper of a candidate's rows than of a path's. */
static bool
may_build_cheaper(Candidate *candidate, const Path *path, double rows)
{
	const DeviceCost least = least_cost_of_table(candidate, rows, list_length(path->pathtarget->exprs));
	const DeviceCost cost = cost_table(path, rows);

	return gpudb_force || least.cpu < cost.cpu || least.gpu < cost.gpu;
}

/*
 * The plan whose rows a table is made of, with some expressions.  PostgreSQL
 * might never have run it, so it must not raise an error: a GpuScan whose
 * filters are all the device's leaves that to PostgreSQL's own plan for the
 * whole.
 */
static Path *
find_build_path(PlannerInfo *root, RelOptInfo *inner, List *exprs)
{
	Candidate  *candidate = candidate_of(root, inner);
	const double rows = estimate_rows(root, inner);
	const bool	may_fail = !candidate_relations_cannot_fail(root, inner->relids);
	Path	   *path = inner->cheapest_total_path;
	Path	   *scan = NULL;

	if (path != NULL && (path->param_info != NULL || may_fail))
		path = NULL;
	if (candidate != NULL && candidate->reason == NULL && candidate->qual_reason == NULL && candidate->gates == NIL &&
		(path == NULL || may_build_cheaper(candidate, path, rows)))
		scan = (Path *) (candidate->joins == NIL ? path_scan_create(candidate) : create_join(root, candidate, inner, inner->pathlist));
	/* what computes expressions goes by rows, for which filters of the device may be PostgreSQL's after all; some are so anyway */
	if (may_fail && (exprs != NIL || (scan != NULL && path_is_gpu_join(scan) && has_quals_above(scan))))
		return NULL;
	path = with_expressions(root, path, exprs);
	scan = with_expressions(root, scan, exprs);
	return scan != NULL && (path == NULL || gpudb_force || cost_least(cost_table(scan, rows)) < cost_least(cost_table(path, rows))) ? scan : path;
}

/* The same, once for all joins with the relation that compare nothing but its columns. */
static Path *
build_path(PlannerInfo *root, RelOptInfo *inner, List *exprs)
{
	Candidate  *candidate = candidate_of(root, inner);

	if (candidate == NULL || exprs != NIL)
		return find_build_path(root, inner, exprs);
	if (!candidate->build_known)
	{
		candidate->build = find_build_path(root, inner, NIL);
		candidate->build_known = true;
	}
	return candidate->build;
}

/*
 * Take the clauses of a join apart; false if PostgreSQL would test some of them
 * apart from it.  Equalities come first, as a hash join would have them, and
 * all else in PostgreSQL's order.
 */
static bool
read_clauses(PlannerInfo *root, const JoinPair *pair, CandidateJoin *join)
{
	List	   *equalities = NIL;
	List	   *others = NIL;
	List	   *filters = NIL;
	ListCell   *lc;

	foreach(lc, pair->extra->restrictlist)
	{
		RestrictInfo *clause = lfirst_node(RestrictInfo, lc);

		if (clause->pseudoconstant)
			return false;
		if (IS_OUTER_JOIN(pair->type) && RINFO_IS_PUSHED_DOWN(clause, pair->joined->relids))
			filters = lappend(filters, clause);
		else if (OidIsValid(clause->hashjoinoperator))
			equalities = lappend(equalities, clause);
		else
			others = lappend(others, clause);
	}
	join->request.conditions = list_concat(get_actual_clauses(equalities), candidate_order(root, others));
	if (pair->type == JOIN_FULL)
		join->above = candidate_order(root, filters);
	else
		join->request.filters = candidate_order(root, filters);
	return true;
}

/* The columns, by number, that are attributes which may be read as codes. */
static Bitmapset *
columns_with_codes(PlannerInfo *root, const List *columns)
{
	Bitmapset  *codes = NULL;
	ListCell   *lc;

	foreach(lc, columns)
	{
		const Var  *var = lfirst(lc);
		const Candidate *of;

		if (!IsA(var, Var))
			continue;
		of = candidate_of(root, find_base_rel(root, var->varno));
		if (of != NULL && of->codes != NULL && of->codes[var->varattno] != 0)
			codes = bms_add_member(codes, foreach_current_index(lc) + 1);
	}
	return codes;
}

static bool
is_kind_of_ours(JoinType type)
{
	return type == JOIN_INNER || type == JOIN_LEFT || type == JOIN_FULL || type == JOIN_SEMI || type == JOIN_ANTI;
}

/* Why no pipeline over the outer relation can be extended so; NULL if one may. */
static const char *
reason_against(const JoinPair *pair, const Candidate *before)
{
	if (before == NULL)
		return "relation_kind";
	if (before->reason != NULL)
		return before->reason;
	if (before->qual_reason != NULL)
		return before->qual_reason;
	if (!is_kind_of_ours(pair->type) || before->gates != NIL || pair->joined->lateral_relids != NULL ||
		pair->inner->lateral_relids != NULL || !has_columns_only(pair->inner) || list_length(before->joins) == PROGRAM_MAX_TABLES)
		return "expression";
	if (candidate_ends_in_full_join(before) || (pair->type == JOIN_FULL && before->members != NIL))
		return "full_join";
	/* what is computed of the outer rows would have to be NULL where there are none */
	if (pair->type == JOIN_FULL && !has_columns_only(pair->outer))
		return "expression";
	return NULL;
}

/* Whether there is a pipeline that costs no more. */
static bool
is_worse(Candidate *candidate, Candidate *best)
{
	return best != NULL && best->reason == NULL && cost_least(cost_pipeline(best)) <= cost_least(cost_pipeline(candidate));
}

/* How much cheaper a pipeline must be to be worth looking for if its table is made of a join: there are many of these. */
#define BUSHY_GAIN	0.9

/* The same with what a table costs at least that is not among a candidate's costs yet. */
static bool
is_worse_with(Candidate *candidate, DeviceCost table, Candidate *best, bool bushy)
{
	DeviceCost	cost = cost_pipeline(candidate);

	cost_add(&cost, table);
	return best->reason == NULL && cost_least(cost_pipeline(best)) * (bushy ? BUSHY_GAIN : 1) <= cost_least(cost);
}

/* What a table of a relation's rows costs at least, whatever plan they come from. */
static DeviceCost
least_cost_of_build(PlannerInfo *root, RelOptInfo *inner, double rows)
{
	const Path *path = inner->cheapest_total_path;
	Candidate  *candidate = candidate_of(root, inner);
	const DeviceCost by_path = cost_table(path, rows);
	DeviceCost	least;

	if (candidate == NULL || candidate->reason != NULL)
		return by_path;
	least = least_cost_of_table(candidate, rows, list_length(path->pathtarget->exprs));
	return (DeviceCost) {Min(least.cpu, by_path.cpu), Min(least.gpu, by_path.gpu)};
}

/* Lanes of a tile, and of the least number of pairs that a device goes over. */
#define TILE_LANES	512
#define PAIR_LANES	64

/* Whether a join leaves so few rows that it pays to put them side by side; *lanes: what a tile has, before and then after it. */
static bool
leaves_few(const JoinPair *pair, const Candidate *before, double rows, double *lanes)
{
	const double around = before->lanes > 0 ? before->lanes : TILE_LANES;
	const double pairs = Max(TILE_LANES * rows / Max(before->rel->tuples, 1), PAIR_LANES);
	const bool	few = pair->type == JOIN_INNER && pairs * 3 <= around;

	if (few || !pair->extra->inner_unique)
		*lanes = Min(pairs, TILE_LANES);
	return few;
}

/* How many pairs of rows a join without equalities looks at: those within the bounds of a sorted table, or all. */
static double
pairs_tested(PlannerInfo *root, const JoinPair *pair, const CandidateJoin *join, const JoinUse *use)
{
	const JoinRequest *request = &join->request;
	const bool	only_whether = pair->type == JOIN_SEMI || pair->type == JOIN_ANTI;
	List	   *bounds = NIL;

	for (JoinEnd end = JOIN_LOWER; use->sorted && end <= JOIN_UPPER; end++)
		if (use->bound[end] >= 0)
			bounds = lappend(bounds, list_nth(request->conditions, use->bound[end]));
	/* whether there are rows within bounds shows without a look at them */
	if (only_whether && list_length(bounds) == list_length(request->conditions))
		return 0;
	return join->rows * estimate_rows(root, pair->inner) * clauselist_selectivity(root, bounds, 0, pair->type, pair->extra->sjinfo);
}

/* The joins of a pipeline, compiled with what is wanted of its rows, if that can be, which then need not be compiled again. */
static const CompileResult *
compile_pipeline(Candidate *candidate, const RelOptInfo *joined)
{
	CompileRequest request;
	const CompileResult *rows = compile_rows(candidate, joined, &request);
	CompileResult *result;

	if (rows != NULL && rows->reason == NULL)
		return rows;
	result = palloc(sizeof(CompileResult));
	request = (CompileRequest) {.aggregate = true, .quals = candidate->quals, .joins = candidate_joins(candidate)};
	candidate_check(candidate, &request, result);
	return result;
}

static bool
is_integer_column(const Node *expr)
{
	if (!IsA(expr, Var) || ((const Var *) expr)->varattno <= 0)
		return false;
	switch (((const Var *) expr)->vartype)
	{
		case INT2OID:
		case INT4OID:
		case INT8OID:
		case DATEOID:
			return true;
		default:
			return false;
	}
}

/* Whether a join is by equality of integers, so that it can be compiled into any pipeline. */
static bool
are_plain_equalities(const JoinPair *pair)
{
	ListCell   *lc;

	foreach(lc, pair->extra->restrictlist)
	{
		const RestrictInfo *clause = lfirst_node(RestrictInfo, lc);

		if (!OidIsValid(clause->hashjoinoperator) || !is_integer_column(get_leftop(clause->clause)) || !is_integer_column(get_rightop(clause->clause)))
			return false;
	}
	return pair->extra->restrictlist != NIL;
}

/* How many joins a program surely has registers and loops for. */
#define SHORT_PIPELINE	(PROGRAM_MAX_LOOPS - 2)

/* Extend a pipeline by a join, and keep it if it is the best one over its relations; else the reason why it cannot be. */
static const char *
extend(PlannerInfo *root, const JoinPair *pair, Candidate *before)
{
	Candidate  *best = search_find(root, pair->joined->relids);
	CandidateJoin *join;
	Candidate  *candidate;
	const CompileResult *result;
	const JoinUse *use;
	const double build_rows = estimate_rows(root, pair->inner);
	List	   *exprs;
	/* rows that no filter lets pass are lanes, too, until some stand side by side */
	const double lanes = before->rel->tuples * (before->lanes > 0 ? before->lanes / TILE_LANES : 1);

	/* another join makes it no cheaper */
	if (is_worse(before, best))
		return NULL;
	join = palloc0(sizeof(CandidateJoin));
	candidate = palloc(sizeof(Candidate));
	*candidate = *before;
	candidate->relids = pair->joined->relids;
	candidate->offered = false;
	candidate->build_known = false;
	candidate->as_rows = candidate->as_kept = NULL;
	candidate->rows_pass = NULL;
	candidate->rows_reason = NULL;
	candidate->rows = estimate_pair(root, pair);
	join->request.type = pair->type;
	join->request.unique = pair->extra->inner_unique;
	join->request.few = leaves_few(pair, before, candidate->rows, &candidate->lanes);
	join->rows = estimate_rows(root, pair->outer);
	cost_add(&candidate->probes, cost_probe(lanes, join->rows, build_rows, estimate_loops(root, pair)));
	if (best != NULL && is_worse_with(candidate, least_cost_of_build(root, pair->inner, build_rows), best, IS_JOIN_REL(pair->inner)))
		return NULL;
	exprs = key_expressions(pair);
	join->build = build_path(root, pair->inner, exprs);
	if (join->build == NULL && exprs != NIL)
		join->build = build_path(root, pair->inner, NIL);
	if (join->build == NULL || !read_clauses(root, pair, join))
		return "expression";
	join->request.columns = join->build->pathtarget->exprs;
	join->request.codes = columns_with_codes(root, join->request.columns);
	candidate->joins = lappend(list_copy(before->joins), join);
	cost_add(&candidate->builds, cost_table(join->build, build_rows));
	if (is_worse(candidate, best))
		return NULL;
	if (list_length(candidate->joins) > SHORT_PIPELINE || (!are_plain_equalities(pair) && !search_is_compiled(root, pair)))
	{
		result = compile_pipeline(candidate, pair->joined);
		if (result->reason != NULL)
			return result->reason;
		use = &result->join[result->njoins - 1];
		/* without keys the cost shows in each program */
		if (use->nkeys == 0 || use->sorted)
			cost_add(&candidate->probes, cost_pairs(pairs_tested(root, pair, join, use)));
		else
			search_note_compiled(root, pair);
		if (is_worse(candidate, best))
			return NULL;
	}
	search_remember(root, candidate);
	return NULL;
}

/*
 * A join that is forced costs what PostgreSQL's would: its search goes on with
 * the order that it would have chosen, so that what runs should there be no
 * answer is no worse than that.
 */
static void
cost_as_fallback(Path *path, const Path *fallback)
{
	path->startup_cost = fallback->startup_cost;
	path->total_cost = fallback->total_cost;
}

/* Whether a GpuJoin over a candidate could cost less than PostgreSQL's paths; compiling its program, which its cost takes, is dear. */
static bool
may_be_cheaper(PlannerInfo *root, Candidate *candidate, const RelOptInfo *joined)
{
	const Cost	least = cost_least(cost_pipeline(candidate));
	ListCell   *lc;

	if (gpudb_force)
		return true;
	foreach(lc, joined->pathlist)
	{
		const Path *path = lfirst(lc);

		if (path->param_info == NULL && path->total_cost <= least)
			return false;
	}
	return search_is_worth(root, joined);
}

/* A GpuJoin of the best pipeline over some relations; NULL if it costs more than PostgreSQL's paths, or there is none. */
static CustomPath *
find_join(PlannerInfo *root, RelOptInfo *joined)
{
	Candidate  *candidate = search_find(root, joined->relids);

	if (candidate == NULL || candidate->reason != NULL || !may_be_cheaper(root, candidate, joined))
		return NULL;
	candidate->offered = true;
	return create_join(root, candidate, joined, joined->pathlist);
}

/* The rows of the best pipeline so far, which under gpudb.force replaces what came in the meantime. */
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

/* PostgreSQL's join with GpuJoins in the places of those joins below it that they are cheaper than. */
static Path *
with_joins(Path *path, void *arg)
{
	PlannerInfo *root = arg;
	Path	   *join = IS_JOIN_REL(path->parent) && path->param_info == NULL ? (Path *) find_join(root, path->parent) : NULL;

	if (join != NULL && join->total_cost < path->total_cost)
		return join;
	return path_change_below(path, PATH_ONCE_BELOW, with_joins, root);
}

/*
 * Offer PostgreSQL's cheapest join of all relations with GpuJoins in it, for
 * queries of which some join is not for a device.  GpuJoins of fewer relations
 * are offered nowhere else: each would be compiled, and be one more path for
 * PostgreSQL to join with others, for nothing if a device can join all.
 */
static void
offer_mixed(PlannerInfo *root, RelOptInfo *joined)
{
	Path	   *cheapest = path_cheapest(joined->pathlist, NULL);
	Path	   *mixed = cheapest != NULL ? path_change_below(cheapest, PATH_ONCE_BELOW, with_joins, root) : NULL;

	if (mixed != cheapest)
		path_offer(root, joined, mixed);
}

/* Whether PostgreSQL is about to consider the same inner join the other way round: make_join_rel() begins with its left side as the outer one. */
static bool
comes_again(const JoinPair *pair)
{
	return pair->type == JOIN_INNER && bms_equal(pair->extra->sjinfo->min_lefthand, pair->outer->relids);
}

/* Have the pipeline over the outer relation of a pair extended, and note why it cannot be if there is none over both. */
static void
examine_pair(PlannerInfo *root, const JoinPair *pair)
{
	Candidate  *before = candidate_of(root, pair->outer);
	const char *reason = reason_against(pair, before);
	Candidate  *best;

	if (reason == NULL)
		reason = extend(root, pair, before);
	best = search_find(root, pair->joined->relids);
	if (best == NULL && reason != NULL)
	{
		best = palloc0(sizeof(Candidate));
		best->relids = pair->joined->relids;
		best->reason = reason;
		search_remember(root, best);
	}
}

void
path_join_catch_up(PlannerInfo *root)
{
	ListCell   *lc;

	foreach(lc, search_take_deferred(root))
		examine_pair(root, lfirst(lc));
}

void
path_join_consider(PlannerInfo *root, RelOptInfo *joined, RelOptInfo *outer, RelOptInfo *inner, JoinType type,
				   const JoinPathExtraData *extra)
{
	const JoinPair pair = {joined, outer, inner, type, extra};
	const Candidate *best;

	/* what GEQO makes is gone when it is through */
	if (!gpudb_enabled || joined->reloptkind != RELOPT_JOINREL || root->join_search_private != NULL)
		return;
	/* these are for unique rows, with which paths of PostgreSQL's have come, too */
	if (type == JOIN_UNIQUE_OUTER || type == JOIN_UNIQUE_INNER)
	{
		path_join_offer(root, joined);
		return;
	}
	if (!search_is_worth(root, joined) && !decision_is_logged())
	{
		search_defer(root, &pair);
		return;
	}
	path_join_catch_up(root);
	examine_pair(root, &pair);
	best = search_find(root, joined->relids);
	if (gpudb_force || bms_equal(joined->relids, root->all_baserels))
	{
		if (!comes_again(&pair) && !path_join_offer(root, joined) && !gpudb_force && (best == NULL || best->reason != NULL || best->rows_reason != NULL))
			offer_mixed(root, joined);
	}
	if (best != NULL)
		decision_note_join(root, joined->relids, best->rel != NULL ? best->rel->tuples : 0, best->reason != NULL ? best->reason : best->rows_reason);
}

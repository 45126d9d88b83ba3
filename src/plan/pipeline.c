/*
 * pipeline.c
 *		Builds the device pipeline over a join of relations.
 *
 * A pipeline reads one relation and looks up the rows of others in join
 * tables, in the order of PostgreSQL's join search: each time that considers
 * joining two relations, a pipeline over the outer one may be extended by a
 * table of the inner one, whose rows come from a GpuScan, from a GpuJoin, or
 * from PostgreSQL's own cheapest path.  The best pipeline over a set of
 * relations is stored in the table of candidates (search.c).
 */
#include "postgres.h"

#include <limits.h>
#include <math.h>

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/restrictinfo.h"
#include "optimizer/tlist.h"

#include "compile/compile.h"
#include "compile/compile_not_in.h"
#include "device/device.h"
#include "exec/run/node.h"
#include "guc.h"
#include "plan/cost.h"
#include "plan/decision.h"
#include "plan/estimate.h"
#include "plan/known_fallback.h"
#include "plan/path.h"
#include "plan/pipeline.h"
#include "plan/search.h"

/*
 * Return the cost of making a join table of a path's rows, for either device.
 * Rows found by a device need not be returned, and those found by a GPU are
 * materialized on it.
 */
static DeviceCost
cost_table(const Path *path, double rows)
{
	const CustomPath *custom = (const CustomPath *) path;
	const int	ncolumns = list_length(path->pathtarget->exprs);
	const bool	as_columns = (path_is_gpu_scan(path) || (path_is_gpu_join(path) && !path_join_tests_rows(path))) &&
		path->pathtarget == path->parent->reltarget;
	const Cost	rest = path->total_cost - (as_columns ? intVal(lthird(custom->custom_private)) : 0);
	DeviceCost	cost = cost_build(rows, ncolumns, as_columns);

	cost_add(&cost, (DeviceCost) {rest, rest});
	if (as_columns)
		cost.gpu = Min(cost.gpu, cost_pipeline(linitial(custom->custom_private)).gpu + cost_materialized_table(rows, ncolumns));
	return cost;
}

/* Return a copy of a path that also computes some expressions; NULL if path_copy() does not know its kind. */
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

/* Join tables */

/*
 * Return true if rows of a join table can have an expression as a column:
 * computing it raises no error, and it is NULL where a left join has no row.
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

/* Return the expressions over the inner relation that are compared with an expression over the outer one. */
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
 * Return a lower bound of the cost of a join table of a candidate's rows.  Its
 * exact cost requires compiling the candidate's program, which is expensive.
 */
static DeviceCost
least_cost_of_table(Candidate *candidate, double rows, int ncolumns)
{
	const bool	as_scan = candidate->joins == NIL && candidate->children == NIL && candidate->filters != NULL;
	const DeviceCost pipeline = cost_pipeline(candidate);
	const Cost	made = cost_least(as_scan ? cost_rows(candidate) : pipeline);
	DeviceCost	least = cost_build(rows, ncolumns, true);

	cost_add(&least, (DeviceCost) {made, made});
	least.gpu = Min(least.gpu, pipeline.gpu + cost_materialized_table(rows, ncolumns));
	return least;
}

/* Return true if a join table could cost less made of a candidate's rows than of a path's. */
static bool
may_build_cheaper(Candidate *candidate, const Path *path, double rows)
{
	const DeviceCost least = least_cost_of_table(candidate, rows, list_length(path->pathtarget->exprs));
	const DeviceCost cost = cost_table(path, rows);

	return gpudb_force || least.cpu < cost.cpu || least.gpu < cost.gpu;
}

/*
 * Return the path whose rows a join table is made of, with some expressions;
 * NULL if there is none.  PostgreSQL might never have run it, so it must not
 * raise an error: a GpuScan whose filters are all computed by the device
 * leaves errors to PostgreSQL's own plan for the whole.
 */
static Path *
find_build_path(PlannerInfo *root, RelOptInfo *inner, Candidate *candidate, double rows, List *exprs)
{
	const bool	may_fail = !candidate_relations_cannot_fail(root, inner->relids);
	Path	   *path = inner->cheapest_total_path;
	Path	   *scan = NULL;

	if (path != NULL && (path->param_info != NULL || may_fail))
		path = NULL;
	if (candidate != NULL && candidate->reason == NULL && candidate->qual_reason == NULL && candidate->gates == NIL &&
		(path == NULL || may_build_cheaper(candidate, path, rows)))
		scan = (Path *) (candidate->joins == NIL ? path_scan_create(candidate) : path_join_create(root, candidate, inner, inner->pathlist));
	/*
	 * expressions are computed row by row, and then PostgreSQL may have to
	 * compute the device's filters after all; it does so anyway where it tests
	 * rows
	 */
	if (may_fail && (exprs != NIL || (scan != NULL && path_is_gpu_join(scan) && path_join_tests_rows(scan))))
		return NULL;
	path = with_expressions(root, path, exprs);
	scan = with_expressions(root, scan, exprs);
	return scan != NULL && (path == NULL || gpudb_force || cost_least(cost_table(scan, rows)) < cost_least(cost_table(path, rows))) ? scan : path;
}

/*
 * Return the join table of a relation's rows, with some expressions.  The
 * candidate over the relation, if any, caches the table without expressions.
 */
static CandidateTable
find_table(PlannerInfo *root, RelOptInfo *inner, Candidate *candidate, double rows, List *exprs)
{
	CandidateTable own = {0};
	CandidateTable *table = candidate != NULL && exprs == NIL ? &candidate->table : &own;

	if (!table->known)
	{
		table->build = find_build_path(root, inner, candidate, rows, exprs);
		if (table->build != NULL)
			table->cost = cost_table(table->build, rows);
		table->known = true;
	}
	return *table;
}

/*
 * Divide the clauses of a join into conditions and filters; return false if
 * PostgreSQL would test some of them apart from it.  Equalities come first, as
 * in a hash join, and all else in PostgreSQL's order.
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

/* Return the numbers of the columns that are attributes with dictionary codes. */
static Bitmapset *
columns_with_dicts(PlannerInfo *root, const List *columns)
{
	Bitmapset  *dict_columns = NULL;
	ListCell   *lc;

	foreach(lc, columns)
	{
		const Var  *var = lfirst(lc);
		const Candidate *of;

		if (!IsA(var, Var))
			continue;
		of = candidate_of(root, find_base_rel(root, var->varno));
		if (of != NULL && of->dict_sizes != NULL && of->dict_sizes[var->varattno] != 0)
			dict_columns = bms_add_member(dict_columns, foreach_current_index(lc) + 1);
	}
	return dict_columns;
}

static bool
is_kind_of_ours(JoinType type)
{
	return type == JOIN_INNER || type == JOIN_LEFT || type == JOIN_FULL || type == JOIN_SEMI || type == JOIN_ANTI;
}

bool
pipeline_has_subplans(const PlannerInfo *root, const JoinPair *pair)
{
	ListCell   *lc;

	if (!root->parse->hasSubLinks)
		return false;
	foreach(lc, pair->extra->restrictlist)
		if (contain_subplans((Node *) lfirst_node(RestrictInfo, lc)->clause))
			return true;
	return false;
}

/*
 * Return the reason code why no pipeline over the outer relation of a pair can
 * be extended to both; NULL if one may be.
 */
static const char *
reason_against(const PlannerInfo *root, const JoinPair *pair, const Candidate *before)
{
	if (before == NULL)
		return "relation_kind";
	if (before->reason != NULL)
		return before->reason;
	if (before->qual_reason != NULL)
		return before->qual_reason;
	if (!is_kind_of_ours(pair->type) || before->gates != NIL || pair->joined->lateral_relids != NULL ||
		pair->inner->lateral_relids != NULL || !path_join_has_columns(pair->inner) || list_length(before->joins) == PROGRAM_MAX_TABLES || pipeline_has_subplans(root, pair))
		return "expression";
	if (candidate_ends_in_full_join(before) || (pair->type == JOIN_FULL && before->children != NIL))
		return "full_join";
	/* expressions over the outer rows would have to be NULL where there are none */
	if (pair->type == JOIN_FULL && !path_join_has_columns(pair->outer))
		return "expression";
	return NULL;
}

/* Return true if the best pipeline so far costs no more than a candidate. */
static bool
is_worse(Candidate *candidate, Candidate *best)
{
	return best != NULL && best->reason == NULL && cost_least(cost_pipeline(best)) <= cost_least(cost_pipeline(candidate));
}

/*
 * Return true if the best pipeline so far costs no more than a candidate with
 * the least cost of a join table added, which the candidate's costs do not
 * include yet.
 */
static bool
is_worse_with(Candidate *candidate, DeviceCost table, Candidate *best, bool bushy)
{
	DeviceCost	cost = cost_pipeline(candidate);

	cost_add(&cost, table);
	return best->reason == NULL && cost_least(cost_pipeline(best)) * (bushy ? BUSHY_GAIN : 1) <= cost_least(cost);
}

DeviceCost
pipeline_least_table(PlannerInfo *root, const RelOptInfo *inner, Candidate *candidate, double rows)
{
	const Path *path = inner->cheapest_total_path;
	const bool	may_run = path->param_info == NULL && candidate_relations_cannot_fail(root, inner->relids);
	const DeviceCost by_path = may_run ? cost_table(path, rows) : (DeviceCost) {INFINITY, INFINITY};
	DeviceCost	least;

	if (candidate == NULL || candidate->reason != NULL)
		return by_path;
	least = least_cost_of_table(candidate, rows, list_length(path->pathtarget->exprs));
	return (DeviceCost) {Min(least.cpu, by_path.cpu), Min(least.gpu, by_path.gpu)};
}

/* Return the least cost of a join table of a pair's inner rows, computed once for each candidate over them. */
static DeviceCost
least_cost_of_inner(PlannerInfo *root, const JoinPair *pair, Candidate *candidate, double rows)
{
	if (candidate == NULL)
		return pipeline_least_table(root, pair->inner, NULL, rows);
	if (!candidate->table.least_known)
	{
		candidate->table.least = pipeline_least_table(root, pair->inner, candidate, rows);
		candidate->table.least_known = true;
	}
	return candidate->table.least;
}

/*
 * Upper bound of PostgreSQL's cost of what it computes of a joined row, in its
 * units: it sorts each of a million rows for 0.1, and calls a function for
 * 0.0025.
 */
#define MOST_ABOVE_JOINS	1

/*
 * Return true if PostgreSQL joins all relations, and computes what the query
 * wants of their rows, for less than a pipeline over them costs with a join
 * table's least cost: then its clauses need not be examined.
 */
static bool
is_beyond_postgres(PlannerInfo *root, const JoinPair *pair, Candidate *candidate, DeviceCost table)
{
	DeviceCost	cost = cost_pipeline(candidate);

	cost_add(&cost, table);
	return Min(path_least_cost(pair->joined) + pair->joined->rows * MOST_ABOVE_JOINS, search_cost_to_beat(root)) <= cost_least(cost);
}

/* Lanes of a tile, and the least number of lanes that a device runs over pairs. */
#define TILE_LANES	512
#define PAIR_LANES	64

/*
 * Return true if a join leaves so few rows that compacting their lanes pays.
 * Changes *lanes, the lanes of a tile in use before the join, to those in use
 * after it.
 */
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

/* Return how many pairs of rows a join without equalities tests: those within the bounds of a sorted table, or all. */
static double
pairs_tested(PlannerInfo *root, const JoinPair *pair, PairRows rows, const CandidateJoin *join, const JoinBounds *bounded)
{
	const JoinRequest *request = &join->request;
	const bool	only_whether = pair->type == JOIN_SEMI || pair->type == JOIN_ANTI;
	List	   *bounds = NIL;

	for (JoinEnd end = JOIN_LOWER; bounded->sorted && end <= JOIN_UPPER; end++)
		if (bounded->bound[end] >= 0)
			bounds = lappend(bounds, list_nth(request->conditions, bounded->bound[end]));
	/* whether there are rows within the bounds follows from their number */
	if (only_whether && list_length(bounds) == list_length(request->conditions))
		return 0;
	return rows.outer * rows.inner * clauselist_selectivity(root, bounds, 0, pair->type, pair->extra->sjinfo);
}

/* Compile the joins of a pipeline, if possible with the outputs of its rows, which then need not be compiled again. */
static const CompileResult *
compile_pipeline(Candidate *candidate, const RelOptInfo *joined)
{
	CompileRequest request;
	const CompileResult *rows = path_join_compile_rows(candidate, joined, &request);
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

bool
pipeline_takes_plainly(const JoinPair *pair)
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

/* Registers of a program that may be in use until its end so that enough remain for everything else. */
#define LASTING_REGISTERS	(PROGRAM_MAX_REGISTERS * 2 / 3)

/* Registers of a loop: its lanes, its pairs and the marks of the pairs, besides the rows of each table so far. */
#define LOOP_REGISTERS	3

/* Add the loops and registers that a pipeline's program needs for one more join. */
static void
count_needs(Candidate *candidate, const JoinRequest *join, int ntables)
{
	const bool	loops = compile_join_loops(join);

	candidate->nloops += loops;
	candidate->nregisters += loops || join->few ? ntables + LOOP_REGISTERS : 1;
}

/*
 * Return how many lanes a program runs over after a pipeline: rows that no
 * filter passes count until lanes are compacted.
 */
static double
lanes_of(const Candidate *candidate)
{
	return candidate->rel->tuples * (candidate->lanes > 0 ? candidate->lanes / TILE_LANES : 1);
}

/* Return a pipeline with one more join, as far as that is known without its clauses and its join table. */
static Candidate
with_join(PlannerInfo *root, const JoinPair *pair, const Candidate *before, PairRows rows, CandidateJoin *join)
{
	Candidate	candidate = *before;

	candidate.relids = pair->joined->relids;
	candidate.offered = false;
	candidate.table = (CandidateTable) {0};
	candidate.rows_cost = NULL;
	candidate.as_rows = candidate.as_materialized = NULL;
	candidate.rows_pass = NULL;
	candidate.rows_reason = NULL;
	candidate.rows = estimate_pair(root, pair, rows);
	*join = (CandidateJoin) {.rows = rows.outer, .request = {.type = pair->type, .unique = pair->extra->inner_unique}};
	join->request.few = leaves_few(pair, before, candidate.rows, &candidate.lanes);
	count_needs(&candidate, &join->request, list_length(before->joins));
	cost_add(&candidate.probes, cost_probe(lanes_of(before), rows.outer, rows.inner));
	return candidate;
}

/* Give a join its table and its clauses; return false if that is not possible. */
static bool
complete_join(PlannerInfo *root, const JoinPair *pair, Candidate *over_inner, double build_rows, CandidateJoin *join, DeviceCost *cost)
{
	List	   *exprs = key_expressions(pair);
	CandidateTable table = find_table(root, pair->inner, over_inner, build_rows, exprs);

	if (table.build == NULL && exprs != NIL)
		table = find_table(root, pair->inner, over_inner, build_rows, NIL);
	if (table.build == NULL || !read_clauses(root, pair, join))
		return false;
	join->build = table.build;
	join->request.columns = join->build->pathtarget->exprs;
	join->request.dict_columns = columns_with_dicts(root, join->request.columns);
	*cost = table.cost;
	return true;
}

/*
 * Determine, by compiling if need be, whether there can be a program for a
 * pipeline with its last join, and add the cost of a join without keys.
 * Returns NULL, or the reason code why there can be no program.
 */
static const char *
examine_program(PlannerInfo *root, const JoinPair *pair, PairRows rows, const CandidateJoin *join, Candidate *candidate)
{
	const bool	fits = candidate->nregisters <= LASTING_REGISTERS;
	const JoinBounds *bounds;

	if (fits && (pipeline_takes_plainly(pair) || search_is_compiled(root, pair)))
		return NULL;
	bounds = fits ? search_find_bounds(root, pair) : NULL;
	if (bounds == NULL)
	{
		const CompileResult *result = compile_pipeline(candidate, pair->joined);
		const JoinUse *use = &result->join[result->njoins - 1];

		if (result->reason != NULL)
			return result->reason;
		if (use->nkeys > 0 && !use->sorted)
		{
			search_note_compiled(root, pair);
			return NULL;
		}
		bounds = search_note_bounds(root, pair, use);
	}
	cost_add(&candidate->probes, cost_pairs(pairs_tested(root, pair, rows, join, bounds)));
	return NULL;
}

/*
 * Extend a pipeline by a join, and store it if it is the best one over its
 * relations; return NULL, or the reason code why it cannot be extended.
 */
static const char *
extend(PlannerInfo *root, const JoinPair *pair, const Candidate *before, Candidate *best)
{
	Candidate  *over_inner = candidate_of(root, pair->inner);
	const PairRows rows = {estimate_rows(before, pair->outer), estimate_rows(over_inner, pair->inner)};
	CandidateJoin join;
	Candidate	candidate = with_join(root, pair, before, rows, &join);
	DeviceCost	build;
	const char *reason;

	/* no program could have all loops, whatever it computes */
	if (candidate.nloops > COMPILE_MOST_LOOPS)
		return "expression";
	if (best != NULL && is_worse_with(&candidate, least_cost_of_inner(root, pair, over_inner, rows.inner), best, IS_JOIN_REL(pair->inner)))
		return NULL;
	/* PostgreSQL's paths for the join of all relations are known */
	if (path_join_waits(root, pair->joined) && !decision_is_logged() &&
		is_beyond_postgres(root, pair, &candidate, least_cost_of_inner(root, pair, over_inner, rows.inner)))
		return "cost";
	/*
	 * only a GPU's programs are slower for loops, and estimate_loops() reads
	 * PostgreSQL's statistics, so it is called late
	 */
	if (device_may_use_gpu() && estimate_loops(root, pair))
		cost_add(&candidate.probes, cost_loop(lanes_of(before)));
	if (!complete_join(root, pair, over_inner, rows.inner, &join, &build))
		return "expression";
	candidate.joins = lappend(list_copy(before->joins), memcpy(palloc(sizeof(join)), &join, sizeof(join)));
	cost_add(&candidate.builds, build);
	if (is_worse(&candidate, best))
		return NULL;
	reason = examine_program(root, pair, rows, &join, &candidate);
	if (reason != NULL || is_worse(&candidate, best))
		return reason;
	search_remember(root, memcpy(palloc(sizeof(candidate)), &candidate, sizeof(candidate)));
	return NULL;
}

const Candidate *
pipeline_examine(PlannerInfo *root, const JoinPair *pair)
{
	Candidate  *before = candidate_of(root, pair->outer);
	Candidate  *best = search_find(root, pair->joined->relids);
	const char *reason = reason_against(root, pair, before);

	/* a further join makes a pipeline no cheaper */
	if (reason == NULL && is_worse(before, best))
		return best;
	if (reason == NULL)
	{
		reason = extend(root, pair, before, best);
		best = search_find(root, pair->joined->relids);
	}
	if (best == NULL && reason != NULL)
	{
		best = palloc0(sizeof(Candidate));
		best->relids = pair->joined->relids;
		best->reason = reason;
		search_remember(root, best);
	}
	return best;
}

List *
pipeline_catch_up(PlannerInfo *root)
{
	List	   *pairs = search_take_deferred(root);
	ListCell   *lc;

	foreach(lc, pairs)
		pipeline_examine(root, lfirst(lc));
	return pairs;
}

/*
 * path_materialized.c
 *		A GpuScan that materializes its rows on the GPU before it returns any.
 *
 * A GPU finds rows in cached columns where it runs over them all at once, as
 * for an aggregate, and materializes them.  So the scan is a pipeline without
 * joins: GpuJoin's executor runs it, and PostgreSQL's own scan is its
 * fallback.  For few rows out of many that is faster than any other way to
 * find them.
 */
#include "postgres.h"

#include <limits.h>

#include "optimizer/cost.h"

#include "device/device.h"
#include "exec/run/node.h"
#include "plan/cost.h"
#include "plan/known_fallback.h"
#include "plan/path.h"
#include "plan/pipeline.h"

static Plan *
plan_materialized(PlannerInfo *root, RelOptInfo *rel, CustomPath *path, List *tlist, List *clauses, List *custom_plans)
{
	CustomScan *scan = (CustomScan *) path_join_plan(root, rel, path, tlist, clauses, custom_plans);

	scan->methods = &gpu_materialized_scan_methods;
	return &scan->scan.plan;
}

static const CustomPathMethods materialized_path_methods = {
	.CustomName = "GpuScan",
	.PlanCustomPath = plan_materialized,
};

bool
path_is_materialized_scan(const Path *path)
{
	return IsA(path, CustomPath) && ((const CustomPath *) path)->methods == &materialized_path_methods;
}

static bool
is_postgres(const Path *path)
{
	return !IsA(path, CustomPath) && path->param_info == NULL;
}

/*
 * Return true if finding the rows costs more than PostgreSQL's scan, which is
 * known sooner than the program with its outputs is compiled.
 */
static bool
is_too_dear(Candidate *candidate)
{
	return cost_pipeline(candidate).gpu >= path_least_scan_cost(candidate->rel);
}

/* Return true if the GPU alone can find the rows, and materialize all columns that the query needs. */
static bool
can_be_materialized(Candidate *candidate)
{
	CompileRequest request;
	const CompileResult *rows;

	if (!device_may_use_gpu() || candidate->children != NIL || candidate->joins != NIL || candidate->qual_reason != NULL || candidate->gates != NIL ||
		candidate->quals == NIL || candidate->filters == NULL || candidate->secret || candidate->rel->reltarget->exprs == NIL || is_too_dear(candidate))
		return false;
	rows = path_join_compile_rows(candidate, candidate->rel, &request);
	if (rows == NULL || rows->reason != NULL || !rows->gives_rows)
		return false;
	request.give_rows = false;
	request.keep_rows = request.aggregate = true;
	return candidate_check_once(candidate, &request, &candidate->as_materialized)->reason == NULL;
}

CustomPath *
path_materialized_create(PlannerInfo *root, Candidate *candidate)
{
	RelOptInfo *rel = candidate->rel;
	const double passing = rel->tuples * candidate->passing;
	const CompileResult *filters;
	Path	   *fallback;
	CustomPath *path;
	PassCost	pass;
	Cost		out;

	if (!can_be_materialized(candidate))
		return NULL;
	filters = candidate_all_filters(candidate);
	fallback = path_cheapest(rel->pathlist, is_postgres);
	fallback = fallback != NULL ? path_copy(fallback) : NULL;
	if (filters->reason != NULL || fallback == NULL || is_known_fallback(root, candidate, candidate->as_rows))
		return NULL;
	pass = cost_materialized_pass(candidate, candidate->as_materialized, filters, passing);
	out = cost_rows_out(candidate->as_materialized, passing) + cost_spooled(passing, rel->reltarget->width);
	path = makeNode(CustomPath);
	path->path.pathtype = T_CustomScan;
	path->path.parent = rel;
	path->path.pathtarget = rel->reltarget;
	path->path.rows = rel->rows;
	path->path.startup_cost = pass.cost + out;
	path->path.total_cost = path->path.startup_cost + rel->reltarget->cost.startup + rel->reltarget->cost.per_tuple * rel->rows;
	path->flags = CUSTOMPATH_SUPPORT_PROJECTION;
	path->custom_paths = list_make1(fallback);
	path->custom_private = list_make4(candidate, cost_private(&pass), makeInteger((int) Min(out, INT_MAX)), rel->reltarget->exprs);
	path->methods = &materialized_path_methods;
	return path;
}

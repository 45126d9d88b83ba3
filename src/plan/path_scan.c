/*
 * path_scan.c
 *		GpuScan: a filtered scan of one relation.
 */
#include "postgres.h"

#include <limits.h>

#include "nodes/makefuncs.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/restrictinfo.h"

#include "device/device.h"
#include "exec/run/node.h"
#include "guc.h"
#include "plan/cost.h"
#include "plan/path.h"

/* Part of a relation in which text columns must be cached for rows to take their texts from them. */
#define TEXTS_CACHED	0.5

/* Elements of the path's private list. */
enum
{
	PATH_CANDIDATE,
	PATH_PASS,					/* NODE_PRIVATE_PASS */
	PATH_OUT,					/* Integer: cost of returning rows, if they come as columns */
	PATH_COLLECTED,				/* Integer: extra cost of the pass compared with one whose rows stay on the device */
	PATH_FETCHES				/* NODE_PRIVATE_FETCHES */
};

static Plan *
plan_scan(PlannerInfo *root, RelOptInfo *rel, CustomPath *path, List *tlist, List *clauses, List *custom_plans)
{
	const Candidate *candidate = list_nth(path->custom_private, PATH_CANDIDATE);
	CustomScan *scan = makeNode(CustomScan);

	scan->scan.scanrelid = rel->relid;
	scan->scan.plan.targetlist = tlist;
	scan->scan.plan.qual = candidate_quals(candidate, false);
	scan->custom_exprs = candidate_quals(candidate, true);
	scan->custom_private = list_make5(makeInteger(candidate_secret(candidate, scan->custom_exprs)), list_nth(path->custom_private, PATH_PASS), candidate->on_device,
									  makeInteger(candidate->as_rows->gives_texts), list_nth(path->custom_private, PATH_FETCHES));
	scan->flags = path->flags;
	scan->methods = &gpu_scan_methods;
	return &scan->scan.plan;
}

static const CustomPathMethods scan_path_methods = {
	.CustomName = "GpuScan",
	.PlanCustomPath = plan_scan,
};

bool
path_is_gpu_scan(const Path *path)
{
	return IsA(path, CustomPath) && ((const CustomPath *) path)->methods == &scan_path_methods;
}

bool
path_scan_has_columns(const Path *path)
{
	return path_is_gpu_scan(path) && intVal(list_nth(((const CustomPath *) path)->custom_private, PATH_FETCHES)) == 0;
}

Cost
path_scan_saved(const Path *path)
{
	const List *private = path_is_gpu_scan(path) ? ((const CustomPath *) path)->custom_private : NIL;

	return private != NIL ? (Cost) intVal(list_nth(private, PATH_OUT)) + intVal(list_nth(private, PATH_COLLECTED)) : 0;
}

/*
 * Compile the program so that rows have texts of any length as values.  That
 * pays where their columns are cached: out of pages, the bytes of all rows
 * would be copied for the sake of those that pass.
 */
static void
try_texts(Candidate *candidate, CompileRequest *request)
{
	CompileResult *result;

	if (candidate->as_rows != NULL || device_may_use_gpu())
		return;
	request->give_texts = true;
	result = palloc(sizeof(CompileResult));
	(void) candidate_check(candidate, request, result);
	if (result->reason == NULL && (!result->gives_texts || cost_cached_part(candidate, result, 0) >= TEXTS_CACHED))
		candidate->as_rows = result;
	request->give_texts = false;
}

/* Compile the filters and the outputs of the rows, as the executor will compile them. */
static const CompileResult *
compile_with_outputs(Candidate *candidate, List *host)
{
	CompileRequest request = {
		.quals = candidate_quals(candidate, true), .give_rows = true,
		.outputs = compile_wanted((Node *) candidate->rel->reltarget->exprs, (Node *) host)
	};
	const CompileResult *result;

	try_texts(candidate, &request);
	result = candidate_check_once(candidate, &request, &candidate->as_rows);

	return result->reason == NULL ? result : candidate->filters;
}

/* Cost of a scan's pass, and of returning its rows. */
typedef struct ScanCost
{
	PassCost	pass;
	Cost		out;
	Cost		saved_out;		/* PATH_OUT */
	Cost		saved_pass;		/* PATH_COLLECTED */
	bool		fetches;
} ScanCost;

/* Return the cost of a scan whose rows come as columns, as far as their types allow it. */
static ScanCost
cost_as_columns(Candidate *candidate, const CompileResult *with_outputs, double passing)
{
	ScanCost	cost = {.pass = cost_pass(candidate, with_outputs, NO_AGGREGATES), .out = cost_rows_out(with_outputs, passing)};

	if (!with_outputs->gives_rows)
		return cost;
	cost.saved_out = cost.out;
	/* rows that stay on a GPU are found in cached columns, like those of an aggregate; others in pages */
	cost.saved_pass = Max(0, cost.pass.cost - cost_pass(candidate, with_outputs, NO_KEYS).cost);
	return cost;
}

/*
 * Return the cost of the cheaper scan: of one whose rows come as columns, or
 * of one that fetches rows from their pages.
 */
static ScanCost
cost_scan(Candidate *candidate, const CompileResult *with_outputs, double passing)
{
	const ScanCost as_columns = cost_as_columns(candidate, with_outputs, passing);
	ScanCost	fetched = {.fetches = true};

	/* forced scans run on a device as far as possible; nodes that collect columns save a part of the cost of columns */
	if ((gpudb_force && with_outputs->gives_rows) || !cost_fetching(candidate, passing, &fetched.pass, &fetched.out) ||
		as_columns.pass.cost - as_columns.saved_pass + as_columns.out - as_columns.saved_out <= fetched.pass.cost + fetched.out)
		return as_columns;
	return fetched;
}

CustomPath *
path_scan_create(Candidate *candidate)
{
	RelOptInfo *rel = candidate->rel;
	List	   *host = candidate_quals(candidate, false);
	CustomPath *path;
	ScanCost	cost;
	QualCost	host_cost;
	double		passing;

	if (candidate->children != NIL || (host != NIL && list_length(host) == list_length(candidate->quals)) || candidate->filters == NULL)
		return NULL;
	cost_qual_eval(&host_cost, host, NULL);
	passing = rel->tuples * candidate->passing;
	cost = cost_scan(candidate, compile_with_outputs(candidate, host), passing);

	path = makeNode(CustomPath);
	path->path.pathtype = T_CustomScan;
	path->path.parent = rel;
	path->path.pathtarget = rel->reltarget;
	path->path.rows = rel->rows;
	path->path.startup_cost = host_cost.startup + rel->reltarget->cost.startup;
	path->path.total_cost = path->path.startup_cost + cost.pass.cost + cost.out +
		host_cost.per_tuple * passing + rel->reltarget->cost.per_tuple * rel->rows;
	path->flags = CUSTOMPATH_SUPPORT_PROJECTION | CUSTOMPATH_SUPPORT_BACKWARD_SCAN;
	path->custom_private = list_make5((Candidate *) candidate, cost_private(&cost.pass), makeInteger((int) Min(cost.saved_out, INT_MAX)),
									  makeInteger((int) Min(cost.saved_pass, INT_MAX)), makeInteger(cost.fetches));
	path->methods = &scan_path_methods;
	return path;
}

/*
 * Return true if a scan's filters alone cost more than PostgreSQL's scan,
 * which is known sooner than the program with its outputs is compiled.
 */
static bool
is_too_dear(Candidate *candidate)
{
	return !gpudb_force && candidate->filters != NULL && cost_least(cost_rows(candidate)) >= path_least_scan_cost(candidate->rel);
}

void
path_scan_add(PlannerInfo *root, Candidate *candidate)
{
	CustomPath *path;
	CustomPath *materialized;

	if (candidate->children != NIL)
		return;
	/* a forced scan would replace the one through which a cursor's rows are updated */
	if (gpudb_force && plan_is_for_cursor(root) && path_comes_in_order(root, candidate->rel))
		return;
	/* without a filter for the device, PostgreSQL's own scan is as good */
	if (candidate->quals == NIL && !gpudb_force)
		return;
	/* rows materialized on a GPU are returned in any order, which tests under gpudb.force compare */
	materialized = gpudb_force || plan_is_for_cursor(root) ? NULL : path_materialized_create(root, candidate);
	path = is_too_dear(candidate) ? NULL : path_scan_create(candidate);
	if (path != NULL)
		path_offer(root, candidate->rel, &path->path);
	if (materialized != NULL && (path == NULL || materialized->path.total_cost < path->path.total_cost))
		path_offer(root, candidate->rel, &materialized->path);
}

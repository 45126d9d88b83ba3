/*
 * require.c
 *		gpudb.debug_require: tests that cannot pass by falling back.
 *
 * "require": a top-level SELECT, INSERT ... SELECT or CREATE TABLE AS that
 * reads a user table fails unless every scan of such a table lies under a
 * gpudb node, and every fallback at run time is an error.  "forbid": a plan
 * with a gpudb node fails.  Queries inside functions, catalogs, utility
 * statements and plain EXPLAIN are exempt.
 */
#include "postgres.h"

#include "access/transam.h"
#include "catalog/pg_class.h"
#include "executor/executor.h"
#include "nodes/extensible.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"

#include "pg_compat.h"
#include "device/device.h"
#include "exec/run/node.h"
#include "exec/run/plan_walk.h"
#include "exec/run/require.h"
#include "guc.h"

static ExecutorStart_hook_type prev_executor_start = NULL;
static ExecutorRun_hook_type prev_executor_run = NULL;
static const char *(*planner_reason) (Oid relation) = NULL;

/* Number of executions in progress; 0 is the top level. */
static int	nesting = 0;

typedef struct PlanSearch
{
	List	   *rtable;
	Oid			uncovered;		/* user table scanned by PostgreSQL */
	bool		gpudb_node;
} PlanSearch;

static bool
is_user_table(Oid relation)
{
	char		kind = get_rel_relkind(relation);

	return relation >= FirstNormalObjectId &&
		(kind == RELKIND_RELATION || kind == RELKIND_MATVIEW || kind == RELKIND_PARTITIONED_TABLE);
}

static bool
visit(const Plan *plan, void *arg)
{
	PlanSearch *search = arg;
	Index		relid;

	/* build plans below may scan any table */
	if (is_gpudb_node(plan))
	{
		search->gpudb_node = true;
		return false;
	}
	/* a GpuSort or GpuSortAgg may read any plan, which is visited as well */
	search->gpudb_node |= is_gpudb_over_any(plan);
	relid = plan_scanned(plan);
	if (relid > 0 && is_user_table(rt_fetch(relid, search->rtable)->relid))
		search->uncovered = rt_fetch(relid, search->rtable)->relid;
	return true;
}

static bool
is_checked(QueryDesc *query, int eflags)
{
	PlannedStmt *stmt = query->plannedstmt;

	if (gpudb_debug_require == REQUIRE_ALLOW || nesting > 0 || (eflags & EXEC_FLAG_EXPLAIN_ONLY))
		return false;
	return stmt->commandType == CMD_SELECT || stmt->commandType == CMD_INSERT;
}

static void
check_plan(QueryDesc *query)
{
	PlannedStmt *stmt = query->plannedstmt;
	PlanSearch	search = {.rtable = stmt->rtable};
	const char *reason;

	plan_walk(stmt, plan_walk_tables(stmt), visit, &search);
	if (gpudb_debug_require == REQUIRE_FORBID && search.gpudb_node)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("query uses a gpudb node although gpudb.debug_require forbids it")));
	if (gpudb_debug_require != REQUIRE_REQUIRE || !OidIsValid(search.uncovered))
		return;
	reason = planner_reason(search.uncovered);
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("query does not run on gpudb nodes although gpudb.debug_require demands it"),
			 errdetail("Relation \"%s\" is scanned by PostgreSQL: %s.",
					   get_rel_name(search.uncovered), reason ? reason : "cost")));
}

static void
executor_start(QueryDesc *query, int eflags)
{
	if (is_checked(query, eflags))
		check_plan(query);
	if (prev_executor_start)
		prev_executor_start(query, eflags);
	else
		standard_ExecutorStart(query, eflags);
}

static void
executor_run(COMPAT_RUN_PARAMETERS)
{
	nesting++;
	PG_TRY();
	{
		if (prev_executor_run)
			prev_executor_run(COMPAT_RUN_ARGUMENTS);
		else
			standard_ExecutorRun(COMPAT_RUN_ARGUMENTS);
	}
	PG_FINALLY();
	{
		nesting--;
	}
	PG_END_TRY();
}

void
require_no_fallback(const char *reason, const char *text)
{
	if (gpudb_debug_require != REQUIRE_REQUIRE || nesting > 1)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("query fell back to PostgreSQL although gpudb.debug_require forbids it"),
			 errdetail("%s: %s.", reason, text)));
}

void
require_gpu(void)
{
	const char *missing;

	if (gpudb_device != DEVICE_GPU || gpudb_debug_require != REQUIRE_REQUIRE || nesting > 1)
		return;
	missing = device_await_gpu();
	if (missing != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("query does not run on a GPU although gpudb.debug_require demands it"),
				 errdetail("device_down: %s.", missing),
				 errhint("gpudb.doctor() tells what is wrong; gpudb.device = auto or cpu runs the query on the CPU device.")));
}

void
require_init(const char *(*reason_of_relation) (Oid relation))
{
	planner_reason = reason_of_relation;
	prev_executor_start = ExecutorStart_hook;
	ExecutorStart_hook = executor_start;
	prev_executor_run = ExecutorRun_hook;
	ExecutorRun_hook = executor_run;
}

/*
 * plan_walk.c
 *		Visiting the nodes of a finished plan.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "exec/node.h"
#include "exec/plan_walk.h"

bool
is_gpudb_node(const Plan *plan)
{
	const CustomScan *scan = (const CustomScan *) plan;

	return IsA(plan, CustomScan) && (scan->methods == &gpu_scan_methods || scan->methods == &gpu_agg_methods || scan->methods == &gpu_join_methods);
}

static void walk(const Plan *plan, PlanVisitor visit, void *arg);

static void
walk_list(List *plans, PlanVisitor visit, void *arg)
{
	ListCell   *lc;

	foreach(lc, plans)
		walk(lfirst(lc), visit, arg);
}

static void
walk(const Plan *plan, PlanVisitor visit, void *arg)
{
	check_stack_depth();
	if (plan == NULL || !visit(plan, arg))
		return;
	switch (nodeTag(plan))
	{
		case T_Append:
			walk_list(((const Append *) plan)->appendplans, visit, arg);
			break;
		case T_MergeAppend:
			walk_list(((const MergeAppend *) plan)->mergeplans, visit, arg);
			break;
		case T_SubqueryScan:
			walk(((const SubqueryScan *) plan)->subplan, visit, arg);
			break;
		case T_CustomScan:
			walk_list(((const CustomScan *) plan)->custom_plans, visit, arg);
			break;
		default:
			break;
	}
	walk(plan->lefttree, visit, arg);
	walk(plan->righttree, visit, arg);
}

void
plan_walk(const PlannedStmt *stmt, const Bitmapset *without, PlanVisitor visit, void *arg)
{
	ListCell   *lc;

	walk(stmt->planTree, visit, arg);
	foreach(lc, stmt->subplans)
		if (!bms_is_member(foreach_current_index(lc) + 1, without))
			walk(lfirst(lc), visit, arg);
}

/* Note the subplans of which a node makes tables. */
static bool
visit_for_tables(const Plan *plan, void *arg)
{
	const CustomScan *scan = (const CustomScan *) plan;
	Bitmapset **tables = arg;
	ListCell   *lc;

	if (!is_gpudb_node(plan) || list_length(scan->custom_private) <= NODE_PRIVATE_JOINS)
		return true;
	foreach(lc, list_nth(scan->custom_private, NODE_PRIVATE_JOINS))
		if (llast_int(lfirst(lc)) > 0)
			*tables = bms_add_member(*tables, llast_int(lfirst(lc)));
	return true;
}

Bitmapset *
plan_walk_tables(const PlannedStmt *stmt)
{
	Bitmapset  *tables = NULL;

	plan_walk(stmt, NULL, visit_for_tables, &tables);
	return tables;
}

/*
 * plan_walk.c
 *		Visiting the nodes of a finished plan.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "exec/run/node.h"
#include "exec/run/plan_walk.h"

Index
plan_scanned(const Plan *plan)
{
	switch (nodeTag(plan))
	{
		case T_SeqScan:
		case T_SampleScan:
		case T_IndexScan:
		case T_IndexOnlyScan:
		case T_BitmapHeapScan:
		case T_TidScan:
		case T_TidRangeScan:
		case T_SubqueryScan:
		case T_FunctionScan:
		case T_ValuesScan:
		case T_TableFuncScan:
		case T_CteScan:
		case T_NamedTuplestoreScan:
		case T_WorkTableScan:
		case T_ForeignScan:
		case T_CustomScan:
			return ((const Scan *) plan)->scanrelid;
		default:
			return 0;
	}
}

static void
walk_list(List *plans, PlanVisitor visit, void *arg)
{
	ListCell   *lc;

	foreach(lc, plans)
		plan_walk_below(lfirst(lc), visit, arg);
}

/* Return the build plans of a node's tables; the first custom plan is the fallback of the whole node. */
static List *
plans_of_tables(const CustomScan *scan)
{
	return is_gpudb_node(&scan->scan.plan) ? list_copy_tail(scan->custom_plans, 1) : scan->custom_plans;
}

void
plan_walk_below(const Plan *plan, PlanVisitor visit, void *arg)
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
			plan_walk_below(((const SubqueryScan *) plan)->subplan, visit, arg);
			break;
		case T_CustomScan:
			walk_list(plans_of_tables((const CustomScan *) plan), visit, arg);
			break;
		default:
			break;
	}
	plan_walk_below(plan->lefttree, visit, arg);
	plan_walk_below(plan->righttree, visit, arg);
}

void
plan_walk(const PlannedStmt *stmt, const Bitmapset *without, PlanVisitor visit, void *arg)
{
	ListCell   *lc;

	plan_walk_below(stmt->planTree, visit, arg);
	foreach(lc, stmt->subplans)
		if (!bms_is_member(foreach_current_index(lc) + 1, without))
			plan_walk_below(lfirst(lc), visit, arg);
}

/* Add the subplans from which a node builds join tables to *arg. */
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

static bool
visit_for_node(const Plan *plan, void *arg)
{
	bool	   *found = arg;

	*found |= is_gpudb_node(plan) || is_gpudb_over_any(plan);
	return !*found;
}

bool
plan_has_gpudb_node(const PlannedStmt *stmt)
{
	bool		found = false;

	plan_walk_below(stmt->planTree, visit_for_node, &found);
	return found;
}

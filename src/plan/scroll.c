/*
 * scroll.c
 *		Cursors that can scroll backward because their plan can.
 *
 * A cursor declared with neither SCROLL nor NO SCROLL can scroll backward if
 * the node at the top of its plan can.  PostgreSQL's plan of ordered rows
 * often has a Sort there; gpudb's may have a node that only goes forward, and
 * what the user may do with the cursor must not depend on that.  So the rows
 * of such a plan are stored, as PostgreSQL stores those of a SCROLL cursor.
 * The Material is put on the finished plan: to plan the query again, for
 * SCROLL, would take as long as the first time.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "optimizer/cost.h"

#include "exec/run/plan_walk.h"
#include "plan/scroll.h"

/* Plan node number that no other node has: workers know only nodes below a Gather by their numbers. */
#define NODE_ID_AT_TOP (-1)

/*
 * Return true if rows come in an order that PostgreSQL may produce by a Sort
 * at the top, which can scan backward.  Above a Sort for DISTINCT ON stands a
 * Unique, which cannot.
 */
static bool
asks_for_order(const Query *query)
{
	ListCell   *lc;

	check_stack_depth();
	if (query->hasDistinctOn)
		return false;
	if (query->sortClause != NIL)
		return true;
	foreach(lc, query->rtable)
	{
		const RangeTblEntry *rte = lfirst_node(RangeTblEntry, lc);

		if (rte->rtekind == RTE_SUBQUERY && asks_for_order(rte->subquery))
			return true;
	}
	return false;
}

bool
scrolls_by_plan(const Query *query, int options)
{
	return (options & CURSOR_OPT_FAST_PLAN) != 0 && (options & (CURSOR_OPT_SCROLL | CURSOR_OPT_NO_SCROLL)) == 0 &&
		query->commandType == CMD_SELECT && query->rowMarks == NIL && asks_for_order(query);
}

/* Return the target list of a node that passes on the rows of the node below it, in the form that setrefs.c gives it. */
static List *
targetlist_above(const List *below)
{
	List	   *above = NIL;
	ListCell   *lc;

	foreach(lc, below)
	{
		TargetEntry *entry = lfirst_node(TargetEntry, lc);
		TargetEntry *copy = flatCopyTargetEntry(entry);

		if (!IsA(entry->expr, Const))
			copy->expr = (Expr *) makeVarFromTargetEntry(OUTER_VAR, entry);
		above = lappend(above, copy);
	}
	return above;
}

void
scroll_keep_rows(PlannedStmt *stmt)
{
	Plan	   *rows = stmt->planTree;
	Material   *material;
	Path		cost;

	if (ExecSupportsBackwardScan(rows) || !plan_has_gpudb_node(stmt))
		return;
	material = makeNode(Material);
	cost_material(&cost, rows->startup_cost, rows->total_cost, rows->plan_rows, rows->plan_width);
	material->plan.startup_cost = cost.startup_cost;
	material->plan.total_cost = cost.total_cost;
	material->plan.plan_rows = rows->plan_rows;
	material->plan.plan_width = rows->plan_width;
	material->plan.parallel_safe = rows->parallel_safe;
	material->plan.plan_node_id = NODE_ID_AT_TOP;
	material->plan.targetlist = targetlist_above(rows->targetlist);
	material->plan.lefttree = rows;
	material->plan.extParam = bms_copy(rows->extParam);
	material->plan.allParam = bms_copy(rows->allParam);
	stmt->planTree = &material->plan;
}

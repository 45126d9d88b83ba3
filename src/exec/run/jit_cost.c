/*
 * jit_cost.c
 *		Decides whether PostgreSQL's JIT pays for the part of a plan that PostgreSQL itself executes.
 *
 * PostgreSQL compiles the expressions of a whole plan to machine code if the
 * plan's total cost is above jit_above_cost.  The cost of a gpudb node is
 * spent by a device, which evaluates no expression of PostgreSQL's.  Compiling
 * the few expressions above the nodes, and those that only a fallback would
 * evaluate, took up to a thousand times as long as evaluating them.  Therefore
 * the decision is made again, by the cost of PostgreSQL's own nodes.
 *
 * Besides, jit_above_cost knows neither how many expressions a plan has nor how
 * many processes compile them: each parallel worker loads the compiler and
 * compiles the whole plan anew.  From then on, parallel workers of the session
 * load the compiler for every query, since they load all libraries of their
 * leader.  With the calibrated time of a unit of cost, all this is compared with
 * what compiled expressions save.
 */
#include "postgres.h"

#include "jit/jit.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"

#include "device/calibration.h"
#include "device/machine.h"
#include "exec/run/jit_cost.h"
#include "exec/run/node.h"
#include "exec/run/plan_walk.h"

/*
 * Milliseconds in which a process loads the compiler, and in which it compiles
 * a function, without optimization and with it; by how many milliseconds ten
 * later parallel queries of a session are slower if the session has compiled;
 * the number of functions that an average plan node has; and the part of a
 * plan's time that compiled expressions save at best.  All were measured with
 * TPC-H's queries.
 */
#define LOAD_MS			30
#define FUNCTION_MS		0.6
#define OPTIMIZED_MS	4
#define LATER_MS		200
#define NODE_FUNCTIONS	3
#define SAVED_PART		0.1

/* Sums over a plan's nodes. */
typedef struct JitCost
{
	Cost		own;			/* cost of PostgreSQL's nodes, without the plans below them */
	int			nodes;			/* number of PostgreSQL's nodes */
	int			workers;		/* number of parallel workers */
	bool		has_ours;
} JitCost;

static Cost
sum_of_list(const List *plans)
{
	Cost		sum = 0;
	ListCell   *lc;

	foreach(lc, plans)
		sum += ((const Plan *) lfirst(lc))->total_cost;
	return sum;
}

/*
 * Return the cost of a nested loop's inner side that looks rows up in an
 * index, anew for each outer row.  Nearly all of it is reading pages; only
 * cpu_tuple_cost for each row is spent on expressions.
 */
static Cost
cost_of_lookups(const Plan *outer, const Plan *inner)
{
	return outer->plan_rows * (inner->total_cost - inner->plan_rows * cpu_tuple_cost);
}

/* Return the total cost of the plans below a node, none of which is spent on the node's own expressions. */
static Cost
cost_below(const Plan *plan)
{
	Cost		below = (plan->lefttree != NULL ? plan->lefttree->total_cost : 0) + (plan->righttree != NULL ? plan->righttree->total_cost : 0);

	switch (nodeTag(plan))
	{
		case T_Append:
			return below + sum_of_list(((const Append *) plan)->appendplans);
		case T_MergeAppend:
			return below + sum_of_list(((const MergeAppend *) plan)->mergeplans);
		case T_SubqueryScan:
			return below + ((const SubqueryScan *) plan)->subplan->total_cost;
		case T_NestLoop:
			if (IsA(plan->righttree, IndexScan) || IsA(plan->righttree, IndexOnlyScan))
				return plan->lefttree->total_cost + cost_of_lookups(plan->lefttree, plan->righttree);
			return below;
		default:
			return below;
	}
}

/*
 * Return the input plan of a GpuSort or GpuSortAgg.  It lies below the
 * fallback, which is a Sort with what may stand above one, or an aggregation
 * without a Sort.
 */
static const Plan *
plan_read(const CustomScan *scan)
{
	const Plan *fallback = linitial(scan->custom_plans);

	for (const Plan *plan = fallback; plan != NULL; plan = plan->lefttree)
		switch (nodeTag(plan))
		{
			case T_Sort:
				return plan->lefttree;
			case T_Limit:
			case T_Unique:
			case T_WindowAgg:
			case T_Agg:
				break;
			default:
				return fallback->lefttree;
		}
	return fallback->lefttree;
}

/* Return the number of parallel workers that a node starts. */
static int
workers_of(const Plan *plan)
{
	switch (nodeTag(plan))
	{
		case T_Gather:
			return ((const Gather *) plan)->num_workers;
		case T_GatherMerge:
			return ((const GatherMerge *) plan)->num_workers;
		default:
			return 0;
	}
}

static bool
add_cost(const Plan *plan, void *arg)
{
	JitCost    *cost = arg;

	if (is_gpudb_node(plan))
		cost->has_ours = true;
	else if (is_gpudb_over_any(plan))
	{
		cost->has_ours = true;
		plan_walk_below(plan_read((const CustomScan *) plan), add_cost, cost);
		return false;
	}
	else
	{
		cost->own += Max(plan->total_cost - cost_below(plan), 0);
		cost->nodes++;
		cost->workers = Max(cost->workers, workers_of(plan));
	}
	return true;
}

/* Return the JIT flags that PostgreSQL gives a plan of this cost under the session's settings. */
static int
flags_of_cost(Cost cost)
{
	int			flags = PGJIT_NONE;

	if (!jit_enabled || jit_above_cost < 0 || cost <= jit_above_cost)
		return flags;
	flags |= PGJIT_PERFORM;
	if (jit_optimize_above_cost >= 0 && cost > jit_optimize_above_cost)
		flags |= PGJIT_OPT3;
	if (jit_inline_above_cost >= 0 && cost > jit_inline_above_cost)
		flags |= PGJIT_INLINE;
	if (jit_expressions)
		flags |= PGJIT_EXPR;
	if (jit_tuple_deforming)
		flags |= PGJIT_DEFORM;
	return flags;
}

/* Return true if compiled expressions save more time than compiling them takes, in all processes and in later queries. */
static bool
jit_pays(const JitCost *cost, int flags)
{
	const double function_ms = (flags & (PGJIT_OPT3 | PGJIT_INLINE)) != 0 ? OPTIMIZED_MS : FUNCTION_MS;
	const double process_ms = LOAD_MS + cost->nodes * NODE_FUNCTIONS * function_ms;
	const double later_ms = max_parallel_workers_per_gather > 0 ? LATER_MS : 0;
	const double plan_ms = cost->own * calibration_figure(FIGURE_pg_unit) / 1e6;

	/* A user who wants all plans compiled wants these compiled, too. */
	return jit_above_cost == 0 || plan_ms * SAVED_PART > process_ms * Max((1.0 + cost->workers) / machine_processors(), 1) + later_ms;
}

/* Return those of the flags with which compiling pays: all, or those without optimization, or none. */
static int
flags_that_pay(const JitCost *cost, int flags)
{
	if (jit_pays(cost, flags))
		return flags;
	flags &= ~(PGJIT_OPT3 | PGJIT_INLINE);
	return jit_pays(cost, flags) ? flags : PGJIT_NONE;
}

/* Add up a plan.  A Limit costs less than what is below it. */
static JitCost
cost_of_plan(const Plan *plan)
{
	JitCost		cost = {0};

	plan_walk_below(plan, add_cost, &cost);
	cost.own = Min(cost.own, plan->total_cost);
	return cost;
}

/*
 * Add up a statement.  The costs of subplans are part of the costs of the nodes
 * that run them; what gpudb nodes take of them is subtracted.
 */
static JitCost
cost_of_statement(const PlannedStmt *stmt)
{
	JitCost		cost = cost_of_plan(stmt->planTree);
	ListCell   *lc;

	foreach(lc, stmt->subplans)
	{
		const Plan *subplan = lfirst(lc);
		JitCost		below;

		if (subplan == NULL)
			continue;
		below = cost_of_plan(subplan);
		cost.own = Max(cost.own - (subplan->total_cost - below.own), 0);
		cost.nodes += below.nodes;
		cost.workers = Max(cost.workers, below.workers);
		cost.has_ours |= below.has_ours;
	}
	return cost;
}

void
jit_set_flags(PlannedStmt *stmt)
{
	JitCost		cost;

	if (stmt->jitFlags == PGJIT_NONE || jit_above_cost == 0)
		return;
	cost = cost_of_statement(stmt);
	if (cost.has_ours)
		stmt->jitFlags = flags_of_cost(cost.own);
	stmt->jitFlags = flags_that_pay(&cost, stmt->jitFlags);
}

int
jit_flags_of_fallback(const Plan *plan)
{
	const JitCost cost = cost_of_plan(plan);

	return flags_that_pay(&cost, flags_of_cost(cost.own));
}

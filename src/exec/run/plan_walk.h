/*
 * plan_walk.h
 *		Visiting the nodes of a finished plan.
 */
#ifndef GPUDB_EXEC_RUN_PLAN_WALK_H
#define GPUDB_EXEC_RUN_PLAN_WALK_H

#include "postgres.h"

#include "nodes/plannodes.h"

/*
 * Callback for each node of a plan, parents first, except the fallback plans of
 * gpudb nodes.  Returning false skips the nodes below.
 */
typedef bool (*PlanVisitor) (const Plan *plan, void *arg);

/* Walk the plan tree rooted at `plan`. */
extern void plan_walk_below(const Plan *plan, PlanVisitor visit, void *arg);

/* Walk the main tree of a statement and its subplans, except the subplans whose numbers are in `without`. */
extern void plan_walk(const PlannedStmt *stmt, const Bitmapset *without, PlanVisitor visit, void *arg);

/* Return the numbers of the subplans from whose rows gpudb nodes build join tables. */
extern Bitmapset *plan_walk_tables(const PlannedStmt *stmt);

/* Return true if a statement's main tree has a node of gpudb's. */
extern bool plan_has_gpudb_node(const PlannedStmt *stmt);

/* Return the range table index of the relation that a node itself scans, 0 if none. */
extern Index plan_scanned(const Plan *plan);

#endif							/* GPUDB_EXEC_RUN_PLAN_WALK_H */

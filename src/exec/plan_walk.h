/*
 * plan_walk.h
 *		Visiting the nodes of a finished plan.
 */
#ifndef GPUDB_EXEC_PLAN_WALK_H
#define GPUDB_EXEC_PLAN_WALK_H

#include "postgres.h"

#include "nodes/plannodes.h"

/* Called for each node, parents first, but not for the fallback of one of ours; false keeps the walk from what lies below. */
typedef bool (*PlanVisitor) (const Plan *plan, void *arg);

/* The same walk from a node on. */
extern void plan_walk_below(const Plan *plan, PlanVisitor visit, void *arg);

/* Walk the main tree of a statement and its subplans, but for those of some numbers. */
extern void plan_walk(const PlannedStmt *stmt, const Bitmapset *without, PlanVisitor visit, void *arg);

/* The numbers of the subplans of which our nodes make tables. */
extern Bitmapset *plan_walk_tables(const PlannedStmt *stmt);

/* Whether a node is one of ours. */
extern bool is_gpudb_node(const Plan *plan);

/* The same of a GpuSort or GpuSortAgg, whose rows may be of any plan, which lies below others in its custom_plans. */
extern bool is_gpudb_over_any(const Plan *plan);

/* Whether a statement's main tree has a node of gpudb's. */
extern bool plan_has_gpudb_node(const PlannedStmt *stmt);

/* The range table index of what a node scans by itself, 0 if nothing. */
extern Index plan_scanned(const Plan *plan);

#endif							/* GPUDB_EXEC_PLAN_WALK_H */

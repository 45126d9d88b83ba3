/*
 * cost.h
 *		What gpudb nodes cost, in the planner's units.
 */
#ifndef GPUDB_PLAN_COST_H
#define GPUDB_PLAN_COST_H

#include "postgres.h"

#include "nodes/pathnodes.h"

/* Reading a relation through a device: `row_ns` of one core for each row. */
extern Cost cost_device_pass(PlannerInfo *root, const RelOptInfo *rel, double row_ns);

/* Returning rows of a scan from their heap tuples. */
extern Cost cost_rows_out(double rows);

/* Merging and returning groups. */
extern Cost cost_groups_out(double groups);

#endif							/* GPUDB_PLAN_COST_H */

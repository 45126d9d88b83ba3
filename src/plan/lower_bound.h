/*
 * lower_bound.h
 *		Lower bounds of what plans with gpudb nodes cost, found without compiling what they compute.
 *
 * Where PostgreSQL's plan costs no more than a lower bound, no plan of ours
 * need be looked for.  Under gpudb.force, and while decisions are collected,
 * every plan is looked for.
 */
#ifndef GPUDB_PLAN_LOWER_BOUND_H
#define GPUDB_PLAN_LOWER_BOUND_H

#include "postgres.h"

#include "nodes/pathnodes.h"

/*
 * A lower bound is computed from the sizes of tables and the types of their
 * columns, or, more closely, from their compiled filters as well.
 */
typedef enum BoundDetail
{
	BOUND_BY_SIZE,
	BOUND_BY_FILTERS,
	BOUND_DETAILS
} BoundDetail;

/*
 * Return a lower bound of the cost of a pipeline over base relations of a
 * query level, in the planner's units; 0 if none is known.  PostgreSQL's join
 * search must have ended.
 */
extern Cost lower_bound_pipeline(PlannerInfo *root, Relids relids, BoundDetail detail);

/* Return whether every pipeline over all relations of a query level, which `rel` must be, costs as much as `cost`; false for other relations. */
extern bool lower_bound_reaches(PlannerInfo *root, const RelOptInfo *rel, Cost cost);

/* Return whether a GpuScan of a table costs as much as PostgreSQL's scans, whatever its filters are. */
extern bool lower_bound_scan_reaches(PlannerInfo *root, RelOptInfo *rel);

#endif							/* GPUDB_PLAN_LOWER_BOUND_H */

/*
 * lower_bound.h
 *		Lower bounds of the cost of plans with gpudb nodes, computed without compiling programs.
 *
 * Where PostgreSQL's plan costs no more than a lower bound, no gpudb plan need
 * be considered.  Under gpudb.force, and while decisions are collected, every
 * plan is considered.
 */
#ifndef GPUDB_PLAN_LOWER_BOUND_H
#define GPUDB_PLAN_LOWER_BOUND_H

#include "postgres.h"

#include "nodes/pathnodes.h"

/*
 * Detail of a lower bound's computation: from the sizes of tables and the
 * types of their columns, or from their compiled filters as well.
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

/*
 * Return true if every pipeline over all relations of a query level, which
 * `rel` must be, costs at least `cost`; false for other relations.
 */
extern bool lower_bound_reaches(PlannerInfo *root, const RelOptInfo *rel, Cost cost);

/* Return true if a GpuScan of a table costs at least as much as PostgreSQL's scans, whatever its filters are. */
extern bool lower_bound_scan_reaches(PlannerInfo *root, RelOptInfo *rel);

#endif							/* GPUDB_PLAN_LOWER_BOUND_H */

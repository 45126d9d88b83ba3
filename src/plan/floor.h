/*
 * floor.h
 *		The least that plans with gpudb nodes can cost, found without compiling what they compute.
 *
 * Where PostgreSQL's plan costs no more, none of ours need be looked for.
 * Under gpudb.force, and while decisions are collected, all are.
 */
#ifndef GPUDB_PLAN_FLOOR_H
#define GPUDB_PLAN_FLOOR_H

#include "postgres.h"

#include "nodes/pathnodes.h"

/* What of a table is looked at: its size and whether anything of it is cached, or its filters, too, which are compiled for that. */
typedef enum FloorDetail
{
	FLOOR_BARE,
	FLOOR_FILTERED,
	FLOOR_DETAILS
} FloorDetail;

/*
 * The least cost of a pipeline over base relations of a query level, in the
 * planner's units; 0 if nothing is known.  PostgreSQL's join search must be
 * through.
 */
extern Cost floor_of_pipeline(PlannerInfo *root, Relids relids, FloorDetail detail);

/* Whether a pipeline over all relations of a query level, which these must be, costs so much at least; false if they are not. */
extern bool floor_is_beyond(PlannerInfo *root, const RelOptInfo *rel, Cost bound);

/* Whether the rows of a table cost a GpuScan as much as PostgreSQL's paths, whatever their filters are. */
extern bool floor_scan_is_beyond(PlannerInfo *root, RelOptInfo *rel);

#endif							/* GPUDB_PLAN_FLOOR_H */

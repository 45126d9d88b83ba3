/*
 * exec_sort.h
 *		GpuSort: declarations for the planner.
 */
#ifndef GPUDB_EXEC_SORT_EXEC_SORT_H
#define GPUDB_EXEC_SORT_EXEC_SORT_H

#include "postgres.h"

#include "nodes/extensible.h"

/*
 * Indexes into CustomScan.custom_private of a GpuSort.
 *
 * custom_plans has PostgreSQL's plan, the fallback: a Sort over the input
 * plan, a WindowAgg, Limit, Unique or Agg over a Sort, or an Agg without
 * groups over the input plan.  custom_scan_tlist has the columns of the input
 * plan, for groups their keys first, then the window functions or aggregates.
 */
enum SortPrivate
{
	/*
	 * WANTED: Integer, number of leading rows that are wanted, 0 = all;
	 * OFFSET: Integer, number of these rows that a Limit, which is part of the
	 * node, skips, -1 = there is no Limit
	 */
	SORT_PRIVATE_WANTED,
	SORT_PRIVATE_OFFSET,
	/*
	 * PARTITION: integer list, columns that tell partitions or groups apart,
	 * from 1 on; ORDER: integer list, columns in which rows that are peers
	 * agree
	 */
	SORT_PRIVATE_PARTITION,
	SORT_PRIVATE_ORDER,
	/*
	 * List of integer lists: the WindowCall of each window function, or the
	 * GroupCall of each aggregate, whose second integer is the argument
	 */
	SORT_PRIVATE_CALLS,
	/*
	 * Integer list, columns by which rows are ordered within their groups,
	 * negative = descending; NIL = the node returns rows, not groups
	 */
	SORT_PRIVATE_SETS,
	/* Integer, number of leading sort keys in which returned rows must differ; 0 = all rows are returned */
	SORT_PRIVATE_DISTINCT
};

#endif							/* GPUDB_EXEC_SORT_EXEC_SORT_H */

/*
 * exec_sort.h
 *		GpuSort: what the planner must know of it.
 */
#ifndef GPUDB_EXEC_EXEC_SORT_H
#define GPUDB_EXEC_EXEC_SORT_H

#include "postgres.h"

#include "nodes/extensible.h"

/*
 * Its plan: custom_plans has a Sort of PostgreSQL's over what is read, or a
 * WindowAgg, Limit, Unique or Agg over such a one, or an Agg without groups;
 * custom_scan_tlist has the columns of what is read, of groups their keys first,
 * then window functions or aggregates; custom_private is what is listed here.
 */
enum SortPrivate
{
	/* Integer, how many of the rows are wanted, 0 = all; Integer, how many of these are passed over, since a Limit is part of the node, -1 = none is */
	SORT_PRIVATE_WANTED,
	SORT_PRIVATE_OFFSET,
	/* integer lists, which of the columns tell partitions or groups apart, and which peers, from 1 on */
	SORT_PRIVATE_PARTITION,
	SORT_PRIVATE_ORDER,
	/* of each window function a WindowCall's integers, of an aggregate a GroupCall's; the second one is its argument */
	SORT_PRIVATE_CALLS,
	/* integer list, which columns rows are ordered by within their groups, less than 0 downward; NIL = these are no groups */
	SORT_PRIVATE_SETS,
	/* Integer, by how many of the Sort's keys the rows that go out must differ; 0 = all go out */
	SORT_PRIVATE_DISTINCT
};

extern const CustomScanMethods gpu_sort_methods;

/* Whether values of a type can be sorted by, in the type's own order, under a collation. */
extern bool sort_is_supported(Oid type, Oid collation);

#endif							/* GPUDB_EXEC_EXEC_SORT_H */

/*
 * exec_sort_agg.h
 *		GpuSortAgg: declarations for the planner.
 */
#ifndef GPUDB_EXEC_SORT_EXEC_SORT_AGG_H
#define GPUDB_EXEC_SORT_EXEC_SORT_AGG_H

#include "postgres.h"

#include "nodes/extensible.h"

/*
 * Indexes into CustomScan.custom_private of a GpuSortAgg.
 *
 * custom_plans has PostgreSQL's Agg over a subquery's GpuSort;
 * custom_scan_tlist has the keys, then the aggregates, then columns of the
 * subquery; custom_exprs has the filters of its rows.
 */
enum SortAggPrivate
{
	/* Integers: number of keys, number of aggregates */
	SORT_AGG_PRIVATE_KEYS,
	SORT_AGG_PRIVATE_AGGS
};

#endif							/* GPUDB_EXEC_SORT_EXEC_SORT_AGG_H */

/*
 * median.h
 *		gpudb.median(x) as the percentile that it is.
 */
#ifndef GPUDB_PLAN_MEDIAN_H
#define GPUDB_PLAN_MEDIAN_H

#include "postgres.h"

#include "nodes/parsenodes.h"

/* Have all medians of a query that is about to be planned be percentiles; it is changed in place. */
extern void median_rewrite(Query *query);

#endif							/* GPUDB_PLAN_MEDIAN_H */

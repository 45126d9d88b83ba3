/*
 * rewrite.h
 *		Replaces aggregates before a query is planned.
 */
#ifndef GPUDB_PLAN_REWRITE_H
#define GPUDB_PLAN_REWRITE_H

#include "postgres.h"

#include "nodes/parsenodes.h"

/*
 * Replace medians by percentiles, and sums of floats by exact ones if the
 * session wants that; changes the query in place.
 */
extern void rewrite_aggregates(Query *query);

#endif							/* GPUDB_PLAN_REWRITE_H */

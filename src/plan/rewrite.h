/*
 * rewrite.h
 *		Aggregates that become others before a query is planned.
 */
#ifndef GPUDB_PLAN_REWRITE_H
#define GPUDB_PLAN_REWRITE_H

#include "postgres.h"

#include "nodes/parsenodes.h"

/* Have medians be percentiles, and sums of floats exact ones if the session wants that; the query is changed in place. */
extern void rewrite_aggregates(Query *query);

#endif							/* GPUDB_PLAN_REWRITE_H */

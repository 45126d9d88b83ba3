/*
 * group_totals.h
 *		Aggregates over all rows of groups of sorted rows, or over their distinct values.
 */
#ifndef GPUDB_EXEC_SORT_GROUP_TOTALS_H
#define GPUDB_EXEC_SORT_GROUP_TOTALS_H

#include "postgres.h"

#include "exec/sort/group_calls.h"

/* A range of groups. */
typedef struct GroupRange
{
	uint32		first;
	uint32		n;
} GroupRange;

/* Return the total that a call computes.  Floats are added as doubles, since their order is not PostgreSQL's. */
static inline TotalOf
group_total_of(const GroupCall *call)
{
	return (TotalOf) {.kind = call->total, .attribute = call->attribute, .as_doubles = true};
}

/* Compute a GROUP_TOTAL call for a range of groups: one value and isnull for each. */
extern void group_totals_compute(const SortedGroups *groups, const GroupCall *call, GroupRange range, Datum *values, bool *isnull);

#endif							/* GPUDB_EXEC_SORT_GROUP_TOTALS_H */

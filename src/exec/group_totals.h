/*
 * group_totals.h
 *		Aggregates over all rows of groups of sorted rows, or over their distinct values.
 */
#ifndef GPUDB_EXEC_GROUP_TOTALS_H
#define GPUDB_EXEC_GROUP_TOTALS_H

#include "postgres.h"

#include "exec/sorted_groups.h"

/* Some of the groups. */
typedef struct GroupRange
{
	uint32		first;
	uint32		n;
} GroupRange;

/* Which total a call is; floats come in an order that is not PostgreSQL's, and are added as doubles. */
static inline TotalOf
group_total_of(const GroupCall *call)
{
	return (TotalOf) {.kind = call->total, .attribute = call->attribute, .as_doubles = true};
}

/* A TOTAL of some groups. */
extern void group_totals_compute(const SortedGroups *groups, const GroupCall *call, GroupRange range, Datum *values, bool *isnull);

#endif							/* GPUDB_EXEC_GROUP_TOTALS_H */

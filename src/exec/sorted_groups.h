/*
 * sorted_groups.h
 *		Groups of sorted rows, and aggregates that need the order of a group's values.
 *
 * Rows are sorted by their group keys, and within a group by what aggregates
 * order by, once for each such column.  Groups begin at the same places in each
 * of these orders, and NULLs are a group's last rows.
 */
#ifndef GPUDB_EXEC_SORTED_GROUPS_H
#define GPUDB_EXEC_SORTED_GROUPS_H

#include "postgres.h"

#include "nodes/primnodes.h"

#include "compile/compile.h"
#include "core/sort_rows.h"
#include "exec/stored_rows.h"

typedef enum GroupCallKind
{
	GROUP_COUNT,				/* of rows, or of an attribute's values that are not NULL */
	GROUP_PERCENTILE,
	GROUP_MODE,
	GroupCallKind_Count
} GroupCallKind;

/* The rows in the order of their groups, and within these of a column. */
typedef struct SortedSet
{
	SortKey		by;
	uint32	   *order;
} SortedSet;

/* An aggregate; for plans its kind, attribute and set. */
typedef struct GroupCall
{
	GroupCallKind kind;
	int			attribute;		/* of the rows, from 0 on; -1 = none */
	int			set;			/* whose order it is of; -1 = any */
	AggResult	percentile;		/* its fractions, and what it does */
} GroupCall;

typedef struct SortedGroups
{
	const StoredRows *stored;
	int			nsets;
	SortedSet  *set;
	int			ncalls;
	GroupCall  *call;
	uint32		ngroups;
	uint32	   *start;			/* of each group in the order, and where the last one ends */
} SortedGroups;

/*
 * Which aggregate it is, what it is of and, if it needs an order, whether that
 * is a descending one; false if it is none of these, or PostgreSQL may give
 * one of several values that differ.
 */
extern bool sorted_group_call(const Aggref *agg, GroupCall *call, bool *descending);

/* Find where groups begin by the columns that tell them apart; without such there is one, even of no rows. */
extern void sorted_groups_find(SortedGroups *groups, const SortKey *keys, int nkeys, MemoryContext context);

/* Whether equal values of what is ordered by may print differently: floats that are -0. */
extern bool sorted_groups_are_ambiguous(const SortedGroups *groups);

/* The aggregates of n groups, from `first` on: values[] and isnull[] of each. */
extern void sorted_groups_compute(const SortedGroups *groups, uint32 first, uint32 n, Datum **values, bool **isnull);

#endif							/* GPUDB_EXEC_SORTED_GROUPS_H */

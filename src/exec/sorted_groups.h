/*
 * sorted_groups.h
 *		Groups of sorted rows, and their aggregates, of which some need the order of a group's values.
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
#include "exec/totals.h"

typedef enum GroupCallKind
{
	GROUP_TOTAL,				/* of rows, or of an attribute's values that are not NULL, or of those that differ */
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

/* An aggregate; for plans its attribute and set. */
typedef struct GroupCall
{
	GroupCallKind kind;
	int			attribute;		/* of the rows, from 0 on; -1 = none */
	int			set;			/* whose order it is of; -1 = any */
	AggResult	percentile;		/* PERCENTILE: its fractions, and what it does */
	TotalKind	total;			/* TOTAL: which one, */
	bool		distinct;		/* and whether of those that differ, which come in the order of its set */
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
 * Which aggregate it is and, if it needs an order, whether that
 * is a descending one; false if it is none of these, or PostgreSQL may give
 * one of several values that differ.
 */
extern bool sorted_group_call(const Aggref *agg, GroupCall *call, bool *descending);

/* Whether such an aggregate is of a group's rows in an order of its own. */
static inline bool
sorted_group_has_order(const GroupCall *call)
{
	return call->kind != GROUP_TOTAL || call->distinct;
}

/* Where groups of rows that stand in the order of some keys begin by these, into start[], which has room for each row; how many there are. */
extern uint32 sorted_groups_starts(const StoredRows *stored, const uint32 *order, uint32 nrows, const SortKey *keys, int nkeys, uint32 *start);

/* Find where groups begin by the columns that tell them apart; without such there is one, even of no rows. */
extern void sorted_groups_find(SortedGroups *groups, const SortKey *keys, int nkeys, MemoryContext context);

/* Whether equal values, of which an aggregate takes one, may print differently: floats that are -0. */
extern bool sorted_groups_are_ambiguous(const SortedGroups *groups);

/* Whether equal values of a group, of which an aggregate takes one, show different numbers of digits: numerics of any scale.  Groups have been found. */
extern bool sorted_groups_differ_in_digits(const SortedGroups *groups);

/* Whether a sum of floats may become too large on its way, which depends on their order. */
extern bool sorted_groups_may_overflow(const SortedGroups *groups);

/* The aggregates of n groups, from `first` on: values[] and isnull[] of each. */
extern void sorted_groups_compute(const SortedGroups *groups, uint32 first, uint32 n, Datum **values, bool **isnull);

#endif							/* GPUDB_EXEC_SORTED_GROUPS_H */

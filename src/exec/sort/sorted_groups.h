/*
 * sorted_groups.h
 *		Aggregates over groups of sorted rows, some of which need the values of a group in order.
 *
 * Rows are sorted by their group keys, and within a group by the column that an
 * aggregate orders by, once for each such column.  Groups begin at equal
 * positions in each of these orders, and NULLs are a group's last rows.
 */
#ifndef GPUDB_EXEC_SORT_SORTED_GROUPS_H
#define GPUDB_EXEC_SORT_SORTED_GROUPS_H

#include "postgres.h"

#include "nodes/primnodes.h"

#include "exec/sort/group_calls.h"

/*
 * Describe an aggregate and, if it needs its values in order, set *descending to
 * the direction.  Return false if it is not supported, or if PostgreSQL may
 * return any of several distinguishable values.
 */
extern bool sorted_group_call(const Aggref *agg, GroupCall *call, bool *descending);

/* Return true if an aggregate needs a group's rows in the order of a set. */
static inline bool
sorted_group_has_order(const GroupCall *call)
{
	return call->kind != GROUP_TOTAL || call->distinct;
}

/*
 * Find the groups of `nrows` rows that are ordered by `keys`.  Set start[], which
 * has room for nrows entries, to the position in order[] at which each group
 * begins, and return the number of groups.
 */
extern uint32 sorted_groups_starts(const StoredRows *stored, const uint32 *order, uint32 nrows, const SortKey *keys, int nkeys, uint32 *start);

/*
 * Find the groups by the columns `keys`, given all sets in order.  Without keys
 * there is one group, even of no rows.  groups->start is allocated in `context`.
 */
extern void sorted_groups_find(SortedGroups *groups, const SortKey *keys, int nkeys, MemoryContext context);

/* Return true if equal values, of which an aggregate takes one, may print differently: floats that are -0. */
extern bool sorted_groups_are_ambiguous(const SortedGroups *groups);

/*
 * Return true if equal values of a group, of which an aggregate takes one, have
 * different display scales: numerics of any scale.  Groups must have been found.
 */
extern bool sorted_groups_differ_in_digits(const SortedGroups *groups);

/* Return true if a partial sum of floats may overflow, which depends on the order of the rows. */
extern bool sorted_groups_may_overflow(const SortedGroups *groups);

/* Compute the aggregates of groups `first` to first + n - 1 into values[] and isnull[] of each aggregate. */
extern void sorted_groups_compute(const SortedGroups *groups, uint32 first, uint32 n, Datum **values, bool **isnull);

#endif							/* GPUDB_EXEC_SORT_SORTED_GROUPS_H */

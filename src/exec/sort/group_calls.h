/*
 * group_calls.h
 *		Aggregates over groups of sorted rows, and the groups.
 */
#ifndef GPUDB_EXEC_SORT_GROUP_CALLS_H
#define GPUDB_EXEC_SORT_GROUP_CALLS_H

#include "postgres.h"

#include "compile/compile.h"
#include "core/sort/sort_rows.h"
#include "exec/sort/stored_rows.h"
#include "exec/sort/totals.h"

typedef enum GroupCallKind
{
	GROUP_TOTAL,				/* over rows, or an attribute's values that are not NULL, or its distinct values */
	GROUP_PERCENTILE,
	GROUP_MODE,
	GroupCallKind_Count
} GroupCallKind;

/* Order of the rows by group, and within groups by one column. */
typedef struct SortedSet
{
	SortKey		by;
	uint32	   *order;
} SortedSet;

/* An aggregate; a plan stores its attribute and set. */
typedef struct GroupCall
{
	GroupCallKind kind;
	int			attribute;		/* attribute of the rows, from 0 on; -1 = none */
	int			set;			/* index of the set whose order it needs; -1 = any */
	AggResult	percentile;		/* PERCENTILE: action, direction and fractions */
	TotalKind	total;			/* TOTAL: kind of aggregate */
	bool		distinct;		/* TOTAL: over distinct values, in the order of `set` */
} GroupCall;

typedef struct SortedGroups
{
	const StoredRows *stored;
	int			nsets;
	SortedSet  *set;
	int			ncalls;
	GroupCall  *call;
	uint32		ngroups;
	uint32	   *start;			/* position of each group in the orders, and the end of the last one */
} SortedGroups;

#endif							/* GPUDB_EXEC_SORT_GROUP_CALLS_H */

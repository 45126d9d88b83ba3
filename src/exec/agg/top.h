/*
 * top.h
 *		Top-N groups: the groups that can be among the first n of an order.
 *
 * Where PostgreSQL sorts groups for their first n, most of them need not be
 * converted to rows.  The words of the leading sort columns tell which groups are
 * needed: all that come no later than the n-th best one, including those that
 * tie with it in these columns.  PostgreSQL orders groups that tie.
 */
#ifndef GPUDB_EXEC_AGG_TOP_H
#define GPUDB_EXEC_AGG_TOP_H

#include "postgres.h"

#include "compile/compile.h"
#include "core/vm/group_top.h"
#include "core/vm/hashtable.h"

/* Largest n for which looking for the first n groups pays. */
#define TOP_MOST 16384

/* A column that groups are sorted by. */
typedef struct TopColumn
{
	int			column;			/* number of a key, or of an aggregate, counted after the keys */
	bool		descending;
	bool		nulls_first;
} TopColumn;

typedef struct Top
{
	int			wanted;			/* the n; 0 = all groups are wanted */
	int			ncolumns;
	TopColumn	by[GROUP_TOP_COLUMNS];	/* the leading sort columns */
	GroupTop	order;			/* words of these columns in a group's row, once there is a program */

	uint32	   *group;			/* numbers of the groups that can be among the first n; NULL = all can */
	uint32		ngroups;
} Top;

/*
 * Return true if PostgreSQL orders a column's values like the words that
 * represent them, and considers no values equal whose words differ.
 */
extern bool top_is_ordered(const CompileResult *compiled, int column);

/* Read a plan's list of integers: wanted, then column, descending, nulls_first of each sort column; NIL = all groups are wanted. */
extern Top	top_of_plan(const List *plan);

/* Set top->order to the words of the sort columns in a group's row. */
extern void top_describe(Top *top, const CompileResult *compiled);

/* Find the groups that can be among the first n; their numbers are allocated in the current memory context. */
extern void top_find(Top *top, const GroupTable *groups);

#endif							/* GPUDB_EXEC_AGG_TOP_H */

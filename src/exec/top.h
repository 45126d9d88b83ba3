/*
 * top.h
 *		The groups that can be among the first n of an order.
 *
 * Where PostgreSQL sorts groups for their first n, most of them need not be
 * made.  The words of the first sort columns tell which: all that come no
 * later than the n-th best one, those that tie with it in these columns
 * included.  The order of groups that tie is for PostgreSQL to find.
 */
#ifndef GPUDB_EXEC_TOP_H
#define GPUDB_EXEC_TOP_H

#include "postgres.h"

#include "compile/compile.h"
#include "core/group_top.h"
#include "core/hashtable.h"

/* Where more are wanted it pays no longer to look for them. */
#define TOP_MOST 16384

/* A column that groups are sorted by. */
typedef struct TopColumn
{
	int			column;			/* a key, or an aggregate, which follow the keys */
	bool		descending;
	bool		nulls_first;
} TopColumn;

typedef struct Top
{
	int			wanted;			/* the n; 0 = all groups are */
	int			ncolumns;
	TopColumn	by[GROUP_TOP_COLUMNS];	/* the first sort columns */
	GroupTop	order;			/* their words in a group's row, once there is a program */

	uint32	   *group;			/* the numbers of those that can be among the first n; NULL = all can */
	uint32		ngroups;
} Top;

/* Whether PostgreSQL orders a column's values as the words that stand for them, and holds none equal whose words differ. */
extern bool top_is_ordered(const CompileResult *compiled, int column);

/* Read a plan's list of integers: wanted, then column, descending, nulls_first of each sort column; NIL = all groups are wanted. */
extern Top	top_of_plan(const List *plan);

/* Find the words. */
extern void top_describe(Top *top, const CompileResult *compiled);

/* Find the groups; their numbers are in the current memory context. */
extern void top_find(Top *top, const GroupTable *groups);

#endif							/* GPUDB_EXEC_TOP_H */

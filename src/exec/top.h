/*
 * top.h
 *		The groups that can be among the first n of an order.
 *
 * Where PostgreSQL sorts groups for their first n, most of them need not be
 * made.  The states of the first sort column alone tell which: all that come
 * no later than the n-th best one, those that tie with it included.  What
 * order these have is for PostgreSQL to say.
 */
#ifndef GPUDB_EXEC_TOP_H
#define GPUDB_EXEC_TOP_H

#include "postgres.h"

#include "compile/compile.h"
#include "core/group_top.h"
#include "core/hashtable.h"

/* Where more are wanted it pays no longer to look for them. */
#define TOP_MOST 16384

typedef struct Top
{
	int			wanted;			/* the n; 0 = all groups are */
	int			column;			/* that they are sorted by: a key, or an aggregate, which follow the keys */
	bool		descending;
	bool		nulls_first;
	GroupTop	order;			/* by which words of a group's row, once there is a program */

	uint32	   *group;			/* the numbers of those that can be among the first n; NULL = all can */
	uint32		ngroups;
} Top;

/* Whether PostgreSQL orders a column's values as the words that stand for them, and holds none equal whose words differ. */
extern bool top_is_ordered(const CompileResult *compiled, int column);

/* Of a plan's list of integers: wanted, column, descending, nulls_first; NIL = all groups are wanted. */
extern Top	top_of_plan(const List *plan);

/* Find the words. */
extern void top_describe(Top *top, const CompileResult *compiled);

/* Find the groups; their numbers are in the current memory context. */
extern void top_find(Top *top, const GroupTable *groups);

#endif							/* GPUDB_EXEC_TOP_H */

/*
 * path_sort_private.h
 *		What path_sort.c, path_sets.c and path_merge.c share: the path of a GpuSort.
 */
#ifndef GPUDB_PLAN_PATH_SORT_PRIVATE_H
#define GPUDB_PLAN_PATH_SORT_PRIVATE_H

#include "postgres.h"

#include "nodes/extensible.h"
#include "nodes/pathnodes.h"

/* What custom_private of a path has. */
enum
{
	PATH_WANTED,				/* as the plan's */
	PATH_OFFSET,
	PATH_PARTITION,				/* expressions, */
	PATH_ORDER,					/* as these; */
	PATH_FUNCTIONS,				/* WindowFuncs or Aggrefs, */
	PATH_CALLS,					/* and their calls, but for arguments, */
	PATH_ARGUMENTS,				/* which are these, NULL where there is none; */
	PATH_SETS,					/* expressions that rows of a group are ordered by, */
	PATH_DESCENDING,			/* and whether downward, integers; */
	PATH_HAVING,
	PATH_READ,					/* what an Agg over no Sort reads, expressions */
	PATH_DISTINCT				/* Integer, as the plan's */
};

extern const CustomPathMethods sort_path_methods;

/* Such a list, without calls and sets, of all rows. */
extern List *path_sort_private(int wanted, List *partition, List *order);

/* Whether a query's rows may be sorted by us at all. */
extern bool path_may_sort(PlannerInfo *root);

/* Whether values of expressions can be stored whose form is known before they come. */
extern bool path_are_storable(const List *exprs);

/* Whether a key is in the order that its type has by default, and that is known to us. */
extern bool path_is_plain_key(const PathKey *key);

/* PostgreSQL's Sort in a path's fallback; NULL if it is not known, as of groups. */
extern const SortPath *path_sort_of(const CustomPath *path);

/* Whether what a path sorts is more than memory holds, so that it is merged. */
extern bool path_sort_is_too_large(const CustomPath *path);

/* A GpuSort in the place of a Sort, of which so many rows are wanted (0 = all); NULL if it cannot be. */
extern Path *path_sort_create(PlannerInfo *root, const SortPath *sort, int wanted);

/* What is read below a sort: PostgreSQL's cheapest path, or a GpuScan of the same columns. */
extern List *path_below_sort(PlannerInfo *root, RelOptInfo *rel);

/* Whether a path is a GpuScan or GpuJoin, whose rows are collected as the columns that the device has. */
extern bool path_has_columns(const Path *path);

/* Whether groups that could be sorted are to be hashed: a GpuAgg is forced, and enable_hashagg is on. */
extern bool path_is_hashed(const RelOptInfo *output_rel);

#endif							/* GPUDB_PLAN_PATH_SORT_PRIVATE_H */

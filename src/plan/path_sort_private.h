/*
 * path_sort_private.h
 *		Declarations shared by path_sort.c, path_sets.c and path_merge.c: the path of a GpuSort.
 */
#ifndef GPUDB_PLAN_PATH_SORT_PRIVATE_H
#define GPUDB_PLAN_PATH_SORT_PRIVATE_H

#include "postgres.h"

#include "nodes/extensible.h"
#include "nodes/pathnodes.h"

/* Elements of custom_private of a GpuSort's path. */
enum
{
	PATH_WANTED,				/* as in the plan */
	PATH_OFFSET,
	PATH_PARTITION,				/* expressions to partition or group by */
	PATH_ORDER,					/* expressions to order by */
	PATH_FUNCTIONS,				/* WindowFuncs or Aggrefs */
	PATH_CALLS,					/* calls of PATH_FUNCTIONS, without their arguments */
	PATH_ARGUMENTS,				/* arguments of PATH_CALLS; NULL where there is none */
	PATH_SETS,					/* expressions that rows of a group are ordered by */
	PATH_DESCENDING,			/* integers, for each of PATH_SETS: 1 = descending */
	PATH_HAVING,
	PATH_READ,					/* expressions that an Agg without Sort reads */
	PATH_DISTINCT				/* Integer, as in the plan */
};

extern const CustomPathMethods sort_path_methods;

/* Return custom_private of a GpuSort without calls and sets. */
extern List *path_sort_private(int wanted, List *partition, List *order);

/* Return true if a GpuSort may sort a query's rows at all. */
extern bool path_may_sort(PlannerInfo *root);

/* Return true if values of all expressions have a type that can be stored as columns. */
extern bool path_are_storable(const List *exprs);

/* Return true if a key has its type's default order, and a GpuSort supports that order. */
extern bool path_is_plain_key(const PathKey *key);

/* Return PostgreSQL's Sort in a path's fallback; NULL if there is none, as for groups. */
extern const SortPath *path_sort_of(const CustomPath *path);

/* Return true if the rows that a sort, or a path of a GpuSort, sorts exceed its memory, so that runs are merged. */
extern bool path_sort_needs_runs(const SortPath *sort);
extern bool path_sort_is_too_large(const CustomPath *path);

/* Create a GpuSort in place of a Sort, of which `wanted` rows are wanted (0 = all); NULL if that is not possible. */
extern Path *path_sort_create(PlannerInfo *root, const SortPath *sort, int wanted);

/*
 * Return the paths to read below a sort: PostgreSQL's cheapest path, and a
 * GpuScan of the same columns if there can be one.
 */
extern List *path_below_sort(PlannerInfo *root, RelOptInfo *rel);

/* Return true if a path is a GpuScan or GpuJoin whose rows are collected as the columns that the device has. */
extern bool path_has_columns(const Path *path);

/* Return true if groups that could be sorted are to be hashed: a GpuAgg is forced, and enable_hashagg is on. */
extern bool path_is_hashed(const RelOptInfo *output_rel);

#endif							/* GPUDB_PLAN_PATH_SORT_PRIVATE_H */

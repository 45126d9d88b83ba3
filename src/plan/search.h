/*
 * search.h
 *		Planner state that gpudb holds for one query level: its candidates, and joins whose examination was deferred.
 */
#ifndef GPUDB_PLAN_SEARCH_H
#define GPUDB_PLAN_SEARCH_H

#include "postgres.h"

#include "nodes/pathnodes.h"

#include "plan/candidate.h"
#include "plan/estimate.h"
#include "plan/lower_bound.h"

/* Lower bounds of what a base relation costs (lower_bound.c). */
typedef struct TableBound
{
	DeviceCost	pass;			/* as the driver of a pipeline */
	DeviceCost	table;			/* as a join table of its rows */
	DeviceCost	weight;			/* the part of `table` that is charged whatever joins the join table's rows come from */
} TableBound;

/* Lower bounds of all base relations of a query level. */
typedef struct LevelBound
{
	TableBound *table;			/* by range table index; NULL before they are computed */
	bool		weighed;		/* the weights are assigned */
} LevelBound;

/* Bounds that the conditions of a join without keys set for the rows of its join table. */
typedef struct JoinBounds
{
	bool		sorted;			/* the rows are sorted by the column that the conditions bound */
	int			bound[2];		/* numbers of the bounding conditions, by JoinEnd; -1 = no bound at that end */
} JoinBounds;

/*
 * Return true if PostgreSQL expects to spend enough time on a relation, a join
 * or a result for a device to save some: a multiple of the cost of starting a
 * device.  Examining cheaper ones would take longer than any plan could gain.
 * Under gpudb.force every relation is worthwhile.
 */
extern bool search_is_worth(const PlannerInfo *root, const RelOptInfo *rel);

/* Return the candidate over a set of relations, or NULL if none has been examined. */
extern Candidate *search_find(PlannerInfo *root, Relids relids);

/* Store a candidate for its relations, in place of the one stored before. */
extern void search_remember(PlannerInfo *root, Candidate *candidate);

/* Defer the examination of a pair of relations that PostgreSQL's join search considers. */
extern void search_defer(PlannerInfo *root, const JoinPair *pair);

/* Return the list of deferred JoinPairs, in the order in which PostgreSQL considered them; search_take_deferred() leaves it empty. */
extern List *search_deferred(PlannerInfo *root);
extern List *search_take_deferred(PlannerInfo *root);

/*
 * Save a copy of the join of all relations as the join search leaves it:
 * before grouping, PostgreSQL replaces its target and its paths.  Deferred
 * pairs of the join refer to the copy from then on.  search_saved_join()
 * returns the copy, whose only path is PostgreSQL's cheapest one, or NULL if
 * none was saved.
 */
extern void search_save_join(PlannerInfo *root, const RelOptInfo *joined);
extern RelOptInfo *search_saved_join(PlannerInfo *root);

/* Set and return the cost of PostgreSQL's plan for the groups of the saved join; it is INFINITY before it is set. */
extern void search_set_cost_to_beat(PlannerInfo *root, Cost cost);
extern Cost search_cost_to_beat(PlannerInfo *root);

/* Result of path_may_sort(): whether a GpuSort may sort rows of a query level. */
typedef enum MaySort
{
	MAY_SORT_UNKNOWN,
	MAY_NOT_SORT,
	MAY_SORT
} MaySort;

/* Return a pointer to the result of path_may_sort() for a query level. */
extern MaySort *search_may_sort(PlannerInfo *root);

/* Return a pointer to the bounds that lower_bound.c stores for a query level. */
extern LevelBound *search_lower_bounds(PlannerInfo *root, BoundDetail detail);

/* Return a pointer to the result of candidate_minimal() for a base relation, which is NULL at first. */
extern Candidate **search_minimal(PlannerInfo *root, Index relid);

/*
 * search_is_compiled() returns true if joins of a pair's type by its clauses,
 * and joins to all relations of its inner side, have been compiled in
 * pipelines of this query level and found rows by keys: another pipeline with
 * such a join then need not be compiled to know that it is possible.
 * search_note_compiled() records a pair.
 */
extern bool search_is_compiled(PlannerInfo *root, const JoinPair *pair);
extern void search_note_compiled(PlannerInfo *root, const JoinPair *pair);

/*
 * search_find_bounds() returns how a join without keys bounds the rows of its
 * join table, if a join of the pair's type by exactly its clauses and to its
 * inner side has been compiled in some pipeline of this query level, else
 * NULL.  search_note_bounds() records it for a pair, and returns the recorded
 * entry.
 */
extern const JoinBounds *search_find_bounds(PlannerInfo *root, const JoinPair *pair);
extern const JoinBounds *search_note_bounds(PlannerInfo *root, const JoinPair *pair, const JoinUse *use);

#endif							/* GPUDB_PLAN_SEARCH_H */

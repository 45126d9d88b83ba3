/*
 * search.h
 *		What gpudb knows of the planning of one query level: its candidates, and joins whose examination was put off.
 */
#ifndef GPUDB_PLAN_SEARCH_H
#define GPUDB_PLAN_SEARCH_H

#include "postgres.h"

#include "nodes/pathnodes.h"

#include "plan/candidate.h"
#include "plan/estimate.h"
#include "plan/floor.h"

/* What a base relation costs at least. */
typedef struct TableFloor
{
	DeviceCost	pass;			/* the pipeline that reads it, */
	DeviceCost	table;			/* and a join's table of its rows; */
	DeviceCost	weight;			/* the part of this that is its own, whatever it is joined with before (floor.c) */
} TableFloor;

/* The same of all base relations of a query level. */
typedef struct LevelFloor
{
	TableFloor *table;			/* by their numbers; NULL before they are found */
	bool		weighed;		/* weights are known, too */
} LevelFloor;

/* How conditions of a join without keys bound the rows of its table. */
typedef struct JoinBounds
{
	bool		sorted;			/* the rows are sorted by the column that conditions bound */
	int			bound[2];		/* numbers of these conditions, by JoinEnd; -1 = none bounds that end */
} JoinBounds;

/*
 * Whether PostgreSQL expects to spend enough time on a relation, a join or a
 * result for a device to save some: a multiple of what starting a device costs.
 * Examining cheaper ones would take longer than any plan could gain.  Under
 * gpudb.force all are worth it.
 */
extern bool search_is_worth(const PlannerInfo *root, const RelOptInfo *rel);

/* The candidate over a set of relations, or NULL if none has been examined. */
extern Candidate *search_find(PlannerInfo *root, Relids relids);

/* Have search_find() return a candidate for its relations, in the place of the one there was. */
extern void search_remember(PlannerInfo *root, Candidate *candidate);

/* Put off the examination of a pair of relations that PostgreSQL's join search considers. */
extern void search_defer(PlannerInfo *root, const JoinPair *pair);

/* The list of JoinPair that were put off, in the order in which PostgreSQL considered them; search_take_deferred() leaves it empty. */
extern List *search_deferred(PlannerInfo *root);
extern List *search_take_deferred(PlannerInfo *root);

/*
 * Keep the join of all relations as it is when the join search is through, for
 * groups to be made of it: PostgreSQL then has its paths compute what they are
 * made of.  Pairs of it that were put off are of the copy from then on.
 * search_kept_join() returns this copy, or NULL if there is none; of the paths
 * it has PostgreSQL's cheapest one.
 */
extern void search_keep_join(PlannerInfo *root, const RelOptInfo *joined);
extern RelOptInfo *search_kept_join(PlannerInfo *root);

/* What PostgreSQL's plan for the groups of a kept join costs, once it is known: INFINITY before. */
extern void search_set_bound(PlannerInfo *root, Cost bound);
extern Cost search_bound(PlannerInfo *root);

/* What is known of whether a query level's rows may be sorted by us (path_may_sort()). */
typedef enum MaySort
{
	MAY_SORT_UNKNOWN,
	MAY_NOT_SORT,
	MAY_SORT
} MaySort;

extern MaySort *search_may_sort(PlannerInfo *root);

/* Where the floors of a query level are kept (floor.c). */
extern LevelFloor *search_floors(PlannerInfo *root, FloorDetail detail);

/* Where candidate_bare() of a base relation is kept, NULL before it is made. */
extern Candidate **search_bare(PlannerInfo *root, Index relid);

/*
 * Whether joins of a pair's type by its clauses, and joins to all relations of
 * its inner side, have been compiled in pipelines of this query level and found
 * rows by keys: then another pipeline with such a join need not be compiled to
 * know that it can be.  search_note_compiled() notes a pair.
 */
extern bool search_is_compiled(PlannerInfo *root, const JoinPair *pair);
extern void search_note_compiled(PlannerInfo *root, const JoinPair *pair);

/*
 * search_find_bounds() returns how a join without keys bounds the rows of its
 * table, if a join of the pair's type by exactly its clauses and to its inner
 * side has been compiled in some pipeline of this query level, else NULL.
 * search_note_bounds() notes it of a pair, and returns what it noted.
 */
extern const JoinBounds *search_find_bounds(PlannerInfo *root, const JoinPair *pair);
extern const JoinBounds *search_note_bounds(PlannerInfo *root, const JoinPair *pair, const JoinUse *use);

#endif							/* GPUDB_PLAN_SEARCH_H */

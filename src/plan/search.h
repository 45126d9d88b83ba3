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

/* The list of JoinPair that were put off, in the order in which PostgreSQL considered them; it is empty afterwards. */
extern List *search_take_deferred(PlannerInfo *root);

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

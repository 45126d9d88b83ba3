/*
 * estimate.h
 *		Estimates of how many rows a pipeline has after a join: PostgreSQL's estimates, raised where they are known to
 *		be too low; and of whether join keys have several rows.
 */
#ifndef GPUDB_PLAN_ESTIMATE_H
#define GPUDB_PLAN_ESTIMATE_H

#include "postgres.h"

#include "nodes/pathnodes.h"

#include "plan/candidate.h"

/* A pair of relations that PostgreSQL's join search considers. */
typedef struct JoinPair
{
	const RelOptInfo *joined;
	const RelOptInfo *outer;
	RelOptInfo *inner;
	JoinType	type;
	const JoinPathExtraData *extra;
} JoinPair;

/* Rows of either side of a pair, by estimate_rows(). */
typedef struct PairRows
{
	double		outer;
	double		inner;
} PairRows;

/* Return the expression of the inner relation that an equality compares with the outer one; NULL for other clauses. */
extern Expr *pair_inner_key(const JoinPair *pair, const RestrictInfo *clause);

/*
 * Return the rows of a relation of the join search: those of the pipeline over
 * it, if there is one.  The candidate over the relation may be NULL.
 */
extern double estimate_rows(const Candidate *candidate, const RelOptInfo *rel);

/* Return the estimated rows of the join of a pair. */
extern double estimate_pair(PlannerInfo *root, const JoinPair *pair, PairRows rows);

/* Return true if a program probably needs a loop for the join, over the rows of keys that have several. */
extern bool estimate_loops(PlannerInfo *root, const JoinPair *pair);

#endif							/* GPUDB_PLAN_ESTIMATE_H */

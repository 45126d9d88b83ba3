/*
 * estimate.h
 *		How many rows a pipeline has after a join: PostgreSQL's estimates, raised where they are known to be too low; and
 *		whether keys have several.
 */
#ifndef GPUDB_PLAN_ESTIMATE_H
#define GPUDB_PLAN_ESTIMATE_H

#include "postgres.h"

#include "nodes/pathnodes.h"

#include "plan/candidate.h"

/* What PostgreSQL's join search considers. */
typedef struct JoinPair
{
	const RelOptInfo *joined;
	const RelOptInfo *outer;
	RelOptInfo *inner;
	JoinType	type;
	const JoinPathExtraData *extra;
} JoinPair;

/* Rows of either side of a pair, as estimate_rows() has them. */
typedef struct PairRows
{
	double		outer;
	double		inner;
} PairRows;

/* What an equality compares of the inner relation with something of the outer one; NULL if a clause is no such. */
extern Expr *pair_inner_key(const JoinPair *pair, const RestrictInfo *clause);

/* Rows of a relation of the join search: those of the pipeline over it, if there is one; the candidate over it may be NULL. */
extern double estimate_rows(const Candidate *candidate, const RelOptInfo *rel);

/* Rows of the relation that a pair makes. */
extern double estimate_pair(PlannerInfo *root, const JoinPair *pair, PairRows rows);

/* Whether a program probably has a loop for the join: over the rows of keys that have several. */
extern bool estimate_loops(PlannerInfo *root, const JoinPair *pair);

#endif							/* GPUDB_PLAN_ESTIMATE_H */

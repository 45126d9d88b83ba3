/*
 * pipeline.h
 *		The device pipeline over a join of relations, and what it shares with GpuJoin, which returns its rows.
 */
#ifndef GPUDB_PLAN_PIPELINE_H
#define GPUDB_PLAN_PIPELINE_H

#include "postgres.h"

#include "nodes/extensible.h"
#include "nodes/pathnodes.h"

#include "plan/candidate.h"
#include "plan/estimate.h"

/* pipeline.c */

/*
 * Extend the pipeline over the outer relation of a pair by a join with the
 * inner one.  Returns the best candidate over both, or a candidate with the
 * reason why there is none.
 */
extern const Candidate *pipeline_examine(PlannerInfo *root, const JoinPair *pair);

/*
 * The factor by which a pipeline must be cheaper to be worth considering if
 * one of its join tables is built of a join's rows: there are many such
 * pipelines.
 */
#define BUSHY_GAIN	0.9

/*
 * Return a lower bound of the cost of a join table of a relation's rows,
 * whichever plan produces them; the candidate over the relation may be NULL.
 */
extern DeviceCost pipeline_least_table(PlannerInfo *root, const RelOptInfo *inner, Candidate *candidate, double rows);

/* Return true if a pair is joined by equality of integers alone, so that the join can be compiled into any pipeline. */
extern bool pipeline_takes_plainly(const JoinPair *pair);

/* Return true if a pair has join conditions with subqueries, which no device evaluates. */
extern bool pipeline_has_subplans(const PlannerInfo *root, const JoinPair *pair);

/* Examine the deferred pairs, and return the list of these JoinPairs. */
extern List *pipeline_catch_up(PlannerInfo *root);

/* path_join.c */

/*
 * Return true if all columns of a relation's target are plain columns, so that
 * its rows can form a join table, or be NULL-extended by a join.
 */
extern bool path_join_has_columns(const RelOptInfo *rel);

/* Return true if PostgreSQL tests filters on the rows of a GpuJoin, which then returns them one by one. */
extern bool path_join_tests_rows(const Path *path);

/*
 * Return the result of compiling the program that returns a join's outputs,
 * once for each candidate; NULL if some output is no column.
 */
extern const CompileResult *path_join_compile_rows(Candidate *candidate, const RelOptInfo *joined, CompileRequest *request);

/*
 * Return true if a GpuJoin over a candidate could be cheaper than PostgreSQL's
 * paths by the factor `times`.  Compiling its program, which its exact cost
 * requires, is expensive.
 */
extern bool path_join_may_be_cheaper(Candidate *candidate, const RelOptInfo *joined, double times);

/*
 * Create a GpuJoin over a candidate, with PostgreSQL's cheapest join of
 * `paths` as its fallback; NULL if there can be none.
 */
extern CustomPath *path_join_create(PlannerInfo *root, Candidate *candidate, RelOptInfo *joined, List *paths);

#endif							/* GPUDB_PLAN_PIPELINE_H */

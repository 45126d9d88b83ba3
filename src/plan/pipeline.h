/*
 * pipeline.h
 *		The device pipeline over relations that are joined, and what it shares with GpuJoin, which returns its rows.
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
 * Have the pipeline over the outer relation of a pair extended.  The best one
 * over both is returned, or a candidate with the reason why there is none.
 */
extern const Candidate *pipeline_examine(PlannerInfo *root, const JoinPair *pair);

/* The factor by which a pipeline must be cheaper to be worth looking for if one of its hash tables is built of a join's rows: there are many such pipelines. */
#define BUSHY_GAIN	0.9

/* Return a lower bound of the cost of a hash table of a relation's rows, whichever plan produces them; the candidate over it may be NULL. */
extern DeviceCost pipeline_least_table(PlannerInfo *root, const RelOptInfo *inner, Candidate *candidate, double rows);

/* Return whether a pair is joined by equality of integers alone, so that the join can be compiled into any pipeline. */
extern bool pipeline_takes_plainly(const JoinPair *pair);

/* Return whether a pair has join conditions with subqueries, which no device evaluates. */
extern bool pipeline_has_subplans(const PlannerInfo *root, const JoinPair *pair);

/* Examine the pairs that were put off, and return the list of these JoinPairs. */
extern List *pipeline_catch_up(PlannerInfo *root);

/* path_join.c */

/* Whether rows of a relation can stand in a table, or be NULL for a join: all that is wanted of them are columns. */
extern bool path_join_has_columns(const RelOptInfo *rel);

/* Whether PostgreSQL tests rows of a GpuJoin, so that they go out one by one. */
extern bool path_join_tests_rows(const Path *path);

/* The program that returns what is wanted of the rows, compiled once for each candidate; NULL if these are not columns. */
extern const CompileResult *path_join_compile_rows(Candidate *candidate, const RelOptInfo *joined, CompileRequest *request);

/*
 * Whether a GpuJoin over a candidate could be so many times cheaper than
 * PostgreSQL's paths; compiling its program, which its cost takes, is dear.
 */
extern bool path_join_may_be_cheaper(Candidate *candidate, const RelOptInfo *joined, double times);

/* A GpuJoin over a candidate, with PostgreSQL's cheapest join of `paths` beside it; NULL if there can be none. */
extern CustomPath *path_join_create(PlannerInfo *root, Candidate *candidate, RelOptInfo *joined, List *paths);

#endif							/* GPUDB_PLAN_PIPELINE_H */

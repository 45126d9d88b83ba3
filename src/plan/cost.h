/*
 * cost.h
 *		Cost model of gpudb nodes: their cost in the planner's units, and the time that they will take.
 */
#ifndef GPUDB_PLAN_COST_H
#define GPUDB_PLAN_COST_H

#include "postgres.h"

#include "nodes/pathnodes.h"

#include "compile/compile.h"
#include "core/vm/program.h"
#include "plan/candidate.h"

/*
 * Numbers of groups whose table fits a processor cache, and of groups whose
 * table does not: finding a row's group is calibrated with either.
 */
#define NEAR_GROUPS		1000
#define FAR_GROUPS		100000

/*
 * Share of op_cost for finding a row's group: too little where groups are
 * many, and included in the calibrated CPU figures.
 */
#define GROUP_OP_COST	(op_info[VMOP_GROUP].cost / 10.0)

/*
 * Estimated groups of an aggregate, and how many of them are wanted: fewer,
 * where a Sort above returns only its first n.
 */
typedef struct GroupCount
{
	double		found;			/* 1 without keys, 0 without aggregates */
	double		wanted;
} GroupCount;

#define NO_KEYS			((GroupCount) {1, 1})
#define NO_AGGREGATES	((GroupCount) {0, 0})

/* Cost of one pass of a device over a relation. */
typedef struct PassCost
{
	Cost		cost;			/* planner's units, pages from disk included */
	Cost		resident;		/* cost_resident_pages() of the pages that the pass reads; 0 for passes with joins */
	double		ms;				/* time of the device and of feeding it, without disk */
	double		groups;			/* estimated groups, as the caller gave them */
	bool		on_gpu;			/* the GPU is cheaper, or must be used */
} PassCost;

/* Return the cost of reading a relation through the cheaper one of the devices that gpudb.device allows. */
extern PassCost cost_pass(const Candidate *candidate, const CompileResult *compiled, GroupCount groups);

/*
 * Return the part of a pass's cost that is for pages in shared_buffers, as much as for pages from disk, beyond what
 * reading them from memory takes.  The result is 0 for small relations.
 */
extern Cost cost_resident_pages(const Candidate *candidate);

/*
 * Return the part of the cost of one of PostgreSQL's paths over one relation that is for its pages and those of its
 * indexes; INFINITY if it is not known (cost_pages.c).
 */
extern Cost cost_of_pages(PlannerInfo *root, const Path *path);

/* Return how many milliseconds it takes to build a program's columns of a relation. */
extern double cost_building(const Candidate *candidate, const CompileResult *compiled);

/* Return the element NODE_PRIVATE_PASS of CustomScan.custom_private, which tells the node about its pass. */
extern List *cost_private(const PassCost *pass);

/* Return true if a NODE_PRIVATE_PASS element is of a pass on a GPU. */
extern bool cost_on_gpu(const List *private);

/* Return the cost of returning a scan's rows, made by the device or from their heap tuples. */
extern Cost cost_rows_out(const CompileResult *compiled, double rows);

/* Return the cost of storing rows of `width` bytes in a tuplestore until all are there, and of reading them back. */
extern Cost cost_spooled(double rows, int width);

/* Return true if the GPU is to be used: it is cheaper, or gpudb.device demands it and it can do the work. */
extern bool cost_is_gpu_better(DeviceCost cost);

/* Return the cost on the device that is used. */
extern Cost cost_least(DeviceCost cost);

extern void cost_add(DeviceCost *cost, DeviceCost more);

/*
 * Return the cost for either device of making a join table of a build path's
 * rows, which come as columns or one by one.
 */
extern DeviceCost cost_build(double rows, int ncolumns, bool as_columns);

/* Return the cost of making a join table on a GPU, of rows materialized there. */
extern Cost cost_materialized_table(double rows, int ncolumns);

/*
 * Return the cost of looking up probe_rows keys, by a program that runs over
 * `lanes` lanes, in a join table of build_rows rows with one row per key.
 */
extern DeviceCost cost_probe(double lanes, double probe_rows, double build_rows);

/*
 * Return the cost to add to cost_probe()'s where a key may have several rows:
 * a program then loops over them, which the GPU's fast programs cannot.
 */
extern DeviceCost cost_loop(double lanes);

/* Return the cost of testing `pairs` pairs of rows of a join without equalities. */
extern DeviceCost cost_pairs(double pairs);

/*
 * Return the cost of a pass with joins and their tables.  Every row of the
 * relation goes through `filters`, and `rows` rows go through the rest of the
 * program.
 */
extern PassCost cost_joined_pass(const Candidate *candidate, const CompileResult *compiled, const CompileResult *filters,
								 double rows, GroupCount groups);

/*
 * Return the cost of a pass on a GPU that materializes `rows` rows there, and
 * of fetching them; INFINITY if there is no GPU.
 */
extern PassCost cost_materialized_pass(const Candidate *candidate, const CompileResult *compiled, const CompileResult *filters, double rows);

/*
 * Return the least time, in nanoseconds, that the CPU takes to turn a tuple's
 * attributes into columns: those Vars of a list that are not texts.
 */
extern double cost_least_of_columns(Oid relation, const List *vars);

/*
 * Return the CPU cost of those columns of a table that the query needs besides
 * the ones its filters refer to; `minimal` is candidate_minimal() of the
 * table.
 */
extern Cost cost_other_columns(const Candidate *minimal, const CompileResult *filters);

/* Return a lower bound of the cost of a GpuScan of a base relation, without the cost of returning its rows. */
extern DeviceCost cost_rows(Candidate *candidate);

/*
 * Compute in *pass and *out the cost of a GpuScan that finds rows in cached
 * columns on the CPU device, and then fetches the `passing` rows that pass
 * from their pages.  Returns false if too small a part of the columns is
 * cached.
 */
extern bool cost_fetching(Candidate *candidate, double passing, PassCost *pass, Cost *out);

/* Return the cost of a candidate's filters and joins, without what is computed above them. */
extern DeviceCost cost_pipeline(Candidate *candidate);

/* Return the cost of PostgreSQL's comparisons when it sorts rows in memory. */
extern Cost cost_comparisons(double rows);

/* Return the cost of collecting rows of a plan, as columns or one by one, and sorting them. */
extern Cost cost_sorting(double rows, int ncolumns, bool as_columns);

/*
 * Return the cost of finding the order of texts under a collation, `different`
 * of which are distinct: a comparison costs the same as in PostgreSQL's Sort.
 */
extern Cost cost_collating(double rows, double different);

/*
 * cost_sorting_texts() returns the cost of reading texts of `width` bytes by
 * which rows are sorted or grouped, which cost_sorting() does not count;
 * cost_sorted_out() returns the cost of returning sorted rows.
 */
extern Cost cost_sorting_texts(double rows, double width);
extern Cost cost_sorted_out(double rows, int ncolumns);

/* Return the cost of aggregating sorted rows instead of returning them. */
extern Cost cost_sorted_groups(const CompileResult *compiled, double rows, double groups);

/* Return the cost of writing rows of `width` bytes to runs and of merging the runs. */
extern Cost cost_sorted_runs(double rows, int width);

/* Return the bytes of memory that a sort of rows takes. */
extern double cost_sort_bytes(double rows, int ncolumns);

/* Return how many groups a GPU returns: those that are wanted, but all where keys have texts. */
extern double cost_groups_returned(const Program *program, GroupCount groups);

/*
 * Return how many groups the tables of all threads hold together for `rows`
 * rows.  Each thread makes groups of a part of the rows, and one table takes
 * those of all threads in the end.
 */
extern double cost_groups_of_threads(double groups, double rows);

/* Return the bytes that a group takes in a group table. */
extern double cost_group_bytes(const Program *program);

/*
 * Return a lower bound of the cost of assigning rows to groups.  `lanes` is the
 * number of rows for which the program computes keys and aggregates, of which
 * there are `computed`; `rows` is how many of these rows pass all filters.
 */
extern Cost cost_least_of_groups(double lanes, double rows, double groups, int computed);

/* Return the cost of returning groups. */
extern Cost cost_groups_out(double groups);

/* cost_parts.c */

/*
 * Return the part of a relation in which the columns that a program reads are
 * cached; for rows, 0 unless all their outputs can be cached columns.
 */
extern double cost_cached_part(const Candidate *candidate, const CompileResult *compiled, double groups);

/* Memory that the uncached columns of a program would take in the pool; none if they cannot be cached. */
typedef struct CachedBytes
{
	double		bytes;			/* estimate */
	bool		texts;			/* some are texts without dictionary codes, which a pass on a GPU does not cache */
} CachedBytes;

extern CachedBytes cost_bytes_to_cache(const Candidate *candidate, const CompileResult *compiled);

/* Return the part of a relation's pages that are not in shared_buffers. */
extern double cost_part_outside(const Candidate *candidate);

/* Return the part of a table's pages that are in shared_buffers, by a sample of them; 1 for anything but a table. */
extern double cost_resident_part(const PlannerInfo *root, const RelOptInfo *rel);

/* Return with how many processes PostgreSQL would read a relation, as get_parallel_divisor() counts them. */
extern double cost_readers_of_postgres(const RelOptInfo *rel);

#endif							/* GPUDB_PLAN_COST_H */

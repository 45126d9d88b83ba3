/*
 * cost.h
 *		What gpudb nodes cost, in the planner's units, and how long they will take.
 */
#ifndef GPUDB_PLAN_COST_H
#define GPUDB_PLAN_COST_H

#include "postgres.h"

#include "nodes/pathnodes.h"

#include "compile/compile.h"
#include "core/program.h"
#include "plan/candidate.h"

/* Groups that stay near, and some that do not: finding a row's group is measured with so many. */
#define NEAR_GROUPS		1000
#define FAR_GROUPS		100000

/* What op_cost says of finding a group, too little for many: the CPU's figures have it within. */
#define GROUP_OP_COST	(op_info[VMOP_GROUP].cost / 10.0)

/* Groups of an aggregate, and how many of them are wanted: fewer, where a sort comes above for its first n. */
typedef struct GroupCount
{
	double		found;			/* 1 without keys, 0 without aggregates */
	double		wanted;
} GroupCount;

#define NO_KEYS			((GroupCount) {1, 1})
#define NO_AGGREGATES	((GroupCount) {0, 0})

/* One pass of a device over a relation. */
typedef struct PassCost
{
	Cost		cost;			/* pages from disk included */
	double		ms;				/* of the device and of feeding it, without these */
	double		groups;			/* as they were said to be */
	bool		on_gpu;			/* it is the GPU that is cheaper, or that must be taken */
} PassCost;

/*
 * Reading a relation through the device that is cheaper, of those that
 * gpudb.device allows.
 */
extern PassCost cost_pass(const Candidate *candidate, const CompileResult *compiled, GroupCount groups);

/* Return how many milliseconds it takes to build a program's columns of a relation. */
extern double cost_building(const Candidate *candidate, const CompileResult *compiled);

/* What the node is to know of it: an element of CustomScan.custom_private, NODE_PRIVATE_PASS. */
extern List *cost_private(const PassCost *pass);

/* Whether that is of a pass on a GPU. */
extern bool cost_on_gpu(const List *private);

/* Returning rows of a scan, made by the device or from their heap tuples. */
extern Cost cost_rows_out(const CompileResult *compiled, double rows);

/* Keeping rows of some bytes in a tuple store until all are there, and taking them out. */
extern Cost cost_spooled(double rows, int width);

/* Whether the GPU is to do it: it is cheaper, or must and can. */
extern bool cost_is_gpu_better(DeviceCost cost);

/* What it costs then. */
extern Cost cost_least(DeviceCost cost);

extern void cost_add(DeviceCost *cost, DeviceCost more);

/* Making a table of a build path's rows for a join, for either device: whether they come as columns, or one by one. */
extern DeviceCost cost_build(double rows, int ncolumns, bool as_columns);

/* The same on a GPU of rows that it has kept. */
extern Cost cost_kept_table(double rows, int ncolumns);

/* The cost of looking up probe_rows keys, by a program that runs over so many lanes, in a join table of build_rows rows with one row a key. */
extern DeviceCost cost_probe(double lanes, double probe_rows, double build_rows);

/* The cost to add to cost_probe()'s where a key may have several rows: a program then loops over them, which the GPU's fast programs cannot. */
extern DeviceCost cost_loop(double lanes);

/* Testing so many pairs of rows, without equalities. */
extern DeviceCost cost_pairs(double pairs);

/*
 * A pass with joins and their tables: `filters` is what every row of the
 * relation goes through, the rest of the program so many rows.
 */
extern PassCost cost_joined_pass(const Candidate *candidate, const CompileResult *compiled, const CompileResult *filters,
								 double rows, GroupCount groups);

/* The same on a GPU, with what it takes to fetch so many rows that it has kept; INFINITY where there is none. */
extern PassCost cost_kept_pass(const Candidate *candidate, const CompileResult *compiled, const CompileResult *filters, double rows);

/* Return the least time, in nanoseconds, that the CPU takes to turn a tuple's attributes into columns: those Vars of a list that are not texts. */
extern double cost_least_of_columns(Oid relation, const List *vars);

/*
 * Return what columns cost the CPU that a query needs of a table besides those
 * that its filters refer to; `minimal` is candidate_minimal() of the table.
 */
extern Cost cost_other_columns(const Candidate *minimal, const CompileResult *filters);

/* Return a lower bound of the cost of a GpuScan of a base relation, without that of returning its rows. */
extern DeviceCost cost_rows(Candidate *candidate);

/*
 * Find out what it costs a GpuScan to find rows in cached columns on the CPU
 * device, and then to fetch those that pass, so many, from their pages; false if
 * too few of the columns are cached.
 */
extern bool cost_fetching(Candidate *candidate, double passing, PassCost *pass, Cost *out);

/* A candidate's filters and joins, without what comes above. */
extern DeviceCost cost_pipeline(Candidate *candidate);

/* Return the cost of PostgreSQL's comparisons when it sorts rows in memory. */
extern Cost cost_comparisons(double rows);

/* Collecting rows of a plan, as columns or one by one, and sorting them; and returning them then. */
extern Cost cost_sorting(double rows, int ncolumns, bool as_columns);

/* Of finding the order of texts under a collation, of which so many are different: comparing costs what it does in a Sort of PostgreSQL's. */
extern Cost cost_collating(double rows, double different);

/* Of going through texts of so many bytes each, by which rows are sorted or grouped: what cost_sorting() does not count. */
extern Cost cost_sorting_texts(double rows, double width);
extern Cost cost_sorted_out(double rows, int ncolumns);

/* Aggregating them instead. */
extern Cost cost_sorted_groups(const CompileResult *compiled, double rows, double groups);

/* Of writing rows of so many bytes to runs, and merging these. */
extern Cost cost_sorted_runs(double rows, int width);

/* Bytes that it takes. */
extern double cost_sort_bytes(double rows, int ncolumns);

/* How many groups a GPU returns: those that are wanted, but all where keys have texts. */
extern double cost_groups_returned(const Program *program, GroupCount groups);

/*
 * Return how many groups the tables of all threads have, of so many rows.  Each
 * thread makes groups of a part of the rows, and one table takes those of all
 * in the end.
 */
extern double cost_groups_of_threads(double groups, double rows);

/* Bytes of a group in a table. */
extern double cost_group_bytes(const Program *program);

/*
 * Return a lower bound of the cost of assigning rows to groups.  `lanes` is the
 * number of rows for which the program computes keys and aggregates, of which
 * there are `computed`; `rows` is how many of these rows pass all filters.
 */
extern Cost cost_least_of_groups(double lanes, double rows, double groups, int computed);

/* Returning groups. */
extern Cost cost_groups_out(double groups);

/* cost_parts.c */

/*
 * The part of a relation whose columns that a program reads are cached; for
 * rows, 0 unless all that is wanted of them can be.
 */
extern double cost_cached_part(const Candidate *candidate, const CompileResult *compiled, double groups);

/* Memory that a program's columns would take in the pool, but for those that are cached; none if they cannot be cached. */
typedef struct KeptBytes
{
	double		bytes;			/* about */
	bool		texts;			/* some are texts without codes, which what runs on a GPU does not keep */
} KeptBytes;

extern KeptBytes cost_bytes_to_keep(const Candidate *candidate, const CompileResult *compiled);

/* The part of a relation's pages that are not in shared_buffers. */
extern double cost_part_outside(const Candidate *candidate);

/* The part of a table's pages that are in shared_buffers, as some of them tell; 1 for what is no table. */
extern double cost_resident_part(const PlannerInfo *root, const RelOptInfo *rel);

/* How many processes PostgreSQL would have read a relation, as get_parallel_divisor() counts them. */
extern double cost_readers_of_postgres(const RelOptInfo *rel);

#endif							/* GPUDB_PLAN_COST_H */

/*
 * path.h
 *		The paths that gpudb adds.
 */
#ifndef GPUDB_PLAN_PATH_H
#define GPUDB_PLAN_PATH_H

#include "postgres.h"

#include "nodes/extensible.h"
#include "nodes/pathnodes.h"

#include "plan/candidate.h"
#include "plan/estimate.h"

/* Add a GpuScan path over a candidate to its relation, or one that materializes its rows on the GPU (path_scan.c). */
extern void path_scan_add(PlannerInfo *root, Candidate *candidate);

extern bool path_is_gpu_scan(const Path *path);

/* Return true if a path is a GpuScan whose rows come as columns, as far as their types allow it. */
extern bool path_scan_has_columns(const Path *path);

/*
 * Return the part of a GpuScan's cost that a sort which collects its rows as
 * columns does not pay: returning rows one by one, and finding them in pages.
 * The result is 0 for other paths.
 */
extern Cost path_scan_saved(const Path *path);

/* Create a GpuScan path without offering it, as a part of another path; NULL if there can be none. */
extern CustomPath *path_scan_create(Candidate *candidate);

/*
 * Create a GpuScan path that materializes its rows on the GPU before it
 * returns any; NULL if there can be none (path_materialized.c).
 */
extern CustomPath *path_materialized_create(PlannerInfo *root, Candidate *candidate);
extern bool path_is_materialized_scan(const Path *path);

/* Create the plan of a GpuJoin, or of another pipeline whose rows are returned (path_join.c). */
extern Plan *path_join_plan(PlannerInfo *root, RelOptInfo *rel, CustomPath *path, List *tlist, List *clauses, List *custom_plans);

/* Return what plans store of a candidate's joins: in custom_exprs, and in custom_private (path_join.c). */
extern List *path_join_exprs(List *joins);
extern List *path_join_kinds(List *joins, const List *pass);

/* Return the build paths of joins: the paths whose rows their join tables are made of. */
extern List *path_join_builds(List *joins);

extern bool path_is_gpu_join(const Path *path);

/*
 * Return PostgreSQL's own cheapest path for a join, or a hash join in place of
 * a nested loop over all pairs of rows; NULL if there is none.  The cheapest
 * path may be in `paths`, or be the fallback of a GpuJoin among them
 * (path_fallback.c).
 */
extern Path *path_fallback_of_join(PlannerInfo *root, List *paths);

/* Offer a GpuJoin over the best candidate of a relation; return true if one was offered. */
extern bool path_join_offer(PlannerInfo *root, RelOptInfo *rel);

/*
 * Return a GpuJoin of all relations, or PostgreSQL's cheapest join of them
 * with GpuJoins in it; NULL if neither is cheaper than PostgreSQL's own.  The
 * path is not offered.
 */
extern Path *path_join_find(PlannerInfo *root, RelOptInfo *joined);

/*
 * Return true if every path that path_join_find() could return, and every
 * pipeline over all relations, costs at least `cost` (plan/lower_bound.h).
 */
extern bool path_join_bound_reaches(PlannerInfo *root, const RelOptInfo *joined, Cost cost);

/* Extend the candidate over the outer relation of a pair to both relations, or defer that. */
extern void path_join_consider(PlannerInfo *root, RelOptInfo *joined, const JoinPair *pair);

/*
 * path_join_waits() returns true if a relation is the join of all relations.
 * Paths for it are considered once all of PostgreSQL's are known:
 * path_join_finish() has pairs of relations examined if some plan may be
 * cheaper, and offers paths.  Where the query groups the rows of the join,
 * path_groups_add() does that when PostgreSQL's plan for the groups is known.
 */
extern bool path_join_waits(const PlannerInfo *root, const RelOptInfo *joined);
extern void path_join_finish(PlannerInfo *root, RelOptInfo *joined);

/*
 * path_not_in_pipeline() returns the candidate over a relation in which
 * filters x NOT IN (SELECT ...) are joins, or the candidate given if it has no
 * such filters.  path_not_in_offer() offers a GpuJoin that returns the rows of
 * a candidate with such joins, and returns true if it did (path_not_in.c).
 */
extern Candidate *path_not_in_pipeline(PlannerInfo *root, Candidate *candidate);
extern bool path_not_in_offer(PlannerInfo *root, const Candidate *candidate);

/* Add paths for a query's groups, and for the rows below PostgreSQL's grouping (path_groups.c). */
extern void path_groups_add(PlannerInfo *root, RelOptInfo *input_rel, RelOptInfo *output_rel, const GroupPathExtraData *extra);

/* Offer a GpuAgg over the candidate below a grouping; return true if there is one (path_agg.c). */
extern bool path_agg_add(PlannerInfo *root, RelOptInfo *input_rel, RelOptInfo *output_rel, const GroupPathExtraData *extra);

/* Return true if a path is a GpuAgg. */
extern bool path_is_gpu_agg(const Path *path);

/*
 * Return how many groups are expected of a relation that has a path; a GpuAgg
 * among its paths may return only the first.
 */
extern double path_groups_expected(const RelOptInfo *rel);

/* A grouping set: the clauses that it groups by, its target and HAVING, and its estimated number of groups. */
typedef struct GroupingSetWanted
{
	List	   *clauses;
	PathTarget *target;
	List	   *having;
	double		ngroups;
} GroupingSetWanted;

/*
 * Create a GpuAgg path for a grouping set without offering it; return NULL, or
 * the reason code why there can be none.
 */
extern const char *path_agg_of_set(PlannerInfo *root, const RelOptInfo *input_rel, RelOptInfo *output_rel, Candidate *candidate,
								   const GroupingSetWanted *set, Path **path);

/*
 * Offer an Append of one path for each of the query's grouping sets; return
 * NULL, or the reason code why there can be none (path_grouping_sets.c).
 */
extern const char *path_grouping_sets(PlannerInfo *root, RelOptInfo *input_rel, RelOptInfo *output_rel, Candidate *candidate, List *having);

/* Offer a GpuAgg for SELECT DISTINCT, unless the query also groups or aggregates. */
extern void path_distinct_add(PlannerInfo *root, RelOptInfo *input_rel, RelOptInfo *output_rel);

/* Return true if equal values of all keys also print alike, so that any of them may stand for a group. */
extern bool path_keys_print_alike(const List *keys);

/*
 * Return NODE_PRIVATE_TOP for a GpuAgg that returns keys, then aggregates:
 * what it must know of the Sort and Limit above it, or NIL if all groups are
 * wanted.  The grouping must have no HAVING (path_top.c).
 */
extern List *path_top(PlannerInfo *root, const List *columns, const CompileResult *compiled);

/* Return true if the sort columns that the node compares are all counts of rows. */
extern bool path_top_is_of_counts(const List *top, const CompileResult *compiled);

/* Return how many of the rows that a query sorts can be asked for at most; 0 = all, or unknown at plan time. */
extern int64 path_rows_wanted(const Query *query);

/* Add a merge join by PostgreSQL of a pair of relations, at least one of which a GpuSort sorts (path_merge.c). */
extern void path_merge_add(PlannerInfo *root, RelOptInfo *joined, const JoinPair *pair);

/* Return the extra cost of sorting rows by an expression of a text type; 0 for other types (path_sort.c). */
extern Cost path_cost_of_text(PlannerInfo *root, const Expr *expr, double rows);

/*
 * Return true if PostgreSQL can scan a relation in the order of the query's
 * ORDER BY, for example by an index; false if the query has no ORDER BY
 * (path_sort.c).
 */
extern bool path_comes_in_order(const PlannerInfo *root, const RelOptInfo *rel);

/* Offer a GpuSort for ORDER BY, and in place of the Sorts below PostgreSQL's window functions (path_sort.c). */
extern void path_sort_add(PlannerInfo *root, RelOptInfo *input_rel, RelOptInfo *output_rel);
extern void path_window_add(PlannerInfo *root, RelOptInfo *input_rel, RelOptInfo *output_rel);

/* Offer a GpuSort for DISTINCT or DISTINCT ON that skips rows which are equal in the distinct columns (path_sort.c). */
extern void path_unique_add(PlannerInfo *root, RelOptInfo *input_rel, RelOptInfo *output_rel);

/* Offer a GpuSort in place of PostgreSQL's Limit above a GpuSort for ORDER BY (path_sort.c). */
extern void path_limit_add(PlannerInfo *root, RelOptInfo *output_rel);

/* Offer a GpuSort that also groups, for ordered-set aggregates (path_sets.c). */
extern void path_sets_add(PlannerInfo *root, RelOptInfo *input_rel, RelOptInfo *output_rel, const GroupPathExtraData *extra);

/*
 * Return the cheapest GpuSort that computes a grouping set, without offering
 * it; NULL if there is none (path_sets.c).
 */
extern Path *path_sets_of_set(PlannerInfo *root, RelOptInfo *input_rel, RelOptInfo *output_rel, const GroupingSetWanted *set);

/* Offer a GpuSortAgg over the rows of a subquery's GpuSort (path_sort_agg.c). */
extern void path_sort_agg_add(PlannerInfo *root, RelOptInfo *input_rel, RelOptInfo *output_rel, const GroupPathExtraData *extra);

/* Return true if all expressions are columns of relations (path_join.c). */
extern bool path_are_columns(const List *exprs);

/* Cost of descending an index of a few levels, as btcostestimate() counts it. */
#define PATH_INDEX_DESCENT	(150 * cpu_operator_cost)

/*
 * Return true if keys contain the primary key of a column's table, so that
 * PostgreSQL may have dropped the column from the keys as functionally
 * dependent (path_late_materialization.c).
 */
extern bool path_is_determined(const PlannerInfo *root, const List *keys, const Var *var);

/*
 * Return NODE_PRIVATE_LATE_MATERIALIZATION for columns that keys determine, in the order of
 * their tables, and set *cost to the cost of late materialization for `groups`
 * groups; NIL if the columns cannot be materialized late (path_late_materialization.c).
 */
extern List *path_late_materialization(PlannerInfo *root, const List *keys, const List *vars, double groups, Cost *cost);

/* path_common.c */

/*
 * Return a flat copy of a path, to be a fallback child: add_path() frees
 * dominated paths, the original among them.  Returns NULL for kinds of paths
 * that path_common.c does not know.
 */
extern Path *path_copy(const Path *path);

/*
 * Return the cheapest of a list of paths that can be copied, need no
 * parameters and, unless `accept` is NULL, are accepted.
 */
extern Path *path_cheapest(List *paths, bool (*accept) (const Path *path));

/*
 * Apply a function to the paths below a join, or below a node between joins.
 * The function returns a path as it is, or another one for the same rows.
 * Returns a copy with changed costs, or the path itself if nothing changed or
 * it is of another kind.  PATH_ONCE_BELOW leaves out paths that may run
 * several times, and paths that must come in an order.
 */
typedef enum PathsBelow
{
	PATH_ALL_BELOW,
	PATH_ONCE_BELOW
} PathsBelow;

typedef Path *(*PathChange) (Path *path, void *arg);

extern Path *path_change_below(Path *path, PathsBelow which, PathChange change, void *arg);

/* Return the total cost of the cheapest path of a relation that needs no parameters; INFINITY if there is none. */
extern Cost path_least_cost(const RelOptInfo *rel);

/*
 * Return how much of a node's cost is left out where it decides against the node, since no time is spent for it.
 * `resident` of the cost is for a table's pages in shared_buffers.  As much of that remains as PostgreSQL's cheapest path
 * is charged for pages: it may read an index, which has fewer pages than the table.  The result is 0 if PostgreSQL's path
 * reads the table, too.
 */
extern Cost path_page_surcharge(PlannerInfo *root, const RelOptInfo *rel, Cost resident);

/*
 * Return true if every GpuAgg over the rows of `input_rel`, whose groups are `output_rel`, costs at least `cost`, also
 * without what path_page_surcharge() leaves out.
 */
extern bool path_bound_reaches(PlannerInfo *root, RelOptInfo *input_rel, const RelOptInfo *output_rel, Cost cost);

/* Return the total cost of the cheapest scan of a base relation, including parallel scans to which PostgreSQL has yet to add a Gather. */
extern Cost path_least_scan_cost(const RelOptInfo *rel);

/*
 * Return in *keys the expressions that clauses of the query group by, equal
 * ones once, and in *of_keys the first clause of each.
 */
extern void path_group_keys(PlannerInfo *root, List *clauses, List **keys, List **of_keys);

/*
 * Add a gpudb path, unless PostgreSQL's are too cheap for it to be worthwhile;
 * under gpudb.force it replaces all others.
 */
extern void path_offer(PlannerInfo *root, RelOptInfo *rel, Path *path);

/*
 * Return true if a query level is that of a cursor.  UPDATE ... WHERE CURRENT
 * OF may ask the cursor's plan for its current row, which only a scan can tell
 * (hooks.c).
 */
extern bool plan_is_for_cursor(const PlannerInfo *root);

/*
 * Return true if the statement that is being planned asks in which form a
 * value is stored.  Values that gpudb returns are made anew, so PostgreSQL
 * plans such a statement alone (hooks.c).
 */
extern bool plan_asks_for_storage(void);

/* Install the planner hooks, at library load. */
extern void plan_init(void);

#endif							/* GPUDB_PLAN_PATH_H */

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

/* path_scan.c: a GpuScan over a candidate. */
extern void path_scan_add(PlannerInfo *root, Candidate *candidate);

extern bool path_is_gpu_scan(const Path *path);

/* Return whether a path is a GpuScan whose rows come as columns, as far as these can be. */
extern bool path_scan_has_columns(const Path *path);

/* What of a GpuScan's cost is not paid where a sort collects its rows as columns: returning them one by one, and finding them in pages; 0 for other paths. */
extern Cost path_scan_saved(const Path *path);

/* One that is not offered, to be part of something else; NULL if there can be none. */
extern CustomPath *path_scan_create(Candidate *candidate);

/* path_kept.c: a GpuScan whose rows stay on the GPU until all are there; NULL if they cannot. */
extern CustomPath *path_kept_create(PlannerInfo *root, Candidate *candidate);
extern bool path_is_kept_scan(const Path *path);

/* path_join.c: the plan of a GpuJoin, or of another pipeline whose rows are returned. */
extern Plan *path_join_plan(PlannerInfo *root, RelOptInfo *rel, CustomPath *path, List *tlist, List *clauses, List *custom_plans);

/* path_join.c: what plans keep of a candidate's joins: in custom_exprs, and in custom_private. */
extern List *path_join_exprs(List *joins);
extern List *path_join_kinds(List *joins, const List *pass);

/* The paths that tables of joins are made of. */
extern List *path_join_builds(List *joins);

extern bool path_is_gpu_join(const Path *path);

/*
 * path_fallback.c: of the paths of a join PostgreSQL's own cheapest one, or a
 * hash join in the place of a loop over all pairs of rows; NULL if there is
 * none.  It may be one of the list, or known by a GpuJoin among them.
 */
extern Path *path_fallback_of_join(PlannerInfo *root, List *paths);

/* Offer a GpuJoin over the best candidate of a relation; whether there is one now. */
extern bool path_join_offer(PlannerInfo *root, RelOptInfo *rel);

/* Return a GpuJoin of all relations, or PostgreSQL's cheapest join of them with GpuJoins in it; NULL if neither is cheaper than PostgreSQL's.  It is not offered. */
extern Path *path_join_find(PlannerInfo *root, RelOptInfo *joined);

/* Return whether each of these, and each pipeline over all relations, costs as much as `cost` (plan/lower_bound.h). */
extern bool path_join_bound_reaches(PlannerInfo *root, const RelOptInfo *joined, Cost cost);

/* The candidate over two relations that are joined, from those over one of them. */
extern void path_join_consider(PlannerInfo *root, RelOptInfo *joined, const JoinPair *pair);

/*
 * path_join_waits() returns whether a relation is the join of all relations.
 * Paths for it are looked for once all of PostgreSQL's are known:
 * path_join_finish() has pairs of relations examined if some plan may be
 * cheaper, and offers paths.  Where the query groups the rows of the join,
 * path_groups_add() does that when PostgreSQL's plan for the groups is known.
 */
extern bool path_join_waits(const PlannerInfo *root, const RelOptInfo *joined);
extern void path_join_finish(PlannerInfo *root, RelOptInfo *joined);

/*
 * path_not_in.c: the candidate over a relation in which x NOT IN (SELECT ...)
 * are joins; the candidate given, if there are none.  path_not_in_offer()
 * offers the rows of such a one, and tells whether it did.
 */
extern Candidate *path_not_in_pipeline(PlannerInfo *root, Candidate *candidate);
extern bool path_not_in_offer(PlannerInfo *root, const Candidate *candidate);

/* path_groups.c: add paths for a query's groups, and for the rows below PostgreSQL's grouping. */
extern void path_groups_add(PlannerInfo *root, RelOptInfo *input_rel, RelOptInfo *output_rel, const GroupPathExtraData *extra);

/* path_agg.c: offer a GpuAgg over the candidate below a grouping; returns whether there is one. */
extern bool path_agg_add(PlannerInfo *root, RelOptInfo *input_rel, RelOptInfo *output_rel, const GroupPathExtraData *extra);

/* Return whether a path is a GpuAgg. */
extern bool path_is_gpu_agg(const Path *path);

/* Return how many groups are expected where a relation has a path: a GpuAgg may return the first of them alone. */
extern double path_groups_expected(const RelOptInfo *rel);

/* A grouping set: by which of the query's clauses, what is computed of its groups, and how many there are. */
typedef struct GroupingSetWanted
{
	List	   *clauses;
	PathTarget *target;
	List	   *having;
	double		ngroups;
} GroupingSetWanted;

/* A GpuAgg of a grouping set, which is not offered; otherwise the reason why there can be none. */
extern const char *path_agg_of_set(PlannerInfo *root, const RelOptInfo *input_rel, RelOptInfo *output_rel, Candidate *candidate,
								   const GroupingSetWanted *set, Path **path);

/* path_grouping_sets.c: one for each of the query's grouping sets, one after the other; otherwise the reason why there can be none. */
extern const char *path_grouping_sets(PlannerInfo *root, RelOptInfo *input_rel, RelOptInfo *output_rel, Candidate *candidate, List *having);

/* The same for SELECT DISTINCT, unless it is of groups. */
extern void path_distinct_add(PlannerInfo *root, RelOptInfo *input_rel, RelOptInfo *output_rel);

/* Whether equal values of all keys are the same: of several groups that become one it does not matter which one's go out. */
extern bool path_keys_print_alike(const List *keys);

/*
 * path_top.c: what a GpuAgg that returns keys, then aggregates, is to know of
 * the Sort and Limit above it: NODE_PRIVATE_TOP.  There must be no HAVING.
 */
extern List *path_top(PlannerInfo *root, const List *columns, const CompileResult *compiled);

/* Whether the sort columns that the node looks at are numbers of rows alone. */
extern bool path_top_is_of_counts(const List *top, const CompileResult *compiled);

/* How many of the rows that a query sorts can be asked for at most; 0 = all, or it is not known while planning. */
extern int64 path_rows_wanted(const Query *query);

/* path_merge.c: PostgreSQL's merge join of a pair of relations, which GpuSorts put in order. */
extern void path_merge_add(PlannerInfo *root, RelOptInfo *joined, const JoinPair *pair);

/* path_sort.c: return what sorting rows by an expression costs for its being a text; 0 for other types. */
extern Cost path_cost_of_text(PlannerInfo *root, const Expr *expr, double rows);

/* path_sort.c: return whether PostgreSQL can scan a relation in the order of the query's ORDER BY, as by an index; false if there is none. */
extern bool path_comes_in_order(const PlannerInfo *root, const RelOptInfo *rel);

/* A GpuSort for ORDER BY, and in the place of what PostgreSQL sorts for window functions. */
extern void path_sort_add(PlannerInfo *root, RelOptInfo *input_rel, RelOptInfo *output_rel);
extern void path_window_add(PlannerInfo *root, RelOptInfo *input_rel, RelOptInfo *output_rel);

/* For DISTINCT ON: one that passes over rows which do not differ. */
extern void path_unique_add(PlannerInfo *root, RelOptInfo *input_rel, RelOptInfo *output_rel);

/* And in the place of PostgreSQL's Limit above the first. */
extern void path_limit_add(PlannerInfo *root, RelOptInfo *output_rel);

/* path_sets.c: a GpuSort that groups, too, for ordered-set aggregates. */
extern void path_sets_add(PlannerInfo *root, RelOptInfo *input_rel, RelOptInfo *output_rel, const GroupPathExtraData *extra);

/* The same for a grouping set; the cheapest one, which is not offered, or NULL. */
extern Path *path_sets_of_set(PlannerInfo *root, RelOptInfo *input_rel, RelOptInfo *output_rel, const GroupingSetWanted *set);

/* path_sort_agg.c: a GpuSortAgg over the rows of a subquery's GpuSort. */
extern void path_sort_agg_add(PlannerInfo *root, RelOptInfo *input_rel, RelOptInfo *output_rel, const GroupPathExtraData *extra);

/* path_join.c: whether all are a relation's columns. */
extern bool path_are_columns(const List *exprs);

/* Looking into an index of a few levels, as btcostestimate() counts. */
#define PATH_INDEX_DESCENT	(150 * cpu_operator_cost)

/* path_late.c: whether keys determine a column, and PostgreSQL may have taken it from them: they hold the primary key of its table. */
extern bool path_is_determined(const PlannerInfo *root, const List *keys, const Var *var);

/*
 * NODE_PRIVATE_LATE for columns that keys determine, in the order of their
 * tables, and what reading them costs for so many groups; NIL if they cannot
 * be read so.
 */
extern List *path_late(PlannerInfo *root, const List *keys, const List *vars, double groups, Cost *cost);

/* path_common.c */

/*
 * A flat copy of a path, to be a fallback child: add_path() frees dominated
 * paths, the original among them.  NULL for kinds of path that are not known
 * here.
 */
extern Path *path_copy(const Path *path);

/* The cheapest of a list of paths that can be copied and need no parameters. */
extern Path *path_cheapest(List *paths, bool (*accept) (const Path *path));

/*
 * Have the paths that a join reads, or that a node between joins reads,
 * changed by a function, which returns a path as it is or another one for the
 * same rows.  Returns a copy with changed costs, or the path itself if nothing
 * changed or it is of another kind.  PATH_ONCE_BELOW leaves out what may run
 * several times, and what must come in an order.
 */
typedef enum PathsBelow
{
	PATH_ALL_BELOW,
	PATH_ONCE_BELOW
} PathsBelow;

typedef Path *(*PathChange) (Path *path, void *arg);

extern Path *path_change_below(Path *path, PathsBelow which, PathChange change, void *arg);

/* The total cost of the cheapest path of a relation that needs no parameters; INFINITY if there is none. */
extern Cost path_least_cost(const RelOptInfo *rel);

/* Return the total cost of the cheapest scan of a base relation, including parallel scans to which PostgreSQL has yet to add a Gather. */
extern Cost path_least_scan_cost(const RelOptInfo *rel);

/* What clauses of the query group by, equal expressions once, and the first clause of each. */
extern void path_group_keys(PlannerInfo *root, List *clauses, List **keys, List **of_keys);

/* Add our path, unless PostgreSQL's are too cheap to be worth one; under gpudb.force it replaces all others. */
extern void path_offer(PlannerInfo *root, RelOptInfo *rel, Path *path);

/*
 * hooks.c: whether a query level is a cursor's.  UPDATE ... WHERE CURRENT OF may
 * ask its plan for the row at hand, which it has of a scan alone.
 */
extern bool plan_is_for_cursor(const PlannerInfo *root);

/*
 * hooks.c: whether the statement that is being planned asks in which form a
 * value is stored.  Values that gpudb returns were made anew, so PostgreSQL
 * plans it alone.
 */
extern bool plan_asks_for_storage(void);

/* planner hooks */
extern void plan_init(void);

#endif							/* GPUDB_PLAN_PATH_H */

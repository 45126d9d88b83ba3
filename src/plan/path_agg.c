/*
 * path_agg.c
 *		GpuAgg: a grouping over one relation, with its filters and joins, in one pass.
 *
 * The node returns keys and aggregates; PostgreSQL computes HAVING and the
 * target list over them.  The fallback child is PostgreSQL's own aggregation
 * with its target reduced to the same keys and aggregates and without HAVING,
 * so that its rows can replace the node's.  SELECT DISTINCT is a grouping by
 * all columns.  Aggregates over distinct values are PostgreSQL's, over rows
 * that a grouping by these values has made distinct.
 */
#include "postgres.h"

#include "catalog/pg_aggregate.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/prep.h"
#include "optimizer/tlist.h"
#include "parser/parse_oper.h"
#include "utils/lsyscache.h"
#include "utils/selfuncs.h"

#include "compile/opmap.h"
#include "exec/run/node.h"
#include "guc.h"
#include "plan/cost.h"
#include "plan/decision.h"
#include "plan/path.h"
#include "plan/path_agg_private.h"

/* Collect the aggregates of an expression; anything else under it must be a key. */
static bool
collect_walker(Node *node, Grouping *grouping)
{
	if (node == NULL)
		return false;
	if (list_member(grouping->keys, node))
		return false;
	if (IsA(node, Aggref))
	{
		grouping->aggs = list_append_unique(grouping->aggs, node);
		return false;
	}
	if (IsA(node, Var) && path_is_determined(grouping->root, grouping->keys, (const Var *) node))
	{
		grouping->determined = list_append_unique(grouping->determined, node);
		return false;
	}
	if (IsA(node, Var) || IsA(node, PlaceHolderVar) || IsA(node, GroupingFunc))
	{
		grouping->plain = false;
		return true;
	}
	return expression_tree_walker(node, collect_walker, grouping);
}

static int
compare_tables(const ListCell *a, const ListCell *b)
{
	return (int) lfirst_node(Var, a)->varno - (int) lfirst_node(Var, b)->varno;
}

/*
 * Split a grouping by clauses, above which `exprs` are computed, into keys and
 * aggregates; return false if some part does not fit the pattern.
 */
static bool
read_grouping(PlannerInfo *root, const Candidate *candidate, List *clauses, List *exprs, List *having, Grouping *grouping)
{
	memset(grouping, 0, sizeof(*grouping));
	grouping->plain = true;
	grouping->root = root;
	grouping->having = having;
	grouping->quals = list_concat_copy(candidate->gates, candidate->quals);
	grouping->secret = candidate_secret(candidate, grouping->quals);
	grouping->joins = candidate->joins;
	grouping->children = candidate_children(candidate);
	path_group_keys(root, clauses, &grouping->keys, &grouping->clauses);
	/*
	 * the relation's target may have columns that nothing reads: those in
	 * expressions that are keys, where they are inputs of a sort
	 */
	collect_walker((Node *) exprs, grouping);
	collect_walker((Node *) grouping->having, grouping);
	list_sort(grouping->determined, compare_tables);
	return grouping->plain;
}

/* Return the target of the fallback child: keys, then aggregates, then columns that keys determine. */
static PathTarget *
grouping_target(PlannerInfo *root, const Grouping *grouping)
{
	PathTarget *target = create_empty_pathtarget();
	ListCell   *clause = list_head(grouping->clauses);
	ListCell   *key;

	foreach(key, grouping->keys)
	{
		add_column_to_pathtarget(target, lfirst(key), clause != NULL ? lfirst_node(SortGroupClause, clause)->tleSortGroupRef : 0);
		clause = clause != NULL ? lnext(grouping->clauses, clause) : NULL;
	}
	foreach(key, list_concat_copy(grouping->aggs, grouping->determined))
		add_column_to_pathtarget(target, lfirst(key), 0);
	return set_pathtarget_cost_width(root, target);
}

static bool
is_grouping_path(const Path *path)
{
	return IsA(path, AggPath) || IsA(path, GroupPath);
}

/*
 * Return a copy of PostgreSQL's cheapest aggregation with the grouping's keys
 * and aggregates as target and without HAVING.
 */
static Path *
fallback_path(PlannerInfo *root, const Path *cheapest, const Grouping *grouping)
{
	Path	   *child = path_copy(cheapest);

	child->pathtarget = grouping_target(root, grouping);
	if (IsA(child, AggPath))
		((AggPath *) child)->qual = NIL;
	else
		((GroupPath *) child)->qual = NIL;
	return child;
}

static Plan *
plan_agg(PlannerInfo *root, RelOptInfo *rel, CustomPath *path, List *tlist, List *clauses, List *custom_plans)
{
	const Grouping *grouping = linitial(path->custom_private);
	CustomScan *scan = makeNode(CustomScan);
	List	   *exprs = list_copy(grouping->quals);
	List	   *columns = NIL;
	List	   *vars;
	ListCell   *lc;

	exprs = list_concat(exprs, path_join_exprs(grouping->joins));
	foreach(lc, grouping_columns(grouping))
		columns = lappend(columns, makeTargetEntry(copyObject(lfirst(lc)), list_length(columns) + 1, NULL, false));
	/* setrefs.c would not find a base Var that stands only in custom_exprs */
	vars = pull_var_clause((Node *) list_concat_copy(list_concat_copy(grouping->keys, grouping->aggs), exprs),
						   PVC_RECURSE_AGGREGATES | PVC_RECURSE_PLACEHOLDERS);
	foreach(lc, vars)
		if (!tlist_member(lfirst(lc), columns))
			columns = lappend(columns, makeTargetEntry(copyObject(lfirst(lc)), list_length(columns) + 1, NULL, true));

	scan->scan.scanrelid = 0;
	scan->scan.plan.targetlist = tlist;
	scan->scan.plan.qual = grouping->having;
	scan->custom_scan_tlist = columns;
	scan->custom_exprs = exprs;
	scan->custom_private = list_make5(makeInteger(grouping->secret), lsecond(path->custom_private), NIL,
									  makeInteger(list_length(grouping->keys)), makeInteger(list_length(grouping->aggs)));
	scan->custom_private = lappend(scan->custom_private, makeInteger((int) grouping->hash));
	scan->custom_private = lappend(scan->custom_private, makeInteger(grouping->driver));
	scan->custom_private = lappend(scan->custom_private, path_join_kinds(grouping->joins, lsecond(path->custom_private)));
	scan->custom_private = lappend(scan->custom_private, grouping->children);
	scan->custom_private = lappend(scan->custom_private, grouping->top);
	scan->custom_private = lappend(scan->custom_private, grouping->late_materialization);
	scan->custom_private = lappend(scan->custom_private, grouping->parts);
	scan->custom_plans = custom_plans;
	scan->flags = path->flags;
	scan->methods = &gpu_agg_methods;
	return &scan->scan.plan;
}

static const CustomPathMethods agg_path_methods = {
	.CustomName = "GpuAgg",
	.PlanCustomPath = plan_agg,
};

bool
path_is_gpu_agg(const Path *path)
{
	return IsA(path, CustomPath) && ((const CustomPath *) path)->methods == &agg_path_methods;
}

double
path_groups_expected(const RelOptInfo *rel)
{
	const Path *path = linitial(rel->pathlist);

	/* the aggregation that is a GpuAgg's fallback returns all groups */
	return path_is_gpu_agg(path) ? ((const Path *) linitial(((const CustomPath *) path)->custom_paths))->rows : path->rows;
}

/* Return a copy of the relation as EXPLAIN and setrefs.c need to see it: upper relations have no relids. */
static RelOptInfo *
private_parent(const RelOptInfo *output_rel, const Candidate *candidate)
{
	RelOptInfo *parent = palloc(sizeof(RelOptInfo));

	*parent = *output_rel;
	parent->relids = candidate->relids;
	return parent;
}

/*
 * Return the least cost of PostgreSQL's aggregation over a GpuScan or GpuJoin.
 * One pass does the same work without returning rows, however many pass the
 * filters; so a wrong estimate of their number must not make it look more
 * expensive.
 */
static Cost
cost_over_ours(const RelOptInfo *output_rel)
{
	Cost		least = disable_cost;
	ListCell   *lc;

	foreach(lc, output_rel->pathlist)
	{
		const Path *path = lfirst(lc);
		const Path *input;

		if (!IsA(path, AggPath))
			continue;
		for (input = ((const AggPath *) path)->subpath; IsA(input, SortPath) || IsA(input, ProjectionPath);)
			input = IsA(input, SortPath) ? ((const SortPath *) input)->subpath : ((const ProjectionPath *) input)->subpath;
		if (path_is_gpu_scan(input) || path_is_gpu_join(input))
			least = Min(least, path->total_cost);
	}
	return least;
}

/*
 * Return the part of an aggregation's time that PostgreSQL's costs cover: they
 * leave out the sorts of ordered-set aggregates.
 */
static double
share_of_costs(PlannerInfo *root, Candidate *candidate, const Grouping *grouping, const Path *child)
{
	List	   *sorted = NIL;
	Path		sort;
	ListCell   *lc;

	foreach(lc, grouping->aggs)
	{
		const Aggref *agg = lfirst_node(Aggref, lc);

		if (AGGKIND_IS_ORDERED_SET(agg->aggkind))
			sorted = list_append_unique(sorted, agg->args);
	}
	if (sorted == NIL)
		return 1;
	cost_sort(&sort, root, NIL, 0, candidate->rows, sizeof(Datum), 0, work_mem, -1);
	return child->total_cost / (child->total_cost + sort.total_cost * list_length(sorted));
}

static CustomPath *
create_agg(PlannerInfo *root, RelOptInfo *output_rel, Candidate *candidate, Grouping *grouping, Path *child)
{
	const PassCost pass = grouping->pass;
	const double rows = grouping->wanted;
	CustomPath *path;
	QualCost	having_cost;

	grouping->driver = bms_member_index(candidate->relids, candidate->rel->relid);
	cost_qual_eval(&having_cost, grouping->having, root);
	path = makeNode(CustomPath);
	path->path.pathtype = T_CustomScan;
	path->path.parent = private_parent(output_rel, candidate);
	path->path.pathtarget = grouping->target;
	path->path.rows = rows;
	path->path.startup_cost = pass.cost + having_cost.startup + grouping->target->cost.startup;
	path->path.total_cost = path->path.startup_cost + cost_groups_out(rows) + grouping->late_materialization_cost +
		(having_cost.per_tuple + grouping->target->cost.per_tuple) * rows;
	path->flags = CUSTOMPATH_SUPPORT_PROJECTION;
	path->custom_paths = lcons(child, path_join_builds(candidate->joins));
	path->custom_private = list_make2(grouping, cost_private(&pass));
	path->methods = &agg_path_methods;
	return path;
}

static void
offer_agg(PlannerInfo *root, RelOptInfo *output_rel, Candidate *candidate, Grouping *grouping, Path *child)
{
	CustomPath *path = create_agg(root, output_rel, candidate, grouping, child);

	if (path->path.total_cost >= path_least_cost(output_rel))
		path->path.total_cost -= path_page_surcharge(root, output_rel, grouping->pass.resident);
	path->path.total_cost = Min(path->path.total_cost, cost_over_ours(output_rel) * 0.98);
	/* compare both aggregations by PostgreSQL's costs, which leave out sorts */
	path->path.total_cost *= share_of_costs(root, candidate, grouping, child);
	path->path.startup_cost = Min(path->path.startup_cost, path->path.total_cost);
	path_offer(root, output_rel, &path->path);
}

/* Examine a grouping with the columns that keys determine as keys, too. */
static const char *
examine_with_all_keys(PlannerInfo *root, Candidate *candidate, Grouping *grouping, double ngroups)
{
	grouping->keys = list_concat_copy(grouping->keys, grouping->determined);
	grouping->determined = NIL;
	return grouping_examine(root, candidate, grouping, ngroups);
}

/* Return NULL if a device can group a candidate's rows at all; otherwise the reason code. */
static const char *
check_candidate(const Candidate *candidate)
{
	if (candidate->reason != NULL)
		return candidate->reason;
	if (candidate->qual_reason != NULL)
		return candidate->qual_reason;
	return candidate_ends_in_full_join(candidate) ? "full_join" : NULL;
}

/*
 * Offer a GpuAgg for a grouping, with PostgreSQL's cheapest path as its
 * fallback; return NULL, or the reason code why there can be none.
 */
static const char *
try_agg(PlannerInfo *root, RelOptInfo *output_rel, Candidate *candidate, Grouping *grouping, const Path *cheapest)
{
	const double ngroups = cheapest != NULL ? cheapest->rows : 1;
	Grouping	late_materialization = *grouping;
	const char *reason = examine_with_all_keys(root, candidate, grouping, ngroups);

	if (late_materialization.determined != NIL && grouping_examine(root, candidate, &late_materialization, ngroups) == NULL &&
		(reason != NULL || late_materialization.pass.cost + late_materialization.late_materialization_cost <= grouping->pass.cost))
	{
		*grouping = late_materialization;
		reason = NULL;
	}
	if (reason != NULL)
		return reason;
	if (cheapest == NULL)
		return "cost";
	offer_agg(root, output_rel, candidate, grouping, fallback_path(root, cheapest, grouping));
	return NULL;
}

/* Return true if some aggregate is over distinct values. */
static bool
any_is_distinct(const List *aggs)
{
	ListCell   *lc;

	foreach(lc, aggs)
		if (lfirst_node(Aggref, lc)->aggdistinct != NIL)
			return true;
	return false;
}

/* Return true if an aggregate has the same result over rows without their duplicates. */
static bool
is_of_distinct(const Aggref *agg)
{
	const AggregateMap *map = map_aggregate(agg->aggfnoid);

	if (agg->aggkind != AGGKIND_NORMAL || agg->aggfilter != NULL)
		return false;
	/* if equal values print differently it matters which one remains, unless they are counted */
	if (!(map != NULL && map->action == AGG_COUNT) && !path_keys_print_alike(get_tlist_exprs(agg->args, true)))
		return false;
	return agg->aggdistinct != NIL || (map != NULL && (map->action == AGG_MIN || map->action == AGG_MAX));
}

/* Make the arguments of a grouping's aggregates keys of it; return false if that is not possible. */
static bool
add_arguments(PlannerInfo *root, Grouping *grouping)
{
	Index		ref = 0;
	ListCell   *agg;
	ListCell   *lc;

	foreach(lc, root->processed_tlist)
		ref = Max(ref, lfirst_node(TargetEntry, lc)->ressortgroupref);
	foreach(agg, grouping->aggs)
	{
		if (!is_of_distinct(lfirst(agg)))
			return false;
		foreach(lc, lfirst_node(Aggref, agg)->args)
		{
			Node	   *key = (Node *) lfirst_node(TargetEntry, lc)->expr;
			SortGroupClause *clause;

			if (IsA(key, Const) || list_member(grouping->keys, key))
				continue;
			clause = makeNode(SortGroupClause);
			get_sort_group_operators(exprType(key), false, false, false, &clause->sortop, &clause->eqop, NULL, &clause->hashable);
			clause->tleSortGroupRef = ++ref;
			grouping->keys = lappend(grouping->keys, key);
			grouping->clauses = lappend(grouping->clauses, clause);
		}
	}
	grouping->aggs = NIL;
	/* without keys there would be a group even of no rows */
	return grouping->keys != NIL && grouping_is_hashable(grouping->clauses);
}

/*
 * Return true if a target has nothing but keys and aggregates, as is required
 * where PostgreSQL aggregates distinct rows.  The target of an aggregation
 * below a sort and a set-returning function may have the columns of a key's
 * expression, too.
 */
static bool
is_made_of_groups(PlannerInfo *root, const PathTarget *target, const Grouping *grouping)
{
	Grouping	rest = {.keys = grouping->keys, .plain = true, .root = root};

	collect_walker((Node *) target->exprs, &rest);
	return rest.plain && rest.determined == NIL;
}

/*
 * Return an upper bound of how many of `rows` rows are distinct.  PostgreSQL
 * takes columns for related where the product of their numbers of distinct
 * values is large; if they are not, nothing is gained by making rows distinct.
 */
static double
most_distinct(PlannerInfo *root, const Grouping *grouping, double rows)
{
	double		most = 1;
	ListCell   *lc;

	foreach(lc, grouping->keys)
		most *= estimate_num_groups(root, list_make1(lfirst(lc)), rows, NULL, NULL);
	return clamp_row_est(Min(most, rows));
}

bool
path_keys_print_alike(const List *keys)
{
	ListCell   *lc;

	foreach(lc, keys)
	{
		int32		typmod = exprTypmod(lfirst(lc));
		const Oid	type = getBaseTypeAndTypmod(exprType(lfirst(lc)), &typmod);

		if (type == FLOAT4OID || type == FLOAT8OID || type == INTERVALOID || ((type == NUMERICOID || type == BPCHAROID) && typmod < 0))
			return false;
	}
	return true;
}

/*
 * Offer PostgreSQL's own aggregation over rows that a GpuAgg has made
 * distinct, for aggregates over distinct values; return NULL, or the reason
 * code why there can be none.
 */
static const char *
try_over_distinct(PlannerInfo *root, const RelOptInfo *input_rel, RelOptInfo *output_rel, Candidate *candidate,
				  Grouping *grouping)
{
	const Path *cheapest = path_cheapest(output_rel->pathlist, is_grouping_path);
	List	   *having = grouping->having;
	List	   *clauses = list_copy(grouping->clauses);
	AggClauseCosts costs = {0};
	const char *reason;
	double		ngroups;
	Path	   *path;

	if (cheapest == NULL)
		return "cost";
	if (grouping->determined != NIL || !path_keys_print_alike(grouping->keys) || !is_made_of_groups(root, output_rel->reltarget, grouping) ||
		!add_arguments(root, grouping))
		return "expression";
	grouping->having = NIL;
	grouping->below = true;
	grouping->target = grouping_target(root, grouping);
	ngroups = most_distinct(root, grouping, input_rel->rows);
	reason = grouping_examine(root, candidate, grouping, ngroups);
	if (reason != NULL)
		return reason;
	path = (Path *) create_projection_path(root, (RelOptInfo *) input_rel, input_rel->cheapest_total_path, grouping->target);
	path = (Path *) create_agg_path(root, output_rel, path, grouping->target, AGG_HASHED, AGGSPLIT_SIMPLE,
									grouping->clauses, NIL, NULL, ngroups);
	path = (Path *) create_agg(root, output_rel, candidate, grouping, path);
	if (root->group_pathkeys != NIL)
		path = (Path *) create_sort_path(root, output_rel, path, root->group_pathkeys, -1);
	get_agg_clause_costs(root, AGGSPLIT_SIMPLE, &costs);
	path = (Path *) create_agg_path(root, output_rel, path, output_rel->reltarget, clauses != NIL ? AGG_SORTED : AGG_PLAIN,
									AGGSPLIT_SIMPLE, clauses, having, &costs, cheapest->rows);
	path_offer(root, output_rel, path);
	return NULL;
}

const char *
path_agg_of_set(PlannerInfo *root, const RelOptInfo *input_rel, RelOptInfo *output_rel, Candidate *candidate, const GroupingSetWanted *set,
				Path **path)
{
	Grouping   *grouping = palloc(sizeof(Grouping));
	AggClauseCosts costs = {0};
	const char *reason;
	Path	   *child;

	if (!read_grouping(root, candidate, set->clauses, set->target->exprs, set->having, grouping) || !grouping_is_hashable(set->clauses))
		return "expression";
	grouping->target = set->target;
	/* the first groups of a set are not the first rows of the query */
	grouping->below = true;
	reason = examine_with_all_keys(root, candidate, grouping, set->ngroups);
	if (reason != NULL)
		return reason;
	get_agg_clause_costs(root, AGGSPLIT_SIMPLE, &costs);
	child = (Path *) create_agg_path(root, output_rel, input_rel->cheapest_total_path, grouping_target(root, grouping),
									 set->clauses != NIL ? AGG_HASHED : AGG_PLAIN, AGGSPLIT_SIMPLE, set->clauses, NIL, &costs, set->ngroups);
	*path = (Path *) create_agg(root, output_rel, candidate, grouping, child);
	return NULL;
}

/* Offer a GpuAgg for the query's GROUP BY, or for aggregates without one; return NULL, or the reason code why not. */
static const char *
try_group_by(PlannerInfo *root, RelOptInfo *input_rel, RelOptInfo *output_rel, Candidate *candidate,
			 const GroupPathExtraData *extra)
{
	Grouping   *grouping = palloc(sizeof(Grouping));
	const char *reason = check_candidate(candidate);

	if (reason != NULL)
		return reason;
	if (root->parse->groupingSets != NIL)
		return path_grouping_sets(root, input_rel, output_rel, candidate, (List *) extra->havingQual);
	if (!read_grouping(root, candidate, root->parse->groupClause, root->processed_tlist, (List *) extra->havingQual, grouping))
		return "expression";
	if (any_is_distinct(grouping->aggs))
		return try_over_distinct(root, input_rel, output_rel, candidate, grouping);
	grouping->target = output_rel->reltarget;
	return try_agg(root, output_rel, candidate, grouping, path_cheapest(output_rel->pathlist, is_grouping_path));
}

/* Return the cheapest path of a DISTINCT as a grouping path, converting paths that sort; NULL if there is none. */
static Path *
cheapest_distinct(PlannerInfo *root, RelOptInfo *output_rel)
{
	/* create_agg_path() may be called without costs for a hashed aggregation only */
	const AggClauseCosts none = {0};
	List	   *groupings = NIL;
	ListCell   *lc;

	foreach(lc, output_rel->pathlist)
	{
		Path	   *path = lfirst(lc);

		if (IsA(path, UpperUniquePath))
		{
			AggPath    *agg = create_agg_path(root, output_rel, ((UpperUniquePath *) path)->subpath, path->pathtarget, AGG_SORTED,
											  AGGSPLIT_SIMPLE, root->parse->distinctClause, NIL, &none, path->rows);

			agg->path.total_cost = path->total_cost;
			path = &agg->path;
		}
		groupings = lappend(groupings, path);
	}
	return path_cheapest(groupings, is_grouping_path);
}

/* Offer a GpuAgg for the query's DISTINCT; return NULL, or the reason code why there can be none. */
static const char *
try_distinct(PlannerInfo *root, RelOptInfo *output_rel, Candidate *candidate)
{
	Grouping   *grouping = palloc(sizeof(Grouping));
	const char *reason = check_candidate(candidate);
	const Path *cheapest;

	if (reason != NULL)
		return reason;
	if (!read_grouping(root, candidate, root->parse->distinctClause, root->processed_tlist, NIL, grouping))
		return "expression";
	cheapest = cheapest_distinct(root, output_rel);
	if (cheapest == NULL)
		return "cost";
	grouping->target = cheapest->pathtarget;
	return try_agg(root, output_rel, candidate, grouping, cheapest);
}

/*
 * Return true if a pass alone costs more than PostgreSQL's groupings, whatever
 * is computed of its rows, which is known sooner than a program is compiled.
 * PostgreSQL's costs leave out the sorts of some aggregates.
 */
static bool
is_too_dear(PlannerInfo *root, Candidate *candidate, const RelOptInfo *output_rel)
{
	const Cost	least = Min(path_least_cost(output_rel), cost_over_ours(output_rel));
	Cost		pass;

	if (gpudb_force || decision_is_logged() || candidate->reason != NULL || root->numOrderedAggs > 0)
		return false;
	pass = cost_least(cost_pipeline(candidate));
	if (pass >= least && candidate->joins == NIL)
		pass -= path_page_surcharge(root, output_rel, cost_resident_pages(candidate));
	return pass >= least;
}

bool
path_agg_add(PlannerInfo *root, RelOptInfo *input_rel, RelOptInfo *output_rel, const GroupPathExtraData *extra)
{
	Candidate  *candidate = candidate_of(root, input_rel);
	const char *reason;

	if (candidate == NULL)
		reason = "relation_kind";
	else if (candidate->rel == NULL)
		reason = candidate->reason;
	else
		reason = is_too_dear(root, candidate, output_rel) ? "cost" : try_group_by(root, input_rel, output_rel, candidate, extra);
	decision_note(root, candidate != NULL ? candidate->rel : NULL, DECISION_AGGREGATE, reason);
	return reason == NULL;
}

void
path_distinct_add(PlannerInfo *root, RelOptInfo *input_rel, RelOptInfo *output_rel)
{
	const Query *query = root->parse;
	Candidate *candidate = candidate_of(root, input_rel);

	/*
	 * groups and results of window functions are no relation that a device
	 * reads, and DISTINCT ON returns a whole row of each group
	 */
	if (candidate == NULL || candidate->rel == NULL || query->hasDistinctOn || query->hasAggs || query->hasWindowFuncs ||
		query->hasTargetSRFs || query->groupClause != NIL || query->groupingSets != NIL || root->hasHavingQual)
		return;
	decision_note(root, candidate->rel, DECISION_AGGREGATE, try_distinct(root, output_rel, candidate));
}

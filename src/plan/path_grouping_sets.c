/*
 * path_grouping_sets.c
 *		GROUPING SETS, ROLLUP and CUBE: an Append of a GpuAgg, or a GpuSort that groups, for each set.
 *
 * Each of them is a grouping by the set's keys alone, in whose target the
 * other keys are NULL, and GROUPING() is a constant.  All but the first read
 * columns that are cached by then.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/tlist.h"
#include "utils/selfuncs.h"

#include "plan/path.h"

/* Largest number of grouping sets for which paths are considered; PostgreSQL computes more of them in fewer passes. */
#define SETS_MOST 32

/* Keys of one of the query's grouping sets. */
typedef struct GroupingSetKeys
{
	const List *refs;			/* integer list: sortgrouprefs of its keys */
	List	   *keys;
	List	   *others;			/* the query's keys that are not keys of the set */
} GroupingSetKeys;

/* Return the value of GROUPING() for a set: a bit for each of its arguments, 1 where that is no key of the set. */
static Const *
grouping_of_set(const GroupingFunc *function, const List *refs)
{
	int32		bits = 0;
	ListCell   *lc;

	foreach(lc, function->refs)
		bits = bits << 1 | !list_member_int(refs, lfirst_int(lc));
	return makeConst(INT4OID, -1, InvalidOid, sizeof(int32), Int32GetDatum(bits), false, true);
}

/* Return an expression as it is in the groups of a set; arguments of aggregates stay as they are. */
static Node *
in_set(Node *node, void *context)
{
	const GroupingSetKeys *set = context;

	if (node == NULL || IsA(node, Aggref) || list_member(set->keys, node))
		return node;
	if (list_member(set->others, node))
		return (Node *) makeNullConst(exprType(node), exprTypmod(node), exprCollation(node));
	if (IsA(node, GroupingFunc))
		return (Node *) grouping_of_set((const GroupingFunc *) node, set->refs);
	return expression_tree_mutator(node, in_set, context);
}

/*
 * Return true if all keys differ from each other and from everything else in
 * the query: of equal keys some may be NULL, and constants occur elsewhere,
 * too.
 */
static bool
are_keys_of_rows(PlannerInfo *root)
{
	List	   *keys = NIL;
	ListCell   *lc;

	foreach(lc, root->parse->groupClause)
	{
		Node	   *key = get_sortgroupclause_expr(lfirst(lc), root->processed_tlist);

		if (!contain_var_clause(key) || list_member(keys, key))
			return false;
		keys = lappend(keys, key);
	}
	return true;
}

/* Return the clauses of a set, and store its keys in *set. */
static List *
read_set(PlannerInfo *root, const List *refs, GroupingSetKeys *set)
{
	List	   *clauses = NIL;
	ListCell   *lc;

	*set = (GroupingSetKeys) {.refs = refs};
	foreach(lc, root->parse->groupClause)
	{
		Node	   *key = get_sortgroupclause_expr(lfirst(lc), root->processed_tlist);

		if (list_member_int(refs, (int) lfirst_node(SortGroupClause, lc)->tleSortGroupRef))
		{
			set->keys = lappend(set->keys, key);
			clauses = lappend(clauses, lfirst(lc));
		}
		else
			set->others = lappend(set->others, key);
	}
	return clauses;
}

static PathTarget *
target_of_set(PlannerInfo *root, const PathTarget *target, GroupingSetKeys *set)
{
	PathTarget *changed = copy_pathtarget((PathTarget *) target);

	changed->exprs = (List *) in_set((Node *) target->exprs, set);
	return set_pathtarget_cost_width(root, changed);
}

const char *
path_grouping_sets(PlannerInfo *root, RelOptInfo *input_rel, RelOptInfo *output_rel, Candidate *candidate, List *having)
{
	Candidate	later = *candidate;
	List	   *paths = NIL;
	ListCell   *lc;

	/* a subplan runs in one place */
	if (list_length(root->parse->groupingSets) > SETS_MOST || !are_keys_of_rows(root) || contain_subplans((Node *) output_rel->reltarget->exprs) ||
		contain_subplans((Node *) having))
		return "expression";
	later.read_before = true;
	foreach(lc, root->parse->groupingSets)
	{
		GroupingSetKeys keys;
		GroupingSetWanted set = {.clauses = read_set(root, lfirst(lc), &keys)};
		const char *reason;
		Path	   *path;

		set.target = target_of_set(root, output_rel->reltarget, &keys);
		set.having = (List *) in_set((Node *) having, &keys);
		set.ngroups = keys.keys != NIL ? estimate_num_groups(root, keys.keys, input_rel->rows, NULL, NULL) : 1;
		reason = path_agg_of_set(root, input_rel, output_rel, paths == NIL ? candidate : &later, &set, &path);
		if (reason != NULL && (path = path_sets_of_set(root, input_rel, output_rel, &set)) == NULL)
			return reason;
		paths = lappend(paths, path);
	}
	path_offer(root, output_rel, (Path *) create_append_path(root, output_rel, paths, NIL, NIL, NULL, 0, false, -1));
	return NULL;
}

/*
 * path_top.c
 *		Determines whether only the first n groups above a GpuAgg are wanted, in the order of a Sort.
 *
 * PostgreSQL's Sort and Limit stay where they are.  The node may only leave
 * out groups that they would leave out: so the plan between may not do more
 * than return keys and aggregates, which raises no error.
 */
#include "postgres.h"

#include "catalog/pg_am.h"
#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "compile/opmap.h"
#include "exec/agg/top.h"
#include "plan/path.h"

/* Return a number of rows that is known at plan time; -1 if there is none. */
static int64
known_rows(const Node *expr)
{
	const Const *constant = (const Const *) expr;

	if (expr == NULL || !IsA(expr, Const) || constant->consttype != INT8OID || constant->constisnull)
		return -1;
	return DatumGetInt64(constant->constvalue);
}

/*
 * Return how many rows a LIMIT lets through at most, including those that
 * OFFSET skips, and not counting ties of the last one; 0 = all, or unknown at
 * plan time.
 */
static int64
limit_rows(const Query *query)
{
	int64		count = known_rows(query->limitCount);
	int64		offset = query->limitOffset == NULL ? 0 : known_rows(query->limitOffset);

	if (count <= 0 || offset < 0 || offset > PG_INT64_MAX - count)
		return 0;
	return count + offset;
}

int64
path_rows_wanted(const Query *query)
{
	/* ties are returned, too, and a row for which set-returning functions return no row is replaced by a further one */
	return query->limitOption == LIMIT_OPTION_COUNT && !query->hasTargetSRFs ? limit_rows(query) : 0;
}

/* Return true if everything that the query returns of a group is in the group's row already. */
static bool
nothing_above(const List *tlist, const List *columns)
{
	ListCell   *lc;

	foreach(lc, tlist)
	{
		Node	   *expr = (Node *) lfirst_node(TargetEntry, lc)->expr;

		if (!IsA(expr, Const) && !list_member(columns, expr))
			return false;
	}
	return true;
}

/* Return true if the groups are not the rows that are sorted, because DISTINCT is applied to them first. */
static bool
are_made_distinct(const Query *query)
{
	return query->distinctClause != NIL && (query->groupClause != NIL || query->hasAggs);
}

/* Return true if a column is sorted by its type's default operator class, up or down. */
static bool
sorts_by_default(const SortGroupClause *clause, Node *expr, bool *descending)
{
	Oid			type = getBaseType(exprType(expr));
	Oid			opfamily;
	Oid			opcintype;
	int16		strategy;

	if (!get_ordering_op_properties(clause->sortop, &opfamily, &opcintype, &strategy))
		return false;
	*descending = strategy == BTGreaterStrategyNumber;
	return opfamily == lookup_type_cache(type, TYPECACHE_BTREE_OPFAMILY)->btree_opf && opcintype == type;
}

/* Return the number of a column that groups are sorted by; -1 where its words do not define its order. */
static int
find_ordered_column(const PlannerInfo *root, const List *columns, const CompileResult *compiled, const SortGroupClause *clause, bool *descending)
{
	Node	   *expr = get_sortgroupclause_expr((SortGroupClause *) clause, root->processed_tlist);
	int			column = 0;

	while (column < list_length(columns) && !equal(list_nth(columns, column), expr))
		column++;
	if (column >= compiled->nkeys + compiled->naggs || !top_is_ordered(compiled, column) || !sorts_by_default(clause, expr, descending))
		return -1;
	return column;
}

List *
path_top(PlannerInfo *root, const List *columns, const CompileResult *compiled)
{
	const Query *query = root->parse;
	/* ties of the last one are among the groups that are not left out */
	const int64 wanted = limit_rows(query);
	List	   *top;
	ListCell   *lc;

	if (wanted == 0 || wanted > TOP_MOST || query->sortClause == NIL || query->hasWindowFuncs || query->hasTargetSRFs || compiled->nkeys == 0 ||
		are_made_distinct(query) || !nothing_above(root->processed_tlist, columns))
		return NIL;
	top = list_make1_int((int) wanted);
	foreach(lc, query->sortClause)
	{
		const SortGroupClause *clause = lfirst_node(SortGroupClause, lc);
		bool		descending = false;
		const int	column = find_ordered_column(root, columns, compiled, clause, &descending);

		if (column < 0 || foreach_current_index(lc) == GROUP_TOP_COLUMNS)
			break;
		top = lappend_int(lappend_int(lappend_int(top, column), descending), clause->nulls_first);
	}
	return list_length(top) > 1 ? top : NIL;
}

bool
path_top_is_of_counts(const List *top, const CompileResult *compiled)
{
	for (int i = 1; i < list_length(top); i += 3)
	{
		const int	column = list_nth_int(top, i);

		if (column < compiled->nkeys ||
			(compiled->agg[column - compiled->nkeys].action != AGG_COUNT_ALL && compiled->agg[column - compiled->nkeys].action != AGG_COUNT))
			return false;
	}
	return true;
}

/*
 * median.c
 *		gpudb.median(x) as the percentile that it is.
 *
 * Before a query is planned its medians become PostgreSQL's percentile_cont(0.5)
 * or, of what has nothing in between, percentile_disc(0.5): so they are planned, run
 * and fall back as these do.  Only where there can be no ordered-set aggregate, as in
 * window functions, the aggregate's own functions run (exec/median.c).
 */
#include "postgres.h"

#include "access/transam.h"
#include "catalog/namespace.h"
#include "catalog/pg_aggregate.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "parser/parse_oper.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "plan/median.h"

static bool
is_median(const Aggref *agg)
{
	return agg->aggfnoid >= FirstNormalObjectId && agg->aggkind == AGGKIND_NORMAL && agg->aggdistinct == NIL && agg->aggorder == NIL &&
		list_length(agg->args) == 1 && get_func_namespace(agg->aggfnoid) == get_namespace_oid("gpudb", true) &&
		strcmp(get_func_name(agg->aggfnoid), "median") == 0;
}

static void
become_percentile(Aggref *agg)
{
	TargetEntry *value = linitial_node(TargetEntry, agg->args);
	const Oid	type = exprType((Node *) value->expr);
	SortGroupClause *order = makeNode(SortGroupClause);

	value->ressortgroupref = order->tleSortGroupRef = 1;
	/* its error is the one of percentile_disc(), too */
	get_sort_group_operators(type, true, true, false, &order->sortop, &order->eqop, NULL, &order->hashable);
	agg->aggfnoid = agg->aggtype == FLOAT8OID ? F_PERCENTILE_CONT_FLOAT8_FLOAT8 : F_PERCENTILE_DISC_FLOAT8_ANYELEMENT;
	agg->aggcollid = agg->aggtype == FLOAT8OID ? InvalidOid : exprCollation((Node *) value->expr);
	agg->aggargtypes = list_make2_oid(FLOAT8OID, type);
	agg->aggdirectargs = list_make1(makeConst(FLOAT8OID, -1, InvalidOid, sizeof(float8), Float8GetDatum(0.5), false, FLOAT8PASSBYVAL));
	agg->aggorder = list_make1(order);
	agg->aggkind = AGGKIND_ORDERED_SET;
}

static bool
rewrite_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, rewrite_walker, context, 0);
	if (IsA(node, Aggref) && is_median((Aggref *) node))
		become_percentile((Aggref *) node);
	return expression_tree_walker(node, rewrite_walker, context);
}

void
median_rewrite(Query *query)
{
	(void) rewrite_walker((Node *) query, NULL);
}

/*
 * rewrite.c
 *		Replaces aggregates before a query is planned.
 *
 * gpudb.median(x) becomes the percentile that it is: percentile_cont(0.5) of
 * numbers or, of types without values in between, percentile_disc(0.5).  So it
 * is planned, runs and falls back as these do.  Only where there can be no
 * ordered-set aggregate, as for window functions, its own functions run
 * (exec/agg/median.c).
 *
 * Under gpudb.exact_float_sums, sums and averages of floats become gpudb's
 * exact ones (exec/agg/exact_sums.c), whatever then computes them.
 */
#include "postgres.h"

#include "access/transam.h"
#include "catalog/pg_aggregate.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "parser/parse_oper.h"
#include "utils/fmgroids.h"

#include "compile/extension.h"
#include "guc.h"
#include "plan/rewrite.h"

static bool
is_median(const Aggref *agg)
{
	return agg->aggfnoid >= FirstNormalObjectId && agg->aggkind == AGGKIND_NORMAL && agg->aggdistinct == NIL && agg->aggorder == NIL &&
		list_length(agg->args) == 1 && is_own_function(agg->aggfnoid, "median");
}

static void
become_percentile(Aggref *agg)
{
	TargetEntry *value = linitial_node(TargetEntry, agg->args);
	const Oid	type = exprType((Node *) value->expr);
	SortGroupClause *order = makeNode(SortGroupClause);

	value->ressortgroupref = order->tleSortGroupRef = 1;
	/* if the type has no order, the error is that of percentile_disc(), too */
	get_sort_group_operators(type, true, true, false, &order->sortop, &order->eqop, NULL, &order->hashable);
	agg->aggfnoid = agg->aggtype == FLOAT8OID ? F_PERCENTILE_CONT_FLOAT8_FLOAT8 : F_PERCENTILE_DISC_FLOAT8_ANYELEMENT;
	agg->aggcollid = agg->aggtype == FLOAT8OID ? InvalidOid : exprCollation((Node *) value->expr);
	agg->aggargtypes = list_make2_oid(FLOAT8OID, type);
	agg->aggdirectargs = list_make1(makeConst(FLOAT8OID, -1, InvalidOid, sizeof(float8), Float8GetDatum(0.5), false, FLOAT8PASSBYVAL));
	agg->aggorder = list_make1(order);
	agg->aggkind = AGGKIND_ORDERED_SET;
}

/* Return the exact aggregate that replaces a sum or average of floats; other functions stay. */
static Oid
exact_function(Oid function)
{
	const bool	sum = function == F_SUM_FLOAT4 || function == F_SUM_FLOAT8;
	const Oid	type = function == F_SUM_FLOAT4 || function == F_AVG_FLOAT4 ? FLOAT4OID : FLOAT8OID;

	Oid			exact;

	if (!gpudb_exact_float_sums || (!sum && function != F_AVG_FLOAT4 && function != F_AVG_FLOAT8))
		return function;
	exact = extension_function(sum ? "exact_sum" : "exact_avg", type);
	return OidIsValid(exact) ? exact : function;
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
	if (IsA(node, Aggref))
		((Aggref *) node)->aggfnoid = exact_function(((Aggref *) node)->aggfnoid);
	if (IsA(node, WindowFunc))
		((WindowFunc *) node)->winfnoid = exact_function(((WindowFunc *) node)->winfnoid);
	return expression_tree_walker(node, rewrite_walker, context);
}

/* Return true if a query, or a subquery of it, may have an aggregate; most queries that look rows up have none. */
static bool
may_have_aggregates(const Query *query)
{
	ListCell   *lc;

	if (query->hasAggs || query->hasWindowFuncs || query->hasSubLinks || query->cteList != NIL)
		return true;
	foreach(lc, query->rtable)
		if (lfirst_node(RangeTblEntry, lc)->rtekind == RTE_SUBQUERY)
			return true;
	return false;
}

void
rewrite_aggregates(Query *query)
{
	if (may_have_aggregates(query))
		(void) rewrite_walker((Node *) query, NULL);
}

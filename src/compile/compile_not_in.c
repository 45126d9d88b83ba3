/*
 * compile_not_in.c
 *		x NOT IN (SELECT ...) as an anti join with a join table of the subplan's rows.
 *
 * The filter is true where every comparison of x with a row is false.  Without
 * rows it is therefore true for any x; otherwise it is true if x is not NULL, no
 * row has a NULL, and no row meets the conditions.  With several columns, a
 * comparison is also false if one column differs and another is NULL; such NULLs
 * are left to PostgreSQL.
 */
#include "postgres.h"

#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "utils/lsyscache.h"

#include "compile/compile_not_in.h"

/*
 * Range table index, plus the subplan's plan_id, of the Vars that stand for a
 * subplan's columns.  It is beyond any range table.
 */
#define FIRST_RELATION	(1 << 24)

/* Return the comparisons with the columns of a row, in the order of the columns. */
static List *
comparisons(const SubPlan *subplan)
{
	return make_ands_implicit((Expr *) subplan->testexpr);
}

/* Return the number, from 1 on, of the subplan's column that a node is the parameter of; 0 if it is none. */
static AttrNumber
column_of_param(const SubPlan *subplan, const Node *node)
{
	const Param *param = (const Param *) node;
	ListCell   *lc;

	if (!IsA(node, Param) || param->paramkind != PARAM_EXEC)
		return 0;
	foreach(lc, subplan->paramIds)
		if (lfirst_int(lc) == param->paramid)
			return foreach_current_index(lc) + 1;
	return 0;
}

/* Replace the subplan's parameters by Vars for its columns. */
static Node *
name_columns_mutator(Node *node, void *arg)
{
	const SubPlan *subplan = arg;
	AttrNumber	column;

	if (node == NULL)
		return NULL;
	column = column_of_param(subplan, node);
	if (column > 0)
		return (Node *) makeVar(FIRST_RELATION + subplan->plan_id, column, exprType(node), exprTypmod(node), exprCollation(node), 0);
	return expression_tree_mutator(node, name_columns_mutator, arg);
}

/* Return the column on the right side of a comparison, without casts; NULL if there is not exactly one. */
static Node *
column_of_comparison(const OpExpr *op)
{
	List	   *vars = pull_var_clause(lsecond(op->args), PVC_RECURSE_PLACEHOLDERS);

	return list_length(vars) == 1 ? linitial(vars) : NULL;
}

/* Return true if a comparison with column number `column` is NULL if either side is. */
static bool
is_strict_comparison(const OpExpr *op, int relation, AttrNumber column)
{
	const Var  *var;

	if (!IsA(op, OpExpr) || list_length(op->args) != 2 || !op_strict(op->opno) || contain_nonstrict_functions(lsecond(op->args)))
		return false;
	var = (const Var *) column_of_comparison(op);
	return var != NULL && var->varno == relation && var->varattno == column;
}

bool
not_in_request(const SubPlan *subplan, JoinRequest *request)
{
	const int	relation = FIRST_RELATION + subplan->plan_id;
	ListCell   *lc;

	*request = (JoinRequest) {
		.type = JOIN_ANTI, .not_in = true,
		.conditions = (List *) name_columns_mutator((Node *) comparisons(subplan), (void *) subplan)
	};
	foreach(lc, request->conditions)
	{
		if (!is_strict_comparison(lfirst(lc), relation, foreach_current_index(lc) + 1))
			return false;
		request->columns = lappend(request->columns, column_of_comparison(lfirst(lc)));
	}
	return list_length(request->columns) == list_length(subplan->paramIds);
}

const SubPlan *
not_in_subplan(const Node *filter)
{
	const BoolExpr *negation = (const BoolExpr *) filter;
	const SubPlan *subplan;

	if (!IsA(filter, BoolExpr) || negation->boolop != NOT_EXPR || !IsA(linitial(negation->args), SubPlan))
		return NULL;
	subplan = linitial(negation->args);
	return subplan->subLinkType == ANY_SUBLINK && subplan->parParam == NIL ? subplan : NULL;
}

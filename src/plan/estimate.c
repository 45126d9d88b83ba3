/*
 * estimate.c
 *		Estimates how many rows a pipeline has after a join: PostgreSQL's estimates, raised where they are known to be
 *		too low.
 *
 * PostgreSQL's own estimates stay unchanged: its plans do not change with the
 * extension.  A pipeline costed by them would be chosen, or built, for far
 * fewer rows than there are.
 */
#include "postgres.h"

#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "optimizer/paths.h"
#include "utils/selfuncs.h"

#include "plan/candidate.h"
#include "plan/estimate.h"

Expr *
pair_inner_key(const JoinPair *pair, const RestrictInfo *clause)
{
	const bool	on_left = bms_is_subset(clause->left_relids, pair->inner->relids);
	Expr	   *expr;

	if (!clause->can_join || !OidIsValid(clause->hashjoinoperator) || on_left == bms_is_subset(clause->right_relids, pair->inner->relids))
		return NULL;
	expr = (Expr *) (on_left ? get_leftop(clause->clause) : get_rightop(clause->clause));
	while (IsA(expr, RelabelType))
		expr = ((RelabelType *) expr)->arg;
	return expr;
}

/* Return the number of tuples of the largest of some relations. */
static double
most_tuples(PlannerInfo *root, const Bitmapset *relids)
{
	double		most = 1;
	int			relid = -1;

	while ((relid = bms_next_member(relids, relid)) > 0)
		/* outer joins have range table indexes, too */
		if (root->simple_rel_array[relid] != NULL)
			most = Max(most, root->simple_rel_array[relid]->tuples);
	return most;
}

/*
 * Return a lower bound of the selectivity of an inner join, 0 if nothing is
 * known.  PostgreSQL multiplies the selectivities of equalities as if nothing
 * tied their columns to each other; but where the columns of either side are
 * one table's, or equal to one table's, they have no more combinations of
 * values than it has rows.
 */
static Selectivity
least_selectivity(PlannerInfo *root, const JoinPair *pair)
{
	Selectivity others = 1;
	int			nequal = 0;
	Bitmapset  *inner;
	Bitmapset  *outer;
	ListCell   *lc;

	if (list_length(pair->extra->restrictlist) < 2)
		return 0;
	inner = bms_copy(pair->inner->relids);
	outer = bms_copy(pair->outer->relids);
	foreach(lc, pair->extra->restrictlist)
	{
		RestrictInfo *clause = lfirst_node(RestrictInfo, lc);
		const Bitmapset *relids = clause->parent_ec != NULL ? clause->parent_ec->ec_relids : clause->clause_relids;

		if (clause->mergeopfamilies == NIL)
		{
			others *= clause_selectivity(root, (Node *) clause, 0, pair->type, pair->extra->sjinfo);
			continue;
		}
		nequal++;
		inner = bms_int_members(inner, relids);
		outer = bms_int_members(outer, relids);
	}
	if (nequal < 2 || bms_is_empty(inner) || bms_is_empty(outer))
		return 0;
	return others / Max(most_tuples(root, inner), most_tuples(root, outer));
}

/*
 * Lower bound of the part of the rows that an anti join with conditions
 * besides equality leaves.  PostgreSQL multiplies selectivities: if nearly all
 * rows have an equal one, and nearly all pairs meet the other condition, it
 * expects next to no row, though equal ones may be those few pairs that do not
 * meet it.
 */
#define ANTI_LEAST	0.1

static bool
equalities_only(const JoinPair *pair)
{
	ListCell   *lc;

	foreach(lc, pair->extra->restrictlist)
		if (lfirst_node(RestrictInfo, lc)->mergeopfamilies == NIL)
			return false;
	return true;
}

double
estimate_rows(const Candidate *candidate, const RelOptInfo *rel)
{
	return candidate != NULL && candidate->reason == NULL && candidate->joins != NIL ? candidate->rows : rel->rows;
}

double
estimate_pair(PlannerInfo *root, const JoinPair *pair, PairRows rows)
{
	const double joined = pair->joined->rows * rows.outer / pair->outer->rows;

	if (pair->type == JOIN_ANTI && !equalities_only(pair))
		return Max(joined, rows.outer * ANTI_LEAST);
	if (pair->type != JOIN_INNER)
		return joined;
	return Max(joined * rows.inner / pair->inner->rows, rows.outer * rows.inner * least_selectivity(root, pair));
}

/* Loops */

/* Return true if a column has hardly more rows than values, by its statistics or an index. */
static bool
has_distinct_values(PlannerInfo *root, const RelOptInfo *rel, Expr *column)
{
	VariableStatData stats;
	double		distinct;
	bool		is_default;

	examine_variable(root, (Node *) column, 0, &stats);
	distinct = get_variable_numdistinct(&stats, &is_default);
	ReleaseVariableStats(stats);
	return !is_default && distinct >= 0.9 * rel->tuples;
}

/* Return true if rows of a relation of the inner side probably differ in the columns that are compared. */
static bool
is_unique_in(PlannerInfo *root, const JoinPair *pair, int relid)
{
	RelOptInfo *rel = root->simple_rel_array[relid];
	List	   *exprs = NIL;
	List	   *operators = NIL;
	ListCell   *lc;

	foreach(lc, pair->extra->restrictlist)
	{
		const RestrictInfo *clause = lfirst_node(RestrictInfo, lc);
		Expr	   *expr = pair_inner_key(pair, clause);

		if (expr == NULL || !IsA(expr, Var) || ((Var *) expr)->varno != relid)
			continue;
		if (has_distinct_values(root, rel, expr))
			return true;
		exprs = lappend(exprs, expr);
		operators = lappend_oid(operators, castNode(OpExpr, clause->clause)->opno);
	}
	return exprs != NIL && rel->indexlist != NIL && relation_has_unique_index_for(root, rel, NIL, exprs, operators);
}

static bool
has_equalities_only(const JoinPair *pair)
{
	ListCell   *lc;

	foreach(lc, pair->extra->restrictlist)
		if (!OidIsValid(lfirst_node(RestrictInfo, lc)->hashjoinoperator))
			return false;
	return true;
}

/*
 * Return true if a program probably needs a loop for a join: over the rows of
 * keys that have several.  PostgreSQL knows for single relations whether their
 * keys are unique; the keys of a join of such a relation with others remain
 * unique as long as the join does not multiply its rows.  A semi or anti join
 * by equalities needs no loop to find out if there is a match.
 */
bool
estimate_loops(PlannerInfo *root, const JoinPair *pair)
{
	int			relid = -1;

	if (pair->extra->inner_unique || ((pair->type == JOIN_SEMI || pair->type == JOIN_ANTI) && has_equalities_only(pair)))
		return false;
	while ((relid = bms_next_member(pair->inner->relids, relid)) >= 0)
	{
		const RelOptInfo *rel = root->simple_rel_array[relid];

		if (rel != NULL && rel->reloptkind == RELOPT_BASEREL && pair->inner->rows <= rel->rows && is_unique_in(root, pair, relid))
			return false;
	}
	return true;
}

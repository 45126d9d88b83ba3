/*
 * estimate.c
 *		How many rows a pipeline has after a join: PostgreSQL's estimates, raised where they are known to be too low.
 *
 * PostgreSQL's own stay what they are: its plans do not change with the
 * extension.  A pipeline that went by them would be taken, or made, for far
 * fewer rows than there are.
 */
#include "postgres.h"

#include "optimizer/optimizer.h"
#include "plan/candidate.h"
#include "plan/estimate.h"

/* Rows of the largest of some relations. */
static double
most_tuples(PlannerInfo *root, const Bitmapset *relids)
{
	double		most = 1;
	int			relid = -1;

	while ((relid = bms_next_member(relids, relid)) > 0)
		/* outer joins have numbers, too */
		if (root->simple_rel_array[relid] != NULL)
			most = Max(most, root->simple_rel_array[relid]->tuples);
	return most;
}

/*
 * The part of all pairs that an inner join has at least, 0 if nothing is
 * known.  PostgreSQL multiplies the selectivities of equal columns as if
 * nothing tied them to each other; but where those of either side are one
 * table's, or equal to one table's, they have no more combinations of values
 * than it has rows.
 */
static Selectivity
least_selectivity(PlannerInfo *root, const JoinPair *pair)
{
	Selectivity others = 1;
	int			nequal = 0;
	Bitmapset  *inner = bms_copy(pair->inner->relids);
	Bitmapset  *outer = bms_copy(pair->outer->relids);
	ListCell   *lc;

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
 * The part of the rows that an anti join leaves at least if it asks for more
 * than equality.  PostgreSQL multiplies selectivities: if nearly all rows have
 * an equal one, and nearly all pairs meet the other condition, it expects next
 * to no row, though equal ones may be those few pairs.
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
estimate_rows(PlannerInfo *root, const RelOptInfo *rel)
{
	const Candidate *candidate = candidate_find(root, rel->relids);

	return candidate != NULL && candidate->reason == NULL && candidate->joins != NIL ? candidate->rows : rel->rows;
}

double
estimate_pair(PlannerInfo *root, const JoinPair *pair)
{
	const double outer = estimate_rows(root, pair->outer);
	const double inner = estimate_rows(root, pair->inner);
	const double rows = pair->joined->rows * outer / pair->outer->rows;

	if (pair->type == JOIN_ANTI && !equalities_only(pair))
		return Max(rows, outer * ANTI_LEAST);
	if (pair->type != JOIN_INNER)
		return rows;
	return Max(rows * inner / pair->inner->rows, outer * inner * least_selectivity(root, pair));
}

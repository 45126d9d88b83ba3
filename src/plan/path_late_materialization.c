/*
 * path_late_materialization.c
 *		Late materialization of columns of groups that need not be keys, because other keys determine them.
 *
 * Where the keys hold a table's primary key, PostgreSQL lets a query show the
 * table's other columns as well.  They can be keys like all others, at the
 * price of one more part of each row's key, or be materialized late, from the
 * table's row, when a group is returned: by the index of the primary key,
 * under the query's snapshot, so that it is the row that the group is about.
 */
#include "postgres.h"

#include "access/sysattr.h"
#include "catalog/pg_am.h"
#include "catalog/pg_class.h"
#include "catalog/pg_constraint.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"

#include "plan/path.h"

/* Return the constraint of the primary key of a column's table if keys contain that primary key, or InvalidOid. */
static Oid
primary_key_among(const PlannerInfo *root, const List *keys, const Var *var)
{
	const RangeTblEntry *rte = planner_rt_fetch(var->varno, root);
	Bitmapset  *missing;
	Oid			constraint;
	ListCell   *lc;

	if (rte->rtekind != RTE_RELATION || (rte->inh && rte->relkind != RELKIND_PARTITIONED_TABLE))
		return InvalidOid;
	missing = get_primary_key_attnos(rte->relid, false, &constraint);
	if (missing == NULL)
		return InvalidOid;
	foreach(lc, keys)
	{
		const Var  *key = lfirst(lc);

		if (IsA(key, Var) && key->varno == var->varno)
			missing = bms_del_member(missing, key->varattno - FirstLowInvalidHeapAttributeNumber);
	}
	return bms_is_empty(missing) ? constraint : InvalidOid;
}

bool
path_is_determined(const PlannerInfo *root, const List *keys, const Var *var)
{
	return OidIsValid(primary_key_among(root, keys, var));
}

/* Return the index of a primary key; NULL if it cannot be used. */
static const IndexOptInfo *
usable_index(const RelOptInfo *rel, Oid constraint)
{
	const Oid	oid = get_constraint_index(constraint);
	ListCell   *lc;

	foreach(lc, rel->indexlist)
	{
		const IndexOptInfo *index = lfirst(lc);

		if (index->indexoid == oid && index->relam == BTREE_AM_OID)
			return index;
	}
	return NULL;
}

static bool
is_column(const Node *key, Index relid, int attno)
{
	return IsA(key, Var) && ((const Var *) key)->varno == relid && ((const Var *) key)->varattno == attno;
}

/* Return which of the keys are an index's columns, by number; NIL if some column is no key. */
static List *
places_of_columns(const IndexOptInfo *index, const List *keys)
{
	List	   *places = NIL;

	for (int i = 0; i < index->nkeycolumns; i++)
	{
		int			place = 0;

		while (place < list_length(keys) && !is_column(list_nth(keys, place), index->rel->relid, index->indexkeys[i]))
			place++;
		if (place == list_length(keys))
			return NIL;
		places = lappend_int(places, place);
	}
	return places;
}

/* Return the cost of reading rows of a table by an index, as PostgreSQL counts index lookups of a join. */
static Cost
cost_of_lookups(PlannerInfo *root, const IndexOptInfo *index, double rows)
{
	const double pages = index_pages_fetched(rows, index->rel->pages, index->pages, root);

	return pages * random_page_cost + rows * (PATH_INDEX_DESCENT + cpu_index_tuple_cost + cpu_tuple_cost);
}

List *
path_late_materialization(PlannerInfo *root, const List *keys, const List *vars, double groups, Cost *cost)
{
	List	   *late_materialization = NIL;
	Index		before = 0;
	ListCell   *lc;

	*cost = 0;
	foreach(lc, vars)
	{
		const Var  *var = lfirst(lc);

		if (var->varattno <= 0)
			return NIL;
		if (var->varno != before)
		{
			const IndexOptInfo *index = usable_index(find_base_rel(root, var->varno), primary_key_among(root, keys, var));
			List	   *places = index != NULL ? places_of_columns(index, keys) : NIL;

			/* the index of a partitioned or inherited table's parent has no rows */
			if (places == NIL || planner_rt_fetch(var->varno, root)->inh)
				return NIL;
			late_materialization = lappend(late_materialization, list_make3(list_make1_int(0), list_make1_oid(index->indexoid), places));
			*cost += cost_of_lookups(root, index, groups);
			before = var->varno;
		}
		linitial_int(linitial(llast(late_materialization)))++;
	}
	return late_materialization;
}

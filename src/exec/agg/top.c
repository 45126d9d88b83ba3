/*
 * top.c
 *		Top-N groups: the groups that can be among the first n of an order.
 *
 * A sort column of each group becomes an integer, less for what comes first
 * (core/vm/group_top.h).  The n best groups so far are held in a heap with the last
 * of them on top: a group that comes after the top cannot be among the first n.
 * When all groups have been looked at, the top is the bound.  Most groups are
 * decided by the first sort column; further columns are compared where it ties.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "lib/binaryheap.h"
#include "miscadmin.h"

#include "compile/opmap.h"
#include "exec/agg/top.h"

/* Return true if a type's values are represented by integers in their order; for floats, if there is no -0 beside 0. */
static bool
type_is_ordered(Oid type)
{
	switch (type)
	{
		case BOOLOID:
		case INT2OID:
		case INT4OID:
		case INT8OID:
		case OIDOID:
		case FLOAT4OID:
		case FLOAT8OID:
		case NUMERICOID:
		case DATEOID:
		case TIMEOID:
		case TIMETZOID:
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
		case UUIDOID:
			return true;
		default:
			return false;
	}
}

static bool
aggregate_is_ordered(const AggResult *agg)
{
	switch ((AggAction) agg->action)
	{
		case AGG_COUNT_ALL:
		case AGG_COUNT:
			return true;
		case AGG_MIN:
		case AGG_MAX:
			/* the node has fallen back if the float is 0 and there is a -0 as well */
			return type_is_ordered(agg->argtype);
		case AGG_SUM:
			/* sums of floats are compared after rounding */
			return agg->argtype != FLOAT4OID && agg->argtype != FLOAT8OID;
		case AGG_AVG:
			/* PostgreSQL rounds quotients to different numbers of digits */
		case AGG_BOOL_AND:
		case AGG_BOOL_OR:
		case AGG_BIT_AND:
		case AGG_BIT_OR:
		case AGG_BIT_XOR:
		case AGG_VAR_POP:
		case AGG_VAR_SAMP:
		case AGG_STDDEV_POP:
		case AGG_STDDEV_SAMP:
		case AGG_EXACT_SUM:
		case AGG_EXACT_AVG:
			/* percentiles are over all rows, without groups */
		case AGG_PERCENTILE_DISC:
		case AGG_PERCENTILE_CONT:
			return false;
	}
	return false;
}

bool
top_is_ordered(const CompileResult *compiled, int column)
{
	return column < compiled->nkeys ? type_is_ordered(compiled->key[column].type)
		: aggregate_is_ordered(&compiled->agg[column - compiled->nkeys]);
}

Top
top_of_plan(const List *plan)
{
	Top			top = {.wanted = plan == NIL ? 0 : linitial_int(plan)};

	for (int i = 1; i < list_length(plan); i += 3)
		top.by[top.ncolumns++] = (TopColumn) {
			.column = list_nth_int(plan, i), .descending = list_nth_int(plan, i + 1) != 0, .nulls_first = list_nth_int(plan, i + 2) != 0
		};
	return top;
}

static void
find_key(GroupTopColumn *order, const Program *program, int k)
{
	order->word = program->key_word[k];
	order->wide = program->key_kind[k] == KEY_WIDE;
	order->null_word = 0;
	order->null_mask = order->null_value = UINT64CONST(1) << k;
}

static void
find_aggregate(GroupTopColumn *order, const Program *program, const AggResult *agg)
{
	const bool	counts = agg->action == AGG_COUNT_ALL || agg->action == AGG_COUNT;

	order->word = program->state_word[counts ? agg->count : agg->value];
	order->wide = agg->action == AGG_SUM || (!counts && (agg->argtype == NUMERICOID || agg->argtype == TIMETZOID));
	/* a total of nothing is NULL; a count never is */
	order->null_word = program->state_word[agg->count];
	order->null_mask = counts ? 0 : ~UINT64CONST(0);
	order->null_value = counts ? 1 : 0;
}

void
top_describe(Top *top, const CompileResult *compiled)
{
	top->order = (GroupTop) {.wanted = top->wanted, .ncolumns = top->ncolumns};
	for (int i = 0; i < top->ncolumns; i++)
	{
		const TopColumn *by = &top->by[i];
		GroupTopColumn *order = &top->order.by[i];

		*order = (GroupTopColumn) {.descending = by->descending, .nulls_first = by->nulls_first};
		if (by->column < compiled->nkeys)
			find_key(order, compiled->program, by->column);
		else
			find_aggregate(order, compiled->program, &compiled->agg[by->column - compiled->nkeys]);
	}
}

/* Return a number above 0 if a group's row comes after another one's, below 0 if it comes before that, and 0 if they tie. */
static int
compare_rows(Datum row, Datum other, void *top_order)
{
	const GroupTop *top = top_order;
	const GroupOrder place = group_order(top, (const uint64 *) DatumGetPointer(other));

	return group_row_compare(top, (const uint64 *) DatumGetPointer(row), &place);
}

/* Add a group that may be among the first n. */
static void
add_group(Top *top, uint32 *capacity, uint32 group)
{
	if (top->ngroups == *capacity)
	{
		*capacity *= 2;
		top->group = repalloc_huge(top->group, *capacity * sizeof(uint32));
	}
	top->group[top->ngroups++] = group;
}

/* Return the place of the last of the first n rows so far, the top of the heap. */
static GroupOrder
place_of_last(const Top *top, binaryheap *first)
{
	return group_order(&top->order, (const uint64 *) DatumGetPointer(binaryheap_first(first)));
}

/*
 * Add the groups that come no later than the n-th best of the groups before
 * them, a superset of those that come no later than the n-th best of all.
 * Return the place of the n-th best of all.
 */
static GroupOrder
find_candidates(Top *top, const GroupTable *groups)
{
	const uint32 wanted = (uint32) top->wanted;
	/* the first n rows so far, with the last of them on top */
	binaryheap *first = binaryheap_allocate(top->wanted, compare_rows, &top->order);
	uint32		capacity = 2 * wanted;
	GroupOrder	bound;

	top->group = palloc(capacity * sizeof(uint32));
	top->ngroups = 0;
	for (uint32 g = 0; g < wanted; g++)
	{
		add_group(top, &capacity, g);
		binaryheap_add_unordered(first, PointerGetDatum(group_row(groups, g)));
	}
	binaryheap_build(first);
	bound = place_of_last(top, first);
	for (uint32 g = wanted; g < groups->ngroups; g++)
	{
		const uint64 *row = group_row(groups, g);
		const int	place = group_row_compare(&top->order, row, &bound);

		CHECK_FOR_INTERRUPTS();
		if (place > 0)
			continue;
		add_group(top, &capacity, g);
		if (place == 0)
			continue;
		binaryheap_replace_first(first, PointerGetDatum(row));
		bound = place_of_last(top, first);
	}
	binaryheap_free(first);
	return bound;
}

void
top_find(Top *top, const GroupTable *groups)
{
	uint32		found = 0;
	GroupOrder	bound;

	top->group = NULL;
	top->ngroups = groups->ngroups;
	if (top->wanted == 0 || groups->ngroups <= (uint32) top->wanted)
		return;
	bound = find_candidates(top, groups);
	for (uint32 c = 0; c < top->ngroups; c++)
		if (group_row_compare(&top->order, group_row(groups, top->group[c]), &bound) <= 0)
			top->group[found++] = top->group[c];
	top->ngroups = found;
}

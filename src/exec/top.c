/*
 * top.c
 *		The groups that can be among the first n of an order.
 *
 * The first sort column of each group becomes an integer, less for what comes
 * first (core/group_top.h).  The n least of these so far stand in a heap with the largest on top,
 * and what is above that cannot be among the first n; when all have been
 * looked at, that is the bound.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"

#include "compile/opmap.h"
#include "exec/top.h"

/* Types whose values are integers in their order; of floats, without a -0 beside 0. */
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
			/* a float that is 0 where there is a -0 as well has made the node fall back */
			return type_is_ordered(agg->argtype);
		case AGG_SUM:
			/* of floats it is the value after rounding that is compared */
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
			/* these are of all rows */
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
	if (plan == NIL)
		return (Top) {.wanted = 0};
	return (Top) {
		.wanted = linitial_int(plan), .column = lsecond_int(plan), .descending = lthird_int(plan) != 0,
		.nulls_first = lfourth_int(plan) != 0
	};
}

static void
find_key(GroupTop *order, const Program *program, int k)
{
	order->word = program->key_word[k];
	order->wide = program->key_kind[k] == KEY_WIDE;
	order->null_word = 0;
	order->null_mask = order->null_value = UINT64CONST(1) << k;
}

static void
find_aggregate(GroupTop *order, const Program *program, const AggResult *agg)
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
	if (top->wanted == 0)
		return;
	top->order = (GroupTop) {.wanted = top->wanted, .descending = top->descending, .nulls_first = top->nulls_first};
	if (top->column < compiled->nkeys)
		find_key(&top->order, compiled->program, top->column);
	else
		find_aggregate(&top->order, compiled->program, &compiled->agg[top->column - compiled->nkeys]);
}

/* Put a value where the one on top of a heap of n was. */
static void
heap_replace(int128 *heap, int n, Wide value)
{
	int			at = 0;
	int			child;

	while ((child = 2 * at + 1) < n)
	{
		if (child + 1 < n && heap[child + 1] > heap[child])
			child++;
		if (heap[child] <= value)
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = value;
}

/* A group that may be among the first n. */
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

/* Of groups in their order those that come no later than the n-th best so far, and some that did when they were met; that one in the end. */
static Wide
find_candidates(Top *top, const GroupTable *groups)
{
	/* PostgreSQL's type: its memory is not aligned for a Wide */
	int128	   *heap = palloc(sizeof(int128) * top->wanted);
	uint32		capacity = 2 * top->wanted;
	Wide		bound;

	top->group = palloc(capacity * sizeof(uint32));
	top->ngroups = 0;
	/* equal values are a heap */
	for (int i = 0; i < top->wanted; i++)
		heap[i] = WIDE_MAX;
	for (uint32 g = 0; g < groups->ngroups; g++)
	{
		Wide		value = group_order(&top->order, group_row(groups, g));

		CHECK_FOR_INTERRUPTS();
		if (value > heap[0])
			continue;
		add_group(top, &capacity, g);
		if (value < heap[0])
			heap_replace(heap, top->wanted, value);
	}
	bound = heap[0];
	pfree(heap);
	return bound;
}

void
top_find(Top *top, const GroupTable *groups)
{
	uint32		found = 0;
	Wide		bound;

	top->group = NULL;
	top->ngroups = groups->ngroups;
	if (top->wanted == 0 || groups->ngroups <= (uint32) top->wanted)
		return;
	bound = find_candidates(top, groups);
	for (uint32 c = 0; c < top->ngroups; c++)
		if (group_order(&top->order, group_row(groups, top->group[c])) <= bound)
			top->group[found++] = top->group[c];
	top->ngroups = found;
}

/*
 * sorted_groups.c
 *		Groups of sorted rows, and aggregates that need the order of a group's values.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "compile/opmap.h"
#include "exec/selects.h"
#include "exec/sorted_groups.h"

/* The order of an ordered-set aggregate's values, where equal ones are the same: intervals of equal length print differently. */
static bool
read_order(const Aggref *agg, bool *descending)
{
	return getBaseType(exprType((Node *) linitial_node(TargetEntry, agg->args)->expr)) != INTERVALOID && compile_set_order(agg, descending);
}

bool
sorted_group_call(const Aggref *agg, GroupCall *call, bool *descending)
{
	*descending = false;
	*call = (GroupCall) {.attribute = -1, .set = -1};
	if (agg->aggdistinct != NIL || agg->aggvariadic)
		return false;
	switch (agg->aggfnoid)
	{
		case F_COUNT_:
		case F_COUNT_ANY:
			call->kind = GROUP_COUNT;
			return agg->aggorder == NIL;
		case F_MODE:
			call->kind = GROUP_MODE;
			return read_order(agg, descending);
		case F_PERCENTILE_DISC_FLOAT8_ANYELEMENT:
		case F_PERCENTILE_DISC__FLOAT8_ANYELEMENT:
			call->kind = GROUP_PERCENTILE;
			call->percentile.action = AGG_PERCENTILE_DISC;
			break;
		case F_PERCENTILE_CONT_FLOAT8_FLOAT8:
		case F_PERCENTILE_CONT__FLOAT8_FLOAT8:
			call->kind = GROUP_PERCENTILE;
			call->percentile.action = AGG_PERCENTILE_CONT;
			break;
		default:
			return false;
	}
	/* what is ordered downward stands so: ranks are counted from the first row in either case */
	return read_order(agg, descending) && compile_fractions(agg, &call->percentile);
}

/* Finding groups */

void
sorted_groups_find(SortedGroups *groups, const SortKey *keys, int nkeys, MemoryContext context)
{
	const Tablet *rows = groups->stored->rows;
	const uint32 *order = groups->set[0].order;
	uint32		room = 1024;

	groups->ngroups = 0;
	groups->start = MemoryContextAlloc(context, sizeof(uint32) * room);
	for (uint32 i = 0; i < rows->nrows; i++)
	{
		if (i > 0 && sort_compare(rows, keys, (uint32) nkeys, order[i - 1], order[i]) == 0)
			continue;
		if (groups->ngroups + 2 > room)
		{
			room *= 2;
			groups->start = repalloc_huge(groups->start, sizeof(uint32) * room);
		}
		groups->start[groups->ngroups++] = i;
	}
	if (rows->nrows == 0 && nkeys == 0)
		groups->start[groups->ngroups++] = 0;
	groups->start[groups->ngroups] = rows->nrows;
}

static bool
is_negative_zero(double value)
{
	return value == 0 && signbit(value);
}

bool
sorted_groups_are_ambiguous(const SortedGroups *groups)
{
	const Tablet *rows = groups->stored->rows;

	for (int s = 0; s < groups->nsets; s++)
	{
		const TabletColumn *column = &rows->column[groups->set[s].by.column];
		const void *values = tablet_at(rows, column->values);

		if (column->type != COLTYPE_F32 && column->type != COLTYPE_F64)
			continue;
		for (uint32 i = 0; i < rows->nrows; i++)
			if (is_negative_zero(column->type == COLTYPE_F64 ? ((const double *) values)[i] : ((const float *) values)[i]) &&
				!tablet_is_null(rows, column, i))
				return true;
	}
	return false;
}

/* Aggregates */

/* Some of the groups. */
typedef struct GroupRange
{
	uint32		first;
	uint32		n;
} GroupRange;

/* How many rows of a group, from its first one on, have a value in the column that a set is ordered by. */
static uint32
values_of_group(const SortedGroups *groups, const SortedSet *set, uint32 group)
{
	const Tablet *rows = groups->stored->rows;
	const TabletColumn *column = &rows->column[set->by.column];
	const uint32 first = groups->start[group];
	uint32		low = first;
	uint32		high = groups->start[group + 1];

	if (column->null_count == 0)
		return high - first;
	while (low < high)
	{
		const uint32 middle = low + (high - low) / 2;

		if (tablet_is_null(rows, column, set->order[middle]))
			high = middle;
		else
			low = middle + 1;
	}
	return low - first;
}

/* The number of a group's rows in which an attribute is not NULL. */
static int64
count_of_group(const SortedGroups *groups, const GroupCall *call, uint32 group)
{
	const Tablet *rows = groups->stored->rows;
	const uint32 end = groups->start[group + 1];
	const TabletColumn *column;
	int64		n = 0;

	if (call->attribute < 0)
		return end - groups->start[group];
	column = &rows->column[stored_rows_key(groups->stored, call->attribute)];
	for (uint32 i = groups->start[group]; i < end; i++)
		n += !tablet_is_null(rows, column, groups->set[0].order[i]);
	return n;
}

/* The first row of the longest run of equal values, of those the first one, as mode_final() has it. */
static uint32
mode_of_group(const SortedGroups *groups, const SortedSet *set, uint32 first, uint32 n)
{
	uint32		mode = first;
	uint32		most = 0;

	for (uint32 begin = first, end; begin < first + n; begin = end)
	{
		for (end = begin + 1; end < first + n; end++)
			if (sort_compare(groups->stored->rows, &set->by, 1, set->order[begin], set->order[end]) != 0)
				break;
		if (end - begin > most)
		{
			most = end - begin;
			mode = begin;
		}
	}
	return set->order[mode];
}

/* A value of each group: of its mode, or of a percentile at one of its fractions. */
static void
select_values(const SortedGroups *groups, const GroupCall *call, int fraction, GroupRange range, Datum *values, bool *isnull)
{
	const SortedSet *set = &groups->set[call->set];
	const uint32 n = range.n;
	uint32	   *rows = palloc(sizeof(uint32) * 2 * n);
	double	   *part = palloc0(sizeof(double) * n);
	bool	   *none = palloc0(sizeof(bool) * 2 * n);
	Datum	   *both = palloc(sizeof(Datum) * 2 * n);

	for (uint32 g = 0; g < n; g++)
	{
		const uint32 start = groups->start[range.first + g];
		const uint32 count = values_of_group(groups, set, range.first + g);
		int64		rank[2] = {0, 0};

		isnull[g] = count == 0;
		if (count > 0 && call->kind == GROUP_PERCENTILE)
			part[g] = selects_ranks(&call->percentile, fraction, count, &rank[0], &rank[1]);
		/* of no values any row will do */
		rows[g] = rows[n + g] = 0;
		if (count > 0 && call->kind == GROUP_MODE)
			rows[g] = rows[n + g] = mode_of_group(groups, set, start, count);
		else if (count > 0)
		{
			rows[g] = set->order[start + rank[0]];
			rows[n + g] = set->order[start + rank[1]];
		}
	}
	if (groups->stored->rows->nrows == 0)
		return;
	stored_rows_read(groups->stored, call->attribute, rows, call->percentile.action == AGG_PERCENTILE_CONT ? 2 * n : n, both, none);
	for (uint32 g = 0; g < n; g++)
	{
		values[g] = both[g];
		if (!isnull[g] && rows[g] != rows[n + g])
			values[g] = selects_between(both[g], both[n + g], part[g]);
	}
}

/* Percentiles at all fractions of an array, as arrays of the same shape. */
static void
select_arrays(const SortedGroups *groups, const GroupCall *call, GroupRange range, Datum *values, bool *isnull)
{
	const uint32 n = range.n;
	const AggResult *percentile = &call->percentile;
	const int	nfractions = percentile->nfractions;
	Datum	   *of_fraction = palloc(sizeof(Datum) * n * nfractions);
	bool	   *none = palloc0(sizeof(bool) * n);
	Datum	   *elements = palloc0(sizeof(Datum) * nfractions);

	for (int f = 0; f < nfractions; f++)
		select_values(groups, call, f, range, of_fraction + (Size) f * n, none);
	for (uint32 g = 0; g < n; g++)
	{
		isnull[g] = none[g];
		if (none[g])
			continue;
		for (int f = 0; f < nfractions; f++)
			elements[f] = of_fraction[(Size) f * n + g];
		values[g] = selects_array(percentile, elements);
	}
}

void
sorted_groups_compute(const SortedGroups *groups, uint32 first, uint32 n, Datum **values, bool **isnull)
{
	for (int c = 0; c < groups->ncalls; c++)
	{
		const GroupCall *call = &groups->call[c];

		if (call->kind == GROUP_COUNT)
			for (uint32 g = 0; g < n; g++)
			{
				values[c][g] = Int64GetDatum(count_of_group(groups, call, first + g));
				isnull[c][g] = false;
			}
		else if (call->percentile.fractions != NULL)
			select_arrays(groups, call, (GroupRange) {first, n}, values[c], isnull[c]);
		else
			select_values(groups, call, 0, (GroupRange) {first, n}, values[c], isnull[c]);
	}
}

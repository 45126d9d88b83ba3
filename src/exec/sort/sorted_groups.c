/*
 * sorted_groups.c
 *		Aggregates over groups of sorted rows, some of which need the values of a group in order.
 */
#include "postgres.h"

#include <float.h>
#include <math.h>

#include "catalog/pg_aggregate.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "compile/opmap.h"
#include "device/mapping.h"
#include "device/threads.h"
#include "exec/agg/quantiles.h"
#include "exec/rows/joined_rows.h"
#include "exec/sort/group_totals.h"
#include "exec/sort/sorted_groups.h"

/*
 * Return true if equal values of an aggregate's argument are indistinguishable: intervals of equal
 * length print differently.
 */
static bool
are_same(const Aggref *agg)
{
	return getBaseType(exprType((Node *) linitial_node(TargetEntry, agg->args)->expr)) != INTERVALOID;
}

/* Set *descending to the direction of an ordered-set aggregate; return false if the aggregate is not supported. */
static bool
read_order(const Aggref *agg, bool *descending)
{
	return are_same(agg) && compile_set_order(agg, descending);
}

/* Describe an aggregate over all rows of a group, or over distinct values; return false if it is not supported. */
static bool
read_total(const Aggref *agg, GroupCall *call)
{
	const Expr *argument = agg->args != NIL ? linitial_node(TargetEntry, agg->args)->expr : NULL;

	call->kind = GROUP_TOTAL;
	call->distinct = agg->aggdistinct != NIL;
	return (call->distinct || agg->aggorder == NIL) && list_length(agg->args) <= 1 &&
		total_of_function(agg->aggfnoid, argument, &call->total) && (!total_is_of_row(call->total) || are_same(agg));
}

bool
sorted_group_call(const Aggref *agg, GroupCall *call, bool *descending)
{
	*descending = false;
	*call = (GroupCall) {.attribute = -1, .set = -1};
	if (agg->aggvariadic)
		return false;
	switch (agg->aggfnoid)
	{
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
			return agg->aggkind == AGGKIND_NORMAL && read_total(agg, call);
	}
	/* rows of a descending set are stored in descending order: ranks count from the first row in either case */
	return read_order(agg, descending) && compile_fractions(agg, &call->percentile);
}

/* Finding groups */

/* State shared by threads, each of which finds groups in a part of the order. */
typedef struct Finding
{
	const StoredRows *stored;
	const uint32 *order;
	uint32		nrows;
	const SortKey *keys;
	int			nkeys;
	uint32	   *start;
	uint32		found[SORT_PARTS];
} Finding;

/* Find the groups that begin in a part of the order, using the part's own range of start[]. */
static void
find_part(void *arg, uint32 part)
{
	Finding    *finding = arg;
	const uint32 nrows = finding->nrows;
	const uint32 *order = finding->order;
	const uint32 first = threads_part_start(nrows, SORT_PARTS, part);
	uint32	   *found = finding->start + first;

	for (uint32 i = first; i < threads_part_start(nrows, SORT_PARTS, part + 1); i++)
	{
		for (int k = 0; k < finding->nkeys; k++)
			stored_rows_ask_ahead(finding->stored, finding->keys[k].column, order + i, nrows - i);
		if (i == 0 || sort_compare(finding->stored->rows, finding->keys, (uint32) finding->nkeys, order[i - 1], order[i]) != 0)
			*found++ = i;
	}
	finding->found[part] = (uint32) (found - (finding->start + first));
}

uint32
sorted_groups_starts(const StoredRows *stored, const uint32 *order, uint32 nrows, const SortKey *keys, int nkeys, uint32 *start)
{
	Finding		finding = {.stored = stored, .order = order, .nrows = nrows, .keys = keys, .nkeys = nkeys, .start = start};
	uint32		n = 0;

	threads_run_parts(nrows, SORT_PARTS, find_part, &finding);
	CHECK_FOR_INTERRUPTS();
	for (uint32 part = 0; part < SORT_PARTS; part++)
	{
		memmove(start + n, start + threads_part_start(nrows, SORT_PARTS, part), sizeof(uint32) * finding.found[part]);
		n += finding.found[part];
	}
	return n;
}

void
sorted_groups_find(SortedGroups *groups, const SortKey *keys, int nkeys, MemoryContext context)
{
	const uint32 nrows = groups->stored->rows->nrows;

	groups->start = mapping_palloc(context, sizeof(uint32) * ((Size) nrows + 2));
	groups->ngroups = sorted_groups_starts(groups->stored, groups->set[0].order, nrows, keys, nkeys, groups->start);
	if (nrows == 0 && nkeys == 0)
		groups->start[groups->ngroups++] = 0;
	groups->start[groups->ngroups] = nrows;
}

/* Return true if a column has a float that is not NULL and for which `is_such` is true. */
static bool
any_float(const Tablet *rows, uint16 number, bool (*is_such) (double value, double arg), double arg)
{
	const TabletColumn *column = &rows->column[number];
	const void *values = tablet_at(rows, column->values);

	if (column->type != COLTYPE_F32 && column->type != COLTYPE_F64)
		return false;
	for (uint32 i = 0; i < rows->nrows; i++)
	{
		if (i % 65536 == 0)
			CHECK_FOR_INTERRUPTS();
		if (is_such(column->type == COLTYPE_F64 ? ((const double *) values)[i] : ((const float *) values)[i], arg) &&
			!tablet_is_null(rows, column, i))
			return true;
	}
	return false;
}

static bool
is_negative_zero(double value, double none)
{
	return value == none && signbit(value);
}

static bool
is_beyond(double value, double limit)
{
	return fabs(value) > limit && !isinf(value);
}

/* Return true if an aggregate's result shows which of several equal values was taken. */
static bool
takes_one(const GroupCall *call)
{
	return call->kind != GROUP_TOTAL || total_is_of_row(call->total) || (call->distinct && call->total != TOTAL_COUNT);
}

bool
sorted_groups_are_ambiguous(const SortedGroups *groups)
{
	for (int c = 0; c < groups->ncalls; c++)
		if (takes_one(&groups->call[c]) &&
			any_float(groups->stored->rows, (uint16) stored_rows_key(groups->stored, groups->call[c].attribute), is_negative_zero, 0))
			return true;
	return false;
}

/* Return true if equal values of one group, by the column of a set, have different display scales. */
static bool
any_digits_differ(const SortedGroups *groups, const SortedSet *set, const TabletColumn *digits)
{
	const Tablet *rows = groups->stored->rows;

	for (uint32 g = 0; g < groups->ngroups; g++)
		for (uint32 i = groups->start[g] + 1; i < groups->start[g + 1]; i++)
		{
			const uint32 before = set->order[i - 1];
			const uint32 row = set->order[i];

			CHECK_FOR_INTERRUPTS();
			stored_rows_ask_ahead(groups->stored, set->by.column, set->order + i, rows->nrows - i);
			if (sort_compare(rows, &set->by, 1, before, row) == 0 && row_integer(rows, digits, before) != row_integer(rows, digits, row))
				return true;
		}
	return false;
}

bool
sorted_groups_differ_in_digits(const SortedGroups *groups)
{
	for (int c = 0; c < groups->ncalls; c++)
	{
		const GroupCall *call = &groups->call[c];
		const OutputResult *attribute = call->attribute >= 0 ? &groups->stored->attribute[call->attribute] : NULL;

		if (takes_one(call) && attribute->type == NUMERICOID && attribute->second >= 0 &&
			any_digits_differ(groups, &groups->set[call->set], &groups->stored->rows->column[attribute->second]))
			return true;
	}
	return false;
}

bool
sorted_groups_may_overflow(const SortedGroups *groups)
{
	const Tablet *rows = groups->stored->rows;

	for (int c = 0; c < groups->ncalls; c++)
	{
		const TotalOf of = group_total_of(&groups->call[c]);
		uint16		column;
		double		limit;

		if (groups->call[c].kind != GROUP_TOTAL || !total_sums_floats(groups->stored, of))
			continue;
		/* averages also sum squares of deviations, each of them times n */
		column = (uint16) stored_rows_key(groups->stored, of.attribute);
		limit = rows->column[column].type == COLTYPE_F32 ? FLT_MAX : of.kind == TOTAL_AVG ? sqrt(DBL_MAX) / 4 : DBL_MAX;
		if (any_float(rows, column, is_beyond, limit / ((double) rows->nrows + 1)))
			return true;
	}
	return false;
}

/* Aggregates */

/* Return how many rows of a group, from its first one on, are not NULL in the column that a set is ordered by. */
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

/*
 * Return the first row of the longest run of equal values, the first such run if there are
 * several, as mode_final() does.
 */
static uint32
mode_of_group(const SortedGroups *groups, const SortedSet *set, uint32 first, uint32 n)
{
	uint32		mode = first;
	uint32		most = 0;

	for (uint32 begin = first, end; begin < first + n; begin = end)
	{
		for (end = begin + 1; end < first + n; end++)
		{
			stored_rows_ask_ahead(groups->stored, set->by.column, set->order + end, groups->stored->rows->nrows - end);
			if (sort_compare(groups->stored->rows, &set->by, 1, set->order[begin], set->order[end]) != 0)
				break;
		}
		if (end - begin > most)
		{
			most = end - begin;
			mode = begin;
		}
	}
	return set->order[mode];
}

/* Compute the mode, or a percentile at one of its fractions, of each group of a range. */
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

		CHECK_FOR_INTERRUPTS();
		isnull[g] = count == 0;
		if (count > 0 && call->kind == GROUP_PERCENTILE)
			part[g] = quantiles_ranks(&call->percentile, fraction, count, &rank[0], &rank[1]);
		/* without values any row will do */
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
			values[g] = quantiles_between(both[g], both[n + g], part[g]);
	}
}

/* Compute percentiles at all fractions of an array, of each group of a range, as arrays of the same shape. */
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
		values[g] = quantiles_array(percentile, elements);
	}
}

void
sorted_groups_compute(const SortedGroups *groups, uint32 first, uint32 n, Datum **values, bool **isnull)
{
	for (int c = 0; c < groups->ncalls; c++)
	{
		const GroupCall *call = &groups->call[c];

		if (call->kind == GROUP_TOTAL)
			group_totals_compute(groups, call, (GroupRange) {first, n}, values[c], isnull[c]);
		else if (call->percentile.fractions != NULL)
			select_arrays(groups, call, (GroupRange) {first, n}, values[c], isnull[c]);
		else
			select_values(groups, call, 0, (GroupRange) {first, n}, values[c], isnull[c]);
	}
}

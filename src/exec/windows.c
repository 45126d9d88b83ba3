/*
 * windows.c
 *		Window functions over rows in their window's order.
 *
 * Rows come in order, so where a partition begins, and where peers do, shows
 * by comparing each row with the one before it.
 */
#include "postgres.h"

#include "nodes/nodes.h"
#include "utils/fmgroids.h"

#include "exec/windows.h"

/* How many rows away lag() or lead() look, unless that is computed, or there is a default; false if so. */
static bool
distance_of(const WindowFunc *function, int *distance)
{
	const Const *given = list_length(function->args) == 2 ? lsecond(function->args) : NULL;

	*distance = 1;
	if (list_length(function->args) == 1)
		return true;
	if (given == NULL || !IsA(given, Const) || given->constisnull)
		return false;
	*distance = DatumGetInt32(given->constvalue);
	return *distance > PG_INT32_MIN;
}

/* Whether what a function sees of its partition begins with the first row. */
static bool
sees_first(const WindowClause *clause)
{
	return (clause->frameOptions & FRAMEOPTION_START_UNBOUNDED_PRECEDING) && !(clause->frameOptions & FRAMEOPTION_EXCLUSION);
}

bool
window_function(const WindowFunc *function, const WindowClause *clause, WindowCall *call, Expr **argument)
{
	*argument = function->args != NIL ? linitial(function->args) : NULL;
	*call = (WindowCall) {.attribute = -1};
	if (function->aggfilter != NULL)
		return false;
	switch (function->winfnoid)
	{
		case F_ROW_NUMBER:
			call->kind = WINDOW_ROW_NUMBER;
			return true;
		case F_RANK_:
			call->kind = WINDOW_RANK;
			return true;
		case F_DENSE_RANK_:
			call->kind = WINDOW_DENSE_RANK;
			return true;
		case F_LAG_ANYELEMENT:
		case F_LAG_ANYELEMENT_INT4:
			call->kind = WINDOW_NEIGHBOUR;
			if (!distance_of(function, &call->behind))
				return false;
			call->behind = -call->behind;
			return true;
		case F_LEAD_ANYELEMENT:
		case F_LEAD_ANYELEMENT_INT4:
			call->kind = WINDOW_NEIGHBOUR;
			return distance_of(function, &call->behind);
		case F_FIRST_VALUE:
			call->kind = WINDOW_FIRST;
			return sees_first(clause);
		default:
			return false;
	}
}

void
windows_restart(Windows *windows)
{
	windows->ranks = false;
	for (int c = 0; c < windows->ncalls; c++)
		windows->ranks |= windows->call[c].kind == WINDOW_RANK || windows->call[c].kind == WINDOW_DENSE_RANK;
	windows->next = windows->partition = windows->peers = windows->dense = 0;
}

static bool
differ(const StoredRows *stored, const SortKey *keys, int nkeys, uint32 a, uint32 b)
{
	return sort_compare(stored->rows, keys, (uint32) nkeys, a, b) != 0;
}

/* Whether row number b, if there is one, is of the partition of row a. */
static bool
same_partition(const Windows *windows, const StoredRows *stored, const uint32 *order, uint32 nrows, int64 a, int64 b)
{
	return b >= 0 && b < nrows && !differ(stored, windows->keys.partition, windows->keys.npartition, order[a], order[b]);
}

/* Go on to the next row. */
static void
step(Windows *windows, const StoredRows *stored, const uint32 *order, uint32 nrows)
{
	const uint32 row = windows->next++;

	if (row == 0 || !same_partition(windows, stored, order, nrows, row, (int64) row - 1))
	{
		windows->partition = windows->peers = row;
		windows->dense = 1;
	}
	else if (windows->ranks && differ(stored, windows->keys.order, windows->keys.norder, order[row], order[row - 1]))
	{
		windows->peers = row;
		windows->dense++;
	}
}

/* What a function is of the row that was gone on to last; of which row the value is, where it is another one's. */
static uint32
result_of(const Windows *windows, const WindowCall *call, const StoredRows *stored, const uint32 *order, uint32 nrows, Datum *value, bool *isnull)
{
	const uint32 row = windows->next - 1;
	const int64 other = (int64) row + call->behind;

	*isnull = false;
	switch (call->kind)
	{
		case WINDOW_ROW_NUMBER:
			*value = Int64GetDatum((int64) row - windows->partition + 1);
			break;
		case WINDOW_RANK:
			*value = Int64GetDatum((int64) windows->peers - windows->partition + 1);
			break;
		case WINDOW_DENSE_RANK:
			*value = Int64GetDatum(windows->dense);
			break;
		case WINDOW_NEIGHBOUR:
			*isnull = !same_partition(windows, stored, order, nrows, row, other);
			return *isnull ? order[row] : order[other];
		case WINDOW_FIRST:
			return order[windows->partition];
		case WINDOW_Count:
			break;
	}
	return 0;
}

/* Values of other rows, where there are such. */
static void
read_others(const StoredRows *stored, const WindowCall *call, const uint32 *others, uint32 n, Datum *values, bool *isnull)
{
	bool	   *none = palloc(sizeof(bool) * n);

	memcpy(none, isnull, sizeof(bool) * n);
	stored_rows_read(stored, call->attribute, others, n, values, isnull);
	for (uint32 i = 0; i < n; i++)
		isnull[i] |= none[i];
}

void
windows_compute(Windows *windows, const StoredRows *stored, const uint32 *order, uint32 nrows, uint32 first, uint32 n,
				Datum **values, bool **isnull)
{
	uint32	   *others = palloc(sizeof(uint32) * Max(n, 1) * Max(windows->ncalls, 1));

	Assert(first == windows->next);
	for (uint32 i = 0; i < n; i++)
	{
		step(windows, stored, order, nrows);
		for (int c = 0; c < windows->ncalls; c++)
			others[(Size) c * n + i] = result_of(windows, &windows->call[c], stored, order, nrows, &values[c][i], &isnull[c][i]);
	}
	for (int c = 0; c < windows->ncalls; c++)
		if (windows->call[c].attribute >= 0)
			read_others(stored, &windows->call[c], others + (Size) c * n, n, values[c], isnull[c]);
}

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

/* Whether two rows, by their numbers in order, differ by some columns. */
static bool
differ(const Windows *windows, const SortKey *keys, int nkeys, uint32 a, uint32 b)
{
	return sort_compare(windows->stored->rows, keys, (uint32) nkeys, windows->order[a], windows->order[b]) != 0;
}

/* Whether row b, if there is one, is of the partition of row a. */
static bool
same_partition(const Windows *windows, uint32 a, int64 b)
{
	return b >= 0 && b < windows->nrows && !differ(windows, windows->keys.partition, windows->keys.npartition, a, (uint32) b);
}

/* Go on to the next row. */
static void
step(Windows *windows)
{
	const uint32 row = windows->next++;

	if (row == 0 || !same_partition(windows, row, (int64) row - 1))
	{
		windows->partition = windows->peers = row;
		windows->dense = 1;
	}
	else if (windows->ranks && differ(windows, windows->keys.order, windows->keys.norder, row, row - 1))
	{
		windows->peers = row;
		windows->dense++;
	}
}

/* What a function is of the row that was gone on to last; or of which row it is the value. */
static uint32
result_of(const Windows *windows, const WindowCall *call, Datum *value, bool *isnull)
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
			*isnull = !same_partition(windows, row, other);
			return windows->order[*isnull ? row : other];
		case WINDOW_FIRST:
			return windows->order[windows->partition];
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
windows_compute(Windows *windows, uint32 n, Datum **values, bool **isnull)
{
	uint32	   *others = palloc(sizeof(uint32) * Max(n, 1) * Max(windows->ncalls, 1));

	for (uint32 i = 0; i < n; i++)
	{
		step(windows);
		for (int c = 0; c < windows->ncalls; c++)
			others[(Size) c * n + i] = result_of(windows, &windows->call[c], &values[c][i], &isnull[c][i]);
	}
	for (int c = 0; c < windows->ncalls; c++)
		if (windows->call[c].attribute >= 0)
			read_others(windows->stored, &windows->call[c], others + (Size) c * n, n, values[c], isnull[c]);
}

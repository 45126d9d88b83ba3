/*
 * windows.c
 *		Window functions over rows in the order of their OVER clause.
 *
 * Rows come in order, so the start of a partition or of a group of peers is found
 * by comparing each row with the one before it.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/fmgroids.h"

#include "exec/sort/stored_rows.h"
#include "exec/sort/window_frames.h"
#include "exec/sort/windows.h"

/* Set *distance to how far lag() or lead() look; return false if it is not constant, or if there is a default. */
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

/*
 * Set *n to the number of buckets of ntile(); return false if it is not constant, or if PostgreSQL
 * raises an error for it.
 */
static bool
number_of_parts(const WindowFunc *function, int *n)
{
	const Const *given = linitial(function->args);

	if (!IsA(given, Const) || given->constisnull)
		return false;
	*n = DatumGetInt32(given->constvalue);
	return *n > 0;
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
			return window_frame_of_clause(clause, &call->window_frame);
		case F_LAST_VALUE:
			call->kind = WINDOW_LAST;
			return window_frame_of_clause(clause, &call->window_frame);
		case F_NTILE:
			call->kind = WINDOW_NTILE;
			*argument = NULL;
			return number_of_parts(function, &call->behind);
		default:
			call->kind = WINDOW_TOTAL;
			return function->winagg && window_frame_of_clause(clause, &call->window_frame) && total_of_function(function->winfnoid, *argument, &call->total);
	}
}

List *
window_call_list(const WindowCall *call)
{
	List	   *list = list_make5_int(call->kind, call->attribute, call->behind, call->window_frame.start, call->window_frame.from);

	return list_concat(list, list_make3_int(call->window_frame.end, call->window_frame.to, call->total));
}

WindowCall
window_call_of(const List *list)
{
	return (WindowCall) {
		.kind = (WindowKind) linitial_int(list), .attribute = lsecond_int(list), .behind = lthird_int(list),
		.window_frame = {(WindowFrameBound) list_nth_int(list, 3), list_nth_int(list, 4), (WindowFrameBound) list_nth_int(list, 5), list_nth_int(list, 6)},
		.total = (TotalKind) list_nth_int(list, 7)
	};
}

/* Return true if a function has a window frame. */
static bool
has_window_frame(const WindowCall *call)
{
	return call->kind == WINDOW_FIRST || call->kind == WINDOW_LAST || call->kind == WINDOW_TOTAL;
}

void
windows_restart(Windows *windows)
{
	windows->ranks = windows->ahead = windows->whole = windows->overflow = false;
	for (int c = 0; c < windows->ncalls; c++)
	{
		const WindowCall *call = &windows->call[c];

		windows->whole |= call->kind == WINDOW_NTILE;
		windows->ranks |= call->kind == WINDOW_RANK || call->kind == WINDOW_DENSE_RANK;
		if (has_window_frame(call))
			window_frame_ask(&call->window_frame, windows);
	}
	windows->next = windows->partition = windows->partition_end = windows->peers = windows->peers_end = windows->dense = 0;
}

/* Return true if two rows, by their numbers in order, differ in some of the keys. */
static bool
differ(const Windows *windows, const SortKey *keys, int nkeys, uint32 a, uint32 b)
{
	return sort_compare(windows->stored->rows, keys, (uint32) nkeys, windows->order[a], windows->order[b]) != 0;
}

/* Return true if row b exists and belongs to the partition of row a. */
static bool
same_partition(const Windows *windows, uint32 a, int64 b)
{
	return b >= 0 && b < windows->nrows && !differ(windows, windows->keys.partition, windows->keys.npartition, a, (uint32) b);
}

/* Prefetch the keys of rows that come later. */
static pg_attribute_always_inline void
ask_ahead(const Windows *windows, const SortKey *keys, int nkeys)
{
	for (int k = 0; k < nkeys; k++)
		stored_rows_ask_ahead(windows->stored, keys[k].column, windows->order + windows->next, windows->nrows - windows->next);
}

/* Advance to the next row, and find its partition and peers as far as calls depend on them. */
static void
step(Windows *windows)
{
	const uint32 row = windows->next;
	bool		begins;

	ask_ahead(windows, windows->keys.partition, windows->keys.npartition);
	if (windows->ranks)
		ask_ahead(windows, windows->keys.order, windows->keys.norder);
	windows->next++;
	begins = row == 0 || !same_partition(windows, row, (int64) row - 1);
	if (begins)
	{
		windows->partition = row;
		windows->dense = 0;
		for (int c = 0; c < windows->ncalls; c++)
			window_frame_total_restart(&windows->total[c], row);
		if (windows->whole)
			for (windows->partition_end = row + 1; same_partition(windows, row, windows->partition_end); windows->partition_end++)
				CHECK_FOR_INTERRUPTS();
	}
	if (begins || (windows->ranks && differ(windows, windows->keys.order, windows->keys.norder, row, row - 1)))
	{
		windows->peers = row;
		windows->dense++;
		if (windows->ahead)
			for (windows->peers_end = row + 1; same_partition(windows, row, windows->peers_end) &&
				 !differ(windows, windows->keys.order, windows->keys.norder, row, windows->peers_end); windows->peers_end++)
				CHECK_FOR_INTERRUPTS();
	}
}

/* Return the bucket, from 1 on, of a row of a partition of `nrows` rows; the first buckets may have one row more. */
static int32
part_of_row(uint32 row, uint32 nrows, uint32 nparts)
{
	const uint32 size = nrows / nparts;
	const uint32 larger = nrows % nparts;

	if (row < larger * (size + 1))
		return (int32) (row / (size + 1)) + 1;
	return (int32) (larger + (row - larger * (size + 1)) / size) + 1;
}

/*
 * Compute function c for the current row, or return the number of the row whose value it is; set
 * *isnull if there is none.
 */
static uint32
result_of(const Windows *windows, int c, Datum *value, bool *isnull)
{
	const WindowCall *call = &windows->call[c];
	const uint32 row = windows->next - 1;
	const int64 other = (int64) row + call->behind;
	uint32		start,
				end;

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
		case WINDOW_LAST:
			window_frame_bounds(windows, &call->window_frame, &start, &end);
			*isnull = start == end;
			return windows->order[*isnull ? row : call->kind == WINDOW_FIRST ? start : end - 1];
		case WINDOW_NTILE:
			*value = Int32GetDatum(part_of_row(row - windows->partition, windows->partition_end - windows->partition, (uint32) call->behind));
			break;
		case WINDOW_TOTAL:
			return window_frame_result(windows, call, &windows->total[c], value, isnull);
		case WindowKind_Count:
			break;
	}
	return 0;
}

/* Return true if a function's value is that of some row. */
static bool
is_value_of_row(const WindowCall *call)
{
	return call->kind != WINDOW_TOTAL || total_is_of_row(call->total);
}

/* Read the values of functions that are values of other rows; those with isnull[] set stay NULL. */
static void
read_others(const StoredRows *stored, const WindowCall *call, const uint32 *others, uint32 n, Datum *values, bool *isnull)
{
	bool	   *none = palloc(sizeof(bool) * n);

	memcpy(none, isnull, sizeof(bool) * n);
	stored_rows_read(stored, call->attribute, others, n, values, isnull);
	for (uint32 i = 0; i < n; i++)
		isnull[i] |= none[i];
}

uint32
windows_compute(Windows *windows, uint32 n, Datum **values, bool **isnull)
{
	uint32	   *others = palloc(sizeof(uint32) * Max(n, 1) * Max(windows->ncalls, 1));
	uint32		done = 0;

	/* Datums of the previous batch are no longer valid */
	for (int c = 0; c < windows->ncalls; c++)
		windows->total[c].known = false;
	while (done < n && !windows->overflow)
	{
		step(windows);
		for (int c = 0; c < windows->ncalls; c++)
		{
			others[(Size) c * n + done] = result_of(windows, c, &values[c][done], &isnull[c][done]);
			windows->overflow |= windows->total[c].rows.overflow;
		}
		if (!windows->overflow)
			done++;
	}
	for (int c = 0; c < windows->ncalls; c++)
		if (windows->call[c].attribute >= 0 && is_value_of_row(&windows->call[c]))
			read_others(windows->stored, &windows->call[c], others + (Size) c * n, done, values[c], isnull[c]);
	return done;
}

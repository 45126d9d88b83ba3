/*
 * frames.c
 *		Frames of window functions, and aggregates over them.
 *
 * From a row to the next one neither end of a frame moves backward, so each
 * row enters it once and leaves it once.  What leaves is subtracted from exact
 * sums; sums of floats begin anew, as PostgreSQL's do.  Of the least and largest values those are remembered that can
 * still become the answer once all better ones have left: a queue whose values
 * get worse from its front on (a monotonic queue; Tangwongsan et al., "Sliding-
 * Window Aggregation Algorithms", 2018).
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/float.h"
#include "utils/memutils.h"
#include "utils/numeric.h"

#include "exec/datums.h"
#include "exec/frames.h"
#include "exec/joined_rows.h"

/* Candidates that there is room for at first. */
#define LEAST_CANDIDATES	16

/* How many rows behind a bound is, which has a constant; false if it has none, or PostgreSQL's error. */
static bool
offset_of_bound(const Node *given, bool preceding, int *offset)
{
	const Const *rows = (const Const *) given;
	int64		n;

	if (rows == NULL || !IsA(rows, Const) || rows->constisnull)
		return false;
	n = DatumGetInt64(rows->constvalue);
	*offset = (int) (preceding ? -n : n);
	return n >= 0 && n < PG_INT32_MAX;
}

bool
frame_of_clause(const WindowClause *clause, WindowFrame *frame)
{
	const int	options = clause->frameOptions;
	const FrameBound current = options & FRAMEOPTION_ROWS ? FRAME_ROW : FRAME_PEERS;

	*frame = (WindowFrame) {current, 0, current, 0};
	if (options & FRAMEOPTION_EXCLUSION)
		return false;
	if (!(options & FRAMEOPTION_ROWS) && (options & (FRAMEOPTION_START_OFFSET | FRAMEOPTION_END_OFFSET)))
		return false;
	if (options & FRAMEOPTION_START_UNBOUNDED_PRECEDING)
		frame->start = FRAME_PARTITION;
	if (options & FRAMEOPTION_END_UNBOUNDED_FOLLOWING)
		frame->end = FRAME_PARTITION;
	if ((options & FRAMEOPTION_START_OFFSET) &&
		!offset_of_bound(clause->startOffset, options & FRAMEOPTION_START_OFFSET_PRECEDING, &frame->from))
		return false;
	return !(options & FRAMEOPTION_END_OFFSET) ||
		offset_of_bound(clause->endOffset, options & FRAMEOPTION_END_OFFSET_PRECEDING, &frame->to);
}

void
frame_ask(const WindowFrame *frame, Windows *windows)
{
	windows->ranks |= frame->start == FRAME_PEERS || frame->end == FRAME_PEERS;
	windows->ahead |= frame->end == FRAME_PEERS;
	windows->whole |= frame->end == FRAME_PARTITION || (frame->start == FRAME_ROW && frame->from > 0) ||
		(frame->end == FRAME_ROW && frame->to > 0);
}

/* The number of the row so many behind another one, or the end of the partition that lies before it. */
static uint32
within_partition(const Windows *windows, uint32 row, int64 behind)
{
	const int64 at = Max((int64) row + behind, (int64) windows->partition);

	return (uint32) (windows->whole ? Min(at, (int64) windows->partition_end) : at);
}

void
frame_bounds(const Windows *windows, const WindowFrame *frame, uint32 *start, uint32 *end)
{
	const uint32 row = windows->next - 1;

	*end = frame->end == FRAME_PARTITION ? windows->partition_end : frame->end == FRAME_PEERS ? windows->peers_end
		: within_partition(windows, row, (int64) frame->to + 1);
	*start = frame->start == FRAME_PARTITION ? windows->partition : frame->start == FRAME_PEERS ? windows->peers
		: within_partition(windows, row, frame->from);
	*start = Min(*start, *end);
}

void
frame_total_restart(FrameTotal *total, uint32 row)
{
	*total = (FrameTotal) {.start = row, .end = row, .candidates = total->candidates, .room = total->room};
}

/* Room for one more candidate. */
static void
make_room(const Windows *windows, FrameTotal *total)
{
	uint32	   *candidates = total->candidates;
	const uint32 n = total->ncandidates - total->best;

	if (total->ncandidates < total->room)
		return;
	if (n >= total->room / 2)
	{
		total->room = Max(2 * total->room, LEAST_CANDIDATES);
		candidates = MemoryContextAllocHuge(GetMemoryChunkContext(windows->total), sizeof(uint32) * total->room);
	}
	if (n > 0)
		memmove(candidates, total->candidates + total->best, sizeof(uint32) * n);
	if (total->candidates != NULL && candidates != total->candidates)
		pfree(total->candidates);
	total->candidates = candidates;
	total->best = 0;
	total->ncandidates = n;
}

/*
 * A row becomes a candidate; none that is not better ever will be the answer,
 * since it leaves the frame before.  Of equal values, which may differ as -0
 * and 0 do, or a day and 24 hours, PostgreSQL takes the last one.
 */
static void
add_candidate(const Windows *windows, const WindowCall *call, const SortKey *key, uint32 row, FrameTotal *total)
{
	while (total->ncandidates > total->best)
	{
		const int	order = sort_compare(windows->stored->rows, key, 1, row, total->candidates[total->ncandidates - 1]);

		if (call->kind == WINDOW_MIN ? order > 0 : order < 0)
			break;
		total->ncandidates--;
	}
	/* in a frame that no row leaves the best one alone counts */
	if (call->frame.start == FRAME_PARTITION && total->ncandidates > total->best)
		return;
	make_room(windows, total);
	total->candidates[total->ncandidates++] = row;
}

/* Whether a function sums floats, which come in the order of rows and are never subtracted. */
static bool
sums_floats(const Windows *windows, const WindowCall *call)
{
	const Oid	type = call->attribute >= 0 ? windows->stored->attribute[call->attribute].type : InvalidOid;

	return (call->kind == WINDOW_SUM || call->kind == WINDOW_AVG) && (type == FLOAT4OID || type == FLOAT8OID);
}

static float8
row_float(const Tablet *rows, const TabletColumn *column, uint32 row)
{
	const void *values = tablet_at(rows, column->values);

	return column->type == COLTYPE_F32 ? ((const float4 *) values)[row] : ((const float8 *) values)[row];
}

/*
 * Add a float as PostgreSQL does, and note where that fails: finite values
 * whose sum is not, and for averages squares of deviations that are too large.
 */
static void
add_float(WindowKind kind, Oid type, float8 value, FrameTotal *total)
{
	const float8 before = total->float_sum;
	const float8 n = (float8) total->count + 1;
	const bool	first = total->count == 0;

	if (kind == WINDOW_AVG)
	{
		total->float_sum += value;
		if (!first)
			total->squares += (value * n - total->float_sum) * (value * n - total->float_sum) / (n * (n - 1));
	}
	else if (type == FLOAT4OID)
		total->float_sum = first ? value : (float4) before + (float4) value;
	else
		total->float_sum = first ? value : before + value;
	if (!first && !isinf(before) && !isinf(value))
		total->overflow |= isinf(total->float_sum) || isinf(total->squares);
	if (first ? isnan(value) || isinf(value) : isinf(total->float_sum) || isinf(total->squares))
		total->squares = get_float8_nan();
}

/* A row enters a frame, or leaves it. */
static void
count_row(const Windows *windows, const WindowCall *call, uint32 row, bool enters, FrameTotal *total)
{
	const Tablet *rows = windows->stored->rows;
	const uint16 number = call->attribute >= 0 ? (uint16) stored_rows_key(windows->stored, call->attribute) : 0;
	const TabletColumn *column = &rows->column[number];
	const SortKey key = {.column = number, .padded = call->attribute >= 0 && windows->stored->attribute[call->attribute].type == BPCHAROID};

	if (call->attribute >= 0 && tablet_is_null(rows, column, row))
		return;
	if (sums_floats(windows, call))
		add_float(call->kind, windows->stored->attribute[call->attribute].type, row_float(rows, column, row), total);
	else if (call->kind == WINDOW_SUM || call->kind == WINDOW_AVG)
	{
		const Wide	value = row_integer(rows, column, row);

		wide_store(total->sum, wide_load(total->sum) + (enters ? value : -value));
	}
	else if (call->kind == WINDOW_MIN || call->kind == WINDOW_MAX)
	{
		if (enters)
			add_candidate(windows, call, &key, row, total);
		else if (total->candidates[total->best] == row)
			total->best++;
	}
	total->count += enters ? 1 : -1;
}

/* A sum or an average as PostgreSQL has it. */
static Datum
total_datum(const Windows *windows, const WindowCall *call, const FrameTotal *total)
{
	const OutputResult *attribute = &windows->stored->attribute[call->attribute];
	const bool	small = attribute->type == INT2OID || attribute->type == INT4OID;
	Datum		sum;

	if (sums_floats(windows, call))
		return call->kind == WINDOW_SUM ? float_datum(attribute->type, total->float_sum) : Float8GetDatum(total->float_sum / (float8) total->count);
	/* of so many rows as there can be it is no more than that */
	if (call->kind == WINDOW_SUM && small)
		return Int64GetDatum((int64) wide_load(total->sum));
	sum = numeric_datum(wide_load(total->sum), attribute->scale, attribute->scale);
	if (call->kind == WINDOW_SUM)
		return sum;
	return DirectFunctionCall2(numeric_div, sum, NumericGetDatum(int64_to_numeric(total->count)));
}

uint32
frame_result(const Windows *windows, const WindowCall *call, FrameTotal *total, Datum *value, bool *isnull)
{
	uint32		start,
				end;

	frame_bounds(windows, &call->frame, &start, &end);
	total->known &= start == total->start && end == total->end;
	if (start > total->start && sums_floats(windows, call))
		frame_total_restart(total, start);
	/* all rows enter before any leaves */
	for (; total->end < end; total->end++)
	{
		CHECK_FOR_INTERRUPTS();
		count_row(windows, call, windows->order[total->end], true, total);
	}
	for (; total->start < start; total->start++)
		count_row(windows, call, windows->order[total->start], false, total);
	*isnull = total->count == 0 && call->kind != WINDOW_COUNT;
	if (call->kind == WINDOW_COUNT)
		*value = Int64GetDatum(total->count);
	else if (!*isnull && (call->kind == WINDOW_SUM || call->kind == WINDOW_AVG))
	{
		if (!total->known)
			total->value = total_datum(windows, call, total);
		total->known = true;
		*value = total->value;
	}
	else if (!*isnull)
		return total->candidates[total->best];
	/* of no values any row will do */
	return windows->order[windows->next - 1];
}

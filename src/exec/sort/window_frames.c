/*
 * window_frames.c
 *		Window frames of window functions, and aggregates over them.
 *
 * From a row to the next one neither end of a window frame moves backward, so
 * each row enters the frame once and leaves it once.  Values that leave are
 * subtracted from exact sums; sums of floats are computed anew, as
 * PostgreSQL's are.  For minimum and maximum, the rows are remembered that can
 * still become the answer once all better ones have left: a queue whose values
 * get worse from its front on (a monotonic queue; Tangwongsan et al.,
 * "Sliding-Window Aggregation Algorithms", 2018).
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "exec/sort/window_frames.h"

/* Initial capacity of the queue of candidates. */
#define LEAST_CANDIDATES	16

/*
 * Set *offset to the constant offset of a frame bound in rows, negative if
 * preceding.  Return false if the offset is no constant, or an error in
 * PostgreSQL.
 */
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
window_frame_of_clause(const WindowClause *clause, WindowFrame *window_frame)
{
	const int	options = clause->frameOptions;
	const WindowFrameBound current = options & FRAMEOPTION_ROWS ? WINDOW_FRAME_ROW : WINDOW_FRAME_PEERS;

	*window_frame = (WindowFrame) {current, 0, current, 0};
	if (options & FRAMEOPTION_EXCLUSION)
		return false;
	if (!(options & FRAMEOPTION_ROWS) && (options & (FRAMEOPTION_START_OFFSET | FRAMEOPTION_END_OFFSET)))
		return false;
	if (options & FRAMEOPTION_START_UNBOUNDED_PRECEDING)
		window_frame->start = WINDOW_FRAME_PARTITION;
	if (options & FRAMEOPTION_END_UNBOUNDED_FOLLOWING)
		window_frame->end = WINDOW_FRAME_PARTITION;
	if ((options & FRAMEOPTION_START_OFFSET) &&
		!offset_of_bound(clause->startOffset, options & FRAMEOPTION_START_OFFSET_PRECEDING, &window_frame->from))
		return false;
	return !(options & FRAMEOPTION_END_OFFSET) ||
		offset_of_bound(clause->endOffset, options & FRAMEOPTION_END_OFFSET_PRECEDING, &window_frame->to);
}

void
window_frame_ask(const WindowFrame *window_frame, Windows *windows)
{
	windows->ranks |= window_frame->start == WINDOW_FRAME_PEERS || window_frame->end == WINDOW_FRAME_PEERS;
	windows->ahead |= window_frame->end == WINDOW_FRAME_PEERS;
	windows->whole |= window_frame->end == WINDOW_FRAME_PARTITION || (window_frame->start == WINDOW_FRAME_ROW && window_frame->from > 0) ||
		(window_frame->end == WINDOW_FRAME_ROW && window_frame->to > 0);
}

/* Return the number of the row that is `behind` rows after `row`, clipped to the partition. */
static uint32
within_partition(const Windows *windows, uint32 row, int64 behind)
{
	const int64 at = Max((int64) row + behind, (int64) windows->partition);

	return (uint32) (windows->whole ? Min(at, (int64) windows->partition_end) : at);
}

void
window_frame_bounds(const Windows *windows, const WindowFrame *window_frame, uint32 *start, uint32 *end)
{
	const uint32 row = windows->next - 1;

	*end = window_frame->end == WINDOW_FRAME_PARTITION ? windows->partition_end : window_frame->end == WINDOW_FRAME_PEERS ? windows->peers_end
		: within_partition(windows, row, (int64) window_frame->to + 1);
	*start = window_frame->start == WINDOW_FRAME_PARTITION ? windows->partition : window_frame->start == WINDOW_FRAME_PEERS ? windows->peers
		: within_partition(windows, row, window_frame->from);
	*start = Min(*start, *end);
}

void
window_frame_total_restart(WindowFrameTotal *total, uint32 row)
{
	*total = (WindowFrameTotal) {.start = row, .end = row, .candidates = total->candidates, .room = total->room};
}

static TotalOf
total_of(const WindowCall *call)
{
	return (TotalOf) {.kind = call->total, .attribute = call->attribute};
}

/* Make room for one more candidate. */
static void
make_room(const Windows *windows, WindowFrameTotal *total)
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
 * Add a row to the candidates.  Earlier candidates that are not better are
 * removed, since they leave the frame first and can never be the answer.  Of
 * equal values, which may differ as -0 and 0 do, or a day and 24 hours,
 * PostgreSQL takes the last one.
 */
static void
add_candidate(const Windows *windows, const WindowCall *call, uint32 row, WindowFrameTotal *total)
{
	const SortKey key = total_key(windows->stored, total_of(call));

	while (total->ncandidates > total->best)
	{
		const int	order = sort_compare(windows->stored->rows, &key, 1, row, total->candidates[total->ncandidates - 1]);

		if (call->total == TOTAL_MIN ? order > 0 : order < 0)
			break;
		total->ncandidates--;
	}
	/* In a frame that no row leaves only the best candidate counts. */
	if (call->window_frame.start == WINDOW_FRAME_PARTITION && total->ncandidates > total->best)
		return;
	make_room(windows, total);
	total->candidates[total->ncandidates++] = row;
}

/* Add a row to the total of a frame if it enters the frame, else remove it. */
static void
count_row(const Windows *windows, const WindowCall *call, uint32 row, bool enters, WindowFrameTotal *total)
{
	if (!total_counts(windows->stored, total_of(call), row))
		return;
	if (total_is_of_row(call->total) && enters)
		add_candidate(windows, call, row, total);
	else if (total_is_of_row(call->total) && total->candidates[total->best] == row)
		total->best++;
	total_change(windows->stored, total_of(call), row, enters, &total->rows);
}

uint32
window_frame_result(const Windows *windows, const WindowCall *call, WindowFrameTotal *total, Datum *value, bool *isnull)
{
	uint32		start,
				end;

	window_frame_bounds(windows, &call->window_frame, &start, &end);
	total->known &= start == total->start && end == total->end;
	if (start > total->start && total_sums_floats(windows->stored, total_of(call)))
		window_frame_total_restart(total, start);
	/* all rows enter before any leaves */
	for (; total->end < end; total->end++)
	{
		CHECK_FOR_INTERRUPTS();
		if (call->attribute >= 0)
			stored_rows_ask_ahead(windows->stored, stored_rows_key(windows->stored, call->attribute), windows->order + total->end, windows->nrows - total->end);
		count_row(windows, call, windows->order[total->end], true, total);
	}
	for (; total->start < start; total->start++)
		count_row(windows, call, windows->order[total->start], false, total);
	*isnull = total->rows.count == 0 && call->total != TOTAL_COUNT;
	if (!*isnull && total_is_of_row(call->total))
		return total->candidates[total->best];
	if (!*isnull && !total->known)
		total->value = total_datum(windows->stored, total_of(call), &total->rows);
	if (!*isnull)
		*value = total->value;
	total->known = !*isnull;
	/* Without any value the row is not looked at. */
	return windows->order[windows->next - 1];
}

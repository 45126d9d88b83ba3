/*
 * scan_scroll.c
 *		A GpuScan whose cursor goes backward.
 *
 * A device filters rows in the order of the heap, ahead of the rows returned.
 * Where a cursor goes backward PostgreSQL reads the heap instead, from the
 * scan's position, and tests all filters; from then on it does so in both
 * directions, until the node is rescanned.  A change of direction opens a TID
 * range scan of the rows before or behind the position.
 */
#include "postgres.h"

#include "access/tableam.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "storage/itemptr.h"
#include "utils/rel.h"

#include "exec/node/lifecycle.h"
#include "exec/rows/exec_scan_private.h"

/* Set `place` to a position before all rows. */
static void
set_before_first(ItemPointer place)
{
	ItemPointerSet(place, 0, 0);
}

static void
set_behind_last(ItemPointer place)
{
	ItemPointerSet(place, InvalidBlockNumber, PG_UINT16_MAX);
}

bool
scan_scrolls(const GpuScanState *state)
{
	return state->scroll.on || ScanDirectionIsBackward(state->node.css.ss.ps.state->es_direction);
}

static void
close_scan(ScanScroll *scroll)
{
	if (scroll->scan == NULL)
		return;
	ExecDropSingleTupleTableSlot(scroll->slot);
	table_endscan(scroll->scan);
	scroll->scan = NULL;
}

void
scan_end_scroll(GpuScanState *state)
{
	close_scan(&state->scroll);
	state->scroll.on = false;
}

/* Take over from the device at the position of the scan. */
static void
begin_scroll(GpuScanState *state)
{
	ScanScroll *scroll = &state->scroll;
	const TupleTableSlot *slot = state->node.css.ss.ss_ScanTupleSlot;

	if (!TTS_EMPTY(slot))
		ItemPointerCopy(&slot->tts_tid, &scroll->place);
	else if (state->ended)
		set_behind_last(&scroll->place);
	else
		set_before_first(&scroll->place);
	node_end_run(&state->node);
	scan_reset_batches(state);
	scroll->on = true;
}

/* Open a scan of the rows behind the position, forward, or of those before it, backward. */
static void
turn(GpuScanState *state, ScanDirection direction)
{
	ScanScroll *scroll = &state->scroll;
	EState	   *estate = state->node.css.ss.ps.state;
	MemoryContext old = MemoryContextSwitchTo(estate->es_query_cxt);
	ItemPointerData least;
	ItemPointerData most;

	close_scan(scroll);
	set_before_first(&least);
	set_behind_last(&most);
	if (ScanDirectionIsBackward(direction))
	{
		ItemPointerCopy(&scroll->place, &most);
		ItemPointerDec(&most);
	}
	else
	{
		ItemPointerCopy(&scroll->place, &least);
		ItemPointerInc(&least);
	}
	scroll->slot = table_slot_create(state->node.relation, NULL);
	scroll->scan = table_beginscan_tidrange(state->node.relation, estate->es_snapshot, &least, &most);
	scroll->direction = direction;
	MemoryContextSwitchTo(old);
}

/* Store the next row of the heap in the scan slot; return false if there is none. */
static bool
next_of_heap(GpuScanState *state, ScanDirection direction)
{
	ScanScroll *scroll = &state->scroll;

	if (scroll->scan == NULL || scroll->direction != direction)
		turn(state, direction);
	if (!table_scan_getnextslot_tidrange(scroll->scan, direction, scroll->slot))
		return false;
	scan_copy_row(state, scroll->slot);
	return true;
}

TupleTableSlot *
scan_scroll(GpuScanState *state)
{
	PlanState  *ps = &state->node.css.ss.ps;
	ScanScroll *scroll = &state->scroll;
	TupleTableSlot *slot = state->node.css.ss.ss_ScanTupleSlot;
	const ScanDirection direction = ps->state->es_direction;

	if (!scroll->on)
		begin_scroll(state);
	while (next_of_heap(state, direction))
	{
		CHECK_FOR_INTERRUPTS();
		ResetExprContext(ps->ps_ExprContext);
		ps->ps_ExprContext->ecxt_scantuple = slot;
		if (ExecQual(scan_all_quals(state), ps->ps_ExprContext))
		{
			ItemPointerCopy(&slot->tts_tid, &scroll->place);
			return ps->ps_ProjInfo ? ExecProject(ps->ps_ProjInfo) : slot;
		}
		InstrCountFiltered1(ps, 1);
	}
	/* a scan at its end would start over at the next call, so it is closed */
	close_scan(scroll);
	if (ScanDirectionIsBackward(direction))
		set_before_first(&scroll->place);
	else
		set_behind_last(&scroll->place);
	return ExecClearTuple(slot);
}

/*
 * sort_scroll.c
 *		A GpuSort whose cursor goes backward.
 *
 * Rows go forward as they do without a cursor.  The first time that one is
 * wanted backward they are made once more from the first one on, as far as they
 * have gone out, and put into a tuplestore; from then on that is read, as PostgreSQL's
 * Material does, and rows that are new are added to it.  PostgreSQL's own rows
 * might come in another order the second time, so after a fallback they are put
 * there as they come.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "miscadmin.h"
#include "utils/tuplestore.h"

#include "exec/exec_sort_private.h"

/* The next row; what is read below goes forward, whatever the cursor does. */
static TupleTableSlot *
next_row(GpuSortState *state)
{
	EState	   *estate = state->css.ss.ps.state;
	const ScanDirection direction = estate->es_direction;
	TupleTableSlot *row;

	estate->es_direction = ForwardScanDirection;
	row = sort_next_row(state);
	estate->es_direction = direction;
	return TupIsNull(row) ? NULL : row;
}

/* Have rows in a tuplestore that is at its end. */
static void
open_store(GpuSortState *state)
{
	SortScroll *scroll = &state->scroll;
	MemoryContext old = MemoryContextSwitchTo(state->css.ss.ps.state->es_query_cxt);

	scroll->store = tuplestore_begin_heap(true, false, work_mem);
	scroll->slot = MakeSingleTupleTableSlot(ExecGetResultType(&state->css.ss.ps), &TTSOpsMinimalTuple);
	MemoryContextSwitchTo(old);
}

/* The rows that have gone out, once more. */
static void
keep_rows_again(GpuSortState *state)
{
	SortScroll *scroll = &state->scroll;
	TupleTableSlot *row;

	open_store(state);
	if (state->computed)
		sort_restart_rows(state);
	for (uint64 i = 0; i < scroll->nrows && (row = next_row(state)) != NULL; i++)
		tuplestore_puttupleslot(scroll->store, row);
	while (tuplestore_advance(scroll->store, true))
		;
}

/* A row that has not gone out yet; NULL, and the end is noted, where there is none. */
static TupleTableSlot *
next_new_row(GpuSortState *state)
{
	SortScroll *scroll = &state->scroll;
	TupleTableSlot *row = scroll->ended ? NULL : next_row(state);

	scroll->ended = row == NULL;
	return row;
}

/* Forward without a tuplestore. */
static TupleTableSlot *
go_forward(GpuSortState *state)
{
	SortScroll *scroll = &state->scroll;
	TupleTableSlot *row = next_new_row(state);

	if (row != NULL)
		scroll->nrows++;
	if (state->fell_back && scroll->store == NULL)
	{
		open_store(state);
		if (row != NULL)
			tuplestore_puttupleslot(scroll->store, row);
		while (tuplestore_advance(scroll->store, true))
			;
	}
	return row;
}

/* A row that is new, at the tuplestore's end. */
static TupleTableSlot *
add_row(GpuSortState *state)
{
	TupleTableSlot *row = next_new_row(state);

	if (row != NULL)
		tuplestore_puttupleslot(state->scroll.store, row);
	return row;
}

TupleTableSlot *
sort_scroll(GpuSortState *state)
{
	SortScroll *scroll = &state->scroll;
	ScanState  *ss = &state->css.ss;
	const bool	forward = ScanDirectionIsForward(ss->ps.state->es_direction);
	bool		at_end;

	if (scroll->store == NULL && forward)
		return go_forward(state);
	if (scroll->store == NULL)
		keep_rows_again(state);
	at_end = tuplestore_ateof(scroll->store);
	if (!forward && at_end)
	{
		/* the last row of the store is the one that went out last, unless all had gone out */
		if (!scroll->ended && !tuplestore_advance(scroll->store, false))
			return NULL;
		at_end = false;
	}
	if (!at_end && tuplestore_gettupleslot(scroll->store, forward, false, scroll->slot))
		return ExecCopySlot(ss->ps.ps_ProjInfo != NULL ? ss->ps.ps_ResultTupleSlot : ss->ss_ScanTupleSlot, scroll->slot);
	return forward ? add_row(state) : NULL;
}

void
sort_end_scroll(GpuSortState *state)
{
	SortScroll *scroll = &state->scroll;

	if (scroll->store != NULL)
	{
		tuplestore_end(scroll->store);
		ExecDropSingleTupleTableSlot(scroll->slot);
	}
	*scroll = (SortScroll) {0};
}

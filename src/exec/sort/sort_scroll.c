/*
 * sort_scroll.c
 *		A GpuSort whose cursor goes backward.
 *
 * Rows go forward as they do without a cursor.  The first time that a row is
 * wanted backward, all rows returned so far are fetched once more and put into a
 * tuplestore; from then on the tuplestore is read, as PostgreSQL's Material does,
 * and new rows are added to it.  PostgreSQL's own rows might come in another
 * order the second time, so after a fallback they are put into the tuplestore as
 * they are returned.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "miscadmin.h"
#include "utils/tuplestore.h"

#include "exec/sort/exec_sort_private.h"

/* Return the next row, or NULL; plans below go forward, whatever the cursor's direction. */
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

/* Open the tuplestore of the rows returned so far, and its slot. */
static void
open_store(GpuSortState *state)
{
	SortScroll *scroll = &state->scroll;
	MemoryContext old = MemoryContextSwitchTo(state->css.ss.ps.state->es_query_cxt);

	scroll->store = tuplestore_begin_heap(true, false, work_mem);
	scroll->slot = MakeSingleTupleTableSlot(ExecGetResultType(&state->css.ss.ps), &TTSOpsMinimalTuple);
	MemoryContextSwitchTo(old);
}

/* Fetch the rows returned so far once more and put them into the tuplestore, which is left at its end. */
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

/* Return a row that has not been returned before; NULL, after noting the end, if there is none. */
static TupleTableSlot *
next_new_row(GpuSortState *state)
{
	SortScroll *scroll = &state->scroll;
	TupleTableSlot *row = scroll->ended ? NULL : next_row(state);

	scroll->ended = row == NULL;
	return row;
}

/* Return the next row of a cursor that has only gone forward; after a fallback the first row opens the tuplestore. */
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

/* Return a row that has not been returned before, after adding it to the tuplestore. */
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
		/* the last row of the store was returned last, unless the end has been reached */
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

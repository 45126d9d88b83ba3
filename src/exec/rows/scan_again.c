/*
 * scan_again.c
 *		The rows of a GpuScan that is rescanned with the same parameters.
 *
 * The inner side of a nested loop is run once for each outer row, and PostgreSQL
 * puts a Material above it only where it expects many outer rows.  A run of a
 * device takes longer to begin than a scan of a few pages, so from the second
 * run on the rows are put into a tuplestore as they are returned, and once a run
 * has ended, further runs read the tuplestore.  A run with other parameters
 * starts over.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "miscadmin.h"
#include "optimizer/optimizer.h"
#include "utils/tuplestore.h"

#include "exec/rows/exec_scan_private.h"

/* Return true if each run has the same rows: nothing is volatile, and no cursor may go backward. */
static bool
is_repeatable(const GpuScanState *state)
{
	const CustomScan *plan = (const CustomScan *) state->node.css.ss.ps.plan;

	return (state->node.eflags & EXEC_FLAG_BACKWARD) == 0 && !contain_volatile_functions((Node *) plan->scan.plan.targetlist) &&
		!contain_volatile_functions((Node *) plan->scan.plan.qual);
}

static void
open_store(GpuScanState *state)
{
	ScanAgain  *again = &state->again;
	PlanState  *ps = &state->node.css.ss.ps;
	MemoryContext old = MemoryContextSwitchTo(ps->state->es_query_cxt);

	again->store = tuplestore_begin_heap(false, false, work_mem);
	again->slot = MakeSingleTupleTableSlot(ExecGetResultType(ps), &TTSOpsMinimalTuple);
	MemoryContextSwitchTo(old);
}

static void
close_store(ScanAgain *again)
{
	if (again->store != NULL)
	{
		tuplestore_end(again->store);
		ExecDropSingleTupleTableSlot(again->slot);
	}
	again->store = NULL;
	again->complete = false;
}

void
scan_again_begin(GpuScanState *state)
{
	ScanAgain  *again = &state->again;

	if (state->node.css.ss.ps.chgParam != NULL || !again->complete)
		close_store(again);
	else
		tuplestore_rescan(again->store);
	again->rerun = state->node.css.ss.ps.chgParam == NULL;
	again->begun = false;
}

/* Return the next row of the tuplestore. */
static TupleTableSlot *
next_stored(GpuScanState *state)
{
	ScanState  *ss = &state->node.css.ss;

	if (!tuplestore_gettupleslot(state->again.store, true, false, state->again.slot))
		return NULL;
	return ExecCopySlot(ss->ps.ps_ProjInfo != NULL ? ss->ps.ps_ResultTupleSlot : ss->ss_ScanTupleSlot, state->again.slot);
}

TupleTableSlot *
scan_again(GpuScanState *state)
{
	ScanAgain  *again = &state->again;
	TupleTableSlot *row;

	if (again->complete)
		return next_stored(state);
	if (!again->begun && is_repeatable(state))
		open_store(state);
	again->begun = true;
	row = scan_next_row(state);
	if (again->store == NULL)
		return row;
	if (TupIsNull(row))
		again->complete = true;
	else
		tuplestore_puttupleslot(again->store, row);
	return row;
}

void
scan_again_end(GpuScanState *state)
{
	close_store(&state->again);
	state->again.rerun = false;
}

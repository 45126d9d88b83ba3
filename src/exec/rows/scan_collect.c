/*
 * scan_collect.c
 *		Collecting the rows of a GpuScan as columns of a store, without forming tuples where the device has their outputs.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "miscadmin.h"

#include "exec/node/lifecycle.h"
#include "exec/rows/collect_columns.h"
#include "exec/rows/exec_scan_private.h"
#include "tablet/read/row_store.h"

/* Append the rows of a batch to a store; rows without outputs are projected from their heap tuples. */
static DeviceStatus
collect_batch(GpuScanState *state, RowStore *store, const ColumnUse *columns, int ncolumns)
{
	PlanState  *ps = &state->node.css.ss.ps;
	DeviceStatus status = state->not_told;

	for (int w = 0; w < state->batch->npage_batches && status == STATUS_DONE; w++)
	{
		BatchPages *entry = &state->batch->page_batch[w];

		if (!entry->judged)
			return STATUS_MEMORY_LIMIT;
		if (entry->has_outputs)
			status = collect_outputs(&entry->outputs, entry->nplaces, ps->plan->targetlist, store, columns, ncolumns);
		for (uint32 place = 0; !entry->has_outputs && place < entry->nplaces && status == STATUS_DONE; place++)
		{
			TupleTableSlot *slot = state->node.css.ss.ss_ScanTupleSlot;

			if (!scan_store_row(state, entry->page_batch, entry->places[place]))
				continue;
			ResetExprContext(ps->ps_ExprContext);
			ps->ps_ExprContext->ecxt_scantuple = slot;
			slot = ps->ps_ProjInfo ? ExecProject(ps->ps_ProjInfo) : slot;
			status = row_store_add(store, slot->tts_values, slot->tts_isnull);
		}
	}
	return status;
}

static DeviceStatus
collect_all(GpuScanState *state, RowStore *store, const ColumnUse *columns, int ncolumns)
{
	DeviceStatus status = STATUS_DONE;

	scan_start_run(state);
	state->may_run_ahead = true;
	if (state->waiting)
		return STATUS_SUBPLAN_WAITS;
	while (status == STATUS_DONE && scan_next_batch(state))
	{
		CHECK_FOR_INTERRUPTS();
		status = collect_batch(state, store, columns, ncolumns);
	}
	return status;
}

DeviceStatus
scan_collect(PlanState *ps, RowStore *store, const ColumnUse *columns, int ncolumns)
{
	GpuScanState *state = (GpuScanState *) ps;
	MemoryContext old = MemoryContextSwitchTo(ps->state->es_query_cxt);
	DeviceStatus status;

	if (ps->instrument)
		InstrStartNode(ps->instrument);
	state->collecting = true;
	state->not_told = STATUS_DONE;
	PG_TRY();
	{
		status = collect_all(state, store, columns, ncolumns);
	}
	PG_CATCH();
	{
		feed_abandon(&state->node.feed);
		PG_RE_THROW();
	}
	PG_END_TRY();
	state->collecting = false;
	if (ps->instrument)
		InstrStopNode(ps->instrument, status == STATUS_DONE ? row_store_added(store) : 0);
	node_end_run(&state->node);
	scan_reset_batches(state);
	MemoryContextSwitchTo(old);
	return status;
}

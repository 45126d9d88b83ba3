/*
 * exec_scan.c
 *		GpuScan: filter a relation on the device, project in PostgreSQL.
 *
 * Portions of the relation, which are page batches or slices of cached tablets
 * (portions.h), go to the device in scan batches.  The answer is which rows
 * passed, with their wanted columns as dense arrays, and with copies of the
 * bytes of texts if the planner has found these cached.  If some wanted value
 * has no column form, rows are taken from their heap tuples, so that
 * attributes of any type can be returned.  Rows are returned in heap order.
 * The first scan batch is one portion, and each next one is twice as large, so
 * that LIMIT 1 reads little.  Once it is clear that many rows are wanted, the
 * device works on the next scan batch while the rows of one are returned; not
 * for a cursor, which may stay open for long and hold what others want.
 *
 * A scan batch is filtered completely before its first row is returned.  A
 * page batch that the device could not filter is filtered by PostgreSQL with
 * the node's own filters, and so are the pages of a slice, so no row is lost
 * or repeated after others have been returned.  PostgreSQL filters in the same
 * way in a run without any job, so the node needs no second plan as fallback,
 * and for the first rows of a scan whose filters wait for subplans (params.h).
 */
#include "postgres.h"

#include "access/sysattr.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "optimizer/optimizer.h"
#include "tcop/pquery.h"
#include "utils/memutils.h"

#include "device/device.h"
#include "exec/node/explain.h"
#include "exec/node/lifecycle.h"
#include "exec/node/materialize.h"
#include "exec/node/params.h"
#include "exec/rows/exec_scan_private.h"

/*
 * Size of a scan batch from which on the next one is started ahead, and number
 * of its portions that are submitted early: a client that stops reading holds
 * them.
 */
#define MIN_AHEAD 4
#define MAX_EARLY 8

/* Number of rows by which tuples are prefetched ahead. */
#define LOOKAHEAD 8

static Node *create_state(CustomScan *plan);

const CustomScanMethods gpu_scan_methods = {
	.CustomName = "GpuScan",
	.CreateCustomScanState = create_state,
};

/* Return the highest attribute that the target list or a filter reads. */
static AttrNumber
last_attribute_used(GpuScanState *state)
{
	CustomScan *plan = (CustomScan *) state->node.css.ss.ps.plan;
	Bitmapset  *attributes = NULL;
	int			last = 0;
	int			bit = -1;

	pull_varattnos((Node *) plan->scan.plan.targetlist, state->node.relid, &attributes);
	pull_varattnos((Node *) plan->scan.plan.qual, state->node.relid, &attributes);
	pull_varattnos((Node *) plan->custom_exprs, state->node.relid, &attributes);
	while ((bit = bms_next_member(attributes, bit)) >= 0)
	{
		int			attno = bit + FirstLowInvalidHeapAttributeNumber;

		if (attno == 0)			/* the whole row */
			return RelationGetNumberOfAttributes(state->node.relation);
		last = Max(last, attno);
	}
	return last;
}

void
scan_reset_batches(GpuScanState *state)
{
	memset(state->batches, 0, sizeof(state->batches));
	state->batch = &state->batches[0];
	state->ahead = &state->batches[1];
	state->at_page_batch = 0;
	state->at_place = 0;
	state->batch_size = 1;
	state->begun = false;
	state->exhausted = false;
	state->ended = false;
}

static void
begin(CustomScanState *css, EState *estate, int eflags)
{
	GpuScanState *state = (GpuScanState *) css;
	CustomScan *plan = (CustomScan *) css->ss.ps.plan;

	node_begin(&state->node, estate, eflags);
	state->node.request.quals = plan->custom_exprs;
	state->node.fetches = intVal(list_nth(plan->custom_private, NODE_PRIVATE_FETCHES)) != 0;
	state->node.request.give_rows = !state->node.fetches;
	state->node.request.outputs = compile_wanted((Node *) plan->scan.plan.targetlist, (Node *) plan->scan.plan.qual);
	state->node.request.give_texts = intVal(list_nth(plan->custom_private, NODE_PRIVATE_TEXTS)) != 0 && !device_may_use_gpu();
	state->host_quals = plan->scan.plan.qual;
	state->on_device = list_nth(plan->custom_private, NODE_PRIVATE_ON_DEVICE);
	state->last_attribute = last_attribute_used(state);
	state->heap_slot = MakeSingleTupleTableSlot(RelationGetDescr(state->node.relation), &TTSOpsHeapTuple);
	scan_reset_batches(state);
	params_find(&state->node);
}

/* Replace a slice of a cached tablet by its pages. */
static void
read_instead(GpuScanState *state, BatchPages *entry)
{
	portions_reread(&state->portions, entry->slice, entry->page_batch);
	entry->cached = false;
}

/* Copy the outputs of a portion's rows, if any.  Return false if the bytes of a slice's texts cannot be copied. */
static bool
keep_outputs(GpuScanState *state, BatchPages *entry, const DeviceWork *work)
{
	GpuNode    *node = &state->node;
	const CompileResult *compiled = &node->compiled;

	entry->has_outputs = compiled->gives_rows && (work->output != NULL || compiled->nattributes == 0);
	if (!entry->has_outputs)
		return true;
	output_keep(&entry->outputs, node->run_context, compiled, work, node->feed.spec.deform);
	/* A GPU has the bytes of texts in its own memory. */
	if (compiled->gives_texts)
		entry->has_outputs = node->device == &cpu_device && output_keep_texts(&entry->outputs, node->run_context, work->nrows);
	return entry->has_outputs || !entry->cached;
}

/* Make room for `n` places. */
static void
make_places(GpuScanState *state, BatchPages *entry, uint32 n)
{
	if (n <= entry->places_capacity)
		return;
	entry->places = MemoryContextAlloc(state->node.run_context, n * sizeof(uint32));
	entry->places_capacity = n;
}

/* Take a slice's rows: their outputs, or else tuples fetched from pages.  Return false if these cannot be fetched. */
static bool
keep_slice(GpuScanState *state, BatchPages *entry, const DeviceWork *work)
{
	entry->nplaces = work->nrows;
	if (entry->has_outputs || work->nrows == 0)
		return true;
	make_places(state, entry, work->nrows);
	if (!portions_fetch(&state->portions, entry->slice, work->rows, work->nrows, entry->page_batch, entry->places))
		return false;
	entry->cached = false;
	return true;
}

/* Take the places and outputs of a portion's rows that passed; work = NULL takes all rows, unfiltered. */
static void
keep_rows(GpuScanState *state, BatchPages *entry, const DeviceWork *work)
{
	const PageList *list = &entry->page_batch->list;
	uint32		n = 0;

	entry->has_outputs = false;
	if (work != NULL && (!keep_outputs(state, entry, work) || (entry->cached && !keep_slice(state, entry, work))))
	{
		read_instead(state, entry);
		work = NULL;
	}
	entry->judged = work != NULL;
	if (work != NULL && work->pages == NULL)
		return;
	make_places(state, entry, list->nrows);
	if (work != NULL)
	{
		uint32		first = 0;

		/* Rows ascend, and so do pages. */
		for (int p = 0; n < work->nrows; n++)
		{
			while (work->rows[n] - first >= list->ntuples[p])
				first += list->ntuples[p++];
			entry->places[n] = ROW_PLACE(p, list->offsets[p][work->rows[n] - first]);
		}
	}
	else
		for (int p = 0; p < list->npages; p++)
			for (int t = 0; t < list->ntuples[p]; t++)
				entry->places[n++] = ROW_PLACE(p, list->offsets[p][t]);
	entry->nplaces = n;
}

static bool
raise_scales(GpuNode *node, const Tablet *tablet)
{
	int32		max_scale[PROGRAM_MAX_COLUMNS];

	for (uint32 c = 0; c < tablet->ncols; c++)
		max_scale[c] = tablet->column[c].max_scale;
	return node_raise_scales(node, max_scale);
}

/* Disable outputs if the device may have failed to read a value of an output.  Return true if so. */
static bool
drop_outputs(GpuNode *node, DeviceStatus status)
{
	bool		drop = node->compiled.nattributes > 0 &&
		(status == STATUS_SPECIAL_NUMERIC || status == STATUS_DECIMAL_TOO_WIDE || status == STATUS_SCALE_EXCEEDED);

	if (drop)
		node->request.give_rows = false;
	return drop;
}

/* Leave the rows of a page batch to PostgreSQL's filters. */
static void
leave_to_postgres(GpuScanState *state, BatchPages *entry, DeviceStatus status)
{
	if (state->collecting)
		state->not_told = status;
	else
	{
		state->node.report.fallback_page_batches++;
		node_note_status(&state->node, status);
	}
	keep_rows(state, entry, NULL);
}

/* Take a finished item.  Sets *again if another program is to filter its portion. */
static void
take_item(GpuScanState *state, DeviceWork *work, bool *again)
{
	GpuNode    *node = &state->node;
	BatchPages *entry = work->owner;

	if (!feed_item_finished(&node->feed, work))
		return;
	if (work->status == STATUS_DONE)
		keep_rows(state, entry, work);
	else if (entry->cached)
	{
		read_instead(state, entry);
		leave_to_postgres(state, entry, work->status);
	}
	else if ((work->status == STATUS_SCALE_EXCEEDED && raise_scales(node, work->tablet)) ||
			 (work->status == STATUS_CODES_EXCEEDED && node_mend_dicts(node)) || drop_outputs(node, work->status))
	{
		entry->submitted = false;
		*again = true;
	}
	else
		leave_to_postgres(state, entry, work->status);
	if (work->pages != NULL)
		portions_collect(&state->portions, entry->page_batch, work->status == STATUS_DONE ? work->tablet : NULL);
	node->device->release(node->feed.job, work);
}

/* Submit a portion to the device.  Return false if the device has no free item. */
static bool
submit_page_batch(GpuScanState *state, BatchPages *entry)
{
	GpuNode    *node = &state->node;
	DeviceWork *work = node->device->acquire(node->feed.job);

	if (work == NULL)
		return false;
	entry->submitted = true;
	work->owner = entry;
	if (entry->cached)
	{
		work->pages = NULL;
		work->places = NULL;
		work->cached = &entry->slice->rows;
		work->ncached = 1;
		work->stage = STAGE_RUN;
	}
	else
	{
		work->pages = &entry->page_batch->list;
		work->places = portions_places(&state->portions, entry->page_batch);
	}
	node->device->submit(node->feed.job, work);
	return true;
}

/* Submit what is not done of the scan batch, and drain the job.  Return false if some is to be submitted again. */
static bool
run_batch(GpuScanState *state)
{
	GpuNode    *node = &state->node;
	DeviceWork *work;
	bool		again = false;

	for (int w = 0; w < state->batch->npage_batches; w++)
	{
		BatchPages *entry = &state->batch->page_batch[w];

		CHECK_FOR_INTERRUPTS();
		while (!entry->submitted && !submit_page_batch(state, entry))
			take_item(state, node->device->collect(node->feed.job, true), &again);
	}
	while ((work = node->device->collect(node->feed.job, true)) != NULL)
		take_item(state, work, &again);
	return !again;
}

/* Return true if cached tablets may be used: nobody needs TIDs of rows, as a cursor's WHERE CURRENT OF does. */
static bool
may_use_tablets(const GpuScanState *state)
{
	const GpuNode *node = &state->node;

	return state->may_run_ahead && !state->waiting && node->feed.job != NULL && node->device == &cpu_device &&
		(node->compiled.gives_rows || node->fetches);
}

static void
release_batch(GpuScanState *state)
{
	for (int w = 0; w < state->batch->npage_batches; w++)
		page_batch_release(state->batch->page_batch[w].page_batch);
	state->batch->npage_batches = 0;
	state->at_page_batch = 0;
	state->at_place = 0;
}

/* Fill a scan batch.  If `early` is set, submit the first MAX_EARLY portions as soon as they are filled. */
static void
fill_batch(GpuScanState *state, Batch *batch, bool early)
{
	GpuNode    *node = &state->node;

	while (batch->npage_batches < state->batch_size && !state->exhausted)
	{
		BatchPages *entry = &batch->page_batch[batch->npage_batches];
		Portion		portion;

		if (entry->page_batch == NULL)
		{
			entry->page_batch = feed_new_page_batch(&node->feed);
			entry->slice = MemoryContextAllocZero(node->run_context, sizeof(TabletSlice));
		}
		portion = portions_next(&state->portions, entry->page_batch, entry->slice);
		entry->submitted = false;
		entry->cached = portion == PORTION_SLICE;
		if (portion == PORTION_END)
			state->exhausted = true;
		else
		{
			batch->npage_batches++;
			early = early && batch->npage_batches <= MAX_EARLY && submit_page_batch(state, entry);
		}
	}
	if (!state->waiting)
		state->batch_size = Min(state->batch_size * 2, MAX_BATCH);
}

/* Replace the program after rows have been returned, by one for larger scales or without outputs, if there is one. */
static void
go_on(GpuScanState *state)
{
	portions_leave(&state->portions);
	node_close_job(&state->node);
	node_open_job(&state->node);
	portions_resume(&state->portions, may_use_tablets(state));
}

/* Replace the program before any row has been returned, and start over, since other columns may be cached. */
static void
begin_anew(GpuScanState *state)
{
	release_batch(state);
	portions_rewind(&state->portions);
	node_close_job(&state->node);
	node_open_job(&state->node);
	portions_begin(&state->portions, &state->node.feed, may_use_tablets(state));
	state->batch_size = 1;
	state->exhausted = false;
	fill_batch(state, state->batch, false);
}

/* Run the scan batch, as often as the program changes.  Without a job all rows are left to PostgreSQL's filters. */
static void
judge_batch(GpuScanState *state)
{
	while (state->node.feed.job != NULL)
	{
		if (run_batch(state))
			return;
		if (state->begun)
			go_on(state);
		else
			begin_anew(state);
	}
	for (int w = 0; w < state->batch->npage_batches; w++)
	{
		BatchPages *entry = &state->batch->page_batch[w];

		if (entry->cached)
			read_instead(state, entry);
		keep_rows(state, entry, NULL);
	}
	state->node.report.fallback_page_batches += state->batch->npage_batches;
}

/*
 * Release pins that are not needed any more: those of pages whose rows have
 * been copied as columns and, where a cursor may rest between two rows, those
 * of all pages but one.
 */
static void
unpin_batch(GpuScanState *state)
{
	for (int w = 0; w < state->batch->npage_batches; w++)
	{
		BatchPages *entry = &state->batch->page_batch[w];

		if (entry->cached)
			continue;
		if (entry->has_outputs || (!state->may_run_ahead && !state->waiting))
			page_batch_rest(entry->page_batch);
		/* The device has yet to filter these. */
		else if (!state->may_run_ahead)
			page_batch_copy(entry->page_batch);
	}
}

bool
scan_next_batch(GpuScanState *state)
{
	GpuNode    *node = &state->node;
	Batch	   *done = state->batch;
	instr_time	start;

	INSTR_TIME_SET_CURRENT(start);
	release_batch(state);
	state->batch = state->ahead;
	state->ahead = done;
	state->begun |= state->node.feed.finished > 0;
	if (state->batch->npage_batches == 0)
		fill_batch(state, state->batch, false);
	judge_batch(state);
	unpin_batch(state);
	if (state->may_run_ahead && state->batch_size >= MIN_AHEAD && node->feed.job != NULL && !state->exhausted)
		fill_batch(state, state->ahead, true);
	/* After the last scan batch: others may want what the job holds. */
	if (state->exhausted && state->ahead->npage_batches == 0 && !state->waiting)
	{
		portions_end(&state->portions);
		node_close_job(node);
	}
	node_add_time(node, start);
	return state->batch->npage_batches > 0;
}

/* Let the device take over after the subplans have run: from the rest of the current page batch on. */
static void
end_waiting(GpuScanState *state)
{
	GpuNode    *node = &state->node;
	BatchPages *entry = &state->batch->page_batch[0];
	uint32		last = entry->places[state->at_place - 1];

	state->waiting = false;
	state->begun = true;
	if (!node_open_job(node))
		return;
	entry->submitted = false;
	node->report.fallback_page_batches--;
	judge_batch(state);
	unpin_batch(state);
	for (state->at_place = 0; state->at_place < entry->nplaces; state->at_place++)
		if (entry->places[state->at_place] > last)
			break;
}

void
scan_copy_row(GpuScanState *state, TupleTableSlot *from)
{
	TupleTableSlot *slot = state->node.css.ss.ss_ScanTupleSlot;
	const int	natts = slot->tts_tupleDescriptor->natts;

	ExecClearTuple(slot);
	slot_getsomeattrs(from, state->last_attribute);
	memcpy(slot->tts_values, from->tts_values, state->last_attribute * sizeof(Datum));
	memcpy(slot->tts_isnull, from->tts_isnull, state->last_attribute * sizeof(bool));
	memset(slot->tts_isnull + state->last_attribute, true, (natts - state->last_attribute) * sizeof(bool));
	slot->tts_tid = from->tts_tid;
	slot->tts_tableOid = from->tts_tableOid;
	ExecStoreVirtualTuple(slot);
}

bool
scan_store_row(GpuScanState *state, PageBatch *page_batch, uint32 place)
{
	TupleTableSlot *heap_slot = state->heap_slot;
	HeapTupleData tuple;

	if (!page_batch_tuple(page_batch, state->node.relation, place, &tuple))
		return false;
	ExecStoreHeapTuple(&tuple, heap_slot, false);
	scan_copy_row(state, heap_slot);
	ExecClearTuple(heap_slot);
	return true;
}

/* Store a row in the scan slot from the device's outputs. */
static void
store_outputs(GpuScanState *state, const BatchPages *entry, uint32 row)
{
	TupleTableSlot *slot = state->node.css.ss.ss_ScanTupleSlot;
	MemoryContext old = MemoryContextSwitchTo(state->node.css.ss.ps.ps_ExprContext->ecxt_per_tuple_memory);

	output_store(&entry->outputs, row, slot);
	MemoryContextSwitchTo(old);
	/* For WHERE CURRENT OF */
	if (entry->cached)
		ItemPointerSetInvalid(&slot->tts_tid);
	else
		ItemPointerSet(&slot->tts_tid, entry->page_batch->block[ROW_PAGE(entry->places[row])], ROW_OFFNUM(entry->places[row]));
	slot->tts_tableOid = RelationGetRelid(state->node.relation);
}

/* Store the next row of a portion, filtered or not, in the scan slot.  Return false at the end of the portion. */
static bool
next_place(GpuScanState *state, BatchPages *entry)
{
	while (state->at_place < entry->nplaces)
	{
		const uint32 at = state->at_place++;

		if (entry->has_outputs)
		{
			store_outputs(state, entry, at);
			return true;
		}
		if (at + LOOKAHEAD < entry->nplaces)
			page_batch_prefetch(entry->page_batch, entry->places[at + LOOKAHEAD]);
		if (scan_store_row(state, entry->page_batch, entry->places[at]))
			return true;
	}
	return false;
}

ExprState *
scan_all_quals(GpuScanState *state)
{
	CustomScan *plan = (CustomScan *) state->node.css.ss.ps.plan;

	if (state->all_quals == NULL)
	{
		MemoryContext old = MemoryContextSwitchTo(state->node.css.ss.ps.state->es_query_cxt);
		ListCell   *device = list_head(plan->custom_exprs);
		ListCell   *host = list_head(state->host_quals);
		List	   *quals = NIL;
		ListCell   *lc;

		foreach(lc, state->on_device)
		{
			ListCell  **from = lfirst_int(lc) ? &device : &host;

			quals = lappend(quals, lfirst(*from));
			*from = lnext(lfirst_int(lc) ? plan->custom_exprs : state->host_quals, *from);
		}
		state->all_quals = ExecInitQual(quals, &state->node.css.ss.ps);
		MemoryContextSwitchTo(old);
	}
	return state->all_quals;
}

void
scan_start_run(GpuScanState *state)
{
	GpuNode    *node = &state->node;

	node_start_run(node);
	/* Cursors have names, and may move backward. */
	state->may_run_ahead = (ActivePortal == NULL || ActivePortal->name[0] == '\0') && (node->eflags & EXEC_FLAG_BACKWARD) == 0;
	state->waiting = params_wait(node);
	if (!state->waiting)
		node_open_job(node);
	portions_begin(&state->portions, &node->feed, may_use_tablets(state));
}

TupleTableSlot *
scan_next_row(GpuScanState *state)
{
	GpuNode    *node = &state->node;
	PlanState  *ps = &node->css.ss.ps;
	ExprContext *econtext = ps->ps_ExprContext;
	TupleTableSlot *slot = node->css.ss.ss_ScanTupleSlot;

	if (!node->running)
		scan_start_run(state);
	for (;;)
	{
		BatchPages *entry = &state->batch->page_batch[state->at_page_batch];
		ExprState  *qual;

		CHECK_FOR_INTERRUPTS();
		if (state->waiting && state->at_place > 0 && !params_wait(node))
			end_waiting(state);
		if (state->at_page_batch >= state->batch->npage_batches)
		{
			if (!scan_next_batch(state))
			{
				state->ended = true;
				/* WHERE CURRENT OF must not find the last row in the slot. */
				return ExecClearTuple(slot);
			}
			continue;
		}
		ResetExprContext(econtext);
		if (!next_place(state, entry))
		{
			if (!entry->cached && entry->page_batch->rests)
				page_batch_rest(entry->page_batch);
			state->at_page_batch++;
			state->at_place = 0;
			continue;
		}
		econtext->ecxt_scantuple = slot;
		qual = entry->judged ? ps->qual : scan_all_quals(state);
		if (qual != NULL && !ExecQual(qual, econtext))
		{
			/* Rows of page batches that the device could not filter would be counted for all filters. */
			if (!node->secret)
				InstrCountFiltered1(ps, 1);
			continue;
		}
		return ps->ps_ProjInfo ? ExecProject(ps->ps_ProjInfo) : slot;
	}
}

static TupleTableSlot *
next_row(GpuNode *node)
{
	GpuScanState *state = (GpuScanState *) node;

	if (scan_scrolls(state))
		return scan_scroll(state);
	return state->again.rerun ? scan_again(state) : scan_next_row(state);
}

static void
end(CustomScanState *css)
{
	GpuScanState *state = (GpuScanState *) css;

	ExecClearTuple(css->ss.ss_ScanTupleSlot);
	scan_end_scroll(state);
	scan_again_end(state);
	ExecDropSingleTupleTableSlot(state->heap_slot);
	node_end(&state->node);
}

static void
rescan(CustomScanState *css)
{
	GpuScanState *state = (GpuScanState *) css;

	ExecClearTuple(css->ss.ss_ScanTupleSlot);
	scan_end_scroll(state);
	scan_again_begin(state);
	node_rescan(&state->node);
	scan_reset_batches(state);
}

static const NodeMethods methods = {
	.exec = {
		.CustomName = "GpuScan",
		.BeginCustomScan = begin,
		.ExecCustomScan = node_exec,
		.EndCustomScan = end,
		.ReScanCustomScan = rescan,
		.ExplainCustomScan = node_explain,
	},
	.next_row = next_row,
	.collect = scan_collect,
	.materialize = materialize_rows,
};

static Node *
create_state(CustomScan *plan)
{
	return (Node *) node_create(sizeof(GpuScanState), &methods);
}

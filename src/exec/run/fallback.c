/*
 * fallback.c
 *		PostgreSQL's own plan for an aggregate or a join, if the device has no answer.
 *
 * The child is initialized on first use, in the query's context and with the
 * flags that BeginCustomScan was given.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "utils/memutils.h"

#include "exec/run/fallback_cache.h"
#include "exec/run/jit_cost.h"
#include "exec/run/node.h"
#include "exec/run/require.h"
#include "exec/run/stat.h"

void
node_note_fallback(GpuNode *node, const char *reason, const char *text)
{
	node->report.fallback_reason = reason;
	node->report.fallback_text = text;
	if (!node->secret)
		stat_count_fallback(reason);
	require_no_fallback(reason, text);
}

void
node_note_status(GpuNode *node, DeviceStatus status)
{
	node_note_fallback(node, status_reason(status), status_text(status));
}

static void
remember(GpuNode *node, FallbackCause cause)
{
	if (!node->secret && node->nchildren == 0)
		fallback_cache_add(node->relation, cause);
}

void
node_remember(GpuNode *node, const FeedOutcome *outcome)
{
	if (outcome->failed_column >= 0)
		remember(node, (FallbackCause) {.attno = node->compiled.column[outcome->failed_column].attno});
	else
		remember(node, (FallbackCause) {.computation = node->computation});
}

void
node_remember_tables(GpuNode *node)
{
	if (node->build_failure_reason != NULL && !node->not_built_below)
		remember(node, (FallbackCause) {.computation = node->computation});
}

void
node_copy_row(TupleTableSlot *row, TupleTableSlot *slot)
{
	slot_getallattrs(row);
	ExecClearTuple(slot);
	memset(slot->tts_isnull, true, slot->tts_tupleDescriptor->natts * sizeof(bool));
	memcpy(slot->tts_values, row->tts_values, row->tts_nvalid * sizeof(Datum));
	memcpy(slot->tts_isnull, row->tts_isnull, row->tts_nvalid * sizeof(bool));
	ExecStoreVirtualTuple(slot);
}

TupleTableSlot *
node_fallback_next(GpuNode *node)
{
	CustomScan *plan = (CustomScan *) node->css.ss.ps.plan;
	TupleTableSlot *slot;

	if (node->child == NULL)
	{
		EState	   *estate = node->css.ss.ps.state;
		MemoryContext old = MemoryContextSwitchTo(estate->es_query_cxt);
		const int	jit_flags = estate->es_jit_flags;

		/* The statement's JIT flags are chosen for its other nodes. */
		estate->es_jit_flags = jit_flags_of_fallback(linitial(plan->custom_plans));
		node->child = ExecInitNode(linitial(plan->custom_plans), estate, node->eflags);
		estate->es_jit_flags = jit_flags;
		/* EXPLAIN shows the child, and thereby that it was needed. */
		if (!node->secret)
			node->css.custom_ps = lappend(node->css.custom_ps, node->child);
		MemoryContextSwitchTo(old);
	}
	node->fell_back = true;
	slot = ExecProcNode(node->child);
	return TupIsNull(slot) ? NULL : slot;
}

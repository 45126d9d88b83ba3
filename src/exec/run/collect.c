/*
 * collect.c
 *		Collecting the rows of any plan as columns.
 *
 * A gpudb node that returns rows of relations moves its outputs to the columns
 * without forming tuples; all other plans return their rows one by one.
 */
#include "postgres.h"

#include "executor/executor.h"

#include "exec/run/collect.h"
#include "tablet/read/row_store.h"

bool
plan_gives_columns(const Plan *plan)
{
	ListCell   *lc;

	foreach(lc, plan->targetlist)
		if (!IsA(lfirst_node(TargetEntry, lc)->expr, Var))
			return false;
	return true;
}

bool
plan_is_collectable(const PlanState *ps)
{
	const NodeMethods *methods = node_methods(ps);

	return methods != NULL && methods->collect != NULL && ps->plan->qual == NIL && plan_gives_columns(ps->plan);
}

DeviceStatus
plan_collect_rows(PlanState *ps, RowStore *store)
{
	DeviceStatus status = STATUS_DONE;

	while (status == STATUS_DONE)
	{
		/* plans allocate their own state in the current context */
		MemoryContext old = MemoryContextSwitchTo(ps->state->es_query_cxt);
		TupleTableSlot *slot = ExecProcNode(ps);

		MemoryContextSwitchTo(old);
		if (TupIsNull(slot))
			break;
		slot_getallattrs(slot);
		status = row_store_add(store, slot->tts_values, slot->tts_isnull);
	}
	return status;
}

DeviceStatus
plan_collect(PlanState *ps, RowStore *store, const ColumnUse *columns, int ncolumns)
{
	return plan_is_collectable(ps) ? node_methods(ps)->collect(ps, store, columns, ncolumns) : plan_collect_rows(ps, store);
}

/*
 * join_device.c
 *		Device-resident join tables: tables that a GPU makes of rows that never leave it.
 *
 * A run materializes the rows on the GPU (exec/node/materialize.c) and returns their
 * number and the bounds of their columns, by which the host plans the table.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "core/join/join_build.h"
#include "device/device.h"
#include "exec/join/join_device.h"
#include "exec/run/materialized_rows.h"
#include "tablet/read/local_dict.h"

/*
 * Return true if rows are found by keys, not by bounds, whose values in the
 * materialized columns are compared as they are.
 */
static bool
keys_are_plain(const JoinUse *use)
{
	for (int k = 0; k < use->nkeys; k++)
		if (use->key[k].form != JOIN_KEY_INTEGER)
			return false;
	return use->nkeys > 0 && !use->sorted;
}

/* State of the memory-context callback that drops a device-resident table. */
typedef struct Dropped
{
	const Device *device;
	MaterializedTable *table;
	MemoryContextCallback callback;
} Dropped;

static void
drop_table(void *arg)
{
	Dropped    *dropped = arg;

	dropped->device->drop(dropped->table);
}

/* Copy the dictionaries of the materialized columns, which have the codes of all rows now. */
static void
copy_dicts(const CompileResult *compiled, const DeviceTable *wish)
{
	memset(wish->dicts, 0, sizeof(JoinDicts));
	for (int k = 0; k < compiled->nmaterialized; k++)
		if (compiled->materialized[k].dict.attno != 0)
			wish->dicts->column[k] = local_dict_copy(wish->context, compiled->materialized[k].dict.view);
}

/* Make the table after all rows have been materialized.  Return false if the device cannot make it. */
static bool
make_table(GpuNode *node, const GroupTable *groups, void *arg)
{
	const DeviceTable *wish = arg;
	MemoryContext old = MemoryContextSwitchTo(wish->context);
	Dropped    *dropped = palloc0(sizeof(Dropped));
	JoinTable  *table = palloc(sizeof(JoinTable));
	MaterializedPlan plan = {0};
	Tablet	   *rows = materialized_rows_describe(&node->compiled, groups, plan.null_count);

	plan.nrows = rows->nrows;
	memcpy(plan.key, wish->use->key, sizeof(JoinKey) * wish->use->nkeys);
	join_plan_of_bounds(&plan.head, rows, plan.key, wish->use->nkeys);
	plan.head.some = wish->use->some && plan.head.exact;
	dropped->device = node->device;
	dropped->table = node->device->keep(node->feed.job, &plan, wish->shared);
	MemoryContextSwitchTo(old);
	if (dropped->table == NULL)
		return false;
	dropped->callback = (MemoryContextCallback) {.func = drop_table, .arg = dropped};
	MemoryContextRegisterResetCallback(wish->context, &dropped->callback);
	*table = plan.head;
	*wish->made = (JoinRows) {table, rows};
	copy_dicts(&node->compiled, wish);
	return true;
}

bool
join_device_build(PlanState *ps, const DeviceTable *wish)
{
	return keys_are_plain(wish->use) && node_methods(ps)->materialize(ps, wish->use, make_table, (void *) wish);
}

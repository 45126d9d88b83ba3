/*
 * join_device.c
 *		Tables of joins that a GPU makes of rows that never leave it.
 *
 * A run keeps them (kept_rows.c), and tells how many there are and the bounds of
 * their columns, of which the host plans the table.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "core/join_build.h"
#include "device/device.h"
#include "exec/join_device.h"
#include "exec/kept_rows.h"
#include "tablet/own_codes.h"

/* Whether rows are found by a key whose values stand in the columns that are kept as they are compared. */
static bool
keys_are_plain(const JoinUse *use)
{
	for (int k = 0; k < use->nkeys; k++)
		if (use->key[k].form != JOIN_KEY_INTEGER)
			return false;
	return use->nkeys > 0 && !use->sorted;
}

/* Give a table back with the context that it was to last as long as. */
typedef struct Dropped
{
	const Device *device;
	KeptTable  *table;
	MemoryContextCallback callback;
} Dropped;

static void
drop_table(void *arg)
{
	Dropped    *dropped = arg;

	dropped->device->drop(dropped->table);
}

/* The dictionaries as they are now have the codes of all rows. */
static void
copy_books(const CompileResult *compiled, const DeviceTable *wish)
{
	memset(wish->books, 0, sizeof(JoinBooks));
	for (int k = 0; k < compiled->nkept; k++)
		if (compiled->kept[k].codes.attno != 0)
			wish->books->column[k] = own_codes_copy(wish->context, compiled->kept[k].codes.book);
}

/* All rows are kept: make the table. */
static bool
make_table(GpuNode *node, const GroupTable *groups, void *arg)
{
	const DeviceTable *wish = arg;
	MemoryContext old = MemoryContextSwitchTo(wish->context);
	Dropped    *dropped = palloc0(sizeof(Dropped));
	JoinTable  *table = palloc(sizeof(JoinTable));
	KeptPlan	plan = {0};
	Tablet	   *rows = kept_rows_describe(&node->compiled, groups, plan.null_count);

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
	copy_books(&node->compiled, wish);
	return true;
}

bool
join_device_build(PlanState *ps, const DeviceTable *wish)
{
	return keys_are_plain(wish->use) && kept_rows_run(ps, wish->use, make_table, (void *) wish);
}

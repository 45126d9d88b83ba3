/*
 * materialized_rows.c
 *		Rows materialized on the GPU: their number, the room for them, and a description of their columns.
 *
 * A plan's filters and joins run as those of an aggregate without keys.  The
 * aggregate counts the rows and finds the bounds of their columns, while the
 * device materializes the rows.  Only these few numbers are transferred to the
 * host.
 */
#include "postgres.h"

#include "exec/run/materialized_rows.h"
#include "guc.h"

/*
 * Room that is reserved at first, in rows: beyond the planner's estimate, or for
 * the whole relation if it takes no large part of the memory.
 */
#define ROOM_FACTOR		1.25
#define ROOM_LEAST		65536
#define ROOM_SHARE		4

uint32
materialized_rows_most(int ncolumns)
{
	return (uint32) Min(guc_join_bytes() / (8 * Max(ncolumns, 1)), JOIN_NO_ROW - 1);
}

uint32
materialized_rows_room(const GpuNode *node, uint32 most)
{
	const double estimated = node->css.ss.ps.plan->plan_rows * ROOM_FACTOR;
	const double all = node->relation->rd_rel->reltuples;

	return (uint32) Min(Max(all <= most / ROOM_SHARE ? Max(all, estimated) : estimated, ROOM_LEAST), most);
}

uint64
materialized_rows_state(const CompileResult *compiled, const GroupTable *groups, int state)
{
	return groups->rows[compiled->program->state_word[state]];
}

Tablet *
materialized_rows_describe(const CompileResult *compiled, const GroupTable *groups, uint32 *null_count)
{
	Tablet	   *rows = palloc0(sizeof(Tablet) + sizeof(TabletColumn) * Max(compiled->nmaterialized, 1));

	rows->nrows = (uint32) materialized_rows_state(compiled, groups, compiled->materialized_count);
	rows->ncols = compiled->nmaterialized;
	rows->failed_column = -1;
	for (int k = 0; k < compiled->nmaterialized; k++)
	{
		const MaterializedColumn *materialized = &compiled->materialized[k];
		TabletColumn *column = &rows->column[k];

		column->type = compiled->program->materialized[k];
		column->null_count = null_count[k] = rows->nrows - (uint32) materialized_rows_state(compiled, groups, materialized->count);
		/* without values the bounds may be anything */
		if (materialized->least < 0 || column->null_count == rows->nrows)
			continue;
		wide_store(column->min, (int64) materialized_rows_state(compiled, groups, materialized->least));
		wide_store(column->max, (int64) materialized_rows_state(compiled, groups, materialized->largest));
	}
	return rows;
}

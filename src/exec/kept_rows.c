/*
 * kept_rows.c
 *		Runs whose rows a GPU keeps: how many there may be, and fetching them.
 *
 * How many rows there will be nobody knows.  Those for which there is no room
 * are counted, and another run has room for all.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "exec/kept_rows.h"
#include "guc.h"

/* Rows for which there is room at first: beyond the planner's estimate, or all of a relation that takes no large part of the memory. */
#define ROOM_FACTOR		1.25
#define ROOM_LEAST		65536
#define ROOM_SHARE		4

uint32
kept_rows_most(int ncolumns)
{
	return (uint32) Min((uint64) gpudb_join_memory * 1024 * 1024 / (8 * Max(ncolumns, 1)), JOIN_NO_ROW - 1);
}

uint32
kept_rows_room(const GpuNode *node, uint32 most)
{
	const double estimated = node->css.ss.ps.plan->plan_rows * ROOM_FACTOR;
	const double all = node->relation->rd_rel->reltuples;

	return (uint32) Min(Max(all <= most / ROOM_SHARE ? Max(all, estimated) : estimated, ROOM_LEAST), most);
}

uint64
kept_rows_state(const CompileResult *compiled, const GroupTable *groups, int state)
{
	return groups->rows[compiled->program->state_word[state]];
}

/* Fetch so many rows. */
static DeviceStatus
fetch_all(GpuNode *node, uint32 count, OutputRows *outputs, DeviceStatus (*take) (void *arg, uint32 nrows), void *arg)
{
	DeviceStatus status = STATUS_DONE;
	KeptPart	part;

	for (uint32 first = 0; first < count && status == STATUS_DONE; first += part.nrows)
	{
		const bool	fetched = node->device->fetch(node->feed.job, first, count - first, &part);

		CHECK_FOR_INTERRUPTS();
		/* a batch that had to begin again has kept its rows twice */
		if (!fetched || part.total != count)
			return STATUS_GROUPS_LOST;
		output_keep_part(outputs, node->run_context, &node->compiled, &part);
		status = take(arg, part.nrows);
	}
	return status;
}

DeviceStatus
kept_rows_fetch(GpuNode *node, OutputRows *outputs, DeviceStatus (*take) (void *arg, uint32 nrows), void *arg)
{
	const GroupTable *groups;
	DeviceStatus status = feed_finish(&node->feed, &groups);
	uint64		count;

	if (status != STATUS_DONE)
		return status;
	count = kept_rows_state(&node->compiled, groups, node->compiled.kept_count);
	if (count <= node->keep_most)
		return fetch_all(node, (uint32) count, outputs, take, arg);
	if (count > kept_rows_most(list_length(node->request.outputs)))
		return STATUS_MEMORY_LIMIT;
	node->keep_most = (uint32) count;
	return STATUS_NO_ROOM;
}

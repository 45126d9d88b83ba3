/*
 * batch_rows.cu
 *		Rows of groups: where a batch's launches leave them, and how they come back.
 *
 * Rows of few blocks go to host memory at once, and the host merges them.  Those
 * of many are combined on the device first, into one row a group.  For a table
 * that the job keeps all stay on the device.
 */
#include <stdlib.h>
#include <string.h>

#include "batch_private.h"
#include "combine_launch.h"

/* Rows that the host merges in less time than two launches take. */
#define FEW_BLOCKS 32

static uint32_t
row_words(const CudaBatch *own)
{
	return own->batch.job->view.program->row_words;
}

/* Bytes of a row and its hash. */
static uint64_t
row_bytes(const CudaBatch *own)
{
	return 8 * (1 + (uint64_t) row_words(own));
}

/* Rows that find room in the arena when each takes so many bytes more, and all together some. */
static uint32_t
room_in_arena(const CudaBatch *own, uint64_t each, uint64_t all)
{
	const uint64_t used = own->arena_used + all;

	return used < own->arena_bytes ? (uint32_t) ((own->arena_bytes - used) / (row_bytes(own) + each)) : 0;
}

uint32_t
batch_rows_for_table(const CudaBatch *own)
{
	/* and a group number for each */
	return room_in_arena(own, 4, 0);
}

void
batch_choose_rows(CudaBatch *own, uint32_t nblocks)
{
	RowShape	shape;
	uint32_t	room;

	own->combines = false;
	own->row_capacity = (uint32_t) (ROWS_BYTES / row_bytes(own));
	if (own->batch.table != NULL)
	{
		own->row_capacity = batch_rows_for_table(own);
		return;
	}
	room = room_in_arena(own, 8, COMBINE_BYTES(0));
	/* not yet measured with pages */
	if (!own->batch.cached || nblocks <= FEW_BLOCKS || room < 2 * BATCH_GROUPS || !own->batch.job->view.program->aggregates ||
		!groups_shape(own->batch.job->view.program, &shape))
		return;
	own->combines = true;
	own->row_capacity = room < COMBINE_ROWS ? room : COMBINE_ROWS;
}

void
batch_place_rows(CudaBatch *own, VmLaunch *launch)
{
	launch->hashes = own->combines || own->batch.table != NULL ? (uint64_t *) (own->arena + own->arena_used) : own->rows;
	launch->rows = launch->hashes + own->row_capacity;
	launch->row_capacity = own->row_capacity;
	own->merge.texts = own->batch.cached ? NULL : tablet_at(batch_tablet(own), ((const Tablet *) own->head)->var);
	own->merge.constants = (const uint8_t *) batch_program(own) + own->batch.job->view.program->bytes;
	own->merge.tables = joins_in_arena(own);
	own->merge.hashes = launch->hashes;
	own->merge.rows = launch->rows;
	own->merge.group = (uint32_t *) (launch->rows + (size_t) own->row_capacity * row_words(own));
}

cudaError_t
batch_combine_rows(CudaBatch *own)
{
	CombineLaunch launch = {};
	GroupTable *into = &own->combined;

	if (!own->combines)
		return cudaSuccess;
	groups_shape(own->batch.job->view.program, &launch.shape);
	into->row_words = row_words(own);
	into->capacity = (uint32_t) (ROWS_BYTES / row_bytes(own));
	if (into->capacity > BATCH_GROUPS)
		into->capacity = BATCH_GROUPS;
	into->hashes = own->rows;
	into->rows = own->rows + into->capacity;
	launch.result = batch_result(own);
	launch.hashes = own->merge.hashes;
	launch.rows = own->merge.rows;
	launch.row_capacity = own->row_capacity;
	launch.scratch = own->merge.group;
	launch.group_capacity = into->capacity;
	launch.to_hashes = into->hashes;
	launch.to_rows = into->rows;
	return CUDA_CALL((cudaError_t) combine_rows(&launch, cuda_context.multiprocessors, own->stream));
}

/* Merge the rows of blocks. */
static DeviceStatus
merge_rows(CudaBatch *own, uint32_t nrows)
{
	const Program *program = own->batch.job->view.program;
	GroupTable *into = &own->groups;
	GroupTable	from = {};
	uint32_t	next = 0;

	if (nrows > own->row_capacity || nrows > BATCH_GROUPS)
		return STATUS_TABLE_FULL;
	if (into->row_words != program->row_words)
	{
		free(into->rows);
		into->rows = (uint64_t *) malloc((size_t) BATCH_GROUPS * program->row_words * 8);
		into->row_words = into->rows != NULL ? program->row_words : 0;
		if (into->rows == NULL)
			return STATUS_MEMORY_LIMIT;
	}
	memset(into->slots, 0, into->nslots * sizeof(uint32_t));
	into->ngroups = 0;
	from.hashes = own->rows;
	from.rows = own->rows + own->row_capacity;
	from.row_words = program->row_words;
	from.ngroups = nrows;
	own->batch.groups = into;
	return group_merge(program, into, &from, &next, nrows);
}

DeviceStatus
batch_take_rows(CudaBatch *own, uint32_t nrows)
{
	if (!own->combines)
		return merge_rows(own, nrows);
	own->combined.ngroups = nrows;
	own->batch.groups = &own->combined;
	return STATUS_DONE;
}

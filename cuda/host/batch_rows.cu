/*
 * batch_rows.cu
 *		Rows of groups: their destination in a batch's launches, and their
 *		return to the host.
 *
 * The rows of a few blocks are written to host memory, and the host merges
 * them.  The rows of many blocks are combined on the device first, into one
 * row per group.  For a device-resident group table all rows stay on the
 * device.
 *
 * Beside tallies there is a single group, whose rows are combined, and to
 * which the host adds the contents of the tallies.  A quantile selection
 * stores its result in the tally before the tally is copied back.
 */
#include <stdlib.h>
#include <string.h>

#include "host/batch_private.h"
#include "kernels/combine_launch.h"

/* Number of blocks whose rows the host merges in less time than two launches take. */
#define FEW_BLOCKS 32

static const Program *
program_of(const CudaBatch *own)
{
	return own->batch.job->view.program;
}

/* Return the bytes of a row and its hash. */
static uint64_t
row_bytes(const CudaBatch *own)
{
	return 8 * (1 + (uint64_t) own->row.row_words);
}

static uint64_t
tally_bytes(const CudaBatch *own)
{
	return (uint64_t) own->row.ntallies * TALLY_WORDS * 8;
}

/* Return the address in host memory to which the tallies are copied. */
static uint64_t *
tallies_here(const CudaBatch *own)
{
	return own->rows + (ROWS_BYTES - tally_bytes(own)) / 8;
}

/*
 * Return how many rows fit in the arena if each needs `each` bytes besides the
 * row, and all together need `all` bytes.
 */
static uint32_t
room_in_arena(const CudaBatch *own, uint64_t each, uint64_t all)
{
	const uint64_t used = own->arena_used + all;

	return used < own->arena_bytes ? (uint32_t) ((own->arena_bytes - used) / (row_bytes(own) + each)) : 0;
}

uint32_t
batch_rows_for_table(const CudaBatch *own)
{
	/* each row also needs a group number */
	return room_in_arena(own, 4, 0);
}

void
batch_choose_rows(CudaBatch *own, uint32_t nblocks)
{
	const bool	can_combine = program_of(own)->aggregates && groups_shape(program_of(own), &own->row);
	uint32_t	room;

	own->combines = false;
	own->row_capacity = (uint32_t) ((ROWS_BYTES - tally_bytes(own)) / row_bytes(own));
	if (own->batch.table != NULL)
	{
		own->row_capacity = batch_rows_for_table(own);
		return;
	}
	room = room_in_arena(own, 8, COMBINE_BYTES(0) + tally_bytes(own));
	/* combining has not been measured with pages yet */
	if (own->row.ntallies == 0 && (!own->batch.cached || nblocks <= FEW_BLOCKS || room < 2 * BATCH_GROUPS || !can_combine))
		return;
	own->combines = true;
	own->row_capacity = room < COMBINE_ROWS ? room : COMBINE_ROWS;
}

void
batch_place_rows(CudaBatch *own, VmLaunch *launch)
{
	const bool	here = !own->combines && own->batch.table == NULL;

	own->tallies = (uint64_t *) (own->arena + own->arena_used);
	launch->tallies = own->tallies;
	seek_place(own->batch.seek, launch);
	launch->hashes = here ? own->rows : own->tallies + tally_bytes(own) / 8;
	launch->rows = launch->hashes + own->row_capacity;
	launch->row_capacity = own->row_capacity;
	own->merge.texts = own->batch.cached ? NULL : tablet_at(batch_tablet(own), ((const Tablet *) own->head)->var);
	own->merge.constants = (const uint8_t *) batch_program(own) + program_of(own)->bytes;
	own->merge.tables = joins_in_arena(own);
	own->merge.hashes = launch->hashes;
	own->merge.rows = launch->rows;
	own->merge.group = (uint32_t *) (launch->rows + (size_t) own->row_capacity * own->row.row_words);
}

cudaError_t
batch_clear_tallies(CudaBatch *own)
{
	const cudaError_t error = seek_await(own->batch.seek, own->stream);

	return error != cudaSuccess || own->row.ntallies == 0 ? error
		: CUDA_CALL(cudaMemsetAsync(own->arena + own->arena_used, 0, tally_bytes(own), own->stream));
}

cudaError_t
batch_combine_rows(CudaBatch *own)
{
	CombineLaunch launch = {};
	GroupTable *into = &own->combined;
	cudaError_t error;

	if (!own->combines)
		return cudaSuccess;
	launch.shape = own->row;
	into->row_words = own->row.row_words;
	into->capacity = (uint32_t) ((ROWS_BYTES - tally_bytes(own)) / row_bytes(own));
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
	error = CUDA_CALL((cudaError_t) combine_rows(&launch, cuda_context.multiprocessors, own->stream));
	if (error == cudaSuccess)
		error = seek_run(own->batch.seek, own->tallies, own->stream);
	if (error == cudaSuccess && own->row.ntallies > 0)
		error = CUDA_CALL(cudaMemcpyAsync(tallies_here(own), own->tallies, tally_bytes(own), cudaMemcpyDeviceToHost, own->stream));
	return error;
}

/* Empty the host's group table, and adapt it to rows of this program; return false if memory is short. */
static bool
clear_groups(CudaBatch *own)
{
	const Program *program = program_of(own);
	const uint32_t capacity = program->grouped ? BATCH_GROUPS : 1;
	GroupTable *into = &own->groups;

	if (into->row_words != program->row_words || into->capacity != capacity)
	{
		free(into->rows);
		into->rows = (uint64_t *) malloc((size_t) capacity * program->row_words * 8);
		into->row_words = into->rows != NULL ? program->row_words : 0;
		into->capacity = capacity;
	}
	memset(into->slots, 0, into->nslots * sizeof(uint32_t));
	into->ngroups = 0;
	return into->rows != NULL;
}

/* Merge the rows of blocks into the host's group table. */
static DeviceStatus
merge_rows(CudaBatch *own, uint32_t nrows)
{
	GroupTable	from = {};
	uint32_t	next = 0;

	if (nrows > own->row_capacity || nrows > BATCH_GROUPS)
		return STATUS_TABLE_FULL;
	if (!clear_groups(own))
		return STATUS_MEMORY_LIMIT;
	from.hashes = own->rows;
	from.rows = own->rows + own->row_capacity;
	from.row_words = program_of(own)->row_words;
	from.ngroups = nrows;
	own->batch.groups = &own->groups;
	return group_merge(program_of(own), &own->groups, &from, &next, nrows);
}

/* Make the combined row and the contents of the tallies the batch's only group. */
static DeviceStatus
add_tallies(CudaBatch *own)
{
	const Program *program = program_of(own);
	const uint64_t *from = own->combined.rows;
	const uint64_t *tally = tallies_here(own);

	if (!clear_groups(own))
		return STATUS_MEMORY_LIMIT;
	own->groups.hashes[0] = own->combined.hashes[0];
	own->groups.rows[0] = from[0];
	for (uint32_t s = 0; s < program->nstates; s++)
	{
		uint64_t   *to = own->groups.rows + program->state_word[s];

		memcpy(to, from + own->row.state_word[s], state_words((StateKind) own->row.state_kind[s]) * 8);
		if (!state_has_tally(program->state_kind[s]))
			continue;
		memcpy(to + 1, tally, TALLY_WORDS * 8);
		tally += TALLY_WORDS;
	}
	own->groups.ngroups = 1;
	own->batch.groups = &own->groups;
	return STATUS_DONE;
}

DeviceStatus
batch_take_rows(CudaBatch *own, uint32_t nrows)
{
	if (own->row.ntallies > 0)
		return nrows == 1 ? add_tallies(own) : STATUS_BAD_PROGRAM;
	if (!own->combines)
		return merge_rows(own, nrows);
	own->combined.ngroups = nrows;
	own->batch.groups = &own->combined;
	return STATUS_DONE;
}

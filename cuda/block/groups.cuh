/*
 * groups.cuh
 *		The group table of a block, in shared memory.
 *
 *		slots	 open addressing, twice as many as groups: 0 free, SLOT_BUSY while
 *				 a thread writes the key, else group number + SLOT_FIRST
 *		hashes	 of each group
 *		keys	 key_words 64-bit words a group: which are NULL, then the values
 *		states	 see states.cuh; a free group's states are already initial
 *
 * A full table is written out as rows of core/hashtable.h and emptied; the
 * host merges the rows of all blocks.
 */
#ifndef GPUDB_CUDA_GROUPS_CUH
#define GPUDB_CUDA_GROUPS_CUH

#include "block/states.cuh"
#include "vm_launch.h"

#define SLOT_FREE	0u
#define SLOT_BUSY	1u
#define SLOT_FIRST	2u

/* What the threads of a block share beside registers; the arrays follow it in shared memory. */
typedef struct BlockGroups
{
	uint64_t   *hashes;
	uint64_t   *keys;
	uint64_t   *states;
	uint32_t   *slots;
	uint32_t	capacity;		/* groups */
	uint32_t	nslots;			/* a power of two, at least twice that */
	uint32_t	key_words;		/* of a group */
	uint32_t	state_words;	/* of a group, counted once */
	uint32_t	replicas;		/* of each word: a power of two */
	uint32_t	stride;			/* words from one group's states to the next one's */
	uint32_t	ngroups;
	uint32_t	status;			/* the first failure */
	uint32_t	at;				/* where this block's rows go */
	uint16_t	state_at[PROGRAM_MAX_STATES + 1];	/* first word of each state */
} BlockGroups;

/* Lay out the arrays; by one thread. */
static __device__ inline void
block_groups_layout(BlockGroups *groups, const VmShape *shape, uint8_t *memory)
{
	groups->capacity = shape->capacity;
	groups->nslots = shape->nslots;
	groups->key_words = shape->key_words;
	groups->state_words = shape->state_words;
	groups->replicas = shape->replicas;
	groups->stride = shape->state_words * shape->replicas;
	groups->status = STATUS_DONE;
	groups->states = (uint64_t *) memory;
	groups->keys = groups->states + (size_t) shape->capacity * groups->stride;
	groups->hashes = groups->keys + (size_t) shape->capacity * shape->key_words;
	groups->slots = (uint32_t *) (groups->hashes + shape->capacity);
}

/* A group's state s, its first word of replica 0. */
static __device__ __forceinline__ uint64_t *
block_state(const BlockGroups *groups, uint32_t group, uint32_t s)
{
	return groups->states + group * groups->stride + groups->state_at[s] * groups->replicas;
}

static __device__ __forceinline__ uint32_t
block_state_words(const BlockGroups *groups, uint32_t s)
{
	return groups->state_at[s + 1] - groups->state_at[s];
}

/*
 * The group of a key, whose words `key(w)` tells; UINT32_MAX when the table is
 * full.
 */
template <typename Key> static __device__ __forceinline__ uint32_t
block_find_or_insert(BlockGroups *groups, uint64_t hash, Key key)
{
	const uint32_t mask = groups->nslots - 1;
	const uint32_t key_words = groups->key_words;
	uint32_t	at = (uint32_t) hash & mask;

	for (;;)
	{
		uint32_t	slot = *(volatile uint32_t *) &groups->slots[at];

		if (slot >= SLOT_FIRST)
		{
			uint32_t	group = slot - SLOT_FIRST;
			const uint64_t *stored = groups->keys + group * key_words;
			bool		equal = groups->hashes[group] == hash;

			for (uint32_t w = 0; equal && w < key_words; w++)
				equal = stored[w] == key(w);
			if (equal)
				return group;
			at = (at + 1) & mask;
		}
		else if (slot == SLOT_FREE && atomicCAS(&groups->slots[at], SLOT_FREE, SLOT_BUSY) == SLOT_FREE)
		{
			uint32_t	group = atomicAdd(&groups->ngroups, 1u);

			if (group >= groups->capacity)
			{
				/* as before, so that nobody waits for it */
				atomicSub(&groups->ngroups, 1u);
				atomicExch(&groups->slots[at], SLOT_FREE);
				return UINT32_MAX;
			}
			groups->hashes[group] = hash;
			for (uint32_t w = 0; w < key_words; w++)
				groups->keys[group * key_words + w] = key(w);
			__threadfence_block();
			atomicExch(&groups->slots[at], group + SLOT_FIRST);
			return group;
		}
	}
}

/* Make all groups free; by all threads, between barriers. */
static __device__ inline void
block_groups_clear(const Program *program, BlockGroups *groups)
{
	for (uint32_t i = threadIdx.x; i < groups->nslots; i += VM_THREADS)
		groups->slots[i] = SLOT_FREE;
	for (uint32_t i = threadIdx.x; i < groups->capacity * groups->replicas; i += VM_THREADS)
		for (uint32_t s = 0; s < program->nstates; s++)
			state_fill((StateKind) program->state_kind[s], block_state_words(groups, s),
					   block_state(groups, i / groups->replicas, s) + i % groups->replicas, groups->replicas);
	if (threadIdx.x == 0)
		groups->ngroups = 0;
}

/*
 * Append all groups to the launch's rows; by all threads, between barriers.
 * Without room for them the launch fails with TABLE_FULL.
 */
static __device__ inline void
block_groups_flush(const Program *program, const VmLaunch *launch, BlockGroups *groups)
{
	uint32_t	ngroups = program->grouped ? groups->ngroups : 1;

	if (threadIdx.x == 0)
	{
		groups->at = atomicAdd(&launch->result->nrows, ngroups);
		if (groups->at + ngroups > launch->row_capacity)
			groups->status = STATUS_TABLE_FULL;
	}
	__syncthreads();
	if (groups->at + ngroups > launch->row_capacity)
		return;
	/* one thread for each key part and each state of each group */
	for (uint32_t i = threadIdx.x; i < ngroups * (program->nstates + 1); i += VM_THREADS)
	{
		uint32_t	group = i / (program->nstates + 1);
		uint32_t	s = i % (program->nstates + 1);
		uint64_t   *row = launch->rows + (size_t) (groups->at + group) * program->row_words;
		uint32_t	error = 0;

		if (s == program->nstates)
		{
			launch->hashes[groups->at + group] = program->grouped ? groups->hashes[group] : 0;
			row[0] = 0;
			for (uint32_t w = 0; program->grouped && w < groups->key_words; w++)
				row[w] = groups->keys[group * groups->key_words + w];
		}
		else
		{
			state_collect((StateKind) program->state_kind[s], block_state_words(groups, s),
						  block_state(groups, group, s), groups->replicas, row + program->state_word[s], &error);
			if (error)
				groups->status = STATUS_DECIMAL_TOO_WIDE;
		}
	}
}

#endif							/* GPUDB_CUDA_GROUPS_CUH */

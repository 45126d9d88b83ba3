/*
 * groups.cuh
 *		The group table of a block, in shared memory, and writing it out.
 *
 *		slots	 open addressing: 0 free, SLOT_BUSY while a thread writes the
 *				 key, else group number + SLOT_FIRST
 *		hashes	 of each group, as rows of core/vm/hashtable.h have them
 *		keys	 key_words 64-bit words a group: NULL flags, then the values;
 *				 a text is its reference and its length
 *		states	 see states.cuh; a free group's states are already initial
 *
 * While warps run the program they only look groups up.  A warp with a key
 * that is not in the table leaves its tile; block_insert() then adds keys
 * between barriers, and the warp begins its tile anew.  Slots are claimed by
 * atomicCAS(), group numbers taken by atomicAdd(), both in shared memory.
 *
 * A full table is written out as rows of core/vm/hashtable.h and emptied; the
 * block goes on with fewer replicas of states and so with room for more groups.
 * The host merges the rows of all blocks.
 */
#ifndef GPUDB_CUDA_GROUPS_CUH
#define GPUDB_CUDA_GROUPS_CUH

#include "block/slices.cuh"
#include "block/states.cuh"
#include "kernels/vm_launch.h"

#define SLOT_FREE	0u
#define SLOT_BUSY	1u
#define SLOT_FIRST	2u

#define GROUP_MISSING UINT32_MAX

#define align16(bytes) (((bytes) + 15u) & ~15u)

/*
 * Return the distance in words between the states of neighbouring groups; from 16 replicas on it is
 * a multiple of 16 words, a row of shared memory's banks.
 */
static __host__ __device__ inline uint32_t
group_stride(const VmShape *shape, uint32_t replicas)
{
	uint32_t	words = shape->state_words * replicas + shape->single_words;

	return replicas < 16 ? words : (words + 15) & ~15u;
}

static __host__ __device__ inline uint32_t
group_capacity(const VmShape *shape, uint32_t replicas)
{
	return shape->group_bytes / ((group_stride(shape, replicas) + shape->key_words + 1) * 8);
}

extern __shared__ __align__(16) uint8_t shared_memory[];

/*
 * The group table of a block. The arrays follow it in shared memory, and are stored as offsets in
 * words: memory behind a pointer that is itself loaded would be accessed as generic instead of as
 * shared memory.
 */
typedef struct BlockGroups
{
	uint32_t	states;
	uint32_t	keys;
	uint32_t	hashes;
	uint32_t	slots;
	uint32_t	capacity;		/* groups that have room */
	uint32_t	replicas;		/* replicas of each word of states, a power of two */
	uint32_t	stride;			/* words from one group's states to the next one's */
	uint32_t	ngroups;
	uint32_t	status;			/* DeviceStatus of the first failure */
	uint32_t	at;				/* number of the block's first row in the launch's rows; scratch of block_turn() */
} BlockGroups;

static __device__ __forceinline__ uint64_t *
group_states(const BlockGroups *groups)
{
	return (uint64_t *) shared_memory + groups->states;
}

static __device__ __forceinline__ uint64_t *
group_keys(const BlockGroups *groups)
{
	return (uint64_t *) shared_memory + groups->keys;
}

static __device__ __forceinline__ uint64_t *
group_hashes(const BlockGroups *groups)
{
	return (uint64_t *) shared_memory + groups->hashes;
}

static __device__ __forceinline__ uint32_t *
group_slots(const BlockGroups *groups)
{
	return (uint32_t *) ((uint64_t *) shared_memory + groups->slots);
}

/* Arrange the arrays, without groups, for a number of replicas; called by one thread. */
static __device__ inline void
block_groups_arrange(BlockGroups *groups, const VmShape *shape, uint32_t replicas)
{
	groups->replicas = replicas;
	groups->stride = group_stride(shape, replicas);
	groups->capacity = shape->grouped ? group_capacity(shape, replicas) : 1;
	groups->keys = groups->states + groups->capacity * groups->stride;
	groups->hashes = groups->keys + groups->capacity * shape->key_words;
	groups->ngroups = 0;
}

/* Lay out the group table from byte `place` of shared memory on; called by one thread. */
static __device__ inline void
block_groups_layout(BlockGroups *groups, const VmShape *shape, uint32_t place)
{
	groups->status = STATUS_DONE;
	groups->states = place / 8;
	groups->slots = (place + shape->group_bytes) / 8;
	block_groups_arrange(groups, shape, shape->replicas);
}

/* Return the address of a group's state s: its first word, replica 0. */
static __device__ __forceinline__ uint64_t *
block_state(const BlockGroups *groups, const VmShape *shape, uint32_t group, uint32_t s)
{
	return group_states(groups) + group * groups->stride + shape->state_at[s] * groups->replicas;
}

/* Return the words of a group's states that have no replicas. */
static __device__ __forceinline__ uint64_t *
block_singles(const BlockGroups *groups, const VmShape *shape, uint32_t group)
{
	return group_states(groups) + group * groups->stride + shape->state_words * groups->replicas;
}

/* Return the slot where a search begins: the hash's upper bits. */
static __device__ __forceinline__ uint32_t
first_slot(const VmShape *shape, uint32_t hash)
{
	return hash >> (__clz((int) shape->nslots) + 1);
}

/* Return the key of the group that a slot leads to. */
static __device__ __forceinline__ const uint64_t *
slot_key(const BlockGroups *groups, const VmShape *shape, uint32_t slot)
{
	return group_keys(groups) + (slot - SLOT_FIRST) * shape->key_words;
}

/* Return the group of lane k's key, or GROUP_MISSING; changes nothing. */
template <typename Lanes> static __device__ __forceinline__ uint32_t
block_find(const BlockGroups *groups, const VmShape *shape, const Lanes &lanes, int k, uint32_t hash)
{
	const uint32_t mask = shape->nslots - 1;

	for (uint32_t at = first_slot(shape, hash);; at = (at + 1) & mask)
	{
		uint32_t	slot = group_slots(groups)[at];

		if (slot == SLOT_FREE)
			return GROUP_MISSING;
		if (lanes.equals(k, slot_key(groups, shape, slot)))
			return slot - SLOT_FIRST;
	}
}

/*
 * Do a thread's part of a round of block_insert(): look up the keys of missing lanes, one after the
 * other, until one leads to a slot that is free, which the thread claims, or that another thread is
 * claiming. Return the claimed slot, or shape->nslots if there is none; the rest of *missing begins
 * with the lane that the slot is for.
 */
template <typename Lanes> static __device__ inline uint32_t
block_claim(BlockGroups *groups, const VmShape *shape, const Lanes &lanes, uint32_t *missing)
{
	const uint32_t mask = shape->nslots - 1;

	for (; *missing != 0; *missing &= *missing - 1)
	{
		const int	k = __ffs((int) *missing) - 1;
		uint32_t	at = first_slot(shape, lanes.slot_hash(k));
		uint32_t	slot;

		for (;; at = (at + 1) & mask)
		{
			slot = atomicCAS(&group_slots(groups)[at], SLOT_FREE, SLOT_BUSY);
			if (slot < SLOT_FIRST || lanes.equals(k, slot_key(groups, shape, slot)))
				break;
		}
		if (slot < SLOT_FIRST)
			return slot == SLOT_FREE ? at : shape->nslots;
	}
	return shape->nslots;
}

/*
 * Insert the keys of each thread's `missing` lanes; called by all threads. In each round a thread
 * claims a slot for one key and writes the key; after a barrier it publishes the slot. Return true
 * if the table has no room for all keys: the caller has to renew it then, and it has the groups
 * that it had before, whose rows are counted. So a block never leaves more groups than it has
 * counted rows.
 */
template <typename Lanes> static __device__ __forceinline__ bool
block_insert(BlockGroups *groups, const VmShape *shape, const Lanes &lanes, uint32_t missing)
{
	const uint32_t before = groups->ngroups;

	while (__syncthreads_or(missing != 0))
	{
		const uint32_t claimed = block_claim(groups, shape, lanes, &missing);
		const int	k = __ffs((int) missing) - 1;
		uint32_t	group = GROUP_MISSING;
		bool		full = false;

		if (claimed < shape->nslots)
		{
			group = atomicAdd(&groups->ngroups, 1u);
			full = group >= groups->capacity;
		}
		if (claimed < shape->nslots && !full)
		{
			group_hashes(groups)[group] = lanes.row_hash(k);
			lanes.write(k, group_keys(groups) + group * shape->key_words);
			missing &= missing - 1;
		}
		__syncthreads();
		if (claimed < shape->nslots)
			atomicExch(&group_slots(groups)[claimed], full ? SLOT_FREE : group + SLOT_FIRST);
		if (full)
			groups->ngroups = before;
		if (__syncthreads_or(full))
			return true;
	}
	return false;
}

/*
 * Return true if a warp that misses groups may add them in this round of a tile: all warps in the
 * first two rounds, then one warp a round, so that one can complete the tile. Called by all
 * threads.
 */
static __device__ inline bool
block_turn(BlockGroups *groups, bool pending, int round)
{
	const uint32_t warp = threadIdx.x / 32;

	if (round < 2)
		return pending;
	if (threadIdx.x == 0)
		groups->at = UINT32_MAX;
	__syncthreads();
	if (pending)
		atomicMin(&groups->at, warp);
	__syncthreads();
	pending = groups->at == warp;
	__syncthreads();
	return pending;
}

/* Return the block's bins of a tally, in shared memory. */
static __device__ __forceinline__ uint32_t *
block_bins(const VmShape *shape, uint32_t tally)
{
	return (uint32_t *) (shared_memory + shape->tallies_at) + tally * TALLY_WORDS;
}

/* Return true if all states are initially zero. */
static __device__ inline bool
states_begin_zero(const VmShape *shape)
{
	bool		zero = true;

	for (uint32_t s = 0; s < shape->nstates; s++)
		zero &= shape->state_kind[s] == STATE_COUNT || shape->state_kind[s] == STATE_SUM;
	return zero;
}

/* Free all slots, initialize all states and clear the bins of tallies; called by all threads, between barriers. */
static __device__ inline void
block_groups_clear(const VmShape *shape, BlockGroups *groups)
{
	const uint32_t singles = shape->single_words;
	const uint32_t shift = 31 - __clz((int) groups->replicas);

	for (uint32_t i = threadIdx.x; i < shape->nslots; i += VM_THREADS)
		group_slots(groups)[i] = SLOT_FREE;
	for (uint32_t i = threadIdx.x; i < shape->ntallies * TALLY_WORDS; i += VM_THREADS)
		block_bins(shape, 0)[i] = 0;
	if (states_begin_zero(shape))
	{
		for (uint32_t i = threadIdx.x; i < groups->capacity * groups->stride; i += VM_THREADS)
			group_states(groups)[i] = 0;
		return;
	}
	for (uint32_t s = 0; s < shape->nstates; s++)
		for (uint32_t i = threadIdx.x; i < groups->capacity << shift; i += VM_THREADS)
			state_fill((StateKind) shape->state_kind[s],
					   block_state(groups, shape, i >> shift, s) + (i & (groups->replicas - 1)), groups->replicas);
	for (uint32_t i = threadIdx.x; i < groups->capacity * singles; i += VM_THREADS)
		block_singles(groups, shape, i / singles)[i % singles] = 0;
}

/* Return the part of its replicas' words that is state s: a sum and the count of its rows share a word. */
static __device__ inline WordPart
part_of_state(const VmShape *shape, uint32_t s)
{
	return shape->counted == 0 ? WORD_ALL : s == shape->counter ? WORD_COUNT : s + 1 == shape->counted ? WORD_SUM : WORD_ALL;
}

/* Write state s of a group, or with s = nstates its key and hash, to the launch's rows; called by a team of threads. */
static __device__ inline void
block_write(const VmLaunch *launch, BlockGroups *groups, uint32_t team, uint32_t group, uint32_t s)
{
	const VmShape *shape = &launch->shape;
	uint64_t   *row = launch->rows + (size_t) (groups->at + group) * shape->row_words;
	uint32_t	error = 0;

	if (s < shape->nstates)
		error = state_collect((StateKind) shape->state_kind[s],
							  {block_state(groups, shape, group, s), groups->replicas, part_of_state(shape, s)}, team,
							  block_singles(groups, shape, group) + shape->single_at[s], row + shape->state_word[s]);
	else if ((threadIdx.x & (team - 1)) == 0)
	{
		launch->hashes[groups->at + group] = shape->grouped ? group_hashes(groups)[group] : 0;
		row[0] = 0;
		for (uint32_t w = 0; shape->grouped && w < shape->key_words; w++)
			row[w] = group_keys(groups)[group * shape->key_words + w];
	}
	if (error)
		atomicCAS(&groups->status, (uint32_t) STATUS_DONE, (uint32_t) STATUS_DECIMAL_TOO_WIDE);
}

/*
 * Add the block's bins to those of all blocks by atomic additions. Blocks begin at different bins
 * to avoid contention.
 */
static __device__ inline void
block_tallies_flush(const VmLaunch *launch)
{
	const uint32_t words = launch->shape.ntallies * TALLY_WORDS;

	for (uint32_t i = threadIdx.x; i < words; i += VM_THREADS)
	{
		const uint32_t at = (i + blockIdx.x * VM_THREADS) % words;
		const uint32_t count = block_bins(&launch->shape, 0)[at];

		if (count > 0)
			atomicAdd((Word *) &launch->tallies[at], (Word) count);
	}
}

/*
 * Append all groups to the launch's rows, and add the bins of tallies; called by all threads,
 * between barriers. Return false if there is no room for the groups: the launch fails with
 * TABLE_FULL then.
 */
static __device__ __noinline__ bool
block_groups_flush(const VmLaunch *launch, BlockGroups *groups)
{
	const uint32_t ngroups = launch->shape.grouped ? min(groups->ngroups, groups->capacity) : 1;
	/* few replicas are collected by one thread */
	const uint32_t team = groups->replicas < 32 ? 1 : 32;

	if (threadIdx.x == 0)
		groups->at = atomicAdd(&launch->result->nrows, ngroups);
	__syncthreads();
	if (groups->at + ngroups > launch->row_capacity)
	{
		if (threadIdx.x == 0)
			atomicCAS(&groups->status, (uint32_t) STATUS_DONE, (uint32_t) STATUS_TABLE_FULL);
		return false;
	}
	for (uint32_t s = 0; s <= launch->shape.nstates; s++)
		for (uint32_t group = threadIdx.x / team; group < ngroups; group += VM_THREADS / team)
			block_write(launch, groups, team, group, s);
	block_tallies_flush(launch);
	return true;
}

/*
 * Write out a full table and continue with an empty one that has fewer replicas, if that is
 * possible, and so room for more groups; called by all threads. Return false if there was no room
 * to write: the launch has failed then, whatever the block still does.
 */
static __device__ inline bool
block_groups_renew(const VmLaunch *launch, BlockGroups *groups)
{
	const bool	written = block_groups_flush(launch, groups);

	__syncthreads();
	if (threadIdx.x == 0)
		block_groups_arrange(groups, &launch->shape, max(groups->replicas / 4, min(launch->shape.replicas, (uint32_t) MIN_REPLICAS)));
	__syncthreads();
	block_groups_clear(&launch->shape, groups);
	__syncthreads();
	return written;
}

/*
 * Fail the launch with TABLE_FULL for want of room for the block's groups, and end the block's last
 * slice; called by all threads.
 */
static __device__ __noinline__ void
block_give_up(BlockGroups *groups, BlockSlice *slice)
{
	if (threadIdx.x == 0)
	{
		atomicCAS(&groups->status, (uint32_t) STATUS_DONE, (uint32_t) STATUS_TABLE_FULL);
		slice_end(slice);
	}
	__syncthreads();
}

#endif							/* GPUDB_CUDA_GROUPS_CUH */

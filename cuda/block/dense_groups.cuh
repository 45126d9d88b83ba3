/*
 * dense_groups.cuh
 *		Groups by dense index: found by the stored values of their key columns.
 *
 * A key column that is frame-of-reference encoded in 8 bits has few values.  The
 * stored values of all keys, less the least ones in the tablet, make one index, each
 * multiplied by a factor of its own, into a table in shared memory.  An entry
 * of the table tells where the group's states are: no key is decoded, hashed or
 * compared, and none needs a slot.  Entries are filled as groups are met, and
 * the table is emptied for each tablet, whose encodings may differ.
 *
 * Each thread looks up its own lanes.  A warp that misses a group leaves the
 * tile; add_dense_groups() then adds the missing ones between barriers.  Entries
 * are claimed by atomicCAS() in shared memory, by one lane of the block each.
 */
#ifndef GPUDB_CUDA_DENSE_GROUPS_CUH
#define GPUDB_CUDA_DENSE_GROUPS_CUH

#include "block/fast_groups.cuh"

/* Entry without a group. Its lower half is a place within bounds, which lanes that are not selected may read. */
#define DENSE_MISSING ((uint32_t) UINT16_MAX << 16)
/* Entry whose group a thread is adding. */
#define DENSE_CLAIMED (DENSE_MISSING - 0x10000)

static __device__ __forceinline__ uint32_t *
dense_table(const VmLaunch &launch, uint32_t lanes)
{
	return (uint32_t *) (shared_memory + fast_dense_at(&launch.shape, lanes));
}

/* Return the entry that is `bytes` bytes behind the table's beginning. */
static __device__ __forceinline__ uint32_t *
dense_entry(uint32_t *table, uint32_t bytes)
{
	return (uint32_t *) ((uint8_t *) table + bytes);
}

/* Keys of a thread's lanes, read again from their columns; none is NULL. */
template <int L> struct DenseLanes : GroupLanes<DenseLanes<L>>
{
	uint32_t	first;			/* first row of the tile */

	__device__ const FastColumn *column(uint32_t j) const { return fast_column(slot_of(fetch(this->launch, this->pc + 1 + j))); }
	__device__ uint32_t code(int k, uint32_t j) const
	{
		return ((const uint8_t *) column(j)->values)[first + row_of_lane<L>((uint32_t) k)];
	}
	__device__ uint64_t key_null(int, uint32_t) const { return 0; }
	__device__ uint64_t key_word(int k, uint32_t j) const
	{
		return column(j)->base + ((uint64_t) code(k, j) << column(j)->shift);
	}
	__device__ uint32_t index(int k) const
	{
		uint32_t	index = fast_shared()->code_bias;

		for (uint32_t j = 0; j < this->nkeys; j++)
			index += code(k, j) * column(j)->code_factor;
		return index & (DENSE_SLOTS - 1);
	}
};

/* Empty the table of dense indexes, for the tablet of the next slice; called by all threads. */
static __device__ inline void
clear_codes(const VmLaunch &launch, uint32_t lanes)
{
	for (uint32_t i = threadIdx.x; i < DENSE_SLOTS; i += VM_THREADS)
		dense_table(launch, lanes)[i] = DENSE_MISSING;
}

/*
 * Compute the offset in bytes of each lane's entry in the table of dense indexes; it is within the
 * table whatever is stored for rows that do not count.
 */
template <int L> static __device__ __forceinline__ void
code_entries(const VmLaunch &launch, uint32_t selection, uint32_t pc, uint32_t first, uint32_t *entry)
{
	EACH_LANE entry[k] = fast_shared()->code_bias;
	for (uint32_t j = 0; j < launch.shape.key_words - 1; j++)
	{
		const FastColumn *column = fast_column(slot_of(fetch(launch, pc + 1 + j)));
		const StoredLanes<L, uint8_t> stored(column->values, first, selection);
		const uint32_t factor = column->code_factor;

		EACH_LANE entry[k] += (uint32_t) stored.lane(k) * factor;
	}
	EACH_LANE entry[k] = (entry[k] & (DENSE_SLOTS - 1)) * 4;
}

/*
 * Compute the offsets of code_entries() for an index of 8 bits: the indexes of four rows are
 * computed in one word, each in its byte. What is stored for a row that does not exist may overflow
 * into the bytes above its own, but they belong to rows behind it, which do not exist either.
 */
template <int L> static __device__ __forceinline__ void
short_code_entries(const VmLaunch &launch, uint32_t selection, uint32_t pc, uint32_t first, uint32_t *entry)
{
	StoredLanes<L, uint8_t> index(fast_shared()->code_bias * 0x01010101u);

	for (uint32_t j = 0; j < launch.shape.key_words - 1; j++)
	{
		const FastColumn *column = fast_column(slot_of(fetch(launch, pc + 1 + j)));
		const StoredLanes<L, uint8_t> stored(column->values, first, selection);
		const uint32_t factor = column->code_factor;

		_Pragma("unroll") for (int w = 0; w < index.ALL; w++) index.word[w] += stored.word[w] * factor;
	}
	EACH_LANE entry[k] = index.scaled(k);
}

/*
 * Find the group of each selected lane by its dense index, and store its place; return true if a
 * lane of the warp misses its group.
 */
template <int L> static __device__ __forceinline__ bool
find_dense_groups(const VmLaunch &launch, uint32_t selection, uint32_t pc, uint32_t first)
{
	uint32_t   *table = dense_table(launch, L);
	uint32_t	found[L];
	uint32_t	all = 0;
	uint32_t	missing = 0;

	if (fast_shared()->short_codes)
		short_code_entries<L>(launch, selection, pc, first, found);
	else
		code_entries<L>(launch, selection, pc, first, found);
	EACH_LANE found[k] = *dense_entry(table, found[k]);
	EACH_PAIR ((uint32_t *) group_places<L>(launch))[p] = __byte_perm(found[2 * p], found[2 * p + 1], 0x5410);
	EACH_LANE all |= found[k];
	/* rare, and perhaps of lanes that are not selected */
	if (all > UINT16_MAX)
		EACH_LANE missing |= (found[k] == DENSE_MISSING ? 1u : 0u) << k;
	return __any_sync(~0u, (missing & selection) != 0);
}

/* Add the groups of the `pending` lanes, and store the places of those that have room; called by all threads. */
template <int L> static __device__ __noinline__ void
add_dense_groups(const VmLaunch &launch, uint32_t pending, uint32_t pc, uint32_t first)
{
	BlockGroups *groups = &fast_shared()->groups;
	const DenseLanes<L> lanes = {{launch, pc, launch.shape.key_words - 1}, first};
	uint32_t   *table = dense_table(launch, L);
	uint32_t	entry[L];

	/* one lane of the block adds the group of an index */
	code_entries<L>(launch, pending, pc, first, entry);
	EACH_LANE
		if ((pending >> k & 1u) && atomicCAS(dense_entry(table, entry[k]), DENSE_MISSING, DENSE_CLAIMED) != DENSE_MISSING)
			pending &= ~(1u << k);
	if (block_insert(groups, &launch.shape, lanes, pending))
	{
		/* the places of all groups have changed */
		block_groups_renew(&launch, groups);
		clear_codes(launch, L);
		__syncthreads();
	}
	for (; pending != 0; pending &= pending - 1)
	{
		const int	k = __ffs((int) pending) - 1;
		const uint32_t group = block_find(groups, &launch.shape, lanes, k, lanes.slot_hash(k));

		table[lanes.index(k)] = group == GROUP_MISSING ? DENSE_MISSING : group * groups->stride * 8;
	}
	__syncthreads();
}

#endif							/* GPUDB_CUDA_DENSE_GROUPS_CUH */

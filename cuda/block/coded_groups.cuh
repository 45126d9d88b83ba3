/*
 * coded_groups.cuh
 *		Groups by the codes that their key columns have in a tablet.
 *
 * A key column in frames of 8 bits has few values.  The codes of all keys, less
 * the least ones that the tablet has, side by side are an index into a table in shared memory, which says where the
 * group's states are: no key is decoded, hashed or compared, and none needs a
 * slot.  The table is filled as groups are met, and anew for each tablet, whose
 * frames may differ.
 */
#ifndef GPUDB_CUDA_CODED_GROUPS_CUH
#define GPUDB_CUDA_CODED_GROUPS_CUH

#include "block/fast_groups.cuh"

/* No place, and yet one within bounds in its lower half: lanes that are not selected may have it. */
#define CODE_MISSING ((uint32_t) UINT16_MAX << 16)
/* Somebody is adding the group. */
#define CODE_CLAIMED (CODE_MISSING - 0x10000)

static __device__ __forceinline__ uint32_t *
code_table(const VmLaunch &launch, uint32_t lanes)
{
	return (uint32_t *) (shared_memory + fast_codes_at(&launch.shape, lanes));
}

/* An entry so many bytes from the table's beginning. */
static __device__ __forceinline__ uint32_t *
code_entry(uint32_t *table, uint32_t bytes)
{
	return (uint32_t *) ((uint8_t *) table + bytes);
}

/* Keys, none of them NULL, read again from their columns. */
template <int L> struct CodeLanes : GroupLanes<CodeLanes<L>>
{
	uint32_t	first;			/* row of the tile */

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
		return index & (CODE_SLOTS - 1);
	}
};

/* By all threads: the table is empty, for the slice's tablet. */
static __device__ inline void
clear_codes(const VmLaunch &launch, uint32_t lanes)
{
	for (uint32_t i = threadIdx.x; i < CODE_SLOTS; i += VM_THREADS)
		code_table(launch, lanes)[i] = CODE_MISSING;
}

/* Where each lane's entry is in the code table, in bytes, within it whatever code a row has that does not count. */
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
	EACH_LANE entry[k] = (entry[k] & (CODE_SLOTS - 1)) * 4;
}

/*
 * The same where an index has 8 bits: those of four rows are computed in one
 * word, each in its byte.  What a row that does not exist has for a code may
 * reach into the bytes above its own, which are of rows behind it: they do
 * not exist either.
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

/* Find the group of each selected lane; true when one of the warp's is missing. */
template <int L> static __device__ __forceinline__ bool
find_coded_groups(const VmLaunch &launch, uint32_t selection, uint32_t pc, uint32_t first)
{
	uint32_t   *table = code_table(launch, L);
	uint32_t	found[L];
	uint32_t	all = 0;
	uint32_t	missing = 0;

	if (fast_shared()->short_codes)
		short_code_entries<L>(launch, selection, pc, first, found);
	else
		code_entries<L>(launch, selection, pc, first, found);
	EACH_LANE found[k] = *code_entry(table, found[k]);
	EACH_PAIR ((uint32_t *) group_places<L>(launch))[p] = __byte_perm(found[2 * p], found[2 * p + 1], 0x5410);
	EACH_LANE all |= found[k];
	/* seldom, and then perhaps of lanes that are not selected */
	if (all > UINT16_MAX)
		EACH_LANE missing |= (found[k] == CODE_MISSING ? 1u : 0u) << k;
	return __any_sync(~0u, (missing & selection) != 0);
}

/* By all threads: add the groups of these lanes, and tell where the groups are that there is room for. */
template <int L> static __device__ __noinline__ void
add_coded_groups(const VmLaunch &launch, uint32_t pending, uint32_t pc, uint32_t first)
{
	BlockGroups *groups = &fast_shared()->groups;
	const CodeLanes<L> lanes = {{launch, pc, launch.shape.key_words - 1}, first};
	uint32_t   *table = code_table(launch, L);
	uint32_t	entry[L];

	/* one lane of the block's adds the group of a code */
	code_entries<L>(launch, pending, pc, first, entry);
	EACH_LANE
		if ((pending >> k & 1u) && atomicCAS(code_entry(table, entry[k]), CODE_MISSING, CODE_CLAIMED) != CODE_MISSING)
			pending &= ~(1u << k);
	if (block_insert(groups, &launch.shape, lanes, pending))
	{
		/* all groups are elsewhere from now on */
		block_groups_renew(&launch, groups);
		clear_codes(launch, L);
		__syncthreads();
	}
	for (; pending != 0; pending &= pending - 1)
	{
		const int	k = __ffs((int) pending) - 1;
		const uint32_t group = block_find(groups, &launch.shape, lanes, k, lanes.slot_hash(k));

		table[lanes.index(k)] = group == GROUP_MISSING ? CODE_MISSING : group * groups->stride * 8;
	}
	__syncthreads();
}

#endif							/* GPUDB_CUDA_CODED_GROUPS_CUH */

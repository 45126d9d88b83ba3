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

static __device__ __forceinline__ uint32_t *
code_table(const VmLaunch &launch, uint32_t lanes)
{
	return (uint32_t *) (shared_memory + fast_codes_at(&launch.shape, lanes));
}

/* The lanes' keys, for block_insert(); read again from their columns. */
template <int L> struct CodeLanes
{
	const VmLaunch &launch;
	uint32_t	pc;				/* of GROUP_CODES; the KEYs are behind it */
	uint32_t	nkeys;
	uint32_t	first;			/* row of the tile */

	__device__ uint32_t code(int k, const FastColumn *column) const
	{
		return ((const uint8_t *) column->values)[first + 2 * (k / 2 * VM_THREADS + threadIdx.x) + k % 2];
	}
	__device__ uint64_t word(int k, uint32_t j) const
	{
		const FastColumn *column = fast_column(slot_of(fetch(launch, pc + 1 + j)));

		return column->base + ((uint64_t) code(k, column) << column->shift);
	}
	__device__ uint32_t index(int k) const
	{
		uint32_t	index = fast_shared()->code_bias;

		for (uint32_t j = 0; j < nkeys; j++)
		{
			const FastColumn *column = fast_column(slot_of(fetch(launch, pc + 1 + j)));

			index += code(k, column) << column->code_at;
		}
		return index & (CODE_SLOTS - 1);
	}
	/* word w of the key in a group's row: which are NULL, none, then the values */
	__device__ uint64_t key(int k, uint32_t w) const { return w > 0 ? word(k, w - 1) : 0; }
	__device__ void write(int k, uint64_t *into) const
	{
		for (uint32_t w = 0; w <= nkeys; w++)
			into[w] = key(k, w);
	}
	__device__ bool equals(int k, const uint64_t *stored) const
	{
		for (uint32_t w = 0; w <= nkeys; w++)
			if (stored[w] != key(k, w))
				return false;
		return true;
	}
	__device__ uint32_t slot_hash(int k) const
	{
		uint32_t	hash = 0;

		for (uint32_t j = 0; j < nkeys; j++)
			hash = slot_mix(hash, word(k, j));
		return hash;
	}
	/* as the KEY instructions make it */
	__device__ uint64_t row_hash(int k) const
	{
		uint64_t	hash = (uint64_t) imm_of(launch, fetch(launch, pc));

		for (uint32_t j = 0; j < nkeys; j++)
			hash = hash_combine(hash, word(k, j));
		return hash;
	}
};

/* By all threads: the table is empty, for the slice's tablet. */
static __device__ inline void
clear_codes(const VmLaunch &launch, uint32_t lanes)
{
	for (uint32_t i = threadIdx.x; i < CODE_SLOTS; i += VM_THREADS)
		code_table(launch, lanes)[i] = CODE_MISSING;
}

/* Find the group of each selected lane; true when one of the warp's is missing. */
template <int L> static __device__ __forceinline__ bool
find_coded_groups(const VmLaunch &launch, uint32_t selection, uint32_t pc, uint32_t first)
{
	const uint32_t *table = code_table(launch, L);
	uint32_t	index[L];
	uint32_t	missing = 0;

	EACH_LANE index[k] = fast_shared()->code_bias;

	for (uint32_t j = 0; j < launch.shape.key_words - 1; j++)
	{
		const FastColumn *column = fast_column(slot_of(fetch(launch, pc + 1 + j)));
		const uint8_t *at = here((const uint8_t *) column->values + first + 2 * thread_here());
		const uint32_t code_at = column->code_at;

		EACH_PAIR
			if (selection >> (2 * p) & 3u)
			{
				const StoredPair<uint8_t> pair = stored_pair(at + p * 2 * VM_THREADS);

				index[2 * p] += (uint32_t) pair.x << code_at;
				index[2 * p + 1] += (uint32_t) pair.y << code_at;
			}
	}
	/* rows that are not selected may have any code */
	EACH_LANE index[k] = table[index[k] & (CODE_SLOTS - 1)];
	EACH_LANE missing |= (index[k] == CODE_MISSING ? 1u : 0u) << k;
	EACH_PAIR ((uint32_t *) group_places<L>(launch))[p] = (index[2 * p] & 0xffffu) | index[2 * p + 1] << 16;
	return __any_sync(~0u, (missing & selection) != 0);
}

/* By all threads: add the groups of these lanes, and tell where the groups are that there is room for. */
template <int L> static __device__ __noinline__ void
add_coded_groups(const VmLaunch &launch, uint32_t pending, uint32_t pc, uint32_t first)
{
	BlockGroups *groups = &fast_shared()->groups;
	const CodeLanes<L> lanes = {launch, pc, launch.shape.key_words - 1, first};

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

		/* who else has the same code says the same */
		if (group != GROUP_MISSING)
			atomicExch(&code_table(launch, L)[lanes.index(k)], group * groups->stride);
	}
	__syncthreads();
}

#endif							/* GPUDB_CUDA_CODED_GROUPS_CUH */

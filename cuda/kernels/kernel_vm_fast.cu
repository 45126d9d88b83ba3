/*
 * kernel_vm_fast.cu
 *		The kernel of the accumulator machine, for 2, 4 and 8 lanes a thread.
 *
 * Blocks go over slices of a launch (block/slices.cuh), and the warps of a block
 * go through a tile independently.  Warps that miss a group wait for the end of
 * the tile, where all threads together add what is missing between barriers;
 * these warps then run the tile again: a round.  In the end each block appends
 * its groups to the launch's rows.  Slots and the group table are in shared
 * memory (block/fast_memory.cuh), accumulators in hardware registers.
 */
#include <cuda_runtime.h>

#include "kernels/kernel_vm_fast.cuh"
#include "kernels/vm_kernels.h"

/* Maximum rounds of a tile; one whose groups do not fit an empty table by then is left to another launch. */
#define MAX_ROUNDS (8 + VM_THREADS / 32)

/*
 * Add the groups that a tile misses; called by all threads. Return false if the table was full, and
 * its groups had no room among the launch's rows.
 */
template <int L, bool DENSE> static __device__ __noinline__ bool
add_groups(const VmLaunch &launch, uint32_t pending, uint32_t first, int round)
{
	BlockGroups *groups = &fast_shared()->groups;
	const uint32_t pc = pc_of_group(&launch);

	if (!block_turn(groups, __any_sync(~0u, pending != 0), round))
		pending = 0;
	if (DENSE)
		add_dense_groups<L>(launch, pending, pc, first);
	else if (block_insert(groups, &launch.shape, KeyLanes<L>{{launch, pc, launch.shape.key_words - 1}}, pending))
		return block_groups_renew(&launch, groups);
	return true;
}

/* Copy slots of words, then those of bools, to launch.values and launch.flags in the order of rows; for tests. */
template <int L> static __device__ __noinline__ void
show_slots(const VmLaunch &launch)
{
	const VmCode &code = launch.shape.code;
	const uint32_t tile = L * VM_THREADS;

	for (uint32_t s = 0; s < (uint32_t) code.slots + code.bool_slots; s++)
		for (uint32_t k = 0; k < L; k++)
		{
			uint32_t	to = s * tile + row_of_lane<L>(k);

			if (s < code.slots)
			{
				launch.values[to] = ((const uint64_t *) (slot_words<L>(s) + k / 2 * VM_THREADS))[k % 2];
				launch.flags[to] = *slot_nulls<L>(launch, s) >> k & 1u;
			}
			else
			{
				const uint8_t *bools = bool_slot<L>(launch, s - code.slots);

				launch.flags[to] = (uint8_t) ((bools[VM_THREADS] >> k & 1u) | (bools[0] >> k & 1u) << 1);
			}
		}
}

template <int L, bool DENSE, bool JOINS> __global__ void __launch_bounds__(VM_THREADS, DENSE ? VM_DENSE_BLOCKS(L) : JOINS ? VM_JOINS_BLOCKS(L) : VM_FAST_BLOCKS(L))
vm_fast_kernel(const __grid_constant__ VmLaunch launch)
{
	const uint32_t tile = L * VM_THREADS;
	BlockGroups *groups = &fast_shared()->groups;
	BlockSlice *slice = &fast_shared()->slice;
	LineAhead	ahead;			/* the cache line that this thread prefetches */

	fast_prepare(&launch, L);
	const bool	like = !JOINS || fast_prepare_joins(&launch);
	while (block_next_slice(&launch, tile, slice))
	{
		if (DENSE)
			clear_codes(launch, L);
		if (!fast_columns(&launch, L) || !like)
		{
			if (threadIdx.x == 0)
				groups->status = STATUS_BAD_PROGRAM;
			break;
		}
		ahead = L == 8 ? line_ahead(launch, tile, threadIdx.x) : LineAhead{NULL, 0};
		for (uint32_t first = slice->first; first < slice->end; first += slice->step)
		{
			uint32_t	n = min(slice->end - first, tile);
			uint32_t	pending = ~0u;	/* lanes of a warp that has not completed the tile */

			if (first + slice->step + tile <= slice->end)
				fetch_ahead<L>(launch, ahead, first + slice->step);
			for (int round = 0;; round++)
			{
				if (__any_sync(~0u, pending != 0))
					pending = fast_run_tile<L, DENSE, JOINS>(launch, first, n);
				if (!launch.shape.grouped || !__syncthreads_or(pending != 0))
					break;
				if (round == MAX_ROUNDS - 1 || !add_groups<L, DENSE>(launch, pending, first, round))
				{
					block_give_up(groups, slice);
					break;
				}
			}
		}
	}
	__syncthreads();
	if (launch.values != NULL)
		show_slots<L>(launch);
	if (launch.shape.aggregates)
		block_groups_flush(&launch, groups);
	__syncthreads();
	if (threadIdx.x == 0 && groups->status != STATUS_DONE)
		atomicCAS(&launch.result->status, (uint32_t) STATUS_DONE, groups->status);
}

template <bool DENSE, bool JOINS> static VmKernel
kernel_of_lanes(uint32_t lanes)
{
	return lanes == 8 ? vm_fast_kernel<8, DENSE, JOINS> : lanes == 4 ? vm_fast_kernel<4, DENSE, JOINS> : vm_fast_kernel<2, DENSE, JOINS>;
}

VmKernel
vm_fast_kernel_of(uint32_t lanes, FastKind kind)
{
	return kind == FAST_JOINS ? kernel_of_lanes<false, true>(lanes) : kind == FAST_DENSE ? kernel_of_lanes<true, false>(lanes)
		: kernel_of_lanes<false, false>(lanes);
}

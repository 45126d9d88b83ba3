/*
 * kernel_vm_general.cuh
 *		The interpreter of core/vm/interp.h as a kernel: a template header over
 *		VM_LANES, lanes a thread.
 *
 * The includer defines VM_LANES and VM_KERNEL, the kernel's name.  Blocks go over
 * slices of a launch (block/slices.cuh).  The warps of a block run the program
 * over a tile independently; registers, group table and program are in shared
 * memory.  A warp that misses a group ends its tile before any total is touched.
 * Between barriers all threads then add the missing groups, and the warp runs
 * the tile again: a round.
 */
#include "block/lanes.cuh"
#include "block/parts.cuh"
#include "block/joins.cuh"
#include "core/vm/interp.h"

/* Maximum rounds of a tile; one whose groups do not fit an empty table by then is left to another launch. */
#define MAX_ROUNDS (8 + VM_THREADS / 32)

__global__ void __launch_bounds__(VM_THREADS, VM_BLOCKS)
VM_KERNEL(const __grid_constant__ VmLaunch launch)
{
	BlockGroups *groups = block_groups();
	BlockSlice *slice = &((BlockShared *) shared_memory)->slice;
	const Program *program = block_prepare(&launch, VM_TILE);
	VmRun		run = {};
	const uint32_t pc = program->body[launch.shape.body].tile_start;

	run.program = program;
	run.body = (int) launch.shape.body;
	run.out = launch.passed;
	run.tables = launch.tables;
	run.materialized = launch.materialized;
	while (block_next_slice(&launch, VM_TILE, slice))
	{
		run.tablet = slice->tablet;
		run.selected = (const uint64_t *) slice->selected;
		for (uint32_t first = slice->first; first < slice->end; first += slice->step)
		{
			uint32_t	n = min(slice->end - first, (uint32_t) VM_TILE);
			bool		pending = true;

			if (!program->aggregates)
				vm_clear_bits(&run, first, n);
			for (int round = 0;; round++)
			{
				VmCursor	before[PROGRAM_MAX_LOOPS];

				if (launch.shape.loops)
					memcpy(before, run.cursor, sizeof(before));
				if (pending)
					pending = vm_run_tile(&run, pc, first, n) == STATUS_TABLE_FULL;
				if (!program->grouped || !__syncthreads_or(pending))
					break;
				/* a round must advance some warp: with loops, from some pairs to the next ones */
				if (launch.shape.loops && __syncthreads_or(pending && vm_moved(&run, before)))
					round = 0;
				if (round == MAX_ROUNDS - 1 ||
					(vm_add_groups(&run, &launch.shape, block_turn(groups, pending, round)) && !block_groups_renew(&launch, groups)))
				{
					block_give_up(groups, slice);
					break;
				}
			}
		}
	}
	if (launch.values != NULL)
		for (uint32_t r = 0; r < launch.shape.registers; r++)
			LANES
			{
				launch.values[r * VM_TILE + i] = VM_VALUES[r * VM_STRIDE + i];
				launch.flags[r * VM_TILE + i] = (uint8_t) (BIT(VM_FLAGS[r * VM_NULLS + THREAD]) |
														   BIT(VM_MASK(r)[THREAD]) << 1);
			}
	__syncthreads();
	if (program->aggregates)
		block_groups_flush(&launch, groups);
	__syncthreads();
	if (THREAD == 0 && groups->status != STATUS_DONE)
		atomicCAS(&launch.result->status, (uint32_t) STATUS_DONE, groups->status);
}

#undef MAX_ROUNDS
#undef VM_LANES
#undef VM_KERNEL
#include "block/lanes_end.cuh"

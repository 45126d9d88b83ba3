/*
 * slices.cuh
 *		The rows of a launch that a block goes over.
 *
 * Blocks take the tiles of one tablet in turn.  Of many tablets each block
 * takes neighbouring tiles, so that it seldom goes from one tablet to another: a
 * slice is a block's share of one tablet.
 */
#ifndef GPUDB_CUDA_SLICES_CUH
#define GPUDB_CUDA_SLICES_CUH

#include "kernels/vm_launch.h"

typedef struct BlockSlice
{
	const Tablet *tablet;
	const uint32_t *selected;	/* bitmap of the rows that count; NULL = all */
	uint32_t	first;			/* first row */
	uint32_t	end;
	uint32_t	step;			/* rows from one tile to the block's next one */
	uint32_t	part;			/* number of the launch's part */
	uint32_t	reached;		/* the first of the launch's tiles that the block has not yet taken */
	bool		more;			/* false when the block has no more slices */
} BlockSlice;

/* The part of a block that has not begun. */
#define NO_PART UINT32_MAX

/* Return the part that contains a tile of the launch. */
static __device__ inline uint32_t
part_of_tile(const VmLaunch *launch, uint32_t tile)
{
	uint32_t	low = 0;
	uint32_t	high = launch->nparts;

	while (high - low > 1)
	{
		const uint32_t middle = (low + high) / 2;

		if (launch->part[middle].first_tile <= tile)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* Set the slice to the tiles of a part from tile `reached` of the launch on, and before tile `end`. */
static __device__ inline void
slice_of_part(const VmPart *part, uint32_t tile_rows, uint32_t end, BlockSlice *slice)
{
	const uint32_t last = part->first_tile + (part->tablet_rows + tile_rows - 1) / tile_rows;

	end = min(end, last);
	slice->tablet = part->tablet;
	slice->selected = (const uint32_t *) part->selected;
	slice->first = (slice->reached - part->first_tile) * tile_rows;
	slice->end = min((end - part->first_tile) * tile_rows, part->tablet_rows);
	slice->step = tile_rows;
	slice->reached = end;
}

/* Go to the block's first or next slice; called by one thread. */
static __device__ inline void
move_on(const VmLaunch *launch, uint32_t tile_rows, BlockSlice *slice)
{
	const bool	begin = slice->part == NO_PART;
	const uint32_t end = (uint32_t) ((uint64_t) launch->ntiles * (blockIdx.x + 1) / gridDim.x);

	if (launch->nparts == 0)
	{
		*slice = {launch->tablet, NULL, blockIdx.x * tile_rows, launch->end_row, gridDim.x * tile_rows, 0, 0, begin};
		return;
	}
	if (begin)
	{
		slice->reached = (uint32_t) ((uint64_t) launch->ntiles * blockIdx.x / gridDim.x);
		slice->part = part_of_tile(launch, slice->reached);
	}
	else
		slice->part++;
	slice->more = slice->reached < end;
	if (slice->more)
		slice_of_part(&launch->part[slice->part], tile_rows, end, slice);
}

/* End the slice, and make it the block's last one; called by one thread. */
static __device__ inline void
slice_end(BlockSlice *slice)
{
	slice->end = 0;
	slice->reached = UINT32_MAX;
}

/* Go to the block's first slice, or to the next one; called by all threads. Return false if there are no more. */
static __device__ __noinline__ bool
block_next_slice(const VmLaunch *launch, uint32_t tile_rows, BlockSlice *slice)
{
	/* other threads may still use the last slice */
	__syncthreads();
	if (threadIdx.x == 0)
		move_on(launch, tile_rows, slice);
	__syncthreads();
	return slice->more;
}

/* Return the sum of the n of this thread and of those before it in its warp; called by all threads of the warp. */
static __device__ __forceinline__ uint32_t
warp_sum_up_to(uint32_t n)
{
	for (int step = 1; step < 32; step *= 2)
	{
		const uint32_t other = __shfl_up_sync(~0u, n, step);

		n += (threadIdx.x & 31) >= (uint32_t) step ? other : 0;
	}
	return n;
}

/*
 * Take n places from a counter, and return the first: one atomic addition serves the warp. Called
 * by all threads of a warp.
 */
static __device__ __forceinline__ uint32_t
warp_places(uint32_t *count, uint32_t n)
{
	const uint32_t thread = threadIdx.x & 31;
	const uint32_t sum = warp_sum_up_to(n);
	uint32_t	first = 0;

	if (thread == 31 && sum > 0)
		first = atomicAdd(count, sum);
	return __shfl_sync(~0u, first, 31) + sum - n;
}

#endif							/* GPUDB_CUDA_SLICES_CUH */

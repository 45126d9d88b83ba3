/*
 * slices.cuh
 *		Which rows of a launch a block goes over.
 *
 * Of one tablet blocks take the tiles in turn.  Of many each takes neighbouring
 * ones, so that it seldom goes from one tablet to another: a slice is what it
 * has of one.
 */
#ifndef GPUDB_CUDA_SLICES_CUH
#define GPUDB_CUDA_SLICES_CUH

#include "vm_launch.h"

typedef struct BlockSlice
{
	const Tablet *tablet;
	const uint32_t *selected;	/* a bitmap of its rows that count; NULL = all */
	uint32_t	first;			/* row */
	uint32_t	end;
	uint32_t	step;			/* from one tile to the block's next one */
	uint32_t	part;			/* of the launch */
	uint32_t	reached;		/* tiles of the launch before what the block has left */
	bool		more;			/* there is a slice */
} BlockSlice;

/* Of a block that has not begun. */
#define NO_PART UINT32_MAX

/* The part that has a tile of the launch. */
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

/* What the block has of a part from tile `reached` of the launch on, up to tile `end`. */
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

/* The block's first slice, or the next one; by one thread. */
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

/* Have the block be through with this slice, and have it be the last one; by one thread. */
static __device__ inline void
slice_end(BlockSlice *slice)
{
	slice->end = 0;
	slice->reached = UINT32_MAX;
}

/*
 * Go to the block's first slice, if that is none yet, or to the next one; by
 * all threads.  False when there are no more.
 */
static __device__ __noinline__ bool
block_next_slice(const VmLaunch *launch, uint32_t tile_rows, BlockSlice *slice)
{
	/* some may still be at the last one */
	__syncthreads();
	if (threadIdx.x == 0)
		move_on(launch, tile_rows, slice);
	__syncthreads();
	return slice->more;
}

/* The sum of the n of this thread and of those before it in its warp; all threads of the warp call it. */
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

/* Of places that are given in turn, the first of the n that a thread takes; by all threads of a warp. */
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

/*
 * kernel_top.cu
 *		The groups of a table that can be among the first n of an order.
 *
 * best_kernel: blocks go over disjoint groups, and each finds its best one, by a
 * reduction in shared memory.  These are different groups: the n-th best of them
 * comes no earlier than the n-th best of all, and is a bound.  With many more
 * blocks than n, hardly more than n groups come no later.
 *
 * collect_kernel: a thread a group; those that come no later than the bound are
 * copied to places that an atomic addition gives.
 */
#include <cuda_runtime.h>

#include "kernels/top_launch.h"

static __device__ __forceinline__ const uint64_t *
row_of(const TopLaunch &launch, uint32_t group)
{
	return launch.rows + (size_t) group * launch.row_words;
}

static __device__ __forceinline__ bool
comes_before(const TopLaunch &launch, uint32_t group, const GroupOrder &place)
{
	return group_row_compare(&launch.top, row_of(launch, group), &place) < 0;
}

static __global__ void
best_kernel(const __grid_constant__ TopLaunch launch, GroupOrder *best)
{
	__shared__ uint32_t room[TOP_THREADS];
	/* each thread has a group: top_parts() makes no more blocks than that */
	uint32_t	own = blockIdx.x * TOP_THREADS + threadIdx.x;
	GroupOrder	place = group_order(&launch.top, row_of(launch, own));

	for (uint32_t g = own + gridDim.x * TOP_THREADS; g < launch.ngroups; g += gridDim.x * TOP_THREADS)
		if (comes_before(launch, g, place))
		{
			own = g;
			place = group_order(&launch.top, row_of(launch, own));
		}
	room[threadIdx.x] = own;
	for (uint32_t half = TOP_THREADS / 2; half > 0; half /= 2)
	{
		__syncthreads();
		if (threadIdx.x < half && comes_before(launch, room[threadIdx.x + half], place))
		{
			room[threadIdx.x] = room[threadIdx.x + half];
			place = group_order(&launch.top, row_of(launch, room[threadIdx.x]));
		}
	}
	if (threadIdx.x == 0)
		best[blockIdx.x] = place;
}

static __global__ void
collect_kernel(const __grid_constant__ TopLaunch launch)
{
	for (uint32_t g = blockIdx.x * TOP_THREADS + threadIdx.x; g < launch.ngroups; g += gridDim.x * TOP_THREADS)
	{
		const uint64_t *row = row_of(launch, g);
		uint32_t	at;

		if (group_row_compare(&launch.top, row, &launch.bound) > 0)
			continue;
		at = atomicAdd(launch.nfound, 1u);
		if (at >= launch.most)
			continue;
		launch.found_hashes[at] = launch.hashes[g];
		for (uint32_t w = 0; w < launch.row_words; w++)
			launch.found_rows[(size_t) at * launch.row_words + w] = row[w];
	}
}

int
top_best(const TopLaunch *launch, GroupOrder *best, void *stream)
{
	best_kernel<<<top_parts(launch->ngroups), TOP_THREADS, 0, (cudaStream_t) stream>>>(*launch, best);
	return cudaGetLastError();
}

int
top_collect(const TopLaunch *launch, void *stream)
{
	collect_kernel<<<top_parts(launch->ngroups), TOP_THREADS, 0, (cudaStream_t) stream>>>(*launch);
	return cudaGetLastError();
}

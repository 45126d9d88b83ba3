/*
 * kernel_top.cu
 *		The groups of a table that can be among the first n of an order.
 *
 * Blocks go over groups of their own, and each finds its best one.  So many
 * groups are different ones: the n-th best of them comes no earlier than the
 * n-th best of all, and is a bound.  With many more blocks than n hardly more than n come
 * no later.
 */
#include <cuda_runtime.h>

#include "top_launch.h"

static __device__ __forceinline__ Wide
order_of(const TopLaunch &launch, uint32_t group)
{
	return group_order(&launch.top, launch.rows + (size_t) group * launch.row_words);
}

static __global__ void
best_kernel(const __grid_constant__ TopLaunch launch, Wide *best)
{
	__shared__ Wide room[TOP_THREADS];
	Wide		own = WIDE_MAX;

	for (uint32_t g = blockIdx.x * TOP_THREADS + threadIdx.x; g < launch.ngroups; g += gridDim.x * TOP_THREADS)
	{
		const Wide	order = order_of(launch, g);

		own = order < own ? order : own;
	}
	room[threadIdx.x] = own;
	for (uint32_t half = TOP_THREADS / 2; half > 0; half /= 2)
	{
		__syncthreads();
		if (threadIdx.x < half && room[threadIdx.x + half] < room[threadIdx.x])
			room[threadIdx.x] = room[threadIdx.x + half];
	}
	if (threadIdx.x == 0)
		best[blockIdx.x] = room[0];
}

static __global__ void
collect_kernel(const __grid_constant__ TopLaunch launch)
{
	for (uint32_t g = blockIdx.x * TOP_THREADS + threadIdx.x; g < launch.ngroups; g += gridDim.x * TOP_THREADS)
	{
		const uint64_t *row = launch.rows + (size_t) g * launch.row_words;
		uint32_t	at;

		if (order_of(launch, g) > launch.bound)
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
top_best(const TopLaunch *launch, Wide *best, void *stream)
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

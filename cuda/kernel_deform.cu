/*
 * kernel_deform.cu
 *		Heap pages to columns on a GPU: a warp a page, a lane a tuple.
 *
 * A warp copies its page from host memory into shared memory in 16-byte
 * pieces, all of which are in flight at once, and then its lanes deform tuple
 * by tuple with core/deform.h: page bytes are as hostile here as there.  Rows
 * stand in heap order, since every page's first row is known before.
 */
#include <cuda_runtime.h>

#include "core/deform.h"
#include "cuda_call.h"
#include "deform_launch.h"
#include "tuning.cuh"

#define WARP 32
#define PAGE_PIECES (HEAP_PAGE_SIZE / 16)

/* The i-th block clears the bitmap of column i. */
static __global__ void
clear_kernel(Tablet *tablet)
{
	uint64_t   *bits = (uint64_t *) tablet_at(tablet, tablet->column[blockIdx.x].nulls);
	uint32_t	words = (uint32_t) (tablet_bitmap_bytes(tablet->nrows) / 8);

	for (uint32_t i = threadIdx.x; i < words; i += blockDim.x)
		bits[i] = 0;
}

static __device__ __forceinline__ void
copy_page(uint4 *to, const uint4 *from, uint32_t lane)
{
	uint4		piece[PAGE_PIECES / WARP];

#pragma unroll
	for (uint32_t i = 0; i < PAGE_PIECES / WARP; i++)
		piece[i] = from[i * WARP + lane];
#pragma unroll
	for (uint32_t i = 0; i < PAGE_PIECES / WARP; i++)
		to[i * WARP + lane] = piece[i];
}

static __global__ void __launch_bounds__(DEFORM_THREADS)
deform_kernel(const __grid_constant__ DeformLaunch launch)
{
	__shared__ uint4 pages[DEFORM_THREADS / WARP][PAGE_PIECES];
	const uint32_t lane = threadIdx.x % WARP;
	uint4	   *copy = pages[threadIdx.x / WARP];
	const uint8_t *page = (const uint8_t *) copy;
	uint32_t	p = blockIdx.x * (DEFORM_THREADS / WARP) + threadIdx.x / WARP;
	uint32_t	gravest = STATUS_DONE;
	uint32_t	n;

	if (p >= launch.npages)
		return;
	copy_page(copy, (const uint4 *) launch.page[p], lane);
	__syncwarp();
	n = launch.row_start[p + 1] - launch.row_start[p];
	for (uint32_t t = lane; t < n; t += WARP)
	{
		HeapTupleView view;
		uint32_t	status = STATUS_DAMAGED_PAGE;

		if (heap_tuple_view(page, launch.offsets[p][t], &view))
			status = deform_tuple(launch.plan, page, &view, launch.tablet, launch.row_start[p] + t);
		gravest = max(gravest, status);
	}
	for (uint32_t half = WARP / 2; half > 0; half /= 2)
		gravest = max(gravest, __shfl_xor_sync(~0u, gravest, half));
	if (lane == 0 && gravest != STATUS_DONE)
		atomicMax(launch.status, gravest);
}

/* The least and the greatest over a block, in thread 0. */
static __device__ void
reduce_range(Wide *low, Wide *high)
{
	__shared__ uint64_t lows[ZONE_THREADS][2];
	__shared__ uint64_t highs[ZONE_THREADS][2];

	wide_store(lows[threadIdx.x], *low);
	wide_store(highs[threadIdx.x], *high);
	__syncthreads();
	for (uint32_t half = ZONE_THREADS / 2; half > 0; half /= 2)
	{
		if (threadIdx.x < half)
		{
			Wide		other_low = wide_load(lows[threadIdx.x + half]);
			Wide		other_high = wide_load(highs[threadIdx.x + half]);

			*low = other_low < *low ? other_low : *low;
			*high = other_high > *high ? other_high : *high;
			wide_store(lows[threadIdx.x], *low);
			wide_store(highs[threadIdx.x], *high);
		}
		__syncthreads();
	}
}

/* The range of a thread's share of a column. */
template <typename T> static __device__ void
range_of(const T *values, uint32_t n, Wide *low, Wide *high)
{
	T			lo = values[0];
	T			hi = lo;

	for (uint32_t i = threadIdx.x; i < n; i += ZONE_THREADS)
	{
		T			v = values[i];

		lo = v < lo ? v : lo;
		hi = v > hi ? v : hi;
	}
	*low = lo;
	*high = hi;
}

/* 128-bit values, of which no single load is made. */
static __device__ void
range_of_wide(const uint64_t *words, uint32_t n, Wide *low, Wide *high)
{
	*low = *high = wide_load(words);
	for (uint32_t i = threadIdx.x; i < n; i += ZONE_THREADS)
	{
		Wide		v = wide_load(words + 2 * (uint64_t) i);

		*low = v < *low ? v : *low;
		*high = v > *high ? v : *high;
	}
}

/* The i-th block finds the range of column i, as deform_zone_map() does. */
static __global__ void __launch_bounds__(ZONE_THREADS)
zone_kernel(Tablet *tablet)
{
	TabletColumn *column = &tablet->column[blockIdx.x];
	const uint8_t *values = tablet_at(tablet, column->values);
	const uint32_t n = tablet->nrows;
	Wide		low = INT64_MIN;
	Wide		high = INT64_MAX;
	bool		ranged = true;

	switch ((ColType) column->type)
	{
		case COLTYPE_U8:
			range_of((const uint8_t *) values, n, &low, &high);
			break;
		case COLTYPE_U32:
			range_of((const uint32_t *) values, n, &low, &high);
			break;
		case COLTYPE_I16:
			range_of((const int16_t *) values, n, &low, &high);
			break;
		case COLTYPE_I32:
			range_of((const int32_t *) values, n, &low, &high);
			break;
		case COLTYPE_I64:
			range_of((const int64_t *) values, n, &low, &high);
			break;
		case COLTYPE_I128:
			range_of_wide((const uint64_t *) values, n, &low, &high);
			break;
		default:
			ranged = false;
			break;
	}
	if (ranged)
		reduce_range(&low, &high);
	if (threadIdx.x == 0)
	{
		wide_store(column->min, low);
		wide_store(column->max, high);
	}
}

int
deform_launch(const DeformLaunch *launch, uint32_t ncolumns, void *stream)
{
	const uint32_t warps = DEFORM_THREADS / WARP;
	cudaStream_t on = (cudaStream_t) stream;
	cudaError_t error = cudaSuccess;

	if (ncolumns > 0)
	{
		clear_kernel<<<ncolumns, CLEAR_THREADS, 0, on>>>(launch->tablet);
		error = CUDA_CALL(cudaGetLastError());
	}
	if (error == cudaSuccess)
	{
		deform_kernel<<<(launch->npages + warps - 1) / warps, DEFORM_THREADS, 0, on>>>(*launch);
		error = CUDA_CALL(cudaGetLastError());
	}
	if (error == cudaSuccess && ncolumns > 0)
	{
		zone_kernel<<<ncolumns, ZONE_THREADS, 0, on>>>(launch->tablet);
		error = CUDA_CALL(cudaGetLastError());
	}
	return error;
}

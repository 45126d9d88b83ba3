/*
 * kernel_deform.cu
 *		Heap pages to columns on a GPU: a warp a page, a lane a tuple.
 *
 * A warp copies its page from host memory into shared memory in 16-byte
 * pieces, all of which are in flight at once, and then its lanes deform tuple
 * by tuple with core/tablet/deform.h, which does not trust the page's bytes.  Rows
 * stand in heap order, since every page's first row is known before.  The gravest
 * status of all tuples is combined by an atomic maximum.
 *
 * A kernel before it clears the columns' NULL bitmaps, and one after it makes their
 * zone maps, with a block a column each.
 */
#include <cuda_runtime.h>

#include "block/range.cuh"
#include "core/tablet/deform.h"
#include "host/cuda_call.h"
#include "kernels/deform_launch.h"
#include "kernels/tuning.cuh"

#define WARP 32
#define PAGE_PIECES (HEAP_PAGE_SIZE / 16)

/* Clear the NULL bitmaps of a tablet's columns: the i-th block clears that of column i. */
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

/* Make the zone maps of a tablet's columns: the i-th block finds the range of column i, as deform_zone_map() does. */
static __global__ void __launch_bounds__(ZONE_THREADS)
zone_kernel(Tablet *tablet)
{
	TabletColumn *column = &tablet->column[blockIdx.x];
	Wide		low;
	Wide		high;

	column_range<ZONE_THREADS>((ColType) column->type, tablet_at(tablet, column->values), tablet->nrows, &low, &high);
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

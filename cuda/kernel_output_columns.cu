/*
 * kernel_output_columns.cu
 *		The columns of each window of a batch, as a tablet of its own, into host memory.
 *
 * A block has one column of one window, whose rows begin anywhere in those of
 * the batch.  Values and NULLs are the same to it: bits, which it moves to the
 * beginning of a word.
 */
#include "block/range.cuh"
#include "cuda_call.h"
#include "output_launch.h"
#include "tuning.cuh"

/* Copy n bits from anywhere; those behind them in the last word are 0. */
static __device__ void
copy_bits(const uint8_t *bytes, uint64_t first, uint64_t n, uint8_t *into)
{
	const uint64_t *from = (const uint64_t *) bytes + first / 64;
	uint64_t   *to = (uint64_t *) into;
	const uint32_t shift = first % 64;

	for (uint64_t i = threadIdx.x; 64 * i < n; i += OUTPUT_THREADS)
	{
		const uint64_t left = n - 64 * i;
		uint64_t	word = from[i] >> shift;

		/* no word is read that has none of them */
		if (shift > 0 && left > 64 - shift)
			word |= from[i + 1] << (64 - shift);
		to[i] = left >= 64 ? word : word & (((uint64_t) 1 << left) - 1);
	}
}

/* Where tablet_layout() puts the values of a column, among n rows of columns of the same types. */
static __device__ uint64_t
place_of_column(const Tablet *tablet, uint32_t column, uint32_t n)
{
	uint64_t	at = tablet_align(sizeof(Tablet) + tablet->ncols * sizeof(TabletColumn));

	for (uint32_t c = 0; c < column; c++)
		at += tablet_align((uint64_t) coltype_bytes((ColType) tablet->column[c].type) * n) + tablet_align(tablet_bitmap_bytes(n));
	return at;
}

static __global__ void __launch_bounds__(OUTPUT_THREADS)
output_columns_kernel(OutputLaunch launch)
{
	const uint32_t begin = launch.row_start[blockIdx.x];
	const uint32_t n = launch.row_start[blockIdx.x + 1] - begin;
	const TabletColumn *from = &launch.tablet->column[blockIdx.y];
	const ColType type = (ColType) from->type;
	const uint64_t bytes = coltype_bytes(type);
	const uint8_t *values = tablet_at(launch.tablet, from->values);
	Tablet	   *window = (Tablet *) launch.block[blockIdx.x];
	TabletColumn column = *from;
	Wide		low;
	Wide		high;

	if (window == nullptr || *launch.status != STATUS_DONE)
		return;
	column.values = place_of_column(launch.tablet, blockIdx.y, n);
	column.nulls = column.values + tablet_align(bytes * n);
	copy_bits(values, 8 * bytes * begin, 8 * bytes * n, tablet_at(window, column.values));
	if (from->null_count > 0)
		copy_bits(tablet_at(launch.tablet, from->nulls), begin, n, tablet_at(window, column.nulls));
	column_range<OUTPUT_THREADS>(type, values + bytes * begin, n, &low, &high);
	if (threadIdx.x > 0)
		return;
	wide_store(column.min, low);
	wide_store(column.max, high);
	window->column[blockIdx.y] = column;
}

int
output_columns_launch(const OutputLaunch *launch, uint32_t ncolumns, void *stream)
{
	if (ncolumns == 0)
		return cudaSuccess;
	output_columns_kernel<<<dim3(launch->nwindows, ncolumns), OUTPUT_THREADS, 0, (cudaStream_t) stream>>>(*launch);
	return CUDA_CALL(cudaGetLastError());
}

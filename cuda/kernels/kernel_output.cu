/*
 * kernel_output.cu
 *		Compacting the values of rows that passed the filters, in heap order, into host memory.
 *
 * A block has one output of one page batch.  It goes over the page batch's rows in
 * steps: each thread counts which of its rows passed, a prefix sum tells where
 * they go, and their values are gathered in shared memory and leave it in one
 * piece, since small pieces cross the bus slowly.
 */
#include <cub/block/block_scan.cuh>

#include "host/cuda_call.h"
#include "kernels/output_launch.h"
#include "kernels/tuning.cuh"

/* Rows of a step: for each thread those of a byte of the bitmap. */
#define STEP_ROWS (OUTPUT_THREADS * 8)

typedef cub::BlockScan<uint32_t, OUTPUT_THREADS> Scan;

/* Two words: the widest value. */
struct Pair
{
	uint64_t	word[2];
};

struct SharedMemory
{
	Scan::TempStorage scan;
	Pair		stage[STEP_ROWS];
};

/* Source of an output: a column's values; Flags is the source of its NULL flags, as bytes. */
template<typename T>
struct Values
{
	const T    *from;

	__device__ T operator[](uint32_t row) const { return from[row]; }
};

struct Flags
{
	const uint8_t *bits;		/* bitmap of NULL flags; nullptr = no NULLs */

	__device__ uint8_t operator[](uint32_t row) const { return bits == nullptr ? 0 : bits[row / 8] >> row % 8 & 1; }
};

/* Return the bits of the rows from `first` on and before `end`, up to eight of them. */
__device__ static uint32_t
bits_of_rows(const uint32_t *passed, uint32_t first, uint32_t end)
{
	uint32_t	bits = 0;

	for (uint32_t row = first; row < first + 8 && row < end; row++)
		bits |= (passed[row >> 5] >> (row & 31) & 1) << (row - first);
	return bits;
}

/* Copy the values of the rows [begin, end) that passed; called by all threads. */
template<typename T, typename Source>
__device__ static void
compact(SharedMemory *shared, Source source, const uint32_t *passed, uint32_t begin, uint32_t end, T *out)
{
	T		   *stage = (T *) shared->stage;

	for (uint32_t step = begin; step < end; step += STEP_ROWS)
	{
		uint32_t	first = step + threadIdx.x * 8;
		uint32_t	bits = first < end ? bits_of_rows(passed, first, end) : 0;
		uint32_t	at;
		uint32_t	total;

		Scan(shared->scan).ExclusiveSum(__popc(bits), at, total);
		for (; bits != 0; bits &= bits - 1)
			stage[at++] = source[first + __ffs(bits) - 1];
		__syncthreads();
		for (uint32_t i = threadIdx.x; i < total; i += OUTPUT_THREADS)
			out[i] = stage[i];
		out += total;
		__syncthreads();
	}
}

__global__ static void __launch_bounds__(OUTPUT_THREADS)
output_kernel(OutputLaunch launch)
{
	__shared__ SharedMemory shared;
	const uint32_t page_batch = blockIdx.x;
	const uint32_t begin = launch.row_start[page_batch];
	const uint32_t end = launch.row_start[page_batch + 1];
	const uint32_t output = blockIdx.y;
	const TabletColumn *column = &launch.tablet->column[launch.program->output[output]];
	uint8_t    *block = launch.block[page_batch];
	const uint8_t *from = tablet_at(launch.tablet, column->values);
	uint64_t	at = 0;
	uint32_t	bytes = 0;

	if (block == nullptr || *launch.status != STATUS_DONE)
		return;
	/* offset of the output, as in output_layout() */
	for (uint32_t k = 0; k <= output; k++)
	{
		at += k > 0 ? output_bytes(bytes, end - begin) : 0;
		bytes = coltype_bytes((ColType) launch.tablet->column[launch.program->output[k]].type);
	}
	block += at;
	switch (bytes)
	{
		case 1:
			compact(&shared, Values<uint8_t>{from}, launch.passed, begin, end, block);
			break;
		case 2:
			compact(&shared, Values<uint16_t>{(const uint16_t *) from}, launch.passed, begin, end, (uint16_t *) block);
			break;
		case 4:
			compact(&shared, Values<uint32_t>{(const uint32_t *) from}, launch.passed, begin, end, (uint32_t *) block);
			break;
		case 8:
			compact(&shared, Values<uint64_t>{(const uint64_t *) from}, launch.passed, begin, end, (uint64_t *) block);
			break;
		default:
			compact(&shared, Values<Pair>{(const Pair *) from}, launch.passed, begin, end, (Pair *) block);
			break;
	}
	block += tablet_align((uint64_t) bytes * (end - begin));
	compact(&shared, Flags{column->null_count > 0 ? tablet_at(launch.tablet, column->nulls) : nullptr}, launch.passed, begin, end, block);
}

int
output_launch(const OutputLaunch *launch, uint32_t noutputs, void *stream)
{
	output_kernel<<<dim3(launch->npage_batches, noutputs), OUTPUT_THREADS, 0, (cudaStream_t) stream>>>(*launch);
	return CUDA_CALL(cudaGetLastError());
}

/*
 * kernel_columns.cu
 *		Copying columns of cached tablets from host memory, all of a batch in one launch.
 *
 * A block copies one column after the other, its threads neighbouring words of 16
 * bytes, or of 8 where the source or the size is no multiple of 16.
 *
 * Columns have some ten kilobytes: a copy by the driver would take longer to
 * start than to make.  Few blocks are launched, since the bus is the bottleneck,
 * and other kernels need the multiprocessors meanwhile.
 */
#include "host/cuda_call.h"
#include "kernels/columns_launch.h"
#include "kernels/tuning.cuh"

template <typename Word> static __device__ __forceinline__ void
copy_words(const ColumnCopy &copy)
{
	const Word *from = (const Word *) copy.from;
	Word	   *to = (Word *) copy.to;
	const uint64_t n = copy.bytes / sizeof(Word);

#pragma unroll 4
	for (uint64_t i = threadIdx.x; i < n; i += COLUMNS_THREADS)
		to[i] = from[i];
}

static __global__ void __launch_bounds__(COLUMNS_THREADS)
columns_kernel(const ColumnCopy *copies, uint32_t n)
{
	for (uint32_t c = blockIdx.x; c < n; c += gridDim.x)
	{
		const ColumnCopy copy = copies[c];

		if ((uintptr_t) copy.from % 16 == 0 && copy.bytes % 16 == 0)
			copy_words<ulonglong2>(copy);
		else
			copy_words<unsigned long long>(copy);
	}
}

int
columns_copy(const ColumnCopy *copy, uint32_t n, void *stream)
{
	columns_kernel<<<n < COLUMNS_BLOCKS ? n : COLUMNS_BLOCKS, COLUMNS_THREADS, 0, (cudaStream_t) stream>>>(copy, n);
	return cudaGetLastError();
}

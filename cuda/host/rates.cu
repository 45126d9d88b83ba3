/*
 * rates.cu
 *		Speed of the device, measured by itself: copies, launches, memory.
 *
 * Times are measured on the host, and are the least of some runs: any other
 * activity of the machine only adds to them.
 */
#include <math.h>
#include <time.h>

#include "core/hash.h"
#include "core/vm/op_arith.h"

#include "host/context.h"
#include "host/pool.h"
#include "host/rates.h"
#include "kernels/tuning.cuh"

#define RUNS			7
#define SMALL_TIMES		20		/* repetitions in a run, if one takes microseconds */
#define LARGE_TIMES		4
#define HOST_BYTES		((size_t) 16 << 20)	/* bytes of a copy */
#define DEVICE_BYTES	((size_t) 256 << 20)	/* more than a GPU's L2 cache; less if the pool has not as much */
#define PAGE_BYTES		8192.0
#define RATES_BLOCKS	16		/* blocks per multiprocessor */
#define RATES_LANES		8		/* lanes per thread of add_kernel() */
#define ADDITIONS		1000	/* additions per lane */
#define UNLIKELY		0x9e3779b97f4a7c15	/* a result is only stored if it has this value */

typedef unsigned long long Word;

static __global__ void
empty_kernel(void)
{
}

/* Read all words in order, and use them so that the compiler does not remove the reads. */
static __global__ void __launch_bounds__(RATES_THREADS)
read_kernel(const ulonglong2 *words, size_t n, Word *sink)
{
	Word		sum = 0;

	for (size_t i = blockIdx.x * (size_t) RATES_THREADS + threadIdx.x; i < n; i += (size_t) gridDim.x * RATES_THREADS)
		sum += words[i].x ^ words[i].y;
	if (sum == UNLIKELY)
		*sink = sum;
}

/* Read one word per thread of the launch, at pseudo-random places. */
static __global__ void __launch_bounds__(RATES_THREADS)
gather_kernel(const Word *words, size_t n, Word *sink)
{
	const size_t i = blockIdx.x * (size_t) RATES_THREADS + threadIdx.x;

	/* n is a power of two */
	if (words[hash_mix(i) & (n - 1)] == UNLIKELY)
		*sink = i;
}

/*
 * Perform an instruction of the accumulator machine `times` times: add a
 * slot's values in shared memory to eight lanes per thread, and note
 * overflows.
 */
static __global__ void __launch_bounds__(VM_THREADS)
add_kernel(int times, Word *sink)
{
	__shared__ longlong2 slot[RATES_LANES / 2][VM_THREADS];
	int64_t		acc[RATES_LANES];
	uint32_t	overflows = 0;

	for (int p = 0; p < RATES_LANES / 2; p++)
	{
		slot[p][threadIdx.x] = {times * (long long) threadIdx.x, times + p};
		acc[2 * p] = acc[2 * p + 1] = p;
	}
	for (int t = 0; t < times; t++)
	{
		/* slots are read again in each iteration */
		__syncwarp();
#pragma unroll
		for (int p = 0; p < RATES_LANES / 2; p++)
		{
			const longlong2 pair = slot[p][threadIdx.x];

			acc[2 * p] = op_add_i8(acc[2 * p], pair.x, &overflows);
			acc[2 * p + 1] = op_add_i8(acc[2 * p + 1], pair.y, &overflows);
		}
	}
	for (int p = 1; p < RATES_LANES; p++)
		acc[0] ^= acc[p];
	if (acc[0] == (int64_t) UNLIKELY && overflows)
		*sink = (Word) acc[0];
}

static double
now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

static cudaError_t
settle(void)
{
	return CUDA_CALL(cudaStreamSynchronize(NULL));
}

/*
 * Return the nanoseconds per call of `work` when it is called `times` times
 * and the end of all is waited for; the least of some runs.
 */
template <typename Work> static double
least_ns(int times, Work work, cudaError_t *error)
{
	double		least = INFINITY;

	for (int run = 0; run <= RUNS && *error == cudaSuccess; run++)
	{
		const double begin = now_ns();

		for (int i = 0; i < times && *error == cudaSuccess; i++)
			*error = work();
		if (*error == cudaSuccess)
			*error = settle();
		/* the first run loads the kernel */
		if (run > 0)
			least = fmin(least, (now_ns() - begin) / times);
	}
	return least;
}

static cudaError_t
copy(void *to, const void *from, size_t bytes)
{
	return CUDA_CALL(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, NULL));
}

/* Measure all rates with a buffer of host memory and a power of two of device memory. */
static cudaError_t
measure(ProviderRates *rates, uint8_t *host, uint8_t *device, size_t bytes)
{
	const int	blocks = (int) cuda_context.multiprocessors * RATES_BLOCKS;
	const int	gathering = (int) (bytes / 8 / RATES_THREADS);
	const int	adding = (int) cuda_context.multiprocessors * VM_FAST_BLOCKS(RATES_LANES);
	const size_t copied = bytes < HOST_BYTES ? bytes : HOST_BYTES;
	Word	   *sink = (Word *) device;
	cudaError_t error = cudaSuccess;

	rates->copy_start = least_ns(1, [&] { return copy(device, host, 64); }, &error);
	rates->copy_page = least_ns(LARGE_TIMES, [&] { return copy(device, host, copied); }, &error) * PAGE_BYTES / copied;
	rates->fetch_page = least_ns(LARGE_TIMES, [&] { return copy(host, device, copied); }, &error) * PAGE_BYTES / copied;
	rates->launch = least_ns(1, [&] { empty_kernel<<<1, 1>>>(); return cudaSuccess; }, &error);
	rates->read_page = least_ns(SMALL_TIMES, [&] {
		read_kernel<<<blocks, RATES_THREADS>>>((const ulonglong2 *) device, bytes / 16, sink);
		return cudaSuccess;
	}, &error) * PAGE_BYTES / bytes;
	rates->read_word = least_ns(LARGE_TIMES, [&] {
		gather_kernel<<<gathering, RATES_THREADS>>>((const Word *) device, bytes / 8, sink);
		return cudaSuccess;
	}, &error) / (bytes / 8);
	rates->add = least_ns(LARGE_TIMES, [&] {
		add_kernel<<<adding, VM_THREADS>>>(ADDITIONS, sink);
		return cudaSuccess;
	}, &error) / ((double) adding * VM_THREADS * RATES_LANES * ADDITIONS);
	return error == cudaSuccess ? CUDA_CALL(cudaGetLastError()) : error;
}

bool
rates_measure(ProviderRates *rates)
{
	size_t		bytes = DEVICE_BYTES;
	uint8_t    *device = pool_take(bytes);
	uint8_t    *host = NULL;
	cudaError_t error;

	while (device == NULL && bytes > HOST_BYTES)
		device = pool_take(bytes /= 2);
	if (device == NULL)
		return true;			/* nothing is worth measuring with a pool so small */
	error = CUDA_CALL(cudaHostAlloc((void **) &host, HOST_BYTES, cudaHostAllocDefault));
	if (error == cudaSuccess)
		error = measure(rates, host, device, bytes);
	if (error == cudaSuccess)
		error = CUDA_CALL(cudaFreeHost(host));
	pool_give(device);
	return error == cudaSuccess;
}

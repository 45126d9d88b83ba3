/*
 * kernel_materialized.cu
 *		Building a join's table from rows materialized on the device, a thread a row.
 *
 * materialized_launch() finds one row for each key. A row takes the place of its word, or
 * the first free slot from its home on, by atomicCAS(); a row whose place another
 * row of the same word has taken is counted.  While slots are taken, their `first`
 * tells which row has taken them, and so which word to compare: the rows' words are
 * in an array of their own, which a kernel before has completed.
 *
 * materialized_list() follows if keys have several rows: the rows of each place are
 * counted, a prefix sum of the counts tells where the places' lists begin, and each row
 * takes an entry of its place's list by an atomic subtraction from the count.
 */
#include <cub/device/device_scan.cuh>

#include "host/cuda_call.h"
#include "kernels/materialized_launch.h"
#include "kernels/tuning.cuh"

/* Compute a row's word; return false if some part of its key is NULL, or no word of an exact table. */
static __device__ __forceinline__ bool
word_of_row(const MaterializedLaunch &launch, uint32_t row, uint64_t *word)
{
	uint32_t	miss = 0;

	*word = 0;
	for (uint32_t c = 0; c < launch.ncolumns; c++)
	{
		const MaterializedKeyColumn &column = launch.column[c];
		const int64_t value = column.bytes ? column.values[row] : ((const int64_t *) column.values)[row];

		if (column.nulls != NULL && (column.nulls[row / 32] >> row % 32 & 1))
			return false;
		*word = launch.exact ? *word | join_part_word(&column.part, value, &miss) : hash_combine(*word, (uint64_t) value);
	}
	return !miss;
}

/* Add the number of a thread's rows that have found their places taken to the result; called by all threads. */
static __device__ __forceinline__ void
report_taken(const MaterializedLaunch &launch, uint32_t taken)
{
	for (int step = 16; step > 0; step /= 2)
		taken += __shfl_down_sync(~0u, taken, step);
	if (threadIdx.x % 32 == 0 && taken > 0)
		atomicAdd(launch.result, taken);
}

#define EACH_ROW(row) \
	for (uint32_t row = blockIdx.x * MATERIALIZED_THREADS + threadIdx.x; row < launch.nrows; row += gridDim.x * MATERIALIZED_THREADS)

static __global__ void __launch_bounds__(MATERIALIZED_THREADS)
places_kernel(const __grid_constant__ MaterializedLaunch launch)
{
	uint32_t   *place = (uint32_t *) launch.index;
	uint32_t	taken = 0;

	EACH_ROW(row)
	{
		uint64_t	word;

		/* a load costs less than an atomicCAS() that fails */
		if (word_of_row(launch, row, &word) && word < launch.nplaces &&
			(*(volatile uint32_t *) &place[word] != JOIN_NO_ROW || atomicCAS(&place[word], JOIN_NO_ROW, row) != JOIN_NO_ROW))
			taken++;
	}
	report_taken(launch, taken);
}

static __global__ void __launch_bounds__(MATERIALIZED_THREADS)
words_kernel(const __grid_constant__ MaterializedLaunch launch)
{
	EACH_ROW(row)
		(void) word_of_row(launch, row, &launch.words[row]);
}

static __global__ void __launch_bounds__(MATERIALIZED_THREADS)
slots_kernel(const __grid_constant__ MaterializedLaunch launch)
{
	JoinSlot   *slot = (JoinSlot *) launch.index;
	uint32_t	same = 0;

	EACH_ROW(row)
	{
		uint64_t	word;
		uint64_t	at;

		if (!word_of_row(launch, row, &word))
			continue;
		for (at = hash_mix(word) & (launch.nplaces - 1);; at = (at + 1) & (launch.nplaces - 1))
		{
			const uint32_t taken = atomicCAS(&slot[at].first, JOIN_NO_ROW, row);

			if (taken == JOIN_NO_ROW)
			{
				slot[at].word = word;
				if (launch.present != NULL && word < launch.npresent)
					atomicOr(&launch.present[word / 32], 1u << word % 32);
				break;
			}
			if (launch.words[taken] == word)
			{
				same++;
				break;
			}
		}
	}
	report_taken(launch, same);
}

/* Set the counts of all slots: 0 for those that no row has taken, which are free. */
static __global__ void __launch_bounds__(MATERIALIZED_THREADS)
counts_kernel(const __grid_constant__ MaterializedLaunch launch)
{
	JoinSlot   *slot = (JoinSlot *) launch.index;

	for (uint64_t at = blockIdx.x * MATERIALIZED_THREADS + threadIdx.x; at < launch.nplaces; at += (uint64_t) gridDim.x * MATERIALIZED_THREADS)
		slot[at].count = slot[at].first == JOIN_NO_ROW ? 0 : 1;
}

/* Lists */

#define NO_PLACE UINT32_MAX

/* Arrays in the scratch memory. */
typedef struct Scratch
{
	uint32_t   *count;			/* rows of each place, and 0 behind the last one */
	uint32_t   *begin;			/* first entry of each place's list, and the end: the places of a direct table */
	uint32_t   *place;			/* place of each row; NO_PLACE = none */
	uint8_t    *scan;
	size_t		scan_bytes;
} Scratch;

static uint64_t
lay_out(uint32_t nrows, uint64_t nplaces, uint8_t *memory, Scratch *scratch)
{
	const uint64_t counts = tablet_align((nplaces + 1) * sizeof(uint32_t));

	scratch->count = (uint32_t *) memory;
	scratch->begin = (uint32_t *) (memory + counts);
	scratch->place = (uint32_t *) (memory + 2 * counts);
	scratch->scan = memory + 2 * counts + tablet_align((uint64_t) nrows * sizeof(uint32_t));
	scratch->scan_bytes = 0;
	if (cub::DeviceScan::ExclusiveSum(NULL, scratch->scan_bytes, scratch->count, scratch->begin, (int64_t) nplaces + 1) != cudaSuccess)
		return 0;
	return (uint64_t) (scratch->scan - memory) + scratch->scan_bytes + 1;
}

uint64_t
materialized_scratch_bytes(uint32_t nrows, uint64_t nplaces)
{
	Scratch		scratch;

	return lay_out(nrows, nplaces, NULL, &scratch);
}

/* Return the slot of a word, which has one. */
static __device__ __forceinline__ uint32_t
slot_of_word(const MaterializedLaunch &launch, uint64_t word)
{
	const JoinSlot *slot = (const JoinSlot *) launch.index;
	uint64_t	at = hash_mix(word) & (launch.nplaces - 1);

	while (slot[at].word != word || slot[at].first == JOIN_NO_ROW)
		at = (at + 1) & (launch.nplaces - 1);
	return (uint32_t) at;
}

static __global__ void __launch_bounds__(MATERIALIZED_THREADS)
count_kernel(const __grid_constant__ MaterializedLaunch launch, const Scratch scratch)
{
	EACH_ROW(row)
	{
		uint64_t	word;
		uint32_t	place = NO_PLACE;

		if (word_of_row(launch, row, &word) && (!launch.direct || word < launch.nplaces))
		{
			place = launch.direct ? (uint32_t) word : slot_of_word(launch, word);
			atomicAdd(&scratch.count[place], 1u);
		}
		scratch.place[row] = place;
	}
}

static __global__ void __launch_bounds__(MATERIALIZED_THREADS)
list_kernel(const __grid_constant__ MaterializedLaunch launch, const Scratch scratch)
{
	EACH_ROW(row)
	{
		const uint32_t place = scratch.place[row];

		if (place != NO_PLACE)
			launch.list[scratch.begin[place] + atomicSub(&scratch.count[place], 1u) - 1] = row;
	}
}

/* Store where each place's list begins in the table, and in slots also how many rows it has. */
static __global__ void __launch_bounds__(MATERIALIZED_THREADS)
begin_kernel(const __grid_constant__ MaterializedLaunch launch, const Scratch scratch)
{
	JoinSlot   *slot = (JoinSlot *) launch.index;

	for (uint64_t at = blockIdx.x * MATERIALIZED_THREADS + threadIdx.x; at <= launch.nplaces; at += (uint64_t) gridDim.x * MATERIALIZED_THREADS)
		if (launch.direct)
			((uint32_t *) launch.index)[at] = scratch.begin[at];
		else if (at < launch.nplaces)
		{
			slot[at].first = scratch.begin[at];
			slot[at].count = scratch.begin[at + 1] - scratch.begin[at];
		}
}

static uint32_t
blocks_for(uint64_t n)
{
	const uint64_t blocks = (n + MATERIALIZED_THREADS - 1) / MATERIALIZED_THREADS;

	return blocks < 1 ? 1 : blocks < MATERIALIZED_BLOCKS ? (uint32_t) blocks : MATERIALIZED_BLOCKS;
}

int
materialized_launch(const MaterializedLaunch *launch, void *stream)
{
	const cudaStream_t on = (cudaStream_t) stream;
	const uint32_t blocks = blocks_for(launch->nrows);
	cudaError_t error = CUDA_CALL(cudaMemsetAsync(launch->result, 0, sizeof(uint32_t), on));

	if (error == cudaSuccess)
		error = CUDA_CALL(cudaMemsetAsync(launch->index, 0xff, launch->nplaces * (launch->direct ? sizeof(uint32_t) : sizeof(JoinSlot)), on));
	if (error == cudaSuccess && launch->present != NULL)
		error = CUDA_CALL(cudaMemsetAsync(launch->present, 0, join_present_words(launch->npresent) * sizeof(uint32_t), on));
	if (error != cudaSuccess)
		return error;
	if (launch->direct)
		places_kernel<<<blocks, MATERIALIZED_THREADS, 0, on>>>(*launch);
	else
	{
		words_kernel<<<blocks, MATERIALIZED_THREADS, 0, on>>>(*launch);
		slots_kernel<<<blocks, MATERIALIZED_THREADS, 0, on>>>(*launch);
		counts_kernel<<<blocks_for(launch->nplaces), MATERIALIZED_THREADS, 0, on>>>(*launch);
	}
	return CUDA_CALL(cudaGetLastError());
}

int
materialized_list(const MaterializedLaunch *launch, void *stream)
{
	const cudaStream_t on = (cudaStream_t) stream;
	const uint32_t blocks = blocks_for(launch->nrows);
	Scratch		scratch;
	cudaError_t error = cudaErrorInvalidValue;

	if (lay_out(launch->nrows, launch->nplaces, launch->scratch, &scratch) > 0)
		error = CUDA_CALL(cudaMemsetAsync(scratch.count, 0, (launch->nplaces + 1) * sizeof(uint32_t), on));
	if (error != cudaSuccess)
		return error;
	count_kernel<<<blocks, MATERIALIZED_THREADS, 0, on>>>(*launch, scratch);
	error = CUDA_CALL(cub::DeviceScan::ExclusiveSum(scratch.scan, scratch.scan_bytes, scratch.count, scratch.begin,
													(int64_t) launch->nplaces + 1, on));
	if (error != cudaSuccess)
		return error;
	list_kernel<<<blocks, MATERIALIZED_THREADS, 0, on>>>(*launch, scratch);
	begin_kernel<<<blocks_for(launch->nplaces + 1), MATERIALIZED_THREADS, 0, on>>>(*launch, scratch);
	return CUDA_CALL(cudaGetLastError());
}

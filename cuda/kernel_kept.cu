/*
 * kernel_kept.cu
 *		Making a table of rows in device memory.
 *
 * Each row takes the place of its word, or the first free slot from its home
 * on; whose place another row of the same word has taken is counted.  While
 * slots are taken their `first` tells whose they are, and whose word to compare:
 * that stands in an array of its own, complete before.
 */
#include "kept_launch.h"
#include "cuda_call.h"
#include "tuning.cuh"

/* A row's word; false if some part of its key is NULL. */
static __device__ __forceinline__ bool
word_of_row(const KeptLaunch &launch, uint32_t row, uint64_t *word)
{
	uint32_t	miss = 0;

	*word = 0;
	for (uint32_t c = 0; c < launch.ncolumns; c++)
	{
		const KeptKeyColumn &column = launch.column[c];
		const int64_t value = column.bytes ? column.values[row] : ((const int64_t *) column.values)[row];

		if (column.nulls != NULL && (column.nulls[row / 32] >> row % 32 & 1))
			return false;
		*word = launch.exact ? *word | join_part_word(&column.part, value, &miss) : hash_combine(*word, (uint64_t) value);
	}
	return !miss;
}

#define EACH_ROW(row) \
	for (uint32_t row = blockIdx.x * KEPT_THREADS + threadIdx.x; row < launch.nrows; row += gridDim.x * KEPT_THREADS)

static __global__ void __launch_bounds__(KEPT_THREADS)
places_kernel(const __grid_constant__ KeptLaunch launch)
{
	uint32_t   *place = (uint32_t *) launch.index;

	EACH_ROW(row)
	{
		uint64_t	word;

		if (word_of_row(launch, row, &word) && word < launch.nplaces && atomicCAS(&place[word], JOIN_NO_ROW, row) != JOIN_NO_ROW)
			atomicAdd(launch.result, 1u);
	}
}

static __global__ void __launch_bounds__(KEPT_THREADS)
words_kernel(const __grid_constant__ KeptLaunch launch)
{
	EACH_ROW(row)
		(void) word_of_row(launch, row, &launch.words[row]);
}

static __global__ void __launch_bounds__(KEPT_THREADS)
slots_kernel(const __grid_constant__ KeptLaunch launch)
{
	JoinSlot   *slot = (JoinSlot *) launch.index;

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
				break;
			}
			if (launch.words[taken] == word)
			{
				atomicAdd(launch.result, 1u);
				break;
			}
		}
	}
}

/* Slots that nobody has taken are free. */
static __global__ void __launch_bounds__(KEPT_THREADS)
counts_kernel(const __grid_constant__ KeptLaunch launch)
{
	JoinSlot   *slot = (JoinSlot *) launch.index;

	for (uint64_t at = blockIdx.x * KEPT_THREADS + threadIdx.x; at < launch.nplaces; at += (uint64_t) gridDim.x * KEPT_THREADS)
		slot[at].count = slot[at].first == JOIN_NO_ROW ? 0 : 1;
}

static uint32_t
blocks_for(uint64_t n)
{
	const uint64_t blocks = (n + KEPT_THREADS - 1) / KEPT_THREADS;

	return blocks < 1 ? 1 : blocks < KEPT_BLOCKS ? (uint32_t) blocks : KEPT_BLOCKS;
}

int
kept_launch(const KeptLaunch *launch, void *stream)
{
	const cudaStream_t on = (cudaStream_t) stream;
	const uint32_t blocks = blocks_for(launch->nrows);
	cudaError_t error = CUDA_CALL(cudaMemsetAsync(launch->result, 0, sizeof(uint32_t), on));

	if (error == cudaSuccess)
		error = CUDA_CALL(cudaMemsetAsync(launch->index, 0xff, launch->nplaces * (launch->direct ? sizeof(uint32_t) : sizeof(JoinSlot)), on));
	if (error != cudaSuccess)
		return error;
	if (launch->direct)
		places_kernel<<<blocks, KEPT_THREADS, 0, on>>>(*launch);
	else
	{
		words_kernel<<<blocks, KEPT_THREADS, 0, on>>>(*launch);
		slots_kernel<<<blocks, KEPT_THREADS, 0, on>>>(*launch);
		counts_kernel<<<blocks_for(launch->nplaces), KEPT_THREADS, 0, on>>>(*launch);
	}
	return CUDA_CALL(cudaGetLastError());
}

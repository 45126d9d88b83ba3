/*
 * kernel_seek.cu
 *		Quantile selection by histogram refinement: radix select of two ranks among some million values
 *		in device memory.
 *
 * All blocks of one cooperative launch go over the values once for each digit of
 * 11 bits, and count those that begin with the digits found so far by their next
 * digit: in bins in shared memory, which are then added to bins in device memory
 * by atomic additions.  After a barrier of the grid, each block finds for itself
 * which bin has the rank.  So it takes as long as reading the values, a few times,
 * from the L2 cache.
 */
#include <cooperative_groups.h>
#include <cub/block/block_scan.cuh>

#include "block/states.cuh"
#include "core/vm/op_select.h"
#include "kernels/seek_launch.h"
#include "kernels/tuning.cuh"

static_assert(SELECT_BINS % SEEK_THREADS == 0, "threads share bins");

#define BINS_EACH (SELECT_BINS / SEEK_THREADS)

typedef cub::BlockScan<uint32_t, SEEK_THREADS> BinScan;

/* A rank whose value is sought. */
typedef struct Target
{
	uint64_t	rank;			/* rank among the values that are no less than the digits found */
	uint64_t	below;			/* the digits found: a distance from the range's least value */
} Target;

typedef struct SeekShared
{
	uint32_t	bins[2 * SELECT_BINS];
	BinScan::TempStorage scan;
	Target		target[2];
} SeekShared;

/*
 * Count the values that begin with a target's digits by their next digit; if both targets' digits
 * are alike, for the first one only. Called by all threads.
 */
static __device__ void
count_digit(const SeekLaunch &launch, SeekShared *shared, uint32_t digit, uint32_t shift, bool alike)
{
	SeekRoom   *room = launch.room;
	const uint64_t n = room->gathered;
	const uint64_t least = (uint64_t) room->range.least;
	const Target a = shared->target[0];
	const Target b = shared->target[1];

	for (uint32_t i = threadIdx.x; i < 2 * SELECT_BINS; i += SEEK_THREADS)
		shared->bins[i] = 0;
	__syncthreads();
	for (uint64_t i = blockIdx.x * SEEK_THREADS + threadIdx.x; i < n; i += gridDim.x * SEEK_THREADS)
	{
		const uint64_t distance = (uint64_t) launch.values[i] - least;

		if (distance >= a.below && (distance - a.below) >> shift < SELECT_BINS)
			atomicAdd(&shared->bins[(distance - a.below) >> shift], 1u);
		if (!alike && distance >= b.below && (distance - b.below) >> shift < SELECT_BINS)
			atomicAdd(&shared->bins[SELECT_BINS + ((distance - b.below) >> shift)], 1u);
	}
	__syncthreads();
	for (uint32_t i = threadIdx.x; i < 2 * SELECT_BINS; i += SEEK_THREADS)
		if (shared->bins[i] > 0)
			atomicAdd(&room->bins[digit][i], shared->bins[i]);
}

/* Find the bin that has a target's rank, and add its digit to the target; called by all threads of a block. */
static __device__ void
choose_bin(SeekShared *shared, Target *target, const uint32_t *bins, uint32_t shift)
{
	const uint64_t rank = target->rank;
	uint32_t	count[BINS_EACH];
	uint32_t	before[BINS_EACH];

	for (uint32_t b = 0; b < BINS_EACH; b++)
		count[b] = __ldcg(&bins[threadIdx.x * BINS_EACH + b]);
	__syncthreads();
	BinScan(shared->scan).ExclusiveSum(count, before);
	for (uint32_t b = 0; b < BINS_EACH; b++)
		if (rank >= before[b] && rank - before[b] < count[b])
		{
			target->below += (uint64_t) (threadIdx.x * BINS_EACH + b) << shift;
			target->rank = rank - before[b];
		}
	__syncthreads();
}

/* Clear the bins of all digits but the first; no block uses them yet. */
static __device__ void
clear_bins(SeekRoom *room)
{
	for (uint32_t digit = 1; digit < SEEK_DIGITS; digit++)
		for (uint32_t i = blockIdx.x * SEEK_THREADS + threadIdx.x; i < 2 * SELECT_BINS; i += gridDim.x * SEEK_THREADS)
			room->bins[digit][i] = 0;
}

/*
 * Find the values at both targets' ranks: `below` becomes their distance from the range's least
 * value. The first digit's bins must be clear, and are cleared again. Called by all threads of the
 * grid.
 */
static __device__ void
find_targets(const SeekLaunch &launch, SeekShared *shared)
{
	cooperative_groups::grid_group grid = cooperative_groups::this_grid();
	SeekRoom   *room = launch.room;
	uint32_t	shift = select_shift(&room->range, SELECT_BINS);

	clear_bins(room);
	for (uint32_t digit = 0;; digit++)
	{
		const bool	alike = shared->target[0].below == shared->target[1].below;

		count_digit(launch, shared, digit, shift, alike);
		grid.sync();
		choose_bin(shared, &shared->target[0], room->bins[digit], shift);
		choose_bin(shared, &shared->target[1], room->bins[digit] + (alike ? 0 : SELECT_BINS), shift);
		if (shift == 0)
			break;
		shift = shift > SELECT_BITS ? shift - SELECT_BITS : 0;
	}
	grid.sync();
	for (uint32_t i = blockIdx.x * SEEK_THREADS + threadIdx.x; i < 2 * SELECT_BINS; i += gridDim.x * SEEK_THREADS)
		room->bins[0][i] = 0;
}

static __global__ void __launch_bounds__(SEEK_THREADS)
begin_kernel(const __grid_constant__ SeekLaunch launch)
{
	SeekRoom   *room = launch.room;

	for (uint32_t i = threadIdx.x; i < 2 * SELECT_BINS; i += SEEK_THREADS)
		room->bins[0][i] = 0;
	if (threadIdx.x > 0)
		return;
	room->range = launch.seek.range;
	room->gathered = room->seen = room->less = 0;
}

static __global__ void __launch_bounds__(SEEK_THREADS)
range_kernel(const __grid_constant__ SeekLaunch launch)
{
	__shared__ SeekShared shared;
	SeekRoom   *room = launch.room;
	const int64_t count = (int64_t) room->gathered;
	const int64_t margin = seek_margin(count);
	const SelectRange range = room->range;
	const bool	fits = room->gathered <= launch.capacity;
	int64_t		rank[2];
	int64_t		low;
	int64_t		high;

	select_ranks(launch.seek.fraction, launch.seek.continuous, launch.seek.descending, count, &rank[0], &rank[1]);
	low = min(rank[0], rank[1]) - margin;
	high = max(rank[0], rank[1]) + margin;
	if (threadIdx.x == 0)
	{
		shared.target[0] = {(uint64_t) max(low, (int64_t) 0), 0};
		shared.target[1] = {(uint64_t) min(high, count - 1), 0};
	}
	__syncthreads();
	/* a sample without values, or one that had no room, tells nothing */
	if (count > 0 && fits)
		find_targets(launch, &shared);
	cooperative_groups::this_grid().sync();
	if (blockIdx.x > 0 || threadIdx.x > 0)
		return;
	if (count > 0 && fits && low >= 0)
		room->range.least = (int64_t) ((uint64_t) range.least + shared.target[0].below);
	if (count > 0 && fits && high < count)
		room->range.largest = (int64_t) ((uint64_t) range.least + shared.target[1].below);
	room->gathered = room->seen = room->less = 0;
}

/* Write the words of the result for the host; called by one thread. */
static __device__ void
write_words(const SeekLaunch &launch, const Target *found, const int64_t rank[2])
{
	const SeekRoom *room = launch.room;
	uint64_t   *state = launch.tally - 1;

	state[SEEK_WORD_STATUS] = found != NULL ? SEEK_FOUND : SEEK_FAILED;
	state[SEEK_WORD_COUNT] = room->seen;
	state[SEEK_WORD_LESS] = room->less;
	state[SEEK_WORD_GATHERED] = room->gathered;
	state[SEEK_WORD_RANGE] = (uint64_t) room->range.least;
	state[SEEK_WORD_RANGE + 1] = (uint64_t) room->range.largest;
	for (int i = 0; i < 2 && found != NULL; i++)
	{
		state[SEEK_WORD_VALUE + i] = found[i].below + (uint64_t) room->range.least;
		state[SEEK_WORD_RANK + i] = (uint64_t) rank[i];
	}
}

static __global__ void __launch_bounds__(SEEK_THREADS)
find_kernel(const __grid_constant__ SeekLaunch launch)
{
	__shared__ SeekShared shared;
	const SeekRoom *room = launch.room;
	const bool	others = launch.tally[0] != 0;
	int64_t		rank[2];
	bool		there;

	select_ranks(launch.seek.fraction, launch.seek.continuous, launch.seek.descending, (int64_t) room->seen, &rank[0], &rank[1]);
	there = room->seen > 0 && !others && room->gathered <= launch.capacity && min(rank[0], rank[1]) >= (int64_t) room->less &&
		max(rank[0], rank[1]) < (int64_t) (room->less + room->gathered);
	if (threadIdx.x == 0)
	{
		shared.target[0] = {(uint64_t) rank[0] - room->less, 0};
		shared.target[1] = {(uint64_t) rank[1] - room->less, 0};
	}
	__syncthreads();
	if (there)
		find_targets(launch, &shared);
	else
		/* all blocks must have read the tally before it is written */
		cooperative_groups::this_grid().sync();
	if (blockIdx.x == 0 && threadIdx.x == 0 && room->seen > 0)
		write_words(launch, there ? shared.target : NULL, rank);
}

/* Launch a kernel all of whose blocks run at the same time. */
static int
launch_together(void (*kernel) (const SeekLaunch launch), const SeekLaunch *launch, uint32_t multiprocessors, void *stream)
{
	void	   *arguments[] = {(void *) launch};

	return cudaLaunchCooperativeKernel((const void *) kernel, dim3(multiprocessors), dim3(SEEK_THREADS), arguments, 0, (cudaStream_t) stream);
}

int
seek_begin(const SeekLaunch *launch, void *stream)
{
	begin_kernel<<<1, SEEK_THREADS, 0, (cudaStream_t) stream>>>(*launch);
	return cudaGetLastError();
}

int
seek_range(const SeekLaunch *launch, uint32_t multiprocessors, void *stream)
{
	return launch_together(range_kernel, launch, multiprocessors, stream);
}

int
seek_find(const SeekLaunch *launch, uint32_t multiprocessors, void *stream)
{
	return launch_together(find_kernel, launch, multiprocessors, stream);
}

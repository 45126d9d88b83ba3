/*
 * kernel_combine.cu
 *		Combining rows of groups, one of each block, into one row a group.
 *
 * number_kernel, of one block, numbers the groups by a hash table in shared
 * memory whose entries are numbers of rows, claimed by atomicCAS(), and sorts the
 * rows' numbers by group: it counts the rows of each group, and a prefix sum tells
 * where they go.  combine_kernel then has a warp combine a state of a group over
 * its rows, or a thread where groups have few rows.
 */
#include <cub/block/block_scan.cuh>

#include "block/states.cuh"
#include "kernels/combine_launch.h"
#include "kernels/tuning.cuh"

#define FREE UINT32_MAX
#define SLOTS (2 * BATCH_GROUPS)

/* Minimum rows of a group on average for a warp, instead of a thread, to combine a state. */
#define TEAM_ROWS 16

/* Rows whose words a thread loads before it merges them. */
#define AHEAD 4

/* Shared memory of the block that numbers groups. */
typedef struct Numbering
{
	union
	{
		uint32_t	slot[SLOTS];	/* number of a row of the group; FREE */
		uint32_t	count[BATCH_GROUPS];	/* later: rows of each group, then where its next row goes */
	};
	uint16_t	number[SLOTS];	/* number of the slot's group */
	uint32_t	ngroups;
	cub::BlockScan<uint32_t, NUMBER_THREADS>::TempStorage scan;
} Numbering;

extern __shared__ __align__(16) uint8_t numbering_memory[];

/*
 * Return the arrays of the scratch memory: the rows' slots, the rows sorted by group, and where
 * each group's rows begin.
 */
static __device__ __forceinline__ uint32_t *group_of(const CombineLaunch &launch) { return launch.scratch; }
static __device__ __forceinline__ uint32_t *by_group(const CombineLaunch &launch) { return launch.scratch + launch.row_capacity; }
static __device__ __forceinline__ uint32_t *first_of(const CombineLaunch &launch) { return launch.scratch + 2 * (size_t) launch.row_capacity; }

static __device__ __forceinline__ const uint64_t *
row_of(const CombineLaunch &launch, uint32_t row)
{
	return launch.rows + (size_t) row * launch.shape.row_words;
}

static __device__ bool
same_group(const CombineLaunch &launch, uint32_t a, uint32_t b)
{
	if (launch.hashes[a] != launch.hashes[b])
		return false;
	for (uint32_t w = 0; w < launch.shape.key_words; w++)
		if (row_of(launch, a)[w] != row_of(launch, b)[w])
			return false;
	return true;
}

/* Return the slot of a row's group, which gets a number if it is new; FREE if there are too many groups. */
static __device__ uint32_t
find_slot(const CombineLaunch &launch, Numbering *own, uint32_t row)
{
	uint32_t	slot = (uint32_t) launch.hashes[row] & (SLOTS - 1);

	for (;; slot = (slot + 1) & (SLOTS - 1))
	{
		uint32_t	other = own->slot[slot];

		if (other == FREE)
		{
			/*
			 * a table with all its groups gets no more, so it never fills; but the last one may
			 * just have been added here
			 */
			if (*(volatile uint32_t *) &own->ngroups >= launch.group_capacity)
				other = *(volatile uint32_t *) &own->slot[slot];
			else
			{
				other = atomicCAS(&own->slot[slot], FREE, row);
				if (other == FREE)
				{
					own->number[slot] = (uint16_t) atomicAdd(&own->ngroups, 1);
					return slot;
				}
			}
			if (other == FREE)
				return FREE;
		}
		if (same_group(launch, other, row))
			return slot;
	}
}

/* Compute where the rows of each group begin, and the end of the last one's; called by all threads. */
static __device__ void
place_groups(const CombineLaunch &launch, Numbering *own, uint32_t ngroups)
{
	const uint32_t each = BATCH_GROUPS / NUMBER_THREADS;
	uint32_t	counts[each];
	uint32_t	total;

	for (uint32_t i = 0; i < each; i++)
		counts[i] = own->count[threadIdx.x * each + i];
	cub::BlockScan<uint32_t, NUMBER_THREADS>(own->scan).ExclusiveSum(counts, counts, total);
	for (uint32_t i = 0; i < each; i++)
	{
		const uint32_t group = threadIdx.x * each + i;

		own->count[group] = counts[i];
		if (group <= ngroups)
			first_of(launch)[group] = counts[i];
	}
	if (threadIdx.x == 0)
		first_of(launch)[ngroups] = total;
}

static __global__ void __launch_bounds__(NUMBER_THREADS)
number_kernel(const __grid_constant__ CombineLaunch launch)
{
	Numbering  *own = (Numbering *) numbering_memory;
	const uint32_t nrows = launch.result->nrows;
	bool		fits = nrows <= launch.row_capacity;

	if (launch.result->status != STATUS_DONE)
		return;
	for (uint32_t s = threadIdx.x; s < SLOTS; s += NUMBER_THREADS)
		own->slot[s] = FREE;
	if (threadIdx.x == 0)
		own->ngroups = 0;
	__syncthreads();
	for (uint32_t r = threadIdx.x; r < nrows && fits; r += NUMBER_THREADS)
	{
		const uint32_t slot = find_slot(launch, own, r);

		group_of(launch)[r] = slot;
		fits = slot != FREE;
	}
	/* threads may have added more groups at the same time */
	if (__syncthreads_or(!fits || own->ngroups > launch.group_capacity))
	{
		if (threadIdx.x == 0)
			launch.result->status = STATUS_TABLE_FULL;
		return;
	}
	for (uint32_t g = threadIdx.x; g < BATCH_GROUPS; g += NUMBER_THREADS)
		own->count[g] = 0;
	__syncthreads();
	for (uint32_t r = threadIdx.x; r < nrows; r += NUMBER_THREADS)
		atomicAdd(&own->count[own->number[group_of(launch)[r]]], 1);
	__syncthreads();
	place_groups(launch, own, own->ngroups);
	__syncthreads();
	for (uint32_t r = threadIdx.x; r < nrows; r += NUMBER_THREADS)
		by_group(launch)[atomicAdd(&own->count[own->number[group_of(launch)[r]]], 1)] = r;
	if (threadIdx.x == 0)
		launch.result->nrows = own->ngroups;
}

/* Merge state s of every team-th of the rows listed from `at` on into `total`; return nonzero on overflow. */
static __device__ uint32_t
merge_states(const CombineLaunch &launch, uint32_t s, const uint32_t *at, const uint32_t *end, uint32_t team, uint64_t *total)
{
	const StateKind kind = (StateKind) launch.shape.state_kind[s];
	const uint32_t words = state_words(kind);
	uint64_t	ahead[AHEAD][5];
	uint32_t	overflow = 0;

	for (; at < end; at += AHEAD * team)
	{
#pragma unroll
		for (uint32_t i = 0; i < AHEAD; i++)
		{
			const uint64_t *from = row_of(launch, at + i * team < end ? at[i * team] : *at) + launch.shape.state_word[s];

#pragma unroll
			for (uint32_t w = 0; w < 5; w++)
				ahead[i][w] = w < words ? from[w] : 0;
		}
#pragma unroll
		for (uint32_t i = 0; i < AHEAD; i++)
			if (at + i * team < end)
				state_merge(kind, total, ahead[i], &overflow);
	}
	return overflow;
}

/*
 * Combine state s of a group over its rows, or with s = nstates copy its key and hash; called by
 * all threads of a team.
 */
static __device__ void
combine(const CombineLaunch &launch, uint32_t group, uint32_t s, uint32_t team)
{
	const uint32_t lane = threadIdx.x & (team - 1);
	const uint32_t *first = by_group(launch) + first_of(launch)[group];
	uint64_t   *row = launch.to_rows + (size_t) group * launch.shape.row_words;
	uint64_t	total[5] = {0};
	uint32_t	overflow;

	if (s == launch.shape.nstates)
	{
		for (uint32_t w = lane; w < launch.shape.key_words; w += team)
			row[w] = row_of(launch, *first)[w];
		if (lane == 0)
			launch.to_hashes[group] = launch.hashes[*first];
		return;
	}
	if (launch.shape.state_kind[s] == STATE_EXACT)
	{
		exact_collect(first_of(launch)[group + 1] - first_of(launch)[group],
					  [&](uint32_t r, uint32_t w) { return row_of(launch, first[r])[launch.shape.state_word[s] + w]; }, team,
					  row + launch.shape.state_word[s]);
		return;
	}
	state_init((StateKind) launch.shape.state_kind[s], total);
	overflow = merge_states(launch, s, first + lane, by_group(launch) + first_of(launch)[group + 1], team, total);
	overflow |= state_reduce((StateKind) launch.shape.state_kind[s], total, team);
	if (lane == 0)
#pragma unroll
		for (uint32_t w = 0; w < 5; w++)
			if (w < state_words((StateKind) launch.shape.state_kind[s]))
				row[launch.shape.state_word[s] + w] = total[w];
	if (overflow)
		atomicCAS(&launch.result->status, (uint32_t) STATUS_DONE, (uint32_t) STATUS_DECIMAL_TOO_WIDE);
}

static __global__ void __launch_bounds__(COMBINE_THREADS)
combine_kernel(const __grid_constant__ CombineLaunch launch)
{
	const uint32_t ngroups = launch.result->nrows;
	uint32_t	team;

	/* not DONE also if another block of this kernel has just failed, which ends the batch anyway */
	if (launch.result->status != STATUS_DONE)
		return;
	team = first_of(launch)[ngroups] >= TEAM_ROWS * ngroups ? 32 : 1;
	for (uint32_t i = (blockIdx.x * COMBINE_THREADS + threadIdx.x) / team; i < ngroups * (launch.shape.nstates + 1u);
		 i += gridDim.x * COMBINE_THREADS / team)
		combine(launch, i % ngroups, i / ngroups, team);
}

int
combine_prepare(void)
{
	return cudaFuncSetAttribute(number_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int) sizeof(Numbering));
}

int
combine_rows(const CombineLaunch *launch, uint32_t multiprocessors, void *stream)
{
	number_kernel<<<1, NUMBER_THREADS, sizeof(Numbering), (cudaStream_t) stream>>>(*launch);
	combine_kernel<<<2 * multiprocessors, COMBINE_THREADS, 0, (cudaStream_t) stream>>>(*launch);
	return cudaGetLastError();
}

/*
 * kernel_groups.cu
 *		Merging rows of groups into a device-resident group table.
 *
 * Blocks of the tile VM aggregate what they can in shared memory and leave
 * rows; this file merges those of all blocks and batches.  Two launches:
 * find_kernel finds or adds groups, a thread a row, and may end for want of room;
 * update_kernel updates states and may not.  So no row counts twice, and a batch
 * counts whole or not at all.
 *
 * A thread that adds a group marks the slot BUSY by atomicCAS(), takes the group's
 * number and its room in the heap by one atomic addition, writes the key, and
 * publishes the slot; a thread that looks for the same key waits for that.  Each
 * thread of a warp makes progress by itself since Volta, so waiting for another
 * lane is safe.
 *
 * When states are updated, a warp takes 32 rows, and one thread merges those of
 * the same group first.  It adds them to the group by atomic operations, or, for
 * extremes that have no atomic form, under the group's spin lock.
 */
#include <cuda_runtime.h>

#include "core/provider_api.h"

#include "block/states.cuh"
#include "kernels/groups_launch.h"
#include "kernels/tuning.cuh"

#define BUSY UINT32_MAX

/*
 * Sums wrap around unnoticed. 2^32 partial sums below 2^94 stay below 2^126. Of larger ones the
 * table counts the total size, over all groups: while it is below 2^125, no group can have
 * overflowed.
 */
#define LARGE_SUM_BITS 94
#define LARGE_SUMS_MOST ((uint64_t) 1 << (125 - 64))

static __device__ __forceinline__ uint64_t
tagged(uint64_t hash, uint32_t low)
{
	return (hash >> 32) << 32 | low;
}

/* Load a word of the table bypassing the L1 cache, in which other threads' writes do not appear. */
static __device__ __forceinline__ uint64_t
read_stored(const uint64_t *word)
{
	return __ldcg((const Word *) word);
}

/* Return the bytes of text t of a row to merge. */
static __device__ __forceinline__ const uint8_t *
text_of_row(const GroupsLaunch &launch, const uint64_t *row, uint32_t t)
{
	const uint64_t ref = row[launch.shape.text_word[t]];
	const Tablet *rows = TEXT_TABLE(ref) ? launch.tables[TEXT_TABLE(ref) - 1].rows : NULL;

	return (ref & TEXT_IN_PROGRAM ? launch.constants : rows != NULL ? tablet_at(rows, rows->var) : launch.texts) + TEXT_OFFSET(ref);
}

static __device__ __forceinline__ uint32_t
text_length(const GroupsLaunch &launch, const uint64_t *row, uint32_t t)
{
	return (uint32_t) row[launch.shape.text_word[t] + 1];
}

/* Return unit u of a text, which may have any alignment; bytes behind its end are 0. */
static __device__ uint64_t
unit_of_text(const uint8_t *bytes, uint32_t length, uint32_t u)
{
	const uint32_t n = min(length - u * HEAP_UNIT, (uint32_t) HEAP_UNIT);
	uint64_t	unit = 0;

	for (uint32_t i = 0; i < n; i++)
		unit |= (uint64_t) bytes[u * HEAP_UNIT + i] << (8 * i);
	return unit;
}

/* Return true if a stored key has a row's texts; their lengths have been compared. */
static __device__ bool
same_texts(const GroupsLaunch &launch, const uint64_t *stored, const uint64_t *row)
{
	for (uint32_t t = 0; t < launch.shape.ntexts; t++)
	{
		const uint64_t *heap = launch.table.heap + read_stored(&stored[launch.shape.text_word[t]]) / HEAP_UNIT;
		const uint8_t *bytes = text_of_row(launch, row, t);
		const uint32_t length = text_length(launch, row, t);

		for (uint32_t u = 0; u < UNITS_OF_TEXT(length); u++)
			if (read_stored(&heap[u]) != unit_of_text(bytes, length, u))
				return false;
	}
	return true;
}

/* Return true if a stored key equals a row's. */
template <bool TEXTS> static __device__ __forceinline__ bool
same_key(const GroupsLaunch &launch, const uint64_t *stored, const uint64_t *row)
{
	uint32_t	t = 0;

	for (uint32_t w = 0; w < launch.shape.key_words; w++)
	{
		if (TEXTS && t < launch.shape.ntexts && w == launch.shape.text_word[t])
			t++;
		else if (read_stored(&stored[w]) != row[w])
			return false;
	}
	return !TEXTS || same_texts(launch, stored, row);
}

/* Return the units of the heap that a row's texts take. */
static __device__ uint32_t
units_of_row(const GroupsLaunch &launch, const uint64_t *row)
{
	uint32_t	units = 0;

	for (uint32_t t = 0; t < launch.shape.ntexts; t++)
		units += UNITS_OF_TEXT(text_length(launch, row, t));
	return units;
}

/* Copy a row's texts into the heap from unit `at` on, and store their offsets in its group's key. */
static __device__ void
store_texts(const GroupsLaunch &launch, uint64_t *into, const uint64_t *row, uint32_t at)
{
	for (uint32_t t = 0; t < launch.shape.ntexts; t++)
	{
		const uint8_t *bytes = text_of_row(launch, row, t);
		const uint32_t length = text_length(launch, row, t);

		into[launch.shape.text_word[t]] = (uint64_t) at * HEAP_UNIT;
		for (uint32_t u = 0; u < UNITS_OF_TEXT(length); u++)
			launch.table.heap[at++] = unit_of_text(bytes, length, u);
	}
}

/*
 * Take a group and `units` units of the heap; return false if there is too little room for either,
 * for this and all later requests.
 */
static __device__ bool
take_room(const DeviceTable &table, uint32_t units, uint64_t *room)
{
	/* bounds the room that failing calls request */
	if (*(volatile uint64_t *) &table.counts->refused != 0)
		return false;
	*room = atomicAdd((Word *) &table.counts->taken, (Word) TABLE_ROOM(1, units));
	if (ROOM_GROUPS(*room) < table.capacity && (uint64_t) ROOM_UNITS(*room) + units <= table.heap_units)
		return true;
	atomicMax((Word *) &table.counts->refused, (Word) ~*room);
	return false;
}

/*
 * Add the group of row i at a slot that this thread has marked, and publish it; return false, with
 * the slot freed, if there is no room. A group that is too large sets MEMORY_LIMIT.
 */
template <bool TEXTS> static __device__ bool
add_group(const GroupsLaunch &launch, uint32_t at, uint32_t i)
{
	const DeviceTable &table = launch.table;
	const uint64_t *row = launch.rows + (size_t) i * launch.shape.row_words;
	const uint32_t units = TEXTS ? units_of_row(launch, row) : 0;
	const bool	large = 1 + launch.shape.row_words + units > GROUP_WORDS_MOST;
	uint64_t	room;

	if (large)
		atomicCAS(&launch.result->status, (uint32_t) STATUS_DONE, (uint32_t) STATUS_MEMORY_LIMIT);
	if (large || !take_room(table, units, &room))
	{
		atomicExch((Word *) &table.slots[at], 0);
		return false;
	}
	const uint32_t group = ROOM_GROUPS(room);
	uint64_t   *into = table.rows + (size_t) group * launch.shape.row_words;

	table.hashes[group] = launch.hashes[i];
	for (uint32_t w = 0; w < launch.shape.key_words; w++)
		into[w] = row[w];
	if (TEXTS)
		store_texts(launch, into, row, ROOM_UNITS(room));
	for (uint32_t s = 0; s < launch.shape.nstates; s++)
		state_init((StateKind) launch.shape.state_kind[s], into + launch.shape.state_word[s]);
	__threadfence();
	atomicExch((Word *) &table.slots[at], tagged(launch.hashes[i], group + 1));
	launch.group[i] = group;
	return true;
}

/* Find the group of row i, or add it; return false if there is no room. */
template <bool TEXTS> static __device__ bool
find_group(const GroupsLaunch &launch, uint32_t i)
{
	const DeviceTable &table = launch.table;
	const uint64_t hash = launch.hashes[i];
	const uint32_t mask = table.nslots - 1;
	const uint64_t *row = launch.rows + (size_t) i * launch.shape.row_words;
	uint32_t	at = (uint32_t) hash & mask;

	for (;;)
	{
		uint64_t	slot = *(volatile uint64_t *) &table.slots[at];
		uint32_t	group;

		if (slot == 0)
		{
			slot = atomicCAS((Word *) &table.slots[at], 0, tagged(hash, BUSY));
			if (slot == 0)
				return add_group<TEXTS>(launch, at, i);
		}
		group = (uint32_t) slot - 1;
		if (slot >> 32 == hash >> 32)
		{
			/* perhaps the same key: wait until it is written */
			if ((uint32_t) slot == BUSY)
				continue;
			__threadfence();
			if (same_key<TEXTS>(launch, table.rows + (size_t) group * launch.shape.row_words, row))
			{
				launch.group[i] = group;
				return true;
			}
		}
		at = (at + 1) & mask;
	}
}

template <bool TEXTS> static __global__ void __launch_bounds__(GROUPS_THREADS)
find_kernel(const __grid_constant__ GroupsLaunch launch)
{
	for (uint32_t i = blockIdx.x * GROUPS_THREADS + threadIdx.x; i < launch.nrows; i += gridDim.x * GROUPS_THREADS)
		if (launch.group[i] == GROUP_UNKNOWN && !find_group<TEXTS>(launch, i))
			atomicAdd(&launch.result->pending, 1u);
}

/*
 * Add v to a 128-bit integer atomically, with wraparound. The thread that makes the low word wrap
 * around carries to the high one.
 */
static __device__ void
add_wide(uint64_t *into, Wide v)
{
	const uint64_t low = (uint64_t) v;
	uint64_t	high = (uint64_t) ((UWide) v >> 64);

	if (low != 0)
	{
		const uint64_t before = atomicAdd((Word *) into, (Word) low);

		high += before + low < before;
	}
	if (high != 0)
		atomicAdd((Word *) &into[1], (Word) high);
}

/*
 * Return true if a group could overflow once partial sum v is in the table; the sizes of large sums
 * are added up in counts->large_sums.
 */
static __device__ bool
may_overflow(TableCounts *counts, Wide v)
{
	const uint64_t size = (uint64_t) ((v < 0 ? 0 - (UWide) v : (UWide) v) >> 64);

	return size >> (LARGE_SUM_BITS - 64) != 0 &&
		(size >= LARGE_SUMS_MOST || atomicAdd((Word *) &counts->large_sums, (Word) size + 1) + size >= LARGE_SUMS_MOST);
}

/* Merge a state by atomic operations; *error is set if a sum could overflow. */
static __device__ void
merge_atomic(StateKind kind, TableCounts *counts, uint64_t *into, const uint64_t *from, uint32_t *error)
{
	switch (kind)
	{
		case STATE_COUNT:
			if (from[0] != 0)
				atomicAdd((Word *) into, (Word) from[0]);
			break;
		case STATE_SUM:
			{
				const Wide	v = wide_load(from);

				*error |= may_overflow(counts, v);
				add_wide(into, v);
			}
			break;
		case STATE_SUM_F:
		case STATE_SUM_SQ:
			float_merge_together(kind, into, 1, from);
			break;
		case STATE_MIN_I:
			atomicMin((long long *) into, (long long) from[0]);
			break;
		case STATE_MAX_I:
			atomicMax((long long *) into, (long long) from[0]);
			break;
		case STATE_ALL_BITS:
			atomicAnd((Word *) into, (Word) from[0]);
			break;
		case STATE_ANY_BITS:
			atomicOr((Word *) into, (Word) from[0]);
			break;
		case STATE_ODD_BITS:
			atomicXor((Word *) into, (Word) from[0]);
			break;
		default:
			break;
	}
}

/*
 * Return true if an extreme of 128 bits may replace a stored one, which only ever improves; called
 * without the lock. The upper word is read first and written last, so the lower one is at least as
 * new: the value that they form is no better than the one that will be stored in the end.
 */
static __device__ bool
may_replace(StateKind kind, const uint64_t *into, const uint64_t *from)
{
	const uint64_t high = read_stored(&into[1]);
	Wide		stored;
	Wide		v;

	__threadfence();
	stored = (Wide) ((UWide) high << 64 | read_stored(&into[0]));
	v = wide_load(from);
	/* equal extremes may have different companions */
	if (v == stored)
		return kind == STATE_MIN_BY || kind == STATE_MAX_BY;
	return kind == STATE_MIN_W || kind == STATE_MIN_BY ? v < stored : v > stored;
}

/* Merge a state; the calling thread holds the group's lock. */
static __device__ void
merge_locked(StateKind kind, uint64_t *into, const uint64_t *from, uint32_t *error)
{
	const uint32_t words = state_words(kind);
	uint64_t	state[5];

	for (uint32_t w = 0; w < words; w++)
		state[w] = __ldcg((const Word *) &into[w]);
	state_merge(kind, state, from, error);
	for (uint32_t w = 0; w < words; w++)
	{
		__stcg((Word *) &into[w], (Word) state[w]);
		/* see may_replace() */
		if (w == 0)
			__threadfence();
	}
}

/* Merge state s of the warp's rows `peers`, which have a group in common, into `total`. */
static __device__ void
collect(const GroupsLaunch &launch, uint32_t s, uint32_t first, uint32_t peers, uint64_t *total, uint32_t *error)
{
	const StateKind kind = (StateKind) launch.shape.state_kind[s];

	state_init(kind, total);
	for (; peers != 0; peers &= peers - 1)
		state_merge(kind, total, launch.rows + (size_t) (first + __ffs((int) peers) - 1) * launch.shape.row_words +
					launch.shape.state_word[s], error);
}

/* Merge the states of the warp's rows `peers` into their group: all that are atomic, or all that are not. */
static __device__ void
update_states(const GroupsLaunch &launch, uint64_t *into, uint32_t first, uint32_t peers, bool atomic)
{
	uint32_t	error = 0;

	for (uint32_t s = 0; s < launch.shape.nstates; s++)
	{
		const StateKind kind = (StateKind) launch.shape.state_kind[s];
		uint64_t	total[5];

		if (state_is_atomic(kind) != atomic)
			continue;
		collect(launch, s, first, peers, total, &error);
		if (atomic)
			merge_atomic(kind, launch.table.counts, into + launch.shape.state_word[s], total, &error);
		else
			merge_locked(kind, into + launch.shape.state_word[s], total, &error);
	}
	if (error)
		atomicCAS(&launch.result->status, (uint32_t) STATUS_DONE, (uint32_t) STATUS_DECIMAL_TOO_WIDE);
}

/* Return true if the warp's rows `peers` may change a state that has no atomic form. */
static __device__ bool
may_change(const GroupsLaunch &launch, const uint64_t *into, uint32_t first, uint32_t peers)
{
	uint32_t	error = 0;

	for (uint32_t s = 0; s < launch.shape.nstates; s++)
	{
		const StateKind kind = (StateKind) launch.shape.state_kind[s];
		uint64_t	total[5];

		if (state_is_atomic(kind))
			continue;
		collect(launch, s, first, peers, total, &error);
		if (may_replace(kind, into + launch.shape.state_word[s], total))
			return true;
	}
	return false;
}

/*
 * Merge states that have no atomic form under the group's lock. Few threads get here, since most
 * rows have no better extreme than others before them.
 */
static __device__ void
update_under_lock(const GroupsLaunch &launch, uint32_t group, uint64_t *into, uint32_t first, uint32_t peers)
{
	for (bool done = false; !done;)
		if (atomicCAS(&launch.table.locks[group], 0u, 1u) == 0)
		{
			__threadfence();
			update_states(launch, into, first, peers, false);
			__threadfence();
			atomicExch(&launch.table.locks[group], 0u);
			done = true;
		}
}

/* Update the states of all rows' groups; a warp's rows of one group are merged first, by one of its threads. */
static __global__ void __launch_bounds__(GROUPS_THREADS)
update_kernel(const __grid_constant__ GroupsLaunch launch)
{
	const uint32_t lane = threadIdx.x & 31;

	if (blockIdx.x == 0 && threadIdx.x == 0)
		launch.result->ngroups = ROOM_GROUPS(read_stored(&launch.table.counts->taken));
	for (uint32_t first = blockIdx.x * GROUPS_THREADS + threadIdx.x / 32 * 32; first < launch.nrows; first += gridDim.x * GROUPS_THREADS)
	{
		const bool	mine = first + lane < launch.nrows;
		const uint32_t rows = __ballot_sync(~0u, mine);
		const uint32_t group = mine ? launch.group[first + lane] : 0;
		uint32_t	peers = 0;

		if (mine)
			peers = __match_any_sync(rows, group);
		if (mine && lane == (uint32_t) __ffs((int) peers) - 1)
		{
			uint64_t   *into = launch.table.rows + (size_t) group * launch.shape.row_words;

			update_states(launch, into, first, peers, true);
			if (launch.shape.locked && may_change(launch, into, first, peers))
				update_under_lock(launch, group, into, first, peers);
		}
		__syncwarp();
	}
}

static __global__ void __launch_bounds__(GROUPS_THREADS)
rehash_kernel(const DeviceTable table, uint32_t n)
{
	const uint32_t mask = table.nslots - 1;

	for (uint32_t g = blockIdx.x * GROUPS_THREADS + threadIdx.x; g < n; g += gridDim.x * GROUPS_THREADS)
	{
		const uint64_t slot = tagged(table.hashes[g], g + 1);
		uint32_t	at = (uint32_t) table.hashes[g] & mask;

		while (atomicCAS((Word *) &table.slots[at], 0, (Word) slot) != 0)
			at = (at + 1) & mask;
	}
}

/* Return the number of blocks for n items, at most GROUPS_BLOCKS: each block goes on with further items. */
static int
blocks_for(uint32_t n)
{
	const uint32_t blocks = (n + GROUPS_THREADS - 1) / GROUPS_THREADS;

	return (int) (blocks == 0 ? 1 : blocks < GROUPS_BLOCKS ? blocks : GROUPS_BLOCKS);
}

int
groups_find(const GroupsLaunch *launch, void *stream)
{
	(launch->shape.ntexts > 0 ? find_kernel<true> : find_kernel<false>)<<<blocks_for(launch->nrows), GROUPS_THREADS, 0,
		(cudaStream_t) stream>>>(*launch);
	return cudaGetLastError();
}

int
groups_update(const GroupsLaunch *launch, void *stream)
{
	update_kernel<<<blocks_for(launch->nrows), GROUPS_THREADS, 0, (cudaStream_t) stream>>>(*launch);
	return cudaGetLastError();
}

int
groups_rehash(const DeviceTable *table, uint32_t n, void *stream)
{
	rehash_kernel<<<blocks_for(n), GROUPS_THREADS, 0, (cudaStream_t) stream>>>(*table, n);
	return cudaGetLastError();
}

/*
 * states.cuh
 *		Aggregate states in shared memory while a block runs, and their collection.
 *
 * Every word of a group's states has `replicas` copies, side by side, and a
 * thread updates the replica of its number modulo that.  With a replica for
 * each thread updates are plain loads and stores, with fewer they are atomic.
 * States that have no atomic form use one replica a warp then, and its lanes
 * take turns.  Sums of floats have an atomic form: an atomic addition returns
 * the value that it was added to, which tells the rounding error; that is added
 * to the compensation.
 *
 * A sum is one replicated word of 64 bits, which takes every value so small
 * that a block's rows cannot overflow it, and three more words that the block
 * has once, without replicas, and that count units of 2^32, 2^64 and 2^96 for
 * larger values.
 *
 * state_collect() makes of the replicas the words that core/vm/op_agg.h defines.
 */
#ifndef GPUDB_CUDA_STATES_CUH
#define GPUDB_CUDA_STATES_CUH

#include "core/vm/op_agg.h"
#include "core/vm/program.h"
#include "kernels/tuning.cuh"

/* Return the number of a state's words that have replicas. */
static __host__ __device__ inline uint32_t
state_replicated(StateKind kind)
{
	return kind == STATE_SUM ? 1 : state_words(kind);
}

/* Return the number of a state's words that the block has once. */
static __host__ __device__ inline uint32_t
state_single(StateKind kind)
{
	return kind == STATE_SUM ? 3 : 0;
}

/*
 * A sum may count its rows as well, in the upper 16 bits of its replicas' words: each row then adds
 * the lower 32 bits of a value to the lower 48 bits, and the upper bits are added as those of a
 * large value. COUNTED_ROWS is the most rows that a replica takes.
 */
#define COUNTED_SHIFT	48
#define COUNTED_ROWS	65535u

/* The part of a replica's words that belongs to a state. */
typedef enum WordPart
{
	WORD_ALL,
	WORD_SUM,
	WORD_COUNT
} WordPart;

static __device__ __forceinline__ uint64_t
part_of_word(uint64_t word, WordPart part)
{
	return part == WORD_ALL ? word : part == WORD_COUNT ? word >> COUNTED_SHIFT : word & (((uint64_t) 1 << COUNTED_SHIFT) - 1);
}

/* The replicas of a state: all replicas of its first word, then those of the next. */
typedef struct Replicas
{
	const uint64_t *word;
	uint32_t	n;
	WordPart	part;
} Replicas;

/* Initialize one replica of a state. */
static __device__ inline void
state_fill(StateKind kind, uint64_t *state, uint32_t replicas)
{
	uint64_t	initial[5] = {0};

	if (kind == STATE_EXACT)
	{
		for (uint32_t w = 0; w < EXACT_WORDS; w++)
			state[w * replicas] = 0;
		return;
	}
	if (kind != STATE_SUM)
		state_init(kind, initial);
	for (uint32_t w = 0; w < state_replicated(kind); w++)
		state[w * replicas] = initial[w];
}

typedef unsigned long long Word;	/* the type of CUDA's 64-bit atomics */

/*
 * Add to a word of shared memory that other threads add to, by two 32-bit additions, which shared
 * memory has as instructions. The thread whose addition makes the low half wrap around carries to
 * the high half.
 */
static __device__ __forceinline__ void
add_shared(uint64_t *word, uint64_t v)
{
	uint32_t   *half = (uint32_t *) word;
	uint32_t	low = (uint32_t) v;
	uint32_t	before = atomicAdd(&half[0], low);
	uint32_t	high = (uint32_t) (v >> 32) + (before + low < before);

	if (high != 0)
		atomicAdd(&half[1], high);
}

/* Add v to a replica: `alone`, the only thread that uses it, by a plain addition, else atomically. */
static __device__ __forceinline__ void
add_state(uint64_t *replica, bool alone, uint64_t v)
{
	if (alone)
		*replica += v;
	else
		add_shared(replica, v);
}

/*
 * Return a word for which sum_is_small() is true if a value keeps a block's sum within 64 bits:
 * -2^bits <= v < 2^bits. Several values do if it is true for the OR of their words.
 */
static __device__ __forceinline__ uint32_t
sum_excess(int64_t v, uint32_t bits)
{
	return (uint32_t) (v >> 32) + (1u << (bits - 32));
}

static __device__ __forceinline__ bool
sum_is_small(uint32_t excess, uint32_t bits)
{
	return excess >> (bits - 31) == 0;
}

/*
 * Add a value to a sum: to a replica, `alone` or shared with other threads, and the upper half of a
 * large value to the words without replicas.
 */
static __device__ __forceinline__ void
sum_add(uint64_t *replica, bool alone, uint64_t *single, int64_t v, uint32_t bits)
{
	bool		small = sum_is_small(sum_excess(v, bits), bits);
	uint64_t	low = small ? (uint64_t) v : (uint64_t) v & 0xffffffffu;

	add_state(replica, alone, low);
	if (!small)
		add_shared(single, (uint64_t) (v >> 32));
}

static __device__ __forceinline__ void
sum_add_wide(uint64_t *replica, bool alone, uint64_t *single, Wide v, uint32_t bits)
{
	int64_t		low = (int64_t) v;
	int64_t		high = (int64_t) (v >> 64);

	if (wide_fits_int64(v))
		sum_add(replica, alone, single, low, bits);
	else
	{
		sum_add(replica, alone, single, low & 0xffffffff, bits);
		add_shared(single, (uint64_t) low >> 32);
		add_shared(single + 1, (uint64_t) high & 0xffffffffu);
		add_shared(single + 2, (uint64_t) (high >> 32));
	}
}

/*
 * Return the total of a sum: the sum of its replicas, and the words without replicas, which count
 * units of 2^32, 2^64 and 2^96. *error is set if 128 bits do not hold it.
 */
static __device__ inline Wide
sum_of_parts(Wide part, const uint64_t *single, uint32_t *error)
{
	Wide		low = part + (Wide) (int64_t) single[0] * ((Wide) 1 << 32);
	Wide		high = (Wide) (int64_t) single[1] + (Wide) (int64_t) single[2] * ((Wide) 1 << 32) + (low >> 64);

	*error |= !wide_fits_int64(high);
	return (Wide) ((UWide) high << 64 | (uint64_t) low);
}

/*
 * Merge the states of the first n lanes of a warp into lane 0's, and return nonzero on overflow.
 * All lanes of the warp call this, unless n is 1: then there is nothing to do.
 */
static __device__ __forceinline__ uint32_t
state_reduce(StateKind kind, uint64_t *total, uint32_t n)
{
	const uint32_t lane = threadIdx.x & 31;
	const uint32_t words = state_words(kind);
	uint64_t	one[5] = {0};
	uint32_t	overflow = 0;

	for (uint32_t distance = n / 2; distance > 0; distance /= 2)
	{
#pragma unroll
		for (uint32_t w = 0; w < 5; w++)
			if (w < words)
				one[w] = __shfl_down_sync(~0u, (Word) total[w], distance);
		if (lane < distance)
			state_merge(kind, total, one, &overflow);
	}
	return overflow;
}

/* Return the total of a state's 64-bit replicas, to lane 0 of a team; called by all threads of the team. */
static __device__ __forceinline__ Wide
replicas_total(const Replicas &replicas, uint32_t team)
{
	uint64_t	low = 0;		/* sum of the lower halves */
	int64_t		high = 0;		/* sum of the upper halves */

	for (uint32_t r = threadIdx.x & (team - 1); r < replicas.n; r += team)
	{
		const uint64_t word = part_of_word(replicas.word[r], replicas.part);

		low += (uint32_t) word;
		high += (int64_t) word >> 32;
	}
	for (uint32_t distance = team / 2; distance > 0; distance /= 2)
	{
		low += __shfl_xor_sync(~0u, (Word) low, (int) distance);
		high += (int64_t) __shfl_xor_sync(~0u, (Word) high, (int) distance);
	}
	return (Wide) low + (Wide) high * ((Wide) 1 << 32);
}

/*
 * Add up n exact sums, whose words word_of(number, w) returns, and have lane 0 of a team store the
 * total; called by all threads of the team. Carries between digits are not propagated: digits have
 * room for as many values as a batch has.
 */
template <typename WordOf> static __device__ __forceinline__ void
exact_collect(uint32_t n, WordOf word_of, uint32_t team, uint64_t *into)
{
	const uint32_t lane = threadIdx.x & (team - 1);

	for (uint32_t w = 0; w < EXACT_WORDS; w++)
	{
		uint64_t	total = 0;

		for (uint32_t r = lane; r < n; r += team)
			total = w == EXACT_SEEN ? total | word_of(r, w) : total + word_of(r, w);
		for (uint32_t distance = team / 2; distance > 0; distance /= 2)
		{
			const uint64_t other = __shfl_down_sync(~0u, (Word) total, distance);

			total = w == EXACT_SEEN ? total | other : total + other;
		}
		if (lane == 0)
			into[w] = total;
	}
}

/*
 * Collect all replicas of a state into the words that core/vm/op_agg.h defines; called by a team: a
 * whole warp, whose lane 0 writes, or one thread. Return nonzero if a sum is too large.
 */
static __device__ inline uint32_t
state_collect(StateKind kind, const Replicas &replicas, uint32_t team, const uint64_t *single, uint64_t *into)
{
	const uint32_t lane = threadIdx.x & (team - 1);
	const uint32_t words = state_words(kind);
	uint64_t	total[5] = {0};
	uint64_t	one[5] = {0};
	uint32_t	overflow = 0;
	uint32_t	error = 0;

	/* sums and counts, the usual states, are collected faster than by merging */
	if (kind == STATE_SUM || kind == STATE_COUNT)
	{
		const Wide	sum = replicas_total(replicas, team);

		if (lane == 0 && kind == STATE_SUM)
			wide_store(into, sum_of_parts(sum, single, &error));
		else if (lane == 0)
			into[0] = (uint64_t) sum;
		return error;
	}
	if (kind == STATE_EXACT)
	{
		exact_collect(replicas.n, [&](uint32_t r, uint32_t w) { return replicas.word[w * replicas.n + r]; }, team, into);
		return 0;
	}
	state_init(kind, total);
	for (uint32_t r = lane; r < replicas.n; r += team)
	{
#pragma unroll
		for (uint32_t w = 0; w < 5; w++)
			if (w < state_replicated(kind))
				one[w] = replicas.word[w * replicas.n + r];
		state_merge(kind, total, one, &overflow);
	}
	overflow |= state_reduce(kind, total, min(team, replicas.n));
	if (lane != 0)
		return 0;
#pragma unroll
	for (uint32_t w = 0; w < 5; w++)
		if (w < words)
			into[w] = total[w];
	return 0;
}

/*
 * Totals that state_take() updates, with their states: those that have no atomic form, and sums of
 * floats. EXACT has room for one group alone, so there is no EXACT_G.
 */
#define IN_TURN_TOTALS(TOTAL) \
	TOTAL(MIN_W, MIN_W) TOTAL(MIN_W_G, MIN_W) TOTAL(MAX_W, MAX_W) TOTAL(MAX_W_G, MAX_W) \
	TOTAL(MIN_BY, MIN_BY) TOTAL(MIN_BY_G, MIN_BY) TOTAL(MAX_BY, MAX_BY) TOTAL(MAX_BY_G, MAX_BY) \
	TOTAL(SUM_F, SUM_F) TOTAL(SUM_F_G, SUM_F) TOTAL(SUM_SQ, SUM_SQ) TOTAL(SUM_SQ_G, SUM_SQ) TOTAL(EXACT, EXACT)

static __device__ inline StateKind
state_kind_of(uint16_t op)
{
	switch (op)
	{
#define STATE_OF(name, kind) case VMOP_##name: return STATE_##kind;
		IN_TURN_TOTALS(STATE_OF)
#undef STATE_OF
	}
	return STATE_SUM_SQ;
}

/* Add a value to the words of a sum of floats, or of their squares. */
static __device__ __forceinline__ void
float_take(StateKind kind, uint64_t *words, double v)
{
	if (kind == STATE_SUM_SQ)
	{
		float_square_add(words, v);
		return;
	}
	words[2] |= float_flags(v);
	float_total_add(words, v);
}

/*
 * Add v to `total` and its rounding error to `compensation`, both atomically, since other threads
 * add to them as well.
 */
static __device__ __forceinline__ void
float_total_add_together(uint64_t *total, uint64_t *compensation, double v)
{
	const double before = atomicAdd((double *) total, v);
	const double lost = float_sum_error(before, v);

	if (lost != 0)
		atomicAdd((double *) compensation, lost);
}

/*
 * Merge a sum of floats as state_merge() does, but atomically, since other threads add to it as
 * well; the words of `into` are `apart` words apart.
 */
static __device__ inline void
float_merge_together(StateKind kind, uint64_t *into, uint32_t apart, const uint64_t *from)
{
	/* -0 changes nothing */
	if (from[0] != bits_of_float(-0.0))
		float_total_add_together(into, into + apart, float_of_bits(from[0]));
	if (float_of_bits(from[1]) != 0)
		float_total_add_together(into, into + apart, float_of_bits(from[1]));
	if (kind == STATE_SUM_F && from[2] != 0)
		atomicOr((Word *) (into + 2 * apart), from[2]);
}

/*
 * Add the value of each lane that has one to a sum of floats in shared memory, at the lane's
 * replica; called by all lanes of a warp. Values for one replica are added up first, in steps that
 * halve their number, so that a group with many values causes no contention.
 */
static __device__ inline void
float_take_together(StateKind kind, uint64_t *state, uint32_t replicas, double v, bool has)
{
	const uint32_t lane = threadIdx.x & 31;
	/* no state has an odd address */
	const uint32_t peers = __match_any_sync(~0u, has ? (uint32_t) (uintptr_t) state : 2 * lane + 1);
	uint32_t	behind = peers & ~1u << lane;
	uint32_t	rank = __popc(peers & ((1u << lane) - 1));
	const bool	first = rank == 0;
	uint64_t	total[3] = {bits_of_float(-0.0), bits_of_float(-0.0), 0};	/* the neutral element of either kind */
	uint64_t	other[3];

	if (has)
		float_take(kind, total, v);
	while (__any_sync(~0u, behind != 0))
	{
		const int	next = behind != 0 ? __ffs((int) behind) - 1 : (int) lane;

#pragma unroll
		for (uint32_t w = 0; w < 3; w++)
			other[w] = __shfl_sync(~0u, (Word) total[w], next);
		if (behind != 0)
		{
			float_total_merge(total, other);
			total[2] |= other[2];
		}
		behind &= __ballot_sync(~0u, (rank & 1) == 0);
		rank /= 2;
	}
	if (has && first)
		float_merge_together(kind, state, replicas, total);
}

/* Add a value to a replica of a state; called by the only thread that uses the replica now. */
static __device__ inline void
state_take(uint16_t op, uint64_t *state, uint32_t replicas, const uint64_t *value, const uint64_t *companion)
{
	StateKind	kind = state_kind_of(op);
	uint32_t	n = state_words(kind);
	uint64_t	words[5];
	uint32_t	error = 0;

	if (kind == STATE_EXACT)
	{
		exact_add_strided(state, replicas, float_of_bits(value[0]));
		return;
	}
	for (uint32_t w = 0; w < n; w++)
		words[w] = state[w * replicas];
	switch (kind)
	{
		case STATE_SUM_F:
		case STATE_SUM_SQ:
			float_take(kind, words, float_of_bits(value[0]));
			break;
		case STATE_MIN_BY:
		case STATE_MAX_BY:
			by_merge(kind == STATE_MIN_BY, words, wide_load(value), wide_load(companion), 0);
			break;
		default:
			state_merge(kind, words, value, &error);
			break;
	}
	for (uint32_t w = 0; w < n; w++)
		state[w * replicas] = words[w];
}

/* Count a value in a tally that collects, and store it if there is room. */
static __device__ __forceinline__ void
tally_collect(uint64_t *tally, int64_t value)
{
	const Word	at = atomicAdd((Word *) tally, (Word) 1);

	if (at < SELECT_VALUES)
		tally[1 + at] = (uint64_t) value;
}

#endif							/* GPUDB_CUDA_STATES_CUH */

/*
 * states.cuh
 *		Aggregate states in shared memory while a block works, and their way out.
 *
 * Every word of a group's states stands `replicas` times, side by side.
 * Without groups each thread has a replica.  With groups each lane of a warp
 * has one: threads that add to one group at a time touch words of their own,
 * and only warps can meet, in an atomic operation.  Simple states (counts,
 * sums of integers, extremes of words, bits) are updated so.  Sums keep every
 * 32 bits of what they add apart: plain additions, no carries.  The others use
 * one replica a warp then, and its lanes take turns.
 *
 * state_collect() makes of the replicas the words that core/op_agg.h defines.
 */
#ifndef GPUDB_CUDA_STATES_CUH
#define GPUDB_CUDA_STATES_CUH

#include "core/op_agg.h"
#include "core/program.h"
#include "tuning.cuh"
#include "vm_launch.h"

/* Words of state s while a block works: a sum keeps every 32 bits of what it adds apart. */
static __host__ __device__ inline uint32_t
shape_state_words(const VmShape *shape, const Program *program, uint32_t s)
{
	StateKind	kind = (StateKind) program->state_kind[s];

	if (kind == STATE_SUM)
		return shape->wide_sums[s / 32] >> (s % 32) & 1 ? 4 : 2;
	return state_words(kind);
}

/* An initial state of so many words, `replicas` apart. */
static __device__ inline void
state_fill(StateKind kind, uint32_t words, uint64_t *state, uint32_t replicas)
{
	uint64_t	initial[5] = {0};

	if (kind != STATE_SUM)
		state_init(kind, initial);
	for (uint32_t w = 0; w < words; w++)
		state[w * replicas] = initial[w];
}

typedef unsigned long long Word;	/* as CUDA's atomics take it */

static __device__ __forceinline__ void
add_word(uint64_t *word, uint64_t v)
{
	atomicAdd((Word *) word, (Word) v);
}

/*
 * The total of a sum's parts, which count units of 2^0, 2^32, 2^64 and 2^96;
 * reports what 128 bits do not hold.
 */
static __device__ inline Wide
sum_of_parts(const uint64_t *part, uint32_t *error)
{
	Wide		low = (Wide) part[0] + (Wide) (int64_t) part[1] * ((Wide) 1 << 32);
	Wide		high = (Wide) (int64_t) part[2] + (Wide) (int64_t) part[3] * ((Wide) 1 << 32) + (low >> 64);

	*error |= !wide_fits_int64(high);
	return (Wide) ((UWide) high << 64 | (uint64_t) low);
}

/* All replicas of a state of `words` words into words as core/op_agg.h has them. */
static __device__ inline void
state_collect(StateKind kind, uint32_t words, const uint64_t *state, uint32_t replicas, uint64_t *into, uint32_t *error)
{
	uint64_t	one[5] = {0};

	if (kind == STATE_SUM)
	{
		for (uint32_t w = 0; w < words; w++)
			for (uint32_t r = 0; r < replicas; r++)
				one[w] += state[w * replicas + r];
		wide_store(into, sum_of_parts(one, error));
		return;
	}
	state_init(kind, into);
	for (uint32_t r = 0; r < replicas; r++)
	{
		for (uint32_t w = 0; w < words; w++)
			one[w] = state[w * replicas + r];
		state_merge(kind, into, one, error);
	}
}

/* One value into a state that has no atomic form, by the only thread that has this replica now. */
static __device__ inline void
state_take(const Instr *in, uint64_t *state, uint32_t replicas, const uint64_t *value, const uint64_t *companion,
		   uint32_t *error)
{
	StateKind	kind;
	uint64_t	words[5];
	uint32_t	n;

	switch ((Opcode) in->op)
	{
		case VMOP_MIN_W:
		case VMOP_MIN_W_G:
			kind = STATE_MIN_W;
			break;
		case VMOP_MAX_W:
		case VMOP_MAX_W_G:
			kind = STATE_MAX_W;
			break;
		case VMOP_MIN_BY:
		case VMOP_MIN_BY_G:
			kind = STATE_MIN_BY;
			break;
		case VMOP_MAX_BY:
		case VMOP_MAX_BY_G:
			kind = STATE_MAX_BY;
			break;
		case VMOP_SUM_F:
		case VMOP_SUM_F_G:
			kind = STATE_SUM_F;
			break;
		default:
			kind = STATE_SUM_SQ;
			break;
	}
	n = state_words(kind);
	for (uint32_t w = 0; w < n; w++)
		words[w] = state[w * replicas];
	switch (kind)
	{
		case STATE_SUM_F:
			words[2] |= float_flags(float_of_bits(value[0]));
			float_total_add(words, float_of_bits(value[0]));
			break;
		case STATE_SUM_SQ:
			float_square_add(words, float_of_bits(value[0]));
			break;
		case STATE_MIN_BY:
		case STATE_MAX_BY:
			by_merge(kind == STATE_MIN_BY, words, wide_load(value), wide_load(companion), 0);
			break;
		default:
			state_merge(kind, words, value, error);
			break;
	}
	for (uint32_t w = 0; w < n; w++)
		state[w * replicas] = words[w];
}

#endif							/* GPUDB_CUDA_STATES_CUH */

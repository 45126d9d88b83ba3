/*
 * fast_groups.cuh
 *		Groups and totals of the accumulator machine.
 *
 * A thread looks up the groups of its lanes in the block's table (groups.cuh),
 * and stores their places in shared memory, 16 bits a lane.  Totals are added to
 * the thread's replica of a state in each lane's group (states.cuh): plainly if
 * every thread has a replica, else atomically.
 */
#ifndef GPUDB_CUDA_FAST_GROUPS_CUH
#define GPUDB_CUDA_FAST_GROUPS_CUH

#include "block/accumulator.cuh"
#include "core/hash.h"

/*
 * Mix a word of a key into the hash that tells the slot where its search begins: cheap, and known
 * to this block alone. The upper bits depend on the whole key.
 */
static __device__ __forceinline__ uint32_t
slot_mix(uint32_t hash, uint64_t word)
{
	return hash * 0x85ebca6bu + (uint32_t) word * 0x9e3779b1u + (uint32_t) (word >> 32) * 0xc2b2ae35u;
}

/*
 * Return the word of a key that a KEY contributes: with FLAG_SIGN the upper word, which is the sign
 * of the lower one.
 */
static __device__ __forceinline__ uint64_t
key_part(const FastOp &key, uint64_t word)
{
	return flags_of(key) & FLAG_SIGN ? (uint64_t) ((int64_t) word >> 63) : word;
}

/*
 * Keys of a thread's lanes, for block_find() and block_insert(); Keys defines key_null() and
 * key_word(), the NULL flag and the value of word j of lane k's key.
 */
template <typename Keys> struct GroupLanes
{
	const VmLaunch &launch;
	uint32_t	pc;				/* position of the instruction that finds groups, which the KEYs follow */
	uint32_t	nkeys;			/* words of all keys, a KEY for each */

	__device__ uint64_t null(int k, uint32_t j) const { return ((const Keys *) this)->key_null(k, j); }
	__device__ uint64_t word(int k, uint32_t j) const { return ((const Keys *) this)->key_word(k, j); }
	/* true if word j is the upper one of a key that has two */
	__device__ bool is_sign(uint32_t j) const { return flags_of(fetch(launch, pc + 1 + j)) & FLAG_SIGN; }
	/* word w of the key in a group's row: NULL flags, then the values */
	__device__ uint64_t key(int k, uint32_t w) const
	{
		uint64_t	nulls = 0;

		if (w > 0)
			return null(k, w - 1) ? 0 : word(k, w - 1);
		for (uint32_t j = 0, number = 0; j < nkeys; j++)
			if (!is_sign(j))
				nulls |= null(k, j) << number++;
		return nulls;
	}
	__device__ void write(int k, uint64_t *into) const
	{
		for (uint32_t w = 0; w <= nkeys; w++)
			into[w] = key(k, w);
	}
	__device__ bool equals(int k, const uint64_t *stored) const
	{
		for (uint32_t w = 0; w <= nkeys; w++)
			if (stored[w] != key(k, w))
				return false;
		return true;
	}
	__device__ uint32_t slot_hash(int k) const
	{
		uint32_t	hash = 0;

		for (uint32_t j = 0; j < nkeys; j++)
			hash = slot_mix(hash, null(k, j) ? 0 : word(k, j));
		return hash;
	}
	/* hash of the key, as the interpreter's KEY instructions compute it */
	__device__ uint64_t row_hash(int k) const
	{
		uint64_t	hash = (uint64_t) imm_of(launch, fetch(launch, pc));

		for (uint32_t j = 0; j < nkeys; j++)
			if (!is_sign(j))
				hash = hash_combine(hash, null(k, j) ? UINT64_MAX
									: j + 1 < nkeys && is_sign(j + 1) ? word(k, j) ^ hash_mix(word(k, j + 1)) : word(k, j));
		return hash;
	}
};

/* Keys of a thread's lanes in slots. */
template <int L> struct KeyLanes : GroupLanes<KeyLanes<L>>
{
	__device__ uint64_t key_null(int k, uint32_t j) const
	{
		return operand_nulls<L>(this->launch, fetch(this->launch, this->pc + 1 + j)) >> k & 1u;
	}
	__device__ uint64_t key_word(int k, uint32_t j) const
	{
		const FastOp key = fetch(this->launch, this->pc + 1 + j);

		return key_part(key, ((const uint64_t *) (slot_words<L>(slot_of(key)) + k / 2 * VM_THREADS))[k & 1]);
	}
};

/*
 * Return the places of the groups of a thread's lanes: how far their states are behind those of
 * group 0, in words, or for groups by dense index in bytes.
 */
template <int L> static __device__ __forceinline__ uint16_t *
group_places(const VmLaunch &launch)
{
	return (uint16_t *) (shared_memory + launch.shape.places_at) + thread_here() * L;
}

/* Load word j of all lanes' keys, with 0 for NULL; return true if it may be NULL. */
template <int L> static __device__ __forceinline__ bool
key_words(const VmLaunch &launch, uint32_t pc, uint32_t j, uint64_t *words)
{
	const FastOp key = fetch(launch, pc + 1 + j);
	const WordPair *at = slot_words<L>(slot_of(key));

	EACH_PAIR
	{
		WordPair	pair = at[p * VM_THREADS];

		words[2 * p] = key_part(key, pair.x);
		words[2 * p + 1] = key_part(key, pair.y);
	}
	if (flags_of(key) & FLAG_NULLS)
	{
		const uint32_t nulls = operand_nulls<L>(launch, key);

		EACH_LANE words[k] = nulls >> k & 1u ? 0 : words[k];
		return true;
	}
	return false;
}

/*
 * Search the groups of the lanes `left`, whose first slots have other groups or none, and store
 * their places. Return the lanes whose group is missing.
 */
template <int L> static __device__ __noinline__ uint32_t
probe_on(const VmLaunch &launch, uint32_t left, uint32_t pc)
{
	const BlockGroups *groups = &fast_shared()->groups;
	const KeyLanes<L> lanes = {{launch, pc, launch.shape.key_words - 1}};
	uint32_t	missing = 0;

	for (; left != 0; left &= left - 1)
	{
		const int	k = __ffs((int) left) - 1;
		const uint32_t group = block_find(groups, &launch.shape, lanes, k, lanes.slot_hash(k));

		if (group == GROUP_MISSING)
			missing |= 1u << k;
		else
			group_places<L>(launch)[k] = (uint16_t) (group * groups->stride);
	}
	return missing;
}

/*
 * Find the group of each selected lane, and store its place; return true if a lane of the warp
 * misses its group. All lanes look at their first slot together, which is nearly always the right
 * one, since the table has many more slots than groups.
 */
template <int L> static __device__ __forceinline__ bool
find_groups(const VmLaunch &launch, uint32_t selection, uint32_t pc)
{
	const BlockGroups *groups = &fast_shared()->groups;
	const uint32_t stride = launch.shape.key_words;
	uint32_t	hash[L] = {};
	uint32_t	group[L];
	uint32_t	place[L];
	uint32_t	differ = 0;
	bool		nullable = false;

	for (uint32_t j = 0; j < stride - 1; j++)
	{
		uint64_t	words[L];

		nullable |= key_words<L>(launch, pc, j, words);
		EACH_LANE hash[k] = slot_mix(hash[k], words[k]);
	}
	EACH_LANE
	{
		uint32_t	slot = group_slots(groups)[first_slot(&launch.shape, hash[k])];

		differ |= (slot < SLOT_FIRST ? 1u : 0u) << k;
		group[k] = max(slot, SLOT_FIRST) - SLOT_FIRST;
		place[k] = group[k] * groups->stride;
	}
	EACH_PAIR ((uint32_t *) group_places<L>(launch))[p] = place[2 * p] | place[2 * p + 1] << 16;
	for (uint32_t j = 0; j < stride - 1; j++)
	{
		uint64_t	words[L];

		(void) key_words<L>(launch, pc, j, words);
		EACH_LANE differ |= (group_keys(groups)[group[k] * stride + 1 + j] != words[k] ? 1u : 0u) << k;
	}
	/* 0 and NULL differ in the word of NULL flags */
	if (nullable)
	{
		const KeyLanes<L> lanes = {{launch, pc, stride - 1}};

		EACH_LANE differ |= (group_keys(groups)[group[k] * stride] != lanes.key(k, 0) ? 1u : 0u) << k;
	}
	differ &= selection;
	if (differ != 0)
		differ = probe_on<L>(launch, differ, pc);
	return __any_sync(~0u, differ != 0);
}

/* Return the address of a word of group 0 in the group at a place. */
template <bool DENSE> static __device__ __forceinline__ uint64_t *
in_group(uint64_t *word, uint32_t place)
{
	return DENSE ? (uint64_t *) ((uint8_t *) word + place) : word + place;
}

/* Addresses of a state: the replica of this thread, in each lane's group. */
template <int L, bool DENSE> struct Places
{
	uint32_t	state;
	bool		grouped;
	uint64_t   *replica;		/* replica of this thread in group 0 */
	bool		alone;
	uint32_t	pairs[L / 2];	/* group_places(), two lanes a word */

	__device__ __forceinline__ Places(const VmLaunch &launch, uint32_t s, bool in_groups)
	{
		const uint32_t thread = thread_here();
		const uint32_t replicas = fast_shared()->groups.replicas;

		state = s;
		grouped = in_groups;
		alone = replicas == VM_THREADS;
		replica = (uint64_t *) (shared_memory + launch.shape.groups_at) + launch.shape.state_at[s] * replicas + (thread & (replicas - 1));
		EACH_PAIR pairs[p] = grouped ? ((const uint32_t *) group_places<L>(launch))[p] : 0;
	}
	__device__ __forceinline__ uint64_t *at(int k) const
	{
		return in_group<DENSE>(replica, k % 2 ? pairs[k / 2] >> 16 : pairs[k / 2] & 0xffffu);
	}
};

/* Add a sum's values, all small, each to its group, and `one` with each. */
template <int L, bool DENSE> static __device__ __forceinline__ void
add_small(const Places<L, DENSE> &to, uint32_t active, const uint64_t *v, uint64_t one)
{
	if (to.alone)
		EACH_LANE
		{
			if (active >> k & 1u)
				*to.at(k) += v[k] + one;
		}
	else
		EACH_LANE
		{
			if (active >> k & 1u)
				add_shared(to.at(k), v[k] + one);
		}
}

/* Add a sum's values, some of them large, lane by lane, and `one` with each. */
template <int L, bool DENSE> static __device__ __forceinline__ void
add_large(const VmLaunch &launch, const Places<L, DENSE> &to, uint32_t active, const uint64_t *values, uint64_t one)
{
	uint64_t   *single = block_singles(&fast_shared()->groups, &launch.shape, 0) + launch.shape.single_at[to.state];

#pragma unroll 1
	for (uint32_t left = active; left != 0; left &= left - 1)
	{
		const int	k = __ffs((int) left) - 1;
		const uint32_t place = to.grouped ? group_places<L>(launch)[k] : 0;
		uint64_t	v = 0;

		EACH_LANE_AS(j) v = j == k ? values[j] : v;
		if (one != 0)
		{
			add_state(in_group<DENSE>(to.replica, place), to.alone, (uint32_t) v + one);
			add_shared(in_group<DENSE>(single, place), (uint64_t) ((int64_t) v >> 32));
		}
		else
			sum_add(in_group<DENSE>(to.replica, place), to.alone, in_group<DENSE>(single, place), (int64_t) v, launch.sum_bits);
	}
}

template <int L, bool DENSE> static __device__ __forceinline__ void
sum_words(const VmLaunch &launch, const Machine<L> &m, const FastOp &in, bool grouped)
{
	const uint32_t active = mask_lanes<L>(launch, m, in) & ~m.nulls;
	const bool	counts = DENSE && (flags_of(in) & FLAG_COUNT);
	const uint64_t one = counts ? (uint64_t) 1 << COUNTED_SHIFT : 0;
	/* limits of sum_excess() and sum_is_small(); where rows are counted along, values are small from 0 to 2^32 - 1 */
	const uint32_t least = counts ? 0 : 1u << (launch.sum_bits - 32);
	const uint32_t beyond = counts ? 0 : launch.sum_bits - 31;
	const Places<L, DENSE> to(launch, sum_of(in), grouped);
	uint32_t	excess = 0;

	EACH_LANE excess |= (uint32_t) (m.acc[k] >> 32) + least;
	/* rare, and perhaps of lanes that are not added */
	if (excess >> beyond != 0)
	{
		excess = 0;
		EACH_LANE excess |= active >> k & 1u ? (uint32_t) (m.acc[k] >> 32) + least : 0;
	}
	if (excess >> beyond != 0)
		add_large<L, DENSE>(launch, to, active, m.acc, one);
	else if (grouped)
		add_small<L, DENSE>(to, active, m.acc, one);
	else
	{
		uint64_t	total = 0;

		EACH_LANE total += active >> k & 1u ? m.acc[k] : 0;
		*to.replica += total;
	}
}

template <int L, bool DENSE> static __device__ __forceinline__ void
count_lanes(const VmLaunch &launch, const Machine<L> &m, const FastOp &in, bool grouped)
{
	const Places<L, DENSE> to(launch, x_of(in), grouped);
	uint32_t	active = mask_lanes<L>(launch, m, in);
	uint64_t	one[L];

	if (flags_of(in) & FLAG_ACC_NULLS)
		active &= ~m.nulls;
	if (flags_of(in) & FLAG_BOOL_NULLS)
		active &= ~m.t_nulls;
	EACH_LANE one[k] = 1;
	if (grouped)
		add_small<L, DENSE>(to, active, one, 0);
	else
		*to.replica += __popc(active);
}

template <int L, bool DENSE> static __device__ __forceinline__ void
extreme(const VmLaunch &launch, const Machine<L> &m, const FastOp &in, bool grouped, bool least)
{
	const Places<L, DENSE> to(launch, x_of(in), grouped);
	const uint32_t active = mask_lanes<L>(launch, m, in) & ~m.nulls;

	EACH_LANE
		if (active >> k & 1u)
		{
			long long  *state = (long long *) to.at(k);
			long long	v = (long long) m.acc[k];

			if (to.alone)
				*state = least ? min(*state, v) : max(*state, v);
			else if (least)
				atomicMin(state, v);
			else
				atomicMax(state, v);
		}
}

/*
 * Count or collect the values of the mask's lanes in a tally; those that are less than its bound
 * are counted in the state.
 */
template <int L> static __device__ __forceinline__ void
tally_lanes(const VmLaunch &launch, const Machine<L> &m, const FastOp &in, bool collect)
{
	const Places<L, false> to(launch, x_of(in), false);
	const uint32_t active = mask_lanes<L>(launch, m, in) & ~m.nulls;
	const int64_t least = imm_of(launch, in);
	const uint32_t shift = (uint32_t) launch.shape.code.op[here(in.pc)].low;
	uint32_t   *bins = block_bins(&launch.shape, slot_of(in));
	uint32_t	less = 0;

	EACH_LANE
	{
		const int64_t v = (int64_t) m.acc[k];
		const uint64_t bin = select_bin(v, least, shift);

		less |= (v < least ? 1u : 0u) << k;
		if (bin < (collect ? 1 : SELECT_BINS) && (active & ~less) >> k & 1u)
		{
			if (collect)
				tally_collect(launch.tallies + slot_of(in) * TALLY_WORDS, v);
			else
				atomicAdd(&bins[bin], 1u);
		}
	}
	*to.replica += __popc(less & active);
}

/* Add values to a sum of floats whose replicas threads share, lane by lane. */
template <int L, bool DENSE> static __device__ __forceinline__ void
take_together(const VmLaunch &launch, const Places<L, DENSE> &to, StateKind kind, const uint64_t *values, uint32_t active)
{
	const uint32_t replicas = fast_shared()->groups.replicas;

#pragma unroll 1
	for (int k = 0; k < L; k++)
	{
		const uint32_t place = launch.shape.grouped ? group_places<L>(launch)[k] : 0;

		float_take_together(kind, in_group<DENSE>(to.replica, place), replicas, float_of_bits(values[k / 2 * 2 * VM_THREADS + k % 2]),
							active >> k & 1u);
	}
}

/*
 * Add a slot's values to a sum of floats, or an exact one. Each thread has a replica, or shares one
 * with others, or the lanes of a warp share one and take turns. It is a function of its own, and
 * takes the values from a slot, so as not to take registers from other instructions.
 */
template <int L, bool DENSE> static __device__ __noinline__ void
take_in_turn(const VmLaunch &launch, uint32_t pc, uint32_t active)
{
	const FastOp in = fetch(launch, pc);
	const uint64_t *values = (const uint64_t *) slot_words<L>(slot_of(in));
	const BlockGroups *groups = &fast_shared()->groups;
	const Places<L, DENSE> to(launch, x_of(in), false);
	const uint32_t lane = threadIdx.x & 31;
	uint64_t   *mine = to.alone ? to.replica : to.replica - (threadIdx.x & (groups->replicas - 1)) + threadIdx.x / 32;

	active &= ~operand_nulls<L>(launch, in);
	if (!to.alone && state_is_atomic(state_kind_of((uint16_t) imm_of(launch, in))))
	{
		take_together<L, DENSE>(launch, to, state_kind_of((uint16_t) imm_of(launch, in)), values, active);
		return;
	}
#pragma unroll 1
	for (int k = 0; k < L; k++)
	{
		uint32_t	place = launch.shape.grouped ? group_places<L>(launch)[k] : 0;
		uint32_t	left = to.alone ? 1u << lane : __ballot_sync(~0u, active >> k & 1u);

		for (; left != 0; left &= left - 1)
		{
			if (lane == (uint32_t) __ffs((int) left) - 1 && (active >> k & 1u))
				state_take((uint16_t) imm_of(launch, in), in_group<DENSE>(mine, place), groups->replicas,
						   &values[k / 2 * 2 * VM_THREADS + k % 2], NULL);
			if (!to.alone)
				__syncwarp();
		}
	}
}

#endif							/* GPUDB_CUDA_FAST_GROUPS_CUH */

/*
 * accumulator.cuh
 *		Lanes of the accumulator machine: accumulators in a thread's hardware
 *		registers, and slots in shared memory.
 *
 * fast_rows.cuh defines which rows a thread's lanes are; here they come in pairs,
 * as slots are read.  Flags are bits, bit k for lane k.
 */
#ifndef GPUDB_CUDA_ACCUMULATOR_CUH
#define GPUDB_CUDA_ACCUMULATOR_CUH

#include "core/vm/op_compare.h"

#include "block/fast_rows.cuh"

template <int L> struct Machine
{
	uint64_t	acc[L];
	uint32_t	nulls;			/* NULL flags of acc */
	uint32_t	t;				/* accumulator for bools */
	uint32_t	t_nulls;
	uint32_t	selection;
};

/* An instruction as a thread holds it: its first word, and where its other words are. */
typedef struct FastOp
{
	uint64_t	head;
	uint32_t	pc;
} FastOp;

static __device__ __forceinline__ FastOp
fetch(const VmLaunch &launch, uint32_t pc)
{
	return {*(const uint64_t *) &launch.shape.code.op[pc], pc};
}

static __device__ __forceinline__ uint32_t op_of(const FastOp &in) { return (uint32_t) in.head & 0xff; }
static __device__ __forceinline__ uint32_t x_of(const FastOp &in) { return here((uint32_t) in.head) >> 8 & 0xff; }
static __device__ __forceinline__ uint32_t flags_of(const FastOp &in) { return (uint32_t) in.head >> 16; }
static __device__ __forceinline__ uint32_t slot_of(const FastOp &in) { return here((uint32_t) (in.head >> 32)) & 0xff; }
static __device__ __forceinline__ uint32_t mask_of(const FastOp &in) { return here((uint32_t) (in.head >> 32)) >> 8 & 0xff; }
static __device__ __forceinline__ uint32_t put_of(const FastOp &in) { return here((uint32_t) (in.head >> 32)) >> 16 & 0xff; }
static __device__ __forceinline__ uint32_t sum_of(const FastOp &in) { return here((uint32_t) (in.head >> 32)) >> 24; }

static __device__ __forceinline__ int64_t
imm_of(const VmLaunch &launch, const FastOp &in)
{
	return launch.shape.code.op[here(in.pc)].imm;
}

/* Return a word as the type that an operation takes; word_of() converts the result back. */
template <typename T> static __device__ __forceinline__ T
typed(uint64_t word) { return (T) word; }

template <> __device__ __forceinline__ double
typed<double>(uint64_t word) { return __longlong_as_double((long long) word); }

static __device__ __forceinline__ uint64_t word_of(int64_t v) { return (uint64_t) v; }
static __device__ __forceinline__ uint64_t word_of(uint64_t v) { return v; }
static __device__ __forceinline__ uint64_t word_of(double v) { return (uint64_t) __double_as_longlong(v); }

struct alignas(16) WordPair
{
	uint64_t	x;
	uint64_t	y;
};

/* Second operand of an operation, read pair by pair from a slot; ConstantOperand is the counterpart for a constant. */
template <int L> struct SlotOperand
{
	const WordPair *at;

	__device__ __forceinline__ WordPair pair(int p) const { return at[p * VM_THREADS]; }
};

struct ConstantOperand
{
	uint64_t	word;

	__device__ __forceinline__ WordPair pair(int) const { return {word, word}; }
};

template <int L> static __device__ __forceinline__ WordPair *
slot_words(uint32_t slot)
{
	return (WordPair *) (shared_memory + FAST_VALUES_AT) + slot * (L / 2 * VM_THREADS) + thread_here();
}

template <int L> static __device__ __forceinline__ uint8_t *
slot_nulls(const VmLaunch &launch, uint32_t slot)
{
	return shared_memory + fast_nulls_at(&launch.shape, L) + slot * VM_THREADS + thread_here();
}

/* Return the NULL flags of an instruction's slot of words; 0 if it has none. */
template <int L> static __device__ __forceinline__ uint32_t
operand_nulls(const VmLaunch &launch, const FastOp &in)
{
	return flags_of(in) & FLAG_NULLS ? *slot_nulls<L>(launch, slot_of(in)) : 0;
}

/* Return a thread's byte of a slot of bools; their NULL flags are VM_THREADS bytes behind it. */
template <int L> static __device__ __forceinline__ uint8_t *
bool_slot(const VmLaunch &launch, uint32_t slot)
{
	return shared_memory + fast_bools_at(&launch.shape, L) + slot * 2 * VM_THREADS + thread_here();
}

/* Return the lanes of an instruction's mask. */
template <int L> static __device__ __forceinline__ uint32_t
mask_lanes(const VmLaunch &launch, const Machine<L> &m, const FastOp &in)
{
	return mask_of(in) == 0 ? m.selection : *bool_slot<L>(launch, mask_of(in) - 1u);
}

template <int L> static __device__ __forceinline__ void
get_words(const VmLaunch &launch, Machine<L> &m, const FastOp &in)
{
	const WordPair *at = slot_words<L>(slot_of(in));

	EACH_PAIR
	{
		WordPair	pair = at[p * VM_THREADS];

		m.acc[2 * p] = pair.x;
		m.acc[2 * p + 1] = pair.y;
	}
	m.nulls = operand_nulls<L>(launch, in);
}

template <int L> static __device__ __forceinline__ void
put_words(const VmLaunch &launch, const Machine<L> &m, const FastOp &in)
{
	WordPair   *at = slot_words<L>(put_of(in));

	EACH_PAIR at[p * VM_THREADS] = {m.acc[2 * p], m.acc[2 * p + 1]};
	if (flags_of(in) & FLAG_PUT_NULLS)
		*slot_nulls<L>(launch, put_of(in)) = (uint8_t) m.nulls;
}

template <int L> static __device__ __forceinline__ void
get_bools(const VmLaunch &launch, Machine<L> &m, const FastOp &in)
{
	const uint8_t *at = bool_slot<L>(launch, slot_of(in));

	m.t = at[0];
	m.t_nulls = flags_of(in) & FLAG_NULLS ? at[VM_THREADS] : 0;
}

template <int L> static __device__ __forceinline__ void
put_bools(const VmLaunch &launch, const Machine<L> &m, const FastOp &in)
{
	uint8_t    *at = bool_slot<L>(launch, slot_of(in));

	at[0] = (uint8_t) m.t;
	if (flags_of(in) & FLAG_NULLS)
		at[VM_THREADS] = (uint8_t) m.t_nulls;
}

/* Load a column of stored type S into acc, converted to D. */
template <int L, typename S, typename D> static __device__ __forceinline__ void
load_words(Machine<L> &m, const FastOp &in, uint32_t first)
{
	const FastColumn *column = fast_column(slot_of(in));
	const StoredLanes<L, S> stored(column->values, first, m.selection);

	EACH_LANE m.acc[k] = word_of((D) stored.lane(k));
	m.nulls = flags_of(in) & FLAG_NULLS ? load_bits<L>(column->nulls, first, m.selection) : 0;
}

/* Load the low words of a 128-bit column into acc: the values, where they fit 64 bits. */
template <int L> static __device__ __forceinline__ void
load_low_words(Machine<L> &m, const FastOp &in, uint32_t first)
{
	const FastColumn *column = fast_column(slot_of(in));
	const uint64_t *at = (const uint64_t *) column->values;

	EACH_LANE
		if (m.selection >> k & 1u)
			m.acc[k] = __ldcs((const unsigned long long *) at + 2 * (first + row_of_lane<L>(k)));
	m.nulls = flags_of(in) & FLAG_NULLS ? load_bits<L>(column->nulls, first, m.selection) : 0;
}

/* Load a frame-of-reference encoded column (core/tablet/for_encoding.h) into acc, and add a constant. */
template <int L, typename S> static __device__ __forceinline__ void
load_for_encoded(const VmLaunch &launch, Machine<L> &m, const FastOp &in, uint32_t first)
{
	const FastColumn *column = fast_column(slot_of(in));
	const uint64_t base = column->base + (uint64_t) imm_of(launch, in);
	const uint32_t shift = column->shift;
	/* a multiplication is one instruction, a shift would be four */
	const uint32_t unit = here(1u << (shift & 31));
	const StoredLanes<L, S> stored(column->values, first, m.selection);

	EACH_LANE m.acc[k] = base + (uint64_t) stored.lane(k) * unit;
	/* rare: `unit` is 2^(shift - 32) then */
	if (shift > 31)
		EACH_LANE m.acc[k] = base + ((m.acc[k] - base) << 32);
	m.nulls = flags_of(in) & FLAG_NULLS ? load_bits<L>(column->nulls, first, m.selection) : 0;
}

/* Deselect lanes whose value is NULL or whose stored value is outside of the range; the accumulators stay. */
template <int L, typename S> static __device__ __forceinline__ void
filter_stored(Machine<L> &m, const FastOp &in, uint32_t first)
{
	const FastColumn *column = fast_column(slot_of(in));
	const StoredRange range = fast_shared()->range[x_of(in)];
	const StoredLanes<L, S> stored(column->values, first, m.selection);
	uint32_t	bits = 0;

	if (flags_of(in) & FLAG_NULLS)
		m.selection &= ~load_bits<L>(column->nulls, first, m.selection);
	EACH_LANE bits |= (stored.lane(k) >= range.least && stored.lane(k) <= range.most ? 1u : 0u) << k;
	m.selection &= bits;
}

/* Load a column whose values all equal its base. */
template <int L> static __device__ __forceinline__ void
load_same(Machine<L> &m, const FastOp &in, uint32_t first)
{
	const FastColumn *column = fast_column(slot_of(in));

	EACH_LANE m.acc[k] = column->base;
	m.nulls = flags_of(in) & FLAG_NULLS ? load_bits<L>(column->nulls, first, m.selection) : 0;
}

template <int L> static __device__ __forceinline__ void
load_bools(Machine<L> &m, const FastOp &in, uint32_t first)
{
	const FastColumn *column = fast_column(slot_of(in));
	const StoredLanes<L, uint8_t> stored(column->values, first, m.selection);

	m.t = 0;
	EACH_LANE m.t |= (stored.lane(k) & 1u) << k;
	m.t_nulls = flags_of(in) & FLAG_NULLS ? load_bits<L>(column->nulls, first, m.selection) : 0;
}

/* Set t to f(acc, b), or with FLAG_FILTER deselect lanes where it is not true. */
template <int L, typename T, typename B, typename F> static __device__ __forceinline__ void
compare(Machine<L> &m, const FastOp &in, B b, uint32_t b_nulls, F f)
{
	const uint32_t nulls = m.nulls | b_nulls;
	uint32_t	bits = 0;

	EACH_PAIR
	{
		WordPair	pair = b.pair(p);

		bits |= (f(typed<T>(m.acc[2 * p]), typed<T>(pair.x)) ? 1u : 0u) << (2 * p);
		bits |= (f(typed<T>(m.acc[2 * p + 1]), typed<T>(pair.y)) ? 1u : 0u) << (2 * p + 1);
	}
	if (flags_of(in) & FLAG_FILTER)
		m.selection &= bits & ~nulls;
	else
	{
		m.t = bits;
		m.t_nulls = nulls;
	}
}

/* Deselect lanes whose value is NULL or outside of low .. high. */
template <int L> static __device__ __forceinline__ void
filter_range(const VmLaunch &launch, Machine<L> &m, const FastOp &in)
{
	const VmOp &op = launch.shape.code.op[here(in.pc)];
	const int64_t low = op.low;
	const int64_t high = op.high;
	uint32_t	bits = 0;

	EACH_LANE bits |= (op_le_i(low, (int64_t) m.acc[k]) & op_le_i((int64_t) m.acc[k], high) ? 1u : 0u) << k;
	m.selection &= bits & ~m.nulls;
}

/*
 * Set acc to f(acc, b, &error). An error in a lane of the mask that is not NULL sets the block's
 * status to the instruction's x.
 */
template <int L, typename T, typename B, typename F> static __device__ __forceinline__ void
compute(const VmLaunch &launch, Machine<L> &m, const FastOp &in, B b, uint32_t b_nulls, F f)
{
	uint32_t	errors = 0;

	m.nulls |= b_nulls;
	EACH_PAIR
	{
		WordPair	pair = b.pair(p);
		uint32_t	e = 0;
		uint32_t	e2 = 0;

		m.acc[2 * p] = word_of(f(typed<T>(m.acc[2 * p]), typed<T>(pair.x), &e));
		m.acc[2 * p + 1] = word_of(f(typed<T>(m.acc[2 * p + 1]), typed<T>(pair.y), &e2));
		errors |= e << (2 * p) | e2 << (2 * p + 1);
	}
	if (errors != 0 && (errors & mask_lanes<L>(launch, m, in) & ~m.nulls) != 0)
		atomicCAS(&fast_shared()->groups.status, (uint32_t) STATUS_DONE, x_of(in));
}

/* Set t to f, and its NULL flags to g, of each lane's two bools and their NULL flags: a, an, b, bn. */
template <int L, typename F, typename G> static __device__ __forceinline__ void
combine(Machine<L> &m, uint32_t b, uint32_t b_nulls, F f, G g)
{
	uint32_t	bits = 0;
	uint32_t	nulls = 0;

	EACH_LANE
	{
		const uint8_t a1 = m.t >> k & 1u;
		const uint8_t n1 = m.t_nulls >> k & 1u;
		const uint8_t a2 = b >> k & 1u;
		const uint8_t n2 = b_nulls >> k & 1u;

		bits |= (uint32_t) f(a1, n1, a2, n2) << k;
		nulls |= (uint32_t) g(a1, n1, a2, n2) << k;
	}
	m.t = bits;
	m.t_nulls = nulls;
}

#endif							/* GPUDB_CUDA_ACCUMULATOR_CUH */

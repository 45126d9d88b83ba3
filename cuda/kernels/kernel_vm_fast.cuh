/*
 * kernel_vm_fast.cuh
 *		The accumulator machine: runs a program over a tile, instruction by instruction.
 *
 * Each thread runs the instructions for its L lanes, whose values are in hardware
 * registers; warps go through a tile independently, without barriers.  An
 * instruction is read from the launch's parameters, one ahead.  A warp leaves the
 * tile when no lane is selected, or before any total if a group is missing.
 *
 * core/vm/op_*.h define what an operation computes, block/accumulator.cuh how NULLs
 * and errors go with it; this file dispatches instructions to them.
 */
#ifndef GPUDB_CUDA_KERNELS_KERNEL_VM_FAST_CUH
#define GPUDB_CUDA_KERNELS_KERNEL_VM_FAST_CUH

#include "core/vm/op_arith.h"
#include "core/vm/op_cast.h"
#include "core/vm/op_compare.h"
#include "core/vm/op_date.h"
#include "core/vm/op_logic.h"

#include "block/dense_groups.cuh"
#include "block/fast_joins.cuh"
#include "lower/labels.h"

/*
 * Cases of the switch for an operation f on a and b: the accumulator and a slot or a constant, and,
 * unless the operation commutes, with a and b swapped.
 */
#define SLOT		SlotOperand<L>{slot_words<L>(slot_of(in))}, operand_nulls<L>(launch, in)
#define IMMEDIATE	ConstantOperand{(uint64_t) imm_of(launch, in)}, 0
#define COMPARE(name, type, f) \
	LABEL(VMX_##name##_R): compare<L, type>(m, in, SLOT, [](type a, type b) { return f; }); break; \
	LABEL(VMX_##name##_C): compare<L, type>(m, in, IMMEDIATE, [](type a, type b) { return f; }); break;
#define COMPARE_ORDERED(name, type, f) \
	COMPARE(name, type, f) \
	LABEL(VMX_##name##_RS): compare<L, type>(m, in, SLOT, [](type b, type a) { return f; }); break; \
	LABEL(VMX_##name##_CS): compare<L, type>(m, in, IMMEDIATE, [](type b, type a) { return f; }); break;
#define COMPUTE(name, type, f) \
	LABEL(VMX_##name##_R): compute<L, type>(launch, m, in, SLOT, [](type a, type b, uint32_t *e) { return f; }); break; \
	LABEL(VMX_##name##_C): compute<L, type>(launch, m, in, IMMEDIATE, [](type a, type b, uint32_t *e) { return f; }); break;
#define COMPUTE_ORDERED(name, type, f) \
	COMPUTE(name, type, f) \
	LABEL(VMX_##name##_RS): compute<L, type>(launch, m, in, SLOT, [](type b, type a, uint32_t *e) { return f; }); break; \
	LABEL(VMX_##name##_CS): compute<L, type>(launch, m, in, IMMEDIATE, [](type b, type a, uint32_t *e) { return f; }); break;
/* Set t to f of t, a, and another operand, b; it is NULL where g is true. */
#define COMBINE(other, other_nulls, f, g) \
	combine<L>(m, other, other_nulls, [](uint8_t a, uint8_t an, uint8_t b, uint8_t bn) { return f; }, \
			   [](uint8_t a, uint8_t an, uint8_t b, uint8_t bn) { return g; })

/* Load a column that is not frame-of-reference encoded into an accumulator. */
template <int L> static __device__ __forceinline__ void
load_column(Machine<L> &m, const FastOp &in, uint32_t first)
{
	enum { before = __COUNTER__ };

	switch (op_of(in))
	{
		LABEL(VMX_LOAD_BOOL): load_bools<L>(m, in, first); break;
		LABEL(VMX_LOAD_U8): load_words<L, uint8_t, int64_t>(m, in, first); break;
		LABEL(VMX_LOAD_I16): load_words<L, int16_t, int64_t>(m, in, first); break;
		LABEL(VMX_LOAD_I32): load_words<L, int32_t, int64_t>(m, in, first); break;
		LABEL(VMX_LOAD_U32): load_words<L, uint32_t, int64_t>(m, in, first); break;
		LABEL(VMX_LOAD_I128): load_low_words<L>(m, in, first); break;
		LABEL(VMX_LOAD_F32): load_words<L, float, double>(m, in, first); break;
		LABEL(VMX_LOAD_SAME):
		default: load_same<L>(m, in, first); break;
	}
	static_assert(LABELS_SINCE(before) == VMX_LOAD_SAME - VMX_LOAD_BOOL + 1, "a load has no meaning");
}

/* Run an instruction that reads a frame-of-reference encoded column. */
template <int L> static __device__ __forceinline__ void
read_for_encoded(const VmLaunch &launch, Machine<L> &m, const FastOp &in, uint32_t first)
{
	enum { before = __COUNTER__ };

	switch (here(op_of(in)))
	{
		LABEL(VMX_RANGE_U8): filter_stored<L, uint8_t>(m, in, first); break;
		LABEL(VMX_RANGE_U16): filter_stored<L, uint16_t>(m, in, first); break;
		LABEL(VMX_RANGE_U32): filter_stored<L, uint32_t>(m, in, first); break;
		LABEL(VMX_LOAD_U8_FOR): load_for_encoded<L, uint8_t>(launch, m, in, first); break;
		LABEL(VMX_LOAD_U16_FOR): load_for_encoded<L, uint16_t>(launch, m, in, first); break;
		LABEL(VMX_LOAD_U32_FOR):
		default: load_for_encoded<L, uint32_t>(launch, m, in, first); break;
	}
	static_assert(LABELS_SINCE(before) == VMX_Count - VMX_LOAD_U8_FOR, "what reads a column in a frame-of-reference encoding has no meaning");
}

/* Run an instruction on bools and masks. */
template <int L> static __device__ __forceinline__ void
run_logic(const VmLaunch &launch, Machine<L> &m, const FastOp &in)
{
	const bool	two = op_of(in) == VMX_AND || op_of(in) == VMX_OR || op_of(in) == VMX_BLEND_BOOL;
	const uint8_t *slot = bool_slot<L>(launch, slot_of(in));
	const uint32_t s = two ? slot[0] : 0;
	const uint32_t s_nulls = two && (flags_of(in) & FLAG_NULLS) ? slot[VM_THREADS] : 0;
	const uint32_t mask = mask_lanes<L>(launch, m, in);

	enum { before = __COUNTER__ };

	switch (op_of(in))
	{
		LABEL(VMX_MASK_TRUE): COMBINE(mask, 0, b & is_true(a, an), 0); break;
		LABEL(VMX_MASK_NOT_TRUE): COMBINE(mask, 0, b & (is_true(a, an) ^ 1), 0); break;
		LABEL(VMX_MASK_NOT_FALSE): COMBINE(mask, 0, b & (is_false(a, an) ^ 1), 0); break;
		LABEL(VMX_AND): COMBINE(s, s_nulls, and_value(a, an, b, bn), and_null(a, an, b, bn)); break;
		LABEL(VMX_OR): COMBINE(s, s_nulls, or_value(a, an, b, bn), or_null(a, an, b, bn)); break;
		LABEL(VMX_NOT): COMBINE(0, 0, a ^ 1, an); break;
		LABEL(VMX_IS_TRUE): COMBINE(0, 0, is_true(a, an), 0); break;
		LABEL(VMX_IS_FALSE): COMBINE(0, 0, is_false(a, an), 0); break;
		LABEL(VMX_BLEND_BOOL):
		default:
			m.t = (m.t & mask) | (s & ~mask);
			m.t_nulls = (m.t_nulls & mask) | (s_nulls & ~mask);
			break;
	}
	static_assert(LABELS_SINCE(before) == VMX_IS_FALSE - VMX_MASK_TRUE + 2, "what works on bools has no meaning");
}

template <int L, typename B> static __device__ __forceinline__ void
blend(Machine<L> &m, uint32_t mask, B b, uint32_t b_nulls)
{
	EACH_PAIR
	{
		WordPair	pair = b.pair(p);

		m.acc[2 * p] = mask >> (2 * p) & 1u ? m.acc[2 * p] : pair.x;
		m.acc[2 * p + 1] = mask >> (2 * p + 1) & 1u ? m.acc[2 * p + 1] : pair.y;
	}
	m.nulls = (m.nulls & mask) | (b_nulls & ~mask);
}

enum { before_rest = __COUNTER__ };

/* Run a cold opcode: an instruction that fewer programs have. */
template <int L, bool DENSE> static __device__ __forceinline__ void
run_rest(const VmLaunch &launch, Machine<L> &m, const FastOp &in, uint32_t first, uint32_t n)
{
	switch (here(op_of(in)))
	{
		LABEL(VMX_FILTER): m.selection &= m.t & ~m.t_nulls; break;
		LABEL(VMX_EMIT): store_bits<L>(launch.passed, first, n, m.selection); break;
		LABEL(VMX_SET):
			EACH_LANE m.acc[k] = (uint64_t) imm_of(launch, in);
			m.nulls = flags_of(in) & FLAG_NULLS ? ~0u : 0;
			break;
		LABEL(VMX_GET_BOOL): get_bools<L>(launch, m, in); break;
		LABEL(VMX_PUT_BOOL): put_bools<L>(launch, m, in); break;
		LABEL(VMX_SET_BOOL):
			m.t = imm_of(launch, in) & 1 ? ~0u : 0;
			m.t_nulls = flags_of(in) & FLAG_NULLS ? ~0u : 0;
			break;
		LABEL(VMX_LOAD_BOOL):
		LABEL(VMX_LOAD_U8):
		LABEL(VMX_LOAD_I16):
		LABEL(VMX_LOAD_I32):
		LABEL(VMX_LOAD_U32):
		LABEL(VMX_LOAD_I128):
		LABEL(VMX_LOAD_F32):
		LABEL(VMX_LOAD_SAME): load_column<L>(m, in, first); break;
		LABEL(VMX_MASK_TRUE):
		LABEL(VMX_MASK_NOT_TRUE):
		LABEL(VMX_MASK_NOT_FALSE):
		LABEL(VMX_AND):
		LABEL(VMX_OR):
		LABEL(VMX_NOT):
		LABEL(VMX_IS_TRUE):
		LABEL(VMX_IS_FALSE):
		LABEL(VMX_BLEND_BOOL): run_logic<L>(launch, m, in); break;
		LABEL(VMX_NULL_WORD): m.t = m.nulls; m.t_nulls = 0; break;
		LABEL(VMX_NULL_BOOL): m.t = m.t_nulls; m.t_nulls = 0; break;
		LABEL(VMX_BLEND_R): blend<L>(m, mask_lanes<L>(launch, m, in), SLOT); break;
		LABEL(VMX_BLEND_C): blend<L>(m, mask_lanes<L>(launch, m, in), IMMEDIATE); break;
		COMPARE(EQ_I, int64_t, op_eq_i(a, b))
		COMPARE(NE_I, int64_t, op_ne_i(a, b))
		COMPARE_ORDERED(LT_I, int64_t, op_lt_i(a, b))
		COMPARE_ORDERED(LE_I, int64_t, op_le_i(a, b))
		COMPARE(EQ_F, double, op_eq_f(a, b))
		COMPARE(NE_F, double, op_ne_f(a, b))
		COMPARE_ORDERED(LT_F, double, op_lt_f(a, b))
		COMPARE_ORDERED(LE_F, double, op_le_f(a, b))
		COMPUTE(ADD_I4, int64_t, op_add_i4(a, b, e))
		COMPUTE_ORDERED(SUB_I4, int64_t, op_sub_i4(a, b, e))
		COMPUTE(MUL_I4, int64_t, op_mul_i4(a, b, e))
		COMPUTE(ADD_I8, int64_t, op_add_i8(a, b, e))
		COMPUTE_ORDERED(SUB_I8, int64_t, op_sub_i8(a, b, e))
		COMPUTE(ADD_F8, double, op_add_f8(a, b, e))
		COMPUTE_ORDERED(SUB_F8, double, op_sub_f8(a, b, e))
		COMPUTE(MUL_F8, double, op_mul_f8(a, b, e))
		LABEL(VMX_BOOL_TO_INT):
			EACH_LANE m.acc[k] = m.t >> k & 1u;
			m.nulls = m.t_nulls;
			break;
		LABEL(VMX_INT_TO_F8): EACH_LANE m.acc[k] = word_of((double) (int64_t) m.acc[k]); break;
		LABEL(VMX_FLOAT_KEY): EACH_LANE m.acc[k] = word_of(op_float_key(typed<double>(m.acc[k]))); break;
		LABEL(VMX_BINS):
			if constexpr (!DENSE)
				tally_lanes<L>(launch, m, in, false);
			break;
		LABEL(VMX_VALUES):
			if constexpr (!DENSE)
				tally_lanes<L>(launch, m, in, true);
			break;
		LABEL(VMX_MIN_I): extreme<L, DENSE>(launch, m, in, false, true); break;
		LABEL(VMX_MIN_I_G): extreme<L, DENSE>(launch, m, in, true, true); break;
		LABEL(VMX_MAX_I): extreme<L, DENSE>(launch, m, in, false, false); break;
		LABEL(VMX_MAX_I_G): extreme<L, DENSE>(launch, m, in, true, false); break;
		LABEL(VMX_TAKE_F):
			take_in_turn<L, DENSE>(launch, in.pc, mask_lanes<L>(launch, m, in));
			/* the accumulators need not outlive the call */
			EACH_LANE m.acc[k] = 0;
			m.nulls = m.t = m.t_nulls = 0;
			break;
		default: break;
	}
}

/* Do what an instruction's flags ask for, except adding to a sum; return false when the warp has finished the tile. */
template <int L> static __device__ __forceinline__ bool
run_more(const VmLaunch &launch, Machine<L> &m, const FastOp &in, uint32_t first, uint32_t n)
{
	const uint32_t flags = flags_of(in);

	if (flags & FLAG_PUT)
		put_words<L>(launch, m, in);
	if (flags & FLAG_RANGE)
		filter_range<L>(launch, m, in);
	if ((flags & FLAG_JUMP_NONE) && !__any_sync(~0u, m.selection != 0))
	{
		if (flags & FLAG_EMIT)
			store_bits<L>(launch.passed, first, n, m.selection);
		return false;
	}
	return true;
}

/*
 * Run the program over the tile of rows `first` to first + n. Return the selected lanes if a lane
 * of the warp misses its group, before any total was touched, else 0.
 */
template <int L, bool DENSE, bool JOINS> static __device__ __forceinline__ uint32_t
fast_run_tile(const VmLaunch &launch, uint32_t first, uint32_t n)
{
	Machine<L>	m = {};
	FastOp		next = fetch(launch, 0);

	m.selection = rows_of_tile<L>(n);
	if (fast_shared()->slice.selected != NULL)
		m.selection &= load_bits<L>(fast_shared()->slice.selected, first, m.selection);
	for (uint32_t pc = 0;;)
	{
		const FastOp in = next;
		/* extracted in 32 bits, whatever the compiler knows of the 64-bit word */
		const uint32_t op = here((uint32_t) in.head) & 0xff;

		/* fetched ahead, since a warp waits for it */
		next = fetch(launch, ++pc);
		/* a switch is a tree of branches, so the most frequent instructions are tested before it */
		if (op >= VMX_LOAD_U8_FOR)
			read_for_encoded<L>(launch, m, in, first);
		else if (JOINS && op >= VMX_JOIN_FIRST)
			run_join<L>(launch, m, in);
		else if (op == VMX_LOAD_64)
			load_words<L, uint64_t, uint64_t>(m, in, first);
		else
			switch (op)
		{
			LABEL(VMX_END): return 0;
			LABEL(VMX_NOTHING): break;
			LABEL(VMX_GET): get_words<L>(launch, m, in); break;
			LABEL(VMX_LOAD_64): break;
			COMPUTE(ADD_D, int64_t, op_add_d(a, b))
			COMPUTE_ORDERED(SUB_D, int64_t, op_sub_d(a, b))
			COMPUTE(MUL_D, int64_t, op_mul_d(a, b))
			LABEL(VMX_DATE_TO_TS): EACH_LANE m.acc[k] = word_of(op_date_to_ts((int64_t) m.acc[k])); break;
			LABEL(DENSE ? VMX_GROUP_DENSE : VMX_GROUP):
				if (DENSE ? find_dense_groups<L>(launch, m.selection, in.pc, first) : find_groups<L>(launch, m.selection, in.pc))
					return m.selection;
				/* the accumulators' values are not needed, which frees registers for the search */
				EACH_LANE m.acc[k] = 0;
				m.nulls = m.t = m.t_nulls = 0;
				next = fetch(launch, pc += launch.shape.key_words - 1);
				break;
			LABEL(VMX_COUNT): count_lanes<L, DENSE>(launch, m, in, false); break;
			LABEL(VMX_COUNT_G): count_lanes<L, DENSE>(launch, m, in, true); break;
			default: run_rest<L, DENSE>(launch, m, in, first, n); break;
		}
		/* most instructions do nothing else, or only add to a sum */
		if (flags_of(in) & (FLAG_MORE & ~FLAG_SUM))
			if (!run_more<L>(launch, m, in, first, n))
				return 0;
		if (flags_of(in) & FLAG_SUM)
		{
			if (DENSE || launch.shape.grouped)
				sum_words<L, DENSE>(launch, m, in, true);
			else
				sum_words<L, DENSE>(launch, m, in, false);
		}
	}
}

/* KEY has no label, since the instruction before it reads it, and of GROUP and GROUP_DENSE a kernel has one */
static_assert(LABELS_SINCE(before_rest) == VMX_JOIN_FIRST - 2, "an instruction of vm_ops.def has no meaning");

#endif							/* GPUDB_CUDA_KERNELS_KERNEL_VM_FAST_CUH */

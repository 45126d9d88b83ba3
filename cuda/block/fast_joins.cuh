/*
 * fast_joins.cuh
 *		Instructions of the accumulator machine that only its kernels with joins have: finding rows of
 *		tables that have one row a key, fetching their columns, storing materialized rows, conditions
 *		on dictionary codes, and parts of dates.
 *
 * The counterpart of block/joins.cuh, which says what is assumed of tables.
 * A thread looks up the words of all its lanes together, so that their memory
 * latencies overlap.  These instructions have kernels of their own, with fewer
 * blocks a multiprocessor (VM_JOINS_BLOCKS): in the kernels of other programs they
 * would leave too few hardware registers to the other instructions.
 */
#ifndef GPUDB_CUDA_FAST_JOINS_CUH
#define GPUDB_CUDA_FAST_JOINS_CUH

#include "core/vm/code_table.h"
#include "core/vm/op_date.h"
#include "core/vm/vm.h"

#include "block/accumulator.cuh"
#include "lower/labels.h"

/* An instruction with its operands from the launch's parameters and from shared memory. */
typedef struct ApartOp
{
	FastOp		in;
	int64_t		imm;
	uint32_t	nulls;			/* NULL flags of the slot */
	uint32_t	mask;			/* lanes of the mask */
} ApartOp;

static __device__ __forceinline__ void
report(uint32_t status)
{
	atomicCAS(&fast_shared()->groups.status, (uint32_t) STATUS_DONE, status);
}

/*
 * Add acc as the next part to the word of a table's key; the parts before it are in the slot if
 * `has_before`. A lane whose value no key of an exact table has becomes NULL.
 */
template <int L> static __device__ __forceinline__ void
join_word(Machine<L> &m, const ApartOp &op, bool has_before)
{
	const bool	exact = fast_joins()->table[JOIN_OP_TABLE(x_of(op.in))].exact;
	const JoinPart part = fast_joins()->part[op.imm];
	const WordPair *before = slot_words<L>(slot_of(op.in));
	uint32_t	misses = has_before ? op.nulls : 0;

	EACH_PAIR
	{
		const WordPair pair = has_before ? before[p * VM_THREADS] : WordPair{0, 0};
		uint32_t	miss = 0;
		uint32_t	miss2 = 0;

		if (exact)
		{
			m.acc[2 * p] = pair.x | join_part_word(&part, (int64_t) m.acc[2 * p], &miss);
			m.acc[2 * p + 1] = pair.y | join_part_word(&part, (int64_t) m.acc[2 * p + 1], &miss2);
		}
		else
		{
			m.acc[2 * p] = hash_combine(pair.x, m.acc[2 * p]);
			m.acc[2 * p + 1] = hash_combine(pair.y, m.acc[2 * p + 1]);
		}
		misses |= miss << (2 * p) | miss2 << (2 * p + 1);
	}
	m.nulls |= misses;
}

/* Return those of the lanes `looking` whose words may have rows, by the table's bitmap. */
template <int L> static __device__ __forceinline__ uint32_t
those_present(const FastTable &table, const Machine<L> &m, uint32_t looking)
{
	uint32_t	bits[L];

	EACH_LANE bits[k] = (looking >> k & 1u) && m.acc[k] < table.npresent ? __ldg(table.present + m.acc[k] / 32) : 0;
	EACH_LANE if (!(bits[k] >> (m.acc[k] % 32) & 1u))
		looking &= ~(1u << k);
	return looking;
}

/*
 * Set acc to the rows of the words in acc by linear probing, JOIN_NO_ROW where there is none. All
 * lanes load their first slots together, and then the next ones together.
 */
template <int L> static __device__ __forceinline__ void
probe_slots(const FastTable &table, Machine<L> &m, uint32_t looking)
{
	const JoinSlot *slot = (const JoinSlot *) table.index;
	const uint64_t last = table.nplaces - 1;
	uint32_t	row[L];
	uint32_t	at[L];

	EACH_LANE
	{
		row[k] = JOIN_NO_ROW;
		at[k] = (uint32_t) (hash_mix(m.acc[k]) & last);
	}
	for (uint64_t left = table.nplaces; looking != 0 && left > 0; left--)
	{
		ulonglong2	found[L];

		EACH_LANE if (looking >> k & 1u)
			found[k] = __ldg((const ulonglong2 *) (slot + at[k]));
		EACH_LANE if (looking >> k & 1u)
		{
			const bool	is_free = (uint32_t) (found[k].y >> 32) == 0;
			const bool	is_same = found[k].x == m.acc[k];

			if (is_same && !is_free)
				row[k] = (uint32_t) found[k].y;
			if (is_same || is_free)
				looking &= ~(1u << k);
			at[k] = (uint32_t) ((at[k] + 1) & last);
		}
	}
	EACH_LANE m.acc[k] = row[k];
}

/*
 * Set acc to the row whose key has word acc, NULL where there is none; with FLAG_FILTER deselect
 * lanes without a row.
 */
template <int L> static __device__ __forceinline__ void
probe(Machine<L> &m, const ApartOp &op)
{
	const FastTable table = fast_joins()->table[JOIN_OP_TABLE(x_of(op.in))];
	const uint32_t looking = m.selection & ~m.nulls;
	uint32_t	none = ~looking;

	if (table.direct)
	{
		const uint32_t *place = (const uint32_t *) table.index;

		EACH_LANE m.acc[k] = (looking >> k & 1u) && m.acc[k] < table.nplaces ? __ldg(place + m.acc[k]) : JOIN_NO_ROW;
	}
	else
		probe_slots<L>(table, m, table.present != NULL ? those_present<L>(table, m, looking) : looking);
	EACH_LANE none |= (m.acc[k] >= table.nrows ? 1u : 0u) << k;
	m.nulls = none & ((1u << L) - 1);
	if (flags_of(op.in) & FLAG_FILTER)
		m.selection &= ~none;
}

/* Load a column of stored type S at the rows in acc into acc, converted to D. */
template <int L, typename S, typename D> static __device__ __forceinline__ void
gather(Machine<L> &m, const void *values, uint32_t wanted)
{
	EACH_LANE if (wanted >> k & 1u)
		m.acc[k] = word_of((D) __ldg((const S *) values + m.acc[k]));
}

/* Load a frame-of-reference encoded column of stored type S at the rows in acc into acc. */
template <int L, typename S> static __device__ __forceinline__ void
gather_for_encoded(Machine<L> &m, const FastFetched &column, uint32_t wanted)
{
	gather<L, S, uint64_t>(m, column.values, wanted);
	EACH_LANE m.acc[k] = column.base + (m.acc[k] << column.shift);
}

/* Set acc, or t for a bool, to a column of the table's row acc. */
template <int L> static __device__ __forceinline__ void
fetch_column(Machine<L> &m, const ApartOp &op)
{
	const FastFetched column = fast_joins()->fetched[slot_of(op.in)];
	uint32_t	wanted = m.selection & ~m.nulls;

	if (column.nulls != NULL)
	{
		EACH_LANE if (wanted >> k & 1u)
			m.nulls |= (__ldg(column.nulls + (m.acc[k] >> 3)) >> (m.acc[k] & 7) & 1u) << k;
		wanted &= ~m.nulls;
	}
	switch ((ColType) column.type)
	{
		case COLTYPE_SAME: EACH_LANE m.acc[k] = column.base; break;
		case COLTYPE_BOOL:
		case COLTYPE_U8: gather_for_encoded<L, uint8_t>(m, column, wanted); break;
		case COLTYPE_U16: gather_for_encoded<L, uint16_t>(m, column, wanted); break;
		case COLTYPE_U32: gather_for_encoded<L, uint32_t>(m, column, wanted); break;
		case COLTYPE_I16: gather<L, int16_t, int64_t>(m, column.values, wanted); break;
		case COLTYPE_I32: gather<L, int32_t, int64_t>(m, column.values, wanted); break;
		case COLTYPE_F32: gather<L, float, double>(m, column.values, wanted); break;
		case COLTYPE_I128:
			/* the low words of the values */
			EACH_LANE m.acc[k] *= 2;
			gather<L, uint64_t, uint64_t>(m, column.values, wanted);
			break;
		default: gather<L, uint64_t, uint64_t>(m, column.values, wanted); break;
	}
	if (x_of(op.in) == VMOP_FETCH_B)
	{
		m.t = 0;
		EACH_LANE m.t |= ((uint32_t) m.acc[k] & 1u) << k;
		m.t_nulls = m.nulls;
	}
}

/* Set acc to places for the materialized rows of the selected lanes, NULL where there is no room. */
template <int L> static __device__ __forceinline__ void
place_rows(Machine<L> &m)
{
	const MaterializedRows *materialized = fast_joins()->materialized;
	uint32_t	place = warp_places(materialized->count, (uint32_t) __popc(m.selection));
	const uint32_t capacity = materialized->capacity;

	m.nulls = ~m.selection & ((1u << L) - 1);
	EACH_LANE
	{
		m.acc[k] = place;
		if (m.selection >> k & 1u)
			m.nulls |= (place++ >= capacity ? 1u : 0u) << k;
	}
}

/* Store a column of materialized rows at the places in a slot; value(k) is lane k's value. */
template <int L, typename T, typename F> static __device__ __forceinline__ void
store_rows(const ApartOp &op, uint32_t nulls, F value)
{
	const MaterializedRows *materialized = fast_joins()->materialized;
	const uint32_t column = x_of(op.in);
	const WordPair *places = slot_words<L>(slot_of(op.in));
	T		   *to = (T *) materialized->values[column];

	EACH_LANE if (!(op.nulls >> k & 1u))
	{
		const uint32_t place = (uint32_t) ((const uint64_t *) (places + k / 2 * VM_THREADS))[k % 2];

		to[place] = nulls >> k & 1u ? (T) 0 : value(k);
		if (nulls >> k & 1u)
			atomicOr(&materialized->nulls[column][place / 32], 1u << place % 32);
	}
}

/*
 * Set t to the truth value that the program's table has for dictionary code acc. A lane of the mask
 * that is not NULL and whose code has none sets the block's status to the instruction's x.
 */
template <int L> static __device__ __forceinline__ void
test_codes(Machine<L> &m, const ApartOp &op)
{
	const uint64_t *table = fast_joins()->words + op.imm;
	const uint64_t ncodes = __ldg(table);
	/* usually all codes are in one word */
	const bool	one_word = ncodes <= CODES_PER_WORD;
	const uint64_t first = __ldg(table + 1);
	uint32_t	errors = 0;

	m.t = 0;
	EACH_LANE
	{
		uint32_t	truth = CODE_UNKNOWN;

		if (m.acc[k] < ncodes)
			truth = (one_word ? first : __ldg(table + 1 + m.acc[k] / CODES_PER_WORD)) >> m.acc[k] % CODES_PER_WORD * CODE_TABLE_BITS & 3;
		m.t |= (truth & 1u) << k;
		errors |= (truth >> 1) << k;
	}
	m.t_nulls = m.nulls;
	if ((errors & op.mask & ~m.nulls) != 0)
		report(x_of(op.in));
}

/*
 * Set acc to a field of day acc. A lane of the mask that is not NULL and whose day does not have
 * the field sets the block's status to the instruction's x.
 */
template <int L> static __device__ __forceinline__ void
take_dates_apart(Machine<L> &m, const ApartOp &op)
{
	uint32_t	errors = 0;

	EACH_LANE
	{
		uint32_t	e = 0;

		m.acc[k] = word_of(op_part_date((int64_t) m.acc[k], (int32_t) op.imm, &e));
		errors |= e << k;
	}
	if ((errors & op.mask & ~m.nulls) != 0)
		report(x_of(op.in));
}

template <int L> static __device__ __forceinline__ void
run_join(const VmLaunch &launch, Machine<L> &m, const FastOp &in)
{
	const ApartOp op = {in, imm_of(launch, in), operand_nulls<L>(launch, in), mask_lanes<L>(launch, m, in)};

	enum { before = __COUNTER__ };

	switch (op_of(op.in))
	{
		LABEL(VMX_JOIN_FIRST): join_word<L>(m, op, false); break;
		LABEL(VMX_JOIN_NEXT): join_word<L>(m, op, true); break;
		LABEL(VMX_PROBE): probe<L>(m, op); break;
		LABEL(VMX_FOUND):
			m.t = ~m.nulls;
			m.t_nulls = 0;
			break;
		LABEL(VMX_PLACE): place_rows<L>(m); break;
		LABEL(VMX_STORE_WORD): store_rows<L, uint64_t>(op, m.nulls, [&](int k) { return m.acc[k]; }); break;
		LABEL(VMX_STORE_BOOL): store_rows<L, uint8_t>(op, m.t_nulls, [&](int k) { return (uint8_t) (m.t >> k & 1u); }); break;
		LABEL(VMX_TEST_CODE): test_codes<L>(m, op); break;
		LABEL(VMX_PART_DATE): take_dates_apart<L>(m, op); break;
		LABEL(VMX_KEEP): m.nulls |= ~(m.t & ~m.t_nulls) & ((1u << L) - 1); break;
		LABEL(VMX_FETCH):
		default: fetch_column<L>(m, op); break;
	}
	static_assert(LABELS_SINCE(before) == VMX_LOAD_U8_FOR - VMX_JOIN_FIRST, "an instruction of joins has no meaning");
}

#endif							/* GPUDB_CUDA_FAST_JOINS_CUH */

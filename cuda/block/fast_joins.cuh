/*
 * fast_joins.cuh
 *		What the accumulator machine does for joins: rows of tables whose keys have one each, and their
 *		values; for rows that are kept; and for conditions on codes.
 *
 * The counterpart of block/joins.cuh, which says what is believed of tables.
 * A thread's lanes look up their words together: what they wait for is memory.
 */
#ifndef GPUDB_CUDA_FAST_JOINS_CUH
#define GPUDB_CUDA_FAST_JOINS_CUH

#include "core/code_table.h"
#include "core/vm.h"

#include "block/accumulator.cuh"

/* acc as a part of a key of a table, behind the parts before it, which are in `before` unless that is the first one. */
template <int L> static __device__ __forceinline__ void
join_word(const VmLaunch &launch, Machine<L> &m, const FastOp &in, bool has_before)
{
	const JoinTable *table = launch.tables[JOIN_OP_TABLE(x_of(in))].table;
	const uint32_t number = JOIN_OP_PART(x_of(in));
	const JoinPart part = table->part[number];
	const WordPair *before = slot_words<L>(slot_of(in));
	const bool	exact = table->exact;
	uint32_t	misses = has_before ? operand_nulls<L>(launch, in) : 0;

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

/* The slots where searches begin, of all lanes at once, and then those that they go on to. */
template <int L> static __device__ __forceinline__ void
probe_slots(const JoinTable *table, Machine<L> &m, uint32_t looking)
{
	const JoinSlot *slot = (const JoinSlot *) join_at(table, table->index);
	const uint64_t last = table->nplaces - 1;
	uint32_t	row[L];
	uint32_t	at[L];

	EACH_LANE
	{
		row[k] = JOIN_NO_ROW;
		at[k] = (uint32_t) join_home(table, m.acc[k]);
	}
	for (uint64_t left = table->nplaces; looking != 0 && left > 0; left--)
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

/* acc = the row whose key has word acc, NULL where there is none. */
template <int L> static __device__ __forceinline__ void
probe(const VmLaunch &launch, Machine<L> &m, const FastOp &in)
{
	const JoinRows rows = launch.tables[JOIN_OP_TABLE(x_of(in))];
	const JoinTable *table = rows.table;
	/* what has several rows a key may have no place or slot to look at */
	const uint32_t looking = table->unique ? m.selection & ~m.nulls : 0;
	const uint32_t nrows = rows.rows->nrows;
	uint32_t	none = ~looking;

	if (!table->unique)
		atomicCAS(&fast_shared()->groups.status, (uint32_t) STATUS_DONE, (uint32_t) STATUS_BAD_PROGRAM);
	if (table->direct)
	{
		const uint32_t *place = (const uint32_t *) join_at(table, table->index);
		const uint64_t nplaces = table->nplaces;

		EACH_LANE m.acc[k] = (looking >> k & 1u) && m.acc[k] < nplaces ? __ldg(place + m.acc[k]) : JOIN_NO_ROW;
	}
	else
		probe_slots<L>(table, m, looking);
	EACH_LANE none |= (m.acc[k] >= nrows ? 1u : 0u) << k;
	m.nulls = none & ((1u << L) - 1);
	if (flags_of(in) & FLAG_FILTER)
		m.selection &= ~none;
}

/* Values of S at the rows of acc, into acc as D. */
template <int L, typename S, typename D> static __device__ __forceinline__ void
gather(Machine<L> &m, const void *values, uint32_t wanted)
{
	EACH_LANE if (wanted >> k & 1u)
		m.acc[k] = word_of((D) __ldg((const S *) values + m.acc[k]));
}

/* The same of differences from a base. */
template <int L, typename S> static __device__ __forceinline__ void
gather_framed(Machine<L> &m, const TabletColumn *column, const void *values, uint32_t wanted)
{
	const uint64_t base = (uint64_t) column->base;
	const uint32_t shift = column->shift;

	gather<L, S, uint64_t>(m, values, wanted);
	EACH_LANE m.acc[k] = base + (m.acc[k] << shift);
}

/* acc = a column of the row acc. */
template <int L> static __device__ __forceinline__ void
fetch_column(const VmLaunch &launch, Machine<L> &m, const FastOp &in)
{
	const uint32_t fetched = launch.shape.code.fetch[slot_of(in)];
	const Tablet *tablet = launch.tables[FETCH_TABLE(fetched) - 1].rows;
	const TabletColumn *column = &tablet->column[FETCH_COLUMN(fetched)];
	const uint8_t *values = tablet_at(tablet, column->values);
	uint32_t	wanted = m.selection & ~m.nulls;

	if (FETCH_COLUMN(fetched) >= tablet->ncols || !vm_can_load(x_of(in), column->type))
	{
		atomicCAS(&fast_shared()->groups.status, (uint32_t) STATUS_DONE, (uint32_t) STATUS_BAD_PROGRAM);
		return;
	}
	if (column->null_count > 0)
	{
		const uint8_t *bits = tablet_at(tablet, column->nulls);

		EACH_LANE if (wanted >> k & 1u)
			m.nulls |= (__ldg(bits + (m.acc[k] >> 3)) >> (m.acc[k] & 7) & 1u) << k;
		wanted &= ~m.nulls;
	}
	switch ((ColType) column->type)
	{
		case COLTYPE_SAME: EACH_LANE m.acc[k] = (uint64_t) column->base; break;
		case COLTYPE_BOOL:
		case COLTYPE_U8: gather_framed<L, uint8_t>(m, column, values, wanted); break;
		case COLTYPE_U16: gather_framed<L, uint16_t>(m, column, values, wanted); break;
		case COLTYPE_U32: gather_framed<L, uint32_t>(m, column, values, wanted); break;
		case COLTYPE_I16: gather<L, int16_t, int64_t>(m, values, wanted); break;
		case COLTYPE_I32: gather<L, int32_t, int64_t>(m, values, wanted); break;
		case COLTYPE_F32: gather<L, float, double>(m, values, wanted); break;
		case COLTYPE_I128:
			/* their low words */
			EACH_LANE m.acc[k] *= 2;
			gather<L, uint64_t, uint64_t>(m, values, wanted);
			break;
		default: gather<L, uint64_t, uint64_t>(m, values, wanted); break;
	}
	if (x_of(in) == VMOP_FETCH_B)
	{
		m.t = 0;
		EACH_LANE m.t |= ((uint32_t) m.acc[k] & 1u) << k;
		m.t_nulls = m.nulls;
	}
}

/* acc = places for the rows of the selected lanes. */
template <int L> static __device__ __forceinline__ void
place_rows(const VmLaunch &launch, Machine<L> &m)
{
	uint32_t	place = warp_places(launch.kept->count, (uint32_t) __popc(m.selection));
	const uint32_t capacity = launch.kept->capacity;

	m.nulls = ~m.selection & ((1u << L) - 1);
	EACH_LANE
	{
		m.acc[k] = place;
		if (m.selection >> k & 1u)
			m.nulls |= (place++ >= capacity ? 1u : 0u) << k;
	}
}

/* Values of rows that are kept, by what gives lane k's. */
template <int L, typename T, typename F> static __device__ __forceinline__ void
store_rows(const VmLaunch &launch, const FastOp &in, uint32_t nulls, F value)
{
	const uint32_t column = x_of(in);
	const WordPair *places = slot_words<L>(slot_of(in));
	const uint32_t none = operand_nulls<L>(launch, in);
	T		   *to = (T *) launch.kept->values[column];

	EACH_LANE if (!(none >> k & 1u))
	{
		const uint32_t place = (uint32_t) ((const uint64_t *) (places + k / 2 * VM_THREADS))[k % 2];

		to[place] = nulls >> k & 1u ? (T) 0 : value(k);
		if (nulls >> k & 1u)
			atomicOr(&launch.kept->nulls[column][place / 32], 1u << place % 32);
	}
}

/* t = what the program's table says of code acc; lanes of the mask without NULLs may report that it knows nothing. */
template <int L> static __device__ __forceinline__ void
test_codes(const VmLaunch &launch, Machine<L> &m, const FastOp &in)
{
	const uint64_t *table = program_words(launch.program) + imm_of(launch, in);
	uint32_t	errors = 0;

	m.t = 0;
	EACH_LANE
	{
		uint32_t	e = 0;

		m.t |= (uint32_t) code_table_look(table, (int64_t) m.acc[k], &e) << k;
		errors |= e << k;
	}
	m.t_nulls = m.nulls;
	if ((errors & mask_lanes<L>(launch, m, in) & ~m.nulls) != 0)
		atomicCAS(&fast_shared()->groups.status, (uint32_t) STATUS_DONE, x_of(in));
}

template <int L> static __device__ __forceinline__ void
run_join(const VmLaunch &launch, Machine<L> &m, const FastOp &in)
{
	switch ((VmxOp) here(op_of(in)))
	{
		case VMX_JOIN_FIRST: join_word<L>(launch, m, in, false); break;
		case VMX_JOIN_NEXT: join_word<L>(launch, m, in, true); break;
		case VMX_PROBE: probe<L>(launch, m, in); break;
		case VMX_FOUND:
			m.t = ~m.nulls;
			m.t_nulls = 0;
			break;
		case VMX_PLACE: place_rows<L>(launch, m); break;
		case VMX_STORE_WORD: store_rows<L, uint64_t>(launch, in, m.nulls, [&](int k) { return m.acc[k]; }); break;
		case VMX_STORE_BOOL: store_rows<L, uint8_t>(launch, in, m.t_nulls, [&](int k) { return (uint8_t) (m.t >> k & 1u); }); break;
		case VMX_TEST_CODE: test_codes<L>(launch, m, in); break;
		case VMX_KEEP: m.nulls |= ~(m.t & ~m.t_nulls) & ((1u << L) - 1); break;
		default: fetch_column<L>(launch, m, in); break;
	}
}

#endif							/* GPUDB_CUDA_FAST_JOINS_CUH */

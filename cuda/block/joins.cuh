/*
 * joins.cuh
 *		Joins of the interpreter on a GPU: finding rows, fetching their values, loops over pairs.
 *
 * The counterpart of core/vm/interp_joins.h, a template header over VM_LANES.  A
 * warp forms pairs of its own lanes and runs its loops independently of other
 * warps; data of a lane that other lanes read is written between __syncwarp()s.
 *
 * Tables come from processes that may end while they are copied: a row number
 * that leads out of its table is no row, and a search ends after as many slots
 * as there are.
 */

/*
 * Maximum pairs that a block forms in one launch: about a second's work, and fewer than a block's
 * sums have been made for.
 */
#define PAIRS_MOST	((uint64_t) 1 << 25)

/* Return the row in lane i of a register of rows. */
static __device__ __forceinline__ uint32_t
row_at(uint32_t number, int i)
{
	return (uint32_t) register_values(number)[i];
}

/*
 * Return the word of a key with `value`, an integer of 64 or 128 bits, as its next part behind
 * `before`; *miss is set if no key of an exact table has this value.
 */
template <typename T> static __device__ __forceinline__ uint64_t
key_word(const JoinTable *table, uint32_t part, T value, uint64_t before, uint32_t *miss);

template <> __device__ __forceinline__ uint64_t
key_word<int64_t>(const JoinTable *table, uint32_t part, int64_t value, uint64_t before, uint32_t *miss)
{
	return table->exact ? before | join_part_word(&table->part[part], value, miss) : hash_combine(before, (uint64_t) value);
}

template <> __device__ __forceinline__ uint64_t
key_word<Wide>(const JoinTable *table, uint32_t part, Wide value, uint64_t before, uint32_t *miss)
{
	return table->exact ? before | join_part_wide(&table->part[part], value, miss) : hash_combine(before, join_wide_word(value));
}

template <typename T> static __device__ __forceinline__ bool
vm_join_key(const Instr *in, const JoinTable *table)
{
	const Operand<T> oa(in->a);
	const Operand<uint64_t> ob(in->b);
	Result<uint64_t> d(VM_VALUES + (size_t) in->dst * VM_STRIDE);
	uint32_t	nulls = operand_nulls(in->a) | operand_nulls(in->b);

	if (in->c >= table->nparts)
		return false;
	LANES
	{
		uint32_t	miss = 0;

		d.put(k, i, key_word<T>(table, in->c, oa.at(k, i), ob.at(k, i), &miss));
		nulls |= (miss & 1) << k;
	}
	d.end(VM_FLAGS + (size_t) in->dst * VM_NULLS, nulls);
	return true;
}

static __device__ __forceinline__ bool
vm_join_text(const VmRun *run, const Instr *in, const JoinTable *table)
{
	const Operand<uint64_t> oa(in->a), ob(in->b);
	Result<uint64_t> d(VM_VALUES + (size_t) in->dst * VM_STRIDE);
	const uint32_t nulls = operand_nulls(in->a) | operand_nulls(in->b) | ~VM_MASK(0)[THREAD];

	if (in->c >= table->nparts || table->exact)
		return false;
	LANES
	{
		const uint64_t ref = oa.at(k, i);

		d.put(k, i, BIT(nulls) ? 0 : hash_combine(ob.at(k, i), hash_bytes(vm_text(run, ref), TEXT_LENGTH(ref))));
	}
	d.end(VM_FLAGS + (size_t) in->dst * VM_NULLS, nulls & EVERY_LANE);
	return true;
}

/* Return the lanes, except `skip`, whose words have no rows, by the table's bitmap. */
static __device__ __forceinline__ uint32_t
absent(const JoinTable *table, const Operand<uint64_t> &words, uint32_t skip)
{
	const uint32_t *present = (const uint32_t *) join_at(table, table->present);
	uint32_t	none = 0;

	LANES
	{
		const uint64_t word = words.at(k, i);

		if (!BIT(skip) && (word >= table->npresent || !join_present(present, word)))
			none |= 1u << k;
	}
	return none;
}

/*
 * Find the rows of every active lane's word: spans, or with PROBE the one row. Return false if the
 * table is sorted, or has no one row a word for PROBE.
 */
static __device__ __forceinline__ bool
vm_probe(const Instr *in, const JoinRows *rows)
{
	const JoinTable *table = rows->table;
	const Operand<uint64_t> oa(in->a);
	uint32_t	skip = operand_nulls(in->a) | ~VM_MASK(0)[THREAD];
	/* in a unique table a span leads to a row, in others to row numbers */
	const uint64_t end = table->unique ? rows->rows->nrows : table->nrows;
	Result<uint64_t> d(VM_VALUES + (size_t) in->dst * VM_STRIDE);
	uint32_t	none;

	if (table->sorted)
		return false;
	if (table->present != 0)
		skip |= absent(table, oa, skip);
	none = skip;
	LANES
	{
		const uint64_t span = BIT(skip) ? 0 : join_find(table, oa.at(k, i));

		if (JOIN_SPAN_COUNT(span) == 0 || (uint64_t) JOIN_SPAN_FIRST(span) + JOIN_SPAN_COUNT(span) > end)
			none |= 1u << k;
		d.put(k, i, in->op == VMOP_PROBE ? JOIN_SPAN_FIRST(span) : span);
	}
	d.end(VM_FLAGS + (size_t) in->dst * VM_NULLS, none & EVERY_LANE);
	return in->op == VMOP_SPAN || table->unique;
}

/* Return the rank of an integer of 64 or 128 bits in a sorted table. */
static __device__ __forceinline__ uint32_t
rank_of(const JoinTable *table, int64_t value, bool or_equal)
{
	return join_rank(table, value, or_equal);
}

static __device__ __forceinline__ uint32_t
rank_of(const JoinTable *table, Wide value, bool or_equal)
{
	return join_rank_wide(table, value, or_equal);
}

/* Find the rank of every active lane's value; return false if the table is not sorted. */
template <typename T> static __device__ __forceinline__ bool
vm_rank(const Instr *in, const JoinTable *table)
{
	const Operand<T> oa(in->a);
	const uint32_t nulls = (operand_nulls(in->a) | ~VM_MASK(0)[THREAD]) & EVERY_LANE;
	Result<uint64_t> d(VM_VALUES + (size_t) in->dst * VM_STRIDE);

	if (!table->sorted)
		return false;
	LANES d.put(k, i, BIT(nulls) ? 0 : rank_of(table, oa.at(k, i), in->c != 0));
	d.end(VM_FLAGS + (size_t) in->dst * VM_NULLS, nulls);
	return true;
}

/*
 * Make spans of the rows between two ranks, which are within the table, whatever the ranks are.
 * Return false if the table is not sorted.
 */
static __device__ __forceinline__ bool
vm_range(const Instr *in, const JoinTable *table)
{
	const Operand<int64_t> oa(in->a), ob(in->b);
	Result<uint64_t> d(VM_VALUES + (size_t) in->dst * VM_STRIDE);
	uint32_t	nulls = operand_nulls(in->a) | operand_nulls(in->b);

	LANES
	{
		const uint64_t span = join_range(table, oa.at(k, i), ob.at(k, i));

		nulls |= (span == 0 ? 1u : 0u) << k;
		d.put(k, i, span);
	}
	d.end(VM_FLAGS + (size_t) in->dst * VM_NULLS, nulls);
	return table->sorted;
}

/* Fetch a column's values at the rows of a register. */
template <typename T, typename S> static __device__ __forceinline__ void
fetch_values(const Instr *in, const Tablet *tablet, const TabletColumn *column, uint32_t first, uint32_t nulls)
{
	const S    *src = (const S *) tablet_at(tablet, column->values) + first;
	Result<T>	d(VM_VALUES + (size_t) in->dst * VM_STRIDE);

	LANES
	{
		const S		v = BIT(nulls) ? (S) 0 : src[row_at(in->a, i)];

		if constexpr (sizeof(S) <= 4 && (S) -1 > (S) 0)
			d.put(k, i, (T) FOR_ENCODED(v, column));
		else
			d.put(k, i, (T) v);
	}
	d.end(VM_FLAGS + (size_t) in->dst * VM_NULLS, nulls);
}

/* Fetch texts at the rows of a register; a text that is not within its table's memory becomes NULL. */
static __device__ __forceinline__ void
fetch_texts(const Instr *in, const Tablet *tablet, const TabletColumn *column, uint32_t first, uint32_t nulls)
{
	const uint64_t *src = (const uint64_t *) tablet_at(tablet, column->values) + first;
	const uint32_t table = FETCH_TABLE(in->c);
	Result<uint64_t> d(VM_VALUES + (size_t) in->dst * VM_STRIDE);

	LANES
	{
		uint64_t	ref = BIT(nulls) ? 0 : TEXT_BEHIND(src[row_at(in->a, i)], column->base);

		if (table > 0)
		{
			ref = TEXT_IN_TABLE(ref & ~TEXT_IN_PROGRAM & ~((uint64_t) UINT32_MAX & ~(uint64_t) TEXT_LENGTH_MOST), table);
			if ((uint64_t) TEXT_OFFSET(ref) + TEXT_LENGTH(ref) > tablet->var_used)
				nulls |= 1u << k;
		}
		d.put(k, i, ref);
	}
	d.end(VM_FLAGS + (size_t) in->dst * VM_NULLS, nulls);
}

template <typename T> static __device__ __forceinline__ void
fetch_same(const Instr *in, const TabletColumn *column, uint32_t nulls)
{
	Result<T>	d(VM_VALUES + (size_t) in->dst * VM_STRIDE);

	LANES d.put(k, i, (T) column->base);
	d.end(VM_FLAGS + (size_t) in->dst * VM_NULLS, nulls);
}

template <typename T> static __device__ __forceinline__ bool
fetch_integers(const Instr *in, const Tablet *tablet, const TabletColumn *column, uint32_t first, uint32_t nulls)
{
	switch ((ColType) column->type)
	{
		case COLTYPE_SAME: fetch_same<T>(in, column, nulls); break;
		case COLTYPE_U8: fetch_values<T, uint8_t>(in, tablet, column, first, nulls); break;
		case COLTYPE_U16: fetch_values<T, uint16_t>(in, tablet, column, first, nulls); break;
		case COLTYPE_U32: fetch_values<T, uint32_t>(in, tablet, column, first, nulls); break;
		case COLTYPE_I16: fetch_values<T, int16_t>(in, tablet, column, first, nulls); break;
		case COLTYPE_I32: fetch_values<T, int32_t>(in, tablet, column, first, nulls); break;
		case COLTYPE_I64: fetch_values<T, int64_t>(in, tablet, column, first, nulls); break;
		case COLTYPE_I128: fetch_values<T, Wide>(in, tablet, column, first, nulls); break;
		default: return false;
	}
	return true;
}

/* Fetch bools, whose stored type alone does not tell that they are not frame-of-reference encoded. */
static __device__ __forceinline__ void
fetch_bools(const Instr *in, const Tablet *tablet, const TabletColumn *column, uint32_t first, uint32_t nulls)
{
	const uint8_t *src = tablet_at(tablet, column->values) + first;
	Result<uint8_t> d(VM_VALUES + (size_t) in->dst * VM_STRIDE);

	LANES d.put(k, i, BIT(nulls) ? 0 : src[row_at(in->a, i)] & 1);
	d.end(VM_FLAGS + (size_t) in->dst * VM_NULLS, nulls);
}

/*
 * Fetch a column's values at the rows of a register; return false if there is no column that the
 * instruction can load.
 */
static __device__ __forceinline__ bool
vm_fetch(const VmRun *run, const Instr *in, uint32_t first)
{
	const uint32_t number = FETCH_TABLE(in->c);
	const Tablet *tablet = number ? run->tables[number - 1].rows : run->tablet;
	const TabletColumn *column = &tablet->column[FETCH_COLUMN(in->c)];
	uint32_t	nulls = operand_nulls(in->a);

	if (FETCH_COLUMN(in->c) >= tablet->ncols || !vm_can_load(in->op, column->type))
		return false;
	first = number ? 0 : first;
	LANES if (!BIT(nulls) && row_at(in->a, i) >= tablet->nrows - first)
		nulls |= 1u << k;
	if (column->null_count > 0)
	{
		const uint8_t *bits = tablet_at(tablet, column->nulls);

		LANES if (!BIT(nulls))
		{
			const uint32_t row = row_at(in->a, i) + first;

			nulls |= (bits[row >> 3] >> (row & 7) & 1u) << k;
		}
	}
	if (in->op == VMOP_FETCH_W)
		return fetch_integers<Wide>(in, tablet, column, first, nulls);
	if (in->op == VMOP_FETCH_B)
		fetch_bools(in, tablet, column, first, nulls);
	else if (in->op == VMOP_FETCH_T)
		fetch_texts(in, tablet, column, first, nulls);
	else if (column->type == COLTYPE_F32)
		fetch_values<double, float>(in, tablet, column, first, nulls);
	else if (column->type == COLTYPE_F64)
		fetch_values<double, double>(in, tablet, column, first, nulls);
	else
		return fetch_integers<int64_t>(in, tablet, column, first, nulls);
	return true;
}

/* Thread and bit of a lane of the block. */
#define THREAD_OF_LANE(lane) ((lane) % VM_THREADS)
#define BIT_OF_LANE(lane)	((lane) / VM_THREADS)

/* Fetch the row in register a of each pair's lane, which is in register b. */
static __device__ __forceinline__ void
vm_pick(const Instr *in)
{
	const uint32_t nb = operand_nulls(in->b);
	Result<uint64_t> d(VM_VALUES + (size_t) in->dst * VM_STRIDE);
	uint32_t	nulls = nb;

	__syncwarp();
	LANES
	{
		const uint32_t lane = BIT(nb) ? (uint32_t) i : row_at(in->b, i);
		const uint8_t flags = VM_FLAGS[(size_t) in->a * VM_NULLS + THREAD_OF_LANE(lane)];

		d.put(k, i, row_at(in->a, (int) lane));
		nulls |= (flags >> BIT_OF_LANE(lane) & 1u) << k;
	}
	d.end(VM_FLAGS + (size_t) in->dst * VM_NULLS, nulls);
	__syncwarp();
}

/* Mark the lanes of selected pairs. */
static __device__ __forceinline__ void
vm_mark(const Instr *in)
{
	const Operand<uint64_t> oa(in->a);
	const uint32_t selected = VM_MASK(0)[THREAD];

	LANES if (BIT(selected))
	{
		const uint32_t lane = (uint32_t) (oa.at(k, i) >> 32);
		uint8_t    *mark = VM_MASK(in->b) + THREAD_OF_LANE(lane);
		const uint32_t shift = 8 * ((uintptr_t) mark & 3);

		atomicOr((uint32_t *) ((uintptr_t) mark & ~(uintptr_t) 3), 1u << (shift + BIT_OF_LANE(lane)));
	}
	__syncwarp();
}

/*
 * Take places for the materialized rows of all selected lanes, NULL where there is no room. Return
 * false if the run materializes no rows.
 */
static __device__ __forceinline__ bool
vm_place(const VmRun *run, const Instr *in)
{
	const uint32_t selected = VM_MASK(0)[THREAD];
	Result<uint64_t> d(VM_VALUES + (size_t) in->dst * VM_STRIDE);
	uint32_t	nulls = ~selected & EVERY_LANE;
	uint32_t	place;

	if (run->materialized == NULL)
		return false;
	place = warp_places(run->materialized->count, (uint32_t) __popc(selected));
	LANES
	{
		d.put(k, i, place);
		if (BIT(selected) && place++ >= run->materialized->capacity)
			nulls |= 1u << k;
	}
	d.end(VM_FLAGS + (size_t) in->dst * VM_NULLS, nulls);
	return true;
}

/* Store a column of materialized rows; return false if the run materializes no rows. */
template <typename T> static __device__ __forceinline__ bool
vm_store(const VmRun *run, const Instr *in)
{
	const MaterializedRows *materialized = run->materialized;
	const Operand<T> oa(in->a);
	const uint32_t na = operand_nulls(in->a), nb = operand_nulls(in->b);

	if (materialized == NULL)
		return false;
	LANES if (!BIT(nb))
	{
		const uint32_t place = row_at(in->b, i);

		((T *) materialized->values[in->imm])[place] = BIT(na) ? (T) 0 : oa.at(k, i);
		if (BIT(na))
			atomicOr(&materialized->nulls[in->imm][place / 32], 1u << place % 32);
	}
	return true;
}

/* Run an instruction of JOIN_OPS; return false if it is invalid. */
static __device__ __noinline__ bool
vm_join(const VmRun *run, const Instr *in, uint32_t first)
{
	uint64_t   *vd = VM_VALUES + (size_t) in->dst * VM_STRIDE;
	uint8_t    *dn = VM_FLAGS + (size_t) in->dst * VM_NULLS;
	const JoinRows *rows = in->imm > 0 && in->imm <= run->program->ntables ? &run->tables[in->imm - 1] : NULL;

	enum { before = __COUNTER__ };

	switch (in->op)
	{
		LABEL(VMOP_JOIN_I): return vm_join_key<int64_t>(in, rows->table);
		LABEL(VMOP_JOIN_W): return vm_join_key<Wide>(in, rows->table);
		LABEL(VMOP_JOIN_T): return vm_join_text(run, in, rows->table);
		LABEL(VMOP_PROBE):
		LABEL(VMOP_SPAN): return vm_probe(in, rows);
		LABEL(VMOP_RANK_I): return vm_rank<int64_t>(in, rows->table);
		LABEL(VMOP_RANK_W): return vm_rank<Wide>(in, rows->table);
		LABEL(VMOP_RANGE): return vm_range(in, rows->table);
		LABEL(VMOP_KEEP_R):
			LANES vd[i] = row_at(in->a, i);
			dn[THREAD] = (uint8_t) (operand_nulls(in->a) | operand_nulls(in->b) | (~Operand<uint8_t>(in->b).bits & EVERY_LANE));
			return true;
		LABEL(VMOP_LANE):
			LANES vd[i] = register_values(in->a)[i] >> 32;
			dn[THREAD] = (uint8_t) (~VM_MASK(0)[THREAD] & EVERY_LANE);
			return true;
		LABEL(VMOP_MATCH):
			LANES vd[i] = row_at(in->a, i);
			dn[THREAD] = (uint8_t) operand_nulls(in->a);
			return true;
		LABEL(VMOP_PICK_R):
			vm_pick(in);
			return true;
		LABEL(VMOP_CLEAR):
			dn[THREAD] = 0;
			dn[VM_THREADS + THREAD] = 0;
			return true;
		LABEL(VMOP_MARK):
			vm_mark(in);
			return true;
		LABEL(VMOP_EMIT_ROW):
			return false;
		LABEL(VMOP_PLACE):
			return vm_place(run, in);
		LABEL(VMOP_STORE_B):
			return vm_store<uint8_t>(run, in);
		LABEL(VMOP_STORE_I):
		LABEL(VMOP_STORE_F):
		LABEL(VMOP_STORE_R):
			return vm_store<uint64_t>(run, in);
		LABEL(VMOP_FETCH_B):
		LABEL(VMOP_FETCH_I):
		LABEL(VMOP_FETCH_W):
		LABEL(VMOP_FETCH_F):
		LABEL(VMOP_FETCH_T):
			return vm_fetch(run, in, first);
	}
	static_assert(LABELS_SINCE(before) == 0 JOIN_OPS(OP_ONE), "an opcode of JOIN_OPS has no meaning here");
	return false;
}

/*
 * Loops
 *
 * The order of a warp's lanes is that of their numbers: the k-th lanes of all
 * its threads, then their next ones.  A cursor's lane counts in this order.
 */
#define WARP_LANES (VM_LANES * 32)

/* Pairs that a warp's lanes have left; a lane with more than the warp has lanes counts one more than these. */
typedef struct PairCounts
{
	uint32_t	n[VM_LANES];	/* pairs of this thread's k-th lane */
	uint32_t	before[VM_LANES];	/* pairs of all lanes before it */
	uint32_t	all;			/* pairs of all lanes */
} PairCounts;

static __device__ __forceinline__ PairCounts
count_pairs(const Instr *in, const VmCursor &at)
{
	const uint32_t thread = THREAD & 31;
	const uint32_t na = operand_nulls(in->a);
	const uint32_t mask = VM_MASK(in->m)[THREAD];
	const uint32_t marked = in->c & (EXPAND_ONCE | EXPAND_OUTER) ? VM_MASK(in->b)[THREAD] : 0;
	PairCounts	counts;

	counts.all = 0;
	LANES
	{
		const uint32_t lane = (uint32_t) k * 32 + thread;
		uint32_t	n = BIT(na) ? 0 : JOIN_SPAN_COUNT(register_values(in->a)[i]);
		uint32_t	sum;

		if ((in->c & EXPAND_OUTER) && !BIT(marked))
			n = 1;
		if (!BIT(mask) || lane < at.lane || ((in->c & EXPAND_ONCE) && BIT(marked)))
			n = 0;
		else if (lane == at.lane)
			n = n > at.match ? n - at.match : 0;
		n = min(n, (uint32_t) WARP_LANES + 1);
		sum = n;
		for (int step = 1; step < 32; step *= 2)
		{
			const uint32_t other = __shfl_up_sync(~0u, sum, step);

			sum += thread >= (uint32_t) step ? other : 0;
		}
		counts.n[k] = n;
		counts.before[k] = counts.all + sum - n;
		counts.all += __shfl_sync(~0u, sum, 31);
	}
	return counts;
}

/*
 * Return the lane that has the warp's pair of a number, and the pair's number in that lane; called
 * by all threads of the warp.
 */
static __device__ __forceinline__ VmCursor
find_pair(const PairCounts &counts, uint32_t number)
{
	uint32_t	lane = 0;
	uint32_t	before = 0;

	/* the last of all threads' k-th lanes that begins no later */
	LANES
	{
		uint32_t	low = 0;

		for (int step = 16; step > 0; step /= 2)
			low += __shfl_sync(~0u, counts.before[k], (int) (low + (uint32_t) step)) <= number ? (uint32_t) step : 0;
		const uint32_t begins = __shfl_sync(~0u, counts.before[k], (int) low);

		if (begins <= number)
		{
			lane = (uint32_t) k * 32 + low;
			before = begins;
		}
	}
	return {lane, number - before};
}

/*
 * Count a warp's pairs; return false if the block has formed too many, or has failed. Called by all
 * threads of the warp.
 */
static __device__ __forceinline__ bool
may_go_on(uint32_t n)
{
	uint32_t	status = STATUS_DONE;

	if ((THREAD & 31) == 0)
	{
		if (atomicAdd(block_pairs(), n) > PAIRS_MOST)
			vm_stops(NULL, STATUS_TOO_MANY_PAIRS);
		status = *(volatile uint32_t *) &block_groups()->status;
	}
	return __shfl_sync(~0u, status, 0) == STATUS_DONE;
}

/* Form the next pairs of a loop, as many as a warp has lanes; called by all threads of the warp. */
static __device__ __noinline__ void
vm_expand(VmRun *run, VmLoops *loops, const Instr *in)
{
	const JoinRows *rows = &run->tables[EXPAND_TABLE(in->c) - 1];
	Result<uint64_t> d(VM_VALUES + (size_t) in->dst * VM_STRIDE);
	VmCursor	at = {0, 0};
	uint32_t	selected = 0;
	uint32_t	nulls = 0;

	if (!loops->going_on)
	{
		at = in->c & EXPAND_CLOSED ? at : run->cursor[loops->depth];
		loops->depth++;
	}
	else
		at = loops->next[loops->depth - 1];
	loops->going_on = false;
	__syncwarp();
	const PairCounts counts = count_pairs(in, at);
	const uint32_t n = min(counts.all, (uint32_t) WARP_LANES);

	LANES
	{
		const uint32_t number = (uint32_t) k * 32 + (THREAD & 31);
		const VmCursor pair = find_pair(counts, min(number, n > 0 ? n - 1 : 0));
		/* the number of the lane in the block */
		const uint32_t lane = pair.lane / 32 * VM_THREADS + THREAD / 32 * 32 + pair.lane % 32;
		const uint64_t span = register_values(in->a)[lane];
		const bool	none = VM_FLAGS[(size_t) in->a * VM_NULLS + THREAD_OF_LANE(lane)] >> BIT_OF_LANE(lane) & 1u;
		const bool	alone = (in->c & EXPAND_OUTER) && !(VM_MASK(in->b)[THREAD_OF_LANE(lane)] >> BIT_OF_LANE(lane) & 1u);
		const uint32_t match = pair.match + (pair.lane == at.lane ? at.match : 0);
		uint32_t	row = 0;

		if (number >= n)
		{
			d.put(k, i, 0);
			nulls |= 1u << k;
			continue;
		}
		selected |= 1u << k;
		if (none || alone)
			nulls |= 1u << k;
		else
			row = join_row(rows->table, JOIN_SPAN_FIRST(span) + match);
		if (row >= rows->rows->nrows)
			nulls |= 1u << k;
		d.put(k, i, (uint64_t) lane << 32 | row);
	}
	/* the loop's position after the last pair */
	if (counts.all > WARP_LANES)
	{
		const VmCursor last = find_pair(counts, WARP_LANES - 1);

		at = {last.lane, last.match + 1 + (last.lane == at.lane ? at.match : 0)};
	}
	else
		at = {WARP_LANES, 0};
	loops->next[loops->depth - 1] = at;
	__syncwarp();
	d.end(VM_FLAGS + (size_t) in->dst * VM_NULLS, nulls);
	VM_MASK(0)[THREAD] = (uint8_t) selected;
	VM_FLAGS[THREAD] = 0;
	if (!may_go_on(n))
	{
		VM_MASK(0)[THREAD] = 0;
		loops->next[loops->depth - 1] = {WARP_LANES, 0};
	}
	__syncwarp();
}

/* Return true if pairs are left at the end of a loop; if not, restore the selection from before the loop. */
static __device__ __forceinline__ bool
vm_leave_loop(VmRun *run, VmLoops *loops, const Instr *expand, bool *updating)
{
	const uint32_t level = loops->depth - 1;

	loops->going_on = loops->next[level].lane < WARP_LANES;
	if (!(expand->c & EXPAND_CLOSED))
		run->cursor[level] = loops->going_on ? loops->next[level] : VmCursor{0, 0};
	if (!loops->going_on)
	{
		VM_MASK(0)[THREAD] = VM_MASK(expand->m)[THREAD];
		loops->depth--;
	}
	__syncwarp();
	return loops->going_on;
}

/* Return true if loops have made progress since the run's cursors were `before`. */
static __device__ __forceinline__ bool
vm_moved(const VmRun *run, const VmCursor *before)
{
	bool		moved = false;

	for (int level = 0; level < PROGRAM_MAX_LOOPS; level++)
		moved |= run->cursor[level].lane != before[level].lane || run->cursor[level].match != before[level].match;
	return moved;
}

#undef WARP_LANES
#undef THREAD_OF_LANE
#undef BIT_OF_LANE
#undef PAIRS_MOST

/*
 * parts.cuh
 *		Operations of the interpreter on a whole tile on a GPU: groups, totals, rows out.
 *
 * The counterpart of core/vm/interp_parts.h, a template header over VM_LANES.  A
 * warp goes through the program on its own; every function here is called by
 * all threads of a warp.
 */

static __device__ __forceinline__ bool
vm_yields(const VmRun *run, bool updating)
{
	return false;
}

/* Return false: a kernel is not asked to end; a client that stops waiting leaves it running. */
static __device__ __forceinline__ bool
vm_ends(const VmRun *run)
{
	return false;
}

/* Record a failure in the block's status; return false, since the block goes on, and its results are discarded. */
static __device__ __forceinline__ bool
vm_stops(const VmRun *run, DeviceStatus status)
{
	atomicCAS(&block_groups()->status, (uint32_t) STATUS_DONE, (uint32_t) status);
	return false;
}

static __device__ __forceinline__ void
vm_select(const VmRun *run, uint32_t first, uint32_t n)
{
	uint32_t	selected = 0;

	LANES
	{
		uint32_t	row = first + (uint32_t) i;

		if ((uint32_t) i < n && (run->selected == NULL || (run->selected[row / 64] >> (row % 64) & 1)))
			selected |= 1u << k;
	}
	VM_MASK(0)[THREAD] = (uint8_t) selected;
	VM_FLAGS[THREAD] = 0;
}

static __device__ __forceinline__ bool
vm_any(const uint8_t *mask)
{
	return __any_sync(~0u, mask[THREAD] != 0);
}

static __device__ __forceinline__ void
vm_load_nulls(const Tablet *tablet, const TabletColumn *column, uint32_t first, uint32_t n, uint8_t *dn)
{
	uint32_t	nulls = 0;

	if (column->null_count > 0)
	{
		const uint8_t *bits = tablet_at(tablet, column->nulls);

		LANES
		{
			uint32_t	row = first + (uint32_t) i;

			if ((uint32_t) i < n)
				nulls |= (bits[row >> 3] >> (row & 7) & 1u) << k;
		}
	}
	dn[THREAD] = (uint8_t) nulls;
}

/* Keys of a thread's lanes, for block_find() and block_insert(). */
struct KeyLanes
{
	const VmRun *run;
	const uint16_t *key_register;
	uint16_t	hash_register;

	__device__ uint64_t nulls(int k) const
	{
		uint64_t	nulls = 0;

		for (uint32_t c = 0; c < run->program->nkeys; c++)
			nulls |= (uint64_t) BIT(operand_nulls(key_register[c])) << c;
		return nulls;
	}
	/* word `at` of key c */
	__device__ uint64_t value(int k, uint32_t c, uint32_t at) const
	{
		const uint32_t slot = key_register[c];
		const bool	length = at > 0 && run->program->key_kind[c] == KEY_TEXT;
		const uint32_t word = length ? 0 : at;
		const uint64_t found = BIT(operand_nulls(slot)) ? 0 : slot & CONSTANT ? block_constant(slot)->words[word]
			: register_values(slot + word)[k * VM_THREADS + THREAD];

		return length ? TEXT_LENGTH(found) : found;
	}
	__device__ void write(int k, uint64_t *key) const
	{
		*key++ = nulls(k);
		for (uint32_t c = 0; c < run->program->nkeys; c++)
			for (uint32_t at = 0; at < words_of_key(run->program->key_kind[c]); at++)
				*key++ = value(k, c, at);
	}
	__device__ bool equals(int k, const uint64_t *stored) const
	{
		if (*stored++ != nulls(k))
			return false;
		for (uint32_t c = 0; c < run->program->nkeys; c++)
		{
			const uint32_t words = words_of_key(run->program->key_kind[c]);
			const uint64_t mine = value(k, c, 0);
			/* texts are compared by their bytes, wherever they are */
			const bool	same = stored[0] == mine ||
				(run->program->key_kind[c] == KEY_TEXT &&
				 text_equal(vm_text(run, stored[0]), TEXT_LENGTH(stored[0]), vm_text(run, mine), TEXT_LENGTH(mine)));

			if (!same || (words > 1 && stored[1] != value(k, c, 1)))
				return false;
			stored += words;
		}
		return true;
	}
	__device__ uint64_t row_hash(int k) const { return Operand<uint64_t>(hash_register).at(k, k * VM_THREADS + THREAD); }
	__device__ uint32_t slot_hash(int k) const { return (uint32_t) (row_hash(k) >> 32); }
};

/* Find the group of every selected lane; return false to the whole warp if one is missing. */
static __device__ __forceinline__ bool
vm_find_groups(const VmRun *run, const Instr *in, const uint16_t *key_register)
{
	const KeyLanes lanes = {run, key_register, in->a};
	const uint32_t selected = VM_MASK(0)[THREAD];
	uint64_t   *found = VM_VALUES + (size_t) in->dst * VM_STRIDE;
	bool		missing = false;

	VM_FLAGS[(size_t) in->dst * VM_NULLS + THREAD] = 0;
	for (int k = 0, i = THREAD; k < VM_LANES; k++, i += VM_THREADS)
	{
		found[i] = 0;
		if (!BIT(selected))
			continue;
		found[i] = block_find(block_groups(), block_shape(), lanes, k, lanes.slot_hash(k));
		missing |= found[i] == GROUP_MISSING;
	}
	return !__any_sync(~0u, missing);
}

/*
 * Add the groups of a warp's lanes, if it `may`, after a run that ended with TABLE_FULL; called by
 * all threads of the block. Return true if the table has no room.
 */
static __device__ __noinline__ bool
vm_add_groups(const VmRun *run, const VmShape *shape, bool may)
{
	const Instr *in = program_instrs(run->program, run->body) + run->program->body[run->body].tile_start;
	uint16_t	key_register[PROGRAM_MAX_KEYS];

	for (; in->op != VMOP_GROUP; in++)
		if (in->op == VMOP_KEY_I || in->op == VMOP_KEY_W || in->op == VMOP_KEY_T)
			key_register[in->imm] = in->a;
	const KeyLanes lanes = {run, key_register, in->a};
	return block_insert(block_groups(), shape, lanes, may ? VM_MASK(0)[THREAD] : 0);
}

static __device__ __forceinline__ bool
vm_reserve_texts(const VmRun *run, const Instr *in)
{
	return false;
}

static __device__ inline bool
is_float_sum(uint16_t op)
{
	return op == VMOP_SUM_F || op == VMOP_SUM_F_G || op == VMOP_SUM_SQ || op == VMOP_SUM_SQ_G;
}

/* Update a sum of floats whose replicas threads share, lane by lane. */
static __device__ __noinline__ void
update_floats(const Instr *in, uint64_t *mine, uint32_t active, const uint64_t *found)
{
	const BlockGroups *groups = block_groups();
	const Operand<uint64_t> oa(in->a);

	for (int k = 0, i = THREAD; k < VM_LANES; k++, i += VM_THREADS)
	{
		/* no group has been found for a lane that is not active */
		const bool	has = BIT(active);

		float_take_together(state_kind_of(in->op), mine + (found && has ? found[i] * groups->stride : 0), groups->replicas,
							float_of_bits(oa.at(k, i)), has);
	}
}

/*
 * Update a state without atomic operations: each thread has a replica, or the lanes of a warp share
 * one and take turns.
 */
static __device__ __noinline__ void
update_in_turn(const Instr *in, uint64_t *states, uint32_t active, const uint64_t *found)
{
	const BlockGroups *groups = block_groups();
	/* words or wide values: the high word is not looked at where it has no meaning */
	const Operand<Wide> oa(in->a), oc(in->c);
	bool		alone = groups->replicas == VM_THREADS;
	uint32_t	replica = alone ? (uint32_t) THREAD : (uint32_t) THREAD / 32;

	for (int k = 0, i = THREAD; k < VM_LANES; k++, i += VM_THREADS)
	{
		const Wide	a = oa.at(k, i);
		const Wide	c = oc.at(k, i);
		const uint64_t value[2] = {(uint64_t) a, (uint64_t) ((UWide) a >> 64)};
		const uint64_t companion[2] = {(uint64_t) c, (uint64_t) ((UWide) c >> 64)};
		uint32_t	left = alone ? 1u << (THREAD & 31) : __ballot_sync(~0u, BIT(active));

		for (; left != 0; left &= left - 1)
		{
			if ((THREAD & 31) == __ffs((int) left) - 1 && BIT(active))
				state_take(in->op, states + (found ? found[i] * groups->stride : 0) + replica, groups->replicas, value,
						   companion);
			if (!alone)
				__syncwarp();
		}
	}
}

/*
 * Count or collect the active lanes' values in a tally; those that are less than its bound are
 * counted in `less`, the replica of this thread, which has one of its own.
 */
static __device__ __forceinline__ void
tally_lanes(const Instr *in, uint64_t *less, uint32_t active)
{
	const Operand<uint64_t> oa(in->a), ob(in->b);
	const uint32_t nbins = in->op == VMOP_VALUES ? 1 : SELECT_BINS;

	LANES
		if (BIT(active))
		{
			const int64_t v = (int64_t) oa.at(k, i);
			const int64_t least = (int64_t) ob.at(k, i);
			const uint64_t bin = select_bin(v, least, in->c);

			if (v < least)
				(*less)++;
			else if (bin < nbins && in->op == VMOP_VALUES)
				tally_collect(block_tally(in->dst), v);
			else if (bin < nbins)
				atomicAdd(&block_bins(block_shape(), in->dst)[bin], 1u);
		}
}

/* Update the totals of all active lanes; return 0, since none can fail before the end. */
static __device__ __forceinline__ uint32_t
vm_update(const VmRun *run, const Instr *in)
{
	const BlockGroups *groups = block_groups();
	const Operand<uint64_t> oa(in->a);
	const uint64_t *found = run->program->grouped ? VM_VALUES + (size_t) in->b * VM_STRIDE : NULL;
	/* a count of lanes has no operand: its flags are the selection's, never NULL */
	const uint32_t active = VM_MASK(in->m)[THREAD] & ~operand_nulls(in->a);
	const uint32_t replicas = groups->replicas;
	const bool	alone = replicas == VM_THREADS;
	const uint32_t s = (uint32_t) in->imm;
	uint64_t   *states = block_state(groups, block_shape(), 0, s);
	uint64_t   *mine = states + (THREAD & (replicas - 1));
	uint64_t   *single = block_singles(groups, block_shape(), 0) + block_shape()->single_at[s];

#define EACH_GROUP(statement) \
	LANES if (BIT(active)) { const uint64_t at = found ? found[i] * groups->stride : 0; uint64_t *state = mine + at; statement; }

	enum { before = __COUNTER__ };

	switch (in->op)
	{
		LABEL(VMOP_COUNT):
			*mine += __popc(active);
			break;
		LABEL(VMOP_COUNT_G):
			EACH_GROUP(add_state(state, alone, 1))
			break;
		LABEL(VMOP_SUM_I):
		LABEL(VMOP_SUM_I_G):
			EACH_GROUP(sum_add(state, alone, single + at, (int64_t) oa.at(k, i), block_sum_bits()))
			break;
		LABEL(VMOP_SUM_W):
		LABEL(VMOP_SUM_W_G):
			EACH_GROUP(sum_add_wide(state, alone, single + at, Operand<Wide>(in->a).at(k, i), block_sum_bits()))
			break;
		LABEL(VMOP_MIN_I):
		LABEL(VMOP_MIN_I_G):
			EACH_GROUP(atomicMin((long long *) state, (long long) oa.at(k, i)))
			break;
		LABEL(VMOP_MAX_I):
		LABEL(VMOP_MAX_I_G):
			EACH_GROUP(atomicMax((long long *) state, (long long) oa.at(k, i)))
			break;
		LABEL(VMOP_ALL_BITS):
		LABEL(VMOP_ALL_BITS_G):
			EACH_GROUP(atomicAnd((Word *) state, (Word) oa.at(k, i)))
			break;
		LABEL(VMOP_ANY_BITS):
		LABEL(VMOP_ANY_BITS_G):
			EACH_GROUP(atomicOr((Word *) state, (Word) oa.at(k, i)))
			break;
		LABEL(VMOP_ODD_BITS):
		LABEL(VMOP_ODD_BITS_G):
			EACH_GROUP(atomicXor((Word *) state, (Word) oa.at(k, i)))
			break;
		LABEL(VMOP_BINS):
		LABEL(VMOP_VALUES):
			tally_lanes(in, mine, active);
			break;
#define IN_TURN(name, kind) LABEL(VMOP_##name):
		IN_TURN_TOTALS(IN_TURN)
#undef IN_TURN
			if (!alone && is_float_sum(in->op))
			{
				update_floats(in, mine, active, found);
				break;
			}
			update_in_turn(in, states, active, found);
			break;
		/* op_suits_gpu() refuses programs with these */
		LABEL(VMOP_EXACT_G):
		LABEL(VMOP_MIN_T):
		LABEL(VMOP_MAX_T):
		LABEL(VMOP_MIN_T_G):
		LABEL(VMOP_MAX_T_G):
			break;
	}
	static_assert(LABELS_SINCE(before) == 0 TOTAL_OPS(OP_ONE) TOTAL_G_OPS(OP_ONE), "a total of op_units.h has no meaning here");
	return 0;
#undef EACH_GROUP
}

/* Clear the tile's bits of passed rows, for warps that leave it before vm_emit(). */
static __device__ __forceinline__ void
vm_clear_bits(const VmRun *run, uint32_t first, uint32_t n)
{
	LANES
		if ((THREAD & 31) == 0 && (uint32_t) i < n)
			run->out[(first + (uint32_t) i) / 32] = 0;
}

/* Store a bit for each row of the tile: 1 if it has passed the filters. */
static __device__ __forceinline__ bool
vm_emit(const VmRun *run, uint32_t first, uint32_t n)
{
	const uint32_t selected = VM_MASK(0)[THREAD];

	LANES
	{
		uint32_t	bits = __ballot_sync(~0u, BIT(selected));

		/* tiles begin at multiples of 32, so a warp's lanes are one word */
		if ((THREAD & 31) == 0 && (uint32_t) i < n)
			run->out[(first + (uint32_t) i) / 32] = bits;
	}
	return true;
}

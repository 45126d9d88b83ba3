/*
 * parts.cuh
 *		What interp.h asks of a GPU for a whole tile: groups, totals, rows out.
 *
 * The counterpart of core/interp_parts.h, a template header over VM_LANES.  A
 * warp goes through the program on its own; every function here is called by
 * all threads of a warp.
 */

static __device__ __forceinline__ bool
vm_yields(const VmRun *run, bool updating)
{
	return false;
}

/* A failure is noted; the block goes on, and its answers are thrown away. */
static __device__ __forceinline__ bool
vm_stops(const VmRun *run, DeviceStatus status)
{
	block_groups()->status = status;
	return false;
}

static __device__ __forceinline__ void
vm_select(const VmRun *run, uint32_t n)
{
	uint32_t	selected = 0;

	LANES selected |= (uint32_t) ((uint32_t) i < n) << k;
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

/* Word w of a lane's key: which keys are NULL, then their values. */
static __device__ __forceinline__ uint64_t
key_word(const VmRun *run, const uint16_t *key_register, uint32_t w, int k, int i)
{
	const Program *program = run->program;
	uint64_t	nulls = 0;

	if (w == 0)
	{
		for (uint32_t c = 0; c < program->nkeys; c++)
			nulls |= (uint64_t) BIT(operand_nulls(key_register[c])) << c;
		return nulls;
	}
	for (uint32_t c = 0;; c++)
	{
		const uint32_t slot = key_register[c];
		const uint32_t first = program->key_word[c];

		if (c + 1 == program->nkeys || w < program->key_word[c + 1])
			return BIT(operand_nulls(slot)) ? 0 : slot & CONSTANT ? block_constant(slot)->words[w - first]
				: register_values(slot + w - first)[i];
	}
}

/* Find or insert the group of every selected lane; false for the whole warp when the table is full. */
static __device__ __forceinline__ bool
vm_find_groups(const VmRun *run, const Instr *in, const uint16_t *key_register)
{
	BlockGroups *groups = block_groups();
	const Operand<uint64_t> hashes(in->a);
	const uint32_t selected = VM_MASK(0)[THREAD];
	uint64_t   *found = VM_VALUES + (size_t) in->dst * VM_STRIDE;
	bool		full = false;

	VM_FLAGS[(size_t) in->dst * VM_NULLS + THREAD] = 0;
	for (int k = 0, i = THREAD; k < VM_LANES; k++, i += VM_THREADS)
	{
		found[i] = 0;
		if (!BIT(selected))
			continue;
		found[i] = block_find_or_insert(groups, hashes.at(k, i),
										[&](uint32_t w) { return key_word(run, key_register, w, k, i); });
		full |= found[i] == UINT32_MAX;
	}
	return !__any_sync(~0u, full);
}

static __device__ __forceinline__ bool
vm_reserve_texts(const VmRun *run, const Instr *in)
{
	return false;
}

/* Updates without an atomic form: each thread has a replica, or the lanes of a warp share one and take turns. */
static __device__ __noinline__ uint32_t
update_in_turn(const Instr *in, uint64_t *states, uint32_t active, const uint64_t *found)
{
	const BlockGroups *groups = block_groups();
	/* words or wide values: the high word is not looked at where it has no meaning */
	const Operand<Wide> oa(in->a), oc(in->c);
	bool		alone = groups->replicas == VM_THREADS;
	uint32_t	replica = alone ? (uint32_t) THREAD : (uint32_t) THREAD / 32;
	uint32_t	error = 0;

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
				state_take(in, states + (found ? found[i] * groups->stride : 0) + replica, groups->replicas, value,
						   companion, &error);
			if (!alone)
				__syncwarp();
		}
	}
	return error;
}

/* Update the totals of all active lanes; nonzero when one fails. */
static __device__ __forceinline__ uint32_t
vm_update(const VmRun *run, const Instr *in)
{
	const BlockGroups *groups = block_groups();
	const Operand<uint64_t> oa(in->a);
	const uint64_t *found = run->program->grouped ? VM_VALUES + (size_t) in->b * VM_STRIDE : NULL;
	/* a count of lanes has no operand: its flags are the selection's, never NULL */
	const uint32_t active = VM_MASK(in->m)[THREAD] & ~operand_nulls(in->a);
	const uint32_t replicas = groups->replicas;
	uint64_t   *states = groups->states + block_word_at(in->imm) * replicas;
	uint64_t   *mine = states + (THREAD & (replicas - 1));

#define EACH_GROUP(statement) \
	LANES if (BIT(active)) { uint64_t *state = mine + (found ? found[i] * groups->stride : 0); statement; }

	switch ((Opcode) in->op)
	{
		case VMOP_COUNT:
			*mine += __popc(active);
			return 0;
		case VMOP_COUNT_G:
			EACH_GROUP(add_word(state, 1))
			return 0;
		case VMOP_SUM_I:
			{
				uint64_t	low = 0;
				int64_t		high = 0;

				LANES
				{
					int64_t		v = BIT(active) ? (int64_t) oa.at(k, i) : 0;

					low += (uint64_t) v & 0xffffffffu;
					high += v >> 32;
				}
				mine[0] += low;
				mine[replicas] += (uint64_t) high;
				return 0;
			}
		case VMOP_SUM_I_G:
			EACH_GROUP(add_word(state, oa.at(k, i) & 0xffffffffu); add_word(state + replicas, (uint64_t) ((int64_t) oa.at(k, i) >> 32)))
			return 0;
		case VMOP_SUM_W:
		case VMOP_SUM_W_G:
			EACH_GROUP(
				add_word(state, oa.at(k, i) & 0xffffffffu);
				add_word(state + replicas, oa.at(k, i) >> 32);
				add_word(state + 2 * replicas, HIGH_A & 0xffffffffu);
				add_word(state + 3 * replicas, (uint64_t) ((int64_t) HIGH_A >> 32)))
			return 0;
		case VMOP_MIN_I:
		case VMOP_MIN_I_G:
			EACH_GROUP(atomicMin((long long *) state, (long long) oa.at(k, i)))
			return 0;
		case VMOP_MAX_I:
		case VMOP_MAX_I_G:
			EACH_GROUP(atomicMax((long long *) state, (long long) oa.at(k, i)))
			return 0;
		case VMOP_ALL_BITS:
		case VMOP_ALL_BITS_G:
			EACH_GROUP(atomicAnd((Word *) state, (Word) oa.at(k, i)))
			return 0;
		case VMOP_ANY_BITS:
		case VMOP_ANY_BITS_G:
			EACH_GROUP(atomicOr((Word *) state, (Word) oa.at(k, i)))
			return 0;
		case VMOP_ODD_BITS:
		case VMOP_ODD_BITS_G:
			EACH_GROUP(atomicXor((Word *) state, (Word) oa.at(k, i)))
			return 0;
		default:
			return update_in_turn(in, states, active, found);
	}
#undef EACH_GROUP
}

/* A bit for each row of the tile: did it pass? */
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

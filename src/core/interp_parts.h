/*
 * interp_parts.h
 *		What interp.h calls for a whole tile: a template header, part of interp.h.
 *
 * It uses VM_TILE and ACTIVE() of interp.h, which includes it.
 */

/* The NULL flags of n rows from `first` on. */
static inline void
vm_load_nulls(const Tablet *tablet, const TabletColumn *column, uint32_t first, uint32_t n, uint8_t *dn)
{
	const uint8_t *bits = tablet_at(tablet, column->nulls) + first / 8;

	memset(dn, 0, VM_TILE);
	if (column->null_count == 0)
		return;
	for (uint32_t i = 0; i < n; i++)
		dn[i] = (bits[i >> 3] >> (i & 7)) & 1;
}

/* 0 when no lane is active. */
static inline int
vm_any(const uint8_t *mask)
{
	uint8_t		any = 0;

	for (int i = 0; i < VM_TILE; i++)	/* vectorised */
		any |= mask[i];
	return any;
}

/* Find or insert the group of every active lane; false when the table is full. */
static inline bool
vm_find_groups(VmRun *run, const uint16_t *key_register, const uint64_t *hashes, const uint8_t *mask, uint32_t *groups)
{
	const Program *program = run->program;

	if (run->groups->ngroups >= GROUP_PREFETCH_MIN)
	{
		for (int i = 0; i < VM_TILE; i++)
			if (mask[i])
				group_prefetch_slot(run->groups, hashes[i]);
		for (int i = 0; i < VM_TILE; i++)
			if (mask[i])
				group_prefetch_row(run->groups, hashes[i]);
	}
	for (int i = 0; i < VM_TILE; i++)
	{
		GroupKey	key;
		uint32_t	w = 0;

		if (!mask[i])
			continue;
		key.hash = hashes[i];
		key.nulls = 0;
		for (uint32_t k = 0; k < program->nkeys; k++)
		{
			const uint64_t *value = run->values + (size_t) key_register[k] * VM_TILE;
			uint64_t	null = run->nulls[(size_t) key_register[k] * VM_TILE + i];

			key.nulls |= null << k;
			switch ((KeyKind) program->key_kind[k])
			{
				case KEY_WORD:
					key.words[w++] = null ? 0 : value[i];
					break;
				case KEY_WIDE:
					key.words[w++] = null ? 0 : value[2 * i];
					key.words[w++] = null ? 0 : value[2 * i + 1];
					break;
				case KEY_TEXT:
					key.words[w++] = (uint64_t) (uintptr_t) vm_text(run, null ? 0 : value[i]);
					key.words[w++] = null ? 0 : TEXT_LENGTH(value[i]);
					break;
			}
		}
		groups[i] = group_find_or_insert(program, run->groups, &key);
		if (groups[i] == GROUP_NONE)
			return false;
	}
	return true;
}

/* Sum of the active lanes in 16 interleaved parts, added pairwise. */
static inline double
vm_sum_lanes(const double *va, const uint8_t *an, const uint8_t *mask, uint64_t *flags)
{
	double		part[16];
	uint64_t	seen = 0;

	for (int j = 0; j < 16; j++)
		part[j] = -0.0;
	for (int i = 0; i < VM_TILE; i += 16)
		for (int j = 0; j < 16; j++)
			part[j] += ACTIVE(i + j) ? va[i + j] : -0.0;
	for (int i = 0; i < VM_TILE; i++)
		seen |= ACTIVE(i) ? float_flags(va[i]) : 0;
	*flags |= seen;
	for (int width = 8; width > 0; width /= 2)
		for (int j = 0; j < width; j++)
			part[j] += part[j + width];
	return part[0];
}

/* Update the states of the active lanes one by one; groups is NULL without keys. */
static inline void
vm_update_lanes(VmRun *run, const Instr *in, const uint64_t *va, const uint8_t *an, const uint8_t *mask,
				const uint32_t *groups)
{
	const uint64_t *vc = run->values + (size_t) in->c * VM_TILE;

	for (int i = 0; i < VM_TILE; i++)
	{
		uint64_t   *state;

		if (!ACTIVE(i))
			continue;
		state = group_row(run->groups, groups ? groups[i] : 0) + in->imm;
		switch ((Opcode) in->op)
		{
			case VMOP_SUM_SQ:
			case VMOP_SUM_SQ_G:
				float_square_add(state, float_of_bits(va[i]));
				break;
			case VMOP_ALL_BITS:
			case VMOP_ALL_BITS_G:
				state[0] &= va[i];
				break;
			case VMOP_ANY_BITS:
			case VMOP_ANY_BITS_G:
				state[0] |= va[i];
				break;
			case VMOP_ODD_BITS:
			case VMOP_ODD_BITS_G:
				state[0] ^= va[i];
				break;
			default:
				by_merge(in->op == VMOP_MIN_BY || in->op == VMOP_MIN_BY_G, state, wide_load(va + 2 * i),
						 wide_load(vc + 2 * i), 0);
				break;
		}
	}
}

/* What groups have asked for in this tile; where two share a place, the first one's is counted again. */
#define RESERVE_PLACES 64

typedef struct Reservation
{
	uint32_t	group[RESERVE_PLACES];
	uint64_t	room[RESERVE_PLACES];
	uint64_t	total;
} Reservation;

/*
 * A group that takes longer and longer texts doubles its room each time, so
 * twice the largest room is enough for all that it takes in a tile.
 */
static inline void
vm_reserve(Reservation *reserved, uint32_t group, uint64_t room)
{
	uint32_t	place = group % RESERVE_PLACES;

	if (reserved->group[place] != group)
		reserved->room[place] = 0;
	reserved->group[place] = group;
	if (room > reserved->room[place])
	{
		reserved->total += 2 * (room - reserved->room[place]);
		reserved->room[place] = room;
	}
}

/* Whether the heap has room for the texts of this tile that may be kept; groups is NULL without keys. */
static inline bool
vm_reserve_texts(const VmRun *run, const Instr *in, const uint64_t *va, const uint8_t *an, const uint8_t *mask,
				 const uint32_t *groups)
{
	const GroupTable *table = run->groups;
	bool		least = vm_text_least(run->program, in->imm);
	Reservation reserved = {{0}, {0}, 0};

	for (int i = 0; i < VM_TILE; i++)
	{
		uint32_t	group = groups && ACTIVE(i) ? groups[i] : 0;
		const uint64_t *state = group_row(table, group) + in->imm;

		if (ACTIVE(i) && !text_state_fits(state, TEXT_LENGTH(va[i])) &&
			text_state_beaten(state, table->heap, least, vm_text(run, va[i]), TEXT_LENGTH(va[i])))
			vm_reserve(&reserved, group, text_state_room(TEXT_LENGTH(va[i])));
	}
	run->groups->heap_reserved += reserved.total;
	return table->heap_used + table->heap_reserved <= table->heap_capacity;
}

/* The best of all active lanes into the one group there is; false without room. */
static inline bool
vm_take_best_text(VmRun *run, const Instr *in, const uint64_t *va, const uint8_t *an, const uint8_t *mask)
{
	GroupTable *table = run->groups;
	bool		least = in->op == VMOP_MIN_T;
	int			best = -1;

	for (int i = 0; i < VM_TILE; i++)
	{
		int			order;

		if (!ACTIVE(i))
			continue;
		order = best < 0 ? -1 : text_compare(vm_text(run, va[i]), TEXT_LENGTH(va[i]),
											 vm_text(run, va[best]), TEXT_LENGTH(va[best]));
		if (best < 0 || (least ? order < 0 : order > 0))
			best = i;
	}
	if (best >= 0)
		return group_take_text(table, group_row(table, 0) + in->imm, least, vm_text(run, va[best]),
							   TEXT_LENGTH(va[best]));
	return true;
}

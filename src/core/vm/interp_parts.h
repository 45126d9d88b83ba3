/*
 * interp_parts.h
 *		Operations on a whole tile on a CPU: selection, groups, emitted rows.
 *
 * A template header, part of interp.h's contract; interp_totals.h has the totals.
 */

/* 1 if a lane counts for an aggregate. */
#define ACTIVE(i)	(mask[i] & (an[i] ^ 1))

/* Return true if a test wants the run to stop before this instruction; not once totals are being updated. */
static inline bool
vm_yields(VmRun *run, bool updating)
{
	return core_unlikely(run->yield_after >= 0) && !updating && run->yield_after-- == 0;
}

/* Return true if a failure ends the run; on a CPU the first one does. */
static inline bool
vm_stops(VmRun *run, DeviceStatus status)
{
	return status != STATUS_DONE;
}

/* Begin a tile of n rows from `first` on, a multiple of 64: initialize the selection. */
static inline void
vm_select(VmRun *run, uint32_t first, uint32_t n)
{
	uint8_t    *selection = (uint8_t *) run->values;

	if (run->selected == NULL)
		memset(selection, 1, n);
	else
		for (uint32_t i = 0; i < n; i++)
			selection[i] = (run->selected[(first + i) / 64] >> (i % 64)) & 1;
	memset(selection + n, 0, VM_TILE - n);
	memset(run->nulls, 0, VM_TILE);
	run->lanes = VM_TILE;
	if (run->groups != NULL)
		run->groups->heap_reserved = 0;
}

/* Load the NULL flags of a column for n rows from `first` on. */
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

/* Return 0 when no lane of a mask is active; lanes beyond run->lanes never are. */
static inline int
vm_any(const uint8_t *mask)
{
	uint8_t		any = 0;

	for (int i = 0; i < VM_TILE; i++)	/* vectorised */
		any |= mask[i];
	return any;
}

/* Find or insert the group of every selected lane; false when the table is full. */
static inline bool
vm_find_groups(VmRun *run, const Instr *in, const uint16_t *key_register)
{
	const Program *program = run->program;
	const uint64_t *hashes = run->values + (size_t) in->a * VM_TILE;
	const uint8_t *mask = (const uint8_t *) run->values;
	uint32_t   *groups = (uint32_t *) (run->values + (size_t) in->dst * VM_TILE);

	memset(groups, 0, VM_TILE * sizeof(uint32_t));
	memset(run->nulls + (size_t) in->dst * VM_TILE, 0, VM_TILE);
	if (run->groups->ngroups >= GROUP_PREFETCH_MIN)
	{
		EACH_LANE
			if (mask[i])
				group_prefetch_slot(run->groups, hashes[i]);
		EACH_LANE
			if (mask[i])
				group_prefetch_row(run->groups, hashes[i]);
	}
	EACH_LANE
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

/*
 * Heap room reserved by groups in a tile, as a direct-mapped cache.  A group whose entry another
 * one has taken is counted again.
 */
#define RESERVE_PLACES 64

typedef struct Reservation
{
	uint32_t	group[RESERVE_PLACES];
	uint64_t	room[RESERVE_PLACES];
	uint64_t	total;
} Reservation;

/*
 * Reserve heap room for a group's text state.  A group that takes longer and longer texts doubles
 * its room each time, so twice the largest room is enough for all that it takes in a tile.
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

/* Reserve heap room for the texts of this tile that states may store; false if the heap has too little. */
static inline bool
vm_reserve_texts(const VmRun *run, const Instr *in)
{
	const uint64_t *va = run->values + (size_t) in->a * VM_TILE;
	const uint8_t *an = run->nulls + (size_t) in->a * VM_TILE;
	const uint8_t *mask = (const uint8_t *) (run->values + (size_t) in->m * VM_TILE);
	const uint32_t *groups = in->op == VMOP_RESERVE_T_G ? (const uint32_t *) (run->values + (size_t) in->b * VM_TILE) : NULL;
	const GroupTable *table = run->groups;
	bool		least = vm_text_least(run->program, in->imm);
	Reservation reserved = {{0}, {0}, 0};

	EACH_LANE
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

/* Append the numbers of the selected rows; false when there is no room for a whole tile. */
static inline bool
vm_emit(VmRun *run, uint32_t first, uint32_t n)
{
	const uint8_t *selection = (const uint8_t *) run->values;
	/* there may be more pairs than rows */
	const uint32_t room = run->program->ntables > 0 ? run->lanes : n;

	if (run->out_capacity - run->out_count < room)
		return false;
	run->out_before = run->out_count;
	for (uint32_t i = 0; i < room; i++)
	{
		run->out[run->out_count] = first + i;
		run->out_count += selection[i];
	}
	return true;
}

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

/*
 * interp_totals.h
 *		The totals of a tile on a CPU: a template header, part of interp.h's contract.
 *
 * Without keys all lanes belong to one group, so a tile is summed up before the state is updated.
 */

/* Run a statement on the group's state of each active lane. */
#define EACH_GROUP(statement) \
	EACH_LANE \
		if (ACTIVE(i)) \
		{ \
			uint64_t   *state = group_row(run->groups, groups[i]) + in->imm; \
			statement; \
		}

/* Return the sum of the active lanes, in 16 interleaved parts that are added pairwise. */
static inline double
vm_sum_lanes(const VmRun *run, const double *va, const uint8_t *an, const uint8_t *mask, uint64_t *flags)
{
	double		part[16];
	uint64_t	seen = 0;

	for (int j = 0; j < 16; j++)
		part[j] = -0.0;
	for (int i = 0; i < (int) run->lanes; i += 16)
		for (int j = 0; j < 16; j++)
		{
			/* as integers: gcc 12 loses lanes of `active ? x : -0.0` with AVX2 and -fno-trapping-math */
			uint64_t	active = -(uint64_t) ACTIVE(i + j);

			part[j] += float_of_bits((bits_of_float(va[i + j]) & active) | (bits_of_float(-0.0) & ~active));
		}
	EACH_LANE
		seen |= ACTIVE(i) ? float_flags(va[i]) : 0;
	*flags |= seen;
	for (int width = 8; width > 0; width /= 2)
		for (int j = 0; j < width; j++)
			part[j] += part[j + width];
	return part[0];
}

/* Totals computed lane by lane with and without keys: name, and the update of `state`. */
#define LANE_TOTALS(TOTAL) \
	TOTAL(SUM_SQ, float_square_add(state, float_of_bits(va[i]))) \
	TOTAL(EXACT, exact_add(state, float_of_bits(va[i]))) \
	TOTAL(ALL_BITS, state[0] &= va[i]) \
	TOTAL(ANY_BITS, state[0] |= va[i]) \
	TOTAL(ODD_BITS, state[0] ^= va[i]) \
	TOTAL(MIN_BY, by_merge(true, state, wide_load(va + 2 * i), wide_load(vc + 2 * i), 0)) \
	TOTAL(MAX_BY, by_merge(false, state, wide_load(va + 2 * i), wide_load(vc + 2 * i), 0))

/* Update the states of the active lanes one by one; groups is NULL without keys. */
static inline void
vm_update_lanes(VmRun *run, const Instr *in, const uint64_t *va, const uint8_t *an, const uint8_t *mask,
				const uint32_t *groups)
{
	const uint64_t *vc = run->values + (size_t) in->c * VM_TILE;

	EACH_LANE
	{
		uint64_t   *state;

		if (!ACTIVE(i))
			continue;
		state = group_row(run->groups, groups ? groups[i] : 0) + in->imm;
		switch (in->op)
		{
#define LANE_TOTAL(name, work) case VMOP_##name: case VMOP_##name##_G: work; break;
			LANE_TOTALS(LANE_TOTAL)
#undef LANE_TOTAL
		}
	}
}

/* Store the minimum or maximum of all active lanes' texts in the only group; false without room. */
static inline bool
vm_take_best_text(VmRun *run, const Instr *in, const uint64_t *va, const uint8_t *an, const uint8_t *mask)
{
	GroupTable *table = run->groups;
	bool		least = in->op == VMOP_MIN_T;
	int			best = -1;

	EACH_LANE
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

/* Update the state of the only group of a program without keys; nonzero when a lane fails. */
static uint32_t
vm_update_one(VmRun *run, const Instr *in)
{
	const uint64_t *va = run->values + (size_t) in->a * VM_TILE;
	const uint8_t *an = run->nulls + (size_t) in->a * VM_TILE;
	const uint8_t *mask = (const uint8_t *) (run->values + (size_t) in->m * VM_TILE);
	uint32_t	error = 0;

	switch ((TotalOp) in->op)
	{
		case VMOP_COUNT:
			{
				uint32_t	count = 0;

				EACH_LANE	/* vectorised */
					count += mask[i] & (in->a == 0 ? 1 : an[i] ^ 1);
				group_row(run->groups, 0)[in->imm] += count;
				break;
			}
		case VMOP_SUM_I:
			{
				int64_t		low = 0;
				int64_t		high = 0;
				uint64_t   *state = group_row(run->groups, 0) + in->imm;

				EACH_LANE	/* vectorised */
				{
					int64_t		v = ((const int64_t *) va)[i] & -(int64_t) ACTIVE(i);

					low += v & 0xffffffff;
					high += v >> 32;
				}
				wide_store(state, wide_load(state) + (Wide) high * ((int64_t) 1 << 32) + low);
				break;
			}
		case VMOP_SUM_W:
			{
				uint64_t   *state = group_row(run->groups, 0) + in->imm;
				Wide		total = wide_load(state);

				EACH_LANE
					total = wide_add(total, ACTIVE(i) ? ((const Wide *) va)[i] : 0, &error);
				wide_store(state, total);
				break;
			}
		case VMOP_SUM_F:
			{
				uint64_t   *state = group_row(run->groups, 0) + in->imm;

				float_total_add(state, vm_sum_lanes(run, (const double *) va, an, mask, &state[2]));
				break;
			}
		case VMOP_MIN_I:
		case VMOP_MAX_I:
			{
				bool		least = in->op == VMOP_MIN_I;
				int64_t		best = least ? INT64_MAX : INT64_MIN;
				uint64_t	found;

				if (least)
					EACH_LANE
					{
						int64_t		v = ACTIVE(i) ? ((const int64_t *) va)[i] : INT64_MAX;

						best = v < best ? v : best;
					}
				else
					EACH_LANE
					{
						int64_t		v = ACTIVE(i) ? ((const int64_t *) va)[i] : INT64_MIN;

						best = v > best ? v : best;
					}
				found = (uint64_t) best;
				state_merge(least ? STATE_MIN_I : STATE_MAX_I, group_row(run->groups, 0) + in->imm, &found, &error);
				break;
			}
		case VMOP_MIN_W:
		case VMOP_MAX_W:
			EACH_LANE
				if (ACTIVE(i))
					state_merge(in->op == VMOP_MIN_W ? STATE_MIN_W : STATE_MAX_W,
								group_row(run->groups, 0) + in->imm, &va[2 * i], &error);
			break;
#define LANE_TOTAL(name, work) case VMOP_##name:
		LANE_TOTALS(LANE_TOTAL)
#undef LANE_TOTAL
			vm_update_lanes(run, in, va, an, mask, NULL);
			break;
		case VMOP_MIN_T:
		case VMOP_MAX_T:
			error |= !vm_take_best_text(run, in, va, an, mask);
			break;
		case VMOP_BINS:
		case VMOP_VALUES:
			{
				const uint64_t *vb = run->values + (size_t) in->b * VM_TILE;
				uint64_t   *state = group_row(run->groups, 0) + in->imm;

				EACH_LANE
					if (ACTIVE(i))
					{
						if (in->op == VMOP_BINS)
							select_count(state, (int64_t) va[i], (int64_t) vb[i], in->c);
						else
							select_collect(state, (int64_t) va[i], (int64_t) vb[i], in->c);
					}
				break;
			}
	}
	return error;
}

/* Update the state of each lane's group; nonzero when a lane fails. */
static uint32_t
vm_update_groups(VmRun *run, const Instr *in)
{
	const uint64_t *va = run->values + (size_t) in->a * VM_TILE;
	const uint8_t *an = run->nulls + (size_t) in->a * VM_TILE;
	const uint8_t *mask = (const uint8_t *) (run->values + (size_t) in->m * VM_TILE);
	const uint32_t *groups = (const uint32_t *) (run->values + (size_t) in->b * VM_TILE);
	uint32_t	error = 0;

	switch ((GroupTotalOp) in->op)
	{
		case VMOP_COUNT_G:
			EACH_LANE
				if (mask[i] & (in->a == 0 ? 1 : an[i] ^ 1))
					group_row(run->groups, groups[i])[in->imm]++;
			break;
		case VMOP_SUM_I_G:
			EACH_GROUP(wide_store(state, wide_load(state) + ((const int64_t *) va)[i]));
			break;
		case VMOP_SUM_W_G:
			EACH_GROUP(wide_store(state, wide_add(wide_load(state), ((const Wide *) va)[i], &error)));
			break;
		case VMOP_SUM_F_G:
			EACH_GROUP((state[2] |= float_flags(((const double *) va)[i]),
						float_total_add(state, ((const double *) va)[i])));
			break;
		case VMOP_MIN_I_G:
			EACH_GROUP(state_merge(STATE_MIN_I, state, &va[i], &error));
			break;
		case VMOP_MAX_I_G:
			EACH_GROUP(state_merge(STATE_MAX_I, state, &va[i], &error));
			break;
		case VMOP_MIN_W_G:
			EACH_GROUP(state_merge(STATE_MIN_W, state, &va[2 * i], &error));
			break;
		case VMOP_MAX_W_G:
			EACH_GROUP(state_merge(STATE_MAX_W, state, &va[2 * i], &error));
			break;

#define LANE_TOTAL(name, work) case VMOP_##name##_G:
		LANE_TOTALS(LANE_TOTAL)
#undef LANE_TOTAL
			vm_update_lanes(run, in, va, an, mask, groups);
			break;
		case VMOP_MIN_T_G:
		case VMOP_MAX_T_G:
			EACH_GROUP(error |= !group_take_text(run->groups, state, in->op == VMOP_MIN_T_G, vm_text(run, va[i]),
												 TEXT_LENGTH(va[i])));
			break;
	}
	return error;
}

static inline uint32_t
vm_update(VmRun *run, const Instr *in)
{
	return run->program->grouped ? vm_update_groups(run, in) : vm_update_one(run, in);
}

#undef LANE_TOTALS

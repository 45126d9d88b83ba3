/*
 * interp_joins.h
 *		Joins on a CPU: probing tables, fetching values of their rows, loops over pairs.
 *
 * A template header, part of interp.h's contract.  A register of rows holds 32-bit row numbers; one
 * that is not NULL is an existing row, in inactive lanes, too.  A register of spans holds
 * JOIN_SPANs, a register of pairs lane << 32 | row.
 *
 * A tile with loops may be started again after a request.  Loops whose body updates totals then
 * continue at run->cursor; closed loops, which end before anything is updated, begin anew.
 */

/* Number of tiles of pairs between two tests for cancellation: some hundred microseconds of work. */
#define EXPANDED_UNHEARD 64

/*
 * Fold an integer into a key's word: as a part of an exact table's word, or hashed.  The JoinPart
 * here, and the Frame of a column below, are local copies, because the compiler must assume that
 * storing a value changes what they point to and would reload them for each lane.
 */
#define JOIN_PART(exact_word, value, hashed) \
	do { \
		const JoinPart part = table->part[in->c]; \
		if (table->exact) \
			LANES { uint32_t miss = 0; const uint64_t word = exact_word(&part, (value), &miss); \
					vd[i] = vb[i] | word; dn[i] = (uint8_t) (an[i] | bn[i] | miss); } \
		else \
			LANES { vd[i] = hash_combine(vb[i], (hashed)); dn[i] = an[i] | bn[i]; } \
	} while (0)

static inline void
vm_join_text(const VmRun *run, const Instr *in)
{
	uint64_t   *vd = run->values + (size_t) in->dst * VM_TILE;
	const uint64_t *va = run->values + (size_t) in->a * VM_TILE;
	const uint64_t *vb = run->values + (size_t) in->b * VM_TILE;
	uint8_t    *dn = run->nulls + (size_t) in->dst * VM_TILE;
	const uint8_t *an = run->nulls + (size_t) in->a * VM_TILE;
	const uint8_t *bn = run->nulls + (size_t) in->b * VM_TILE;
	const uint8_t *selection = (const uint8_t *) run->values;

	LANES
	{
		dn[i] = an[i] | bn[i] | (selection[i] ^ 1);
		vd[i] = dn[i] ? 0 : hash_combine(vb[i], hash_bytes(vm_text(run, va[i]), TEXT_LENGTH(va[i])));
	}
}

/*
 * Probe a unique direct table: store the row of every active lane's word, or its span.  The loads
 * that depend on the word are in a loop of their own, so that the compiler vectorises the loops
 * before and after.
 */
static inline void
vm_probe_places(const VmRun *run, const Instr *in, const JoinTable *table)
{
	uint64_t   *vd = run->values + (size_t) in->dst * VM_TILE;
	uint32_t   *row = (uint32_t *) vd;
	const uint64_t *va = run->values + (size_t) in->a * VM_TILE;
	uint8_t    *dn = run->nulls + (size_t) in->dst * VM_TILE;
	const uint8_t *an = run->nulls + (size_t) in->a * VM_TILE;
	const uint8_t *selection = (const uint8_t *) run->values;
	const uint32_t *place = (const uint32_t *) join_at(table, table->index);
	const uint64_t nplaces = table->nplaces;
	uint32_t	found[VM_TILE];

	LANES						/* vectorised */
	{
		const uint8_t here = selection[i] & (an[i] ^ 1) & (uint8_t) (va[i] < nplaces);

		dn[i] = here ^ 1;
		vd[i] = here ? va[i] : 0;
	}
	EACH_LANE found[i] = place[vd[i]];
	LANES dn[i] |= (uint8_t) (found[i] == JOIN_NO_ROW);	/* vectorised */
	if (in->op == VMOP_PROBE)
		LANES row[i] = found[i];
	else
		LANES vd[i] = dn[i] ? 0 : JOIN_SPAN(found[i], 1);	/* vectorised */
}

/* Probe a table: store the span of every active lane's word, or its row in a unique table. */
static inline void
vm_probe(const VmRun *run, const Instr *in, const JoinTable *table)
{
	uint64_t   *vd = run->values + (size_t) in->dst * VM_TILE;
	uint32_t   *row = (uint32_t *) vd;
	const uint64_t *va = run->values + (size_t) in->a * VM_TILE;
	uint8_t    *dn = run->nulls + (size_t) in->dst * VM_TILE;
	const uint8_t *an = run->nulls + (size_t) in->a * VM_TILE;
	const uint8_t *selection = (const uint8_t *) run->values;

	if (table->unique && table->direct)
	{
		vm_probe_places(run, in, table);
		return;
	}
	/* NULL flags mark the lanes without a search */
	LANES dn[i] = an[i] | (selection[i] ^ 1);
	if (table->present != 0)
	{
		const uint32_t *present = (const uint32_t *) join_at(table, table->present);
		const uint64_t npresent = table->npresent;
		uint32_t	unit[VM_TILE];

		LANES
		{
			const uint8_t here = (dn[i] ^ 1) & (uint8_t) (va[i] < npresent);

			dn[i] = here ^ 1;
			unit[i] = here ? (uint32_t) join_present_unit(va[i]) : 0;
		}
		EACH_LANE unit[i] = present[unit[i]];
		LANES dn[i] |= (uint8_t) join_present_bit(unit[i], va[i]) ^ 1;	/* vectorised */
	}
	if (table->size > JOIN_PREFETCH_BYTES)
		EACH_LANE
			if (!dn[i])
				__builtin_prefetch(join_entry(table, va[i]));
	EACH_LANE
	{
		uint64_t	span;

		if (dn[i])
			continue;
		span = join_find(table, va[i]);
		dn[i] = JOIN_SPAN_COUNT(span) == 0;
		if (in->op == VMOP_PROBE)
			row[i] = JOIN_SPAN_FIRST(span);
		else
			vd[i] = span;
	}
}

/* Store the rank of every active lane's value; false if the table is not sorted. */
static inline bool
vm_rank(const VmRun *run, const Instr *in, const JoinTable *table)
{
	uint64_t   *vd = run->values + (size_t) in->dst * VM_TILE;
	const uint64_t *va = run->values + (size_t) in->a * VM_TILE;
	uint8_t    *dn = run->nulls + (size_t) in->dst * VM_TILE;
	const uint8_t *an = run->nulls + (size_t) in->a * VM_TILE;
	const uint8_t *selection = (const uint8_t *) run->values;

	if (!table->sorted)
		return false;
	LANES dn[i] = an[i] | (selection[i] ^ 1);
	if (in->op == VMOP_RANK_I)
		EACH_LANE vd[i] = dn[i] ? 0 : join_rank(table, (int64_t) va[i], in->c != 0);
	else
		EACH_LANE vd[i] = dn[i] ? 0 : join_rank_wide(table, wide_load(va + 2 * i), in->c != 0);
	return true;
}

/* Load a column's values at the rows at[], which are in any order; a lane with NULL has the first row's value. */
#define FETCH(dtype, stype, expr) \
	do { \
		const stype *src = (const stype *) tablet_at(tablet, column->values); \
		EACH_LANE { const stype v = src[at[i]]; ((dtype *) vd)[i] = (dtype) (expr); } \
	} while (0)
/* Load values and decode their frame-of-reference encoding in a second loop, which the compiler vectorises. */
#define FETCH_FOR_ENCODED(dtype, stype) \
	do { \
		FETCH(dtype, stype, v); \
		LANES ((dtype *) vd)[i] = (dtype) FOR_ENCODED(((const dtype *) vd)[i], &encoding); \
	} while (0)
#define FETCH_SAME(dtype) \
	LANES ((dtype *) vd)[i] = (dtype) encoding.base

/* Fetch a column's values at the rows at[] into a wide register; false if the column's type is unsuitable. */
static inline bool
vm_fetch_wide(const VmRun *run, const Instr *in, const Tablet *tablet, const uint32_t *at)
{
	const TabletColumn *column = &tablet->column[FETCH_COLUMN(in->c)];
	const ForEncoding encoding = for_encoding_of(column);
	uint64_t   *vd = run->values + (size_t) in->dst * VM_TILE;

	switch ((ColType) column->type)
	{
		case COLTYPE_SAME: FETCH_SAME(Wide); break;
		case COLTYPE_U8: FETCH_FOR_ENCODED(Wide, uint8_t); break;
		case COLTYPE_U16: FETCH_FOR_ENCODED(Wide, uint16_t); break;
		case COLTYPE_U32: FETCH_FOR_ENCODED(Wide, uint32_t); break;
		case COLTYPE_I16: FETCH(Wide, int16_t, v); break;
		case COLTYPE_I32: FETCH(Wide, int32_t, v); break;
		case COLTYPE_I64: FETCH(Wide, int64_t, v); break;
		case COLTYPE_I128: FETCH(Wide, Wide, v); break;
		default: return false;
	}
	return true;
}

/* Fetch the values of a column at the rows of a register; false if the column's type is unsuitable. */
static inline bool
vm_fetch(const VmRun *run, const Instr *in, uint32_t first)
{
	const uint32_t number = FETCH_TABLE(in->c);
	const Tablet *tablet = number ? run->tables[number - 1].rows : run->tablet;
	const TabletColumn *column = &tablet->column[FETCH_COLUMN(in->c)];
	const uint32_t before = number ? 0 : first;
	uint64_t   *vd = run->values + (size_t) in->dst * VM_TILE;
	uint8_t    *dn = run->nulls + (size_t) in->dst * VM_TILE;
	const uint32_t *rows = (const uint32_t *) (run->values + (size_t) in->a * VM_TILE);
	const uint8_t *an = run->nulls + (size_t) in->a * VM_TILE;
	uint32_t	at[VM_TILE];
	ForEncoding	encoding;

	if (FETCH_COLUMN(in->c) >= tablet->ncols || !vm_can_load(in->op, column->type))
		return false;
	memcpy(dn, an, VM_TILE);
	if (tablet->nrows == 0)
	{
		memset(vd, 0, (size_t) VM_TILE * (in->op == VMOP_FETCH_W ? 16 : 8));
		return true;
	}
	LANES at[i] = an[i] ? 0 : rows[i] + before;	/* vectorised */
	if (column->null_count > 0)
	{
		const uint8_t *bits = tablet_at(tablet, column->nulls);

		EACH_LANE dn[i] |= bits[at[i] >> 3] >> (at[i] & 7) & 1;
	}
	if (in->op == VMOP_FETCH_W)
		return vm_fetch_wide(run, in, tablet, at);
	encoding = for_encoding_of(column);
	switch ((ColType) column->type)
	{
		case COLTYPE_BOOL: FETCH(uint8_t, uint8_t, v); break;
		case COLTYPE_SAME: FETCH_SAME(int64_t); break;
		case COLTYPE_U8: FETCH_FOR_ENCODED(int64_t, uint8_t); break; /* vectorised */
		case COLTYPE_U16: FETCH_FOR_ENCODED(int64_t, uint16_t); break; /* vectorised */
		case COLTYPE_U32: FETCH_FOR_ENCODED(int64_t, uint32_t); break; /* vectorised */
		case COLTYPE_I16: FETCH(int64_t, int16_t, v); break;
		case COLTYPE_I32: FETCH(int64_t, int32_t, v); break;
		case COLTYPE_I64: FETCH(int64_t, int64_t, v); break;
		case COLTYPE_I128: FETCH(int64_t, Wide, v); break;
		case COLTYPE_F32: FETCH(double, float, v); break;
		case COLTYPE_F64: FETCH(double, double, v); break;
		case COLTYPE_TEXT: FETCH(uint64_t, uint64_t, TEXT_BEHIND(TEXT_IN_TABLE(v, number), encoding.base)); break;
		case COLTYPE_Count: return false;
	}
	return true;
}

/* Store the rows of a table, or with imm = 0 of the tablet, for the rows that EMIT appended last. */
static inline void
vm_emit_rows(const VmRun *run, const Instr *in, uint32_t first)
{
	const uint32_t *rows = (const uint32_t *) (run->values + (size_t) in->a * VM_TILE);
	const uint8_t *an = run->nulls + (size_t) in->a * VM_TILE;
	const uint8_t *selection = (const uint8_t *) run->values;
	uint32_t   *to = (in->imm == 0 ? run->out : run->matches + (size_t) (in->imm - 1) * run->out_capacity) + run->out_before;

	EACH_LANE
		if (selection[i])
			*to++ = an[i] ? JOIN_NO_ROW : in->imm == 0 ? first + rows[i] : rows[i];
}

/* Allocate places for the rows of all active lanes among the materialized rows; false if the run has no such rows. */
static inline bool
vm_place(const VmRun *run, const Instr *in)
{
	uint32_t   *place = (uint32_t *) (run->values + (size_t) in->dst * VM_TILE);
	uint8_t    *dn = run->nulls + (size_t) in->dst * VM_TILE;
	const uint8_t *selection = (const uint8_t *) run->values;

	if (run->materialized == NULL)
		return false;
	for (int i = 0; i < VM_TILE; i++)
	{
		place[i] = *run->materialized->count;
		dn[i] = !selection[i] || place[i] >= run->materialized->capacity;
		*run->materialized->count += selection[i];
	}
	return true;
}

/* Store a column's values of materialized rows; false if the run has no such rows. */
static inline bool
vm_store(const VmRun *run, const Instr *in)
{
	const MaterializedRows *materialized = run->materialized;
	const uint64_t *va = run->values + (size_t) in->a * VM_TILE;
	const uint32_t *place = (const uint32_t *) (run->values + (size_t) in->b * VM_TILE);
	const uint8_t *an = run->nulls + (size_t) in->a * VM_TILE;
	const uint8_t *bn = run->nulls + (size_t) in->b * VM_TILE;

	if (materialized == NULL)
		return false;
	for (int i = 0; i < VM_TILE; i++)
	{
		if (bn[i])
			continue;
		if (an[i])
			materialized->nulls[in->imm][place[i] / 32] |= (uint32_t) 1 << place[i] % 32;
		if (in->op == VMOP_STORE_B)
			materialized->values[in->imm][place[i]] = an[i] ? 0 : BOOL_A;
		else
			((uint64_t *) materialized->values[in->imm])[place[i]] = an[i] ? 0 : in->op == VMOP_STORE_R ? ((const uint32_t *) va)[i] : va[i];
	}
	return true;
}

/* Run an instruction on rows of join tables; false if it does not suit its table, column or run. */
static inline bool
vm_join(const VmRun *run, const Instr *in, uint32_t first)
{
	uint64_t   *vd = run->values + (size_t) in->dst * VM_TILE;
	uint32_t   *row = (uint32_t *) vd;
	const uint64_t *va = run->values + (size_t) in->a * VM_TILE;
	const uint64_t *vb = run->values + (size_t) in->b * VM_TILE;
	uint8_t    *dn = run->nulls + (size_t) in->dst * VM_TILE;
	const uint8_t *an = run->nulls + (size_t) in->a * VM_TILE;
	const uint8_t *bn = run->nulls + (size_t) in->b * VM_TILE;
	const uint8_t *selection = (const uint8_t *) run->values;
	const JoinTable *table = in->imm > 0 && in->imm <= run->program->ntables ? run->tables[in->imm - 1].table : NULL;

	switch ((JoinOp) in->op)
	{
		case VMOP_JOIN_I:
			JOIN_PART(join_part_word, (int64_t) va[i], va[i]);	/* vectorised */
			return in->c < table->nparts;
		case VMOP_JOIN_W:
			JOIN_PART(join_part_wide, wide_load(va + 2 * i), join_wide_word(wide_load(va + 2 * i)));
			return in->c < table->nparts;
		case VMOP_JOIN_T:
			vm_join_text(run, in);
			return in->c < table->nparts && !table->exact;
		case VMOP_PROBE:
		case VMOP_SPAN:
			if (table->sorted)
				return false;
			vm_probe(run, in, table);
			return in->op == VMOP_SPAN || table->unique;
		case VMOP_RANK_I:
		case VMOP_RANK_W:
			return vm_rank(run, in, table);
		case VMOP_RANGE:
			LANES { vd[i] = join_range(table, (int64_t) va[i], (int64_t) vb[i]); dn[i] = an[i] | bn[i] | (vd[i] == 0); }
			return table->sorted;
		case VMOP_KEEP_R:
			LANES { row[i] = ((const uint32_t *) va)[i]; dn[i] = an[i] | bn[i] | (BOOL_B ^ 1); }
			return true;
		case VMOP_LANE:
			LANES { row[i] = (uint32_t) (va[i] >> 32); dn[i] = selection[i] ^ 1; }
			return true;
		case VMOP_MATCH:
			LANES { row[i] = (uint32_t) va[i]; dn[i] = an[i]; }
			return true;
		case VMOP_PICK_R:
			LANES
			{
				const uint32_t lane = bn[i] ? 0 : ((const uint32_t *) vb)[i];

				row[i] = ((const uint32_t *) va)[lane];
				dn[i] = bn[i] | an[lane];
			}
			return true;
		case VMOP_CLEAR:
			memset(vd, 0, VM_TILE);
			memset(dn, 0, VM_TILE);
			return true;
		case VMOP_MARK:
			EACH_LANE
				if (selection[i])
					((uint8_t *) vb)[va[i] >> 32] = 1;
			return true;
		case VMOP_EMIT_ROW:
			vm_emit_rows(run, in, first);
			return true;
		case VMOP_PLACE:
			return vm_place(run, in);
		case VMOP_STORE_B:
		case VMOP_STORE_I:
		case VMOP_STORE_F:
		case VMOP_STORE_R:
			return vm_store(run, in);
		case VMOP_FETCH_B:
		case VMOP_FETCH_I:
		case VMOP_FETCH_W:
		case VMOP_FETCH_F:
		case VMOP_FETCH_T:
			return vm_fetch(run, in, first);
	}
	return false;
}

/* Return true if the run is cancelled.  A tile may form any number of pairs, so this is tested within a tile, too. */
static inline bool
vm_ends(VmRun *run)
{
	return run->cancelled != NULL && ++run->expanded % EXPANDED_UNHEARD == 0 && run->cancelled(run->cancelled_arg);
}

/* Form the pairs of lanes that have at most one match each, and return their number. */
static inline uint32_t
vm_expand_unique(const VmRun *run, uint64_t *pairs, const uint64_t *spans, const uint8_t *nulls, const uint8_t *mask)
{
	uint64_t	pair[VM_TILE];
	uint8_t		found[VM_TILE];
	uint32_t	n = 0;

	LANES						/* vectorised */
	{
		pair[i] = (uint64_t) i << 32 | JOIN_SPAN_FIRST(spans[i]);
		found[i] = mask[i] & (nulls[i] ^ 1) & (uint8_t) (JOIN_SPAN_COUNT(spans[i]) > 0);
	}
	for (uint32_t lane = 0; lane < run->lanes; lane += 8)
	{
		uint64_t	eight;

		/* usually few lanes have a match */
		memcpy(&eight, found + lane, sizeof(eight));
		for (uint32_t i = lane; eight != 0 && i < lane + 8; i++)
		{
			pairs[n] = pair[i];
			n += found[i];
		}
	}
	return n;
}

/* Form the next tile of pairs of a loop, and set run->lanes to the number of pairs, rounded up to whole lane blocks. */
static inline void
vm_expand(VmRun *run, VmLoops *loops, const Instr *in)
{
	uint64_t   *vd = run->values + (size_t) in->dst * VM_TILE;
	uint8_t    *dn = run->nulls + (size_t) in->dst * VM_TILE;
	const uint64_t *va = run->values + (size_t) in->a * VM_TILE;
	const uint8_t *an = run->nulls + (size_t) in->a * VM_TILE;
	const uint8_t *marked = (const uint8_t *) (run->values + (size_t) in->b * VM_TILE);
	const uint8_t *mask = (const uint8_t *) (run->values + (size_t) in->m * VM_TILE);
	uint8_t    *selection = (uint8_t *) run->values;
	const JoinTable *table = run->tables[EXPAND_TABLE(in->c) - 1].table;
	VmCursor	at = {0, 0};
	uint32_t	n = 0;
	uint32_t	around;

	if (!loops->going_on)
	{
		at = in->c & EXPAND_CLOSED ? at : run->cursor[loops->depth];
		loops->lanes[loops->depth++] = run->lanes;
	}
	else
		at = loops->next[loops->depth - 1];
	loops->going_on = false;
	around = loops->lanes[loops->depth - 1];
	if (table->unique && !(in->c & (EXPAND_ONCE | EXPAND_OUTER)) && at.lane == 0)
	{
		n = vm_expand_unique(run, vd, va, an, mask);
		memset(dn, 0, n);
		at = (VmCursor) {around, 0};
	}
	for (; at.lane < around && n < VM_TILE; at = (VmCursor) {at.lane + 1, 0})
	{
		const uint32_t lane = at.lane;
		uint32_t	count;

		if (!mask[lane] || ((in->c & EXPAND_ONCE) && marked[lane]))
			continue;
		if ((in->c & EXPAND_OUTER) && !marked[lane])
		{
			vd[n] = (uint64_t) lane << 32;
			dn[n++] = 1;
			continue;
		}
		count = an[lane] ? 0 : JOIN_SPAN_COUNT(va[lane]) - at.match;
		if (count > VM_TILE - n)
			count = VM_TILE - n;
		for (uint32_t k = 0; k < count; k++)
		{
			vd[n] = (uint64_t) lane << 32 | join_row(table, JOIN_SPAN_FIRST(va[lane]) + at.match + k);
			dn[n++] = 0;
		}
		at.match += count;
		if (!an[lane] && at.match < JOIN_SPAN_COUNT(va[lane]))
			break;
	}
	loops->next[loops->depth - 1] = at;
	run->lanes = (n + LANE_BLOCK - 1) / LANE_BLOCK * LANE_BLOCK;
	memset(selection, 1, n);
	memset(selection + n, 0, VM_TILE - n);
	memset(vd + n, 0, (run->lanes - n) * sizeof(uint64_t));
	memset(dn + n, 1, run->lanes - n);
}

/*
 * End an iteration of a loop; returns true if pairs are left.  Otherwise the selection is restored
 * to what it was before the loop.
 */
static inline bool
vm_leave_loop(VmRun *run, VmLoops *loops, const Instr *expand, bool *updating)
{
	const uint32_t level = loops->depth - 1;
	const bool	open = !(expand->c & EXPAND_CLOSED);

	loops->going_on = loops->next[level].lane < loops->lanes[level];
	if (open)
	{
		/*
		 * an exhausted loop's pairs are complete only when the enclosing loop has advanced, too: no
		 * request before that
		 */
		run->cursor[level] = loops->going_on ? loops->next[level] : (VmCursor) {0, 0};
		*updating = !loops->going_on;
	}
	if (!loops->going_on)
	{
		run->lanes = loops->lanes[level];
		memset(run->values, 0, VM_TILE);
		memcpy(run->values, run->values + (size_t) expand->m * VM_TILE, run->lanes);
		loops->depth--;
	}
	return loops->going_on;
}

#undef EXPANDED_UNHEARD
#undef JOIN_PART
#undef FETCH
#undef FETCH_FOR_ENCODED
#undef FETCH_SAME

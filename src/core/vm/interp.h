/*
 * interp.h
 *		The interpreter of the tile VM: a template header shared by all devices.
 *
 * This header defines vm_run_tile(), which runs a program's body over one tile.  It alone says what
 * a lane computes.  The includer defines, before including it, how a device iterates over the lanes
 * of a tile and how the operations on a whole tile work:
 *
 *		VM_FN, VM_COLD	qualifiers of functions
 *		VM_TILE			lanes of a tile
 *		VM_STRIDE		words from one register's values to the next one's
 *		VM_NULLS		bytes from one register's NULL flags to the next one's
 *		VM_VALUES, VM_FLAGS		the registers' values and NULL flags
 *		VM_MASK(r)		the mask in register r, one byte a lane
 *		the shapes		STRICT1 and its kin: loops over lanes, which bind a and b,
 *						the operands' values, e, set if the lane fails, and i
 *		NULL_A, BOOL_A, WORD_A, LOW_A, HIGH_A, IN_MASK, SELECTED
 *						properties of the lane at hand, within a shape; likewise for b
 *		vm_yields(), vm_ends(), vm_stops(), vm_select(), vm_any(), vm_load_nulls(),
 *		vm_find_groups(), vm_reserve_texts(), vm_update(), vm_emit(), vm_join(),
 *		vm_expand(), vm_leave_loop()
 *
 * lanes_loop.h, interp_parts.h, interp_joins.h and interp_totals.h define them for the CPU.
 *
 * A register holds VM_TILE values and their NULL flags; a wide register takes two slots.  Lanes
 * past the last row are computed like all others but are never active, so every operation is total:
 * no input traps.  A destination never shares its slot with an operand.
 */

/*
 * Run a cold opcode.  Few programs have these instructions; they are compiled separately so that
 * they do not take up a GPU's registers.  Returns nonzero when an active lane fails.
 */
VM_COLD uint32_t
vm_run_cold(const VmRun *run, const Instr *in)
{
	const uint64_t *words = program_words(run->program);
	uint64_t   *CORE_RESTRICT vd = VM_VALUES + (size_t) in->dst * VM_STRIDE;
	const uint64_t *va = VM_VALUES + (size_t) in->a * VM_STRIDE;
	const uint64_t *vb = VM_VALUES + (size_t) in->b * VM_STRIDE;
	uint8_t    *CORE_RESTRICT dn = VM_FLAGS + (size_t) in->dst * VM_NULLS;
	const uint8_t *an = VM_FLAGS + (size_t) in->a * VM_NULLS;
	const uint8_t *bn = VM_FLAGS + (size_t) in->b * VM_NULLS;
	const uint8_t *mask = VM_MASK(in->m);
	uint32_t	error = 0;

	switch ((ColdOp) in->op)
	{
#define COLD(name, ...) case VMOP_##name: __VA_ARGS__; break;
#include "core/vm/op_cold.def"
#undef COLD
	}
	return error;
}

/* Run LOAD_W for n rows from `first` on; false when the column cannot be loaded into a wide register. */
VM_COLD bool
vm_load_wide(const VmRun *run, const Instr *in, uint32_t first, uint32_t n)
{
	const Tablet *tablet = run->tablet;
	const TabletColumn *column = &tablet->column[in->imm];
	uint64_t   *CORE_RESTRICT vd = VM_VALUES + (size_t) in->dst * VM_STRIDE;
	uint8_t    *CORE_RESTRICT dn = VM_FLAGS + (size_t) in->dst * VM_NULLS;

	if (!vm_can_load(in->op, column->type))
		return false;
	vm_load_nulls(tablet, column, first, n, dn);
	switch ((ColType) column->type)
	{
		case COLTYPE_SAME: FILL_COLUMN(Wide, column->base); break;
		case COLTYPE_U8: COPY(Wide, uint8_t, FOR_ENCODED(v, column)); break;
		case COLTYPE_U16: COPY(Wide, uint16_t, FOR_ENCODED(v, column)); break;
		case COLTYPE_U32: COPY(Wide, uint32_t, FOR_ENCODED(v, column)); break;
		case COLTYPE_I16: COPY(Wide, int16_t, v); break;
		case COLTYPE_I32: COPY(Wide, int32_t, v); break;
		case COLTYPE_I64: COPY(Wide, int64_t, v); break;
		case COLTYPE_I128: COPY(Wide, Wide, v); break;
		default: return false;
	}
	return true;
}

/*
 * Run the body from instruction pc on over the tile of rows `first` to first + n.  Returns DONE, a
 * request (OUTPUT_FULL, TABLE_FULL, TIME_SLICE) made before any total was touched, or the failure
 * of some active lane.
 */
VM_FN DeviceStatus
vm_run_tile(VmRun *run, uint32_t pc, uint32_t first, uint32_t n)
{
	const Tablet *tablet = run->tablet;
	const Instr *code = program_instrs(run->program, run->body);
	const uint64_t *words = program_words(run->program);
	uint16_t	key_register[PROGRAM_MAX_KEYS] = {0};
	uint8_t    *selection = VM_MASK(0);
	bool		updating = false;
	VmLoops		loops = {0};

	vm_select(run, first, n);
	for (;;)
	{
		const Instr *in = &code[pc++];
		uint64_t   *CORE_RESTRICT vd = VM_VALUES + (size_t) in->dst * VM_STRIDE;
		const uint64_t *va = VM_VALUES + (size_t) in->a * VM_STRIDE;
		const uint64_t *vb = VM_VALUES + (size_t) in->b * VM_STRIDE;
		uint8_t    *CORE_RESTRICT dn = VM_FLAGS + (size_t) in->dst * VM_NULLS;
		const uint8_t *an = VM_FLAGS + (size_t) in->a * VM_NULLS;
		const uint8_t *bn = VM_FLAGS + (size_t) in->b * VM_NULLS;
		const uint8_t *mask = VM_MASK(in->m);
		uint32_t	error = 0;

		if (vm_yields(run, updating))
			return STATUS_TIME_SLICE;
		switch ((Opcode) in->op)
		{
			case VMOP_END:
				return STATUS_DONE;
			case VMOP_FILTER:
				FILTER(is_true(BOOL_A, NULL_A));	/* vectorised */
				break;
			case VMOP_JUMP_NONE:
				if (!vm_any(selection))
					pc = (uint32_t) in->imm;
				break;
			case VMOP_BOUND:
				break;

			case VMOP_LOAD_B:
			case VMOP_LOAD_I:
			case VMOP_LOAD_F:
			case VMOP_LOAD_T:
				{
					const TabletColumn *column = &tablet->column[in->imm];

					if (!vm_can_load(in->op, column->type))
						return STATUS_BAD_PROGRAM;
					vm_load_nulls(tablet, column, first, n, dn);
					switch ((ColType) column->type)
					{
						case COLTYPE_BOOL: COPY(uint8_t, uint8_t, v); break;
						case COLTYPE_SAME: FILL_COLUMN(int64_t, column->base); break;
						case COLTYPE_U8: COPY(int64_t, uint8_t, FOR_ENCODED(v, column)); break;
						case COLTYPE_U16: COPY(int64_t, uint16_t, FOR_ENCODED(v, column)); break;
						case COLTYPE_U32: COPY(int64_t, uint32_t, FOR_ENCODED(v, column)); break;
						case COLTYPE_I16: COPY(int64_t, int16_t, v); break;
						case COLTYPE_I32: COPY(int64_t, int32_t, v); break;
						case COLTYPE_I64: COPY(int64_t, int64_t, v); break;
						case COLTYPE_I128: COPY(int64_t, Wide, v); break;
						case COLTYPE_F32: COPY(double, float, v); break;
						case COLTYPE_F64: COPY(double, double, v); break;
						case COLTYPE_TEXT: COPY(uint64_t, uint64_t, TEXT_BEHIND(v, column->base)); break;
						case COLTYPE_Count: return STATUS_BAD_PROGRAM;
					}
					break;
				}
			case VMOP_LOAD_W:
				if (!vm_load_wide(run, in, first, n))
					return STATUS_BAD_PROGRAM;
				break;
			case VMOP_CONST_B:
				FILL(uint8_t, (uint8_t) words[in->imm]);
				break;
			case VMOP_CONST_I:
			case VMOP_CONST_F:
			case VMOP_CONST_T:
				FILL(uint64_t, words[in->imm]);
				break;
			case VMOP_MASK_TRUE: TEST(BOOL_B & is_true(BOOL_A, NULL_A)); break;
			case VMOP_MASK_NOT_TRUE: TEST(BOOL_B & (is_true(BOOL_A, NULL_A) ^ 1)); break;
			case VMOP_MASK_NOT_FALSE: TEST(BOOL_B & (is_false(BOOL_A, NULL_A) ^ 1)); break;
			case VMOP_BLEND_B: BLEND(uint8_t); break;
			case VMOP_BLEND_I:
			case VMOP_BLEND_F:
			case VMOP_BLEND_T: BLEND(uint64_t); break;
			case VMOP_AND: LOGIC2(and_value(a, NULL_A, b, NULL_B), and_null(a, NULL_A, b, NULL_B)); break;
			case VMOP_OR: LOGIC2(or_value(a, NULL_A, b, NULL_B), or_null(a, NULL_A, b, NULL_B)); break;
			case VMOP_NOT: STRICT1(uint8_t, uint8_t, a ^ 1); break;
			case VMOP_IS_TRUE: TEST(is_true(BOOL_A, NULL_A)); break;
			case VMOP_IS_FALSE: TEST(is_false(BOOL_A, NULL_A)); break;
			case VMOP_NULL_B:
			case VMOP_NULL_I:
			case VMOP_NULL_F:
			case VMOP_NULL_W:
			case VMOP_NULL_T: TEST(NULL_A); break;
			case VMOP_FOUND_R:
			case VMOP_FOUND_S: TEST(NULL_A ^ 1); break;
			case VMOP_EQ_I: STRICT2(uint8_t, int64_t, op_eq_i(a, b)); break;	/* vectorised */
			case VMOP_NE_I: STRICT2(uint8_t, int64_t, op_ne_i(a, b)); break;	/* vectorised */
			case VMOP_LT_I: STRICT2(uint8_t, int64_t, op_lt_i(a, b)); break;	/* vectorised */
			case VMOP_LE_I: STRICT2(uint8_t, int64_t, op_le_i(a, b)); break;	/* vectorised */
			case VMOP_EQ_F: STRICT2(uint8_t, double, op_eq_f(a, b)); break;	/* vectorised */
			case VMOP_NE_F: STRICT2(uint8_t, double, op_ne_f(a, b)); break;	/* vectorised */
			case VMOP_LT_F: STRICT2(uint8_t, double, op_lt_f(a, b)); break;	/* vectorised */
			case VMOP_LE_F: STRICT2(uint8_t, double, op_le_f(a, b)); break;	/* vectorised */
			case VMOP_ADD_I4: CHECKED2(int64_t, int64_t, op_add_i4(a, b, &e)); break;	/* vectorised */
			case VMOP_ADD_I8: CHECKED2(int64_t, int64_t, op_add_i8(a, b, &e)); break;	/* vectorised */
			case VMOP_SUB_I4: CHECKED2(int64_t, int64_t, op_sub_i4(a, b, &e)); break;	/* vectorised */
			case VMOP_SUB_I8: CHECKED2(int64_t, int64_t, op_sub_i8(a, b, &e)); break;
			case VMOP_MUL_I4: CHECKED2(int64_t, int64_t, op_mul_i4(a, b, &e)); break;	/* vectorised */
			case VMOP_ADD_F8: CHECKED2(double, double, op_add_f8(a, b, &e)); break;	/* vectorised */
			case VMOP_SUB_F8: CHECKED2(double, double, op_sub_f8(a, b, &e)); break;	/* vectorised */
			case VMOP_MUL_F8: CHECKED2(double, double, op_mul_f8(a, b, &e)); break;	/* vectorised */
			case VMOP_ADD_D: STRICT2(int64_t, int64_t, op_add_d(a, b)); break;	/* vectorised */
			case VMOP_SUB_D: STRICT2(int64_t, int64_t, op_sub_d(a, b)); break;	/* vectorised */
			case VMOP_MUL_D: STRICT2(int64_t, int64_t, op_mul_d(a, b)); break;	/* vectorised */
			case VMOP_BOOL_TO_INT: STRICT1(int64_t, uint8_t, a); break;
			case VMOP_INT_TO_F8: STRICT1(double, int64_t, a); break;
			case VMOP_DATE_TO_TS: STRICT1(int64_t, int64_t, op_date_to_ts(a)); break;

			case VMOP_KEY_I:
				key_register[in->imm] = in->a;
				HASH(hash_combine(WORD_B, NULL_A ? UINT64_MAX : WORD_A));
				break;
			case VMOP_KEY_W:
				key_register[in->imm] = in->a;
				HASH(hash_combine(WORD_B, NULL_A ? UINT64_MAX : LOW_A ^ hash_mix(HIGH_A)));
				break;
			case VMOP_KEY_T:
				key_register[in->imm] = in->a;
				HASH(!SELECTED ? 0 : hash_combine(WORD_B, NULL_A ? UINT64_MAX
												  : hash_bytes(vm_text(run, WORD_A), TEXT_LENGTH(WORD_A))));
				break;
			case VMOP_GROUP:
				if (!vm_find_groups(run, in, key_register))
					return STATUS_TABLE_FULL;
				break;

			TOTAL_OPS(OP_CASE)
			TOTAL_G_OPS(OP_CASE)
				updating = true;
				error |= vm_update(run, in);
				break;
#define COLD(name, ...) case VMOP_##name:
#include "core/vm/op_cold.def"
#undef COLD
				error |= vm_run_cold(run, in);
				break;
			case VMOP_RESERVE_T:
			case VMOP_RESERVE_T_G:
				if (!vm_reserve_texts(run, in))
					return STATUS_TABLE_FULL;
				break;
			JOIN_OPS(OP_CASE)
				updating |= in->op == VMOP_PLACE;
				if (!vm_join(run, in, first))
					return STATUS_BAD_PROGRAM;
				break;
			case VMOP_EXPAND:
				if (vm_ends(run))
					return STATUS_CANCELLED;
				vm_expand(run, &loops, in);
				break;
			case VMOP_AGAIN:
				/*
				 * vm_leave_loop() moves the cursor past the pairs counted so far before another
				 * request can be made, so none counts twice
				 */
				if (vm_leave_loop(run, &loops, &code[in->imm], &updating))
					pc = (uint32_t) in->imm;
				break;
			case VMOP_EMIT:
				if (!vm_emit(run, first, n))
					return STATUS_OUTPUT_FULL;
				updating = true;
				break;
			case VMOP_Count:
				return STATUS_BAD_PROGRAM;
		}
		if (core_unlikely(error != 0) && vm_stops(run, op_status(in->op)))
			return op_status(in->op);
	}
}

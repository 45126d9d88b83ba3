/*
 * interp.h
 *		The interpreter of the tile VM: a template header, one for all devices.
 *
 * It makes vm_run_tile(), which runs a program's body over one tile.  What a
 * lane computes is said here, once.  How a device goes over the lanes of a
 * tile, and what its lanes do together, the includer says before:
 *
 *		VM_FN, VM_REST	qualifiers of functions
 *		VM_TILE			lanes of a tile
 *		VM_STRIDE		words from one register's values to the next one's
 *		VM_NULLS		bytes from one register's NULL flags to the next one's
 *		VM_VALUES, VM_FLAGS		the registers' values and NULL flags
 *		VM_MASK(r)		the lanes that mask register r has
 *		the shapes		STRICT1 and its kin: loops over lanes, which bind a and b,
 *						the operands' values, e, set if the lane fails, and i
 *		NULL_A, BOOL_A, WORD_A, LOW_A, HIGH_A, IN_MASK, SELECTED
 *						of the lane at hand, within a shape; the same of b
 *		vm_yields(), vm_stops(), vm_select(), vm_any(), vm_load_nulls(),
 *		vm_find_groups(), vm_reserve_texts(), vm_update(), vm_emit(), vm_join(),
 *		vm_expand(), vm_leave_loop()
 *
 * lanes_loop.h, interp_parts.h, interp_joins.h and interp_totals.h are those
 * of the CPU.
 *
 * A register holds VM_TILE values and their NULL flags; a wide register takes
 * two slots.  Lanes past the last row are computed like all others but are
 * never active, so every operation is total: no input traps.  A destination
 * never shares its slot with an operand.
 */

/*
 * The instructions that few programs have, apart from the others so that a
 * GPU's registers are not taken up by them.  Nonzero when an active lane
 * fails.
 */
VM_REST uint32_t
vm_run_rest(const VmRun *run, const Instr *in)
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

	switch ((Opcode) in->op)
	{
		case VMOP_CONST_W:
			FILL(Wide, wide_load(words + in->imm));
			break;
		case VMOP_BLEND_W: BLEND(Wide); break;
		case VMOP_EQ_W: STRICT2(uint8_t, Wide, op_eq_w(a, b)); break;
		case VMOP_NE_W: STRICT2(uint8_t, Wide, op_ne_w(a, b)); break;
		case VMOP_LT_W: STRICT2(uint8_t, Wide, op_lt_w(a, b)); break;
		case VMOP_LE_W: STRICT2(uint8_t, Wide, op_le_w(a, b)); break;
		case VMOP_EQ_T: TEXT2(text_equal(vm_text(run, a), TEXT_LENGTH(a), vm_text(run, b), TEXT_LENGTH(b))); break;
		case VMOP_NE_T: TEXT2(!text_equal(vm_text(run, a), TEXT_LENGTH(a), vm_text(run, b), TEXT_LENGTH(b))); break;
		case VMOP_LT_T: TEXT2(text_compare(vm_text(run, a), TEXT_LENGTH(a), vm_text(run, b), TEXT_LENGTH(b)) < 0); break;
		case VMOP_LE_T: TEXT2(text_compare(vm_text(run, a), TEXT_LENGTH(a), vm_text(run, b), TEXT_LENGTH(b)) <= 0); break;
		case VMOP_LIKE_T: TEXT2(vm_like(run, a, b, in->c, false)); break;
		case VMOP_ILIKE_T: TEXT2(vm_like(run, a, b, in->c, true)); break;
		case VMOP_TRIM_T: STRICT1(uint64_t, uint64_t, IN_MASK ? TEXT_SLICE(a, 0, text_trimmed(vm_text(run, a), TEXT_LENGTH(a))) : a); break;
		case VMOP_PACK_T: CHECKED1(Wide, uint64_t, text_pack_wide(vm_text(run, a), TEXT_LENGTH(a), &e)); break;
		case VMOP_LENGTH_T: STRICT1(int64_t, uint64_t, IN_MASK ? text_characters(vm_text(run, a), TEXT_LENGTH(a), in->c != 0) : 0); break;
		case VMOP_PART_T: STRICT1(uint64_t, uint64_t, IN_MASK ? vm_text_part(run, a, words + in->imm, in->c != 0) : a); break;
		case VMOP_IN_I: STRICT1(uint8_t, int64_t, vm_in_sorted(words + in->imm, in->c, a)); break;
		case VMOP_TEST_CODE: CHECKED1(uint8_t, int64_t, code_table_look(words + in->imm, a, &e)); break;
		case VMOP_IN_T: STRICT1(uint8_t, uint64_t, IN_MASK ? vm_in_text(run, words + in->imm, in->c, a) : 0); break;
		case VMOP_ADD_I2: CHECKED2(int64_t, int64_t, op_add_i2(a, b, &e)); break;
		case VMOP_SUB_I2: CHECKED2(int64_t, int64_t, op_sub_i2(a, b, &e)); break;
		case VMOP_MUL_I2: CHECKED2(int64_t, int64_t, op_mul_i2(a, b, &e)); break;
		case VMOP_MUL_I8: CHECKED2(int64_t, int64_t, op_mul_i8(a, b, &e)); break;
		case VMOP_ZERO_I: CHECKED1(uint8_t, int64_t, (e = a == 0)); break;
		case VMOP_DIV_I2: CHECKED2(int64_t, int64_t, op_div_i2(a, b, &e)); break;
		case VMOP_DIV_I4: CHECKED2(int64_t, int64_t, op_div_i4(a, b, &e)); break;
		case VMOP_DIV_I8: CHECKED2(int64_t, int64_t, op_div_i8(a, b, &e)); break;
		case VMOP_MOD_I: STRICT2(int64_t, int64_t, op_mod_i(a, b)); break;
		case VMOP_BITAND_I: STRICT2(int64_t, int64_t, op_bitand_i(a, b)); break;	/* vectorised */
		case VMOP_BITOR_I: STRICT2(int64_t, int64_t, op_bitor_i(a, b)); break;	/* vectorised */
		case VMOP_BITXOR_I: STRICT2(int64_t, int64_t, op_bitxor_i(a, b)); break;	/* vectorised */
		case VMOP_CHECK_I2: CHECKED1(int64_t, int64_t, check_i2(a, &e)); break;
		case VMOP_CHECK_I4: CHECKED1(int64_t, int64_t, check_i4(a, &e)); break;
		case VMOP_DIV_F8: CHECKED2(double, double, op_div_f8(a, b, &e)); break;	/* vectorised */
		case VMOP_ADD_F4: CHECKED2(double, double, op_add_f4(a, b, &e)); break;	/* vectorised */
		case VMOP_SUB_F4: CHECKED2(double, double, op_sub_f4(a, b, &e)); break;	/* vectorised */
		case VMOP_MUL_F4: CHECKED2(double, double, op_mul_f4(a, b, &e)); break;	/* vectorised */
		case VMOP_DIV_F4: CHECKED2(double, double, op_div_f4(a, b, &e)); break;	/* vectorised */
		case VMOP_ZERO_F: CHECKED2(uint8_t, double, (e = (b == 0) & (a == a))); break;
		case VMOP_NEG_F: STRICT1(double, double, -a); break;	/* vectorised */
		case VMOP_ABS_F: STRICT1(double, double, fabs(a)); break;	/* vectorised */
		case VMOP_CEIL_F: STRICT1(double, double, ceil(a)); break;
		case VMOP_FLOOR_F: STRICT1(double, double, floor(a)); break;
		case VMOP_TRUNC_F: STRICT1(double, double, trunc(a)); break;
		case VMOP_ROUND_F: STRICT1(double, double, rint(a)); break;
		case VMOP_SQRT_F: CHECKED1(double, double, op_sqrt_f(a, &e)); break;
		case VMOP_EXP_F: CHECKED1(double, double, op_exp_f(a, &e)); break;
		case VMOP_LN_F: CHECKED1(double, double, op_ln_f(a, &e)); break;
		case VMOP_LOG10_F: CHECKED1(double, double, op_log10_f(a, &e)); break;
		case VMOP_POW_F: CHECKED2(double, double, op_pow_f(a, b, &e)); break;
		case VMOP_ROUND_D: STRICT1(int64_t, int64_t, op_round_d(a, in->imm)); break;
		case VMOP_TRUNC_D: STRICT1(int64_t, int64_t, op_trunc_d(a, in->imm)); break;
		case VMOP_FLOOR_D: STRICT1(int64_t, int64_t, op_floor_d(a, in->imm)); break;
		case VMOP_MOD_D: CHECKED2(int64_t, int64_t, op_mod_d(a, b, &e)); break;
		case VMOP_ADD_W: CHECKED2(Wide, Wide, wide_add(a, b, &e)); break;
		case VMOP_SUB_W: CHECKED2(Wide, Wide, wide_sub(a, b, &e)); break;
		case VMOP_MUL_W: CHECKED2(Wide, Wide, wide_mul(a, b, &e)); break;
		case VMOP_ROUND_W: STRICT1(Wide, Wide, wide_round(a, in->imm)); break;
		case VMOP_TRUNC_W: STRICT1(Wide, Wide, op_trunc_w(a, in->imm)); break;
		case VMOP_FLOOR_W: STRICT1(Wide, Wide, op_floor_w(a, in->imm)); break;
		case VMOP_MOD_W: CHECKED2(Wide, Wide, op_mod_w(a, b, &e)); break;
		case VMOP_DIV_SCALE_W: STRICT2(int64_t, Wide, quotient_dscale(a, in->imm & 0xff, b, in->imm >> 8)); break;
		case VMOP_SHIFT_W: CHECKED_MIXED(Wide, Wide, int64_t, wide_shift(a, b, &e)); break;
		case VMOP_DIV_W: CHECKED2(Wide, Wide, wide_divide(a, b, &e)); break;
		case VMOP_WIDEN: STRICT1(Wide, int64_t, a); break;
		case VMOP_NARROW: CHECKED1(int64_t, Wide, op_narrow(a, &e)); break;
		case VMOP_INT_TO_F4: STRICT1(double, int64_t, (float) a); break;
		case VMOP_F8_TO_F4: CHECKED1(double, double, op_f8_to_f4(a, &e)); break;
		case VMOP_F_TO_INT: CHECKED1(int64_t, double, op_f_to_int(a, &e)); break;
		case VMOP_DEC_TO_F8: CHECKED1(double, Wide, op_dec_to_f8(a, in->imm, &e)); break;
		case VMOP_DATE_AS_TS: CHECKED1(int64_t, int64_t, op_date_as_ts(a, &e)); break;
		case VMOP_TS_TO_DATE: STRICT1(int64_t, int64_t, op_ts_to_date(a)); break;
		case VMOP_ADD_DATE: CHECKED2(int64_t, int64_t, op_add_date(a, b, &e)); break;
		case VMOP_SUB_DATE: CHECKED2(int64_t, int64_t, op_sub_date(a, b, &e)); break;
		case VMOP_PART_DATE: CHECKED1(int64_t, int64_t, op_part_date(a, in->imm, &e)); break;
		case VMOP_PART_TIME: CHECKED1(int64_t, int64_t, op_part_time(a, in->imm, &e)); break;
		case VMOP_FLOAT_KEY: STRICT1(int64_t, double, op_float_key(a)); break;
		case VMOP_FLOAT_WORD: STRICT1(int64_t, double, join_float_word(a)); break;
		case VMOP_NEG_ZERO: STRICT1(uint8_t, double, op_neg_zero(a)); break;
		case VMOP_NO_NEG_ZERO: CHECKED1(double, double, (e = op_neg_zero(a), a == a ? a : (double) NAN)); break;
		default:
			/* an instruction that vm_run_tile() passes on and nobody knows */
			error = 1;
			break;
	}
	return error;
}

/* LOAD_W; false when the column has no wide form. */
VM_REST bool
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
		case COLTYPE_U8: COPY(Wide, uint8_t, FRAMED(v, column)); break;
		case COLTYPE_U16: COPY(Wide, uint16_t, FRAMED(v, column)); break;
		case COLTYPE_U32: COPY(Wide, uint32_t, FRAMED(v, column)); break;
		case COLTYPE_I16: COPY(Wide, int16_t, v); break;
		case COLTYPE_I32: COPY(Wide, int32_t, v); break;
		case COLTYPE_I64: COPY(Wide, int64_t, v); break;
		case COLTYPE_I128: COPY(Wide, Wide, v); break;
		default: return false;
	}
	return true;
}

/*
 * Run the body from instruction pc on over the tile of rows `first` to
 * first + n.  DONE, a request (OUTPUT_FULL, TABLE_FULL, TIME_SLICE) made
 * before any total was touched, or a failure that some active lane reports.
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
						case COLTYPE_U8: COPY(int64_t, uint8_t, FRAMED(v, column)); break;
						case COLTYPE_U16: COPY(int64_t, uint16_t, FRAMED(v, column)); break;
						case COLTYPE_U32: COPY(int64_t, uint32_t, FRAMED(v, column)); break;
						case COLTYPE_I16: COPY(int64_t, int16_t, v); break;
						case COLTYPE_I32: COPY(int64_t, int32_t, v); break;
						case COLTYPE_I64: COPY(int64_t, int64_t, v); break;
						case COLTYPE_I128: COPY(int64_t, Wide, v); break;
						case COLTYPE_F32: COPY(double, float, v); break;
						case COLTYPE_F64: COPY(double, double, v); break;
						case COLTYPE_TEXT: COPY(uint64_t, uint64_t, v); break;
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

			case VMOP_COUNT:
			case VMOP_COUNT_G:
			case VMOP_SUM_I:
			case VMOP_SUM_I_G:
			case VMOP_SUM_W:
			case VMOP_SUM_W_G:
			case VMOP_SUM_F:
			case VMOP_SUM_F_G:
			case VMOP_EXACT:
			case VMOP_EXACT_G:
			case VMOP_MIN_I:
			case VMOP_MAX_I:
			case VMOP_MIN_I_G:
			case VMOP_MAX_I_G:
			case VMOP_MIN_W:
			case VMOP_MAX_W:
			case VMOP_MIN_W_G:
			case VMOP_MAX_W_G:
			case VMOP_SUM_SQ:
			case VMOP_ALL_BITS:
			case VMOP_ANY_BITS:
			case VMOP_ODD_BITS:
			case VMOP_MIN_BY:
			case VMOP_MAX_BY:
			case VMOP_SUM_SQ_G:
			case VMOP_ALL_BITS_G:
			case VMOP_ANY_BITS_G:
			case VMOP_ODD_BITS_G:
			case VMOP_MIN_BY_G:
			case VMOP_MAX_BY_G:
			case VMOP_MIN_T:
			case VMOP_MAX_T:
			case VMOP_MIN_T_G:
			case VMOP_MAX_T_G:
			case VMOP_BINS:
			case VMOP_VALUES:
				updating = true;
				error |= vm_update(run, in);
				break;
			case VMOP_CONST_W:
			case VMOP_BLEND_W:
			case VMOP_EQ_W:
			case VMOP_NE_W:
			case VMOP_LT_W:
			case VMOP_LE_W:
			case VMOP_EQ_T:
			case VMOP_NE_T:
			case VMOP_LT_T:
			case VMOP_LE_T:
			case VMOP_LIKE_T:
			case VMOP_ILIKE_T:
			case VMOP_TRIM_T:
			case VMOP_PACK_T:
			case VMOP_LENGTH_T:
			case VMOP_PART_T:
			case VMOP_IN_I:
			case VMOP_TEST_CODE:
			case VMOP_IN_T:
			case VMOP_ADD_I2:
			case VMOP_SUB_I2:
			case VMOP_MUL_I2:
			case VMOP_MUL_I8:
			case VMOP_ZERO_I:
			case VMOP_DIV_I2:
			case VMOP_DIV_I4:
			case VMOP_DIV_I8:
			case VMOP_MOD_I:
			case VMOP_BITAND_I:
			case VMOP_BITOR_I:
			case VMOP_BITXOR_I:
			case VMOP_CHECK_I2:
			case VMOP_CHECK_I4:
			case VMOP_DIV_F8:
			case VMOP_ADD_F4:
			case VMOP_SUB_F4:
			case VMOP_MUL_F4:
			case VMOP_DIV_F4:
			case VMOP_ZERO_F:
			case VMOP_NEG_F:
			case VMOP_ABS_F:
			case VMOP_CEIL_F:
			case VMOP_FLOOR_F:
			case VMOP_TRUNC_F:
			case VMOP_ROUND_F:
			case VMOP_SQRT_F:
			case VMOP_EXP_F:
			case VMOP_LN_F:
			case VMOP_LOG10_F:
			case VMOP_POW_F:
			case VMOP_ROUND_D:
			case VMOP_TRUNC_D:
			case VMOP_FLOOR_D:
			case VMOP_MOD_D:
			case VMOP_ADD_W:
			case VMOP_SUB_W:
			case VMOP_MUL_W:
			case VMOP_ROUND_W:
			case VMOP_TRUNC_W:
			case VMOP_FLOOR_W:
			case VMOP_MOD_W:
			case VMOP_DIV_SCALE_W:
			case VMOP_SHIFT_W:
			case VMOP_DIV_W:
			case VMOP_WIDEN:
			case VMOP_NARROW:
			case VMOP_INT_TO_F4:
			case VMOP_F8_TO_F4:
			case VMOP_F_TO_INT:
			case VMOP_DEC_TO_F8:
			case VMOP_DATE_AS_TS:
			case VMOP_TS_TO_DATE:
			case VMOP_ADD_DATE:
			case VMOP_SUB_DATE:
			case VMOP_PART_DATE:
			case VMOP_PART_TIME:
			case VMOP_FLOAT_KEY:
			case VMOP_FLOAT_WORD:
			case VMOP_NEG_ZERO:
			case VMOP_NO_NEG_ZERO:
				error |= vm_run_rest(run, in);
				break;
			case VMOP_RESERVE_T:
			case VMOP_RESERVE_T_G:
				if (!vm_reserve_texts(run, in))
					return STATUS_TABLE_FULL;
				break;
			case VMOP_JOIN_I:
			case VMOP_JOIN_W:
			case VMOP_JOIN_T:
			case VMOP_PROBE:
			case VMOP_SPAN:
			case VMOP_RANK_I:
			case VMOP_RANK_W:
			case VMOP_RANGE:
			case VMOP_KEEP_R:
			case VMOP_FETCH_B:
			case VMOP_FETCH_I:
			case VMOP_FETCH_W:
			case VMOP_FETCH_F:
			case VMOP_FETCH_T:
			case VMOP_LANE:
			case VMOP_MATCH:
			case VMOP_PICK_R:
			case VMOP_CLEAR:
			case VMOP_MARK:
			case VMOP_EMIT_ROW:
			case VMOP_STORE_B:
			case VMOP_STORE_I:
			case VMOP_STORE_F:
			case VMOP_STORE_R:
				if (!vm_join(run, in, first))
					return STATUS_BAD_PROGRAM;
				break;
			case VMOP_PLACE:
				updating = true;
				if (!vm_join(run, in, first))
					return STATUS_BAD_PROGRAM;
				break;
			case VMOP_EXPAND:
				vm_expand(run, &loops, in);
				break;
			case VMOP_AGAIN:
				/* what was counted of the pairs before is not to be counted again: no request between this and the next EXPAND */
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

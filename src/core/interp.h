/*
 * interp.h
 *		The interpreter of the tile VM: a template header.
 *
 * The includer defines, and this header undefines again:
 *		VM_RUN		name of the function made:  DeviceStatus VM_RUN(VmRun *run)
 *		VM_TILE		lanes of a tile, a compile-time constant, multiple of 64
 *
 * It runs run->program's body over run->tablet from tile run->tile on, until
 * the last tile (DONE), a request (OUTPUT_FULL, TABLE_FULL, TIME_SLICE) or a
 * failure that some active lane reports.
 *
 * A register holds VM_TILE values and their NULL flags, one byte each.  Bool
 * and mask registers hold bytes, group registers uint32, wide registers 128
 * bits in two slots.  Lanes past the last row are computed like all others
 * but are never active, so every operation is total: no input traps.
 * A destination never shares its slot with an operand.
 */

#define LANES		CORE_INDEPENDENT for (int i = 0; i < VM_TILE; i++)
#define ACTIVE(i)	(mask[i] & (an[i] ^ 1))

/* the shapes: only a lane loop each */
#define STRICT1(dtype, atype, expr) \
	LANES { atype a = ((const atype *) va)[i]; ((dtype *) vd)[i] = (dtype) (expr); dn[i] = an[i]; }
#define STRICT2(dtype, atype, expr) \
	LANES { atype a = ((const atype *) va)[i]; atype b = ((const atype *) vb)[i]; \
			((dtype *) vd)[i] = (dtype) (expr); dn[i] = an[i] | bn[i]; }
#define CHECKED1(dtype, atype, expr) \
	LANES { uint32_t e = 0; atype a = ((const atype *) va)[i]; ((dtype *) vd)[i] = (dtype) (expr); \
			dn[i] = an[i]; error |= e & mask[i] & (an[i] ^ 1u); }
#define CHECKED2(dtype, atype, expr) \
	LANES { uint32_t e = 0; atype a = ((const atype *) va)[i]; atype b = ((const atype *) vb)[i]; \
			((dtype *) vd)[i] = (dtype) (expr); \
			dn[i] = an[i] | bn[i]; error |= e & mask[i] & ((an[i] | bn[i]) ^ 1u); }
#define BLEND(type) \
	LANES { ((type *) vd)[i] = mask[i] ? ((const type *) va)[i] : ((const type *) vb)[i]; \
			dn[i] = mask[i] ? an[i] : bn[i]; }
#define TEST(expr) \
	LANES { ((uint8_t *) vd)[i] = (uint8_t) (expr); dn[i] = 0; }
#define FILL(type, value) \
	LANES { ((type *) vd)[i] = (value); dn[i] = (uint8_t) in->c; }
#define COPY(dtype, stype) \
	do { \
		const stype *src = (const stype *) tablet_at(tablet, column->values) + first; \
		for (uint32_t i = 0; i < n; i++) \
			((dtype *) vd)[i] = (dtype) src[i]; \
		for (uint32_t i = n; i < VM_TILE; i++) \
			((dtype *) vd)[i] = 0; \
	} while (0)
#define TEXT2(expr) \
	LANES { uint64_t a = ((const uint64_t *) va)[i]; uint64_t b = ((const uint64_t *) vb)[i]; \
			dn[i] = an[i] | bn[i]; \
			((uint8_t *) vd)[i] = (mask[i] & (dn[i] ^ 1)) ? (uint8_t) (expr) : 0; }
#define EACH_GROUP(statement) \
	for (int i = 0; i < VM_TILE; i++) \
		if (ACTIVE(i)) \
		{ \
			uint64_t   *state = group_row(run->groups, ((const uint32_t *) vb)[i]) + in->imm; \
			statement; \
		}

#include "core/interp_parts.h"

static DeviceStatus
VM_RUN(VmRun *run)
{
	const Program *program = run->program;
	const Tablet *tablet = run->tablet;
	const Instr *code = program_instrs(program, run->body);
	const uint64_t *words = program_words(program);
	uint32_t	ntiles = (tablet->nrows + VM_TILE - 1) / VM_TILE;
	uint16_t	key_register[PROGRAM_MAX_KEYS] = {0};
	uint8_t    *selection = (uint8_t *) run->values;
	uint32_t	pc = 0;

	memset(selection, 0, VM_TILE);
	memset(run->nulls, 0, VM_TILE);
	for (; run->tile < ntiles; run->tile++, pc = program->body[run->body].tile_start)
	{
		uint32_t	first = run->tile * VM_TILE;
		uint32_t	n = tablet->nrows - first < VM_TILE ? tablet->nrows - first : VM_TILE;
		bool		updating = false;
		bool		running = true;

		if (run->groups != NULL)
			run->groups->heap_reserved = 0;
		memset(selection, 1, n);
		memset(selection + n, 0, VM_TILE - n);
		while (running)
		{
			const Instr *in = &code[pc++];
			uint64_t   *CORE_RESTRICT vd = run->values + (size_t) in->dst * VM_TILE;
			const uint64_t *va = run->values + (size_t) in->a * VM_TILE;
			const uint64_t *vb = run->values + (size_t) in->b * VM_TILE;
			uint8_t    *CORE_RESTRICT dn = run->nulls + (size_t) in->dst * VM_TILE;
			const uint8_t *an = run->nulls + (size_t) in->a * VM_TILE;
			const uint8_t *bn = run->nulls + (size_t) in->b * VM_TILE;
			const uint8_t *mask = (const uint8_t *) (run->values + (size_t) in->m * VM_TILE);
			uint32_t	error = 0;

			if (core_unlikely(run->yield_after >= 0) && !updating && run->yield_after-- == 0)
				return STATUS_TIME_SLICE;
			switch ((Opcode) in->op)
			{
				case VMOP_END:
					running = false;
					break;
				case VMOP_FILTER:
					LANES selection[i] &= is_true(((const uint8_t *) va)[i], an[i]);	/* vectorised */
					break;
				case VMOP_JUMP_NONE:
					if (!vm_any(selection))
						pc = (uint32_t) in->imm;
					break;

				case VMOP_LOAD_B:
				case VMOP_LOAD_I:
				case VMOP_LOAD_W:
				case VMOP_LOAD_F:
				case VMOP_LOAD_T:
					{
						const TabletColumn *column = &tablet->column[in->imm];

						if (!vm_can_load(in->op, column->type))
							return STATUS_BAD_PROGRAM;
						vm_load_nulls(tablet, column, first, n, dn);
						switch ((ColType) column->type)
						{
							case COLTYPE_BOOL:
								COPY(uint8_t, uint8_t);
								break;
							case COLTYPE_U8:
								if (in->op == VMOP_LOAD_W)
									COPY(Wide, uint8_t);
								else
									COPY(int64_t, uint8_t);
								break;
							case COLTYPE_U32:
								if (in->op == VMOP_LOAD_W)
									COPY(Wide, uint32_t);
								else
									COPY(int64_t, uint32_t);
								break;
							case COLTYPE_I16:
								if (in->op == VMOP_LOAD_W)
									COPY(Wide, int16_t);
								else
									COPY(int64_t, int16_t);
								break;
							case COLTYPE_I32:
								if (in->op == VMOP_LOAD_W)
									COPY(Wide, int32_t);
								else
									COPY(int64_t, int32_t);
								break;
							case COLTYPE_I64:
								if (in->op == VMOP_LOAD_W)
									COPY(Wide, int64_t);
								else
									COPY(int64_t, int64_t);
								break;
							case COLTYPE_I128:
								if (in->op == VMOP_LOAD_W)
									COPY(Wide, Wide);
								else
									COPY(int64_t, Wide);
								break;
							case COLTYPE_F32:
								COPY(double, float);
								break;
							case COLTYPE_F64:
								COPY(double, double);
								break;
							case COLTYPE_TEXT:
								COPY(uint64_t, uint64_t);
								break;
							case COLTYPE_Count:
								return STATUS_BAD_PROGRAM;
						}
						break;
					}
				case VMOP_CONST_B:
					FILL(uint8_t, (uint8_t) words[in->imm]);
					break;
				case VMOP_CONST_I:
				case VMOP_CONST_F:
				case VMOP_CONST_T:
					FILL(uint64_t, words[in->imm]);
					break;
				case VMOP_CONST_W:
					FILL(Wide, wide_load(words + in->imm));
					break;

				case VMOP_MASK_TRUE: TEST(((const uint8_t *) vb)[i] & is_true(((const uint8_t *) va)[i], an[i])); break;
				case VMOP_MASK_NOT_TRUE: TEST(((const uint8_t *) vb)[i] & (is_true(((const uint8_t *) va)[i], an[i]) ^ 1)); break;
				case VMOP_MASK_NOT_FALSE: TEST(((const uint8_t *) vb)[i] & (is_false(((const uint8_t *) va)[i], an[i]) ^ 1)); break;
				case VMOP_BLEND_B: BLEND(uint8_t); break;
				case VMOP_BLEND_I:
				case VMOP_BLEND_F:
				case VMOP_BLEND_T: BLEND(uint64_t); break;
				case VMOP_BLEND_W: BLEND(Wide); break;

				case VMOP_AND:
					LANES
					{
						uint8_t		a = ((const uint8_t *) va)[i];
						uint8_t		b = ((const uint8_t *) vb)[i];

						((uint8_t *) vd)[i] = and_value(a, an[i], b, bn[i]);
						dn[i] = and_null(a, an[i], b, bn[i]);
					}
					break;
				case VMOP_OR:
					LANES
					{
						uint8_t		a = ((const uint8_t *) va)[i];
						uint8_t		b = ((const uint8_t *) vb)[i];

						((uint8_t *) vd)[i] = or_value(a, an[i], b, bn[i]);
						dn[i] = or_null(a, an[i], b, bn[i]);
					}
					break;
				case VMOP_NOT: STRICT1(uint8_t, uint8_t, a ^ 1); break;
				case VMOP_IS_TRUE: TEST(is_true(((const uint8_t *) va)[i], an[i])); break;
				case VMOP_IS_FALSE: TEST(is_false(((const uint8_t *) va)[i], an[i])); break;
				case VMOP_NULL_B:
				case VMOP_NULL_I:
				case VMOP_NULL_F:
				case VMOP_NULL_W:
				case VMOP_NULL_T: TEST(an[i]); break;

				case VMOP_EQ_I: STRICT2(uint8_t, int64_t, op_eq_i(a, b)); break;	/* vectorised */
				case VMOP_NE_I: STRICT2(uint8_t, int64_t, op_ne_i(a, b)); break;	/* vectorised */
				case VMOP_LT_I: STRICT2(uint8_t, int64_t, op_lt_i(a, b)); break;	/* vectorised */
				case VMOP_LE_I: STRICT2(uint8_t, int64_t, op_le_i(a, b)); break;	/* vectorised */
				case VMOP_EQ_F: STRICT2(uint8_t, double, op_eq_f(a, b)); break;	/* vectorised */
				case VMOP_NE_F: STRICT2(uint8_t, double, op_ne_f(a, b)); break;	/* vectorised */
				case VMOP_LT_F: STRICT2(uint8_t, double, op_lt_f(a, b)); break;	/* vectorised */
				case VMOP_LE_F: STRICT2(uint8_t, double, op_le_f(a, b)); break;	/* vectorised */
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
				case VMOP_TRIM_T: STRICT1(uint64_t, uint64_t, (a >> 32 << 32) | text_trimmed(vm_text(run, a), TEXT_LENGTH(a))); break;
				case VMOP_LENGTH_T: STRICT1(int64_t, uint64_t, text_characters(vm_text(run, a), TEXT_LENGTH(a), in->c != 0)); break;
				case VMOP_PART_T: STRICT1(uint64_t, uint64_t, vm_text_part(run, a, words + in->imm, in->c != 0)); break;
				case VMOP_IN_I: STRICT1(uint8_t, int64_t, vm_in_sorted(words + in->imm, in->c, a)); break;
				case VMOP_IN_T: STRICT1(uint8_t, uint64_t, mask[i] ? vm_in_text(run, words + in->imm, in->c, a) : 0); break;

				case VMOP_ADD_I2: CHECKED2(int64_t, int64_t, op_add_i2(a, b, &e)); break;
				case VMOP_ADD_I4: CHECKED2(int64_t, int64_t, op_add_i4(a, b, &e)); break;	/* vectorised */
				case VMOP_ADD_I8: CHECKED2(int64_t, int64_t, op_add_i8(a, b, &e)); break;	/* vectorised */
				case VMOP_SUB_I2: CHECKED2(int64_t, int64_t, op_sub_i2(a, b, &e)); break;
				case VMOP_SUB_I4: CHECKED2(int64_t, int64_t, op_sub_i4(a, b, &e)); break;	/* vectorised */
				case VMOP_SUB_I8: CHECKED2(int64_t, int64_t, op_sub_i8(a, b, &e)); break;
				case VMOP_MUL_I2: CHECKED2(int64_t, int64_t, op_mul_i2(a, b, &e)); break;
				case VMOP_MUL_I4: CHECKED2(int64_t, int64_t, op_mul_i4(a, b, &e)); break;	/* vectorised */
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

				case VMOP_ADD_F8: CHECKED2(double, double, op_add_f8(a, b, &e)); break;	/* vectorised */
				case VMOP_SUB_F8: CHECKED2(double, double, op_sub_f8(a, b, &e)); break;	/* vectorised */
				case VMOP_MUL_F8: CHECKED2(double, double, op_mul_f8(a, b, &e)); break;	/* vectorised */
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

				case VMOP_ADD_D: STRICT2(int64_t, int64_t, op_add_d(a, b)); break;	/* vectorised */
				case VMOP_SUB_D: STRICT2(int64_t, int64_t, op_sub_d(a, b)); break;	/* vectorised */
				case VMOP_MUL_D: STRICT2(int64_t, int64_t, op_mul_d(a, b)); break;	/* vectorised */
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
				case VMOP_SHIFT_W:
					LANES
					{
						uint32_t	e = 0;

						dn[i] = an[i] | bn[i];
						((Wide *) vd)[i] = wide_shift(((const Wide *) va)[i], ((const int64_t *) vb)[i], &e);
						error |= e & mask[i] & (dn[i] ^ 1u);
					}
					break;
				case VMOP_DIV_W: CHECKED2(Wide, Wide, wide_divide(a, b, &e)); break;

				case VMOP_BOOL_TO_INT: STRICT1(int64_t, uint8_t, a); break;
				case VMOP_WIDEN: STRICT1(Wide, int64_t, a); break;
				case VMOP_NARROW: CHECKED1(int64_t, Wide, op_narrow(a, &e)); break;
				case VMOP_INT_TO_F8: STRICT1(double, int64_t, a); break;
				case VMOP_INT_TO_F4: STRICT1(double, int64_t, (float) a); break;
				case VMOP_F8_TO_F4: CHECKED1(double, double, op_f8_to_f4(a, &e)); break;
				case VMOP_F_TO_INT: CHECKED1(int64_t, double, op_f_to_int(a, &e)); break;
				case VMOP_DEC_TO_F8: CHECKED1(double, Wide, op_dec_to_f8(a, in->imm, &e)); break;
				case VMOP_DATE_TO_TS: STRICT1(int64_t, int64_t, op_date_to_ts(a)); break;
				case VMOP_DATE_AS_TS: CHECKED1(int64_t, int64_t, op_date_as_ts(a, &e)); break;
				case VMOP_TS_TO_DATE: STRICT1(int64_t, int64_t, op_ts_to_date(a)); break;
				case VMOP_ADD_DATE: CHECKED2(int64_t, int64_t, op_add_date(a, b, &e)); break;
				case VMOP_SUB_DATE: CHECKED2(int64_t, int64_t, op_sub_date(a, b, &e)); break;
				case VMOP_PART_DATE: CHECKED1(int64_t, int64_t, op_part_date(a, in->imm, &e)); break;
				case VMOP_PART_TIME: CHECKED1(int64_t, int64_t, op_part_time(a, in->imm, &e)); break;
				case VMOP_FLOAT_KEY: STRICT1(int64_t, double, op_float_key(a)); break;
				case VMOP_NEG_ZERO: STRICT1(uint8_t, double, op_neg_zero(a)); break;
				case VMOP_NO_NEG_ZERO: CHECKED1(double, double, (e = op_neg_zero(a), a == a ? a : (double) NAN)); break;

				case VMOP_KEY_I:
					key_register[in->imm] = in->a;
					LANES vd[i] = hash_combine(vb[i], an[i] ? UINT64_MAX : va[i]);
					break;
				case VMOP_KEY_W:
					key_register[in->imm] = in->a;
					LANES vd[i] = hash_combine(vb[i], an[i] ? UINT64_MAX : va[2 * i] ^ hash_mix(va[2 * i + 1]));
					break;
				case VMOP_KEY_T:
					key_register[in->imm] = in->a;
					for (int i = 0; i < VM_TILE; i++)
						if (selection[i])
							vd[i] = hash_combine(vb[i], an[i] ? UINT64_MAX
												 : hash_bytes(vm_text(run, va[i]), TEXT_LENGTH(va[i])));
					break;
				case VMOP_GROUP:
					memset(dn, 0, VM_TILE);
					memset(vd, 0, VM_TILE * sizeof(uint32_t));
					if (!vm_find_groups(run, key_register, va, selection, (uint32_t *) vd))
						return STATUS_TABLE_FULL;
					break;

				case VMOP_COUNT:
					{
						uint32_t	count = 0;

						updating = true;
						for (int i = 0; i < VM_TILE; i++)	/* vectorised */
							count += mask[i] & (in->a == 0 ? 1 : an[i] ^ 1);
						group_row(run->groups, 0)[in->imm] += count;
						break;
					}
				case VMOP_COUNT_G:
					updating = true;
					for (int i = 0; i < VM_TILE; i++)
						if (mask[i] & (in->a == 0 ? 1 : an[i] ^ 1))
							group_row(run->groups, ((const uint32_t *) vb)[i])[in->imm]++;
					break;
				case VMOP_SUM_I:
					{
						int64_t		low = 0;
						int64_t		high = 0;
						uint64_t   *state = group_row(run->groups, 0) + in->imm;

						updating = true;
						for (int i = 0; i < VM_TILE; i++)	/* vectorised */
						{
							int64_t		v = ((const int64_t *) va)[i] & -(int64_t) ACTIVE(i);

							low += v & 0xffffffff;
							high += v >> 32;
						}
						wide_store(state, wide_load(state) + (Wide) high * ((int64_t) 1 << 32) + low);
						break;
					}
				case VMOP_SUM_I_G:
					updating = true;
					EACH_GROUP(wide_store(state, wide_load(state) + ((const int64_t *) va)[i]));
					break;
				case VMOP_SUM_W:
					{
						uint64_t   *state = group_row(run->groups, 0) + in->imm;
						Wide		total = wide_load(state);

						updating = true;
						for (int i = 0; i < VM_TILE; i++)
							total = wide_add(total, ACTIVE(i) ? ((const Wide *) va)[i] : 0, &error);
						wide_store(state, total);
						break;
					}
				case VMOP_SUM_W_G:
					updating = true;
					EACH_GROUP(wide_store(state, wide_add(wide_load(state), ((const Wide *) va)[i], &error)));
					break;
				case VMOP_SUM_F:
					{
						uint64_t   *state = group_row(run->groups, 0) + in->imm;

						updating = true;
						float_total_add(state, vm_sum_lanes((const double *) va, an, mask, &state[2]));
						break;
					}
				case VMOP_SUM_F_G:
					updating = true;
					EACH_GROUP((state[2] |= float_flags(((const double *) va)[i]),
								float_total_add(state, ((const double *) va)[i])));
					break;
				case VMOP_MIN_I:
				case VMOP_MAX_I:
					{
						bool		least = in->op == VMOP_MIN_I;
						int64_t		best = least ? INT64_MAX : INT64_MIN;
						uint64_t	found;

						updating = true;
						if (least)
							for (int i = 0; i < VM_TILE; i++)
							{
								int64_t		v = ACTIVE(i) ? ((const int64_t *) va)[i] : INT64_MAX;

								best = v < best ? v : best;
							}
						else
							for (int i = 0; i < VM_TILE; i++)
							{
								int64_t		v = ACTIVE(i) ? ((const int64_t *) va)[i] : INT64_MIN;

								best = v > best ? v : best;
							}
						found = (uint64_t) best;
						state_merge(least ? STATE_MIN_I : STATE_MAX_I, group_row(run->groups, 0) + in->imm, &found, &error);
						break;
					}
				case VMOP_MIN_I_G:
					updating = true;
					EACH_GROUP(state_merge(STATE_MIN_I, state, &va[i], &error));
					break;
				case VMOP_MAX_I_G:
					updating = true;
					EACH_GROUP(state_merge(STATE_MAX_I, state, &va[i], &error));
					break;
				case VMOP_MIN_W:
				case VMOP_MAX_W:
					updating = true;
					for (int i = 0; i < VM_TILE; i++)
						if (ACTIVE(i))
							state_merge(in->op == VMOP_MIN_W ? STATE_MIN_W : STATE_MAX_W,
										group_row(run->groups, 0) + in->imm, &va[2 * i], &error);
					break;
				case VMOP_MIN_W_G:
					updating = true;
					EACH_GROUP(state_merge(STATE_MIN_W, state, &va[2 * i], &error));
					break;
				case VMOP_MAX_W_G:
					updating = true;
					EACH_GROUP(state_merge(STATE_MAX_W, state, &va[2 * i], &error));
					break;

				case VMOP_SUM_SQ:
				case VMOP_ALL_BITS:
				case VMOP_ANY_BITS:
				case VMOP_ODD_BITS:
				case VMOP_MIN_BY:
				case VMOP_MAX_BY:
					updating = true;
					vm_update_lanes(run, in, va, an, mask, NULL);
					break;
				case VMOP_SUM_SQ_G:
				case VMOP_ALL_BITS_G:
				case VMOP_ANY_BITS_G:
				case VMOP_ODD_BITS_G:
				case VMOP_MIN_BY_G:
				case VMOP_MAX_BY_G:
					updating = true;
					vm_update_lanes(run, in, va, an, mask, (const uint32_t *) vb);
					break;
				case VMOP_RESERVE_T:
				case VMOP_RESERVE_T_G:
					if (!vm_reserve_texts(run, in, va, an, mask, in->op == VMOP_RESERVE_T_G ? (const uint32_t *) vb : NULL))
						return STATUS_TABLE_FULL;
					break;
				case VMOP_MIN_T:
				case VMOP_MAX_T:
					updating = true;
					error |= !vm_take_best_text(run, in, va, an, mask);
					break;
				case VMOP_MIN_T_G:
				case VMOP_MAX_T_G:
					updating = true;
					EACH_GROUP(error |= !group_take_text(run->groups, state, in->op == VMOP_MIN_T_G, vm_text(run, va[i]),
														 TEXT_LENGTH(va[i])));
					break;

				case VMOP_EMIT:
					if (run->out_capacity - run->out_count < n)
						return STATUS_OUTPUT_FULL;
					updating = true;
					for (uint32_t i = 0; i < n; i++)
					{
						run->out[run->out_count] = first + i;
						run->out_count += selection[i];
					}
					break;

				case VMOP_Count:
					return STATUS_BAD_PROGRAM;
			}
			if (core_unlikely(error != 0))
				return op_status(in->op);
		}
	}
	return STATUS_DONE;
}

#undef LANES
#undef ACTIVE
#undef STRICT1
#undef STRICT2
#undef CHECKED1
#undef CHECKED2
#undef BLEND
#undef TEST
#undef FILL
#undef COPY
#undef TEXT2
#undef EACH_GROUP
#undef VM_RUN
#undef VM_TILE

/*
 * vm_lanes_test.c
 *		Every opcode that fills a register, lane by lane, in the interpreter.
 *
 * A program of one tile loads two operands and a mask, runs the instruction
 * and ends; its result is then read from the run's registers.  The reference
 * is straightforward scalar code over the same random lanes.
 * GPUDB_TEST_SHORT=1 takes fewer lanes, for compute-sanitizer.
 */
#include "assembler.h"
#include "fixture.h"
#include "interpreters.h"
#include "lane_reference.h"
#include "tap.h"

/* registers of the program; a wide one takes two */
#define REG_A		1
#define REG_B		3
#define REG_TEST	5
#define REG_MASK	6
#define REG_B_MASK	7
#define REG_RESULT	8

#define COLUMN_A	0
#define COLUMN_B	1
#define COLUMN_MASK	2

static Case the_case;

static void
random_text(Lane *lane, uint32_t most)
{
	static const char *const letters[] = {"a", "a", "b", "A", "B", "Z", " ", "%", "_", "\\", "\xC3\xA9", "\xE2\x82\xAC"};
	uint32_t	n = random_below(most + 1);

	for (lane->length = 0; n > 0; n--)
	{
		const char *letter = letters[random_below(lengthof(letters))];

		memcpy(lane->text + lane->length, letter, strlen(letter));
		lane->length += (uint32_t) strlen(letter);
	}
	/* a pattern may not end in a lone escape */
	if (lane->length > 0 && lane->text[lane->length - 1] == '\\')
		lane->text[lane->length - 1] = 'a';
}

/* Return a random date, sometimes infinite or at the end of the calendar. */
static int64_t
random_date(void)
{
	switch (random_below(6))
	{
		case 0:
			return random_below(2) ? INT32_MAX : INT32_MIN;
		case 1:
			return DATE_FIRST + random_below(1000);
		case 2:
			return DATE_END - 1 - random_below(1000);
		case 3:
			return (int64_t) random_below(80000) - 40000;
		default:
			return DATE_FIRST + (int64_t) (random_u64() % (uint64_t) (DATE_END - DATE_FIRST));
	}
}

/* Make a random operand of the operation: an integer is of its size. */
static void
random_lane(uint16_t op, uint8_t kind, Lane *lane)
{
	memset(lane, 0, sizeof(*lane));
	lane->null = random_below(5) == 0;
	switch ((OperandKind) kind)
	{
		case KIND_B:
		case KIND_M:
			lane->i = random_below(2);
			break;
		case KIND_I:
			lane->i = random_below(3) ? random_int64() : (int64_t) random_below(9) - 4;
			switch ((Opcode) op)
			{
				case VMOP_TEST_CODE:
					lane->i = random_below(20) ? (int64_t) random_below(CODES_IN_TABLE + 2) : random_int64();
					break;
				case VMOP_ADD_I2:
				case VMOP_SUB_I2:
				case VMOP_MUL_I2:
				case VMOP_DIV_I2:
					lane->i = (int16_t) lane->i;
					break;
				case VMOP_ADD_I4:
				case VMOP_SUB_I4:
				case VMOP_MUL_I4:
				case VMOP_DIV_I4:
				case VMOP_ADD_D:
				case VMOP_SUB_D:
				case VMOP_MUL_D:
				case VMOP_DATE_TO_TS:
				case VMOP_DATE_AS_TS:
					lane->i = (int32_t) lane->i;
					break;
				case VMOP_SUB_DATE:
				case VMOP_PART_DATE:
					lane->i = random_date();
					break;
				case VMOP_ADD_DATE:
					/* either operand: a date, or a number of days */
					lane->i = random_below(2) ? random_date() : (int32_t) lane->i;
					break;
				case VMOP_TS_TO_DATE:
				case VMOP_PART_TIME:
					if (random_below(2))
						lane->i = ((int64_t) random_below(40000) - 20000) * DAY_USECS + random_below(3) - 1;
					break;
				default:
					break;
			}
			break;
		case KIND_F:
			lane->f = random_double();
			if ((op == VMOP_EXP_F || op == VMOP_POW_F) && random_below(2))
				lane->f = ((double) random_below(200001) - 100000) / 128;
			if (op == VMOP_ADD_F4 || op == VMOP_SUB_F4 || op == VMOP_MUL_F4 || op == VMOP_DIV_F4)
				lane->f = (float) lane->f;
			break;
		case KIND_W:
			lane->w = random_wide();
			break;
		case KIND_T:
			random_text(lane, op == VMOP_PACK_T && random_below(2) ? 7 : 4);
			break;
		default:
			break;
	}
}

static uint16_t
column_type(uint8_t kind)
{
	switch ((OperandKind) kind)
	{
		case KIND_I:
			return COLTYPE_I64;
		case KIND_F:
			return COLTYPE_F64;
		case KIND_W:
			return COLTYPE_I128;
		case KIND_T:
			return COLTYPE_TEXT;
		default:
			return COLTYPE_BOOL;
	}
}

static Opcode
load_op(uint8_t kind)
{
	switch ((OperandKind) kind)
	{
		case KIND_I:
			return VMOP_LOAD_I;
		case KIND_F:
			return VMOP_LOAD_F;
		case KIND_W:
			return VMOP_LOAD_W;
		case KIND_T:
			return VMOP_LOAD_T;
		default:
			return VMOP_LOAD_B;
	}
}

static void
store_lane(Tablet *tablet, int column, uint32_t row, const Lane *lane)
{
	switch ((ColType) tablet->column[column].type)
	{
		case COLTYPE_I128:
			tablet_set_int(tablet, column, row, lane->w);
			break;
		case COLTYPE_F64:
			tablet_set_float(tablet, column, row, lane->f);
			break;
		case COLTYPE_TEXT:
			tablet_set_text(tablet, column, row, lane->text, lane->length);
			break;
		default:
			tablet_set_int(tablet, column, row, lane->i);
			break;
	}
	if (lane->null)
		tablet_set_null(tablet, column, row);
}

static Tablet *
store_case(const Case *k)
{
	const OpInfo *info = &op_info[k->op];
	uint16_t	types[3] = {column_type(info->a), column_type(info->b), COLTYPE_BOOL};
	Tablet	   *tablet = tablet_make(types, 3, k->n, (uint64_t) k->n * 2 * LANE_TEXT);
	uint32_t	row;

	for (row = 0; row < k->n; row++)
	{
		store_lane(tablet, COLUMN_A, row, &k->a[row]);
		store_lane(tablet, COLUMN_B, row, &k->b[row]);
		tablet_set_int(tablet, COLUMN_MASK, row, k->mask[row]);
	}
	return tablet;
}

static int
compare_words(const void *a, const void *b)
{
	return compare_int(*(const int64_t *) a, *(const int64_t *) b);
}

/* Add the set's words side by side, and return the index of the first one. */
static int
emit_set(Assembler *as, Case *k)
{
	int			first = (int) as->nwords;
	int			i;

	qsort(k->set_i, (size_t) k->c, sizeof(int64_t), compare_words);
	for (i = 0; i < k->c; i++)
		asm_word(as, k->op == VMOP_IN_I ? (uint64_t) k->set_i[i] : asm_text(as, k->set_t[i].text, k->set_t[i].length));
	return first;
}

/* Add a table that knows each dictionary code from 0 to CODES_IN_TABLE - 1, with truth value code % 4. */
static int
emit_code_table(Assembler *as)
{
	const int	first = asm_word(as, CODES_IN_TABLE);
	uint64_t	said = CODE_WORD_UNKNOWN;

	for (uint64_t code = 0; code < CODES_IN_TABLE; code++)
		said = (said & ~(UINT64_C(3) << code * CODE_TABLE_BITS)) | code % 4 << code * CODE_TABLE_BITS;
	asm_word(as, said);
	return first;
}

static Program *
build_case(Case *k)
{
	static Assembler as;
	const OpInfo *info = &op_info[k->op];
	bool		set = info->shape == SHAPE_SET;
	Instr	   *in;
	int			imm = k->imm;

	asm_init(&as, 3, false);
	if (set)
		imm = emit_set(&as, k);
	if (k->op == VMOP_TEST_CODE)
		imm = emit_code_table(&as);
	if (k->op == VMOP_PART_T)
	{
		imm = asm_word(&as, (uint64_t) k->part[0]);
		asm_word(&as, (uint64_t) k->part[1]);
	}
	asm_emit(&as, load_op(info->a), REG_A, 0, 0, 0, COLUMN_A);
	asm_emit(&as, load_op(info->b), REG_B, 0, 0, 0, COLUMN_B);
	asm_emit(&as, VMOP_LOAD_B, REG_TEST, 0, 0, 0, COLUMN_MASK);
	asm_emit(&as, VMOP_MASK_TRUE, REG_MASK, REG_TEST, 0, 0, 0);
	if (info->b == KIND_M)
		asm_emit(&as, VMOP_MASK_TRUE, REG_B_MASK, REG_B, 0, 0, 0);
	in = asm_emit(&as, (Opcode) k->op, REG_RESULT, REG_A,
				  info->b == KIND_M ? REG_B_MASK : info->b == KIND__ ? 0 : REG_B, REG_MASK, imm);
	in->c = (uint16_t) k->c;
	return asm_finish(&as);
}

static bool
lane_matches(const VmRun *run, uint8_t kind, const uint64_t *values, uint32_t i, const Lane *want)
{
	switch ((OperandKind) kind)
	{
		case KIND_B:
		case KIND_M:
			return ((const uint8_t *) values)[i] == want->i;
		case KIND_I:
			return (int64_t) values[i] == want->i;
		case KIND_F:
			return isnan(want->f) ? isnan(float_of_bits(values[i])) : values[i] == bits_of_float(want->f);
		case KIND_W:
			return wide_load(values + 2 * i) == want->w;
		default:
			return TEXT_LENGTH(values[i]) == want->length &&
				memcmp(vm_text(run, values[i]), want->text, want->length) == 0;
	}
}

static void
compare_lanes(const Case *k, const VmRun *run, uint32_t tile)
{
	const OpInfo *info = &op_info[k->op];
	const uint64_t *values = run->values + (size_t) REG_RESULT * tile;
	const uint8_t *nulls = run->nulls + (size_t) REG_RESULT * tile;
	bool		masked = info->shape != SHAPE_BLEND && info->shape != SHAPE_MASK;
	uint32_t	i;

	for (i = 0; i < k->n; i++)
	{
		const Lane *want = &k->want[i];

		if (!tap_expect(nulls[i] == want->null, "%s: lane %u of %u has NULL flag %u", info->name, i, k->n, nulls[i]))
			continue;
		/* skip lanes that are NULL, report or are not active; and checks of zero, whose result has no meaning */
		if (want->null || want->hit || (masked && !k->mask[i]))
			continue;
		if (info->dst == KIND_B && info->status == STATUS_DIVISION_BY_ZERO)
			continue;
		tap_expect(lane_matches(run, info->dst, values, i, want), "%s: lane %u of %u, a %lld %a %s, b %lld %a %s, imm %d",
				   info->name, i, k->n, (long long) k->a[i].i, k->a[i].f, wide_text(k->a[i].w), (long long) k->b[i].i,
				   k->b[i].f, wide_text(k->b[i].w), k->imm);
	}
}

/* Run the case, and compare its lanes if no active lane reports. */
static void
run_case(Case *k, const Interpreter *vm)
{
	Tablet	   *tablet = store_case(k);
	Program    *program = build_case(k);
	uint32_t	size = program->size;
	DeviceStatus want = STATUS_DONE;
	DeviceStatus got;
	VmRun		run;
	uint32_t	i;

	for (i = 0; i < k->n; i++)
		if (k->want[i].hit && k->mask[i])
			want = (DeviceStatus) op_info[k->op].status;
	if (tap_expect(program_verify(program, size) == STATUS_DONE, "%s: the program is refused", op_info[k->op].name) &&
		(vm->can_run == NULL || vm->can_run(program, BODY_NARROW)))
	{
		run_open(&run, program, BODY_NARROW, tablet, vm->tile);
		got = vm->run(&run);
		if (tap_expect(got == want, "%s: '%s' instead of '%s'", op_info[k->op].name, status_text(got), status_text(want)) &&
			got == STATUS_DONE)
			compare_lanes(k, &run, vm->tile);
		run_close(&run, vm->tile);
	}
	program_free(program, size);
	tablet_free(tablet);
}

static void
random_case(Case *k, uint16_t op, uint32_t n)
{
	const OpInfo *info = &op_info[op];
	uint32_t	i;

	k->op = op;
	k->n = n;
	k->imm = 0;
	k->c = 0;
	if (info->shape == SHAPE_STRICT1IMM || info->shape == SHAPE_CHECKEDIMM)
		k->imm = (int) random_below(info->shape == SHAPE_STRICT1IMM && info->dst == KIND_I ? 19 : 39);
	if ((op == VMOP_PART_DATE || op == VMOP_PART_TIME) && random_below(8))
		k->imm = (int) random_below(FIELD_Count);
	if (info->shape == SHAPE_SET)
		k->c = (int) random_below(SET_SIZE + 1);
	else if (info->a == KIND_T)
		k->c = (int) random_below(2);
	k->part[0] = random_below(8) ? random_below(5) : INT32_MAX;
	k->part[1] = random_below(8) ? (int64_t) random_below(9) - 4 : random_below(2) ? INT32_MAX : INT32_MIN;
	for (i = 0; i < n; i++)
	{
		random_lane(op, info->a, &k->a[i]);
		random_lane(op, info->b, &k->b[i]);
		if (random_below(6) == 0 && info->a == info->b)
			k->b[i] = k->a[i];
	}
	for (i = 0; i < SET_SIZE; i++)
	{
		const Lane *some = &k->a[random_below(n)];

		k->set_i[i] = random_below(3) ? some->i : random_int64();
		random_text(&k->set_t[i], 4);
	}
	for (i = 0; i < n; i++)
	{
		k->mask[i] = 1;
		reference_lane(k, i, &k->want[i]);
		/* at first the mask leaves out lanes that report, and some others */
		k->mask[i] = !k->want[i].hit && random_below(5) > 0;
		if (info->shape == SHAPE_BLEND)
			reference_lane(k, i, &k->want[i]);
	}
}

/* Return true if an opcode is about joins, which join_vm_test.c tests. */
static bool
is_of_joins(const OpInfo *info)
{
	return info->shape == SHAPE_JOIN_KEY || info->shape == SHAPE_ROW || info->shape == SHAPE_FETCH || info->shape == SHAPE_LOOP ||
		info->a == KIND_R || info->a == KIND_S || info->dst == KIND_R;
}

static bool
fills_a_register(const OpInfo *info)
{
	return !is_of_joins(info) && info->dst != KIND__ && info->dst != KIND_G && info->shape != SHAPE_LOAD && info->shape != SHAPE_CONSTANT &&
		info->shape != SHAPE_KEY;
}

/* Return n, or an eighth of it if fewer trials are wanted. */
static int
cases(int n)
{
	return tap_short() ? n / 8 : n;
}

static void
test_lanes(const Interpreter *vm)
{
	const uint32_t sizes[] = {1, 2, 31, 32, 33, 63, 64, vm->tile - 1, vm->tile};
	uint16_t	op;
	size_t		s;
	int			round;

	for (op = 0; op < VMOP_Count; op++)
	{
		static char names[VMOP_Count][64];

		if (!fills_a_register(&op_info[op]))
			continue;
		snprintf(names[op], sizeof(names[op]), "%s, %s", op_info[op].name, vm->name);
		tap_begin(names[op]);
		for (s = 0; s < lengthof(sizes); s++)
			for (round = 0; round < cases(sizes[s] < 32 ? 40 : 8); round++)
			{
				uint32_t	i;
				Case	   *k = &the_case;

				random_case(k, op, sizes[s]);
				run_case(k, vm);
				/* then with lanes that report, one at a time */
				for (i = 0; i < k->n && round < 3; i += 1 + random_below(9))
					if (k->want[i].hit)
					{
						k->mask[i] = 1;
						run_case(k, vm);
						k->mask[i] = 0;
					}
			}
		tap_end();
	}
}

/* Run loads or constants, and compare the register that they fill. */
static void
expect_register(const Interpreter *vm, Assembler *as, Tablet *tablet, const Lane *want, uint32_t n, uint8_t kind)
{
	Program    *program = asm_finish(as);
	uint32_t	size = program->size;
	VmRun		run;
	uint32_t	i;

	if (tap_expect(program_verify(program, size) == STATUS_DONE, "the program is refused"))
	{
		run_open(&run, program, BODY_NARROW, tablet, vm->tile);
		tap_expect(vm->run(&run) == STATUS_DONE, "the run fails");
		for (i = 0; i < n; i++)
		{
			tap_expect(run.nulls[vm->tile + i] == want[i].null, "lane %u of %u: NULL flag", i, n);
			if (!want[i].null)
				tap_expect(lane_matches(&run, kind, run.values + vm->tile, i, &want[i]), "lane %u of %u: value", i, n);
		}
		run_close(&run, vm->tile);
	}
	program_free(program, size);
}

/* Return an integer as a column of a type stores it. */
static int64_t
as_stored(ColType type, int64_t v)
{
	switch (type)
	{
		case COLTYPE_U8:
			return (uint8_t) v;
		case COLTYPE_I16:
			return (int16_t) v;
		case COLTYPE_I32:
			return (int32_t) v;
		case COLTYPE_U32:
			return (uint32_t) v;
		default:
			return v;
	}
}

static void
test_load(const Interpreter *vm, Opcode op, ColType type, const char *name)
{
	static Lane want[LARGE_TILE];
	static Assembler as;
	static char full[64];
	const uint32_t sizes[] = {1, 31, 32, 33, 63, 64, vm->tile - 1, vm->tile};
	uint16_t	types[1] = {(uint16_t) type};
	size_t		s;

	snprintf(full, sizeof(full), "%s, %s", name, vm->name);
	tap_begin(full);
	for (s = 0; s < 2 * lengthof(sizes); s++)
	{
		uint32_t	n = sizes[s / 2];
		Tablet	   *tablet = tablet_make(types, 1, n, (uint64_t) n * LANE_TEXT);
		uint32_t	i;

		for (i = 0; i < n; i++)
		{
			random_lane(op, op_info[op].dst, &want[i]);
			want[i].null = s % 2 && want[i].null;
			want[i].i = as_stored(type, op == VMOP_LOAD_W ? (int64_t) want[i].w : want[i].i);
			if (type == COLTYPE_F32)
				want[i].f = (float) want[i].f;
			if (op == VMOP_LOAD_I || type != COLTYPE_I128)
				want[i].w = want[i].i;
			if (type == COLTYPE_F32)
			{
				tablet_set_float(tablet, 0, i, want[i].f);
				if (want[i].null)
					tablet_set_null(tablet, 0, i);
			}
			else
				store_lane(tablet, 0, i, &want[i]);
		}
		asm_init(&as, 1, false);
		asm_emit(&as, op, 1, 0, 0, 0, 0);
		expect_register(vm, &as, tablet, want, n, op_info[op].dst);
		tablet_free(tablet);
	}
	tap_end();
}

static void
test_constants(const Interpreter *vm)
{
	static Lane want[LARGE_TILE];
	static Assembler as;
	static char name[64];
	uint16_t	types[1] = {COLTYPE_I64};
	uint16_t	op;
	int			round;

	snprintf(name, sizeof(name), "constants, NULL and not, %s", vm->name);
	tap_begin(name);
	for (op = VMOP_CONST_B; op <= VMOP_CONST_T; op++)
		for (round = 0; round < 40; round++)
		{
			Tablet	   *tablet = tablet_make(types, 1, vm->tile, 0);
			uint8_t		kind = op_info[op].dst;
			Lane		v;
			uint32_t	i;
			int			imm;

			random_lane(op, kind, &v);
			asm_init(&as, 1, false);
			asm_word(&as, random_u64());
			imm = kind == KIND_W ? asm_wide(&as, v.w) :
				asm_word(&as, kind == KIND_F ? bits_of_float(v.f) : kind == KIND_T ? asm_text(&as, v.text, v.length)
						 : (uint64_t) v.i);
			asm_emit(&as, (Opcode) op, 1, 0, 0, 0, imm)->c = v.null;
			for (i = 0; i < vm->tile; i++)
				want[i] = v;
			expect_register(vm, &as, tablet, want, vm->tile, kind);
			tablet_free(tablet);
		}
	tap_end();
}

int
main(void)
{
	size_t		v;

	for (v = 0; v < lengthof(interpreters); v++)
	{
		const Interpreter *vm = &interpreters[v];

		test_load(vm, VMOP_LOAD_B, COLTYPE_BOOL, "LOAD_B of bool");
		test_load(vm, VMOP_LOAD_I, COLTYPE_U8, "LOAD_I of \"char\"");
		test_load(vm, VMOP_LOAD_I, COLTYPE_I16, "LOAD_I of int2");
		test_load(vm, VMOP_LOAD_I, COLTYPE_I32, "LOAD_I of int4");
		test_load(vm, VMOP_LOAD_I, COLTYPE_U32, "LOAD_I of oid");
		test_load(vm, VMOP_LOAD_I, COLTYPE_I64, "LOAD_I of int8");
		test_load(vm, VMOP_LOAD_I, COLTYPE_I128, "LOAD_I of 128 bits");
		test_load(vm, VMOP_LOAD_W, COLTYPE_U8, "LOAD_W of \"char\"");
		test_load(vm, VMOP_LOAD_W, COLTYPE_U32, "LOAD_W of oid");
		test_load(vm, VMOP_LOAD_W, COLTYPE_I16, "LOAD_W of int2");
		test_load(vm, VMOP_LOAD_W, COLTYPE_I32, "LOAD_W of int4");
		test_load(vm, VMOP_LOAD_W, COLTYPE_I64, "LOAD_W of int8");
		test_load(vm, VMOP_LOAD_W, COLTYPE_I128, "LOAD_W of 128 bits");
		test_load(vm, VMOP_LOAD_F, COLTYPE_F32, "LOAD_F of float4");
		test_load(vm, VMOP_LOAD_F, COLTYPE_F64, "LOAD_F of float8");
		test_load(vm, VMOP_LOAD_T, COLTYPE_TEXT, "LOAD_T of text");
		test_constants(vm);
		test_lanes(vm);
	}
	return tap_done();
}

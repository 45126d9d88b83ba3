/*
 * vm_lanes_test.c
 *		Every opcode that fills a register, lane by lane, in the interpreter.
 *
 * A program of one tile loads two operands and a mask, runs the instruction
 * and ends; its result is then read from the run's registers.  The reference
 * is straightforward scalar code over the same random lanes.
 */
#include "assembler.h"
#include "fixture.h"
#include "interpreters.h"
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

#define LANE_TEXT 12
#define SET_SIZE 9

/* The value of a lane; which member counts depends on the operand's kind. */
typedef struct Lane
{
	uint8_t		null;
	uint8_t		hit;			/* the operation reports an error here */
	int64_t		i;				/* kinds B, I, M */
	double		f;
	Wide		w;
	uint8_t		text[LANE_TEXT];
	uint32_t	length;
} Lane;

typedef struct Case
{
	uint16_t	op;
	int			imm;
	int			c;
	int64_t		set_i[SET_SIZE];
	Lane		set_t[SET_SIZE];
	uint32_t	n;				/* rows */
	Lane		a[LARGE_TILE];
	Lane		b[LARGE_TILE];
	uint8_t		mask[LARGE_TILE];
	Lane		want[LARGE_TILE];
} Case;

static Case the_case;

static void
random_text(Lane *lane)
{
	static const char alphabet[] = "aab %_\\";
	uint32_t	i;

	lane->length = random_below(5);
	for (i = 0; i < lane->length; i++)
		lane->text[i] = (uint8_t) alphabet[random_below(sizeof(alphabet) - 1)];
	/* a pattern may not end in a lone escape */
	if (lane->length > 0 && lane->text[lane->length - 1] == '\\')
		lane->text[lane->length - 1] = 'a';
}

/* An operand that the operation may be given: integers of its size. */
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
					lane->i = (int32_t) lane->i;
					break;
				default:
					break;
			}
			break;
		case KIND_F:
			lane->f = random_double();
			if (op == VMOP_ADD_F4 || op == VMOP_SUB_F4 || op == VMOP_MUL_F4 || op == VMOP_DIV_F4)
				lane->f = (float) lane->f;
			break;
		case KIND_W:
			lane->w = random_wide();
			break;
		case KIND_T:
			random_text(lane);
			break;
		default:
			break;
	}
}

static int
compare_int(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

static int
compare_float(double a, double b)
{
	if (isnan(a) || isnan(b))
		return !!isnan(a) - !!isnan(b);
	return (a > b) - (a < b);
}

static bool
same_text(const Lane *a, const Lane *b)
{
	return a->length == b->length && memcmp(a->text, b->text, a->length) == 0;
}

static void
int_result(Lane *d, Wide r, int64_t low, int64_t high)
{
	d->hit = r < low || r > high;
	d->i = (int64_t) r;
}

static void
float_result(Lane *d, double r, bool inputs_finite, bool zero_is_exact)
{
	d->f = r;
	d->hit = (isinf(r) && inputs_finite) || (r == 0 && !zero_is_exact);
}

/* 10^n by multiplication */
static Wide
tens(int n)
{
	Wide		r = 1;

	while (n-- > 0)
		r *= 10;
	return r;
}

static Wide
divide_rounding(Wide v, Wide unit)
{
	UWide		size = v < 0 ? (UWide) 0 - (UWide) v : (UWide) v;
	UWide		q = size / (UWide) unit;

	if (size % (UWide) unit * 2 >= (UWide) unit)
		q++;
	return (Wide) (v < 0 ? (UWide) 0 - q : q);
}

static Wide
divide_ints(int64_t a, int64_t b)
{
	return b == 0 ? 0 : (Wide) a / b;
}

static bool
is_member(const Case *k, const Lane *a)
{
	int			i;

	for (i = 0; i < k->c; i++)
		if (k->op == VMOP_IN_I ? k->set_i[i] == a->i : same_text(&k->set_t[i], a))
			return true;
	return false;
}

static double
as_float4(double v)
{
	volatile float f = (float) v;

	return f;
}

/* The weight and the first base-10000 digit of an integer, from its decimal digits. */
static void
leading_digits_of(Wide v, int *weight, int *first)
{
	UWide		rest = v < 0 ? 0 - (UWide) v : (UWide) v;
	int			digits[40];
	int			n = 0;

	for (*weight = *first = 0; rest > 0; rest /= 10)
		digits[n++] = (int) (rest % 10);
	if (n == 0)
		return;
	*weight = (n - 1) / 4;
	for (int i = n - 1; i >= *weight * 4; i--)
		*first = *first * 10 + digits[i];
}

/* Digits after the point for 16 significant ones in a quotient of integers. */
static int64_t
sixteen_digits(Wide a, Wide b)
{
	int			wa;
	int			fa;
	int			wb;
	int			fb;
	int			digits;

	leading_digits_of(a, &wa, &fa);
	leading_digits_of(b, &wb, &fb);
	digits = 16 - 4 * (wa - wb - (fa <= fb ? 1 : 0));
	return digits < 0 ? 0 : digits;
}

/* The result for operands that are not NULL. */
static void
reference(const Case *k, const Lane *a, const Lane *b, Lane *d)
{
	bool		finite = !isinf(a->f) && !isinf(b->f);
	Wide		product;

	switch ((Opcode) k->op)
	{
		case VMOP_NOT:
			d->i = !a->i;
			break;
		case VMOP_EQ_I:
			d->i = compare_int(a->i, b->i) == 0;
			break;
		case VMOP_NE_I:
			d->i = compare_int(a->i, b->i) != 0;
			break;
		case VMOP_LT_I:
			d->i = compare_int(a->i, b->i) < 0;
			break;
		case VMOP_LE_I:
			d->i = compare_int(a->i, b->i) <= 0;
			break;
		case VMOP_EQ_F:
			d->i = compare_float(a->f, b->f) == 0;
			break;
		case VMOP_NE_F:
			d->i = compare_float(a->f, b->f) != 0;
			break;
		case VMOP_LT_F:
			d->i = compare_float(a->f, b->f) < 0;
			break;
		case VMOP_LE_F:
			d->i = compare_float(a->f, b->f) <= 0;
			break;
		case VMOP_EQ_W:
			d->i = a->w == b->w;
			break;
		case VMOP_NE_W:
			d->i = a->w != b->w;
			break;
		case VMOP_LT_W:
			d->i = a->w < b->w;
			break;
		case VMOP_LE_W:
			d->i = a->w <= b->w;
			break;
		case VMOP_EQ_T:
			d->i = same_text(a, b);
			break;
		case VMOP_NE_T:
			d->i = !same_text(a, b);
			break;
		case VMOP_LIKE_T:
			d->i = text_like(a->text, a->length, b->text, b->length, k->c != 0);
			break;
		case VMOP_TRIM_T:
			*d = *a;
			while (d->length > 0 && d->text[d->length - 1] == ' ')
				d->length--;
			break;
		case VMOP_IN_I:
		case VMOP_IN_T:
			d->i = is_member(k, a);
			break;
		case VMOP_ADD_I2:
			int_result(d, (Wide) a->i + b->i, INT16_MIN, INT16_MAX);
			break;
		case VMOP_ADD_I4:
			int_result(d, (Wide) a->i + b->i, INT32_MIN, INT32_MAX);
			break;
		case VMOP_ADD_I8:
		case VMOP_ADD_D:
			int_result(d, (Wide) a->i + b->i, INT64_MIN, INT64_MAX);
			break;
		case VMOP_SUB_I2:
			int_result(d, (Wide) a->i - b->i, INT16_MIN, INT16_MAX);
			break;
		case VMOP_SUB_I4:
			int_result(d, (Wide) a->i - b->i, INT32_MIN, INT32_MAX);
			break;
		case VMOP_SUB_I8:
		case VMOP_SUB_D:
			int_result(d, (Wide) a->i - b->i, INT64_MIN, INT64_MAX);
			break;
		case VMOP_MUL_I2:
			int_result(d, (Wide) a->i * b->i, INT16_MIN, INT16_MAX);
			break;
		case VMOP_MUL_I4:
			int_result(d, (Wide) a->i * b->i, INT32_MIN, INT32_MAX);
			break;
		case VMOP_MUL_I8:
		case VMOP_MUL_D:
			int_result(d, (Wide) a->i * b->i, INT64_MIN, INT64_MAX);
			break;
		case VMOP_ZERO_I:
			d->hit = a->i == 0;
			break;
		case VMOP_DIV_I2:
			int_result(d, divide_ints(a->i, b->i), INT16_MIN, INT16_MAX);
			break;
		case VMOP_DIV_I4:
			int_result(d, divide_ints(a->i, b->i), INT32_MIN, INT32_MAX);
			break;
		case VMOP_DIV_I8:
			int_result(d, divide_ints(a->i, b->i), INT64_MIN, INT64_MAX);
			break;
		case VMOP_MOD_I:
			d->i = b->i == 0 ? 0 : (int64_t) ((Wide) a->i % b->i);
			break;
		case VMOP_BITAND_I:
			d->i = a->i & b->i;
			break;
		case VMOP_CHECK_I2:
			int_result(d, a->i, INT16_MIN, INT16_MAX);
			break;
		case VMOP_CHECK_I4:
			int_result(d, a->i, INT32_MIN, INT32_MAX);
			break;
		case VMOP_ADD_F8:
			float_result(d, a->f + b->f, finite, true);
			break;
		case VMOP_SUB_F8:
			float_result(d, a->f - b->f, finite, true);
			break;
		case VMOP_MUL_F8:
			float_result(d, a->f * b->f, finite, a->f == 0 || b->f == 0);
			break;
		case VMOP_DIV_F8:
			float_result(d, a->f / b->f, !isinf(a->f), a->f == 0 || isinf(b->f));
			break;
		case VMOP_ADD_F4:
			float_result(d, as_float4(a->f + b->f), finite, true);
			break;
		case VMOP_SUB_F4:
			float_result(d, as_float4(a->f - b->f), finite, true);
			break;
		case VMOP_MUL_F4:
			float_result(d, as_float4(a->f * b->f), finite, a->f == 0 || b->f == 0);
			break;
		case VMOP_DIV_F4:
			float_result(d, as_float4((float) a->f / (float) b->f), !isinf(a->f), a->f == 0 || isinf(b->f));
			break;
		case VMOP_ZERO_F:
			d->hit = b->f == 0 && !isnan(a->f);
			break;
		case VMOP_NEG_F:
			d->f = -a->f;
			break;
		case VMOP_ROUND_D:
			d->i = (int64_t) divide_rounding(a->i, tens(k->imm));
			break;
		case VMOP_ADD_W:
			d->hit = __builtin_add_overflow(a->w, b->w, &d->w);
			break;
		case VMOP_SUB_W:
			d->hit = __builtin_sub_overflow(a->w, b->w, &d->w);
			break;
		case VMOP_MUL_W:
			d->hit = __builtin_mul_overflow(a->w, b->w, &product);
			d->w = product;
			/* -2^127 may be reported */
			d->hit |= product == (Wide) ((UWide) 1 << 127);
			break;
		case VMOP_DIV_SCALE_W:
			d->i = sixteen_digits(a->w, b->w);
			break;
		case VMOP_SHIFT_W:
			d->w = a->w;
			d->hit = b->i > 38 || b->i < -38;
			for (int64_t i = 0; !d->hit && i < b->i; i++)
				d->hit |= __builtin_mul_overflow(d->w, (Wide) 10, &d->w);
			for (int64_t i = 0; !d->hit && i > b->i; i--)
			{
				d->hit |= d->w % 10 != 0;
				d->w /= 10;
			}
			/* -2^127 may be reported */
			d->hit |= d->w == (Wide) ((UWide) 1 << 127);
			break;
		case VMOP_DIV_W:
			d->hit = b->w == 0;
			/* the one quotient that wraps around: no decimal comes near it */
			d->w = b->w == 0 ? 0 : b->w == -1 ? (Wide) (0 - (UWide) a->w) : a->w / b->w;
			if (b->w != 0 && b->w != -1)
			{
				Wide		rest = a->w % b->w;
				UWide		twice = 2 * (rest < 0 ? 0 - (UWide) rest : (UWide) rest);

				if (twice >= (b->w < 0 ? 0 - (UWide) b->w : (UWide) b->w))
					d->w += (a->w < 0) == (b->w < 0) ? 1 : -1;
			}
			break;
		case VMOP_ROUND_W:
			d->w = divide_rounding(a->w, tens(k->imm));
			break;
		case VMOP_BOOL_TO_INT:
			d->i = a->i;
			break;
		case VMOP_WIDEN:
			d->w = a->i;
			break;
		case VMOP_NARROW:
			int_result(d, a->w, INT64_MIN, INT64_MAX);
			break;
		case VMOP_INT_TO_F8:
			d->f = (double) a->i;
			break;
		case VMOP_INT_TO_F4:
			{
				volatile float f = (float) a->i;

				d->f = f;
				break;
			}
		case VMOP_F8_TO_F4:
			float_result(d, as_float4(a->f), !isinf(a->f), a->f == 0);
			break;
		case VMOP_F_TO_INT:
			d->hit = !(rint(a->f) >= -0x1p63 && rint(a->f) < 0x1p63);
			d->i = d->hit ? 0 : (int64_t) rint(a->f);
			break;
		case VMOP_DEC_TO_F8:
			d->hit = a->w > (Wide) 1 << 53 || a->w < -((Wide) 1 << 53) || k->imm > 22;
			d->f = (double) (long double) a->w / (double) tens(k->imm);
			break;
		case VMOP_DATE_TO_TS:
			d->i = a->i == INT32_MAX ? INT64_MAX : a->i == INT32_MIN ? INT64_MIN : a->i >= 106751983 ? INT64_MAX - 1
				: (int64_t) (Wide) ((Wide) a->i * 86400 * 1000000);
			break;
		case VMOP_FLOAT_KEY:
			d->i = op_float_key(a->f);
			break;
		case VMOP_NEG_ZERO:
			d->i = a->f == 0 && signbit(a->f);
			break;
		case VMOP_NO_NEG_ZERO:
			d->hit = a->f == 0 && signbit(a->f);
			d->f = a->f;
			break;
		default:
			d->null = 77;		/* no reference: the comparison fails */
			break;
	}
}

/* NULLs and masks by the shape of the operation. */
static void
reference_lane(const Case *k, uint32_t row, Lane *d)
{
	const Lane *a = &k->a[row];
	const Lane *b = &k->b[row];
	const OpInfo *info = &op_info[k->op];
	bool		mask = k->mask[row];
	int			truth = a->null ? 2 : (int) a->i;
	int			other = b->null ? 2 : (int) b->i;

	memset(d, 0, sizeof(*d));
	switch ((Opcode) k->op)
	{
		case VMOP_MASK_TRUE:
			d->i = other == 1 && truth == 1;
			return;
		case VMOP_MASK_NOT_TRUE:
			d->i = other == 1 && truth != 1;
			return;
		case VMOP_MASK_NOT_FALSE:
			d->i = other == 1 && truth != 0;
			return;
		case VMOP_BLEND_B:
		case VMOP_BLEND_I:
		case VMOP_BLEND_F:
		case VMOP_BLEND_W:
		case VMOP_BLEND_T:
			*d = mask ? *a : *b;
			return;
		case VMOP_AND:
			d->null = truth != 0 && other != 0 && (truth == 2 || other == 2);
			d->i = truth == 1 && other == 1;
			return;
		case VMOP_OR:
			d->null = truth != 1 && other != 1 && (truth == 2 || other == 2);
			d->i = truth == 1 || other == 1;
			return;
		case VMOP_IS_TRUE:
			d->i = truth == 1;
			return;
		case VMOP_IS_FALSE:
			d->i = truth == 0;
			return;
		case VMOP_NULL_B:
		case VMOP_NULL_I:
		case VMOP_NULL_F:
		case VMOP_NULL_W:
		case VMOP_NULL_T:
			d->i = a->null;
			return;
		default:
			break;
	}
	d->null = a->null | (info->b != KIND__ && b->null);
	if (!d->null)
		reference(k, a, b, d);
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

/* The set's words, which lie side by side. */
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

static Program *
build_case(Case *k)
{
	static Assembler as;
	const OpInfo *info = &op_info[k->op];
	bool		set = info->shape == SHAPE_SET;
	Instr	   *in;

	asm_init(&as, 3, false);
	asm_emit(&as, load_op(info->a), REG_A, 0, 0, 0, COLUMN_A);
	asm_emit(&as, load_op(info->b), REG_B, 0, 0, 0, COLUMN_B);
	asm_emit(&as, VMOP_LOAD_B, REG_TEST, 0, 0, 0, COLUMN_MASK);
	asm_emit(&as, VMOP_MASK_TRUE, REG_MASK, REG_TEST, 0, 0, 0);
	if (info->b == KIND_M)
		asm_emit(&as, VMOP_MASK_TRUE, REG_B_MASK, REG_B, 0, 0, 0);
	in = asm_emit(&as, (Opcode) k->op, REG_RESULT, REG_A,
				  info->b == KIND_M ? REG_B_MASK : info->b == KIND__ ? 0 : REG_B, REG_MASK,
				  set ? emit_set(&as, k) : k->imm);
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
		/* the checks of zero, whose result is whatever is reported, and lanes that nobody asked for */
		if (want->null || want->hit || (masked && !k->mask[i]))
			continue;
		if (info->dst == KIND_B && info->status == STATUS_DIVISION_BY_ZERO)
			continue;
		tap_expect(lane_matches(run, info->dst, values, i, want), "%s: lane %u of %u, a %lld %a %s, b %lld %a %s, imm %d",
				   info->name, i, k->n, (long long) k->a[i].i, k->a[i].f, wide_text(k->a[i].w), (long long) k->b[i].i,
				   k->b[i].f, wide_text(k->b[i].w), k->imm);
	}
}

/* Run the case; compare the lanes when no active lane reports. */
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
	if (tap_expect(program_verify(program, size) == STATUS_DONE, "%s: the program is refused", op_info[k->op].name))
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
		k->imm = (int) random_below(op == VMOP_ROUND_D ? 19 : 39);
	if (info->shape == SHAPE_SET)
		k->c = (int) random_below(SET_SIZE + 1);
	else if (op == VMOP_LIKE_T)
		k->c = (int) random_below(2);
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
		random_text(&k->set_t[i]);
	}
	for (i = 0; i < n; i++)
	{
		k->mask[i] = 1;
		reference_lane(k, i, &k->want[i]);
		/* lanes that report are left out at first, and others, too */
		k->mask[i] = !k->want[i].hit && random_below(5) > 0;
		if (info->shape == SHAPE_BLEND)
			reference_lane(k, i, &k->want[i]);
	}
}

static bool
fills_a_register(const OpInfo *info)
{
	return info->dst != KIND__ && info->dst != KIND_G && info->shape != SHAPE_LOAD && info->shape != SHAPE_CONSTANT &&
		info->shape != SHAPE_KEY;
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
			for (round = 0; round < (sizes[s] < 32 ? 40 : 8); round++)
			{
				uint32_t	i;
				Case	   *k = &the_case;

				random_case(k, op, sizes[s]);
				run_case(k, vm);
				/* then each lane that reports, alone */
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

/* Run loads or constants and look at the register. */
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
			want[i].i = type == COLTYPE_I16 ? (int16_t) want[i].i : type == COLTYPE_I32 ? (int32_t) want[i].i : want[i].i;
			if (type == COLTYPE_F32)
				want[i].f = (float) want[i].f;
			if (op == VMOP_LOAD_W && type != COLTYPE_I128)
				want[i].w = type == COLTYPE_I16 ? (int16_t) want[i].w : type == COLTYPE_I32 ? (int32_t) want[i].w
					: (int64_t) want[i].w;
			if (op == VMOP_LOAD_W)
				want[i].i = (int64_t) want[i].w;
			if (op == VMOP_LOAD_I)
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
		test_load(vm, VMOP_LOAD_I, COLTYPE_I16, "LOAD_I of int2");
		test_load(vm, VMOP_LOAD_I, COLTYPE_I32, "LOAD_I of int4");
		test_load(vm, VMOP_LOAD_I, COLTYPE_I64, "LOAD_I of int8");
		test_load(vm, VMOP_LOAD_I, COLTYPE_I128, "LOAD_I of 128 bits");
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

/*
 * arith_test.c
 *		Integers, floats, conversions, comparisons, logic and dates: one lane.
 */
#include <float.h>

#include "core/vm/op_arith.h"
#include "core/vm/op_cast.h"
#include "core/vm/op_compare.h"
#include "core/vm/op_date.h"
#include "core/vm/op_logic.h"
#include "tap.h"

#define TRIALS 300000

typedef int64_t (*CheckedInt) (int64_t a, int64_t b, uint32_t *error);
typedef double (*CheckedFloat) (double a, double b, uint32_t *error);

/* Return true if two doubles have the same bits, or are both NaN. */
static bool
same_double(double a, double b)
{
	return a != a ? b != b : bits_of_float(a) == bits_of_float(b);
}

/* Compute an operation on integers of `bits` bits; return 1 if it has to report an error. */
static uint32_t
int_reference(char op, int bits, int64_t a, int64_t b, int64_t *r)
{
	int16_t		r2 = 0;
	int32_t		r4 = 0;
	int64_t		r8 = 0;
	uint32_t	lost = 0;

	switch (op)
	{
		case '+':
			lost = bits == 16 ? __builtin_add_overflow(a, b, &r2) : bits == 32 ? __builtin_add_overflow(a, b, &r4)
				: __builtin_add_overflow(a, b, &r8);
			break;
		case '-':
			lost = bits == 16 ? __builtin_sub_overflow(a, b, &r2) : bits == 32 ? __builtin_sub_overflow(a, b, &r4)
				: __builtin_sub_overflow(a, b, &r8);
			break;
		case '*':
			lost = bits == 16 ? __builtin_mul_overflow(a, b, &r2) : bits == 32 ? __builtin_mul_overflow(a, b, &r4)
				: __builtin_mul_overflow(a, b, &r8);
			break;
		case '/':
			if (b == 0)
				break;
			if (b == -1)
				return int_reference('-', bits, 0, a, r);
			r8 = a / b;
			r2 = (int16_t) r8;
			r4 = (int32_t) r8;
			break;
	}
	*r = bits == 16 ? r2 : bits == 32 ? r4 : r8;
	return lost;
}

/* Return a random integer of `bits` bits. */
static int64_t
random_sized(int bits)
{
	int64_t		v = random_int64();

	return bits == 16 ? (int16_t) v : bits == 32 ? (int32_t) v : v;
}

static void
test_int(const char *name, CheckedInt function, char op, int bits)
{
	int			i;

	tap_begin(name);
	for (i = 0; i < TRIALS; i++)
	{
		int64_t		a = random_sized(bits);
		int64_t		b = random_sized(bits);
		int64_t		want;
		uint32_t	error = 0;
		uint32_t	lost = int_reference(op, bits, a, b, &want);
		int64_t		got = function(a, b, &error);

		tap_expect(error == lost && (lost || got == want), "%lld %c %lld = %lld, error %u",
				   (long long) a, op, (long long) b, (long long) got, error);
	}
	tap_end();
}

static void
test_integers(void)
{
	int			i;

	test_int("int2 addition", op_add_i2, '+', 16);
	test_int("int4 addition", op_add_i4, '+', 32);
	test_int("int8 addition", op_add_i8, '+', 64);
	test_int("int2 subtraction", op_sub_i2, '-', 16);
	test_int("int4 subtraction", op_sub_i4, '-', 32);
	test_int("int8 subtraction", op_sub_i8, '-', 64);
	test_int("int2 multiplication", op_mul_i2, '*', 16);
	test_int("int4 multiplication", op_mul_i4, '*', 32);
	test_int("int8 multiplication", op_mul_i8, '*', 64);
	test_int("int2 division", op_div_i2, '/', 16);
	test_int("int4 division", op_div_i4, '/', 32);
	test_int("int8 division", op_div_i8, '/', 64);

	tap_begin("remainders");
	tap_expect(op_mod_i(INT64_MIN, -1) == 0, "smallest %% -1");
	tap_expect(op_mod_i(7, 0) == 0, "7 %% 0");
	for (i = 0; i < TRIALS; i++)
	{
		int64_t		a = random_int64();
		int64_t		b = random_int64();

		if (b != 0 && b != -1)
			tap_expect(op_mod_i(a, b) == a % b, "%lld %% %lld", (long long) a, (long long) b);
	}
	tap_end();

	tap_begin("ranges of int2 and int4");
	for (i = 0; i < TRIALS; i++)
	{
		int64_t		v = random_int64();
		uint32_t	e2 = 0;
		uint32_t	e4 = 0;

		tap_expect(check_i2(v, &e2) == v && e2 == (v < -32768 || v > 32767), "%lld as int2", (long long) v);
		tap_expect(check_i4(v, &e4) == v && e4 == (v < -2147483647 - 1 || v > 2147483647), "%lld as int4", (long long) v);
	}
	tap_end();
}

static double
float8_result(char op, double a, double b)
{
	return op == '+' ? a + b : op == '-' ? a - b : op == '*' ? a * b : a / b;
}

static float
float4_result(char op, float a, float b)
{
	volatile float r = op == '+' ? a + b : op == '-' ? a - b : op == '*' ? a * b : a / b;

	return r;
}

/* Return true if src/include/utils/float.h raises an error, division by zero apart. */
static bool
float_reported(char op, double a, double b, double r)
{
	bool		overflow = isinf(r) && !isinf(a) && (op == '/' || !isinf(b));
	bool		underflow = r == 0 && a != 0 && (op == '*' ? b != 0 : op == '/' && !isinf(b));

	return overflow || underflow;
}

static void
test_float(const char *name, CheckedFloat function, char op, bool single)
{
	int			i;

	tap_begin(name);
	for (i = 0; i < TRIALS; i++)
	{
		double		a = random_double();
		double		b = random_double();
		double		want;
		double		got;
		uint32_t	error = 0;

		if (single)
		{
			/* every pattern of a float4, not only what doubles round to */
			uint32_t	bits[2] = {(uint32_t) random_u64(), (uint32_t) random_u64()};
			float		fa = (float) a;
			float		fb = (float) b;

			if (random_below(2))
				memcpy(&fa, &bits[0], sizeof(fa));
			if (random_below(2))
				memcpy(&fb, &bits[1], sizeof(fb));
			a = fa;
			b = fb;
			want = float4_result(op, fa, fb);
		}
		else
			want = float8_result(op, a, b);
		got = function(a, b, &error);
		tap_expect(same_double(got, want), "%a %c %a = %a", a, op, b, got);
		tap_expect(error == float_reported(op, a, b, want), "%a %c %a = %a, error %u", a, op, b, got, error);
	}
	tap_end();
}

static void
test_floats(void)
{
	test_float("float8 addition", op_add_f8, '+', false);
	test_float("float8 subtraction", op_sub_f8, '-', false);
	test_float("float8 multiplication", op_mul_f8, '*', false);
	test_float("float8 division", op_div_f8, '/', false);
	test_float("float4 addition", op_add_f4, '+', true);
	test_float("float4 subtraction", op_sub_f4, '-', true);
	test_float("float4 multiplication", op_mul_f4, '*', true);
	test_float("float4 division", op_div_f4, '/', true);
}

/* Compare floats in PostgreSQL's order: NaN is above all and equal to itself. */
static int
float_order(double a, double b)
{
	if (isnan(a) || isnan(b))
		return !!isnan(a) - !!isnan(b);
	return (a > b) - (a < b);
}

static void
test_comparisons(void)
{
	int			i;

	tap_begin("comparisons of integers");
	for (i = 0; i < TRIALS; i++)
	{
		int64_t		a = random_int64();
		int64_t		b = random_below(4) ? random_int64() : a;

		tap_expect(op_eq_i(a, b) == (a == b) && op_ne_i(a, b) == (a != b) && op_lt_i(a, b) == (a < b) &&
				   op_le_i(a, b) == (a <= b), "%lld and %lld", (long long) a, (long long) b);
	}
	tap_end();

	tap_begin("comparisons of floats: NaN equals NaN and is above all");
	for (i = 0; i < TRIALS; i++)
	{
		double		a = random_double();
		double		b = random_below(4) ? random_double() : a;
		int			order = float_order(a, b);

		tap_expect(op_eq_f(a, b) == (order == 0) && op_ne_f(a, b) == (order != 0) && op_lt_f(a, b) == (order < 0) &&
				   op_le_f(a, b) == (order <= 0), "%a and %a", a, b);
	}
	tap_end();

	tap_begin("comparisons of 128-bit integers");
	for (i = 0; i < TRIALS; i++)
	{
		Wide		a = random_wide();
		Wide		b = random_below(4) ? random_wide() : a;
		/* compared by sign and then by the unsigned words */
		uint64_t	wa[2];
		uint64_t	wb[2];
		int			order;

		wide_store(wa, a);
		wide_store(wb, b);
		order = wa[1] != wb[1] ? ((int64_t) wa[1] < (int64_t) wb[1] ? -1 : 1) : (wa[0] > wb[0]) - (wa[0] < wb[0]);
		tap_expect(op_eq_w(a, b) == (order == 0) && op_ne_w(a, b) == (order != 0) && op_lt_w(a, b) == (order < 0) &&
				   op_le_w(a, b) == (order <= 0), "%s and %s", wide_text(a), wide_text(b));
		tap_expect(wide_load(wa) == a && wide_fits_int64(a) == (a >= INT64_MIN && a <= INT64_MAX), "%s", wide_text(a));
	}
	tap_end();
}

static void
test_float_keys(void)
{
	int			i;

	tap_begin("float keys are in the order of floats, -0 below 0");
	tap_expect(op_float_key(-0.0) < op_float_key(0.0), "-0 and 0");
	tap_expect(op_float_key((double) NAN) == op_float_key(-(double) NAN), "NaN and -NaN");
	tap_expect(op_float_key((double) NAN) > op_float_key((double) INFINITY), "NaN and infinity");
	for (i = 0; i < TRIALS; i++)
	{
		double		a = random_double();
		double		b = random_double();
		int			order = float_order(a, b);
		int64_t		ka = op_float_key(a);
		int64_t		kb = op_float_key(b);

		if (order == 0 && !isnan(a))
			order = !!signbit(b) - !!signbit(a);
		tap_expect((ka > kb) - (ka < kb) == order, "%a and %a", a, b);
	}
	tap_end();

	tap_begin("a float key leads back to its float");
	for (i = 0; i < TRIALS; i++)
	{
		double		a = random_double();

		tap_expect(same_double(float_of_key(op_float_key(a)), a), "%a", a);
		tap_expect(op_neg_zero(a) == (a == 0 && signbit(a)), "%a as a negative zero", a);
	}
	tap_end();
}

/* Return a AND b, where 0 is false, 1 true, 2 NULL. */
static uint8_t
logic_and(int a, int b)
{
	return a == 0 || b == 0 ? 0 : a == 2 || b == 2 ? 2 : 1;
}

static uint8_t
logic_or(int a, int b)
{
	return a == 1 || b == 1 ? 1 : a == 2 || b == 2 ? 2 : 0;
}

static bool
logic_is(uint8_t value, uint8_t null, int want)
{
	return want == 2 ? null == 1 : null == 0 && value == want;
}

static void
test_logic(void)
{
	int			a;
	int			b;
	int			hidden;

	tap_begin("three-valued logic, whatever a NULL's value is");
	for (a = 0; a <= 2; a++)
		for (b = 0; b <= 2; b++)
			for (hidden = 0; hidden < 4; hidden++)
			{
				uint8_t		an = a == 2;
				uint8_t		bn = b == 2;
				uint8_t		av = (uint8_t) (an ? hidden & 1 : a);
				uint8_t		bv = (uint8_t) (bn ? hidden >> 1 : b);

				tap_expect(logic_is(and_value(av, an, bv, bn), and_null(av, an, bv, bn), logic_and(a, b)), "%d and %d", a, b);
				tap_expect(logic_is(or_value(av, an, bv, bn), or_null(av, an, bv, bn), logic_or(a, b)), "%d or %d", a, b);
				tap_expect(is_true(av, an) == (a == 1) && is_false(av, an) == (a == 0), "%d is true, is false", a);
			}
	tap_end();
}

static void
test_float_to_int(void)
{
	static const struct
	{
		double		v;
		int64_t		r;
		uint32_t	error;
	}			cases[] = {
		{0.5, 0, 0}, {1.5, 2, 0}, {2.5, 2, 0}, {-0.5, 0, 0}, {-1.5, -2, 0}, {-2.5, -2, 0}, {0.49999999999999994, 0, 0},
		{-0.0, 0, 0}, {4503599627370497.5, 4503599627370498, 0}, {9223372036854774784.0, 9223372036854774784, 0},
		{9223372036854775808.0, 0, 1}, {-9223372036854775808.0, INT64_MIN, 0}, {-9223372036854777856.0, 0, 1},
		{1e300, 0, 1}, {(double) INFINITY, 0, 1}, {-(double) INFINITY, 0, 1}, {(double) NAN, 0, 1}
	};
	size_t		i;

	tap_begin("floats to integers: half to even, and the range");
	for (i = 0; i < lengthof(cases); i++)
	{
		uint32_t	error = 0;
		int64_t		r = op_f_to_int(cases[i].v, &error);

		tap_expect(error == cases[i].error && (error || r == cases[i].r), "%a gives %lld, error %u", cases[i].v,
				   (long long) r, error);
	}
	for (i = 0; i < TRIALS; i++)
	{
		double		v = random_double();
		double		below = floor(v);
		uint32_t	error = 0;
		int64_t		r = op_f_to_int(v, &error);
		double		want = v - below > 0.5 || (v - below == 0.5 && fmod(below, 2) != 0) ? below + 1 : below;
		bool		fits = want >= -0x1p63 && want < 0x1p63;

		tap_expect(error == !fits && (!fits || r == (int64_t) want), "%a gives %lld, error %u", v, (long long) r, error);
	}
	tap_end();
}

static void
test_float_to_float4(void)
{
	int			i;

	tap_begin("float8 to float4: overflow and underflow");
	for (i = 0; i < TRIALS; i++)
	{
		double		v = random_below(2) ? random_double() : (random_double() * FLT_MIN);
		volatile float f = (float) v;
		uint32_t	error = 0;
		double		r = op_f8_to_f4(v, &error);

		tap_expect(same_double(r, f) && error == ((isinf(f) && !isinf(v)) || (f == 0 && v != 0)), "%a gives %a, error %u",
				   v, r, error);
	}
	tap_end();
}

static void
test_narrowing(void)
{
	int			i;

	tap_begin("128 bits to 64");
	for (i = 0; i < TRIALS; i++)
	{
		Wide		v = random_wide();
		uint32_t	error = 0;
		int64_t		r = op_narrow(v, &error);

		tap_expect(error == (v < INT64_MIN || v > INT64_MAX) && (error || r == v), "%s gives %lld, error %u",
				   wide_text(v), (long long) r, error);
	}
	tap_end();
}

/* Make the text that numeric_out() would make, and read it as float8in() does. */
static double
read_decimal(Wide v, int scale)
{
	char		text[128];
	char	   *p = text;
	const char *digits = wide_text(v < 0 ? -v : v);
	int			length = (int) strlen(digits);
	int			i;

	if (v < 0)
		*p++ = '-';
	if (length <= scale)
		*p++ = '0';
	for (i = 0; i < length - scale; i++)
		*p++ = digits[i];
	*p++ = '.';
	for (i = length; i < scale; i++)
		*p++ = '0';
	strcpy(p, digits + (length > scale ? length - scale : 0));
	return strtod(text, NULL);
}

static void
test_decimal_to_float(void)
{
	const Wide	exact = (Wide) 1 << 53;
	int			scale;
	int			i;

	tap_begin("decimal to float8 is what reading its text gives");
	for (scale = 0; scale <= 38; scale++)
		for (i = 0; i < 20000; i++)
		{
			Wide		v = i < 10 ? exact - 5 + i : i < 20 ? 15 - i - exact : random_below(3) ? random_int64() >> random_below(60)
				: random_wide() >> random_below(100);
			uint32_t	error = 0;
			double		got = op_dec_to_f8(v, scale, &error);

			if (v == (Wide) ((UWide) 1 << 127))
				continue;
			if (!error)
				tap_expect(same_double(got, read_decimal(v, scale)), "%s at scale %d gives %.17g", wide_text(v), scale, got);
			tap_expect(error == (v > exact || v < -exact || scale > 22), "%s at scale %d: error %u", wide_text(v), scale, error);
		}
	tap_end();
}

static void
test_narrow_rounding(void)
{
	int			digits;
	int			i;

	tap_begin("rounding of narrow decimals");
	for (digits = 0; digits <= 18; digits++)
		for (i = 0; i < 20000; i++)
		{
			int64_t		v = random_int64();
			/* 2 * |v| against odd multiples of the unit */
			UWide		twice = (UWide) (v < 0 ? 0 - (uint64_t) v : (uint64_t) v) * 2;
			UWide		unit = (UWide) pow10_int64(digits);
			int64_t		want = (int64_t) ((twice + unit) / (2 * unit));

			want = v < 0 ? (int64_t) (0 - (uint64_t) want) : want;
			tap_expect(op_round_d(v, digits) == (digits == 0 ? v : want), "%lld by %d digits", (long long) v, digits);
		}
	tap_end();
}

static void
test_dates(void)
{
	static const struct
	{
		int64_t		day;
		int64_t		ts;
	}			cases[] = {
		{0, 0}, {1, INT64_C(86400000000)}, {-1, -INT64_C(86400000000)}, {8400, INT64_C(725760000000000)},
		/* 4714-11-24 BC, the first date, and 294276-12-31, the last day of timestamps */
		{-2451545, -INT64_C(211813488000000000)}, {106751982, INT64_C(9223371244800000000)},
		{106751983, INT64_MAX - 1}, {2145031948, INT64_MAX - 1}, {INT32_MAX, INT64_MAX}, {INT32_MIN, INT64_MIN}
	};
	size_t		i;

	tap_begin("dates as timestamps");
	for (i = 0; i < lengthof(cases); i++)
		tap_expect(op_date_to_ts(cases[i].day) == cases[i].ts, "day %lld gives %lld", (long long) cases[i].day,
				   (long long) op_date_to_ts(cases[i].day));
	tap_end();

	tap_begin("the order of dates is that of their timestamps");
	for (i = 0; i < TRIALS; i++)
	{
		int64_t		a = (int64_t) random_below(110000000) - 2451545;
		int64_t		b = (int64_t) random_below(110000000) - 2451545;

		if (a > b)
			tap_expect(op_date_to_ts(a) > op_date_to_ts(b) || b >= DATE_BEYOND_TIMESTAMPS, "days %lld and %lld",
					   (long long) a, (long long) b);
		tap_expect(op_date_to_ts(a) < INT64_MAX && op_date_to_ts(a) > INT64_MIN, "day %lld", (long long) a);
	}
	tap_end();

	tap_begin("no integer traps");
	for (i = 0; i < TRIALS; i++)
	{
		int64_t		day = random_int64();

		tap_expect(op_date_to_ts(day) == op_date_to_ts(day), "day %lld", (long long) day);
	}
	tap_end();
}

int
main(void)
{
	test_integers();
	test_floats();
	test_comparisons();
	test_float_keys();
	test_logic();
	test_float_to_int();
	test_float_to_float4();
	test_narrowing();
	test_decimal_to_float();
	test_narrow_rounding();
	test_dates();
	return tap_done();
}

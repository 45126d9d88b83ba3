/*
 * lane_reference.h
 *		A scalar reference for every opcode that fills a register, lane by lane.
 */
#ifndef GPUDB_TEST_LANE_REFERENCE_H
#define GPUDB_TEST_LANE_REFERENCE_H

#include <float.h>

#include "core/vm/op_cast.h"
#include "core/vm/op_date.h"
#include "interpreters.h"
#include "tap.h"

#define LANE_TEXT 24
#define SET_SIZE 9

/* The value of a lane; the operand's kind determines the member that is used. */
typedef struct Lane
{
	uint8_t		null;
	uint8_t		hit;			/* true if the operation reports an error in this lane */
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
	int64_t		part[2];		/* first character and count */
	uint32_t	n;				/* rows */
	Lane		a[LARGE_TILE];
	Lane		b[LARGE_TILE];
	uint8_t		mask[LARGE_TILE];
	Lane		want[LARGE_TILE];
} Case;

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

/* Return 10^n, by multiplication. */
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

/* Return the greatest common divisor of two integers, by halving and subtracting (Stein 1967). */
static Wide
common_divisor(int64_t a, int64_t b)
{
	Wide		x = a < 0 ? -(Wide) a : a;
	Wide		y = b < 0 ? -(Wide) b : b;
	int			twos = 0;

	if (x == 0 || y == 0)
		return x + y;
	for (; (x & 1) == 0 && (y & 1) == 0; twos++)
	{
		x >>= 1;
		y >>= 1;
	}
	while (x != y)
	{
		if ((x & 1) == 0)
			x >>= 1;
		else if ((y & 1) == 0)
			y >>= 1;
		else if (x > y)
			x -= y;
		else
			y -= x;
	}
	return x << twos;
}

/* Number of dictionary codes that the program's table knows. */
#define CODES_IN_TABLE 10

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

/* Compute the weight and the first base-10000 digit of an integer from its decimal digits. */
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

/* Return the digits after the point that give a quotient of integers 16 significant ones. */
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

/* Compare texts byte by byte, as unsigned numbers. */
static int
compare_texts(const Lane *a, const Lane *b)
{
	uint32_t	i;

	for (i = 0; i < a->length && i < b->length; i++)
		if (a->text[i] != b->text[i])
			return a->text[i] < b->text[i] ? -1 : 1;
	return (a->length > b->length) - (a->length < b->length);
}

/* Store where each character begins, and the end, in `start`; return the number of characters. */
static int
characters_of(const Lane *a, bool utf8, uint32_t *start)
{
	uint32_t	at = 0;
	int			n = 0;

	while (at < a->length)
	{
		uint8_t		c = a->text[at];

		start[n++] = at;
		at += !utf8 || c < 0x80 ? 1 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : 4;
	}
	start[n] = a->length;
	return n;
}

/* Set d to the characters of a from number `first` on, `count` of them, or all but the last -count. */
static void
part_of(const Case *k, const Lane *a, Lane *d)
{
	uint32_t	start[LANE_TEXT + 1];
	int64_t		n = characters_of(a, k->c != 0, start);
	int64_t		first = k->part[0];
	int64_t		end = k->part[1] < 0 ? n + k->part[1] : first + k->part[1];
	int64_t		i;

	d->length = 0;
	for (i = 0; i < n; i++)
		if (i >= first && i < end)
		{
			memcpy(d->text + d->length, a->text + start[i], start[i + 1] - start[i]);
			d->length += start[i + 1] - start[i];
		}
}

static bool
reference_text(const Case *k, const Lane *a, const Lane *b, Lane *d)
{
	uint32_t	start[LANE_TEXT + 1];
	Lane		lower = *a;
	uint32_t	i;

	switch ((Opcode) k->op)
	{
		case VMOP_LT_T:
			d->i = compare_texts(a, b) < 0;
			return true;
		case VMOP_LE_T:
			d->i = compare_texts(a, b) <= 0;
			return true;
		case VMOP_ILIKE_T:
			for (i = 0; i < lower.length; i++)
				if (lower.text[i] >= 'A' && lower.text[i] <= 'Z')
					lower.text[i] |= 0x20;
			d->i = text_like(lower.text, lower.length, b->text, b->length, (LikeMode) {k->c != 0, false});
			return true;
		case VMOP_PACK_T:
			/* the bytes, zeros behind them, as a number to base 256, moved so that half of them are negative */
			for (d->w = 0, i = 0; i < 16; i++)
				d->w = (Wide) ((UWide) d->w * 256 + (i < a->length ? (uint8_t) a->text[i] : 0));
			d->w = (Wide) ((UWide) d->w - ((UWide) 1 << 127));
			d->hit = a->length > 16;
			return true;
		case VMOP_LENGTH_T:
			d->i = characters_of(a, k->c != 0, start);
			return true;
		case VMOP_PART_T:
			part_of(k, a, d);
			return true;
		default:
			return false;
	}
}

/* Return the largest integer at or below a double; from 2^52 on every double is an integer. */
static double
whole_below(double v)
{
	double		r;

	if (!(v > -0x1p52 && v < 0x1p52))
		return v;
	r = (double) (int64_t) v;
	return copysign(r > v ? r - 1 : r, v);
}

static double
half_to_even(double v)
{
	double		below = whole_below(v);
	double		rest = v - below;

	if (!(v > -0x1p52 && v < 0x1p52))
		return v;
	return copysign(rest > 0.5 || (rest == 0.5 && (int64_t) below % 2 != 0) ? below + 1 : below, v);
}

static bool
reference_math(const Case *k, const Lane *a, const Lane *b, Lane *d)
{
	switch ((Opcode) k->op)
	{
		case VMOP_ABS_F:
			d->f = signbit(a->f) ? -a->f : a->f;
			return true;
		case VMOP_CEIL_F:
			d->f = -whole_below(-a->f);
			return true;
		case VMOP_FLOOR_F:
			d->f = whole_below(a->f);
			return true;
		case VMOP_TRUNC_F:
			d->f = copysign(whole_below(a->f < 0 ? -a->f : a->f), a->f);
			return true;
		case VMOP_ROUND_F:
			d->f = half_to_even(a->f);
			return true;
		case VMOP_SQRT_F:
			d->hit = a->f < 0;
			d->f = sqrt(d->hit ? 0 : a->f);
			return true;
		case VMOP_EXP_F:
			/* too large, or below the normal numbers */
			d->f = exp(a->f);
			d->hit = isfinite(a->f) && (isinf(d->f) || d->f < DBL_MIN);
			return true;
		case VMOP_LN_F:
			d->hit = a->f <= 0;
			d->f = d->hit ? 0 : log(a->f);
			return true;
		case VMOP_LOG10_F:
			d->hit = a->f <= 0;
			d->f = d->hit ? 0 : log10(a->f);
			return true;
		case VMOP_POW_F:
			d->f = pow(a->f, b->f);
			d->hit = !isfinite(a->f) || !isfinite(b->f) || !isfinite(d->f) || (a->f != 0 && fabs(d->f) < DBL_MIN);
			return true;
		default:
			return false;
	}
}

static Wide
divide_down(Wide a, Wide unit)
{
	Wide		q = a / unit;

	return q * unit > a ? q - 1 : q;
}

static bool
reference_scaled(const Case *k, const Lane *a, const Lane *b, Lane *d)
{
	switch ((Opcode) k->op)
	{
		case VMOP_TRUNC_D:
			d->i = (int64_t) (a->i / tens(k->imm));
			return true;
		case VMOP_FLOOR_D:
			d->i = (int64_t) divide_down(a->i, tens(k->imm));
			return true;
		case VMOP_TRUNC_W:
			d->w = a->w / tens(k->imm);
			return true;
		case VMOP_FLOOR_W:
			d->w = divide_down(a->w, tens(k->imm));
			return true;
		case VMOP_MOD_D:
			d->hit = b->i == 0;
			d->i = d->hit ? 0 : (int64_t) ((Wide) a->i % b->i);
			return true;
		case VMOP_MOD_W:
			d->hit = b->w == 0;
			d->w = d->hit || b->w == -1 ? 0 : a->w % b->w;
			return true;
		default:
			return false;
	}
}

#define JULIAN_2000 2451545

/* Convert a Julian day to a date by PostgreSQL's own rule, j2date() in datetime.c. */
static void
julian_to_civil(uint32_t julian, int64_t *year, int *month, int *day)
{
	uint32_t	quad;
	uint32_t	extra;
	uint32_t	y;

	julian += 32044;
	quad = julian / 146097;
	extra = (julian - quad * 146097) * 4 + 3;
	julian += 60 + quad * 3 + extra / 146097;
	quad = julian / 1461;
	julian -= quad * 1461;
	y = julian * 4 / 1461;
	julian = (y != 0 ? (julian + 305) % 365 : (julian + 306) % 366) + 123;
	*year = (int64_t) y + (int64_t) quad * 4 - 4800;
	quad = julian * 2141 / 65536;
	*day = (int) (julian - 7834 * quad / 256);
	*month = (int) ((quad + 10) % 12) + 1;
}

static int64_t
part_of_day(int64_t date, int field)
{
	static const int before[] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334};
	int64_t		year;
	int			month;
	int			day;
	bool		leap;

	julian_to_civil((uint32_t) (date + JULIAN_2000), &year, &month, &day);
	leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
	switch ((DateField) field)
	{
		case FIELD_YEAR:
			return year > 0 ? year : year - 1;
		case FIELD_QUARTER:
			return month < 4 ? 1 : month < 7 ? 2 : month < 10 ? 3 : 4;
		case FIELD_MONTH:
			return month;
		case FIELD_DAY:
			return day;
		case FIELD_DOW:
			/* the first Julian day was a Monday */
			return (date + JULIAN_2000 + 1) % 7;
		case FIELD_ISODOW:
			return (date + JULIAN_2000) % 7 + 1;
		case FIELD_DOY:
			return before[month - 1] + day + (leap && month > 2);
		default:
			return 0;
	}
}

static bool
reference_date(const Case *k, const Lane *a, const Lane *b, Lane *d)
{
	const Wide	usecs = (Wide) 86400 * 1000000;
	const Wide	day = a->i == INT64_MAX ? INT32_MAX : a->i == INT64_MIN ? INT32_MIN : divide_down(a->i, usecs);
	const Wide	time = a->i - divide_down(a->i, usecs) * usecs;
	bool		infinite = a->i == INT32_MAX || a->i == INT32_MIN;

	switch ((Opcode) k->op)
	{
		case VMOP_DATE_AS_TS:
			d->hit = a->i != INT32_MAX && a->i >= 106751983;
			d->i = a->i == INT32_MAX ? INT64_MAX : a->i == INT32_MIN ? INT64_MIN : d->hit ? 0 : (int64_t) (a->i * usecs);
			return true;
		case VMOP_TS_TO_DATE:
			d->i = (int64_t) day;
			return true;
		case VMOP_ADD_DATE:
			d->i = infinite ? a->i : a->i + b->i;
			d->hit = !infinite && (d->i < -JULIAN_2000 || d->i >= INT64_C(2147483494) - JULIAN_2000);
			return true;
		case VMOP_SUB_DATE:
			d->hit = infinite || b->i == INT32_MAX || b->i == INT32_MIN;
			d->i = a->i - b->i;
			return true;
		case VMOP_PART_DATE:
			d->hit = infinite;
			d->i = infinite ? 0 : part_of_day(a->i, k->imm);
			return true;
		case VMOP_PART_TIME:
			d->hit = a->i == INT64_MAX || a->i == INT64_MIN;
			d->i = (int64_t) (k->imm == FIELD_HOUR ? time / 1000000 / 3600 : k->imm == FIELD_MINUTE ? time / 1000000 / 60 % 60
							  : k->imm == FIELD_SECOND_USECS ? time % 60000000
							  : k->imm == FIELD_HOUR_OF_TIME ? a->i / INT64_C(3600000000) : 0);
			return true;
		default:
			return false;
	}
}

/* Compute the result for operands that are not NULL. */
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
			d->i = text_like(a->text, a->length, b->text, b->length, (LikeMode) {k->c != 0, false});
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
		case VMOP_TEST_CODE:
			/* code % 4 is 0 for false, 1 for true, else unknown */
			d->hit = a->i < 0 || a->i >= CODES_IN_TABLE || a->i % 4 > 1;
			d->i = a->i % 4 == 1;
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
		case VMOP_GCD_I4:
			int_result(d, common_divisor(a->i, b->i), INT32_MIN, INT32_MAX);
			break;
		case VMOP_GCD_I8:
			int_result(d, common_divisor(a->i, b->i), INT64_MIN, INT64_MAX);
			break;
		case VMOP_BITAND_I:
			d->i = a->i & b->i;
			break;
		case VMOP_BITOR_I:
			/* a + b counts the common bits twice */
			d->i = (int64_t) ((uint64_t) a->i + (uint64_t) b->i - (uint64_t) (a->i & b->i));
			break;
		case VMOP_BITXOR_I:
			d->i = (int64_t) ((uint64_t) a->i + (uint64_t) b->i - 2 * (uint64_t) (a->i & b->i));
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
		case VMOP_FLOAT_WORD:
			/* the bits, inverted below the sign if negative; zeros are equal, and NaN is the largest */
			d->i = isnan(a->f) ? INT64_MAX : 0;
			if (!isnan(a->f) && a->f != 0)
				memcpy(&d->i, &a->f, sizeof(d->i));
			if (d->i < 0)
				d->i = -1 - (d->i & INT64_MAX);
			break;
		case VMOP_NEG_ZERO:
			d->i = a->f == 0 && signbit(a->f);
			break;
		case VMOP_NO_NEG_ZERO:
			d->hit = a->f == 0 && signbit(a->f);
			d->f = a->f;
			break;
		default:
			if (!reference_text(k, a, b, d) && !reference_math(k, a, b, d) && !reference_scaled(k, a, b, d) &&
				!reference_date(k, a, b, d))
				d->null = 77;	/* no reference: the comparison fails */
			break;
	}
}

/* Compute the result of a lane, with NULLs and masks by the shape of the operation. */
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

#endif							/* GPUDB_TEST_LANE_REFERENCE_H */

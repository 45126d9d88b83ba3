/*
 * exact_value.c
 *		Rounding of a long accumulator's value, divided by a count, to the nearest float.
 */
#include "core/vm/op_arith.h"
#include "core/vm/op_exact.h"
#include "core/numeric/wide_types.h"

/* The largest float4. */
#define LARGEST_SINGLE	0x1.fffffep127

/* Negate a number whose carries have been propagated. */
static void
negate(uint64_t *digits)
{
	for (int d = 0; d < EXACT_DIGITS; d++)
		digits[d] = -digits[d];
	exact_carry(digits);
}

/* Divide a nonnegative number by n; returns the remainder. */
static uint64_t
divide(uint64_t *digits, uint64_t n)
{
	UWide	rest = 0;

	for (int d = EXACT_DIGITS - 1; d >= 0; d--)
	{
		rest = rest << 32 | digits[d];
		digits[d] = (uint64_t) (rest / n);
		rest %= n;
	}
	return (uint64_t) rest;
}

/* Return the number of the highest set bit; -1 if there is none. */
static int
highest_bit(const uint64_t *digits)
{
	for (int d = EXACT_DIGITS - 1; d >= 0; d--)
		if (digits[d] != 0)
			return 32 * d + 63 - __builtin_clzll(digits[d]);
	return -1;
}

static int
bit_at(const uint64_t *digits, int place)
{
	return (int) (digits[place / 32] >> (place % 32) & 1);
}

/* Return true if a bit below a place is set. */
static bool
any_below(const uint64_t *digits, int place)
{
	for (int d = 0; d < place / 32; d++)
		if (digits[d] != 0)
			return true;
	return (digits[place / 32] & (((uint64_t) 1 << place % 32) - 1)) != 0;
}

/* Return the bits from a place up to the highest one. */
static uint64_t
bits_from(const uint64_t *digits, int place, int highest)
{
	uint64_t	bits = 0;

	for (int p = highest; p >= place; p--)
		bits = bits << 1 | (uint64_t) bit_at(digits, p);
	return bits;
}

/*
 * Return true if a number cut off below `place` is to be rounded up, half to even.  `rest` is the
 * remainder of the division by n that produced the digits, and `odd` tells whether the retained
 * part is odd.
 */
static bool
rounds_up(const uint64_t *digits, int place, uint64_t rest, uint64_t n, bool odd)
{
	if (place == 0)
		return (UWide) 2 * rest > n || ((UWide) 2 * rest == n && odd);
	return bit_at(digits, place - 1) && (odd || rest != 0 || any_below(digits, place - 1));
}

/* Return mantissa * 2^(place - 1074), for a mantissa of at most 2^53; infinite beyond the largest double. */
static double
scaled(uint64_t mantissa, int place)
{
	/* here 2^(place - 1074) is subnormal: combine place and mantissa, whose bit 52 counts as exponent, directly */
	if (place < 52)
		return float_of_bits(((uint64_t) place << 52) + mantissa);
	return (double) mantissa * float_of_bits((uint64_t) (place - 51) << 52);
}

DeviceStatus
exact_value(const uint64_t *state, uint64_t n, ExactForm form, double *value)
{
	const uint64_t seen = state[EXACT_SEEN];
	const bool	both = (seen & EXACT_SAW_PLUS_INF) && (seen & EXACT_SAW_MINUS_INF);
	uint64_t	digits[EXACT_WORDS];
	bool		negative;
	uint64_t	rest;
	uint64_t	mantissa;
	int			highest;
	int			place;

	if ((seen & EXACT_SAW_NAN) || both)
		*value = (double) NAN;
	else if (seen & EXACT_SAW_PLUS_INF)
		*value = (double) INFINITY;
	else if (seen & EXACT_SAW_MINUS_INF)
		*value = -(double) INFINITY;
	if (seen & (EXACT_SAW_NAN | EXACT_SAW_PLUS_INF | EXACT_SAW_MINUS_INF))
		return STATUS_DONE;
	for (int w = 0; w < EXACT_WORDS; w++)
		digits[w] = state[w];
	exact_carry(digits);
	negative = (int64_t) digits[EXACT_DIGITS - 1] < 0;
	if (negative)
		negate(digits);
	rest = divide(digits, n);
	highest = highest_bit(digits);
	if (highest < 0 && rest == 0)
	{
		*value = seen & EXACT_SAW_VALUE ? 0.0 : -0.0;
		return STATUS_DONE;
	}
	place = highest - (form.bits - 1) > form.least ? highest - (form.bits - 1) : form.least;
	mantissa = bits_from(digits, place, highest);
	if (rounds_up(digits, place, rest, n, mantissa & 1))
		mantissa++;
	*value = scaled(mantissa, place);
	if (is_inf(*value) || (form.bits == EXACT_SINGLE.bits && *value > LARGEST_SINGLE))
		return STATUS_FLOAT_TOTAL;
	if (negative)
		*value = -*value;
	return STATUS_DONE;
}

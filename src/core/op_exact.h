/*
 * op_exact.h
 *		Sums of floats without any rounding but the last one.
 *
 * All doubles are multiples of 2^-1074 by integers of at most 2,098 bits, so
 * their sum is one, too, whatever the order (Kulisch 1971, the "long
 * accumulator").  Its digits have 32 bits each and stand in words of 64, so that
 * a value is added to three of them and carries wait (Neal 2015, "Fast exact
 * summation using small and large superaccumulators").  Two sums are added word
 * by word.  The result is the sum, or the average, rounded once, to nearest.
 */
#ifndef GPUDB_CORE_OP_EXACT_H
#define GPUDB_CORE_OP_EXACT_H

#include "core/status.h"
#include "core/target.h"

/* Digits of the sum: of the largest doubles, and of 2^64 of them. */
#define EXACT_DIGITS	68

/* The words of a state: the digits, the least one first; additions since the last carry; what was seen. */
#define EXACT_ADDED		EXACT_DIGITS
#define EXACT_SEEN		(EXACT_DIGITS + 1)
#define EXACT_WORDS		(EXACT_DIGITS + 2)

/* After so many additions carries must move on: a digit's word has room for twice as many. */
#define EXACT_CARRY_AFTER	((uint64_t) 1 << 30)

#define EXACT_SAW_NAN		1
#define EXACT_SAW_PLUS_INF	2
#define EXACT_SAW_MINUS_INF 4
#define EXACT_SAW_VALUE		8	/* anything but -0, which sums of nothing else are */

/* Have all digits but the last one, which has the sign, be from 0 to 2^32 - 1.  Words stand `stride` apart. */
CORE_FN void
exact_carry_strided(uint64_t *state, uint32_t stride)
{
	int64_t		carry = 0;

	for (int d = 0; d < EXACT_DIGITS - 1; d++)
	{
		const int64_t digit = (int64_t) state[d * stride] + carry;

		state[d * stride] = (uint64_t) digit & 0xffffffff;
		carry = digit >> 32;
	}
	state[(EXACT_DIGITS - 1) * stride] += (uint64_t) carry;
	state[EXACT_ADDED * stride] = 0;
}

CORE_FN void
exact_carry(uint64_t *state)
{
	exact_carry_strided(state, 1);
}

CORE_FN void
exact_add_strided(uint64_t *state, uint32_t stride, double v)
{
	const uint64_t bits = bits_of_float(v);
	const uint32_t exponent = (uint32_t) (bits >> 52) & 2047;
	const uint64_t mantissa = (bits & (((uint64_t) 1 << 52) - 1)) | (uint64_t) (exponent > 0) << 52;
	const uint32_t place = exponent > 0 ? exponent - 1 : 0;
	uint64_t   *digit = state + place / 32 * stride;
	const uint32_t shift = place % 32;
	const uint64_t low = mantissa << shift;
	/* two shifts: one by 64 would be undefined */
	const uint64_t high = mantissa >> 1 >> (63 - shift);
	/* adds what it is, or with its sign changed */
	const uint64_t sign = -(bits >> 63);

	if (core_unlikely(exponent == 2047))
	{
		state[EXACT_SEEN * stride] |= v != v ? EXACT_SAW_NAN : v > 0 ? EXACT_SAW_PLUS_INF : EXACT_SAW_MINUS_INF;
		return;
	}
	digit[0] += ((low & 0xffffffff) ^ sign) - sign;
	digit[stride] += ((low >> 32) ^ sign) - sign;
	digit[2 * stride] += (high ^ sign) - sign;
	state[EXACT_SEEN * stride] |= bits != (uint64_t) 1 << 63 ? EXACT_SAW_VALUE : 0;
	if (core_unlikely(++state[EXACT_ADDED * stride] >= EXACT_CARRY_AFTER))
		exact_carry_strided(state, stride);
}

CORE_FN void
exact_add(uint64_t *state, double v)
{
	exact_add_strided(state, 1, v);
}

CORE_FN void
exact_merge(uint64_t *into, const uint64_t *from)
{
	/* neither has waited for longer than that */
	exact_carry(into);
	for (int d = 0; d < EXACT_DIGITS; d++)
		into[d] += from[d];
	into[EXACT_ADDED] += from[EXACT_ADDED];
	into[EXACT_SEEN] |= from[EXACT_SEEN];
}

/* What results are rounded to: so many bits, of which none is worth less than 2^least / 2^1074. */
typedef struct ExactForm
{
	int			bits;
	int			least;
} ExactForm;

#define EXACT_DOUBLE	((ExactForm) {53, 0})
#define EXACT_SINGLE	((ExactForm) {24, 1074 - 149})

/*
 * The sum divided by n, rounded to nearest, ties to even.  DONE, or FLOAT_TOTAL
 * if it is beyond the largest number of that form.
 */
CORE_API DeviceStatus exact_value(const uint64_t *state, uint64_t n, ExactForm form, double *value);

#endif							/* GPUDB_CORE_OP_EXACT_H */

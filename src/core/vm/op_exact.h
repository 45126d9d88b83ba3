/*
 * op_exact.h
 *		Sums of floats without any rounding except the last one.
 *
 * All doubles are multiples of 2^-1074 by integers of at most 2,098 bits, and so is their sum,
 * whatever the order (Kulisch 1971, the "long accumulator").  Its digits have 32 bits each and are
 * stored in words of 64, so that a value is added to three of them and carries are deferred (Neal
 * 2015, "Fast exact summation using small and large superaccumulators").  Two sums are added word
 * by word.  The result is the sum, or the average, rounded once, to nearest.
 */
#ifndef GPUDB_CORE_VM_OP_EXACT_H
#define GPUDB_CORE_VM_OP_EXACT_H

#include "core/status.h"
#include "core/target.h"

/* Number of digits of the sum: enough for 2^64 of the largest doubles. */
#define EXACT_DIGITS	68

/* Words of a state: the digits, least significant first; number of additions since the last carry; EXACT_SAW_ flags. */
#define EXACT_ADDED		EXACT_DIGITS
#define EXACT_SEEN		(EXACT_DIGITS + 1)
#define EXACT_WORDS		(EXACT_DIGITS + 2)

/* Number of additions after which carries are propagated: a digit's word has room for twice as many. */
#define EXACT_CARRY_AFTER	((uint64_t) 1 << 30)

#define EXACT_SAW_NAN		1
#define EXACT_SAW_PLUS_INF	2
#define EXACT_SAW_MINUS_INF 4
#define EXACT_SAW_VALUE		8	/* a value other than -0; a sum of -0 alone is -0 */

/*
 * Propagate carries: afterwards all digits except the last one, which has the sign, are from 0 to
 * 2^32 - 1.  Words of the state are `stride` apart.
 */
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
	/* two shifts, since one by 64 would be undefined */
	const uint64_t high = mantissa >> 1 >> (63 - shift);
	/* all ones for a negative value */
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
	/* `from` has at most EXACT_CARRY_AFTER additions since its last carry */
	exact_carry(into);
	for (int d = 0; d < EXACT_DIGITS; d++)
		into[d] += from[d];
	into[EXACT_ADDED] += from[EXACT_ADDED];
	into[EXACT_SEEN] |= from[EXACT_SEEN];
}

/* Format of results: number of significant bits, none of which is worth less than 2^(least - 1074). */
typedef struct ExactForm
{
	int			bits;
	int			least;
} ExactForm;

#define EXACT_DOUBLE	((ExactForm) {53, 0})
#define EXACT_SINGLE	((ExactForm) {24, 1074 - 149})

/*
 * Compute the sum divided by n, rounded to nearest, ties to even.  Returns DONE, or FLOAT_TOTAL if
 * it is beyond the largest number of the form.
 */
CORE_API DeviceStatus exact_value(const uint64_t *state, uint64_t n, ExactForm form, double *value);

#endif							/* GPUDB_CORE_VM_OP_EXACT_H */

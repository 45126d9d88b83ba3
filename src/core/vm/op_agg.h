/*
 * op_agg.h
 *		States of aggregates: initialization, addition of a value, and merging.
 *
 * Integer and decimal sums are exact in 128 bits.  Sums of floats accumulate the rounding error of
 * each addition in a compensation (Knuth's TwoSum; Neumaier 1974), so the total of n values is off
 * by about two units in the last place of sum(|x|), whatever the order.  Values that are not finite
 * are only flagged: they determine the result by themselves.
 */
#ifndef GPUDB_CORE_VM_OP_AGG_H
#define GPUDB_CORE_VM_OP_AGG_H

#include "core/numeric/decimal.h"
#include "core/vm/op_arith.h"
#include "core/vm/op_exact.h"
#include "core/vm/op_select.h"
#include "core/vm/op_text.h"
#include "core/vm/program.h"
#include "core/target.h"

#define FLOAT_SAW_NAN		1
#define FLOAT_SAW_PLUS_INF	2
#define FLOAT_SAW_MINUS_INF	4
#define FLOAT_SAW_HUGE		8	/* |x| > 2^480: squares might overflow, as avg's do in PostgreSQL */

CORE_FN uint64_t
float_flags(double v)
{
	return (uint64_t) ((v != v) * FLOAT_SAW_NAN
					   | (v == (double) INFINITY) * FLOAT_SAW_PLUS_INF
					   | (v == -(double) INFINITY) * FLOAT_SAW_MINUS_INF
					   | ((fabs(v) > 0x1p480) & (fabs(v) < (double) INFINITY)) * FLOAT_SAW_HUGE);
}

/* Return the rounding error of total + v. */
CORE_FN double
float_sum_error(double total, double v)
{
	double		sum = total + v;
	double		part = sum - total;

	return (total - (sum - part)) + (v - part);
}

/* Add v to the total in word 0 and its rounding error to the compensation in word 1. */
CORE_FN void
float_total_add(uint64_t *state, double v)
{
	double		total = float_of_bits(state[0]);

	state[0] = bits_of_float(total + v);
	state[1] = bits_of_float(float_of_bits(state[1]) + float_sum_error(total, v));
}

/* Add a total with its compensation to another one. */
CORE_FN void
float_total_merge(uint64_t *into, const uint64_t *from)
{
	float_total_add(into, float_of_bits(from[0]));
	/* adding a compensation of 0 would turn a total of -0 into 0 */
	if (float_of_bits(from[1]) != 0)
		float_total_add(into, float_of_bits(from[1]));
}

/*
 * Compute a * b exactly as the sum of two doubles (Dekker 1971); valid unless something overflows,
 * which FLOAT_SAW_HUGE tells.
 */
CORE_FN void
float_product(double a, double b, double *product, double *rest)
{
	const double split = 134217729.0;	/* 2^27 + 1 */
	double		a_high = split * a - (split * a - a);
	double		b_high = split * b - (split * b - b);
	double		a_low = a - a_high;
	double		b_low = b - b_high;

	*product = a * b;
	*rest = ((a_high * b_high - *product) + a_high * b_low + a_low * b_high) + a_low * b_low;
}

/* Add v * v to a total of squares and the rounding error to its compensation. */
CORE_FN void
float_square_add(uint64_t *state, double v)
{
	double		square;
	double		rest;

	/* values that are not finite, or too large, are flagged by the plain sum */
	if (!(fabs(v) <= 0x1p480))
		return;
	float_product(v, v, &square, &rest);
	float_total_add(state, square);
	state[1] = bits_of_float(float_of_bits(state[1]) + rest);
}

/* Merge a value and its companion into a minimum or maximum; equal values with different companions set word 4. */
CORE_FN void
by_merge(bool least, uint64_t *into, Wide value, Wide companion, uint64_t differ)
{
	Wide		best = wide_load(into);

	if (least ? value < best : value > best)
	{
		wide_store(into, value);
		wide_store(into + 2, companion);
		into[4] = differ;
	}
	else if (value == best)
		into[4] |= differ | (wide_load(into + 2) != companion);
}

/* Word 1 of a text state without a text. */
#define TEXT_STATE_NONE UINT64_MAX

/* Return the room reserved for a text of some length, so that a longer text may replace it. */
CORE_FN uint64_t
text_state_room(uint64_t length)
{
	uint64_t	room = 16;

	while (room < length)
		room *= 2;
	return room;
}

/* Return true if a text would replace a state's text in `heap`. */
CORE_FN bool
text_state_beaten(const uint64_t *state, const uint8_t *heap, bool least, const uint8_t *bytes, uint32_t length)
{
	int			order;

	if (state[1] == TEXT_STATE_NONE)
		return true;
	order = text_compare(bytes, length, heap + state[0], (uint32_t) state[1]);
	return least ? order < 0 : order > 0;
}

/* Return true if a text fits the room that a state already has. */
CORE_FN bool
text_state_fits(const uint64_t *state, uint32_t length)
{
	return state[1] != TEXT_STATE_NONE && length <= state[1] >> 32;
}

CORE_FN uint32_t
state_words(StateKind kind)
{
	switch (kind)
	{
		case STATE_COUNT:
		case STATE_MIN_I:
		case STATE_MAX_I:
		case STATE_ALL_BITS:
		case STATE_ANY_BITS:
		case STATE_ODD_BITS:
			return 1;
		case STATE_SUM:
		case STATE_MIN_W:
		case STATE_MAX_W:
		case STATE_SUM_SQ:
		case STATE_MIN_T:
		case STATE_MAX_T:
			return 2;
		case STATE_SUM_F:
			return 3;
		case STATE_MIN_BY:
		case STATE_MAX_BY:
			return 5;
		case STATE_BINS:
		case STATE_VALUES:
			return SELECT_WORDS;
		case STATE_EXACT:
			return EXACT_WORDS;
	}
	return 0;
}

/*
 * Return true if several threads can update a state, each word by atomic operations.  A sum of
 * floats can be updated so, too, since an atomic addition returns the previous total and thereby
 * its rounding error.
 */
CORE_FN bool
state_is_atomic(StateKind kind)
{
	switch (kind)
	{
		case STATE_COUNT:
		case STATE_SUM:
		case STATE_SUM_F:
		case STATE_SUM_SQ:
		case STATE_MIN_I:
		case STATE_MAX_I:
		case STATE_ALL_BITS:
		case STATE_ANY_BITS:
		case STATE_ODD_BITS:
			return true;
		default:
			return false;
	}
}

CORE_FN void
state_init(StateKind kind, uint64_t *state)
{
	switch (kind)
	{
		case STATE_COUNT:
		case STATE_ANY_BITS:
		case STATE_ODD_BITS:
			state[0] = 0;
			break;
		case STATE_ALL_BITS:
			state[0] = UINT64_MAX;
			break;
		case STATE_MIN_I:
			state[0] = (uint64_t) INT64_MAX;
			break;
		case STATE_MAX_I:
			state[0] = (uint64_t) INT64_MIN;
			break;
		case STATE_SUM:
			wide_store(state, 0);
			break;
		case STATE_MIN_W:
			wide_store(state, WIDE_MAX);
			break;
		case STATE_MAX_W:
			wide_store(state, WIDE_MIN);
			break;
		case STATE_MIN_BY:
		case STATE_MAX_BY:
			wide_store(state, kind == STATE_MIN_BY ? WIDE_MAX : WIDE_MIN);
			wide_store(state + 2, 0);
			state[4] = 0;
			break;
		case STATE_MIN_T:
		case STATE_MAX_T:
			state[0] = 0;
			state[1] = TEXT_STATE_NONE;
			break;
		case STATE_SUM_SQ:
			state[0] = state[1] = 0;
			break;
		case STATE_SUM_F:
			/* no value yet: adding to -0 leaves a value unchanged */
			state[0] = state[1] = bits_of_float(-0.0);
			state[2] = 0;
			break;
		case STATE_BINS:
		case STATE_VALUES:
			for (uint32_t w = 0; w < SELECT_WORDS; w++)
				state[w] = 0;
			break;
		case STATE_EXACT:
			for (uint32_t w = 0; w < EXACT_WORDS; w++)
				state[w] = 0;
			break;
	}
}

/* Return true if a state stores bytes in the table's heap. */
CORE_FN bool
state_is_text(StateKind kind)
{
	return kind == STATE_MIN_T || kind == STATE_MAX_T;
}

/* Merge a state other than a text into another one; sets *error on overflow of a 128-bit sum. */
CORE_FN void
state_merge(StateKind kind, uint64_t *into, const uint64_t *from, uint32_t *error)
{
	switch (kind)
	{
		case STATE_COUNT:
			into[0] += from[0];
			break;
		case STATE_MIN_I:
			if ((int64_t) from[0] < (int64_t) into[0])
				into[0] = from[0];
			break;
		case STATE_MAX_I:
			if ((int64_t) from[0] > (int64_t) into[0])
				into[0] = from[0];
			break;
		case STATE_SUM:
			wide_store(into, wide_add(wide_load(into), wide_load(from), error));
			break;
		case STATE_MIN_W:
			if (wide_load(from) < wide_load(into))
				wide_store(into, wide_load(from));
			break;
		case STATE_MAX_W:
			if (wide_load(from) > wide_load(into))
				wide_store(into, wide_load(from));
			break;
		case STATE_SUM_F:
			float_total_merge(into, from);
			into[2] |= from[2];
			break;
		case STATE_SUM_SQ:
			float_total_merge(into, from);
			break;
		case STATE_ALL_BITS:
			into[0] &= from[0];
			break;
		case STATE_ANY_BITS:
			into[0] |= from[0];
			break;
		case STATE_ODD_BITS:
			into[0] ^= from[0];
			break;
		case STATE_MIN_BY:
		case STATE_MAX_BY:
			by_merge(kind == STATE_MIN_BY, into, wide_load(from), wide_load(from + 2), from[4]);
			break;
		case STATE_BINS:
			for (uint32_t w = 0; w < SELECT_WORDS; w++)
				into[w] += from[w];
			break;
		case STATE_VALUES:
			select_merge_values(into, from);
			break;
		case STATE_EXACT:
			exact_merge(into, from);
			break;
		case STATE_MIN_T:
		case STATE_MAX_T:
			break;
	}
}

/*
 * Compute the total of a float state.  Returns DONE, or FLOAT_TOTAL when it left the range of
 * doubles although every input was finite.
 */
CORE_FN DeviceStatus
float_total_value(const uint64_t *state, double *value)
{
	uint64_t	flags = state[2];
	bool		both = (flags & FLOAT_SAW_PLUS_INF) && (flags & FLOAT_SAW_MINUS_INF);

	if ((flags & FLOAT_SAW_NAN) || both)
		*value = (double) NAN;
	else if (flags & FLOAT_SAW_PLUS_INF)
		*value = (double) INFINITY;
	else if (flags & FLOAT_SAW_MINUS_INF)
		*value = -(double) INFINITY;
	else
	{
		double		compensation = float_of_bits(state[1]);

		*value = float_of_bits(state[0]);
		if (compensation != 0)
			*value += compensation;
		if (*value != *value || is_inf(*value))
			return STATUS_FLOAT_TOTAL;
	}
	return STATUS_DONE;
}

/*
 * Return the sum of squared deviations, sum(x^2) - sum(x)^2 / n, computed with twice the digits of
 * a double; what remains after cancellation is either right or 0.
 */
CORE_FN double
float_deviations(const uint64_t *sum, const uint64_t *squares, int64_t n)
{
	double		s = float_of_bits(sum[0]) + float_of_bits(sum[1]);
	double		s_rest = (float_of_bits(sum[0]) - s) + float_of_bits(sum[1]);
	double		q = float_of_bits(squares[0]) + float_of_bits(squares[1]);
	double		q_rest = (float_of_bits(squares[0]) - q) + float_of_bits(squares[1]);
	double		product;
	double		rest;
	double		quotient;
	double		back;
	double		back_rest;
	double		deviations;

	/* s^2 / n in two parts */
	float_product(s, s, &product, &rest);
	rest += 2 * s * s_rest;
	quotient = product / (double) n;
	float_product(quotient, (double) n, &back, &back_rest);
	rest = ((product - back) - back_rest + rest) / (double) n;
	deviations = (q - quotient) + (q_rest - rest);
	/* about 100 bits are reliable; equal inputs must give 0 */
	return deviations > q * 0x1p-90 ? deviations : 0;
}

#endif							/* GPUDB_CORE_VM_OP_AGG_H */

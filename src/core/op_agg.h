/*
 * op_agg.h
 *		States of aggregates: how they start, take a value, and merge.
 *
 * Integer and decimal sums are exact in 128 bits.  Sums of floats carry the
 * rounding error of each addition along (Knuth's TwoSum; Neumaier 1974), so
 * the total of n values is off by about two units in the last place of
 * sum(|x|), whatever the order.  Values that are not finite are only noted:
 * they decide the result by themselves.
 */
#ifndef GPUDB_CORE_OP_AGG_H
#define GPUDB_CORE_OP_AGG_H

#include "core/decimal.h"
#include "core/op_arith.h"
#include "core/program.h"
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

/* total += v, the error going to the compensation: words 0 and 1. */
CORE_FN void
float_total_add(uint64_t *state, double v)
{
	double		total = float_of_bits(state[0]);
	double		sum = total + v;
	double		part = sum - total;
	double		error = (total - (sum - part)) + (v - part);

	state[0] = bits_of_float(sum);
	state[1] = bits_of_float(float_of_bits(state[1]) + error);
}

CORE_FN uint32_t
state_words(StateKind kind)
{
	switch (kind)
	{
		case STATE_COUNT:
		case STATE_MIN_I:
		case STATE_MAX_I:
			return 1;
		case STATE_SUM:
		case STATE_MIN_W:
		case STATE_MAX_W:
			return 2;
		case STATE_SUM_F:
			return 3;
	}
	return 0;
}

CORE_FN void
state_init(StateKind kind, uint64_t *state)
{
	switch (kind)
	{
		case STATE_COUNT:
			state[0] = 0;
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
			wide_store(state, (Wide) (((UWide) 1 << 127) - 1));
			break;
		case STATE_MAX_W:
			wide_store(state, (Wide) ((UWide) 1 << 127));
			break;
		case STATE_SUM_F:
			/* nothing yet: what -0 is added to stays what it is */
			state[0] = state[1] = bits_of_float(-0.0);
			state[2] = 0;
			break;
	}
}

/* into = into + from; reports overflow of a 128-bit sum in *error. */
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
			float_total_add(into, float_of_bits(from[0]));
			float_total_add(into, float_of_bits(from[1]));
			into[2] |= from[2];
			break;
	}
}

/*
 * The total of a float state.  DONE, or FLOAT_TOTAL when it left the range of
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

#endif							/* GPUDB_CORE_OP_AGG_H */

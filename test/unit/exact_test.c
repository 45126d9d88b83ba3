/*
 * exact_test.c
 *		Sums of floats that are rounded once (core/vm/op_exact.h), compared with sums in 128-bit floats, and in any order.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "core/vm/op_agg.h"
#include "fixture.h"
#include "tap.h"

#define MOST 400

static double values[MOST];
static uint64_t state[EXACT_WORDS];

static void
add_all(uint32_t n)
{
	uint32_t	i;

	state_init(STATE_EXACT, state);
	for (i = 0; i < n; i++)
		exact_add(state, values[i]);
}

static double
value_of(uint64_t divisor, ExactForm form)
{
	double		value = 0;

	tap_expect(exact_value(state, divisor, form, &value) == STATUS_DONE, "no value");
	return value;
}

static bool
same_bits(double a, double b)
{
	return (a != a && b != b) || bits_of_float(a) == bits_of_float(b);
}

/* Test few values whose sum a 128-bit float holds without rounding. */
static void
test_beside_quad(void)
{
	int			i;

	tap_begin("sums, averages and float4 sums, rounded once");
	for (i = 0; i < 20000; i++)
	{
		const uint32_t n = 1 + random_below(9);
		__float128	sum = 0;
		uint32_t	k;

		for (k = 0; k < n; k++)
		{
			values[k] = ldexp((double) (random_int64() >> random_below(63)), (int) random_below(40) - 20);
			sum += values[k];
		}
		add_all(n);
		tap_expect(same_bits(value_of(1, EXACT_DOUBLE), (double) sum), "sum %a, not %a", value_of(1, EXACT_DOUBLE), (double) sum);
		tap_expect(same_bits(value_of(1, EXACT_SINGLE), (double) (float) sum), "float4 sum %a, not %a", value_of(1, EXACT_SINGLE), (double) (float) sum);
		/* the quotient is rounded twice, so it may differ by a last place */
		tap_expect(fabs(value_of(n, EXACT_DOUBLE) - (double) (sum / n)) <= fabs((double) (sum / n)) * DBL_EPSILON, "average %a, not %a",
				   value_of(n, EXACT_DOUBLE), (double) (sum / n));
	}
	tap_end();
}

/* Test values of all magnitudes, in another order and in parts that are merged. */
static void
test_order(void)
{
	int			i;

	tap_begin("the same bits in any order, and from any parts");
	for (i = 0; i < 3000; i++)
	{
		const uint32_t n = 1 + random_below(MOST);
		uint64_t	part[3][EXACT_WORDS];
		uint32_t	error = 0;
		double		value;
		double		merged = 0;
		uint32_t	k;

		for (k = 0; k < n; k++)
		{
			values[k] = float_of_bits(random_u64());
			if (values[k] != values[k] || isinf(values[k]))
				values[k] = random_below(2) ? 5e-324 : -DBL_MAX;
		}
		add_all(n);
		if (exact_value(state, n, EXACT_DOUBLE, &value) != STATUS_DONE)
			continue;
		for (k = 0; k < 3; k++)
			state_init(STATE_EXACT, part[k]);
		for (k = n; k > 0; k--)
		{
			const uint32_t other = random_below(k);
			const double swapped = values[other];

			values[other] = values[k - 1];
			exact_add(part[random_below(3)], swapped);
		}
		state_merge(STATE_EXACT, part[0], part[1], &error);
		state_merge(STATE_EXACT, part[2], part[0], &error);
		tap_expect(exact_value(part[2], n, EXACT_DOUBLE, &merged) == STATUS_DONE && same_bits(value, merged), "%a and %a", value, merged);
	}
	tap_end();
}

static void
test_edges(void)
{
	static const struct
	{
		double		value[4];
		int			n;
		uint64_t	divisor;
		double		wanted;
	}			edges[] = {
		{{-0.0, -0.0}, 2, 1, -0.0}, {{-0.0, 0.0}, 2, 1, 0.0}, {{1, -1}, 2, 1, 0.0}, {{1e308, 1, -1e308}, 3, 1, 1}, {{DBL_MAX, DBL_MAX, -DBL_MAX}, 3, 1, DBL_MAX},
		{{5e-324}, 1, 2, 0.0}, {{1.5e-323}, 1, 2, 1e-323}, {{-5e-324, -5e-324}, 2, 3, -5e-324}, {{5e-324}, 1, 3, 0.0}, {{NAN, 1}, 2, 1, NAN}, {{INFINITY, 1}, 2, 1, INFINITY},
		{{INFINITY, -INFINITY}, 2, 1, NAN}, {{-INFINITY, 1}, 2, 1, -INFINITY}, {{1, 0x1p-53}, 2, 1, 1}, {{1, 0x1p-53, 0x1p-1074}, 3, 1, 1 + 0x1p-52},
		{{1 + 0x1p-52, 0x1p-53}, 2, 1, 1 + 0x1p-51}, {{2.2250738585072014e-308, -5e-324}, 2, 1, 2.225073858507201e-308}, {{-3}, 1, 7, -3.0 / 7}
	};
	size_t		e;
	double		value;

	tap_begin("edges");
	for (e = 0; e < sizeof(edges) / sizeof(edges[0]); e++)
	{
		memcpy(values, edges[e].value, sizeof(edges[e].value));
		add_all((uint32_t) edges[e].n);
		value = value_of(edges[e].divisor, EXACT_DOUBLE);
		tap_expect(same_bits(value, edges[e].wanted), "edge %d: %a, not %a", (int) e, value, edges[e].wanted);
	}
	values[0] = values[1] = DBL_MAX;
	add_all(2);
	tap_expect(exact_value(state, 1, EXACT_DOUBLE, &value) == STATUS_FLOAT_TOTAL, "beyond the largest double");
	tap_expect(value_of(2, EXACT_DOUBLE) == DBL_MAX, "but not the average");
	values[0] = FLT_MAX;
	values[1] = 0x1p102;
	add_all(2);
	tap_expect(value_of(1, EXACT_SINGLE) == (double) FLT_MAX, "just below half of the way beyond the largest float4");
	values[1] = 0x1p103;
	add_all(2);
	tap_expect(exact_value(state, 1, EXACT_SINGLE, &value) == STATUS_FLOAT_TOTAL, "half of the way beyond the largest float4");
	tap_end();
}

/* Test carries that are propagated as late as possible. */
static void
test_carries(void)
{
	uint32_t	i;

	tap_begin("carries");
	for (i = 0; i < 64; i++)
		values[i] = i % 2 ? -0x1.fffffffffffffp-1 : -0x1.ffffffffffffep40;
	add_all(64);
	/* pretend that many more values had been added */
	state[EXACT_ADDED] = EXACT_CARRY_AFTER - 1;
	exact_add(state, 1);
	tap_expect(state[EXACT_ADDED] == 0, "they move on");
	for (i = 0; i + 1 < EXACT_DIGITS; i++)
		tap_expect(state[i] >> 32 == 0, "digit %u", i);
	tap_expect(same_bits(value_of(1, EXACT_DOUBLE), (double) (1 - 32 * ((__float128) 0x1.fffffffffffffp-1 + (__float128) 0x1.ffffffffffffep40))), "the sum");
	tap_end();
}

int
main(void)
{
	test_beside_quad();
	test_order();
	test_edges();
	test_carries();
	return tap_done();
}

/*
 * tap.h
 *		Helpers of the unit tests: TAP output and a seeded random generator.
 *
 * A test is one condition (tap_ok), or many trials under one name:
 *
 *		tap_begin("name");
 *		tap_expect(condition, "how it was wrong", ...);		as often as needed
 *		tap_end();
 *
 * which prints one line for all of them, with the first failed trials as
 * comments before it.  main() ends with `return tap_done();`.
 *
 * The random numbers are the same in every run (Steele, Lea and Flood's
 * SplitMix64).
 */
#ifndef GPUDB_TEST_TAP_H
#define GPUDB_TEST_TAP_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/target.h"

#define TAP_MAX_NOTES 5
#define lengthof(array) (sizeof(array) / sizeof((array)[0]))

typedef struct Tap
{
	int			tests;
	int			failed;
	const char *name;			/* name of the test begun */
	long		tried;
	long		wrong;
} Tap;

static Tap	tap;

/* Return true if fewer trials are wanted, as under compute-sanitizer: GPUDB_TEST_SHORT is set, and not to 0. */
static inline bool
tap_short(void)
{
	const char *set = getenv("GPUDB_TEST_SHORT");

	return set != NULL && set[0] != '\0' && strcmp(set, "0") != 0;
}

static inline void
tap_ok(bool passed, const char *name)
{
	tap.tests++;
	tap.failed += !passed;
	printf("%sok %d - %s\n", passed ? "" : "not ", tap.tests, name);
	fflush(stdout);
}

static inline void
tap_begin(const char *name)
{
	tap.name = name;
	tap.tried = tap.wrong = 0;
}

/* Count a trial, print why it failed, and return whether it passed. */
__attribute__((format(printf, 2, 3))) static inline bool
tap_expect(bool passed, const char *format,...)
{
	va_list		args;

	tap.tried++;
	if (passed)
		return true;
	if (tap.wrong++ < TAP_MAX_NOTES)
	{
		printf("# %s: ", tap.name);
		va_start(args, format);
		vprintf(format, args);
		va_end(args);
		printf("\n");
	}
	return false;
}

static inline void
tap_end(void)
{
	if (tap.wrong > TAP_MAX_NOTES)
		printf("# %s: %ld of %ld trials were wrong\n", tap.name, tap.wrong, tap.tried);
	if (tap.tried == 0)
		printf("# %s: nothing was tried\n", tap.name);
	tap_ok(tap.wrong == 0 && tap.tried > 0, tap.name);
}

static inline int
tap_done(void)
{
	printf("1..%d\n", tap.tests);
	return tap.failed == 0 && tap.tests > 0 ? 0 : 1;
}

static uint64_t random_state = 20261120;

static inline void
random_seed(uint64_t seed)
{
	random_state = seed;
}

static inline uint64_t
random_u64(void)
{
	uint64_t	z = (random_state += UINT64_C(0x9e3779b97f4a7c15));

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

/* Return a random number from 0 to n - 1. */
static inline uint32_t
random_below(uint32_t n)
{
	return (uint32_t) (random_u64() % n);
}

/* Return an integer of a random width, often at the edge of some type. */
static inline int64_t
random_int64(void)
{
	static const int64_t edges[] = {
		0, 1, -1, 2, -2, INT16_MAX, INT16_MIN, INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN
	};
	uint64_t	bits = random_u64() >> random_below(64);

	if (random_below(4) == 0)
		return (int64_t) ((uint64_t) edges[random_below(lengthof(edges))] + (uint64_t) random_below(3) - 1);
	return (int64_t) (random_below(2) ? bits : 0 - bits);
}

static inline Wide
random_wide(void)
{
	UWide		bits = ((UWide) random_u64() << 64 | random_u64()) >> random_below(128);

	if (random_below(8) == 0)
		bits = ((UWide) 1 << 127) + (UWide) random_below(3) - 1;
	else if (random_below(4) == 0)
		return random_int64();
	return (Wide) (random_below(2) ? bits : (UWide) 0 - bits);
}

/* Return a double of any bits, or a special value, or a moderate number. */
static inline double
random_double(void)
{
	static const double special[] = {
		0.0, -0.0, 1.0, -1.0, 0.5, 1.5, 2.5, 5e-324, -5e-324, 2.2250738585072014e-308,
		1.7976931348623157e308, -1.7976931348623157e308, 1.1754943508222875e-38, 3.4028234663852886e38,
		9223372036854775807.0, -9223372036854775808.0, 4503599627370496.5
	};

	switch (random_below(4))
	{
		case 0:
			return special[random_below(lengthof(special))];
		case 1:
			return random_below(8) ? float_of_bits(random_u64())
				: random_below(3) == 0 ? (double) NAN : random_below(2) ? (double) INFINITY : -(double) INFINITY;
		case 2:
			return (double) random_int64() / (1 << random_below(20));
		default:
			return ((double) random_below(2001) - 1000) / 8;
	}
}

/* Return a 128-bit integer in decimal; a few results stay valid at the same time. */
static inline const char *
wide_text(Wide value)
{
	static char buffers[8][48];
	static int	next;
	char	   *p = buffers[next++ % 8] + 47;
	UWide		rest = value < 0 ? (UWide) 0 - (UWide) value : (UWide) value;

	*p = '\0';
	do
		*--p = (char) ('0' + (int) (rest % 10));
	while ((rest /= 10) != 0);
	if (value < 0)
		*--p = '-';
	return p;
}

#endif							/* GPUDB_TEST_TAP_H */

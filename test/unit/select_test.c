/*
 * select_test.c
 *		Values by their rank, found by counting (core/op_select.h), beside sorting.
 */
#include <stdlib.h>

#include "core/op_select.h"
#include "fixture.h"
#include "tap.h"

#define MOST 3000

static int64_t values[MOST];
static int64_t sorted[MOST];
static uint64_t bins[SELECT_BINS];

static int
compare(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *) a;
	const int64_t y = *(const int64_t *) b;

	return (x > y) - (x < y);
}

/* Values of so many bits above a base, of which one in so many is an end of the range of integers. */
static void
fill(uint32_t n, uint32_t bits, uint32_t one_in)
{
	/* so that few bits do not go beyond the largest integer */
	const int64_t base = random_int64() / 2;
	uint32_t	i;

	for (i = 0; i < n; i++)
	{
		values[i] = (int64_t) ((uint64_t) base + (bits == 0 ? 0 : random_u64() >> (64 - bits)));
		if (one_in > 0 && random_below(one_in) == 0)
			values[i] = random_below(2) ? INT64_MIN : INT64_MAX;
	}
	memcpy(sorted, values, n * sizeof(int64_t));
	qsort(sorted, n, sizeof(int64_t), compare);
}

static void
count(uint32_t n, const SelectRange *range)
{
	const uint32_t shift = select_shift(range);
	uint32_t	i;

	memset(bins, 0, sizeof(bins));
	for (i = 0; i < n; i++)
	{
		const uint64_t bin = select_bin(values[i], range->least, shift);

		if (bin < SELECT_BINS)
			bins[bin]++;
	}
}

/* Find a value within bounds that hold for all; how many rounds that took, 0 if it failed. */
static uint32_t
find(uint32_t n, SelectRange range, uint32_t rank, int64_t *value)
{
	uint32_t	rounds = 0;

	while (!select_is_found(&range) && rounds < 8)
	{
		count(n, &range);
		rounds++;
		if (!select_narrow(&range, bins, rank))
			return 0;
		if (range.least > sorted[rank] || range.largest < sorted[rank] || range.below > rank)
			return 0;
	}
	*value = range.least;
	return rounds;
}

static void
test_values(const char *name, uint32_t bits, uint32_t one_in)
{
	static const SelectRange all = {INT64_MIN, INT64_MAX, 0};
	int			i;

	tap_begin(name);
	for (i = 0; i < 300; i++)
	{
		const uint32_t n = 1 + random_below(random_below(4) == 0 ? 4 : MOST);
		const uint32_t rank = random_below(4) == 0 ? (random_below(2) ? 0 : n - 1) : random_below(n);
		int64_t		value = 0;
		uint32_t	rounds;

		fill(n, bits, one_in);
		rounds = find(n, all, rank, &value);
		tap_expect(rounds > 0 && rounds <= 6 && value == sorted[rank], "%u of %u: %lld after %u rounds, not %lld", rank, n,
				   (long long) value, rounds, (long long) sorted[rank]);
		if (sorted[0] == sorted[n - 1])
			continue;
		rounds = find(n, (SelectRange) {sorted[0], sorted[n - 1], 0}, rank, &value);
		tap_expect(rounds > 0 && rounds <= (bits + 10) / 11 + (one_in > 0 ? 6u : 1u) && value == sorted[rank],
				   "%u of %u within bounds: %lld after %u rounds, not %lld", rank, n, (long long) value, rounds, (long long) sorted[rank]);
	}
	tap_end();
}

/* A rank that no bin has is noticed. */
static void
test_missing(void)
{
	SelectRange range = {-5, 5, 3};

	tap_begin("a rank beyond all values");
	memset(bins, 0, sizeof(bins));
	bins[4] = 2;
	tap_expect(!select_narrow(&range, bins, 5) && range.least == -5 && range.largest == 5, "found %lld", (long long) range.least);
	tap_expect(select_narrow(&range, bins, 4) && range.least == -1 && range.largest == -1 && range.below == 3, "the last one");
	tap_end();
}

int
main(void)
{
	test_values("equal values", 0, 0);
	test_values("few values", 3, 0);
	test_values("as many as bins", 11, 0);
	test_values("values of 12 bits", 12, 0);
	test_values("values of 32 bits", 32, 0);
	test_values("values of 64 bits", 64, 0);
	test_values("few values, and the ends", 3, 10);
	test_values("values of 40 bits, and the ends", 40, 3);
	test_missing();
	return tap_done();
}

/*
 * select_test.c
 *		Quantile selection by histogram refinement (core/vm/op_select.h), compared with sorting.
 */
#include <stdlib.h>

#include "core/vm/op_select.h"
#include "fixture.h"
#include "tap.h"

#define MOST 3000

static int64_t values[MOST];
static int64_t sorted[MOST];
static uint64_t state[SELECT_WORDS];

static int
compare(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *) a;
	const int64_t y = *(const int64_t *) b;

	return (x > y) - (x < y);
}

/* Fill values[] with n values of `bits` bits above a base; every `one_in`-th is an end of the range of integers. */
static void
fill(uint32_t n, uint32_t bits, uint32_t one_in)
{
	/* halved, so that few bits do not exceed the largest integer */
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
	const uint32_t shift = select_shift(range, SELECT_BINS);
	uint32_t	i;

	memset(state, 0, sizeof(state));
	for (i = 0; i < n; i++)
		select_count(state, values[i], range->least, shift);
}

/* Find the value of a rank within bounds of all values; return the number of rounds, or 0 on failure. */
static uint32_t
find(uint32_t n, SelectRange range, uint32_t rank, int64_t *value)
{
	uint32_t	rounds = 0;

	while (!select_is_found(&range) && rounds < 8)
	{
		const int64_t largest = range.largest;
		uint32_t	bin;

		count(n, &range);
		rounds++;
		bin = select_find_bin(state, rank);
		if (bin == SELECT_BINS)
			return 0;
		range = select_range_of_bin(&range, bin);
		if (range.largest > largest)
			range.largest = largest;
		if (range.least > sorted[rank] || range.largest < sorted[rank])
			return 0;
	}
	*value = range.least;
	return rounds;
}

static void
test_values(const char *name, uint32_t bits, uint32_t one_in)
{
	static const SelectRange all = {INT64_MIN, INT64_MAX};
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
		rounds = find(n, (SelectRange) {sorted[0], sorted[n - 1]}, rank, &value);
		tap_expect(rounds > 0 && rounds <= (bits + 10) / 11 + (one_in > 0 ? 6u : 1u) && value == sorted[rank],
				   "%u of %u within bounds: %lld after %u rounds, not %lld", rank, n, (long long) value, rounds, (long long) sorted[rank]);
	}
	tap_end();
}

/* Test ranks that no bin has, since the bounds were a guess. */
static void
test_guess(void)
{
	const SelectRange range = {-5, 5};
	const SelectRange all = {INT64_MIN, INT64_MAX};
	int64_t		i;

	tap_begin("ranks of values that are less, or not less than any");
	memset(state, 0, sizeof(state));
	for (i = -9; i < 3000; i++)
		select_count(state, i, range.least, 0);
	tap_expect(state[0] == 4, "%llu are less", (unsigned long long) state[0]);
	tap_expect(select_find_bin(state, 3) == SELECT_BINS && select_find_bin(state, 4) == 0, "the first ones");
	tap_expect(select_find_bin(state, 4 + SELECT_BINS - 1) == SELECT_BINS - 1 && select_find_bin(state, 4 + SELECT_BINS) == SELECT_BINS, "the last ones");
	tap_expect(select_range_of_bin(&range, 7).least == 2 && select_range_of_bin(&range, 7).largest == 2, "a bin of one value");
	tap_expect(select_range_of_bin(&all, SELECT_BINS - 1).largest == INT64_MAX && select_range_of_bin(&all, 0).least == INT64_MIN, "the ends");
	tap_end();
}

/* Test values that several states collect, which are then merged. */
static void
test_collecting(void)
{
	static uint64_t part[3][SELECT_WORDS];
	uint32_t	n;

	tap_begin("values that are collected");
	for (n = 0; n < 5000; n += 1 + n / 3)
	{
		uint64_t	sum = 0;
		uint64_t	wanted = 0;
		uint32_t	i;

		memset(part, 0, sizeof(part));
		for (i = 0; i < n; i++)
		{
			select_collect(part[random_below(3)], 100 + (int64_t) (i % 64), 100, 6);
			select_collect(part[random_below(3)], random_below(100), 100, 6);
			select_collect(part[random_below(3)], 164 + random_below(100), 100, 6);
			wanted += 100 + i % 64;
		}
		select_merge_values(part[0], part[1]);
		select_merge_values(part[0], part[2]);
		for (i = 0; i < n && i < SELECT_VALUES; i++)
		{
			tap_expect(part[0][2 + i] >= 100 && part[0][2 + i] < 164, "%llu", (unsigned long long) part[0][2 + i]);
			sum += part[0][2 + i];
		}
		tap_expect(part[0][0] == n && part[0][1] == n && (n > SELECT_VALUES || sum == wanted), "%u: %llu less, %llu collected", n,
				   (unsigned long long) part[0][0], (unsigned long long) part[0][1]);
	}
	tap_end();
}

/* Test the ranks of percentiles, given one by one. */
static void
test_ranks(void)
{
	static const struct
	{
		double		fraction;
		bool		continuous;
		bool		descending;
		int64_t		count;
		int64_t		first;
		int64_t		second;
		double		part;
	}			ranks[] = {
		{0, false, false, 1, 0, 0, 0}, {1, false, false, 1, 0, 0, 0}, {0.5, false, false, 4, 1, 1, 0}, {0.5, false, true, 4, 2, 2, 0},
		{0.5, false, false, 5, 2, 2, 0}, {0.51, false, false, 4, 2, 2, 0}, {1, false, true, 4, 0, 0, 0}, {0, false, true, 4, 3, 3, 0},
		{0, true, false, 1, 0, 0, 0}, {0.5, true, false, 4, 1, 2, 0.5}, {0.5, true, true, 4, 2, 1, 0.5}, {0.5, true, false, 5, 2, 2, 0},
		{0.25, true, false, 4, 0, 1, 0.75}, {1, true, false, 4, 3, 3, 0}, {1, true, true, 4, 0, 0, 0}
	};

	tap_begin("ranks of percentiles");
	for (size_t i = 0; i < lengthof(ranks); i++)
	{
		int64_t		first;
		int64_t		second;
		const double part = select_ranks(ranks[i].fraction, ranks[i].continuous, ranks[i].descending, ranks[i].count, &first, &second);

		tap_expect(first == ranks[i].first && second == ranks[i].second && part == ranks[i].part, "%zu: %lld, %lld, %g", i, (long long) first, (long long) second, part);
	}
	tap_end();
}

/* Test merging a device's results for more and more values with parts that have collected some, or none. */
static void
test_sought(void)
{
	static uint64_t early[SELECT_WORDS];
	static uint64_t second[SELECT_WORDS];
	static uint64_t none[SELECT_WORDS];
	static uint64_t others[SELECT_WORDS];
	static uint64_t into[SELECT_WORDS];
	const uint64_t *const parts[] = {early, second, none, others};

	tap_begin("what a device says");
	early[0] = 1;
	early[SEEK_WORD_STATUS] = SEEK_FAILED;
	early[SEEK_WORD_COUNT] = 50;
	second[0] = 2;
	second[SEEK_WORD_STATUS] = SEEK_FOUND;
	second[SEEK_WORD_COUNT] = 100;
	for (int w = SEEK_WORD_GATHERED; w < SEEK_WORDS; w++)
		second[w] = 100 + (uint64_t) w;
	select_collect(others, 5, 5, 0);
	select_collect(others, 4, 5, 0);
	/* in any order */
	for (int order = 0; order < 256; order++)
	{
		memset(into, 0, sizeof(into));
		for (int i = 0; i < 4; i++)
			select_merge_values(into, parts[order >> 2 * i & 3]);
		if ((1 << (order & 3) | 1 << (order >> 2 & 3) | 1 << (order >> 4 & 3) | 1 << (order >> 6)) != 15)
			continue;
		tap_expect(into[0] == 4, "%llu are less", (unsigned long long) into[0]);
		for (int w = SEEK_WORD_STATUS; w < SEEK_WORDS; w++)
			tap_expect(into[w] == second[w], "order %x, word %d is %llu", (unsigned) order, w, (unsigned long long) into[w]);
	}
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
	test_guess();
	test_collecting();
	test_ranks();
	test_sought();
	return tap_done();
}

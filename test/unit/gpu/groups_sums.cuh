/*
 * groups_sums.cuh
 *		Tests of sums that may be too large, and of sums of floats.
 */
#ifndef GPUDB_TEST_GROUPS_SUMS_CUH
#define GPUDB_TEST_GROUPS_SUMS_CUH

#include "groups_kernels.cuh"

/* Merge rows with given sums, row i into group i % groups, and return the status. */
static uint32_t
status_of_sums(const std::vector<Wide> &sums, uint32_t groups)
{
	const Program program = PROGRAM("w", sum_states);
	const Mix	mix = {SPREAD_EACH, 1, 0, HASH_GOOD};
	Batch		batch = make_batch(&program, &mix, (uint32_t) sums.size());
	const RowShape shape = shape_of(&program);
	const DeviceTable table = make_table(&shape, groups);
	GroupsLaunch launch;
	uint32_t	status;

	for (uint32_t i = 0; i < batch.nrows; i++)
	{
		uint64_t   *row = &batch.rows[(size_t) i * program.row_words];

		batch.hashes[i] = make_hash(HASH_GOOD, i % groups);
		make_key(&program, i % groups, row, &batch);
		wide_store(row + program.state_word[0], sums[i]);
	}
	launch = make_launch(&table, &shape, &batch);
	settle();
	check(groups_find(&launch, NULL), "find");
	check(groups_update(&launch, NULL), "update");
	status = result_of(&launch).status;
	device_drop();
	return status;
}

static void
test_wide_sums(void)
{
	const Wide	large = (Wide) 1 << 94;
	const Wide	most = (Wide) 1 << 125;
	std::vector<Wide> sums(1000, large / 64);

	begin("sums that could overflow are refused");
	for (int sign = -1; sign <= 1; sign += 2)
	{
		tap_expect(status_of_sums({sign * large}, 1) == STATUS_DONE, "%d * 2^94", sign);
		tap_expect(status_of_sums({sign * (most - large)}, 1) == STATUS_DONE, "%d * (2^125 - 2^94)", sign);
		tap_expect(status_of_sums({sign * most}, 1) == STATUS_DECIMAL_TOO_WIDE, "%d * 2^125", sign);
		/* for any groups and signs, of more than one block */
		for (uint32_t groups : {1, 10, 1000})
		{
			tap_expect(status_of_sums(std::vector<Wide>(1000, sign * (most / 1024)), groups) == STATUS_DONE, "1,000 of %d * 2^115", sign);
			tap_expect(status_of_sums(std::vector<Wide>(1100, sign * (most / 1024)), groups) == STATUS_DECIMAL_TOO_WIDE,
					   "1,100 of %d * 2^115", sign);
		}
	}
	tap_expect(status_of_sums({WIDE_MAX}, 1) == STATUS_DECIMAL_TOO_WIDE, "the largest");
	tap_expect(status_of_sums({WIDE_MIN}, 1) == STATUS_DECIMAL_TOO_WIDE, "the least");
	/* beyond 128 bits within a warp */
	tap_expect(status_of_sums({WIDE_MAX, WIDE_MAX}, 1) == STATUS_DECIMAL_TOO_WIDE, "the largest twice");
	tap_expect(status_of_sums({WIDE_MIN, WIDE_MIN}, 1) == STATUS_DECIMAL_TOO_WIDE, "the least twice");
	/* one large sum among many, in any row */
	tap_expect(status_of_sums(sums, 1000) == STATUS_DONE, "1,000 sums that are not large");
	tap_expect(status_of_sums(sums, 1) == STATUS_DONE, "and in one group");
	for (size_t at : {(size_t) 0, (size_t) 31, (size_t) 500, sums.size() - 1})
	{
		std::vector<Wide> with = sums;

		with[at] = most * 3;
		tap_expect(status_of_sums(with, 1000) == STATUS_DECIMAL_TOO_WIDE, "a group each, row %zu", at);
		tap_expect(status_of_sums(with, 10) == STATUS_DECIMAL_TOO_WIDE, "ten groups, row %zu", at);
		with[at] = -most * 3;
		tap_expect(status_of_sums(with, 1000) == STATUS_DECIMAL_TOO_WIDE, "a group each, row %zu, negative", at);
	}
	tap_end();
}

/* Kinds of groups of floats, chosen by the group's number. */
typedef enum FloatKind
{
	FLOATS_USUAL,
	FLOATS_NAN,
	FLOATS_INFINITE,
	FLOATS_BOTH_INFINITE,
	FLOATS_MINUS_ZERO,
	FLOATS_CANCELLED,
	FLOATS_BEYOND,
	FLOATS_NONE,
	FLOATS_Count
} FloatKind;

/* Return the turn-th value of a group of a kind. */
static double
float_of_kind(FloatKind kind, uint32_t turn)
{
	const double usual = (double) (random_int64() >> random_below(60)) / (1 << random_below(20));

	switch (kind)
	{
		case FLOATS_NAN:
			return turn == 1 ? (double) NAN : usual;
		case FLOATS_INFINITE:
			return turn == 2 ? -(double) INFINITY : usual;
		case FLOATS_BOTH_INFINITE:
			return turn % 2 ? (double) INFINITY : -(double) INFINITY;
		case FLOATS_MINUS_ZERO:
			return -0.0;
		case FLOATS_CANCELLED:
			return turn % 2 ? 0x1p900 : -0x1p900;
		case FLOATS_BEYOND:
			return 0x1.8p1023;
		default:
			return usual;
	}
}

/* Make rows with a value each, or with none, in their sums of floats; the expected sums are added up as well. */
static Batch
make_floats(const Program *program, const Mix *mix, uint32_t nrows, std::vector<long double> *sums, std::vector<long double> *sizes,
			std::vector<uint32_t> *turns)
{
	Batch		batch = make_batch(program, mix, nrows);

	for (uint32_t i = 0; i < nrows; i++)
	{
		const uint32_t group = pick(mix, i);
		const FloatKind kind = (FloatKind) (group % FLOATS_Count);
		uint64_t   *row = &batch.rows[(size_t) i * program->row_words];
		const double v = float_of_kind(kind, (*turns)[group]++);
		uint64_t   *sum = row + program->state_word[1];

		batch.hashes[i] = make_hash(mix->hashing, group);
		make_key(program, group, row, &batch);
		row[program->state_word[0]] = 1;
		state_init(STATE_SUM_F, sum);
		if (kind == FLOATS_NONE)
			continue;
		sum[2] = float_flags(v);
		float_total_add(sum, v);
		if (fabs(v) < (double) INFINITY)
		{
			(*sums)[group] += v;
			(*sizes)[group] += fabsl((long double) v);
		}
	}
	return batch;
}

/* Return true if a group's sum is right for its kind. */
static bool
right_sum(FloatKind kind, uint32_t turns, const uint64_t *state, long double want, long double size)
{
	double		sum = 1;
	const DeviceStatus status = float_total_value(state, &sum);

	switch (kind)
	{
		case FLOATS_NAN:
			return status == STATUS_DONE && (turns < 2 ? fabsl(sum - want) <= size * 0x1p-40L : std::isnan(sum));
		case FLOATS_INFINITE:
			return status == STATUS_DONE && (turns < 3 ? fabsl(sum - want) <= size * 0x1p-40L : sum == -(double) INFINITY);
		case FLOATS_BOTH_INFINITE:
			return status == STATUS_DONE && (turns < 2 ? sum == -(double) INFINITY : std::isnan(sum));
		case FLOATS_BEYOND:
			return turns < 2 ? sum == 0x1.8p1023 : status == STATUS_FLOAT_TOTAL;
		case FLOATS_MINUS_ZERO:
		case FLOATS_NONE:
			return status == STATUS_DONE && sum == 0 && std::signbit(sum);
		default:
			return status == STATUS_DONE && fabsl(sum - want) <= size * 0x1p-40L;
	}
}

static void
try_floats(const Mix *mix, uint32_t nrows)
{
	const Program program = PROGRAM("w", float_states);
	const RowShape shape = shape_of(&program);
	const DeviceTable table = make_table(&shape, power_above(mix->groups));
	std::vector<long double> sums(mix->groups);
	std::vector<long double> sizes(mix->groups);
	std::vector<uint32_t> turns(mix->groups);
	const Batch batch = make_floats(&program, mix, nrows, &sums, &sizes, &turns);
	const GroupsLaunch launch = make_launch(&table, &shape, &batch);
	std::vector<uint32_t> group_of(mix->groups, GROUP_UNKNOWN);
	Stored		got;

	settle();
	check(groups_find(&launch, NULL), "find");
	const std::vector<uint32_t> group = check_found(&program, &launch, &batch, 0);
	update_known(&launch, group);
	got = fetch(&table, &shape);
	tap_expect(result_of(&launch).ngroups == got.n, "%u groups are told, not %u", result_of(&launch).ngroups, got.n);
	for (uint32_t i = 0; i < nrows; i++)
	{
		/* the key contains the number: see make_key() */
		const uint64_t *row = &batch.rows[(size_t) i * program.row_words];
		uint32_t	number = 0;

		while (row[0] == 0 && number < mix->groups - 1 && row[1] != (uint64_t) (number - 1) * UINT64_C(0x9e3779b97f4a7c15))
			number++;
		group_of[number] = group[i];
	}
	for (uint32_t g = 0; g < mix->groups; g++)
	{
		const FloatKind kind = (FloatKind) (g % FLOATS_Count);
		const uint64_t *row = group_of[g] == GROUP_UNKNOWN ? NULL : &got.rows[(size_t) group_of[g] * program.row_words];

		if (row == NULL)
			tap_expect(turns[g] == 0, "group %u is not there", g);
		else
			tap_expect(row[program.state_word[0]] == turns[g] &&
					   right_sum(kind, turns[g], row + program.state_word[1], sums[g], sizes[g]),
					   "group %u, kind %d, of %u values: %g + %g, flags %llx, not %Lg", g, (int) kind, turns[g],
					   float_of_bits(row[program.state_word[1]]), float_of_bits(row[program.state_word[1] + 1]),
					   (unsigned long long) row[program.state_word[1] + 2], sums[g]);
	}
	device_drop();
}

/* Test many threads that add to the sums of few groups, without a lock. */
static void
test_float_sums(void)
{
	const Program program = PROGRAM("w", float_states);
	RowShape	shape;

	begin("sums of floats, with NaN, infinities and -0");
	tap_expect(groups_shape(&program, &shape) && !shape.locked, "sums of floats want a lock");
	for (uint32_t nrows : {1u, 33u, 1000u, brief ? 3000u : 200000u})
		for (uint32_t groups : {1u, 8u, 100u, 1000u})
			for (Spread spread : {SPREAD_EVEN, SPREAD_ZIPF, SPREAD_HOT})
			{
				const Mix	mix = {spread, groups, 0, HASH_GOOD};

				try_floats(&mix, nrows);
			}
	tap_end();
}

#endif							/* GPUDB_TEST_GROUPS_SUMS_CUH */

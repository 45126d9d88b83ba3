/*
 * groups_sums.cuh
 *		Tests of sums beyond what is sure to fit.
 */
#ifndef GPUDB_TEST_GROUPS_SUMS_CUH
#define GPUDB_TEST_GROUPS_SUMS_CUH

#include "groups_kernels.cuh"

/* Merge rows with these sums, row i into group i % groups; the status. */
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
		/* whatever their groups and signs, of more than one block */
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
	/* one of many rows, be it the first, the last or another one */
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

#endif							/* GPUDB_TEST_GROUPS_SUMS_CUH */

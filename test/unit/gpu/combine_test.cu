/*
 * combine_test.cu
 *		Combining rows of groups, many of each, into one row a group.
 */
#include "groups_rows.cuh"

#include "kernels/combine_launch.h"

#define MULTIPROCESSORS 32

/* Allocate n values in device memory, with a guard behind them. */
template <typename T> static T *
guarded(size_t n)
{
	T		   *memory;

	check(cudaMalloc(&memory, n * sizeof(T) + GUARD_BYTES), "cudaMalloc");
	check(cudaMemset(memory, GARBAGE, n * sizeof(T)), "memset");
	check(cudaMemset((uint8_t *) memory + n * sizeof(T), GUARD_VALUE, GUARD_BYTES), "memset");
	return memory;
}

template <typename T> static void
free_guarded(T *memory, size_t n, const char *what)
{
	uint8_t		guard[GUARD_BYTES];
	bool		touched = false;

	check(cudaMemcpy(guard, (uint8_t *) memory + n * sizeof(T), GUARD_BYTES, cudaMemcpyDeviceToHost), "copy");
	for (uint8_t byte : guard)
		touched |= byte != GUARD_VALUE;
	tap_expect(!touched, "something was written behind the %s", what);
	check(cudaFree(memory), "free");
}

/* Combine a batch's rows with room for `group_capacity` groups; return the result, and the groups in `got`. */
static VmResult
combine(const Program *program, const Batch &batch, uint32_t row_capacity, uint32_t group_capacity, uint32_t status, Stored *got)
{
	const size_t nrows = batch.nrows < row_capacity ? batch.nrows : row_capacity;
	const size_t words = program->row_words;
	VmResult	result = {status, batch.nrows};
	CombineLaunch launch = {};
	uint64_t   *hashes = guarded<uint64_t>(nrows);
	uint64_t   *rows = guarded<uint64_t>(nrows * words);

	check(cudaMemcpy(hashes, batch.hashes.data(), nrows * 8, cudaMemcpyHostToDevice), "copy");
	check(cudaMemcpy(rows, batch.rows.data(), nrows * words * 8, cudaMemcpyHostToDevice), "copy");
	tap_expect(groups_shape(program, &launch.shape), "rows of this shape cannot be merged");
	launch.result = guarded<VmResult>(1);
	launch.hashes = hashes;
	launch.rows = rows;
	launch.row_capacity = row_capacity;
	launch.group_capacity = group_capacity;
	launch.scratch = guarded<uint32_t>(COMBINE_BYTES(row_capacity) / 4);
	launch.to_hashes = guarded<uint64_t>(group_capacity);
	launch.to_rows = guarded<uint64_t>(group_capacity * words);
	check(cudaMemcpy(launch.result, &result, sizeof(result), cudaMemcpyHostToDevice), "copy");
	check(combine_rows(&launch, MULTIPROCESSORS, NULL), "launch");
	settle();
	check(cudaMemcpy(&result, launch.result, sizeof(result), cudaMemcpyDeviceToHost), "copy");
	got->n = result.status == STATUS_DONE ? result.nrows : 0;
	got->hashes.resize(got->n);
	got->rows.resize(got->n * words);
	check(cudaMemcpy(got->hashes.data(), launch.to_hashes, got->n * 8, cudaMemcpyDeviceToHost), "copy");
	check(cudaMemcpy(got->rows.data(), launch.to_rows, got->n * words * 8, cudaMemcpyDeviceToHost), "copy");
	free_guarded(hashes, nrows, "hashes");
	free_guarded(rows, nrows * words, "rows");
	free_guarded(launch.result, 1, "result");
	free_guarded(launch.scratch, COMBINE_BYTES(row_capacity) / 4, "scratch memory");
	free_guarded(launch.to_hashes, group_capacity, "groups' hashes");
	free_guarded(launch.to_rows, group_capacity * words, "groups' rows");
	return result;
}

static void
test_mix(const char *what, const Program *program, const Mix &mix, uint32_t nrows)
{
	Batch		batch = make_batch(program, &mix, nrows);
	Reference	want;
	Stored		got;
	VmResult	result;

	begin(what);
	reference_open(&want, program, nrows + 1);
	reference_add(&want, &batch);
	result = combine(program, batch, nrows + 7, BATCH_GROUPS, STATUS_DONE, &got);
	tap_expect(result.status == STATUS_DONE, "status %u", result.status);
	compare(&want, &got, NULL);
	tap_end();
}

static void
test_room(const Program *program)
{
	const Mix	many = {SPREAD_EACH, 0, 1, HASH_GOOD};
	const Mix	few = {SPREAD_EVEN, 4, 1, HASH_GOOD};
	Batch		each = make_batch(program, &many, BATCH_GROUPS + 1);
	Batch		four = make_batch(program, &few, 1000);
	Batch		none = make_batch(program, &few, 0);
	Stored		got;

	begin("room for groups and for rows, and what has failed before");
	tap_expect(combine(program, each, BATCH_GROUPS + 1, BATCH_GROUPS, STATUS_DONE, &got).status == STATUS_TABLE_FULL, "a group too many");
	tap_expect(combine(program, each, BATCH_GROUPS + 1, 1, STATUS_DONE, &got).status == STATUS_TABLE_FULL, "room for one");
	tap_expect(combine(program, four, 999, BATCH_GROUPS, STATUS_DONE, &got).status == STATUS_TABLE_FULL, "a row too many");
	tap_expect(combine(program, four, 1000, 4, STATUS_DONE, &got).status == STATUS_DONE && got.n == 4, "room for four");
	tap_expect(combine(program, four, 1000, 4, STATUS_DIVISION_BY_ZERO, &got).status == STATUS_DIVISION_BY_ZERO, "another status");
	tap_expect(combine(program, none, 10, 4, STATUS_DONE, &got).status == STATUS_DONE && got.n == 0, "no rows");
	tap_end();
}

/* Test sums that 128 bits do not hold. */
static void
test_overflow(const Program *program)
{
	const Mix	one = {SPREAD_EVEN, 1, 1, HASH_GOOD};
	Batch		batch = make_batch(program, &one, 100);
	Stored		got;

	begin("sums that are too large");
	for (uint32_t i = 0; i < batch.nrows; i++)
		wide_store(&batch.rows[(size_t) i * program->row_words + program->state_word[0]], (Wide) 1 << 124);
	tap_expect(combine(program, batch, 100, BATCH_GROUPS, STATUS_DONE, &got).status == STATUS_DECIMAL_TOO_WIDE, "not noticed");
	tap_end();
}

int
main(void)
{
	const Program words = PROGRAM("w", all_states);
	const Program wide = PROGRAM("WwW", all_states);
	const Program sums = PROGRAM("w", sum_states);
	const Program keys = make_program("Ww", NULL, 0);
	Program		total = PROGRAM("", all_states);
	const uint32_t most = tap_short() ? 20000 : COMBINE_ROWS;

	total.grouped = 0;
	brief = tap_short();
	check(cudaSetDevice(0), "no device");
	check(combine_prepare(), "prepare");
	test_mix("a row", &words, {SPREAD_EVEN, 1, 1, HASH_GOOD}, 1);
	test_mix("no keys, as many rows as a GPU has blocks", &total, {SPREAD_EVEN, 1, 0, HASH_GOOD}, 792);
	test_mix("four groups of as many blocks", &words, {SPREAD_EVEN, 4, 1, HASH_GOOD}, 3168);
	test_mix("groups of about a team's rows", &words, {SPREAD_EVEN, 200, 1, HASH_GOOD}, 3200);
	test_mix("groups of few rows", &words, {SPREAD_EVEN, 1000, 1, HASH_GOOD}, 3000);
	test_mix("a group each, as many as fit", &words, {SPREAD_EACH, 0, 1, HASH_GOOD}, BATCH_GROUPS);
	test_mix("many rows, most of one group", &words, {SPREAD_HOT, 500, 1, HASH_GOOD}, most);
	test_mix("many rows of wide keys", &wide, {SPREAD_ZIPF, 3000, 1, HASH_GOOD}, most);
	test_mix("keys without states", &keys, {SPREAD_EVEN, 300, 1, HASH_GOOD}, most);
	for (int hashing = HASH_GOOD + 1; hashing < HASH_Count; hashing++)
		test_mix(hashing_names[hashing], &words, {SPREAD_EVEN, 400, 1, (Hashing) hashing}, 4000);
	test_room(&sums);
	test_overflow(&sums);
	return tap_done();
}

/*
 * sort_test.cu
 *		Rows put in order by the GPU, compared with the CPU's stable sort of the same words.
 */
#include <algorithm>
#include <vector>

extern "C" {
#include "tap.h"
}

#include "check.cuh"
#include "kernels/sort_launch.h"

#define GUARD_VALUE 0xa5
#define GUARD_BYTES 256

typedef struct TestColumn
{
	uint8_t		type;
	bool		nullable;
	Wide		least;			/* bounds that the launch is given */
	Wide		most;
	std::vector<uint64_t> values;	/* a word for each value, also of bools */
	std::vector<bool> nulls;
} TestColumn;

/* Return a random value of a type, as bits. */
static uint64_t
random_value(uint8_t type, uint64_t span)
{
	static const double odd[] = {0.0, -0.0, 1.0 / 0.0, -1.0 / 0.0, 0.0 / 0.0, 1e-300, -1e300};
	double		value;
	uint64_t	bits;

	if (type == COLTYPE_BOOL)
		return random_u64() & 1;
	if (type == COLTYPE_I64)
		return span == 0 ? (uint64_t) -5 : span == UINT64_MAX ? random_u64() : (uint64_t) ((int64_t) (random_u64() % (span + 1)) - (int64_t) (span / 3));
	value = random_u64() % 4 == 0 ? odd[random_u64() % lengthof(odd)] : ((double) (int64_t) (random_u64() % 2001) - 1000) / 8;
	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

static TestColumn
random_column(uint32_t nrows)
{
	static const uint64_t spans[] = {0, 1, 5, 255, 70000, 4294967295u, UINT64_C(1) << 40, UINT64_MAX};
	static const uint8_t types[] = {COLTYPE_I64, COLTYPE_I64, COLTYPE_I64, COLTYPE_F64, COLTYPE_BOOL};
	TestColumn	column = {types[random_u64() % lengthof(types)], random_u64() % 3 == 0};
	const uint64_t span = spans[random_u64() % lengthof(spans)];

	column.least = column.type == COLTYPE_I64 ? INT64_MAX : column.type == COLTYPE_BOOL ? 0 : INT64_MIN;
	column.most = column.type == COLTYPE_I64 ? INT64_MIN : column.type == COLTYPE_BOOL ? 1 : INT64_MAX;
	for (uint32_t row = 0; row < nrows; row++)
	{
		const uint64_t value = random_value(column.type, span);
		const bool	null = column.nullable && random_u64() % 5 == 0;

		column.values.push_back(value);
		column.nulls.push_back(null);
		if (null || column.type != COLTYPE_I64)
			continue;
		column.least = (int64_t) value < column.least ? (int64_t) value : column.least;
		column.most = (int64_t) value > column.most ? (int64_t) value : column.most;
	}
	return column;
}

/* Allocate device memory with a guard behind it. */
static uint8_t *
guarded(size_t bytes)
{
	uint8_t    *memory;

	check(cudaMalloc(&memory, bytes + GUARD_BYTES), "cudaMalloc");
	check(cudaMemset(memory, GUARD_VALUE, bytes + GUARD_BYTES), "memset");
	return memory;
}

static void
free_guarded(uint8_t *memory, size_t bytes, const char *what)
{
	uint8_t		guard[GUARD_BYTES];
	bool		touched = false;

	check(cudaMemcpy(guard, memory + bytes, GUARD_BYTES, cudaMemcpyDeviceToHost), "copy");
	for (uint8_t byte : guard)
		touched |= byte != GUARD_VALUE;
	tap_expect(!touched, "something was written behind the %s", what);
	check(cudaFree(memory), "free");
}

static size_t
bytes_of(const TestColumn &column)
{
	return column.values.size() * coltype_bytes((ColType) column.type);
}

static size_t
bitmap_bytes(size_t nrows)
{
	return (nrows + 31) / 32 * 4;
}

/* Copy a column to device memory, or only allocate memory for it. */
static SortColumn
to_device(const TestColumn &column, bool filled)
{
	SortColumn	to = {guarded(bytes_of(column)), column.nullable ? (uint32_t *) guarded(bitmap_bytes(column.values.size())) : NULL, column.type};
	std::vector<uint8_t> bytes(column.values.begin(), column.values.end());
	std::vector<uint32_t> bitmap(column.values.size() / 32 + 1);

	if (!filled)
		return to;
	for (size_t row = 0; row < column.nulls.size(); row++)
		bitmap[row / 32] |= (uint32_t) column.nulls[row] << row % 32;
	check(cudaMemcpy(to.values, column.type == COLTYPE_BOOL ? (const void *) bytes.data() : column.values.data(), bytes_of(column), cudaMemcpyHostToDevice), "copy");
	if (to.nulls != NULL)
		check(cudaMemcpy(to.nulls, bitmap.data(), bitmap_bytes(column.values.size()), cudaMemcpyHostToDevice), "copy");
	return to;
}

static void
free_column(const SortColumn &column, const TestColumn &of)
{
	free_guarded(column.values, bytes_of(of), "values");
	if (column.nulls != NULL)
		free_guarded((uint8_t *) column.nulls, bitmap_bytes(of.values.size()), "bitmap");
}

/* Compare a column with the rows in order. */
static void
compare_column(const SortColumn &got, const TestColumn &column, const std::vector<uint32_t> &order)
{
	const size_t nrows = order.size();
	std::vector<uint64_t> values(nrows);
	std::vector<uint8_t> bytes(nrows);
	std::vector<uint32_t> bitmap(nrows / 32 + 1);
	size_t		wrong = 0;

	check(cudaMemcpy(column.type == COLTYPE_BOOL ? (void *) bytes.data() : values.data(), got.values, bytes_of(column), cudaMemcpyDeviceToHost), "copy");
	if (got.nulls != NULL)
		check(cudaMemcpy(bitmap.data(), got.nulls, bitmap_bytes(nrows), cudaMemcpyDeviceToHost), "copy");
	for (size_t row = 0; row < nrows; row++)
	{
		const bool	null = bitmap[row / 32] >> row % 32 & 1;
		const uint64_t value = column.type == COLTYPE_BOOL ? bytes[row] : values[row];

		wrong += null != column.nulls[order[row]] || (!null && value != column.values[order[row]]);
	}
	tap_expect(wrong == 0, "%zu of %zu rows of a column of type %d are wrong", wrong, nrows, column.type);
}

static uint64_t
code_of(const SortPart &part, const TestColumn &column, uint32_t row)
{
	double		value;

	memcpy(&value, &column.values[row], sizeof(value));
	return sort_code(&part, column.nulls[row], column.type == COLTYPE_F64 ? (Wide) op_float_key(value + 0.0) : (Wide) (int64_t) column.values[row]);
}

/* Return the numbers of the rows in order. */
static std::vector<uint32_t>
expected_order(const SortLaunch &launch, const std::vector<TestColumn> &columns)
{
	std::vector<uint32_t> order(launch.nrows);

	for (uint32_t row = 0; row < launch.nrows; row++)
		order[row] = row;
	std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
		for (uint32_t p = 0; p < launch.parts.nparts; p++)
		{
			const SortPart &part = launch.parts.part[p];
			const TestColumn &column = columns[launch.key_column[part.key]];
			const uint64_t code_a = code_of(part, column, a);
			const uint64_t code_b = code_of(part, column, b);

			if (code_a != code_b)
				return code_a < code_b;
		}
		return false;
	});
	return order;
}

/* Return true if two rows differ in a key, as PostgreSQL compares values. */
static bool
differ(const TestColumn &column, uint32_t a, uint32_t b)
{
	double		value_a;
	double		value_b;

	if (column.nulls[a] || column.nulls[b])
		return column.nulls[a] != column.nulls[b];
	if (column.type != COLTYPE_F64)
		return column.values[a] != column.values[b];
	memcpy(&value_a, &column.values[a], sizeof(double));
	memcpy(&value_b, &column.values[b], sizeof(double));
	return !(value_a == value_b || (value_a != value_a && value_b != value_b));
}

/* Compare the computed row numbers and ranks with the expected ones. */
static void
compare_numbers(const SortLaunch &launch, const std::vector<TestColumn> &columns, const std::vector<uint32_t> &order)
{
	std::vector<uint64_t> got[MATERIALIZED_NUMBERS];
	uint64_t	number[MATERIALIZED_NUMBERS] = {0};
	uint32_t	wrong = 0;

	for (int n = 0; n < MATERIALIZED_NUMBERS; n++)
	{
		got[n].resize(order.size());
		if (launch.numbers[n] != NULL)
			check(cudaMemcpy(got[n].data(), launch.numbers[n], order.size() * sizeof(uint64_t), cudaMemcpyDeviceToHost), "copy");
	}
	for (size_t row = 0; row < order.size(); row++)
	{
		uint32_t	k = 0;

		while (row > 0 && k < launch.nkeys && !differ(columns[launch.key_column[k]], order[row - 1], order[row]))
			k++;
		const bool	begins = row == 0 || k < launch.npartition;
		const bool	peers = row == 0 || k < launch.nkeys;

		number[MATERIALIZED_ROW_NUMBER] = begins ? 1 : number[MATERIALIZED_ROW_NUMBER] + 1;
		number[MATERIALIZED_RANK] = peers ? number[MATERIALIZED_ROW_NUMBER] : number[MATERIALIZED_RANK];
		number[MATERIALIZED_DENSE_RANK] = begins ? 1 : number[MATERIALIZED_DENSE_RANK] + peers;
		for (int n = 0; n < MATERIALIZED_NUMBERS; n++)
			wrong += launch.numbers[n] != NULL && got[n][row] != number[n];
	}
	tap_expect(wrong == 0, "%u numbers are wrong", wrong);
}

static void
sort_once(uint32_t nrows)
{
	const uint32_t ncolumns = 1 + random_u64() % 5;
	const uint32_t nkeys = 1 + random_u64() % ncolumns;
	std::vector<TestColumn> columns;
	std::vector<uint32_t> order;
	SortLaunch	launch = {};
	uint64_t	scratch;

	launch.nrows = nrows;
	launch.nkeys = nkeys;
	launch.npartition = random_u64() % (nkeys + 1);
	launch.ncolumns = ncolumns;
	for (uint32_t c = 0; c < ncolumns; c++)
		columns.push_back(random_column(nrows));
	for (uint32_t k = 0; k < nkeys; k++)
	{
		const SortKey key = {(uint16_t) (random_u64() % ncolumns), (random_u64() & 1) != 0, (random_u64() & 1) != 0};
		const TestColumn &column = columns[key.column];

		launch.key_column[k] = key.column;
		sort_add_key(&launch.parts, k, &key, column.nullable, column.least, column.most);
	}
	sort_place_parts(&launch.parts);
	for (uint32_t c = 0; c < ncolumns; c++)
	{
		launch.from[c] = launch.to[c] = to_device(columns[c], true);
		if (sort_part_of_column(&launch, c) < 0 && launch.parts.nwords > 0)
			launch.to[c] = to_device(columns[c], false);
	}
	for (int n = 0; n < MATERIALIZED_NUMBERS; n++)
		launch.numbers[n] = random_u64() % 3 > 0 ? (uint64_t *) guarded(nrows * sizeof(uint64_t)) : NULL;
	scratch = sort_scratch_bytes(&launch);
	tap_expect(scratch > 0, "CUDA does not say how much memory it needs");
	launch.scratch = guarded(scratch);
	check(sort_launch(&launch, NULL), "launch");
	check(cudaDeviceSynchronize(), "sort");
	order = expected_order(launch, columns);
	for (uint32_t c = 0; c < ncolumns; c++)
		compare_column(launch.to[c], columns[c], order);
	compare_numbers(launch, columns, order);
	for (uint32_t c = 0; c < ncolumns; c++)
	{
		if (launch.to[c].values != launch.from[c].values)
			free_column(launch.to[c], columns[c]);
		free_column(launch.from[c], columns[c]);
	}
	free_guarded(launch.scratch, scratch, "scratch memory");
	for (uint64_t *numbers : launch.numbers)
		if (numbers != NULL)
			free_guarded((uint8_t *) numbers, nrows * sizeof(uint64_t), "numbers");
}

int
main(void)
{
	static const struct
	{
		const char *name;
		uint32_t	nrows;
		int			trials;
	}			sizes[] = {{"a row", 1, 20}, {"a warp's rows and one", 33, 40}, {"a block's rows", 1000, 100}, {"many rows", 300001, 20}};

	check(cudaSetDevice(0), "no device");
	for (const auto &size : sizes)
	{
		tap_begin(size.name);
		for (int trial = 0; trial < (tap_short() ? size.trials / 10 + 1 : size.trials); trial++)
			sort_once(size.nrows);
		tap_end();
	}
	return tap_done();
}

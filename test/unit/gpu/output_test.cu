/*
 * output_test.cu
 *		Output of a launch's page batches by a GPU: values of rows that passed,
 *		compared with output_gather() on the host, and frame-of-reference encoded columns.
 *
 * A launch has several page batches whose borders fall anywhere, columns of every
 * width, with and without NULLs, and from no row to all of them passing.  Memory
 * behind a page batch's last value must stay as it was.
 */
#include <vector>

#include "check.cuh"
#include "core/tablet/column_pack.h"
#include "core/tablet/output.h"
#include "kernels/output_launch.h"
#include "tap.h"

#define UNTOUCHED 0xA5

static const uint16_t types[] = {
	COLTYPE_BOOL, COLTYPE_I16, COLTYPE_I32, COLTYPE_U32, COLTYPE_I64, COLTYPE_F64, COLTYPE_I128, COLTYPE_U8, COLTYPE_F32
};

#define NCOLUMNS ((uint32_t) lengthof(types))

/* Allocate memory that host and device can access. */
template<typename T>
static T *
take(size_t n)
{
	T		   *memory;

	check(cudaHostAlloc((void **) &memory, n * sizeof(T), cudaHostAllocDefault), "cudaHostAlloc");
	memset((void *) memory, UNTOUCHED, n * sizeof(T));
	return memory;
}

/* Make a program that has every column as an output, some twice, in no order. */
static void
make_program(Program *program)
{
	memset(program, 0, sizeof(*program));
	program->ncolumns = NCOLUMNS;
	for (uint32_t c = 0; c < NCOLUMNS; c++)
		program->output[program->noutputs++] = (uint8_t) ((c * 4 + 2) % NCOLUMNS);
	program->output[program->noutputs++] = 6;
}

/* Fill every column with random bytes, with the upper `zeros` bytes of each value 0, and NULLs in some columns. */
static void
fill_tablet(Tablet *tablet, uint32_t nrows, uint32_t zeros)
{
	tablet_layout(tablet, types, NCOLUMNS, nrows, 0);
	for (uint32_t c = 0; c < NCOLUMNS; c++)
	{
		TabletColumn *column = &tablet->column[c];
		const uint32_t bytes = coltype_bytes((ColType) types[c]);

		for (uint64_t i = 0; i < (uint64_t) nrows * bytes; i++)
			tablet_at(tablet, column->values)[i] = i % bytes > 0 && i % bytes + zeros >= bytes ? 0 : (uint8_t) random_below(256);
		if (c % 2 == 0)
			continue;
		memset(tablet_at(tablet, column->nulls), 0, tablet_bitmap_bytes(nrows));
		for (uint32_t row = 0; row < nrows; row++)
			if (random_below(c + 2) == 0)
			{
				tablet_at(tablet, column->nulls)[row / 8] |= (uint8_t) (1 << row % 8);
				column->null_count++;
			}
	}
}

/* Return the block that the host makes of a page batch. */
static std::vector<uint8_t>
expected_block(const OutputLaunch *launch, uint32_t w, uint64_t *size)
{
	const uint32_t begin = launch->row_start[w];
	const uint32_t end = launch->row_start[w + 1];
	std::vector<uint32_t> rows;
	OutputLayout layout;

	output_layout(launch->program, types, end - begin, &layout);
	std::vector<uint8_t> block(layout.size, UNTOUCHED);
	for (uint32_t row = begin; row < end; row++)
		if (launch->passed[row / 32] >> row % 32 & 1)
			rows.push_back(row);
	output_gather(launch->program, launch->tablet, rows.data(), (uint32_t) rows.size(), &layout, block.data());
	*size = layout.size;
	return block;
}

/* Test a launch with up to `rows` rows in each page batch, of which `percent` per cent pass. */
static void
run_batch(const char *name, uint32_t rows, uint32_t percent)
{
	Program    *program = take<Program>(1);
	uint32_t   *status = take<uint32_t>(1);
	OutputLaunch launch = {};
	uint32_t	nrows = 0;

	tap_begin(name);
	make_program(program);
	launch.npage_batches = BATCH_PAGE_BATCHES;
	for (uint32_t w = 0; w < BATCH_PAGE_BATCHES; w++)
		launch.row_start[w + 1] = nrows += w == 3 ? 0 : 1 + (uint32_t) random_below(rows);
	Tablet	   *tablet = (Tablet *) take<uint8_t>(tablet_size(types, NCOLUMNS, nrows, 0));
	uint32_t   *passed = take<uint32_t>(nrows / 32 + 1);
	fill_tablet(tablet, nrows, 0);
	memset(passed, 0, (nrows / 32 + 1) * 4);
	for (uint32_t row = 0; row < nrows; row++)
		if (random_below(100) < percent)
			passed[row / 32] |= 1u << row % 32;
	launch.program = program;
	launch.tablet = tablet;
	launch.passed = passed;
	launch.status = status;
	for (uint32_t w = 0; w < BATCH_PAGE_BATCHES; w++)
	{
		uint64_t	size;

		expected_block(&launch, w, &size);
		launch.block[w] = w == 5 ? nullptr : take<uint8_t>(size + 1);
	}

	/* nothing is written for a run that has failed */
	for (*status = STATUS_NEEDS_WIDE;; *status = STATUS_DONE)
	{
		check(output_launch(&launch, program->noutputs, nullptr), "launch");
		check(cudaDeviceSynchronize(), "run");
		for (uint32_t w = 0; w < BATCH_PAGE_BATCHES; w++)
		{
			uint64_t	size;
			std::vector<uint8_t> right = expected_block(&launch, w, &size);

			if (*status != STATUS_DONE)
				right.assign(size, UNTOUCHED);
			if (launch.block[w] != nullptr)
				tap_expect(memcmp(right.data(), launch.block[w], size) == 0, "window %u of %u rows, status %u", w,
						   launch.row_start[w + 1] - launch.row_start[w], *status);
		}
		if (*status == STATUS_DONE)
			break;
	}
	tap_end();
	for (uint32_t w = 0; w < BATCH_PAGE_BATCHES; w++)
		cudaFreeHost(launch.block[w]);
	cudaFreeHost(tablet);
	cudaFreeHost(passed);
	cudaFreeHost(status);
	cudaFreeHost(program);
}

static Wide
integer_at(const Tablet *tablet, const TabletColumn *column, uint32_t row)
{
	const uint8_t *value = tablet_at(tablet, column->values) + (size_t) row * coltype_bytes((ColType) column->type);
	const ForEncoding encoding = for_encoding_of(column);
	int64_t		integer;

	if (column->type == COLTYPE_I128)
		return wide_load((const uint64_t *) value);
	for_unpack(&encoding, value, 1, &integer);
	return integer;
}

/* Find the range of a page batch's integers that are not NULL; return false if there are none. */
static bool
range_of_page_batch(const OutputLaunch *launch, uint32_t w, uint32_t c, ForRange *range)
{
	const TabletColumn *column = &launch->tablet->column[c];
	bool		any = false;

	*range = (ForRange) {0, 0, 0};
	for (uint32_t row = launch->row_start[w]; row < launch->row_start[w + 1]; row++)
	{
		if (tablet_is_null(launch->tablet, column, row))
			continue;
		const Wide	v = integer_at(launch->tablet, column, row);

		range->differing |= any ? (uint64_t) (v ^ range->min) : 0;
		range->min = !any || v < range->min ? v : range->min;
		range->max = !any || v > range->max ? v : range->max;
		any = true;
	}
	return any;
}

/* Request a frame-of-reference encoding: one that holds the values, any other one, or none. */
static void
name_encoding(const OutputLaunch *launch, uint32_t w, uint32_t c)
{
	const uint16_t any[] = {COLTYPE_SAME, COLTYPE_U8, COLTYPE_U16, COLTYPE_U32, COLTYPE_I64, COLTYPE_I128, COLTYPE_Count, COLTYPE_F64};
	const uint16_t type = any[random_below(lengthof(any))];
	ForEncoding	encoding = {type, (uint16_t) random_below(70), (int64_t) random_below(1000)};
	ForRange	range;

	if (random_below(3) == 0)
		encoding.shift = encoding.base = 0;
	if (random_below(2) == 0 && coltype_integer((ColType) types[c]))
	{
		(void) range_of_page_batch(launch, w, c, &range);
		encoding = for_choose(&range, random_below(4) == 0 ? COLTYPE_U16 : COLTYPE_SAME);
	}
	column_set_encoding(&((Tablet *) launch->block[w])->column[c], &encoding);
}

/* Return true if an encoding holds a page batch's values. */
static bool
for_holds(const OutputLaunch *launch, uint32_t w, uint32_t c, const ForEncoding *encoding)
{
	const TabletColumn *column = &launch->tablet->column[c];
	uint64_t	odd = 0;

	for (uint32_t row = launch->row_start[w]; row < launch->row_start[w + 1]; row++)
		if (!tablet_is_null(launch->tablet, column, row))
			odd |= for_odd(encoding, integer_at(launch->tablet, column, row));
	return odd == 0;
}

/* Check a page batch's column for which an encoding was requested, compared with the host's result value by value. */
static void
expect_column(const OutputLaunch *launch, uint32_t w, uint32_t c, const ForEncoding *encoding)
{
	const Tablet *all = launch->tablet;
	const uint32_t begin = launch->row_start[w];
	const uint32_t n = launch->row_start[w + 1] - begin;
	const Tablet *page_batch = (const Tablet *) launch->block[w];
	const TabletColumn *from = &all->column[c];
	const TabletColumn *column = &page_batch->column[c];
	const bool	integers = coltype_integer((ColType) types[c]);
	const uint32_t bytes = coltype_bytes((ColType) types[c]);
	ForRange	range = {INT64_MIN, INT64_MAX, 0};
	const bool	any = integers && range_of_page_batch(launch, w, c, &range);
	const bool	packed = any && for_suits(encoding, (ColType) types[c]) && for_holds(launch, w, c, encoding);
	const ForEncoding found = for_encoding_of(column);
	const ForEncoding expected = packed ? *encoding : ForEncoding{types[c], 0, 0};
	std::vector<uint8_t> memory(tablet_size(types, NCOLUMNS, n, 0) + 64);
	Tablet	   *right = (Tablet *) (((uintptr_t) memory.data() + 63) & ~(uintptr_t) 63);
	uint32_t	wrong = 0;

	tablet_layout(right, types, NCOLUMNS, n, 0);
	tap_expect(column->values == right->column[c].values && column->nulls == right->column[c].nulls, "window %u, column %u: where it is", w, c);
	tap_expect(for_equal(&found, &expected), "window %u, column %u: type %u, shift %u instead of %u, %u", w, c, found.type, found.shift,
			   expected.type, expected.shift);
	if (!packed)
		tap_expect(memcmp(tablet_at(page_batch, column->values), tablet_at(all, from->values) + (size_t) bytes * begin, (size_t) bytes * n) == 0,
				   "window %u of %u rows, column %u: values", w, n, c);
	for (uint32_t row = 0; row < n && packed; row++)
	{
		const Wide	v = integer_at(page_batch, column, row);

		wrong += tablet_is_null(all, from, begin + row) ? v < range.min || v > range.max : v != integer_at(all, from, begin + row);
	}
	tap_expect(wrong == 0, "window %u of %u rows, column %u: %u values are wrong", w, n, c, wrong);
	tap_expect(wide_load(column->min) == range.min && wide_load(column->max) == range.max, "window %u, column %u: range", w, c);
	tap_expect((column->null_count > 0) == (from->null_count > 0), "window %u, column %u: whether there may be NULLs", w, c);
	for (uint32_t row = 0; row < n && column->null_count > 0; row++)
		wrong += tablet_is_null(page_batch, column, row) != tablet_is_null(all, from, begin + row);
	tap_expect(wrong == 0, "window %u, column %u: %u NULLs are wrong", w, c, wrong);
}

/* Test the output of all columns of each page batch of a launch. */
static void
run_columns(const char *name, uint32_t rows, uint32_t zeros)
{
	uint32_t   *status = take<uint32_t>(1);
	OutputLaunch launch = {};
	ForEncoding	named[BATCH_PAGE_BATCHES][NCOLUMNS];
	uint32_t	nrows = 0;

	tap_begin(name);
	launch.npage_batches = BATCH_PAGE_BATCHES;
	for (uint32_t w = 0; w < BATCH_PAGE_BATCHES; w++)
		launch.row_start[w + 1] = nrows += w == 3 ? 0 : 1 + (uint32_t) random_below(rows);
	Tablet	   *tablet = (Tablet *) take<uint8_t>(tablet_size(types, NCOLUMNS, nrows, 0));
	fill_tablet(tablet, nrows, zeros);
	launch.tablet = tablet;
	launch.status = status;
	for (uint32_t w = 0; w < BATCH_PAGE_BATCHES; w++)
		launch.block[w] = w == 5 ? nullptr
			: take<uint8_t>(tablet_columns_size(types, NCOLUMNS, launch.row_start[w + 1] - launch.row_start[w]) + 1);
	*status = STATUS_TABLE_FULL;
	check(output_columns_launch(&launch, NCOLUMNS, nullptr), "launch");
	check(cudaDeviceSynchronize(), "run");
	tap_expect(launch.block[0][0] == UNTOUCHED && launch.block[0][sizeof(Tablet)] == UNTOUCHED, "of a run that has failed nothing is written");
	*status = STATUS_DONE;
	for (uint32_t w = 0; w < BATCH_PAGE_BATCHES; w++)
		for (uint32_t c = 0; c < NCOLUMNS && launch.block[w] != nullptr; c++)
		{
			name_encoding(&launch, w, c);
			named[w][c] = for_encoding_of(&((Tablet *) launch.block[w])->column[c]);
		}
	check(output_columns_launch(&launch, NCOLUMNS, nullptr), "launch");
	check(cudaDeviceSynchronize(), "run");
	for (uint32_t w = 0; w < BATCH_PAGE_BATCHES; w++)
		if (launch.block[w] != nullptr)
		{
			const uint64_t size = tablet_columns_size(types, NCOLUMNS, launch.row_start[w + 1] - launch.row_start[w]);

			for (uint32_t c = 0; c < NCOLUMNS; c++)
				expect_column(&launch, w, c, &named[w][c]);
			tap_expect(launch.block[w][size] == UNTOUCHED, "window %u: what is behind it", w);
		}
	tap_end();
	for (uint32_t w = 0; w < BATCH_PAGE_BATCHES; w++)
		cudaFreeHost(launch.block[w]);
	cudaFreeHost(tablet);
	cudaFreeHost(status);
}

int
main(void)
{
	run_batch("no row passes", 3000, 0);
	run_batch("few rows pass", 12000, 2);
	run_batch("half of the rows pass", 5000, 50);
	run_batch("all rows pass", 9000, 100);
	run_batch("windows of a few rows", 40, 60);
	run_columns("columns of windows", 6000, 0);
	run_columns("columns of small integers", 6000, 3);
	run_columns("columns of smaller ones", 4000, 7);
	run_columns("columns of windows of a few rows", 90, 1);
	return tap_done();
}

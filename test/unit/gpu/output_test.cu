/*
 * output_test.cu
 *		Compacting the outputs of rows that passed, on a GPU, beside output_gather() on the host.
 *
 * A batch of several windows whose borders fall anywhere, columns of every
 * width, with and without NULLs, and from no row to all of them passing.
 * What lies behind a window's last value must stay as it was.
 */
#include <vector>

#include "check.cuh"
#include "core/output.h"
#include "output_launch.h"
#include "tap.h"

#define UNTOUCHED 0xA5

static const uint16_t types[] = {
	COLTYPE_BOOL, COLTYPE_I16, COLTYPE_I32, COLTYPE_U32, COLTYPE_I64, COLTYPE_F64, COLTYPE_I128, COLTYPE_U8, COLTYPE_F32
};

#define NCOLUMNS ((uint32_t) lengthof(types))

/* Memory that both sides reach. */
template<typename T>
static T *
take(size_t n)
{
	T		   *memory;

	check(cudaHostAlloc((void **) &memory, n * sizeof(T), cudaHostAllocDefault), "cudaHostAlloc");
	memset((void *) memory, UNTOUCHED, n * sizeof(T));
	return memory;
}

/* A program that has every column as an output, some twice, in no order. */
static void
make_program(Program *program)
{
	memset(program, 0, sizeof(*program));
	program->ncolumns = NCOLUMNS;
	for (uint32_t c = 0; c < NCOLUMNS; c++)
		program->output[program->noutputs++] = (uint8_t) ((c * 4 + 2) % NCOLUMNS);
	program->output[program->noutputs++] = 6;
}

/* Random bytes in every column, NULLs in some. */
static void
fill_tablet(Tablet *tablet, uint32_t nrows)
{
	tablet_layout(tablet, types, NCOLUMNS, nrows, 0);
	for (uint32_t c = 0; c < NCOLUMNS; c++)
	{
		TabletColumn *column = &tablet->column[c];

		for (uint64_t i = 0; i < (uint64_t) nrows * coltype_bytes((ColType) types[c]); i++)
			tablet_at(tablet, column->values)[i] = (uint8_t) random_below(256);
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

/* What the host makes of a window, in a block of its own. */
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

/* One batch: so many rows in each window, of 100 so many pass. */
static void
run_batch(const char *name, uint32_t rows, uint32_t percent)
{
	Program    *program = take<Program>(1);
	uint32_t   *status = take<uint32_t>(1);
	OutputLaunch launch = {};
	uint32_t	nrows = 0;

	tap_begin(name);
	make_program(program);
	launch.nwindows = BATCH_WINDOWS;
	for (uint32_t w = 0; w < BATCH_WINDOWS; w++)
		launch.row_start[w + 1] = nrows += w == 3 ? 0 : 1 + (uint32_t) random_below(rows);
	Tablet	   *tablet = (Tablet *) take<uint8_t>(tablet_size(types, NCOLUMNS, nrows, 0));
	uint32_t   *passed = take<uint32_t>(nrows / 32 + 1);
	fill_tablet(tablet, nrows);
	memset(passed, 0, (nrows / 32 + 1) * 4);
	for (uint32_t row = 0; row < nrows; row++)
		if (random_below(100) < percent)
			passed[row / 32] |= 1u << row % 32;
	launch.program = program;
	launch.tablet = tablet;
	launch.passed = passed;
	launch.status = status;
	for (uint32_t w = 0; w < BATCH_WINDOWS; w++)
	{
		uint64_t	size;

		expected_block(&launch, w, &size);
		launch.block[w] = w == 5 ? nullptr : take<uint8_t>(size + 1);
	}

	/* of a run that has failed nothing is written */
	for (*status = STATUS_NEEDS_WIDE;; *status = STATUS_DONE)
	{
		check(output_launch(&launch, program->noutputs, nullptr), "launch");
		check(cudaDeviceSynchronize(), "run");
		for (uint32_t w = 0; w < BATCH_WINDOWS; w++)
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
	for (uint32_t w = 0; w < BATCH_WINDOWS; w++)
		cudaFreeHost(launch.block[w]);
	cudaFreeHost(tablet);
	cudaFreeHost(passed);
	cudaFreeHost(status);
	cudaFreeHost(program);
}

int
main(void)
{
	run_batch("no row passes", 3000, 0);
	run_batch("few rows pass", 12000, 2);
	run_batch("half of the rows pass", 5000, 50);
	run_batch("all rows pass", 9000, 100);
	run_batch("windows of a few rows", 40, 60);
	return tap_done();
}

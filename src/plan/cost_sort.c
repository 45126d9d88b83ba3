/*
 * cost_sort.c
 *		Cost of a GpuSort, in the planner's units.
 */
#include "postgres.h"

#include <math.h>

#include "access/htup_details.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"

#include "device/threads.h"
#include "plan/cost.h"
#include "plan/cost_private.h"

/* Nanoseconds of sorting a row by a word or two, by one thread: 10 million by two integers take 0.5 s. */
#define SORT_ROW_NS		40

/*
 * Nanoseconds of reading each further word of texts, which lie at random in
 * memory: 2 million URLs of 71 bytes take 3.2 s on two cores.
 */
#define SORT_TEXT_WORD_NS	300

/* Bytes of texts that exceed every processor cache; a part of fewer bytes is in a cache. */
#define FAR_TEXTS		(32.0 * 1024 * 1024)

/* Nanoseconds of starting a sort: memory, threads, the first batch. */
#define SORT_START_NS	50000

/* Nanoseconds of finding out whether a text was seen before. */
#define COLLATED_ROW_NS	60

/* Nanoseconds of handing a text that was not seen before to PostgreSQL's sort, and of taking it back. */
#define COLLATED_DIFFERENT_NS	300

/* Bytes of a row besides its columns while it is sorted: a number and a word, twice. */
#define SORT_ROW_BYTES	24

Cost
cost_comparisons(double rows)
{
	return 2 * cpu_operator_cost * rows * log2(Max(rows, 1));
}

Cost
cost_sorting(double rows, int ncolumns, bool as_columns)
{
	const double collect = ncolumns * NS(output_value) / (as_columns ? 2 : 1) + (as_columns ? 0 : NS(row_out));

	return (SORT_START_NS + rows * (collect + SORT_ROW_NS / cost_gain_of_threads(threads_wanted()))) / NS(pg_unit);
}

Cost
cost_sorting_texts(double rows, double width)
{
	const double words = Max(width / sizeof(uint64) - 1, 0);
	const double far = Min(rows * width / FAR_TEXTS, 1);

	return rows * words * far * SORT_TEXT_WORD_NS / cost_gain_of_threads(threads_wanted()) / NS(pg_unit);
}

Cost
cost_collating(double rows, double different)
{
	return (rows * COLLATED_ROW_NS + different * COLLATED_DIFFERENT_NS) / NS(pg_unit) +
		different * (log(Max(different, 2)) / log(2)) * 2 * cpu_operator_cost;
}

Cost
cost_sorted_out(double rows, int ncolumns)
{
	return rows * (NS(output_row) + ncolumns * NS(output_value)) / NS(pg_unit);
}

Cost
cost_sorted_groups(const CompileResult *compiled, double rows, double groups)
{
	const double run = NS(cpu_op) * compiled->op_cost + cost_ns_of_group(groups);

	return rows * (compiled->ncolumns * NS(output_value) / 2 + run / cost_gain_of_threads(threads_wanted())) / NS(pg_unit);
}

Cost
cost_sorted_runs(double rows, int width)
{
	const double pages = rows * (width + SizeofMinimalTupleHeader) / BLCKSZ;

	/*
	 * runs are written and read mostly in order, as in cost_tuplesort(), and
	 * rows are compared with those of some other runs
	 */
	return 2 * pages * (seq_page_cost * 0.75 + random_page_cost * 0.25) + rows * (2 * NS(row_out) / NS(pg_unit) + 6 * cpu_operator_cost);
}

double
cost_sort_bytes(double rows, int ncolumns)
{
	return rows * (SORT_ROW_BYTES + ncolumns * (sizeof(uint64) + 1));
}

/*
 * calibrate_figures.c
 *		Measures the figures of device/calibration.def by the times of queries over the tables of gpudb.calibrate().
 */
#include "postgres.h"

#include <math.h>

#include "executor/spi.h"
#include "optimizer/optimizer.h"

#include "admin/calibrate_figures.h"
#include "admin/calibrate_query.h"
#include "device/calibration.h"
#include "device/device.h"
#include "device/memory_rates.h"
#include "device/rates.h"
#include "device/threads.h"
#include "plan/cost.h"

#define TINY_RUNS	10			/* passes over the tiny table in each turn */
#define CLOSE_RUNS	3			/* runs of queries that take nearly the same time, whose difference counts */
#define HARDWARE_TURNS 2		/* every HARDWARE_TURNS-th turn measures hardware */
#define FAR_KEY		"k OPERATOR(pg_catalog.%) " CppAsString2(FAR_GROUPS)

/* Run a query `runs` more times over tables that no processor cache holds, and return its typical times. */
static Timing
cold_runs(const char *sql, int runs)
{
	Timing		timing = {0};

	for (int i = 0; i < runs; i++)
	{
		tables_flush();
		timing = query_typical(sql);
	}
	return timing;
}

static Timing
cold(const char *sql)
{
	return cold_runs(sql, 1);
}

/* Return PostgreSQL's estimated cost of a query, without the cost of its pages. */
static double
estimated_units(const char *sql, double pages)
{
	char	   *text;
	char	   *cost;

	query_execute(psprintf("EXPLAIN (FORMAT JSON) %s", sql));
	text = SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1);
	cost = strstr(text, "\"Total Cost\": ");
	if (cost == NULL)
		elog(ERROR, "gpudb cannot read a plan");
	return strtod(cost + strlen("\"Total Cost\": "), NULL) - seq_page_cost * pages;
}

static void
measure_postgres(Calibration *c)
{
	const char *sql = "SELECT pg_catalog.count(*) FROM @schema@.calibration_large "
		"WHERE k OPERATOR(pg_catalog.>=) 0 AND f OPERATOR(pg_catalog.<) 1000000 AND w OPERATOR(pg_catalog.>) -1";

	query_device(NULL);
	c->figure[FIGURE_pg_unit] = cold(sql).ms * 1e6 / estimated_units(sql, c->tables.large_pages);
}

/* Return the time of a pass over a thousand rows through a device, after other work that has filled the caches. */
static double
start_ns(const char *device)
{
	Timing		tiny;

	for (int i = 0; i < TINY_RUNS; i++)
	{
		query_device(NULL);
		query_execute("SELECT pg_catalog.max(t) FROM @schema@.calibration_small");
		query_device(device);
		tiny = query_typical("SELECT x, pg_catalog.count(*), pg_catalog.sum(v), pg_catalog.min(v), pg_catalog.max(v) "
							 "FROM @schema@.calibration_tiny GROUP BY x");
	}
	return Max(tiny.pass_ms * 1e6, 1000);
}

/* Return the time of an instruction, by one query with few of them and one with many. */
static double
op_ns(const Calibration *c)
{
	StringInfoData many;
	Timing		few_timing;
	Timing		many_timing;

	initStringInfo(&many);
	appendStringInfoString(&many, "SELECT pg_catalog.sum(v");
	for (int i = 1; i <= 24; i++)
		appendStringInfo(&many, " OPERATOR(pg_catalog.%s) (x OPERATOR(pg_catalog.%s) %d)", i % 2 ? "+" : "-", i % 3 ? "*" : "+", i);
	appendStringInfoString(&many, ") FROM @schema@.calibration_large");
	few_timing = cold("SELECT pg_catalog.sum(v OPERATOR(pg_catalog.+) x) FROM @schema@.calibration_large");
	many_timing = cold(many.data);
	return Max(many_timing.run_ns - few_timing.run_ns, 0) / c->tables.large_rows / (many_timing.op_cost - few_timing.op_cost);
}

/* Return how many groups FAR_KEY makes. */
static double
far_groups(const Calibration *c)
{
	return Min(c->tables.large_rows, FAR_GROUPS);
}

/* Return the time of finding a row's group by a key, beyond the time that `plain` takes without groups. */
static double
group_ns(const Calibration *c, const char *key, const Timing *plain)
{
	Timing		grouped = cold(psprintf("SELECT pg_catalog.sum(x) FROM @schema@.calibration_large GROUP BY %s", key));
	double		ops = (grouped.op_cost - GROUP_OP_COST - plain->op_cost) * c->figure[FIGURE_cpu_op];

	return Max((grouped.run_ns - plain->run_ns) / c->tables.large_rows - ops, 0.1);
}

/*
 * Return what each further thread adds to the backend's own work; NAN on one
 * processor, where there is none to measure.  The fastest runs count: what else
 * uses the cores slows the threads much more than one of them alone, and after
 * a server's first start that may be so most of the time.
 */
static double
thread_gain(void)
{
	const char *sql = "SELECT v, pg_catalog.sum(n), pg_catalog.sum(z), pg_catalog.max(w) FROM @schema@.calibration_large GROUP BY v";
	double		alone;
	double		helped;
	int			threads;

	query_set("gpudb.cpu_threads", "1");
	(void) cold(sql);
	alone = query_least_pass_ms(sql);
	query_set("gpudb.cpu_threads", "0");
	threads = threads_wanted();
	(void) cold(sql);
	helped = query_least_pass_ms(sql);
	query_set("gpudb.cpu_threads", "1");
	return threads > 0 ? Max((alone / helped - 1) / threads, 0.01) : NAN;
}

/*
 * Compute the cost of a page and of a row, both without the cost of starting a
 * pass, from the times of three tables: the large and the small one have few
 * rows per page, the narrow one many.
 */
static void
split(const Calibration *c, double large_ns, double narrow_ns, double small_ns, double *page, double *row)
{
	double		pages = c->tables.large_pages - c->tables.small_pages;
	double		rows = c->tables.large_rows - c->tables.small_rows;
	double		narrow_pages = c->tables.narrow_pages - c->tables.small_pages;
	double		narrow_rows = c->tables.narrow_rows - c->tables.small_rows;

	large_ns -= small_ns;
	narrow_ns -= small_ns;
	*row = Max((pages * narrow_ns - narrow_pages * large_ns) / (pages * narrow_rows - narrow_pages * rows), 0.01);
	*page = Max((large_ns - rows * *row) / pages, 1);
}

static void
measure_cpu(Calibration *c)
{
	Timing		one;
	Timing		six;
	Timing		small;
	Timing		narrow;
	Timing		other;
	double		row;

	c->figure[FIGURE_cpu_start] = start_ns("cpu");
	one = cold_runs("SELECT pg_catalog.sum(v) FROM @schema@.calibration_large", CLOSE_RUNS);
	six = cold_runs("SELECT pg_catalog.sum(v), pg_catalog.sum(k), pg_catalog.sum(w), pg_catalog.sum(x), pg_catalog.sum(y), pg_catalog.sum(f) "
					"FROM @schema@.calibration_large", CLOSE_RUNS);
	narrow = cold_runs("SELECT pg_catalog.sum(v) FROM @schema@.calibration_narrow", CLOSE_RUNS);
	small = cold_runs("SELECT pg_catalog.sum(v) FROM @schema@.calibration_small", CLOSE_RUNS);
	split(c, Min(one.feed_ns, six.feed_ns), narrow.feed_ns, small.feed_ns, &c->figure[FIGURE_pin_page], &c->figure[FIGURE_pin_tuple]);
	c->figure[FIGURE_cpu_column] = Max((six.deform_ns - one.deform_ns) / 5 / c->tables.large_rows, 0.1);
	split(c, one.deform_ns, narrow.deform_ns, small.deform_ns, &c->figure[FIGURE_cpu_page], &row);
	c->figure[FIGURE_cpu_row] = Max(row - c->figure[FIGURE_cpu_column], 0.1);
	/* the numeric n is the first attribute whose length varies: t stands 1 behind it, n3 3, and z 4 */
	other = cold_runs("SELECT pg_catalog.sum(z) FROM @schema@.calibration_large", CLOSE_RUNS);
	c->figure[FIGURE_cpu_attribute] = Max((other.deform_ns - one.deform_ns) / 4 / c->tables.large_rows, 0.1);
	other = cold_runs("SELECT pg_catalog.sum(v), pg_catalog.sum(n), pg_catalog.sum(n2), pg_catalog.sum(n3) "
					  "FROM @schema@.calibration_large", CLOSE_RUNS);
	c->figure[FIGURE_cpu_numeric] = Max((other.deform_ns - one.deform_ns) / 3 / c->tables.large_rows - c->figure[FIGURE_cpu_attribute], 0.1);
	other = cold("SELECT pg_catalog.sum(v), pg_catalog.max(t) FROM @schema@.calibration_large");
	c->figure[FIGURE_cpu_text] = Max(((other.deform_ns - one.deform_ns) / c->tables.large_rows - c->figure[FIGURE_cpu_attribute]) /
									 strlen(TEXT_VALUE), 0.01);
	c->figure[FIGURE_cpu_op] = Max(op_ns(c), 0.01);
	one = cold("SELECT pg_catalog.sum(x) FROM @schema@.calibration_large");
	c->figure[FIGURE_cpu_group] = group_ns(c, "v", &one);
	c->figure[FIGURE_cpu_far_group] = group_ns(c, FAR_KEY, &one);
	c->figure[FIGURE_cpu_thread] = thread_gain();
}

/*
 * Return the time of starting parallel workers that feed pages, by a table
 * that is too small for them; `alone` is the time of its pass without workers.
 */
static double
feeders_ns(double alone)
{
	double		helped;

	query_set("max_parallel_workers_per_gather", FEEDERS);
	helped = cold("SELECT pg_catalog.sum(v) FROM @schema@.calibration_small").pass_ms;
	query_set("max_parallel_workers_per_gather", "0");
	return Max((helped - alone) * 1e6, 1000);
}

static void
measure_gpu(Calibration *c)
{
	double		large;
	double		narrow;
	double		small;
	double		plain;
	double		grouped;

	query_device("gpu");
	/* the GPU process maps pages when they are first asked for, so that they can be read in place */
	query_execute("SELECT pg_catalog.sum(v) FROM @schema@.calibration_large");
	query_execute("SELECT pg_catalog.sum(v) FROM @schema@.calibration_narrow");
	c->figure[FIGURE_gpu_start] = start_ns("gpu");
	/* one process outruns the transfer, or nearly so; more of them would take longer to start than these tables last */
	large = cold("SELECT pg_catalog.sum(v) FROM @schema@.calibration_large").pass_ms;
	narrow = cold("SELECT pg_catalog.sum(v) FROM @schema@.calibration_narrow").pass_ms;
	small = cold("SELECT pg_catalog.sum(v) FROM @schema@.calibration_small").pass_ms;
	split(c, large * 1e6, narrow * 1e6, small * 1e6, &c->figure[FIGURE_gpu_page], &c->figure[FIGURE_gpu_row]);
	c->figure[FIGURE_feeder_start] = feeders_ns(small);
	c->figure[FIGURE_gpu_op] = Max(op_ns(c), 0.0001);
	plain = cold("SELECT pg_catalog.sum(x) FROM @schema@.calibration_large").pass_ms;
	grouped = cold("SELECT pg_catalog.sum(x) FROM @schema@.calibration_large GROUP BY " FAR_KEY).pass_ms;
	c->figure[FIGURE_gpu_group] = Max((grouped - plain) * 1e6 / far_groups(c), 0.1);
	plain = cold("SELECT pg_catalog.sum(x) FROM @schema@.calibration_small").pass_ms;
	grouped = cold("SELECT pg_catalog.sum(x) FROM @schema@.calibration_small GROUP BY v").pass_ms;
	c->figure[FIGURE_gpu_table] = Max((grouped - plain) * 1e6 - NEAR_GROUPS * c->figure[FIGURE_gpu_group], 1000);
}

/* Return the time of returning one of `n` rows, which EXPLAIN discards. */
static double
out_ns(const char *sql, double n, int runs)
{
	Timing		timing = cold_runs(psprintf("EXPLAIN (ANALYZE, TIMING OFF, COSTS OFF) %s", sql), runs);

	return Max(timing.rest_ms * 1e6 / n, 1);
}

static void
measure_output(Calibration *c)
{
	double		one;
	double		six;

	query_device("cpu");
	c->figure[FIGURE_row_out] = out_ns("SELECT t FROM @schema@.calibration_large WHERE k OPERATOR(pg_catalog.>=) 0", c->tables.large_rows, 1);
	one = out_ns("SELECT k FROM @schema@.calibration_large WHERE k OPERATOR(pg_catalog.>=) 0", c->tables.large_rows, CLOSE_RUNS);
	six = out_ns("SELECT k, v, w, f, x, y FROM @schema@.calibration_large WHERE k OPERATOR(pg_catalog.>=) 0", c->tables.large_rows, CLOSE_RUNS);
	c->figure[FIGURE_output_value] = Max((six - one) / 5, 0.1);
	c->figure[FIGURE_output_row] = Max(one - c->figure[FIGURE_output_value], 1);
	c->figure[FIGURE_group_out] = out_ns("SELECT " FAR_KEY ", pg_catalog.sum(v) FROM @schema@.calibration_large GROUP BY 1",
										 far_groups(c), 1);
}

/* Store a figure that is measured directly: the least of all turns. */
static void
note_least(Calibration *c, Figure figure, double ns)
{
	c->figure[figure] = fmin(c->figure[figure], ns);
}

/* Measure the hardware's bounds of everything else: memory, the bus, the communication with the GPU process. */
static void
measure_hardware(Calibration *c)
{
	double		page;
	double		word;
	ProviderRates rates;

	memory_rates(&page, &word);
	note_least(c, FIGURE_cpu_read_page, page);
	note_least(c, FIGURE_cpu_read_word, word);
	if (device_gpu_missing() != NULL || !rates_ask(&rates))
		return;
	note_least(c, FIGURE_gpu_hop, rates_hop());
	note_least(c, FIGURE_gpu_launch, rates.launch);
	note_least(c, FIGURE_gpu_copy_start, rates.copy_start);
	note_least(c, FIGURE_gpu_copy_page, rates.copy_page);
	note_least(c, FIGURE_gpu_fetch_page, rates.fetch_page);
	note_least(c, FIGURE_gpu_read_page, rates.read_page);
	note_least(c, FIGURE_gpu_read_word, rates.read_word);
	note_least(c, FIGURE_gpu_add, rates.add);
}

void
figures_measure(Calibration *c)
{
	if (c->turns++ % HARDWARE_TURNS == 0)
		measure_hardware(c);
	measure_postgres(c);
	measure_cpu(c);
	if (device_gpu_missing() == NULL)
		measure_gpu(c);
	measure_output(c);
}

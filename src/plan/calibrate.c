/*
 * calibrate.c
 *		gpudb.calibrate(): measure what the cost model must know of this machine.
 *
 * Queries run over a table made for that, through the nodes and devices that
 * all queries use; what nodes report of themselves, and how long the same
 * takes without them, gives the figures.  Each time is the least of several
 * runs, since whatever else the machine does only adds to it; and since that
 * may last for seconds, the runs come in rounds, until one more changes
 * nothing.  The table lives in a subtransaction that is rolled back, and so
 * does the schema of the extension, by which nodes know that they are wanted,
 * where it does not exist.
 */
#include "postgres.h"

#include <math.h>

#include "access/heapam.h"
#include "access/table.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "catalog/namespace.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "portability/instr_time.h"
#include "postmaster/bgworker.h"
#include "storage/bufmgr.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/numeric.h"
#include "utils/rel.h"
#include "utils/resowner.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"

#include "device/calibration.h"
#include "device/device.h"
#include "device/threads.h"
#include "exec/node.h"
#include "exec/stat.h"
#include "guc.h"
#include "plan/calibrate.h"
#include "plan/cost.h"

/*
 * The large table is to be larger than the processors' caches, but a part of
 * shared_buffers, so that scans leave it there.  Some 60 rows a page.
 */
#define LARGE_PAGES 12000
#define PAGE_ROWS	60
#define NARROW_PAGE_ROWS 226
#define SMALL_ROWS	80000
#define TINY_ROWS	1000
#define FEEDERS		"3"
#define ROUNDS_LEAST 3
#define ROUNDS_SECONDS 10		/* no round begins later */
#define RUNS		2			/* in each */
#define STEADY		1.04		/* a figure that has changed by less */
#define FAR_KEY		"k % " CppAsString2(FAR_GROUPS)
#define TEXT_VALUE	"what a row may hold besides numbers"
#define TINY_RUNS	15
#define BATCH		1000

extern PGDLLEXPORT void gpudb_calibration_main(Datum arg);

typedef struct Calibration
{
	double		figure[FIGURE_Count];
	double		large_rows;
	double		large_pages;
	double		narrow_rows;
	double		narrow_pages;
	double		small_pages;
} Calibration;

/* What the least of several runs of a query took. */
typedef struct Timing
{
	double		ms;				/* all in all */
	double		pass_ms;		/* of these the node's pass */
	double		rest_ms;		/* and the rest */
	double		feed_ms;
	double		deform_ns;
	double		run_ns;
	double		op_cost;		/* of its program, a row */
} Timing;

/* The same, remembered. */
typedef struct KnownTiming
{
	const char *name;			/* settings and query */
	Timing		least;
} KnownTiming;

static List *known_timings;		/* of this calibration */

/* Settings */

static void
set(const char *name, const char *value)
{
	(void) set_config_option(name, value, superuser() ? PGC_SUSET : PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
}

/* Settings that make what runs a matter of the query alone. */
static void
settle(void)
{
	set("gpudb.force", "on");
	set("gpudb.debug_require", "allow");
	set("gpudb.debug_fail", "-1");
	set("gpudb.debug_yield", "-1");
	set("gpudb.cpu_threads", "1");
	set("jit", "off");
	set("max_parallel_workers_per_gather", "0");
	set("work_mem", "64MB");
}

/* NULL: PostgreSQL alone. */
static void
choose_device(const char *device)
{
	set("gpudb.enabled", device != NULL ? "on" : "off");
	if (device != NULL)
		set("gpudb.device", device);
}

/* Tables */

/* Rows that every transaction sees, as after VACUUM, so that pages are as they are in a table at rest. */
static void
fill(const char *name, int nrows)
{
	Relation	relation = table_openrv(makeRangeVar("gpudb", pstrdup(name), -1), RowExclusiveLock);
	BulkInsertState state = GetBulkInsertState();
	TupleTableSlot *slot[BATCH];
	Datum		text = CStringGetTextDatum(TEXT_VALUE);
	int			natts = RelationGetDescr(relation)->natts;

	for (int i = 0; i < BATCH; i++)
		slot[i] = MakeSingleTupleTableSlot(RelationGetDescr(relation), &TTSOpsVirtual);
	for (int row = 0; row < nrows;)
	{
		int			n = 0;

		CHECK_FOR_INTERRUPTS();
		for (; n < BATCH && row < nrows; n++, row++)
		{
			Datum		number = NumericGetDatum(int64_div_fast_to_numeric(row * INT64CONST(7), 2));
			Datum		value[] = {
				Int32GetDatum(row), Int32GetDatum(row % NEAR_GROUPS), Int64GetDatum((int64) row * 7), Float8GetDatum(row / 8.0),
				Int32GetDatum(row % 77), Int32GetDatum(-row), number, text, number, number, Int32GetDatum(row)
			};

			ExecClearTuple(slot[n]);
			memset(slot[n]->tts_isnull, 0, natts * sizeof(bool));
			memcpy(slot[n]->tts_values, value, natts * sizeof(Datum));
			ExecStoreVirtualTuple(slot[n]);
		}
		table_multi_insert(relation, slot, n, GetCurrentCommandId(true), TABLE_INSERT_SKIP_FSM | TABLE_INSERT_FROZEN, state);
	}
	for (int i = 0; i < BATCH; i++)
		ExecDropSingleTupleTableSlot(slot[i]);
	FreeBulkInsertState(state);
	table_finish_bulk_insert(relation, TABLE_INSERT_SKIP_FSM | TABLE_INSERT_FROZEN);
	table_close(relation, NoLock);
	CommandCounterIncrement();
}

static void
execute(const char *sql)
{
	if (SPI_execute(sql, false, 0) < 0)
		elog(ERROR, "gpudb could not calibrate with: %s", sql);
}

/* A number that a query tells. */
static double
number(const char *sql)
{
	execute(sql);
	return strtod(SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1), NULL);
}

/* A table of so many rows; its number of pages. */
static double
make_table(const char *name, double nrows, const char *more_columns)
{
	execute(psprintf("CREATE UNLOGGED TABLE gpudb.%s (k int, v int%s) "
					 "WITH (autovacuum_enabled = off, parallel_workers = " FEEDERS ")", name, more_columns));
	fill(name, (int) nrows);
	execute(psprintf("ANALYZE gpudb.%s", name));
	return number(psprintf("SELECT relpages FROM pg_class WHERE oid = 'gpudb.%s'::regclass", name));
}

/* Measuring */

static void
keep_least(double *least, double value)
{
	*least = isnan(*least) ? value : Min(*least, value);
}

static Timing
run_once(const char *sql)
{
	const NodeReport *report = node_last_report();
	Timing		timing;
	instr_time	start;
	instr_time	end;

	INSTR_TIME_SET_CURRENT(start);
	execute(sql);
	INSTR_TIME_SET_CURRENT(end);
	INSTR_TIME_SUBTRACT(end, start);
	timing.ms = INSTR_TIME_GET_MILLISEC(end);
	timing.pass_ms = report->device_ms;
	timing.rest_ms = timing.ms - report->device_ms;
	timing.feed_ms = report->feed.feed_ms;
	timing.deform_ns = (double) report->feed.times.deform_ns;
	timing.run_ns = (double) report->feed.times.run_ns;
	timing.op_cost = report->op_cost;
	return timing;
}

/* The least that a query has taken under these settings, in earlier rounds or not at all yet. */
static Timing *
known_timing(const char *sql)
{
	MemoryContext old = MemoryContextSwitchTo(TopTransactionContext);
	char	   *name = psprintf("%d %d %d %d %s", gpudb_enabled, gpudb_device, gpudb_cpu_threads, max_parallel_workers_per_gather, sql);
	KnownTiming *known;
	ListCell   *lc;

	foreach(lc, known_timings)
	{
		known = lfirst(lc);
		if (strcmp(known->name, name) == 0)
		{
			MemoryContextSwitchTo(old);
			return &known->least;
		}
	}
	known = palloc(sizeof(KnownTiming));
	*known = (KnownTiming) {name, {NAN, NAN, NAN, NAN, NAN, NAN, 0}};
	known_timings = lappend(known_timings, known);
	MemoryContextSwitchTo(old);
	return &known->least;
}

static Timing
measure(const char *sql, int runs)
{
	Timing	   *least = known_timing(sql);

	for (int i = 0; i < runs; i++)
	{
		Timing		timing = run_once(sql);

		keep_least(&least->ms, timing.ms);
		keep_least(&least->pass_ms, timing.pass_ms);
		keep_least(&least->rest_ms, timing.rest_ms);
		keep_least(&least->feed_ms, timing.feed_ms);
		keep_least(&least->deform_ns, timing.deform_ns);
		keep_least(&least->run_ns, timing.run_ns);
		least->op_cost = timing.op_cost;
	}
	return *least;
}

/* What PostgreSQL thinks a query costs, but for its pages. */
static double
estimated_units(const char *sql, double pages)
{
	char	   *text;
	char	   *cost;

	execute(psprintf("EXPLAIN (FORMAT JSON) %s", sql));
	text = SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1);
	cost = strstr(text, "\"Total Cost\": ");
	if (cost == NULL)
		elog(ERROR, "gpudb cannot read a plan");
	return strtod(cost + strlen("\"Total Cost\": "), NULL) - seq_page_cost * pages;
}

static void
measure_postgres(Calibration *c)
{
	const char *sql = "SELECT count(*) FROM gpudb.calibration_large WHERE k >= 0 AND f < 1000000 AND w > -1";

	choose_device(NULL);
	c->figure[FIGURE_pg_unit] = measure(sql, RUNS).ms * 1e6 / estimated_units(sql, c->large_pages);
}

static int
compare_doubles(const void *a, const void *b)
{
	const double x = *(const double *) a;
	const double y = *(const double *) b;

	return (x > y) - (x < y);
}

/* How long a pass over a thousand rows takes through a device, as a rule, after other work that has filled the caches. */
static double
start_ns(const char *device)
{
	double		pass[TINY_RUNS];

	for (int i = 0; i < TINY_RUNS; i++)
	{
		choose_device(NULL);
		execute("SELECT max(t) FROM gpudb.calibration_small");
		choose_device(device);
		pass[i] = run_once("SELECT x, count(*), sum(v), min(v), max(v) FROM gpudb.calibration_tiny GROUP BY x").pass_ms;
	}
	qsort(pass, TINY_RUNS, sizeof(double), compare_doubles);
	return Max(pass[TINY_RUNS / 2] * 1e6, 1000);
}

/* The time of an instruction by one query with few of them and one with many. */
static double
op_ns(const Calibration *c)
{
	StringInfoData many;
	Timing		few_timing;
	Timing		many_timing;

	initStringInfo(&many);
	appendStringInfoString(&many, "SELECT sum(v");
	for (int i = 1; i <= 24; i++)
		appendStringInfo(&many, "%s x %s %d", i % 2 ? " +" : " -", i % 3 ? "*" : "+", i);
	appendStringInfoString(&many, ") FROM gpudb.calibration_large");
	few_timing = measure("SELECT sum(v + x) FROM gpudb.calibration_large", RUNS);
	many_timing = measure(many.data, RUNS);
	return Max(many_timing.run_ns - few_timing.run_ns, 0) / c->large_rows / (many_timing.op_cost - few_timing.op_cost);
}

/* How many groups FAR_KEY makes. */
static double
far_groups(const Calibration *c)
{
	return Min(c->large_rows, FAR_GROUPS);
}

/* The time of finding a row's group, beyond what `plain` takes without; of grouping by this key. */
static double
group_ns(const Calibration *c, const char *key, const Timing *plain)
{
	Timing		grouped = measure(psprintf("SELECT sum(x) FROM gpudb.calibration_large GROUP BY %s", key), RUNS);
	double		ops = (grouped.op_cost - plain->op_cost) * c->figure[FIGURE_cpu_op];

	return Max((grouped.run_ns - plain->run_ns) / c->large_rows - ops, 0.1);
}

/* What each further thread adds to the backend's own; on one processor there is none to measure. */
static double
thread_gain(void)
{
	const char *sql = "SELECT v, sum(n), sum(z), max(w) FROM gpudb.calibration_large GROUP BY v";
	double		alone;
	double		helped;
	int			threads;

	set("gpudb.cpu_threads", "1");
	alone = measure(sql, RUNS).pass_ms;
	set("gpudb.cpu_threads", "0");
	threads = threads_wanted();
	helped = measure(sql, RUNS).pass_ms;
	set("gpudb.cpu_threads", "1");
	return threads > 0 ? Max((alone / helped - 1) / threads, 0.01) : NAN;
}

/*
 * Tell what a page costs from what a row costs, by the times of the large
 * table, of few rows a page, and of the narrow one, of many.
 */
static void
split(const Calibration *c, double large_ns, double narrow_ns, double *page, double *row)
{
	double		rows = c->large_rows / c->large_pages;
	double		narrow_rows = c->narrow_rows / c->narrow_pages;

	*row = Max((narrow_ns / c->narrow_pages - large_ns / c->large_pages) / (narrow_rows - rows), 0.01);
	*page = Max(large_ns / c->large_pages - rows * *row, 1);
}

static void
measure_cpu(Calibration *c)
{
	Timing		one;
	Timing		six;
	Timing		other;

	keep_least(&c->figure[FIGURE_cpu_start], start_ns("cpu"));
	/* more often, since they differ by little */
	one = measure("SELECT sum(v) FROM gpudb.calibration_large", 2 * RUNS);
	six = measure("SELECT sum(v), sum(k), sum(w), sum(x), sum(y), sum(f) FROM gpudb.calibration_large", 2 * RUNS);
	other = measure("SELECT sum(v) FROM gpudb.calibration_narrow", 4 * RUNS);
	split(c, Min(one.feed_ms, six.feed_ms) * 1e6, other.feed_ms * 1e6, &c->figure[FIGURE_pin_page], &c->figure[FIGURE_pin_tuple]);
	c->figure[FIGURE_cpu_column] = Max((six.deform_ns - one.deform_ns) / 5 / c->large_rows, 0.1);
	c->figure[FIGURE_cpu_row] = Max(one.deform_ns / c->large_rows - c->figure[FIGURE_cpu_column], 0.1);
	/* the numeric n is the first attribute whose length varies: t stands 1 behind it, n3 3, and z 4 */
	other = measure("SELECT sum(z) FROM gpudb.calibration_large", RUNS);
	c->figure[FIGURE_cpu_attribute] = Max((other.deform_ns - one.deform_ns) / 4 / c->large_rows, 0.1);
	other = measure("SELECT sum(v), sum(n), sum(n2), sum(n3) FROM gpudb.calibration_large", RUNS);
	c->figure[FIGURE_cpu_numeric] = Max((other.deform_ns - one.deform_ns) / 3 / c->large_rows - c->figure[FIGURE_cpu_attribute], 0.1);
	other = measure("SELECT sum(v), max(t) FROM gpudb.calibration_large", RUNS);
	c->figure[FIGURE_cpu_text] = Max(((other.deform_ns - one.deform_ns) / c->large_rows - c->figure[FIGURE_cpu_attribute]) /
									 strlen(TEXT_VALUE), 0.01);
	c->figure[FIGURE_cpu_op] = Max(op_ns(c), 0.01);
	one = measure("SELECT sum(x) FROM gpudb.calibration_large", RUNS);
	c->figure[FIGURE_cpu_group] = group_ns(c, "v", &one);
	c->figure[FIGURE_cpu_far_group] = group_ns(c, FAR_KEY, &one);
	c->figure[FIGURE_cpu_thread] = thread_gain();
}

/*
 * What a pass takes beyond starting: the transfer, which one process outruns or
 * nearly so.  More of them would take longer to start than these tables last.
 */
static double
transfer_ns(const Calibration *c, const char *sql)
{
	return Max(measure(sql, 2 * RUNS).pass_ms * 1e6 - c->figure[FIGURE_gpu_start], 0);
}

/* What workers that feed cost to start, by a table that is too small for them. */
static double
feeders_ns(void)
{
	const char *small = "SELECT sum(v) FROM gpudb.calibration_small";
	double		alone = measure(small, RUNS).pass_ms;
	double		helped;

	set("max_parallel_workers_per_gather", FEEDERS);
	helped = measure(small, RUNS).pass_ms;
	set("max_parallel_workers_per_gather", "0");
	return Max((helped - alone) * 1e6, 1000);
}

static void
measure_gpu(Calibration *c)
{
	double		plain;
	double		grouped;

	choose_device("gpu");
	/* pages become readable in place as they are asked for */
	execute("SELECT sum(v) FROM gpudb.calibration_large");
	execute("SELECT sum(v) FROM gpudb.calibration_narrow");
	keep_least(&c->figure[FIGURE_gpu_start], start_ns("gpu"));
	split(c, transfer_ns(c, "SELECT sum(v) FROM gpudb.calibration_large"),
		  transfer_ns(c, "SELECT sum(v) FROM gpudb.calibration_narrow"), &c->figure[FIGURE_gpu_page], &c->figure[FIGURE_gpu_row]);
	c->figure[FIGURE_feeder_start] = feeders_ns();
	c->figure[FIGURE_gpu_op] = Max(op_ns(c), 0.0001);
	plain = measure("SELECT sum(x) FROM gpudb.calibration_large", RUNS).pass_ms;
	grouped = measure("SELECT sum(x) FROM gpudb.calibration_large GROUP BY " FAR_KEY, RUNS).pass_ms;
	c->figure[FIGURE_gpu_group] = Max((grouped - plain) * 1e6 / far_groups(c), 0.1);
	plain = measure("SELECT sum(x) FROM gpudb.calibration_small", 4 * RUNS).pass_ms;
	grouped = measure("SELECT sum(x) FROM gpudb.calibration_small GROUP BY v", 4 * RUNS).pass_ms;
	c->figure[FIGURE_gpu_table] = Max((grouped - plain) * 1e6 - NEAR_GROUPS * c->figure[FIGURE_gpu_group], 1000);
}

/* The time of returning one of n rows; nobody looks at them. */
static double
out_ns(const char *sql, double n)
{
	Timing		timing = measure(psprintf("EXPLAIN (ANALYZE, TIMING OFF, COSTS OFF) %s", sql), RUNS);

	return Max(timing.rest_ms * 1e6 / n, 1);
}

static void
measure_output(Calibration *c)
{
	double		one;
	double		six;

	choose_device("cpu");
	c->figure[FIGURE_row_out] = out_ns("SELECT t FROM gpudb.calibration_large WHERE k >= 0", c->large_rows);
	one = out_ns("SELECT k FROM gpudb.calibration_large WHERE k >= 0", c->large_rows);
	six = out_ns("SELECT k, v, w, f, x, y FROM gpudb.calibration_large WHERE k >= 0", c->large_rows);
	c->figure[FIGURE_output_value] = Max((six - one) / 5, 0.1);
	c->figure[FIGURE_output_row] = Max(one - c->figure[FIGURE_output_value], 1);
	c->figure[FIGURE_group_out] = out_ns("SELECT " FAR_KEY ", sum(v) FROM gpudb.calibration_large GROUP BY 1",
										 far_groups(c));
}

/* Has the last round found what the ones before had? */
static bool
steady(const double *before, const double *after)
{
	for (int f = 0; f < FIGURE_Count; f++)
		if (!isnan(after[f]) && !(Max(before[f], after[f]) < STEADY * Min(before[f], after[f])))
			return false;
	return true;
}

static void
measure_round(Calibration *c)
{
	measure_postgres(c);
	measure_cpu(c);
	if (device_gpu_missing() == NULL)
		measure_gpu(c);
	measure_output(c);
}

static void
measure_all(Calibration *c)
{
	const char *more = ", w bigint, f float8, x int, y int, n numeric(12,2), t text COLLATE \"C\", n2 numeric(12,2), n3 numeric(12,2), z int";
	const double pages = Min(LARGE_PAGES, NBuffers / 6);
	TimestampTz start;

	if (!OidIsValid(get_namespace_oid("gpudb", true)))
		execute("CREATE SCHEMA gpudb");
	c->large_rows = PAGE_ROWS * pages;
	c->large_pages = make_table("calibration_large", c->large_rows, more);
	c->narrow_rows = NARROW_PAGE_ROWS * pages / 4;
	c->narrow_pages = make_table("calibration_narrow", c->narrow_rows, "");
	c->small_pages = make_table("calibration_small", SMALL_ROWS, more);
	(void) make_table("calibration_tiny", TINY_ROWS, more);
	start = GetCurrentTimestamp();
	for (int round = 1; round <= ROUNDS_LEAST || !TimestampDifferenceExceeds(start, GetCurrentTimestamp(), ROUNDS_SECONDS * 1000); round++)
	{
		double		before[FIGURE_Count];

		memcpy(before, c->figure, sizeof(before));
		measure_round(c);
		if (round >= ROUNDS_LEAST && steady(before, c->figure))
			break;
	}
}

static void
calibrate(void)
{
	MemoryContext context = CurrentMemoryContext;
	ResourceOwner owner = CurrentResourceOwner;
	Calibration c;
	int			nest = NewGUCNestLevel();

	for (int f = 0; f < FIGURE_Count; f++)
		c.figure[f] = NAN;
	known_timings = NIL;
	SPI_connect();
	settle();
	BeginInternalSubTransaction(NULL);
	measure_all(&c);
	RollbackAndReleaseCurrentSubTransaction();
	MemoryContextSwitchTo(context);
	CurrentResourceOwner = owner;
	SPI_finish();
	AtEOXact_GUC(false, nest);
	calibration_store(c.figure);
}

extern PGDLLEXPORT Datum gpudb_calibrate(PG_FUNCTION_ARGS);

PG_FUNCTION_INFO_V1(gpudb_calibrate);

/* gpudb.calibrate(): some seconds; superusers only, unless it is granted. */
Datum
gpudb_calibrate(PG_FUNCTION_ARGS)
{
	require_preloaded();
	PreventCommandIfReadOnly("gpudb.calibrate()");
	calibrate();
	PG_RETURN_VOID();
}

/* At the first start */

/* Once: nobody waits for it, and what fails is tried again at the next start. */
void
gpudb_calibration_main(Datum arg)
{
	bool		has_gpu;

	BackgroundWorkerUnblockSignals();
	BackgroundWorkerInitializeConnection("postgres", NULL, 0);
	has_gpu = device_await_gpu() == NULL;
	if (calibration_measured(FIGURE_cpu_start) && (!has_gpu || calibration_measured(FIGURE_gpu_start)))
		return;
	StartTransactionCommand();
	if (!XactReadOnly)
	{
		PushActiveSnapshot(GetTransactionSnapshot());
		calibrate();
		PopActiveSnapshot();
		ereport(LOG, (errmsg("gpudb has calibrated its cost model"), errhint("See the view gpudb.calibration.")));
	}
	CommitTransactionCommand();
}

void
calibrate_register(void)
{
	BackgroundWorker worker = {
		.bgw_name = "gpudb calibration", .bgw_type = "gpudb calibration",
		.bgw_flags = BGWORKER_SHMEM_ACCESS | BGWORKER_BACKEND_DATABASE_CONNECTION,
		.bgw_start_time = BgWorkerStart_RecoveryFinished, .bgw_restart_time = BGW_NEVER_RESTART,
		.bgw_library_name = "gpudb", .bgw_function_name = "gpudb_calibration_main"
	};

	if (gpudb_auto_calibrate)
		RegisterBackgroundWorker(&worker);
}

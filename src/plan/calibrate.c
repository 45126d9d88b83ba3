/*
 * calibrate.c
 *		gpudb.calibrate(): measure what the cost model must know of this machine.
 *
 * Queries run over a table made for that, through the nodes and devices that
 * all queries use; what nodes report of themselves, and how long the same
 * takes without them, gives the figures.  Every figure is the least of several
 * runs, since whatever else the machine does only adds to it.  The table lives
 * in a subtransaction that is rolled back, and so does the schema of the
 * extension, by which nodes know that they are wanted, where it does not exist.
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
#include "optimizer/optimizer.h"
#include "portability/instr_time.h"
#include "postmaster/bgworker.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/numeric.h"
#include "utils/rel.h"
#include "utils/resowner.h"
#include "utils/snapmgr.h"

#include "device/calibration.h"
#include "device/device.h"
#include "exec/node.h"
#include "exec/stat.h"
#include "guc.h"
#include "plan/calibrate.h"

/* Some 75 rows a page: 5,300 pages and 1,070. */
#define LARGE_ROWS	400000
#define SMALL_ROWS	80000
#define TINY_ROWS	10
#define RUNS		7
#define TINY_RUNS	30
#define BATCH		1000

extern PGDLLEXPORT void gpudb_calibration_main(Datum arg);

typedef struct Calibration
{
	double		figure[FIGURE_Count];
	double		large_pages;
	double		small_pages;
} Calibration;

/* What the least of several runs of a query took. */
typedef struct Timing
{
	double		ms;				/* all in all */
	double		rest_ms;		/* but for the node's pass */
	double		feed_ms;
	double		deform_ns;
	double		run_ns;
	double		op_cost;		/* of its program, a row */
} Timing;

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

	for (int i = 0; i < BATCH; i++)
		slot[i] = MakeSingleTupleTableSlot(RelationGetDescr(relation), &TTSOpsVirtual);
	for (int row = 0; row < nrows;)
	{
		int			n = 0;

		CHECK_FOR_INTERRUPTS();
		for (; n < BATCH && row < nrows; n++, row++)
		{
			ExecClearTuple(slot[n]);
			memset(slot[n]->tts_isnull, 0, RelationGetDescr(relation)->natts * sizeof(bool));
			slot[n]->tts_values[0] = Int32GetDatum(row);
			slot[n]->tts_values[1] = Int32GetDatum(row % 1000);
			slot[n]->tts_values[2] = Int64GetDatum((int64) row * 7);
			slot[n]->tts_values[3] = Float8GetDatum(row / 8.0);
			slot[n]->tts_values[4] = Int32GetDatum(row % 77);
			slot[n]->tts_values[5] = Int32GetDatum(-row);
			slot[n]->tts_values[6] = NumericGetDatum(int64_div_fast_to_numeric(row * INT64CONST(7), 2));
			slot[n]->tts_values[7] = CStringGetTextDatum("what a row may hold besides numbers");
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

static double
make_table(const char *name, int nrows)
{
	execute(psprintf("CREATE UNLOGGED TABLE gpudb.%s (k int, v int, w bigint, f float8, x int, y int, n numeric(12,2), t text) "
					 "WITH (autovacuum_enabled = off)", name));
	fill(name, nrows);
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
measure(const char *sql, int runs)
{
	Timing		least = {NAN, NAN, NAN, NAN, NAN, 0};

	for (int i = 0; i < runs; i++)
	{
		const NodeReport *report = node_last_report();
		instr_time	start;
		instr_time	end;
		double		ms;

		INSTR_TIME_SET_CURRENT(start);
		execute(sql);
		INSTR_TIME_SET_CURRENT(end);
		INSTR_TIME_SUBTRACT(end, start);
		ms = INSTR_TIME_GET_MILLISEC(end);
		keep_least(&least.ms, ms);
		keep_least(&least.rest_ms, ms - report->device_ms);
		keep_least(&least.feed_ms, report->feed.feed_ms);
		keep_least(&least.deform_ns, (double) report->feed.times.deform_ns);
		keep_least(&least.run_ns, (double) report->feed.times.run_ns);
		least.op_cost = report->op_cost;
	}
	return least;
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

/* How long the least pass takes through a device, beyond what PostgreSQL takes for so few rows. */
static double
start_ns(const char *device)
{
	const char *sql = "SELECT count(*) FROM gpudb.calibration_tiny WHERE k >= 0";
	double		alone;

	choose_device(NULL);
	alone = measure(sql, TINY_RUNS).ms;
	choose_device(device);
	return Max((measure(sql, TINY_RUNS).ms - alone) * 1e6, 1000);
}

/* The time of an instruction by one query with few of them and one with many. */
static double
op_ns(const char *table, double nrows)
{
	StringInfoData many;
	Timing		few_timing;
	Timing		many_timing;

	initStringInfo(&many);
	appendStringInfoString(&many, "SELECT sum(v");
	for (int i = 1; i <= 24; i++)
		appendStringInfo(&many, "%s x %s %d", i % 2 ? " +" : " -", i % 3 ? "*" : "+", i);
	appendStringInfo(&many, ") FROM gpudb.%s", table);
	few_timing = measure(psprintf("SELECT sum(v + x) FROM gpudb.%s", table), RUNS);
	many_timing = measure(many.data, RUNS);
	return Max(many_timing.run_ns - few_timing.run_ns, 0) / nrows / (many_timing.op_cost - few_timing.op_cost);
}

static void
measure_cpu(Calibration *c)
{
	Timing		one;
	Timing		five;
	Timing		numeric;

	c->figure[FIGURE_cpu_start] = start_ns("cpu");
	one = measure("SELECT sum(v) FROM gpudb.calibration_large", RUNS);
	five = measure("SELECT sum(v), sum(k), sum(w), sum(x), sum(y) FROM gpudb.calibration_large", RUNS);
	c->figure[FIGURE_pin_page] = Min(one.feed_ms, five.feed_ms) * 1e6 / c->large_pages;
	c->figure[FIGURE_cpu_column] = Max((five.deform_ns - one.deform_ns) / 4 / LARGE_ROWS, 0.1);
	c->figure[FIGURE_cpu_row] = Max(one.deform_ns / LARGE_ROWS - c->figure[FIGURE_cpu_column], 0.1);
	numeric = measure("SELECT sum(v), sum(n) FROM gpudb.calibration_large", RUNS);
	c->figure[FIGURE_cpu_numeric] = Max((numeric.deform_ns - one.deform_ns) / LARGE_ROWS, 0.1);
	c->figure[FIGURE_cpu_op] = Max(op_ns("calibration_large", LARGE_ROWS), 0.01);
}

static void
measure_gpu(Calibration *c)
{
	choose_device("gpu");
	/* pages become readable in place as they are asked for */
	(void) measure("SELECT sum(v) FROM gpudb.calibration_small", RUNS);
	c->figure[FIGURE_gpu_start] = start_ns("gpu");
	c->figure[FIGURE_gpu_page] = measure("SELECT sum(v) FROM gpudb.calibration_small", RUNS).deform_ns / c->small_pages;
	c->figure[FIGURE_gpu_op] = Max(op_ns("calibration_small", SMALL_ROWS), 0.0001);
}

/* The time of returning one of n rows, beyond what the planner adds for it; nobody looks at them. */
static double
out_ns(const Calibration *c, const char *sql, double n)
{
	Timing		timing = measure(psprintf("EXPLAIN (ANALYZE, TIMING OFF, COSTS OFF) %s", sql), RUNS);

	return Max(timing.rest_ms * 1e6 / n - cpu_tuple_cost * c->figure[FIGURE_pg_unit], 1);
}

static void
measure_output(Calibration *c)
{
	choose_device("cpu");
	c->figure[FIGURE_row_out] = out_ns(c, "SELECT k FROM gpudb.calibration_large WHERE k >= 0", LARGE_ROWS);
	c->figure[FIGURE_group_out] = out_ns(c, "SELECT k / 4, sum(v) FROM gpudb.calibration_large GROUP BY 1", LARGE_ROWS / 4);
}

static void
measure_all(Calibration *c)
{
	if (!OidIsValid(get_namespace_oid("gpudb", true)))
		execute("CREATE SCHEMA gpudb");
	c->large_pages = make_table("calibration_large", LARGE_ROWS);
	c->small_pages = make_table("calibration_small", SMALL_ROWS);
	(void) make_table("calibration_tiny", TINY_ROWS);
	measure_postgres(c);
	measure_cpu(c);
	if (device_gpu_missing() == NULL)
		measure_gpu(c);
	measure_output(c);
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

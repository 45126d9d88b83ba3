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
#include "exec/stat.h"
#include "guc.h"
#include "pg_compat.h"
#include "plan/calibrate.h"
#include "plan/calibrate_figures.h"
#include "plan/calibrate_query.h"
#include "plan/cost.h"

/*
 * The large table is to be much larger than a core's caches, but a part of
 * shared_buffers, so that scans leave it there; and passes over it are to be
 * short and many, so that some of them meet a quiet machine.
 */
#define LARGE_PAGES 6000
#define PAGE_ROWS	60
#define NARROW_PAGE_ROWS 226
#define TINY_ROWS	1000
#define ROUNDS_LEAST 3
#define ROUNDS_SECONDS 10		/* no round begins later */
#define BATCH		1000

extern PGDLLEXPORT void gpudb_calibration_main(Datum arg);

/* Settings that make what runs a matter of the query alone. */
static void
settle(void)
{
	query_set("gpudb.force", "on");
	query_set("gpudb.debug_require", "allow");
	query_set("gpudb.debug_fail", "-1");
	query_set("gpudb.debug_yield", "-1");
	query_set("gpudb.cpu_threads", "1");
	query_set("jit", "off");
	query_set("max_parallel_workers_per_gather", "0");
	query_set("work_mem", "64MB");
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

/*
 * Have a table's pages stand in shared_buffers one behind the other, as in a
 * server that has just started, whatever was there before: how fast they are
 * read depends on it.  Buffers that are freed come back the last ones first,
 * so the last page is read first.
 */
static void
line_up(const char *name)
{
	Relation	relation = table_openrv(makeRangeVar("gpudb", pstrdup(name), -1), AccessExclusiveLock);
	BlockNumber block = RelationGetNumberOfBlocks(relation);

	FlushRelationBuffers(relation);
	compat_drop_buffers(relation);
	while (block > 0)
		ReleaseBuffer(ReadBuffer(relation, --block));
	table_close(relation, NoLock);
}

/* A table of so many rows; its number of pages. */
static double
make_table(const char *name, double nrows, const char *more_columns)
{
	query_execute(psprintf("CREATE UNLOGGED TABLE gpudb.%s (k int, v int%s) "
					 "WITH (autovacuum_enabled = off, parallel_workers = " FEEDERS ")", name, more_columns));
	fill(name, (int) nrows);
	query_execute(psprintf("ANALYZE gpudb.%s", name));
	line_up(name);
	return query_number(psprintf("SELECT relpages FROM pg_class WHERE oid = 'gpudb.%s'::regclass", name));
}

static void
measure_all(Calibration *c)
{
	const char *more = ", w bigint, f float8, x int, y int, n numeric(12,2), t text COLLATE \"C\", n2 numeric(12,2), n3 numeric(12,2), z int";
	const double pages = Min(LARGE_PAGES, NBuffers / 6);
	TimestampTz start;

	if (!OidIsValid(get_namespace_oid("gpudb", true)))
		query_execute("CREATE SCHEMA gpudb");
	c->large_rows = PAGE_ROWS * pages;
	c->large_pages = make_table("calibration_large", c->large_rows, more);
	c->narrow_rows = NARROW_PAGE_ROWS * pages / 2;
	c->narrow_pages = make_table("calibration_narrow", c->narrow_rows, "");
	c->small_rows = c->large_rows / 9;
	c->small_pages = make_table("calibration_small", c->small_rows, more);
	(void) make_table("calibration_tiny", TINY_ROWS, more);
	start = GetCurrentTimestamp();
	for (int round = 1; round <= ROUNDS_LEAST || !TimestampDifferenceExceeds(start, GetCurrentTimestamp(), ROUNDS_SECONDS * 1000); round++)
	{
		double		before[FIGURE_Count];

		memcpy(before, c->figure, sizeof(before));
		figures_measure(c);
		if (round >= ROUNDS_LEAST && figures_steady(before, c->figure))
			break;
	}
}

static void
calibrate(void)
{
	MemoryContext context = CurrentMemoryContext;
	ResourceOwner owner = CurrentResourceOwner;
	Calibration *c = palloc0(sizeof(Calibration));
	int			nest = NewGUCNestLevel();

	for (int f = 0; f < FIGURE_Count; f++)
		c->figure[f] = NAN;
	query_forget();
	SPI_connect();
	settle();
	BeginInternalSubTransaction(NULL);
	measure_all(c);
	RollbackAndReleaseCurrentSubTransaction();
	MemoryContextSwitchTo(context);
	CurrentResourceOwner = owner;
	SPI_finish();
	AtEOXact_GUC(false, nest);
	calibration_store(c->figure);
	pfree(c);
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

/*
 * calibrate.c
 *		gpudb.calibrate(): measures what the cost model must know of this machine.
 *
 * Queries run over tables made for that, through the nodes and devices that
 * all queries use; what nodes report of themselves, and how long the same
 * takes without them, gives the figures.  Many figures are differences of
 * times that differ by less than a machine's speed does from one second to the
 * next; so queries take turns, and each time is the mean of the middle half of
 * many runs.  The tables and their schema live in a subtransaction that is
 * rolled back, so no other session ever sees them.
 *
 * The caller may have put anything into schemas, so the queries find names in
 * pg_catalog alone.
 */
#include "postgres.h"

#include <math.h>

#include "access/xact.h"
#include "catalog/pg_authid.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "storage/latch.h"
#include "utils/guc.h"
#include "utils/resowner.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"

#include "admin/calibrate.h"
#include "admin/calibrate_figures.h"
#include "admin/calibrate_query.h"
#include "admin/calibrate_tables.h"
#include "compile/extension.h"
#include "device/calibration.h"
#include "device/device.h"
#include "device/free_cores.h"
#include "device/machine.h"
#include "device/threads.h"
#include "exec/run/stat.h"
#include "guc.h"
#include "plan/cost.h"
#include "worker/workers.h"

#define TURNS_LEAST 5
#define TURNS_MOST	200
#define TURNS_SECONDS 15		/* no turn begins later */

/*
 * Limits of the automatic calibration: seconds between tests whether the
 * machine is idle, seconds to wait for that, and attempts.
 */
#define IDLE_WAIT_S	5
#define IDLE_WAIT_MOST_S 300
#define ATTEMPTS	3

extern PGDLLEXPORT void gpudb_calibration_main(Datum arg);

/* Set configuration parameters so that the plans and times depend on the query alone. */
static void
settle(void)
{
	query_set("search_path", "pg_catalog, pg_temp");
	query_set("default_table_access_method", "heap");
	query_set("default_tablespace", "");
	query_set("gpudb.force", "on");
	query_set("gpudb.debug_require", "allow");
	query_set("gpudb.debug_fail", "-1");
	query_set("gpudb.debug_yield", "-1");
	query_set("gpudb.cpu_threads", "1");
	query_set("gpudb.cache", "off");
	query_set("gpudb.exact_float_sums", "off");
	query_set("jit", "off");
	query_set("max_parallel_workers_per_gather", "0");
	query_set("work_mem", "64MB");
}

static void
measure_all(Calibration *c)
{
	TimestampTz start;

	tables_make(&c->tables);
	start = GetCurrentTimestamp();
	while (c->turns < TURNS_LEAST ||
		   (c->turns < TURNS_MOST && !TimestampDifferenceExceeds(start, GetCurrentTimestamp(), TURNS_SECONDS * 1000)))
		figures_measure(c);
}

/* Run the measurements with gpudb nodes, whether the extension was created in this database or not. */
static void
measure_with_nodes(Calibration *c)
{
	extension_assume(true);
	PG_TRY();
	{
		measure_all(c);
	}
	PG_FINALLY();
	{
		extension_assume(false);
	}
	PG_END_TRY();
}

static void
calibrate(bool anew)
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
	measure_with_nodes(c);
	RollbackAndReleaseCurrentSubTransaction();
	MemoryContextSwitchTo(context);
	CurrentResourceOwner = owner;
	SPI_finish();
	AtEOXact_GUC(false, nest);
	calibration_store(c->figure, anew);
	pfree(c);
}

/*
 * Calibrate as a superuser: roles to whom the function was granted need not be
 * allowed to do what it does, and nothing in it is theirs to choose.
 */
static void
calibrate_as_superuser(bool anew)
{
	Oid			user;
	int			context;

	GetUserIdAndSecContext(&user, &context);
	if (!superuser())
		SetUserIdAndSecContext(BOOTSTRAP_SUPERUSERID, context | SECURITY_LOCAL_USERID_CHANGE | SECURITY_RESTRICTED_OPERATION);
	calibrate(anew);
	SetUserIdAndSecContext(user, context);
}

extern PGDLLEXPORT Datum gpudb_calibrate(PG_FUNCTION_ARGS);

PG_FUNCTION_INFO_V1(gpudb_calibrate);

/* gpudb.calibrate(anew boolean): takes some seconds; superusers only, unless it is granted. */
Datum
gpudb_calibrate(PG_FUNCTION_ARGS)
{
	require_preloaded();
	PreventCommandIfReadOnly("gpudb.calibrate()");
	calibrate_as_superuser(PG_GETARG_BOOL(0));
	PG_RETURN_VOID();
}

/* Calibration at the first start */

/* Return true if neither this server nor anything else uses the cores. */
static bool
machine_is_idle(void)
{
	/* the test takes all cores for a moment, of which queries get nothing then */
	return machine_running() == 0 && cores_are_free(threads_wanted());
}

/* Wait for an idle machine, but not forever. */
static void
await_idle_machine(void)
{
	if (!machine_is_idle())
		ereport(LOG, (errmsg("gpudb waits for an idle machine to calibrate its cost model")));
	for (int s = 0; s < IDLE_WAIT_MOST_S && !machine_is_idle(); s += IDLE_WAIT_S)
	{
		(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH, IDLE_WAIT_S * 1000L, PG_WAIT_EXTENSION);
		ResetLatch(MyLatch);
		CHECK_FOR_INTERRUPTS();
	}
}

static bool
is_calibrated(bool has_gpu)
{
	return calibration_measured(FIGURE_cpu_start) && (!has_gpu || calibration_measured(FIGURE_gpu_start));
}

static void
calibrate_in_transaction(bool anew)
{
	StartTransactionCommand();
	if (!XactReadOnly)
	{
		PushActiveSnapshot(GetTransactionSnapshot());
		calibrate(anew);
		PopActiveSnapshot();
		ereport(LOG, (errmsg("gpudb has calibrated its cost model"), errhint("See the view gpudb.calibration.")));
	}
	CommitTransactionCommand();
}

/*
 * Calibrate once, as the main function of a background worker.  Nobody waits
 * for it, and a calibration that fails is tried again at the next start.
 * After a server's first start its tables are often loaded: threads that find
 * no core then look useless, so figures from such a time only serve until
 * better ones are measured.
 */
void
gpudb_calibration_main(Datum arg)
{
	const bool	known = calibration_measured(FIGURE_cpu_start);
	bool		has_gpu;

	BackgroundWorkerUnblockSignals();
	has_gpu = device_await_gpu() == NULL;
	if (is_calibrated(has_gpu) || DefaultXactReadOnly)
		return;
	await_idle_machine();
	/* gpudb.calibrate() may have been called meanwhile */
	if (is_calibrated(has_gpu))
		return;
	BackgroundWorkerInitializeConnection("postgres", NULL, 0);
	calibrate_in_transaction(false);
	for (int attempt = 1; attempt < ATTEMPTS && !machine_is_idle(); attempt++)
	{
		await_idle_machine();
		calibrate_in_transaction(!known);
	}
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
		(void) worker_register(&worker);
}

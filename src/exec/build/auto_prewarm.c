/*
 * auto_prewarm.c
 *		Background worker that builds the columns for lack of which queries were slow: gpudb.auto_prewarm.
 *
 * The worker uses one transaction for each shelf, 255 MB of heap, so that it
 * holds no snapshot and no lock for long.  DROP DATABASE waits for other
 * processes in the database and gives up after a while, so it terminates the
 * worker.
 */
#include "postgres.h"

#include <signal.h>
#include <sys/resource.h>

#include "access/relation.h"
#include "access/xact.h"
#include "catalog/objectaccess.h"
#include "catalog/pg_database.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "postmaster/bgworker.h"
#include "postmaster/interrupt.h"
#include "storage/bufmgr.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "storage/proc.h"
#include "storage/procarray.h"
#include "storage/sinval.h"
#include "tcop/tcopprot.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/snapmgr.h"

#include "device/threads.h"
#include "exec/build/auto_prewarm.h"
#include "exec/build/build_columns.h"
#include "guc.h"
#include "tablet/cache/pool.h"
#include "tablet/cache/progress.h"
#include "tablet/scan/tablet_scan.h"

/* Nice value of the worker, which gives way to other processes where processors are scarce. */
#define NICENESS		10

/*
 * Limit of the time that building waits for busy processors, and interval
 * between looks at them.  Processors are free for a moment between two
 * queries, and while one is planned, so they count as free only after
 * FREE_LOOKS looks in a row that find them so.
 */
#define BUSY_MOST_MS	30000
#define BUSY_POLL_MS	100
#define FREE_LOOKS		3

/* Time to wait for free processors to take memory ahead, before looking again for columns to build. */
#define AHEAD_WAIT_MS	1000

/*
 * Interval between looks at the processors while a shelf is built, and limit
 * of the pauses for queries then, in all.  Pages are pinned during a pause,
 * and VACUUM may wait for them.
 */
#define PAUSE_POLL_MS	10
#define PAUSE_MOST_MS	2000

extern PGDLLEXPORT void gpudb_prewarm_main(Datum database);

void
auto_prewarm_charge(Relation relation, const ColumnWanted *wanted, int nwanted, AdmissionCharge charge)
{
	BackgroundWorker worker = {
		.bgw_name = "gpudb prewarm", .bgw_type = "gpudb prewarm",
		.bgw_flags = BGWORKER_SHMEM_ACCESS | BGWORKER_BACKEND_DATABASE_CONNECTION,
		.bgw_start_time = BgWorkerStart_ConsistentState, .bgw_restart_time = BGW_NEVER_RESTART,
		.bgw_library_name = "gpudb", .bgw_function_name = "gpudb_prewarm_main",
		.bgw_main_arg = ObjectIdGetDatum(MyDatabaseId)
	};

	if (pool_exists())
		tablet_note_wanted(relation, wanted, nwanted);
	/* If no worker can be started, a later charge tries again. */
	if (gpudb_auto_prewarm && IsUnderPostmaster && admission_charge(relation, wanted, nwanted, charge))
		(void) RegisterDynamicBackgroundWorker(&worker, NULL);
}

void
auto_prewarm_admit(Relation relation, const ColumnWanted *wanted, int nwanted)
{
	auto_prewarm_charge(relation, wanted, nwanted, (AdmissionCharge) {0});
}

static object_access_hook_type next_access_hook;

static void
on_access(ObjectAccessType access, Oid class, Oid object, int part, void *arg)
{
	int			worker;

	if (next_access_hook != NULL)
		next_access_hook(access, class, object, part, arg);
	if (access != OAT_DROP || class != DatabaseRelationId)
		return;
	worker = admission_forget(object);
	if (worker != 0)
	{
		const PGPROC *process = BackendPidGetProc(worker);

		if (process != NULL && process->databaseId == object)
			kill(worker, SIGTERM);
	}
}

void
auto_prewarm_init(void)
{
	next_access_hook = object_access_hook;
	object_access_hook = on_access;
}

/* Columns that this process is building, for end_at_exit(). */
static Admission under_way;

static void
end_at_exit(int code, Datum arg)
{
	if (OidIsValid(under_way.relation))
		admission_end(under_way.relation);
	admission_end_work();
}

/* Lower the priority of this process: queries get the processors that they want, and the worker what is left. */
static void
give_way(void)
{
	/* Threads that this process starts inherit the priority; a failure does no harm. */
	(void) setpriority(PRIO_PROCESS, 0, NICENESS);
}

static void
sleep_a_while(int ms)
{
	(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH, ms, PG_WAIT_EXTENSION);
	ResetLatch(MyLatch);
	CHECK_FOR_INTERRUPTS();
}

/*
 * Wait until the processors have been free for a while, but for at most
 * `patience_ms`.  Return the milliseconds left of it.
 */
static int
await_processors(int patience_ms)
{
	for (int looks = 0; looks < FREE_LOOKS && patience_ms > 0; patience_ms -= BUSY_POLL_MS)
	{
		looks = threads_are_busy() ? 0 : looks + 1;
		sleep_a_while(BUSY_POLL_MS);
	}
	return patience_ms;
}

/* Wait until the processors are free, or columns have waited long enough to be built.  Return false if none wait. */
static bool
await_columns(void)
{
	const double waited = admission_waited();

	if (waited >= 0)
		(void) await_processors(BUSY_MOST_MS - (int) Min(waited, BUSY_MOST_MS));
	return waited >= 0;
}

/* Milliseconds that the worker may still pause while it builds the current shelf. */
static int	pause_ms;

/* Pause while queries want all processors. */
static void
pause_for_queries(void)
{
	for (; pause_ms > 0 && threads_are_busy(); pause_ms -= PAUSE_POLL_MS)
		sleep_a_while(PAUSE_POLL_MS);
}

/*
 * Return the columns that can be cached and whose attributes have not changed
 * since they were wanted.  Sets *n to their number and place[] to their
 * indexes in `columns`.
 */
static ColumnWanted *
columns_now(Relation relation, const AdmittedColumns *columns, int *place, int *n)
{
	ColumnWanted *wanted = palloc(sizeof(ColumnWanted) * Max(columns->n, 1));

	*n = 0;
	for (int c = 0; c < columns->n; c++)
	{
		const ColumnWanted *column = &columns->column[c].wanted;

		if (tablet_columns_hash(relation, column, 1) != columns->column[c].form || !tablet_can_be_cached(relation, column, 1))
			continue;
		place[*n] = c;
		wanted[(*n)++] = *column;
	}
	return wanted;
}

/* Progress of building a relation's columns. */
typedef struct Building
{
	Oid			relation;
	AdmittedColumns columns;	/* form = 0: cannot be built */
	bool		first;			/* nothing of this relation was built before */
	uint32		shelf;
	uint64		added;			/* number of tablets added to the cache */
} Building;

/*
 * Build the columns of one shelf, without those that cannot be built.  Return
 * false if there is no further shelf to build.
 */
static bool
build_wanted(Relation relation, Building *building)
{
	for (;;)
	{
		int			place[ADMISSION_COLUMNS];
		int			n;
		Built		done;
		ColumnWanted *wanted = columns_now(relation, &building->columns, place, &n);
		const BuildOrder order = {
			.relation = relation, .snapshot = GetActiveSnapshot(), .wanted = wanted, .nwanted = n, .threads = -1,
			.give_way = pause_for_queries
		};

		pause_ms = PAUSE_MOST_MS;
		if (n == 0 || !tablet_scan_possible(relation) ||
			!build_tablet_columns(&order, (TabletRange) {building->shelf * SHELF_TABLETS, SHELF_TABLETS}, &done))
			return false;
		building->added += done.added;
		if (done.status == STATUS_DONE)
			return building->shelf + 1 < shelves_of(RelationGetNumberOfBlocks(relation));
		if (done.column < 0)
			return false;
		/* No attribute has form 0, so the column is skipped from now on. */
		building->columns.column[place[done.column]].form = 0;
		pfree(wanted);
	}
}

/*
 * Invalidate cached plans that read the relation: with its columns cached other plans may be cheaper.  The message goes to the
 * sessions of this server only.  CacheInvalidateRelcache() would log it, which a standby cannot, for standbys that cache by themselves.
 */
static void
tell_of_columns(Relation relation, const Building *building)
{
	SharedInvalidationMessage message = {.rc = {.id = SHAREDINVALRELCACHE_ID, .dbId = MyDatabaseId, .relId = RelationGetRelid(relation)}};

	SendSharedInvalidMessages(&message, 1);
	/* Columns of a table that is written are built again and again. */
	if (!building->first)
		return;
	ereport(LOG,
			(errmsg("gpudb cached columns of table \"%s.%s\" that queries had wanted",
					get_namespace_name(RelationGetNamespace(relation)), RelationGetRelationName(relation)),
			 errdetail("It took %llu tablets.", (unsigned long long) building->added)));
}

/* Build one shelf, in a transaction.  Return false if there is no more to do. */
static bool
build_shelf(Building *building)
{
	Relation	relation = try_relation_open(building->relation, AccessShareLock);
	bool		more;

	if (relation == NULL)
		return false;
	/* Take the snapshot after the lock, for which the worker may wait long. */
	PushActiveSnapshot(GetTransactionSnapshot());
	more = build_wanted(relation, building);
	PopActiveSnapshot();
	if (!more && building->added > 0)
		tell_of_columns(relation, building);
	relation_close(relation, AccessShareLock);
	return more;
}

static void
build(const Admission *admission)
{
	Building	building = {.relation = admission->relation, .columns = admission->columns, .first = admission->first};
	int			patience_ms = BUSY_MOST_MS;
	bool		more = true;

	for (; more; building.shelf++)
	{
		/* Queries may have begun since the last shelf. */
		if (threads_are_busy())
			patience_ms = await_processors(patience_ms);
		SetCurrentStatementStartTimestamp();
		StartTransactionCommand();
		pgstat_report_activity(STATE_RUNNING, "gpudb: building columns that queries wanted");
		more = build_shelf(&building);
		CommitTransactionCommand();
		pgstat_report_activity(STATE_IDLE, NULL);
		CHECK_FOR_INTERRUPTS();
		if (ConfigReloadPending)
		{
			ConfigReloadPending = false;
			ProcessConfigFile(PGC_SIGHUP);
		}
		more &= gpudb_auto_prewarm;
	}
	progress_clear();
}

/* Allocate memory for columns that queries will cache, while processors are free, until columns wait to be built. */
static void
take_memory_ahead(void)
{
	for (int waited = 0; waited < BUSY_MOST_MS && gpudb_auto_prewarm && admission_waited() < 0; waited += AHEAD_WAIT_MS)
	{
		if (await_processors(AHEAD_WAIT_MS) <= 0)
			continue;
		while (!threads_are_busy())
		{
			if (!pool_take_ahead())
				return;
			CHECK_FOR_INTERRUPTS();
		}
	}
}

/* Run the worker: build all columns that were admitted in its database, and allocate memory ahead for more. */
void
gpudb_prewarm_main(Datum database)
{
	pqsignal(SIGTERM, die);
	pqsignal(SIGHUP, SignalHandlerForConfigReload);
	BackgroundWorkerUnblockSignals();
	BackgroundWorkerInitializeConnectionByOid(DatumGetObjectId(database), InvalidOid, 0);
	if (!pool_exists() || !admission_begin_work())
		return;
	before_shmem_exit(end_at_exit, (Datum) 0);
	give_way();
	do
	{
		while (gpudb_auto_prewarm && await_columns() && admission_take(&under_way))
		{
			build(&under_way);
			admission_end(under_way.relation);
			under_way.relation = InvalidOid;
		}
		take_memory_ahead();
	} while (gpudb_auto_prewarm && admission_waited() >= 0);
}

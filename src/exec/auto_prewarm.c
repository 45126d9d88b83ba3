/*
 * auto_prewarm.c
 *		A background worker that builds the columns for want of which queries were slow: gpudb.auto_prewarm.
 *
 * The worker takes a transaction for each shelf, 255 MB of heap: no snapshot of
 * its is old, and no lock is held for long.  DROP DATABASE, which waits for
 * others in that database, and gives up after a while, ends it.
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
#include "exec/auto_prewarm.h"
#include "exec/build_columns.h"
#include "guc.h"
#include "tablet/pool.h"
#include "tablet/progress.h"
#include "tablet/tablet_scan.h"

/* How far this process stands behind others where processors are scarce. */
#define NICENESS		10

/*
 * How long columns wait for busy processors to be built, and once that has
 * begun, with a look at them after each poll.  Between two queries, and while
 * one is planned, processors are free for a moment: only so many looks in a row
 * that find none busy tell of more.
 */
#define BUSY_MOST_MS	30000
#define BUSY_POLL_MS	100
#define FREE_LOOKS		3

/* How long to wait for free processors to take memory ahead, before the next look whether columns are wanted. */
#define AHEAD_WAIT_MS	1000

/* How often to look while a shelf is built, and how long to pause for queries then, in all: pages are pinned, for which VACUUM may wait. */
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
	/* where none is to be had, a later charge asks again */
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

/* The columns that this process builds now, for end_at_exit(). */
static Admission under_way;

static void
end_at_exit(int code, Datum arg)
{
	if (OidIsValid(under_way.relation))
		admission_end(under_way.relation);
	admission_end_work();
}

/* Queries come first: their processes get the processors that they want, and this one what is left. */
static void
give_way(void)
{
	/* the threads that it starts inherit that; a failure is no harm */
	(void) setpriority(PRIO_PROCESS, 0, NICENESS);
}

static void
sleep_a_while(int ms)
{
	(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH, ms, PG_WAIT_EXTENSION);
	ResetLatch(MyLatch);
	CHECK_FOR_INTERRUPTS();
}

/* Wait until the processors have been free for a while, but for no more than so many milliseconds; returns what is left of these. */
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

/* Wait until the processors are free, or the columns that are to be built have waited long enough; false if there are none. */
static bool
await_columns(void)
{
	const double waited = admission_waited();

	if (waited >= 0)
		(void) await_processors(BUSY_MOST_MS - (int) Min(waited, BUSY_MOST_MS));
	return waited >= 0;
}

/* The worker may pause for so many more milliseconds while it builds the shelf at hand. */
static int	pause_ms;

/* Pause while queries want all processors. */
static void
pause_for_queries(void)
{
	for (; pause_ms > 0 && threads_are_busy(); pause_ms -= PAUSE_POLL_MS)
		sleep_a_while(PAUSE_POLL_MS);
}

/* The columns that still are what they were when they were wanted, and can be cached; of each its place among those. */
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

/* How far building a relation's columns has come. */
typedef struct Building
{
	Oid			relation;
	AdmittedColumns columns;	/* without those that could not be built */
	bool		first;			/* of this relation */
	uint32		shelf;
	uint64		kept;			/* tablets */
} Building;

/* Build one shelf's columns, but for those that cannot be; false if there is no shelf behind it. */
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
		building->kept += done.kept;
		if (done.status == STATUS_DONE)
			return building->shelf + 1 < shelves_of(RelationGetNumberOfBlocks(relation));
		if (done.column < 0)
			return false;
		/* no attribute has that form, so it is passed over from now on */
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
	/* a table that is written is built again and again */
	if (!building->first)
		return;
	ereport(LOG,
			(errmsg("gpudb cached columns of table \"%s.%s\" that queries had wanted",
					get_namespace_name(RelationGetNamespace(relation)), RelationGetRelationName(relation)),
			 errdetail("It took %llu tablets.", (unsigned long long) building->kept)));
}

/* In a transaction: build one shelf; false if there is no more to do. */
static bool
build_shelf(Building *building)
{
	Relation	relation = try_relation_open(building->relation, AccessShareLock);
	bool		more;

	if (relation == NULL)
		return false;
	/* not before there is the lock, which may take long */
	PushActiveSnapshot(GetTransactionSnapshot());
	more = build_wanted(relation, building);
	PopActiveSnapshot();
	if (!more && building->kept > 0)
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
		/* queries may have begun behind the last shelf */
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

/* Have memory ready for columns that queries will leave behind, while processors are free; columns that are wanted meanwhile come first. */
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

/*
 * The worker: builds all columns that were admitted in its database, and has
 * memory ready for more.
 */
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

/*
 * auto_prewarm.c
 *		Columns that queries wanted are left behind by a background worker: gpudb.auto_prewarm.
 *
 * The worker takes a transaction for each shelf, 255 MB of heap: no snapshot of
 * its is old, and no lock is held for long.  DROP DATABASE, which waits for
 * others in that database, and gives up after a while, ends it.
 */
#include "postgres.h"

#include <signal.h>

#include "access/relation.h"
#include "access/xact.h"
#include "catalog/objectaccess.h"
#include "catalog/pg_database.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "postmaster/bgworker.h"
#include "postmaster/interrupt.h"
#include "storage/ipc.h"
#include "storage/proc.h"
#include "storage/procarray.h"
#include "tcop/tcopprot.h"
#include "utils/guc.h"
#include "utils/snapmgr.h"

#include "exec/auto_prewarm.h"
#include "guc.h"
#include "tablet/pool.h"
#include "tablet/tablet_prewarm.h"
#include "tablet/tablet_scan.h"
#include "tablet/wishes.h"

extern PGDLLEXPORT void gpudb_prewarm_main(Datum database);

void
auto_prewarm_wish(Relation relation, const ColumnWanted *wanted, int nwanted)
{
	BackgroundWorker worker = {
		.bgw_name = "gpudb prewarm", .bgw_type = "gpudb prewarm",
		.bgw_flags = BGWORKER_SHMEM_ACCESS | BGWORKER_BACKEND_DATABASE_CONNECTION,
		.bgw_start_time = BgWorkerStart_RecoveryFinished, .bgw_restart_time = BGW_NEVER_RESTART,
		.bgw_library_name = "gpudb", .bgw_function_name = "gpudb_prewarm_main",
		.bgw_main_arg = ObjectIdGetDatum(MyDatabaseId)
	};

	/* without a worker to be had, the next one that is takes the wish */
	if (gpudb_auto_prewarm && IsUnderPostmaster && wish_add(relation, wanted, nwanted))
		(void) RegisterDynamicBackgroundWorker(&worker, NULL);
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
	worker = wishes_forget(object);
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

/* What is being granted, should this process end. */
static Wish under_way;

static void
end_at_exit(int code, Datum arg)
{
	if (OidIsValid(under_way.relation))
		wish_end(&under_way);
}

/* Leave one shelf's columns behind; false if there is no more to do. */
static bool
grant_shelf(const Wish *wish, int shelf)
{
	Relation	relation = try_relation_open(wish->relation, AccessShareLock);
	Prewarmed	done = {.last = true};

	if (relation == NULL)
		return false;
	/* not before there is the lock, which may take long */
	PushActiveSnapshot(GetTransactionSnapshot());
	/* it may have been altered since */
	if (tablet_columns_hash(relation, wish->column, wish->ncolumns) == wish->form &&
		!tablet_prewarm(relation, GetActiveSnapshot(), wish->column, wish->ncolumns, shelf, &done))
		done.last = true;
	PopActiveSnapshot();
	relation_close(relation, AccessShareLock);
	return !done.last && done.status == STATUS_DONE;
}

static void
grant(const Wish *wish)
{
	bool		more = true;

	for (int shelf = 0; more; shelf++)
	{
		StartTransactionCommand();
		pgstat_report_activity(STATE_RUNNING, "gpudb: leaving columns behind that queries wanted");
		more = grant_shelf(wish, shelf);
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
}

/* The worker: grants all wishes of its database. */
void
gpudb_prewarm_main(Datum database)
{
	pqsignal(SIGTERM, die);
	pqsignal(SIGHUP, SignalHandlerForConfigReload);
	BackgroundWorkerUnblockSignals();
	BackgroundWorkerInitializeConnectionByOid(DatumGetObjectId(database), InvalidOid, 0);
	before_shmem_exit(end_at_exit, (Datum) 0);
	while (gpudb_auto_prewarm && pool_exists() && wish_take(&under_way))
	{
		grant(&under_way);
		wish_end(&under_way);
		under_way.relation = InvalidOid;
	}
}

/*
 * stat.c
 *		Server-wide counters, and the functions behind the view gpudb.stat.
 *
 * Counters live in shared memory, are counted with atomics and start at zero
 * with the server.  Nothing is counted that would reveal hidden rows: see
 * node.h, NODE_PRIVATE_SECRET.
 */
#include "postgres.h"

#include "fmgr.h"
#include "funcapi.h"
#include "port/atomics.h"
#include "storage/ipc.h"
#include "storage/lwlock.h"
#include "storage/shmem.h"
#include "utils/builtins.h"

#include "exec/run/stat.h"

static const struct
{
	const char *code;
	const char *meaning;
}			reasons[] = {
#define REASON(code, meaning) {#code, meaning},
#include "core/reason.def"
#undef REASON
};

typedef enum StatEvent
{
	EVENT_FALLBACK,
	EVENT_LEFT,
	EVENT_REFUSED,
	EVENT_Count
} StatEvent;

static const char *const event_name[] = {"fallback", "left to cpu", "refused"};

typedef struct SharedStat
{
	pg_atomic_uint64 executed;
	pg_atomic_uint64 count[EVENT_Count][lengthof(reasons)];
} SharedStat;

static SharedStat *shared = NULL;

void
stat_request_shmem(void)
{
	RequestAddinShmemSpace(MAXALIGN(sizeof(SharedStat)));
}

static void
reset_counters(void)
{
	pg_atomic_write_u64(&shared->executed, 0);
	for (int e = 0; e < EVENT_Count; e++)
		for (int r = 0; r < lengthof(reasons); r++)
			pg_atomic_write_u64(&shared->count[e][r], 0);
}

void
stat_attach_shmem(void)
{
	bool		found;

	LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
	shared = ShmemInitStruct("gpudb counters", sizeof(SharedStat), &found);
	if (!found)
	{
		pg_atomic_init_u64(&shared->executed, 0);
		for (int e = 0; e < EVENT_Count; e++)
			for (int r = 0; r < lengthof(reasons); r++)
				pg_atomic_init_u64(&shared->count[e][r], 0);
	}
	LWLockRelease(AddinShmemInitLock);
}

static void
count_event(StatEvent event, const char *reason)
{
	if (shared == NULL || reason == NULL)
		return;
	for (int r = 0; r < lengthof(reasons); r++)
		if (strcmp(reasons[r].code, reason) == 0)
			pg_atomic_fetch_add_u64(&shared->count[event][r], 1);
}

void
stat_count_executed(void)
{
	if (shared != NULL)
		pg_atomic_fetch_add_u64(&shared->executed, 1);
}

void
stat_count_fallback(const char *reason)
{
	count_event(EVENT_FALLBACK, reason);
}

void
stat_count_left(const char *reason)
{
	count_event(EVENT_LEFT, reason);
}

void
stat_count_refused(const char *reason)
{
	count_event(EVENT_REFUSED, reason);
}

const char *
reason_meaning(const char *reason)
{
	for (int r = 0; r < lengthof(reasons); r++)
		if (strcmp(reasons[r].code, reason) == 0)
			return reasons[r].meaning;
	return NULL;
}

bool
is_preloaded(void)
{
	return shared != NULL;
}

void
require_preloaded(void)
{
	if (!is_preloaded())
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("gpudb must be loaded via shared_preload_libraries"),
				 errhint("Add gpudb to shared_preload_libraries in postgresql.conf and restart the server.")));
}

extern PGDLLEXPORT Datum gpudb_stat(PG_FUNCTION_ARGS);
extern PGDLLEXPORT Datum gpudb_stat_reset(PG_FUNCTION_ARGS);

PG_FUNCTION_INFO_V1(gpudb_stat);

static void
put_row(ReturnSetInfo *result, const char *event, const char *reason, uint64 count, const char *meaning)
{
	Datum		values[4] = {CStringGetTextDatum(event), (Datum) 0, Int64GetDatum((int64) count), (Datum) 0};
	bool		nulls[4] = {false, reason == NULL, false, meaning == NULL};

	if (reason != NULL)
		values[1] = CStringGetTextDatum(reason);
	if (meaning != NULL)
		values[3] = CStringGetTextDatum(meaning);
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

/* gpudb.stat(): return event, reason, count, meaning. */
Datum
gpudb_stat(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;

	require_preloaded();
	InitMaterializedSRF(fcinfo, 0);
	put_row(result, "executed", NULL, pg_atomic_read_u64(&shared->executed), "nodes that ran to their end on a device");
	for (int e = 0; e < EVENT_Count; e++)
		for (int r = 0; r < lengthof(reasons); r++)
		{
			uint64		count = pg_atomic_read_u64(&shared->count[e][r]);

			if (count > 0)
				put_row(result, event_name[e], reasons[r].code, count, reasons[r].meaning);
		}
	return (Datum) 0;
}

PG_FUNCTION_INFO_V1(gpudb_stat_reset);

/* gpudb.stat_reset(): set all counters to zero. */
Datum
gpudb_stat_reset(PG_FUNCTION_ARGS)
{
	require_preloaded();
	reset_counters();
	PG_RETURN_VOID();
}

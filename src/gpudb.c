/*
 * gpudb.c
 *		Entry point of the library: initializes every layer, in rank order.
 *
 * Preloaded by the postmaster, the library requests shared memory, registers
 * the CustomScan methods, planner hooks and background workers.  Loaded by a
 * single session it only offers its SQL functions.
 */
#include "postgres.h"

#include "fmgr.h"
#include "miscadmin.h"
#include "nodes/extensible.h"
#include "storage/ipc.h"
#include "utils/builtins.h"

#include "admin/calibrate.h"
#include "device/calibration.h"
#include "device/channel.h"
#include "device/machine.h"
#include "device/threads.h"
#include "exec/build/auto_prewarm.h"
#include "exec/run/fallback_cache.h"
#include "exec/run/node.h"
#include "exec/run/stat.h"
#include "exec/sort/exec_sort.h"
#include "exec/sort/exec_sort_agg.h"
#include "guc.h"
#include "plan/path.h"
#include "tablet/cache/dict.h"
#include "tablet/cache/pool.h"
#include "tablet/cache/progress.h"
#include "tablet/cache/recent.h"
#include "tablet/cache/shelf.h"
#include "tablet/read/pins.h"
#include "tablet/scan/admission.h"
#include "worker/supervisor.h"

PG_MODULE_MAGIC;

/* Must agree with the SQL objects: gpudb.control's default_version. */
#define GPUDB_VERSION "1.0"

static shmem_request_hook_type prev_shmem_request = NULL;
static shmem_startup_hook_type prev_shmem_startup = NULL;

/* Default of gpudb.join_memory: 1 / JOIN_MEMORY_PART of the server's memory, clamped to the bounds in MB below. */
#define JOIN_MEMORY_PART	32
#define JOIN_MEMORY_LEAST	64
#define JOIN_MEMORY_MOST	16384

/* Set the default of gpudb.join_memory by the memory of the machine or container, if that is known. */
static void
choose_join_memory(void)
{
	const uint64 size = (machine_memory() >> 20) / JOIN_MEMORY_PART;

	if (size > 0)
		guc_set_default_mb("gpudb.join_memory", size, JOIN_MEMORY_LEAST, JOIN_MEMORY_MOST);
}

static void
shmem_request(void)
{
	if (prev_shmem_request)
		prev_shmem_request();
	machine_init();
	choose_join_memory();
	pool_choose_size();
	threads_request_shmem();
	pins_request_shmem();
	pool_request_shmem();
	shelf_request_shmem();
	dict_request_shmem();
	progress_request_shmem();
	admission_request_shmem();
	fallback_cache_request_shmem();
	stat_request_shmem();
}

static void
shmem_startup(void)
{
	if (prev_shmem_startup)
		prev_shmem_startup();
	threads_attach_shmem();
	pins_attach_shmem();
	fallback_cache_attach_shmem();
	stat_attach_shmem();
	calibration_create();
	channel_create();
	recent_create();
	pool_create();
	shelf_create();
	dict_create();
	progress_attach_shmem();
	admission_attach_shmem();
}

extern PGDLLEXPORT void _PG_init(void);
extern PGDLLEXPORT Datum gpudb_version(PG_FUNCTION_ARGS);

void
_PG_init(void)
{
	/* loaded by a single session, the library only offers its functions, which report what is missing */
	if (!process_shared_preload_libraries_in_progress)
		return;
	prev_shmem_request = shmem_request_hook;
	shmem_request_hook = shmem_request;
	prev_shmem_startup = shmem_startup_hook;
	shmem_startup_hook = shmem_startup;
	guc_init();
	RegisterCustomScanMethods(&gpu_scan_methods);
	RegisterCustomScanMethods(&gpu_agg_methods);
	RegisterCustomScanMethods(&gpu_join_methods);
	RegisterCustomScanMethods(&gpu_sort_methods);
	RegisterCustomScanMethods(&gpu_sort_agg_methods);
	plan_init();
	auto_prewarm_init();
	supervisor_register();
	calibrate_register();
}

PG_FUNCTION_INFO_V1(gpudb_version);

/*
 * gpudb.version(sql_version text): return the version of the library.
 * Raises an error with a hint when the library is not preloaded or when its
 * version is not that of the SQL objects.
 */
Datum
gpudb_version(PG_FUNCTION_ARGS)
{
	char	   *sql_version = text_to_cstring(PG_GETARG_TEXT_PP(0));

	require_preloaded();
	if (strcmp(sql_version, GPUDB_VERSION) != 0)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("gpudb library version %s does not match version %s of its SQL objects",
						GPUDB_VERSION, sql_version),
				 errhint("Restart the server if gpudb was installed since it was started. "
						 "Otherwise install the library that belongs to the SQL objects, or "
						 "run DROP EXTENSION gpudb and CREATE EXTENSION gpudb: no version can be updated to another one.")));
	PG_RETURN_TEXT_P(cstring_to_text(GPUDB_VERSION));
}

/*
 * guc.c
 *		Definitions of all configuration parameters of gpudb, alphabetically.
 */
#include "postgres.h"

#include <limits.h>

#include "executor/nodeHash.h"
#include "utils/guc.h"
#include "utils/plancache.h"

#include "guc.h"
#include "pg_compat.h"

/* Boot value of gpudb.join_memory, in MB. */
#define DEFAULT_JOIN_MEMORY 1024

bool		gpudb_auto_calibrate = true;
bool		gpudb_auto_prewarm = true;
bool		gpudb_cache = true;
int			gpudb_cpu_threads = 0;
int			gpudb_debug_fail = -1;
int			gpudb_debug_memory = -1;
char	   *gpudb_debug_program = NULL;
int			gpudb_debug_require = REQUIRE_ALLOW;
int			gpudb_debug_sample = 16;
int			gpudb_debug_seek = 2097152;
int			gpudb_debug_silence = 2000;
int			gpudb_debug_yield = -1;
int			gpudb_device = DEVICE_AUTO;
bool		gpudb_enabled = true;
bool		gpudb_exact_float_sums = false;
bool		gpudb_force = false;
char	   *gpudb_gpu = NULL;
int			gpudb_gpu_memory = -1;
int			gpudb_join_memory = DEFAULT_JOIN_MEMORY;
int			gpudb_pool_size = -1;
int			gpudb_provider = PROVIDER_AUTO;
int			gpudb_queue_timeout = 5000;

static const struct config_enum_entry require_options[] = {
	{"allow", REQUIRE_ALLOW, false},
	{"require", REQUIRE_REQUIRE, false},
	{"forbid", REQUIRE_FORBID, false},
	{NULL, 0, false}
};

static const struct config_enum_entry device_options[] = {
	{"auto", DEVICE_AUTO, false},
	{"gpu", DEVICE_GPU, false},
	{"cpu", DEVICE_CPU, false},
	{NULL, 0, false}
};

static const struct config_enum_entry provider_options[] = {
	{"auto", PROVIDER_AUTO, false},
	{"cpu", PROVIDER_CPU, false},
	{"none", PROVIDER_NONE, false},
	{NULL, 0, false}
};

#define LEAST_GPU_MEMORY 128

/* Largest gpudb.pool_size, in MB: the reach of offsets into dynamic shared memory. */
#define MOST_POOL_SIZE	(1024 * 1024)

/* Raise gpudb.gpu_memory to the least value that works, as PostgreSQL does with too small a wal_buffers. */
static bool
check_gpu_memory(int *value, void **extra, GucSource source)
{
	if (*value >= 0 && *value < LEAST_GPU_MEMORY)
		*value = LEAST_GPU_MEMORY;
	return true;
}

/* Discard cached plans when gpudb.exact_float_sums changes: a plan computes one of the two kinds of sums. */
static void
assign_exact_float_sums(bool value, void *extra)
{
	if (value != gpudb_exact_float_sums)
		ResetPlanCache();
}

void
guc_init(void)
{
	DefineCustomBoolVariable("gpudb.auto_calibrate",
							 "Measures the machine for the planner when the server starts, if that was never done.",
							 "It takes some seconds, in the database postgres.",
							 &gpudb_auto_calibrate, true, PGC_POSTMASTER, 0, NULL, NULL, NULL);
	DefineCustomBoolVariable("gpudb.auto_prewarm",
							 "Has a background worker build columns for want of which queries were slow.",
							 "It begins once they have lost as much time as building takes.  Memory for columns is taken before queries need it.",
							 &gpudb_auto_prewarm, true, PGC_SIGHUP, 0, NULL, NULL, NULL);
	DefineCustomBoolVariable("gpudb.cache",
							 "Uses columns that earlier queries have left behind, and leaves others behind.",
							 "It takes gpudb.pool_size to be more than 0.",
							 &gpudb_cache, true, PGC_USERSET, 0, NULL, NULL, NULL);
	DefineCustomIntVariable("gpudb.cpu_threads",
							"Number of threads that a query may use on the CPU device, the backend included.",
							"0 means as many as the machine has processors.",
							&gpudb_cpu_threads, 0, 0, 64, PGC_USERSET, 0, NULL, NULL, NULL);
	DefineCustomIntVariable("gpudb.debug_fail",
							"Makes the device fail on this window of every scan, to test what follows.",
							"The first one is 0; -1 means never.",
							&gpudb_debug_fail, -1, -1, INT_MAX, PGC_SUSET, GUC_NO_SHOW_ALL | GUC_NOT_IN_SAMPLE,
							NULL, NULL, NULL);
	DefineCustomIntVariable("gpudb.debug_memory",
							"Nanoseconds that having memory for a kilobyte of cached columns counts for.",
							"For tests; -1 means what it took of late.",
							&gpudb_debug_memory, -1, -1, INT_MAX, PGC_USERSET, GUC_NO_SHOW_ALL | GUC_NOT_IN_SAMPLE,
							NULL, NULL, NULL);
	DefineCustomStringVariable("gpudb.debug_program",
							   "Writes the program of every node that runs to this file, to look at and to time it alone.",
							   "An empty string means no file.",
							   &gpudb_debug_program, "", PGC_SUSET, GUC_NO_SHOW_ALL | GUC_NOT_IN_SAMPLE,
							   NULL, NULL, NULL);
	DefineCustomEnumVariable("gpudb.debug_require",
							 "Raises an error if a query did not (require) or did (forbid) run on gpudb nodes without fallback.",
							 NULL,
							 &gpudb_debug_require, REQUIRE_ALLOW, require_options, PGC_SUSET, 0, NULL, NULL, NULL);
	DefineCustomIntVariable("gpudb.debug_sample",
							"Number of cached tablets from which on a sample of them tells where to look for percentiles.",
							"For tests, whose tables are small.",
							&gpudb_debug_sample, 16, 1, INT_MAX, PGC_USERSET, GUC_NO_SHOW_ALL | GUC_NOT_IN_SAMPLE,
							NULL, NULL, NULL);
	DefineCustomIntVariable("gpudb.debug_seek",
							"Number of rows up to which a GPU seeks a percentile without a sample.",
							"For tests, whose tables are small.",
							&gpudb_debug_seek, 2097152, 1, 4194304, PGC_USERSET, GUC_NO_SHOW_ALL | GUC_NOT_IN_SAMPLE,
							NULL, NULL, NULL);
	DefineCustomIntVariable("gpudb.debug_silence",
							"Ends the GPU process when it has not been heard of for so long.",
							"For tests in which the host takes a GPU's place, and may be busy for longer.",
							&gpudb_debug_silence, 2000, 100, 3600000, PGC_POSTMASTER, GUC_UNIT_MS | GUC_NO_SHOW_ALL | GUC_NOT_IN_SAMPLE,
							NULL, NULL, NULL);
	DefineCustomIntVariable("gpudb.debug_yield",
							"Interrupts every run of a program after so many instructions, to test resuming.",
							"-1 means never.",
							&gpudb_debug_yield, -1, -1, INT_MAX / 2, PGC_USERSET, GUC_NO_SHOW_ALL | GUC_NOT_IN_SAMPLE,
							NULL, NULL, NULL);
	DefineCustomEnumVariable("gpudb.device",
							 "Selects the device that runs gpudb nodes.",
							 "auto takes a GPU where there is one, else the CPU device.",
							 &gpudb_device, DEVICE_AUTO, device_options, PGC_USERSET, 0, NULL, NULL, NULL);
	DefineCustomBoolVariable("gpudb.enabled",
							 "Lets the planner use gpudb nodes.",
							 NULL,
							 &gpudb_enabled, true, PGC_USERSET, GUC_EXPLAIN, NULL, NULL, NULL);
	DefineCustomBoolVariable("gpudb.exact_float_sums",
							 "Computes sums and averages of floats without rounding but of the result.",
							 "They do not depend on the order of rows then, nor on the plan, the number of threads or the device.",
							 &gpudb_exact_float_sums, false, PGC_USERSET, GUC_EXPLAIN, NULL, assign_exact_float_sums, NULL);
	DefineCustomBoolVariable("gpudb.force",
							 "Takes a gpudb plan wherever one is possible, whatever it costs.",
							 NULL,
							 &gpudb_force, false, PGC_USERSET, GUC_EXPLAIN, NULL, NULL, NULL);
	DefineCustomStringVariable("gpudb.gpu",
							   "UUID of the GPU to use.",
							   "An empty string means the first one that can be used; gpudb.devices lists them.",
							   &gpudb_gpu, "", PGC_POSTMASTER, 0, NULL, NULL, NULL);
	DefineCustomIntVariable("gpudb.gpu_memory",
							"Memory of the GPU that gpudb takes, at its start.",
							"-1 means half of what is free then.",
							&gpudb_gpu_memory, -1, -1, INT_MAX / 2, PGC_POSTMASTER, GUC_UNIT_MB, check_gpu_memory, NULL, NULL);
	DefineCustomIntVariable("gpudb.join_memory",
							"Memory that each table of a query's joins may take, the rows of a sort, and the groups of an aggregate.",
							"A join or an aggregate that wants more is left to PostgreSQL, a sort writes runs to disk. Without a setting it is a thirty-second part of the memory that the server may use.",
							&gpudb_join_memory, DEFAULT_JOIN_MEMORY, 1, INT_MAX / 2, PGC_USERSET, GUC_UNIT_MB, NULL, NULL, NULL);
	DefineCustomIntVariable("gpudb.pool_size",
							"Memory for columns that queries leave behind for others.",
							"-1 means a quarter of the memory that the server may use; 0 means that they leave nothing behind.",
							&gpudb_pool_size, -1, -1, MOST_POOL_SIZE, PGC_POSTMASTER, GUC_UNIT_MB, NULL, NULL, NULL);
	DefineCustomEnumVariable("gpudb.provider",
							 "Selects what the GPU process runs.",
							 "auto is CUDA where it works; cpu puts the CPU in a GPU's place, for tests; none starts no process.",
							 &gpudb_provider, PROVIDER_AUTO, provider_options, PGC_POSTMASTER, 0, NULL, NULL, NULL);
	DefineCustomIntVariable("gpudb.queue_timeout",
							"Time that a query waits for the GPU before it goes on with the CPU device.",
							NULL,
							&gpudb_queue_timeout, 5000, 1, INT_MAX / 2, PGC_USERSET, GUC_UNIT_MS, NULL, NULL, NULL);
	MarkGUCPrefixReserved("gpudb");
}

void
guc_set_default_mb(const char *name, uint64 size, int least, int most)
{
	char		value[16];

	snprintf(value, sizeof(value), "%d", (int) Min(Max(size, (uint64) least), (uint64) most));
	SetConfigOption(name, value, PGC_POSTMASTER, PGC_S_DYNAMIC_DEFAULT);
}

uint64
guc_join_bytes(void)
{
	return (uint64) gpudb_join_memory * 1024 * 1024;
}

uint64
guc_group_bytes(void)
{
	return Max(guc_join_bytes(), (uint64) get_hash_memory_limit());
}

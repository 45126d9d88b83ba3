/*
 * guc.h
 *		Variables of all configuration parameters of gpudb, alphabetically.
 */
#ifndef GPUDB_GUC_H
#define GPUDB_GUC_H

#include "postgres.h"

typedef enum DebugRequire
{
	REQUIRE_ALLOW,
	REQUIRE_REQUIRE,
	REQUIRE_FORBID
} DebugRequire;

typedef enum DeviceChoice
{
	DEVICE_AUTO,
	DEVICE_GPU,
	DEVICE_CPU
} DeviceChoice;

/* Provider that the GPU process runs (gpudb.provider). */
typedef enum ProviderChoice
{
	PROVIDER_AUTO,
	PROVIDER_CPU,
	PROVIDER_NONE
} ProviderChoice;

extern bool gpudb_auto_calibrate;
extern bool gpudb_auto_prewarm;
extern bool gpudb_cache;
extern int	gpudb_cpu_threads;
extern int	gpudb_debug_fail;
extern int	gpudb_debug_memory;
extern char *gpudb_debug_program;
extern int	gpudb_debug_require;
extern int	gpudb_debug_sample;
extern int	gpudb_debug_seek;
extern int	gpudb_debug_silence;
extern int	gpudb_debug_yield;
extern int	gpudb_device;
extern bool gpudb_enabled;
extern bool gpudb_exact_float_sums;
extern bool gpudb_force;
extern char *gpudb_gpu;
extern int	gpudb_gpu_memory;
extern int	gpudb_join_memory;	/* MB */
extern int	gpudb_pool_size;	/* MB */
extern int	gpudb_provider;
extern int	gpudb_queue_timeout;

extern void guc_init(void);

/* Return gpudb.join_memory in bytes. */
extern uint64 guc_join_bytes(void);

/* Return how many bytes an aggregate's groups may take: the larger of gpudb.join_memory and hash memory. */
extern uint64 guc_group_bytes(void);

/*
 * Set the dynamic default of a parameter in MB while the server starts:
 * `size`, clamped to [least, most].  SHOW displays it.
 */
extern void guc_set_default_mb(const char *name, uint64 size, int least, int most);

#endif							/* GPUDB_GUC_H */

/*
 * guc.h
 *		Every setting of gpudb, alphabetically.
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

extern int	gpudb_cpu_threads;
extern int	gpudb_debug_fail;
extern char *gpudb_debug_program;
extern int	gpudb_debug_require;
extern int	gpudb_debug_yield;
extern int	gpudb_device;
extern bool gpudb_enabled;
extern bool gpudb_force;

extern void guc_init(void);

#endif							/* GPUDB_GUC_H */

/*
 * device.h
 *		The devices of this server, and which one serves a query.
 */
#ifndef GPUDB_DEVICE_DEVICE_H
#define GPUDB_DEVICE_DEVICE_H

#include "core/device_api.h"

extern const Device cpu_device;

/*
 * The device for the setting gpudb.device.  *why is set to a few words when
 * it is not the one asked for, else to NULL.
 */
extern const Device *device_choose(const char **why);

/* Most threads that a query may use besides the backend itself. */
#define DEVICE_MAX_HELPERS 64

/*
 * Drop what is queued on the CPU device and wait for what runs: for a process
 * that is about to give up its pins without having closed its jobs.
 */
extern void device_cpu_quiesce(void);

#endif							/* GPUDB_DEVICE_DEVICE_H */

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

/* Threads that a query may use besides the backend itself. */
extern int	device_cpu_helpers(void);

#endif							/* GPUDB_DEVICE_DEVICE_H */

/*
 * service.h
 *		The GPU process's loop: from the channel to a provider and back.
 */
#ifndef GPUDB_WORKER_SERVICE_H
#define GPUDB_WORKER_SERVICE_H

#include "postgres.h"

#include "worker/chunks.h"

/* The CPU in a GPU's place. */
extern const Provider provider_cpu;

/*
 * Serve until the parent process is gone or the device is lost.  Calls none
 * of PostgreSQL's functions.
 */
extern void service_run(Channel *channel, const Provider *provider, SharedMemory buffers, SharedMemory tablets);

#endif							/* GPUDB_WORKER_SERVICE_H */

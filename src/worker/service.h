/*
 * service.h
 *		Main loop of the GPU process, which serves requests in the channel by a provider.
 */
#ifndef GPUDB_WORKER_SERVICE_H
#define GPUDB_WORKER_SERVICE_H

#include "postgres.h"

#include "worker/chunks.h"

/*
 * Serve requests until the parent process is gone or the device is lost.  Calls
 * none of PostgreSQL's functions.
 */
extern void service_run(Channel *channel, const Provider *provider, SharedMemory buffers, SharedMemory tablets);

#endif							/* GPUDB_WORKER_SERVICE_H */

/*
 * workers.h
 *		Background workers that start with the server.
 */
#ifndef GPUDB_WORKER_WORKERS_H
#define GPUDB_WORKER_WORKERS_H

#include "postgres.h"

#include "postmaster/bgworker.h"

/* Register a worker with the postmaster, at library load; false if max_worker_processes has no room for it. */
extern bool worker_register(BackgroundWorker *worker);

/* Return the names of the workers for which there was no room, as part of a sentence; "" if there are none. */
extern const char *workers_left_out(void);

#endif							/* GPUDB_WORKER_WORKERS_H */

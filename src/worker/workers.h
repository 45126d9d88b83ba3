/*
 * workers.h
 *		Background workers that start with the server.
 */
#ifndef GPUDB_WORKER_WORKERS_H
#define GPUDB_WORKER_WORKERS_H

#include "postgres.h"

#include "postmaster/bgworker.h"

/* Register a worker with the postmaster, at library load; whether max_worker_processes had room for it. */
extern bool worker_register(BackgroundWorker *worker);

/* The names of those for which there was no room, for a sentence; an empty string if there are none. */
extern const char *workers_left_out(void);

#endif							/* GPUDB_WORKER_WORKERS_H */

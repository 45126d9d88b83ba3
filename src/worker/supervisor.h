/*
 * supervisor.h
 *		The background worker that keeps the GPU process alive.
 */
#ifndef GPUDB_WORKER_SUPERVISOR_H
#define GPUDB_WORKER_SUPERVISOR_H

#include "postgres.h"

/* Register the worker with the postmaster, at library load. */
extern void supervisor_register(void);

/* Return true if the worker was registered. */
extern bool supervisor_is_registered(void);

#endif							/* GPUDB_WORKER_SUPERVISOR_H */

/*
 * free_cores.h
 *		A test whether this machine has idle cores.
 */
#ifndef GPUDB_DEVICE_FREE_CORES_H
#define GPUDB_DEVICE_FREE_CORES_H

#include <stdbool.h>

/*
 * Return true if `threads` threads, and the caller, each get a core for nearly
 * all of a tenth of a second, which the test takes.  Calls no function of
 * PostgreSQL.
 */
extern bool cores_are_free(int threads);

#endif							/* GPUDB_DEVICE_FREE_CORES_H */

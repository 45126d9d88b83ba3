/*
 * free_cores.h
 *		Whether this machine has cores to spare.
 */
#ifndef GPUDB_DEVICE_FREE_CORES_H
#define GPUDB_DEVICE_FREE_CORES_H

#include <stdbool.h>

/*
 * Whether so many threads, and the caller, get a core each for nearly all of
 * a tenth of a second, which this takes.  Calls nothing of PostgreSQL.
 */
extern bool cores_are_free(int threads);

#endif							/* GPUDB_DEVICE_FREE_CORES_H */

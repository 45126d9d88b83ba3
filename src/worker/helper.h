/*
 * helper.h
 *		The GPU process: a child of the supervisor that never runs PostgreSQL's code.
 */
#ifndef GPUDB_WORKER_HELPER_H
#define GPUDB_WORKER_HELPER_H

#include "postgres.h"

#include <sys/types.h>

/* Exit codes of a GPU process that ends by itself. */
#define HELPER_EXIT_NO_DEVICE	3	/* there is no device, see channel->provider_state.why */
#define HELPER_EXIT_LOST		4	/* the device failed, at the start or while it served */

/*
 * Fork a GPU process and return its process ID, or -1 with errno set.  It serves
 * until it is killed, the caller ends, or the device is lost.
 */
extern pid_t helper_start(void);

#endif							/* GPUDB_WORKER_HELPER_H */

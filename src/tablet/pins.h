/*
 * pins.h
 *		The budget of buffer pins that all gpudb scans of the server share.
 */
#ifndef GPUDB_TABLET_PINS_H
#define GPUDB_TABLET_PINS_H

#include "postgres.h"

/* Most pins that the scans of one process may hold. */
#define PINS_PER_SCAN 2048

/* Reserve shared memory (at library load), then attach to it. */
extern void pins_request_shmem(void);
extern void pins_attach_shmem(void);

/* Take n pins from the budget; false, taking none, when there are not so many. */
extern bool pins_lease(int n);

/* Give pins back. */
extern void pins_return(int n);

#endif							/* GPUDB_TABLET_PINS_H */

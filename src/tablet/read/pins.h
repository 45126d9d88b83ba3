/*
 * pins.h
 *		The budget of buffer pins that all gpudb scans of the server share.
 */
#ifndef GPUDB_TABLET_READ_PINS_H
#define GPUDB_TABLET_READ_PINS_H

#include "postgres.h"

/* Largest number of pins that the scans of one process may hold. */
#define PINS_PER_SCAN 2048

/* Reserve shared memory for the budget (at library load), then attach to it. */
extern void pins_request_shmem(void);
extern void pins_attach_shmem(void);

/* Lease n pins from the budget; return false, leasing none, if fewer are left. */
extern bool pins_lease(int n);

/* Return n leased pins to the budget. */
extern void pins_return(int n);

#endif							/* GPUDB_TABLET_READ_PINS_H */

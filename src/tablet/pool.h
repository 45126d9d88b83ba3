/*
 * pool.h
 *		The memory of cached tablets: gpudb.pool_size, which all backends share.
 *
 * Dynamic shared memory in a place of its own (PostgreSQL's utils/dsa.h): it
 * never grows, and a pointer into it is the distance from its start.
 */
#ifndef GPUDB_TABLET_POOL_H
#define GPUDB_TABLET_POOL_H

#include "postgres.h"

#include "storage/lwlock.h"
#include "utils/dsa.h"

/* Reserve its locks (at library load), then make it, in the postmaster; nothing if gpudb.pool_size is 0. */
extern void pool_request_shmem(void);
extern void pool_create(void);

/* Whether there is a pool. */
extern bool pool_exists(void);

/* Where it begins, and its size. */
extern uint8 *pool_start(void);
extern Size pool_bytes(void);

/* The lock of what describes the pool's contents. */
extern LWLock *pool_lock(void);

/* Have this process be ready to allocate and free: the first time may fail. */
extern void pool_attach(void);

/* Memory, or InvalidDsaPointer when there is not so much. */
extern dsa_pointer pool_allocate(Size bytes);
extern void pool_free(dsa_pointer pointer);

/* Where it is in this process; NULL for InvalidDsaPointer. */
extern void *pool_address(dsa_pointer pointer);

#endif							/* GPUDB_TABLET_POOL_H */

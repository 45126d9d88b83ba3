/*
 * pool.h
 *		The memory of cached tablets: gpudb.pool_size, which all backends share.
 *
 * Dynamic shared memory in a place of its own (PostgreSQL's utils/dsa.h): it
 * never grows, and a pointer into it is the distance from its start.
 *
 * It takes memory in huge pages where the machine gives some, whatever its
 * settings are.  A page of 4 kB is a fault for each process that reads it the
 * first time, which takes as long as to go over its values.
 */
#ifndef GPUDB_TABLET_POOL_H
#define GPUDB_TABLET_POOL_H

#include "postgres.h"

#include "storage/lwlock.h"
#include "utils/dsa.h"

/* Choose its size where gpudb.pool_size leaves that to us, in the postmaster, before anything else asks for it. */
extern void pool_choose_size(void);

/* Reserve its locks (at library load), then make it, in the postmaster; nothing if gpudb.pool_size is 0. */
extern void pool_request_shmem(void);
extern void pool_create(void);

/* Whether there is a pool. */
extern bool pool_exists(void);

/* Where it begins, and its size. */
extern uint8 *pool_start(void);
extern Size pool_bytes(void);

/* Bytes of it that stand in huge pages. */
extern Size pool_huge_bytes(void);

/*
 * What it takes to have memory for so many more bytes, in nanoseconds, as far
 * as it was not taken ahead: little where others had that memory before, much
 * where a virtual machine's host has to give it first.  0 where nothing is
 * known, and where pages are not huge.
 */
extern double pool_ns_to_take(double bytes);

/*
 * Have memory stand behind one more huge page that nobody fills yet; false when
 * there is no need of more.  There is none where memory costs little, or where
 * the machine has not much of it left.
 */
extern bool pool_take_ahead(void);

/* Bytes whose memory is there, and that nobody fills yet. */
extern Size pool_bytes_ahead(void);

/* The lock of what describes the pool's contents. */
extern LWLock *pool_lock(void);

/* So many bytes of PostgreSQL's shared memory for what goes with a pool: reserve them (at library load), if there is to be one. */
extern void pool_request_beside(Size bytes);

/* Then attach to them: zeroed at first, and a spinlock in front.  NULL without a pool. */
extern void *pool_attach_beside(const char *name, Size bytes);

/* Have this process be ready to allocate and free: the first time may fail. */
extern void pool_attach(void);

/* Memory, or InvalidDsaPointer when there is not so much. */
extern dsa_pointer pool_allocate(Size bytes);
extern void pool_free(dsa_pointer pointer);

/* Where it is in this process; NULL for InvalidDsaPointer. */
extern void *pool_address(dsa_pointer pointer);

#endif							/* GPUDB_TABLET_POOL_H */

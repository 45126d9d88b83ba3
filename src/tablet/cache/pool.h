/*
 * pool.h
 *		Memory of cached tablets: gpudb.pool_size bytes of shared memory, used by all backends.
 *
 * The pool is dynamic shared memory (utils/dsa.h) in a mapping of its own: it
 * never grows, and a pointer into it is the offset from its start.
 *
 * The pool uses huge pages where the machine gives some, whatever the machine's
 * settings are.  With pages of 4 kB each process takes a page fault the first
 * time that it reads a page, which takes as long as processing the page's
 * values.
 */
#ifndef GPUDB_TABLET_CACHE_POOL_H
#define GPUDB_TABLET_CACHE_POOL_H

#include "postgres.h"

#include "storage/lwlock.h"
#include "utils/dsa.h"

/*
 * Choose the pool's size where gpudb.pool_size leaves it to us, in the
 * postmaster, before anything else asks for the size.
 */
extern void pool_choose_size(void);

/* Reserve the pool's locks (at library load), then create the pool, in the postmaster, unless gpudb.pool_size is 0. */
extern void pool_request_shmem(void);
extern void pool_create(void);

/* Return true if there is a pool. */
extern bool pool_exists(void);

/* Return the pool's start address, and its size in bytes. */
extern uint8 *pool_start(void);
extern Size pool_bytes(void);

/* Return how many bytes of the pool are in huge pages. */
extern Size pool_huge_bytes(void);

/*
 * Estimate the nanoseconds that it takes to get memory for `bytes` more bytes,
 * as far as it was not taken ahead: little where other processes had that
 * memory before, much where a virtual machine's host has to provide it first.
 * Return 0 where nothing is known, and where pages are not huge.
 */
extern double pool_ns_to_take(double bytes);

/*
 * Return true if more memory is to be taken before anybody fills it: at first
 * for the columns of a database of the size of shared_buffers, which is a
 * quarter of that size, or of the pool if this is smaller; later always a
 * little where memory costs much.  It is not where the kernel gives no huge
 * pages.
 */
extern bool pool_wants_memory(void);

/*
 * Back some more huge pages, which nobody fills yet, with memory.  Return false
 * if none are wanted, or the machine has not much memory left.
 */
extern bool pool_take_ahead(void);

/* Return how many bytes have memory that nobody fills yet, or are getting it. */
extern Size pool_bytes_ahead(void);

/* Return the lock that protects the descriptions of the pool's contents. */
extern LWLock *pool_lock(void);

/*
 * Reserve `bytes` bytes of PostgreSQL's shared memory for a struct beside the
 * pool (at library load), if there is to be a pool.
 */
extern void pool_request_beside(Size bytes);

/*
 * Attach to memory reserved by pool_request_beside(), zeroed at first, with a
 * spinlock at its start.  Return NULL without a pool.
 */
extern void *pool_attach_beside(const char *name, Size bytes);

/* Attach this process to the pool, which may fail, so that allocating and freeing memory later need not. */
extern void pool_attach(void);

/*
 * Allocate `bytes` bytes in the pool, or return InvalidDsaPointer if there is
 * no room; pool_free() frees them, and ignores InvalidDsaPointer.
 */
extern dsa_pointer pool_allocate(Size bytes);
extern void pool_free(dsa_pointer pointer);

/* Return the address of a pool pointer in this process; NULL for InvalidDsaPointer. */
extern void *pool_address(dsa_pointer pointer);

#endif							/* GPUDB_TABLET_CACHE_POOL_H */

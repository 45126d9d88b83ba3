/*
 * fallback_cache.h
 *		The fallback cache: what has made nodes fall back, so that the planner does not choose it again.
 */
#ifndef GPUDB_EXEC_RUN_FALLBACK_CACHE_H
#define GPUDB_EXEC_RUN_FALLBACK_CACHE_H

#include "postgres.h"

#include "utils/relcache.h"

/*
 * The cause of a fallback: an attribute whose values cannot be columns, or
 * (attno = 0) a computation, identified by its hash.
 */
typedef struct FallbackCause
{
	AttrNumber	attno;
	uint32		computation;
} FallbackCause;

/* Reserve shared memory (at library load), then attach to it. */
extern void fallback_cache_request_shmem(void);
extern void fallback_cache_attach_shmem(void);

/* Remember a fallback, until the relation changes or an hour has passed. */
extern void fallback_cache_add(Relation relation, FallbackCause cause);

/* Return true if no fallback has ever been remembered; takes no lock. */
extern bool fallback_cache_is_empty(void);

/* Return true if a fallback with this cause is remembered for the relation and has not expired. */
extern bool fallback_cache_has(Relation relation, FallbackCause cause);

#endif							/* GPUDB_EXEC_RUN_FALLBACK_CACHE_H */

/*
 * memory.h
 *		What made nodes fall back, so that the planner does not walk into it again.
 */
#ifndef GPUDB_EXEC_MEMORY_H
#define GPUDB_EXEC_MEMORY_H

#include "postgres.h"

#include "utils/relcache.h"

/*
 * What a fallback was about: an attribute, whose values cannot be columns, or
 * (attno = 0) a computation, by its hash.
 */
typedef struct FallbackCause
{
	AttrNumber	attno;
	uint32		computation;
} FallbackCause;

/* Reserve shared memory (at library load), then attach to it. */
extern void memory_request_shmem(void);
extern void memory_attach_shmem(void);

/* Remember a fallback, until the relation changes or an hour has passed. */
extern void memory_add(Relation relation, FallbackCause cause);

/* Whether none is, which is quick. */
extern bool memory_is_empty(void);

/* Whether such a fallback is remembered. */
extern bool memory_has(Relation relation, FallbackCause cause);

#endif							/* GPUDB_EXEC_MEMORY_H */

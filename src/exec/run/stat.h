/*
 * stat.h
 *		Server-wide counters of what gpudb nodes did, by reason.
 */
#ifndef GPUDB_EXEC_RUN_STAT_H
#define GPUDB_EXEC_RUN_STAT_H

#include "postgres.h"

/* Reserve shared memory (at library load), then attach to it. */
extern void stat_request_shmem(void);
extern void stat_attach_shmem(void);

/*
 * is_preloaded() returns true if the library is preloaded; require_preloaded() raises an error
 * with a hint if it is not.
 */
extern bool is_preloaded(void);
extern void require_preloaded(void);

/* Count a node that ran to its end on its device. */
extern void stat_count_executed(void);

/* Count a fallback at run time: PostgreSQL answered for a node, or for part of it. */
extern void stat_count_fallback(const char *reason);

/* Count a node of which a GPU left some page batches to the CPU device. */
extern void stat_count_left(const char *reason);

/* Count a scan or an aggregate that the planner left to PostgreSQL for a reason other than cost. */
extern void stat_count_refused(const char *reason);

/* Return what a reason code means, in words; NULL if there is no such code. */
extern const char *reason_meaning(const char *reason);

#endif							/* GPUDB_EXEC_RUN_STAT_H */

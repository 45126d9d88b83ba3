/*
 * stat.h
 *		What gpudb nodes did in the whole server, counted by reason.
 */
#ifndef GPUDB_EXEC_STAT_H
#define GPUDB_EXEC_STAT_H

#include "postgres.h"

/* Reserve shared memory (at library load), then attach to it. */
extern void stat_request_shmem(void);
extern void stat_attach_shmem(void);

/* Whether the library is preloaded; an error with a hint when it is not. */
extern bool is_preloaded(void);
extern void require_preloaded(void);

/* A node ran to its end on its device. */
extern void stat_count_executed(void);

/* PostgreSQL answered for a node, or part of it, at run time. */
extern void stat_count_fallback(const char *reason);

/* A GPU left some windows of a node to the CPU device. */
extern void stat_count_left(const char *reason);

/* The planner left a scan or an aggregate to PostgreSQL, for a reason other than cost. */
extern void stat_count_refused(const char *reason);

/* What a reason code means, in words; NULL for none of them. */
extern const char *reason_meaning(const char *reason);

#endif							/* GPUDB_EXEC_STAT_H */

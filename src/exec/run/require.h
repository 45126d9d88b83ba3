/*
 * require.h
 *		gpudb.debug_require: tests that cannot pass by falling back.
 */
#ifndef GPUDB_EXEC_RUN_REQUIRE_H
#define GPUDB_EXEC_RUN_REQUIRE_H

#include "postgres.h"

/* Install the executor hooks; `reason_of_relation` returns why the planner left a relation to PostgreSQL. */
extern void require_init(const char *(*reason_of_relation) (Oid relation));

/* Raise an error if gpudb.debug_require forbids a fallback. */
extern void require_no_fallback(const char *reason, const char *text);

/*
 * Raise an error if a GPU is demanded, by gpudb.device = gpu, and there is
 * none.  Waits for a GPU process that is starting.
 */
extern void require_gpu(void);

#endif							/* GPUDB_EXEC_RUN_REQUIRE_H */

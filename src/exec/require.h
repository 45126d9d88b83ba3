/*
 * require.h
 *		gpudb.debug_require: tests that cannot pass by falling back.
 */
#ifndef GPUDB_EXEC_REQUIRE_H
#define GPUDB_EXEC_REQUIRE_H

#include "postgres.h"

/* Hook into executor start; reasons come from the planner's notes. */
extern void require_init(const char *(*reason_of_relation) (Oid relation));

/* Raise an error if a fallback is forbidden. */
extern void require_no_fallback(const char *reason, const char *text);

/*
 * Raise an error if a GPU is demanded, by gpudb.device = gpu, and there is
 * none; one whose process is starting is waited for.
 */
extern void require_gpu(void);

#endif							/* GPUDB_EXEC_REQUIRE_H */

/*
 * results.h
 *		From a group's row to PostgreSQL's values.
 */
#ifndef GPUDB_EXEC_RESULTS_H
#define GPUDB_EXEC_RESULTS_H

#include "postgres.h"

#include "compile/compile.h"
#include "core/hashtable.h"

/* Whether every value is known, whatever the groups. */
extern bool results_are_sure(const CompileResult *compiled);

/*
 * Whether the values of these are: DONE, or why PostgreSQL must answer
 * instead.  Memory for that is taken of `context`, and given back.
 */
extern DeviceStatus results_check(const CompileResult *compiled, const GroupTable *groups, MemoryContext context);

/* The keys and then the aggregates of a group, palloc'd in the current context; they have been checked. */
extern void results_of_group(const CompileResult *compiled, const GroupTable *groups, uint32 group, Datum *values, bool *isnull);

#endif							/* GPUDB_EXEC_RESULTS_H */

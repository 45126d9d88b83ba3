/*
 * results.h
 *		PostgreSQL's values of the keys and aggregates of groups.
 */
#ifndef GPUDB_EXEC_AGG_RESULTS_H
#define GPUDB_EXEC_AGG_RESULTS_H

#include "postgres.h"

#include "compile/compile.h"
#include "core/vm/hashtable.h"

/* Return true if every key and aggregate has a representable and unambiguous value, whatever the groups. */
extern bool results_are_exact(const CompileResult *compiled);

/*
 * Check that all values of all groups are representable and unambiguous.  Return
 * DONE, or the reason why PostgreSQL must answer instead.  Temporary memory is a
 * child of `context`, and freed.
 */
extern DeviceStatus results_check(const CompileResult *compiled, const GroupTable *groups, MemoryContext context);

/* Compute the keys and then the aggregates of a checked group, palloc'd in the current context. */
extern void results_of_group(const CompileResult *compiled, const GroupTable *groups, uint32 group, Datum *values, bool *isnull);

#endif							/* GPUDB_EXEC_AGG_RESULTS_H */

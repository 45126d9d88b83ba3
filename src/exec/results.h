/*
 * results.h
 *		From a group's row to PostgreSQL's values.
 */
#ifndef GPUDB_EXEC_RESULTS_H
#define GPUDB_EXEC_RESULTS_H

#include "postgres.h"

#include "compile/compile.h"
#include "core/hashtable.h"

/*
 * The value of key k or aggregate a of a group, palloc'd in the current
 * context.  DONE, or why PostgreSQL must answer instead.
 */
extern DeviceStatus result_of_key(const CompileResult *compiled, const GroupTable *groups, uint32 group, int k,
								  Datum *value, bool *isnull);
extern DeviceStatus result_of_aggregate(const CompileResult *compiled, const GroupTable *groups, uint32 group, int a,
										Datum *value, bool *isnull);

/* Whether that is always DONE, whatever the group. */
extern bool result_of_key_is_sure(const KeyResult *key);
extern bool result_of_aggregate_is_sure(const AggResult *agg);

#endif							/* GPUDB_EXEC_RESULTS_H */

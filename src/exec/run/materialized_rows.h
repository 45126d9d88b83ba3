/*
 * materialized_rows.h
 *		Rows materialized on the GPU: their number, the room for them, and a description of their columns.
 */
#ifndef GPUDB_EXEC_RUN_MATERIALIZED_ROWS_H
#define GPUDB_EXEC_RUN_MATERIALIZED_ROWS_H

#include "exec/run/node.h"

/* Return how many rows of `ncolumns` columns fit in gpudb.join_memory. */
extern uint32 materialized_rows_most(int ncolumns);

/* Return how many rows to reserve room for in the first run, `most` at most. */
extern uint32 materialized_rows_room(const GpuNode *node, uint32 most);

/* Return the first word of a state of the only group. */
extern uint64 materialized_rows_state(const CompileResult *compiled, const GroupTable *groups, int state);

/*
 * Return a palloc'd tablet descriptor of the rows materialized on the device,
 * with the bounds of columns where they are known, and set null_count[] to the
 * number of NULLs of each column.
 */
extern Tablet *materialized_rows_describe(const CompileResult *compiled, const GroupTable *groups, uint32 *null_count);

#endif							/* GPUDB_EXEC_RUN_MATERIALIZED_ROWS_H */

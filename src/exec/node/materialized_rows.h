/*
 * materialized_rows.h
 *		Runs whose rows are materialized on the GPU.
 */
#ifndef GPUDB_EXEC_NODE_MATERIALIZED_ROWS_H
#define GPUDB_EXEC_NODE_MATERIALIZED_ROWS_H

#include "exec/rows/output.h"
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

/*
 * Materialize the columns `keep` of what a GpuScan or GpuJoin returns on the
 * GPU.  `take` is called when all rows are materialized and returns false if it
 * could not use them.  Return true if `take` has succeeded.
 */
typedef bool (*MaterializedTaker) (GpuNode *node, const GroupTable *groups, void *arg);

extern bool materialized_rows_run(PlanState *ps, const JoinUse *keep, MaterializedTaker take, void *arg);

/*
 * After all pages have been processed: fetch the materialized rows of a node
 * with keep_rows, one part after the other, and pass each part to `take`.
 * Return DONE; NO_ROOM if another run must reserve room for node->keep_most
 * rows; the status of `take`; or the reason why the rows cannot be fetched.
 */
extern DeviceStatus materialized_rows_fetch(GpuNode *node, OutputRows *outputs, DeviceStatus (*take) (void *arg, uint32 nrows), void *arg);

#endif							/* GPUDB_EXEC_NODE_MATERIALIZED_ROWS_H */

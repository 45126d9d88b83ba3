/*
 * lifecycle.h
 *		The life of a GpuScan, GpuAgg or GpuJoin: begin, runs, jobs and end.
 */
#ifndef GPUDB_EXEC_NODE_LIFECYCLE_H
#define GPUDB_EXEC_NODE_LIFECYCLE_H

#include "postgres.h"

#include "portability/instr_time.h"

#include "exec/run/node.h"

/* Return the report of the node that ended last in this session. */
extern const NodeReport *node_last_report(void);

/* Allocate a zeroed state of `size` bytes that begins with a GpuNode. */
extern GpuNode *node_create(size_t size, const NodeMethods *methods);

/* Return the node's next row: ExecCustomScan of all nodes.  Drains and closes the jobs before an error is rethrown. */
extern TupleTableSlot *node_exec(CustomScanState *css);

/* Initialize the part of a node that all share, and open its relations: first part of BeginCustomScan. */
extern void node_begin(GpuNode *node, EState *estate, int eflags);

/* Add the time since `start` to the node's device_ms. */
extern void node_add_time(GpuNode *node, instr_time start);

/* Return, for CompileInput, which attributes may be read as dictionary codes; NULL if none may. */
extern uint32 *node_offer_dicts(const GpuNode *node, CodeRoom room);

/* Begin a run: open the relation's pages under the query's snapshot and lease threads of the CPU device. */
extern void node_start_run(GpuNode *node);

/*
 * Request that the rows of joins be materialized on the GPU if the node is to
 * run there: a GPU returns rows of joins in no other way.
 */
extern void node_choose_keeping(GpuNode *node);

/* Turn materialization on the device on or off; no-op for nodes whose rows cannot be materialized. */
extern void node_keep_rows(GpuNode *node, bool keep);

/* Return why a GPU does not materialize the rows of the request that was compiled last. */
extern const char *node_why_not_materialized(const GpuNode *node);

/*
 * Compile the program and open a job, for the first time in a run or again.
 * Return false, after noting the fallback, if there is no job.
 */
extern bool node_open_job(GpuNode *node);

/*
 * Compile and open a job on a GPU only, for work that has an alternative.
 * Return false, noting nothing, if that fails.
 */
extern bool node_try_job(GpuNode *node);

/* Add the open job's figures to the report and close it; no-op if there is none. */
extern void node_close_job(GpuNode *node);

/* Close the job, add the run's figures to the report, return threads and free the run's memory. */
extern void node_end_run(GpuNode *node);

/* End the node, its joins and its fallback child, and publish its report as the session's last one. */
extern void node_end(GpuNode *node);

/* End the run, and prepare joins and fallback child for the next one. */
extern void node_rescan(GpuNode *node);

/* After CODES_EXCEEDED: make room for more dictionary codes, or do without.  Return false if codes were off already. */
extern bool node_mend_dicts(GpuNode *node);

/* Maximum number of runs, with larger scales or on another device, before PostgreSQL takes over. */
#define NODE_MOST_ROUNDS 9

/* Prepare another run after one that failed.  Return false if no other run would succeed. */
extern bool node_mend(GpuNode *node, const FeedOutcome *outcome);

/*
 * After SCALE_EXCEEDED: raise the assumed scales to those that the columns
 * have shown.  Return false if no larger scale helps.
 */
extern bool node_raise_scales(GpuNode *node, const int32 *max_scale);

#endif							/* GPUDB_EXEC_NODE_LIFECYCLE_H */

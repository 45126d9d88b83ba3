/*
 * joins.h
 *		The tables of a node's joins: rows of build plans, indexed by join key.
 *
 * A build plan is a child of the node and may be any PostgreSQL plan.  It runs
 * when the first row is requested from the node, after compilation has
 * determined which columns the program reads.  Its table lasts until a
 * parameter that the build plan depends on changes.
 */
#ifndef GPUDB_EXEC_JOIN_JOINS_H
#define GPUDB_EXEC_JOIN_JOINS_H

#include "postgres.h"

#include "exec/run/node.h"

/*
 * Initialize the node's joins from its plan, add them to the node's compile request, and
 * initialize their build plans.
 */
extern void joins_begin(GpuNode *node, EState *estate);

/* Return the filters among a plan's custom_exprs, that is all but the expressions of joins. */
extern List *joins_other_exprs(const CustomScan *plan);

/* Return true if every join has a table with the keys and columns that the compiled program reads. */
extern bool joins_are_built(const GpuNode *node);

/* Return true if some join was made from a NOT IN filter, which PostgreSQL may evaluate before other filters. */
extern bool joins_have_filter(const GpuNode *node);

/* Return true if the last join is a full join. */
extern bool joins_end_in_full(const GpuNode *node);

/*
 * Build the tables that the compiled program reads.  Return DONE, or the reason
 * for the failure, which unless it is CODES_EXCEEDED is also recorded in the
 * node.  An error raised by a build plan is passed on.
 */
extern DeviceStatus joins_build(GpuNode *node);

/* Store the texts of join j's table as plain texts rather than dictionary codes from now on. */
extern void joins_refuse_dicts(GpuNode *node, int j);

/*
 * Index `rows` by their keys, or sort them, as `use` specifies.  The table is
 * allocated in `context`.  Return MEMORY_LIMIT if table and rows together take
 * more than `limit` bytes.
 */
extern DeviceStatus join_index(const JoinUse *use, Tablet *rows, MemoryContext context, uint64 limit, JoinTable **made);

/*
 * Return true if the table of join j, or of any join, is device-resident.
 * joins_fetch_to_host() discards device-resident tables and makes all later builds
 * use the host.
 */
extern bool join_is_device_resident(const GpuNode *node, int j);
extern bool joins_are_device_resident(const GpuNode *node);
extern void joins_fetch_to_host(GpuNode *node);

/* Copy the node's built tables to memory that the GPU process can read; return false if there is no room. */
extern bool joins_share(GpuNode *node);

extern void joins_end(GpuNode *node);

/* Discard the tables of build plans whose parameters have changed. */
extern void joins_rescan(GpuNode *node);

extern void joins_explain(GpuNode *node, List *ancestors, struct ExplainState *es);

#endif							/* GPUDB_EXEC_JOIN_JOINS_H */

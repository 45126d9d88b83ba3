/*
 * joins.h
 *		The tables of a node's joins: what its build plans return, found by key.
 *
 * A build plan is a child of the node, any plan of PostgreSQL's.  It runs when
 * the node is asked for its first row, after the program has said which
 * columns it wants; its table lasts until parameters change what the plan
 * returns.
 */
#ifndef GPUDB_EXEC_JOINS_H
#define GPUDB_EXEC_JOINS_H

#include "postgres.h"

#include "exec/node.h"

/* Read the joins of the node's plan, into its request too, and begin their build plans. */
extern void joins_begin(GpuNode *node, EState *estate);

/* The filters among a plan's custom_exprs: all but the joins' expressions. */
extern List *joins_other_exprs(const CustomScan *plan);

/* Whether the tables are such as the compiled program wants them to be. */
extern bool joins_are_built(const GpuNode *node);

/* Whether one is a filter, which PostgreSQL may test before others. */
extern bool joins_have_filter(const GpuNode *node);

/* Whether the last one is a full join. */
extern bool joins_end_in_full(const GpuNode *node);

/*
 * Build the tables that the compiled program wants.  DONE, or why it cannot
 * be, which but for CODES_EXCEEDED the node says, too; an error of a build plan
 * is PostgreSQL's own.
 */
extern DeviceStatus joins_build(GpuNode *node);

/* Have a table hold all texts as such. */
extern void joins_refuse_codes(GpuNode *node, int j);

/* Find rows by their keys, or sort them, as a use wants it: their table, of both so many bytes at most, is in this context. */
extern DeviceStatus join_index(const JoinUse *use, Tablet *rows, MemoryContext context, uint64 limit, JoinTable **made);

/* Whether a table is on a device alone, or some are; have these built anew, and none be so any more. */
extern bool join_is_away(const GpuNode *node, int j);
extern bool joins_are_away(const GpuNode *node);
extern void joins_bring_here(GpuNode *node);

/* Have the tables, which are built, be where the GPU process can read them; false when there is no room. */
extern bool joins_share(GpuNode *node);

extern void joins_end(GpuNode *node);

/* Have the build plans begin anew where parameters have changed. */
extern void joins_rescan(GpuNode *node);

extern void joins_explain(GpuNode *node, List *ancestors, struct ExplainState *es);

#endif							/* GPUDB_EXEC_JOINS_H */

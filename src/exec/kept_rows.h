/*
 * kept_rows.h
 *		Runs whose rows a GPU keeps.
 */
#ifndef GPUDB_EXEC_KEPT_ROWS_H
#define GPUDB_EXEC_KEPT_ROWS_H

#include "exec/node.h"
#include "exec/output.h"

/* As many rows of so many columns as gpudb.join_memory has room for. */
extern uint32 kept_rows_most(int ncolumns);

/* For how many of them to have room at first. */
extern uint32 kept_rows_room(const GpuNode *node, uint32 most);

/* A state of the one group that there is. */
extern uint64 kept_rows_state(const CompileResult *compiled, const GroupTable *groups, int state);

/* The head of rows that were kept by column, with their bounds as far as these are known, and how many NULLs each column has. */
extern Tablet *kept_rows_describe(const CompileResult *compiled, const GroupTable *groups, uint32 *null_count);

/*
 * Have a GPU keep these columns of what a GpuScan or GpuJoin returns, and make
 * something of them while it does; whether all that is done.  `take` is
 * called when all rows are kept, and tells whether it could.
 */
typedef bool (*KeptTaker) (GpuNode *node, const GroupTable *groups, void *arg);

extern bool kept_rows_run(PlanState *ps, const JoinUse *keep, KeptTaker take, void *arg);

/*
 * After all pages: fetch the rows of a node that keeps_rows, part after part,
 * and have them taken.  DONE; NO_ROOM, with node->keep_most telling for how
 * many there is to be room in another run; what `take` has answered; or why
 * they cannot be had.
 */
extern DeviceStatus kept_rows_fetch(GpuNode *node, OutputRows *outputs, DeviceStatus (*take) (void *arg, uint32 nrows), void *arg);

#endif							/* GPUDB_EXEC_KEPT_ROWS_H */

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

/*
 * After all pages: fetch the rows of a node that keeps_rows, part after part,
 * and have them taken.  DONE; NO_ROOM, with node->keep_most telling for how
 * many there is to be room in another run; what `take` has answered; or why
 * they cannot be had.
 */
extern DeviceStatus kept_rows_fetch(GpuNode *node, OutputRows *outputs, DeviceStatus (*take) (void *arg, uint32 nrows), void *arg);

#endif							/* GPUDB_EXEC_KEPT_ROWS_H */

/*
 * joins_share.h
 *		Copying the tables of joins to memory that the GPU process can read.
 */
#ifndef GPUDB_EXEC_JOIN_JOINS_SHARE_H
#define GPUDB_EXEC_JOIN_JOINS_SHARE_H

#include "exec/run/node.h"

/*
 * Copy a join table and its rows into the memory that cached tablets share, and
 * set *shared to their place.  The copy is freed when `context` is reset or
 * deleted.  Return false if there is no room.
 */
extern bool join_share(GpuNode *node, const JoinRows *rows, MemoryContext context, SharedTable *shared);

#endif							/* GPUDB_EXEC_JOIN_JOINS_SHARE_H */

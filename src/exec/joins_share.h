/*
 * joins_share.h
 *		Tables of joins where the GPU process can read them.
 */
#ifndef GPUDB_EXEC_JOINS_SHARE_H
#define GPUDB_EXEC_JOINS_SHARE_H

#include "exec/node.h"

/*
 * Copy a table, and the rows that it finds, into the memory that cached tablets
 * share, where they stay as long as the table's memory context: *shared tells
 * where.  False when there is no room.
 */
extern bool join_share(GpuNode *node, const JoinRows *rows, MemoryContext context, SharedTable *shared);

#endif							/* GPUDB_EXEC_JOINS_SHARE_H */

/*
 * late.h
 *		Late materialization: columns of groups that are read from their rows when a group is returned.
 */
#ifndef GPUDB_EXEC_LATE_H
#define GPUDB_EXEC_LATE_H

#include "postgres.h"

#include "exec/node.h"

/*
 * Return the late-materialized columns described by `plan`, the list of
 * NODE_PRIVATE_LATE, which are the entries of custom_scan_tlist from `first` on;
 * NULL if there are none.  Opens no index.
 */
extern Late *late_begin(GpuNode *node, const List *plan, int first);

/* Return true if a qual refers to a late-materialized column. */
extern bool late_is_seen(const Late *late, const List *qual);

/* Store the group's late-materialized columns in the scan slot, which holds its keys; they last until the next call. */
extern void late_read(Late *late, TupleTableSlot *slot);

extern void late_end(Late *late);

/* Return the late-materialized columns as a list of Vars, for EXPLAIN. */
extern List *late_columns(const Late *late, const List *scan_tlist);

#endif							/* GPUDB_EXEC_LATE_H */

/*
 * late_materialization.h
 *		Late materialization: columns of groups that are read from their rows when a group is returned.
 */
#ifndef GPUDB_EXEC_AGG_LATE_MATERIALIZATION_H
#define GPUDB_EXEC_AGG_LATE_MATERIALIZATION_H

#include "postgres.h"

#include "exec/run/node.h"

/*
 * Return the late-materialized columns described by `plan`, the list of
 * NODE_PRIVATE_LATE_MATERIALIZATION, which are the entries of custom_scan_tlist from `first` on;
 * NULL if there are none.  Opens no index.
 */
extern LateMaterialization *late_materialization_begin(GpuNode *node, const List *plan, int first);

/* Return true if a qual refers to a late-materialized column. */
extern bool late_materialization_is_seen(const LateMaterialization *late_materialization, const List *qual);

/* Store the group's late-materialized columns in the scan slot, which holds its keys; they last until the next call. */
extern void late_materialization_read(LateMaterialization *late_materialization, TupleTableSlot *slot);

extern void late_materialization_end(LateMaterialization *late_materialization);

/* Return the late-materialized columns as a list of Vars, for EXPLAIN. */
extern List *late_materialization_columns(const LateMaterialization *late_materialization, const List *scan_tlist);

#endif							/* GPUDB_EXEC_AGG_LATE_MATERIALIZATION_H */

/*
 * late.h
 *		Columns of groups that are read when a group goes out, from the rows that its keys determine.
 */
#ifndef GPUDB_EXEC_LATE_H
#define GPUDB_EXEC_LATE_H

#include "postgres.h"

#include "exec/node.h"

/*
 * Of NODE_PRIVATE_LATE: entries of custom_scan_tlist from `first` on; NULL if
 * there are none.  Opens nothing yet.
 */
extern Late *late_begin(GpuNode *node, const List *plan, int first);

/* Whether a condition looks at such a column. */
extern bool late_is_seen(const Late *late, const List *qual);

/* Put the columns of the group into the scan slot, which has its keys.  They last until the next one's. */
extern void late_read(Late *late, TupleTableSlot *slot);

extern void late_end(Late *late);

/* Such columns, for EXPLAIN. */
extern List *late_columns(const Late *late, const List *scan_tlist);

#endif							/* GPUDB_EXEC_LATE_H */

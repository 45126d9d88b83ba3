/*
 * tablet_check.h
 *		Whether cached tablets have what stands in the heap.
 */
#ifndef GPUDB_TABLET_TABLET_CHECK_H
#define GPUDB_TABLET_TABLET_CHECK_H

#include "postgres.h"

#include "utils/rel.h"
#include "utils/snapshot.h"

#include "tablet/shelf.h"

/* What was found of a cached column. */
typedef struct TabletCheck
{
	AttrNumber	attno;
	uint64		tablets;		/* that have the column, and of which blocks can be used */
	uint64		blocks;			/* of these that were compared */
	uint64		rows;
	uint64		differences;	/* rows whose value is another one, or that are here or there only */
} TabletCheck;

typedef void (*TabletCheckReport) (const TabletCheck *check, void *arg);

/*
 * Compare each cached column of a relation, as a query under this snapshot
 * would use it, with the pages.  The snapshot must stay registered.  Blocks
 * whose values cannot be read as the column was are left out.
 */
extern void tablet_check(Relation relation, Snapshot snapshot, TabletCheckReport report, void *arg);

#endif							/* GPUDB_TABLET_TABLET_CHECK_H */

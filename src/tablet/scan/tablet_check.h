/*
 * tablet_check.h
 *		Comparison of cached tablets with the heap.
 */
#ifndef GPUDB_TABLET_SCAN_TABLET_CHECK_H
#define GPUDB_TABLET_SCAN_TABLET_CHECK_H

#include "postgres.h"

#include "utils/rel.h"
#include "utils/snapshot.h"

#include "tablet/cache/shelf.h"

/* Result of comparing a cached column. */
typedef struct TabletCheck
{
	AttrNumber	attno;
	uint64		tablets;		/* tablets that have the column, and some of whose blocks can be used */
	uint64		blocks;			/* blocks that were compared */
	uint64		rows;
	uint64		differences;	/* rows whose values differ, or that are only in the cache or only in the heap */
} TabletCheck;

typedef void (*TabletCheckReport) (const TabletCheck *check, void *arg);

/*
 * Compare each cached column of a relation, as a query under this snapshot
 * would use it, with the pages.  The snapshot must stay registered.  Blocks
 * whose values cannot be read in the column's form are left out.
 */
extern void tablet_check(Relation relation, Snapshot snapshot, TabletCheckReport report, void *arg);

#endif							/* GPUDB_TABLET_SCAN_TABLET_CHECK_H */

/*
 * build_columns.h
 *		Leaving columns of some tablets in the cache without a query.
 */
#ifndef GPUDB_EXEC_BUILD_COLUMNS_H
#define GPUDB_EXEC_BUILD_COLUMNS_H

#include "postgres.h"

#include "utils/rel.h"
#include "utils/snapshot.h"

#include "tablet/build.h"

/* The columns of a relation that are to be built, and by how many threads. */
typedef struct BuildOrder
{
	Relation	relation;		/* of which tablet_scan_possible() is true */
	Snapshot	snapshot;		/* registered until everything is built */
	const ColumnWanted *wanted; /* without their codes, which each process looks up */
	int			nwanted;
	int			threads;		/* besides this process; -1 = as many as are to be had */
	void		(*give_way) (void); /* called in between, with pages pinned: may wait, or raise an error; NULL = nobody waits */
} BuildOrder;

/* The result of building such columns. */
typedef struct Built
{
	DeviceStatus status;		/* DONE, or why some column of some window cannot be read so */
	int			column;			/* which one; -1 = not known */
	int32		scale;			/* after SCALE_EXCEEDED: which scale it needs */
	uint64		kept;			/* tablets left behind */
} Built;

/*
 * Read what is not cached yet of these columns of tablets of one shelf,
 * and leave it behind, until something cannot be read.  False if nothing of
 * these columns can be kept.
 */
extern bool build_tablet_columns(const BuildOrder *order, TabletRange tablets, Built *result);

#endif							/* GPUDB_EXEC_BUILD_COLUMNS_H */

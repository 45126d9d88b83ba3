/*
 * build_columns.h
 *		Builds columns of some tablets in the cache without a query.
 */
#ifndef GPUDB_EXEC_BUILD_BUILD_COLUMNS_H
#define GPUDB_EXEC_BUILD_BUILD_COLUMNS_H

#include "postgres.h"

#include "utils/rel.h"
#include "utils/snapshot.h"

#include "tablet/read/build.h"

/* Columns of a relation to build, and the number of threads to build them with. */
typedef struct BuildOrder
{
	Relation	relation;		/* tablet_scan_possible() must be true of it */
	Snapshot	snapshot;		/* registered until everything is built */
	const ColumnWanted *wanted; /* without their dictionaries, which each process looks up */
	int			nwanted;
	int			threads;		/* besides this process; -1 = as many as can be leased */
	/* Called after each page batch, with pages pinned; may wait or raise an error; NULL = none */
	void		(*give_way) (void);
} BuildOrder;

/* Result of build_tablet_columns() and build_all_columns(). */
typedef struct Built
{
	DeviceStatus status;		/* DONE, or why a column of some page batch cannot be read in the wanted form */
	int			column;			/* index of that column; -1 = not known */
	int32		scale;			/* after SCALE_EXCEEDED: the scale that it needs */
	uint64		added;			/* number of tablets added to the cache */
} Built;

/*
 * Read the columns of `tablets`, all of one shelf, that are not cached yet and
 * add them to the cache, until one cannot be read.  Return false if none of
 * the columns can be cached.
 */
extern bool build_tablet_columns(const BuildOrder *order, TabletRange tablets, Built *result);

#endif							/* GPUDB_EXEC_BUILD_BUILD_COLUMNS_H */

/*
 * build_columns.h
 *		Leaving a relation's columns in the cache without a query.
 */
#ifndef GPUDB_EXEC_BUILD_COLUMNS_H
#define GPUDB_EXEC_BUILD_COLUMNS_H

#include "postgres.h"

#include "utils/rel.h"
#include "utils/snapshot.h"

#include "tablet/build.h"

/* Result of build_columns(). */
typedef struct Built
{
	DeviceStatus status;		/* DONE, or why some column of some window cannot be read so */
	int			column;			/* which one; -1 = not known */
	int32		scale;			/* after SCALE_EXCEEDED: which scale it needs */
	uint64		kept;			/* tablets left behind */
	bool		last;			/* there are no shelves behind */
} Built;

/*
 * Read what is not cached yet of these columns and leave it behind, until
 * something cannot be read: of one shelf, or with -1 of all.  The snapshot must
 * stay registered.  False if nothing of the relation, or of these columns, can
 * be kept.
 */
extern bool build_columns(Relation relation, Snapshot snapshot, const ColumnWanted *wanted, int nwanted, int shelf, Built *result);

#endif							/* GPUDB_EXEC_BUILD_COLUMNS_H */

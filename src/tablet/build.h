/*
 * build.h
 *		How a relation's attributes become tablet columns.
 */
#ifndef GPUDB_TABLET_BUILD_H
#define GPUDB_TABLET_BUILD_H

#include "postgres.h"

#include "utils/rel.h"

#include "core/device_api.h"

/* A column wanted: which attribute, as what. */
typedef struct ColumnWanted
{
	AttrNumber	attno;
	bool		second;			/* display scale of a numeric, or bytes of an interval */
	bool		packed;			/* text in one word */
	bool		not_null;		/* declared so, which the program relies on */
	int16		scale;			/* numerics */
} ColumnWanted;

/* The plan by which a device deforms tuples of this relation; in the current memory context. */
extern DeformSpec *deform_spec_create(Relation relation, const ColumnWanted *wanted, int nwanted);

/* Whether a column's values are references to bytes elsewhere. */
extern bool column_is_text(Relation relation, const ColumnWanted *wanted);

/*
 * Fetch the text values of a collected work item that lie compressed or out
 * of line, and complete its tablet.  DONE, or MEMORY_LIMIT.
 */
extern DeviceStatus tablet_patch(const Device *device, DeviceWork *work);

#endif							/* GPUDB_TABLET_BUILD_H */

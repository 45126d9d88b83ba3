/*
 * build.h
 *		Deform plans: how a relation's attributes become tablet columns.
 */
#ifndef GPUDB_TABLET_READ_BUILD_H
#define GPUDB_TABLET_READ_BUILD_H

#include "postgres.h"

#include "utils/rel.h"

#include "core/device_api.h"
#include "tablet/cache/column_wanted.h"

/* Create the DeformSpec by which a device deforms tuples of this relation, in the current memory context. */
extern DeformSpec *deform_spec_create(Relation relation, const ColumnWanted *wanted, int nwanted);

/* Create the DeformSpec of rows of a subquery, of which there are only tablets. */
extern DeformSpec *deform_spec_of_rows(TupleDesc desc, const ColumnWanted *wanted, int nwanted);

/* Create the DeformPlan of rows that come as values, not as tuples. */
extern DeformPlan *deform_plan_of_rows(TupleDesc desc, const ColumnWanted *wanted, int nwanted, bool wide);

/* Return how values of a type are stored, with decimals in 64 bits. */
extern ColType column_type(Oid type, const ColumnWanted *wanted);

/* Return true if a column's values are references to bytes stored elsewhere. */
extern bool column_is_text(Relation relation, const ColumnWanted *wanted);

/* Add columns to a list that has room for them, unless they are in it; return the list's new length. */
extern int	columns_add(ColumnWanted *list, int n, const ColumnWanted *wanted, int nwanted);

/*
 * Return true if two columns are of the same attribute in forms that pages are
 * not deformed into at once.  A value and its `second` column are deformed at
 * once.
 */
extern bool columns_differ_in_form(const ColumnWanted *a, const ColumnWanted *b);

/* Return true if some of the columns are texts stored as such, neither packed nor as dictionary codes. */
extern bool columns_have_texts(Relation relation, const ColumnWanted *wanted, int nwanted);

/* Return true if some of the columns hold dictionary codes, which only the host assigns. */
extern bool columns_are_coded(const ColumnWanted *wanted, int nwanted);

/*
 * Complete the tablet of a collected work item: fetch text values that are
 * compressed or stored out of line, and assign dictionary codes to values that
 * have none; `wanted` is NULL if no column holds dictionary codes.  Return
 * DONE, MEMORY_LIMIT or CODES_EXCEEDED.
 */
extern DeviceStatus tablet_patch(const Device *device, DeviceWork *work, const ColumnWanted *wanted);

/*
 * Complete a tablet of pages that belongs to no work item, in the steps of
 * tablet_patch(): tablet_patch_dicts() assigns dictionary codes,
 * tablet_bytes_to_fetch() returns how many bytes the texts have that are still
 * to be fetched, and tablet_patch_texts() fetches them into the tablet, which
 * must have room for that many bytes.
 */
extern DeviceStatus tablet_patch_dicts(const PageList *pages, Tablet *tablet, const ColumnWanted *wanted);
extern uint64 tablet_bytes_to_fetch(const PageList *pages, const Tablet *tablet);
extern DeviceStatus tablet_patch_texts(const PageList *pages, Tablet *tablet);

#endif							/* GPUDB_TABLET_READ_BUILD_H */

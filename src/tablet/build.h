/*
 * build.h
 *		How a relation's attributes become tablet columns.
 */
#ifndef GPUDB_TABLET_BUILD_H
#define GPUDB_TABLET_BUILD_H

#include "postgres.h"

#include "utils/rel.h"

#include "core/device_api.h"

#include "tablet/codes.h"

/* A column wanted: which attribute, as what. */
typedef struct ColumnWanted
{
	AttrNumber	attno;
	bool		second;			/* display scale of a numeric, or bytes of an interval */
	bool		packed;			/* text in one word */
	bool		coded;			/* text by its code in the attribute's dictionary */
	bool		not_null;		/* declared so, which the program relies on */
	int16		scale;			/* numerics */
	Codes	   *codes;			/* that dictionary, to read columns with; NULL in what only names them */
} ColumnWanted;

/* Neighbouring tablets of a relation, of which some may be behind its end. */
typedef struct TabletRange
{
	uint32		first;
	uint32		n;
} TabletRange;

/* The plan by which a device deforms tuples of this relation; in the current memory context. */
extern DeformSpec *deform_spec_create(Relation relation, const ColumnWanted *wanted, int nwanted);

/* The same of rows of a subquery, of which there are only tablets. */
extern DeformSpec *deform_spec_of_rows(TupleDesc desc, const ColumnWanted *wanted, int nwanted);

/* The same of rows that come as values: nothing in it is about tuples. */
extern DeformPlan *deform_plan_of_rows(TupleDesc desc, const ColumnWanted *wanted, int nwanted, bool wide);

/* How values of a type are stored, decimals in 64 bits. */
extern ColType column_type(Oid type, const ColumnWanted *wanted);

/* Whether a column's values are references to bytes elsewhere. */
extern bool column_is_text(Relation relation, const ColumnWanted *wanted);

/* Add columns to a list that has room for them, unless they are in it; the list's new length. */
extern int	columns_add(ColumnWanted *list, int n, const ColumnWanted *wanted, int nwanted);

/* Whether two columns are of the same attribute in forms that pages are not deformed into at once: a value and its `second` are. */
extern bool columns_differ_in_form(const ColumnWanted *a, const ColumnWanted *b);

/* Whether some of these columns are texts, as such. */
extern bool columns_have_texts(Relation relation, const ColumnWanted *wanted, int nwanted);

/* Whether some of these columns hold codes, which only the host makes. */
extern bool columns_are_coded(const ColumnWanted *wanted, int nwanted);

/*
 * Complete the tablet of a collected work item: fetch text values that lie
 * compressed or out of line, and give codes to values that have none; wanted
 * is NULL if no column holds codes.  DONE, or MEMORY_LIMIT or CODES_EXCEEDED.
 */
extern DeviceStatus tablet_patch(const Device *device, DeviceWork *work, const ColumnWanted *wanted);

/*
 * The parts of that for a tablet of pages that is no work item's: give codes,
 * and tell how many bytes the texts have that are still to be fetched, for which
 * tablet_patch_texts() must find room.
 */
extern DeviceStatus tablet_patch_codes(const PageList *pages, Tablet *tablet, const ColumnWanted *wanted);
extern uint64 tablet_bytes_to_fetch(const PageList *pages, const Tablet *tablet);
extern DeviceStatus tablet_patch_texts(const PageList *pages, Tablet *tablet);

#endif							/* GPUDB_TABLET_BUILD_H */

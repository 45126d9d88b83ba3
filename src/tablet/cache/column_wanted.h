/*
 * column_wanted.h
 *		Column that a query wants of a relation, and ranges of tablets.
 */
#ifndef GPUDB_TABLET_CACHE_COLUMN_WANTED_H
#define GPUDB_TABLET_CACHE_COLUMN_WANTED_H

#include "postgres.h"

#include "tablet/cache/dict.h"

/* Column that a query wants: an attribute, and the form in which it is stored. */
typedef struct ColumnWanted
{
	AttrNumber	attno;
	bool		second;			/* second column of an attribute: display scale of a numeric, or bytes of an interval */
	bool		packed;			/* text packed into one 64-bit word */
	bool		coded;			/* text stored as its code in the attribute's dictionary */
	bool		not_null;		/* attribute is declared NOT NULL, which the program relies on */
	int16		scale;			/* scale of a numeric */
	Dict	   *dict;			/* the attribute's dictionary, to read the column with; NULL if not read */
} ColumnWanted;

/* Neighbouring tablets of a relation, some of which may lie beyond its end. */
typedef struct TabletRange
{
	uint32		first;
	uint32		n;
} TabletRange;

#endif							/* GPUDB_TABLET_CACHE_COLUMN_WANTED_H */

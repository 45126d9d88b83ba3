/*
 * column_pack.h
 *		Copying a page batch's column into a larger column, in that column's frame-of-reference encoding.
 *
 * The caller that assembles a tablet supplies an encoding and a destination; the code that deforms
 * the column stores its values there if the encoding can represent them.
 */
#ifndef GPUDB_CORE_TABLET_COLUMN_PACK_H
#define GPUDB_CORE_TABLET_COLUMN_PACK_H

#include "core/tablet/deform.h"
#include "core/tablet/for_encoding.h"

typedef struct ColumnPlace
{
	bool		wanted;			/* in: a destination is supplied */

	/*
	 * In: form of the destination column: a frame-of-reference encoding, or the stored type of
	 * values that are not integers.
	 */
	ForEncoding	encoding;
	uint8_t    *values;			/* destination of the page batch's first row; NULL if values take no bytes */
	bool		packed;			/* out: all values are stored; if false, the destination is undefined */
} ColumnPlace;

typedef bool (*ForPack) (const ForEncoding *encoding, ColType type, const void *values, uint32_t n, void *to);

/*
 * Overwrite the NULL rows of an integer column with one of its values, so that they do not widen
 * its range, and recompute the zone map.  Returns false if all rows are NULL.
 */
CORE_FN bool
column_fill_nulls(Tablet *tablet, TabletColumn *column)
{
	const uint32_t bytes = coltype_bytes((ColType) column->type);
	uint8_t    *values = tablet_at(tablet, column->values);
	uint32_t	value = 0;

	if (column->null_count == tablet->nrows)
		return false;
	while (tablet_is_null(tablet, column, value))
		value++;
	for (uint32_t row = 0; row < tablet->nrows; row++)
		if (tablet_is_null(tablet, column, row))
			memcpy(values + (size_t) row * bytes, values + (size_t) value * bytes, bytes);
	deform_zone_map(tablet, column);
	return true;
}

CORE_FN void
column_set_encoding(TabletColumn *column, const ForEncoding *encoding)
{
	column->type = encoding->type;
	column->shift = (uint8_t) encoding->shift;
	column->base = encoding->base;
}

/*
 * Store a column's values at their destination, and set place->packed.  Values in the column's NULL
 * rows are changed.
 */
CORE_FN void
column_pack(ForPack pack, Tablet *tablet, TabletColumn *column, ColumnPlace *place)
{
	const ColType type = (ColType) column->type;
	const uint8_t *values = tablet_at(tablet, column->values);

	place->packed = place->wanted && coltype_integer(type) == coltype_integer((ColType) place->encoding.type);
	if (!place->packed)
		return;
	if (coltype_integer(type))
		place->packed = (column->null_count == 0 || column_fill_nulls(tablet, column)) &&
			pack(&place->encoding, type, values, tablet->nrows, place->values);
	else if (type == place->encoding.type)
		memcpy(place->values, values, (size_t) coltype_bytes(type) * tablet->nrows);
	else
		place->packed = false;
}

/*
 * Store a column's values in a block for another process.  The block is laid out like the page
 * batch's tablet (tablet_columns_size()); on entry its column descriptor gives the wanted encoding,
 * on return that of the stored values.  A column that the encoding cannot represent is stored
 * unchanged.
 */
CORE_FN void
column_store(ForPack pack, Tablet *tablet, uint32_t c, Tablet *block)
{
	TabletColumn *from = &tablet->column[c];
	TabletColumn *to = &block->column[c];
	const ColType type = (ColType) from->type;
	ColumnPlace place = {false, for_encoding_of(to), tablet_at(block, from->values), false};

	place.wanted = for_suits(&place.encoding, type);
	column_pack(pack, tablet, from, &place);
	if (!place.packed)
		memcpy(place.values, tablet_at(tablet, from->values), (size_t) coltype_bytes(type) * tablet->nrows);
	if (from->null_count > 0)
		memcpy(tablet_at(block, from->nulls), tablet_at(tablet, from->nulls), tablet_bitmap_bytes(tablet->nrows));
	*to = *from;
	if (place.packed)
		column_set_encoding(to, &place.encoding);
}

#endif							/* GPUDB_CORE_TABLET_COLUMN_PACK_H */

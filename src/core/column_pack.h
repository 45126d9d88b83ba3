/*
 * column_pack.h
 *		A window's column as part of a larger one: its values in the frame that the others are stored in.
 *
 * Whoever puts a tablet together names a frame and a place, and whoever makes
 * the column puts its values there, if the frame holds them.
 */
#ifndef GPUDB_CORE_COLUMN_PACK_H
#define GPUDB_CORE_COLUMN_PACK_H

#include "core/deform.h"
#include "core/frame.h"

typedef struct ColumnPlace
{
	bool		wanted;			/* in: there is a place, */
	Frame		frame;			/* in a column of this form: a frame, or what values of another kind are stored as */
	uint8_t    *values;			/* of the window's first row; NULL if they take no bytes */
	bool		packed;			/* out: all values are there; if not, anything may be */
} ColumnPlace;

typedef bool (*FramePack) (const Frame *frame, ColType type, const void *values, uint32_t n, void *to);

/* Give integers' NULL rows a value that others have, so that they widen nothing; false if there is none. */
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
column_set_frame(TabletColumn *column, const Frame *frame)
{
	column->type = frame->type;
	column->shift = (uint8_t) frame->shift;
	column->base = frame->base;
}

/* Put a column's values into their place; what stands in its NULL rows is changed. */
CORE_FN void
column_pack(FramePack pack, Tablet *tablet, TabletColumn *column, ColumnPlace *place)
{
	const ColType type = (ColType) column->type;
	const uint8_t *values = tablet_at(tablet, column->values);

	place->packed = place->wanted && coltype_integer(type) == coltype_integer((ColType) place->frame.type);
	if (!place->packed)
		return;
	if (coltype_integer(type))
		place->packed = (column->null_count == 0 || column_fill_nulls(tablet, column)) &&
			pack(&place->frame, type, values, tablet->nrows, place->values);
	else if (type == place->frame.type)
		memcpy(place->values, values, (size_t) coltype_bytes(type) * tablet->nrows);
	else
		place->packed = false;
}

/*
 * The same for another process: into a block laid out as the window's tablet is
 * (tablet_columns_size()), whose head names the frame and is told what came of
 * it.  A column that the frame does not hold stays as it is.
 */
CORE_FN void
column_store(FramePack pack, Tablet *tablet, uint32_t c, Tablet *block)
{
	TabletColumn *from = &tablet->column[c];
	TabletColumn *to = &block->column[c];
	const ColType type = (ColType) from->type;
	ColumnPlace place = {false, frame_of(to), tablet_at(block, from->values), false};

	place.wanted = frame_suits(&place.frame, type);
	column_pack(pack, tablet, from, &place);
	if (!place.packed)
		memcpy(place.values, tablet_at(tablet, from->values), (size_t) coltype_bytes(type) * tablet->nrows);
	if (from->null_count > 0)
		memcpy(tablet_at(block, from->nulls), tablet_at(tablet, from->nulls), tablet_bitmap_bytes(tablet->nrows));
	*to = *from;
	if (place.packed)
		column_set_frame(to, &place.frame);
}

#endif							/* GPUDB_CORE_COLUMN_PACK_H */

/*
 * tablet_format.h
 *		The memory format of a tablet: the columns of a range of heap blocks.
 *
 * A tablet is one block of memory.  Everything in it is addressed by offsets from its first byte,
 * never by pointers, so it can be copied to a device unchanged.  Rows stand in heap order, and
 * `rows` maps each row to its heap tuple.
 *
 *		Tablet | TabletColumn[ncols] | per column: values, null bitmap | rows | variable-width area
 *
 * A tablet made from pages for one query covers a page batch of at most PAGE_BATCH_PAGES pages.
 * A cached tablet is assembled from the columns of many pages, and its columns may be stored
 * anywhere in the cache's memory (tablet/cache/shelf.h).
 */
#ifndef GPUDB_CORE_TABLET_TABLET_FORMAT_H
#define GPUDB_CORE_TABLET_TABLET_FORMAT_H

#include "core/target.h"

#define PAGE_BATCH_PAGES 64

typedef enum ColType
{
#define COLTYPE(name, bytes, meaning) COLTYPE_##name,
#include "core/tablet/coltype.def"
#undef COLTYPE
	COLTYPE_Count
} ColType;

/*
 * References to text values.  A reference is offset << 32 | length.  Bit 31 of the offset says that
 * the bytes lie in the program's constants instead of the tablet.  The bits of the length above
 * TEXT_LENGTH_BITS give the number of the join table whose rows have the bytes, 0 = none.  While a
 * value waits for the backend to fetch it (it is compressed or stored out of line), TEXT_PATCH is
 * set and the low bits give the position of the stored value in its page.
 */
#define TEXT_IN_PROGRAM	((uint64_t) 1 << 63)
#define TEXT_PATCH		((uint64_t) 1 << 63)
#define TEXT_REF(offset, length) (((uint64_t) (offset) << 32) | (uint32_t) (length))
#define TEXT_OFFSET(ref) ((uint32_t) ((ref) >> 32) & 0x7fffffffu)
#define TEXT_LENGTH_BITS 28
#define TEXT_LENGTH_MOST ((1u << TEXT_LENGTH_BITS) - 1)
#define TEXT_LENGTH(ref) ((uint32_t) (ref) & TEXT_LENGTH_MOST)
#define TEXT_TABLE(ref) ((uint32_t) (ref) >> TEXT_LENGTH_BITS)
#define TEXT_IN_TABLE(ref, table) ((ref) | (uint64_t) (table) << TEXT_LENGTH_BITS)
/* Reference to a part of a text: `length` bytes after the first `skip` bytes. */
#define TEXT_SLICE(ref, skip, length) (((ref) & ~(uint64_t) TEXT_LENGTH_MOST) + ((uint64_t) (skip) << 32) + (length))

/*
 * Reference to a text of a cached column, whose bytes begin `distance` bytes behind the tablet's
 * common origin of texts.
 */
#define TEXT_BEHIND(ref, distance) ((ref) + ((uint64_t) (distance) << 32))

/* Place of a row: index of the page within the tablet << 16 | line pointer. */
#define ROW_PLACE(page, offnum) (((uint32_t) (page) << 16) | (uint16_t) (offnum))
#define ROW_PAGE(place) ((place) >> 16)
#define ROW_OFFNUM(place) ((uint16_t) (place))

typedef struct TabletColumn
{
	uint64_t	values;			/* offset of the value array */
	uint64_t	nulls;			/* offset of the bitmap; bit set = NULL */
	uint32_t	null_count;
	uint32_t	patch_count;	/* text values still to be fetched */
	uint16_t	type;			/* ColType of the values as stored */
	uint8_t		shift;			/* shift of the frame-of-reference encoding (for_encoding.h); 0 in a column made from pages */
	uint8_t		raw_bytes;		/* cached column: bytes of a value as it came from pages */
	int32_t		max_scale;		/* decimals: largest scale needed by a value that exceeds the assumed one */

	/*
	 * Base of the frame-of-reference encoding, or a text column's distance for TEXT_BEHIND(); 0 in
	 * a column made from pages.
	 */
	int64_t		base;
	/*
	 * Zone map of integers and decimals.  It is conservative: in a column made from pages, NULL
	 * rows may widen it to include 0.
	 */
	uint64_t	min[2];			/* Wide */
	uint64_t	max[2];
} TabletColumn;

typedef struct Tablet
{
	uint32_t	nrows;
	uint32_t	ncols;
	uint64_t	rows;			/* offset of uint32 row places */
	uint64_t	var;			/* offset of the variable-width area */
	uint64_t	var_used;
	uint64_t	var_capacity;
	uint64_t	size;			/* bytes of the whole block */
	int32_t		failed_column;	/* first column with an unreadable value; -1 = none */
	TabletColumn column[];
} Tablet;

CORE_FN uint32_t
coltype_bytes(ColType type)
{
	switch (type)
	{
#define COLTYPE(name, bytes, meaning) case COLTYPE_##name: return bytes;
#include "core/tablet/coltype.def"
#undef COLTYPE
		case COLTYPE_Count:
			break;
	}
	return 0;
}

/* Return true if a column type stores integers, which can be frame-of-reference encoded (for_encoding.h). */
CORE_FN bool
coltype_integer(ColType type)
{
	switch (type)
	{
		case COLTYPE_SAME:
		case COLTYPE_U8:
		case COLTYPE_U16:
		case COLTYPE_I16:
		case COLTYPE_I32:
		case COLTYPE_U32:
		case COLTYPE_I64:
		case COLTYPE_I128:
			return true;
		case COLTYPE_BOOL:
		case COLTYPE_F32:
		case COLTYPE_F64:
		case COLTYPE_TEXT:
		case COLTYPE_Count:
			break;
	}
	return false;
}

/* Return true if a column type can store differences from a base. */
CORE_FN bool
coltype_for_encoded(ColType type)
{
	return type == COLTYPE_SAME || type == COLTYPE_U8 || type == COLTYPE_U16 || type == COLTYPE_U32;
}

/* Return true if a column is frame-of-reference encoded: it stores differences from its base. */
CORE_FN bool
column_for_encoded(const TabletColumn *column)
{
	return column->type == COLTYPE_SAME || column->type == COLTYPE_U16 ||
		(column->type != COLTYPE_TEXT && (column->base != 0 || column->shift != 0));
}

CORE_FN uint8_t *
tablet_at(const Tablet *tablet, uint64_t offset)
{
	return (uint8_t *) tablet + offset;
}

/* Bytes that the references of a text column point into. */
typedef struct TextBytes
{
	const uint8_t *start;		/* NULL = the column has no such bytes */
	uint64_t	n;
} TextBytes;

/*
 * Let the references of a tablet's text columns point to the bytes of each column, by setting each
 * column's base and the tablet's `var`.  The common origin is the lowest start of all columns'
 * bytes.  Returns false if some bytes lie more than 2 GB behind the origin, which a reference
 * cannot address.
 */
CORE_FN bool
tablet_place_texts(Tablet *tablet, const TextBytes *texts)
{
	const uint8_t *first = NULL;
	const uint8_t *end = NULL;
	uint32_t	c;

	for (c = 0; c < tablet->ncols; c++)
	{
		const uint8_t *start = texts[c].start;

		if (start == NULL)
			continue;
		first = first == NULL || start < first ? start : first;
		end = end == NULL || start + texts[c].n > end ? start + texts[c].n : end;
	}
	if (first == NULL)
		return true;
	if (end - first > INT32_MAX)
		return false;
	for (c = 0; c < tablet->ncols; c++)
		if (texts[c].start != NULL)
			tablet->column[c].base = texts[c].start - first;
	tablet->var = (uint64_t) (uintptr_t) first - (uint64_t) (uintptr_t) tablet;
	return true;
}

CORE_FN bool
tablet_is_null(const Tablet *tablet, const TabletColumn *column, uint32_t row)
{
	return column->null_count > 0 && (tablet_at(tablet, column->nulls)[row / 8] >> (row % 8) & 1);
}

CORE_FN uint64_t
tablet_align(uint64_t offset)
{
	return (offset + 63) & ~(uint64_t) 63;
}

/* Return the bytes of a bitmap over `nrows` rows, in whole 64-bit words. */
CORE_FN uint64_t
tablet_bitmap_bytes(uint32_t nrows)
{
	return ((uint64_t) nrows + 63) / 64 * 8;
}

/* Set `n` bits of a bitmap, beginning with bit `first`. */
CORE_FN void
bitmap_set(uint64_t *bits, uint32_t first, uint32_t n)
{
	while (n > 0)
	{
		const uint32_t room = 64 - first % 64;
		const uint32_t here = n < room ? n : room;

		bits[first / 64] |= (~(uint64_t) 0 >> (64 - here)) << (first % 64);
		first += here;
		n -= here;
	}
}

/* Return the bytes of a tablet, as tablet_layout() will lay it out. */
CORE_FN uint64_t
tablet_size(const uint16_t *types, uint32_t ncols, uint32_t nrows, uint64_t var_capacity)
{
	uint64_t	size = tablet_align(sizeof(Tablet) + ncols * sizeof(TabletColumn));
	uint32_t	c;

	for (c = 0; c < ncols; c++)
	{
		size += tablet_align((uint64_t) coltype_bytes((ColType) types[c]) * nrows);
		size += tablet_align(tablet_bitmap_bytes(nrows));
	}
	return size + tablet_align((uint64_t) nrows * sizeof(uint32_t)) + tablet_align(var_capacity);
}

/*
 * Return the bytes of a tablet's descriptor and columns, which come first; row places and text
 * bytes are not included.
 */
CORE_FN uint64_t
tablet_columns_size(const uint16_t *types, uint32_t ncols, uint32_t nrows)
{
	return tablet_size(types, ncols, nrows, 0) - tablet_align((uint64_t) nrows * sizeof(uint32_t));
}

/*
 * Lay out an empty tablet in a block of tablet_size() bytes, aligned to 64.  types[] are the widest
 * types that each column may need.
 */
CORE_FN void
tablet_layout(Tablet *tablet, const uint16_t *types, uint32_t ncols, uint32_t nrows, uint64_t var_capacity)
{
	uint64_t	at = tablet_align(sizeof(Tablet) + ncols * sizeof(TabletColumn));
	uint32_t	c;

	memset(tablet, 0, sizeof(Tablet) + ncols * sizeof(TabletColumn));
	tablet->nrows = nrows;
	tablet->ncols = ncols;
	tablet->failed_column = -1;
	for (c = 0; c < ncols; c++)
	{
		tablet->column[c].type = types[c];
		tablet->column[c].values = at;
		at += tablet_align((uint64_t) coltype_bytes((ColType) types[c]) * nrows);
		tablet->column[c].nulls = at;
		at += tablet_align(tablet_bitmap_bytes(nrows));
	}
	tablet->rows = at;
	at += tablet_align((uint64_t) nrows * sizeof(uint32_t));
	tablet->var = at;
	tablet->var_capacity = var_capacity;
	tablet->size = at + tablet_align(var_capacity);
}

#endif							/* GPUDB_CORE_TABLET_TABLET_FORMAT_H */

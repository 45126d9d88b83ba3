/*
 * deform.h
 *		Deforming: converts the tuples at given line pointers of pages to the columns of a tablet.
 *
 * A DeformPlan lists the attributes of a relation up to the last wanted one, each with its kind of
 * conversion.  deform_tuple() is the general path from one tuple to a row of values, NULL bits and
 * text bytes; deform_pages() in deform_fast.h processes all tuples.  Each column's minimum and
 * maximum are computed last.
 *
 * Whatever does not fit the plan is reported: SCALE_EXCEEDED (max_scale has the largest scale
 * needed), NEEDS_WIDE, SPECIAL_NUMERIC, DECIMAL_TOO_WIDE, DAMAGED_PAGE.  Text that is compressed or
 * stored out of line is left to the backend: it is counted in its column's patch_count, and its
 * value is marked TEXT_PATCH.  Text that has no known dictionary code but needs one is marked
 * CODE_PATCH in the same way.
 */
#ifndef GPUDB_CORE_TABLET_DEFORM_H
#define GPUDB_CORE_TABLET_DEFORM_H

#include "core/numeric/decimal.h"
#include "core/tablet/dictionary.h"
#include "core/tablet/heap_page.h"
#include "core/vm/op_text.h"
#include "core/tablet/tablet_format.h"
#include "core/numeric/wide_types.h"

typedef enum DeformKind
{
	DEFORM_SKIP_FIXED,			/* skip `length` bytes */
	DEFORM_SKIP_VARLENA,
	DEFORM_SKIP_CSTRING,
	DEFORM_BOOL,
	DEFORM_U8,
	DEFORM_I16,
	DEFORM_I32,
	DEFORM_U32,
	DEFORM_I64,
	DEFORM_F32,
	DEFORM_F64,
	DEFORM_UUID,
	DEFORM_TIMETZ,
	DEFORM_INTERVAL,
	DEFORM_NAME,				/* 64 bytes, terminated by a zero: text */
	DEFORM_DECIMAL,				/* numeric at the column's scale */
	DEFORM_TEXT,
	DEFORM_PACKED,				/* text of at most 7 bytes, in one word */
	DEFORM_PACKED_TRIMMED,		/* text of at most 7 bytes without its trailing blanks, in one word */
	DEFORM_BITS,				/* bit(n) of at most BITS_MOST bits, as a number of n binary digits */
	DEFORM_CODE					/* text, stored as its dictionary code; on the host only */
} DeformKind;

typedef struct DeformAttr
{
	uint8_t		kind;
	uint8_t		align;			/* alignment in bytes: 1, 2, 4 or 8 */
	int16_t		length;			/* bytes of a fixed-width attribute */
	int16_t		column;			/* column of the tablet, -1 = none */
	int16_t		second_column;	/* column for the display scale of a numeric or the bytes of an interval; -1 = none */
	int16_t		scale;			/* decimals: scale of the stored integers */
	uint8_t		wide;			/* decimals: store 128 bits */
	uint8_t		missing;		/* tuples that lack the attribute have missing_value instead of NULL */
	uint64_t	missing_value[2];	/* as stored; text: offset into missing_bytes and length */
	int16_t		missing_dscale;
	int16_t		missing_scale;	/* scale that the missing decimal needs */
	const DictView *view;		/* dictionary of a DEFORM_CODE attribute; NULL where none is available */
} DeformAttr;

typedef struct DeformPlan
{
	uint32_t	natts;
	uint32_t	ncolumns;
	uint32_t	var_columns;	/* number of columns whose bytes go to the variable-width area */
	const uint8_t *missing_bytes;
	DeformAttr	attr[];
} DeformPlan;

/* Page batch: pages with the line pointers of their visible tuples. */
typedef struct PageList
{
	uint32_t	npages;
	uint32_t	nrows;
	const uint8_t *page[PAGE_BATCH_PAGES];
	const uint16_t *offsets[PAGE_BATCH_PAGES];
	uint16_t	ntuples[PAGE_BATCH_PAGES];
} PageList;

/* Return the type of the column that an attribute's values go to, or of its second column. */
CORE_FN ColType
deform_column_type(uint8_t kind, bool wide, bool second)
{
	switch ((DeformKind) kind)
	{
		case DEFORM_BOOL:
			return COLTYPE_BOOL;
		case DEFORM_U8:
			return COLTYPE_U8;
		case DEFORM_I16:
			return COLTYPE_I16;
		case DEFORM_I32:
			return COLTYPE_I32;
		case DEFORM_U32:
		case DEFORM_CODE:
			return COLTYPE_U32;
		case DEFORM_UUID:
		case DEFORM_TIMETZ:
		case DEFORM_INTERVAL:
			return COLTYPE_I128;
		case DEFORM_F32:
			return COLTYPE_F32;
		case DEFORM_F64:
			return COLTYPE_F64;
		case DEFORM_DECIMAL:
			return second ? COLTYPE_I16 : wide ? COLTYPE_I128 : COLTYPE_I64;
		case DEFORM_TEXT:
		case DEFORM_NAME:
			return COLTYPE_TEXT;
		default:
			return COLTYPE_I64;
	}
}

CORE_FN void
deform_set_null(Tablet *tablet, TabletColumn *column, uint32_t row)
{
	uint32_t   *bits = (uint32_t *) tablet_at(tablet, column->nulls);

	/* with CORE_ROWS_AT_ONCE the caller has cleared the bitmap */
	if (core_add_u32(&column->null_count, 1) == 0 && !CORE_ROWS_AT_ONCE)
		memset(bits, 0, tablet_bitmap_bytes(tablet->nrows));
	core_or_u32(&bits[row >> 5], 1u << (row & 31));
	/* a NULL's value is 0, so that nothing undefined is ever computed with */
	memset(tablet_at(tablet, column->values) + (uint64_t) row * coltype_bytes((ColType) column->type), 0,
		   coltype_bytes((ColType) column->type));
}

CORE_FN void
deform_null(const DeformAttr *attr, Tablet *tablet, uint32_t row)
{
	if (attr->column >= 0)
		deform_set_null(tablet, &tablet->column[attr->column], row);
	if (attr->second_column >= 0)
		deform_set_null(tablet, &tablet->column[attr->second_column], row);
}

CORE_FN void
deform_store_decimal(Tablet *tablet, TabletColumn *column, uint32_t row, bool wide, Wide value)
{
	uint8_t    *values = tablet_at(tablet, column->values);

	if (wide)
		wide_store((uint64_t *) values + 2 * (uint64_t) row, value);
	else
		((int64_t *) values)[row] = (int64_t) value;
}

CORE_FN DeviceStatus
deform_decimal(const DeformAttr *attr, Tablet *tablet, uint32_t row, const uint8_t *payload, uint32_t length)
{
	DecimalParts parts;
	Wide		value;
	DeviceStatus status = decimal_split(payload, length, &parts);

	if (core_unlikely(status != STATUS_DONE))
		return status;
	if (attr->column >= 0)
	{
		TabletColumn *column = &tablet->column[attr->column];

		if (core_unlikely(parts.dscale > attr->scale && decimal_scale_needed(&parts) > attr->scale))
		{
			core_max_i32(&column->max_scale, decimal_scale_needed(&parts));
			return STATUS_SCALE_EXCEEDED;
		}
		status = decimal_value(&parts, attr->scale, &value);
		if (core_unlikely(status != STATUS_DONE))
			return status;
		if (core_unlikely(!attr->wide && !wide_fits_int64(value)))
			return STATUS_NEEDS_WIDE;
		deform_store_decimal(tablet, column, row, attr->wide, value);
	}
	if (attr->second_column >= 0)
		((int16_t *) tablet_at(tablet, tablet->column[attr->second_column].values))[row] = (int16_t) parts.dscale;
	return STATUS_DONE;
}

/* Copy text into the variable-width area and store a reference to it. */
CORE_FN DeviceStatus
deform_text(Tablet *tablet, TabletColumn *column, uint32_t row, const uint8_t *bytes, uint32_t length)
{
	uint64_t	at = core_add_u64(&tablet->var_used, length);

	if (core_unlikely(at + length > tablet->var_capacity))
		return STATUS_DAMAGED_PAGE;
	if (core_unlikely(length > TEXT_LENGTH_MOST))
		return STATUS_MEMORY_LIMIT;
	memcpy(tablet_at(tablet, tablet->var + at), bytes, length);
	((uint64_t *) tablet_at(tablet, column->values))[row] = TEXT_REF(at, length);
	return STATUS_DONE;
}

/* Largest number of bits for which a bit(n) is an integer that is not negative. */
#define BITS_MOST 63

/*
 * Store the bits of a bit(n) as a number of n binary digits, whose order is that of the bits.
 * PostgreSQL stores n, in the machine's byte order, and the bits from the first one on, padded to a
 * whole byte.
 */
CORE_FN DeviceStatus
deform_bits(const uint8_t *p, uint32_t length, uint64_t *value)
{
	uint32_t	padding;
	uint32_t	i;

	*value = 0;
	if (core_unlikely(length <= 4 || length > 12))
		return STATUS_DAMAGED_PAGE;
	padding = 8 * (length - 4) - load_u32(p);
	if (core_unlikely(padding > 7))
		return STATUS_DAMAGED_PAGE;
	for (i = 4; i < length; i++)
		*value = *value << 8 | p[i];
	*value >>= padding;
	return STATUS_DONE;
}

/* Location of a varlena on its page. */
typedef struct VarlenaView
{
	const uint8_t *page;
	const uint8_t *start;
	uint32_t	total;			/* total bytes, including the header */
	uint32_t	header;			/* bytes of the header; 0 = compressed or stored out of line */
} VarlenaView;

/*
 * Return the dictionary code to store for a value: `code`, or if it has none yet, a mark with its
 * position `at` on its page, which is counted in patch_count.
 */
CORE_FN uint32_t
deform_code_or_mark(TabletColumn *column, uint32_t code, uint32_t at)
{
	if (core_unlikely(code == DICTIONARY_NONE))
	{
		core_add_u32(&column->patch_count, 1);
		code = CODE_PATCH | at;
	}
	return code;
}

/* Store the dictionary code of a text.  A text that is compressed, stored out of line or without a code is marked. */
CORE_FN DeviceStatus
deform_code(const DictView *view, Tablet *tablet, TabletColumn *column, uint32_t row, const VarlenaView *value)
{
	uint32_t	code = DICTIONARY_NONE;

	if (core_unlikely(view == NULL))
		return STATUS_CODES_EXCEEDED;
	if (value->header != 0)
		code = core_on_host(dict_view_find(view, value->start + value->header, value->total - value->header), DICTIONARY_NONE);
	((uint32_t *) tablet_at(tablet, column->values))[row] = deform_code_or_mark(column, code, (uint32_t) (value->start - value->page));
	return STATUS_DONE;
}

CORE_FN DeviceStatus
deform_varlena(const DeformAttr *attr, Tablet *tablet, uint32_t row, const VarlenaView *value)
{
	const uint8_t *p = value->start + value->header;
	uint32_t	length = value->total - value->header;
	TabletColumn *column = attr->column >= 0 ? &tablet->column[attr->column] : NULL;

	if (attr->kind == DEFORM_DECIMAL)
		return value->header != 0 ? deform_decimal(attr, tablet, row, p, length) : STATUS_DECIMAL_TOO_WIDE;
	if (attr->kind == DEFORM_CODE)
		return deform_code(attr->view, tablet, column, row, value);
	if (core_unlikely(value->header == 0))
	{
		if (attr->kind != DEFORM_TEXT)
			return STATUS_DAMAGED_PAGE;
		core_add_u32(&column->patch_count, 1);
		((uint64_t *) tablet_at(tablet, column->values))[row] = TEXT_PATCH | (uint64_t) (value->start - value->page);
		return STATUS_DONE;
	}
	if (attr->kind == DEFORM_TEXT)
		return deform_text(tablet, column, row, p, length);
	if (attr->kind == DEFORM_BITS)
		return deform_bits(p, length, (uint64_t *) tablet_at(tablet, column->values) + row);
	if (attr->kind == DEFORM_PACKED_TRIMMED)
		length = text_trimmed(p, length);
	if (core_unlikely(length > TEXT_PACKED_MAX))
		return STATUS_DAMAGED_PAGE;
	((uint64_t *) tablet_at(tablet, column->values))[row] = text_pack(p, length);
	return STATUS_DONE;
}

/* Convert and store a value of a fixed-width kind for which deform_converts(). */
CORE_FN DeviceStatus
deform_converted(const DeformAttr *attr, Tablet *tablet, uint32_t row, const uint8_t *p)
{
	Wide		value = 0;

	switch ((DeformKind) attr->kind)
	{
		case DEFORM_NAME:
			return deform_text(tablet, &tablet->column[attr->column], row, p, name_length(p));
		case DEFORM_UUID:
			value = wide_of_uuid(p);
			break;
		case DEFORM_TIMETZ:
			value = wide_of_timetz(p);
			break;
		default:
			value = wide_of_interval(p);
			break;
	}
	if (attr->column >= 0)
		wide_store((uint64_t *) tablet_at(tablet, tablet->column[attr->column].values) + 2 * (uint64_t) row, value);
	if (attr->second_column >= 0)
		wide_store((uint64_t *) tablet_at(tablet, tablet->column[attr->second_column].values) + 2 * (uint64_t) row,
				   wide_of_bytes(p));
	return STATUS_DONE;
}

/* Return true if a fixed-width kind is not stored byte for byte. */
CORE_FN bool
deform_converts(uint8_t kind)
{
	return kind == DEFORM_NAME || kind == DEFORM_UUID || kind == DEFORM_TIMETZ || kind == DEFORM_INTERVAL;
}

/* Store the value of an attribute that was added after the tuple was written: its missing value or NULL. */
CORE_FN DeviceStatus
deform_missing(const DeformPlan *plan, const DeformAttr *attr, Tablet *tablet, uint32_t row)
{
	TabletColumn *column;
	uint8_t    *values;

	if (!attr->missing)
	{
		deform_null(attr, tablet, row);
		return STATUS_DONE;
	}
	if (deform_converts(attr->kind))
		return deform_converted(attr, tablet, row, plan->missing_bytes + attr->missing_value[0]);
	if (attr->second_column >= 0)
		((int16_t *) tablet_at(tablet, tablet->column[attr->second_column].values))[row] = attr->missing_dscale;
	if (attr->column < 0)
		return STATUS_DONE;
	column = &tablet->column[attr->column];
	values = tablet_at(tablet, column->values);
	switch ((DeformKind) attr->kind)
	{
		case DEFORM_DECIMAL:
			if (attr->missing_scale > attr->scale)
			{
				core_max_i32(&column->max_scale, attr->missing_scale);
				return STATUS_SCALE_EXCEEDED;
			}
			deform_store_decimal(tablet, column, row, attr->wide, wide_load(attr->missing_value));
			return attr->wide || wide_fits_int64(wide_load(attr->missing_value)) ? STATUS_DONE : STATUS_NEEDS_WIDE;
		case DEFORM_TEXT:
			return deform_text(tablet, column, row, plan->missing_bytes + attr->missing_value[0],
							   (uint32_t) attr->missing_value[1]);
		default:
			memcpy(values + (uint64_t) row * coltype_bytes((ColType) column->type), attr->missing_value,
				   coltype_bytes((ColType) column->type));
			return STATUS_DONE;
	}
}

CORE_FN uint32_t
deform_fixed_bytes(const DeformAttr *attr)
{
	switch ((DeformKind) attr->kind)
	{
		case DEFORM_BOOL:
		case DEFORM_U8:
			return 1;
		case DEFORM_I16:
			return 2;
		case DEFORM_I32:
		case DEFORM_U32:
		case DEFORM_F32:
			return 4;
		case DEFORM_I64:
		case DEFORM_F64:
			return 8;
		case DEFORM_UUID:
			return UUID_BYTES;
		case DEFORM_TIMETZ:
			return TIMETZ_BYTES;
		case DEFORM_INTERVAL:
			return INTERVAL_BYTES;
		case DEFORM_NAME:
			return NAME_BYTES;
		case DEFORM_SKIP_FIXED:
			return (uint32_t) attr->length;
		default:
			return 0;
	}
}

/* Deform one tuple into row `row`. */
CORE_FN DeviceStatus
deform_tuple(const DeformPlan *plan, const uint8_t *page, const HeapTupleView *tuple, Tablet *tablet, uint32_t row)
{
	uint32_t	off = 0;
	uint32_t	present = tuple->natts < plan->natts ? tuple->natts : plan->natts;
	uint32_t	header;
	uint32_t	total;
	uint32_t	a;
	VarlenaView value;
	DeviceStatus status;
	DeviceStatus result = STATUS_DONE;

	for (a = 0; a < present; a++)
	{
		const DeformAttr *attr = &plan->attr[a];
		const uint8_t *p;

		if (core_unlikely(tuple->nulls != NULL) && !(tuple->nulls[a >> 3] & (1 << (a & 7))))
		{
			deform_null(attr, tablet, row);
			continue;
		}
		switch ((DeformKind) attr->kind)
		{
			case DEFORM_SKIP_FIXED:
			case DEFORM_BOOL:
			case DEFORM_U8:
			case DEFORM_I16:
			case DEFORM_I32:
			case DEFORM_U32:
			case DEFORM_I64:
			case DEFORM_F32:
			case DEFORM_F64:
			case DEFORM_UUID:
			case DEFORM_TIMETZ:
			case DEFORM_INTERVAL:
			case DEFORM_NAME:
				total = deform_fixed_bytes(attr);
				off = (off + attr->align - 1) & ~(uint32_t) (attr->align - 1);
				if (core_unlikely(off + total > tuple->length))
					return STATUS_DAMAGED_PAGE;
				p = tuple->data + off;
				off += total;
				if (attr->kind == DEFORM_SKIP_FIXED)
					break;
				if (deform_converts(attr->kind))
				{
					status = deform_converted(attr, tablet, row, p);
					if (core_unlikely(status != STATUS_DONE))
						return status;
					break;
				}
				memcpy(tablet_at(tablet, tablet->column[attr->column].values) + (uint64_t) row * total, p, total);
				break;
			case DEFORM_SKIP_VARLENA:
			case DEFORM_DECIMAL:
			case DEFORM_TEXT:
			case DEFORM_PACKED:
			case DEFORM_BITS:
			case DEFORM_PACKED_TRIMMED:
			case DEFORM_CODE:
				/* a byte of 0 is padding before a 4-byte header: short headers are never 0 */
				if (off < tuple->length && tuple->data[off] == 0)
					off = (off + attr->align - 1) & ~(uint32_t) (attr->align - 1);
				p = tuple->data + off;
				total = off <= tuple->length ? varlena_length(p, tuple->length - off, &header) : 0;
				if (core_unlikely(total == 0))
					return STATUS_DAMAGED_PAGE;
				off += total;
				if (attr->kind == DEFORM_SKIP_VARLENA)
					break;
				value = (VarlenaView) {page, p, total, header};
				status = deform_varlena(attr, tablet, row, &value);
				if (core_unlikely(status == STATUS_SCALE_EXCEEDED))
					result = status;
				else if (core_unlikely(status != STATUS_DONE))
				{
					tablet->failed_column = attr->column >= 0 ? attr->column : attr->second_column;
					return status;
				}
				break;
			case DEFORM_SKIP_CSTRING:
				while (off < tuple->length && tuple->data[off] != 0)
					off++;
				if (core_unlikely(off++ >= tuple->length))
					return STATUS_DAMAGED_PAGE;
				break;
		}
	}
	for (; a < plan->natts; a++)
	{
		status = deform_missing(plan, &plan->attr[a], tablet, row);
		if (core_unlikely(status == STATUS_SCALE_EXCEEDED))
			result = status;
		else if (core_unlikely(status != STATUS_DONE))
			return status;
	}
	return result;
}

/* Compute the minimum and maximum of an integer column; NULL rows count as 0. */
#define DEFORM_RANGE(ctype, low, high) \
	do { \
		const ctype *v = (const ctype *) tablet_at(tablet, column->values); \
		ctype		lo = n > 0 ? v[0] : 0; \
		ctype		hi = lo; \
		uint32_t	i; \
		for (i = 1; i < n; i++) \
		{ \
			lo = v[i] < lo ? v[i] : lo; \
			hi = v[i] > hi ? v[i] : hi; \
		} \
		low = lo; \
		high = hi; \
	} while (0)

CORE_FN void
deform_zone_map(const Tablet *tablet, TabletColumn *column)
{
	uint32_t	n = tablet->nrows;
	Wide		low = INT64_MIN;
	Wide		high = INT64_MAX;

	switch ((ColType) column->type)
	{
		case COLTYPE_U8:
			DEFORM_RANGE(uint8_t, low, high);
			break;
		case COLTYPE_U32:
			DEFORM_RANGE(uint32_t, low, high);
			break;
		case COLTYPE_I16:
			DEFORM_RANGE(int16_t, low, high);
			break;
		case COLTYPE_I32:
			DEFORM_RANGE(int32_t, low, high);
			break;
		case COLTYPE_I64:
			DEFORM_RANGE(int64_t, low, high);
			break;
		case COLTYPE_I128:
			DEFORM_RANGE(Wide, low, high);
			break;
		default:
			break;
	}
	wide_store(column->min, low);
	wide_store(column->max, high);
}

#endif							/* GPUDB_CORE_TABLET_DEFORM_H */

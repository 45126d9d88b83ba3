/*
 * for_encoding.h
 *		Frame-of-reference encoding: integers stored as small differences from a base.
 *
 *		value = base + (stored << shift)
 *
 * Stored values are unsigned and take no bytes if every value equals the base, else 1, 2 or 4.  The
 * shift removes trailing bits that all values share: nearly all bits of short texts packed into
 * words.  Values that fit none of these are stored unchanged, in 8 bytes or in 16.
 */
#ifndef GPUDB_CORE_TABLET_FOR_ENCODING_H
#define GPUDB_CORE_TABLET_FOR_ENCODING_H

#include "core/tablet/tablet_format.h"

typedef struct ForEncoding
{
	uint16_t	type;			/* ColType: SAME, U8, U16, U32, I64 or I128; made from pages also I16 or I32 */
	uint16_t	shift;
	int64_t		base;
} ForEncoding;

/* A Wide in memory that is aligned to 8 only, as in ForRange. */
typedef Wide WordAlignedWide __attribute__((aligned(8)));

typedef struct ForRange
{
	WordAlignedWide min;
	WordAlignedWide max;
	uint64_t	differing;		/* bits that differ between values */
} ForRange;

/* Return the frame-of-reference encoding of a column. */
CORE_FN ForEncoding
for_encoding_of(const TabletColumn *column)
{
	return (ForEncoding) {column->type, column->shift, column->base};
}

CORE_FN bool
for_equal(const ForEncoding *a, const ForEncoding *b)
{
	return a->type == b->type && a->shift == b->shift && a->base == b->base;
}

/* Return the largest stored integer of a type. */
CORE_FN uint64_t
for_most(uint16_t type)
{
	return type == COLTYPE_SAME ? 0 : type == COLTYPE_U8 ? UINT8_MAX : type == COLTYPE_U16 ? UINT16_MAX : UINT32_MAX;
}

/* Return true if an encoding is valid for integers of a type and takes no more bytes. */
CORE_FN bool
for_suits(const ForEncoding *encoding, ColType type)
{
	if (!coltype_integer(type) || coltype_bytes((ColType) encoding->type) > coltype_bytes(type))
		return false;
	return coltype_for_encoded((ColType) encoding->type) ? encoding->shift < 64
		: (encoding->type == COLTYPE_I64 || encoding->type == COLTYPE_I128) && encoding->shift == 0 && encoding->base == 0;
}

/* Return the bits of an integer that a suitable encoding cannot represent; 0 if it can represent the integer. */
CORE_FN uint64_t
for_odd(const ForEncoding *encoding, Wide value)
{
	if (encoding->type == COLTYPE_I128)
		return 0;
	if (!wide_fits_int64(value))
		return 1;
	return encoding->type == COLTYPE_I64 ? 0 : ((uint64_t) value - (uint64_t) encoding->base) & ~(for_most(encoding->type) << encoding->shift);
}

/*
 * Choose the narrowest encoding that is at least as wide as `least`.  Its unused capacity is
 * centred around the range.
 */
CORE_FN ForEncoding
for_choose(const ForRange *range, uint16_t least)
{
	const uint16_t narrow[] = {COLTYPE_SAME, COLTYPE_U8, COLTYPE_U16, COLTYPE_U32};
	const uint16_t shift = range->differing == 0 ? 0 : (uint16_t) __builtin_ctzll(range->differing);
	uint64_t	span;
	bool		reached = false;

	if (!wide_fits_int64(range->min) || !wide_fits_int64(range->max) || least == COLTYPE_I128)
		return (ForEncoding) {COLTYPE_I128, 0, 0};
	span = (uint64_t) (range->max - range->min) >> shift;
	for (int t = 0; t < 4; t++)
	{
		const uint64_t most = for_most(narrow[t]);

		reached |= narrow[t] == least;
		if (reached && span <= most)
		{
			const Wide	base = range->min - ((Wide) ((most - span) / 2) << shift);

			return (ForEncoding) {narrow[t], shift, (int64_t) (wide_fits_int64(base) ? base : range->min)};
		}
	}
	return (ForEncoding) {COLTYPE_I64, 0, 0};
}

#define FOR_EACH(stype, put) \
	do { \
		const stype *from = (const stype *) values; \
		CORE_INDEPENDENT for (uint32_t i = 0; i < n; i++) \
		{ \
			const stype v = from[i]; \
			const uint64_t d = (uint64_t) v - base; \
			put; \
		} \
	} while (0)
#define FOR_PUT(dtype)		(odd |= d & outside, ((dtype *) to)[i] = (dtype) (d >> shift))
#define FOR_PACK(stype) \
	switch (encoding->type) \
	{ \
		case COLTYPE_SAME: FOR_EACH(stype, odd |= d); break; \
		case COLTYPE_U8: FOR_EACH(stype, FOR_PUT(uint8_t)); break; \
		case COLTYPE_U16: FOR_EACH(stype, FOR_PUT(uint16_t)); break; \
		case COLTYPE_U32: FOR_EACH(stype, FOR_PUT(uint32_t)); break; \
		case COLTYPE_I64: FOR_EACH(stype, ((uint64_t *) to)[i] = d); break; \
		default: FOR_EACH(stype, (void) d; ((WordAlignedWide *) to)[i] = (Wide) v); break; \
	}

/* Store `n` integers in an encoding; false, with `to` undefined, if it cannot represent them all. */
CORE_FN bool
for_pack(const ForEncoding *encoding, ColType type, const void *CORE_RESTRICT values, uint32_t n, void *CORE_RESTRICT to)
{
	const uint64_t base = (uint64_t) encoding->base;
	const uint16_t shift = encoding->shift;
	const uint64_t outside = ~(for_most(encoding->type) << shift);
	uint64_t	odd = 0;

	switch (type)
	{
		case COLTYPE_U8: FOR_PACK(uint8_t); break;
		case COLTYPE_U32: FOR_PACK(uint32_t); break;
		case COLTYPE_I16: FOR_PACK(int16_t); break;
		case COLTYPE_I32: FOR_PACK(int32_t); break;
		case COLTYPE_I64: FOR_PACK(int64_t); break;
		case COLTYPE_I128:
			/* values beyond 64 bits need an encoding of 128 bits */
			if (encoding->type != COLTYPE_I128)
				for (uint32_t i = 0; i < n; i++)
					odd |= !wide_fits_int64(((const Wide *) values)[i]);
			FOR_PACK(Wide);
			break;
		default:
			return false;
	}
	return odd == 0;
}

#define FOR_UNPACK(stype) \
	for (uint32_t i = 0; i < n; i++) \
		to[i] = (int64_t) (((uint64_t) ((const stype *) values)[i] << encoding->shift) + (uint64_t) encoding->base)

/* Decode the integers of a column, which are stored in at most 64 bits. */
CORE_FN void
for_unpack(const ForEncoding *encoding, const void *values, uint32_t n, int64_t *to)
{
	switch (encoding->type)
	{
		case COLTYPE_SAME:
			for (uint32_t i = 0; i < n; i++)
				to[i] = encoding->base;
			break;
		case COLTYPE_U8: FOR_UNPACK(uint8_t); break;
		case COLTYPE_U16: FOR_UNPACK(uint16_t); break;
		case COLTYPE_U32: FOR_UNPACK(uint32_t); break;
		case COLTYPE_I16: FOR_UNPACK(int16_t); break;
		case COLTYPE_I32: FOR_UNPACK(int32_t); break;
		default: memcpy(to, values, (size_t) n * sizeof(int64_t)); break;
	}
}

#undef FOR_UNPACK
#undef FOR_PACK
#undef FOR_PUT
#undef FOR_EACH

#endif							/* GPUDB_CORE_TABLET_FOR_ENCODING_H */

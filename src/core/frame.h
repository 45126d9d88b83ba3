/*
 * frame.h
 *		Frame-of-reference encoding: integers stored as small differences from a base.
 *
 *		value = base + (stored << shift)
 *
 * Stored values are unsigned and take no bytes if every value equals the base, else 1, 2 or 4.  The
 * shift removes trailing bits that all values share: nearly all bits of short texts packed into
 * words.  Values that fit none of these are stored unchanged, in 8 bytes or in 16.
 */
#ifndef GPUDB_CORE_FRAME_H
#define GPUDB_CORE_FRAME_H

#include "core/tablet_format.h"

typedef struct Frame
{
	uint16_t	type;			/* ColType: SAME, U8, U16, U32, I64 or I128; made from pages also I16 or I32 */
	uint16_t	shift;
	int64_t		base;
} Frame;

/* A Wide in memory that is aligned to 8 only, as in FrameRange. */
typedef Wide WordAlignedWide __attribute__((aligned(8)));

typedef struct FrameRange
{
	WordAlignedWide min;
	WordAlignedWide max;
	uint64_t	differing;		/* bits that differ between values */
} FrameRange;

/* Return the frame-of-reference encoding of a column. */
CORE_FN Frame
frame_of(const TabletColumn *column)
{
	return (Frame) {column->type, column->shift, column->base};
}

CORE_FN bool
frame_equal(const Frame *a, const Frame *b)
{
	return a->type == b->type && a->shift == b->shift && a->base == b->base;
}

/* Return the largest stored integer of a type. */
CORE_FN uint64_t
frame_most(uint16_t type)
{
	return type == COLTYPE_SAME ? 0 : type == COLTYPE_U8 ? UINT8_MAX : type == COLTYPE_U16 ? UINT16_MAX : UINT32_MAX;
}

/* Return true if an encoding is valid for integers of a type and takes no more bytes. */
CORE_FN bool
frame_suits(const Frame *frame, ColType type)
{
	if (!coltype_integer(type) || coltype_bytes((ColType) frame->type) > coltype_bytes(type))
		return false;
	return coltype_framed((ColType) frame->type) ? frame->shift < 64
		: (frame->type == COLTYPE_I64 || frame->type == COLTYPE_I128) && frame->shift == 0 && frame->base == 0;
}

/* Return the bits of an integer that a suitable encoding cannot represent; 0 if it can represent the integer. */
CORE_FN uint64_t
frame_odd(const Frame *frame, Wide value)
{
	if (frame->type == COLTYPE_I128)
		return 0;
	if (!wide_fits_int64(value))
		return 1;
	return frame->type == COLTYPE_I64 ? 0 : ((uint64_t) value - (uint64_t) frame->base) & ~(frame_most(frame->type) << frame->shift);
}

/*
 * Choose the narrowest encoding that is at least as wide as `least`.  Its unused capacity is
 * centred around the range.
 */
CORE_FN Frame
frame_choose(const FrameRange *range, uint16_t least)
{
	const uint16_t narrow[] = {COLTYPE_SAME, COLTYPE_U8, COLTYPE_U16, COLTYPE_U32};
	const uint16_t shift = range->differing == 0 ? 0 : (uint16_t) __builtin_ctzll(range->differing);
	uint64_t	span;
	bool		reached = false;

	if (!wide_fits_int64(range->min) || !wide_fits_int64(range->max) || least == COLTYPE_I128)
		return (Frame) {COLTYPE_I128, 0, 0};
	span = (uint64_t) (range->max - range->min) >> shift;
	for (int t = 0; t < 4; t++)
	{
		const uint64_t most = frame_most(narrow[t]);

		reached |= narrow[t] == least;
		if (reached && span <= most)
		{
			const Wide	base = range->min - ((Wide) ((most - span) / 2) << shift);

			return (Frame) {narrow[t], shift, (int64_t) (wide_fits_int64(base) ? base : range->min)};
		}
	}
	return (Frame) {COLTYPE_I64, 0, 0};
}

#define FRAME_EACH(stype, put) \
	do { \
		const stype *from = (const stype *) values; \
		CORE_INDEPENDENT for (uint32_t i = 0; i < n; i++) \
		{ \
			const stype v = from[i]; \
			const uint64_t d = (uint64_t) v - base; \
			put; \
		} \
	} while (0)
#define FRAME_PUT(dtype)	(odd |= d & outside, ((dtype *) to)[i] = (dtype) (d >> shift))
#define FRAME_PACK(stype) \
	switch (frame->type) \
	{ \
		case COLTYPE_SAME: FRAME_EACH(stype, odd |= d); break; \
		case COLTYPE_U8: FRAME_EACH(stype, FRAME_PUT(uint8_t)); break; \
		case COLTYPE_U16: FRAME_EACH(stype, FRAME_PUT(uint16_t)); break; \
		case COLTYPE_U32: FRAME_EACH(stype, FRAME_PUT(uint32_t)); break; \
		case COLTYPE_I64: FRAME_EACH(stype, ((uint64_t *) to)[i] = d); break; \
		default: FRAME_EACH(stype, (void) d; ((WordAlignedWide *) to)[i] = (Wide) v); break; \
	}

/* Store `n` integers in an encoding; false, with `to` undefined, if it cannot represent them all. */
CORE_FN bool
frame_pack(const Frame *frame, ColType type, const void *CORE_RESTRICT values, uint32_t n, void *CORE_RESTRICT to)
{
	const uint64_t base = (uint64_t) frame->base;
	const uint16_t shift = frame->shift;
	const uint64_t outside = ~(frame_most(frame->type) << shift);
	uint64_t	odd = 0;

	switch (type)
	{
		case COLTYPE_U8: FRAME_PACK(uint8_t); break;
		case COLTYPE_U32: FRAME_PACK(uint32_t); break;
		case COLTYPE_I16: FRAME_PACK(int16_t); break;
		case COLTYPE_I32: FRAME_PACK(int32_t); break;
		case COLTYPE_I64: FRAME_PACK(int64_t); break;
		case COLTYPE_I128:
			/* values beyond 64 bits need an encoding of 128 bits */
			if (frame->type != COLTYPE_I128)
				for (uint32_t i = 0; i < n; i++)
					odd |= !wide_fits_int64(((const Wide *) values)[i]);
			FRAME_PACK(Wide);
			break;
		default:
			return false;
	}
	return odd == 0;
}

#define FRAME_UNPACK(stype) \
	for (uint32_t i = 0; i < n; i++) \
		to[i] = (int64_t) (((uint64_t) ((const stype *) values)[i] << frame->shift) + (uint64_t) frame->base)

/* Decode the integers of a column, which are stored in at most 64 bits. */
CORE_FN void
frame_unpack(const Frame *frame, const void *values, uint32_t n, int64_t *to)
{
	switch (frame->type)
	{
		case COLTYPE_SAME:
			for (uint32_t i = 0; i < n; i++)
				to[i] = frame->base;
			break;
		case COLTYPE_U8: FRAME_UNPACK(uint8_t); break;
		case COLTYPE_U16: FRAME_UNPACK(uint16_t); break;
		case COLTYPE_U32: FRAME_UNPACK(uint32_t); break;
		case COLTYPE_I16: FRAME_UNPACK(int16_t); break;
		case COLTYPE_I32: FRAME_UNPACK(int32_t); break;
		default: memcpy(to, values, (size_t) n * sizeof(int64_t)); break;
	}
}

#undef FRAME_UNPACK
#undef FRAME_PACK
#undef FRAME_PUT
#undef FRAME_EACH

#endif							/* GPUDB_CORE_FRAME_H */

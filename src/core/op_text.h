/*
 * op_text.h
 *		Text compared byte for byte, its parts, and LIKE.
 *
 * Equality under any deterministic collation is equality of bytes; order of
 * bytes is the order of the C collation alone.
 */
#ifndef GPUDB_CORE_OP_TEXT_H
#define GPUDB_CORE_OP_TEXT_H

#include "core/target.h"

CORE_FN uint8_t
text_equal(const uint8_t *a, uint32_t alen, const uint8_t *b, uint32_t blen)
{
	return alen == blen && core_memcmp(a, b, alen) == 0;
}

/* Length without trailing blanks, as bpchar compares. */
CORE_FN uint32_t
text_trimmed(const uint8_t *a, uint32_t len)
{
	while (len > 0 && a[len - 1] == ' ')
		len--;
	return len;
}

/* Order of bytes, as under the C collation: < 0, 0 or > 0. */
CORE_FN int
text_compare(const uint8_t *a, uint32_t alen, const uint8_t *b, uint32_t blen)
{
	int			order = core_memcmp(a, b, alen < blen ? alen : blen);

	return order != 0 ? order : (alen > blen) - (alen < blen);
}

/*
 * Up to 7 bytes and the length in one integer.  Equal integers are equal
 * texts, and the order of the integers is the order of bytes; for that the
 * highest bit is flipped.
 */
#define TEXT_PACKED_MAX 7
#define TEXT_PACKED_SIGN ((uint64_t) 1 << 63)

CORE_FN uint64_t
text_pack(const uint8_t *a, uint32_t len)
{
	uint64_t	packed = 0;
	uint32_t	i;

	for (i = 0; i < len; i++)
		packed |= (uint64_t) a[i] << (56 - 8 * i);
	return (packed | len) ^ TEXT_PACKED_SIGN;
}

/* Unpack into 7 bytes; returns the length. */
CORE_FN uint32_t
text_unpack(uint64_t packed, uint8_t *out)
{
	uint32_t	len = (uint32_t) (packed & 0xff);
	uint32_t	i;

	packed ^= TEXT_PACKED_SIGN;
	for (i = 0; i < len && i < TEXT_PACKED_MAX; i++)
		out[i] = (uint8_t) (packed >> (56 - 8 * i));
	return i;
}

/* The same with 16 bytes, or *error; what is not used is 0, which no text contains. */
#define TEXT_WIDE_MAX 16

CORE_FN Wide
text_pack_wide(const uint8_t *a, uint32_t len, uint32_t *error)
{
	uint64_t	half[2] = {0, 0};
	uint32_t	i;

	*error = len > TEXT_WIDE_MAX;
	for (i = 0; i < len && i < TEXT_WIDE_MAX; i++)
		half[i / 8] |= (uint64_t) a[i] << (56 - 8 * (i % 8));
	return (Wide) ((UWide) (half[0] ^ TEXT_PACKED_SIGN) << 64 | half[1]);
}

/* Unpack into 16 bytes; returns the length. */
CORE_FN uint32_t
text_unpack_wide(Wide packed, uint8_t *out)
{
	const uint64_t half[2] = {(uint64_t) ((UWide) packed >> 64) ^ TEXT_PACKED_SIGN, (uint64_t) packed};
	uint32_t	i;

	for (i = 0; i < TEXT_WIDE_MAX; i++)
	{
		out[i] = (uint8_t) (half[i / 8] >> (56 - 8 * (i % 8)));
		if (out[i] == 0)
			break;
	}
	return i;
}

/* Position of the character after the one at `at`. */
CORE_FN uint32_t
text_next(const uint8_t *a, uint32_t len, uint32_t at, bool utf8)
{
	at++;
	if (utf8)
		while (at < len && (a[at] & 0xC0) == 0x80)
			at++;
	return at;
}

/* Characters in the text. */
CORE_FN int64_t
text_characters(const uint8_t *a, uint32_t len, bool utf8)
{
	int64_t		n = 0;
	uint32_t	i;

	if (!utf8)
		return len;
	for (i = 0; i < len; i++)
		n += (a[i] & 0xC0) != 0x80;
	return n;
}

/* Position after `count` characters from `at` on, or the end. */
CORE_FN uint32_t
text_advance(const uint8_t *a, uint32_t len, uint32_t at, int64_t count, bool utf8)
{
	if (!utf8)
		return count < (int64_t) (len - at) ? at + (uint32_t) count : len;
	for (; count > 0 && at < len; count--)
		at = text_next(a, len, at, true);
	return at;
}

/*
 * A part of a text: its characters from number `first` (counted from 0) on,
 * `count` of them; a negative count means all but the last -count.  Returns
 * where it begins and sets its length.
 */
CORE_FN uint32_t
text_part(const uint8_t *a, uint32_t len, int64_t first, int64_t count, bool utf8, uint32_t *part)
{
	uint32_t	begin;

	if (count < 0)
	{
		count += text_characters(a, len, utf8) - first;
		count = count > 0 ? count : 0;
	}
	begin = text_advance(a, len, 0, first, utf8);
	*part = text_advance(a, len, begin, count, utf8) - begin;
	return begin;
}

/* ASCII letters in lower case, as under the C collation. */
CORE_FN uint8_t
text_lower(uint8_t c)
{
	return (uint8_t) (c + (c >= 'A' && c <= 'Z' ? 'a' - 'A' : 0));
}

/* How LIKE reads its operands. */
typedef struct LikeMode
{
	bool		utf8;
	bool		fold;			/* compare without case; the pattern is in lower case */
} LikeMode;

CORE_FN bool
like_same(uint8_t c, uint8_t pattern, LikeMode mode)
{
	return (mode.fold ? text_lower(c) : c) == pattern;
}

/*
 * a LIKE pattern with backslash as escape.  On a mismatch the search resumes
 * one character further from where the last % began to match, which finds a
 * match whenever there is one.  The pattern must not end in a lone escape.
 */
CORE_FN uint8_t
text_like(const uint8_t *a, uint32_t alen, const uint8_t *p, uint32_t plen, LikeMode mode)
{
	uint32_t	ai = 0;
	uint32_t	pi = 0;
	uint32_t	resume_a = 0;
	uint32_t	resume_p = UINT32_MAX;

	for (;;)
	{
		if (pi < plen && p[pi] == '%')
		{
			resume_p = ++pi;
			resume_a = ai;
			if (pi == plen)
				return 1;
			continue;
		}
		if (ai < alen && pi < plen)
		{
			if (p[pi] == '_')
			{
				ai = text_next(a, alen, ai, mode.utf8);
				pi++;
				continue;
			}
			if (p[pi] == '\\' && pi + 1 < plen)
			{
				if (like_same(a[ai], p[pi + 1], mode))
				{
					ai++;
					pi += 2;
					continue;
				}
			}
			else if (like_same(a[ai], p[pi], mode))
			{
				ai++;
				pi++;
				continue;
			}
		}
		else if (ai == alen && pi == plen)
			return 1;
		if (resume_p == UINT32_MAX || resume_a >= alen)
			return 0;
		resume_a = text_next(a, alen, resume_a, mode.utf8);
		ai = resume_a;
		pi = resume_p;
	}
}

#endif							/* GPUDB_CORE_OP_TEXT_H */

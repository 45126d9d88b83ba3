/*
 * op_text.h
 *		Text: comparison byte by byte, substrings, and LIKE.
 *
 * Equality under any deterministic collation is equality of bytes; the order of bytes is that of
 * the C collation alone.
 */
#ifndef GPUDB_CORE_VM_OP_TEXT_H
#define GPUDB_CORE_VM_OP_TEXT_H

#include "core/target.h"

CORE_FN uint8_t
text_equal(const uint8_t *a, uint32_t alen, const uint8_t *b, uint32_t blen)
{
	return alen == blen && core_memcmp(a, b, alen) == 0;
}

/* Return the length without trailing blanks, as bpchar compares. */
CORE_FN uint32_t
text_trimmed(const uint8_t *a, uint32_t len)
{
	while (len > 0 && a[len - 1] == ' ')
		len--;
	return len;
}

/* Compare in the order of bytes, as under the C collation: < 0, 0 or > 0. */
CORE_FN int
text_compare(const uint8_t *a, uint32_t alen, const uint8_t *b, uint32_t blen)
{
	int			order = core_memcmp(a, b, alen < blen ? alen : blen);

	return order != 0 ? order : (alen > blen) - (alen < blen);
}

/*
 * Packed text: up to 7 bytes and the length in one integer.  Equal integers are equal texts, and
 * the order of the integers is the order of bytes; for that the highest bit is flipped.
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

/* Packed text of up to 16 bytes, without a length; unused bytes are 0, which no text contains. */
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

/* Return the position of the character after the one at `at`. */
CORE_FN uint32_t
text_next(const uint8_t *a, uint32_t len, uint32_t at, bool utf8)
{
	at++;
	if (utf8)
		while (at < len && (a[at] & 0xC0) == 0x80)
			at++;
	return at;
}

/* Return the number of characters of a text. */
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

/* Return the position after `count` characters from `at` on, or the end. */
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
 * Find a substring: characters from number `first` (counted from 0) on, `count` of them; a negative
 * count means all but the last -count.  Returns where it begins and sets its length.
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

/* Return an ASCII letter in lower case, other bytes unchanged, as under the C collation. */
CORE_FN uint8_t
text_lower(uint8_t c)
{
	return (uint8_t) (c + (c >= 'A' && c <= 'Z' ? 'a' - 'A' : 0));
}

/* Mode of LIKE. */
typedef struct LikeMode
{
	bool		utf8;
	bool		fold;			/* compare without case; the pattern is in lower case */
} LikeMode;

/* Word of eight equal bytes. */
#define TEXT_EIGHT(byte) ((uint64_t) (uint8_t) (byte) * UINT64_C(0x0101010101010101))

/* Return true if a byte of a pattern has a special meaning. */
CORE_FN bool
like_is_special(uint8_t c)
{
	return c == '%' || c == '_' || c == '\\';
}

CORE_FN bool
like_same(uint8_t c, uint8_t pattern, LikeMode mode)
{
	return (mode.fold ? text_lower(c) : c) == pattern;
}

/* Return eight bytes, each in lower case. */
CORE_HOST uint64_t
text_lower_eight(uint64_t bytes)
{
	const uint64_t low = bytes & TEXT_EIGHT(0x7f);
	const uint64_t from_a = low + TEXT_EIGHT(0x80 - 'A');
	const uint64_t past_z = low + TEXT_EIGHT(0x7f - 'Z');

	/* the highest bit of a byte, moved to the one by which cases differ */
	return bytes + ((from_a & ~past_z & ~bytes & TEXT_EIGHT(0x80)) >> 2);
}

/* Return the eight bytes at p, in lower case if the mode folds. */
CORE_HOST uint64_t
text_eight(const uint8_t *p, LikeMode mode)
{
	uint64_t	bytes;

	memcpy(&bytes, p, sizeof(bytes));
	return mode.fold ? text_lower_eight(bytes) : bytes;
}

/*
 * Return at which of eight positions of a text the two bytes at p of a pattern match, as the
 * highest bits of the positions' bytes.  A byte of the difference is 0 where both match, and adding
 * 0x7f to the lower seven bits of any other byte sets the highest one.
 */
CORE_HOST uint64_t
like_pairs(const uint8_t *a, const uint8_t *p, LikeMode mode)
{
	const uint64_t differs = (text_eight(a, mode) ^ TEXT_EIGHT(p[0])) | (text_eight(a + 1, mode) ^ TEXT_EIGHT(p[1]));

	return ~(((differs & TEXT_EIGHT(0x7f)) + TEXT_EIGHT(0x7f)) | differs) & TEXT_EIGHT(0x80);
}

/* Number of bytes that like_pairs() reads. */
#define LIKE_PAIRS_BYTES 9

/* Return the first position, from `at` on, where the two bytes at p of a pattern match, or alen. */
CORE_HOST uint32_t
like_seek(const uint8_t *a, uint32_t alen, uint32_t at, const uint8_t *p, LikeMode mode)
{
	uint64_t	pairs = 0;

	for (; at + LIKE_PAIRS_BYTES <= alen; at += 8)
	{
		pairs = like_pairs(a + at, p, mode);
		if (pairs != 0)
			return at + (uint32_t) __builtin_ctzll(pairs) / 8;
	}
	/* last positions, together with earlier ones that are shifted out */
	if (at + 1 < alen && alen >= LIKE_PAIRS_BYTES)
	{
		pairs = like_pairs(a + alen - LIKE_PAIRS_BYTES, p, mode) >> 8 * (at - (alen - LIKE_PAIRS_BYTES));
		return pairs != 0 ? at + (uint32_t) __builtin_ctzll(pairs) / 8 : alen;
	}
	for (; at + 1 < alen; at++)
		if (like_same(a[at], p[0], mode) && like_same(a[at + 1], p[1], mode))
			return at;
	return alen;
}

/*
 * Return true if a pattern begins with two bytes that like_seek() may look for: no wildcards, and
 * not a continuation byte of a character.
 */
CORE_FN bool
like_can_seek(const uint8_t *p, uint32_t plen, LikeMode mode)
{
	return plen >= 2 && !like_is_special(p[0]) && !like_is_special(p[1]) && !(mode.utf8 && (p[0] & 0xC0) == 0x80);
}

/*
 * Return 1 if a is LIKE the pattern p, with backslash as escape.  On a mismatch the search resumes
 * one character further from where the last % began to match, which finds a match whenever there is
 * one; on a CPU it skips all positions at which the pattern's next two bytes do not match.  The
 * pattern must not end in a lone escape.
 */
CORE_FN uint8_t
text_like(const uint8_t *a, uint32_t alen, const uint8_t *p, uint32_t plen, LikeMode mode)
{
	uint32_t	ai = 0;
	uint32_t	pi = 0;
	uint32_t	resume_a = 0;
	uint32_t	resume_p = UINT32_MAX;
	bool		seeks = false;

	for (;;)
	{
		if (pi < plen && p[pi] == '%')
		{
			resume_p = ++pi;
			if (pi == plen)
				return 1;
			seeks = core_on_host(like_can_seek(p + pi, plen - pi, mode), false);
			if (seeks)
				ai = core_on_host(like_seek(a, alen, ai, p + pi, mode), ai);
			resume_a = ai;
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
		if (seeks)
			resume_a = core_on_host(like_seek(a, alen, resume_a, p + resume_p, mode), resume_a);
		ai = resume_a;
		pi = resume_p;
	}
}

#endif							/* GPUDB_CORE_VM_OP_TEXT_H */

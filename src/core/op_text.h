/*
 * op_text.h
 *		Text compared byte for byte, and LIKE.
 *
 * Equality under any deterministic collation is equality of bytes.
 */
#ifndef GPUDB_CORE_OP_TEXT_H
#define GPUDB_CORE_OP_TEXT_H

#include "core/target.h"

CORE_FN uint8_t
text_equal(const uint8_t *a, uint32_t alen, const uint8_t *b, uint32_t blen)
{
	return alen == blen && memcmp(a, b, alen) == 0;
}

/* Length without trailing blanks, as bpchar compares. */
CORE_FN uint32_t
text_trimmed(const uint8_t *a, uint32_t len)
{
	while (len > 0 && a[len - 1] == ' ')
		len--;
	return len;
}

/*
 * Up to 7 bytes and the length in one integer.  Equal integers are equal
 * texts, and their order as unsigned integers is the order of bytes.
 */
#define TEXT_PACKED_MAX 7

CORE_FN uint64_t
text_pack(const uint8_t *a, uint32_t len)
{
	uint64_t	packed = 0;
	uint32_t	i;

	for (i = 0; i < len; i++)
		packed |= (uint64_t) a[i] << (56 - 8 * i);
	return packed | len;
}

/* Unpack into 7 bytes; returns the length. */
CORE_FN uint32_t
text_unpack(uint64_t packed, uint8_t *out)
{
	uint32_t	len = (uint32_t) (packed & 0xff);
	uint32_t	i;

	for (i = 0; i < len && i < TEXT_PACKED_MAX; i++)
		out[i] = (uint8_t) (packed >> (56 - 8 * i));
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

/*
 * a LIKE pattern with backslash as escape.  On a mismatch the search resumes
 * one character further from where the last % began to match, which finds a
 * match whenever there is one.  The pattern must not end in a lone escape.
 */
CORE_FN uint8_t
text_like(const uint8_t *a, uint32_t alen, const uint8_t *p, uint32_t plen, bool utf8)
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
				ai = text_next(a, alen, ai, utf8);
				pi++;
				continue;
			}
			if (p[pi] == '\\' && pi + 1 < plen)
			{
				if (a[ai] == p[pi + 1])
				{
					ai++;
					pi += 2;
					continue;
				}
			}
			else if (a[ai] == p[pi])
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
		resume_a = text_next(a, alen, resume_a, utf8);
		ai = resume_a;
		pi = resume_p;
	}
}

#endif							/* GPUDB_CORE_OP_TEXT_H */

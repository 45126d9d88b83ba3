/*
 * sort_parts.h
 *		Sort keys as parts of words whose order is that of the rows.
 *
 * The sort code of a value is its distance from the smallest value, or from the largest one for a
 * descending key; the sort code of a NULL is before or behind all others.  A key whose sort codes
 * have more than 64 bits has several parts.  Parts are packed into words of 64 bits, the first part
 * in the highest bits.
 */
#ifndef GPUDB_CORE_SORT_SORT_PARTS_H
#define GPUDB_CORE_SORT_SORT_PARTS_H

#include "core/vm/op_cast.h"
#include "core/tablet/tablet_format.h"

#define SORT_MOST_KEYS	16

/* A key of 128 bits has three parts. */
#define SORT_MOST_PARTS	(3 * SORT_MOST_KEYS)

/* A column to sort by, the first key first.  Texts are ordered by their bytes; the two zeros of floats are equal. */
typedef struct SortKey
{
	uint16_t	column;
	bool		descending;
	bool		nulls_first;
	bool		padded;			/* texts: trailing blanks do not count */
} SortKey;

typedef enum SortPartKind
{
	PART_CODE,					/* sort code of at most 64 bits */
	/* NULL flag of a longer sort code: 1 for the later ones of NULLs and other values, 0 for the earlier ones. */
	PART_NULL,
	PART_HIGH,					/* bits 64 to 127 of a longer sort code */
	PART_LOW
} SortPartKind;

typedef struct SortPart
{
	uint64_t	from[2];		/* a Wide: the sort code of a value is its distance from it */
	uint64_t	of_null;		/* sort code of a NULL */
	uint64_t	of_first;		/* sort code of the first value: 1 where NULLs come before it, else 0 */
	uint8_t		kind;			/* SortPartKind */
	uint8_t		key;			/* index of its key */
	uint8_t		bits;
	uint8_t		word;
	uint8_t		shift;			/* position of its lowest bit in the word */
	bool		descending;
	bool		nulls_first;
} SortPart;

typedef struct SortParts
{
	SortPart	part[SORT_MOST_PARTS];
	uint32_t	nparts;
	uint32_t	nwords;
} SortParts;

/* Add a part, unless it has no bits, since all rows have the same sort code. */
CORE_FN void
sort_add_part(SortParts *parts, const SortPart *part)
{
	if (part->bits > 0)
		parts->part[parts->nparts++] = *part;
}

/* Add a key whose sort codes are from 0 to `largest`, NULLs not counted. */
CORE_FN void
sort_add_codes(SortParts *parts, uint32_t number, const SortKey *key, bool nulls, uint64_t largest, Wide from)
{
	SortPart	part = {{0}};

	part.kind = PART_CODE;
	part.key = (uint8_t) number;
	part.descending = key->descending;
	part.nulls_first = key->nulls_first;
	part.of_first = nulls && key->nulls_first;
	part.of_null = key->nulls_first ? 0 : largest + 1;
	part.bits = (uint8_t) bits_needed(largest + (nulls ? 1 : 0));
	wide_store(part.from, from);
	sort_add_part(parts, &part);
}

/* Add a key whose values are from `least` to `most`. */
CORE_FN void
sort_add_key(SortParts *parts, uint32_t number, const SortKey *key, bool nulls, Wide least, Wide most)
{
	/* without values other than NULL the bounds are arbitrary */
	const UWide span = most < least ? 0 : (UWide) most - (UWide) least;
	const Wide	from = key->descending && most >= least ? most : least;
	SortPart	part = {{0}};

	if (span <= UINT64_MAX - 2)
	{
		sort_add_codes(parts, number, key, nulls, (uint64_t) span, from);
		return;
	}
	part.key = (uint8_t) number;
	part.descending = key->descending;
	part.nulls_first = key->nulls_first;
	wide_store(part.from, from);
	part.kind = PART_NULL;
	part.bits = nulls ? 1 : 0;
	sort_add_part(parts, &part);
	part.kind = PART_HIGH;
	part.bits = (uint8_t) bits_needed((uint64_t) (span >> 64));
	sort_add_part(parts, &part);
	part.kind = PART_LOW;
	part.bits = 64;
	sort_add_part(parts, &part);
}

/* Assign each part its position in a word. */
CORE_FN void
sort_place_parts(SortParts *parts)
{
	uint32_t	used = 64;

	parts->nwords = 0;
	for (uint32_t p = 0; p < parts->nparts; p++)
	{
		if (used + parts->part[p].bits > 64)
		{
			parts->nwords++;
			used = 0;
		}
		used += parts->part[p].bits;
		parts->part[p].word = (uint8_t) (parts->nwords - 1);
	}
	used = 0;
	for (uint32_t p = parts->nparts; p > 0; p--)
	{
		SortPart   *part = &parts->part[p - 1];

		if (p < parts->nparts && part->word != part[1].word)
			used = 0;
		part->shift = (uint8_t) used;
		used += part->bits;
	}
}

/* Return the number of bits used in a word. */
CORE_FN uint32_t
sort_bits_of_word(const SortParts *parts, uint32_t word)
{
	uint32_t	bits = 0;

	for (uint32_t p = 0; p < parts->nparts; p++)
		bits += parts->part[p].word == word ? parts->part[p].bits : 0;
	return bits;
}

/* Return a part of the sort code of a value that is not a text. */
CORE_FN uint64_t
sort_code(const SortPart *part, bool null, Wide value)
{
	UWide		code;

	if (part->kind == PART_NULL)
		return null != part->nulls_first;
	if (null)
		return part->of_null;
	code = part->descending ? (UWide) wide_load(part->from) - (UWide) value : (UWide) value - (UWide) wide_load(part->from);
	return part->kind == PART_HIGH ? (uint64_t) (code >> 64) : part->kind == PART_LOW ? (uint64_t) code : (uint64_t) code + part->of_first;
}

#endif							/* GPUDB_CORE_SORT_SORT_PARTS_H */

/*
 * sort_parts.h
 *		What rows are sorted by: keys as parts of words whose order is that of the rows.
 *
 * The code of a value is its distance from the least one there is, or from the
 * largest; that of a NULL lies before or behind all others.  A key whose codes
 * have more than 64 bits has several parts.  Parts stand in words of 64 bits,
 * the first one's bits the highest.
 */
#ifndef GPUDB_CORE_SORT_PARTS_H
#define GPUDB_CORE_SORT_PARTS_H

#include "core/op_cast.h"
#include "core/tablet_format.h"

#define SORT_MOST_KEYS	16

/* Of 128 bits a key has three parts. */
#define SORT_MOST_PARTS	(3 * SORT_MOST_KEYS)

/* One of the columns, the first key first.  Texts are in the order of their bytes; of floats the two zeros are equal. */
typedef struct SortKey
{
	uint16_t	column;
	bool		descending;
	bool		nulls_first;
	bool		padded;			/* of texts blanks at the end do not count */
} SortKey;

typedef enum SortPartKind
{
	PART_CODE,					/* a code of 64 bits */
	PART_NULL,					/* of a longer one: 1 if it is behind those that are not NULL, 0 before them; else the other */
	PART_HIGH,					/* bits 64 to 127 */
	PART_LOW
} SortPartKind;

typedef struct SortPart
{
	uint64_t	from[2];		/* a Wide: the code of a value is its distance from here */
	uint64_t	of_null;		/* the code of a NULL */
	uint64_t	of_first;		/* of the least value: 1 where NULLs come before it */
	uint8_t		kind;			/* SortPartKind */
	uint8_t		key;			/* whose it is, by its number */
	uint8_t		bits;
	uint8_t		word;
	uint8_t		shift;			/* of its lowest bit in the word */
	bool		descending;
	bool		nulls_first;
} SortPart;

typedef struct SortParts
{
	SortPart	part[SORT_MOST_PARTS];
	uint32_t	nparts;
	uint32_t	nwords;
} SortParts;

/* A part of which all rows have the same bits is none. */
CORE_FN void
sort_add_part(SortParts *parts, const SortPart *part)
{
	if (part->bits > 0)
		parts->part[parts->nparts++] = *part;
}

/* Add a key whose codes are from 0 to `largest`, but for NULLs. */
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

/* Add a key whose values are between these. */
CORE_FN void
sort_add_key(SortParts *parts, uint32_t number, const SortKey *key, bool nulls, Wide least, Wide most)
{
	/* of no values but NULLs the bounds may be anything */
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

/* Give each part its place in a word. */
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

/* Bits of a word. */
CORE_FN uint32_t
sort_bits_of_word(const SortParts *parts, uint32_t word)
{
	uint32_t	bits = 0;

	for (uint32_t p = 0; p < parts->nparts; p++)
		bits += parts->part[p].word == word ? parts->part[p].bits : 0;
	return bits;
}

/* What a part is of a value that is no text. */
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

#endif							/* GPUDB_CORE_SORT_PARTS_H */

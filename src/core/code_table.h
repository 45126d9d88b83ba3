/*
 * code_table.h
 *		What a condition says of each value of a dictionary, by code: two bits each.
 *
 *		word 0: how many codes there is room for | words of 32 codes
 *
 * Of a code beyond, or one that nobody has asked about, nothing is known.
 */
#ifndef GPUDB_CORE_CODE_TABLE_H
#define GPUDB_CORE_CODE_TABLE_H

#include "core/target.h"

typedef enum CodeTruth
{
	CODE_FALSE,
	CODE_TRUE,
	CODE_UNKNOWN,				/* nobody has asked */
	CODE_NEITHER				/* NULL, or an error */
} CodeTruth;

/* Codes of a table at most; what has more values has no dictionary. */
#define CODE_TABLE_MOST		131072

#define CODE_TABLE_BITS		2
#define CODES_PER_WORD		(64 / CODE_TABLE_BITS)
#define CODE_WORD_UNKNOWN	(~UINT64_C(0) / 3 * CODE_UNKNOWN)

/* Words of a table with room for so many codes. */
CORE_FN uint32_t
code_table_words(uint32_t capacity)
{
	return 1 + (capacity + CODES_PER_WORD - 1) / CODES_PER_WORD;
}

CORE_FN CodeTruth
code_table_truth(const uint64_t *table, uint64_t code)
{
	if (code >= table[0])
		return CODE_UNKNOWN;
	return (CodeTruth) (table[1 + code / CODES_PER_WORD] >> (code % CODES_PER_WORD * CODE_TABLE_BITS) & 3);
}

/* TEST_CODE: the truth, *error if it is not known, or none. */
CORE_FN uint8_t
code_table_look(const uint64_t *table, int64_t code, uint32_t *error)
{
	const uint32_t truth = code_table_truth(table, (uint64_t) code);

	*error |= truth >> 1;
	return truth & 1;
}

/* Note what was found out about a code that there is room for. */
CORE_HOST void
code_table_note(uint64_t *table, uint32_t code, CodeTruth truth)
{
	uint64_t   *word = &table[1 + code / CODES_PER_WORD];
	const uint32_t at = code % CODES_PER_WORD * CODE_TABLE_BITS;

	*word = (*word & ~(UINT64_C(3) << at)) | (uint64_t) truth << at;
}

/* The truths of codes from `low` to `high`: a bit for each, 1 << CodeTruth. */
CORE_FN uint32_t
code_table_truths(const uint64_t *table, uint64_t low, uint64_t high)
{
	const uint32_t all = (1u << CODE_FALSE) | (1u << CODE_TRUE) | (1u << CODE_UNKNOWN) | (1u << CODE_NEITHER);
	uint32_t	truths = 0;

	if (high >= table[0])
		return all;
	for (; low <= high && truths != all; low++)
		truths |= 1u << code_table_truth(table, low);
	return truths;
}

#endif							/* GPUDB_CORE_CODE_TABLE_H */

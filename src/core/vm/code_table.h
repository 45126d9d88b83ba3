/*
 * code_table.h
 *		Truth table: the result of a condition for each value of a dictionary, by dictionary code, two bits each.
 *
 *		word 0: number of dictionary codes that fit | words of 32 dictionary codes
 *
 * The result is unknown for a dictionary code beyond the table and for one whose condition has not
 * been evaluated.
 */
#ifndef GPUDB_CORE_VM_CODE_TABLE_H
#define GPUDB_CORE_VM_CODE_TABLE_H

#include "core/target.h"

typedef enum CodeTruth
{
	CODE_FALSE,
	CODE_TRUE,
	CODE_UNKNOWN,				/* not evaluated yet */
	CODE_NEITHER				/* NULL, or an error */
} CodeTruth;

/* Maximum number of dictionary codes in a table; a column with more values has no dictionary. */
#define CODE_TABLE_MOST		131072

#define CODE_TABLE_BITS		2
#define CODES_PER_WORD		(64 / CODE_TABLE_BITS)
#define CODE_WORD_UNKNOWN	(~UINT64_C(0) / 3 * CODE_UNKNOWN)

/* Return the words of a table for `capacity` dictionary codes. */
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

/* Look up the truth of a dictionary code, for TEST_CODE; sets *error if it is unknown, NULL or an error. */
CORE_FN uint8_t
code_table_look(const uint64_t *table, int64_t code, uint32_t *error)
{
	const uint32_t truth = code_table_truth(table, (uint64_t) code);

	*error |= truth >> 1;
	return truth & 1;
}

/* Store the truth of a dictionary code that is within the table. */
CORE_HOST void
code_table_note(uint64_t *table, uint32_t code, CodeTruth truth)
{
	uint64_t   *word = &table[1 + code / CODES_PER_WORD];
	const uint32_t at = code % CODES_PER_WORD * CODE_TABLE_BITS;

	*word = (*word & ~(UINT64_C(3) << at)) | (uint64_t) truth << at;
}

/* Return the set of truths of the dictionary codes `low` to `high`: bits 1 << CodeTruth. */
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

#endif							/* GPUDB_CORE_VM_CODE_TABLE_H */

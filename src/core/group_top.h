/*
 * group_top.h
 *		Which groups can be among the first n of an order, by the words of a group's row.
 *
 * What a group is sorted by becomes an integer, less for what comes first.
 * It may be the same for values that differ, which makes a bound take more
 * groups, never fewer.
 */
#ifndef GPUDB_CORE_GROUP_TOP_H
#define GPUDB_CORE_GROUP_TOP_H

#include "core/wide_types.h"

typedef struct GroupTop
{
	uint32_t	wanted;			/* the n; 0 = all groups are */
	uint16_t	word;			/* of what they are sorted by */
	uint16_t	null_word;		/* it is NULL if the bits of null_mask in this */
	uint64_t	null_mask;
	uint64_t	null_value;		/* are these */
	uint8_t		wide;			/* two words */
	uint8_t		descending;
	uint8_t		nulls_first;
	uint8_t		unused[5];
} GroupTop;

CORE_FN Wide
group_order(const GroupTop *top, const uint64_t *row)
{
	Wide		value;

	if ((row[top->null_word] & top->null_mask) == top->null_value)
		return top->nulls_first ? WIDE_MIN : WIDE_MAX;
	value = top->wide ? wide_load(row + top->word) : (Wide) (int64_t) row[top->word];
	return top->descending ? ~value : value;
}

/* Whether its words are of rows of so many. */
CORE_FN bool
group_top_fits(const GroupTop *top, uint32_t row_words)
{
	return top->word + (top->wide ? 1u : 0u) < row_words && top->null_word < row_words;
}

#endif							/* GPUDB_CORE_GROUP_TOP_H */

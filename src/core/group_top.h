/*
 * group_top.h
 *		Which groups can be among the first n of an order, by the words of a group's row.
 *
 * The value of each column that a group is sorted by becomes an integer, less
 * for what comes first.  A NULL may become the integer of a value, so it is
 * noted apart.
 */
#ifndef GPUDB_CORE_GROUP_TOP_H
#define GPUDB_CORE_GROUP_TOP_H

#include "core/wide_types.h"

/* Sort columns beyond these are not looked at: groups that tie in these may come in any order. */
#define GROUP_TOP_COLUMNS 4

/* A column that groups are sorted by. */
typedef struct GroupTopColumn
{
	uint16_t	word;			/* of the value */
	uint16_t	null_word;		/* the value is NULL if the bits of null_mask in this */
	uint8_t		wide;			/* two words */
	uint8_t		descending;
	uint8_t		nulls_first;
	uint8_t		unused;
	uint64_t	null_mask;
	uint64_t	null_value;		/* are these */
} GroupTopColumn;

typedef struct GroupTop
{
	uint32_t	wanted;			/* the n; 0 = all groups are */
	uint32_t	ncolumns;
	GroupTopColumn by[GROUP_TOP_COLUMNS];
} GroupTop;

/* The place of a group in the order. */
typedef struct GroupOrder
{
	Wide		value[GROUP_TOP_COLUMNS];
	uint32_t	nulls;			/* a bit for each column */
	uint32_t	unused[3];
} GroupOrder;

CORE_FN bool
group_order_is_null(const GroupTopColumn *by, const uint64_t *row)
{
	return (row[by->null_word] & by->null_mask) == by->null_value;
}

/* Return the integer of a column: a group with a greater one than another's in the first column comes after that. */
CORE_FN Wide
group_order_value(const GroupTopColumn *by, const uint64_t *row)
{
	Wide		value;

	if (group_order_is_null(by, row))
		return by->nulls_first ? WIDE_MIN : WIDE_MAX;
	value = by->wide ? wide_load(row + by->word) : (Wide) (int64_t) row[by->word];
	return by->descending ? ~value : value;
}

CORE_FN GroupOrder
group_order(const GroupTop *top, const uint64_t *row)
{
	GroupOrder	order;
	uint32_t	i;

	order.nulls = 0;
	for (i = 0; i < top->ncolumns; i++)
	{
		order.value[i] = group_order_value(&top->by[i], row);
		order.nulls |= (uint32_t) group_order_is_null(&top->by[i], row) << i;
	}
	return order;
}

/* Compare two places by one column; see group_order_compare(). */
CORE_FN int
group_order_compare_column(const GroupTop *top, uint32_t column, Wide value, bool null, const GroupOrder *place)
{
	if (value != place->value[column])
		return value < place->value[column] ? -1 : 1;
	if (null != ((place->nulls >> column & 1) != 0))
		return null == (top->by[column].nulls_first != 0) ? -1 : 1;
	return 0;
}

/* Return a number below 0 if a comes before b, above 0 if it comes after b, and 0 if they tie. */
CORE_FN int
group_order_compare(const GroupTop *top, const GroupOrder *a, const GroupOrder *b)
{
	int			compared = 0;
	uint32_t	i;

	for (i = 0; i < top->ncolumns && compared == 0; i++)
		compared = group_order_compare_column(top, i, a->value[i], (a->nulls >> i & 1) != 0, b);
	return compared;
}

/* Compare the place of a group's row with another place likewise.  Of most rows no more than the first column is looked at. */
CORE_FN int
group_row_compare(const GroupTop *top, const uint64_t *row, const GroupOrder *place)
{
	int			compared = 0;
	uint32_t	i;

	for (i = 0; i < top->ncolumns && compared == 0; i++)
		compared = group_order_compare_column(top, i, group_order_value(&top->by[i], row), group_order_is_null(&top->by[i], row), place);
	return compared;
}

/* Whether its words are of rows of so many. */
CORE_FN bool
group_top_fits(const GroupTop *top, uint32_t row_words)
{
	uint32_t	i;

	if (top->ncolumns == 0 || top->ncolumns > GROUP_TOP_COLUMNS)
		return false;
	for (i = 0; i < top->ncolumns; i++)
		if (top->by[i].word + (top->by[i].wide ? 1u : 0u) >= row_words || top->by[i].null_word >= row_words)
			return false;
	return true;
}

#endif							/* GPUDB_CORE_GROUP_TOP_H */

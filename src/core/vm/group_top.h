/*
 * group_top.h
 *		Order of groups for top-n queries, computed from the words of a group's row.
 *
 * The value of each column that groups are sorted by is mapped to an integer, smaller for what
 * comes first.  A NULL may be mapped to the integer of a value, so NULLs are noted separately.
 */
#ifndef GPUDB_CORE_VM_GROUP_TOP_H
#define GPUDB_CORE_VM_GROUP_TOP_H

#include "core/numeric/wide_types.h"

/* Maximum number of sort columns that are compared; groups equal in these columns may come in any order. */
#define GROUP_TOP_COLUMNS 4

/* A column that groups are sorted by. */
typedef struct GroupTopColumn
{
	uint16_t	word;			/* first word of the value in the row */
	uint16_t	null_word;		/* word with NULL bits: the value is NULL if null_word & null_mask equals null_value */
	uint8_t		wide;			/* the value has two words */
	uint8_t		descending;
	uint8_t		nulls_first;
	uint8_t		unused;
	uint64_t	null_mask;
	uint64_t	null_value;		/* see null_word */
} GroupTopColumn;

typedef struct GroupTop
{
	uint32_t	wanted;			/* number of wanted groups; 0 = all */
	uint32_t	ncolumns;
	GroupTopColumn by[GROUP_TOP_COLUMNS];
} GroupTop;

/* Position of a group in the order. */
typedef struct GroupOrder
{
	Wide		value[GROUP_TOP_COLUMNS];
	uint32_t	nulls;			/* bitmask of the columns that are NULL */
	uint32_t	unused[3];
} GroupOrder;

CORE_FN bool
group_order_is_null(const GroupTopColumn *by, const uint64_t *row)
{
	return (row[by->null_word] & by->null_mask) == by->null_value;
}

/* Return the integer of a column of a group's row; smaller ones come first. */
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

/* Compare a column's value with that of a position; see group_order_compare(). */
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

/*
 * Compare the position of a group's row with another position; see group_order_compare().  Most
 * rows are decided by the first column, so values are computed one by one.
 */
CORE_FN int
group_row_compare(const GroupTop *top, const uint64_t *row, const GroupOrder *place)
{
	int			compared = 0;
	uint32_t	i;

	for (i = 0; i < top->ncolumns && compared == 0; i++)
		compared = group_order_compare_column(top, i, group_order_value(&top->by[i], row), group_order_is_null(&top->by[i], row), place);
	return compared;
}

/* Return true if all words of `top` are within rows of `row_words` words. */
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

#endif							/* GPUDB_CORE_VM_GROUP_TOP_H */

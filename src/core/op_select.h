/*
 * op_select.h
 *		The k-th of many values, found by counting.
 *
 * Values between two bounds are counted in bins of equal width, a power of
 * two.  The bin with the k-th one gives bounds that are closer together, and
 * so on until they meet.  Nothing is moved, and the time does not depend on k.
 * Govindaraju et al. (2004) find it bit by bit, each bit a pass over the data;
 * here each pass finds 11 bits (the radix of Alabi et al. 2012, "Fast
 * k-selection algorithms for graphics processors").
 */
#ifndef GPUDB_CORE_OP_SELECT_H
#define GPUDB_CORE_OP_SELECT_H

#include "core/target.h"

#define SELECT_BITS	11
#define SELECT_BINS	(1u << SELECT_BITS)

/* Where a value is: no less than one, no more than the other. */
typedef struct SelectRange
{
	int64_t		least;
	int64_t		largest;
	uint64_t	below;			/* how many values are less than `least` */
} SelectRange;

CORE_FN bool
select_is_found(const SelectRange *range)
{
	return range->least == range->largest;
}

/* Bits of a value's distance from `least` that tell nothing of its bin. */
CORE_FN uint32_t
select_shift(const SelectRange *range)
{
	const uint64_t spread = (uint64_t) range->largest - (uint64_t) range->least;
	uint32_t	shift = 0;

	while (spread >> shift >= SELECT_BINS)
		shift++;
	return shift;
}

/* The bin of a value; SELECT_BINS or more if it is in none. */
CORE_FN uint64_t
select_bin(int64_t value, int64_t least, uint32_t shift)
{
	return value < least ? UINT64_MAX : ((uint64_t) value - (uint64_t) least) >> shift;
}

/* The bin that has the value with so many before it becomes the range; false if none has. */
CORE_FN bool
select_narrow(SelectRange *range, const uint64_t *bins, uint64_t rank)
{
	const uint32_t shift = select_shift(range);
	const int64_t largest = range->largest;
	uint64_t	below = range->below;
	uint32_t	bin = 0;

	while (bin < SELECT_BINS && rank - below >= bins[bin])
		below += bins[bin++];
	if (bin == SELECT_BINS)
		return false;
	range->below = below;
	range->least = (int64_t) ((uint64_t) range->least + ((uint64_t) bin << shift));
	range->largest = (int64_t) ((uint64_t) range->least + (((uint64_t) 1 << shift) - 1));
	/* the last bin may go beyond; sums that wrap around are less than where they began */
	if (range->largest > largest || range->largest < range->least)
		range->largest = largest;
	return true;
}

#endif							/* GPUDB_CORE_OP_SELECT_H */

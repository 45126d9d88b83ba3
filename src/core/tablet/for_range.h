/*
 * for_range.h
 *		Mapping of a range of a column's values to a range of its stored values.
 */
#ifndef GPUDB_CORE_TABLET_FOR_RANGE_H
#define GPUDB_CORE_TABLET_FOR_RANGE_H

#include "core/target.h"

/* Range of values stored in at most 32 bits; empty if most < least. */
typedef struct StoredRange
{
	uint32_t	least;
	uint32_t	most;
} StoredRange;

/* Return the range of stored values v with low <= base + (v << shift) <= high. */
CORE_FN StoredRange
for_stored_range(int64_t base, uint32_t shift, int64_t low, int64_t high)
{
	const uint64_t between = ((uint64_t) 1 << shift) - 1;
	uint64_t	first = low > base ? (uint64_t) low - (uint64_t) base : 0;
	uint64_t	last = high >= base ? (uint64_t) high - (uint64_t) base : 0;

	first = (first >> shift) + ((first & between) != 0);
	last >>= shift;
	if (high < base || first > UINT32_MAX || last < first)
		return (StoredRange) {1, 0};
	return (StoredRange) {(uint32_t) first, last > UINT32_MAX ? UINT32_MAX : (uint32_t) last};
}

#endif							/* GPUDB_CORE_TABLET_FOR_RANGE_H */

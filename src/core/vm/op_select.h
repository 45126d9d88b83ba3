/*
 * op_select.h
 *		Quantile selection: the k-th of many values, found by histogram refinement.
 *
 * Values between two bounds are counted in bins of equal width, a power of two, and smaller values
 * are counted together.  The bin with the k-th value gives narrower bounds, and so on until they
 * meet, or so few values are left between them that the values themselves are collected.  No value
 * is moved, and the time does not depend on k.
 *
 * Govindaraju et al. (2004) find the value bit by bit, each bit a pass over the data; here each
 * pass finds 11 bits (the radix of Alabi et al. 2012, "Fast k-selection algorithms for graphics
 * processors").  Bounds may also be estimated from a sample (Floyd and Rivest 1975, "Expected time
 * bounds for selection"): the number of smaller values tells whether the estimate was right.
 *
 * A GPU may be told which value is wanted (SelectSeek).  It takes the sample itself, reads all
 * values once, gathers those within the estimated bounds, and finds the value among them.
 */
#ifndef GPUDB_CORE_VM_OP_SELECT_H
#define GPUDB_CORE_VM_OP_SELECT_H

#include "core/target.h"

#define SELECT_BITS	11
#define SELECT_BINS	(1u << SELECT_BITS)

/*
 * Words of a state.  STATE_BINS: the number of values below all bins, then the bins' counts.
 * STATE_VALUES: the number of values below the bounds, the number of values within the bounds, then
 * those values, as far as there is room.
 */
#define SELECT_WORDS	(1 + SELECT_BINS)
#define SELECT_VALUES	(SELECT_BINS - 1)

/* Inclusive bounds of a value. */
typedef struct SelectRange
{
	int64_t		least;
	int64_t		largest;
} SelectRange;

CORE_FN bool
select_is_found(const SelectRange *range)
{
	return range->least == range->largest;
}

/*
 * Percentile that values of a range are collected for, at a fraction of all values that are not
 * NULL.  A device may return the values that the percentile consists of.
 */
typedef struct SelectSeek
{
	uint8_t		wanted;			/* 0 or 1; not bool, since a program from another process may hold any value */
	uint8_t		continuous;		/* 1 = percentile_cont, 0 = percentile_disc */
	uint8_t		descending;
	uint32_t	most;			/* number of rows up to which values are gathered without a sample */
	double		fraction;		/* from 0 to 1 */
	SelectRange range;			/* range of the values to collect; its `least` is that of VALUES */
} SelectSeek;

/* Maximum number of values that a device gathers. */
#define SEEK_MOST	((uint32_t) 1 << 22)

/*
 * Status that a device stores instead of a number of values: it has found the percentile, or it has
 * not, since the percentile is not among the gathered values or they are too many.  Other words
 * follow.  A device reports on all values seen so far, repeatedly; its last report counts, provided
 * it has seen all values.
 */
#define SEEK_FOUND	((uint64_t) 1 << 62)
#define SEEK_FAILED	((uint64_t) 1 << 61)

typedef enum SeekWord
{
	SEEK_WORD_STATUS = 1,		/* word behind the first one of a state */
	SEEK_WORD_COUNT,			/* number of values that are not NULL */
	SEEK_WORD_LESS,				/* number of values below the range */
	SEEK_WORD_GATHERED,			/* number of values in the range */
	SEEK_WORD_RANGE,			/* bounds of the range, two words */
	SEEK_WORD_VALUE = SEEK_WORD_RANGE + 2,	/* values of the first and the second rank */
	SEEK_WORD_RANK = SEEK_WORD_VALUE + 2,	/* first and second rank, counted from the smallest value on */
	SEEK_WORDS = SEEK_WORD_RANK + 2
} SeekWord;

/*
 * Return how far a value's rank in a sample of `count` rows may be from its rank in all rows,
 * scaled to the sample; the margin allows for neighbouring rows being alike.
 */
CORE_FN int64_t
select_margin(int64_t count)
{
	return 64 + (int64_t) (4 * sqrt((double) count));
}

/*
 * Find the values that a percentile of `count` values consists of, by their ranks from the smallest
 * value on, as percentile_disc_final() and percentile_cont_final_common() do.  Returns the weight
 * of the second one between the two; percentile_disc has *first equal to *second.
 */
CORE_FN double
select_ranks(double fraction, bool continuous, bool descending, int64_t count, int64_t *first, int64_t *second)
{
	const double at = fraction * (double) (continuous ? count - 1 : count);
	double		part = 0;

	if (continuous)
	{
		*first = (int64_t) floor(at);
		*second = (int64_t) ceil(at);
		part = at - (double) *first;
	}
	else
	{
		*first = (int64_t) ceil(at);
		*first = *second = (*first > 1 ? *first : 1) - 1;
	}
	if (descending)
	{
		*first = count - 1 - *first;
		*second = count - 1 - *second;
	}
	return part;
}

/*
 * Return the number of low bits of distances from range->least to ignore so that the range has at
 * most `bins` bins; at most 63.
 */
CORE_FN uint32_t
select_shift(const SelectRange *range, uint64_t bins)
{
	const uint64_t spread = (uint64_t) range->largest - (uint64_t) range->least;
	uint32_t	shift = 0;

	while (shift < 63 && spread >> shift >= bins)
		shift++;
	return shift;
}

/* Return the bin of a value that is not less than `least`; it may be beyond the last one. */
CORE_FN uint64_t
select_bin(int64_t value, int64_t least, uint32_t shift)
{
	return ((uint64_t) value - (uint64_t) least) >> shift;
}

/* Count a value in its bin, or below all bins. */
CORE_FN void
select_count(uint64_t *state, int64_t value, int64_t least, uint32_t shift)
{
	const uint64_t bin = select_bin(value, least, shift);

	if (value < least)
		state[0]++;
	else if (bin < SELECT_BINS)
		state[1 + bin]++;
}

/* Collect a value if it is in the first bin. */
CORE_FN void
select_collect(uint64_t *state, int64_t value, int64_t least, uint32_t shift)
{
	if (value < least)
		state[0]++;
	else if (select_bin(value, least, shift) == 0)
	{
		if (state[1] < SELECT_VALUES)
			state[2 + state[1]] = (uint64_t) value;
		state[1]++;
	}
}

/*
 * Merge two states at least one of which is a device's report: the report that has seen more values
 * stays.  Values collected in the other state are dropped; the report's count then tells that it
 * has not seen them.
 */
CORE_FN void
select_merge_sought(uint64_t *into, const uint64_t *from)
{
	uint32_t	w;

	into[0] += from[0];
	if (from[SEEK_WORD_STATUS] < SEEK_FAILED || (into[SEEK_WORD_STATUS] >= SEEK_FAILED && into[SEEK_WORD_COUNT] >= from[SEEK_WORD_COUNT]))
		return;
	for (w = SEEK_WORD_STATUS; w < SEEK_WORDS; w++)
		into[w] = from[w];
}

/* Merge the values collected in another state. */
CORE_FN void
select_merge_values(uint64_t *into, const uint64_t *from)
{
	const uint64_t n = from[1] < SELECT_VALUES ? from[1] : SELECT_VALUES;
	uint64_t	i;

	if (into[SEEK_WORD_STATUS] >= SEEK_FAILED || from[SEEK_WORD_STATUS] >= SEEK_FAILED)
	{
		select_merge_sought(into, from);
		return;
	}
	for (i = 0; i < n && into[1] + i < SELECT_VALUES; i++)
		into[2 + into[1] + i] = from[2 + i];
	into[0] += from[0];
	into[1] += from[1];
}

/* Return the range of the values of a bin. */
CORE_FN SelectRange
select_range_of_bin(const SelectRange *range, uint32_t bin)
{
	const uint32_t shift = select_shift(range, SELECT_BINS);
	SelectRange found;

	found.least = (int64_t) ((uint64_t) range->least + ((uint64_t) bin << shift));
	found.largest = (int64_t) ((uint64_t) found.least + (((uint64_t) 1 << shift) - 1));
	/* the bin ends beyond all integers */
	if (found.largest < found.least)
		found.largest = INT64_MAX;
	return found;
}

/* Return the bin of the value of a rank; SELECT_BINS if it is below or beyond all bins. */
CORE_FN uint32_t
select_find_bin(const uint64_t *state, uint64_t rank)
{
	uint64_t	below = state[0];
	uint32_t	bin = 0;

	if (rank < below)
		return SELECT_BINS;
	while (bin < SELECT_BINS && rank - below >= state[1 + bin])
		below += state[1 + bin++];
	return bin;
}

#endif							/* GPUDB_CORE_VM_OP_SELECT_H */

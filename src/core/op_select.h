/*
 * op_select.h
 *		The k-th of many values, found by counting.
 *
 * Values between two bounds are counted in bins of equal width, a power of
 * two, and so are those that are less.  The bin with the k-th one gives bounds
 * that are closer together, and so on until they meet, or so few values are
 * left between them that these themselves can be looked at.  Nothing is moved,
 * and the time does not depend on k.
 *
 * Govindaraju et al. (2004) find it bit by bit, each bit a pass over the data;
 * here each pass finds 11 bits (the radix of Alabi et al. 2012, "Fast
 * k-selection algorithms for graphics processors").  Bounds may also be a
 * guess, by a sample (Floyd and Rivest 1975, "Expected time bounds for
 * selection"): how many values are less tells whether it was right.
 *
 * A GPU may be told what value is wanted (SelectSeek).  It takes the sample
 * itself, goes over all values once, gathers those where the sample has told to
 * look, and finds the value among them.
 */
#ifndef GPUDB_CORE_OP_SELECT_H
#define GPUDB_CORE_OP_SELECT_H

#include "core/target.h"

#define SELECT_BITS	11
#define SELECT_BINS	(1u << SELECT_BITS)

/*
 * The words of a state: how many values are less than all that is counted,
 * then the bins; or how many values there are between the bounds, and these,
 * as far as there is room.
 */
#define SELECT_WORDS	(1 + SELECT_BINS)
#define SELECT_VALUES	(SELECT_BINS - 1)

/* Where a value is: no less than one, no more than the other. */
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
 * What the values of a range are collected for: the percentile at a fraction
 * of all that are not NULL.  A device may leave what the percentile is made of.
 */
typedef struct SelectSeek
{
	uint8_t		wanted;			/* no bools: a program may come from anywhere */
	uint8_t		continuous;		/* percentile_cont, else percentile_disc */
	uint8_t		descending;
	uint32_t	most;			/* rows whose values are gathered without a sample */
	double		fraction;		/* 0 to 1 */
	SelectRange range;			/* begins where the collecting does */
} SelectSeek;

/* Values that a device gathers at most. */
#define SEEK_MOST	((uint32_t) 1 << 22)

/*
 * What such a device leaves in the place of the number of values: that it has
 * found the percentile, or that it has not, since it is not among the values,
 * or these are too many.  Other words follow.  It says so of all that it has
 * seen, again and again: it is what it says last that counts, if it has seen
 * all.
 */
#define SEEK_FOUND	((uint64_t) 1 << 62)
#define SEEK_FAILED	((uint64_t) 1 << 61)

typedef enum SeekWord
{
	SEEK_WORD_STATUS = 1,		/* of a state, the word behind the first */
	SEEK_WORD_COUNT,			/* of the values that are not NULL, */
	SEEK_WORD_LESS,				/* those that are less than the range, */
	SEEK_WORD_GATHERED,			/* and those in it */
	SEEK_WORD_RANGE,			/* where it begins, and where it ends */
	SEEK_WORD_VALUE = SEEK_WORD_RANGE + 2,	/* of the first rank, and of the second */
	SEEK_WORD_RANK = SEEK_WORD_VALUE + 2,	/* these, from the least value on */
	SEEK_WORDS = SEEK_WORD_RANK + 2
} SeekWord;

/* How far a rank in a sample may be from where it is in all rows, which are so many more; neighbours are alike. */
CORE_FN int64_t
select_margin(int64_t count)
{
	return 64 + (int64_t) (4 * sqrt((double) count));
}

/*
 * Which of so many values a percentile is made of, one or more of them, by
 * their numbers from the least on, as percentile_disc_final() and
 * percentile_cont_final_common() do.  Returns what part of the way from the
 * first to the second it is at; of a percentile_disc both are the same.
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

/* Bits of a value's distance from `least` that tell nothing of which of so many bins it is in, of a range; at most 63. */
CORE_FN uint32_t
select_shift(const SelectRange *range, uint64_t bins)
{
	const uint64_t spread = (uint64_t) range->largest - (uint64_t) range->least;
	uint32_t	shift = 0;

	while (shift < 63 && spread >> shift >= bins)
		shift++;
	return shift;
}

/* The bin of a value that is not less than `least`; it may be beyond the last one. */
CORE_FN uint64_t
select_bin(int64_t value, int64_t least, uint32_t shift)
{
	return ((uint64_t) value - (uint64_t) least) >> shift;
}

/* Count a value in one of the bins. */
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

/* Of what devices have said the last, or the only word; whoever has collected something meanwhile has seen what they have not. */
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

/* Add what others have collected. */
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

/* The values that a bin may have, of a range. */
CORE_FN SelectRange
select_range_of_bin(const SelectRange *range, uint32_t bin)
{
	const uint32_t shift = select_shift(range, SELECT_BINS);
	SelectRange found;

	found.least = (int64_t) ((uint64_t) range->least + ((uint64_t) bin << shift));
	found.largest = (int64_t) ((uint64_t) found.least + (((uint64_t) 1 << shift) - 1));
	/* beyond all integers */
	if (found.largest < found.least)
		found.largest = INT64_MAX;
	return found;
}

/* The bin that has the value with so many before it; SELECT_BINS if none has, since it is less than all, or not less than any. */
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

#endif							/* GPUDB_CORE_OP_SELECT_H */

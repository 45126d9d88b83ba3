/*
 * seek_launch.h
 *		Seeking among the values that launches have gathered: the interface to the host.
 */
#ifndef GPUDB_CUDA_SEEK_LAUNCH_H
#define GPUDB_CUDA_SEEK_LAUNCH_H

#include "core/op_select.h"

/* Digits of a value at most. */
#define SEEK_DIGITS ((64 + SELECT_BITS - 1) / SELECT_BITS)

/*
 * A sample has so many neighbouring rows of each piece of so many times as many
 * that it is one in; rows of a piece are chosen by chance, lest a sample see
 * the same of what repeats itself.  Neighbours may be alike: then they tell no
 * more than one of them would.
 */
#define SEEK_NEIGHBOURS 8

/* The first row of a sample in a piece of a part of the rows; one_in is a power of two. */
CORE_FN uint32_t
seek_row(uint32_t part, uint32_t piece, uint32_t one_in)
{
	uint32_t	chance = (piece + part * 0x9e3779b9u) * 0x85ebca6bu;

	chance = (chance ^ chance >> 15) * 0xc2b2ae35u;
	return (piece * one_in + ((chance ^ chance >> 13) & (one_in - 1))) * SEEK_NEIGHBOURS;
}

/*
 * How far a rank in a sample may be from where it is in all rows: ten standard
 * deviations or, if all neighbours are alike, three and a half.
 */
CORE_FN int64_t
seek_margin(int64_t count)
{
	return 64 + (int64_t) (5 * sqrt((double) count));
}

/* In device memory. */
typedef struct SeekRoom
{
	SelectRange range;			/* whose values are gathered */
	uint64_t	gathered;		/* values, of which no more than the capacity are there */
	uint64_t	seen;			/* that are not NULL */
	uint64_t	less;			/* than the range */
	uint32_t	bins[SEEK_DIGITS][2 * SELECT_BINS];	/* of each digit, for two ranks */
} SeekRoom;

typedef struct SeekLaunch
{
	SelectSeek	seek;
	SeekRoom   *room;
	const int64_t *values;
	uint64_t	capacity;
	uint64_t   *tally;			/* out: the words of a state behind the first one, if any value was seen; in: what others have collected */
} SeekLaunch;

#ifdef __cplusplus
extern "C" {
#endif

/* On a stream (0 = the default one): have nothing be gathered, of the range that is named.  Returns a cudaError_t, as the next ones. */
extern int	seek_begin(const SeekLaunch *launch, void *stream);

/*
 * All that was gathered being a sample, have the range be where the percentile
 * most probably is in all rows, and nothing be gathered.
 */
extern int	seek_range(const SeekLaunch *launch, uint32_t multiprocessors, void *stream);

/* Find the percentile among what was gathered. */
extern int	seek_find(const SeekLaunch *launch, uint32_t multiprocessors, void *stream);

#ifdef __cplusplus
}
#endif

#endif							/* GPUDB_CUDA_SEEK_LAUNCH_H */

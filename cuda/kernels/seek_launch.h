/*
 * seek_launch.h
 *		Kernel launches for quantile selection among gathered values: the
 *		interface to the host.
 */
#ifndef GPUDB_CUDA_KERNELS_SEEK_LAUNCH_H
#define GPUDB_CUDA_KERNELS_SEEK_LAUNCH_H

#include "core/vm/op_select.h"

/* Most digits of a value. */
#define SEEK_DIGITS ((64 + SELECT_BITS - 1) / SELECT_BITS)

/*
 * Number of neighbouring rows that a sample takes from each piece of the rows;
 * a piece has `one_in` times as many rows.  The rows of a piece are chosen
 * pseudo-randomly, so that periodic data do not bias the sample.  Neighbours
 * may be alike: then they tell no more than one of them would.
 */
#define SEEK_NEIGHBOURS 8

/* Return the first row that a sample takes from a piece of a part of the rows; one_in is a power of two. */
CORE_FN uint32_t
seek_row(uint32_t part, uint32_t piece, uint32_t one_in)
{
	uint32_t	chance = (piece + part * 0x9e3779b9u) * 0x85ebca6bu;

	chance = (chance ^ chance >> 15) * 0xc2b2ae35u;
	return (piece * one_in + ((chance ^ chance >> 13) & (one_in - 1))) * SEEK_NEIGHBOURS;
}

/*
 * Return how far a rank in a sample may deviate from the same rank in all
 * rows: ten standard deviations or, if all neighbours are alike, three and a
 * half.
 */
CORE_FN int64_t
seek_margin(int64_t count)
{
	return 64 + (int64_t) (5 * sqrt((double) count));
}

/* State of a selection, in device memory. */
typedef struct SeekRoom
{
	SelectRange range;			/* range of the values that are gathered */
	uint64_t	gathered;		/* number of gathered values; at most the capacity are stored */
	uint64_t	seen;			/* number of values that are not NULL */
	uint64_t	less;			/* number of values less than the range */
	uint32_t	bins[SEEK_DIGITS][2 * SELECT_BINS];	/* histogram of each digit, for two ranks */
} SeekRoom;

typedef struct SeekLaunch
{
	SelectSeek	seek;
	SeekRoom   *room;
	const int64_t *values;
	uint64_t	capacity;
	uint64_t   *tally;			/* in: values that other launches collected; out: words of the state but the first */
} SeekLaunch;

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Begin a selection with no gathered values and the range of `seek`, on a
 * stream (0 = the default one).  Returns a cudaError_t.
 */
extern int	seek_begin(const SeekLaunch *launch, void *stream);

/*
 * Set the range to where the percentile of all rows most probably is, from the
 * gathered values of a sample, and discard the sample.  Returns a cudaError_t.
 */
extern int	seek_range(const SeekLaunch *launch, uint32_t multiprocessors, void *stream);

/* Find the percentile among the gathered values.  Returns a cudaError_t. */
extern int	seek_find(const SeekLaunch *launch, uint32_t multiprocessors, void *stream);

#ifdef __cplusplus
}
#endif

#endif							/* GPUDB_CUDA_KERNELS_SEEK_LAUNCH_H */

/*
 * range.cuh
 *		The least and the greatest value of a column, found by a block.
 */
#ifndef GPUDB_CUDA_BLOCK_RANGE_CUH
#define GPUDB_CUDA_BLOCK_RANGE_CUH

#include "core/tablet/tablet_format.h"
#include "core/numeric/wide_types.h"

/* Reduce the ranges of a block's threads to one, in thread 0; called by all threads. */
template <uint32_t THREADS> static __device__ void
reduce_range(Wide *low, Wide *high)
{
	__shared__ uint64_t lows[THREADS][2];
	__shared__ uint64_t highs[THREADS][2];

	wide_store(lows[threadIdx.x], *low);
	wide_store(highs[threadIdx.x], *high);
	__syncthreads();
	for (uint32_t half = THREADS / 2; half > 0; half /= 2)
	{
		if (threadIdx.x < half)
		{
			Wide		other_low = wide_load(lows[threadIdx.x + half]);
			Wide		other_high = wide_load(highs[threadIdx.x + half]);

			*low = other_low < *low ? other_low : *low;
			*high = other_high > *high ? other_high : *high;
			wide_store(lows[threadIdx.x], *low);
			wide_store(highs[threadIdx.x], *high);
		}
		__syncthreads();
	}
}

/* Find the range of a thread's share of n values. */
template <uint32_t THREADS, typename T> static __device__ void
share_range(const T *values, uint32_t n, Wide *low, Wide *high)
{
	T			lo = n > 0 ? values[0] : 0;
	T			hi = lo;

	for (uint32_t i = threadIdx.x; i < n; i += THREADS)
	{
		T			v = values[i];

		lo = v < lo ? v : lo;
		hi = v > hi ? v : hi;
	}
	*low = lo;
	*high = hi;
}

/* Find the range of a thread's share of n 128-bit values, each of which is loaded as two words. */
template <uint32_t THREADS> static __device__ void
share_range_wide(const uint64_t *words, uint32_t n, Wide *low, Wide *high)
{
	*low = *high = n > 0 ? wide_load(words) : 0;
	for (uint32_t i = threadIdx.x; i < n; i += THREADS)
	{
		Wide		v = wide_load(words + 2 * (uint64_t) i);

		*low = v < *low ? v : *low;
		*high = v > *high ? v : *high;
	}
}

/*
 * Find the range of a column's n values as deform_zone_map() does, in thread 0; for types that are
 * not integers it is all that 64 bits hold.
 */
template <uint32_t THREADS> static __device__ void
column_range(ColType type, const uint8_t *values, uint32_t n, Wide *low, Wide *high)
{
	*low = INT64_MIN;
	*high = INT64_MAX;
	switch (type)
	{
		case COLTYPE_U8:
			share_range<THREADS>((const uint8_t *) values, n, low, high);
			break;
		case COLTYPE_U32:
			share_range<THREADS>((const uint32_t *) values, n, low, high);
			break;
		case COLTYPE_I16:
			share_range<THREADS>((const int16_t *) values, n, low, high);
			break;
		case COLTYPE_I32:
			share_range<THREADS>((const int32_t *) values, n, low, high);
			break;
		case COLTYPE_I64:
			share_range<THREADS>((const int64_t *) values, n, low, high);
			break;
		case COLTYPE_I128:
			share_range_wide<THREADS>((const uint64_t *) values, n, low, high);
			break;
		default:
			return;
	}
	reduce_range<THREADS>(low, high);
}

#endif							/* GPUDB_CUDA_BLOCK_RANGE_CUH */

/*
 * kernel_select.cu
 *		Counting, collecting or gathering the values of one column: passes of quantile selection by
 *		histogram refinement.
 *
 * A program of this kind has no filters, and computes nothing but how many values there
 * are, are less than a bound, and are in each bin behind it.  With a range that a
 * sample has told, hardly any value is in a bin, so a row costs two comparisons
 * with bounds in stored form, and a column is read at the bandwidth of the memory.
 * The tile VM, which takes several times as long for it, runs all other programs.
 *
 * A thread takes eight neighbouring rows at a time, and counts in registers.  Bins
 * and gathered values of a block are in shared memory, filled by atomic additions,
 * and are added to those of all blocks in the end.
 *
 * A program that seeks gathers the values of a range that is in device memory,
 * since a sample, gathered by earlier launches of the batch, may have told it (seek.h).
 */
#include <cuda_runtime.h>

#include "core/vm/op_cast.h"

#include "block/slices.cuh"
#include "block/states.cuh"
#include "kernels/tuning.cuh"
#include "kernels/vm_kernels.h"

/* Counts of a thread, and the range of its values. */
typedef struct Counted
{
	uint32_t	rows;
	uint32_t	nulls;
	uint32_t	less;
	uint32_t	zeros;
	int64_t		least;
	int64_t		largest;
} Counted;

/* Values that a block gathers in shared memory before any goes to those of all blocks. */
#define GATHERED_HERE 2048

typedef struct SelectShared
{
	BlockSlice	slice;
	uint32_t	status;
	Counted		sum[VM_THREADS / 32];
	SelectRange range;			/* values in it are counted in bins, collected or gathered */
	uint32_t	ngathered;		/* values that the block has gathered, more than `gathered` has room for included */
	uint64_t	gathered_at;	/* place of `gathered` among the values of all blocks */
	union
	{
		uint32_t	bins[SELECT_BINS];
		int64_t		gathered[GATHERED_HERE];
	};
} SelectShared;

/* Bounds of a slice's values in stored form: those from `low` to `high` are in the range. */
template <typename K> struct Bounds
{
	const TabletColumn *column;
	K			low;
	K			high;
	bool		all_less;
	bool		all_beyond;
};

/* Return a value as it is compared: integers as they are stored, floats as integers in the order of floats. */
static __device__ __forceinline__ int64_t key_of(double v, uint64_t bits) { return (int64_t) (v != v ? UINT64_C(0x7ff8000000000000) : bits) ^ (((int64_t) (v != v ? 0 : bits) >> 63) & INT64_MAX); }
static __device__ __forceinline__ int64_t compared(double v) { return key_of(v, (uint64_t) __double_as_longlong(v)); }
static __device__ __forceinline__ int64_t compared(float v) { return compared((double) v); }
static __device__ __forceinline__ uint32_t compared(uint32_t v) { return v; }
static __device__ __forceinline__ uint32_t compared(uint16_t v) { return v; }
static __device__ __forceinline__ uint32_t compared(uint8_t v) { return v; }
static __device__ __forceinline__ int64_t compared(int64_t v) { return v; }
static __device__ __forceinline__ int64_t compared(int32_t v) { return v; }
static __device__ __forceinline__ int64_t compared(int16_t v) { return v; }

static __device__ __forceinline__ bool is_negative_zero(double v) { return __double_as_longlong(v) == INT64_MIN; }
template <typename S> static __device__ __forceinline__ bool is_negative_zero(S v) { return false; }
template <> __device__ __forceinline__ bool is_negative_zero(float v) { return __float_as_int(v) == INT32_MIN; }

/* Return the bounds of values that are compared as they are. */
static __device__ __forceinline__ Bounds<int64_t>
bounds_of(const SelectRange &range, const TabletColumn *column, int64_t)
{
	return {column, range.least, range.largest, false, false};
}

/*
 * Return the bounds of frame-of-reference encoded values; a bound of the range between two of them
 * is rounded inwards.
 */
static __device__ __forceinline__ Bounds<uint32_t>
bounds_of(const SelectRange &range, const TabletColumn *column, uint32_t)
{
	const Wide	first = (Wide) range.least - column->base;
	const Wide	last = (Wide) range.largest - column->base;
	const Wide	low = first <= 0 ? 0 : (first + (((Wide) 1 << column->shift) - 1)) >> column->shift;
	const Wide	high = last < 0 ? -1 : last >> column->shift;

	/* no stored value has more than 32 bits */
	return {column, (uint32_t) (low > UINT32_MAX ? UINT32_MAX : low), (uint32_t) (high > UINT32_MAX ? UINT32_MAX : high < 0 ? 0 : high),
		low > UINT32_MAX, high < 0};
}

/* Return a stored value as the integer that it is, or a float's key. */
static __device__ __forceinline__ int64_t whole(const TabletColumn *column, int64_t v) { return v; }
static __device__ __forceinline__ int64_t
whole(const TabletColumn *column, uint32_t v)
{
	return (int64_t) (((uint64_t) v << column->shift) + (uint64_t) column->base);
}

/* Gather a value: at place `here` of the block's, or else behind those of all blocks, if there is room. */
static __device__ __forceinline__ void
gather(const VmLaunch &launch, SelectShared *shared, uint32_t here, int64_t value)
{
	if (here < GATHERED_HERE)
		shared->gathered[here] = value;
	else
	{
		const uint64_t at = atomicAdd((Word *) &launch.seek->gathered, (Word) 1);

		if (at < launch.gather_capacity)
			launch.gathered[at] = value;
	}
}

/* Count a value in its bin, or collect it, or gather it at place `here`. */
static __device__ __forceinline__ void
take_in(const VmLaunch &launch, SelectShared *shared, uint32_t here, int64_t value)
{
	const SelectForm &form = launch.shape.select;
	const uint64_t bin = select_bin(value, form.least, form.shift);

	if (form.gathers)
		gather(launch, shared, here, value);
	else if (form.collects)
		tally_collect(launch.tallies, value);
	else if (bin < SELECT_BINS)
		atomicAdd(&shared->bins[bin], 1u);
}

/* Take places for n values of the block if values are gathered; return the first. */
static __device__ __forceinline__ uint32_t
take_places(const VmLaunch &launch, SelectShared *shared, uint32_t n)
{
	return launch.shape.select.gathers && n > 0 ? atomicAdd(&shared->ngathered, n) : 0;
}

/* Rows of a thread at a time: eight side by side. */
#define ROWS 8

/* Return the bits of a thread's eight rows from `row` on in a bitmap, or `otherwise` if there is none. */
static __device__ __forceinline__ uint32_t
bits_of(const uint32_t *bitmap, uint32_t row, uint32_t otherwise)
{
	return bitmap != NULL ? ((const uint8_t *) bitmap)[row / 8] : otherwise;
}

template <typename S> static __device__ __forceinline__ void
read_rows(const S *from, uint32_t n, S *values)
{
	if (n == ROWS)
	{
		/* whole accesses of 16 bytes, or of all bytes if there are fewer */
		constexpr int EACH = sizeof(S) * ROWS < 16 ? sizeof(S) * ROWS : 16;

#pragma unroll
		for (int a = 0; a < (int) sizeof(S) * ROWS / EACH; a++)
			if constexpr (EACH == 8)
				*(uint2 *) values = __ldcs((const uint2 *) from);
			else
				((uint4 *) values)[a] = __ldcs((const uint4 *) from + a);
		return;
	}
#pragma unroll
	for (int k = 0; k < ROWS; k++)
		values[k] = k < (int) n ? from[k] : S{};
}

/* Count a thread's eight rows, or those that are `active` unless ALL, and take in the values of the range. */
template <typename S, bool ALL> static __device__ __forceinline__ void
count_rows(const VmLaunch &launch, SelectShared *shared, const Bounds<decltype(compared(S{}))> &bounds, const S *values, uint32_t active,
		   Counted *counted)
{
	const SelectForm &form = launch.shape.select;
	uint32_t	inside = 0;

#pragma unroll
	for (int k = 0; k < ROWS; k++)
	{
		const auto	v = compared(values[k]);
		const bool	counts = ALL || (active >> k & 1u);
		const bool	less = bounds.all_less || v < bounds.low;

		counted->less += counts && less;
		inside |= (uint32_t) (counts && !less && !bounds.all_beyond && v <= bounds.high) << k;
		if (form.zeros && counts && is_negative_zero(values[k]))
			counted->zeros++;
	}
	uint32_t	here = take_places(launch, shared, (uint32_t) __popc(inside));

	for (; inside != 0; inside &= inside - 1)
	{
		const int	lane = __ffs((int) inside) - 1;
		S			value = values[0];

		/* selected by comparisons, so that values stay in registers */
#pragma unroll
		for (int k = 1; k < ROWS; k++)
			value = k == lane ? values[k] : value;
		take_in(launch, shared, here++, whole(bounds.column, compared(value)));
	}
	if (!form.bounds)
		return;
#pragma unroll
	for (int k = 0; k < ROWS; k++)
		if (ALL || (active >> k & 1u))
		{
			const int64_t v = whole(bounds.column, compared(values[k]));

			counted->least = v < counted->least ? v : counted->least;
			counted->largest = v > counted->largest ? v : counted->largest;
		}
}

/* Return a thread's first step in a slice: steps are rows, eight at a time, or the pieces of a sample. */
template <bool SAMPLE> static __device__ __forceinline__ uint32_t
first_step(const VmLaunch &launch, const BlockSlice &slice)
{
	return SAMPLE ? slice.first / (launch.sample * SEEK_NEIGHBOURS) + threadIdx.x : slice.first + threadIdx.x * ROWS;
}

template <bool SAMPLE> static __device__ __forceinline__ uint32_t
end_step(const VmLaunch &launch, const BlockSlice &slice)
{
	const uint32_t rows = SAMPLE ? launch.sample * SEEK_NEIGHBOURS : 1;

	return (slice.end + rows - 1) / rows;
}

/* Return the first row of a step; a sample's may be outside of the slice. */
template <bool SAMPLE> static __device__ __forceinline__ uint32_t
row_of_step(const VmLaunch &launch, const BlockSlice &slice, uint32_t step)
{
	return SAMPLE ? seek_row(slice.part, step, launch.sample) : step;
}

static_assert(ROWS == SEEK_NEIGHBOURS, "a thread reads what stands together in a sample");

/* Count the values of a column in the block's slice; called by all threads. */
template <typename S, bool SAMPLE> static __device__ __forceinline__ void
count_slice(const VmLaunch &launch, SelectShared *shared, const TabletColumn *column, Counted *counted)
{
	const BlockSlice slice = shared->slice;
	const S    *values = (const S *) tablet_at(slice.tablet, column->values);
	const uint32_t *nulls = column->null_count > 0 ? (const uint32_t *) tablet_at(slice.tablet, column->nulls) : NULL;
	const Bounds<decltype(compared(S{}))> bounds = bounds_of(shared->range, column, compared(S{}));

	for (uint32_t step = first_step<SAMPLE>(launch, slice); step < end_step<SAMPLE>(launch, slice); step += SAMPLE ? VM_THREADS : slice.step)
	{
		const uint32_t row = row_of_step<SAMPLE>(launch, slice, step);

		if (SAMPLE && (row < slice.first || row >= slice.end))
			continue;

		const uint32_t n = min(slice.end - row, (uint32_t) ROWS);
		S			read[ROWS];

		read_rows(values + row, n, read);
		if (n == ROWS && nulls == NULL && slice.selected == NULL)
		{
			counted->rows += ROWS;
			count_rows<S, true>(launch, shared, bounds, read, 0, counted);
		}
		else
		{
			const uint32_t selected = bits_of(slice.selected, row, 0xff) & ((1u << n) - 1);
			const uint32_t null = bits_of(nulls, row, 0) & selected;

			counted->rows += __popc(selected);
			counted->nulls += __popc(null);
			count_rows<S, false>(launch, shared, bounds, read, selected & ~null, counted);
		}
	}
}

/* Count the values in the block's slice of a column whose rows all have one value; called by all threads. */
template <bool SAMPLE> static __device__ void
count_same(const VmLaunch &launch, SelectShared *shared, const TabletColumn *column, Counted *counted)
{
	const SelectRange range = shared->range;
	const BlockSlice slice = shared->slice;
	const uint32_t *nulls = column->null_count > 0 ? (const uint32_t *) tablet_at(slice.tablet, column->nulls) : NULL;
	const bool	inside = column->base >= range.least && column->base <= range.largest;

	for (uint32_t step = first_step<SAMPLE>(launch, slice); step < end_step<SAMPLE>(launch, slice); step += SAMPLE ? VM_THREADS : slice.step)
	{
		const uint32_t row = row_of_step<SAMPLE>(launch, slice, step);

		if (SAMPLE && (row < slice.first || row >= slice.end))
			continue;

		const uint32_t selected = bits_of(slice.selected, row, 0xff) & ((1u << min(slice.end - row, (uint32_t) ROWS)) - 1);
		const uint32_t null = bits_of(nulls, row, 0) & selected;
		const uint32_t n = __popc(selected & ~null);
		const uint32_t here = inside ? take_places(launch, shared, n) : 0;

		counted->rows += __popc(selected);
		counted->nulls += __popc(null);
		counted->less += column->base < range.least ? n : 0;
		for (uint32_t i = 0; i < n && inside; i++)
			take_in(launch, shared, here + i, column->base);
		if (n > 0)
		{
			counted->least = min(counted->least, column->base);
			counted->largest = max(counted->largest, column->base);
		}
	}
}

template <bool SAMPLE> static __device__ __forceinline__ void
count_column(const VmLaunch &launch, SelectShared *shared, Counted *counted)
{
	const TabletColumn *column = &shared->slice.tablet->column[launch.shape.select.column];

	switch ((ColType) column->type)
	{
		case COLTYPE_SAME: count_same<SAMPLE>(launch, shared, column, counted); break;
		case COLTYPE_U8: count_slice<uint8_t, SAMPLE>(launch, shared, column, counted); break;
		case COLTYPE_U16: count_slice<uint16_t, SAMPLE>(launch, shared, column, counted); break;
		case COLTYPE_U32: count_slice<uint32_t, SAMPLE>(launch, shared, column, counted); break;
		case COLTYPE_I16: count_slice<int16_t, SAMPLE>(launch, shared, column, counted); break;
		case COLTYPE_I32: count_slice<int32_t, SAMPLE>(launch, shared, column, counted); break;
		case COLTYPE_I64: count_slice<int64_t, SAMPLE>(launch, shared, column, counted); break;
		case COLTYPE_F32: count_slice<float, SAMPLE>(launch, shared, column, counted); break;
		case COLTYPE_F64: count_slice<double, SAMPLE>(launch, shared, column, counted); break;
		default:
			if (threadIdx.x == 0)
				shared->status = STATUS_BAD_PROGRAM;
			break;
	}
}

/* Add up the counts of a warp's first `threads` threads, in the first one; called by all threads of the warp. */
static __device__ __forceinline__ void
sum_of_warp(Counted *counted, int threads)
{
	for (int step = threads / 2; step > 0; step /= 2)
	{
		counted->rows += __shfl_down_sync(~0u, counted->rows, step);
		counted->nulls += __shfl_down_sync(~0u, counted->nulls, step);
		counted->less += __shfl_down_sync(~0u, counted->less, step);
		counted->zeros += __shfl_down_sync(~0u, counted->zeros, step);
		counted->least = min(counted->least, (int64_t) __shfl_down_sync(~0u, (long long) counted->least, step));
		counted->largest = max(counted->largest, (int64_t) __shfl_down_sync(~0u, (long long) counted->largest, step));
	}
}

static __device__ __forceinline__ uint64_t
word_of_state(SelectCount count, const Counted &all)
{
	switch (count)
	{
		case SELECT_ROWS: return all.rows;
		case SELECT_NOT_NULL: return all.rows - all.nulls;
		case SELECT_LESS: return all.less;
		case SELECT_ZEROS: return all.zeros;
		case SELECT_LEAST: return (uint64_t) all.least;
		case SELECT_LARGEST: return (uint64_t) all.largest;
	}
	return 0;
}

/* Append the block's gathered values to those of all blocks; called by all threads. */
static __device__ __forceinline__ void
put_gathered(const VmLaunch &launch, SelectShared *shared)
{
	const uint32_t n = min(shared->ngathered, (uint32_t) GATHERED_HERE);

	if (threadIdx.x == 0 && n > 0)
		shared->gathered_at = atomicAdd((Word *) &launch.seek->gathered, (Word) n);
	__syncthreads();
	for (uint32_t i = threadIdx.x; i < n && shared->gathered_at + i < launch.gather_capacity; i += VM_THREADS)
		launch.gathered[shared->gathered_at + i] = shared->gathered[i];
}

static __device__ __forceinline__ void
add_bins(const VmLaunch &launch, const SelectShared *shared)
{
	for (uint32_t i = threadIdx.x; i < TALLY_WORDS; i += VM_THREADS)
	{
		/* blocks begin at different bins to avoid contention */
		const uint32_t at = (i + blockIdx.x * VM_THREADS) % TALLY_WORDS;

		if (shared->bins[at] > 0)
			atomicAdd((Word *) &launch.tallies[at], (Word) shared->bins[at]);
	}
}

/* Add the block's counts of values seen and of lesser ones to those of all blocks; called by one thread. */
static __device__ __forceinline__ void
add_seen(const VmLaunch &launch, const Counted &counted)
{
	atomicAdd((Word *) &launch.seek->seen, (Word) (counted.rows - counted.nulls));
	atomicAdd((Word *) &launch.seek->less, (Word) counted.less);
}

/* Append the block's row to the launch's rows, which fails with TABLE_FULL without room; called by one thread. */
static __device__ __forceinline__ void
write_row(const VmLaunch &launch, const Counted &counted)
{
	const uint32_t at = atomicAdd(&launch.result->nrows, 1u);
	uint64_t   *row = launch.rows + (size_t) at * launch.shape.row_words;

	if (at >= launch.row_capacity)
	{
		atomicCAS(&launch.result->status, (uint32_t) STATUS_DONE, (uint32_t) STATUS_TABLE_FULL);
		return;
	}
	launch.hashes[at] = 0;
	row[0] = 0;
	for (uint32_t s = 0; s < launch.shape.nstates; s++)
		row[launch.shape.state_word[s]] = word_of_state((SelectCount) launch.shape.select.count[s], counted);
}

/*
 * Write the block's counts, and add its gathered values, or its bins, to those of all blocks;
 * called by all threads. A sample writes no row.
 */
template <bool SAMPLE> static __device__ __forceinline__ void
write_out(const VmLaunch &launch, SelectShared *shared, Counted counted)
{
	sum_of_warp(&counted, 32);
	if (threadIdx.x % 32 == 0)
		shared->sum[threadIdx.x / 32] = counted;
	__syncthreads();
	if (threadIdx.x < 32)
	{
		counted = shared->sum[threadIdx.x % (VM_THREADS / 32)];
		sum_of_warp(&counted, VM_THREADS / 32);
		if (threadIdx.x == 0 && launch.shape.select.gathers)
			add_seen(launch, counted);
		if (threadIdx.x == 0 && !SAMPLE)
			write_row(launch, counted);
	}
	if (launch.shape.select.gathers)
		put_gathered(launch, shared);
	else if (!launch.shape.select.collects)
		add_bins(launch, shared);
}

template <bool SAMPLE> static __global__ void __launch_bounds__(VM_THREADS, SELECT_BLOCKS)
select_kernel(const __grid_constant__ VmLaunch launch)
{
	__shared__ SelectShared shared;
	Counted		counted = {0, 0, 0, 0, INT64_MAX, INT64_MIN};

	for (uint32_t i = threadIdx.x; i < SELECT_BINS; i += VM_THREADS)
		shared.bins[i] = 0;
	if (threadIdx.x == 0)
	{
		shared.slice.part = NO_PART;
		shared.status = STATUS_DONE;
		shared.range = {launch.shape.select.least, launch.shape.select.last};
		if (launch.shape.select.gathers)
			shared.range = launch.seek->range;
		shared.ngathered = 0;
	}
	while (block_next_slice(&launch, ROWS * VM_THREADS, &shared.slice))
		count_column<SAMPLE>(launch, &shared, &counted);
	__syncthreads();
	write_out<SAMPLE>(launch, &shared, counted);
	if (threadIdx.x == 0 && shared.status != STATUS_DONE)
		atomicCAS(&launch.result->status, (uint32_t) STATUS_DONE, shared.status);
}

VmKernel
vm_select_kernel(bool sample)
{
	return sample ? select_kernel<true> : select_kernel<false>;
}

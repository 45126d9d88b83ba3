/*
 * kernel_output_columns.cu
 *		Copying the columns of each page batch, as a tablet of its own, into host memory.
 *
 * A block has one column of one page batch, whose rows begin anywhere in those of
 * the launch.  Integers are frame-of-reference encoded as the tablet's descriptor
 * says, if the encoding holds them all, so that a third of the bytes go over the
 * bus.  All other values, and NULL flags, are copied as bits, which are shifted
 * to the beginning of a word.
 */
#include "block/range.cuh"
#include "core/tablet/column_pack.h"
#include "host/cuda_call.h"
#include "kernels/output_launch.h"
#include "kernels/tuning.cuh"

/* A page batch's part of a column. */
typedef struct Part
{
	ColType		type;
	const uint8_t *values;		/* values from its first row on */
	const uint8_t *nulls;		/* bitmap of NULL flags, from the launch's first row on; NULL = no NULLs */
	uint32_t	begin;			/* number of its first row among the launch's rows */
	uint32_t	n;
} Part;

static __device__ bool
is_null(const Part &part, uint32_t row)
{
	const uint32_t bit = part.begin + row;

	return part.nulls != nullptr && (part.nulls[bit / 8] >> bit % 8 & 1);
}

static __device__ Wide
integer_at(const Part &part, uint32_t row)
{
	switch (part.type)
	{
		case COLTYPE_U8: return part.values[row];
		case COLTYPE_U32: return ((const uint32_t *) part.values)[row];
		case COLTYPE_I16: return ((const int16_t *) part.values)[row];
		case COLTYPE_I32: return ((const int32_t *) part.values)[row];
		case COLTYPE_I64: return ((const int64_t *) part.values)[row];
		default: return wide_load((const uint64_t *) part.values + 2 * (uint64_t) row);
	}
}

/* Copy n bits from bit `first` on; those behind them in the last word become 0. Called by all threads. */
static __device__ void
copy_bits(const uint8_t *bytes, uint64_t first, uint64_t n, uint8_t *into)
{
	const uint64_t *from = (const uint64_t *) bytes + first / 64;
	uint64_t   *to = (uint64_t *) into;
	const uint32_t shift = first % 64;

	for (uint64_t i = threadIdx.x; 64 * i < n; i += OUTPUT_THREADS)
	{
		const uint64_t left = n - 64 * i;
		uint64_t	word = from[i] >> shift;

		/* no word is read that has none of the n bits */
		if (shift > 0 && left > 64 - shift)
			word |= from[i + 1] << (64 - shift);
		to[i] = left >= 64 ? word : word & (((uint64_t) 1 << left) - 1);
	}
}

/*
 * Find the range of the values that are not NULL, in all threads; return false if there are none.
 * *held is set to whether `encoding` holds all of them as a frame-of-reference encoding; called by all
 * threads.
 */
static __device__ bool
find_range(const Part &part, const ForEncoding &encoding, Wide *low, Wide *high, bool *held)
{
	__shared__ uint64_t range[2][2];
	uint64_t	odd = 0;

	*low = WIDE_MAX;
	*high = WIDE_MIN;
	for (uint32_t row = threadIdx.x; row < part.n; row += OUTPUT_THREADS)
	{
		if (is_null(part, row))
			continue;
		const Wide	v = integer_at(part, row);

		*low = v < *low ? v : *low;
		*high = v > *high ? v : *high;
		odd |= for_odd(&encoding, v);
	}
	reduce_range<OUTPUT_THREADS>(low, high);
	if (threadIdx.x == 0)
	{
		wide_store(range[0], *low);
		wide_store(range[1], *high);
	}
	*held = !__syncthreads_or(odd != 0);
	*low = wide_load(range[0]);
	*high = wide_load(range[1]);
	return *low <= *high;
}

/* Store integers in a frame-of-reference encoding that holds them, word by word; NULLs are stored as `instead`. */
static __device__ void
pack(const Part &part, const ForEncoding &encoding, Wide instead, uint8_t *into)
{
	const uint32_t bytes = coltype_bytes((ColType) encoding.type);
	const uint32_t each = bytes > 0 && bytes < 8 ? 8 / bytes : 1;
	uint64_t   *to = (uint64_t *) into;

	if (bytes == 0)
		return;
	for (uint32_t i = threadIdx.x; (uint64_t) i * each < part.n; i += OUTPUT_THREADS)
	{
		uint64_t	word = 0;

		for (uint32_t k = 0; k < each && i * each + k < part.n; k++)
		{
			const uint32_t row = i * each + k;
			const Wide	v = is_null(part, row) ? instead : integer_at(part, row);

			if (bytes == sizeof(Wide))
				wide_store(to + 2 * (uint64_t) i, v);
			else
				word |= ((uint64_t) v - (uint64_t) encoding.base) >> encoding.shift << (8 * bytes * k % 64);
		}
		if (bytes < sizeof(Wide))
			to[i] = word;
	}
}

/* Return where tablet_layout() puts the values of a column, for n rows of columns of the tablet's types. */
static __device__ uint64_t
place_of_column(const Tablet *tablet, uint32_t column, uint32_t n)
{
	uint64_t	at = tablet_align(sizeof(Tablet) + tablet->ncols * sizeof(TabletColumn));

	for (uint32_t c = 0; c < column; c++)
		at += tablet_align((uint64_t) coltype_bytes((ColType) tablet->column[c].type) * n) + tablet_align(tablet_bitmap_bytes(n));
	return at;
}

static __global__ void __launch_bounds__(OUTPUT_THREADS)
output_columns_kernel(OutputLaunch launch)
{
	__shared__ ForEncoding wanted;
	const uint32_t begin = launch.row_start[blockIdx.x];
	const uint32_t n = launch.row_start[blockIdx.x + 1] - begin;
	const TabletColumn *from = &launch.tablet->column[blockIdx.y];
	const ColType type = (ColType) from->type;
	const uint64_t bytes = coltype_bytes(type);
	const uint8_t *values = tablet_at(launch.tablet, from->values);
	Tablet	   *page_batch = (Tablet *) launch.block[blockIdx.x];
	TabletColumn column = *from;
	Wide		low = INT64_MIN;
	Wide		high = INT64_MAX;
	bool		held = false;

	if (page_batch == nullptr || *launch.status != STATUS_DONE)
		return;
	const Part	part = {type, values + bytes * begin, from->null_count > 0 ? tablet_at(launch.tablet, from->nulls) : nullptr, begin, n};
	if (threadIdx.x == 0)
		wanted = for_encoding_of(&page_batch->column[blockIdx.y]);
	__syncthreads();
	const ForEncoding encoding = wanted;
	const bool	suits = for_suits(&encoding, type);

	column.values = place_of_column(launch.tablet, blockIdx.y, n);
	column.nulls = column.values + tablet_align(bytes * n);
	if (coltype_integer(type) && !find_range(part, suits ? encoding : ForEncoding{COLTYPE_I128, 0, 0}, &low, &high, &held))
		held = low = high = 0;
	if (held && suits)
	{
		pack(part, encoding, low, tablet_at(page_batch, column.values));
		column_set_encoding(&column, &encoding);
	}
	else
		copy_bits(values, 8 * bytes * begin, 8 * bytes * n, tablet_at(page_batch, column.values));
	if (part.nulls != nullptr)
		copy_bits(part.nulls, begin, n, tablet_at(page_batch, column.nulls));
	if (threadIdx.x > 0)
		return;
	wide_store(column.min, low);
	wide_store(column.max, high);
	page_batch->column[blockIdx.y] = column;
}

int
output_columns_launch(const OutputLaunch *launch, uint32_t ncolumns, void *stream)
{
	if (ncolumns == 0)
		return cudaSuccess;
	output_columns_kernel<<<dim3(launch->npage_batches, ncolumns), OUTPUT_THREADS, 0, (cudaStream_t) stream>>>(*launch);
	return CUDA_CALL(cudaGetLastError());
}

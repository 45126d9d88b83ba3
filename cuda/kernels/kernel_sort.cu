/*
 * kernel_sort.cu
 *		Sorting rows that are materialized on the device by words of their keys.
 *
 * Words are as core/sort/sort_parts.h defines them, in 32 bits where these suffice, and
 * are sorted by as many bits as they have (radix sort of CUB), the last of several
 * words first.  Where all keys fit one word, it has them all: their columns are
 * decoded from the sorted words, and without other columns no row numbers are
 * moved.  The other kernels have a thread a row; those that write NULL bitmaps go
 * by whole warps, whose ballot is a word of the bitmap.
 *
 * Row numbers and ranks: each row that begins a partition or peers is marked, and
 * scans of the marks tell every row where its own begin.
 */
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

#include "host/cuda_call.h"
#include "kernels/sort_launch.h"
#include "kernels/tuning.cuh"

#define EACH_ROW(row, n) \
	for (uint32_t row = blockIdx.x * MATERIALIZED_THREADS + threadIdx.x; row < n; row += gridDim.x * MATERIALIZED_THREADS)

/* Loop over rows by whole warps, whose last rows may not exist. */
#define EACH_ROW_OF_WARPS(row, n) \
	for (uint32_t row = blockIdx.x * MATERIALIZED_THREADS + threadIdx.x; row / 32 < (n + 31) / 32; row += gridDim.x * MATERIALIZED_THREADS)

static __device__ __forceinline__ bool
is_null(const SortColumn &column, uint32_t row)
{
	return column.nulls != NULL && (column.nulls[row / 32] >> row % 32 & 1);
}

static __device__ __forceinline__ int64_t
value_of(const SortColumn &column, uint32_t row)
{
	if (column.type == COLTYPE_BOOL)
		return column.values[row];
	if (column.type == COLTYPE_F64)
		/* -0 becomes 0 */
		return op_float_key(((const double *) column.values)[row] + 0.0);
	return ((const int64_t *) column.values)[row];
}

/*
 * Compute word `word` of each row, in the current order; with `begins` in the order of the rows'
 * numbers, which becomes the current one.
 */
template <typename Word>
static __global__ void __launch_bounds__(MATERIALIZED_THREADS)
words_kernel(const __grid_constant__ SortLaunch launch, uint32_t word, Word *words, uint32_t *order, bool begins)
{
	EACH_ROW(i, launch.nrows)
	{
		const uint32_t row = begins ? i : order[i];
		uint64_t	made = 0;

		for (uint32_t p = 0; p < launch.parts.nparts; p++)
		{
			const SortPart &part = launch.parts.part[p];
			const SortColumn &column = launch.from[launch.key_column[part.key]];

			if (part.word == word)
			{
				const bool	null = is_null(column, row);

				made |= sort_code(&part, null, null ? 0 : (Wide) value_of(column, row)) << part.shift;
			}
		}
		words[i] = (Word) made;
		if (begins && order != NULL)
			order[i] = i;
	}
}

/* Store a value and its NULL flag as row `row`; called by all threads of a warp, whose rows need not all exist. */
static __device__ __forceinline__ void
put(const SortColumn &to, uint32_t row, bool exists, int64_t value, bool null)
{
	if (exists && to.type == COLTYPE_BOOL)
		to.values[row] = (uint8_t) value;
	else if (exists)
		((int64_t *) to.values)[row] = value;
	if (to.nulls != NULL)
	{
		const uint32_t nulls = __ballot_sync(~0u, exists && null);

		if (row % 32 == 0)
			to.nulls[row / 32] = nulls;
	}
}

/* Decode column c from the sorted words, whose part p it is. */
template <typename Word>
static __global__ void __launch_bounds__(MATERIALIZED_THREADS)
decode_kernel(const __grid_constant__ SortLaunch launch, uint32_t c, uint32_t p, const Word *words)
{
	const SortPart &part = launch.parts.part[p];
	const uint64_t mask = ~UINT64_C(0) >> (64 - part.bits);

	EACH_ROW_OF_WARPS(i, launch.nrows)
	{
		const bool	exists = i < launch.nrows;
		const uint64_t code = exists ? (uint64_t) words[i] >> part.shift & mask : 0;
		const bool	null = launch.to[c].nulls != NULL && code == part.of_null;
		const uint64_t distance = code - part.of_first;

		put(launch.to[c], i, exists, (int64_t) (part.descending ? part.from[0] - distance : part.from[0] + distance), null);
	}
}

static __global__ void __launch_bounds__(MATERIALIZED_THREADS)
gather_kernel(const __grid_constant__ SortLaunch launch, uint32_t c, const uint32_t *order)
{
	const SortColumn &from = launch.from[c];

	EACH_ROW_OF_WARPS(i, launch.nrows)
	{
		const bool	exists = i < launch.nrows;
		const uint32_t row = exists ? order[i] : 0;
		const int64_t value = !exists ? 0 : from.type == COLTYPE_BOOL ? from.values[row] : ((const int64_t *) from.values)[row];

		put(launch.to[c], i, exists, value, exists && is_null(from, row));
	}
}

/* Numbers of rows in order */

/* Return true if two rows have different values of a key column. */
static __device__ __forceinline__ bool
differ(const SortColumn &column, uint32_t a, uint32_t b)
{
	const bool	null_a = is_null(column, a);
	const bool	null_b = is_null(column, b);

	return null_a != null_b || (!null_a && value_of(column, a) != value_of(column, b));
}

/*
 * Mark the rows that begin partitions and peers: `partition` and `peers` are the row's number if it
 * is the first of its partition or peers, else 0; `dense` is 1 if it is the first of its peers,
 * else 0.
 */
static __global__ void __launch_bounds__(MATERIALIZED_THREADS)
begins_kernel(const __grid_constant__ SortLaunch launch, uint32_t *partition, uint32_t *peers, uint32_t *dense)
{
	EACH_ROW(i, launch.nrows)
	{
		bool		begins = i == 0;
		bool		new_peers = i == 0;

		for (uint32_t k = 0; k < launch.nkeys && !begins; k++)
			if (differ(launch.to[launch.key_column[k]], i - 1, i))
			{
				new_peers = true;
				begins = k < launch.npartition;
			}
		partition[i] = begins ? i : 0;
		peers[i] = new_peers ? i : 0;
		dense[i] = new_peers;
	}
}

/*
 * Compute the wanted numbers of each row from where its partition and peers begin, and from
 * `dense`, how many peers have begun so far.
 */
static __global__ void __launch_bounds__(MATERIALIZED_THREADS)
numbers_kernel(const __grid_constant__ SortLaunch launch, const uint32_t *partition, const uint32_t *peers, const uint32_t *dense)
{
	EACH_ROW(i, launch.nrows)
	{
		const uint32_t start = partition != NULL ? partition[i] : 0;

		if (launch.numbers[MATERIALIZED_ROW_NUMBER] != NULL)
			launch.numbers[MATERIALIZED_ROW_NUMBER][i] = (uint64_t) (i - start) + 1;
		if (launch.numbers[MATERIALIZED_RANK] != NULL)
			launch.numbers[MATERIALIZED_RANK][i] = (uint64_t) (peers[i] - start) + 1;
		if (launch.numbers[MATERIALIZED_DENSE_RANK] != NULL)
			launch.numbers[MATERIALIZED_DENSE_RANK][i] = (uint64_t) (dense[i] - dense[start]) + 1;
	}
}

static uint32_t
blocks_for(uint32_t n)
{
	const uint32_t blocks = n / MATERIALIZED_THREADS + 1;

	return blocks < MATERIALIZED_BLOCKS ? blocks : MATERIALIZED_BLOCKS;
}

/* Arrays in the scratch memory. */
typedef struct Scratch
{
	uint8_t    *words[2];
	uint32_t   *order[2];		/* row numbers; NULL if the words have all columns */
	uint32_t   *begins[3];		/* first rows of partitions and of peers, and counts of peers; NULL if not needed */
	uint8_t    *temp;
	size_t		temp_bytes;		/* bytes of CUB's temporary memory */
} Scratch;

struct Larger
{
	__host__ __device__ uint32_t operator() (uint32_t a, uint32_t b) const { return a > b ? a : b; }
};

/*
 * Scan the marks, so that each row knows what has begun up to it; with `only_bytes` only store the
 * temporary memory needed in *bytes.
 */
static cudaError_t
scan_begins(const SortLaunch *launch, const Scratch *scratch, size_t *bytes, bool only_bytes, cudaStream_t stream)
{
	void	   *temp = only_bytes ? NULL : scratch->temp;
	cudaError_t error = cudaSuccess;

	for (int b = 0; b < 2 && error == cudaSuccess; b++)
		error = cub::DeviceScan::InclusiveScan(temp, *bytes, scratch->begins[b], scratch->begins[b], Larger{}, launch->nrows, stream);
	return error == cudaSuccess
		? cub::DeviceScan::InclusiveSum(temp, *bytes, scratch->begins[2], scratch->begins[2], launch->nrows, stream) : error;
}

/* Compute the wanted numbers of rows, once all columns are in order. */
static cudaError_t
number_rows(const SortLaunch *launch, const Scratch *scratch, cudaStream_t stream)
{
	const uint32_t blocks = blocks_for(launch->nrows);
	size_t		bytes = scratch->temp_bytes;
	cudaError_t error = cudaSuccess;

	if (sort_needs_peers(launch))
	{
		begins_kernel<<<blocks, MATERIALIZED_THREADS, 0, stream>>>(*launch, scratch->begins[0], scratch->begins[1], scratch->begins[2]);
		error = CUDA_CALL(scan_begins(launch, scratch, &bytes, false, stream));
	}
	if (error == cudaSuccess)
		numbers_kernel<<<blocks, MATERIALIZED_THREADS, 0, stream>>>(*launch, scratch->begins[0], scratch->begins[1], scratch->begins[2]);
	return error;
}

/* Return true if rows have to be found again by their numbers, since not all columns are in the words. */
static bool
needs_order(const SortLaunch *launch)
{
	for (uint32_t c = 0; c < launch->ncolumns; c++)
		if (sort_part_of_column(launch, c) < 0)
			return true;
	return false;
}

static bool
is_short(const SortLaunch *launch, uint32_t word)
{
	return sort_bits_of_word(&launch->parts, word) <= 32;
}

/*
 * Sort words[0], and with it the row numbers order[0], if there are any; the sorted ones become
 * words[0] and order[0]. With `only_bytes` only store the temporary memory needed in *bytes.
 */
template <typename Word>
static cudaError_t
sort_words(const SortLaunch *launch, uint32_t bits, Scratch *scratch, size_t *bytes, bool only_bytes, cudaStream_t stream)
{
	cub::DoubleBuffer<Word> words((Word *) scratch->words[0], (Word *) scratch->words[1]);
	cub::DoubleBuffer<uint32_t> order(scratch->order[0], scratch->order[1]);
	void	   *temp = only_bytes ? NULL : scratch->temp;
	const cudaError_t error = needs_order(launch)
		? cub::DeviceRadixSort::SortPairs(temp, *bytes, words, order, launch->nrows, 0, (int) bits, stream)
		: cub::DeviceRadixSort::SortKeys(temp, *bytes, words, launch->nrows, 0, (int) bits, stream);

	if (error == cudaSuccess && !only_bytes)
	{
		scratch->words[0] = (uint8_t *) words.Current();
		scratch->words[1] = (uint8_t *) words.Alternate();
		scratch->order[0] = order.Current();
		scratch->order[1] = order.Alternate();
	}
	return error;
}

static uint64_t
lay_out(const SortLaunch *launch, uint8_t *memory, Scratch *scratch)
{
	const uint64_t words = tablet_align((uint64_t) launch->nrows * (launch->parts.nwords == 1 && is_short(launch, 0) ? sizeof(uint32_t) : sizeof(uint64_t)));
	const uint64_t order = needs_order(launch) ? tablet_align((uint64_t) launch->nrows * sizeof(uint32_t)) : 0;
	const uint64_t begins = sort_needs_peers(launch) ? tablet_align((uint64_t) launch->nrows * sizeof(uint32_t)) : 0;
	size_t		most = 0;

	*scratch = {};
	for (int i = 0; i < 2; i++)
	{
		scratch->words[i] = memory + i * words;
		scratch->order[i] = order > 0 ? (uint32_t *) (memory + 2 * words + i * order) : NULL;
	}
	for (int b = 0; b < 3; b++)
		scratch->begins[b] = begins > 0 ? (uint32_t *) (memory + 2 * words + 2 * order + b * begins) : NULL;
	scratch->temp = memory + 2 * words + 2 * order + 3 * begins;
	if (begins > 0 && scan_begins(launch, scratch, &most, true, NULL) != cudaSuccess)
		return 0;
	for (uint32_t w = 0; w < launch->parts.nwords; w++)
	{
		const uint32_t bits = sort_bits_of_word(&launch->parts, w);
		size_t		bytes = 0;
		const cudaError_t error = is_short(launch, w) ? sort_words<uint32_t>(launch, bits, scratch, &bytes, true, NULL)
			: sort_words<uint64_t>(launch, bits, scratch, &bytes, true, NULL);

		if (error != cudaSuccess)
			return 0;
		most = bytes > most ? bytes : most;
	}
	scratch->temp_bytes = most;
	return (uint64_t) (scratch->temp - memory) + most + 1;
}

uint64_t
sort_scratch_bytes(const SortLaunch *launch)
{
	Scratch		scratch;

	return lay_out(launch, NULL, &scratch);
}

/* Compute a word of all rows, and sort by it. */
template <typename Word>
static cudaError_t
sort_by_word(const SortLaunch *launch, uint32_t word, Scratch *scratch, cudaStream_t stream)
{
	size_t		bytes = scratch->temp_bytes;

	words_kernel<Word><<<blocks_for(launch->nrows), MATERIALIZED_THREADS, 0, stream>>>(*launch, word, (Word *) scratch->words[0], scratch->order[0],
																			 word + 1 == launch->parts.nwords);
	return CUDA_CALL(sort_words<Word>(launch, sort_bits_of_word(&launch->parts, word), scratch, &bytes, false, stream));
}

int
sort_launch(const SortLaunch *launch, void *stream)
{
	const cudaStream_t on = (cudaStream_t) stream;
	const uint32_t blocks = blocks_for(launch->nrows);
	Scratch		scratch;
	cudaError_t error = lay_out(launch, launch->scratch, &scratch) > 0 ? cudaSuccess : cudaErrorInvalidValue;

	for (uint32_t w = launch->parts.nwords; w > 0 && error == cudaSuccess; w--)
		error = is_short(launch, w - 1) ? sort_by_word<uint32_t>(launch, w - 1, &scratch, on) : sort_by_word<uint64_t>(launch, w - 1, &scratch, on);
	if (error != cudaSuccess)
		return error;
	for (uint32_t c = 0; c < launch->ncolumns && launch->parts.nwords > 0; c++)
	{
		const int	p = sort_part_of_column(launch, c);

		if (p < 0)
			gather_kernel<<<blocks, MATERIALIZED_THREADS, 0, on>>>(*launch, c, scratch.order[0]);
		else if (is_short(launch, 0))
			decode_kernel<uint32_t><<<blocks, MATERIALIZED_THREADS, 0, on>>>(*launch, c, (uint32_t) p, (const uint32_t *) scratch.words[0]);
		else
			decode_kernel<uint64_t><<<blocks, MATERIALIZED_THREADS, 0, on>>>(*launch, c, (uint32_t) p, (const uint64_t *) scratch.words[0]);
	}
	error = number_rows(launch, &scratch, on);
	return error == cudaSuccess ? CUDA_CALL(cudaGetLastError()) : error;
}

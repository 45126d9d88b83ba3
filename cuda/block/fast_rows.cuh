/*
 * fast_rows.cuh
 *		Which rows of a tile a thread's lanes are, and how they are read.
 *
 * A thread owns L lanes of a tile, in runs of neighbouring rows: with 8 lanes
 * one run, else pairs.  So of a column in a frame, or a bitmap, a thread reads
 * 8 rows at once, and of 8-byte values 16 bytes at a time.
 */
#ifndef GPUDB_CUDA_FAST_ROWS_CUH
#define GPUDB_CUDA_FAST_ROWS_CUH

#include "block/fast_memory.cuh"

#define EACH_LANE	_Pragma("unroll") for (int k = 0; k < L; k++)
#define EACH_LANE_AS(j)	_Pragma("unroll") for (int j = 0; j < L; j++)
#define EACH_PAIR	_Pragma("unroll") for (int p = 0; p < L / 2; p++)
#define EACH_RUN	_Pragma("unroll") for (int r = 0; r < L / RUN(L); r++)

#define RUN(lanes)	((lanes) == 8 ? 8 : 2)

/*
 * A value that the compiler knows nothing about.  What is computed of it stays
 * where it is; else addresses for all instructions were computed before each.
 */
static __device__ __forceinline__ uint32_t
here(uint32_t v)
{
	asm volatile("" : "+r"(v));
	return v;
}

static __device__ __forceinline__ uint64_t
here(uint64_t v)
{
	asm volatile("" : "+l"(v));
	return v;
}

template <typename T> static __device__ __forceinline__ const T *
here(const T *p)
{
	asm volatile("" : "+l"(p));
	return p;
}

static __device__ __forceinline__ uint32_t thread_here(void) { return here(threadIdx.x); }

/* The row of a tile that is lane k. */
template <int L> static __device__ __forceinline__ uint32_t
row_of_lane(uint32_t k)
{
	return RUN(L) * (k / RUN(L) * VM_THREADS + thread_here()) + k % RUN(L);
}

/* The lanes that have a row of a tile of n. */
template <int L> static __device__ __forceinline__ uint32_t
rows_of_tile(uint32_t n)
{
	uint32_t	rows = 0;

	if (n == L * VM_THREADS)
		return (1u << L) - 1;
	EACH_LANE rows |= (row_of_lane<L>(k) < n ? 1u : 0u) << k;
	return rows;
}

/* Bits of rows, such as a column's NULL flags, for runs that have a selected lane. */
template <int L> static __device__ __forceinline__ uint32_t
load_bits(const uint32_t *bitmap, uint32_t first, uint32_t selection)
{
	const uint32_t row = RUN(L) * thread_here();
	const uint8_t *at = (const uint8_t *) bitmap + first / 8 + row / 8;
	uint32_t	bytes[L / RUN(L)];
	uint32_t	bits = 0;

	EACH_RUN bytes[r] = selection >> (RUN(L) * r) & ((1u << RUN(L)) - 1) ? __ldg(at + r * (RUN(L) * VM_THREADS / 8)) : 0;
	EACH_RUN bits |= (bytes[r] >> row % 8 & ((1u << RUN(L)) - 1)) << (RUN(L) * r);
	return bits;
}

/* Set the bits of the selected rows of a tile of n in a bitmap, and clear those of the others, whole words of them. */
template <int L> static __device__ __forceinline__ void
store_bits(uint32_t *bitmap, uint32_t first, uint32_t n, uint32_t selection)
{
	const uint32_t lanes = 32 / RUN(L);	/* of a warp that have a word together */

	EACH_RUN
	{
		const uint32_t row = row_of_lane<L>((uint32_t) r * RUN(L));
		uint32_t	bits = (selection >> (RUN(L) * r) & ((1u << RUN(L)) - 1)) << row % 32;

		for (uint32_t step = 1; step < lanes; step *= 2)
			bits |= __shfl_xor_sync(~0u, bits, (int) step);
		if (row % 32 == 0 && row < n)
			bitmap[(first + row) / 32] = bits;
	}
}

/* One access to so many bytes, which are read once. */
template <int BYTES> static __device__ __forceinline__ void
read_once(uint32_t *to, const void *at)
{
	if constexpr (BYTES == 2)
		to[0] = __ldcs((const unsigned short *) at);
	else if constexpr (BYTES == 4)
		to[0] = __ldcs((const uint32_t *) at);
	else if constexpr (BYTES == 8)
	{
		const uint2 v = __ldcs((const uint2 *) at);

		to[0] = v.x;
		to[1] = v.y;
	}
	else
	{
		const uint4 v = __ldcs((const uint4 *) at);

		to[0] = v.x;
		to[1] = v.y;
		to[2] = v.z;
		to[3] = v.w;
	}
}

/* The lower bits of a word as the type that they are stored as. */
template <typename S> static __device__ __forceinline__ S
stored_as(uint32_t bits) { return (S) bits; }

template <> __device__ __forceinline__ float
stored_as<float>(uint32_t bits) { return __uint_as_float(bits); }

/*
 * A column's stored values, of S in at most 8 bytes.  Accesses without a
 * selected lane are not made: nobody looks at what they would read.  Where
 * only the first row of one exists the others are still inside the column's
 * memory, which is aligned to as much as a run may have.
 */
template <int L, typename S> struct StoredLanes
{
	static const int BYTES = RUN(L) * sizeof(S) < 16 ? RUN(L) * (int) sizeof(S) : 16;	/* of an access */
	static const int ROWS = BYTES / (int) sizeof(S);
	static const int WORDS = BYTES < 4 ? 1 : BYTES / 4;
	static const int ALL = L / ROWS * WORDS;

	uint32_t	word[ALL];

	/* of nothing yet */
	__device__ __forceinline__ explicit StoredLanes(uint32_t each)
	{
		_Pragma("unroll") for (int w = 0; w < ALL; w++) word[w] = each;
	}
	__device__ __forceinline__ StoredLanes(const void *values, uint32_t first, uint32_t selection)
	{
		const S    *at = here((const S *) values + first + RUN(L) * thread_here());

		_Pragma("unroll") for (int a = 0; a < L / ROWS; a++)
		{
			const int	from = a * ROWS / RUN(L) * RUN(L) * VM_THREADS + a * ROWS % RUN(L);

			_Pragma("unroll") for (int w = 0; w < WORDS; w++) word[a * WORDS + w] = 0;
			if (selection >> (a * ROWS) & ((1u << ROWS) - 1))
				read_once<BYTES>(&word[a * WORDS], at + from);
		}
	}
	/* the bits of lane k; above them there may be those of lanes behind it */
	__device__ __forceinline__ uint32_t bits(int k) const
	{
		return word[k / ROWS * WORDS + k % ROWS * (int) sizeof(S) / 4] >> (k % ROWS * (int) sizeof(S) % 4 * 8);
	}
	/* a byte, as how far a word of that number is from the first */
	__device__ __forceinline__ uint32_t scaled(int k) const
	{
		const uint32_t w = word[k / ROWS * WORDS + k % ROWS / 4];
		const int	shift = k % ROWS % 4 * 8;

		return (shift == 0 ? w << 2 : w >> (shift - 2)) & 0x3fcu;
	}
	__device__ __forceinline__ S lane(int k) const
	{
		if constexpr (sizeof(S) == 8)
			return word[2 * k] | (uint64_t) word[2 * k + 1] << 32;
		else
			return stored_as<S>(bits(k));
	}
};

/* One of the lines that hold a tile of all columns in frames: where it is of the tile that begins with row 0. */
typedef struct LineAhead
{
	const uint8_t *at;
	uint32_t	bytes;			/* a row of its column; 0: there is no such line */
} LineAhead;

/* Line `number` of a tile of so many rows. */
static __device__ inline LineAhead
line_ahead(const VmLaunch &launch, uint32_t rows, uint32_t number)
{
	for (uint32_t c = 0; c < launch.shape.code.ncolumns; c++)
	{
		const FastColumn *column = fast_column(c);
		const uint32_t lines = column->ahead * rows / CACHE_LINE;

		if (number < lines)
			return {(const uint8_t *) column->values + number * CACHE_LINE, column->ahead};
		number -= lines;
	}
	return {NULL, 0};
}

static __device__ __forceinline__ void
fetch_line(const LineAhead &line, uint32_t first)
{
	if (line.bytes != 0)
		asm volatile("prefetch.global.L2 [%0];" : : "l"(line.at + (size_t) first * line.bytes));
}

/*
 * Have the L2 cache fetch what a block will read of a whole tile, as far as it
 * is in frames: a tile of that takes longer to come than to be worked on.  A
 * thread asks for a line, `mine`, of which it knows where it is; and for others
 * where there are more lines than threads.
 */
template <int L> static __device__ __forceinline__ void
fetch_ahead(const VmLaunch &launch, const LineAhead &mine, uint32_t first)
{
	fetch_line(mine, first);
	for (uint32_t number = threadIdx.x + VM_THREADS; number < fast_shared()->lines_ahead; number += VM_THREADS)
		fetch_line(line_ahead(launch, L * VM_THREADS, number), first);
}

#endif							/* GPUDB_CUDA_FAST_ROWS_CUH */

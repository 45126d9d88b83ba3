/*
 * fast_rows.cuh
 *		Mapping a thread's lanes to rows of a tile, and reading columns at these rows.
 *
 * A thread owns L lanes of a tile, in runs of neighbouring rows: with 8 lanes
 * one run, else pairs.  So of a column that is frame-of-reference encoded, or of a
 * bitmap, a thread reads 8 rows at once, and of 8-byte values 16 bytes at a time.
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
 * Return v as a value that the compiler knows nothing about. What is computed of it stays where it
 * is; otherwise the addresses for all instructions would be computed before each of them.
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

/* Return the row of a tile that is lane k. */
template <int L> static __device__ __forceinline__ uint32_t
row_of_lane(uint32_t k)
{
	return RUN(L) * (k / RUN(L) * VM_THREADS + thread_here()) + k % RUN(L);
}

/* Return the lanes that have a row in a tile of n rows. */
template <int L> static __device__ __forceinline__ uint32_t
rows_of_tile(uint32_t n)
{
	uint32_t	rows = 0;

	if (n == L * VM_THREADS)
		return (1u << L) - 1;
	EACH_LANE rows |= (row_of_lane<L>(k) < n ? 1u : 0u) << k;
	return rows;
}

/* Load the bits of a thread's rows from a bitmap, such as a column's NULL flags, for runs that have a selected lane. */
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

/* Store the selection of a tile of n rows in a bitmap, whole words of it; called by all threads of a warp. */
template <int L> static __device__ __forceinline__ void
store_bits(uint32_t *bitmap, uint32_t first, uint32_t n, uint32_t selection)
{
	const uint32_t lanes = 32 / RUN(L);	/* threads whose bits make a word */

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

/* Load BYTES bytes by one access, cached as data that is read once. */
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

/* Return the lower bits of a word as the type that they are stored as. */
template <typename S> static __device__ __forceinline__ S
stored_as(uint32_t bits) { return (S) bits; }

template <> __device__ __forceinline__ float
stored_as<float>(uint32_t bits) { return __uint_as_float(bits); }

/*
 * A column's stored values, of a type S of at most 8 bytes. Accesses without a selected lane are
 * not made: their values are not used. Where only the first row of an access exists, the others are
 * still inside the column's memory, which is aligned to the size of a run.
 */
template <int L, typename S> struct StoredLanes
{
	static const int BYTES = RUN(L) * sizeof(S) < 16 ? RUN(L) * (int) sizeof(S) : 16;	/* bytes of an access */
	static const int ROWS = BYTES / (int) sizeof(S);
	static const int WORDS = BYTES < 4 ? 1 : BYTES / 4;
	static const int ALL = L / ROWS * WORDS;

	uint32_t	word[ALL];

	/* no values: `each` in every word */
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
	/* the bits of lane k, below those of lanes behind it, if there are any */
	__device__ __forceinline__ uint32_t bits(int k) const
	{
		return word[k / ROWS * WORDS + k % ROWS * (int) sizeof(S) / 4] >> (k % ROWS * (int) sizeof(S) % 4 * 8);
	}
	/* byte k times 4: the offset of the 32-bit word of that number */
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

/* A cache line of a tile's prefetched columns: its address for the tile that begins with row 0. */
typedef struct LineAhead
{
	const uint8_t *at;
	uint32_t	bytes;			/* bytes of a row in its column; 0 = there is no line */
} LineAhead;

/* Return cache line `number` of the prefetched columns of a tile of `rows` rows. */
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
 * Prefetch the tile that begins with row `first` into the L2 cache, as far as it is
 * frame-of-reference encoded: it takes longer to load than to process. A thread requests a line,
 * `mine`, whose address it knows, and further ones where there are more lines than threads.
 */
template <int L> static __device__ __forceinline__ void
fetch_ahead(const VmLaunch &launch, const LineAhead &mine, uint32_t first)
{
	fetch_line(mine, first);
	for (uint32_t number = threadIdx.x + VM_THREADS; number < fast_shared()->lines_ahead; number += VM_THREADS)
		fetch_line(line_ahead(launch, L * VM_THREADS, number), first);
}

#endif							/* GPUDB_CUDA_FAST_ROWS_CUH */

/*
 * target.h
 *		Differences between the compilers of src/core: gcc, g++ and nvcc.
 *
 * Everything in src/core is C99 plus 128-bit integers, free of PostgreSQL and of CUDA.  This is the
 * only file that tests for the compiler.
 *
 * Only little-endian targets are supported: heap pages are read byte for byte and PostgreSQL writes
 * them in the order of the machine.
 */
#ifndef GPUDB_CORE_TARGET_H
#define GPUDB_CORE_TARGET_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __CUDACC__
#define CORE_FN static __host__ __device__ inline
#else
#define CORE_FN static inline
#endif

/* Declaration of a function of core/ that is defined in a .c file. */
#ifdef __cplusplus
#define CORE_API extern "C"
#else
#define CORE_API extern
#endif

#define CORE_RESTRICT __restrict__

/* Bytes of a processor's cache line. */
#define CORE_LINE_BYTES 64

/* Hint that memory will be read soon. */
#ifdef __CUDA_ARCH__
#define core_prefetch(p) ((void) (p))
#else
#define core_prefetch(p) __builtin_prefetch(p)
#endif

/* Compare bytes like memcmp(), which a GPU does not have. */
#ifdef __CUDA_ARCH__
CORE_FN int
core_memcmp(const void *a, const void *b, size_t length)
{
	const uint8_t *p = (const uint8_t *) a;
	const uint8_t *q = (const uint8_t *) b;

	for (size_t i = 0; i < length; i++)
		if (p[i] != q[i])
			return p[i] < q[i] ? -1 : 1;
	return 0;
}
#else
#define core_memcmp memcmp
#endif

/* Functions of the C library whose last bits differ between libraries; only the CPU device calls them. */
#ifdef __CUDA_ARCH__
#define core_exp(x) (x)
#define core_log(x) (x)
#define core_log10(x) (x)
#define core_pow(x, y) ((x) + (y))
#else
#define core_exp exp
#define core_log log
#define core_log10 log10
#define core_pow pow
#endif

/*
 * 1 if the rows of a tablet are built concurrently (on a GPU), 0 if one thread builds them all (on
 * a CPU).
 */
#ifdef __CUDA_ARCH__
#define CORE_ROWS_AT_ONCE 1
#else
#define CORE_ROWS_AT_ONCE 0
#endif

/* CORE_HOST marks functions that no GPU runs, and core_on_host() wraps calls of such functions. */
#define CORE_HOST static inline
#ifdef __CUDA_ARCH__
#define core_on_host(call, otherwise) (otherwise)
#else
#define core_on_host(call, otherwise) (call)
#endif

CORE_FN uint32_t
core_add_u32(uint32_t *p, uint32_t value)
{
#ifdef __CUDA_ARCH__
	return atomicAdd(p, value);
#else
	*p += value;
	return *p - value;
#endif
}

CORE_FN uint64_t
core_add_u64(uint64_t *p, uint64_t value)
{
#ifdef __CUDA_ARCH__
	return atomicAdd((unsigned long long *) p, (unsigned long long) value);
#else
	*p += value;
	return *p - value;
#endif
}

CORE_FN void
core_or_u32(uint32_t *p, uint32_t bits)
{
#ifdef __CUDA_ARCH__
	atomicOr(p, bits);
#else
	*p |= bits;
#endif
}

CORE_FN void
core_max_i32(int32_t *p, int32_t value)
{
#ifdef __CUDA_ARCH__
	atomicMax(p, value);
#else
	if (value > *p)
		*p = value;
#endif
}

/* Annotation of a loop over lanes: no iteration depends on another. */
#ifdef __CUDACC__
#define CORE_INDEPENDENT
#else
#define CORE_INDEPENDENT _Pragma("GCC ivdep")
#endif

#define core_likely(x) __builtin_expect((x) != 0, 1)
#define core_unlikely(x) __builtin_expect((x) != 0, 0)

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "gpudb supports little-endian machines only"
#endif

/* Return the number of bits that the integers 0 to `largest` need. */
CORE_FN uint32_t
bits_needed(uint64_t largest)
{
	uint32_t	bits = 0;

	for (; largest > 0; largest >>= 1)
		bits++;
	return bits;
}

/* A 128-bit integer: a wide decimal, or the running total of narrow ones. */
typedef __int128 Wide;
typedef unsigned __int128 UWide;

#define WIDE_MAX ((Wide) (((UWide) 1 << 127) - 1))
#define WIDE_MIN (-WIDE_MAX - 1)

/* Load a Wide from two 64-bit words, its form wherever memory is addressed in words. */
CORE_FN Wide
wide_load(const uint64_t *words)
{
	return (Wide) (((UWide) words[1] << 64) | words[0]);
}

CORE_FN void
wide_store(uint64_t *words, Wide value)
{
	words[0] = (uint64_t) value;
	words[1] = (uint64_t) ((UWide) value >> 64);
}

CORE_FN bool
wide_fits_int64(Wide value)
{
	return value == (Wide) (int64_t) value;
}

/*
 * Load a 16-bit integer from an unaligned address.  The compilers turn this and the loads below
 * into single instructions.
 */
CORE_FN uint16_t
load_u16(const uint8_t *p)
{
	uint16_t	v;

	memcpy(&v, p, sizeof(v));
	return v;
}

CORE_FN uint32_t
load_u32(const uint8_t *p)
{
	uint32_t	v;

	memcpy(&v, p, sizeof(v));
	return v;
}

CORE_FN uint64_t
load_u64(const uint8_t *p)
{
	uint64_t	v;

	memcpy(&v, p, sizeof(v));
	return v;
}

CORE_FN double
float_of_bits(uint64_t bits)
{
	double		v;

	memcpy(&v, &bits, sizeof(v));
	return v;
}

CORE_FN uint64_t
bits_of_float(double v)
{
	uint64_t	bits;

	memcpy(&bits, &v, sizeof(bits));
	return bits;
}

#endif							/* GPUDB_CORE_TARGET_H */

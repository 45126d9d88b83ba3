/*
 * memory_rates.c
 *		The speed at which one core reads memory: the least time of some runs.
 */
#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/hash.h"
#include "device/clock.h"
#include "device/memory_rates.h"

#define BYTES		((size_t) 128 << 20)
#define WORDS		(BYTES / sizeof(uint64_t))
#define PAGE_BYTES	8192.0
#define PLACES		((size_t) 1 << 20)	/* words read in a run at random places */
#define RUNS		3

#if defined(__x86_64__)
/* Return true if the processor has clflushopt; asked once, since in a virtual machine the answer takes microseconds. */
static bool
can_flush(void)
{
	static int	known = -1;
	unsigned int a;
	unsigned int b;
	unsigned int c;
	unsigned int d;

	if (known < 0)
		known = __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & bit_CLFLUSHOPT) != 0;
	return known;
}

static void __attribute__((target("clflushopt")))
flush(const char *begin, size_t bytes)
{
	for (size_t i = 0; i < bytes; i += CORE_LINE_BYTES)
		_mm_clflushopt((void *) (begin + i));
	_mm_mfence();
}

void
memory_flush(const void *begin, size_t bytes)
{
	if (can_flush())
		flush(begin, bytes);
}
#else
void
memory_flush(const void *begin, size_t bytes)
{
	(void) begin;
	(void) bytes;
}
#endif

static uint64_t
sum_in_order(const uint64_t *words)
{
	uint64_t	sum = 0;

	for (size_t i = 0; i < WORDS; i++)
		sum += words[i];
	return sum;
}

static uint64_t
sum_anywhere(const uint64_t *words)
{
	uint64_t	sum = 0;

	for (size_t i = 0; i < PLACES; i++)
		sum += words[hash_mix(i) % WORDS];
	return sum;
}

void
memory_rates(double *page_ns, double *word_ns)
{
	uint64_t   *words = malloc(BYTES);
	volatile uint64_t seen;		/* volatile, so that the reads are not optimized away */

	*page_ns = *word_ns = NAN;
	if (words == NULL)
		return;
	memset(words, 1, BYTES);
	for (int run = 0; run < RUNS; run++)
	{
		uint64_t	begin;

		memory_flush(words, BYTES);
		begin = clock_ns();
		seen = sum_in_order(words);
		*page_ns = fmin(*page_ns, (double) (clock_ns() - begin) / WORDS * (PAGE_BYTES / sizeof(uint64_t)));
		memory_flush(words, BYTES);
		begin = clock_ns();
		seen = sum_anywhere(words);
		*word_ns = fmin(*word_ns, (double) (clock_ns() - begin) / PLACES);
	}
	(void) seen;
	free(words);
}

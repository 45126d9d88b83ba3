/*
 * memory_rates.c
 *		How fast one core reads memory: the least of some runs.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/hash.h"
#include "device/clock.h"
#include "device/memory_rates.h"

#define BYTES		((size_t) 128 << 20)	/* more than the caches hold */
#define WORDS		(BYTES / sizeof(uint64_t))
#define PAGE_BYTES	8192.0
#define PLACES		((size_t) 1 << 20)	/* words that are looked at in a run */
#define RUNS		3

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
	volatile uint64_t seen;		/* or else nothing would be read */

	*page_ns = *word_ns = NAN;
	if (words == NULL)
		return;
	memset(words, 1, BYTES);
	for (int run = 0; run < RUNS; run++)
	{
		uint64_t	begin = clock_ns();
		uint64_t	middle;

		seen = sum_in_order(words);
		middle = clock_ns();
		seen += sum_anywhere(words);
		*page_ns = fmin(*page_ns, (double) (middle - begin) / WORDS * (PAGE_BYTES / sizeof(uint64_t)));
		*word_ns = fmin(*word_ns, (double) (clock_ns() - middle) / PLACES);
	}
	(void) seen;
	free(words);
}

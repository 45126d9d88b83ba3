/*
 * memory_rates.h
 *		How fast one core reads memory.
 */
#ifndef GPUDB_DEVICE_MEMORY_RATES_H
#define GPUDB_DEVICE_MEMORY_RATES_H

#include <stddef.h>

/*
 * Have some memory leave the processors' caches, however much they hold, so
 * that it comes from afar when it is read next.  Where there is no instruction
 * for that it stays.
 */
extern void memory_flush(const void *begin, size_t bytes);

/*
 * Nanoseconds for 8 kB in order, and for a word anywhere whose place does not
 * depend on others; NaN without memory for it.  Takes 128 MB, and some 200 ms.
 * None of PostgreSQL's functions here.
 */
extern void memory_rates(double *page_ns, double *word_ns);

#endif							/* GPUDB_DEVICE_MEMORY_RATES_H */

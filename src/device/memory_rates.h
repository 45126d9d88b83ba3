/*
 * memory_rates.h
 *		The speed at which one core reads memory.
 */
#ifndef GPUDB_DEVICE_MEMORY_RATES_H
#define GPUDB_DEVICE_MEMORY_RATES_H

#include <stddef.h>

/*
 * Evict memory from the processor's caches, whatever their size, so that the
 * next read comes from main memory.  Does nothing where there is no
 * instruction for it.
 */
extern void memory_flush(const void *begin, size_t bytes);

/*
 * Measure the nanoseconds to read 8 kB in order, and a word at a random place
 * that does not depend on other reads; both are NaN if memory is short.  Takes
 * 128 MB, and some 200 ms.  Calls no function of PostgreSQL.
 */
extern void memory_rates(double *page_ns, double *word_ns);

#endif							/* GPUDB_DEVICE_MEMORY_RATES_H */

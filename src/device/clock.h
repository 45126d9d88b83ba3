/*
 * clock.h
 *		Monotonic time for threads and the GPU process, without PostgreSQL.
 */
#ifndef GPUDB_DEVICE_CLOCK_H
#define GPUDB_DEVICE_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Return the nanoseconds since an unspecified fixed point in the past. */
static inline uint64_t
clock_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t) t.tv_sec * 1000000000u + (uint64_t) t.tv_nsec;
}

#endif							/* GPUDB_DEVICE_CLOCK_H */

/*
 * reference.h
 *		What the CPU's interpreter makes of a tablet.
 */
#ifndef GPUDB_BENCH_GPU_REFERENCE_H
#define GPUDB_BENCH_GPU_REFERENCE_H

#include "core/vm/vm.h"

/*
 * Whether n group rows, in which a group may occur many times, are what the
 * program's narrow body makes of the tablet.
 */
extern bool reference_equals(const Program *program, const Tablet *tablet, const uint64_t *rows, const uint64_t *hashes,
							 uint32_t n);

#endif							/* GPUDB_BENCH_GPU_REFERENCE_H */

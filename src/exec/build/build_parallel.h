/*
 * build_parallel.h
 *		Builds columns of a whole relation in the cache, by several processes.
 */
#ifndef GPUDB_EXEC_BUILD_BUILD_PARALLEL_H
#define GPUDB_EXEC_BUILD_BUILD_PARALLEL_H

#include "exec/build/build_columns.h"

/*
 * Build all tablets of the relation as build_tablet_columns() does, with as
 * many threads and parallel workers as can be had; order->threads is ignored.
 * Return false if the relation or these columns cannot be cached.  Must not be
 * called in parallel mode.
 */
extern bool build_all_columns(const BuildOrder *order, Built *result);

#endif							/* GPUDB_EXEC_BUILD_BUILD_PARALLEL_H */

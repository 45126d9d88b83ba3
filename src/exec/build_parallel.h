/*
 * build_parallel.h
 *		Leaving columns of a whole relation in the cache, by several processes.
 */
#ifndef GPUDB_EXEC_BUILD_PARALLEL_H
#define GPUDB_EXEC_BUILD_PARALLEL_H

#include "exec/build_columns.h"

/*
 * Build all tablets of the relation as build_tablet_columns() does, with
 * threads and parallel workers as there are to be had: order->threads is of no
 * account.  False if nothing of the relation, or of these columns, can be kept.
 * Not in parallel mode.
 */
extern bool build_all_columns(const BuildOrder *order, Built *result);

#endif							/* GPUDB_EXEC_BUILD_PARALLEL_H */

/*
 * pruning.h
 *		Pruning of cached tablets by the zone maps of their columns.
 */
#ifndef GPUDB_EXEC_RUN_PRUNING_H
#define GPUDB_EXEC_RUN_PRUNING_H

#include "postgres.h"

#include "core/device_api.h"

/*
 * Copy to chosen[] those of n tablets of which, by their zone maps, rows may
 * pass the program's filters or a computation may fail; return their number.
 */
extern uint32 pruning_choose(const Program *program, const CachedRows *found, uint32 n, CachedRows *chosen);

#endif							/* GPUDB_EXEC_RUN_PRUNING_H */

/*
 * pruning.h
 *		Cached tablets of which rows may pass a program's filters.
 */
#ifndef GPUDB_EXEC_PRUNING_H
#define GPUDB_EXEC_PRUNING_H

#include "postgres.h"

#include "core/device_api.h"

/* Of n tablets copy those of which rows may pass, or a computation may fail, by their zone maps; how many they are. */
extern uint32 pruning_choose(const Program *program, const CachedRows *found, uint32 n, CachedRows *chosen);

#endif							/* GPUDB_EXEC_PRUNING_H */

/*
 * combine_launch.h
 *		Combining rows of groups: the interface to the host.
 *
 * Each block of the tile VM leaves a row of every group that it has met.  Of
 * few groups these are many rows, which two launches make one row a group of.
 */
#ifndef GPUDB_CUDA_COMBINE_LAUNCH_H
#define GPUDB_CUDA_COMBINE_LAUNCH_H

#include "core/provider_api.h"

#include "groups_launch.h"
#include "vm_launch.h"

/* Rows that a launch combines at most. */
#define COMBINE_ROWS ((uint32_t) 128 * 1024)

/* Bytes of device memory besides the rows: each row's group, rows by group, and where each group's begin. */
#define COMBINE_BYTES(rows) ((uint64_t) (rows) * 8 + (BATCH_GROUPS + 1) * 4)

typedef struct CombineLaunch
{
	RowShape	shape;
	VmResult   *result;			/* in: how many rows there are; out: groups; TABLE_FULL if they do not fit */
	const uint64_t *hashes;
	const uint64_t *rows;
	uint32_t	row_capacity;	/* more rows than this are not there */
	uint32_t	group_capacity;
	uint32_t   *scratch;		/* COMBINE_BYTES(row_capacity) */
	uint64_t   *to_hashes;		/* out: of each group */
	uint64_t   *to_rows;
} CombineLaunch;

#ifdef __cplusplus
extern "C" {
#endif

/* Once for each context.  Returns a cudaError_t, as the next one. */
extern int	combine_prepare(void);

/* On a stream (0 = the default one).  Does nothing to a result that is not DONE. */
extern int	combine_rows(const CombineLaunch *launch, uint32_t multiprocessors, void *stream);

#ifdef __cplusplus
}
#endif

#endif							/* GPUDB_CUDA_COMBINE_LAUNCH_H */

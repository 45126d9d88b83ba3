/*
 * combine_launch.h
 *		Kernel launches that combine rows of groups: the interface to the host.
 *
 * Each block of the tile VM writes a row for every group that it has met.  Few
 * groups of many blocks are many rows, which two launches combine into one row
 * per group.
 */
#ifndef GPUDB_CUDA_KERNELS_COMBINE_LAUNCH_H
#define GPUDB_CUDA_KERNELS_COMBINE_LAUNCH_H

#include "core/provider_api.h"

#include "kernels/groups_launch.h"
#include "kernels/vm_launch.h"

/* Most rows that a launch combines. */
#define COMBINE_ROWS ((uint32_t) 128 * 1024)

/* Bytes of device memory besides the rows: each row's group, rows by group, and the first row of each group. */
#define COMBINE_BYTES(rows) ((uint64_t) (rows) * 8 + (BATCH_GROUPS + 1) * 4)

typedef struct CombineLaunch
{
	RowShape	shape;
	VmResult   *result;			/* in: number of rows; out: number of groups, or TABLE_FULL if they do not fit */
	const uint64_t *hashes;
	const uint64_t *rows;
	uint32_t	row_capacity;	/* rows beyond the capacity were not written */
	uint32_t	group_capacity;
	uint32_t   *scratch;		/* COMBINE_BYTES(row_capacity) */
	uint64_t   *to_hashes;		/* out: hash of each group */
	uint64_t   *to_rows;
} CombineLaunch;

#ifdef __cplusplus
extern "C" {
#endif

/* Configure the kernels, once for each context.  Returns a cudaError_t. */
extern int	combine_prepare(void);

/*
 * Combine rows on a stream (0 = the default one), unless the status of the
 * result is not DONE.  Returns a cudaError_t.
 */
extern int	combine_rows(const CombineLaunch *launch, uint32_t multiprocessors, void *stream);

#ifdef __cplusplus
}
#endif

#endif							/* GPUDB_CUDA_KERNELS_COMBINE_LAUNCH_H */

/*
 * top_launch.h
 *		Kernel launches that select the groups that can be among the first n of
 *		an order: the interface to the host.
 */
#ifndef GPUDB_CUDA_KERNELS_TOP_LAUNCH_H
#define GPUDB_CUDA_KERNELS_TOP_LAUNCH_H

#include "core/vm/group_top.h"

#define TOP_THREADS 256

/* Most parts into which groups are divided; the best group of each is found. */
#define TOP_PARTS	1024

typedef struct TopLaunch
{
	const uint64_t *hashes;		/* hashes of the table's groups; all pointers are to device memory */
	const uint64_t *rows;
	uint32_t	ngroups;
	uint32_t	row_words;
	GroupTop	top;
	GroupOrder	bound;			/* collect groups that come no later than this order */
	uint32_t   *nfound;			/* out: number of groups found, zero at first */
	uint32_t	most;			/* capacity of found_hashes and found_rows */
	uint64_t   *found_hashes;
	uint64_t   *found_rows;
} TopLaunch;

/* Return the number of parts into which groups are divided; none of them is empty. */
CORE_FN uint32_t
top_parts(uint32_t ngroups)
{
	const uint32_t parts = ngroups / TOP_THREADS;

	return parts < TOP_PARTS ? parts : TOP_PARTS;
}

#ifdef __cplusplus
extern "C" {
#endif

/* Find the order of the best group of each of the top_parts() parts.  Returns a cudaError_t, as does top_collect(). */
extern int	top_best(const TopLaunch *launch, GroupOrder *best, void *stream);

extern int	top_collect(const TopLaunch *launch, void *stream);

#ifdef __cplusplus
}
#endif

#endif							/* GPUDB_CUDA_KERNELS_TOP_LAUNCH_H */

/*
 * top_launch.h
 *		Which of a table's groups can be among the first n of an order: the interface to the host.
 */
#ifndef GPUDB_CUDA_TOP_LAUNCH_H
#define GPUDB_CUDA_TOP_LAUNCH_H

#include "core/group_top.h"

#define TOP_THREADS 256

/* Parts at most that groups are divided into, each of which tells its best one. */
#define TOP_PARTS	1024

typedef struct TopLaunch
{
	const uint64_t *hashes;		/* of the table's groups, in device memory, as all below */
	const uint64_t *rows;
	uint32_t	ngroups;
	uint32_t	row_words;
	GroupTop	top;
	GroupOrder	bound;			/* collect those that come no later, */
	uint32_t   *nfound;			/* so many, zero at first, */
	uint32_t	most;			/* and of these so many at most here */
	uint64_t   *found_hashes;
	uint64_t   *found_rows;
} TopLaunch;

/* Parts that have a group each. */
CORE_FN uint32_t
top_parts(uint32_t ngroups)
{
	const uint32_t parts = ngroups / TOP_THREADS;

	return parts < TOP_PARTS ? parts : TOP_PARTS;
}

#ifdef __cplusplus
extern "C" {
#endif

/* Find the place of the best group of each of top_parts() parts.  Returns a cudaError_t, as does the other. */
extern int	top_best(const TopLaunch *launch, GroupOrder *best, void *stream);

extern int	top_collect(const TopLaunch *launch, void *stream);

#ifdef __cplusplus
}
#endif

#endif							/* GPUDB_CUDA_TOP_LAUNCH_H */

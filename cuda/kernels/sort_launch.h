/*
 * sort_launch.h
 *		Kernel launches that sort rows in device memory: the interface to the
 *		host.
 */
#ifndef GPUDB_CUDA_KERNELS_SORT_LAUNCH_H
#define GPUDB_CUDA_KERNELS_SORT_LAUNCH_H

#include "core/device_api.h"

/* A column: words, or bytes for bools. */
typedef struct SortColumn
{
	uint8_t    *values;
	uint32_t   *nulls;			/* NULL = there are none */
	uint8_t     type;			/* ColType */
} SortColumn;

typedef struct SortLaunch
{
	uint32_t	nrows;
	uint32_t	ncolumns;
	SortParts	parts;
	uint16_t	key_column[SORT_MOST_KEYS];
	SortColumn	from[PROGRAM_MAX_MATERIALIZED];
	SortColumn	to[PROGRAM_MAX_MATERIALIZED]; /* destinations; the source for columns restored from the sort words */
	uint32_t	nkeys;
	uint32_t	npartition;		/* number of keys, the first ones, that are partition keys */
	uint64_t   *numbers[MATERIALIZED_NUMBERS]; /* out: row numbers of each kind; NULL = not wanted */
	uint8_t    *scratch;		/* scratch memory of sort_scratch_bytes() bytes */
} SortLaunch;

/* Return true if the numbers require a comparison of neighbouring rows, as they do not simply count all rows. */
CORE_FN bool
sort_needs_peers(const SortLaunch *launch)
{
	return launch->numbers[MATERIALIZED_RANK] != NULL || launch->numbers[MATERIALIZED_DENSE_RANK] != NULL ||
		(launch->numbers[MATERIALIZED_ROW_NUMBER] != NULL && launch->npartition > 0);
}

/*
 * Return the part of the sort word from which a column's values can be
 * restored once rows are sorted; -1 = none, and the values are moved.
 */
CORE_FN int
sort_part_of_column(const SortLaunch *launch, uint32_t c)
{
	/* the sign of a float zero is not in the part */
	if (launch->parts.nwords == 1 && launch->from[c].type != COLTYPE_F64)
		for (uint32_t p = 0; p < launch->parts.nparts; p++)
			if (launch->key_column[launch->parts.part[p].key] == c && launch->parts.part[p].kind == PART_CODE)
				return (int) p;
	return -1;
}

#ifdef __cplusplus
extern "C" {
#endif

/* Return the bytes of scratch memory that sorting needs; 0 if CUDA does not report it. */
extern uint64_t sort_scratch_bytes(const SortLaunch *launch);

/* Sort the rows on a CUDA stream; return a cudaError_t. */
extern int	sort_launch(const SortLaunch *launch, void *stream);

#ifdef __cplusplus
}
#endif

#endif							/* GPUDB_CUDA_KERNELS_SORT_LAUNCH_H */

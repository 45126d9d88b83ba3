/*
 * sort_launch.h
 *		Sorting rows that stand in device memory: the interface to the host.
 */
#ifndef GPUDB_CUDA_SORT_LAUNCH_H
#define GPUDB_CUDA_SORT_LAUNCH_H

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
	SortColumn	from[PROGRAM_MAX_KEPT];
	SortColumn	to[PROGRAM_MAX_KEPT];	/* where they go; of columns that are made of words it may be the same place */
	uint32_t	nkeys;
	uint32_t	npartition;		/* of the keys, those that tell partitions apart */
	uint64_t   *numbers[KEPT_NUMBERS];	/* room for such a number of each row; NULL = it is not wanted */
	uint8_t    *scratch;		/* sort_scratch_bytes() */
} SortLaunch;

/* Whether rows have to be told apart for their numbers, which are not those of all rows in turn. */
CORE_FN bool
sort_needs_peers(const SortLaunch *launch)
{
	return launch->numbers[KEPT_RANK] != NULL || launch->numbers[KEPT_DENSE_RANK] != NULL ||
		(launch->numbers[KEPT_ROW_NUMBER] != NULL && launch->npartition > 0);
}

/* Which part a column's values can be made of again once rows are sorted; -1 = none: they are moved. */
CORE_FN int
sort_part_of_column(const SortLaunch *launch, uint32_t c)
{
	/* of floats the sign of a zero is not in it */
	if (launch->parts.nwords == 1 && launch->from[c].type != COLTYPE_F64)
		for (uint32_t p = 0; p < launch->parts.nparts; p++)
			if (launch->key_column[launch->parts.part[p].key] == c && launch->parts.part[p].kind == PART_CODE)
				return (int) p;
	return -1;
}

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes that sorting needs for itself; 0 when CUDA does not say. */
extern uint64_t sort_scratch_bytes(const SortLaunch *launch);

/* Sort.  Launches on a CUDA stream; a cudaError_t. */
extern int	sort_launch(const SortLaunch *launch, void *stream);

#ifdef __cplusplus
}
#endif

#endif							/* GPUDB_CUDA_SORT_LAUNCH_H */

/*
 * materialized_launch.h
 *		Kernel launches that make a join table of rows in device memory: the
 *		interface to the host.
 */
#ifndef GPUDB_CUDA_KERNELS_MATERIALIZED_LAUNCH_H
#define GPUDB_CUDA_KERNELS_MATERIALIZED_LAUNCH_H

#include "core/join/join_table.h"

/* A key column: words, or bytes for bools. */
typedef struct MaterializedKeyColumn
{
	const uint8_t *values;
	const uint32_t *nulls;		/* NULL = there are none */
	JoinPart	part;
	bool		bytes;
} MaterializedKeyColumn;

typedef struct MaterializedLaunch
{
	uint32_t	nrows;
	uint32_t	ncolumns;
	bool		exact;
	bool		direct;
	MaterializedKeyColumn column[JOIN_MAX_PARTS];
	uint64_t	nplaces;
	uint8_t    *index;			/* out: index of the table: nplaces + 1 words of 32 bits if direct, else slots */
	uint32_t   *present;		/* out: bitmap of the words that have rows; NULL if direct, or if none is wanted */
	uint64_t	npresent;
	uint64_t   *words;			/* scratch memory for one word per row; not used if direct */
	uint32_t   *result;			/* out: number of rows that are not found, since another row has their key */
	uint32_t   *list;			/* out: all row numbers, for materialized_list() */
	uint8_t    *scratch;		/* scratch memory of materialized_scratch_bytes() bytes, for materialized_list() */
} MaterializedLaunch;

#ifdef __cplusplus
extern "C" {
#endif

/* Build the index with one row for each key, on a CUDA stream; return a cudaError_t. */
extern int	materialized_launch(const MaterializedLaunch *launch, void *stream);

/* Build lists of all rows of each key after materialized_launch() has found keys with several rows; return a cudaError_t. */
extern int	materialized_list(const MaterializedLaunch *launch, void *stream);

/* Return the bytes of scratch memory that materialized_list() needs; 0 if CUDA does not report it. */
extern uint64_t materialized_scratch_bytes(uint32_t nrows, uint64_t nplaces);

#ifdef __cplusplus
}
#endif

#endif							/* GPUDB_CUDA_KERNELS_MATERIALIZED_LAUNCH_H */

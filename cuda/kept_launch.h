/*
 * kept_launch.h
 *		Making a table of rows in device memory: the interface to the host.
 */
#ifndef GPUDB_CUDA_KEPT_LAUNCH_H
#define GPUDB_CUDA_KEPT_LAUNCH_H

#include "core/join_table.h"

/* A column of the key: words, or bytes for bools. */
typedef struct KeptKeyColumn
{
	const uint8_t *values;
	const uint32_t *nulls;		/* NULL = there are none */
	JoinPart	part;
	bool		bytes;
} KeptKeyColumn;

typedef struct KeptLaunch
{
	uint32_t	nrows;
	uint32_t	ncolumns;
	bool		exact;
	bool		direct;
	KeptKeyColumn column[JOIN_MAX_PARTS];
	uint64_t	nplaces;
	uint8_t    *index;			/* of the table: places, or slots */
	uint64_t   *words;			/* room for one a row, unless words are places */
	uint32_t   *result;			/* out: rows whose key another one has, which are not found */
} KeptLaunch;

#ifdef __cplusplus
extern "C" {
#endif

/* Launch on a CUDA stream; a cudaError_t. */
extern int	kept_launch(const KeptLaunch *launch, void *stream);

#ifdef __cplusplus
}
#endif

#endif							/* GPUDB_CUDA_KEPT_LAUNCH_H */

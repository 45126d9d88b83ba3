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
	uint8_t    *index;			/* of the table: places and room for one more, or slots */
	uint32_t   *present;		/* room for a bit for each word, unless words are places; NULL = none are wanted */
	uint64_t	npresent;
	uint64_t   *words;			/* room for one a row, unless words are places */
	uint32_t   *result;			/* out: rows whose key another one has, which are not found */
	uint32_t   *list;			/* room for all row numbers, */
	uint8_t    *scratch;		/* and for kept_scratch_bytes(): for lists */
} KeptLaunch;

#ifdef __cplusplus
extern "C" {
#endif

/* Find one row for each key.  Launches on a CUDA stream; a cudaError_t, as all below. */
extern int	kept_launch(const KeptLaunch *launch, void *stream);

/* Behind that, when keys have several rows: list all of each. */
extern int	kept_list(const KeptLaunch *launch, void *stream);

/* Bytes that this needs for itself; 0 when CUDA does not say. */
extern uint64_t kept_scratch_bytes(uint32_t nrows, uint64_t nplaces);

#ifdef __cplusplus
}
#endif

#endif							/* GPUDB_CUDA_KEPT_LAUNCH_H */

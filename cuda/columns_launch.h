/*
 * columns_launch.h
 *		Copying columns of cached tablets from host memory.
 */
#ifndef GPUDB_CUDA_COLUMNS_LAUNCH_H
#define GPUDB_CUDA_COLUMNS_LAUNCH_H

#include <stdint.h>

typedef struct ColumnCopy
{
	const uint8_t *from;		/* host memory that was attached, aligned to 8 */
	uint8_t    *to;				/* device memory, aligned to 16 */
	uint64_t	bytes;			/* a multiple of 8 */
} ColumnCopy;

/* Make n copies, listed in device memory, on a CUDA stream; a cudaError_t. */
extern int	columns_copy(const ColumnCopy *copy, uint32_t n, void *stream);

#endif							/* GPUDB_CUDA_COLUMNS_LAUNCH_H */

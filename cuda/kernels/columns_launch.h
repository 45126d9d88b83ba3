/*
 * columns_launch.h
 *		Kernel launch that copies columns of cached tablets from host memory.
 */
#ifndef GPUDB_CUDA_KERNELS_COLUMNS_LAUNCH_H
#define GPUDB_CUDA_KERNELS_COLUMNS_LAUNCH_H

#include <stdint.h>

typedef struct ColumnCopy
{
	const uint8_t *from;		/* attached host memory, aligned to 8 */
	uint8_t    *to;				/* device memory, aligned to 16 */
	uint64_t	bytes;			/* a multiple of 8 */
} ColumnCopy;

/* Enqueue n copies, listed in device memory, on a CUDA stream; return a cudaError_t. */
extern int	columns_copy(const ColumnCopy *copy, uint32_t n, void *stream);

#endif							/* GPUDB_CUDA_KERNELS_COLUMNS_LAUNCH_H */

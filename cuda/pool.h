/*
 * pool.h
 *		Device memory that is taken once, at the start, and handed out in blocks.
 */
#ifndef GPUDB_CUDA_POOL_H
#define GPUDB_CUDA_POOL_H

#include "cuda_call.h"

/* Take so many bytes of device memory; once. */
extern cudaError_t pool_create(uint64_t bytes);

/* A block of so many bytes, aligned to 256; NULL when there is none. */
extern uint8_t *pool_take(uint64_t bytes);

/* Give back a block, which nothing on the device uses any more; NULL is none. */
extern void pool_give(uint8_t *block);

#endif							/* GPUDB_CUDA_POOL_H */

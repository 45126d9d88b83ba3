/*
 * pool.h
 *		Device memory that is allocated once, at the start, and handed out in
 *		blocks.
 */
#ifndef GPUDB_CUDA_HOST_POOL_H
#define GPUDB_CUDA_HOST_POOL_H

#include "host/cuda_call.h"

/* Allocate `bytes` bytes of device memory; once. */
extern cudaError_t pool_create(uint64_t bytes);

/* Take a block of `bytes` bytes, aligned to 256; return NULL if there is no room. */
extern uint8_t *pool_take(uint64_t bytes);

/* Give back a block that the device does not use any more; NULL is allowed. */
extern void pool_give(uint8_t *block);

#endif							/* GPUDB_CUDA_HOST_POOL_H */

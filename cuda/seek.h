/*
 * seek.h
 *		Values that the batches of a job gather, among which its percentile is sought.
 */
#ifndef GPUDB_CUDA_SEEK_H
#define GPUDB_CUDA_SEEK_H

#include <cuda_runtime.h>

#include "core/provider_api.h"
#include "vm_launch.h"

/* What the driver has of it: see core/provider_api.h. */
extern ProviderSeek *seek_open(const ProviderJob *job);
extern void seek_close(ProviderSeek *seek);

/* Ahead of a batch's launches: have its stream wait for what other batches gather, or seek.  All of these do nothing for NULL. */
extern cudaError_t seek_await(ProviderSeek *seek, cudaStream_t stream);

/* Tell a launch where to gather. */
extern void seek_place(const ProviderSeek *seek, VmLaunch *launch);

/*
 * Of a batch of so many rows, one in how many is to be a sample first, whose
 * values are gathered, and which then tells where to look; 0 = no sample.
 */
extern uint32_t seek_sample(const ProviderSeek *seek, uint64_t rows);
extern cudaError_t seek_learn(ProviderSeek *seek, cudaStream_t stream);

/* Behind the launches: seek among all that was gathered so far, and leave in the state's tally what has come of it. */
extern cudaError_t seek_run(ProviderSeek *seek, uint64_t *tally, cudaStream_t stream);

#endif							/* GPUDB_CUDA_SEEK_H */

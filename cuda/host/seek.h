/*
 * seek.h
 *		Quantile selection among values that the batches of a job gather.
 */
#ifndef GPUDB_CUDA_HOST_SEEK_H
#define GPUDB_CUDA_HOST_SEEK_H

#include <cuda_runtime.h>

#include "core/provider_api.h"
#include "kernels/vm_launch.h"

/* Functions of the Provider interface: see core/provider_api.h. */
extern ProviderSeek *seek_open(const ProviderJob *job);
extern void seek_close(ProviderSeek *seek);

/*
 * Let a batch's stream wait for the gathering and selection of other batches
 * before its launches.  Does nothing if `seek` is NULL.
 */
extern cudaError_t seek_await(ProviderSeek *seek, cudaStream_t stream);

/* Set the destination of gathered values in a launch. */
extern void seek_place(const ProviderSeek *seek, VmLaunch *launch);

/*
 * Return N if one in N rows of a batch of `rows` rows is to be sampled first;
 * 0 = no sample.  The values of the sample are gathered, and seek_learn()
 * chooses the range of the percentile from them.
 */
extern uint32_t seek_sample(const ProviderSeek *seek, uint64_t rows);
extern cudaError_t seek_learn(ProviderSeek *seek, cudaStream_t stream);

/*
 * Select the percentile among all values gathered so far, behind the launches
 * of a batch, and store the result in the state's tally.
 */
extern cudaError_t seek_run(ProviderSeek *seek, uint64_t *tally, cudaStream_t stream);

#endif							/* GPUDB_CUDA_HOST_SEEK_H */

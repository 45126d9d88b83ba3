/*
 * seek.cu
 *		Quantile selection among values that the batches of a job gather: the
 *		host's side.
 *
 * The first batch, if it has many rows, samples them to find the range of the
 * percentile.  Batches of such jobs run one after the other: each finds the
 * values that those before it have gathered.  No batch is known to be the last
 * one, so each of them selects the percentile.
 */
#include <stdlib.h>

#include "host/context.h"
#include "host/pool.h"
#include "host/resident.h"
#include "host/seek.h"

/* Least capacity for gathered values; with less memory there is no selection on the device. */
#define SEEK_LEAST ((uint64_t) 64 * 1024)

/* Number of rows that a sample may have in any case. */
#define SAMPLE_LEAST ((uint64_t) 1024)

struct ProviderSeek
{
	SeekLaunch	launch;			/* launch of the selection, without the tally */
	bool		begun;			/* a batch has begun the selection */
	bool		learnt;			/* the range is known, or values were gathered without a sample */
};

/* Event behind the last batch's use, in any job, of gathered values. */
static cudaEvent_t sought;

/*
 * Allocate memory for n values and the selection's state; cached columns,
 * which can be copied again, are only evicted for the half of SEEK_MOST that
 * hundreds of millions of rows need.
 */
static SeekRoom *
take_room(uint64_t n)
{
	const uint64_t bytes = sizeof(SeekRoom) + n * sizeof(int64_t);
	uint8_t    *block;

	while ((block = pool_take(bytes)) == NULL && n == SEEK_MOST / 2 && resident_evict())
		;
	return (SeekRoom *) block;
}

ProviderSeek *
seek_open(const ProviderJob *job)
{
	ProviderSeek *seek = (ProviderSeek *) calloc(1, sizeof(ProviderSeek));

	if (seek == NULL)
		return NULL;
	if (sought == NULL && CUDA_CALL(cudaEventCreateWithFlags(&sought, cudaEventDisableTiming)) != cudaSuccess)
		sought = NULL;
	seek->launch.seek = job->view.program->seek;
	for (uint64_t n = SEEK_MOST; n >= SEEK_LEAST && seek->launch.room == NULL && sought != NULL; n /= 2)
	{
		seek->launch.room = take_room(n);
		seek->launch.values = (const int64_t *) (seek->launch.room + 1);
		seek->launch.capacity = n;
	}
	if (seek->launch.room != NULL)
		return seek;
	free(seek);
	return NULL;
}

void
seek_close(ProviderSeek *seek)
{
	pool_give((uint8_t *) seek->launch.room);
	free(seek);
}

cudaError_t
seek_await(ProviderSeek *seek, cudaStream_t stream)
{
	cudaError_t error = cudaSuccess;

	if (seek == NULL)
		return cudaSuccess;
	error = CUDA_CALL(cudaStreamWaitEvent(stream, sought, 0));
	if (error == cudaSuccess && !seek->begun)
		error = CUDA_CALL((cudaError_t) seek_begin(&seek->launch, stream));
	seek->begun = true;
	return error;
}

void
seek_place(const ProviderSeek *seek, VmLaunch *launch)
{
	if (seek == NULL)
		return;
	launch->seek = seek->launch.room;
	launch->gathered = (int64_t *) seek->launch.values;
	launch->gather_capacity = seek->launch.capacity;
}

uint32_t
seek_sample(const ProviderSeek *seek, uint64_t rows)
{
	uint64_t	aim;
	uint32_t	one_in = 1;

	if (seek == NULL || seek->learnt || rows <= seek->launch.seek.most)
		return 0;
	/* half the sample is hardly less precise, and takes half as long */
	aim = (seek->launch.seek.most < seek->launch.capacity ? seek->launch.seek.most : seek->launch.capacity) / 2;
	while (rows / one_in > (aim > SAMPLE_LEAST ? aim : SAMPLE_LEAST))
		one_in *= 2;
	return one_in;
}

cudaError_t
seek_learn(ProviderSeek *seek, cudaStream_t stream)
{
	return CUDA_CALL((cudaError_t) seek_range(&seek->launch, cuda_context.multiprocessors, stream));
}

cudaError_t
seek_run(ProviderSeek *seek, uint64_t *tally, cudaStream_t stream)
{
	cudaError_t error;

	if (seek == NULL)
		return cudaSuccess;
	seek->learnt = true;
	seek->launch.tally = tally;
	error = CUDA_CALL((cudaError_t) seek_find(&seek->launch, cuda_context.multiprocessors, stream));
	return error == cudaSuccess ? CUDA_CALL(cudaEventRecord(sought, stream)) : error;
}

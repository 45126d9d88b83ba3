/*
 * runtime.cc
 *		CUDA's runtime, as far as the GPU process calls it, without a GPU: device memory is the host's.
 *
 * What is put on a stream is done at once, yet an event is ready only when it
 * has been asked for a few times, as if work took time.  Kernels are in
 * kernels.c.  With this all that gpudb_cuda does on the host runs in tests.
 */
#include <cstdlib>
#include <cstring>

#include "kernels/columns_launch.h"
#include "host/rates.h"

/* Questions until an event is ready. */
#define PATIENCE 3

#define FREE_BYTES ((size_t) 1024 * 1024 * 1024)

struct CUevent_st
{
	int			left;
};

static void *
take(size_t bytes)
{
	void	   *memory = aligned_alloc(256, (bytes + 255) / 256 * 256);

	/* nothing that is found there means anything */
	if (memory != NULL)
		memset(memory, 0xa5, bytes);
	return memory;
}

extern "C" {

cudaError_t
cudaMalloc(void **memory, size_t bytes)
{
	*memory = take(bytes);
	return *memory != NULL ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t
cudaHostAlloc(void **memory, size_t bytes, unsigned)
{
	*memory = take(bytes);
	return *memory != NULL ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t
cudaFree(void *memory)
{
	free(memory);
	return cudaSuccess;
}

cudaError_t
cudaMemset(void *memory, int byte, size_t bytes)
{
	memset(memory, byte, bytes);
	return cudaSuccess;
}

cudaError_t
cudaMemsetAsync(void *memory, int byte, size_t bytes, cudaStream_t)
{
	memset(memory, byte, bytes);
	return cudaSuccess;
}

cudaError_t
cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind, cudaStream_t)
{
	memcpy(to, from, bytes);
	return cudaSuccess;
}

cudaError_t
cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned)
{
	*stream = NULL;
	return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t) { return cudaSuccess; }
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned) { return cudaSuccess; }

cudaError_t
cudaEventCreate(cudaEvent_t *event)
{
	*event = (cudaEvent_t) calloc(1, sizeof(CUevent_st));
	return *event != NULL ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t
cudaEventCreateWithFlags(cudaEvent_t *event, unsigned)
{
	return cudaEventCreate(event);
}

cudaError_t
cudaEventDestroy(cudaEvent_t event)
{
	free(event);
	return cudaSuccess;
}

cudaError_t
cudaEventRecord(cudaEvent_t event, cudaStream_t)
{
	event->left = PATIENCE;
	return cudaSuccess;
}

cudaError_t
cudaEventQuery(cudaEvent_t event)
{
	return event->left-- > 0 ? cudaErrorNotReady : cudaSuccess;
}

cudaError_t
cudaEventElapsedTime(float *ms, cudaEvent_t, cudaEvent_t)
{
	*ms = 0.001f;
	return cudaSuccess;
}

cudaError_t cudaHostRegister(void *, size_t, unsigned) { return cudaSuccess; }
cudaError_t cudaSetDevice(int) { return cudaSuccess; }
cudaError_t cudaGetLastError(void) { return cudaSuccess; }

const char *
cudaGetErrorString(cudaError_t error)
{
	return error == cudaErrorMemoryAllocation ? "out of memory" : error == cudaSuccess ? "no error" : "some error";
}

cudaError_t
cudaGetDeviceCount(int *count)
{
	*count = 1;
	return cudaSuccess;
}

cudaError_t
cudaGetDeviceProperties(cudaDeviceProp *properties, int)
{
	memset(properties, 0, sizeof(*properties));
	strcpy(properties->name, "a stand-in");
	properties->totalGlobalMem = 2 * FREE_BYTES;
	properties->major = 9;
	return cudaSuccess;
}

cudaError_t
cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int)
{
	*value = attribute == cudaDevAttrMultiProcessorCount ? 4 : attribute == cudaDevAttrMaxSharedMemoryPerBlockOptin ? 65536 : 1;
	return cudaSuccess;
}

cudaError_t
cudaMemGetInfo(size_t *available, size_t *total)
{
	*available = FREE_BYTES;
	*total = 2 * FREE_BYTES;
	return cudaSuccess;
}

cudaError_t
cudaDriverGetVersion(int *version)
{
	*version = 13000;
	return cudaSuccess;
}

cudaError_t
cudaRuntimeGetVersion(int *version)
{
	return cudaDriverGetVersion(version);
}
}

int
columns_copy(const ColumnCopy *copy, uint32_t n, void *)
{
	for (uint32_t i = 0; i < n; i++)
		memcpy(copy[i].to, copy[i].from, copy[i].bytes);
	return cudaSuccess;
}

/* Nothing is known of a device that does not exist. */
bool
rates_measure(ProviderRates *rates)
{
	*rates = {5000, 300, 300, 5000, 2, 0.02, 0.0005};
	return true;
}

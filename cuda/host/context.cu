/*
 * context.cu
 *		The GPU that the process uses, and the description of all devices.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/context.h"

CudaContext cuda_context;
volatile ProviderFault *cuda_fault;
volatile uint32_t *cuda_sites;

/* Lowest compute capability that the kernels are built for. */
#define LEAST_CAPABILITY 75

static void
complain(ProviderState *state, const char *what, cudaError_t error)
{
	snprintf(state->why, sizeof(state->why), "%s: %s", what, cudaGetErrorString(error));
	/* clear the error */
	cudaGetLastError();
}

/* Print a UUID as nvidia-smi does. */
static void
print_uuid(char *text, size_t size, const cudaUUID_t *uuid)
{
	const unsigned char *b = (const unsigned char *) uuid->bytes;

	snprintf(text, size, "GPU-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x",
			 b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]);
}

static void
print_driver(char *text, size_t size)
{
	int			driver = 0;
	int			runtime = 0;

	if (CUDA_CALL(cudaDriverGetVersion(&driver)) != cudaSuccess)
		driver = 0;
	if (CUDA_CALL(cudaRuntimeGetVersion(&runtime)) != cudaSuccess)
		runtime = 0;
	snprintf(text, size, "CUDA %d.%d, built with %d.%d", driver / 1000, driver % 1000 / 10, runtime / 1000, runtime % 1000 / 10);
}

/* Describe a device; return false if it cannot be used. */
static bool
describe_device(int number, const char *uuid, ProviderDevice *device)
{
	cudaDeviceProp properties;
	int			same_address = 0;
	cudaError_t error = CUDA_CALL(cudaGetDeviceProperties(&properties, number));

	if (error == cudaSuccess)
		error = CUDA_CALL(cudaDeviceGetAttribute(&same_address, cudaDevAttrCanUseHostPointerForRegisteredMem, number));
	if (error != cudaSuccess)
	{
		snprintf(device->state, sizeof(device->state), "%s", cudaGetErrorString(error));
		cudaGetLastError();
		return false;
	}
	snprintf(device->name, sizeof(device->name), "%.63s", properties.name);
	print_uuid(device->uuid, sizeof(device->uuid), &properties.uuid);
	print_driver(device->driver, sizeof(device->driver));
	device->memory = properties.totalGlobalMem;
	device->capability = properties.major * 10 + properties.minor;
	if (device->capability < LEAST_CAPABILITY)
		snprintf(device->state, sizeof(device->state), "older than compute capability %d.%d",
				 LEAST_CAPABILITY / 10, LEAST_CAPABILITY % 10);
	else if (!same_address)
		snprintf(device->state, sizeof(device->state), "cannot read host memory at its own address");
	else if (uuid[0] != '\0' && strcmp(uuid, device->uuid) != 0)
		snprintf(device->state, sizeof(device->state), "not the one that gpudb.gpu names");
	else
		return true;
	return false;
}

/* Make a device current and read its limits. */
static cudaError_t
open_device(int number)
{
	int			value = 0;
	cudaError_t error = CUDA_CALL(cudaSetDevice(number));

	if (error == cudaSuccess)
		error = CUDA_CALL(cudaFree(NULL));	/* creates the context */
	if (error == cudaSuccess)
		error = CUDA_CALL(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, number));
	cuda_context.multiprocessors = (uint32_t) value;
	if (error == cudaSuccess)
		error = CUDA_CALL(cudaDeviceGetAttribute(&value, cudaDevAttrMaxSharedMemoryPerBlockOptin, number));
	cuda_context.shared_limit = (uint32_t) value;
	if (error == cudaSuccess)
		error = CUDA_CALL(cudaDeviceGetAttribute(&value, cudaDevAttrHostRegisterReadOnlySupported, number));
	cuda_context.registers_read_only = value != 0;
	cuda_context.device = number;
	return error;
}

bool
context_open(const char *uuid, ProviderState *state)
{
	int			count = 0;
	cudaError_t error;

	/* allow work of all streams in flight at the same time */
	setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", 1);
	setenv("CUDA_MODULE_LOADING", "EAGER", 1);
	error = CUDA_CALL(cudaGetDeviceCount(&count));
	if (error != cudaSuccess)
	{
		state->final = error == cudaErrorNoDevice || error == cudaErrorInsufficientDriver;
		complain(state, error == cudaErrorInsufficientDriver ? "driver" : "no device", error);
		return false;
	}
	snprintf(state->why, sizeof(state->why), "none of %d devices can be used; see gpudb.devices", count);
	state->final = true;
	for (int i = 0; i < count && i < PROVIDER_MAX_DEVICES; i++)
	{
		ProviderDevice *device = &state->device[state->ndevices++];

		if (!describe_device(i, uuid, device))
			continue;
		snprintf(device->state, sizeof(device->state), "not used");
		if (state->why[0] == '\0')
			continue;
		error = open_device(i);
		if (error == cudaSuccess)
		{
			snprintf(device->state, sizeof(device->state), "in use");
			device->in_use = true;
			state->final = false;
			state->why[0] = '\0';
		}
		else
		{
			snprintf(device->state, sizeof(device->state), "%s", cudaGetErrorString(error));
			state->final = false;
			cudaGetLastError();
		}
	}
	return state->why[0] == '\0';
}

bool
context_attach(const ProviderMemory *memory, const char **why)
{
	unsigned int flags = cudaHostRegisterMapped | cudaHostRegisterPortable;
	cudaError_t error = cudaErrorNotSupported;

	if (memory->read_only)
		flags |= cudaHostRegisterReadOnly;
	if (!memory->read_only || cuda_context.registers_read_only)
		error = CUDA_CALL(cudaHostRegister(memory->start, memory->size, flags));
	*why = error == cudaSuccess ? NULL : cudaGetErrorString(error);
	if (error != cudaSuccess)
		cudaGetLastError();
	return error == cudaSuccess;
}

/*
 * device.c
 *		The choice of a device.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "pgstat.h"
#include "storage/latch.h"

#include "device/channel.h"
#include "device/device.h"
#include "guc.h"

/* Longest wait of device_await_gpu(), and the interval between its checks. */
#define START_WAIT_MS	30000
#define START_LOOK_MS	20

const char *
device_gpu_missing(void)
{
	const Channel *channel = channel_get();

	if (channel == NULL)
		return "gpudb is not preloaded";
	switch ((HelperState) pg_atomic_read_u32((pg_atomic_uint32 *) &channel->state))
	{
		case HELPER_SERVING:
			return NULL;
		case HELPER_OFF:
			return gpudb_provider == PROVIDER_NONE ? "gpudb.provider is none" : "there is no GPU process; see gpudb.doctor()";
		case HELPER_STARTING:
			return "the GPU process is starting";
		case HELPER_NO_DEVICE:
			return "there is no GPU; see gpudb.doctor()";
		case HELPER_DOWN:
			return "the GPU process has ended and will be started again";
		case HELPER_BROKEN:
			return "the GPU process has ended too often; see gpudb.doctor()";
	}
	return NULL;
}

bool
device_may_use_gpu(void)
{
	return gpudb_device != DEVICE_CPU && device_gpu_missing() == NULL;
}

/* Return true if the GPU process is starting or will be started again. */
static bool
gpu_is_coming(void)
{
	const Channel *channel = channel_get();

	if (channel == NULL || gpudb_provider == PROVIDER_NONE)
		return false;
	switch ((HelperState) pg_atomic_read_u32((pg_atomic_uint32 *) &channel->state))
	{
		case HELPER_OFF:
		case HELPER_STARTING:
		case HELPER_DOWN:
			return true;
		default:
			return false;
	}
}

const char *
device_await_gpu(void)
{
	for (int waited = 0; waited < START_WAIT_MS && gpu_is_coming(); waited += START_LOOK_MS)
	{
		CHECK_FOR_INTERRUPTS();
		(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH, START_LOOK_MS, PG_WAIT_EXTENSION);
		ResetLatch(MyLatch);
	}
	return device_gpu_missing();
}

uint64_t
device_join_bytes(void)
{
	return channel_get()->provider_state.join_bytes;
}

const Device *
device_choose(const Program *program, bool prefer_gpu, const char **why)
{
	*why = NULL;
	if (gpudb_device == DEVICE_CPU || (gpudb_device == DEVICE_AUTO && !prefer_gpu))
		return &cpu_device;
	*why = device_gpu_missing();
	if (*why == NULL && !program_suits_gpu(program))
		*why = "a GPU cannot run this program";
	if (*why == NULL)
		return &remote_device;
	if (gpudb_device == DEVICE_AUTO)
		*why = NULL;
	return &cpu_device;
}

void
device_quiesce(void)
{
	device_cpu_quiesce();
	device_remote_quiesce();
}

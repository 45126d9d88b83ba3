/*
 * device.c
 *		Choosing a device.
 */
#include "postgres.h"

#include "device/channel.h"
#include "device/device.h"
#include "guc.h"

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
			return "gpudb.provider is none";
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

const Device *
device_choose(const Program *program, const char **why)
{
	*why = NULL;
	if (gpudb_device == DEVICE_CPU)
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

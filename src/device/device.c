/*
 * device.c
 *		Choosing a device.
 */
#include "postgres.h"

#include <unistd.h>

#include "device/device.h"
#include "guc.h"

const Device *
device_choose(const char **why)
{
	*why = gpudb_device == DEVICE_GPU ? "this release has no GPU device" : NULL;
	return &cpu_device;
}

int
device_cpu_helpers(void)
{
	int			threads = gpudb_cpu_threads;

	if (threads == 0)
		threads = (int) sysconf(_SC_NPROCESSORS_ONLN);
	return Min(Max(threads, 1) - 1, DEVICE_MAX_HELPERS);
}

/*
 * device.c
 *		Choosing a device.
 */
#include "postgres.h"

#include "device/device.h"
#include "guc.h"

const Device *
device_choose(const char **why)
{
	*why = gpudb_device == DEVICE_GPU ? "this release has no GPU device" : NULL;
	return &cpu_device;
}

/*
 * devices.c
 *		What users see of the GPU process: gpudb.devices and gpudb.doctor().
 */
#include "postgres.h"

#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"

#include "device/channel.h"
#include "device/device.h"
#include "guc.h"

#define DEVICE_COLUMNS 9

extern PGDLLEXPORT Datum gpudb_devices(PG_FUNCTION_ARGS);
extern PGDLLEXPORT Datum gpudb_doctor(PG_FUNCTION_ARGS);

PG_FUNCTION_INFO_V1(gpudb_devices);
PG_FUNCTION_INFO_V1(gpudb_doctor);

/*
 * gpudb.devices(): the GPUs that the GPU process has found, whether it uses
 * them or not.
 */
Datum
gpudb_devices(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	const Channel *channel = channel_get();
	const char *missing = device_gpu_missing();

	InitMaterializedSRF(fcinfo, 0);
	for (uint32 d = 0; channel != NULL && d < Min(channel->provider_state.ndevices, PROVIDER_MAX_DEVICES); d++)
	{
		const ProviderDevice *device = &channel->provider_state.device[d];
		bool		nulls[DEVICE_COLUMNS] = {false};
		Datum		values[DEVICE_COLUMNS] = {
			CStringGetTextDatum("gpu"), CStringGetTextDatum(device->name), CStringGetTextDatum(device->uuid),
			Int64GetDatum(device->memory), Int64GetDatum(device->memory_used),
			Int64GetDatum(device->in_use ? channel->provider_state.cached_bytes : 0),
			CStringGetTextDatum(psprintf("%d.%d", device->capability / 10, device->capability % 10)),
			CStringGetTextDatum(device->driver),
			CStringGetTextDatum(device->in_use && missing != NULL ? missing : device->state)
		};

		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
	}
	return (Datum) 0;
}

/* A sentence about what is wrong before any device is asked; NULL if nothing is. */
static const char *
missing_on_host(void)
{
	char		path[MAXPGPATH];
	struct stat st;
	void	   *driver;

	snprintf(path, sizeof(path), "%s/%s.so", pkglib_path, PROVIDER_LIBRARY);
	if (stat(path, &st) != 0)
		return psprintf("The library %s is missing: gpudb was built without a CUDA toolkit. "
						"Install one, build and install gpudb again (docs/gpu-install.md).", path);
	driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
	if (driver == NULL)
		return "NVIDIA's driver is missing: there is no libcuda.so.1. Install the driver; "
			"in a container, start it with --gpus (docs/gpu-install.md).";
	dlclose(driver);
	return NULL;
}

/* What the GPU process says of itself. */
static const char *
state_of_process(const Channel *channel)
{
	const char *why = channel->provider_state.why;

	switch ((HelperState) pg_atomic_read_u32((pg_atomic_uint32 *) &channel->state))
	{
		case HELPER_OFF:
			return gpudb_provider == PROVIDER_NONE
				? "gpudb.provider is none: set it to auto and restart the server."
				: "The GPU process has not been started yet; look again in a second.";
		case HELPER_STARTING:
			return "The GPU process is starting; look again in a second.";
		case HELPER_SERVING:
			return psprintf("All is well%s: the GPU process %d has run %lu batches.",
							gpudb_provider == PROVIDER_CPU ? ", but gpudb.provider is cpu, for tests" : "",
							channel->helper, (unsigned long) channel->batches);
		case HELPER_NO_DEVICE:
			return psprintf("CUDA finds no device that can be used: %s. "
							"After a change of hardware or driver, reload the server's configuration.", why);
		case HELPER_DOWN:
			return psprintf("The GPU process %s; another one starts soon.", channel->said);
		case HELPER_BROKEN:
			return psprintf("The GPU process ended again and again without having run a query; the last one %s. "
							"It is tried again in a few minutes, or at once when the server is restarted.", channel->said);
	}
	return "";
}

/* gpudb.doctor(): in words, whether queries can run on a GPU, and if not, why. */
Datum
gpudb_doctor(PG_FUNCTION_ARGS)
{
	const Channel *channel = channel_get();
	const char *says = NULL;

	if (channel == NULL)
		says = "gpudb is not preloaded: add it to shared_preload_libraries and restart the server.";
	else if (device_gpu_missing() != NULL && gpudb_provider == PROVIDER_AUTO)
		says = missing_on_host();
	if (says == NULL)
		says = state_of_process(channel);
	PG_RETURN_TEXT_P(cstring_to_text(says));
}

/*
 * devices.c
 *		The view gpudb.devices: the GPUs of this machine.
 */
#include "postgres.h"

#include "catalog/pg_authid.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"

#include "device/channel.h"
#include "device/device.h"

#define DEVICE_COLUMNS 9
#define DEVICE_MEMORY_USED 4
#define DEVICE_CACHED 5

extern PGDLLEXPORT Datum gpudb_devices(PG_FUNCTION_ARGS);

PG_FUNCTION_INFO_V1(gpudb_devices);

/*
 * gpudb.devices(): return the GPUs that the GPU process has found, used or not.
 */
Datum
gpudb_devices(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	const Channel *channel = channel_get();
	const char *missing = device_gpu_missing();
	bool		tells_memory;

	InitMaterializedSRF(fcinfo, 0);
	/* the memory that columns take discloses something of their values */
	tells_memory = has_privs_of_role(GetUserId(), ROLE_PG_READ_ALL_STATS);
	for (uint32 d = 0; channel != NULL && d < Min(channel->provider_state.ndevices, PROVIDER_MAX_DEVICES); d++)
	{
		const ProviderDevice *device = &channel->provider_state.device[d];
		bool		nulls[DEVICE_COLUMNS] = {[DEVICE_MEMORY_USED] = !tells_memory, [DEVICE_CACHED] = !tells_memory};
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

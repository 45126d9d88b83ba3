/*
 * status.h
 *		Statuses of a device, from status.def.
 */
#ifndef GPUDB_CORE_STATUS_H
#define GPUDB_CORE_STATUS_H

#include "core/target.h"

typedef enum DeviceStatus
{
#define STATUS(name, sqlstate, reason, text) STATUS_##name,
#include "core/status.def"
#undef STATUS
	STATUS_Count
} DeviceStatus;

/* Return the reason code or the text of a status, as a static string. */
CORE_API const char *status_reason(DeviceStatus status);
CORE_API const char *status_text(DeviceStatus status);

#endif							/* GPUDB_CORE_STATUS_H */

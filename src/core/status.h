/*
 * status.h
 *		The answers of a device, from status.def.
 */
#ifndef GPUDB_CORE_STATUS_H
#define GPUDB_CORE_STATUS_H

typedef enum DeviceStatus
{
#define STATUS(name, sqlstate, reason, text) STATUS_##name,
#include "core/status.def"
#undef STATUS
	STATUS_Count
} DeviceStatus;

/* The reason code and the words of a status; static strings. */
extern const char *status_reason(DeviceStatus status);
extern const char *status_text(DeviceStatus status);

#endif							/* GPUDB_CORE_STATUS_H */

/*
 * status.c
 *		Reason codes and texts of a device's statuses.
 */
#include "core/status.h"

const char *
status_reason(DeviceStatus status)
{
	switch (status)
	{
#define STATUS(name, sqlstate, reason, text) case STATUS_##name: return reason;
#include "core/status.def"
#undef STATUS
		case STATUS_Count:
			break;
	}
	return "runtime_error";
}

const char *
status_text(DeviceStatus status)
{
	switch (status)
	{
#define STATUS(name, sqlstate, reason, text) case STATUS_##name: return text;
#include "core/status.def"
#undef STATUS
		case STATUS_Count:
			break;
	}
	return "unknown status";
}

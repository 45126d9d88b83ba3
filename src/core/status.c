/*
 * status.c
 *		Words for the answers of a device.
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

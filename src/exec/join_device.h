/*
 * join_device.h
 *		Tables of joins that a GPU makes of rows that never leave it.
 */
#ifndef GPUDB_EXEC_JOIN_DEVICE_H
#define GPUDB_EXEC_JOIN_DEVICE_H

#include "exec/node.h"

/* What is wanted of a table. */
typedef struct DeviceTableWish
{
	const JoinUse *use;
	MemoryContext context;		/* how long it is to last */
} DeviceTableWish;

/*
 * Have the GPU run a plan that has not begun, a GpuScan or GpuJoin, and make a
 * table of its rows: the heads of both, their contents being nowhere but there.
 * False if it cannot; the plan may then be run from its beginning.
 */
extern bool join_device_build(PlanState *ps, const DeviceTableWish *wish, JoinRows *made, SharedTable *shared);

#endif							/* GPUDB_EXEC_JOIN_DEVICE_H */

/*
 * join_device.h
 *		Tables of joins that a GPU makes of rows that never leave it.
 */
#ifndef GPUDB_EXEC_JOIN_DEVICE_H
#define GPUDB_EXEC_JOIN_DEVICE_H

#include "exec/node.h"

/* A table that is wanted, and where what is known of it is to be put. */
typedef struct DeviceTable
{
	const JoinUse *use;
	MemoryContext context;		/* how long it is to last */
	JoinRows   *made;
	JoinBooks  *books;
	SharedTable *shared;
} DeviceTable;

/*
 * Have the GPU run a plan that has not begun, a GpuScan or GpuJoin, and make a
 * table of its rows: the heads of both, their contents being nowhere but there.
 * False if it cannot; the plan may then be run from its beginning.
 */
extern bool join_device_build(PlanState *ps, const DeviceTable *wish);

#endif							/* GPUDB_EXEC_JOIN_DEVICE_H */

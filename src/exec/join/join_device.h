/*
 * join_device.h
 *		Device-resident join tables: tables that a GPU makes of rows that never leave it.
 */
#ifndef GPUDB_EXEC_JOIN_JOIN_DEVICE_H
#define GPUDB_EXEC_JOIN_JOIN_DEVICE_H

#include "exec/run/node.h"

/* Request for a join table, and where its description is stored. */
typedef struct DeviceTable
{
	const JoinUse *use;
	MemoryContext context;		/* memory context that the table lasts as long as */
	JoinRows   *made;
	JoinDicts  *dicts;
	SharedTable *shared;
} DeviceTable;

/*
 * Run a GpuScan or GpuJoin that has not begun on the GPU and make a table of
 * its rows there.  The host gets the descriptors of the table and its rows;
 * their contents are on the device only.  Return false if that fails; the plan
 * may then be run from its beginning.
 */
extern bool join_device_build(PlanState *ps, const DeviceTable *wish);

#endif							/* GPUDB_EXEC_JOIN_JOIN_DEVICE_H */

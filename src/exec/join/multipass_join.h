/*
 * multipass_join.h
 *		Partitioned (multi-pass) hash joins: joins with a table that a GPU has no room for.
 */
#ifndef GPUDB_EXEC_JOIN_MULTIPASS_JOIN_H
#define GPUDB_EXEC_JOIN_MULTIPASS_JOIN_H

#include "postgres.h"

#include "exec/run/node.h"

/*
 * Before a job on a GPU: if there is no room for the node's tables, partition
 * one of them and install its first partition.  Return NULL, or the reason why
 * the job cannot run on the GPU.
 */
extern const char *multipass_join_begin(GpuNode *node);

/*
 * After a pass: install the next partition and restart the job.  Return false
 * when there is none, or on failure, which *status reports.
 */
extern bool multipass_join_next(GpuNode *node, DeviceStatus *status);

/* Restore the whole tables of all joins after the last pass. */
extern void multipass_join_end(GpuNode *node);

#endif							/* GPUDB_EXEC_JOIN_MULTIPASS_JOIN_H */

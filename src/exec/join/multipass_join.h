/*
 * multipass_join.h
 *		Partitioned (multi-pass) hash joins: joins with a table that a GPU has no room for.
 */
#ifndef GPUDB_EXEC_JOIN_MULTIPASS_JOIN_H
#define GPUDB_EXEC_JOIN_MULTIPASS_JOIN_H

#include "postgres.h"

#include "core/join/join_slice.h"
#include "device/device.h"

struct GpuNode;

typedef struct MultipassJoin
{
	int			join;			/* index of the join whose table is partitioned */
	JoinRows	whole;			/* whole table of join `join`; NULLs = no table is partitioned */
	JoinCursor	next;			/* position of the next partition's rows in `whole` */
	uint32		left;			/* rows of `whole` in partitions still to come */
	uint64		room;			/* maximum size of a partition, in bytes */
	uint32		rows;			/* rows of a partition that probably fit in `room` bytes */
	MemoryContext context;		/* holds the installed partition; NULL until there is one */
	bool		changing;		/* the installed partition is being freed */
	int			count;			/* passes of this run so far, if partitioned; 0 = one pass with whole tables */
	double		build_ms;		/* time spent cutting and indexing partitions */
} MultipassJoin;

/*
 * Before a job on a GPU: if there is no room for the node's tables, partition
 * one of them and install its first partition.  Return NULL, or the reason why
 * the job cannot run on the GPU.
 */
extern const char *multipass_join_begin(struct GpuNode *node);

/*
 * After a pass: install the next partition and restart the job.  Return false
 * when there is none, or on failure, which *status reports.
 */
extern bool multipass_join_next(struct GpuNode *node, DeviceStatus *status);

/* Restore the whole tables of all joins after the last pass. */
extern void multipass_join_end(struct GpuNode *node);

#endif							/* GPUDB_EXEC_JOIN_MULTIPASS_JOIN_H */

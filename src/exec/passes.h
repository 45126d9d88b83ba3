/*
 * passes.h
 *		Joins with a table that a GPU has no room for: several passes, each with some of its rows.
 */
#ifndef GPUDB_EXEC_PASSES_H
#define GPUDB_EXEC_PASSES_H

#include "postgres.h"

#include "core/join_slice.h"
#include "device/device.h"

struct GpuNode;

typedef struct Passes
{
	int			join;			/* whose table is cut into parts, */
	JoinRows	whole;			/* all of that; NULLs = tables are as they are */
	JoinCursor	next;			/* rows of the next part, */
	uint32		left;			/* and of all to come */
	uint64		room;			/* bytes of a part, */
	uint32		rows;			/* of which there is probably room for so many */
	MemoryContext context;		/* of the part that is the node's table; NULL until there is one */
	bool		changing;		/* it gives way to another one */
	int			count;			/* passes of this run, if there are several; 0 = one with all tables */
	double		build_ms;		/* cutting and indexing parts */
} Passes;

/*
 * Before a job on a GPU: if there is no room for the node's tables, have the
 * first part of one in its place.  NULL, or why it cannot run there.
 */
extern const char *passes_begin(struct GpuNode *node);

/* After a pass: have the job go on with the next part; false when there is none, or it cannot, as *status says. */
extern bool passes_next(struct GpuNode *node, DeviceStatus *status);

/* Have all tables be as they were. */
extern void passes_end(struct GpuNode *node);

#endif							/* GPUDB_EXEC_PASSES_H */

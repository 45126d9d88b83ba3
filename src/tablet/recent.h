/*
 * recent.h
 *		Where blocks were in shared_buffers when any session last saw them.
 */
#ifndef GPUDB_TABLET_RECENT_H
#define GPUDB_TABLET_RECENT_H

#include "postgres.h"

#include "access/xlogdefs.h"
#include "storage/block.h"
#include "storage/buf.h"
#include "utils/rel.h"

/* Make room for all buffers, in the postmaster. */
extern void recent_create(void);

/* Remember where a block is. */
extern void recent_note(Relation relation, BlockNumber block, Buffer buffer);

/* Have the processor fetch what pinning a block and listing its tuples will touch. */
extern void recent_prefetch(Relation relation, BlockNumber block);

/* Pin a block where it is believed to be; InvalidBuffer if it is not there. */
extern Buffer recent_pin(Relation relation, BlockNumber block);

/*
 * The part of a relation's blocks that are in shared_buffers, by a sample of
 * them, for the planner: it takes some microseconds.
 */
extern double recent_resident_part(Relation relation, BlockNumber nblocks);

/* What a page's header tells of it. */
typedef struct PageGlance
{
	XLogRecPtr	lsn;
	bool		all_visible;
	bool		empty;			/* it has no line pointers */
} PageGlance;

/*
 * Look at a block's header where it is believed to be, without pinning or
 * locking it; false if it is not there, is being moved, or somebody holds the
 * lock of its content.  Who changes a page holds that lock from before he logs
 * the change until the page has its LSN.  So a glance that succeeds shows the
 * LSN of every change that was logged before it.
 */
extern bool recent_glance(Relation relation, BlockNumber block, PageGlance *glance);

/* Have the processor fetch what a glance at a block will touch. */
extern void recent_prefetch_glance(Relation relation, BlockNumber block);

#endif							/* GPUDB_TABLET_RECENT_H */

/*
 * recent.h
 *		Last known buffers of blocks: where in shared_buffers any session last saw them.
 */
#ifndef GPUDB_TABLET_CACHE_RECENT_H
#define GPUDB_TABLET_CACHE_RECENT_H

#include "postgres.h"

#include "access/xlogdefs.h"
#include "storage/block.h"
#include "storage/buf.h"
#include "utils/rel.h"

/* Allocate the table of last known buffers, in the postmaster. */
extern void recent_create(void);

/* Record that a buffer holds a block. */
extern void recent_note(Relation relation, BlockNumber block, Buffer buffer);

/*
 * Prefetch the memory that pinning a block and listing its tuples will touch;
 * `next` is the block before it that is pinned next.
 */
extern void recent_prefetch(Relation relation, BlockNumber next, BlockNumber block);

/*
 * Pin a block in its last known buffer, or, if none is known and `search`, in
 * one of those behind the buffer of the block before.  Return InvalidBuffer if
 * it is in none of them.
 */
extern Buffer recent_pin(Relation relation, BlockNumber block, bool search);

/*
 * Estimate the part of a relation's blocks that are in shared_buffers, by a
 * sample of them, for the planner: it takes some microseconds.
 */
extern double recent_resident_part(Relation relation, BlockNumber nblocks);

/* Properties of a page, read from its header. */
typedef struct PageGlance
{
	XLogRecPtr	lsn;
	bool		all_visible;
	bool		empty;			/* page has no line pointers */
} PageGlance;

/*
 * Read a block's header in its last known buffer, without pinning or locking
 * it; return false if the block is not there, is being moved, or some process
 * holds the lock of its content.  Whoever changes a page holds that lock from
 * before he logs the change until the page has its LSN.  So a glance that
 * succeeds shows the LSN of every change that was logged before it.
 */
extern bool recent_glance(Relation relation, BlockNumber block, PageGlance *glance);

/* Prefetch the memory that recent_glance() of a block will touch. */
extern void recent_prefetch_glance(Relation relation, BlockNumber block);

#endif							/* GPUDB_TABLET_CACHE_RECENT_H */

/*
 * recent.h
 *		Where blocks were in shared_buffers when any session last saw them.
 */
#ifndef GPUDB_TABLET_RECENT_H
#define GPUDB_TABLET_RECENT_H

#include "postgres.h"

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

#endif							/* GPUDB_TABLET_RECENT_H */

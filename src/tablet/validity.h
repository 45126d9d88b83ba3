/*
 * validity.h
 *		Whether rows that were read earlier are the rows that a snapshot sees now.
 *
 * The rows of a block that was all-visible when it was read are its rows for
 * every snapshot, as long as its bit in the visibility map has not been
 * cleared since.  Setting a bit gives the map's page a new LSN; a bit that is
 * set and was never set since was never cleared since.  So `bit still set and
 * LSN unchanged` proves a block's rows good, with one look for 32,672 blocks.
 * Where the LSN has moved, a block whose bit is set is good if its own page
 * has the LSN that it had.  docs/tablets.md gives the rules under which that
 * is sound.
 */
#ifndef GPUDB_TABLET_VALIDITY_H
#define GPUDB_TABLET_VALIDITY_H

#include "postgres.h"

#include "access/xlogdefs.h"
#include "storage/block.h"
#include "storage/bufpage.h"
#include "utils/rel.h"
#include "utils/snapshot.h"

/* The bytes of a page of the visibility map, with two bits a heap block. */
#define MAP_BYTES	(BLCKSZ - MAXALIGN(SizeOfPageHeaderData))

/* The heap blocks that one page of the map tells of: a shelf, which has so many tablets. */
#define SHELF_BLOCKS	(MAP_BYTES * 4)
#define SHELF_TABLETS	32
#define TABLET_BLOCKS	(SHELF_BLOCKS / SHELF_TABLETS)

/* Some of a tablet's blocks, numbered from its first one on. */
typedef struct BlockSet
{
	uint64		word[(TABLET_BLOCKS + 63) / 64];
} BlockSet;

/* What a tablet remembers of its blocks, as they were read. */
typedef struct BlockNotes
{
	BlockNumber first;
	uint32		nblocks;
	uint16		ntuples[TABLET_BLOCKS];	/* rows in the tablet */
	XLogRecPtr	lsn[TABLET_BLOCKS];
} BlockNotes;

/* And what was found out about them since. */
typedef struct TabletStamp
{
	XLogRecPtr	map_lsn;		/* of the map's page, before blocks were last known not to have changed */
	BlockSet	lost;			/* blocks that have changed, or were not all-visible */
} TabletStamp;

/* A page of the visibility map as it was at one moment. */
typedef struct MapPage
{
	XLogRecPtr	lsn;			/* InvalidXLogRecPtr: the map has no such page */
	uint8		bits[MAP_BYTES];
} MapPage;

/*
 * Whether the map can prove anything of this relation to this snapshot.  If
 * not, nothing that was read earlier may be used, and nothing kept.
 */
extern bool validity_provable(Relation relation, Snapshot snapshot);

/* Copy the map's page for a shelf: bits and LSN together. */
extern void map_page_read(Relation relation, uint32 shelf, MapPage *page);

/* The all-visible blocks of a tablet, of so many blocks, and their number. */
extern uint32 map_page_visible(const MapPage *page, uint32 tablet, uint32 nblocks, BlockSet *visible);

/*
 * Those of a tablet's blocks, of which the map's page shows these as
 * all-visible, whose rows are still the ones that were read; and their number.
 */
extern uint32 validity_unchanged(Relation relation, const MapPage *page, const BlockNotes *notes, const TabletStamp *stamp,
								 const BlockSet *visible, BlockSet *unchanged);

static inline bool
block_set_has(const BlockSet *set, uint32 block)
{
	return set->word[block / 64] >> (block % 64) & 1;
}

static inline void
block_set_add(BlockSet *set, uint32 block)
{
	set->word[block / 64] |= UINT64CONST(1) << (block % 64);
}

/* Add the blocks of another set. */
static inline void
block_set_join(BlockSet *set, const BlockSet *other)
{
	for (size_t w = 0; w < lengthof(set->word); w++)
		set->word[w] |= other->word[w];
}

/* Remove the blocks of another set. */
static inline void
block_set_remove(BlockSet *set, const BlockSet *other)
{
	for (size_t w = 0; w < lengthof(set->word); w++)
		set->word[w] &= ~other->word[w];
}

/* The next block of a set from this one on; TABLET_BLOCKS when there are no more. */
extern uint32 block_set_next(const BlockSet *set, uint32 block);

#endif							/* GPUDB_TABLET_VALIDITY_H */

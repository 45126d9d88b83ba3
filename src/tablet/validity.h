/*
 * validity.h
 *		Whether rows that were read earlier are the rows that a snapshot sees now.
 *
 * The rows of a block that was all-visible when it was read are its rows for
 * every snapshot, as long as its bit in the visibility map has not been
 * cleared since.  Setting a bit gives the map's page a new LSN; a bit that is
 * set and was never set since was never cleared since.  So `bit still set and
 * LSN unchanged` proves a block's rows good, with one look for 32,672 blocks.
 * Otherwise a block is good if its own page has the LSN that it had, and
 * either its bit is set or all transactions that its tuples tell of ended
 * before the snapshot was taken.
 *
 * And what was good for one snapshot is good for every other one that shows
 * the same moment: with no transaction in progress below its end, that end
 * tells which transactions it sees.  Pages may be rewritten without a
 * transaction, too, but not without WAL, so a moment also is where the WAL
 * ended.  docs/tablets.md gives the rules under which all that is sound.
 */
#ifndef GPUDB_TABLET_VALIDITY_H
#define GPUDB_TABLET_VALIDITY_H

#include "postgres.h"

#include "access/transam.h"
#include "access/xlogdefs.h"
#include "port/pg_bitutils.h"
#include "storage/block.h"
#include "storage/buf.h"
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

/* A tablet notes the tuples and the LSN of each of its pages.  A scan does not look at these notes where the map proves all blocks good. */
typedef struct PageNotes
{
	uint16		ntuples[TABLET_BLOCKS];	/* rows in the tablet */
	XLogRecPtr	lsn[TABLET_BLOCKS];
} PageNotes;

/* What a tablet remembers of its blocks, as they were read. */
typedef struct BlockNotes
{
	BlockNumber first;
	uint32		nblocks;
	BlockSet	settled;		/* blocks that were not all-visible, but all of whose transactions had ended */
	FullTransactionId newest;	/* of these */
	PageNotes  *pages;
} BlockNotes;

/*
 * A moment: all transactions before `end` are seen, and none else; and nothing
 * was logged behind `wal`, which was looked up after the snapshot was taken
 * and before pages were.
 */
typedef struct Moment
{
	FullTransactionId end;		/* invalid: the snapshot shows no moment */
	XLogRecPtr	wal;
} Moment;

/* And what was found out about them since. */
typedef struct TabletStamp
{
	XLogRecPtr	map_lsn;		/* of the map's page, before blocks were last known not to have changed */
	BlockSet	proven;			/* blocks whose bits were set then, and that had not changed */
	BlockSet	lost;			/* blocks that have changed, or could not be kept */
	Moment		moment;			/* at which others were good besides */
	BlockSet	good;			/* all that were good then */
} TabletStamp;

/* A page of the visibility map as it was at one moment. */
typedef struct MapPage
{
	XLogRecPtr	lsn;			/* InvalidXLogRecPtr: the map has no such page */
	uint32		nvisible;		/* so many blocks from the first one on are all-visible */
	uint8		bits[MAP_BYTES];
} MapPage;

/*
 * Whether the map can prove anything of this relation to this transaction.  If
 * not, nothing that was read earlier may be used, and nothing kept.
 */
extern bool validity_provable(Relation relation);

/* Copy the map's page for a shelf: bits and LSN together. */
extern void map_page_read(Relation relation, uint32 shelf, MapPage *page);

/* Whether so many blocks, from the page's first one on, are all-visible. */
extern bool map_page_is_visible(const MapPage *page, uint32 nblocks);

/* The all-visible blocks of a tablet, of so many blocks. */
extern void map_page_visible(const MapPage *page, uint32 tablet, uint32 nblocks, BlockSet *visible);

/*
 * Whether all transactions that a page's tuples tell of have ended before this
 * snapshot was taken; the page's content is locked.  *newest becomes the
 * newest of them, if it is newer.
 */
extern bool validity_settled(Page page, Snapshot snapshot, FullTransactionId *newest);

/* What had ended before this had when the snapshot was taken. */
extern FullTransactionId validity_horizon(Snapshot snapshot);

/* The end of the moment that a snapshot shows; invalid if it shows none. */
extern FullTransactionId validity_moment(Snapshot snapshot);

/* The end of the WAL now: its insert position, in recovery its replay position. */
extern XLogRecPtr validity_wal(void);

/* Whether two moments show the same rows in the same pages. */
extern bool validity_same_moment(const Moment *a, const Moment *b);

/* For whom, and by what, something is to be proved. */
typedef struct Proof
{
	Relation	relation;
	FullTransactionId horizon;	/* of the snapshot */
	Moment		moment;			/* that it shows */
	const MapPage *page;
	uint32		nblocks;		/* that the tablet has now */
	BufferAccessStrategy strategy;	/* to read pages by; may be NULL */
} Proof;

/* Looks at a tablet's pages, for what the map and the moment do not prove. */
typedef struct PageLooks
{
	BlockSet	due;			/* blocks whose pages have to be looked at */
	BlockSet	done;			/* of these, those whose pages were looked at: */
	BlockSet	fallen;			/* they have changed since they were read, */
	BlockSet	flagged;		/* or say that they are all-visible; neither set means anything before a look */
} PageLooks;

/* Find out which pages of a tablet, of which the map's page shows these blocks as all-visible, have to be looked at. */
extern void validity_begin(const Proof *proof, const BlockSet *visible, const BlockNotes *notes, const TabletStamp *stamp, PageLooks *looks);

/* Look at those that a glance can tell of.  This calls nothing of PostgreSQL, so any thread may do it. */
extern void validity_glance(const Proof *proof, const BlockNotes *notes, PageLooks *looks);

/*
 * Look at the others, and choose the tablet's blocks whose rows are for this
 * snapshot the ones that were read; returns their number.  The stamp, which is
 * still the one that validity_begin() was given, is brought up to date.
 */
extern uint32 validity_choose(const Proof *proof, const BlockSet *visible, const BlockNotes *notes, PageLooks *looks, TabletStamp *stamp,
							  BlockSet *usable);

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

static inline void
block_set_remove(BlockSet *set, uint32 block)
{
	set->word[block / 64] &= ~(UINT64CONST(1) << (block % 64));
}

static inline uint32
block_set_count(const BlockSet *set)
{
	return (uint32) pg_popcount((const char *) set, sizeof(*set));
}

/* Whether a set has the first n blocks. */
static inline bool
block_set_covers(const BlockSet *set, uint32 n)
{
	uint32		w = 0;

	for (; n >= 64; n -= 64)
		if (~set->word[w++] != 0)
			return false;
	return n == 0 || (~set->word[w] & ((UINT64CONST(1) << n) - 1)) == 0;
}

/* Add the blocks of another set. */
static inline void
block_set_join(BlockSet *set, const BlockSet *other)
{
	for (size_t w = 0; w < lengthof(set->word); w++)
		set->word[w] |= other->word[w];
}

#endif							/* GPUDB_TABLET_VALIDITY_H */

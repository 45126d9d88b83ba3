/*
 * validity.h
 *		Proof that rows that were read earlier are the rows that a snapshot sees now.
 *
 * The rows of a block that was all-visible when it was read are its rows for
 * every snapshot, as long as its bit in the visibility map has not been cleared
 * since.  Setting a bit gives the map's page a new LSN; a bit that is set and
 * was never set since was never cleared since.  So `bit still set and LSN
 * unchanged` proves a block's rows valid, with one check for 32,672 blocks.
 * Otherwise a block is valid if its own page has the LSN that it had, and
 * either its bit is set or the block is quiescent: all transactions that its
 * tuples tell of ended before the snapshot was taken.
 *
 * What was valid for one snapshot is valid for every other snapshot with the
 * same snapshot horizon: with no transaction in progress below a snapshot's
 * end, that end tells which transactions the snapshot sees.  Pages may be
 * rewritten without a transaction, too, but not without WAL, so a snapshot
 * horizon also includes where the WAL ended.  docs/tablets.md gives the rules
 * under which all that is sound.
 */
#ifndef GPUDB_TABLET_CACHE_VALIDITY_H
#define GPUDB_TABLET_CACHE_VALIDITY_H

#include "postgres.h"

#include "access/transam.h"
#include "access/xlogdefs.h"
#include "port/pg_bitutils.h"
#include "storage/block.h"
#include "storage/buf.h"
#include "storage/bufpage.h"
#include "utils/rel.h"
#include "utils/snapshot.h"

/* Bytes of a page of the visibility map, which has two bits a heap block. */
#define MAP_BYTES	(BLCKSZ - MAXALIGN(SizeOfPageHeaderData))

/* Heap blocks that one page of the visibility map covers: a shelf, which has SHELF_TABLETS tablets. */
#define SHELF_BLOCKS	(MAP_BYTES * 4)
#define SHELF_TABLETS	32
#define TABLET_BLOCKS	(SHELF_BLOCKS / SHELF_TABLETS)

/* Set of a tablet's blocks, numbered from the tablet's first block on. */
typedef struct BlockSet
{
	uint64		word[(TABLET_BLOCKS + 63) / 64];
} BlockSet;

/*
 * Number of tuples and LSN of each of a tablet's pages.  A scan does not read
 * them where the visibility map proves all blocks valid.
 */
typedef struct PageNotes
{
	uint16		ntuples[TABLET_BLOCKS];	/* rows of each block in the tablet */
	XLogRecPtr	lsn[TABLET_BLOCKS];
} PageNotes;

/* Notes on a tablet's blocks, as they were when they were read. */
typedef struct BlockNotes
{
	BlockNumber first;
	uint32		nblocks;
	BlockSet	quiescent;		/* quiescent blocks: not all-visible, but all of whose transactions had ended */
	FullTransactionId newest;	/* newest transaction of quiescent blocks */
	PageNotes  *pages;
} BlockNotes;

/*
 * Snapshot horizon: the snapshot sees all transactions before `end`, and none
 * else; and nothing was logged after `wal`, which was looked up after the
 * snapshot was taken and before pages were inspected.
 */
typedef struct SnapshotHorizon
{
	FullTransactionId end;		/* invalid: the snapshot has no snapshot horizon */
	XLogRecPtr	wal;
} SnapshotHorizon;

/* Findings about a tablet's blocks since they were read. */
typedef struct TabletStamp
{
	XLogRecPtr	map_lsn;		/* visibility map page's LSN, before blocks were last known not to have changed */
	BlockSet	proven;			/* blocks whose bits were set at `map_lsn`, and that had not changed */
	BlockSet	lost;			/* blocks that have changed, or could not be cached */
	SnapshotHorizon horizon;	/* snapshot horizon at which blocks in `good` were valid */
	BlockSet	good;			/* all blocks that were valid at `horizon` */
} TabletStamp;

/* Page of the visibility map as it was at one instant. */
typedef struct MapPage
{
	XLogRecPtr	lsn;			/* InvalidXLogRecPtr: the map has no such page */
	uint32		nvisible;		/* number of blocks, from the first one on, known to be all-visible */
	uint8		bits[MAP_BYTES];
} MapPage;

/*
 * Return true if the visibility map can prove anything of this relation to this
 * transaction.  If not, nothing that was read earlier may be used, and nothing
 * cached.
 */
extern bool validity_provable(Relation relation);

/* Copy the visibility map's page for a shelf, bits and LSN together. */
extern void map_page_read(Relation relation, uint32 shelf, MapPage *page);

/* Return true if the first nblocks blocks of the page are all-visible. */
extern bool map_page_is_visible(const MapPage *page, uint32 nblocks);

/* Set *visible to the all-visible blocks of a tablet, which has nblocks blocks. */
extern void map_page_visible(const MapPage *page, uint32 tablet, uint32 nblocks, BlockSet *visible);

/*
 * Return true if a page is quiescent: all transactions that its tuples tell of
 * ended before this snapshot was taken; the page's content is locked.  *newest
 * becomes the newest of them, if it is newer.
 */
extern bool validity_quiescent(Page page, Snapshot snapshot, FullTransactionId *newest);

/* Return the snapshot's xmin: all transactions before it had ended when the snapshot was taken. */
extern FullTransactionId validity_xmin_horizon(Snapshot snapshot);

/* Return the end of a snapshot's snapshot horizon; invalid if it has none. */
extern FullTransactionId validity_snapshot_horizon(Snapshot snapshot);

/* Return the end of the WAL now: its insert position, in recovery its replay position. */
extern XLogRecPtr validity_wal(void);

/* Return true if two snapshot horizons show the same rows in the same pages. */
extern bool validity_same_horizon(const SnapshotHorizon *a, const SnapshotHorizon *b);

/* Snapshot and relation for which a tablet's rows are to be proven valid, and the means of the proof. */
typedef struct Proof
{
	Relation	relation;
	FullTransactionId xmin_horizon; /* xmin of the snapshot: validity_xmin_horizon() */
	SnapshotHorizon horizon;	/* snapshot horizon */
	const MapPage *page;
	uint32		nblocks;		/* blocks that the tablet has now */
	BufferAccessStrategy strategy;	/* to read pages with; may be NULL */
} Proof;

/*
 * Inspection of a tablet's pages, for what the visibility map and the snapshot
 * horizon do not prove.  `fallen` and `flagged` are undefined before
 * validity_glance().
 */
typedef struct PageLooks
{
	BlockSet	due;			/* blocks whose pages have to be inspected */
	BlockSet	done;			/* blocks in `due` whose pages were inspected */
	BlockSet	fallen;			/* blocks in `done` that have changed since they were read */
	BlockSet	flagged;		/* blocks in `done` whose pages say that they are all-visible */
} PageLooks;

/*
 * Find out which pages of a tablet, whose blocks in `visible` the visibility
 * map's page shows as all-visible, have to be inspected.
 */
extern void validity_begin(const Proof *proof, const BlockSet *visible, const BlockNotes *notes, const TabletStamp *stamp, PageLooks *looks);

/*
 * Inspect the due pages that recent_glance() can tell of.  The function calls
 * nothing of PostgreSQL, so any thread may do it.
 */
extern void validity_glance(const Proof *proof, const BlockNotes *notes, PageLooks *looks);

/*
 * Inspect the other due pages, and choose the tablet's blocks whose rows are
 * for this snapshot the ones that were read; return their number.  The stamp,
 * which is still the one that validity_begin() was given, is brought up to
 * date.
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

/* Return true if a set has the first n blocks. */
static inline bool
block_set_covers(const BlockSet *set, uint32 n)
{
	uint32		w = 0;

	for (; n >= 64; n -= 64)
		if (~set->word[w++] != 0)
			return false;
	return n == 0 || (~set->word[w] & ((UINT64CONST(1) << n) - 1)) == 0;
}

/* Add the blocks of another set to a set. */
static inline void
block_set_join(BlockSet *set, const BlockSet *other)
{
	for (size_t w = 0; w < lengthof(set->word); w++)
		set->word[w] |= other->word[w];
}

#endif							/* GPUDB_TABLET_CACHE_VALIDITY_H */

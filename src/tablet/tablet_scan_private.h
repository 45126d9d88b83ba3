/*
 * tablet_scan_private.h
 *		What tablet_scan.c and tablet_keep.c share: what is known of a relation's tablets during one run.
 */
#ifndef GPUDB_TABLET_TABLET_SCAN_PRIVATE_H
#define GPUDB_TABLET_TABLET_SCAN_PRIVATE_H

#include "postgres.h"

#include "nodes/pg_list.h"

#include "tablet/shelf.h"
#include "tablet/shelf_memo.h"
#include "tablet/tablet_build.h"
#include "tablet/tablet_scan.h"
#include "tablet/validity.h"

/* What part of a tablet's blocks may be read beside it, or be missing in it. */
#define WORN(nblocks)	((nblocks) / 8)

/* Blocks that a found tablet lacks before it is worth to be made whole: what they take is read again by each query. */
#define LACKING_MOST	16

/* A shelf of the relation. */
typedef struct ScanShelf
{
	Shelf	   *shelf;			/* pinned; NULL if the directory has no room */
	ShelfMemo  *memo;			/* what was remembered of it; NULL if nothing */
	XLogRecPtr	map_lsn;		/* when the scan began */
	XLogRecPtr	wal;			/* where the WAL ended before the map was looked at */
	MapPage    *map;			/* of a scan that has joined: the map's page then; NULL = not looked at yet */
} ScanShelf;

/* What was seen of a tablet that was looked at. */
typedef struct TabletSeen
{
	TabletStamp stamp;
	BlockSet	usable;			/* its blocks for this snapshot */
} TabletSeen;

/* A tablet of the relation: what was decided about it when the scan began.  There are many: what is large stands elsewhere. */
typedef struct ScanTablet
{
	Tablet	   *cached;			/* its columns in the pool; NULL if it has to be read whole */
	const BlockSet *skip;		/* the blocks whose rows those are, if others are to be read */
	uint32		nlacking;		/* others */
	const BlockNotes *notes;	/* of the tablet that was found, used or not; NULL = none that had the columns, or of a memo */
	TabletSeen *seen;			/* of it; NULL likewise */
} ScanTablet;

/* A scan has a purpose, which decides whether the columns that it finds count as used. */
typedef enum ScanPurpose
{
	SCAN_FOR_QUERY,				/* a query wants the columns, and uses what is found */
	SCAN_FOR_BUILDING,			/* the columns are wanted, and what is found is not used yet */
	SCAN_FOR_LOOKING			/* neither */
} ScanPurpose;

struct TabletScan
{
	MemoryContext context;
	Relation	relation;
	FullTransactionId horizon;	/* of the snapshot */
	FullTransactionId moment;	/* the end of the one that it shows */
	BlockNumber nblocks;
	BufferAccessStrategy strategy;	/* of a large relation, for pages that are only looked at */
	uint64		since;			/* when it began, by the pool's clock */
	const ColumnWanted *wanted;
	ColumnKeys	columns;
	uint32		ntablets;
	uint32		nshelves;
	ScanShelf  *shelves;
	ScanTablet *tablets;
	CachedRows *found;			/* of those that are cached, one after the other */
	uint32		nfound;
	uint32		ndecided;		/* shelves */
	bool		remembers;		/* shelves, for this session's next scans */
	ScanPurpose purpose;
	bool		keeps_nothing;	/* of what it reads */
	Share	   *share;			/* where tablets to be read whole are drawn from, NULL = they are this scan's alone; */
	const TabletList *list;		/* and these */
	bool		joined;			/* the share is another process's, which has decided */
	uint32		next_range;		/* the tablet that may have to be read next, */
	uint32		end_range;		/* before this one */
	BlockNumber range_end;		/* of the current range */
	TabletBuild *build;			/* of the current range; NULL if it is not kept */
	List	   *waiting;		/* TabletBuild: of ranges that have ended, with windows under way */
	List	   *spare;			/* TabletBuild: whose memory can be used again */
	TabletReport report;
};

/* tablet_share.c: draw the next tablet; false if there is no share, or no tablet is left. */
extern bool tablet_scan_draw(const TabletScan *scan, uint32 *tablet);

/* tablet_scan.c: for a scan that has joined, before it reads a tablet: look at the map, and at what stands there of it. */
extern void tablet_scan_look(TabletScan *scan, uint32 tablet);

/* A scan without a look at whether anything can be proven; NULL if some columns cannot be kept. */
extern TabletScan *tablet_scan_new(Relation relation, Snapshot snapshot, BlockNumber nblocks, const ColumnWanted *wanted, int nwanted);

/* The keys of columns; false if some of them cannot be kept. */
extern bool tablet_column_keys(Relation relation, const ColumnWanted *wanted, ColumnKeys *keys);

static inline ScanShelf *
shelf_of(const TabletScan *scan, uint32 tablet)
{
	return &scan->shelves[tablet / SHELF_TABLETS];
}

/* The blocks that a shelf has of a relation of so many. */
static inline uint32
blocks_of_shelf(BlockNumber nblocks, uint32 number)
{
	return Min(nblocks - number * SHELF_BLOCKS, SHELF_BLOCKS);
}

static inline uint32
blocks_of_tablet(const TabletScan *scan, uint32 tablet)
{
	return Min(scan->nblocks - tablet * TABLET_BLOCKS, TABLET_BLOCKS);
}

/* The moment that the scan's snapshot shows of a tablet; it has none until its shelf was looked at. */
static inline Moment
moment_at(const TabletScan *scan, uint32 tablet)
{
	return (Moment) {scan->moment, shelf_of(scan, tablet)->wal};
}

#endif							/* GPUDB_TABLET_TABLET_SCAN_PRIVATE_H */

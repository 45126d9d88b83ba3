/*
 * tablet_scan_private.h
 *		State of a relation's tablets during one run, shared by tablet_scan.c, tablet_keep.c and other files of tablet/.
 */
#ifndef GPUDB_TABLET_SCAN_TABLET_SCAN_PRIVATE_H
#define GPUDB_TABLET_SCAN_TABLET_SCAN_PRIVATE_H

#include "postgres.h"

#include "nodes/pg_list.h"

#include "tablet/cache/shelf.h"
#include "tablet/cache/shelf_memo.h"
#include "tablet/cache/validity.h"
#include "tablet/read/tablet_build.h"
#include "tablet/scan/tablet_scan.h"

/* Largest number of a tablet's blocks that may be missing in it, or be read beside it. */
#define WORN(nblocks)	((nblocks) / 8)

/* Number of blocks that a found tablet must lack to be worth completing: each query reads lacking blocks again. */
#define LACKING_MOST	16

/* Shelf of the relation, and what the scan knows of it. */
typedef struct ScanShelf
{
	Shelf	   *shelf;			/* pinned; NULL if the directory has no room */
	ShelfMemo  *memo;			/* memo of the shelf that is used; NULL if none */
	XLogRecPtr	map_lsn;		/* LSN of the visibility map's page, read before the tablets */
	XLogRecPtr	wal;			/* end of the WAL before the visibility map was read */
	MapPage    *map;			/* visibility map's page, in a scan that has joined; NULL = not read yet */
} ScanShelf;

/* Result of inspecting a tablet. */
typedef struct TabletSeen
{
	TabletStamp stamp;
	BlockSet	usable;			/* blocks whose rows are valid for this snapshot */
} TabletSeen;

/* Tablet of the relation, and what was decided about it.  There are many, so what is large is stored elsewhere. */
typedef struct ScanTablet
{
	Tablet	   *cached;			/* columns in the pool; NULL if the tablet has to be read whole */
	const BlockSet *skip;		/* blocks whose cached rows are used, if other blocks are to be read */
	uint32		nlacking;		/* number of blocks to be read besides */
	const BlockNotes *notes;	/* notes of the found tablet; NULL = none had the columns, or it is from a memo */
	TabletSeen *seen;			/* inspection of the found tablet; NULL if `notes` is */
} ScanTablet;

/* Purpose of a scan, which decides whether the columns that it finds count as used. */
typedef enum ScanPurpose
{
	SCAN_FOR_QUERY,				/* a query wants the columns, and uses what is found */
	SCAN_FOR_BUILDING,			/* the columns are wanted, and what is found is not used yet */
	SCAN_FOR_LOOKING			/* the columns are neither wanted nor used */
} ScanPurpose;

struct TabletScan
{
	MemoryContext context;
	Relation	relation;
	FullTransactionId xmin_horizon; /* xmin of the snapshot: validity_xmin_horizon() */
	FullTransactionId horizon;	/* end of the snapshot horizon: validity_snapshot_horizon() */
	BlockNumber nblocks;
	BufferAccessStrategy strategy;	/* for inspecting pages of a large relation; NULL for others */
	uint64		since;			/* time when the scan began, by the pool's clock */
	const ColumnWanted *wanted;
	ColumnKeys	columns;
	uint64		columns_hash;	/* shelf_memo_hash() of these columns */
	uint32		ntablets;
	uint32		nshelves;
	ScanShelf  *shelves;
	ScanTablet *tablets;
	CachedRows *found;			/* rows of the cached tablets that can be used, in order */
	uint32		nfound;
	uint32		ndecided;		/* number of the next shelf to decide about */
	bool		remembers;		/* whole shelves are remembered for the session's next scans */
	ScanPurpose purpose;
	bool		keeps_nothing;	/* nothing that the scan reads is cached */
	Share	   *share;			/* source of tablets to be read whole; NULL = they are this scan's alone */
	const TabletList *list;		/* tablets that are drawn from `share` */
	bool		joined;			/* `share` was made by another process, which has decided */
	uint32		next_range;		/* next tablet that may have to be read */
	uint32		end_range;		/* end of the tablets that may have to be read */
	BlockNumber range_end;		/* end of the current range, a block number */
	TabletBuild *build;			/* build of the current range's tablet; NULL if it is not cached */
	List	   *waiting;		/* TabletBuilds of ranges that have ended, with page batches in progress */
	List	   *spare;			/* TabletBuilds whose memory can be used again */
	TabletReport report;
};

/* Draw the next tablet (tablet_share.c); return false if there is no share, or no tablet is left. */
extern bool tablet_scan_draw(const TabletScan *scan, uint32 *tablet);

/* Inspect the visibility map and the cached tablet (tablet_scan.c), before a scan that has joined reads a tablet. */
extern void tablet_scan_look(TabletScan *scan, uint32 tablet);

/* Create a scan without checking whether anything can be proven; return NULL if some columns cannot be cached. */
extern TabletScan *tablet_scan_new(Relation relation, Snapshot snapshot, BlockNumber nblocks, const ColumnWanted *wanted, int nwanted);

/* Compute the keys of keys->n columns; return false if some of them cannot be cached. */
extern bool tablet_column_keys(Relation relation, const ColumnWanted *wanted, ColumnKeys *keys);

static inline ScanShelf *
shelf_of(const TabletScan *scan, uint32 tablet)
{
	return &scan->shelves[tablet / SHELF_TABLETS];
}

/* Return how many blocks of a relation of nblocks blocks a shelf has. */
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

/* Return the scan's snapshot horizon for a tablet, which proves nothing until the tablet's shelf was inspected. */
static inline SnapshotHorizon
horizon_at(const TabletScan *scan, uint32 tablet)
{
	return (SnapshotHorizon) {scan->horizon, shelf_of(scan, tablet)->wal};
}

#endif							/* GPUDB_TABLET_SCAN_TABLET_SCAN_PRIVATE_H */

/*
 * tablet_walk.h
 *		A relation's blocks in heap order, for scans that return rows: slices of cached tablets, and what else must be read.
 *
 * A slice is the cached rows of as many blocks as fill a window at most, so
 * what is done with one is done with the other; and if a slice turns out to be
 * of no use, a window can be read in its place.
 */
#ifndef GPUDB_TABLET_TABLET_WALK_H
#define GPUDB_TABLET_TABLET_WALK_H

#include "postgres.h"

#include "access/htup_details.h"

#include "core/device_api.h"
#include "tablet/pages.h"
#include "tablet/tablet_scan.h"

/* Rows of a window's blocks, and of those before that share their first one's word in a bitmap. */
#define SLICE_ROWS (TABLET_WINDOW_PAGES * MaxHeapTuplesPerPage + 63)

/* Cached rows of consecutive blocks; it lasts as long as the scan has its tablets pinned. */
typedef struct TabletSlice
{
	CachedRows	rows;			/* of the two below */
	Tablet	   *tablet;			/* columns that begin with the slice's rows, or a few before them */
	uint64		selected[(SLICE_ROWS + 63) / 64];
	BlockNumber first;
	BlockNumber end;			/* the block behind the last one */
	const uint16 *ntuples;		/* rows of each of these blocks */
	uint32		lead;			/* rows of the columns that come before theirs */
} TabletSlice;

typedef struct TabletWalk
{
	TabletScan *scan;
	uint32		next;			/* the tablet to come */
	const CachedRows *cached;	/* of a shelf: the tablets of which rows are wanted, in order, */
	uint32		ncached;		/* of those that were found */
	uint32		next_cached;

	/* the tablet at hand, if it comes in pieces */
	const CachedRows *rows;		/* NULL = none of its cached rows are wanted */
	uint32		nblocks;
	uint32		block;			/* the next one, */
	uint32		row;			/* and the first of its rows */
} TabletWalk;

typedef enum WalkStep
{
	WALK_SHELF,					/* to be decided about */
	WALK_SLICE,
	WALK_PAGES,					/* the source has blocks to read */
	WALK_END
} WalkStep;

/* Begin at this tablet with a scan that has not decided. */
extern void tablet_walk_begin(TabletWalk *walk, TabletScan *scan, uint32 first);

/* The next shelf was decided about: of the tablets found, rows of `cached`, which stay, are wanted. */
extern void tablet_walk_offer(TabletWalk *walk, const CachedRows *cached, uint32 ncached);

/* Go on, once all that the source had to read is read. */
extern WalkStep tablet_walk_next(TabletWalk *walk, PageSource *source, TabletSlice *slice);

/*
 * Have the source read what is left of the tablet at hand, since its columns
 * are of no more use; the tablet after that, where another walk may begin.
 */
extern uint32 tablet_walk_leave(const TabletWalk *walk, PageSource *source);

#endif							/* GPUDB_TABLET_TABLET_WALK_H */

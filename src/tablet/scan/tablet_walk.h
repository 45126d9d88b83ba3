/*
 * tablet_walk.h
 *		Walk over a relation's blocks in heap order, for scans that return rows: slices of cached tablets, and blocks to
 *		read.
 *
 * A slice is the cached rows of as many blocks as fill a page batch at most, so
 * slices and batches are processed alike; and if a slice turns out to be of no
 * use, a batch can be read in its place.
 */
#ifndef GPUDB_TABLET_SCAN_TABLET_WALK_H
#define GPUDB_TABLET_SCAN_TABLET_WALK_H

#include "postgres.h"

#include "access/htup_details.h"

#include "core/device_api.h"
#include "tablet/read/pages.h"
#include "tablet/scan/tablet_scan.h"

/*
 * Largest number of rows of a slice's columns: rows of a page batch's blocks,
 * and rows before them that share the first one's word in a bitmap.
 */
#define SLICE_ROWS (PAGE_BATCH_PAGES * MaxHeapTuplesPerPage + 63)

/* Cached rows of consecutive blocks, valid as long as the scan has its tablets pinned. */
typedef struct TabletSlice
{
	CachedRows	rows;			/* rows of `tablet` that are in `selected` */
	Tablet	   *tablet;			/* columns that begin with the slice's rows, or a few before them */
	uint64		selected[(SLICE_ROWS + 63) / 64];
	BlockNumber first;
	BlockNumber end;			/* block after the last one */
	const uint16 *ntuples;		/* number of rows of each block */
	uint32		lead;			/* rows of `tablet` before the slice's first row */
} TabletSlice;

typedef struct TabletWalk
{
	TabletScan *scan;
	uint32		next;			/* next tablet */
	const CachedRows *cached;	/* tablets of the shelf of which rows are wanted, in order */
	uint32		ncached;		/* number of elements of `cached` */
	uint32		next_cached;

	/* current tablet, if it is returned in slices */
	const CachedRows *rows;		/* NULL = none of the tablet's cached rows are wanted */
	uint32		nblocks;
	uint32		block;			/* next block of the tablet */
	uint32		row;			/* first row of the next block */
} TabletWalk;

typedef enum WalkStep
{
	WALK_SHELF,					/* the next shelf has to be decided about */
	WALK_SLICE,
	WALK_PAGES,					/* the source has blocks to read */
	WALK_END
} WalkStep;

/* Begin a walk at tablet `first`, with a scan that has not decided about any shelf. */
extern void tablet_walk_begin(TabletWalk *walk, TabletScan *scan, uint32 first);

/*
 * Continue a walk when the next shelf was decided about: of the tablets found,
 * rows of `cached`, which stays, are wanted.
 */
extern void tablet_walk_offer(TabletWalk *walk, const CachedRows *cached, uint32 ncached);

/* Return the next step of a walk, once all that the source had to read is read. */
extern WalkStep tablet_walk_next(TabletWalk *walk, PageSource *source, TabletSlice *slice);

/*
 * Make the source read the rest of the current tablet, since its columns are of
 * no more use; return the number of the next tablet, where another walk may
 * begin.
 */
extern uint32 tablet_walk_leave(const TabletWalk *walk, PageSource *source);

#endif							/* GPUDB_TABLET_SCAN_TABLET_WALK_H */

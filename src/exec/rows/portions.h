/*
 * portions.h
 *		The input of a scan that returns rows, one portion at a time: page batches, and slices of cached tablets.
 */
#ifndef GPUDB_EXEC_ROWS_PORTIONS_H
#define GPUDB_EXEC_ROWS_PORTIONS_H

#include "postgres.h"

#include "exec/run/feed.h"
#include "tablet/scan/tablet_walk.h"

typedef struct Portions
{
	Feed	   *feed;
	TabletWalk	walk;			/* position in the tablets, while the feed has any */
	BlockNumber rest;			/* first of the blocks that are not assigned to the walk or the source */
} Portions;

typedef enum Portion
{
	PORTION_PAGES,				/* the page batch has been filled */
	PORTION_SLICE,				/* the slice has been set */
	PORTION_END
} Portion;

/* Begin with a feed whose job is open, or which has none; `cached` allows using cached tablets and caching new ones. */
extern void portions_begin(Portions *portions, Feed *feed, bool cached);

extern Portion portions_next(Portions *portions, PageBatch *page_batch, TabletSlice *slice);

/*
 * portions_places() returns where a work item is to put the columns of a page
 * batch for the cache, NULL if it is not cached.  portions_collect() hands the
 * resulting tablet, NULL if there is none, to the cache.
 */
extern ColumnPlace *portions_places(const Portions *portions, const PageBatch *page_batch);
extern void portions_collect(Portions *portions, PageBatch *page_batch, Tablet *columns);

/* Read the pages of a slice's blocks into a page batch, in place of its cached rows. */
extern void portions_reread(Portions *portions, const TabletSlice *slice, PageBatch *page_batch);

/*
 * Read the pages of a slice that contain some of its rows, given by ascending row
 * numbers, and set places[] to the places of the rows in the page batch.  Return
 * false if a page does not show the snapshot the number of rows that is cached,
 * which should not happen.
 */
extern bool portions_fetch(Portions *portions, const TabletSlice *slice, const uint32 *rows, uint32 nrows, PageBatch *page_batch, uint32 *places);

/* Discard all progress before any row has been returned, since the program will change and read other columns. */
extern void portions_rewind(Portions *portions);

/* Stop using cached tablets after rows have been returned, since the program will change and read other columns. */
extern void portions_leave(Portions *portions);

/* Use cached tablets again from the next unassigned block on, after the program has changed. */
extern void portions_resume(Portions *portions, bool cached);

/* After the last portion has been collected: cache the tablets built, and release those that were used. */
extern void portions_end(Portions *portions);

#endif							/* GPUDB_EXEC_ROWS_PORTIONS_H */

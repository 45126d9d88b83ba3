/*
 * portions.h
 *		What a scan that returns rows runs over, a portion at a time: windows of pages, and slices of cached tablets.
 */
#ifndef GPUDB_EXEC_PORTIONS_H
#define GPUDB_EXEC_PORTIONS_H

#include "postgres.h"

#include "exec/feed.h"
#include "tablet/tablet_walk.h"

typedef struct Portions
{
	Feed	   *feed;
	TabletWalk	walk;			/* while the feed has tablets */
	BlockNumber rest;			/* blocks that nobody has been told to read begin here */
} Portions;

typedef enum Portion
{
	PORTION_PAGES,				/* the window has been filled */
	PORTION_SLICE,				/* the slice has */
	PORTION_END
} Portion;

/* Begin with a feed whose job is open, or which has none; `cached`: tablets may be used, and left behind. */
extern void portions_begin(Portions *portions, Feed *feed, bool cached);

extern Portion portions_next(Portions *portions, PageWindow *window, TabletSlice *slice);

/* What of a window is wanted besides the query: its tablet, by an item, NULL = not; and that, or NULL if there is none. */
extern ColumnPlace *portions_places(const Portions *portions, const PageWindow *window);
extern void portions_collect(Portions *portions, PageWindow *window, Tablet *columns);

/* Read pages in the place of a slice. */
extern void portions_reread(Portions *portions, const TabletSlice *slice, PageWindow *window);

/*
 * Read the pages of a slice that have some of its rows, whose numbers ascend,
 * and find the places of these in the window; false if a page does not show the
 * snapshot as many rows as are cached, which should not be.
 */
extern bool portions_fetch(Portions *portions, const TabletSlice *slice, const uint32 *rows, uint32 nrows, PageWindow *window, uint32 *places);

/* The program will be another one, which wants other columns, before any row has gone out: all is to be begun again. */
extern void portions_rewind(Portions *portions);

/* The same when rows have gone out: slices are of no more use. */
extern void portions_leave(Portions *portions);

/* It is. */
extern void portions_resume(Portions *portions, bool cached);

/* After the last portion has been collected: leave tablets behind, and let go of those that were used. */
extern void portions_end(Portions *portions);

#endif							/* GPUDB_EXEC_PORTIONS_H */

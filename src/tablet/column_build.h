/*
 * column_build.h
 *		A column of a tablet, put together from the columns of windows: integers in the narrowest frame that holds all,
 *		texts as references to bytes that stand one after the other.
 */
#ifndef GPUDB_TABLET_COLUMN_BUILD_H
#define GPUDB_TABLET_COLUMN_BUILD_H

#include "postgres.h"

#include "utils/dsa.h"

#include "core/column_pack.h"
#include "tablet/shelf_room.h"

/* How often a column may move while it is built: some windows of a tablet do not fit. */
#define MOVES_MOST 32

typedef struct ColumnBuild
{
	MemoryContext context;		/* of what it holds outside the pool */
	ShelfRoom	room_for;		/* who makes room in the pool */
	uint32		nrows;			/* up to the last one that was added */
	bool		begun;			/* some of them are not NULL */
	Frame		frame;			/* of the values; a guess before it has begun */
	FrameRange	range;			/* of integers, but for NULLs */
	uint32		null_count;
	int32		max_scale;
	uint8		raw_bytes;		/* of a value as it came from pages */
	Size		room;			/* bytes for values */
	dsa_pointer values;			/* in the pool */
	int			nmoves;
	dsa_pointer outgrown[MOVES_MOST];	/* where they were before, to which windows under way may still be writing */
	dsa_pointer texts;			/* of texts: their bytes, in the pool, */
	Size		text_bytes;		/* so many, */
	Size		text_room;		/* and how many there is room for */
	uint32		text_rows;		/* rows whose texts these are */
	Size		null_room;
	uint8	   *nulls;			/* a bitmap; without a meaning as long as there was no NULL */
	TabletColumn stored;		/* at the end, but for the offsets */
} ColumnBuild;

/* Rows that stand side by side in one of two columns, and will in the merged one. */
typedef struct RowRun
{
	bool		older;			/* of the older one */
	uint32		from;
	uint32		to;
	uint32		n;
} RowRun;

/* Begin with another tablet's, which may be like the one before. */
extern void column_build_begin(ColumnBuild *build);

/* Where a window's values are to go whose rows begin at first_row of rows_expected. */
extern ColumnPlace column_build_place(ColumnBuild *build, uint32 first_row, uint32 rows_expected);

/*
 * Add a window's column, whose values are in the place that it was given, or
 * with the window, where what stands in NULL rows is changed.  False without
 * memory.
 */
extern bool column_build_add(ColumnBuild *build, uint32 first_row, uint32 rows_expected, Tablet *window, uint32 column, const ColumnPlace *place);

/* Make it one of nrows by runs of its own rows and of an older tablet's; false without memory. */
extern bool column_build_merge(ColumnBuild *build, const Tablet *older, uint32 column, const RowRun *runs, int nruns, uint32 nrows);

/* Its nrows are complete: have them as narrow as they can be, and tell what they are.  False without memory. */
extern bool column_build_end(ColumnBuild *build, uint32 nrows);

/* Free what it holds in the pool, when no window is under way; never fails. */
extern void column_build_drop(ColumnBuild *build);

#endif							/* GPUDB_TABLET_COLUMN_BUILD_H */

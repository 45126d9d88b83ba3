/*
 * column_build.h
 *		Column of a tablet, assembled from the columns of page batches: integers in the narrowest frame-of-reference
 *		encoding that holds all of them, texts as references to bytes that are stored one after the other.
 */
#ifndef GPUDB_TABLET_CACHE_COLUMN_BUILD_H
#define GPUDB_TABLET_CACHE_COLUMN_BUILD_H

#include "postgres.h"

#include "utils/dsa.h"

#include "core/tablet/column_pack.h"
#include "tablet/cache/shelf_room.h"

/* Largest number of times that a column may move while it is built: some page batches of a tablet do not fit. */
#define MOVES_MOST 32

typedef struct ColumnBuild
{
	MemoryContext context;		/* memory context of what the build holds outside the pool */
	ShelfRoom	room_for;		/* worth of the column, for which the pool makes room */
	uint32		nrows;			/* rows up to the last one that was added */
	bool		begun;			/* some row added is not NULL, or the values are not integers */
	ForEncoding	encoding;		/* frame-of-reference encoding of the values; a guess before `begun` */
	ForRange	range;			/* range of the integers, without NULLs */
	uint32		null_count;
	int32		max_scale;
	uint8		raw_bytes;		/* bytes of a value as it came from pages */
	Size		room;			/* bytes allocated for the values */
	dsa_pointer values;			/* values, in the pool */
	int			nmoves;
	dsa_pointer outgrown[MOVES_MOST];	/* earlier `values`, to which batches in progress may still write */
	dsa_pointer texts;			/* bytes of the texts, in the pool */
	Size		text_bytes;		/* bytes of texts in use */
	Size		text_room;		/* bytes allocated for texts */
	uint32		text_rows;		/* number of rows whose texts are in `texts` */
	Size		null_room;
	uint8	   *nulls;			/* bitmap of NULLs; undefined as long as there was no NULL */
	TabletColumn stored;		/* the finished column, without the offsets */
} ColumnBuild;

/* Run of rows that are adjacent in one of two columns, and will be adjacent in the merged column. */
typedef struct RowRun
{
	bool		older;			/* the rows are of the older column */
	uint32		from;
	uint32		to;
	uint32		n;
} RowRun;

/* Begin the column of another tablet, which may resemble that of the previous tablet. */
extern void column_build_begin(ColumnBuild *build);

/* Return where to store the values of a page batch whose rows begin at first_row of rows_expected. */
extern ColumnPlace column_build_place(ColumnBuild *build, uint32 first_row, uint32 rows_expected);

/*
 * Add the column of a page batch, whose values are in the place that
 * column_build_place() returned, or in the batch's tablet, where the values of
 * NULL rows are overwritten.  Return false without memory.
 */
extern bool column_build_add(ColumnBuild *build, uint32 first_row, uint32 rows_expected, Tablet *page_batch, uint32 column, const ColumnPlace *place);

/*
 * Merge the column with that of an older tablet into one of nrows, by runs of
 * rows of either; return false without memory.
 */
extern bool column_build_merge(ColumnBuild *build, const Tablet *older, uint32 column, const RowRun *runs, int nruns, uint32 nrows);

/* Finish the column of nrows: make it as narrow as possible and fill in `stored`.  Return false without memory. */
extern bool column_build_end(ColumnBuild *build, uint32 nrows);

/* Free what the build holds in the pool, when no page batch is in progress; never fails. */
extern void column_build_drop(ColumnBuild *build);

#endif							/* GPUDB_TABLET_CACHE_COLUMN_BUILD_H */

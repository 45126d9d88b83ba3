/*
 * tablet_build.h
 *		Assembly of a tablet's columns from page batches, whose columns come in any order.
 */
#ifndef GPUDB_TABLET_READ_TABLET_BUILD_H
#define GPUDB_TABLET_READ_TABLET_BUILD_H

#include "postgres.h"

#include "core/tablet/tablet_format.h"

#include "tablet/cache/column_build.h"
#include "tablet/read/pages.h"

typedef struct TabletBuild
{
	uint32		tablet;			/* number of the tablet */
	uint32		nrows;			/* rows of the batches added so far */
	uint32		expected;		/* estimated rows of the tablet */
	uint32		like_rows;		/* rows read for the latest tablet, by which the next one is estimated */
	uint32		like_blocks;	/* blocks read for the latest tablet */
	uint32		open_page_batches;	/* batches whose columns have not come yet */
	bool		failed;
	BlockWatch	watch;
	int			ncolumns;
	ColumnBuild column[];
} TabletBuild;

/*
 * Create a build in the current memory context, with values in the pool.  The
 * first tablet may resemble that of `like`, unless it is NULL.
 */
extern TabletBuild *tablet_build_create(int ncolumns, const TabletBuild *like);

/*
 * Begin another tablet, of nblocks blocks, of which nread are read; it may
 * resemble the one before.  The caller sets each column's room_for.
 */
extern void tablet_build_begin(TabletBuild *build, uint32 tablet, uint32 nblocks, uint32 nread);

/*
 * Number the rows of another page batch, which about `following` rows may
 * follow; return the number of its first row, and fill in the places of its
 * columns.
 */
extern uint32 tablet_build_add(TabletBuild *build, uint32 nrows, uint32 following, ColumnPlace *places);

/* Add the columns of a page batch, stored in their places or not; the values of their NULL rows are overwritten. */
extern void tablet_build_copy(TabletBuild *build, uint32 first_row, Tablet *columns, const ColumnPlace *places);

/*
 * Complete a tablet of which only some blocks were read with the rows of
 * `others` in an older tablet; return false without memory.
 */
extern bool tablet_build_merge(TabletBuild *build, const Tablet *older, const BlockNotes *older_notes, const BlockSet *others);

/* Finish a tablet whose rows are all added: make its columns as they are to be stored; return false without memory. */
extern bool tablet_build_end(TabletBuild *build);

/* Free what the build holds in the pool, when no page batch is in progress; never fails. */
extern void tablet_build_drop(TabletBuild *build);

#endif							/* GPUDB_TABLET_READ_TABLET_BUILD_H */

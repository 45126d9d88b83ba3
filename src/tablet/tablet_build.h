/*
 * tablet_build.h
 *		A tablet's columns put together from windows, whose columns come in any order.
 */
#ifndef GPUDB_TABLET_TABLET_BUILD_H
#define GPUDB_TABLET_TABLET_BUILD_H

#include "postgres.h"

#include "core/tablet_format.h"

#include "tablet/column_build.h"
#include "tablet/pages.h"

typedef struct TabletBuild
{
	uint32		tablet;			/* the caller's number */
	uint32		nrows;			/* of windows added so far */
	uint32		expected;		/* rows that there may be */
	uint32		like_rows;		/* of the tablet before, */
	uint32		like_blocks;	/* read for it */
	uint32		open_windows;	/* whose columns have not come yet */
	bool		failed;
	BlockWatch	watch;
	int			ncolumns;
	ColumnBuild column[];
} TabletBuild;

/*
 * In the current memory context; values in the pool.  Its first tablet may be
 * like that of another build, if there is one.
 */
extern TabletBuild *tablet_build_create(int ncolumns, const TabletBuild *like);

/* Begin another tablet, of so many blocks, of which some are read: it may be like the one before.  Each column's room_for is the caller's. */
extern void tablet_build_begin(TabletBuild *build, uint32 tablet, uint32 nblocks, uint32 nread);

/* Number the rows of another window, which some may follow: the first one's number, and where its columns go. */
extern uint32 tablet_build_add(TabletBuild *build, uint32 nrows, uint32 following, ColumnPlace *places);

/* Its columns, there or not; what stands in their NULL rows is changed. */
extern void tablet_build_copy(TabletBuild *build, uint32 first_row, Tablet *columns, const ColumnPlace *places);

/* Make a tablet of which only some blocks were read whole, by the rows of the others in an older one; false without memory. */
extern bool tablet_build_merge(TabletBuild *build, const Tablet *older, const BlockNotes *older_notes, const BlockSet *others);

/* All its rows are there: have its columns as they are to be stored; false without memory. */
extern bool tablet_build_end(TabletBuild *build);

/* Free what it holds in the pool, when no window is under way; never fails. */
extern void tablet_build_drop(TabletBuild *build);

#endif							/* GPUDB_TABLET_TABLET_BUILD_H */

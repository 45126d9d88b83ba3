/*
 * tablet_read.h
 *		A relation's columns, read in this process without a device, beside what is cached of them.
 */
#ifndef GPUDB_TABLET_TABLET_READ_H
#define GPUDB_TABLET_TABLET_READ_H

#include "postgres.h"

#include "utils/palloc.h"

#include "tablet/build.h"
#include "tablet/pages.h"
#include "tablet/tablet_scan.h"

/*
 * Copy wanted columns into the current memory context and pin the
 * dictionaries of those that have codes; *all becomes false if one of these
 * has no dictionary.
 */
extern const ColumnWanted *columns_with_codes(Relation relation, const ColumnWanted *wanted, int nwanted, bool *all);

typedef struct TabletReading
{
	MemoryContext context;		/* of all this */
	MemoryContext columns;		/* of one window's columns */
	MemoryContextCallback closing;
	const ColumnWanted *wanted;	/* with dictionaries */
	const DeformSpec *spec;
	PageSource	source;			/* of all blocks */
	PageWindow *window;
	TabletScan *scan;			/* decided; NULL if nothing of the relation, or of these columns, can be kept */
} TabletReading;

/*
 * Begin, in a memory context of its own below the current one: whatever
 * deletes that, an error or the end of the session too, ends it.  The snapshot
 * must stay registered.
 */
extern TabletReading *tablet_read_open(Relation relation, Snapshot snapshot, const ColumnWanted *wanted, int nwanted);

/* The columns of the pages in the window, until the next call; *status tells what stopped it, if anything did. */
extern Tablet *tablet_read_columns(TabletReading *reading, DeviceStatus *status);

extern void tablet_read_close(TabletReading *reading);

#endif							/* GPUDB_TABLET_TABLET_READ_H */

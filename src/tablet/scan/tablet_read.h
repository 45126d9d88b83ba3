/*
 * tablet_read.h
 *		Reading of a relation's columns in this process, without a device, beside what is cached of them.
 */
#ifndef GPUDB_TABLET_SCAN_TABLET_READ_H
#define GPUDB_TABLET_SCAN_TABLET_READ_H

#include "postgres.h"

#include "utils/palloc.h"

#include "tablet/read/build.h"
#include "tablet/read/pages.h"
#include "tablet/scan/tablet_scan.h"

/*
 * Copy wanted columns into the current memory context, and pin the dictionaries
 * of those that hold dictionary codes; *all becomes false if one of them has no
 * dictionary.
 */
extern const ColumnWanted *columns_with_dicts(Relation relation, const ColumnWanted *wanted, int nwanted, bool *all);

typedef struct TabletReading
{
	MemoryContext context;		/* memory context of all the rest */
	MemoryContext columns;		/* memory context of one page batch's columns */
	MemoryContextCallback closing;
	const ColumnWanted *wanted;	/* columns to read, with their dictionaries */
	const DeformSpec *spec;
	PageSource	source;			/* source of all blocks */
	PageBatch *page_batch;
	TabletScan *scan;			/* has decided; NULL if the relation or the columns cannot be cached */
} TabletReading;

/*
 * Begin to read columns, in a new child of the current memory context: whatever
 * deletes the child, an error or the end of the session too, ends the reading.
 * The snapshot must stay registered.
 */
extern TabletReading *tablet_read_open(Relation relation, Snapshot snapshot, const ColumnWanted *wanted, int nwanted);

/*
 * Return the columns of the pages in the batch, until the next call; *status
 * tells what stopped their making, if anything did.
 */
extern Tablet *tablet_read_columns(TabletReading *reading, DeviceStatus *status);

extern void tablet_read_close(TabletReading *reading);

#endif							/* GPUDB_TABLET_SCAN_TABLET_READ_H */

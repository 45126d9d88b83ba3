/*
 * tablet_prewarm.c
 *		Leaving a relation's columns in the cache as a query would leave them.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "storage/bufmgr.h"

#include "tablet/pool.h"
#include "tablet/progress.h"
#include "tablet/shelf.h"
#include "tablet/tablet_prewarm.h"
#include "tablet/tablet_read.h"
#include "tablet/validity.h"

/* Note what stopped a window. */
static void
note_failure(const Tablet *tablet, DeviceStatus status, Prewarmed *result)
{
	result->status = status;
	result->column = tablet->failed_column;
	for (uint32 c = 0; c < tablet->ncols && status == STATUS_SCALE_EXCEEDED; c++)
		if (tablet->column[c].max_scale > result->scale)
		{
			result->column = (int) c;
			result->scale = tablet->column[c].max_scale;
		}
}

/* Fill the window from the next range that has to be read; false at the end. */
static bool
next_window(TabletReading *reading, uint32 ntablets)
{
	while (!page_source_next(&reading->source, reading->window))
	{
		if (!tablet_scan_next_range(reading->scan, &reading->source))
			return false;
		progress_set(reading->source.relation, ntablets, reading->source.range / TABLET_BLOCKS);
	}
	tablet_scan_add_window(reading->scan, reading->window);
	return true;
}

/* Read all that is not there; what was begun and cannot be read is given up without a mark that it failed. */
static void
read_all(TabletReading *reading, Prewarmed *result)
{
	const uint32 ntablets = tablets_of(reading->source.end);

	reading->source.next = reading->source.end = 0;
	while (result->status == STATUS_DONE && next_window(reading, ntablets))
	{
		DeviceStatus status;
		Tablet	   *columns = tablet_read_columns(reading, &status);

		if (status == STATUS_DONE)
			tablet_scan_collect(reading->scan, reading->window, columns);
		else
			note_failure(columns, status, result);
		page_window_release(reading->window);
		CHECK_FOR_INTERRUPTS();
	}
	if (result->status == STATUS_DONE)
		tablet_scan_finish(reading->scan);
	result->kept = tablet_scan_report(reading->scan)->kept;
}

bool
tablet_prewarm(Relation relation, Snapshot snapshot, const ColumnWanted *wanted, int nwanted, int shelf, Prewarmed *result)
{
	TabletReading *reading;
	bool		can_be_kept;

	if (pool_exists())
		shelf_build_at_once(relation, shelves_of(RelationGetNumberOfBlocks(relation)));
	reading = tablet_read_open(relation, snapshot, wanted, nwanted);
	can_be_kept = reading->scan != NULL;
	*result = (Prewarmed) {.status = STATUS_DONE, .column = -1};
	result->last = shelf < 0 || (uint64) (shelf + 1) * SHELF_BLOCKS >= reading->source.end;
	if (can_be_kept && shelf >= 0)
		tablet_scan_restrict(reading->scan, (uint32) shelf * SHELF_TABLETS, SHELF_TABLETS);
	if (can_be_kept)
		read_all(reading, result);
	tablet_read_close(reading);
	return can_be_kept;
}

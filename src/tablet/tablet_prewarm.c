/*
 * tablet_prewarm.c
 *		Columns of windows read in this process, and left in the cache as a query would leave them.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "device/cpu_kernel.h"
#include "tablet/pages.h"
#include "tablet/tablet_prewarm.h"
#include "tablet/tablet_scan.h"

Tablet *
tablet_read_window(const DeformSpec *spec, const PageList *pages, DeviceStatus *status)
{
	Tablet	   *tablet = NULL;

	*status = STATUS_NEEDS_WIDE;
	for (int wide = 0; wide < 2 && *status == STATUS_NEEDS_WIDE; wide++)
	{
		const uint32 ncolumns = spec->plan[wide]->ncolumns;
		const uint64 var = deform_var_bytes(spec, pages->npages, pages->nrows);

		tablet = (Tablet *) TYPEALIGN(64, palloc_extended(tablet_size(spec->types[wide], ncolumns, pages->nrows, var) + 64, MCXT_ALLOC_HUGE));
		tablet_layout(tablet, spec->types[wide], ncolumns, pages->nrows, var);
		*status = cpu_kernel()->deform(spec->plan[wide], pages, tablet);
	}
	if (*status == STATUS_DONE)
		*status = deform_check(spec, tablet);
	return tablet;
}

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

/* Fill a window from the next range that has to be read; false at the end. */
static bool
next_window(TabletScan *scan, PageSource *source, PageWindow *window)
{
	while (!page_source_next(source, window))
		if (!tablet_scan_next_range(scan, source))
			return false;
	tablet_scan_add_window(scan, window);
	return true;
}

/* Read all that is not there; what was begun and cannot be read is given up without a mark that it failed. */
static void
read_all(TabletScan *scan, const DeformSpec *spec, PageSource *source, PageWindow *window, Prewarmed *result)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "gpudb prewarm", ALLOCSET_DEFAULT_SIZES);

	tablet_scan_decide(scan);
	source->next = source->end = 0;
	while (result->status == STATUS_DONE && next_window(scan, source, window))
	{
		MemoryContext old = MemoryContextSwitchTo(context);
		DeviceStatus status;
		Tablet	   *columns = tablet_read_window(spec, &window->list, &status);

		MemoryContextSwitchTo(old);
		if (status == STATUS_DONE)
			tablet_scan_collect(scan, window, columns);
		else
			note_failure(columns, status, result);
		page_window_release(window);
		MemoryContextReset(context);
		CHECK_FOR_INTERRUPTS();
	}
	if (result->status == STATUS_DONE)
		tablet_scan_finish(scan);
	MemoryContextDelete(context);
}

bool
tablet_prewarm(Relation relation, Snapshot snapshot, const ColumnWanted *wanted, int nwanted, Prewarmed *result)
{
	const DeformSpec *spec = deform_spec_create(relation, wanted, nwanted);
	PageWindow *window = page_window_create();
	PageSource	source;
	TabletScan *scan;

	*result = (Prewarmed) {.status = STATUS_DONE, .column = -1};
	page_source_open(&source, relation, snapshot);
	scan = tablet_scan_create(relation, snapshot, source.end, wanted, nwanted);
	if (scan != NULL)
	{
		PG_TRY();
		{
			read_all(scan, spec, &source, window, result);
		}
		PG_CATCH();
		{
			page_window_forget(window);
			tablet_scan_close(scan);
			PG_RE_THROW();
		}
		PG_END_TRY();
		result->kept = tablet_scan_report(scan)->kept;
		tablet_scan_close(scan);
	}
	page_source_close(&source);
	pfree(window);
	return scan != NULL;
}

/*
 * tablet_read.c
 *		Reading of a relation's columns in this process, without a device.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "device/cpu_kernel.h"
#include "tablet/scan/tablet_read.h"

/* End a reading: no pins of shelves may outlast it; those of pages belong to the resource owner. */
static void
let_go(void *arg)
{
	TabletReading *reading = arg;

	page_batch_forget(reading->page_batch);
	if (reading->scan != NULL)
		tablet_scan_close(reading->scan);
}

const ColumnWanted *
columns_with_dicts(Relation relation, const ColumnWanted *wanted, int nwanted, bool *all)
{
	ColumnWanted *own = palloc(sizeof(ColumnWanted) * Max(nwanted, 1));

	*all = true;
	memcpy(own, wanted, sizeof(ColumnWanted) * nwanted);
	for (int w = 0; w < nwanted; w++)
		if (own[w].coded)
		{
			own[w].dict = dict_pin(relation, own[w].attno);
			*all &= own[w].dict != NULL;
		}
	return own;
}

TabletReading *
tablet_read_open(Relation relation, Snapshot snapshot, const ColumnWanted *wanted, int nwanted)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "gpudb reading", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	TabletReading *reading = palloc0(sizeof(TabletReading));
	bool		pinned;

	reading->context = context;
	reading->wanted = columns_with_dicts(relation, wanted, nwanted, &pinned);
	reading->columns = AllocSetContextCreate(context, "gpudb columns", ALLOCSET_DEFAULT_SIZES);
	reading->spec = deform_spec_create(relation, reading->wanted, nwanted);
	reading->page_batch = page_batch_create();
	page_source_open(&reading->source, relation, snapshot);
	if (pinned)
		reading->scan = tablet_scan_create(relation, snapshot, reading->source.end, reading->wanted, nwanted);
	reading->closing = (MemoryContextCallback) {.func = let_go, .arg = reading};
	MemoryContextRegisterResetCallback(context, &reading->closing);
	if (reading->scan != NULL)
		tablet_scan_decide(reading->scan, false);
	MemoryContextSwitchTo(old);
	return reading;
}

/* Turn a page batch's pages into columns, with `var` bytes of room for texts. */
static Tablet *
deform_page_batch(const TabletReading *reading, uint64 var, DeviceStatus *status)
{
	const DeformSpec *spec = reading->spec;
	const PageList *pages = &reading->page_batch->list;
	Tablet	   *tablet = NULL;

	*status = STATUS_NEEDS_WIDE;
	for (int wide = 0; wide < 2 && *status == STATUS_NEEDS_WIDE; wide++)
	{
		const uint32 ncolumns = spec->plan[wide]->ncolumns;
		const uint64 size = tablet_size(spec->types[wide], ncolumns, pages->nrows, var);

		tablet = (Tablet *) TYPEALIGN(64, palloc_extended(size + 64, MCXT_ALLOC_HUGE));
		tablet_layout(tablet, spec->types[wide], ncolumns, pages->nrows, var);
		*status = cpu_kernel()->deform(spec->plan[wide], pages, tablet);
	}
	if (*status == STATUS_DONE)
		*status = deform_check(spec, tablet);
	return tablet;
}

Tablet *
tablet_read_columns(TabletReading *reading, DeviceStatus *status)
{
	const PageList *pages = &reading->page_batch->list;
	const uint64 var = deform_var_bytes(reading->spec, pages->npages, pages->nrows);
	MemoryContext old = MemoryContextSwitchTo(reading->columns);
	Tablet	   *tablet;
	uint64		missing;

	MemoryContextReset(reading->columns);
	tablet = deform_page_batch(reading, var, status);
	if (*status == STATUS_NEEDS_PATCH && (missing = tablet_bytes_to_fetch(pages, tablet)) > 0)
		tablet = deform_page_batch(reading, var + missing, status);
	if (*status == STATUS_NEEDS_PATCH)
	{
		*status = tablet_patch_dicts(pages, tablet, reading->wanted);
		if (*status == STATUS_DONE)
			*status = tablet_patch_texts(pages, tablet);
	}
	MemoryContextSwitchTo(old);
	return tablet;
}

void
tablet_read_close(TabletReading *reading)
{
	page_source_close(&reading->source);
	MemoryContextDelete(reading->context);
}

/*
 * tablet_share.c
 *		Tablets that several processes read and leave behind.
 *
 * One of them has decided which tablets are there; the others are drawn, one
 * after the other, and each process puts together those that it has drawn.
 */
#include "postgres.h"

#include "tablet/tablet_scan.h"
#include "tablet/tablet_scan_private.h"

Size
tablet_share_size(const TabletScan *scan)
{
	return add_size(offsetof(TabletShare, tablet), mul_size(scan->ntablets, sizeof(uint32)));
}

void
tablet_scan_share(TabletScan *scan, TabletShare *share)
{
	pg_atomic_init_u32(&share->next, 0);
	share->nblocks = scan->nblocks;
	share->n = 0;
	for (uint32 t = 0; t < scan->ntablets; t++)
		if (scan->tablets[t].cached == NULL)
			share->tablet[share->n++] = t;
	scan->share = share;
}

TabletScan *
tablet_scan_join(Relation relation, Snapshot snapshot, const ColumnWanted *wanted, int nwanted, TabletShare *share)
{
	TabletScan *scan = tablet_scan_new(relation, snapshot, share->nblocks, wanted, nwanted);

	if (scan == NULL)
		elog(ERROR, "gpudb: columns that another process keeps cannot be kept");
	scan->share = share;
	scan->joined = true;
	scan->end_range = 0;
	return scan;
}

bool
tablet_scan_draw(const TabletScan *scan, uint32 *tablet)
{
	TabletShare *share = scan->share;
	uint32		drawn;

	/* looked at first, so that what is used up stays as it is */
	if (share == NULL || pg_atomic_read_u32(&share->next) >= share->n)
		return false;
	drawn = pg_atomic_fetch_add_u32(&share->next, 1);
	if (drawn >= share->n)
		return false;
	*tablet = share->tablet[drawn];
	return true;
}

void
tablet_share_stop(TabletShare *share)
{
	pg_atomic_write_u32(&share->next, share->n);
}

/*
 * tablet_share.c
 *		Tablets that several processes read and cache.
 *
 * One process has decided which tablets are cached; the others are drawn, one
 * after the other, and each process builds those that it has drawn.
 */
#include "postgres.h"

#include "tablet/scan/tablet_scan.h"
#include "tablet/scan/tablet_scan_private.h"

Size
tablet_list_size(const TabletScan *scan)
{
	return add_size(offsetof(TabletList, tablet), mul_size(scan->ntablets, sizeof(uint32)));
}

void
tablet_scan_share(TabletScan *scan, TabletList *list, Share *share)
{
	uint32		n = 0;

	list->nblocks = scan->nblocks;
	for (uint32 t = 0; t < scan->ntablets; t++)
		if (scan->tablets[t].cached == NULL)
			list->tablet[n++] = t;
	share_begin(share, n);
	scan->share = share;
	scan->list = list;
}

TabletScan *
tablet_scan_join(Relation relation, Snapshot snapshot, const ColumnWanted *wanted, int nwanted, const TabletList *list, Share *share)
{
	TabletScan *scan = tablet_scan_new(relation, snapshot, list->nblocks, wanted, nwanted);

	if (scan == NULL)
		elog(ERROR, "gpudb: columns that another process builds cannot be cached here");
	scan->share = share;
	scan->list = list;
	scan->joined = true;
	scan->end_range = 0;
	return scan;
}

bool
tablet_scan_draw(const TabletScan *scan, uint32 *tablet)
{
	uint64		drawn;

	if (scan->share == NULL || share_draw(scan->share, 1, &drawn) == 0)
		return false;
	*tablet = scan->list->tablet[drawn];
	return true;
}

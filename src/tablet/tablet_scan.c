/*
 * tablet_scan.c
 *		The tablets of a relation during one run.
 */
#include "postgres.h"

#include "access/tupdesc_details.h"
#include "nodes/pg_list.h"
#include "utils/datum.h"

#include "core/hash.h"

#include "tablet/pool.h"
#include "tablet/shelf.h"
#include "tablet/tablet_build.h"
#include "tablet/tablet_scan.h"
#include "tablet/validity.h"

/* A shelf of the relation, and what the map says of it when the scan began. */
typedef struct ScanShelf
{
	Shelf	   *shelf;			/* pinned; NULL if nothing is all-visible, or the directory has no room */
	XLogRecPtr	map_lsn;
	uint32		all_visible;	/* a bit for each tablet that can be used or kept */
} ScanShelf;

struct TabletScan
{
	MemoryContext context;
	Relation	relation;
	BlockNumber nblocks;
	uint64		since;			/* when it began, by the pool's clock */
	const ColumnWanted *wanted;
	ColumnKeys	columns;
	uint32		ntablets;
	uint32		nshelves;
	ScanShelf  *shelves;
	Tablet	  **cached;			/* by tablet: its columns in the pool; NULL if they are not all there */
	uint32		next_cached;
	uint32		next_range;
	BlockNumber range_end;		/* of the current range */
	TabletBuild *build;			/* of the current range; NULL if it is not kept */
	List	   *waiting;		/* TabletBuild: of ranges that have ended, with windows under way */
	List	   *spare;			/* TabletBuild: whose memory can be used again */
	uint64		ncached;
	uint64		nkept;
};

/* Columns */

/* What tells an attribute from another one of the same number in the same file. */
static uint64
fingerprint(TupleDesc desc, AttrNumber attno)
{
	Form_pg_attribute att = TupleDescAttr(desc, attno - 1);
	AttrMissing *missing = desc->constr != NULL && desc->constr->missing != NULL ? &desc->constr->missing[attno - 1] : NULL;
	struct
	{
		Oid			type;
		int32		typmod;
		Oid			collation;
		int16		length;
		char		align;
		bool		has_missing;
	}			form = {att->atttypid, att->atttypmod, att->attcollation, att->attlen, att->attalign, missing != NULL && missing->am_present};
	uint64		hash = hash_bytes((const uint8_t *) &form, sizeof(form));

	if (form.has_missing)
		hash = hash_combine(hash, datum_image_hash(missing->am_value, att->attbyval, att->attlen));
	return hash;
}

/* The keys of columns; false if some of them cannot be kept. */
static bool
column_keys(Relation relation, const ColumnWanted *wanted, ColumnKeys *keys)
{
	keys->key = palloc0(sizeof(ColumnKey) * Max(keys->n, 1));
	for (int c = 0; c < keys->n; c++)
	{
		if (column_is_text(relation, &wanted[c]))
			return false;
		keys->key[c] = (ColumnKey) {
			.attno = wanted[c].attno, .scale = wanted[c].scale, .second = wanted[c].second, .packed = wanted[c].packed,
			.fingerprint = fingerprint(RelationGetDescr(relation), wanted[c].attno)
		};
	}
	return true;
}

/* Deciding */

static ScanShelf *
shelf_of(const TabletScan *scan, uint32 tablet)
{
	return &scan->shelves[tablet / SHELF_TABLETS];
}

static uint32
blocks_of_tablet(const TabletScan *scan, uint32 tablet)
{
	return Min(scan->nblocks - tablet * TABLET_BLOCKS, TABLET_BLOCKS);
}

static TabletStamp
stamp_of(const TabletScan *scan, uint32 tablet)
{
	return (TabletStamp) {
		.map_lsn = shelf_of(scan, tablet)->map_lsn, .nblocks = blocks_of_tablet(scan, tablet)
	};
}

/* The columns of a tablet, if all are there; else false. */
static bool
find_columns(const TabletScan *scan, uint32 tablet, const CachedColumn **column, uint32 *nrows)
{
	const TabletStamp stamp = stamp_of(scan, tablet);

	if (!shelf_find(shelf_of(scan, tablet)->shelf, tablet % SHELF_TABLETS, &stamp, &scan->columns, column, nrows))
		return false;
	for (int c = 0; c < scan->columns.n; c++)
		if (column[c] == NULL || (scan->wanted[c].not_null && column[c]->stored.null_count > 0))
			return false;
	return true;
}

/* A column that stands elsewhere, told by the distance from the tablet. */
static uint64
distance(const Tablet *tablet, dsa_pointer to)
{
	return DsaPointerIsValid(to) ? (uint64) (uintptr_t) pool_address(to) - (uint64) (uintptr_t) tablet : 0;
}

/* A tablet whose columns are these, wherever they stand. */
static Tablet *
assemble(const CachedColumn **column, int ncolumns, uint32 nrows)
{
	Tablet	   *tablet = palloc0(sizeof(Tablet) + sizeof(TabletColumn) * ncolumns);

	tablet->nrows = nrows;
	tablet->ncols = ncolumns;
	tablet->failed_column = -1;
	for (int c = 0; c < ncolumns; c++)
	{
		tablet->column[c] = column[c]->stored;
		tablet->column[c].values = distance(tablet, column[c]->values);
		tablet->column[c].nulls = distance(tablet, column[c]->nulls);
	}
	return tablet;
}

/* Pin a shelf and find out which of its tablets can be used. */
static void
decide_shelf(TabletScan *scan, uint32 number, MapPage *map, const CachedColumn **column)
{
	ScanShelf  *s = &scan->shelves[number];

	const uint32 first = number * SHELF_TABLETS;
	const uint32 ntablets = Min(scan->ntablets - first, SHELF_TABLETS);
	uint32		nrows;

	map_page_read(scan->relation, number, map);
	s->map_lsn = map->lsn;
	for (uint32 t = 0; t < ntablets; t++)
		if (map_page_all_visible(map, t * TABLET_BLOCKS, blocks_of_tablet(scan, first + t)))
			s->all_visible |= (uint32) 1 << t;
	if (s->all_visible == 0)
		return;
	s->shelf = shelf_pin(scan->relation, number);
	if (s->shelf == NULL)
		s->all_visible = 0;
	/* what is found now stays, whatever others put in its place */
	for (uint32 t = 0; t < ntablets; t++)
		if ((s->all_visible >> t & 1) && find_columns(scan, first + t, column, &nrows))
			scan->cached[first + t] = assemble(column, scan->columns.n, nrows);
}

TabletScan *
tablet_scan_create(Relation relation, Snapshot snapshot, BlockNumber nblocks, const ColumnWanted *wanted, int nwanted)
{
	TabletScan *scan;
	ColumnKeys	columns = {nwanted};

	if (!pool_exists() || nblocks == 0 || !validity_provable(relation, snapshot))
		return NULL;
	if (!column_keys(relation, wanted, &columns))
		return NULL;
	scan = palloc0(sizeof(TabletScan));
	scan->context = CurrentMemoryContext;
	scan->relation = relation;
	scan->nblocks = nblocks;
	scan->since = shelf_time();
	scan->wanted = wanted;
	scan->columns = columns;
	scan->ntablets = (nblocks + TABLET_BLOCKS - 1) / TABLET_BLOCKS;
	scan->nshelves = (scan->ntablets + SHELF_TABLETS - 1) / SHELF_TABLETS;
	scan->shelves = palloc0(sizeof(ScanShelf) * scan->nshelves);
	scan->cached = palloc0(sizeof(Tablet *) * scan->ntablets);
	return scan;
}

void
tablet_scan_decide(TabletScan *scan)
{
	MapPage    *map = palloc(sizeof(MapPage));
	const CachedColumn **column = palloc(sizeof(CachedColumn *) * Max(scan->columns.n, 1));

	for (uint32 s = 0; s < scan->nshelves; s++)
		decide_shelf(scan, s, map, column);
	pfree(column);
	pfree(map);
}

/* Using */

bool
tablet_scan_next_cached(TabletScan *scan, DeviceWork *work)
{
	while (scan->next_cached < scan->ntablets && scan->cached[scan->next_cached] == NULL)
		scan->next_cached++;
	if (scan->next_cached >= scan->ntablets)
		return false;
	work->tablet = scan->cached[scan->next_cached++];
	work->stage = STAGE_RUN;
	scan->ncached++;
	return true;
}

/* Reading */

/* Memory to build a tablet in. */
static TabletBuild *
new_build(TabletScan *scan)
{
	TabletBuild *build;
	MemoryContext old;

	if (scan->spare != NIL)
	{
		build = llast(scan->spare);
		scan->spare = list_delete_last(scan->spare);
		return build;
	}
	old = MemoryContextSwitchTo(scan->context);
	build = tablet_build_create(scan->columns.n);
	MemoryContextSwitchTo(old);
	return build;
}

/* Put a build on one of the scan's lists. */
static void
enlist(TabletScan *scan, List **list, TabletBuild *build)
{
	MemoryContext old = MemoryContextSwitchTo(scan->context);

	*list = lappend(*list, build);
	MemoryContextSwitchTo(old);
}

/* Begin to build a tablet, if it can be kept and nobody else does it. */
static void
begin_build(TabletScan *scan, uint32 tablet)
{
	const ScanShelf *s = shelf_of(scan, tablet);
	TabletBuild *build;

	if (!(s->all_visible >> (tablet % SHELF_TABLETS) & 1))
		return;
	build = new_build(scan);
	if (shelf_claim(s->shelf, tablet % SHELF_TABLETS))
	{
		scan->build = build;
		tablet_build_begin(build, tablet);
	}
	else
		enlist(scan, &scan->spare, build);
}

bool
tablet_scan_next_range(TabletScan *scan, BlockNumber *first, BlockNumber *end)
{
	tablet_scan_finish(scan);
	while (scan->next_range < scan->ntablets && scan->cached[scan->next_range] != NULL)
		scan->next_range++;
	if (scan->next_range >= scan->ntablets)
		return false;
	*first = scan->next_range * TABLET_BLOCKS;
	*end = scan->range_end = *first + blocks_of_tablet(scan, scan->next_range);
	begin_build(scan, scan->next_range++);
	return true;
}

void
tablet_scan_add_window(TabletScan *scan, PageWindow *window)
{
	window->build = NULL;
	if (scan->build == NULL)
		return;
	/* what some snapshot may not see is not kept */
	if (!window->all_visible)
		scan->build->failed = true;
	if (window->list.npages == 0)
		return;
	window->build = scan->build;
	window->first_row = tablet_build_add(scan->build, window->list.nrows,
										 (scan->range_end - window->block[window->list.npages - 1]) / TABLET_WINDOW_PAGES + 1);
}

void
tablet_scan_collect(TabletScan *scan, PageWindow *window, const Tablet *columns)
{
	TabletBuild *build = window->build;

	if (build == NULL)
		return;
	build->open_windows--;
	build->failed |= columns == NULL;
	if (!build->failed)
		tablet_build_copy(build, window->first_row, columns);
	window->build = NULL;
}

/* Leaving tablets behind */

/* A built tablet's columns in the pool; InvalidDsaPointer if there was no room for all. */
static dsa_pointer
store_columns(const TabletScan *scan, const TabletBuild *build)
{
	dsa_pointer columns = InvalidDsaPointer;

	for (int c = 0; c < build->ncolumns; c++)
	{
		const BuiltColumn *built = &build->column[c];
		dsa_pointer column = shelf_make_column(&scan->columns.key[c], &built->stored, built->values, built->nulls, build->nrows, scan->since);

		if (!DsaPointerIsValid(column))
		{
			shelf_drop_columns(columns);
			return InvalidDsaPointer;
		}
		((CachedColumn *) pool_address(column))->next = columns;
		columns = column;
	}
	return columns;
}

/* Whether the map still is as it was before the tablet's pages were read. */
static bool
map_stands_still(const TabletScan *scan, uint32 tablet)
{
	MapPage    *map = palloc(sizeof(MapPage));
	bool		same;

	map_page_read(scan->relation, tablet / SHELF_TABLETS, map);
	same = map->lsn == shelf_of(scan, tablet)->map_lsn &&
		map_page_all_visible(map, tablet % SHELF_TABLETS * TABLET_BLOCKS, blocks_of_tablet(scan, tablet));
	pfree(map);
	return same;
}

/* Leave a tablet behind whose windows are all there, if the map proves that it can be used. */
static void
keep(TabletScan *scan, const TabletBuild *build)
{
	const TabletStamp stamp = stamp_of(scan, build->tablet);
	dsa_pointer columns;

	if (build->failed || build->nrows == 0 || !map_stands_still(scan, build->tablet))
		return;
	columns = store_columns(scan, build);
	if (!DsaPointerIsValid(columns) && build->ncolumns > 0)
		return;
	if (shelf_publish(shelf_of(scan, build->tablet)->shelf, build->tablet % SHELF_TABLETS, &stamp, build->nrows, columns))
		scan->nkept++;
}

static void
unclaim(TabletScan *scan, const TabletBuild *build)
{
	shelf_unclaim(shelf_of(scan, build->tablet)->shelf, build->tablet % SHELF_TABLETS);
}

void
tablet_scan_finish(TabletScan *scan)
{
	ListCell   *lc;

	if (scan->build != NULL)
		enlist(scan, &scan->waiting, scan->build);
	scan->build = NULL;
	foreach(lc, scan->waiting)
	{
		TabletBuild *build = lfirst(lc);

		if (build->open_windows > 0)
			continue;
		keep(scan, build);
		unclaim(scan, build);
		scan->waiting = foreach_delete_current(scan->waiting, lc);
		enlist(scan, &scan->spare, build);
	}
}

void
tablet_scan_report(const TabletScan *scan, uint64 *cached, uint64 *kept)
{
	*cached = scan->ncached;
	*kept = scan->nkept;
}

void
tablet_scan_close(TabletScan *scan)
{
	ListCell   *lc;

	if (scan->build != NULL)
		unclaim(scan, scan->build);
	foreach(lc, scan->waiting)
		unclaim(scan, lfirst(lc));
	for (uint32 s = 0; s < scan->nshelves; s++)
		if (scan->shelves[s].shelf != NULL)
			shelf_unpin(scan->shelves[s].shelf);
	scan->nshelves = 0;
	scan->build = NULL;
	scan->waiting = NIL;
}

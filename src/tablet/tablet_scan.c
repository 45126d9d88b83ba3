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
#include "tablet/without_rule.h"

/* What part of a tablet's blocks may be read beside it, or be missing in it. */
#define WORN(nblocks)	((nblocks) / 8)

/* A shelf of the relation. */
typedef struct ScanShelf
{
	Shelf	   *shelf;			/* pinned; NULL if the directory has no room */
	XLogRecPtr	map_lsn;		/* when the scan began */
} ScanShelf;

/* A tablet of the relation: what was decided about it when the scan began. */
typedef struct ScanTablet
{
	Tablet	   *cached;			/* its columns in the pool; NULL if it has to be read whole */
	uint64	   *selected;		/* a bitmap of its rows that are still the table's; NULL = all */
	uint32		nselected;
	BlockSet   *skip;			/* the blocks whose rows those are, if others are to be read */
} ScanTablet;

struct TabletScan
{
	MemoryContext context;
	Relation	relation;
	Snapshot	snapshot;
	BlockNumber nblocks;
	uint64		since;			/* when it began, by the pool's clock */
	const ColumnWanted *wanted;
	ColumnKeys	columns;
	uint32		ntablets;
	uint32		nshelves;
	ScanShelf  *shelves;
	ScanTablet *tablets;
	uint32		next_cached;
	uint32		next_range;
	BlockNumber range_end;		/* of the current range */
	TabletBuild *build;			/* of the current range; NULL if it is not kept */
	List	   *waiting;		/* TabletBuild: of ranges that have ended, with windows under way */
	List	   *spare;			/* TabletBuild: whose memory can be used again */
	TabletReport report;
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

	if (!FOLLOWS(RULE_FINGERPRINT))
		return 0;
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

/* Whether all columns that are wanted are there. */
static bool
has_columns(const TabletScan *scan, const FoundTablet *found)
{
	for (int c = 0; c < scan->columns.n; c++)
		if (found->column[c] == NULL || (scan->wanted[c].not_null && found->column[c]->stored.null_count > 0))
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

/* Set n bits from `first` on. */
static void
set_bits(uint64 *bits, uint32 first, uint32 n)
{
	while (n > 0)
	{
		const uint32 here = Min(n, 64 - first % 64);

		bits[first / 64] |= (~UINT64CONST(0) >> (64 - here)) << (first % 64);
		first += here;
		n -= here;
	}
}

/* Select the rows of these blocks. */
static void
select_rows(ScanTablet *t, const FoundTablet *found, const BlockSet *blocks)
{
	uint32		row = 0;

	t->selected = palloc0(tablet_bitmap_bytes(found->nrows));
	t->nselected = 0;

	for (uint32 block = 0; block < found->notes->nblocks; block++)
	{
		const uint32 n = found->notes->ntuples[block];

		if (block_set_has(blocks, block))
		{
			set_bits(t->selected, row, n);
			t->nselected += n;
		}
		row += n;
	}
	Assert(row == found->nrows);
}

/* The blocks of a found tablet that may be used, and their number; what that has shown others are told. */
static uint32
choose(const TabletScan *scan, uint32 tablet, const FoundTablet *found, const MapPage *map, BlockSet *usable)
{
	const Proof proof = {scan->relation, scan->snapshot, map, blocks_of_tablet(scan, tablet)};
	TabletStamp stamp = found->stamp;
	BlockSet	visible;
	uint32		n;

	map_page_visible(map, tablet % SHELF_TABLETS, proof.nblocks, &visible);
	n = validity_choose(&proof, &visible, found->notes, &stamp, usable);
	if (memcmp(&stamp, &found->stamp, sizeof(stamp)) != 0)
		shelf_restamp(shelf_of(scan, tablet)->shelf, tablet % SHELF_TABLETS, found, &stamp);
	return n;
}

/* Decide about one tablet. */
static void
decide_tablet(TabletScan *scan, uint32 tablet, const FoundTablet *found, const MapPage *map)
{
	ScanTablet *t = &scan->tablets[tablet];
	const uint32 nblocks = blocks_of_tablet(scan, tablet);
	BlockSet	usable;
	uint32		n;

	if (!found->found || !has_columns(scan, found))
		return;
	n = choose(scan, tablet, found, map, &usable);
	/* too much to be read again and again */
	if (n == 0 || (nblocks - n > WORN(nblocks) && shelf_worth_building(shelf_of(scan, tablet)->shelf, tablet % SHELF_TABLETS)))
		return;
	t->cached = assemble(found->column, scan->columns.n, found->nrows);
	t->nselected = found->nrows;
	if (n < found->notes->nblocks)
		select_rows(t, found, &usable);
	if (n < nblocks)
	{
		t->skip = palloc(sizeof(BlockSet));
		*t->skip = usable;
		scan->report.reread += nblocks - n;
	}
}

/* Pin a shelf and decide about its tablets: what is found now stays, whatever others put in its place. */
static void
decide_shelf(TabletScan *scan, uint32 number, MapPage *map, FoundTablet *found)
{
	ScanShelf  *s = &scan->shelves[number];
	const uint32 first = number * SHELF_TABLETS;
	const uint32 ntablets = Min(scan->ntablets - first, SHELF_TABLETS);

	if (FOLLOWS(RULE_MAP_AFTER_SNAPSHOT))
		map_page_read(scan->relation, number, map);
	else
		break_map_after_snapshot(scan->relation, number, map);
	s->map_lsn = map->lsn;
	s->shelf = shelf_pin(scan->relation, number);
	if (s->shelf == NULL)
		return;
	shelf_find(s->shelf, &scan->columns, found);
	for (uint32 t = 0; t < ntablets; t++)
		decide_tablet(scan, first + t, &found[t], map);
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
	scan->snapshot = snapshot;
	scan->nblocks = nblocks;
	scan->since = shelf_time();
	scan->wanted = wanted;
	scan->columns = columns;
	scan->ntablets = (nblocks + TABLET_BLOCKS - 1) / TABLET_BLOCKS;
	scan->nshelves = (scan->ntablets + SHELF_TABLETS - 1) / SHELF_TABLETS;
	scan->shelves = palloc0(sizeof(ScanShelf) * scan->nshelves);
	scan->tablets = palloc0(sizeof(ScanTablet) * scan->ntablets);
	return scan;
}

void
tablet_scan_decide(TabletScan *scan)
{
	MapPage    *map = palloc(sizeof(MapPage));
	FoundTablet *found = palloc0(sizeof(FoundTablet) * SHELF_TABLETS);

	for (int t = 0; t < SHELF_TABLETS; t++)
		found[t].column = palloc(sizeof(CachedColumn *) * scan->columns.n);
	for (uint32 s = 0; s < scan->nshelves; s++)
		decide_shelf(scan, s, map, found);
	for (int t = 0; t < SHELF_TABLETS; t++)
		pfree(found[t].column);
	pfree(found);
	pfree(map);
}

/* Using */

bool
tablet_scan_next_cached(TabletScan *scan, DeviceWork *work, uint32 *nrows)
{
	const ScanTablet *t;

	while (scan->next_cached < scan->ntablets && scan->tablets[scan->next_cached].cached == NULL)
		scan->next_cached++;
	if (scan->next_cached >= scan->ntablets)
		return false;
	t = &scan->tablets[scan->next_cached++];
	work->tablet = t->cached;
	work->selected = t->selected;
	*nrows = t->nselected;
	work->stage = STAGE_RUN;
	scan->report.cached++;
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

	if (s->shelf == NULL || scan->tablets[tablet].cached != NULL || !shelf_worth_building(s->shelf, tablet % SHELF_TABLETS))
		return;
	build = new_build(scan);
	if (shelf_claim(s->shelf, tablet % SHELF_TABLETS))
	{
		scan->build = build;
		tablet_build_begin(build, tablet, blocks_of_tablet(scan, tablet));
	}
	else
		enlist(scan, &scan->spare, build);
}

bool
tablet_scan_next_range(TabletScan *scan, PageSource *source)
{
	const ScanTablet *t = scan->tablets;
	uint32		tablet = scan->next_range;

	tablet_scan_finish(scan);
	if (!FOLLOWS(RULE_DECIDED_ONCE))
		tablet_scan_decide(scan);
	while (tablet < scan->ntablets && t[tablet].cached != NULL && t[tablet].skip == NULL)
		tablet++;
	scan->next_range = tablet + 1;
	if (tablet >= scan->ntablets)
		return false;
	begin_build(scan, tablet);
	source->range = source->next = tablet * TABLET_BLOCKS;
	source->end = scan->range_end = source->next + blocks_of_tablet(scan, tablet);
	source->skip = t[tablet].skip;
	source->watch = scan->build != NULL ? &scan->build->watch : NULL;
	return true;
}

/* Whether a tablet that lacks so many blocks is not worth keeping. */
static bool
too_much_lost(const TabletBuild *build, uint32 nblocks)
{
	return nblocks > WORN(build->watch.notes.nblocks);
}

void
tablet_scan_add_window(TabletScan *scan, PageWindow *window)
{
	window->build = scan->build;
	if (scan->build == NULL)
		return;
	scan->build->failed |= too_much_lost(scan->build, scan->build->watch.nother);
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

/*
 * What is known of a built tablet's blocks: those that are all-visible are
 * proven if the map still stands as it did before they were read.
 */
static void
make_stamp(const TabletScan *scan, const TabletBuild *build, TabletStamp *stamp)
{
	const BlockWatch *watch = &build->watch;
	const XLogRecPtr map_lsn = shelf_of(scan, build->tablet)->map_lsn;
	MapPage    *map = palloc(sizeof(MapPage));
	BlockSet	visible;

	map_page_read(scan->relation, build->tablet / SHELF_TABLETS, map);
	map_page_visible(map, build->tablet % SHELF_TABLETS, watch->notes.nblocks, &visible);
	*stamp = (TabletStamp) {.map_lsn = map_lsn};
	for (uint32 block = 0; block < watch->notes.nblocks; block++)
	{
		/* pages that differ from the map are not believed */
		const bool	all_visible = block_set_has(&watch->all_visible, block) && block_set_has(&visible, block);

		if (!all_visible && !block_set_has(&watch->notes.settled, block))
			block_set_add(&stamp->lost, block);
		else if (all_visible && map->lsn == map_lsn)
			block_set_add(&stamp->proven, block);
	}
	pfree(map);
}

/* Leave a tablet behind whose windows are all there; false if it could not be. */
static bool
keep(TabletScan *scan, const TabletBuild *build)
{
	TabletStamp stamp;
	dsa_pointer columns;

	if (build->failed || too_much_lost(build, build->watch.nother) || build->nrows == 0)
		return false;
	make_stamp(scan, build, &stamp);
	columns = store_columns(scan, build);
	if (!DsaPointerIsValid(columns) && build->ncolumns > 0)
		return false;
	if (!shelf_publish(shelf_of(scan, build->tablet)->shelf, build->tablet % SHELF_TABLETS, &stamp, &build->watch.notes, build->nrows, columns))
		return false;
	scan->report.kept++;
	return true;
}

static void
unclaim(TabletScan *scan, const TabletBuild *build, bool built)
{
	shelf_unclaim(shelf_of(scan, build->tablet)->shelf, build->tablet % SHELF_TABLETS, built);
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
		unclaim(scan, build, keep(scan, build));
		scan->waiting = foreach_delete_current(scan->waiting, lc);
		enlist(scan, &scan->spare, build);
	}
}

const TabletReport *
tablet_scan_report(const TabletScan *scan)
{
	return &scan->report;
}

void
tablet_scan_close(TabletScan *scan)
{
	ListCell   *lc;

	if (scan->build != NULL)
		unclaim(scan, scan->build, true);
	foreach(lc, scan->waiting)
		unclaim(scan, lfirst(lc), true);
	for (uint32 s = 0; s < scan->nshelves; s++)
		if (scan->shelves[s].shelf != NULL)
			shelf_unpin(scan->shelves[s].shelf);
	scan->nshelves = 0;
	scan->build = NULL;
	scan->waiting = NIL;
}

/*
 * tablet_scan.c
 *		Tablets of a relation during one run: deciding which of them can be used, and using them.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "storage/bufmgr.h"
#include "utils/lsyscache.h"

#include "core/hash.h"
#include "tablet/cache/dict.h"
#include "tablet/cache/fingerprint.h"
#include "tablet/cache/map_known.h"
#include "tablet/cache/pool.h"
#include "tablet/cache/shelf.h"
#include "tablet/cache/validity.h"
#include "tablet/cache/without_map_rule.h"
#include "tablet/cache/without_rule.h"
#include "tablet/scan/tablet_look.h"
#include "tablet/scan/tablet_scan.h"
#include "tablet/scan/tablet_scan_private.h"

/* Texts of one attribute may take the pool's size divided by this. */
#define TEXTS_SHARE		4

/* Number of shelves from which on a table is large: its memos fill a huge page. */
#define MANY_SHELVES	16

/* Tablets of a shelf as they were found, and the inspections of their pages, while the scan decides about them. */
typedef struct FoundShelf
{
	FoundTablet tablet[SHELF_TABLETS];
	TabletLook	look[SHELF_TABLETS];
} FoundShelf;

/* Columns */

/* Get the number of the dictionary whose codes a column holds; return false if there is none. */
static bool
dict_number_of(Relation relation, const ColumnWanted *wanted, uint64 *number)
{
	if (wanted->dict != NULL)
		*number = dict_number(wanted->dict);
	else
		(void) dict_count_of(relation, wanted->attno, number);
	return *number != 0;
}

bool
tablet_texts_have_room(Relation relation, const ColumnWanted *wanted)
{
	int32		width;

	if (!column_is_text(relation, wanted))
		return true;
	width = get_attavgwidth(RelationGetRelid(relation), wanted->attno);
	return Max(RelationGetForm(relation)->reltuples, 0) * (Max(width, 0) + sizeof(uint64)) <= pool_bytes() / TEXTS_SHARE;
}

bool
tablet_column_keys(Relation relation, const ColumnWanted *wanted, ColumnKeys *keys)
{
	keys->key = palloc0(sizeof(ColumnKey) * Max(keys->n, 1));
	for (int c = 0; c < keys->n; c++)
	{
		if (!tablet_texts_have_room(relation, &wanted[c]))
			return false;
		keys->key[c] = (ColumnKey) {
			.attno = wanted[c].attno, .scale = wanted[c].scale, .second = wanted[c].second, .packed = wanted[c].packed,
			.fingerprint = tablet_fingerprint(RelationGetDescr(relation), wanted[c].attno)
		};
		if (wanted[c].coded && !dict_number_of(relation, &wanted[c], &keys->key[c].dict_number))
			return false;
	}
	return true;
}

/* Deciding */

/* Return true if a found tablet has all columns that the scan wants. */
static bool
has_columns(const TabletScan *scan, const FoundTablet *found)
{
	for (int c = 0; c < scan->columns.n; c++)
		if (found->column[c] == NULL || (scan->wanted[c].not_null && found->column[c]->stored.null_count > 0))
			return false;
	return true;
}

/* Return the distance from a tablet of what is stored elsewhere in the pool; 0 if there is nothing. */
static uint64
distance(const Tablet *tablet, dsa_pointer to)
{
	return DsaPointerIsValid(to) ? (uint64) (uintptr_t) pool_address(to) - (uint64) (uintptr_t) tablet : 0;
}

/* Return the bytes of columns' texts, and set *bytes to their size; NULL if there are none. */
static TextBytes *
texts_of(const CachedColumn **column, int ncolumns, Size *bytes)
{
	TextBytes  *texts = NULL;

	*bytes = 0;
	for (int c = 0; c < ncolumns; c++)
	{
		if (!DsaPointerIsValid(column[c]->texts))
			continue;
		if (texts == NULL)
			texts = palloc0(sizeof(TextBytes) * ncolumns);
		texts[c] = (TextBytes) {pool_address(column[c]->texts), column[c]->text_bytes};
		*bytes += column[c]->text_bytes;
	}
	return texts;
}

/* Copy texts side by side into memory of this process. */
static void
copy_texts(TextBytes *texts, int ncolumns, Size bytes)
{
	uint8	   *copy = palloc_extended(bytes, MCXT_ALLOC_HUGE);

	for (int c = 0; c < ncolumns; c++)
		if (texts[c].start != NULL)
		{
			texts[c].start = memcpy(copy, texts[c].start, texts[c].n);
			copy += texts[c].n;
		}
}

/*
 * Make references of texts, which lead into the bytes of their columns, lead to
 * where these are behind the place that all columns have in common.  Where a
 * reference does not reach all of them, the tablet gets a copy of the bytes, as
 * its var_used tells.  Return false if a reference does not reach all of that,
 * either.
 */
static bool
place_texts(Tablet *tablet, const CachedColumn **column, int ncolumns)
{
	Size		bytes;
	TextBytes  *texts = texts_of(column, ncolumns, &bytes);

	if (texts == NULL || tablet_place_texts(tablet, texts))
		return true;
	if (bytes > INT32_MAX)
		return false;
	copy_texts(texts, ncolumns, bytes);
	tablet->var_used = bytes;
	return tablet_place_texts(tablet, texts);
}

/* Allocate memory in a shelf's memo, or, if there is none, in the scan's context. */
static void *
room_for(const TabletScan *scan, ShelfMemo *memo, Size bytes)
{
	return memo != NULL ? shelf_memo_room(memo, bytes) : MemoryContextAlloc(scan->context, bytes);
}

/* Assemble a tablet of these columns, wherever they are; return NULL if no references reach all of their texts. */
static Tablet *
assemble(const TabletScan *scan, ShelfMemo *memo, const CachedColumn **column, uint32 nrows)
{
	const int	ncolumns = scan->columns.n;
	Tablet	   *tablet = room_for(scan, memo, sizeof(Tablet) + sizeof(TabletColumn) * ncolumns);

	*tablet = (Tablet) {.nrows = nrows, .ncols = ncolumns, .failed_column = -1};
	for (int c = 0; c < ncolumns; c++)
	{
		tablet->column[c] = column[c]->stored;
		tablet->column[c].values = distance(tablet, column[c]->values);
		tablet->column[c].nulls = distance(tablet, column[c]->nulls);
	}
	return place_texts(tablet, column, ncolumns) ? tablet : NULL;
}

/* Return where a tablet's columns are for other processes. */
static SharedColumn *
places_of(const TabletScan *scan, ShelfMemo *memo, const CachedColumn **column)
{
	SharedColumn *places = room_for(scan, memo, sizeof(SharedColumn) * scan->columns.n);

	for (int c = 0; c < scan->columns.n; c++)
		places[c] = (SharedColumn) {column[c]->number, column[c]->values, column[c]->nulls, column[c]->texts, column[c]->text_bytes};
	return places;
}

/* Select the rows of `blocks` in a found tablet. */
static void
select_rows(CachedRows *rows, const FoundTablet *found, const BlockSet *blocks)
{
	uint64	   *selected = palloc0(tablet_bitmap_bytes(found->nrows));
	uint32		row = 0;

	rows->selected = selected;
	rows->nrows = 0;
	for (uint32 block = 0; block < found->notes->nblocks; block++)
	{
		const uint32 n = found->notes->pages->ntuples[block];

		if (block_set_has(blocks, block))
		{
			bitmap_set(selected, row, n);
			rows->nrows += n;
		}
		row += n;
	}
	Assert(row == found->nrows);
}

/*
 * Return true if the scan needs to know a tablet: one that builds tablets uses
 * no others.  Assembling those would copy their texts, and the more tablets a
 * shelf has the more often.
 */
static bool
is_due(const TabletScan *scan, uint32 tablet)
{
	return scan->purpose != SCAN_FOR_BUILDING || (tablet >= scan->next_range && tablet < scan->end_range);
}

/* Begin to inspect a found tablet, if the scan needs to know it and it has all columns that are wanted. */
static void
begin_look(const TabletScan *scan, uint32 tablet, const FoundTablet *found, const MapPage *map, TabletLook *look)
{
	const Proof proof = {
		.relation = scan->relation, .xmin_horizon = scan->xmin_horizon, .horizon = horizon_at(scan, tablet), .page = map,
		.nblocks = blocks_of_tablet(scan, tablet), .strategy = scan->strategy
	};

	look->found = NULL;
	if (found->notes != NULL && is_due(scan, tablet) && has_columns(scan, found))
		tablet_look_begin(look, found, tablet % SHELF_TABLETS, &proof);
}

/*
 * Find the blocks of a tablet that may be used, and return their number; other
 * scans are told what inspecting it has shown.
 */
static uint32
choose(const TabletScan *scan, uint32 tablet, TabletLook *look)
{
	const FoundTablet *found = look->found;
	ScanTablet *t = &scan->tablets[tablet];
	uint32		n;

	t->notes = found->notes;
	t->seen = MemoryContextAllocZero(scan->context, sizeof(TabletSeen));
	t->seen->stamp = found->stamp;
	n = validity_choose(&look->proof, &look->visible, t->notes, &look->pages, &t->seen->stamp, &t->seen->usable);
	if (memcmp(&t->seen->stamp, &found->stamp, sizeof(TabletStamp)) != 0)
		shelf_restamp(shelf_of(scan, tablet)->shelf, tablet % SHELF_TABLETS, found, &t->seen->stamp);
	return n;
}

/* Decide about one tablet; what is used of it is stored in a memo, if there is one. */
static void
decide_tablet(TabletScan *scan, uint32 tablet, TabletLook *look, ShelfMemo *memo)
{
	const FoundTablet *found = look->found;
	ScanTablet *t = &scan->tablets[tablet];
	const uint32 nblocks = blocks_of_tablet(scan, tablet);
	CachedRows *rows;
	uint32		n;

	if (found == NULL)
		return;
	n = choose(scan, tablet, look);
	/* too many blocks to be read again and again */
	if (n == 0 || (nblocks - n > WORN(nblocks) && shelf_worth_building(shelf_of(scan, tablet)->shelf, tablet % SHELF_TABLETS)))
		return;
	t->cached = assemble(scan, memo, found->column, found->nrows);
	if (t->cached == NULL)
		return;
	if (scan->purpose == SCAN_FOR_QUERY)
		shelf_count_hit(shelf_of(scan, tablet)->shelf, tablet % SHELF_TABLETS);
	t->nlacking = nblocks - n;
	rows = &scan->found[scan->nfound++];
	*rows = (CachedRows) {.tablet = t->cached, .nrows = found->nrows, .column = places_of(scan, memo, found->column)};
	if (n < found->notes->nblocks)
		select_rows(rows, found, &t->seen->usable);
	if (n < nblocks)
	{
		t->skip = &t->seen->usable;
		scan->report.reread += t->nlacking;
	}
}

/* Use a shelf's memo, with as many tablets as it has, for the next ones that are found. */
static void
use_memo(TabletScan *scan, uint32 number, ShelfMemo *memo)
{
	scan->shelves[number].memo = memo;
	for (uint32 t = 0; t < memo->shelf.ntablets; t++)
	{
		ScanTablet *tablet = &scan->tablets[number * SHELF_TABLETS + t];

		*tablet = (ScanTablet) {.cached = memo->rows[t].tablet};
		scan->found[scan->nfound++] = memo->rows[t];
	}
}

/*
 * Return true if all rows of these tablets, the last ones found, are valid, and
 * no block has to be read besides; set *proof to what proves that.
 */
static bool
are_whole(const TabletScan *scan, uint32 first, uint32 n, ShelfProof *proof)
{
	const SnapshotHorizon horizon = horizon_at(scan, first);

	*proof = (ShelfProof) {true, true};
	for (uint32 t = first; t < first + n; t++)
	{
		const TabletStamp *stamp = scan->tablets[t].seen != NULL ? &scan->tablets[t].seen->stamp : NULL;
		bool		proven;

		if (scan->tablets[t].cached == NULL || scan->tablets[t].skip != NULL || scan->tablets[t].nlacking > 0)
			return false;
		/* a copy of texts is freed with the scan */
		if (scan->tablets[t].cached->var_used > 0)
			return false;
		proven = block_set_covers(&stamp->proven, blocks_of_tablet(scan, t));
		proof->by_map &= proven;
		proof->by_horizon &= proven || validity_same_horizon(&stamp->horizon, &horizon);
	}
	for (uint32 f = scan->nfound - n; f < scan->nfound; f++)
		if (scan->found[f].selected != NULL)
			return false;
	return true;
}

/* Decide about a shelf's tablets, and remember them if all of their rows are valid. */
static void
decide_tablets(TabletScan *scan, uint32 number, const ShelfNow *now, FoundShelf *found)
{
	Shelf	   *shelf = scan->shelves[number].shelf;
	const uint32 first = number * SHELF_TABLETS;
	const uint32 ntablets = Min(scan->ntablets - first, SHELF_TABLETS);
	ShelfMemo  *memo = NULL;
	ShelfProof	proof;
	bool		all = true;

	shelf_find(shelf, &scan->columns, found->tablet);
	for (uint32 t = 0; t < ntablets; t++)
	{
		begin_look(scan, first + t, &found->tablet[t], now->map, &found->look[t]);
		all &= found->look[t].found != NULL;
	}
	tablet_look_at_pages(found->look, ntablets);
	if (scan->remembers && all)
		memo = shelf_memo_begin(now, ntablets, scan->context);
	for (uint32 t = 0; t < ntablets; t++)
		decide_tablet(scan, first + t, &found->look[t], memo);
	/* the generation tells devices of these tablets and no others: none may have come since it was read */
	if (memo == NULL || !are_whole(scan, first, ntablets, &proof) || shelf_generation(shelf) != now->generation)
		return;
	memo = shelf_memo_keep(memo, now, proof, &scan->found[scan->nfound - ntablets], ntablets);
	if (memo == NULL)
		return;
	for (uint32 t = first; t < first + ntablets; t++)
		pfree(scan->tablets[t].seen);
	/* the memo may be another one, of the same tablets */
	scan->nfound -= ntablets;
	use_memo(scan, number, memo);
}

/* Copy the visibility map's page of a shelf, whose snapshot horizon is known; return its LSN. */
static XLogRecPtr
read_map(const TabletScan *scan, uint32 number, MapPage *map)
{
	const SnapshotHorizon horizon = horizon_at(scan, number * SHELF_TABLETS);

	if (!FOLLOWS(RULE_MAP_AFTER_SNAPSHOT))
		break_map_after_snapshot(scan->relation, number, map);
	else if (!FOLLOWS(RULE_MAP_IS_OLDER))
		break_map_is_older(scan->relation, number, scan->xmin_horizon, map);
	else
		map_page_at(scan->relation, number, blocks_of_shelf(scan->nblocks, number), &horizon, map);
	return map->lsn;
}

/*
 * Pin a shelf and decide about its tablets: what is found now stays, whatever
 * others put in its place.  The visibility map is copied before the tablets are
 * looked up, and not at all where a memo was valid, or the map's page known, at
 * the same snapshot horizon.
 */
static void
decide_shelf(TabletScan *scan, uint32 number, MapPage *map, FoundShelf *found)
{
	ScanShelf  *s = &scan->shelves[number];
	ShelfNow	now;
	ShelfMemo  *memo;

	s->wal = validity_wal();
	s->shelf = shelf_pin(scan->relation, number);
	if (s->shelf == NULL)
	{
		s->map_lsn = read_map(scan, number, map);
		return;
	}
	if (scan->purpose != SCAN_FOR_LOOKING)
		shelf_note_uses(s->shelf, &scan->columns);
	now = (ShelfNow) {
		.generation = shelf_generation(s->shelf), .horizon = horizon_at(scan, number * SHELF_TABLETS),
		.nblocks = blocks_of_shelf(scan->nblocks, number), .of_large = scan->nshelves >= MANY_SHELVES,
		.columns = &scan->columns, .wanted = scan->wanted, .hash = scan->columns_hash
	};
	memo = scan->remembers ? shelf_memo_find(&now) : NULL;
	if (memo == NULL)
	{
		s->map_lsn = read_map(scan, number, map);
		now.map = map;
		memo = scan->remembers ? shelf_memo_find(&now) : NULL;
	}
	if (memo != NULL)
	{
		shelf_count_hits(s->shelf, memo->shelf.ntablets);
		use_memo(scan, number, memo);
	}
	else
		decide_tablets(scan, number, &now, found);
}

uint64
tablet_columns_hash(Relation relation, const ColumnWanted *wanted, int nwanted)
{
	uint64		hash = 0;

	for (int c = 0; c < nwanted; c++)
	{
		const uint64 form[] = {
			wanted[c].attno, wanted[c].scale, wanted[c].second, wanted[c].packed, wanted[c].coded, wanted[c].not_null,
			wanted[c].attno <= RelationGetNumberOfAttributes(relation) ? tablet_fingerprint(RelationGetDescr(relation), wanted[c].attno) : 0
		};

		hash = hash_combine(hash, hash_bytes((const uint8_t *) form, sizeof(form)));
	}
	return hash;
}

uint32
tablets_of(BlockNumber nblocks)
{
	return (nblocks + TABLET_BLOCKS - 1) / TABLET_BLOCKS;
}

uint32
shelves_of(BlockNumber nblocks)
{
	return (nblocks + SHELF_BLOCKS - 1) / SHELF_BLOCKS;
}

void
tablet_scan_restrict(TabletScan *scan, TabletRange tablets)
{
	scan->next_range = tablets.first;
	scan->end_range = Min(scan->ntablets, tablets.first + tablets.n);
}

void
tablet_scan_keep_nothing(TabletScan *scan)
{
	scan->keeps_nothing = true;
}

TabletScan *
tablet_scan_new(Relation relation, Snapshot snapshot, BlockNumber nblocks, const ColumnWanted *wanted, int nwanted)
{
	TabletScan *scan;
	ColumnKeys	columns = {nwanted};

	if (!tablet_column_keys(relation, wanted, &columns))
		return NULL;
	scan = palloc0(sizeof(TabletScan));
	scan->context = CurrentMemoryContext;
	scan->relation = relation;
	scan->xmin_horizon = validity_xmin_horizon(snapshot);
	scan->horizon = validity_snapshot_horizon(snapshot);
	scan->nblocks = nblocks;
	/* the strategy of a sequential scan */
	scan->strategy = nblocks > NBuffers / 4 ? GetAccessStrategy(BAS_BULKREAD) : NULL;
	scan->since = shelf_time();
	scan->wanted = wanted;
	scan->columns = columns;
	scan->columns_hash = shelf_memo_hash(&scan->columns, wanted);
	scan->ntablets = scan->end_range = tablets_of(nblocks);
	scan->nshelves = shelves_of(nblocks);
	scan->shelves = palloc0(sizeof(ScanShelf) * scan->nshelves);
	scan->tablets = palloc0(sizeof(ScanTablet) * scan->ntablets);
	scan->found = palloc(sizeof(CachedRows) * scan->ntablets);
	return scan;
}

bool
tablet_scan_possible(Relation relation)
{
	return pool_exists() && validity_provable(relation);
}

TabletScan *
tablet_scan_create(Relation relation, Snapshot snapshot, BlockNumber nblocks, const ColumnWanted *wanted, int nwanted)
{
	return nblocks > 0 && tablet_scan_possible(relation) ? tablet_scan_new(relation, snapshot, nblocks, wanted, nwanted) : NULL;
}

static FoundShelf *
new_found(const TabletScan *scan)
{
	FoundShelf *found = palloc(sizeof(FoundShelf));

	memset(found->tablet, 0, sizeof(found->tablet));
	for (int t = 0; t < SHELF_TABLETS; t++)
		found->tablet[t].column = palloc(sizeof(CachedColumn *) * scan->columns.n);
	return found;
}

static void
free_found(FoundShelf *found)
{
	for (int t = 0; t < SHELF_TABLETS; t++)
		pfree(found->tablet[t].column);
	pfree(found);
}

/* Decide about n shelves, from the next one on. */
static void
decide_shelves(TabletScan *scan, uint32 n)
{
	MapPage    *map = palloc(sizeof(MapPage));
	FoundShelf *found = new_found(scan);
	const uint32 before = scan->nfound;

	for (; n > 0; n--)
		decide_shelf(scan, scan->ndecided++, map, found);
	free_found(found);
	pfree(map);
	scan->report.cached += scan->nfound - before;
}

void
tablet_scan_look(TabletScan *scan, uint32 tablet)
{
	ScanShelf  *s = shelf_of(scan, tablet);
	const uint32 number = tablet / SHELF_TABLETS;
	FoundShelf *found;
	TabletLook *look;

	if (s->map == NULL)
	{
		s->map = MemoryContextAlloc(scan->context, sizeof(MapPage));
		s->wal = validity_wal();
		map_page_read(scan->relation, number, s->map);
		s->map_lsn = s->map->lsn;
		s->shelf = shelf_pin(scan->relation, number);
	}
	if (s->shelf == NULL)
		return;
	found = new_found(scan);
	shelf_find(s->shelf, &scan->columns, found->tablet);
	look = &found->look[tablet % SHELF_TABLETS];
	begin_look(scan, tablet, &found->tablet[tablet % SHELF_TABLETS], s->map, look);
	if (look->found != NULL)
	{
		tablet_look_at_pages(look, 1);
		(void) choose(scan, tablet, look);
	}
	free_found(found);
}

void
tablet_scan_decide(TabletScan *scan, bool for_query)
{
	scan->purpose = for_query ? SCAN_FOR_QUERY : SCAN_FOR_LOOKING;
	scan->remembers = for_query && scan->nshelves <= SHELF_MEMOS / 2;
	scan->nfound = scan->ndecided = 0;
	scan->report.cached = 0;
	decide_shelves(scan, scan->nshelves);
}

TabletScan *
tablet_scan_of_tablets(Relation relation, Snapshot snapshot, BlockNumber nblocks, const ColumnWanted *wanted, int nwanted, TabletRange tablets)
{
	TabletScan *scan = nblocks > tablets.first * TABLET_BLOCKS ? tablet_scan_new(relation, snapshot, nblocks, wanted, nwanted) : NULL;

	if (scan == NULL)
		return NULL;
	scan->purpose = SCAN_FOR_BUILDING;
	scan->ndecided = tablets.first / SHELF_TABLETS;
	tablet_scan_restrict(scan, tablets);
	return scan;
}

const CachedRows *
tablet_scan_decide_next(TabletScan *scan, uint32 *n)
{
	const uint32 before = scan->nfound;

	decide_shelves(scan, 1);
	*n = scan->nfound - before;
	return &scan->found[before];
}

/* Using */

const CachedRows *
tablet_scan_found(const TabletScan *scan, uint32 *n)
{
	*n = scan->nfound;
	return scan->found;
}

BlockNumber
tablet_scan_missing(const TabletScan *scan)
{
	BlockNumber missing = 0;

	for (uint32 t = 0; t < scan->ntablets; t++)
		missing += scan->tablets[t].cached == NULL ? blocks_of_tablet(scan, t) : 0;
	return missing;
}

const TabletReport *
tablet_scan_report(const TabletScan *scan)
{
	return &scan->report;
}

/*
 * shelf_memo.c
 *		What this session knows of whole shelves.
 *
 * Some shelves, looked up by their generations.  When all places or all bytes
 * are taken the one goes that was not used for longest.
 *
 * A memo of more columns than a scan wants tells as much of those that it wants:
 * a memo of these is derived, without a look at the shelf.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "tablet/shelf_memo.h"

/* A place for a memo; the generation of its shelf stands here, too, so that looking for one reads little memory. */
typedef struct Place
{
	uint64		generation;
	ShelfMemo  *memo;			/* NULL = the place is free */
} Place;

static Place places[SHELF_MEMOS];
static Size bytes_used;
static uint64 clock_ticks;

static bool
same_columns(const ShelfMemo *memo, const ShelfNow *now)
{
	if (memo->ncolumns != now->columns->n)
		return false;
	for (int c = 0; c < memo->ncolumns; c++)
		if (!column_key_equal(&memo->key[c], &now->columns->key[c]) || memo->not_null[c] != now->wanted[c].not_null)
			return false;
	return true;
}

/* Whether all blocks that there are are all-visible. */
static bool
is_visible(const ShelfNow *now)
{
	return !XLogRecPtrIsInvalid(now->map->lsn) && map_page_is_visible(now->map, now->nblocks);
}

/* The place of a memo's column that is wanted; -1 if it has none. */
static int
place_of_column(const ShelfMemo *memo, const ColumnKey *key)
{
	for (int c = 0; c < memo->ncolumns; c++)
		if (column_key_equal(&memo->key[c], key))
			return c;
	return -1;
}

/* Whether a memo of other columns has those that are wanted, none of them as texts, whose references only lead to where they do among its own. */
static bool
has_columns(const ShelfMemo *memo, const ShelfNow *now)
{
	for (int c = 0; c < now->columns->n; c++)
	{
		const int	place = place_of_column(memo, &now->columns->key[c]);

		if (place < 0)
			return false;
		for (uint32 t = 0; t < memo->shelf.ntablets; t++)
		{
			const TabletColumn *column = &memo->rows[t].tablet->column[place];

			if (column->type == COLTYPE_TEXT || (now->wanted[c].not_null && column->null_count > 0))
				return false;
		}
	}
	return true;
}

/* The next memo of these blocks behind a place, and its place; NULL if there is none up to the place again.  Mostly a scan's memos stand in a row. */
static ShelfMemo *
next_of_shelf(const ShelfNow *now, int from, int *at)
{
	while (++*at <= from + SHELF_MEMOS)
	{
		const Place *place = &places[*at % SHELF_MEMOS];

		if (place->generation == now->generation && place->memo != NULL && place->memo->nblocks == now->nblocks)
			return place->memo;
	}
	return NULL;
}

/* What is remembered of these tablets, whether it holds or not. */
static ShelfMemo *
find_any(const ShelfNow *now)
{
	static int	last = 0;
	int			at = last;
	ShelfMemo  *memo;

	while ((memo = next_of_shelf(now, last, &at)) != NULL)
		if (same_columns(memo, now))
		{
			last = at % SHELF_MEMOS;
			return memo;
		}
	return NULL;
}

static bool
holds(const ShelfMemo *memo, const ShelfNow *now)
{
	if (validity_same_moment(&memo->moment, &now->moment))
		return true;
	return memo->map_lsn == now->map->lsn && is_visible(now);
}

/* A scan has a memo from now on. */
static ShelfMemo *
use(ShelfMemo *memo)
{
	memo->used = ++clock_ticks;
	memo->users++;
	return memo;
}

void
shelf_memo_let_go(ShelfMemo *memo)
{
	memo->users--;
}

static void
forget(Place *place)
{
	bytes_used -= place->memo->bytes;
	MemoryContextDelete(place->memo->context);
	*place = (Place) {0};
}

/* A place for another memo; NULL if scans have them all. */
static Place *
free_place(void)
{
	for (;;)
	{
		Place	   *free = NULL;
		Place	   *oldest = NULL;

		for (int i = 0; i < SHELF_MEMOS; i++)
		{
			ShelfMemo  *memo = places[i].memo;

			if (memo == NULL)
				free = free != NULL ? free : &places[i];
			else if (memo->users == 0 && (oldest == NULL || memo->used < oldest->memo->used))
				oldest = &places[i];
		}
		if (free != NULL && bytes_used < SHELF_MEMO_BYTES)
			return free;
		if (oldest == NULL)
			return NULL;
		forget(oldest);
	}
}

ShelfMemo *
shelf_memo_begin(const ShelfNow *now, MemoryContext parent)
{
	const int	ncolumns = now->columns->n;
	MemoryContext context;
	ShelfMemo  *memo;

	StaticAssertStmt(SHELF_TABLETS <= CACHED_SHELF_MOST, "a device takes no shelf so large");
	if (ncolumns > SHELF_MEMO_COLUMNS)
		return NULL;
	context = AllocSetContextCreate(parent, "gpudb shelf", ALLOCSET_DEFAULT_SIZES);
	memo = MemoryContextAllocZero(context, sizeof(ShelfMemo));
	memo->context = context;
	memo->generation = now->generation;
	memo->nblocks = now->nblocks;
	memo->ncolumns = ncolumns;
	memo->key = MemoryContextAlloc(context, sizeof(ColumnKey) * Max(ncolumns, 1));
	memo->not_null = MemoryContextAlloc(context, sizeof(bool) * Max(ncolumns, 1));
	for (int c = 0; c < ncolumns; c++)
	{
		memo->key[c] = now->columns->key[c];
		memo->not_null[c] = now->wanted[c].not_null;
	}
	return memo;
}

/* Note a memo's tablets, and have it outlive the scan, in a place. */
static void
complete(ShelfMemo *memo, const CachedRows *rows, uint32 n, Place *place)
{
	Tablet	   *cover = MemoryContextAlloc(memo->context, sizeof(Tablet) + sizeof(TabletColumn) * memo->ncolumns);

	for (uint32 t = 0; t < n; t++)
	{
		memo->rows[t] = (CachedRows) {rows[t].tablet, NULL, rows[t].nrows, rows[t].column, &memo->shelf, t};
		tablet_cover(cover, rows[t].tablet, t == 0);
	}
	memo->shelf = (CachedShelf) {.number = memo->generation, .ntablets = n, .rows = memo->rows, .cover = cover};
	memo->bytes = MemoryContextMemAllocated(memo->context, true);
	MemoryContextSetParent(memo->context, TopMemoryContext);
	bytes_used += memo->bytes;
	*place = (Place) {memo->generation, memo};
}

/* Some of a tablet's columns, which stand where they do: their distances are those from another tablet. */
static Tablet *
derive_tablet(MemoryContext context, const Tablet *from, const int *place, int ncolumns)
{
	Tablet	   *tablet = MemoryContextAlloc(context, sizeof(Tablet) + sizeof(TabletColumn) * ncolumns);
	const uint64 moved = (uint64) (uintptr_t) from - (uint64) (uintptr_t) tablet;

	*tablet = *from;
	tablet->ncols = ncolumns;
	for (int c = 0; c < ncolumns; c++)
	{
		TabletColumn *column = &tablet->column[c];

		*column = from->column[place[c]];
		column->values += column->values != 0 ? moved : 0;
		column->nulls += column->nulls != 0 ? moved : 0;
	}
	return tablet;
}

/* Derive a memo of the columns that are wanted from one that has them; NULL if there is no place for it. */
static ShelfMemo *
derive(ShelfMemo *wider, const ShelfNow *now)
{
	const int	ncolumns = now->columns->n;
	int			place[SHELF_MEMO_COLUMNS];
	CachedRows *rows = palloc(sizeof(CachedRows) * SHELF_TABLETS);
	Place	   *free;
	ShelfMemo  *memo;

	/* to make room is not to take what is derived from */
	wider->users++;
	free = free_place();
	wider->users--;
	memo = free != NULL ? shelf_memo_begin(now, CurrentMemoryContext) : NULL;
	if (memo == NULL)
		return NULL;
	for (int c = 0; c < ncolumns; c++)
		place[c] = place_of_column(wider, &now->columns->key[c]);
	for (uint32 t = 0; t < wider->shelf.ntablets; t++)
	{
		SharedColumn *column = MemoryContextAlloc(memo->context, sizeof(SharedColumn) * Max(ncolumns, 1));

		for (int c = 0; c < ncolumns; c++)
			column[c] = wider->rows[t].column[place[c]];
		rows[t] = (CachedRows) {
			.tablet = derive_tablet(memo->context, wider->rows[t].tablet, place, ncolumns), .nrows = wider->rows[t].nrows, .column = column
		};
	}
	complete(memo, rows, wider->shelf.ntablets, free);
	pfree(rows);
	return memo;
}

/* A memo of more columns that holds; NULL if there is none. */
static ShelfMemo *
find_wider(const ShelfNow *now)
{
	int			at = 0;
	ShelfMemo  *memo;

	while ((memo = next_of_shelf(now, 0, &at)) != NULL)
		if (holds(memo, now) && has_columns(memo, now))
			return memo;
	return NULL;
}

ShelfMemo *
shelf_memo_find(const ShelfNow *now)
{
	ShelfMemo  *memo = find_any(now);

	if (memo == NULL || !holds(memo, now))
	{
		ShelfMemo  *wider = find_wider(now);

		if (wider == NULL)
			return NULL;
		if (memo == NULL)
			memo = derive(wider, now);
		if (memo == NULL)
			return NULL;
		/* the rows of a shelf's tablets are those of all their columns */
		memo->map_lsn = wider->map_lsn;
		memo->moment = wider->moment;
	}
	return use(memo);
}

ShelfMemo *
shelf_memo_keep(ShelfMemo *memo, const ShelfNow *now, ShelfProof proof, const CachedRows *rows, uint32 n)
{
	ShelfMemo  *known = find_any(now);
	const bool	proven = proof.by_map && is_visible(now);
	const bool	sure = proof.by_moment && FullTransactionIdIsValid(now->moment.end);

	if (!proven && !sure)
		return NULL;
	if (known == NULL)
	{
		Place	   *place = free_place();

		if (place == NULL)
			return NULL;
		complete(memo, rows, n, place);
		known = memo;
	}
	known->map_lsn = proven ? now->map->lsn : InvalidXLogRecPtr;
	known->moment = sure ? now->moment : (Moment) {InvalidFullTransactionId, InvalidXLogRecPtr};
	return use(known);
}

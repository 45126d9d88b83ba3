/*
 * shelf_memo.c
 *		Memos of whole shelves in this session.
 *
 * Memos are looked up by the generations of their shelves, in a hash table with
 * lists.  When there are as many as there may be, or all room is taken, the
 * memo that was not used for longest is freed.
 *
 * A memo of more columns than a scan wants tells as much of those that it
 * wants: a memo of these is derived, without a look at the shelf.  Only its
 * first tablet is copied.  Mostly nobody reads the others: zone maps are those
 * of the wider memo, and a GPU process knows the shelf by its first tablet's
 * columns.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "core/hash.h"
#include "tablet/cache/shelf_memo.h"

#define BUCKETS 256

static ShelfMemo *buckets[BUCKETS];
static int	nmemos;
static uint64 clock_ticks;

/* Memory context callback that frees a memo, unless the memo is retained. */
typedef struct MemoHolder
{
	MemoryContextCallback callback;
	ShelfMemo  *memo;			/* NULL if the memo is retained */
} MemoHolder;

uint64
shelf_memo_hash(const ColumnKeys *columns, const ColumnWanted *wanted)
{
	uint64		hash = 0;

	for (int c = 0; c < columns->n; c++)
		hash = hash_combine(hash, column_key_hash(&columns->key[c]) + wanted[c].not_null);
	return hash;
}

static bool
same_columns(const ShelfMemo *memo, const ShelfNow *now)
{
	if (memo->hash != now->hash || memo->ncolumns != now->columns->n)
		return false;
	for (int c = 0; c < memo->ncolumns; c++)
		if (!column_key_equal(&memo->column[c].key, &now->columns->key[c]) || memo->column[c].not_null != now->wanted[c].not_null)
			return false;
	return true;
}

/* Return true if all blocks of the shelf are all-visible. */
static bool
is_visible(const ShelfNow *now)
{
	return !XLogRecPtrIsInvalid(now->map->lsn) && map_page_is_visible(now->map, now->nblocks);
}

/* Return the index of a memo's column that has this key; -1 if there is none. */
static int
place_of_column(const ShelfMemo *memo, const ColumnKey *key)
{
	for (int c = 0; c < memo->ncolumns; c++)
		if (column_key_equal(&memo->column[c].key, key))
			return c;
	return -1;
}

/*
 * Find a memo's columns that are wanted; return false if it lacks some.  A
 * column of texts does not count: its references lead to their bytes from a
 * place that all columns of the tablet have in common (tablet_place_texts()).
 */
static bool
find_columns(const ShelfMemo *memo, const ShelfNow *now, uint8 *place)
{
	for (int c = 0; c < now->columns->n; c++)
	{
		const int	found = place_of_column(memo, &now->columns->key[c]);

		if (found < 0 || memo->column[found].has_texts || (now->wanted[c].not_null && memo->column[found].has_nulls))
			return false;
		place[c] = (uint8) found;
	}
	return true;
}

static ShelfMemo **
bucket_of(uint64 generation)
{
	return &buckets[generation % BUCKETS];
}

/* Return the first memo of these blocks in a list, from a memo on; NULL if there is none. */
static ShelfMemo *
first_of_shelf(const ShelfNow *now, ShelfMemo *memo)
{
	while (memo != NULL && (memo->generation != now->generation || memo->nblocks != now->nblocks))
		memo = memo->next;
	return memo;
}

/* Return the memo of the wanted columns of a shelf's tablets, even if it does not hold now; NULL if there is none. */
static ShelfMemo *
find_any(const ShelfNow *now)
{
	ShelfMemo  *memo = first_of_shelf(now, *bucket_of(now->generation));

	while (memo != NULL && !same_columns(memo, now))
		memo = first_of_shelf(now, memo->next);
	return memo;
}

static bool
holds(const ShelfMemo *memo, const ShelfNow *now)
{
	if (validity_same_horizon(&memo->horizon, &now->horizon))
		return true;
	return now->map != NULL && memo->map_lsn == now->map->lsn && is_visible(now);
}

/* Note that a scan uses a memo from now on. */
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
give_room(const ShelfMemo *memo)
{
	if (memo->later != NULL)
		memo_room_give(memo->later, memo->later_bytes);
	memo_room_give((void *) memo, memo->bytes);
}

static void
forget(ShelfMemo *memo)
{
	ShelfMemo **link = bucket_of(memo->generation);

	while (*link != memo)
		link = &(*link)->next;
	*link = memo->next;
	nmemos--;
	if (memo->wider != NULL)
		memo->wider->users--;
	give_room(memo);
}

/* Return the areas that a memo has memory in, a bit each. */
static uint32
slots_of(const ShelfMemo *memo)
{
	return 1u << memo->where | (memo->later != NULL ? 1u << MEMO_LATER : 0);
}

/*
 * Return the memo that was not used for longest, of those that no scan uses and
 * that have memory in some of these areas; NULL if there is none.
 */
static ShelfMemo *
oldest(uint32 slots)
{
	ShelfMemo  *found = NULL;

	for (int b = 0; b < BUCKETS; b++)
		for (ShelfMemo *memo = buckets[b]; memo != NULL; memo = memo->next)
			if (memo->users == 0 && (slots_of(memo) & slots) != 0 && (found == NULL || memo->used < found->used))
				found = memo;
	return found;
}

/* Return true if there may be another memo, if need be in the place of the one that was not used for longest. */
static bool
have_place(void)
{
	ShelfMemo  *gone;

	if (nmemos < SHELF_MEMOS)
		return true;
	gone = oldest(~0u);
	if (gone != NULL)
		forget(gone);
	return gone != NULL;
}

static Size
bytes_of_tablet(int ncolumns)
{
	return MAXALIGN(sizeof(Tablet) + sizeof(TabletColumn) * ncolumns);
}

/* Return the bytes of n tablets, and of where their columns are for other processes. */
static Size
bytes_of_tablets(int ncolumns, uint32 n)
{
	return n * (bytes_of_tablet(ncolumns) + MAXALIGN(sizeof(SharedColumn) * ncolumns));
}

/* Return the bytes of a memo that has n tablets in it, and two that tell of all of them. */
static Size
bytes_of_memo(int ncolumns, uint32 n)
{
	return MAXALIGN(sizeof(ShelfMemo)) + MAXALIGN(sizeof(MemoColumn) * ncolumns) + MAXALIGN(sizeof(uint8) * ncolumns) +
		bytes_of_tablets(ncolumns, n) + 2 * bytes_of_tablet(ncolumns);
}

void *
shelf_memo_room(ShelfMemo *memo, Size bytes)
{
	void	   *start = (uint8 *) memo + memo->filled;

	memo->filled += MAXALIGN(bytes);
	Assert(memo->filled <= memo->bytes);
	return start;
}

static void
let_go(void *arg)
{
	const MemoHolder *holder = arg;

	if (holder->memo != NULL)
		give_room(holder->memo);
}

/* Allocate memory for a memo; those that were not used for longest make room.  Return NULL if scans use all of them. */
static void *
take_room(Size bytes, MemoRoom where)
{
	void	   *start;

	while ((start = memo_room_take(bytes, where)) == NULL)
	{
		ShelfMemo  *gone = oldest(1u << where);

		if (gone == NULL)
			return NULL;
		forget(gone);
	}
	return start;
}

ShelfMemo *
shelf_memo_begin(const ShelfNow *now, uint32 n, MemoryContext context)
{
	const int	ncolumns = now->columns->n;
	const Size	bytes = bytes_of_memo(ncolumns, n);
	const MemoRoom where = now->of_large ? MEMO_HUGE_PAGES : MEMO_SMALL_PAGES;
	MemoHolder *holder = MemoryContextAlloc(context, sizeof(MemoHolder));
	ShelfMemo  *memo = take_room(bytes, where);

	StaticAssertStmt(SHELF_TABLETS <= CACHED_SHELF_MOST, "a device takes no shelf so large");
	if (memo == NULL)
		return NULL;
	memset(memo, 0, offsetof(ShelfMemo, rows));
	memo->generation = now->generation;
	memo->hash = now->hash;
	memo->nblocks = now->nblocks;
	memo->ncolumns = ncolumns;
	memo->bytes = bytes;
	memo->filled = MAXALIGN(sizeof(ShelfMemo));
	memo->where = where;
	memo->holder = holder;
	*holder = (MemoHolder) {.callback = {.func = let_go, .arg = holder}, .memo = memo};
	MemoryContextRegisterResetCallback(context, &holder->callback);
	memo->column = shelf_memo_room(memo, sizeof(MemoColumn) * ncolumns);
	for (int c = 0; c < ncolumns; c++)
		memo->column[c] = (MemoColumn) {.key = now->columns->key[c], .not_null = now->wanted[c].not_null};
	return memo;
}

/* Retain a memo, which has its tablets. */
static void
keep(ShelfMemo *memo, uint32 n, const Tablet *cover, const Tablet *core)
{
	ShelfMemo **bucket = bucket_of(memo->generation);

	memo->shelf.number = memo->generation;
	memo->shelf.ntablets = n;
	memo->shelf.rows = memo->rows;
	memo->shelf.cover = cover;
	memo->shelf.core = core;
	memo->holder->memo = NULL;
	memo->holder = NULL;
	memo->next = *bucket;
	*bucket = memo;
	nmemos++;
}

/* Note what a tablet has in its columns. */
static void
note_columns(ShelfMemo *memo, const Tablet *tablet)
{
	for (int c = 0; c < memo->ncolumns; c++)
	{
		memo->column[c].has_texts |= tablet->column[c].type == COLTYPE_TEXT;
		memo->column[c].has_nulls |= tablet->column[c].null_count > 0;
	}
}

/* Store tablets all of whose rows are valid in their memo, and retain it. */
static void
keep_tablets(ShelfMemo *memo, const CachedRows *rows, uint32 n)
{
	Tablet	   *cover = shelf_memo_room(memo, bytes_of_tablet(memo->ncolumns));
	Tablet	   *core = shelf_memo_room(memo, bytes_of_tablet(memo->ncolumns));

	for (uint32 t = 0; t < n; t++)
	{
		memo->rows[t] = (CachedRows) {rows[t].tablet, NULL, rows[t].nrows, rows[t].column, &memo->shelf, t};
		tablet_cover(cover, rows[t].tablet, t == 0);
		tablet_intersect(core, rows[t].tablet, t == 0);
		note_columns(memo, rows[t].tablet);
	}
	keep(memo, n, cover, core);
}

/* Copy some of a tablet's columns, which stay where they are: offsets are made relative to the copy. */
static void
copy_tablet(Tablet *tablet, const Tablet *from, const uint8 *place, int ncolumns)
{
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
}

/* Copy a tablet of a derived memo, whose room is there, out of the wider memo. */
static void
derive_tablet(ShelfMemo *memo, uint32 t)
{
	const CachedRows *from = &memo->wider->rows[t];
	SharedColumn *column = (SharedColumn *) memo->rows[t].column;

	copy_tablet(memo->rows[t].tablet, from->tablet, memo->shelf.place, memo->ncolumns);
	for (int c = 0; c < memo->ncolumns; c++)
		column[c] = from->column[memo->shelf.place[c]];
}

/* Copy all tablets of a derived memo but the first, which is there. */
static void
complete(CachedShelf *shelf)
{
	ShelfMemo  *memo = (ShelfMemo *) ((uint8 *) shelf - offsetof(ShelfMemo, shelf));

	for (uint32 t = 1; t < shelf->ntablets; t++)
		derive_tablet(memo, t);
	memo->wider->users--;
	memo->wider = NULL;
	shelf->complete = NULL;
}

/* Allocate memory for n more tablets of a memo, which are written later; return false if there is none. */
static bool
take_later(ShelfMemo *memo, uint32 n)
{
	memo->later_bytes = bytes_of_tablets(memo->ncolumns, n);
	memo->later = n > 0 ? take_room(memo->later_bytes, MEMO_LATER) : NULL;
	return n == 0 || memo->later != NULL;
}

/* Derive a memo of the wanted columns from one that has them at `place`; return NULL if there is no room for it. */
static ShelfMemo *
derive(ShelfMemo *wider, const uint8 *place, const ShelfNow *now)
{
	const int	ncolumns = now->columns->n;
	const uint32 n = wider->shelf.ntablets;
	ShelfMemo  *memo = shelf_memo_begin(now, 1, CurrentMemoryContext);
	Tablet	   *cover;
	Tablet	   *core;

	if (memo == NULL || !take_later(memo, n - 1) || !have_place())
		return NULL;
	memo->wider = wider;
	wider->users++;
	memo->shelf.complete = complete;
	memo->shelf.wider = wider->rows;
	memo->shelf.place = memcpy(shelf_memo_room(memo, sizeof(uint8) * ncolumns), place, sizeof(uint8) * ncolumns);
	for (uint32 t = 0; t < n; t++)
	{
		uint8	   *start = t == 0 ? shelf_memo_room(memo, bytes_of_tablets(ncolumns, 1)) : (uint8 *) memo->later + bytes_of_tablets(ncolumns, t - 1);

		memo->rows[t] = (CachedRows) {
			.tablet = (Tablet *) start, .nrows = wider->rows[t].nrows, .column = (SharedColumn *) (start + bytes_of_tablet(ncolumns)),
			.shelf = &memo->shelf, .place = t
		};
	}
	derive_tablet(memo, 0);
	cover = shelf_memo_room(memo, bytes_of_tablet(ncolumns));
	copy_tablet(cover, wider->shelf.cover, place, ncolumns);
	core = shelf_memo_room(memo, bytes_of_tablet(ncolumns));
	copy_tablet(core, wider->shelf.core, place, ncolumns);
	for (int c = 0; c < ncolumns; c++)
		memo->column[c].has_nulls = wider->column[place[c]].has_nulls;
	keep(memo, n, cover, core);
	return memo;
}

/*
 * Return a complete memo that holds now and has the wanted columns among
 * others, and set place[] to where; NULL if there is none.
 */
static ShelfMemo *
find_wider(const ShelfNow *now, uint8 *place)
{
	ShelfMemo  *memo = first_of_shelf(now, *bucket_of(now->generation));

	while (memo != NULL && !(memo->wider == NULL && memo->ncolumns >= now->columns->n && holds(memo, now) && find_columns(memo, now, place)))
		memo = first_of_shelf(now, memo->next);
	return memo;
}

ShelfMemo *
shelf_memo_find(const ShelfNow *now)
{
	ShelfMemo  *memo = find_any(now);

	if (memo == NULL || !holds(memo, now))
	{
		uint8	   *place = palloc(sizeof(uint8) * Max(now->columns->n, 1));
		ShelfMemo  *wider = memo == NULL || now->map != NULL ? find_wider(now, place) : NULL;

		if (wider == NULL)
			return NULL;
		/* the wider memo is not to make room */
		wider->users++;
		if (memo == NULL)
			memo = derive(wider, place, now);
		wider->users--;
		if (memo == NULL)
			return NULL;
		/* rows of a shelf's tablets are those of all their columns */
		memo->map_lsn = wider->map_lsn;
		memo->horizon = wider->horizon;
	}
	if (FullTransactionIdIsValid(now->horizon.end))
		memo->horizon = now->horizon;
	return use(memo);
}

ShelfMemo *
shelf_memo_keep(ShelfMemo *memo, const ShelfNow *now, ShelfProof proof, const CachedRows *rows, uint32 n)
{
	ShelfMemo  *known = find_any(now);
	const bool	proven = proof.by_map && is_visible(now);
	const bool	sure = proof.by_horizon && FullTransactionIdIsValid(now->horizon.end);

	if (!proven && !sure)
		return NULL;
	if (known == NULL)
	{
		if (!have_place())
			return NULL;
		keep_tablets(memo, rows, n);
		known = memo;
	}
	known->map_lsn = proven ? now->map->lsn : InvalidXLogRecPtr;
	known->horizon = sure ? now->horizon : (SnapshotHorizon) {InvalidFullTransactionId, InvalidXLogRecPtr};
	return use(known);
}

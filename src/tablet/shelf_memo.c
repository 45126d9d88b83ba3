/*
 * shelf_memo.c
 *		What this session knows of whole shelves.
 *
 * A few shelves, looked up by their generations.  When all places are taken the
 * one goes that was not used for longest.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "tablet/shelf_memo.h"

static ShelfMemo *memos[SHELF_MEMOS];
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

static bool
is_of(const ShelfMemo *memo, const ShelfNow *now)
{
	return memo != NULL && memo->generation == now->generation && memo->nblocks == now->nblocks && same_columns(memo, now);
}

/* What is remembered of these tablets, whether it holds or not.  Mostly it stands behind what was found last. */
static ShelfMemo *
find_any(const ShelfNow *now)
{
	static int	last = 0;

	for (int i = 1; i <= SHELF_MEMOS; i++)
	{
		const int	place = (last + i) % SHELF_MEMOS;

		if (is_of(memos[place], now))
		{
			last = place;
			return memos[place];
		}
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

ShelfMemo *
shelf_memo_find(const ShelfNow *now)
{
	ShelfMemo  *memo = find_any(now);

	return memo != NULL && holds(memo, now) ? use(memo) : NULL;
}

void
shelf_memo_let_go(ShelfMemo *memo)
{
	memo->users--;
}

/* A place for another memo; NULL if scans have them all. */
static ShelfMemo **
free_place(void)
{
	ShelfMemo **oldest = NULL;

	for (int i = 0; i < SHELF_MEMOS; i++)
	{
		if (memos[i] == NULL)
			return &memos[i];
		if (memos[i]->users == 0 && (oldest == NULL || memos[i]->used < (*oldest)->used))
			oldest = &memos[i];
	}
	if (oldest != NULL)
	{
		MemoryContextDelete((*oldest)->context);
		*oldest = NULL;
	}
	return oldest;
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

/* Note a memo's tablets, and have it outlive the scan. */
static void
complete(ShelfMemo *memo, const CachedRows *rows, uint32 n)
{
	Tablet	   *cover = MemoryContextAlloc(memo->context, sizeof(Tablet) + sizeof(TabletColumn) * memo->ncolumns);

	for (uint32 t = 0; t < n; t++)
	{
		memo->rows[t] = (CachedRows) {rows[t].tablet, NULL, rows[t].nrows, rows[t].column, &memo->shelf, t};
		tablet_cover(cover, rows[t].tablet, t == 0);
	}
	memo->shelf = (CachedShelf) {.number = memo->generation, .ntablets = n, .rows = memo->rows, .cover = cover};
	MemoryContextSetParent(memo->context, TopMemoryContext);
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
		ShelfMemo **place = free_place();

		if (place == NULL)
			return NULL;
		complete(memo, rows, n);
		known = *place = memo;
	}
	known->map_lsn = proven ? now->map->lsn : InvalidXLogRecPtr;
	known->moment = sure ? now->moment : (Moment) {InvalidFullTransactionId, InvalidXLogRecPtr};
	return use(known);
}

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

ShelfMemo *
shelf_memo_find(const ShelfNow *now)
{
	ShelfMemo  *memo = find_any(now);

	if (memo == NULL || !holds(memo, now))
		return NULL;
	memo->used = ++clock_ticks;
	memo->users++;
	return memo;
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

/* A copy of a tablet's head, whose columns stand where they stood. */
static Tablet *
copy_head(const Tablet *from)
{
	const Size	size = sizeof(Tablet) + sizeof(TabletColumn) * from->ncols;
	Tablet	   *to = palloc(size);
	const uint64 farther = (uint64) (uintptr_t) from - (uint64) (uintptr_t) to;

	memcpy(to, from, size);
	to->var += farther;
	for (uint32 c = 0; c < to->ncols; c++)
	{
		to->column[c].values += farther;
		to->column[c].nulls += farther;
	}
	return to;
}

/* The zone maps of some tablets together. */
static Tablet *
cover_of(const CachedRows *rows, uint32 n)
{
	Tablet	   *cover = palloc(sizeof(Tablet) + sizeof(TabletColumn) * rows[0].tablet->ncols);

	for (uint32 t = 0; t < n; t++)
		tablet_cover(cover, rows[t].tablet, t == 0);
	return cover;
}

/* A memo of these tablets. */
static ShelfMemo *
make_memo(const ShelfNow *now, const CachedRows *rows, uint32 n)
{
	const int	ncolumns = now->columns->n;
	MemoryContext context;
	MemoryContext old;
	ShelfMemo  *memo;

	StaticAssertStmt(SHELF_TABLETS <= CACHED_SHELF_MOST, "a device takes no shelf so large");
	context = AllocSetContextCreate(TopMemoryContext, "gpudb shelf", ALLOCSET_SMALL_SIZES);
	old = MemoryContextSwitchTo(context);
	memo = palloc0(sizeof(ShelfMemo));
	memo->generation = now->generation;
	memo->nblocks = now->nblocks;
	memo->ntablets = n;
	memo->ncolumns = ncolumns;
	memo->key = palloc(sizeof(ColumnKey) * Max(ncolumns, 1));
	memo->not_null = palloc(sizeof(bool) * Max(ncolumns, 1));
	for (int c = 0; c < ncolumns; c++)
	{
		memo->key[c] = now->columns->key[c];
		memo->not_null[c] = now->wanted[c].not_null;
	}
	for (uint32 t = 0; t < n; t++)
	{
		SharedColumn *column = palloc(sizeof(SharedColumn) * Max(ncolumns, 1));

		memcpy(column, rows[t].column, sizeof(SharedColumn) * ncolumns);
		memo->rows[t] = (CachedRows) {copy_head(rows[t].tablet), NULL, rows[t].nrows, column, &memo->shelf, t};
	}
	memo->shelf = (CachedShelf) {.number = now->generation, .ntablets = n, .rows = memo->rows, .cover = cover_of(memo->rows, n)};
	memo->context = context;
	MemoryContextSwitchTo(old);
	return memo;
}

void
shelf_memo_add(const ShelfNow *now, ShelfProof proof, const CachedRows *rows, uint32 n)
{
	ShelfMemo  *memo = find_any(now);
	const bool	proven = proof.by_map && is_visible(now);
	const bool	sure = proof.by_moment && FullTransactionIdIsValid(now->moment.end);

	if ((!proven && !sure) || now->columns->n > SHELF_MEMO_COLUMNS)
		return;
	if (memo == NULL)
	{
		ShelfMemo **place = free_place();

		if (place == NULL)
			return;
		memo = *place = make_memo(now, rows, n);
	}
	memo->map_lsn = proven ? now->map->lsn : InvalidXLogRecPtr;
	memo->moment = sure ? now->moment : (Moment) {InvalidFullTransactionId, InvalidXLogRecPtr};
	memo->used = ++clock_ticks;
}

/*
 * shelf_uses.c
 *		Worth of the columns of shelves, and the choice of those that make room for others.
 *
 * As long as a column is cached, queries that want it read no pages.  So a
 * column's worth is how often it is wanted, times the blocks that it is of, by
 * the bytes that it takes: an object's frequency times its cost by its size, as
 * in GreedyDual-Size with Frequency (Cherkasova 1998).  Where that policy ages
 * by the worth of what was evicted last, here uses count less as time passes,
 * as losses do that queries have for want of columns.
 *
 * A column of a shelf makes room for one that is worth clearly more, whose uses
 * are known though it is not cached, since shelves without tablets remain in
 * the directory.  So one scan of a large table does not drive out what is used
 * all day; of a table that is larger than the pool a part stays instead of each
 * scan driving out what the next one wants first; and columns of one shelf can
 * make room for others of that shelf, which the run has pinned.
 */
#include "postgres.h"

#include "access/xact.h"
#include "storage/lwlock.h"

#include "tablet/cache/pool.h"
#include "tablet/cache/shelf.h"
#include "tablet/cache/shelf_private.h"

/* Time, in seconds, after which uses count half. */
#define HALF_LIFE_S		300

/*
 * A column must be worth this many times as much as another one to take its
 * room: those of about the same worth would do it in turn.
 */
#define CLEARLY			1.5

/*
 * Bytes a block that a column counts for at least: what goes with its values,
 * such as NULLs, takes little room and saves no more.
 */
#define BLOCK_BYTES		64

/* Values of ColumnUses.hash for the tablets of a shelf themselves, and for all columns without a slot of their own. */
#define HASH_TABLETS	1
#define HASH_REST		2
#define HASH_FIRST		3

static uint32
hash_of(const ColumnKey *key)
{
	return Max((uint32) column_key_hash(key), HASH_FIRST);
}

static uint32
now_seconds(void)
{
	return (uint32) (GetCurrentStatementStartTimestamp() / USECS_PER_SEC);
}

/* Return the uses of a column, decayed by how long ago they were. */
static double
uses_at(const ColumnUses *column, uint32 now)
{
	return now > column->since ? column->uses * exp2(-(double) (now - column->since) / HALF_LIFE_S) : column->uses;
}

/* Return the slot of a hash; NULL if it has none. */
static ColumnUses *
find_uses(Shelf *shelf, uint32 hash)
{
	for (int u = 0; u < SHELF_USES; u++)
		if (shelf->uses[u].hash == hash)
			return &shelf->uses[u];
	return NULL;
}

/*
 * Return the slot of a hash, taken from a column that is not cached if need be;
 * the last slot is that of all columns that have none.
 */
static ColumnUses *
have_uses(Shelf *shelf, uint32 hash, uint32 now)
{
	ColumnUses *uses = find_uses(shelf, hash);
	ColumnUses *least = NULL;

	if (uses != NULL)
		return uses;
	for (int u = 0; u < SHELF_USES - 1; u++)
		if (shelf->uses[u].bytes == 0 && (least == NULL || uses_at(&shelf->uses[u], now) < uses_at(least, now)))
			least = &shelf->uses[u];
	if (least != NULL)
		*least = (ColumnUses) {.hash = hash, .since = now};
	else
	{
		least = &shelf->uses[SHELF_USES - 1];
		least->hash = HASH_REST;
	}
	return least;
}

static void
note_use(Shelf *shelf, uint32 hash, uint32 now)
{
	ColumnUses *uses = have_uses(shelf, hash, now);

	uses->uses = (float) uses_at(uses, now) + 1;
	uses->since = now;
}

void
shelf_note_uses(Shelf *shelf, const ColumnKeys *keys)
{
	const uint32 now = now_seconds();

	SpinLockAcquire(&shelf->uses_lock);
	note_use(shelf, HASH_TABLETS, now);
	for (int k = 0; k < keys->n; k++)
		note_use(shelf, hash_of(&keys->key[k]), now);
	SpinLockRelease(&shelf->uses_lock);
}

double
shelf_uses(Shelf *shelf, const ColumnKey *key)
{
	const ColumnUses *uses;
	double		n = 0;

	SpinLockAcquire(&shelf->uses_lock);
	uses = find_uses(shelf, hash_of(key));
	if (uses != NULL)
		n = uses_at(uses, now_seconds());
	SpinLockRelease(&shelf->uses_lock);
	return n;
}

/* Accounting, with the pool's lock held exclusively */

static void
account(Shelf *shelf, uint32 hash, uint32 nblocks, Size bytes, bool there)
{
	ColumnUses *uses;

	SpinLockAcquire(&shelf->uses_lock);
	uses = have_uses(shelf, hash, now_seconds());
	if (there)
	{
		uses->blocks += nblocks;
		uses->bytes += bytes;
	}
	else
	{
		uses->blocks -= Min(uses->blocks, nblocks);
		uses->bytes -= Min(uses->bytes, bytes);
	}
	SpinLockRelease(&shelf->uses_lock);
}

void
shelf_account_column(Shelf *shelf, const CachedTablet *tablet, const CachedColumn *column, bool there)
{
	account(shelf, hash_of(&column->key), tablet->notes.nblocks, cached_column_bytes(column, tablet->nrows, coltype_bytes(column->stored.type)), there);
}

void
shelf_account_tablet(Shelf *shelf, const CachedTablet *tablet, bool there)
{
	account(shelf, HASH_TABLETS, tablet->notes.nblocks, CACHED_TABLET_BYTES, there);
	for (dsa_pointer c = tablet->columns; DsaPointerIsValid(c); c = ((const CachedColumn *) pool_address(c))->next)
		shelf_account_column(shelf, tablet, pool_address(c), there);
}

/* Making room */

/* Column that is worth least of all those that may make room. */
typedef struct Victim
{
	double		limit;			/* columns that are worth this much stay */
	Shelf	   *shelf;			/* NULL = no column may go */
	ColumnUses *uses;
	double		worth;
	Size		bytes;			/* bytes of all columns that may go */
} Victim;

static bool
is_wanted(const ShelfRoom *room, uint32 hash)
{
	for (int k = 0; k < room->keys->n; k++)
		if (hash_of(&room->keys->key[k]) == hash)
			return true;
	return false;
}

static void
consider(Shelf *shelf, ColumnUses *uses, uint32 now, Victim *victim)
{
	const double worth = uses_at(uses, now) * uses->blocks / (double) uses->bytes;

	if (worth >= victim->limit)
		return;
	victim->bytes += uses->bytes;
	if (victim->shelf != NULL && (worth > victim->worth ||
								  (worth == victim->worth && pg_atomic_read_u64(&shelf->used) >= pg_atomic_read_u64(&victim->shelf->used))))
		return;
	victim->shelf = shelf;
	victim->uses = uses;
	victim->worth = worth;
}

/*
 * Consider the columns of a shelf that may go: of the caller's own shelf, all
 * but those that are wanted; of another shelf, all, and its tablets once it has
 * no columns.
 */
static void
consider_shelf(Shelf *shelf, const ShelfRoom *room, bool own, uint32 now, Victim *victim)
{
	ColumnUses *tablets = NULL;
	bool		columns = false;

	for (int u = 0; u < SHELF_USES; u++)
	{
		ColumnUses *uses = &shelf->uses[u];

		if (uses->bytes == 0)
			continue;
		if (uses->hash == HASH_TABLETS)
		{
			tablets = uses;
			continue;
		}
		columns = true;
		if (!own || (uses->hash != HASH_REST && !is_wanted(room, uses->hash)))
			consider(shelf, uses, now, victim);
	}
	if (tablets != NULL && !columns && !own)
		consider(shelf, tablets, now, victim);
}

/* Free a tablet's columns of a hash, or, with HASH_REST, its columns that have no slot. */
static void
drop_columns_of(Shelf *shelf, CachedTablet *tablet, uint32 hash)
{
	dsa_pointer *link = &tablet->columns;

	while (DsaPointerIsValid(*link))
	{
		const dsa_pointer pointer = *link;
		CachedColumn *column = pool_address(pointer);
		const uint32 own = hash_of(&column->key);

		if (own != hash && (hash != HASH_REST || find_uses(shelf, own) != NULL))
		{
			link = &column->next;
			continue;
		}
		*link = column->next;
		column->next = InvalidDsaPointer;
		shelf_drop_columns(pointer);
	}
}

static void
drop_victim(const Victim *victim)
{
	Shelf	   *shelf = victim->shelf;

	/* sessions with memos of the shelf's columns forget them */
	shelf_note_change(shelf);
	for (int t = 0; t < SHELF_TABLETS; t++)
	{
		if (!DsaPointerIsValid(shelf->tablet[t]))
			continue;
		drop_columns_of(shelf, pool_address(shelf->tablet[t]), victim->uses->hash);
		if (victim->uses->hash == HASH_TABLETS)
		{
			shelf_drop_tablet(shelf->tablet[t]);
			shelf->tablet[t] = InvalidDsaPointer;
		}
	}
	victim->uses->blocks = 0;
	victim->uses->bytes = 0;
}

bool
shelf_make_room(Size bytes, const ShelfRoom *room)
{
	const uint32 now = now_seconds();
	HASH_SEQ_STATUS all;
	Shelf	   *shelf;
	Victim		victim = {room->uses * room->blocks / (double) Max(bytes, (Size) room->blocks * BLOCK_BYTES) / CLEARLY};
	bool		made = false;

	LWLockAcquire(pool_lock(), LW_EXCLUSIVE);
	hash_seq_init(&all, shelf_directory);
	while ((shelf = hash_seq_search(&all)) != NULL)
	{
		const uint32 pins = pg_atomic_read_u32(&shelf->pins);

		if (pins == 0 && DsaPointerIsValid(shelf->retired))
		{
			shelf_drop_retired(shelf);
			made = true;
		}
		if (pins == 0 && pg_atomic_read_u64(&shelf->used) <= room->since)
			consider_shelf(shelf, room, false, now, &victim);
		else if (shelf == room->shelf && pins == 1)
			consider_shelf(shelf, room, true, now, &victim);
	}
	/* columns that go in vain for something large would be missed */
	if (!made && victim.shelf != NULL && victim.bytes >= bytes)
	{
		drop_victim(&victim);
		made = true;
	}
	LWLockRelease(pool_lock());
	return made;
}

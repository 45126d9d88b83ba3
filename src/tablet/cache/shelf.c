/*
 * shelf.c
 *		Cached tablets, grouped into shelves: finding, pinning, building.
 *
 * The directory is a hash table in PostgreSQL's shared memory; everything else
 * is in the pool.  One lock, pool_lock(), protects both: shared to read,
 * exclusive to change.  Pins are counted without it, since what ends a query
 * must not wait: they begin under the lock, shared at least, so whoever has it
 * exclusively and sees none may free.  What is replaced while others have it
 * pinned retires, and is freed when the last pin goes.
 */
#include "postgres.h"

#include "access/xact.h"
#include "miscadmin.h"
#include "port/atomics.h"
#include "port/pg_bitutils.h"
#include "storage/lwlock.h"
#include "storage/shmem.h"
#include "utils/hsearch.h"

#include "core/device_api.h"
#include "core/hash.h"
#include "guc.h"
#include "pg_compat.h"
#include "tablet/cache/pool.h"
#include "tablet/cache/shelf.h"
#include "tablet/cache/shelf_private.h"

StaticAssertDecl(SHELF_BLOCKS % SHELF_TABLETS == 0, "tablets tile a shelf");

/*
 * Number of shelves that the directory has room for, for each MB of the pool,
 * within bounds: its memory is taken when the server starts.
 */
#define SHELVES_PER_MB	2
#define SHELVES_LEAST	64
#define SHELVES_MOST	65536

/* A column of a tablet may take the pool's size divided by this. */
#define POOL_SHARE		8

/* Number of queries that do not try to build a tablet after one that could not. */
#define WAITS			3

/*
 * The number of queries that do not try to build a tablet doubles each time
 * that the tablet is replaced before any query has used it, at most this many
 * times.
 */
#define DOUBLED_MOST	4

/* Size from which on dsa.c gives pages of their own: larger than its largest class. */
#define OWN_PAGES		8193

/* A column's bytes divided by this may be left empty behind them. */
#define WASTE			16

HTAB	   *shelf_directory = NULL;

static long
most_shelves(void)
{
	return Min(Max(SHELVES_LEAST, (long) gpudb_pool_size * SHELVES_PER_MB), SHELVES_MOST);
}

void
shelf_request_shmem(void)
{
	if (pool_bytes() == 0)
		return;
	RequestAddinShmemSpace(add_size(hash_estimate_size(most_shelves(), sizeof(Shelf)), shelf_clock_bytes()));
}

void
shelf_create(void)
{
	HASHCTL		info = {.keysize = sizeof(ShelfKey), .entrysize = sizeof(Shelf)};

	if (!pool_exists())
		return;
	LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
	shelf_directory = ShmemInitHash("gpudb shelves", most_shelves(), most_shelves(), &info, HASH_ELEM | HASH_BLOBS | HASH_FIXED_SIZE);
	shelf_clock_create();
	LWLockRelease(AddinShmemInitLock);
}

/* Finding */

static ShelfKey
key_of(Relation relation, uint32 number)
{
	return (ShelfKey) {
		.tablespace = compat_relation_tablespace(relation), .database = MyDatabaseId,
		.file = compat_relation_file(relation), .number = number
	};
}

static void
pin(Shelf *shelf)
{
	pg_atomic_fetch_add_u32(&shelf->pins, 1);
	pg_atomic_write_u64(&shelf->used, shelf_next_number());
	pg_atomic_write_u64(&shelf->last_use, (uint64) GetCurrentStatementStartTimestamp());
}

/*
 * Enter a new shelf into the directory, or find the one that another process
 * has just entered; the lock is held exclusively.
 */
static Shelf *
enter(const ShelfKey *key)
{
	bool		found;
	Shelf	   *shelf = hash_search(shelf_directory, key, HASH_ENTER_NULL, &found);

	if (shelf == NULL || found)
		return shelf;
	pg_atomic_init_u32(&shelf->pins, 0);
	pg_atomic_init_u32(&shelf->claimed, 0);
	pg_atomic_init_u64(&shelf->generation, shelf_next_number());
	pg_atomic_init_u64(&shelf->used, 0);
	pg_atomic_init_u64(&shelf->last_use, 0);
	for (int t = 0; t < SHELF_TABLETS; t++)
	{
		pg_atomic_init_u32(&shelf->waits[t], 0);
		pg_atomic_init_u32(&shelf->hits[t], 0);
		shelf->rebuilds[t] = shelf->unused[t] = shelf->hits_before[t] = shelf->in_vain[t] = 0;
		shelf->tablet[t] = InvalidDsaPointer;
	}
	SpinLockInit(&shelf->uses_lock);
	memset(shelf->uses, 0, sizeof(shelf->uses));
	shelf->nretired = 0;
	shelf->retired = InvalidDsaPointer;
	return shelf;
}

Shelf *
shelf_pin(Relation relation, uint32 number)
{
	const ShelfKey key = key_of(relation, number);
	const uint64 since = shelf_time();
	Shelf	   *shelf;

	/* unpinning may free, and must not fail */
	pool_attach();
	LWLockAcquire(pool_lock(), LW_SHARED);
	shelf = hash_search(shelf_directory, &key, HASH_FIND, NULL);
	if (shelf != NULL)
		pin(shelf);
	LWLockRelease(pool_lock());
	if (shelf == NULL && number == 0)
		shelf_drop_orphans();
	while (shelf == NULL)
	{
		LWLockAcquire(pool_lock(), LW_EXCLUSIVE);
		shelf = enter(&key);
		if (shelf != NULL)
			pin(shelf);
		LWLockRelease(pool_lock());
		if (shelf == NULL && !shelf_evict_oldest(since))
			break;
	}
	return shelf;
}

void
shelf_unpin(Shelf *shelf)
{
	if (pg_atomic_sub_fetch_u32(&shelf->pins, 1) > 0 || !DsaPointerIsValid(shelf->retired))
		return;
	/* not worth waiting for: the next process that gets the lock frees them */
	if (!LWLockConditionalAcquire(pool_lock(), LW_EXCLUSIVE))
		return;
	if (pg_atomic_read_u32(&shelf->pins) == 0)
		shelf_drop_retired(shelf);
	LWLockRelease(pool_lock());
}

bool
column_key_equal(const ColumnKey *a, const ColumnKey *b)
{
	return a->attno == b->attno && a->scale == b->scale && a->second == b->second && a->packed == b->packed &&
		a->fingerprint == b->fingerprint && a->dict_number == b->dict_number;
}

uint64
column_key_hash(const ColumnKey *key)
{
	const uint64 form = (uint64) (uint16) key->attno | (uint64) (uint16) key->scale << 16 | (uint64) key->second << 32 | (uint64) key->packed << 33;

	return hash_combine(hash_combine(form, key->fingerprint), key->dict_number);
}

static const CachedColumn *
find_column(const CachedTablet *tablet, const ColumnKey *key)
{
	for (dsa_pointer c = tablet->columns; DsaPointerIsValid(c);)
	{
		const CachedColumn *column = pool_address(c);

		if (column_key_equal(&column->key, key))
			return column;
		c = column->next;
	}
	return NULL;
}

uint64
shelf_generation(const Shelf *shelf)
{
	return pg_atomic_read_u64((pg_atomic_uint64 *) &shelf->generation);
}

/*
 * Find the columns of all tablets.  Each tablet lists its columns one after the
 * other, wherever they are in memory; a step along all lists at a time makes
 * the processor fetch many of them together.
 */
static void
find_columns(const Shelf *shelf, const ColumnKeys *keys, FoundTablet *found)
{
	const CachedColumn *next[SHELF_TABLETS];
	uint32		left = 0;

	for (int t = 0; t < SHELF_TABLETS; t++)
	{
		const CachedTablet *cached = pool_address(shelf->tablet[t]);

		next[t] = cached != NULL ? pool_address(cached->columns) : NULL;
		if (next[t] != NULL)
			left |= (uint32) 1 << t;
	}
	while (left != 0)
		for (uint32 lists = left; lists != 0; lists &= lists - 1)
		{
			const int	t = pg_rightmost_one_pos32(lists);
			const CachedColumn *column = next[t];

			for (int k = 0; k < keys->n; k++)
				if (found[t].column[k] == NULL && column_key_equal(&column->key, &keys->key[k]))
					found[t].column[k] = column;
			next[t] = pool_address(column->next);
			if (next[t] != NULL)
				core_prefetch(next[t]);
			else
				left &= ~((uint32) 1 << t);
		}
}

void
shelf_find(const Shelf *shelf, const ColumnKeys *keys, FoundTablet *found)
{
	LWLockAcquire(pool_lock(), LW_SHARED);
	for (int t = 0; t < SHELF_TABLETS; t++)
		if (DsaPointerIsValid(shelf->tablet[t]))
			for (Size line = 0; line < sizeof(CachedTablet); line += CORE_LINE_BYTES)
				core_prefetch((const char *) pool_address(shelf->tablet[t]) + line);
	for (int t = 0; t < SHELF_TABLETS; t++)
	{
		const CachedTablet *cached = pool_address(shelf->tablet[t]);

		found[t].notes = cached != NULL ? &cached->notes : NULL;
		memset(found[t].column, 0, sizeof(CachedColumn *) * keys->n);
		if (cached == NULL)
			continue;
		found[t].stamp = cached->stamp;
		found[t].nrows = cached->nrows;
	}
	find_columns(shelf, keys, found);
	LWLockRelease(pool_lock());
}

/* Return true if a tablet has columns of all these keys. */
static bool
has_columns(const CachedTablet *cached, const ColumnKeys *keys)
{
	for (int k = 0; k < keys->n; k++)
		if (find_column(cached, &keys->key[k]) == NULL)
			return false;
	return true;
}

/* Return the number of tablets of which one is sampled. */
static uint32
step_of_samples(uint32 nshelves)
{
	return (nshelves * SHELF_TABLETS + GUESS_TABLETS - 1) / GUESS_TABLETS;
}

/*
 * Call `look` for the tablet slots of a relation's shelves, or for some of
 * many; return how many tablets each stands for.  Shelves that the directory
 * does not have are left out.
 */
static uint32
look_at_some(Relation relation, uint32 nshelves, const ColumnKeys *keys, void (*look) (const Shelf *shelf, uint32 tablet, const ColumnKeys *keys, void *arg),
			 void *arg)
{
	const uint32 step = step_of_samples(nshelves);
	const Shelf *shelf = NULL;
	uint32		number = nshelves;	/* number of `shelf` */

	LWLockAcquire(pool_lock(), LW_SHARED);
	for (uint32 t = 0; t < nshelves * SHELF_TABLETS; t += step)
	{
		if (number != t / SHELF_TABLETS)
		{
			const ShelfKey key = key_of(relation, t / SHELF_TABLETS);

			shelf = hash_search(shelf_directory, &key, HASH_FIND, NULL);
			number = t / SHELF_TABLETS;
		}
		if (shelf != NULL)
			look(shelf, t % SHELF_TABLETS, keys, arg);
	}
	LWLockRelease(pool_lock());
	return step;
}

/* Argument of sample_tablet(). */
typedef struct Sampling
{
	TabletSample *samples;
	uint32		n;
} Sampling;

static void
sample_tablet(const Shelf *shelf, uint32 tablet, const ColumnKeys *keys, void *arg)
{
	const CachedTablet *cached = pool_address(shelf->tablet[tablet]);
	const BlockNotes *notes;
	Sampling   *sampling = arg;
	TabletSample *sample;
	uint32		step;

	if (cached == NULL)
		return;
	notes = &cached->notes;
	sample = &sampling->samples[sampling->n++];
	*sample = (TabletSample) {
		.tablet = shelf->key.number * SHELF_TABLETS + tablet,
		.nblocks = notes->nblocks - block_set_count(&cached->stamp.lost),
		.map_lsn = block_set_covers(&cached->stamp.proven, notes->nblocks) ? cached->stamp.map_lsn : InvalidXLogRecPtr
	};
	step = notes->nblocks / GUESS_BLOCKS + 1;
	/* tablets are sampled at different places */
	for (uint32 block = tablet * 7 % step; block < notes->nblocks; block += step)
		if (!block_set_has(&cached->stamp.lost, block))
		{
			sample->block[sample->nsampled] = notes->first + block;
			sample->lsn[sample->nsampled++] = notes->pages->lsn[block];
		}
}

uint32
shelf_sample(Relation relation, uint32 nshelves, TabletSample *samples, uint32 *step)
{
	Sampling	sampling = {samples};

	*step = look_at_some(relation, nshelves, NULL, sample_tablet, &sampling);
	return sampling.n;
}

/* Argument of note_if_has_columns(). */
typedef struct SampledWith
{
	uint32		step;
	uint64		bits;
} SampledWith;

static void
note_if_has_columns(const Shelf *shelf, uint32 tablet, const ColumnKeys *keys, void *arg)
{
	const CachedTablet *cached = pool_address(shelf->tablet[tablet]);
	SampledWith *with = arg;

	if (cached != NULL && has_columns(cached, keys))
		with->bits |= UINT64CONST(1) << (shelf->key.number * SHELF_TABLETS + tablet) / with->step;
}

uint64
shelf_sampled_with(Relation relation, uint32 nshelves, const ColumnKeys *keys)
{
	SampledWith with = {.step = step_of_samples(nshelves)};

	StaticAssertStmt(GUESS_TABLETS <= 64, "samples are more than bits");
	look_at_some(relation, nshelves, keys, note_if_has_columns, &with);
	return with.bits;
}

static void
widen_bounds(const Shelf *shelf, uint32 tablet, const ColumnKeys *keys, void *arg)
{
	const CachedTablet *cached = pool_address(shelf->tablet[tablet]);
	const CachedColumn *column = cached != NULL ? find_column(cached, &keys->key[0]) : NULL;
	ShelfBounds *bounds = arg;

	if (column == NULL || !tablet_column_has_range(&column->stored))
		return;
	bounds->least = Min(bounds->least, wide_load(column->stored.min));
	bounds->largest = Max(bounds->largest, wide_load(column->stored.max));
}

ShelfBounds
shelf_bounds(Relation relation, uint32 nshelves, const ColumnKeys *keys)
{
	ShelfBounds bounds = {WIDE_MAX, WIDE_MIN};

	look_at_some(relation, nshelves, keys, widen_bounds, &bounds);
	return bounds;
}

void
shelf_note_wanted(Relation relation, uint32 nshelves, const ColumnKeys *keys)
{
	if (shelf_directory == NULL)
		return;
	LWLockAcquire(pool_lock(), LW_SHARED);
	for (uint32 s = 0; s < nshelves; s++)
	{
		const ShelfKey key = key_of(relation, s);
		Shelf	   *shelf = hash_search(shelf_directory, &key, HASH_FIND, NULL);

		if (shelf != NULL)
			shelf_note_uses(shelf, keys);
	}
	LWLockRelease(pool_lock());
}

void
shelf_count_hit(Shelf *shelf, uint32 tablet)
{
	pg_atomic_fetch_add_u32(&shelf->hits[tablet], 1);
}

void
shelf_count_hits(Shelf *shelf, uint32 ntablets)
{
	/* two queries may count as one, which does no harm; additions that nobody disturbs take longer */
	for (uint32 t = 0; t < ntablets; t++)
		pg_atomic_write_u32(&shelf->hits[t], pg_atomic_read_u32(&shelf->hits[t]) + 1);
}

void
shelf_restamp(Shelf *shelf, uint32 tablet, const FoundTablet *found, const TabletStamp *stamp)
{
	CachedTablet *cached;

	LWLockAcquire(pool_lock(), LW_EXCLUSIVE);
	cached = pool_address(shelf->tablet[tablet]);
	/* only if it is still the tablet that was found, and nobody has found out more */
	if (cached != NULL && &cached->notes == found->notes && memcmp(&cached->stamp, &found->stamp, sizeof(TabletStamp)) == 0)
		cached->stamp = *stamp;
	LWLockRelease(pool_lock());
}

/* Building */

bool
shelf_worth_building(Shelf *shelf, uint32 tablet)
{
	uint32		waits = pg_atomic_read_u32(&shelf->waits[tablet]);

	/* two queries may count as one, which does no harm */
	if (waits > 0)
		pg_atomic_write_u32(&shelf->waits[tablet], waits - 1);
	return waits == 0;
}

void
shelf_build_at_once(Relation relation, uint32 first, uint32 n)
{
	const ShelfKey key = key_of(relation, first / SHELF_TABLETS);
	Shelf	   *shelf;

	LWLockAcquire(pool_lock(), LW_SHARED);
	shelf = hash_search(shelf_directory, &key, HASH_FIND, NULL);
	for (uint32 t = 0; t < n && shelf != NULL; t++)
		pg_atomic_write_u32(&shelf->waits[first % SHELF_TABLETS + t], 0);
	LWLockRelease(pool_lock());
}

bool
shelf_claim(Shelf *shelf, uint32 tablet)
{
	const uint32 bit = (uint32) 1 << tablet;

	return (pg_atomic_fetch_or_u32(&shelf->claimed, bit) & bit) == 0;
}

void
shelf_unclaim(Shelf *shelf, uint32 tablet, bool built)
{
	pg_atomic_write_u32(&shelf->waits[tablet], built ? (1u << Min(shelf->in_vain[tablet], DOUBLED_MOST)) - 1 : WAITS);
	pg_atomic_fetch_and_u32(&shelf->claimed, ~((uint32) 1 << tablet));
}

dsa_pointer
shelf_allocate(Size bytes, const ShelfRoom *room)
{
	dsa_pointer pointer;

	/* no columns go for one that would not leave room for others */
	if (bytes > pool_bytes() / POOL_SHARE)
		return InvalidDsaPointer;
	pointer = pool_allocate(bytes);
	if (!DsaPointerIsValid(pointer))
		shelf_drop_orphans();
	while (!DsaPointerIsValid(pointer) && shelf_make_room(bytes, room))
		pointer = pool_allocate(bytes);
	return pointer;
}

/*
 * Allocate memory for values.  An allocation with pages of its own begins at a
 * page; a smaller one may begin at any multiple of 8, which does for all values
 * but those of 16 bytes.
 */
dsa_pointer
shelf_allocate_values(Size bytes, Size value_bytes, const ShelfRoom *room)
{
	return shelf_allocate(value_bytes > MAXIMUM_ALIGNOF ? Max(bytes, OWN_PAGES) : bytes, room);
}

/* Copy bytes to the pool, or nothing if bytes is 0; return false without room. */
static bool
store(const void *from, Size bytes, Size value_bytes, const ShelfRoom *room, dsa_pointer *to)
{
	if (bytes == 0)
		return true;
	*to = shelf_allocate_values(bytes, value_bytes, room);
	if (DsaPointerIsValid(*to))
		memcpy(pool_address(*to), from, bytes);
	return DsaPointerIsValid(*to);
}

/*
 * Take over what was built in the pool, as it lies there, or a copy of it if
 * much of its room would be wasted; return false without room.
 */
static bool
take(dsa_pointer *built, Size *taken, Size bytes, Size value_bytes, const ShelfRoom *room, dsa_pointer *to)
{
	if (bytes == 0 || *taken - bytes > bytes / WASTE)
		return store(pool_address(*built), bytes, value_bytes, room, to);
	*to = *built;
	*built = InvalidDsaPointer;
	*taken = 0;
	return true;
}

dsa_pointer
shelf_make_column(const ColumnKey *key, ColumnBuild *built, uint32 nrows)
{
	const ShelfRoom *room = &built->room_for;
	dsa_pointer pointer = shelf_allocate(sizeof(CachedColumn), room);
	const Size	value_bytes = coltype_bytes(built->stored.type);
	CachedColumn *column;

	if (!DsaPointerIsValid(pointer))
		return pointer;
	column = pool_address(pointer);
	*column = (CachedColumn) {
		.next = InvalidDsaPointer, .number = shelf_next_number(), .key = *key, .stored = built->stored,
		.values = InvalidDsaPointer, .nulls = InvalidDsaPointer, .texts = InvalidDsaPointer, .text_bytes = built->text_bytes
	};
	if (take(&built->values, &built->room, value_bytes * nrows, value_bytes, room, &column->values) &&
		take(&built->texts, &built->text_room, built->text_bytes, 1, room, &column->texts) &&
		store(built->nulls, built->null_count > 0 ? tablet_bitmap_bytes(nrows) : 0, sizeof(uint64), room, &column->nulls))
		return pointer;
	shelf_drop_columns(pointer);
	return InvalidDsaPointer;
}

/* Add columns that a tablet does not have yet, and free the others, which other processes were faster to add. */
static void
add_columns(Shelf *shelf, CachedTablet *tablet, dsa_pointer columns)
{
	while (DsaPointerIsValid(columns))
	{
		dsa_pointer pointer = columns;
		CachedColumn *column = pool_address(pointer);

		columns = column->next;
		column->next = InvalidDsaPointer;
		if (find_column(tablet, &column->key) != NULL)
			shelf_drop_columns(pointer);
		else
		{
			column->next = tablet->columns;
			tablet->columns = pointer;
			shelf_note_contents();
			shelf_account_column(shelf, tablet, column, true);
		}
	}
}

/* Return true if a tablet has all the rows of one that was built just now. */
static bool
same_rows(const CachedTablet *tablet, const TabletStamp *stamp, const BlockNotes *notes)
{
	if (tablet->notes.nblocks != notes->nblocks ||
		memcmp(tablet->notes.pages->ntuples, notes->pages->ntuples, notes->nblocks * sizeof(notes->pages->ntuples[0])) != 0)
		return false;
	for (uint32 block = 0; block < notes->nblocks; block++)
		if (!block_set_has(&stamp->lost, block) &&
			(block_set_has(&tablet->stamp.lost, block) || tablet->notes.pages->lsn[block] != notes->pages->lsn[block]))
			return false;
	return true;
}

/* Make a tablet without columns; return InvalidDsaPointer without room. */
static dsa_pointer
make_tablet(const TabletStamp *stamp, const BlockNotes *notes, const ShelfRoom *room)
{
	const dsa_pointer pages = shelf_allocate(sizeof(PageNotes), room);
	const dsa_pointer made = DsaPointerIsValid(pages) ? shelf_allocate(sizeof(CachedTablet), room) : InvalidDsaPointer;
	CachedTablet *tablet = pool_address(made);

	if (tablet == NULL)
	{
		pool_free(pages);
		return InvalidDsaPointer;
	}
	*tablet = (CachedTablet) {.stamp = *stamp, .columns = InvalidDsaPointer, .pages = pages, .notes = *notes};
	tablet->notes.pages = pool_address(pages);
	*tablet->notes.pages = *notes->pages;
	for (uint32 block = 0; block < notes->nblocks; block++)
		tablet->nrows += notes->pages->ntuples[block];
	return made;
}

bool
shelf_publish(Shelf *shelf, uint32 tablet, const TabletStamp *stamp, const BlockNotes *notes, dsa_pointer columns, const ShelfRoom *room)
{
	dsa_pointer made = make_tablet(stamp, notes, room);
	CachedTablet *cached;

	LWLockAcquire(pool_lock(), LW_EXCLUSIVE);
	cached = pool_address(shelf->tablet[tablet]);
	if (cached == NULL || !same_rows(cached, stamp, notes))
	{
		cached = shelf->nretired < MOST_RETIRED ? pool_address(made) : NULL;
		if (cached != NULL)
		{
			shelf_replace(shelf, tablet, made);
			made = InvalidDsaPointer;
		}
	}
	if (cached != NULL)
	{
		/* some columns lack the blocks that either of the two has lost */
		block_set_join(&cached->stamp.lost, &stamp->lost);
		if (FullTransactionIdPrecedes(cached->notes.newest, notes->newest))
			cached->notes.newest = notes->newest;
		add_columns(shelf, cached, columns);
	}
	else
		shelf_drop_columns(columns);
	LWLockRelease(pool_lock());
	shelf_drop_tablet(made);
	return cached != NULL;
}

/*
 * shelf_private.h
 *		Shelves as they are in shared memory, for shelf.c, shelf_free.c, shelf_uses.c and dict.c.
 */
#ifndef GPUDB_TABLET_CACHE_SHELF_PRIVATE_H
#define GPUDB_TABLET_CACHE_SHELF_PRIVATE_H

#include "postgres.h"

#include "port/atomics.h"
#include "storage/spin.h"
#include "utils/hsearch.h"

#include "core/tablet/tablet_format.h"
#include "tablet/cache/shelf.h"

/*
 * Largest number of tablets of a shelf that were replaced while it was in use;
 * beyond it no tablet is replaced until nobody uses the shelf.
 */
#define MOST_RETIRED	SHELF_TABLETS

typedef struct ShelfKey
{
	Oid			tablespace;
	Oid			database;
	Oid			file;
	uint32		number;
} ShelfKey;

/*
 * Descriptor of a cached tablet.  A scan reads the descriptors of all tablets
 * of a table, so they are small, and those of many tablets are adjacent.
 */
typedef struct CachedTablet
{
	dsa_pointer next;			/* next retired tablet of the shelf */
	TabletStamp stamp;
	uint32		nrows;
	dsa_pointer columns;
	dsa_pointer pages;			/* memory of notes.pages */
	BlockNotes	notes;			/* never changed, except by columns that join */
} CachedTablet;

/* Bytes of a cached tablet without its columns. */
#define CACHED_TABLET_BYTES (sizeof(CachedTablet) + sizeof(PageNotes))

/* Use of a column of a shelf, whether it is cached or not, and what is cached of it. */
typedef struct ColumnUses
{
	uint32		hash;			/* hash of the column's key; 0 = free slot */
	float		uses;			/* number of uses, decayed to `since` */
	uint32		since;			/* time of `uses`, in seconds since 2000 */
	uint32		blocks;			/* blocks of the tablets that have the column */
	Size		bytes;			/* bytes of the column in all tablets of the shelf */
} ColumnUses;

/* Number of columns of a shelf whose uses are counted. */
#define SHELF_USES	32

struct Shelf
{
	ShelfKey	key;
	pg_atomic_uint32 pins;
	pg_atomic_uint32 claimed;	/* a bit for each tablet that is being built */
	pg_atomic_uint64 generation;
	pg_atomic_uint64 used;		/* time of the last pin, by the pool's clock */
	pg_atomic_uint64 last_use;	/* TimestampTz of the last pin */
	pg_atomic_uint32 waits[SHELF_TABLETS];	/* queries that are still not to try to build a tablet */
	pg_atomic_uint32 hits[SHELF_TABLETS];	/* queries that used a tablet */
	uint32		rebuilds[SHELF_TABLETS];	/* times that a tablet was replaced */
	uint32		unused[SHELF_TABLETS];	/* times that a tablet was replaced before any query had used it */
	uint32		in_vain[SHELF_TABLETS];	/* number of the latest replacements in a row before any use */
	uint32		hits_before[SHELF_TABLETS];	/* hits[] when the present tablet was published */
	slock_t		uses_lock;		/* protects uses[] */
	ColumnUses	uses[SHELF_USES];
	dsa_pointer tablet[SHELF_TABLETS];
	uint32		nretired;
	dsa_pointer retired;
};

/* Hash table of all shelves; protected by pool_lock(). */
extern HTAB *shelf_directory;

/* Return how many bytes a column of nrows rows takes, if each value takes value_bytes. */
static inline Size
cached_column_bytes(const CachedColumn *column, uint32 nrows, uint32 value_bytes)
{
	return (Size) value_bytes * nrows + column->text_bytes + (DsaPointerIsValid(column->nulls) ? tablet_bitmap_bytes(nrows) : 0);
}

/*
 * Allocate memory in the pool for what is cached, where other columns make
 * room; return InvalidDsaPointer if there is no room, or `bytes` is a large
 * part of the pool.
 */
extern dsa_pointer shelf_allocate(Size bytes, const ShelfRoom *room);

/*
 * Account for a column, or for a tablet with its columns, that is cached now,
 * or no longer (shelf_uses.c); pool_lock() is held exclusively.
 */
extern void shelf_account_column(Shelf *shelf, const CachedTablet *tablet, const CachedColumn *column, bool there);
extern void shelf_account_tablet(Shelf *shelf, const CachedTablet *tablet, bool there);

/*
 * Free the column that is worth least, if that is clearly less than what `room`
 * is for, of `bytes` bytes, is worth (shelf_uses.c); return false if nothing
 * was freed.
 */
extern bool shelf_make_room(Size bytes, const ShelfRoom *room);

/* Free a tablet that nobody has pinned; pool_lock() is held exclusively, unless no process can find the tablet yet. */
extern void shelf_drop_tablet(dsa_pointer tablet);

/* Return true if a relation's file is gone: dropped, truncated, or replaced by a rewrite. */
extern bool shelf_file_is_gone(Oid database, Oid tablespace, Oid file);

/*
 * Give a shelf a new generation, since its tablets or columns are replaced or
 * freed; pool_lock() is held exclusively.
 */
extern void shelf_note_change(Shelf *shelf);

/*
 * Note that columns or tablets are cached that were not, or a shelf is freed;
 * pool_lock() is held exclusively.
 */
extern void shelf_note_contents(void);

/* Bytes of shared memory for the pool's clock, and attaching to it (shelf_clock.c); AddinShmemInitLock is held. */
extern Size shelf_clock_bytes(void);
extern void shelf_clock_create(void);

/* Put another tablet, or none, in the place of a shelf's tablet, which retires; pool_lock() is held exclusively. */
extern void shelf_replace(Shelf *shelf, uint32 tablet, dsa_pointer by);

/* Free the retired tablets of a shelf that nobody has pinned; pool_lock() is held exclusively. */
extern void shelf_drop_retired(Shelf *shelf);

/*
 * Free the least recently used shelf that is not pinned, and was not after
 * `since`, for its place in the directory; return false if there is none.
 */
extern bool shelf_evict_oldest(uint64 since);

/*
 * Free shelves whose relations' files are gone; most calls do nothing, since
 * each session looks at most once in ORPHANS_MS.
 */
extern void shelf_drop_orphans(void);

#endif							/* GPUDB_TABLET_CACHE_SHELF_PRIVATE_H */

/*
 * shelf_private.h
 *		What shelf.c and shelf_free.c share: shelves as they lie in shared memory.
 */
#ifndef GPUDB_TABLET_SHELF_PRIVATE_H
#define GPUDB_TABLET_SHELF_PRIVATE_H

#include "postgres.h"

#include "port/atomics.h"
#include "storage/spin.h"
#include "utils/hsearch.h"

#include "core/tablet_format.h"
#include "tablet/shelf.h"

/* Tablets of a shelf that were replaced while somebody used it; with so many nothing more is kept until all have ended. */
#define MOST_RETIRED	SHELF_TABLETS

typedef struct ShelfKey
{
	Oid			tablespace;
	Oid			database;
	Oid			file;
	uint32		number;
} ShelfKey;

/* A scan looks at all tablets of a table, so what it looks at is small, and those of many stand side by side. */
typedef struct CachedTablet
{
	dsa_pointer next;			/* of the retired */
	TabletStamp stamp;
	uint32		nrows;
	dsa_pointer columns;
	dsa_pointer pages;			/* of the notes */
	BlockNotes	notes;			/* never changed, but for columns that join */
} CachedTablet;

/* Bytes of a tablet without its columns. */
#define CACHED_TABLET_BYTES (sizeof(CachedTablet) + sizeof(PageNotes))

/* How much a column of a shelf is wanted, whether it is there or not, and what is there of it. */
typedef struct ColumnUses
{
	uint32		hash;			/* of its key; 0 = none */
	float		uses;			/* as they counted then, */
	uint32		since;			/* in seconds since 2000 */
	uint32		blocks;			/* of the tablets that have it */
	Size		bytes;			/* that it takes in all of these */
} ColumnUses;

/* Columns of a shelf whose uses are known. */
#define SHELF_USES	32

struct Shelf
{
	ShelfKey	key;
	pg_atomic_uint32 pins;
	pg_atomic_uint32 claimed;	/* a bit for each tablet that is being built */
	pg_atomic_uint64 generation;
	pg_atomic_uint64 used;		/* when it was last pinned */
	pg_atomic_uint64 last_use;	/* TimestampTz, of the same */
	pg_atomic_uint32 waits[SHELF_TABLETS];	/* queries that are not to try to build a tablet */
	pg_atomic_uint32 hits[SHELF_TABLETS];	/* queries that used it */
	uint32		rebuilds[SHELF_TABLETS];	/* times that a tablet was replaced */
	uint32		unused[SHELF_TABLETS];	/* times that it was replaced before any query had used it, */
	uint32		in_vain[SHELF_TABLETS];	/* and how many of these follow one another up to now */
	uint32		hits_before[SHELF_TABLETS];	/* hits[] when the present tablet was put there */
	slock_t		uses_lock;		/* of what follows */
	ColumnUses	uses[SHELF_USES];
	dsa_pointer tablet[SHELF_TABLETS];
	uint32		nretired;
	dsa_pointer retired;
};

/* Of all shelves; under pool_lock(). */
extern HTAB *shelf_directory;

/* Bytes of a column of a tablet of so many rows, if each value took so many. */
static inline Size
cached_column_bytes(const CachedColumn *column, uint32 nrows, uint32 value_bytes)
{
	return (Size) value_bytes * nrows + column->text_bytes + (DsaPointerIsValid(column->nulls) ? tablet_bitmap_bytes(nrows) : 0);
}

/* Memory in the pool for what is cached, if it is no large part of it; others make room. */
extern dsa_pointer shelf_allocate(Size bytes, const ShelfRoom *room);

/* shelf_uses.c: note that a column of a tablet is there now, or no more, or a tablet with its columns; the lock is held exclusively. */
extern void shelf_account_column(Shelf *shelf, const CachedTablet *tablet, const CachedColumn *column, bool there);
extern void shelf_account_tablet(Shelf *shelf, const CachedTablet *tablet, bool there);

/* shelf_uses.c: free what is worth least, if that is clearly less than so many bytes of what room is for; false if nothing is. */
extern bool shelf_make_room(Size bytes, const ShelfRoom *room);

/* Free a tablet that nobody has pinned; the lock is held exclusively, unless nobody knows of it yet. */
extern void shelf_drop_tablet(dsa_pointer tablet);

/* Whether a relation's file is no more: dropped, truncated, or replaced by a rewrite. */
extern bool shelf_file_is_gone(Oid database, Oid tablespace, Oid file);

/* Note that other tablets take the place of a shelf's, or none; the lock is held exclusively. */
extern void shelf_note_change(Shelf *shelf);

/* Put another tablet in the place of one, or none; the lock is held exclusively. */
extern void shelf_replace(Shelf *shelf, uint32 tablet, dsa_pointer by);

/* Free what was replaced in a shelf that nobody has pinned; the lock is held exclusively. */
extern void shelf_drop_retired(Shelf *shelf);

/* Free the shelf that was not used for longest, and not since then, for its place in the directory; false if there is none. */
extern bool shelf_evict_oldest(uint64 since);

/* Free shelves whose relations' files are no more; not each time. */
extern void shelf_drop_orphans(void);

#endif							/* GPUDB_TABLET_SHELF_PRIVATE_H */

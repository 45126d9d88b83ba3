/*
 * shelf_private.h
 *		What shelf.c and shelf_free.c share: shelves as they lie in shared memory.
 */
#ifndef GPUDB_TABLET_SHELF_PRIVATE_H
#define GPUDB_TABLET_SHELF_PRIVATE_H

#include "postgres.h"

#include "port/atomics.h"
#include "utils/hsearch.h"

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

typedef struct CachedTablet
{
	dsa_pointer next;			/* of the retired */
	TabletStamp stamp;
	uint32		nrows;
	dsa_pointer columns;
	BlockNotes	notes;			/* never changed, but for columns that join */
} CachedTablet;

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
	dsa_pointer tablet[SHELF_TABLETS];
	uint32		nretired;
	dsa_pointer retired;
};

/* Of all shelves; under pool_lock(). */
extern HTAB *shelf_directory;

/* Memory in the pool for what is cached, if it is no large part of it: shelves that nobody has pinned after `since` make room. */
extern dsa_pointer shelf_allocate(Size bytes, uint64 since);

/* Whether a relation's file is no more: dropped, truncated, or replaced by a rewrite. */
extern bool shelf_file_is_gone(Oid database, Oid tablespace, Oid file);

/* Put another tablet in the place of one, or none; the lock is held exclusively. */
extern void shelf_replace(Shelf *shelf, uint32 tablet, dsa_pointer by);

/* Free what was replaced in a shelf that nobody has pinned; the lock is held exclusively. */
extern void shelf_drop_retired(Shelf *shelf);

/* Free the shelf that was not used for longest, and not since then; false if there is none. */
extern bool shelf_evict_oldest(uint64 since);

/* Free shelves whose relations' files are no more; not each time. */
extern void shelf_drop_orphans(void);

#endif							/* GPUDB_TABLET_SHELF_PRIVATE_H */

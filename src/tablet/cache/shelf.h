/*
 * shelf.h
 *		Cached tablets, grouped into shelves: columns that queries have read and cached.
 *
 * A shelf is the 32 tablets, of 1,021 blocks each, whose blocks one page of the
 * visibility map covers.  A shelf is found, pinned and aged as a whole.  What a
 * process finds in a shelf that it has pinned stays where it is until the
 * process unpins the shelf, whatever other processes do to the shelf meanwhile.
 */
#ifndef GPUDB_TABLET_CACHE_SHELF_H
#define GPUDB_TABLET_CACHE_SHELF_H

#include "postgres.h"

#include "access/xlogdefs.h"
#include "utils/dsa.h"
#include "utils/rel.h"
#include "utils/timestamp.h"

#include "core/tablet/tablet_format.h"
#include "tablet/cache/column_build.h"
#include "tablet/cache/shelf_room.h"
#include "tablet/cache/validity.h"

/* Identity of a column: what it was made from, and into what form.  Columns with equal keys are interchangeable. */
typedef struct ColumnKey
{
	AttrNumber	attno;
	int16		scale;
	bool		second;
	bool		packed;
	uint64		fingerprint;	/* hash of the attribute: a file may outlive an attribute that is rolled back */
	uint64		dict_number;	/* number of the dictionary whose codes the column holds, 0 = values */
} ColumnKey;

typedef struct ColumnKeys
{
	int			n;
	ColumnKey  *key;
} ColumnKeys;

extern bool column_key_equal(const ColumnKey *a, const ColumnKey *b);
extern uint64 column_key_hash(const ColumnKey *key);

/* Column of a tablet, in the pool; never changed once other processes can find it. */
typedef struct CachedColumn
{
	dsa_pointer next;			/* next column of the tablet */
	uint64		number;			/* number that no other column ever has */
	ColumnKey	key;
	TabletColumn stored;		/* description of the column, without the offsets */
	dsa_pointer values;
	dsa_pointer nulls;			/* bitmap of NULLs; invalid if there are none */
	dsa_pointer texts;			/* the bytes of texts, to which the values refer; invalid if there are none */
	Size		text_bytes;
} CachedColumn;

/* Cached tablet as it was when it was found. */
typedef struct FoundTablet
{
	const BlockNotes *notes;	/* NULL if the tablet is not cached */
	TabletStamp stamp;
	uint32		nrows;
	const CachedColumn **column;	/* columns by key; NULL for those that are not cached */
} FoundTablet;

typedef struct Shelf Shelf;

/* Reserve shared memory for the directory of shelves (at library load), then attach to it. */
extern void shelf_request_shmem(void);
extern void shelf_create(void);

/* Pin the shelf of this number of a relation, and create it if necessary; return NULL if there is no room for it. */
extern Shelf *shelf_pin(Relation relation, uint32 number);

/* Unpin a shelf; never fails, and may be called by a transaction that aborts. */
extern void shelf_unpin(Shelf *shelf);

/*
 * Return the generation of a shelf: a number that it has as long as no other
 * tablets are put in the place of its own.
 */
extern uint64 shelf_generation(const Shelf *shelf);

/* Return a number that changes whenever tablets of any shelf are put in the place of others. */
extern uint64 shelf_last_change(void);

/* Return a number that changes whenever columns or tablets of any shelf are cached or freed; never 0. */
extern uint64 shelf_contents(void);

/*
 * Find a shelf's tablets with their columns of these keys; found[] has
 * SHELF_TABLETS elements with room for the columns.
 */
extern void shelf_find(const Shelf *shelf, const ColumnKeys *keys, FoundTablet *found);

/* Number of cached tablets of a relation that are sampled. */
#define GUESS_TABLETS	64
/* Number of blocks that are sampled of each tablet. */
#define GUESS_BLOCKS	8

/* Sample of a cached tablet, by which the planner guesses whether the tablet can still be used. */
typedef struct TabletSample
{
	uint32		tablet;			/* number of the tablet in the relation */
	uint32		nblocks;		/* blocks that are not known to have changed */
	XLogRecPtr	map_lsn;		/* LSN of the map's page that last proved all blocks; invalid if it did not */
	uint32		nsampled;
	BlockNumber block[GUESS_BLOCKS];	/* sampled blocks of the tablet */
	XLogRecPtr	lsn[GUESS_BLOCKS];	/* LSN of each sampled block's page when it was read */
} TabletSample;

/*
 * Sample up to GUESS_TABLETS of a relation's cached tablets, in order of their
 * numbers.  Return the number of samples; *step becomes the number of tablets
 * that each sample stands for.
 */
extern uint32 shelf_sample(Relation relation, uint32 nshelves, TabletSample *samples, uint32 *step);

/* Return which sampled tablets have columns of all these keys: a bit for each, at its number divided by the step. */
extern uint64 shelf_sampled_with(Relation relation, uint32 nshelves, const ColumnKeys *keys);

/* Guess of the bounds of a column's values, from sampled tablets; least is more than largest if none are known. */
typedef struct ShelfBounds
{
	Wide		least;
	Wide		largest;
} ShelfBounds;

extern ShelfBounds shelf_bounds(Relation relation, uint32 nshelves, const ColumnKeys *keys);

/* Note that a query wants these columns of a shelf, whether they are cached or not. */
extern void shelf_note_uses(Shelf *shelf, const ColumnKeys *keys);

/*
 * Note that a query wants these columns of a relation, in those of its first
 * nshelves shelves that the directory has.
 */
extern void shelf_note_wanted(Relation relation, uint32 nshelves, const ColumnKeys *keys);

/* Return how often queries have wanted a column of a shelf, decayed to the present. */
extern double shelf_uses(Shelf *shelf, const ColumnKey *key);

/* Count a query's use of a tablet, for views, and to tell whether the tablet was built in vain. */
extern void shelf_count_hit(Shelf *shelf, uint32 tablet);

/* Count a query's use of each of the first ntablets tablets; concurrent calls may count as one. */
extern void shelf_count_hits(Shelf *shelf, uint32 ntablets);

/* Replace the stamp of a tablet that was found by another one, unless the tablet or its stamp has changed since. */
extern void shelf_restamp(Shelf *shelf, uint32 tablet, const FoundTablet *found, const TabletStamp *stamp);

/*
 * Return true if building a tablet is worth trying, and false for a few calls
 * after it has failed or has been in vain.
 */
extern bool shelf_worth_building(Shelf *shelf, uint32 tablet);

/* Forget why n tablets of one shelf, from tablet `first` of the relation on, were not worth building: the next build tries all of them. */
extern void shelf_build_at_once(Relation relation, uint32 first, uint32 n);

/*
 * Claim the building of a tablet for this process; return false if another
 * process builds it.  shelf_unclaim() ends the claim and tells whether the
 * tablet could be built.
 */
extern bool shelf_claim(Shelf *shelf, uint32 tablet);
extern void shelf_unclaim(Shelf *shelf, uint32 tablet, bool built);

/* Return a number never returned before, for a column or anything else of which devices hold copies. */
extern uint64 shelf_next_number(void);

/*
 * Make a column of nrows in the pool, which no process can find yet, from one
 * that was built, whose values it may take over; return InvalidDsaPointer
 * without room.
 */
extern dsa_pointer shelf_make_column(const ColumnKey *key, ColumnBuild *built, uint32 nrows);

/*
 * Publish a tablet with these columns, which are linked by `next` and no longer
 * belong to the caller; return false without room.  The columns join those of
 * the cached tablet if that has all rows of the new tablet, too.
 */
extern bool shelf_publish(Shelf *shelf, uint32 tablet, const TabletStamp *stamp, const BlockNotes *notes, dsa_pointer columns,
						  const ShelfRoom *room);

/* Free columns that were not published. */
extern void shelf_drop_columns(dsa_pointer columns);

/*
 * Forget a relation's tablets, and return how many they were; memory that other
 * processes use is freed when they have ended.
 */
extern uint64 shelf_evict_relation(Relation relation);

/* Column of a cached tablet, as shown in views. */
typedef struct ShelfColumn
{
	Oid			tablespace;
	Oid			database;
	Oid			file;
	BlockNumber first_block;
	uint32		nblocks;
	uint32		nlost;			/* blocks that have changed, or could not be cached */
	uint32		nrows;
	uint32		hits;			/* queries that used the tablet */
	uint32		rebuilds;		/* times that the tablet was replaced */
	uint32		unused;			/* times that the tablet was replaced before any query had used it */
	TimestampTz last_use;		/* last use of the tablet's shelf */
	ColumnKey	key;
	ColType		form;			/* form in which the values are stored */
	Size		bytes;
	Size		raw_bytes;		/* bytes that the column would take as it came from pages */
} ShelfColumn;

typedef void (*ShelfVisitor) (const ShelfColumn *column, void *arg);

/*
 * Call `visit` for each column of each tablet, with pool_lock() held; `visit`
 * must not access anything that takes locks.
 */
extern void shelf_visit(ShelfVisitor visit, void *arg);

/*
 * Return true if the user may be told of a column's tablets, or, with attno 0,
 * of the whole relation's: only who may read all rows may, since the number of
 * rows is told, too.
 */
extern bool shelf_may_be_told(Oid relation, AttrNumber attno);

/* Return the time of the pool's clock, for ShelfRoom.since. */
extern uint64 shelf_time(void);

#endif							/* GPUDB_TABLET_CACHE_SHELF_H */

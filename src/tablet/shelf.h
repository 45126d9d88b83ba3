/*
 * shelf.h
 *		Cached tablets, by the shelf: columns that queries have left behind.
 *
 * A shelf is 32 tablets, of 1,021 blocks each, that one page of the
 * visibility map tells of.  It is found, pinned and aged as a whole.  What a
 * process finds in a shelf that it has pinned stays where it is until it
 * unpins it, whatever others do to it meanwhile.
 */
#ifndef GPUDB_TABLET_SHELF_H
#define GPUDB_TABLET_SHELF_H

#include "postgres.h"

#include "access/xlogdefs.h"
#include "utils/dsa.h"
#include "utils/rel.h"
#include "utils/timestamp.h"

#include "core/tablet_format.h"
#include "tablet/column_build.h"
#include "tablet/shelf_room.h"
#include "tablet/validity.h"

/* What a column was made from, and into what form: columns of the same key are the same. */
typedef struct ColumnKey
{
	AttrNumber	attno;
	int16		scale;
	bool		second;
	bool		packed;
	uint64		fingerprint;	/* of the attribute: a file may outlive an attribute that is rolled back */
	uint64		codes;			/* the number of the dictionary whose codes it holds, 0 = values */
} ColumnKey;

typedef struct ColumnKeys
{
	int			n;
	ColumnKey  *key;
} ColumnKeys;

extern bool column_key_equal(const ColumnKey *a, const ColumnKey *b);

/* A column of a tablet, in the pool; never changed once others can find it. */
typedef struct CachedColumn
{
	dsa_pointer next;			/* of the tablet's */
	uint64		number;			/* no other column's, ever */
	ColumnKey	key;
	TabletColumn stored;		/* but for the offsets */
	dsa_pointer values;
	dsa_pointer nulls;			/* invalid if there are none */
	dsa_pointer texts;			/* the bytes of texts, to which the values refer; invalid if there are none */
	Size		text_bytes;
} CachedColumn;

/* A tablet as it was found. */
typedef struct FoundTablet
{
	const BlockNotes *notes;	/* NULL: there is none */
	TabletStamp stamp;
	uint32		nrows;
	const CachedColumn **column;	/* by key; NULL for those that are not there */
} FoundTablet;

typedef struct Shelf Shelf;

/* Reserve shared memory (at library load), then attach to it. */
extern void shelf_request_shmem(void);
extern void shelf_create(void);

/* The shelf of this number of a relation, pinned, made if need be; NULL if there is no room for it. */
extern Shelf *shelf_pin(Relation relation, uint32 number);

/* Never fails; also for a transaction that aborts. */
extern void shelf_unpin(Shelf *shelf);

/* A number that a shelf has as long as nobody puts other tablets in the place of its own. */
extern uint64 shelf_generation(const Shelf *shelf);

/* A number that changes whenever tablets of some shelf take the place of others. */
extern uint64 shelf_last_change(void);

/* Find a shelf's tablets with their columns of these keys; found[SHELF_TABLETS] have room for them. */
extern void shelf_find(const Shelf *shelf, const ColumnKeys *keys, FoundTablet *found);

/* How many cached tablets of a relation are sampled, */
#define GUESS_TABLETS	64
/* and how many blocks of each. */
#define GUESS_BLOCKS	8

/* A sample of a cached tablet, by which the planner guesses whether the tablet can still be used. */
typedef struct TabletSample
{
	uint32		tablet;			/* its number in the relation */
	uint32		nblocks;		/* blocks that are not known to have changed */
	XLogRecPtr	map_lsn;		/* LSN of the map's page that last proved all blocks; invalid if it did not */
	uint32		nsampled;
	BlockNumber block[GUESS_BLOCKS];	/* some of its blocks, */
	XLogRecPtr	lsn[GUESS_BLOCKS];	/* and the LSNs of their pages when they were read */
} TabletSample;

/*
 * Sample up to GUESS_TABLETS of a relation's tablets, those that are cached, in
 * order of their numbers.  Returns how many samples were taken; *step becomes
 * the number of tablets that each of them stands for.
 */
extern uint32 shelf_sample(Relation relation, uint32 nshelves, TabletSample *samples, uint32 *step);

/* Return the sampled tablets that have columns of all these keys: a bit for each, by its number divided by the step. */
extern uint64 shelf_sampled_with(Relation relation, uint32 nshelves, const ColumnKeys *keys);

/* Between which values those of a column are, the least more than the largest if none are known: a guess, like that. */
typedef struct ShelfBounds
{
	Wide		least;
	Wide		largest;
} ShelfBounds;

extern ShelfBounds shelf_bounds(Relation relation, uint32 nshelves, const ColumnKeys *keys);

/* Note that a query wants these columns of a shelf, whether they are there or not. */
extern void shelf_note_uses(Shelf *shelf, const ColumnKeys *keys);

/* Note that a query wants these columns of a relation: of those of its first so many shelves that the directory knows. */
extern void shelf_note_wanted(Relation relation, uint32 nshelves, const ColumnKeys *keys);

/* How often queries have wanted a column of a shelf, as it counts now. */
extern double shelf_uses(Shelf *shelf, const ColumnKey *key);

/* Note, for views, that a query uses a tablet. */
extern void shelf_count_hit(Shelf *shelf, uint32 tablet);

/* The same of the first so many, perhaps not each time. */
extern void shelf_count_hits(Shelf *shelf, uint32 ntablets);

/* Have others know what was found out about a tablet: that it has another stamp now. */
extern void shelf_restamp(Shelf *shelf, uint32 tablet, const FoundTablet *found, const TabletStamp *stamp);

/* Whether building a tablet is worth trying: it may have failed of late, or have been in vain. */
extern bool shelf_worth_building(Shelf *shelf, uint32 tablet);

/* Forget why n tablets of one shelf, from tablet `first` of the relation on, were not worth building: the next build tries all of them. */
extern void shelf_build_at_once(Relation relation, uint32 first, uint32 n);

/* Be the only one who builds a tablet; false if somebody else does.  Afterwards, tell whether it could be built. */
extern bool shelf_claim(Shelf *shelf, uint32 tablet);
extern void shelf_unclaim(Shelf *shelf, uint32 tablet, bool built);

/* A number that nobody has had: neither a column nor anything else of which devices keep copies. */
extern uint64 shelf_next_number(void);

/* Memory in the pool for values of so many bytes each; InvalidDsaPointer if there is none. */
extern dsa_pointer shelf_allocate_values(Size bytes, Size value_bytes, const ShelfRoom *room);

/*
 * A column of nrows in the pool that nobody finds yet, of one that is built,
 * whose values it may take over; InvalidDsaPointer without room.
 */
extern dsa_pointer shelf_make_column(const ColumnKey *key, ColumnBuild *built, uint32 nrows);

/*
 * Have others find a tablet with these columns, linked by next, which are no
 * longer the caller's; false without room.  The columns join those that are
 * there if these have all of these rows, too.
 */
extern bool shelf_publish(Shelf *shelf, uint32 tablet, const TabletStamp *stamp, const BlockNotes *notes, dsa_pointer columns,
						  const ShelfRoom *room);

/* Give back columns that were not published. */
extern void shelf_drop_columns(dsa_pointer columns);

/* Forget a relation's tablets: how many; memory that others use is freed when they have ended. */
extern uint64 shelf_evict_relation(Relation relation);

/* A column of a cached tablet, for views. */
typedef struct ShelfColumn
{
	Oid			tablespace;
	Oid			database;
	Oid			file;
	BlockNumber first_block;
	uint32		nblocks;
	uint32		nlost;			/* blocks whose rows are not there any more */
	uint32		nrows;
	uint32		hits;			/* queries that used the tablet */
	uint32		rebuilds;		/* times that the tablet was replaced */
	uint32		unused;			/* times that it was replaced before any query had used it */
	TimestampTz last_use;		/* of its shelf */
	ColumnKey	key;
	ColType		form;			/* in which its values are stored */
	Size		bytes;
	Size		raw_bytes;		/* if they were stored as they came from pages */
} ShelfColumn;

typedef void (*ShelfVisitor) (const ShelfColumn *column, void *arg);

/* Show each column of each tablet to a function that looks at nothing which takes locks. */
extern void shelf_visit(ShelfVisitor visit, void *arg);

/*
 * Whether the user may be told of a column's tablets, or with 0 of the whole
 * relation's: who may read it, of all rows, since how many there are is told, too.
 */
extern bool shelf_may_be_told(Oid relation, AttrNumber attno);

/* Now, for `since`. */
extern uint64 shelf_time(void);

#endif							/* GPUDB_TABLET_SHELF_H */

/*
 * tablet_guess.c
 *		The planner's estimates of cached columns: the part of them that a query can use, and the bounds of their values.
 *
 * A query proves at run time which blocks of a tablet it may use
 * (validity.c).  The planner estimates the same from samples: it takes a
 * tablet whose blocks the visibility map proves as a whole, and compares the
 * LSNs of a few pages of any other.
 */
#include "postgres.h"

#include "access/xact.h"
#include "port/pg_bitutils.h"
#include "storage/bufmgr.h"
#include "utils/snapmgr.h"

#include "core/hash.h"
#include "guc.h"
#include "pg_compat.h"
#include "tablet/cache/dict.h"
#include "tablet/cache/map_known.h"
#include "tablet/cache/pool.h"
#include "tablet/cache/recent.h"
#include "tablet/cache/shelf.h"
#include "tablet/cache/validity.h"
#include "tablet/scan/tablet_scan.h"
#include "tablet/scan/tablet_scan_private.h"

/* Page of the visibility map that was read last. */
typedef struct MapLooked
{
	SnapshotHorizon horizon;	/* snapshot horizon at which all pages are read */
	uint32		shelf;
	bool		whole;			/* all blocks of the shelf are all-visible */
	MapPage		page;
} MapLooked;

/* Return true if the visibility map proves all blocks of a tablet to be as they were. */
static bool
map_proves(Relation relation, BlockNumber nblocks, const TabletSample *sample, MapLooked *map)
{
	const uint32 shelf = sample->tablet / SHELF_TABLETS;

	if (XLogRecPtrIsInvalid(sample->map_lsn))
		return false;
	if (map->shelf != shelf)
	{
		const uint32 n = blocks_of_shelf(nblocks, shelf);

		map_page_at(relation, shelf, n, &map->horizon, &map->page);
		map->shelf = shelf;
		map->whole = map_page_is_visible(&map->page, n);
	}
	return map->whole && map->page.lsn == sample->map_lsn;
}

/*
 * Estimate how many blocks of a tablet are unchanged, by the LSNs of sampled
 * pages; pages outside shared_buffers count as unchanged.  A tablet of which
 * more than WORN() blocks have changed counts as not cached: it is rebuilt.
 */
static double
blocks_standing(Relation relation, const TabletSample *sample)
{
	uint32		fallen = 0;

	for (uint32 i = 0; i < sample->nsampled; i++)
	{
		PageGlance	glance;

		if (recent_glance(relation, sample->block[i], &glance) && glance.lsn != sample->lsn[i])
			fallen++;
	}
	return fallen > WORN(sample->nsampled) ? 0 : sample->nblocks * (1 - (double) fallen / Max(sample->nsampled, 1));
}

/* State of the server at which blocks were sampled.  Later planning finds the same where nothing was changed since. */
typedef struct GuessHorizon
{
	uint64		planning;		/* 0 = none */
	TimestampTz statement;
	CommandId	command;
	XLogRecPtr	wal;			/* end of the WAL */
	uint64		shelves;		/* shelf_last_change() */
} GuessHorizon;

/*
 * Blocks of a relation's sampled tablets that a query could use, whatever
 * columns they have, as found out at `horizon`.
 */
typedef struct Standing
{
	GuessHorizon horizon;
	uint32		file;
	BlockNumber nblocks;
	uint32		step;			/* number of tablets of which one was sampled */
	double		blocks[GUESS_TABLETS];	/* usable blocks of each sampled tablet */
} Standing;

/*
 * Number of relations whose Standing is remembered; a join of more relations
 * samples some of them again, and so does a session that uses them in turn.
 */
#define STANDING_KNOWN	16

static Standing standing_known[STANDING_KNOWN];
static uint64 planning = 1;

void
tablet_guess_anew(void)
{
	planning++;
}

static void
find_standing(Relation relation, XLogRecPtr wal, Standing *standing)
{
	TabletSample *samples = palloc(sizeof(TabletSample) * GUESS_TABLETS);
	MapLooked  *map = palloc(sizeof(MapLooked));
	uint32		nsamples;

	memset(standing->blocks, 0, sizeof(standing->blocks));
	map->horizon = (SnapshotHorizon) {validity_snapshot_horizon(GetActiveSnapshot()), wal};
	map->shelf = shelves_of(standing->nblocks);
	nsamples = shelf_sample(relation, map->shelf, samples, &standing->step);
	for (uint32 i = 0; i < nsamples; i++)
		standing->blocks[samples[i].tablet / standing->step] =
			map_proves(relation, standing->nblocks, &samples[i], map) ? samples[i].nblocks : blocks_standing(relation, &samples[i]);
	pfree(map);
	pfree(samples);
}

static GuessHorizon
this_horizon(void)
{
	return (GuessHorizon) {planning, GetCurrentStatementStartTimestamp(), GetCurrentCommandId(false), validity_wal(), shelf_last_change()};
}

/*
 * Return true if what was found out at one time still stands at another,
 * because both are of one planning, or because nothing was changed in between.
 */
static bool
still_stands(const GuessHorizon *then, const GuessHorizon *now)
{
	if (then->planning == 0)
		return false;
	return (then->planning == now->planning && then->statement == now->statement && then->command == now->command) ||
		(then->wal == now->wal && then->shelves == now->shelves);
}

/*
 * Return the usable blocks of a relation's sampled tablets, found out once even
 * if a query asks about several sets of columns.
 */
static const Standing *
standing_of(Relation relation, BlockNumber nblocks)
{
	static int	next = 0;
	const GuessHorizon now = this_horizon();
	const uint32 file = compat_relation_file(relation);
	Standing   *standing;

	for (int i = 0; i < STANDING_KNOWN; i++)
		if (standing_known[i].file == file && standing_known[i].nblocks == nblocks && still_stands(&standing_known[i].horizon, &now))
			return &standing_known[i];
	standing = &standing_known[next++ % STANDING_KNOWN];
	*standing = (Standing) {.file = file, .nblocks = nblocks};
	find_standing(relation, now.wal, standing);
	/* set last, once nothing can fail any more */
	standing->horizon = now;
	return standing;
}

/* Sampled tablets of a relation that have a column, as they were found out once. */
typedef struct SampledColumn
{
	uint64		contents;		/* shelf_contents() then; 0 = none */
	uint64		column;			/* hash of the relation's file and size, and of the column's key */
	uint64		tablets;		/* shelf_sampled_with() */
} SampledColumn;

/* Number of columns for which a session remembers the sampled tablets. */
#define SAMPLED_KNOWN	256

/*
 * Return which sampled tablets have a column; `column` has one key, or none for
 * all tablets that are cached.  A session asks for the same columns again and
 * again, and would look at the descriptors of all sampled tablets each time.
 */
static uint64
sampled_with_column(Relation relation, BlockNumber nblocks, const ColumnKeys *column)
{
	static SampledColumn known[SAMPLED_KNOWN];
	const uint64 contents = shelf_contents();
	const uint64 key = column->n > 0 ? column_key_hash(column->key) : 0;
	const uint64 hash = hash_combine((uint64) compat_relation_file(relation) << 32 | nblocks, key);
	SampledColumn *place = &known[hash % SAMPLED_KNOWN];

	if (place->contents != contents || place->column != hash)
		*place = (SampledColumn) {contents, hash, shelf_sampled_with(relation, shelves_of(nblocks), column)};
	return place->tablets;
}

static uint64
sampled_with(Relation relation, BlockNumber nblocks, const ColumnKeys *columns)
{
	uint64		with = sampled_with_column(relation, nblocks, &(ColumnKeys) {0});

	for (int c = 0; c < columns->n && with != 0; c++)
		with &= sampled_with_column(relation, nblocks, &(ColumnKeys) {1, &columns->key[c]});
	return with;
}

double
tablet_cached_part(Relation relation, BlockNumber nblocks, const ColumnWanted *wanted, int nwanted)
{
	ColumnKeys	columns = {nwanted};
	const Standing *standing;
	double		blocks = 0;

	if (!pool_exists() || nblocks == 0 || !ActiveSnapshotSet() || !validity_provable(relation) ||
		!tablet_column_keys(relation, wanted, &columns))
		return 0;
	standing = standing_of(relation, nblocks);
	for (uint64 with = sampled_with(relation, nblocks, &columns); with != 0; with &= with - 1)
		blocks += standing->blocks[pg_rightmost_one_pos64(with)];
	return Min(blocks * standing->step / nblocks, 1);
}

bool
tablet_can_be_cached(Relation relation, const ColumnWanted *wanted, int nwanted)
{
	if (!pool_exists() || !ActiveSnapshotSet() || !validity_provable(relation))
		return false;
	for (int c = 0; c < nwanted; c++)
		if (!tablet_texts_have_room(relation, &wanted[c]) || (wanted[c].coded && !dict_likely(relation, wanted[c].attno)))
			return false;
	return true;
}

void
tablet_note_wanted(Relation relation, const ColumnWanted *wanted, int nwanted)
{
	ColumnKeys	columns = {nwanted};

	if (tablet_column_keys(relation, wanted, &columns))
		shelf_note_wanted(relation, shelves_of(RelationGetNumberOfBlocks(relation)), &columns);
}

bool
tablet_guess_bounds(Relation relation, BlockNumber nblocks, const ColumnWanted *wanted, int64 *least, int64 *largest)
{
	ColumnKeys	columns = {1};
	ShelfBounds bounds;

	if (!gpudb_cache || !pool_exists() || !tablet_column_keys(relation, wanted, &columns))
		return false;
	bounds = shelf_bounds(relation, shelves_of(nblocks), &columns);
	*least = (int64) bounds.least;
	*largest = (int64) bounds.largest;
	return bounds.least <= bounds.largest && *least == bounds.least && *largest == bounds.largest;
}

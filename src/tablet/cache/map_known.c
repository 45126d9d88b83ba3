/*
 * map_known.c
 *		Pages of the visibility map that this session has read already.
 *
 * The planner reads the map to estimate what a query can use of the cache, and
 * the query reads it again to prove that.  Most pages show all blocks as
 * all-visible, and then their LSN tells everything.  The LSN is remembered with
 * the snapshot horizon at which the page was read: where nothing was logged
 * since, the page is what it was, but for bits that transactions in progress
 * have cleared, whose changes the snapshot does not see (validity.h).
 */
#include "postgres.h"

#include "core/hash.h"
#include "pg_compat.h"
#include "tablet/cache/map_known.h"

/*
 * Number of pages that are remembered; pages of a relation are adjacent, and
 * those of relations that collide are read more often.
 */
#define PAGES_KNOWN 512

/* Page that shows all blocks of a shelf as all-visible. */
typedef struct KnownPage
{
	Oid			relation;
	Oid			file;
	uint32		shelf;
	uint32		nblocks;		/* blocks that the shelf had */
	SnapshotHorizon horizon;	/* snapshot horizon; its end is invalid if nothing is known */
	XLogRecPtr	lsn;
} KnownPage;

static KnownPage pages_known[PAGES_KNOWN];

static KnownPage *
place_of(Relation relation, uint32 shelf)
{
	return &pages_known[((uint32) hash_mix(RelationGetRelid(relation)) + shelf) % PAGES_KNOWN];
}

/* Return true if a page is known to be that of a shelf's first nblocks blocks at a snapshot horizon. */
static bool
is_known(const KnownPage *known, Relation relation, uint32 shelf, uint32 nblocks, const SnapshotHorizon *horizon)
{
	return known->relation == RelationGetRelid(relation) && known->file == compat_relation_file(relation) && known->shelf == shelf &&
		known->nblocks >= nblocks && validity_same_horizon(&known->horizon, horizon);
}

void
map_page_at(Relation relation, uint32 shelf, uint32 nblocks, const SnapshotHorizon *horizon, MapPage *page)
{
	KnownPage  *known = place_of(relation, shelf);

	if (is_known(known, relation, shelf, nblocks, horizon))
	{
		page->lsn = known->lsn;
		/* nobody asks about blocks that the shelf does not have */
		page->nvisible = SHELF_BLOCKS;
		return;
	}
	map_page_read(relation, shelf, page);
	if (!XLogRecPtrIsInvalid(page->lsn) && map_page_is_visible(page, nblocks))
		*known = (KnownPage) {RelationGetRelid(relation), compat_relation_file(relation), shelf, nblocks, *horizon, page->lsn};
}

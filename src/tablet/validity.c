/*
 * validity.c
 *		Whether rows that were read earlier are the rows that a snapshot sees now.
 */
#include "postgres.h"

#include "access/parallel.h"
#include "access/transam.h"
#include "access/visibilitymap.h"
#include "access/xact.h"
#include "catalog/pg_am.h"
#include "catalog/pg_class.h"
#include "storage/bufmgr.h"

#include "pg_compat.h"
#include "tablet/validity.h"

/* The lower of a block's two bits, for the 32 blocks of a word. */
#define ALL_VISIBLE_BITS UINT64CONST(0x5555555555555555)

StaticAssertDecl(VISIBILITYMAP_ALL_VISIBLE == 1 && BITS_PER_HEAPBLOCK == 2, "bits of the visibility map");

/* Whether this transaction has made or emptied the relation's file. */
static bool
file_is_own(Relation relation)
{
	return relation->rd_createSubid != InvalidSubTransactionId || compat_has_new_file(relation);
}

bool
validity_provable(Relation relation, Snapshot snapshot)
{
	Form_pg_class form = relation->rd_rel;

	/* catalogs are updated in place; without WAL the map's LSN stands still */
	if (form->relkind != RELKIND_RELATION && form->relkind != RELKIND_MATVIEW)
		return false;
	if (form->relam != HEAP_TABLE_AM_OID || RelationGetRelid(relation) < FirstNormalObjectId || !RelationNeedsWAL(relation))
		return false;
	/* COPY FREEZE adds rows to a page that is all-visible, and neither bit nor LSN tells; a parallel worker does not know */
	if (IsParallelWorker() || file_is_own(relation))
		return false;
	/* a conflict is noted where a tuple is read */
	if (IsolationIsSerializable())
		return false;
	/* bits may be set past snapshots that old_snapshot_threshold has given up */
	return !snapshot->takenDuringRecovery && !compat_old_snapshots_end();
}

void
map_page_read(Relation relation, uint32 shelf, MapPage *page)
{
	Buffer		buffer = InvalidBuffer;

	(void) visibilitymap_get_status(relation, shelf * SHELF_BLOCKS, &buffer);
	page->lsn = InvalidXLogRecPtr;
	if (!BufferIsValid(buffer))
		return;
	LockBuffer(buffer, BUFFER_LOCK_SHARE);
	page->lsn = BufferGetLSNAtomic(buffer);
	memcpy(page->bits, PageGetContents(BufferGetPage(buffer)), MAP_BYTES);
	LockBuffer(buffer, BUFFER_LOCK_UNLOCK);
	ReleaseBuffer(buffer);
}

static bool
block_all_visible(const MapPage *page, uint32 block)
{
	return page->bits[block / 4] >> (block % 4 * 2) & VISIBILITYMAP_ALL_VISIBLE;
}

bool
map_page_all_visible(const MapPage *page, uint32 first, uint32 n)
{
	Assert(first + n <= SHELF_BLOCKS);
	if (XLogRecPtrIsInvalid(page->lsn))
		return false;
	for (; n > 0 && first % 4 != 0; first++, n--)
		if (!block_all_visible(page, first))
			return false;
	for (; n >= 32; first += 32, n -= 32)
	{
		uint64		word;

		memcpy(&word, page->bits + first / 4, sizeof(word));
		if ((word & ALL_VISIBLE_BITS) != ALL_VISIBLE_BITS)
			return false;
	}
	for (; n > 0; first++, n--)
		if (!block_all_visible(page, first))
			return false;
	return true;
}

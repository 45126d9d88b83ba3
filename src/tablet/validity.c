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
#include "port/pg_bitutils.h"
#include "storage/bufmgr.h"

#include "pg_compat.h"
#include "tablet/recent.h"
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

/* The lower of the two bits of each of 32 blocks, side by side. */
static uint32
pack_even_bits(uint64 bits)
{
	bits &= ALL_VISIBLE_BITS;
	bits = (bits | bits >> 1) & UINT64CONST(0x3333333333333333);
	bits = (bits | bits >> 2) & UINT64CONST(0x0f0f0f0f0f0f0f0f);
	bits = (bits | bits >> 4) & UINT64CONST(0x00ff00ff00ff00ff);
	bits = (bits | bits >> 8) & UINT64CONST(0x0000ffff0000ffff);
	return (uint32) (bits | bits >> 16);
}

/* The map's bits of 32 blocks, of which the first stands anywhere in a byte; blocks behind the page's last have none. */
static uint64
map_bits(const MapPage *page, uint32 block)
{
	const uint32 byte = block / 4;
	const uint32 shift = block % 4 * 2;
	uint64		bits = 0;

	memcpy(&bits, page->bits + byte, Min(sizeof(bits), MAP_BYTES - byte));
	bits >>= shift;
	if (shift > 0 && byte + sizeof(bits) < MAP_BYTES)
		bits |= (uint64) page->bits[byte + sizeof(bits)] << (64 - shift);
	return bits;
}

uint32
map_page_visible(const MapPage *page, uint32 tablet, uint32 nblocks, BlockSet *visible)
{
	uint32		n = 0;

	Assert(tablet < SHELF_TABLETS && nblocks <= TABLET_BLOCKS);
	memset(visible, 0, sizeof(*visible));
	if (XLogRecPtrIsInvalid(page->lsn))
		return 0;
	for (uint32 block = 0; block < nblocks; block += 32)
	{
		uint64		bits = pack_even_bits(map_bits(page, tablet * TABLET_BLOCKS + block));

		if (nblocks - block < 32)
			bits &= (UINT64CONST(1) << (nblocks - block)) - 1;
		visible->word[block / 64] |= bits << (block % 64);
		n += pg_popcount64(bits);
	}
	return n;
}

uint32
block_set_next(const BlockSet *set, uint32 block)
{
	while (block < TABLET_BLOCKS)
	{
		const uint64 rest = set->word[block / 64] >> (block % 64);

		if (rest != 0)
			return block + pg_rightmost_one_pos64(rest);
		block += 64 - block % 64;
	}
	return TABLET_BLOCKS;
}

/* The LSN of a page as it is now.  Whoever is about to change the page has not committed, and has cleared its bit. */
static XLogRecPtr
page_lsn(Relation relation, BlockNumber block)
{
	Buffer		buffer = recent_pin(relation, block);
	XLogRecPtr	lsn;

	if (!BufferIsValid(buffer))
		buffer = ReadBuffer(relation, block);
	lsn = BufferGetLSNAtomic(buffer);
	ReleaseBuffer(buffer);
	return lsn;
}

uint32
validity_unchanged(Relation relation, const MapPage *page, const BlockNotes *notes, const TabletStamp *stamp,
				   const BlockSet *visible, BlockSet *unchanged)
{
	const bool	stands = page->lsn == stamp->map_lsn;
	uint32		n = 0;

	memset(unchanged, 0, sizeof(*unchanged));
	for (uint32 block = block_set_next(visible, 0); block < notes->nblocks; block = block_set_next(visible, block + 1))
	{
		if (block_set_has(&stamp->lost, block) || (!stands && page_lsn(relation, notes->first + block) != notes->lsn[block]))
			continue;
		block_set_add(unchanged, block);
		n++;
	}
	return n;
}

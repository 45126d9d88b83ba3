/*
 * validity.c
 *		Proof that rows that were read earlier are the rows that a snapshot sees now.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/parallel.h"
#include "access/transam.h"
#include "access/visibilitymap.h"
#include "access/xact.h"
#include "access/xlog.h"
#include "access/xlogrecovery.h"
#include "catalog/pg_am.h"
#include "catalog/pg_class.h"
#include "miscadmin.h"
#include "storage/bufmgr.h"

#include "pg_compat.h"
#include "tablet/cache/recent.h"
#include "tablet/cache/validity.h"
#include "tablet/cache/without_rule.h"

/* Lower bit of a block's two bits, for the 32 blocks of a word. */
#define ALL_VISIBLE_BITS UINT64CONST(0x5555555555555555)

/* Number of blocks ahead whose memory is prefetched. */
#define LOOKAHEAD 16

StaticAssertDecl(VISIBILITYMAP_ALL_VISIBLE == 1 && BITS_PER_HEAPBLOCK == 2, "bits of the visibility map");

/* Return true if this transaction has made or emptied the relation's file. */
static bool
file_is_own(Relation relation)
{
	return relation->rd_createSubid != InvalidSubTransactionId || compat_has_new_file(relation);
}

bool
validity_provable(Relation relation)
{
	Form_pg_class form = relation->rd_rel;

	/* catalogs are updated in place; without WAL the map's LSN stands still */
	if (form->relkind != RELKIND_RELATION && form->relkind != RELKIND_MATVIEW)
		return false;
	if (form->relam != HEAP_TABLE_AM_OID || RelationGetRelid(relation) < FirstNormalObjectId ||
		(FOLLOWS(RULE_LOGGED) && !RelationNeedsWAL(relation)))
		return false;
	/* COPY FREEZE adds rows to a page that is all-visible, and neither bit nor LSN tells; a parallel worker does not know */
	if (IsParallelWorker() || (FOLLOWS(RULE_OWN_FILE) && file_is_own(relation)))
		return false;
	/* a conflict is noted where a tuple is read */
	if (FOLLOWS(RULE_SERIALIZABLE) && IsolationIsSerializable())
		return false;
	/* bits may be set past snapshots that old_snapshot_threshold has given up */
	return !(FOLLOWS(RULE_OLD_SNAPSHOT) && compat_old_snapshots_end());
}

/* Return how many blocks from the first one on are all-visible, in whole words of 32. */
static uint32
count_visible(const uint8 *map)
{
	uint32		n = 0;
	uint64		four[4];
	uint64		bits;

	StaticAssertStmt(MAP_BYTES % sizeof(bits) == 0, "the map's page is whole words");
	/* most maps are full: four words a step */
	for (; n + 128 <= SHELF_BLOCKS; n += 128)
	{
		memcpy(four, map + n / 4, sizeof(four));
		if ((four[0] & four[1] & four[2] & four[3] & ALL_VISIBLE_BITS) != ALL_VISIBLE_BITS)
			break;
	}
	for (; n < SHELF_BLOCKS; n += 32)
	{
		memcpy(&bits, map + n / 4, sizeof(bits));
		if ((bits & ALL_VISIBLE_BITS) != ALL_VISIBLE_BITS)
			break;
	}
	return n;
}

void
map_page_read(Relation relation, uint32 shelf, MapPage *page)
{
	Buffer		buffer = InvalidBuffer;
	const uint8 *map;

	(void) visibilitymap_get_status(relation, shelf * SHELF_BLOCKS, &buffer);
	page->lsn = InvalidXLogRecPtr;
	page->nvisible = 0;
	if (!BufferIsValid(buffer))
		return;
	LockBuffer(buffer, BUFFER_LOCK_SHARE);
	map = (uint8 *) PageGetContents(BufferGetPage(buffer));
	page->lsn = BufferGetLSNAtomic(buffer);
	page->nvisible = count_visible(map);
	/* with all blocks visible nobody reads the bits */
	if (page->nvisible < SHELF_BLOCKS)
		memcpy(page->bits, map, MAP_BYTES);
	UnlockReleaseBuffer(buffer);
}

/* Return the lower of the two bits of each of 32 blocks, side by side. */
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

/*
 * Return the visibility map's bits of 32 blocks, the first of which may be
 * anywhere in a byte; blocks beyond the page's last one have none.
 */
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

bool
map_page_is_visible(const MapPage *page, uint32 nblocks)
{
	const uint32 first = page->nvisible;
	const uint32 left = nblocks > first ? nblocks - first : 0;
	uint32		bits;

	if (left == 0)
		return true;
	if (left >= 32)
		return false;
	bits = pack_even_bits(map_bits(page, first));
	return (~bits & ((1u << left) - 1)) == 0;
}

void
map_page_visible(const MapPage *page, uint32 tablet, uint32 nblocks, BlockSet *visible)
{
	Assert(tablet < SHELF_TABLETS && nblocks <= TABLET_BLOCKS);
	memset(visible, 0, sizeof(*visible));
	if (XLogRecPtrIsInvalid(page->lsn))
		return;
	for (uint32 block = 0; block < nblocks; block += 32)
	{
		const uint32 first = tablet * TABLET_BLOCKS + block;
		uint64		bits = page->nvisible == SHELF_BLOCKS || first + 32 <= page->nvisible ? PG_UINT32_MAX : pack_even_bits(map_bits(page, first));

		if (nblocks - block < 32)
			bits &= (UINT64CONST(1) << (nblocks - block)) - 1;
		visible->word[block / 64] |= bits << (block % 64);
	}
}

/* Return the full ID of a transaction that `next` does not precede. */
static FullTransactionId
widen(TransactionId xid, FullTransactionId next)
{
	return FullTransactionIdFromU64(U64FromFullTransactionId(next) + (int32) (xid - XidFromFullTransactionId(next)));
}

FullTransactionId
validity_xmin_horizon(Snapshot snapshot)
{
	return widen(snapshot->xmin, ReadNextFullTransactionId());
}

FullTransactionId
validity_snapshot_horizon(Snapshot snapshot)
{
	/* a transaction sees its own changes; the WAL's end tells that, too, since all changes are logged */
	if (snapshot->xmin != snapshot->xmax || TransactionIdIsValid(GetTopTransactionIdIfAny()))
		return InvalidFullTransactionId;
	return widen(snapshot->xmax, ReadNextFullTransactionId());
}

/*
 * Return true if a transaction that a tuple tells of has ended before the
 * snapshot, and make *newest the newest of them.
 */
static bool
ended(TransactionId xid, Snapshot snapshot, TransactionId *newest)
{
	if (!TransactionIdIsNormal(xid))
		return true;
	if (FOLLOWS(RULE_QUIESCENT) && !TransactionIdPrecedes(xid, snapshot->xmin))
		return false;
	if (!TransactionIdIsValid(*newest) || TransactionIdFollows(xid, *newest))
		*newest = xid;
	return true;
}

bool
validity_quiescent(Page page, Snapshot snapshot, FullTransactionId *newest)
{
	TransactionId newest_here = InvalidTransactionId;
	FullTransactionId full;

	for (OffsetNumber offset = FirstOffsetNumber; offset <= PageGetMaxOffsetNumber(page); offset++)
	{
		ItemId		item = PageGetItemId(page, offset);
		HeapTupleHeader tuple;
		uint16		infomask;

		if (!ItemIdIsNormal(item))
			continue;
		tuple = (HeapTupleHeader) PageGetItem(page, item);
		/* other processes may be setting hint bits */
		infomask = *(volatile uint16 *) &tuple->t_infomask;
		if (infomask & HEAP_MOVED)
			return false;
		if ((infomask & HEAP_XMIN_FROZEN) != HEAP_XMIN_FROZEN && !ended(HeapTupleHeaderGetRawXmin(tuple), snapshot, &newest_here))
			return false;
		if ((infomask & HEAP_XMAX_INVALID) || HEAP_XMAX_IS_LOCKED_ONLY(infomask))
			continue;
		if ((FOLLOWS(RULE_MULTIXACT) && (infomask & HEAP_XMAX_IS_MULTI)) || !ended(HeapTupleHeaderGetRawXmax(tuple), snapshot, &newest_here))
			return false;
	}
	full = widen(newest_here, ReadNextFullTransactionId());
	if (TransactionIdIsValid(newest_here) && FullTransactionIdFollows(full, *newest))
		*newest = full;
	return true;
}

XLogRecPtr
validity_wal(void)
{
	/* in recovery pages change by replay alone */
	return FOLLOWS(RULE_REPLAYED_WAL) && RecoveryInProgress() ? GetXLogReplayRecPtr(NULL) : GetXLogInsertRecPtr();
}

bool
validity_same_horizon(const SnapshotHorizon *a, const SnapshotHorizon *b)
{
	if (!FullTransactionIdIsValid(a->end) || !FullTransactionIdIsValid(b->end))
		return false;
	if (!FOLLOWS(RULE_SAME_HORIZON))
		return true;
	return FullTransactionIdEquals(a->end, b->end) && (!FOLLOWS(RULE_SAME_WAL) || (a->wal == b->wal && !XLogRecPtrIsInvalid(a->wal)));
}

/*
 * Return true if a page still has the LSN that it had.  A page that was filled
 * without WAL has none until it is changed; nor has one that was added since
 * the file was cut off before it, but that one is empty.
 */
static bool
same_lsn(const BlockNotes *notes, uint32 block, const PageGlance *glance)
{
	const XLogRecPtr lsn = notes->pages->lsn[block];

	if (!FOLLOWS(RULE_PAGE_LSN))
		return true;
	return glance->lsn == lsn && !(XLogRecPtrIsInvalid(lsn) && notes->pages->ntuples[block] > 0 && glance->empty);
}

/*
 * Read a block's page header with its content locked, so that nobody is between
 * logging a change and giving the page its LSN.
 */
static PageGlance
look_at_page(const Proof *proof, BlockNumber number)
{
	PageGlance	glance;
	Buffer		buffer;
	Page		page;

	buffer = ReadBufferExtended(proof->relation, MAIN_FORKNUM, number, RBM_NORMAL, proof->strategy);
	recent_note(proof->relation, number, buffer);
	if (!FOLLOWS(RULE_NO_LOCK_HELD))
		break_no_lock_held(proof->relation, number, buffer);
	LockBuffer(buffer, BUFFER_LOCK_SHARE);
	page = BufferGetPage(buffer);
	glance = (PageGlance) {BufferGetLSNAtomic(buffer), PageIsAllVisible(page), PageGetMaxOffsetNumber(page) == 0};
	UnlockReleaseBuffer(buffer);
	return glance;
}

/*
 * Properties of the visibility map, the snapshot and the snapshot horizon that
 * prove some blocks before any page is inspected.
 */
typedef struct Known
{
	bool		map_stands;		/* the map's page has not changed since blocks were proven by it */
	bool		all_ended;		/* all transactions of quiescent blocks ended before the snapshot */
	bool		same_horizon;	/* the snapshot horizon is the one at which blocks were valid */
} Known;

static Known
what_is_known(const Proof *proof, const BlockNotes *notes, const TabletStamp *stamp)
{
	return (Known) {
		.map_stands = !FOLLOWS(RULE_MAP_LSN) || proof->page->lsn == stamp->map_lsn,
		.all_ended = !FOLLOWS(RULE_QUIESCENT_BEFORE) || FullTransactionIdPrecedes(notes->newest, proof->xmin_horizon),
		.same_horizon = validity_same_horizon(&proof->horizon, &stamp->horizon)
	};
}

/* Return the number of blocks that a tablet both had when it was read and has now. */
static uint32
common_blocks(const Proof *proof, const BlockNotes *notes)
{
	return Min(notes->nblocks, proof->nblocks);
}

/* Return a mask of the blocks of a word, 64 of them, that are among the first n of a tablet. */
static uint64
blocks_of_word(uint32 word, uint32 n)
{
	const uint32 first = word * 64;

	return n < first + 64 ? (UINT64CONST(1) << (n - first)) - 1 : ~UINT64CONST(0);
}

void
validity_begin(const Proof *proof, const BlockSet *visible, const BlockNotes *notes, const TabletStamp *stamp, PageLooks *looks)
{
	const Known known = what_is_known(proof, notes, stamp);
	const uint32 nblocks = common_blocks(proof, notes);

	memset(&looks->due, 0, sizeof(looks->due));
	memset(&looks->done, 0, sizeof(looks->done));
	for (uint32 w = 0; w * 64 < nblocks; w++)
	{
		const uint64 there = blocks_of_word(w, nblocks) & ~stamp->lost.word[w];
		const uint64 seen = visible->word[w];

		looks->due.word[w] = there & (seen | (known.all_ended ? notes->quiescent.word[w] : 0));
		if (known.map_stands)
			looks->due.word[w] &= ~(seen & stamp->proven.word[w]);
		if (known.same_horizon)
			looks->due.word[w] &= ~stamp->good.word[w];
	}
}

/* Note what inspecting a block's page has told. */
static void
note_look(PageLooks *looks, const BlockNotes *notes, uint32 block, const PageGlance *glance)
{
	block_set_add(&looks->done, block);
	if (!same_lsn(notes, block, glance))
		block_set_add(&looks->fallen, block);
	if (!FOLLOWS(RULE_PAGE_FLAG) || glance->all_visible)
		block_set_add(&looks->flagged, block);
}

void
validity_glance(const Proof *proof, const BlockNotes *notes, PageLooks *looks)
{
	memset(&looks->fallen, 0, sizeof(looks->fallen));
	memset(&looks->flagged, 0, sizeof(looks->flagged));
	if (!FOLLOWS(RULE_NO_LOCK_HELD))
		return;
	for (uint32 w = 0; w < lengthof(looks->due.word); w++)
		for (uint64 left = looks->due.word[w]; left != 0; left &= left - 1)
		{
			const uint32 block = w * 64 + pg_rightmost_one_pos64(left);
			PageGlance	glance;

			recent_prefetch_glance(proof->relation, notes->first + block + LOOKAHEAD);
			if (recent_glance(proof->relation, notes->first + block, &glance))
				note_look(looks, notes, block, &glance);
		}
}

/* Inspect the due pages of which glances have not told. */
static void
finish_looks(const Proof *proof, const BlockNotes *notes, PageLooks *looks)
{
	for (uint32 w = 0; w < lengthof(looks->due.word); w++)
		for (uint64 left = looks->due.word[w] & ~looks->done.word[w]; left != 0; left &= left - 1)
		{
			const uint32 block = w * 64 + pg_rightmost_one_pos64(left);
			const PageGlance glance = look_at_page(proof, notes->first + block);

			note_look(looks, notes, block, &glance);
			CHECK_FOR_INTERRUPTS();
		}
}

/*
 * Return true if a snapshot horizon comes after that of a stamp, or is the
 * same: older ones have fewer sessions left that show them.
 */
static bool
is_later(const SnapshotHorizon *horizon, const SnapshotHorizon *stamped)
{
	if (!FullTransactionIdIsValid(horizon->end) || FullTransactionIdPrecedes(horizon->end, stamped->end))
		return false;
	return FullTransactionIdFollows(horizon->end, stamped->end) || horizon->wal >= stamped->wal;
}

uint32
validity_choose(const Proof *proof, const BlockSet *visible, const BlockNotes *notes, PageLooks *looks, TabletStamp *stamp, BlockSet *usable)
{
	const Known known = what_is_known(proof, notes, stamp);
	const uint32 nblocks = common_blocks(proof, notes);
	bool		looked = false;

	CHECK_FOR_INTERRUPTS();
	memset(usable, 0, sizeof(*usable));
	finish_looks(proof, notes, looks);
	for (uint32 w = 0; w * 64 < nblocks; w++)
	{
		const uint64 due = looks->due.word[w];
		const uint64 fallen = due & looks->fallen.word[w];
		const uint64 flagged = due & looks->flagged.word[w];
		const uint64 there = blocks_of_word(w, nblocks) & ~stamp->lost.word[w];
		const uint64 seen = visible->word[w];
		const uint64 quiescent = notes->quiescent.word[w];
		uint64		good = there & (seen | (known.all_ended ? quiescent : 0)) & ~fallen;

		looked |= due != 0;
		/* the map may have been copied before the tablet was built */
		if (FOLLOWS(RULE_MAP_IS_OLDER) && !known.all_ended)
			good &= ~(due & quiescent & ~flagged);
		if (known.same_horizon)
			good |= there & stamp->good.word[w];
		usable->word[w] = good;
		stamp->lost.word[w] |= fallen;
		stamp->proven.word[w] = (known.map_stands ? stamp->proven.word[w] : 0) | (good & seen & flagged);
	}
	/* nothing is known any more of blocks after the last one */
	for (uint32 w = (nblocks + 63) / 64; w < lengthof(stamp->proven.word) && !known.map_stands; w++)
		stamp->proven.word[w] = 0;
	stamp->map_lsn = proof->page->lsn;
	if (looked && is_later(&proof->horizon, &stamp->horizon))
	{
		stamp->horizon = proof->horizon;
		stamp->good = *usable;
	}
	return block_set_count(usable);
}

/*
 * validity.c
 *		Whether rows that were read earlier are the rows that a snapshot sees now.
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
#include "tablet/recent.h"
#include "tablet/validity.h"
#include "tablet/without_rule.h"

/* The lower of a block's two bits, for the 32 blocks of a word. */
#define ALL_VISIBLE_BITS UINT64CONST(0x5555555555555555)

/* Blocks ahead whose memory the processor is to fetch. */
#define LOOKAHEAD 16

StaticAssertDecl(VISIBILITYMAP_ALL_VISIBLE == 1 && BITS_PER_HEAPBLOCK == 2, "bits of the visibility map");

/* Whether this transaction has made or emptied the relation's file. */
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

/* How many blocks from the first one on are all-visible, in whole words of 32. */
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
	/* with all of them visible nobody looks at the bits */
	if (page->nvisible < SHELF_BLOCKS)
		memcpy(page->bits, map, MAP_BYTES);
	UnlockReleaseBuffer(buffer);
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

/* A transaction's number, of those that the next one follows. */
static FullTransactionId
widen(TransactionId xid, FullTransactionId next)
{
	return FullTransactionIdFromU64(U64FromFullTransactionId(next) + (int32) (xid - XidFromFullTransactionId(next)));
}

FullTransactionId
validity_horizon(Snapshot snapshot)
{
	return widen(snapshot->xmin, ReadNextFullTransactionId());
}

FullTransactionId
validity_moment(Snapshot snapshot)
{
	/* what this transaction has changed, it sees */
	if (snapshot->xmin != snapshot->xmax || (FOLLOWS(RULE_OWN_CHANGES) && TransactionIdIsValid(GetTopTransactionIdIfAny())))
		return InvalidFullTransactionId;
	return widen(snapshot->xmax, ReadNextFullTransactionId());
}

/* Whether a transaction that a tuple tells of has ended before the snapshot; keeps the newest. */
static bool
ended(TransactionId xid, Snapshot snapshot, TransactionId *newest)
{
	if (!TransactionIdIsNormal(xid))
		return true;
	if (FOLLOWS(RULE_SETTLED) && !TransactionIdPrecedes(xid, snapshot->xmin))
		return false;
	if (!TransactionIdIsValid(*newest) || TransactionIdFollows(xid, *newest))
		*newest = xid;
	return true;
}

bool
validity_settled(Page page, Snapshot snapshot, FullTransactionId *newest)
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
		/* others may be noting what they have found out */
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
validity_same_moment(const Moment *a, const Moment *b)
{
	if (!FullTransactionIdIsValid(a->end) || !FullTransactionIdIsValid(b->end))
		return false;
	if (!FOLLOWS(RULE_SAME_MOMENT))
		return true;
	return FullTransactionIdEquals(a->end, b->end) && (!FOLLOWS(RULE_SAME_WAL) || (a->wal == b->wal && !XLogRecPtrIsInvalid(a->wal)));
}

/*
 * Whether a page still has the LSN that it had.  A page that was filled
 * without WAL has none until it is changed; nor has one that was added since
 * the file was cut off before it, but that one is empty.
 */
static bool
same_lsn(Buffer buffer, XLogRecPtr lsn, uint32 ntuples)
{
	bool		same = BufferGetLSNAtomic(buffer) == lsn;

	if (same && XLogRecPtrIsInvalid(lsn) && ntuples > 0)
	{
		LockBuffer(buffer, BUFFER_LOCK_SHARE);
		same = XLogRecPtrIsInvalid(BufferGetLSNAtomic(buffer)) && PageGetMaxOffsetNumber(BufferGetPage(buffer)) > 0;
		LockBuffer(buffer, BUFFER_LOCK_UNLOCK);
	}
	return same;
}

/*
 * Whether a block's page still is the one that was read.  *flagged tells
 * whether it says that it is all-visible: if not, what changes it next clears
 * no bit of the map.  Its content is locked for a moment, so nobody is between
 * logging a change and giving the page its LSN.
 */
static bool
page_stands(const Proof *proof, const BlockNotes *notes, uint32 block, bool *flagged)
{
	const BlockNumber number = notes->first + block;
	Buffer		buffer;
	bool		stands;

	buffer = ReadBufferExtended(proof->relation, MAIN_FORKNUM, number, RBM_NORMAL, proof->strategy);
	recent_note(proof->relation, number, buffer);
	if (!FOLLOWS(RULE_NO_LOCK_HELD))
		break_no_lock_held(proof->relation, number, buffer);
	LockBuffer(buffer, BUFFER_LOCK_SHARE);
	LockBuffer(buffer, BUFFER_LOCK_UNLOCK);
	*flagged = !FOLLOWS(RULE_PAGE_FLAG) || PageIsAllVisible(BufferGetPage(buffer));
	stands = !FOLLOWS(RULE_PAGE_LSN) || same_lsn(buffer, notes->pages->lsn[block], notes->pages->ntuples[block]);
	ReleaseBuffer(buffer);
	return stands;
}

/*
 * Find the same out by a glance at the page's header, which takes no lock and
 * a tenth of the time; false if that cannot tell.
 */
static bool
glance_tells(const Proof *proof, const BlockNotes *notes, uint32 block, bool *stands, bool *flagged)
{
	const BlockNumber number = notes->first + block;
	PageGlance	glance;

	recent_prefetch_glance(proof->relation, number + LOOKAHEAD);
	if (!FOLLOWS(RULE_NO_LOCK_HELD) || !recent_glance(proof->relation, number, &glance) || XLogRecPtrIsInvalid(glance.lsn))
		return false;
	*stands = !FOLLOWS(RULE_PAGE_LSN) || glance.lsn == notes->pages->lsn[block];
	*flagged = !FOLLOWS(RULE_PAGE_FLAG) || glance.all_visible;
	return true;
}

/* Of 64 blocks from `first` on, those whose pages do not stand any more, and those whose pages say that they are all-visible. */
static uint64
fallen_pages(const Proof *proof, const BlockNotes *notes, uint32 first, uint64 blocks, uint64 *all_flagged)
{
	uint64		fallen = 0;

	CHECK_FOR_INTERRUPTS();
	for (*all_flagged = 0; blocks != 0; blocks &= blocks - 1)
	{
		const int	block = pg_rightmost_one_pos64(blocks);
		bool		flagged;
		bool		stands;

		if (!glance_tells(proof, notes, first + block, &stands, &flagged))
			stands = page_stands(proof, notes, first + block, &flagged);
		if (!stands)
			fallen |= UINT64CONST(1) << block;
		if (flagged)
			*all_flagged |= UINT64CONST(1) << block;
	}
	return fallen;
}

/* Whether a snapshot's moment comes after the one of a stamp, or is the same: older ones have fewer sessions left that show them. */
static bool
is_later(const Moment *moment, const Moment *stamped)
{
	if (!FullTransactionIdIsValid(moment->end) || FullTransactionIdPrecedes(moment->end, stamped->end))
		return false;
	return FullTransactionIdFollows(moment->end, stamped->end) || moment->wal >= stamped->wal;
}

uint32
validity_choose(const Proof *proof, const BlockSet *visible, const BlockNotes *notes, TabletStamp *stamp, BlockSet *usable)
{
	const bool	map_stands = !FOLLOWS(RULE_MAP_LSN) || proof->page->lsn == stamp->map_lsn;
	const bool	all_ended = !FOLLOWS(RULE_SETTLED_BEFORE) ||
		FullTransactionIdPrecedes(notes->newest, proof->horizon);
	const bool	same = validity_same_moment(&proof->moment, &stamp->moment);
	const uint32 nblocks = Min(notes->nblocks, proof->nblocks);
	bool		looked = false;

	memset(usable, 0, sizeof(*usable));
	for (uint32 first = 0; first < nblocks; first += 64)
	{
		const uint32 w = first / 64;
		const uint64 there = nblocks - first < 64 ? (UINT64CONST(1) << (nblocks - first)) - 1 : ~UINT64CONST(0);
		const uint64 seen = visible->word[w];
		const uint64 settled = notes->settled.word[w];
		uint64		good = there & ~stamp->lost.word[w] & (seen | (all_ended ? settled : 0));
		const uint64 proven = map_stands ? seen & stamp->proven.word[w] : 0;
		const uint64 known = same ? there & ~stamp->lost.word[w] & stamp->good.word[w] : 0;
		const uint64 unsure = good & ~proven & ~known;
		uint64		flagged;
		const uint64 fallen = fallen_pages(proof, notes, first, unsure, &flagged);

		looked |= unsure != 0;
		good &= ~fallen;
		/* the map may have been copied before the tablet was built */
		if (FOLLOWS(RULE_MAP_IS_OLDER) && !all_ended)
			good &= ~(unsure & settled & ~flagged);
		good |= known;
		usable->word[w] = good;
		stamp->lost.word[w] |= fallen;
		stamp->proven.word[w] = (map_stands ? stamp->proven.word[w] : 0) | (good & seen & flagged);
	}
	/* of blocks behind the last nothing is known any more */
	for (uint32 w = (nblocks + 63) / 64; w < lengthof(stamp->proven.word) && !map_stands; w++)
		stamp->proven.word[w] = 0;
	stamp->map_lsn = proof->page->lsn;
	if (looked && is_later(&proof->moment, &stamp->moment))
	{
		stamp->moment = proof->moment;
		stamp->good = *usable;
	}
	return block_set_count(usable);
}

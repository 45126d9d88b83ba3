/*
 * recent.c
 *		Last known buffers of blocks: where in shared_buffers any session last saw them.
 *
 * Looking a block up in PostgreSQL's table of buffers costs several misses of
 * the processor's cache, one after the other, and that is what limits how fast
 * one process feeds a GPU.  A guess costs none: ReadRecentBuffer() pins a
 * buffer if it still holds the block.  So a shared array, twice as large as
 * there are buffers, holds the last known buffer of blocks; those of a relation
 * are adjacent, and relations that collide there only spoil each other's
 * guesses.  Since a guess is known ahead, the memory it leads to can be
 * prefetched.  The first time that anybody reads a table, the buffers behind
 * that of the block before are the guess.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "pgstat.h"
#include "port/atomics.h"
#include "storage/buf_internals.h"
#include "storage/bufmgr.h"

#include "core/hash.h"
#include "device/mapping.h"
#include "pg_compat.h"
#include "tablet/cache/recent.h"

/* Number of cache lines of a page to prefetch: its header and the line pointers of some 70 tuples. */
#define PAGE_LINES		5

/* Number of buffers behind that of the block before in which a block is looked for. */
#define REACH			16

/*
 * Last known buffers by block; InvalidBuffer = not known.  Read and written
 * without locks: a wrong one costs only time.
 */
static volatile Buffer *guesses = NULL;
static uint32 nguesses;			/* a power of two */

void
recent_create(void)
{
	if (guesses != NULL)
		mapping_drop((void *) guesses, nguesses * sizeof(Buffer));
	nguesses = pg_nextpower2_32(2 * (uint32) Max(NBuffers, 1024));
	guesses = mapping_create(nguesses * sizeof(Buffer));
}

static uint32
place_of(Relation relation, BlockNumber block)
{
	return (uint32) (hash_mix(compat_relation_file(relation)) + block) & (nguesses - 1);
}

void
recent_note(Relation relation, BlockNumber block, Buffer buffer)
{
	if (guesses != NULL)
		guesses[place_of(relation, block)] = buffer;
}

static Buffer
guess(Relation relation, BlockNumber block)
{
	Buffer		buffer = guesses != NULL ? guesses[place_of(relation, block)] : InvalidBuffer;

	return buffer > 0 && buffer <= NBuffers ? buffer : InvalidBuffer;
}

/*
 * Return the buffer of a block that nobody has seen, if it is one of those
 * behind the buffer of the block before, or InvalidBuffer.  Tables that are
 * read into free buffers get them in this order, alternating with others that
 * are read at the same time.
 */
static Buffer
find_behind(Relation relation, BlockNumber block)
{
	const Buffer before = block > 0 ? guess(relation, block - 1) : InvalidBuffer;

	if (before == InvalidBuffer)
		return InvalidBuffer;
	for (Buffer buffer = before + 1; buffer <= Min(before + REACH, NBuffers); buffer++)
		if (compat_buffer_has(GetBufferDescriptor(buffer - 1), relation, block))
			return buffer;
	return InvalidBuffer;
}

/*
 * Return the buffer of a block that nobody has seen if the buffers of the
 * blocks between `known`, which somebody has seen, and this one have the
 * distances of the last two known ones; InvalidBuffer if there are none.
 */
static Buffer
extrapolate(Relation relation, BlockNumber known, BlockNumber block)
{
	const Buffer last = guess(relation, known);
	const Buffer before = known > 0 ? guess(relation, known - 1) : InvalidBuffer;
	int64		buffer = last + (int64) (last - before) * (block - known);

	if (last == InvalidBuffer || before == InvalidBuffer || last <= before || last - before > REACH || buffer > NBuffers)
		return InvalidBuffer;
	return (Buffer) buffer;
}

/* Prefetch the descriptor of a buffer, and `lines` cache lines of its page. */
static void
prefetch(Buffer buffer, int lines)
{
	const char *page;

	if (buffer == InvalidBuffer)
		return;
	core_prefetch(GetBufferDescriptor(buffer - 1));
	page = BufferBlocks + (Size) (buffer - 1) * BLCKSZ;
	for (int line = 0; line < lines; line++)
		core_prefetch(page + line * CORE_LINE_BYTES);
}

void
recent_prefetch(Relation relation, BlockNumber next, BlockNumber block)
{
	Buffer		buffer = guess(relation, block);

	if (buffer == InvalidBuffer && next > 0)
		buffer = extrapolate(relation, next - 1, block);
	prefetch(buffer, PAGE_LINES);
}

void
recent_prefetch_glance(Relation relation, BlockNumber block)
{
	prefetch(guess(relation, block), 1);
}

Buffer
recent_pin(Relation relation, BlockNumber block, bool search)
{
	const Buffer known = guess(relation, block);
	const Buffer buffer = known == InvalidBuffer && search ? find_behind(relation, block) : known;

	if (buffer == InvalidBuffer ||
		!ReadRecentBuffer(compat_relation_file_of(relation), MAIN_FORKNUM, block, buffer))
		return InvalidBuffer;
	if (buffer != known)
		recent_note(relation, block, buffer);
	/* counted as by ReadBuffer() */
	pgstat_count_buffer_read(relation);
	pgstat_count_buffer_hit(relation);
	return buffer;
}

/*
 * Return true if a buffer has the block, its content in place and nobody at
 * work on it.  First its tag is read, then its state: a tag that only looks so
 * because it is being changed is locked then, or is another one the next time
 * that it is read.
 */
static bool
has_block(BufferDesc *descriptor, Relation relation, BlockNumber block)
{
	const uint32 wanted = BM_VALID | BM_TAG_VALID;
	bool		same = compat_buffer_has(descriptor, relation, block);
	uint32		state;

	pg_read_barrier();
	state = pg_atomic_read_u32(&descriptor->state);
	same &= compat_content_is_free(descriptor);
	pg_read_barrier();
	return same && (state & (wanted | BM_LOCKED)) == wanted;
}

bool
recent_glance(Relation relation, BlockNumber block, PageGlance *glance)
{
	Buffer		buffer = guess(relation, block);
	BufferDesc *descriptor;
	PageHeader	page;

	if (buffer == InvalidBuffer)
		return false;
	descriptor = GetBufferDescriptor(buffer - 1);
	if (!has_block(descriptor, relation, block))
		return false;
	page = (PageHeader) (BufferBlocks + (Size) (buffer - 1) * BLCKSZ);
	glance->lsn = PageXLogRecPtrGet(*(volatile PageXLogRecPtr *) &page->pd_lsn);
	glance->all_visible = (*(volatile uint16 *) &page->pd_flags & PD_ALL_VISIBLE) != 0;
	glance->empty = *(volatile LocationIndex *) &page->pd_lower <= SizeOfPageHeaderData;
	pg_read_barrier();
	return has_block(descriptor, relation, block);
}

/* Number of blocks that are looked up for recent_resident_part(). */
#define SAMPLE_BLOCKS	16

/* Return true if PostgreSQL's table of buffers has a block. */
static bool
is_resident(Relation relation, BlockNumber block)
{
	BufferTag	tag = compat_buffer_tag(relation, block);
	const uint32 hash = BufTableHashCode(&tag);
	LWLock	   *lock = BufMappingPartitionLock(hash);
	bool		found;

	LWLockAcquire(lock, LW_SHARED);
	found = BufTableLookup(&tag, hash) >= 0;
	LWLockRelease(lock);
	return found;
}

double
recent_resident_part(Relation relation, BlockNumber nblocks)
{
	const BlockNumber n = Min(nblocks, SAMPLE_BLOCKS);
	int			resident = 0;

	/* temporary tables have buffers of their own, which are memory of this process */
	if (n == 0 || RelationUsesLocalBuffers(relation))
		return 1;
	for (BlockNumber i = 0; i < n; i++)
		resident += is_resident(relation, (BlockNumber) ((uint64) nblocks * (2 * i + 1) / (2 * n)));
	return (double) resident / n;
}

/*
 * chunks.c
 *		Attaching of the buffer pool and of cached tablets to the device, in chunks and on demand.
 *
 * Attaching all of a large pool takes seconds and as much pinned memory, so a
 * chunk is attached when the first backend has a page or a column in it.  Like
 * all code of the GPU process this calls none of PostgreSQL's functions.
 */
#include "postgres.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "worker/chunks.h"

static Channel *channel;
static const Provider *provider;
static SharedMemory pool;
static SharedMemory tablets;
static bool attached[CHANNEL_CHUNKS];

/* State of a chunk of cached tablets. */
typedef enum ChunkState
{
	CHUNK_UNKNOWN,
	CHUNK_ATTACHED,
	CHUNK_REFUSED
} ChunkState;

#define TABLET_CHUNK_BYTES ((uint64) 32 * 1024 * 1024)

static uint8 *tablet_chunk;		/* ChunkState, by chunk; NULL if there are no cached tablets */

/* Private copy of channel->chunk_bytes, which requesters could change. */
static uint64 chunk_bytes;

void
chunks_open(Channel *ch, const Provider *device, SharedMemory buffers, SharedMemory cached)
{
	channel = ch;
	provider = device;
	pool = buffers;
	chunk_bytes = ch->chunk_bytes;
	tablets = cached;
	if (tablets.start != NULL && mprotect(tablets.start, tablets.bytes, PROT_READ) == 0)
		tablet_chunk = calloc(tablets.bytes / TABLET_CHUNK_BYTES + 1, 1);
}

static uint64
chunk_of(uint64 offset)
{
	return channel_chunk(pool.start, offset, chunk_bytes);
}

/* Attach read-only memory.  It is writable for the moment if the device registers only writable memory. */
static bool
attach_chunk(ProviderMemory *memory)
{
	bool		done = provider->attach(memory);

	if (done || mprotect(memory->start, memory->size, PROT_READ | PROT_WRITE) != 0)
		return done;
	memory->read_only = false;
	done = provider->attach(memory);
	mprotect(memory->start, memory->size, PROT_READ);
	return done;
}

bool
chunks_attach_wanted(void)
{
	uint64		misalignment = (uintptr_t) pool.start % CHANNEL_CHUNK_ALIGNMENT;
	uint8	   *begin = (uint8 *) ((uintptr_t) pool.start & ~(uintptr_t) 4095);
	uint8	   *end = (uint8 *) (((uintptr_t) pool.start + pool.bytes + 4095) & ~(uintptr_t) 4095);

	for (uint64 c = 0; c <= chunk_of(pool.bytes - 1); c++)
	{
		uint8	   *first = pool.start - misalignment + c * chunk_bytes;
		uint8	   *last = first + chunk_bytes;
		ProviderMemory memory;

		if (pg_atomic_read_u32(&channel->chunk_wanted[c]) != 1 || attached[c])
			continue;
		first = Max(first, begin);
		last = Min(last, end);
		memory = (ProviderMemory) {.start = first, .size = last - first, .read_only = true};
		attached[c] = attach_chunk(&memory);
		/* 2 = the chunk cannot be attached, and is not requested again */
		pg_atomic_write_u32(&channel->chunk_wanted[c], attached[c] ? 1 : 2);
		pg_atomic_write_u32(&channel->chunk_attached[c], attached[c]);
		return true;
	}
	return false;
}

const uint8 *
chunks_page(uint64 offset)
{
	if (offset > pool.bytes - HEAP_PAGE_SIZE || offset % HEAP_PAGE_SIZE != 0 ||
		!attached[chunk_of(offset)] || !attached[chunk_of(offset + HEAP_PAGE_SIZE - 1)])
		return NULL;
	return pool.start + offset;
}

static bool
attach_tablet_chunk(uint64 c)
{
	ProviderMemory memory = {
		.start = tablets.start + c * TABLET_CHUNK_BYTES,
		.size = Min(TABLET_CHUNK_BYTES, tablets.bytes - c * TABLET_CHUNK_BYTES), .read_only = true
	};

	if (tablet_chunk[c] == CHUNK_UNKNOWN)
	{
		tablet_chunk[c] = attach_chunk(&memory) ? CHUNK_ATTACHED : CHUNK_REFUSED;
		/* a GPU batch may attach many chunks: show the supervisor that the process lives */
		pg_atomic_fetch_add_u64(&channel->heartbeat, 1);
	}
	return tablet_chunk[c] == CHUNK_ATTACHED;
}

const uint8 *
chunks_tablet_bytes(uint64 offset, uint64 bytes)
{
	if (tablet_chunk == NULL || bytes == 0 || offset > tablets.bytes || bytes > tablets.bytes - offset)
		return NULL;
	for (uint64 c = offset / TABLET_CHUNK_BYTES; c <= (offset + bytes - 1) / TABLET_CHUNK_BYTES; c++)
		if (!attach_tablet_chunk(c))
			return NULL;
	return tablets.start + offset;
}

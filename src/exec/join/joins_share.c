/*
 * joins_share.c
 *		Copying the tables of joins to memory that the GPU process can read.
 */
#include "postgres.h"

#include "exec/join/joins_share.h"
#include "tablet/cache/pool.h"
#include "tablet/cache/shelf.h"

/* Alignment of the table and of its rows within the copy, in bytes. */
#define ALIGNMENT 64

/* Shared memory of a copied join table, freed by a memory-context callback. */
typedef struct Shared
{
	GpuNode    *node;
	dsa_pointer memory;
	MemoryContextCallback callback;
} Shared;

static void
free_shared(void *arg)
{
	Shared	   *shared = arg;

	/* a job that an error has left behind may be reading it, but none does between two passes */
	if (!shared->node->multipass.changing)
		feed_close_job(&shared->node->feed);
	pool_free(shared->memory);
}

bool
join_share(GpuNode *node, const JoinRows *rows, MemoryContext context, SharedTable *shared)
{
	const Size	rows_at = TYPEALIGN(ALIGNMENT, rows->table->size);
	const Size	bytes = rows_at + TYPEALIGN(ALIGNMENT, rows->rows->size);
	Shared	   *own = MemoryContextAlloc(context, sizeof(Shared));
	uint8	   *block;

	if (!pool_exists())
		return false;
	/* includes room for the alignment */
	own->memory = shelf_allocate_values(bytes + ALIGNMENT, sizeof(Wide), &SHELF_ROOM_AT_ANY_PRICE);
	if (!DsaPointerIsValid(own->memory))
		return false;
	own->node = node;
	own->callback = (MemoryContextCallback) {.func = free_shared, .arg = own};
	MemoryContextRegisterResetCallback(context, &own->callback);
	block = (uint8 *) TYPEALIGN(ALIGNMENT, (uintptr_t) pool_address(own->memory));
	memcpy(block, rows->table, rows->table->size);
	memcpy(block + rows_at, rows->rows, rows->rows->size);
	*shared = (SharedTable) {.number = shelf_next_number(), .place = (uint64) (block - pool_start()), .bytes = bytes, .rows = rows_at};
	return true;
}

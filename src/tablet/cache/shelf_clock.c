/*
 * shelf_clock.c
 *		The pool's clock: numbers that all processes share, each of which is handed out once.
 */
#include "postgres.h"

#include "port/atomics.h"
#include "storage/shmem.h"

#include "tablet/cache/shelf.h"
#include "tablet/cache/shelf_private.h"

typedef struct ShelfClock
{
	pg_atomic_uint64 ticks;
	pg_atomic_uint64 changed;	/* time when tablets were last put in the place of others */
	pg_atomic_uint64 contents;	/* time when tablets or columns were last cached or freed */
} ShelfClock;

static ShelfClock *pool_clock = NULL;

Size
shelf_clock_bytes(void)
{
	return MAXALIGN(sizeof(ShelfClock));
}

void
shelf_clock_create(void)
{
	bool		found;

	pool_clock = ShmemInitStruct("gpudb shelf clock", sizeof(ShelfClock), &found);
	if (found)
		return;
	pg_atomic_init_u64(&pool_clock->ticks, 1);
	pg_atomic_init_u64(&pool_clock->changed, 0);
	pg_atomic_init_u64(&pool_clock->contents, 1);
}

uint64
shelf_time(void)
{
	return pg_atomic_read_u64(&pool_clock->ticks);
}

uint64
shelf_next_number(void)
{
	return pg_atomic_add_fetch_u64(&pool_clock->ticks, 1);
}

void
shelf_note_change(Shelf *shelf)
{
	const uint64 now = shelf_next_number();

	pg_atomic_write_u64(&shelf->generation, now);
	pg_atomic_write_u64(&pool_clock->changed, now);
	pg_atomic_write_u64(&pool_clock->contents, now);
}

void
shelf_note_contents(void)
{
	pg_atomic_write_u64(&pool_clock->contents, shelf_next_number());
}

uint64
shelf_last_change(void)
{
	return pg_atomic_read_u64(&pool_clock->changed);
}

uint64
shelf_contents(void)
{
	return pg_atomic_read_u64(&pool_clock->contents);
}

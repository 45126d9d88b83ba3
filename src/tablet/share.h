/*
 * share.h
 *		Work that several processes draw from until none is left, by its number; in memory that they share.
 */
#ifndef GPUDB_TABLET_SHARE_H
#define GPUDB_TABLET_SHARE_H

#include "postgres.h"

#include "port/atomics.h"

typedef struct Share
{
	pg_atomic_uint64 next;
	uint64		n;
} Share;

/* Share the numbers below n. */
static inline void
share_begin(Share *share, uint64 n)
{
	pg_atomic_init_u64(&share->next, 0);
	share->n = n;
}

/* Draw the next ones, at most so many: how many they are, 0 if none is left. */
static inline uint64
share_draw(Share *share, uint64 most, uint64 *first)
{
	/* looked at first, so that what is used up stays as it is */
	if (pg_atomic_read_u64(&share->next) >= share->n)
		return 0;
	*first = pg_atomic_fetch_add_u64(&share->next, most);
	return *first < share->n ? Min(most, share->n - *first) : 0;
}

/* Have nobody draw any more. */
static inline void
share_stop(Share *share)
{
	pg_atomic_write_u64(&share->next, share->n);
}

#endif							/* GPUDB_TABLET_SHARE_H */

/*
 * share.h
 *		Numbered pieces of work, in shared memory, from which several processes draw until none is left.
 */
#ifndef GPUDB_TABLET_READ_SHARE_H
#define GPUDB_TABLET_READ_SHARE_H

#include "postgres.h"

#include "port/atomics.h"

typedef struct Share
{
	pg_atomic_uint64 next;
	uint64		n;
} Share;

/* Initialize a share of the numbers below n. */
static inline void
share_begin(Share *share, uint64 n)
{
	pg_atomic_init_u64(&share->next, 0);
	share->n = n;
}

/* Draw at most `most` of the next numbers, beginning with *first; return how many they are, 0 if none is left. */
static inline uint64
share_draw(Share *share, uint64 most, uint64 *first)
{
	/* checked first, so that an exhausted share is not written */
	if (pg_atomic_read_u64(&share->next) >= share->n)
		return 0;
	*first = pg_atomic_fetch_add_u64(&share->next, most);
	return *first < share->n ? Min(most, share->n - *first) : 0;
}

/* Stop a share, so that no process draws any more. */
static inline void
share_stop(Share *share)
{
	pg_atomic_write_u64(&share->next, share->n);
}

#endif							/* GPUDB_TABLET_READ_SHARE_H */

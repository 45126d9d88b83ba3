/*
 * unmatched.c
 *		The rows of a full join's inner table that have no match on the outer side.
 *
 * A full join runs as a left join, whose pairs show which rows of the inner
 * table have a match.  The other rows follow, among them those with a NULL in
 * their key, which are rows of the table although no key finds them.
 */
#include "postgres.h"

#include "exec/rows/unmatched.h"

void
unmatched_begin(Unmatched *unmatched, MemoryContext context, const JoinRows *tables, int ntables)
{
	const Tablet *rows = tables[ntables - 1].rows;
	const Size	bytes = (Size) UNMATCHED_ROWS * ntables * sizeof(uint32);

	*unmatched = (Unmatched) {
		.rows = rows, .table = ntables - 1, .matches = MemoryContextAlloc(context, bytes),
		.met = MemoryContextAllocExtended(context, Max(tablet_bitmap_bytes(rows->nrows), 1), MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO)
	};
	/* JOIN_NO_ROW is all ones */
	memset(unmatched->matches, 0xff, bytes);
}

void
unmatched_note(Unmatched *unmatched, const DeviceWork *work)
{
	const uint32 *matches = work->matches + (Size) unmatched->table * work->room;

	for (uint32 i = 0; i < work->nrows; i++)
		if (matches[i] != JOIN_NO_ROW)
			unmatched->met[matches[i] / 8] |= 1 << matches[i] % 8;
}

uint32
unmatched_next(Unmatched *unmatched)
{
	uint32	   *found = unmatched->matches + (Size) unmatched->table * UNMATCHED_ROWS;
	uint32		n = 0;

	for (; unmatched->next < unmatched->rows->nrows && n < UNMATCHED_ROWS; unmatched->next++)
		if (!(unmatched->met[unmatched->next / 8] >> unmatched->next % 8 & 1))
			found[n++] = unmatched->next;
	return n;
}

/*
 * memo_room.h
 *		Memory of a session for memos of shelves (shelf_memo.h).
 *
 * A session that reads a table of 9 GB for the first time stores a megabyte
 * about its tablets, and on a virtual machine the page faults by which a
 * process gets a megabyte in pages of 4 kB take longer than the rest of the
 * query.  Therefore memos of large tables are stored in huge pages, where the
 * machine gives some, and those of small tables, for which a huge page would be
 * too much, apart from them.  Memory that may never be written is apart from
 * both: a page that is never touched takes no memory.
 */
#ifndef GPUDB_TABLET_CACHE_MEMO_ROOM_H
#define GPUDB_TABLET_CACHE_MEMO_ROOM_H

#include "postgres.h"

typedef enum MemoRoom
{
	MEMO_SMALL_PAGES,
	MEMO_LATER,					/* memory that is written later, if at all */
	MEMO_HUGE_PAGES,
	MEMO_SLOTS
} MemoRoom;

/* Allocate `bytes` bytes of an area, not zeroed; return NULL if the area has no contiguous space for them. */
extern void *memo_room_take(Size bytes, MemoRoom where);

/* Free memory that memo_room_take() returned. */
extern void memo_room_give(void *start, Size bytes);

#endif							/* GPUDB_TABLET_CACHE_MEMO_ROOM_H */

/*
 * memo_room.h
 *		Memory of a session in which memos of shelves stand: see shelf_memo.h.
 *
 * A session that reads a table of 9 GB for the first time remembers a megabyte
 * of its tablets, and the page faults by which a process gets a megabyte in
 * pages of 4 kB take longer than the rest of the query where the machine is a
 * virtual one.  So memos of large tables stand in huge pages, where the machine
 * gives some, and those of small ones, for which a huge page would be too much,
 * apart from these.  What may never be written stands apart from both: a page
 * that nobody touches takes no memory.
 */
#ifndef GPUDB_TABLET_MEMO_ROOM_H
#define GPUDB_TABLET_MEMO_ROOM_H

#include "postgres.h"

typedef enum MemoRoom
{
	MEMO_SMALL_PAGES,
	MEMO_LATER,					/* for what is written later, if at all */
	MEMO_HUGE_PAGES,
	MEMO_ROOMS
} MemoRoom;

/* Take so many bytes of a room; they are not zeroed.  NULL if it has no place for them in one piece. */
extern void *memo_room_take(Size bytes, MemoRoom where);

/* Give back what was taken. */
extern void memo_room_give(void *start, Size bytes);

#endif							/* GPUDB_TABLET_MEMO_ROOM_H */

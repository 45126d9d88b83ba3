/*
 * memo_room.h
 *		Memory of a session in which memos of shelves stand: see shelf_memo.h.
 *
 * A session that reads a table of 9 GB for the first time remembers a megabyte
 * of its tablets, and the page faults by which a process gets a megabyte in
 * pages of 4 kB take longer than the rest of the query where the machine is a
 * virtual one.  So memos of large tables stand in huge pages, where the machine
 * gives some, and those of small ones, for which a huge page would be too much,
 * apart from these.
 */
#ifndef GPUDB_TABLET_MEMO_ROOM_H
#define GPUDB_TABLET_MEMO_ROOM_H

#include "postgres.h"

/* Take so many bytes, in huge pages or not; they are not zeroed.  NULL if there is no room for them in one piece. */
extern void *memo_room_take(Size bytes, bool huge);

/* Give back what was taken. */
extern void memo_room_give(void *start, Size bytes);

#endif							/* GPUDB_TABLET_MEMO_ROOM_H */

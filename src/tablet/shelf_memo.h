/*
 * shelf_memo.h
 *		What this session knows of whole shelves: tablets of which every row counts, ready to use.
 *
 * Where nothing changes, deciding about each tablet again tells what is known.
 * A shelf whose blocks were all good is remembered with its tablets.  It is
 * still so if nobody has put other tablets in their place, and if the snapshot
 * shows the same moment, or if all blocks were all-visible, and the map's page
 * has the same LSN and all bits (validity.h).
 */
#ifndef GPUDB_TABLET_SHELF_MEMO_H
#define GPUDB_TABLET_SHELF_MEMO_H

#include "postgres.h"

#include "access/xlogdefs.h"

#include "tablet/memo_room.h"
#include "tablet/shelf.h"
#include "tablet/tablet_scan.h"

/* Shelves that a session remembers, each as often as queries want different columns of it, if they have room (memo_room.h); with 32 tablets of 7 columns one takes 28 kB. */
#define SHELF_MEMOS		512

/* A column of a memo's tablets. */
typedef struct MemoColumn
{
	ColumnKey	key;
	bool		not_null;		/* it is wanted so */
	bool		has_texts;		/* in some tablet it is one of texts, */
	bool		has_nulls;		/* or has NULL */
} MemoColumn;

/*
 * A memo tells which tablets of a shelf were found, for which columns and by
 * which proof.  A memo stands in one piece, which it begins, but for the
 * tablets of one that was derived, which have another piece.
 */
typedef struct ShelfMemo
{
	uint64		generation;		/* of the shelf: no other one's, ever */
	struct ShelfMemo *next;		/* in its list */
	XLogRecPtr	map_lsn;		/* invalid if the map did not prove it */
	Moment		moment;			/* its end is invalid if none is known at which every row counts */
	uint32		nblocks;		/* that the shelf has, all of them good */
	int			ncolumns;
	MemoColumn *column;
	CachedRows	rows[SHELF_TABLETS];
	CachedShelf shelf;			/* these, for devices */
	Size		bytes;			/* of all that, */
	Size		filled;			/* and how many are */
	MemoRoom	where;			/* all that stands */
	void	   *later;			/* of a memo that was derived: where its other tablets stand, or are to; NULL = it has none */
	Size		later_bytes;
	struct MemoHolder *holder;	/* who gives it back; NULL = it is kept */
	struct ShelfMemo *wider;	/* that the shelf is completed from; NULL = it is complete */
	uint64		used;
	int			users;			/* scans that have it */
} ShelfMemo;

/* What a scan finds now, and wants. */
typedef struct ShelfNow
{
	uint64		generation;		/* of the shelf, before its tablets were looked at */
	const MapPage *map;			/* NULL = it was not looked at, and the moment alone proves something */
	Moment		moment;			/* that the snapshot shows */
	uint32		nblocks;
	bool		of_large;		/* the table is a large one */
	const ColumnKeys *columns;
	const ColumnWanted *wanted;
} ShelfNow;

/*
 * Return the memo of a shelf as it is now, which may have been derived from one
 * of more columns; NULL if there is none.  The memo stays until it is let go.
 */
extern ShelfMemo *shelf_memo_find(const ShelfNow *now);
extern void shelf_memo_let_go(ShelfMemo *memo);

/* By what it is known that every row of a shelf counts. */
typedef struct ShelfProof
{
	bool		by_map;
	bool		by_moment;		/* at the same one again */
} ShelfProof;

/*
 * Begin a memo of a shelf as it is now, for n tablets, which lasts as long as a
 * memory context unless it is kept.  NULL if there is no room for it.
 */
extern ShelfMemo *shelf_memo_begin(const ShelfNow *now, uint32 n, MemoryContext context);

/* Memory for what the shelf's tablets are to be remembered by: a Tablet and an array of SharedColumn for each.  It is not zeroed. */
extern void *shelf_memo_room(ShelfMemo *memo, Size bytes);

/*
 * Remember it: n tablets, all that the shelf has, with every row.  Returns what
 * is remembered, which may be another memo of the same, until it is let go; NULL
 * if nothing is.
 */
extern ShelfMemo *shelf_memo_keep(ShelfMemo *memo, const ShelfNow *now, ShelfProof proof, const CachedRows *rows, uint32 n);

#endif							/* GPUDB_TABLET_SHELF_MEMO_H */

/*
 * shelf_memo.h
 *		Memos of whole shelves in this session: tablets all of whose rows are valid, ready to use.
 *
 * Where nothing changes, deciding about each tablet again yields what is known
 * already.  So a shelf whose blocks were all valid is remembered with its
 * tablets.  The memo holds if nobody has put other tablets in their place, and
 * if the snapshot has the same snapshot horizon, or if all blocks were
 * all-visible, and the visibility map's page has the same LSN and all bits
 * (validity.h).
 */
#ifndef GPUDB_TABLET_CACHE_SHELF_MEMO_H
#define GPUDB_TABLET_CACHE_SHELF_MEMO_H

#include "postgres.h"

#include "access/xlogdefs.h"

#include "core/device_api.h"
#include "tablet/cache/column_wanted.h"
#include "tablet/cache/memo_room.h"
#include "tablet/cache/shelf.h"

/*
 * Largest number of memos of a session, one for each shelf and for each set of
 * columns that queries want of it, if there is room for them (memo_room.h); a
 * memo of 32 tablets of 7 columns takes 28 kB.
 */
#define SHELF_MEMOS		512

/* Column of a memo's tablets. */
typedef struct MemoColumn
{
	ColumnKey	key;
	bool		not_null;		/* column is wanted as NOT NULL */
	bool		has_texts;		/* column holds texts as such in some tablet */
	bool		has_nulls;		/* column has a NULL in some tablet */
} MemoColumn;

/*
 * Memo of which tablets of a shelf were found, for which columns and by which
 * proof.  A memo is one piece of memory that begins with this struct; in a memo
 * that was derived, all tablets but the first are in another piece.  What is
 * compared with every memo of a shelf is in the first bytes.
 */
typedef struct ShelfMemo
{
	uint64		generation;		/* generation of the shelf, which no other shelf ever has */
	uint64		hash;			/* shelf_memo_hash() of its columns */
	struct ShelfMemo *next;		/* next memo in the list of the hash table */
	uint32		nblocks;		/* blocks of the shelf, all of them valid */
	int			ncolumns;
	struct ShelfMemo *wider;	/* memo to copy the other tablets from; NULL = all are there */
	XLogRecPtr	map_lsn;		/* LSN of the visibility map's page that proved the rows; invalid if it did not */
	SnapshotHorizon horizon;	/* snapshot horizon at which all rows are valid; its end is invalid if none is known */
	MemoColumn *column;
	Size		bytes;			/* bytes of the memo */
	Size		filled;			/* bytes of the memo in use */
	MemoRoom	where;			/* area of memory that the memo is in */
	void	   *later;			/* second piece of memory of a derived memo; NULL = none */
	Size		later_bytes;
	struct MemoHolder *holder;	/* frees the memo; NULL if it is retained */
	uint64		used;
	int			users;			/* scans, and memos to be completed, that use the memo */
	CachedShelf shelf;			/* the tablets in `rows`, as devices take them */
	CachedRows	rows[SHELF_TABLETS];	/* rows[0] to rows[shelf.ntablets - 1] */
} ShelfMemo;

/* State of a shelf that a scan finds now, and the columns that the scan wants. */
typedef struct ShelfNow
{
	uint64		generation;		/* generation of the shelf, read before its tablets were */
	const MapPage *map;			/* NULL = not read, and the snapshot horizon alone proves something */
	SnapshotHorizon horizon;	/* snapshot horizon */
	uint32		nblocks;
	bool		of_large;		/* the table is large: MANY_SHELVES */
	const ColumnKeys *columns;
	const ColumnWanted *wanted;
	uint64		hash;			/* shelf_memo_hash() of these columns */
} ShelfNow;

/* Return a hash of the columns that a scan wants. */
extern uint64 shelf_memo_hash(const ColumnKeys *columns, const ColumnWanted *wanted);

/*
 * Return the memo that holds for a shelf as it is now, which may have been
 * derived from one of more columns; NULL if there is none.  The memo stays
 * until the caller calls shelf_memo_let_go().
 */
extern ShelfMemo *shelf_memo_find(const ShelfNow *now);
extern void shelf_memo_let_go(ShelfMemo *memo);

/* Evidence that every row of a shelf is valid. */
typedef struct ShelfProof
{
	bool		by_map;
	bool		by_horizon;		/* valid at the same snapshot horizon again */
} ShelfProof;

/*
 * Begin a memo of a shelf as it is now, for n tablets, which is freed with
 * `context` unless it is retained.  Return NULL if there is no room for it.
 */
extern ShelfMemo *shelf_memo_begin(const ShelfNow *now, uint32 n, MemoryContext context);

/*
 * Allocate memory of a memo, not zeroed, for what the shelf's tablets consist
 * of: a Tablet and an array of SharedColumn for each.
 */
extern void *shelf_memo_room(ShelfMemo *memo, Size bytes);

/*
 * Retain a memo of n tablets, all that the shelf has, with every row valid.
 * Return the memo that is retained, which may be another one of the same
 * tablets and columns, until shelf_memo_let_go(); NULL if none is.
 */
extern ShelfMemo *shelf_memo_keep(ShelfMemo *memo, const ShelfNow *now, ShelfProof proof, const CachedRows *rows, uint32 n);

#endif							/* GPUDB_TABLET_CACHE_SHELF_MEMO_H */

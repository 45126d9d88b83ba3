/*
 * wishes.h
 *		Columns that queries wanted and did not find, for somebody else to leave behind.
 */
#ifndef GPUDB_TABLET_WISHES_H
#define GPUDB_TABLET_WISHES_H

#include "postgres.h"

#include "utils/rel.h"

#include "tablet/build.h"

/* Columns of one wish; who wants more does without. */
#define WISH_COLUMNS	32

typedef struct Wish
{
	Oid			database;
	Oid			relation;
	uint64		form;			/* tablet_columns_hash(): after ALTER TABLE nobody wants them so */
	int			ncolumns;
	ColumnWanted column[WISH_COLUMNS];
} Wish;

/* Reserve shared memory (at library load), then attach to it. */
extern void wishes_request_shmem(void);
extern void wishes_attach_shmem(void);

/*
 * Note a wish, unless it is noted already, was granted a while ago, or finds no
 * room.  True if it was noted and nobody is there to take it.
 */
extern bool wish_add(Relation relation, const ColumnWanted *wanted, int nwanted);

/* The wish of this database that has waited for longest; nobody else takes it.  False if there is none. */
extern bool wish_take(Wish *wish);

/* What was taken is done with. */
extern void wish_end(const Wish *wish);

/* Forget what a database's queries wish for; the process that grants one of theirs, 0 if there is none. */
extern int	wishes_forget(Oid database);

#endif							/* GPUDB_TABLET_WISHES_H */

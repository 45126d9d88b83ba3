/*
 * unmatched.h
 *		The rows of a full join's inner table that have no match on the outer side.
 */
#ifndef GPUDB_EXEC_ROWS_UNMATCHED_H
#define GPUDB_EXEC_ROWS_UNMATCHED_H

#include "postgres.h"

#include "exec/rows/joined_rows.h"

typedef struct Unmatched
{
	const Tablet *rows;			/* rows of the inner table */
	int			table;			/* index of the table, from 0 on: the last one */
	uint8	   *met;			/* bitmap of the rows that have a match */
	uint32		next;			/* next row to look at */
	uint32	   *matches;		/* row numbers found last, UNMATCHED_ROWS for each table */
} Unmatched;

/* Maximum number of rows found by one call. */
#define UNMATCHED_ROWS 8192

/* Initialize for a full join with the last of `ntables` tables, allocating in `context`. */
extern void unmatched_begin(Unmatched *unmatched, MemoryContext context, const JoinRows *tables, int ntables);

/* Record the table's rows that the joined rows of a work item have matched. */
extern void unmatched_note(Unmatched *unmatched, const DeviceWork *work);

/*
 * Find the next rows without a match and return their number, 0 at the end.
 * unmatched->matches has UNMATCHED_ROWS entries for each table.
 */
extern uint32 unmatched_next(Unmatched *unmatched);

#endif							/* GPUDB_EXEC_ROWS_UNMATCHED_H */

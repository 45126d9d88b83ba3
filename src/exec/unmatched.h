/*
 * unmatched.h
 *		The rows of a full join's table that have met no row of the other side.
 */
#ifndef GPUDB_EXEC_UNMATCHED_H
#define GPUDB_EXEC_UNMATCHED_H

#include "postgres.h"

#include "exec/joined_rows.h"

typedef struct Unmatched
{
	const Tablet *rows;			/* of the table */
	int			table;			/* its number, from 0 on: the last one */
	uint8	   *met;			/* a bit for each row */
	uint32		next;			/* row to look at */
	uint32	   *matches;		/* of those found last, for all tables */
} Unmatched;

/* Rows that are found at once, at most. */
#define UNMATCHED_ROWS 8192

/* Begin anew, for the last of so many tables. */
extern void unmatched_begin(Unmatched *unmatched, MemoryContext context, const JoinRows *tables, int ntables);

/* Note what rows that were joined have met. */
extern void unmatched_note(Unmatched *unmatched, const DeviceWork *work);

/* How many more rows there are that have met none, in unmatched->matches, UNMATCHED_ROWS for each table; 0 at the end. */
extern uint32 unmatched_next(Unmatched *unmatched);

#endif							/* GPUDB_EXEC_UNMATCHED_H */

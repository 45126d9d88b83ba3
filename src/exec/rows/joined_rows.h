/*
 * joined_rows.h
 *		Rows made by joins: values of the relation that was read, and of join tables.
 */
#ifndef GPUDB_EXEC_ROWS_JOINED_ROWS_H
#define GPUDB_EXEC_ROWS_JOINED_ROWS_H

#include "postgres.h"

#include "core/join/join_table.h"
#include "exec/rows/output.h"

typedef struct JoinedRows
{
	const OutputRows *outputs;	/* one column for each output; without values if it is a table's */
	uint32		nrows;
	const uint32 *matches;		/* row numbers in each table, an array of `room` entries for each */
	uint32		room;
	const JoinRows *tables;
} JoinedRows;

/* Return the rows of the join table that an attribute belongs to. */
extern const Tablet *joined_table(const JoinedRows *joined, const OutputResult *attribute);

/* Return, for each joined row, its row number in the join table that an attribute belongs to. */
extern const uint32 *joined_matches(const JoinedRows *joined, const OutputResult *attribute);

/* Return the value of an attribute in a table's row, which must not be NULL; palloc'd in the current context. */
extern Datum value_of_row(const Tablet *rows, const OutputResult *attribute, uint32 row);

/* Return an integer from a table's column; a numeric is multiplied by 10 ^ its scale. */
extern Wide row_integer(const Tablet *rows, const TabletColumn *column, uint32 row);

/* Return the value of output `a` in a joined row; palloc'd in the current context. */
extern Datum joined_value(const JoinedRows *joined, int a, uint32 row, bool *isnull);

#endif							/* GPUDB_EXEC_ROWS_JOINED_ROWS_H */

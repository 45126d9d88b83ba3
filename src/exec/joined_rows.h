/*
 * joined_rows.h
 *		Rows that joins have made: values of the relation that was read, and of tables.
 */
#ifndef GPUDB_EXEC_JOINED_ROWS_H
#define GPUDB_EXEC_JOINED_ROWS_H

#include "postgres.h"

#include "core/join_table.h"
#include "exec/output.h"

typedef struct JoinedRows
{
	const OutputRows *outputs;	/* an entry for each thing wanted; without values where it is a table's */
	uint32		nrows;
	const uint32 *matches;		/* rows of each table, `room` of them */
	uint32		room;
	const JoinRows *tables;
} JoinedRows;

/* The table that an attribute is of, and its rows that belong to these. */
extern const Tablet *joined_table(const JoinedRows *joined, const OutputResult *attribute);
extern const uint32 *joined_matches(const JoinedRows *joined, const OutputResult *attribute);

/* The value of an attribute of a table's row, which is not NULL; palloc'd in the current context. */
extern Datum value_of_row(const Tablet *rows, const OutputResult *attribute, uint32 row);

/* An integer of a table's column; a numeric is one times its scale. */
extern Wide row_integer(const Tablet *rows, const TabletColumn *column, uint32 row);

/* The value of a thing wanted in a row; palloc'd in the current context. */
extern Datum joined_value(const JoinedRows *joined, int a, uint32 row, bool *isnull);

#endif							/* GPUDB_EXEC_JOINED_ROWS_H */

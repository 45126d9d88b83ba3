/*
 * totals.h
 *		Aggregates over stored rows, computed row by row.
 */
#ifndef GPUDB_EXEC_SORT_TOTALS_H
#define GPUDB_EXEC_SORT_TOTALS_H

#include "postgres.h"

#include "nodes/primnodes.h"

#include "core/sort/sort_rows.h"
#include "exec/sort/stored_rows.h"

typedef enum TotalKind
{
	TOTAL_COUNT,				/* number of rows, or of an attribute's values that are not NULL */
	TOTAL_SUM,
	TOTAL_AVG,
	TOTAL_MIN,					/* least value; of bools, all are true */
	TOTAL_MAX,					/* largest value; of bools, any is true */
	TotalKind_Count
} TotalKind;

/* Return true if an aggregate's value is that of one of the rows. */
static inline bool
total_is_of_row(TotalKind kind)
{
	return kind == TOTAL_MIN || kind == TOTAL_MAX;
}

/* Kind and argument of an aggregate; the argument is an attribute of the rows, from 0 on; -1 = none. */
typedef struct TotalOf
{
	TotalKind	kind;
	int			attribute;
	bool		as_doubles;		/* floats of 4 bytes are summed as doubles, too */
} TotalOf;

/* State of an aggregate over the rows added so far. */
typedef struct Total
{
	int64		count;			/* number of rows that count, see total_counts() */
	uint64		sum[2];			/* a Wide, which palloc() would not align */
	float8		float_sum;
	float8		squares;		/* sum of squares of floats' deviations */
	bool		overflow;		/* float_sum or squares has overflowed */
} Total;

/* Set *kind to the aggregate that a function is; return false if it, or the type of its argument, is not supported. */
extern bool total_of_function(Oid function, const Expr *argument, TotalKind *kind);

/* Return true if an aggregate sums floats, which are added in the order of the rows and never subtracted. */
extern bool total_sums_floats(const StoredRows *stored, TotalOf of);

/* Return true if a row counts: the argument, if there is one, is not NULL. */
extern bool total_counts(const StoredRows *stored, TotalOf of, uint32 row);

/* Return the key by which least and largest values are compared. */
extern SortKey total_key(const StoredRows *stored, TotalOf of);

/* Add a row that counts to a count, a sum or an average (`enters`), or remove it. */
extern void total_change(const StoredRows *stored, TotalOf of, uint32 row, bool enters, Total *total);

/* Add the count and sums of other rows; overflow and squares, which show that floats are too large, are not added. */
extern void total_add(const Total *more, Total *total);

/* Return the count, or the sum or average of at least one row, as PostgreSQL computes it. */
extern Datum total_datum(const StoredRows *stored, TotalOf of, const Total *total);

#endif							/* GPUDB_EXEC_SORT_TOTALS_H */

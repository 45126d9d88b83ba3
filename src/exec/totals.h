/*
 * totals.h
 *		Aggregates over stored rows that are gone over one by one.
 */
#ifndef GPUDB_EXEC_TOTALS_H
#define GPUDB_EXEC_TOTALS_H

#include "postgres.h"

#include "nodes/primnodes.h"

#include "core/sort_rows.h"
#include "exec/stored_rows.h"

typedef enum TotalKind
{
	TOTAL_COUNT,				/* of rows, or of an attribute's values that are not NULL */
	TOTAL_SUM,
	TOTAL_AVG,
	TOTAL_MIN,					/* of truth values, whether all are true, */
	TOTAL_MAX,					/* or any is */
	TotalKind_Count
} TotalKind;

/* Whether it is the value of one of the rows. */
static inline bool
total_is_of_row(TotalKind kind)
{
	return kind == TOTAL_MIN || kind == TOTAL_MAX;
}

/* Which one, of which attribute of the rows, from 0 on; -1 = none. */
typedef struct TotalOf
{
	TotalKind	kind;
	int			attribute;
	bool		as_doubles;		/* of floats of 4 bytes, too */
} TotalOf;

/* What is known of the rows that have been gone over. */
typedef struct Total
{
	int64		count;			/* how many are not NULL */
	uint64		sum[2];			/* a Wide, which palloc() would not align */
	float8		float_sum;
	float8		squares;		/* of floats' deviations, summed */
	bool		overflow;		/* one of these is too large */
} Total;

/* Which aggregate of an argument a function is; false if it is none of these, or its argument is of no type that it can be computed for. */
extern bool total_of_function(Oid function, const Expr *argument, TotalKind *kind);

/* Whether it sums floats, which come in the order of rows and are never subtracted. */
extern bool total_sums_floats(const StoredRows *stored, TotalOf of);

/* Whether a row counts: it has a value, if it is values that are counted. */
extern bool total_counts(const StoredRows *stored, TotalOf of, uint32 row);

/* What least and largest values are compared by. */
extern SortKey total_key(const StoredRows *stored, TotalOf of);

/* A row that counts enters a count, a sum or an average, or leaves it. */
extern void total_change(const StoredRows *stored, TotalOf of, uint32 row, bool enters, Total *total);

/* What some rows have come to, added to others; not what would show that floats are too large. */
extern void total_add(const Total *more, Total *total);

/* A count, or a sum or an average of some rows, as PostgreSQL has it. */
extern Datum total_datum(const StoredRows *stored, TotalOf of, const Total *total);

#endif							/* GPUDB_EXEC_TOTALS_H */

/*
 * totals.c
 *		Aggregates over stored rows, computed row by row.
 *
 * Sums of integers and decimals are exact, so that rows can be subtracted
 * again.  Floats are added as PostgreSQL adds them, in the order of the rows.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/float.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"

#include "compile/opmap.h"
#include "exec/rows/joined_rows.h"
#include "exec/run/datums.h"
#include "exec/sort/collated.h"
#include "exec/sort/totals.h"

/* Maximum digits of a numeric such that the sum over the largest possible number of rows has at most 38 digits. */
#define SUM_DIGITS	28

/*
 * Return true if sums of a type can be computed: of floats, of integers, and of
 * decimals with a declared precision whose sum fits in 128 bits.
 */
static bool
can_be_summed(Oid type, int32 typmod)
{
	return type == INT2OID || type == INT4OID || type == INT8OID || type == FLOAT4OID || type == FLOAT8OID ||
		(type == NUMERICOID && typmod >= (int32) VARHDRSZ && ((typmod - VARHDRSZ) >> 16 & 0xffff) <= SUM_DIGITS);
}

bool
total_of_function(Oid function, const Expr *argument, TotalKind *kind)
{
	const AggregateMap *map = map_aggregate(function);
	int32		typmod = argument != NULL ? exprTypmod((const Node *) argument) : -1;
	const Oid	type = argument != NULL ? getBaseTypeAndTypmod(exprType((const Node *) argument), &typmod) : InvalidOid;
	const Oid	collation = argument != NULL ? exprCollation((const Node *) argument) : InvalidOid;

	if (map == NULL)
		return false;
	switch ((AggAction) map->action)
	{
		case AGG_COUNT_ALL:
		case AGG_COUNT:
			*kind = TOTAL_COUNT;
			return true;
		case AGG_SUM:
		case AGG_AVG:
			*kind = map->action == AGG_SUM ? TOTAL_SUM : TOTAL_AVG;
			return can_be_summed(type, typmod);
		case AGG_MIN:
		case AGG_MAX:
			*kind = map->action == AGG_MIN ? TOTAL_MIN : TOTAL_MAX;
			/*
			 * values are compared in their stored form, and any of several equal values that print differently
			 * may be taken
			 */
			return sort_is_supported(type, collation) && !is_collated(collation) && !has_any_scale(type, typmod);
		case AGG_BOOL_AND:
		case AGG_BOOL_OR:
			*kind = map->action == AGG_BOOL_AND ? TOTAL_MIN : TOTAL_MAX;
			return true;
		default:
			return false;
	}
}

static Oid
type_of(const StoredRows *stored, TotalOf of)
{
	return of.attribute >= 0 ? stored->attribute[of.attribute].type : InvalidOid;
}

bool
total_sums_floats(const StoredRows *stored, TotalOf of)
{
	const Oid	type = type_of(stored, of);

	return (of.kind == TOTAL_SUM || of.kind == TOTAL_AVG) && (type == FLOAT4OID || type == FLOAT8OID);
}

SortKey
total_key(const StoredRows *stored, TotalOf of)
{
	return (SortKey) {.column = (uint16) stored_rows_key(stored, of.attribute), .padded = type_of(stored, of) == BPCHAROID};
}

bool
total_counts(const StoredRows *stored, TotalOf of, uint32 row)
{
	return of.attribute < 0 || !tablet_is_null(stored->rows, &stored->rows->column[stored_rows_key(stored, of.attribute)], row);
}

static float8
row_float(const Tablet *rows, const TabletColumn *column, uint32 row)
{
	const void *values = tablet_at(rows, column->values);

	return column->type == COLTYPE_F32 ? ((const float4 *) values)[row] : ((const float8 *) values)[row];
}

/*
 * Add a float as PostgreSQL does, rounded if it is of 4 bytes, and note where
 * PostgreSQL raises an error: finite values whose sum is not finite, and for
 * averages squares of deviations that are too large.
 */
static void
add_float(TotalKind kind, bool rounded, float8 value, Total *total)
{
	const float8 before = total->float_sum;
	const float8 n = (float8) total->count + 1;
	const bool	first = total->count == 0;

	if (kind == TOTAL_AVG)
	{
		total->float_sum += value;
		if (!first)
			total->squares += (value * n - total->float_sum) * (value * n - total->float_sum) / (n * (n - 1));
	}
	else if (rounded)
		total->float_sum = first ? value : (float4) before + (float4) value;
	else
		total->float_sum = first ? value : before + value;
	if (!first && !isinf(before) && !isinf(value))
		total->overflow |= isinf(total->float_sum) || isinf(total->squares);
	if (first ? isnan(value) || isinf(value) : isinf(total->float_sum) || isinf(total->squares))
		total->squares = get_float8_nan();
}

void
total_change(const StoredRows *stored, TotalOf of, uint32 row, bool enters, Total *total)
{
	const TabletColumn *column = of.attribute >= 0 ? &stored->rows->column[stored_rows_key(stored, of.attribute)] : NULL;

	if (total_sums_floats(stored, of))
		add_float(of.kind, type_of(stored, of) == FLOAT4OID && !of.as_doubles, row_float(stored->rows, column, row), total);
	else if (of.kind == TOTAL_SUM || of.kind == TOTAL_AVG)
	{
		const Wide	value = row_integer(stored->rows, column, row);

		wide_store(total->sum, wide_load(total->sum) + (enters ? value : -value));
	}
	total->count += enters ? 1 : -1;
}

void
total_add(const Total *more, Total *total)
{
	wide_store(total->sum, wide_load(total->sum) + wide_load(more->sum));
	/* the sum of no rows is not added: it would change the sign of a -0 */
	total->float_sum = total->count > 0 ? total->float_sum + more->float_sum : more->float_sum;
	total->count += more->count;
}

Datum
total_datum(const StoredRows *stored, TotalOf of, const Total *total)
{
	const Oid	type = type_of(stored, of);
	int16		scale;
	Datum		sum;

	if (of.kind == TOTAL_COUNT)
		return Int64GetDatum(total->count);
	if (total_sums_floats(stored, of))
		return of.kind == TOTAL_SUM ? float_datum(type, total->float_sum) : Float8GetDatum(total->float_sum / (float8) total->count);
	/* fits in 64 bits for the largest possible number of rows */
	if (of.kind == TOTAL_SUM && (type == INT2OID || type == INT4OID))
		return Int64GetDatum((int64) wide_load(total->sum));
	scale = stored->attribute[of.attribute].scale;
	sum = numeric_datum(wide_load(total->sum), scale, scale);
	if (of.kind == TOTAL_SUM)
		return sum;
	return DirectFunctionCall2(numeric_div, sum, NumericGetDatum(int64_to_numeric(total->count)));
}

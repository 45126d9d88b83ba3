/*
 * totals.c
 *		Aggregates over stored rows that are gone over one by one.
 *
 * Sums of integers and decimals are exact, so that what leaves can be
 * subtracted again.  Floats are added as PostgreSQL adds them, in the order in
 * which they come.
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
#include "exec/collated.h"
#include "exec/datums.h"
#include "exec/exec_sort.h"
#include "exec/joined_rows.h"
#include "exec/totals.h"

/* Digits of a numeric of which as many as there can be rows add up to 38. */
#define SUM_DIGITS	28

/* Whether sums of a type can be: of floats, and within 128 bits of integers and of decimals whose digits are known and not too many. */
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
			/* values are compared as they come, and of equal ones that print differently any may be it */
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
 * Add a float as PostgreSQL does, rounded if it is of 4 bytes, and note where that fails: finite values
 * whose sum is not, and for averages squares of deviations that are too large.
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
	/* a sum of nothing is none: it would take the sign from zeros */
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
	/* of so many rows as there can be it is no more than that */
	if (of.kind == TOTAL_SUM && (type == INT2OID || type == INT4OID))
		return Int64GetDatum((int64) wide_load(total->sum));
	scale = stored->attribute[of.attribute].scale;
	sum = numeric_datum(wide_load(total->sum), scale, scale);
	if (of.kind == TOTAL_SUM)
		return sum;
	return DirectFunctionCall2(numeric_div, sum, NumericGetDatum(int64_to_numeric(total->count)));
}

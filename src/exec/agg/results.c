/*
 * results.c
 *		PostgreSQL's values of the keys and aggregates of groups.
 *
 * The device leaves sums and counts; PostgreSQL's own functions compute the
 * values from them, so digits, scales and rounding are PostgreSQL's.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/float.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"
#include "utils/timestamp.h"
#include "utils/uuid.h"

#include "core/numeric/wide_types.h"
#include "core/vm/op_agg.h"
#include "core/vm/op_cast.h"
#include "core/vm/op_text.h"

#include "compile/opmap.h"
#include "exec/agg/exact_sums.h"
#include "exec/agg/quantiles.h"
#include "exec/agg/results.h"
#include "exec/run/datums.h"

/* A group, and the program that describes its words. */
typedef struct GroupView
{
	const CompileResult *compiled;
	const GroupTable *groups;
	uint32		group;
} GroupView;

static const uint64 *
state_of(const GroupView *view, int state)
{
	return group_row(view->groups, view->group) + view->compiled->program->state_word[state];
}

static DeviceStatus
numeric_key(const GroupView *view, const KeyResult *key,
			Wide number, Datum *value)
{
	int			dscale = key->dscale;

	if (dscale < 0)
	{
		dscale = (int) *state_of(view, key->dscale_min);
		if (dscale != (int) *state_of(view, key->dscale_max))
			return STATUS_AMBIGUOUS_VALUE;
	}
	*value = numeric_datum(number, key->scale, dscale);
	return STATUS_DONE;
}

static DeviceStatus
result_of_key(const CompileResult *compiled, const GroupTable *groups, uint32 group, int k, Datum *value, bool *isnull)
{
	const GroupView view = {compiled, groups, group};
	const KeyResult *key = &compiled->key[k];
	const uint64 *row = group_row(groups, group);
	const uint64 *word = row + compiled->program->key_word[k];

	*isnull = (row[0] >> k) & 1;
	*value = (Datum) 0;
	if (*isnull)
		return STATUS_DONE;
	if (key->dict.attno != 0)
	{
		*value = dict_datum(key->dict.view, (uint32) word[0]);
		return STATUS_DONE;
	}
	if (key->packed > 0)
	{
		*value = packed_datum(key->type, key->typmod, key->packed, word);
		return STATUS_DONE;
	}
	switch (key->type)
	{
		case FLOAT4OID:
		case FLOAT8OID:
			*value = float_datum(key->type, float_of_key((int64) word[0]));
			return STATUS_DONE;
		case NUMERICOID:
			return numeric_key(&view, key, wide_load(word), value);
		case UUIDOID:
		case TIMETZOID:
			*value = wide_datum(key->type, wide_load(word));
			return STATUS_DONE;
		case BPCHAROID:
		case VARCHAROID:
		case TEXTOID:
		case NAMEOID:
			*value = text_datum(key->type, key->typmod, groups->heap + word[0], (int) word[1]);
			return STATUS_DONE;
		default:
			*value = int_datum(key->type, key->typmod, (int64) word[0]);
			return STATUS_DONE;
	}
}

/* Compute the sum or avg of floats. */
static DeviceStatus
float_total_result(const AggResult *agg, const uint64 *state, int64 count, Datum *value)
{
	double		total;
	DeviceStatus status = float_total_value(state, &total);

	if (status != STATUS_DONE)
		return status;
	if (agg->action == AGG_AVG)
	{
		/* PostgreSQL's avg also sums squares, and fails when those overflow */
		if (state[2] & FLOAT_SAW_HUGE)
			return STATUS_FLOAT_TOTAL;
		/* avg's sum starts at 0, whereas sum's starts with the first value */
		*value = Float8GetDatum((total + 0.0) / (double) count);
		return STATUS_DONE;
	}
	if (agg->argtype == FLOAT4OID && isinf((float4) total) && !isinf(total))
		return STATUS_FLOAT_TOTAL;
	*value = float_datum(agg->argtype, total);
	return STATUS_DONE;
}

/* Compute the sum or avg of integers and decimals. */
static DeviceStatus
exact_total_result(const GroupView *view, const AggResult *agg,
				   int64 count, Datum *value)
{
	Wide		total = wide_load(state_of(view, agg->value));
	int			scale = 0;
	int			dscale = 0;

	if (agg->action == AGG_SUM && (agg->argtype == INT2OID || agg->argtype == INT4OID))
	{
		if (!wide_fits_int64(total))
			return STATUS_VALUE_OUT_OF_RANGE;
		*value = Int64GetDatum((int64) total);
		return STATUS_DONE;
	}
	if (agg->argtype == NUMERICOID)
	{
		scale = agg->scale;
		dscale = agg->dscale >= 0 ? agg->dscale : (int) *state_of(view, agg->dscale_max);
	}
	*value = numeric_datum(total, scale, dscale);
	if (agg->action == AGG_AVG)
		*value = DirectFunctionCall2(numeric_div, *value, NumericGetDatum(int64_to_numeric(count)));
	return STATUS_DONE;
}

/* Compute the value represented by the words of a state; floats are stored as integers with the same order. */
static DeviceStatus
value_of_state(const GroupView *view, const AggResult *agg, const uint64 *state, Datum *value)
{
	if (agg->packed > 0)
	{
		*value = packed_datum(agg->argtype, agg->typmod, agg->packed, state);
		return STATUS_DONE;
	}
	switch (agg->argtype)
	{
		case BPCHAROID:
		case VARCHAROID:
		case TEXTOID:
			*value = text_datum(agg->argtype, agg->typmod, view->groups->heap + state[0], (int) (uint32) state[1]);
			return STATUS_DONE;
		case TIMETZOID:
			*value = wide_datum(agg->argtype, wide_load(state));
			return STATUS_DONE;
		case INTERVALOID:
			if (state[4] != 0)
				return STATUS_AMBIGUOUS_VALUE;
			*value = interval_datum(state + 2);
			return STATUS_DONE;
		case NUMERICOID:
			if (agg->dscale < 0)
			{
				if (state[4] != 0)
					return STATUS_AMBIGUOUS_VALUE;
				*value = numeric_datum(wide_load(state), agg->scale, (int) state[2]);
				return STATUS_DONE;
			}
			*value = numeric_datum(wide_load(state), agg->scale, agg->dscale);
			return STATUS_DONE;
		case FLOAT4OID:
		case FLOAT8OID:
			{
				double		number = float_of_key((int64) state[0]);

				/* 0 and -0 are equal: which of them PostgreSQL returns depends on the order */
				if (number == 0 && *state_of(view, agg->other) > 0)
					return STATUS_AMBIGUOUS_VALUE;
				*value = float_datum(agg->argtype, number);
				return STATUS_DONE;
			}
		default:
			*value = int_datum(agg->argtype, agg->typmod, (int64) state[0]);
			return STATUS_DONE;
	}
}

static DeviceStatus
extreme_result(const GroupView *view, const AggResult *agg, Datum *value)
{
	return value_of_state(view, agg, state_of(view, agg->value), value);
}

/* Convert a value to float8, the type in which percentile_cont() computes. */
static Datum
as_float8(Oid type, Datum value)
{
	switch (type)
	{
		case INT2OID:
			return Float8GetDatum((float8) DatumGetInt16(value));
		case INT4OID:
			return Float8GetDatum((float8) DatumGetInt32(value));
		case INT8OID:
			return Float8GetDatum((float8) DatumGetInt64(value));
		case FLOAT4OID:
			return Float8GetDatum((float8) DatumGetFloat4(value));
		default:
			return value;
	}
}

/* Compute one of the values from which a percentile is interpolated. */
static DeviceStatus
selected_value(const GroupView *view, const AggResult *agg, const SelectStep *step, Datum *value)
{
	const DeviceStatus status = value_of_state(view, agg, (const uint64 *) &step->range.least, value);

	if (status == STATUS_DONE && agg->action == AGG_PERCENTILE_CONT)
		*value = as_float8(agg->argtype, *value);
	return status;
}

/* Compute the percentile at one of its fractions. */
static DeviceStatus
percentile_at(const GroupView *view, const AggResult *agg, int fraction, int64 count, Datum *value)
{
	const SelectStep *step = &view->compiled->steps[agg->select + fraction * agg->nquantiles];
	Datum		first;
	Datum		second;
	int64		rank[2];
	const double part = quantiles_ranks(agg, fraction, count, &rank[0], &rank[1]);
	DeviceStatus status = selected_value(view, agg, &step[0], &first);

	*value = first;
	if (status != STATUS_DONE || rank[0] == rank[1])
		return status;
	status = selected_value(view, agg, &step[1], &second);
	*value = quantiles_between(first, second, part);
	return status;
}

/* Compute a percentile at its only fraction, or at each of an array of fractions as an array of the same shape. */
static DeviceStatus
percentile_result(const GroupView *view, const AggResult *agg, int64 count, Datum *value)
{
	DeviceStatus status = STATUS_DONE;
	Datum	   *values;

	if (agg->fractions == NULL)
		return percentile_at(view, agg, 0, count, value);
	values = palloc0(sizeof(Datum) * agg->nfractions);
	for (int f = 0; f < agg->nfractions && status == STATUS_DONE; f++)
		if (!agg->fraction_null[f])
			status = percentile_at(view, agg, f, count, &values[f]);
	if (status != STATUS_DONE)
		return status;
	*value = quantiles_array(agg, values);
	return STATUS_DONE;
}

static Numeric
numeric_call(PGFunction function, Numeric a, Numeric b)
{
	return DatumGetNumeric(DirectFunctionCall2(function, NumericGetDatum(a), NumericGetDatum(b)));
}

/*
 * Return the square root of a variance, rounded to the variance's digits as
 * PostgreSQL does it.  numeric_sqrt() may give more digits; rounding once more
 * would be wrong where the excess digits are 50..., so the result is checked by
 * its square.
 */
static Numeric
numeric_deviation(Numeric variance)
{
	int			dscale = DatumGetInt32(DirectFunctionCall1(numeric_scale, NumericGetDatum(variance)));
	Numeric		root = DatumGetNumeric(DirectFunctionCall1(numeric_sqrt, NumericGetDatum(variance)));
	Numeric		half = int64_div_fast_to_numeric(5, dscale + 1);
	Numeric		below;

	root = DatumGetNumeric(DirectFunctionCall2(numeric_round, NumericGetDatum(root), Int32GetDatum(dscale)));
	below = numeric_call(numeric_sub, root, half);
	if (DatumGetBool(DirectFunctionCall2(numeric_gt, NumericGetDatum(numeric_call(numeric_mul, below, below)),
										 NumericGetDatum(variance))))
		root = numeric_call(numeric_sub, root, int64_div_fast_to_numeric(1, dscale));
	return root;
}

/* Compute variances of integers and decimals, step by step as numeric_stddev_internal() in numeric.c. */
static DeviceStatus
exact_spread_result(const GroupView *view, const AggResult *agg,
					int64 count, bool sample, Datum *value)
{
	Wide		sum = wide_load(state_of(view, agg->value));
	Wide		squares = wide_load(state_of(view, agg->other));
	int			scale = agg->argtype == NUMERICOID ? agg->scale : 0;
	int			dscale = scale;
	Numeric		n = int64_to_numeric(count);
	Numeric		x;
	Numeric		numerator;
	Numeric		result;

	if (agg->argtype == NUMERICOID)
		dscale = agg->dscale >= 0 ? agg->dscale : (int) *state_of(view, agg->dscale_max);
	if (2 * (scale - dscale) > DECIMAL_MAX_DIGITS)
		return STATUS_DECIMAL_TOO_WIDE;
	x = DatumGetNumeric(numeric_datum(sum, scale, dscale));
	numerator = numeric_call(numeric_sub,
							 numeric_call(numeric_mul, n, DatumGetNumeric(numeric_datum(squares, 2 * scale, 2 * dscale))),
							 numeric_call(numeric_mul, x, x));
	if (DatumGetBool(DirectFunctionCall2(numeric_le, NumericGetDatum(numerator), NumericGetDatum(int64_to_numeric(0)))))
		result = int64_to_numeric(0);
	else
	{
		result = numeric_call(numeric_div, numerator,
							  numeric_call(numeric_mul, n, int64_to_numeric(sample ? count - 1 : count)));
		if (agg->action == AGG_STDDEV_POP || agg->action == AGG_STDDEV_SAMP)
			result = numeric_deviation(result);
	}
	*value = NumericGetDatum(result);
	return STATUS_DONE;
}

static DeviceStatus
float_spread_result(const AggResult *agg, const uint64 *sum, const uint64 *squares, int64 count, bool sample,
					Datum *value)
{
	double		result = get_float8_nan();

	if (sum[2] & FLOAT_SAW_HUGE)
		return STATUS_FLOAT_TOTAL;
	if (!(sum[2] & (FLOAT_SAW_NAN | FLOAT_SAW_PLUS_INF | FLOAT_SAW_MINUS_INF)))
	{
		result = float_deviations(sum, squares, count) / (double) (sample ? count - 1 : count);
		if (agg->action == AGG_STDDEV_POP || agg->action == AGG_STDDEV_SAMP)
			result = sqrt(result);
	}
	*value = Float8GetDatum(result);
	return STATUS_DONE;
}

/* Compute a variance or standard deviation; NULL for a sample of one value. */
static DeviceStatus
spread_result(const GroupView *view, const AggResult *agg,
			  int64 count, Datum *value, bool *isnull)
{
	bool		sample = agg->action == AGG_VAR_SAMP || agg->action == AGG_STDDEV_SAMP;

	*isnull = count == 1 && sample;
	if (*isnull)
		return STATUS_DONE;
	if (agg->argtype == FLOAT4OID || agg->argtype == FLOAT8OID)
		return float_spread_result(agg, state_of(view, agg->value),
								   state_of(view, agg->other), count, sample, value);
	return exact_spread_result(view, agg, count, sample, value);
}

static DeviceStatus
result_of_aggregate(const CompileResult *compiled, const GroupTable *groups, uint32 group, int a,
					Datum *value, bool *isnull)
{
	const GroupView view = {compiled, groups, group};
	const AggResult *agg = &compiled->agg[a];
	int64		count = (int64) *state_of(&view, agg->count);

	*isnull = count == 0;
	*value = (Datum) 0;
	switch ((AggAction) agg->action)
	{
		case AGG_COUNT_ALL:
		case AGG_COUNT:
			*isnull = false;
			*value = Int64GetDatum(count);
			return STATUS_DONE;
		case AGG_MIN:
		case AGG_MAX:
			return count == 0 ? STATUS_DONE : extreme_result(&view, agg, value);
		case AGG_BOOL_AND:
		case AGG_BOOL_OR:
		case AGG_BIT_AND:
		case AGG_BIT_OR:
		case AGG_BIT_XOR:
			*value = int_datum(agg->argtype, agg->typmod, (int64) *state_of(&view, agg->value));
			return STATUS_DONE;
		case AGG_VAR_POP:
		case AGG_VAR_SAMP:
		case AGG_STDDEV_POP:
		case AGG_STDDEV_SAMP:
			return count == 0 ? STATUS_DONE : spread_result(&view, agg, count, value, isnull);
		case AGG_PERCENTILE_DISC:
		case AGG_PERCENTILE_CONT:
			return count == 0 ? STATUS_DONE : percentile_result(&view, agg, count, value);
		case AGG_EXACT_SUM:
		case AGG_EXACT_AVG:
			return count == 0 ? STATUS_DONE : exact_sum_datum(state_of(&view, agg->value), agg->action == AGG_EXACT_AVG ? (uint64) count : 1,
															   agg->argtype == FLOAT4OID && agg->action == AGG_EXACT_SUM, value);
		case AGG_SUM:
		case AGG_AVG:
			break;
	}
	if (count == 0)
		return STATUS_DONE;
	if (agg->argtype == FLOAT4OID || agg->argtype == FLOAT8OID)
		return float_total_result(agg, state_of(&view, agg->value), count, value);
	return exact_total_result(&view, agg, count, value);
}

static bool
key_is_sure(const KeyResult *key)
{
	return key->type != NUMERICOID || key->dscale >= 0;
}

static bool
aggregate_is_sure(const AggResult *agg)
{
	const bool	is_float = agg->argtype == FLOAT4OID || agg->argtype == FLOAT8OID;

	switch ((AggAction) agg->action)
	{
		case AGG_COUNT_ALL:
		case AGG_COUNT:
		case AGG_BOOL_AND:
		case AGG_BOOL_OR:
		case AGG_BIT_AND:
		case AGG_BIT_OR:
		case AGG_BIT_XOR:
			return true;
		case AGG_MIN:
		case AGG_MAX:
		case AGG_PERCENTILE_DISC:
		case AGG_PERCENTILE_CONT:
			return !is_float && agg->argtype != INTERVALOID && (agg->argtype != NUMERICOID || agg->dscale >= 0);
		case AGG_SUM:
			/* the sum of int2 or int4 is an int8, which a group of billions of rows could exceed */
			return !is_float && agg->argtype != INT2OID && agg->argtype != INT4OID;
		case AGG_AVG:
			return !is_float;
		case AGG_VAR_POP:
		case AGG_VAR_SAMP:
		case AGG_STDDEV_POP:
		case AGG_STDDEV_SAMP:
		case AGG_EXACT_SUM:
		case AGG_EXACT_AVG:
			return false;
	}
	return false;
}

bool
results_are_exact(const CompileResult *compiled)
{
	bool		sure = true;

	for (int k = 0; k < compiled->nkeys; k++)
		sure &= key_is_sure(&compiled->key[k]);
	for (int a = 0; a < compiled->naggs; a++)
		sure &= aggregate_is_sure(&compiled->agg[a]);
	return sure;
}

DeviceStatus
results_check(const CompileResult *compiled, const GroupTable *groups, MemoryContext context)
{
	MemoryContext scratch;
	MemoryContext old;
	DeviceStatus status = STATUS_DONE;
	Datum		value;
	bool		isnull;

	if (results_are_exact(compiled))
		return STATUS_DONE;
	scratch = AllocSetContextCreate(context, "gpudb results", ALLOCSET_SMALL_SIZES);
	old = MemoryContextSwitchTo(scratch);
	for (uint32 g = 0; g < groups->ngroups && status == STATUS_DONE; g++)
	{
		CHECK_FOR_INTERRUPTS();
		for (int k = 0; k < compiled->nkeys && status == STATUS_DONE; k++)
			if (!key_is_sure(&compiled->key[k]))
				status = result_of_key(compiled, groups, g, k, &value, &isnull);
		for (int a = 0; a < compiled->naggs && status == STATUS_DONE; a++)
			if (!aggregate_is_sure(&compiled->agg[a]))
				status = result_of_aggregate(compiled, groups, g, a, &value, &isnull);
		MemoryContextReset(scratch);
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(scratch);
	return status;
}

void
results_of_group(const CompileResult *compiled, const GroupTable *groups, uint32 group, Datum *values, bool *isnull)
{
	for (int k = 0; k < compiled->nkeys; k++)
		(void) result_of_key(compiled, groups, group, k, &values[k], &isnull[k]);
	for (int a = 0; a < compiled->naggs; a++)
		(void) result_of_aggregate(compiled, groups, group, a, &values[compiled->nkeys + a], &isnull[compiled->nkeys + a]);
}

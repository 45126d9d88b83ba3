/*
 * results.c
 *		From a group's row to PostgreSQL's values.
 *
 * The device leaves sums and counts; PostgreSQL's own functions make the
 * values of them, so digits, scales and rounding are its own.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "mb/pg_wchar.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/float.h"
#include "utils/numeric.h"
#include "utils/timestamp.h"

#include "core/op_agg.h"
#include "core/op_cast.h"
#include "core/op_text.h"

#include "compile/opmap.h"
#include "exec/results.h"

/* numeric with display scale dscale from value / 10^dscale */
static Numeric
numeric_of_wide(Wide value, int dscale)
{
	char		digits[64];
	int			n = sizeof(digits);
	bool		negative = value < 0;
	UWide		rest = negative ? 0 - (UWide) value : (UWide) value;

	if (wide_fits_int64(value))
		return int64_div_fast_to_numeric((int64) value, dscale);
	digits[--n] = '\0';
	for (int i = 0; rest > 0 || i <= dscale; i++)
	{
		if (i == dscale && dscale > 0)
			digits[--n] = '.';
		digits[--n] = '0' + (int) (rest % 10);
		rest /= 10;
	}
	if (negative)
		digits[--n] = '-';
	return DatumGetNumeric(DirectFunctionCall3(numeric_in, CStringGetDatum(digits + n), ObjectIdGetDatum(InvalidOid),
											   Int32GetDatum(-1)));
}

/* A decimal computed at `scale`, as PostgreSQL prints it at `dscale`. */
static Datum
numeric_datum(Wide value, int scale, int dscale)
{
	/* the digits between the two scales are zeros */
	if (dscale < scale)
		value /= pow10_wide(scale - dscale);
	return NumericGetDatum(numeric_of_wide(value, dscale));
}

/* An integer register as a Datum of its type. */
static Datum
int_datum(Oid type, int64 value)
{
	switch (type)
	{
		case BOOLOID:
			return BoolGetDatum(value != 0);
		case INT2OID:
			return Int16GetDatum((int16) value);
		case INT4OID:
		case DATEOID:
			return Int32GetDatum((int32) value);
		default:
			return Int64GetDatum(value);
	}
}

static Datum
float_datum(Oid type, double value)
{
	return type == FLOAT4OID ? Float4GetDatum((float4) value) : Float8GetDatum(value);
}

/* Text as a Datum; bpchar(n) gets its blanks back. */
static Datum
text_datum(const KeyResult *key, const uint8 *bytes, int length)
{
	int			padding = 0;
	text	   *result;

	if (key->type == BPCHAROID && key->typmod >= (int32) VARHDRSZ)
		padding = Max(0, key->typmod - (int32) VARHDRSZ - pg_mbstrlen_with_len((const char *) bytes, length));
	result = palloc(VARHDRSZ + length + padding);
	SET_VARSIZE(result, VARHDRSZ + length + padding);
	memcpy(VARDATA(result), bytes, length);
	memset(VARDATA(result) + length, ' ', padding);
	return PointerGetDatum(result);
}

static const uint64 *
state_of(const CompileResult *compiled, const GroupTable *groups, uint32 group, int state)
{
	return group_row(groups, group) + compiled->program->state_word[state];
}

static DeviceStatus
numeric_key(const CompileResult *compiled, const GroupTable *groups, uint32 group, const KeyResult *key,
			Wide number, Datum *value)
{
	int			dscale = key->dscale;

	if (dscale < 0)
	{
		dscale = (int) *state_of(compiled, groups, group, key->dscale_min);
		if (dscale != (int) *state_of(compiled, groups, group, key->dscale_max))
			return STATUS_AMBIGUOUS_VALUE;
	}
	*value = numeric_datum(number, key->scale, dscale);
	return STATUS_DONE;
}

DeviceStatus
result_of_key(const CompileResult *compiled, const GroupTable *groups, uint32 group, int k, Datum *value, bool *isnull)
{
	const KeyResult *key = &compiled->key[k];
	const uint64 *row = group_row(groups, group);
	const uint64 *word = row + compiled->program->key_word[k];
	uint8		bytes[TEXT_PACKED_MAX];

	*isnull = (row[0] >> k) & 1;
	*value = (Datum) 0;
	if (*isnull)
		return STATUS_DONE;
	if (key->packed)
	{
		uint32		length = text_unpack(word[0], bytes);

		*value = text_datum(key, bytes, length);
		return STATUS_DONE;
	}
	switch (key->type)
	{
		case FLOAT4OID:
		case FLOAT8OID:
			*value = float_datum(key->type, float_of_key((int64) word[0]));
			return STATUS_DONE;
		case NUMERICOID:
			return numeric_key(compiled, groups, group, key, wide_load(word), value);
		case BPCHAROID:
		case VARCHAROID:
		case TEXTOID:
			*value = text_datum(key, groups->heap + word[0], (int) word[1]);
			return STATUS_DONE;
		default:
			*value = int_datum(key->type, (int64) word[0]);
			return STATUS_DONE;
	}
}

/* sum or avg of floats */
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
		/* its sum starts at 0, where sum's starts with the first value */
		*value = Float8GetDatum((total + 0.0) / (double) count);
		return STATUS_DONE;
	}
	if (agg->argtype == FLOAT4OID && isinf((float4) total) && !isinf(total))
		return STATUS_FLOAT_TOTAL;
	*value = float_datum(agg->argtype, total);
	return STATUS_DONE;
}

/* sum or avg of integers and decimals */
static DeviceStatus
exact_total_result(const CompileResult *compiled, const GroupTable *groups, uint32 group, const AggResult *agg,
				   int64 count, Datum *value)
{
	Wide		total = wide_load(state_of(compiled, groups, group, agg->value));
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
		dscale = agg->dscale >= 0 ? agg->dscale : (int) *state_of(compiled, groups, group, agg->dscale_max);
	}
	*value = numeric_datum(total, scale, dscale);
	if (agg->action == AGG_AVG)
		*value = DirectFunctionCall2(numeric_div, *value, NumericGetDatum(int64_to_numeric(count)));
	return STATUS_DONE;
}

/* min or max of numerics whose display scales vary: see numeric_extreme() */
static DeviceStatus
folded_extreme(const AggResult *agg, Wide low, Wide high, Datum *value)
{
	const int	factor = 64;
	Wide		number = low >= 0 ? low / factor : -((-low + factor - 1) / factor);
	int			dscale = (int) (low - number * factor);
	int			inverse = (int) (high - number * factor);

	if (inverse < 0 || inverse >= factor || dscale != factor - 1 - inverse)
		return STATUS_AMBIGUOUS_VALUE;
	*value = numeric_datum(number, agg->scale, dscale);
	return STATUS_DONE;
}

static DeviceStatus
extreme_result(const CompileResult *compiled, const GroupTable *groups, uint32 group, const AggResult *agg,
			   Datum *value)
{
	const uint64 *state = state_of(compiled, groups, group, agg->value);

	switch (agg->argtype)
	{
		case NUMERICOID:
			if (agg->dscale < 0)
				return folded_extreme(agg, wide_load(state),
									  wide_load(state_of(compiled, groups, group, agg->other)), value);
			*value = numeric_datum(wide_load(state), agg->scale, agg->dscale);
			return STATUS_DONE;
		case FLOAT4OID:
		case FLOAT8OID:
			{
				double		number = float_of_key((int64) state[0]);

				/* 0 and -0 are equal: which of them PostgreSQL returns depends on the order */
				if (number == 0 && *state_of(compiled, groups, group, agg->other) > 0)
					return STATUS_AMBIGUOUS_VALUE;
				*value = float_datum(agg->argtype, number);
				return STATUS_DONE;
			}
		default:
			*value = int_datum(agg->argtype, (int64) state[0]);
			return STATUS_DONE;
	}
}

DeviceStatus
result_of_aggregate(const CompileResult *compiled, const GroupTable *groups, uint32 group, int a,
					Datum *value, bool *isnull)
{
	const AggResult *agg = &compiled->agg[a];
	int64		count = (int64) *state_of(compiled, groups, group, agg->count);

	*isnull = false;
	if (agg->action == AGG_COUNT || agg->action == AGG_COUNT_ALL)
	{
		*value = Int64GetDatum(count);
		return STATUS_DONE;
	}
	*isnull = count == 0;
	*value = (Datum) 0;
	if (count == 0)
		return STATUS_DONE;
	if (agg->action == AGG_MIN || agg->action == AGG_MAX)
		return extreme_result(compiled, groups, group, agg, value);
	if (agg->argtype == FLOAT4OID || agg->argtype == FLOAT8OID)
		return float_total_result(agg, state_of(compiled, groups, group, agg->value), count, value);
	return exact_total_result(compiled, groups, group, agg, count, value);
}

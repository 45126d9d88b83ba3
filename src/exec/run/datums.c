/*
 * datums.c
 *		Converts integers, floats and bytes to PostgreSQL's Datums.
 *
 * PostgreSQL's own functions build the values, so digits and scales are its
 * own.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "mb/pg_wchar.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/numeric.h"
#include "utils/timestamp.h"
#include "utils/uuid.h"
#include "utils/varbit.h"

#include "pg_compat.h"
#include "core/numeric/wide_types.h"
#include "core/vm/op_text.h"

#include "exec/run/datums.h"

/* Return a numeric of value / 10^dscale, with display scale `dscale`. */
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

Datum
numeric_datum(Wide value, int scale, int dscale)
{
	/* Digits between the two scales are zeros. */
	if (dscale > scale)
		return DirectFunctionCall2(numeric_round, NumericGetDatum(numeric_of_wide(value, scale)), Int32GetDatum(dscale));
	if (dscale < scale)
		value /= pow10_wide(scale - dscale);
	return NumericGetDatum(numeric_of_wide(value, dscale));
}

/* Return a bit(n) of a number of n binary digits. */
static Datum
bits_datum(int nbits, uint64 value)
{
	const int	size = VARBITTOTALLEN(nbits);
	VarBit	   *bits = palloc0(size);

	SET_VARSIZE(bits, size);
	VARBITLEN(bits) = nbits;
	value <<= VARBITPAD(bits);
	for (int i = VARBITBYTES(bits) - 1; i >= 0; i--)
	{
		VARBITS(bits)[i] = (bits8) value;
		value >>= BITS_PER_BYTE;
	}
	return VarBitPGetDatum(bits);
}

Datum
int_datum(Oid type, int32 typmod, int64 value)
{
	switch (type)
	{
		case BOOLOID:
			return BoolGetDatum(value != 0);
		case CHAROID:
			return CharGetDatum((char) value);
		case INT2OID:
			return Int16GetDatum((int16) value);
		case INT4OID:
		case DATEOID:
			return Int32GetDatum((int32) value);
		case INT8OID:
		case TIMEOID:
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			return Int64GetDatum(value);
		case BITOID:
			return bits_datum(typmod, (uint64) value);
		default:
			/* oid, enum */
			return ObjectIdGetDatum((Oid) value);
	}
}

Datum
wide_datum(Oid type, Wide value)
{
	if (type == UUIDOID)
	{
		pg_uuid_t  *uuid = palloc(sizeof(pg_uuid_t));

		uuid_of_wide(value, uuid->data);
		return UUIDPGetDatum(uuid);
	}
	else
	{
		TimeTzADT  *time = palloc(sizeof(TimeTzADT));
		int64		usecs;

		timetz_of_wide(value, &usecs, &time->zone);
		time->time = usecs;
		return TimeTzADTPGetDatum(time);
	}
}

Datum
interval_datum(const uint64 *words)
{
	Interval   *interval = palloc(sizeof(Interval));

	memcpy(interval, words, INTERVAL_BYTES);
	return IntervalPGetDatum(interval);
}

Datum
float_datum(Oid type, double value)
{
	return type == FLOAT4OID ? Float4GetDatum((float4) value) : Float8GetDatum(value);
}

Datum
text_datum(Oid type, int32 typmod, const uint8 *bytes, int length)
{
	int			padding = 0;
	text	   *result;

	if (type == NAMEOID)
		return DirectFunctionCall1(namein, CStringGetDatum(pnstrdup((const char *) bytes, length)));
	if (type == BPCHAROID && typmod >= (int32) VARHDRSZ)
		padding = Max(0, typmod - (int32) VARHDRSZ - pg_mbstrlen_with_len((const char *) bytes, length));
	result = palloc(VARHDRSZ + length + padding);
	SET_VARSIZE(result, VARHDRSZ + length + padding);
	memcpy(VARDATA(result), bytes, length);
	memset(VARDATA(result) + length, ' ', padding);
	return PointerGetDatum(result);
}

Datum
dict_datum(const DictView *view, uint32 code)
{
	uint32		length;
	const uint8 *bytes = dictionary_value(view->dictionary, code, &length);
	text	   *result = palloc(VARHDRSZ + length);

	SET_VARSIZE(result, VARHDRSZ + length);
	memcpy(VARDATA(result), bytes, length);
	return PointerGetDatum(result);
}

Datum
packed_datum(Oid type, int32 typmod, int most, const uint64 *words)
{
	uint8		bytes[TEXT_WIDE_MAX];
	uint32		length = most == TEXT_WIDE_MAX ? text_unpack_wide(wide_load(words), bytes) : text_unpack(words[0], bytes);

	return text_datum(type, typmod, bytes, (int) length);
}

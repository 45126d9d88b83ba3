/*
 * stored_rows.c
 *		The rows of any plan stored as columns, and reading them back as Datums.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/lsyscache.h"

#include "core/numeric/decimal.h"
#include "exec/rows/joined_rows.h"
#include "exec/run/node.h"
#include "exec/sort/stored_rows.h"

/* Return the declared scale of a numeric; -1 if there is none. */
static int
declared_scale(int32 typmod)
{
	/* 11 bits, signed, as numeric_typmod_scale() reads them */
	return typmod < (int32) VARHDRSZ ? -1 : (((typmod - VARHDRSZ) & 0x7ff) ^ 1024) - 1024;
}

bool
is_storable(Oid declared, int32 typmod)
{
	Oid			type = getBaseTypeAndTypmod(declared, &typmod);

	switch (type)
	{
		case BOOLOID:
		case CHAROID:
		case OIDOID:
		case UUIDOID:
		case TIMETZOID:
		case INTERVALOID:
		case NAMEOID:
		case INT2OID:
		case INT4OID:
		case DATEOID:
		case INT8OID:
		case TIMEOID:
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
		case FLOAT4OID:
		case FLOAT8OID:
		case VARCHAROID:
		case TEXTOID:
			return true;
		case BPCHAROID:
			return typmod >= (int32) VARHDRSZ;
		case NUMERICOID:
			return typmod < (int32) VARHDRSZ || (declared_scale(typmod) >= 0 && declared_scale(typmod) <= DECIMAL_MAX_DIGITS);
		default:
			return get_typtype(type) == TYPTYPE_ENUM;
	}
}

bool
has_any_scale(Oid declared, int32 typmod)
{
	return getBaseTypeAndTypmod(declared, &typmod) == NUMERICOID && typmod < (int32) VARHDRSZ;
}

StoredRows *
stored_rows_describe(TupleDesc desc)
{
	StoredRows *stored = palloc0(sizeof(StoredRows));

	stored->desc = desc;
	stored->attribute = palloc0(sizeof(OutputResult) * Max(desc->natts, 1));
	/* an interval has two columns, and so may a numeric */
	stored->column = palloc0(sizeof(ColumnUse) * Max(2 * desc->natts, 1));
	for (int a = 0; a < desc->natts; a++)
	{
		int32		typmod = TupleDescAttr(desc, a)->atttypmod;
		const Oid	type = getBaseTypeAndTypmod(TupleDescAttr(desc, a)->atttypid, &typmod);
		const bool	any_scale = has_any_scale(type, typmod);
		const int	scale = type == NUMERICOID && !any_scale ? declared_scale(typmod) : 0;
		const ColumnUse use = {.attno = a + 1, .type = type, .typmod = typmod, .scale = scale};

		stored->attribute[a] = (OutputResult) {
			.attno = a + 1, .type = type, .typmod = typmod, .scale = scale, .dscale = any_scale ? -1 : scale, .value = stored->ncolumns,
			.second = -1
		};
		stored->column[stored->ncolumns++] = use;
		if (any_scale)
		{
			/* a numeric of any scale has its value, and the number of digits it shows */
			stored->attribute[a].second = stored->ncolumns;
			stored->column[stored->ncolumns] = use;
			stored->column[stored->ncolumns++].second = true;
		}
		if (type != INTERVALOID)
			continue;
		/* an interval is ordered by the first column, and has its bytes in the second */
		stored->attribute[a].value = -1;
		stored->attribute[a].second = stored->ncolumns;
		stored->column[stored->ncolumns] = use;
		stored->column[stored->ncolumns++].second = true;
	}
	return stored;
}

int
stored_rows_key(const StoredRows *stored, int a)
{
	const OutputResult *attribute = &stored->attribute[a];

	/* an interval's ordering column precedes its bytes */
	return attribute->value >= 0 ? attribute->value : attribute->second - 1;
}

RowStore *
stored_rows_create(const StoredRows *stored, MemoryContext context, uint64 limit, double expected)
{
	RowStore   *store = row_store_create(context, stored->desc, columns_wanted(stored->column, stored->ncolumns), stored->ncolumns, limit, expected);

	row_store_take_digits(store);
	return store;
}

void
stored_rows_finish(StoredRows *stored, RowStore *store)
{
	for (int a = 0; a < stored->desc->natts; a++)
		if (stored->attribute[a].type == NUMERICOID)
			stored->attribute[a].scale = row_store_digits(store, stored->attribute[a].value);
	stored->rows = row_store_finish(store);
}

/* Read values that are stored as in a Datum: one after the other, without waiting for each. */
#define READ(type, to_datum) \
	do { \
		const type *const from = (const type *) tablet_at(stored->rows, column->values); \
		for (uint32 i = 0; i < n; i++) \
			values[i] = to_datum(from[rows[i]]); \
		return; \
	} while (0)

void
stored_rows_read(const StoredRows *stored, int a, const uint32 *rows, uint32 n, Datum *values, bool *isnull)
{
	const OutputResult *attribute = &stored->attribute[a];
	const int	number = attribute->value >= 0 ? attribute->value : attribute->second;
	const TabletColumn *column = &stored->rows->column[number];

	for (uint32 i = 0; i < n; i++)
		isnull[i] = tablet_is_null(stored->rows, column, rows[i]);
	if (attribute->type != NUMERICOID)
		switch ((ColType) column->type)
		{
			case COLTYPE_BOOL: READ(uint8, BoolGetDatum);
			case COLTYPE_U8: READ(char, CharGetDatum);
			case COLTYPE_I16: READ(int16, Int16GetDatum);
			case COLTYPE_I32: READ(int32, Int32GetDatum);
			case COLTYPE_U32: READ(uint32, ObjectIdGetDatum);
			case COLTYPE_I64: READ(int64, Int64GetDatum);
			case COLTYPE_F32: READ(float4, Float4GetDatum);
			case COLTYPE_F64: READ(float8, Float8GetDatum);
			default: break;
		}
	for (uint32 i = 0; i < n; i++)
	{
		stored_rows_ask_ahead(stored, number, rows + i, n - i);
		values[i] = isnull[i] ? (Datum) 0 : value_of_row(stored->rows, attribute, rows[i]);
	}
}

/*
 * joined_rows.c
 *		Rows made by joins.
 */
#include "postgres.h"

#include "catalog/pg_type.h"

#include "exec/rows/joined_rows.h"
#include "exec/run/datums.h"

const Tablet *
joined_table(const JoinedRows *joined, const OutputResult *attribute)
{
	return joined->tables[attribute->table - 1].rows;
}

const uint32 *
joined_matches(const JoinedRows *joined, const OutputResult *attribute)
{
	return joined->matches + (Size) (attribute->table - 1) * joined->room;
}

Wide
row_integer(const Tablet *rows, const TabletColumn *column, uint32 row)
{
	const uint8 *values = tablet_at(rows, column->values);

	switch ((ColType) column->type)
	{
		case COLTYPE_BOOL:
		case COLTYPE_U8:
			return values[row];
		case COLTYPE_I16:
			return ((const int16 *) values)[row];
		case COLTYPE_I32:
			return ((const int32 *) values)[row];
		case COLTYPE_U32:
			return ((const uint32 *) values)[row];
		case COLTYPE_I64:
			return ((const int64 *) values)[row];
		case COLTYPE_I128:
			return wide_load((const uint64 *) values + 2 * (Size) row);
		default:
			elog(ERROR, "gpudb: a table has no integers in this column");
	}
}

Datum
value_of_row(const Tablet *rows, const OutputResult *attribute, uint32 row)
{
	const TabletColumn *column = &rows->column[attribute->value >= 0 ? attribute->value : attribute->second];
	const uint8 *values = tablet_at(rows, column->values);
	const uint64 word = coltype_bytes(column->type) == sizeof(uint64) ? ((const uint64 *) values)[row] : 0;

	if (attribute->packed > 0)
		return packed_datum(attribute->type, attribute->typmod, attribute->packed, &word);
	if (attribute->type == INTERVALOID)
		return interval_datum((const uint64 *) values + 2 * (Size) row);
	if (attribute->type == NUMERICOID)
		return numeric_datum(row_integer(rows, column, row), attribute->scale, attribute->dscale >= 0 ? attribute->dscale
							 : (int) row_integer(rows, &rows->column[attribute->second], row));
	switch ((ColType) column->type)
	{
		case COLTYPE_TEXT:
			return text_datum(attribute->type, attribute->typmod, tablet_at(rows, rows->var) + TEXT_OFFSET(word), TEXT_LENGTH(word));
		case COLTYPE_F32:
			return float_datum(attribute->type, ((const float *) values)[row]);
		case COLTYPE_F64:
			return float_datum(attribute->type, ((const double *) values)[row]);
		case COLTYPE_I128:
			return wide_datum(attribute->type, row_integer(rows, column, row));
		default:
			return int_datum(attribute->type, attribute->typmod, (int64) row_integer(rows, column, row));
	}
}

Datum
joined_value(const JoinedRows *joined, int a, uint32 row, bool *isnull)
{
	const OutputColumn *output = &joined->outputs->column[a];
	const OutputResult *attribute = &output->attribute;
	const Tablet *rows;
	uint32		match;

	if (attribute->table == 0)
	{
		*isnull = output->nulls[row];
		return *isnull ? (Datum) 0 : output_value(output, row);
	}
	rows = joined_table(joined, attribute);
	match = joined_matches(joined, attribute)[row];
	*isnull = match == JOIN_NO_ROW ||
		tablet_is_null(rows, &rows->column[attribute->value >= 0 ? attribute->value : attribute->second], match);
	return *isnull ? (Datum) 0 : value_of_row(rows, attribute, match);
}

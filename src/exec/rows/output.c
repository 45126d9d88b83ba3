/*
 * output.c
 *		Rows of a scan or join from the device's outputs.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "executor/executor.h"

#include "exec/rows/output.h"
#include "exec/run/datums.h"
#include "tablet/read/build.h"

/* Make room for `bytes` bytes of outputs, and on the first call for the program's attributes. */
static void
prepare(OutputRows *rows, MemoryContext context, const CompileResult *compiled, uint64 bytes)
{
	if (rows->column == NULL && compiled->nattributes > 0)
	{
		rows->column = MemoryContextAllocZero(context, compiled->nattributes * sizeof(OutputColumn));
		for (int a = 0; a < compiled->nattributes; a++)
			if (compiled->attribute[a].type == NUMERICOID)
				rows->column[a].numeric = MemoryContextAlloc(context, sizeof(NumericSpace));
	}
	if (bytes > rows->capacity)
	{
		if (rows->block != NULL)
			pfree(rows->block);
		rows->block = MemoryContextAllocExtended(context, bytes, MCXT_ALLOC_HUGE);
		rows->capacity = bytes;
	}
	rows->ncolumns = compiled->nattributes;
}

/* Return true if a column's Datums have to be constructed, rather than be plain values of the column's type. */
static bool
is_made(ColType type, const OutputResult *attribute)
{
	return type == COLTYPE_I128 || type == COLTYPE_TEXT || attribute->packed > 0 || attribute->coded ||
		attribute->type == NUMERICOID || attribute->type == BITOID;
}

/* Set the place and form of an attribute's values. */
static void
describe_column(const OutputRows *rows, const Program *program, const uint16 *types, const OutputLayout *layout,
				const OutputResult *attribute, OutputColumn *column)
{
	int			output = attribute->value < 0 ? attribute->second : attribute->value;

	column->attribute = *attribute;
	if (attribute->table > 0)
		return;
	column->type = types[program->output[output]];
	column->made = is_made(column->type, attribute);
	column->values = rows->block + layout->values[output];
	column->nulls = rows->block + layout->nulls[output];
	column->dscales = attribute->value >= 0 && attribute->second >= 0
		? (const int16 *) (rows->block + layout->values[attribute->second]) : NULL;
	column->bytes = layout->bytes[output];
}

void
output_keep(OutputRows *rows, MemoryContext context, const CompileResult *compiled, const DeviceWork *work,
			const DeformSpec *deform)
{
	const Program *program = compiled->program;
	const uint16 *types = deform->types[work->wide];
	const Tablet *tablet = work->pages != NULL ? work->tablet : work->cached->tablet;
	OutputLayout from;
	OutputLayout layout;

	output_layout(program, types, work_output_room(work), &from);
	output_layout(program, types, work->nrows, &layout);
	prepare(rows, context, compiled, layout.size);
	output_copy(program->noutputs, &layout, rows->block, &from, work->output, work->nrows);
	for (int a = 0; a < rows->ncolumns; a++)
	{
		OutputColumn *column = &rows->column[a];

		describe_column(rows, program, types, &layout, &compiled->attribute[a], column);
		column->bytes_apart = column->type == COLTYPE_TEXT ? tablet_at(tablet, tablet->var) : NULL;
	}
}

/* Return how many bytes a column's texts take in `nrows` rows. */
static uint64
count_text_bytes(const OutputColumn *column, uint32 nrows)
{
	const uint64 *refs = (const uint64 *) column->values;
	uint64		bytes = 0;

	for (uint32 row = 0; row < nrows; row++)
		bytes += column->nulls[row] ? 0 : TEXT_LENGTH(refs[row]);
	return bytes;
}

/*
 * Copy a column's texts to `at`, and make its references, which are a copy, relative to there;
 * return the end of the texts.
 */
static uint8 *
copy_texts(OutputColumn *column, uint32 nrows, uint8 *at)
{
	uint64	   *refs = (uint64 *) column->values;
	const uint8 *from = column->bytes_apart;
	uint8	   *start = at;

	for (uint32 row = 0; row < nrows; row++)
	{
		const uint32 length = TEXT_LENGTH(refs[row]);

		if (column->nulls[row])
			continue;
		memcpy(at, from + TEXT_OFFSET(refs[row]), length);
		refs[row] = TEXT_REF(at - start, length);
		at += length;
	}
	column->bytes_apart = start;
	return at;
}

bool
output_keep_texts(OutputRows *rows, MemoryContext context, uint32 nrows)
{
	uint64		bytes = 0;
	uint8	   *at;

	for (int a = 0; a < rows->ncolumns; a++)
		if (rows->column[a].type == COLTYPE_TEXT)
			bytes += count_text_bytes(&rows->column[a], nrows);
	if (bytes > INT32_MAX)
		return false;
	if (bytes > rows->texts_capacity)
	{
		if (rows->texts != NULL)
			pfree(rows->texts);
		rows->texts = MemoryContextAllocExtended(context, bytes, MCXT_ALLOC_HUGE);
		rows->texts_capacity = bytes;
	}
	at = rows->texts;
	for (int a = 0; a < rows->ncolumns; a++)
		if (rows->column[a].type == COLTYPE_TEXT)
			at = copy_texts(&rows->column[a], nrows, at);
	return true;
}

/* Convert materialized values, 64-bit words or bytes of bools, to a type in which they fit. */
static void
copy_materialized(const uint8 *from, ColType type, uint32 nrows, uint8 *values)
{
	const int64 *words = (const int64 *) from;

	switch (coltype_bytes(type))
	{
		case 1:
			if (type == COLTYPE_BOOL)
				memcpy(values, from, nrows);
			else
				for (uint32 row = 0; row < nrows; row++)
					values[row] = (uint8) words[row];
			break;
		case 2:
			for (uint32 row = 0; row < nrows; row++)
				((int16 *) values)[row] = (int16) words[row];
			break;
		case 4:
			if (type == COLTYPE_F32)
				for (uint32 row = 0; row < nrows; row++)
					((float *) values)[row] = (float) ((const double *) from)[row];
			else
				for (uint32 row = 0; row < nrows; row++)
					((int32 *) values)[row] = (int32) words[row];
			break;
		default:
			memcpy(values, from, nrows * sizeof(uint64));
			break;
	}
}

static bool
is_null(const MaterializedPart *part, int column, uint32 row)
{
	return part->nulls[column][row / 8] >> row % 8 & 1;
}

/* Copy an attribute's materialized values and NULLs to `at`; return their end. */
static uint8 *
copy_attribute(const MaterializedPart *part, const OutputResult *attribute, OutputColumn *column, uint8 *at)
{
	const ColumnWanted form = {.packed = attribute->packed > 0, .coded = attribute->coded};
	uint8	   *nulls;

	column->attribute = *attribute;
	if (attribute->table > 0)
		return at;
	column->type = column_type(attribute->type, &form);
	column->made = is_made(column->type, attribute);
	column->bytes = coltype_bytes(column->type);
	column->values = at;
	copy_materialized(part->values[attribute->value], column->type, part->nrows, at);
	at += output_bytes(column->bytes, part->nrows);
	nulls = at - tablet_align(part->nrows);
	for (uint32 row = 0; row < part->nrows; row++)
		nulls[row] = is_null(part, attribute->value, row);
	column->nulls = nulls;
	column->dscales = NULL;
	if (attribute->second < 0)
		return at;
	column->dscales = (const int16 *) at;
	copy_materialized(part->values[attribute->second], COLTYPE_I16, part->nrows, at);
	return at + output_bytes(sizeof(int16), part->nrows);
}

/* Copy the row numbers of a table, JOIN_NO_ROW where the column is NULL. */
static void
copy_matches(const MaterializedPart *part, int column, uint32 *matches)
{
	const uint64 *numbers = (const uint64 *) part->values[column];

	for (uint32 row = 0; row < part->nrows; row++)
		matches[row] = is_null(part, column, row) ? JOIN_NO_ROW : (uint32) numbers[row];
}

void
output_keep_part(OutputRows *rows, MemoryContext context, const CompileResult *compiled, const MaterializedPart *part)
{
	const uint64 matches = tablet_align(sizeof(uint32) * (uint64) part->nrows * compiled->njoins);
	uint8	   *at;

	prepare(rows, context, compiled, matches + compiled->nattributes * 2 * output_bytes(sizeof(uint64), part->nrows));
	rows->matches = (uint32 *) rows->block;
	for (int t = 0; t < compiled->njoins; t++)
		if (compiled->row_materialized[t] > 0)
			copy_matches(part, compiled->row_materialized[t] - 1, rows->matches + (Size) t * part->nrows);
	at = rows->block + matches;
	for (int a = 0; a < rows->ncolumns; a++)
		at = copy_attribute(part, &compiled->attribute[a], &rows->column[a], at);
}

void
output_be_null(OutputRows *rows, MemoryContext context, const CompileResult *compiled, uint32 nrows, const DeformSpec *deform)
{
	const Program *program = compiled->program;
	const uint16 *types = deform->types[false];
	OutputLayout layout;

	output_layout(program, types, nrows, &layout);
	prepare(rows, context, compiled, layout.size);
	memset(rows->block, 0, layout.size);
	for (uint32 k = 0; k < program->noutputs; k++)
		memset(rows->block + layout.nulls[k], true, nrows);
	for (int a = 0; a < rows->ncolumns; a++)
		describe_column(rows, program, types, &layout, &compiled->attribute[a], &rows->column[a]);
}

static Datum
make_numeric(const OutputColumn *column, uint32 row, Wide value)
{
	const OutputResult *attribute = &column->attribute;
	int			dscale = column->dscales != NULL ? column->dscales[row] : attribute->dscale;
	uint32		length;

	if (dscale != attribute->scale || dscale > DECIMAL_STORE_SCALE || !wide_fits_int64(value))
		return numeric_datum(value, attribute->scale, dscale);
	length = decimal_store((int64) value, dscale, column->numeric->payload);
	SET_VARSIZE(column->numeric, VARHDRSZ + length);
	return PointerGetDatum(column->numeric);
}

static Datum
make_datum(const OutputColumn *column, const uint8 *value, uint32 row)
{
	const OutputResult *attribute = &column->attribute;
	const uint64 *words = (const uint64 *) value;

	if (attribute->coded)
		return dict_datum(attribute->view, *(const uint32 *) value);
	if (attribute->packed > 0)
		return packed_datum(attribute->type, attribute->typmod, attribute->packed, words);
	if (column->type == COLTYPE_TEXT)
		return text_datum(attribute->type, attribute->typmod, column->bytes_apart + TEXT_OFFSET(words[0]), TEXT_LENGTH(words[0]));
	switch (attribute->type)
	{
		case NUMERICOID:
			return make_numeric(column, row, column->type == COLTYPE_I128 ? wide_load(words) : (Wide) (int64) words[0]);
		case INTERVALOID:
			return interval_datum(words);
		case BITOID:
			return int_datum(BITOID, attribute->typmod, (int64) words[0]);
		default:
			return wide_datum(attribute->type, wide_load(words));
	}
}

Datum
output_value(const OutputColumn *column, uint32 row)
{
	const uint8 *value = column->values + (uint64) row * column->bytes;

	if (column->made)
		return make_datum(column, value, row);
	switch (column->type)
	{
		case COLTYPE_BOOL:
			return BoolGetDatum(*value != 0);
		case COLTYPE_U8:
			return CharGetDatum((char) *value);
		case COLTYPE_I16:
			return Int16GetDatum(*(const int16 *) value);
		case COLTYPE_I32:
			return Int32GetDatum(*(const int32 *) value);
		case COLTYPE_U32:
			return ObjectIdGetDatum(*(const uint32 *) value);
		case COLTYPE_I64:
			return Int64GetDatum(*(const int64 *) value);
		case COLTYPE_F32:
			return Float4GetDatum(*(const float4 *) value);
		case COLTYPE_F64:
			return Float8GetDatum(*(const float8 *) value);
		case COLTYPE_I128:
		case COLTYPE_TEXT:
		case COLTYPE_SAME:
		case COLTYPE_U16:
		case COLTYPE_Count:
			break;
	}
	pg_unreachable();
}

void
output_store(const OutputRows *rows, uint32 row, TupleTableSlot *slot)
{
	ExecClearTuple(slot);
	memset(slot->tts_isnull, true, slot->tts_tupleDescriptor->natts * sizeof(bool));
	for (int a = 0; a < rows->ncolumns; a++)
	{
		const OutputColumn *column = &rows->column[a];
		int			at = column->attribute.attno - 1;

		if (column->nulls[row])
			continue;
		slot->tts_values[at] = output_value(column, row);
		slot->tts_isnull[at] = false;
	}
	ExecStoreVirtualTuple(slot);
}

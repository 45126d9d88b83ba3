/*
 * collect_columns.c
 *		Moving the outputs of a device, and of joins, into the columns of a store.
 *
 * Columns that outputs and store hold in the same form are copied as a whole.
 * Texts that are dictionary codes on the device, or are in a join's table, are
 * stored once each.  All other columns are converted by way of Datums.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/memutils.h"

#include "core/tablet/dictionary.h"
#include "exec/rows/collect_columns.h"

/* Return the output with the value of a target list's entry. */
static const OutputColumn *
output_of_entry(const OutputRows *outputs, const List *targetlist, AttrNumber entry)
{
	const Var  *var = (const Var *) list_nth_node(TargetEntry, targetlist, entry - 1)->expr;

	for (int a = 0; a < outputs->ncolumns; a++)
		if (outputs->column[a].attribute.attno == var->varattno)
			return &outputs->column[a];
	elog(ERROR, "gpudb: no output for attribute %d", var->varattno);
}

/* Append texts, given by dictionary codes, to a column of plain texts; each text is stored once. */
static DeviceStatus
collect_coded(const OutputColumn *output, uint32 nrows, RowStore *store, int column)
{
	const Dictionary *dictionary = output->attribute.view->dictionary;
	const uint32 *dict_codes = (const uint32 *) output->values;
	const uint32 count = Max(dictionary_count(dictionary), 1);
	uint64	   *refs = palloc(sizeof(uint64) * count);
	DeviceStatus status = STATUS_DONE;

	/* no reference is all ones */
	memset(refs, 0xff, sizeof(uint64) * count);
	for (uint32 row = 0; row < nrows && status == STATUS_DONE; row++)
	{
		uint32		length;
		const uint8 *bytes;

		if (output->nulls[row])
			row_store_put_null(store, column, row);
		else if (refs[dict_codes[row]] != UINT64_MAX)
			row_store_put_ref(store, column, row, refs[dict_codes[row]]);
		else
		{
			bytes = dictionary_value(dictionary, dict_codes[row], &length);
			status = row_store_put_text(store, column, row, bytes, length, &refs[dict_codes[row]]);
		}
	}
	pfree(refs);
	return status;
}

/* Texts of rows, given by numbers. */
typedef struct NumberedTexts
{
	const uint32 *number;		/* number of each row's text; JOIN_NO_ROW = NULL */
	const uint8 *nulls;			/* a byte for each row: 1 = NULL; may be NULL */
	uint32		count;			/* all numbers are less than this */
	const uint8 *(*text) (const void *from, uint32 number, uint32 *length);	/* text with a number, or NULL */
	const void *from;
} NumberedTexts;

/* Append texts to a store's column as codes of the store's own dictionary; each number is looked up once. */
static DeviceStatus
put_codes(const NumberedTexts *texts, uint32 nrows, RowStore *store, int column)
{
	uint32	   *own = palloc_extended(sizeof(uint32) * (Size) Max(texts->count, 1), MCXT_ALLOC_HUGE);
	DeviceStatus status = STATUS_DONE;

	memset(own, 0xff, sizeof(uint32) * (Size) texts->count);
	for (uint32 row = 0; row < nrows && status == STATUS_DONE; row++)
	{
		const uint32 number = texts->number[row];
		const bool	has_none = number == JOIN_NO_ROW || (texts->nulls != NULL && texts->nulls[row]);
		const uint8 *bytes = NULL;
		uint32		length;

		if (!has_none && own[number] == DICTIONARY_NONE && (bytes = texts->text(texts->from, number, &length)) != NULL)
			status = row_store_code(store, column, bytes, length, &own[number]);
		if (has_none || own[number] == DICTIONARY_NONE)
			row_store_put_null(store, column, row);
		else
			row_store_put_code(store, column, row, own[number]);
	}
	pfree(own);
	return status;
}

static const uint8 *
text_of_code(const void *from, uint32 number, uint32 *length)
{
	return dictionary_value((const Dictionary *) from, number, length);
}

/* Append codes of an output's dictionary to a store's column as codes of the store's own dictionary. */
static DeviceStatus
translate_coded(const OutputColumn *output, uint32 nrows, RowStore *store, int column)
{
	const Dictionary *dictionary = output->attribute.view->dictionary;
	const NumberedTexts texts = {
		.number = (const uint32 *) output->values, .nulls = output->nulls, .count = dictionary_count(dictionary),
		.text = text_of_code, .from = dictionary
	};

	return put_codes(&texts, nrows, store, column);
}

/* A column of texts of a join's table. */
typedef struct TextColumn
{
	const Tablet *rows;
	const TabletColumn *column;
} TextColumn;

static const uint8 *
text_of_row(const void *from, uint32 number, uint32 *length)
{
	const TextColumn *texts = from;
	const uint64 ref = ((const uint64 *) tablet_at(texts->rows, texts->column->values))[number];

	*length = TEXT_LENGTH(ref);
	return tablet_is_null(texts->rows, texts->column, number) ? NULL : tablet_at(texts->rows, texts->rows->var) + TEXT_OFFSET(ref);
}

/* Append texts of a join's table to a store's column as dictionary codes. */
static DeviceStatus
code_fetched(const JoinedRows *joined, const OutputResult *attribute, RowStore *store, int column)
{
	const Tablet *rows = joined_table(joined, attribute);
	const TextColumn from = {rows, &rows->column[attribute->value]};
	const NumberedTexts texts = {
		.number = joined_matches(joined, attribute), .count = rows->nrows, .text = text_of_row, .from = &from
	};

	return put_codes(&texts, joined->nrows, store, column);
}

/* Return true if a store's column has `digits` digits after the decimal point, or is not numeric. */
static bool
has_digits(const RowStore *store, const ColumnUse *use, int column, int digits)
{
	return use->type != NUMERICOID || row_store_digits(store, column) == digits;
}

/* Return true if a store's column takes an output's values unchanged. */
static bool
is_same_form(const OutputColumn *output, const RowStore *store, const ColumnUse *use, int column)
{
	if (use->second || use->coded || output->attribute.coded || output->type == COLTYPE_TEXT || output->attribute.second == output->attribute.value ||
		output->attribute.value < 0 || output->type != row_store_type(store, column))
		return false;
	return use->packed == (output->attribute.packed > 0) && has_digits(store, use, column, output->attribute.scale);
}

static DeviceStatus
collect_values(const OutputColumn *output, uint32 nrows, RowStore *store, AttrNumber attno)
{
	MemoryContext scratch = AllocSetContextCreate(CurrentMemoryContext, "gpudb values", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(scratch);
	DeviceStatus status = STATUS_DONE;

	for (uint32 row = 0; row < nrows && status == STATUS_DONE; row++)
	{
		const bool	isnull = output->nulls[row];
		const Datum value = isnull ? (Datum) 0 : output_value(output, row);

		status = row_store_put(store, attno, row, value, isnull);
		MemoryContextReset(scratch);
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(scratch);
	return status;
}

/* Append an output to one column of a store; *by_value has the attributes all columns of which have been filled. */
static DeviceStatus
collect_column(const OutputColumn *output, uint32 nrows, RowStore *store, const ColumnUse *use, int column, Bitmapset **by_value)
{
	/* decimals of 128 bits follow others of 64 */
	if (output->type == COLTYPE_I128 && row_store_type(store, column) == COLTYPE_I64 && !row_store_widen(store))
		return STATUS_MEMORY_LIMIT;
	if (is_same_form(output, store, use, column))
	{
		row_store_copy(store, column, output->values, output->nulls, nrows);
		return STATUS_DONE;
	}
	if (output->attribute.coded && use->coded)
		return translate_coded(output, nrows, store, column);
	if (output->attribute.coded && row_store_type(store, column) == COLTYPE_TEXT)
		return collect_coded(output, nrows, store, column);
	if (bms_is_member(use->attno, *by_value))
		return STATUS_DONE;
	*by_value = bms_add_member(*by_value, use->attno);
	return collect_values(output, nrows, store, use->attno);
}

/* Append values of a join's table to a store's columns by way of Datums. */
static DeviceStatus
collect_fetched(const JoinedRows *joined, int a, RowStore *store, AttrNumber attno)
{
	MemoryContext scratch = AllocSetContextCreate(CurrentMemoryContext, "gpudb values", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(scratch);
	DeviceStatus status = STATUS_DONE;

	for (uint32 row = 0; row < joined->nrows && status == STATUS_DONE; row++)
	{
		bool		isnull;
		const Datum value = joined_value(joined, a, row, &isnull);

		status = row_store_put(store, attno, row, value, isnull);
		MemoryContextReset(scratch);
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(scratch);
	return status;
}

/* Append values of a join's table to a store's column that has the same form; return false if it has another one. */
static bool
copy_fetched(const JoinedRows *joined, const OutputResult *attribute, RowStore *store, const ColumnUse *use, int column)
{
	const Tablet *rows = joined_table(joined, attribute);
	const uint32 *matches = joined_matches(joined, attribute);
	const TabletColumn *from;
	uint8	   *values;
	uint8	   *nulls;

	if (use->second || use->coded || attribute->value < 0 || attribute->second >= 0)
		return false;
	from = &rows->column[attribute->value];
	if (from->type != row_store_type(store, column) || from->type == COLTYPE_TEXT || !has_digits(store, use, column, attribute->scale) ||
		use->packed != (attribute->packed > 0))
		return false;
	values = palloc_extended((Size) coltype_bytes(from->type) * Max(joined->nrows, 1), MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	nulls = palloc_extended(Max(joined->nrows, 1), MCXT_ALLOC_HUGE);
	for (uint32 row = 0; row < joined->nrows; row++)
	{
		nulls[row] = matches[row] == JOIN_NO_ROW || tablet_is_null(rows, from, matches[row]);
		if (!nulls[row])
			output_gather_values(tablet_at(rows, from->values), coltype_bytes(from->type), &matches[row], 1,
								 values + (uint64) row * coltype_bytes(from->type));
	}
	row_store_copy(store, column, values, nulls, joined->nrows);
	pfree(values);
	pfree(nulls);
	return true;
}

/* Return true if a join's table holds an attribute as texts. */
static bool
has_texts(const JoinedRows *joined, const OutputResult *attribute)
{
	return attribute->value >= 0 && joined_table(joined, attribute)->column[attribute->value].type == COLTYPE_TEXT;
}

DeviceStatus
collect_joined(const JoinedRows *joined, RowStore *store, const ColumnUse *columns, int ncolumns, const int *wanted)
{
	DeviceStatus status = row_store_reserve(store, joined->nrows) ? STATUS_DONE : STATUS_MEMORY_LIMIT;
	Bitmapset  *by_value = NULL;

	for (int c = 0; c < ncolumns && status == STATUS_DONE; c++)
	{
		const AttrNumber attno = columns[c].attno;
		const int	a = wanted[attno - 1];
		const OutputColumn *output = &joined->outputs->column[a];

		if (output->attribute.table == 0)
			status = collect_column(output, joined->nrows, store, &columns[c], c, &by_value);
		else if (columns[c].coded && has_texts(joined, &output->attribute))
			status = code_fetched(joined, &output->attribute, store, c);
		else if (!copy_fetched(joined, &output->attribute, store, &columns[c], c) && !bms_is_member(attno, by_value))
		{
			by_value = bms_add_member(by_value, attno);
			status = collect_fetched(joined, a, store, attno);
		}
	}
	if (status == STATUS_DONE)
		row_store_count(store, joined->nrows);
	return status;
}

DeviceStatus
collect_outputs(const OutputRows *outputs, uint32 nrows, const List *targetlist, RowStore *store, const ColumnUse *columns,
				int ncolumns)
{
	DeviceStatus status = row_store_reserve(store, nrows) ? STATUS_DONE : STATUS_MEMORY_LIMIT;
	Bitmapset  *by_value = NULL;

	for (int c = 0; c < ncolumns && status == STATUS_DONE; c++)
	{
		const OutputColumn *output = output_of_entry(outputs, targetlist, columns[c].attno);

		status = collect_column(output, nrows, store, &columns[c], c, &by_value);
	}
	if (status == STATUS_DONE)
		row_store_count(store, nrows);
	return status;
}

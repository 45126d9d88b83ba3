/*
 * join_slice.c
 *		Partitions of a join's table; see join_slice.h.
 */
#include "core/join/join_slice.h"

/* Return the span of the rows that an entry of the index leads to. */
static uint64_t
rows_of_place(const JoinTable *table, uint64_t place)
{
	const JoinSlot *slot = (const JoinSlot *) join_at(table, table->index);

	return table->direct ? join_find(table, place) : JOIN_SPAN(slot[place].first, slot[place].count);
}

uint32_t
join_take(const JoinTable *table, JoinCursor *cursor, bool whole, uint32_t most, uint32_t *numbers)
{
	uint32_t	n = 0;

	while (cursor->place < table->nplaces)
	{
		const uint64_t span = rows_of_place(table, cursor->place);
		const uint32_t left = JOIN_SPAN_COUNT(span) - cursor->taken;
		const uint32_t room = most - n;
		const uint32_t taken = left <= room ? left : whole ? 0 : room;

		for (uint32_t i = 0; i < taken; i++)
			numbers[n++] = join_row(table, JOIN_SPAN_FIRST(span) + cursor->taken + i);
		if (taken < left)
		{
			cursor->taken += taken;
			break;
		}
		cursor->place++;
		cursor->taken = 0;
	}
	return n;
}

uint32_t
join_most_rows(const JoinTable *table)
{
	uint32_t	most = 0;

	for (uint64_t place = 0; place < table->nplaces; place++)
	{
		const uint32_t count = JOIN_SPAN_COUNT(rows_of_place(table, place));

		most = count > most ? count : most;
	}
	return most;
}

/* Return the bytes of text to copy: those of the given rows, or all if that is less, since rows may share texts. */
static uint64_t
text_bytes(const Tablet *rows, const uint32_t *numbers, uint32_t n)
{
	uint64_t	bytes = 0;

	for (uint32_t c = 0; c < rows->ncols; c++)
	{
		const TabletColumn *column = &rows->column[c];
		const uint64_t *refs = (const uint64_t *) tablet_at(rows, column->values);

		for (uint32_t i = 0; i < n && column->type == COLTYPE_TEXT; i++)
			if (!tablet_is_null(rows, column, numbers[i]))
				bytes += TEXT_LENGTH(refs[numbers[i]]);
	}
	return bytes < rows->var_used ? bytes : rows->var_used;
}

static void
list_types(const Tablet *rows, uint16_t *types)
{
	for (uint32_t c = 0; c < rows->ncols; c++)
		types[c] = rows->column[c].type;
}

uint64_t
join_slice_bytes(const Tablet *rows, const uint32_t *numbers, uint32_t n)
{
	uint16_t	types[PROGRAM_MAX_COLUMNS];

	list_types(rows, types);
	return tablet_size(types, rows->ncols, n, text_bytes(rows, numbers, n));
}

/* Copy values, each of which consists of `units` units of a type. */
#define COPY_VALUES(type, units) \
	do { \
		const type *from = (const type *) tablet_at(rows, column->values); \
		type *to = (type *) tablet_at(slice, copy->values); \
		for (uint32_t i = 0; i < n; i++) \
			for (uint32_t u = 0; u < (units); u++) \
				to[(size_t) i * (units) + u] = from[(size_t) numbers[i] * (units) + u]; \
	} while (0)

static void
copy_values(const Tablet *rows, const TabletColumn *column, const uint32_t *numbers, Tablet *slice, const TabletColumn *copy)
{
	const uint32_t n = slice->nrows;

	switch (coltype_bytes((ColType) column->type))
	{
		case 1: COPY_VALUES(uint8_t, 1); break;
		case 2: COPY_VALUES(uint16_t, 1); break;
		case 4: COPY_VALUES(uint32_t, 1); break;
		case 8: COPY_VALUES(uint64_t, 1); break;
		case 16: COPY_VALUES(uint64_t, 2); break;
		default: break;
	}
}

static void
copy_nulls(const Tablet *rows, const TabletColumn *column, const uint32_t *numbers, Tablet *slice, TabletColumn *copy)
{
	uint8_t    *bits = tablet_at(slice, copy->nulls);

	memset(bits, 0, tablet_bitmap_bytes(slice->nrows));
	for (uint32_t i = 0; i < slice->nrows; i++)
	{
		const bool	null = tablet_is_null(rows, column, numbers[i]);

		bits[i / 8] |= (uint8_t) (null << (i % 8));
		copy->null_count += null;
	}
}

/* Copy the texts of a column that has been copied, and let its references point to the copies. */
static void
copy_texts(const Tablet *rows, Tablet *slice, const TabletColumn *copy)
{
	uint64_t   *refs = (uint64_t *) tablet_at(slice, copy->values);

	for (uint32_t i = 0; i < slice->nrows; i++)
	{
		const uint32_t length = TEXT_LENGTH(refs[i]);

		if (tablet_is_null(slice, copy, i))
			continue;
		memcpy(tablet_at(slice, slice->var) + slice->var_used, tablet_at(rows, rows->var) + TEXT_OFFSET(refs[i]), length);
		refs[i] = TEXT_REF(slice->var_used, refs[i]);
		slice->var_used += length;
	}
}

void
join_slice(const Tablet *rows, const uint32_t *numbers, uint32_t n, Tablet *slice)
{
	const uint64_t text = text_bytes(rows, numbers, n);
	const bool	all_texts = text == rows->var_used;
	uint16_t	types[PROGRAM_MAX_COLUMNS];

	list_types(rows, types);
	tablet_layout(slice, types, rows->ncols, n, text);
	for (uint32_t c = 0; c < rows->ncols; c++)
	{
		const TabletColumn *column = &rows->column[c];
		TabletColumn *copy = &slice->column[c];
		const uint64_t values = copy->values;
		const uint64_t nulls = copy->nulls;

		*copy = *column;
		copy->values = values;
		copy->nulls = nulls;
		copy->null_count = 0;
		copy_values(rows, column, numbers, slice, copy);
		if (column->null_count > 0)
			copy_nulls(rows, column, numbers, slice, copy);
		if (column->type == COLTYPE_TEXT && !all_texts)
			copy_texts(rows, slice, copy);
	}
	if (all_texts)
	{
		memcpy(tablet_at(slice, slice->var), tablet_at(rows, rows->var), text);
		slice->var_used = text;
	}
}

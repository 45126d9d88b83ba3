/*
 * join_build.c
 *		Planning a join's table and computing the words of its rows.
 *
 * join_fill.c builds the table, or join_sort.c if it is sorted.
 */
#include "core/join/join_build.h"
#include "core/join/join_fill.h"

/*
 * A table is direct if its words span at most DIRECT_SPREAD times the number of rows, or at most
 * DIRECT_ALWAYS words.
 */
#define DIRECT_SPREAD	16
#define DIRECT_ALWAYS	65536

/*
 * Limits for a bitmap's bits: PRESENT_SPREAD per row, PRESENT_ALWAYS (what a core's own cache
 * holds) for few rows, and PRESENT_MOST in all.
 */
#define PRESENT_SPREAD	512
#define PRESENT_ALWAYS	((uint64_t) 1 << 20)
#define PRESENT_MOST	((uint64_t) 1 << 28)

/* Range of the values of a key's column. */
typedef struct KeyRange
{
	bool		hashed;			/* some values are not integers of 64 bits */
	int64_t		least;			/* unless hashed: smallest and largest value; least > largest if there are no values */
	int64_t		largest;
} KeyRange;

/* Columns of keys */

/* Run a statement for each row of first .. end that is not NULL, with v being its stored value. */
#define EACH_VALUE(stype, statement) \
	do { \
		const stype *values = (const stype *) tablet_at(rows, column->values); \
		for (uint32_t row = first; row < end; row++) \
		{ \
			const stype v = values[row]; \
			if (!tablet_is_null(rows, column, row)) \
				statement; \
		} \
	} while (0)

/* Run a statement for each value of a key's column as an integer; not for texts and columns of 128 bits. */
#define EACH_INTEGER(statement) \
	switch ((ColType) column->type) \
	{ \
		case COLTYPE_BOOL: \
		case COLTYPE_U8: EACH_VALUE(uint8_t, { const int64_t value = v; statement; }); break; \
		case COLTYPE_I16: EACH_VALUE(int16_t, { const int64_t value = v; statement; }); break; \
		case COLTYPE_I32: EACH_VALUE(int32_t, { const int64_t value = v; statement; }); break; \
		case COLTYPE_U32: EACH_VALUE(uint32_t, { const int64_t value = v; statement; }); break; \
		case COLTYPE_I64: EACH_VALUE(int64_t, { const int64_t value = v; statement; }); break; \
		case COLTYPE_F32: EACH_VALUE(float, { const int64_t value = join_float_word(v); statement; }); break; \
		case COLTYPE_F64: EACH_VALUE(double, { const int64_t value = join_float_word(v); statement; }); break; \
		default: break; \
	}

static KeyRange
range_of(const Tablet *rows, const JoinKey *key)
{
	const TabletColumn *column = &rows->column[key->column];
	const uint32_t first = 0;
	const uint32_t end = rows->nrows;
	KeyRange	range = {false, INT64_MAX, INT64_MIN};

	if (column->type == COLTYPE_TEXT)
		range.hashed = true;
	else if (column->type == COLTYPE_I128)
		EACH_VALUE(Wide, {
			range.hashed |= !wide_fits_int64(v);
			range.least = (int64_t) v < range.least ? (int64_t) v : range.least;
			range.largest = (int64_t) v > range.largest ? (int64_t) v : range.largest;
		});
	else
		EACH_INTEGER({
			range.least = value < range.least ? value : range.least;
			range.largest = value > range.largest ? value : range.largest;
		})
	return range;
}

/* Return the range of a column given by its bounds; a float's bounds are unknown. */
static KeyRange
range_by_bounds(const TabletColumn *column)
{
	const Wide	least = wide_load(column->min);
	const Wide	largest = wide_load(column->max);

	if (column->type == COLTYPE_BOOL)
		return (KeyRange) {false, 0, 1};
	if (!coltype_integer((ColType) column->type))
		return (KeyRange) {true, 0, 0};
	return (KeyRange) {!wide_fits_int64(least) || !wide_fits_int64(largest), (int64_t) least, (int64_t) largest};
}

/* Words */

/* Plan an exact table: concatenate the parts of a word; false if they have more than 64 bits. */
static bool
plan_parts(JoinTable *head, const Tablet *rows, const JoinKey *keys, bool by_bounds, uint32_t *bits)
{
	*bits = 0;
	for (uint32_t p = 0; p < head->nparts; p++)
	{
		const KeyRange range = by_bounds ? range_by_bounds(&rows->column[keys[p].column]) : range_of(rows, &keys[p]);
		const bool	none = range.least > range.largest;
		JoinPart   *part = &head->part[p];

		if (range.hashed)
			return false;
		part->least = none ? 0 : range.least;
		part->span = none ? 0 : (uint64_t) range.largest - (uint64_t) range.least;
		part->shift = *bits;
		*bits += bits_needed(part->span);
		if (*bits > 64 || part->shift > 63)
			return false;
	}
	return true;
}

/* Return an upper bound of the number of words of `bits` bits; for a single part, the number that it spans. */
static uint64_t
words_of(const JoinTable *head, uint32_t bits)
{
	if (bits >= 48)
		return UINT64_MAX;
	return head->nparts == 1 ? head->part[0].span + 1 : (uint64_t) 1 << bits;
}

static void
plan_table(JoinTable *head, const Tablet *rows, const JoinKey *keys, uint16_t nkeys, bool by_bounds)
{
	uint32_t	bits;
	uint64_t	words;

	memset(head, 0, sizeof(*head));
	head->nparts = nkeys;
	head->exact = plan_parts(head, rows, keys, by_bounds, &bits);
	words = head->exact ? words_of(head, bits) : UINT64_MAX;
	head->direct = words <= DIRECT_ALWAYS || words / DIRECT_SPREAD <= rows->nrows;
	head->npresent = 0;
	if (!head->direct && (words <= PRESENT_ALWAYS || (words <= PRESENT_MOST && words / PRESENT_SPREAD <= rows->nrows)))
		head->npresent = words;
	head->nplaces = words;
	if (!head->direct)
		for (head->nplaces = 2; head->nplaces < (uint64_t) rows->nrows * 2;)
			head->nplaces *= 2;
}

void
join_plan(JoinTable *head, const Tablet *rows, const JoinKey *keys, uint16_t nkeys)
{
	plan_table(head, rows, keys, nkeys, false);
}

void
join_plan_of_bounds(JoinTable *head, const Tablet *rows, const JoinKey *keys, uint16_t nkeys)
{
	plan_table(head, rows, keys, nkeys, true);
}

bool
join_plan_sorted(JoinTable *head, const Tablet *rows, const JoinKey *key)
{
	uint32_t	bits;

	memset(head, 0, sizeof(*head));
	head->nparts = 1;
	head->nplaces = rows->nrows;
	head->sorted = head->exact = plan_parts(head, rows, key, false, &bits);
	return head->sorted;
}

/* Fold a value into a row's word: as a part of an exact table's word, or hashed. */
#define ADD_INTEGER(part_word, hashed) \
	words[row] = head->exact ? words[row] | (part_word) : hash_combine(words[row], (hashed))

/* Find the bounds of the words of each block of rows, from row `first` to row `end`. */
static void
bound_blocks(const RowWords *w, uint32_t first, uint32_t end)
{
	for (; first < end; first += BLOCK_ROWS)
	{
		WordBounds	bounds = {UINT64_MAX, 0};

		for (uint32_t row = first; row < end && row < first + BLOCK_ROWS; row++)
		{
			/* the word of a NULL is undefined, so its block counts as having all words */
			const uint64_t least = w->nulls[row] ? 0 : w->words[row];
			const uint64_t largest = w->nulls[row] ? UINT64_MAX : w->words[row];

			bounds.least = least < bounds.least ? least : bounds.least;
			bounds.largest = largest > bounds.largest ? largest : bounds.largest;
		}
		w->bounds[first / BLOCK_ROWS] = bounds;
	}
}

void
join_words_of_part(void *arg, uint32_t part)
{
	const RowWords *w = (const RowWords *) arg;
	const JoinTable *head = w->head;
	const Tablet *rows = w->rows;
	const uint64_t blocks = blocks_of(rows->nrows);
	const uint32_t first = (uint32_t) (blocks * part / w->parts) * BLOCK_ROWS;
	const uint32_t end = part + 1 == w->parts ? rows->nrows : (uint32_t) (blocks * (part + 1) / w->parts) * BLOCK_ROWS;
	uint64_t   *words = w->words;
	uint32_t	miss = 0;

	memset(words + first, 0, (end - first) * sizeof(uint64_t));
	memset(w->nulls + first, 0, end - first);
	for (uint32_t p = 0; p < head->nparts; p++)
	{
		const TabletColumn *column = &rows->column[w->keys[p].column];
		const bool	trimmed = w->keys[p].form == JOIN_KEY_TRIMMED;
		const JoinPart *key = &head->part[p];

		for (uint32_t row = first; row < end && column->null_count > 0; row++)
			w->nulls[row] |= tablet_is_null(rows, column, row);
		if (column->type == COLTYPE_TEXT)
			EACH_VALUE(uint64_t, {
				const uint8_t *bytes = tablet_at(rows, rows->var) + TEXT_OFFSET(v);
				const uint32_t length = TEXT_LENGTH(v);

				words[row] = hash_combine(words[row], hash_bytes(bytes, trimmed ? text_trimmed(bytes, length) : length));
			});
		else if (column->type == COLTYPE_I128)
			EACH_VALUE(Wide, ADD_INTEGER(join_part_wide(key, v, &miss), join_wide_word(v)));
		else
			EACH_INTEGER(ADD_INTEGER(join_part_word(key, value, &miss), (uint64_t) value))
	}
	if (w->bounds != NULL)
		bound_blocks(w, first, end);
}

void
join_words(const JoinTable *head, const Tablet *rows, const JoinKey *keys, uint64_t *words, uint8_t *nulls)
{
	RowWords	all = {head, rows, keys, words, nulls, 1, NULL};

	join_words_of_part(&all, 0);
}

/* Verification of descriptors made by others */

/* Return true if n items of `each` bytes at an offset lie within a block. */
static bool
lies_within(uint64_t offset, uint64_t n, uint64_t each, uint64_t block)
{
	return offset <= block && n <= (block - offset) / each;
}

static bool
index_lies_within(const JoinTable *table, uint64_t block)
{
	const uint64_t places = table->nplaces;

	if (table->index % 8 != 0)
		return false;
	if (table->sorted)
		return !table->direct && !table->unique && table->present == 0 &&
			lies_within(table->index, table->nrows, sizeof(uint64_t), block);
	if (places == 0 || places > UINT32_MAX)
		return false;
	if (table->direct)
		return lies_within(table->index, places + !table->unique, sizeof(uint32_t), block);
	return (places & (places - 1)) == 0 && lies_within(table->index, places, sizeof(JoinSlot), block);
}

static bool
table_lies_within(const JoinTable *table, uint64_t block)
{
	if (table->nparts > JOIN_MAX_PARTS || table->rows % 4 != 0 || !index_lies_within(table, block))
		return false;
	for (uint16_t p = 0; p < table->nparts; p++)
		if (table->part[p].shift > 63)
			return false;
	if (table->present != 0 &&
		(table->present % 4 != 0 || !lies_within(table->present, join_present_words(table->npresent), sizeof(uint32_t), block)))
		return false;
	return table->unique || table->sorted || lies_within(table->rows, table->nrows, sizeof(uint32_t), block);
}

static bool
column_lies_within(const TabletColumn *column, uint32_t nrows, uint64_t block)
{
	uint32_t	bytes;

	if (column->type >= COLTYPE_Count || column->shift > 63 || column->null_count > nrows)
		return false;
	if ((column->base != 0 || column->shift != 0) && !coltype_for_encoded((ColType) column->type))
		return false;
	bytes = coltype_bytes((ColType) column->type);
	return (bytes == 0 || (column->values % bytes == 0 && lies_within(column->values, nrows, bytes, block))) &&
		(column->null_count == 0 || lies_within(column->nulls, tablet_bitmap_bytes(nrows), 1, block));
}

bool
join_verify(const JoinTable *table, const Tablet *rows, uint64_t bytes, uint64_t rows_at)
{
	const uint64_t left = bytes - rows_at;

	if (rows_at > bytes || rows_at % 64 != 0 || !table_lies_within(table, rows_at) || (table->sorted && table->nrows > rows->nrows))
		return false;
	if (rows->ncols > PROGRAM_MAX_COLUMNS || rows->nrows == JOIN_NO_ROW || !lies_within(rows->var, rows->var_used, 1, left))
		return false;
	for (uint32_t c = 0; c < rows->ncols; c++)
		if (!column_lies_within(&rows->column[c], rows->nrows, left))
			return false;
	return true;
}

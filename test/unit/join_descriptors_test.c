/*
 * join_descriptors_test.c
 *		Descriptors of join tables: those planned by bounds alone, and those that
 *		other processes have made.
 *
 * Planned by the bounds of their columns, a table has the descriptor that
 * planning by its rows gives.  A block of a table and its rows is accepted as it
 * is; with any field of its descriptors changed so that it leads out of the
 * block, it is refused.
 */
#include "core/join/join_build.h"
#include "fixture.h"
#include "guard.h"
#include "tap.h"

#define PARTS_MOST	4
#define ROWS		200		/* rows of a block */

/* Plans by bounds */

static Wide
random_value(ColType type, int64_t base, uint32_t bits)
{
	const int64_t value = (int64_t) ((uint64_t) base + (bits == 0 ? 0 : random_u64() >> (64 - bits)));

	switch (type)
	{
		case COLTYPE_BOOL: return value & 1;
		case COLTYPE_U8: return (uint8_t) value;
		case COLTYPE_I16: return (int16_t) value;
		case COLTYPE_I32: return (int32_t) value;
		case COLTYPE_U32: return (uint32_t) value;
		case COLTYPE_I128: return random_below(20) == 0 ? random_wide() : (Wide) value;
		default: return value;
	}
}

/* Fill a column with NULLs alone, with some of them, or with none; its bounds are those of its values. */
static void
fill_column(Tablet *tablet, int c, bool only_nulls, bool whole)
{
	const uint32_t one_in = only_nulls ? 1 : random_below(3) == 0 ? 1 + random_below(9) : 0;
	const ColType type = (ColType) tablet->column[c].type;
	const int64_t base = random_below(3) == 0 ? INT64_MIN : random_int64() / 4;
	const uint32_t bits = whole ? 64 : random_below(random_below(3) ? 20 : 65);
	Wide		least = 0;
	Wide		largest = 0;
	bool		any = false;

	for (uint32_t row = 0; row < tablet->nrows; row++)
	{
		const Wide	value = whole && row < 2 ? row == 0 ? INT64_MIN : INT64_MAX : random_value(type, base, bits);

		tablet_set_int(tablet, c, row, value);
		if (one_in > 0 && random_below(one_in) == 0)
		{
			tablet_set_null(tablet, c, row);
			continue;
		}
		least = !any || value < least ? value : least;
		largest = !any || value > largest ? value : largest;
		any = true;
	}
	/* planning by bounds assumes that both bools are there */
	for (uint32_t row = 0; type == COLTYPE_BOOL && !only_nulls && row < 2 && row < tablet->nrows; row++)
		if (!tablet_is_null(tablet, &tablet->column[c], row))
			tablet_set_int(tablet, c, row, row);
	wide_store(tablet->column[c].min, least);
	wide_store(tablet->column[c].max, largest);
}

/* Return true if the descriptors of two tables are equal. */
static bool
descriptors_equal(const JoinTable *a, const JoinTable *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}

/*
 * Clear the parts of a key that is not exact: those before the one with too many bits are planned,
 * but have no meaning.
 */
static void
forget_parts(JoinTable *head)
{
	if (!head->exact)
		memset(head->part, 0, sizeof(head->part));
}

/* Return true if a column has both bools. */
static bool
has_both(const Tablet *tablet, const TabletColumn *column)
{
	int			found = 0;

	for (uint32_t row = 0; row < tablet->nrows; row++)
		if (!tablet_is_null(tablet, column, row))
			found |= 1 << tablet_at(tablet, column->values)[row];
	return found == 3;
}

/* Check that every row with a key is found by its word. */
static void
expect_words(const JoinTable *head, const Tablet *tablet, const JoinKey *key)
{
	uint64_t   *words = (uint64_t *) guard_alloc(tablet->nrows * sizeof(uint64_t), 8);
	uint8_t    *nulls = (uint8_t *) guard_alloc(tablet->nrows, 1);
	const uint64_t bytes = join_table_bytes(head, tablet->nrows);
	JoinTable  *table = (JoinTable *) guard_alloc(bytes, 64);

	*table = *head;
	join_words(head, tablet, key, words, nulls);
	join_build(table, words, nulls, tablet->nrows);
	for (uint32_t row = 0; row < tablet->nrows; row++)
	{
		const uint64_t span = nulls[row] ? 0 : join_find(table, words[row]);
		bool		found = false;

		for (uint32_t n = 0; n < JOIN_SPAN_COUNT(span); n++)
			found |= join_row(table, JOIN_SPAN_FIRST(span) + n) == row;
		tap_expect(nulls[row] || found, "row %u of %u is not found", row, tablet->nrows);
	}
	guard_free(table, bytes, 64);
	guard_free(words, tablet->nrows * sizeof(uint64_t), 8);
	guard_free(nulls, tablet->nrows, 1);
}

static void
test_bounds(void)
{
	static const ColType types[] = {COLTYPE_I64, COLTYPE_I64, COLTYPE_I64, COLTYPE_BOOL, COLTYPE_U8, COLTYPE_I16, COLTYPE_I32, COLTYPE_U32, COLTYPE_I128};
	static const uint32_t sizes[] = {0, 1, 2, 3, 20, 100, 1000, 5000};
	uint32_t	seen = 0;

	tap_begin("plans by bounds are those by rows");
	for (int trial = 0; trial < (tap_short() ? 300 : 4000); trial++)
	{
		const uint32_t nrows = sizes[random_below(trial % 4 == 0 ? lengthof(sizes) : 5)];
		const uint16_t nkeys = (uint16_t) random_below(PARTS_MOST + 1);
		uint16_t	stored[PARTS_MOST];
		JoinKey		key[PARTS_MOST];
		JoinTable	by_rows;
		JoinTable	by_bounds;
		Tablet	   *tablet;
		bool		same = true;

		for (int c = 0; c < PARTS_MOST; c++)
			stored[c] = (uint16_t) types[random_below(lengthof(types))];
		tablet = tablet_make(stored, PARTS_MOST, nrows, 0);
		for (int c = 0; c < PARTS_MOST; c++)
			fill_column(tablet, c, random_below(12) == 0, stored[c] == COLTYPE_I64 && random_below(12) == 0);
		for (uint16_t p = 0; p < nkeys; p++)
		{
			const TabletColumn *column;

			key[p].column = (uint16_t) random_below(PARTS_MOST);
			key[p].form = JOIN_KEY_INTEGER;
			column = &tablet->column[key[p].column];
			same &= column->type != COLTYPE_BOOL || has_both(tablet, column);
			seen |= (nrows > 0 && column->null_count == nrows) << 4;
		}
		memset(&by_rows, 0xA5, sizeof(by_rows));
		memset(&by_bounds, 0x5A, sizeof(by_bounds));
		join_plan(&by_rows, tablet, key, nkeys);
		join_plan_of_bounds(&by_bounds, tablet, key, nkeys);
		expect_words(&by_bounds, tablet, key);
		forget_parts(&by_rows);
		forget_parts(&by_bounds);
		/* bounds of bools are not used, so a part may have a bit that it does not need */
		tap_expect(!same || descriptors_equal(&by_rows, &by_bounds), "%u rows by %u columns: exact %d and %d, direct %d and %d, places %llu and %llu", nrows,
				   nkeys, by_rows.exact, by_bounds.exact, by_rows.direct, by_bounds.direct, (unsigned long long) by_rows.nplaces,
				   (unsigned long long) by_bounds.nplaces);
		seen |= (same && nkeys > 1 && by_bounds.exact && by_bounds.direct) | (same && nkeys > 1 && by_bounds.exact && !by_bounds.direct) << 1 |
			(same && nkeys > 1 && !by_bounds.exact) << 2 | (same && by_bounds.npresent > 0) << 3 | (same && nrows == 0 && nkeys > 0) << 5;
		tablet_free(tablet);
	}
	tap_expect(seen == 63, "only %x of the cases came up", seen);
	tap_end();
}

/* Test floats and texts, whose bounds are not known. */
static void
test_floats(void)
{
	static const uint16_t stored[] = {COLTYPE_F64, COLTYPE_F32, COLTYPE_TEXT};

	tap_begin("columns without bounds have hashes");
	for (int c = 0; c < (int) lengthof(stored); c++)
	{
		Tablet	   *tablet = tablet_make(stored, lengthof(stored), 0, 0);
		JoinKey		key;
		JoinTable	head;

		key.column = (uint16_t) c;
		key.form = stored[c] == COLTYPE_TEXT ? JOIN_KEY_TEXT : JOIN_KEY_FLOAT;
		join_plan_of_bounds(&head, tablet, &key, 1);
		tap_expect(!head.exact && !head.direct && head.nparts == 1 && head.nplaces == 2 && head.npresent == 0, "column %d", c);
		tablet_free(tablet);
	}
	tap_end();
}

/* Blocks */

enum
{
	COL_KEY, COL_BOOL, COL_NUMBER, COL_WIDE, COL_FLOAT, COL_TEXT, COL_Count
};

static const uint16_t column_types[COL_Count] = {COLTYPE_I64, COLTYPE_BOOL, COLTYPE_I32, COLTYPE_I128, COLTYPE_F64, COLTYPE_TEXT};

/* Bytes of the descriptor of rows with the most columns that there may be. */
#define DESCRIPTORS_BYTES (sizeof(Tablet) + PROGRAM_MAX_COLUMNS * sizeof(TabletColumn))

/* The kinds of tables. */
typedef enum TableKind
{
	DIRECT_UNIQUE, DIRECT_MANY, SLOTS_UNIQUE, SLOTS_MANY, SLOTS_PRESENT, SORTED, TableKind_Count
} TableKind;

static const char *const kind_name[] = {"unique places", "places", "unique slots", "slots", "slots with a bitmap", "sorted words"};

/* A table and its rows in one block, which ends with the rows' last byte. */
typedef struct Block
{
	TableKind	kind;
	uint64_t	bytes;
	uint64_t	rows_at;
	uint8_t    *block;
	JoinTable  *table;
	Tablet	   *rows;
} Block;

/* Descriptors of a block, to be changed. */
typedef struct Descriptors
{
	JoinTable	table;
	Tablet	   *rows;
	uint64_t	bytes;
	uint64_t	rows_at;
} Descriptors;

static Tablet *
make_rows(TableKind kind)
{
	const uint32_t nrows = ROWS;
	Tablet	   *rows = tablet_make(column_types, COL_Count, nrows, nrows * 3);

	for (uint32_t row = 0; row < nrows; row++)
	{
		const uint64_t number = kind == DIRECT_MANY || kind == SLOTS_MANY ? row / 2 : row;
		const uint64_t apart = kind == SLOTS_UNIQUE || kind == SLOTS_MANY ? UINT64_C(1) << 50 : kind == SLOTS_PRESENT ? 400 : 1;

		tablet_set_int(rows, COL_KEY, row, (int64_t) (number * apart));
		tablet_set_int(rows, COL_BOOL, row, row % 2);
		tablet_set_int(rows, COL_NUMBER, row, row);
		tablet_set_int(rows, COL_WIDE, row, row);
		tablet_set_float(rows, COL_FLOAT, row, row);
		tablet_set_text(rows, COL_TEXT, row, "abc", 3);
	}
	for (int c = 1; c < COL_Count; c++)
		tablet_set_null(rows, c, ROWS - 1);
	return rows;
}

static void
make_block(Block *b, TableKind kind)
{
	Tablet	   *rows = make_rows(kind);
	uint64_t	words[ROWS];
	uint8_t		nulls[ROWS];
	JoinKey		key;
	JoinTable	head;
	JoinTable  *table;
	uint64_t	room;

	key.column = COL_KEY;
	key.form = JOIN_KEY_INTEGER;
	if (kind == SORTED)
		join_plan_sorted(&head, rows, &key);
	else
		join_plan(&head, rows, &key, 1);
	room = join_table_bytes(&head, rows->nrows);
	table = (JoinTable *) guard_alloc(room, 64);
	*table = head;
	join_words(&head, rows, &key, words, nulls);
	if (kind == SORTED)
		join_sort(table, rows, words, nulls);
	else
		join_build(table, words, nulls, rows->nrows);
	b->kind = kind;
	b->rows_at = table->size;
	b->bytes = b->rows_at + rows->size;
	b->block = (uint8_t *) guard_alloc(b->bytes, 64);
	memcpy(b->block, table, table->size);
	memcpy(b->block + b->rows_at, rows, rows->size);
	b->table = (JoinTable *) b->block;
	b->rows = (Tablet *) (b->block + b->rows_at);
	guard_free(table, room, 64);
	tablet_free(rows);
}

/* Return the bytes of the index of a block's table, from its kind alone. */
static uint64_t
index_of(const Block *b)
{
	if (b->kind == SORTED)
		return b->table->nrows * sizeof(uint64_t);
	return b->kind == DIRECT_UNIQUE ? b->table->nplaces * 4 : b->kind == DIRECT_MANY ? (b->table->nplaces + 1) * 4
		: b->table->nplaces * sizeof(JoinSlot);
}

static void
expect_verified(const Block *b, const Descriptors *h, bool want, const char *what)
{
	tap_expect(join_verify(&h->table, h->rows, h->bytes, h->rows_at) == want, "%s: %s is %s", kind_name[b->kind], what, want ? "refused" : "accepted");
}

/* Copy the descriptors of a block. */
static void
descriptors_of(const Block *b, Descriptors *h)
{
	h->table = *b->table;
	memset(h->rows, 0, DESCRIPTORS_BYTES);
	memcpy(h->rows, b->rows, sizeof(Tablet) + COL_Count * sizeof(TabletColumn));
	h->bytes = b->bytes;
	h->rows_at = b->rows_at;
}

/* Check the descriptors with one field set to a value. */
#define TRY(field, value, want, what) \
	do { \
		descriptors_of(b, h); \
		(field) = (value); \
		expect_verified(b, h, want, what); \
	} while (0)

static void
change_table(const Block *b, Descriptors *h)
{
	JoinTable  *t = &h->table;
	const uint64_t end = b->rows_at;
	const uint64_t far[] = {UINT64_MAX, UINT64_MAX - 7, UINT64_MAX - 63, (uint64_t) INT64_MAX + 1, UINT32_MAX, end + 64, end};
	const bool	direct = b->kind <= DIRECT_MANY;
	const uint64_t unit = direct ? 4 : sizeof(JoinSlot);

	TRY(t->index, (end - index_of(b)) & ~(uint64_t) 7, true, "the last index");
	TRY(t->index, ((end - index_of(b)) & ~(uint64_t) 7) + 8, false, "an index behind the last");
	TRY(t->index, t->index + 4, false, "an index that is not aligned");
	TRY(t->index, t->index + 1, false, "an index at an odd place");
	for (size_t i = 0; i < lengthof(far); i++)
		TRY(t->index, far[i], false, "an index far out");
	/* sorted words have no places */
	TRY(t->nplaces, 0, b->kind == SORTED, "no place");
	TRY(t->nplaces, (uint64_t) 1 << 32, b->kind == SORTED, "2^32 places");
	TRY(t->nplaces, (uint64_t) 1 << 62, b->kind == SORTED, "2^62 places");
	TRY(t->nplaces, (uint64_t) 1 << 63, b->kind == SORTED, "2^63 places");
	TRY(t->nplaces, UINT64_MAX, b->kind == SORTED, "2^64 - 1 places");
	/* slots have room for sorted words */
	TRY(t->sorted, 1, b->kind == SORTED || b->kind == SLOTS_MANY, "words that are taken for sorted ones");
	if (b->kind == SORTED)
	{
		TRY(t->direct, 1, false, "sorted words taken for places");
		TRY(t->unique, 1, false, "sorted words that are unique");
		TRY(t->present, 64, false, "sorted words with a bitmap");
	}
	else if (direct)
	{
		TRY(t->nplaces, (end - t->index) / unit - (b->kind == DIRECT_MANY), true, "as many places as there is room for");
		TRY(t->nplaces, (end - t->index) / unit + (b->kind == DIRECT_UNIQUE), false, "a place too many");
	}
	else
	{
		TRY(t->nplaces, t->nplaces - 1, false, "slots less one");
		TRY(t->nplaces, t->nplaces + 1, false, "slots and one");
		TRY(t->nplaces, t->nplaces / 2 * 3, false, "slots and a half");
		TRY(t->nplaces, t->nplaces / 2, true, "half of the slots");
		TRY(t->nplaces, t->nplaces * 1024, false, "many more slots");
		TRY(t->direct, 1, true, "slots taken for places, which need less");
	}
	for (int p = JOIN_MAX_PARTS + 1; p <= UINT16_MAX; p = p * 2 - 1)
		TRY(t->nparts, (uint16_t) p, false, "parts too many");
	for (int p = 0; p < JOIN_MAX_PARTS; p++)
	{
		descriptors_of(b, h);
		t->nparts = JOIN_MAX_PARTS;
		t->part[p].shift = 63;
		expect_verified(b, h, true, "a part of one bit");
		t->part[p].shift = 64;
		expect_verified(b, h, false, "a part of no bit");
		t->part[p].shift = UINT32_MAX;
		expect_verified(b, h, false, "a part far out");
	}
}

static void
change_row_numbers(const Block *b, Descriptors *h)
{
	JoinTable  *t = &h->table;
	const uint64_t end = b->rows_at;
	const bool	unique = b->table->unique;

	TRY(t->rows, t->rows + 1, false, "row numbers that are not aligned");
	TRY(t->rows, t->rows + 2, false, "row numbers that are half aligned");
	if (b->kind == SORTED)
	{
		TRY(t->rows, end + 4, true, "no row numbers, wherever");
		TRY(t->nrows, h->rows->nrows, true, "all rows");
		TRY(t->nrows, h->rows->nrows + 1, false, "a row too many");
		TRY(t->nrows, UINT32_MAX, false, "2^32 - 1 rows");
		return;
	}
	/* unique tables have no row numbers */
	TRY(t->nrows, UINT32_MAX, unique, "2^32 - 1 row numbers");
	TRY(t->rows, UINT64_MAX - 3, unique, "row numbers at the very end");
	TRY(t->rows, end + 4, unique, "row numbers behind the block");
	TRY(t->rows, (uint64_t) 1 << 63, unique, "row numbers far out");
	if (unique)
	{
		descriptors_of(b, h);
		t->unique = 0;
		t->rows = end - 4 * (uint64_t) t->nrows + 4;
		expect_verified(b, h, false, "not unique, and with a row number too many");
		return;
	}
	TRY(t->rows, end - 4 * (uint64_t) t->nrows, true, "the last row numbers");
	TRY(t->rows, end - 4 * (uint64_t) t->nrows + 4, false, "a row number too many");
	descriptors_of(b, h);
	t->nrows = (uint32_t) ((end - t->rows) / 4);
	expect_verified(b, h, true, "as many row numbers as there is room for");
	t->nrows++;
	expect_verified(b, h, false, "row numbers and one");
}

static void
change_bitmap(const Block *b, Descriptors *h)
{
	JoinTable  *t = &h->table;
	const uint64_t end = b->rows_at;
	uint64_t	room;

	descriptors_of(b, h);
	if (b->kind != SLOTS_PRESENT)
	{
		t->npresent = UINT64_MAX;
		expect_verified(b, h, true, "no bitmap, of however many bits");
		t->present = 64;
		expect_verified(b, h, false, "a bitmap of 2^64 - 1 bits");
		return;
	}
	tap_expect(t->present != 0, "there is no bitmap");
	room = (end - t->present) / 4 * 32;
	TRY(t->npresent, room, true, "as many bits as there is room for");
	TRY(t->npresent, room + 1, false, "a bit too many");
	for (uint32_t less = 0; less < 64; less++)
		TRY(t->npresent, UINT64_MAX - less, false, "about 2^64 bits");
	TRY(t->npresent, (uint64_t) 1 << 37, false, "2^37 bits");
	TRY(t->present, t->present + 1, false, "a bitmap at an odd place");
	TRY(t->present, t->present + 2, false, "a bitmap that is half aligned");
	TRY(t->present, end, false, "a bitmap behind the block");
	TRY(t->present, end + 4, false, "a bitmap far behind the block");
	TRY(t->present, UINT64_MAX - 3, false, "a bitmap at the very end");
	TRY(t->present, (end - (t->npresent + 31) / 32 * 4) & ~(uint64_t) 3, true, "the last bitmap");
	TRY(t->present, ((end - (t->npresent + 31) / 32 * 4) & ~(uint64_t) 3) + 4, false, "a bitmap behind the last");
	TRY(t->present, 0, true, "no bitmap");
}

static void
change_columns(const Block *b, Descriptors *h)
{
	const uint64_t left = b->bytes - b->rows_at;

	for (int c = 0; c < COL_Count; c++)
	{
		TabletColumn *column = &h->rows->column[c];
		const uint32_t each = coltype_bytes((ColType) column_types[c]);
		const uint64_t last = (left - (uint64_t) each * b->rows->nrows) / each * each;

		TRY(column->type, COLTYPE_Count, false, "a type too many");
		TRY(column->type, UINT16_MAX, false, "type 65535");
		TRY(column->shift, 1, false, "an encoding's shift of what has none");
		TRY(column->base, 1, false, "an encoding's base of what has none");
		TRY(column->null_count, b->rows->nrows, true, "as many NULLs as rows");
		TRY(column->null_count, b->rows->nrows + 1, false, "a NULL too many");
		TRY(column->values, last, true, "the last values");
		TRY(column->values, last + each, false, "values behind the last");
		TRY(column->values, left, false, "values behind the block");
		TRY(column->values, left + each, false, "values far behind the block");
		TRY(column->values, 0 - (uint64_t) each, false, "values at the very end");
		if (each > 1)
			TRY(column->values, column->values + each / 2, false, "values that are not aligned");
		descriptors_of(b, h);
		column->null_count = 1;
		column->nulls = left - tablet_bitmap_bytes(b->rows->nrows);
		expect_verified(b, h, true, "the last bitmap of NULLs");
		column->nulls++;
		expect_verified(b, h, false, "a bitmap of NULLs behind the last");
		column->nulls = UINT64_MAX;
		expect_verified(b, h, false, "a bitmap of NULLs at the very end");
		column->null_count = 0;
		expect_verified(b, h, true, "a bitmap of no NULLs, anywhere");
	}
	/* frame-of-reference encoded values */
	TRY(h->rows->column[COL_NUMBER].type, COLTYPE_U32, true, "integers without a sign");
	h->rows->column[COL_NUMBER].base = -7;
	h->rows->column[COL_NUMBER].shift = 63;
	expect_verified(b, h, true, "an encoding");
	h->rows->column[COL_NUMBER].shift = 64;
	expect_verified(b, h, false, "a shift of 64 bits");
	h->rows->column[COL_NUMBER].type = COLTYPE_SAME;
	h->rows->column[COL_NUMBER].shift = 0;
	h->rows->column[COL_NUMBER].values = UINT64_MAX;
	expect_verified(b, h, true, "no values, anywhere");
}

static void
change_rows(const Block *b, Descriptors *h)
{
	const uint64_t left = b->bytes - b->rows_at;

	TRY(h->rows->nrows, UINT32_MAX, false, "2^32 - 1 rows");
	TRY(h->rows->nrows, UINT32_MAX - 1, false, "2^32 - 2 rows");
	TRY(h->rows->nrows, h->rows->nrows + (uint32_t) (left / 8), false, "many more rows");
	TRY(h->rows->nrows, 1, b->kind != SORTED, "one row, which may be NULL");
	TRY(h->rows->ncols, PROGRAM_MAX_COLUMNS + 1, false, "columns too many");
	TRY(h->rows->ncols, UINT32_MAX, false, "2^32 - 1 columns");
	TRY(h->rows->ncols, 0, true, "no columns");
	TRY(h->rows->var, left - h->rows->var_used, true, "the last texts");
	TRY(h->rows->var, left - h->rows->var_used + 1, false, "texts behind the last");
	TRY(h->rows->var, left + 1, false, "texts behind the block");
	TRY(h->rows->var, UINT64_MAX, false, "texts at the very end");
	TRY(h->rows->var_used, left - h->rows->var, true, "as many texts as there is room for");
	TRY(h->rows->var_used, left - h->rows->var + 1, false, "a byte too many of texts");
	TRY(h->rows->var_used, UINT64_MAX, false, "2^64 - 1 bytes of texts");
	TRY(h->rows->var_used, 0 - h->rows->var, false, "texts that end where the block begins");
	TRY(h->rows_at, h->rows_at + 32, false, "rows that are not aligned");
	TRY(h->rows_at, h->rows_at + 64, false, "rows that begin later");
	TRY(h->rows_at, h->rows_at - 64, b->table->size + 64 <= b->rows_at, "rows that begin in the table");
	TRY(h->rows_at, (h->bytes + 64) & ~(uint64_t) 63, false, "rows behind the block");
	TRY(h->rows_at, 0 - (uint64_t) 64, false, "rows far behind the block");
	TRY(h->bytes, h->rows_at, false, "a block without rows");
	TRY(h->bytes, h->rows_at - 64, false, "a block without all of the table");
	TRY(h->bytes, 0, false, "no block");
}

static void
test_descriptors(void)
{
	Descriptors	h;

	h.rows = (Tablet *) guard_alloc(DESCRIPTORS_BYTES, 8);
	tap_begin("descriptors that lead out of their block");
	for (int kind = 0; kind < TableKind_Count; kind++)
	{
		Block		b;

		make_block(&b, (TableKind) kind);
		tap_expect(b.table->direct == (kind <= DIRECT_MANY) && b.table->unique == (kind != DIRECT_MANY && kind != SLOTS_MANY && kind != SORTED) &&
				   b.table->sorted == (kind == SORTED) &&
				   (b.table->present != 0) == (kind == SLOTS_PRESENT), "%s: direct %d, unique %d, bitmap at %llu", kind_name[kind],
				   b.table->direct, b.table->unique, (unsigned long long) b.table->present);
		descriptors_of(&b, &h);
		expect_verified(&b, &h, true, "the block as it is");
		change_table(&b, &h);
		change_row_numbers(&b, &h);
		change_bitmap(&b, &h);
		change_columns(&b, &h);
		change_rows(&b, &h);
		guard_free(b.block, b.bytes, 64);
	}
	tap_end();
	guard_free(h.rows, DESCRIPTORS_BYTES, 8);
}

/* Read every position of accepted descriptors: none of them may be outside the block. */
static void
touch(const Block *b, const Descriptors *h)
{
	const JoinTable *t = &h->table;
	const uint8_t *const rows = b->block + h->rows_at;
	volatile uint8_t sink = 0;

	if (t->sorted && t->nrows > 0)
		sink = b->block[t->index + (uint64_t) t->nrows * sizeof(uint64_t) - 1];
	if (!t->sorted)
		sink = b->block[t->index + (t->direct ? (t->nplaces + !t->unique) * 4 : t->nplaces * sizeof(JoinSlot)) - 1];
	if (!t->unique && !t->sorted && t->nrows > 0)
		sink = b->block[t->rows + (uint64_t) t->nrows * 4 - 1];
	if (t->present != 0 && t->npresent > 0)
		sink = b->block[t->present + (t->npresent - 1) / 32 * 4 + 3];
	for (uint32_t c = 0; c < h->rows->ncols; c++)
	{
		const TabletColumn *column = &h->rows->column[c];
		const uint64_t each = coltype_bytes((ColType) column->type);

		if (each * h->rows->nrows > 0)
			sink = rows[column->values + each * h->rows->nrows - 1];
		if (column->null_count > 0)
			sink = rows[column->nulls + tablet_bitmap_bytes(h->rows->nrows) - 1];
	}
	if (h->rows->var_used > 0)
		sink = rows[h->rows->var + h->rows->var_used - 1];
	(void) sink;
}

static void
change_words(Descriptors *h)
{
	uint64_t   *table = (uint64_t *) &h->table;
	uint64_t   *rows = (uint64_t *) h->rows;
	const size_t ntable = sizeof(JoinTable) / 8;
	const size_t nrows = (sizeof(Tablet) + COL_Count * sizeof(TabletColumn)) / 8;

	for (uint32_t n = 1 + random_below(3); n > 0; n--)
	{
		uint64_t   *word = random_below(2) ? &table[random_below((uint32_t) ntable)] : &rows[random_below((uint32_t) nrows)];

		switch (random_below(5))
		{
			case 0: *word += random_below(257) - (uint64_t) 128; break;
			case 1: *word ^= UINT64_C(1) << random_below(64); break;
			case 2: *word = 0 - (uint64_t) random_below(300); break;
			case 3: *word = random_u64() >> random_below(64); break;
			default: *word = *word << 1 | (*word >> 63); break;
		}
	}
}

static void
touch_changed(void *arg, Progress *progress)
{
	const Block *b = (const Block *) arg;
	Descriptors	h;

	h.rows = (Tablet *) guard_alloc(DESCRIPTORS_BYTES, 8);
	for (long trial = progress->at; trial < (tap_short() ? 20000 : 200000); trial++)
	{
		random_seed((uint64_t) trial);
		progress->at = trial + 1;
		snprintf(progress->note, sizeof(progress->note), "%s, trial %ld", kind_name[b->kind], trial);
		descriptors_of(b, &h);
		change_words(&h);
		if (join_verify(&h.table, h.rows, h.bytes, h.rows_at))
		{
			progress->trials++;
			touch(b, &h);
		}
	}
	guard_free(h.rows, DESCRIPTORS_BYTES, 8);
}

static void
test_random_descriptors(void)
{
	tap_begin("refused or inside: random changes of descriptors");
	for (int kind = 0; kind < TableKind_Count; kind++)
	{
		Progress   *progress = progress_make();
		Block		b;

		make_block(&b, (TableKind) kind);
		tap_expect(survives(touch_changed, &b, progress), "accepted, but it leads outside: %s", progress->note);
		tap_expect(progress->trials > 1000, "only %ld were accepted", progress->trials);
		guard_free(b.block, b.bytes, 64);
	}
	tap_end();
}

int
main(void)
{
	test_bounds();
	test_floats();
	test_descriptors();
	test_random_descriptors();
	return tap_done();
}

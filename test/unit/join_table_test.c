/*
 * join_table_test.c
 *		Tables of joins: the rows that a key finds, compared with examining each row.
 *
 * Keys of one to eight columns of every kind, with NULLs, duplicates, one key
 * that most rows have, and none at all; words that span up to 64 bits and
 * more; words given by hand, so that they are equal, or meet in one slot.  A
 * finished table lies in a block of its size between guards.  Slices of its rows
 * are compared with all of them.
 */
#include "core/join/join_build.h"
#include "core/join/join_slice.h"
#include "fixture.h"
#include "guard.h"
#include "tap.h"

#define ROWS_MOST	2500
#define POOL		2048
#define TEXT_ROOM	12
#define GARBAGE		UINT64_C(0xd1d2d3d4d5d6d7d8)

static const uint16_t types[] = {
	COLTYPE_BOOL, COLTYPE_U8, COLTYPE_I16, COLTYPE_I32, COLTYPE_U32, COLTYPE_I64, COLTYPE_I128, COLTYPE_F32, COLTYPE_F64, COLTYPE_TEXT
};

typedef struct Value
{
	bool		null;
	uint8_t		length;			/* length of the text */
	char		text[TEXT_ROOM];
	Wide		integer;
	double		real;
} Value;

/* Distributions of a column's values. */
typedef enum Spread
{
	SPREAD_DENSE, SPREAD_EDGES, SPREAD_ANY, SPREAD_BITS, SPREAD_Count
} Spread;

/* A column, and a pool of values that its rows may have. */
typedef struct Column
{
	uint16_t	type;
	uint32_t	npool;
	Value		pool[POOL];
	Value		rows[ROWS_MOST];
} Column;

typedef struct Sample
{
	uint32_t	nrows;
	uint16_t	nkeys;
	uint32_t	ncolumns;
	JoinKey		key[JOIN_MAX_PARTS];
	Tablet	   *tablet;
	uint64_t   *words;
	uint8_t    *nulls;
	JoinTable	head;
	JoinTable  *table;
} Sample;

static Column columns[JOIN_MAX_PARTS];

/* Values */

/* Return an integer truncated to a type. */
static Wide
integer_in(uint16_t type, Wide value)
{
	const uint32_t spare = 128 - 8 * coltype_bytes((ColType) type);
	const UWide high = (UWide) value << spare;

	if (type == COLTYPE_BOOL)
		return value & 1;
	return type == COLTYPE_U8 || type == COLTYPE_U32 ? (Wide) (high >> spare) : (Wide) high >> spare;
}

static Wide
edge_of(uint16_t type)
{
	const Wide	edges[] = {INT16_MIN, INT16_MAX, INT32_MIN, INT32_MAX, UINT32_MAX, INT64_MIN, INT64_MAX, 0, -1, 1, UINT8_MAX};

	return integer_in(type, type == COLTYPE_I128 && random_below(4) == 0 ? random_wide() : edges[random_below(lengthof(edges))]);
}

static double
any_double(uint16_t type)
{
	const double value = random_double();

	return type == COLTYPE_F32 ? (double) (float) value : value;
}

static void
random_text(Value *v)
{
	v->length = (uint8_t) random_below(TEXT_ROOM);
	for (uint32_t i = 0; i < v->length; i++)
		v->text[i] = "ab \xC3"[random_below(4)];
	for (uint32_t i = v->length, blanks = random_below(4); i > 0 && blanks-- > 0; i--)
		v->text[i - 1] = ' ';
}

static void
fill_pool(Column *column, Spread spread, uint32_t npool)
{
	const Wide	base = column->type == COLTYPE_I128 && random_below(3) == 0 ? random_wide() / 4 : random_int64() / 4;
	const uint32_t bits = random_below(65);

	column->npool = npool;
	for (uint32_t p = 0; p < npool; p++)
	{
		Value	   *v = &column->pool[p];

		memset(v, 0, sizeof(*v));
		if (spread == SPREAD_DENSE)
			v->integer = base + p;
		else if (spread == SPREAD_EDGES)
			v->integer = edge_of(column->type);
		else if (spread == SPREAD_ANY)
			v->integer = column->type == COLTYPE_I128 ? random_wide() : (Wide) random_int64();
		else
			v->integer = base + (Wide) (bits == 0 ? 0 : random_u64() >> (64 - bits));
		v->integer = integer_in(column->type, v->integer);
		v->real = spread == SPREAD_DENSE ? (double) p : any_double(column->type);
		random_text(v);
	}
}

static bool
value_equal(const JoinKey *key, const Value *a, const Value *b)
{
	const uint16_t type = columns[key->column].type;

	if (type == COLTYPE_TEXT)
	{
		const bool	trimmed = key->form == JOIN_KEY_TRIMMED;
		uint32_t	alen = a->length;
		uint32_t	blen = b->length;

		while (trimmed && alen > 0 && a->text[alen - 1] == ' ')
			alen--;
		while (trimmed && blen > 0 && b->text[blen - 1] == ' ')
			blen--;
		return alen == blen && memcmp(a->text, b->text, alen) == 0;
	}
	if (type == COLTYPE_F32 || type == COLTYPE_F64)
		return a->real == b->real || (a->real != a->real && b->real != b->real);
	return a->integer == b->integer;
}

static void
store(Tablet *tablet, int c, uint32_t row, const Value *v)
{
	const uint16_t type = columns[c].type;

	if (type == COLTYPE_TEXT)
		tablet_set_text(tablet, c, row, v->text, v->length);
	else if (type == COLTYPE_F32 || type == COLTYPE_F64)
		tablet_set_float(tablet, c, row, v->real);
	else
		tablet_set_int(tablet, c, row, v->integer);
	if (!v->null)
		return;
	tablet_set_null(tablet, c, row);
	/* the value of a NULL row has no meaning */
	if (type != COLTYPE_TEXT && type != COLTYPE_BOOL && random_below(2))
		tablet_set_int(tablet, c, row, (Wide) ((UWide) GARBAGE << 64 | GARBAGE));
}

/* Samples */

/* Fill rows with values of the columns' pools: in turn, mostly of one, or any. */
static void
fill_rows(Sample *s)
{
	const uint32_t order = random_below(3);

	for (uint32_t c = 0; c < s->ncolumns; c++)
	{
		const uint32_t nulls = random_below(3) ? 0 : 1 + random_below(20);

		for (uint32_t row = 0; row < s->nrows; row++)
		{
			Column	   *column = &columns[c];
			uint32_t	p = order == 0 ? row : order == 1 && random_below(20) ? 0 : random_below(column->npool);

			column->rows[row] = column->pool[p % column->npool];
			column->rows[row].null = nulls > 0 && (random_below(nulls) == 0 || nulls == 20);
		}
	}
}

static void
make_empty_tablet(Sample *s)
{
	uint16_t	stored[JOIN_MAX_PARTS];

	for (uint32_t c = 0; c < s->ncolumns; c++)
		stored[c] = columns[c].type;
	s->tablet = tablet_make(stored, s->ncolumns, s->nrows, (uint64_t) s->nrows * s->ncolumns * TEXT_ROOM);
}

static void
make_tablet(Sample *s)
{
	make_empty_tablet(s);
	for (uint32_t c = 0; c < s->ncolumns; c++)
		for (uint32_t row = 0; row < s->nrows; row++)
			store(s->tablet, (int) c, row, &columns[c].rows[row]);
}

/* Build a table of words, and return it in a block of exactly its size. */
static JoinTable *
build_table(const JoinTable *head, const uint64_t *words, const uint8_t *nulls, uint32_t nrows)
{
	const uint64_t bytes = join_table_bytes(head, nrows);
	JoinTable  *table = (JoinTable *) guard_alloc(bytes, 64);
	JoinTable  *copy;

	*table = *head;
	join_build(table, words, nulls, nrows);
	if (!tap_expect(table->size <= bytes, "%llu bytes instead of %llu", (unsigned long long) table->size, (unsigned long long) bytes))
		return table;
	copy = (JoinTable *) guard_alloc(table->size, 64);
	memcpy(copy, table, table->size);
	guard_free(table, bytes, 64);
	return copy;
}

/* Run the parts of a task, the last one first: none may depend on another. */
static void
run_backwards(const JoinHelpers *helpers, void (*work) (void *arg, uint32_t part), void *arg)
{
	for (uint32_t part = helpers->parts; part-- > 0;)
		work(arg, part);
}

/* Return true if two tables find the same rows for a word, in the same order. */
static bool
same_rows(const JoinTable *a, const JoinTable *b, uint64_t word)
{
	const uint64_t of_a = join_find(a, word);
	const uint64_t of_b = join_find(b, word);
	bool		same = JOIN_SPAN_COUNT(of_a) == JOIN_SPAN_COUNT(of_b);

	for (uint32_t k = 0; k < JOIN_SPAN_COUNT(of_a) && same; k++)
		same = join_row(a, JOIN_SPAN_FIRST(of_a) + k) == join_row(b, JOIN_SPAN_FIRST(of_b) + k);
	return same;
}

/* Check that a sample's table, built in parts, equals the one built at once. */
static void
check_parts(const Sample *s, uint32_t parts)
{
	const JoinHelpers helpers = {.parts = parts, .run = run_backwards};
	const uint64_t bytes = join_table_bytes(&s->head, s->nrows);
	JoinTable  *table = (JoinTable *) guard_alloc(bytes, 64);
	uint64_t   *words = (uint64_t *) guard_alloc(join_fill_words(s->nrows) * sizeof(uint64_t), 8);
	uint8_t    *nulls = (uint8_t *) guard_alloc(s->nrows, 1);
	bool		same;

	*table = s->head;
	join_fill(table, s->tablet, s->key, words, nulls, &helpers);
	same = table->size == s->table->size && table->nrows == s->table->nrows && table->unique == s->table->unique &&
		memcmp(words, s->words, s->nrows * sizeof(uint64_t)) == 0 && memcmp(nulls, s->nulls, s->nrows) == 0;
	for (uint32_t row = 0; row < s->nrows && same; row++)
		same = same_rows(table, s->table, s->words[row]) && same_rows(table, s->table, s->words[row] + 1) &&
			(table->present == 0 || s->nulls[row] || join_present((const uint32_t *) join_at(table, table->present), s->words[row]));
	tap_expect(same, "a table of %u rows made in %u parts differs", s->nrows, parts);
	guard_free(table, bytes, 64);
	guard_free(words, join_fill_words(s->nrows) * sizeof(uint64_t), 8);
	guard_free(nulls, s->nrows, 1);
}

static void
build_sample(Sample *s)
{
	make_tablet(s);
	memset(&s->head, 0xA5, sizeof(s->head));
	join_plan(&s->head, s->tablet, s->key, s->nkeys);
	s->words = (uint64_t *) guard_alloc(s->nrows * sizeof(uint64_t), 8);
	s->nulls = (uint8_t *) guard_alloc(s->nrows, 1);
	join_words(&s->head, s->tablet, s->key, s->words, s->nulls);
	s->table = build_table(&s->head, s->words, s->nulls, s->nrows);
	check_parts(s, 1);
	check_parts(s, 2);
	check_parts(s, 3);
	check_parts(s, JOIN_MOST_PARTS);
}

static void
drop_sample(Sample *s)
{
	guard_free(s->words, s->nrows * sizeof(uint64_t), 8);
	guard_free(s->nulls, s->nrows, 1);
	guard_free(s->table, s->table->size, 64);
	tablet_free(s->tablet);
}

static const Value *
value_of(const Sample *s, uint32_t part, uint32_t row)
{
	return &columns[s->key[part].column].rows[row];
}

static bool
row_is_null(const Sample *s, uint32_t row)
{
	for (uint32_t p = 0; p < s->nkeys; p++)
		if (value_of(s, p, row)->null)
			return true;
	return false;
}

static bool
row_has_key(const Sample *s, uint32_t row, const Value *const *probe)
{
	if (row_is_null(s, row))
		return false;
	for (uint32_t p = 0; p < s->nkeys; p++)
		if (!value_equal(&s->key[p], value_of(s, p, row), probe[p]))
			return false;
	return true;
}

/* Compute the word of a key as programs do; *miss is set if no row has it. */
static uint64_t
probe_word(const Sample *s, const Value *const *probe, uint32_t *miss)
{
	uint64_t	word = 0;

	*miss = 0;
	for (uint32_t p = 0; p < s->nkeys; p++)
	{
		const Value *v = probe[p];
		const uint16_t type = columns[s->key[p].column].type;
		const bool	real = type == COLTYPE_F32 || type == COLTYPE_F64;
		const Wide	integer = real ? (Wide) join_float_word(v->real) : v->integer;

		if (type == COLTYPE_TEXT)
			word = hash_combine(word, hash_bytes((const uint8_t *) v->text, s->key[p].form == JOIN_KEY_TRIMMED
												 ? text_trimmed((const uint8_t *) v->text, v->length) : v->length));
		else if (s->head.exact)
			word |= type == COLTYPE_I128 ? join_part_wide(&s->head.part[p], integer, miss)
				: join_part_word(&s->head.part[p], (int64_t) integer, miss);
		else
			word = hash_combine(word, type == COLTYPE_I128 ? join_wide_word(integer) : (uint64_t) integer);
	}
	return word;
}

/* Check that the rows of a word's span are those with the word, in order. */
static void
expect_rows(const JoinTable *table, const uint64_t *words, const uint8_t *nulls, uint32_t nrows, uint64_t word)
{
	const uint64_t span = join_find(table, word);
	const uint32_t count = JOIN_SPAN_COUNT(span);
	uint32_t	n = 0;

	for (uint32_t row = 0; row < nrows; row++)
		if (!nulls[row] && words[row] == word)
		{
			if (n < count && join_row(table, JOIN_SPAN_FIRST(span) + n) != row)
				break;
			n++;
		}
	if (table->present != 0 && word < table->npresent)
		tap_expect(join_present((const uint32_t *) join_at(table, table->present), word) == (n > 0), "word %llx of %u rows: its bit is wrong",
				   (unsigned long long) word, nrows);
	tap_expect(n == count, "word %llx of %u rows: %u found, and number %u is wrong or missing", (unsigned long long) word, nrows, count, n);
}

/* Check that a table with one row of each word has the first. */
static void
expect_first_rows(const JoinTable *head, const uint64_t *words, const uint8_t *nulls, uint32_t nrows)
{
	JoinTable	some = *head;
	JoinTable  *table;

	some.some = true;
	table = build_table(&some, words, nulls, nrows);
	tap_expect(table->unique, "a word has several rows");
	for (uint32_t row = nrows; row-- > 0;)
	{
		uint64_t	span;
		uint32_t	first = 0;

		if (nulls[row] || random_below(nrows) > 40)
			continue;
		span = join_find(table, words[row]);
		while (nulls[first] || words[first] != words[row])
			first++;
		tap_expect(JOIN_SPAN_COUNT(span) == 1 && join_row(table, JOIN_SPAN_FIRST(span)) == first, "row %u instead of %u", JOIN_SPAN_FIRST(span), first);
	}
	guard_free(table, table->size, 64);
}

static int
compare_words(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *) a;
	const uint64_t y = *(const uint64_t *) b;

	return (x > y) - (x < y);
}

/* Check a table's descriptor, and the rows of each word. */
static void
expect_table(const JoinTable *table, const uint64_t *words, const uint8_t *nulls, uint32_t nrows)
{
	uint64_t   *sorted = (uint64_t *) malloc((nrows + 1) * sizeof(uint64_t));
	uint32_t	n = 0;
	uint32_t	distinct = 0;

	for (uint32_t row = 0; row < nrows; row++)
		if (!nulls[row])
			sorted[n++] = words[row];
	qsort(sorted, n, sizeof(uint64_t), compare_words);
	for (uint32_t i = 0; i < n; i++)
		if (i == 0 || sorted[i] != sorted[i - 1])
		{
			distinct++;
			if (distinct < 40 || random_below(16) == 0)
			{
				expect_rows(table, words, nulls, nrows, sorted[i]);
				expect_rows(table, words, nulls, nrows, sorted[i] + 1);
				expect_rows(table, words, nulls, nrows, sorted[i] - 1);
			}
		}
	for (int i = 0; i < 8; i++)
		expect_rows(table, words, nulls, nrows, i < 4 ? random_u64() : random_below(nrows + 2));
	expect_rows(table, words, nulls, nrows, 0);
	expect_rows(table, words, nulls, nrows, UINT64_MAX);
	tap_expect(table->nrows == n, "%u rows can be found, not %u", table->nrows, n);
	tap_expect(table->unique == (distinct == n), "unique is %d: %u words of %u rows", table->unique, distinct, n);
	free(sorted);
}

/* Return the bits of a key whose parts are side by side, or 1000 if no word can hold it. */
static uint32_t
bits_of_key(const Sample *s)
{
	uint32_t	bits = 0;

	for (uint32_t p = 0; p < s->nkeys; p++)
	{
		const uint16_t type = columns[s->key[p].column].type;
		bool		any = false;
		Wide		least = 0;
		Wide		largest = 0;
		UWide		span;

		if (type == COLTYPE_TEXT)
			return 1000;
		for (uint32_t row = 0; row < s->nrows; row++)
		{
			const Value *v = value_of(s, p, row);
			const Wide	integer = type == COLTYPE_F32 || type == COLTYPE_F64 ? (Wide) join_float_word(v->real) : v->integer;

			if (v->null)
				continue;
			if (!wide_fits_int64(integer))
				return 1000;
			least = !any || integer < least ? integer : least;
			largest = !any || integer > largest ? integer : largest;
			any = true;
		}
		for (span = (UWide) (largest - least); span > 0; span >>= 1)
			bits++;
	}
	return bits;
}

/* Check that words are exact where they can be, and places where that costs little. */
static void
expect_plan(const Sample *s)
{
	const uint32_t bits = bits_of_key(s);
	const JoinTable *head = &s->head;

	tap_expect(head->nparts == s->nkeys, "%u parts, not %u", head->nparts, s->nkeys);
	/* 64 bits followed by a part of 0 bits need not be recognized as fitting */
	tap_expect(head->exact == (bits <= 64) || bits == 64, "%u bits: exact is %d", bits, head->exact);
	tap_expect(head->exact || !head->direct, "hashes are places");
	tap_expect(!head->direct || head->nplaces <= (uint64_t) 1 << 20 || head->nplaces <= (uint64_t) s->nrows * 64, "%llu places for %u rows",
			   (unsigned long long) head->nplaces, s->nrows);
	tap_expect(head->direct || !head->exact || bits > 12, "%u bits are no places", bits);
	tap_expect(head->direct || (head->nplaces > s->nrows && (head->nplaces & (head->nplaces - 1)) == 0), "%llu slots for %u rows",
			   (unsigned long long) head->nplaces, s->nrows);
}

/* Check that keys find their rows: keys that rows have, and some that no or few rows have. */
static void
expect_probes(const Sample *s, uint32_t nprobes)
{
	for (uint32_t i = 0; i < nprobes; i++)
	{
		const Value *probe[JOIN_MAX_PARTS];
		Value		strange[JOIN_MAX_PARTS];
		const uint32_t like = s->nrows > 0 ? random_below(s->nrows) : 0;
		uint32_t	miss;
		uint64_t	word;

		for (uint32_t p = 0; p < s->nkeys; p++)
		{
			const Column *column = &columns[s->key[p].column];

			probe[p] = s->nrows > 0 && random_below(8) ? &column->rows[like] : &column->pool[random_below(column->npool)];
			if (random_below(10) > 0)
				continue;
			strange[p] = *probe[p];
			strange[p].integer = random_below(2) ? edge_of(column->type)
				: integer_in(column->type, (Wide) ((UWide) strange[p].integer + random_below(3) - 1));
			strange[p].real = any_double(column->type);
			probe[p] = &strange[p];
		}
		word = probe_word(s, probe, &miss);
		for (uint32_t row = 0; row < s->nrows; row++)
		{
			const bool	found = !miss && !s->nulls[row] && s->words[row] == word;
			const bool	equal = row_has_key(s, row, probe);

			tap_expect(equal ? found : !found || !s->head.exact, "row %u of %u: equal %d, found %d", row, s->nrows, equal, found);
		}
		if (!miss)
			expect_rows(s->table, s->words, s->nulls, s->nrows, word);
	}
}

static void
expect_sample(const Sample *s)
{
	for (uint32_t row = 0; row < s->nrows; row++)
		tap_expect(s->nulls[row] == row_is_null(s, row), "row %u: NULL is %d", row, s->nulls[row]);
	expect_plan(s);
	expect_table(s->table, s->words, s->nulls, s->nrows);
	expect_first_rows(&s->head, s->words, s->nulls, s->nrows);
	expect_probes(s, s->nrows < 100 ? 40 : 12);
}

/* Tests */

/* All properties of samples, a bit each, which must all occur. */
#define SHOWS_ALL 255

static uint32_t
shows(const Sample *s)
{
	const JoinTable *t = s->table;
	uint32_t	row = 0;
	uint32_t	largest;

	while (row < s->nrows && s->nulls[row])
		row++;
	largest = row < s->nrows ? JOIN_SPAN_COUNT(join_find(t, s->words[row])) : 0;
	return (t->exact && !t->direct) | !t->exact << 1 | (t->direct && !t->unique) << 2 | (!t->direct && !t->unique) << 3 |
		(t->direct && t->unique && t->nrows > 10) << 4 | (!t->direct && t->unique && t->nrows > 10) << 5 | (t->nrows == 0) << 6 |
		(largest > 100 && largest > s->nrows / 2 && !t->direct) << 7;
}

static void
random_sample(Sample *s, uint32_t nrows)
{
	static const uint32_t pools[] = {1, 2, 3, 20, 300, POOL};
	const uint32_t npool = pools[random_below(lengthof(pools))];

	s->nrows = nrows;
	s->ncolumns = 1 + random_below(random_below(3) ? 2 : JOIN_MAX_PARTS);
	s->nkeys = (uint16_t) (1 + random_below(random_below(3) ? s->ncolumns : JOIN_MAX_PARTS));
	for (uint32_t c = 0; c < s->ncolumns; c++)
	{
		columns[c].type = types[random_below(lengthof(types))];
		fill_pool(&columns[c], (Spread) random_below(SPREAD_Count), npool);
	}
	for (uint32_t p = 0; p < s->nkeys; p++)
	{
		uint16_t	type;

		s->key[p].column = (uint16_t) random_below(s->ncolumns);
		type = columns[s->key[p].column].type;
		s->key[p].form = (uint16_t) (type == COLTYPE_TEXT ? JOIN_KEY_TEXT + random_below(2)
									 : type == COLTYPE_F32 || type == COLTYPE_F64 ? JOIN_KEY_FLOAT : JOIN_KEY_INTEGER);
	}
	fill_rows(s);
}

static void
test_random(void)
{
	static const uint32_t sizes[] = {0, 1, 2, 3, 15, 16, 17, 50, 130, 400, ROWS_MOST};
	uint32_t	seen = 0;

	tap_begin("keys find their rows");
	for (int trial = 0; trial < (tap_short() ? 300 : 4000); trial++)
	{
		Sample		s;

		random_sample(&s, sizes[random_below(lengthof(sizes))]);
		build_sample(&s);
		expect_sample(&s);
		seen |= shows(&s);
		drop_sample(&s);
	}
	tap_expect(seen == SHOWS_ALL, "only %x of the cases came up", seen);
	tap_end();
}

/* Test keys of 64-bit integers whose parts span given numbers of bits. */
static void
test_spans(void)
{
	static const uint8_t bits[][JOIN_MAX_PARTS] = {
		{64}, {63}, {0}, {1, 63}, {63, 1}, {63, 2}, {32, 32}, {32, 33}, {0, 64}, {64, 1}, {64, 0}, {63, 0, 1}, {16, 16, 16, 16},
		{8, 8, 8, 8, 8, 8, 8, 8}, {9, 8, 8, 8, 8, 8, 8, 8}, {40}, {16}, {12, 4}, {13, 4}, {20, 1}
	};
	static const uint16_t nparts[lengthof(bits)] = {1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 3, 4, 8, 8, 1, 1, 2, 2, 2};

	tap_begin("spans of up to 64 bits and more");
	for (int trial = 0; trial < (tap_short() ? 1 : 20); trial++)
		for (size_t i = 0; i < lengthof(bits); i++)
		{
			Sample		s;
			uint32_t	sum = 0;

			s.nrows = 2 + random_below(200);
			s.nkeys = nparts[i];
			s.ncolumns = s.nkeys;
			for (uint32_t c = 0; c < s.ncolumns; c++)
			{
				const uint32_t b = bits[i][c];
				const uint64_t span = b == 0 ? 0 : UINT64_MAX >> (64 - b);
				/* at both ends of the integers, or with values on both sides of 0 */
				const int64_t least = b == 64 || random_below(3) == 0 ? INT64_MIN : random_below(2) ? (int64_t) (INT64_MAX - span)
					: (int64_t) (0 - span / 2);

				columns[c].type = random_below(2) ? COLTYPE_I64 : COLTYPE_I128;
				fill_pool(&columns[c], SPREAD_DENSE, 50);
				for (uint32_t v = 0; v < columns[c].npool; v++)
					columns[c].pool[v].integer = (int64_t) ((uint64_t) least + (v == 0 ? 0 : v == 1 ? span : b == 64 ? random_u64()
																			: random_u64() % (span + 1)));
				s.key[c].column = (uint16_t) c;
				s.key[c].form = JOIN_KEY_INTEGER;
				sum += b;
			}
			fill_rows(&s);
			/* two rows span each column's whole range */
			for (uint32_t c = 0; c < s.ncolumns; c++)
				for (uint32_t row = 0; row < 2; row++)
					columns[c].rows[row] = columns[c].pool[row];
			build_sample(&s);
			tap_expect(s.head.exact == (sum <= 64) || (sum == 64 && bits[i][s.nkeys - 1] == 0), "case %d of %u bits: exact is %d", (int) i,
					   sum, s.head.exact);
			expect_sample(&s);
			drop_sample(&s);
		}
	tap_end();
}

static void
test_no_parts(void)
{
	static const uint32_t sizes[] = {0, 1, 2, 100};

	tap_begin("all rows have a key without columns");
	for (size_t i = 0; i < lengthof(sizes); i++)
	{
		Sample		s;
		uint64_t	span;

		random_sample(&s, sizes[i]);
		s.nkeys = 0;
		build_sample(&s);
		tap_expect(s.head.exact && s.head.direct, "exact %d, direct %d", s.head.exact, s.head.direct);
		span = join_find(s.table, 0);
		tap_expect(JOIN_SPAN_COUNT(span) == sizes[i], "%u of %u rows", JOIN_SPAN_COUNT(span), sizes[i]);
		expect_sample(&s);
		drop_sample(&s);
	}
	tap_end();
}

/* Return a random word whose search begins in a slot. */
static uint64_t
word_at_home(const JoinTable *head, uint64_t home)
{
	uint64_t	word;

	do
		word = random_u64();
	while (join_home(head, word) != home);
	return word;
}

/* Test words without a tablet: in slots or as places. */
static void
test_words(void)
{
	enum
	{
		ALL_EQUAL, ONE_HOME, LAST_HOME, FEW, DISTINCT, NEIGHBOURS, CASES
	};

	tap_begin("words that are equal or meet");
	for (int trial = 0; trial < (tap_short() ? 60 : 1200); trial++)
	{
		const int	what = trial % CASES;
		const uint32_t nrows = random_below(4) ? random_below(60) : 200 + random_below(300);
		uint64_t   *words = (uint64_t *) guard_alloc(nrows * sizeof(uint64_t), 8);
		uint8_t    *nulls = (uint8_t *) guard_alloc(nrows, 1);
		const uint32_t null_one_in = random_below(3) ? 0 : 1 + random_below(5);
		uint64_t	some[8];
		JoinTable	head;
		JoinTable  *table;

		memset(&head, 0, sizeof(head));
		head.nparts = 1;
		head.direct = trial / CASES % 2 == 1;
		head.exact = head.direct;
		for (head.nplaces = 2; head.nplaces < (uint64_t) nrows * 2;)
			head.nplaces *= 2;
		for (size_t i = 0; i < lengthof(some); i++)
			some[i] = head.direct ? random_u64() % head.nplaces
				: word_at_home(&head, what == LAST_HOME ? head.nplaces - 1 - i % 2 : what == ONE_HOME ? 0 : random_u64() % head.nplaces);
		for (uint32_t row = 0; row < nrows; row++)
		{
			words[row] = what == ALL_EQUAL ? some[0] : some[random_below(lengthof(some))];
			if (what == DISTINCT)
				words[row] = head.direct ? (row * 7) % head.nplaces : (uint64_t) row << 32;
			if (what == NEIGHBOURS)
				words[row] = head.direct ? head.nplaces - 1 - row / 2 : UINT64_MAX - row / 2;
			nulls[row] = null_one_in > 0 && random_below(null_one_in) == 0;
			/* the word of a row with a NULL has no meaning, unless words are places */
			if (nulls[row] && random_below(2))
				words[row] = head.direct ? random_u64() % head.nplaces : random_u64();
		}
		table = build_table(&head, words, nulls, nrows);
		expect_table(table, words, nulls, nrows);
		guard_free(table, table->size, 64);
		guard_free(words, nrows * sizeof(uint64_t), 8);
		guard_free(nulls, nrows, 1);
	}
	tap_end();
}

/* Test that equal floats, as in PostgreSQL, have one word, and 128-bit integers that fit 64 bits the word of these. */
static void
test_value_words(void)
{
	const double zero = 0.0;
	const double nan = float_of_bits(UINT64_C(0xfff8000000000123));

	tap_begin("words of floats and of wide integers");
	tap_expect(join_float_word(zero) == join_float_word(-zero), "the zeros");
	tap_expect(join_float_word(nan) == join_float_word((double) NAN) && join_float_word(nan) != join_float_word((double) INFINITY), "NaN");
	for (int trial = 0; trial < 20000; trial++)
	{
		const double a = random_double();
		const double b = random_below(2) ? random_double() : random_below(2) ? nextafter(a, 0) : a;
		const bool	equal = a == b || (a != a && b != b);
		const Wide	w = random_wide();

		tap_expect((join_float_word(a) == join_float_word(b)) == equal, "%.17g and %.17g", a, b);
		tap_expect((join_float_word(a) < join_float_word(b)) == (a < b || (a == a && b != b)), "%.17g before %.17g", a, b);
		if (wide_fits_int64(w))
			tap_expect(join_wide_word(w) == (uint64_t) (int64_t) w, "%s", wide_text(w));
	}
	tap_end();
}

/* Sorted tables */

/* Return the integer that represents a value in a sorted table. */
static Wide
ordered(const Sample *s, const Value *v)
{
	const uint16_t type = columns[s->key[0].column].type;

	return type == COLTYPE_F32 || type == COLTYPE_F64 ? (Wide) join_float_word(v->real) : v->integer;
}

/* Return true if all values of a sample's key fit words. */
static bool
fits_words(const Sample *s)
{
	bool		fits = true;

	for (uint32_t row = 0; row < s->nrows; row++)
		fits &= value_of(s, 0, row)->null || wide_fits_int64(ordered(s, value_of(s, 0, row)));
	return fits;
}

static const Sample *sorted_sample;

/* Compare rows by values, NULLs last, and then by row numbers. */
static int
compare_rows(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *) a;
	const uint32_t y = *(const uint32_t *) b;
	const Value *v = value_of(sorted_sample, 0, x);
	const Value *w = value_of(sorted_sample, 0, y);
	int			c = v->null - w->null;

	if (c == 0 && !v->null)
		c = (ordered(sorted_sample, v) > ordered(sorted_sample, w)) - (ordered(sorted_sample, v) < ordered(sorted_sample, w));
	return c != 0 ? c : (x > y) - (x < y);
}

/* Return true if a row of two tablets with the same columns has the same value. */
static bool
same_value(const Tablet *a, const Tablet *b, uint32_t c, uint32_t row)
{
	const TabletColumn *column = &a->column[c];
	const uint32_t bytes = coltype_bytes((ColType) column->type);
	const uint8_t *x = tablet_at(a, column->values) + (size_t) row * bytes;
	const uint8_t *y = tablet_at(b, b->column[c].values) + (size_t) row * bytes;
	uint64_t	refs[2];

	if (tablet_is_null(a, column, row) || tablet_is_null(b, &b->column[c], row))
		return tablet_is_null(a, column, row) == tablet_is_null(b, &b->column[c], row);
	if (column->type != COLTYPE_TEXT)
		return memcmp(x, y, bytes) == 0;
	memcpy(&refs[0], x, sizeof(uint64_t));
	memcpy(&refs[1], y, sizeof(uint64_t));
	return TEXT_LENGTH(refs[0]) == TEXT_LENGTH(refs[1]) &&
		memcmp(tablet_at(a, a->var) + TEXT_OFFSET(refs[0]), tablet_at(b, b->var) + TEXT_OFFSET(refs[1]), TEXT_LENGTH(refs[0])) == 0;
}

/* Check that rows are in the order of their values, with all columns, and rows that cannot be found behind them. */
static void
expect_order(const Sample *s, const JoinTable *table)
{
	static uint32_t order[ROWS_MOST];
	Sample		want = *s;
	uint32_t	n = 0;

	for (uint32_t row = 0; row < s->nrows; row++)
	{
		order[row] = row;
		n += !value_of(s, 0, row)->null;
	}
	tap_expect(table->nrows == n, "%u rows can be found, not %u", table->nrows, n);
	sorted_sample = s;
	qsort(order, s->nrows, sizeof(uint32_t), compare_rows);
	make_empty_tablet(&want);
	for (uint32_t c = 0; c < s->ncolumns; c++)
		for (uint32_t row = 0; row < s->nrows; row++)
		{
			store(want.tablet, (int) c, row, &columns[c].rows[order[row]]);
			tap_expect(same_value(s->tablet, want.tablet, c, row), "number %u of %u: column %u, of type %u, is not row %u's", row, s->nrows,
					   c, columns[c].type, order[row]);
		}
	tablet_free(want.tablet);
}

static void
expect_ranks(const Sample *s, const JoinTable *table, Wide value)
{
	uint32_t	below = 0;
	uint32_t	equal = 0;

	for (uint32_t row = 0; row < s->nrows; row++)
	{
		const Value *v = value_of(s, 0, row);

		below += !v->null && ordered(s, v) < value;
		equal += !v->null && ordered(s, v) == value;
	}
	tap_expect(join_rank_wide(table, value, false) == below && join_rank_wide(table, value, true) == below + equal,
			   "%s: ranks %u and %u instead of %u and %u", wide_text(value), join_rank_wide(table, value, false),
			   join_rank_wide(table, value, true), below, below + equal);
}

static void
test_sorted(void)
{
	static const uint32_t sizes[] = {0, 1, 2, 3, 15, 16, 17, 255, 256, 257, 400, ROWS_MOST};
	uint32_t	seen = 0;

	tap_begin("sorted tables have ranks");
	for (int trial = 0; trial < (tap_short() ? 200 : 2000); trial++)
	{
		Sample		s;
		JoinTable  *table;
		bool		sorted;

		do
			random_sample(&s, sizes[random_below(lengthof(sizes))]);
		while (columns[s.key[0].column].type == COLTYPE_TEXT);
		s.nkeys = 1;
		make_tablet(&s);
		memset(&s.head, 0xA5, sizeof(s.head));
		sorted = join_plan_sorted(&s.head, s.tablet, s.key);
		tap_expect(sorted == fits_words(&s), "a column is %ssorted", sorted ? "" : "not ");
		s.words = (uint64_t *) guard_alloc(s.nrows * sizeof(uint64_t), 8);
		s.nulls = (uint8_t *) guard_alloc(s.nrows, 1);
		if (sorted)
		{
			join_words(&s.head, s.tablet, s.key, s.words, s.nulls);
			table = (JoinTable *) guard_alloc(join_table_bytes(&s.head, s.nrows), 64);
			*table = s.head;
			join_sort(table, s.tablet, s.words, s.nulls);
			expect_order(&s, table);
			for (int i = 0; i < 60; i++)
				expect_ranks(&s, table, i < 30 && s.nrows > 0 ? ordered(&s, value_of(&s, 0, random_below(s.nrows))) + i % 3 - 1
							 : i % 2 ? random_wide() : edge_of(COLTYPE_I128));
			seen |= (table->nrows == 0) | (table->nrows > 300) << 1 | (table->part[0].span > UINT64_MAX / 2) << 2;
			guard_free(table, join_table_bytes(&s.head, s.nrows), 64);
		}
		seen |= !sorted << 3;
		guard_free(s.words, s.nrows * sizeof(uint64_t), 8);
		guard_free(s.nulls, s.nrows, 1);
		tablet_free(s.tablet);
	}
	tap_expect(seen == 15, "only %x of the cases came up", seen);
	tap_end();
}

/* Test that ranges between any ranks stay within the rows. */
static void
test_ranges(void)
{
	static const int64_t ranks[] = {INT64_MIN, -1, 0, 1, 6, 7, 8, UINT32_MAX, (int64_t) UINT32_MAX + 3, INT64_MAX};
	JoinTable	table;

	memset(&table, 0, sizeof(table));
	table.nrows = 7;
	tap_begin("ranges between ranks");
	for (size_t i = 0; i < lengthof(ranks); i++)
		for (size_t j = 0; j < lengthof(ranks); j++)
		{
			const uint64_t span = join_range(&table, ranks[i], ranks[j]);
			const uint64_t end = (uint64_t) JOIN_SPAN_FIRST(span) + JOIN_SPAN_COUNT(span);
			uint32_t	want = 0;

			for (int64_t at = 0; at < 7; at++)
				want += at >= ranks[i] && at < ranks[j];
			tap_expect(JOIN_SPAN_COUNT(span) == want && end <= 7 && (want == 0 || ranks[i] < 0 || JOIN_SPAN_FIRST(span) == ranks[i]),
					   "%lld and %lld: %u from %u on", (long long) ranks[i], (long long) ranks[j], JOIN_SPAN_COUNT(span), JOIN_SPAN_FIRST(span));
		}
	tap_end();
}

/* Check that a slice has the values of n rows. */
static void
expect_slice(const Sample *s, const uint32_t *numbers, uint32_t n)
{
	const uint64_t bytes = join_slice_bytes(s->tablet, numbers, n);
	Tablet	   *slice = (Tablet *) guard_alloc(bytes, 64);
	Sample		want = *s;
	bool		same;

	join_slice(s->tablet, numbers, n, slice);
	same = tap_expect(slice->size == bytes && slice->nrows == n && slice->ncols == s->ncolumns, "a slice of %u rows is another", n);
	want.nrows = n;
	make_empty_tablet(&want);
	for (uint32_t c = 0; c < s->ncolumns && same; c++)
		for (uint32_t i = 0; i < n; i++)
		{
			store(want.tablet, (int) c, i, &columns[c].rows[numbers[i]]);
			tap_expect(same_value(slice, want.tablet, c, i), "column %u of a slice's row %u is not row %u's", c, i, numbers[i]);
		}
	tablet_free(want.tablet);
	guard_free(slice, bytes, 64);
}

/* Check that slices of at most `most` rows take all rows once, and with `whole` all of a word together. */
static void
expect_slices(const Sample *s, bool whole, uint32_t most)
{
	static uint32_t numbers[ROWS_MOST];
	static bool taken[ROWS_MOST];
	const uint32_t most_of_word = join_most_rows(s->table);
	JoinCursor	cursor = {0};
	uint32_t	last = JOIN_NO_ROW;
	uint32_t	all = 0;
	uint32_t	n;

	memset(taken, false, sizeof(taken));
	while ((n = join_take(s->table, &cursor, whole, most, numbers)) > 0)
	{
		tap_expect(n <= most && (!whole || last == JOIN_NO_ROW || s->words[last] != s->words[numbers[0]]), "%u rows, of %u at most", n, most);
		for (uint32_t i = 0; i < n; i++)
		{
			tap_expect(!taken[numbers[i]] && !row_is_null(s, numbers[i]), "row %u is taken", numbers[i]);
			taken[numbers[i]] = true;
		}
		expect_slice(s, numbers, n);
		last = numbers[n - 1];
		all += n;
	}
	if (whole && most_of_word > most)
		tap_expect(all < s->table->nrows, "%u rows of a word are taken", most_of_word);
	else
		tap_expect(all == s->table->nrows, "%u rows are taken of %u", all, s->table->nrows);
}

static void
test_slices(void)
{
	static const uint32_t sizes[] = {0, 1, 2, 17, 130, 400, ROWS_MOST};
	uint32_t	seen = 0;

	tap_begin("slices have all rows once");
	for (int trial = 0; trial < (tap_short() ? 100 : 1500); trial++)
	{
		Sample		s;
		const bool	whole = random_below(2);
		uint32_t	most;

		random_sample(&s, sizes[random_below(lengthof(sizes))]);
		build_sample(&s);
		most = 1 + random_below(s.nrows + 2);
		expect_slices(&s, whole, most);
		seen |= (s.table->nrows > most) << (4 * s.table->direct + 2 * s.table->unique + whole);
		drop_sample(&s);
	}
	tap_expect(seen == 255, "only %x of the cases came up", seen);
	tap_end();
}

int
main(void)
{
	test_random();
	test_spans();
	test_no_parts();
	test_words();
	test_value_words();
	test_sorted();
	test_ranges();
	test_slices();
	return tap_done();
}

/*
 * hashtable_test.c
 *		The group table: finding, inserting, growing and merging groups.
 *
 * The reference is a list of keys searched from its start.
 */
#include "assembler.h"
#include "fixture.h"
#include "tap.h"

#define MAX_TEST_GROUPS	600
#define KEY_BYTES		12

/* A key of up to three parts. */
typedef struct TestKey
{
	bool		null[3];
	uint64_t	word;
	Wide		wide;
	uint8_t		text[KEY_BYTES];
	uint32_t	length;
} TestKey;

/* Ways to make hashes. */
typedef enum Hashing
{
	HASH_GOOD, HASH_ALL_EQUAL, HASH_FEW, HASH_SAME_SLOT, HASH_Count
} Hashing;

static const char *const hashing_names[HASH_Count] = {"good hashes", "one hash for all", "few hashes", "hashes of one slot"};

static TestKey keys[MAX_TEST_GROUPS];
static uint32_t nkeys;

static Program *
make_program(void)
{
	static Assembler as;

	asm_init(&as, 1, true);
	asm_key(&as, KEY_WORD);
	asm_key(&as, KEY_WIDE);
	asm_key(&as, KEY_TEXT);
	asm_state(&as, STATE_COUNT);
	asm_state(&as, STATE_SUM);
	asm_state(&as, STATE_MIN_I);
	asm_state(&as, STATE_MAX_W);
	asm_state(&as, STATE_SUM_F);
	asm_emit(&as, VMOP_LOAD_I, 1, 0, 0, 0, 0);
	return asm_finish(&as);
}

static void
random_key(TestKey *k, uint32_t variety)
{
	uint32_t	i;

	memset(k, 0, sizeof(*k));
	for (i = 0; i < 3; i++)
		k->null[i] = random_below(5) == 0;
	k->word = k->null[0] ? 0 : random_below(variety);
	k->wide = k->null[1] ? 0 : (Wide) random_below(variety) << (random_below(2) ? 64 : 0);
	k->length = k->null[2] ? 0 : random_below(variety < KEY_BYTES ? variety : KEY_BYTES);
	for (i = 0; i < k->length; i++)
		k->text[i] = (uint8_t) ('a' + random_below(2));
}

static bool
same_key(const TestKey *a, const TestKey *b)
{
	return memcmp(a->null, b->null, sizeof(a->null)) == 0 && a->word == b->word && a->wide == b->wide &&
		a->length == b->length && memcmp(a->text, b->text, a->length) == 0;
}

static uint64_t
hash_of(const TestKey *k, Hashing hashing)
{
	uint64_t	hash = hash_combine(hash_combine(k->null[0] + 2 * k->null[1] + 4 * k->null[2], k->word), (uint64_t) k->wide);

	hash = hash_combine(hash_combine(hash, (uint64_t) (k->wide >> 64)), hash_bytes(k->text, k->length));
	switch (hashing)
	{
		case HASH_ALL_EQUAL:
			return 0xFFFFFFFFu;
		case HASH_FEW:
			return hash % 3;
		case HASH_SAME_SLOT:
			return hash << 32 | 5;
		default:
			return hash;
	}
}

static void
group_key(const TestKey *k, Hashing hashing, GroupKey *key)
{
	memset(key, 0x5A, sizeof(*key));
	key->hash = hash_of(k, hashing);
	key->nulls = k->null[0] | (uint64_t) k->null[1] << 1 | (uint64_t) k->null[2] << 2;
	key->words[0] = k->word;
	wide_store(&key->words[1], k->wide);
	key->words[3] = (uint64_t) (uintptr_t) k->text;
	key->words[4] = k->length;
}

/* Return the number of a key in the reference, to which it is appended if new. */
static uint32_t
reference_group(const TestKey *k)
{
	uint32_t	g;

	for (g = 0; g < nkeys; g++)
		if (same_key(&keys[g], k))
			return g;
	keys[nkeys] = *k;
	return nkeys++;
}

/* Find or insert a key, growing by one group or byte at a time as long as there is no room. */
static uint32_t
insert(const Program *program, GroupTable *table, const TestKey *k, Hashing hashing)
{
	GroupKey	key;
	uint32_t	group;

	group_key(k, hashing, &key);
	while ((group = group_find_or_insert(program, table, &key)) == GROUP_NONE)
	{
		uint32_t	before = table->ngroups;
		uint64_t	heap_before = table->heap_used;

		tap_expect(table->ngroups == table->capacity || table->heap_used + k->length > table->heap_capacity,
				   "no room although there is");
		if (table->ngroups == table->capacity)
			table_grow(table, program->row_words, table->capacity + 1, table->heap_capacity);
		else
			table_grow(table, program->row_words, table->capacity, table->heap_capacity + 1);
		table->ngroups = before;
		table->heap_used = heap_before;
	}
	return group;
}

static void
expect_stored_key(const Program *program, const GroupTable *table, uint32_t group, const TestKey *k)
{
	GroupKey	key;

	group_key_of_row(program, table, group, &key);
	tap_expect(key.nulls == (k->null[0] | (uint64_t) k->null[1] << 1 | (uint64_t) k->null[2] << 2) &&
			   key.words[0] == k->word && wide_load(&key.words[1]) == k->wide && key.words[4] == k->length &&
			   memcmp((const uint8_t *) (uintptr_t) key.words[3], k->text, k->length) == 0, "group %u: stored key", group);
}

static void
expect_fresh_states(const Program *program, const GroupTable *table, uint32_t group)
{
	const uint64_t *state = group_row(table, group) + program->state_word[0];

	tap_expect(state[0] == 0 && wide_load(state + 1) == 0 && (int64_t) state[3] == INT64_MAX &&
			   wide_load(state + 4) == (Wide) ((UWide) 1 << 127) && state[6] == bits_of_float(-0.0) && state[7] == state[6] && state[8] == 0,
			   "group %u: states of a new group", group);
}

static void
test_insertion(const Program *program, Hashing hashing)
{
	static char name[80];
	static const uint32_t varieties[] = {1, 2, 3, 40};
	size_t		v;
	int			i;

	snprintf(name, sizeof(name), "insert, find and grow, %s", hashing_names[hashing]);
	tap_begin(name);
	for (v = 0; v < lengthof(varieties); v++)
	{
		GroupTable	table;
		uint32_t	g;

		nkeys = 0;
		table_open(&table, program, 1, 0);
		for (i = 0; i < 900 && nkeys < MAX_TEST_GROUPS; i++)
		{
			TestKey		k;
			uint32_t	before = table.ngroups;
			uint32_t	want;
			uint32_t	got;

			random_key(&k, varieties[v]);
			want = reference_group(&k);
			got = insert(program, &table, &k, hashing);
			if (!tap_expect(got == want && table.ngroups == nkeys, "group %u, not %u", got, want))
				break;
			if (table.ngroups > before)
				expect_fresh_states(program, &table, got);
		}
		for (g = 0; g < nkeys; g++)
		{
			expect_stored_key(program, &table, g, &keys[g]);
			tap_expect(insert(program, &table, &keys[g], hashing) == g, "group %u is not found again", g);
		}
		tap_expect(table.ngroups == nkeys, "looking up inserts");
		table_free(&table);
	}
	tap_end();
}

/* Test that a key that finds no room leaves the table as it was. */
static void
test_full_table(const Program *program)
{
	GroupTable	table;
	GroupTable	before;
	GroupKey	key;
	TestKey		k;

	tap_begin("a full table is left as it was");
	memset(&k, 0, sizeof(k));
	k.length = 4;
	memcpy(k.text, "abcd", 4);
	table_open(&table, program, 2, 7);
	group_key(&k, HASH_GOOD, &key);
	tap_expect(group_find_or_insert(program, &table, &key) == 0, "first group");
	k.text[0] = 'x';
	group_key(&k, HASH_GOOD, &key);
	before = table;
	tap_expect(group_find_or_insert(program, &table, &key) == GROUP_NONE, "8 bytes in a heap of 7");
	tap_expect(memcmp(&before, &table, sizeof(table)) == 0, "counters moved");
	k.length = 3;
	group_key(&k, HASH_GOOD, &key);
	tap_expect(group_find_or_insert(program, &table, &key) == 1, "7 bytes in a heap of 7");
	k.length = 0;
	group_key(&k, HASH_GOOD, &key);
	tap_expect(group_find_or_insert(program, &table, &key) == GROUP_NONE, "third group of two");
	table_free(&table);
	tap_end();
}

/* Test that NULL differs from 0 and from an empty text. */
static void
test_null_keys(const Program *program)
{
	GroupTable	table;
	int			nulls;

	tap_begin("NULL is a key of its own");
	nkeys = 0;
	table_open(&table, program, 16, 0);
	for (nulls = 0; nulls < 16; nulls++)
	{
		TestKey		k;

		memset(&k, 0, sizeof(k));
		k.null[0] = nulls & 1;
		k.null[1] = nulls >> 1 & 1;
		k.null[2] = nulls >> 2 & 1;
		tap_expect(insert(program, &table, &k, HASH_ALL_EQUAL) == (uint32_t) (nulls & 7), "NULLs %d", nulls);
	}
	tap_expect(table.ngroups == 8, "%u groups", table.ngroups);
	table_free(&table);
	tap_end();
}

typedef struct TestTotals
{
	uint64_t	count;
	Wide		sum;
	int64_t		min;
	Wide		max;
	double		total;
} TestTotals;

static void
add_value(const Program *program, GroupTable *table, uint32_t group, int64_t value)
{
	uint64_t   *state = group_row(table, group) + program->state_word[0];

	state[0]++;
	wide_store(state + 1, wide_load(state + 1) + value);
	if (value < (int64_t) state[3])
		state[3] = (uint64_t) value;
	if (value > wide_load(state + 4))
		wide_store(state + 4, value);
	float_total_add(state + 6, (double) (value % 1024));
}

/* Test appending tables that have no group in common; groups are found only when slots have been filled. */
static void
test_appending(const Program *program)
{
	GroupTable	part[3];
	GroupTable	whole;
	int			i;

	tap_begin("append tables whose groups are all new");
	nkeys = 0;
	for (i = 0; i < 3; i++)
		table_open(&part[i], program, 1, 0);
	for (i = 0; i < 900 && nkeys < MAX_TEST_GROUPS; i++)
	{
		TestKey		k;
		uint32_t	g;

		random_key(&k, 40);
		g = reference_group(&k);
		add_value(program, &part[g % 3], insert(program, &part[g % 3], &k, HASH_GOOD), (int64_t) g);
	}
	table_open(&whole, program, nkeys, part[0].heap_used + part[1].heap_used + part[2].heap_used);
	for (i = 0; i < 3; i++)
		group_append_all(program, &whole, &part[i]);
	tap_expect(whole.ngroups == nkeys && whole.heap_used == whole.heap_capacity, "%u groups of %u", whole.ngroups, nkeys);
	memset(whole.slots, 0, whole.nslots * sizeof(uint32_t));
	group_rehash(&whole);
	for (uint32_t g = 0; g < nkeys; g++)
	{
		uint32_t	at = insert(program, &whole, &keys[g], HASH_GOOD);

		expect_stored_key(program, &whole, at, &keys[g]);
		tap_expect((int64_t) group_row(&whole, at)[program->state_word[2]] == (int64_t) g, "group %u: state", g);
	}
	tap_expect(whole.ngroups == nkeys, "looking up inserts");
	for (i = 0; i < 3; i++)
		table_free(&part[i]);
	table_free(&whole);
	tap_end();
}

static void
test_merging(const Program *program, Hashing hashing)
{
	static char name[80];
	static TestTotals want[MAX_TEST_GROUPS];
	GroupTable	part[3];
	uint32_t	next;
	uint32_t	g;
	int			round;
	int			i;

	snprintf(name, sizeof(name), "merge tables, making room on the way, %s", hashing_names[hashing]);
	tap_begin(name);
	for (round = 0; round < 6; round++)
	{
		nkeys = 0;
		memset(want, 0, sizeof(want));
		for (i = 0; i < 3; i++)
			table_open(&part[i], program, 1, 0);
		for (i = 0; i < 400; i++)
		{
			TestKey		k;
			int64_t		value = random_int64() / 1000;
			int			p = round == 0 ? 0 : (int) random_below(3);

			random_key(&k, 3);
			g = reference_group(&k);
			if (want[g].count == 0)
			{
				want[g].min = INT64_MAX;
				want[g].max = (Wide) ((UWide) 1 << 127);
			}
			want[g].count++;
			want[g].sum += value;
			want[g].min = value < want[g].min ? value : want[g].min;
			want[g].max = value > want[g].max ? value : want[g].max;
			want[g].total += (double) (value % 1024);
			add_value(program, &part[p], insert(program, &part[p], &k, hashing), value);
		}
		for (i = 1; i < 3; i++)
		{
			DeviceStatus status;

			next = 0;
			while ((status = group_merge(program, &part[0], &part[i], &next, UINT32_MAX)) == STATUS_TABLE_FULL)
				table_grow(&part[0], program->row_words, part[0].capacity + 1, part[0].heap_capacity + 3);
			tap_expect(status == STATUS_DONE && next == part[i].ngroups, "'%s' at group %u", status_text(status), next);
		}
		tap_expect(part[0].ngroups == nkeys, "%u groups, not %u", part[0].ngroups, nkeys);
		for (g = 0; g < nkeys; g++)
		{
			const uint64_t *state = group_row(&part[0], insert(program, &part[0], &keys[g], hashing)) + program->state_word[0];
			double		total;

			tap_expect(state[0] == want[g].count && wide_load(state + 1) == want[g].sum && (int64_t) state[3] == want[g].min &&
					   wide_load(state + 4) == want[g].max && float_total_value(state + 6, &total) == STATUS_DONE &&
					   total == want[g].total, "totals of group %u", g);
		}
		for (i = 0; i < 3; i++)
			table_free(&part[i]);
	}
	tap_end();
}

/* Test merging two sums that overflow only together. */
static void
test_merge_overflow(const Program *program)
{
	GroupTable	part[2];
	TestKey		k;
	uint32_t	next = 0;
	int			i;

	tap_begin("merging reports a sum beyond 128 bits");
	memset(&k, 0, sizeof(k));
	for (i = 0; i < 2; i++)
	{
		table_open(&part[i], program, 4, 0);
		wide_store(group_row(&part[i], insert(program, &part[i], &k, HASH_GOOD)) + program->state_word[1], (Wide) 1 << 126);
	}
	tap_expect(group_merge(program, &part[0], &part[1], &next, UINT32_MAX) == STATUS_DECIMAL_TOO_WIDE, "2^126 twice");
	for (i = 0; i < 2; i++)
		table_free(&part[i]);
	tap_end();
}

/* Test merging states one by one: initial states, initial states with others, others. */
static void
test_states(void)
{
	static const StateKind kinds[] = {
		STATE_COUNT, STATE_SUM, STATE_SUM_F, STATE_MIN_I, STATE_MAX_I, STATE_MIN_W, STATE_MAX_W, STATE_SUM_SQ,
		STATE_ALL_BITS, STATE_ANY_BITS, STATE_ODD_BITS, STATE_MIN_BY, STATE_MAX_BY
	};
	size_t		i;
	int			trial;

	tap_begin("a state that has seen nothing changes no other");
	for (i = 0; i < lengthof(kinds); i++)
		for (trial = 0; trial < 200; trial++)
		{
			uint64_t	none[5] = {0};
			uint64_t	state[5] = {random_u64(), random_u64(), random_below(16), random_u64(), random_below(2)};
			uint64_t	was[5];
			uint32_t	error = 0;

			if (kinds[i] == STATE_SUM_F || kinds[i] == STATE_SUM_SQ)
			{
				state[0] = bits_of_float((double) random_int64());
				state[1] = bits_of_float(0.5);
			}
			state_init(kinds[i], none);
			memcpy(was, state, sizeof(was));
			state_merge(kinds[i], state, none, &error);
			tap_expect(error == 0 && memcmp(state, was, state_words(kinds[i]) * 8) == 0, "state kind %d", kinds[i]);
			if (kinds[i] == STATE_SUM_F || kinds[i] == STATE_SUM_SQ)
				continue;
			state_merge(kinds[i], none, was, &error);
			tap_expect(error == 0 && memcmp(none, was, state_words(kinds[i]) * 8) == 0, "state kind %d into nothing", kinds[i]);
		}
	tap_end();
}

#define TEXT_STATE_BYTES 70

/* The expected extremes of a group's texts. */
typedef struct TestTexts
{
	bool		any;
	uint8_t		least[TEXT_STATE_BYTES];
	uint32_t	least_length;
	uint8_t		most[TEXT_STATE_BYTES];
	uint32_t	most_length;
} TestTexts;

/* Update a state with a text, making room a few bytes at a time. */
static void
take_text(const Program *program, GroupTable *table, uint32_t group, const uint8_t *text, uint32_t length)
{
	int			s;

	while (table->heap_capacity - table->heap_used < 2 * text_state_room(length))
		table_grow(table, program->row_words, table->capacity, table->heap_capacity + 5);
	for (s = 0; s < 2; s++)
		group_take_text(table, group_row(table, group) + program->state_word[s], s == 0, text, length);
}

static void
want_text(TestTexts *want, const uint8_t *text, uint32_t length)
{
	if (!want->any || text_compare(text, length, want->least, want->least_length) < 0)
		memcpy(want->least, text, want->least_length = length);
	if (!want->any || text_compare(text, length, want->most, want->most_length) > 0)
		memcpy(want->most, text, want->most_length = length);
	want->any = true;
}

static bool
text_is(const GroupTable *table, const uint64_t *state, const uint8_t *text, uint32_t length)
{
	return state[1] != TEXT_STATE_NONE && (uint32_t) state[1] == length && length <= state[1] >> 32 &&
		state[0] + (state[1] >> 32) <= table->heap_used && memcmp(table->heap + state[0], text, length) == 0;
}

/* Test merging tables of least and largest texts by a text key while the heap grows by a byte or two. */
static void
test_merging_texts(void)
{
	static Assembler as;
	static TestTexts want[MAX_TEST_GROUPS];
	Program    *program;
	int			round;

	asm_init(&as, 1, true);
	asm_key(&as, KEY_WORD);
	asm_key(&as, KEY_WIDE);
	asm_key(&as, KEY_TEXT);
	asm_state(&as, STATE_MIN_T);
	asm_state(&as, STATE_MAX_T);
	asm_emit(&as, VMOP_LOAD_I, 1, 0, 0, 0, 0);
	program = asm_finish(&as);
	tap_begin("merge extremes of text, making room on the way");
	for (round = 0; round < 20; round++)
	{
		GroupTable	part[2];
		DeviceStatus status;
		uint32_t	next = 0;
		uint32_t	g;
		int			i;

		nkeys = 0;
		memset(want, 0, sizeof(want));
		for (i = 0; i < 2; i++)
			table_open(&part[i], program, 1, 0);
		for (i = 0; i < 120; i++)
		{
			TestKey		k;
			uint8_t		text[TEXT_STATE_BYTES];
			uint32_t	length = random_below(random_below(4) ? 4 : TEXT_STATE_BYTES);
			int			p = (int) random_below(2);
			uint32_t	group;

			random_key(&k, 2);
			memset(text, random_below(2) ? 'a' : 0xC3, sizeof(text));
			g = reference_group(&k);
			group = insert(program, &part[p], &k, HASH_GOOD);
			/* some groups have seen nothing but NULLs */
			if (random_below(3) == 0)
				continue;
			want_text(&want[g], text, length);
			take_text(program, &part[p], group, text, length);
		}
		while ((status = group_merge(program, &part[0], &part[1], &next, 1 + random_below(3))) == STATUS_TABLE_FULL ||
			   status == STATUS_TIME_SLICE)
			if (status == STATUS_TABLE_FULL)
				table_grow(&part[0], program->row_words, part[0].capacity + 1, part[0].heap_capacity + 1 + random_below(2));
		tap_expect(status == STATUS_DONE && next == part[1].ngroups && part[0].ngroups == nkeys, "'%s', %u groups of %u",
				   status_text(status), part[0].ngroups, nkeys);
		for (g = 0; g < nkeys; g++)
		{
			const uint64_t *row = group_row(&part[0], insert(program, &part[0], &keys[g], HASH_GOOD));
			const uint64_t *least = row + program->state_word[0];
			const uint64_t *most = row + program->state_word[1];

			if (want[g].any)
				tap_expect(text_is(&part[0], least, want[g].least, want[g].least_length) &&
						   text_is(&part[0], most, want[g].most, want[g].most_length), "texts of group %u", g);
			else
				tap_expect(least[1] == TEXT_STATE_NONE && most[1] == TEXT_STATE_NONE, "group %u has a text", g);
		}
		for (i = 0; i < 2; i++)
			table_free(&part[i]);
	}
	tap_end();
	program_free(program, program->size);
}

/*
 * Test that equal values with different companions are noted, wherever they meet, and that a better
 * value clears that.
 */
static void
test_companions(void)
{
	int			least;

	tap_begin("values with a companion merge");
	for (least = 0; least < 2; least++)
	{
		StateKind	kind = least ? STATE_MIN_BY : STATE_MAX_BY;
		Wide		better = least ? -5 : 5;
		uint64_t	a[5];
		uint64_t	b[5];
		uint32_t	error = 0;

		state_init(kind, a);
		state_init(kind, b);
		by_merge(least, a, 1, 10, 0);
		by_merge(least, b, 1, 10, 0);
		state_merge(kind, a, b, &error);
		tap_expect(a[4] == 0 && wide_load(a + 2) == 10, "equal companions differ");
		by_merge(least, b, 1, 11, 0);
		tap_expect(b[4] == 1, "different companions do not differ");
		state_merge(kind, a, b, &error);
		tap_expect(a[4] == 1, "that they differ is lost in merging");
		state_init(kind, b);
		by_merge(least, b, better, (Wide) 7 << 80, 0);
		state_merge(kind, a, b, &error);
		tap_expect(a[4] == 0 && wide_load(a) == better && wide_load(a + 2) == (Wide) 7 << 80, "a better value");
		by_merge(least, b, -better, 1, 0);
		tap_expect(wide_load(b) == better && b[4] == 0, "a worse value");
	}
	tap_end();
}

/* Test deviations, compared with exact integers: (n sum(x^2) - sum(x)^2) / n. */
static void
test_deviations(void)
{
	int			trial;

	tap_begin("sums of squared deviations");
	for (trial = 0; trial < 3000; trial++)
	{
		uint64_t	sum[3];
		uint64_t	squares[2];
		Wide		s = 0;
		Wide		q = 0;
		int			n = 1 + (int) random_below(200);
		int64_t		base = (int64_t) (random_u64() >> (25 + random_below(39)));
		uint32_t	spread = 1u << random_below(20);
		double		want;
		double		got;
		int			i;

		state_init(STATE_SUM_F, sum);
		state_init(STATE_SUM_SQ, squares);
		for (i = 0; i < n; i++)
		{
			int64_t		x = base + random_below(spread);

			s += x;
			q += (Wide) x * x;
			float_total_add(sum, (double) x);
			float_square_add(squares, (double) x);
		}
		want = (double) (n * q - s * s) / n;
		got = float_deviations(sum, squares, n);
		/* 100 bits of the squares are exact */
		tap_expect(want == 0 ? got == 0 : fabs(got - want) <= want * 0x1p-45 + (double) q * 0x1p-100,
				   "%d values from %lld, spread %u: %.17g, not %.17g", n, (long long) base, spread, got, want);
	}
	tap_end();
}

/* Test that hash_bytes() reads its bytes only, and distinguishes lengths. */
static void
test_hash_of_bytes(void)
{
	uint8_t    *end = (uint8_t *) guard_alloc(64, 64) + 64;
	uint64_t	seen[65];
	uint32_t	n;
	uint32_t	m;

	tap_begin("hashes of bytes: each length its own, nothing read behind the end");
	memset(end - 64, 0, 64);
	for (n = 0; n <= 64; n++)
	{
		seen[n] = hash_bytes(end - n, n);
		for (m = 0; m < n; m++)
			tap_expect(seen[m] != seen[n], "%u and %u zero bytes", m, n);
	}
	for (n = 1; n <= 64; n++)
		for (m = 0; m < n; m++)
		{
			uint64_t	before = hash_bytes(end - n, n);

			end[-(int) n + (int) m] ^= 0x80;
			tap_expect(hash_bytes(end - n, n) != before, "byte %u of %u does not count", m, n);
		}
	tap_end();
}

int
main(void)
{
	Program    *program = make_program();
	int			hashing;

	for (hashing = 0; hashing < HASH_Count; hashing++)
	{
		test_insertion(program, (Hashing) hashing);
		test_merging(program, (Hashing) hashing);
	}
	test_full_table(program);
	test_null_keys(program);
	test_appending(program);
	test_merge_overflow(program);
	test_states();
	test_merging_texts();
	test_companions();
	test_deviations();
	test_hash_of_bytes();
	return tap_done();
}

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

/* How hashes are made. */
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

/* Number of a key in the reference, appended if new. */
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

/* Find or insert, growing by one group or byte at a time as long as there is no room. */
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

/* A key that finds no room leaves the table as it was. */
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

/* What is NULL differs from what is 0 or empty. */
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
			while ((status = group_merge(program, &part[0], &part[i], &next)) == STATUS_TABLE_FULL)
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

/* Two sums that overflow only together. */
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
	tap_expect(group_merge(program, &part[0], &part[1], &next) == STATUS_DECIMAL_TOO_WIDE, "2^126 twice");
	for (i = 0; i < 2; i++)
		table_free(&part[i]);
	tap_end();
}

/* Merging states one by one: start, merge with start, merge with values. */
static void
test_states(void)
{
	static const StateKind kinds[] = {
		STATE_COUNT, STATE_SUM, STATE_SUM_F, STATE_MIN_I, STATE_MAX_I, STATE_MIN_W, STATE_MAX_W
	};
	size_t		i;
	int			trial;

	tap_begin("a state that has seen nothing changes no other");
	for (i = 0; i < lengthof(kinds); i++)
		for (trial = 0; trial < 200; trial++)
		{
			uint64_t	none[3] = {0};
			uint64_t	state[3] = {random_u64(), random_u64(), random_below(16)};
			uint64_t	was[3];
			uint32_t	error = 0;

			if (kinds[i] == STATE_SUM_F)
			{
				state[0] = bits_of_float((double) random_int64());
				state[1] = bits_of_float(0.5);
			}
			state_init(kinds[i], none);
			memcpy(was, state, sizeof(was));
			state_merge(kinds[i], state, none, &error);
			tap_expect(error == 0 && memcmp(state, was, state_words(kinds[i]) * 8) == 0, "state kind %d", kinds[i]);
			if (kinds[i] == STATE_SUM_F)
				continue;
			state_merge(kinds[i], none, was, &error);
			tap_expect(error == 0 && memcmp(none, was, state_words(kinds[i]) * 8) == 0, "state kind %d into nothing", kinds[i]);
		}
	tap_end();
}

/* hash_bytes reads its bytes only, and tells lengths apart. */
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
	test_merge_overflow(program);
	test_states();
	test_hash_of_bytes();
	return tap_done();
}

/*
 * groups_rows.cuh
 *		Random rows of groups, and the expected result of merging them.
 *
 * The reference is core/vm/hashtable.h.
 */
#ifndef GPUDB_TEST_GROUPS_ROWS_CUH
#define GPUDB_TEST_GROUPS_ROWS_CUH

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <unistd.h>
#include <vector>

#include <cuda_runtime.h>

#include "core/vm/hashtable.h"

#include "host/group_table.h"
#include "kernels/groups_launch.h"
#include "host/pool.h"

#include "check.cuh"
#include "tap.h"

#define TEST_SECONDS	300
#define GUARD_BYTES		256		/* bytes of the guard behind every array in device memory */
#define GUARD_VALUE		0xA5
#define GARBAGE			0xEE	/* initial bytes of memory that a kernel fills */
#define STREAMS			4
#define SIZE_UNIT		0x1p20	/* unit of the sizes of float states, which are stored as integers */

static bool brief;

static void
begin(const char *name)
{
	/* a hanging GPU would otherwise block the test for ever */
	alarm(TEST_SECONDS);
	tap_begin(name);
}

/* Wait for the device: launches on other streams do not wait for copies and memsets of the default one. */
static void
settle(void)
{
	check(cudaDeviceSynchronize(), "run");
}

static uint32_t
power_above(uint32_t n)
{
	uint32_t	power = 1;

	while (power < n)
		power *= 2;
	return power;
}

/* Programs */

/*
 * All kinds of states; behind a sum of floats comes the exact sum of the sizes of its values, by
 * which its error is judged.
 */
static const StateKind all_states[] = {
	STATE_COUNT, STATE_MIN_W, STATE_SUM, STATE_SUM_F, STATE_SUM, STATE_MIN_I, STATE_MAX_I, STATE_MAX_W,
	STATE_SUM_SQ, STATE_SUM, STATE_ALL_BITS, STATE_MIN_BY, STATE_ANY_BITS, STATE_ODD_BITS, STATE_MAX_BY
};
static const StateKind atomic_states[] = {
	STATE_COUNT, STATE_SUM, STATE_MIN_I, STATE_MAX_I, STATE_ALL_BITS, STATE_ANY_BITS, STATE_ODD_BITS
};
/* the last word of a row begins with all bits set */
static const StateKind few_states[] = {STATE_COUNT, STATE_SUM, STATE_ALL_BITS};
static const StateKind sum_states[] = {STATE_SUM, STATE_COUNT};
static const StateKind float_states[] = {STATE_COUNT, STATE_SUM_F, STATE_SUM};
static const StateKind text_states[] = {STATE_COUNT, STATE_MIN_T};

/* Make the parts of a program that the kernels read. A key is one of w for a word, W for a wide one, t for a text. */
static Program
make_program(const char *keys, const StateKind *states, uint32_t nstates)
{
	Program		program = {};

	program.magic = PROGRAM_MAGIC;
	program.size = sizeof(Program);
	program.grouped = program.aggregates = 1;
	program.row_words = 1;
	for (; *keys != '\0'; keys++)
	{
		program.key_kind[program.nkeys] = *keys == 'w' ? KEY_WORD : *keys == 'W' ? KEY_WIDE : KEY_TEXT;
		program.key_word[program.nkeys++] = program.row_words;
		program.row_words += *keys == 'w' ? 1 : 2;
	}
	for (uint32_t s = 0; s < nstates; s++)
	{
		program.state_kind[program.nstates] = (uint8_t) states[s];
		program.state_word[program.nstates++] = program.row_words;
		program.row_words += (uint16_t) state_words(states[s]);
	}
	return program;
}

#define PROGRAM(keys, states) make_program(keys, states, lengthof(states))

/* Rows */

typedef enum Hashing
{
	HASH_GOOD,
	HASH_PAIRS,					/* pairs of keys share a hash */
	HASH_UPPER,					/* all hashes have one upper half: all tags are equal */
	HASH_LOWER,					/* all hashes have one lower half: all begin at the last slot */
	HASH_FOUR,					/* four hashes for all keys */
	HASH_Count
} Hashing;

static const char *const hashing_names[] = {
	"good hashes", "a hash for two keys each", "hashes that differ below only", "hashes that differ above only",
	"four hashes for all"
};

typedef enum Spread
{
	SPREAD_EVEN,				/* rows are spread evenly over all groups */
	SPREAD_EACH,				/* each row has a group of its own */
	SPREAD_ZIPF,
	SPREAD_HOT,					/* one group has 99 % of the rows */
	SPREAD_FRESH				/* new groups first, then any existing ones */
} Spread;

/* Parameters of random rows: groups are numbered, and a number makes a key. */
typedef struct Mix
{
	Spread		spread;
	uint32_t	groups;
	uint32_t	first;			/* number of the first group */
	Hashing		hashing;
} Mix;

/* Rows as blocks leave them: texts are references, some of them to a program's constants. */
typedef struct Batch
{
	std::vector<uint64_t> hashes;
	std::vector<uint64_t> rows;
	std::vector<uint8_t> texts;
	std::vector<uint8_t> constants;
	uint32_t	nrows;
} Batch;

static uint32_t
pick(const Mix *mix, uint32_t row)
{
	const double part = (double) (random_u64() >> 11) * 0x1p-53;

	switch (mix->spread)
	{
		case SPREAD_EVEN:
			return mix->first + random_below(mix->groups);
		case SPREAD_EACH:
			return mix->first + row;
		case SPREAD_ZIPF:
			return mix->first + (uint32_t) exp(log((double) mix->groups) * part) - 1;
		case SPREAD_HOT:
			return mix->first + (random_below(100) > 0 ? 0 : random_below(mix->groups));
		case SPREAD_FRESH:
			return row < mix->groups ? mix->first + row : random_below(mix->first + mix->groups);
	}
	return 0;
}

/* Make the text of a digit: all are different, many in their last bytes or their lengths only. */
static std::vector<uint8_t>
make_text(uint64_t digit)
{
	std::vector<uint8_t> text(digit == 1 ? 0 : 4 + digit % 5 * 9, (uint8_t) 'x');

	for (size_t i = 0; i < 4 && !text.empty(); i++)
		text[text.size() - 4 + i] = (uint8_t) (digit >> (8 * i));
	return text;
}

/* Store a text, and put its reference and length into a row. */
static void
put_text(Batch *batch, const std::vector<uint8_t> &text, uint64_t *word)
{
	const bool	constant = random_below(4) == 0;
	std::vector<uint8_t> &bytes = constant ? batch->constants : batch->texts;

	bytes.resize(bytes.size() + random_below(9), 0xEE);
	word[0] = TEXT_REF(bytes.size(), text.size()) | (constant ? TEXT_IN_PROGRAM : 0);
	word[1] = text.size();
	bytes.insert(bytes.end(), text.begin(), text.end());
}

/*
 * Make the key of a number, with a digit of it in each part: 0 is NULL, 1 is zero. So there are
 * keys that differ in one word only, be it the flags, the first or the last.
 */
static void
make_key(const Program *program, uint32_t number, uint64_t *row, Batch *batch)
{
	row[0] = 0;
	for (uint32_t k = 0; k < program->nkeys; k++)
	{
		const uint64_t digit = k + 1 < program->nkeys ? number % 11 : number;
		uint64_t   *word = row + program->key_word[k];

		number /= 11;
		row[0] |= (uint64_t) (digit == 0) << k;
		if (program->key_kind[k] == KEY_WORD)
			word[0] = digit == 0 ? 0 : (digit - 1) * UINT64_C(0x9e3779b97f4a7c15);
		else if (program->key_kind[k] == KEY_TEXT)
		{
			word[0] = word[1] = 0;
			if (digit != 0)
				put_text(batch, make_text(digit), word);
		}
		else
		{
			word[0] = digit == 0 ? 0 : (digit - 1) % 3 * UINT64_C(0x9e3779b97f4a7c15);
			word[1] = digit == 0 ? 0 : (digit - 1) / 3 * UINT64_C(0xbf58476d1ce4e5b9);
		}
	}
}

static uint64_t
make_hash(Hashing hashing, uint32_t number)
{
	/* free and busy slots have all bits 0 and all bits 1 */
	static const uint64_t four[] = {0, UINT64_MAX, UINT32_MAX, (uint64_t) UINT32_MAX << 32};
	const uint64_t good = hash_combine(1, number);

	switch (hashing)
	{
		case HASH_PAIRS:
			return hash_combine(1, number / 2);
		case HASH_UPPER:
			return good | (uint64_t) UINT32_MAX << 32;
		case HASH_LOWER:
			return good | UINT32_MAX;
		case HASH_FOUR:
			return four[good % 4];
		default:
			return good;
	}
}

/* Return a random sum so small that the sums of a warp's rows are below 2^94 together. */
static Wide
random_sum(void)
{
	const Wide	word = (Wide) 1 << 64;

	switch (random_below(4))
	{
		case 0:
			return (Wide) random_below(2001) - 1000;
		case 1:
			return random_int64();
		case 2:
			/* values with carries to the upper word */
			return word * ((Wide) random_below(5) - 2) + (Wide) random_below(3) - 1;
		default:
			return (Wide) ((UWide) random_u64() << 64 | random_u64()) >> (40 + random_below(60));
	}
}

/* Make a sum of floats, or of squares, with a significant second word, and its size. */
static void
fill_float_sum(bool squares, uint64_t *state, uint64_t *size)
{
	const double base = (double) random_below(1u << 30);
	const double total = squares ? base * base / 64 : (double) random_int64() / (1 << random_below(20));
	const double rest = total * ((double) random_below(1001) - 500) / 2000;

	state[0] = bits_of_float(total);
	state[1] = bits_of_float(rest);
	if (!squares)
		state[2] = random_below(64) == 0 ? UINT64_C(1) << random_below(4) : 0;
	wide_store(size, (Wide) ceil((fabs(total) + fabs(rest)) * SIZE_UNIT));
}

static void
fill_by(uint64_t *state)
{
	wide_store(state, random_below(2) ? (Wide) random_below(20) - 10 : random_wide());
	wide_store(state + 2, random_below(2) ? (Wide) random_below(2) : random_wide());
	state[4] = random_below(16) == 0;
}

static void
fill_state(StateKind kind, uint64_t *state)
{
	switch (kind)
	{
		case STATE_COUNT:
			state[0] = random_below(5);
			break;
		case STATE_SUM:
			wide_store(state, random_sum());
			break;
		case STATE_MIN_I:
		case STATE_MAX_I:
			state[0] = (uint64_t) random_int64();
			break;
		case STATE_MIN_W:
		case STATE_MAX_W:
			wide_store(state, random_wide());
			break;
		case STATE_ALL_BITS:
			state[0] = random_below(4) ? UINT64_MAX : ~(UINT64_C(1) << random_below(64));
			break;
		case STATE_ANY_BITS:
			state[0] = random_below(4) ? 0 : UINT64_C(1) << random_below(64);
			break;
		case STATE_ODD_BITS:
			state[0] = random_u64();
			break;
		case STATE_MIN_BY:
		case STATE_MAX_BY:
			fill_by(state);
			break;
		default:
			break;
	}
}

/* Make the states of a row; some have seen no values. */
static void
make_states(const Program *program, uint64_t *row)
{
	for (uint32_t s = 0; s < program->nstates; s++)
	{
		const StateKind kind = (StateKind) program->state_kind[s];
		const bool	nothing = random_below(8) == 0;
		uint64_t   *state = row + program->state_word[s];

		state_init(kind, state);
		if (kind == STATE_SUM_F || kind == STATE_SUM_SQ)
		{
			uint64_t   *size = row + program->state_word[++s];

			wide_store(size, 0);
			if (!nothing)
				fill_float_sum(kind == STATE_SUM_SQ, state, size);
		}
		else if (!nothing)
			fill_state(kind, state);
	}
}

static Batch
make_batch(const Program *program, const Mix *mix, uint32_t nrows)
{
	Batch		batch;

	batch.nrows = nrows;
	batch.hashes.resize(nrows);
	batch.rows.resize((size_t) nrows * program->row_words);
	for (uint32_t i = 0; i < nrows; i++)
	{
		const uint32_t number = pick(mix, i);
		uint64_t   *row = &batch.rows[(size_t) i * program->row_words];

		batch.hashes[i] = make_hash(mix->hashing, number);
		make_key(program, number, row, &batch);
		make_states(program, row);
	}
	return batch;
}

/* Expected results */

typedef struct Reference
{
	const Program *program;
	GroupTable	table;
	std::vector<uint32_t> slots;
	std::vector<uint64_t> hashes;
	std::vector<uint64_t> rows;
	std::vector<uint8_t> heap;
} Reference;

#define TEXT_MOST 40			/* most bytes of a text of make_text() */

static void
reference_open(Reference *reference, const Program *program, uint32_t capacity)
{
	reference->program = program;
	reference->slots.assign((size_t) power_above(capacity) * 2, 0);
	reference->hashes.resize(capacity);
	reference->rows.resize((size_t) capacity * program->row_words);
	reference->table = {};
	reference->table.slots = reference->slots.data();
	reference->table.hashes = reference->hashes.data();
	reference->table.rows = reference->rows.data();
	reference->table.nslots = (uint32_t) reference->slots.size();
	reference->table.capacity = capacity;
	reference->table.row_words = program->row_words;
	for (uint32_t k = 0; k < program->nkeys; k++)
		if (program->key_kind[k] == KEY_TEXT)
			reference->heap.resize(reference->heap.size() + (size_t) capacity * TEXT_MOST);
	reference->table.heap = reference->heap.data();
	reference->table.heap_capacity = reference->heap.size();
}

/* Return groups in arrays as a table without slots, for reading only. */
static GroupTable
as_table(const Program *program, const std::vector<uint64_t> &hashes, const std::vector<uint64_t> &rows,
		 const std::vector<uint8_t> &heap)
{
	GroupTable	table = {};

	table.hashes = (uint64_t *) hashes.data();
	table.rows = (uint64_t *) rows.data();
	table.heap = (uint8_t *) heap.data();
	table.ngroups = (uint32_t) hashes.size();
	table.row_words = program->row_words;
	return table;
}

/* Groups of a device's table, copied to the host; or a batch, with texts as a table has them. */
typedef struct Stored
{
	uint32_t	n;
	std::vector<uint64_t> hashes;
	std::vector<uint64_t> rows;
	std::vector<uint8_t> heap;
} Stored;

static Stored
stored_batch(const Program *program, const Batch *batch)
{
	Stored		stored = {batch->nrows, batch->hashes, batch->rows, batch->texts};

	stored.heap.insert(stored.heap.end(), batch->constants.begin(), batch->constants.end());
	for (uint32_t i = 0; i < batch->nrows; i++)
		for (uint32_t k = 0; k < program->nkeys; k++)
			if (program->key_kind[k] == KEY_TEXT)
			{
				uint64_t   *word = &stored.rows[(size_t) i * program->row_words + program->key_word[k]];

				*word = TEXT_OFFSET(*word) + (*word & TEXT_IN_PROGRAM ? batch->texts.size() : 0);
			}
	return stored;
}

static GroupTable
table_of_stored(const Program *program, const Stored *stored)
{
	return as_table(program, stored->hashes, stored->rows, stored->heap);
}

/* Return true if two rows of stored groups have the same key. */
static bool
same_keys(const Program *program, const Stored *a, uint32_t at, const Stored *b, uint32_t bt)
{
	const GroupTable ta = table_of_stored(program, a);
	const GroupTable tb = table_of_stored(program, b);
	GroupKey	key;

	group_key_of_row(program, &tb, bt, &key);
	return a->hashes[at] == b->hashes[bt] && group_key_equal(program, &ta, group_row(&ta, at), &key);
}

static void
reference_add(Reference *reference, const Batch *batch)
{
	const Stored stored = stored_batch(reference->program, batch);
	const GroupTable from = table_of_stored(reference->program, &stored);
	uint32_t	next = 0;
	DeviceStatus status = group_merge(reference->program, &reference->table, &from, &next, UINT32_MAX);

	tap_expect(status == STATUS_DONE, "the reference ends with %d", (int) status);
}

/* Return the group of a key in the reference, or GROUP_NONE. */
static uint32_t
reference_find(const Reference *reference, const GroupKey *key)
{
	const GroupTable *table = &reference->table;
	const uint32_t mask = table->nslots - 1;

	for (uint32_t at = (uint32_t) key->hash & mask; table->slots[at] != 0; at = (at + 1) & mask)
	{
		const uint32_t group = table->slots[at] - 1;

		if (table->hashes[group] == key->hash && group_key_equal(reference->program, table, group_row(table, group), key))
			return group;
	}
	return GROUP_NONE;
}

/*
 * Return true if two states are equal: sums of floats within 2^-40 of the sum of their sizes, all
 * others bit for bit.
 */
static bool
state_equals(StateKind kind, const uint64_t *got, const uint64_t *want, Wide size)
{
	const double error = (float_of_bits(got[0]) - float_of_bits(want[0])) + (float_of_bits(got[1]) - float_of_bits(want[1]));

	switch (kind)
	{
		case STATE_SUM_F:
		case STATE_SUM_SQ:
			/* false for NaN, too */
			return fabs(error) <= (double) size / SIZE_UNIT * 0x1p-40 && (kind == STATE_SUM_SQ || got[2] == want[2]);
		case STATE_MIN_BY:
		case STATE_MAX_BY:
			/* any of several companions is right */
			return memcmp(got, want, 16) == 0 && got[4] == want[4] && (want[4] != 0 || memcmp(got + 2, want + 2, 16) == 0);
		default:
			return memcmp(got, want, state_words(kind) * 8) == 0;
	}
}

/* Return the first state that differs, or -1. */
static int
wrong_state(const Program *program, const uint64_t *got, const uint64_t *want)
{
	for (uint32_t s = 0; s < program->nstates; s++)
	{
		const StateKind kind = (StateKind) program->state_kind[s];
		const bool	sized = kind == STATE_SUM_F || kind == STATE_SUM_SQ;
		/* the size is in the next state */
		const Wide	size = sized ? wide_load(want + program->state_word[s + 1]) : 0;
		uint64_t	padded_got[5] = {};
		uint64_t	padded_want[5] = {};

		memcpy(padded_got, got + program->state_word[s], state_words(kind) * 8);
		memcpy(padded_want, want + program->state_word[s], state_words(kind) * 8);
		if (!state_equals(kind, padded_got, padded_want, size))
			return (int) s;
	}
	return -1;
}

static bool
states_are_initial(const Program *program, const uint64_t *row)
{
	for (uint32_t s = 0; s < program->nstates; s++)
	{
		uint64_t	initial[5];

		state_init((StateKind) program->state_kind[s], initial);
		if (memcmp(row + program->state_word[s], initial, state_words((StateKind) program->state_kind[s]) * 8) != 0)
			return false;
	}
	return true;
}

/*
 * Check that the stored groups are the expected ones with their states; groups of `others` may also
 * be there, with initial states.
 */
static void
compare(const Reference *want, const Stored *got, const Reference *others)
{
	const Program *program = want->program;
	const GroupTable table = table_of_stored(program, got);
	std::vector<bool> seen(want->table.ngroups);
	uint32_t	nseen = 0;

	for (uint32_t g = 0; g < got->n; g++)
	{
		const uint64_t *row = group_row(&table, g);
		GroupKey	key;
		uint32_t	same;
		int			wrong;

		group_key_of_row(program, &table, g, &key);
		same = reference_find(want, &key);
		if (same == GROUP_NONE)
		{
			tap_expect(others != NULL && reference_find(others, &key) != GROUP_NONE && states_are_initial(program, row),
					   "group %u, hash %016llx, should not be there", g, (unsigned long long) key.hash);
			continue;
		}
		tap_expect(!seen[same], "group %u is there twice", g);
		nseen += !seen[same];
		seen[same] = true;
		wrong = wrong_state(program, row, group_row(&want->table, same));
		tap_expect(wrong < 0, "group %u of %u: state %d, of kind %d", g, got->n, wrong,
				   wrong < 0 ? 0 : program->state_kind[wrong]);
	}
	tap_expect(nseen == want->table.ngroups, "%u groups of %u are there", nseen, want->table.ngroups);
}

#endif							/* GPUDB_TEST_GROUPS_ROWS_CUH */

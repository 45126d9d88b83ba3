/*
 * dictionary_test.c
 *		Dictionary codes of values, compared with a list that is searched from its beginning.
 */
#include <pthread.h>

#include "core/tablet/deform_fast.h"
#include "core/tablet/dictionary.h"
#include "fixture.h"
#include "tap.h"

#define MOST_LENGTH	40
#define NULLS_ONE_IN 7

/* A value that has a dictionary code: its index in list[]. */
typedef struct Listed
{
	uint8_t		bytes[MOST_LENGTH];
	uint32_t	length;
} Listed;

static Listed list[DICTIONARY_MOST_VALUES];
static uint32_t listed;

static Dictionary *
dictionary_make(uint32_t capacity, uint32_t room)
{
	const uint64_t size = dictionary_size(capacity, room);
	Dictionary *dictionary = (Dictionary *) guard_alloc(tablet_align(size), 64);

	memset(dictionary, 0xA5, size);
	dictionary_begin(dictionary, capacity, room);
	return dictionary;
}

static void
dictionary_free(Dictionary *dictionary)
{
	guard_free(dictionary, tablet_align(dictionary_size(dictionary->capacity, dictionary->room)), 64);
}

/*
 * Return a random value: short ones of few letters, zeros among them, so that many are equal, or
 * differ in length or late.
 */
static Listed
random_value(void)
{
	Listed		value = {{0}, random_below(4) ? random_below(4) : random_below(MOST_LENGTH + 1)};

	for (uint32_t i = 0; i < value.length; i++)
		value.bytes[i] = (uint8_t) (random_below(3) + (i + 1 < value.length && random_below(20) ? 0 : 'a'));
	return value;
}

static uint32_t
search(const Listed *value)
{
	for (uint32_t code = 0; code < listed; code++)
		if (list[code].length == value->length && memcmp(list[code].bytes, value->bytes, value->length) == 0)
			return code;
	return DICTIONARY_NONE;
}

static uint64_t
hash_of(const Listed *value)
{
	return hash_bytes(value->bytes, value->length);
}

static void
check_value(const Dictionary *dictionary, uint32_t code)
{
	uint32_t	length;
	const uint8_t *bytes = dictionary_value(dictionary, code, &length);

	tap_expect(length == list[code].length && memcmp(bytes, list[code].bytes, length) == 0, "code %u has another value", code);
}

static void
check_all(const Dictionary *dictionary)
{
	tap_expect(dictionary_count(dictionary) == listed, "%u values, not %u", dictionary_count(dictionary), listed);
	for (uint32_t code = 0; code < listed; code++)
		check_value(dictionary, code);
}

/* Look random values up, and add those without a dictionary code; all have one hash if `hash` is not 0. */
static void
look_up_and_add(Dictionary *dictionary, int tries, uint64_t hash)
{
	while (tries-- > 0)
	{
		const Listed value = random_value();
		const uint64_t hashed = hash ? hash : hash_of(&value);
		const uint32_t expected = search(&value);
		uint32_t	code = dictionary_find(dictionary, value.bytes, value.length, hashed);

		tap_expect(code == expected, "found %u, not %u", code, expected);
		if (expected != DICTIONARY_NONE)
			continue;
		code = dictionary_add(dictionary, value.bytes, value.length, hashed);
		tap_expect(code == listed, "added as %u, not %u", code, listed);
		list[listed++] = value;
	}
}

static void
test_values(void)
{
	Dictionary *dictionary = dictionary_make(4000, 100000);

	tap_begin("values and codes");
	listed = 0;
	look_up_and_add(dictionary, 6000, 0);
	check_all(dictionary);
	tap_end();
	dictionary_free(dictionary);
}

static void
test_equal_hashes(void)
{
	Dictionary *dictionary = dictionary_make(1000, 40000);

	tap_begin("values of one hash");
	listed = 0;
	look_up_and_add(dictionary, 1000, UINT64_MAX);
	check_all(dictionary);
	tap_end();
	dictionary_free(dictionary);
}

/*
 * Fill a dictionary to the last value, or to the last byte; then nothing can be added, and all
 * values must be unchanged.
 */
static void
fill(uint32_t capacity, uint32_t room, const char *name)
{
	Dictionary *dictionary = dictionary_make(capacity, room);
	uint32_t	code = 0;

	tap_begin(name);
	for (listed = 0; code != DICTIONARY_NONE && listed < 1000; listed += code != DICTIONARY_NONE)
	{
		list[listed].length = 4;
		memcpy(list[listed].bytes, &listed, 4);
		code = dictionary_add(dictionary, list[listed].bytes, 4, hash_of(&list[listed]));
		tap_expect(code == listed || code == DICTIONARY_NONE, "added as %u, not %u", code, listed);
	}
	tap_expect(listed == (capacity < room / 4 ? capacity : room / 4), "%u fit into %u of %u bytes", listed, capacity, room);
	tap_expect(dictionary_find(dictionary, list[listed].bytes, 4, hash_of(&list[listed])) == DICTIONARY_NONE, "what did not fit is there");
	check_all(dictionary);
	tap_end();
	dictionary_free(dictionary);
}

static void
test_growing(void)
{
	Dictionary *dictionary = dictionary_make(1, MOST_LENGTH);

	tap_begin("a larger one has the same codes");
	listed = 0;
	for (uint32_t capacity = 2; capacity <= 4096; capacity *= 2)
	{
		Dictionary *larger = dictionary_make(capacity, capacity * MOST_LENGTH);

		dictionary_copy(larger, dictionary);
		dictionary_free(dictionary);
		dictionary = larger;
		check_all(dictionary);
		look_up_and_add(dictionary, (int) (capacity - listed), 0);
	}
	check_all(dictionary);
	tap_end();
	dictionary_free(dictionary);
}

/* Test that a run finds the dictionary codes that it knows, in whichever dictionary it is given. */
static void
test_dict_view(void)
{
	Dictionary *small = dictionary_make(64, 64 * MOST_LENGTH);
	Dictionary *large = dictionary_make(256, 256 * MOST_LENGTH);
	DictView	view = {small, 0};

	tap_begin("a run's book of codes");
	listed = 0;
	look_up_and_add(small, 64, 0);
	dictionary_copy(large, small);
	look_up_and_add(large, 64, 0);
	for (int known = 0; known <= (int) listed; known++)
	{
		view.nknown = (uint32_t) known;
		view.dictionary = known <= (int) small->nvalues ? small : large;
		for (uint32_t code = 0; code < listed; code++)
			tap_expect(dict_view_find(&view, list[code].bytes, list[code].length) == (code < view.nknown ? code : DICTIONARY_NONE),
					   "code %u with %u known", code, view.nknown);
	}
	tap_end();
	dictionary_free(small);
	dictionary_free(large);
}

/* Write a value with its header so that it ends at a page's byte `end`, and return where its header is. */
static uint16_t
write_on_page(uint8_t *page, const Listed *value, uint32_t end)
{
	const uint32_t header = random_below(4) ? 1 : 4;
	const uint32_t start = end - value->length - header;
	const uint32_t word = (value->length + header) << (header == 1 ? 1 : 2) | (header == 1);

	memcpy(page + start, &word, header);
	memcpy(page + start + header, value->bytes, value->length);
	return (uint16_t) start;
}

/*
 * Test converting a page's texts to dictionary codes, compared with dict_view_find(); texts without
 * a code become marks that lead to them.
 */
static void
test_pages(void)
{
	Dictionary *dictionary = dictionary_make(256, 256 * MOST_LENGTH);
	const uint16_t type = COLTYPE_U32;
	const FastColumn column = {.kind = DEFORM_CODE, .step = 0};

	tap_begin("texts of a page by their codes");
	listed = 0;
	look_up_and_add(dictionary, 256, 0);
	for (int trial = 0; trial < 2000; trial++)
	{
		const DictView view = {dictionary, listed - random_below(listed / 4)};
		uint8_t    *page = (uint8_t *) guard_alloc(HEAP_PAGE_SIZE, 64);
		Tablet	   *tablet = (Tablet *) guard_alloc(tablet_size(&type, 1, FAST_MAX_TUPLES, 0), 64);
		const uint32_t nvalues = 1 + random_below(trial % 2 ? 6 : FAST_MAX_TUPLES);
		Listed		value[FAST_MAX_TUPLES];
		uint16_t	at[FAST_MAX_TUPLES];
		uint32_t	n = 0;
		uint32_t	unknown = 0;
		FastColumn	coded = column;

		for (uint32_t v = 0; v < nvalues; v++)
			value[v] = random_below(8) ? list[random_below(listed)] : random_value();
		for (uint32_t end = HEAP_PAGE_SIZE; n < FAST_MAX_TUPLES && end > 128; end = at[n++])
			at[n] = write_on_page(page, &value[random_below(nvalues)], end);
		coded.view = &view;
		/* looked up all at once, or in turn */
		coded.differs = random_below(2) != 0;
		tablet_layout(tablet, &type, 1, FAST_MAX_TUPLES, 0);
		tap_expect(fast_codes(page, at, n, &coded, tablet, 0), "trial %d: not usual", trial);
		for (uint32_t t = 0; t < n; t++)
		{
			const uint8_t *p = page + at[t];
			const uint32_t header = p[0] & 1 ? 1 : 4;
			const uint32_t code = dict_view_find(&view, p + header, (header == 1 ? p[0] >> 1 : load_u32(p) >> 2) - header);
			const uint32_t expected = code != DICTIONARY_NONE ? code : CODE_PATCH | at[t];
			const uint32_t found = ((const uint32_t *) tablet_at(tablet, tablet->column[0].values))[t];

			unknown += code == DICTIONARY_NONE;
			tap_expect(found == expected, "trial %d, text %u: %x, not %x", trial, t, found, expected);
		}
		tap_expect(tablet->column[0].patch_count == unknown, "trial %d: %u marks, not %u", trial, tablet->column[0].patch_count, unknown);
		guard_free(page, HEAP_PAGE_SIZE, 64);
		guard_free(tablet, tablet_size(&type, 1, FAST_MAX_TUPLES, 0), 64);
	}
	tap_end();
	dictionary_free(dictionary);
}

/* Test the truth values of a condition by dictionary code, compared with a list of them. */
static void
test_code_table(void)
{
	static uint64_t table[1 + 100 / CODES_PER_WORD + 1];

	tap_begin("a table of truths by code");
	for (uint32_t capacity = 0; capacity <= 100; capacity++)
	{
		CodeTruth	said[101];
		uint32_t	truths = 0;

		table[0] = capacity;
		for (uint32_t w = 1; w < code_table_words(capacity); w++)
			table[w] = CODE_WORD_UNKNOWN;
		for (uint32_t code = 0; code <= 100; code++)
			said[code] = CODE_UNKNOWN;
		for (int i = 0; i < 150 && capacity > 0; i++)
		{
			const uint32_t code = random_below(capacity);

			said[code] = (CodeTruth) random_below(4);
			code_table_note(table, code, said[code]);
		}
		for (uint32_t code = 0; code <= 100; code++)
		{
			uint32_t	error = 0;
			const uint8_t truth = code_table_look(table, code, &error);

			tap_expect(code_table_truth(table, code) == said[code], "code %u of %u", code, capacity);
			tap_expect(error == (said[code] >= CODE_UNKNOWN) && (error || truth == (said[code] == CODE_TRUE)), "look at %u of %u", code,
					   capacity);
			truths |= 1u << said[code];
			if (code < capacity)
				tap_expect(code_table_truths(table, 0, code) == truths, "truths up to %u of %u", code, capacity);
		}
		tap_expect(code_table_truths(table, 0, capacity) == 15 && code_table_truth(table, ~UINT64_C(0)) == CODE_UNKNOWN,
				   "beyond %u", capacity);
	}
	tap_end();
}

/* Make the value of a number, so that readers share nothing but the dictionary. */
static uint32_t
numbered_value(uint32_t number, uint8_t *bytes)
{
	const uint32_t length = 3 + number % 30;

	memset(bytes, (int) (number % 251), length);
	memcpy(bytes, &number, 3);
	return length;
}

typedef struct Reader
{
	const Dictionary *dictionary;
	pthread_t	thread;
	uint32_t	seed;
	uint32_t	wrong;
	uint32_t	found;
} Reader;

static void *
read_on(void *arg)
{
	Reader	   *reader = (Reader *) arg;
	const Dictionary *dictionary = reader->dictionary;
	uint32_t	known;

	do
	{
		uint8_t		bytes[MOST_LENGTH];
		uint32_t	number = reader->seed = reader->seed * 1664525u + 1013904223u;
		uint32_t	length = numbered_value(number %= dictionary->capacity, bytes);
		uint32_t	code;

		known = dictionary_count(dictionary);
		code = dictionary_find(dictionary, bytes, length, hash_bytes(bytes, length));
		/* the dictionary code is the number; one that was known before must be found */
		reader->wrong += code == DICTIONARY_NONE ? number < known : code != number;
		reader->found += code == number;
		if (number < known)
		{
			const uint8_t *value = dictionary_value(dictionary, number, &code);

			reader->wrong += code != length || memcmp(value, bytes, length) != 0;
		}
	} while (known < dictionary->capacity);
	return NULL;
}

static void
test_readers(void)
{
	Dictionary *dictionary = dictionary_make(DICTIONARY_MOST_VALUES, DICTIONARY_MOST_BYTES);
	Reader		readers[3];

	tap_begin("looked up while others are added");
	for (uint32_t r = 0; r < lengthof(readers); r++)
	{
		readers[r] = (Reader) {dictionary, 0, r, 0, 0};
		pthread_create(&readers[r].thread, NULL, read_on, &readers[r]);
	}
	for (uint32_t number = 0; number < DICTIONARY_MOST_VALUES; number++)
	{
		uint8_t		bytes[MOST_LENGTH];
		const uint32_t length = numbered_value(number, bytes);

		if (dictionary_add(dictionary, bytes, length, hash_bytes(bytes, length)) != number)
			tap_expect(false, "%u has another code", number);
	}
	for (uint32_t r = 0; r < lengthof(readers); r++)
	{
		pthread_join(readers[r].thread, NULL);
		tap_expect(readers[r].wrong == 0, "reader %u: %u wrong, %u found", r, readers[r].wrong, readers[r].found);
	}
	tap_end();
	dictionary_free(dictionary);
}

/*
 * Test that the hash of bytes is that of their words, the last of which has zeros above its bytes,
 * and that nothing beyond the bytes is read.
 */
static void
test_hash(void)
{
	tap_begin("hashes of bytes");
	for (uint32_t length = 0; length <= 4 * MOST_LENGTH; length++)
	{
		uint8_t    *bytes = (uint8_t *) guard_alloc(length, 1);
		uint64_t	expected = length;

		for (uint32_t i = 0; i < length; i++)
			bytes[i] = (uint8_t) random_below(256);
		for (uint32_t i = 0; i < length; i += 8)
		{
			uint64_t	word = 0;

			memcpy(&word, bytes + i, length - i < 8 ? length - i : 8);
			expected = hash_combine(expected, word);
		}
		tap_expect(hash_bytes(bytes, length) == expected, "another hash of %u bytes", length);
		guard_free(bytes, length, 1);
	}
	tap_end();
}

int
main(void)
{
	test_hash();
	test_values();
	test_equal_hashes();
	fill(100, 4000, "no room for another value");
	fill(100, 200, "no room for another byte");
	test_growing();
	test_dict_view();
	test_pages();
	test_code_table();
	test_readers();
	return tap_done();
}

/*
 * dictionary.h
 *		The distinct values of a column, by number: a code stands for a value.
 *
 * Flat memory that the caller owns; this file never allocates.
 *
 *		Dictionary | slots | values | bytes
 *
 *		slots	 open addressing with linear probing: code + 1, and above it
 *				 bits of the hash, so that other values are passed over
 *				 without a look at them; 0 = free
 *		values	 where each code's bytes are, and their hash
 *		bytes	 side by side, in the order of codes
 *
 * Values are only ever added, so a code means the same for good.  One at a
 * time may add, while any number look values and codes up without a lock: what
 * they find is whole.  When one is full, dictionary_copy() makes a larger one
 * with the same codes.
 *
 * On the host only.  There are at least twice as many slots as values, so
 * probing ends.
 */
#ifndef GPUDB_CORE_DICTIONARY_H
#define GPUDB_CORE_DICTIONARY_H

#include "core/code_table.h"
#include "core/hash.h"
#include "core/op_text.h"
#include "core/tablet_format.h"

#define DICTIONARY_NONE UINT32_MAX

/* What a column with more, or larger ones, than these has no dictionary for. */
#define DICTIONARY_MOST_VALUES	CODE_TABLE_MOST
#define DICTIONARY_MOST_BYTES	(UINT32_C(8) << 20)

/* A value in a column of codes that waits for one: this bit, and where on its page it is stored. */
#define CODE_PATCH				UINT32_C(0x80000000)

/* The lower bits of a slot hold a code + 1, and those above them bits of the hash. */
#define DICTIONARY_CODE_BITS	18

/* How many values ahead slots are fetched into which values are entered. */
#define DICTIONARY_AHEAD 8

#if DICTIONARY_MOST_VALUES >= (1 << DICTIONARY_CODE_BITS) - 1
#error a slot has no room for all codes
#endif

typedef struct DictionaryValue
{
	uint32_t	offset;
	uint32_t	length;
	uint64_t	hash;
} DictionaryValue;

typedef struct Dictionary
{
	uint32_t	nslots;			/* a power of two */
	uint32_t	capacity;		/* values */
	uint32_t	room;			/* bytes of values */
	/* Adding a value writes the fields below, which have another cache line than those above, which each lookup reads. */
	uint32_t	apart[CORE_LINE_BYTES / sizeof(uint32_t) - 3];
	uint32_t	used;			/* of them */
	uint32_t	nvalues;		/* dictionary_count() */
} Dictionary;

CORE_HOST uint32_t
dictionary_slots(uint32_t capacity)
{
	uint32_t	nslots = 64;

	while (nslots < 2 * capacity)
		nslots *= 2;
	return nslots;
}

/* Bytes of a dictionary with room for so many values, and so many bytes of them. */
CORE_HOST uint64_t
dictionary_size(uint32_t capacity, uint32_t room)
{
	return tablet_align(sizeof(Dictionary)) + tablet_align(dictionary_slots(capacity) * sizeof(uint32_t)) +
		tablet_align(capacity * sizeof(DictionaryValue)) + room;
}

CORE_HOST uint32_t *
dictionary_slot(const Dictionary *dictionary)
{
	return (uint32_t *) ((uint8_t *) dictionary + tablet_align(sizeof(Dictionary)));
}

/* Begin an empty dictionary in memory that is aligned to 64 and need not be zero: the slots alone are cleared. */
CORE_HOST void
dictionary_begin(Dictionary *dictionary, uint32_t capacity, uint32_t room)
{
	*dictionary = (Dictionary) {.nslots = dictionary_slots(capacity), .capacity = capacity, .room = room};
	memset(dictionary_slot(dictionary), 0, dictionary->nslots * sizeof(uint32_t));
}

CORE_HOST DictionaryValue *
dictionary_values(const Dictionary *dictionary)
{
	return (DictionaryValue *) ((uint8_t *) dictionary_slot(dictionary) + tablet_align(dictionary->nslots * sizeof(uint32_t)));
}

CORE_HOST uint8_t *
dictionary_bytes(const Dictionary *dictionary)
{
	return (uint8_t *) dictionary_values(dictionary) + tablet_align(dictionary->capacity * sizeof(DictionaryValue));
}

/* How many values there are: all codes below are known to whoever asks. */
CORE_HOST uint32_t
dictionary_count(const Dictionary *dictionary)
{
	return __atomic_load_n(&dictionary->nvalues, __ATOMIC_ACQUIRE);
}

/* The value of a code that is known. */
CORE_HOST const uint8_t *
dictionary_value(const Dictionary *dictionary, uint32_t code, uint32_t *length)
{
	const DictionaryValue *value = &dictionary_values(dictionary)[code];

	*length = value->length;
	return dictionary_bytes(dictionary) + value->offset;
}

/* The bits of a hash that a slot has: not those that lead to the slot. */
CORE_HOST uint32_t
dictionary_tag(uint64_t hash)
{
	return (uint32_t) (hash >> (32 + DICTIONARY_CODE_BITS)) << DICTIONARY_CODE_BITS;
}

/* Have the memory fetched in which dictionary_find() looks first. */
CORE_HOST void
dictionary_prefetch(const Dictionary *dictionary, uint64_t hash)
{
	core_prefetch(&dictionary_slot(dictionary)[hash & (dictionary->nslots - 1)]);
}

/* Have the memory fetched that dictionary_find() reads behind the slot where it begins, which should be there by now. */
CORE_HOST void
dictionary_prefetch_value(const Dictionary *dictionary, uint64_t hash)
{
	const uint32_t taken = __atomic_load_n(&dictionary_slot(dictionary)[hash & (dictionary->nslots - 1)], __ATOMIC_RELAXED);
	const uint32_t code = (taken ^ dictionary_tag(hash)) - 1;

	if (taken != 0 && code < (1u << DICTIONARY_CODE_BITS) - 1)
		core_prefetch(&dictionary_values(dictionary)[code]);
}

/* The code of a value; DICTIONARY_NONE if it has none, or only just got one. */
CORE_HOST uint32_t
dictionary_find(const Dictionary *dictionary, const uint8_t *bytes, uint32_t length, uint64_t hash)
{
	const uint32_t *slots = dictionary_slot(dictionary);
	const DictionaryValue *values = dictionary_values(dictionary);
	const uint8_t *all = dictionary_bytes(dictionary);
	const uint32_t tag = dictionary_tag(hash);

	for (uint32_t slot = (uint32_t) hash;; slot++)
	{
		const uint32_t taken = __atomic_load_n(&slots[slot & (dictionary->nslots - 1)], __ATOMIC_ACQUIRE);
		const uint32_t code = (taken ^ tag) - 1;
		const DictionaryValue *value;

		if (taken == 0)
			return DICTIONARY_NONE;
		/* a slot with another tag gives a number beyond all codes */
		if (code >= (1u << DICTIONARY_CODE_BITS) - 1)
			continue;
		value = &values[code];
		if (value->hash == hash && text_equal(all + value->offset, value->length, bytes, length))
			return code;
	}
}

/* A value that is looked up. */
typedef struct CodedValue
{
	const uint8_t *bytes;
	uint32_t	length;
	uint32_t	code;			/* DICTIONARY_NONE if there is none */
	uint64_t	hash;
} CodedValue;

/*
 * Find the hashes and codes of n values.  A dictionary of many values is larger
 * than the processor's caches, so the slots of all are asked for before the
 * first one is read, and then what these lead to.
 */
CORE_HOST void
dictionary_find_all(const Dictionary *dictionary, CodedValue *values, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
	{
		values[i].hash = hash_bytes(values[i].bytes, values[i].length);
		dictionary_prefetch(dictionary, values[i].hash);
	}
	for (uint32_t i = 0; i < n; i++)
		dictionary_prefetch_value(dictionary, values[i].hash);
	for (uint32_t i = 0; i < n; i++)
		values[i].code = dictionary_find(dictionary, values[i].bytes, values[i].length, values[i].hash);
}

/* Have a slot lead to a value that is there. */
CORE_HOST void
dictionary_enter(Dictionary *dictionary, uint32_t code, uint64_t hash)
{
	uint32_t   *slots = dictionary_slot(dictionary);
	uint32_t	slot = (uint32_t) hash;

	while (slots[slot & (dictionary->nslots - 1)] != 0)
		slot++;
	__atomic_store_n(&slots[slot & (dictionary->nslots - 1)], (code + 1) | dictionary_tag(hash), __ATOMIC_RELEASE);
}

/* Give a value that has none a code; DICTIONARY_NONE without room.  One caller at a time. */
CORE_HOST uint32_t
dictionary_add(Dictionary *dictionary, const uint8_t *bytes, uint32_t length, uint64_t hash)
{
	const uint32_t code = dictionary->nvalues;

	if (code == dictionary->capacity || length > dictionary->room - dictionary->used)
		return DICTIONARY_NONE;
	memcpy(dictionary_bytes(dictionary) + dictionary->used, bytes, length);
	dictionary_values(dictionary)[code] = (DictionaryValue) {dictionary->used, length, hash};
	dictionary->used += length;
	/* the value first, then what leads to it */
	dictionary_enter(dictionary, code, hash);
	__atomic_store_n(&dictionary->nvalues, code + 1, __ATOMIC_RELEASE);
	return code;
}

/* Have an empty one with at least as much room know the same codes; nobody adds to either meanwhile. */
CORE_HOST void
dictionary_copy(Dictionary *to, const Dictionary *from)
{
	const DictionaryValue *values = dictionary_values(from);

	memcpy(dictionary_values(to), values, from->nvalues * sizeof(DictionaryValue));
	memcpy(dictionary_bytes(to), dictionary_bytes(from), from->used);
	to->used = from->used;
	for (uint32_t code = 0; code < from->nvalues; code++)
	{
		if (code + DICTIONARY_AHEAD < from->nvalues)
			dictionary_prefetch(to, values[code + DICTIONARY_AHEAD].hash);
		dictionary_enter(to, code, values[code].hash);
	}
	__atomic_store_n(&to->nvalues, from->nvalues, __ATOMIC_RELEASE);
}

/*
 * A dictionary as a run knows it.  Who runs may put a larger one with the same
 * codes in its place, and know more codes, while any thread looks values up.
 */
typedef struct CodeBook
{
	const Dictionary *dictionary;
	uint32_t	nknown;			/* only these codes may stand in columns */
} CodeBook;

/* Find the codes of n values, as code_book_find() does. */
CORE_HOST void
code_book_find_all(const CodeBook *book, CodedValue *values, uint32_t n)
{
	const Dictionary *dictionary = __atomic_load_n(&book->dictionary, __ATOMIC_ACQUIRE);

	dictionary_find_all(dictionary, values, n);
	for (uint32_t i = 0; i < n; i++)
		if (values[i].code >= __atomic_load_n(&book->nknown, __ATOMIC_ACQUIRE))
			values[i].code = DICTIONARY_NONE;
}

/* The code of a value; DICTIONARY_NONE if the run knows none. */
CORE_HOST uint32_t
code_book_find(const CodeBook *book, const uint8_t *bytes, uint32_t length)
{
	const Dictionary *dictionary = __atomic_load_n(&book->dictionary, __ATOMIC_ACQUIRE);
	const uint32_t code = dictionary_find(dictionary, bytes, length, hash_bytes(bytes, length));

	return code < __atomic_load_n(&book->nknown, __ATOMIC_ACQUIRE) ? code : DICTIONARY_NONE;
}

#endif							/* GPUDB_CORE_DICTIONARY_H */

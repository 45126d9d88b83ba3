/*
 * dictionary.h
 *		Dictionary: the distinct values of a column, numbered by dictionary codes.
 *
 * A dictionary is flat memory that the caller owns; this file never allocates.
 *
 *		Dictionary | slots | values | bytes
 *
 *		slots	 open addressing with linear probing: dictionary code + 1, and
 *				 above it bits of the hash, so that most other values are skipped
 *				 without reading them; 0 = free
 *		values	 offset, length and hash of each dictionary code's bytes
 *		bytes	 contiguous, in the order of dictionary codes
 *
 * Values are only ever added, so the meaning of a dictionary code never changes.  One thread at a
 * time may add, while any number of threads look up values and codes without a lock and never see a
 * partial value.  When a dictionary is full, dictionary_copy() makes a larger one with the same
 * dictionary codes.
 *
 * Dictionaries exist on the host only.  There are at least twice as many slots as values, so
 * probing ends.
 */
#ifndef GPUDB_CORE_TABLET_DICTIONARY_H
#define GPUDB_CORE_TABLET_DICTIONARY_H

#include "core/vm/code_table.h"
#include "core/hash.h"
#include "core/vm/op_text.h"
#include "core/tablet/tablet_format.h"

#define DICTIONARY_NONE UINT32_MAX

/* Limits of a dictionary: number of values, and bytes of all values.  A column that exceeds them has no dictionary. */
#define DICTIONARY_MOST_VALUES	CODE_TABLE_MOST
#define DICTIONARY_MOST_BYTES	(UINT32_C(8) << 20)

/* Flag of a value in a column of dictionary codes that has none yet; the other bits are its position on its page. */
#define CODE_PATCH				UINT32_C(0x80000000)

/* Width of a slot's lower bits, which hold a dictionary code + 1; the bits above hold bits of the hash. */
#define DICTIONARY_CODE_BITS	18

/* Number of values by which dictionary_copy() prefetches slots ahead. */
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
	uint32_t	capacity;		/* limit of values */
	uint32_t	room;			/* limit of the bytes of values */
	/*
	 * Adding a value writes the fields below, which have another cache line than those above, which
	 * each lookup reads.
	 */
	uint32_t	apart[CORE_LINE_BYTES / sizeof(uint32_t) - 3];
	uint32_t	used;			/* bytes of values in use */
	uint32_t	nvalues;		/* number of values, read by dictionary_count() */
} Dictionary;

CORE_HOST uint32_t
dictionary_slots(uint32_t capacity)
{
	uint32_t	nslots = 64;

	while (nslots < 2 * capacity)
		nslots *= 2;
	return nslots;
}

/* Return the bytes of a dictionary for `capacity` values and `room` bytes of values. */
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

/* Initialize an empty dictionary in memory that is aligned to 64 and need not be zero: only the slots are cleared. */
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

/* Return the number of values; all smaller dictionary codes are visible to the caller. */
CORE_HOST uint32_t
dictionary_count(const Dictionary *dictionary)
{
	return __atomic_load_n(&dictionary->nvalues, __ATOMIC_ACQUIRE);
}

/* Return the bytes and length of a dictionary code's value. */
CORE_HOST const uint8_t *
dictionary_value(const Dictionary *dictionary, uint32_t code, uint32_t *length)
{
	const DictionaryValue *value = &dictionary_values(dictionary)[code];

	*length = value->length;
	return dictionary_bytes(dictionary) + value->offset;
}

/* Return the bits of a hash that a slot stores: none of those that select the slot. */
CORE_HOST uint32_t
dictionary_tag(uint64_t hash)
{
	return (uint32_t) (hash >> (32 + DICTIONARY_CODE_BITS)) << DICTIONARY_CODE_BITS;
}

/* Prefetch the slot that dictionary_find() reads first. */
CORE_HOST void
dictionary_prefetch(const Dictionary *dictionary, uint64_t hash)
{
	core_prefetch(&dictionary_slot(dictionary)[hash & (dictionary->nslots - 1)]);
}

/* Prefetch the value that dictionary_find() reads after its first slot, which should be in the cache by now. */
CORE_HOST void
dictionary_prefetch_value(const Dictionary *dictionary, uint64_t hash)
{
	const uint32_t taken = __atomic_load_n(&dictionary_slot(dictionary)[hash & (dictionary->nslots - 1)], __ATOMIC_RELAXED);
	const uint32_t code = (taken ^ dictionary_tag(hash)) - 1;

	if (taken != 0 && code < (1u << DICTIONARY_CODE_BITS) - 1)
		core_prefetch(&dictionary_values(dictionary)[code]);
}

/*
 * Return the dictionary code of a value; DICTIONARY_NONE if it has none, or a concurrent addition
 * is not yet visible.
 */
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
		/* a slot with another tag yields a number beyond all dictionary codes */
		if (code >= (1u << DICTIONARY_CODE_BITS) - 1)
			continue;
		value = &values[code];
		if (value->hash == hash && text_equal(all + value->offset, value->length, bytes, length))
			return code;
	}
}

/* A value to look up. */
typedef struct DictLookup
{
	const uint8_t *bytes;
	uint32_t	length;
	uint32_t	code;			/* dictionary code found; DICTIONARY_NONE if there is none */
	uint64_t	hash;
} DictLookup;

/*
 * Find the hashes and dictionary codes of `n` values.  A dictionary of many values is larger than
 * the processor's caches, so the slots of all values are prefetched before the first one is read,
 * and then the values that the slots lead to.
 */
CORE_HOST void
dictionary_find_all(const Dictionary *dictionary, DictLookup *values, uint32_t n)
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

/* Insert a dictionary code into the slots; its value must be stored already. */
CORE_HOST void
dictionary_enter(Dictionary *dictionary, uint32_t code, uint64_t hash)
{
	uint32_t   *slots = dictionary_slot(dictionary);
	uint32_t	slot = (uint32_t) hash;

	while (slots[slot & (dictionary->nslots - 1)] != 0)
		slot++;
	__atomic_store_n(&slots[slot & (dictionary->nslots - 1)], (code + 1) | dictionary_tag(hash), __ATOMIC_RELEASE);
}

/* Add a value that has no dictionary code; DICTIONARY_NONE without room.  One caller at a time. */
CORE_HOST uint32_t
dictionary_add(Dictionary *dictionary, const uint8_t *bytes, uint32_t length, uint64_t hash)
{
	const uint32_t code = dictionary->nvalues;

	if (code == dictionary->capacity || length > dictionary->room - dictionary->used)
		return DICTIONARY_NONE;
	memcpy(dictionary_bytes(dictionary) + dictionary->used, bytes, length);
	dictionary_values(dictionary)[code] = (DictionaryValue) {dictionary->used, length, hash};
	dictionary->used += length;
	/* the value is stored before the slot that leads to it */
	dictionary_enter(dictionary, code, hash);
	__atomic_store_n(&dictionary->nvalues, code + 1, __ATOMIC_RELEASE);
	return code;
}

/* Copy all values to an empty dictionary with at least as much room; nobody may add to either meanwhile. */
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
 * Dictionary of a column as a run uses it.  The owner of the run may replace it by a larger one
 * with the same dictionary codes, and raise `nknown`, while any thread looks up values.
 */
typedef struct DictView
{
	const Dictionary *dictionary;
	uint32_t	nknown;			/* only smaller dictionary codes may be stored in columns */
} DictView;

/* Find the dictionary codes of `n` values, limited to known ones as in dict_view_find(). */
CORE_HOST void
dict_view_find_all(const DictView *view, DictLookup *values, uint32_t n)
{
	const Dictionary *dictionary = __atomic_load_n(&view->dictionary, __ATOMIC_ACQUIRE);

	dictionary_find_all(dictionary, values, n);
	for (uint32_t i = 0; i < n; i++)
		if (values[i].code >= __atomic_load_n(&view->nknown, __ATOMIC_ACQUIRE))
			values[i].code = DICTIONARY_NONE;
}

/* Return the dictionary code of a value; DICTIONARY_NONE if the run knows none. */
CORE_HOST uint32_t
dict_view_find(const DictView *view, const uint8_t *bytes, uint32_t length)
{
	const Dictionary *dictionary = __atomic_load_n(&view->dictionary, __ATOMIC_ACQUIRE);
	const uint32_t code = dictionary_find(dictionary, bytes, length, hash_bytes(bytes, length));

	return code < __atomic_load_n(&view->nknown, __ATOMIC_ACQUIRE) ? code : DICTIONARY_NONE;
}

#endif							/* GPUDB_CORE_TABLET_DICTIONARY_H */

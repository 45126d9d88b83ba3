/*
 * local_dict.c
 *		Dictionaries of this process alone.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "tablet/read/local_dict.h"

/* Size of the first dictionary, and how much larger each of the next ones is. */
#define FIRST_VALUES	64
#define FIRST_BYTES		1024
#define GROWTH			4

struct LocalDict
{
	MemoryContext context;
	void	   *block;
	Dictionary *dictionary;		/* dictionary in `block` */
	DictView	view;
};

/* Replace the dictionary by a larger one, with room for `capacity` values and `room` bytes of them. */
static void
make_room(LocalDict *dict, uint32 capacity, uint32 room)
{
	const Dictionary *before = dict->dictionary;
	void	   *block = MemoryContextAlloc(dict->context, dictionary_size(capacity, room) + 64);

	dict->dictionary = (Dictionary *) TYPEALIGN(64, (uintptr_t) block);
	dictionary_begin(dict->dictionary, capacity, room);
	if (before != NULL)
	{
		dictionary_copy(dict->dictionary, before);
		pfree(dict->block);
	}
	dict->block = block;
}

LocalDict *
local_dict_create(MemoryContext context)
{
	LocalDict  *dict = MemoryContextAllocZero(context, sizeof(LocalDict));

	dict->context = context;
	make_room(dict, FIRST_VALUES, FIRST_BYTES);
	return dict;
}

uint32
local_dict_add(LocalDict *dict, const uint8 *bytes, uint32 length)
{
	const uint64 hash = hash_bytes(bytes, length);
	uint32		code = dictionary_find(dict->dictionary, bytes, length, hash);

	if (code != DICTIONARY_NONE)
		return code;
	code = dictionary_add(dict->dictionary, bytes, length, hash);
	if (code != DICTIONARY_NONE)
		return code;
	if (dict->dictionary->nvalues == DICTIONARY_MOST_VALUES || dict->dictionary->used + (uint64) length > DICTIONARY_MOST_BYTES)
		return DICTIONARY_NONE;
	make_room(dict, Min(dict->dictionary->capacity * GROWTH, DICTIONARY_MOST_VALUES),
			  Min(Max(dict->dictionary->room * GROWTH, dict->dictionary->used + length), DICTIONARY_MOST_BYTES));
	return dictionary_add(dict->dictionary, bytes, length, hash);
}

const DictView *
local_dict_view(LocalDict *dict)
{
	dict->view = (DictView) {dict->dictionary, dictionary_count(dict->dictionary)};
	return &dict->view;
}

const DictView *
local_dict_copy(MemoryContext context, const DictView *view)
{
	const Dictionary *from = view->dictionary;
	LocalDict  *dict = MemoryContextAllocZero(context, sizeof(LocalDict));

	dict->context = context;
	make_room(dict, Max(from->capacity, 1), from->room);
	dictionary_copy(dict->dictionary, from);
	return local_dict_view(dict);
}

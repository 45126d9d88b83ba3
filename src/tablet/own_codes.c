/*
 * own_codes.c
 *		Dictionaries of this process alone.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "tablet/own_codes.h"

/* Size of the first dictionary, and how much larger each of the next ones is. */
#define FIRST_VALUES	64
#define FIRST_BYTES		1024
#define GROWTH			4

struct OwnCodes
{
	MemoryContext context;
	void	   *block;
	Dictionary *dictionary;		/* dictionary in `block` */
	CodeBook	book;
};

/* Replace the dictionary by a larger one, with room for `capacity` values and `room` bytes of them. */
static void
make_room(OwnCodes *codes, uint32 capacity, uint32 room)
{
	const Dictionary *before = codes->dictionary;
	void	   *block = MemoryContextAlloc(codes->context, dictionary_size(capacity, room) + 64);

	codes->dictionary = (Dictionary *) TYPEALIGN(64, (uintptr_t) block);
	dictionary_begin(codes->dictionary, capacity, room);
	if (before != NULL)
	{
		dictionary_copy(codes->dictionary, before);
		pfree(codes->block);
	}
	codes->block = block;
}

OwnCodes *
own_codes_create(MemoryContext context)
{
	OwnCodes   *codes = MemoryContextAllocZero(context, sizeof(OwnCodes));

	codes->context = context;
	make_room(codes, FIRST_VALUES, FIRST_BYTES);
	return codes;
}

uint32
own_codes_add(OwnCodes *codes, const uint8 *bytes, uint32 length)
{
	const uint64 hash = hash_bytes(bytes, length);
	uint32		code = dictionary_find(codes->dictionary, bytes, length, hash);

	if (code != DICTIONARY_NONE)
		return code;
	code = dictionary_add(codes->dictionary, bytes, length, hash);
	if (code != DICTIONARY_NONE)
		return code;
	if (codes->dictionary->nvalues == DICTIONARY_MOST_VALUES || codes->dictionary->used + (uint64) length > DICTIONARY_MOST_BYTES)
		return DICTIONARY_NONE;
	make_room(codes, Min(codes->dictionary->capacity * GROWTH, DICTIONARY_MOST_VALUES),
			  Min(Max(codes->dictionary->room * GROWTH, codes->dictionary->used + length), DICTIONARY_MOST_BYTES));
	return dictionary_add(codes->dictionary, bytes, length, hash);
}

const CodeBook *
own_codes_book(OwnCodes *codes)
{
	codes->book = (CodeBook) {codes->dictionary, dictionary_count(codes->dictionary)};
	return &codes->book;
}

const CodeBook *
own_codes_copy(MemoryContext context, const CodeBook *book)
{
	const Dictionary *from = book->dictionary;
	OwnCodes   *codes = MemoryContextAllocZero(context, sizeof(OwnCodes));

	codes->context = context;
	make_room(codes, Max(from->capacity, 1), from->room);
	dictionary_copy(codes->dictionary, from);
	return own_codes_book(codes);
}

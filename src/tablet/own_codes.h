/*
 * own_codes.h
 *		Dictionaries of this process alone: of the texts that tables of joins have.
 */
#ifndef GPUDB_TABLET_OWN_CODES_H
#define GPUDB_TABLET_OWN_CODES_H

#include "postgres.h"

#include "core/dictionary.h"

typedef struct OwnCodes OwnCodes;

/* An empty one, in memory of `context`. */
extern OwnCodes *own_codes_create(MemoryContext context);

/* The code of a value, given one if it has none; DICTIONARY_NONE if that would be one too many. */
extern uint32 own_codes_add(OwnCodes *codes, const uint8 *bytes, uint32 length);

/* All values; it is of use for as long as none is added. */
extern const CodeBook *own_codes_book(OwnCodes *codes);

/* The values that a book has now, with the same codes. */
extern const CodeBook *own_codes_copy(MemoryContext context, const CodeBook *book);

#endif							/* GPUDB_TABLET_OWN_CODES_H */

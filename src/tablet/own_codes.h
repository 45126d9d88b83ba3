/*
 * own_codes.h
 *		Dictionaries of this process alone, for the texts of join tables.
 */
#ifndef GPUDB_TABLET_OWN_CODES_H
#define GPUDB_TABLET_OWN_CODES_H

#include "postgres.h"

#include "core/dictionary.h"

typedef struct OwnCodes OwnCodes;

/* Create an empty dictionary in `context`. */
extern OwnCodes *own_codes_create(MemoryContext context);

/* Return the dictionary code of a value, and assign one if it has none; DICTIONARY_NONE if the dictionary is full. */
extern uint32 own_codes_add(OwnCodes *codes, const uint8 *bytes, uint32 length);

/* Return a view of all values, valid until a value is added. */
extern const CodeBook *own_codes_book(OwnCodes *codes);

/* Copy the values that a dictionary has now, with the same codes, into `context`. */
extern const CodeBook *own_codes_copy(MemoryContext context, const CodeBook *book);

#endif							/* GPUDB_TABLET_OWN_CODES_H */

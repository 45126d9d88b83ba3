/*
 * local_dict.h
 *		Dictionaries of this process alone, for the texts of join tables.
 */
#ifndef GPUDB_TABLET_READ_LOCAL_DICT_H
#define GPUDB_TABLET_READ_LOCAL_DICT_H

#include "postgres.h"

#include "core/tablet/dictionary.h"

typedef struct LocalDict LocalDict;

/* Create an empty dictionary in `context`. */
extern LocalDict *local_dict_create(MemoryContext context);

/* Return the dictionary code of a value, and assign one if it has none; DICTIONARY_NONE if the dictionary is full. */
extern uint32 local_dict_add(LocalDict *dict, const uint8 *bytes, uint32 length);

/* Return a view of all values, valid until a value is added. */
extern const DictView *local_dict_view(LocalDict *dict);

/* Copy the values that a dictionary has now, with the same codes, into `context`. */
extern const DictView *local_dict_copy(MemoryContext context, const DictView *view);

#endif							/* GPUDB_TABLET_READ_LOCAL_DICT_H */

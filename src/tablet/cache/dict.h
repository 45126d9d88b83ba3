/*
 * dict.h
 *		Dictionaries of columns: the dictionary code of each distinct value, for all tablets of a file.
 *
 * Dictionary codes mean the same for as long as the dictionary has its number,
 * which is part of the keys of columns that hold them (shelf.h): when the
 * dictionary goes, no lookup finds these columns any more.  A column with too
 * many values, or too large ones, is refused a dictionary until its file is
 * another.
 */
#ifndef GPUDB_TABLET_CACHE_DICT_H
#define GPUDB_TABLET_CACHE_DICT_H

#include "postgres.h"

#include "utils/rel.h"

#include "core/tablet/dictionary.h"

/* A column's dictionary, pinned by this process. */
typedef struct Dict Dict;

/* Reserve shared memory for the directory of dictionaries (at library load), then attach to it. */
extern void dict_request_shmem(void);
extern void dict_create(void);

/* Return true if values of a type may be stored as dictionary codes. */
extern bool dict_suit_type(Oid type);

/* Return true if an attribute has few distinct values, as far as its dictionary or statistics tell. */
extern bool dict_few(Relation relation, AttrNumber attno);

/*
 * Return true if an attribute's texts may be stored as dictionary codes: it has
 * few distinct values, and there can be a dictionary.
 */
extern bool dict_likely(Relation relation, AttrNumber attno);

/* Return how many values an attribute's dictionary has, and set *number to its number; both are 0 if there is none. */
extern uint32 dict_count_of(Relation relation, AttrNumber attno, uint64 *number);

/*
 * Pin an attribute's dictionary, and make it if there is none; return NULL if
 * the attribute is refused one or there is no room.  The pin is released when
 * the current memory context is reset or deleted.  The result knows all codes
 * of the dictionary.
 */
extern Dict *dict_pin(Relation relation, AttrNumber attno);

/* Make `codes` refer to the current copy of its dictionary, with all values that other processes have added. */
extern void dict_refresh(Dict *dict);

extern uint64 dict_number(const Dict *dict);
extern uint32 dict_count(const Dict *dict);

/* Return the view of the dictionary in which threads look values up. */
extern DictView *dict_view_of(Dict *dict);

/*
 * Find the dictionary codes of n values, and assign codes to values that have
 * none.  Return false, and refuse the column a dictionary from now on, if the
 * dictionary cannot take another value: then not all of the values have codes.
 */
extern bool dict_add_values(Dict *dict, DictLookup *values, uint32 n);

/*
 * Return the dictionary code of one value, and assign one if it has none;
 * return DICTIONARY_NONE, and refuse the column a dictionary from now on, if
 * the dictionary cannot take another value.
 */
extern uint32 dict_add(Dict *dict, const uint8 *bytes, uint32 length);

/* Drop a relation's dictionaries, except those that some process has pinned. */
extern void dict_evict_relation(Relation relation);

/* Drop the dictionaries of files that no longer exist, except those that some process has pinned. */
extern void dict_drop_orphans(void);

/* Dictionary, as shown in views. */
typedef struct DictShown
{
	Oid			tablespace;
	Oid			database;
	Oid			file;
	AttrNumber	attno;
	bool		refused;
	uint32		nvalues;
	Size		bytes;
} DictShown;

typedef void (*DictVisitor) (const DictShown *shown, void *arg);

/* Call `visit` for each dictionary, with pool_lock() held; `visit` must not access anything that takes locks. */
extern void dict_visit(DictVisitor visit, void *arg);

#endif							/* GPUDB_TABLET_CACHE_DICT_H */

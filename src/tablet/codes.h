/*
 * codes.h
 *		Dictionaries of columns: the code of each distinct value, for all tablets of a file.
 *
 * Codes mean the same for as long as the dictionary has its number, which is
 * part of the keys of columns that hold them (shelf.h): when it goes, nobody
 * finds these any more.  A column with too many values, or too large ones, is
 * refused one until its file is another.
 */
#ifndef GPUDB_TABLET_CODES_H
#define GPUDB_TABLET_CODES_H

#include "postgres.h"

#include "utils/rel.h"

#include "core/dictionary.h"

/* A column's dictionary, pinned by this process. */
typedef struct Codes Codes;

/* Reserve shared memory (at library load), then attach to it. */
extern void codes_request_shmem(void);
extern void codes_create(void);

/* Whether values of a type may have codes. */
extern bool codes_suit_type(Oid type);

/* Whether an attribute has few values, as far as its dictionary or statistics tell. */
extern bool codes_few(Relation relation, AttrNumber attno);

/* Whether its texts may be held as codes: it has few values, and there can be a dictionary. */
extern bool codes_likely(Relation relation, AttrNumber attno);

/* How many values an attribute's dictionary has, and its number, 0 if there is none. */
extern uint32 codes_count_of(Relation relation, AttrNumber attno, uint64 *number);

/*
 * An attribute's dictionary, made if there is none; NULL if it is refused one
 * or there is no room.  Unpinned when the current memory context goes.  All
 * of its codes are known to the book.
 */
extern Codes *codes_pin(Relation relation, AttrNumber attno);

/* Have the book show the dictionary as it is now, with all values that others have added. */
extern void codes_refresh(Codes *codes);

extern uint64 codes_number(const Codes *codes);
extern uint32 codes_count(const Codes *codes);

/* What threads look values up in. */
extern CodeBook *codes_book(Codes *codes);

/*
 * Find the codes of n values, and give codes to those that have none.  False,
 * and the column is refused a dictionary for all times, where that would be one
 * code too many: then not all of the values have codes.
 */
extern bool codes_add_values(Codes *codes, CodedValue *values, uint32 n);

/* The code of one value, given one if it has none; DICTIONARY_NONE, for all times, if that would be one too many. */
extern uint32 codes_add(Codes *codes, const uint8 *bytes, uint32 length);

/* A relation's dictionaries go, but for those that somebody has pinned. */
extern void codes_evict_relation(Relation relation);

/* The same of files that are no more. */
extern void codes_drop_orphans(void);

/* A dictionary, for views. */
typedef struct CodesShown
{
	Oid			tablespace;
	Oid			database;
	Oid			file;
	AttrNumber	attno;
	bool		refused;
	uint32		nvalues;
	Size		bytes;
} CodesShown;

typedef void (*CodesVisitor) (const CodesShown *shown, void *arg);

/* Show each to a function that looks at nothing which takes locks. */
extern void codes_visit(CodesVisitor visit, void *arg);

#endif							/* GPUDB_TABLET_CODES_H */

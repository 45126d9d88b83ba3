/*
 * dict.c
 *		Dictionaries of columns.
 *
 * The directory is a hash table in PostgreSQL's shared memory; dictionaries are
 * in the pool.  The pool's lock protects both: held exclusively to add a value,
 * while any thread of any process looks values up without it.  A dictionary
 * that has grown too small is replaced by a larger copy; it goes when nobody
 * has the column's dictionary pinned.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_statistic.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "port/atomics.h"
#include "storage/shmem.h"
#include "utils/hsearch.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "guc.h"
#include "pg_compat.h"
#include "tablet/cache/dict.h"
#include "tablet/cache/fingerprint.h"
#include "tablet/cache/pool.h"
#include "tablet/cache/shelf.h"
#include "tablet/cache/shelf_private.h"

/* Number of dictionaries that the directory has room for, for each MB of the pool. */
#define CODES_PER_MB	2
#define CODES_LEAST		64

/* All dictionaries together may take the pool's size divided by this. */
#define CODES_SHARE		4

/* Size of a column's first dictionary, and how much larger each of the next ones is. */
#define FIRST_VALUES	512
#define FIRST_BYTES		8192
#define GROWTH			4

/* A column may have this many times as many values as ANALYZE estimates. */
#define UNDERESTIMATED	1.5

/* Length of the longest text that gets a dictionary code. */
#define LONGEST_VALUE	2000

typedef struct DictKey
{
	Oid			tablespace;
	Oid			database;
	Oid			file;
	int32		attno;
	uint64		fingerprint;	/* tablet_fingerprint() of the attribute */
} DictKey;

typedef struct DictionaryBlock
{
	dsa_pointer next;			/* next of the blocks that were replaced */
	Size		size;
	Dictionary	dictionary;
} DictionaryBlock;

typedef struct SharedDict
{
	DictKey		key;
	pg_atomic_uint32 pins;
	pg_atomic_uint64 used;		/* time of the last pin, by the pool's clock */
	uint64		number;
	bool		refused;
	dsa_pointer current;		/* DictionaryBlock */
	dsa_pointer replaced;		/* DictionaryBlock: smaller ones that were replaced */
} SharedDict;

struct Dict
{
	DictView	view;
	SharedDict *shared;
	MemoryContextCallback unpin;
};

/* Totals of all dictionaries, beside the directory. */
typedef struct DictTotals
{
	slock_t		unused;			/* initialized by pool_attach_beside() */
	Size		bytes;			/* bytes of all dictionaries; protected by pool_lock() */
} DictTotals;

static HTAB *directory = NULL;
static DictTotals *totals = NULL;

static long
most_codes(void)
{
	return Max(CODES_LEAST, (long) gpudb_pool_size * CODES_PER_MB);
}

void
dict_request_shmem(void)
{
	if (pool_bytes() == 0)
		return;
	RequestAddinShmemSpace(hash_estimate_size(most_codes(), sizeof(SharedDict)));
	pool_request_beside(sizeof(DictTotals));
}

void
dict_create(void)
{
	HASHCTL		info = {.keysize = sizeof(DictKey), .entrysize = sizeof(SharedDict)};

	if (!pool_exists())
		return;
	totals = pool_attach_beside("gpudb dictionary totals", sizeof(DictTotals));
	LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
	directory = ShmemInitHash("gpudb dictionaries", most_codes(), most_codes(), &info, HASH_ELEM | HASH_BLOBS | HASH_FIXED_SIZE);
	LWLockRelease(AddinShmemInitLock);
}

static DictKey
key_of(Relation relation, AttrNumber attno)
{
	DictKey		key;

	/* hash keys are compared byte for byte */
	memset(&key, 0, sizeof(key));
	key.tablespace = compat_relation_tablespace(relation);
	key.database = MyDatabaseId;
	key.file = compat_relation_file(relation);
	key.attno = attno;
	key.fingerprint = tablet_fingerprint(RelationGetDescr(relation), attno);
	return key;
}

static Dictionary *
dictionary_of(const SharedDict *shared)
{
	return &((DictionaryBlock *) pool_address(shared->current))->dictionary;
}

/* Return true if nobody has pinned a dictionary, which then may be dropped under the lock. */
static bool
is_idle(SharedDict *shared)
{
	return pg_atomic_read_u32(&shared->pins) == 0;
}

/* Freeing, with the lock held exclusively */

static void
drop_block(dsa_pointer pointer)
{
	DictionaryBlock *block = pool_address(pointer);

	if (block == NULL)
		return;
	totals->bytes -= block->size;
	pool_free(pointer);
}

static void
drop_replaced(SharedDict *shared)
{
	while (DsaPointerIsValid(shared->replaced))
	{
		dsa_pointer pointer = shared->replaced;

		shared->replaced = ((DictionaryBlock *) pool_address(pointer))->next;
		drop_block(pointer);
	}
}

static void
drop_codes(SharedDict *shared)
{
	drop_replaced(shared);
	drop_block(shared->current);
	hash_search(directory, &shared->key, HASH_REMOVE, NULL);
}

/* Drop the dictionary that was not used for longest; return false if all are in use. */
static bool
drop_oldest(void)
{
	HASH_SEQ_STATUS all;
	SharedDict *shared;
	SharedDict *oldest = NULL;

	hash_seq_init(&all, directory);
	while ((shared = hash_seq_search(&all)) != NULL)
		if (is_idle(shared) &&
			(oldest == NULL || pg_atomic_read_u64(&shared->used) < pg_atomic_read_u64(&oldest->used)))
			oldest = shared;
	if (oldest != NULL)
		drop_codes(oldest);
	return oldest != NULL;
}

/* Drop the dictionaries that a function selects, and that nobody has pinned. */
static void
drop_if(bool (*goes) (const DictKey *key, void *arg), void *arg)
{
	HASH_SEQ_STATUS all;
	SharedDict *shared;

	if (directory == NULL)
		return;
	LWLockAcquire(pool_lock(), LW_EXCLUSIVE);
	hash_seq_init(&all, directory);
	while ((shared = hash_seq_search(&all)) != NULL)
		if (is_idle(shared) && goes(&shared->key, arg))
			drop_codes(shared);
	LWLockRelease(pool_lock());
}

static bool
is_of_relation(const DictKey *key, void *arg)
{
	Relation	relation = arg;

	return key->tablespace == compat_relation_tablespace(relation) && key->database == MyDatabaseId &&
		key->file == compat_relation_file(relation);
}

void
dict_evict_relation(Relation relation)
{
	drop_if(is_of_relation, relation);
}

static bool
is_orphan(const DictKey *key, void *arg)
{
	return shelf_file_is_gone(key->database, key->tablespace, key->file);
}

void
dict_drop_orphans(void)
{
	drop_if(is_orphan, NULL);
}

/* Creating */

/*
 * Create an empty dictionary in the pool; tablets and other dictionaries that
 * nobody uses make room.  Return InvalidDsaPointer without room.
 */
static dsa_pointer
make_block(uint32 capacity, uint32 room)
{
	const Size	size = offsetof(DictionaryBlock, dictionary) + dictionary_size(capacity, room);
	dsa_pointer pointer = shelf_allocate(size, &SHELF_ROOM_AT_ANY_PRICE);
	DictionaryBlock *block = pool_address(pointer);
	bool		fits = true;

	if (block == NULL)
		return pointer;
	block->size = size;
	block->next = InvalidDsaPointer;
	dictionary_begin(&block->dictionary, capacity, room);
	LWLockAcquire(pool_lock(), LW_EXCLUSIVE);
	while (fits && totals->bytes + size > pool_bytes() / CODES_SHARE)
		fits = drop_oldest();
	totals->bytes += size;
	if (!fits)
	{
		drop_block(pointer);
		pointer = InvalidDsaPointer;
	}
	LWLockRelease(pool_lock());
	return pointer;
}

static void
pin(SharedDict *shared)
{
	pg_atomic_fetch_add_u32(&shared->pins, 1);
	pg_atomic_write_u64(&shared->used, shelf_next_number());
}

/* Find and pin a column's entry; return NULL if there is none. */
static SharedDict *
find_pinned(const DictKey *key)
{
	SharedDict *shared;

	LWLockAcquire(pool_lock(), LW_SHARED);
	shared = hash_search(directory, key, HASH_FIND, NULL);
	if (shared != NULL)
		pin(shared);
	LWLockRelease(pool_lock());
	return shared;
}

/*
 * Create an entry with an empty dictionary, unless another process has just
 * done so, and pin it; return NULL without room.
 */
static SharedDict *
make_pinned(const DictKey *key)
{
	dsa_pointer block = make_block(FIRST_VALUES, FIRST_BYTES);
	SharedDict *shared;
	bool		found;

	if (!DsaPointerIsValid(block))
		return NULL;
	LWLockAcquire(pool_lock(), LW_EXCLUSIVE);
	while ((shared = hash_search(directory, key, HASH_ENTER_NULL, &found)) == NULL && drop_oldest())
		;
	if (shared != NULL && !found)
	{
		pg_atomic_init_u32(&shared->pins, 0);
		pg_atomic_init_u64(&shared->used, 0);
		shared->number = shelf_next_number();
		shared->refused = false;
		shared->current = block;
		shared->replaced = InvalidDsaPointer;
		block = InvalidDsaPointer;
	}
	if (shared != NULL)
		pin(shared);
	drop_block(block);
	LWLockRelease(pool_lock());
	return shared;
}

static void
unpin(SharedDict *shared)
{
	if (pg_atomic_sub_fetch_u32(&shared->pins, 1) > 0 || !DsaPointerIsValid(shared->replaced))
		return;
	/* not worth waiting for: the next process that gets the lock frees them */
	if (!LWLockConditionalAcquire(pool_lock(), LW_EXCLUSIVE))
		return;
	if (is_idle(shared))
		drop_replaced(shared);
	LWLockRelease(pool_lock());
}

static void
unpin_callback(void *arg)
{
	unpin(((Dict *) arg)->shared);
}

Dict *
dict_pin(Relation relation, AttrNumber attno)
{
	const DictKey key = key_of(relation, attno);
	Dict	   *dict = palloc0(sizeof(Dict));
	SharedDict *shared;

	if (directory == NULL)
		return NULL;
	/* unpinning may free, and must not fail */
	pool_attach();
	shared = find_pinned(&key);
	if (shared == NULL)
		shared = make_pinned(&key);
	if (shared == NULL)
		return NULL;
	dict->shared = shared;
	dict->unpin = (MemoryContextCallback) {.func = unpin_callback, .arg = dict};
	MemoryContextRegisterResetCallback(CurrentMemoryContext, &dict->unpin);
	if (shared->refused)
		return NULL;
	dict->view.nknown = PG_UINT32_MAX;
	dict_refresh(dict);
	return dict;
}

void
dict_refresh(Dict *dict)
{
	const Dictionary *dictionary;

	LWLockAcquire(pool_lock(), LW_SHARED);
	dictionary = dictionary_of(dict->shared);
	LWLockRelease(pool_lock());
	__atomic_store_n(&dict->view.dictionary, dictionary, __ATOMIC_RELEASE);
}

uint64
dict_number(const Dict *dict)
{
	return dict->shared->number;
}

uint32
dict_count(const Dict *dict)
{
	return dictionary_count(dict->view.dictionary);
}

DictView *
dict_view_of(Dict *dict)
{
	return &dict->view;
}

/* Adding */

/* Refuse a column a dictionary from now on. */
static void
refuse(Dict *dict)
{
	LWLockAcquire(pool_lock(), LW_EXCLUSIVE);
	dict->shared->refused = true;
	LWLockRelease(pool_lock());
}

/*
 * Replace a dictionary that is full by a larger one, unless another process has
 * just done so; return false if that cannot be.
 */
static bool
grow(Dict *dict, const Dictionary *full, uint32 length)
{
	SharedDict *shared = dict->shared;
	const uint32 capacity = Min(Max(full->capacity, full->nvalues) * GROWTH, DICTIONARY_MOST_VALUES);
	const uint32 room = Min(full->room * GROWTH, DICTIONARY_MOST_BYTES);
	dsa_pointer pointer;
	DictionaryBlock *block;

	if (full->nvalues == capacity || length > room - full->used)
		return false;
	pointer = make_block(capacity, room);
	block = pool_address(pointer);
	if (block == NULL)
		return false;
	LWLockAcquire(pool_lock(), LW_EXCLUSIVE);
	if (dictionary_of(shared) == full)
	{
		DictionaryBlock *old = pool_address(shared->current);

		dictionary_copy(&block->dictionary, full);
		old->next = shared->replaced;
		shared->replaced = shared->current;
		shared->current = pointer;
	}
	else
		drop_block(pointer);
	LWLockRelease(pool_lock());
	return true;
}

/* Dictionary as it was when values were looked up in it. */
typedef struct SeenDictionary
{
	const Dictionary *dictionary;
	uint32		nvalues;
} SeenDictionary;

/*
 * Assign dictionary codes to those of n values that have none, up to the first
 * value that the dictionary has no room for; return that value's index, or n.
 */
static uint32
add_missing(Dict *dict, SeenDictionary seen, DictLookup *values, uint32 n)
{
	Dictionary *dictionary;
	uint32		i = 0;

	LWLockAcquire(pool_lock(), LW_EXCLUSIVE);
	dictionary = dictionary_of(dict->shared);
	for (; i < n; i++)
	{
		DictLookup *value = &values[i];

		if (value->code != DICTIONARY_NONE)
			continue;
		/* other processes may have added the value meanwhile, and so may have an earlier one of these values */
		if (dictionary != seen.dictionary || dictionary->nvalues != seen.nvalues)
			value->code = dictionary_find(dictionary, value->bytes, value->length, value->hash);
		if (value->code == DICTIONARY_NONE && value->length <= LONGEST_VALUE)
			value->code = dictionary_add(dictionary, value->bytes, value->length, value->hash);
		if (value->code == DICTIONARY_NONE)
			break;
	}
	LWLockRelease(pool_lock());
	__atomic_store_n(&dict->view.dictionary, dictionary, __ATOMIC_RELEASE);
	return i;
}

/* Look values up without the lock; return true if all of them have dictionary codes. */
static bool
find_values(SeenDictionary seen, DictLookup *values, uint32 n)
{
	bool		all = true;

	dictionary_find_all(seen.dictionary, values, n);
	for (uint32 i = 0; i < n; i++)
		all &= values[i].code != DICTIONARY_NONE;
	return all;
}

bool
dict_add_values(Dict *dict, DictLookup *values, uint32 n)
{
	const SeenDictionary seen = {dict->view.dictionary, dictionary_count(dict->view.dictionary)};
	uint32		done;

	if (find_values(seen, values, n))
		return true;
	for (done = 0; (done += add_missing(dict, seen, values + done, n - done)) < n;)
		if (values[done].length > LONGEST_VALUE || !grow(dict, dict->view.dictionary, values[done].length))
		{
			refuse(dict);
			return false;
		}
	return true;
}

uint32
dict_add(Dict *dict, const uint8 *bytes, uint32 length)
{
	DictLookup	value = {bytes, length};

	return dict_add_values(dict, &value, 1) ? value.code : DICTIONARY_NONE;
}

/* Guessing */

/*
 * Return true if statistics tell of more values, or bytes of them, than a
 * dictionary may have.  A sample shows the values that are frequent, so the
 * number that ANALYZE makes of it is mostly too small, though there is no more
 * than one value a row.
 */
static bool
has_too_many(Relation relation, AttrNumber attno)
{
	HeapTuple	tuple = SearchSysCache3(STATRELATTINH, ObjectIdGetDatum(RelationGetRelid(relation)), Int16GetDatum(attno), BoolGetDatum(false));
	const double rows = Max(relation->rd_rel->reltuples, 0);
	double		distinct;
	double		width;

	if (!HeapTupleIsValid(tuple))
		return false;
	distinct = ((Form_pg_statistic) GETSTRUCT(tuple))->stadistinct;
	width = ((Form_pg_statistic) GETSTRUCT(tuple))->stawidth;
	ReleaseSysCache(tuple);
	if (distinct < 0)
		distinct *= -rows;
	distinct = Max(distinct, Min(distinct * UNDERESTIMATED, rows));
	return distinct > DICTIONARY_MOST_VALUES || distinct * width > DICTIONARY_MOST_BYTES || width > LONGEST_VALUE;
}

/* Get what is known of a column's dictionary; return false if there is none. */
static bool
look(Relation relation, AttrNumber attno, DictShown *shown, uint64 *number)
{
	const DictKey key = key_of(relation, attno);
	SharedDict *shared;

	if (directory == NULL)
		return false;
	LWLockAcquire(pool_lock(), LW_SHARED);
	shared = hash_search(directory, &key, HASH_FIND, NULL);
	if (shared != NULL)
	{
		shown->refused = shared->refused;
		shown->nvalues = dictionary_count(dictionary_of(shared));
		*number = shared->number;
	}
	LWLockRelease(pool_lock());
	return shared != NULL;
}

bool
dict_suit_type(Oid type)
{
	type = getBaseType(type);
	return type == TEXTOID || type == VARCHAROID || type == BPCHAROID;
}

bool
dict_few(Relation relation, AttrNumber attno)
{
	DictShown	shown;
	uint64		number;

	return look(relation, attno, &shown, &number) ? !shown.refused : !has_too_many(relation, attno);
}

bool
dict_likely(Relation relation, AttrNumber attno)
{
	return directory != NULL && dict_few(relation, attno);
}

uint32
dict_count_of(Relation relation, AttrNumber attno, uint64 *number)
{
	DictShown	shown;

	if (look(relation, attno, &shown, number))
		return shown.nvalues;
	*number = 0;
	return 0;
}

void
dict_visit(DictVisitor visit, void *arg)
{
	HASH_SEQ_STATUS all;
	SharedDict *shared;

	if (directory == NULL)
		return;
	LWLockAcquire(pool_lock(), LW_SHARED);
	hash_seq_init(&all, directory);
	while ((shared = hash_seq_search(&all)) != NULL)
	{
		const DictionaryBlock *block = pool_address(shared->current);
		const DictShown shown = {
			.tablespace = shared->key.tablespace, .database = shared->key.database, .file = shared->key.file,
			.attno = (AttrNumber) shared->key.attno, .refused = shared->refused,
			.nvalues = dictionary_count(&block->dictionary), .bytes = block->size
		};

		visit(&shown, arg);
	}
	LWLockRelease(pool_lock());
}

/*
 * collated.c
 *		Order of texts under a collation.
 *
 * Only PostgreSQL knows the order, by the C library or ICU, which takes many
 * times as long as comparing bytes.  Therefore distinct texts are found by
 * their bytes first, PostgreSQL sorts each of them once, and each row gets its
 * text's rank among them.  Ranks are sorted as integers are.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/pg_locale.h"
#include "utils/tuplesort.h"
#include "utils/typcache.h"

#include "core/hash.h"
#include "device/mapping.h"
#include "exec/sort/collated.h"
#include "exec/sort/stored_rows.h"

#define FIRST_SLOTS	1024
#define NO_TEXT		UINT32_MAX

/* Distinct texts of a key, numbered in the order of their first rows. */
typedef struct Texts
{
	const Tablet *rows;
	const SortKey *key;
	Oid			collation;
	uint32		count;
	uint32		capacity;
	uint32	   *row;			/* a row that has the text, for each number */
	uint64	   *hash;
	uint32		nslots;			/* size of `slot`: a power of two, twice `capacity` */
	uint32	   *slot;			/* hash table of numbers, NO_TEXT = empty */
} Texts;

bool
is_collated(Oid collation)
{
	return OidIsValid(collation) && !lc_collate_is_c(collation);
}

static void *
allocate(Size n, Size bytes)
{
	return palloc_extended(n * bytes, MCXT_ALLOC_HUGE);
}

/* Double the capacity and rebuild the hash table. */
static void
grow(Texts *texts)
{
	texts->capacity *= 2;
	texts->nslots *= 2;
	texts->row = repalloc_huge(texts->row, sizeof(uint32) * (Size) texts->capacity);
	texts->hash = repalloc_huge(texts->hash, sizeof(uint64) * (Size) texts->capacity);
	texts->slot = repalloc_huge(texts->slot, sizeof(uint32) * (Size) texts->nslots);
	memset(texts->slot, 0xff, sizeof(uint32) * (Size) texts->nslots);
	for (uint32 number = 0; number < texts->count; number++)
	{
		uint32		at = texts->hash[number] & (texts->nslots - 1);

		while (texts->slot[at] != NO_TEXT)
			at = (at + 1) & (texts->nslots - 1);
		texts->slot[at] = number;
	}
}

static bool
is_same(const Texts *texts, uint32 number, uint64 hash, const uint8 *bytes, uint32 length)
{
	uint32		other_length;
	const uint8 *other;

	if (texts->hash[number] != hash)
		return false;
	other = sort_text(texts->rows, texts->key, texts->row[number], &other_length);
	return other_length == length && memcmp(other, bytes, length) == 0;
}

/* Return the number of a row's text, assigning a new one if it is the first row with it. */
static uint32
number_of(Texts *texts, uint32 row)
{
	uint32		length;
	const uint8 *bytes = sort_text(texts->rows, texts->key, row, &length);
	const uint64 hash = hash_bytes(bytes, length);
	uint32		at;

	if (texts->count == texts->capacity)
		grow(texts);
	for (at = hash & (texts->nslots - 1); texts->slot[at] != NO_TEXT; at = (at + 1) & (texts->nslots - 1))
		if (is_same(texts, texts->slot[at], hash, bytes, length))
			return texts->slot[at];
	texts->slot[at] = texts->count;
	texts->row[texts->count] = row;
	texts->hash[texts->count] = hash;
	return texts->count++;
}

/* Begin PostgreSQL's sort of pairs of text and number. */
static Tuplesortstate *
begin_sort(const Texts *texts, TupleDesc desc)
{
	AttrNumber	column = 1;
	Oid			less = lookup_type_cache(TEXTOID, TYPECACHE_LT_OPR)->lt_opr;
	Oid			collation = texts->collation;
	bool		nulls_first = false;

	return tuplesort_begin_heap(desc, 1, &column, &less, &collation, &nulls_first, work_mem, NULL, TUPLESORT_NONE);
}

static void
put_texts(const Texts *texts, Tuplesortstate *sort, TupleTableSlot *slot)
{
	slot->tts_isnull[0] = slot->tts_isnull[1] = false;
	for (uint32 number = 0; number < texts->count; number++)
	{
		uint32		length;
		const uint8 *bytes = sort_text(texts->rows, texts->key, texts->row[number], &length);

		ExecClearTuple(slot);
		slot->tts_values[0] = PointerGetDatum(cstring_to_text_with_len((const char *) bytes, (int) length));
		slot->tts_values[1] = Int64GetDatum(number);
		ExecStoreVirtualTuple(slot);
		tuplesort_puttupleslot(sort, slot);
		pfree(DatumGetPointer(slot->tts_values[0]));
	}
}

/* Return the rank of each number, in a palloc'd array. */
static uint32 *
places_of(const Texts *texts)
{
	uint32	   *place = allocate(Max(texts->count, 1), sizeof(uint32));
	TupleDesc	desc = CreateTemplateTupleDesc(2);
	TupleTableSlot *in;
	TupleTableSlot *out;
	Tuplesortstate *sort;
	bool		isnull;

	TupleDescInitEntry(desc, 1, NULL, TEXTOID, -1, 0);
	TupleDescInitEntryCollation(desc, 1, texts->collation);
	TupleDescInitEntry(desc, 2, NULL, INT8OID, -1, 0);
	in = MakeSingleTupleTableSlot(desc, &TTSOpsVirtual);
	out = MakeSingleTupleTableSlot(desc, &TTSOpsMinimalTuple);
	sort = begin_sort(texts, desc);
	put_texts(texts, sort, in);
	tuplesort_performsort(sort);
	for (uint32 i = 0; tuplesort_gettupleslot(sort, true, false, out, NULL); i++)
		place[DatumGetInt64(slot_getattr(out, 2, &isnull))] = i;
	ExecDropSingleTupleTableSlot(out);
	ExecDropSingleTupleTableSlot(in);
	tuplesort_end(sort);
	return place;
}

SortRanks
collated_ranks(const Tablet *rows, const SortKey *key, Oid collation)
{
	const TabletColumn *column = &rows->column[key->column];
	uint32	   *number = mapping_palloc(CurrentMemoryContext, sizeof(uint32) * Max((Size) rows->nrows, 1));
	Texts		texts = {
		.rows = rows, .key = key, .collation = collation, .capacity = FIRST_SLOTS / 2, .nslots = FIRST_SLOTS,
		.row = allocate(FIRST_SLOTS / 2, sizeof(uint32)), .hash = allocate(FIRST_SLOTS / 2, sizeof(uint64)),
		.slot = allocate(FIRST_SLOTS, sizeof(uint32))
	};
	uint32	   *place;

	memset(texts.slot, 0xff, sizeof(uint32) * FIRST_SLOTS);
	for (uint32 row = 0; row < rows->nrows; row++)
	{
		if (row % 4096 == 0)
			CHECK_FOR_INTERRUPTS();
		number[row] = tablet_is_null(rows, column, row) ? 0 : number_of(&texts, row);
	}
	pfree(texts.slot);
	pfree(texts.hash);
	place = places_of(&texts);
	for (uint32 row = 0; row < rows->nrows; row++)
		if (!tablet_is_null(rows, column, row))
			number[row] = place[number[row]];
	pfree(place);
	pfree(texts.row);
	return (SortRanks) {.rank = number, .most = Max(texts.count, 1) - 1};
}

bool
sort_is_supported(Oid declared, Oid collation)
{
	Oid			type = getBaseType(declared);

	if (!is_storable(type, type == NUMERICOID || type == BPCHAROID ? VARHDRSZ : -1) || get_typtype(type) == TYPTYPE_ENUM)
		return false;
	/* comparing values of a collatable type raises an error where the collation is not known */
	return OidIsValid(collation) ? get_collation_isdeterministic(collation) : !type_is_collatable(type);
}

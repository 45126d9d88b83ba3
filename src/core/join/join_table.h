/*
 * join_table.h
 *		Hash table or sorted index over the rows of one side of a join, found by their keys or by bounds.
 *
 * A key is mapped to one 64-bit word.  Where the values of its columns span few enough bits, the
 * word is the concatenation of their distances from the least values, so that words are equal
 * exactly where keys are: the table is exact.  Otherwise the word is a hash, and rows found by it
 * must have their keys compared.
 *
 * In a direct table, used where words span little more than the number of rows, words are indexes
 * into an array.  Other words are found by hash, with open addressing.  Either index leads to the
 * rows of a word as a range: first and count in a list of row numbers, in which the rows of a word
 * are adjacent however many there are.  In a table whose words have one row each the index holds
 * the row number itself.
 *
 * Where few of the possible words have rows, yet not so few that a bitmap of the words would be
 * large, there is a bitmap.  A lookup tests it first and needs no search for words without rows.
 *
 * A sorted table serves conditions that bound a column.  Its words are that column's distances from
 * the least value in ascending order, and its rows are in the same order, so the rows between
 * bounds are a range.
 *
 * A join table is one relocatable block:
 *
 *		JoinTable | index | row numbers | bitmap
 *
 * The rows' values are stored separately, as columns of a tablet.
 */
#ifndef GPUDB_CORE_JOIN_JOIN_TABLE_H
#define GPUDB_CORE_JOIN_JOIN_TABLE_H

#include "core/hash.h"
#include "core/vm/op_text.h"
#include "core/vm/program.h"
#include "core/tablet/tablet_format.h"

#define JOIN_MAX_PARTS	8
#define JOIN_NO_ROW		UINT32_MAX

/* Size of a table up to which it is assumed to stay in a core's caches; larger tables are prefetched. */
#define JOIN_PREFETCH_BYTES	(256 * 1024)

/* Mapping of a column's values to their part of a word. */
typedef enum JoinKeyForm
{
	JOIN_KEY_INTEGER,			/* the value itself */
	JOIN_KEY_FLOAT,				/* join_float_word() */
	JOIN_KEY_TEXT,				/* hash of the bytes */
	JOIN_KEY_TRIMMED			/* hash of the bytes without trailing blanks */
} JoinKeyForm;

typedef struct JoinKey
{
	uint16_t	column;			/* column of the rows' tablet */
	uint16_t	form;			/* JoinKeyForm */
} JoinKey;

/* Column of an exact table's key: its values are least .. least + span, stored in the word from bit `shift` on. */
typedef struct JoinPart
{
	int64_t		least;
	uint64_t	span;
	uint32_t	shift;
	uint32_t	unused;
} JoinPart;

/* Rows of a word: a range of the list of row numbers, or a row number in a unique table. */
typedef struct JoinSlot
{
	uint64_t	word;
	uint32_t	first;
	uint32_t	count;			/* 0 = the slot is free */
} JoinSlot;

typedef struct JoinTable
{
	uint64_t	size;			/* bytes of the block */
	uint32_t	nrows;			/* rows that can be found; rows with a NULL in their key cannot */
	uint16_t	nparts;			/* number of columns of the key */
	uint8_t		exact;
	uint8_t		unique;			/* no word has two rows */
	uint8_t		direct;			/* words are indexes into an array */
	uint8_t		some;			/* only existence matters: one row of a word represents all; implies unique */
	uint8_t		sorted;			/* rows are ordered by their words; implies exact, not direct, not unique */
	uint8_t		unused[5];
	/* Direct: number of words, from 0 on.  Sorted: upper limit of rows.  Else number of slots, a power of two. */
	uint64_t	nplaces;

	/*
	 * Offset of the index.  Direct and unique: a row number, or JOIN_NO_ROW, for each word.
	 * Direct: for each word the position of its first row number, and the end.  Sorted: the words
	 * of the rows.  Else JoinSlots.
	 */
	uint64_t	index;
	uint64_t	rows;			/* offset of the row numbers; none if unique or sorted */
	JoinPart	part[JOIN_MAX_PARTS];
	uint64_t	present;		/* offset of a bitmap of the words that have rows, in 32-bit units; 0 = none */
	uint64_t	npresent;		/* bits of the bitmap at `present` */
} JoinTable;

/*
 * Materialized rows, destined to be those of a join table: columns of words, or of bytes for bools,
 * and bitmaps of NULLs, initially clear.
 */
typedef struct MaterializedRows
{
	uint32_t   *count;			/* number of all rows, including those for which there was no room */
	uint32_t	capacity;
	uint8_t    *values[PROGRAM_MAX_MATERIALIZED];
	uint32_t   *nulls[PROGRAM_MAX_MATERIALIZED];
} MaterializedRows;

/*
 * Layout of a range of materialized rows in host memory: the count of all rows, then for each
 * column the values and a bitmap of NULLs.
 */
typedef struct MaterializedLayout
{
	uint64_t	values[PROGRAM_MAX_MATERIALIZED]; /* offsets of values */
	uint64_t	nulls[PROGRAM_MAX_MATERIALIZED];
	uint64_t	size;			/* bytes of all, a multiple of 64 */
} MaterializedLayout;

/* Compute the layout of `nrows` rows of columns of the given ColTypes. */
CORE_FN void
materialized_layout(const uint8_t *types, uint32_t ncolumns, uint32_t nrows, MaterializedLayout *layout)
{
	uint64_t	at = tablet_align(sizeof(uint32_t));

	for (uint32_t c = 0; c < ncolumns; c++)
	{
		layout->values[c] = at;
		at += tablet_align((uint64_t) coltype_bytes((ColType) types[c]) * nrows);
		layout->nulls[c] = at;
		at += tablet_align(tablet_bitmap_bytes(nrows));
	}
	layout->size = at;
}

/* Return how many rows, a multiple of 64, fit `bytes` bytes, which must be some kilobytes at least. */
CORE_FN uint32_t
materialized_rows_that_fit(const uint8_t *types, uint32_t ncolumns, uint64_t bytes)
{
	uint64_t	each = 0;		/* bytes of 64 rows, which need no padding except behind bitmaps */

	for (uint32_t c = 0; c < ncolumns; c++)
		each += 64 * coltype_bytes((ColType) types[c]) + 8;
	return (uint32_t) ((bytes - 64 * (ncolumns + 1)) / each * 64);
}

/* A join table as programs use it. */
typedef struct JoinRows
{
	const JoinTable *table;
	const Tablet *rows;
} JoinRows;

/* Span: the rows of a word, count << 32 | first. */
#define JOIN_SPAN(first, count)	((uint64_t) (count) << 32 | (uint32_t) (first))
#define JOIN_SPAN_FIRST(span)	((uint32_t) (span))
#define JOIN_SPAN_COUNT(span)	((uint32_t) ((span) >> 32))

/* Return the word to hash for a 128-bit integer: that of 64 bits if it fits. */
CORE_FN uint64_t
join_wide_word(Wide value)
{
	return wide_fits_int64(value) ? (uint64_t) (int64_t) value : (uint64_t) value ^ hash_mix((uint64_t) (value >> 64));
}

/*
 * Return the word of a float.  Equal floats have equal words, as do 0 and -0, and all NaNs.  Words
 * are ordered like floats, with NaN last.
 */
CORE_FN int64_t
join_float_word(double value)
{
	int64_t		word;

	if (value != value)
		return INT64_MAX;
	value += 0.0;
	if (value == 0)
		return 0;
	memcpy(&word, &value, sizeof(word));
	return word < 0 ? word ^ INT64_MAX : word;
}

/* Return a column's part of an exact table's word; *miss is set if no key has the value. */
CORE_FN uint64_t
join_part_word(const JoinPart *part, int64_t value, uint32_t *miss)
{
	const uint64_t distance = (uint64_t) value - (uint64_t) part->least;

	*miss |= (value < part->least) | (distance > part->span);
	return distance << part->shift;
}

CORE_FN uint64_t
join_part_wide(const JoinPart *part, Wide value, uint32_t *miss)
{
	*miss |= !wide_fits_int64(value);
	return join_part_word(part, (int64_t) value, miss);
}

CORE_FN const void *
join_at(const JoinTable *table, uint64_t offset)
{
	return (const uint8_t *) table + offset;
}

/* Return the slot at which the search for a word begins. */
CORE_FN uint64_t
join_home(const JoinTable *table, uint64_t word)
{
	return hash_mix(word) & (table->nplaces - 1);
}

/* Return the address that join_find() reads first for a word. */
CORE_FN const void *
join_entry(const JoinTable *table, uint64_t word)
{
	if (table->direct)
		return (const uint32_t *) join_at(table, table->index) + (word < table->nplaces ? word : 0);
	return (const JoinSlot *) join_at(table, table->index) + join_home(table, word);
}

/* Return the span of the rows of a word; 0 if there are none. */
CORE_FN uint64_t
join_find(const JoinTable *table, uint64_t word)
{
	const JoinSlot *slot = (const JoinSlot *) join_at(table, table->index);
	const uint32_t *place = (const uint32_t *) join_at(table, table->index);
	uint64_t	at;
	uint64_t	left = table->nplaces;

	if (table->direct)
	{
		if (word >= table->nplaces)
			return 0;
		if (!table->unique)
			return JOIN_SPAN(place[word], place[word + 1] - place[word]);
		return place[word] == JOIN_NO_ROW ? 0 : JOIN_SPAN(place[word], 1);
	}
	for (at = join_home(table, word); slot[at].count > 0 && left > 0; at = (at + 1) & (table->nplaces - 1), left--)
		if (slot[at].word == word)
			return JOIN_SPAN(slot[at].first, slot[at].count);
	return 0;
}

/* Return the 32-bit units of a bitmap of `npresent` bits, without overflow for any number. */
CORE_FN uint64_t
join_present_words(uint64_t npresent)
{
	return npresent / 32 + (npresent % 32 != 0);
}

/* Return the index of the bitmap's unit that contains a word's bit. */
CORE_FN uint64_t
join_present_unit(uint64_t word)
{
	return word / 32;
}

/* Return a word's bit in its unit. */
CORE_FN uint32_t
join_present_bit(uint32_t unit, uint64_t word)
{
	return unit >> (word % 32) & 1;
}

/* Return 1 if the bitmap tells that a word has rows. */
CORE_FN uint32_t
join_present(const uint32_t *present, uint64_t word)
{
	return join_present_bit(present[join_present_unit(word)], word);
}

/* Return how many rows of a sorted table have a value less than `value`, or with `or_equal` less or equal. */
CORE_FN uint32_t
join_rank(const JoinTable *table, int64_t value, bool or_equal)
{
	const JoinPart *part = &table->part[0];
	const uint64_t *word = (const uint64_t *) join_at(table, table->index);
	const uint64_t distance = (uint64_t) value - (uint64_t) part->least;
	uint32_t	low = 0;
	uint32_t	left = table->nrows;

	if (left == 0 || value < part->least)
		return 0;
	if (distance > part->span || (or_equal && distance == part->span))
		return left;
	/* no branch depends on words; whatever they are, only words of rows are read */
	for (; left > 1; left -= left / 2)
		low += word[low + left / 2 - 1] < distance + or_equal ? left / 2 : 0;
	return low + (word[low] < distance + or_equal);
}

CORE_FN uint32_t
join_rank_wide(const JoinTable *table, Wide value, bool or_equal)
{
	if (wide_fits_int64(value))
		return join_rank(table, (int64_t) value, or_equal);
	return value < 0 ? 0 : table->nrows;
}

/* Return the span of a sorted table's rows with ranks from `from` to before `before`. */
CORE_FN uint64_t
join_range(const JoinTable *table, int64_t from, int64_t before)
{
	const int64_t first = from < 0 ? 0 : from;
	const int64_t end = before > table->nrows ? table->nrows : before;

	return first < end ? JOIN_SPAN(first, end - first) : 0;
}

/* Return the row number at an index of a span. */
CORE_FN uint32_t
join_row(const JoinTable *table, uint32_t at)
{
	return table->unique || table->sorted ? at : ((const uint32_t *) join_at(table, table->rows))[at];
}

#endif							/* GPUDB_CORE_JOIN_JOIN_TABLE_H */

/*
 * join_table.h
 *		The rows of one side of a join, found by their keys, or by bounds.
 *
 * A key is made into one 64-bit word.  Where the values of its columns span
 * few enough bits the word is their distances from the least ones, side by
 * side, so that words are equal where keys are: the table is exact.  Else the
 * word is a hash, and whoever finds rows by it compares their keys.
 *
 * Words that span little more than there are rows are places in an array.
 * Others are found by hash, in open addressing.  Either leads to the rows of
 * a word as a range: first and count in a list of row numbers, which stand
 * side by side however many there are.  In a table whose words have one row
 * each it leads to that row at once.
 *
 * Where few of the words that there may be have rows, but not so few that a
 * bitmap of them would be large, there is such a bitmap.  Whoever looks there
 * first needs no search for words without rows.
 *
 * A sorted table is for conditions that bound a column.  Its words are that
 * column's distances from the least value in their order, in which the rows
 * stand, too.  So those between bounds are a range.
 *
 * One relocatable block:
 *
 *		JoinTable | index | row numbers | bitmap
 *
 * The rows' values stand apart, as columns of a tablet.
 */
#ifndef GPUDB_CORE_JOIN_TABLE_H
#define GPUDB_CORE_JOIN_TABLE_H

#include "core/hash.h"
#include "core/op_text.h"
#include "core/program.h"
#include "core/tablet_format.h"

#define JOIN_MAX_PARTS	8
#define JOIN_NO_ROW		UINT32_MAX

/* What is smaller stays in a core's caches. */
#define JOIN_PREFETCH_BYTES	(256 * 1024)

/* How a column's values become part of a word. */
typedef enum JoinKeyForm
{
	JOIN_KEY_INTEGER,			/* as they are */
	JOIN_KEY_FLOAT,				/* join_float_word() */
	JOIN_KEY_TEXT,				/* by a hash, */
	JOIN_KEY_TRIMMED			/* without their trailing blanks */
} JoinKeyForm;

typedef struct JoinKey
{
	uint16_t	column;			/* of the rows' tablet */
	uint16_t	form;			/* JoinKeyForm */
} JoinKey;

/* One column of an exact table's key: its values are least .. least + span, and take the word's bits from `shift` on. */
typedef struct JoinPart
{
	int64_t		least;
	uint64_t	span;
	uint32_t	shift;
	uint32_t	unused;
} JoinPart;

/* The rows of a word: a range of the list of row numbers, or in a unique table a row. */
typedef struct JoinSlot
{
	uint64_t	word;
	uint32_t	first;
	uint32_t	count;			/* 0 = the slot is free */
} JoinSlot;

typedef struct JoinTable
{
	uint64_t	size;			/* of the block */
	uint32_t	nrows;			/* that can be found: those with a NULL in their key cannot */
	uint16_t	nparts;			/* columns of the key */
	uint8_t		exact;
	uint8_t		unique;			/* no word has two rows */
	uint8_t		direct;			/* words are places */
	uint8_t		some;			/* any row of a word is as good as all of them: it is unique, then */
	uint8_t		sorted;			/* rows stand in the order of their words; it is exact, and neither direct nor unique */
	uint8_t		unused[5];
	uint64_t	nplaces;		/* words from 0 on; or slots, a power of two; or of a sorted table, rows at most */
	uint64_t	index;			/* offset of: direct and unique: a row, or JOIN_NO_ROW, each;
								 * direct: the first of its rows each, and the end;
								 * sorted: the rows' words; else: JoinSlots */
	uint64_t	rows;			/* offset of the row numbers; none if unique or sorted */
	JoinPart	part[JOIN_MAX_PARTS];
	uint64_t	present;		/* offset of a bit for each word, in 32-bit units: has it rows?  0 = there is no bitmap */
	uint64_t	npresent;		/* bits */
} JoinTable;

/*
 * Rows that runs keep, to be those of a table: columns of words, or of bytes
 * for bools, and bitmaps of NULLs that are clear at first.
 */
typedef struct KeptRows
{
	uint32_t   *count;			/* of all rows, also of those for which there was no room */
	uint32_t	capacity;
	uint8_t    *values[PROGRAM_MAX_KEPT];
	uint32_t   *nulls[PROGRAM_MAX_KEPT];
} KeptRows;

/*
 * Where some of these rows are when they are handed out: the count of all rows, then of each
 * column the values, and a bitmap of NULLs.
 */
typedef struct KeptLayout
{
	uint64_t	values[PROGRAM_MAX_KEPT];	/* offsets */
	uint64_t	nulls[PROGRAM_MAX_KEPT];
	uint64_t	size;			/* of all, a multiple of 64 */
} KeptLayout;

/* So many rows of columns of these ColTypes. */
CORE_FN void
kept_layout(const uint8_t *types, uint32_t ncolumns, uint32_t nrows, KeptLayout *layout)
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

/* How many of them, a multiple of 64, so many bytes have room for, which are some kilobytes at least. */
CORE_FN uint32_t
kept_rows_that_fit(const uint8_t *types, uint32_t ncolumns, uint64_t bytes)
{
	uint64_t	each = 0;		/* bytes of 64 rows, which go without gaps but for those behind bitmaps */

	for (uint32_t c = 0; c < ncolumns; c++)
		each += 64 * coltype_bytes((ColType) types[c]) + 8;
	return (uint32_t) ((bytes - 64 * (ncolumns + 1)) / each * 64);
}

/* A table as programs use it. */
typedef struct JoinRows
{
	const JoinTable *table;
	const Tablet *rows;
} JoinRows;

/* Rows of a word: count << 32 | first. */
#define JOIN_SPAN(first, count)	((uint64_t) (count) << 32 | (uint32_t) (first))
#define JOIN_SPAN_FIRST(span)	((uint32_t) (span))
#define JOIN_SPAN_COUNT(span)	((uint32_t) ((span) >> 32))

/* A 128-bit integer in a hash: that of 64 bits if it fits them. */
CORE_FN uint64_t
join_wide_word(Wide value)
{
	return wide_fits_int64(value) ? (uint64_t) (int64_t) value : (uint64_t) value ^ hash_mix((uint64_t) (value >> 64));
}

/* Equal floats have equal words: the zeros, and all that are not a number.  Words are in the order of floats, these last. */
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

/* A part of an exact table's word; *miss is set if no key has such a value. */
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

/* Where a word's search begins. */
CORE_FN uint64_t
join_home(const JoinTable *table, uint64_t word)
{
	return hash_mix(word) & (table->nplaces - 1);
}

/* The address that is to be looked at first for a word. */
CORE_FN const void *
join_entry(const JoinTable *table, uint64_t word)
{
	if (table->direct)
		return (const uint32_t *) join_at(table, table->index) + (word < table->nplaces ? word : 0);
	return (const JoinSlot *) join_at(table, table->index) + join_home(table, word);
}

/* The rows of a word. */
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

/* Words of a bitmap of so many keys, of any number whatever. */
CORE_FN uint64_t
join_present_words(uint64_t npresent)
{
	return npresent / 32 + (npresent % 32 != 0);
}

/* The unit of the bitmap in which a word's bit is. */
CORE_FN uint64_t
join_present_unit(uint64_t word)
{
	return word / 32;
}

/* A word's bit in that unit. */
CORE_FN uint32_t
join_present_bit(uint32_t unit, uint64_t word)
{
	return unit >> (word % 32) & 1;
}

/* Whether a word may have rows, by the bitmap. */
CORE_FN uint32_t
join_present(const uint32_t *present, uint64_t word)
{
	return join_present_bit(present[join_present_unit(word)], word);
}

/* How many rows of a sorted table have a value below this one, or, if that is to be so, no larger one. */
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
	/* without a branch that depends on words; whatever these are, none is looked at but rows' */
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

/* The rows of a sorted table from one rank on and before another. */
CORE_FN uint64_t
join_range(const JoinTable *table, int64_t from, int64_t before)
{
	const int64_t first = from < 0 ? 0 : from;
	const int64_t end = before > table->nrows ? table->nrows : before;

	return first < end ? JOIN_SPAN(first, end - first) : 0;
}

/* A row number of those that a word has. */
CORE_FN uint32_t
join_row(const JoinTable *table, uint32_t at)
{
	return table->unique || table->sorted ? at : ((const uint32_t *) join_at(table, table->rows))[at];
}

#endif							/* GPUDB_CORE_JOIN_TABLE_H */

/*
 * join_sort.c
 *		Join tables that are sorted by a column.
 *
 * Words are sorted together with the numbers of their rows by an LSD radix sort, byte by byte from
 * the lowest one on; only the bytes that the column's values span are sorted.  Then the rows are
 * reordered, so that those of a range are adjacent.
 */
#include "core/join/join_build.h"

/* Words with the numbers of their rows. */
typedef struct WordList
{
	uint64_t   *words;
	uint32_t   *rows;
} WordList;

/* List the rows that can be found, and behind them the others; returns true if the words are in order already. */
static bool
list_rows(JoinTable *table, const WordList *list, const uint64_t *words, const uint8_t *nulls, uint32_t nrows)
{
	bool		in_order = true;
	uint32_t	n = 0;
	uint32_t	behind;

	for (uint32_t row = 0; row < nrows; row++)
	{
		if (nulls[row])
			continue;
		in_order &= n == 0 || list->words[n - 1] <= words[row];
		list->words[n] = words[row];
		list->rows[n++] = row;
	}
	table->nrows = behind = n;
	for (uint32_t row = 0; row < nrows && behind < nrows; row++)
		if (nulls[row])
			list->rows[behind++] = row;
	return in_order;
}

/* Sort a list by one byte of its words, stably; false if all words have the same byte and nothing was done. */
static bool
sort_by_byte(const WordList *from, const WordList *to, uint32_t n, uint32_t shift)
{
	uint32_t	place[256] = {0};
	uint32_t	end = 0;

	for (uint32_t i = 0; i < n; i++)
		place[from->words[i] >> shift & 255]++;
	if (n == 0 || place[from->words[0] >> shift & 255] == n)
		return false;
	for (int byte = 0; byte < 256; byte++)
	{
		end += place[byte];
		place[byte] = end - place[byte];
	}
	for (uint32_t i = 0; i < n; i++)
	{
		const uint32_t at = place[from->words[i] >> shift & 255]++;

		to->words[at] = from->words[i];
		to->rows[at] = from->rows[i];
	}
	return true;
}

/* Sort a list, using temporary memory of the same size. */
static void
sort_words(const WordList *list, const WordList *room, uint32_t n, uint64_t largest)
{
	bool		moved = false;

	for (uint32_t shift = 0; shift < 64 && largest >> shift > 0; shift += 8)
		moved ^= sort_by_byte(moved ? room : list, moved ? list : room, n, shift);
	if (!moved)
		return;
	memcpy(list->words, room->words, n * sizeof(uint64_t));
	memcpy(list->rows, room->rows, n * sizeof(uint32_t));
}

/* Reorder values that are `apart` units apart. */
#define REORDER(type, first, apart) \
	do { \
		type *const values = (type *) tablet_at(rows, column->values) + (first); \
		type *const moved = (type *) room; \
		for (uint32_t i = 0; i < rows->nrows; i++) \
			moved[i] = values[(size_t) order[i] * (apart)]; \
		for (uint32_t i = 0; i < rows->nrows; i++) \
			values[(size_t) i * (apart)] = moved[i]; \
	} while (0)

/* Reorder the values and NULL bits of a column; `room` has 8 bytes a row. */
static void
reorder_column(Tablet *rows, const TabletColumn *column, const uint32_t *order, uint64_t *room)
{
	uint8_t    *bits = tablet_at(rows, column->nulls);
	uint8_t    *had = (uint8_t *) room;

	switch (coltype_bytes((ColType) column->type))
	{
		case 1: REORDER(uint8_t, 0, 1); break;
		case 2: REORDER(uint16_t, 0, 1); break;
		case 4: REORDER(uint32_t, 0, 1); break;
		case 8: REORDER(uint64_t, 0, 1); break;
		case 16:
			REORDER(uint64_t, 0, 2);
			REORDER(uint64_t, 1, 2);
			break;
		default: break;
	}
	if (column->null_count == 0)
		return;
	memcpy(had, bits, tablet_bitmap_bytes(rows->nrows));
	memset(bits, 0, tablet_bitmap_bytes(rows->nrows));
	for (uint32_t i = 0; i < rows->nrows; i++)
		bits[i >> 3] |= (uint8_t) ((had[order[i] >> 3] >> (order[i] & 7) & 1) << (i & 7));
}

void
join_sort(JoinTable *table, Tablet *rows, uint64_t *words, const uint8_t *nulls)
{
	WordList	list;
	WordList	room;
	bool		in_order;

	table->index = tablet_align(sizeof(JoinTable));
	table->rows = table->index + tablet_align(table->nplaces * sizeof(uint64_t));
	table->size = table->rows;
	list.words = (uint64_t *) ((uint8_t *) table + table->index);
	list.rows = (uint32_t *) ((uint8_t *) table + table->rows);
	room.words = words;
	room.rows = list.rows + rows->nrows;
	in_order = list_rows(table, &list, words, nulls, rows->nrows);
	if (!in_order)
		sort_words(&list, &room, table->nrows, table->part[0].span);
	for (uint32_t c = 0; c < rows->ncols && !(in_order && table->nrows == rows->nrows); c++)
		reorder_column(rows, &rows->column[c], list.rows, words);
}

/*
 * join_fill.c
 *		Filling the index of a join's table; see join_table.h.
 *
 * Rows are counted by word, the counts are summed to the ends of ranges, and row numbers are stored
 * in descending order, each range from its end to its beginning; afterwards each entry holds the
 * beginning of its range, and the row numbers of a range ascend.  The cost of a row does not depend
 * on how many rows its word has.
 *
 * Work is divided into parts, which threads may run concurrently.  Words are computed row by row;
 * then each part reads all rows and handles those whose words lead into its own part of the index,
 * so no thread waits for another.  A word whose search leaves its part of the index is handled at
 * the end.
 */
#include "core/join/join_build.h"
#include "core/join/join_fill.h"

/* Number of rows by which index entries are prefetched ahead. */
#define LOOKAHEAD		16

/* Return the bytes of the index. */
static uint64_t
index_bytes(const JoinTable *head)
{
	if (head->sorted)
		return head->nplaces * sizeof(uint64_t);
	return head->direct ? (head->nplaces + 1) * sizeof(uint32_t) : head->nplaces * sizeof(JoinSlot);
}

uint64_t
join_table_bytes(const JoinTable *head, uint32_t nrows)
{
	/* sorting needs memory for row numbers twice, of which the table uses none afterwards */
	return tablet_align(sizeof(JoinTable)) + tablet_align(index_bytes(head)) +
		tablet_align((uint64_t) nrows * sizeof(uint32_t) * (head->sorted ? 2 : 1)) + tablet_align(join_present_words(head->npresent) * sizeof(uint32_t));
}

static uint32_t *
row_numbers(JoinTable *table)
{
	return (uint32_t *) ((uint8_t *) table + table->rows);
}

/* Results of filling a part of the index. */
typedef struct FilledPart
{
	uint32_t	nrows;			/* number of the part's rows; after sum_parts(), of the rows of all parts before it */
	bool		twice;			/* some word has two rows */
	bool		left;			/* the search for some word leaves the part */
} FilledPart;

typedef struct Filling
{
	JoinTable  *table;
	const uint64_t *words;
	uint8_t    *nulls;			/* also LEFT_OVER: row that its part could not insert */
	uint32_t	nrows;
	const JoinHelpers *helpers;
	const WordBounds *bounds;	/* bounds of the blocks of rows, used for direct tables; NULL = unknown */
	FilledPart	part[JOIN_MOST_PARTS];
} Filling;

#define LEFT_OVER 2

/* Range of entries, slots or words of a part. */
typedef struct Range
{
	uint64_t	begin;
	uint64_t	end;
} Range;

static Range
part_of(const Filling *f, uint64_t all, uint32_t part)
{
	return (Range) {all * part / f->helpers->parts, all * (part + 1) / f->helpers->parts};
}

static bool
is_within(Range range, uint64_t at)
{
	return at - range.begin < range.end - range.begin;
}

static void
run_parts(Filling *f, void (*work) (void *arg, uint32_t part))
{
	if (f->helpers->parts == 1)
		work(f, 0);
	else
		f->helpers->run(f->helpers, work, f);
}

/* Return the index of the entry or slot at which the search for a word begins. */
static uint64_t
entry_of(const JoinTable *table, uint64_t word)
{
	return table->direct ? word : join_home(table, word);
}

/*
 * List the rows of a block that belong to a part, found without a branch that would be
 * unpredictable; *list is NULL if all rows of the block do.
 */
static uint32_t
rows_of_block(const Filling *f, Range own, uint32_t block, uint32_t *room, const uint32_t **list)
{
	const uint32_t first = block * BLOCK_ROWS;
	const uint32_t end = f->nrows - first < BLOCK_ROWS ? f->nrows : first + BLOCK_ROWS;
	uint32_t	n = 0;

	*list = NULL;
	if (f->bounds != NULL && f->table->direct)
	{
		if (f->bounds[block].largest < own.begin || f->bounds[block].least >= own.end)
			return 0;
		if (f->bounds[block].least >= own.begin && f->bounds[block].largest < own.end)
			return end - first;
	}
	*list = room;
	for (uint32_t row = first; row < end; row++)
	{
		room[n] = row;
		n += (f->nulls[row] == 0) & is_within(own, entry_of(f->table, f->words[row]));
	}
	return n;
}

/* Run a statement for each row of a part; the index entry of the row LOOKAHEAD later is prefetched. */
#define EACH_ROW(statement) \
	for (uint32_t block = 0; block < blocks_of(f->nrows); block++) \
	{ \
		uint32_t	room[BLOCK_ROWS]; \
		const uint32_t *list; \
		const uint32_t n = rows_of_block(f, own, block, room, &list); \
		for (uint32_t i = 0; i < n; i++) \
		{ \
			const uint32_t row = list != NULL ? list[i] : block * BLOCK_ROWS + i; \
			if (i + LOOKAHEAD < n) \
				core_prefetch(join_entry(f->table, f->words[list != NULL ? list[i + LOOKAHEAD] : row + LOOKAHEAD])); \
			statement; \
		} \
	}

/* Run a statement for each row of a part, from the last one on; index entries are prefetched as in EACH_ROW. */
#define EACH_ROW_BACKWARDS(statement) \
	for (uint32_t block = blocks_of(f->nrows); block-- > 0;) \
	{ \
		uint32_t	room[BLOCK_ROWS]; \
		const uint32_t *list; \
		for (uint32_t i = rows_of_block(f, own, block, room, &list); i-- > 0;) \
		{ \
			const uint32_t row = list != NULL ? list[i] : block * BLOCK_ROWS + i; \
			if (i >= LOOKAHEAD) \
				core_prefetch(join_entry(f->table, f->words[list != NULL ? list[i - LOOKAHEAD] : row - LOOKAHEAD])); \
			statement; \
		} \
	}

/* Sum up the rows of all parts, and set the number of each part to the rows of the parts before it. */
static uint32_t
sum_parts(Filling *f)
{
	uint32_t	sum = 0;

	for (uint32_t p = 0; p < f->helpers->parts; p++)
	{
		const uint32_t nrows = f->part[p].nrows;

		f->part[p].nrows = sum;
		sum += nrows;
	}
	return sum;
}

static bool
some_part(const Filling *f, bool left)
{
	bool		found = false;

	for (uint32_t p = 0; p < f->helpers->parts; p++)
		found |= left ? f->part[p].left : f->part[p].twice;
	return found;
}

/* Direct tables */

static uint32_t *
places_of(JoinTable *table)
{
	return (uint32_t *) ((uint8_t *) table + table->index);
}

/*
 * Store each row's number in its word's entry.  Sets `twice` if a word has several rows, unless one
 * of them is enough.
 */
static void
fill_unique_places(void *arg, uint32_t part)
{
	Filling    *f = (Filling *) arg;
	const Range own = part_of(f, f->table->nplaces, part);
	uint32_t   *place = places_of(f->table);
	uint32_t	nfilled = 0;

	memset(place + own.begin, 0xff, (own.end - own.begin) * sizeof(uint32_t));
	EACH_ROW({
		const bool	free = place[f->words[row]] == JOIN_NO_ROW;

		if (!free && !f->table->some)
		{
			f->part[part].twice = true;
			return;
		}
		if (free)
			place[f->words[row]] = row;
		nfilled += free;
	})
	f->part[part].nrows = nfilled;
}

static void
count_places(void *arg, uint32_t part)
{
	Filling    *f = (Filling *) arg;
	const Range own = part_of(f, f->table->nplaces, part);
	uint32_t   *place = places_of(f->table);
	uint32_t	ncounted = 0;

	memset(place + own.begin, 0, (own.end - own.begin) * sizeof(uint32_t));
	EACH_ROW({
		place[f->words[row]]++;
		ncounted++;
	})
	f->part[part].nrows = ncounted;
}

static void
list_places(void *arg, uint32_t part)
{
	const Filling *f = (const Filling *) arg;
	const Range own = part_of(f, f->table->nplaces, part);
	uint32_t   *place = places_of(f->table);
	uint32_t   *numbers = row_numbers(f->table);
	uint32_t	end = f->part[part].nrows;

	for (uint64_t word = own.begin; word < own.end; word++)
		place[word] = end += place[word];
	EACH_ROW_BACKWARDS(numbers[--place[f->words[row]]] = row)
}

static void
build_places(Filling *f)
{
	JoinTable  *table = f->table;

	places_of(table)[table->nplaces] = JOIN_NO_ROW;
	run_parts(f, fill_unique_places);
	table->unique = !some_part(f, false);
	if (!table->unique)
		run_parts(f, count_places);
	table->nrows = sum_parts(f);
	if (table->unique)
		return;
	places_of(table)[table->nplaces] = table->nrows;
	run_parts(f, list_places);
}

/* Hashed tables */

static JoinSlot *
slots_of(JoinTable *table)
{
	return (JoinSlot *) ((uint8_t *) table + table->index);
}

/* Return a word's slot, or the free slot where it belongs; NULL if the search leaves the given part of the slots. */
static JoinSlot *
find_slot(JoinTable *table, uint64_t word, Range own)
{
	JoinSlot   *slots = slots_of(table);
	uint64_t	at = join_home(table, word);

	while (slots[at].count > 0 && slots[at].word != word)
	{
		at = (at + 1) & (table->nplaces - 1);
		if (!is_within(own, at))
			return NULL;
	}
	return &slots[at];
}

/* Count a row of a slot; the first row of a word initializes the slot. */
static void
count_row(Filling *f, FilledPart *part, JoinSlot *slot, uint32_t row)
{
	if (f->table->some && slot->count > 0)
		return;
	if (slot->count++ == 0)
	{
		slot->word = f->words[row];
		slot->first = row;
	}
	else
		part->twice = true;
	part->nrows++;
}

static void
fill_slots(void *arg, uint32_t part)
{
	Filling    *f = (Filling *) arg;
	const Range own = part_of(f, f->table->nplaces, part);

	memset(slots_of(f->table) + own.begin, 0, (own.end - own.begin) * sizeof(JoinSlot));
	EACH_ROW({
		JoinSlot   *slot = find_slot(f->table, f->words[row], own);

		if (slot != NULL)
			count_row(f, &f->part[part], slot, row);
		else
		{
			f->nulls[row] = LEFT_OVER;
			f->part[part].left = true;
		}
	})
}

/* Insert the rows that no part could insert. */
static void
fill_left_over(Filling *f)
{
	const Range all = {0, f->table->nplaces};

	for (uint32_t row = 0; row < f->nrows; row++)
		if (f->nulls[row] == LEFT_OVER)
		{
			f->nulls[row] = 0;
			count_row(f, &f->part[0], find_slot(f->table, f->words[row], all), row);
		}
}

static void
sum_slots(void *arg, uint32_t part)
{
	Filling    *f = (Filling *) arg;
	const Range own = part_of(f, f->table->nplaces, part);

	f->part[part].nrows = 0;
	for (uint64_t s = own.begin; s < own.end; s++)
		f->part[part].nrows += slots_of(f->table)[s].count;
}

static void
end_slots(void *arg, uint32_t part)
{
	const Filling *f = (const Filling *) arg;
	const Range own = part_of(f, f->table->nplaces, part);
	uint32_t	end = f->part[part].nrows;

	for (uint64_t s = own.begin; s < own.end; s++)
		slots_of(f->table)[s].first = end += slots_of(f->table)[s].count;
}

static void
list_slots(void *arg, uint32_t part)
{
	const Filling *f = (const Filling *) arg;
	const Range own = part_of(f, f->table->nplaces, part);
	const Range all = {0, f->table->nplaces};
	uint32_t   *numbers = row_numbers(f->table);

	EACH_ROW_BACKWARDS(numbers[--find_slot(f->table, f->words[row], all)->first] = row)
}

static void
build_slots(Filling *f)
{
	JoinTable  *table = f->table;

	run_parts(f, fill_slots);
	if (some_part(f, true))
		fill_left_over(f);
	table->unique = !some_part(f, false);
	if (!table->unique)
		run_parts(f, sum_slots);
	table->nrows = sum_parts(f);
	if (table->unique)
		return;
	run_parts(f, end_slots);
	run_parts(f, list_slots);
}

/* Set the bits of the words that have rows. */
static void
fill_present(void *arg, uint32_t part)
{
	const Filling *f = (const Filling *) arg;
	const Range own = part_of(f, join_present_words(f->table->npresent), part);
	uint32_t   *present = (uint32_t *) ((uint8_t *) f->table + f->table->present);

	memset(present + own.begin, 0, (own.end - own.begin) * sizeof(uint32_t));
	for (uint32_t row = 0; row < f->nrows; row++)
		if (!f->nulls[row] && is_within(own, f->words[row] / 32))
			present[f->words[row] / 32] |= (uint32_t) 1 << (f->words[row] % 32);
}

static void
build_table(Filling *f)
{
	JoinTable  *table = f->table;

	table->index = tablet_align(sizeof(JoinTable));
	table->rows = table->index + tablet_align(index_bytes(table));
	if (table->direct)
		build_places(f);
	else
		build_slots(f);
	table->size = table->rows + (table->unique ? 0 : tablet_align((uint64_t) f->nrows * sizeof(uint32_t)));
	table->present = 0;
	if (table->npresent > 0)
	{
		table->present = table->size;
		table->size += tablet_align(join_present_words(table->npresent) * sizeof(uint32_t));
		run_parts(f, fill_present);
	}
}

static const JoinHelpers nobody = {.parts = 1};

void
join_build(JoinTable *table, const uint64_t *words, const uint8_t *nulls, uint32_t nrows)
{
	/* a single part leaves no rows over, so nulls[] is not changed */
	Filling		f = {.table = table, .words = words, .nulls = (uint8_t *) nulls, .nrows = nrows, .helpers = &nobody};

	build_table(&f);
}

uint64_t
join_fill_words(uint32_t nrows)
{
	return nrows + (uint64_t) blocks_of(nrows) * (sizeof(WordBounds) / sizeof(uint64_t));
}

void
join_fill(JoinTable *table, const Tablet *rows, const JoinKey *keys, uint64_t *words, uint8_t *nulls, const JoinHelpers *helpers)
{
	const JoinTable head = *table;
	WordBounds *bounds = (WordBounds *) (words + rows->nrows);
	RowWords	all = {&head, rows, keys, words, nulls, helpers->parts, head.direct ? bounds : NULL};
	Filling		f = {.table = table, .words = words, .nulls = nulls, .nrows = rows->nrows, .helpers = helpers, .bounds = bounds};

	if (helpers->parts == 1)
		join_words_of_part(&all, 0);
	else
		helpers->run(helpers, join_words_of_part, &all);
	build_table(&f);
}

/*
 * page_batches.c
 *		Page batches as requesters describe them: copied into private memory and verified.
 *
 * A list of cached tablets consists of shelf headers, each followed by the
 * descriptions of its tablets or, for a shelf that the GPU process remembers, by
 * none.  Like all code of the GPU process this calls none of PostgreSQL's
 * functions.
 */
#include "postgres.h"

#include <stdlib.h>

#include "port/pg_bitutils.h"

#include "core/tablet/output.h"

#include "worker/chunks.h"
#include "worker/shelves.h"
#include "worker/page_batches.h"

/* Return the address of a page of a page batch; NULL if its place is invalid. */
static const uint8 *
page_address(const Channel *channel, uint64 place, uint16 copy)
{
	if (place & CHANNEL_COPIED)
	{
		place &= ~CHANNEL_COPIED;
		return copy < CHANNEL_COPIES && place < PAGE_BATCH_PAGES ? channel->copies[copy][place] : NULL;
	}
	return chunks_page(place);
}

/* Return true if an area of copies belongs to a page batch, or there is none. */
static bool
copies_are_owned(const Channel *channel, uint16 copy, int number)
{
	return copy >= CHANNEL_COPIES ||
		pg_atomic_read_u32((pg_atomic_uint32 *) &channel->copy_owner[copy]) == (uint32) number + 1;
}

bool
page_batch_is_owned(const Channel *channel, int job, int number)
{
	const ChannelPages *page_batch = &channel->page_batch[number];

	return pg_atomic_read_u32((pg_atomic_uint32 *) &page_batch->owner) == (uint32) job + 1 &&
		copies_are_owned(channel, page_batch->copy, number) && copies_are_owned(channel, page_batch->room, number);
}

bool
page_batch_read_pages(const Channel *channel, const ChannelPages *page_batch, PageList *list)
{
	uint16		copy = page_batch->copy;

	list->npages = page_batch->npages;
	list->nrows = 0;
	if (list->npages == 0 || list->npages > PAGE_BATCH_PAGES)
		return false;
	for (uint32 p = 0; p < list->npages; p++)
	{
		list->page[p] = page_address(channel, page_batch->page[p], copy);
		list->ntuples[p] = page_batch->ntuples[p];
		list->offsets[p] = page_batch->every[p] ? channel->every_tuple : page_batch->offsets[p];
		if (list->page[p] == NULL || list->ntuples[p] == 0 || list->ntuples[p] > HEAP_MAX_TUPLES)
			return false;
		list->nrows += list->ntuples[p];
	}
	return true;
}

uint8 *
page_batch_output_place(Channel *channel, const ChannelPages *page_batch, const JobView *job, uint32 nrows, bool wide)
{
	const uint16_t *types = job->deform.types[wide];
	const uint16 room = page_batch->room;
	OutputLayout layout;

	if (page_batch->output != OUTPUT_WANTED || room >= CHANNEL_COPIES)
		return NULL;
	if (job->program->aggregates)
		layout.size = tablet_columns_size(types, job->program->ncolumns, nrows);
	else
		output_layout(job->program, types, nrows, &layout);
	return layout.size <= CHANNEL_COPY_BYTES ? channel->copies[room][0] : NULL;
}

uint64 *
page_batch_groups_place(Channel *channel, int job, int number, uint32 *words)
{
	const ChannelPages *page_batch;
	uint16		room,
				nslots;

	if (number >= CHANNEL_PAGE_BATCHES || !page_batch_is_owned(channel, job, number))
		return NULL;
	page_batch = &channel->page_batch[number];
	/* read once: its owner may change them */
	room = *(volatile const uint16 *) &page_batch->room;
	nslots = *(volatile const uint16 *) &page_batch->nslots;
	if (nslots == 0 || room + nslots > CHANNEL_COPIES)
		return NULL;
	for (int r = room; r < room + nslots; r++)
		if (!copies_are_owned(channel, (uint16) r, number))
			return NULL;
	*words = nslots * (CHANNEL_COPY_BYTES / sizeof(uint64));
	return (uint64 *) channel->copies[room];
}

/* Cached tablets */

/* Find and attach the bytes of a text column; false if they are invalid. */
static bool
read_texts(const ChannelColumn *from, ProviderColumn *to)
{
	to->text_bytes = from->text_bytes;
	to->texts = chunks_tablet_bytes((uint64) to->stored.base, to->text_bytes);
	to->stored.base = 0;
	return to->text_bytes <= INT32_MAX && (uintptr_t) to->texts % 8 == 0 && (to->texts != NULL || to->text_bytes == 0);
}

/*
 * Read the description of a column of a tablet with `nrows` rows; false if it is
 * invalid.  Whether the program can read the column is found when it runs.
 */
static bool
read_column(const ChannelColumn *from, uint32 nrows, ProviderColumn *to)
{
	const uint64 bitmap = tablet_bitmap_bytes(nrows);
	uint64		bytes;

	*to = (ProviderColumn) {.number = from->number, .stored = from->stored};
	/* other numbers are reserved for the provider */
	if (to->number == 0 || to->number >> 62 != 0)
		return false;
	if (to->stored.type == COLTYPE_TEXT && !read_texts(from, to))
		return false;
	if (to->stored.type >= COLTYPE_Count || to->stored.null_count > nrows || to->stored.shift > 63 || to->stored.patch_count > 0 ||
		to->stored.values % 8 != 0 || to->stored.nulls % 8 != 0)
		return false;
	if ((to->stored.base != 0 || to->stored.shift != 0) && !coltype_for_encoded((ColType) to->stored.type))
		return false;
	bytes = (uint64) coltype_bytes((ColType) to->stored.type) * nrows;
	to->values = chunks_tablet_bytes(to->stored.values, bytes);
	to->nulls = to->stored.null_count > 0 ? chunks_tablet_bytes(to->stored.nulls, bitmap) : NULL;
	return (to->values != NULL || bytes == 0) && (to->nulls != NULL || to->stored.null_count == 0);
}

/* Allocate a GPU batch's arrays for tablets on first use; false without memory. */
static bool
have_memory(ProviderBatch *batch)
{
	if (batch->pick == NULL)
		batch->pick = malloc(BATCH_TABLETS * sizeof(ProviderPick));
	if (batch->tablet == NULL)
		batch->tablet = malloc(BATCH_TABLETS * sizeof(ProviderTablet));
	if (batch->column == NULL)
		batch->column = malloc(BATCH_TABLET_COLUMNS * sizeof(ProviderColumn));
	return batch->pick != NULL && batch->tablet != NULL && batch->column != NULL;
}

/* Position in the list of a page batch. */
typedef struct ListReader
{
	const ChannelPages *page_batch;
	const Program *program;
	uint32		at;				/* index of the next word */
} ListReader;

/* Return the next `words` words of the list, and skip them; NULL if fewer are left. */
static const void *
next_words(ListReader *reader, uint64 words)
{
	const uint32 at = reader->at;

	if (words > CHANNEL_LIST_WORDS - at)
		return NULL;
	reader->at += (uint32) words;
	return &reader->page_batch->list[at];
}

/* Read the description of the next tablet and its columns; false if it is invalid. */
static bool
read_tablet(ListReader *reader, ProviderTablet *tablet, ProviderColumn *column)
{
	const uint32 ncolumns = reader->program->ncolumns;
	const ChannelTablet *from = next_words(reader, channel_tablet_words(ncolumns));
	uint32		selected;

	if (from == NULL)
		return false;
	tablet->nrows = from->nrows;
	selected = from->selected;
	/* at most as many rows as a bitmap that fits a list */
	if (tablet->nrows == 0 || tablet->nrows > CHANNEL_LIST_WORDS * 64 || (selected != 0 && selected != reader->at))
		return false;
	tablet->selected = selected != 0 ? next_words(reader, tablet_bitmap_bytes(tablet->nrows) / sizeof(uint64)) : NULL;
	if (selected != 0 && tablet->selected == NULL)
		return false;
	tablet->bytes = 0;
	for (uint32 c = 0; c < ncolumns; c++)
	{
		if (!read_column(&from->column[c], tablet->nrows, &column[c]))
			return false;
		tablet->bytes += (uint64) coltype_bytes((ColType) column[c].stored.type) * tablet->nrows + column[c].text_bytes +
			(column[c].nulls != NULL ? tablet_bitmap_bytes(tablet->nrows) : 0);
	}
	return true;
}

/* Add `n` tablets with `nrows` rows and `bytes` bytes to the totals of a GPU batch. */
static void
count_tablets(uint32 n, uint64 nrows, uint64 bytes, ProviderBatch *batch)
{
	batch->row_start[batch->npage_batches + 1] += (uint32) nrows;
	batch->column_bytes += bytes;
	batch->nwanted += n;
}

static void
count_tablet(const ProviderTablet *tablet, ProviderBatch *batch)
{
	count_tablets(1, tablet->nrows, tablet->bytes, batch);
}

/* Add the wanted tablets of a shelf to the totals.  Usually all of them are wanted, of which the shelf has the sums. */
static void
count_of_shelf(const ProviderShelf *shelf, uint32 wanted, ProviderBatch *batch)
{
	if (wanted == (UINT64CONST(1) << shelf->ntablets) - 1)
		count_tablets(shelf->ntablets, shelf->nrows, shelf->bytes, batch);
	else
		for (uint32 left = wanted; left != 0; left &= left - 1)
			count_tablet(&shelf->tablet[pg_rightmost_one_pos32(left)], batch);
}

/* Read the next `n` tablets, which belong to no shelf, into a GPU batch. */
static DeviceStatus
read_others(ListReader *reader, uint32 n, ProviderBatch *batch)
{
	const uint32 ncolumns = reader->program->ncolumns;

	if (n == 0 || n > CHANNEL_LIST_TABLETS)
		return STATUS_BAD_PROGRAM;
	if (batch->ntablets + n > BATCH_TABLETS || (batch->ntablets + n) * ncolumns > BATCH_TABLET_COLUMNS)
		return STATUS_NO_ROOM;
	for (const uint32 end = batch->ntablets + n; batch->ntablets < end; batch->ntablets++)
	{
		const uint32 t = batch->ntablets;

		if (!read_tablet(reader, &batch->tablet[t], &batch->column[t * ncolumns]))
			return STATUS_BAD_PROGRAM;
		count_tablet(&batch->tablet[t], batch);
	}
	return STATUS_DONE;
}

/* Read the descriptions of a shelf's tablets, which follow in the list, and remember the shelf. */
static DeviceStatus
learn_shelf(ListReader *reader, const ChannelShelf *told, const ProviderShelf **known)
{
	const uint32 ncolumns = reader->program->ncolumns;
	ProviderShelf *shelf = shelves_new(told->ntablets, ncolumns);

	if (shelf == NULL)
		return STATUS_MEMORY_LIMIT;
	for (uint32 t = 0; t < told->ntablets; t++)
		if (!read_tablet(reader, &shelf->tablet[t], &shelf->column[t * ncolumns]) || shelf->tablet[t].selected != NULL)
		{
			shelves_drop(shelf);
			return STATUS_BAD_PROGRAM;
		}
	shelves_keep(shelf, told->number);
	*known = shelf;
	return STATUS_DONE;
}

/* Add the wanted tablets of a shelf to a GPU batch, and read the shelf's description if it follows. */
static DeviceStatus
read_shelf(ListReader *reader, const ChannelShelf *told, ProviderBatch *batch)
{
	const uint32 ncolumns = reader->program->ncolumns;
	const void *words = next_words(reader, ncolumns);
	const ProviderShelf *shelf;
	uint64		first[PROGRAM_MAX_COLUMNS];
	DeviceStatus status = STATUS_DONE;

	if (words == NULL || told->ntablets == 0 || told->ntablets > CACHED_SHELF_MOST || told->wanted == 0 ||
		(uint64) told->wanted >> told->ntablets != 0)
		return STATUS_BAD_PROGRAM;
	if (batch->npicks == BATCH_TABLETS)
		return STATUS_NO_ROOM;
	memcpy(first, words, ncolumns * sizeof(uint64));
	shelf = shelves_find(told->number, told->ntablets, ncolumns, first);
	if (shelf == NULL)
		status = told->described ? learn_shelf(reader, told, &shelf) : STATUS_SHELF_UNKNOWN;
	else if (told->described && next_words(reader, (uint64) told->ntablets * channel_tablet_words(ncolumns)) == NULL)
		status = STATUS_BAD_PROGRAM;
	if (status != STATUS_DONE)
		return status;
	shelves_pin(shelf);
	batch->pick[batch->npicks++] = (ProviderPick) {shelf, told->wanted};
	count_of_shelf(shelf, told->wanted, batch);
	return STATUS_DONE;
}

void
page_batch_let_go(ProviderBatch *batch, uint32 npicks)
{
	while (batch->npicks > npicks)
		shelves_unpin(batch->pick[--batch->npicks].shelf);
}

DeviceStatus
page_batch_read_tablets(const ChannelPages *page_batch, const Program *program, uint64 most_bytes, ProviderBatch *batch)
{
	/* read once: the owner may change it */
	const uint32 nshelves = *(volatile const uint32 *) &page_batch->nshelves;
	const uint32 npicks = batch->npicks;
	const uint32 ntablets = batch->ntablets;
	const uint32 nwanted = batch->nwanted;
	const uint32 nrows = batch->row_start[batch->npage_batches];
	const uint64 column_bytes = batch->column_bytes;
	ListReader	reader = {.page_batch = page_batch, .program = program};
	DeviceStatus status = STATUS_DONE;
	bool		fits;

	if (nshelves == 0 || !program->aggregates)
		return STATUS_BAD_PROGRAM;
	if (!have_memory(batch))
		return STATUS_MEMORY_LIMIT;
	batch->row_start[batch->npage_batches + 1] = nrows;
	for (uint32 s = 0; s < nshelves && status == STATUS_DONE; s++)
	{
		const void *words = next_words(&reader, channel_shelf_words(0));
		ChannelShelf told;

		if (words == NULL)
			status = STATUS_BAD_PROGRAM;
		else
		{
			memcpy(&told, words, sizeof(told));
			status = told.number != 0 ? read_shelf(&reader, &told, batch) : read_others(&reader, told.ntablets, batch);
		}
	}
	fits = batch->nwanted <= BATCH_TABLETS && batch->nwanted * program->ncolumns <= BATCH_TABLET_COLUMNS &&
		batch->row_start[batch->npage_batches + 1] <= BATCH_TABLET_ROWS && batch->column_bytes <= most_bytes;
	if (status == STATUS_DONE && batch->nwanted - nwanted > CHANNEL_LIST_TABLETS)
		status = STATUS_BAD_PROGRAM;
	else if (status == STATUS_DONE && !fits && batch->npage_batches > 0)
		status = STATUS_NO_ROOM;
	if (status != STATUS_DONE)
	{
		page_batch_let_go(batch, npicks);
		batch->ntablets = ntablets;
		batch->nwanted = nwanted;
		batch->column_bytes = column_bytes;
	}
	return status;
}

/* Sorted rows */

/* Number of sorted rows in one tablet of a GPU batch: a multiple of 64. */
#define SOURCE_ROWS (1u << 20)

DeviceStatus
page_batch_read_source(const Provider *device, const ProviderJob *job, const MaterializedSource *source, ProviderBatch *batch)
{
	const uint32 ncolumns = job->view.program->ncolumns;

	if (!job->view.program->aggregates)
		return STATUS_BAD_PROGRAM;
	if (batch->npage_batches > 0)
		return STATUS_NO_ROOM;
	if (!have_memory(batch))
		return STATUS_MEMORY_LIMIT;
	batch->cached = true;
	batch->row_start[1] = 0;
	for (uint32 first = 0, n; first < source->nrows; first += n)
	{
		ProviderTablet *tablet = &batch->tablet[batch->ntablets];
		ProviderColumn *column = &batch->column[batch->ntablets * ncolumns];

		n = Min(SOURCE_ROWS, source->nrows - first);
		if (batch->ntablets == BATCH_TABLETS || (batch->ntablets + 1) * ncolumns > BATCH_TABLET_COLUMNS)
			return STATUS_MEMORY_LIMIT;
		*tablet = (ProviderTablet) {.nrows = n};
		for (uint32 c = 0; c < ncolumns; c++)
			if (!device->materialized_column(job->source, source->column[c], first, n, &column[c]))
				return STATUS_BAD_PROGRAM;
		batch->ntablets++;
		count_tablet(tablet, batch);
	}
	return STATUS_DONE;
}

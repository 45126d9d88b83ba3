/*
 * windows.c
 *		Windows as requesters describe them, read into private memory and verified.
 *
 * Like all of the helper it calls none of PostgreSQL's functions.
 */
#include "postgres.h"

#include <stdlib.h>

#include "worker/chunks.h"
#include "worker/windows.h"

/* The address of a window's page; NULL if it is none that may be read. */
static const uint8 *
page_address(const Channel *channel, uint64 place, uint16 copy)
{
	if (place & CHANNEL_COPIED)
	{
		place &= ~CHANNEL_COPIED;
		return copy < CHANNEL_COPIES && place < TABLET_WINDOW_PAGES ? channel->copies[copy][place] : NULL;
	}
	return chunks_page(place);
}

bool
window_is_owned(const Channel *channel, int job, int number)
{
	const ChannelWindow *window = &channel->window[number];
	uint16		copy = window->copy;

	return pg_atomic_read_u32((pg_atomic_uint32 *) &window->owner) == (uint32) job + 1 &&
		(copy >= CHANNEL_COPIES || pg_atomic_read_u32((pg_atomic_uint32 *) &channel->copy_owner[copy]) == (uint32) number + 1);
}

bool
window_read_pages(const Channel *channel, const ChannelWindow *window, PageList *list)
{
	uint16		copy = window->copy;

	list->npages = window->npages;
	list->nrows = 0;
	if (list->npages == 0 || list->npages > TABLET_WINDOW_PAGES)
		return false;
	for (uint32 p = 0; p < list->npages; p++)
	{
		list->page[p] = page_address(channel, window->page[p], copy);
		list->ntuples[p] = window->ntuples[p];
		list->offsets[p] = window->every[p] ? channel->every_tuple : window->offsets[p];
		if (list->page[p] == NULL || list->ntuples[p] == 0 || list->ntuples[p] > HEAP_MAX_TUPLES)
			return false;
		list->nrows += list->ntuples[p];
	}
	return true;
}

/* Cached tablets */

/* A column of a tablet of so many rows; false if it is none.  Whether a program can read it shows when it does. */
static bool
read_column(const ChannelColumn *from, uint32 nrows, ProviderColumn *to)
{
	const uint64 bitmap = tablet_bitmap_bytes(nrows);
	uint64		bytes;

	to->number = from->number;
	to->stored = from->stored;
	if (to->stored.type >= COLTYPE_Count || to->stored.type == COLTYPE_TEXT || to->stored.null_count > nrows ||
		to->stored.shift > 63 || to->stored.patch_count > 0 || to->stored.values % 8 != 0 || to->stored.nulls % 8 != 0)
		return false;
	if ((to->stored.base != 0 || to->stored.shift != 0) && !coltype_framed((ColType) to->stored.type))
		return false;
	bytes = (uint64) coltype_bytes((ColType) to->stored.type) * nrows;
	to->values = chunks_tablet_bytes(to->stored.values, bytes);
	to->nulls = to->stored.null_count > 0 ? chunks_tablet_bytes(to->stored.nulls, bitmap) : NULL;
	return (to->values != NULL || bytes == 0) && (to->nulls != NULL || to->stored.null_count == 0);
}

/* Give a batch memory for its tablets, when it has none yet; false if there is none. */
static bool
have_memory(ProviderBatch *batch)
{
	if (batch->tablet == NULL)
		batch->tablet = malloc(BATCH_TABLETS * sizeof(ProviderTablet));
	if (batch->column == NULL)
		batch->column = malloc(BATCH_TABLET_COLUMNS * sizeof(ProviderColumn));
	return batch->tablet != NULL && batch->column != NULL;
}

/* The tablet in a list at this word, which moves on; false if it is none. */
static bool
read_tablet(const ChannelWindow *window, uint32 *at, uint32 ncolumns, ProviderTablet *tablet)
{
	const ChannelTablet *from = (const ChannelTablet *) &window->list[*at];
	const uint32 words = channel_tablet_words(ncolumns);
	uint32		selected;

	if (words > CHANNEL_LIST_WORDS - *at)
		return false;
	tablet->nrows = from->nrows;
	selected = from->selected;
	*at += words;
	/* no more than have a bitmap in a list */
	if (tablet->nrows == 0 || tablet->nrows > CHANNEL_LIST_WORDS * 64 || (selected != 0 && selected != *at))
		return false;
	tablet->selected = selected != 0 ? &window->list[selected] : NULL;
	if (selected != 0)
	{
		const uint64 bitmap = tablet_bitmap_bytes(tablet->nrows) / sizeof(uint64);

		if (bitmap > CHANNEL_LIST_WORDS - *at)
			return false;
		*at += (uint32) bitmap;
	}
	return true;
}

DeviceStatus
window_read_tablets(const ChannelWindow *window, uint32 n, const Program *program, ProviderBatch *batch)
{
	const uint32 ncolumns = program->ncolumns;
	const uint32 before = batch->row_start[batch->nwindows];
	uint32		nrows = 0;
	uint32		at = 0;

	if (n == 0 || n > CHANNEL_LIST_TABLETS || !program->aggregates)
		return STATUS_BAD_PROGRAM;
	if (batch->ntablets + n > BATCH_TABLETS || (batch->ntablets + n) * ncolumns > BATCH_TABLET_COLUMNS)
		return STATUS_NO_ROOM;
	if (!have_memory(batch))
		return STATUS_MEMORY_LIMIT;
	for (uint32 t = 0; t < n; t++)
	{
		const ChannelTablet *from = (const ChannelTablet *) &window->list[at];
		ProviderTablet *tablet = &batch->tablet[batch->ntablets + t];
		ProviderColumn *column = &batch->column[(batch->ntablets + t) * ncolumns];

		if (!read_tablet(window, &at, ncolumns, tablet))
			return STATUS_BAD_PROGRAM;
		nrows += tablet->nrows;
		for (uint32 c = 0; c < ncolumns; c++)
			if (!read_column(&from->column[c], tablet->nrows, &column[c]))
				return STATUS_BAD_PROGRAM;
	}
	if (batch->nwindows > 0 && before + nrows > BATCH_TABLET_ROWS)
		return STATUS_NO_ROOM;
	batch->row_start[batch->nwindows + 1] = before + nrows;
	batch->ntablets += n;
	return STATUS_DONE;
}

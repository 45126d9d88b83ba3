/*
 * remote_results.c
 *		The answers of the GPU process, and their transfer to the backend's
 *		job.
 *
 * Every answer is checked for plausibility: a damaged one ends the use of the
 * GPU process by this job.
 */
#include "postgres.h"

#include <stdlib.h>

#include "miscadmin.h"
#include "port/pg_bitutils.h"

#include "core/tablet/output.h"

#include "device/device.h"
#include "device/remote.h"

/* Words of a result slot. */
#define ROOM_WORDS (CHANNEL_COPY_BYTES / sizeof(uint64))

/* Build the tablet header that callers read: the number of rows, and of each column its scale. */
static bool
make_header(const RemoteJob *job, RemoteItem *item, const ChannelResult *result)
{
	uint32		ncolumns = job->spec.program->ncolumns;

	/* callers have the headers of cached tablets */
	if (item->work.pages == NULL)
		return true;
	if (item->header == NULL)
		item->header = malloc(sizeof(Tablet) + ncolumns * sizeof(TabletColumn));
	if (item->header == NULL)
		return false;
	memset(item->header, 0, sizeof(Tablet) + ncolumns * sizeof(TabletColumn));
	item->header->nrows = item->work.pages->nrows;
	item->header->ncols = ncolumns;
	item->header->failed_column = result->failed_column < (int32) ncolumns ? result->failed_column : -1;
	for (uint32 c = 0; c < ncolumns; c++)
		item->header->column[c].max_scale = result->max_scale[c];
	item->work.tablet = item->header;
	return true;
}

/* List the numbers of the rows that passed. */
static bool
list_rows(RemoteItem *item)
{
	const ChannelPages *page_batch = item->page_batch;
	uint32		nrows = item->work.pages->nrows;
	uint32		n = 0;

	if (!grow_block((void **) &item->rows, &item->rows_capacity, nrows * sizeof(uint32)))
		return false;
	for (uint32 row = 0; row < nrows; row += 32)
	{
		uint64		bits;

		memcpy(&bits, page_batch->passed + row / 8, sizeof(bits));
		bits = bits >> page_batch->passed_shift % 8 & PG_UINT32_MAX;
		if (nrows - row < 32)
			bits &= ((uint64) 1 << (nrows - row)) - 1;
		for (; bits != 0; bits &= bits - 1)
			item->rows[n++] = row + pg_rightmost_one_pos64(bits);
	}
	item->work.rows = item->rows;
	item->work.nrows = n;
	return true;
}

/* Copy the values of the rows that passed, if there was a result slot for them. */
static bool
copy_outputs(const RemoteJob *job, RemoteItem *item)
{
	const ChannelPages *page_batch = item->page_batch;
	const Program *program = job->spec.program;
	const uint8 *from;
	OutputLayout layout;

	item->work.output = NULL;
	item->work.wide = page_batch->output == OUTPUT_WIDE;
	if (program->noutputs == 0 || page_batch->room >= CHANNEL_COPIES ||
		(page_batch->output != OUTPUT_NARROW && page_batch->output != OUTPUT_WIDE))
		return true;
	from = channel_get()->copies[page_batch->room][0];
	output_layout(program, job->spec.deform->types[item->work.wide], item->work.pages->nrows, &layout);
	if (layout.size > CHANNEL_COPY_BYTES)
		return true;
	if (!grow_block((void **) &item->output, &item->output_capacity, layout.size))
		return false;
	output_copy(program->noutputs, &layout, item->output, &layout, from, item->work.nrows);
	item->work.output = item->output;
	return true;
}

/* Count the NULLs of a column. */
static uint32
count_nulls(const Tablet *tablet, const TabletColumn *column)
{
	const uint8 *nulls = tablet_at(tablet, column->nulls);
	uint32		count = 0;

	for (uint32 row = 0; row < tablet->nrows; row += 64)
	{
		uint64		bits;

		memcpy(&bits, nulls + row / 8, sizeof(bits));
		if (tablet->nrows - row < 64)
			bits &= (UINT64CONST(1) << (tablet->nrows - row)) - 1;
		count += pg_popcount64(bits);
	}
	return count;
}

/*
 * Copy a column of a page batch's rows to its destination or into their
 * tablet; return false if it has none of the requested forms.
 */
static bool
copy_column(const Tablet *from, Tablet *to, uint32 c, ColumnPlace *place)
{
	const TabletColumn told = from->column[c];
	const ForEncoding encoding = for_encoding_of(&told);
	TabletColumn *column = &to->column[c];
	const bool	raw = for_equal(&encoding, &(ForEncoding) {column->type, 0, 0});

	column->max_scale = told.max_scale;
	memcpy(column->min, told.min, sizeof(column->min));
	memcpy(column->max, told.max, sizeof(column->max));
	if (told.null_count > 0)
	{
		memcpy(tablet_at(to, column->nulls), tablet_at(from, column->nulls), tablet_bitmap_bytes(to->nrows));
		column->null_count = count_nulls(to, column);
	}
	place->packed = place->wanted && for_equal(&encoding, &place->encoding) && column->null_count < to->nrows;
	if (place->packed)
		memcpy(place->values, tablet_at(from, column->values), (Size) coltype_bytes(encoding.type) * to->nrows);
	else if (raw)
		memcpy(tablet_at(to, column->values), tablet_at(from, column->values), (Size) coltype_bytes(column->type) * to->nrows);
	return place->packed || raw;
}

/*
 * Copy the columns of all rows of a page batch to work.tablet; set it to NULL
 * if there was no result slot for them, or memory is short.
 */
static void
copy_columns(const RemoteJob *job, RemoteItem *item)
{
	const ChannelPages *page_batch = item->page_batch;
	const uint32 nrows = item->work.pages->nrows;
	const uint32 ncolumns = job->spec.program->ncolumns;
	const uint16_t *types = job->spec.deform->types[page_batch->output == OUTPUT_WIDE];
	const uint64 size = tablet_columns_size(types, ncolumns, nrows);
	const Tablet *from;

	item->work.tablet = NULL;
	/* the destinations may be freed already while the job is being closed */
	if (job->ending || page_batch->room >= CHANNEL_COPIES || size > CHANNEL_COPY_BYTES ||
		(page_batch->output != OUTPUT_NARROW && page_batch->output != OUTPUT_WIDE) ||
		!grow_block((void **) &item->columns, &item->columns_capacity, size))
		return;
	from = (const Tablet *) channel_get()->copies[page_batch->room][0];
	tablet_layout(item->columns, types, ncolumns, nrows, 0);
	for (uint32 c = 0; c < ncolumns; c++)
		if (!copy_column(from, item->columns, c, &item->work.places[c]))
			return;
	item->work.tablet = item->columns;
}

/* Copy the results besides groups of an item of pages that is done. */
static bool
copy_answer(const RemoteJob *job, RemoteItem *item)
{
	if (!job->spec.program->aggregates)
		return list_rows(item) && copy_outputs(job, item);
	if (item->work.places != NULL)
		copy_columns(job, item);
	return true;
}

/* Return the item whose page batch has this number, or NULL. */
static RemoteItem *
item_of_page_batch(RemoteJob *job, uint16 number)
{
	for (int i = 0; i < CHANNEL_JOB_PAGE_BATCHES; i++)
		if (job->item[i].state == ITEM_REMOTE && job->item[i].page_batch == &channel_get()->page_batch[number])
			return &job->item[i];
	return NULL;
}

/* Return true if the texts of all groups lie within the bytes that came with them. */
static bool
texts_are_sound(const Program *program, const GroupTable *groups)
{
	if (!program_text_keys(program))
		return true;
	for (uint32 g = 0; g < groups->ngroups; g++)
		for (uint32 k = 0; k < program->nkeys; k++)
		{
			const uint64 *text = group_row(groups, g) + program->key_word[k];

			if (program->key_kind[k] == KEY_TEXT &&
				(text[0] > groups->heap_used || text[1] > groups->heap_used - text[0]))
				return false;
		}
	return true;
}

/*
 * Return the address of a result's groups, and set *words to the capacity
 * there; return NULL if the result slot is not valid.
 */
static uint64 *
place_of_groups(const RemoteJob *job, ChannelResult *result, uint64 *words)
{
	*words = CHANNEL_ROWS_WORDS;
	if (result->room == CHANNEL_NO_ROOM)
		return result->rows;
	for (int w = 0; w < CHANNEL_GROUP_PAGE_BATCHES; w++)
	{
		const ChannelPages *page_batch = job->groups[w];

		if (page_batch == NULL || page_batch != &channel_get()->page_batch[result->room] || page_batch->room + page_batch->nslots > CHANNEL_COPIES)
			continue;
		*words = page_batch->nslots * ROOM_WORDS;
		return (uint64 *) channel_get()->copies[page_batch->room];
	}
	return NULL;
}

/* Locate and verify the groups of a result; return false if they are damaged. */
static bool
find_groups(const RemoteJob *job, ChannelResult *result, GroupTable *groups)
{
	const Program *program = job->spec.program;
	uint64		words = (uint64) result->ngroups * (1 + program->row_words) + result->text_bytes / 8;
	uint64		most;
	uint64	   *place = place_of_groups(job, result, &most);

	if (place == NULL || words > most || result->text_bytes % 8 != 0 ||
		(result->ngroups > 0 && !program->aggregates) || channel_checksum(result, place, (uint32) words) != result->checksum)
		return false;
	*groups = (GroupTable) {
		.hashes = place, .rows = place + result->ngroups, .ngroups = result->ngroups, .capacity = result->ngroups,
		.row_words = program->row_words, .heap = (uint8 *) (place + (size_t) result->ngroups * (1 + program->row_words)),
		.heap_used = result->text_bytes
	};
	return texts_are_sound(program, groups);
}

/* Verify a result and locate its groups; return false if the result is damaged. */
static bool
result_is_sound(RemoteJob *job, ChannelResult *result, GroupTable *groups)
{
	bool		draining = pg_atomic_read_u32(&job->slot->draining) != DRAINING_NOTHING;

	if ((result->npage_batches == 0) != draining || result->npage_batches > BATCH_PAGE_BATCHES || result->status >= STATUS_Count ||
		!find_groups(job, result, groups))
		return false;
	for (uint32 w = 0; w < result->npage_batches; w++)
	{
		if (result->page_batch[w] >= CHANNEL_PAGE_BATCHES || item_of_page_batch(job, result->page_batch[w]) == NULL)
			return false;
		for (uint32 before = 0; before < w; before++)
			if (result->page_batch[before] == result->page_batch[w])
				return false;
	}
	return true;
}

/* Return true if the CPU device is to run page batches for which the GPU returned this status. */
static bool
is_for_cpu(DeviceStatus status)
{
	switch (status)
	{
		case STATUS_NEEDS_WIDE:
		case STATUS_NEEDS_PATCH:
		case STATUS_SHELF_UNKNOWN:
		case STATUS_TABLE_FULL:
		case STATUS_TOO_MANY_PAIRS:
		case STATUS_MEMORY_LIMIT:
		case STATUS_BAD_PROGRAM:
		case STATUS_DEVICE_DOWN:
			return true;
		default:
			return false;
	}
}

/* Merge groups into the CPU job's table; all groups of the device-resident group table of one run are distinct. */
static DeviceStatus
merge_groups(RemoteJob *job, const GroupTable *groups, bool distinct)
{
	return groups->ngroups == 0 ? STATUS_DONE : cpu_device.absorb(job->local, groups, distinct);
}

static void
take_result(RemoteJob *job, ChannelResult *result, const GroupTable *groups)
{
	DeviceStatus status = result->status;
	bool		cpu = is_for_cpu(status);

	if (status == STATUS_DONE)
	{
		status = merge_groups(job, groups, false);
		job->mixed |= groups->ngroups > 0;
	}
	job->resident |= result->resident != 0;
	for (uint32 w = 0; w < result->npage_batches; w++)
	{
		RemoteItem *item = item_of_page_batch(job, result->page_batch[w]);
		ChannelPages *page_batch = item->page_batch;

		/* the caller's data may be freed already while the job is being closed */
		if (status == STATUS_SHELF_UNKNOWN && item->work.pages == NULL && !item->retold && !job->ending)
		{
			remote_forget_shelves(item);
			item->retold = true;
			item->page_batch = NULL;
			remote_set_state(job, item, ITEM_UNSENT);
		}
		else if (cpu)
			remote_leave_to_cpu(job, item, status);
		else
		{
			bool		made = make_header(job, item, result) &&
				(status != STATUS_DONE || item->work.pages == NULL || copy_answer(job, item));

			item->work.status = made ? status : STATUS_MEMORY_LIMIT;
			item->page_batch = NULL;
			remote_set_state(job, item, ITEM_DONE);
		}
		channel_free_page_batch(page_batch);
	}
	job->report.times.deform_ns += result->times.deform_ns;
	job->report.times.run_ns += result->times.run_ns;
}

void
remote_note_damage(RemoteJob *job)
{
	HOLD_INTERRUPTS();
	ereport(LOG, (errmsg("gpudb: the GPU process gave a damaged answer")));
	RESUME_INTERRUPTS();
	remote_give_up(job, STATUS_DEVICE_DOWN);
}

void
remote_take_results(RemoteJob *job)
{
	ChannelResult *result;

	while (job->slot != NULL && (result = channel_ready_result(job->slot)) != NULL)
	{
		DeviceStatus status = result->status;
		GroupTable	groups;

		INSTR_TIME_SET_CURRENT(job->news);
		if (!result_is_sound(job, result, &groups))
		{
			remote_note_damage(job);
			break;
		}
		take_result(job, result, &groups);
		channel_return_result(job->slot, result);
		/* further page batches would end the same way */
		if (status == STATUS_TABLE_FULL || status == STATUS_TOO_MANY_PAIRS || status == STATUS_BAD_PROGRAM || status == STATUS_DEVICE_DOWN)
			remote_give_up(job, status);
	}
}

void
remote_free_result_slots(RemoteJob *job)
{
	for (int w = 0; w < CHANNEL_GROUP_PAGE_BATCHES; w++)
	{
		if (job->groups[w] != NULL)
			channel_free_page_batch(job->groups[w]);
		job->groups[w] = NULL;
	}
}

ChannelPages *
remote_take_result_slots(const RemoteJob *job, uint64 words)
{
	ChannelPages *page_batch = channel_take_page_batch(job->slot);

	if (page_batch != NULL && !channel_take_result_slots(page_batch, (uint32) Min((words + ROOM_WORDS - 1) / ROOM_WORDS, CHANNEL_GROUP_SLOTS)))
	{
		channel_free_page_batch(page_batch);
		return NULL;
	}
	return page_batch;
}

/* Take result slots for the remaining groups, as far as some are free, and request the groups. */
static void
ask_for_rest(RemoteJob *job, uint64 ngroups)
{
	uint64		words = ngroups * (1 + job->spec.program->row_words);

	for (int w = 0; w < CHANNEL_GROUP_PAGE_BATCHES && words > 0; w++)
	{
		job->groups[w] = remote_take_result_slots(job, words);
		if (job->groups[w] == NULL)
			break;
		words -= Min(words, job->groups[w]->nslots * ROOM_WORDS);
		channel_submit(job->slot, job->groups[w]);
	}
	channel_drain(job->slot, job->groups[0] != NULL ? DRAINING_SLOTS : DRAINING_SMALL);
}

/*
 * Merge groups from the device-resident group table, and return the result
 * slots for further groups; they come in any order.
 */
static DeviceStatus
take_materialized(RemoteJob *job, ChannelResult *result, const GroupTable *groups)
{
	const uint64 total = result->total;
	const uint16 room = result->room;
	DeviceStatus status = merge_groups(job, groups, !job->again);

	job->received += groups->ngroups;
	job->report.left_out += result->left_out;
	job->drained = job->received >= total;
	channel_return_result(job->slot, result);
	if (job->drained)
		remote_free_result_slots(job);
	else if (pg_atomic_read_u32(&job->slot->draining) == DRAINING_FIRST)
		ask_for_rest(job, total - job->received);
	else if (room != CHANNEL_NO_ROOM)
		channel_submit(job->slot, &channel_get()->page_batch[room]);
	return status;
}

/*
 * Fetch the groups that are ready from the device-resident group table; return
 * STATUS_TIME_SLICE if more are to come.
 */
DeviceStatus
remote_drain(RemoteJob *job)
{
	DeviceStatus status = STATUS_DONE;
	ChannelResult *result;

	if (pg_atomic_read_u32(&job->slot->draining) == DRAINING_NOTHING)
	{
		INSTR_TIME_SET_CURRENT(job->news);
		/* groups that the CPU device has, too, are incomplete on either side */
		if (!job->mixed)
			job->slot->top = job->top;
		channel_drain(job->slot, DRAINING_FIRST);
	}
	while (!job->drained && status == STATUS_DONE && (result = channel_ready_result(job->slot)) != NULL)
	{
		GroupTable	groups;

		INSTR_TIME_SET_CURRENT(job->news);
		if (!result_is_sound(job, result, &groups) || result->status != STATUS_DONE)
		{
			remote_give_up(job, STATUS_DEVICE_DOWN);
			return STATUS_GROUPS_LOST;
		}
		status = take_materialized(job, result, &groups);
	}
	if (status != STATUS_DONE || job->drained)
		return status;
	remote_wait(job);
	return job->lost ? STATUS_GROUPS_LOST : STATUS_TIME_SLICE;
}

/*
 * device_remote.c
 *		The GPU as a backend sees it: windows go through the channel to the GPU process.
 *
 * Beside each job stands one on the CPU device.  It holds the groups, into
 * which those of every batch are merged, and it runs what the GPU process
 * does not: windows with values to be fetched, windows of a helper that died
 * or does not answer, everything when there is no slot.  So nothing that
 * happens over there is more than a loss of time: a batch is complete or
 * absent, and pages stay pinned until their window's answer is known.
 */
#include "postgres.h"

#include <stdlib.h>

#include "miscadmin.h"
#include "portability/instr_time.h"
#include "storage/bufmgr.h"

#include "device/channel.h"
#include "device/device.h"
#include "guc.h"

/* A helper without heartbeat for so long is given up. */
#define SILENCE_MS		(CHANNEL_SILENCE_MS + 500)
#define WAIT_MS			100

/* How long a query that is to end waits for what the helper has in hand, which is some milliseconds' work. */
#define PATIENCE_MS		200

typedef enum ItemState
{
	ITEM_FREE,
	ITEM_TAKEN,					/* by the caller: being filled, or collected */
	ITEM_REMOTE,				/* with the helper */
	ITEM_WAITING,				/* for the CPU device */
	ITEM_LOCAL,					/* with the CPU device */
	ITEM_DONE,
	ITEM_STATES
} ItemState;

typedef struct RemoteItem
{
	DeviceWork	work;			/* first: the caller's pointer is the item's */
	ItemState	state;
	ChannelWindow *window;		/* with the helper */
	DeviceWork *local;			/* the CPU device's item, until this one is released */
	/* of an answer from the helper */
	Tablet	   *header;			/* what callers read of a tablet, and the rows' places */
	uint64		header_capacity;
	uint32	   *rows;
	uint32		rows_capacity;
} RemoteItem;

typedef struct RemoteJob
{
	JobSpec		spec;
	DeviceJob  *local;
	ChannelJob *slot;			/* NULL: the CPU device runs what is left */
	JobReport	report;
	int			count[ITEM_STATES];
	uint64		heartbeat;		/* the helper's, when last looked at */
	instr_time	heard;			/* when it was another one */
	instr_time	news;			/* when the last result came */
	bool		ending;			/* cancelled, or being closed, */
	instr_time	ends;			/* since then */
	struct RemoteJob *next;		/* open jobs of this process */
	RemoteItem	item[CHANNEL_JOB_WINDOWS];
} RemoteJob;

static RemoteJob *open_jobs = NULL;

static void
set_state(RemoteJob *job, RemoteItem *item, ItemState state)
{
	job->count[item->state]--;
	item->state = state;
	job->count[state]++;
}

static int
milliseconds_since(instr_time then)
{
	instr_time	now;

	INSTR_TIME_SET_CURRENT(now);
	INSTR_TIME_SUBTRACT(now, then);
	return (int) INSTR_TIME_GET_MILLISEC(now);
}

/* To the helper */

/* Describe the window's pages: in place where the device can read them, else as copies; false when there is no room. */
static bool
describe_pages(const PageList *pages, ChannelWindow *window)
{
	const uint8 *pool = (const uint8 *) BufferBlocks;
	Channel    *channel = channel_get();

	window->npages = pages->npages;
	window->nrows = pages->nrows;
	for (uint32 p = 0; p < pages->npages; p++)
	{
		uint64		offset = (uint64) (pages->page[p] - pool);
		uint32		n = pages->ntuples[p];

		if (pages->page[p] >= pool && offset < (uint64) NBuffers * BLCKSZ && channel_want_page(offset))
			window->page[p] = offset;
		else
		{
			if (window->copy == CHANNEL_NO_COPY && !channel_take_copy(window))
				return false;
			memcpy(channel->copies[window->copy][p], pages->page[p], BLCKSZ);
			window->page[p] = CHANNEL_COPIED | p;
		}
		window->ntuples[p] = (uint16) n;
		/* they ascend: the last one tells whether some are left out */
		window->every[p] = pages->offsets[p][n - 1] == n;
		if (!window->every[p])
			memcpy(window->offsets[p], pages->offsets[p], n * sizeof(uint16));
	}
	return true;
}

static bool
send_item(RemoteJob *job, RemoteItem *item)
{
	ChannelWindow *window = channel_take_window(job->slot);

	if (window == NULL)
		return false;
	if (!describe_pages(item->work.pages, window))
	{
		channel_free_window(window);
		return false;
	}
	item->window = window;
	set_state(job, item, ITEM_REMOTE);
	channel_submit(job->slot, window);
	return true;
}

/* To the CPU device */

static void
leave_to_cpu(RemoteJob *job, RemoteItem *item, DeviceStatus why)
{
	item->window = NULL;
	set_state(job, item, ITEM_WAITING);
	job->report.left_windows++;
	job->report.left_for = why;
}

/* Give back the slot: what the helper has not answered is the CPU device's, and all that follows. */
static void
drop_slot(RemoteJob *job, DeviceStatus why)
{
	ChannelJob *slot = job->slot;

	job->slot = NULL;
	channel_close_job(slot, job->count[ITEM_REMOTE] > 0);
	job->report.left_for = why;
	for (int i = 0; i < CHANNEL_JOB_WINDOWS; i++)
		if (job->item[i].state == ITEM_REMOTE)
			leave_to_cpu(job, &job->item[i], why);
}

/* The same, and tell the user when it is the GPU process that fails. */
static void
give_up(RemoteJob *job, DeviceStatus why)
{
	drop_slot(job, why);
	if (why != STATUS_DEVICE_DOWN && why != STATUS_QUEUE_TIMEOUT)
		return;
	/* a message ends with a look at interrupts, which must not leave from here */
	HOLD_INTERRUPTS();
	ereport(WARNING,
			(errmsg("gpudb: %s", status_text(why)),
			 errdetail("The query goes on with the CPU device.")));
	RESUME_INTERRUPTS();
}

/* Pass on to the CPU device as much as it takes. */
static void
start_waiting(RemoteJob *job)
{
	for (int i = 0; i < CHANNEL_JOB_WINDOWS && job->count[ITEM_WAITING] > 0; i++)
	{
		RemoteItem *item = &job->item[i];

		if (item->state != ITEM_WAITING)
			continue;
		item->local = cpu_device.acquire(job->local);
		if (item->local == NULL)
			return;
		item->local->pages = item->work.pages;
		item->local->owner = item;
		set_state(job, item, ITEM_LOCAL);
		cpu_device.submit(job->local, item->local);
	}
}

static void
take_local(RemoteJob *job, const DeviceWork *local)
{
	RemoteItem *item = local->owner;

	item->work.status = local->status;
	item->work.tablet = local->tablet;
	item->work.rows = local->rows;
	item->work.nrows = local->nrows;
	set_state(job, item, ITEM_DONE);
}

/* Back from the helper */

/* What callers read of a tablet: its columns as far as they are told, and where each row is. */
static bool
make_header(const RemoteJob *job, RemoteItem *item, const ChannelResult *result)
{
	const PageList *pages = item->work.pages;
	uint32		ncolumns = job->spec.program->ncolumns;
	uint64		rows_at = tablet_align(sizeof(Tablet) + ncolumns * sizeof(TabletColumn));
	uint64		size = rows_at + pages->nrows * sizeof(uint32);
	uint32	   *places;

	if (size > item->header_capacity)
	{
		free(item->header);
		item->header = malloc(size);
		item->header_capacity = item->header != NULL ? size : 0;
		if (item->header == NULL)
			return false;
	}
	memset(item->header, 0, rows_at);
	item->header->nrows = pages->nrows;
	item->header->ncols = ncolumns;
	item->header->rows = rows_at;
	item->header->failed_column = result->failed_column < (int32) ncolumns ? result->failed_column : -1;
	for (uint32 c = 0; c < ncolumns; c++)
		item->header->column[c].max_scale = result->max_scale[c];
	item->work.tablet = item->header;
	if (job->spec.program->aggregates)
		return true;
	places = (uint32 *) tablet_at(item->header, rows_at);
	for (uint32 p = 0; p < pages->npages; p++)
		for (uint32 t = 0; t < pages->ntuples[p]; t++)
			*places++ = ROW_PLACE(p, pages->offsets[p][t]);
	return true;
}

/* The numbers of the rows that passed. */
static bool
list_rows(RemoteItem *item)
{
	const ChannelWindow *window = item->window;
	uint32		nrows = item->work.pages->nrows;
	uint32		n = 0;

	if (nrows > item->rows_capacity)
	{
		free(item->rows);
		item->rows = malloc(nrows * sizeof(uint32));
		item->rows_capacity = item->rows != NULL ? nrows : 0;
		if (item->rows == NULL)
			return false;
	}
	for (uint32 row = 0; row < nrows; row++)
	{
		uint32		bit = row + window->passed_shift % 8;

		item->rows[n] = row;
		n += window->passed[bit / 8] >> (bit % 8) & 1;
	}
	item->work.rows = item->rows;
	item->work.nrows = n;
	return true;
}

/* The item that a result speaks of, or NULL. */
static RemoteItem *
item_of_window(RemoteJob *job, uint16 number)
{
	for (int i = 0; i < CHANNEL_JOB_WINDOWS; i++)
		if (job->item[i].state == ITEM_REMOTE && job->item[i].window == &channel_get()->window[number])
			return &job->item[i];
	return NULL;
}

/* Whether a result can be what the helper meant to say. */
static bool
result_is_sound(RemoteJob *job, const ChannelResult *result)
{
	uint64		words = (uint64) result->ngroups * (1 + job->spec.program->row_words);

	if (result->nwindows == 0 || result->nwindows > BATCH_WINDOWS || result->status >= STATUS_Count ||
		(result->ngroups > 0 && !job->spec.program->aggregates) ||
		words > CHANNEL_ROWS_WORDS || channel_checksum(result, (uint32) words) != result->checksum)
		return false;
	for (uint32 w = 0; w < result->nwindows; w++)
	{
		if (result->window[w] >= CHANNEL_WINDOWS || item_of_window(job, result->window[w]) == NULL)
			return false;
		for (uint32 before = 0; before < w; before++)
			if (result->window[before] == result->window[w])
				return false;
	}
	return true;
}

/* Whether the CPU device is to run what the GPU answered so. */
static bool
is_for_cpu(DeviceStatus status)
{
	switch (status)
	{
		case STATUS_NEEDS_WIDE:
		case STATUS_NEEDS_PATCH:
		case STATUS_TABLE_FULL:
		case STATUS_MEMORY_LIMIT:
		case STATUS_BAD_PROGRAM:
		case STATUS_DEVICE_DOWN:
			return true;
		default:
			return false;
	}
}

static DeviceStatus
merge_groups(RemoteJob *job, ChannelResult *result)
{
	GroupTable	groups = {
		.hashes = result->rows, .rows = result->rows + result->ngroups, .ngroups = result->ngroups,
		.capacity = result->ngroups, .row_words = job->spec.program->row_words
	};

	return result->ngroups == 0 ? STATUS_DONE : cpu_device.absorb(job->local, &groups);
}

static void
take_result(RemoteJob *job, ChannelResult *result)
{
	DeviceStatus status = result->status;
	bool		cpu = is_for_cpu(status);

	if (status == STATUS_DONE)
		status = merge_groups(job, result);
	for (uint32 w = 0; w < result->nwindows; w++)
	{
		RemoteItem *item = item_of_window(job, result->window[w]);
		ChannelWindow *window = item->window;

		if (cpu)
			leave_to_cpu(job, item, status);
		else
		{
			bool		made = make_header(job, item, result) &&
				(status != STATUS_DONE || job->spec.program->aggregates || list_rows(item));

			item->work.status = made ? status : STATUS_MEMORY_LIMIT;
			item->window = NULL;
			set_state(job, item, ITEM_DONE);
		}
		channel_free_window(window);
	}
	job->report.times.deform_ns += result->times.deform_ns;
	job->report.times.run_ns += result->times.run_ns;
}

static void
take_results(RemoteJob *job)
{
	ChannelResult *result;

	while (job->slot != NULL && (result = channel_ready_result(job->slot)) != NULL)
	{
		DeviceStatus status = result->status;

		INSTR_TIME_SET_CURRENT(job->news);
		if (!result_is_sound(job, result))
		{
			HOLD_INTERRUPTS();
			ereport(LOG, (errmsg("gpudb: the GPU process gave a damaged answer")));
			RESUME_INTERRUPTS();
			give_up(job, STATUS_DEVICE_DOWN);
			break;
		}
		take_result(job, result);
		channel_return_result(job->slot, result);
		/* more of the same would end the same way */
		if (status == STATUS_TABLE_FULL || status == STATUS_BAD_PROGRAM || status == STATUS_DEVICE_DOWN)
			give_up(job, status);
	}
}

/* Nobody wants the answers any more: have the helper drop what it has not begun. */
static void
start_ending(RemoteJob *job)
{
	if (job->ending)
		return;
	job->ending = true;
	INSTR_TIME_SET_CURRENT(job->ends);
	pg_atomic_write_u32(&job->slot->cancelled, 1);
	channel_ring_doorbell(channel_get());
}

/* Only the helper has something in hand: wait for it, or give it up. */
static void
wait_for_helper(RemoteJob *job)
{
	uint64		heartbeat = pg_atomic_read_u64(&channel_get()->heartbeat);

	if (heartbeat != job->heartbeat)
		INSTR_TIME_SET_CURRENT(job->heard);
	job->heartbeat = heartbeat;
	if (job->spec.interrupted())
		start_ending(job);
	if (job->ending && milliseconds_since(job->ends) > PATIENCE_MS)
		give_up(job, STATUS_CANCELLED);
	else if (!channel_job_alive(job->slot) || milliseconds_since(job->heard) > SILENCE_MS)
		give_up(job, STATUS_DEVICE_DOWN);
	else if (milliseconds_since(job->news) > gpudb_queue_timeout)
		give_up(job, STATUS_QUEUE_TIMEOUT);
	else
		channel_wait(job->slot, WAIT_MS);
}

/* The interface */

static DeviceJob *
remote_open(const JobSpec *spec)
{
	DeviceStatus why;
	/* a session that holds slots itself might wait for its own */
	int			patience = open_jobs == NULL && !spec->no_stand_in ? gpudb_queue_timeout : 0;
	ChannelJob *slot = channel_open_job(spec->program, spec->deform, patience, &why);
	RemoteJob  *job;

	if (slot == NULL && spec->no_stand_in)
		return NULL;
	job = calloc(1, sizeof(RemoteJob));
	if (job != NULL)
		job->local = cpu_device.open(spec);
	if (job == NULL || job->local == NULL)
	{
		if (slot != NULL)
			channel_close_job(slot, false);
		free(job);
		return NULL;
	}
	job->spec = *spec;
	job->slot = slot;
	job->report.left_for = slot == NULL ? why : STATUS_DONE;
	job->count[ITEM_FREE] = CHANNEL_JOB_WINDOWS;
	INSTR_TIME_SET_CURRENT(job->heard);
	job->news = job->heard;
	job->next = open_jobs;
	open_jobs = job;
	return (DeviceJob *) job;
}

static DeviceWork *
remote_acquire(DeviceJob *device_job)
{
	RemoteJob  *job = (RemoteJob *) device_job;

	/* without a helper, no more than the CPU device has items for */
	if (job->slot == NULL && job->count[ITEM_FREE] + 2 * (job->spec.threads + 1) <= CHANNEL_JOB_WINDOWS)
		return NULL;
	for (int i = 0; i < CHANNEL_JOB_WINDOWS; i++)
		if (job->item[i].state == ITEM_FREE)
		{
			set_state(job, &job->item[i], ITEM_TAKEN);
			job->item[i].work.stage = STAGE_DEFORM;
			return &job->item[i].work;
		}
	return NULL;
}

static void
remote_submit(DeviceJob *device_job, DeviceWork *work)
{
	RemoteJob  *job = (RemoteJob *) device_job;
	RemoteItem *item = (RemoteItem *) work;

	/* the waiting time is that of a job with something in flight */
	if (job->count[ITEM_REMOTE] == 0)
		INSTR_TIME_SET_CURRENT(job->news);
	if (work->stage == STAGE_RUN)
	{
		item->local->stage = STAGE_RUN;
		set_state(job, item, ITEM_LOCAL);
		cpu_device.submit(job->local, item->local);
	}
	else if (job->slot == NULL || !send_item(job, item))
		leave_to_cpu(job, item, job->slot == NULL ? job->report.left_for : STATUS_MEMORY_LIMIT);
}

static RemoteItem *
done_item(RemoteJob *job)
{
	if (job->count[ITEM_DONE] > 0)
		for (int i = 0; i < CHANNEL_JOB_WINDOWS; i++)
			if (job->item[i].state == ITEM_DONE)
				return &job->item[i];
	return NULL;
}

static DeviceWork *
remote_collect(DeviceJob *device_job, bool wait)
{
	RemoteJob  *job = (RemoteJob *) device_job;

	for (;;)
	{
		DeviceWork *local;
		RemoteItem *item;

		take_results(job);
		start_waiting(job);
		while (job->count[ITEM_LOCAL] > 0 && (local = cpu_device.collect(job->local, false)) != NULL)
			take_local(job, local);
		item = done_item(job);
		if (item != NULL)
		{
			set_state(job, item, ITEM_TAKEN);
			return &item->work;
		}
		if (!wait || job->count[ITEM_REMOTE] + job->count[ITEM_LOCAL] + job->count[ITEM_WAITING] == 0)
			return NULL;
		if (job->count[ITEM_LOCAL] == 0 && job->slot != NULL)
			wait_for_helper(job);
		else if ((local = cpu_device.collect(job->local, true)) != NULL)
			take_local(job, local);
	}
}

static void
remote_release(DeviceJob *device_job, DeviceWork *work)
{
	RemoteJob  *job = (RemoteJob *) device_job;
	RemoteItem *item = (RemoteItem *) work;

	if (item->local != NULL)
		cpu_device.release(job->local, item->local);
	item->local = NULL;
	set_state(job, item, ITEM_FREE);
}

static bool
remote_enlarge(DeviceWork *work, uint64_t more_bytes)
{
	RemoteItem *item = (RemoteItem *) work;
	bool		enlarged = cpu_device.enlarge(item->local, more_bytes);

	work->tablet = item->local->tablet;
	return enlarged;
}

static DeviceStatus
remote_absorb(DeviceJob *device_job, const GroupTable *groups)
{
	return cpu_device.absorb(((RemoteJob *) device_job)->local, groups);
}

static DeviceStatus
remote_finish(DeviceJob *device_job, const GroupTable **groups)
{
	RemoteJob  *job = (RemoteJob *) device_job;

	/* nothing more will be submitted: others may want the slot */
	if (job->slot != NULL)
		channel_close_job(job->slot, false);
	job->slot = NULL;
	return cpu_device.finish(job->local, groups);
}

static void
remote_report(const DeviceJob *device_job, JobReport *report)
{
	const RemoteJob *job = (const RemoteJob *) device_job;
	JobReport	local;

	cpu_device.report(job->local, &local);
	*report = job->report;
	report->times.deform_ns += local.times.deform_ns;
	report->times.run_ns += local.times.run_ns;
}

static void
remote_close(DeviceJob *device_job)
{
	RemoteJob  *job = (RemoteJob *) device_job;
	RemoteJob **link = &open_jobs;

	if (job->slot != NULL)
	{
		/* what is in flight reads pinned pages: let the helper answer, which it soon does */
		start_ending(job);
		while (job->slot != NULL && job->count[ITEM_REMOTE] > 0)
		{
			take_results(job);
			if (job->slot != NULL && job->count[ITEM_REMOTE] > 0)
				wait_for_helper(job);
		}
		if (job->slot != NULL)
			channel_close_job(job->slot, false);
	}
	while (*link != job)
		link = &(*link)->next;
	*link = job->next;
	cpu_device.close(job->local);
	for (int i = 0; i < CHANNEL_JOB_WINDOWS; i++)
	{
		free(job->item[i].header);
		free(job->item[i].rows);
	}
	free(job);
}

const Device remote_device = {
	.name = "gpu",
	.open = remote_open,
	.acquire = remote_acquire,
	.submit = remote_submit,
	.collect = remote_collect,
	.release = remote_release,
	.enlarge = remote_enlarge,
	.absorb = remote_absorb,
	.finish = remote_finish,
	.report = remote_report,
	.close = remote_close,
};

void
device_remote_quiesce(void)
{
	/* jobs stay on the list: their memory is still to be cleaned up */
	for (RemoteJob *job = open_jobs; job != NULL; job = job->next)
		if (job->slot != NULL)
			drop_slot(job, STATUS_CANCELLED);
}

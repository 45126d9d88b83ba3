/*
 * device_remote.c
 *		The GPU as a device: page batches go through the channel to the GPU
 *		process.
 *
 * Each job is accompanied by a job on the CPU device.  The CPU job holds the
 * group table, into which the groups of every batch are merged, and it runs
 * what the GPU process does not: page batches with values stored out of line,
 * page batches of a GPU process that died or does not answer, and everything
 * if there is no job slot.  Therefore a failure of the GPU process costs only
 * time: a batch is complete or absent, and pages stay pinned until their batch
 * has been answered.
 *
 * If there are many groups, the GPU process collects them in a device-resident
 * group table and returns them at the end.  They are lost if the GPU process
 * dies; the job is lost then, and its caller begins anew with the CPU device.
 */
#include "postgres.h"

#include <stdlib.h>

#include "access/parallel.h"
#include "miscadmin.h"
#include "portability/instr_time.h"

#include "device/device.h"
#include "device/remote.h"
#include "guc.h"

/* A GPU process without a sign of life for this time is given up, a little later than the supervisor kills it. */
#define SILENCE_MS		(gpudb_debug_silence + 500)
#define WAIT_MS			100

/*
 * Time for which a query that is to end waits for the page batches that the
 * GPU process has: mostly it is some milliseconds' work; after this time they
 * are left to the GPU process.
 */
#define PATIENCE_MS		25

/*
 * Most page batches of a job in flight that return columns, so that 16
 * processes find result slots; and the number of attempts, and the pause
 * between them, if none is in flight.
 */
#define RESULT_SLOTS_MAX 16
#define ROOM_TRIES		200
#define ROOM_PAUSE_US	100

static RemoteJob *open_jobs = NULL;

void
remote_set_state(RemoteJob *job, RemoteItem *item, ItemState state)
{
	job->count[item->state]--;
	item->state = state;
	job->count[state]++;
	job->mixed |= state == ITEM_LOCAL;
}

int
remote_ms_since(instr_time then)
{
	instr_time	now;

	INSTR_TIME_SET_CURRENT(now);
	INSTR_TIME_SUBTRACT(now, then);
	return (int) INSTR_TIME_GET_MILLISEC(now);
}

/* Items sent to the GPU process */

/* Store in the result slot the frame-of-reference encodings in which the columns are to be returned. */
static void
name_encodings(const RemoteJob *job, const RemoteItem *item, const ChannelPages *page_batch)
{
	Tablet	   *room = (Tablet *) channel_get()->copies[page_batch->room][0];

	for (uint32 c = 0; c < job->spec.program->ncolumns; c++)
	{
		const ColumnPlace *place = &item->work.places[c];
		const ForEncoding none = {COLTYPE_Count, 0, 0};

		column_set_encoding(&room->column[c], place->wanted ? &place->encoding : &none);
	}
}

/*
 * Take a result slot for columns; columns of only some page batches of a
 * tablet are of no use.  Returns false if the caller is to try again when a
 * page batch has come back.  If none is in flight, waits for result slots of
 * others, and after ROOM_TRIES attempts does without columns and returns true.
 */
static bool
take_room_for_columns(const RemoteJob *job, const RemoteItem *item, ChannelPages *page_batch)
{
	int			tries = job->count[ITEM_REMOTE] == 0 ? ROOM_TRIES : 1;

	if (job->count[ITEM_REMOTE] >= RESULT_SLOTS_MAX)
		return false;
	while (!channel_take_output(page_batch))
	{
		if (--tries == 0)
			return job->count[ITEM_REMOTE] == 0;
		pg_usleep(ROOM_PAUSE_US);
	}
	name_encodings(job, item, page_batch);
	return true;
}

/* Take a result slot for output values and columns; return false if the caller should wait for one. */
static bool
take_room(const RemoteJob *job, const RemoteItem *item, ChannelPages *page_batch)
{
	/* if there is no result slot for values, only row numbers come back */
	if (job->spec.program->noutputs > 0)
		(void) channel_take_output(page_batch);
	return item->work.places == NULL || take_room_for_columns(job, item, page_batch);
}

static bool
send_item(RemoteJob *job, RemoteItem *item)
{
	ChannelPages *page_batch = channel_take_page_batch(job->slot);

	if (page_batch == NULL)
		return false;
	if (!remote_describe(job, item, page_batch) || !take_room(job, item, page_batch))
	{
		channel_free_page_batch(page_batch);
		return false;
	}
	item->page_batch = page_batch;
	remote_set_state(job, item, ITEM_REMOTE);
	channel_submit(job->slot, page_batch);
	return true;
}

/* Items left to the CPU device */

/* Finish an item of a lost job without running it. */
static void
set_lost(RemoteJob *job, RemoteItem *item)
{
	item->page_batch = NULL;
	item->work.status = STATUS_GROUPS_LOST;
	remote_set_state(job, item, ITEM_DONE);
}

static void
give_to_cpu(RemoteJob *job, RemoteItem *item)
{
	item->page_batch = NULL;
	remote_set_state(job, item, ITEM_WAITING);
}

void
remote_leave_to_cpu(RemoteJob *job, RemoteItem *item, DeviceStatus why)
{
	if (job->spec.no_other)
	{
		job->lost = true;
		set_lost(job, item);
	}
	else
		give_to_cpu(job, item);
	job->report.left_page_batches++;
	job->report.left_for = why;
}

/*
 * Send items that found no room before, as other jobs may have freed some; an
 * item that fits nowhere, or finds no room with nothing in flight, is left to
 * the CPU device.
 */
static void
send_unsent(RemoteJob *job)
{
	for (int i = 0; i < CHANNEL_JOB_PAGE_BATCHES && job->count[ITEM_UNSENT] > 0; i++)
	{
		RemoteItem *item = &job->item[i];

		if (item->state != ITEM_UNSENT)
			continue;
		if (!remote_fits(job, &item->work))
			remote_leave_to_cpu(job, item, STATUS_NO_ROOM);
		else if (!send_item(job, item))
		{
			if (job->count[ITEM_REMOTE] > 0)
				return;
			remote_leave_to_cpu(job, item, STATUS_NO_ROOM);
		}
	}
}

/* Give back the job slot; if the GPU process may be about to answer, the GPU process will free it. */
static void
close_slot(RemoteJob *job)
{
	bool		draining = pg_atomic_read_u32(&job->slot->draining) != DRAINING_NOTHING && !job->drained;
	const ChannelKeeping keeping = pg_atomic_read_u32(&job->slot->keeping);
	bool		fetching = keeping == KEEPING_WANTED || keeping == KEEPING_SORT;

	if (!draining && !fetching)
		remote_free_result_slots(job);
	channel_close_job(job->slot, draining || fetching || job->count[ITEM_REMOTE] > 0);
	job->slot = NULL;
}

/* Give back the job slot early: the CPU device runs the unanswered items, and all that follow. */
static void
drop_slot(RemoteJob *job, DeviceStatus why)
{
	/* groups of page batches in flight may yet be added to the table of the job that this one helps */
	job->lost = !job->drained && (job->resident || (job->spec.family != 0 && job->count[ITEM_REMOTE] > 0));
	close_slot(job);
	job->report.left_for = why;
	for (int i = 0; i < CHANNEL_JOB_PAGE_BATCHES; i++)
		if (job->item[i].state == ITEM_REMOTE || job->item[i].state == ITEM_UNSENT)
		{
			if (job->lost)
				set_lost(job, &job->item[i]);
			else
				remote_leave_to_cpu(job, &job->item[i], why);
		}
}

/* Give back the job slot early, and report it with a message if the GPU process has failed. */
void
remote_give_up(RemoteJob *job, DeviceStatus why)
{
	drop_slot(job, why);
	if (why != STATUS_DEVICE_DOWN && why != STATUS_QUEUE_TIMEOUT)
		return;
	/* ereport() ends with CHECK_FOR_INTERRUPTS(), which must not leave this function */
	HOLD_INTERRUPTS();
	/* only the leader of a query tells the user, parallel workers write to the log */
	ereport(IsParallelWorker() ? LOG : WARNING,
			(errmsg("gpudb: %s", status_text(why)),
			 errdetail("The query goes on with the CPU device.")));
	RESUME_INTERRUPTS();
}

/* Submit waiting items to the CPU device, as many as it accepts. */
static void
start_waiting(RemoteJob *job)
{
	for (int i = 0; i < CHANNEL_JOB_PAGE_BATCHES && job->count[ITEM_WAITING] > 0; i++)
	{
		RemoteItem *item = &job->item[i];

		if (item->state != ITEM_WAITING)
			continue;
		item->local = cpu_device.acquire(job->local);
		if (item->local == NULL)
			return;
		item->local->pages = item->work.pages;
		item->local->cached = item->work.cached;
		item->local->ncached = item->work.ncached;
		item->local->places = item->work.places;
		item->local->stage = item->work.pages != NULL ? STAGE_DEFORM : STAGE_RUN;
		item->local->owner = item;
		remote_set_state(job, item, ITEM_LOCAL);
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
	item->work.wide = local->wide;
	item->work.output = local->output;
	remote_set_state(job, item, ITEM_DONE);
}

/* Cancel the job, since its answers are no longer wanted; the GPU process drops what it has not begun. */
static void
start_ending(RemoteJob *job)
{
	if (job->ending)
		return;
	job->ending = true;
	INSTR_TIME_SET_CURRENT(job->ends);
	pg_atomic_write_u32(&job->slot->cancelled, 1);
	pg_atomic_write_u32(&job->slot->more, 0);
	channel_ring_doorbell(channel_get());
}

static uint64
heartbeat_of(const Channel *channel)
{
	return pg_atomic_read_u64((pg_atomic_uint64 *) &channel->heartbeat);
}

static void
listen_to_helper(RemoteJob *job)
{
	pulse_begin(&job->pulse, channel_get()->helper, heartbeat_of(channel_get()));
}

/* Wait for the GPU process, which alone has items of the job, or give it up. */
void
remote_wait(RemoteJob *job)
{
	const Channel *channel = channel_get();

	if (job->spec.interrupted())
		start_ending(job);
	if (job->ending && remote_ms_since(job->ends) > PATIENCE_MS)
		remote_give_up(job, STATUS_CANCELLED);
	else if (!channel_job_alive(job->slot) || pulse_is_lost(&job->pulse, channel->helper, heartbeat_of(channel), SILENCE_MS))
		remote_give_up(job, STATUS_DEVICE_DOWN);
	else if (remote_ms_since(job->news) > gpudb_queue_timeout)
		remote_give_up(job, STATUS_QUEUE_TIMEOUT);
	else
		channel_wait(job->slot, job->ending ? PATIENCE_MS : WAIT_MS);
}

/* The Device interface */

/*
 * Take a slot for a job, which may be open already.  Does not wait if this
 * session holds other slots, since it might wait for its own.
 */
static ChannelJob *
open_slot(const JobSpec *spec, const RemoteJob *job, DeviceStatus *why)
{
	const bool	alone = open_jobs == job && (job == NULL || job->next == NULL) && !remote_has_tables();

	return channel_open_job(spec, alone && spec->family == 0 ? gpudb_queue_timeout : 0, why);
}

static DeviceJob *
remote_open(const JobSpec *spec)
{
	DeviceStatus why;
	ChannelJob *slot = open_slot(spec, NULL, &why);
	RemoteJob  *job;

	if (slot == NULL && spec->family != 0)
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
	job->count[ITEM_FREE] = CHANNEL_JOB_PAGE_BATCHES;
	listen_to_helper(job);
	INSTR_TIME_SET_CURRENT(job->news);
	job->next = open_jobs;
	open_jobs = job;
	return (DeviceJob *) job;
}

static DeviceWork *
remote_acquire(DeviceJob *device_job)
{
	RemoteJob  *job = (RemoteJob *) device_job;

	/* no more items than the CPU device has if there is no GPU process */
	if (job->slot == NULL && job->count[ITEM_FREE] + 2 * (job->spec.threads + 1) <= CHANNEL_JOB_PAGE_BATCHES)
		return NULL;
	for (int i = 0; i < CHANNEL_JOB_PAGE_BATCHES; i++)
		if (job->item[i].state == ITEM_FREE)
		{
			remote_set_state(job, &job->item[i], ITEM_TAKEN);
			job->item[i].work.stage = STAGE_DEFORM;
			return &job->item[i].work;
		}
	return NULL;
}

static uint32_t
remote_take_cached(const DeviceJob *device_job, const CachedRows *rows, uint32_t n)
{
	const RemoteJob *job = (const RemoteJob *) device_job;

	if (job->slot == NULL)
		return cpu_device.take_cached(job->local, rows, n);
	if (job->spec.source.number != 0)
		return 1;
	return Max(remote_tablets_that_fit(job, rows, n), 1);
}

static void
remote_submit(DeviceJob *device_job, DeviceWork *work)
{
	RemoteJob  *job = (RemoteJob *) device_job;
	RemoteItem *item = (RemoteItem *) work;

	/* the waiting time counts while a job has items in flight */
	if (job->count[ITEM_REMOTE] == 0)
		INSTR_TIME_SET_CURRENT(job->news);
	item->retold = false;
	if (job->lost)
		set_lost(job, item);
	else if (work->stage == STAGE_RUN && work->pages != NULL)
	{
		item->local->stage = STAGE_RUN;
		remote_set_state(job, item, ITEM_LOCAL);
		cpu_device.submit(job->local, item->local);
	}
	else if (work->pages != NULL && (job->spec.deform->coded || (work->places != NULL && !job->spec.program->aggregates)))
	{
		/* not reported as left to the CPU device: it is the expected way */
		if (job->spec.no_other)
			remote_leave_to_cpu(job, item, STATUS_NO_ROOM);
		else
			give_to_cpu(job, item);
	}
	else if (job->slot == NULL)
		remote_leave_to_cpu(job, item, job->report.left_for);
	else
	{
		if (work->more)
			channel_set_more(job->slot, true);
		remote_set_state(job, item, ITEM_UNSENT);
		send_unsent(job);
		if (!work->more)
			channel_set_more(job->slot, false);
	}
}

static RemoteItem *
done_item(RemoteJob *job)
{
	if (job->count[ITEM_DONE] > 0)
		for (int i = 0; i < CHANNEL_JOB_PAGE_BATCHES; i++)
			if (job->item[i].state == ITEM_DONE)
				return &job->item[i];
	return NULL;
}

static DeviceWork *
remote_collect(DeviceJob *device_job, bool wait)
{
	RemoteJob  *job = (RemoteJob *) device_job;

	/* the caller submits nothing more before it has got an item back */
	if (wait && job->slot != NULL)
		channel_set_more(job->slot, false);
	for (;;)
	{
		DeviceWork *local;
		RemoteItem *item;

		remote_take_results(job);
		if (job->slot != NULL)
			send_unsent(job);
		start_waiting(job);
		while (job->count[ITEM_LOCAL] > 0 && (local = cpu_device.collect(job->local, false)) != NULL)
			take_local(job, local);
		item = done_item(job);
		if (item != NULL)
		{
			remote_set_state(job, item, ITEM_TAKEN);
			return &item->work;
		}
		if (!wait || job->count[ITEM_REMOTE] + job->count[ITEM_LOCAL] + job->count[ITEM_WAITING] == 0)
			return NULL;
		if (job->count[ITEM_LOCAL] == 0 && job->slot != NULL)
			remote_wait(job);
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
	remote_set_state(job, item, ITEM_FREE);
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
remote_absorb(DeviceJob *device_job, const GroupTable *groups, bool distinct)
{
	return cpu_device.absorb(((RemoteJob *) device_job)->local, groups, distinct);
}

static uint64_t
remote_family(const DeviceJob *device_job)
{
	const RemoteJob *job = (const RemoteJob *) device_job;

	return job->slot != NULL ? channel_family(job->slot) : 0;
}

static void
remote_adopt(DeviceJob *device_job)
{
	RemoteJob  *job = (RemoteJob *) device_job;

	job->resident = true;
	job->lost |= job->slot == NULL || !channel_job_alive(job->slot);
}

static void
remote_want_top(DeviceJob *device_job, const GroupTop *top)
{
	((RemoteJob *) device_job)->top = *top;
}

/* Fetch all groups into the CPU job's table, unless this job leaves them with the job that it helps. */
static DeviceStatus
fetch_groups(RemoteJob *job)
{
	if (job->lost)
		return STATUS_GROUPS_LOST;
	return job->resident && !job->drained && job->spec.family == 0 ? remote_drain(job) : STATUS_DONE;
}

static DeviceStatus
remote_again(DeviceJob *device_job)
{
	RemoteJob  *job = (RemoteJob *) device_job;
	DeviceStatus status = fetch_groups(job);
	DeviceStatus why;

	if (status != STATUS_DONE)
		return status;
	if (job->slot != NULL)
		close_slot(job);
	job->resident = job->drained = false;
	job->received = 0;
	job->mixed = job->again = true;
	job->slot = open_slot(&job->spec, job, &why);
	if (job->slot == NULL)
		job->report.left_for = why;
	listen_to_helper(job);
	return cpu_device.again(job->local);
}

static DeviceStatus
remote_finish(DeviceJob *device_job, const GroupTable **groups)
{
	RemoteJob  *job = (RemoteJob *) device_job;
	DeviceStatus status = fetch_groups(job);

	if (status != STATUS_DONE)
		return status;
	/* nothing more will be submitted: give the slot to others, unless it has materialized rows */
	if (job->slot != NULL && job->spec.program->nmaterialized == 0)
		close_slot(job);
	return cpu_device.finish(job->local, groups);
}

static void
remote_report(const DeviceJob *device_job, JobReport *report)
{
	const RemoteJob *job = (const RemoteJob *) device_job;
	JobReport	local;

	cpu_device.report(job->local, &local);
	*report = job->report;
	report->resident = job->resident;
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
		/* page batches in flight read pinned pages: wait for the GPU process's answer, which comes soon */
		start_ending(job);
		while (job->slot != NULL && job->count[ITEM_REMOTE] > 0)
		{
			remote_take_results(job);
			if (job->slot != NULL && job->count[ITEM_REMOTE] > 0)
				remote_wait(job);
		}
		if (job->slot != NULL)
			close_slot(job);
	}
	while (*link != job)
		link = &(*link)->next;
	*link = job->next;
	cpu_device.close(job->local);
	for (int i = 0; i < CHANNEL_JOB_PAGE_BATCHES; i++)
	{
		free(job->item[i].header);
		free(job->item[i].columns);
		free(job->item[i].rows);
		free(job->item[i].output);
	}
	free(job);
}

const Device remote_device = {
	.name = "gpu",
	.open = remote_open,
	.acquire = remote_acquire,
	.take_cached = remote_take_cached,
	.submit = remote_submit,
	.collect = remote_collect,
	.release = remote_release,
	.enlarge = remote_enlarge,
	.absorb = remote_absorb,
	.family = remote_family,
	.adopt = remote_adopt,
	.want_top = remote_want_top,
	.again = remote_again,
	.finish = remote_finish,
	.keep = remote_keep,
	.drop = remote_drop,
	.sort = remote_sort,
	.hold = remote_hold,
	.fetch = remote_fetch,
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

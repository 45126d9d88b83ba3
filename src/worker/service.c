/*
 * service.c
 *		Main loop of the GPU process, which serves requests in the channel by a provider.
 *
 * One thread visits all job slots in turn.  It trusts nothing that it finds
 * there: a job's image is copied and verified before anything of it is used,
 * and so is the description of every page batch (page_batches.c).
 *
 * Each visit starts one GPU batch at most, made of the page batches that wait,
 * so a GPU batch grows with the load.  One GPU batch is reserved for jobs that
 * have had few so far: a small query begins at once, whatever else runs.
 */
#include "postgres.h"

#include <linux/futex.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "worker/chunks.h"
#include "worker/group_tables.h"
#include "worker/join_tables.h"
#include "worker/materialized.h"
#include "worker/measure.h"
#include "worker/service.h"
#include "worker/page_batches.h"

/* Idle rounds before the loop sleeps: some 50 µs, or 2 ms while a job is open, whose owner finds the cached tablets. */
#define IDLE_ROUNDS 200
#define IDLE_ROUNDS_OPEN 8000

/* Number of GPU batches up to which a job is small. */
#define SMALL_BATCHES 4

/* Longest sleep in milliseconds; the heartbeat must not stop. */
#define SLEEP_MS 100

/* Destination of a GPU batch's answer. */
typedef struct Ticket
{
	bool		used;
	int			job;			/* number of the job slot */
	ChannelResult *result;
	uint16		page_batch[BATCH_PAGE_BATCHES];	/* numbers of the page batches */
} Ticket;

typedef struct ServiceJob
{
	bool		open;
	uint32		word;			/* the slot's state word in this use */
	DeviceStatus refused;		/* DONE if the job may run, else the answer to all its page batches */
	bool		wide;			/* a GPU batch needed 128 bits: begin with the wide form */
	int			in_flight;		/* number of GPU batches in flight */
	uint32		begun;			/* number of GPU batches so far */
	JobGroups	groups;			/* use of a device-resident group table */
	ProviderJob provider;
	ProviderJoin *joins;		/* join tables of the program; NULL = none */
	MaterializedSource source;	/* sorted rows that the job reads; number 0 = it reads pages or cached tablets */
	ProviderSeek *seek;			/* values gathered for a quantile selection; NULL = none */
	uint64		image[JOB_IMAGE_MOST / 8];
} ServiceJob;

static Channel *channel;
static const Provider *provider;
static ServiceJob jobs[CHANNEL_JOBS];
static Ticket tickets[CHANNEL_JOBS * CHANNEL_JOB_RESULTS];

/* Private copies of limits in the channel, which requesters could change. */
static uint64 batch_bytes;
static uint64 batch_cached_bytes;
static int	in_flight;			/* number of GPU batches in flight, of all jobs */

static ProviderBatch *spare;	/* GPU batch reserved for small jobs; NULL while it is in use */
static int	next_slot;			/* slot to be visited first in the next round */
static bool any_open;			/* some slot has an open job, which may soon have page batches */

/* Requests */

/* Release everything of a job whose slot has a new use. */
static void
close_job(ServiceJob *own)
{
	group_tables_close(&own->groups);
	if (own->joins != NULL)
		join_tables_free(own->joins, own->provider.view.program->ntables);
	own->joins = NULL;
	if (own->provider.source != NULL)
		materialized_leave(own->source.number);
	own->provider.source = NULL;
	materialized_close((int) (own - jobs));
	if (own->seek != NULL)
		provider->close_seek(own->seek);
	own->seek = NULL;
	own->open = false;
}

/* Copy and verify a job; own->refused tells the result. */
static void
open_job(ServiceJob *own, const ChannelJob *job, uint32 word)
{
	uint32		size = job->image_size;

	own->open = true;
	own->begun = 0;
	own->word = word;
	own->wide = false;
	own->refused = STATUS_BAD_PROGRAM;
	if (size < sizeof(JobImage) || size > JOB_IMAGE_MOST)
		return;
	memcpy(own->image, job->image, size);
	if (job_image_open((JobImage *) own->image, size, &own->provider.view) != STATUS_DONE ||
		!program_suits_gpu(own->provider.view.program))
		return;
	if (own->provider.view.program->ntables > 0)
	{
		own->joins = join_tables_read(job, own->provider.view.program);
		own->refused = own->joins == NULL ? STATUS_MEMORY_LIMIT : STATUS_BAD_PROGRAM;
		if (own->joins == NULL)
			return;
	}
	own->source = job->source;
	if (own->source.number != 0)
	{
		own->provider.source = materialized_use_sorted(&own->source, job->database);
		if (own->provider.source == NULL)
			return;
	}
	own->provider.join = own->joins;
	own->provider.image = (const JobImage *) own->image;
	own->provider.database = job->database;
	own->provider.cancelled = &job->cancelled.value;
	if (!provider->accepts(&own->provider))
		return;
	if (own->provider.view.program->seek.wanted && provider->open_seek != NULL)
		own->seek = provider->open_seek(&own->provider);
	own->refused = materialized_open(provider, (int) (own - jobs), job, word, &own->provider) ? STATUS_DONE : STATUS_MEMORY_LIMIT;
}

/* Return the bytes of the tablet of a GPU batch with `npages` pages and `nrows` rows. */
static uint64
tablet_bytes(const ServiceJob *own, uint32 npages, uint32 nrows)
{
	const DeformSpec *deform = &own->provider.view.deform;

	return tablet_size(deform->types[own->wide], own->provider.view.program->ncolumns, nrows,
					   deform_var_bytes(deform, npages, nrows));
}

/* Return the bytes that groups may take beside the tablet: each row may produce one, with its hash and its number. */
static uint64
group_rows_bytes(const ServiceJob *own, uint32 nrows)
{
	return own->groups.shared == NULL ? 0 : nrows * ((own->provider.view.program->row_words + 1) * sizeof(uint64) + sizeof(uint32));
}

/* Submit a GPU batch, for the first time or again. */
static void
submit(const ServiceJob *own, const Ticket *ticket, ProviderBatch *batch)
{
	for (uint32 w = 0; w < batch->npage_batches && !batch->cached; w++)
		batch->output[w] = page_batch_output_place(channel, &channel->page_batch[ticket->page_batch[w]], &own->provider.view,
											   batch->page_batch[w].nrows, batch->wide);
	provider->submit(batch);
}

/* Add a page batch with pages to a GPU batch; NO_ROOM if that is full. */
static DeviceStatus
add_pages(const ServiceJob *own, const ChannelPages *page_batch, ProviderBatch *batch)
{
	PageList   *list = &batch->page_batch[batch->npage_batches];
	uint32		npages = 0;
	uint32		nrows;
	uint64		bytes;

	if (!page_batch_read_pages(channel, page_batch, list))
		return STATUS_BAD_PROGRAM;
	for (uint32 w = 0; w <= batch->npage_batches; w++)
		npages += batch->page_batch[w].npages;
	if (npages > BATCH_PAGES)
		return STATUS_NO_ROOM;
	nrows = batch->row_start[batch->npage_batches] + list->nrows;
	bytes = tablet_bytes(own, npages, nrows);
	/* a single page batch is tried without this reserve: fewer rows may pass than are counted */
	if (batch->npage_batches > 0)
		bytes += group_rows_bytes(own, nrows);
	if (bytes > batch_bytes)
		return batch->npage_batches > 0 ? STATUS_NO_ROOM : STATUS_MEMORY_LIMIT;
	batch->row_start[batch->npage_batches + 1] = nrows;
	return STATUS_DONE;
}

/* Add a page batch to a GPU batch; NO_ROOM if that is full, or if one has pages and the other cached tablets. */
static DeviceStatus
add_page_batch(const ServiceJob *own, int job, uint16 number, ProviderBatch *batch)
{
	const ChannelPages *page_batch = &channel->page_batch[number];
	bool		cached;

	if (number >= CHANNEL_PAGE_BATCHES || !page_batch_is_owned(channel, job, number))
		return STATUS_BAD_PROGRAM;
	if (own->provider.source != NULL)
		return page_batch_read_source(provider, &own->provider, &own->source, batch);
	cached = page_batch->ntablets > 0;
	if (batch->npage_batches > 0 && cached != batch->cached)
		return STATUS_NO_ROOM;
	batch->cached = cached;
	return cached ? page_batch_read_tablets(page_batch, own->provider.view.program, batch_cached_bytes, batch) : add_pages(own, page_batch, batch);
}

/* Add waiting page batches to a GPU batch, as many as fit.  Returns the status of the first if that cannot be added. */
static DeviceStatus
fill_batch(ServiceJob *own, Ticket *ticket, ProviderBatch *batch)
{
	ChannelJob *job = &channel->job[ticket->job];
	ChannelResult *result = ticket->result;
	uint32		at = pg_atomic_read_u32(&job->taken);
	uint32		end = pg_atomic_read_u32(&job->submitted);
	DeviceStatus status = STATUS_DONE;

	pg_read_barrier();
	batch->npage_batches = batch->npicks = batch->ntablets = batch->nwanted = 0;
	batch->row_start[0] = 0;
	batch->column_bytes = 0;
	for (; at != end && batch->npage_batches < BATCH_PAGE_BATCHES; at++)
	{
		uint16		number = job->ring[at % CHANNEL_JOB_PAGE_BATCHES];

		status = add_page_batch(own, ticket->job, number, batch);
		if (status != STATUS_DONE)
			break;
		ticket->page_batch[batch->npage_batches] = number;
		result->page_batch[batch->npage_batches++] = number;
	}
	/* a first page batch that fails is answered with its status; a later one waits for the next GPU batch */
	if (status != STATUS_DONE && batch->npage_batches == 0)
		result->page_batch[0] = job->ring[at++ % CHANNEL_JOB_PAGE_BATCHES];
	else
		status = STATUS_DONE;
	result->npage_batches = Max(batch->npage_batches, 1);
	pg_atomic_write_u32(&job->taken, at);
	return status;
}

/* Answers */

/* Signal the owner of a job slot if it sleeps. */
static void
wake_owner(ChannelJob *job)
{
	pid_t		owner;

	pg_memory_barrier();
	if (pg_atomic_read_u32(&job->waiting) == 0 || pg_atomic_exchange_u32(&job->waiting, 0) == 0)
		return;
	/* read last: after the answer the slot may have a new owner, and then that one waits */
	owner = job->owner;
	if (owner > 1)
		kill(owner, SIGUSR1);
}

#ifdef GPUDB_FAULTS
/* Inject the fault that a test has requested for this answer. */
static void
inject_fault(ChannelResult *result)
{
	if (++channel->answers != channel->answer_fault.site)
		return;
	channel->answer_fault.site = 0;
	if (channel->answer_fault.code == 1)
		_exit(1);
	if (channel->answer_fault.code == 2)
		raise(SIGSTOP);
	result->checksum ^= 1;
}
#endif

/* Publish a result to the backend, with `words` words of groups for the checksum, and wake it. */
static void
publish(ChannelJob *job, ChannelResult *result, DeviceStatus status, const uint64 *groups, uint32 words)
{
	result->status = status;
	result->checksum = channel_checksum(result, groups, words);
#ifdef GPUDB_FAULTS
	inject_fault(result);
#endif
	pg_write_barrier();
	pg_atomic_write_u32(&result->state, RESULT_READY);
	wake_owner(job);
}

/* Publish a status without a GPU batch. */
static void
answer(ChannelJob *job, ChannelResult *result, DeviceStatus status)
{
	memset(&result->times, 0, sizeof(result->times));
	memset(result->max_scale, 0, sizeof(result->max_scale));
	result->failed_column = -1;
	result->resident = result->total = result->left_out = 0;
	result->ngroups = 0;
	result->text_bytes = 0;
	result->room = CHANNEL_NO_ROOM;
	publish(job, result, status, NULL, 0);
}

/* Publish groups of the device-resident group table, as many as there is room for. */
static void
answer_groups(ServiceJob *own, ChannelJob *job, ChannelResult *result)
{
	ReadGroups	read;
	DeviceStatus status = group_tables_read(channel, (int) (own - jobs), &own->groups, own->provider.view.program->row_words,
											result, &read);

	memset(&result->times, 0, sizeof(result->times));
	memset(result->max_scale, 0, sizeof(result->max_scale));
	memset(result->page_batch, 0, sizeof(result->page_batch));
	result->failed_column = -1;
	result->npage_batches = 0;
	result->resident = 0;
	publish(job, result, status, read.at, read.words);
}

/* Answer all waiting page batches with a status, as many as one result holds. */
static void
answer_waiting(ChannelJob *job, ChannelResult *result, DeviceStatus status)
{
	uint32		at = pg_atomic_read_u32(&job->taken);
	uint32		end = pg_atomic_read_u32(&job->submitted);

	pg_read_barrier();
	result->npage_batches = 0;
	for (; at != end && result->npage_batches < BATCH_PAGE_BATCHES; at++)
		result->page_batch[result->npage_batches++] = job->ring[at % CHANNEL_JOB_PAGE_BATCHES];
	pg_atomic_write_u32(&job->taken, at);
	answer(job, result, status);
}

/* Return true if a result has room for a GPU batch's groups. */
static bool
groups_fit(const ProviderBatch *batch)
{
	return batch->groups == NULL ||
		(uint64) batch->groups->ngroups * (1 + batch->groups->row_words) <= CHANNEL_ROWS_WORDS;
}

/* Copy a GPU batch's groups to a result; TABLE_FULL if they are too many. */
static DeviceStatus
copy_groups(const ProviderBatch *batch, ChannelResult *result, uint32 *words)
{
	uint64		n = batch->groups->ngroups;
	uint64		row_words = batch->groups->row_words;

	if (!groups_fit(batch))
		return STATUS_TABLE_FULL;
	*words = (uint32) (n * (1 + row_words));
	result->ngroups = (uint32) n;
	memcpy(result->rows, batch->groups->hashes, n * 8);
	memcpy(result->rows + n, batch->groups->rows, n * row_words * 8);
	return STATUS_DONE;
}

/* Mark the page batches that have outputs. */
static void
deliver_outputs(const ProviderBatch *batch, const Ticket *ticket)
{
	for (uint32 w = 0; w < batch->npage_batches && !batch->cached; w++)
		if (batch->output[w] != NULL)
			channel->page_batch[ticket->page_batch[w]].output = batch->wide ? OUTPUT_WIDE : OUTPUT_NARROW;
}

/* Copy to each page batch the bitmap of its rows that passed. */
static void
deliver_rows(const ProviderBatch *batch, const Ticket *ticket)
{
	for (uint32 w = 0; w < batch->npage_batches; w++)
	{
		ChannelPages *page_batch = &channel->page_batch[ticket->page_batch[w]];
		uint32		first = batch->row_start[w];
		uint32		end = batch->row_start[w + 1];

		page_batch->passed_shift = (uint16) (first % 8);
		memcpy(page_batch->passed, batch->passed + first / 8, (end + 7) / 8 - first / 8);
	}
}

/* Return the head of a job's family, or the job itself; NULL if the head is gone or has another program or database. */
static ServiceJob *
head_of_family(ServiceJob *own)
{
	uint64		family = channel->job[own - jobs].family;
	uint64		number = (family >> 32) - 1;
	ServiceJob *head;

	if (family == 0)
		return own;
	if (number >= CHANNEL_JOBS)
		return NULL;
	head = &jobs[number];
	if (!head->open && JOB_STATE((uint32) family) == JOB_OPEN &&
		pg_atomic_read_u32(&channel->job[number].state) == (uint32) family)
		open_job(head, &channel->job[number], (uint32) family);
	if (!head->open || head->word != (uint32) family || head->refused != STATUS_DONE ||
		head->provider.database != own->provider.database ||
		head->provider.view.program->size != own->provider.view.program->size ||
		memcmp(head->provider.view.program, own->provider.view.program, own->provider.view.program->size) != 0)
		return NULL;
	return head;
}

/* Give a job a device-resident group table if it has none; false if that is not possible. */
static bool
open_table(ServiceJob *own)
{
	ServiceJob *head = own->groups.shared == NULL ? head_of_family(own) : own;

	return own->groups.shared != NULL || (head != NULL && group_tables_open(provider, &own->groups, &head->groups, &head->provider));
}

/* Submit a GPU batch again, wide or with a device-resident group table, if its status requires it; true if done. */
static bool
run_again(ServiceJob *own, ProviderBatch *batch)
{
	uint32		npages = 0;

	if (batch->status == STATUS_NEEDS_WIDE && !batch->wide && !batch->cached)
	{
		own->wide = true;
		for (uint32 w = 0; w < batch->npage_batches; w++)
			npages += batch->page_batch[w].npages;
		if (tablet_bytes(own, npages, batch->row_start[batch->npage_batches]) > batch_bytes)
			return false;
		batch->wide = true;
	}
	else if (batch->table == NULL &&
			 (batch->status == STATUS_TABLE_FULL || (batch->status == STATUS_DONE && !groups_fit(batch))))
	{
		if (!open_table(own))
			return false;
		batch->table = group_tables_of(&own->groups);
	}
	else
		return false;
	submit(own, batch->owner, batch);
	return true;
}

/* Release a GPU batch, preferably to become the spare one. */
static void
release_batch(ProviderBatch *batch)
{
	page_batch_let_go(batch, 0);
	if (spare == NULL)
		spare = batch;
	else
		provider->release(batch);
}

/* Publish the result of a finished GPU batch, unless it has to run again, and release the batch. */
static void
deliver(ProviderBatch *batch)
{
	Ticket	   *ticket = batch->owner;
	ChannelJob *job = &channel->job[ticket->job];
	ServiceJob *own = &jobs[ticket->job];
	ChannelResult *result = ticket->result;
	DeviceStatus status = batch->status;
	uint32		words = 0;

	if (run_again(own, batch))
		return;
	result->ngroups = 0;
	result->text_bytes = 0;
	if (status == STATUS_DONE && batch->groups != NULL)
		status = copy_groups(batch, result, &words);
	else if (status == STATUS_DONE && batch->table == NULL)
		deliver_rows(batch, ticket);
	if (status == STATUS_DONE)
		deliver_outputs(batch, ticket);
	result->resident = status == STATUS_DONE && batch->table != NULL;
	result->total = result->left_out = 0;
	result->failed_column = batch->failed_column;
	memcpy(result->max_scale, batch->max_scale, sizeof(result->max_scale));
	result->times = batch->times;
	result->room = CHANNEL_NO_ROOM;
	publish(job, result, status, result->rows, words);
	release_batch(batch);
	ticket->used = false;
	own->in_flight--;
	in_flight--;
	if (status != STATUS_DEVICE_DOWN)
		channel->batches++;
}

/* Slots */

/* Return an empty GPU batch for a job, the spare one only for a small job; NULL if the job has to wait. */
static ProviderBatch *
acquire_batch(const ServiceJob *own)
{
	ProviderBatch *batch = provider->acquire();
	const bool	small = own->begun < SMALL_BATCHES && channel->job[own - jobs].family == 0;

	if (batch == NULL && small)
	{
		batch = spare;
		spare = NULL;
	}
	return batch;
}

static Ticket *
free_ticket(void)
{
	Ticket	   *ticket = tickets;

	while (ticket->used)
		ticket++;
	return ticket;
}

static ChannelResult *
free_result(ChannelJob *job)
{
	for (int r = 0; r < CHANNEL_JOB_RESULTS; r++)
		if (pg_atomic_read_u32(&job->result[r].state) == RESULT_FREE)
			return &job->result[r];
	return NULL;
}

/* Return true if a slot with state `word` is for this GPU process and has waiting page batches. */
static bool
page_batches_wait(ChannelJob *job, uint32 word)
{
	return JOB_STATE(word) == JOB_OPEN && job->incarnation == pg_atomic_read_u32(&channel->incarnation) &&
		pg_atomic_read_u32(&job->submitted) != pg_atomic_read_u32(&job->taken) && pg_atomic_read_u32(&job->more) == 0 &&
		pg_atomic_read_u32(&job->draining) == DRAINING_NOTHING;
}

/* Return true if the owner of a slot waits for groups of the device-resident group table. */
static bool
groups_wait(ChannelJob *job, const ServiceJob *own, uint32 word)
{
	return JOB_STATE(word) == JOB_OPEN && own->word == word && own->in_flight == 0 && group_tables_wanted(job, &own->groups);
}

/* Start a GPU batch of a slot's waiting page batches, if one is free.  Returns true if anything was done. */
static bool
serve_page_batches(int number, ChannelJob *job, ServiceJob *own)
{
	ChannelResult *result = free_result(job);
	DeviceStatus status;
	ProviderBatch *batch;
	Ticket	   *ticket;

	if (result == NULL)
		return false;
	status = pg_atomic_read_u32(&job->cancelled) != 0 ? STATUS_CANCELLED : own->refused;
	/* texts, or many groups, need a device-resident group table from the start */
	if (status == STATUS_DONE && (program_text_keys(own->provider.view.program) || job->many_groups) && !open_table(own))
		status = STATUS_TABLE_FULL;
	if (status != STATUS_DONE)
	{
		answer_waiting(job, result, status);
		return true;
	}
	batch = acquire_batch(own);
	if (batch == NULL)
		return false;
	batch->job = &own->provider;
	batch->wide = own->wide;
	batch->table = group_tables_of(&own->groups);
	batch->materialized = materialized_rows(number);
	batch->seek = own->seek;
	ticket = free_ticket();
	*ticket = (Ticket) {.job = number, .result = result};
	status = fill_batch(own, ticket, batch);
	if (status != STATUS_DONE)
	{
		release_batch(batch);
		answer(job, result, status);
		return true;
	}
	pg_atomic_write_u32(&result->state, RESULT_BUSY);
	ticket->used = true;
	batch->owner = ticket;
	own->in_flight++;
	own->begun++;
	in_flight++;
	next_slot = (number + 1) % CHANNEL_JOBS;
	submit(own, ticket, batch);
	return true;
}

/* Serve a slot.  Returns true if anything was done. */
static bool
serve_slot(int number)
{
	ChannelJob *job = &channel->job[number];
	ServiceJob *own = &jobs[number];
	uint32		word = pg_atomic_read_u32(&job->state);

	pg_read_barrier();
	any_open |= JOB_STATE(word) == JOB_OPEN;
	if (own->open && own->in_flight == 0 && own->word != word)
		close_job(own);
	if (JOB_STATE(word) == JOB_ABANDONED && own->in_flight == 0)
	{
		channel_free_abandoned(channel, number, word);
		return true;
	}
	/* requests to a previous GPU process are not served */
	if (JOB_STATE(word) == JOB_OPEN && !own->open && job->incarnation == pg_atomic_read_u32(&channel->incarnation) && materialized_asked(job) &&
		pg_atomic_read_u32(&job->state) == word)
		open_job(own, job, word);
	if (own->open && own->word == word && own->in_flight == 0 && materialized_serve(channel, number))
		return true;
	if (!page_batches_wait(job, word))
	{
		ChannelResult *result = groups_wait(job, own, word) ? free_result(job) : NULL;

		if (result != NULL)
			answer_groups(own, job, result);
		return result != NULL;
	}
	pg_read_barrier();
	/* the ring may be that of a later use; a use with waiting page batches lasts until they are answered */
	if (pg_atomic_read_u32(&job->state) != word)
		return false;
	if (!own->open)
		open_job(own, job, word);
	return serve_page_batches(number, job, own);
}

/* Sleep until the doorbell rings or the heartbeat is due. */
static void
sleep_until_rung(void)
{
	const struct timespec limit = {.tv_nsec = SLEEP_MS * 1000000L};
	uint32		doorbell = pg_atomic_read_u32(&channel->doorbell);

	pg_atomic_write_u32(&channel->sleeping, 1);
	pg_memory_barrier();
	for (int i = 0; i < CHANNEL_JOBS; i++)
	{
		ChannelJob *job = &channel->job[i];
		uint32		word = pg_atomic_read_u32(&job->state); /* a request may have arrived since the last visit */

		if (((page_batches_wait(job, word) || groups_wait(job, &jobs[i], word)) && free_result(job) != NULL) ||
			(JOB_STATE(word) == JOB_OPEN && materialized_asked(job)))
		{
			pg_atomic_write_u32(&channel->sleeping, 0);
			return;
		}
	}
	syscall(SYS_futex, &channel->doorbell.value, FUTEX_WAIT, doorbell, &limit, NULL, 0);
	pg_atomic_write_u32(&channel->sleeping, 0);
}

void
service_run(Channel *ch, const Provider *device, SharedMemory buffers, SharedMemory tablets)
{
	pid_t		parent = getppid();
	uint32		heard = pg_atomic_read_u32(&ch->doorbell);
	int			idle = 0;
	ProviderBatch *batch;

	channel = ch;
	provider = device;
	chunks_open(ch, device, buffers, tablets);
	measure_open(ch);
	batch_bytes = ch->provider_state.batch_bytes;
	batch_cached_bytes = ch->provider_state.batch_cached_bytes;
	spare = provider->acquire();
	while (getppid() == parent)
	{
		const uint32 doorbell = pg_atomic_read_u32(&channel->doorbell);
		bool		busy = doorbell != heard;	/* whoever rings opens a job, or has submitted to it */

		heard = doorbell;
		pg_atomic_fetch_add_u64(&channel->heartbeat, 1);
		while ((batch = provider->collect()) != NULL)
		{
			bool		lost = batch->status == STATUS_DEVICE_DOWN;

			deliver(batch);
			if (lost)
				return;
			busy = true;
		}
		any_open = false;
		for (int i = 0, first = next_slot; i < CHANNEL_JOBS; i++)
			busy |= serve_slot((first + i) % CHANNEL_JOBS);
		busy |= chunks_attach_wanted();
		if (!measure_answer(channel, provider, in_flight == 0))
			return;
		idle = busy || in_flight > 0 ? 0 : idle + 1;
		if (idle > (any_open ? IDLE_ROUNDS_OPEN : IDLE_ROUNDS))
			sleep_until_rung();
	}
}

/*
 * channel.c
 *		Shared memory between backends, the supervisor and the GPU process.
 */
#include "postgres.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "miscadmin.h"
#include "pgstat.h"
#include "portability/instr_time.h"
#include "storage/bufmgr.h"
#include "storage/ipc.h"
#include "storage/latch.h"

#include "core/hash.h"
#include "device/channel.h"
#include "device/machine.h"
#include "device/mapping.h"

/* Rounds of polling for an answer before sleeping: some 10 µs. */
#define SPIN_ROUNDS		2000

/*
 * Time for which a limited number of backends go on polling.  A core that has
 * slept for a millisecond takes 30 to 80 µs to wake, as long as all the rest
 * of a small query.  At most a quarter as many backends as there are cores
 * poll, since the GPU process needs a core.
 */
#define POLL_US			2500
#define POLLING_PART	4

/* Interval between two attempts to take a free job slot. */
#define QUEUE_SLEEP_MS	1

#define LEAST_CHUNK		((uint64) 64 * 1024 * 1024)

static Channel *channel = NULL;

static uint64
buffer_pool_bytes(void)
{
	return (uint64) NBuffers * BLCKSZ;
}

/* Create the channel anew: after a crash a dying GPU process may still have the old mapping, which ends with it. */
void
channel_create(void)
{
	if (channel != NULL)
		mapping_drop(channel, sizeof(Channel));
	channel = mapping_create(sizeof(Channel));
	channel->chunk_bytes = Max(LEAST_CHUNK, TYPEALIGN(CHANNEL_CHUNK_ALIGNMENT, buffer_pool_bytes() / (CHANNEL_CHUNKS - 2)));
	for (int i = 0; i < HEAP_MAX_TUPLES; i++)
		channel->every_tuple[i] = (uint16) (i + 1);
}

Channel *
channel_get(void)
{
	return channel;
}

bool
channel_serving(void)
{
	return channel != NULL && pg_atomic_read_u32(&channel->state) == HELPER_SERVING;
}

void
channel_ring_doorbell(Channel *ch)
{
	pg_atomic_fetch_add_u32(&ch->doorbell, 1);
	if (pg_atomic_read_u32(&ch->sleeping) != 0)
		syscall(SYS_futex, &ch->doorbell.value, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static int
job_number(const ChannelJob *job)
{
	return (int) (job - channel->job);
}

/* Take a free job slot and return it, or NULL if there is none. */
static ChannelJob *
take_slot(void)
{
	for (int i = 0; i < CHANNEL_JOBS; i++)
	{
		uint32		word = pg_atomic_read_u32(&channel->job[i].state);

		if (JOB_STATE(word) == JOB_FREE &&
			pg_atomic_compare_exchange_u32(&channel->job[i].state, &word, JOB_WITH_STATE(JOB_NEXT_USE(word), JOB_TAKEN)))
			return &channel->job[i];
	}
	return NULL;
}

/*
 * Take a job slot, waiting up to `patience` milliseconds for other sessions to
 * free one; return NULL if none became free.
 */
static ChannelJob *
wait_for_slot(int patience)
{
	ChannelJob *job = take_slot();

	for (int waited = 0; job == NULL && waited < patience && channel_serving(); waited += QUEUE_SLEEP_MS)
	{
		CHECK_FOR_INTERRUPTS();
		(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH, QUEUE_SLEEP_MS, PG_WAIT_EXTENSION);
		ResetLatch(MyLatch);
		job = take_slot();
	}
	return job;
}

ChannelJob *
channel_open_job(const JobSpec *spec, int patience, DeviceStatus *why)
{
	uint64		size = job_image_size(spec->program, spec->deform);
	ChannelJob *job;

	*why = size > JOB_IMAGE_MOST ? STATUS_MEMORY_LIMIT : channel_serving() ? STATUS_QUEUE_TIMEOUT : STATUS_DEVICE_DOWN;
	job = *why == STATUS_QUEUE_TIMEOUT ? wait_for_slot(patience) : NULL;
	if (job == NULL)
		return NULL;
	job->incarnation = pg_atomic_read_u32(&channel->incarnation);
	job->owner = MyProcPid;
	job->database = MyDatabaseId;
	job->family = spec->family;
	pg_atomic_write_u32(&job->waiting, 0);
	pg_atomic_write_u32(&job->cancelled, 0);
	pg_atomic_write_u32(&job->more, 0);
	pg_atomic_write_u32(&job->draining, 0);
	job->top = (GroupTop) {.wanted = 0};
	pg_atomic_write_u32(&job->submitted, 0);
	pg_atomic_write_u32(&job->taken, 0);
	for (int r = 0; r < CHANNEL_JOB_RESULTS; r++)
		pg_atomic_write_u32(&job->result[r].state, RESULT_FREE);
	job->many_groups = spec->many_groups;
	job->keep_most = spec->keep_most;
	pg_atomic_write_u32(&job->keeping, KEEPING_ROWS);
	job->source = spec->source;
	job->ntables = spec->program->ntables;
	memcpy(job->table, spec->shared, sizeof(SharedTable) * job->ntables);
	job->image_size = (uint32) size;
	job_image_write((JobImage *) job->image, spec->program, spec->deform);
	pg_write_barrier();
	pg_atomic_write_u32(&job->state, JOB_WITH_STATE(pg_atomic_read_u32(&job->state), JOB_OPEN));
	/* waking up takes as long as the first page batch of many a query */
	channel_ring_doorbell(channel);
	return job;
}

uint64
channel_family(const ChannelJob *job)
{
	return (uint64) (job_number(job) + 1) << 32 | pg_atomic_read_u32((pg_atomic_uint32 *) &job->state);
}

bool
channel_job_alive(const ChannelJob *job)
{
	return channel_serving() && job->incarnation == pg_atomic_read_u32(&channel->incarnation);
}

/* Free the page batches that a job slot holds, and their copies and result slots. */
static void
free_page_batches(Channel *ch, int number)
{
	for (int w = 0; w < CHANNEL_PAGE_BATCHES; w++)
		if (pg_atomic_read_u32(&ch->page_batch[w].owner) == (uint32) number + 1)
			channel_free_page_batch(&ch->page_batch[w]);
}

/* Mark a job slot free that belongs to the caller alone and holds no page batches. */
static void
set_free(ChannelJob *job)
{
	pg_memory_barrier();
	pg_atomic_write_u32(&job->state, JOB_WITH_STATE(pg_atomic_read_u32(&job->state), JOB_FREE));
}

void
channel_close_job(ChannelJob *job, bool in_flight)
{
	uint32		word = pg_atomic_read_u32(&job->state);

	pg_atomic_write_u32(&job->cancelled, 1);
	if (in_flight && channel_job_alive(job))
	{
		pg_memory_barrier();
		pg_atomic_write_u32(&job->state, JOB_WITH_STATE(word, JOB_ABANDONED));
		channel_ring_doorbell(channel);
		/* if the GPU process has ended meanwhile, and the supervisor has passed by this slot, it stays ours */
		word = JOB_WITH_STATE(word, JOB_ABANDONED);
		if (channel_job_alive(job) ||
			!pg_atomic_compare_exchange_u32(&job->state, &word, JOB_WITH_STATE(word, JOB_TAKEN)))
			return;
	}
	/* the owner has freed every page batch that is not in flight: scanning all of them would be a cost of each query */
	if (in_flight)
		free_page_batches(channel, job_number(job));
	set_free(job);
}

void
channel_free_abandoned(Channel *ch, int number, uint32 word)
{
	if (!pg_atomic_compare_exchange_u32(&ch->job[number].state, &word, JOB_WITH_STATE(word, JOB_TAKEN)))
		return;
	free_page_batches(ch, number);
	set_free(&ch->job[number]);
}

/* Take one of n page batches, beginning the search at `start`; return NULL if none is free. */
static ChannelPages *
take_page_batch(ChannelPages *page_batches, int n, int start, uint32 owner)
{
	for (int i = 0; i < n; i++)
	{
		ChannelPages *page_batch = &page_batches[(start + i) % n];
		uint32		expected = 0;

		if (pg_atomic_read_u32(&page_batch->owner) == 0 &&
			pg_atomic_compare_exchange_u32(&page_batch->owner, &expected, owner))
		{
			page_batch->copy = page_batch->room = CHANNEL_NO_COPY;
			page_batch->nslots = 1;
			return page_batch;
		}
	}
	return NULL;
}

ChannelPages *
channel_take_page_batch(ChannelJob *job)
{
	const int	number = job_number(job);
	const int	nowned = CHANNEL_JOBS * CHANNEL_OWN_PAGE_BATCHES;
	const int	nshared = CHANNEL_PAGE_BATCHES - nowned;
	const uint32 owner = (uint32) number + 1;
	ChannelPages *page_batch = take_page_batch(&channel->page_batch[number * CHANNEL_OWN_PAGE_BATCHES], CHANNEL_OWN_PAGE_BATCHES, 0, owner);

	return page_batch != NULL ? page_batch
		: take_page_batch(&channel->page_batch[nowned], nshared, number * (nshared / CHANNEL_JOBS), owner);
}

/*
 * Take the first free area of the first `ncopies` for a page batch and return
 * its index; CHANNEL_NO_COPY if none is free.
 */
static uint16
take_copy(const ChannelPages *page_batch, int ncopies)
{
	uint32		owner = (uint32) (page_batch - channel->page_batch) + 1;

	for (int c = 0; c < ncopies; c++)
	{
		uint32		expected = 0;

		if (pg_atomic_read_u32(&channel->copy_owner[c]) == 0 &&
			pg_atomic_compare_exchange_u32(&channel->copy_owner[c], &expected, owner))
			return (uint16) c;
	}
	return CHANNEL_NO_COPY;
}

bool
channel_take_copy(ChannelPages *page_batch)
{
	page_batch->copy = take_copy(page_batch, CHANNEL_COPIES);
	return page_batch->copy != CHANNEL_NO_COPY;
}

bool
channel_take_output(ChannelPages *page_batch)
{
	page_batch->room = take_copy(page_batch, CHANNEL_COPIES / 2);
	page_batch->output = page_batch->room != CHANNEL_NO_COPY ? OUTPUT_WANTED : OUTPUT_NONE;
	return page_batch->output == OUTPUT_WANTED;
}

/* Search from the other end than take_copy(), so that consecutive areas stay free. */
bool
channel_take_result_slots(ChannelPages *page_batch, uint32 most)
{
	const uint32 owner = (uint32) (page_batch - channel->page_batch) + 1;
	uint32		n = 0;

	for (int c = CHANNEL_COPIES / 2 - 1; c >= 0 && n < most; c--)
	{
		uint32		expected = 0;

		if (pg_atomic_read_u32(&channel->copy_owner[c]) == 0 &&
			pg_atomic_compare_exchange_u32(&channel->copy_owner[c], &expected, owner))
		{
			page_batch->room = (uint16) c;
			n++;
		}
		else if (n > 0)
			break;
	}
	page_batch->nslots = (uint16) n;
	return n > 0;
}

/* Free areas of a page batch; the numbers come from the page batch itself, so only areas that it owns are freed. */
static void
free_copies(const ChannelPages *page_batch, uint16 first, uint16 n)
{
	for (uint32 c = first; c < CHANNEL_COPIES && c < (uint32) first + n; c++)
	{
		uint32		owner = (uint32) (page_batch - channel->page_batch) + 1;

		(void) pg_atomic_compare_exchange_u32(&channel->copy_owner[c], &owner, 0);
	}
}

void
channel_free_page_batch(ChannelPages *page_batch)
{
	free_copies(page_batch, page_batch->copy, 1);
	free_copies(page_batch, page_batch->room, page_batch->nslots);
	page_batch->copy = page_batch->room = CHANNEL_NO_COPY;
	pg_memory_barrier();
	pg_atomic_write_u32(&page_batch->owner, 0);
}

void
channel_submit(ChannelJob *job, ChannelPages *page_batch)
{
	uint32		at = pg_atomic_read_u32(&job->submitted);

	job->ring[at % CHANNEL_JOB_PAGE_BATCHES] = (uint16) (page_batch - channel->page_batch);
	pg_write_barrier();
	pg_atomic_write_u32(&job->submitted, at + 1);
	channel_ring_doorbell(channel);
}

void
channel_set_more(ChannelJob *job, bool more)
{
	if (pg_atomic_read_u32(&job->more) == more)
		return;
	pg_atomic_write_u32(&job->more, more);
	if (!more)
		channel_ring_doorbell(channel);
}

void
channel_drain(ChannelJob *job, ChannelDraining what)
{
	pg_write_barrier();
	pg_atomic_write_u32(&job->draining, what);
	channel_ring_doorbell(channel);
}

ChannelResult *
channel_ready_result(ChannelJob *job)
{
	for (int r = 0; r < CHANNEL_JOB_RESULTS; r++)
		if (pg_atomic_read_u32(&job->result[r].state) == RESULT_READY)
		{
			pg_read_barrier();
			return &job->result[r];
		}
	return NULL;
}

void
channel_return_result(ChannelJob *job, ChannelResult *result)
{
	pg_memory_barrier();
	pg_atomic_write_u32(&result->state, RESULT_FREE);
	/* the GPU process may have held page batches or groups back for lack of a free result */
	if (pg_atomic_read_u32(&job->submitted) != pg_atomic_read_u32(&job->taken) || pg_atomic_read_u32(&job->draining) != 0)
		channel_ring_doorbell(channel);
}

/* Poll SPIN_ROUNDS times; return true if the answer has come. */
static bool
look(ChannelJob *job, bool (*answered) (ChannelJob *job))
{
	for (int i = 0; i < SPIN_ROUNDS; i++)
	{
		if (answered(job))
			return true;
		pg_spin_delay();
	}
	return false;
}

bool
channel_poll(ChannelJob *job, bool (*answered) (ChannelJob *job))
{
	static uint32 most = 0;
	bool		found = look(job, answered);

	if (found)
		return true;

	if (most == 0)
		most = (uint32) Max(machine_processors() / POLLING_PART, 1);
	if (pg_atomic_fetch_add_u32(&channel->pollers, 1) < most)
	{
		instr_time	start;
		instr_time	now;

		INSTR_TIME_SET_CURRENT(start);
		do
		{
			found = look(job, answered);
			INSTR_TIME_SET_CURRENT(now);
			INSTR_TIME_SUBTRACT(now, start);
		} while (!found && !InterruptPending && INSTR_TIME_GET_MICROSEC(now) < POLL_US);
	}
	pg_atomic_fetch_sub_u32(&channel->pollers, 1);
	return found;
}

static bool
has_result(ChannelJob *job)
{
	return channel_ready_result(job) != NULL;
}

void
channel_wait(ChannelJob *job, int milliseconds)
{
	if (channel_poll(job, has_result))
		return;
	pg_atomic_write_u32(&job->waiting, 1);
	pg_memory_barrier();
	if (channel_ready_result(job) == NULL && channel_job_alive(job))
	{
		(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH, milliseconds, PG_WAIT_EXTENSION);
		ResetLatch(MyLatch);
	}
	pg_atomic_write_u32(&job->waiting, 0);
}

/* Check both ends of the page, since chunks begin at boundaries of memory pages and may split a buffer's page. */
bool
channel_want_page(uint64 offset)
{
	bool		attached = true;

	for (int end = 0; end < 2; end++)
	{
		uint64		chunk = channel_chunk((uint8 *) BufferBlocks, offset + (end ? BLCKSZ - 1 : 0), channel->chunk_bytes);

		if (pg_atomic_read_u32(&channel->chunk_attached[chunk]) != 0)
			continue;
		attached = false;
		if (pg_atomic_read_u32(&channel->chunk_wanted[chunk]) == 0)
			pg_atomic_write_u32(&channel->chunk_wanted[chunk], 1);
	}
	return attached;
}

void
channel_helper_gone(void)
{
	for (int i = 0; i < CHANNEL_JOBS; i++)
	{
		ChannelJob *job = &channel->job[i];
		uint32		word = pg_atomic_read_u32(&job->state);

		if (JOB_STATE(word) == JOB_ABANDONED)
			channel_free_abandoned(channel, i, word);
		else if (JOB_STATE(word) == JOB_OPEN && pg_atomic_exchange_u32(&job->waiting, 0) != 0)
			kill(job->owner, SIGUSR1);
	}
	for (int c = 0; c < CHANNEL_CHUNKS; c++)
		pg_atomic_write_u32(&channel->chunk_attached[c], 0);
}

/*
 * Fold a word into a checksum that detects damage: one multiplication, as
 * memory is read faster than words are hashed.
 */
static uint64
add_word(uint64 sum, uint64 word)
{
	return ((sum << 29 | sum >> 35) ^ word) * UINT64CONST(0x9e3779b97f4a7c15);
}

/* Sum eight interleaved parts, since each step of one part waits for the step before. */
uint64
channel_sum(const uint64 *words, uint32 n)
{
	uint64		part[8] = {0};
	uint64		sum = 0;
	uint32		w = 0;

	for (; w + lengthof(part) <= n; w += lengthof(part))
		for (size_t p = 0; p < lengthof(part); p++)
			part[p] = add_word(part[p], words[w + p]);
	for (size_t p = 0; p < lengthof(part); p++)
		sum = hash_combine(sum, part[p]);
	for (; w < n; w++)
		sum = hash_combine(sum, words[w]);
	return sum;
}

uint64
channel_checksum(const ChannelResult *result, const uint64 *groups, uint32 words)
{
	uint64		sum = hash_combine(hash_combine(result->status, result->npage_batches), words);

	sum = hash_combine(hash_combine(hash_combine(hash_combine(sum, result->resident), result->total), result->left_out), result->room);
	sum = hash_combine(hash_combine(sum, result->ngroups), result->text_bytes);
	sum = hash_combine(sum, hash_bytes((const uint8 *) result->page_batch, sizeof(result->page_batch)));
	return hash_combine(sum, channel_sum(groups, words));
}

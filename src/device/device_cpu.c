/*
 * device_cpu.c
 *		The CPU device: a pool of threads inside the backend.
 *
 * The backend pins pages and puts work items into a queue; threads take them,
 * turn pages into columns and run the program.  A backend that has nothing
 * else to do takes items from the queue itself, so one thread less is needed,
 * and with no thread at all everything still works.
 *
 * Threads call no function of PostgreSQL: only core/ code, malloc and
 * pthreads.  All signals are blocked in them.  Each thread (and the backend)
 * has scratch registers and a group table of its own per job; finish() merges
 * the tables.
 *
 * Memory comes from malloc, never palloc, and belongs to the job; close()
 * frees it, whatever state the job is in.
 */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "device/cpu_item.h"

#define THREAD_STACK	(1024 * 1024)

/* Number of groups merged before finish() lets its caller check for interrupts. */
#define MERGE_SLICE		100000

/* The process's only pool; threads live until the process ends. */
static struct
{
	pthread_mutex_t lock;
	pthread_cond_t done;		/* an item is finished */
	CpuItem    *head;
	CpuItem    *tail;
	int			nthreads;
	int			running;		/* number of items being processed */
	pthread_cond_t wake[MAX_THREADS + 1];	/* condition variables of threads 1, 2, ... */
	bool		idle[MAX_THREADS + 1];	/* the thread waits and has not been woken */
}			pool = {
	.lock = PTHREAD_MUTEX_INITIALIZER, .done = PTHREAD_COND_INITIALIZER, .wake = {[0 ... MAX_THREADS] = PTHREAD_COND_INITIALIZER}
};

/* The pool; these functions are called with the lock held */

/*
 * Return the condition variable of one of the job's waiting threads, for the
 * caller to signal a new item; NULL if none waits.  Waking all of them would
 * take longer than filling a page batch.
 */
static pthread_cond_t *
idle_thread(const DeviceJob *job)
{
	for (int thread = 1; thread <= job->spec.threads; thread++)
		if (pool.idle[thread])
		{
			pool.idle[thread] = false;
			return &pool.wake[thread];
		}
	return NULL;
}

static CpuItem *
take_queued(void)
{
	CpuItem    *item = pool.head;

	if (item != NULL)
	{
		pool.head = item->next;
		if (pool.head == NULL)
			pool.tail = NULL;
		item->state = ITEM_RUNNING;
	}
	return item;
}

static void
put_done(CpuItem *item)
{
	item->state = ITEM_DONE;
	item->next = item->job->done;
	item->job->done = item;
}

static void
process_locked(CpuItem *item, int thread)
{
	pool.running++;
	pthread_mutex_unlock(&pool.lock);
	if (item->together != NULL)
		item->together(item->arg, item->part);
	else
		cpu_item_run(item, thread);
	pthread_mutex_lock(&pool.lock);
	pool.running--;
	put_done(item);
}

static void *
thread_main(void *arg)
{
	int			thread = (int) (intptr_t) arg;

	pthread_mutex_lock(&pool.lock);
	for (;;)
	{
		CpuItem    *item = pool.head;

		/* a job may have been given fewer threads than the pool has */
		if (item == NULL || thread > item->job->spec.threads)
		{
			pool.idle[thread] = true;
			pthread_cond_wait(&pool.wake[thread], &pool.lock);
			pool.idle[thread] = false;
			continue;
		}
		process_locked(take_queued(), thread);
		pthread_cond_signal(&pool.done);
	}
	return NULL;
}

static void
start_threads(int wanted)
{
	sigset_t	all;
	sigset_t	before;
	pthread_attr_t attr;

	if (wanted > MAX_THREADS)
		wanted = MAX_THREADS;
	if (pool.nthreads >= wanted)
		return;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attr, THREAD_STACK);
	while (pool.nthreads < wanted)
	{
		pthread_t	thread;

		/* fewer threads are slower, not wrong */
		if (pthread_create(&thread, &attr, thread_main, (void *) (intptr_t) (pool.nthreads + 1)) != 0)
			break;
		pool.nthreads++;
	}
	pthread_attr_destroy(&attr);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void
device_cpu_quiesce(void)
{
	CpuItem    *item;

	pthread_mutex_lock(&pool.lock);
	/* dropped items become finished ones, which close() of their job will collect */
	while ((item = take_queued()) != NULL)
	{
		item->work.status = STATUS_CANCELLED;
		put_done(item);
	}
	while (pool.running > 0)
		pthread_cond_wait(&pool.done, &pool.lock);
	pthread_mutex_unlock(&pool.lock);
}

/* The Device interface */

static DeviceJob *
cpu_open(const JobSpec *spec)
{
	DeviceJob  *job = calloc(1, sizeof(DeviceJob));

	if (job == NULL)
		return NULL;
	job->spec = *spec;
	job->budget.limit = spec->memory_limit;
	if (job->spec.threads > MAX_THREADS)
		job->spec.threads = MAX_THREADS;
	job->kernel = cpu_kernel();
	job->merging = 1;
	job->nitems = 2 * job->spec.threads + 2;
	job->items = calloc(job->nitems, sizeof(CpuItem));
	if (job->items == NULL)
	{
		free(job);
		return NULL;
	}
	for (int i = 0; i < job->nitems; i++)
		job->items[i].job = job;
	start_threads(job->spec.threads);
	return job;
}

static DeviceWork *
cpu_acquire(DeviceJob *job)
{
	for (int i = 0; i < job->nitems; i++)
		if (job->items[i].state == ITEM_FREE)
		{
			job->items[i].state = ITEM_TAKEN;
			job->items[i].work.stage = STAGE_DEFORM;
			return &job->items[i].work;
		}
	return NULL;
}

/* Return 1: further tablets are left to other threads. */
static uint32_t
cpu_take_cached(const DeviceJob *job, const CachedRows *rows, uint32_t n)
{
	return 1;
}

static void
cpu_submit(DeviceJob *job, DeviceWork *work)
{
	CpuItem    *item = (CpuItem *) work;
	pthread_cond_t *idle;

	/* threads read the tablets */
	if (work->stage == STAGE_RUN && work->pages == NULL)
		for (uint32_t t = 0; t < work->ncached; t++)
			cached_rows_complete(&work->cached[t]);
	pthread_mutex_lock(&pool.lock);
	item->state = ITEM_QUEUED;
	item->next = NULL;
	if (pool.tail != NULL)
		pool.tail->next = item;
	else
		pool.head = item;
	pool.tail = item;
	job->in_flight++;
	idle = idle_thread(job);
	pthread_mutex_unlock(&pool.lock);
	if (idle != NULL)
		pthread_cond_signal(idle);
}

static DeviceWork *
cpu_collect(DeviceJob *job, bool wait)
{
	CpuItem    *item;

	pthread_mutex_lock(&pool.lock);
	while (job->done == NULL && wait && job->in_flight > 0)
	{
		item = take_queued();
		if (item != NULL)
			process_locked(item, 0);
		else
			pthread_cond_wait(&pool.done, &pool.lock);
	}
	item = job->done;
	if (item != NULL)
	{
		job->done = item->next;
		item->state = ITEM_TAKEN;
		job->in_flight--;
	}
	pthread_mutex_unlock(&pool.lock);
	return item != NULL ? &item->work : NULL;
}

static void
cpu_release(DeviceJob *job, DeviceWork *work)
{
	((CpuItem *) work)->state = ITEM_FREE;
}

static bool
cpu_enlarge(DeviceWork *work, uint64_t more_bytes)
{
	CpuItem    *item = (CpuItem *) work;
	Tablet	   *bigger;
	uint64_t	size = work->tablet->size + tablet_align(more_bytes);

	if (posix_memalign((void **) &bigger, 64, size) != 0)
		return false;
	memcpy(bigger, work->tablet, work->tablet->size);
	free(work->tablet);
	bigger->var_capacity += more_bytes;
	bigger->size = size;
	work->tablet = bigger;
	item->tablet_capacity = size;
	return true;
}

static DeviceStatus
cpu_again(DeviceJob *job)
{
	/* groups that were appended may come once more */
	cpu_table_index(&job->worker[0].table);
	return STATUS_DONE;
}

static DeviceStatus
cpu_finish(DeviceJob *job, const GroupTable **groups)
{
	CpuWorker  *into = &job->worker[0];
	DeviceStatus status = cpu_worker_prepare(job, into);

	while (job->merging <= job->spec.threads && status == STATUS_DONE)
	{
		if (job->worker[job->merging].table.groups.ngroups > 0)
			cpu_table_index(&into->table);
		status = group_merge(job->spec.program, &into->table.groups, &job->worker[job->merging].table.groups,
							 &job->merge_next, MERGE_SLICE);
		if (status == STATUS_TABLE_FULL)
			status = cpu_table_grow(&into->table, &job->budget);
		else if (status == STATUS_DONE)
		{
			cpu_table_free(&job->worker[job->merging].table, &job->budget);
			job->merging++;
			job->merge_next = 0;
		}
	}
	*groups = &into->table.groups;
	return status;
}

static uint64_t
cpu_family(const DeviceJob *job)
{
	return 0;
}

static void
cpu_adopt(DeviceJob *job)
{
}

static DeviceStatus
cpu_absorb(DeviceJob *job, const GroupTable *groups, bool distinct)
{
	CpuWorker  *into = &job->worker[0];
	DeviceStatus status = cpu_worker_prepare(job, into);
	uint32_t	next = 0;

	if (status == STATUS_DONE && distinct && (into->table.unindexed || into->table.groups.ngroups == 0))
		return cpu_table_append(&into->table, &job->budget, job->spec.program, groups);
	cpu_table_index(&into->table);
	while (status == STATUS_DONE && next < groups->ngroups)
	{
		status = group_merge(job->spec.program, &into->table.groups, groups, &next, groups->ngroups);
		if (status == STATUS_TABLE_FULL)
			status = cpu_table_grow(&into->table, &job->budget);
	}
	return status;
}

static void
cpu_report(const DeviceJob *job, JobReport *report)
{
	memset(report, 0, sizeof(*report));
	report->times.deform_ns = atomic_load(&job->deform_ns);
	report->times.run_ns = atomic_load(&job->run_ns);
}

static void
cpu_close(DeviceJob *job)
{
	atomic_store(&job->cancelled, true);
	while (cpu_collect(job, true) != NULL)
		;
	for (int i = 0; i < job->nitems; i++)
	{
		free(job->items[i].work.tablet);
		free(job->items[i].work.rows);
		free(job->items[i].work.matches);
		free(job->items[i].work.output);
	}
	for (int t = 0; t <= MAX_THREADS; t++)
		cpu_worker_free(job, &job->worker[t]);
	free(job->items);
	free(job);
}

const Device cpu_device = {
	.name = "cpu",
	.open = cpu_open,
	.acquire = cpu_acquire,
	.take_cached = cpu_take_cached,
	.submit = cpu_submit,
	.collect = cpu_collect,
	.release = cpu_release,
	.enlarge = cpu_enlarge,
	.absorb = cpu_absorb,
	.family = cpu_family,
	.adopt = cpu_adopt,
	.again = cpu_again,
	.finish = cpu_finish,
	.report = cpu_report,
	.close = cpu_close,
};

/* Work of other callers */

void
device_cpu_together(int threads, uint32_t parts, void (*work) (void *arg, uint32_t part), void *arg)
{
	DeviceJob  *job = threads > 0 ? calloc(1, sizeof(DeviceJob)) : NULL;
	CpuItem    *items = job != NULL ? calloc(parts, sizeof(CpuItem)) : NULL;

	for (uint32_t part = 0; part < parts && items == NULL; part++)
		work(arg, part);
	if (items != NULL)
	{
		job->spec.threads = threads < MAX_THREADS ? threads : MAX_THREADS;
		start_threads(job->spec.threads);
		for (uint32_t part = 0; part < parts; part++)
		{
			items[part] = (CpuItem) {.job = job, .together = work, .arg = arg, .part = part};
			cpu_submit(job, &items[part].work);
		}
		while (cpu_collect(job, true) != NULL)
			;
	}
	free(items);
	free(job);
}

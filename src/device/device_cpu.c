/*
 * device_cpu.c
 *		The CPU device: a pool of threads inside the backend.
 *
 * The backend pins pages and puts work items into a queue; threads take them,
 * turn pages into columns and run the program.  When the backend has nothing
 * else to do it takes items from the queue itself, so one thread less is
 * needed, and with no thread at all everything still works.
 *
 * Threads call nothing of PostgreSQL: only core/ code, malloc and pthreads.
 * All signals are blocked in them.  Each thread (and the backend) has scratch
 * registers and a group table of its own per job; finish() merges the tables.
 *
 * Memory comes from malloc, never palloc, and belongs to the job; close()
 * frees it, whatever state the job is in.
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "core/output_cached.h"

#include "device/clock.h"
#include "device/cpu_kernel.h"
#include "device/cpu_table.h"
#include "device/device.h"

#define MAX_THREADS		DEVICE_MAX_HELPERS
#define FIRST_GROUPS	1024
#define FIRST_HEAP		16384
#define THREAD_STACK	(1024 * 1024)

/* Groups merged before finish() lets its caller look at interrupts. */
#define MERGE_SLICE		100000

typedef enum ItemState
{
	ITEM_FREE,
	ITEM_TAKEN,					/* by the caller: being filled, or collected */
	ITEM_QUEUED,
	ITEM_RUNNING,
	ITEM_DONE
} ItemState;

typedef struct CpuItem
{
	DeviceWork	work;			/* first: the caller's pointer is the item's */
	ItemState	state;
	DeviceJob  *job;
	struct CpuItem *next;		/* in the queue or in the job's list of finished items */
	uint64_t	tablet_capacity;	/* bytes of work.tablet, */
	uint64_t	rows_capacity;	/* and of the others */
	uint64_t	output_capacity;
} CpuItem;

/* What one thread holds for a job. */
typedef struct CpuWorker
{
	bool		prepared;
	DeviceStatus status;		/* of preparing */
	uint64_t   *values;
	uint8_t    *nulls;
	CpuTable	table;
} CpuWorker;

struct DeviceJob
{
	JobSpec		spec;
	const CpuKernel *kernel;
	int			nitems;
	CpuItem    *items;
	CpuItem    *done;			/* finished, not collected */
	int			in_flight;		/* queued, running or done */
	atomic_bool cancelled;
	atomic_bool wide;			/* some window needed 128 bits: begin with that */
	TableBudget budget;			/* of all group tables */
	atomic_ullong deform_ns;
	atomic_ullong run_ns;
	int			merging;		/* finish(): the worker whose table is being merged, from 1 on */
	uint32_t	merge_next;		/* its next group */
	CpuWorker	worker[MAX_THREADS + 1];	/* 0 is the backend */
};

/* One pool for the process; threads live until it ends. */
static struct
{
	pthread_mutex_t lock;
	pthread_cond_t done;		/* an item is finished */
	CpuItem    *head;
	CpuItem    *tail;
	int			nthreads;
	int			running;		/* items being processed */
	pthread_cond_t wake[MAX_THREADS + 1];	/* of thread 1, 2, ... */
	bool		idle[MAX_THREADS + 1];	/* it waits, and has not been woken */
}			pool = {
	.lock = PTHREAD_MUTEX_INITIALIZER, .done = PTHREAD_COND_INITIALIZER, .wake = {[0 ... MAX_THREADS] = PTHREAD_COND_INITIALIZER}
};

static void
free_worker(DeviceJob *job, CpuWorker *worker)
{
	free(worker->values);
	free(worker->nulls);
	cpu_table_free(&worker->table, &job->budget);
}

/* The one group of a program without keys. */
static void
add_single_group(const Program *program, GroupTable *table)
{
	GroupKey	key = {0};

	group_find_or_insert(program, table, &key);
}

static DeviceStatus
allocate_worker(DeviceJob *job, CpuWorker *worker)
{
	const Program *program = job->spec.program;
	uint32_t	registers = program->body[BODY_NARROW].nregisters;
	DeviceStatus status = STATUS_DONE;

	if (program->body[BODY_WIDE].nregisters > registers)
		registers = program->body[BODY_WIDE].nregisters;
	if (posix_memalign((void **) &worker->values, 64, (size_t) registers * CPU_TILE * 8) != 0 ||
		posix_memalign((void **) &worker->nulls, 64, (size_t) registers * CPU_TILE) != 0)
		return STATUS_MEMORY_LIMIT;
	if (program->aggregates)
	{
		worker->table.groups.row_words = program->row_words;
		status = cpu_table_resize(&worker->table, &job->budget, program->grouped ? FIRST_GROUPS : 2, program->grouped ? FIRST_HEAP : 8);
		if (status == STATUS_DONE && !program->grouped)
			add_single_group(program, &worker->table.groups);
	}
	return status;
}

/* Scratch and tables of a thread, on its first item of the job. */
static DeviceStatus
prepare_worker(DeviceJob *job, CpuWorker *worker)
{
	if (!worker->prepared)
		worker->status = allocate_worker(job, worker);
	worker->prepared = true;
	return worker->status;
}

/* Running one item */

/* Room for the numbers of so many rows. */
static bool
reserve_rows(CpuItem *item, uint32_t nrows)
{
	return grow_block((void **) &item->work.rows, &item->rows_capacity, (uint64_t) nrows * sizeof(uint32_t));
}

static DeviceStatus
prepare_item(CpuItem *item, const uint16_t *types)
{
	const JobSpec *spec = &item->job->spec;
	const PageList *pages = item->work.pages;
	uint32_t	ncolumns = spec->program->ncolumns;
	uint64_t	var = deform_var_bytes(spec->deform, pages->npages, pages->nrows);
	uint64_t	size = tablet_size(types, ncolumns, pages->nrows, var);

	if (size > item->tablet_capacity)
	{
		free(item->work.tablet);
		item->tablet_capacity = 0;
		if (posix_memalign((void **) &item->work.tablet, 64, size) != 0)
		{
			item->work.tablet = NULL;
			return STATUS_MEMORY_LIMIT;
		}
		item->tablet_capacity = size;
	}
	if (!spec->program->aggregates && !reserve_rows(item, pages->nrows))
		return STATUS_MEMORY_LIMIT;
	tablet_layout(item->work.tablet, types, ncolumns, pages->nrows, var);
	return STATUS_DONE;
}

static DeviceStatus
deform_item(CpuItem *item)
{
	DeviceJob  *job = item->job;
	const DeformSpec *deform = job->spec.deform;
	DeviceStatus status;
	int			wide = atomic_load(&job->wide);

	for (;; wide = 1)
	{
		status = prepare_item(item, deform->types[wide]);
		if (status == STATUS_DONE)
			status = job->kernel->deform(deform->plan[wide], item->work.pages, item->work.tablet);
		item->work.wide = wide;
		if (status != STATUS_NEEDS_WIDE || wide)
			break;
		atomic_store(&job->wide, true);
	}
	if (status == STATUS_DONE)
		status = deform_check(deform, item->work.tablet);
	return status;
}

/* Whether what runs for a job shall end. */
static bool
job_cancelled(const void *arg)
{
	const DeviceJob *job = arg;

	return atomic_load(&job->cancelled) || job->spec.interrupted();
}

/* The outputs of the rows that passed. */
static DeviceStatus
gather_outputs(CpuItem *item)
{
	const JobSpec *spec = &item->job->spec;
	DeviceWork *work = &item->work;
	const uint16_t *types = spec->deform->types[work->wide];
	OutputLayout layout;

	output_layout(spec->program, types, work_tablet_rows(work), &layout);
	if (!grow_block((void **) &work->output, &item->output_capacity, layout.size))
		return STATUS_MEMORY_LIMIT;
	if (work->pages != NULL)
		output_gather(spec->program, work->tablet, work->rows, work->nrows, &layout, work->output);
	else
		output_gather_cached(spec->program, work->cached->tablet, types, work->rows, work->nrows, &layout, work->output);
	return STATUS_DONE;
}

/* Run the program over a tablet. */
static DeviceStatus
run_tablet(DeviceJob *job, CpuWorker *worker, VmRun *run)
{
	DeviceStatus status;
	int32_t		yields = 0;

	run->program = job->spec.program;
	run->body = program_choose_body(job->spec.program, run->tablet);
	run->values = worker->values;
	run->nulls = worker->nulls;
	run->groups = &worker->table.groups;
	run->yield_after = job->spec.yield_after;
	run->cancelled = job_cancelled;
	run->cancelled_arg = job;
	for (;;)
	{
		status = job->kernel->run(run);
		if (status == STATUS_TIME_SLICE)
			run->yield_after = job->spec.yield_after + ++yields;
		else if (status == STATUS_TABLE_FULL)
		{
			status = cpu_table_grow(&worker->table, &job->budget);
			if (status != STATUS_DONE)
				return status;
		}
		else
			return status;
	}
}

/* Run the program over an item's one tablet, and keep what it gives of rows. */
static DeviceStatus
run_for_rows(CpuItem *item, CpuWorker *worker, VmRun *run)
{
	DeviceStatus status;

	run->out = item->work.rows;
	run->out_capacity = (uint32_t) (item->rows_capacity / sizeof(uint32_t));
	status = run_tablet(item->job, worker, run);
	item->work.nrows = run->out_count;
	return status == STATUS_DONE && item->job->spec.program->noutputs > 0 ? gather_outputs(item) : status;
}

/* Run the program over the tablet of an item's pages. */
static DeviceStatus
run_pages(CpuItem *item, CpuWorker *worker)
{
	VmRun		run = {.tablet = item->work.tablet};

	return run_for_rows(item, worker, &run);
}

/* Run a program that gives rows over a tablet that the caller has. */
static DeviceStatus
run_slice(CpuItem *item, CpuWorker *worker)
{
	const JobSpec *spec = &item->job->spec;
	const CachedRows *cached = item->work.cached;
	VmRun		run = {.tablet = cached->tablet, .selected = cached->selected};

	if (!reserve_rows(item, cached->tablet->nrows))
		return STATUS_MEMORY_LIMIT;
	item->work.wide = output_needs_wide(spec->program, cached->tablet, spec->deform->types[0]);
	return run_for_rows(item, worker, &run);
}

/* Run the program over tablets that the caller has. */
static DeviceStatus
run_cached(CpuItem *item, CpuWorker *worker)
{
	DeviceStatus status = STATUS_DONE;

	if (!item->job->spec.program->aggregates)
		return run_slice(item, worker);
	for (uint32_t t = 0; t < item->work.ncached && status == STATUS_DONE; t++)
	{
		VmRun		run = {.tablet = item->work.cached[t].tablet, .selected = item->work.cached[t].selected};

		status = run_tablet(item->job, worker, &run);
	}
	return status;
}

/* Called without the lock. */
static void
process_item(CpuItem *item, int thread)
{
	DeviceJob  *job = item->job;
	CpuWorker  *worker = &job->worker[thread];
	uint64_t	start = clock_ns();
	uint64_t	middle;
	DeviceStatus status = STATUS_CANCELLED;

	if (!atomic_load(&job->cancelled))
	{
		status = prepare_worker(job, worker);
		if (status == STATUS_DONE && item->work.stage == STAGE_DEFORM)
			status = deform_item(item);
		middle = clock_ns();
		if (status == STATUS_DONE)
			status = item->work.pages != NULL ? run_pages(item, worker) : run_cached(item, worker);
		atomic_fetch_add(&job->deform_ns, middle - start);
		atomic_fetch_add(&job->run_ns, clock_ns() - middle);
	}
	item->work.status = status;
}

/* The pool; these are called with the lock held */

/*
 * One of a job's threads that wait, for the caller to signal when there is a
 * new item.  To wake all of them would take longer than to feed a window.
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
	process_item(item, thread);
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
	/* dropped items are finished ones, which their job's close will collect */
	while ((item = take_queued()) != NULL)
	{
		item->work.status = STATUS_CANCELLED;
		put_done(item);
	}
	while (pool.running > 0)
		pthread_cond_wait(&pool.done, &pool.lock);
	pthread_mutex_unlock(&pool.lock);
}

/* The interface */

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

/* One: others are for other threads. */
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
cpu_finish(DeviceJob *job, const GroupTable **groups)
{
	CpuWorker  *into = &job->worker[0];
	DeviceStatus status = prepare_worker(job, into);

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
	DeviceStatus status = prepare_worker(job, into);
	uint32_t	next = 0;

	if (status == STATUS_DONE && distinct && groups->heap_used == 0 && (into->table.unindexed || into->table.groups.ngroups == 0))
		return cpu_table_append(&into->table, &job->budget, groups);
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
		free(job->items[i].work.output);
	}
	for (int t = 0; t <= MAX_THREADS; t++)
		free_worker(job, &job->worker[t]);
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
	.finish = cpu_finish,
	.report = cpu_report,
	.close = cpu_close,
};

/* Instruction sets */

#ifdef __x86_64__
extern const CpuKernel cpu_kernel_v2,
			cpu_kernel_v3,
			cpu_kernel_v4;
#else
extern const CpuKernel cpu_kernel_base;
#endif

const CpuKernel *
cpu_kernel(void)
{
#ifdef __x86_64__
	if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
		__builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512cd"))
		return &cpu_kernel_v4;
	if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma"))
		return &cpu_kernel_v3;
	return &cpu_kernel_v2;
#else
	return &cpu_kernel_base;
#endif
}

/*
 * cpu_item.c
 *		Execution of a work item by a thread of the CPU device: pages to
 *		columns, and the program over them.
 *
 * Called by any thread, without a lock; see device_cpu.c.
 */
#include <stdlib.h>
#include <string.h>

#include "core/tablet/output_cached.h"

#include "device/clock.h"
#include "device/cpu_item.h"

#define FIRST_GROUPS	1024
#define FIRST_HEAP		16384

/* Most rows that joins may make of one tablet's rows; with more, PostgreSQL runs the query. */
#define MOST_JOINED_ROWS	(32 * 1024 * 1024)

void
cpu_worker_free(DeviceJob *job, CpuWorker *worker)
{
	free(worker->values);
	free(worker->nulls);
	cpu_table_free(&worker->table, &job->budget);
}

/* Add the only group of a program without keys. */
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

DeviceStatus
cpu_worker_prepare(DeviceJob *job, CpuWorker *worker)
{
	if (!worker->prepared)
		worker->status = allocate_worker(job, worker);
	worker->prepared = true;
	return worker->status;
}

/* Allocate room for the numbers of `nrows` rows; return false if memory is short. */
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

/* Return true if the job is cancelled or its query is to end. */
static bool
job_cancelled(const void *arg)
{
	const DeviceJob *job = arg;

	return atomic_load(&job->cancelled) || job->spec.interrupted();
}

/* Gather the outputs of the rows that passed. */
static DeviceStatus
gather_outputs(CpuItem *item)
{
	const JobSpec *spec = &item->job->spec;
	DeviceWork *work = &item->work;
	const uint16_t *types = spec->deform->types[work->wide];
	OutputLayout layout;

	output_layout(spec->program, types, work_output_room(work), &layout);
	if (!grow_block((void **) &work->output, &item->output_capacity, layout.size))
		return STATUS_MEMORY_LIMIT;
	if (work->pages != NULL)
		output_gather(spec->program, work->tablet, work->rows, work->nrows, &layout, work->output);
	else
		output_gather_cached(spec->program, work->cached->tablet, work->rows, work->nrows, &layout, work->output);
	return STATUS_DONE;
}

/* Run the program over a tablet, enlarging the group table as needed. */
static DeviceStatus
run_tablet(DeviceJob *job, CpuWorker *worker, VmRun *run)
{
	DeviceStatus status;
	int32_t		yields = 0;

	run->program = job->spec.program;
	run->body = program_choose_body(job->spec.program, run->tablet);
	run->tables = job->spec.tables;
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
		{
			/* yield ever later: a loop that cannot resume begins anew each time, and may be long */
			yields += 1 + yields / 32;
			run->yield_after = job->spec.yield_after + yields;
		}
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

/* Double the room for rows of joins, and copy the rows that there are. */
static DeviceStatus
grow_matches(CpuItem *item, VmRun *run)
{
	const uint32_t tables = item->job->spec.program->ntables;
	const uint32_t room = run->out_capacity * 2;
	uint32_t   *rows = room <= MOST_JOINED_ROWS ? malloc((size_t) room * sizeof(uint32_t)) : NULL;
	uint32_t   *matches = rows != NULL ? malloc((size_t) room * tables * sizeof(uint32_t)) : NULL;

	if (matches == NULL)
	{
		free(rows);
		return STATUS_MEMORY_LIMIT;
	}
	memcpy(rows, run->out, (size_t) run->out_count * sizeof(uint32_t));
	for (uint32_t t = 0; t < tables; t++)
		memcpy(matches + (size_t) t * room, run->matches + (size_t) t * run->out_capacity, (size_t) run->out_count * sizeof(uint32_t));
	free(item->work.rows);
	free(item->work.matches);
	item->work.rows = run->out = rows;
	item->work.matches = run->matches = matches;
	item->rows_capacity = (uint64_t) room * sizeof(uint32_t);
	item->matches_capacity = (uint64_t) room * tables * sizeof(uint32_t);
	run->out_capacity = room;
	return STATUS_DONE;
}

/* Run a program whose joins may make more rows than the tablet has. */
static DeviceStatus
run_joins(CpuItem *item, CpuWorker *worker, VmRun *run)
{
	DeviceStatus status;

	if (run->out_capacity < CPU_TILE && !reserve_rows(item, CPU_TILE))
		return STATUS_MEMORY_LIMIT;
	run->out = item->work.rows;
	run->out_capacity = (uint32_t) (item->rows_capacity / sizeof(uint32_t));
	if (!grow_block((void **) &item->work.matches, &item->matches_capacity, item->rows_capacity * item->job->spec.program->ntables))
		return STATUS_MEMORY_LIMIT;
	run->matches = item->work.matches;
	while ((status = run_tablet(item->job, worker, run)) == STATUS_OUTPUT_FULL)
	{
		status = grow_matches(item, run);
		if (status != STATUS_DONE)
			return status;
	}
	item->work.room = run->out_capacity;
	return status;
}

/* Run the program over an item's only tablet, and store the rows that pass and their outputs in the item. */
static DeviceStatus
run_for_rows(CpuItem *item, CpuWorker *worker, VmRun *run)
{
	DeviceStatus status;

	run->out = item->work.rows;
	run->out_capacity = (uint32_t) (item->rows_capacity / sizeof(uint32_t));
	item->work.room = 0;
	if (item->job->spec.program->ntables > 0 && !item->job->spec.program->aggregates)
		status = run_joins(item, worker, run);
	else
		status = run_tablet(item->job, worker, run);
	item->work.nrows = run->out_count;
	return status == STATUS_DONE && item->job->spec.program->noutputs > 0 ? gather_outputs(item) : status;
}

/* Run the program over the tablet of an item's pages, and copy its columns to their destinations. */
static DeviceStatus
run_pages(CpuItem *item, CpuWorker *worker)
{
	Tablet	   *tablet = item->work.tablet;
	VmRun		run = {.tablet = tablet};
	DeviceStatus status = run_for_rows(item, worker, &run);

	if (status == STATUS_DONE && item->work.places != NULL)
		for (uint32_t c = 0; c < tablet->ncols; c++)
			column_pack(item->job->kernel->pack, tablet, &tablet->column[c], &item->work.places[c]);
	return status;
}

/* Run a program that returns rows over a cached tablet of the caller. */
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

/* Run the program over cached tablets of the caller. */
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

void
cpu_item_run(CpuItem *item, int thread)
{
	DeviceJob  *job = item->job;
	CpuWorker  *worker = &job->worker[thread];
	uint64_t	start = clock_ns();
	uint64_t	middle;
	DeviceStatus status = STATUS_CANCELLED;

	if (!atomic_load(&job->cancelled))
	{
		status = cpu_worker_prepare(job, worker);
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

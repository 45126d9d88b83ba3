/*
 * provider_cpu.c
 *		The CPU in a GPU's place: everything of the GPU process but the GPU.
 *
 * With gpudb.provider = cpu the helper runs batches with the CPU device's
 * inner loops, in the one thread that it has.  It is as strict as a GPU: few
 * groups, no texts in groups, no values fetched from elsewhere.
 */
#include "postgres.h"

#include <stdlib.h>
#include <time.h>

#include "device/cpu_kernel.h"
#include "worker/service.h"

#define BATCHES			8
#define BATCH_BYTES		((uint64) 64 * 1024 * 1024)
#define GROUPS			4096

typedef struct CpuBatch
{
	ProviderBatch batch;		/* first */
	bool		used;
	bool		finished;
	uint8	   *arena;			/* BATCH_BYTES */
	uint32	   *rows;			/* that passed, of a window */
	uint8	   *passed;
	GroupTable	groups;
} CpuBatch;

static CpuBatch batches[BATCHES];
static uint64_t *register_values;
static uint8_t *register_nulls;

static uint64
now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64) t.tv_sec * 1000000000 + t.tv_nsec;
}

static bool
start(const ProviderConfig *config, ProviderState *state)
{
	state->batch_bytes = BATCH_BYTES;
	if (posix_memalign((void **) &register_values, 64, (size_t) PROGRAM_MAX_REGISTERS * CPU_TILE * 8) != 0 ||
		posix_memalign((void **) &register_nulls, 64, (size_t) PROGRAM_MAX_REGISTERS * CPU_TILE) != 0)
	{
		strlcpy(state->why, "out of memory", sizeof(state->why));
		return false;
	}
	return true;
}

static bool
attach(const ProviderMemory *memory)
{
	return true;
}

static bool
accepts(const ProviderJob *job)
{
	return true;
}

static ProviderBatch *
acquire(void)
{
	for (int i = 0; i < BATCHES; i++)
		if (!batches[i].used)
		{
			batches[i].used = true;
			batches[i].finished = false;
			return &batches[i].batch;
		}
	return NULL;
}

/* Room for a batch: memory that is touched only as far as it is used. */
static bool
prepare(CpuBatch *own, const Program *program, uint32 nrows)
{
	GroupTable *groups = &own->groups;

	if (own->arena == NULL && posix_memalign((void **) &own->arena, 64, BATCH_BYTES) != 0)
		return false;
	own->rows = realloc(own->rows, (size_t) TABLET_WINDOW_PAGES * HEAP_MAX_TUPLES * sizeof(uint32));
	own->passed = realloc(own->passed, nrows / 8 + 1);
	groups->rows = realloc(groups->rows, (size_t) GROUPS * program->row_words * 8);
	groups->hashes = realloc(groups->hashes, GROUPS * 8);
	groups->slots = realloc(groups->slots, 2 * GROUPS * 4);
	if (own->rows == NULL || own->passed == NULL || groups->hashes == NULL || groups->slots == NULL ||
		(groups->rows == NULL && program->row_words > 0))
		return false;
	memset(own->passed, 0, nrows / 8 + 1);
	memset(groups->slots, 0, 2 * GROUPS * 4);
	groups->nslots = 2 * GROUPS;
	groups->capacity = GROUPS;
	groups->row_words = program->row_words;
	groups->ngroups = 0;
	if (program->aggregates && !program->grouped)
	{
		GroupKey	key = {0};

		group_find_or_insert(program, groups, &key);
	}
	return true;
}

/* Keep what a tablet tells of its columns. */
static void
note_columns(ProviderBatch *batch, const Tablet *tablet)
{
	batch->failed_column = tablet->failed_column;
	for (uint32 c = 0; c < tablet->ncols; c++)
		batch->max_scale[c] = Max(batch->max_scale[c], tablet->column[c].max_scale);
}

static DeviceStatus
run_window(CpuBatch *own, const PageList *pages, uint32 row_start)
{
	const ProviderBatch *batch = &own->batch;
	const JobView *view = &batch->job->view;
	const DeformSpec *deform = &view->deform;
	Tablet	   *tablet = (Tablet *) own->arena;
	VmRun		run = {
		.program = view->program, .tablet = tablet, .values = register_values, .nulls = register_nulls,
		.groups = &own->groups, .out = own->rows, .out_capacity = pages->nrows, .yield_after = -1
	};
	uint64		begin = now_ns();
	uint64		middle;
	DeviceStatus status;

	tablet_layout(tablet, deform->types[batch->wide], view->program->ncolumns, pages->nrows,
				  deform_var_bytes(deform, pages->npages, pages->nrows));
	status = cpu_kernel()->deform(deform->plan[batch->wide], pages, tablet);
	if (status == STATUS_DONE)
		status = deform_check(deform, tablet);
	note_columns(&own->batch, tablet);
	middle = now_ns();
	if (status == STATUS_DONE)
	{
		run.body = program_choose_body(view->program, tablet);
		status = cpu_kernel()->run(&run);
	}
	for (uint32 i = 0; i < run.out_count; i++)
		own->passed[(row_start + run.out[i]) / 8] |= 1 << (row_start + run.out[i]) % 8;
	own->batch.times.deform_ns += middle - begin;
	own->batch.times.run_ns += now_ns() - middle;
	return status;
}

static void
submit(ProviderBatch *batch)
{
	CpuBatch   *own = (CpuBatch *) batch;
	const Program *program = batch->job->view.program;
	bool		ready = prepare(own, program, batch->row_start[batch->nwindows]);

	batch->status = ready ? STATUS_DONE : STATUS_MEMORY_LIMIT;
	batch->failed_column = -1;
	memset(batch->max_scale, 0, sizeof(batch->max_scale));
	memset(&batch->times, 0, sizeof(batch->times));
	for (uint32 w = 0; w < batch->nwindows && batch->status == STATUS_DONE; w++)
		batch->status = run_window(own, &batch->window[w], batch->row_start[w]);
	batch->groups = program->aggregates ? &own->groups : NULL;
	batch->passed = own->passed;
	own->finished = true;
}

static ProviderBatch *
collect(void)
{
	for (int i = 0; i < BATCHES; i++)
		if (batches[i].used && batches[i].finished)
		{
			batches[i].finished = false;
			return &batches[i].batch;
		}
	return NULL;
}

static void
release(ProviderBatch *batch)
{
	((CpuBatch *) batch)->used = false;
}

const Provider provider_cpu = {
	.abi = PROVIDER_ABI,
	.name = "cpu",
	.start = start,
	.attach = attach,
	.accepts = accepts,
	.acquire = acquire,
	.submit = submit,
	.collect = collect,
	.release = release,
};

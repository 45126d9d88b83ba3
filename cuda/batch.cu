/*
 * batch.cu
 *		A batch on its way over the GPU.
 *
 *		arena:  Request | job image | Tablet | rows of groups, for a table
 *
 * One copy brings request, image and the empty tablet's head to the device.
 * The deform kernel then fetches pages and lists of tuples from host memory
 * by itself.  What the host must know, the head of the tablet and the
 * results, comes back by small copies on the same stream; rows of groups are
 * written to host memory by the kernel.
 */
#include <stdlib.h>
#include <string.h>

#include "batch.h"
#include "context.h"
#include "deform_launch.h"
#include "group_table.h"
#include "output_launch.h"
#include "shape_cache.h"

#define HEAD_BYTES		tablet_align(sizeof(Tablet) + PROGRAM_MAX_COLUMNS * sizeof(TabletColumn))
#define ROWS_BYTES		((uint64_t) 2 * 1024 * 1024)
#define PASSED_BYTES	((uint64_t) BATCH_PAGES * HEAP_MAX_TUPLES / 8 + 64)

/* What the kernels read, in device memory. */
typedef struct Request
{
	uint32_t	status;			/* of deforming */
	uint32_t	unused;
	VmResult	result;
	GroupsResult merged;
	const uint8_t *page[BATCH_PAGES];
	const uint16_t *offsets[BATCH_PAGES];
	uint32_t	row_start[BATCH_PAGES + 1];
} Request;

#define REQUEST_BYTES	tablet_align(sizeof(Request))

struct CudaBatch
{
	ProviderBatch batch;		/* first */
	BatchStage	stage;
	cudaStream_t stream;
	cudaEvent_t begun;
	cudaEvent_t deformed;
	cudaEvent_t run;
	uint8_t    *arena;			/* device */
	uint64_t	arena_bytes;
	uint32_t	database;		/* whose data are in the arena */

	/* pinned */
	uint8_t    *request;		/* as it goes to the device: Request, image, head of the tablet */
	uint8_t    *head;			/* of the tablet, as it comes back */
	Request    *answer;			/* its first words, as they come back */
	uint64_t   *rows;
	uint8_t    *passed;

	uint32_t	image_bytes;	/* of the job at hand, aligned */
	uint32_t	row_capacity;
	GroupTable	groups;
	GroupsLaunch merge;			/* into the job's table */
	cudaError_t error;
};

ProviderBatch *
batch_public(CudaBatch *batch)
{
	return &batch->batch;
}

CudaBatch *
batch_of_public(ProviderBatch *batch)
{
	return (CudaBatch *) batch;
}

BatchStage
batch_stage(const CudaBatch *batch)
{
	return batch->stage;
}

void
batch_set_stage(CudaBatch *batch, BatchStage stage)
{
	batch->stage = stage;
}

const char *
batch_error(const CudaBatch *batch)
{
	return cudaGetErrorString(batch->error);
}

uint64_t
batch_tablet_bytes(uint64_t arena_bytes)
{
	uint64_t	taken = REQUEST_BYTES + JOB_IMAGE_MOST + PASSED_BYTES + 64;

	return arena_bytes > taken ? arena_bytes - taken : 0;
}

static cudaError_t
allocate(CudaBatch *own)
{
	cudaError_t error = CUDA_CALL(cudaStreamCreateWithFlags(&own->stream, cudaStreamNonBlocking));

	if (error == cudaSuccess)
		error = CUDA_CALL(cudaEventCreate(&own->begun));
	if (error == cudaSuccess)
		error = CUDA_CALL(cudaEventCreate(&own->deformed));
	if (error == cudaSuccess)
		error = CUDA_CALL(cudaEventCreate(&own->run));
	if (error == cudaSuccess)
		error = CUDA_CALL(cudaMalloc((void **) &own->arena, own->arena_bytes));
	if (error == cudaSuccess)
		error = CUDA_CALL(cudaMemset(own->arena, 0, own->arena_bytes));
	if (error == cudaSuccess)
		error = CUDA_CALL(cudaHostAlloc((void **) &own->request, REQUEST_BYTES + JOB_IMAGE_MOST + HEAD_BYTES, cudaHostAllocDefault));
	if (error == cudaSuccess)
		error = CUDA_CALL(cudaHostAlloc((void **) &own->head, HEAD_BYTES, cudaHostAllocDefault));
	if (error == cudaSuccess)
		error = CUDA_CALL(cudaHostAlloc((void **) &own->answer, sizeof(Request), cudaHostAllocDefault));
	if (error == cudaSuccess)
		error = CUDA_CALL(cudaHostAlloc((void **) &own->rows, ROWS_BYTES, cudaHostAllocDefault));
	if (error == cudaSuccess)
		error = CUDA_CALL(cudaHostAlloc((void **) &own->passed, PASSED_BYTES, cudaHostAllocDefault));
	return error;
}

CudaBatch *
batch_create(uint64_t arena_bytes, cudaError_t *error)
{
	CudaBatch  *own = (CudaBatch *) calloc(1, sizeof(CudaBatch));

	*error = cudaErrorMemoryAllocation;
	if (own == NULL)
		return NULL;
	own->arena_bytes = arena_bytes;
	own->groups.nslots = 2 * BATCH_GROUPS;
	own->groups.capacity = BATCH_GROUPS;
	own->groups.slots = (uint32_t *) malloc(own->groups.nslots * sizeof(uint32_t));
	own->groups.hashes = (uint64_t *) malloc(BATCH_GROUPS * sizeof(uint64_t));
	if (own->groups.slots == NULL || own->groups.hashes == NULL)
		return NULL;
	/* a process that cannot have this ends: nothing is given back here */
	*error = allocate(own);
	return *error == cudaSuccess ? own : NULL;
}

bool
batch_accepts(const ProviderJob *job)
{
	const Program *program = job->view.program;
	for (int body = BODY_NARROW; body <= BODY_WIDE; body++)
		if (program->body[body].exists && !shape_exists(program, body))
			return false;
	return job->image->size <= JOB_IMAGE_MOST && program->row_words * 8u * 64u <= ROWS_BYTES;
}

static void
finish(CudaBatch *own, DeviceStatus status)
{
	own->batch.status = status;
	own->stage = BATCH_FINISHED;
}

/* Note an error of CUDA's and finish; whether there was one. */
static bool
failed(CudaBatch *own, cudaError_t error)
{
	if (error == cudaSuccess)
		return false;
	/* sticky or not: a new process begins with a device that works */
	own->error = error;
	finish(own, STATUS_DEVICE_DOWN);
	return true;
}

/* Where things are in the arena. */

static Tablet *
arena_tablet(const CudaBatch *own)
{
	return (Tablet *) (own->arena + REQUEST_BYTES + own->image_bytes);
}

static const Program *
arena_program(const CudaBatch *own)
{
	return (const Program *) (own->arena + REQUEST_BYTES + own->batch.job->image->program);
}

/* The bitmap of rows that passed stands last. */
static uint32_t *
arena_passed(const CudaBatch *own)
{
	return (uint32_t *) (own->arena + (own->arena_bytes - PASSED_BYTES) / 64 * 64);
}

static uint32_t
head_bytes(const CudaBatch *own)
{
	return (uint32_t) tablet_align(sizeof(Tablet) + own->batch.job->view.program->ncolumns * sizeof(TabletColumn));
}

/* Write down the pages of all windows, one after the other; their number. */
static uint32_t
list_pages(const ProviderBatch *batch, Request *request)
{
	uint32_t	row = 0;
	uint32_t	n = 0;

	for (uint32_t w = 0; w < batch->nwindows; w++)
	{
		const PageList *list = &batch->window[w];

		for (uint32_t p = 0; p < list->npages; p++, n++)
		{
			request->page[n] = list->page[p];
			request->offsets[n] = list->offsets[p];
			request->row_start[n] = row;
			row += list->ntuples[p];
		}
	}
	request->row_start[n] = row;
	return n;
}

/* Everything that goes to the device ahead of the kernels; the number of pages. */
static uint32_t
write_request(CudaBatch *own)
{
	const ProviderBatch *batch = &own->batch;
	const JobImage *image = batch->job->image;
	const DeformSpec *deform = &batch->job->view.deform;
	Request    *request = (Request *) own->request;
	uint8_t    *copy = own->request + REQUEST_BYTES;
	uint32_t	npages = list_pages(batch, request);
	uint32_t	nrows = request->row_start[npages];

	request->status = STATUS_DONE;
	memset(&request->result, 0, sizeof(request->result));
	memset(&request->merged, 0, sizeof(request->merged));
	own->image_bytes = (uint32_t) tablet_align(image->size);
	memcpy(copy, image, image->size);
	for (int wide = 0; wide < 2; wide++)
		((DeformPlan *) (copy + image->plan[wide]))->missing_bytes = own->arena + REQUEST_BYTES + image->missing;
	tablet_layout((Tablet *) (copy + own->image_bytes), deform->types[batch->wide], batch->job->view.program->ncolumns, nrows,
				  deform_var_bytes(deform, npages, nrows));
	return npages;
}

/* Memory that held another database's data is cleared. */
static cudaError_t
clear_arena(CudaBatch *own)
{
	uint32_t	before = own->database;

	own->database = own->batch.job->database;
	return before == 0 || before == own->database ? cudaSuccess
		: CUDA_CALL(cudaMemsetAsync(own->arena, 0, own->arena_bytes, own->stream));
}

/* What the host must know of the device's part of the request. */
static cudaError_t
fetch_answer(CudaBatch *own, cudaEvent_t event)
{
	cudaError_t error = CUDA_CALL(cudaMemcpyAsync(own->answer, own->arena, offsetof(Request, page), cudaMemcpyDeviceToHost, own->stream));

	return error == cudaSuccess ? CUDA_CALL(cudaEventRecord(event, own->stream)) : error;
}

void
batch_start(CudaBatch *own)
{
	uint32_t	npages = write_request(own);
	const Request *request = (const Request *) own->arena;
	DeformLaunch launch = {
		(const DeformPlan *) (own->arena + REQUEST_BYTES + own->batch.job->image->plan[own->batch.wide]),
		arena_tablet(own), request->page, request->offsets, request->row_start, npages, &((Request *) own->arena)->status
	};
	uint32_t	head = head_bytes(own);
	cudaError_t error = clear_arena(own);

	own->batch.groups = NULL;
	own->batch.passed = NULL;
	own->batch.failed_column = -1;
	own->batch.times = JobTimes();
	own->stage = BATCH_DEFORMING;
	if (error == cudaSuccess)
		error = CUDA_CALL(cudaEventRecord(own->begun, own->stream));
	if (error == cudaSuccess)
		error = CUDA_CALL(cudaMemcpyAsync(own->arena, own->request, REQUEST_BYTES + own->image_bytes + head,
										  cudaMemcpyHostToDevice, own->stream));
	if (error == cudaSuccess)
		error = (cudaError_t) deform_launch(&launch, own->batch.job->view.program->ncolumns, own->stream);
	if (error == cudaSuccess)
		error = CUDA_CALL(cudaMemcpyAsync(own->head, arena_tablet(own), head, cudaMemcpyDeviceToHost, own->stream));
	if (error == cudaSuccess)
		error = fetch_answer(own, own->deformed);
	failed(own, error);
}

/* What deforming has found. */
static DeviceStatus
judge_columns(CudaBatch *own)
{
	const Tablet *tablet = (const Tablet *) own->head;
	DeviceStatus status = (DeviceStatus) own->answer->status;

	own->batch.failed_column = tablet->failed_column;
	for (uint32_t c = 0; c < tablet->ncols; c++)
		own->batch.max_scale[c] = tablet->column[c].max_scale;
	return status == STATUS_DONE ? deform_check(&own->batch.job->view.deform, tablet) : status;
}

/* Where rows of groups go: host memory, or, for a table, the arena behind the tablet. */
static void
place_rows(CudaBatch *own, VmLaunch *launch)
{
	const uint32_t row_words = own->batch.job->view.program->row_words;
	const uint64_t used = tablet_align(REQUEST_BYTES + own->image_bytes + ((const Tablet *) own->head)->size);

	if (own->batch.table == NULL)
	{
		own->row_capacity = (uint32_t) (ROWS_BYTES / (8 * (1u + row_words)));
		launch->hashes = own->rows;
	}
	else
	{
		/* and a group number for each */
		own->row_capacity = (uint32_t) (used < own->arena_bytes ? (own->arena_bytes - used) / (8 * (1u + row_words) + 4) : 0);
		launch->hashes = (uint64_t *) (own->arena + used);
	}
	launch->rows = launch->hashes + own->row_capacity;
	launch->row_capacity = own->row_capacity;
	own->merge.texts = tablet_at(arena_tablet(own), ((const Tablet *) own->head)->var);
	own->merge.constants = (const uint8_t *) arena_program(own) + own->batch.job->view.program->bytes;
	own->merge.hashes = launch->hashes;
	own->merge.rows = launch->rows;
	own->merge.group = (uint32_t *) (launch->rows + (size_t) own->row_capacity * row_words);
}

/* Have the rows that pass write their outputs to where the windows want them. */
static cudaError_t
start_output(CudaBatch *own)
{
	const ProviderBatch *batch = &own->batch;
	OutputLaunch launch = {
		arena_program(own), arena_tablet(own), arena_passed(own), &((Request *) own->arena)->result.status, batch->nwindows
	};

	memcpy(launch.row_start, batch->row_start, sizeof(launch.row_start));
	memcpy(launch.block, batch->output, sizeof(launch.block));
	return (cudaError_t) output_launch(&launch, batch->job->view.program->noutputs, own->stream);
}

/* The second leg. */
static void
start_run(CudaBatch *own)
{
	const Program *program = own->batch.job->view.program;
	const Tablet *tablet = (const Tablet *) own->head;
	const ShapeChoice *choice = shape_choose(program, program_choose_body(program, tablet), tablet, own->batch.table != NULL);
	VmLaunch	launch = {};
	cudaError_t error;

	if (choice == NULL)
	{
		finish(own, STATUS_BAD_PROGRAM);
		return;
	}
	launch.shape = choice->shape;
	place_rows(own, &launch);
	launch.program = arena_program(own);
	launch.tablet = arena_tablet(own);
	launch.end_row = tablet->nrows;
	launch.passed = program->aggregates ? NULL : arena_passed(own);
	launch.result = &((Request *) own->arena)->result;
	error = CUDA_CALL((cudaError_t) vm_launch(&launch, choice->blocks, own->stream));
	if (error == cudaSuccess && program->noutputs > 0)
		error = start_output(own);
	if (error == cudaSuccess && launch.passed != NULL)
		error = CUDA_CALL(cudaMemcpyAsync(own->passed, launch.passed, tablet->nrows / 8 + 1, cudaMemcpyDeviceToHost, own->stream));
	if (error == cudaSuccess)
		error = fetch_answer(own, own->run);
	own->stage = BATCH_RUNNING;
	failed(own, error);
}

/* Merge the blocks' groups into those of the batch. */
static DeviceStatus
merge_rows(CudaBatch *own, uint32_t nrows)
{
	const Program *program = own->batch.job->view.program;
	GroupTable *into = &own->groups;
	GroupTable	from = {};
	uint32_t	next = 0;

	if (nrows > own->row_capacity || nrows > BATCH_GROUPS)
		return STATUS_TABLE_FULL;
	if (into->row_words != program->row_words)
	{
		free(into->rows);
		into->rows = (uint64_t *) malloc((size_t) BATCH_GROUPS * program->row_words * 8);
		into->row_words = into->rows != NULL ? program->row_words : 0;
		if (into->rows == NULL)
			return STATUS_MEMORY_LIMIT;
	}
	memset(into->slots, 0, into->nslots * sizeof(uint32_t));
	into->ngroups = 0;
	from.hashes = own->rows;
	from.rows = own->rows + own->row_capacity;
	from.row_words = program->row_words;
	from.ngroups = nrows;
	own->batch.groups = into;
	return group_merge(program, into, &from, &next, nrows);
}

/* Note the times of both legs and finish. */
static void
end_batch(CudaBatch *own, DeviceStatus status)
{
	float		deform_ms = 0;
	float		run_ms = 0;

	own->batch.passed = own->passed;
	if (failed(own, CUDA_CALL(cudaEventElapsedTime(&deform_ms, own->begun, own->deformed))) ||
		failed(own, CUDA_CALL(cudaEventElapsedTime(&run_ms, own->deformed, own->run))))
		return;
	own->batch.times.deform_ns = (uint64_t) (deform_ms * 1e6);
	own->batch.times.run_ns = (uint64_t) (run_ms * 1e6);
	finish(own, status);
}

/* The third leg, as soon as the table lets this batch in: find the group of each row. */
static void
start_finding(CudaBatch *own)
{
	cudaError_t error = cudaSuccess;
	DeviceStatus status = group_table_enter(own->batch.table, &own->merge, &error);

	if (status == STATUS_TIME_SLICE || failed(own, error))
		return;
	if (status != STATUS_DONE)
	{
		end_batch(own, status);
		return;
	}
	own->merge.result = &((Request *) own->arena)->merged;
	error = CUDA_CALL(cudaMemsetAsync(own->merge.result, 0, sizeof(GroupsResult), own->stream));
	if (error == cudaSuccess)
		error = CUDA_CALL((cudaError_t) groups_find(&own->merge, own->stream));
	if (error == cudaSuccess)
		error = fetch_answer(own, own->run);
	own->stage = BATCH_FINDING;
	failed(own, error);
}

/* Rows are there for a table. */
static void
start_merge(CudaBatch *own, uint32_t nrows)
{
	cudaError_t error;

	if (nrows > own->row_capacity)
	{
		end_batch(own, STATUS_MEMORY_LIMIT);
		return;
	}
	own->merge.nrows = nrows;
	own->stage = BATCH_ENTERING;
	/* GROUP_UNKNOWN */
	error = CUDA_CALL(cudaMemsetAsync(own->merge.group, 0xff, (size_t) nrows * sizeof(uint32_t), own->stream));
	if (!failed(own, error))
		start_finding(own);
}

static void
end_run(CudaBatch *own)
{
	const VmResult *result = &own->answer->result;
	DeviceStatus status = (DeviceStatus) result->status;

	if (status == STATUS_DONE && own->batch.table != NULL)
		start_merge(own, result->nrows);
	else if (status == STATUS_DONE && own->batch.job->view.program->aggregates)
		end_batch(own, merge_rows(own, result->nrows));
	else
		/* without a table, too many rows want one; with one, there is no room for them here */
		end_batch(own, status == STATUS_TABLE_FULL && own->batch.table != NULL ? STATUS_MEMORY_LIMIT : status);
}

/* The last leg: update the groups, unless the table is to grow before all are found. */
static void
end_finding(CudaBatch *own)
{
	const DeviceStatus status = (DeviceStatus) own->answer->merged.status;
	const uint32_t pending = own->answer->merged.pending;
	cudaError_t error;

	if (status != STATUS_DONE)
	{
		group_table_leave(own->batch.table, 0);
		end_batch(own, status);
		return;
	}
	if (pending > 0)
	{
		group_table_leave(own->batch.table, pending);
		own->stage = BATCH_ENTERING;
		start_finding(own);
		return;
	}
	error = CUDA_CALL((cudaError_t) groups_update(&own->merge, own->stream));
	if (error == cudaSuccess)
		error = fetch_answer(own, own->run);
	own->stage = BATCH_UPDATING;
	failed(own, error);
}

static void
end_updating(CudaBatch *own)
{
	group_table_leave(own->batch.table, 0);
	end_batch(own, (DeviceStatus) own->answer->merged.status);
}

static void
end_deforming(CudaBatch *own)
{
	DeviceStatus status = judge_columns(own);

	if (status == STATUS_DONE)
		start_run(own);
	else
		finish(own, status);
}

BatchStage
batch_advance(CudaBatch *own)
{
	cudaError_t error;

	if (own->stage == BATCH_ENTERING)
		start_finding(own);
	if (own->stage != BATCH_DEFORMING && own->stage != BATCH_RUNNING && own->stage != BATCH_FINDING && own->stage != BATCH_UPDATING)
		return own->stage;
	error = CUDA_CALL(cudaEventQuery(own->stage == BATCH_DEFORMING ? own->deformed : own->run));
	if (error == cudaErrorNotReady || failed(own, error))
		return own->stage;
	if (own->stage == BATCH_DEFORMING)
		end_deforming(own);
	else if (own->stage == BATCH_RUNNING)
		end_run(own);
	else if (own->stage == BATCH_FINDING)
		end_finding(own);
	else
		end_updating(own);
	return own->stage;
}

/*
 * batch.cu
 *		A batch and its phases on the GPU.
 *
 *		arena:  Request | job image | Tablet, or those of batch_cached.cu | rows of groups (batch_rows.cu)
 *
 * One copy brings the request, the job image and the empty tablet's descriptor
 * to the device.  The deform kernel then reads pages and lists of tuples from
 * host memory by itself.  What the host must know, the tablet descriptor and
 * the results, comes back by small copies on the same stream; rows of groups
 * are written to host memory by a kernel.
 */
#include <stdlib.h>
#include <string.h>

#include "host/batch_private.h"
#include "kernels/deform_launch.h"
#include "kernels/output_launch.h"

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
	uint64_t	taken = REQUEST_BYTES + JOB_IMAGE_MOST + JOINS_BYTES + PASSED_BYTES + TALLIES_BYTES + 64;

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
		error = CUDA_CALL(cudaHostAlloc((void **) &own->request, REQUEST_BYTES + JOB_IMAGE_MOST + JOINS_BYTES + head_bytes(PROGRAM_MAX_COLUMNS) + CACHED_BYTES, cudaHostAllocDefault));
	if (error == cudaSuccess)
		error = CUDA_CALL(cudaHostAlloc((void **) &own->head, head_bytes(PROGRAM_MAX_COLUMNS), cudaHostAllocDefault));
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
	own->groups.slots = (uint32_t *) malloc(own->groups.nslots * sizeof(uint32_t));
	own->groups.hashes = (uint64_t *) malloc(BATCH_GROUPS * sizeof(uint64_t));
	if (own->groups.slots == NULL || own->groups.hashes == NULL)
		return NULL;
	/* a process that cannot allocate a batch ends: nothing is freed here */
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
	return job->image->size <= JOB_IMAGE_MOST && program->row_words * 8u * (program->grouped ? 64u : 8u) <= ROWS_BYTES;
}

void
batch_finish(CudaBatch *own, DeviceStatus status)
{
	resident_let_go(&own->use);
	/* some groups of an incomplete batch may be in the group table */
	own->batch.status = status != STATUS_DONE && status != STATUS_DEVICE_DOWN && own->nmerged > 0 ? STATUS_GROUPS_LOST : status;
	own->stage = BATCH_FINISHED;
}

bool
batch_failed(CudaBatch *own, cudaError_t error)
{
	if (error == cudaSuccess)
		return false;
	/* sticky error or not: a new process begins with a working device */
	own->error = error;
	batch_finish(own, STATUS_DEVICE_DOWN);
	return true;
}

/* Locations in the arena */

Tablet *
batch_tablet(const CudaBatch *own)
{
	return (Tablet *) (own->arena + REQUEST_BYTES + own->image_bytes);
}

const Program *
batch_program(const CudaBatch *own)
{
	return (const Program *) (own->arena + REQUEST_BYTES + own->batch.job->image->program);
}

VmResult *
batch_result(const CudaBatch *own)
{
	return &((Request *) own->arena)->result;
}

/* Return the bitmap of rows that passed, which is at the end of the arena. */
static uint32_t *
arena_passed(const CudaBatch *own)
{
	return (uint32_t *) (own->arena + (own->arena_bytes - PASSED_BYTES) / 64 * 64);
}

/* Write the pages of all page batches to the request, one after the other; return their number. */
static uint32_t
list_pages(const ProviderBatch *batch, Request *request)
{
	uint32_t	row = 0;
	uint32_t	n = 0;

	for (uint32_t w = 0; w < batch->npage_batches; w++)
	{
		const PageList *list = &batch->page_batch[w];

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

Request *
batch_write_request(CudaBatch *own)
{
	const JobImage *image = own->batch.job->image;
	Request    *request = (Request *) own->request;
	uint8_t    *copy = own->request + REQUEST_BYTES;

	request->status = STATUS_DONE;
	memset(&request->result, 0, sizeof(request->result));
	memset(&request->merged, 0, sizeof(request->merged));
	own->joins_at = REQUEST_BYTES + tablet_align(image->size);
	own->image_bytes = (uint32_t) (tablet_align(image->size) + joins_request_bytes(own->batch.job));
	memcpy(copy, image, image->size);
	for (int wide = 0; wide < 2; wide++)
		((DeformPlan *) (copy + image->plan[wide]))->missing_bytes = own->arena + REQUEST_BYTES + image->missing;
	return request;
}

/* Write everything that the device gets before the kernels run; return the number of pages. */
static uint32_t
describe_pages(CudaBatch *own)
{
	const ProviderBatch *batch = &own->batch;
	const DeformSpec *deform = &batch->job->view.deform;
	Request    *request = batch_write_request(own);
	Tablet	   *tablet = (Tablet *) (own->request + REQUEST_BYTES + own->image_bytes);
	uint32_t	npages = list_pages(batch, request);
	uint32_t	nrows = request->row_start[npages];

	tablet_layout(tablet, deform->types[batch->wide], batch->job->view.program->ncolumns, nrows, deform_var_bytes(deform, npages, nrows));
	own->arena_used = tablet_align(REQUEST_BYTES + own->image_bytes + tablet->size);
	return npages;
}

cudaError_t
batch_clear_arena(CudaBatch *own)
{
	uint32_t	before = own->database;

	own->database = own->batch.job->database;
	return before == 0 || before == own->database ? cudaSuccess
		: CUDA_CALL(cudaMemsetAsync(own->arena, 0, own->arena_bytes, own->stream));
}

cudaError_t
batch_fetch_answer(CudaBatch *own, cudaEvent_t event)
{
	cudaError_t error = CUDA_CALL(cudaMemcpyAsync(own->answer, own->arena, offsetof(Request, page), cudaMemcpyDeviceToHost, own->stream));

	return error == cudaSuccess ? CUDA_CALL(cudaEventRecord(event, own->stream)) : error;
}

/* Start the first phase of a batch of pages: deforming. */
static void
start_pages(CudaBatch *own)
{
	static ResidentCopies copies;
	uint32_t	npages = describe_pages(own);
	const Request *request = (const Request *) own->arena;
	DeformLaunch launch = {
		(const DeformPlan *) (own->arena + REQUEST_BYTES + own->batch.job->image->plan[own->batch.wide]),
		batch_tablet(own), request->page, request->offsets, request->row_start, npages, &((Request *) own->arena)->status
	};
	uint32_t	head = head_bytes(own->batch.job->view.program->ncolumns);
	cudaError_t error;

	resident_begin(&copies);
	copies.copy = (ColumnCopy *) (own->request + joins_copies_at(own));
	if (!joins_place(own, &copies))
	{
		resident_undo(&own->use);
		batch_wait_for_room(own);
		return;
	}
	own->stage = BATCH_DEFORMING;
	error = batch_clear_arena(own);
	if (error == cudaSuccess)
		error = CUDA_CALL(cudaEventRecord(own->begun, own->stream));
	if (error == cudaSuccess)
		error = CUDA_CALL(cudaMemcpyAsync(own->arena, own->request, REQUEST_BYTES + own->image_bytes + head,
										  cudaMemcpyHostToDevice, own->stream));
	if (error == cudaSuccess && joins_in_arena(own) != NULL)
		error = batch_copy(own, &copies, joins_copies_at(own));
	if (error == cudaSuccess)
		error = (cudaError_t) deform_launch(&launch, own->batch.job->view.program->ncolumns, own->stream);
	if (error == cudaSuccess)
		error = CUDA_CALL(cudaMemcpyAsync(own->head, batch_tablet(own), head, cudaMemcpyDeviceToHost, own->stream));
	if (error == cudaSuccess)
		error = batch_fetch_answer(own, own->deformed);
	batch_failed(own, error);
}

/* Start a batch, or try again to start it. */
static void
start(CudaBatch *own)
{
	if (own->batch.cached)
		batch_start_cached(own);
	else
		start_pages(own);
}

void
batch_start(CudaBatch *own)
{
	own->batch.groups = NULL;
	own->batch.passed = NULL;
	own->batch.failed_column = -1;
	own->batch.times = JobTimes();
	memset(own->batch.max_scale, 0, sizeof(own->batch.max_scale));
	own->nlegs = own->next_leg = own->nmerged = 0;
	own->left = ROWS_UNKNOWN;
	own->room = 0;
	start(own);
}

/* Store the results of deforming in the batch, and return its status. */
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

/* Return true if some page batch has a destination for outputs. */
static bool
wants_output(const ProviderBatch *batch)
{
	for (uint32_t w = 0; w < batch->npage_batches; w++)
		if (batch->output[w] != NULL)
			return true;
	return false;
}

/* Write outputs, or columns, to the destinations of the page batches. */
static cudaError_t
start_output(CudaBatch *own)
{
	const ProviderBatch *batch = &own->batch;
	const Program *program = batch->job->view.program;
	OutputLaunch launch = {
		batch_program(own), batch_tablet(own), arena_passed(own), &((Request *) own->arena)->result.status, batch->npage_batches
	};

	memcpy(launch.row_start, batch->row_start, sizeof(launch.row_start));
	memcpy(launch.block, batch->output, sizeof(launch.block));
	return (cudaError_t) (program->aggregates ? output_columns_launch(&launch, program->ncolumns, own->stream)
						  : output_launch(&launch, program->noutputs, own->stream));
}

/* Start the second phase: run the program. */
static void
start_run(CudaBatch *own)
{
	const Program *program = own->batch.job->view.program;
	const Tablet *tablet = (const Tablet *) own->head;
	const ShapeChoice *choice = shape_choose(program, program_choose_body(program, tablet), tablet, own->batch.table != NULL ? VM_MANY_GROUPS : 0, 0);
	VmLaunch	launch = {};
	cudaError_t error;

	if (choice == NULL)
	{
		batch_finish(own, STATUS_BAD_PROGRAM);
		return;
	}
	launch.shape = choice->shape;
	batch_choose_rows(own, tablet->nrows / vm_tile_rows(&choice->shape));
	batch_place_rows(own, &launch);
	launch.program = batch_program(own);
	launch.tablet = batch_tablet(own);
	launch.tables = joins_in_arena(own);
	launch.materialized = materialized_rows(own->batch.materialized);
	launch.end_row = tablet->nrows;
	launch.passed = program->aggregates ? NULL : arena_passed(own);
	launch.result = batch_result(own);
	error = materialized_await(own->batch.materialized, own->stream);
	if (error == cudaSuccess)
		error = batch_clear_tallies(own);
	if (error == cudaSuccess)
		error = CUDA_CALL((cudaError_t) vm_launch(&launch, choice->blocks, own->stream));
	if (error == cudaSuccess)
		error = batch_combine_rows(own);
	if (error == cudaSuccess && wants_output(&own->batch))
		error = start_output(own);
	if (error == cudaSuccess && launch.passed != NULL)
		error = CUDA_CALL(cudaMemcpyAsync(own->passed, launch.passed, tablet->nrows / 8 + 1, cudaMemcpyDeviceToHost, own->stream));
	if (error == cudaSuccess)
		error = batch_fetch_answer(own, own->run);
	own->stage = BATCH_RUNNING;
	batch_failed(own, error);
}

/* Store the times of deforming and running, and finish. */
static void
end_batch(CudaBatch *own, DeviceStatus status)
{
	float		deform_ms = 0;
	float		run_ms = 0;

	own->batch.passed = own->passed;
	if (batch_failed(own, CUDA_CALL(cudaEventElapsedTime(&deform_ms, own->begun, own->deformed))) ||
		batch_failed(own, CUDA_CALL(cudaEventElapsedTime(&run_ms, own->deformed, own->run))))
		return;
	own->batch.times.deform_ns = (uint64_t) (deform_ms * 1e6);
	own->batch.times.run_ns = (uint64_t) (run_ms * 1e6);
	batch_finish(own, status);
}

/* Start the third phase, as soon as the batch may enter the group table: find the group of each row. */
static void
start_finding(CudaBatch *own)
{
	cudaError_t error = cudaSuccess;
	DeviceStatus status = group_table_enter(own->batch.table, &own->merge, &error);

	if (status == STATUS_TIME_SLICE || batch_failed(own, error))
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
		error = batch_fetch_answer(own, own->run);
	own->stage = BATCH_FINDING;
	batch_failed(own, error);
}

/* Start to merge rows into the group table. */
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
	/* set all to GROUP_UNKNOWN */
	error = CUDA_CALL(cudaMemsetAsync(own->merge.group, 0xff, (size_t) nrows * sizeof(uint32_t), own->stream));
	if (!batch_failed(own, error))
		start_finding(own);
}

static void
end_run(CudaBatch *own)
{
	const VmResult *result = &own->answer->result;
	DeviceStatus status = (DeviceStatus) result->status;

	if (status == STATUS_DONE && own->batch.table != NULL)
	{
		batch_learn_rows(own, result->nrows);
		if (own->stage != BATCH_FINISHED)
			start_merge(own, result->nrows);
	}
	else if (status == STATUS_DONE && own->batch.job->view.program->aggregates)
		end_batch(own, batch_take_rows(own, result->nrows));
	else if (status == STATUS_TABLE_FULL && (own->left == ROWS_FEW || own->left == ROWS_SHARED))
		batch_divide_again(own);
	else
		/* too many rows to return without a group table; too many for the arena with one, or beside tallies */
		end_batch(own, status == STATUS_TABLE_FULL && (own->batch.table != NULL || own->row.ntallies > 0) ? STATUS_MEMORY_LIMIT : status);
}

/* Start the last phase, updating the groups, unless the table must grow before all groups are found. */
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
		error = batch_fetch_answer(own, own->run);
	own->stage = BATCH_UPDATING;
	batch_failed(own, error);
}

static void
end_updating(CudaBatch *own)
{
	const DeviceStatus status = (DeviceStatus) own->answer->merged.status;

	group_table_leave(own->batch.table, 0);
	own->nmerged += status == STATUS_DONE;
	if (status == STATUS_DONE)
		batch_learn_groups(own, own->answer->merged.ngroups);
	if (own->stage == BATCH_FINISHED)
		return;
	if (status != STATUS_DONE || !batch_next_leg(own))
		end_batch(own, status);
}

static void
end_deforming(CudaBatch *own)
{
	DeviceStatus status = judge_columns(own);

	if (status == STATUS_DONE)
		start_run(own);
	else
		batch_finish(own, status);
}

BatchStage
batch_advance(CudaBatch *own)
{
	cudaError_t error;

	if (own->stage == BATCH_PLACING && own->tried != resident_endings())
		start(own);
	if (own->stage == BATCH_ENTERING)
		start_finding(own);
	if (own->stage != BATCH_DEFORMING && own->stage != BATCH_RUNNING && own->stage != BATCH_FINDING && own->stage != BATCH_UPDATING)
		return own->stage;
	error = CUDA_CALL(cudaEventQuery(own->stage == BATCH_DEFORMING ? own->deformed : own->run));
	if (error == cudaErrorNotReady || batch_failed(own, error))
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

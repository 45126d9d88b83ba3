/*
 * materialized.cu
 *		Rows materialized in device memory for a job, the join table made of
 *		them, and their copies to the host.
 *
 * One block of memory contains the rows' columns, another block, once all rows
 * are there, the table's index; the host has the descriptors of both.  All
 * preparations and launches are on one stream.  No function here waits for it,
 * since that would also wait for a long-running kernel of another stream.
 * Rows are copied on a stream of its own, a few megabytes at a time, and these
 * copies are waited for, as those of groups are.
 */
#include <stdlib.h>
#include <string.h>

#include "host/materialized_private.h"
#include "host/pool.h"
#include "host/resident.h"
#include "kernels/materialized_launch.h"

#define MOST 256

cudaStream_t materialized_stream;
static cudaStream_t reading;
static cudaEvent_t prepared;	/* event behind all preparations */
static uint32_t *results;		/* pinned: a result for each ProviderMaterialized */
static bool taken[MOST];
static ProviderMaterialized *closed;

cudaError_t
materialized_start(void)
{
	cudaError_t error = CUDA_CALL(cudaStreamCreateWithFlags(&materialized_stream, cudaStreamNonBlocking));

	if (error == cudaSuccess)
		error = CUDA_CALL(cudaStreamCreateWithFlags(&reading, cudaStreamNonBlocking));
	if (error == cudaSuccess)
		error = CUDA_CALL(cudaEventCreateWithFlags(&prepared, cudaEventDisableTiming));
	if (error == cudaSuccess)
		error = CUDA_CALL(cudaHostAlloc((void **) &results, MOST * sizeof(uint32_t), cudaHostAllocDefault));
	return error;
}

uint8_t *
materialized_take(uint64_t bytes)
{
	uint8_t    *block;

	while ((block = pool_take(bytes)) == NULL && resident_evict())
		;
	return block;
}

static void
give_back(ProviderMaterialized *materialized)
{
	pool_give(materialized->sorted);
	pool_give(materialized->scratch);
	pool_give(materialized->list);
	pool_give(materialized->index);
	pool_give(materialized->block);
	if (materialized->made != NULL)
		(void) cudaEventDestroy(materialized->made);
	if (materialized->result != NULL)
		taken[materialized->result - results] = false;
	free(materialized->tablet);
	free(materialized);
}

static bool
is_busy(const ProviderMaterialized *materialized)
{
	return (materialized->indexing || materialized->sorting) && cudaEventQuery(materialized->made) == cudaErrorNotReady;
}

/* Give back the memory of rows that were closed while the device used them. */
static void
give_back_closed(void)
{
	ProviderMaterialized **link = &closed;

	while (*link != NULL)
	{
		ProviderMaterialized *materialized = *link;

		if (is_busy(materialized))
			link = &materialized->next;
		else
		{
			*link = materialized->next;
			give_back(materialized);
		}
	}
}

void
materialized_close(ProviderMaterialized *materialized)
{
	materialized->next = closed;
	closed = materialized;
	give_back_closed();
}

/* Lay out the block for `most_rows` rows, and set *cleared to the bytes to clear at its beginning; return its size. */
static uint64_t
lay_out(ProviderMaterialized *materialized, uint8_t *block, uint32_t most_rows, uint64_t *cleared)
{
	const uint64_t bitmap = tablet_align(tablet_bitmap_bytes(most_rows));
	uint64_t	at = tablet_align(sizeof(MaterializedRows)) + 64;

	materialized->rows.count = (uint32_t *) (block + tablet_align(sizeof(MaterializedRows)));
	materialized->rows.capacity = most_rows;
	for (int c = 0; c < materialized->ncolumns; c++, at += bitmap)
		materialized->rows.nulls[c] = (uint32_t *) (block + at);
	*cleared = at;
	for (int c = 0; c < materialized->ncolumns; c++)
	{
		materialized->rows.values[c] = block + at;
		at += tablet_align((uint64_t) most_rows * coltype_bytes((ColType) materialized->type[c]));
	}
	return at;
}

/* Clear the count and the bitmaps, and copy the addresses of all columns to the device for launches. */
static cudaError_t
prepare(ProviderMaterialized *materialized, uint64_t cleared)
{
	cudaError_t error = CUDA_CALL(cudaEventCreateWithFlags(&materialized->made, cudaEventDisableTiming));

	if (error == cudaSuccess)
		error = CUDA_CALL(cudaMemsetAsync(materialized->block, 0, cleared, materialized_stream));
	/* a copy from memory that is not pinned has read it when the call returns */
	if (error == cudaSuccess)
		error = CUDA_CALL(cudaMemcpyAsync(materialized->block, &materialized->rows, sizeof(MaterializedRows), cudaMemcpyHostToDevice, materialized_stream));
	return error == cudaSuccess ? CUDA_CALL(cudaEventRecord(prepared, materialized_stream)) : error;
}

cudaError_t
materialized_await(const ProviderMaterialized *materialized, cudaStream_t user)
{
	return materialized != NULL ? CUDA_CALL(cudaStreamWaitEvent(user, prepared, 0)) : cudaSuccess;
}

/* Take a word for a result; return NULL if all are taken. */
static uint32_t *
take_result(void)
{
	for (int i = 0; i < MOST; i++)
		if (!taken[i])
		{
			taken[i] = true;
			return &results[i];
		}
	return NULL;
}

ProviderMaterialized *
materialized_open(const ProviderJob *job, uint32_t most_rows)
{
	const Program *program = job->view.program;
	ProviderMaterialized *materialized = (ProviderMaterialized *) calloc(1, sizeof(ProviderMaterialized));
	uint64_t	cleared;

	give_back_closed();
	if (materialized == NULL)
		return NULL;
	materialized->result = take_result();
	materialized->ncolumns = program->nmaterialized;
	memcpy(materialized->type, program->materialized, program->nmaterialized);
	materialized->block = materialized_take(lay_out(materialized, NULL, most_rows, &cleared));
	if (materialized->block != NULL)
		lay_out(materialized, materialized->block, most_rows, &cleared);
	if (materialized->block == NULL || materialized->result == NULL || prepare(materialized, cleared) != cudaSuccess)
	{
		materialized_close(materialized);
		return NULL;
	}
	return materialized;
}

const MaterializedRows *
materialized_rows(const ProviderMaterialized *materialized)
{
	return materialized != NULL ? (const MaterializedRows *) materialized->block : NULL;
}

/* Make the descriptor of the rows; its offsets are not used. */
static bool
describe(ProviderMaterialized *materialized, const MaterializedPlan *plan)
{
	materialized->tablet = (Tablet *) calloc(1, sizeof(Tablet) + materialized->ncolumns * sizeof(TabletColumn));
	if (materialized->tablet == NULL)
		return false;
	materialized->tablet->nrows = plan->nrows;
	materialized->tablet->ncols = materialized->ncolumns;
	for (int c = 0; c < materialized->ncolumns; c++)
	{
		materialized->tablet->column[c].type = materialized->type[c];
		materialized->tablet->column[c].null_count = plan->null_count[c];
	}
	return true;
}

/* Return the offset of the bitmap behind the index. */
static uint64_t
present_at(const JoinTable *head)
{
	return tablet_align((head->nplaces + 1) * (head->direct ? sizeof(uint32_t) : sizeof(JoinSlot)));
}

static uint32_t *
present_of(const ProviderMaterialized *materialized, const JoinTable *head)
{
	return head->npresent > 0 && !head->direct ? (uint32_t *) (materialized->index + present_at(head)) : NULL;
}

/* Describe the rows' keys for launches; return false if they cannot be the key of a table. */
static bool
describe_keys(const ProviderMaterialized *materialized, const MaterializedPlan *plan, MaterializedLaunch *launch)
{
	const JoinTable *head = &plan->head;

	launch->nrows = plan->nrows;
	launch->ncolumns = head->nparts;
	launch->exact = head->exact;
	launch->direct = head->direct;
	launch->nplaces = head->nplaces;
	launch->index = materialized->index;
	launch->present = present_of(materialized, head);
	launch->npresent = head->npresent;
	launch->words = (uint64_t *) materialized->scratch;
	/* the count of rows is not needed any more */
	launch->result = materialized->rows.count;
	launch->list = (uint32_t *) materialized->list;
	launch->scratch = materialized->scratch;
	for (uint32_t p = 0; p < head->nparts; p++)
	{
		const uint16_t c = plan->key[p].column;

		if (c >= materialized->ncolumns || materialized->type[c] == COLTYPE_F64)
			return false;
		launch->column[p] = {materialized->rows.values[c], plan->null_count[c] > 0 ? materialized->rows.nulls[c] : NULL, head->part[p],
			materialized->type[c] == COLTYPE_BOOL};
	}
	return true;
}

/* Start to make the table, for keys that have one row each. */
static DeviceStatus
start_index(ProviderMaterialized *materialized, const MaterializedPlan *plan)
{
	const JoinTable *head = &plan->head;
	MaterializedLaunch launch = {};

	if (plan->nrows > materialized->rows.capacity || !describe(materialized, plan))
		return STATUS_BAD_PROGRAM;
	materialized->index = materialized_take(present_at(head) + join_present_words(head->npresent) * sizeof(uint32_t));
	if (!head->direct)
		materialized->scratch = materialized_take((uint64_t) plan->nrows * sizeof(uint64_t) + 8);
	if (materialized->index == NULL || (!head->direct && materialized->scratch == NULL))
		return STATUS_MEMORY_LIMIT;
	if (!describe_keys(materialized, plan, &launch))
		return STATUS_BAD_PROGRAM;
	materialized->indexing = true;
	if (materialized_launch(&launch, materialized_stream) != cudaSuccess ||
		CUDA_CALL(cudaMemcpyAsync(materialized->result, launch.result, sizeof(uint32_t), cudaMemcpyDeviceToHost, materialized_stream)) != cudaSuccess ||
		CUDA_CALL(cudaEventRecord(materialized->made, materialized_stream)) != cudaSuccess)
		return STATUS_DEVICE_DOWN;
	return STATUS_TIME_SLICE;
}

/* Start to make lists, as some key has several rows. */
static DeviceStatus
start_lists(ProviderMaterialized *materialized, const MaterializedPlan *plan)
{
	const uint64_t bytes = materialized_scratch_bytes(plan->nrows, plan->head.nplaces);
	MaterializedLaunch launch = {};

	materialized->listing = true;
	materialized->list = materialized_take((uint64_t) plan->nrows * sizeof(uint32_t));
	materialized->scratch = bytes > 0 ? materialized_take(bytes) : NULL;
	if (materialized->list == NULL || materialized->scratch == NULL)
		return STATUS_MEMORY_LIMIT;
	if (!describe_keys(materialized, plan, &launch) || materialized_list(&launch, materialized_stream) != cudaSuccess ||
		CUDA_CALL(cudaEventRecord(materialized->made, materialized_stream)) != cudaSuccess)
		return STATUS_DEVICE_DOWN;
	return STATUS_TIME_SLICE;
}

DeviceStatus
materialized_index(ProviderMaterialized *materialized, MaterializedPlan *plan)
{
	cudaError_t error;

	if (!materialized->indexing)
		return materialized->sorting || plan->head.nplaces == 0 || plan->head.nplaces >= JOIN_NO_ROW || plan->head.npresent >= JOIN_NO_ROW ||
			(!plan->head.direct && (plan->head.nplaces & (plan->head.nplaces - 1)) != 0)
			? STATUS_BAD_PROGRAM : start_index(materialized, plan);
	error = CUDA_CALL(cudaEventQuery(materialized->made));
	if (error == cudaErrorNotReady)
		return STATUS_TIME_SLICE;
	pool_give(materialized->scratch);
	materialized->scratch = NULL;
	if (error != cudaSuccess)
		return STATUS_DEVICE_DOWN;
	/* rows that are not found matter, unless any row of a key suffices */
	if (*materialized->result > 0 && !plan->head.some && !materialized->listing)
		return start_lists(materialized, plan);
	plan->head.unique = !materialized->listing;
	plan->head.nrows = plan->nrows;
	materialized->table = plan->head;
	return STATUS_DONE;
}

DeviceStatus
materialized_read(ProviderMaterialized *materialized, uint32_t first, uint32_t nrows, uint8_t *into)
{
	cudaError_t error;
	MaterializedLayout layout;

	if ((uint64_t) first + nrows > materialized->rows.capacity)
		return STATUS_BAD_PROGRAM;
	materialized_layout(materialized->type, materialized->ncolumns, nrows, &layout);
	error = CUDA_CALL(cudaMemcpyAsync(into, materialized->rows.count, sizeof(uint32_t), cudaMemcpyDeviceToHost, reading));
	for (uint32_t c = 0; c < materialized->ncolumns && error == cudaSuccess; c++)
	{
		const uint64_t bytes = coltype_bytes((ColType) materialized->type[c]);

		error = CUDA_CALL(cudaMemcpyAsync(into + layout.values[c], materialized->rows.values[c] + first * bytes, nrows * bytes,
										  cudaMemcpyDeviceToHost, reading));
		if (error == cudaSuccess)
			error = CUDA_CALL(cudaMemcpyAsync(into + layout.nulls[c], materialized->rows.nulls[c] + first / 32,
											  (nrows + 31) / 32 * sizeof(uint32_t), cudaMemcpyDeviceToHost, reading));
	}
	if (error == cudaSuccess)
		error = CUDA_CALL(cudaStreamSynchronize(reading));
	return error == cudaSuccess ? STATUS_DONE : STATUS_DEVICE_DOWN;
}

MaterializedDescriptors
materialized_descriptors(const ProviderMaterialized *materialized)
{
	MaterializedDescriptors descriptors = {&materialized->table, materialized->tablet, materialized->index, materialized->list, (const uint8_t *) present_of(materialized, &materialized->table)};

	for (int c = 0; c < materialized->ncolumns; c++)
	{
		descriptors.values[c] = materialized->rows.values[c];
		descriptors.nulls[c] = (const uint8_t *) materialized->rows.nulls[c];
	}
	return descriptors;
}

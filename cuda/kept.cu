/*
 * kept.cu
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

#include "kept_launch.h"
#include "kept_private.h"
#include "pool.h"
#include "resident.h"

#define MOST 256

cudaStream_t kept_stream;
static cudaStream_t reading;
static cudaEvent_t prepared;	/* event behind all preparations */
static uint32_t *results;		/* pinned: a result for each ProviderKept */
static bool taken[MOST];
static ProviderKept *closed;

cudaError_t
kept_start(void)
{
	cudaError_t error = CUDA_CALL(cudaStreamCreateWithFlags(&kept_stream, cudaStreamNonBlocking));

	if (error == cudaSuccess)
		error = CUDA_CALL(cudaStreamCreateWithFlags(&reading, cudaStreamNonBlocking));
	if (error == cudaSuccess)
		error = CUDA_CALL(cudaEventCreateWithFlags(&prepared, cudaEventDisableTiming));
	if (error == cudaSuccess)
		error = CUDA_CALL(cudaHostAlloc((void **) &results, MOST * sizeof(uint32_t), cudaHostAllocDefault));
	return error;
}

uint8_t *
kept_take(uint64_t bytes)
{
	uint8_t    *block;

	while ((block = pool_take(bytes)) == NULL && resident_evict())
		;
	return block;
}

static void
give_back(ProviderKept *kept)
{
	pool_give(kept->sorted);
	pool_give(kept->scratch);
	pool_give(kept->list);
	pool_give(kept->index);
	pool_give(kept->block);
	if (kept->made != NULL)
		(void) cudaEventDestroy(kept->made);
	if (kept->result != NULL)
		taken[kept->result - results] = false;
	free(kept->tablet);
	free(kept);
}

static bool
is_busy(const ProviderKept *kept)
{
	return (kept->indexing || kept->sorting) && cudaEventQuery(kept->made) == cudaErrorNotReady;
}

/* Give back the memory of rows that were closed while the device used them. */
static void
give_back_closed(void)
{
	ProviderKept **link = &closed;

	while (*link != NULL)
	{
		ProviderKept *kept = *link;

		if (is_busy(kept))
			link = &kept->next;
		else
		{
			*link = kept->next;
			give_back(kept);
		}
	}
}

void
kept_close(ProviderKept *kept)
{
	kept->next = closed;
	closed = kept;
	give_back_closed();
}

/* Lay out the block for `most_rows` rows, and set *cleared to the bytes to clear at its beginning; return its size. */
static uint64_t
lay_out(ProviderKept *kept, uint8_t *block, uint32_t most_rows, uint64_t *cleared)
{
	const uint64_t bitmap = tablet_align(tablet_bitmap_bytes(most_rows));
	uint64_t	at = tablet_align(sizeof(KeptRows)) + 64;

	kept->rows.count = (uint32_t *) (block + tablet_align(sizeof(KeptRows)));
	kept->rows.capacity = most_rows;
	for (int c = 0; c < kept->ncolumns; c++, at += bitmap)
		kept->rows.nulls[c] = (uint32_t *) (block + at);
	*cleared = at;
	for (int c = 0; c < kept->ncolumns; c++)
	{
		kept->rows.values[c] = block + at;
		at += tablet_align((uint64_t) most_rows * coltype_bytes((ColType) kept->type[c]));
	}
	return at;
}

/* Clear the count and the bitmaps, and copy the addresses of all columns to the device for launches. */
static cudaError_t
prepare(ProviderKept *kept, uint64_t cleared)
{
	cudaError_t error = CUDA_CALL(cudaEventCreateWithFlags(&kept->made, cudaEventDisableTiming));

	if (error == cudaSuccess)
		error = CUDA_CALL(cudaMemsetAsync(kept->block, 0, cleared, kept_stream));
	/* a copy from memory that is not pinned has read it when the call returns */
	if (error == cudaSuccess)
		error = CUDA_CALL(cudaMemcpyAsync(kept->block, &kept->rows, sizeof(KeptRows), cudaMemcpyHostToDevice, kept_stream));
	return error == cudaSuccess ? CUDA_CALL(cudaEventRecord(prepared, kept_stream)) : error;
}

cudaError_t
kept_await(const ProviderKept *kept, cudaStream_t user)
{
	return kept != NULL ? CUDA_CALL(cudaStreamWaitEvent(user, prepared, 0)) : cudaSuccess;
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

ProviderKept *
kept_open(const ProviderJob *job, uint32_t most_rows)
{
	const Program *program = job->view.program;
	ProviderKept *kept = (ProviderKept *) calloc(1, sizeof(ProviderKept));
	uint64_t	cleared;

	give_back_closed();
	if (kept == NULL)
		return NULL;
	kept->result = take_result();
	kept->ncolumns = program->nkept;
	memcpy(kept->type, program->kept, program->nkept);
	kept->block = kept_take(lay_out(kept, NULL, most_rows, &cleared));
	if (kept->block != NULL)
		lay_out(kept, kept->block, most_rows, &cleared);
	if (kept->block == NULL || kept->result == NULL || prepare(kept, cleared) != cudaSuccess)
	{
		kept_close(kept);
		return NULL;
	}
	return kept;
}

const KeptRows *
kept_rows(const ProviderKept *kept)
{
	return kept != NULL ? (const KeptRows *) kept->block : NULL;
}

/* Make the descriptor of the rows; its offsets are not used. */
static bool
describe(ProviderKept *kept, const KeptPlan *plan)
{
	kept->tablet = (Tablet *) calloc(1, sizeof(Tablet) + kept->ncolumns * sizeof(TabletColumn));
	if (kept->tablet == NULL)
		return false;
	kept->tablet->nrows = plan->nrows;
	kept->tablet->ncols = kept->ncolumns;
	for (int c = 0; c < kept->ncolumns; c++)
	{
		kept->tablet->column[c].type = kept->type[c];
		kept->tablet->column[c].null_count = plan->null_count[c];
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
present_of(const ProviderKept *kept, const JoinTable *head)
{
	return head->npresent > 0 && !head->direct ? (uint32_t *) (kept->index + present_at(head)) : NULL;
}

/* Describe the rows' keys for launches; return false if they cannot be the key of a table. */
static bool
describe_keys(const ProviderKept *kept, const KeptPlan *plan, KeptLaunch *launch)
{
	const JoinTable *head = &plan->head;

	launch->nrows = plan->nrows;
	launch->ncolumns = head->nparts;
	launch->exact = head->exact;
	launch->direct = head->direct;
	launch->nplaces = head->nplaces;
	launch->index = kept->index;
	launch->present = present_of(kept, head);
	launch->npresent = head->npresent;
	launch->words = (uint64_t *) kept->scratch;
	/* the count of rows is not needed any more */
	launch->result = kept->rows.count;
	launch->list = (uint32_t *) kept->list;
	launch->scratch = kept->scratch;
	for (uint32_t p = 0; p < head->nparts; p++)
	{
		const uint16_t c = plan->key[p].column;

		if (c >= kept->ncolumns || kept->type[c] == COLTYPE_F64)
			return false;
		launch->column[p] = {kept->rows.values[c], plan->null_count[c] > 0 ? kept->rows.nulls[c] : NULL, head->part[p],
			kept->type[c] == COLTYPE_BOOL};
	}
	return true;
}

/* Start to make the table, for keys that have one row each. */
static DeviceStatus
start_index(ProviderKept *kept, const KeptPlan *plan)
{
	const JoinTable *head = &plan->head;
	KeptLaunch	launch = {};

	if (plan->nrows > kept->rows.capacity || !describe(kept, plan))
		return STATUS_BAD_PROGRAM;
	kept->index = kept_take(present_at(head) + join_present_words(head->npresent) * sizeof(uint32_t));
	if (!head->direct)
		kept->scratch = kept_take((uint64_t) plan->nrows * sizeof(uint64_t) + 8);
	if (kept->index == NULL || (!head->direct && kept->scratch == NULL))
		return STATUS_MEMORY_LIMIT;
	if (!describe_keys(kept, plan, &launch))
		return STATUS_BAD_PROGRAM;
	kept->indexing = true;
	if (kept_launch(&launch, kept_stream) != cudaSuccess ||
		CUDA_CALL(cudaMemcpyAsync(kept->result, launch.result, sizeof(uint32_t), cudaMemcpyDeviceToHost, kept_stream)) != cudaSuccess ||
		CUDA_CALL(cudaEventRecord(kept->made, kept_stream)) != cudaSuccess)
		return STATUS_DEVICE_DOWN;
	return STATUS_TIME_SLICE;
}

/* Start to make lists, as some key has several rows. */
static DeviceStatus
start_lists(ProviderKept *kept, const KeptPlan *plan)
{
	const uint64_t bytes = kept_scratch_bytes(plan->nrows, plan->head.nplaces);
	KeptLaunch	launch = {};

	kept->listing = true;
	kept->list = kept_take((uint64_t) plan->nrows * sizeof(uint32_t));
	kept->scratch = bytes > 0 ? kept_take(bytes) : NULL;
	if (kept->list == NULL || kept->scratch == NULL)
		return STATUS_MEMORY_LIMIT;
	if (!describe_keys(kept, plan, &launch) || kept_list(&launch, kept_stream) != cudaSuccess ||
		CUDA_CALL(cudaEventRecord(kept->made, kept_stream)) != cudaSuccess)
		return STATUS_DEVICE_DOWN;
	return STATUS_TIME_SLICE;
}

DeviceStatus
kept_index(ProviderKept *kept, KeptPlan *plan)
{
	cudaError_t error;

	if (!kept->indexing)
		return kept->sorting || plan->head.nplaces == 0 || plan->head.nplaces >= JOIN_NO_ROW || plan->head.npresent >= JOIN_NO_ROW ||
			(!plan->head.direct && (plan->head.nplaces & (plan->head.nplaces - 1)) != 0)
			? STATUS_BAD_PROGRAM : start_index(kept, plan);
	error = CUDA_CALL(cudaEventQuery(kept->made));
	if (error == cudaErrorNotReady)
		return STATUS_TIME_SLICE;
	pool_give(kept->scratch);
	kept->scratch = NULL;
	if (error != cudaSuccess)
		return STATUS_DEVICE_DOWN;
	/* rows that are not found matter, unless any row of a key suffices */
	if (*kept->result > 0 && !plan->head.some && !kept->listing)
		return start_lists(kept, plan);
	plan->head.unique = !kept->listing;
	plan->head.nrows = plan->nrows;
	kept->table = plan->head;
	return STATUS_DONE;
}

DeviceStatus
kept_read(ProviderKept *kept, uint32_t first, uint32_t nrows, uint8_t *into)
{
	cudaError_t error;
	KeptLayout	layout;

	if ((uint64_t) first + nrows > kept->rows.capacity)
		return STATUS_BAD_PROGRAM;
	kept_layout(kept->type, kept->ncolumns, nrows, &layout);
	error = CUDA_CALL(cudaMemcpyAsync(into, kept->rows.count, sizeof(uint32_t), cudaMemcpyDeviceToHost, reading));
	for (uint32_t c = 0; c < kept->ncolumns && error == cudaSuccess; c++)
	{
		const uint64_t bytes = coltype_bytes((ColType) kept->type[c]);

		error = CUDA_CALL(cudaMemcpyAsync(into + layout.values[c], kept->rows.values[c] + first * bytes, nrows * bytes,
										  cudaMemcpyDeviceToHost, reading));
		if (error == cudaSuccess)
			error = CUDA_CALL(cudaMemcpyAsync(into + layout.nulls[c], kept->rows.nulls[c] + first / 32,
											  (nrows + 31) / 32 * sizeof(uint32_t), cudaMemcpyDeviceToHost, reading));
	}
	if (error == cudaSuccess)
		error = CUDA_CALL(cudaStreamSynchronize(reading));
	return error == cudaSuccess ? STATUS_DONE : STATUS_DEVICE_DOWN;
}

KeptHeads
kept_heads(const ProviderKept *kept)
{
	KeptHeads	heads = {&kept->table, kept->tablet, kept->index, kept->list, (const uint8_t *) present_of(kept, &kept->table)};

	for (int c = 0; c < kept->ncolumns; c++)
	{
		heads.values[c] = kept->rows.values[c];
		heads.nulls[c] = (const uint8_t *) kept->rows.nulls[c];
	}
	return heads;
}

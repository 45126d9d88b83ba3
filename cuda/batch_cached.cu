/*
 * batch_cached.cu
 *		A batch of cached tablets on its way over the GPU.
 *
 *		request, arena:  Request | job image | parts of launches | heads of tablets | copies of columns
 *
 * Columns are in device memory, or are copied there first (resident.cu); what
 * goes with each batch is where they are: a head for each tablet, as the
 * kernels read it.  Tablets whose columns are stored alike run together, in one
 * launch, a leg; with a table that the job keeps, in legs of as many rows as
 * there is room for, since each may leave a group.
 */
#include <stdlib.h>
#include <string.h>

#include "core/hash.h"

#include "batch_private.h"

/* A launch over neighbouring parts. */
typedef struct CachedLeg
{
	uint32_t	first_part;
	uint32_t	nparts;
	uint32_t	ntiles;
	int			body;
	uint32_t	like;			/* a tablet that is stored like all of them */
} CachedLeg;

/* What tablets have in common that run together. */
typedef struct Kind
{
	uint64_t	hash;
	int			body;
	uint32_t	like;
	uint32_t	ntablets;
} Kind;

/* Of the batch at hand; there is one thread. */
static Kind kind[BATCH_TABLETS];
static uint32_t kind_of[BATCH_TABLETS];	/* of each tablet */
static uint32_t order[BATCH_TABLETS];	/* tablets by kind */
static ResidentCopies copies;

/* Behind it all columns are there whose copying was started; NULL: none was. */
static cudaEvent_t copied;

static uint32_t
columns_of(const CudaBatch *own)
{
	return own->batch.job->view.program->ncolumns;
}

static uint32_t
head_bytes(const CudaBatch *own)
{
	return (uint32_t) tablet_align(sizeof(Tablet) + columns_of(own) * sizeof(TabletColumn));
}

/* A tablet's head in pinned memory. */
static Tablet *
head_of(const CudaBatch *own, uint32_t tablet)
{
	return (Tablet *) (own->request + own->heads_at + (uint64_t) tablet * head_bytes(own));
}

static VmPart *
part_of(const CudaBatch *own, uint32_t part)
{
	return (VmPart *) (own->request + own->parts_at) + part;
}

/* How far a column is from a tablet's head in device memory. */
static uint64_t
distance(const uint8_t *head, const uint8_t *column)
{
	return column != NULL ? (uint64_t) (uintptr_t) column - (uint64_t) (uintptr_t) head : 0;
}

/* Write the head of a tablet; false when there is no room for its columns. */
static bool
write_head(CudaBatch *own, uint32_t number)
{
	const uint32_t ncolumns = columns_of(own);
	const ProviderTablet *from = &own->batch.tablet[number];
	const ProviderColumn *column = &own->batch.column[(size_t) number * ncolumns];
	const uint8_t *place = own->arena + own->heads_at + (uint64_t) number * head_bytes(own);
	Tablet	   *head = head_of(own, number);
	ResidentColumn at;

	memset(head, 0, sizeof(Tablet));
	head->nrows = from->nrows;
	head->ncols = ncolumns;
	head->failed_column = -1;
	for (uint32_t c = 0; c < ncolumns; c++)
	{
		if (!resident_find(&column[c], from->nrows, &own->use, &copies, &at))
			return false;
		head->column[c] = column[c].stored;
		head->column[c].values = distance(place, at.values);
		head->column[c].nulls = distance(place, at.nulls);
	}
	return true;
}

/* Give all columns places; false when there is no room. */
static bool
write_heads(CudaBatch *own)
{
	resident_begin(&copies);
	copies.copy = (ColumnCopy *) (own->request + own->copies_at);
	for (uint32_t t = 0; t < own->batch.ntablets; t++)
		if (!write_head(own, t))
		{
			resident_undo(&own->use);
			return false;
		}
	return true;
}

/* Kinds */

/* How a column is stored, as far as code depends on it. */
static uint32_t
form_of(const TabletColumn *column)
{
	return column->type | (column->null_count > 0 ? 256u : 0);
}

/* Whether the program needs its wide body for some of the tablets. */
static bool
some_are_wide(const CudaBatch *own)
{
	Tablet	   *all = (Tablet *) own->head;

	for (uint32_t t = 0; t < own->batch.ntablets; t++)
		tablet_cover(all, head_of(own, t), t == 0);
	return program_choose_body(own->batch.job->view.program, all) == BODY_WIDE;
}

/* Tell each tablet's kind, and list tablets by it; the number of kinds. */
static uint32_t
sort_by_kind(const CudaBatch *own)
{
	const Program *program = own->batch.job->view.program;
	const bool	wide = some_are_wide(own);
	uint32_t	nkinds = 0;
	uint32_t	at = 0;

	for (uint32_t t = 0; t < own->batch.ntablets; t++)
	{
		const Tablet *head = head_of(own, t);
		const int	body = wide ? program_choose_body(program, head) : BODY_NARROW;
		uint64_t	hash = (uint64_t) body;
		uint32_t	k = 0;

		for (uint32_t c = 0; c < head->ncols; c++)
			hash = hash_combine(hash, form_of(&head->column[c]));
		while (k < nkinds && kind[k].hash != hash)
			k++;
		if (k == nkinds)
			kind[nkinds++] = {hash, body, t, 0};
		kind[k].ntablets++;
		kind_of[t] = k;
	}
	for (uint32_t k = 0; k < nkinds; k++)
		for (uint32_t t = kind[k].like, left = kind[k].ntablets; left > 0; t++)
			if (kind_of[t] == k)
			{
				order[at++] = t;
				left--;
			}
	return nkinds;
}

/*
 * How a kind runs.  Integers in 8 or 32 bits are in a frame, of whatever base,
 * so that it makes no difference whether a tablet's happens to be 0.
 */
static const ShapeChoice *
choose_shape(CudaBatch *own, uint32_t like, int body)
{
	Tablet	   *head = (Tablet *) own->head;

	memcpy(head, head_of(own, like), head_bytes(own));
	for (uint32_t c = 0; c < head->ncols; c++)
		if (head->column[c].type == COLTYPE_U8 || head->column[c].type == COLTYPE_U32)
			head->column[c].base = 1;
	return shape_choose(own->batch.job->view.program, body, head, own->batch.table != NULL);
}

/* Legs */

/* Room for rows of groups, one of each row. */
static uint64_t
rows_of_leg(const CudaBatch *own)
{
	const uint64_t row_bytes = 8 * (1u + own->batch.job->view.program->row_words) + 4;

	if (own->batch.table == NULL)
		return UINT64_MAX;
	return own->arena_used < own->arena_bytes ? (own->arena_bytes - own->arena_used) / row_bytes : 0;
}

/* Divide tablets of one kind, listed from `at` on, into legs; false if it cannot run. */
static bool
divide_kind(CudaBatch *own, const Kind *tablets, uint32_t at)
{
	const ShapeChoice *choice = choose_shape(own, tablets->like, tablets->body);
	const uint64_t most = rows_of_leg(own);
	uint64_t	nrows = most;
	CachedLeg  *leg = NULL;

	if (choice == NULL)
		return false;
	for (uint32_t end = at + tablets->ntablets; at < end; at++)
	{
		const ProviderTablet *from = &own->batch.tablet[order[at]];
		const uint32_t tile = vm_tile_rows(&choice->shape);
		const uint8_t *place = own->arena + own->heads_at + (uint64_t) order[at] * head_bytes(own);

		if (leg == NULL || nrows + from->nrows > most)
		{
			leg = &own->leg[own->nlegs++];
			*leg = {at, 0, 0, tablets->body, tablets->like};
			nrows = 0;
		}
		*part_of(own, at) = {(const Tablet *) place, from->selected, from->nrows, leg->ntiles};
		leg->nparts++;
		leg->ntiles += (from->nrows + tile - 1) / tile;
		nrows += from->nrows;
	}
	return true;
}

/* Divide all tablets into legs; false if the device cannot run them. */
static bool
write_parts(CudaBatch *own)
{
	const uint32_t nkinds = sort_by_kind(own);
	uint32_t	at = 0;

	own->nlegs = 0;
	for (uint32_t k = 0; k < nkinds; k++)
	{
		if (!divide_kind(own, &kind[k], at))
			return false;
		at += kind[k].ntablets;
	}
	return true;
}

/* Launch a leg. */
static cudaError_t
launch_leg(CudaBatch *own, const CachedLeg *leg)
{
	const ShapeChoice *choice = choose_shape(own, leg->like, leg->body);
	VmLaunch	launch = {};

	if (choice == NULL)
		return cudaErrorInvalidValue;
	launch.shape = choice->shape;
	batch_place_rows(own, &launch);
	launch.program = batch_program(own);
	launch.part = (const VmPart *) (own->arena + own->parts_at) + leg->first_part;
	launch.nparts = leg->nparts;
	launch.ntiles = leg->ntiles;
	launch.result = batch_result(own);
	return CUDA_CALL((cudaError_t) vm_launch(&launch, choice->blocks, own->stream));
}

bool
batch_next_leg(CudaBatch *own)
{
	cudaError_t error = cudaSuccess;

	if (own->next_leg == own->nlegs)
		return false;
	/* without a table rows of all legs follow one another */
	if (own->next_leg > 0)
		error = CUDA_CALL(cudaMemsetAsync(batch_result(own), 0, sizeof(VmResult), own->stream));
	do
	{
		if (error == cudaSuccess)
			error = launch_leg(own, &own->leg[own->next_leg++]);
	} while (error == cudaSuccess && own->batch.table == NULL && own->next_leg < own->nlegs);
	if (error == cudaSuccess)
		error = batch_fetch_answer(own, own->run);
	own->stage = BATCH_RUNNING;
	batch_failed(own, error);
	return true;
}

/* Starting */

/* Have the device know of everything, and copy the columns that it does not have. */
static cudaError_t
send(CudaBatch *own)
{
	const uint64_t bytes = own->copies_at + copies.ncopies * sizeof(ColumnCopy);
	cudaError_t error = batch_clear_arena(own);

	if (copied == NULL && error == cudaSuccess)
		error = CUDA_CALL(cudaEventCreateWithFlags(&copied, cudaEventDisableTiming));
	if (error == cudaSuccess)
		error = CUDA_CALL(cudaEventRecord(own->begun, own->stream));
	if (error == cudaSuccess)
		error = CUDA_CALL(cudaMemcpyAsync(own->arena, own->request, bytes, cudaMemcpyHostToDevice, own->stream));
	/* each waits for all before it */
	if (error == cudaSuccess)
		error = CUDA_CALL(cudaStreamWaitEvent(own->stream, copied, 0));
	for (uint32_t i = 0; i < copies.nclear && error == cudaSuccess; i++)
		error = CUDA_CALL(cudaMemsetAsync(copies.clear[i].start, 0, copies.clear[i].bytes, own->stream));
	if (error == cudaSuccess && copies.ncopies > 0)
		error = CUDA_CALL((cudaError_t) columns_copy((const ColumnCopy *) (own->arena + own->copies_at), copies.ncopies, own->stream));
	if (error == cudaSuccess && (copies.ncopies > 0 || copies.nclear > 0))
		error = CUDA_CALL(cudaEventRecord(copied, own->stream));
	if (error == cudaSuccess)
		error = CUDA_CALL(cudaEventRecord(own->deformed, own->stream));
	return error;
}

void
batch_start_cached(CudaBatch *own)
{
	const uint64_t ntablets = own->batch.ntablets;

	batch_write_request(own);
	own->parts_at = REQUEST_BYTES + own->image_bytes;
	own->heads_at = tablet_align(own->parts_at + ntablets * sizeof(VmPart));
	own->copies_at = own->heads_at + ntablets * head_bytes(own);
	own->arena_used = tablet_align(own->copies_at + 2 * ntablets * columns_of(own) * sizeof(ColumnCopy));
	if (own->leg == NULL)
		own->leg = (CachedLeg *) malloc(BATCH_TABLETS * sizeof(CachedLeg));
	if (own->leg == NULL || own->arena_used > own->arena_bytes)
		batch_finish(own, STATUS_MEMORY_LIMIT);
	else if (!write_heads(own))
	{
		own->tried = resident_endings();
		if (resident_in_use())
			own->stage = BATCH_PLACING;
		else
			batch_finish(own, STATUS_MEMORY_LIMIT);
	}
	else if (!write_parts(own))
	{
		resident_undo(&own->use);
		batch_finish(own, STATUS_BAD_PROGRAM);
	}
	else if (!batch_failed(own, send(own)))
		batch_next_leg(own);
}

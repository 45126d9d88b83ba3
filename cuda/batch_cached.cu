/*
 * batch_cached.cu
 *		A batch of cached tablets on its way over the GPU.
 *
 *		request, arena:  Request | job image | parts of launches | heads of tablets | copies of columns
 *
 * Columns are in device memory, or are copied there first (heads.cu); what
 * goes with each batch is which tablets there are.  Those whose columns are
 * stored alike run together, in one launch, a leg; with a table that the job
 * keeps, in legs of as many rows as there is room for, since each may leave a
 * group.  When the first one shows that few rows do, the others have many times
 * as many.  When it shows that there are so few groups that a block has room
 * for all of them, each block will leave a row of each, and all that is left is
 * one leg.  One that leaves too many after all begins anew as several.
 */
#include <stdlib.h>
#include <string.h>

#include "heads.h"

/* A launch over neighbouring parts. */
typedef struct CachedLeg
{
	uint32_t	first_part;
	uint32_t	nparts;
	uint32_t	ntiles;
	uint64_t	nrows;
	int			body;
	bool		coded;
	const ProviderColumn *like; /* of a tablet that is stored like all of them */
} CachedLeg;

/* What tablets have in common that run together. */
typedef struct Kind
{
	uint64_t	form;
	int			body;
	bool		coded;
	const ProviderColumn *like;
	uint32_t	ntablets;
	uint32_t	next;			/* where the next one is listed */
} Kind;

/* Of the batch at hand; there is one thread. */
static PlacedTablet placed[BATCH_TABLETS];
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

static VmPart *
part_of(const CudaBatch *own, uint32_t part)
{
	return (VmPart *) (own->request + own->parts_at) + part;
}

/* Kinds */

/* Tell each tablet's kind, and list tablets by it; the number of kinds. */
static uint32_t
sort_by_kind(const CudaBatch *own)
{
	uint32_t	nkinds = 0;
	uint32_t	at = 0;

	for (uint32_t t = 0; t < own->batch.nwanted; t++)
	{
		uint32_t	k = 0;

		while (k < nkinds && (kind[k].form != placed[t].form || kind[k].body != placed[t].body || kind[k].coded != placed[t].coded))
			k++;
		if (k == nkinds)
			kind[nkinds++] = {placed[t].form, placed[t].body, placed[t].coded, placed[t].column, 0, 0};
		kind[k].ntablets++;
		kind_of[t] = k;
	}
	for (uint32_t k = 0; k < nkinds; k++)
	{
		kind[k].next = at;
		at += kind[k].ntablets;
	}
	for (uint32_t t = 0; t < own->batch.nwanted; t++)
		order[kind[kind_of[t]].next++] = t;
	return nkinds;
}

/*
 * How a kind runs with room for so many groups in a block; NULL if it cannot.
 * Integers in 8 or 32 bits are in a frame, of whatever base, so that it makes
 * no difference whether a tablet's happens to be 0.
 */
static const ShapeChoice *
choose_shape_with(CudaBatch *own, const ProviderColumn *like, int body, bool coded, uint32_t room)
{
	Tablet	   *head = (Tablet *) own->head;

	heads_describe(0, like, columns_of(own), head);
	for (uint32_t c = 0; c < head->ncols; c++)
		if (head->column[c].type == COLTYPE_U8 || head->column[c].type == COLTYPE_U32)
			head->column[c].base = 1;
	return shape_choose(own->batch.job->view.program, body, head, own->batch.table == NULL ? (coded ? VM_CODED : 0)
						: own->left == ROWS_FEW ? VM_MANY_GROUPS | VM_FEW_ROWS : VM_MANY_GROUPS, room);
}

/* How it runs.  A kind whose blocks have no room for all groups runs as if nobody knew how many there are. */
static const ShapeChoice *
choose_shape(CudaBatch *own, const ProviderColumn *like, int body, bool coded)
{
	const ShapeChoice *choice = choose_shape_with(own, like, body, coded, own->room);

	return choice == NULL && own->room > 0 ? choose_shape_with(own, like, body, coded, 0) : choice;
}

/* Legs */

/* How many times as many rows a leg may have as there is room for, if hardly any leaves one. */
#define HOPE 32

/* Groups beyond which no block has room for all. */
#define ROOM_MOST 16384

/* Room for groups comes in steps, so that queries which are alike run alike. */
#define ROOM_STEP 128

/* Rows that a leg may have. */
static uint64_t
rows_of_leg(const CudaBatch *own)
{
	return own->batch.table == NULL || own->left == ROWS_SHARED ? UINT64_MAX
		: (uint64_t) batch_rows_for_table(own) * (own->left == ROWS_FEW ? HOPE : 1);
}

/* Divide neighbouring parts, of tablets of one kind, into legs; false if they cannot run. */
static bool
divide_parts(CudaBatch *own, const CachedLeg *all)
{
	const ShapeChoice *choice = choose_shape(own, all->like, all->body, all->coded);
	const uint64_t most = rows_of_leg(own);
	uint64_t	nrows = most;
	CachedLeg  *leg = NULL;

	if (choice == NULL)
		return false;
	for (uint32_t p = all->first_part; p < all->first_part + all->nparts; p++)
	{
		VmPart	   *part = part_of(own, p);
		const uint32_t tile = vm_tile_rows(&choice->shape);

		if (leg == NULL || nrows + part->tablet_rows > most)
		{
			leg = &own->leg[own->nlegs++];
			*leg = {p, 0, 0, 0, all->body, all->coded, all->like};
			nrows = 0;
		}
		part->first_tile = leg->ntiles;
		leg->nparts++;
		leg->ntiles += (part->tablet_rows + tile - 1) / tile;
		nrows += part->tablet_rows;
		leg->nrows = nrows;
	}
	return true;
}

/* The same of tablets, listed from `at` on. */
static bool
divide_kind(CudaBatch *own, const Kind *tablets, uint32_t at)
{
	const CachedLeg all = {at, tablets->ntablets, 0, 0, tablets->body, tablets->coded, tablets->like};

	for (uint32_t p = at; p < at + tablets->ntablets; p++)
	{
		const PlacedTablet *from = &placed[order[p]];

		*part_of(own, p) = {from->head, from->selected, from->nrows, 0};
	}
	return divide_parts(own, &all);
}

/* Divide all tablets into legs; false if the device cannot run them. */
static bool
write_parts(CudaBatch *own)
{
	const uint32_t nkinds = sort_by_kind(own);
	uint32_t	at = 0;
	uint32_t	ntiles = 0;

	if (own->batch.table != NULL)
	{
		own->left = group_table_rows(own->batch.table);
		own->room = own->left == ROWS_SHARED ? group_table_room(own->batch.table) : 0;
	}
	own->nlegs = 0;
	for (uint32_t k = 0; k < nkinds; k++)
	{
		if (!divide_kind(own, &kind[k], at))
			return false;
		at += kind[k].ntablets;
	}
	for (uint32_t l = 0; l < own->nlegs; l++)
		ntiles += own->leg[l].ntiles;
	batch_choose_rows(own, ntiles);
	return true;
}

/* Launch a leg, for a sample of one in so many rows to be gathered, or 0 = as usual. */
static cudaError_t
launch_leg(CudaBatch *own, const CachedLeg *leg, uint32_t sample)
{
	const ShapeChoice *choice = choose_shape(own, leg->like, leg->body, leg->coded);
	VmLaunch	launch = {};

	if (choice == NULL)
		return cudaErrorInvalidValue;
	/* others cannot */
	if (sample > 0 && !(choice->shape.select.tallies && choice->shape.select.gathers))
		return cudaSuccess;
	launch.sample = sample;
	launch.shape = choice->shape;
	batch_place_rows(own, &launch);
	launch.program = batch_program(own);
	launch.tables = joins_in_arena(own);
	launch.kept = kept_rows(own->batch.kept);
	launch.part = (const VmPart *) (own->arena + own->parts_at) + leg->first_part;
	launch.nparts = leg->nparts;
	launch.ntiles = leg->ntiles;
	launch.result = batch_result(own);
	const cudaError_t error = kept_await(own->batch.kept, own->stream);

	return error == cudaSuccess ? CUDA_CALL((cudaError_t) vm_launch(&launch, choice->blocks, own->stream)) : error;
}

/* Ahead of all legs, if the program seeks: find out where. */
static cudaError_t
sample_legs(CudaBatch *own)
{
	const uint32_t sample = seek_sample(own->batch.seek, own->batch.row_start[own->batch.nwindows]);
	cudaError_t error = cudaSuccess;

	if (sample == 0)
		return cudaSuccess;
	for (uint32_t l = 0; l < own->nlegs && error == cudaSuccess; l++)
		error = launch_leg(own, &own->leg[l], sample);
	return error == cudaSuccess ? seek_learn(own->batch.seek, own->stream) : error;
}

bool
batch_next_leg(CudaBatch *own)
{
	cudaError_t error;

	if (own->next_leg == own->nlegs)
		return false;
	/* without a table rows of all legs follow one another, and are combined behind the last one */
	error = own->next_leg > 0 ? CUDA_CALL(cudaMemsetAsync(batch_result(own), 0, sizeof(VmResult), own->stream)) : batch_clear_tallies(own);
	if (error == cudaSuccess && own->next_leg == 0)
		error = sample_legs(own);
	do
	{
		if (error == cudaSuccess)
			error = launch_leg(own, &own->leg[own->next_leg++], 0);
	} while (error == cudaSuccess && own->batch.table == NULL && own->next_leg < own->nlegs);
	if (error == cudaSuccess)
		error = batch_combine_rows(own);
	if (error == cudaSuccess)
		error = batch_fetch_answer(own, own->run);
	own->stage = BATCH_RUNNING;
	batch_failed(own, error);
	return true;
}

/* Divide the parts of legs that have not begun anew. */
static void
divide_rest(CudaBatch *own)
{
	static CachedLeg rest[BATCH_TABLETS];
	const uint64_t bytes = own->batch.nwanted * sizeof(VmPart);
	bool		can_run = true;
	uint32_t	n = 0;

	for (uint32_t l = own->next_leg; l < own->nlegs; l++)
	{
		const CachedLeg *leg = &own->leg[l];

		/* neighbours of one kind */
		if (n > 0 && rest[n - 1].like == leg->like && rest[n - 1].body == leg->body && rest[n - 1].coded == leg->coded)
			rest[n - 1].nparts += leg->nparts;
		else
			rest[n++] = *leg;
	}
	own->nlegs = own->next_leg;
	for (uint32_t r = 0; r < n && can_run; r++)
		can_run = divide_parts(own, &rest[r]);
	if (!can_run)
		batch_finish(own, STATUS_BAD_PROGRAM);
	else
		batch_failed(own, CUDA_CALL(cudaMemcpyAsync(own->arena + own->parts_at, own->request + own->parts_at, bytes, cudaMemcpyHostToDevice, own->stream)));
}

void
batch_learn_rows(CudaBatch *own, uint32_t nrows)
{
	if (!own->batch.cached || group_table_rows(own->batch.table) != ROWS_UNKNOWN)
		return;
	/* half of what there would be room for */
	own->left = (uint64_t) nrows * 2 * HOPE <= own->leg[own->next_leg - 1].nrows ? ROWS_FEW : ROWS_MANY;
	group_table_note_rows(own->batch.table, own->left);
	if (own->left == ROWS_FEW)
		divide_rest(own);
}

/* Groups that a block shall have room for when there are so many so far: some may yet come. */
static uint32_t
room_for(uint32_t ngroups)
{
	return (ngroups + ngroups / 8 + ROOM_STEP) / ROOM_STEP * ROOM_STEP;
}

/* Whether blocks have room for so many groups, and there is room for twice as many rows as they leave then. */
static bool
blocks_have_room(CudaBatch *own, uint32_t room)
{
	const CachedLeg *leg = &own->leg[own->next_leg - 1];
	const ShapeChoice *choice = choose_shape_with(own, leg->like, leg->body, leg->coded, room);

	return choice != NULL && (uint64_t) choice->blocks * room * 2 <= own->row_capacity;
}

void
batch_learn_groups(CudaBatch *own, uint32_t ngroups)
{
	ProviderTable *table = own->batch.table;
	const uint32_t room = room_for(ngroups);

	if (!own->batch.cached || group_table_rows(table) != ROWS_MANY)
		return;
	if (ngroups > ROOM_MOST || !blocks_have_room(own, room))
	{
		group_table_note_rows(table, ROWS_APART);
		return;
	}
	group_table_note_room(table, room);
	if (own->next_leg == own->nlegs)
		return;
	own->left = ROWS_SHARED;
	own->room = room;
	divide_rest(own);
}

void
batch_divide_again(CudaBatch *own)
{
	/* of few rows that are many after all the next leg will tell how many groups they have */
	own->left = own->left == ROWS_FEW ? ROWS_MANY : ROWS_APART;
	own->room = 0;
	group_table_note_rows(own->batch.table, own->left);
	own->next_leg--;
	divide_rest(own);
	if (own->stage != BATCH_FINISHED && !batch_failed(own, CUDA_CALL(cudaMemsetAsync(batch_result(own), 0, sizeof(VmResult), own->stream))))
		batch_next_leg(own);
}

/* Starting */

cudaError_t
batch_copy(CudaBatch *own, const ResidentCopies *list, uint64_t at)
{
	cudaError_t error = cudaSuccess;

	if (copied == NULL)
		error = CUDA_CALL(cudaEventCreateWithFlags(&copied, cudaEventDisableTiming));
	/* each waits for all before it */
	if (error == cudaSuccess)
		error = CUDA_CALL(cudaStreamWaitEvent(own->stream, copied, 0));
	for (uint32_t i = 0; i < list->nclear && error == cudaSuccess; i++)
		error = CUDA_CALL(cudaMemsetAsync(list->clear[i].start, 0, list->clear[i].bytes, own->stream));
	if (error == cudaSuccess && list->ncopies > 0)
		error = CUDA_CALL((cudaError_t) columns_copy((const ColumnCopy *) (own->arena + at), list->ncopies, own->stream));
	if (error == cudaSuccess && (list->ncopies > 0 || list->nclear > 0))
		error = CUDA_CALL(cudaEventRecord(copied, own->stream));
	return error;
}

/* Have the device know of everything, and copy the columns that it does not have. */
static cudaError_t
send(CudaBatch *own)
{
	const uint64_t bytes = copies.ncopies > 0 ? own->copies_at + copies.ncopies * sizeof(ColumnCopy)
		: own->nheads > 0 ? own->copies_at : own->heads_at;
	cudaError_t error = batch_clear_arena(own);

	if (error == cudaSuccess)
		error = CUDA_CALL(cudaEventRecord(own->begun, own->stream));
	if (error == cudaSuccess)
		error = CUDA_CALL(cudaMemcpyAsync(own->arena, own->request, bytes, cudaMemcpyHostToDevice, own->stream));
	if (error == cudaSuccess)
		error = batch_copy(own, &copies, own->copies_at);
	if (error == cudaSuccess)
		error = CUDA_CALL(cudaEventRecord(own->deformed, own->stream));
	return error;
}

/* Give all columns places; false when there is no room. */
static bool
place(CudaBatch *own)
{
	resident_begin(&copies);
	copies.copy = (ColumnCopy *) (own->request + own->copies_at);
	if (joins_place(own, &copies))
		return heads_place(own, &copies, placed);
	resident_undo(&own->use);
	return false;
}

void
batch_wait_for_room(CudaBatch *own)
{
	own->tried = resident_endings();
	if (resident_in_use())
		own->stage = BATCH_PLACING;
	else
		batch_finish(own, STATUS_MEMORY_LIMIT);
}

void
batch_start_cached(CudaBatch *own)
{
	const uint64_t ntablets = own->batch.nwanted;

	batch_write_request(own);
	own->parts_at = REQUEST_BYTES + own->image_bytes;
	own->heads_at = tablet_align(own->parts_at + ntablets * sizeof(VmPart));
	own->copies_at = own->heads_at + ntablets * head_bytes(columns_of(own));
	/* copies of tables, of which the joins' part of the request has room for as many, come first */
	own->arena_used = tablet_align(own->copies_at + ntablets * (COPIES_OF_COLUMN * columns_of(own) + 1) * sizeof(ColumnCopy) +
								   joins_request_bytes(own->batch.job));
	if (own->leg == NULL)
		own->leg = (CachedLeg *) malloc(BATCH_TABLETS * sizeof(CachedLeg));
	if (own->leg == NULL || own->arena_used > own->arena_bytes)
		batch_finish(own, STATUS_MEMORY_LIMIT);
	else if (!place(own))
		batch_wait_for_room(own);
	else if (!write_parts(own))
	{
		heads_undo(own);
		batch_finish(own, STATUS_BAD_PROGRAM);
	}
	else if (!batch_failed(own, send(own)))
		batch_next_leg(own);
}

/*
 * batch_cached.cu
 *		A batch of cached tablets and its phases on the GPU.
 *
 *		request, arena:  Request | job image | parts of launches | tablet descriptors | copies of columns
 *
 * Columns are in device memory, or are copied there first (descriptors.cu); each
 * batch only sends which tablets it consists of.  Tablets of the same stored
 * form run together in one launch, a leg.  With a device-resident group table
 * a leg has only as many rows as there is room for rows of groups, since each
 * row may produce one.  If the first leg shows that few rows do, the other legs
 * have many times as many.  If it shows that there are so few groups that a
 * block has room for all of them, the rest is one leg, in which each block
 * writes one row for each group.  A leg that produces too many rows after all
 * is repeated as several legs.
 */
#include <stdlib.h>
#include <string.h>

#include "host/descriptors.h"

/* A leg: one launch over consecutive parts. */
typedef struct CachedLeg
{
	uint32_t	first_part;
	uint32_t	nparts;
	uint32_t	ntiles;
	uint64_t	nrows;
	int			body;
	bool		dense;
	const ProviderColumn *like; /* columns of a tablet that has the stored form of all tablets in the leg */
} CachedLeg;

/* Common properties of tablets that run together. */
typedef struct Kind
{
	uint64_t	form;
	int			body;
	bool		dense;
	const ProviderColumn *like;
	uint32_t	ntablets;
	uint32_t	next;			/* position in order[] of the kind's next tablet */
} Kind;

/* State of the current batch; there is only one thread. */
static PlacedTablet placed[BATCH_TABLETS];
static Kind kind[BATCH_TABLETS];
static uint32_t kind_of[BATCH_TABLETS];	/* kind of each tablet */
static uint32_t order[BATCH_TABLETS];	/* tablets by kind */
static ResidentCopies copies;

/* Event behind the last copies of columns; NULL: none so far. */
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

/* Kinds of tablets */

/* Determine each tablet's kind, list the tablets by kind in order[], and return the number of kinds. */
static uint32_t
sort_by_kind(const CudaBatch *own)
{
	uint32_t	nkinds = 0;
	uint32_t	at = 0;

	for (uint32_t t = 0; t < own->batch.nwanted; t++)
	{
		uint32_t	k = 0;

		while (k < nkinds && (kind[k].form != placed[t].form || kind[k].body != placed[t].body || kind[k].dense != placed[t].dense))
			k++;
		if (k == nkinds)
			kind[nkinds++] = {placed[t].form, placed[t].body, placed[t].dense, placed[t].column, 0, 0};
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
 * Choose how a kind of tablets runs with room for `room` groups in a block;
 * return NULL if it cannot.  Stored integers of 8 or 32 bits count as
 * frame-of-reference encoded whatever their base is, so that a base that
 * happens to be 0 makes no difference.
 */
static const ShapeChoice *
choose_shape_with(CudaBatch *own, const ProviderColumn *like, int body, bool dense, uint32_t room)
{
	Tablet	   *head = (Tablet *) own->head;

	descriptors_describe(0, like, columns_of(own), head);
	for (uint32_t c = 0; c < head->ncols; c++)
		if (head->column[c].type == COLTYPE_U8 || head->column[c].type == COLTYPE_U32)
			head->column[c].base = 1;
	return shape_choose(own->batch.job->view.program, body, head, own->batch.table == NULL ? (dense ? VM_DENSE : 0)
						: own->left == ROWS_FEW ? VM_MANY_GROUPS | VM_FEW_ROWS : VM_MANY_GROUPS, room);
}

/*
 * Choose how a kind of tablets runs.  A kind whose blocks have no room for all
 * groups runs as if the number of groups were not known.
 */
static const ShapeChoice *
choose_shape(CudaBatch *own, const ProviderColumn *like, int body, bool dense)
{
	const ShapeChoice *choice = choose_shape_with(own, like, body, dense, own->room);

	return choice == NULL && own->room > 0 ? choose_shape_with(own, like, body, dense, 0) : choice;
}

/* Legs */

/* Factor by which a leg may have more rows than there is room for, if hardly any row produces one. */
#define HOPE 32

/* Number of groups above which no block has room for all. */
#define ROOM_MOST 16384

/* Granularity of the room for groups, so that similar queries run the same way. */
#define ROOM_STEP 128

/* Return how many rows a leg may have. */
static uint64_t
rows_of_leg(const CudaBatch *own)
{
	return own->batch.table == NULL || own->left == ROWS_SHARED ? UINT64_MAX
		: (uint64_t) batch_rows_for_table(own) * (own->left == ROWS_FEW ? HOPE : 1);
}

/* Divide consecutive parts, with tablets of one kind, into legs; return false if they cannot run. */
static bool
divide_parts(CudaBatch *own, const CachedLeg *all)
{
	const ShapeChoice *choice = choose_shape(own, all->like, all->body, all->dense);
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
			*leg = {p, 0, 0, 0, all->body, all->dense, all->like};
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

/*
 * Write the parts for tablets of one kind, listed in order[] from `at` on, and
 * divide them into legs; return false if they cannot run.
 */
static bool
divide_kind(CudaBatch *own, const Kind *tablets, uint32_t at)
{
	const CachedLeg all = {at, tablets->ntablets, 0, 0, tablets->body, tablets->dense, tablets->like};

	for (uint32_t p = at; p < at + tablets->ntablets; p++)
	{
		const PlacedTablet *from = &placed[order[p]];

		*part_of(own, p) = {from->head, from->selected, from->nrows, 0};
	}
	return divide_parts(own, &all);
}

/* Divide all tablets into legs; return false if the device cannot run them. */
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

/* Launch a leg; if `sample` is not 0, only to gather a sample of one in `sample` rows. */
static cudaError_t
launch_leg(CudaBatch *own, const CachedLeg *leg, uint32_t sample)
{
	const ShapeChoice *choice = choose_shape(own, leg->like, leg->body, leg->dense);
	VmLaunch	launch = {};

	if (choice == NULL)
		return cudaErrorInvalidValue;
	/* only this form can gather a sample */
	if (sample > 0 && !(choice->shape.select.tallies && choice->shape.select.gathers))
		return cudaSuccess;
	launch.sample = sample;
	launch.shape = choice->shape;
	batch_place_rows(own, &launch);
	launch.program = batch_program(own);
	launch.tables = joins_in_arena(own);
	launch.materialized = materialized_rows(own->batch.materialized);
	launch.part = (const VmPart *) (own->arena + own->parts_at) + leg->first_part;
	launch.nparts = leg->nparts;
	launch.ntiles = leg->ntiles;
	launch.result = batch_result(own);
	const cudaError_t error = materialized_await(own->batch.materialized, own->stream);

	return error == cudaSuccess ? CUDA_CALL((cudaError_t) vm_launch(&launch, choice->blocks, own->stream)) : error;
}

/* Find the range of a quantile selection by a sample, before all legs. */
static cudaError_t
sample_legs(CudaBatch *own)
{
	const uint32_t sample = seek_sample(own->batch.seek, own->batch.row_start[own->batch.npage_batches]);
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
	/* without a group table, the rows of all legs are contiguous, and are combined behind the last leg */
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

/* Divide the parts of the legs that have not begun into new legs. */
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

		/* adjacent legs of one kind */
		if (n > 0 && rest[n - 1].like == leg->like && rest[n - 1].body == leg->body && rest[n - 1].dense == leg->dense)
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
	/* half of the rows that would fit */
	own->left = (uint64_t) nrows * 2 * HOPE <= own->leg[own->next_leg - 1].nrows ? ROWS_FEW : ROWS_MANY;
	group_table_note_rows(own->batch.table, own->left);
	if (own->left == ROWS_FEW)
		divide_rest(own);
}

/* Return the room that a block should have if there are `ngroups` groups so far: some more may come. */
static uint32_t
room_for(uint32_t ngroups)
{
	return (ngroups + ngroups / 8 + ROOM_STEP) / ROOM_STEP * ROOM_STEP;
}

/* Return true if blocks have room for `room` groups, and twice as many rows as they would produce then fit. */
static bool
blocks_have_room(CudaBatch *own, uint32_t room)
{
	const CachedLeg *leg = &own->leg[own->next_leg - 1];
	const ShapeChoice *choice = choose_shape_with(own, leg->like, leg->body, leg->dense, room);

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
	/* if many rows produce one contrary to expectation, the next leg will show how many groups there are */
	own->left = own->left == ROWS_FEW ? ROWS_MANY : ROWS_APART;
	own->room = 0;
	group_table_note_rows(own->batch.table, own->left);
	own->next_leg--;
	divide_rest(own);
	if (own->stage != BATCH_FINISHED && !batch_failed(own, CUDA_CALL(cudaMemsetAsync(batch_result(own), 0, sizeof(VmResult), own->stream))))
		batch_next_leg(own);
}

/* Starting a batch */

cudaError_t
batch_copy(CudaBatch *own, const ResidentCopies *list, uint64_t at)
{
	cudaError_t error = cudaSuccess;

	if (copied == NULL)
		error = CUDA_CALL(cudaEventCreateWithFlags(&copied, cudaEventDisableTiming));
	/* each copy waits for all before it */
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

/* Copy the request to the device, and copy the columns that the device does not have. */
static cudaError_t
send(CudaBatch *own)
{
	const uint64_t bytes = copies.ncopies > 0 ? own->copies_at + copies.ncopies * sizeof(ColumnCopy)
		: own->ndescriptors > 0 ? own->copies_at : own->descriptors_at;
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

/* Find or allocate device memory for all columns and tables; return false if there is no room. */
static bool
place(CudaBatch *own)
{
	resident_begin(&copies);
	copies.copy = (ColumnCopy *) (own->request + own->copies_at);
	if (joins_place(own, &copies))
		return descriptors_place(own, &copies, placed);
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
	own->descriptors_at = tablet_align(own->parts_at + ntablets * sizeof(VmPart));
	own->copies_at = own->descriptors_at + ntablets * head_bytes(columns_of(own));
	/* copies of tables, for which the joins' part of the request has room, come first */
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
		descriptors_undo(own);
		batch_finish(own, STATUS_BAD_PROGRAM);
	}
	else if (!batch_failed(own, send(own)))
		batch_next_leg(own);
}

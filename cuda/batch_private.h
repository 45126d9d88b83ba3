/*
 * batch_private.h
 *		What batch.cu, batch_cached.cu and batch_rows.cu share: a batch, and what they do with it.
 */
#ifndef GPUDB_CUDA_BATCH_PRIVATE_H
#define GPUDB_CUDA_BATCH_PRIVATE_H

#include "batch.h"
#include "context.h"
#include "group_table.h"
#include "kept.h"
#include "resident.h"
#include "seek.h"
#include "shape_cache.h"

/* Bytes of a tablet's head with so many columns. */
static inline uint32_t
head_bytes(uint32_t ncolumns)
{
	return (uint32_t) tablet_align(sizeof(Tablet) + ncolumns * sizeof(TabletColumn));
}

/* What the host writes of cached tablets: parts of launches, heads of tablets, copies of columns. */
#define CACHED_BYTES \
	(BATCH_TABLETS * (sizeof(VmPart) + sizeof(Tablet) + 64) + \
	 BATCH_TABLET_COLUMNS * (sizeof(TabletColumn) + COPIES_OF_COLUMN * sizeof(ColumnCopy)) + BATCH_TABLETS * sizeof(ColumnCopy) + 64)
/* What it writes of joins: see join_tables.cu. */
#define JOINS_BYTES \
	(PROGRAM_MAX_TABLES * (sizeof(JoinRows) + sizeof(JoinTable) + 64 + head_bytes(PROGRAM_MAX_COLUMNS) + 256 * sizeof(ColumnCopy)) + 192)
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
	uint64_t   *rows;			/* ROWS_BYTES; tallies stand last */
	uint8_t    *passed;

	uint32_t	image_bytes;	/* of the job at hand, aligned, with what is told of its joins */
	uint64_t	joins_at;		/* in the request, and in the arena */
	uint64_t	arena_used;		/* bytes before rows of groups */
	RowShape	row;			/* of the rows that blocks leave */
	uint32_t	row_capacity;
	uint64_t   *tallies;		/* in the arena, ahead of them */
	bool		combines;		/* rows of blocks, on the device */
	GroupTable	groups;
	GroupTable	combined;		/* in `rows` */
	GroupsLaunch merge;			/* into the job's table */
	cudaError_t error;

	/* of cached tablets: see batch_cached.cu */
	ResidentUse use;
	uint64_t	tried;			/* resident_endings() when there was no room */
	uint32_t	nheads;			/* written */
	RowsLeft	left;			/* what legs are divided for; of ROWS_FEW and ROWS_SHARED they have more rows than there is room for */
	uint32_t	room;			/* of ROWS_SHARED: for groups, in a block; else 0 */
	uint32_t	nlegs;
	uint32_t	next_leg;
	uint32_t	nmerged;		/* legs whose groups are in the job's table */
	struct CachedLeg *leg;
	uint64_t	parts_at;		/* in the request, and in the arena, */
	uint64_t	heads_at;		/* as these */
	uint64_t	copies_at;
};

/* batch.cu */

/* End a batch with a status. */
extern void batch_finish(CudaBatch *own, DeviceStatus status);

/* Note an error of CUDA's and finish; whether there was one. */
extern bool batch_failed(CudaBatch *own, cudaError_t error);

/* Clear the arena if it held another database's data. */
extern cudaError_t batch_clear_arena(CudaBatch *own);

/* Write request and image for the device, behind which there is room for more. */
extern Request *batch_write_request(CudaBatch *own);

/* The tablet of a batch of pages, the program, and the result of its run, in device memory. */
extern Tablet *batch_tablet(const CudaBatch *own);
extern const Program *batch_program(const CudaBatch *own);
extern VmResult *batch_result(const CudaBatch *own);

/* Copy what the host must know of the device's part of the request, and record an event behind it. */
extern cudaError_t batch_fetch_answer(CudaBatch *own, cudaEvent_t event);

/*
 * Have the stream copy and clear what is listed, in the arena, at an offset;
 * behind it all columns and tables are there that were placed before.
 */
extern cudaError_t batch_copy(CudaBatch *own, const ResidentCopies *copies, uint64_t at);

/* There was no room for all columns and tables of a batch: have it wait, or end it. */
extern void batch_wait_for_room(CudaBatch *own);

/* join_tables.cu */

/* Bytes of a request for the tables of a job. */
extern uint64_t joins_request_bytes(const ProviderJob *job);

/* Find the tables, and write down where they are and what is to be copied; false when there is no room. */
extern bool joins_place(CudaBatch *own, ResidentCopies *copies);

/* Where in the request the list of copies may stand. */
extern uint64_t joins_copies_at(const CudaBatch *own);

/* The tables, in device memory; NULL without joins. */
extern const JoinRows *joins_in_arena(const CudaBatch *own);

/* batch_rows.cu */

/* Rows of groups for a table that find room in the arena behind what is used of it. */
extern uint32_t batch_rows_for_table(const CudaBatch *own);

/* Choose how rows of groups come back, of so many blocks at most, each of which leaves one of each of its groups. */
extern void batch_choose_rows(CudaBatch *own, uint32_t nblocks);

/* Tell a launch where they go. */
extern void batch_place_rows(CudaBatch *own, VmLaunch *launch);

/* Ahead of the first launch: zero what they are added to. */
extern cudaError_t batch_clear_tallies(CudaBatch *own);

/* Behind the last one: have the device combine them, if that is how. */
extern cudaError_t batch_combine_rows(CudaBatch *own);

/* So many have come back: they are the batch's groups. */
extern DeviceStatus batch_take_rows(CudaBatch *own, uint32_t nrows);

/* batch_cached.cu */

/* Start a batch of cached tablets, or try again to. */
extern void batch_start_cached(CudaBatch *own);

/* Go on with the next leg of such a batch; false if there is none. */
extern bool batch_next_leg(CudaBatch *own);

/* A leg has left so many rows for a table: find out what is to be expected of the others. */
extern void batch_learn_rows(CudaBatch *own, uint32_t nrows);

/* Once so many groups are in the table: find out whether blocks have room for all of them. */
extern void batch_learn_groups(CudaBatch *own, uint32_t ngroups);

/* There was no room for the rows that a leg has left: begin it anew as several. */
extern void batch_divide_again(CudaBatch *own);

#endif							/* GPUDB_CUDA_BATCH_PRIVATE_H */

/*
 * batch_private.h
 *		Batches: declarations shared by batch.cu, batch_cached.cu,
 *		batch_rows.cu, join_tables.cu and descriptors.cu.
 */
#ifndef GPUDB_CUDA_HOST_BATCH_PRIVATE_H
#define GPUDB_CUDA_HOST_BATCH_PRIVATE_H

#include "host/batch.h"
#include "host/context.h"
#include "host/group_table.h"
#include "host/materialized.h"
#include "host/resident.h"
#include "host/seek.h"
#include "host/shape_cache.h"

/* Return the bytes of a tablet descriptor with `ncolumns` columns. */
static inline uint32_t
head_bytes(uint32_t ncolumns)
{
	return (uint32_t) tablet_align(sizeof(Tablet) + ncolumns * sizeof(TabletColumn));
}

/* Bytes that the host writes for cached tablets: parts of launches, tablet descriptors, copies of columns. */
#define CACHED_BYTES \
	(BATCH_TABLETS * (sizeof(VmPart) + sizeof(Tablet) + 64) + \
	 BATCH_TABLET_COLUMNS * (sizeof(TabletColumn) + COPIES_OF_COLUMN * sizeof(ColumnCopy)) + BATCH_TABLETS * sizeof(ColumnCopy) + 64)
/* Bytes that the host writes for joins: see join_tables.cu. */
#define JOINS_BYTES \
	(PROGRAM_MAX_TABLES * (sizeof(JoinRows) + sizeof(JoinTable) + 64 + head_bytes(PROGRAM_MAX_COLUMNS) + 256 * sizeof(ColumnCopy)) + 192)
#define ROWS_BYTES		((uint64_t) 2 * 1024 * 1024)
#define PASSED_BYTES	((uint64_t) BATCH_PAGES * HEAP_MAX_TUPLES / 8 + 64)

/* Data in device memory that the kernels read and write. */
typedef struct Request
{
	uint32_t	status;			/* DeviceStatus of deforming */
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
	ProviderBatch batch;		/* first member */
	BatchStage	stage;
	cudaStream_t stream;
	cudaEvent_t begun;
	cudaEvent_t deformed;
	cudaEvent_t run;
	uint8_t    *arena;			/* device */
	uint64_t	arena_bytes;
	uint32_t	database;		/* database of the data in the arena */

	/* pinned host memory */
	uint8_t    *request;		/* image of the arena's beginning: Request, job image, tablet descriptor */
	uint8_t    *head;			/* tablet descriptor, copied back from the device */
	Request    *answer;			/* first members of Request, copied back from the device */
	uint64_t   *rows;			/* ROWS_BYTES for rows of groups; tallies are at the end */
	uint8_t    *passed;

	uint32_t	image_bytes;	/* bytes of the job image and the descriptors of join tables, aligned */
	uint64_t	joins_at;		/* offset of the join tables' descriptors in the request and in the arena */
	uint64_t	arena_used;		/* bytes in use before the rows of groups */
	RowShape	row;			/* shape of the rows that blocks write */
	uint32_t	row_capacity;
	uint64_t   *tallies;		/* tallies, in the arena before the rows of groups */
	bool		combines;		/* the rows of blocks are combined on the device */
	GroupTable	groups;
	GroupTable	combined;		/* combined groups, in `rows` */
	GroupsLaunch merge;			/* launch that merges rows into the job's group table */
	cudaError_t error;

	/* members for cached tablets: see batch_cached.cu */
	ResidentUse use;
	uint64_t	tried;			/* resident_endings() when there was no room */
	uint32_t	ndescriptors;	/* number of tablet descriptors written */
	RowsLeft	left;			/* legs are divided by it; with ROWS_FEW and ROWS_SHARED they have more rows than fit */
	uint32_t	room;			/* groups for which a block has room, with ROWS_SHARED; else 0 */
	uint32_t	nlegs;
	uint32_t	next_leg;
	uint32_t	nmerged;		/* number of legs whose groups are in the job's group table */
	struct CachedLeg *leg;
	uint64_t	parts_at;		/* offset of the parts in the request and in the arena */
	uint64_t	descriptors_at;	/* offset of the tablet descriptors in the request and in the arena */
	uint64_t	copies_at;
};

/* batch.cu */

/* End a batch with a status. */
extern void batch_finish(CudaBatch *own, DeviceStatus status);

/* Store an error of CUDA and finish the batch with DEVICE_DOWN; return true if there was an error. */
extern bool batch_failed(CudaBatch *own, cudaError_t error);

/* Clear the arena if it contains data of another database. */
extern cudaError_t batch_clear_arena(CudaBatch *own);

/* Write Request and job image, to be sent to the device; the buffer has room for more behind them. */
extern Request *batch_write_request(CudaBatch *own);

/* Return the tablet of a batch of pages, the program, and the result of its run, in device memory. */
extern Tablet *batch_tablet(const CudaBatch *own);
extern const Program *batch_program(const CudaBatch *own);
extern VmResult *batch_result(const CudaBatch *own);

/* Copy the first members of Request to the host, and record an event behind the copy. */
extern cudaError_t batch_fetch_answer(CudaBatch *own, cudaEvent_t event);

/*
 * Enqueue the listed clears and copies, whose list is at offset `at` of the
 * arena.  After them all columns and tables that were placed before are
 * present for the stream.
 */
extern cudaError_t batch_copy(CudaBatch *own, const ResidentCopies *copies, uint64_t at);

/* Make a batch wait that has no room for all columns and tables, or end it if waiting is of no use. */
extern void batch_wait_for_room(CudaBatch *own);

/* join_tables.cu */

/* Return the bytes of a request that a job's join tables need. */
extern uint64_t joins_request_bytes(const ProviderJob *job);

/*
 * Find the join tables in device memory or list them in *copies, and write
 * their descriptors; return false if there is no room.
 */
extern bool joins_place(CudaBatch *own, ResidentCopies *copies);

/* Return the offset in the request at which the list of copies begins. */
extern uint64_t joins_copies_at(const CudaBatch *own);

/* Return the join tables, in device memory; NULL without joins. */
extern const JoinRows *joins_in_arena(const CudaBatch *own);

/* batch_rows.cu */

/* Return how many rows of groups for a group table fit in the unused part of the arena. */
extern uint32_t batch_rows_for_table(const CudaBatch *own);

/*
 * Choose the way in which rows of groups are returned, for at most `nblocks`
 * blocks, each of which writes one row for each of its groups.
 */
extern void batch_choose_rows(CudaBatch *own, uint32_t nblocks);

/* Set the destinations of rows of groups in a launch. */
extern void batch_place_rows(CudaBatch *own, VmLaunch *launch);

/* Clear the tallies before the first launch. */
extern cudaError_t batch_clear_tallies(CudaBatch *own);

/* Combine the rows of groups on the device after the last launch, if batch_choose_rows() has chosen that. */
extern cudaError_t batch_combine_rows(CudaBatch *own);

/* Make the `nrows` rows that were copied back the groups of the batch. */
extern DeviceStatus batch_take_rows(CudaBatch *own, uint32_t nrows);

/* batch_cached.cu */

/* Start a batch of cached tablets, or try again to start it. */
extern void batch_start_cached(CudaBatch *own);

/* Start the next leg of a batch of cached tablets; return false if there is none. */
extern bool batch_next_leg(CudaBatch *own);

/* Estimate the yield of further legs after a leg has produced `nrows` rows for the group table. */
extern void batch_learn_rows(CudaBatch *own, uint32_t nrows);

/* Decide if blocks have room for all groups, after the table has reached `ngroups` groups. */
extern void batch_learn_groups(CudaBatch *own, uint32_t ngroups);

/* Divide a leg whose rows of groups did not fit into several legs, and start the first one. */
extern void batch_divide_again(CudaBatch *own);

#endif							/* GPUDB_CUDA_HOST_BATCH_PRIVATE_H */

/*
 * page_batches.h
 *		Page batches as requesters describe them: copied into private memory and verified.
 *
 * A page batch has up to 64 heap pages, or a list of cached tablets, or stands
 * for all rows of a sorted source.  Requesters may still change page bytes and
 * lists of tuples afterwards, which devices therefore treat as hostile.
 */
#ifndef GPUDB_WORKER_PAGE_BATCHES_H
#define GPUDB_WORKER_PAGE_BATCHES_H

#include "postgres.h"

#include "device/channel.h"

/* Return true if a page batch belongs to a job, and its copied pages and result slot belong to the page batch. */
extern bool page_batch_is_owned(const Channel *channel, int job, int number);

/* Read and verify the list of pages of a page batch; false if it is invalid. */
extern bool page_batch_read_pages(const Channel *channel, const ChannelPages *page_batch, PageList *list);

/* Return where the outputs or columns of a page batch's rows go, NULL if its owner wants none or they do not fit. */
extern uint8 *page_batch_output_place(Channel *channel, const ChannelPages *page_batch, const JobView *job, uint32 nrows, bool wide);

/* Return the address of a page batch's result slots for groups and their size in words; NULL if they are invalid. */
extern uint64 *page_batch_groups_place(Channel *channel, int job, int number, uint32 *words);

/*
 * Add a page batch's cached tablets to a GPU batch, whose columns may take
 * `most_bytes` bytes, unless it has a single page batch.  Any status but DONE
 * leaves the GPU batch unchanged: NO_ROOM if it is full; MEMORY_LIMIT if memory
 * is short; SHELF_UNKNOWN if shelves must be described again; BAD_PROGRAM if the
 * description is invalid.
 */
extern DeviceStatus page_batch_read_tablets(const ChannelPages *page_batch, const Program *program, uint64 most_bytes, ProviderBatch *batch);

/* Unpin the shelves of a GPU batch, except those of the first `npicks` picks. */
extern void page_batch_let_go(ProviderBatch *batch, uint32 npicks);

/* Make all rows of a job's sorted source the tablets of a GPU batch; NO_ROOM if that has others. */
extern DeviceStatus page_batch_read_source(const Provider *provider, const ProviderJob *job, const MaterializedSource *source, ProviderBatch *batch);

#endif							/* GPUDB_WORKER_PAGE_BATCHES_H */

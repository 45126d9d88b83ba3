/*
 * group_table.h
 *		Device-resident group tables: the host's side.
 *
 * All batches of a job merge into one table.  Each batch enters the table
 * before its launches and leaves it after they have ended; if the table is
 * full, it grows when all other batches have left it.
 */
#ifndef GPUDB_CUDA_HOST_GROUP_TABLE_H
#define GPUDB_CUDA_HOST_GROUP_TABLE_H

#include "host/cuda_call.h"
#include "kernels/groups_launch.h"

/* Allocate device memory for group tables, once, at the start, and buffers to read the tables. */
extern cudaError_t group_table_start(uint64_t bytes);

/* Functions of the Provider interface. */
extern ProviderTable *group_table_open(const ProviderJob *job);
extern bool group_table_count(ProviderTable *table, uint32_t *count);
extern bool group_table_read(ProviderTable *table, uint32_t first, uint32_t words, uint64_t *into, uint32_t *n,
							 uint64_t *text_bytes);
extern bool group_table_read_top(ProviderTable *table, const GroupTop *top, uint32_t words, uint64_t *into, uint32_t *n);
extern void group_table_close(ProviderTable *table);

/*
 * Enter a table, to merge rows into it.  Returns DONE with the table's members
 * of *launch set; TIME_SLICE if the table must first grow and other batches
 * are still in it; MEMORY_LIMIT if it cannot grow; DEVICE_DOWN with *error.
 */
extern DeviceStatus group_table_enter(ProviderTable *table, GroupsLaunch *launch, cudaError_t *error);

/* Estimate of the share of input rows that produce a row for the group table. */
typedef enum RowsLeft
{
	ROWS_UNKNOWN,
	ROWS_FEW,
	ROWS_MANY,					/* many, for an unknown number of groups */
	ROWS_SHARED,				/* many, for so few groups that a block has room for all of them */
	ROWS_APART					/* many, for so many groups that a block has no room for all of them */
} RowsLeft;

extern RowsLeft group_table_rows(const ProviderTable *table);
extern void group_table_note_rows(ProviderTable *table, RowsLeft rows);

/* Record that rows are ROWS_SHARED and the number of groups for which blocks have room, or return that number. */
extern void group_table_note_room(ProviderTable *table, uint32_t room);
extern uint32_t group_table_room(const ProviderTable *table);

/* Leave a table; `pending` is the number of rows that found no room. */
extern void group_table_leave(ProviderTable *table, uint32_t pending);

#endif							/* GPUDB_CUDA_HOST_GROUP_TABLE_H */

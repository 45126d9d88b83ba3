/*
 * group_table.h
 *		Groups that stay on the device for as long as a job runs: the host's side.
 *
 * All batches of a job merge into one table.  Each enters it before its
 * launches and leaves it after they have ended; when a batch finds it full,
 * the others are waited for, and it grows.
 */
#ifndef GPUDB_CUDA_GROUP_TABLE_H
#define GPUDB_CUDA_GROUP_TABLE_H

#include "cuda_call.h"
#include "groups_launch.h"

/* Once, at the start: take so many bytes of device memory for tables, and what reading them needs. */
extern cudaError_t group_table_start(uint64_t bytes);

/* What the provider's functions of these names do. */
extern ProviderTable *group_table_open(const ProviderJob *job);
extern bool group_table_count(ProviderTable *table, uint32_t *count);
extern bool group_table_read(ProviderTable *table, uint32_t first, uint32_t words, uint64_t *into, uint32_t *n,
							 uint64_t *text_bytes);
extern bool group_table_read_top(ProviderTable *table, const GroupTop *top, uint32_t words, uint64_t *into, uint32_t *n);
extern void group_table_close(ProviderTable *table);

/*
 * Enter a table, to merge rows into it: DONE with the table's part of *launch
 * filled in; TIME_SLICE when it must first grow and others are still in it;
 * MEMORY_LIMIT when it cannot grow; DEVICE_DOWN with *error.
 */
extern DeviceStatus group_table_enter(ProviderTable *table, GroupsLaunch *launch, cudaError_t *error);

/* How many of the rows that batches go over leave one for it, as far as is known. */
typedef enum RowsLeft
{
	ROWS_UNKNOWN,
	ROWS_FEW,
	ROWS_MANY,					/* and nobody knows yet of how many groups */
	ROWS_SHARED,				/* many, but of so few groups that a block has room for all of them */
	ROWS_APART					/* many, of more groups than that */
} RowsLeft;

extern RowsLeft group_table_rows(const ProviderTable *table);
extern void group_table_note_rows(ProviderTable *table, RowsLeft rows);

/* Note that rows are ROWS_SHARED, and how many groups a block shall have room for; and what was noted. */
extern void group_table_note_room(ProviderTable *table, uint32_t room);
extern uint32_t group_table_room(const ProviderTable *table);

/* Leave it, after so many rows have found no room. */
extern void group_table_leave(ProviderTable *table, uint32_t pending);

#endif							/* GPUDB_CUDA_GROUP_TABLE_H */

/*
 * cpu_table.h
 *		Group tables that grow, within a memory limit for all tables of a job.
 *
 * Threads of the CPU device call these functions: none may call PostgreSQL.
 */
#ifndef GPUDB_DEVICE_CPU_TABLE_H
#define GPUDB_DEVICE_CPU_TABLE_H

#include <stdatomic.h>

#include "core/vm/hashtable.h"

/* Memory limit and use of all tables of a job, in bytes. */
typedef struct TableBudget
{
	uint64_t	limit;
	atomic_ullong used;
} TableBudget;

typedef struct CpuTable
{
	GroupTable	groups;
	bool		unindexed;		/* groups were appended and cannot be found yet */
	uint64_t	bytes;
} CpuTable;

/*
 * Resize a table to `capacity` groups, a power of two, and `heap` bytes of
 * text keys; return STATUS_DONE or STATUS_MEMORY_LIMIT.
 */
extern DeviceStatus cpu_table_resize(CpuTable *table, TableBudget *budget, uint32_t capacity, uint64_t heap);

/* Double the resource that ran out when a run ended with TABLE_FULL: the groups, the heap, or both. */
extern DeviceStatus cpu_table_grow(CpuTable *table, TableBudget *budget);

/*
 * Append groups that are all new to the table and have no texts but in their
 * keys; they cannot be found before cpu_table_index().
 */
extern DeviceStatus cpu_table_append(CpuTable *table, TableBudget *budget, const Program *program, const GroupTable *groups);

/* Index groups that were appended, so that they can be found. */
extern void cpu_table_index(CpuTable *table);

/* Free a table's memory and make it an empty table without capacity. */
extern void cpu_table_free(CpuTable *table, TableBudget *budget);

#endif							/* GPUDB_DEVICE_CPU_TABLE_H */

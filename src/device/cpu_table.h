/*
 * cpu_table.h
 *		Group tables that grow, within what all tables of a job may take.
 *
 * Threads of the CPU device call this: none of PostgreSQL's functions here.
 */
#ifndef GPUDB_DEVICE_CPU_TABLE_H
#define GPUDB_DEVICE_CPU_TABLE_H

#include <stdatomic.h>

#include "core/hashtable.h"

/* Bytes of all tables of a job. */
typedef struct TableBudget
{
	uint64_t	limit;
	atomic_ullong used;
} TableBudget;

typedef struct CpuTable
{
	GroupTable	groups;
	bool		unindexed;		/* groups were appended, and cannot be found */
	uint64_t	bytes;
} CpuTable;

/* Give a table room for `capacity` groups, a power of two, and `heap` bytes of text keys; DONE, or MEMORY_LIMIT. */
extern DeviceStatus cpu_table_resize(CpuTable *table, TableBudget *budget, uint32_t capacity, uint64_t heap);

/* After TABLE_FULL: double what is scarce. */
extern DeviceStatus cpu_table_grow(CpuTable *table, TableBudget *budget);

/* Append groups that are all new to the table, and have texts in their keys at most. */
extern DeviceStatus cpu_table_append(CpuTable *table, TableBudget *budget, const Program *program, const GroupTable *groups);

/* Make groups that were appended ready to be found. */
extern void cpu_table_index(CpuTable *table);

/* Free a table's memory; it is empty and without room afterwards. */
extern void cpu_table_free(CpuTable *table, TableBudget *budget);

#endif							/* GPUDB_DEVICE_CPU_TABLE_H */

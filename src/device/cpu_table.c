/*
 * cpu_table.c
 *		Group tables that grow, within a memory limit for all tables of a job.
 */
#include <stdlib.h>
#include <string.h>

#include "device/cpu_table.h"

static bool
grow_array(void **array, uint64_t bytes)
{
	void	   *bigger = realloc(*array, bytes);

	if (bigger == NULL)
		return false;
	*array = bigger;
	return true;
}

DeviceStatus
cpu_table_resize(CpuTable *table, TableBudget *budget, uint32_t capacity, uint64_t heap)
{
	GroupTable *t = &table->groups;
	uint32_t	nslots = capacity * 2;
	uint64_t	bytes = (uint64_t) nslots * 4 + (uint64_t) capacity * 8 * (1 + t->row_words) + heap;

	atomic_fetch_add(&budget->used, bytes - table->bytes);
	table->bytes = bytes;
	if (atomic_load(&budget->used) > budget->limit || capacity >= GROUP_NONE / 4)
		return STATUS_MEMORY_LIMIT;
	if (!grow_array((void **) &t->rows, (uint64_t) capacity * t->row_words * 8) ||
		!grow_array((void **) &t->hashes, (uint64_t) capacity * 8) ||
		!grow_array((void **) &t->heap, heap))
		return STATUS_MEMORY_LIMIT;
	t->capacity = capacity;
	t->heap_capacity = heap;
	if (nslots != t->nslots)
	{
		uint32_t   *slots = calloc(nslots, sizeof(uint32_t));

		if (slots == NULL)
			return STATUS_MEMORY_LIMIT;
		free(t->slots);
		t->slots = slots;
		t->nslots = nslots;
		if (!table->unindexed)
			group_rehash(t);
	}
	return STATUS_DONE;
}

void
cpu_table_index(CpuTable *table)
{
	if (!table->unindexed)
		return;
	memset(table->groups.slots, 0, table->groups.nslots * sizeof(uint32_t));
	group_rehash(&table->groups);
	table->unindexed = false;
}

DeviceStatus
cpu_table_grow(CpuTable *table, TableBudget *budget)
{
	GroupTable *t = &table->groups;
	bool		rows = t->ngroups >= t->capacity;

	return cpu_table_resize(table, budget, rows ? t->capacity * 2 : t->capacity,
						rows && t->heap_used < t->heap_capacity / 2 ? t->heap_capacity : t->heap_capacity * 2);
}

void
cpu_table_free(CpuTable *table, TableBudget *budget)
{
	free(table->groups.slots);
	free(table->groups.hashes);
	free(table->groups.rows);
	free(table->groups.heap);
	atomic_fetch_sub(&budget->used, table->bytes);
	memset(table, 0, sizeof(*table));
}

DeviceStatus
cpu_table_append(CpuTable *table, TableBudget *budget, const Program *program, const GroupTable *groups)
{
	GroupTable *t = &table->groups;
	DeviceStatus status = STATUS_DONE;
	uint32_t	capacity = t->capacity;
	uint64_t	heap = t->heap_capacity;

	table->unindexed = true;
	while (capacity - t->ngroups < groups->ngroups && capacity < GROUP_NONE / 4)
		capacity *= 2;
	if (heap - t->heap_used < groups->heap_used)
		heap = 2 * (t->heap_used + groups->heap_used);
	if (capacity > t->capacity || heap > t->heap_capacity)
		status = cpu_table_resize(table, budget, capacity, heap);
	if (status == STATUS_DONE)
		group_append_all(program, t, groups);
	return status;
}

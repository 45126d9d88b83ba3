/*
 * fixture.h
 *		Fixtures for running programs: tablets filled value by value, group tables
 *		that grow, and a run's scratch memory, all in guarded memory.
 */
#ifndef GPUDB_TEST_FIXTURE_H
#define GPUDB_TEST_FIXTURE_H

#include "core/vm/hashtable.h"
#include "core/tablet/tablet_format.h"
#include "core/vm/vm.h"
#include "guard.h"

static inline Tablet *
tablet_make(const uint16_t *types, uint32_t ncols, uint32_t nrows, uint64_t var_capacity)
{
	uint64_t	size = tablet_size(types, ncols, nrows, var_capacity);
	Tablet	   *tablet = (Tablet *) guard_alloc(size, 64);

	tablet_layout(tablet, types, ncols, nrows, var_capacity);
	return tablet;
}

static inline void
tablet_free(Tablet *tablet)
{
	if (tablet)
		guard_free(tablet, tablet->size, 64);
}

/* Store an integer in a column as its type demands. */
static inline void
tablet_set_int(Tablet *tablet, int c, uint32_t row, Wide value)
{
	uint32_t	bytes = coltype_bytes((ColType) tablet->column[c].type);

	memcpy(tablet_at(tablet, tablet->column[c].values) + (size_t) row * bytes, &value, bytes);
}

static inline void
tablet_set_float(Tablet *tablet, int c, uint32_t row, double value)
{
	uint8_t    *values = tablet_at(tablet, tablet->column[c].values);

	if (tablet->column[c].type == COLTYPE_F32)
		((float *) values)[row] = (float) value;
	else
		((double *) values)[row] = value;
}

static inline void
tablet_set_text(Tablet *tablet, int c, uint32_t row, const void *bytes, uint32_t length)
{
	((uint64_t *) tablet_at(tablet, tablet->column[c].values))[row] = TEXT_REF(tablet->var_used, length);
	memcpy(tablet_at(tablet, tablet->var + tablet->var_used), bytes, length);
	tablet->var_used += length;
}

static inline void
tablet_set_null(Tablet *tablet, int c, uint32_t row)
{
	TabletColumn *column = &tablet->column[c];
	uint32_t	bytes = coltype_bytes((ColType) column->type);

	if (column->null_count++ == 0)
		memset(tablet_at(tablet, column->nulls), 0, tablet_bitmap_bytes(tablet->nrows));
	tablet_at(tablet, column->nulls)[row / 8] |= (uint8_t) (1 << (row % 8));
	memset(tablet_at(tablet, column->values) + (size_t) row * bytes, 0, bytes);
}

static inline uint32_t
table_slots(uint32_t capacity)
{
	uint32_t	nslots = 2;

	while (nslots < 2 * capacity)
		nslots *= 2;
	return nslots;
}

static inline void
table_free(GroupTable *table)
{
	guard_free(table->slots, table->nslots * sizeof(uint32_t), 64);
	guard_free(table->hashes, table->capacity * sizeof(uint64_t), 64);
	guard_free(table->rows, (size_t) table->capacity * table->row_words * sizeof(uint64_t), 64);
	guard_free(table->heap, table->heap_capacity, 1);
	memset(table, 0, sizeof(*table));
}

/* Replace a table by a larger copy of it, or make an empty one if it has no memory yet. */
static inline void
table_grow(GroupTable *table, uint32_t row_words, uint32_t capacity, uint64_t heap_capacity)
{
	GroupTable	old = *table;

	table->nslots = table_slots(capacity);
	table->capacity = capacity;
	table->row_words = row_words;
	table->heap_capacity = heap_capacity;
	table->slots = (uint32_t *) guard_alloc(table->nslots * sizeof(uint32_t), 64);
	memset(table->slots, 0, table->nslots * sizeof(uint32_t));
	table->hashes = (uint64_t *) guard_alloc(capacity * sizeof(uint64_t), 64);
	table->rows = (uint64_t *) guard_alloc((size_t) capacity * row_words * sizeof(uint64_t), 64);
	table->heap = (uint8_t *) guard_alloc(heap_capacity, 1);
	if (old.ngroups > 0)
	{
		memcpy(table->hashes, old.hashes, old.ngroups * sizeof(uint64_t));
		memcpy(table->rows, old.rows, (size_t) old.ngroups * row_words * sizeof(uint64_t));
		memcpy(table->heap, old.heap, old.heap_used);
		group_rehash(table);
	}
	if (old.slots)
		table_free(&old);
}

/* Make the table that a program starts with; without keys it has its one row. */
static inline void
table_open(GroupTable *table, const Program *program, uint32_t capacity, uint64_t heap_capacity)
{
	memset(table, 0, sizeof(*table));
	table_grow(table, program->row_words, capacity, heap_capacity);
	if (program->aggregates && !program->grouped)
	{
		GroupKey	none;

		memset(&none, 0, sizeof(none));
		group_append(program, table, &none);
	}
}

static inline void
run_open(VmRun *run, const Program *program, int body, const Tablet *tablet, uint32_t tile)
{
	size_t		slots = program->body[body].nregisters;

	memset(run, 0, sizeof(*run));
	run->program = program;
	run->body = body;
	run->tablet = tablet;
	run->values = (uint64_t *) guard_alloc(slots * tile * 8, 64);
	run->nulls = (uint8_t *) guard_alloc(slots * tile, 64);
	run->yield_after = -1;
}

static inline void
run_close(VmRun *run, uint32_t tile)
{
	size_t		slots = run->program->body[run->body].nregisters;

	guard_free(run->values, slots * tile * 8, 64);
	guard_free(run->nulls, slots * tile, 64);
}

#endif							/* GPUDB_TEST_FIXTURE_H */

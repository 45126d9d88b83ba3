/*
 * provider_cpu.c
 *		The CPU provider, which stands in for a GPU in the GPU process.
 *
 * A library of the tests, not of what is shipped: `make install-test-provider`.
 * With gpudb.provider = cpu the GPU process runs GPU batches with the CPU
 * device's inner loops, in its only thread.  It has the restrictions of a GPU:
 * few groups returned with a batch, none of them with texts, no values stored
 * out of line, no join tables beyond gpudb.gpu_memory.
 */
#include "postgres.h"

#include <stdlib.h>

#include "port/pg_bitutils.h"

#include "core/tablet/output.h"
#include "device/clock.h"
#include "device/cpu_kernel.h"
#include "device/memory_rates.h"
#include "provider_cpu.h"

#define BATCHES			8
#define BATCH_BYTES		((uint64) 64 * 1024 * 1024)
#define GROUPS			4096

typedef struct CpuBatch
{
	ProviderBatch batch;		/* must be first */
	bool		used;
	bool		finished;
	uint8	   *arena;			/* memory of a tablet: BATCH_BYTES */
	uint32	   *rows;			/* rows of a page batch that passed */
	uint8	   *passed;			/* bitmap of the rows that passed */
	GroupTable	groups;
} CpuBatch;

struct ProviderTable
{
	Program    *program;		/* a copy: the job may end before others that use its table */
	GroupTable	groups;
};

static CpuBatch batches[BATCHES];
static uint64 memory_limit;		/* gpudb.gpu_memory in bytes, 0 = no limit */
static uint64 table_bytes;		/* bytes of all group tables */
static uint64_t *register_values;
static uint8_t *register_nulls;

static bool
start(const ProviderConfig *config, ProviderState *state)
{
	state->batch_bytes = BATCH_BYTES;
	state->batch_cached_bytes = PG_UINT64_MAX;
	memory_limit = config->memory;
	/* as on a GPU that needs half of its memory for batches */
	state->join_bytes = memory_limit == 0 ? PG_UINT64_MAX : memory_limit / 4;
	if (posix_memalign((void **) &register_values, 64, (size_t) PROGRAM_MAX_REGISTERS * CPU_TILE * 8) != 0 ||
		posix_memalign((void **) &register_nulls, 64, (size_t) PROGRAM_MAX_REGISTERS * CPU_TILE) != 0)
	{
		strlcpy(state->why, "out of memory", sizeof(state->why));
		return false;
	}
	return true;
}

bool
cpu_has_room(uint64 bytes)
{
	return memory_limit == 0 || bytes <= memory_limit / 2;
}

static bool
attach(const ProviderMemory *memory)
{
	return true;
}

static bool
accepts(const ProviderJob *job)
{
	return true;
}

static ProviderBatch *
acquire(void)
{
	for (int i = 0; i < BATCHES; i++)
		if (!batches[i].used)
		{
			batches[i].used = true;
			batches[i].finished = false;
			return &batches[i].batch;
		}
	return NULL;
}

/* Group tables */

static uint64
bytes_of_table(uint32 capacity, uint32 row_words, uint64 heap)
{
	return (uint64) capacity * (2 * 4 + 8 + 8 * row_words) + heap;
}

/* Resize a group table to `capacity` groups and `heap` bytes of texts; false if that exceeds the memory limit. */
static bool
resize_table(GroupTable *t, uint32 capacity, uint64 heap)
{
	uint64		more = bytes_of_table(capacity, t->row_words, heap) - bytes_of_table(t->capacity, t->row_words, t->heap_capacity);

	if (memory_limit != 0 && table_bytes + more > memory_limit)
		return false;
	t->heap = realloc(t->heap, Max(heap, 1));
	t->rows = realloc(t->rows, (size_t) capacity * t->row_words * 8);
	t->hashes = realloc(t->hashes, (size_t) capacity * 8);
	free(t->slots);
	t->slots = calloc(2 * (size_t) capacity, 4);
	/* out of memory: end the GPU process, which the supervisor restarts */
	if (t->rows == NULL || t->hashes == NULL || t->slots == NULL || t->heap == NULL)
		abort();
	table_bytes += more;
	t->capacity = capacity;
	t->heap_capacity = heap;
	t->nslots = 2 * capacity;
	group_rehash(t);
	return true;
}

static void
close_table(ProviderTable *table)
{
	table_bytes -= bytes_of_table(table->groups.capacity, table->groups.row_words, table->groups.heap_capacity);
	free(table->groups.heap);
	free(table->groups.rows);
	free(table->groups.hashes);
	free(table->groups.slots);
	free(table->program);
	free(table);
}

static ProviderTable *
open_table(const ProviderJob *job)
{
	const Program *program = job->view.program;
	ProviderTable *table = calloc(1, sizeof(ProviderTable));

	if (table == NULL)
		return NULL;
	table->program = malloc(program->size);
	table->groups.row_words = program->row_words;
	if (table->program == NULL || !resize_table(&table->groups, GROUPS, 0))
	{
		close_table(table);
		return NULL;
	}
	memcpy(table->program, program, program->size);
	return table;
}

static bool
count_groups(ProviderTable *table, uint32_t *count)
{
	*count = table->groups.ngroups;
	return true;
}

/* Return the bytes of the texts of a group, each rounded up to words. */
static uint64
text_bytes_of(const Program *program, const uint64 *row)
{
	uint64		bytes = 0;

	for (uint32 k = 0; k < program->nkeys; k++)
		if (program->key_kind[k] == KEY_TEXT)
			bytes += MAXALIGN(row[program->key_word[k] + 1]);
	return bytes;
}

/*
 * Copy the texts of a group's row from a heap to `into`, from offset `at` on, and
 * let the row refer to these offsets.  Returns the number of bytes copied.
 */
static uint64
copy_texts(const Program *program, uint64 *row, const uint8 *heap, uint8 *into, uint64 at)
{
	uint64		begin = at;

	for (uint32 k = 0; k < program->nkeys; k++)
		if (program->key_kind[k] == KEY_TEXT)
		{
			uint64	   *text = row + program->key_word[k];

			memset(into + at, 0, MAXALIGN(text[1]));
			memcpy(into + at, heap + text[0], text[1]);
			text[0] = at;
			at += MAXALIGN(text[1]);
		}
	return at - begin;
}

static bool
read_groups(ProviderTable *table, uint32_t first, uint32_t words, uint64_t *into, uint32_t *n, uint64_t *text_bytes)
{
	const GroupTable *groups = &table->groups;
	uint64		used = 0;
	uint64	   *rows;

	for (*n = 0; first + *n < groups->ngroups; (*n)++)
	{
		used += 1 + groups->row_words + text_bytes_of(table->program, group_row(groups, first + *n)) / 8;
		if (used > words)
			break;
	}
	rows = into + *n;
	memcpy(into, groups->hashes + first, *n * 8);
	memcpy(rows, group_row(groups, first), (size_t) *n * groups->row_words * 8);
	*text_bytes = 0;
	for (uint32 g = 0; g < *n; g++)
		*text_bytes += copy_texts(table->program, rows + (size_t) g * groups->row_words, groups->heap,
								  (uint8 *) (rows + (size_t) *n * groups->row_words), *text_bytes);
	return *n > 0;
}

/* Read the groups that can be among the first top->wanted: those not after the last of any top->wanted groups. */
static bool
read_top(ProviderTable *table, const GroupTop *top, uint32_t words, uint64_t *into, uint32_t *n)
{
	const GroupTable *groups = &table->groups;
	const uint32 most = words / (1 + groups->row_words);
	GroupOrder	bound;
	uint32		found = 0;

	*n = 0;
	if (program_text_keys(table->program) || !group_top_fits(top, groups->row_words))
		return true;
	/* the first top->wanted groups of the table serve as well as any others */
	bound = group_order(top, group_row(groups, 0));
	for (uint32 g = 1; g < top->wanted; g++)
		if (group_row_compare(top, group_row(groups, g), &bound) > 0)
			bound = group_order(top, group_row(groups, g));
	for (uint32 g = 0; g < groups->ngroups; g++)
		found += group_row_compare(top, group_row(groups, g), &bound) <= 0;
	if (found > most)
		return true;
	for (uint32 g = 0; g < groups->ngroups; g++)
		if (group_row_compare(top, group_row(groups, g), &bound) <= 0)
		{
			into[*n] = groups->hashes[g];
			memcpy(into + found + (size_t) *n * groups->row_words, group_row(groups, g), groups->row_words * sizeof(uint64));
			(*n)++;
		}
	return true;
}

/* Return true if each of a batch's groups fits the buffer of read_groups(). */
static bool
groups_are_small(const Program *program, const GroupTable *groups)
{
	for (uint32 g = 0; g < groups->ngroups; g++)
		if (1 + groups->row_words + text_bytes_of(program, group_row(groups, g)) / 8 > GROUP_WORDS_MOST)
			return false;
	return true;
}

/* Add a batch's groups to a group table: all of them, or none if memory is short. */
static DeviceStatus
keep_groups(ProviderTable *table, const GroupTable *groups)
{
	GroupTable *into = &table->groups;
	uint32		capacity = into->capacity;
	uint64		heap = into->heap_capacity;
	uint32		next = 0;

	while (capacity < (uint64) into->ngroups + groups->ngroups)
	{
		if (capacity > GROUP_NONE / 4)
			return STATUS_MEMORY_LIMIT;
		capacity *= 2;
	}
	if (heap < into->heap_used + groups->heap_used)
		heap = 2 * (into->heap_used + groups->heap_used);
	if (!groups_are_small(table->program, groups) ||
		((capacity > into->capacity || heap > into->heap_capacity) && !resize_table(into, capacity, heap)))
		return STATUS_MEMORY_LIMIT;
	return group_merge(table->program, into, groups, &next, groups->ngroups);
}

/* Allocate and reset the memory of a batch, which is touched only as far as it is used; false if memory is short. */
static bool
prepare(CpuBatch *own, const Program *program, uint32 nrows)
{
	GroupTable *groups = &own->groups;
	uint32		capacity = own->batch.table != NULL ? pg_nextpower2_32(Max(nrows, 1)) : GROUPS;

	if (own->arena == NULL && posix_memalign((void **) &own->arena, 64, BATCH_BYTES) != 0)
		return false;
	own->rows = realloc(own->rows, (size_t) PAGE_BATCH_PAGES * HEAP_MAX_TUPLES * sizeof(uint32));
	own->passed = realloc(own->passed, nrows / 8 + 1);
	groups->rows = realloc(groups->rows, (size_t) capacity * program->row_words * 8);
	groups->hashes = realloc(groups->hashes, (size_t) capacity * 8);
	groups->slots = realloc(groups->slots, 2 * (size_t) capacity * 4);
	if (groups->heap == NULL)
		groups->heap = malloc(BATCH_BYTES);
	if (own->rows == NULL || own->passed == NULL || groups->hashes == NULL || groups->slots == NULL || groups->heap == NULL ||
		(groups->rows == NULL && program->row_words > 0))
		return false;
	memset(own->passed, 0, nrows / 8 + 1);
	memset(groups->slots, 0, 2 * (size_t) capacity * 4);
	groups->nslots = 2 * capacity;
	groups->capacity = capacity;
	groups->row_words = program->row_words;
	groups->ngroups = 0;
	groups->heap_capacity = BATCH_BYTES;
	groups->heap_used = 0;
	if (program->aggregates && !program->grouped)
	{
		GroupKey	key = {0};

		group_find_or_insert(program, groups, &key);
	}
	return true;
}

/* Report a tablet's failed column and largest scales in the batch. */
static void
note_columns(ProviderBatch *batch, const Tablet *tablet)
{
	batch->failed_column = tablet->failed_column;
	for (uint32 c = 0; c < tablet->ncols; c++)
		batch->max_scale[c] = Max(batch->max_scale[c], tablet->column[c].max_scale);
}

/* Return the join tables of a job, in a static array. */
static const JoinRows *
tables_of(const ProviderJob *job)
{
	static JoinRows tables[PROGRAM_MAX_TABLES];

	for (uint32 t = 0; t < job->view.program->ntables; t++)
		tables[t] = job->join[t].materialized != NULL ? cpu_materialized_table(job->join[t].materialized)
			: (JoinRows) {(const JoinTable *) job->join[t].block, (const Tablet *) (job->join[t].block + job->join[t].rows_at)};
	return tables;
}

/* Return true if a GPU would have room for copies of the join tables that a job has brought. */
static bool
tables_fit(const ProviderJob *job)
{
	uint64		bytes = 0;

	for (uint32 t = 0; t < job->view.program->ntables; t++)
		bytes += job->join[t].bytes;
	return cpu_has_room(bytes);
}

/* Return true if a job has been cancelled; a callback of the interpreter. */
static bool
is_cancelled(const void *arg)
{
	return *((const ProviderJob *) arg)->cancelled != 0;
}

/* Deform the pages of a page batch, run the program over the tablet, and store outputs and the rows that passed. */
static DeviceStatus
run_page_batch(CpuBatch *own, uint32 w)
{
	const ProviderBatch *batch = &own->batch;
	const PageList *pages = &batch->page_batch[w];
	const uint32 row_start = batch->row_start[w];
	const JobView *view = &batch->job->view;
	const DeformSpec *deform = &view->deform;
	Tablet	   *tablet = (Tablet *) own->arena;
	VmRun		run = {
		.program = view->program, .tablet = tablet, .values = register_values, .nulls = register_nulls,
		.tables = tables_of(batch->job), .materialized = cpu_materialized_rows(batch->materialized), .groups = &own->groups, .out = own->rows, .out_capacity = pages->nrows, .yield_after = -1,
		.cancelled = is_cancelled, .cancelled_arg = batch->job
	};
	uint64		begin = clock_ns();
	uint64		middle;
	DeviceStatus status;
	OutputLayout layout;

	tablet_layout(tablet, deform->types[batch->wide], view->program->ncolumns, pages->nrows,
				  deform_var_bytes(deform, pages->npages, pages->nrows));
	status = cpu_kernel()->deform(deform->plan[batch->wide], pages, tablet);
	if (status == STATUS_DONE)
		status = deform_check(deform, tablet);
	note_columns(&own->batch, tablet);
	middle = clock_ns();
	if (status == STATUS_DONE)
	{
		run.body = program_choose_body(view->program, tablet);
		status = cpu_kernel()->run(&run);
	}
	if (status == STATUS_DONE && batch->output[w] != NULL && view->program->aggregates)
		for (uint32 c = 0; c < tablet->ncols; c++)
			column_store(cpu_kernel()->pack, tablet, c, (Tablet *) batch->output[w]);
	else if (status == STATUS_DONE && batch->output[w] != NULL)
	{
		output_layout(view->program, deform->types[batch->wide], pages->nrows, &layout);
		output_gather(view->program, tablet, run.out, run.out_count, &layout, batch->output[w]);
	}
	for (uint32 i = 0; i < run.out_count; i++)
		own->passed[(row_start + run.out[i]) / 8] |= 1 << (row_start + run.out[i]) % 8;
	own->batch.times.deform_ns += middle - begin;
	own->batch.times.run_ns += clock_ns() - middle;
	return status;
}

/* Return the offset of a column from a tablet, which need not be in the same block of memory; 0 if it has no bytes. */
static uint64
distance(const Tablet *tablet, const uint8 *to)
{
	return to != NULL ? (uint64) (uintptr_t) to - (uint64) (uintptr_t) tablet : 0;
}

/* Run the program over a cached tablet. */
static DeviceStatus
run_tablet(CpuBatch *own, const ProviderTablet *from, const ProviderColumn *column)
{
	const Program *program = own->batch.job->view.program;
	Tablet	   *tablet = (Tablet *) own->arena;
	VmRun		run = {
		.program = program, .tablet = tablet, .selected = from->selected, .values = register_values, .nulls = register_nulls,
		.tables = tables_of(own->batch.job), .materialized = cpu_materialized_rows(own->batch.materialized), .groups = &own->groups, .yield_after = -1,
		.cancelled = is_cancelled, .cancelled_arg = own->batch.job
	};
	TextBytes	texts[PROGRAM_MAX_COLUMNS];
	uint64		begin = clock_ns();
	DeviceStatus status;

	*tablet = (Tablet) {.nrows = from->nrows, .ncols = program->ncolumns, .failed_column = -1};
	for (uint32 c = 0; c < program->ncolumns; c++)
	{
		tablet->column[c] = column[c].stored;
		tablet->column[c].values = distance(tablet, column[c].values);
		tablet->column[c].nulls = distance(tablet, column[c].nulls);
		texts[c] = (TextBytes) {column[c].texts, column[c].text_bytes};
	}
	if (!tablet_place_texts(tablet, texts))
		return STATUS_MEMORY_LIMIT;
	run.body = program_choose_body(program, tablet);
	status = cpu_kernel()->run(&run);
	own->batch.times.run_ns += clock_ns() - begin;
	return status;
}

/* Run the program over all cached tablets of a batch. */
static DeviceStatus
run_cached(CpuBatch *own)
{
	const ProviderBatch *batch = &own->batch;
	const uint32 ncolumns = batch->job->view.program->ncolumns;
	DeviceStatus status = STATUS_DONE;

	for (uint32 p = 0; p < batch->npicks; p++)
	{
		const ProviderShelf *shelf = batch->pick[p].shelf;

		for (uint32 t = 0; t < shelf->ntablets && status == STATUS_DONE; t++)
			if (batch->pick[p].wanted >> t & 1)
				status = run_tablet(own, &shelf->tablet[t], &shelf->column[t * ncolumns]);
	}
	for (uint32 t = 0; t < batch->ntablets && status == STATUS_DONE; t++)
		status = run_tablet(own, &batch->tablet[t], &batch->column[t * ncolumns]);
	return status;
}

static void
submit(ProviderBatch *batch)
{
	CpuBatch   *own = (CpuBatch *) batch;
	const Program *program = batch->job->view.program;
	bool		ready = tables_fit(batch->job) && prepare(own, program, batch->row_start[batch->npage_batches]);

	batch->status = ready ? STATUS_DONE : STATUS_MEMORY_LIMIT;
	batch->failed_column = -1;
	memset(batch->max_scale, 0, sizeof(batch->max_scale));
	memset(&batch->times, 0, sizeof(batch->times));
	if (batch->cached && batch->status == STATUS_DONE)
		batch->status = run_cached(own);
	for (uint32 w = 0; w < batch->npage_batches && !batch->cached && batch->status == STATUS_DONE; w++)
		batch->status = run_page_batch(own, w);
	if (batch->status == STATUS_DONE && batch->table != NULL)
		batch->status = keep_groups(batch->table, &own->groups);
	batch->groups = program->aggregates && batch->table == NULL ? &own->groups : NULL;
	batch->passed = own->passed;
	own->finished = true;
}

static ProviderBatch *
collect(void)
{
	for (int i = 0; i < BATCHES; i++)
		if (batches[i].used && batches[i].finished)
		{
			batches[i].finished = false;
			return &batches[i].batch;
		}
	return NULL;
}

static void
release(ProviderBatch *batch)
{
	((CpuBatch *) batch)->used = false;
}

/* Measure the rates of memory; nothing is copied or launched here, so that the other rates remain unknown. */
static bool
measure(ProviderRates *rates)
{
	memory_rates(&rates->read_page, &rates->read_word);
	return true;
}

static const Provider provider = {
	.abi = PROVIDER_ABI,
	.name = "cpu",
	.start = start,
	.attach = attach,
	.accepts = accepts,
	.acquire = acquire,
	.submit = submit,
	.collect = collect,
	.release = release,
	.open_table = open_table,
	.count_groups = count_groups,
	.read_groups = read_groups,
	.close_table = close_table,
	.read_top = read_top,
	.open_materialized = cpu_open_materialized,
	.index_materialized = cpu_index_materialized,
	.sort_materialized = cpu_sort_materialized,
	.materialized_column = cpu_materialized_column,
	.read_materialized = cpu_read_materialized,
	.close_materialized = cpu_close_materialized,
	.measure = measure,
};

/* Return the provider: what the GPU process looks up in the library. */
extern PGDLLEXPORT const Provider *gpudb_provider(void);

const Provider *
gpudb_provider(void)
{
	return &provider;
}

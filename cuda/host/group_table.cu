/*
 * group_table.cu
 *		Device-resident group tables: the host's side.
 *
 *		block of the pool:	counts | slots | hashes | rows | heap | locks
 *
 * Texts are stored in the heap in the order of their groups, so the texts of
 * consecutive groups are one piece.
 *
 * Growing a table waits for the device, a millisecond at most, and happens a
 * few times in a job's life.  Reading waits, too: 2 MB at a time, for several
 * requests, or as much as a request has room for.
 */
#include <stdlib.h>
#include <string.h>

#include "core/vm/op_agg.h"

#include "host/group_table.h"
#include "host/pool.h"
#include "host/resident.h"
#include "kernels/top_launch.h"

#ifdef GPUDB_FAULTS
#define FIRST_CAPACITY	4096u	/* small, so that tests see a table grow */
#else
#define FIRST_CAPACITY	65536u
#endif
#define LAST_CAPACITY	(1u << 30)
#define STAGING_BYTES	((uint64_t) 2 * 1024 * 1024)	/* bytes for groups, and as many for their texts */

/* Device memory for the orders of the best groups, or for the first groups, which are few. */
#define TOP_ROOM		((uint64_t) 256 * 1024)
#define READ_WHOLE		((uint64_t) 512 * 1024)	/* a request of at least this size is read without staging */
#define FIRST_TEXT		32		/* bytes of a new table's heap per group */

struct ProviderTable
{
	RowShape	shape;
	DeviceTable device;
	uint8_t    *block;
	int			users;			/* number of batches in the table */
	bool		full;			/* the table must grow before a batch enters */
	bool		counted;		/* `counts` are up to date: no batch has entered since */
	RowsLeft	rows;
	uint32_t	room;			/* groups for which blocks have room, if rows are ROWS_SHARED */
	TableCounts counts;			/* last counts read, without failed allocations */
	/* groups in the staging buffer, if the buffer belongs to this table */
	uint32_t	staged_first;
	uint32_t	staged;
	const uint64_t *staged_rows;	/* staged rows, behind the hashes */
};

static cudaStream_t stream;
static uint64_t *staging;		/* pinned: hashes, then rows */
static uint8_t *staged_texts;	/* pinned: texts of the staged groups */
static ProviderTable *staging_owner;
static TableCounts *passing;	/* pinned: buffer to copy a table's counts */
static uint8_t *top_room;		/* device memory: the best groups' orders; or the groups found, after their number */

RowsLeft
group_table_rows(const ProviderTable *table)
{
	return table->rows;
}

void
group_table_note_rows(ProviderTable *table, RowsLeft rows)
{
	table->rows = rows;
}

uint32_t
group_table_room(const ProviderTable *table)
{
	return table->room;
}

void
group_table_note_room(ProviderTable *table, uint32_t room)
{
	table->rows = ROWS_SHARED;
	table->room = room;
}

cudaError_t
group_table_start(uint64_t bytes)
{
	cudaError_t error = pool_create(bytes);

	if (error == cudaSuccess)
		error = CUDA_CALL(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	if (error == cudaSuccess)
		error = CUDA_CALL(cudaHostAlloc((void **) &staging, 2 * STAGING_BYTES + sizeof(TableCounts), cudaHostAllocDefault));
	if (error == cudaSuccess)
		error = CUDA_CALL(cudaMalloc((void **) &top_room, TOP_ROOM));
	staged_texts = (uint8_t *) staging + STAGING_BYTES;
	passing = (TableCounts *) (staged_texts + STAGING_BYTES);
	return error;
}

/*
 * Lay out a table of the capacity and heap given in *device in a block, or in
 * none if it is NULL; return the bytes of the table.
 */
static uint64_t
lay_out(DeviceTable *device, const RowShape *shape, uint8_t *block)
{
	uint64_t	at = 256;

	device->counts = (TableCounts *) block;
	device->nslots = 2 * device->capacity;
	device->slots = (uint64_t *) (block + at);
	at += (uint64_t) device->nslots * 8;
	device->hashes = (uint64_t *) (block + at);
	at += (uint64_t) device->capacity * 8;
	device->rows = (uint64_t *) (block + at);
	at += (uint64_t) device->capacity * shape->row_words * 8;
	device->heap = (uint64_t *) (block + at);
	at += (uint64_t) device->heap_units * HEAP_UNIT;
	device->locks = (uint32_t *) (block + at);
	return at + (shape->locked ? (uint64_t) device->capacity * 4 : 0);
}

/*
 * Allocate and clear a table of the capacity and heap given in *device, on the
 * stream; return false if there is no room, or with *error.
 */
static bool
make_table(DeviceTable *device, const RowShape *shape, uint8_t **block, cudaError_t *error)
{
	const uint64_t bytes = lay_out(device, shape, NULL);

	*error = cudaSuccess;
	/* cached columns can be copied again */
	while ((*block = pool_take(bytes)) == NULL)
		if (!resident_evict())
			return false;
	lay_out(device, shape, *block);
	/* the memory may contain another database's data */
	*error = CUDA_CALL(cudaMemsetAsync(*block, 0, bytes, stream));
	return *error == cudaSuccess;
}

bool
groups_shape(const Program *program, RowShape *shape)
{
	memset(shape, 0, sizeof(*shape));
	shape->row_words = rows_without_tallies(program, shape->state_kind, shape->state_word, &shape->ntallies);
	shape->key_words = 1;
	for (uint32_t k = 0; k < program->nkeys; k++)
	{
		if (program->key_word[k] != shape->key_words)
			return false;
		if (program->key_kind[k] == KEY_TEXT)
			shape->text_word[shape->ntexts++] = shape->key_words;
		shape->key_words += words_of_key(program->key_kind[k]);
	}
	shape->nstates = program->nstates;
	for (uint32_t s = 0; s < program->nstates; s++)
	{
		if (state_is_text((StateKind) program->state_kind[s]))
			return false;
		shape->locked |= !state_is_atomic((StateKind) shape->state_kind[s]);
	}
	return true;
}

/* Return true if groups have exact sums, which have no place in device-resident tables. */
static bool
has_exact(const Program *program)
{
	for (uint32_t s = 0; s < program->nstates; s++)
		if (program->state_kind[s] == STATE_EXACT)
			return true;
	return false;
}

ProviderTable *
group_table_open(const ProviderJob *job)
{
	ProviderTable *table = (ProviderTable *) calloc(1, sizeof(ProviderTable));
	cudaError_t error = cudaSuccess;

	if (table == NULL)
		return NULL;
	table->device.capacity = FIRST_CAPACITY;
	if (program_text_keys(job->view.program))
		table->device.heap_units = FIRST_CAPACITY * FIRST_TEXT / HEAP_UNIT;
	if (!has_exact(job->view.program) && groups_shape(job->view.program, &table->shape) &&
		make_table(&table->device, &table->shape, &table->block, &error))
	{
		error = CUDA_CALL(cudaStreamSynchronize(stream));
		if (error == cudaSuccess)
			return table;
	}
	pool_give(table->block);
	free(table);
	return NULL;
}

void
group_table_close(ProviderTable *table)
{
	if (staging_owner == table)
		staging_owner = NULL;
	pool_give(table->block);
	free(table);
}

/*
 * Read the numbers of groups and of units of their texts; the device's counts
 * include failed allocations, which are subtracted.
 */
static cudaError_t
count_groups(ProviderTable *table)
{
	cudaError_t error;

	if (table->counted)
		return cudaSuccess;
	error = CUDA_CALL(cudaMemcpyAsync(passing, table->device.counts, sizeof(TableCounts), cudaMemcpyDeviceToHost, stream));
	if (error == cudaSuccess)
		error = CUDA_CALL(cudaStreamSynchronize(stream));
	table->counted = error == cudaSuccess;
	table->counts = table->counted ? *passing : TableCounts();
	if (table->counts.refused != 0)
		table->counts.taken = ~table->counts.refused;
	table->counts.refused = 0;
	return error;
}

static uint32_t
group_count(const ProviderTable *table)
{
	return ROOM_GROUPS(table->counts.taken);
}

bool
group_table_count(ProviderTable *table, uint32_t *count)
{
	const bool	counted = count_groups(table) == cudaSuccess;

	*count = group_count(table);
	return counted;
}

/* Copy the groups to a larger table. */
static cudaError_t
move_groups(ProviderTable *table, const DeviceTable *into)
{
	const DeviceTable *from = &table->device;
	const uint32_t count = group_count(table);
	const size_t row_bytes = (size_t) table->shape.row_words * 8;
	cudaError_t error = CUDA_CALL(cudaMemcpyAsync(into->hashes, from->hashes, (size_t) count * 8, cudaMemcpyDeviceToDevice, stream));

	if (error == cudaSuccess)
		error = CUDA_CALL(cudaMemcpyAsync(into->rows, from->rows, count * row_bytes, cudaMemcpyDeviceToDevice, stream));
	if (error == cudaSuccess && ROOM_UNITS(table->counts.taken) > 0)
		error = CUDA_CALL(cudaMemcpyAsync(into->heap, from->heap, (size_t) ROOM_UNITS(table->counts.taken) * HEAP_UNIT,
										  cudaMemcpyDeviceToDevice, stream));
	*passing = table->counts;
	if (error == cudaSuccess)
		error = CUDA_CALL(cudaMemcpyAsync(into->counts, passing, sizeof(TableCounts), cudaMemcpyHostToDevice, stream));
	if (error == cudaSuccess)
		error = CUDA_CALL((cudaError_t) groups_rehash(into, count, stream));
	if (error == cudaSuccess)
		error = CUDA_CALL(cudaStreamSynchronize(stream));
	return error;
}

/*
 * Compute a table larger by `factor` in what is scarce: groups, the heap, or
 * both; return false if that exceeds the limits.
 */
static bool
enlarge(const ProviderTable *table, uint32_t factor, DeviceTable *larger)
{
	const DeviceTable *device = &table->device;
	const bool	groups = group_count(table) >= device->capacity / 2;
	/* a single large text may have found no room */
	const bool	heap = table->shape.ntexts > 0 && (!groups || ROOM_UNITS(table->counts.taken) >= device->heap_units / 2);

	larger->capacity = groups ? device->capacity * factor : device->capacity;
	larger->heap_units = heap ? device->heap_units * factor : device->heap_units;
	return (!groups || device->capacity <= LAST_CAPACITY / factor) && (!heap || device->heap_units <= HEAP_UNITS_MOST / factor);
}

/* Enlarge a table four times, or twice if memory is short; no batch may be in the table. */
static DeviceStatus
grow(ProviderTable *table, cudaError_t *error)
{
	*error = count_groups(table);
	for (uint32_t factor = 4; factor >= 2 && *error == cudaSuccess; factor /= 2)
	{
		DeviceTable larger;
		uint8_t    *block;

		if (!enlarge(table, factor, &larger) || !make_table(&larger, &table->shape, &block, error))
			continue;
		*error = move_groups(table, &larger);
		if (*error != cudaSuccess)
			break;
		pool_give(table->block);
		table->block = block;
		table->device = larger;
		return STATUS_DONE;
	}
	return *error != cudaSuccess ? STATUS_DEVICE_DOWN : STATUS_MEMORY_LIMIT;
}

DeviceStatus
group_table_enter(ProviderTable *table, GroupsLaunch *launch, cudaError_t *error)
{
	if (table->full)
	{
		DeviceStatus status;

		if (table->users > 0)
			return STATUS_TIME_SLICE;
		status = grow(table, error);
		if (status != STATUS_DONE)
			return status;
		table->full = false;
	}
	table->users++;
	table->counted = false;
	launch->table = table->device;
	launch->shape = table->shape;
	return STATUS_DONE;
}

void
group_table_leave(ProviderTable *table, uint32_t pending)
{
	table->users--;
	table->full |= pending > 0;
}

/*
 * Return the offset in the heap, in bytes, at which the texts of a row's group
 * begin; or the bytes of the texts, rounded up to units.
 */
static uint64_t
texts_begin(const ProviderTable *table, const uint64_t *row)
{
	return table->shape.ntexts > 0 ? row[table->shape.text_word[0]] : 0;
}

static uint64_t
texts_bytes(const ProviderTable *table, const uint64_t *row)
{
	uint64_t	units = 0;

	for (uint32_t t = 0; t < table->shape.ntexts; t++)
		units += UNITS_OF_TEXT(row[table->shape.text_word[t] + 1]);
	return units * HEAP_UNIT;
}

static const uint64_t *
staged_row(const ProviderTable *table, uint32_t at)
{
	return table->staged_rows + (size_t) at * table->shape.row_words;
}

/*
 * Copy the texts of n groups whose rows are in the staging buffer to the
 * staging buffer, too, as far as they fit; *n becomes the number of groups
 * whose texts fit.
 */
static cudaError_t
stage_texts(const ProviderTable *table, uint32_t *n)
{
	const uint64_t begin = texts_begin(table, staged_row(table, 0));
	uint64_t	bytes = 0;
	uint32_t	fit = 0;
	cudaError_t error = cudaSuccess;

	for (; fit < *n; fit++)
	{
		const uint64_t more = texts_bytes(table, staged_row(table, fit));

		if (bytes + more > STAGING_BYTES)
			break;
		bytes += more;
	}
	*n = fit;
	if (bytes > 0)
		error = CUDA_CALL(cudaMemcpyAsync(staged_texts, (const uint8_t *) table->device.heap + begin, bytes, cudaMemcpyDeviceToHost, stream));
	if (bytes > 0 && error == cudaSuccess)
		error = CUDA_CALL(cudaStreamSynchronize(stream));
	return error;
}

/* Copy n groups from number `first` on to the host. */
static cudaError_t
fetch(const ProviderTable *table, uint32_t first, uint32_t n, uint64_t *hashes, uint64_t *rows)
{
	const size_t row_words = table->shape.row_words;
	cudaError_t error = CUDA_CALL(cudaMemcpyAsync(hashes, table->device.hashes + first, (size_t) n * 8, cudaMemcpyDeviceToHost, stream));

	if (error == cudaSuccess)
		error = CUDA_CALL(cudaMemcpyAsync(rows, table->device.rows + first * row_words, n * row_words * 8, cudaMemcpyDeviceToHost, stream));
	if (error == cudaSuccess)
		error = CUDA_CALL(cudaStreamSynchronize(stream));
	return error;
}

/* Copy groups from number `first` on to the staging buffer, as many as fit. */
static cudaError_t
stage(ProviderTable *table, uint32_t first)
{
	const size_t group_bytes = 8 * (1 + (size_t) table->shape.row_words);
	uint32_t	n = (uint32_t) (STAGING_BYTES / group_bytes);
	cudaError_t error = count_groups(table);

	staging_owner = NULL;
	if (error != cudaSuccess || first >= group_count(table))
		return error;
	if (n > group_count(table) - first)
		n = group_count(table) - first;
	error = fetch(table, first, n, staging, staging + n);
	table->staged_rows = staging + n;
	if (error == cudaSuccess && table->shape.ntexts > 0)
		error = stage_texts(table, &n);
	table->staged_first = first;
	table->staged = n;
	if (error == cudaSuccess)
		staging_owner = table;
	return error;
}

/*
 * Return how many staged groups, from index `at` on, fit in `words` words with
 * their texts, and the bytes of the texts.
 */
static uint32_t
groups_that_fit(const ProviderTable *table, uint32_t at, uint32_t words, uint64_t *text_bytes)
{
	uint64_t	used = 0;
	uint32_t	n = 0;

	for (*text_bytes = 0; at + n < table->staged; n++)
	{
		const uint64_t bytes = texts_bytes(table, staged_row(table, at + n));

		used += 1 + table->shape.row_words + bytes / 8;
		if (used > words)
			break;
		*text_bytes += bytes;
	}
	return n;
}

/* Copy groups without texts directly to their destination. */
static bool
read_whole(ProviderTable *table, uint32_t first, uint32_t words, uint64_t *into, uint32_t *n)
{
	cudaError_t error = count_groups(table);

	*n = 0;
	if (error != cudaSuccess || first >= group_count(table))
		return false;
	*n = words / (1 + table->shape.row_words);
	if (*n > group_count(table) - first)
		*n = group_count(table) - first;
	return fetch(table, first, *n, into, into + *n) == cudaSuccess;
}

bool
group_table_read(ProviderTable *table, uint32_t first, uint32_t words, uint64_t *into, uint32_t *n, uint64_t *text_bytes)
{
	const size_t row_words = table->shape.row_words;
	uint64_t   *rows;
	uint32_t	at;

	*text_bytes = 0;
	if (table->shape.ntexts == 0 && words * sizeof(uint64_t) >= READ_WHOLE)
		return read_whole(table, first, words, into, n);
	if ((staging_owner != table || first < table->staged_first || first - table->staged_first >= table->staged) &&
		(stage(table, first) != cudaSuccess || staging_owner != table))
		return false;
	at = first - table->staged_first;
	*n = groups_that_fit(table, at, words, text_bytes);
	rows = into + *n;
	memcpy(into, staging + at, (size_t) *n * 8);
	memcpy(rows, staged_row(table, at), *n * row_words * 8);
	if (*n > 0 && table->shape.ntexts > 0)
	{
		const uint64_t begin = texts_begin(table, staged_row(table, at));

		memcpy(rows + *n * row_words, staged_texts + (begin - texts_begin(table, staged_row(table, 0))), *text_bytes);
		for (uint32_t g = 0; g < *n; g++)
			for (uint32_t t = 0; t < table->shape.ntexts; t++)
				rows[g * row_words + table->shape.text_word[t]] -= begin;
	}
	return *n > 0;
}

static const GroupTop *sorted_by;	/* order used by compare_orders() */

static int
compare_orders(const void *a, const void *b)
{
	return group_order_compare(sorted_by, (const GroupOrder *) a, (const GroupOrder *) b);
}

/* Find the order of the n-th best group among the best ones of the parts; there are more parts than n. */
static cudaError_t
find_bound(TopLaunch *launch)
{
	const uint32_t parts = top_parts(launch->ngroups);
	GroupOrder *best = (GroupOrder *) staging;
	cudaError_t error = CUDA_CALL((cudaError_t) top_best(launch, (GroupOrder *) top_room, stream));

	staging_owner = NULL;
	if (error == cudaSuccess)
		error = CUDA_CALL(cudaMemcpyAsync(best, top_room, parts * sizeof(GroupOrder), cudaMemcpyDeviceToHost, stream));
	if (error == cudaSuccess)
		error = CUDA_CALL(cudaStreamSynchronize(stream));
	if (error == cudaSuccess)
	{
		sorted_by = &launch->top;
		qsort(best, parts, sizeof(GroupOrder), compare_orders);
		launch->bound = best[launch->top.wanted - 1];
	}
	return error;
}

/* Collect the groups within the bound, if they fit; *n is their number. */
static cudaError_t
collect_top(TopLaunch *launch, uint64_t *into, uint32_t *n)
{
	const size_t row_bytes = (size_t) launch->row_words * 8;
	uint32_t   *nfound = (uint32_t *) staging;
	cudaError_t error = CUDA_CALL(cudaMemsetAsync(top_room, 0, sizeof(uint32_t), stream));

	launch->nfound = (uint32_t *) top_room;
	launch->found_hashes = (uint64_t *) (top_room + 64);
	launch->found_rows = launch->found_hashes + launch->most;
	if (error == cudaSuccess)
		error = CUDA_CALL((cudaError_t) top_collect(launch, stream));
	if (error == cudaSuccess)
		error = CUDA_CALL(cudaMemcpyAsync(staging, top_room, 64 + launch->most * (8 + row_bytes), cudaMemcpyDeviceToHost, stream));
	if (error == cudaSuccess)
		error = CUDA_CALL(cudaStreamSynchronize(stream));
	if (error != cudaSuccess || *nfound > launch->most)
		return error;
	*n = *nfound;
	memcpy(into, staging + 8, *n * 8);
	memcpy(into + *n, staging + 8 + launch->most, *n * row_bytes);
	return error;
}

bool
group_table_read_top(ProviderTable *table, const GroupTop *top, uint32_t words, uint64_t *into, uint32_t *n)
{
	const uint64_t group_bytes = 8 * (1 + (uint64_t) table->shape.row_words);
	TopLaunch	launch = {};
	cudaError_t error = count_groups(table);

	*n = 0;
	launch.hashes = table->device.hashes;
	launch.rows = table->device.rows;
	launch.ngroups = group_count(table);
	launch.row_words = table->shape.row_words;
	launch.top = *top;
	launch.most = (uint32_t) (words * 8 / group_bytes < (TOP_ROOM - 64) / group_bytes ? words * 8 / group_bytes : (TOP_ROOM - 64) / group_bytes);
	/* too few parts would make a bad bound */
	if (error != cudaSuccess || table->shape.ntexts > 0 || !group_top_fits(top, launch.row_words) ||
		top->wanted > top_parts(launch.ngroups) / 4)
		return error == cudaSuccess;
	error = find_bound(&launch);
	if (error == cudaSuccess)
		error = collect_top(&launch, into, n);
	return error == cudaSuccess;
}

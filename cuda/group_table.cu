/*
 * group_table.cu
 *		Groups that stay on the device for as long as a job runs: the host's side.
 *
 *		block of the pool:	counts | slots | hashes | rows | locks
 *
 * Growing waits for the device, a millisecond at most, and happens a few times
 * in a job's life; so does reading, 2 MB at a time.
 */
#include <stdlib.h>
#include <string.h>

#include "core/op_agg.h"

#include "group_table.h"
#include "pool.h"

#ifdef GPUDB_FAULTS
#define FIRST_CAPACITY	4096u	/* so that tests see a table grow */
#else
#define FIRST_CAPACITY	65536u
#endif
#define LAST_CAPACITY	(1u << 30)
#define STAGING_BYTES	((uint64_t) 2 * 1024 * 1024)

struct ProviderTable
{
	RowShape	shape;
	DeviceTable device;
	uint8_t    *block;
	int			users;			/* batches between entering and leaving */
	bool		full;			/* to grow before anybody enters */
	bool		counted;		/* and nobody has entered since */
	TableCounts counts;			/* as last learnt, without groups that had no room */
	/* groups that are in the staging buffer, if it is this table's */
	uint32_t	staged_first;
	uint32_t	staged;
};

static cudaStream_t stream;
static uint64_t *staging;		/* pinned: hashes, then rows */
static ProviderTable *staging_owner;
static TableCounts *passing;	/* pinned: a table's counts on their way */

cudaError_t
group_table_start(uint64_t bytes)
{
	cudaError_t error = pool_create(bytes);

	if (error == cudaSuccess)
		error = CUDA_CALL(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	if (error == cudaSuccess)
		error = CUDA_CALL(cudaHostAlloc((void **) &staging, STAGING_BYTES + sizeof(TableCounts), cudaHostAllocDefault));
	passing = (TableCounts *) (staging + STAGING_BYTES / 8);
	return error;
}

/* Lay out a table in a block, or only tell how many bytes it needs. */
static uint64_t
lay_out(DeviceTable *device, const RowShape *shape, uint32_t capacity, uint8_t *block)
{
	uint64_t	at = 256;

	device->counts = (TableCounts *) block;
	device->capacity = capacity;
	device->nslots = 2 * capacity;
	device->slots = (uint64_t *) (block + at);
	at += (uint64_t) device->nslots * 8;
	device->hashes = (uint64_t *) (block + at);
	at += (uint64_t) capacity * 8;
	device->rows = (uint64_t *) (block + at);
	at += (uint64_t) capacity * shape->row_words * 8;
	device->locks = (uint32_t *) (block + at);
	return at + (shape->locked ? (uint64_t) capacity * 4 : 0);
}

/* A table without groups, on the stream; false when there is no room, or with *error. */
static bool
make_table(DeviceTable *device, const RowShape *shape, uint32_t capacity, uint8_t **block, cudaError_t *error)
{
	const uint64_t bytes = lay_out(device, shape, capacity, NULL);

	*error = cudaSuccess;
	*block = pool_take(bytes);
	if (*block == NULL)
		return false;
	lay_out(device, shape, capacity, *block);
	/* what was there may be another database's */
	*error = CUDA_CALL(cudaMemsetAsync(*block, 0, bytes, stream));
	return *error == cudaSuccess;
}

ProviderTable *
group_table_open(const ProviderJob *job)
{
	ProviderTable *table = (ProviderTable *) calloc(1, sizeof(ProviderTable));
	cudaError_t error = cudaSuccess;

	if (table == NULL)
		return NULL;
	if (groups_shape(job->view.program, &table->shape) &&
		make_table(&table->device, &table->shape, FIRST_CAPACITY, &table->block, &error))
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

/* Learn how many groups there are; the device also counts those that had no room. */
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
	if (table->counts.ngroups > table->device.capacity)
		table->counts.ngroups = table->device.capacity;
	return error;
}

bool
group_table_count(ProviderTable *table, uint32_t *count)
{
	const bool	counted = count_groups(table) == cudaSuccess;

	*count = table->counts.ngroups;
	return counted;
}

/* Move the groups to a larger table. */
static cudaError_t
move_groups(ProviderTable *table, const DeviceTable *into)
{
	const DeviceTable *from = &table->device;
	const uint32_t count = table->counts.ngroups;
	const size_t row_bytes = (size_t) table->shape.row_words * 8;
	cudaError_t error = CUDA_CALL(cudaMemcpyAsync(into->hashes, from->hashes, (size_t) count * 8, cudaMemcpyDeviceToDevice, stream));

	if (error == cudaSuccess)
		error = CUDA_CALL(cudaMemcpyAsync(into->rows, from->rows, count * row_bytes, cudaMemcpyDeviceToDevice, stream));
	*passing = table->counts;
	if (error == cudaSuccess)
		error = CUDA_CALL(cudaMemcpyAsync(into->counts, passing, sizeof(TableCounts), cudaMemcpyHostToDevice, stream));
	if (error == cudaSuccess)
		error = CUDA_CALL((cudaError_t) groups_rehash(into, count, stream));
	if (error == cudaSuccess)
		error = CUDA_CALL(cudaStreamSynchronize(stream));
	return error;
}

/* Four times the room, or twice, as far as memory goes; nobody is in the table. */
static DeviceStatus
grow(ProviderTable *table, cudaError_t *error)
{
	for (uint32_t factor = 4; factor >= 2; factor /= 2)
	{
		DeviceTable larger;
		uint8_t    *block;

		if (table->device.capacity > LAST_CAPACITY / factor)
			continue;
		if (make_table(&larger, &table->shape, table->device.capacity * factor, &block, error))
		{
			*error = count_groups(table);
			if (*error == cudaSuccess)
				*error = move_groups(table, &larger);
			if (*error == cudaSuccess)
			{
				pool_give(table->block);
				table->block = block;
				table->device = larger;
				return STATUS_DONE;
			}
		}
		if (*error != cudaSuccess)
			return STATUS_DEVICE_DOWN;
	}
	return STATUS_MEMORY_LIMIT;
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

/* Have groups from `first` on in the staging buffer, as many as it holds. */
static cudaError_t
stage(ProviderTable *table, uint32_t first)
{
	const size_t group_bytes = 8 * (1 + (size_t) table->shape.row_words);
	uint32_t	n = (uint32_t) (STAGING_BYTES / group_bytes);
	cudaError_t error = count_groups(table);

	if (error != cudaSuccess || first >= table->counts.ngroups)
		return error;
	if (n > table->counts.ngroups - first)
		n = table->counts.ngroups - first;
	error = CUDA_CALL(cudaMemcpyAsync(staging, table->device.hashes + first, (size_t) n * 8, cudaMemcpyDeviceToHost, stream));
	if (error == cudaSuccess)
		error = CUDA_CALL(cudaMemcpyAsync(staging + n, table->device.rows + (size_t) first * table->shape.row_words,
										  n * (group_bytes - 8), cudaMemcpyDeviceToHost, stream));
	if (error == cudaSuccess)
		error = CUDA_CALL(cudaStreamSynchronize(stream));
	table->staged_first = first;
	table->staged = error == cudaSuccess ? n : 0;
	staging_owner = table;
	return error;
}

bool
group_table_read(ProviderTable *table, uint32_t first, uint32_t n, uint64_t *hashes, uint64_t *rows)
{
	const size_t row_bytes = (size_t) table->shape.row_words * 8;

	while (n > 0)
	{
		uint32_t	at = first - table->staged_first;
		uint32_t	ready;

		if (staging_owner != table || first < table->staged_first || at >= table->staged)
		{
			if (stage(table, first) != cudaSuccess || staging_owner != table || table->staged == 0)
				return false;
			at = 0;
		}
		ready = table->staged - at < n ? table->staged - at : n;
		memcpy(hashes, staging + at, (size_t) ready * 8);
		memcpy(rows, (uint8_t *) (staging + table->staged) + at * row_bytes, ready * row_bytes);
		hashes += ready;
		rows += (size_t) ready * table->shape.row_words;
		first += ready;
		n -= ready;
	}
	return true;
}

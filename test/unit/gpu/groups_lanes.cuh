/*
 * groups_lanes.cuh
 *		Group tables of the host's side, filled by several batches at a time, and read.
 */
#ifndef GPUDB_TEST_GROUPS_LANES_CUH
#define GPUDB_TEST_GROUPS_LANES_CUH

#include "groups_kernels.cuh"

/* Stages of a batch in the GPU process's use of a table. */
typedef enum LaneStage
{
	LANE_FREE,
	LANE_ENTERING,
	LANE_FINDING,
	LANE_UPDATING
} LaneStage;

typedef struct Lane
{
	LaneStage	stage;
	cudaStream_t stream;
	GroupsLaunch launch;
	GroupsResult result;
	Batch		batch;
	uint32_t	waited;			/* times that it waited for others to leave */
	DeviceStatus status;		/* status of the batch that has ended */
} Lane;

static uint64_t
pool_bytes(void)
{
	return (uint64_t) (brief ? 64 : 512) << 20;
}

/* Make lanes for batches of `nrows` rows; device_drop() frees their memory. */
static void
make_lanes(Lane *lanes, cudaStream_t *streams, const Program *program, uint32_t nrows)
{
	make_streams(streams);
	for (int s = 0; s < STREAMS; s++)
	{
		lanes[s] = Lane();
		lanes[s].stream = streams[s];
		lanes[s].launch.hashes = device_take<uint64_t>(nrows, 0);
		lanes[s].launch.rows = device_take<uint64_t>((size_t) nrows * program->row_words, 0);
		lanes[s].launch.group = device_take<uint32_t>(nrows, 0);
		lanes[s].launch.result = device_take<GroupsResult>(1, 0);
	}
	settle();
}

/* Enter the table, and start finding groups if it admits the batch. */
static void
lane_enter(Lane *lane, ProviderTable *table)
{
	cudaError_t error = cudaSuccess;
	const DeviceStatus status = group_table_enter(table, &lane->launch, &error);

	check(error, "enter");
	lane->stage = status == STATUS_TIME_SLICE ? LANE_ENTERING : status == STATUS_DONE ? LANE_FINDING : LANE_FREE;
	lane->status = status;
	lane->waited += status == STATUS_TIME_SLICE;
	if (status != STATUS_DONE)
		return;
	check(cudaMemsetAsync(lane->launch.result, 0, sizeof(GroupsResult), lane->stream), "memset");
	check(groups_find(&lane->launch, lane->stream), "find");
}

static void
lane_load(Lane *lane, const Batch &batch)
{
	lane->batch = batch;
	lane->launch.nrows = batch.nrows;
	check(cudaMemcpyAsync((void *) lane->launch.hashes, lane->batch.hashes.data(), lane->batch.hashes.size() * 8,
						  cudaMemcpyHostToDevice, lane->stream), "copy hashes");
	check(cudaMemcpyAsync((void *) lane->launch.rows, lane->batch.rows.data(), lane->batch.rows.size() * 8,
						  cudaMemcpyHostToDevice, lane->stream), "copy rows");
	check(cudaMemsetAsync(lane->launch.group, 0xff, (size_t) batch.nrows * 4, lane->stream), "memset");
	if (!batch.texts.empty())
	{
		/* the copy waits for earlier batches; its memory is freed by device_drop() */
		lane->launch.texts = to_device(batch.texts);
		lane->launch.constants = to_device(batch.constants);
		settle();
	}
}

static void
lane_start(Lane *lane, ProviderTable *table, const Batch &batch)
{
	lane_load(lane, batch);
	lane_enter(lane, table);
}

/* Start a lane's next stage if the device has finished the last one; return true if the batch has ended. */
static bool
lane_advance(Lane *lane, ProviderTable *table)
{
	cudaError_t error;

	if (lane->stage == LANE_ENTERING)
	{
		lane_enter(lane, table);
		return lane->stage == LANE_FREE;
	}
	error = cudaStreamQuery(lane->stream);
	if (error == cudaErrorNotReady)
		return false;
	check(error, "run");
	check(cudaMemcpyAsync(&lane->result, lane->launch.result, sizeof(GroupsResult), cudaMemcpyDeviceToHost, lane->stream),
		  "copy the result");
	check(cudaStreamSynchronize(lane->stream), "copy the result");
	if (lane->stage == LANE_FINDING && lane->result.status != STATUS_DONE)
	{
		group_table_leave(table, 0);
		lane->status = (DeviceStatus) lane->result.status;
		lane->stage = LANE_FREE;
		return true;
	}
	if (lane->stage == LANE_FINDING && lane->result.pending > 0)
	{
		group_table_leave(table, lane->result.pending);
		lane_enter(lane, table);
		return lane->stage == LANE_FREE;
	}
	if (lane->stage == LANE_FINDING)
	{
		check(groups_update(&lane->launch, lane->stream), "update");
		lane->stage = LANE_UPDATING;
		return false;
	}
	group_table_leave(table, 0);
	lane->status = (DeviceStatus) lane->result.status;
	lane->stage = LANE_FREE;
	return true;
}

static void
lane_finish(Lane *lane, ProviderTable *table)
{
	while (lane->stage != LANE_FREE)
		lane_advance(lane, table);
}

/* Filling a table: batches with `fresh` new groups each, until there are `most` groups, or it is full. */
typedef struct Filling
{
	ProviderTable *table;
	Lane	   *lanes;
	uint32_t	nrows;			/* rows of a batch */
	uint32_t	fresh;			/* new groups of a batch */
	uint32_t	groups;			/* groups so far */
	uint32_t	most;
	uint32_t	waited;
	uint32_t	refused;		/* batches that were refused */
	Reference  *want;
	Reference  *others;			/* groups of batches that were refused */
} Filling;

static void
fill(Filling *filling)
{
	uint32_t	busy = 0;

	do
	{
		busy = 0;
		for (int s = 0; s < STREAMS; s++)
		{
			Lane	   *lane = &filling->lanes[s];

			if (lane->stage == LANE_FREE && filling->groups < filling->most && filling->refused == 0)
			{
				const Mix	mix = {SPREAD_FRESH, filling->fresh, filling->groups, HASH_GOOD};

				filling->groups += filling->fresh;
				lane_start(lane, filling->table, make_batch(filling->want->program, &mix, filling->nrows));
				if (lane->stage != LANE_FREE)
				{
					busy++;
					continue;
				}
			}
			else if (lane->stage == LANE_FREE)
				continue;
			else if (!lane_advance(lane, filling->table))
			{
				busy++;
				continue;
			}
			busy++;
			tap_expect(lane->status == STATUS_DONE || lane->status == STATUS_MEMORY_LIMIT, "a batch ends with %d",
					   (int) lane->status);
			filling->refused += lane->status != STATUS_DONE;
			reference_add(lane->status == STATUS_DONE ? filling->want : filling->others, &lane->batch);
			filling->waited += lane->waited;
			lane->waited = 0;
		}
	} while (busy > 0);
}

/* Read groups from `first` on, at most `words` words of them, and append them; return their number. */
static uint32_t
read_slice(ProviderTable *table, const Program *program, uint32_t first, uint32_t words, Stored *into)
{
	std::vector<uint64_t> slice(words, 0);
	uint64_t	text_bytes = 0;
	uint32_t	n = 0;
	const uint64_t *rows;

	if (!tap_expect(group_table_read(table, first, words, slice.data(), &n, &text_bytes) && n > 0 &&
					(uint64_t) n * (1 + program->row_words) + text_bytes / 8 <= words,
					"%u groups from %u on in %u words, and %llu bytes", n, first, words, (unsigned long long) text_bytes))
		return 0;
	rows = slice.data() + n;
	into->hashes.insert(into->hashes.end(), (const uint64_t *) slice.data(), rows);
	for (uint32_t i = 0; i < n * program->row_words; i++)
	{
		uint64_t	word = rows[i];

		for (uint32_t k = 0; k < program->nkeys; k++)
			if (program->key_kind[k] == KEY_TEXT && i % program->row_words == program->key_word[k])
			{
				tap_expect(word + rows[i + 1] <= text_bytes, "a text that did not come along");
				word += into->heap.size();
			}
		into->rows.push_back(word);
	}
	into->heap.insert(into->heap.end(), (const uint8_t *) (rows + (size_t) n * program->row_words),
					  (const uint8_t *) (rows + (size_t) n * program->row_words) + text_bytes);
	into->n += n;
	return n;
}

/* Read all groups, in slices of sizes that do not fit the table's own. */
static Stored
read_all(ProviderTable *table, const Program *program)
{
	static const uint32_t sizes[] = {GROUP_WORDS_MOST, GROUP_WORDS_MOST + 7, 16384, 100003, 1000003, GROUP_WORDS_MOST + 1};
	Stored		stored = {};
	uint32_t	count = 0;

	tap_expect(group_table_count(table, &count), "they cannot be counted");
	for (uint32_t i = 0; stored.n < count; i++)
		if (read_slice(table, program, stored.n, sizes[i % lengthof(sizes)], &stored) == 0)
			break;
	return stored;
}

/* Check that a slice that begins at any group has the groups that were read in order. */
static void
check_slice(ProviderTable *table, const Program *program, const Stored *stored, uint32_t first, uint32_t words)
{
	Stored		slice = {};

	if (read_slice(table, program, first, words, &slice) == 0 ||
		!tap_expect(first + slice.n <= stored->n, "%u groups from %u of %u on", slice.n, first, stored->n))
		return;
	for (uint32_t g = 0; g < slice.n; g++)
	{
		const uint64_t *got = &slice.rows[(size_t) g * program->row_words];
		const uint64_t *want = &stored->rows[(size_t) (first + g) * program->row_words];
		const uint32_t keys = program->nstates > 0 ? program->state_word[0] : program->row_words;

		tap_expect(same_keys(program, &slice, g, stored, first + g) &&
				   memcmp(got + keys, want + keys, (program->row_words - keys) * 8) == 0, "group %u of a slice from %u on", g, first);
	}
}

static void
check_slices(ProviderTable *table, const Program *program, const Stored *stored)
{
	for (int i = 0; i < 60 && stored->n > 0; i++)
		check_slice(table, program, stored, random_below(stored->n), GROUP_WORDS_MOST + random_below(i % 3 ? 50u : 90000u));
}

static ProviderTable *
open_table(const Program *program)
{
	ProviderJob job = {};

	job.view.program = program;
	return group_table_open(&job);
}

#endif							/* GPUDB_TEST_GROUPS_LANES_CUH */

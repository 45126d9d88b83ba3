/*
 * groups_test.cu
 *		Merging rows of groups in device memory: the kernels, the tables on the
 *		host's side, the pool.
 *
 * The expected result is that of group_merge() of core/vm/hashtable.h for the same
 * rows.  Tables are compared as sets of groups: a GPU adds them in an order of its
 * own.  A thread that waits for ever would hang the GPU, so each test has a time
 * limit.  GPUDB_TEST_SHORT=1 takes fewer rows, for compute-sanitizer.
 */
#include "groups_kernels.cuh"
#include "groups_lanes.cuh"
#include "groups_sums.cuh"

/* Fill a table with millions of groups from four batches at a time; then with more, until there is no memory. */
static void
test_filling(const char *accepted, const char *refused, const Program &program, uint32_t most)
{
	Lane		lanes[STREAMS];
	cudaStream_t streams[STREAMS];
	Reference	want;
	Reference	others;
	Filling		filling = {};
	Stored		got;
	uint32_t	count = 1;

	begin(accepted);
	filling.nrows = brief ? 20000 : 200000;
	filling.fresh = filling.nrows / 2;
	filling.most = brief ? 150000 : most;
	filling.lanes = lanes;
	filling.want = &want;
	filling.others = &others;
	/* more groups than the pool has room for */
	const uint32_t limit = (uint32_t) (pool_bytes() / 8 / (1 + program.row_words)) + 8 * filling.fresh;

	reference_open(&want, &program, limit);
	reference_open(&others, &program, STREAMS * filling.nrows);
	make_lanes(lanes, streams, &program, filling.nrows);
	filling.table = open_table(&program);
	if (!tap_expect(filling.table != NULL, "no table"))
		exit(1);
	tap_expect(group_table_count(filling.table, &count) && count == 0, "%u groups in a new table", count);
	fill(&filling);
	tap_expect(filling.refused == 0, "%u batches were refused", filling.refused);
	tap_expect(group_table_count(filling.table, &count) && count == filling.most, "%u groups, not %u", count, filling.most);
	got = read_all(filling.table, &program);
	compare(&want, &got, NULL);
	check_slices(filling.table, &program, &got);
	tap_end();
	printf("# batches waited %u times for others to leave\n", filling.waited);

	begin(refused);
	filling.most = limit - 4 * filling.fresh;
	fill(&filling);
	tap_expect(filling.refused > 0, "none was refused with %u groups", filling.groups);
	lane_start(&lanes[0], filling.table, lanes[0].batch);
	tap_expect(lanes[0].stage == LANE_FREE && lanes[0].status == STATUS_MEMORY_LIMIT, "the next one ends with %d",
			   (int) lanes[0].status);
	got = read_all(filling.table, &program);
	compare(&want, &got, &others);
	group_table_close(filling.table);
	drop_streams(streams);
	device_drop();
	tap_end();
}

/* Return the rows without room of a batch that a table has admitted. */
static uint32_t
pending_of(const Lane *lane)
{
	check(cudaStreamSynchronize(lane->stream), "run");
	return result_of(&lane->launch).pending;
}

/* Take memory of the pool, so that a table can become twice as large, but not four times. */
static uint8_t *
take_ballast(const GroupsLaunch *launch)
{
	const uint64_t bytes = (uint64_t) launch->table.nslots * 8 +
		(uint64_t) launch->table.capacity * (8 + launch->shape.row_words * 8 + (launch->shape.locked ? 4 : 0));

	return pool_bytes() > 5 * bytes ? pool_take(pool_bytes() - 4 * bytes) : NULL;
}

/* Test that a batch for which a full table has to grow waits for others in it, and so do later batches. */
static void
test_waiting(void)
{
	const Program program = PROGRAM("wW", all_states);
	const Mix	few = {SPREAD_EVEN, 100, 5, HASH_GOOD};
	cudaError_t error = cudaSuccess;
	cudaStream_t streams[STREAMS];
	Lane		lanes[STREAMS];
	GroupsLaunch probe = {};
	ProviderTable *table = open_table(&program);
	uint8_t    *ballast;
	Reference	want;
	Stored		got;

	begin("a table that is full grows when nobody is in it");
	if (!tap_expect(table != NULL && group_table_enter(table, &probe, &error) == STATUS_DONE, "no table"))
		exit(1);
	group_table_leave(table, 0);
	ballast = take_ballast(&probe);
	const uint32_t nrows = probe.table.capacity + 100;
	const Mix	many = {SPREAD_EACH, nrows, 0, HASH_GOOD};

	make_lanes(lanes, streams, &program, nrows);
	reference_open(&want, &program, nrows);
	lane_start(&lanes[0], table, make_batch(&program, &few, 1000));
	tap_expect(lanes[0].stage == LANE_FINDING && pending_of(&lanes[0]) == 0, "the first batch");
	lane_start(&lanes[1], table, make_batch(&program, &many, nrows));
	/* all groups that have room are found */
	tap_expect(lanes[1].stage == LANE_FINDING && pending_of(&lanes[1]) == 100, "not 100 rows have no room");
	lane_advance(&lanes[1], table);
	tap_expect(lanes[1].stage == LANE_ENTERING, "it grows while the first batch is in it");
	lane_start(&lanes[2], table, make_batch(&program, &few, 2000));
	tap_expect(lanes[2].stage == LANE_ENTERING, "a full table lets others in");
	lane_advance(&lanes[0], table);
	tap_expect(lanes[0].stage == LANE_UPDATING, "the first batch cannot go on");
	tap_expect(!lane_advance(&lanes[1], table) && lanes[1].stage == LANE_ENTERING, "it grows while the first batch updates");
	lane_finish(&lanes[0], table);
	lane_advance(&lanes[1], table);
	tap_expect(lanes[1].stage == LANE_FINDING && lanes[1].launch.table.capacity > probe.table.capacity, "it does not grow");
	for (int s = 0; s <= 2; s++)
	{
		lane_finish(&lanes[s], table);
		tap_expect(lanes[s].status == STATUS_DONE, "batch %d ends with %d", s, (int) lanes[s].status);
		reference_add(&want, &lanes[s].batch);
	}
	got = read_all(table, &program);
	compare(&want, &got, NULL);
	group_table_close(table);
	pool_give(ballast);
	drop_streams(streams);
	device_drop();
	tap_end();
}

/* Make a table with the groups of a mix. */
static ProviderTable *
table_of(const Program *program, Lane *lane, const Mix *mix, uint32_t nrows)
{
	ProviderTable *table = open_table(program);

	if (!tap_expect(table != NULL, "no table"))
		exit(1);
	lane_start(lane, table, make_batch(program, mix, nrows));
	lane_finish(lane, table);
	tap_expect(lane->status == STATUS_DONE, "a batch ends with %d", (int) lane->status);
	return table;
}

/* Test reading two tables, which share the buffer through which they are read. */
static void
test_reading_two(void)
{
	const Program programs[] = {PROGRAM("w", few_states), PROGRAM("WwW", atomic_states)};
	const uint32_t nrows = brief ? 45000 : 60000;
	const Mix	mixes[] = {{SPREAD_EACH, nrows, 0, HASH_GOOD}, {SPREAD_EACH, nrows, 77777, HASH_GOOD}};
	cudaStream_t streams[STREAMS];
	Lane		lanes[STREAMS];
	ProviderTable *tables[2];
	Stored		stored[2];

	begin("two tables are read in turns");
	make_lanes(lanes, streams, &programs[1], nrows);
	for (int t = 0; t < 2; t++)
	{
		Reference	want;

		tables[t] = table_of(&programs[t], &lanes[t], &mixes[t], nrows);
		reference_open(&want, &programs[t], nrows);
		reference_add(&want, &lanes[t].batch);
		stored[t] = read_all(tables[t], &programs[t]);
		compare(&want, &stored[t], NULL);
	}
	for (int i = 0; i < 5; i++)
		for (int t = 0; t < 2; t++)
			check_slices(tables[t], &programs[t], &stored[t]);
	for (uint32_t at = 0; at + 1000 <= nrows; at += 1000)
		for (int t = 0; t < 2; t++)
			check_slice(tables[t], &programs[t], &stored[t], at, GROUP_WORDS_MOST);
	for (int t = 0; t < 2; t++)
		group_table_close(tables[t]);
	drop_streams(streams);
	device_drop();
	tap_end();
}

/* Make a batch of rows with a text each, of given lengths. */
static Batch
batch_of_lengths(const Program *program, const std::vector<uint32_t> &lengths)
{
	const Mix	mix = {SPREAD_EACH, 1, 0, HASH_GOOD};
	Batch		batch = make_batch(program, &mix, (uint32_t) lengths.size());

	for (uint32_t i = 0; i < batch.nrows; i++)
	{
		uint64_t   *row = &batch.rows[(size_t) i * program->row_words];
		std::vector<uint8_t> text(lengths[i], (uint8_t) i);

		memcpy(text.data(), &i, std::min(text.size(), sizeof(i)));
		row[0] = 0;
		put_text(&batch, text, row + program->key_word[0]);
		batch.hashes[i] = make_hash(HASH_GOOD, i);
	}
	return batch;
}

/* Test texts that fill a heap while there is room for groups; one that no answer could hold is refused. */
static void
test_long_texts(void)
{
	const Program program = PROGRAM("t", few_states);
	std::vector<uint32_t> lengths(brief ? 700 : 4000);
	cudaStream_t streams[STREAMS];
	Lane		lanes[STREAMS];
	ProviderTable *table = open_table(&program);
	Reference	want;
	Stored		got;
	uint32_t	before = 0;
	uint32_t	after = 0;

	begin("long texts");
	for (size_t i = 0; i < lengths.size(); i++)
		lengths[i] = 4 + random_below(i % 100 == 0 ? 60000 : 9000);
	make_lanes(lanes, streams, &program, (uint32_t) lengths.size());
	reference_open(&want, &program, (uint32_t) lengths.size());
	want.heap.resize(lengths.size() * 60000);
	want.table.heap = want.heap.data();
	want.table.heap_capacity = want.heap.size();
	lane_start(&lanes[0], table, batch_of_lengths(&program, lengths));
	lane_finish(&lanes[0], table);
	tap_expect(lanes[0].status == STATUS_DONE, "a batch ends with %d", (int) lanes[0].status);
	reference_add(&want, &lanes[0].batch);
	got = read_all(table, &program);
	compare(&want, &got, NULL);
	check_slices(table, &program, &got);
	tap_expect(group_table_count(table, &before), "count");
	lane_start(&lanes[1], table, batch_of_lengths(&program, {GROUP_WORDS_MOST * 8}));
	lane_finish(&lanes[1], table);
	tap_expect(lanes[1].status == STATUS_MEMORY_LIMIT && group_table_count(table, &after) && after == before,
			   "a text that is too long ends with %d, and %u groups are there, not %u", (int) lanes[1].status, after, before);
	lane_start(&lanes[0], table, batch_of_lengths(&program, lengths));
	lane_finish(&lanes[0], table);
	tap_expect(lanes[0].status == STATUS_DONE && group_table_count(table, &after) && after == before, "the next one ends with %d",
			   (int) lanes[0].status);
	group_table_close(table);
	drop_streams(streams);
	device_drop();
	tap_end();
}

/* A part of the pool. */
typedef struct Piece
{
	uint8_t    *at;
	uint64_t	bytes;
} Piece;

/* Return the largest gap between pieces, from the pool's first byte to its last; pieces must not overlap. */
static uint64_t
largest_gap(std::vector<Piece> pieces, uint8_t *pool, uint64_t bytes)
{
	uint64_t	largest = 0;
	uint8_t    *end = pool;

	std::sort(pieces.begin(), pieces.end(), [](const Piece &a, const Piece &b) { return a.at < b.at; });
	pieces.push_back({pool + bytes, 0});
	for (const Piece &piece : pieces)
	{
		if (!tap_expect(piece.at >= end && piece.at + piece.bytes <= pool + bytes, "pieces overlap, or leave the pool"))
			return 0;
		largest = std::max(largest, (uint64_t) (piece.at - end));
		end = piece.at + piece.bytes;
	}
	return largest;
}

/* Check that a new table has nothing of another table that was in its memory. */
static void
check_empty(ProviderTable *table, const Program *program)
{
	GroupsLaunch launch = {};
	cudaError_t error = cudaSuccess;
	uint32_t	count = 1;
	const bool	entered = group_table_enter(table, &launch, &error) == STATUS_DONE;
	const DeviceTable *device = &launch.table;

	if (!tap_expect(entered && launch.shape.row_words == program->row_words, "a new table lets nobody in"))
		return;
	const std::vector<uint64_t> slots = from_device(device->slots, device->nslots);
	const std::vector<uint64_t> rows = from_device(device->rows, (size_t) device->capacity * program->row_words);
	const std::vector<uint64_t> hashes = from_device(device->hashes, device->capacity);

	tap_expect(device->nslots >= 2 * device->capacity && (device->nslots & (device->nslots - 1)) == 0,
			   "%u slots for %u groups", device->nslots, device->capacity);
	tap_expect((size_t) std::count(slots.begin(), slots.end(), 0u) == slots.size() &&
			   (size_t) std::count(rows.begin(), rows.end(), 0u) == rows.size() &&
			   (size_t) std::count(hashes.begin(), hashes.end(), 0u) == hashes.size(), "a new table is not empty");
	group_table_leave(table, 0);
	tap_expect(group_table_count(table, &count) && count == 0, "%u groups in a new table", count);
}

/* Check that tables have no memory in common. */
static void
check_apart(const std::vector<ProviderTable *> &tables)
{
	std::vector<Piece> pieces;
	uint8_t    *first = NULL;

	for (ProviderTable *table : tables)
	{
		GroupsLaunch launch = {};
		cudaError_t error = cudaSuccess;
		const DeviceTable *device = &launch.table;

		tap_expect(group_table_enter(table, &launch, &error) == STATUS_DONE, "a new table lets nobody in");
		group_table_leave(table, 0);
		pieces.push_back({(uint8_t *) device->counts, sizeof(TableCounts)});
		pieces.push_back({(uint8_t *) device->slots, (uint64_t) device->nslots * 8});
		pieces.push_back({(uint8_t *) device->hashes, (uint64_t) device->capacity * 8});
		pieces.push_back({(uint8_t *) device->rows, (uint64_t) device->capacity * launch.shape.row_words * 8});
		if (device->heap_units > 0)
			pieces.push_back({(uint8_t *) device->heap, (uint64_t) device->heap_units * HEAP_UNIT});
		if (launch.shape.locked)
			pieces.push_back({(uint8_t *) device->locks, (uint64_t) device->capacity * 4});
	}
	for (const Piece &piece : pieces)
		first = first == NULL || piece.at < first ? piece.at : first;
	largest_gap(pieces, first, pool_bytes());
}

static void
test_opening(void)
{
	const Program programs[] = {PROGRAM("w", few_states), PROGRAM("WtW", all_states), make_program("w", NULL, 0)};
	const Program text_state = PROGRAM("w", text_states);
	size_t		most[2];

	begin("closing a table gives all of it back");
	tap_expect(open_table(&text_state) == NULL, "a table with texts as states");
	for (int i = 0; i < 1000; i++)
	{
		const Program *program = &programs[i % 3];
		ProviderTable *table = open_table(program);

		if (!tap_expect(table != NULL, "no room for a table after %d", i))
			break;
		if (i % 100 < 3)
			check_empty(table, program);
		group_table_close(table);
	}
	for (size_t &n : most)
	{
		std::vector<ProviderTable *> open;
		ProviderTable *table;

		while (open.size() < 1000 && (table = open_table(&programs[open.size() % 3])) != NULL)
			open.push_back(table);
		n = open.size();
		check_apart(open);
		while (!open.empty())
		{
			std::swap(open.back(), open[random_below((uint32_t) open.size())]);
			group_table_close(open.back());
			open.pop_back();
		}
	}
	tap_expect(most[0] > 1 && most[0] < 1000 && most[1] == most[0], "%zu tables at once, then %zu", most[0], most[1]);
	tap_end();
}

/* The pool */

static void
test_pool(void)
{
	const uint64_t bytes = pool_bytes() / 256 * 256;
	std::vector<Piece> pieces;
	uint8_t    *pool;

	begin("the pool: pieces do not overlap, and what is given back can be taken");
	pool = pool_take(bytes);
	tap_expect(pool != NULL && (uintptr_t) pool % 256 == 0, "the tables have not given all back");
	tap_expect(pool_take(1) == NULL, "there is something behind the pool");
	pool_give(pool);
	pool_give(NULL);
	tap_expect(pool_take(bytes + 1) == NULL, "more than the pool has");
	for (int i = 0; i < 20000; i++)
		if (random_below(9) < (i / 1000 % 2 ? 4 : 5) && pieces.size() < 200)
		{
			const uint64_t wanted = 1 + (random_u64() % bytes >> random_below(16));
			const uint64_t rounded = (wanted + 255) / 256 * 256;
			uint8_t    *at = pool_take(wanted);

			tap_expect((at != NULL) == (rounded <= largest_gap(pieces, pool, bytes)), "%llu bytes with %zu pieces taken",
					   (unsigned long long) wanted, pieces.size());
			if (at == NULL)
				continue;
			tap_expect((at - pool) % 256 == 0, "a piece is not aligned");
			pieces.push_back({at, rounded});
		}
		else if (!pieces.empty())
		{
			std::swap(pieces.back(), pieces[random_below((uint32_t) pieces.size())]);
			pool_give(pieces.back().at);
			pieces.pop_back();
		}
	largest_gap(pieces, pool, bytes);
	for (const Piece &piece : pieces)
		pool_give(piece.at);
	tap_expect(pool_take(bytes) == pool, "not all can be taken again");
	pool_give(pool);
	tap_end();
}

/* Test that neighbouring free pieces are joined, from both sides; and more pieces than the pool can list. */
static void
test_pool_neighbours(void)
{
	const uint64_t eighth = pool_bytes() / 8 / 256 * 256;
	std::vector<uint8_t *> pieces;
	uint8_t    *piece;

	begin("the pool: neighbours become one");
	for (int order = 0; order < 6; order++)
	{
		static const int orders[6][3] = {{2, 3, 4}, {2, 4, 3}, {3, 2, 4}, {3, 4, 2}, {4, 2, 3}, {4, 3, 2}};

		for (int i = 0; i < 8; i++)
			pieces.push_back(pool_take(eighth));
		tap_expect(pieces[7] != NULL && pool_take(eighth) == NULL, "eight eighths");
		for (int at : orders[order])
			pool_give(pieces[at]);
		tap_expect(pool_take(3 * eighth + 1) == NULL, "three eighths and a byte");
		piece = pool_take(3 * eighth);
		tap_expect(piece == pieces[2], "three eighths, order %d", order);
		pool_give(piece);
		for (int i : {7, 0, 5, 1, 6})
			pool_give(pieces[i]);
		pieces.clear();
	}
	while (pieces.size() < 5000 && (piece = pool_take(256)) != NULL)
		pieces.push_back(piece);
	tap_expect(pieces.size() >= 200, "%zu pieces at most", pieces.size());
	for (size_t i = 0; i < pieces.size(); i += 2)
		pool_give(pieces[i]);
	for (size_t i = 1; i < pieces.size(); i += 2)
		pool_give(pieces[i]);
	piece = pool_take(8 * eighth);
	tap_expect(piece != NULL, "not all can be taken again");
	pool_give(piece);
	tap_end();
}

int
main(void)
{
	const Program words[] = {PROGRAM("w", all_states), PROGRAM("w", atomic_states), PROGRAM("w", few_states)};
	const Program keys[] = {PROGRAM("www", all_states), PROGRAM("WwW", all_states), make_program("Ww", NULL, 0)};
	const Program texts[] = {PROGRAM("tWt", all_states), PROGRAM("wt", few_states)};

	brief = tap_short();
	check(cudaSetDevice(0), "no device");
	test_shapes();
	test_spreads("a key of a word, states of every kind", &words[0], 1000000);
	test_spreads("a key of a word, states that need no lock", &words[1], 1000000);
	test_spreads("keys of three words, states of every kind", &keys[0], 100000);
	test_spreads("wide keys, states of every kind", &keys[1], 100000);
	test_spreads("wide keys, no states", &keys[2], 1000000);
	test_spreads("texts, states of every kind", &texts[0], 100000);
	for (int hashing = HASH_GOOD + 1; hashing < HASH_Count; hashing++)
		test_collisions((Hashing) hashing);
	test_in_turn();
	test_at_once();
	test_rehash();
	test_growing();
	test_growing_at_once();
	test_wide_sums();
	test_float_sums();
	check(group_table_start(pool_bytes()), "start");
	settle();
	test_waiting();
	test_reading_two();
	test_long_texts();
	test_filling("groups of many batches, four at a time, in a table that grows",
				 "batches that memory has no room for are refused, and the groups stay", words[2], 3000000);
	test_filling("the same with texts", "the same with texts, and no room", texts[1], 1000000);
	test_opening();
	test_pool();
	test_pool_neighbours();
	return tap_done();
}

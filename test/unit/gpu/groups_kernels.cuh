/*
 * groups_kernels.cuh
 *		Tests of the kernels over tables made by hand: finding, updating, growing.
 */
#ifndef GPUDB_TEST_GROUPS_KERNELS_CUH
#define GPUDB_TEST_GROUPS_KERNELS_CUH

#include "groups_rows.cuh"

/* Device memory */

typedef struct Taken
{
	uint8_t    *memory;
	size_t		bytes;
} Taken;

static std::vector<Taken> taken;

/* Allocate an array of n values, with each byte set to `fill`. */
template <typename T> static T *
device_take(size_t n, int fill)
{
	const size_t bytes = n * sizeof(T);
	uint8_t    *memory;

	check(cudaMalloc((void **) &memory, bytes + GUARD_BYTES), "cudaMalloc");
	if (bytes > 0)
		check(cudaMemset(memory, fill, bytes), "memset");
	check(cudaMemset(memory + bytes, GUARD_VALUE, GUARD_BYTES), "memset");
	taken.push_back({memory, bytes});
	return (T *) memory;
}

template <typename T> static std::vector<T>
from_device(const T *memory, size_t n)
{
	std::vector<T> copy(n);

	if (n > 0)
		check(cudaMemcpy(copy.data(), memory, n * sizeof(T), cudaMemcpyDeviceToHost), "copy from the device");
	return copy;
}

template <typename T> static T *
to_device(const std::vector<T> &host)
{
	T		   *memory = device_take<T>(host.size(), GARBAGE);

	if (!host.empty())
		check(cudaMemcpy(memory, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice), "copy to the device");
	return memory;
}

/* Free all arrays, and check that nothing behind them was written. */
static void
device_drop(void)
{
	settle();
	for (const Taken &t : taken)
	{
		const std::vector<uint8_t> guard = from_device(t.memory + t.bytes, GUARD_BYTES);

		tap_expect(std::count(guard.begin(), guard.end(), GUARD_VALUE) == GUARD_BYTES, "written behind %zu bytes", t.bytes);
		check(cudaFree(t.memory), "cudaFree");
	}
	taken.clear();
}

/* Tables made by hand */

static DeviceTable
make_table(const RowShape *shape, uint32_t capacity)
{
	DeviceTable table = {};

	table.capacity = capacity;
	table.nslots = 2 * power_above(capacity);
	table.slots = device_take<uint64_t>(table.nslots, 0);
	table.hashes = device_take<uint64_t>(capacity, GARBAGE);
	table.rows = device_take<uint64_t>((size_t) capacity * shape->row_words, GARBAGE);
	/* without states that need locks, no kernel may access them */
	table.locks = shape->locked ? device_take<uint32_t>(capacity, 0) : NULL;
	table.counts = device_take<TableCounts>(1, 0);
	table.heap_units = capacity * shape->ntexts * UNITS_OF_TEXT(TEXT_MOST);
	table.heap = device_take<uint64_t>(table.heap_units, GARBAGE);
	return table;
}

static GroupsLaunch
make_launch(const DeviceTable *table, const RowShape *shape, const Batch *batch)
{
	GroupsLaunch launch = {};

	launch.table = *table;
	launch.shape = *shape;
	launch.hashes = to_device(batch->hashes);
	launch.rows = to_device(batch->rows);
	launch.texts = to_device(batch->texts);
	launch.constants = to_device(batch->constants);
	launch.nrows = batch->nrows;
	launch.group = device_take<uint32_t>(batch->nrows, 0xff);
	launch.result = device_take<GroupsResult>(1, 0);
	return launch;
}

static GroupsResult
result_of(const GroupsLaunch *launch)
{
	return from_device(launch->result, 1)[0];
}

/* Return the room that groups have taken, without failed requests. */
static uint64_t
room_in(const DeviceTable *table)
{
	const TableCounts counts = from_device(table->counts, 1)[0];

	return counts.refused != 0 ? ~counts.refused : counts.taken;
}

static uint32_t
groups_in(const DeviceTable *table)
{
	return ROOM_GROUPS(room_in(table));
}

static Stored
fetch(const DeviceTable *table, const RowShape *shape)
{
	Stored		stored;

	stored.n = groups_in(table);
	stored.hashes = from_device(table->hashes, stored.n);
	stored.rows = from_device(table->rows, (size_t) stored.n * shape->row_words);
	stored.heap = from_device((const uint8_t *) table->heap, (size_t) ROOM_UNITS(room_in(table)) * HEAP_UNIT);
	return stored;
}

/*
 * Check that every group has one slot, with its tag, and that no lock is held; with `all`, that its
 * hash leads to it.
 */
static void
check_slots(const DeviceTable *table, const Stored *stored, bool all)
{
	const std::vector<uint64_t> slots = from_device(table->slots, table->nslots);
	const std::vector<uint32_t> locks = from_device(table->locks, table->locks != NULL ? table->capacity : 0);
	std::vector<uint32_t> slot_of(stored->n, UINT32_MAX);
	uint32_t	used = 0;

	for (uint32_t at = 0; at < table->nslots; at++)
	{
		const uint32_t group = (uint32_t) slots[at] - 1;

		if (slots[at] == 0)
			continue;
		used++;
		if (tap_expect(group < stored->n && slot_of[group] == UINT32_MAX && slots[at] >> 32 == stored->hashes[group] >> 32,
					   "slot %u of %u has %016llx, of %u groups", at, table->nslots, (unsigned long long) slots[at],
					   stored->n))
			slot_of[group] = at;
	}
	tap_expect(used == stored->n, "%u slots for %u groups", used, stored->n);
	tap_expect((size_t) std::count(locks.begin(), locks.end(), 0u) == locks.size(), "locks are held");
	for (uint32_t g = 0; g < stored->n && all && used == stored->n; g++)
	{
		uint32_t	at = (uint32_t) stored->hashes[g] & (table->nslots - 1);

		while (slots[at] != 0 && (uint32_t) slots[at] != g + 1)
			at = (at + 1) & (table->nslots - 1);
		tap_expect(slots[at] != 0, "group %u of %u cannot be found", g, stored->n);
	}
}

/* Check that each row has the group of its key, except `pending` rows that found no room. */
static std::vector<uint32_t>
check_found(const Program *program, const GroupsLaunch *launch, const Batch *batch, uint32_t pending)
{
	const Stored stored = fetch(&launch->table, &launch->shape);
	const Stored rows = stored_batch(program, batch);
	const std::vector<uint32_t> group = from_device(launch->group, batch->nrows);
	uint32_t	unknown = 0;

	for (uint32_t i = 0; i < batch->nrows; i++)
		if (group[i] == GROUP_UNKNOWN)
			unknown++;
		else
			tap_expect(group[i] < stored.n && same_keys(program, &stored, group[i], &rows, i), "row %u of %u has group %u of %u",
					   i, batch->nrows, group[i], stored.n);
	tap_expect(unknown == pending, "%u rows have no group, not %u", unknown, pending);
	return group;
}

/* Check that finding has changed no state. */
static void
check_initial(const Program *program, const DeviceTable *table, const RowShape *shape)
{
	const Stored stored = fetch(table, shape);

	for (uint32_t g = 0; g < stored.n; g++)
		tap_expect(states_are_initial(program, &stored.rows[(size_t) g * program->row_words]), "states of new group %u", g);
}

static RowShape
shape_of(const Program *program)
{
	RowShape	shape;

	tap_expect(groups_shape(program, &shape), "the program is refused");
	return shape;
}

/* Finding and updating, with room for all */

static void
expect_result(const GroupsLaunch *launch, uint32_t status)
{
	const GroupsResult result = result_of(launch);

	tap_expect(result.pending == 0 && result.status == status, "of %u rows %u have no room, status %u", launch->nrows,
			   result.pending, result.status);
}

/* Update groups, if all rows have valid ones: with others the kernel would write anywhere. */
static void
update_known(const GroupsLaunch *launch, const std::vector<uint32_t> &group)
{
	if (!tap_expect(*std::max_element(group.begin(), group.end()) < launch->table.capacity, "rows have no group"))
		return;
	check(groups_update(launch, NULL), "update");
	expect_result(launch, STATUS_DONE);
}

static void
try_merge(const Program *program, const Mix *mix, uint32_t nrows)
{
	const Batch batch = make_batch(program, mix, nrows);
	const RowShape shape = shape_of(program);
	/* if each row has a group of its own, all just fit if their number is a power of two */
	const DeviceTable table = make_table(&shape, power_above(nrows));
	const GroupsLaunch launch = make_launch(&table, &shape, &batch);
	Reference	want;
	Stored		got;

	settle();
	check(groups_find(&launch, NULL), "find");
	expect_result(&launch, STATUS_DONE);
	if (nrows <= 1024)
		check_initial(program, &table, &shape);
	update_known(&launch, check_found(program, &launch, &batch, 0));
	got = fetch(&table, &shape);
	check_slots(&table, &got, true);
	reference_open(&want, program, nrows);
	reference_add(&want, &batch);
	compare(&want, &got, NULL);
	device_drop();
}

/* Test all sizes and all spreads. */
static void
test_spreads(const char *name, const Program *program, uint32_t largest)
{
	static const uint32_t sizes[] = {1, 2, 31, 32, 33, 1000, 1024, 100000, 1000000};

	begin(name);
	for (uint32_t nrows : sizes)
	{
		const uint32_t n = brief ? std::min(nrows, 3000u) : nrows;
		const Mix	mixes[] = {
			{SPREAD_EVEN, 1, 0, HASH_GOOD}, {SPREAD_EVEN, 7, 0, HASH_GOOD}, {SPREAD_EVEN, 1000, 0, HASH_GOOD},
			{SPREAD_EACH, n, 0, HASH_GOOD}, {SPREAD_ZIPF, n, 0, HASH_GOOD}, {SPREAD_HOT, n, 0, HASH_GOOD}
		};

		if (nrows > largest || (brief && nrows > 100000))
			break;
		for (const Mix &mix : mixes)
			try_merge(program, &mix, n);
	}
	tap_end();
}

static void
test_collisions(Hashing hashing)
{
	static char name[HASH_Count][80];
	const Program programs[] = {
		PROGRAM("w", all_states), PROGRAM("WwW", atomic_states), make_program("wW", NULL, 0), PROGRAM("wt", few_states)
	};
	const uint32_t groups = brief ? 200 : 2000;
	const Mix	mixes[] = {
		{SPREAD_EACH, groups, 0, hashing}, {SPREAD_EVEN, groups, 0, hashing}, {SPREAD_ZIPF, groups, 0, hashing},
		{SPREAD_EVEN, 3, 0, hashing}
	};

	snprintf(name[hashing], sizeof(name[0]), "many keys, %s", hashing_names[hashing]);
	begin(name[hashing]);
	for (const Program &program : programs)
		for (const Mix &mix : mixes)
			try_merge(&program, &mix, mix.spread == SPREAD_EACH ? groups : brief ? 1000 : 30000);
	tap_end();
}

/* Several batches */

static void
test_in_turn(void)
{
	const Program program = PROGRAM("Ww", all_states);
	const uint32_t scale = brief ? 1000 : 30000;
	const Mix	mixes[] = {
		{SPREAD_EVEN, 100, 0, HASH_GOOD}, {SPREAD_EACH, scale, 50, HASH_GOOD}, {SPREAD_ZIPF, 2 * scale, 0, HASH_GOOD},
		{SPREAD_HOT, scale, scale, HASH_GOOD}, {SPREAD_EACH, 1, 3 * scale, HASH_GOOD}
	};
	RowShape	shape;
	DeviceTable table;
	Reference	want;

	begin("batches merged one after the other");
	shape = shape_of(&program);
	table = make_table(&shape, 4 * scale);
	reference_open(&want, &program, 4 * scale);
	for (uint32_t b = 0; b < 2 * lengthof(mixes); b++)
	{
		const Mix  *mix = &mixes[b % lengthof(mixes)];
		const Batch batch = make_batch(&program, mix, mix->groups == 1 ? 1 : scale);
		const GroupsLaunch launch = make_launch(&table, &shape, &batch);
		Stored		got;

		settle();
		check(groups_find(&launch, NULL), "find");
		update_known(&launch, check_found(&program, &launch, &batch, 0));
		reference_add(&want, &batch);
		got = fetch(&table, &shape);
		check_slots(&table, &got, true);
		compare(&want, &got, NULL);
	}
	device_drop();
	tap_end();
}

static void
make_streams(cudaStream_t *streams)
{
	for (int s = 0; s < STREAMS; s++)
		check(cudaStreamCreateWithFlags(&streams[s], cudaStreamNonBlocking), "cudaStreamCreate");
}

static void
drop_streams(cudaStream_t *streams)
{
	for (int s = 0; s < STREAMS; s++)
		check(cudaStreamDestroy(streams[s]), "cudaStreamDestroy");
}

/* Merge three batches on each stream, of the same groups; one finds while others update. */
static void
try_at_once(const Program *program, const Mix *mix, uint32_t nrows)
{
	const uint32_t capacity = power_above(std::max(mix->groups, 3 * STREAMS * nrows / 2));
	const RowShape shape = shape_of(program);
	const DeviceTable table = make_table(&shape, capacity);
	std::vector<GroupsLaunch> launches;
	cudaStream_t streams[STREAMS];
	Reference	want;
	Stored		got;

	reference_open(&want, program, capacity);
	make_streams(streams);
	for (uint32_t b = 0; b < 3 * STREAMS; b++)
	{
		Mix			part = *mix;

		/* half of a batch's groups are also groups of the next one */
		if (mix->spread == SPREAD_EACH)
			part.first = b * (nrows / 2);
		const Batch batch = make_batch(program, &part, nrows);

		launches.push_back(make_launch(&table, &shape, &batch));
		reference_add(&want, &batch);
	}
	settle();
	for (uint32_t b = 0; b < launches.size(); b++)
	{
		check(groups_find(&launches[b], streams[b % STREAMS]), "find");
		check(groups_update(&launches[b], streams[b % STREAMS]), "update");
	}
	settle();
	for (const GroupsLaunch &launch : launches)
		expect_result(&launch, STATUS_DONE);
	got = fetch(&table, &shape);
	check_slots(&table, &got, true);
	compare(&want, &got, NULL);
	drop_streams(streams);
	device_drop();
}

static void
test_at_once(void)
{
	const Program all = PROGRAM("wW", all_states);
	const Program atomic = PROGRAM("w", atomic_states);
	const Program text = PROGRAM("t", atomic_states);
	const uint32_t nrows = brief ? 400 : 40000;
	const Mix	mixes[] = {
		{SPREAD_EACH, nrows, 0, HASH_GOOD}, {SPREAD_EVEN, 5 * nrows, 0, HASH_GOOD}, {SPREAD_ZIPF, nrows, 0, HASH_GOOD},
		{SPREAD_EVEN, 7, 0, HASH_GOOD}, {SPREAD_EVEN, 300, 0, HASH_FOUR}, {SPREAD_EVEN, 1000, 0, HASH_PAIRS}
	};

	begin("batches merged on four streams at once");
	for (const Mix &mix : mixes)
	{
		try_at_once(&all, &mix, nrows);
		try_at_once(&atomic, &mix, nrows);
		try_at_once(&text, &mix, nrows);
	}
	tap_end();
}

/* Growing */

/* Return a larger table with the same groups, in separate memory; the smaller one is overwritten. */
static DeviceTable
grow(const DeviceTable *from, const RowShape *shape, uint32_t capacity)
{
	const DeviceTable into = make_table(shape, capacity);
	const uint64_t room = room_in(from);
	const uint32_t n = ROOM_GROUPS(room);
	const size_t row_bytes = (size_t) shape->row_words * 8;

	check(cudaMemcpy(into.hashes, from->hashes, (size_t) n * 8, cudaMemcpyDeviceToDevice), "copy hashes");
	check(cudaMemcpy(into.rows, from->rows, n * row_bytes, cudaMemcpyDeviceToDevice), "copy rows");
	check(cudaMemcpy(into.heap, from->heap, (size_t) ROOM_UNITS(room) * HEAP_UNIT, cudaMemcpyDeviceToDevice), "copy texts");
	check(cudaMemcpy(&into.counts->taken, &room, sizeof(room), cudaMemcpyHostToDevice), "copy the counter");
	check(cudaMemset(from->slots, GARBAGE, (size_t) from->nslots * 8), "memset");
	check(cudaMemset(from->hashes, GARBAGE, (size_t) from->capacity * 8), "memset");
	check(cudaMemset(from->rows, GARBAGE, from->capacity * row_bytes), "memset");
	check(cudaMemset(from->heap, GARBAGE, (size_t) from->heap_units * HEAP_UNIT), "memset");
	settle();
	check(groups_rehash(&into, n, NULL), "rehash");
	settle();
	return into;
}

static void
test_rehash(void)
{
	const Program program = PROGRAM("w", few_states);
	const uint32_t sizes[] = {0, 1, 2, 255, 257, 1024, brief ? 3000u : 300000u};

	begin("filling the slots of a larger table");
	for (int hashing = 0; hashing < HASH_Count; hashing++)
		for (uint32_t n : sizes)
		{
			const Mix	mix = {SPREAD_EACH, n, 0, (Hashing) hashing};
			const bool	long_chains = hashing != HASH_GOOD && hashing != HASH_PAIRS;
			const Batch batch = make_batch(&program, &mix, long_chains ? std::min(n, 1024u) : n);
			const RowShape shape = shape_of(&program);
			const DeviceTable table = make_table(&shape, std::max(batch.nrows, 1u));
			Stored		stored;

			if (batch.nrows > 0)
				check(cudaMemcpy(table.hashes, batch.hashes.data(), (size_t) batch.nrows * 8, cudaMemcpyHostToDevice),
					  "copy hashes");
			settle();
			check(groups_rehash(&table, batch.nrows, NULL), "rehash");
			settle();
			stored.n = batch.nrows;
			stored.hashes = batch.hashes;
			check_slots(&table, &stored, true);
			device_drop();
		}
	tap_end();
}

/*
 * Check a table after finding without room for all: it is full, rows with a group still have it,
 * and no state has changed.
 */
static void
check_full(const Program *program, const GroupsLaunch *launch, const Batch *batch, std::vector<uint32_t> *known)
{
	const uint32_t pending = result_of(launch).pending;
	const std::vector<uint32_t> group = check_found(program, launch, batch, pending);
	const Stored stored = fetch(&launch->table, &launch->shape);

	for (uint32_t i = 0; i < batch->nrows; i++)
		tap_expect((*known)[i] == GROUP_UNKNOWN || (*known)[i] == group[i], "row %u had group %u, and now %u", i,
				   (*known)[i], group[i]);
	*known = group;
	tap_expect(pending == 0 || stored.n == launch->table.capacity || launch->shape.ntexts > 0,
			   "%u rows wait, and %u groups are in a table of %u", pending, stored.n, launch->table.capacity);
	check_slots(&launch->table, &stored, pending == 0);
	check_initial(program, &launch->table, &launch->shape);
}

static void
try_growing(const Program *program, const Mix *mix, uint32_t nrows, uint32_t capacity)
{
	const Batch batch = make_batch(program, mix, nrows);
	const RowShape shape = shape_of(program);
	DeviceTable table = make_table(&shape, capacity);
	GroupsLaunch launch = make_launch(&table, &shape, &batch);
	std::vector<uint32_t> known(nrows, GROUP_UNKNOWN);
	Reference	want;
	Stored		got;
	int			rounds = 0;

	reference_open(&want, program, nrows);
	reference_add(&want, &batch);
	for (;;)
	{
		settle();
		check(groups_find(&launch, NULL), "find");
		check_full(program, &launch, &batch, &known);
		if (result_of(&launch).pending == 0 || !tap_expect(rounds++ < 40, "it never ends"))
			break;
		table = grow(&table, &shape, table.capacity * (2 + random_below(3)));
		launch.table = table;
		check(cudaMemset(launch.result, 0, sizeof(GroupsResult)), "memset");
	}
	tap_expect(shape.ntexts > 0 || (rounds > 0) == (want.table.ngroups > capacity), "%u groups in %u after %d rounds", want.table.ngroups,
			   capacity, rounds);
	/* all groups are known: finding again changes nothing */
	check(groups_find(&launch, NULL), "find");
	tap_expect(groups_in(&table) == want.table.ngroups, "%u groups, not %u", groups_in(&table), want.table.ngroups);
	update_known(&launch, known);
	got = fetch(&table, &shape);
	compare(&want, &got, NULL);
	device_drop();
}

static void
test_growing(void)
{
	const Program programs[] = {PROGRAM("w", all_states), PROGRAM("wWw", atomic_states), PROGRAM("tWt", few_states)};
	static const uint32_t capacities[] = {1, 2, 64, 1000};
	const uint32_t nrows = brief ? 700 : 10000;
	const Mix	mixes[] = {
		{SPREAD_EACH, nrows, 0, HASH_GOOD}, {SPREAD_EVEN, 1000, 0, HASH_GOOD}, {SPREAD_ZIPF, nrows, 0, HASH_GOOD},
		{SPREAD_EVEN, 64, 0, HASH_GOOD}, {SPREAD_HOT, nrows, 0, HASH_PAIRS}, {SPREAD_EVEN, 500, 0, HASH_FOUR},
		{SPREAD_EVEN, 500, 0, HASH_LOWER}
	};

	begin("a table that is too small: what is found stays, and it goes on in a larger one");
	for (const Program &program : programs)
		for (const Mix &mix : mixes)
			for (uint32_t capacity : capacities)
				try_growing(&program, &mix, nrows, capacity);
	tap_end();
}

/* Find with four batches at once in a table without room for all; it grows when all have ended. */
static void
try_growing_at_once(const Program *program, const Mix *mix, uint32_t nrows)
{
	const RowShape shape = shape_of(program);
	DeviceTable table = make_table(&shape, 64);
	std::vector<Batch> batches;
	std::vector<GroupsLaunch> launches;
	std::vector<std::vector<uint32_t>> known(STREAMS, std::vector<uint32_t>(nrows, GROUP_UNKNOWN));
	cudaStream_t streams[STREAMS];
	Reference	want;
	Stored		got;
	uint32_t	pending = 1;

	reference_open(&want, program, STREAMS * nrows);
	make_streams(streams);
	for (int s = 0; s < STREAMS; s++)
	{
		batches.push_back(make_batch(program, mix, nrows));
		launches.push_back(make_launch(&table, &shape, &batches[s]));
		reference_add(&want, &batches[s]);
	}
	for (int round = 0; pending > 0 && tap_expect(round < 40, "it never ends"); round++)
	{
		settle();
		for (int s = 0; s < STREAMS; s++)
			check(groups_find(&launches[s], streams[s]), "find");
		settle();
		pending = 0;
		for (int s = 0; s < STREAMS; s++)
		{
			pending += result_of(&launches[s]).pending;
			check_full(program, &launches[s], &batches[s], &known[s]);
		}
		if (pending > 0)
			table = grow(&table, &shape, table.capacity * 4);
		for (int s = 0; s < STREAMS; s++)
		{
			launches[s].table = table;
			check(cudaMemset(launches[s].result, 0, sizeof(GroupsResult)), "memset");
		}
	}
	settle();
	for (int s = 0; s < STREAMS; s++)
		check(groups_update(&launches[s], streams[s]), "update");
	settle();
	for (int s = 0; s < STREAMS; s++)
		expect_result(&launches[s], STATUS_DONE);
	got = fetch(&table, &shape);
	compare(&want, &got, NULL);
	drop_streams(streams);
	device_drop();
}

static void
test_growing_at_once(void)
{
	const Program programs[] = {PROGRAM("wW", all_states), PROGRAM("wt", few_states)};
	const uint32_t nrows = brief ? 300 : 10000;
	const Mix	mixes[] = {
		{SPREAD_EVEN, 4 * nrows, 0, HASH_GOOD}, {SPREAD_EACH, nrows, 0, HASH_GOOD}, {SPREAD_ZIPF, nrows, 0, HASH_PAIRS},
		{SPREAD_EVEN, 400, 0, HASH_FOUR}
	};

	begin("four batches at once in a table that is too small");
	for (const Program &program : programs)
		for (const Mix &mix : mixes)
			try_growing_at_once(&program, &mix, nrows);
	tap_end();
}

static void
test_shapes(void)
{
	const Program all = PROGRAM("wWw", all_states);
	const Program atomic = PROGRAM("W", atomic_states);
	const Program text_key = PROGRAM("wt", few_states);
	const Program text_state = PROGRAM("w", text_states);
	RowShape	shape;

	begin("which programs' rows can be merged");
	tap_expect(groups_shape(&all, &shape) && shape.key_words == 5 && shape.row_words == all.row_words && shape.locked &&
			   shape.nstates == lengthof(all_states) && memcmp(shape.state_kind, all.state_kind, all.nstates) == 0 &&
			   memcmp(shape.state_word, all.state_word, all.nstates * 2) == 0, "all states by three keys");
	tap_expect(groups_shape(&atomic, &shape) && shape.key_words == 3 && !shape.locked, "atomic states by a wide key");
	tap_expect(groups_shape(&text_key, &shape) && shape.key_words == 4 && shape.ntexts == 1 && shape.text_word[0] == 2, "a text as a key");
	tap_expect(!groups_shape(&text_state, &shape), "a text as a state");
	tap_end();
}

#endif							/* GPUDB_TEST_GROUPS_KERNELS_CUH */

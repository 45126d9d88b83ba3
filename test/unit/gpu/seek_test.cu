/*
 * seek_test.cu
 *		Percentiles that the GPU seeks among the values that it gathers, compared with sorted ones.
 */
#include <algorithm>
#include <vector>

extern "C" {
#include "tap.h"
}

#include "check.cuh"
#include "core/vm/op_cast.h"
#include "core/tablet/tablet_format.h"
#include "kernels/vm_launch.h"

#define BLOCKS 64
#define STATES 3
#define TILE 1024
#define ROW_WORDS (1 + STATES)

/* A column's stored values, and the integers in whose order they are. */
typedef struct Stored
{
	uint16_t	type;
	Tablet	   *tablet;			/* tablet in host memory */
	uint64_t   *selected;		/* bitmap of the rows that count; NULL = all */
	std::vector<int64_t> sorted;	/* sorted values of the rows that count */
	std::vector<int64_t> sample;	/* sorted values of a sample's rows */
} Stored;

static double
random_float(uint64_t span)
{
	return random_u64() % 16 == 0 ? (random_u64() % 2 ? -0.0 : 0.0) : ((double) (int64_t) (random_u64() % (span + 1)) - (double) (span / 2)) * 0.37;
}

/* Write a random value of a row, and return it as an integer. */
static int64_t
write_value(const TabletColumn *column, uint8_t *values, uint32_t row, uint64_t span)
{
	const uint64_t value = random_u64() % (span + 1);

	switch ((ColType) column->type)
	{
		case COLTYPE_U8: values[row] = (uint8_t) value; return column->base + (int64_t) ((uint64_t) values[row] << column->shift);
		case COLTYPE_U16: ((uint16_t *) values)[row] = (uint16_t) value; return column->base + (int64_t) ((uint64_t) ((uint16_t *) values)[row] << column->shift);
		case COLTYPE_U32: ((uint32_t *) values)[row] = (uint32_t) value; return column->base + (int64_t) ((uint64_t) ((uint32_t *) values)[row] << column->shift);
		case COLTYPE_I16: return ((int16_t *) values)[row] = (int16_t) value;
		case COLTYPE_I32: return ((int32_t *) values)[row] = (int32_t) value;
		case COLTYPE_I64: return ((int64_t *) values)[row] = (int64_t) value;
		case COLTYPE_F32: ((float *) values)[row] = (float) random_float(span); return op_float_key((double) ((float *) values)[row]);
		case COLTYPE_F64: ((double *) values)[row] = random_float(span); return op_float_key(((double *) values)[row]);
		default: return column->base;
	}
}

static Stored
store(uint32_t nrows, uint32_t one_in)
{
	static const uint16_t types[] = {COLTYPE_SAME, COLTYPE_U8, COLTYPE_U16, COLTYPE_U32, COLTYPE_I16, COLTYPE_I32, COLTYPE_I64, COLTYPE_F32, COLTYPE_F64, COLTYPE_F64};
	static const uint64_t spans[] = {0, 3, 255, 70000, 4294967295u, UINT64_C(1) << 40, UINT64_MAX - 1};
	Stored		stored = {types[random_u64() % lengthof(types)]};
	const uint64_t span = spans[random_u64() % lengthof(spans)];
	const bool	nulls = random_u64() % 2 == 0;
	const uint64_t size = tablet_size(&stored.type, 1, nrows, 0);
	Tablet	   *tablet = (Tablet *) aligned_alloc(64, size);
	TabletColumn *column = tablet->column;

	memset((void *) tablet, 0, size);
	tablet_layout(tablet, &stored.type, 1, nrows, 0);
	if (coltype_for_encoded((ColType) stored.type))
	{
		column->base = (int64_t) random_u64() >> 20;
		column->shift = random_u64() % 3 * 4;
	}
	stored.tablet = tablet;
	if (random_u64() % 2 == 0)
		stored.selected = (uint64_t *) calloc(1, tablet_bitmap_bytes(nrows));
	for (uint32_t row = 0; row < nrows; row++)
	{
		const int64_t value = write_value(column, tablet_at(tablet, column->values), row, span);
		const bool	null = nulls && random_u64() % 5 == 0;
		const bool	counts = stored.selected == NULL || random_u64() % 4 > 0;

		if (null)
			bitmap_set((uint64_t *) tablet_at(tablet, column->nulls), row, 1);
		column->null_count += null;
		if (counts && stored.selected != NULL)
			bitmap_set(stored.selected, row, 1);
		if (counts && !null)
			stored.sorted.push_back(value);
		if (counts && !null && one_in > 0 && row / SEEK_NEIGHBOURS * SEEK_NEIGHBOURS == seek_row(0, row / (SEEK_NEIGHBOURS * one_in), one_in))
			stored.sample.push_back(value);
	}
	std::sort(stored.sorted.begin(), stored.sorted.end());
	std::sort(stored.sample.begin(), stored.sample.end());
	return stored;
}

/* Make a random seek, whose range is usually around the percentile. */
static SelectSeek
random_seek(const std::vector<int64_t> &sorted)
{
	static const double fractions[] = {0, 0.5, 1, 0.3, 0.999};
	SelectSeek	seek = {1, (uint8_t) (random_u64() % 2), (uint8_t) (random_u64() % 2), 0, fractions[random_u64() % lengthof(fractions)], {INT64_MIN, INT64_MAX}};
	int64_t		rank[2];

	if (sorted.empty() || random_u64() % 4 == 0)
		return seek;
	select_ranks(seek.fraction, seek.continuous, seek.descending, (int64_t) sorted.size(), &rank[0], &rank[1]);
	if (random_u64() % 5 == 0)
		rank[0] = rank[1] = (int64_t) (random_u64() % sorted.size());
	const int64_t around = (int64_t) (random_u64() % (sorted.size() / 4 + 2));
	const int64_t low = std::min(rank[0], rank[1]) - around;
	const int64_t high = std::max(rank[0], rank[1]) + around;

	seek.range.least = low >= 0 ? sorted[low] : INT64_MIN;
	seek.range.largest = high < (int64_t) sorted.size() ? sorted[high] : INT64_MAX;
	return seek;
}

template <typename T> static T *
zeroed(size_t n)
{
	T		   *memory;

	check(cudaMalloc(&memory, n * sizeof(T)), "cudaMalloc");
	check(cudaMemset(memory, 0, n * sizeof(T)), "memset");
	return memory;
}

template <typename T> static T *
on_device(const T *from, size_t bytes)
{
	uint8_t    *memory = zeroed<uint8_t>(bytes);

	check(cudaMemcpy(memory, from, bytes, cudaMemcpyHostToDevice), "to the device");
	return (T *) memory;
}

/* Return the sorted values that are in a range. */
static std::vector<int64_t>
part_of(const std::vector<int64_t> &sorted, const SelectRange &range)
{
	return {std::lower_bound(sorted.begin(), sorted.end(), range.least), std::upper_bound(sorted.begin(), sorted.end(), range.largest)};
}

/* Return the range that a sample gives. */
static SelectRange
range_of_sample(const std::vector<int64_t> &sample, const SeekLaunch &launch)
{
	const std::vector<int64_t> gathered = part_of(sample, launch.seek.range);
	const int64_t count = (int64_t) gathered.size();
	SelectRange range = launch.seek.range;
	int64_t		rank[2];

	if (count == 0 || gathered.size() > launch.capacity)
		return range;
	select_ranks(launch.seek.fraction, launch.seek.continuous, launch.seek.descending, count, &rank[0], &rank[1]);
	const int64_t low = std::min(rank[0], rank[1]) - seek_margin(count);
	const int64_t high = std::max(rank[0], rank[1]) + seek_margin(count);

	if (low >= 0)
		range.least = gathered[low];
	if (high < count)
		range.largest = gathered[high];
	return range;
}

/* Check that the launch's result is what sorting on the host finds. */
static void
compare(const std::vector<int64_t> &sorted, const SeekLaunch &launch, const SelectRange &range, const uint64_t *state)
{
	const SelectSeek &seek = launch.seek;
	const int64_t count = (int64_t) sorted.size();
	const int64_t n = (int64_t) part_of(sorted, range).size();
	const int64_t less = std::lower_bound(sorted.begin(), sorted.end(), range.least) - sorted.begin();
	int64_t		rank[2];

	if (count == 0)
	{
		tap_expect(state[SEEK_WORD_STATUS] == 0, "something was found among no values");
		return;
	}
	select_ranks(seek.fraction, seek.continuous, seek.descending, count, &rank[0], &rank[1]);
	const bool	there = n <= (int64_t) launch.capacity && std::min(rank[0], rank[1]) >= less && std::max(rank[0], rank[1]) < less + n;

	tap_expect(state[SEEK_WORD_COUNT] == (uint64_t) count && state[SEEK_WORD_LESS] == (uint64_t) less && state[SEEK_WORD_GATHERED] == (uint64_t) n,
			   "%llu of %llu values, %llu less", (unsigned long long) state[SEEK_WORD_GATHERED], (unsigned long long) state[SEEK_WORD_COUNT],
			   (unsigned long long) state[SEEK_WORD_LESS]);
	tap_expect((int64_t) state[SEEK_WORD_RANGE] == range.least && (int64_t) state[SEEK_WORD_RANGE + 1] == range.largest, "%lld to %lld",
			   (long long) state[SEEK_WORD_RANGE], (long long) state[SEEK_WORD_RANGE + 1]);
	if (!tap_expect(state[SEEK_WORD_STATUS] == (there ? SEEK_FOUND : SEEK_FAILED), "status %llx of %lld values, which %s",
					(unsigned long long) state[SEEK_WORD_STATUS], (long long) n, there ? "have it" : "have it not") || !there)
		return;
	for (int i = 0; i < 2; i++)
		tap_expect((int64_t) state[SEEK_WORD_RANK + i] == rank[i] && (int64_t) state[SEEK_WORD_VALUE + i] == sorted[rank[i]], "value %lld of rank %lld",
				   (long long) state[SEEK_WORD_VALUE + i], (long long) state[SEEK_WORD_RANK + i]);
}

/* Check that each gathered value is stored once, and that bins are cleared. */
static void
check_room(const SeekLaunch &launch, const std::vector<int64_t> &sorted, const SelectRange &range)
{
	std::vector<int64_t> want = part_of(sorted, range);
	std::vector<int64_t> got(std::min((uint64_t) want.size(), launch.capacity));
	static SeekRoom room;
	bool		clear = true;

	check(cudaMemcpy(&room, launch.room, sizeof(room), cudaMemcpyDeviceToHost), "room");
	for (uint32_t bin = 0; bin < 2 * SELECT_BINS; bin++)
		clear &= room.bins[0][bin] == 0;
	tap_expect(clear, "bins are left behind");
	if (got.size() < want.size())
		return;
	check(cudaMemcpy(got.data(), launch.values, got.size() * 8, cudaMemcpyDeviceToHost), "values");
	std::sort(got.begin(), got.end());
	tap_expect(got == want, "other values were gathered");
}

static void
seek_once(uint32_t nrows)
{
	const uint32_t sample = random_u64() % 2 ? 1u << random_u64() % 8 : 0;
	const Stored stored = store(nrows, sample);
	const SelectSeek seek = random_seek(stored.sorted);
	const uint64_t capacity = random_u64() % 8 == 0 ? nrows / 3 : nrows;
	Tablet	   *tablet = on_device(stored.tablet, stored.tablet->size);
	uint64_t   *selected = stored.selected != NULL ? on_device(stored.selected, tablet_bitmap_bytes(nrows)) : NULL;
	const VmPart part = {tablet, selected, nrows, 0};
	uint64_t	state[1 + TALLY_WORDS] = {0};
	std::vector<uint64_t> rows(BLOCKS * ROW_WORDS);
	SelectRange range = seek.range;
	VmResult	result;
	VmLaunch	launch = {};
	SeekLaunch	seeking = {seek, zeroed<SeekRoom>(1), zeroed<int64_t>(capacity + 1), capacity, zeroed<uint64_t>(TALLY_WORDS)};

	launch.shape.lanes = 8;
	launch.shape.nstates = STATES;
	launch.shape.row_words = ROW_WORDS;
	for (uint16_t s = 0; s < STATES; s++)
		launch.shape.state_word[s] = 1 + s;
	launch.shape.select = {true, true, stored.type == COLTYPE_F32 || stored.type == COLTYPE_F64, true, true, false, false, 0, 0,
		{SELECT_ROWS, SELECT_NOT_NULL, SELECT_LESS}, seek.range.least, seek.range.largest};
	launch.part = on_device(&part, sizeof(part));
	launch.nparts = 1;
	launch.ntiles = (nrows + TILE - 1) / TILE;
	launch.rows = zeroed<uint64_t>(BLOCKS * ROW_WORDS);
	launch.hashes = zeroed<uint64_t>(BLOCKS);
	launch.row_capacity = BLOCKS;
	launch.tallies = seeking.tally;
	launch.seek = seeking.room;
	launch.gathered = (int64_t *) seeking.values;
	launch.gather_capacity = capacity;
	launch.result = zeroed<VmResult>(1);
	tap_expect(vm_tile_rows(&launch.shape) == TILE, "tiles have %u rows", vm_tile_rows(&launch.shape));
	check(seek_begin(&seeking, NULL), "begin");
	if (sample > 0)
	{
		launch.sample = sample;
		check(vm_launch(&launch, BLOCKS, NULL), "launch of the sample");
		check(seek_range(&seeking, 16, NULL), "range");
		launch.sample = 0;
		range = range_of_sample(stored.sample, seeking);
	}
	check(vm_launch(&launch, BLOCKS, NULL), "launch");
	check(seek_find(&seeking, 16, NULL), "seeking");
	check(cudaMemcpy(&result, launch.result, sizeof(result), cudaMemcpyDeviceToHost), "result");
	check(cudaMemcpy(rows.data(), launch.rows, BLOCKS * ROW_WORDS * 8, cudaMemcpyDeviceToHost), "rows");
	check(cudaMemcpy(state + 1, seeking.tally, TALLY_WORDS * 8, cudaMemcpyDeviceToHost), "tally");
	tap_expect(result.status == STATUS_DONE && result.nrows <= BLOCKS, "status %u, %u rows", result.status, result.nrows);
	for (uint32_t r = 1; r < result.nrows && r < BLOCKS; r++)
		for (uint32_t w = 0; w < ROW_WORDS; w++)
			rows[w] += rows[r * ROW_WORDS + w];
	tap_expect(rows[2] == stored.sorted.size() && rows[3] == state[SEEK_WORD_LESS], "%llu values, %llu less", (unsigned long long) rows[2],
			   (unsigned long long) rows[3]);
	compare(stored.sorted, seeking, range, state);
	check_room(seeking, stored.sorted, range);
	for (void *memory : {(void *) tablet, (void *) selected, (void *) launch.part, (void *) launch.rows, (void *) launch.hashes, (void *) launch.tallies,
			(void *) launch.seek, (void *) launch.gathered, (void *) launch.result})
		check(cudaFree(memory), "cudaFree");
	free(stored.tablet);
	free(stored.selected);
}

int
main(void)
{
	static const struct
	{
		const char *name;
		uint32_t	nrows;
		int			trials;
	}			sizes[] = {{"a row", 1, 40}, {"a tile's rows and one", 1025, 100}, {"some tiles' rows", 20000, 200}, {"many rows", 1000003, 60}};

	check(cudaSetDevice(0), "no device");
	for (const auto &size : sizes)
	{
		tap_begin(size.name);
		for (int trial = 0; trial < (tap_short() ? size.trials / 10 + 1 : size.trials); trial++)
			seek_once(size.nrows);
		tap_end();
	}
	return tap_done();
}

/*
 * quantiles.c
 *		Quantile selection by histogram refinement: values that aggregates select by rank.
 *
 * Each run of the program counts values in bins.  Between two runs the bins that
 * have the wanted ranks become the ranges of the next run, and once few values
 * are left in a range they are collected (core/vm/op_select.h).  All runs see the
 * rows of the query's snapshot, so whatever else they compute comes out equal
 * each time.
 *
 * Where many tablets are cached the first runs see a sample of them.  The range
 * found in the sample is a guess: the first run of all rows counts within it, and
 * counts the values below it, which shows if the value is there.  A GPU is asked
 * to seek the value in that range at once.
 */
#include "postgres.h"

#include "utils/array.h"
#include "utils/lsyscache.h"

#include "device/device.h"
#include "exec/agg/quantiles.h"
#include "guc.h"

/* Number of values below which a sample is ignored, and maximum number of runs over a sample. */
#define SAMPLE_LEAST 4096
#define SAMPLE_RUNS 4

struct Quantiles
{
	int			runs;			/* runs over a sample so far */
	bool		samples;		/* the next run sees a sample */
	SelectRange *certain;		/* range of each value that is certain */
	SelectStep *step;			/* the next run's range and method for each value */
};

/* Counts of a run for one value. */
typedef struct Counted
{
	const uint64 *state;		/* words of the state: bins, or collected values */
	int64		count;			/* number of values that are not NULL */
	int64		rank;			/* rank of the value that is selected */
	bool		bounded;		/* `bounds`, the least and largest value, is known */
	SelectRange bounds;
} Counted;

void
quantiles_forget(GpuNode *node)
{
	Quantiles  *quantiles = node->quantiles;

	if (quantiles != NULL)
	{
		pfree(quantiles->certain);
		pfree(quantiles->step);
		pfree(quantiles);
	}
	node->quantiles = NULL;
	node->request.steps = NULL;
}

bool
quantiles_would_sample(const GpuNode *node)
{
	return node->quantiles != NULL && node->quantiles->samples;
}

Datum
quantiles_array(const AggResult *agg, Datum *values)
{
	const ArrayType *fractions = agg->fractions;
	int16		length;
	bool		by_value;
	char		alignment;

	get_typlenbyvalalign(agg->element, &length, &by_value, &alignment);
	return PointerGetDatum(construct_md_array(values, (bool *) agg->fraction_null, ARR_NDIM(fractions), ARR_DIMS(fractions),
											  ARR_LBOUND(fractions), agg->element, length, by_value, alignment));
}

static const uint64 *
state_of(const GpuNode *node, const GroupTable *groups, int state)
{
	return group_row(groups, 0) + node->compiled.program->state_word[state];
}

static void
clip(SelectRange *range, const SelectRange *bounds)
{
	range->least = Max(range->least, bounds->least);
	range->largest = Min(range->largest, bounds->largest);
}

/* Collected values */

static int
compare_keys(const void *a, const void *b)
{
	const int64 x = *(const int64 *) a;
	const int64 y = *(const int64 *) b;

	return (x > y) - (x < y);
}

/*
 * Pick the value from the collected values, or make the next run count bins if
 * they are too many after all.  Return false if counts contradict each other.
 */
static bool
pick(SelectStep *step, const Counted *counted)
{
	const int64 n = (int64) counted->state[1];
	const int64 number = counted->rank - (int64) counted->state[0];
	int64	   *keys;

	step->collects = false;
	if (n > SELECT_VALUES)
		return true;
	if (number < 0 || number >= n)
		return false;
	keys = palloc(sizeof(int64) * n);
	memcpy(keys, &counted->state[2], sizeof(int64) * n);
	qsort(keys, n, sizeof(int64), compare_keys);
	step->range.least = step->range.largest = keys[number];
	step->found = true;
	pfree(keys);
	return true;
}

/* Values sought by a device */

/* Take the value from those that the device has found, if its rank is among them. */
static void
take_sought(SelectStep *step, const Counted *counted)
{
	const uint64 *state = counted->state;

	for (int i = 0; i < 2 && !step->found; i++)
	{
		if (counted->rank != (int64) state[SEEK_WORD_RANK + i])
			continue;
		step->range.least = step->range.largest = (int64) state[SEEK_WORD_VALUE + i];
		step->found = true;
	}
}

/*
 * Narrow the certain range by the side of the device's range on which the value lies; return false
 * if no value is possible.
 */
static bool
learn_side(SelectRange *certain, SelectStep *step, const Counted *counted)
{
	const uint64 *state = counted->state;
	const SelectRange range = {(int64) state[SEEK_WORD_RANGE], (int64) state[SEEK_WORD_RANGE + 1]};
	const int64 number = counted->rank - (int64) state[SEEK_WORD_LESS];

	if (number < 0 && range.least > PG_INT64_MIN)
		certain->largest = Min(certain->largest, range.least - 1);
	else if (number >= (int64) state[SEEK_WORD_GATHERED] && range.largest < PG_INT64_MAX)
		certain->least = Max(certain->least, range.largest + 1);
	else
		clip(certain, &range);
	step->range = *certain;
	step->found = select_is_found(certain);
	return certain->least <= certain->largest;
}

/*
 * Take the value found by the device, or what has become known of its range;
 * bins narrow it further.  Return false if counts contradict each other.
 */
static bool
end_seeking(SelectRange *certain, SelectStep *step, const Counted *counted)
{
	const uint64 *state = counted->state;
	const int64 number = counted->rank - (int64) state[0];

	step->collects = step->seeks = false;
	/* no device has sought: the values collected are those of the range, which may be a guess */
	if (state[SEEK_WORD_STATUS] < SEEK_FAILED)
	{
		if (number >= 0 && number < (int64) state[1])
			return pick(step, counted);
		step->range = *certain;
		return true;
	}
	/* other devices have seen some values, which this device's words do not include */
	if ((int64) state[SEEK_WORD_COUNT] != counted->count)
	{
		step->range = *certain;
		return true;
	}
	if (state[SEEK_WORD_STATUS] == SEEK_FOUND)
		take_sought(step, counted);
	return step->found || learn_side(certain, step, counted);
}

/* Bins of all rows */

static bool
narrow(SelectRange *certain, SelectStep *step, const Counted *counted)
{
	const uint32 bin = select_find_bin(counted->state, (uint64) counted->rank);

	if (bin < SELECT_BINS)
	{
		const SelectRange range = select_range_of_bin(&step->range, bin);

		clip(certain, &range);
	}
	else if ((uint64) counted->rank < counted->state[0])
		certain->largest = Min(certain->largest, step->range.least - 1);
	else
	{
		const int64 last = select_range_of_bin(&step->range, SELECT_BINS - 1).largest;

		if (last >= certain->largest)
			return false;
		certain->least = Max(certain->least, last + 1);
	}
	if (counted->bounded)
		clip(certain, &counted->bounds);
	if (certain->least > certain->largest)
		return false;
	step->range = *certain;
	step->found = select_is_found(certain);
	step->collects = !step->found && bin < SELECT_BINS && counted->state[1 + bin] <= SELECT_VALUES;
	return true;
}

/* Bins of a sample */

/*
 * Guess the range of a value from the bins of a sample.  Return true if another
 * run over the sample can narrow it further.
 */
static bool
guess(const SelectRange *certain, SelectStep *step, const Counted *counted)
{
	const int64 low = counted->rank - select_margin(counted->count);
	const int64 high = counted->rank + select_margin(counted->count);
	const uint32 low_bin = low < 0 ? SELECT_BINS : select_find_bin(counted->state, (uint64) low);
	const uint32 high_bin = high >= counted->count ? SELECT_BINS : select_find_bin(counted->state, (uint64) high);
	SelectRange range = *certain;
	uint64		within = 0;
	bool		narrowed;

	if (low_bin < SELECT_BINS)
		range.least = Max(range.least, select_range_of_bin(&step->range, low_bin).least);
	if (high_bin < SELECT_BINS)
		range.largest = Min(range.largest, select_range_of_bin(&step->range, high_bin).largest);
	if (counted->bounded && low >= 0)
		range.least = Max(range.least, counted->bounds.least);
	if (counted->bounded && high < counted->count)
		range.largest = Min(range.largest, counted->bounds.largest);
	/* the sample has values outside the old range, which bins do not cover: retain the old range */
	if (range.least > range.largest)
		return false;
	for (uint32 bin = low_bin < SELECT_BINS ? low_bin : 0; bin < SELECT_BINS && bin <= high_bin; bin++)
		within += counted->state[1 + bin];
	narrowed = range.least > step->range.least || range.largest < step->range.largest;
	step->range = range;
	return narrowed && !select_is_found(&range) && within > (uint64) (4 * select_margin(counted->count));
}

/*
 * Narrow the range of value i by the counts of a run; return false if the counts
 * contradict each other.  Set *more if another run over a sample is useful.
 */
static bool
refine_range(GpuNode *node, const GroupTable *groups, int i, bool sampled, bool *more)
{
	Quantiles  *quantiles = node->quantiles;
	const SelectResult *select = &node->compiled.select[i];
	const AggResult *agg = &node->compiled.agg[select->agg];
	const int	place = i - agg->select;
	const int	each = agg->nquantiles;
	SelectStep *step = &quantiles->step[i];
	Counted		counted = {.count = (int64) *state_of(node, groups, agg->count), .bounded = select->least >= 0};
	int64		rank[2];

	if (agg->fraction_null[place / each] || (counted.count == 0 && !sampled))
		step->found = true;
	if (step->found || select->state < 0 || (sampled && counted.count < SAMPLE_LEAST))
		return true;
	quantiles_ranks(agg, place / each, counted.count, &rank[0], &rank[1]);
	counted.rank = rank[place % each];
	counted.state = state_of(node, groups, select->state);
	if (counted.bounded)
		counted.bounds = (SelectRange) {(int64) *state_of(node, groups, select->least), (int64) *state_of(node, groups, select->largest)};
	if (sampled)
		*more |= guess(&quantiles->certain[i], step, &counted);
	else if (step->seeks)
		return end_seeking(&quantiles->certain[i], step, &counted);
	else if (step->collects)
		return pick(step, &counted);
	else
		return narrow(&quantiles->certain[i], step, &counted);
	return true;
}

static Quantiles *
create(const GpuNode *node)
{
	const CompileResult *compiled = &node->compiled;
	MemoryContext old = MemoryContextSwitchTo(node->css.ss.ps.state->es_query_cxt);
	Quantiles  *quantiles = palloc0(sizeof(Quantiles));

	quantiles->certain = palloc(compiled->nquantiles * sizeof(SelectRange));
	quantiles->step = palloc(compiled->nquantiles * sizeof(SelectStep));
	for (int i = 0; i < compiled->nquantiles; i++)
	{
		quantiles->step[i] = compiled->select[i].step;
		quantiles->certain[i] = quantiles->step[i].range;
	}
	quantiles->samples = node->nchildren == 0;
	MemoryContextSwitchTo(old);
	return quantiles;
}

/* Number of rows above which a sample leaves more values than a GPU has room for (SEEK_MOST). */
#define SEEK_ROWS 4e8

/* Return true if a GPU may seek the selected values: those of one percentile of a column. */
static bool
can_seek(const GpuNode *node)
{
	const CompileResult *compiled = &node->compiled;
	const AggResult *agg = &compiled->agg[compiled->select[0].agg];
	bool		can = node->device == &remote_device && node->relation->rd_rel->reltuples <= SEEK_ROWS && compiled->nquantiles == agg->nquantiles &&
		!agg->fraction_null[0];

	for (int i = 0; i < compiled->nquantiles && can; i++)
		can = compiled->select[i].plain && !node->quantiles->step[i].found;
	return can;
}

/* Make the next run, over all rows, seek the selected values on the GPU. */
static void
seek(GpuNode *node)
{
	Quantiles  *quantiles = node->quantiles;

	for (int i = 0; i < node->compiled.nquantiles; i++)
	{
		quantiles->step[i].collects = quantiles->step[i].seeks = true;
		quantiles->step[i].most = gpudb_debug_seek;
	}
	quantiles->samples = false;
}

/* Guess the ranges of all values from cached columns; return true if some range was found. */
static bool
guess_bounds(const GpuNode *node)
{
	const CompileResult *compiled = &node->compiled;
	bool		told = false;

	for (int i = 0; i < compiled->nquantiles; i++)
	{
		SelectRange seen;

		if (compiled->select[i].column < 0 ||
			!tablet_guess_bounds(node->relation, node->feed.source.end, &node->feed.wanted[compiled->select[i].column], &seen.least, &seen.largest))
			continue;
		clip(&node->quantiles->step[i].range, &seen);
		told = true;
	}
	return told;
}

bool
quantiles_begin(GpuNode *node)
{
	bool		told;

	if (node->quantiles != NULL || node->compiled.nquantiles == 0 || node->nchildren > 0)
		return false;
	node->quantiles = create(node);
	/* zone maps include hidden rows */
	told = !node->secret && guess_bounds(node);
	if (can_seek(node))
	{
		seek(node);
		told = true;
	}
	if (told)
		node->request.steps = node->quantiles->step;
	return told;
}

/* Widen the ranges of a percentile's two values to their union, so that one state serves both. */
static void
join_ranges(const GpuNode *node)
{
	const CompileResult *compiled = &node->compiled;

	for (int i = 0; i < compiled->nquantiles; i += compiled->agg[compiled->select[i].agg].nquantiles)
	{
		SelectStep *first = &node->quantiles->step[i];
		SelectStep *second = first + compiled->agg[compiled->select[i].agg].nquantiles - 1;

		if (first->found || second->found)
			continue;
		first->range.least = second->range.least = Min(first->range.least, second->range.least);
		first->range.largest = second->range.largest = Max(first->range.largest, second->range.largest);
	}
}

DeviceStatus
quantiles_narrow(GpuNode *node, const GroupTable *groups, bool *wanted)
{
	const bool	sampled = node->feed.sampled;
	bool		sought;
	bool		more = false;

	*wanted = false;
	if (node->compiled.nquantiles == 0)
		return STATUS_DONE;
	if (node->quantiles == NULL)
		node->quantiles = create(node);
	sought = node->quantiles->step[0].seeks;
	for (int i = 0; i < node->compiled.nquantiles; i++)
	{
		if (!refine_range(node, groups, i, sampled, &more))
			return STATUS_BAD_PROGRAM;
		*wanted |= !node->quantiles->step[i].found;
	}
	/* nothing is known of all rows yet */
	*wanted |= sampled;
	node->request.steps = node->compiled.steps = node->quantiles->step;
	/* a value that was sought without success is looked for from a sample again */
	node->quantiles->samples = sought || (sampled && more && ++node->quantiles->runs < SAMPLE_RUNS);
	if (sampled)
		join_ranges(node);
	node->report.rounds++;
	node->report.sampled += sampled;
	return STATUS_DONE;
}

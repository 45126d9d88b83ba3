/*
 * vm_groups_test.c
 *		Sums of floats by groups: many rows of few, some and many groups, evenly
 *		spread and not, with NaN, infinities and -0.
 *
 * On a GPU on one block and on many, whose tables have room for all groups or
 * are written out again and again, with a replica of states a thread, a few, or
 * one that all threads share.
 */
#include <math.h>

#include "core/vm/op_cast.h"
#include "assembler.h"
#include "fixture.h"
#include "interpreters.h"
#include "tap.h"

#define MOST_ROWS	60000
#define MOST_GROUPS	3000
#define CALM			10			/* the kind of groups with usual values only */

enum
{
	NAN_ONE, PLUS_INF, MINUS_INF, BOTH_INF, MINUS_ZERO, CANCELLED, NOTHING, LARGE
};								/* kinds of groups with special values */

enum
{
	COL_KEY, COL_F, COL_W, COL_Count
};

static const uint16_t column_types[COL_Count] = {COLTYPE_I32, COLTYPE_F64, COLTYPE_I128};

enum
{
	R_SELECTION, R_HASH0, R_KEY, R_HASH, R_GROUP, R_F, R_FLOAT_KEY, R_W, R_W2
};

typedef enum Spread
{
	EVEN,
	ZIPF,
	HOT,						/* one group has 99 % of the rows */
	IN_ORDER					/* the rows of each group are neighbours */
} Spread;

static const char *const spread_names[] = {"evenly spread", "by Zipf", "one has most", "one after the other"};

static uint32_t nrows;
static uint32_t key[MOST_ROWS];	/* keys of rows; 0 = NULL */
static double value[MOST_ROWS];	/* values of rows; is_null[] tells which are NULL */
static bool is_null[MOST_ROWS];
static Wide wide[MOST_ROWS];

/* A way to run a program: on the CPU, or on a GPU. */
typedef struct Way
{
	const char *name;
	DeviceStatus (*run) (VmRun *run);	/* NULL = on a GPU */
	int			blocks;
	uint32_t	lanes;
	uint32_t	room;			/* groups that a block's table has room for; 0 = default */
	bool		many;			/* true to make blocks for any number of groups */
	bool		general;		/* true to use the interpreter */
} Way;

static const Way ways[] = {
	{"tile of 64", vm_run_small},
	{"tile of 512", vm_run_large},
#ifdef GPUDB_TEST_GPU
	{"a block", NULL, 1, 8, 0, false, false},
	{"many blocks", NULL, 300, 8, 0, false, false},
	{"many blocks, few lanes", NULL, 300, 2, 0, false, false},
	{"a block, for any number", NULL, 1, 2, 0, true, false},
	{"many blocks, for any number", NULL, 300, 2, 0, true, false},
	{"many blocks, room for a warp's", NULL, 300, 4, 1, true, false},
	{"many blocks, room for some", NULL, 300, 4, 700, true, false},
	{"a block, room for more", NULL, 1, 4, 1300, true, false},
	{"many blocks, room for more", NULL, 300, 4, 1300, true, false},
	{"many blocks, the interpreter", NULL, 300, 4, 0, false, true},
	{"many blocks, the interpreter, for any number", NULL, 300, 4, 0, true, true},
	{"many blocks, the interpreter, room for many", NULL, 200, 2, 1000, true, true},
#endif
};

/* Return the kind of a group by its number. */
static uint32_t
kind_of(uint32_t group)
{
	return group % 3 == 2 ? group / 3 % 8 : CALM;
}

/* Return the value of the turn-th row of a group. */
static double
value_of(uint32_t group, uint32_t turn)
{
	const double usual = (double) (random_int64() >> random_below(60)) / (double) (1 << random_below(20));

	switch (kind_of(group))
	{
		case NAN_ONE:
			return turn == 2 ? (double) NAN : usual;
		case PLUS_INF:
			return turn == 1 ? (double) INFINITY : usual;
		case MINUS_INF:
			return turn % 3 == 0 ? -(double) INFINITY : usual;
		case BOTH_INF:
			return turn % 2 ? (double) INFINITY : -(double) INFINITY;
		case MINUS_ZERO:
			return -0.0;
		case CANCELLED:
			return turn % 2 ? 0x1p900 : -0x1p900;
		case LARGE:
			return usual * 0x1p400;
		default:
			return usual;
	}
}

static void
make_rows(uint32_t n, uint32_t groups, Spread spread)
{
	static uint32_t turn[MOST_GROUPS];

	memset(turn, 0, sizeof(turn));
	nrows = n;
	for (uint32_t r = 0; r < n; r++)
	{
		const double part = (double) (random_u64() >> 11) * 0x1p-53;
		const uint32_t group = spread == EVEN ? random_below(groups) : spread == ZIPF ? (uint32_t) exp(log((double) groups) * part) - 1
			: spread == HOT ? (random_below(100) ? groups / 2 : random_below(groups)) : (uint32_t) ((uint64_t) r * groups / n);

		key[r] = group < groups ? group : groups - 1;
		value[r] = value_of(key[r], turn[key[r]]++);
		is_null[r] = kind_of(key[r]) == NOTHING || (kind_of(key[r]) == CALM && random_below(9) == 0);
		wide[r] = (random_wide() >> (1 + random_below(100))) * (random_below(2) ? 1 : -1);
	}
}

static Tablet *
store_rows(void)
{
	Tablet	   *tablet = tablet_make(column_types, COL_Count, nrows, 0);

	for (uint32_t r = 0; r < nrows; r++)
	{
		tablet_set_int(tablet, COL_KEY, r, (Wide) key[r] * 1000003 % 2147483647);
		tablet_set_float(tablet, COL_F, r, value[r]);
		tablet_set_int(tablet, COL_W, r, wide[r]);
		if (key[r] == 0)
			tablet_set_null(tablet, COL_KEY, r);
		if (is_null[r])
			tablet_set_null(tablet, COL_F, r);
	}
	return tablet;
}

/* Words of the states in a row of one key. */
enum
{
	WORD_COUNT = 2, WORD_SUM = 3, WORD_SQ = 6, WORD_MAX = 8, WORD_VALUES = 9, WORD_LEAST = 10, WORD_LARGEST = 12
};

/*
 * Build a program with count(*), sum, sum of squares, max and count of f by a key; with `extremes`
 * also extremes of 128 bits, which share no replica.
 */
static Program *
build(bool extremes)
{
	static Assembler as;

	asm_init(&as, COL_Count, true);
	asm_emit(&as, VMOP_CONST_I, R_HASH0, 0, 0, 0, asm_word(&as, 0));
	asm_emit(&as, VMOP_LOAD_I, R_KEY, 0, 0, 0, COL_KEY);
	asm_emit(&as, VMOP_KEY_I, R_HASH, R_KEY, R_HASH0, 0, asm_key(&as, KEY_WORD));
	asm_emit(&as, VMOP_GROUP, R_GROUP, R_HASH, 0, 0, 0);
	asm_emit(&as, VMOP_LOAD_F, R_F, 0, 0, 0, COL_F);
	asm_emit(&as, VMOP_FLOAT_KEY, R_FLOAT_KEY, R_F, 0, 0, 0);
	asm_emit(&as, VMOP_COUNT_G, 0, 0, R_GROUP, 0, asm_state(&as, STATE_COUNT));
	asm_emit(&as, VMOP_SUM_F_G, 0, R_F, R_GROUP, 0, asm_state(&as, STATE_SUM_F));
	asm_emit(&as, VMOP_SUM_SQ_G, 0, R_F, R_GROUP, 0, asm_state(&as, STATE_SUM_SQ));
	asm_emit(&as, VMOP_MAX_I_G, 0, R_FLOAT_KEY, R_GROUP, 0, asm_state(&as, STATE_MAX_I));
	asm_emit(&as, VMOP_COUNT_G, 0, R_F, R_GROUP, 0, asm_state(&as, STATE_COUNT));
	if (extremes)
	{
		asm_emit(&as, VMOP_LOAD_W, R_W, 0, 0, 0, COL_W);
		asm_emit(&as, VMOP_MIN_W_G, 0, R_W, R_GROUP, 0, asm_state(&as, STATE_MIN_W));
		asm_emit(&as, VMOP_MAX_W_G, 0, R_W, R_GROUP, 0, asm_state(&as, STATE_MAX_W));
	}
	return asm_finish(&as);
}

/* Expected totals of a group. */
typedef struct Totals
{
	int64_t		count;
	int64_t		values;			/* number of values that are not NULL */
	uint64_t	flags;
	long double sum;			/* sum of finite values */
	long double size;			/* sum of |x| */
	long double squares;		/* sum of x^2, where that is not too large */
	int64_t		max;
	Wide		least;
	Wide		largest;
} Totals;

static Totals totals[MOST_GROUPS];

static void
add_row(Totals *t, uint32_t r)
{
	if (t->count++ == 0)
	{
		t->max = INT64_MIN;
		t->least = WIDE_MAX;
		t->largest = WIDE_MIN;
	}
	t->least = wide[r] < t->least ? wide[r] : t->least;
	t->largest = wide[r] > t->largest ? wide[r] : t->largest;
	if (is_null[r])
		return;
	t->values++;
	t->flags |= float_flags(value[r]);
	t->max = op_float_key(value[r]) > t->max ? op_float_key(value[r]) : t->max;
	if (fabs(value[r]) < (double) INFINITY)
	{
		t->sum += value[r];
		t->size += fabsl((long double) value[r]);
	}
	if (fabs(value[r]) <= 0x1p480)
		t->squares += (long double) value[r] * value[r];
}

/* Return true if a sum is right: NaN and infinities as the values have them, else near the exact sum. */
static bool
right_sum(const uint64_t *state, const Totals *t)
{
	const bool	both = (t->flags & FLOAT_SAW_PLUS_INF) && (t->flags & FLOAT_SAW_MINUS_INF);
	double		sum = 1;

	if (state[2] != t->flags || float_total_value(state, &sum) != STATUS_DONE)
		return false;
	if ((t->flags & FLOAT_SAW_NAN) || both)
		return isnan(sum);
	if (t->flags & (FLOAT_SAW_PLUS_INF | FLOAT_SAW_MINUS_INF))
		return sum == (t->flags & FLOAT_SAW_PLUS_INF ? (double) INFINITY : -(double) INFINITY);
	return fabsl(sum - t->sum) <= t->size * 0x1p-40L;
}

static void
check_group(const Way *way, uint32_t group, const uint64_t *row, bool extremes)
{
	const Totals *t = &totals[group];
	double		sum = 1;

	tap_expect((int64_t) row[WORD_COUNT] == t->count && (int64_t) row[WORD_VALUES] == t->values, "%s: group %u has %lld rows, not %lld",
			   way->name, group, (long long) row[WORD_COUNT], (long long) t->count);
	tap_expect(right_sum(row + WORD_SUM, t), "%s: group %u, kind %u: sum %g + %g, flags %llx, not %Lg", way->name, group, kind_of(group),
			   float_of_bits(row[WORD_SUM]), float_of_bits(row[WORD_SUM + 1]), (unsigned long long) row[WORD_SUM + 2], t->sum);
	if (kind_of(group) == MINUS_ZERO)
		tap_expect(float_total_value(row + WORD_SUM, &sum) == STATUS_DONE && sum == 0 && signbit(sum), "%s: the sum of -0 is 0", way->name);
	tap_expect(fabsl(((long double) float_of_bits(row[WORD_SQ]) + float_of_bits(row[WORD_SQ + 1])) - t->squares) <= t->squares * 0x1p-40L,
			   "%s: group %u: squares %g, not %Lg", way->name, group, float_of_bits(row[WORD_SQ]), t->squares);
	tap_expect((int64_t) row[WORD_MAX] == t->max, "%s: group %u: max", way->name, group);
	if (extremes)
		tap_expect(wide_load(row + WORD_LEAST) == t->least && wide_load(row + WORD_LARGEST) == t->largest, "%s: group %u: extremes",
				   way->name, group);
}

static DeviceStatus
run_way(const Way *way, VmRun *run, bool extremes)
{
#ifdef GPUDB_TEST_GPU
	/* groups with extremes of 128 bits have four replicas */
	if (way->run == NULL)
		return gpu_run_groups(run, way->blocks, way->lanes, extremes ? (way->room + 3) / 4 : way->room, way->many, way->general);
#endif
	(void) extremes;
	return way->run(run);
}

/* Run over the rows, and compare with the expected totals; a way for few groups may report that there are too many. */
static void
try_way(const Way *way, const Program *program, const Tablet *tablet, uint32_t groups, bool extremes)
{
	static bool seen[MOST_GROUPS];
	GroupTable	table;
	VmRun		run;
	DeviceStatus status;

	table_open(&table, program, groups, 64);
	run_open(&run, program, BODY_NARROW, tablet, LARGE_TILE);
	run.groups = &table;
	status = run_way(way, &run, extremes);
	if (status == STATUS_TABLE_FULL && way->run == NULL && !way->many)
		tap_expect(groups > 4, "%s: no room for %u groups", way->name, groups);
	else if (tap_expect(status == STATUS_DONE, "%s: '%s'", way->name, status_text(status)))
	{
		uint32_t	expected = 0;

		memset(seen, 0, sizeof(seen));
		for (uint32_t g = 0; g < groups; g++)
			expected += totals[g].count > 0;
		tap_expect(table.ngroups == expected, "%s: %u groups, not %u", way->name, table.ngroups, expected);
		for (uint32_t g = 0; g < table.ngroups; g++)
		{
			const uint64_t *row = group_row(&table, g);
			uint32_t	group = 0;

			while (row[0] == 0 && group < groups - 1 && row[1] != (uint64_t) group * 1000003 % 2147483647)
				group++;
			tap_expect(!seen[group] && totals[group].count > 0, "%s: group %u is there twice, or has no rows", way->name, group);
			seen[group] = true;
			check_group(way, group, row, extremes);
		}
	}
	run_close(&run, LARGE_TILE);
	table_free(&table);
}

static void
test_groups(uint32_t n, uint32_t groups, Spread spread)
{
	static char name[100];
	Tablet	   *tablet;

	snprintf(name, sizeof(name), "%u groups of %u rows, %s", groups, n, spread_names[spread]);
	tap_begin(name);
	make_rows(n, groups, spread);
	memset(totals, 0, sizeof(totals));
	for (uint32_t r = 0; r < n; r++)
		add_row(&totals[key[r]], r);
	tablet = store_rows();
	for (int extremes = 0; extremes < 2; extremes++)
	{
		Program    *program = build(extremes);
		const uint32_t size = program->size;

		tap_expect(program_verify(program, size) == STATUS_DONE, "the program is refused");
		for (size_t w = 0; w < lengthof(ways); w++)
			try_way(&ways[w], program, tablet, groups, extremes);
		program_free(program, size);
	}
	tablet_free(tablet);
	tap_end();
}

/* Test merging sums of -0 only, in any order, with sums of no values. */
static void
test_minus_zero(void)
{
	uint64_t	part[4][3];
	double		sum = 1;
	uint32_t	error = 0;

	for (int p = 0; p < 4; p++)
	{
		state_init(STATE_SUM_F, part[p]);
		for (int i = 0; i < p % 3; i++)
			float_total_add(part[p], -0.0);
	}
	for (int p = 1; p < 4; p++)
		state_merge(STATE_SUM_F, part[0], part[p], &error);
	tap_ok(float_total_value(part[0], &sum) == STATUS_DONE && sum == 0 && signbit(sum), "parts of a sum of -0");
	float_total_add(part[1], 0);
	state_merge(STATE_SUM_F, part[0], part[1], &error);
	tap_ok(float_total_value(part[0], &sum) == STATUS_DONE && sum == 0 && !signbit(sum), "parts of a sum of -0 and 0");
}

int
main(void)
{
	static const uint32_t few[] = {1, 3, 4, 5, 19, 60, 137};
	const uint32_t most = tap_short() ? 6000 : MOST_ROWS;

	for (size_t i = 0; i < lengthof(few); i++)
		test_groups(most / 10, few[i], (Spread) (i % 4));
	for (int spread = EVEN; spread <= IN_ORDER; spread++)
	{
		test_groups(most / 2, 300, (Spread) spread);
		test_groups(most, 1000, (Spread) spread);
		test_groups(most, MOST_GROUPS, (Spread) spread);
	}
	test_groups(1, 1000, EVEN);
	test_groups(33, 1000, EVEN);
	test_minus_zero();
	return tap_done();
}

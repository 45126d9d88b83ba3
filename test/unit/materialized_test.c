/*
 * materialized_test.c
 *		Programs that materialize rows: which rows, in which columns, and no others.
 *
 * Random rows pass filters and joins, by programs laid out as compiled ones
 * are, and by nested loops over the rows here.  Materialized rows are between
 * guards, with room for all rows, for some or for none.  A join's table is built
 * from materialized rows, as a device builds it, and must find them.
 *
 * Then the structural check: a program is laid out by hand and changed in one
 * place, where it is known what the check has to say.
 */
#include "assembler.h"
#include "fixture.h"
#include "interpreters.h"
#include "join_programs.h"
#include "tap.h"

#define WANTED_MOST	12000
#define PAUSES_MOST	100000
#define UNTOUCHED	0xA5

static const uint8_t materialized_columns[] = {COL_FLAG, COL_I, COL_A, COL_B, COL_V, COL_F, COL_VF};

/* A column that has the numbers of a table's rows. */
#define COL_NUMBER COL_Count

/* A materialized column: its side, and which of the side's columns it is. */
typedef struct Source
{
	int			side;
	int			column;
} Source;

/* The columns that a program materializes, and the rows. */
typedef struct Keeping
{
	JoinPlan	plan;
	bool		filter;			/* true to leave out rows of the tablet whose flag is not set */
	uint32_t	ncolumns;
	Source		source[PROGRAM_MAX_MATERIALIZED];
	uint32_t	runs;			/* runs over the tablet */
} Keeping;

/* The rows that one run has to materialize, in order: row numbers of each side, JOIN_NO_ROW for none. */
static uint32_t wanted[STEPS_MOST + 1][WANTED_MOST];
static uint32_t nwanted;

static uint64_t selection[SIDE_ROWS_MOST / 64 + 1];
static bool selective;			/* true if only rows of the selection count */

/* Counts of what the programs did, all of which must occur. */
static struct
{
	uint32_t	rows;
	uint32_t	nulls;
	uint32_t	looped;			/* rows of loops over pairs */
	uint32_t	nested;			/* rows of nested loops */
	uint32_t	plain;			/* rows of programs without tables */
	uint32_t	without;		/* rows without one of a table */
	uint32_t	crowded_out;	/* rows that found no room */
	uint32_t	found;			/* rows that a table of materialized rows has found */
	uint32_t	hashed;			/* rows that were found by hashes */
}			seen;

static uint8_t
type_of(int column)
{
	return column == COL_FLAG ? COLTYPE_BOOL : column == COL_F || column == COL_VF ? COLTYPE_F64 : COLTYPE_I64;
}

/* The reference */

static const JoinRow *
row_at(int side, uint32_t row)
{
	return row == JOIN_NO_ROW ? NULL : &sides[side].row[row];
}

static bool
part_equal(int column, const JoinRow *a, const JoinRow *b)
{
	if (a->null[column] || b->null[column])
		return false;
	return column == COL_I ? a->i == b->i : column == COL_A ? a->a == b->a : column == COL_B ? a->b == b->b : a->flag == b->flag;
}

static bool
rows_match(const JoinStep *step, const uint32_t *at, const JoinRow *row)
{
	const JoinRow *from = row_at(step->from, at[step->from]);
	const JoinRow *first = row_at(0, at[0]);

	for (uint16_t p = 0; p < step_keys[step->by].nparts; p++)
		if (from == NULL || !part_equal(step_keys[step->by].part[p].column, from, row))
			return false;
	return !step->condition || (!first->null[COL_V] && !row->null[COL_V] && first->v <= row->v);
}

/* List all rows that a row of the tablet makes, from step t on; return false if they are too many. */
static bool
want_rows(const Keeping *k, int t, uint32_t *at)
{
	const JoinStep *step = &k->plan.step[t - 1];
	bool		any = false;

	if (t > k->plan.nsteps)
	{
		for (int s = 0; s <= k->plan.nsteps && nwanted < WANTED_MOST; s++)
			wanted[s][nwanted] = at[s];
		return nwanted++ < WANTED_MOST;
	}
	for (uint32_t row = 0; row < sides[t].nrows; row++)
	{
		if (!rows_match(step, at, &sides[t].row[row]))
			continue;
		any = true;
		at[t] = row;
		if (step->kind < STEP_SEMI && !want_rows(k, t + 1, at))
			return false;
	}
	at[t] = JOIN_NO_ROW;
	if (step->kind == STEP_SEMI ? any : step->kind != STEP_INNER && !any)
		return want_rows(k, t + 1, at);
	return true;
}

static bool
compute_wanted(const Keeping *k)
{
	nwanted = 0;
	for (uint32_t row = 0; row < sides[0].nrows; row++)
	{
		const JoinRow *first = &sides[0].row[row];
		uint32_t	at[STEPS_MOST + 1] = {row, JOIN_NO_ROW, JOIN_NO_ROW, JOIN_NO_ROW};

		if ((selective && !(selection[row / 64] >> row % 64 & 1)) || (k->filter && (first->null[COL_FLAG] || !first->flag)))
			continue;
		if (!want_rows(k, 1, at))
			return false;
	}
	return true;
}

/* Programs and runs */

static Program *
build_keeping(Builder *b, const Keeping *k)
{
	int			place;

	build_joins(b, &k->plan);
	if (k->filter)
		build_filter(b, build_column(b, 0, COL_FLAG));
	asm_emit(&b->as, VMOP_COUNT, 0, 0, 0, 0, asm_state(&b->as, STATE_COUNT));
	place = build(b, VMOP_PLACE, 0, 0, 0)->dst;
	b->as.shape.nmaterialized = (uint16_t) k->ncolumns;
	for (uint32_t c = 0; c < k->ncolumns; c++)
	{
		const uint8_t type = type_of(k->source[c].column);
		const int	next = b->next;

		b->as.shape.materialized[c] = type;
		if (k->source[c].column == COL_NUMBER)
		{
			asm_emit(&b->as, VMOP_STORE_R, 0, b->row[k->source[c].side], place, 0, (int) c);
			continue;
		}
		asm_emit(&b->as, type == COLTYPE_BOOL ? VMOP_STORE_B : type == COLTYPE_F64 ? VMOP_STORE_F : VMOP_STORE_I, 0,
				 build_column(b, k->source[c].side, k->source[c].column), place, 0, (int) c);
		b->next = next;
	}
	return build_end(b);
}

static uint32_t
value_bytes(const Keeping *k, uint32_t c)
{
	return type_of(k->source[c].column) == COLTYPE_BOOL ? 1 : 8;
}

static size_t
bitmap_bytes(uint32_t capacity)
{
	return (size_t) (capacity + 31) / 32 * 4;
}

/* Allocate room for `capacity` rows, and not a byte more. */
static void
materialized_open(MaterializedRows *materialized, const Keeping *k, uint32_t capacity)
{
	memset(materialized, 0, sizeof(*materialized));
	materialized->capacity = capacity;
	materialized->count = (uint32_t *) guard_alloc(sizeof(uint32_t), 4);
	*materialized->count = 0;
	for (uint32_t c = 0; c < k->ncolumns; c++)
	{
		const size_t bytes = (size_t) capacity * value_bytes(k, c);

		materialized->values[c] = (uint8_t *) guard_alloc(bytes, value_bytes(k, c));
		materialized->nulls[c] = (uint32_t *) guard_alloc(bitmap_bytes(capacity), 4);
		memset(materialized->values[c], UNTOUCHED, bytes);
		memset(materialized->nulls[c], 0, bitmap_bytes(capacity));
	}
}

static void
materialized_close(MaterializedRows *materialized, const Keeping *k)
{
	for (uint32_t c = 0; c < k->ncolumns; c++)
	{
		guard_free(materialized->values[c], (size_t) materialized->capacity * value_bytes(k, c), value_bytes(k, c));
		guard_free(materialized->nulls[c], bitmap_bytes(materialized->capacity), 4);
	}
	guard_free(materialized->count, sizeof(uint32_t), 4);
}

/* Run a program k->runs times, first with a pause after `yield` instructions; return the number of pauses, or -1. */
static int
run_keeping(const Interpreter *vm, const Program *program, const Keeping *k, const MaterializedRows *materialized, int32_t yield)
{
	int			pauses = 0;

	for (uint32_t n = 0; n < k->runs; n++)
	{
		GroupTable	groups;
		VmRun		run;
		DeviceStatus status;
		uint64_t	counted;
		int32_t		next = yield;

		table_open(&groups, program, 1, 64);
		run_open(&run, program, BODY_NARROW, sides[0].tablet, vm->tile);
		run.tables = join_rows;
		run.materialized = materialized;
		run.groups = &groups;
		run.selected = selective ? selection : NULL;
		run.yield_after = n == 0 ? yield : -1;
		while ((status = vm->run(&run)) == STATUS_TIME_SLICE && ++pauses < PAUSES_MOST)
		{
			memset(run.values, 0xA5, (size_t) program->body[0].nregisters * vm->tile * 8);
			memset(run.nulls, 0xA5, (size_t) program->body[0].nregisters * vm->tile);
			run.yield_after = yield % 3 == 0 ? ++next : -1;
		}
		counted = group_row(&groups, 0)[program->state_word[0]];
		run_close(&run, vm->tile);
		table_free(&groups);
		if (!tap_expect(status == STATUS_DONE, "'%s'", status_text(status)) ||
			!tap_expect(counted == nwanted, "%llu rows are counted instead of %u", (unsigned long long) counted, nwanted))
			return -1;
	}
	return pauses;
}

/* Return the expected value of a column in the n-th row, 0 for NULL. */
static uint64_t
value_wanted(const Source *source, uint32_t n, bool *null)
{
	const JoinRow *row = row_at(source->side, wanted[source->side][n]);

	*null = row == NULL || (source->column != COL_NUMBER && row->null[source->column]);
	if (*null)
		return 0;
	switch (source->column)
	{
		case COL_FLAG: return row->flag;
		case COL_I: return (uint64_t) row->i;
		case COL_A: return (uint64_t) row->a;
		case COL_B: return (uint64_t) row->b;
		case COL_V: return (uint64_t) row->v;
		case COL_F: return bits_of_float(row->f);
		case COL_NUMBER: return wanted[source->side][n];
		default: return bits_of_float(row->vf);
	}
}

static uint64_t
value_materialized(const Keeping *k, const MaterializedRows *materialized, uint32_t c, uint32_t place)
{
	return value_bytes(k, c) == 1 ? materialized->values[c][place] : ((const uint64_t *) materialized->values[c])[place];
}

static bool
null_materialized(const MaterializedRows *materialized, uint32_t c, uint32_t place)
{
	return materialized->nulls[c][place / 32] >> place % 32 & 1;
}

static bool
values_same(uint8_t type, uint64_t a, uint64_t b)
{
	const double x = float_of_bits(a);
	const double y = float_of_bits(b);

	return a == b || (type == COLTYPE_F64 && x != x && y != y);
}

/* Check that the rows are those of the reference, in order, and that nothing is behind them. */
static void
expect_materialized(const Keeping *k, const MaterializedRows *materialized)
{
	const uint32_t all = nwanted * k->runs;
	const uint32_t filled = all < materialized->capacity ? all : materialized->capacity;

	tap_expect(*materialized->count == all, "%u rows are said to be materialized instead of %u", *materialized->count, all);
	for (uint32_t c = 0; c < k->ncolumns; c++)
	{
		const uint8_t type = type_of(k->source[c].column);

		for (uint32_t p = 0; p < filled; p++)
		{
			bool		null;
			const uint64_t value = value_wanted(&k->source[c], p % nwanted, &null);

			seen.nulls += null;
			seen.without += wanted[k->source[c].side][p % nwanted] == JOIN_NO_ROW;
			if (!tap_expect(null_materialized(materialized, c, p) == null, "column %u at %u of %u: NULL is %d", c, p, all, !null) ||
				!tap_expect(values_same(type, value_materialized(k, materialized, c, p), value), "column %u at %u of %u: %llx instead of %llx", c, p, all,
							(unsigned long long) value_materialized(k, materialized, c, p), (unsigned long long) value))
				break;
		}
		for (uint32_t p = filled; p < (materialized->capacity + 31) / 32 * 32; p++)
			if (!tap_expect(!null_materialized(materialized, c, p), "column %u: a row behind %u of %u is NULL", c, filled, all))
				break;
		for (size_t at = (size_t) filled * value_bytes(k, c); at < (size_t) materialized->capacity * value_bytes(k, c); at++)
			if (!tap_expect(materialized->values[c][at] == UNTOUCHED, "column %u: something stands behind %u of %u rows", c, filled, all))
				break;
	}
	seen.rows += filled;
	seen.crowded_out += all - filled;
	seen.plain += k->plan.nsteps == 0 ? filled : 0;
}

/* Tables of materialized rows */

/* Make a tablet of materialized columns, with their bounds. */
static Tablet *
tablet_of_materialized(const Keeping *k, const MaterializedRows *materialized, uint32_t nrows)
{
	uint16_t	types[PROGRAM_MAX_MATERIALIZED];
	Tablet	   *tablet;

	for (uint32_t c = 0; c < k->ncolumns; c++)
		types[c] = type_of(k->source[c].column);
	tablet = tablet_make(types, k->ncolumns, nrows, 0);
	for (uint32_t c = 0; c < k->ncolumns; c++)
	{
		TabletColumn *column = &tablet->column[c];
		int64_t		least = INT64_MAX;
		int64_t		largest = INT64_MIN;

		memcpy(tablet_at(tablet, column->values), materialized->values[c], (size_t) nrows * value_bytes(k, c));
		memset(tablet_at(tablet, column->nulls), 0, tablet_bitmap_bytes(nrows));
		memcpy(tablet_at(tablet, column->nulls), materialized->nulls[c], bitmap_bytes(nrows));
		for (uint32_t p = 0; p < nrows; p++)
		{
			const int64_t value = (int64_t) value_materialized(k, materialized, c, p);

			column->null_count += null_materialized(materialized, c, p);
			if (null_materialized(materialized, c, p))
				continue;
			least = value < least ? value : least;
			largest = value > largest ? value : largest;
		}
		if (types[c] != COLTYPE_I64 || column->null_count == nrows)
			continue;
		wide_store(column->min, least);
		wide_store(column->max, largest);
	}
	return tablet;
}

static bool
keys_equal(const Keeping *k, const MaterializedRows *materialized, const JoinKey *key, uint16_t nkeys, uint32_t p, uint32_t q)
{
	for (uint16_t i = 0; i < nkeys; i++)
		if (null_materialized(materialized, key[i].column, p) || null_materialized(materialized, key[i].column, q) ||
			value_materialized(k, materialized, key[i].column, p) != value_materialized(k, materialized, key[i].column, q))
			return false;
	return true;
}

/* Check that a table finds the key of each row, as programs search it. */
static void
expect_found(const Keeping *k, const MaterializedRows *materialized, const JoinTable *table, const JoinKey *key, uint32_t nrows)
{
	for (uint32_t p = 0; p < nrows; p++)
	{
		uint64_t	word = 0;
		uint64_t	span;
		uint32_t	miss = 0;
		uint32_t	n = 0;
		bool		null = false;

		for (uint16_t i = 0; i < table->nparts; i++)
		{
			const uint64_t value = value_materialized(k, materialized, key[i].column, p);

			null |= null_materialized(materialized, key[i].column, p);
			word = table->exact ? word | join_part_word(&table->part[i], (int64_t) value, &miss) : hash_combine(word, value);
		}
		if (null)
			continue;
		tap_expect(miss == 0, "row %u of %u has a key that is said to be none", p, nrows);
		span = join_find(table, word);
		for (uint32_t q = 0; q < nrows; q++)
		{
			const bool	equal = keys_equal(k, materialized, key, table->nparts, p, q);
			const bool	found = n < JOIN_SPAN_COUNT(span) && join_row(table, JOIN_SPAN_FIRST(span) + n) == q;

			n += found;
			tap_expect(equal ? found : !found || !table->exact, "row %u of %u is %sfound by the key of %u", q, nrows, found ? "" : "not ", p);
			seen.found += found && p != q;
			seen.hashed += found && !table->exact;
		}
		tap_expect(n == JOIN_SPAN_COUNT(span), "row %u of %u finds %u rows, of which %u are materialized", p, nrows, JOIN_SPAN_COUNT(span), n);
	}
}

/* Build a table of the rows by some of their columns, and check it. */
static void
expect_table(const Keeping *k, const MaterializedRows *materialized)
{
	const uint32_t nrows = *materialized->count;
	JoinKey		key[4];
	uint16_t	nkeys = 0;
	JoinTable	head;
	JoinTable  *table;
	Tablet	   *tablet;
	uint64_t   *words;
	uint8_t    *nulls;
	uint64_t	bytes;

	for (uint32_t c = 0; c < k->ncolumns && nkeys < lengthof(key); c++)
	{
		key[nkeys].column = (uint16_t) c;
		key[nkeys].form = JOIN_KEY_INTEGER;
		nkeys += type_of(k->source[c].column) != COLTYPE_F64 && random_below(2);
	}
	if (nkeys == 0 || nrows > 300 || nrows > materialized->capacity)
		return;
	tablet = tablet_of_materialized(k, materialized, nrows);
	join_plan_of_bounds(&head, tablet, key, nkeys);
	bytes = join_table_bytes(&head, nrows);
	table = (JoinTable *) guard_alloc(bytes, 64);
	words = (uint64_t *) guard_alloc(nrows * sizeof(uint64_t), 8);
	nulls = (uint8_t *) guard_alloc(nrows, 1);
	*table = head;
	join_words(&head, tablet, key, words, nulls);
	join_build(table, words, nulls, nrows);
	tap_expect(table->size <= bytes, "%llu bytes instead of %llu", (unsigned long long) table->size, (unsigned long long) bytes);
	expect_found(k, materialized, table, key, nrows);
	guard_free(table, bytes, 64);
	guard_free(words, nrows * sizeof(uint64_t), 8);
	guard_free(nulls, nrows, 1);
	tablet_free(tablet);
}

/* Tests of materialized rows */

static JoinStep
random_step(const JoinPlan *plan)
{
	static const StepKey keys[] = {BY_INT, BY_INT, BY_FLAG, BY_INT_FLAG, BY_PAIR, BY_NOTHING};
	JoinStep	step;

	step.kind = (StepKind) random_below(STEP_Count);
	step.by = keys[random_below(lengthof(keys))];
	step.condition = random_below(3) == 0;
	step.from = (int) random_below((uint32_t) plan->nsteps + 1);
	if (step.from > 0 && plan->step[step.from - 1].kind >= STEP_SEMI)
		step.from = 0;
	return step;
}

/* Make random rows, joins of them, and columns to materialize. */
static void
random_keeping(Keeping *k, uint32_t rows_most, uint32_t ncolumns)
{
	memset(k, 0, sizeof(*k));
	fill_key_pool(random_below(3) > 0);
	fill_side(&sides[0], random_below(rows_most + 1), (KeyOrder) random_below(KEYS_Count), 16);
	for (uint32_t steps = random_below(STEPS_MOST + 1); k->plan.nsteps < (int) steps; k->plan.nsteps++)
	{
		k->plan.step[k->plan.nsteps] = random_step(&k->plan);
		fill_side(&sides[k->plan.nsteps + 1], random_below(random_below(5) ? 12 : 120), (KeyOrder) random_below(KEYS_Count), 1 + random_below(14));
	}
	k->plan.jumps = random_below(3) > 0;
	k->plan.by_mask = random_below(3) == 0;
	k->filter = random_below(2);
	k->runs = 1 + random_below(2);
	k->ncolumns = ncolumns;
	for (uint32_t c = 0; c < ncolumns; c++)
	{
		int			side = (int) random_below((uint32_t) k->plan.nsteps + 1);

		if (side > 0 && k->plan.step[side - 1].kind >= STEP_SEMI)
			side = 0;
		k->source[c].side = side;
		k->source[c].column = side > 0 && random_below(4) == 0 ? COL_NUMBER : materialized_columns[random_below(lengthof(materialized_columns))];
	}
	selective = random_below(3) == 0;
	for (size_t w = 0; w < lengthof(selection); w++)
		selection[w] = random_below(4) == 0 ? 0 - (uint64_t) random_below(2) : random_u64();
}

static uint32_t
random_capacity(uint32_t all)
{
	switch (random_below(6))
	{
		case 0: return 0;
		case 1: return random_below(all + 1);
		case 2: return all > 0 ? all - 1 : 0;
		case 3: return all + 1 + random_below(100);
		default: return all;
	}
}

/* Materialize rows and check them; if `disturbed`, with pauses at one instruction after the other. */
static void
try_keeping(const Interpreter *vm, const Keeping *k, bool disturbed)
{
	static Builder b;
	const uint32_t all = nwanted * k->runs;
	Program    *program;
	uint32_t	size;
	int			pauses = 1;

	store_sides(&k->plan);
	program = build_keeping(&b, k);
	size = program->size;
	if (!tap_expect(program_verify(program, size) == STATUS_DONE, "the program is refused"))
		pauses = 0;
	for (int32_t yield = disturbed ? 0 : -1; pauses > 0; yield += yield < 300 ? 1 : 17)
	{
		MaterializedRows materialized;

		materialized_open(&materialized, k, random_capacity(all));
		pauses = run_keeping(vm, program, k, &materialized, yield);
		if (pauses >= 0)
		{
			expect_materialized(k, &materialized);
			expect_table(k, &materialized);
		}
		materialized_close(&materialized, k);
	}
	if (b.open > 0)
		seen.looped += all;
	if (b.open > 1 && nwanted > 3 * vm->tile)
		seen.nested += all;
	program_free(program, size);
	drop_sides(&k->plan);
}

static void
test_random(const Interpreter *vm)
{
	begin_test(vm, "materialized rows");
	for (int trial = 0; trial < (tap_short() ? 150 : 1500); trial++)
	{
		Keeping		k;

		do
			random_keeping(&k, 3 * vm->tile, 1 + random_below(trial % 4 == 0 ? PROGRAM_MAX_MATERIALIZED : 4));
		while (!compute_wanted(&k));
		try_keeping(vm, &k, false);
	}
	tap_end();
}

static void
test_disturbed(const Interpreter *vm)
{
	begin_test(vm, "pauses keep no row twice");
	for (int trial = 0; trial < (tap_short() ? 6 : 40); trial++)
	{
		Keeping		k;

		do
			random_keeping(&k, 2 * SMALL_TILE + 3, 1 + random_below(3));
		while (!compute_wanted(&k) || nwanted > 400 || nwanted < 20);
		try_keeping(vm, &k, true);
	}
	tap_end();
}

/* Test a program that materializes rows in a run without memory for them. */
static void
test_nowhere(const Interpreter *vm)
{
	static Builder b;
	Keeping		k;
	Program    *program;
	GroupTable	groups;
	VmRun		run;
	uint32_t	size;

	begin_test(vm, "nowhere to keep rows");
	do
		random_keeping(&k, 100, 1);
	while (!compute_wanted(&k) || nwanted == 0);
	store_sides(&k.plan);
	program = build_keeping(&b, &k);
	size = program->size;
	table_open(&groups, program, 1, 64);
	run_open(&run, program, BODY_NARROW, sides[0].tablet, vm->tile);
	run.tables = join_rows;
	run.groups = &groups;
	run.selected = selective ? selection : NULL;
	tap_expect(vm->run(&run) == STATUS_BAD_PROGRAM, "the run does not say so");
	run_close(&run, vm->tile);
	table_free(&groups);
	program_free(program, size);
	drop_sides(&k.plan);
	tap_end();
}

static void
test_seen(void)
{
	tap_ok(seen.rows > 0 && seen.nulls > 0 && seen.looped > 0 && seen.nested > 0 && seen.plain > 0 && seen.without > 0 && seen.crowded_out > 0 &&
		   seen.found > 0 && seen.hashed > 0, "rows of all kinds were materialized");
	printf("# %u rows, %u of loops, %u of nested ones, %u of no tables, %u NULLs, %u for want of a row, %u without room; %u found, %u by hashes\n",
		   seen.rows, seen.looped, seen.nested, seen.plain, seen.nulls, seen.without, seen.crowded_out, seen.found, seen.hashed);
}

/* The structural check */

enum
{
	R_ZERO = 1, R_NO, R_KEY, R_WORD, R_SPAN, R_MASK, R_PAIRS, R_LANE, R_MATCH, R_B, R_I, R_F, R_PLACE, R_SPARE, R_Count
};

enum
{
	AT_ZERO, AT_NO, AT_KEY, AT_JOIN, AT_SPAN, AT_MASK, AT_EXPAND, AT_LANE, AT_MATCH, AT_B, AT_I, AT_F, AT_COUNT, AT_BEFORE, AT_PLACE, AT_SPARE,
	AT_STORE_B, AT_STORE_I, AT_STORE_F, AT_BEHIND, AT_AGAIN, AT_LAST
};

/* Emit a program with three materialized columns of pairs; instructions that are to be changed have no effect. */
static void
emit_by_hand(Assembler *as, uint16_t flags)
{
	enum {zero, bounds};
	int			count;

	asm_init(as, COL_Count, true);
	as->shape.ntables = 1;
	as->shape.nmaterialized = 3;
	as->shape.materialized[0] = COLTYPE_BOOL;
	as->shape.materialized[1] = COLTYPE_I64;
	as->shape.materialized[2] = COLTYPE_F64;
	asm_word(as, 0);
	asm_wide(as, INT64_MIN);
	asm_wide(as, INT64_MAX);
	asm_emit(as, VMOP_CONST_I, R_ZERO, 0, 0, 0, zero);
	asm_emit(as, VMOP_CONST_B, R_NO, 0, 0, 0, zero);
	asm_emit(as, VMOP_LOAD_I, R_KEY, 0, 0, 0, COL_I);
	asm_emit(as, VMOP_JOIN_I, R_WORD, R_KEY, R_ZERO, 0, 1);
	asm_emit(as, VMOP_SPAN, R_SPAN, R_WORD, 0, 0, 1);
	asm_emit(as, VMOP_MASK_NOT_TRUE, R_MASK, R_NO, 0, 0, 0);
	asm_emit(as, VMOP_EXPAND, R_PAIRS, R_SPAN, R_NO, R_MASK, 0)->c = (uint16_t) (1 << 4 | flags);
	asm_emit(as, VMOP_LANE, R_LANE, R_PAIRS, 0, 0, 0);
	asm_emit(as, VMOP_MATCH, R_MATCH, R_PAIRS, 0, 0, 0);
	asm_emit(as, VMOP_FETCH_B, R_B, R_LANE, 0, 0, 0)->c = FETCH_OF(0, COL_FLAG);
	asm_emit(as, VMOP_FETCH_I, R_I, R_MATCH, 0, 0, bounds)->c = FETCH_OF(1, COL_V);
	asm_emit(as, VMOP_FETCH_F, R_F, R_MATCH, 0, 0, 0)->c = FETCH_OF(1, COL_VF);
	count = asm_state(as, STATE_COUNT);
	asm_emit(as, VMOP_COUNT, 0, 0, 0, 0, count);
	asm_emit(as, VMOP_COUNT, 0, 0, 0, 0, count);
	asm_emit(as, VMOP_PLACE, R_PLACE, 0, 0, 0, 0);
	asm_emit(as, VMOP_FETCH_F, R_SPARE, R_LANE, 0, 0, bounds)->c = FETCH_OF(0, COL_VF);
	asm_emit(as, VMOP_STORE_B, 0, R_B, R_PLACE, 0, 0);
	asm_emit(as, VMOP_STORE_I, 0, R_I, R_PLACE, 0, 1);
	asm_emit(as, VMOP_STORE_F, 0, R_F, R_PLACE, 0, 2);
	asm_emit(as, VMOP_COUNT, 0, 0, 0, 0, count);
	asm_emit(as, VMOP_AGAIN, 0, 0, 0, 0, 0);
	if (flags & EXPAND_CLOSED)
		asm_emit(as, VMOP_COUNT, 0, 0, 0, 0, count);
}

/* An instruction that replaces one of the program; with `at` 0 there is none. */
typedef struct Change
{
	const char *name;
	int			at;
	Instr		instr;			/* op, dst, a, b, c, m, imm */
	bool		valid;
} Change;

static const Change changes[] = {
	{"nothing changed", 0, {0, 0, 0, 0, 0, 0, 0}, true},
	{"PLACE twice", AT_SPARE, {VMOP_PLACE, R_SPARE, 0, 0, 0, 0, 0}, false},
	{"PLACE twice, the first one before", AT_BEFORE, {VMOP_PLACE, R_SPARE, 0, 0, 0, 0, 0}, false},
	{"PLACE on the selection", AT_PLACE, {VMOP_PLACE, 0, 0, 0, 0, 0, 0}, false},
	{"PLACE outside of the registers", AT_PLACE, {VMOP_PLACE, R_Count, 0, 0, 0, 0, 0}, false},
	{"PLACE on what the loop goes over", AT_PLACE, {VMOP_PLACE, R_SPAN, 0, 0, 0, 0, 0}, false},
	{"PLACE in another register", AT_PLACE, {VMOP_PLACE, R_SPARE, 0, 0, 0, 0, 0}, false},
	{"no PLACE", AT_PLACE, {VMOP_KEEP_R, R_PLACE, R_LANE, R_NO, 0, 0, 0}, false},
	{"STORE before PLACE", AT_BEFORE, {VMOP_STORE_I, 0, R_I, R_PLACE, 0, 0, 1}, false},
	{"STORE_B of another column of integers", AT_STORE_B, {VMOP_STORE_B, 0, R_B, R_PLACE, 0, 0, 1}, false},
	{"STORE_B of a column of floats", AT_STORE_B, {VMOP_STORE_B, 0, R_B, R_PLACE, 0, 0, 2}, false},
	{"STORE_I of a column of bools", AT_STORE_I, {VMOP_STORE_I, 0, R_I, R_PLACE, 0, 0, 0}, false},
	{"STORE_I of a column of floats", AT_STORE_I, {VMOP_STORE_I, 0, R_I, R_PLACE, 0, 0, 2}, false},
	{"STORE_F of a column of bools", AT_STORE_F, {VMOP_STORE_F, 0, R_F, R_PLACE, 0, 0, 0}, false},
	{"STORE_F of a column of integers", AT_STORE_F, {VMOP_STORE_F, 0, R_F, R_PLACE, 0, 0, 1}, false},
	{"STORE_I of a column too many", AT_STORE_I, {VMOP_STORE_I, 0, R_I, R_PLACE, 0, 0, 3}, false},
	{"STORE_B of a column too many", AT_STORE_B, {VMOP_STORE_B, 0, R_B, R_PLACE, 0, 0, 3}, false},
	{"STORE_I of a column below 0", AT_STORE_I, {VMOP_STORE_I, 0, R_I, R_PLACE, 0, 0, -1}, false},
	{"STORE_I of column 1, of 256", AT_STORE_I, {VMOP_STORE_I, 0, R_I, R_PLACE, 0, 0, 257}, false},
	{"STORE_I of the least column", AT_STORE_I, {VMOP_STORE_I, 0, R_I, R_PLACE, 0, 0, INT32_MIN}, false},
	{"STORE_I of the largest column", AT_STORE_I, {VMOP_STORE_I, 0, R_I, R_PLACE, 0, 0, INT32_MAX}, false},
	{"STORE_I of the same column again", AT_BEHIND, {VMOP_STORE_I, 0, R_I, R_PLACE, 0, 0, 1}, true},
	{"STORE_I of integers of the tile", AT_STORE_I, {VMOP_STORE_I, 0, R_KEY, R_PLACE, 0, 0, 1}, true},
	{"STORE_I of a constant", AT_STORE_I, {VMOP_STORE_I, 0, R_ZERO, R_PLACE, 0, 0, 1}, true},
	{"STORE_I of bools", AT_STORE_I, {VMOP_STORE_I, 0, R_B, R_PLACE, 0, 0, 1}, false},
	{"STORE_I of floats", AT_STORE_I, {VMOP_STORE_I, 0, R_F, R_PLACE, 0, 0, 1}, false},
	{"STORE_I of rows", AT_STORE_I, {VMOP_STORE_I, 0, R_LANE, R_PLACE, 0, 0, 1}, false},
	{"STORE_R of rows of the tablet", AT_STORE_I, {VMOP_STORE_R, 0, R_LANE, R_PLACE, 0, 0, 1}, true},
	{"STORE_R of rows of a table", AT_STORE_I, {VMOP_STORE_R, 0, R_MATCH, R_PLACE, 0, 0, 1}, true},
	{"STORE_R of places", AT_STORE_I, {VMOP_STORE_R, 0, R_PLACE, R_PLACE, 0, 0, 1}, false},
	{"STORE_R of integers", AT_STORE_I, {VMOP_STORE_R, 0, R_KEY, R_PLACE, 0, 0, 1}, false},
	{"STORE_R of pairs", AT_STORE_I, {VMOP_STORE_R, 0, R_PAIRS, R_PLACE, 0, 0, 1}, false},
	{"STORE_R of a column of floats", AT_STORE_F, {VMOP_STORE_R, 0, R_MATCH, R_PLACE, 0, 0, 2}, false},
	{"STORE_R at rows of a table", AT_STORE_I, {VMOP_STORE_R, 0, R_MATCH, R_MATCH, 0, 0, 1}, false},
	{"STORE_I of places", AT_STORE_I, {VMOP_STORE_I, 0, R_PLACE, R_PLACE, 0, 0, 1}, false},
	{"STORE_I of what nobody wrote", AT_STORE_I, {VMOP_STORE_I, 0, R_Count, R_PLACE, 0, 0, 1}, false},
	{"STORE_B of a mask", AT_STORE_B, {VMOP_STORE_B, 0, R_MASK, R_PLACE, 0, 0, 0}, false},
	{"STORE_F of integers", AT_STORE_F, {VMOP_STORE_F, 0, R_I, R_PLACE, 0, 0, 2}, false},
	{"STORE_I at rows of the tablet", AT_STORE_I, {VMOP_STORE_I, 0, R_I, R_LANE, 0, 0, 1}, false},
	{"STORE_I at rows of a table", AT_STORE_I, {VMOP_STORE_I, 0, R_I, R_MATCH, 0, 0, 1}, false},
	{"STORE_B at rows of a table", AT_STORE_B, {VMOP_STORE_B, 0, R_B, R_MATCH, 0, 0, 0}, false},
	{"STORE_F at rows of a table", AT_STORE_F, {VMOP_STORE_F, 0, R_F, R_MATCH, 0, 0, 2}, false},
	{"STORE_I at a span", AT_STORE_I, {VMOP_STORE_I, 0, R_I, R_SPAN, 0, 0, 1}, false},
	{"STORE_I at pairs", AT_STORE_I, {VMOP_STORE_I, 0, R_I, R_PAIRS, 0, 0, 1}, false},
	{"STORE_I at integers", AT_STORE_I, {VMOP_STORE_I, 0, R_I, R_KEY, 0, 0, 1}, false},
	{"STORE_I at the selection", AT_STORE_I, {VMOP_STORE_I, 0, R_I, 0, 0, 0, 1}, false},
	{"places overwritten by integers", AT_SPARE, {VMOP_FETCH_I, R_PLACE, R_LANE, 0, FETCH_OF(0, COL_V), 0, 1}, false},
	{"places overwritten by rows of a table", AT_SPARE, {VMOP_MATCH, R_PLACE, R_PAIRS, 0, 0, 0, 0}, false},
	{"FETCH of the tablet by places", AT_SPARE, {VMOP_FETCH_F, R_SPARE, R_PLACE, 0, FETCH_OF(0, COL_VF), 0, 1}, false},
	{"FETCH of a table by places", AT_SPARE, {VMOP_FETCH_F, R_SPARE, R_PLACE, 0, FETCH_OF(1, COL_VF), 0, 1}, false},
	{"FETCH_F of table 254 by places", AT_SPARE, {VMOP_FETCH_F, R_SPARE, R_PLACE, 0, (uint16_t) FETCH_OF(254, COL_VF), 0, 1}, false},
	{"FETCH_I of table 254 by places", AT_SPARE, {VMOP_FETCH_I, R_SPARE, R_PLACE, 0, (uint16_t) FETCH_OF(254, COL_V), 0, 1}, false},
	{"FETCH_F of table 255 by places", AT_SPARE, {VMOP_FETCH_F, R_SPARE, R_PLACE, 0, (uint16_t) FETCH_OF(255, COL_VF), 0, 1}, false},
	{"PICK_R by places", AT_SPARE, {VMOP_PICK_R, R_SPARE, R_MATCH, R_PLACE, 0, 0, 0}, false},
	{"places added up", AT_BEHIND, {VMOP_SUM_I, 0, R_PLACE, 0, 0, 0, 1}, false},
	{"rows emitted, of places", AT_BEHIND, {VMOP_EMIT_ROW, 0, R_PLACE, 0, 0, 0, 254}, false},
	{"EMIT", AT_BEHIND, {VMOP_EMIT, 0, 0, 0, 0, 0, 0}, false},
};

/* Changes of a program with a closed loop, whose results must not be read after it. */
static const Change closed_changes[] = {
	{"nothing changed", 0, {0, 0, 0, 0, 0, 0, 0}, true},
	{"STORE_I after the loop of its places", AT_LAST, {VMOP_STORE_I, 0, R_KEY, R_PLACE, 0, 0, 1}, false},
	{"STORE_I after the loop, of what it wrote", AT_LAST, {VMOP_STORE_I, 0, R_I, R_PLACE, 0, 0, 1}, false},
	{"PLACE once more after the loop", AT_LAST, {VMOP_PLACE, R_SPARE, 0, 0, 0, 0, 0}, false},
};

/* Changes of a program with an open loop, behind which only AGAIN may come. */
static const Change open_changes[] = {
	{"PLACE behind an open loop", AT_LAST, {VMOP_PLACE, R_SPARE, 0, 0, 0, 0, 0}, false},
	{"STORE_I behind an open loop", AT_LAST, {VMOP_STORE_I, 0, R_KEY, R_PLACE, 0, 0, 1}, false},
};

static bool
accepts(Assembler *as)
{
	Program    *program;
	uint32_t	size;
	bool		accepted;

	asm_close_loops(as);
	program = asm_finish(as);
	program->body[0].nregisters = R_Count;
	size = program->size;
	accepted = program_verify(program, size) == STATUS_DONE;
	program_free(program, size);
	return accepted;
}

static void
try_changes(const Change *change, size_t n, uint16_t flags)
{
	static Assembler as;

	for (size_t i = 0; i < n; i++)
	{
		emit_by_hand(&as, flags);
		if (change[i].at > 0)
			as.code[0][change[i].at] = change[i].instr;
		if (change[i].at >= as.count[0])
			as.count[0]++;
		tap_expect(accepts(&as) == change[i].valid, "%s is %s", change[i].name, change[i].valid ? "refused" : "accepted");
	}
}

/* Test the columns that a program declares to materialize. */
static void
test_columns(void)
{
	static Assembler as;

	tap_begin("columns that a program keeps");
	for (uint16_t n = 0; n < PROGRAM_MAX_MATERIALIZED + 3; n++)
	{
		emit_by_hand(&as, 0);
		for (uint16_t c = 3; c < n && c < PROGRAM_MAX_MATERIALIZED; c++)
			as.shape.materialized[c] = COLTYPE_I64;
		as.shape.nmaterialized = n;
		tap_expect(accepts(&as) == (n >= 3 && n <= PROGRAM_MAX_MATERIALIZED), "%u columns", n);
	}
	emit_by_hand(&as, 0);
	as.shape.nmaterialized = UINT16_MAX;
	tap_expect(!accepts(&as), "65535 columns");
	for (int type = 0; type < 256; type++)
	{
		emit_by_hand(&as, 0);
		as.shape.nmaterialized = 4;
		as.shape.materialized[3] = (uint8_t) type;
		tap_expect(accepts(&as) == (type == COLTYPE_BOOL || type == COLTYPE_I64 || type == COLTYPE_F64), "a column of type %d", type);
		for (int c = 0; c < 3; c++)
		{
			emit_by_hand(&as, 0);
			as.shape.materialized[c] = (uint8_t) type;
			tap_expect(accepts(&as) == (type == (c == 0 ? COLTYPE_BOOL : c == 1 ? COLTYPE_I64 : COLTYPE_F64)), "column %d of type %d", c, type);
		}
	}
	tap_end();
}

/* Test programs that group or emit, as they are and with a PLACE; and one that has a PLACE without columns for it. */
static void
test_others(void)
{
	static Assembler as;

	tap_begin("only aggregates without keys keep rows");
	for (int kind = 0; kind < 3; kind++)
		for (int places = 0; places < 2; places++)
		{
			asm_init(&as, COL_Count, kind < 2);
			as.shape.nmaterialized = kind > 0;
			as.shape.materialized[0] = COLTYPE_I64;
			asm_emit(&as, VMOP_CONST_I, R_ZERO, 0, 0, 0, asm_word(&as, 0));
			asm_emit(&as, VMOP_LOAD_I, R_KEY, 0, 0, 0, COL_I);
			if (places)
				asm_emit(&as, VMOP_PLACE, R_PLACE, 0, 0, 0, 0);
			if (kind == 1)
			{
				asm_emit(&as, VMOP_KEY_I, R_WORD, R_KEY, R_ZERO, 0, asm_key(&as, KEY_WORD));
				asm_emit(&as, VMOP_GROUP, R_SPARE, R_WORD, 0, 0, 0);
				asm_emit(&as, VMOP_COUNT_G, 0, 0, R_SPARE, 0, asm_state(&as, STATE_COUNT));
			}
			else if (kind == 2)
				asm_emit(&as, VMOP_EMIT, 0, 0, 0, 0, 0);
			else
				asm_emit(&as, VMOP_COUNT, 0, 0, 0, 0, asm_state(&as, STATE_COUNT));
			tap_expect(accepts(&as) == !places, "%s program with%s PLACE", kind == 0 ? "a columnless" : kind == 1 ? "a grouping" : "an emitting",
					   places ? "" : "out");
		}
	tap_end();
}

static void
test_changes(void)
{
	tap_begin("one change in a program that keeps rows");
	try_changes(changes, lengthof(changes), 0);
	try_changes(closed_changes, lengthof(closed_changes), EXPAND_CLOSED);
	try_changes(open_changes, lengthof(open_changes), 0);
	tap_end();
}

int
main(void)
{
	for (size_t v = 0; v < lengthof(interpreters); v++)
	{
		/* only interpreters of a CPU materialize rows in order, and pause */
		if (interpreters[v].can_run != NULL)
			continue;
		test_random(&interpreters[v]);
		test_disturbed(&interpreters[v]);
		test_nowhere(&interpreters[v]);
	}
	test_seen();
	test_changes();
	test_columns();
	test_others();
	return tap_done();
}

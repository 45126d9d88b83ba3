/*
 * range_test.c
 *		The guard of narrow programs: whether a tablet's zone maps rule out overflow.
 *
 * Random programs of the unchecked operations are evaluated in 128 bits over
 * values from the columns' ranges, their ends above all.  Whenever some value
 * leaves 64 bits the guard must have said no.  For single operations it must
 * say yes, too, when nothing can leave them.
 */
#include "assembler.h"
#include "core/device_api.h"
#include "fixture.h"
#include "interpreters.h"
#include "tap.h"

#define COLUMNS		4
#define MAX_OPS		10
#define FIRST_REG	1

typedef struct Range
{
	int64_t		min;
	int64_t		max;
} Range;

static Assembler as;
static Range ranges[COLUMNS];

static Range
random_range(void)
{
	Range		r;
	int64_t		a = random_int64() >> random_below(64);
	int64_t		b = random_below(4) ? random_int64() >> random_below(64) : a;

	r.min = a < b ? a : b;
	r.max = a < b ? b : a;
	return r;
}

static void
random_ranges(void)
{
	for (int c = 0; c < COLUMNS; c++)
		ranges[c] = random_range();
}

static Tablet *
tablet_of_ranges(uint32_t n)
{
	uint16_t	types[COLUMNS] = {COLTYPE_I64, COLTYPE_I64, COLTYPE_I64, COLTYPE_I64};
	Tablet	   *tablet = tablet_make(types, COLUMNS, n, 0);
	int			c;

	for (c = 0; c < COLUMNS; c++)
	{
		wide_store(tablet->column[c].min, ranges[c].min);
		wide_store(tablet->column[c].max, ranges[c].max);
	}
	return tablet;
}

/* Assemble loads, a constant, and random operations on earlier registers. */
static void
random_program(void)
{
	int			n = FIRST_REG;
	int			c;
	int			i;

	asm_init(&as, COLUMNS, false);
	random_ranges();
	asm_emit(&as, VMOP_CONST_I, n++, 0, 0, 0, asm_word(&as, (uint64_t) (random_int64() >> random_below(64))));
	for (c = 0; c < COLUMNS; c++)
		asm_emit(&as, VMOP_LOAD_I, n++, 0, 0, 0, c);
	for (i = 1 + (int) random_below(MAX_OPS); i > 0; i--)
	{
		static const Opcode ops[] = {VMOP_ADD_D, VMOP_SUB_D, VMOP_MUL_D, VMOP_BLEND_I, VMOP_ROUND_D};
		Opcode		op = ops[random_below(lengthof(ops))];
		int			a = FIRST_REG + (int) random_below((uint32_t) (n - FIRST_REG));
		int			b = FIRST_REG + (int) random_below((uint32_t) (n - FIRST_REG));

		asm_emit(&as, op, n++, a, op == VMOP_ROUND_D ? 0 : b, 0, op == VMOP_ROUND_D ? (int) random_below(19) : 0);
	}
}

/* Round half away from zero, by the definition. */
static Wide
round_reference(Wide v, int digits)
{
	Wide		unit = 1;
	Wide		size = v < 0 ? -v : v;

	while (digits-- > 0)
		unit *= 10;
	size = (2 * size + unit) / (2 * unit);
	return v < 0 ? -size : size;
}

/*
 * Evaluate the program for one row; return false as soon as a value leaves 64 bits. Operands fit 64
 * bits, so results fit 128.
 */
static bool
evaluate(const Wide *columns, bool mask, Wide *last)
{
	Wide		reg[FIRST_REG + 1 + COLUMNS + MAX_OPS] = {0};
	uint32_t	pc;

	for (pc = 0; pc < as.count[0]; pc++)
	{
		const Instr *in = &as.code[0][pc];
		Wide		r = 0;

		switch ((Opcode) in->op)
		{
			case VMOP_CONST_I:
				r = (int64_t) as.words[in->imm];
				break;
			case VMOP_LOAD_I:
				r = columns[in->imm];
				break;
			case VMOP_ADD_D:
				r = reg[in->a] + reg[in->b];
				break;
			case VMOP_SUB_D:
				r = reg[in->a] - reg[in->b];
				break;
			case VMOP_MUL_D:
				r = reg[in->a] * reg[in->b];
				break;
			case VMOP_BLEND_I:
				r = mask ? reg[in->a] : reg[in->b];
				break;
			case VMOP_ROUND_D:
				r = in->imm == 0 ? reg[in->a] : round_reference(reg[in->a], in->imm);
				break;
			default:
				continue;
		}
		if (r < INT64_MIN || r > INT64_MAX)
			return false;
		reg[in->dst] = r;
		*last = r;
	}
	return true;
}

static Wide
value_in(const Range *r, uint32_t pick)
{
	UWide		width = (UWide) ((Wide) r->max - r->min);

	switch (pick)
	{
		case 0:
			return r->min;
		case 1:
			return r->max;
		default:
			return (Wide) r->min + (Wide) ((UWide) random_u64() % (width + 1));
	}
}

/* Return true if some row leaves 64 bits, of all corners and some random rows. */
static bool
overflows_somewhere(void)
{
	uint32_t	trial;

	for (trial = 0; trial < 2 * (1u << COLUMNS) + 40; trial++)
	{
		Wide		columns[COLUMNS];
		Wide		last;
		int			c;

		for (c = 0; c < COLUMNS; c++)
			columns[c] = value_in(&ranges[c], trial < 2 * (1u << COLUMNS) ? trial >> c & 1 : random_below(4));
		if (!evaluate(columns, trial & (1u << COLUMNS), &last))
			return true;
	}
	return false;
}

static void
test_soundness(void)
{
	long		yes = 0;
	long		no = 0;
	long		trial;

	tap_begin("what the guard lets through never leaves 64 bits");
	for (trial = 0; trial < 60000; trial++)
	{
		Program    *program;
		Tablet	   *tablet;
		bool		fits;
		bool		overflows;
		uint32_t	size;

		random_program();
		overflows = overflows_somewhere();
		program = asm_finish(&as);
		size = program->size;
		tablet = tablet_of_ranges(1);
		fits = program_fits(program, tablet);
		tap_expect(!(fits && overflows), "program %ld overflows", trial);
		yes += fits;
		no += overflows;
		program_free(program, size);
		tablet_free(tablet);
	}
	tap_expect(yes > 5000 && no > 5000, "%ld fit and %ld overflow: not a fair trial", yes, no);
	tap_end();
}

/* Test single operations over two columns, where the corners decide. */
static void
test_single_operations(void)
{
	static const Opcode ops[] = {VMOP_ADD_D, VMOP_SUB_D, VMOP_MUL_D, VMOP_BLEND_I, VMOP_ROUND_D};
	long		trial;

	tap_begin("of one operation the guard's answer is exact");
	for (trial = 0; trial < 60000; trial++)
	{
		Opcode		op = ops[random_below(lengthof(ops))];
		Program    *program;
		Tablet	   *tablet;
		bool		fits;
		bool		overflows = false;
		uint32_t	corner;
		uint32_t	size;

		random_ranges();
		asm_init(&as, COLUMNS, false);
		asm_emit(&as, VMOP_LOAD_I, 1, 0, 0, 0, 0);
		asm_emit(&as, VMOP_LOAD_I, 2, 0, 0, 0, 1);
		asm_emit(&as, op, 3, 1, op == VMOP_ROUND_D ? 0 : 2, 0, op == VMOP_ROUND_D ? (int) random_below(19) : 0);
		for (corner = 0; corner < 4; corner++)
		{
			Wide		columns[COLUMNS] = {value_in(&ranges[0], corner & 1), value_in(&ranges[1], corner >> 1)};
			Wide		last;

			overflows |= !evaluate(columns, false, &last);
		}
		program = asm_finish(&as);
		size = program->size;
		tablet = tablet_of_ranges(1);
		fits = program_fits(program, tablet);
		tap_expect(fits == !overflows, "%s of %lld..%lld and %lld..%lld: %d", op_info[op].name, (long long) ranges[0].min,
				   (long long) ranges[0].max, (long long) ranges[1].min, (long long) ranges[1].max, fits);
		program_free(program, size);
		tablet_free(tablet);
	}
	tap_end();
}

static bool
fits_over(Opcode op, int64_t min, int64_t max, int64_t constant)
{
	Program    *program;
	Tablet	   *tablet;
	uint32_t	size;
	bool		fits;

	ranges[0].min = min;
	ranges[0].max = max;
	asm_init(&as, COLUMNS, false);
	asm_emit(&as, VMOP_CONST_I, 1, 0, 0, 0, asm_word(&as, (uint64_t) constant));
	asm_emit(&as, VMOP_LOAD_I, 2, 0, 0, 0, 0);
	asm_emit(&as, op, 3, 2, 1, 0, 0);
	program = asm_finish(&as);
	size = program->size;
	tablet = tablet_of_ranges(1);
	fits = program_fits(program, tablet);
	program_free(program, size);
	tablet_free(tablet);
	return fits;
}

static void
test_edges(void)
{
	tap_begin("the guard at the edges of 64 bits");
	tap_expect(fits_over(VMOP_ADD_D, 0, INT64_MAX - 1, 1), "largest sum");
	tap_expect(!fits_over(VMOP_ADD_D, 0, INT64_MAX, 1), "largest sum and 1");
	tap_expect(fits_over(VMOP_SUB_D, INT64_MIN + 1, 0, 1), "least difference");
	tap_expect(!fits_over(VMOP_SUB_D, INT64_MIN, 0, 1), "least difference less 1");
	tap_expect(fits_over(VMOP_MUL_D, INT64_MIN / 2, INT64_MAX / 2, 2), "twice the half");
	tap_expect(!fits_over(VMOP_MUL_D, INT64_MIN, 0, -1), "-1 times the least");
	tap_expect(fits_over(VMOP_MUL_D, INT64_MIN, INT64_MAX, 0), "0 times anything");
	tap_expect(fits_over(VMOP_MUL_D, INT64_MIN, INT64_MAX, 1), "1 times anything");
	tap_end();
}

/* Test programs without a narrow body, and columns beyond 64 bits. */
static void
test_no_narrow_body(void)
{
	Program    *program;
	Tablet	   *tablet;
	uint32_t	size;

	tap_begin("no narrow body, no answer but no; columns of 128 bits count by their values");
	asm_init(&as, COLUMNS, false);
	as.body = BODY_WIDE;
	asm_emit(&as, VMOP_LOAD_W, 1, 0, 0, 0, 0);
	program = asm_finish(&as);
	size = program->size;
	tablet = tablet_of_ranges(1);
	tap_expect(!program_fits(program, tablet), "a program with a wide body only");
	program_free(program, size);

	asm_init(&as, COLUMNS, false);
	asm_emit(&as, VMOP_LOAD_I, 1, 0, 0, 0, 0);
	program = asm_finish(&as);
	size = program->size;
	tap_expect(program_fits(program, tablet), "a load");
	wide_store(tablet->column[0].max, (Wide) INT64_MAX + 1);
	tap_expect(!program_fits(program, tablet), "a load beyond 64 bits");
	program_free(program, size);
	tablet_free(tablet);
	tap_end();
}

/* Pruning */

/*
 * Make a program with comparisons of random values, and conditions made of them, the last of which
 * filters; store its size.
 */
static Program *
random_filter(uint32_t *size)
{
	Program    *program;
	int			n;
	int			first;
	int			i;

	random_program();
	n = as.code[0][as.count[0] - 1].dst + 1;
	first = n;
	for (i = 0; i < 4; i++)
	{
		static const Opcode ops[] = {VMOP_EQ_I, VMOP_NE_I, VMOP_LT_I, VMOP_LE_I};

		asm_emit(&as, ops[random_below(lengthof(ops))], n++, FIRST_REG + (int) random_below((uint32_t) (first - FIRST_REG)),
				 FIRST_REG + (int) random_below(1 + COLUMNS), 0, 0);
	}
	for (i = (int) random_below(5); i > 0; i--)
	{
		static const Opcode ops[] = {VMOP_AND, VMOP_AND, VMOP_OR, VMOP_NOT, VMOP_IS_TRUE, VMOP_IS_FALSE};
		Opcode		op = ops[random_below(lengthof(ops))];
		int			a = first + (int) random_below((uint32_t) (n - first));
		int			b = first + (int) random_below((uint32_t) (n - first));

		asm_emit(&as, op, n++, a, op == VMOP_AND || op == VMOP_OR ? b : 0, 0, 0);
	}
	asm_emit(&as, VMOP_FILTER, 0, n - 1, 0, 0, 0);
	asm_emit(&as, VMOP_EMIT, 0, 0, 0, 0, 0);
	program = asm_finish(&as);
	*size = program->size;
	return program;
}

/* Make rows within the columns' ranges, often at their ends; some values are NULL. */
static Tablet *
rows_of_ranges(uint32_t n)
{
	Tablet	   *tablet = tablet_of_ranges(n);
	int			c;
	uint32_t	r;

	for (c = 0; c < COLUMNS; c++)
		for (r = 0; r < n; r++)
		{
			tablet_set_int(tablet, c, r, value_in(&ranges[c], r < 2 * (1u << COLUMNS) ? r >> c & 1 : random_below(4)));
			if (r >= 2 * (1u << COLUMNS) && random_below(8) == 0)
				tablet_set_null(tablet, c, r);
		}
	return tablet;
}

static uint32_t
rows_that_pass(const Program *program, const Tablet *tablet)
{
	static uint32_t out[256];
	VmRun		run;
	uint32_t	n;

	run_open(&run, program, BODY_NARROW, tablet, LARGE_TILE);
	run.out = out;
	run.out_capacity = lengthof(out);
	tap_expect(vm_run_large(&run) == STATUS_DONE, "a run");
	n = run.out_count;
	run_close(&run, LARGE_TILE);
	return n;
}

static void
test_pruning(void)
{
	long		pruned = 0;
	long		passed_on = 0;
	long		trial;

	tap_begin("no row passes of a tablet that is pruned");
	for (trial = 0; trial < 40000; trial++)
	{
		uint32_t	size;
		Program    *program = random_filter(&size);
		Tablet	   *tablet = rows_of_ranges(80);

		if (program_fits(program, tablet))
		{
			const uint32_t passed = rows_that_pass(program, tablet);

			if (program_may_pass(program, BODY_NARROW, tablet))
				passed_on += passed > 0;
			else
			{
				tap_expect(passed == 0, "program %ld: %u rows pass", trial, passed);
				pruned++;
			}
		}
		program_free(program, size);
		tablet_free(tablet);
	}
	tap_expect(pruned > 1000 && passed_on > 1000, "%ld pruned and %ld with rows that pass: not a fair trial", pruned, passed_on);
	tap_end();
}

/* Replace each column's zone map by that of the column at its place in `place`. */
static void
exchange_ranges(Tablet *tablet, const uint8_t *place)
{
	TabletColumn old[COLUMNS];

	memcpy(old, tablet->column, sizeof(old));
	for (int c = 0; c < COLUMNS; c++)
		tablet->column[c] = old[place[c]];
}

/* Test that tablets examined together give the results of each alone, wherever their columns are. */
static void
test_pruning_together(void)
{
	long		mixed = 0;
	long		trial;

	tap_begin("tablets are chosen together as they are one by one");
	for (trial = 0; trial < 4000; trial++)
	{
		ZoneMaps	zones = {.n = 1 + random_below(ZONES_MOST)};
		Tablet	   *tablet[ZONES_MOST];
		uint8_t		place[COLUMNS];
		uint32_t	chosen;
		uint32_t	one_by_one = 0;
		uint32_t	size;
		Program    *program = random_filter(&size);

		for (int c = 0; c < COLUMNS; c++)
			place[c] = (uint8_t) random_below(COLUMNS);
		for (uint32_t t = 0; t < zones.n; t++)
		{
			random_ranges();
			zones.tablet[t] = tablet[t] = tablet_of_ranges(1);
		}
		zones.place = place;
		chosen = program_choose(program, BODY_NARROW, &zones);
		for (uint32_t t = 0; t < zones.n; t++)
		{
			exchange_ranges(tablet[t], place);
			one_by_one |= (uint32_t) program_may_pass(program, BODY_NARROW, tablet[t]) << t;
		}
		tap_expect(chosen == one_by_one, "program %ld: %x of %u tablets together, %x one by one", trial, chosen, zones.n, one_by_one);
		zones.place = NULL;
		tap_expect(program_choose(program, BODY_NARROW, &zones) == one_by_one, "program %ld: otherwise where columns are in place", trial);
		mixed += one_by_one != 0 && one_by_one != UINT32_MAX >> (32 - zones.n);
		for (uint32_t t = 0; t < zones.n; t++)
			tablet_free(tablet[t]);
		program_free(program, size);
	}
	tap_expect(mixed > 400, "%ld programs that choose some tablets and not others: not a fair trial", mixed);
	tap_end();
}

/* Test that rows of each tablet may pass if the ranges that all have in common may. */
static void
test_pruning_by_core(void)
{
	static uint64_t room[(sizeof(Tablet) + COLUMNS * sizeof(TabletColumn)) / sizeof(uint64_t) + 1];
	Tablet	   *core = (Tablet *) room;
	long		passed = 0;
	long		stopped = 0;
	long		trial;

	tap_begin("tablets may pass if what they have in common may");
	for (trial = 0; trial < 20000; trial++)
	{
		const uint32_t n = 1 + random_below(4);
		Tablet	   *tablet[4];
		uint32_t	size;
		Program    *program = random_filter(&size);

		for (uint32_t t = 0; t < n; t++)
		{
			random_ranges();
			tablet[t] = tablet_of_ranges(1);
			tablet_intersect(core, tablet[t], t == 0);
		}
		if (tablet_has_ranges(core) && program_may_pass(program, BODY_NARROW, core))
		{
			for (uint32_t t = 0; t < n; t++)
				tap_expect(program_may_pass(program, BODY_NARROW, tablet[t]), "program %ld: tablet %u of %u cannot", trial, t, n);
			passed += n > 1;
		}
		else
			stopped++;
		for (uint32_t t = 0; t < n; t++)
			tablet_free(tablet[t]);
		program_free(program, size);
	}
	tap_expect(passed > 400 && stopped > 400, "%ld passed and %ld not: not a fair trial", passed, stopped);
	tap_end();
}

/* Return true if rows of a tablet with the current ranges may pass the assembled program. */
static bool
finished_may_pass(void)
{
	Program    *program;
	Tablet	   *tablet;
	uint32_t	size;
	bool		matches;

	asm_emit(&as, VMOP_EMIT, 0, 0, 0, 0, 0);
	program = asm_finish(&as);
	size = program->size;
	tablet = tablet_of_ranges(1);
	matches = program_may_pass(program, BODY_NARROW, tablet);
	program_free(program, size);
	tablet_free(tablet);
	return matches;
}

/*
 * Return true if rows may pass a filter that compares a column from 10 to 20 with the constant;
 * with `may_fail` an instruction that may fail comes before it.
 */
static bool
may_pass(Opcode op, int64_t constant, bool column_first, bool may_fail)
{
	ranges[0].min = 10;
	ranges[0].max = 20;
	asm_init(&as, COLUMNS, false);
	asm_emit(&as, VMOP_CONST_I, 1, 0, 0, 0, asm_word(&as, (uint64_t) constant));
	asm_emit(&as, VMOP_LOAD_I, 2, 0, 0, 0, 0);
	if (may_fail)
		asm_emit(&as, VMOP_DIV_I4, 4, 1, 2, 0, 0);
	asm_emit(&as, op, 3, column_first ? 2 : 1, column_first ? 1 : 2, 0, 0);
	asm_emit(&as, VMOP_FILTER, 0, 3, 0, 0, 0);
	return finished_may_pass();
}

/* Return may_pass() for a filter that is secret, and so does not prune tablets. */
static bool
closed_may_pass(Opcode op, int64_t constant)
{
	ranges[0].min = 10;
	ranges[0].max = 20;
	asm_init(&as, COLUMNS, false);
	asm_emit(&as, VMOP_CONST_I, 1, 0, 0, 0, asm_word(&as, (uint64_t) constant));
	asm_emit(&as, VMOP_LOAD_I, 2, 0, 0, 0, 0);
	asm_emit(&as, op, 3, 2, 1, 0, 0);
	asm_emit(&as, VMOP_FILTER, 0, 3, 0, 0, 0)->c = 1;
	return finished_may_pass();
}

/*
 * Return true if rows of a tablet with keys from `least` to `largest` may find some in a table with
 * keys from `low` to `high`.
 */
static bool
may_find(int64_t least, int64_t largest, int64_t low, int64_t high)
{
	int			bounds;

	ranges[0].min = least;
	ranges[0].max = largest;
	asm_init(&as, COLUMNS, false);
	as.shape.ntables = 2;
	asm_emit(&as, VMOP_CONST_I, 1, 0, 0, 0, asm_word(&as, 0));
	asm_emit(&as, VMOP_LOAD_I, 2, 0, 0, 0, 0);
	/* behind another join, whose keys may be anything */
	asm_emit(&as, VMOP_JOIN_I, 3, 2, 1, 0, 1);
	asm_emit(&as, VMOP_PROBE, 4, 3, 0, 0, 1);
	asm_emit(&as, VMOP_FOUND_R, 5, 4, 0, 0, 0);
	asm_emit(&as, VMOP_FILTER, 0, 5, 0, 0, 0);
	bounds = asm_word(&as, (uint64_t) low);
	asm_word(&as, (uint64_t) high);
	asm_emit(&as, VMOP_BOUND, 0, 2, 0, 0, bounds);
	asm_emit(&as, VMOP_JOIN_I, 6, 2, 1, 0, 2);
	asm_emit(&as, VMOP_PROBE, 7, 6, 0, 0, 2);
	asm_emit(&as, VMOP_FOUND_R, 8, 7, 0, 0, 0);
	asm_emit(&as, VMOP_FILTER, 0, 8, 0, 0, 0);
	return finished_may_pass();
}

static void
test_join_bounds(void)
{
	tap_begin("bounds of the keys of tables");
	tap_expect(may_find(10, 20, 0, 100), "within");
	tap_expect(may_find(10, 20, 15, 15), "around");
	tap_expect(may_find(10, 20, 20, 30), "the last one");
	tap_expect(!may_find(10, 20, 21, 30), "behind the last one");
	tap_expect(may_find(10, 20, 0, 10), "the first one");
	tap_expect(!may_find(10, 20, 0, 9), "before the first one");
	tap_expect(may_find(INT64_MIN, INT64_MAX, 7, 7), "all there are");
	tap_expect(!may_find(INT64_MIN, INT64_MAX, INT64_MAX, INT64_MIN), "a table without rows");
	tap_end();
}

static void
test_pruning_edges(void)
{
	tap_begin("what is pruned, and what just not");
	tap_expect(!may_pass(VMOP_LT_I, 10, true, false), "x < 10");
	tap_expect(may_pass(VMOP_LT_I, 11, true, false), "x < 11");
	tap_expect(!may_pass(VMOP_LE_I, 9, true, false), "x <= 9");
	tap_expect(may_pass(VMOP_LE_I, 10, true, false), "x <= 10");
	tap_expect(!may_pass(VMOP_LT_I, 20, false, false), "20 < x");
	tap_expect(may_pass(VMOP_LT_I, 19, false, false), "19 < x");
	tap_expect(!may_pass(VMOP_LE_I, 21, false, false), "21 <= x");
	tap_expect(may_pass(VMOP_LE_I, 20, false, false), "20 <= x");
	tap_expect(!may_pass(VMOP_EQ_I, 21, true, false), "x = 21");
	tap_expect(may_pass(VMOP_EQ_I, 15, true, false), "x = 15");
	tap_expect(may_pass(VMOP_NE_I, 15, true, false), "x <> 15");
	tap_expect(may_pass(VMOP_LT_I, 10, true, true), "x < 10 behind what may fail");
	tap_expect(closed_may_pass(VMOP_LT_I, 10), "x < 10 that must not go by hidden rows");
	tap_expect(closed_may_pass(VMOP_EQ_I, 21), "x = 21 that must not go by hidden rows");
	tap_end();
}

int
main(void)
{
	test_pruning_edges();
	test_join_bounds();
	test_pruning();
	test_pruning_together();
	test_pruning_by_core();
	test_edges();
	test_single_operations();
	test_soundness();
	test_no_narrow_body();
	return tap_done();
}

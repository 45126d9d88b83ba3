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
#include "fixture.h"
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

static Tablet *
tablet_of_ranges(void)
{
	uint16_t	types[COLUMNS] = {COLTYPE_I64, COLTYPE_I64, COLTYPE_I64, COLTYPE_I64};
	Tablet	   *tablet = tablet_make(types, COLUMNS, 1, 0);
	int			c;

	for (c = 0; c < COLUMNS; c++)
	{
		wide_store(tablet->column[c].min, ranges[c].min);
		wide_store(tablet->column[c].max, ranges[c].max);
	}
	return tablet;
}

/* Loads, a constant, then random operations over what is there so far. */
static void
random_program(void)
{
	int			n = FIRST_REG;
	int			c;
	int			i;

	asm_init(&as, COLUMNS, false);
	for (c = 0; c < COLUMNS; c++)
		ranges[c] = random_range();
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
 * Evaluate for one row; false as soon as a value leaves 64 bits.  Operands
 * fit 64 bits, so results fit 128.
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

/* Whether some row leaves 64 bits: all corners, and random rows. */
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
		tablet = tablet_of_ranges();
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

/* One operation over two columns: the corners decide. */
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
		int			c;

		for (c = 0; c < COLUMNS; c++)
			ranges[c] = random_range();
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
		tablet = tablet_of_ranges();
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
	tablet = tablet_of_ranges();
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

/* Without a narrow body, and with columns beyond 64 bits. */
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
	tablet = tablet_of_ranges();
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

int
main(void)
{
	test_edges();
	test_single_operations();
	test_soundness();
	test_no_narrow_body();
	return tap_done();
}

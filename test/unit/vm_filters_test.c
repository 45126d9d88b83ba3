/*
 * vm_filters_test.c
 *		Totals over rows that pass ranges of some columns: from none to all of
 *		them, since a GPU processes few rows in another way than many.
 */
#include "assembler.h"
#include "fixture.h"
#include "interpreters.h"
#include "tap.h"
#include "vm_rows.h"

#define COLUMNS		4
#define OPERATIONS	3
#define R_COLUMN(c)	(1 + (c))
#define R_TEST		(1 + COLUMNS)
#define R_RESULT(i)	(2 + COLUMNS + (i))
#define R_CONSTANT	(2 + COLUMNS + OPERATIONS)

/* The filters of a program, and what it computes of the columns. */
typedef struct Work
{
	bool		filters[COLUMNS];
	int64_t		low[COLUMNS];
	int64_t		high[COLUMNS];
	Opcode		op[OPERATIONS];
	int			a[OPERATIONS];	/* first operands: a column, or an earlier result, numbered behind the columns */
	int			b[OPERATIONS];	/* second operands; also the constant, numbered behind the results */
	int64_t		constant;
} Work;

/* Return a random value: one that leaves results within 64 bits, or a large one, which a sum has to split. */
static int64_t
random_value(bool large)
{
	return large ? random_int64() >> 4 : (int64_t) random_below(1000) - 20;
}

static Tablet *
random_tablet(bool large, bool with_nulls, uint32_t tile)
{
	static const uint16_t types[COLUMNS] = {COLTYPE_I64, COLTYPE_I64, COLTYPE_I64, COLTYPE_I64};
	const uint32_t n = random_below(8) == 0 ? random_below(2) : random_below(4 * tile);
	Tablet	   *tablet = tablet_make(types, COLUMNS, n, 0);
	const int	nullable = with_nulls ? (int) random_below(COLUMNS) : COLUMNS;

	for (uint32_t r = 0; r < n; r++)
		for (int c = 0; c < COLUMNS; c++)
		{
			tablet_set_int(tablet, c, r, random_value(large && c == 0) * (c == 1 ? 100 : 1));
			if (c == nullable && random_below(5) == 0)
				tablet_set_null(tablet, c, r);
		}
	return tablet;
}

static Work
random_work(bool large)
{
	/* per mille of the rows that pass each range */
	const uint32_t share = random_below(3) == 0 ? 1000 : random_below(3) == 0 ? 500 : 30 + random_below(300);
	Work		w;

	memset(&w, 0, sizeof(w));
	w.constant = random_value(false);
	for (int c = 0; c < COLUMNS; c++)
	{
		const int	scale = c == 1 ? 100 : 1;

		w.filters[c] = random_below(2) == 0 && !(large && c == 0);
		w.low[c] = ((int64_t) random_below(1020 - share) - 20) * scale;
		w.high[c] = w.low[c] + (int64_t) (share + random_below(20)) * scale;
	}
	for (int i = 0; i < OPERATIONS; i++)
	{
		w.op[i] = (Opcode[]) {VMOP_ADD_D, VMOP_SUB_D, VMOP_MUL_D}[random_below(3)];
		w.a[i] = (int) random_below(COLUMNS + i);
		w.b[i] = (int) random_below(COLUMNS + i + 1);
		if (w.b[i] == COLUMNS + i)
			w.b[i] = COLUMNS + OPERATIONS;
		/* products of columns only, and none of large values */
		if (w.op[i] == VMOP_MUL_D && (w.a[i] >= COLUMNS || w.b[i] >= COLUMNS || large))
			w.op[i] = VMOP_SUB_D;
	}
	return w;
}

static int
reg(int operand)
{
	return operand < COLUMNS ? R_COLUMN(operand) : operand < COLUMNS + OPERATIONS ? R_RESULT(operand - COLUMNS) : R_CONSTANT;
}

/* Build a program that sums each result; word[] gets the sums' states, and behind them that of the count of rows. */
static Program *
build(const Work *w, int *word)
{
	static Assembler as;
	bool		loaded[COLUMNS] = {false};
	int			next = R_CONSTANT + 1;
	int			bound[COLUMNS];

	asm_init(&as, COLUMNS, true);
	asm_emit(&as, VMOP_CONST_I, R_CONSTANT, 0, 0, 0, asm_word(&as, (uint64_t) w->constant));
	for (int c = 0; c < COLUMNS; c++)
	{
		bound[c] = next;
		asm_emit(&as, VMOP_CONST_I, next++, 0, 0, 0, asm_word(&as, (uint64_t) w->low[c]));
		asm_emit(&as, VMOP_CONST_I, next++, 0, 0, 0, asm_word(&as, (uint64_t) w->high[c]));
	}
	for (int c = 0; c < COLUMNS; c++)
		if (w->filters[c])
		{
			loaded[c] = true;
			asm_emit(&as, VMOP_LOAD_I, R_COLUMN(c), 0, 0, 0, c);
			asm_emit(&as, VMOP_LE_I, R_TEST, bound[c], R_COLUMN(c), 0, 0);
			asm_emit(&as, VMOP_FILTER, 0, R_TEST, 0, 0, 0);
			asm_emit(&as, VMOP_LE_I, R_TEST, R_COLUMN(c), bound[c] + 1, 0, 0);
			asm_emit(&as, VMOP_FILTER, 0, R_TEST, 0, 0, 0);
			asm_emit(&as, VMOP_JUMP_NONE, 0, 0, 0, 0, 0);
		}
	for (int c = 0; c < COLUMNS; c++)
		if (!loaded[c])
			asm_emit(&as, VMOP_LOAD_I, R_COLUMN(c), 0, 0, 0, c);
	for (int i = 0; i < OPERATIONS; i++)
	{
		asm_emit(&as, w->op[i], R_RESULT(i), reg(w->a[i]), reg(w->b[i]), 0, 0);
		word[i] = asm_state(&as, STATE_SUM);
		asm_emit(&as, VMOP_SUM_I, 0, R_RESULT(i), 0, R_SELECTION, word[i]);
	}
	word[OPERATIONS] = asm_state(&as, STATE_COUNT);
	asm_emit(&as, VMOP_COUNT, 0, 0, 0, R_SELECTION, word[OPERATIONS]);
	return asm_finish(&as);
}

/* Compute the value of an operand in a row; return false if it is NULL. */
static bool
value_of(const Tablet *tablet, const Work *w, uint32_t row, int operand, int64_t *v)
{
	int64_t		a;
	int64_t		b;
	int			i = operand - COLUMNS;

	if (i == OPERATIONS)
	{
		*v = w->constant;
		return true;
	}
	if (i < 0)
	{
		*v = ((const int64_t *) tablet_at(tablet, tablet->column[operand].values))[row];
		return !tablet_is_null(tablet, &tablet->column[operand], row);
	}
	if (!value_of(tablet, w, row, w->a[i], &a) || !value_of(tablet, w, row, w->b[i], &b))
		return false;
	*v = w->op[i] == VMOP_ADD_D ? a + b : w->op[i] == VMOP_SUB_D ? a - b : a * b;
	return true;
}

static uint64_t
expected(const Tablet *tablet, const Work *w, Wide *sum)
{
	uint64_t	count = 0;

	memset(sum, 0, OPERATIONS * sizeof(Wide));
	for (uint32_t r = 0; r < tablet->nrows; r++)
	{
		bool		matches = true;
		int64_t		v;

		for (int c = 0; c < COLUMNS; c++)
			matches &= !w->filters[c] || (value_of(tablet, w, r, c, &v) && v >= w->low[c] && v <= w->high[c]);
		count += matches;
		for (int i = 0; i < OPERATIONS && matches; i++)
			if (value_of(tablet, w, r, COLUMNS + i, &v))
				sum[i] += v;
	}
	return count;
}

static void
test_filters(const Interpreter *vm)
{
	static char names[16][80];
	static int	used;
	const Disturbance how = {-1, true, 1, ROOMY_HEAP, MAX_ROWS + LARGE_TILE, 0, false};
	char	   *name = names[used++];

	snprintf(name, sizeof(names[0]), "totals of the rows that pass ranges, %s", vm->name);
	tap_begin(name);
	for (int i = 0; i < 600; i++)
	{
		const bool	large = i % 7 == 0;
		Tablet	   *tablet = random_tablet(large, i % 5 == 0, vm->tile);
		const Work	work = random_work(large);
		int			word[OPERATIONS + 1];
		Program    *program = build(&work, word);
		const uint32_t size = program->size;
		Wide		sum[OPERATIONS];
		const uint64_t count = expected(tablet, &work, sum);
		Outcome		o;

		if (i % 4 > 0)
			store_in_encodings(tablet);
		tap_expect(program_verify(program, size) == STATUS_DONE, "the program is refused");
		run_disturbed(vm, program, tablet, &how, &o);
		if (tap_expect(o.status == STATUS_DONE && o.groups.ngroups == 1, "%s, %u groups", status_text(o.status), o.groups.ngroups))
		{
			const uint64_t *row = group_row(&o.groups, 0);

			tap_expect(row[word[OPERATIONS]] == count, "case %d: %llu rows, not %llu", i, (unsigned long long) row[word[OPERATIONS]], (unsigned long long) count);
			for (int s = 0; s < OPERATIONS; s++)
				tap_expect(wide_load(row + word[s]) == sum[s], "case %d: sum %d of %llu rows differs by %lld", i, s, (unsigned long long) count,
						   (long long) (wide_load(row + word[s]) - sum[s]));
		}
		outcome_free(&o);
		tablet_free(tablet);
		program_free(program, size);
	}
	tap_end();
}

int
main(void)
{
	for (size_t v = 0; v < lengthof(interpreters); v++)
		test_filters(&interpreters[v]);
	return tap_done();
}

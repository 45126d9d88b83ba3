/*
 * vm_tallies_test.c
 *		States that count values in bins, or collect them, compared with counting
 *		the same rows one by one.
 */
#include "core/vm/op_cast.h"
#include "assembler.h"
#include "fixture.h"
#include "interpreters.h"
#include "tap.h"
#include "vm_rows.h"

enum
{
	R_FLOAT_KEY = R_Count, R_ZERO, R_ZERO_MASK, R_LEAST
};

/* A state that counts or collects values. */
typedef struct Tally
{
	StateKind	kind;
	bool		floats;			/* true for floats, false for integers */
	bool		masked;
	int64_t		least;
	uint32_t	shift;
	int			word;			/* first word of its state */
} Tally;

static Tally tallies[] = {
	{STATE_BINS, false, false}, {STATE_VALUES, false, true}, {STATE_BINS, true, true}, {STATE_VALUES, true, false}, {STATE_BINS, false, true}
};

/*
 * Build a program with all tallies, and two counts among them, of rows and of floats that are -0,
 * so that not all states have tallies.
 */
static Program *
build(int *count_word, int *zero_word)
{
	static Assembler as;
	int			constant[lengthof(tallies)];
	size_t		t;

	asm_init(&as, COL_Count, true);
	for (t = 0; t < lengthof(tallies); t++)
	{
		constant[t] = R_LEAST + (int) t;
		asm_emit(&as, VMOP_CONST_I, constant[t], 0, 0, 0, asm_word(&as, (uint64_t) tallies[t].least));
	}
	emit_filter(&as);
	asm_emit(&as, VMOP_LOAD_I, R_I, 0, 0, 0, COL_I);
	asm_emit(&as, VMOP_LOAD_F, R_F, 0, 0, 0, COL_F);
	asm_emit(&as, VMOP_FLOAT_KEY, R_FLOAT_KEY, R_F, 0, 0, 0);
	asm_emit(&as, VMOP_LOAD_B, R_SOME, 0, 0, 0, COL_SOME);
	asm_emit(&as, VMOP_MASK_TRUE, R_MASK, R_SOME, R_SELECTION, 0, 0);
	asm_emit(&as, VMOP_NEG_ZERO, R_ZERO, R_F, 0, 0, 0);
	asm_emit(&as, VMOP_MASK_TRUE, R_ZERO_MASK, R_ZERO, R_SELECTION, 0, 0);
	*zero_word = asm_state(&as, STATE_COUNT);
	asm_emit(&as, VMOP_COUNT, 0, 0, 0, R_ZERO_MASK, *zero_word);
	for (t = 0; t < lengthof(tallies); t++)
	{
		Tally	   *tally = &tallies[t];

		if (t == 2)
		{
			*count_word = asm_state(&as, STATE_COUNT);
			asm_emit(&as, VMOP_COUNT, 0, 0, 0, 0, *count_word);
		}
		tally->word = asm_state(&as, tally->kind);
		asm_emit(&as, tally->kind == STATE_BINS ? VMOP_BINS : VMOP_VALUES, 0, tally->floats ? R_FLOAT_KEY : R_I, constant[t],
				 tally->masked ? R_MASK : R_SELECTION, tally->word)->c = (uint16_t) tally->shift;
	}
	return asm_finish(&as);
}

/* Find the value that a tally counts in a row; return false if there is none. */
static bool
value_of(const Row *row, const Tally *tally, int64_t *value)
{
	if (row->pass != 1 || (tally->masked && row->some != 1) || row->null[tally->floats ? COL_F : COL_I])
		return false;
	*value = tally->floats ? op_float_key(row->f) : row->i;
	return true;
}

/* Choose random bounds of all tallies, often at a row's value. */
static void
choose_bounds(void)
{
	size_t		t;

	for (t = 0; t < lengthof(tallies); t++)
	{
		tallies[t].shift = random_below(64);
		tallies[t].least = random_below(3) == 0 ? INT64_MIN : random_int64();
		if (nrows > 0 && random_below(3) > 0)
		{
			const Row  *row = &rows[random_below(nrows)];

			tallies[t].least = tallies[t].floats ? op_float_key(row->f) : row->i;
		}
	}
}

static int
compare(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *) a;
	const uint64_t y = *(const uint64_t *) b;

	return (x > y) - (x < y);
}

static void
check_tally(const Tally *tally, uint64_t *got)
{
	static uint64_t want[SELECT_WORDS];
	int64_t		v;
	uint32_t	r;

	memset(want, 0, sizeof(want));
	for (r = 0; r < nrows; r++)
		if (value_of(&rows[r], tally, &v))
		{
			const uint64_t bin = ((uint64_t) v - (uint64_t) tally->least) >> tally->shift;

			if (v < tally->least)
				want[0]++;
			else if (tally->kind == STATE_BINS && bin < SELECT_BINS)
				want[1 + bin]++;
			else if (tally->kind == STATE_VALUES && bin == 0)
				want[2 + want[1]++] = (uint64_t) v;
		}
	if (tally->kind == STATE_VALUES)
	{
		if (!tap_expect(got[1] == want[1], "%llu collected, not %llu", (unsigned long long) got[1], (unsigned long long) want[1]))
			return;
		qsort(want + 2, want[1], sizeof(uint64_t), compare);
		qsort(got + 2, want[1], sizeof(uint64_t), compare);
	}
	tap_expect(got[0] == want[0], "%llu less than %lld, not %llu", (unsigned long long) got[0], (long long) tally->least, (unsigned long long) want[0]);
	for (r = 1; r < (tally->kind == STATE_BINS ? SELECT_WORDS : 2 + want[1]); r++)
		if (!tap_expect(got[r] == want[r], "word %u is %llu, not %llu", r, (unsigned long long) got[r], (unsigned long long) want[r]))
			return;
}

static void
test_tallies(const Interpreter *vm, int32_t yield)
{
	static char names[16][80];
	static int	used;
	/* one group, since its row is long */
	const Disturbance how = {yield, true, 1, ROOMY_HEAP, MAX_ROWS + LARGE_TILE, 0, false};
	char	   *name = names[used++];
	const uint32_t t = vm->tile;
	const uint32_t sizes[] = {0, 1, 31, t - 1, t, t + 1, 3 * t + 5};
	int			i;

	snprintf(name, sizeof(names[0]), "bins and values, %s%s", vm->name, yield >= 0 ? ", disturbed" : "");
	tap_begin(name);
	for (i = 0; i < 60; i++)
	{
		Tablet	   *tablet;
		Outcome		o;
		Program    *program;
		uint32_t	size;
		int			count_word;
		int			zero_word;
		uint64_t	count = 0;
		uint64_t	zeros = 0;
		uint32_t	r;
		size_t		k;

		random_rows(sizes[i % lengthof(sizes)], 3, t);
		if (i % 2)
			narrow_rows();
		for (r = 0; r < nrows; r += 1 + random_below(5))
			rows[r].f = random_below(2) ? -0.0 : 0.0;
		tablet = store_rows();
		choose_bounds();
		program = build(&count_word, &zero_word);
		size = program->size;
		tap_expect(program_verify(program, size) == STATUS_DONE, "the program is refused");
		run_disturbed(vm, program, tablet, &how, &o);
		tap_expect(yield < 0 || nrows <= t || o.pauses > 0, "no pauses");
		for (r = 0; r < nrows; r++)
		{
			count += rows[r].pass == 1;
			zeros += rows[r].pass == 1 && !rows[r].null[COL_F] && rows[r].f == 0 && signbit(rows[r].f);
		}
		if (tap_expect(o.status == STATUS_DONE && o.groups.ngroups == 1, "%s, %u groups", status_text(o.status), o.groups.ngroups))
		{
			tap_expect(group_row(&o.groups, 0)[count_word] == count, "%llu rows", (unsigned long long) group_row(&o.groups, 0)[count_word]);
			tap_expect(group_row(&o.groups, 0)[zero_word] == zeros, "%llu floats are -0, not %llu", (unsigned long long) group_row(&o.groups, 0)[zero_word], (unsigned long long) zeros);
			for (k = 0; k < lengthof(tallies); k++)
				check_tally(&tallies[k], group_row(&o.groups, 0) + tallies[k].word);
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
	size_t		v;

	for (v = 0; v < lengthof(interpreters); v++)
	{
		test_tallies(&interpreters[v], -1);
		if (interpreters[v].can_run == NULL)
			test_tallies(&interpreters[v], 1);
	}
	return tap_done();
}

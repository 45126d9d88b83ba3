/*
 * vm_states_test.c
 *		The states beyond counts and sums: squares, bits, values with a
 *		companion, extremes of text.  Grouped and not, each run is also
 *		interrupted at every instruction and given tables that fill up.
 */
#include "assembler.h"
#include "fixture.h"
#include "interpreters.h"
#include "tap.h"
#include "vm_rows.h"

/* Words of the states, in the order of emit_states(). */
enum
{
	WORD_SQ = 0, WORD_ALL = 2, WORD_ANY = 3, WORD_ODD = 4, WORD_MIN_BY = 5, WORD_MAX_BY = 10, WORD_MIN_T = 15, WORD_MAX_T = 17
};

typedef struct Scenario
{
	const char *name;
	int			nkeys;
} Scenario;

static const Scenario scenarios[] = {
	{"states", 0}, {"states by one key", 1}, {"states by three keys", 3}
};

/* Emit one state of each kind, half of them under a mask. */
static void
emit_states(Assembler *as, int nkeys)
{
	int			g = nkeys > 0 ? R_GROUP : 0;
	int			on = nkeys > 0;
	int			least;
	int			most;

	asm_emit(as, VMOP_LOAD_I, R_I, 0, 0, 0, COL_I);
	asm_emit(as, VMOP_LOAD_F, R_F, 0, 0, 0, COL_F);
	asm_emit(as, VMOP_LOAD_W, R_BY, 0, 0, 0, COL_BY);
	asm_emit(as, VMOP_LOAD_W, R_WITH, 0, 0, 0, COL_WITH);
	asm_emit(as, VMOP_LOAD_T, R_T, 0, 0, 0, COL_T);
	asm_emit(as, VMOP_LOAD_B, R_SOME, 0, 0, 0, COL_SOME);
	asm_emit(as, VMOP_MASK_TRUE, R_MASK, R_SOME, R_SELECTION, 0, 0);
	/* states first, since room is requested ahead of all totals */
	as->shape.nstates = 0;
	asm_state(as, STATE_SUM_SQ);
	asm_state(as, STATE_ALL_BITS);
	asm_state(as, STATE_ANY_BITS);
	asm_state(as, STATE_ODD_BITS);
	asm_state(as, STATE_MIN_BY);
	asm_state(as, STATE_MAX_BY);
	least = asm_state(as, STATE_MIN_T);
	most = asm_state(as, STATE_MAX_T);
	asm_emit(as, on ? VMOP_RESERVE_T_G : VMOP_RESERVE_T, 0, R_T, g, R_MASK, least);
	asm_emit(as, on ? VMOP_RESERVE_T_G : VMOP_RESERVE_T, 0, R_T, g, 0, most);
	asm_emit(as, on ? VMOP_SUM_SQ_G : VMOP_SUM_SQ, 0, R_F, g, 0, as->shape.state_word[0]);
	asm_emit(as, on ? VMOP_ALL_BITS_G : VMOP_ALL_BITS, 0, R_I, g, R_MASK, as->shape.state_word[1]);
	asm_emit(as, on ? VMOP_ANY_BITS_G : VMOP_ANY_BITS, 0, R_I, g, R_MASK, as->shape.state_word[2]);
	asm_emit(as, on ? VMOP_ODD_BITS_G : VMOP_ODD_BITS, 0, R_I, g, 0, as->shape.state_word[3]);
	asm_emit(as, on ? VMOP_MIN_BY_G : VMOP_MIN_BY, 0, R_BY, g, R_MASK, as->shape.state_word[4])->c = R_WITH;
	asm_emit(as, on ? VMOP_MAX_BY_G : VMOP_MAX_BY, 0, R_BY, g, 0, as->shape.state_word[5])->c = R_WITH;
	asm_emit(as, on ? VMOP_MIN_T_G : VMOP_MIN_T, 0, R_T, g, R_MASK, least);
	asm_emit(as, on ? VMOP_MAX_T_G : VMOP_MAX_T, 0, R_T, g, 0, most);
}

static Program *
build(const Scenario *s)
{
	static Assembler as;

	asm_init(&as, COL_Count, true);
	if (s->nkeys > 0)
		emit_keys(&as, s->nkeys);
	else
		emit_filter(&as);
	emit_states(&as, s->nkeys);
	return asm_finish(&as);
}

/* The best row for a value with a companion, and whether an equal one has another companion. */
typedef struct Best
{
	const Row  *row;
	bool		differ;
} Best;

typedef struct States
{
	const Row  *first;
	long double squares;
	uint64_t	all;
	uint64_t	any;
	uint64_t	odd;
	Best		min_by;
	Best		max_by;
	const Row  *min_t;
	const Row  *max_t;
} States;

static States states[MAX_GROUPS];
static uint32_t nstates;

static States *
find_states(const Row *row, int nkeys)
{
	uint32_t	g;

	for (g = 0; g < nstates; g++)
		if (same_keys(states[g].first, row, nkeys))
			return &states[g];
	memset(&states[g], 0, sizeof(states[g]));
	states[g].first = row;
	states[g].all = UINT64_MAX;
	nstates++;
	return &states[g];
}

static void
add_best(Best *best, const Row *row, bool least)
{
	if (best->row == NULL || (least ? row->by < best->row->by : row->by > best->row->by))
	{
		best->row = row;
		best->differ = false;
	}
	else if (row->by == best->row->by && row->with != best->row->with)
		best->differ = true;
}

static void
add_row(States *s, const Row *row)
{
	bool		some = row->some == 1;

	if (!row->null[COL_F])
		s->squares += (long double) row->f * row->f;
	if (!row->null[COL_I])
	{
		s->odd ^= (uint64_t) row->i;
		if (some)
		{
			s->all &= (uint64_t) row->i;
			s->any |= (uint64_t) row->i;
		}
	}
	if (!row->null[COL_BY])
	{
		add_best(&s->max_by, row, false);
		if (some)
			add_best(&s->min_by, row, true);
	}
	if (!row->null[COL_T])
	{
		/* strcmp() compares unsigned bytes, too */
		if (s->max_t == NULL || strcmp(row->t, s->max_t->t) > 0)
			s->max_t = row;
		if (some && (s->min_t == NULL || strcmp(row->t, s->min_t->t) < 0))
			s->min_t = row;
	}
}

static void
compute_states(int nkeys)
{
	static const Row no_row = {0};
	uint32_t	r;

	nstates = 0;
	if (nkeys == 0)
		find_states(&no_row, 0);
	for (r = 0; r < nrows; r++)
		if (rows[r].pass == 1)
			add_row(nkeys > 0 ? find_states(&rows[r], nkeys) : &states[0], &rows[r]);
}

static void
expect_best(const uint64_t *state, const Best *want, const char *name)
{
	if (want->row == NULL)
		tap_expect(state[4] == 0 && (wide_load(state) == WIDE_MAX || wide_load(state) == WIDE_MIN), "%s of nothing", name);
	else
		tap_expect(wide_load(state) == want->row->by && state[4] == want->differ &&
				   (want->differ || wide_load(state + 2) == want->row->with), "%s: %s with %s, differ %d", name,
				   wide_text(wide_load(state)), wide_text(wide_load(state + 2)), (int) state[4]);
}

static void
expect_text(const GroupTable *table, const uint64_t *state, const Row *want, const char *name)
{
	uint32_t	length = (uint32_t) state[1];

	if (want == NULL || state[1] == TEXT_STATE_NONE)
	{
		tap_expect(want == NULL && state[1] == TEXT_STATE_NONE, "%s: only one of both is nothing", name);
		return;
	}
	tap_expect(length == strlen(want->t) && state[0] + (state[1] >> 32) <= table->heap_used && length <= state[1] >> 32 &&
			   memcmp(table->heap + state[0], want->t, length) == 0, "%s: '%.*s', not '%s'", name, (int) length,
			   (const char *) table->heap + state[0], want->t);
}

static void
compare_with_reference(const Scenario *s, const Program *program, const Outcome *o)
{
	uint32_t	g;

	if (!tap_expect(o->status == STATUS_DONE, "%s: '%s'", s->name, status_text(o->status)))
		return;
	compute_states(s->nkeys);
	if (!tap_expect(o->groups.ngroups == nstates, "%u groups, not %u", o->groups.ngroups, nstates))
		return;
	for (g = 0; g < nstates; g++)
	{
		const uint64_t *state = group_row(&o->groups, g) + program->state_word[0];
		const States *want = &states[g];
		long double squares = (long double) float_of_bits(state[0]) + float_of_bits(state[1]);

		tap_expect(fabsl(squares - want->squares) <= want->squares * 0x1p-50L, "sum of squares %.19Lg, not %.19Lg", squares,
				   want->squares);
		tap_expect(state[WORD_ALL] == want->all && state[WORD_ANY] == want->any && state[WORD_ODD] == want->odd, "bits");
		expect_best(state + WORD_MIN_BY, &want->min_by, "least with companion");
		expect_best(state + WORD_MAX_BY, &want->max_by, "largest with companion");
		expect_text(&o->groups, state + WORD_MIN_T, want->min_t, "least text");
		expect_text(&o->groups, state + WORD_MAX_T, want->max_t, "largest text");
	}
}

static void
test_scenario(const Interpreter *vm, const Scenario *s, bool disturbed)
{
	static char names[64][80];
	static int	used;
	char	   *name = names[used++];
	uint32_t	t = vm->tile;
	const uint32_t sizes[] = {0, 1, 31, 33, t - 1, t, t + 1, 2 * t + 1, 3 * t + 5};
	Program    *program = build(s);
	uint32_t	size = program->size;
	size_t		i;

	if (vm->can_run != NULL && (disturbed || !vm->can_run(program, BODY_NARROW)))
	{
		program_free(program, size);
		return;
	}
	snprintf(name, sizeof(names[0]), "%s, %s%s", s->name, vm->name, disturbed ? ", disturbed" : "");
	tap_begin(name);
	tap_expect(program_verify(program, size) == STATUS_DONE, "the program is refused");
	for (i = 0; i < lengthof(sizes) * (disturbed ? 1 : 8); i++)
	{
		Tablet	   *tablet;
		Outcome		plain;

		random_rows(sizes[i % lengthof(sizes)], i % 3 == 0 ? 3 : 40, t);
		tablet = store_rows();
		run_disturbed(vm, program, tablet, &undisturbed, &plain);
		tap_expect(plain.pauses == 0, "%u pauses although there is room", plain.pauses);
		compare_with_reference(s, program, &plain);
		if (disturbed)
			disturb(vm, program, tablet, &plain);
		outcome_free(&plain);
		tablet_free(tablet);
	}
	tap_end();
	program_free(program, size);
}

/* Test that values that are not finite, or too large to be squared, are left to the plain sum. */
static void
test_squares(void)
{
	static const double v[] = {3, (double) NAN, -4, (double) INFINITY, -(double) INFINITY, 0x1p481, 1e308, 0};
	uint64_t	state[2];
	size_t		i;

	tap_begin("squares of what is not finite do not count");
	state_init(STATE_SUM_SQ, state);
	for (i = 0; i < lengthof(v); i++)
		float_square_add(state, v[i]);
	tap_expect(float_of_bits(state[0]) == 25 && float_of_bits(state[1]) == 0, "%g", float_of_bits(state[0]));
	state_init(STATE_SUM_SQ, state);
	float_square_add(state, 0x1p480);
	tap_expect(float_of_bits(state[0]) == 0x1p960, "2^480");
	tap_end();
}

int
main(void)
{
	size_t		v;
	size_t		s;

	for (v = 0; v < lengthof(interpreters); v++)
		for (s = 0; s < lengthof(scenarios); s++)
		{
			test_scenario(&interpreters[v], &scenarios[s], false);
			test_scenario(&interpreters[v], &scenarios[s], true);
		}
	test_squares();
	return tap_done();
}

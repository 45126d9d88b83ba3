/*
 * vm_test.c
 *		Whole programs: filters, totals, groups, rows out, and forced yields.
 *
 * Each scenario is a program and a computation row by row here.  It runs
 * once without a pause, and is then interrupted at every instruction, given
 * tables and outputs that are too small, and both; the outcome must be the
 * same to the last bit.
 */
#include "assembler.h"
#include "fixture.h"
#include "interpreters.h"
#include "tap.h"
#include "vm_rows.h"

typedef struct Scenario
{
	const char *name;
	void		(*build) (Assembler *as);
	bool		grouped;
	bool		emits;
	int			nkeys;			/* number of keys, of KEY_I, KEY_W, KEY_T in this order */
} Scenario;

/* Emit count(*), count(*) filter, count(i), sums and extremes of i, w and f, half of them under a mask. */
static void
emit_totals(Assembler *as, bool grouped)
{
	int			g = grouped ? R_GROUP : 0;

	asm_emit(as, VMOP_LOAD_I, R_I, 0, 0, 0, COL_I);
	asm_emit(as, VMOP_LOAD_W, R_W, 0, 0, 0, COL_W);
	asm_emit(as, VMOP_LOAD_F, R_F, 0, 0, 0, COL_F);
	asm_emit(as, VMOP_LOAD_B, R_SOME, 0, 0, 0, COL_SOME);
	asm_emit(as, VMOP_MASK_TRUE, R_MASK, R_SOME, R_SELECTION, 0, 0);
	asm_emit(as, grouped ? VMOP_COUNT_G : VMOP_COUNT, 0, 0, g, 0, asm_state(as, STATE_COUNT));
	asm_emit(as, grouped ? VMOP_COUNT_G : VMOP_COUNT, 0, 0, g, R_MASK, asm_state(as, STATE_COUNT));
	asm_emit(as, grouped ? VMOP_COUNT_G : VMOP_COUNT, 0, R_I, g, 0, asm_state(as, STATE_COUNT));
	asm_emit(as, grouped ? VMOP_SUM_I_G : VMOP_SUM_I, 0, R_I, g, R_MASK, asm_state(as, STATE_SUM));
	asm_emit(as, grouped ? VMOP_SUM_W_G : VMOP_SUM_W, 0, R_W, g, 0, asm_state(as, STATE_SUM));
	asm_emit(as, grouped ? VMOP_SUM_F_G : VMOP_SUM_F, 0, R_F, g, 0, asm_state(as, STATE_SUM_F));
	asm_emit(as, grouped ? VMOP_MIN_I_G : VMOP_MIN_I, 0, R_I, g, 0, asm_state(as, STATE_MIN_I));
	asm_emit(as, grouped ? VMOP_MAX_I_G : VMOP_MAX_I, 0, R_I, g, R_MASK, asm_state(as, STATE_MAX_I));
	asm_emit(as, grouped ? VMOP_MIN_W_G : VMOP_MIN_W, 0, R_W, g, R_MASK, asm_state(as, STATE_MIN_W));
	asm_emit(as, grouped ? VMOP_MAX_W_G : VMOP_MAX_W, 0, R_W, g, 0, asm_state(as, STATE_MAX_W));
}

static void
build_totals(Assembler *as)
{
	asm_init(as, COL_Count, true);
	emit_filter(as);
	emit_totals(as, false);
}

static void
build_one_key(Assembler *as)
{
	asm_init(as, COL_Count, true);
	emit_keys(as, 1);
	emit_totals(as, true);
}

static void
build_three_keys(Assembler *as)
{
	asm_init(as, COL_Count, true);
	emit_keys(as, 3);
	emit_totals(as, true);
}

static void
build_rows(Assembler *as)
{
	asm_init(as, COL_Count, false);
	emit_filter(as);
	asm_emit(as, VMOP_EMIT, 0, 0, 0, 0, 0);
}

static void
build_all_rows(Assembler *as)
{
	asm_init(as, COL_Count, false);
	asm_emit(as, VMOP_EMIT, 0, 0, 0, 0, 0);
}

static const Scenario scenarios[] = {
	{"totals", build_totals, false, false, 0},
	{"groups by one key", build_one_key, true, false, 1},
	{"groups by three keys", build_three_keys, true, false, 3},
	{"filtered rows", build_rows, false, true, 0},
	{"all rows", build_all_rows, false, true, 0},
};

/* Aggregates of a group, computed row by row; states are in the order of emit_totals(). */
typedef struct Totals
{
	const Row  *first;			/* a row with the group's keys */
	int64_t		count;
	int64_t		count_some;
	int64_t		count_i;
	Wide		sum_i;
	Wide		sum_w;
	long double sum_f;
	long double size_f;			/* sum of |f| */
	int64_t		min_i;
	int64_t		max_i;
	Wide		min_w;
	Wide		max_w;
} Totals;

static Totals totals[MAX_GROUPS];
static uint32_t ntotals;

static Totals *
find_totals(const Row *row, int nkeys)
{
	uint32_t	g;

	for (g = 0; g < ntotals; g++)
		if (same_keys(totals[g].first, row, nkeys))
			return &totals[g];
	memset(&totals[g], 0, sizeof(totals[g]));
	totals[g].first = row;
	totals[g].min_i = INT64_MAX;
	totals[g].max_i = INT64_MIN;
	totals[g].min_w = (Wide) (((UWide) 1 << 127) - 1);
	totals[g].max_w = (Wide) ((UWide) 1 << 127);
	ntotals++;
	return &totals[g];
}

static void
add_row(Totals *t, const Row *row)
{
	t->count++;
	t->count_some += row->some == 1;
	if (!row->null[COL_I])
	{
		t->count_i++;
		t->min_i = row->i < t->min_i ? row->i : t->min_i;
		if (row->some == 1)
		{
			t->sum_i += row->i;
			t->max_i = row->i > t->max_i ? row->i : t->max_i;
		}
	}
	if (!row->null[COL_W])
	{
		t->sum_w += row->w;
		t->max_w = row->w > t->max_w ? row->w : t->max_w;
		if (row->some == 1)
			t->min_w = row->w < t->min_w ? row->w : t->min_w;
	}
	if (!row->null[COL_F])
	{
		t->sum_f += row->f;
		t->size_f += fabsl(row->f);
	}
}

static void
compute_totals(const Scenario *s)
{
	static const Row no_row = {0};
	uint32_t	r;

	ntotals = 0;
	if (!s->grouped)
		find_totals(&no_row, 0);
	for (r = 0; r < nrows; r++)
		if (rows[r].pass == 1 && is_selected(r))
			add_row(s->grouped ? find_totals(&rows[r], s->nkeys) : &totals[0], &rows[r]);
}

static void
compare_keys(const Scenario *s, const GroupTable *table, const uint64_t *row, const Totals *t)
{
	uint64_t	nulls = 0;
	int			k;

	for (k = 0; k < s->nkeys && k < 3; k++)
		nulls |= (uint64_t) t->first->null[COL_KEY_I + k] << k;
	tap_expect(row[0] == nulls, "NULL keys %llx, not %llx", (unsigned long long) row[0], (unsigned long long) nulls);
	if (s->nkeys > 0)
		tap_expect((int64_t) row[1] == (t->first->null[COL_KEY_I] ? 0 : t->first->key_i), "integer key");
	if (s->nkeys > 1)
		tap_expect(wide_load(row + 2) == (t->first->null[COL_KEY_W] ? 0 : t->first->key_w), "wide key");
	if (s->nkeys > 2)
	{
		const char *text = t->first->null[COL_KEY_T] ? "" : t->first->key_t;

		tap_expect(row[5] == strlen(text) && memcmp(table->heap + row[4], text, strlen(text)) == 0, "text key");
	}
}

static void
compare_states(const uint64_t *state, const Totals *t)
{
	double		sum = 0;

	tap_expect((int64_t) state[0] == t->count, "count(*)");
	tap_expect((int64_t) state[1] == t->count_some, "count(*) under a mask");
	tap_expect((int64_t) state[2] == t->count_i, "count(i)");
	tap_expect(wide_load(state + 3) == t->sum_i, "sum(i) under a mask");
	tap_expect(wide_load(state + 5) == t->sum_w, "sum(w)");
	tap_expect(float_total_value(state + 7, &sum) == STATUS_DONE &&
			   fabsl(sum - t->sum_f) <= t->size_f * 0x1p-40L, "sum(f) %.17g, not %.17Lg", sum, t->sum_f);
	tap_expect((int64_t) state[10] == t->min_i, "min(i)");
	tap_expect((int64_t) state[11] == t->max_i, "max(i) under a mask");
	tap_expect(wide_load(state + 12) == t->min_w, "min(w) under a mask");
	tap_expect(wide_load(state + 14) == t->max_w, "max(w)");
}

static void
compare_rows_out(const Scenario *s, const Outcome *o)
{
	uint32_t	r;
	uint32_t	n = 0;

	for (r = 0; r < nrows; r++)
		if ((s->build == build_all_rows || rows[r].pass == 1) && is_selected(r))
		{
			if (n < o->out_count && o->out[n] != r)
				break;
			n++;
		}
	tap_expect(r == nrows && n == o->out_count, "%u of %u rows: row %u is wrong or missing", o->out_count, nrows, r);
}

static void
compare_with_reference(const Scenario *s, const Program *program, const Outcome *o)
{
	uint32_t	g;

	if (!tap_expect(o->status == STATUS_DONE, "%s: '%s'", s->name, status_text(o->status)))
		return;
	if (s->emits)
	{
		compare_rows_out(s, o);
		return;
	}
	compute_totals(s);
	if (!tap_expect(o->groups.ngroups == ntotals, "%u groups, not %u", o->groups.ngroups, ntotals))
		return;
	for (g = 0; g < ntotals; g++)
	{
		const uint64_t *row = group_row(&o->groups, g);

		compare_keys(s, &o->groups, row, &totals[g]);
		compare_states(row + program->state_word[0], &totals[g]);
	}
}

/* Select random rows, sometimes none or all of a word's. */
static void
select_rows(void)
{
	for (size_t w = 0; w < lengthof(selection); w++)
		selection[w] = random_below(4) == 0 ? 0 - random_below(2) : random_u64();
}

static void
test_scenario(const Interpreter *vm, const Scenario *s)
{
	static Assembler as;
	static char names[4][80];
	uint32_t	t = vm->tile;
	const uint32_t sizes[] = {0, 1, 31, 32, 33, t - 1, t, t + 1, 2 * t - 1, 2 * t, 2 * t + 1, 3 * t + 5};
	Program    *program;
	uint32_t	size;
	size_t		i;
	int			pass;

	s->build(&as);
	program = asm_finish(&as);
	size = program->size;
	for (pass = 0; pass < 2; pass++)
	{
		if (vm->can_run != NULL && (pass == 1 || !vm->can_run(program, BODY_NARROW)))
			break;
		snprintf(names[pass], sizeof(names[pass]), pass == 0 ? "%s, %s" : "%s, %s, disturbed", s->name, vm->name);
		tap_begin(names[pass]);
		tap_expect(program_verify(program, size) == STATUS_DONE, "the program is refused");
		for (i = 0; i < lengthof(sizes) * (pass == 0 ? 8 : 1); i++)
		{
			const bool	for_encoded = i / lengthof(sizes) % 2 == 1;
			Tablet	   *tablet;
			Outcome		plain;

			random_rows(sizes[i % lengthof(sizes)], i % 3 == 0 ? 3 : 40, t);
			if (for_encoded)
				narrow_rows();
			tablet = store_rows();
			if (for_encoded)
				store_in_encodings(tablet);
			selective = i % 2 == 1;
			select_rows();
			run_disturbed(vm, program, tablet, &undisturbed, &plain);
			if (pass == 0)
				compare_with_reference(s, program, &plain);
			else
				disturb(vm, program, tablet, &plain);
			outcome_free(&plain);
			tablet_free(tablet);
			selective = false;
		}
		tap_end();
	}
	program_free(program, size);
}

/* Compute the sums over rows[], undisturbed: in all, or by one key. The caller frees program and outcome. */
static Program *
run_rows(const Interpreter *vm, bool grouped, Outcome *o)
{
	static Assembler as;
	Program    *program;
	Tablet	   *tablet = store_rows();

	if (grouped)
		build_one_key(&as);
	else
		build_totals(&as);
	program = asm_finish(&as);
	run_disturbed(vm, program, tablet, &undisturbed, o);
	tablet_free(tablet);
	return program;
}

/* Test sums of special floats, and of floats whose sum is beyond all doubles. */
static void
test_float_totals(const Interpreter *vm)
{
	static const struct
	{
		const char *name;
		double		v[3];
		DeviceStatus status;
		double		want;
	}			cases[] = {
		{"NaN", {1, (double) NAN, 2}, STATUS_DONE, (double) NAN},
		{"infinity", {1, (double) INFINITY, 2}, STATUS_DONE, (double) INFINITY},
		{"-infinity", {-(double) INFINITY, 1, 2}, STATUS_DONE, -(double) INFINITY},
		{"both infinities", {-(double) INFINITY, (double) INFINITY, 2}, STATUS_DONE, (double) NAN},
		{"overflow", {1.7e308, 1.7e308, 1}, STATUS_FLOAT_TOTAL, 0},
		{"cancellation", {1e300, 0, -1e300}, STATUS_DONE, 0},
	};
	static char name[64];
	size_t		i;
	int			grouped;

	snprintf(name, sizeof(name), "special sums of floats, %s", vm->name);
	tap_begin(name);
	for (i = 0; i < lengthof(cases); i++)
		for (grouped = 0; grouped < 2; grouped++)
		{
			Program    *program;
			Outcome		o;
			uint32_t	r;
			double		sum = 0;
			DeviceStatus status;

			random_rows(3, 1, vm->tile);
			for (r = 0; r < 3; r++)
			{
				memset(&rows[r], 0, sizeof(Row));
				rows[r].pass = 1;
				rows[r].f = cases[i].v[r];
			}
			program = run_rows(vm, grouped, &o);
			status = float_total_value(group_row(&o.groups, 0) + program->state_word[5], &sum);
			tap_expect(o.status == STATUS_DONE && status == cases[i].status &&
					   (status != STATUS_DONE || sum == cases[i].want || (isnan(sum) && isnan(cases[i].want))),
					   "%s: '%s', %g", cases[i].name, status_text(status), sum);
			outcome_free(&o);
			program_free(program, program->size);
		}
	tap_end();
}

/* Test that an overflow of a 128-bit sum is reported, wherever it happens. */
static void
test_wide_overflow(const Interpreter *vm)
{
	static char name[64];
	int			grouped;
	int			sign;

	snprintf(name, sizeof(name), "overflow of a 128-bit sum, %s", vm->name);
	tap_begin(name);
	for (grouped = 0; grouped < 2; grouped++)
		for (sign = -1; sign <= 1; sign++)
		{
			Program    *program;
			Outcome		o;
			uint32_t	r;

			nrows = vm->tile + 2;
			for (r = 0; r < nrows; r++)
			{
				memset(&rows[r], 0, sizeof(Row));
				rows[r].pass = 1;
			}
			rows[3].w = sign * (((Wide) 1 << 126) - 1 + ((Wide) 1 << 126));
			rows[vm->tile].w = sign;
			program = run_rows(vm, grouped, &o);
			/* -(2^127 - 1) - 1 is still in range */
			tap_expect(o.status == (sign > 0 ? STATUS_DECIMAL_TOO_WIDE : STATUS_DONE), "sign %d: '%s'", sign,
					   status_text(o.status));
			outcome_free(&o);
			program_free(program, program->size);
		}
	tap_end();
}

int
main(void)
{
	size_t		v;
	size_t		s;

	for (v = 0; v < lengthof(interpreters); v++)
	{
		for (s = 0; s < lengthof(scenarios); s++)
			test_scenario(&interpreters[v], &scenarios[s]);
		test_float_totals(&interpreters[v]);
		test_wide_overflow(&interpreters[v]);
	}
	return tap_done();
}

/*
 * vm_test.c
 *		Whole programs: filters, totals, groups, rows out, and forced yields.
 *
 * Each scenario is a program and the same computed row by row here.  It runs
 * once without a pause, and is then interrupted at every instruction, given
 * tables and outputs that are too small, and both; the outcome must be the
 * same to the last bit.
 */
#include "assembler.h"
#include "fixture.h"
#include "interpreters.h"
#include "tap.h"

#define MAX_ROWS	(4 * LARGE_TILE)
#define MAX_GROUPS	MAX_ROWS
#define ROW_TEXT	8

/* columns of the tablet */
enum
{
	COL_PASS, COL_SOME, COL_KEY_I, COL_KEY_W, COL_KEY_T, COL_I, COL_W, COL_F, COL_Count
};

static const uint16_t column_types[COL_Count] = {
	COLTYPE_BOOL, COLTYPE_BOOL, COLTYPE_I32, COLTYPE_I128, COLTYPE_TEXT, COLTYPE_I64, COLTYPE_I128, COLTYPE_F64
};

typedef struct Row
{
	int8_t		pass;			/* 0, 1, 2 = NULL */
	int8_t		some;
	uint8_t		null[COL_Count];
	int32_t		key_i;
	Wide		key_w;
	char		key_t[ROW_TEXT];
	int64_t		i;
	Wide		w;
	double		f;
} Row;

static Row	rows[MAX_ROWS];
static uint32_t nrows;

typedef struct Scenario
{
	const char *name;
	void		(*build) (Assembler *as);
	bool		grouped;
	bool		emits;
	int			nkeys;			/* of KEY_I, KEY_W, KEY_T, in this order */
} Scenario;

/* What a run leaves behind. */
typedef struct Outcome
{
	DeviceStatus status;
	GroupTable	groups;
	uint32_t   *out;
	uint32_t	out_count;
	uint32_t	out_capacity;
	uint32_t	pauses;			/* times that the run was resumed */
} Outcome;

/* How a run is disturbed. */
typedef struct Disturbance
{
	int32_t		first_yield;	/* -1 = never */
	bool		yield_again;	/* after each pause a little later */
	uint32_t	groups;			/* room in the beginning */
	uint32_t	heap;
	uint32_t	out;
	uint32_t	growth;			/* by which a full output grows */
	bool		drain;			/* take rows out of a full output instead */
} Disturbance;

static const Disturbance undisturbed = {-1, false, MAX_GROUPS, MAX_GROUPS * ROW_TEXT, MAX_ROWS + LARGE_TILE, 0, false};

static double
moderate_double(void)
{
	return ((double) (int64_t) random_u64()) / (double) ((int64_t) 1 << random_below(63)) * (random_below(2) ? 1e-3 : 1e6);
}

/* n rows; `keys` bounds how many distinct keys there are; whole tiles may fail the filter. */
static void
random_rows(uint32_t n, uint32_t keys, uint32_t tile)
{
	uint32_t	r;
	int			c;
	bool		barren = false;

	nrows = n;
	for (r = 0; r < n; r++)
	{
		Row		   *row = &rows[r];

		memset(row, 0, sizeof(*row));
		if (r % tile == 0)
			barren = random_below(4) == 0;
		row->pass = barren ? 0 : random_below(4) ? 1 : (int8_t) (random_below(2) ? 0 : 2);
		row->some = (int8_t) random_below(3);
		for (c = COL_KEY_I; c < COL_Count; c++)
			row->null[c] = random_below(7) == 0;
		row->key_i = (int32_t) random_below(keys) - 1;
		row->key_w = ((Wide) random_below(keys) << 64) * (random_below(2) ? 1 : -1);
		snprintf(row->key_t, ROW_TEXT, "%.*s", (int) random_below(4), "kkk");
		row->i = random_int64();
		row->w = random_wide() >> 20;
		row->f = moderate_double();
	}
}

static Tablet *
store_rows(void)
{
	Tablet	   *tablet = tablet_make(column_types, COL_Count, nrows, (uint64_t) nrows * ROW_TEXT);
	uint32_t	r;
	int			c;

	for (r = 0; r < nrows; r++)
	{
		const Row  *row = &rows[r];

		tablet_set_int(tablet, COL_PASS, r, row->pass == 1);
		tablet_set_int(tablet, COL_SOME, r, row->some == 1);
		tablet_set_int(tablet, COL_KEY_I, r, row->key_i);
		tablet_set_int(tablet, COL_KEY_W, r, row->key_w);
		tablet_set_text(tablet, COL_KEY_T, r, row->key_t, (uint32_t) strlen(row->key_t));
		tablet_set_int(tablet, COL_I, r, row->i);
		tablet_set_int(tablet, COL_W, r, row->w);
		tablet_set_float(tablet, COL_F, r, row->f);
		if (row->pass == 2)
			tablet_set_null(tablet, COL_PASS, r);
		if (row->some == 2)
			tablet_set_null(tablet, COL_SOME, r);
		for (c = COL_KEY_I; c < COL_Count; c++)
			if (row->null[c])
				tablet_set_null(tablet, c, r);
	}
	return tablet;
}

/* registers of all scenarios */
enum
{
	R_SELECTION, R_PASS, R_SOME, R_MASK, R_KEY_I, R_KEY_W, R_KEY_W2, R_KEY_T, R_I, R_W, R_W2, R_F,
	R_HASH0, R_HASH1, R_HASH2, R_HASH3, R_GROUP
};

static void
emit_filter(Assembler *as)
{
	asm_emit(as, VMOP_LOAD_B, R_PASS, 0, 0, 0, COL_PASS);
	asm_emit(as, VMOP_FILTER, 0, R_PASS, 0, 0, 0);
	asm_emit(as, VMOP_JUMP_NONE, 0, 0, 0, 0, 0);
}

/* count(*), count(*) filter, count(i), sums and extremes of i, w and f; half of them under a mask. */
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
emit_keys(Assembler *as, int nkeys)
{
	asm_emit(as, VMOP_CONST_I, R_HASH0, 0, 0, 0, asm_word(as, 0));
	emit_filter(as);
	asm_emit(as, VMOP_LOAD_I, R_KEY_I, 0, 0, 0, COL_KEY_I);
	asm_emit(as, VMOP_KEY_I, R_HASH1, R_KEY_I, R_HASH0, 0, asm_key(as, KEY_WORD));
	if (nkeys > 1)
	{
		asm_emit(as, VMOP_LOAD_W, R_KEY_W, 0, 0, 0, COL_KEY_W);
		asm_emit(as, VMOP_KEY_W, R_HASH2, R_KEY_W, R_HASH1, 0, asm_key(as, KEY_WIDE));
	}
	if (nkeys > 2)
	{
		asm_emit(as, VMOP_LOAD_T, R_KEY_T, 0, 0, 0, COL_KEY_T);
		asm_emit(as, VMOP_KEY_T, R_HASH3, R_KEY_T, R_HASH2, 0, asm_key(as, KEY_TEXT));
	}
	asm_emit(as, VMOP_GROUP, R_GROUP, nkeys == 1 ? R_HASH1 : nkeys == 2 ? R_HASH2 : R_HASH3, 0, 0, 0);
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

static void
outcome_free(Outcome *o)
{
	if (o->groups.slots)
		table_free(&o->groups);
	guard_free(o->out, o->out_capacity * sizeof(uint32_t), 4);
}

static void
grow_output(VmRun *run, uint32_t capacity)
{
	uint32_t   *out = (uint32_t *) guard_alloc(capacity * sizeof(uint32_t), 4);

	if (run->out_count > 0)
		memcpy(out, run->out, run->out_count * sizeof(uint32_t));
	guard_free(run->out, run->out_capacity * sizeof(uint32_t), 4);
	run->out = out;
	run->out_capacity = capacity;
}

static void
drain_output(VmRun *run, Outcome *o)
{
	memcpy(o->out + o->out_count, run->out, run->out_count * sizeof(uint32_t));
	o->out_count += run->out_count;
	run->out_count = 0;
}

/* Run to the end, making room whenever the program asks for it. */
static void
run_disturbed(const Interpreter *vm, const Program *program, const Tablet *tablet, const Disturbance *how, Outcome *o)
{
	VmRun		run;
	int32_t		yield = how->first_yield;

	memset(o, 0, sizeof(*o));
	o->out_capacity = MAX_ROWS + LARGE_TILE;
	o->out = (uint32_t *) guard_alloc(o->out_capacity * sizeof(uint32_t), 4);
	table_open(&o->groups, program, program->grouped ? how->groups : 1, program->grouped ? how->heap : 0);
	run_open(&run, program, BODY_NARROW, tablet, vm->tile);
	run.groups = &o->groups;
	grow_output(&run, how->out);
	run.yield_after = yield;
	while ((o->status = vm->run(&run)) == STATUS_TIME_SLICE || o->status == STATUS_TABLE_FULL ||
		   o->status == STATUS_OUTPUT_FULL)
	{
		/* registers need not survive a pause */
		memset(run.values, 0xA5, (size_t) program->body[0].nregisters * vm->tile * 8);
		memset(run.nulls, 0xA5, (size_t) program->body[0].nregisters * vm->tile);
		if (o->status == STATUS_TABLE_FULL)
			table_grow(&o->groups, program->row_words, o->groups.capacity + 1, o->groups.heap_capacity + 2);
		if (o->status == STATUS_OUTPUT_FULL && how->drain && run.out_count > 0)
			drain_output(&run, o);
		else if (o->status == STATUS_OUTPUT_FULL)
			grow_output(&run, run.out_capacity + how->growth);
		if (++o->pauses > 20000)
			break;
		run.yield_after = -1;
		if (how->yield_again)
			run.yield_after = ++yield;
	}
	drain_output(&run, o);
	guard_free(run.out, run.out_capacity * sizeof(uint32_t), 4);
	run_close(&run, vm->tile);
}

static bool
same_outcome(const Outcome *a, const Outcome *b)
{
	const GroupTable *g = &a->groups;
	const GroupTable *h = &b->groups;

	return a->status == b->status && a->out_count == b->out_count &&
		memcmp(a->out, b->out, a->out_count * sizeof(uint32_t)) == 0 &&
		g->ngroups == h->ngroups && g->heap_used == h->heap_used && memcmp(g->heap, h->heap, g->heap_used) == 0 &&
		memcmp(g->hashes, h->hashes, g->ngroups * sizeof(uint64_t)) == 0 &&
		memcmp(g->rows, h->rows, (size_t) g->ngroups * g->row_words * sizeof(uint64_t)) == 0;
}

/* The aggregates of a group, row by row; the order of states is that of emit_totals(). */
typedef struct Totals
{
	const Row  *first;			/* whose keys the group has */
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

static bool
same_keys(const Row *a, const Row *b, int nkeys)
{
	int			c;

	for (c = COL_KEY_I; c < COL_KEY_I + nkeys; c++)
	{
		if (a->null[c] != b->null[c])
			return false;
		if (!a->null[c] && (c == COL_KEY_I ? a->key_i != b->key_i : c == COL_KEY_W ? a->key_w != b->key_w
							: strcmp(a->key_t, b->key_t) != 0))
			return false;
	}
	return true;
}

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
		if (rows[r].pass == 1)
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
		if (s->build == build_all_rows || rows[r].pass == 1)
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

/* Interrupt a run at every instruction and make its tables too small in several ways. */
static void
disturb(const Interpreter *vm, const Program *program, const Tablet *tablet, const Outcome *want)
{
	Disturbance how = undisturbed;
	Outcome		got;
	int32_t		at;
	bool		paused = true;

	for (at = 0; paused; at++)
	{
		how.first_yield = at;
		run_disturbed(vm, program, tablet, &how, &got);
		paused = got.pauses > 0;
		tap_expect(same_outcome(want, &got), "%u rows: a yield after %d instructions changes the outcome", nrows, at);
		outcome_free(&got);
	}
	for (at = 0; at < 5; at++)
	{
		how.first_yield = at;
		how.yield_again = true;
		run_disturbed(vm, program, tablet, &how, &got);
		tap_expect(same_outcome(want, &got), "%u rows: many yields, from %d on, change the outcome", nrows, at);
		outcome_free(&got);
	}
	for (at = 0; at < 8; at++)
	{
		how = undisturbed;
		how.groups = at & 1 ? 1 : MAX_GROUPS;
		how.heap = at & 2 ? 0 : MAX_GROUPS * ROW_TEXT;
		how.out = at & 1 ? 1 : vm->tile;
		how.growth = 1 + vm->tile / 7;
		how.drain = (at & 2) != 0;
		how.first_yield = at & 4 ? 3 : -1;
		how.yield_again = (at & 4) != 0;
		run_disturbed(vm, program, tablet, &how, &got);
		tap_expect(same_outcome(want, &got), "%u rows: too little room (%d) changes the outcome", nrows, at);
		outcome_free(&got);
	}
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
		snprintf(names[pass], sizeof(names[pass]), pass == 0 ? "%s, %s" : "%s, %s, disturbed", s->name, vm->name);
		tap_begin(names[pass]);
		tap_expect(program_verify(program, size) == STATUS_DONE, "the program is refused");
		for (i = 0; i < lengthof(sizes) * (pass == 0 ? 8 : 1); i++)
		{
			Tablet	   *tablet;
			Outcome		plain;

			random_rows(sizes[i % lengthof(sizes)], i % 3 == 0 ? 3 : 40, t);
			tablet = store_rows();
			run_disturbed(vm, program, tablet, &undisturbed, &plain);
			if (pass == 0)
				compare_with_reference(s, program, &plain);
			else
				disturb(vm, program, tablet, &plain);
			outcome_free(&plain);
			tablet_free(tablet);
		}
		tap_end();
	}
	program_free(program, size);
}

/* The sums over rows[], undisturbed: in all, or by one key.  The caller frees program and outcome. */
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

/* Sums of floats that are special, or beyond all doubles. */
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

/* A 128-bit sum that overflows is reported, wherever that happens. */
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

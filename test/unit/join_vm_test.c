/*
 * join_vm_test.c
 *		Programs that join: loops over pairs, marks, lookups, rows fetched.
 *
 * Random rows are joined in one to three steps, by programs laid out as
 * compiled ones are, and by nested loops over the rows here.  Some runs are
 * interrupted at every instruction and find no room again and again; that
 * must not change a bit of the outcome.
 */
#include "assembler.h"
#include "fixture.h"
#include "interpreters.h"
#include "join_programs.h"
#include "tap.h"

#define PAIRS_MOST	150000
#define GROUPS_MOST	20000
#define ROOMY_HEAP	16384
#define PAUSES_MOST	100000

static uint64_t selection[SIDE_ROWS_MOST / 64 + 1];
static bool selective;			/* true if only rows of the selection count */

/* Counts of what the programs did, all of which must occur. */
typedef struct Seen
{
	uint32_t	pairs;			/* pairs of all programs */
	uint32_t	lookups;
	uint32_t	hashes;			/* tables whose keys are tested again */
	uint32_t	nested;			/* programs of two open loops, with pairs in several tiles */
	uint32_t	closed_in_open;
	uint32_t	without;		/* rows of LEFT joins without a match */
	uint32_t	emitted;		/* rows returned from two open loops */
	uint32_t	crowded;		/* lanes with thousands of pairs */
	uint32_t	ranges;			/* ranges of sorted tables */
} Seen;

static Seen seen;

/* The reference */

/* A group, and the totals of its pairs. */
typedef struct Totals
{
	const JoinRow *source;		/* rows that have its keys; NULL if there is none */
	const JoinRow *row;
	int			next;			/* next group in the same bucket; -1 = none */
	int64_t		all;
	int64_t		texts;
	int64_t		flags;
	Wide		v;
	Wide		vw;
	double		vf;
	const JoinRow *least;
} Totals;

typedef struct Reference
{
	const JoinPlan *plan;
	const JoinRow *at[STEPS_MOST + 1];
	uint32_t	number[STEPS_MOST + 1]; /* numbers of the current rows in their tables */
	uint32_t	lane;			/* current row of the tablet */
	uint32_t	npairs;
	int			ngroups;
	int			bucket[4096];
	Totals		totals[GROUPS_MOST];
	uint32_t	order[STEPS_MOST + 1][SIDE_ROWS_MOST];	/* order of each table's rows */
	uint32_t	rows[STEPS_MOST + 1][PAIRS_MOST + 1];	/* rows returned, of each side */
} Reference;

static Reference reference;

static bool
part_equal(const KeyPart *part, const JoinRow *a, const JoinRow *b)
{
	uint32_t	alen = (uint32_t) strlen(a->t);
	uint32_t	blen = (uint32_t) strlen(b->t);

	if (a->null[part->column] || b->null[part->column])
		return false;
	switch (part->column)
	{
		case COL_I: return a->i == b->i;
		case COL_A: return a->a == b->a;
		case COL_B: return a->b == b->b;
		case COL_W: return a->w == b->w;
		case COL_F: return a->f == b->f || (a->f != a->f && b->f != b->f);
		case COL_FLAG: return a->flag == b->flag;
		default:
			while (part->form == JOIN_KEY_TRIMMED && alen > 0 && a->t[alen - 1] == ' ')
				alen--;
			while (part->form == JOIN_KEY_TRIMMED && blen > 0 && b->t[blen - 1] == ' ')
				blen--;
			return alen == blen && memcmp(a->t, b->t, alen) == 0;
	}
}

/* Compare a column's value of a row with a column's value of another; return less than 0, 0, or more. */
static int
compare_values(const JoinRow *a, int c, const JoinRow *b, int d)
{
	const bool	real = c == COL_F;
	const double x = c == COL_F ? a->f : a->vf;
	const double y = d == COL_F ? b->f : b->vf;
	const Wide	v = c == COL_I ? (Wide) a->i : c == COL_V ? (Wide) a->v : c == COL_W ? a->w : a->vw;
	const Wide	w = d == COL_I ? (Wide) b->i : d == COL_V ? (Wide) b->v : d == COL_W ? b->w : b->vw;

	if (!real)
		return (v > w) - (v < w);
	/* in PostgreSQL, NaN is equal to itself, and larger than all else */
	return x != x || y != y ? (x != x) - (y != y) : (x > y) - (x < y);
}

static bool
within_bounds(const JoinStep *step, const JoinRow *from, const JoinRow *row)
{
	const StepBounds *bounds = &step_bounds[step->by - BY_BOUNDS];
	const int	c = step_keys[step->by].part[0].column;

	if (from == NULL || row->null[c])
		return false;
	if (bounds->lower < COL_Count &&
		(from->null[bounds->lower] || compare_values(row, c, from, bounds->lower) < (bounds->above ? 1 : 0)))
		return false;
	return bounds->upper == COL_Count ||
		(!from->null[bounds->upper] && compare_values(row, c, from, bounds->upper) <= (bounds->below ? -1 : 0));
}

static bool
rows_match(const Reference *ref, const JoinStep *step, const JoinRow *row)
{
	const JoinRow *from = ref->at[step->from];

	if (step->by >= BY_BOUNDS && !within_bounds(step, from, row))
		return false;
	for (uint16_t p = 0; step->by < BY_BOUNDS && p < step_keys[step->by].nparts; p++)
		if (from == NULL || !part_equal(&step_keys[step->by].part[p], from, row))
			return false;
	return !step->condition || (!ref->at[0]->null[COL_V] && !row->null[COL_V] && ref->at[0]->v <= row->v);
}

static bool
is_null(const JoinRow *row, int c)
{
	return row == NULL || row->null[c];
}

static bool
same_group(const Totals *t, const JoinRow *source, const JoinRow *row, int nkeys)
{
	if (is_null(t->source, COL_I) != is_null(source, COL_I) || (!is_null(source, COL_I) && t->source->i != source->i))
		return false;
	if (nkeys > 1 && (is_null(t->source, COL_T) != is_null(source, COL_T) ||
					  (!is_null(source, COL_T) && strcmp(t->source->t, source->t) != 0)))
		return false;
	return nkeys < 3 || (t->row->null[COL_W] == row->null[COL_W] && (row->null[COL_W] || t->row->w == row->w));
}

static Totals *
find_totals(Reference *ref, const JoinRow *source, const JoinRow *row)
{
	const uint64_t hash = (is_null(source, COL_I) ? 5 : hash_mix((uint64_t) source->i)) +
		(ref->plan->group_by < 2 || is_null(source, COL_T) ? 3 : strtoul(source->t, NULL, 10)) * 101 +
		(ref->plan->group_by < 3 || row->null[COL_W] ? 7 : hash_mix((uint64_t) row->w));
	int		   *bucket = &ref->bucket[hash % lengthof(ref->bucket)];
	Totals	   *t;

	for (int g = *bucket; g >= 0; g = ref->totals[g].next)
		if (ref->plan->group_by == 0 || same_group(&ref->totals[g], source, row, ref->plan->group_by))
			return &ref->totals[g];
	t = &ref->totals[ref->ngroups];
	memset(t, 0, sizeof(*t));
	t->source = source;
	t->row = row;
	t->next = *bucket;
	*bucket = ref->ngroups++;
	return t;
}

static void
add_pair(Reference *ref)
{
	const JoinRow *source = ref->at[ref->plan->source];
	const JoinRow *row = ref->at[0];
	Totals	   *t;

	ref->npairs++;
	if (ref->plan->emits)
	{
		ref->rows[0][ref->npairs - 1] = ref->lane;
		for (int t = 1; t <= ref->plan->nsteps; t++)
			ref->rows[t][ref->npairs - 1] = ref->at[t] ? ref->number[t] : JOIN_NO_ROW;
		return;
	}
	t = ref->plan->group_by == 0 ? &ref->totals[0] : find_totals(ref, source, row);
	t->all++;
	t->flags += !is_null(source, COL_FLAG) && source->flag;
	t->v += row->null[COL_V] ? 0 : row->v;
	t->vw += is_null(source, COL_VW) ? 0 : source->vw;
	t->vf += is_null(source, COL_VF) ? 0 : source->vf;
	if (is_null(source, COL_S))
		return;
	t->texts++;
	if (t->least == NULL || strcmp(source->s, t->least->s) < 0)
		t->least = source;
}

/* Join the tables from number t on to the current rows. */
static void
join_from(Reference *ref, int t)
{
	const JoinStep *step = &ref->plan->step[t - 1];
	const bool	pairs = step->kind == STEP_INNER || step->kind == STEP_LEFT;
	uint32_t	matches = 0;

	if (ref->npairs >= PAIRS_MOST || ref->ngroups > GROUPS_MOST - 2)
		return;
	if (t > ref->plan->nsteps)
	{
		add_pair(ref);
		return;
	}
	for (uint32_t r = 0; r < sides[t].nrows && (pairs || matches == 0); r++)
		if (rows_match(ref, step, &sides[t].row[ref->order[t][r]]))
		{
			matches++;
			ref->at[t] = &sides[t].row[ref->order[t][r]];
			ref->number[t] = r;
			if (pairs)
				join_from(ref, t + 1);
		}
	seen.crowded += pairs && matches > 2000;
	ref->at[t] = NULL;
	if ((step->kind == STEP_SEMI && matches > 0) || ((step->kind == STEP_LEFT || step->kind == STEP_ANTI) && matches == 0))
	{
		seen.without += step->kind == STEP_LEFT;
		join_from(ref, t + 1);
	}
}

/* The table and the column by which compare_rows() sorts. */
static int	sorted_side;
static int	sorted_column;

static int
compare_rows(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *) a;
	const uint32_t y = *(const uint32_t *) b;
	const JoinRow *r = &sides[sorted_side].row[x];
	const JoinRow *s = &sides[sorted_side].row[y];
	int			c = r->null[sorted_column] - s->null[sorted_column];

	if (c == 0 && !r->null[sorted_column])
		c = compare_values(r, sorted_column, s, sorted_column);
	return c != 0 ? c : (x > y) - (x < y);
}

/* Compute the order of a table's rows: as they come, and if it is sorted, first by their values, NULLs last. */
static void
order_rows(Reference *ref, int t)
{
	const StepKey by = ref->plan->step[t - 1].by;

	for (uint32_t r = 0; r < sides[t].nrows; r++)
		ref->order[t][r] = r;
	sorted_side = t;
	sorted_column = step_keys[by].part[0].column;
	if (by >= BY_BOUNDS)
		qsort(ref->order[t], sides[t].nrows, sizeof(uint32_t), compare_rows);
}

/* Join all rows; return false if there are too many pairs or groups. */
static bool
compute_reference(const JoinPlan *plan)
{
	Reference  *ref = &reference;

	ref->plan = plan;
	ref->npairs = 0;
	ref->ngroups = plan->group_by == 0;
	memset(ref->bucket, 0xff, sizeof(ref->bucket));
	memset(&ref->totals[0], 0, sizeof(ref->totals[0]));
	for (int t = 1; t <= plan->nsteps; t++)
		order_rows(ref, t);
	for (ref->lane = 0; ref->lane < sides[0].nrows; ref->lane++)
		if (!selective || (selection[ref->lane / 64] >> (ref->lane % 64) & 1))
		{
			ref->at[0] = &sides[0].row[ref->lane];
			join_from(ref, 1);
		}
	return ref->npairs < PAIRS_MOST && ref->ngroups < GROUPS_MOST - 2;
}

/* Runs */

/* Disturbances of a run: pauses, and too little room. */
typedef struct Disturbance
{
	int32_t		first_yield;	/* instructions before the first pause; -1 = no pause */
	bool		yield_again;	/* true to pause again, a little later after each pause */
	bool		few_groups;		/* true to have little room for groups at first */
	bool		no_heap;		/* true to have no room for texts at first */
	bool		little_out;		/* true to have room for no more rows than a tile may return */
} Disturbance;

static const Disturbance undisturbed = {-1, false, false, false, false};

typedef struct Outcome
{
	DeviceStatus status;
	GroupTable	groups;
	uint32_t   *out[STEPS_MOST + 1];	/* rows returned, of each side */
	uint32_t	out_count;
	uint32_t	out_capacity;
	uint32_t	pauses;
} Outcome;

/* Grow a run's room for rows to `capacity`, with the rows that it has. */
static void
grow_output(VmRun *run, uint32_t capacity)
{
	uint32_t   *out = (uint32_t *) guard_alloc(capacity * sizeof(uint32_t), 4);
	uint32_t   *matches = (uint32_t *) guard_alloc(STEPS_MOST * capacity * sizeof(uint32_t), 4);

	for (size_t t = 0; t < STEPS_MOST && run->out_count > 0; t++)
		memcpy(matches + t * capacity, run->matches + t * run->out_capacity, run->out_count * sizeof(uint32_t));
	if (run->out_count > 0)
		memcpy(out, run->out, run->out_count * sizeof(uint32_t));
	guard_free(run->out, run->out_capacity * sizeof(uint32_t), 4);
	guard_free(run->matches, STEPS_MOST * run->out_capacity * sizeof(uint32_t), 4);
	run->out = out;
	run->matches = matches;
	run->out_capacity = capacity;
}

static void
outcome_free(Outcome *o)
{
	table_free(&o->groups);
	guard_free(o->out[0], o->out_capacity * sizeof(uint32_t), 4);
	guard_free(o->out[1], STEPS_MOST * o->out_capacity * sizeof(uint32_t), 4);
}

/* Run a program to its end, making a little room whenever it asks for it. */
static void
run_disturbed(const Interpreter *vm, const Program *program, const Disturbance *how, Outcome *o)
{
	VmRun		run;
	int32_t		yield = how->first_yield;

	table_open(&o->groups, program, program->grouped && !how->few_groups ? (uint32_t) reference.ngroups + 1 : 1,
			   how->no_heap ? 0 : ROOMY_HEAP + (uint64_t) reference.ngroups * 4 * (KEY_TEXT_ROOM + LONG_TEXT_ROOM));
	run_open(&run, program, BODY_NARROW, sides[0].tablet, vm->tile);
	run.tables = join_rows;
	run.groups = &o->groups;
	run.selected = selective ? selection : NULL;
	grow_output(&run, vm->tile + (how->little_out || !reference.plan->emits ? 0 : reference.npairs));
	run.yield_after = yield;
	o->pauses = 0;
	while ((o->status = vm->run(&run)) == STATUS_TIME_SLICE || o->status == STATUS_TABLE_FULL || o->status == STATUS_OUTPUT_FULL)
	{
		/* registers need not survive a pause */
		memset(run.values, 0xA5, (size_t) program->body[0].nregisters * vm->tile * 8);
		memset(run.nulls, 0xA5, (size_t) program->body[0].nregisters * vm->tile);
		if (o->status == STATUS_TABLE_FULL)
			table_grow(&o->groups, program->row_words, o->groups.capacity + 1 + o->groups.capacity / 16,
					   o->groups.heap_capacity + 3 + o->groups.heap_capacity / 16);
		if (o->status == STATUS_OUTPUT_FULL)
			grow_output(&run, run.out_capacity + 1 + vm->tile / 2);
		if (++o->pauses > PAUSES_MOST)
			break;
		run.yield_after = how->yield_again ? ++yield : -1;
	}
	o->out_count = run.out_count;
	o->out_capacity = run.out_capacity;
	o->out[0] = run.out;
	for (int t = 1; t <= STEPS_MOST; t++)
		o->out[t] = run.matches + (size_t) (t - 1) * run.out_capacity;
	run_close(&run, vm->tile);
}

/* Return true if rows of a side are among those returned. */
static bool
goes_out(const JoinPlan *plan, int t)
{
	return t == 0 || (t <= plan->nsteps && plan->step[t - 1].kind < STEP_SEMI);
}

static bool
same_outcome(const Outcome *a, const Outcome *b)
{
	const GroupTable *g = &a->groups;
	const GroupTable *h = &b->groups;

	for (int t = 0; t <= STEPS_MOST; t++)
		if (a->out_count != b->out_count || (goes_out(reference.plan, t) && memcmp(a->out[t], b->out[t], a->out_count * sizeof(uint32_t)) != 0))
			return false;
	return a->status == b->status && g->ngroups == h->ngroups && g->heap_used == h->heap_used && memcmp(g->heap, h->heap, g->heap_used) == 0 &&
		memcmp(g->hashes, h->hashes, g->ngroups * sizeof(uint64_t)) == 0 &&
		memcmp(g->rows, h->rows, (size_t) g->ngroups * g->row_words * sizeof(uint64_t)) == 0;
}

/* Describe a plan for a message of failure. */
static const char *
plan_text(const JoinPlan *plan)
{
	static const char *const kinds[] = {"inner", "left", "semi", "anti"};
	static char text[200];
	int			n = snprintf(text, sizeof(text), "%u rows", sides[0].nrows);

	for (int t = 1; t <= plan->nsteps; t++)
	{
		const JoinStep *step = &plan->step[t - 1];

		n += snprintf(text + n, sizeof(text) - (size_t) n, ", %s %u by %d of %d%s%s%s%s", kinds[step->kind], sides[t].nrows, step->by,
					  step->from, step->condition ? " if" : "", sides[t].table->unique ? " unique" : "",
					  sides[t].table->exact ? " exact" : "", sides[t].table->direct ? " direct" : "");
	}
	snprintf(text + n, sizeof(text) - (size_t) n, ", %d keys of %d", plan->group_by, plan->source);
	return text;
}

/* Return true if a row of a group table has the keys of a group. */
static bool
has_keys(const JoinPlan *plan, const GroupTable *groups, const uint64_t *row, const Totals *t)
{
	const char *key = is_null(t->source, COL_T) ? "" : t->source->t;

	if (plan->group_by > 0 &&
		((row[0] & 1) != is_null(t->source, COL_I) || (int64_t) row[1] != (is_null(t->source, COL_I) ? 0 : t->source->i)))
		return false;
	if (plan->group_by > 1 &&
		((row[0] >> 1 & 1) != is_null(t->source, COL_T) || row[3] != strlen(key) || memcmp(groups->heap + row[2], key, row[3]) != 0))
		return false;
	return plan->group_by < 3 || (row[0] >> 2 == t->row->null[COL_W] && wide_load(row + 4) == (t->row->null[COL_W] ? 0 : t->row->w));
}

/* Return the row of a group: where it was found first, or anywhere if the device has an order of its own. */
static const uint64_t *
row_of_group(const GroupTable *groups, int g)
{
	const JoinPlan *plan = reference.plan;
	uint32_t	at = (uint32_t) g;

	if (plan->without_least)
		for (at = 0; at + 1 < groups->ngroups && !has_keys(plan, groups, group_row(groups, at), &reference.totals[g]); at++)
			;
	return group_row(groups, at);
}

static void
compare_group(const Program *program, const GroupTable *groups, int g)
{
	const JoinPlan *plan = reference.plan;
	const Totals *t = &reference.totals[g];
	const uint64_t *row = row_of_group(groups, g);
	const uint16_t *word = program->state_word;
	double		vf = 0;

	tap_expect(has_keys(plan, groups, row, t), "%s: group %d: keys", plan_text(plan), g);
	tap_expect((int64_t) row[word[TOTAL_ALL]] == t->all && (int64_t) row[word[TOTAL_TEXTS]] == t->texts &&
			   (int64_t) row[word[TOTAL_FLAGS]] == t->flags, "%s: group %d: %lld, %lld and %lld instead of %lld, %lld and %lld", plan_text(plan),
			   g, (long long) row[word[TOTAL_ALL]], (long long) row[word[TOTAL_TEXTS]], (long long) row[word[TOTAL_FLAGS]],
			   (long long) t->all, (long long) t->texts, (long long) t->flags);
	tap_expect(wide_load(row + word[TOTAL_V]) == t->v && (plan->without_wide || wide_load(row + word[TOTAL_VW]) == t->vw), "%s: group %d: sums", plan_text(plan), g);
	/* values are small integers, so that no sum is rounded */
	tap_expect(float_total_value(row + word[TOTAL_VF], &vf) == STATUS_DONE && vf == t->vf, "%s: group %d: sum %g, not %g", plan_text(plan),
			   g, vf, t->vf);
	if (!plan->without_least)
	{
		const uint64_t *least = row + word[TOTAL_LEAST];
		const char *text = t->least ? t->least->s : "";

		tap_expect((least[1] == TEXT_STATE_NONE) == (t->least == NULL) &&
				   (t->least == NULL || ((uint32_t) least[1] == strlen(text) && memcmp(groups->heap + least[0], text, strlen(text)) == 0)),
				   "%s: group %d: least text", plan_text(plan), g);
	}
}

static void
compare_with_reference(const Program *program, const Outcome *o)
{
	const JoinPlan *plan = reference.plan;

	if (!tap_expect(o->status == STATUS_DONE, "%s: '%s'", plan_text(plan), status_text(o->status)))
		return;
	if (plan->emits)
	{
		if (tap_expect(o->out_count == reference.npairs, "%s: %u rows, not %u", plan_text(plan), o->out_count, reference.npairs))
			for (int t = 0; t <= plan->nsteps; t++)
				tap_expect(!goes_out(plan, t) || memcmp(o->out[t], reference.rows[t], o->out_count * sizeof(uint32_t)) == 0,
						   "%s: %u rows, but others of side %d", plan_text(plan), o->out_count, t);
		return;
	}
	if (!tap_expect(o->groups.ngroups == (uint32_t) reference.ngroups, "%s: %u groups, not %d", plan_text(plan), o->groups.ngroups,
					reference.ngroups))
		return;
	for (int g = 0; g < reference.ngroups; g++)
		compare_group(program, &o->groups, g);
}

/* Interrupt a run at every instruction and make its tables too small in several ways. */
static void
disturb(const Interpreter *vm, const Program *program, const Outcome *want)
{
	static Outcome got;
	Disturbance how = undisturbed;
	bool		paused = true;

	/* late instructions of a long run repeat earlier ones */
	for (int32_t at = 0; paused; at += at < 500 ? 1 : 13)
	{
		how.first_yield = at;
		run_disturbed(vm, program, &how, &got);
		paused = got.pauses > 0;
		tap_expect(same_outcome(want, &got), "%s: a yield after %d instructions changes the outcome", plan_text(reference.plan), at);
		outcome_free(&got);
	}
	for (int at = 0; at < 12; at++)
	{
		how = undisturbed;
		how.few_groups = how.little_out = at & 1;
		how.no_heap = at & 2;
		how.first_yield = at < 4 ? -1 : at;
		how.yield_again = at >= 4;
		run_disturbed(vm, program, &how, &got);
		tap_expect(same_outcome(want, &got), "%s: pauses or too little room (%d) change the outcome", plan_text(reference.plan), at);
		outcome_free(&got);
	}
}

/* Plans */

static void
note_program(const JoinPlan *plan, const Builder *b, uint32_t tile)
{
	seen.pairs += reference.npairs;
	seen.nested += b->open > 1 && reference.npairs > 3 * tile;
	seen.closed_in_open += b->closed > 0 && b->open > 1 && reference.npairs > 0;
	seen.emitted += plan->emits && b->open > 1 ? reference.npairs : 0;
	for (int t = 1; t <= plan->nsteps; t++)
	{
		seen.lookups += sides[t].table->unique && sides[t].table->nrows > 3;
		seen.hashes += !sides[t].table->exact;
		seen.ranges += sides[t].table->sorted && sides[t].table->nrows > 3 && reference.npairs > 0;
	}
}

/* Run a plan over the sides' rows; return false if there are too many pairs. */
static bool
try_plan(const Interpreter *vm, const JoinPlan *plan, bool disturbed)
{
	static Builder b;
	static Outcome plain;
	Program    *program;
	uint32_t	size;

	if (!compute_reference(plan))
		return false;
	store_sides(plan);
	program = build_program(&b, plan);
	size = program->size;
	if (tap_expect(program_verify(program, size) == STATUS_DONE, "%s is refused", plan_text(plan)) &&
		(vm->can_run == NULL || vm->can_run(program, BODY_NARROW)))
	{
		note_program(plan, &b, vm->tile);
		run_disturbed(vm, program, &undisturbed, &plain);
		tap_expect(plain.pauses == 0, "%u pauses although there is room", plain.pauses);
		compare_with_reference(program, &plain);
		if (disturbed)
			disturb(vm, program, &plain);
		outcome_free(&plain);
	}
	program_free(program, size);
	drop_sides(plan);
	return true;
}

static JoinStep
random_step(const JoinPlan *plan)
{
	JoinStep	step;

	step.kind = (StepKind) random_below(STEP_Count);
	step.by = (StepKey) random_below(BY_Count);
	step.condition = random_below(3) == 0;
	step.from = (int) random_below((uint32_t) plan->nsteps + 1);
	if (step.from > 0 && plan->step[step.from - 1].kind >= STEP_SEMI)
		step.from = 0;
	return step;
}

static void
random_rest(const Interpreter *vm, JoinPlan *plan)
{
	plan->group_by = (int) random_below(4);
	plan->source = (int) random_below((uint32_t) plan->nsteps + 1);
	if (plan->source > 0 && plan->step[plan->source - 1].kind >= STEP_SEMI)
		plan->source = 0;
	plan->jumps = random_below(3) > 0;
	plan->by_mask = random_below(3) == 0;
	plan->trusting = random_below(3) == 0;
	plan->without_least = vm->can_run != NULL;
	plan->without_wide = plan->without_least && random_below(2);
	if (plan->without_wide && plan->group_by > 1)
		plan->group_by = 1;
	plan->emits = !plan->without_least && random_below(4) == 0;
	if (plan->emits)
		plan->group_by = 0;
}

/* Select random rows, sometimes none or all of a word's; without `some` all rows count. */
static void
select_rows(bool some)
{
	selective = some;
	for (size_t w = 0; w < lengthof(selection); w++)
		selection[w] = random_below(4) == 0 ? 0 - random_below(2) : random_u64();
}

/* Test one join of each kind, by each kind of key, over tables of each kind. */
static void
test_steps(const Interpreter *vm)
{
	const uint32_t t = vm->tile;
	const uint32_t sizes[] = {2 * t + 1, t, t - 1, t + 1, 3 * t + 5, 33, 1, 0};
	const uint32_t table_sizes[] = {12, 40, 3, 1, 0, 100};
	uint32_t	trial = 0;

	begin_test(vm, "one join");
	for (int kind = 0; kind < STEP_Count; kind++)
		for (int by = 0; by < BY_Count; by++)
			for (int order = 0; order < KEYS_Count; order++)
				for (int variant = 0; variant < (tap_short() ? 2 : 6); variant++)
				{
					JoinPlan	plan;

					memset(&plan, 0, sizeof(plan));
					plan.nsteps = 1;
					plan.step[0].kind = (StepKind) kind;
					plan.step[0].by = (StepKey) by;
					plan.step[0].condition = variant % 2 == 1;
					random_rest(vm, &plan);
					fill_key_pool(random_below(3) > 0);
					fill_side(&sides[0], sizes[trial % lengthof(sizes)], KEYS_ANY, 16);
					fill_side(&sides[1], table_sizes[trial % lengthof(table_sizes)], (KeyOrder) order, 14);
					select_rows(random_below(2));
					trial++;
					try_plan(vm, &plan, false);
				}
	tap_end();
}

static void
random_plan(const Interpreter *vm, JoinPlan *plan, uint32_t rows_most, uint32_t table_rows_most)
{
	memset(plan, 0, sizeof(*plan));
	fill_key_pool(random_below(3) > 0);
	fill_side(&sides[0], random_below(rows_most + 1), (KeyOrder) random_below(KEYS_Count), 16);
	for (uint32_t steps = 1 + random_below(STEPS_MOST); plan->nsteps < (int) steps; plan->nsteps++)
	{
		const uint32_t n = random_below(random_below(5) ? 20 : table_rows_most);

		plan->step[plan->nsteps] = random_step(plan);
		fill_side(&sides[plan->nsteps + 1], n, (KeyOrder) random_below(KEYS_Count), 1 + random_below(14));
	}
	random_rest(vm, plan);
	select_rows(random_below(3) == 0);
}

static void
test_random(const Interpreter *vm)
{
	begin_test(vm, "random joins");
	for (int trial = 0; trial < (tap_short() ? 60 : 500); trial++)
	{
		JoinPlan	plan;

		random_plan(vm, &plan, 3 * vm->tile, 200);
		try_plan(vm, &plan, false);
	}
	tap_end();
}

/* Test lanes with thousands of rows, beside others with none. */
static void
test_crowds(const Interpreter *vm)
{
	begin_test(vm, "thousands of rows for a lane");
	for (int trial = 0; trial < (tap_short() ? 8 : 40); trial++)
	{
		JoinPlan	plan;

		do
		{
			random_plan(vm, &plan, 40, 4);
			plan.step[0].kind = trial % 2 ? STEP_LEFT : STEP_INNER;
			plan.step[0].by = trial % 4 < 2 ? BY_INT : (StepKey) random_below(BY_Count);
			plan.step[0].from = 0;
			fill_side(&sides[1], SIDE_ROWS_MOST - random_below(1000), KEYS_SKEWED, 14);
		} while (!try_plan(vm, &plan, false));
	}
	tap_end();
}

/* Test chains of joins with disturbances. */
static void
test_disturbed(const Interpreter *vm)
{
	static const struct
	{
		int			nsteps;
		StepKind	kind[STEPS_MOST];
		StepKey		by[STEPS_MOST];
		int			conditions;		/* steps that have a condition, a bit each */
		KeyOrder	order[STEPS_MOST];
		int			group_by;
		bool		emits;
	}			cases[] = {
		{1, {STEP_INNER, STEP_INNER, STEP_INNER}, {BY_INT, BY_INT, BY_INT}, 0, {KEYS_SKEWED, KEYS_ANY, KEYS_ANY}, 0, false},
		{2, {STEP_INNER, STEP_INNER, STEP_INNER}, {BY_INT, BY_TEXT, BY_INT}, 0, {KEYS_ANY, KEYS_ANY, KEYS_ANY}, 2, false},
		{2, {STEP_LEFT, STEP_LEFT, STEP_INNER}, {BY_PAIR, BY_INT, BY_INT}, 3, {KEYS_ANY, KEYS_ANY, KEYS_ANY}, 3, false},
		{2, {STEP_INNER, STEP_SEMI, STEP_INNER}, {BY_FLAG, BY_INT, BY_INT}, 2, {KEYS_ANY, KEYS_ANY, KEYS_ANY}, 1, false},
		{3, {STEP_ANTI, STEP_INNER, STEP_LEFT}, {BY_INT, BY_WIDE, BY_FLOAT}, 1, {KEYS_ANY, KEYS_UNIQUE, KEYS_ANY}, 2, false},
		{3, {STEP_INNER, STEP_LEFT, STEP_INNER}, {BY_INT, BY_MANY, BY_NOTHING}, 0, {KEYS_ANY, KEYS_ANY, KEYS_ANY}, 0, false},
		{2, {STEP_SEMI, STEP_ANTI, STEP_INNER}, {BY_TRIMMED, BY_INT, BY_INT}, 3, {KEYS_ANY, KEYS_ANY, KEYS_ANY}, 0, true},
		{3, {STEP_INNER, STEP_LEFT, STEP_LEFT}, {BY_INT, BY_FLOAT, BY_INT}, 2, {KEYS_ANY, KEYS_ANY, KEYS_UNIQUE}, 0, true},
		{3, {STEP_INNER, STEP_LEFT, STEP_ANTI}, {BY_BAND, BY_WIDE_BAND, BY_FLOAT_BAND}, 6, {KEYS_ANY, KEYS_ANY, KEYS_ANY}, 1, false},
		{2, {STEP_LEFT, STEP_SEMI, STEP_INNER}, {BY_BAND, BY_ABOVE, BY_INT}, 0, {KEYS_ANY, KEYS_ANY, KEYS_ANY}, 0, true},
	};

	begin_test(vm, "joins disturbed");
	for (size_t i = 0; i < lengthof(cases); i++)
	{
		JoinPlan	plan;

		do
		{
			random_plan(vm, &plan, 1, 1);
			plan.nsteps = cases[i].nsteps;
			fill_side(&sides[0], 2 * SMALL_TILE + 3, KEYS_ANY, 10);
			for (int t = 0; t < plan.nsteps; t++)
			{
				plan.step[t].kind = cases[i].kind[t];
				plan.step[t].by = cases[i].by[t];
				plan.step[t].from = t == 1 && cases[i].kind[0] == STEP_INNER ? 1 : 0;
				plan.step[t].condition = cases[i].conditions >> t & 1;
				fill_side(&sides[t + 1], plan.step[t].by == BY_NOTHING ? 3 : plan.step[t].by == BY_FLAG ? 8 : 30, cases[i].order[t], 10);
			}
			plan.group_by = cases[i].group_by;
			plan.source = cases[i].kind[0] < STEP_SEMI ? 1 : 0;
			plan.jumps = true;
			plan.emits = cases[i].emits;
			select_rows(i % 2);
		} while (!compute_reference(&plan) || reference.npairs > 3000 || reference.npairs < (plan.emits ? 5 : 200));
		try_plan(vm, &plan, true);
	}
	tap_end();
}

static void
test_seen(void)
{
	tap_ok(seen.pairs > 0 && seen.lookups > 0 && seen.hashes > 0 && seen.nested > 0 && seen.closed_in_open > 0 && seen.without > 0 &&
		   seen.emitted > 0 && seen.crowded > 0 && seen.ranges > 0, "joins of all kinds were tried");
	printf("# %u pairs; %u lookups, %u hashes, %u nested loops, %u closed in open, %u without a row, %u rows out, %u lanes with thousands, %u sorted tables\n",
		   seen.pairs, seen.lookups, seen.hashes, seen.nested, seen.closed_in_open, seen.without, seen.emitted, seen.crowded, seen.ranges);
}

int
main(void)
{
	for (size_t v = 0; v < lengthof(interpreters); v++)
	{
		test_steps(&interpreters[v]);
		test_random(&interpreters[v]);
		test_crowds(&interpreters[v]);
		/* only interpreters that can be resumed */
		if (interpreters[v].can_run == NULL)
			test_disturbed(&interpreters[v]);
	}
	test_seen();
	return tap_done();
}

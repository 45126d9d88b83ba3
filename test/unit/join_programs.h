/*
 * join_programs.h
 *		Random rows in a tablet and in the tables of joins, and programs that
 *		join them step by step, laid out as the compiler does: lookups where keys
 *		have one row, else loops over pairs, and loops of their own that mark the
 *		lanes which have a match.
 */
#ifndef GPUDB_TEST_JOIN_PROGRAMS_H
#define GPUDB_TEST_JOIN_PROGRAMS_H

#include "assembler.h"
#include "core/join/join_build.h"
#include "fixture.h"
#include "tap.h"

#define STEPS_MOST		3
#define SIDE_ROWS_MOST	4500
#define KEYS_MOST		64
#define KEY_TEXT_ROOM	16
#define LONG_TEXT_ROOM	28

/* columns of each side: keys, then values */
enum
{
	COL_I, COL_A, COL_B, COL_T, COL_W, COL_F, COL_FLAG, COL_V, COL_VW, COL_VF, COL_S, COL_Count
};

typedef struct JoinRow
{
	bool		null[COL_Count];
	bool		flag;
	int64_t		i;
	int64_t		a;				/* a and b together are a key */
	int64_t		b;
	char		t[KEY_TEXT_ROOM];
	Wide		w;
	double		f;
	int64_t		v;
	Wide		vw;
	double		vf;
	char		s[LONG_TEXT_ROOM];
} JoinRow;

/* A side of a join: side 0 is the tablet, others are tables, numbered as in programs. */
typedef struct Side
{
	JoinRow		row[SIDE_ROWS_MOST];
	uint32_t	nrows;
	Tablet	   *tablet;
	JoinTable  *table;
} Side;

static Side sides[STEPS_MOST + 1];
static JoinRows join_rows[STEPS_MOST];
static JoinRow key_pool[KEYS_MOST];
static uint16_t key_types[COL_Count];

/* Ways to choose the keys of a side's rows. */
typedef enum KeyOrder
{
	KEYS_UNIQUE, KEYS_ANY, KEYS_SKEWED, KEYS_Count
} KeyOrder;

/* Rows */

/* Return b such that the pair (a, b) has the hash of another pair. */
static inline int64_t
colliding(const JoinRow *other, int64_t a)
{
	const uint64_t odd = UINT64_C(0x9e3779b97f4a7c15);
	const uint64_t h = hash_combine(0, (uint64_t) other->a);
	const uint64_t g = hash_combine(0, (uint64_t) a);

	return (int64_t) ((h ^ ((uint64_t) other->b + odd + (h << 6) + (h >> 2)) ^ g) - odd - (g << 6) - (g >> 2));
}

/* Fill the pool of common keys: dense integers or any; texts that differ in blanks only; equal floats of other bits. */
static inline void
fill_key_pool(bool dense)
{
	static const double special[] = {0.0, -0.0, (double) NAN, (double) INFINITY, -(double) INFINITY, 1e30f, -1.5};
	const bool	narrow = random_below(2);

	for (uint32_t k = 0; k < KEYS_MOST; k++)
	{
		JoinRow    *row = &key_pool[k];

		memset(row, 0, sizeof(*row));
		row->i = dense ? (int64_t) k - 3 : random_int64();
		row->a = k == 0 ? INT64_MIN : k == 1 ? INT64_MAX : (int64_t) random_u64();
		row->b = k % 2 ? colliding(&key_pool[k - 1], row->a) : (int64_t) random_u64();
		snprintf(row->t, KEY_TEXT_ROOM, "%.*u%.*s", k < 2 ? 0 : 1 + (int) (k / 2) % 11, k < 2 ? 0 : k / 2, (int) (k % 2) * 2, "  ");
		row->w = narrow ? (Wide) k * 3 - 7 : (Wide) (k / 3) + (Wide) (((UWide) k % 3) << 64);
		row->f = k < lengthof(special) ? special[k] : k * 0.5;
		row->flag = k % 2;
	}
	for (int c = 0; c < COL_Count; c++)
		key_types[c] = COLTYPE_I64;
	key_types[COL_I] = dense ? COLTYPE_I16 : COLTYPE_I64;
	key_types[COL_W] = narrow ? COLTYPE_I64 : COLTYPE_I128;
}

/* Fill a side with `nrows` random rows, with keys from the first `nkeys` of the pool. */
static inline void
fill_side(Side *side, uint32_t nrows, KeyOrder order, uint32_t nkeys)
{
	static const uint32_t one_in[] = {0, 0, 5, 1};
	uint32_t	nulls[COL_Count];

	for (int c = 0; c < COL_Count; c++)
		nulls[c] = one_in[random_below(random_below(8) ? 3 : 4)];
	side->nrows = order == KEYS_UNIQUE && nrows > KEYS_MOST ? KEYS_MOST : nrows;
	for (uint32_t r = 0; r < side->nrows; r++)
	{
		JoinRow    *row = &side->row[r];
		const uint32_t k = order == KEYS_UNIQUE ? r : order == KEYS_SKEWED && random_below(30) ? 0 : random_below(nkeys);

		*row = key_pool[k];
		if (order != KEYS_UNIQUE && random_below(6) == 0)
		{
			row->f = key_pool[random_below(nkeys)].f;
			memcpy(row->t, key_pool[random_below(nkeys)].t, KEY_TEXT_ROOM);
			row->a = key_pool[random_below(nkeys)].a;
		}
		row->v = (int64_t) random_below(41) - 20;
		row->vw = random_wide() / ((int64_t) 1 << 40);
		row->vf = (double) random_below(2001) - 1000;
		snprintf(row->s, LONG_TEXT_ROOM, "%c%.*s%u", "az\xC3"[random_below(3)], (int) random_below(20), "mmmmmmmmmmmmmmmmmmmm", random_below(90));
		for (int c = 0; c < COL_Count; c++)
			row->null[c] = nulls[c] > 0 && random_below(nulls[c]) == 0;
	}
}

static inline void
store_side(Side *side)
{
	uint16_t	types[COL_Count];
	Tablet	   *tablet;

	memcpy(types, key_types, sizeof(types));
	types[COL_I] = key_types[COL_I] == COLTYPE_I64 ? COLTYPE_I64 : random_below(3) == 0 ? COLTYPE_I16 : random_below(2) ? COLTYPE_I32 : COLTYPE_I64;
	types[COL_T] = types[COL_S] = COLTYPE_TEXT;
	types[COL_W] = key_types[COL_W] == COLTYPE_I64 && random_below(2) ? COLTYPE_I64 : COLTYPE_I128;
	types[COL_F] = random_below(2) ? COLTYPE_F32 : COLTYPE_F64;
	types[COL_FLAG] = COLTYPE_BOOL;
	types[COL_VW] = COLTYPE_I128;
	types[COL_VF] = COLTYPE_F64;
	tablet = side->tablet = tablet_make(types, COL_Count, side->nrows, (uint64_t) side->nrows * (KEY_TEXT_ROOM + LONG_TEXT_ROOM));
	for (uint32_t r = 0; r < side->nrows; r++)
	{
		const JoinRow *row = &side->row[r];

		tablet_set_int(tablet, COL_I, r, row->i);
		tablet_set_int(tablet, COL_A, r, row->a);
		tablet_set_int(tablet, COL_B, r, row->b);
		tablet_set_text(tablet, COL_T, r, row->t, (uint32_t) strlen(row->t));
		tablet_set_int(tablet, COL_W, r, row->w);
		tablet_set_float(tablet, COL_F, r, row->f);
		tablet_set_int(tablet, COL_FLAG, r, row->flag);
		tablet_set_int(tablet, COL_V, r, row->v);
		tablet_set_int(tablet, COL_VW, r, row->vw);
		tablet_set_float(tablet, COL_VF, r, row->vf);
		tablet_set_text(tablet, COL_S, r, row->s, (uint32_t) strlen(row->s));
		for (int c = 0; c < COL_Count; c++)
			if (row->null[c])
				tablet_set_null(tablet, c, r);
	}
}

/* Steps */

typedef enum StepKind
{
	STEP_INNER, STEP_LEFT, STEP_SEMI, STEP_ANTI, STEP_Count
} StepKind;

typedef enum StepKey
{
	BY_INT, BY_FLAG, BY_INT_FLAG, BY_PAIR, BY_TEXT, BY_TRIMMED, BY_WIDE, BY_FLOAT, BY_MANY, BY_NOTHING,
	BY_ABOVE, BY_BAND, BY_WIDE_BAND, BY_FLOAT_BAND, BY_Count
} StepKey;

/* The first StepKey whose keys are bounds. */
#define BY_BOUNDS BY_ABOVE

typedef struct KeyPart
{
	uint16_t	column;
	uint16_t	form;			/* JoinKeyForm */
	uint16_t	op;
} KeyPart;

static const struct
{
	uint16_t	nparts;
	KeyPart		part[3];
}			step_keys[BY_Count] = {
	{1, {{COL_I, JOIN_KEY_INTEGER, VMOP_JOIN_I}}},
	{1, {{COL_FLAG, JOIN_KEY_INTEGER, VMOP_JOIN_I}}},
	{2, {{COL_FLAG, JOIN_KEY_INTEGER, VMOP_JOIN_I}, {COL_I, JOIN_KEY_INTEGER, VMOP_JOIN_I}}},
	{2, {{COL_A, JOIN_KEY_INTEGER, VMOP_JOIN_I}, {COL_B, JOIN_KEY_INTEGER, VMOP_JOIN_I}}},
	{1, {{COL_T, JOIN_KEY_TEXT, VMOP_JOIN_T}}},
	{1, {{COL_T, JOIN_KEY_TRIMMED, VMOP_JOIN_T}}},
	{1, {{COL_W, JOIN_KEY_INTEGER, VMOP_JOIN_W}}},
	{1, {{COL_F, JOIN_KEY_FLOAT, VMOP_JOIN_I}}},
	{3, {{COL_F, JOIN_KEY_FLOAT, VMOP_JOIN_I}, {COL_T, JOIN_KEY_TEXT, VMOP_JOIN_T}, {COL_W, JOIN_KEY_INTEGER, VMOP_JOIN_W}}},
	{0, {{0, 0, 0}}},
	{1, {{COL_I, JOIN_KEY_INTEGER, 0}}},
	{1, {{COL_V, JOIN_KEY_INTEGER, 0}}},
	{1, {{COL_V, JOIN_KEY_INTEGER, 0}}},
	{1, {{COL_F, JOIN_KEY_FLOAT, 0}}}
};

/* Columns of the other side that bound the table's column; COL_Count = no bound. */
typedef struct StepBounds
{
	int			lower;
	bool		above;			/* true if the lower bound is exclusive */
	int			upper;
	bool		below;
} StepBounds;

static const StepBounds step_bounds[BY_Count - BY_BOUNDS] = {
	{COL_I, true, COL_Count, false},
	{COL_V, false, COL_I, true},
	{COL_W, true, COL_VW, false},
	{COL_F, false, COL_VF, false}
};

typedef struct JoinStep
{
	StepKind	kind;
	StepKey		by;
	int			from;			/* side whose columns the key is compared with */
	bool		condition;		/* true if v of side 0 <= v of the table is also required */
} JoinStep;

typedef struct JoinPlan
{
	JoinStep	step[STEPS_MOST];
	int			nsteps;
	int			group_by;		/* number of keys, of i and t of the source and w of side 0 */
	int			source;			/* side whose values are added up */
	bool		emits;			/* true to return row numbers instead */
	bool		without_least;	/* true to have no state of a text, for devices without a heap */
	bool		without_wide;	/* true to use no 128-bit values, for the accumulator machine */
	bool		jumps;			/* true to jump where no lane is left */
	bool		by_mask;		/* true to choose lanes by the loop's mask where a filter would do */
	bool		trusting;		/* true not to test keys again where hashes are equal, except BY_PAIR's */
} JoinPlan;

/* Build the table of a step. */
static inline void
build_step_table(const JoinStep *step, int t)
{
	Side	   *side = &sides[t];
	JoinKey		key[3];
	JoinTable	head;
	uint64_t   *words = (uint64_t *) guard_alloc(side->nrows * sizeof(uint64_t), 8);
	uint8_t    *nulls = (uint8_t *) guard_alloc(side->nrows, 1);
	JoinTable  *table;

	for (uint16_t p = 0; p < step_keys[step->by].nparts; p++)
	{
		key[p].column = step_keys[step->by].part[p].column;
		key[p].form = step_keys[step->by].part[p].form;
	}
	if (step->by >= BY_BOUNDS)
		tap_expect(join_plan_sorted(&head, side->tablet, key), "integers and floats have no order");
	else
		join_plan(&head, side->tablet, key, step_keys[step->by].nparts);
	table = (JoinTable *) guard_alloc(join_table_bytes(&head, side->nrows), 64);
	*table = head;
	join_words(&head, side->tablet, key, words, nulls);
	if (head.sorted)
		join_sort(table, side->tablet, words, nulls);
	else
		join_build(table, words, nulls, side->nrows);
	side->table = (JoinTable *) guard_alloc(table->size, 64);
	memcpy(side->table, table, table->size);
	guard_free(table, join_table_bytes(&head, side->nrows), 64);
	guard_free(words, side->nrows * sizeof(uint64_t), 8);
	guard_free(nulls, side->nrows, 1);
	join_rows[t - 1].table = side->table;
	join_rows[t - 1].rows = side->tablet;
}

/* Build the tablet and the tables of a plan from the rows of its sides. */
static inline void
store_sides(const JoinPlan *plan)
{
	for (int t = 0; t <= plan->nsteps; t++)
	{
		store_side(&sides[t]);
		if (t > 0)
			build_step_table(&plan->step[t - 1], t);
	}
}

static inline void
drop_sides(const JoinPlan *plan)
{
	for (int t = 0; t <= plan->nsteps; t++)
	{
		if (t > 0)
			guard_free(sides[t].table, sides[t].table->size, 64);
		tablet_free(sides[t].tablet);
	}
}

/* Programs */

typedef struct Builder
{
	Assembler	as;
	const JoinPlan *plan;
	int			next;			/* first free register; all above are free */
	int			zero;			/* registers of constants: 0, */
	int			all;			/* a rank above all rows, */
	int			yes;
	int			no;
	int			bounds;			/* words of the least and largest int64 */
	int			lane;			/* register of the tablet's rows; 0 = lanes are the rows */
	int			row[STEPS_MOST + 1];	/* registers of each table's rows; 0 = none */
	int			open;			/* number of open loops */
	int			closed;
} Builder;

/* Emit an instruction whose result gets a register of its own. */
static inline Instr *
build(Builder *b, Opcode op, int first, int second, int imm)
{
	const int	dst = b->next;

	b->next += op_info[op].dst == KIND_W ? 2 : op_info[op].dst == KIND__ ? 0 : 1;
	return asm_emit(&b->as, op, op_info[op].dst == KIND__ ? 0 : dst, first, second, 0, imm);
}

/* Emit the load or fetch of a column in the current lanes, and return its register. */
static inline int
build_column(Builder *b, int side, int c)
{
	const OperandKind kind = c == COL_T || c == COL_S ? KIND_T : c == COL_W || c == COL_VW ? KIND_W : c == COL_F || c == COL_VF ? KIND_F
		: c == COL_FLAG ? KIND_B : KIND_I;
	const Opcode load = kind == KIND_T ? VMOP_LOAD_T : kind == KIND_W ? VMOP_LOAD_W : kind == KIND_F ? VMOP_LOAD_F : kind == KIND_B ? VMOP_LOAD_B
		: VMOP_LOAD_I;
	const Opcode fetch = kind == KIND_T ? VMOP_FETCH_T : kind == KIND_W ? VMOP_FETCH_W : kind == KIND_F ? VMOP_FETCH_F
		: kind == KIND_B ? VMOP_FETCH_B : VMOP_FETCH_I;
	Instr	   *in;

	if (side == 0 && b->lane == 0)
		return build(b, load, 0, 0, c)->dst;
	in = build(b, fetch, side == 0 ? b->lane : b->row[side], 0, side == 0 ? 0 : b->bounds);
	in->c = FETCH_OF(side, c);
	return in->dst;
}

static inline int
build_key(Builder *b, int side, const KeyPart *part)
{
	const int	value = build_column(b, side, part->column);

	if (part->column == COL_FLAG)
		return build(b, VMOP_BOOL_TO_INT, value, 0, 0)->dst;
	if (part->form == JOIN_KEY_FLOAT)
		return build(b, VMOP_FLOAT_WORD, value, 0, 0)->dst;
	return part->form == JOIN_KEY_TRIMMED ? build(b, VMOP_TRIM_T, value, 0, 0)->dst : value;
}

/* Emit the rank of another side's value in a table, and return its register. */
static inline int
build_rank(Builder *b, int t, int c, bool or_equal)
{
	int			value = build_column(b, b->plan->step[t - 1].from, c);
	Instr	   *in;

	if (c == COL_F || c == COL_VF)
		value = build(b, VMOP_FLOAT_WORD, value, 0, 0)->dst;
	in = build(b, c == COL_W || c == COL_VW ? VMOP_RANK_W : VMOP_RANK_I, value, 0, t);
	in->c = or_equal;
	return in->dst;
}

/* Emit the span of rows within a step's bounds. */
static inline void
build_range(Builder *b, int t, int found)
{
	const StepBounds *bounds = &step_bounds[b->plan->step[t - 1].by - BY_BOUNDS];
	const int	first = bounds->lower < COL_Count ? build_rank(b, t, bounds->lower, bounds->above) : b->zero;
	const int	end = bounds->upper < COL_Count ? build_rank(b, t, bounds->upper, !bounds->below) : b->all;

	asm_emit(&b->as, VMOP_RANGE, found, first, end, 0, t);
}

/* Emit the lookup of a step's keys, and return the register of rows or spans. */
static inline int
build_find(Builder *b, int t)
{
	const JoinStep *step = &b->plan->step[t - 1];
	const int	found = b->next++;
	int			word = b->zero;

	if (step->by >= BY_BOUNDS)
	{
		build_range(b, t, found);
		b->next = found + 1;
		return found;
	}
	for (uint16_t p = 0; p < step_keys[step->by].nparts; p++)
	{
		const KeyPart *part = &step_keys[step->by].part[p];
		const int	key = build_key(b, step->from, part);
		Instr	   *in = build(b, (Opcode) part->op, key, word, t);

		in->c = p;
		word = in->dst;
	}
	asm_emit(&b->as, sides[t].table->unique ? VMOP_PROBE : VMOP_SPAN, found, word, 0, 0, t);
	b->next = found + 1;
	return found;
}

static inline void
build_filter(Builder *b, int condition)
{
	asm_emit(&b->as, VMOP_FILTER, 0, condition, 0, 0, 0);
	if (b->plan->jumps)
		asm_emit(&b->as, VMOP_JUMP_NONE, 0, 0, 0, 0, 0);
}

/*
 * Return how many key parts are tested again on a found row: all where hashes are compared. The
 * plan's condition follows.
 */
static inline int
keys_again(const Builder *b, int t)
{
	const StepKey by = b->plan->step[t - 1].by;

	return sides[t].table->exact || (b->plan->trusting && by != BY_PAIR) ? 0 : step_keys[by].nparts;
}

static inline int
others_of(const Builder *b, int t)
{
	return keys_again(b, t) + b->plan->step[t - 1].condition;
}

static inline int
build_other(Builder *b, int t, int number)
{
	const JoinStep *step = &b->plan->step[t - 1];
	const KeyPart *part = &step_keys[step->by].part[number];
	int			have;
	int			want;

	if (number == keys_again(b, t))
	{
		have = build_column(b, 0, COL_V);
		want = build_column(b, t, COL_V);
		return build(b, VMOP_LE_I, have, want, 0)->dst;
	}
	have = build_key(b, step->from, part);
	want = build_key(b, t, part);
	return build(b, part->op == VMOP_JOIN_T ? VMOP_EQ_T : part->op == VMOP_JOIN_W ? VMOP_EQ_W : VMOP_EQ_I, have, want, 0)->dst;
}

static inline void
filter_others(Builder *b, int t)
{
	const int	next = b->next;

	for (int n = 0; n < others_of(b, t); n++)
	{
		build_filter(b, build_other(b, t, n));
		b->next = next;
	}
}

/* Emit the AND of all conditions on a found row, and return its register; 0 if there are none. */
static inline int
all_others(Builder *b, int t)
{
	int			all = 0;

	for (int n = 0; n < others_of(b, t); n++)
	{
		const int	one = build_other(b, t, n);

		all = all == 0 ? one : build(b, VMOP_AND, all, one, 0)->dst;
	}
	return all;
}

/* Begin a loop over the pairs of found rows; rows found before are picked for each pair by its lane. */
static inline int
begin_loop(Builder *b, int t, int found, int marks, int flags)
{
	const int	chosen = b->plan->by_mask && flags == 0 ? build(b, VMOP_FOUND_S, found, 0, 0)->dst : b->yes;
	const int	mask = build(b, VMOP_MASK_TRUE, chosen, 0, 0)->dst;
	Instr	   *in = build(b, VMOP_EXPAND, found, marks, 0);
	const int	pairs = in->dst;
	int			lane;

	in->m = (uint16_t) mask;
	in->c = (uint16_t) (t << 4 | flags);
	lane = build(b, VMOP_LANE, pairs, 0, 0)->dst;
	b->lane = b->lane == 0 ? lane : build(b, VMOP_PICK_R, b->lane, lane, 0)->dst;
	for (int k = 1; k < t; k++)
		if (b->row[k] != 0)
			b->row[k] = build(b, VMOP_PICK_R, b->row[k], lane, 0)->dst;
	b->row[t] = build(b, VMOP_MATCH, pairs, 0, 0)->dst;
	return pairs;
}

/* Emit a closed loop that marks the lanes with a row that meets all conditions; return the register of marks. */
static inline int
build_marks(Builder *b, int t, int found)
{
	const int	marks = build(b, VMOP_CLEAR, 0, 0, 0)->dst;
	const int	lane = b->lane;
	const int	next = b->next;
	int			row[STEPS_MOST + 1];
	int			pairs;

	memcpy(row, b->row, sizeof(row));
	pairs = begin_loop(b, t, found, marks, EXPAND_CLOSED | EXPAND_ONCE);
	filter_others(b, t);
	asm_emit(&b->as, VMOP_MARK, 0, pairs, marks, 0, 0);
	asm_emit(&b->as, VMOP_AGAIN, 0, 0, 0, 0, 0);
	b->lane = lane;
	memcpy(b->row, row, sizeof(row));
	b->next = next;
	b->closed++;
	return marks;
}

static inline void
build_inner(Builder *b, int t, int found)
{
	if (sides[t].table->unique)
	{
		build_filter(b, build(b, VMOP_FOUND_R, found, 0, 0)->dst);
		b->row[t] = found;
	}
	else
	{
		if (!b->plan->by_mask)
			build_filter(b, build(b, VMOP_FOUND_S, found, 0, 0)->dst);
		begin_loop(b, t, found, b->no, 0);
		b->open++;
	}
	filter_others(b, t);
}

static inline void
build_left(Builder *b, int t, int found)
{
	int			condition;

	if (sides[t].table->unique)
	{
		b->row[t] = found;
		condition = all_others(b, t);
		if (condition != 0 || b->plan->by_mask)
			b->row[t] = build(b, VMOP_KEEP_R, found, condition != 0 ? condition : b->yes, 0)->dst;
		return;
	}
	b->open++;
	if (others_of(b, t) == 0)
	{
		begin_loop(b, t, found, build(b, VMOP_FOUND_S, found, 0, 0)->dst, EXPAND_OUTER);
		return;
	}
	begin_loop(b, t, found, build_marks(b, t, found), EXPAND_OUTER);
	condition = build(b, VMOP_IS_TRUE, all_others(b, t), 0, 0)->dst;
	found = build(b, VMOP_FOUND_R, b->row[t], 0, 0)->dst;
	found = build(b, VMOP_NOT, found, 0, 0)->dst;
	build_filter(b, build(b, VMOP_OR, condition, found, 0)->dst);
}

static inline void
build_semi(Builder *b, int t, int found)
{
	int			has;
	int			condition;

	if (sides[t].table->unique)
	{
		b->row[t] = found;
		condition = all_others(b, t);
		b->row[t] = 0;
		has = build(b, VMOP_FOUND_R, found, 0, 0)->dst;
		if (condition != 0)
			has = build(b, VMOP_AND, has, build(b, VMOP_IS_TRUE, condition, 0, 0)->dst, 0)->dst;
	}
	else
		has = others_of(b, t) == 0 ? build(b, VMOP_FOUND_S, found, 0, 0)->dst : build_marks(b, t, found);
	build_filter(b, b->plan->step[t - 1].kind == STEP_ANTI ? build(b, VMOP_NOT, has, 0, 0)->dst : has);
}

/* States of the program's groups, in the order of build_totals(). */
enum
{
	TOTAL_ALL, TOTAL_TEXTS, TOTAL_FLAGS, TOTAL_V, TOTAL_VW, TOTAL_VF, TOTAL_LEAST
};

static inline void
build_totals(Builder *b)
{
	static const uint8_t kinds[] = {STATE_COUNT, STATE_COUNT, STATE_COUNT, STATE_SUM, STATE_SUM, STATE_SUM_F, STATE_MIN_T};
	static const KeyPart text = {COL_T, JOIN_KEY_TEXT, 0};
	static const KeyPart integer = {COL_I, JOIN_KEY_INTEGER, 0};
	Assembler  *as = &b->as;
	const int	on = b->plan->group_by > 0;
	const int	side = b->plan->source;
	const int	s = build_column(b, side, COL_S);
	const int	v = build_column(b, 0, COL_V);
	const int	vw = b->plan->without_wide ? 0 : build_column(b, side, COL_VW);
	const int	vf = build_column(b, side, COL_VF);
	const int	mask = build(b, VMOP_MASK_TRUE, build_column(b, side, COL_FLAG), 0, 0)->dst;
	int			g = 0;
	int			word[lengthof(kinds)];

	if (on)
		g = build(b, VMOP_KEY_I, build_key(b, side, &integer), b->zero, asm_key(as, KEY_WORD))->dst;
	if (b->plan->group_by > 1)
		g = build(b, VMOP_KEY_T, build_key(b, side, &text), g, asm_key(as, KEY_TEXT))->dst;
	if (b->plan->group_by > 2)
		g = build(b, VMOP_KEY_W, build_column(b, 0, COL_W), g, asm_key(as, KEY_WIDE))->dst;
	if (on)
		g = build(b, VMOP_GROUP, g, 0, 0)->dst;
	for (size_t k = 0; k < lengthof(kinds) - b->plan->without_least; k++)
		word[k] = asm_state(as, (StateKind) kinds[k]);
	if (!b->plan->without_least)
		asm_emit(as, on ? VMOP_RESERVE_T_G : VMOP_RESERVE_T, 0, s, g, 0, word[TOTAL_LEAST]);
	asm_emit(as, on ? VMOP_COUNT_G : VMOP_COUNT, 0, 0, g, 0, word[TOTAL_ALL]);
	asm_emit(as, on ? VMOP_COUNT_G : VMOP_COUNT, 0, s, g, 0, word[TOTAL_TEXTS]);
	asm_emit(as, on ? VMOP_COUNT_G : VMOP_COUNT, 0, 0, g, mask, word[TOTAL_FLAGS]);
	asm_emit(as, on ? VMOP_SUM_I_G : VMOP_SUM_I, 0, v, g, 0, word[TOTAL_V]);
	if (!b->plan->without_wide)
		asm_emit(as, on ? VMOP_SUM_W_G : VMOP_SUM_W, 0, vw, g, 0, word[TOTAL_VW]);
	asm_emit(as, on ? VMOP_SUM_F_G : VMOP_SUM_F, 0, vf, g, 0, word[TOTAL_VF]);
	if (!b->plan->without_least)
		asm_emit(as, on ? VMOP_MIN_T_G : VMOP_MIN_T, 0, s, g, 0, word[TOTAL_LEAST]);
}

/* Emit the output of rows with their tables' rows. */
static inline void
build_rows_out(Builder *b)
{
	asm_emit(&b->as, VMOP_EMIT, 0, 0, 0, 0, 0);
	if (b->lane != 0)
		asm_emit(&b->as, VMOP_EMIT_ROW, 0, b->lane, 0, 0, 0);
	for (int t = 1; t <= b->plan->nsteps; t++)
		if (b->row[t] != 0)
			asm_emit(&b->as, VMOP_EMIT_ROW, 0, b->row[t], 0, 0, t);
}

/* Link each EXPAND with its AGAIN, and direct jumps in a loop to its end. */
static inline void
asm_close_loops(Assembler *as)
{
	Instr	   *code = as->code[0];
	int			start[PROGRAM_MAX_LOOPS + 2];
	int			depth = 0;

	for (int pc = 0; pc < as->count[0]; pc++)
		if (code[pc].op == VMOP_EXPAND)
			start[depth++] = pc;
		else if (code[pc].op == VMOP_AGAIN && depth > 0)
		{
			code[pc].imm = start[--depth];
			code[code[pc].imm].imm = pc;
		}
	for (int pc = 0; pc < as->count[0]; pc++)
		for (int outer = pc; outer >= 0 && code[pc].op == VMOP_JUMP_NONE && code[pc].imm == 0; outer--)
			if (code[outer].op == VMOP_EXPAND && code[outer].imm > pc)
				code[pc].imm = code[outer].imm;
}

/* Begin the program of a plan, whose tables are built, with its constants and its joins. */
static inline void
build_joins(Builder *b, const JoinPlan *plan)
{
	memset(b, 0, sizeof(*b));
	asm_init(&b->as, COL_Count, !plan->emits);
	b->as.shape.ntables = (uint16_t) plan->nsteps;
	b->plan = plan;
	b->next = 1;
	b->zero = build(b, VMOP_CONST_I, 0, 0, asm_word(&b->as, 0))->dst;
	b->all = build(b, VMOP_CONST_I, 0, 0, asm_word(&b->as, UINT32_MAX))->dst;
	b->yes = build(b, VMOP_CONST_B, 0, 0, asm_word(&b->as, 1))->dst;
	b->no = build(b, VMOP_CONST_B, 0, 0, asm_word(&b->as, 0))->dst;
	b->bounds = asm_wide(&b->as, INT64_MIN);
	asm_wide(&b->as, INT64_MAX);
	for (int t = 1; t <= plan->nsteps; t++)
	{
		const int	found = build_find(b, t);

		if (plan->step[t - 1].kind == STEP_INNER)
			build_inner(b, t, found);
		else if (plan->step[t - 1].kind == STEP_LEFT)
			build_left(b, t, found);
		else
			build_semi(b, t, found);
	}
}

/* End the program, and return it. */
static inline Program *
build_end(Builder *b)
{
	for (int loop = 0; loop < b->open; loop++)
		asm_emit(&b->as, VMOP_AGAIN, 0, 0, 0, 0, 0);
	asm_close_loops(&b->as);
	return asm_finish(&b->as);
}

static inline Program *
build_program(Builder *b, const JoinPlan *plan)
{
	build_joins(b, plan);
	if (plan->emits)
		build_rows_out(b);
	else
		build_totals(b);
	return build_end(b);
}

#endif							/* GPUDB_TEST_JOIN_PROGRAMS_H */

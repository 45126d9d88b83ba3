/*
 * vm_rows.h
 *		Random rows in a tablet, and runs of a program over them that are
 *		interrupted at every instruction and given too little room.
 */
#ifndef GPUDB_TEST_VM_ROWS_H
#define GPUDB_TEST_VM_ROWS_H

#include "assembler.h"
#include "fixture.h"
#include "core/tablet/for_encoding.h"
#include "interpreters.h"
#include "tap.h"

#define MAX_ROWS	(4 * LARGE_TILE)
#define MAX_GROUPS	MAX_ROWS
#define ROW_TEXT	8
#define ROW_LONG_TEXT	80
#define ROOMY_HEAP	(60 * GUARD_PAGE)

/* columns of the tablet */
enum
{
	COL_PASS, COL_SOME, COL_KEY_I, COL_KEY_W, COL_KEY_T, COL_I, COL_W, COL_F, COL_BY, COL_WITH, COL_T,
	COL_Count
};

static const uint16_t column_types[COL_Count] = {
	COLTYPE_BOOL, COLTYPE_BOOL, COLTYPE_I32, COLTYPE_I128, COLTYPE_TEXT, COLTYPE_I64, COLTYPE_I128, COLTYPE_F64,
	COLTYPE_I128, COLTYPE_I128, COLTYPE_TEXT
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
	Wide		by;
	Wide		with;			/* companion of `by`, NULL where `by` is */
	char		t[ROW_LONG_TEXT];
} Row;

static Row	rows[MAX_ROWS];
static uint32_t nrows;
static uint64_t selection[MAX_ROWS / 64 + 1];
static bool selective;			/* true if only rows of the selection count */

static inline bool
is_selected(uint32_t row)
{
	return !selective || (selection[row / 64] >> (row % 64) & 1);
}

/* Result of a run. */
typedef struct Outcome
{
	DeviceStatus status;
	GroupTable	groups;
	uint32_t   *out;
	uint32_t	out_count;
	uint32_t	out_capacity;
	uint32_t	pauses;			/* times that the run was resumed */
} Outcome;

/* Disturbances of a run: pauses, and too little room. */
typedef struct Disturbance
{
	int32_t		first_yield;	/* instructions before the first pause; -1 = no pause */
	bool		yield_again;	/* true to pause again, a little later after each pause */
	uint32_t	groups;			/* initial room for groups */
	uint32_t	heap;
	uint32_t	out;
	uint32_t	growth;			/* rows by which a full output grows */
	bool		drain;			/* true to take rows out of a full output instead */
} Disturbance;

static const Disturbance undisturbed = {-1, false, MAX_GROUPS, ROOMY_HEAP, MAX_ROWS + LARGE_TILE, 0, false};

static double
moderate_double(void)
{
	return ((double) (int64_t) random_u64()) / (double) ((int64_t) 1 << random_below(63)) * (random_below(2) ? 1e-3 : 1e6);
}

/* Make n random rows with at most `keys` distinct keys of each kind; whole tiles may fail the filter. */
static inline void
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
		row->by = (Wide) ((int64_t) random_below(7) - 3) * ((Wide) 1 << (random_below(3) ? 0 : 90));
		row->with = (Wide) random_below(2) << 100;
		row->null[COL_WITH] = row->null[COL_BY];
		snprintf(row->t, ROW_LONG_TEXT, "%c%.*s%u", "ab\xC3"[random_below(3)], (int) random_below(random_below(6) ? 3 : 70),
				 "mmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmm", random_below(10));
		if (random_below(9) == 0)
			row->t[0] = '\0';
	}
}

static inline Tablet *
store_rows(void)
{
	Tablet	   *tablet = tablet_make(column_types, COL_Count, nrows, (uint64_t) nrows * (ROW_TEXT + ROW_LONG_TEXT));
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
		tablet_set_int(tablet, COL_BY, r, row->by);
		tablet_set_int(tablet, COL_WITH, r, row->with);
		tablet_set_text(tablet, COL_T, r, row->t, (uint32_t) strlen(row->t));
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

/* Store a column's integers in a frame-of-reference encoding at least as wide as `least`; NULLs get random values. */
static void
store_in_encoding(Tablet *tablet, TabletColumn *column, uint16_t least)
{
	const uint32_t bytes = coltype_bytes((ColType) column->type);
	const size_t size = (size_t) bytes * tablet->nrows;
	uint8_t    *values = tablet_at(tablet, column->values);
	uint8_t    *packed = (uint8_t *) guard_alloc(size, 16);
	ForRange	range = {0, 0, 0};
	ForEncoding	encoding;
	uint32_t	r;

	for (r = 0; r < tablet->nrows; r++)
	{
		const Wide	v = bytes == 16 ? wide_load((uint64_t *) values + 2 * r) : bytes == 8 ? ((int64_t *) values)[r] : ((int32_t *) values)[r];

		range.min = v < range.min ? v : range.min;
		range.max = v > range.max ? v : range.max;
		range.differing |= (uint64_t) v;
	}
	encoding = for_choose(&range, least);
	tap_expect(coltype_bytes((ColType) encoding.type) <= bytes && for_pack(&encoding, (ColType) column->type, values, tablet->nrows, packed),
			   "the encoding of a column");
	memcpy(values, packed, (size_t) coltype_bytes((ColType) encoding.type) * tablet->nrows);
	guard_free(packed, size, 16);
	column->type = encoding.type;
	column->shift = encoding.shift;
	column->base = encoding.base;
	for (r = 0; r < tablet->nrows; r++)
		if (tablet_is_null(tablet, column, r))
			for (uint32_t b = 0; b < coltype_bytes((ColType) encoding.type); b++)
				values[(size_t) r * coltype_bytes((ColType) encoding.type) + b] = (uint8_t) random_u64();
}

/* Reduce all integers to few bits. */
static inline void
narrow_rows(void)
{
	const uint32_t shift = random_below(8) * 8;
	const Wide	least = -(Wide) random_below(100);

	for (uint32_t r = 0; r < nrows; r++)
	{
		rows[r].key_w >>= 60;
		rows[r].i = (int64_t) ((uint64_t) (rows[r].i % 100) << shift);
		rows[r].w = least + rows[r].w % 300 * ((int64_t) 1 << shift / 2);
		rows[r].by = rows[r].by % 4;
	}
}

/* Store a tablet's columns as cached tablets have them. */
static inline void
store_in_encodings(Tablet *tablet)
{
	const uint16_t least[] = {COLTYPE_SAME, COLTYPE_SAME, COLTYPE_U8, COLTYPE_U16, COLTYPE_U32};

	for (uint32_t c = 0; c < tablet->ncols; c++)
		if (coltype_integer((ColType) tablet->column[c].type))
			store_in_encoding(tablet, &tablet->column[c], least[random_below(coltype_bytes((ColType) tablet->column[c].type) > 4 ? 5 : 3)]);
}

/* registers of all scenarios */
enum
{
	R_SELECTION, R_PASS, R_SOME, R_MASK, R_KEY_I, R_KEY_W, R_KEY_W2, R_KEY_T, R_I, R_W, R_W2, R_F,
	R_HASH0, R_HASH1, R_HASH2, R_HASH3, R_GROUP, R_BY, R_BY2, R_WITH, R_WITH2, R_T,
	R_Count
};

static void
emit_filter(Assembler *as)
{
	asm_emit(as, VMOP_LOAD_B, R_PASS, 0, 0, 0, COL_PASS);
	asm_emit(as, VMOP_FILTER, 0, R_PASS, 0, 0, 0);
	asm_emit(as, VMOP_JUMP_NONE, 0, 0, 0, 0, 0);
}

static inline void
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

/* Return the next size of a heap: it grows by few bytes at first, and never by much where groups lack room. */
static uint64_t
more_heap(uint64_t capacity)
{
	return capacity + (capacity < ROOMY_HEAP ? 2 + capacity / 8 : 256);
}

/*
 * Insert the groups of a tablet in the order of their first rows, as the CPU finds them, with
 * initial states: a GPU finds groups in any order.
 */
static void
prepare_groups(const Program *program, const Tablet *tablet, GroupTable *groups)
{
	GroupTable	found;
	VmRun		run;

	table_open(&found, program, MAX_GROUPS, ROOMY_HEAP);
	run_open(&run, program, BODY_NARROW, tablet, LARGE_TILE);
	run.groups = &found;
	run.selected = selective ? selection : NULL;
	run.out = (uint32_t *) guard_alloc((MAX_ROWS + LARGE_TILE) * sizeof(uint32_t), 4);
	run.out_capacity = MAX_ROWS + LARGE_TILE;
	(void) vm_run_large(&run);
	for (uint32_t g = 0; program->grouped && g < found.ngroups; g++)
	{
		GroupKey	key;

		group_key_of_row(program, &found, g, &key);
		(void) group_find_or_insert(program, groups, &key);
	}
	guard_free(run.out, run.out_capacity * sizeof(uint32_t), 4);
	run_close(&run, LARGE_TILE);
	table_free(&found);
}

/* Run a program to its end, making room whenever it asks for it. */
static void
run_disturbed(const Interpreter *vm, const Program *program, const Tablet *tablet, const Disturbance *how, Outcome *o)
{
	VmRun		run;
	int32_t		yield = how->first_yield;

	memset(o, 0, sizeof(*o));
	o->out_capacity = MAX_ROWS + LARGE_TILE;
	o->out = (uint32_t *) guard_alloc(o->out_capacity * sizeof(uint32_t), 4);
	table_open(&o->groups, program, program->grouped ? how->groups : 1, how->heap);
	run_open(&run, program, BODY_NARROW, tablet, vm->tile);
	run.groups = &o->groups;
	run.selected = selective ? selection : NULL;
	grow_output(&run, how->out);
	run.yield_after = yield;
	if (vm->can_run != NULL)
		prepare_groups(program, tablet, &o->groups);
	while ((o->status = vm->run(&run)) == STATUS_TIME_SLICE || o->status == STATUS_TABLE_FULL ||
		   o->status == STATUS_OUTPUT_FULL)
	{
		/* registers need not survive a pause */
		memset(run.values, 0xA5, (size_t) program->body[0].nregisters * vm->tile * 8);
		memset(run.nulls, 0xA5, (size_t) program->body[0].nregisters * vm->tile);
		if (o->status == STATUS_TABLE_FULL)
			table_grow(&o->groups, program->row_words, o->groups.capacity + 1, more_heap(o->groups.heap_capacity));
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

static inline bool
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

/* Interrupt a run at every instruction and make its tables too small in several ways. */
static inline void
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
		how.heap = at & 2 ? 0 : ROOMY_HEAP;
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

#endif							/* GPUDB_TEST_VM_ROWS_H */

/*
 * verify_test.c
 *		The structural check: what program_verify() lets through runs inside its memory.
 *
 * Valid programs are changed one field at a time, systematically.  A changed
 * program must be refused, or run without leaving its own memory, the
 * tablet, the registers, the groups and the output; all of these lie between
 * pages that may not be touched.  Registers start as garbage and integers of
 * the tablet are large, so a position formed from either is far outside.
 *
 * Changed programs run in a child process.  When one dies the next child
 * goes on behind it.
 */
#include "assembler.h"
#include "fixture.h"
#include "interpreters.h"
#include "tap.h"

#define ROWS (2 * SMALL_TILE + 5)

enum
{
	COL_BOOL, COL_INT, COL_WIDE, COL_FLOAT, COL_TEXT, COL_SMALL, COL_Count
};

static const uint16_t column_types[COL_Count] = {
	COLTYPE_BOOL, COLTYPE_I64, COLTYPE_I128, COLTYPE_F64, COLTYPE_TEXT, COLTYPE_I32
};

static const Interpreter *const vm = &interpreters[0];
static Tablet *tablet;

static void
make_tablet(void)
{
	uint32_t	r;

	tablet = tablet_make(column_types, COL_Count, ROWS, ROWS * 4);
	for (r = 0; r < ROWS; r++)
	{
		char		text[5];

		snprintf(text, sizeof(text), "%04u", random_below(20));
		tablet_set_int(tablet, COL_BOOL, r, random_below(4) > 0);
		tablet_set_int(tablet, COL_INT, r, (int64_t) (random_u64() | UINT64_C(0x7000000070000000)));
		tablet_set_int(tablet, COL_WIDE, r, random_wide() >> 30);
		tablet_set_float(tablet, COL_FLOAT, r, (double) (random_below(1000) + 1) * 1e9);
		tablet_set_text(tablet, COL_TEXT, r, text, random_below(5));
		tablet_set_int(tablet, COL_SMALL, r, (int32_t) (random_below(10) + 0x70000000));
		if (r % 9 == 0)
			tablet_set_null(tablet, (int) random_below(COL_Count), r);
	}
}

static void
emit_loads(Assembler *as)
{
	asm_emit(as, VMOP_LOAD_B, 2, 0, 0, 0, COL_BOOL);
	asm_emit(as, VMOP_FILTER, 0, 2, 0, 0, 0);
	asm_emit(as, VMOP_JUMP_NONE, 0, 0, 0, 0, 0);
	asm_emit(as, VMOP_LOAD_I, 3, 0, 0, 0, COL_INT);
	asm_emit(as, VMOP_LOAD_W, 4, 0, 0, 0, COL_WIDE);
	asm_emit(as, VMOP_LOAD_F, 6, 0, 0, 0, COL_FLOAT);
	asm_emit(as, VMOP_LOAD_T, 7, 0, 0, 0, COL_TEXT);
	asm_emit(as, VMOP_MASK_TRUE, 8, 2, 0, 0, 0);
}

/* Emit totals of all columns; the group register is 0 without keys. */
static void
emit_totals(Assembler *as, int g)
{
	asm_emit(as, g ? VMOP_COUNT_G : VMOP_COUNT, 0, 3, g, 8, asm_state(as, STATE_COUNT));
	asm_emit(as, g ? VMOP_SUM_I_G : VMOP_SUM_I, 0, 3, g, 0, asm_state(as, STATE_SUM));
	asm_emit(as, g ? VMOP_SUM_W_G : VMOP_SUM_W, 0, 4, g, 8, asm_state(as, STATE_SUM));
	asm_emit(as, g ? VMOP_SUM_F_G : VMOP_SUM_F, 0, 6, g, 8, asm_state(as, STATE_SUM_F));
	asm_emit(as, g ? VMOP_MIN_I_G : VMOP_MIN_I, 0, 3, g, 0, asm_state(as, STATE_MIN_I));
	asm_emit(as, g ? VMOP_MAX_I_G : VMOP_MAX_I, 0, 3, g, 8, asm_state(as, STATE_MAX_I));
	asm_emit(as, g ? VMOP_MIN_W_G : VMOP_MIN_W, 0, 4, g, 0, asm_state(as, STATE_MIN_W));
	asm_emit(as, g ? VMOP_MAX_W_G : VMOP_MAX_W, 0, 4, g, 8, asm_state(as, STATE_MAX_W));
}

/* Emit totals with a companion and of text, which request room ahead of all totals. */
static void
emit_more_totals(Assembler *as, int g)
{
	int			least = asm_state(as, STATE_MIN_T);
	int			most = asm_state(as, STATE_MAX_T);

	asm_emit(as, g ? VMOP_RESERVE_T_G : VMOP_RESERVE_T, 0, 7, g, 8, least);
	asm_emit(as, g ? VMOP_RESERVE_T_G : VMOP_RESERVE_T, 0, 7, g, 0, most);
	asm_emit(as, g ? VMOP_MIN_T_G : VMOP_MIN_T, 0, 7, g, 8, least);
	asm_emit(as, g ? VMOP_MAX_T_G : VMOP_MAX_T, 0, 7, g, 0, most);
	asm_emit(as, g ? VMOP_MIN_BY_G : VMOP_MIN_BY, 0, 4, g, 8, asm_state(as, STATE_MIN_BY))->c = 4;
	asm_emit(as, g ? VMOP_MAX_BY_G : VMOP_MAX_BY, 0, 4, g, 0, asm_state(as, STATE_MAX_BY))->c = 4;
	asm_emit(as, g ? VMOP_SUM_SQ_G : VMOP_SUM_SQ, 0, 6, g, 8, asm_state(as, STATE_SUM_SQ));
	asm_emit(as, g ? VMOP_ALL_BITS_G : VMOP_ALL_BITS, 0, 3, g, 8, asm_state(as, STATE_ALL_BITS));
	asm_emit(as, g ? VMOP_ANY_BITS_G : VMOP_ANY_BITS, 0, 3, g, 8, asm_state(as, STATE_ANY_BITS));
	asm_emit(as, g ? VMOP_ODD_BITS_G : VMOP_ODD_BITS, 0, 3, g, 8, asm_state(as, STATE_ODD_BITS));
}

static void
build_totals(Assembler *as)
{
	asm_init(as, COL_Count, true);
	asm_emit(as, VMOP_CONST_I, 1, 0, 0, 0, asm_word(as, 7));
	emit_loads(as);
	asm_emit(as, VMOP_ROUND_W, 9, 4, 0, 0, 10);
	asm_emit(as, VMOP_DEC_TO_F8, 11, 9, 0, 8, 3);
	asm_emit(as, VMOP_MOD_I, 12, 3, 1, 0, 0);
	emit_more_totals(as, 0);
	emit_totals(as, 0);
	asm_emit(as, VMOP_BINS, 0, 3, 1, 8, asm_state(as, STATE_BINS))->c = 12;
	asm_emit(as, VMOP_VALUES, 0, 3, 1, 8, asm_state(as, STATE_VALUES))->c = 12;
}

static void
build_groups(Assembler *as)
{
	asm_init(as, COL_Count, true);
	asm_emit(as, VMOP_CONST_I, 1, 0, 0, 0, asm_word(as, 0));
	emit_loads(as);
	asm_emit(as, VMOP_LOAD_I, 13, 0, 0, 0, COL_SMALL);
	asm_emit(as, VMOP_KEY_I, 9, 13, 1, 0, asm_key(as, KEY_WORD));
	asm_emit(as, VMOP_KEY_T, 10, 7, 9, 0, asm_key(as, KEY_TEXT));
	asm_emit(as, VMOP_KEY_W, 11, 4, 10, 0, asm_key(as, KEY_WIDE));
	asm_emit(as, VMOP_GROUP, 12, 11, 0, 0, 0);
	emit_more_totals(as, 12);
	emit_totals(as, 12);
}

static void
build_rows(Assembler *as)
{
	int			set;
	int			texts;
	int			part;

	asm_init(as, COL_Count, false);
	asm_emit(as, VMOP_CONST_T, 1, 0, 0, 0, asm_word(as, asm_text(as, "%0_1%", 5)));
	asm_emit(as, VMOP_CONST_W, 15, 0, 0, 0, asm_wide(as, (Wide) 5 << 70));
	set = asm_word(as, 1);
	asm_word(as, 5);
	asm_word(as, 9);
	part = asm_word(as, 1);
	asm_word(as, (uint64_t) -1);
	texts = asm_word(as, asm_text(as, "0001", 4));
	asm_word(as, asm_text(as, "0002", 4));
	asm_word(as, asm_text(as, "", 0));
	emit_loads(as);
	asm_emit(as, VMOP_LIKE_T, 9, 7, 1, 8, 0)->c = 1;
	asm_emit(as, VMOP_TRIM_T, 10, 7, 0, 0, 0);
	asm_emit(as, VMOP_IN_I, 11, 3, 0, 0, set)->c = 3;
	asm_emit(as, VMOP_IN_T, 12, 10, 0, 8, texts)->c = 3;
	asm_emit(as, VMOP_BLEND_T, 13, 7, 1, 8, 0);
	asm_emit(as, VMOP_EQ_T, 14, 13, 10, 8, 0);
	asm_emit(as, VMOP_BLEND_W, 17, 4, 15, 8, 0);
	asm_emit(as, VMOP_LT_W, 19, 17, 15, 0, 0);
	asm_emit(as, VMOP_OR, 20, 9, 11, 0, 0);
	asm_emit(as, VMOP_OR, 21, 20, 12, 0, 0);
	asm_emit(as, VMOP_OR, 22, 21, 14, 0, 0);
	asm_emit(as, VMOP_OR, 23, 22, 19, 0, 0);
	asm_emit(as, VMOP_PART_T, 24, 7, 0, 8, part)->c = 1;
	asm_emit(as, VMOP_LENGTH_T, 25, 24, 0, 8, 0)->c = 1;
	asm_emit(as, VMOP_LT_T, 26, 24, 10, 8, 0);
	asm_emit(as, VMOP_ILIKE_T, 27, 24, 1, 8, 0)->c = 1;
	asm_emit(as, VMOP_FILTER, 0, 23, 0, 0, 0);
	asm_emit(as, VMOP_JUMP_NONE, 0, 0, 0, 0, 0);
	asm_emit(as, VMOP_EMIT, 0, 0, 0, 0, 0);
}

typedef struct Base
{
	const char *name;
	void		(*build) (Assembler *as);
	Program    *program;
	uint32_t	size;
} Base;

static Base bases[] = {
	{"totals", build_totals, NULL, 0}, {"groups", build_groups, NULL, 0}, {"rows", build_rows, NULL, 0}
};

/* Kinds of changes of a program. */
typedef enum Change
{
	CHANGE_OP, CHANGE_DST, CHANGE_A, CHANGE_B, CHANGE_C, CHANGE_M, CHANGE_IMM,
	CHANGE_DROP,				/* the instruction becomes one without effect */
	CHANGE_SWAP,				/* an instruction and the one behind it are swapped */
	CHANGE_HEADER16, CHANGE_HEADER32, CHANGE_WORD,
	CHANGE_Count
} Change;

static const char *const change_names[CHANGE_Count] = {
	"opcode", "result register", "first register", "second register", "c", "mask register", "imm",
	"instruction dropped", "instructions swapped", "16 bits of the header", "32 bits of the header", "constant word"
};

#define MAX_CHOICES (VMOP_Count + 60)

static int
add_choice(int64_t *choices, int n, int64_t value)
{
	choices[n] = value;
	return n + 1;
}

static int64_t
add_wrapping(int64_t a, int64_t b)
{
	return (int64_t) ((uint64_t) a + (uint64_t) b);
}

/* List the values that a field is set to, and return their number. */
static int
choices_for(Change change, int64_t old, int64_t *choices)
{
	int			n = 0;
	int			v;
	int			most = change == CHANGE_OP ? VMOP_Count + 2 : change == CHANGE_IMM ? 60 : change <= CHANGE_M ? 30 : 3;

	if (change == CHANGE_DROP || change == CHANGE_SWAP)
		return add_choice(choices, n, 0);
	for (v = 0; v < most; v++)
		n = add_choice(choices, n, v);
	n = add_choice(choices, n, add_wrapping(old, -1));
	n = add_choice(choices, n, add_wrapping(old, 1));
	n = add_choice(choices, n, add_wrapping(old, -8));
	n = add_choice(choices, n, add_wrapping(old, 8));
	n = add_choice(choices, n, old ^ 0x8000);
	n = add_choice(choices, n, 95);
	n = add_choice(choices, n, 96);
	n = add_choice(choices, n, 0x7FFF);
	n = add_choice(choices, n, 0xFFFF);
	n = add_choice(choices, n, INT32_MAX);
	n = add_choice(choices, n, INT32_MIN);
	n = add_choice(choices, n, -1);
	if (change == CHANGE_WORD)
	{
		n = add_choice(choices, n, add_wrapping(old, (int64_t) 1 << 32));
		n = add_choice(choices, n, add_wrapping(old, (int64_t) 20 << 32));
		n = add_choice(choices, n, old & INT64_MAX);
		n = add_choice(choices, n, (int64_t) ((uint64_t) old | UINT64_C(0x7fffffff00000000)));
	}
	return n;
}

/* Return the number of places where a change can be made. */
static uint32_t
places_for(Change change, const Program *program)
{
	if (change <= CHANGE_DROP)
		return program->body[0].ninstrs;
	if (change == CHANGE_SWAP)
		return program->body[0].ninstrs - 1u;
	if (change == CHANGE_WORD)
		return program->nwords;
	return sizeof(Program) / (change == CHANGE_HEADER16 ? 2 : 4);
}

static int64_t
old_value(Change change, const Program *program, uint32_t place)
{
	const Instr *in = program_instrs(program, 0) + (change <= CHANGE_DROP ? place : 0);

	switch (change)
	{
		case CHANGE_OP:
			return in->op;
		case CHANGE_DST:
			return in->dst;
		case CHANGE_A:
			return in->a;
		case CHANGE_B:
			return in->b;
		case CHANGE_C:
			return in->c;
		case CHANGE_M:
			return in->m;
		case CHANGE_IMM:
			return in->imm;
		case CHANGE_HEADER16:
			return ((const uint16_t *) program)[place];
		case CHANGE_HEADER32:
			return ((const uint32_t *) program)[place];
		case CHANGE_WORD:
			return (int64_t) program_words(program)[place];
		default:
			return 0;
	}
}

/* Return true for unused entries of keys and states, which have no meaning; some are tried all the same. */
static bool
is_unused(Change change, const Program *program, uint32_t place)
{
	size_t		at = place * (change == CHANGE_HEADER16 ? 2u : 4u);

	return (change == CHANGE_HEADER16 || change == CHANGE_HEADER32) && at >= offsetof(Program, key_kind) &&
		old_value(change, program, place) == 0 && place % 16 != 0;
}

static void
apply_change(Change change, Program *program, const Program *base, uint32_t place, int64_t value)
{
	Instr	   *in = (Instr *) ((uint8_t *) program + base->body[0].instrs) + (change <= CHANGE_SWAP ? place : 0);
	Instr		other;

	switch (change)
	{
		case CHANGE_OP:
			in->op = (uint16_t) value;
			break;
		case CHANGE_DST:
			in->dst = (uint16_t) value;
			break;
		case CHANGE_A:
			in->a = (uint16_t) value;
			break;
		case CHANGE_B:
			in->b = (uint16_t) value;
			break;
		case CHANGE_C:
			in->c = (uint16_t) value;
			break;
		case CHANGE_M:
			in->m = (uint16_t) value;
			break;
		case CHANGE_IMM:
			in->imm = (int32_t) value;
			break;
		case CHANGE_DROP:
			memset(in, 0, sizeof(*in));
			in->op = VMOP_JUMP_NONE;
			in->imm = base->body[0].ninstrs - 1;
			break;
		case CHANGE_SWAP:
			other = in[0];
			in[0] = in[1];
			in[1] = other;
			break;
		case CHANGE_HEADER16:
			((uint16_t *) program)[place] = (uint16_t) value;
			break;
		case CHANGE_HEADER32:
			((uint32_t *) program)[place] = (uint32_t) value;
			break;
		case CHANGE_WORD:
			((uint64_t *) ((uint8_t *) program + base->words))[place] = (uint64_t) value;
			break;
		case CHANGE_Count:
			break;
	}
}

/* Run a body of an accepted program as its host would. */
static void
run_accepted(const Program *program, int body)
{
	GroupTable	groups;
	VmRun		run;
	DeviceStatus status;
	int			pauses = 0;

	if (!program->body[body].exists || program->ncolumns > tablet->ncols)
		return;
	if (body == BODY_NARROW)
		(void) program_fits(program, tablet);
	(void) program_may_pass(program, body, tablet);
	table_open(&groups, program, program->grouped ? 32 : 1, 16);
	run_open(&run, program, body, tablet, vm->tile);
	run.groups = &groups;
	run.out_capacity = ROWS;
	run.out = (uint32_t *) guard_alloc(ROWS * sizeof(uint32_t), 4);
	while ((status = vm->run(&run)) == STATUS_TABLE_FULL && pauses++ < 7)
		table_grow(&groups, program->row_words, groups.capacity * (program->grouped && groups.capacity < ROWS ? 2 : 1),
				   groups.heap_capacity * 4);
	guard_free(run.out, ROWS * sizeof(uint32_t), 4);
	run_close(&run, vm->tile);
	table_free(&groups);
}

/* Try all values of one change, from trial progress->at on. */
static void
try_changes(void *arg, Progress *progress)
{
	Change		change = *(Change *) arg;
	long		trial = 0;
	size_t		b;
	uint32_t	place;
	int			i;

	for (b = 0; b < lengthof(bases); b++)
		for (place = 0; place < places_for(change, bases[b].program); place++)
		{
			const Program *base = bases[b].program;
			int64_t		choices[MAX_CHOICES];
			int64_t		old = old_value(change, base, place);
			int			n = choices_for(change, old, choices);

			for (i = 0; i < n; i++)
			{
				Program    *program;

				if (trial++ < progress->at || is_unused(change, base, place))
					continue;
				progress->at = trial;
				snprintf(progress->note, sizeof(progress->note), "%s, place %u (%s): %lld instead of %lld", bases[b].name,
						 place, change <= CHANGE_SWAP ? op_info[program_instrs(base, 0)[place].op].name : "-",
						 (long long) choices[i], (long long) old);
				program = (Program *) guard_alloc(bases[b].size, 8);
				memcpy(program, base, bases[b].size);
				apply_change(change, program, base, place, choices[i]);
				if (program_verify(program, bases[b].size) == STATUS_DONE)
				{
					progress->trials++;
					run_accepted(program, BODY_NARROW);
					run_accepted(program, BODY_WIDE);
				}
				guard_free(program, bases[b].size, 8);
			}
		}
}

static void
test_change(Change change)
{
	static char names[CHANGE_Count][80];
	Progress   *progress = progress_make();
	long		started = -1;

	snprintf(names[change], sizeof(names[change]), "refused or harmless: %s", change_names[change]);
	tap_begin(names[change]);
	while (started != progress->at)
	{
		bool		alive;

		started = progress->at;
		alive = survives(try_changes, &change, progress);
		tap_expect(alive, "accepted and died: %s", progress->note);
		if (alive)
			break;
	}
	tap_end();
	printf("# %ld changed programs, of which %ld were accepted\n", progress->at, progress->trials);
}

static void
test_valid_programs(void)
{
	size_t		b;

	tap_begin("valid programs are accepted and run");
	for (b = 0; b < lengthof(bases); b++)
	{
		static Assembler as;

		bases[b].build(&as);
		bases[b].program = asm_finish(&as);
		bases[b].size = bases[b].program->size;
		if (tap_expect(program_verify(bases[b].program, bases[b].size) == STATUS_DONE, "%s is refused", bases[b].name))
			run_accepted(bases[b].program, BODY_NARROW);
	}
	tap_end();
}

/* A program of one total or text operation; the initializer says what is wrong with it. */
typedef struct Hostile
{
	const char *name;
	Opcode		op;
	StateKind	state;
	int			a;
	int			c;				/* register of the companion */
	int64_t		part[2];
	bool		valid;
} Hostile;

static const Hostile hostile[] = {
	{"MIN_BY with a wide companion", VMOP_MIN_BY, STATE_MIN_BY, 4, 4, {0, 0}, true},
	{"MIN_BY with an integer companion", VMOP_MIN_BY, STATE_MIN_BY, 4, 3, {0, 0}, false},
	{"MIN_BY with the upper half of a companion", VMOP_MIN_BY, STATE_MIN_BY, 4, 5, {0, 0}, false},
	{"MIN_BY with a text companion", VMOP_MIN_BY, STATE_MIN_BY, 4, 7, {0, 0}, false},
	{"MIN_BY with a register never written", VMOP_MIN_BY, STATE_MIN_BY, 4, 11, {0, 0}, false},
	{"MIN_BY with a companion far away", VMOP_MIN_BY, STATE_MIN_BY, 4, 60000, {0, 0}, false},
	{"MIN_BY of the state of MAX_BY", VMOP_MIN_BY, STATE_MAX_BY, 4, 4, {0, 0}, false},
	{"MAX_BY with a float companion", VMOP_MAX_BY, STATE_MAX_BY, 4, 6, {0, 0}, false},
	{"RESERVE_T of least text", VMOP_RESERVE_T, STATE_MIN_T, 7, 0, {0, 0}, true},
	{"RESERVE_T of largest text", VMOP_RESERVE_T, STATE_MAX_T, 7, 0, {0, 0}, true},
	{"RESERVE_T of a sum", VMOP_RESERVE_T, STATE_SUM, 7, 0, {0, 0}, false},
	{"RESERVE_T of a value with companion", VMOP_RESERVE_T, STATE_MIN_BY, 7, 0, {0, 0}, false},
	{"RESERVE_T of an integer", VMOP_RESERVE_T, STATE_MIN_T, 3, 0, {0, 0}, false},
	{"RESERVE_T_G without groups", VMOP_RESERVE_T_G, STATE_MIN_T, 7, 0, {0, 0}, false},
	{"MIN_T of the state of MAX_T", VMOP_MIN_T, STATE_MAX_T, 7, 0, {0, 0}, false},
	{"SUM_SQ of a sum", VMOP_SUM_SQ, STATE_SUM, 6, 0, {0, 0}, false},
	{"ALL_BITS of any bits", VMOP_ALL_BITS, STATE_ANY_BITS, 3, 0, {0, 0}, false},
	{"BINS", VMOP_BINS, STATE_BINS, 3, 63, {0, 0}, true},
	{"BINS whose values are all in one", VMOP_BINS, STATE_BINS, 3, 64, {0, 0}, false},
	{"BINS of floats", VMOP_BINS, STATE_BINS, 6, 10, {0, 0}, false},
	{"BINS of a count", VMOP_BINS, STATE_COUNT, 3, 10, {0, 0}, false},
	{"VALUES", VMOP_VALUES, STATE_VALUES, 3, 0, {0, 0}, true},
	{"VALUES of floats", VMOP_VALUES, STATE_VALUES, 6, 0, {0, 0}, false},
	{"VALUES of bins", VMOP_VALUES, STATE_BINS, 3, 0, {0, 0}, false},
	{"BINS of values", VMOP_BINS, STATE_VALUES, 3, 0, {0, 0}, false},
	{"MIN_T without room asked for, which it finds lacking", VMOP_MIN_T, STATE_MIN_T, 7, 0, {0, 0}, true},
	{"PART_T", VMOP_PART_T, STATE_COUNT, 7, 1, {INT32_MAX, INT32_MIN}, true},
	{"PART_T from before the text", VMOP_PART_T, STATE_COUNT, 7, 1, {-1, 1}, false},
	{"PART_T from far behind", VMOP_PART_T, STATE_COUNT, 7, 1, {(int64_t) INT32_MAX + 1, 1}, false},
	{"PART_T of too many", VMOP_PART_T, STATE_COUNT, 7, 1, {0, (int64_t) INT32_MAX + 1}, false},
	{"PART_T but too many", VMOP_PART_T, STATE_COUNT, 7, 1, {0, (int64_t) INT32_MIN - 1}, false},
};

static void
test_hostile_states(void)
{
	static Assembler as;
	size_t		i;

	tap_begin("wrong companions, states and parts are refused");
	for (i = 0; i < lengthof(hostile); i++)
	{
		const Hostile *h = &hostile[i];
		Program    *program;
		uint32_t	size;
		bool		accepted;
		int			imm;

		asm_init(&as, COL_Count, true);
		emit_loads(&as);
		imm = asm_state(&as, h->state);
		if (h->op == VMOP_PART_T)
		{
			imm = asm_word(&as, (uint64_t) h->part[0]);
			asm_word(&as, (uint64_t) h->part[1]);
		}
		asm_emit(&as, h->op, h->op == VMOP_PART_T ? 20 : 0, h->a, h->op == VMOP_BINS || h->op == VMOP_VALUES ? 3 : 0, 8, imm)->c = (uint16_t) h->c;
		/* all registers that there may be, so that only their kinds are wrong */
		program = asm_finish(&as);
		program->body[0].nregisters = 30;
		size = program->size;
		accepted = program_verify(program, size) == STATUS_DONE;
		tap_expect(accepted == h->valid, "%s is %s", h->name, accepted ? "accepted" : "refused");
		/* the second word is behind the last one */
		if (h->op == VMOP_PART_T && h->valid)
		{
			((Instr *) ((uint8_t *) program + program->body[0].instrs))[as.count[0] - 2].imm++;
			tap_expect(program_verify(program, size) != STATUS_DONE, "PART_T with one word is accepted");
		}
		program_free(program, size);
	}
	tap_end();
}

/* Verify programs that are cut short, in blocks without memory behind their end. */
static void
verify_truncated(void *arg, Progress *progress)
{
	size_t		b;
	uint32_t	size;

	for (b = 0; b < lengthof(bases); b++)
		for (size = 0; size < bases[b].size; size++)
		{
			Program    *program = (Program *) guard_alloc(size, 8);
			int			truthful;

			memcpy(program, bases[b].program, size);
			for (truthful = 0; truthful < 2; truthful++)
			{
				if (truthful && size >= sizeof(Program))
					program->size = size;
				if (program_verify(program, size) == STATUS_DONE)
					progress->trials++;
			}
			guard_free(program, size, 8);
		}
}

static void
test_truncated(void)
{
	Progress   *progress = progress_make();
	bool		alive;

	tap_begin("truncated programs are refused");
	alive = survives(verify_truncated, NULL, progress);
	tap_expect(alive, "the check reads behind the end");
	tap_expect(progress->trials == 0, "%ld were accepted", progress->trials);
	tap_end();
}

/* Change several random bytes at once. */
static void
run_garbled(void *arg, Progress *progress)
{
	long		trial;

	for (trial = progress->at; trial < 60000; trial++)
	{
		const Base *base = &bases[trial % (long) lengthof(bases)];
		Program    *program = (Program *) guard_alloc(base->size, 8);
		int			n;

		random_seed((uint64_t) trial);
		progress->at = trial + 1;
		snprintf(progress->note, sizeof(progress->note), "%s, seed %ld", base->name, trial);
		memcpy(program, base->program, base->size);
		for (n = 1 + (int) random_below(3); n > 0; n--)
		{
			uint32_t	at = random_below(base->size);

			((uint8_t *) program)[at] = (uint8_t) (random_below(2) ? random_u64() : random_below(16));
		}
		if (program_verify(program, base->size) == STATUS_DONE)
		{
			progress->trials++;
			run_accepted(program, BODY_NARROW);
		}
		guard_free(program, base->size, 8);
	}
}

static void
test_garbled(void)
{
	Progress   *progress = progress_make();
	long		started = -1;

	tap_begin("refused or harmless: a few random bytes");
	while (started != progress->at)
	{
		bool		alive;

		started = progress->at;
		alive = survives(run_garbled, NULL, progress);
		tap_expect(alive, "accepted and died: %s", progress->note);
		if (alive)
			break;
	}
	tap_end();
}

/* Return true if a program that seeks is accepted, with a second state `other`, if it is of bins or values. */
static bool
seek_matches(const SelectSeek *seek, StateKind other)
{
	static Assembler as;
	Program    *program;
	uint32_t	size;
	DeviceStatus status;

	asm_init(&as, COL_Count, true);
	asm_emit(&as, VMOP_CONST_I, 1, 0, 0, 0, asm_word(&as, 7));
	emit_loads(&as);
	asm_emit(&as, VMOP_VALUES, 0, 3, 1, 8, asm_state(&as, STATE_VALUES))->c = 12;
	if (other == STATE_BINS)
		asm_emit(&as, VMOP_BINS, 0, 3, 1, 8, asm_state(&as, STATE_BINS))->c = 12;
	if (other == STATE_VALUES)
		asm_emit(&as, VMOP_VALUES, 0, 3, 1, 8, asm_state(&as, STATE_VALUES))->c = 12;
	program = asm_finish(&as);
	program->seek = *seek;
	size = program->size;
	status = program_verify(program, size);
	program_free(program, size);
	return status == STATUS_DONE;
}

static void
test_seeks(void)
{
	const SelectSeek good = {.wanted = 1, .fraction = 0.5, .range = {7, 7}};
	SelectSeek	bad[] = {good, good, good, good};
	size_t		i;

	tap_begin("what is sought");
	bad[0].fraction = -0.1;
	bad[1].fraction = 1.1;
	bad[2].fraction = NAN;
	bad[3].range.largest = 6;
	tap_expect(seek_matches(&good, STATE_COUNT), "among the values of a state, and refused");
	tap_expect(!seek_matches(&good, STATE_BINS) && !seek_matches(&good, STATE_VALUES), "among those of one state of two");
	for (i = 0; i < lengthof(bad); i++)
	{
		tap_expect(!seek_matches(&bad[i], STATE_COUNT), "wrong in way %zu, and not refused", i);
		bad[i].wanted = false;
		tap_expect(seek_matches(&bad[i], STATE_COUNT), "wrong in way %zu, which does not matter", i);
	}
	tap_end();
}

int
main(void)
{
	int			change;

	make_tablet();
	test_valid_programs();
	test_hostile_states();
	test_seeks();
	test_truncated();
	for (change = 0; change < CHANGE_Count; change++)
		test_change((Change) change);
	test_garbled();
	return tap_done();
}

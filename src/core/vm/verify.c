/*
 * verify.c
 *		Verification of a program before anything runs it.
 *
 * A program may come from another process.  After DONE every position that the interpreter computes
 * from it lies inside the program, the register file, the tablet's columns or a group's row.
 *
 * Text references, group numbers and rows are positions too, computed at run time.  So registers
 * are typed: the code is straight-line, except for loops and jumps to the end of the innermost one,
 * and one pass proves that every operand was written before, as the kind that it is read as.
 * Registers written in a loop are not read after it, and registers that it reads of those written
 * before it are not overwritten in it.  A loop may have more pairs than the loop around it, so
 * registers written for the outer pairs are read only by the instructions that pick from them.
 */
#include "core/vm/code_table.h"
#include "core/join/join_table.h"
#include "core/vm/op_agg.h"
#include "core/vm/program.h"
#include "core/tablet/tablet_format.h"

typedef struct Verifier
{
	const Program *program;
	const ProgramBody *body;
	uint8_t		kind[PROGRAM_MAX_REGISTERS];	/* OperandKind that a slot holds; KIND__ = nothing */
	uint8_t		table[PROGRAM_MAX_REGISTERS];	/* table whose rows a slot holds */
	uint16_t	written[PROGRAM_MAX_REGISTERS]; /* index of the instruction that wrote the slot */
	uint16_t	read[PROGRAM_MAX_REGISTERS];	/* index of the instruction that read it last */
	uint16_t	key_register[PROGRAM_MAX_KEYS]; /* register named by KEY; 0 = not yet */
	uint16_t	key_named[PROGRAM_MAX_KEYS];	/* index of the KEY instruction */
	uint16_t	loop[PROGRAM_MAX_LOOPS];	/* indexes of the EXPANDs of the current loops */
	uint32_t	depth;
	bool		placed;			/* PLACE has been seen */
	bool		emitted;		/* EMIT has been seen */
	bool		last;			/* an open loop has ended: only instructions that end loops or the tile may follow */
} Verifier;

/* The second slot of a wide register. */
#define KIND_W_HIGH 255

/* Pseudo table of a register of rows that holds lanes of pairs. */
#define TABLE_OF_PAIRS 255

/* Pseudo table of a register of rows that holds places of materialized rows. */
#define TABLE_OF_PLACES 254

static bool
block_inside(const Program *program, uint32_t offset, uint64_t length, uint32_t alignment)
{
	return offset % alignment == 0 && offset >= sizeof(Program) && (uint64_t) offset + length <= program->size;
}

static bool
reads_ok(const Verifier *v, uint8_t kind, uint16_t number)
{
	if (kind == KIND__)
		return true;
	if (number >= v->body->nregisters || v->kind[number] != kind)
		return false;
	return kind != KIND_W || (number + 1 < v->body->nregisters && v->kind[number + 1] == KIND_W_HIGH);
}

/* Return true if a register has a value for every current lane: of the tile, or of the innermost loop. */
static bool
is_of_lanes(const Verifier *v, uint16_t number)
{
	return v->depth == 0 || v->written[number] < v->loop[0] || v->written[number] >= v->loop[v->depth - 1];
}

/* Return true if a register is a mask; blends also accept a boolean. */
static bool
mask_ok(const Verifier *v, const OpInfo *info, uint16_t number)
{
	return reads_ok(v, KIND_M, number) || (info->shape == SHAPE_BLEND && reads_ok(v, KIND_B, number));
}

/* Check the slots of a result: none is the selection's, which only FILTER changes, or an operand's. */
static bool
result_ok(const Verifier *v, const OpInfo *info, const Instr *in)
{
	uint32_t	last = in->dst + (info->dst == KIND_W ? 1u : 0u);
	const uint16_t operand[3] = {in->a, in->b, in->m};
	const uint8_t kind[3] = {info->a, info->b, KIND_M};
	uint32_t	i;

	if (info->dst == KIND__)
		return true;
	if (in->dst == 0 || last >= v->body->nregisters)
		return false;
	for (i = 0; i < 3; i++)
		if (kind[i] != KIND__ && operand[i] <= last && operand[i] + (kind[i] == KIND_W ? 1u : 0u) >= in->dst)
			return false;
	return true;
}

/* Invalidate the other half of a wide register before one of its slots is overwritten. */
static void
forget_slot(Verifier *v, uint32_t slot)
{
	if (v->kind[slot] == KIND_W)
		v->kind[slot + 1] = KIND__;
	else if (v->kind[slot] == KIND_W_HIGH)
		v->kind[slot - 1] = KIND__;
}

static void
write_register(Verifier *v, uint8_t kind, uint16_t number)
{
	if (kind == KIND__)
		return;
	forget_slot(v, number);
	if (kind == KIND_W)
	{
		forget_slot(v, number + 1u);
		v->kind[number + 1] = KIND_W_HIGH;
	}
	v->kind[number] = kind;
}

/* Check that n words from `first` on are references to text inside the program. */
static bool
text_words_ok(const Verifier *v, uint32_t first, uint32_t n)
{
	const uint64_t *words = program_words(v->program);
	uint32_t	i;

	for (i = first; i < first + n; i++)
		if (!(words[i] & TEXT_IN_PROGRAM) || TEXT_TABLE(words[i]) != 0 ||
			(uint64_t) TEXT_OFFSET(words[i]) + TEXT_LENGTH(words[i]) > v->program->nbytes)
			return false;
	return true;
}

static bool
words_ok(const Verifier *v, const Instr *in, uint32_t n)
{
	return in->imm >= 0 && (uint64_t) in->imm + n <= v->program->nwords;
}

/* Check that the truth table of a condition on dictionary codes lies inside the program. */
static bool
code_table_ok(const Verifier *v, const Instr *in)
{
	return words_ok(v, in, 1) && program_words(v->program)[in->imm] <= CODE_TABLE_MOST &&
		words_ok(v, in, code_table_words((uint32_t) program_words(v->program)[in->imm]));
}

/* Check the first character and count of PART_T. */
static bool
part_ok(const uint64_t *words)
{
	return words[0] <= INT32_MAX && (int64_t) words[1] <= INT32_MAX && (int64_t) words[1] >= INT32_MIN;
}

static bool
state_ok(const Verifier *v, const Instr *in, StateKind kind)
{
	uint32_t	s;

	for (s = 0; s < v->program->nstates; s++)
		if (v->program->state_word[s] == in->imm)
			return v->program->state_kind[s] == kind;
	return false;
}

static bool
total_ok(const Verifier *v, const Instr *in)
{
	switch ((Opcode) in->op)
	{
		case VMOP_COUNT:
		case VMOP_COUNT_G:
			return in->a < v->body->nregisters && v->kind[in->a] != KIND__ && is_of_lanes(v, in->a) && state_ok(v, in, STATE_COUNT);
		case VMOP_SUM_I:
		case VMOP_SUM_I_G:
		case VMOP_SUM_W:
		case VMOP_SUM_W_G:
			return state_ok(v, in, STATE_SUM);
		case VMOP_SUM_F:
		case VMOP_SUM_F_G:
			return state_ok(v, in, STATE_SUM_F);
		case VMOP_EXACT:
		case VMOP_EXACT_G:
			return state_ok(v, in, STATE_EXACT);
		case VMOP_MIN_I:
		case VMOP_MIN_I_G:
			return state_ok(v, in, STATE_MIN_I);
		case VMOP_MAX_I:
		case VMOP_MAX_I_G:
			return state_ok(v, in, STATE_MAX_I);
		case VMOP_MIN_W:
		case VMOP_MIN_W_G:
			return state_ok(v, in, STATE_MIN_W);
		case VMOP_MAX_W:
		case VMOP_MAX_W_G:
			return state_ok(v, in, STATE_MAX_W);
		case VMOP_SUM_SQ:
		case VMOP_SUM_SQ_G:
			return state_ok(v, in, STATE_SUM_SQ);
		case VMOP_ALL_BITS:
		case VMOP_ALL_BITS_G:
			return state_ok(v, in, STATE_ALL_BITS);
		case VMOP_ANY_BITS:
		case VMOP_ANY_BITS_G:
			return state_ok(v, in, STATE_ANY_BITS);
		case VMOP_ODD_BITS:
		case VMOP_ODD_BITS_G:
			return state_ok(v, in, STATE_ODD_BITS);
		case VMOP_MIN_BY:
		case VMOP_MIN_BY_G:
			return reads_ok(v, KIND_W, in->c) && is_of_lanes(v, in->c) && state_ok(v, in, STATE_MIN_BY);
		case VMOP_MAX_BY:
		case VMOP_MAX_BY_G:
			return reads_ok(v, KIND_W, in->c) && is_of_lanes(v, in->c) && state_ok(v, in, STATE_MAX_BY);
		case VMOP_MIN_T:
		case VMOP_MIN_T_G:
			return state_ok(v, in, STATE_MIN_T);
		case VMOP_MAX_T:
		case VMOP_MAX_T_G:
			return state_ok(v, in, STATE_MAX_T);
		case VMOP_BINS:
			return in->c < 64 && state_ok(v, in, STATE_BINS);
		case VMOP_VALUES:
			return in->c < 64 && state_ok(v, in, STATE_VALUES);
		default:
			return false;
	}
}

static bool
key_ok(Verifier *v, const Instr *in, uint32_t pc)
{
	KeyKind		kind = in->op == VMOP_KEY_I ? KEY_WORD : in->op == VMOP_KEY_W ? KEY_WIDE : KEY_TEXT;

	if (in->imm < 0 || in->imm >= v->program->nkeys || v->program->key_kind[in->imm] != kind)
		return false;
	v->key_register[in->imm] = in->a;
	v->key_named[in->imm] = (uint16_t) pc;
	return true;
}

/* Check that the registers named by KEY, which GROUP reads, still have their keys. */
static bool
group_ok(const Verifier *v)
{
	static const uint8_t kind_of_key[] = {KIND_I, KIND_W, KIND_T};
	uint32_t	k;

	for (k = 0; k < v->program->nkeys; k++)
		if (v->key_register[k] == 0 || !reads_ok(v, kind_of_key[v->program->key_kind[k]], v->key_register[k]) ||
			!is_of_lanes(v, v->key_register[k]))
			return false;
	return v->program->grouped != 0;
}

static bool
table_ok(const Verifier *v, int32_t table)
{
	return table > 0 && table <= v->program->ntables;
}

static const Instr *
instr_at(const Verifier *v, uint32_t pc)
{
	return (const Instr *) ((const uint8_t *) v->program + v->body->instrs) + pc;
}

/* Return the target of JUMP_NONE: the end of the innermost loop, or of the tile. */
static int32_t
jump_target(const Verifier *v)
{
	return v->depth > 0 ? instr_at(v, v->loop[v->depth - 1])->imm : v->body->ninstrs - 1;
}

/* Check an EXPAND: its span register is of its table, and an open loop is not inside a closed one. */
static bool
expand_ok(Verifier *v, const Instr *in, uint32_t pc)
{
	if (v->depth == PROGRAM_MAX_LOOPS || in->m == 0 || !table_ok(v, EXPAND_TABLE(in->c)) ||
		v->table[in->a] != EXPAND_TABLE(in->c) || in->imm <= (int32_t) pc || in->imm > jump_target(v) ||
		in->imm >= v->body->ninstrs || instr_at(v, (uint32_t) in->imm)->op != VMOP_AGAIN ||
		(!(in->c & EXPAND_CLOSED) && v->depth > 0 && (instr_at(v, v->loop[v->depth - 1])->c & EXPAND_CLOSED)))
		return false;
	v->loop[v->depth++] = (uint16_t) pc;
	return true;
}

/* Leave a loop.  Registers written in it become invalid, since it may not have run. */
static bool
again_ok(Verifier *v, const Instr *in, uint32_t pc)
{
	uint32_t	start;

	if (v->depth == 0)
		return false;
	start = v->loop[--v->depth];
	if (in->imm != (int32_t) start || instr_at(v, start)->imm != (int32_t) pc)
		return false;
	v->last |= !(instr_at(v, start)->c & EXPAND_CLOSED);
	for (uint32_t slot = 1; slot < v->body->nregisters; slot++)
		if (v->written[slot] >= start)
			v->kind[slot] = KIND__;
	for (uint32_t k = 0; k < v->program->nkeys; k++)
		if (v->key_named[k] >= start)
			v->key_register[k] = 0;
	return true;
}

/*
 * Check that a PICK_R finds a value in every lane: it picks either from a register written outside
 * of loops, or from one written in the enclosing loop by the LANE of the current loop's pairs.
 */
static bool
picks_ok(const Verifier *v, const Instr *in)
{
	if (v->table[in->b] != 0 && v->table[in->b] != TABLE_OF_PAIRS)
		return false;
	if (v->depth == 0 || v->written[in->a] < v->loop[0])
		return true;
	return v->depth > 1 && v->written[in->a] >= v->loop[v->depth - 2] && v->written[in->a] < v->loop[v->depth - 1] &&
		instr_at(v, v->written[in->b])->op == VMOP_LANE;
}

/* Return true if an instruction's operands have values for all current lanes. */
static bool
lanes_ok(const Verifier *v, const OpInfo *info, const Instr *in)
{
	if (info->a != KIND__ && in->op != VMOP_PICK_R && !is_of_lanes(v, in->a))
		return false;
	if (info->b != KIND__ && in->op != VMOP_MARK && !is_of_lanes(v, in->b))
		return false;
	return is_of_lanes(v, in->m);
}

/* Check an instruction on rows, and find the table whose rows its result holds. */
static bool
row_ok_of(const Verifier *v, const Instr *in, uint8_t *table)
{
	switch ((Opcode) in->op)
	{
		case VMOP_PROBE:
		case VMOP_SPAN:
		case VMOP_RANK_I:
		case VMOP_RANK_W:
		case VMOP_RANGE:
			*table = (uint8_t) in->imm;
			return table_ok(v, in->imm);
		case VMOP_LANE:
			/* lanes are rows of the tile in the outermost loop, and pairs of the enclosing loop in others */
			*table = v->depth == 1 ? 0 : TABLE_OF_PAIRS;
			return v->depth > 0;
		case VMOP_PICK_R:
			*table = v->table[in->a];
			return picks_ok(v, in);
		default:
			*table = v->table[in->a];
			return true;
	}
}

static bool
fetch_ok(const Verifier *v, const Instr *in)
{
	const uint32_t table = FETCH_TABLE(in->c);

	/* lanes of pairs and places are rows of no table */
	if (v->table[in->a] != table || table > v->program->ntables)
		return false;
	if (table == 0)
		return FETCH_COLUMN(in->c) < v->program->ncolumns;
	return (in->op != VMOP_FETCH_I && in->op != VMOP_FETCH_W) || words_ok(v, in, 4);
}

/* Check an EMIT_ROW: it follows an EMIT, and its rows are of the table that it names. */
static bool
emitted_ok(const Verifier *v, const Instr *in)
{
	return v->emitted && v->program->ntables > 0 && in->imm >= 0 && in->imm <= v->program->ntables && v->table[in->a] == in->imm;
}

/* Check a PLACE: there is only one, and not in a program with groups, which may run out of room later. */
static bool
place_ok(Verifier *v, const Instr *in)
{
	const bool	placed = v->placed;

	v->placed = true;
	v->table[in->dst] = TABLE_OF_PLACES;
	return !placed && v->program->aggregates && !v->program->grouped && v->program->nmaterialized > 0;
}

static bool
store_ok(const Verifier *v, const Instr *in)
{
	static const uint8_t types[] = {COLTYPE_BOOL, COLTYPE_I64, COLTYPE_F64, COLTYPE_I64};

	return in->imm >= 0 && in->imm < v->program->nmaterialized && v->program->materialized[in->imm] == types[in->op - VMOP_STORE_B] &&
		v->table[in->b] == TABLE_OF_PLACES && (in->op != VMOP_STORE_R || v->table[in->a] != TABLE_OF_PLACES);
}

/* Return true if an instruction may follow an open loop's end. */
static bool
ends(uint16_t op)
{
	return op == VMOP_AGAIN || op == VMOP_END;
}

static bool
loop_ok(Verifier *v, const Instr *in, uint32_t pc)
{
	switch ((Opcode) in->op)
	{
		case VMOP_EXPAND:
			return expand_ok(v, in, pc);
		case VMOP_AGAIN:
			return again_ok(v, in, pc);
		default:
			return true;
	}
}

/*
 * Return true if a slot may be overwritten: not if a current loop has read a value written before
 * it, since it will read the value again; constants are read again by the next tile.
 */
static bool
slot_is_free(const Verifier *v, uint32_t slot)
{
	if (v->kind[slot] != KIND__ && v->written[slot] < v->body->tile_start && v->read[slot] >= v->body->tile_start)
		return false;
	for (uint32_t d = 0; d < v->depth; d++)
		if (v->kind[slot] != KIND__ && v->written[slot] < v->loop[d] && v->read[slot] >= v->loop[d])
			return false;
	return true;
}

static bool
spares_outer(const Verifier *v, const OpInfo *info, const Instr *in)
{
	return info->dst == KIND__ || (slot_is_free(v, in->dst) && (info->dst != KIND_W || slot_is_free(v, in->dst + 1u)));
}

static void
note_read(Verifier *v, uint8_t kind, uint16_t slot, uint32_t pc)
{
	if (kind == KIND__ || slot >= v->body->nregisters)
		return;
	v->read[slot] = (uint16_t) pc;
	if (kind == KIND_W && slot + 1 < v->body->nregisters)
		v->read[slot + 1] = (uint16_t) pc;
}

static void
note_reads(Verifier *v, const Instr *in, uint32_t pc)
{
	const OpInfo *info = &op_info[in->op];

	note_read(v, info->a, in->a, pc);
	note_read(v, info->b, in->b, pc);
	note_read(v, KIND_M, in->m, pc);
	if (info->shape == SHAPE_TOTAL || info->shape == SHAPE_TOTAL_G)
	{
		note_read(v, KIND_I, in->a, pc);
		note_read(v, KIND_W, in->c, pc);
	}
	if (in->op == VMOP_GROUP)
		for (uint32_t k = 0; k < v->program->nkeys; k++)
			note_read(v, v->program->key_kind[k] == KEY_WIDE ? KIND_W : KIND_I, v->key_register[k], pc);
}

static void
note_written(Verifier *v, const Instr *in, uint32_t pc)
{
	const uint8_t kind = op_info[in->op].dst;

	write_register(v, kind, in->dst);
	if (kind != KIND__)
		v->written[in->dst] = (uint16_t) pc;
	if (kind == KIND_W)
		v->written[in->dst + 1] = (uint16_t) pc;
	if (in->op == VMOP_EXPAND)
		v->table[in->dst] = EXPAND_TABLE(in->c);
	v->emitted |= in->op == VMOP_EMIT;
}

static bool
instr_ok(Verifier *v, const Instr *in, uint32_t pc)
{
	const OpInfo *info;

	if (in->op >= VMOP_Count)
		return false;
	info = &op_info[in->op];
	/* readers of a program may look up the registers of operands before they know that the opcode has none */
	if (in->dst >= v->body->nregisters || in->a >= v->body->nregisters || in->b >= v->body->nregisters)
		return false;
	if (!reads_ok(v, info->a, in->a) || !reads_ok(v, info->b, in->b) || !mask_ok(v, info, in->m) ||
		!result_ok(v, info, in) || !spares_outer(v, info, in) || !lanes_ok(v, info, in) || (v->last && !ends(in->op)))
		return false;
	switch ((OpShape) info->shape)
	{
		case SHAPE_CONTROL:
			return in->op == VMOP_BOUND ? words_ok(v, in, 2) : in->op != VMOP_JUMP_NONE || in->imm == jump_target(v);
		case SHAPE_LOAD:
			return in->imm >= 0 && in->imm < v->program->ncolumns;
		case SHAPE_CONSTANT:
			return in->c <= 1 && words_ok(v, in, in->op == VMOP_CONST_W ? 2 : 1) &&
				(in->op != VMOP_CONST_T || text_words_ok(v, (uint32_t) in->imm, 1));
		case SHAPE_SET:
			return words_ok(v, in, in->c) && (in->op != VMOP_IN_T || text_words_ok(v, (uint32_t) in->imm, in->c));
		case SHAPE_CHECKED1:
			return in->op != VMOP_TEST_CODE || code_table_ok(v, in);
		case SHAPE_STRICT2:
			return in->op != VMOP_DIV_SCALE_W || (in->imm >= 0 && in->imm <= 0xffff);
		case SHAPE_STRICT1IMM:
		case SHAPE_CHECKEDIMM:
			return in->imm >= 0 && in->imm <= (info->dst == KIND_I && info->shape == SHAPE_STRICT1IMM ? 18 : 38);
		case SHAPE_TEXT1:
			return in->op != VMOP_PART_T || (words_ok(v, in, 2) && part_ok(program_words(v->program) + in->imm));
		case SHAPE_RESERVE:
			return v->program->aggregates && (in->op == VMOP_RESERVE_T_G) == (v->program->grouped != 0) &&
				(state_ok(v, in, STATE_MIN_T) || state_ok(v, in, STATE_MAX_T));
		case SHAPE_KEY:
			return key_ok(v, in, pc);
		case SHAPE_JOIN_KEY:
			return table_ok(v, in->imm) && in->c < JOIN_MAX_PARTS;
		case SHAPE_ROW:
			return row_ok_of(v, in, &v->table[in->dst]);
		case SHAPE_FETCH:
			return fetch_ok(v, in);
		case SHAPE_LOOP:
			return loop_ok(v, in, pc);
		case SHAPE_STORE:
			return store_ok(v, in);
		case SHAPE_COLLECTIVE:
			if (in->op == VMOP_PLACE)
				return place_ok(v, in);
			return in->op == VMOP_GROUP ? group_ok(v) : !v->program->aggregates && (in->op != VMOP_EMIT_ROW || emitted_ok(v, in));
		case SHAPE_TOTAL:
			return v->program->aggregates && !v->program->grouped && total_ok(v, in);
		case SHAPE_TOTAL_G:
			return v->program->grouped && total_ok(v, in);
		default:
			return true;
	}
}

static bool
body_ok(const Program *program, const ProgramBody *body)
{
	Verifier	v = {.program = program, .body = body, .kind = {KIND_M}};
	const Instr *code = (const Instr *) ((const uint8_t *) program + body->instrs);
	uint32_t	pc;

	if (body->ninstrs == 0 || body->ninstrs > PROGRAM_MAX_INSTRS || body->tile_start >= body->ninstrs ||
		body->nregisters == 0 || body->nregisters > PROGRAM_MAX_REGISTERS ||
		!block_inside(program, body->instrs, body->ninstrs * sizeof(Instr), 8))
		return false;
	for (pc = 0; pc < body->ninstrs; pc++)
	{
		if (!instr_ok(&v, &code[pc], pc))
			return false;
		note_reads(&v, &code[pc], pc);
		note_written(&v, &code[pc], pc);
		/* END closes the body; before tile_start there are only constants */
		if ((code[pc].op == VMOP_END) != (pc + 1 == body->ninstrs))
			return false;
		if ((op_info[code[pc].op].shape == SHAPE_CONSTANT) != (pc < body->tile_start))
			return false;
	}
	return v.depth == 0;
}

/* Check that keys and states fill the group's row without gaps. */
static bool
row_ok(const Program *program)
{
	uint32_t	word = 1;
	uint32_t	i;

	if (program->nkeys > PROGRAM_MAX_KEYS || program->nstates > PROGRAM_MAX_STATES ||
		(program->grouped != 0) != (program->nkeys > 0))
		return false;
	for (i = 0; i < program->nkeys; i++)
	{
		if (program->key_kind[i] > KEY_TEXT || program->key_word[i] != word)
			return false;
		word += words_of_key(program->key_kind[i]);
	}
	for (i = 0; i < program->nstates; i++)
	{
		if (program->state_kind[i] > STATE_LAST || program->state_word[i] != word)
			return false;
		word += state_words((StateKind) program->state_kind[i]);
	}
	return word == program->row_words;
}

static bool
materialized_ok(const Program *program)
{
	bool		ok = program->nmaterialized <= PROGRAM_MAX_MATERIALIZED;

	for (uint32_t k = 0; ok && k < program->nmaterialized; k++)
		ok = program->materialized[k] == COLTYPE_BOOL || program->materialized[k] == COLTYPE_I64 || program->materialized[k] == COLTYPE_F64;
	return ok;
}

static bool
outputs_ok(const Program *program)
{
	uint32_t	k;

	if (program->noutputs > PROGRAM_MAX_OUTPUTS || (program->aggregates && program->noutputs > 0))
		return false;
	for (k = 0; k < program->noutputs; k++)
		if (program->output[k] >= program->ncolumns)
			return false;
	return true;
}

/* Check a SelectSeek: the program has exactly one STATE_VALUES and no STATE_BINS. */
static bool
seek_ok(const Program *program)
{
	const SelectSeek *seek = &program->seek;
	uint32_t	nstates = 0;

	for (uint32_t s = 0; s < program->nstates; s++)
	{
		nstates += program->state_kind[s] == STATE_VALUES;
		if (program->state_kind[s] == STATE_BINS)
			nstates += 2;
	}
	return !seek->wanted ||
		(nstates == 1 && !program->grouped && seek->fraction >= 0 && seek->fraction <= 1 && seek->range.least <= seek->range.largest);
}

DeviceStatus
program_verify(const Program *program, uint32_t size)
{
	uint32_t	b;

	if (size < sizeof(Program) || program->magic != PROGRAM_MAGIC || program->size != size ||
		program->ncolumns > PROGRAM_MAX_COLUMNS || program->ntables > PROGRAM_MAX_TABLES ||
		!block_inside(program, program->words, (uint64_t) program->nwords * sizeof(uint64_t), 8) ||
		!block_inside(program, program->bytes, program->nbytes, 1) || !row_ok(program) || !outputs_ok(program) || !materialized_ok(program) ||
		!seek_ok(program) ||
		(!program->body[BODY_NARROW].exists && !program->body[BODY_WIDE].exists))
		return STATUS_BAD_PROGRAM;
	for (b = 0; b < 2; b++)
		if (program->body[b].exists && !body_ok(program, &program->body[b]))
			return STATUS_BAD_PROGRAM;
	return STATUS_DONE;
}

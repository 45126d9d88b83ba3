/*
 * select_form.cu
 *		Detection of programs that only count, or collect, the values of one
 *		column; on the host.
 */
#include "kernels/vm_launch.h"

/* Contents of a register. */
typedef enum Role
{
	ROLE_NONE,
	ROLE_CONSTANT,
	ROLE_VALUE,					/* value of the column */
	ROLE_KEY,					/* value of a float column as an integer in the order of floats */
	ROLE_IS_NULL,
	ROLE_IS_ZERO,				/* the value is -0 */
	ROLE_NOT_NULL_ROWS,			/* mask of rows with a value that is not NULL */
	ROLE_ZERO_ROWS				/* mask of rows with the value -0 */
} Role;

/* State of reading a program. */
typedef struct Reader
{
	const Program *program;
	SelectForm *form;
	uint8_t		role[PROGRAM_MAX_REGISTERS];
	int64_t		constant[PROGRAM_MAX_REGISTERS];
	uint32_t	counts;			/* number of states that are understood */
} Reader;

/* Return the number of the state at a word of a group's row. */
static uint32_t
state_at(const Program *program, int32_t word)
{
	uint32_t	s = 0;

	while (program->state_word[s] != word)
		s++;
	return s;
}

static bool
take_state(Reader *r, const Instr *in, SelectCount count)
{
	const uint32_t s = state_at(r->program, in->imm);

	if (s >= SELECT_STATES)
		return false;
	r->form->count[s] = (uint8_t) count;
	r->counts++;
	return true;
}

/* Return true if a register contains values in the form in which they are compared: a float's key, or an integer. */
static bool
is_compared(const Reader *r, uint16_t reg)
{
	return r->role[reg] == (r->form->is_float ? ROLE_KEY : ROLE_VALUE);
}

/* Return true if a mask selects all rows that matter: all rows, or those without NULL. */
static bool
is_all(const Reader *r, uint16_t mask)
{
	return mask == 0 || r->role[mask] == ROLE_NOT_NULL_ROWS;
}

static bool
read_load(Reader *r, const Instr *in, bool is_float)
{
	if (r->form->reads && (r->form->column != in->imm || r->form->is_float != is_float))
		return false;
	r->form->reads = true;
	r->form->column = (uint16_t) in->imm;
	r->form->is_float = is_float;
	r->role[in->dst] = ROLE_VALUE;
	return true;
}

static bool
read_count(Reader *r, const Instr *in)
{
	if (in->m != 0 && r->role[in->m] == ROLE_ZERO_ROWS)
		return take_state(r, in, SELECT_ZEROS);
	if (!is_all(r, in->m))
		return false;
	if (in->m != 0 || (in->a != 0 && (r->role[in->a] == ROLE_VALUE || r->role[in->a] == ROLE_KEY)))
		return take_state(r, in, SELECT_NOT_NULL);
	return in->a == 0 && take_state(r, in, SELECT_ROWS);
}

static bool
read_tally(Reader *r, const Instr *in)
{
	SelectForm *form = r->form;

	if (form->tallies || !is_compared(r, in->a) || !is_all(r, in->m) || r->role[in->b] != ROLE_CONSTANT)
		return false;
	form->tallies = true;
	form->collects = in->op == VMOP_VALUES;
	form->least = r->constant[in->b];
	form->shift = (uint8_t) in->c;
	return take_state(r, in, SELECT_LESS);
}

/* Return the largest value of the bins, or of the values that are collected. */
static int64_t
last_of_form(const SelectForm *form)
{
	const uint64_t bins = form->collects ? 1 : SELECT_BINS;
	const uint64_t span = form->shift > 63 - (form->collects ? 0 : SELECT_BITS) ? UINT64_MAX : (bins << form->shift) - 1;
	const uint64_t room = (uint64_t) INT64_MAX - (uint64_t) form->least;

	return (int64_t) ((uint64_t) form->least + (span < room ? span : room));
}

/* Read an instruction; return false if the program does not have the form. */
static bool
read_instr(Reader *r, const Instr *in)
{
	const uint8_t of_a = r->role[in->a];

	r->role[in->dst] = op_is_total(in->op) ? r->role[in->dst] : ROLE_NONE;
	switch ((Opcode) in->op)
	{
		case VMOP_END:
			return true;
		case VMOP_CONST_I:
			r->role[in->dst] = ROLE_CONSTANT;
			r->constant[in->dst] = (int64_t) program_words(r->program)[in->imm];
			return true;
		case VMOP_LOAD_I:
			return read_load(r, in, false);
		case VMOP_LOAD_F:
			return read_load(r, in, true);
		case VMOP_FLOAT_KEY:
			r->role[in->dst] = ROLE_KEY;
			return of_a == ROLE_VALUE;
		case VMOP_NEG_ZERO:
			r->role[in->dst] = ROLE_IS_ZERO;
			return of_a == ROLE_VALUE;
		case VMOP_NULL_I:
		case VMOP_NULL_F:
			r->role[in->dst] = ROLE_IS_NULL;
			return of_a == ROLE_VALUE || of_a == ROLE_KEY;
		case VMOP_MASK_TRUE:
			r->role[in->dst] = ROLE_ZERO_ROWS;
			return of_a == ROLE_IS_ZERO && is_all(r, in->b);
		case VMOP_MASK_NOT_TRUE:
			r->role[in->dst] = ROLE_NOT_NULL_ROWS;
			return of_a == ROLE_IS_NULL && is_all(r, in->b);
		case VMOP_COUNT:
			return read_count(r, in);
		case VMOP_MIN_I:
			return is_compared(r, in->a) && is_all(r, in->m) && take_state(r, in, SELECT_LEAST);
		case VMOP_MAX_I:
			return is_compared(r, in->a) && is_all(r, in->m) && take_state(r, in, SELECT_LARGEST);
		case VMOP_BINS:
		case VMOP_VALUES:
			return read_tally(r, in);
		default:
			return false;
	}
}

/* Return true if the kernel can read the stored form of a column. */
static bool
is_stored_plainly(const TabletColumn *column, bool is_float)
{
	return is_float ? column->type == COLTYPE_F64 || column->type == COLTYPE_F32
		: coltype_integer((ColType) column->type) && column->type != COLTYPE_I128;
}

bool
select_shape(const Program *program, int body, const Tablet *tablet, SelectForm *form)
{
	const Instr *code = program_instrs(program, body);
	Reader		r = {};

	*form = {};
	r.program = program;
	r.form = form;
	if (program->grouped || !program->aggregates || program->nstates > SELECT_STATES)
		return false;
	for (uint32_t pc = 0; pc < program->body[body].ninstrs; pc++)
		if (!read_instr(&r, &code[pc]))
			return false;
	for (uint32_t s = 0; s < program->nstates; s++)
	{
		form->zeros |= form->count[s] == SELECT_ZEROS;
		form->bounds |= form->count[s] == SELECT_LEAST || form->count[s] == SELECT_LARGEST;
	}
	form->gathers = program->seek.wanted;
	form->last = last_of_form(form);
	if (form->gathers && (!form->collects || form->least != program->seek.range.least))
		return false;
	return form->tallies && r.counts == program->nstates && is_stored_plainly(&tablet->column[form->column], form->is_float);
}

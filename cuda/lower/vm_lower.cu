/*
 * vm_lower.cu
 *		Lowering of a program's body to the accumulator machine's code.
 *
 * 1. Every operand is traced to the instruction that made its value; operations
 *	  on constants are folded.
 * 2. Aggregates, and stores of materialized rows, move up to where their
 *	  operand has just been made, so that no slot has to hold it.  A JUMP_NONE
 *	  stays only where it may save a load.
 * 3. vm_translate.cu translates each instruction.
 */
#include "core/vm/op_arith.h"

#include "lower/vm_lower.h"

/* Fold an operation on constants; only the operations that scale decimals. */
static void
fold(Lowering *l, const Instr *in, Value *v)
{
	int64_t		a;
	int64_t		b;

	if (l->keep || v->a < 0 || v->b < 0 || !is_inline(l, v->a) || !is_inline(l, v->b))
		return;
	a = (int64_t) l->value[v->a].word;
	b = (int64_t) l->value[v->b].word;
	v->constant = true;
	if (in->op == VMOP_ADD_D)
		v->word = (uint64_t) op_add_d(a, b);
	else if (in->op == VMOP_SUB_D)
		v->word = (uint64_t) op_sub_d(a, b);
	else if (in->op == VMOP_MUL_D)
		v->word = (uint64_t) op_mul_d(a, b);
	else
		v->constant = false;
}

static bool
may_be_null(const Lowering *l, const Instr *in, const Value *v)
{
	switch (op_info[in->op].shape)
	{
		case SHAPE_LOAD:
			return l->tablet->column[in->imm].null_count > 0;
		case SHAPE_CONSTANT:
			return in->c != 0;
		case SHAPE_TEST:
		case SHAPE_MASK:
		case SHAPE_KEY:
			return false;
		case SHAPE_COLLECTIVE:
			return in->op == VMOP_PLACE;
		case SHAPE_JOIN_KEY:
		case SHAPE_ROW:
		case SHAPE_FETCH:
			return true;
		default:
			return (v->a >= 0 && l->value[v->a].may_be_null) || (v->b >= 0 && l->value[v->b].may_be_null);
	}
}

/* Return true for the conversion of a word to 128 bits: its users, keys, take the word itself. */
static bool
is_widened(const Lowering *l, const Instr *in)
{
	return in->op == VMOP_WIDEN && !l->keep;
}

/* Trace operands to the instructions that made them. */
static void
resolve(Lowering *l)
{
	int			maker[PROGRAM_MAX_REGISTERS];

	for (int r = 0; r < PROGRAM_MAX_REGISTERS; r++)
		maker[r] = NOTHING;
	maker[0] = SELECTION;
	for (int i = 0; i < l->ninstrs; i++)
	{
		const Instr *in = &l->code[i];
		const OpInfo *info = &op_info[in->op];
		Value	   *v = &l->value[i];
		bool		counted = (in->op == VMOP_COUNT || in->op == VMOP_COUNT_G) && in->a != 0;

		v->a = info->a != KIND__ || counted ? maker[in->a] : NOTHING;
		v->b = info->b != KIND__ ? maker[in->b] : NOTHING;
		v->m = maker[in->m];
		/* BOUND is evaluated by the host */
		if (in->op == VMOP_BOUND)
			v->a = NOTHING;
		if (((info->a != KIND__ || counted) && v->a < 0 && in->op != VMOP_BOUND) || (info->b != KIND__ && v->b == NOTHING) || v->m == NOTHING)
			l->fails = true;
		v->is_bool = info->dst == KIND_B || info->dst == KIND_M;
		v->may_be_null = may_be_null(l, in, v);
		v->slot = NOTHING;
		v->last_use = NOTHING;
		if (info->shape == SHAPE_CONSTANT)
		{
			v->constant = true;
			v->word = program_words(l->program)[in->imm];
		}
		fold(l, in, v);
		if (info->dst != KIND__)
			maker[in->dst] = is_widened(l, in) ? v->a : i;
	}
}

static bool
is_store(const Instr *in)
{
	return op_info[in->op].shape == SHAPE_STORE;
}

/* Return the position for an instruction that depends only on the selection: behind the last filter. */
static int
behind_filters(const Lowering *l)
{
	int			at = l->length;

	while (at > 0 && l->code[l->order[at - 1]].op != VMOP_FILTER && l->code[l->order[at - 1]].op != VMOP_JUMP_NONE)
		at--;
	return at;
}

/*
 * Return the position for an aggregate or a store: behind its operands'
 * instructions, filters, the search for groups, and aggregates that are there.
 */
static int
behind_operands(const Lowering *l, int i)
{
	int			at = l->length;

	for (; at > 0; at--)
	{
		int			before = l->order[at - 1];
		uint16_t	op = l->code[before].op;

		if (before == l->value[i].a || before == l->value[i].m || op == VMOP_FILTER || op == VMOP_GROUP ||
			(before == l->value[i].b && is_store(&l->code[i])))
			break;
	}
	while (at < l->length && is_total(&l->code[l->order[at]]))
		at++;
	return at;
}

/*
 * Order the instructions: aggregates and stores behind the instructions that
 * make their operand, yet behind filters and the search for groups; the places
 * of materialized rows come first.
 */
static void
arrange(Lowering *l)
{
	for (int i = (int) l->program->body[l->shape->body].tile_start; i < l->ninstrs; i++)
	{
		const Instr *in = &l->code[i];
		int			at = l->length;

		/* another jump might leave a slot unset that is read behind it */
		l->fails |= in->op == VMOP_JUMP_NONE && l->code[in->imm].op != VMOP_END;
		if (l->value[i].constant || in->op == VMOP_BOUND || is_widened(l, in))
			continue;
		if (in->op == VMOP_PLACE)
			at = behind_filters(l);
		else if ((is_total(in) || is_store(in)) && l->value[i].a >= 0 && !l->value[l->value[i].a].constant)
			at = behind_operands(l, i);
		memmove(&l->order[at + 1], &l->order[at], (size_t) (l->length - at) * sizeof(l->order[0]));
		l->order[at] = i;
		l->length++;
	}
}

static void
count_use(Lowering *l, int v, int position)
{
	if (v < 0)
		return;
	l->value[v].uses++;
	if (l->value[v].last_use < position)
		l->value[v].last_use = position;
}

static void
count_uses(Lowering *l)
{
	int			group = l->length;

	for (int p = l->length - 1; p >= 0; p--)
	{
		const Value *v = &l->value[l->order[p]];
		uint16_t	op = l->code[l->order[p]].op;

		if (op == VMOP_GROUP)
			group = p;
		count_use(l, v->a, op == VMOP_KEY_I || op == VMOP_KEY_W ? group : p);
		count_use(l, v->b, p);
		count_use(l, v->m, p);
	}
}

/* Refuse a mask that is older than a filter, as it would need lanes that are no longer selected. */
static void
refuse_old_masks(Lowering *l)
{
	int			filter = l->length;

	for (int p = l->length - 1; p >= 0; p--)
	{
		const int	i = l->order[p];

		l->fails |= op_info[l->code[i].op].shape == SHAPE_MASK && l->value[i].last_use > filter;
		if (l->code[i].op == VMOP_FILTER)
			filter = p;
	}
}

/* Map registers to the slots of stored values, for tests. */
static void
map_registers(const Lowering *l)
{
	for (int i = 0; i < l->ninstrs; i++)
	{
		const Value *v = &l->value[i];

		if (op_info[l->code[i].op].dst != KIND__)
			l->shape->map[l->code[i].dst] = (uint16_t) (v->constant ? CONSTANT : v->slot == NOTHING ? 0
														: v->is_bool ? BOOL_SLOT | v->slot : v->slot);
	}
}

uint32_t
vm_code_bits(const TabletColumn *column)
{
	uint32_t	least;
	uint32_t	most;

	if (column->null_count > 0 || !codes_of_column(column, &least, &most))
		return 9;
	return most > least ? 32 - (uint32_t) __builtin_clz(most - least) : 0;
}

uint32_t
vm_key_columns(const Program *program, int body, uint16_t *column)
{
	const Instr *code = program_instrs(program, body);
	uint16_t	loaded[PROGRAM_MAX_REGISTERS];	/* column + 1 that was loaded into a register */
	uint32_t	n = 0;

	memset(loaded, 0, sizeof(loaded));
	for (uint32_t pc = 0; pc < program->body[body].ninstrs; pc++)
	{
		const Instr *in = &code[pc];

		if (in->op == VMOP_KEY_I && loaded[in->a] != 0 && n < PROGRAM_MAX_KEYS)
			column[n++] = (uint16_t) (loaded[in->a] - 1);
		if (op_info[in->op].dst != KIND__)
			loaded[in->dst] = in->op == VMOP_LOAD_I ? (uint16_t) (in->imm + 1) : 0;
	}
	return n == program->nkeys ? n : 0;
}

/* Return true if groups are to be found by a dense index. */
static bool
is_dense(const Program *program, const Tablet *tablet, uint32_t options, const VmShape *shape)
{
	uint16_t	column[PROGRAM_MAX_KEYS];
	uint32_t	n = (options & VM_DENSE) && !(options & (VM_KEEP | VM_MANY_GROUPS)) && !shape->joins
		? vm_key_columns(program, (int) shape->body, column) : 0;

	for (uint32_t k = 0; k < n; k++)
		if (tablet->column[column[k]].type != COLTYPE_U8 || tablet->column[column[k]].null_count > 0)
			return false;
	return n > 0;
}

void
vm_lower(const Program *program, int body, const Tablet *tablet, uint32_t options, VmShape *shape)
{
	Lowering	l;

	memset(&shape->code, 0, sizeof(shape->code));
	if ((options & VM_GENERAL) || program->body[body].ninstrs > MOST_INSTRS)
		return;
	memset(&l, 0, sizeof(l));
	l.program = program;
	l.tablet = tablet;
	l.code = program_instrs(program, body);
	l.ninstrs = program->body[body].ninstrs;
	l.keep = (options & VM_KEEP) != 0;
	/* places of groups are byte offsets of 16 bits with a dense index */
	l.dense = is_dense(program, tablet, options, shape) && shape->group_bytes <= 0x10000;
	l.shape = shape;
	l.out = &shape->code;
	resolve(&l);
	if (!l.fails)
		arrange(&l);
	if (!l.fails)
	{
		count_uses(&l);
		refuse_old_masks(&l);
	}
	if (!l.fails)
		vm_translate(&l);
	shape->dense = l.dense && !l.fails;
	if (l.fails)
		memset(&shape->code, 0, sizeof(shape->code));
	else if (l.keep)
		map_registers(&l);
}

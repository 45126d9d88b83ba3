/*
 * vm_translate.cu
 *		Translation of ordered instructions to the accumulator machine's code.
 *
 * Each instruction is translated with its first operand in an accumulator.
 * What it does with its result is done in the same instruction if possible:
 * filling a slot, filtering by a range, adding to a sum.  Values that are
 * wanted later are stored in slots.  Which values these are is discovered
 * during translation, so it is repeated until no new one is found.
 */
#include "core/vm/op_cast.h"
#include "core/vm/op_compare.h"
#include "core/vm/op_date.h"
#include "core/vm/op_logic.h"
#include "core/vm/vm.h"

#include "lower/vm_lower.h"

/* Return true if there is a load before the next jump, which a jump at this position could save. */
static bool
saves_load(const Lowering *l, int position)
{
	for (int p = position + 1; p < l->length; p++)
	{
		const Instr *in = &l->code[l->order[p]];

		if (op_info[in->op].shape == SHAPE_LOAD || op_info[in->op].shape == SHAPE_FETCH || in->op == VMOP_PROBE)
			return true;
		if (in->op == VMOP_JUMP_NONE)
			break;
	}
	return false;
}

/* Translate an operation on two words; `op` is its _R form, which the other forms follow. */
static VmOp *
put_binary(Lowering *l, const Value *v, int op, bool commutes)
{
	int			other = v->b;
	VmOp	   *to;

	if (is_inline(l, v->a) || (l->acc == v->b && l->acc != v->a && !is_inline(l, v->b)))
	{
		other = v->a;
		need(l, v->b);
		op += commutes ? 0 : 2;
	}
	else
		need(l, v->a);
	if (is_inline(l, other))
	{
		to = put_op(l, op + 1);
		to->imm = (int64_t) l->value[other].word;
		return to;
	}
	to = put_op(l, op);
	to->slot = from_slot(l, other);
	to->flags = null_flag(l, other);
	return to;
}

/*
 * Express a comparison with a constant as a range of the values that pass,
 * from *low to *high; return false if it is not of this form.
 */
static bool
range_of(const Lowering *l, const Instr *in, const Value *v, int64_t *low, int64_t *high)
{
	bool		left = is_inline(l, v->a);
	int64_t		c;

	if (left == is_inline(l, v->b))
		return false;
	c = (int64_t) l->value[left ? v->a : v->b].word;
	*low = INT64_MIN;
	*high = INT64_MAX;
	switch ((Opcode) in->op)
	{
		case VMOP_EQ_I:
			*low = *high = c;
			return true;
		case VMOP_LE_I:
			*(left ? low : high) = c;
			return true;
		case VMOP_LT_I:
			/* no integer is beyond the last one */
			if (c == (left ? INT64_MAX : INT64_MIN))
				return false;
			*(left ? low : high) = left ? c + 1 : c - 1;
			return true;
		default:
			return false;
	}
}

/*
 * Translate a filter by a comparison with a constant to a range, merged with
 * the range before it; return false if it has no such form.
 */
static bool
put_range(Lowering *l, const Instr *in, const Value *v)
{
	int64_t		low;
	int64_t		high;
	VmOp	   *to;

	if (!range_of(l, in, v, &low, &high))
		return false;
	need(l, is_inline(l, v->a) ? v->b : v->a);
	to = put_more(l, FLAG_JUMP_NONE | FLAG_SUM);
	if (!(to->flags & FLAG_RANGE))
	{
		to->low = INT64_MIN;
		to->high = INT64_MAX;
	}
	to->flags |= FLAG_RANGE;
	to->low = low > to->low ? low : to->low;
	to->high = high < to->high ? high : to->high;
	return true;
}

/*
 * Translate a comparison; if its only use is the filter behind it, the
 * instruction filters, too.  Returns true in that case.
 */
static bool
put_comparison(Lowering *l, int position, int op, bool commutes)
{
	int			i = l->order[position];
	const Value *v = &l->value[i];
	const Instr *next = &l->code[l->order[position + 1]];
	bool		filter = !l->keep && v->uses == 1 && next->op == VMOP_FILTER && l->value[l->order[position + 1]].a == i;
	VmOp	   *to;

	if (!filter || !put_range(l, &l->code[i], v))
	{
		to = put_binary(l, v, op, commutes);
		to->flags |= filter ? FLAG_FILTER : 0;
	}
	release(l, position);
	if (!filter)
		made(l, i);
	return filter;
}

/*
 * Let the last instruction, the load of a frame-of-reference encoded column,
 * add a constant that is added to its value, if that is its only use; return
 * false if not possible.
 */
static bool
add_while_loading(Lowering *l, const Instr *in, const Value *v)
{
	bool		left = in->op == VMOP_ADD_D && is_inline(l, v->a);
	int			loaded = left ? v->b : v->a;
	int			added = left ? v->a : v->b;
	uint64_t	c;

	if ((in->op != VMOP_ADD_D && in->op != VMOP_SUB_D) || l->keep || !is_inline(l, added) || l->acc != loaded ||
		l->value[loaded].uses != 1 || l->more == NULL || !loads_for_encoded(l->more) || (l->more->flags & FLAG_MORE))
		return false;
	c = l->value[added].word;
	l->more->imm += (int64_t) (in->op == VMOP_ADD_D ? c : -c);
	return true;
}

static void
put_arithmetic(Lowering *l, int position, int op, bool commutes)
{
	int			i = l->order[position];
	const Value *v = &l->value[i];
	uint8_t		mask;
	VmOp	   *to;

	if (add_while_loading(l, &l->code[i], v))
	{
		release(l, position);
		made(l, i);
		return;
	}
	mask = mask_of(l, v->m);
	to = put_binary(l, v, op, commutes);
	to->mask = mask;
	to->x = op_info[l->code[i].op].status;
	release(l, position);
	made(l, i);
}

/* Translate an operation on an accumulator and perhaps a bool slot. */
static void
put_unary(Lowering *l, int position, int op)
{
	int			i = l->order[position];
	const Value *v = &l->value[i];
	VmOp	   *to;

	if (v->a >= 0)
		need(l, v->a);
	to = put_op(l, op);
	/* a mask made of the selection has it as m */
	if (v->b >= 0)
	{
		to->slot = from_slot(l, v->b);
		to->flags = null_flag(l, v->b);
	}
	to->mask = op_info[l->code[i].op].shape == SHAPE_MASK ? mask_of(l, v->b) : mask_of(l, v->m);
	to->x = op_info[l->code[i].op].status;
	release(l, position);
	made(l, i);
}

static void
put_blend(Lowering *l, int position)
{
	const Value *v = &l->value[l->order[position]];
	VmOp	   *to;

	if (!is_inline(l, v->b))
	{
		put_unary(l, position, VMX_BLEND_R);
		return;
	}
	need(l, v->a);
	to = put_op(l, VMX_BLEND_C);
	to->imm = (int64_t) l->value[v->b].word;
	to->mask = mask_of(l, v->m);
	release(l, position);
	made(l, l->order[position]);
}

static VmxOp
for_encoded_load_op(ColType type)
{
	return type == COLTYPE_SAME ? VMX_LOAD_SAME : type == COLTYPE_U8 ? VMX_LOAD_U8_FOR
		: type == COLTYPE_U16 ? VMX_LOAD_U16_FOR : VMX_LOAD_U32_FOR;
}

static VmxOp
load_op(ColType type)
{
	switch (type)
	{
		case COLTYPE_BOOL: return VMX_LOAD_BOOL;
		case COLTYPE_U8: return VMX_LOAD_U8;
		case COLTYPE_I16: return VMX_LOAD_I16;
		case COLTYPE_I32: return VMX_LOAD_I32;
		case COLTYPE_U32: return VMX_LOAD_U32;
		case COLTYPE_I128: return VMX_LOAD_I128;
		case COLTYPE_F32: return VMX_LOAD_F32;
		case COLTYPE_I64:
		case COLTYPE_F64:
		case COLTYPE_TEXT:
		case COLTYPE_SAME:
		case COLTYPE_U16:
		case COLTYPE_Count: break;
	}
	return VMX_LOAD_64;
}

/* Return the number of a load's column in the code, and add the column to the code if needed. */
static uint8_t
number_of_column(Lowering *l, const Instr *in)
{
	const TabletColumn *column = &l->tablet->column[in->imm];
	VmCode	   *out = l->out;
	int			c = 0;

	while (c < out->ncolumns && (out->column[c] & ~COLUMN_NULLS) != in->imm)
		c++;
	if (c == VM_COLUMNS_MAX || !vm_can_load(in->op, column->type))
	{
		l->fails = true;
		return 0;
	}
	if (c == out->ncolumns)
	{
		out->column[out->ncolumns] = (uint16_t) (in->imm | (column->null_count > 0 ? COLUMN_NULLS : 0));
		out->type[out->ncolumns++] = (uint8_t) (column->type | (column_for_encoded(column) ? TYPE_FOR_ENCODED : 0));
	}
	return (uint8_t) c;
}

/* Return true if a value is only used as a key. */
static bool
is_only_key(const Lowering *l, int i)
{
	int			uses = 0;

	for (int p = 0; p < l->length; p++)
		uses += l->code[l->order[p]].op == VMOP_KEY_I && l->value[l->order[p]].a == i;
	return uses == l->value[i].uses;
}

static void
put_load(Lowering *l, int position)
{
	int			i = l->order[position];
	const Instr *in = &l->code[i];
	const TabletColumn *column = &l->tablet->column[in->imm];
	uint8_t		c;
	VmOp	   *to;

	if (l->dense && is_only_key(l, i))
		return;
	c = number_of_column(l, in);
	if (l->fails)
		return;
	to = put_op(l, column_for_encoded(column) ? for_encoded_load_op((ColType) column->type) : load_op((ColType) column->type));
	to->slot = c;
	to->flags = null_flag(l, i);
	made(l, i);
}

/* Joins */

/* Translate a part of a join key. */
static void
put_join_key(Lowering *l, int position)
{
	const Instr *in = &l->code[l->order[position]];
	const Value *v = &l->value[l->order[position]];
	const bool	first = is_inline(l, v->b) && l->value[v->b].word == 0;
	uint8_t		slot = first ? 0 : from_slot(l, v->b);
	VmOp	   *to;

	if (l->out->nparts == VM_PARTS_MAX)
	{
		l->fails = true;
		return;
	}
	need(l, v->a);
	to = put_op(l, first ? VMX_JOIN_FIRST : VMX_JOIN_NEXT);
	to->imm = l->out->nparts++;
	to->slot = slot;
	to->flags = first ? 0 : null_flag(l, v->b);
	to->x = JOIN_OP(in->imm - 1, in->c);
	release(l, position);
	made(l, l->order[position]);
}

static void
put_probe(Lowering *l, int position)
{
	const Instr *in = &l->code[l->order[position]];

	need(l, l->value[l->order[position]].a);
	put_op(l, VMX_PROBE)->x = JOIN_OP(in->imm - 1, 0);
	release(l, position);
	made(l, l->order[position]);
}

/*
 * Translate the test if a row was found; if its only use is the filter behind
 * it, the probe filters, too.  Returns true in that case.
 */
static bool
put_found(Lowering *l, int position)
{
	const int	i = l->order[position];
	const int	row = l->value[i].a;
	const bool	filter = !l->keep && l->value[i].uses == 1 && l->code[l->order[position + 1]].op == VMOP_FILTER &&
		l->value[l->order[position + 1]].a == i;

	if (filter && l->acc == row && l->more != NULL && l->more->op == VMX_PROBE)
	{
		l->more->flags |= FLAG_FILTER;
		release(l, position);
		return true;
	}
	need(l, row);
	put_op(l, VMX_FOUND);
	l->t = NOTHING;
	release(l, position);
	made(l, i);
	return false;
}

static void
put_keep(Lowering *l, int position)
{
	const Value *v = &l->value[l->order[position]];

	need(l, v->b);
	need(l, v->a);
	put_op(l, VMX_KEEP);
	release(l, position);
	made(l, l->order[position]);
}

static_assert(VMOP_Count <= UINT8_MAX, "an opcode does not fit");

static void
put_fetch(Lowering *l, int position)
{
	const Instr *in = &l->code[l->order[position]];
	VmCode	   *out = l->out;
	uint8_t		f = 0;
	VmOp	   *to;

	while (f < out->nfetches && out->fetch[f] != in->c)
		f++;
	if (f == VM_FETCHES_MAX || FETCH_TABLE(in->c) == 0)
	{
		l->fails = true;
		return;
	}
	if (f == out->nfetches)
		out->fetch[out->nfetches++] = in->c;
	need(l, l->value[l->order[position]].a);
	to = put_op(l, VMX_FETCH);
	to->slot = f;
	to->x = (uint8_t) in->op;
	l->acc = NOTHING;
	release(l, position);
	made(l, l->order[position]);
}

/* Materialized rows */

static void
put_place(Lowering *l, int position)
{
	put_op(l, VMX_PLACE);
	l->acc = NOTHING;
	made(l, l->order[position]);
}

static void
put_store(Lowering *l, int position)
{
	const Instr *in = &l->code[l->order[position]];
	const Value *v = &l->value[l->order[position]];
	const uint8_t slot = from_slot(l, v->b);
	VmOp	   *to;

	need(l, v->a);
	to = put_op(l, in->op == VMOP_STORE_B ? VMX_STORE_BOOL : VMX_STORE_WORD);
	to->slot = slot;
	to->flags = null_flag(l, v->b);
	to->x = (uint8_t) in->imm;
	release(l, position);
}

/* Translate a test of dictionary codes, or the extraction of a date's field. */
static void
put_apart(Lowering *l, int position, VmxOp op)
{
	const int	i = l->order[position];
	const uint8_t mask = mask_of(l, l->value[i].m);
	VmOp	   *to;

	need(l, l->value[i].a);
	to = put_op(l, op);
	to->mask = mask;
	to->x = op_info[l->code[i].op].status;
	to->imm = (int64_t) l->code[i].imm;
	release(l, position);
	made(l, i);
}

/* Translate the search for groups, if their hash is made of one key after the other. */
static void
put_group(Lowering *l, int position)
{
	int			last = l->value[l->order[position]].a;
	int			key[PROGRAM_MAX_KEYS];
	int			n = l->program->nkeys;
	VmOp	   *to;

	for (int k = n - 1; k >= 0; k--)
	{
		if (last < 0 || (l->code[last].op != VMOP_KEY_I && l->code[last].op != VMOP_KEY_W) || l->code[last].imm != k)
		{
			l->fails = true;
			return;
		}
		key[k] = l->value[last].a;
		last = l->value[last].b;
	}
	l->fails |= !is_inline(l, last);
	if (l->fails)
		return;
	to = put_op(l, l->dense ? VMX_GROUP_DENSE : VMX_GROUP);
	to->imm = (int64_t) l->value[last].word;
	for (int k = 0; k < n; k++)
	{
		const uint8_t slot = l->dense ? number_of_column(l, &l->code[key[k]]) : from_slot(l, key[k]);

		to = put_op(l, VMX_KEY);
		to->slot = slot;
		to->flags = null_flag(l, key[k]);
		if (l->program->key_kind[k] != KEY_WIDE)
			continue;
		to = put_op(l, VMX_KEY);
		to->slot = slot;
		to->flags = null_flag(l, key[k]) | FLAG_SIGN;
	}
	l->acc = l->t = NOTHING;
	release(l, position);
}

static void
put_filter(Lowering *l, int position)
{
	need(l, l->value[l->order[position]].a);
	put_op(l, VMX_FILTER);
	release(l, position);
}

/* Translate the test for a float -0: its bits are those of the least integer. */
static void
put_negative_zero(Lowering *l, int position)
{
	const int	i = l->order[position];

	need(l, l->value[i].a);
	put_op(l, VMX_EQ_I_C)->imm = INT64_MIN;
	release(l, position);
	made(l, i);
}

/* Translate the instruction at a position; return the number of instructions translated. */
static int
put_instr(Lowering *l, int position)
{
	const Instr *in = &l->code[l->order[position]];

	switch ((Opcode) in->op)
	{
		case VMOP_END: put_op(l, VMX_END); break;
		case VMOP_FILTER: put_filter(l, position); break;
		case VMOP_JUMP_NONE:
			if (saves_load(l, position))
				put_more(l, 0)->flags |= l->program->aggregates ? FLAG_JUMP_NONE : FLAG_JUMP_NONE | FLAG_EMIT;
			break;
		case VMOP_LOAD_B:
		case VMOP_LOAD_I:
		case VMOP_LOAD_F:
		case VMOP_LOAD_T: put_load(l, position); break;
		case VMOP_MASK_TRUE: put_unary(l, position, VMX_MASK_TRUE); break;
		case VMOP_MASK_NOT_TRUE: put_unary(l, position, VMX_MASK_NOT_TRUE); break;
		case VMOP_MASK_NOT_FALSE: put_unary(l, position, VMX_MASK_NOT_FALSE); break;
		case VMOP_BLEND_B: put_unary(l, position, VMX_BLEND_BOOL); break;
		case VMOP_BLEND_I:
		case VMOP_BLEND_F:
		case VMOP_BLEND_T: put_blend(l, position); break;
		case VMOP_AND: put_unary(l, position, VMX_AND); break;
		case VMOP_OR: put_unary(l, position, VMX_OR); break;
		case VMOP_NOT: put_unary(l, position, VMX_NOT); break;
		case VMOP_IS_TRUE: put_unary(l, position, VMX_IS_TRUE); break;
		case VMOP_IS_FALSE: put_unary(l, position, VMX_IS_FALSE); break;
		case VMOP_NULL_B: put_unary(l, position, VMX_NULL_BOOL); break;
		case VMOP_NULL_I:
		case VMOP_NULL_F:
		case VMOP_NULL_T: put_unary(l, position, VMX_NULL_WORD); break;
		case VMOP_EQ_I: return 1 + put_comparison(l, position, VMX_EQ_I_R, true);
		case VMOP_NE_I: return 1 + put_comparison(l, position, VMX_NE_I_R, true);
		case VMOP_LT_I: return 1 + put_comparison(l, position, VMX_LT_I_R, false);
		case VMOP_LE_I: return 1 + put_comparison(l, position, VMX_LE_I_R, false);
		case VMOP_EQ_F: return 1 + put_comparison(l, position, VMX_EQ_F_R, true);
		case VMOP_NE_F: return 1 + put_comparison(l, position, VMX_NE_F_R, true);
		case VMOP_LT_F: return 1 + put_comparison(l, position, VMX_LT_F_R, false);
		case VMOP_LE_F: return 1 + put_comparison(l, position, VMX_LE_F_R, false);
		case VMOP_ADD_D: put_arithmetic(l, position, VMX_ADD_D_R, true); break;
		case VMOP_SUB_D: put_arithmetic(l, position, VMX_SUB_D_R, false); break;
		case VMOP_MUL_D: put_arithmetic(l, position, VMX_MUL_D_R, true); break;
		case VMOP_ADD_I4: put_arithmetic(l, position, VMX_ADD_I4_R, true); break;
		case VMOP_SUB_I4: put_arithmetic(l, position, VMX_SUB_I4_R, false); break;
		case VMOP_MUL_I4: put_arithmetic(l, position, VMX_MUL_I4_R, true); break;
		case VMOP_ADD_I8: put_arithmetic(l, position, VMX_ADD_I8_R, true); break;
		case VMOP_SUB_I8: put_arithmetic(l, position, VMX_SUB_I8_R, false); break;
		case VMOP_ADD_F8: put_arithmetic(l, position, VMX_ADD_F8_R, true); break;
		case VMOP_SUB_F8: put_arithmetic(l, position, VMX_SUB_F8_R, false); break;
		case VMOP_MUL_F8: put_arithmetic(l, position, VMX_MUL_F8_R, true); break;
		case VMOP_BOOL_TO_INT: put_unary(l, position, VMX_BOOL_TO_INT); break;
		case VMOP_INT_TO_F8: put_unary(l, position, VMX_INT_TO_F8); break;
		case VMOP_FLOAT_KEY: put_unary(l, position, VMX_FLOAT_KEY); break;
		case VMOP_NEG_ZERO: put_negative_zero(l, position); break;
		case VMOP_DATE_TO_TS: put_unary(l, position, VMX_DATE_TO_TS); break;
		case VMOP_JOIN_I: put_join_key(l, position); break;
		case VMOP_PROBE: put_probe(l, position); break;
		case VMOP_FOUND_R: return 1 + put_found(l, position);
		case VMOP_KEEP_R: put_keep(l, position); break;
		case VMOP_FETCH_B:
		case VMOP_FETCH_I:
		case VMOP_FETCH_F: put_fetch(l, position); break;
		case VMOP_PLACE: put_place(l, position); break;
		case VMOP_STORE_B:
		case VMOP_STORE_I:
		case VMOP_STORE_F:
		case VMOP_STORE_R: put_store(l, position); break;
		case VMOP_TEST_CODE: put_apart(l, position, VMX_TEST_CODE); break;
		case VMOP_PART_DATE: put_apart(l, position, VMX_PART_DATE); break;
		case VMOP_KEY_I:
		case VMOP_KEY_W: break;
		case VMOP_GROUP: put_group(l, position); break;
		case VMOP_EMIT: put_op(l, VMX_EMIT); break;
		default:
			put_totals(l, position);
			break;
	}
	return 1;
}

/* Load constants that are wanted from slots, again in each tile. */
static void
put_constants(Lowering *l)
{
	for (int i = 0; i < l->ninstrs; i++)
		if (l->value[i].constant && l->value[i].wanted)
		{
			need(l, i);
			made(l, i);
		}
}

static void
translate_once(Lowering *l)
{
	memset(l->word_slot, 0, sizeof(l->word_slot));
	memset(l->bool_slot, 0, sizeof(l->bool_slot));
	memset(l->out, 0, sizeof(*l->out));
	l->acc = l->t = NOTHING;
	l->more = NULL;
	l->again = false;
	for (int i = 0; i < l->ninstrs; i++)
		l->value[i].slot = NOTHING;
	put_constants(l);
	for (int p = 0; p < l->length && !l->fails;)
		p += put_instr(l, p);
}

void
vm_translate(Lowering *l)
{
	do
		translate_once(l);
	while (l->again && !l->fails);
	if (!l->fails && !l->keep)
		vm_fuse(l);
}

/*
 * vm_totals.cu
 *		Translation of instructions that update the states of groups.
 */
#include "lower/vm_lower.h"

static uint16_t
state_of(const Lowering *l, const Instr *in)
{
	uint16_t	s = 0;

	while (l->program->state_word[s] != in->imm)
		s++;
	return s;
}

static void
put_total(Lowering *l, int position, int op, int op_grouped)
{
	const Instr *in = &l->code[l->order[position]];
	const Value *v = &l->value[l->order[position]];
	bool		counts = in->op == VMOP_COUNT || in->op == VMOP_COUNT_G;
	bool		reads = v->a >= 0 && (!counts || l->value[v->a].may_be_null);
	VmOp	   *to;
	uint8_t		mask = mask_of(l, v->m);

	if (reads)
		need(l, v->a);
	to = put_op(l, l->program->grouped ? op_grouped : op);
	to->mask = mask;
	to->x = (uint8_t) state_of(l, in);
	if (reads && counts)
		to->flags = l->value[v->a].is_bool ? FLAG_BOOL_NULLS : FLAG_ACC_NULLS;
	release(l, position);
}

/* Translate a total that counts or collects values in a tally, from a constant on. */
static void
put_tally(Lowering *l, int position, int op)
{
	const Instr *in = &l->code[l->order[position]];
	const Value *v = &l->value[l->order[position]];
	const uint8_t mask = mask_of(l, v->m);
	VmOp	   *to;

	if (!is_inline(l, v->b))
	{
		l->fails = true;
		return;
	}
	need(l, v->a);
	to = put_op(l, op);
	to->mask = mask;
	to->x = (uint8_t) state_of(l, in);
	to->slot = (uint8_t) tally_of_state(l->program, to->x);
	to->imm = (int64_t) l->value[v->b].word;
	to->low = in->c;
	release(l, position);
}

/* Translate a sum, which is added to the last instruction if that has the same mask. */
static void
put_sum(Lowering *l, int position)
{
	const Value *v = &l->value[l->order[position]];
	uint8_t		mask = mask_of(l, v->m);
	VmOp	   *to;

	need(l, v->a);
	to = put_more(l, FLAG_SUM);
	if (to->mask != mask)
		to = put_op(l, VMX_NOTHING);
	to->mask = mask;
	to->sum = (uint8_t) state_of(l, &l->code[l->order[position]]);
	to->flags |= FLAG_SUM;
	release(l, position);
}

/* Translate a total whose operand is in a slot, not in an accumulator. */
static void
put_take(Lowering *l, int position)
{
	const Instr *in = &l->code[l->order[position]];
	const Value *v = &l->value[l->order[position]];
	uint8_t		mask = mask_of(l, v->m);
	uint8_t		slot = from_slot(l, v->a);
	VmOp	   *to = put_op(l, VMX_TAKE_F);

	to->mask = mask;
	to->slot = slot;
	to->flags = null_flag(l, v->a);
	to->x = (uint8_t) state_of(l, in);
	to->imm = in->op;
	l->acc = l->t = NOTHING;
	release(l, position);
}

void
put_totals(Lowering *l, int position)
{
	switch ((Opcode) l->code[l->order[position]].op)
	{
		case VMOP_COUNT:
		case VMOP_COUNT_G: put_total(l, position, VMX_COUNT, VMX_COUNT_G); break;
		case VMOP_SUM_I:
		case VMOP_SUM_I_G: put_sum(l, position); break;
		case VMOP_MIN_I:
		case VMOP_MIN_I_G: put_total(l, position, VMX_MIN_I, VMX_MIN_I_G); break;
		case VMOP_MAX_I:
		case VMOP_MAX_I_G: put_total(l, position, VMX_MAX_I, VMX_MAX_I_G); break;
		case VMOP_BINS: put_tally(l, position, VMX_BINS); break;
		case VMOP_VALUES: put_tally(l, position, VMX_VALUES); break;
		case VMOP_EXACT:
		case VMOP_SUM_F:
		case VMOP_SUM_F_G:
		case VMOP_SUM_SQ:
		case VMOP_SUM_SQ_G: put_take(l, position); break;
		default:
			l->fails = true;
			break;
	}
}

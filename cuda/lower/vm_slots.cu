/*
 * vm_slots.cu
 *		Accumulators and slots during the translation to the accumulator
 *		machine's code.
 */
#include "lower/vm_lower.h"

VmOp *
put_op(Lowering *l, int op)
{
	static VmOp nowhere;
	VmOp	   *to;

	if (l->out->length == VM_CODE_MAX - 1)
	{
		l->fails = true;
		return &nowhere;
	}
	to = &l->out->op[l->out->length++];
	memset(to, 0, sizeof(*to));
	to->op = (uint8_t) op;
	l->more = op == VMX_GROUP || op == VMX_GROUP_DENSE || op == VMX_KEY ? NULL : to;
	return to;
}

/* Return the last instruction if it has none of the flags `without`, else a new one. */
VmOp *
put_more(Lowering *l, uint16_t without)
{
	return l->more != NULL && !(l->more->flags & without) ? l->more : put_op(l, VMX_NOTHING);
}

static int
take_slot(Lowering *l, bool *taken, uint16_t *most)
{
	int			s = 0;

	while (s < MOST_SLOTS && taken[s])
		s++;
	if (s == MOST_SLOTS)
	{
		l->fails = true;
		return 0;
	}
	taken[s] = true;
	if (*most <= s)
		*most = (uint16_t) (s + 1);
	return s;
}

/* Release the slots of values that are not used after a position. */
void
release(Lowering *l, int position)
{
	for (int i = 0; i < l->ninstrs && !l->keep; i++)
	{
		Value	   *v = &l->value[i];

		if (v->slot == NOTHING || v->last_use > position)
			continue;
		if (v->is_bool)
			l->bool_slot[v->slot] = false;
		else
			l->word_slot[v->slot] = false;
		v->slot = NOTHING;
	}
}

/* Note that an accumulator has a new value, and store the value in a slot if it is wanted there. */
void
made(Lowering *l, int i)
{
	Value	   *v = &l->value[i];
	VmOp	   *op;

	if (v->is_bool)
		l->t = i;
	else
		l->acc = i;
	if (!v->wanted && !l->keep)
		return;
	v->slot = v->is_bool ? take_slot(l, l->bool_slot, &l->out->bool_slots) : take_slot(l, l->word_slot, &l->out->slots);
	if (v->is_bool)
	{
		op = put_op(l, VMX_PUT_BOOL);
		op->slot = (uint8_t) v->slot;
		op->flags = v->may_be_null || l->keep ? FLAG_NULLS : 0;
		return;
	}
	op = put_more(l, FLAG_MORE);
	op->put = (uint8_t) v->slot;
	op->flags |= v->may_be_null || l->keep ? FLAG_PUT | FLAG_PUT_NULLS : FLAG_PUT;
}

/* Return the slot of an operand's value; if the value was not known to be wanted from a slot, translate again. */
uint8_t
from_slot(Lowering *l, int v)
{
	if (!l->value[v].wanted)
		l->value[v].wanted = l->again = true;
	return (uint8_t) (l->value[v].slot == NOTHING ? 0 : l->value[v].slot);
}

uint8_t
null_flag(const Lowering *l, int v)
{
	return l->value[v].may_be_null ? FLAG_NULLS : 0;
}

uint8_t
mask_of(Lowering *l, int v)
{
	return v == SELECTION ? 0 : (uint8_t) (from_slot(l, v) + 1);
}

/* Load a value into its accumulator. */
void
need(Lowering *l, int i)
{
	const Value *v = &l->value[i];
	VmOp	   *op;

	if (i == (v->is_bool ? l->t : l->acc))
		return;
	if (v->constant)
	{
		op = put_op(l, v->is_bool ? VMX_SET_BOOL : VMX_SET);
		op->imm = (int64_t) v->word;
	}
	else
	{
		op = put_op(l, v->is_bool ? VMX_GET_BOOL : VMX_GET);
		op->slot = from_slot(l, i);
	}
	op->flags = null_flag(l, i);
	if (v->is_bool)
		l->t = i;
	else
		l->acc = i;
}

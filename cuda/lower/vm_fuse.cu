/*
 * vm_fuse.cu
 *		Fusion of instructions of the accumulator machine's code.
 *
 * Ranges are compared with a column's stored values, rows are counted along
 * with a sum, and filters are separated from what is computed for the rows
 * that pass them.
 */
#include "lower/vm_lower.h"

/* Ranges */

/* Return true if acc, as it is behind an instruction, is read before it is overwritten. */
static bool
word_is_read(const VmCode *code, uint32_t pc)
{
	for (;;)
	{
		const VmOp *op = &code->op[++pc];

		switch ((VmxOp) op->op)
		{
			case VMX_END:
			case VMX_GET:
			case VMX_SET:
			case VMX_GROUP:
			case VMX_GROUP_DENSE:
			case VMX_LOAD_64:
			case VMX_LOAD_U8_FOR:
			case VMX_LOAD_U16_FOR:
			case VMX_LOAD_U32_FOR:
				return false;
			case VMX_NOTHING:
			case VMX_COUNT:
			case VMX_COUNT_G:
				if (op->flags & (FLAG_PUT | FLAG_RANGE | FLAG_SUM | FLAG_ACC_NULLS))
					return true;
				break;
			default:
				return true;
		}
	}
}

/*
 * Compare the stored values of a frame-of-reference encoded column where the
 * loaded value is only compared with a range.
 */
static void
compare_stored(VmCode *out)
{
	for (uint32_t pc = 0; pc < out->length && out->nranges < VM_RANGES_MAX; pc++)
	{
		VmOp	   *op = &out->op[pc];

		if (!loads_for_encoded(op) || op->imm != 0 || !(op->flags & FLAG_RANGE) || (op->flags & (FLAG_PUT | FLAG_SUM)) ||
			word_is_read(out, pc))
			continue;
		op->op = (uint8_t) (op->op - VMX_LOAD_U8_FOR + VMX_RANGE_U8);
		op->flags &= (uint16_t) ~FLAG_RANGE;
		op->x = out->nranges;
		out->range[out->nranges++] = (uint8_t) pc;
	}
}

/* Counts along with sums */

/* Return a sum of a column's own values that are mostly within 32 bits and not below 0; NULL if there is none. */
static VmOp *
sum_that_counts(const Lowering *l)
{
	for (uint32_t pc = 0; pc < l->out->length; pc++)
	{
		VmOp	   *op = &l->out->op[pc];
		const TabletColumn *column;

		if (!loads_for_encoded(op) || !(op->flags & FLAG_SUM) || (op->flags & FLAG_NULLS) || op->imm != 0 || op->mask != 0)
			continue;
		column = &l->tablet->column[l->out->column[op->slot] & ~COLUMN_NULLS];
		if (wide_load(column->min) >= 0 && wide_load(column->max) <= UINT32_MAX)
			return op;
	}
	return NULL;
}

/*
 * Remove a count; a sum that it does as well is moved to the previous
 * instruction if that can do it, as it is of the same lanes.
 */
static void
remove_count(VmCode *out, uint32_t pc)
{
	VmOp	   *op = &out->op[pc];
	VmOp	   *before = op - 1;

	op->op = VMX_NOTHING;
	op->x = 0;
	if ((op->flags & FLAG_MORE) == FLAG_SUM && !(before->flags & FLAG_SUM) && before->mask == op->mask && before->op != VMX_KEY)
	{
		before->flags |= FLAG_SUM;
		before->sum = op->sum;
		op->flags = 0;
	}
	if (op->flags & FLAG_MORE)
		return;
	memmove(op, op + 1, (out->length - pc - 1) * sizeof(VmOp));
	memset(&out->op[--out->length], 0, sizeof(VmOp));
}

/* Let a sum count all rows of a group as well, which saves the count's words and an instruction. */
static void
count_along(Lowering *l)
{
	VmOp	   *sum = sum_that_counts(l);

	for (uint32_t pc = 1; pc < l->out->length && sum != NULL; pc++)
	{
		const VmOp *op = &l->out->op[pc];

		if (op->op != VMX_COUNT_G || op->mask != 0 || (op->flags & (FLAG_ACC_NULLS | FLAG_BOOL_NULLS)))
			continue;
		sum->flags |= FLAG_COUNT;
		l->shape->counted = (uint16_t) (sum->sum + 1);
		l->shape->counter = op->x;
		remove_count(l->out, pc);
		return;
	}
}

/* Filters first */

static bool
loads(const VmOp *op)
{
	return op->op == VMX_LOAD_64 || (op->op >= VMX_LOAD_BOOL && op->op <= VMX_LOAD_SAME) || loads_for_encoded(op);
}

/*
 * Return the number of leading instructions that load a frame-of-reference
 * encoded column and filter by a range of it.
 */
static int
leading_ranges(const VmCode *code)
{
	int			n = 0;

	while (loads_for_encoded(&code->op[n]) && (code->op[n].flags & FLAG_RANGE) && !(code->op[n].flags & FLAG_SUM))
		n++;
	return n;
}

/*
 * Load a column again behind the filters if it is both compared and read
 * otherwise; the filter itself then compares the stored values.
 */
static void
load_deferred(VmCode *code, int nfilters)
{
	for (int pc = nfilters - 1; pc >= 0 && code->length < VM_CODE_MAX - 1; pc--)
	{
		VmOp	   *op = &code->op[pc];
		VmOp	   *again = &code->op[nfilters];

		/* acc must contain what the first instruction behind the filters expects */
		if (op->imm != 0 || (pc < nfilters - 1 && word_is_read(code, (uint32_t) nfilters - 1)) ||
			!((op->flags & FLAG_PUT) || word_is_read(code, (uint32_t) pc)))
			continue;
		memmove(again + 1, again, (size_t) (code->length - nfilters) * sizeof(VmOp));
		code->length++;
		*again = *op;
		again->flags &= FLAG_NULLS | FLAG_PUT | FLAG_PUT_NULLS;
		op->flags &= (uint16_t) ~(FLAG_PUT | FLAG_PUT_NULLS);
	}
}

/* Return true if an instruction may be behind the filters: kernel_filter.cu runs it over any rows. */
static bool
suits_passed_rows(const VmOp *op)
{
	return op->op < VMX_RANGE_U8 && op->op != VMX_FILTER && op->op != VMX_BINS && op->op != VMX_VALUES &&
		!(op->flags & (FLAG_RANGE | FLAG_JUMP_NONE)) && !(op->op >= VMX_EQ_I_R && op->op <= VMX_LE_F_CS && (op->flags & FLAG_FILTER));
}

/*
 * Place all filters by ranges first, and the other instructions behind them;
 * return false, and change nothing, if there is another kind of filter.
 */
static bool
filters_first(VmCode *code)
{
	VmCode		with = *code;
	const int	nfilters = leading_ranges(code);
	uint32_t	early = 0;

	load_deferred(&with, nfilters);
	compare_stored(&with);
	if (nfilters == 0 || with.nranges != nfilters || word_is_read(&with, (uint32_t) nfilters - 1))
		return false;
	for (int pc = 0; pc < with.length; pc++)
	{
		const VmOp *op = &with.op[pc];

		if (pc < nfilters)
			early |= 1u << op->slot;
		else if (!suits_passed_rows(op))
			return false;
		else if (loads(op))
			with.deferred |= 1u << op->slot;
	}
	with.deferred &= ~early;
	with.tail = (uint8_t) nfilters;
	*code = with;
	return true;
}

void
vm_fuse(Lowering *l)
{
	const VmShape *shape = l->shape;

	if (shape->lanes == 8 && shape->aggregates && !shape->grouped && !shape->joins && filters_first(l->out))
		return;
	compare_stored(l->out);
	if (l->dense)
		count_along(l);
}

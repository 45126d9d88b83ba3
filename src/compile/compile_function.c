/*
 * compile_function.c
 *		Compilation of operators and functions over compiled arguments.
 */
#include "postgres.h"

#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"

#include "pg_compat.h"
#include "core/vm/op_date.h"

#include "compile/compiler.h"

#define FUNCTION_MAX_ARGS 3

/*
 * Replace a constant timestamp that is compared with a date by a date with which
 * the comparison has the same result; false if there is none.  `comparison` is
 * one of EQ, NE, LT and LE; `below` is true if the date is on its left side.
 */
static bool
compare_as_dates(Compiler *c, Comparison comparison, bool below, Operand *timestamp)
{
	int64		ts;
	int64		day;
	bool		midnight;

	if (timestamp->constant == NULL || timestamp->constant->constisnull)
		return false;
	ts = int_of_const(timestamp->constant);
	day = op_ts_to_date(ts);
	midnight = op_date_to_ts(day) == ts;
	if (!midnight && comparison != COMPARISON_LT && comparison != COMPARISON_LE)
		return false;
	/* date < ts and ts <= date change at the first day not before ts, the others at the last day not after ts */
	timestamp->vreg = int_constant(c, day + (!midnight && (comparison == COMPARISON_LT) == below));
	return true;
}

bool
compile_comparison(Compiler *c, const FunctionMap *map, Oid collation, Operand *a, Operand *b, Operand *out)
{
	/* opcodes by comparison (EQ, NE, LT, LE) and register kind */
	static const Opcode op_int[] = {VMOP_EQ_I, VMOP_NE_I, VMOP_LT_I, VMOP_LE_I};
	static const Opcode op_float[] = {VMOP_EQ_F, VMOP_NE_F, VMOP_LT_F, VMOP_LE_F};
	static const Opcode op_wide[] = {VMOP_EQ_W, VMOP_NE_W, VMOP_LT_W, VMOP_LE_W};
	static const Opcode op_text[] = {VMOP_EQ_T, VMOP_NE_T, VMOP_LT_T, VMOP_LE_T};
	Comparison	comparison = map->op;
	bool		swap = comparison == COMPARISON_GT || comparison == COMPARISON_GE;
	bool		nullable = a->nullable || b->nullable;
	Opcode		op = VMOP_END;

	if (swap)
		comparison = comparison == COMPARISON_GT ? COMPARISON_LT : COMPARISON_LE;
	if (map->date_side != DATE_NONE)
	{
		bool		left = map->date_side == DATE_LEFT;
		Operand    *date = left ? a : b;

		if (!compare_as_dates(c, comparison, left != swap, left ? b : a))
			date->vreg = emit(&c->em, VMOP_DATE_TO_TS, date->vreg, 0, 0, 0);
	}
	switch (a->class)
	{
		case CLASS_BOOL:
			a->vreg = emit(&c->em, VMOP_BOOL_TO_INT, a->vreg, 0, 0, 0);
			b->vreg = emit(&c->em, VMOP_BOOL_TO_INT, b->vreg, 0, 0, 0);
			op = op_int[comparison];
			break;
		case CLASS_INT:
			op = op_int[comparison];
			break;
		case CLASS_FLOAT:
			op = op_float[comparison];
			break;
		case CLASS_DECIMAL:
			align_scales(c, a, b);
			op = (c->wide ? op_wide : op_int)[comparison];
			break;
		case CLASS_WIDE:
		case CLASS_INTERVAL:
			op = op_wide[comparison];
			break;
		case CLASS_TEXT:
		case CLASS_PACKED:
			if (!OidIsValid(collation) || !get_collation_isdeterministic(collation))
				return refuse(c, REASON_COLLATION);
			if (comparison > COMPARISON_NE && !compat_collate_is_c(collation))
				return refuse(c, REASON_COLLATION);
			if (!unify_text(c, map->bpchar, a, b))
				return false;
			op = a->class == CLASS_TEXT ? op_text[comparison] : op_int[comparison];
			break;
		case CLASS_CODE:
			return refuse(c, REASON_EXPRESSION);
	}
	if (a->class != b->class)
		return refuse(c, REASON_EXPRESSION);
	*out = bool_operand(swap ? emit(&c->em, op, b->vreg, a->vreg, c->mask, 0)
						: emit(&c->em, op, a->vreg, b->vreg, c->mask, 0), nullable);
	return c->reason == NULL;
}

static Operand
float_operand(int vreg, bool nullable)
{
	return (Operand) {.class = CLASS_FLOAT, .vreg = vreg, .nullable = nullable};
}

/* Compile |a|; `subtract` checks the negation for overflow of the integer type. */
static bool
int_abs(Compiler *c, const Operand *a, Opcode subtract, Operand *out)
{
	int			zero = int_constant(c, 0);
	int			negative = emit(&c->em, VMOP_LT_I, a->vreg, zero, 0, 0);
	int			mask = emit(&c->em, VMOP_MASK_TRUE, negative, c->mask, 0, 0);
	int			negated = emit(&c->em, subtract, zero, a->vreg, mask, 0);

	*out = int_operand(emit(&c->em, VMOP_BLEND_I, negated, a->vreg, mask, 0), a->nullable);
	return true;
}

bool
compile_function(Compiler *c, const FunctionMap *map, List *args, Operand *out)
{
	Emitter    *em = &c->em;
	Operand		arg[FUNCTION_MAX_ARGS] = {0};
	int			nargs = list_length(args);
	Operand		a;
	Operand		b;
	Opcode		op = map->op;
	bool		nullable;

	if (nargs > FUNCTION_MAX_ARGS)
		return refuse(c, REASON_EXPRESSION);
	for (int i = 0; i < nargs; i++)
		if (!compile_expr(c, list_nth(args, i), &arg[i]))
			return false;
	a = arg[0];
	b = arg[1];
	nullable = a.nullable || b.nullable;
	switch ((FunctionAction) map->action)
	{
		case ACTION_COMPARE:
			break;				/* compiled by compile_comparison() */
		case ACTION_INT_ARITH:
			*out = int_operand(emit(em, op, a.vreg, b.vreg, c->mask, 0), nullable);
			return true;
		case ACTION_INT_DIVIDE:
			{
				/* a NULL dividend makes the result NULL before PostgreSQL tests the divisor */
				int			present = emit(em, VMOP_NOT, null_test(c, &a), 0, 0, 0);

				emit(em, VMOP_ZERO_I, b.vreg, 0, emit(em, VMOP_MASK_TRUE, present, c->mask, 0, 0), 0);
				*out = int_operand(emit(em, op, a.vreg, b.vreg, c->mask, 0), nullable);
				return true;
			}
		case ACTION_INT_NEGATE:
			*out = int_operand(emit(em, op, int_constant(c, 0), a.vreg, c->mask, 0), nullable);
			return true;
		case ACTION_INT_ABS:
			return int_abs(c, &a, op, out);
		case ACTION_FLOAT_DIVIDE:
			emit(em, VMOP_ZERO_F, a.vreg, b.vreg, c->mask, 0);
			/* FALLTHROUGH */
		case ACTION_FLOAT_ARITH:
			*out = float_operand(emit(em, op, a.vreg, b.vreg, c->mask, 0), nullable);
			return true;
		case ACTION_FLOAT_UNARY:
			*out = float_operand(emit(em, op, a.vreg, 0, c->mask, 0), nullable);
			return true;
		case ACTION_DECIMAL_ADD:
		case ACTION_DECIMAL_SUB:
		case ACTION_DECIMAL_MUL:
		case ACTION_DECIMAL_DIVIDE:
		case ACTION_DECIMAL_MOD:
		case ACTION_DECIMAL_NEGATE:
		case ACTION_DECIMAL_ABS:
		case ACTION_DECIMAL_ROUND:
		case ACTION_DECIMAL_TRUNC:
		case ACTION_DECIMAL_FLOOR:
		case ACTION_DECIMAL_CEIL:
		case ACTION_DECIMAL_TYPMOD:
		case ACTION_DECIMAL_TO_INT:
			return compile_decimal_function(c, map, arg, nargs, out);
		case ACTION_SAME:
			*out = a;
			out->constant = NULL;
			return true;
		case ACTION_INT_CHECK:
			*out = int_operand(emit(em, op, a.vreg, 0, c->mask, 0), nullable);
			return true;
		case ACTION_INT_TO_FLOAT:
			*out = float_operand(emit(em, op, a.vreg, 0, 0, 0), nullable);
			return true;
		case ACTION_FLOAT_TO_FLOAT4:
			*out = float_operand(emit(em, VMOP_F8_TO_F4, a.vreg, 0, c->mask, 0), nullable);
			return true;
		case ACTION_FLOAT_TO_INT:
			*out = int_operand(emit(em, VMOP_F_TO_INT, a.vreg, 0, c->mask, 0), nullable);
			if (op != VMOP_END)
				out->vreg = emit(em, op, out->vreg, 0, c->mask, 0);
			return true;
		case ACTION_INT_TO_DECIMAL:
			*out = decimal_of_int(c, &a);
			return true;
		case ACTION_DECIMAL_TO_FLOAT:
			*out = float_operand(emit(em, VMOP_DEC_TO_F8, widened(c, &a), 0, c->mask, a.scale), nullable);
			return true;
		case ACTION_BPCHAR_TO_TEXT:
			*out = a;
			out->constant = NULL;
			if (a.class == CLASS_TEXT)
				out->vreg = emit(em, VMOP_TRIM_T, a.vreg, 0, 0, 0);
			else
				out->trimmed = false;
			return true;
		case ACTION_LIKE:
		case ACTION_NOT_LIKE:
		case ACTION_ILIKE:
		case ACTION_NOT_ILIKE:
			return compile_like(c, map->action, &a, &b, out);
		case ACTION_LENGTH:
			return compile_length(c, &a, map->bpchar, out);
		case ACTION_OCTETS:
			return compile_octets(c, &a, out);
		case ACTION_LEFT:
		case ACTION_SUBSTRING:
			return compile_text_part(c, map->action, arg, nargs, out);
		case ACTION_DATE_ADD:
		case ACTION_DATE_SUBTRACT:
			return compile_date_add(c, map->action == ACTION_DATE_SUBTRACT, &a, &b, out);
		case ACTION_DATE_DIFFERENCE:
			*out = int_operand(emit(em, VMOP_SUB_DATE, a.vreg, b.vreg, c->mask, 0), nullable);
			return true;
		case ACTION_EXTRACT:
		case ACTION_DATE_PART:
			return compile_date_field(c, getBaseType(exprType(lsecond(args))), map->action == ACTION_EXTRACT, &a, &b, out);
	}
	return refuse(c, REASON_EXPRESSION);
}

/*
 * compile_logic.c
 *		Compilation of AND, OR, NOT, CASE, COALESCE, NULLIF, GREATEST, LEAST and tests.
 *
 * PostgreSQL evaluates AND, OR, CASE and COALESCE from left to right and stops
 * early; an error in a part that it never reaches is no error.  Here all
 * parts are computed for all lanes, and a mask register tells the operations
 * that can fail for which lanes a failure counts.
 */
#include "postgres.h"

#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "compile/compiler.h"

/* Compile AND or OR: errors of an argument count only where the arguments before it do not decide the result. */
static bool
compile_and_or(Compiler *c, BoolExpr *expr, Operand *out)
{
	bool		conjunction = expr->boolop == AND_EXPR;
	int			outer_mask = c->mask;
	ListCell   *lc;

	foreach(lc, expr->args)
	{
		Operand		arg;

		if (lc != list_head(expr->args))
			c->mask = emit(&c->em, conjunction ? VMOP_MASK_NOT_FALSE : VMOP_MASK_NOT_TRUE,
						   out->vreg, c->mask, 0, 0);
		if (!compile_expr(c, lfirst(lc), &arg))
			return false;
		if (lc == list_head(expr->args))
			*out = arg;
		else
			*out = bool_operand(emit(&c->em, conjunction ? VMOP_AND : VMOP_OR, out->vreg, arg.vreg, 0, 0),
								out->nullable || arg.nullable);
	}
	c->mask = outer_mask;
	return true;
}

bool
compile_bool_expr(Compiler *c, BoolExpr *expr, Operand *out)
{
	Operand		arg;

	if (expr->boolop != NOT_EXPR)
		return compile_and_or(c, expr, out);
	if (!compile_expr(c, linitial(expr->args), &arg))
		return false;
	*out = bool_operand(emit(&c->em, VMOP_NOT, arg.vreg, 0, 0, 0), arg.nullable);
	return true;
}

/* Emit a blend: `then` where the mask is set, else `els`, after unifying scales; refuses different classes. */
static bool
blend(Compiler *c, int mask, Operand *then, Operand *els, Operand *out)
{
	static const Opcode op[] = {
		[KIND_B] = VMOP_BLEND_B, [KIND_I] = VMOP_BLEND_I, [KIND_F] = VMOP_BLEND_F,
		[KIND_W] = VMOP_BLEND_W, [KIND_T] = VMOP_BLEND_T,
	};

	if (then->class == CLASS_PACKED || els->class == CLASS_PACKED)
	{
		if (then->class != els->class || then->trimmed != els->trimmed)
			return refuse_packed(c);
	}
	if (then->class != els->class)
		return refuse(c, REASON_EXPRESSION);
	if (then->class == CLASS_DECIMAL)
		align_scales(c, then, els);
	*out = *then;
	out->constant = NULL;
	out->nullable = then->nullable || els->nullable;
	out->vreg = emit(&c->em, op[kind_of(c, then->class)], then->vreg, els->vreg, mask, 0);
	if (then->class == CLASS_DECIMAL && (then->dscale < 0 || then->dscale != els->dscale))
	{
		out->second_vreg = emit(&c->em, VMOP_BLEND_I, dscale_vreg(c, then), dscale_vreg(c, els), mask, 0);
		out->dscale = -1;
	}
	if (then->class == CLASS_INTERVAL && c->wants_bytes)
		out->second_vreg = emit(&c->em, VMOP_BLEND_W, then->second_vreg, els->second_vreg, mask, 0);
	return c->reason == NULL;
}

/*
 * Compile CASE.  Branches are compiled from the first to the last under the mask
 * of the lanes that reach them, and blended from the last to the first.
 */
bool
compile_case(Compiler *c, CaseExpr *expr, Operand *out)
{
	int			n = list_length(expr->args);
	int			outer_mask = c->mask;
	int		   *taken = palloc(n * sizeof(int));
	Operand    *value = palloc(n * sizeof(Operand));
	Operand		result;
	Expr	   *defresult = expr->defresult;

	if (expr->arg)
	{
		Operand    *tested = palloc(sizeof(Operand));

		if (!compile_expr(c, expr->arg, tested))
			return false;
		c->case_values = lcons(tested, c->case_values);
	}
	for (int i = 0; i < n; i++)
	{
		CaseWhen   *when = list_nth_node(CaseWhen, expr->args, i);
		int			reach = c->mask;
		Operand		condition;

		if (!compile_expr(c, when->expr, &condition))
			return false;
		taken[i] = emit(&c->em, VMOP_MASK_TRUE, condition.vreg, reach, 0, 0);
		c->mask = taken[i];
		if (!compile_expr(c, when->result, &value[i]))
			return false;
		c->mask = emit(&c->em, VMOP_MASK_NOT_TRUE, condition.vreg, reach, 0, 0);
	}
	if (expr->arg)
		c->case_values = list_delete_first(c->case_values);
	if (defresult == NULL)
		defresult = (Expr *) makeNullConst(expr->casetype, -1, expr->casecollid);
	if (!compile_expr(c, defresult, &result))
		return false;
	c->mask = outer_mask;
	for (int i = n - 1; i >= 0; i--)
	{
		Operand		rest = result;

		if (!blend(c, taken[i], &value[i], &rest, &result))
			return false;
	}
	*out = result;
	return true;
}

/* Compile COALESCE: errors of an argument count only where all arguments before it are NULL. */
bool
compile_coalesce(Compiler *c, CoalesceExpr *expr, Operand *out)
{
	int			n = list_length(expr->args);
	int			outer_mask = c->mask;
	int		   *present = palloc(n * sizeof(int));
	Operand    *value = palloc(n * sizeof(Operand));

	for (int i = 0; i < n; i++)
	{
		int			isnull;

		if (!compile_expr(c, list_nth(expr->args, i), &value[i]))
			return false;
		isnull = null_test(c, &value[i]);
		present[i] = emit(&c->em, VMOP_NOT, isnull, 0, 0, 0);
		c->mask = emit(&c->em, VMOP_MASK_TRUE, isnull, c->mask, 0, 0);
	}
	c->mask = outer_mask;
	*out = value[n - 1];
	for (int i = n - 2; i >= 0; i--)
	{
		Operand		rest = *out;

		if (!blend(c, present[i], &value[i], &rest, out))
			return false;
		out->nullable = value[i].nullable && rest.nullable;
	}
	return true;
}

bool
compile_null_test(Compiler *c, NullTest *expr, Operand *out)
{
	Operand		arg;

	if (expr->argisrow)
		return refuse(c, REASON_EXPRESSION);
	if (!compile_expr(c, expr->arg, &arg))
		return false;
	*out = bool_operand(null_test(c, &arg), false);
	if (expr->nulltesttype == IS_NOT_NULL)
		out->vreg = emit(&c->em, VMOP_NOT, out->vreg, 0, 0, 0);
	return true;
}

bool
compile_boolean_test(Compiler *c, BooleanTest *expr, Operand *out)
{
	Operand		arg;
	Opcode		op = VMOP_NULL_B;
	bool		negate = false;

	if (!compile_expr(c, expr->arg, &arg))
		return false;
	switch (expr->booltesttype)
	{
		case IS_NOT_TRUE:
			negate = true;
			/* FALLTHROUGH */
		case IS_TRUE:
			op = VMOP_IS_TRUE;
			break;
		case IS_NOT_FALSE:
			negate = true;
			/* FALLTHROUGH */
		case IS_FALSE:
			op = VMOP_IS_FALSE;
			break;
		case IS_NOT_UNKNOWN:
			negate = true;
			/* FALLTHROUGH */
		case IS_UNKNOWN:
			break;
	}
	*out = bool_operand(emit(&c->em, op, arg.vreg, 0, 0, 0), false);
	if (negate)
		out->vreg = emit(&c->em, VMOP_NOT, out->vreg, 0, 0, 0);
	return true;
}

/* Compile the test whether a comparison is true, which it is not where an operand is NULL. */
static bool
compile_holds(Compiler *c, const FunctionMap *map, Oid collation, const Operand *a, const Operand *b, int *holds)
{
	Operand		left = *a;
	Operand		right = *b;
	Operand		test;

	if (!compile_comparison(c, map, collation, &left, &right, &test))
		return false;
	*holds = emit(&c->em, VMOP_IS_TRUE, test.vreg, 0, 0, 0);
	return true;
}

/* Compile both operands of an equality, and the test whether it is true. */
static bool
compile_equal(Compiler *c, OpExpr *expr, Operand *a, Operand *b, int *equal)
{
	const FunctionMap *map;

	set_opfuncid(expr);
	map = comparison_of(c, expr->opfuncid, expr->args);
	return map != NULL && compile_expr(c, linitial(expr->args), a) && compile_expr(c, lsecond(expr->args), b) &&
		compile_holds(c, map, expr->inputcollid, a, b, equal);
}

/* Compile a IS DISTINCT FROM b. */
bool
compile_distinct(Compiler *c, DistinctExpr *expr, Operand *out)
{
	Operand		a;
	Operand		b;
	int			equal;
	int			both_null;

	if (!compile_equal(c, expr, &a, &b, &equal))
		return false;
	both_null = emit(&c->em, VMOP_AND, null_test(c, &a), null_test(c, &b), 0, 0);
	*out = bool_operand(emit(&c->em, VMOP_NOT, emit(&c->em, VMOP_OR, equal, both_null, 0, 0), 0, 0, 0), false);
	return true;
}

/* Return a NULL that can be blended with an operand. */
static Operand
null_like(Compiler *c, const Operand *a)
{
	Operand		nothing = *a;
	uint64		words[2] = {0, 0};

	if (a->class == CLASS_TEXT)
		words[0] = pool_text(c->em.pool, "", 0);
	nothing.vreg = emit_constant(&c->em, kind_of(c, a->class), words, true);
	nothing.nullable = true;
	nothing.constant = NULL;
	return nothing;
}

/* Compile NULLIF(a, b): NULL where both are equal, else a. */
bool
compile_nullif(Compiler *c, NullIfExpr *expr, Operand *out)
{
	Operand		a;
	Operand		b;
	Operand		nothing;
	int			equal;

	if (!compile_equal(c, expr, &a, &b, &equal))
		return false;
	nothing = null_like(c, &a);
	return blend(c, equal, &nothing, &a, out);
}

/* Compile GREATEST or LEAST: NULLs are ignored, and the first of equal values is the result. */
bool
compile_min_max(Compiler *c, MinMaxExpr *expr, Operand *out)
{
	TypeCacheEntry *type = lookup_type_cache(expr->minmaxtype, TYPECACHE_LT_OPR);
	const FunctionMap *less = OidIsValid(type->lt_opr) ? comparison_of(c, get_opcode(type->lt_opr), expr->args) : NULL;
	ListCell   *lc;

	if (less == NULL)
		return refuse(c, REASON_DATA_TYPE);
	foreach(lc, expr->args)
	{
		Operand		best = *out;
		Operand		next;
		int			better;
		int			first;

		if (!compile_expr(c, lfirst(lc), &next))
			return false;
		if (lc == list_head(expr->args))
		{
			*out = next;
			continue;
		}
		if (!(expr->op == IS_GREATEST ? compile_holds(c, less, expr->inputcollid, &best, &next, &better)
			  : compile_holds(c, less, expr->inputcollid, &next, &best, &better)))
			return false;
		first = emit(&c->em, VMOP_AND, null_test(c, &best),
					 emit(&c->em, VMOP_NOT, null_test(c, &next), 0, 0, 0), 0, 0);
		if (!blend(c, emit(&c->em, VMOP_OR, better, first, 0, 0), &next, &best, out))
			return false;
		out->nullable = best.nullable && next.nullable;
	}
	return true;
}

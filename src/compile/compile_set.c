/*
 * compile_set.c
 *		Compilation of x op ANY (constants) and x op ALL (constants).
 *
 * x IN (constants) of integers or texts is one instruction with the set among
 * the program's constants.  Anything else is compared element by element.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/array.h"
#include "utils/lsyscache.h"

#include "core/vm/op_text.h"

#include "compile/compiler.h"

static int
compare_words(const void *a, const void *b)
{
	int64		x = *(const int64 *) a;
	int64		y = *(const int64 *) b;

	return (x > y) - (x < y);
}

/*
 * Compile x IN (integers) as a search among sorted words.  Returns false if the
 * elements must be compared one by one.
 */
static bool
compile_int_set(Compiler *c, const Operand *left, const FunctionMap *map, List *elements, Operand *out)
{
	uint64	   *words = palloc(list_length(elements) * sizeof(uint64));
	int			n = 0;
	ListCell   *lc;

	if (left->class != CLASS_INT || map->date_side != DATE_NONE || list_length(elements) < 3 ||
		list_length(elements) > PG_UINT16_MAX)
		return false;
	foreach(lc, elements)
		words[n++] = (uint64) int_of_const(lfirst_node(Const, lc));
	qsort(words, n, sizeof(uint64), compare_words);
	*out = bool_operand(emit_instr(&c->em, (EmitInstr) {.op = VMOP_IN_I, .a = left->vreg, .c = n, .m = c->mask,
							   .imm = pool_append_words(c->em.pool, words, n)}),
						left->nullable);
	return true;
}

/* Compile x IN (texts) as one set instruction.  Returns false if the elements must be compared one by one. */
static bool
compile_text_set(Compiler *c, const Operand *left, Oid type, Oid collation, List *elements, Operand *out)
{
	uint64	   *words = palloc(list_length(elements) * sizeof(uint64));
	int			n = 0;
	int			vreg = left->vreg;
	ListCell   *lc;

	if (left->class != CLASS_TEXT || list_length(elements) < 3 || list_length(elements) > 1000 ||
		!OidIsValid(collation) || !get_collation_isdeterministic(collation))
		return false;
	if (type == BPCHAROID)
		vreg = emit(&c->em, VMOP_TRIM_T, vreg, 0, 0, 0);
	foreach(lc, elements)
	{
		const Const *element = lfirst_node(Const, lc);
		uint64		word = pool_text_const(c, element);
		struct varlena *text;

		if (type == BPCHAROID)
		{
			text = PG_DETOAST_DATUM_PACKED(element->constvalue);
			word = (word & ~(uint64) PG_UINT32_MAX) |
				text_trimmed((uint8 *) VARDATA_ANY(text), VARSIZE_ANY_EXHDR(text));
		}
		words[n++] = word;
	}
	*out = bool_operand(emit_instr(&c->em, (EmitInstr) {.op = VMOP_IN_T, .a = vreg, .c = n, .m = c->mask,
							   .imm = pool_append_words(c->em.pool, words, n)}),
						left->nullable);
	return true;
}

/* Return the elements of a constant array as Consts, without NULLs, and store whether there were any. */
static List *
array_elements(Const *array, Oid collation, bool *has_null)
{
	ArrayType  *values = DatumGetArrayTypeP(array->constvalue);
	Oid			type = ARR_ELEMTYPE(values);
	List	   *elements = NIL;
	Datum	   *datums;
	bool	   *nulls;
	int			n;
	int16		length;
	bool		byval;
	char		align;

	get_typlenbyvalalign(type, &length, &byval, &align);
	deconstruct_array(values, type, length, byval, align, &datums, &nulls, &n);
	*has_null = false;
	for (int i = 0; i < n; i++)
	{
		if (nulls[i])
			*has_null = true;
		else
			elements = lappend(elements, makeConst(type, -1, collation, length, datums[i], false, byval));
	}
	return elements;
}

/* Compile x op ANY (constants) or x op ALL (constants). */
bool
compile_array_op(Compiler *c, ScalarArrayOpExpr *expr, Operand *out)
{
	const FunctionMap *map;
	Node	   *right = lsecond(expr->args);
	Const	   *array;
	Operand		left;
	List	   *elements;
	bool		has_null;
	bool		any = expr->useOr;
	uint64		truth;
	ListCell   *lc;

	set_sa_opfuncid(expr);
	map = comparison_of(c, expr->opfuncid, expr->args);
	if (map == NULL)
		return false;
	if (is_run_constant((Expr *) right))
		right = (Node *) run_constant(c, (Expr *) right);
	if (right == NULL || !IsA(right, Const))
		return refuse(c, REASON_EXPRESSION);
	array = (Const *) right;
	if (!compile_expr(c, linitial(expr->args), &left))
		return false;
	truth = !any;
	*out = bool_operand(emit_constant(&c->em, KIND_B, &truth, array->constisnull), array->constisnull);
	if (array->constisnull)
		return true;
	elements = array_elements(array, expr->inputcollid, &has_null);
	if (!has_null && map->op == (any ? COMPARISON_EQ : COMPARISON_NE) &&
		(compile_int_set(c, &left, map, elements, out) ||
		 compile_text_set(c, &left, getBaseType(exprType(linitial(expr->args))), expr->inputcollid, elements, out)))
	{
		if (!any)
			out->vreg = emit(&c->em, VMOP_NOT, out->vreg, 0, 0, 0);
		return true;
	}
	if (list_length(elements) > 100)
		return refuse(c, REASON_EXPRESSION);
	foreach(lc, elements)
	{
		Operand		element;
		Operand		test;
		Operand		side = left;

		if (!compile_const(c, lfirst(lc), &element) ||
			!compile_comparison(c, map, expr->inputcollid, &side, &element, &test))
			return false;
		*out = bool_operand(emit(&c->em, any ? VMOP_OR : VMOP_AND, out->vreg, test.vreg, 0, 0),
							out->nullable || test.nullable);
	}
	if (has_null)
	{
		int			unknown = emit_constant(&c->em, KIND_B, &truth, true);

		*out = bool_operand(emit(&c->em, any ? VMOP_OR : VMOP_AND, out->vreg, unknown, 0, 0), true);
	}
	return true;
}

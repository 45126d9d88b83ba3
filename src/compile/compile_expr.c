/*
 * compile_expr.c
 *		The walk over expression trees: columns, constants, logic, conditionals.
 *
 * PostgreSQL evaluates AND, OR, CASE and COALESCE from left to right and stops
 * early; an error in a part that it never reaches is no error.  Here all
 * parts are computed for all lanes, and a mask register tells the operations
 * that can fail for which lanes a failure counts.
 */
#include "postgres.h"

#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/array.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"

#include "core/decimal.h"
#include "core/op_text.h"
#include "core/tablet_format.h"

#include "compile/compiler.h"

bool
refuse(Compiler *c, const char *reason)
{
	if (c->reason == NULL)
		c->reason = reason;
	return false;
}

int
int_constant(Compiler *c, int64 value)
{
	uint64		word = (uint64) value;

	return emit_constant(&c->em, KIND_I, &word, false);
}

Operand
int_operand(int vreg, bool nullable)
{
	return (Operand) {.class = CLASS_INT, .vreg = vreg, .nullable = nullable};
}

Operand
bool_operand(int vreg, bool nullable)
{
	return (Operand) {.class = CLASS_BOOL, .vreg = vreg, .nullable = nullable};
}

/* An integer or decimal as a 128-bit register. */
int
widened(Compiler *c, const Operand *a)
{
	if (a->class == CLASS_DECIMAL && c->wide)
		return a->vreg;
	return emit(&c->em, VMOP_WIDEN, a->vreg, 0, 0, 0);
}

static OperandKind
kind_of(const Compiler *c, OperandClass class)
{
	switch (class)
	{
		case CLASS_BOOL:
			return KIND_B;
		case CLASS_FLOAT:
			return KIND_F;
		case CLASS_DECIMAL:
			return c->wide ? KIND_W : KIND_I;
		case CLASS_TEXT:
			return KIND_T;
		case CLASS_INT:
		case CLASS_PACKED:
			return KIND_I;
	}
	return KIND_I;
}

int
null_test(Compiler *c, const Operand *a)
{
	static const Opcode op[] = {
		[KIND_B] = VMOP_NULL_B, [KIND_I] = VMOP_NULL_I, [KIND_F] = VMOP_NULL_F,
		[KIND_W] = VMOP_NULL_W, [KIND_T] = VMOP_NULL_T,
	};

	return emit(&c->em, op[kind_of(c, a->class)], a->vreg, 0, 0, 0);
}

/*
 * The class of a type.  Text of a declared length that always fits 7 bytes is
 * packed into a word.
 */
static bool
class_of_type(Compiler *c, Oid type, int32 typmod, Operand *out)
{
	int			characters = typmod - VARHDRSZ;

	switch (type)
	{
		case BOOLOID:
			out->class = CLASS_BOOL;
			return true;
		case INT2OID:
		case INT4OID:
		case INT8OID:
		case DATEOID:
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			out->class = CLASS_INT;
			return true;
		case FLOAT4OID:
		case FLOAT8OID:
			out->class = CLASS_FLOAT;
			return true;
		case NUMERICOID:
			out->class = CLASS_DECIMAL;
			return true;
		case BPCHAROID:
		case VARCHAROID:
			if (typmod >= (int32) VARHDRSZ &&
				characters * pg_database_encoding_max_length() <= TEXT_PACKED_MAX)
			{
				out->class = CLASS_PACKED;
				out->trimmed = type == BPCHAROID;
				return true;
			}
			out->class = CLASS_TEXT;
			return true;
		case TEXTOID:
			out->class = CLASS_TEXT;
			return true;
		default:
			return refuse(c, REASON_DATA_TYPE);
	}
}

/* Declared scale of numeric(p, s), or -1. */
static int
declared_scale(int32 typmod)
{
	int			scale;

	if (typmod < (int32) VARHDRSZ)
		return -1;
	/* 11 bits, signed, as numeric_typmod_scale() reads them */
	scale = (((typmod - VARHDRSZ) & 0x7ff) ^ 1024) - 1024;
	return Max(scale, 0);
}

/* The tablet column for a use of an attribute; made on first use. */
static int
use_column(Compiler *c, const Var *var, bool dscale, bool packed, int scale)
{
	CompileResult *r = c->result;

	for (int i = 0; i < r->ncolumns; i++)
		if (r->column[i].attno == var->varattno && r->column[i].dscale == dscale)
			return i;
	if (r->ncolumns == PROGRAM_MAX_COLUMNS)
	{
		refuse(c, REASON_EXPRESSION);
		return 0;
	}
	r->column[r->ncolumns] = (ColumnUse) {
		.attno = var->varattno, .type = var->vartype, .typmod = var->vartypmod,
		.dscale = dscale, .packed = packed, .scale = scale
	};
	return r->ncolumns++;
}

static bool
compile_var(Compiler *c, Var *var, Operand *out)
{
	static const Opcode load[] = {
		[KIND_B] = VMOP_LOAD_B, [KIND_I] = VMOP_LOAD_I, [KIND_F] = VMOP_LOAD_F,
		[KIND_W] = VMOP_LOAD_W, [KIND_T] = VMOP_LOAD_T,
	};
	int			column;

	if (var->varno != c->input->varno || var->varlevelsup != 0)
		return refuse(c, REASON_EXPRESSION);
	if (var->varattno <= 0)
		return refuse(c, "system_column");
	if (!class_of_type(c, var->vartype, var->vartypmod, out))
		return false;
	out->nullable = !bms_is_member(var->varattno, c->input->notnull);
	if (out->class == CLASS_DECIMAL)
	{
		out->dscale = declared_scale(var->vartypmod);
		out->scale = out->dscale;
		if (out->dscale < 0)
			out->scale = c->input->scales ? c->input->scales[var->varattno] : SCALE_FIRST_GUESS;
		if (out->scale > DECIMAL_MAX_DIGITS)
			return refuse(c, REASON_DATA_TYPE);
	}
	column = use_column(c, var, false, out->class == CLASS_PACKED, out->scale);
	out->vreg = emit(&c->em, load[kind_of(c, out->class)], 0, 0, 0, column);
	if (out->class == CLASS_DECIMAL && out->dscale < 0)
		out->dscale_vreg = emit(&c->em, VMOP_LOAD_I, 0, 0, 0, use_column(c, var, true, false, 0));
	return c->reason == NULL;
}

/* A numeric constant at its own display scale. */
static bool
compile_decimal_const(Compiler *c, Const *constant, Operand *out)
{
	DecimalParts parts;
	Wide		value = 0;
	uint64		words[2];

	out->scale = out->dscale = 0;
	if (!constant->constisnull)
	{
		struct varlena *datum = (struct varlena *) PG_DETOAST_DATUM_PACKED(constant->constvalue);
		DeviceStatus status = decimal_split((uint8 *) VARDATA_ANY(datum), VARSIZE_ANY_EXHDR(datum), &parts);

		if (status != STATUS_DONE || parts.dscale > DECIMAL_MAX_DIGITS ||
			decimal_value(&parts, parts.dscale, &value) != STATUS_DONE)
			return refuse(c, REASON_EXPRESSION);
		out->scale = out->dscale = parts.dscale;
	}
	if (!wide_fits_int64(value))
		c->narrow_fails = true;
	wide_store(words, value);
	out->vreg = emit_constant(&c->em, c->wide ? KIND_W : KIND_I, words, constant->constisnull);
	return true;
}

bool
compile_const(Compiler *c, Const *constant, Operand *out)
{
	uint64		word = 0;

	*out = (Operand) {.nullable = constant->constisnull, .constant = constant};
	/* a constant's text is never packed by its type: the other side decides */
	if (!class_of_type(c, constant->consttype, -1, out))
		return false;
	if (out->class == CLASS_DECIMAL)
	{
		c->decimals = true;
		return compile_decimal_const(c, constant, out);
	}
	if (!constant->constisnull)
	{
		switch (constant->consttype)
		{
			case BOOLOID:
				word = DatumGetBool(constant->constvalue);
				break;
			case INT2OID:
				word = (uint64) (int64) DatumGetInt16(constant->constvalue);
				break;
			case INT4OID:
			case DATEOID:
				word = (uint64) (int64) DatumGetInt32(constant->constvalue);
				break;
			case FLOAT4OID:
				word = bits_of_float((double) DatumGetFloat4(constant->constvalue));
				break;
			case FLOAT8OID:
				word = bits_of_float(DatumGetFloat8(constant->constvalue));
				break;
			case BPCHAROID:
			case VARCHAROID:
			case TEXTOID:
				{
					struct varlena *text = PG_DETOAST_DATUM_PACKED(constant->constvalue);
					int			length = VARSIZE_ANY_EXHDR(text);

					word = pool_text(c->em.pool, VARDATA_ANY(text), length);
					break;
				}
			default:
				word = (uint64) DatumGetInt64(constant->constvalue);
				break;
		}
	}
	else if (out->class == CLASS_TEXT)
		word = pool_text(c->em.pool, "", 0);
	out->vreg = emit_constant(&c->em, kind_of(c, out->class), &word, constant->constisnull);
	return true;
}

static bool
compile_param(Compiler *c, Param *param, Operand *out)
{
	Const	   *constant;

	if (param->paramkind != PARAM_EXTERN && param->paramkind != PARAM_EXEC)
		return refuse(c, REASON_EXPRESSION);
	if (c->input->param != NULL)
		constant = c->input->param(c->input->param_arg, param);
	else
		constant = makeNullConst(param->paramtype, -1, param->paramcollid);
	if (!compile_const(c, constant, out))
		return false;
	/* while planning nothing may be concluded from the value */
	out->nullable = true;
	return true;
}

/* AND and OR: each argument counts only where the ones before left it open. */
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

static bool
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

/* then where the mask is set, otherwise els; classes must agree. */
static bool
blend(Compiler *c, int mask, Operand *then, Operand *els, Operand *out)
{
	static const Opcode op[] = {
		[KIND_B] = VMOP_BLEND_B, [KIND_I] = VMOP_BLEND_I, [KIND_F] = VMOP_BLEND_F,
		[KIND_W] = VMOP_BLEND_W, [KIND_T] = VMOP_BLEND_T,
	};

	if (then->class != els->class || then->trimmed != els->trimmed)
		return refuse(c, REASON_EXPRESSION);
	if (then->class == CLASS_DECIMAL)
		align_scales(c, then, els);
	*out = *then;
	out->constant = NULL;
	out->nullable = then->nullable || els->nullable;
	out->vreg = emit(&c->em, op[kind_of(c, then->class)], then->vreg, els->vreg, mask, 0);
	if (then->class == CLASS_DECIMAL && (then->dscale < 0 || then->dscale != els->dscale))
	{
		out->dscale_vreg = emit(&c->em, VMOP_BLEND_I, dscale_vreg(c, then), dscale_vreg(c, els), mask, 0);
		out->dscale = -1;
	}
	return true;
}

/*
 * CASE.  Branches are compiled from the first to the last under the mask of
 * the lanes that reach them, and blended from the last to the first.
 */
static bool
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

static bool
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

static bool
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

static bool
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

static int
compare_words(const void *a, const void *b)
{
	int64		x = *(const int64 *) a;
	int64		y = *(const int64 *) b;

	return (x > y) - (x < y);
}

/*
 * x IN (integers) as a search among sorted words; false when the elements
 * must be compared one by one.
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
	{
		Const	   *element = lfirst_node(Const, lc);

		switch (element->consttype)
		{
			case INT2OID:
				words[n++] = (uint64) (int64) DatumGetInt16(element->constvalue);
				break;
			case INT4OID:
			case DATEOID:
				words[n++] = (uint64) (int64) DatumGetInt32(element->constvalue);
				break;
			default:
				words[n++] = (uint64) DatumGetInt64(element->constvalue);
				break;
		}
	}
	qsort(words, n, sizeof(uint64), compare_words);
	*out = bool_operand(emit_c(&c->em, VMOP_IN_I, left->vreg, 0, n, c->mask, pool_append_words(c->em.pool, words, n)),
						left->nullable);
	return true;
}

/* x IN (texts), likewise. */
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
		struct varlena *text = PG_DETOAST_DATUM_PACKED(lfirst_node(Const, lc)->constvalue);
		int			length = VARSIZE_ANY_EXHDR(text);

		if (type == BPCHAROID)
			length = text_trimmed((uint8 *) VARDATA_ANY(text), length);
		words[n++] = pool_text(c->em.pool, VARDATA_ANY(text), length);
	}
	*out = bool_operand(emit_c(&c->em, VMOP_IN_T, vreg, 0, n, c->mask, pool_append_words(c->em.pool, words, n)),
						left->nullable);
	return true;
}

/* The elements of a constant array as Consts; *has_null tells of NULLs, left out. */
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

/* x = ANY (constants), x <> ALL (constants), and the like. */
static bool
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
	map = map_function(expr->opfuncid);
	if (map == NULL || map->action != ACTION_COMPARE)
		return refuse(c, REASON_EXPRESSION);
	if (IsA(right, Param) && c->input->param)
		right = (Node *) c->input->param(c->input->param_arg, (Param *) right);
	if (!IsA(right, Const))
		return refuse(c, REASON_EXPRESSION);
	array = (Const *) right;
	if (!compile_expr(c, linitial(expr->args), &left))
		return false;
	truth = !any;
	*out = bool_operand(emit_constant(&c->em, KIND_B, &truth, array->constisnull), array->constisnull);
	if (array->constisnull)
		return true;
	elements = array_elements(array, expr->inputcollid, &has_null);
	if (!has_null && map->op == (any ? COMPARE_EQ : COMPARE_NE) &&
		(compile_int_set(c, &left, map, elements, out) ||
		 compile_text_set(c, &left, exprType(linitial(expr->args)), expr->inputcollid, elements, out)))
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

/* A cast that only renames a type. */
static bool
compile_relabel(Compiler *c, RelabelType *expr, Operand *out)
{
	Operand		renamed;

	if (!compile_expr(c, expr->arg, out) ||
		!class_of_type(c, expr->resulttype, expr->resulttypmod, &renamed))
		return false;
	/* packed text stays packed; anything else must stay what it is */
	if (renamed.class != out->class && !(out->class == CLASS_PACKED && renamed.class == CLASS_TEXT))
		return refuse(c, REASON_EXPRESSION);
	/* from bpchar, trailing blanks would begin to count, and the other way round */
	if ((exprType((Node *) expr->arg) == BPCHAROID) != (expr->resulttype == BPCHAROID))
		return refuse(c, REASON_EXPRESSION);
	if (exprType((Node *) expr->arg) == BOOLOID && expr->resulttype != BOOLOID)
		return refuse(c, REASON_EXPRESSION);
	return true;
}

static bool
compile_call(Compiler *c, Oid function, List *args, Oid collation, Operand *out)
{
	const FunctionMap *map = map_function(function);

	if (map == NULL)
		return refuse(c, contain_volatile_functions((Node *) args) || func_volatile(function) == PROVOLATILE_VOLATILE
					  ? REASON_VOLATILE : REASON_EXPRESSION);
	if (map->action == ACTION_COMPARE)
	{
		Operand		a;
		Operand		b;

		return compile_expr(c, linitial(args), &a) && compile_expr(c, lsecond(args), &b) &&
			compile_comparison(c, map, collation, &a, &b, out);
	}
	if ((map->action == ACTION_LIKE || map->action == ACTION_NOT_LIKE) &&
		(!OidIsValid(collation) || !get_collation_isdeterministic(collation)))
		return refuse(c, REASON_COLLATION);
	return compile_function(c, map, args, out);
}

static bool
compile_node(Compiler *c, Expr *expr, Operand *out)
{
	switch (nodeTag(expr))
	{
		case T_Var:
			return compile_var(c, (Var *) expr, out);
		case T_Const:
			return compile_const(c, (Const *) expr, out);
		case T_Param:
			return compile_param(c, (Param *) expr, out);
		case T_BoolExpr:
			return compile_bool_expr(c, (BoolExpr *) expr, out);
		case T_CaseExpr:
			return compile_case(c, (CaseExpr *) expr, out);
		case T_CaseTestExpr:
			if (c->case_values == NIL)
				return refuse(c, REASON_EXPRESSION);
			*out = *(Operand *) linitial(c->case_values);
			return true;
		case T_CoalesceExpr:
			return compile_coalesce(c, (CoalesceExpr *) expr, out);
		case T_NullTest:
			return compile_null_test(c, (NullTest *) expr, out);
		case T_BooleanTest:
			return compile_boolean_test(c, (BooleanTest *) expr, out);
		case T_ScalarArrayOpExpr:
			return compile_array_op(c, (ScalarArrayOpExpr *) expr, out);
		case T_RelabelType:
			return compile_relabel(c, (RelabelType *) expr, out);
		case T_OpExpr:
			{
				OpExpr	   *op = (OpExpr *) expr;

				set_opfuncid(op);
				return compile_call(c, op->opfuncid, op->args, op->inputcollid, out);
			}
		case T_FuncExpr:
			{
				FuncExpr   *func = (FuncExpr *) expr;

				return compile_call(c, func->funcid, func->args, func->inputcollid, out);
			}
		default:
			return refuse(c, REASON_EXPRESSION);
	}
}

bool
compile_expr(Compiler *c, Expr *expr, Operand *out)
{
	ListCell   *lc;
	Known	   *known;
	bool		constant;

	check_stack_depth();
	while (IsA(expr, Var) && ((Var *) expr)->varno == INDEX_VAR)
	{
		TargetEntry *entry = list_nth_node(TargetEntry, c->input->scan_tlist, ((Var *) expr)->varattno - 1);

		expr = entry->expr;
	}
	constant = IsA(expr, Const) || IsA(expr, Param) || IsA(expr, CaseTestExpr);
	if (!constant)
		foreach(lc, c->known)
		{
			known = lfirst(lc);
			if (equal(known->expr, expr))
			{
				*out = known->operand;
				return true;
			}
		}
	*out = (Operand) {0};
	if (!compile_node(c, expr, out))
		return false;
	if (out->class == CLASS_DECIMAL)
		c->decimals = true;
	/* a column is loaded for all lanes; anything else may be masked */
	if ((c->mask == VREG_SELECTION && !constant && c->case_values == NIL) || IsA(expr, Var))
	{
		known = palloc(sizeof(Known));
		known->expr = expr;
		known->operand = *out;
		c->known = lappend(c->known, known);
	}
	return true;
}

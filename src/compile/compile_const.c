/*
 * compile_const.c
 *		Compilation of constants and of run-time constants.
 *
 * Run-time constants are parameters, and stable functions of constants and
 * parameters: they have one value during an execution, known when the executor
 * compiles.  While planning they are NULLs of their type, from which nothing is
 * concluded.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "utils/date.h"
#include "utils/lsyscache.h"

#include "core/numeric/decimal.h"
#include "core/numeric/wide_types.h"

#include "compile/compiler.h"

/* Compile a numeric constant at its own display scale. */
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

int64
int_of_const(const Const *constant)
{
	switch (constant->constlen)
	{
		case 1:
			return constant->consttype == CHAROID ? (uint8) DatumGetChar(constant->constvalue)
				: DatumGetBool(constant->constvalue);
		case 2:
			return DatumGetInt16(constant->constvalue);
		case 4:
			if (constant->consttype == INT4OID || constant->consttype == DATEOID)
				return DatumGetInt32(constant->constvalue);
			/* oid, enum */
			return DatumGetObjectId(constant->constvalue);
		default:
			return DatumGetInt64(constant->constvalue);
	}
}

/* Return the integer that a uuid, timetz or interval is compared by. */
static Wide
wide_of_const(const Const *constant)
{
	const uint8 *bytes = (const uint8 *) DatumGetPointer(constant->constvalue);

	switch (constant->consttype)
	{
		case UUIDOID:
			return wide_of_uuid(bytes);
		case TIMETZOID:
			return wide_of_timetz(bytes);
		default:
			return wide_of_interval(bytes);
	}
}

static void
compile_wide_const(Compiler *c, Const *constant, Operand *out)
{
	uint64		words[2] = {0, 0};

	if (!constant->constisnull)
		wide_store(words, wide_of_const(constant));
	out->vreg = emit_constant(&c->em, KIND_W, words, constant->constisnull);
	if (out->class == CLASS_INTERVAL)
	{
		if (!constant->constisnull)
			wide_store(words, wide_of_bytes((const uint8 *) DatumGetPointer(constant->constvalue)));
		out->second_vreg = emit_constant(&c->em, KIND_W, words, constant->constisnull);
	}
}

const char *
text_of_const(const Const *constant, int *length)
{
	struct varlena *text;

	if (constant->consttype == NAMEOID)
	{
		*length = strlen(NameStr(*DatumGetName(constant->constvalue)));
		return NameStr(*DatumGetName(constant->constvalue));
	}
	text = PG_DETOAST_DATUM_PACKED(constant->constvalue);
	*length = VARSIZE_ANY_EXHDR(text);
	return VARDATA_ANY(text);
}

uint64
pool_text_const(Compiler *c, const Const *constant)
{
	const char *bytes;
	int			length;

	if (constant->constisnull)
		return pool_text(c->em.pool, "", 0);
	bytes = text_of_const(constant, &length);
	if (length > TEXT_LENGTH_MOST)
	{
		refuse(c, REASON_EXPRESSION);
		return pool_text(c->em.pool, "", 0);
	}
	return pool_text(c->em.pool, bytes, length);
}

bool
compile_const(Compiler *c, Const *constant, Operand *out)
{
	uint64		word = 0;
	int32		typmod = -1;

	*out = (Operand) {.nullable = constant->constisnull, .constant = constant};
	constant->consttype = getBaseTypeAndTypmod(constant->consttype, &typmod);
	/* a text constant is not packed because of its type: the other side of a comparison decides */
	if (!class_of_type(c, constant->consttype, -1, out))
		return false;
	switch (out->class)
	{
		case CLASS_DECIMAL:
			c->decimals = true;
			return compile_decimal_const(c, constant, out);
		case CLASS_WIDE:
		case CLASS_INTERVAL:
			compile_wide_const(c, constant, out);
			return true;
		case CLASS_TEXT:
		case CLASS_PACKED:
			word = pool_text_const(c, constant);
			break;
		case CLASS_FLOAT:
			if (!constant->constisnull)
				word = bits_of_float(constant->consttype == FLOAT4OID ? (double) DatumGetFloat4(constant->constvalue)
									 : DatumGetFloat8(constant->constvalue));
			break;
		case CLASS_BOOL:
		case CLASS_INT:
			if (!constant->constisnull)
				word = (uint64) int_of_const(constant);
			break;
		case CLASS_CODE:
			return refuse(c, REASON_EXPRESSION);
	}
	out->vreg = emit_constant(&c->em, kind_of(c, out->class), &word, constant->constisnull);
	return true;
}

static bool
case_value_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;
	return IsA(node, CaseTestExpr) || expression_tree_walker(node, case_value_walker, context);
}

/* Return true if an expression refers to the value that a CASE tests. */
static bool
contain_case_value(Expr *expr)
{
	return case_value_walker((Node *) expr, NULL);
}

bool
is_run_constant(Expr *expr)
{
	switch (nodeTag(expr))
	{
		case T_Param:
			return ((Param *) expr)->paramkind == PARAM_EXTERN || ((Param *) expr)->paramkind == PARAM_EXEC;
		case T_FuncExpr:
		case T_OpExpr:
		case T_SQLValueFunction:
		case T_CoerceViaIO:
		case T_ArrayExpr:
		case T_RelabelType:
			return !contain_var_clause((Node *) expr) && !contain_volatile_functions((Node *) expr) &&
				!contain_subplans((Node *) expr) && !contain_agg_clause((Node *) expr) && !contain_case_value(expr) &&
				!expression_returns_set((Node *) expr);
		default:
			return false;
	}
}

Const *
run_constant(Compiler *c, Expr *expr)
{
	Const	   *value;

	if (c->input->value == NULL)
		return makeNullConst(exprType((Node *) expr), -1, exprCollation((Node *) expr));
	value = c->input->value(c->input->value_arg, expr);
	if (value == NULL)
		refuse(c, REASON_EXPRESSION);
	return value;
}

bool
compile_run_constant(Compiler *c, Expr *expr, Operand *out)
{
	Const	   *value = run_constant(c, expr);

	if (value == NULL || !compile_const(c, value, out))
		return false;
	/* while planning nothing may be concluded from the value */
	out->nullable = true;
	return true;
}
